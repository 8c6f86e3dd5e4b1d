/* SPDX-License-Identifier: BSD-3-Clause */
// Shapes by virtual functions, and exceptions.
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <vector>

struct shape {
    virtual ~shape() = default;
    virtual double area() const = 0;
};

struct square : shape {
    double side;
    explicit square(double s) : side(s) {}
    double area() const override { return side * side; }
};

struct circle : shape {
    double radius;
    explicit circle(double r) : radius(r) {}
    double area() const override
    {
        if (radius < 0)
            throw std::domain_error("radius");
        return 3.14159 * radius * radius;
    }
};

int main()
{
    std::vector<std::unique_ptr<shape>> all;
    double sum = 0;
    int wrong = 0;
    for (int i = 0; i < 1000; i++)
        if (i % 3 == 0)
            all.push_back(std::make_unique<circle>(i % 100 == 0 ? -1.0 : i));
        else
            all.push_back(std::make_unique<square>(i));
    for (int k = 0; k < 15000; k++)
        for (auto &one : all)
            try {
                sum += one->area();
            } catch (const std::domain_error &) {
                wrong++;
            }
    std::printf("%g %d\n", sum, wrong);
}

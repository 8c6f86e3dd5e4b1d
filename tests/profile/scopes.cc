// SPDX-License-Identifier: BSD-3-Clause
// Routines in all that C++ has around routines, without the linker's names: each turns the same number of times.
#define APART __attribute__((noinline))

namespace {

const long number = 20000000;

double turns(double x) // inlined everywhere
{
    for (long i = 0; i < number; i++)
        x = x * 0.999999 + 0.1;
    return x;
}

APART double hidden(double x) { return turns(x + 1); }

} // namespace

namespace outer {
namespace {

struct tool {
    double start;
    APART double declared(double x);
    struct part {
        APART double inside(double x) { return turns(x + 2); }
    };
};

APART double tool::declared(double x)
{
    auto local = [this](double y) APART { return turns(y + start); };
    return turns(x + 3) + local(x);
}

template <class Kind> APART double of_any(double x) { return turns(x + sizeof(Kind)); }

} // namespace

APART static double in_file(double x) { return turns(x + 5); }

double all(double x);
double all(double x)
{
    tool some{x};
    return some.declared(x) + tool::part().inside(x) + of_any<tool>(x) + in_file(x);
}

} // namespace outer

int main(int n, char **)
{
    auto twice = [](double x) APART { return turns(x + 6); };
    return hidden(n) + outer::all(n) + twice(n) < 0;
}

// SPDX-License-Identifier: BSD-3-Clause
// A member of a template that is inlined into a function that is not.
#include <cstdlib>

namespace shapes {

template <class Number> class chain {
  public:
    explicit chain(Number start) : value(start) {}
    inline __attribute__((always_inline)) void turns(long number)
    {
        for (long i = 0; i < number; i++)
            value = value * Number(0.999999) + Number(0.1);
    }
    Number value;
};

__attribute__((noinline)) double work(long turns)
{
    chain<double> links(1);
    links.turns(turns);
    return links.value;
}

} // namespace shapes

int main(int n, char **word)
{
    return shapes::work(n > 1 ? std::atol(word[1]) : 100000000) < 0;
}

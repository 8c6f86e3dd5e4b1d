/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls two functions of a library, one of them three times as often, and nothing else much. With LIBRARY:
 * that. */
long often(long x);
long seldom(long x);

#ifdef LIBRARY
long seldom(long x)
{
    return x + 1;
}

long often(long x)
{
    return x + 2;
}
#else
#include <stdlib.h>

int main(int n, char **word)
{
    volatile long x = 0;
    for (long i = n > 1 ? atol(word[1]) : 40000000; i > 0; i--)
        x = often(often(often(seldom(x))));
    return x < 0;
}
#endif

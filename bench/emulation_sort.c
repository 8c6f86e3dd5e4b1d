/* SPDX-License-Identifier: BSD-3-Clause
 *
 * emulation_sort N: what bench/emulation runs: integers and branches that nobody foresees.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static int compare(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
    size_t n = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
    uint32_t *values = calloc(n + 1, sizeof *values), value = 1;
    if (values == NULL)
        return 1;
    for (size_t i = 0; i < n; i++)
        values[i] = value = value * 1664525u + 1013904223u;
    qsort(values, n, sizeof *values, compare);
    printf("%u\n", (unsigned)values[n / 2]);
    free(values);
    return 0;
}

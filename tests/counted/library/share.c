/* SPDX-License-Identifier: BSD-3-Clause
 *
 * share own: works in code of its own; share library: in the C library.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE = 1 << 20, FILLS = 3000, TURNS = 200000000 };

int main(int argc, char **argv)
{
    volatile double sum = 0;
    char *memory = malloc(SIZE);
    if (argc != 2 || memory == NULL)
        return 2;
    if (strcmp(argv[1], "own") == 0)
        for (int i = 0; i < TURNS; i++)
            sum = sum + 1.5;
    else
        for (int i = 0; i < FILLS; i++) {
            memset(memory, i, SIZE);
            sum = sum + memory[i];
        }
    printf("%g\n", sum);
    free(memory);
    return 0;
}

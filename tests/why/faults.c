/* SPDX-License-Identifier: BSD-3-Clause
 * Memory that is given back and asked for again in each turn. */
#include <stdio.h>
#include <sys/mman.h>

int main(void)
{
    enum { SIZE = 4 << 20, PAGE = 4096 };
    long sum = 0;
    for (int turn = 0; turn < 150; turn++) {
        char *data = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        for (int i = 0; i < SIZE; i += PAGE)
            data[i] = (char)(i >> 12); /* fault */
        sum += data[PAGE];
        munmap(data, SIZE);
    }
    printf("%ld\n", sum);
}

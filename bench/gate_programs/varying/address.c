/* SPDX-License-Identifier: BSD-3-Clause */
/* A table by addresses: how many places are tried depends on where the system has put the blocks. */
#include <stdint.h>
#include <stdlib.h>

enum { PLACES = 512, BLOCKS = 400 };

static void *table[PLACES];

__attribute__((noipa)) static void put(void *block)
{
    uint64_t mixed = (uint64_t)(uintptr_t)block * 0x9e3779b97f4a7c15;
    size_t at = ((mixed ^ mixed >> 29) * 0xbf58476d1ce4e5b9 >> 32) % PLACES;
    while (table[at] != NULL)
        at = (at + 1) % PLACES;
    table[at] = block;
}

int main(void)
{
    for (int i = 0; i < BLOCKS; i++)
        put(malloc(3000));
    return table[0] == &table;
}

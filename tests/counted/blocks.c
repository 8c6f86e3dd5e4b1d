/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Each block of ../emulated/blocks_*.def by itself between two marks; with an argument, what it has to count
 * in the same form.
 */
#include "../emulated/blocks.h"
#include "marks.h"

#include <inttypes.h>
#include <stdio.h>

BLOCK(empty, "");

static void show_wanted(const struct block *block)
{
    long long wanted[BLOCK_EVENTS];
    block_wants(block, wanted);
    for (int i = 0; i < BLOCK_EVENTS; i++)
        if (wanted[i] != 0)
            printf("%s %s %lld\n", block->name, block_events[i], wanted[i]);
}

/* Measures one block. There is one such place, so that all blocks have the same instructions around them. */
static __attribute__((noinline)) void measure(void (*run)(void), const char *name)
{
    mark_begin();
    run();
    mark_end(name);
}

int main(int argc, char **argv)
{
    (void)argv;
    if (argc == 1) {
        measure(block_empty, "empty"); /* once for what is bound and found then */
        measure(block_empty, "empty");
    }
    for (int i = 0; i < N_BLOCKS; i++)
        if (!block_runs(&blocks[i]))
            fprintf(stderr, "no processor for %s\n", blocks[i].name);
        else if (argc > 1)
            show_wanted(&blocks[i]);
        else
            measure(blocks[i].run, blocks[i].name);
    return 0;
}

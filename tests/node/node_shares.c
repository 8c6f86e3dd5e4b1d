/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Two routines with 70 and 30 parts of the instructions, in turns; each is a region as well. For the tools
 * that look at programs: node_shares [ROUNDS]
 */
#include "counted_loop.h"
#include "papi.h"

#include <stdlib.h>

enum { PART = 10000 };
static volatile int done; /* what is done after a call keeps it from being a jump */

__attribute__((noinline)) static void heavy(void)
{
    counted_loop(7 * PART);
    done++;
}

__attribute__((noinline)) static void light(void)
{
    counted_loop(3 * PART);
    done++;
}

static void both(int rounds)
{
    for (int i = 0; i < rounds; i++) {
        heavy();
        light();
    }
}

static void in_region(const char *name, void (*part)(void), int rounds)
{
    PAPI_hl_region_begin(name);
    for (int i = 0; i < rounds; i++)
        part();
    PAPI_hl_region_end(name);
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 100;
    if (argc > 2) {
        in_region("heavy", heavy, rounds);
        in_region("light", light, rounds);
    } else {
        both(rounds);
    }
    return done == 2 * rounds ? 0 : 1;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdlib.h>
#include <string.h>

/* True if valgrind runs the program: its code, memory and system calls are then valgrind's too, and all takes
 * thirty times as long. */
static inline int test_under_valgrind(void)
{
    const char *preload = getenv("LD_PRELOAD");
    return preload != NULL && strstr(preload, "vgpreload") != NULL;
}

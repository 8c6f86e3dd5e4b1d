/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Shared parts of the programs of this folder. They are written as their authors would have, in what C90 and
 * C++ have in common, and stop at the first thing that is wrong.
 */
#pragma once

#include <papi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                                                     \
    do {                                                                                                     \
        if (!(condition)) {                                                                                  \
            fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition);                        \
            exit(1);                                                                                         \
        }                                                                                                    \
    } while (0)
#define OK(call) classic_code((call), PAPI_OK, #call, __LINE__)
#define CODE(call, wanted) classic_code((call), (wanted), #call, __LINE__)

#ifdef __cplusplus
extern "C" {
#endif
void classic_code(int got, int wanted, const char *text, int line);

/* A hundred floating-point additions and the first touch of a hundred pages: one of them is what the
 * events count, by the emulated processor or by the kernel. */
void do_100events(void);
/* value is wanted, or a few more where page faults are counted. */
int near_to(long_long value, int wanted);
/* The same of what the library has counted from one of its own calls to the next, with the arithmetic of
 * rates between them. */
int near_rate(long_long value, int wanted);
/* True if counts are exact: this is the emulated processor. */
int exact(void);
/* Initialises the library. Leaves the program as skipped where PAPI_FP_OPS cannot be counted. */
void need_events(void);
/* Leaves the program as skipped, status 77. */
void skip(const char *reason);
#ifdef __cplusplus
}
#endif

/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/* How far the program has come. Each step checks that it is the next. */
enum { NOTHING, LIBRARY_BEGAN, PROGRAM_BEGAN, MAIN_RAN, EXIT_HANDLER_RAN, PROGRAM_ENDED };

#define SHARED __attribute__((visibility("default")))

SHARED void edges_step(int step);
SHARED void edges_check(int ok, const char *what);

/* What every step does: it reads the set that the first one started, and counts with one of its own. */
SHARED void edges_use(const char *region);

/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/* The stages of the program's life. Each step checks that it follows the previous one. */
enum { NOTHING, LIBRARY_BEGAN, PROGRAM_BEGAN, MAIN_RAN, EXIT_HANDLER_RAN, PROGRAM_ENDED };

#define SHARED __attribute__((visibility("default")))

SHARED void edges_step(int step);
SHARED void edges_check(int ok, const char *what);

/* Does every step's work: reads the set that the first step started, and counts with one of its own. */
SHARED void edges_use(const char *region);

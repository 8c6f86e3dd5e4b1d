/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/* The linker puts a file's thread-local variables before its counters, and behind those of other files: these
 * variables lie among counters. */
enum { BESIDE_VARIABLES = 64 };
extern __thread long beside_variable[BESIDE_VARIABLES];

/* Does two operations in double. */
void beside_work(void);

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Shared parts of the tests of events/ and base/: snapshots of another machine's files, cheap random numbers.
 */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../under_valgrind.h"
#include "base/reason.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* The code, and a reason with it that has this part. */
#define REFUSED(call, wanted, why, part)                                                                     \
    test_refused((call), (wanted), (why), (part), #call, __FILE__, __LINE__)
void test_refused(int got, int wanted, struct reason *why, const char *part, const char *call,
                  const char *file, int line);

/* A new empty folder, to be removed with what is in it. */
const char *test_folder(void);
void test_folder_remove(const char *folder);

/* A file below a folder; the folders on its way are made. */
void test_file(const char *folder, const char *path, const char *text);

/* n characters, cut from repetitions of a pattern; to be freed. */
char *test_text(size_t n, const char *pattern);

/* The same numbers in every run. */
unsigned test_random(unsigned below);

/* Runs the tests; of the environment, TEST_ONLY and TEST_SKIP (patterns with * and ?) choose among them. The
 * program's exit status: 1 where one failed, 77 where all were skipped. */
#define TEST_RUN(tests)                                                                                      \
    (test_choose(), test_status(cmocka_run_group_tests(tests, NULL, NULL), (int)COUNT(tests)))
void test_choose(void);
int test_status(int failed, int total);

/* Prints "SKIP: reason" and leaves the running test as skipped. */
#define SKIP(text)                                                                                           \
    do {                                                                                                     \
        test_skipping(text);                                                                                 \
        skip();                                                                                              \
    } while (0)
void test_skipping(const char *text);

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Shared parts of the tests of the C interface: checks that also work in child processes and threads
 * (cmocka's own jump out of the test, which only its own thread can do), known work, skipping.
 */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "../under_valgrind.h"
#include "papi.h"

/* ---- checks */
#define CHECK(condition) test_check((condition) != 0, #condition, __FILE__, __LINE__)
#define EQUAL(got, wanted) test_equal((long long)(got), (long long)(wanted), #got, __FILE__, __LINE__)
/* A call and its code; the message has the library's text. */
#define CODE(call, wanted) test_code((call), (wanted), #call, __FILE__, __LINE__)
#define OK(call) CODE(call, PAPI_OK)
/* The code of a call, with a reason that has this part. */
#define REFUSES(call, wanted, part) test_refused((call), (wanted), (part), #call, __FILE__, __LINE__)
/* got is wanted, or a few more: see test_slack(). */
#define COUNTED(got, wanted) test_counted((got), (wanted), #got, __FILE__, __LINE__)

void test_check(int condition, const char *text, const char *file, int line);
void test_equal(long long got, long long wanted, const char *text, const char *file, int line);
void test_code(int got, int wanted, const char *text, const char *file, int line);
void test_refused(int got, int wanted, const char *part, const char *text, const char *file, int line);
void test_counted(long long got, long long wanted, const char *text, const char *file, int line);

/* ---- programs and skipping */

/* Prints "SKIP: reason" and leaves the running test as skipped. */
#define SKIP(...)                                                                                            \
    do {                                                                                                     \
        test_skipping(__VA_ARGS__);                                                                          \
        skip();                                                                                              \
    } while (0)
void test_skipping(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Runs the tests; of the environment, TEST_ONLY and TEST_SKIP (patterns with * and ?) choose among them. The
 * program's exit status: 1 where one failed, 77 where all were skipped. */
#define TEST_RUN(tests)                                                                                      \
    (test_choose(),                                                                                          \
     test_status(cmocka_run_group_tests(tests, NULL, NULL), (int)(sizeof(tests) / sizeof *(tests))))
void test_choose(void);
int test_status(int failed, int total);

/* Skips the test where the kernel does not let this user count its software events. Initialises
 * the library. */
#define NEED_SOFTWARE_EVENTS()                                                                               \
    do {                                                                                                     \
        const char *test_why = test_no_software_events();                                                    \
        if (test_why != NULL)                                                                                \
            SKIP("%s", test_why);                                                                            \
    } while (0)
const char *test_no_software_events(void);

/* ---- processes and files */

/* Runs body in a child process and checks that it ended well. */
void test_in_child(void (*body)(void *), void *argument);

/* Writes a table of presets into a temporary file, which lives as long as the process, and names it
 * in PAPI_CSV_EVENT_FILE. For use before the library is initialised. Returns its path. */
const char *test_presets(const char *text, size_t size);

/* A table on every machine that counts software events: TOT_INS, FP_INS and FP_OPS are page faults,
 * TOT_CYC is CPU time. */
void test_software_presets(void);

/* The number of descriptors that the process has open. */
int test_open_descriptors(void);

/* ---- known work */

/* Maps n fresh pages and touches each once: n page faults in user mode. */
void test_touch_pages(int n);
/* The number of events, beside those of the known work, that a measurement may include. */
long long test_slack(void);
/* Sleeps n times, each of which gives the processor away. */
void test_sleep(int n);
/* Uses about so much CPU time. */
void test_burn(long long nsec);

/* ---- event sets of the kernel's software events */
#define FAULTS "perf::PAGE-FAULTS"
#define MINOR "perf::MINOR-FAULTS"
#define MAJOR "perf::MAJOR-FAULTS"
#define CLOCK "perf::TASK-CLOCK"
#define SWITCHES "perf::CONTEXT-SWITCHES"
#define MIGRATIONS "perf::CPU-MIGRATIONS"

/* SWITCHES, or another event where only privileged users may count what happens in the kernel. */
const char *test_switches(void);

void test_init(void);
/* A new set with these events; the list ends with NULL. */
int test_set(const char *name, ...) __attribute__((sentinel));
/* Stops it where it runs, empties and destroys it. */
void test_drop(int es);
int test_code_of(const char *name);

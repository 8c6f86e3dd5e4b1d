/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Shared parts of programs that use components of devices as PAPI's users do: against papi.h alone, with
 * event names on the command line or of their own, and an end with status 1 at the first answer that is not
 * the expected one. EXAMPLE_LIBRARY names the library that stands for the vendor's, which does the work.
 */
#pragma once

#include "papi.h"

#include <stdbool.h>

/* A call that must succeed, and one that must give another code. */
#define MUST(call) example_code(__FILE__, __LINE__, #call, (call), PAPI_OK)
#define MUST_BE(wanted, call) example_code(__FILE__, __LINE__, #call, (call), (wanted))
void example_code(const char *file, int line, const char *call, int got, int wanted);

/* Two numbers that must be the same. */
#define SAME(got, wanted) example_same(__FILE__, __LINE__, #got, (long long)(got), (long long)(wanted))
void example_same(const char *file, int line, const char *what, long long got, long long wanted);

/* A text that must have a part. */
#define HAS(text, part) example_has(__FILE__, __LINE__, (text), (part))
void example_has(const char *file, int line, const char *text, const char *part);

/* A variable or function of EXAMPLE_LIBRARY. */
void *example_symbol(const char *name);

/* Initialises the library, and gives the index of a component, which is there and counts. */
int example_begin(const char *component);

/* An event set of the events up to NULL. */
int example_set(const char *first, ...) __attribute__((sentinel));

/* A name that no event has. */
void example_no_event(const char *name);

/* Prints each event of a set with its value. */
void example_print(int es, const long long *value);

/* Walks through a component's events and, of each, through the forms that PAPI_NTV_ENUM_UMASKS gives. Each
 * must have a name that leads back to the code, and info with this name. Counts both. */
void example_walk(int component, int *events, int *forms);

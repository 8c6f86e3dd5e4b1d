/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A folder in place of the machine's /proc and /sys, for the tests of components that read numbers in files.
 */
#pragma once

#include "testing.h"

#include "papi.h"

#include <stdbool.h>
#include <string.h>

extern const char *folder; /* of the running test */

/* Setup and teardown of a test: an empty folder, the library over it once it is begun. */
int folder_create(void **state);
int folder_remove(void **state);
#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, folder_create, folder_remove)

/* A file's text from now on: "sys/class/net/lo/statistics/rx_bytes". */
void shows(const char *path, const char *text);

/* The library, over the folder or over this machine. */
void begin_in_folder(void);
void begin_here(void);

/* An event set of events up to NULL, which must all be there. */
int set_of(const char *first, ...) __attribute__((sentinel));

/* The set's values must be these long long, up to END. */
void reads(int es, ...);
#define END (-123456789LL)

/* A call's code, with a reason that has this part. */
void refused(int got, int wanted, const char *part);

/* ---- components that open a library */

/* True if the loader has a library in the process. */
bool library_is_loaded(const char *file);

/* The library PAPI and one that stands for a vendor's, which is held open so that what the test sets in the
 * double stays: what the library has under that name. The test's teardown is library_end. */
void *begin_with_double(void **state, const char *file, const char *name);
int library_end(void **state);

/* The answer of PAPI on a component. */
const PAPI_component_info_t *info_of_component(const char *name);

/* A name that must not be that of an event, with a reason that has this part. */
void no_event(const char *name, const char *part);

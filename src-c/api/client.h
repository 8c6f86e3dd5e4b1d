/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>

/* Offered to the high-level interface, which otherwise sees papi.h alone: a
 * place for its own state, since all state is in struct papi_library, and reasons for its errors. */

/* Pointers of the process: to its regions, and to the table of metrics. They outlive PAPI_shutdown, and the
 * library does nothing with them. */
enum client_use { CLIENT_REGIONS, CLIENT_METRICS };
void *_Atomic *client_slot(enum client_use use);

/* The address of a pointer of the calling thread for the client's use, NULL at first; NULL where the thread
 * has no object. */
void **client_thread_slot(void);

/* PAPI_get_real_cyc and PAPI_get_real_nsec in one. */
void client_times(long long *cycles, long long *nsec);

/* Keeps the handlers of overflows, which may call the library, away from the calling thread while it has
 * a lock; they come after the release, which is given what the hold returned. */
bool client_hold_overflows(void);
void client_release_overflows(bool held);

/* True if the calling thread is in no handler, whose signal would be blocked. */
bool client_blocks_no_signal(void);

/* Marks calls between the two as trials of the high-level interface: a failure is recorded, and neither
 * printed nor given to the program's handler of errors. code: what came of it all; an error is told now,
 * once. */
void client_quiet_begin(void);
void client_quiet_end(int code);

/* Records an error of the calling thread with its reason, as every public function does; returns the
 * code. */
int client_failed(int code, const char *format, ...) __attribute__((cold, format(printf, 2, 3)));

/* Records that an argument is NULL; returns PAPI_EINVAL. */
int client_null(void) __attribute__((cold));

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A signal handler that counts page faults in two event sets, one of which runs all the time, and checks what
 * it reads, while a timer of 100 us interrupts whatever the program does. Initialises the library.
 */
#pragma once

void counting_handler_begin(void);
/* Fails where a value was impossible. */
void counting_handler_end(void);

/* The most that page faults of this thread can have been counted so far: one that a signal interrupts begins
 * twice. */
long long counting_handler_faults(void);

/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Advice on how to count a program's events where the processor's counters do not: with a counted build, or
 * the emulator. */

/* The advice of an event's reason, which has ADVICE_BLIND already where that is so.
 *   preset  its index; -1: none counts it
 *   native  a native event was asked for, which the preset counts, too */
int advice_for(int preset, bool native);

/* The sentence that follows a reason: commands that are installed beside the library or in PATH, with the
 * program's own name where it is known; "" where there are none. In signal handlers, too; errno stays.
 *   advice  the reason's */
void advice_text(int advice, char *text, size_t size);

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A library with events of its own, of which there are two: LIBRARY is first or second.
 */
#pragma once

enum { LIBRARY_COUNTERS = 1000 };

/* Registers counters "c0", "c1", ... from a number on. Returns the number of failures. */
int first_register(int from, int n);
int second_register(int from, int n);

/* Adds to one, from any thread. */
void first_add(int counter, long long by);
void second_add(int counter, long long by);

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Work of a known length.
 */
#pragma once

#define COUNTED_LOOP_LENGTH 5 /* instructions an iteration */

/* n (at least 1) iterations of five instructions, and a dozen around them. */
void counted_loop(long n);

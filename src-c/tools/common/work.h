/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/* Something to count: floating-point operations, loads, stores and branches on memory of its own.
 *   rounds  about 10,000 instructions each
 * Returns what it computed, which the caller must look at. */
double work(int rounds);

/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>

/* Regions of the calling thread that may end in any order. Those of libpapi lie inside of one another: where
 * one ends while others that began later go on, these end, too, and begin again after it. */
struct open_region;

/* Begins a region. NULL: libpapi refuses, or there is no memory. */
struct open_region *open_region_begin(const char *name);

/* Ends a region. False: another thread has begun it, and nothing changes; or libpapi refused a part of it. */
bool open_region_end(struct open_region *region);

/* The region of this thread that began last and has not ended, or NULL. */
struct open_region *open_region_last(void);

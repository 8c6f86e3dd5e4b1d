/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>

/* Regions of the calling thread that may end in any order. Those of libpapi lie inside of one another: where
 * one ends while others that began later go on, these end, too, and begin again after it. */
struct open_region;

enum open_region_kind { REGION_NAMED, REGION_PUSHED };

/* Begins a region, which has a name. NULL: there is no memory. Where its counters cannot be read, it is open
 * without them, as libpapi's own is, and the file of regions says so. */
struct open_region *open_region_begin(const char *name, enum open_region_kind kind);

/* Ends a region. False: another thread has begun it, and nothing changes; or libpapi refused a part of it. */
bool open_region_end(struct open_region *region);

/* True if the region is open, and the calling thread has begun it. The region may be NULL. */
bool open_region_is_here(const struct open_region *region);

/* The region of this kind and thread that began last and has not ended, or NULL. */
struct open_region *open_region_last(enum open_region_kind kind);

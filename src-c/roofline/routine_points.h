/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "points.h"

/* Routines of profiles (papi_profile's files), as points: operations, bytes and time of each in itself.
 * Several profiles of one program add to one another: one may have the time, the other what was counted.
 * NULL, or what failed, a sentence to be freed. */
char *profiles_read(const char *const *path, int n, const struct roofs *roofs, struct points *points);

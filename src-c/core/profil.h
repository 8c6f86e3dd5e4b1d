/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/reason.h"
#include "papi.h"
#include <stdint.h>

/* Histograms of addresses, as profil(2) of UNIX made them. An address less the region's offset,
 * times scale/65536, is a byte in an array of 16-bit buckets; for larger buckets it is the same
 * bucket of more bytes. Addresses outside every region are left out. */
struct profile;

/* Regions of the caller's memory; each is checked. NULL with the reason: PAPI_EINVAL, PAPI_ENOMEM. */
struct profile *profile_create(const PAPI_sprofil_t *regions, int n, int flags, int *code,
                               struct reason *why);
void profile_free(struct profile *profile);

/* One sample of a weight, in a signal handler. */
void profile_sample(struct profile *profile, uint64_t address, uint64_t weight);

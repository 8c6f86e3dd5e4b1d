/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "sampler.h"

/* Makes a profile of the kernel's records: what was mapped where, and the samples in the order of their
 * times. A PAPI_E* code with the reason. */
int replay(struct profile *profile, const struct sampler *sampler, enum sampler_stacks stacks,
           struct reason *why);

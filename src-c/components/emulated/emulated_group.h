/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "components/component.h"

/* The emulator tells nobody apart but the program: all that there is of domains. PAPI_EINVAL_DOM for others.
 */
int emulated_check_domain(int domain, struct reason *why);

/* The counters of one event set: places in the page that the emulator writes. */
struct counter_group *emulated_group_create(const struct group_options *options);

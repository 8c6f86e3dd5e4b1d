/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "components/component.h"

/* The component's create; its events are opened with the process's struct columns. */
struct counter_group *counted_group_create(const struct group_options *options);

/* Checks a domain: PAPI_OK or PAPI_EINVAL_DOM. */
int counted_check_domain(int domain, struct reason *why);

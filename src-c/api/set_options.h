/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "core/library.h"

/* The options of one event set that say what it counts and how: domain, granularity, multiplexing,
 * attachment, inheritance. Each returns a code with its reason with the thread. */

bool set_options_has(int option);

/* The value in *ptr, and for a state that is on or off also as the result, 1 or 0. */
int set_options_get(int option, PAPI_option_t *ptr);
int set_options_set(int option, const PAPI_option_t *ptr);

/* How long events of a component that take turns have a counter. */
int set_options_get_interval(int component, PAPI_option_t *ptr);

/* PAPI_OK, PAPI_EINVAL, PAPI_EINVAL_DOM. */
int set_options_check_domain(int domain);

/* As the default of event sets: PAPI_OK, PAPI_EINVAL, PAPI_ECMP. */
int set_options_check_granularity(int granularity);

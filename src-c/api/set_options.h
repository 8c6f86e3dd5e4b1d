/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "core/library.h"

/* The options of one event set that say what it counts and how: domain, granularity, multiplexing,
 * attachment, inheritance. Each returns a code with its reason with the thread. */

bool form_has_option(int option);

/* The value in *ptr, and for a state that is on or off also as the result, 1 or 0. */
int form_get(int option, PAPI_option_t *ptr);
int form_set(int option, const PAPI_option_t *ptr);

/* How long events of a component that take turns have a counter. */
int form_get_turn(int component, PAPI_option_t *ptr);

/* PAPI_OK, PAPI_EINVAL, PAPI_EINVAL_DOM. */
int form_check_domain(int domain);

/* As the default of event sets: PAPI_OK, PAPI_EINVAL, PAPI_ECMP. */
int form_check_granularity(int granularity);

/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "components/component.h"

/* A group whose events are each counted at several places, and summed: on every CPU, or (uncore) where their
 * PMUs outside the cores count. */
struct counter_group *places_create(const struct group_options *options, bool uncore);

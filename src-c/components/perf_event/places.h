/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "components/component.h"

/* A group whose events are each counted at several places, and summed: for options with the CPU EVERY_CPU. */
struct counter_group *places_create(const struct group_options *options);

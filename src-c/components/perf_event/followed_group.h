/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "components/component.h"

/* The counters of a whole process, or of a tree of processes, kept for each thread: a tracer holds each new
 * thread until it has counters of its own. */
struct counter_group *followed_group_create(const struct group_options *options);

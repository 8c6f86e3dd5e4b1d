/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "components/component.h"

/* The options with which what the cores of a package have in common is counted: of no thread and in all
 * modes, on the options' CPU or, where it has none, on the event's. */
struct group_options uncore_options(const struct event_encoding *event, const struct group_options *options);

/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "components/component.h"

/* Opens a stopped counter of what the cores of a package have in common: of no thread and in all modes, on
 * the form's CPU or, where it has none, on the event's. */
int uncore_open(const char *root, const struct event_encoding *event, const struct group_form *form, int *fd,
                struct reason *why);

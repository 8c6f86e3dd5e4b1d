/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "components/component.h"

/* The form in which what the cores of a package have in common is counted: of no thread and in all modes, on
 * the form's CPU or, where it has none, on the event's. */
struct group_form uncore_form(const struct event_encoding *event, const struct group_form *form);

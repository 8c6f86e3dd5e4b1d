/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "core/resolve.h"

/* An event that is made of presets or user events, as a formula of native events: sets what the
 * resolved event counts and how. PAPI_ENOEVNT: one of them is not defined here, the event is defined
 * through itself, or it takes more than an event can hold. */
int expand_definition(const struct preset_definition *definition, struct resolved_event *out,
                      struct reason *why);

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A component as the library uses it: listed, tried, added, started, read and stopped, whatever it finds.
 */
#pragma once

#include "components/component.h"

#include <stdbool.h>

/* Ends the run as a finding where a name cannot be one, a failure has no reason that can be shown, or, if
 * what the component reads stays as it is, a counter grows. */
void fuzz_component(const struct component *component, int index, const char *root, bool still);

/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "record/settings.h"

/* Complains where the program, or a library that is no tool, calls functions PMPI_... of calls that are
 * wrapped: they go past the wrappers, so that what they take would be called useful without a word. */
void unseen_calls(struct settings *settings);

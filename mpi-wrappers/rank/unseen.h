/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "record/record.h"
#include "record/settings.h"

/* Finds the functions PMPI_... of calls that are wrapped which the program, or a library that is no tool,
 * calls itself: they go past the wrappers, so that what they take would be called useful without a word. Puts
 * them into unseen, and complains of the first. */
void unseen_calls(struct settings *settings, uint64_t unseen[CALL_WORDS]);

/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "core/library.h"

/* A component's description; before the library is initialised, what is known without looking. PAPI_ENOMEM,
 * PAPI_ESYS: what it counts cannot be found out now. Library locked.
 */
int component_info(int index, const PAPI_component_info_t **info, struct reason *why);

/* Brings the description of a component that was switched off up to date. Library locked. */
void component_info_note_disabled(int index);

/* The index of a component's name, or -1. */
int component_by_name(const char *name);

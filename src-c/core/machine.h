/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PAPI_CORE_MACHINE_H
#define PAPI_CORE_MACHINE_H

#include "core/library.h"

/* The machine's description, asked for by the first call. PAPI_ENOMEM, PAPI_ESYS: it cannot be read now; the
 * next call tries again. Library locked. */
int machine_hardware(const PAPI_hw_info_t **info, struct reason *why);

/* A component's description. PAPI_ENOMEM, PAPI_ESYS: what it counts cannot be found out now. Library locked.
 */
int machine_component(int index, const PAPI_component_info_t **info, struct reason *why);

/* Brings the description of a component that was switched off up to date. Library locked. */
void machine_note_disabled(int index);

/* The rate of PAPI_get_real_cyc in kHz; measured by the first call. No lock. */
long long machine_tick_khz(void);

/* The index of a component's name, or -1. */
int machine_component_index(const char *name);

#endif

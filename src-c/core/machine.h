/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PAPI_CORE_MACHINE_H
#define PAPI_CORE_MACHINE_H

#include "core/library.h"

/* The machine's description, asked for by the first call; NULL: out of memory. Library locked. */
PAPI_hw_info_t *machine_hardware(void);

/* A component's description; NULL: no such component, or out of memory. Library locked. */
PAPI_component_info_t *machine_component(int index);

/* Brings the description of a component that was switched off up to date. Library locked. */
void machine_note_disabled(int index);

/* The rate of PAPI_get_real_cyc in kHz; measured by the first call. No lock. */
long long machine_tick_khz(void);

/* The index of a component's name, or -1. */
int machine_component_index(const char *name);

#endif

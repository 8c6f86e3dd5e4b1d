/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "core/library.h"

/* ---- the components */

/* A component's description; before the library is initialised, what is known without looking. PAPI_ENOMEM,
 * PAPI_ESYS: what it counts cannot be found out now. Library locked.
 */
int component_info(int index, const PAPI_component_info_t **info, struct reason *why);

/* Brings the description of a component that was switched off up to date. Library locked. */
void component_info_note_disabled(int index);

/* The index of a component's name, or -1. */
int component_by_name(const char *name);

/* ---- the machine */

/* The machine's description, asked for by the first call. PAPI_ENOMEM, PAPI_ESYS: it cannot be read now; the
 * next call tries again. Library locked. */
int hardware_info(const PAPI_hw_info_t **info, struct reason *why);

/* The graphics devices of the machine, base/gpus.h, looked for by the first call that finds any: *n of them.
 * PAPI_ENOMEM, PAPI_ESYS: the kernel's list cannot be read now. Library locked. */
struct gpu;
int gpus_info(const struct gpu **gpus, int *n, struct reason *why);

/* The rate of PAPI_get_real_cyc in kHz; measured by the first call. No lock. */
long long hardware_tick_khz(void);

/* ---- the process */

/* The library's copies of what hardware/hardware.h tells. */

/* The program. PAPI_ENOMEM, PAPI_ENOSUPP. Library locked. */
int process_executable(const PAPI_exe_info_t **info, struct reason *why);

/* The shared libraries that are loaded now. PAPI_ENOMEM. The library is NOT locked. */
int process_libraries(const PAPI_shlib_info_t **info, struct reason *why);

/* Frees all, at the shutdown. The library is locked. */
void process_free(void);

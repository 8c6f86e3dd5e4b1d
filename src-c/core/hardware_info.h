/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PAPI_CORE_HARDWARE_INFO_H
#define PAPI_CORE_HARDWARE_INFO_H

#include "core/library.h"

/* The machine's description, asked for by the first call. PAPI_ENOMEM, PAPI_ESYS: it cannot be read now; the
 * next call tries again. Library locked. */
int hardware_info(const PAPI_hw_info_t **info, struct reason *why);

/* The rate of PAPI_get_real_cyc in kHz; measured by the first call. No lock. */
long long hardware_tick_khz(void);

#endif

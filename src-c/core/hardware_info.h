/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "core/library.h"

/* The machine's description, asked for by the first call. PAPI_ENOMEM, PAPI_ESYS: it cannot be read now; the
 * next call tries again. Library locked. */
int hardware_info(const PAPI_hw_info_t **info, struct reason *why);

/* The rate of PAPI_get_real_cyc in kHz; measured by the first call. No lock. */
long long hardware_tick_khz(void);

/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "core/library.h"

/* The library's copies of what hardware/process.h tells. */

/* The program. PAPI_ENOMEM, PAPI_ENOSUPP. Library locked. */
int process_executable(const PAPI_exe_info_t **info, struct reason *why);

/* The shared libraries that are loaded now. PAPI_ENOMEM. The library is NOT locked. */
int process_libraries(const PAPI_shlib_info_t **info, struct reason *why);

/* At the shutdown. Library locked. */
void process_free(void);

/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PAPI_CORE_PROCESS_H
#define PAPI_CORE_PROCESS_H

#include "core/library.h"

/* The library's copies of what hardware/process.h tells. */

/* The program; NULL with a reason. Library locked. */
const PAPI_exe_info_t *process_executable(struct reason *why);

/* The shared libraries that are loaded now; NULL with a reason. The library is NOT locked. */
const PAPI_shlib_info_t *process_libraries(struct reason *why);

/* At the shutdown. Library locked. */
void process_free(void);

#endif

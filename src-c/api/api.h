/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/likely.h"
#include "core/library.h"

/* Parts that every public function needs: the place of reasons, the lock, and the record of the error. */

static inline struct reason *api_why(void)
{
    return &thread_self()->why;
}

/* Records an error of the calling thread (and prints it while debugging); returns the code. */
int api_failed(int code) __attribute__((cold));

/* Tells the program of the thread's last error, which was recorded while the thread was quiet. */
void api_tell(int code) __attribute__((cold));

/* Returns a result; a negative one is recorded. */
static inline int api_result(int code)
{
    return unlikely(code < 0) ? api_failed(code) : code;
}

/* PAPI_OK, or PAPI_ENOINIT. */
int api_ready(void);

/* PAPI_EINVAL with the words "<what> is NULL". */
int api_null(const char *what) __attribute__((cold));

/* PAPI_OK, or that for a NULL. */
static inline int api_not_null(const void *argument, const char *what)
{
    return likely(argument != NULL) ? PAPI_OK : api_null(what);
}

/* PAPI_OK, or PAPI_ENOCMP: no component has that index. */
int api_component(int cidx);

/* Shared by functions and the options of the same name; the error is not recorded. */
int api_hardware(const PAPI_hw_info_t **info);
int api_component_info(int cidx, const PAPI_component_info_t **info);
int api_substrate(const PAPI_substrate_info_t **info);
int api_executable(const PAPI_exe_info_t **info);
int api_libraries(const PAPI_shlib_info_t **info);
int api_debug(int level, PAPI_debug_handler_t handler);

/* The library's lock stands in statements of their own: library_lock() or api_lock_if_ready() before what
 * needs it, library_unlock() after. A static function of this room whose name ends in _locked is called with
 * it. */

/* Locks the library where it is initialised: PAPI_OK with the lock, or PAPI_ENOINIT without it. */
int api_lock_if_ready(void);

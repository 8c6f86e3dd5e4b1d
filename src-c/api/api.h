/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

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
    return __builtin_expect(code < 0, 0) ? api_failed(code) : code;
}

/* PAPI_OK, or PAPI_ENOINIT. */
int api_ready(void);

/* PAPI_EINVAL with the words "<what> is NULL". */
int api_null(const char *what) __attribute__((cold));

/* PAPI_OK, or that. */
static inline int api_given(const void *argument, const char *what)
{
    return __builtin_expect(argument != NULL, 1) ? PAPI_OK : api_null(what);
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

/* The lock as parts of an expression, a() ?: b() ?: c(), whose value is the first error: what api_unlock is
 * given is computed with the lock, and is its value. */
static inline int api_lock(void)
{
    library_lock();
    return PAPI_OK;
}

static inline int api_unlock(int code)
{
    library_unlock();
    return code;
}

/* Locks the library where it is initialised: PAPI_OK with the lock, or PAPI_ENOINIT without it. */
int api_lock_ready(void);

/* Finds an event set of the calling thread and locks the library: PAPI_OK with the lock, or PAPI_ENOINIT or
 * PAPI_ENOEVST without it. */
int api_lock_set(int es, struct eventset **set);

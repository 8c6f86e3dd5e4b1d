/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PAPI_API_API_H
#define PAPI_API_API_H

#include "core/library.h"

/* What every public function needs: where reasons go, the lock, and the record of the error. */

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

/* PAPI_OK, or PAPI_ENOCMP: no component has that index. */
int api_component(int cidx);

/* What the functions and the options of the same name share; the error is not recorded. */
int api_hardware(const PAPI_hw_info_t **info);
int api_component_info(int cidx, const PAPI_component_info_t **info);
int api_substrate(const PAPI_substrate_info_t **info);
int api_executable(const PAPI_exe_info_t **info);
int api_libraries(const PAPI_shlib_info_t **info);
int api_debug(int level, PAPI_debug_handler_t handler);
/* The code of an event's name; neither is NULL. */
int api_event_code(const char *name, int *code);
/* Of an event's code, with the library locked: its name, valid as long; the component that counts it,
 * once it has a name; and the error for a native event's code that was not given to any. */
int api_event_name(int code, const char **name);
int api_event_component(int code);
int api_unknown_native(int code) __attribute__((cold));

/* For functions without an event set: PAPI_OK with the library locked, or an error without. */
int api_enter(void);

static inline void api_lock(void)
{
    library_lock();
}

static inline void api_unlock(void)
{
    library_unlock();
}

#endif

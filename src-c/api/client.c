/* SPDX-License-Identifier: BSD-3-Clause */
#include "api/client.h"
#include "api/api.h"
#include "core/times.h"

#include <stdarg.h>
#include <stdio.h>

void *_Atomic *client_slot(enum client_use use)
{
    return &papi_library.client[use];
}

void **client_thread_slot(void)
{
    struct papi_thread *self = papi_thread_pointer;
    return self != NULL ? &self->client : NULL;
}

void client_times(long long *cycles, long long *nsec)
{
    times_ticks_and_real(cycles, nsec);
}

bool client_hold_overflows(void)
{
    return library_hold_overflows();
}

void client_release_overflows(bool held)
{
    library_release_overflows(held);
}

bool client_blocks_no_signal(void)
{
    return library_blocks_no_signal();
}

void client_quiet_begin(void)
{
    thread_self()->quiet++;
}

void client_quiet_end(int code)
{
    thread_self()->quiet--;
    if (code != PAPI_OK)
        api_tell(code);
}

int client_failed(int code, const char *format, ...)
{
    char text[sizeof api_why()->text];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return api_failed(reason_set(api_why(), code, "%s", text));
}

int client_null(void)
{
    return client_failed(PAPI_EINVAL, "an argument is NULL");
}

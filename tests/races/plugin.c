/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The library that test_unload loads and unloads: one of a program that is itself not linked with libpapi.
 */
#include "plugin.h"
#include "papi.h"

static int add(int es, const char *event, int *code)
{
    int error = PAPI_event_name_to_code(event, code);
    return error == PAPI_OK ? PAPI_add_event(es, *code) : error;
}

PLUGIN int plugin_count(const char *event, int threshold, int flags, plugin_handler handler)
{
    int es = PAPI_NULL, code, error = PAPI_library_init(PAPI_VER_CURRENT);
    if (error != PAPI_VER_CURRENT)
        return error;
    error = PAPI_create_eventset(&es);
    if (error == PAPI_OK)
        error = add(es, event, &code);
    if (error == PAPI_OK)
        error = PAPI_overflow(es, code, threshold, flags, handler);
    if (error == PAPI_OK)
        error = PAPI_start(es);
    return error == PAPI_OK ? es : error;
}

PLUGIN int plugin_stop(int es)
{
    long long value;
    int error = PAPI_stop(es, &value);
    return error == PAPI_ECLOST ? PAPI_OK : error;
}

PLUGIN void plugin_shutdown(void)
{
    PAPI_shutdown();
}

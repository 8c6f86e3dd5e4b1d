/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A library for dlopen, which registers its events as it is loaded, and for the hook. With CLEAN it
 * unregisters them as it is unloaded.
 */
#include "sde_lib.h"

static long long loads = 40;
static double level = 0.5;

papi_handle_t papi_sde_hook_list_events(papi_sde_fptr_struct_t *sde)
{
    papi_handle_t handle = sde->init("hooked");
    void *recorder;
    sde->register_counter(handle, "loads", PAPI_SDE_RO | PAPI_SDE_DELTA, PAPI_SDE_long_long, &loads);
    sde->describe_counter(handle, "loads", "What the plugin loaded");
    sde->create_recorder(handle, "sizes", sizeof(double), papi_sde_compare_double, &recorder);
    return handle;
}

static __attribute__((constructor)) void loaded(void)
{
    papi_handle_t handle = papi_sde_init(PLUGIN);
    papi_sde_register_counter(handle, "loads", PAPI_SDE_RO | PAPI_SDE_DELTA, PAPI_SDE_long_long, &loads);
    papi_sde_register_counter(handle, "level", PAPI_SDE_RO | PAPI_SDE_INSTANT, PAPI_SDE_double, &level);
    loads += 2;
}

void plugin_step(void);
void plugin_step(void)
{
    loads += 5;
    level *= 2;
}

#ifdef CLEAN
static __attribute__((destructor)) void unloaded(void)
{
    papi_sde_shutdown(papi_sde_init(PLUGIN));
}
#endif

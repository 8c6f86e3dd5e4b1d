/* SPDX-License-Identifier: BSD-3-Clause */
#include "api/api.h"
#include "base/nearest.h"
#include "core/descriptions.h"
#include "core/resolve.h"
#include "hardware/hardware.h"

int api_hardware(const PAPI_hw_info_t **info)
{
    int code = api_lock_if_ready();
    if (code == PAPI_OK) {
        code = hardware_info(info, api_why());
        library_unlock();
    }
    return code;
}

const PAPI_hw_info_t *PAPI_get_hardware_info(void)
{
    const PAPI_hw_info_t *info = NULL;
    api_result(api_hardware(&info));
    return info;
}

static int count_counters_locked(int cidx)
{
    const struct component_state *state;
    return component_found_out(cidx, &state, api_why()) ?: state->n_hardware_counters;
}

int PAPI_num_cmp_hwctrs(int cidx)
{
    int code = api_lock_if_ready();
    if (code == PAPI_OK) {
        code = api_component(cidx) ?: count_counters_locked(cidx);
        library_unlock();
    }
    return api_result(code);
}

int PAPI_num_hwctrs(void)
{
    int code = api_lock_if_ready();
    if (code == PAPI_OK) {
        code = count_counters_locked(processor_component());
        library_unlock();
    }
    return api_result(code);
}

int PAPI_num_components(void)
{
    return component_count();
}

int api_component_info(int cidx, const PAPI_component_info_t **info)
{
    int code = api_component(cidx);
    if (code == PAPI_OK) {
        library_lock();
        code = component_info(cidx, info, api_why());
        library_unlock();
    }
    return code;
}

const PAPI_component_info_t *PAPI_get_component_info(int cidx)
{
    const PAPI_component_info_t *info = NULL;
    api_result(api_component_info(cidx, &info));
    return info;
}

int api_substrate(const PAPI_substrate_info_t **info)
{
    int code = api_lock_if_ready();
    if (code == PAPI_OK) {
        code = component_info(processor_component(), info, api_why());
        library_unlock();
    }
    return code;
}

const PAPI_substrate_info_t *PAPI_get_substrate_info(void)
{
    const PAPI_substrate_info_t *info = NULL;
    api_result(api_substrate(&info));
    return info;
}

static int unknown_component(const char *name)
{
    struct nearest nearest;
    char near[NEAREST_TEXT];
    nearest_begin(&nearest, name);
    for (int i = 0; i < component_count(); i++)
        nearest_try(&nearest, components[i]->name);
    return reason_set(api_why(), PAPI_ENOCMP,
                      "there is no component \"%.60s\"%s; papi_component_avail lists them", name,
                      nearest_text(&nearest, near));
}

/* The index of a component's name, or an error. Needs no library. */
static int component_index(const char *name)
{
    int code = api_not_null(name, "the component's name"), index = code ?: component_by_name(name);
    return code == PAPI_OK && index < 0 ? unknown_component(name) : index;
}

int PAPI_get_component_index(const char *name)
{
    return api_result(api_ready() ?: component_index(name));
}

/* Switches a component off, unless another thread has initialised the library meanwhile. */
static int disable_locked(int cidx)
{
    if (library_ready())
        return reason_set(
            api_why(), PAPI_ENOINIT,
            "component %s cannot be switched off any more, since PAPI_library_init has been called: do it "
            "before that, or after PAPI_shutdown",
            components[cidx]->name);
    papi_library.disabled[cidx] = 1;
    /* Updates the description in place: callers that hold a pointer to it see the change. */
    if (papi_library.component_info[cidx] != NULL)
        component_info_note_disabled(cidx);
    return PAPI_OK;
}

int PAPI_disable_component(int cidx)
{
    int code = api_component(cidx);
    if (code == PAPI_OK) {
        library_lock();
        code = disable_locked(cidx);
        library_unlock();
    }
    return api_result(code);
}

int PAPI_disable_component_by_name(const char *name)
{
    int index = component_index(name);
    return index < 0 ? api_failed(index) : PAPI_disable_component(index);
}

/* ---- the process */

static int memory(PAPI_dmem_info_t *info)
{
    PAPI_dmem_info_t found;
    if (memory_fill(papi_library.root, &found) != 0)
        return reason_set(api_why(), PAPI_ESYS,
                          "%.200s/proc/self/status tells nothing of memory; is /proc mounted?",
                          papi_library.root);
    *info = found;
    return PAPI_OK;
}

int PAPI_get_dmem_info(PAPI_dmem_info_t *info)
{
    return api_result(api_ready() ?: api_not_null(info, "the memory information") ?: memory(info));
}

int api_executable(const PAPI_exe_info_t **info)
{
    int code = api_lock_if_ready();
    if (code == PAPI_OK) {
        code = process_executable(info, api_why());
        library_unlock();
    }
    return code;
}

const PAPI_exe_info_t *PAPI_get_executable_info(void)
{
    const PAPI_exe_info_t *info = NULL;
    api_result(api_executable(&info));
    return info;
}

int api_libraries(const PAPI_shlib_info_t **info)
{
    return api_ready() ?: process_libraries(info, api_why());
}

const PAPI_shlib_info_t *PAPI_get_shared_lib_info(void)
{
    const PAPI_shlib_info_t *info = NULL;
    api_result(api_libraries(&info));
    return info;
}

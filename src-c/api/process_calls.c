/* SPDX-License-Identifier: BSD-3-Clause */
#include "api/api.h"
#include "core/process_info.h"
#include "hardware/process.h"

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
    return api_result(api_ready() ?: api_given(info, "the memory information") ?: memory(info));
}

int api_executable(const PAPI_exe_info_t **info)
{
    return api_enter() ?: api_unlock(process_executable(info, api_why()));
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

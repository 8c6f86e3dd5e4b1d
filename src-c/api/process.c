/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/process.h"
#include "api/api.h"
#include "hardware/process.h"

#include <string.h>

static int memory(PAPI_dmem_info_t *info)
{
    PAPI_dmem_info_t found;
    if (info == NULL)
        return api_null("the memory information");
    if (memory_fill(papi_library.root, &found) != 0)
        return reason_set(api_why(), PAPI_ESYS,
                          "%.200s/proc/self/status tells nothing of memory; is /proc mounted?",
                          papi_library.root);
    *info = found;
    return PAPI_OK;
}

int PAPI_get_dmem_info(PAPI_dmem_info_t *info)
{
    int code = api_ready();
    return api_result(code == PAPI_OK ? memory(info) : code);
}

int api_executable(const PAPI_exe_info_t **info)
{
    int code = api_enter();
    *info = NULL;
    if (code != PAPI_OK)
        return code;
    *info = process_executable(api_why());
    api_unlock();
    return *info != NULL ? PAPI_OK : api_why()->code;
}

const PAPI_exe_info_t *PAPI_get_executable_info(void)
{
    const PAPI_exe_info_t *info;
    api_result(api_executable(&info));
    return info;
}

int api_libraries(const PAPI_shlib_info_t **info)
{
    int code = api_ready();
    *info = code == PAPI_OK ? process_libraries(api_why()) : NULL;
    return *info != NULL ? PAPI_OK : api_why()->code;
}

const PAPI_shlib_info_t *PAPI_get_shared_lib_info(void)
{
    const PAPI_shlib_info_t *info;
    api_result(api_libraries(&info));
    return info;
}

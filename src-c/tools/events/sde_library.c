/* SPDX-License-Identifier: BSD-3-Clause */
#include "sde_library.h"
#include "papi.h"
#include "sde/sde_lib.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* A file of this folder is meant before a library of that name. */
static void *open_library(const char *file)
{
    char here[PAPI_HUGE_STR_LEN];
    bool plain = strchr(file, '/') == NULL && access(file, F_OK) == 0;
    if (plain && snprintf(here, sizeof here, "./%s", file) < (int)sizeof here)
        file = here;
    return dlopen(file, RTLD_LAZY | RTLD_LOCAL);
}

static void call_hook(void *symbol)
{
    papi_handle_t (*hook)(papi_sde_fptr_struct_t *);
    papi_sde_fptr_struct_t functions;
    memcpy(&hook, &symbol, sizeof hook);
    POPULATE_SDE_FPTR_STRUCT(functions);
    hook(&functions);
}

int sde_load(struct tool *tool, const char *file)
{
    void *library = open_library(file);
    if (library == NULL)
        return tool_error(tool, "cannot load %s: %s", file, dlerror());
    void *hook = dlsym(library, "papi_sde_hook_list_events");
    if (hook != NULL)
        call_hook(hook);
    const PAPI_component_info_t *component = PAPI_get_component_info(PAPI_get_component_index("sde"));
    if (hook == NULL && (component == NULL || component->num_native_events == 0))
        return tool_error(
            tool, "%s has no function papi_sde_hook_list_events, and registers no events as it is loaded",
            file);
    return TOOL_FINE;
}

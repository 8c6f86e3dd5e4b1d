/* SPDX-License-Identifier: BSD-3-Clause */
#include "api/api.h"
#include "core/eventset.h"
#include "core/handles.h"
#include "core/machine.h"
#include "core/resolve.h"

/* ------------------------------------------------------- domain, granularity */

static int check_domain(int domain)
{
    if (domain & ~PAPI_DOM_ALL || domain == 0)
        return reason_set(api_why(), PAPI_EINVAL, "0x%x is no domain", (unsigned)domain);
    /* PAPI_DOM_ALL means all that there are; PAPI_DOM_OTHER alone is nothing that Linux tells apart. */
    if ((domain & components[0]->available_domains) == 0)
        return reason_set(api_why(), PAPI_EINVAL_DOM, "the kernel does not tell the domain 0x%x apart",
                          (unsigned)domain);
    return PAPI_OK;
}

static int check_granularity(int granularity)
{
    if (granularity == PAPI_GRN_THR)
        return PAPI_OK;
    bool known = granularity > 0 && granularity <= PAPI_GRN_MAX && (granularity & (granularity - 1)) == 0;
    return reason_set(api_why(), known ? PAPI_ECMP : PAPI_EINVAL,
                      known ? "event sets count for a thread (PAPI_GRN_THR)" : "0x%x is no granularity",
                      (unsigned)granularity);
}

static int set_default_domain(int domain, int cidx)
{
    int code = api_ready();
    if (code == PAPI_OK)
        code = api_component(cidx);
    if (code == PAPI_OK)
        code = check_domain(domain);
    if (code == PAPI_OK)
        papi_library.default_domain = domain;
    return code;
}

int PAPI_set_cmp_domain(int domain, int cidx)
{
    return api_result(set_default_domain(domain, cidx));
}

int PAPI_set_domain(int domain)
{
    return PAPI_set_cmp_domain(domain, 0);
}

static int set_default_granularity(int granularity, int cidx)
{
    int code = api_ready();
    if (code == PAPI_OK)
        code = api_component(cidx);
    return code == PAPI_OK ? check_granularity(granularity) : code;
}

int PAPI_set_cmp_granularity(int granularity, int cidx)
{
    return api_result(set_default_granularity(granularity, cidx));
}

int PAPI_set_granularity(int granularity)
{
    return PAPI_set_cmp_granularity(granularity, 0);
}

/* --------------------------------------------------------------------- options */

enum { NO_COMPONENT = -1 }; /* of PAPI_get_opt */

static int get_component(PAPI_option_t *ptr, int cidx)
{
    const PAPI_component_info_t *info;
    int code = cidx == NO_COMPONENT ? api_substrate(&info) : api_component_info(cidx, &info);
    if (code == PAPI_OK)
        ptr->cmp_info = (PAPI_component_info_t *)info;
    return code;
}

static int get_process(int option, PAPI_option_t *ptr)
{
    static const PAPI_preload_info_t preload = {"LD_PRELOAD", ' ', "LD_LIBRARY_PATH", ':'};
    const PAPI_exe_info_t *program;
    const PAPI_shlib_info_t *libraries;
    int code = PAPI_OK;
    if (option == PAPI_PRELOAD)
        ptr->preload = preload;
    else if (option == PAPI_EXEINFO && (code = api_executable(&program)) == PAPI_OK)
        ptr->exe_info = (PAPI_exe_info_t *)program;
    else if (option == PAPI_SHLIBINFO && (code = api_libraries(&libraries)) == PAPI_OK)
        ptr->shlib_info = (PAPI_shlib_info_t *)libraries;
    return code;
}

static int get_machine(int option, PAPI_option_t *ptr)
{
    const PAPI_hw_info_t *info;
    int code = api_hardware(&info);
    if (code != PAPI_OK)
        return code;
    if (option == PAPI_CLOCKRATE)
        return (int)info->mhz;
    if (option == PAPI_MAX_CPUS)
        return info->totalcpus;
    ptr->hw_info = (PAPI_hw_info_t *)info;
    return PAPI_OK;
}

static int get_of_set(int option, PAPI_option_t *ptr)
{
    struct eventset *set;
    int code = handle_find(option == PAPI_DOMAIN ? ptr->domain.eventset : ptr->granularity.eventset, &set);
    if (code != PAPI_OK)
        return code;
    if (option == PAPI_DOMAIN)
        ptr->domain.domain = set->domain;
    else
        ptr->granularity.granularity = PAPI_GRN_THR;
    return PAPI_OK;
}

static int get_debug(PAPI_option_t *ptr)
{
    ptr->debug.level = papi_library.debug;
    ptr->debug.handler = papi_library.debug_handler;
    return PAPI_OK;
}

static bool fills_structure(int option)
{
    return option == PAPI_DOMAIN || option == PAPI_GRANUL || option == PAPI_DEBUG || option == PAPI_HWINFO ||
           option == PAPI_COMPONENTINFO || option == PAPI_PRELOAD || option == PAPI_EXEINFO ||
           option == PAPI_SHLIBINFO;
}

static int get_option(int option, PAPI_option_t *ptr, int cidx)
{
    switch (option) {
    case PAPI_LIB_VERSION:
        return PAPI_VERSION;
    case PAPI_MAX_HWCTRS:
        return PAPI_num_cmp_hwctrs(cidx);
    case PAPI_MAX_MPX_CTRS:
        return components[cidx == NO_COMPONENT ? 0 : cidx]->max_multiplexed;
    case PAPI_DEFDOM:
        return papi_library.default_domain;
    case PAPI_DEFGRN:
        return PAPI_GRN_THR;
    case PAPI_CLOCKRATE:
    case PAPI_MAX_CPUS:
    case PAPI_HWINFO:
        return get_machine(option, ptr);
    case PAPI_DOMAIN:
    case PAPI_GRANUL:
        return get_of_set(option, ptr);
    case PAPI_DEBUG:
        return get_debug(ptr);
    case PAPI_COMPONENTINFO:
        return get_component(ptr, cidx);
    case PAPI_PRELOAD:
    case PAPI_EXEINFO:
    case PAPI_SHLIBINFO:
        return get_process(option, ptr);
    default:
        return reason_set(api_why(), PAPI_EINVAL, "%d is no option that can be read", option);
    }
}

int PAPI_get_opt(int option, PAPI_option_t *ptr)
{
    /* The debug level may be asked for before PAPI_library_init, as it may be set. */
    int code = option == PAPI_DEBUG ? PAPI_OK : api_ready();
    if (code == PAPI_OK && ptr == NULL && fills_structure(option))
        code = api_null("the option's structure");
    if (code == PAPI_OK && option == PAPI_MAX_HWCTRS)
        return PAPI_num_hwctrs();
    return api_result(code == PAPI_OK ? get_option(option, ptr, NO_COMPONENT) : code);
}

int PAPI_get_cmp_opt(int option, PAPI_option_t *ptr, int cidx)
{
    int code = api_ready();
    if (code == PAPI_OK)
        code = api_component(cidx);
    if (code == PAPI_OK && ptr == NULL && fills_structure(option))
        code = api_null("the option's structure");
    if (code == PAPI_OK && option != PAPI_DEFDOM && option != PAPI_DEFGRN && option != PAPI_MAX_HWCTRS &&
        option != PAPI_MAX_MPX_CTRS && option != PAPI_COMPONENTINFO)
        code = reason_set(api_why(), PAPI_EINVAL, "%d is no option of a component", option);
    return api_result(code == PAPI_OK ? get_option(option, ptr, cidx) : code);
}

static int set_of_set(int option, const PAPI_option_t *ptr)
{
    struct eventset *set;
    int code = handle_find(option == PAPI_DOMAIN ? ptr->domain.eventset : ptr->granularity.eventset, &set);
    if (code != PAPI_OK)
        return code;
    if (set->state == PAPI_RUNNING)
        return reason_set(api_why(), PAPI_EISRUN, "event set %d is running; stop it first", set->handle);
    if (option == PAPI_GRANUL)
        return check_granularity(ptr->granularity.granularity);
    code = check_domain(ptr->domain.domain);
    if (code != PAPI_OK)
        return code;
    api_lock();
    code = eventset_set_domain(set, ptr->domain.domain, api_why());
    api_unlock();
    return code;
}

static int set_option(int option, const PAPI_option_t *ptr)
{
    switch (option) {
    case PAPI_DEFDOM:
        return set_default_domain(ptr->defdomain.domain, ptr->defdomain.def_cidx);
    case PAPI_DEFGRN:
        return set_default_granularity(ptr->defgranularity.granularity, ptr->defgranularity.def_cidx);
    case PAPI_DOMAIN:
    case PAPI_GRANUL:
        return set_of_set(option, ptr);
    case PAPI_DEBUG:
        return api_debug(ptr->debug.level, ptr->debug.handler);
    default:
        return reason_set(api_why(), PAPI_EINVAL, "%d is no option that can be set", option);
    }
}

int PAPI_set_opt(int option, PAPI_option_t *ptr)
{
    int code = option == PAPI_DEBUG ? PAPI_OK : api_ready();
    if (code == PAPI_OK && ptr == NULL)
        code = api_null("the option's structure");
    return api_result(code == PAPI_OK ? set_option(option, ptr) : code);
}

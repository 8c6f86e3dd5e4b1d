/* SPDX-License-Identifier: BSD-3-Clause */
#include "api/api.h"
#include "api/set_options.h"
#include "base/sysroot.h"
#include "core/define.h"
#include "core/overflow.h"
#include "core/resolve.h"

#include <sys/time.h>

/* ------------------------------------------------------- domain, granularity */

static int set_default_domain(int domain, int cidx)
{
    int code = api_ready() ?: api_component(cidx) ?: set_options_check_domain(domain);
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
    return api_ready() ?: api_component(cidx) ?: set_options_check_granularity(granularity);
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

/* The timer of overflows by software. */
static int get_timer(PAPI_option_t *ptr)
{
    ptr->itimer = (PAPI_itimer_option_t){
        .itimer_num = ITIMER_PROF, .itimer_sig = OVERFLOW_SIGNAL, .ns = SOFTWARE_OVERFLOW_NSEC};
    return PAPI_OK;
}

/* Those that fill a structure. */
static int fill_option(int option, PAPI_option_t *ptr, int cidx)
{
    switch (option) {
    case PAPI_DEF_MPX_NS:
        return set_options_get_interval(cidx == NO_COMPONENT ? COMPONENT_PERF_EVENT : cidx, ptr);
    case PAPI_DEF_ITIMER:
    case PAPI_DEF_ITIMER_NS:
        return get_timer(ptr);
    case PAPI_HWINFO:
        return api_hardware((const PAPI_hw_info_t **)&ptr->hw_info);
    case PAPI_DEBUG:
        ptr->debug = (PAPI_debug_option_t){papi_library.debug, papi_library.debug_handler};
        return PAPI_OK;
    case PAPI_COMPONENTINFO:
        if (cidx == NO_COMPONENT)
            return api_substrate((const PAPI_substrate_info_t **)&ptr->cmp_info);
        return api_component_info(cidx, (const PAPI_component_info_t **)&ptr->cmp_info);
    case PAPI_PRELOAD:
        ptr->preload = (PAPI_preload_info_t){"LD_PRELOAD", ' ', "LD_LIBRARY_PATH", ':'};
        return PAPI_OK;
    case PAPI_EXEINFO:
        return api_executable((const PAPI_exe_info_t **)&ptr->exe_info);
    case PAPI_SHLIBINFO:
        return api_libraries((const PAPI_shlib_info_t **)&ptr->shlib_info);
    default:
        if (set_options_has(option))
            return set_options_get(option, ptr);
        return reason_set(api_why(), PAPI_EINVAL, "%d is not an option that can be read", option);
    }
}

static int get_option(int option, PAPI_option_t *ptr, int cidx)
{
    const PAPI_hw_info_t *machine;
    switch (option) {
    case PAPI_LIB_VERSION:
        return PAPI_VERSION;
    case PAPI_MAX_MPX_CTRS:
        return MAX_COUNTERS;
    case PAPI_DEFDOM:
        return papi_library.default_domain;
    case PAPI_DEFGRN:
        return PAPI_GRN_THR;
    case PAPI_CLOCKRATE:
        return api_hardware(&machine) ?: (int)machine->mhz;
    case PAPI_MAX_CPUS:
        return api_hardware(&machine) ?: machine->totalcpus;
    default:
        return api_given(ptr, "the option's structure") ?: fill_option(option, ptr, cidx);
    }
}

int PAPI_get_opt(int option, PAPI_option_t *ptr)
{
    if (option == PAPI_MAX_HWCTRS)
        return PAPI_num_hwctrs();
    /* The debug level may be asked for before PAPI_library_init, as it may be set. */
    int code = option == PAPI_DEBUG ? PAPI_OK : api_ready();
    return api_result(code ?: get_option(option, ptr, NO_COMPONENT));
}

static int check_component_option(int option)
{
    if (option == PAPI_DEFDOM || option == PAPI_DEFGRN || option == PAPI_MAX_MPX_CTRS ||
        option == PAPI_DEF_MPX_NS || option == PAPI_COMPONENTINFO)
        return PAPI_OK;
    return reason_set(api_why(), PAPI_EINVAL, "%d is not an option of a component", option);
}

int PAPI_get_cmp_opt(int option, PAPI_option_t *ptr, int cidx)
{
    if (option == PAPI_MAX_HWCTRS)
        return PAPI_num_cmp_hwctrs(cidx);
    int code = api_ready() ?: api_component(cidx) ?: check_component_option(option);
    return api_result(code ?: get_option(option, ptr, cidx));
}

static int set_turn(const PAPI_option_t *ptr)
{
    PAPI_option_t now = *ptr;
    int code = set_options_get_interval(COMPONENT_PERF_EVENT, &now);
    if (code != PAPI_OK || ptr->multiplex.ns == now.multiplex.ns)
        return code;
    return reason_set(api_why(), PAPI_ECMP,
                      "the kernel multiplexes, and its turns are the same for all programs: as root, change "
                      "perf_event_mux_interval_ms in " SYSROOT_PMUS "/*");
}

static int set_timer(int option, const PAPI_option_t *ptr)
{
    PAPI_option_t now;
    get_timer(&now);
    if (option == PAPI_DEF_ITIMER_NS ? ptr->itimer.ns == now.itimer.ns
                                     : ptr->itimer.itimer_num == now.itimer.itimer_num &&
                                           ptr->itimer.itimer_sig == now.itimer.itimer_sig)
        return PAPI_OK;
    return reason_set(api_why(), PAPI_ECMP,
                      "overflows by software come from a timer of each thread's CPU time (ITIMER_PROF), with "
                      "signal %d every %d ns, and from no other",
                      now.itimer.itimer_sig, now.itimer.ns);
}

static int set_option(int option, const PAPI_option_t *ptr)
{
    int code;
    switch (option) {
    case PAPI_USER_EVENTS_FILE:
        code = api_given(ptr->events_file, "events_file") ?: api_lock();
        return code ?: api_unlock(library_read_events(ptr->events_file, api_why()));
    case PAPI_DEFDOM:
        return set_default_domain(ptr->defdomain.domain, ptr->defdomain.def_cidx);
    case PAPI_DEFGRN:
        return set_default_granularity(ptr->defgranularity.granularity, ptr->defgranularity.def_cidx);
    case PAPI_DEF_MPX_NS:
        return set_turn(ptr);
    case PAPI_DEF_ITIMER:
    case PAPI_DEF_ITIMER_NS:
        return set_timer(option, ptr);
    case PAPI_DEBUG:
        return api_debug(ptr->debug.level, ptr->debug.handler);
    default:
        if (set_options_has(option))
            return set_options_set(option, ptr);
        return reason_set(api_why(), PAPI_EINVAL, "%d is not an option that can be set", option);
    }
}

int PAPI_set_opt(int option, PAPI_option_t *ptr)
{
    int code = option == PAPI_DEBUG ? PAPI_OK : api_ready();
    return api_result(code ?: api_given(ptr, "the option's structure") ?: set_option(option, ptr));
}

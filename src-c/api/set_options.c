/* SPDX-License-Identifier: BSD-3-Clause */
#include "api/set_options.h"
#include "api/api.h"
#include "core/eventset.h"
#include "core/handles.h"
#include "core/resolve.h"

#include <string.h>

/* --------------------------------------------------------------------- checks */

int set_options_check_domain(int domain)
{
    if (domain & ~PAPI_DOM_ALL || domain == 0)
        return reason_set(api_why(), PAPI_EINVAL, "0x%x is not a domain", (unsigned)domain);
    /* PAPI_DOM_ALL means all that there are; PAPI_DOM_OTHER alone is nothing that Linux tells apart. */
    if ((domain & components[0]->available_domains) == 0)
        return reason_set(api_why(), PAPI_EINVAL_DOM, "the kernel does not tell the domain 0x%x apart",
                          (unsigned)domain);
    return PAPI_OK;
}

int set_options_check_granularity(int granularity)
{
    if (granularity == PAPI_GRN_THR)
        return PAPI_OK;
    bool known = granularity > 0 && granularity <= PAPI_GRN_MAX && (granularity & (granularity - 1)) == 0;
    if (!known)
        return reason_set(api_why(), PAPI_EINVAL, "0x%x is not a granularity", (unsigned)granularity);
    if (granularity == PAPI_GRN_SYS_CPU || granularity == PAPI_GRN_SYS)
        return reason_set(
            api_why(), PAPI_ECMP,
            "a whole CPU is counted by an event set that PAPI_set_opt(PAPI_CPU_ATTACH) gives the "
            "number of the CPU, and the machine by one event set for each");
    return reason_set(
        api_why(), PAPI_ECMP,
        "event sets count for a thread (PAPI_GRN_THR); with PAPI_INHERIT, also for those that it "
        "starts");
}

/* ------------------------------------------------------------------- the options */

/* Where the structure of an option of event sets has the set's handle, and 1; 0: it is another option. */
static const unsigned char handle_places[] = {
    [PAPI_DOMAIN] = 1 + offsetof(PAPI_option_t, domain.eventset),
    [PAPI_GRANUL] = 1 + offsetof(PAPI_option_t, granularity.eventset),
    [PAPI_MULTIPLEX] = 1 + offsetof(PAPI_option_t, multiplex.eventset),
    [PAPI_ATTACH] = 1 + offsetof(PAPI_option_t, attach.eventset),
    [PAPI_DETACH] = 1 + offsetof(PAPI_option_t, attach.eventset),
    [PAPI_CPU_ATTACH] = 1 + offsetof(PAPI_option_t, cpu.eventset),
    [PAPI_INHERIT] = 1 + offsetof(PAPI_option_t, inherit.eventset),
    [PAPI_DATA_ADDRESS] = 1 + offsetof(PAPI_option_t, addr.eventset),
    [PAPI_INSTR_ADDRESS] = 1 + offsetof(PAPI_option_t, addr.eventset),
};

bool set_options_has(int option)
{
    return option >= 0 && option < (int)sizeof handle_places && handle_places[option] != 0;
}

static int find_set(int option, const PAPI_option_t *ptr, struct eventset **set)
{
    int handle;
    memcpy(&handle, (const char *)ptr + handle_places[option] - 1, sizeof handle);
    return handle_find(handle, set);
}

static int no_address_ranges(void)
{
    return reason_set(api_why(), PAPI_ECMP,
                      "no processor that Linux counts on restricts counting to a range of addresses");
}

int set_options_get_interval(int component, PAPI_option_t *ptr)
{
    const struct component_state *state;
    api_lock();
    int code = api_unlock(component_found_out(component, &state, api_why()));
    if (code != PAPI_OK)
        return code;
    ptr->multiplex.ns = state->turn_ns;
    ptr->multiplex.flags = PAPI_MULTIPLEX_DEFAULT;
    return PAPI_OK;
}

/* Of a set that is attached to nothing. */
static int granularity_of(const struct eventset *set)
{
    int granularity = set->component >= 0 ? components[set->component]->granularity : 0;
    return granularity != 0 ? granularity : PAPI_GRN_THR;
}

int set_options_get(int option, PAPI_option_t *ptr)
{
    struct eventset *set;
    int code = find_set(option, ptr, &set);
    if (code != PAPI_OK)
        return code;
    switch (option) {
    case PAPI_DOMAIN:
        ptr->domain.domain = set->options.domain;
        return PAPI_OK;
    case PAPI_GRANUL:
        ptr->granularity.granularity = set->options.whole_cpu ? PAPI_GRN_SYS_CPU : granularity_of(set);
        return PAPI_OK;
    case PAPI_MULTIPLEX:
        return set_options_get_interval(set->component >= 0 ? set->component : 0, ptr)
                   ?: set->options.multiplex;
    case PAPI_ATTACH:
    case PAPI_DETACH:
        ptr->attach.tid = (unsigned long)set->options.target;
        return (set->options.target != 0) == (option == PAPI_ATTACH);
    case PAPI_CPU_ATTACH:
        ptr->cpu.cpu_num = (unsigned)set->options.cpu;
        return set->options.whole_cpu;
    case PAPI_INHERIT:
        ptr->inherit.inherit = set->options.inherit ? PAPI_INHERIT_ALL : PAPI_INHERIT_NONE;
        return PAPI_OK;
    default:
        return no_address_ranges();
    }
}

/* The granularity of a set that is attached to a CPU is the CPU's until it is the thread's again. */
static int change_granularity(struct group_options *options, int granularity)
{
    if (granularity == PAPI_GRN_SYS_CPU && options->whole_cpu)
        return PAPI_OK;
    int code = set_options_check_granularity(granularity);
    if (code == PAPI_OK)
        options->whole_cpu = false;
    return code;
}

static int change_multiplex(struct group_options *options, int flags)
{
    if (flags == PAPI_MULTIPLEX_FORCE_SW)
        return reason_set(
            api_why(), PAPI_ENOSUPP,
            "the kernel multiplexes; there is no multiplexing by software (PAPI_MULTIPLEX_FORCE_SW)");
    if (flags != PAPI_MULTIPLEX_DEFAULT)
        return reason_set(api_why(), PAPI_EINVAL, "0x%x is not a flag of multiplexing", (unsigned)flags);
    if (options->multiplex)
        return reason_set(api_why(), PAPI_EINVAL, "the event set is multiplexed already");
    options->multiplex = true;
    return PAPI_OK;
}

static int change_target(struct group_options *options, unsigned long tid)
{
    if (tid == 0 || tid > INT_MAX)
        return reason_set(
            api_why(), PAPI_EINVAL,
            "%lu is not the number of a thread: the kernel's is meant (of gettid() or fork(), not of "
            "pthread_self())",
            tid);
    options->target = (int)tid;
    return PAPI_OK;
}

static int detach(struct group_options *options)
{
    if (options->target == 0 && !options->whole_cpu)
        return reason_set(api_why(), PAPI_EINVAL, "the event set is not attached");
    options->target = 0;
    options->whole_cpu = false;
    return PAPI_OK;
}

static int change_cpu(struct group_options *options, unsigned cpu)
{
    if (cpu > INT_MAX)
        return reason_set(api_why(), PAPI_EINVAL, "%u is not the number of a CPU", cpu);
    options->whole_cpu = true;
    options->cpu = (int)cpu;
    return PAPI_OK;
}

static int check_inherit(int inherit)
{
    if (inherit == PAPI_INHERIT_ALL || inherit == PAPI_INHERIT_NONE)
        return PAPI_OK;
    return reason_set(api_why(), PAPI_EINVAL, "%d is neither PAPI_INHERIT_ALL nor PAPI_INHERIT_NONE",
                      inherit);
}

static int change(int option, const PAPI_option_t *ptr, struct group_options *options)
{
    switch (option) {
    case PAPI_DOMAIN:
        options->domain = ptr->domain.domain;
        return set_options_check_domain(options->domain);
    case PAPI_GRANUL:
        return change_granularity(options, ptr->granularity.granularity);
    case PAPI_MULTIPLEX:
        return change_multiplex(options, ptr->multiplex.flags);
    case PAPI_ATTACH:
        return change_target(options, ptr->attach.tid);
    case PAPI_DETACH:
        return detach(options);
    case PAPI_CPU_ATTACH:
        return change_cpu(options, ptr->cpu.cpu_num);
    case PAPI_INHERIT:
        options->inherit = ptr->inherit.inherit == PAPI_INHERIT_ALL;
        return check_inherit(ptr->inherit.inherit);
    default:
        return no_address_ranges();
    }
}

/* Of the event sets made from now on. */
static int set_default_inherit(int inherit)
{
    int code = check_inherit(inherit);
    if (code == PAPI_OK)
        papi_library.default_inherit = inherit;
    return code;
}

int set_options_set(int option, const PAPI_option_t *ptr)
{
    struct eventset *set;
    if (option == PAPI_INHERIT && ptr->inherit.eventset == PAPI_NULL)
        return set_default_inherit(ptr->inherit.inherit);
    int code = find_set(option, ptr, &set);
    if (code != PAPI_OK)
        return code;
    if (set->state == PAPI_RUNNING)
        return eventset_is_running(set, api_why());
    if (option == PAPI_GRANUL && ptr->granularity.granularity == granularity_of(set) &&
        granularity_of(set) != PAPI_GRN_THR)
        return PAPI_OK; /* as its component counts anyway */
    struct group_options options = set->options;
    code = change(option, ptr, &options);
    return code ?: api_lock() ?: api_unlock(eventset_set_options(set, &options, api_why()));
}

/* ------------------------------------------------- the options' own functions */

int PAPI_multiplex_init(void)
{
    return api_result(api_ready());
}

int PAPI_set_multiplex(int es)
{
    PAPI_option_t option = {.multiplex = {.eventset = es, .flags = PAPI_MULTIPLEX_DEFAULT}};
    return PAPI_set_opt(PAPI_MULTIPLEX, &option);
}

int PAPI_get_multiplex(int es)
{
    PAPI_option_t option = {.multiplex = {.eventset = es}};
    return PAPI_get_opt(PAPI_MULTIPLEX, &option);
}

int PAPI_attach(int es, unsigned long tid)
{
    PAPI_option_t option = {.attach = {.eventset = es, .tid = tid}};
    return PAPI_set_opt(PAPI_ATTACH, &option);
}

int PAPI_detach(int es)
{
    PAPI_option_t option = {.attach = {.eventset = es}};
    return PAPI_set_opt(PAPI_DETACH, &option);
}

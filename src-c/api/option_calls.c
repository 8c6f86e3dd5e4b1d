/* SPDX-License-Identifier: BSD-3-Clause */
#include "api/api.h"
#include "base/sysroot.h"
#include "base/task_stat.h"
#include "core/eventset.h"
#include "core/handles.h"
#include "core/overflow.h"
#include "core/resolve.h"
#include "hardware/cgroups.h"

#include <string.h>
#include <sys/time.h>
#include <unistd.h>

/* ---- checks */

static int check_domain(int domain)
{
    if (domain & ~PAPI_DOM_ALL || domain == 0)
        return reason_set(api_why(), PAPI_EINVAL, "0x%x is not a domain", (unsigned)domain);
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

/* ---- the options of one event set */

/* Offset of the set's handle in the structure of an option of event sets, and 1; 0: it is another option. */
static const unsigned char handle_places[] = {
    [PAPI_DOMAIN] = 1 + offsetof(PAPI_option_t, domain.eventset),
    [PAPI_GRANUL] = 1 + offsetof(PAPI_option_t, granularity.eventset),
    [PAPI_MULTIPLEX] = 1 + offsetof(PAPI_option_t, multiplex.eventset),
    [PAPI_ATTACH] = 1 + offsetof(PAPI_option_t, attach.eventset),
    [PAPI_DETACH] = 1 + offsetof(PAPI_option_t, attach.eventset),
    [PAPI_CPU_ATTACH] = 1 + offsetof(PAPI_option_t, cpu.eventset),
    [PAPI_INHERIT] = 1 + offsetof(PAPI_option_t, inherit.eventset),
    [PAPI_PRECISE] = 1 + offsetof(PAPI_option_t, precise.eventset),
    [PAPI_SHARE] = 1 + offsetof(PAPI_option_t, share.eventset),
    [PAPI_WAIT] = 1 + offsetof(PAPI_option_t, wait.eventset),
    [PAPI_DATA_ADDRESS] = 1 + offsetof(PAPI_option_t, addr.eventset),
    [PAPI_INSTR_ADDRESS] = 1 + offsetof(PAPI_option_t, addr.eventset),
};

static bool is_set_option(int option)
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

/* Gets how long an event of a component keeps a counter while its set is multiplexed. */
static int get_interval(int component, PAPI_option_t *ptr)
{
    const struct component_state *state;
    library_lock();
    int code = component_found_out(component, &state, api_why());
    library_unlock();
    if (code != PAPI_OK)
        return code;
    ptr->multiplex.ns = state->turn_ns;
    ptr->multiplex.flags = PAPI_MULTIPLEX_DEFAULT;
    return PAPI_OK;
}

/* Options of a set that is attached to nothing. */
static int granularity_of(const struct eventset *set)
{
    int granularity = set->component >= 0 ? components[set->component]->granularity : 0;
    return granularity != 0 ? granularity : PAPI_GRN_THR;
}

/* That of a set that is attached to a CPU or to a control group; 0: it is not. */
static int attached_granularity(const struct group_options *options)
{
    return options->cgroup != 0 ? PAPI_GRN_PROCG : options->whole_cpu ? PAPI_GRN_SYS_CPU : 0;
}

/* Gets how precise samples are to be, and how precise those are that the set takes. */
static int get_precise(const struct eventset *set, PAPI_option_t *ptr)
{
    const struct group_ops *ops = set->group != NULL ? set->group->ops : NULL;
    int asked = set->options.precise;
    ptr->precise.level = asked == PRECISE_MOST ? PAPI_PRECISE_MOST : asked - PRECISE_EXACTLY;
    ptr->precise.in_use = ops != NULL && ops->precision != NULL ? ops->precision(set->group) : -1;
    return PAPI_OK;
}

/* Reads an option of one event set; the result of one that is on or off is 1 or 0. */
static int get_set_option(int option, PAPI_option_t *ptr)
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
        ptr->granularity.granularity = attached_granularity(&set->options) ?: granularity_of(set);
        return PAPI_OK;
    case PAPI_MULTIPLEX:
        return get_interval(set->component >= 0 ? set->component : 0, ptr) ?: set->options.multiplex;
    case PAPI_ATTACH:
    case PAPI_DETACH:
        ptr->attach.tid = (unsigned long)set->options.target;
        return (set->options.target != 0) == (option == PAPI_ATTACH);
    case PAPI_CPU_ATTACH:
        ptr->cpu.cpu_num = set->options.cgroup == 0 ? (unsigned)set->options.cpu : 0;
        return set->options.whole_cpu && set->options.cgroup == 0;
    case PAPI_INHERIT:
        ptr->inherit.inherit = set->options.inherit ? PAPI_INHERIT_ALL : PAPI_INHERIT_NONE;
        return PAPI_OK;
    case PAPI_PRECISE:
        return get_precise(set, ptr);
    case PAPI_SHARE:
        ptr->share.on = set->options.share;
        return PAPI_OK;
    case PAPI_WAIT:
        ptr->wait.seconds = (double)set->options.wait_ns * 1e-9;
        return PAPI_OK;
    default:
        return no_address_ranges();
    }
}

static void leave_cpus(struct group_options *options)
{
    options->whole_cpu = false;
    options->cgroup = 0;
    options->cpu = 0;
}

/* The granularity of a set that is attached to a CPU or a control group is that until it is the thread's
 * again. */
static int change_granularity(struct group_options *options, int granularity)
{
    if (granularity != 0 && granularity == attached_granularity(options))
        return PAPI_OK;
    int code = check_granularity(granularity);
    if (code == PAPI_OK)
        leave_cpus(options);
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
    options->begin = task_begin((int)tid);
    options->process = options->tree = options->threads = false;
    return PAPI_OK;
}

static int detach(struct group_options *options)
{
    if (options->target == 0 && !options->whole_cpu)
        return reason_set(api_why(), PAPI_EINVAL, "the event set is not attached");
    options->target = 0;
    options->process = options->tree = options->threads = false;
    leave_cpus(options);
    return PAPI_OK;
}

static int attached_otherwise(void)
{
    return reason_set(api_why(), PAPI_EINVAL,
                      "an event set is attached to a CPU or to a control group; PAPI_detach first");
}

static int change_cpu(struct group_options *options, unsigned cpu)
{
    if (cpu > INT_MAX)
        return reason_set(api_why(), PAPI_EINVAL, "%u is not the number of a CPU", cpu);
    if (options->cgroup != 0)
        return attached_otherwise();
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

static int change_precise(struct group_options *options, int level)
{
    if (level != PAPI_PRECISE_MOST && (level < 0 || level > 3))
        return reason_set(api_why(), PAPI_EINVAL,
                          "a precision of %d: 0 to 3, as the kernel's precise_ip, or PAPI_PRECISE_MOST",
                          level);
    options->precise = level == PAPI_PRECISE_MOST ? PRECISE_MOST : PRECISE_EXACTLY + level;
    return PAPI_OK;
}

static int change_share(struct group_options *options, int on)
{
    if (on != 0 && on != 1)
        return reason_set(api_why(), PAPI_EINVAL, "PAPI_SHARE is on (1) or off (0), not %d", on);
    options->share = on;
    return PAPI_OK;
}

static int check_wait(double seconds)
{
    const double longest = 1e9;
    if (seconds >= 0 && seconds <= longest)
        return PAPI_OK;
    return reason_set(api_why(), PAPI_EINVAL, "%g is not a number of seconds to wait: 0 to %g", seconds,
                      longest);
}

static int change_wait(struct group_options *options, double seconds)
{
    int code = check_wait(seconds);
    if (code == PAPI_OK)
        options->wait_ns = (long long)(seconds * 1e9);
    return code;
}

static int change(int option, const PAPI_option_t *ptr, struct group_options *options)
{
    switch (option) {
    case PAPI_DOMAIN:
        options->domain = ptr->domain.domain;
        return check_domain(options->domain);
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
    case PAPI_PRECISE:
        return change_precise(options, ptr->precise.level);
    case PAPI_SHARE:
        return change_share(options, ptr->share.on);
    case PAPI_WAIT:
        return change_wait(options, ptr->wait.seconds);
    default:
        return no_address_ranges();
    }
}

/* Sets the default of the event sets that are made from now on. */
static int set_default_inherit(int inherit)
{
    int code = check_inherit(inherit);
    if (code == PAPI_OK)
        papi_library.default_inherit = inherit;
    return code;
}

static int set_default_wait(double seconds)
{
    int code = check_wait(seconds);
    if (code == PAPI_OK)
        papi_library.default_wait_ns = (long long)(seconds * 1e9);
    return code;
}

static int put_options(struct eventset *set, const struct group_options *options)
{
    library_lock();
    int code = eventset_set_options(set, options, api_why());
    library_unlock();
    return code;
}

static int change_set_option(int option, const PAPI_option_t *ptr)
{
    struct eventset *set;
    if (option == PAPI_INHERIT && ptr->inherit.eventset == PAPI_NULL)
        return set_default_inherit(ptr->inherit.inherit);
    if (option == PAPI_WAIT && ptr->wait.eventset == PAPI_NULL)
        return set_default_wait(ptr->wait.seconds);
    int code = find_set(option, ptr, &set);
    if (code != PAPI_OK)
        return code;
    if (set->state == PAPI_RUNNING)
        return eventset_is_running(set, api_why());
    if (option == PAPI_GRANUL && ptr->granularity.granularity == granularity_of(set) &&
        granularity_of(set) != PAPI_GRN_THR)
        return PAPI_OK; /* as its component counts anyway */
    struct group_options options = set->options;
    return change(option, ptr, &options) ?: put_options(set, &options);
}

/* ---- domain, granularity */

static int set_default_domain(int domain, int cidx)
{
    int code = api_ready() ?: api_component(cidx) ?: check_domain(domain);
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
    return api_ready() ?: api_component(cidx) ?: check_granularity(granularity);
}

int PAPI_set_cmp_granularity(int granularity, int cidx)
{
    return api_result(set_default_granularity(granularity, cidx));
}

int PAPI_set_granularity(int granularity)
{
    return PAPI_set_cmp_granularity(granularity, 0);
}

/* ---- options */

enum { NO_COMPONENT = -1 }; /* of PAPI_get_opt */

/* The timer of overflows by software. */
static int get_timer(PAPI_option_t *ptr)
{
    ptr->itimer = (PAPI_itimer_option_t){
        .itimer_num = ITIMER_PROF, .itimer_sig = OVERFLOW_SIGNAL, .ns = SOFTWARE_OVERFLOW_NSEC};
    return PAPI_OK;
}

/* Options that fill a structure. */
static int fill_option(int option, PAPI_option_t *ptr, int cidx)
{
    switch (option) {
    case PAPI_DEF_MPX_NS:
        return get_interval(cidx == NO_COMPONENT ? COMPONENT_PERF_EVENT : cidx, ptr);
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
        if (is_set_option(option))
            return get_set_option(option, ptr);
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
        return api_not_null(ptr, "the option's structure") ?: fill_option(option, ptr, cidx);
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
    int code = get_interval(COMPONENT_PERF_EVENT, &now);
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

static int read_user_events(const char *file)
{
    int code = api_not_null(file, "events_file");
    if (code == PAPI_OK) {
        library_lock();
        code = library_read_events(file, api_why());
        library_unlock();
    }
    return code;
}

static int set_option(int option, const PAPI_option_t *ptr)
{
    switch (option) {
    case PAPI_USER_EVENTS_FILE:
        return read_user_events(ptr->events_file);
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
        if (is_set_option(option))
            return change_set_option(option, ptr);
        return reason_set(api_why(), PAPI_EINVAL, "%d is not an option that can be set", option);
    }
}

int PAPI_set_opt(int option, PAPI_option_t *ptr)
{
    int code = option == PAPI_DEBUG ? PAPI_OK : api_ready();
    return api_result(code ?: api_not_null(ptr, "the option's structure") ?: set_option(option, ptr));
}

/* ---- the options' own functions */

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

static int attach_process(int es, int pid, int flags)
{
    struct eventset *set;
    int code = api_ready() ?: handle_find(es, &set);
    if (code != PAPI_OK)
        return code;
    if (set->state == PAPI_RUNNING)
        return eventset_is_running(set, api_why());
    if (pid <= 0)
        return reason_set(api_why(), PAPI_EINVAL, "%d is not the number of a process", pid);
    if ((flags & ~(PAPI_PROCESS_TREE | PAPI_PROCESS_THREADS)) != 0)
        return reason_set(api_why(), PAPI_EINVAL, "0x%x are not flags of PAPI_attach_process",
                          (unsigned)flags);
    if ((flags & PAPI_PROCESS_THREADS) != 0 && pid == getpid())
        return reason_set(api_why(), PAPI_EINVAL,
                          "a process cannot follow its own threads, which can have event sets of their own");
    struct group_options options = set->options;
    options.target = pid;
    options.begin = task_begin(pid);
    options.process = true;
    options.tree = (flags & PAPI_PROCESS_TREE) != 0;
    options.threads = (flags & PAPI_PROCESS_THREADS) != 0;
    return put_options(set, &options);
}

int PAPI_attach_process(int es, int pid, int flags)
{
    return api_result(attach_process(es, pid, flags));
}

/* Attaches a set to the control group of a folder, which is the set's from then on. */
static int change_cgroup(struct eventset *set, int folder)
{
    struct group_options options = set->options;
    options.whole_cpu = true;
    options.cpu = EVERY_CPU;
    options.cgroup = folder;
    int code = put_options(set, &options);
    if (code != PAPI_OK)
        close(folder);
    return code;
}

static int attach_cgroup(int es, const char *path)
{
    struct eventset *set;
    int folder;
    int code = api_ready() ?: handle_find(es, &set) ?: api_not_null(path, "path");
    code = code ?: eventset_changeable(set, api_why());
    if (code != PAPI_OK)
        return code;
    if (set->options.whole_cpu && set->options.cgroup == 0)
        return attached_otherwise();
    code = cgroup_open(papi_library.root, path, &folder, api_why());
    return code ?: change_cgroup(set, folder);
}

int PAPI_attach_cgroup(int es, const char *path)
{
    return api_result(attach_cgroup(es, path));
}

int PAPI_detach(int es)
{
    PAPI_option_t option = {.attach = {.eventset = es}};
    return PAPI_set_opt(PAPI_DETACH, &option);
}

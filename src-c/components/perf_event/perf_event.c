/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/sysroot.h"
#include "components/components.h"
#include "components/perf_event/followed_group.h"
#include "components/perf_event/perf_group.h"
#include "components/perf_event/places.h"
#include "components/perf_event/precise.h"
#include "components/perf_event/process_group.h"
#include "components/perf_event/sample_buffer.h"
#include "components/perf_event/sampling_pmu.h"
#include "components/perf_event/spe_buffer.h"
#include "components/perf_event/user_read.h"
#include "papi.h"

#include <limits.h>
#include <string.h>
#include <unistd.h>

/* ---- events that the processor implements */

#if defined(__aarch64__)

#include <linux/perf_event.h>

/* Numbers: the architecture's common events are below ARCHITECTURE_EVENTS, recommended and
 * implementation-defined ones above, and from 0x4000 on more of the architecture's. */
enum { L1D_CACHE = 0x04, ARCHITECTURE_EVENTS = 0x40 };

/* True if a PMU has an event: a raw event is for any core PMU, another type for the PMU that has it. -1: that
 * cannot be read now. */
static int is_for(const struct pmu_table *pmus, struct pmu *pmu, const struct event_encoding *event)
{
    uint32_t type;
    if (strncmp(pmu->name, "armv8_", 6) != 0)
        return 0;
    if (event->type == PERF_TYPE_RAW)
        return 1;
    int found = pmu_type(pmus, pmu, &type);
    return found > 0 ? type == event->type : found;
}

/* The architecture's events that the PMUs name. -1: they cannot be read now. */
static int listed_events(struct pmu_table *pmus, const struct event_encoding *event, uint64_t *listed)
{
    int code = pmus_read(pmus);
    *listed = 0;
    for (int i = 0; i < pmus->n && code >= 0; i++) {
        uint64_t numbers = 0;
        code = is_for(pmus, &pmus->pmu[i], event);
        if (code > 0)
            code = pmu_event_numbers(pmus, &pmus->pmu[i], &numbers);
        *listed |= numbers;
    }
    return code < 0 ? -1 : 0;
}

/* Looks whether the processor implements an event that the kernel would open in any case: 1 or 0. 64-bit ARM:
 * the kernel programs every event number, and those that the core lacks read 0 for ever; but it lists the
 * architecture's events that the core has (PMCEID) in sysfs. 1 also where nothing is known; -1 where that
 * cannot be read now, with errno. */
static int processor_implements(struct pmu_table *pmus, const struct event_encoding *event)
{
    uint64_t number = event->config & 0xffff;
    bool processor = event->type == PERF_TYPE_RAW || event->type > PERF_TYPE_MAX;
    /* Every core has number 0 (SW_INCR), which some kernels do not list. */
    if (!processor || number == 0)
        return true;
    uint64_t listed;
    if (listed_events(pmus, event, &listed) != 0)
        return -1;
    if (listed == 0)
        return true; /* a kernel before 4.4, or another PMU */
    /* A PMU without L1D_CACHE, which the architecture requires, is an emulation of the few events that
     * it lists. Otherwise PMCEID says nothing on the numbers above the architecture's, and an old
     * kernel has no names for the upper ones of those, nor for those from 0x4000 on. */
    bool whole = listed >> L1D_CACHE & 1;
    bool names_upper = listed >> 0x31 != 0;
    if (number >= ARCHITECTURE_EVENTS || (number >= 0x31 && !names_upper))
        return whole;
    return listed >> number & 1;
}

#else

static int processor_implements(struct pmu_table *pmus, const struct event_encoding *event)
{
    (void)pmus;
    (void)event;
    return 1;
}

#endif

/* ---- the component */

/* Opens an event alone, with a period of overflows (0: none). */
static int open_alone(const char *root, uint32_t type, uint64_t config, uint64_t period, int leader, int *fd,
                      struct reason *why)
{
    const struct event_encoding event = {.type = type, .config = config};
    struct perf_event_attr attr;
    describe_event(&event, PAPI_DOM_USER, &attr);
    if (period != 0)
        overflows_describe(period, 0, &attr);
    attr.disabled = leader < 0;
    return sys_open(root, NULL, &attr, leader, fd, why);
}

/* Tries whether the machine shows a processor PMU. */
static int try_hardware(const char *root, int *fd, struct reason *why)
{
    int code = open_alone(root, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 0, -1, fd, why);
    if (code == PAPI_ENOEVNT)
        code = open_alone(root, PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, 0, -1, fd, why);
    if (code == PAPI_ENOEVNT)
        reason_set(why, PAPI_ENOEVNT,
                   "this machine shows no hardware counters: its kernel has no driver for a processor PMU "
                   "(in a virtual machine, the host must pass one through)");
    return code == PAPI_ENOEVNT || code == PAPI_EPERM ? reason_blind(why, code) : code;
}

/* True if the group of a leader is on the counters once it is enabled. */
static bool group_runs(int leader)
{
    struct {
        uint64_t n, time_enabled, time_running, count[MAX_COUNTERS];
    } before, after;
    struct reason why;
    return sys_disable(leader, &why) == PAPI_OK && sys_enable(leader, &why) == PAPI_OK &&
           read(leader, &before, sizeof before) > 0 && read(leader, &after, sizeof after) > 0 &&
           after.time_running > before.time_running;
}

/* Adds an event to a group of n events, which grows, as often as it runs with them. */
static int add_while_it_runs(const char *root, uint64_t config, int *fds, int *n, struct reason *why)
{
    while (*n < MAX_COUNTERS) {
        int code = open_alone(root, PERF_TYPE_HARDWARE, config, 0, fds[0], &fds[*n], why);
        if (code != PAPI_OK)
            return code_passes(code) ? code : PAPI_OK;
        if (!group_runs(fds[0])) {
            sys_close(fds[*n]);
            return PAPI_OK;
        }
        ++*n;
    }
    return PAPI_OK;
}

/* The same where the kernel opens a group of any size (RISC-V): the events that run together. A counter may
 * be one of instructions or of cycles alone. */
static int count_counters_that_run(const char *root, int leader, struct reason *why)
{
    int fds[MAX_COUNTERS] = {leader}, n = 1;
    int code = add_while_it_runs(root, PERF_COUNT_HW_INSTRUCTIONS, fds, &n, why)
                   ?: add_while_it_runs(root, PERF_COUNT_HW_CPU_CYCLES, fds, &n, why);
    for (int i = 1; i < n; i++)
        sys_close(fds[i]);
    return code != PAPI_OK ? code : n;
}

/* The number of events that one group takes: the fixed counters by the events that only they hold, then
 * instructions until the kernel refuses. The kernel is asked because a guest has fewer than the processor's
 * manual says. */
static int count_hardware_counters(const char *root, int leader, struct reason *why)
{
    int fds[MAX_COUNTERS], n = 0, fd;
    int code = open_alone(root, PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES, 0, leader, &fd, why);
    if (code == PAPI_OK)
        fds[n++] = fd;
    while (n < MAX_COUNTERS - 1 && !code_passes(code) &&
           (code = open_alone(root, PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, 0, leader, &fd, why)) ==
               PAPI_OK)
        fds[n++] = fd;
    for (int i = 0; i < n; i++)
        sys_close(fds[i]);
    if (code == PAPI_OK && n == MAX_COUNTERS - 1)
        return count_counters_that_run(root, leader, why);
    return code_passes(code) ? code : n + 1;
}

static int reads_without_kernel(const char *root, struct reason *why)
{
    struct counter_group *group = group_create(&(struct group_options){.domain = PAPI_DOM_USER}, false);
    const struct event_encoding cycles = {.type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_CPU_CYCLES};
    if (group == NULL)
        return reason_set(why, PAPI_ENOMEM, "out of memory");
    int code = group->ops->add(group, root, &cycles, 0, why);
    bool fast = code == PAPI_OK && group_reads_in_user_space(group);
    group->ops->destroy(group);
    return code_passes(code) ? code : fast;
}

static int find_turn_ns(struct pmu_table *pmus, struct reason *why)
{
    long long msec;
    if (pmus_mux_interval_ms(pmus, &msec) != 0)
        return reason_unreadable("the multiplexing interval", why);
    return msec <= INT_MAX / 1000000 ? (int)msec * 1000000 : 0;
}

/* True if the kernel reports an event's overflows. */
static int overflows(const char *root, uint32_t type, uint64_t config, struct reason *why)
{
    int fd, code = open_alone(root, type, config, INT64_MAX / 2, -1, &fd, why);
    sys_close(fd);
    return code_passes(code) ? code : code == PAPI_OK;
}

/* An answer, or 0 with the reason kept in the state where it cannot be found out now. */
static int found(struct component_state *state, int answer, const struct reason *why)
{
    if (answer < 0)
        state->partially_disabled = *why;
    return answer < 0 ? 0 : answer;
}

/* Finds out whether counters raise interrupts, which on some machines they do not. */
static int hardware_overflows(const char *root, struct reason *why)
{
    int told = overflows(root, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, why);
    return told != 0 ? told : overflows(root, PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, why);
}

static void discover_hardware(struct pmu_table *pmus, struct component_state *state)
{
    const char *root = pmus->root;
    struct reason why = {0};
    int fd;
    if (try_hardware(root, &fd, &why) != PAPI_OK) {
        state->partially_disabled = why;
        int told = overflows(root, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, &why);
        state->hardware_interrupt = found(state, told, &why);
        return;
    }
    state->n_hardware_counters = found(state, count_hardware_counters(root, fd, &why), &why);
    sys_close(fd);
    state->hardware_interrupt = found(state, hardware_overflows(root, &why), &why);
    state->precise_interrupt = state->hardware_interrupt && precise_most(root) > 0;
    state->turn_ns = found(state, find_turn_ns(pmus, &why), &why);
    state->fast_read = found(state, reads_without_kernel(root, &why), &why);
}

static void discover(struct pmu_table *pmus, struct component_state *state)
{
    int fd;
    if (open_alone(pmus->root, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, 0, -1, &fd, &state->disabled) !=
        PAPI_OK)
        return;
    sys_close(fd);
    discover_hardware(pmus, state);
}

static int try_event(struct pmu_table *pmus, const struct event_encoding *event, int domain,
                     struct reason *why)
{
    struct perf_event_attr attr;
    int fd;
    const char *root = pmus->root;
    int implemented = processor_implements(pmus, event);
    /* The kernel gives its generic events to the PMU of one core type. */
    int part = implemented > 0 && is_generic_event(event) ? pmus_hybrid(pmus) : 0;
    if (implemented < 0 || part < 0)
        return reason_unreadable("the kernel's list of PMUs", why);
    if (!implemented)
        return reason_set(
            why, PAPI_ENOEVNT,
            "this processor does not implement the event; papi_native_avail --validate lists those "
            "that count here");
    if (part)
        return reason_set(
            why, PAPI_ENOEVNT,
            "this processor has several kinds of cores, and the kernel would count on one of them "
            "alone: take the preset, or the event of each kind's PMU (" SYSROOT_PMUS ")");
    describe_event(event, domain, &attr);
    attr.disabled = 1;
    int code = sys_open(root, NULL, &attr, -1, &fd, why);
    if (code == PAPI_OK) {
        sys_close(fd);
        return PAPI_OK;
    }
    /* Finds out whether the machine shows any counter: if not, that is a better reason than "no such
     * event". */
    struct reason none = {0};
    if (code == PAPI_ENOEVNT && (is_generic_event(event) || event->type == PERF_TYPE_RAW) &&
        try_hardware(root, &fd, &none) == PAPI_OK)
        sys_close(fd);
    else if (none.code == PAPI_ENOEVNT || code_passes(none.code))
        return reason_pass(&none, why);
    return code == PAPI_EPERM && event->type != PERF_TYPE_SOFTWARE && event->type != PERF_TYPE_TRACEPOINT
               ? reason_blind(why, code)
               : code;
}

/* Writes how precise samples of the event are, where the processor has precise ones at all. */
static void describe_samples(const char *root, const struct event_encoding *event, int domain, char *text,
                             size_t size)
{
    static const char *const of_level[] = {
        "where the interrupt comes", "a constant distance from the instruction",
        "the instruction that causes it", "the instruction that causes it, without a bias"};
    struct precise_levels levels;
    int level, code = PAPI_ENOEVNT;
    text[0] = '\0';
    if (!precise_concerns(event) || precise_most(root) == 0 ||
        precise_levels(root, event, PRECISE_MOST, &levels, NULL) != PAPI_OK)
        return;
    for (level = levels.first; code == PAPI_ENOEVNT && level >= levels.last; level--) {
        struct perf_event_attr attr;
        int fd;
        describe_event(event, domain, &attr);
        attr.disabled = 1;
        overflows_describe(INT64_MAX / 2, level, &attr);
        code = sys_open(root, NULL, &attr, -1, &fd, NULL);
        sys_close(fd);
    }
    if (code == PAPI_OK)
        snprintf(text, size, "; address of samples: %s (precise_ip %d)", of_level[level + 1], level + 1);
}

static int open_samples(const char *root, const struct event_encoding *event,
                        const struct sample_request *request, struct sample_source **source,
                        struct reason *why)
{
    bool spe = sampling_pmu_of(root, event) == SAMPLED_BY_SPE;
    return (spe ? spe_buffer_open : sample_buffer_open)(root, event, request, source, why);
}

/* ---- the options */

static int check_options(const char *root, const struct group_options *options, struct reason *why)
{
    if (options->process && root[0] == '\0')
        return process_group_check(options, why);
    return options->target != 0 || options->whole_cpu ? sys_try(root, options, -1, why) : PAPI_OK;
}

static struct counter_group *create(const struct group_options *options)
{
    if (options->process)
        return options->threads ? followed_group_create(options) : process_group_create(options);
    bool every_cpu = options->whole_cpu && options->cpu == EVERY_CPU;
    return every_cpu ? places_create(options, false) : group_create(options, false);
}

const struct component perf_event_component = {
    .name = "perf_event",
    .short_name = "perf",
    .description = "Linux perf_event: the processor's counters and the kernel's software events",
    THREADS_MEMBERS,
    .kernel_multiplex = true,
    .discover = discover,
    .try_event = try_event,
    .check_options = check_options,
    .create = create,
    .overflows = true,
    .describe_samples = describe_samples,
    .open_samples = open_samples,
};

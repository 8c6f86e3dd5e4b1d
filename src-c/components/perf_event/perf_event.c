/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/perf_event/perf_event.h"
#include "base/sysroot.h"
#include "components/perf_event/group.h"
#include "components/perf_event/implemented.h"
#include "components/perf_event/overflow.h"
#include "components/perf_event/separate.h"
#include "components/perf_event/sys.h"
#include "components/perf_event/user_read.h"
#include "papi.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#define DEVICES "/sys/bus/event_source/devices"

static int open_alone(const char *root, uint32_t type, uint64_t config, int leader, int *fd,
                      struct reason *why)
{
    const struct event_encoding event = {.type = type, .config = config};
    struct perf_event_attr attr;
    describe_event(&event, PAPI_DOM_USER, &attr);
    attr.disabled = leader < 0;
    return sys_open(root, NULL, &attr, leader, fd, why);
}

/* Does the machine show a processor PMU? */
static int try_hardware(const char *root, int *fd, struct reason *why)
{
    int code = open_alone(root, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, -1, fd, why);
    if (code == PAPI_ENOEVNT)
        code = open_alone(root, PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, -1, fd, why);
    if (code == PAPI_ENOEVNT)
        return reason_set(
            why, PAPI_ENOEVNT,
            "this machine shows no hardware counters: its kernel has no driver for a processor PMU "
            "(in a virtual machine, the host must pass one through)");
    return code;
}

/* How many events one group takes: the fixed counters by the events that only they hold, then
 * instructions until the kernel refuses. Asked of the kernel, because a guest has fewer than the
 * processor's manual says. */
static int count_hardware_counters(const char *root, int leader)
{
    int fds[MAX_COUNTERS], n = 0, fd;
    if (open_alone(root, PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES, leader, &fd, NULL) == PAPI_OK)
        fds[n++] = fd;
    while (n < MAX_COUNTERS - 1 &&
           open_alone(root, PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, leader, &fd, NULL) == PAPI_OK)
        fds[n++] = fd;
    for (int i = 0; i < n; i++)
        sys_close(fds[i]);
    return n + 1;
}

static bool reads_without_kernel(const char *root)
{
    struct counter_group *group = group_create(&(struct group_form){.domain = PAPI_DOM_USER});
    const struct event_encoding cycles = {.type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_CPU_CYCLES};
    bool fast = false;
    if (group == NULL)
        return false;
    if (group_add(group, root, &cycles, NULL) == PAPI_OK)
        fast = group_reads_in_user_space(group);
    group_destroy(group);
    return fast;
}

/* How long the kernel leaves the events of the processor on the counters before others get their turn. */
static int find_turn_ns(const char *root)
{
    char path[PATH_MAX], full[PATH_MAX];
    long long msec = 0;
    DIR *folder = sysroot_path(root, DEVICES, full, sizeof full) == 0 ? opendir(full) : NULL;
    if (folder == NULL)
        return 0;
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        snprintf(path, sizeof path, DEVICES "/%s/perf_event_mux_interval_ms", entry->d_name);
        if (entry->d_name[0] != '.' && sysroot_is_core_pmu(root, entry->d_name) &&
            sysroot_number(root, path, &msec) == 0)
            break;
    }
    closedir(folder);
    return msec > 0 && msec <= INT_MAX / 1000000 ? (int)msec * 1000000 : 0;
}

/* Whether the kernel tells of an event's overflows. */
static bool overflows(const char *root, uint32_t type, uint64_t config)
{
    const struct event_encoding event = {.type = type, .config = config};
    struct perf_event_attr attr;
    int fd;
    describe_event(&event, PAPI_DOM_USER, &attr);
    overflows_describe(INT64_MAX / 2, &attr);
    attr.disabled = 1;
    bool told = sys_open(root, NULL, &attr, -1, &fd, NULL) == PAPI_OK;
    sys_close(fd);
    return told;
}

static void discover_hardware(const char *root, struct component_state *state)
{
    struct reason why = {0};
    int fd;
    int code = try_hardware(root, &fd, &why);
    if (code != PAPI_OK) {
        state->partially_disabled = code;
        memcpy(state->partially_disabled_reason, why.text, sizeof why.text);
        state->hardware_interrupt = overflows(root, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS);
        return;
    }
    state->n_hardware_counters = count_hardware_counters(root, fd);
    sys_close(fd);
    /* Some machines' counters raise no interrupts. */
    state->hardware_interrupt = overflows(root, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES) ||
                                overflows(root, PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);
    state->turn_ns = find_turn_ns(root);
    state->fast_read = reads_without_kernel(root);
}

static void discover(const char *root, struct component_state *state)
{
    struct reason why = {0};
    int fd;
    memset(state, 0, sizeof *state);
    int code = open_alone(root, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, -1, &fd, &why);
    if (code != PAPI_OK) {
        state->disabled = code;
        memcpy(state->disabled_reason, why.text, sizeof why.text);
        return;
    }
    sys_close(fd);
    discover_hardware(root, state);
}

/* An event of the processor's cores, by the kernel's fixed types for them. */
static bool is_core_event(const struct event_encoding *event)
{
    return event->type == PERF_TYPE_HARDWARE || event->type == PERF_TYPE_HW_CACHE ||
           event->type == PERF_TYPE_RAW;
}

/* How many PMUs the processor's cores have: more than one where they are of several kinds. */
static int n_core_pmus(const char *root)
{
    char full[PATH_MAX];
    int n = 0;
    DIR *folder = sysroot_path(root, DEVICES, full, sizeof full) == 0 ? opendir(full) : NULL;
    if (folder == NULL)
        return 0;
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;)
        n += entry->d_name[0] != '.' && sysroot_is_core_pmu(root, entry->d_name);
    closedir(folder);
    return n;
}

/* The kernel gives its generic events to the PMU of one kind of core. */
static bool counts_a_part(const char *root, const struct event_encoding *event)
{
    bool generic = event->type == PERF_TYPE_HARDWARE || event->type == PERF_TYPE_HW_CACHE;
    /* "cpu" is for all cores of a machine; without it, a look at all PMUs is needed. */
    return generic && !sysroot_is_core_pmu(root, "cpu") && n_core_pmus(root) > 1;
}

static int try_event(const char *root, const struct event_encoding *event, int domain, struct reason *why)
{
    struct perf_event_attr attr;
    int fd;
    if (!processor_implements(root, event))
        return reason_set(why, PAPI_ENOEVNT, "this processor does not implement the event");
    if (counts_a_part(root, event))
        return reason_set(
            why, PAPI_ENOEVNT,
            "this processor has several kinds of cores, and the kernel would count on one of them "
            "alone: take the preset, or the event of each kind's PMU (" DEVICES ")");
    describe_event(event, domain, &attr);
    attr.disabled = 1;
    int code = sys_open(root, NULL, &attr, -1, &fd, why);
    if (code == PAPI_OK) {
        sys_close(fd);
        return PAPI_OK;
    }
    /* "no such event" has a better reason where there is no counter at all. */
    struct reason none = {0};
    if (code == PAPI_ENOEVNT && is_core_event(event) && try_hardware(root, &fd, &none) == PAPI_OK)
        sys_close(fd);
    else if (none.code == PAPI_ENOEVNT)
        return reason_set(why, PAPI_ENOEVNT, "%s", none.text);
    return code;
}

/* --------------------------------------------------------------------- the form */

static int check_form(const char *root, const struct group_form *form, struct reason *why)
{
    return form->target != 0 || form->whole_cpu ? sys_try(root, form, -1, why) : PAPI_OK;
}

static bool is_separate(const struct group_form *form)
{
    return form->multiplex || form->inherit;
}

static struct counter_group *create(const struct group_form *form)
{
    return is_separate(form) ? separate_create(form) : group_create(form);
}

static const struct event_encoding *events_of(const struct counter_group *group)
{
    return is_separate(&group->form) ? separate_events(group) : group_events(group);
}

/* Into a group of the other kind, or the same. */
static int make_anew(struct counter_group **group, const char *root, const struct group_form *form,
                     struct reason *why)
{
    struct counter_group *fresh = create(form);
    if (fresh == NULL)
        return reason_set(why, PAPI_ENOMEM, "out of memory");
    int code = PAPI_OK;
    for (int i = 0; i < (*group)->n_counters && code == PAPI_OK; i++)
        code = fresh->component->add(fresh, root, &events_of(*group)[i], why);
    struct counter_group *unwanted = code == PAPI_OK ? *group : fresh;
    if (code == PAPI_OK)
        *group = fresh;
    unwanted->component->destroy(unwanted);
    return code;
}

static int set_form(struct counter_group **group, const char *root, const struct group_form *form,
                    struct reason *why)
{
    if (is_separate(form) || is_separate(&(*group)->form))
        return make_anew(group, root, form, why);
    return group_set_form(*group, root, form, why);
}

const struct component perf_event_component = {
    .name = "perf_event",
    .short_name = "perf",
    .description = "Linux perf_event: the processor's counters and the kernel's software events",
    .version = "1.0",
    .default_domain = PAPI_DOM_USER,
    .available_domains = PAPI_DOM_USER | PAPI_DOM_KERNEL | PAPI_DOM_SUPERVISOR,
    .max_multiplexed = MAX_COUNTERS,
    .attach = true,
    .inherit = true,
    .cpu = true,
    .kernel_multiplex = true,
    .discover = discover,
    .try_event = try_event,
    .check_form = check_form,
    .create = create,
    .add = group_add,
    .remove = group_remove,
    .set_form = set_form,
    .start = group_start,
    .stop = group_stop,
    .overflow_signal = OVERFLOW_SIGNAL,
    .set_overflow = group_set_overflow,
    .arm_overflows = group_arm_overflows,
    .overflows_written = group_overflows_written,
    .take_overflow = group_take_overflow,
    .pause = group_pause,
    .may_not_end = group_may_not_end,
    .check_overflows = group_check_overflows,
    .destroy = group_destroy,
    .abandon = group_abandon,
};

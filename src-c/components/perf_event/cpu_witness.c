/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/perf_event/perf_group.h"
#include "papi.h"

/* Opens a member of the witness, which is switched off: to read it, the kernel need not ask the other CPU. */
static int open_dummy(const struct kernel_group *group, const char *root, int leader, int *fd,
                      struct reason *why)
{
    const struct event_encoding nothing = {.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY};
    struct perf_event_attr attr;
    describe_event(&nothing, group->base.options.domain, &attr);
    attr.disabled = 1;
    return sys_open(root, &group->base.options, &attr, leader, fd, why);
}

int witness_open(struct kernel_group *group, const char *root, struct reason *why)
{
    int code = open_dummy(group, root, -1, &group->witness[0], why);
    code = code ?: open_dummy(group, root, group->witness[0], &group->witness[1], why);
    if (code != PAPI_OK)
        witness_close(group);
    return code;
}

void witness_close(struct kernel_group *group)
{
    sys_close(group->witness[1]);
    sys_close(group->witness[0]);
    group->witness[0] = group->witness[1] = -1;
}

bool witness_is_whole(const struct kernel_group *group)
{
    struct group_reading reading;
    return sys_read(group->witness[0], 2, &reading, NULL) != PAPI_ECNFLCT; /* fewer than two */
}

int witness_read_lost(const struct kernel_group *group, uint64_t *count, struct reason *why)
{
    for (int i = 0; i < group->base.n_counters; i++)
        if (sys_read_alone(group->fd[i], &count[i]) != PAPI_OK)
            count[i] = group->base.stopped[i];
    return reason_set(
        why, PAPI_ECLOST,
        "CPU %d was switched off while the event set was attached to it: what is shown was counted "
        "before; PAPI_CPU_ATTACH once more, or to another CPU",
        group->base.options.cpu);
}

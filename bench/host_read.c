/* SPDX-License-Identifier: BSD-3-Clause
 *
 * host_read: the time of PAPI_read of two software events beside a bare group read(2) of the same
 * events, in one run. Batches of the two alternate, so that both see the machine in the same state.
 * Status 1: the ratio of the medians is above LIMIT in each of several rounds.
 */
#include "host_batches.h"
#include "papi.h"

#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LIMIT 1.05
#define ROUNDS 5
#define CALLS 500

static double now(void)
{
    return clock_ns(CLOCK_MONOTONIC);
}

static int open_bare(uint64_t config, int leader)
{
    struct perf_event_attr attr;
    memset(&attr, 0, sizeof attr);
    attr.size = sizeof attr;
    attr.type = PERF_TYPE_SOFTWARE;
    attr.config = config;
    attr.exclude_kernel = attr.exclude_hv = 1;
    attr.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
    return (int)syscall(SYS_perf_event_open, &attr, 0, -1, leader, PERF_FLAG_FD_CLOEXEC);
}

static int fail(const char *what, int code)
{
    fprintf(stderr, "host_read: %s: %s\n", what, PAPI_strerror(code));
    return 1;
}

int main(void)
{
    static double bare[BATCHES], ours[BATCHES];
    double best = 1e9;
    int leader = open_bare(PERF_COUNT_SW_TASK_CLOCK, -1), es = PAPI_NULL, code;
    if (leader < 0 || open_bare(PERF_COUNT_SW_PAGE_FAULTS, leader) < 0) {
        printf("SKIP: the kernel lets this user count no software events\n");
        return 77;
    }
    code = PAPI_library_init(PAPI_VER_CURRENT);
    if (code != PAPI_VER_CURRENT)
        return fail("PAPI_library_init", code);
    if ((code = PAPI_create_eventset(&es)) != PAPI_OK ||
        (code = PAPI_add_named_event(es, "perf::TASK-CLOCK")) != PAPI_OK ||
        (code = PAPI_add_named_event(es, "perf::PAGE-FAULTS")) != PAPI_OK ||
        (code = PAPI_start(es)) != PAPI_OK)
        return fail("counting", code);

    printf("perf::TASK-CLOCK and perf::PAGE-FAULTS, nanoseconds a call (median)\n");
    printf("%12s%12s%10s\n", "read(2)", "PAPI_read", "ratio");
    for (int round = 0; round < ROUNDS && best > LIMIT; round++) {
        for (int batch = 0; batch < BATCHES; batch++) {
            uint64_t raw[5];
            long long values[2];
            double start = now(), middle;

            for (int call = 0; call < CALLS; call++)
                if (read(leader, raw, sizeof raw) != sizeof raw)
                    return 1;
            middle = now();
            for (int call = 0; call < CALLS; call++)
                if (PAPI_read(es, values) != PAPI_OK)
                    return 1;
            ours[batch] = (now() - middle) / CALLS;
            bare[batch] = (middle - start) / CALLS;
        }
        double of_bare = median_of(bare), of_ours = median_of(ours), ratio = of_ours / of_bare;
        printf("%12.1f%12.1f%10.3f\n", of_bare, of_ours, ratio);
        if (ratio < best)
            best = ratio;
    }
    printf("%s the limit of %.2f\n", best <= LIMIT ? "within" : "over", LIMIT);
    return best <= LIMIT ? 0 : 1;
}

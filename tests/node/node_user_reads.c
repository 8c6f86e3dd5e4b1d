/* SPDX-License-Identifier: BSD-3-Clause
 *
 * node_user_reads yes|no|refused: whether reads need no system call here (kernel.perf_user_access), and
 * that the counts of user-space reads and of the kernel's agree.
 *
 * The two cannot be taken at one moment, so reads without a system call are compared with the final
 * count, which PAPI_stop takes from the kernel: they may be smaller by the instructions in between.
 */
#include "counted_loop.h"
#include "node_forbid.h"
#include "node_names.h"
#include "node_test.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define SLACK 200 /* for the calls between two measurements, in instructions */

static long long now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

/* The cost of one PAPI_read; on the node a nanosecond is an instruction. */
static long long read_cost(int es)
{
    enum { ROUNDS = 200 };
    long long best = 1LL << 62, values[2];

    for (int batch = 0; batch < 9; batch++) {
        long long start = now();

        for (int i = 0; i < ROUNDS; i++)
            PAPI_read(es, values);
        long long cost = (now() - start) / ROUNDS;
        if (cost < best)
            best = cost;
    }
    return best;
}

static void check_near(const char *what, long long small, long long large)
{
    node_check(large >= small && large - small <= SLACK, "%s: %lld then %lld", what, small, large);
}

/* Cycles and instructions that the kernel would count in all modes. */
static int check_refused(void)
{
    int es = PAPI_NULL;
    NEED(PAPI_create_eventset(&es));
    CODE(PAPI_add_named_event(es, "PAPI_TOT_INS"), PAPI_EPERM);
    const char *text = PAPI_strerror(PAPI_EPERM);
    node_check(strstr(text, "sysctl kernel.perf_user_access=1") != NULL, "what to do: %s", text);
    CODE(PAPI_add_named_event(es, "perf::CYCLES"), PAPI_EPERM);
    CODE(PAPI_add_named_event(es, "perf::TASK-CLOCK"), PAPI_OK);
    return node_test_end();
}

int main(int argc, char **argv)
{
    int user = argc > 1 && strcmp(argv[1], "yes") == 0;
    long long values[2], later[2], stopped[2], kept[2], sum[2] = {0, 0}, first[2] = {0, 0}, cost;
    const PAPI_component_info_t *component;
    int es;

    node_init();
    if (argc > 1 && strcmp(argv[1], "refused") == 0)
        return check_refused();
    es = NODE_SET(NODE_INSTRUCTIONS, NODE_CYCLES);
    component = PAPI_get_component_info(PAPI_get_eventset_component(es));
    node_check(component && (int)component->fast_counter_read == user, "fast_counter_read = %d",
               component ? (int)component->fast_counter_read : -1);

    NEED(PAPI_start(es)); /* what is looked up once has been */
    NEED(PAPI_read(es, values));
    NEED(PAPI_stop(es, stopped));
    for (long n = 1; n <= 10000000; n = n == 1 ? 1000 : n * 100) {
        NEED(PAPI_start(es));
        counted_loop(n);
        NEED(PAPI_read(es, values));
        NEED(PAPI_stop(es, stopped));
        NEED(PAPI_read(es, kept));
        for (int i = 0; i < 2; i++) {
            const char *name = i ? "cycles" : "instructions";

            check_near(name, COUNTED_LOOP_LENGTH * n, values[i]);
            check_near("  and by the kernel at the stop", values[i], stopped[i]);
            first[i] = n == 1 ? values[i] - COUNTED_LOOP_LENGTH : first[i];
            node_check(values[i] - COUNTED_LOOP_LENGTH * n == first[i],
                       "  %lld beside the loop, as beside one turn", first[i]);
            node_check(kept[i] == stopped[i], "  and when it is stopped: %lld", kept[i]);
        }
    }

    /* Attached to its own thread, it is still that thread's. */
    NEED(PAPI_attach(es, (unsigned long)syscall(SYS_gettid)));
    NEED(PAPI_start(es));
    cost = read_cost(es);
    if (user)
        node_check(cost < 200, "PAPI_read took %lld instructions", cost);
    else
        node_check(cost > 1000, "PAPI_read took %lld instructions", cost);

    if (!node_check(node_forbid(__NR_read) == 0 && node_forbid(__NR_ioctl) == 0,
                    "read(2) and ioctl(2) are forbidden from here on"))
        return node_test_end();
    if (user) {
        NEED(PAPI_reset(es));
        counted_loop(100000);
        NEED(PAPI_read(es, values));
        NEED(PAPI_accum(es, sum));
        counted_loop(100000);
        NEED(PAPI_read(es, later));
        check_near("read after reset", 500000, values[0]);
        check_near("accum after read", values[0], sum[0]);
        check_near("read after accum", 500000, later[0]);
    } else {
        CODE(PAPI_read(es, values), PAPI_ESYS);
        node_check(errno == EIO, "errno is the kernel's (%d)", errno);
    }
    return node_test_end();
}

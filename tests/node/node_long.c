/* SPDX-License-Identifier: BSD-3-Clause
 *
 * node_long busy|moves|wrap|multiplexed: counts over a longer time, read again and again. Each read shows the
 * work since the one before and the same few instructions of the call, whatever happens in between: beside a
 * busy process, after a move to the other processor, when the counter's own bits overflow, and multiplexed.
 */
#include "counted_loop.h"
#include "node_names.h"
#include "node_test.h"

#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Instructions of a call that reads, and of a read that is restarted after an interrupt. */
enum { SLACK = 400, TURNS = 200, WORK = COUNTED_LOOP_LENGTH * TURNS };

static void go_to(int cpu)
{
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    node_check(sched_setaffinity(0, sizeof one, &one) == 0 && sched_getcpu() == cpu, "on processor %d", cpu);
}

/* The number of reads, of n, whose difference from the previous read is not the work in between. */
static int odd_reads(int es, int n, int every)
{
    long long values[2], before[2];
    int odd = 0, cpu = 0;
    NEED(PAPI_start(es));
    NEED(PAPI_read(es, before));
    for (int i = 1; i <= n; i++) {
        counted_loop(TURNS);
        if (every > 0 && i % every == 0) {
            go_to(cpu = !cpu);
            NEED(PAPI_read(es, before)); /* the move has instructions of its own */
            counted_loop(TURNS);
        }
        NEED(PAPI_read(es, values));
        for (int j = 0; j < 2; j++) {
            long long work = values[j] - before[j];
            if (work < WORK || work > WORK + SLACK) {
                printf("        read %d, event %d: %lld\n", i, j, work);
                odd++;
            }
            before[j] = values[j];
        }
    }
    NEED(PAPI_stop(es, values));
    return odd;
}

static void busy(int es)
{
    pid_t child = fork();
    if (child == 0)
        for (;;)
            counted_loop(1000);
    node_check(child > 0, "a busy process");
    int odd = odd_reads(es, 20000, 0);
    node_check(odd == 0, "%d of 20000 reads beside it are odd", odd);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
}

static void moves(int es)
{
    if (sysconf(_SC_NPROCESSORS_ONLN) < 2) {
        node_check(0, "this node has one processor");
        return;
    }
    go_to(0);
    int odd = odd_reads(es, 5000, 100);
    node_check(odd == 0, "%d of 5000 reads with 50 moves are odd", odd);
}

/* The kernel counts on from a counter that has run over: after 2^31 where it writes 32 bits to it. */
static void wrap(int es)
{
    long long values[2], before = 0, round = 125000000LL * COUNTED_LOOP_LENGTH;
    int odd = 0;
    NEED(PAPI_start(es));
    for (int i = 1; i <= 4; i++) {
        counted_loop(125000000);
        NEED(PAPI_read(es, values));
        odd += values[1] - before < round || values[1] - before > round + SLACK;
        before = values[1];
    }
    NEED(PAPI_stop(es, values));
    node_check(odd == 0 && values[1] > 1LL << 31, "%lld instructions, %d of 4 parts are odd", values[1], odd);
}

/* Multiplexed counts are not exact, but a counter of another event is never taken for the event's own. */
static void multiplexed(int unused)
{
    long long values[NODE_NAMES], before[NODE_NAMES] = {0};
    int es = PAPI_NULL, less = 0;
    (void)unused;
    NEED(PAPI_multiplex_init());
    NEED(PAPI_create_eventset(&es));
    NEED(PAPI_assign_eventset_component(es, 0));
    NEED(PAPI_set_multiplex(es));
    for (int i = 0; i < NODE_NAMES; i++)
        NEED(PAPI_add_named_event(es, node_names[i]));
    NEED(PAPI_start(es));
    counted_loop(30000000);
    for (int i = 0; i < 2000; i++) {
        counted_loop(5000);
        NEED(PAPI_read(es, values));
        for (int j = 0; j < NODE_NAMES; j++) {
            less += values[j] < before[j];
            before[j] = values[j];
        }
    }
    NEED(PAPI_stop(es, values));
    node_check(less == 0, "%d of 2000 reads have less than the read before", less);
    for (int j = 0; j < NODE_NAMES; j++)
        node_check(values[j] > 180000000 && values[j] < 220000000, "%s: %lld of 200 million", node_names[j],
                   values[j]);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*body)(int es);
    } parts[] = {{"busy", busy}, {"moves", moves}, {"wrap", wrap}, {"multiplexed", multiplexed}};
    node_init();
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (argc > 1 && strcmp(argv[1], parts[i].name) == 0) {
            parts[i].body(NODE_SET(NODE_CYCLES, NODE_INSTRUCTIONS));
            return node_test_end();
        }
    printf("usage: node_long busy|moves|wrap|multiplexed\n");
    return 2;
}

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Hardware counts of a whole process and of each of its threads: instructions of known work, in threads that
 * come and go.
 */
#include "../crowd.h"
#include "counted_loop.h"
#include "node_names.h"
#include "node_test.h"

#include <unistd.h>

#define LOOP 20000
#define INSTRUCTIONS (5LL * LOOP)
enum { STAYING = 50, CAME = 100, ROOM = 400, OTHERS = 60000 /* instructions of a thread beside its loop */ };

static void work(void)
{
    counted_loop(LOOP);
}

static int set_of(pid_t pid, int flags)
{
    int es = PAPI_NULL;
    NEED(PAPI_create_eventset(&es));
    NEED(PAPI_attach_process(es, pid, flags));
    NEED(PAPI_add_named_event(es, NODE_INSTRUCTIONS));
    return es;
}

static int near(long long got, long long loops, int threads)
{
    return got >= loops * INSTRUCTIONS && got < loops * INSTRUCTIONS + (long long)threads * OTHERS;
}

/* The process's own instructions in a round, exactly: two sets agree on them, and so do two rounds. */
static void the_sum(void)
{
    struct crowd crowd = crowd_make(STAYING, work, NULL);
    int es = set_of(crowd.pid, 0), same = set_of(crowd.pid, 0);
    long long values[1], others[1];
    NEED(PAPI_start(es));
    NEED(PAPI_start(same));
    node_check(crowd_do(&crowd, 'w'), "a round of %d threads", STAYING);
    NEED(PAPI_read(es, values));
    node_check(near(values[0], STAYING, STAYING), "%d threads that were there: %lld instructions", STAYING,
               values[0]);
    node_check(crowd_do(&crowd, 'c'), "threads that come and go");
    NEED(PAPI_read(es, values));
    node_check(near(values[0], STAYING + CAME, STAYING + CAME), "and %d that came and went: %lld", CAME,
               values[0]);
    node_check(crowd_end(&crowd) == 0, "its end");
    NEED(PAPI_stop(es, values));
    NEED(PAPI_stop(same, others));
    node_check(values[0] == others[0], "two sets count the same: %lld, %lld", values[0], others[0]);
    NEED(PAPI_cleanup_eventset(es));
    NEED(PAPI_cleanup_eventset(same));
}

static void each_thread(void)
{
    static long long tids[ROOM], ended[ROOM], values[ROOM];
    struct crowd crowd = crowd_make(STAYING, work, NULL);
    int es = set_of(crowd.pid, PAPI_PROCESS_THREADS), n = ROOM, gone = 0, shares = 0;
    long long sum = 0, all[1];
    NEED(PAPI_start(es));
    node_check(crowd_do(&crowd, 'w') && crowd_do(&crowd, 'c') && crowd_do(&crowd, '-'),
               "threads work and end");
    usleep(300000); /* the ends have been noted */
    NEED(PAPI_stop(es, all));
    NEED(PAPI_read_threads(es, tids, ended, values, &n));
    for (int i = 0; i < n && i < ROOM; i++) {
        sum += values[i];
        gone += ended[i] != 0;
        shares += ended[i] && near(values[i], 1, 1);
    }
    node_check(n == 1 + STAYING + CAME, "%d threads", n);
    node_check(gone == STAYING + CAME, "%d have ended", gone);
    node_check(shares == STAYING + CAME, "%d of them have their loop's instructions", shares);
    node_check(sum == all[0], "the sum of all is the set's: %lld, %lld", sum, all[0]);
    NEED(PAPI_cleanup_eventset(es));
    node_check(crowd_end(&crowd) == 0, "its end");
}

int main(void)
{
    node_init();
    the_sum();
    each_thread();
    return node_test_end();
}

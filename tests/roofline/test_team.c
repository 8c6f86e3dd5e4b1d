/* SPDX-License-Identifier: BSD-3-Clause
 *
 * papi_roofline's team: each of its threads does the work once, on memory of its own, and is done with it
 * when team_run returns. The threads and who has them work share plain memory alone.
 */
#include "roofline/team.h"
#include "testing.h"

#include <stdatomic.h>
#include <string.h>

enum { THREADS = 4, ELEMENTS = STREAM_MULTIPLE, RUNS = 50 };

/* Data by the order in which threads come, not by thread. */
static atomic_int turn;
static struct {
    double *array[3];
    long elements, passes;
} done[THREADS];
static double sum[THREADS];

static void note_work(double *a, double *b, double *c, long n, long passes)
{
    int at = atomic_fetch_add_explicit(&turn, 1, memory_order_relaxed);
    CHECK(at < THREADS);
    done[at].array[0] = a;
    done[at].array[1] = b;
    done[at].array[2] = c;
    done[at].elements = n;
    done[at].passes = passes;
    sum[at] = 0;
    for (long i = 0; i < n; i++) {
        c[i] = a[i] + b[i] + (double)passes;
        sum[at] += c[i];
    }
}

static bool apart(const double *a, const double *b)
{
    return a + ELEMENTS <= b || b + ELEMENTS <= a;
}

static void check_arrays(int thread)
{
    for (int i = 0; i < 3; i++)
        for (int other = 0; other < THREADS; other++)
            for (int j = 0; j < 3; j++)
                CHECK((thread == other && i == j) || apart(done[thread].array[i], done[other].array[j]));
}

static void check_run(struct team *team, long passes)
{
    struct team_work work = {.stream = note_work, .arrays = 3, .elements = ELEMENTS, .amount = passes};
    bool alone;
    atomic_store(&turn, 0);
    memset(done, 0, sizeof done);
    CHECK(team_run(team, &work, &alone) > 0);
    EQUAL(atomic_load(&turn), THREADS);
    for (int i = 0; i < THREADS; i++) {
        EQUAL(done[i].elements, ELEMENTS);
        EQUAL(done[i].passes, passes);
        EQUAL(sum[i], ELEMENTS * (2 + passes)); /* all begin as 1 */
        check_arrays(i);
    }
    memset(&work, 0, sizeof work); /* it was the caller's */
}

/* As many cores as threads, all of which are the first. */
static void one_core_for_all(struct cpus *cpus, int cpu[THREADS])
{
    EQUAL(cpus_find(cpus) != NULL, false);
    for (int i = 0; i < THREADS; i++)
        cpu[i] = cpus->cpu[0];
}

static void each_thread_works_once(void **state)
{
    struct cpus cpus;
    int cpu[THREADS], *own;
    (void)state;
    one_core_for_all(&cpus, cpu);
    own = cpus.cpu;
    cpus.cpu = cpu;
    struct team *team = team_make(&cpus, THREADS, team_room(3 * ELEMENTS * sizeof(double)));
    CHECK(team != NULL);
    CHECK(team_is_bound(team));
    for (long i = 1; i <= RUNS; i++)
        check_run(team, i);
    team_end(team);
    cpus.cpu = own;
    cpus_free(&cpus);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_thread_works_once),
    };
    return TEST_RUN(tests);
}

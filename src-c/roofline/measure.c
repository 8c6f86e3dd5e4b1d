/* SPDX-License-Identifier: BSD-3-Clause */
#include "papi.h"
#include "roofs.h"
#include "stream.h"
#include "team.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Measures the roofs: peak rates and bandwidths.
 *
 * All tests are gone through again and again, so that whatever else the machine does for a while falls on one
 * round of each of them. The best round counts: disturbances only ever make a test slower, so the largest
 * rate is the nearest to what the hardware can do. Each test is repeated inside until it takes long enough
 * for the clock; the runs that find out how often are not counted, as the caches hold other data then. A
 * round in which the thread lost its processor does not count as quiet, and tests that were never quiet are
 * repeated some more; if that does not help, the result says that the machine was busy. */

enum { MOST_ROUNDS = 64 };

struct test {
    enum roofs_cores team;
    struct team_work work;
    double units; /* operations or bytes of a round or pass, by all threads */
    double *best, *spread;
    double rate[MOST_ROUNDS]; /* of the first rounds */
    int n;
    bool quiet; /* it had its cores for itself once at least */
};

enum { MOST_TESTS = ROOFS_TEAMS * (ROOFS_PEAKS + ROOFS_LEVELS * STREAM_LOOPS + 1) };

struct measuring {
    struct roofs *roofs;
    const struct roofs_care *care;
    struct cpus cpus;
    struct team *team[ROOFS_TEAMS];
    int threads[ROOFS_TEAMS];
    struct test test[MOST_TESTS];
    int n;
};

/* ---- tests */

/*   spread  NULL: it is not kept */
static void add(struct measuring *m, enum roofs_cores team, struct team_work work, double units, double *best,
                double *spread)
{
    struct test *test = &m->test[m->n++];
    work.amount = 1;
    *test = (struct test){.team = team, .work = work, .units = units * m->threads[team], .best = best};
    test->spread = spread;
}

static void add_peaks(struct measuring *m, enum roofs_cores team)
{
    struct roofs *roofs = m->roofs;
    int n = 0;
    for (const struct peak_kernel *kernel = peak_kernels; kernel->run != NULL && n < ROOFS_PEAKS; kernel++) {
        if (kernel->usable != NULL && !kernel->usable())
            continue;
        struct roof_peak *peak = &roofs->peak[n++];
        snprintf(peak->name, sizeof peak->name, "%s", kernel->name);
        peak->bits = kernel->bits;
        peak->precision = kernel->is_double ? ROOF_DOUBLE : ROOF_SINGLE;
        add(m, team, (struct team_work){.peak = kernel}, kernel->operations, &peak->rate[team],
            &peak->spread[team]);
    }
    roofs->n_peaks = n;
}

static void add_loop(struct measuring *m, enum roofs_cores team, int level, int loop, long long bytes)
{
    const struct stream_shape *shape = &stream_shapes[loop];
    struct team_work work = {.stream = stream_widest()->run[loop], .arrays = sizes_arrays(loop)};
    work.elements = sizes_elements(loop, bytes);
    double each = (double)(shape->read + shape->written) * (double)sizeof(double);
    struct roof_level *to = &m->roofs->level[level];
    add(m, team, work, (double)work.elements * each, &to->rate[loop][team], &to->spread[loop][team]);
}

static void add_levels(struct measuring *m, enum roofs_cores team)
{
    struct roofs *roofs = m->roofs;
    roofs->n_levels = m->cpus.n_caches + 1;
    for (int i = 0; i < roofs->n_levels; i++) {
        struct roof_level *level = &roofs->level[i];
        bool memory = i == m->cpus.n_caches;
        const struct cpus_cache *cache = &m->cpus.cache[memory && i > 0 ? i - 1 : i];
        snprintf(level->name, sizeof level->name, memory ? "memory" : i == 0 ? "L%dd" : "L%d", cache->level);
        level->size = memory ? 0 : cache->size;
        level->line = cache->line;
        long long bytes = sizes_level(&m->cpus, i, m->threads[team]);
        for (int loop = 0; loop < STREAM_LOOPS && bytes > 0; loop++)
            add_loop(m, team, i, loop, bytes);
    }
}

/* ---- measuring */

/* Runs it, so many times that it takes the time: long enough for the clock and for the processor's own. A
 * first run may have been interrupted for so long that the next ones are too short. */
static double run(struct measuring *m, struct test *test)
{
    const double enough = m->care->seconds;
    bool alone;
    double seconds = team_run(m->team[test->team], &test->work, &alone);
    double rate = seconds > 0 ? test->units * (double)test->work.amount / seconds : 0;
    if (rate > *test->best)
        *test->best = rate;
    if (test->n < MOST_ROUNDS)
        test->rate[test->n++] = rate;
    test->quiet = test->quiet || (alone && seconds > enough / 4);
    if (seconds < enough / 2)
        test->work.amount =
            (long)((double)test->work.amount * (seconds > enough / 1000 ? enough / seconds : 10)) + 1;
    return seconds;
}

/* Chooses the number of passes for a test such that it takes about the time it should. These runs find the
 * caches as others left them, and do not count. */
static void adjust(struct measuring *m, struct test *test)
{
    enum { TIMES = 40, LEAST = 2 };
    for (int i = 0; i < TIMES; i++)
        if (run(m, test) >= m->care->seconds / 2 && i >= LEAST)
            break;
    *test->best = 0;
    test->n = 0;
    test->quiet = false;
}

static void tell(const struct measuring *m, int done)
{
    double all = (double)m->n * (m->care->rounds + 2);
    if (m->care->progress != NULL)
        m->care->progress(m->care->data, (double)done / all);
}

/* Repeats disturbed tests, on a busy machine, until each test had its cores for itself, or nearly so. */
static void run_disturbed(struct measuring *m)
{
    enum { PATIENCE = 4 };
    for (int again = 0; again < PATIENCE * m->care->rounds; again++)
        for (int i = 0; i < m->n; i++)
            if (!m->test[i].quiet)
                run(m, &m->test[i]);
    m->roofs->busy = false;
    for (int i = 0; i < m->n; i++)
        m->roofs->busy = m->roofs->busy || !m->test[i].quiet;
}

static int ascending(const void *one, const void *other)
{
    double a = *(const double *)one, b = *(const double *)other;
    return (a > b) - (a < b);
}

/* With one round there is none. */
static void find_spread(struct test *test)
{
    if (test->spread == NULL || test->n < 2 || *test->best <= 0)
        return;
    qsort(test->rate, (size_t)test->n, sizeof test->rate[0], ascending);
    double median = (test->rate[(test->n - 1) / 2] + test->rate[test->n / 2]) / 2;
    *test->spread = 1 - median / *test->best;
}

static void run_tests(struct measuring *m)
{
    int done = 0;
    for (int i = 0; i < m->n; i++, tell(m, done += 2))
        adjust(m, &m->test[i]);
    for (int round = 0; round < m->care->rounds; round++)
        for (int i = 0; i < m->n; i++, tell(m, ++done))
            run(m, &m->test[i]);
    run_disturbed(m);
    for (int i = 0; i < m->n; i++)
        find_spread(&m->test[i]);
}

/* ---- all */

static void describe(struct measuring *m)
{
    struct roofs *roofs = m->roofs;
    const PAPI_hw_info_t *hardware = PAPI_get_hardware_info();
    gethostname(roofs->host, sizeof roofs->host - 1);
    snprintf(roofs->processor, sizeof roofs->processor, "%s", hardware != NULL ? hardware->model_string : "");
    roofs->cores = m->cpus.n;
    roofs->measured = time(NULL);
}

static const char *make_teams(struct measuring *m)
{
    m->roofs->bound = true;
    for (int team = ROOFS_ONE; team <= ROOFS_ALL; team++) {
        m->threads[team] = team == ROOFS_ONE ? 1 : m->cpus.n;
        if (team == ROOFS_ALL && m->cpus.n == 1)
            continue;
        long long bytes = sizes_level(&m->cpus, m->cpus.n_caches, m->threads[team]);
        m->team[team] = team_make(&m->cpus, m->threads[team], team_room((size_t)bytes));
        if (m->team[team] == NULL)
            return errno == ENOMEM ? "there is not enough memory for arrays larger than the caches"
                                   : "the threads that measure cannot be made";
        m->roofs->bound &= team_is_bound(m->team[team]);
    }
    return NULL;
}

/* Copies what one core has to all: there is only one. */
static void copy_one(struct roofs *roofs)
{
    for (struct roof_peak *peak = roofs->peak; peak < roofs->peak + roofs->n_peaks; peak++) {
        peak->rate[ROOFS_ALL] = peak->rate[ROOFS_ONE];
        peak->spread[ROOFS_ALL] = peak->spread[ROOFS_ONE];
    }
    for (struct roof_level *level = roofs->level; level < roofs->level + roofs->n_levels; level++)
        for (int loop = 0; loop < STREAM_LOOPS; loop++) {
            level->rate[loop][ROOFS_ALL] = level->rate[loop][ROOFS_ONE];
            level->spread[loop][ROOFS_ALL] = level->spread[loop][ROOFS_ONE];
        }
}

static void know_no_spread(struct roofs *roofs)
{
    for (int team = 0; team < ROOFS_TEAMS; team++) {
        for (int i = 0; i < ROOFS_PEAKS; i++)
            roofs->peak[i].spread[team] = -1;
        for (int i = 0; i < ROOFS_LEVELS * STREAM_LOOPS; i++)
            roofs->level[i / STREAM_LOOPS].spread[i % STREAM_LOOPS][team] = -1;
    }
}

const char *roofs_measure(struct roofs *roofs, const struct roofs_care *care)
{
    struct measuring *m = calloc(1, sizeof *m);
    *roofs = (struct roofs){.cores = 0};
    know_no_spread(roofs);
    if (m == NULL)
        return "out of memory";
    m->roofs = roofs;
    m->care = care;
    const char *why = cpus_find(&m->cpus) ?: make_teams(m);
    if (why == NULL) {
        describe(m);
        for (int team = ROOFS_ONE; team <= ROOFS_ALL; team++)
            if (m->team[team] != NULL) {
                add_peaks(m, team);
                add_levels(m, team);
            }
        if (clock_additions > 0)
            add(m, ROOFS_ONE, (struct team_work){.peak = NULL}, clock_additions, &roofs->clock, NULL);
        run_tests(m);
        if (roofs->cores == 1)
            copy_one(roofs);
    }
    for (int team = ROOFS_ONE; team <= ROOFS_ALL; team++)
        team_end(m->team[team]);
    cpus_free(&m->cpus);
    free(m);
    return why;
}

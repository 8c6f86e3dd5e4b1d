/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/scaling.h"

#include "report/figure.h"
#include "report/reference.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SCALING_KEY(id, key, name) key,
#define SCALING_NAME(id, key, name) name,
const char *const scaling_key[] = {SCALING_ROW_LIST(SCALING_KEY)};
const char *const scaling_name[] = {SCALING_ROW_LIST(SCALING_NAME)};
const int scaling_ahead[] = {2, 8};

/* Below this, POP calls an efficiency worth looking at. */
#define WORTH_A_LOOK 0.8
/* The exponent p in work ~ ranks^p is 0 by strong scaling and 1 by weak: both as far as this. */
#define EXPONENT_AWAY 0.3
/* Efficiencies of two runs that are nearer than this are not told apart. */
#define SAME 0.02

static double elapsed(const struct job *job)
{
    double longest = (double)job->metric[METRIC_ELAPSED].largest[0].value;
    return longest > 0 ? longest : NAN;
}

/* ---- columns */

static int by_ranks_and_time(const void *one, const void *other)
{
    const struct job *a = *(const struct job *const *)one, *b = *(const struct job *const *)other;
    double x = elapsed(a), y = elapsed(b);
    if (a->ranks != b->ranks)
        return (a->ranks > b->ranks) - (a->ranks < b->ranks);
    return (x > y) - (x < y);
}

/* Puts runs on the same number of ranks into a column; of an even number, the faster one of the two in the
 * middle stands for them. */
static void put_columns(struct scaling *scaling, const struct job **job, int n)
{
    for (int first = 0, next; first < n; first = next) {
        for (next = first + 1; next < n && job[next]->ranks == job[first]->ranks;)
            next++;
        scaling->column[scaling->n++] = (struct scaling_column){.job = job[first + (next - first - 1) / 2],
                                                                .runs = next - first,
                                                                .least = elapsed(job[first]),
                                                                .most = elapsed(job[next - 1])};
    }
}

/* ---- what kind of scaling it is */

/* The work of all ranks: instructions where all runs have counted them, otherwise the useful time. */
static double work_of(const struct scaling *scaling, const struct job *job, bool instructions)
{
    int counter = rate_counters(job).instructions;
    return instructions ? rate_sum(job, counter, scaling->outside_mpi)
                        : metric_sum(&job->metric[METRIC_USEFUL]);
}

static bool all_count_instructions(const struct scaling *scaling)
{
    bool all = true;
    for (int i = 0; i < scaling->n; i++) {
        const struct job *job = scaling->column[i].job;
        int counter = rate_counters(job).instructions;
        all = all && counter >= 0 && rate_sum(job, counter, scaling->outside_mpi) > 0;
    }
    return all;
}

static void find_kind(struct scaling *scaling)
{
    const struct job *first = scaling->column[0].job, *last = scaling->column[scaling->n - 1].job;
    bool instructions = all_count_instructions(scaling);
    scaling->by = !instructions          ? "useful time"
                  : scaling->outside_mpi ? "instructions outside MPI"
                                         : "instructions";
    scaling->work = figure_ratio(work_of(scaling, last, instructions), work_of(scaling, first, instructions));
    if (scaling->given)
        return;
    double exponent = log(scaling->work) / log((double)last->ranks / (double)first->ranks);
    scaling->kind = fabs(exponent) <= EXPONENT_AWAY       ? SCALING_STRONG
                    : fabs(exponent - 1) <= EXPONENT_AWAY ? SCALING_WEAK
                                                          : SCALING_UNKNOWN;
}

/* ---- the rows of a column */

/* The work that this run should have, as a multiple of the first column's. */
static double meant(const struct scaling *scaling, const struct job *job)
{
    switch (scaling->kind) {
    case SCALING_STRONG:
        return 1;
    case SCALING_WEAK:
        return (double)job->ranks / (double)scaling->column[0].job->ranks;
    default:
        return NAN;
    }
}

static void put_values(struct scaling *scaling, struct scaling_column *column)
{
    const struct job *job = column->job, *first = scaling->column[0].job;
    struct comparison beside = compare_counted(job, first, scaling->outside_mpi);
    struct efficiency efficiency = job_efficiency(job);
    struct rates rates = rates_of(job, scaling->outside_mpi);
    double work = meant(scaling, job);
    const double value[SCALING_ROWS] = {
        [SCALING_ELAPSED] = elapsed(job),
        [SCALING_SPEEDUP] = work * elapsed(first) / elapsed(job),
        [SCALING_GLOBAL] = efficiency.parallel * beside.computation * work,
        [SCALING_PARALLEL] = efficiency.parallel,
        [SCALING_BALANCE] = efficiency.load_balance,
        [SCALING_IN_NODES] = efficiency.in_nodes,
        [SCALING_ACROSS_NODES] = efficiency.across_nodes,
        [SCALING_COMMUNICATION] = efficiency.communication,
        [SCALING_SERIALISATION] = efficiency.serialisation,
        [SCALING_TRANSFER] = efficiency.transfer,
        [SCALING_COMPUTATION] = beside.computation * work,
        [SCALING_INSTRUCTIONS] = beside.instructions * work,
        [SCALING_IPC_SCALING] = beside.ipc,
        [SCALING_FREQUENCY] = beside.frequency,
        [SCALING_IPC] = rates.ipc,
        [SCALING_GIGAHERTZ] = rates.gigahertz,
    };
    memcpy(column->value, value, sizeof value);
}

/* ---- the factor that breaks first */

static bool known_in_all(const struct scaling *scaling, enum scaling_row row)
{
    bool known = true;
    for (int i = 0; i < scaling->n; i++)
        known = known && !isnan(scaling->column[i].value[row]);
    return known;
}

/* Fills in the factors that no other one is a part of, as far as all runs have them; returns their number. */
static int leaves(const struct scaling *scaling, enum scaling_row leaf[SCALING_ROWS])
{
    static const struct {
        enum scaling_row whole, part[3];
        int parts;
    } groups[] = {{SCALING_BALANCE, {SCALING_IN_NODES, SCALING_ACROSS_NODES}, 2},
                  {SCALING_COMMUNICATION, {SCALING_SERIALISATION, SCALING_TRANSFER}, 2},
                  {SCALING_COMPUTATION, {SCALING_INSTRUCTIONS, SCALING_IPC_SCALING, SCALING_FREQUENCY}, 3}};
    int n = 0;
    bool nodes = scaling->column[scaling->n - 1].job->nodes > 1;
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
        bool parts = groups[i].whole != SCALING_BALANCE || nodes;
        for (int k = 0; k < groups[i].parts; k++)
            parts = parts && known_in_all(scaling, groups[i].part[k]);
        for (int k = 0; parts && k < groups[i].parts; k++)
            leaf[n++] = groups[i].part[k];
        if (!parts && known_in_all(scaling, groups[i].whole))
            leaf[n++] = groups[i].whole;
    }
    return n;
}

static void find_factor(struct scaling *scaling)
{
    enum scaling_row leaf[SCALING_ROWS];
    const struct scaling_column *first = &scaling->column[0], *last = &scaling->column[scaling->n - 1];
    int n = leaves(scaling, leaf);
    double lowest = WORTH_A_LOOK, least = 1 - SAME;
    scaling->factor = -1;
    for (scaling->at = 0; scaling->at < scaling->n; scaling->at++) {
        const struct scaling_column *column = &scaling->column[scaling->at];
        for (int k = 0; k < n; k++)
            if (column->value[leaf[k]] < lowest) {
                lowest = column->value[leaf[k]];
                scaling->factor = (int)leaf[k];
            }
        if (scaling->factor >= 0)
            return;
    }
    for (int k = 0; k < n; k++) {
        double remains = last->value[leaf[k]] / first->value[leaf[k]];
        if (remains < least) {
            least = remains;
            scaling->factor = (int)leaf[k];
        }
    }
}

/* ---- what is ahead */

static bool is_efficiency(enum scaling_row row)
{
    return row >= SCALING_GLOBAL && row <= SCALING_FREQUENCY;
}

static void estimate(struct scaling *scaling)
{
    struct growth_point point[MAX_RUNS];
    double most = (double)scaling->column[scaling->n - 1].job->ranks;
    for (enum scaling_row row = SCALING_GLOBAL; is_efficiency(row); row++) {
        int n = 0;
        for (int i = 0; i < scaling->n; i++) {
            const struct scaling_column *column = &scaling->column[i];
            double middle = column->value[SCALING_ELAPSED];
            if (column->value[row] > 0)
                point[n++] = (struct growth_point){(double)column->job->ranks, column->value[row],
                                                   (column->most - column->least) / middle};
        }
        for (int i = 0; i < SCALING_AHEAD; i++)
            if (growth_estimate(&scaling->estimate[i][row], point, n, scaling_ahead[i] * most))
                scaling->estimated |= row == SCALING_GLOBAL;
    }
}

/* By strong scaling, the global efficiency is U / (ranks E), where U is the useful time of the first column;
 * by weak scaling, it is U / (first ranks E). */
double scaling_elapsed(const struct scaling *scaling, double global, double ranks)
{
    const struct job *first = scaling->column[0].job;
    double useful = metric_sum(&first->metric[METRIC_USEFUL]);
    return useful / (global * (scaling->kind == SCALING_WEAK ? (double)first->ranks : ranks));
}

/* ---- all */

static bool refuse(char why[SCALING_WHY], const struct job *job)
{
    if (isnan(elapsed(job)))
        snprintf(why, SCALING_WHY,
                 "the run on %" PRIu64 " ranks has no time between MPI_Init and MPI_Finalize: leave it out",
                 job->ranks);
    else if (job->emulated)
        snprintf(why, SCALING_WHY,
                 "the run on %" PRIu64
                 " ranks was in the emulator, whose times are not those of a processor: run it "
                 "without; --reference compares the counts of two runs",
                 job->ranks);
    else
        return false;
    return true;
}

bool scaling_make(struct scaling *scaling, struct job *const *job, int n, enum scaling_kind kind,
                  char why[SCALING_WHY])
{
    const struct job *sorted[MAX_RUNS];
    *scaling = (struct scaling){.kind = kind, .given = kind != SCALING_FOUND, .outside_mpi = 1, .factor = -1};
    for (int i = 0; i < n; i++) {
        if (refuse(why, job[i]))
            return false;
        sorted[i] = job[i];
        scaling->outside_mpi = scaling->outside_mpi && rates_outside(job[i]);
    }
    qsort(sorted, (size_t)n, sizeof *sorted, by_ranks_and_time);
    put_columns(scaling, sorted, n);
    if (scaling->n < 2) {
        snprintf(why, SCALING_WHY,
                 "all of these runs had %" PRIu64
                 " ranks, and a table of runs needs two numbers of ranks: --reference "
                 "compares two runs on as many",
                 sorted[0]->ranks);
        return false;
    }
    find_kind(scaling);
    for (int i = 0; i < scaling->n; i++)
        put_values(scaling, &scaling->column[i]);
    find_factor(scaling);
    if (scaling->kind != SCALING_UNKNOWN)
        estimate(scaling);
    return true;
}

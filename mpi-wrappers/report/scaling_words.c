/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The sentences of a table of runs: what it says, and what it cannot say.
 */
#include "report/scaling.h"

#include "report/figure.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define append(text, ...) figure_append(text, SCALING_VERDICT, __VA_ARGS__)

static const struct scaling_column *first_of(const struct scaling *scaling)
{
    return &scaling->column[0];
}

static const struct scaling_column *last_of(const struct scaling *scaling)
{
    return &scaling->column[scaling->n - 1];
}

static const char *name_of(int row)
{
    switch (row) {
    case SCALING_IN_NODES:
        return "load balance in the nodes";
    case SCALING_ACROSS_NODES:
        return "load balance across the nodes";
    case SCALING_INSTRUCTIONS:
        return "the number of instructions";
    case SCALING_FREQUENCY:
        return "the processors' frequency";
    default:
        return scaling_name[row] + strspn(scaling_name[row], " ");
    }
}

/* ---- the verdict */

static void say_range(char text[SCALING_VERDICT], const struct scaling *scaling)
{
    const struct scaling_column *first = first_of(scaling), *last = last_of(scaling);
    const double *value = last->value;
    append(text, "%s scaling from %" PRIu64 " to %" PRIu64 " ranks: ",
           scaling->kind == SCALING_WEAK ? "Weak" : "Strong", first->job->ranks, last->job->ranks);
    if (scaling->kind == SCALING_WEAK)
        append(text, "%.2f times the time (1 would be ideal)",
               value[SCALING_ELAPSED] / first->value[SCALING_ELAPSED]);
    else
        append(text, "%.2f times as fast (%.3g would be ideal)", value[SCALING_SPEEDUP],
               (double)last->job->ranks / (double)first->job->ranks);
    append(text, ", global efficiency %.2f to %.2f. ", first->value[SCALING_GLOBAL], value[SCALING_GLOBAL]);
}

static void say_factor(char text[SCALING_VERDICT], const struct scaling *scaling)
{
    int row = scaling->factor;
    const struct scaling_column *first = first_of(scaling), *at = &scaling->column[scaling->at];
    if (row < 0)
        append(text, "No factor has fallen by more than 0.02");
    else if (scaling->at == 0)
        append(text, "The lowest factor on %" PRIu64 " ranks already is %s, %.2f; %.2f on %" PRIu64,
               first->job->ranks, name_of(row), first->value[row], last_of(scaling)->value[row],
               last_of(scaling)->job->ranks);
    else if (scaling->at < scaling->n)
        append(text, "The first factor to break is %s: %.2f on %" PRIu64 " ranks, %.2f on %" PRIu64,
               name_of(row), at->value[row], at->job->ranks, first->value[row], first->job->ranks);
    else
        append(text, "The factor that has fallen most is %s, from %.2f to %.2f", name_of(row),
               first->value[row], last_of(scaling)->value[row]);
    append(text, ".");
}

static void say_range_of(char text[SCALING_VERDICT], const struct growth_range *range)
{
    if (range->high - range->low < 0.01)
        append(text, "%.2f", (range->low + range->high) / 2);
    else
        append(text, "%.2f to %.2f", range->low, range->high);
}

static void say_ahead(char text[SCALING_VERDICT], const struct scaling *scaling)
{
    const struct scaling_column *last = last_of(scaling);
    for (int i = 0; i < SCALING_AHEAD && scaling->estimated; i++) {
        const struct growth_range *range = &scaling->estimate[i][SCALING_GLOBAL];
        uint64_t ranks = last->job->ranks * (uint64_t)scaling_ahead[i];
        append(text, i == 0 ? " To be expected: global efficiency " : ", ");
        say_range_of(text, range);
        append(text, " on %" PRIu64 " ranks (%s to ", ranks,
               figure(scaling_elapsed(scaling, range->high, (double)ranks), "ns").text);
        append(text, "%s)", figure(scaling_elapsed(scaling, range->low, (double)ranks), "ns").text);
    }
    if (scaling->estimated)
        append(text, ".");
}

void scaling_verdict(char text[SCALING_VERDICT], const struct scaling *scaling)
{
    const struct scaling_column *first = first_of(scaling), *last = last_of(scaling);
    text[0] = '\0';
    if (scaling->kind == SCALING_UNKNOWN) {
        append(text,
               "From %" PRIu64 " to %" PRIu64
               " ranks the work (%s) became %.2f times as much: neither the same problem nor "
               "one that grows with the ranks. --scaling=strong or --scaling=weak says which was meant. ",
               first->job->ranks, last->job->ranks, scaling->by, scaling->work);
        append(text, "Parallel efficiency %.2f to %.2f. ", first->value[SCALING_PARALLEL],
               last->value[SCALING_PARALLEL]);
    } else {
        say_range(text, scaling);
    }
    say_factor(text, scaling);
    say_ahead(text, scaling);
}

/* ---- remarks */

struct remarks {
    char (*text)[SCALING_REMARK];
    int n;
};

#define remark(remarks, ...)                                                                                 \
    do {                                                                                                     \
        if ((remarks)->n < MAX_SCALING_REMARKS)                                                              \
            snprintf((remarks)->text[(remarks)->n++], SCALING_REMARK, __VA_ARGS__);                          \
    } while (0)

/* Describes how much of the work the last column has, beside the first: "(instructions) stayed the same on 4
 * times as many ranks". */
static void work_text(char text[SCALING_REMARK], const struct scaling *scaling)
{
    double more = (double)last_of(scaling)->job->ranks / (double)first_of(scaling)->job->ranks;
    snprintf(text, SCALING_REMARK, "the work of all ranks (%s) ", scaling->by);
    if (fabs(scaling->work - 1) < 0.01)
        figure_append(text, SCALING_REMARK, "stayed the same");
    else
        figure_append(text, SCALING_REMARK, "became %.3g times as much", scaling->work);
    figure_append(text, SCALING_REMARK, " on %.3g times as many ranks", more);
}

static void say_kind(struct remarks *remarks, const struct scaling *scaling)
{
    bool weak = scaling->kind == SCALING_WEAK;
    char work[SCALING_REMARK];
    if (scaling->kind == SCALING_UNKNOWN)
        return;
    work_text(work, scaling);
    if (scaling->given)
        remark(remarks, "%s scaling, as asked for: %.200s", weak ? "weak" : "strong", work);
    else
        remark(remarks, "taken for %s scaling, as %.200s; --scaling=%s if that is wrong",
               weak ? "weak" : "strong", work, weak ? "strong" : "weak");
}

static bool partial(const struct job *job)
{
    return job->recovered || job->present < job->ranks || job->unfinished > 0;
}

static double team(const struct job *job)
{
    return metric_mean(&job->metric[METRIC_TEAM_THREADS]);
}

static bool same_build(const struct job *a, const struct job *b)
{
    const struct job_object *x = &a->object[0], *y = &b->object[0];
    if (a->n_objects == 0 || b->n_objects == 0 || x->build_id_size == 0 || y->build_id_size == 0)
        return true; /* not known to be different */
    return x->build_id_size == y->build_id_size && memcmp(x->build_id, y->build_id, x->build_id_size) == 0;
}

/* Appends "4, 8 and 16 ranks" of the columns that have it. 0: none has. */
static int columns_with(char text[SCALING_REMARK], const struct scaling *scaling,
                        bool (*has)(const struct scaling *scaling, const struct job *job))
{
    int n = 0, seen = 0;
    for (int i = 0; i < scaling->n; i++)
        n += has(scaling, scaling->column[i].job);
    text[0] = '\0';
    for (int i = 0; i < scaling->n; i++)
        if (has(scaling, scaling->column[i].job)) {
            seen++;
            figure_append(text, SCALING_REMARK, "%s%" PRIu64,
                          seen == 1   ? ""
                          : seen == n ? " and "
                                      : ", ",
                          scaling->column[i].job->ranks);
        }
    return n;
}

static bool is_partial(const struct scaling *scaling, const struct job *job)
{
    (void)scaling;
    return partial(job);
}

static bool is_crowded(const struct scaling *scaling, const struct job *job)
{
    (void)scaling;
    return job->crowded > 0;
}

static bool has_unseen(const struct scaling *scaling, const struct job *job)
{
    (void)scaling;
    return job_has_unseen(job);
}

static bool is_another_program(const struct scaling *scaling, const struct job *job)
{
    return strcmp(figure_base_name(job->program), figure_base_name(first_of(scaling)->job->program)) != 0;
}

static bool is_another_build(const struct scaling *scaling, const struct job *job)
{
    return !is_another_program(scaling, job) && !same_build(job, first_of(scaling)->job);
}

static bool is_another_team(const struct scaling *scaling, const struct job *job)
{
    return fabs(team(job) - team(first_of(scaling)->job)) > 0.5;
}

static void say_doubts(struct remarks *remarks, const struct scaling *scaling)
{
    static const struct {
        bool (*has)(const struct scaling *scaling, const struct job *job);
        const char *words;
    } doubts[] = {
        {is_another_program, "another program than that of the first column"},
        {is_another_build, "another build of the program than that of the first column"},
        {is_partial, "not all ranks in the result, or not to their end"},
        {is_crowded,
         "more ranks than processors, so that ranks took turns: this is not how the program scales"},
        {has_unseen,
         "calls of PMPI_... by the program or its libraries, which are not counted: useful time is at most "
         "what is here, so "
         "that the table does not say how the program scales"},
        {is_another_team,
         "other numbers of threads a rank than in the first column: the table goes by ranks"},
    };
    char ranks[SCALING_REMARK];
    for (size_t i = 0; i < sizeof doubts / sizeof *doubts; i++)
        if (columns_with(ranks, scaling, doubts[i].has) > 0)
            remark(remarks, "warning: the run on %.160s ranks has %s", ranks, doubts[i].words);
}

static bool missing(const struct scaling *scaling, enum scaling_row row)
{
    bool lacks = false;
    for (int i = 0; i < scaling->n; i++)
        lacks = lacks || isnan(scaling->column[i].value[row]);
    return lacks;
}

static bool meets_others(const struct scaling *scaling, const struct job *job)
{
    (void)scaling;
    return job_meets_others(job);
}

static void say_missing(struct remarks *remarks, const struct scaling *scaling)
{
    char ranks[SCALING_REMARK];
    if (missing(scaling, SCALING_IPC_SCALING) && scaling->kind != SCALING_UNKNOWN)
        remark(remarks, "instructions, IPC and frequency need two counters in each run: "
                        "PAPI_EVENTS=PAPI_TOT_INS,PAPI_TOT_CYC");
    if (columns_with(ranks, scaling, meets_others) > 0)
        remark(remarks, "serialisation and transfer are not known of jobs that met others (MPI_Comm_spawn)");
    else if (missing(scaling, SCALING_SERIALISATION))
        remark(remarks, "serialisation and transfer need the critical path in each run: PAPI_MPI_PATH=1");
    if (!missing(scaling, SCALING_IPC_SCALING) && !scaling->outside_mpi)
        remark(
            remarks,
            "instructions, IPC and frequency are of whole ranks, MPI included: their product is not exactly "
            "the computation scalability");
}

static void say_estimates(struct remarks *remarks, const struct scaling *scaling)
{
    bool repeated = false;
    for (int i = 0; i < scaling->n; i++)
        repeated = repeated || scaling->column[i].runs > 1;
    if (scaling->kind == SCALING_UNKNOWN)
        return;
    if (!scaling->estimated)
        remark(remarks, "runs on %d or more numbers of ranks give an estimate for others",
               GROWTH_LEAST_POINTS);
    else
        remark(remarks,
               "what is to be expected holds if the cost goes on as before, by the laws of growth that fit "
               "(best: %s), "
               "with two standard errors%s",
               scaling->estimate[0][SCALING_GLOBAL].law,
               repeated ? "" : "; errors of 2 % are assumed, and repeated runs would measure them");
}

int scaling_remarks(char remark[MAX_SCALING_REMARKS][SCALING_REMARK], const struct scaling *scaling)
{
    struct remarks remarks = {remark, 0};
    say_doubts(&remarks, scaling);
    say_kind(&remarks, scaling);
    say_missing(&remarks, scaling);
    say_estimates(&remarks, scaling);
    return remarks.n;
}

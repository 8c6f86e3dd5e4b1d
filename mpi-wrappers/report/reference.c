/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/reference.h"

#include "report/figure.h"
#include "report/rates.h"
#include "report/sheet.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>

/* The counter has to be the same in both: 0, or -1 where it is not. */
static int same(const struct job *job, int counter, const struct job *reference, int other)
{
    return counter >= 0 && other >= 0 &&
                   strcmp(job->counter_name[counter], reference->counter_name[other]) == 0
               ? 0
               : -1;
}

struct comparison compare(const struct job *job, const struct job *reference)
{
    struct rate_counters here = rate_counters(job), there = rate_counters(reference);
    int outside = rates_outside(job) && rates_outside(reference);
    struct rates rates = rates_of(job, outside), before = rates_of(reference, outside);
    struct comparison result = {NAN, NAN, NAN, NAN, NAN, outside};
    bool instructions = same(job, here.instructions, reference, there.instructions) == 0;
    bool cycles = same(job, here.cycles, reference, there.cycles) == 0;
    result.computation =
        figure_ratio(metric_sum(&reference->metric[METRIC_USEFUL]), metric_sum(&job->metric[METRIC_USEFUL]));
    if (instructions)
        result.instructions = figure_ratio(rate_sum(reference, there.instructions, outside),
                                           rate_sum(job, here.instructions, outside));
    if (instructions && cycles)
        result.ipc = figure_ratio(rates.ipc, before.ipc);
    if (cycles)
        result.frequency = figure_ratio(rates.gigahertz, before.gigahertz);
    result.global = job_efficiency(job).parallel * result.computation;
    return result;
}

/* ------------------------------------------------------------------------- text */

static double elapsed(const struct job *job)
{
    double longest = (double)job->metric[METRIC_ELAPSED].largest[0].value;
    return longest > 0 ? longest : NAN;
}

static void verdict_line(struct sheet *sheet, const struct job *job, const struct job *reference,
                         const struct comparison *comparison)
{
    double ratio = figure_ratio(elapsed(job), elapsed(reference));
    double parallel = job_efficiency(job).parallel, before = job_efficiency(reference).parallel;
    char text[512];
    if (isnan(ratio))
        snprintf(text, sizeof text, "One of the two runs has no time between MPI_Init and MPI_Finalize");
    else if (fabs(ratio - 1) < 0.01)
        snprintf(text, sizeof text, "As fast as the reference");
    else if (ratio < 1)
        snprintf(text, sizeof text, "%.2f times as fast as the reference", 1 / ratio);
    else
        snprintf(text, sizeof text, "%s slower than the reference", figure_percent(ratio - 1).text);
    if (!isnan(ratio) && job->ranks != reference->ranks)
        figure_append(text, sizeof text, ", on %llu ranks instead of %llu", (unsigned long long)job->ranks,
                      (unsigned long long)reference->ranks);
    if (!isnan(ratio))
        figure_append(text, sizeof text, ": parallel efficiency %.2f (was %.2f), computation efficiency %.2f",
                      parallel, before, comparison->computation);
    sheet_wrapped(sheet, 2, 2, text);
}

static void line(struct sheet *sheet, const char *name, const char *here, const char *there,
                 const char *ratio)
{
    sheet_line(sheet, "%-30s %14s %14s %12s", name, here, there, ratio);
}

static void ratio_text(char text[16], double value)
{
    if (isnan(value))
        snprintf(text, 16, "n/a");
    else
        snprintf(text, 16, "%.3f", value);
}

static void value_line(struct sheet *sheet, const char *name, double here, double there, const char *unit)
{
    char ratio[16];
    ratio_text(ratio, figure_ratio(here, there));
    line(sheet, name, figure(here, unit).text, figure(there, unit).text, ratio);
}

static void factor_line(struct sheet *sheet, const char *name, double here, double there)
{
    char one[16], other[16], ratio[16];
    ratio_text(one, here);
    ratio_text(other, there);
    ratio_text(ratio, figure_ratio(here, there));
    line(sheet, name, one, other, ratio);
}

static void scaling_line(struct sheet *sheet, const char *name, double value)
{
    char text[16];
    ratio_text(text, value);
    line(sheet, name, text, "1.000", "");
}

static void job_lines(struct sheet *sheet, const struct job *job, const struct job *reference)
{
    const struct job *both[] = {job, reference};
    char text[2][32] = {"", ""}, name[2][4 * 14 + 1];
    for (int i = 0; i < 2; i++) {
        time_t started = (time_t)both[i]->started;
        struct tm broken;
        if (started > 0 && localtime_r(&started, &broken) != NULL)
            strftime(text[i], sizeof text[i], "%y-%m-%d %H:%M", &broken);
        figure_name(name[i], sizeof name[i], figure_base_name(both[i]->program), 14);
    }
    line(sheet, "", "this run", "reference", "ratio");
    line(sheet, "program", name[0], name[1], "");
    line(sheet, "started", text[0], text[1], "");
}

static void tables(struct sheet *sheet, const struct job *job, const struct job *reference,
                   const struct comparison *comparison)
{
    struct efficiency here = job_efficiency(job), there = job_efficiency(reference);
    int outside = comparison->outside_mpi;
    struct rates rates = rates_of(job, outside), before = rates_of(reference, outside);
    value_line(sheet, "ranks", (double)job->ranks, (double)reference->ranks, "");
    value_line(sheet, "nodes", (double)job->nodes, (double)reference->nodes, "");
    value_line(sheet, "elapsed time", elapsed(job), elapsed(reference), "ns");
    value_line(sheet, "useful time, all ranks", metric_sum(&job->metric[METRIC_USEFUL]),
               metric_sum(&reference->metric[METRIC_USEFUL]), "ns");
    value_line(sheet, "MPI time, all ranks", metric_sum(&job->metric[METRIC_MPI_TIME]),
               metric_sum(&reference->metric[METRIC_MPI_TIME]), "ns");
    factor_line(sheet, "IPC", rates.ipc, before.ipc);
    factor_line(sheet, "GHz", rates.gigahertz, before.gigahertz);
    value_line(sheet, "floating point, a rank", rates.flops, before.flops, "FLOP/s");
    sheet_line(sheet, "%s", "");
    factor_line(sheet, "global efficiency", comparison->global, there.parallel);
    factor_line(sheet, "  parallel efficiency", here.parallel, there.parallel);
    factor_line(sheet, "    load balance", here.load_balance, there.load_balance);
    factor_line(sheet, "      in nodes", here.in_nodes, there.in_nodes);
    factor_line(sheet, "      across nodes", here.across_nodes, there.across_nodes);
    factor_line(sheet, "    communication", here.communication, there.communication);
    scaling_line(sheet, "  computation efficiency", comparison->computation);
    scaling_line(sheet, "    instructions", comparison->instructions);
    scaling_line(sheet, "    IPC", comparison->ipc);
    scaling_line(sheet, "    frequency", comparison->frequency);
}

static bool same_counters(const struct job *job, const struct job *reference)
{
    if (job->n_counters != reference->n_counters)
        return false;
    for (int i = 0; i < job->n_counters; i++)
        if (strcmp(job->counter_name[i], reference->counter_name[i]) != 0)
            return false;
    return true;
}

static bool partial(const struct job *job)
{
    return job->recovered || job->present < job->ranks || job->unfinished > 0;
}

static void warnings(struct sheet *sheet, const struct job *job, const struct job *reference,
                     const struct comparison *comparison)
{
    double product = comparison->instructions * comparison->ipc * comparison->frequency;
    if (strcmp(figure_base_name(job->program), figure_base_name(reference->program)) != 0)
        sheet_wrapped(sheet, 2, 2, "warning: these are different programs");
    if (!same_counters(job, reference))
        sheet_wrapped(
            sheet, 2, 2,
            "warning: the two runs counted different events; n/a where one has not what the other has");
    if (partial(job) || partial(reference))
        sheet_line(sheet, "warning: %s partial: not all ranks are in it, or not to their end",
                   partial(job) && partial(reference) ? "both runs are"
                   : partial(job)                     ? "this run is"
                                                      : "the reference is");
    if (job->emulated != reference->emulated)
        sheet_wrapped(sheet, 2, 2, "warning: one of the two ran in the emulator: compare counts, not times");
    sheet_wrapped(sheet, 2, 2,
                  "computation efficiency is the reference's total useful time over this run's: it is meant "
                  "for the same "
                  "problem on other numbers of ranks");
    if (!comparison->outside_mpi && !isnan(product)) {
        char text[256];
        snprintf(
            text, sizeof text,
            "instructions, IPC and frequency are of whole ranks, MPI included: their product, %.3f, is the "
            "ratio of the ranks' elapsed times, not of the useful ones",
            product);
        sheet_wrapped(sheet, 2, 2, text);
    }
}

void report_comparison(FILE *out, const struct job *job, const struct job *reference)
{
    struct sheet sheet = sheet_on(out);
    struct comparison comparison = compare(job, reference);
    verdict_line(&sheet, job, reference, &comparison);
    sheet_line(&sheet, "%s", "");
    job_lines(&sheet, job, reference);
    tables(&sheet, job, reference, &comparison);
    sheet_line(&sheet, "%s", "");
    warnings(&sheet, job, reference, &comparison);
}

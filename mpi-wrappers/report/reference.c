/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/reference.h"

#include "report/figure.h"
#include "report/rates.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

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

/* ---------------------------------------------------------------- figures and words */

static double elapsed(const struct job *job)
{
    double longest = (double)job->metric[METRIC_ELAPSED].largest[0].value;
    return longest > 0 ? longest : NAN;
}

void comparison_verdict(char text[COMPARISON_VERDICT], const struct job *job, const struct job *reference,
                        const struct comparison *comparison)
{
    double ratio = figure_ratio(elapsed(job), elapsed(reference));
    double parallel = job_efficiency(job).parallel, before = job_efficiency(reference).parallel;
    if (isnan(ratio))
        snprintf(text, COMPARISON_VERDICT,
                 "One of the two runs has no time between MPI_Init and MPI_Finalize");
    else if (fabs(ratio - 1) < 0.01)
        snprintf(text, COMPARISON_VERDICT, "As fast as the reference");
    else if (ratio < 1)
        snprintf(text, COMPARISON_VERDICT, "%.2f times as fast as the reference", 1 / ratio);
    else
        snprintf(text, COMPARISON_VERDICT, "%s slower than the reference", figure_percent(ratio - 1).text);
    if (!isnan(ratio) && job->ranks != reference->ranks)
        figure_append(text, COMPARISON_VERDICT, ", on %llu ranks instead of %llu",
                      (unsigned long long)job->ranks, (unsigned long long)reference->ranks);
    if (!isnan(ratio))
        figure_append(text, COMPARISON_VERDICT,
                      ": parallel efficiency %.2f (was %.2f), computation efficiency %.2f", parallel, before,
                      comparison->computation);
}

int compared_figures(struct compared figure[MAX_COMPARED], const struct job *job, const struct job *reference,
                     const struct comparison *comparison)
{
    struct efficiency here = job_efficiency(job), there = job_efficiency(reference);
    struct rates rates = rates_of(job, comparison->outside_mpi),
                 before = rates_of(reference, comparison->outside_mpi);
    const struct metric *ours = job->metric, *theirs = reference->metric;
    const struct compared all[] = {
        {"ranks", "ranks", "", (double)job->ranks, (double)reference->ranks, COMPARED_VALUE},
        {"nodes", "nodes", "", (double)job->nodes, (double)reference->nodes, COMPARED_VALUE},
        {"elapsed", "elapsed time", "ns", elapsed(job), elapsed(reference), COMPARED_VALUE},
        {"useful", "useful time, all ranks", "ns", metric_sum(&ours[METRIC_USEFUL]),
         metric_sum(&theirs[METRIC_USEFUL]), COMPARED_VALUE},
        {"mpi", "MPI time, all ranks", "ns", metric_sum(&ours[METRIC_MPI_TIME]),
         metric_sum(&theirs[METRIC_MPI_TIME]), COMPARED_VALUE},
        {"ipc", "IPC", "", rates.ipc, before.ipc, COMPARED_FACTOR},
        {"gigahertz", "GHz", "", rates.gigahertz, before.gigahertz, COMPARED_FACTOR},
        {"flops", "floating point, a rank", "FLOP/s", rates.flops, before.flops, COMPARED_VALUE},
        {"global", "global efficiency", "", comparison->global, there.parallel, COMPARED_FACTOR},
        {"parallel", "  parallel efficiency", "", here.parallel, there.parallel, COMPARED_FACTOR},
        {"load_balance", "    load balance", "", here.load_balance, there.load_balance, COMPARED_FACTOR},
        {"in_nodes", "      in nodes", "", here.in_nodes, there.in_nodes, COMPARED_FACTOR},
        {"across_nodes", "      across nodes", "", here.across_nodes, there.across_nodes, COMPARED_FACTOR},
        {"communication", "    communication", "", here.communication, there.communication, COMPARED_FACTOR},
        {"computation", "  computation efficiency", "", comparison->computation, 1, COMPARED_SCALING},
        {"computation_instructions", "    instructions", "", comparison->instructions, 1, COMPARED_SCALING},
        {"computation_ipc", "    IPC", "", comparison->ipc, 1, COMPARED_SCALING},
        {"computation_frequency", "    frequency", "", comparison->frequency, 1, COMPARED_SCALING},
    };
    memcpy(figure, all, sizeof all);
    return sizeof all / sizeof *all;
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

static void product_caveat(char caveat[CAVEAT_ROOM], double product)
{
    snprintf(caveat, CAVEAT_ROOM,
             "instructions, IPC and frequency are of whole ranks, MPI included: their product, %.3f, is the "
             "ratio of the ranks' elapsed times, not of the useful ones",
             product);
}

int comparison_caveats(char caveat[MAX_CAVEATS][CAVEAT_ROOM], const struct job *job,
                       const struct job *reference, const struct comparison *comparison)
{
    double product = comparison->instructions * comparison->ipc * comparison->frequency;
    int n = 0;
    if (strcmp(figure_base_name(job->program), figure_base_name(reference->program)) != 0)
        strcpy(caveat[n++], "warning: these are different programs");
    if (!same_counters(job, reference))
        strcpy(caveat[n++], "warning: the two runs counted different events; n/a where one has not what the "
                            "other has");
    if (partial(job) || partial(reference))
        snprintf(caveat[n++], CAVEAT_ROOM,
                 "warning: %s partial: not all ranks are in it, or not to their end",
                 partial(job) && partial(reference) ? "both runs are"
                 : partial(job)                     ? "this run is"
                                                    : "the reference is");
    if (job->emulated != reference->emulated)
        strcpy(caveat[n++], "warning: one of the two ran in the emulator: compare counts, not times");
    strcpy(caveat[n++], "computation efficiency is the reference's total useful time over this run's: it is "
                        "meant for the same problem on other numbers of ranks");
    if (!comparison->outside_mpi && !isnan(product))
        product_caveat(caveat[n++], product);
    return n;
}

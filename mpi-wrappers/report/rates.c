/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/rates.h"

#include "report/figure.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

/* Presets first, then what the kernel and the emulator call the same. */
static int find(const struct job *job, const char *const *names, int n)
{
    for (int wanted = 0; wanted < n; wanted++)
        for (int i = 0; i < job->n_counters; i++)
            if (strcmp(job->counter_name[i], names[wanted]) == 0)
                return i;
    return -1;
}

struct rate_counters rate_counters(const struct job *job)
{
    static const char *const instructions[] = {"PAPI_TOT_INS", "perf::INSTRUCTIONS",
                                               "perf::PERF_COUNT_HW_INSTRUCTIONS", "emu::INSTRUCTIONS"};
    static const char *const cycles[] = {"PAPI_TOT_CYC", "perf::CYCLES", "perf::PERF_COUNT_HW_CPU_CYCLES"};
    static const char *const operations[] = {"PAPI_FP_OPS", "PAPI_DP_OPS", "PAPI_SP_OPS", "emu::FP_OPS",
                                             "emu::DP_OPS"};
    /* The emulator's are an estimate: instructions per cycle and cycles per second follow from nothing else.
     */
    return (struct rate_counters){find(job, instructions, 4), job->emulated ? -1 : find(job, cycles, 3),
                                  find(job, operations, 5)};
}

double rate_sum(const struct job *job, int counter, int outside_mpi)
{
    if (counter < 0)
        return NAN;
    const struct metric *metric = &job->metric[METRIC_FIXED + counter + (outside_mpi ? MAX_COUNTERS : 0)];
    /* Counts of a part of the ranks do not go with the times of all. */
    return metric->count == 0 || metric->count < job->metric[METRIC_ELAPSED].count ? NAN : metric_sum(metric);
}

/* Counters go on while MPI_Pcontrol(0) holds: then, too, MPI is in them. */
int rates_outside(const struct job *job)
{
    return job->counters_inside && job->paused_ns == 0;
}

double rate_time(const struct job *job, int outside_mpi)
{
    if (outside_mpi)
        return metric_sum(&job->metric[METRIC_USEFUL]);
    return metric_sum(&job->metric[METRIC_ELAPSED]) + (double)job->paused_ns;
}

struct rates rates_of(const struct job *job, int outside_mpi)
{
    struct rate_counters counter = rate_counters(job);
    double instructions = rate_sum(job, counter.instructions, outside_mpi);
    double cycles = rate_sum(job, counter.cycles, outside_mpi);
    double operations = rate_sum(job, counter.operations, outside_mpi);
    double time = rate_time(job, outside_mpi);
    return (struct rates){figure_ratio(instructions, cycles), figure_ratio(cycles, time),
                          figure_ratio(operations, time) * 1e9};
}

/* Joules of the counter, where it is one of what is asked for. */
static bool is_energy(const struct job *job, int counter, bool of_system, double *times)
{
    static const struct {
        const char *name;
        bool of_system;
        double times;
    } known[] = {{"powercap:::ENERGY_UJ:ZONE", false, 1e-6},
                 {"rapl:::PACKAGE_ENERGY:", false, 1e-9},
                 {"powercap:::ENERGY_UJ:PSYS", true, 1e-6},
                 {"rapl:::PSYS_ENERGY:", true, 1e-9}};
    const char *name = job->counter_name[counter];
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].of_system == of_system && strncmp(name, known[i].name, strlen(known[i].name)) == 0 &&
            strstr(name, "SUBZONE") == NULL) {
            *times = known[i].times;
            return true;
        }
    return false;
}

/* Of the whole job where there is no region. NAN: no such counter, or a node that has none. */
static double joules_in(const struct job *job, const struct job_region *region, bool of_system)
{
    double joules = NAN, times;
    for (int i = 0; i < job->n_counters; i++) {
        const struct metric *metric = &job->metric[METRIC_FIXED + i];
        if (!is_energy(job, i, of_system, &times))
            continue;
        if (metric->count < job->nodes)
            return NAN;
        double sum = region != NULL ? (double)region->counter[i] : metric_sum(metric);
        joules = (isnan(joules) ? 0 : joules) + times * sum;
    }
    return joules;
}

/* Of the packages, where they are known. */
static double joules_of(const struct job *job, const struct job_region *region, bool *of_system)
{
    double joules = joules_in(job, region, false);
    *of_system = isnan(joules);
    return *of_system ? joules_in(job, region, true) : joules;
}

double region_joules(const struct job *job, const struct job_region *region)
{
    bool of_system;
    return joules_of(job, region, &of_system);
}

struct energy energy_of(const struct job *job)
{
    bool of_system;
    double joules = joules_of(job, NULL, &of_system);
    double seconds = 1e-9 * (double)job->metric[METRIC_ELAPSED].largest[0].value;
    double operations = rate_sum(job, rate_counters(job).operations, 0);
    return (struct energy){.what = of_system ? "the whole system" : "the packages",
                           .joules = joules,
                           .watts = figure_ratio(figure_ratio(joules, seconds), (double)job->nodes),
                           .delay = joules * seconds,
                           .operations = figure_ratio(operations, joules)};
}

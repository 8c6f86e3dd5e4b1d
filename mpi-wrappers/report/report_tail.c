/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/report_tail.h"
#include "base/reason.h"
#include "base/visible.h"
#include "components/counted/uncounted_share.h"
#include "job/job.h"
#include "record/settings.h"
#include "report/figure.h"
#include "report/reports.h"
#include "report/sheet.h"
#include "report/tables.h"
#include "report/verdict.h"

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- advice with the job's commands */

/* words: as the record has them (rank/counters_plan.c). */
static void write_commands(const struct job *job, const char *words, char *to, size_t size)
{
    static const char emulate[] = "papi_emulate";
    const char *emulator = strstr(words, emulate);
    bool counted = strstr(words, "papi_counted") != NULL;
    figure_append(to, size, "%s", counted || emulator != NULL ? ADVICE_BEGINS : words);
    if (counted)
        figure_append(to, size, "rebuild the program by \"papi_counted mpifort ...\"%s",
                      emulator != NULL ? ", or " : "");
    if (emulator != NULL && job->spawned > 0)
        figure_append(to, size, "have MPI_Comm_spawn start \"papi_emulate%s %s\"", emulator + strlen(emulate),
                      figure_command(job));
    else if (emulator != NULL)
        figure_append(to, size, "run \"papi_mpirun -n %llu papi_emulate%s %s\"",
                      (unsigned long long)job->ranks, emulator + strlen(emulate), figure_command(job));
}

/* Writes the job's reason why something is not counted without its advice, and the advice with the job's own
 * commands; "" where there is none. */
static void count_advice(const struct job *job, char *reason, size_t reason_size, char *advice, size_t size)
{
    const char *words = strstr(job->counter_reason, ADVICE_BEGINS);
    size_t length = words != NULL ? (size_t)(words - job->counter_reason) : sizeof job->counter_reason;
    snprintf(reason, reason_size, "%.*s", (int)length, job->counter_reason);
    advice[0] = '\0';
    if (words != NULL)
        write_commands(job, words, advice, size);
}

/* ---- the remarks */

enum { QUALITY_LINES = 7, FORMULA_LINES = 4, SHARE_LINES = 5, MAX_OUTLIERS = 3 };

/* ---- what is not counted */

enum { MOST_LIBRARIES = 3, MOST_ROUTINES = 3, COLUMNS = 32, FEW = 100, TOO_FEW = 10 };
static const double little = 0.005;

struct text {
    char *to;
    size_t size;
};

#define add_words(text, ...) figure_append((text)->to, (text)->size, __VA_ARGS__)

static const char *percent(uint64_t part, const struct job_share *share, struct figure *figure)
{
    *figure = figure_percent(figure_ratio((double)part, (double)share->samples));
    return figure->text;
}

/* Sums the samples of the library of row first, whose rows follow each other. Returns the first row of the
 * next library. */
static int next_library(const struct job_share *share, int first, uint64_t *samples)
{
    int i = first;
    for (*samples = 0; i < share->n && strcmp(share->row[i].library, share->row[first].library) == 0; i++)
        *samples += share->row[i].samples;
    return i;
}

static void say_routines(struct text *text, const struct job_share *share, int first, int next)
{
    char name[4 * COLUMNS + 1];
    struct figure figure;
    for (int i = first; i < next && i < first + MOST_ROUTINES; i++) {
        const struct share_row *row = &share->row[i];
        if (i > first && (double)row->samples < little * (double)share->samples)
            break;
        figure_name(name, sizeof name, row->routine[0] != '\0' ? row->routine : "(no name)", COLUMNS);
        add_words(text, "%s%s %s", i > first ? ", " : "", name, percent(row->samples, share, &figure));
    }
}

static void say_others(struct text *text, const struct job_share *share)
{
    char name[4 * COLUMNS + 1];
    struct figure figure;
    uint64_t samples;
    bool algebra = false;
    for (int i = 0, next, libraries = 0; i < share->n && libraries < MOST_LIBRARIES; i = next, libraries++) {
        next = next_library(share, i, &samples);
        if ((double)samples < little * (double)share->samples)
            break;
        figure_name(name, sizeof name, figure_base_name(share->row[i].library), COLUMNS);
        add_words(text, "%s %s in %s (",
                  libraries > 0 ? "," : "; not counted:", percent(samples, share, &figure), name);
        say_routines(text, share, i, next);
        add_words(text, ")");
        algebra |= counted_linear_algebra(share->row[i].library);
    }
    if (share->samples < TOO_FEW)
        return;
    add_words(text, "; to have it counted, build it with papi_counted, too%s, or run once under papi_emulate",
              algebra ? " (BLAS and LAPACK: link with counted ones)" : "");
}

/* Writes, for counted builds, how much of the processor time outside MPI is counted, where the rest was, and
 * how to have that counted. A sentence of at most so many bytes; "": nothing is known about it, and was not
 * to be. */
static void share_sentence(char *to, size_t size, const struct job *job)
{
    const struct job_share *share = &job->share;
    struct text text = {to, size};
    struct figure figure;
    to[0] = '\0';
    if (share->samples > 0)
        add_words(
            &text,
            "counted code: %s of the processor time outside MPI (main threads, %llu samples%s), least %s on "
            "rank %llu",
            percent(share->counted, share, &figure), (unsigned long long)share->samples,
            share->samples < FEW ? ", which are few" : "", figure_percent((double)share->least / 10000).text,
            (unsigned long long)share->least_rank);
    if (share->counted < share->samples)
        say_others(&text, share);
    if (share->unknown > 0)
        add_words(
            &text,
            "%sits share of the processor time is not known of %llu %s, which took SIGPROF or ended early",
            to[0] != '\0' ? "; " : "counted code: ", (unsigned long long)share->unknown,
            share->unknown == 1 ? "rank" : "ranks");
}

/* ---- metrics by name */

void report_formulas(FILE *out, const struct job *job)
{
    struct job_formula formula;
    char reason[FORMULA_REASON];
    if (job->formulas[0] == '\0')
        fputs("this job was not asked for metrics by name, such as PAPI_EVENTS=@flops\n", out);
    for (int i = 0; job_formula(job, i, &formula); i++) {
        double value = job_formula_value(job, NULL, &formula, reason);
        if (isnan(value))
            visible_print(out, "%s: - (%s)", formula.name, reason);
        else
            visible_print(out, "%s: %.6g %s", formula.name, value, formula.unit);
        fputc('\n', out);
        visible_print(out, "    = %s: %s", formula.formula, formula.description);
        fputc('\n', out);
    }
}

/* Appends to a text. */
static __attribute__((format(printf, 3, 4))) void add(char *text, size_t size, const char *format, ...)
{
    size_t used = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + used, size - used, format, arguments);
    va_end(arguments);
}

/* Writes the values of the metrics by name as one sentence of at most size bytes. "": none was asked for. */
static void formulas_sentence(char *text, size_t size, const struct job *job)
{
    struct job_formula formula;
    char reason[FORMULA_REASON], lacks[1024] = "";
    text[0] = '\0';
    for (int i = 0; job_formula(job, i, &formula); i++) {
        double value = job_formula_value(job, NULL, &formula, reason);
        if (isnan(value))
            add(lacks, sizeof lacks, "%s%s", lacks[0] != '\0' ? ", " : "", formula.name);
        else
            add(text, size, "%s%s %.4g %s", text[0] != '\0' ? ", " : "all ranks together: ", formula.name,
                value, formula.unit);
    }
    if (lacks[0] != '\0')
        add(text, size, "%sno value of %s: papi_mpi_report --formulas says why", text[0] != '\0' ? "; " : "",
            lacks);
}

/* ---- the tail */

static char *tail_part(struct tail *tail)
{
    char *text = tail->part[tail->n++].text;
    text[0] = '\0';
    return text;
}

/* Closes a part of the tail; if nothing was said, it has no line. */
static void tail_close(struct tail *tail, int most)
{
    int last = tail->n - 1;
    tail->part[last].most = most;
    tail->part[last].lines = sheet_lines_for(tail->sheet, 2, most, tail->part[last].text);
    if (tail->part[last].lines == 0)
        tail->n--;
}

/* Says the values of the metrics by name. */
static void say_formulas(struct tail *tail, const struct job *job)
{
    formulas_sentence(tail_part(tail), TAIL_ROOM, job);
    tail_close(tail, FORMULA_LINES);
}

static void say_share(struct tail *tail, const struct job *job)
{
    share_sentence(tail_part(tail), TAIL_ROOM, job);
    tail_close(tail, SHARE_LINES);
}

/* Says the energy that the processors' packages used; with the operations, if all ranks counted them. */
static void say_energy(struct tail *tail, const struct job *job)
{
    struct energy energy = energy_of(job);
    char *text = tail_part(tail);
    if (!isnan(energy.joules)) {
        append(text, "energy of %s: %s, %s a node; energy-delay product %s", energy.what,
               figure(energy.joules, "J").text, figure(energy.watts, "W").text,
               figure(energy.delay, "Js").text);
        if (!isnan(energy.operations))
            append(text, "; %s a joule", figure(energy.operations, "FLOP").text);
    }
    tail_close(tail, 2);
}

/* Remark on memory, where the ranks of a node took much of what it has. */
static void say_memory(struct tail *tail, const struct job *job)
{
    const double much = 0.5;
    const struct metric *used = &job->metric[METRIC_NODE_MEMORY],
                        *has = &job->metric[METRIC_NODE_MEMORY_LIMIT];
    double most = (double)used->largest[0].value, least = (double)has->smallest[0].value;
    char *text = tail_part(tail), host[4 * 24 + 1];
    if (used->count > 0 && has->count > 0 && most > much * least) {
        append(text, "memory: ranks of one node");
        if (figure_name(host, sizeof host, verdict_host(job, used->largest[0].rank), 24) > 0)
            append(text, " (%s)", host);
        append(text, " took up to %s, %s of the %s that %s (each rank at its peak)", figure(most, "B").text,
               figure_percent(figure_ratio(most, least)).text, figure(least, "B").text,
               has->smallest[0].value == has->largest[0].value ? "a node has" : "the smallest node has");
    }
    tail_close(tail, 2);
}

static void say_rates(struct tail *tail, const struct job *job)
{
    struct rates rates = rates_of(job, rates_outside(job));
    char *text = tail_part(tail);
    if (!isnan(rates.ipc))
        append(text, "IPC %.2f", rates.ipc);
    if (!isnan(rates.gigahertz))
        append(text, "%s%.2f GHz", text[0] ? ", " : "", rates.gigahertz);
    if (!isnan(rates.flops))
        append(text, "%s%s a rank, %s in all", text[0] ? ", " : "", figure(rates.flops, "FLOP/s").text,
               figure(rates.flops * (double)job->metric[METRIC_ELAPSED].count, "FLOP/s").text);
    if (text[0])
        append(text,
               rates_outside(job) ? " (outside MPI)" : " (from MPI_Init to MPI_Finalize, MPI included)");
    if (job->emulated)
        append(text, "%sthe times are the emulator's: counts are exact, rates are not those of a processor",
               text[0] ? "; " : "");
    if (job->counted)
        append(text, "%scounted builds: exact counts, without libraries that were not rebuilt (MPI)",
               text[0] ? "; " : "");
    tail_close(tail, 2);
}

/* 2^bit bytes. */
static void append_size(char *text, int bit)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    append(text, "%d %s", 1 << bit % 10, units[bit / 10]);
}

/* Buckets together, as there is no room for all: from the first to the last that has messages. Bucket b is
 * 2^(b-1) to 2^b - 1 bytes. */
static void say_class(char *text, const uint64_t size[SIZE_BUCKETS], int first, int last, double all)
{
    double part = 0;
    for (; first < last && size[first] == 0; first++)
        continue;
    for (; last > first && size[last] == 0; last--)
        continue;
    for (int b = first; b <= last; b++)
        part += (double)size[b];
    if (part <= 0)
        return;
    append(text, "  ");
    if (last == 0) {
        append(text, "0 B");
    } else {
        append_size(text, first - 1);
        append(text, " - ");
        append_size(text, last);
    }
    append(text, " %s", figure_percent(part / all).text);
}

/* Shares of the messages by size. */
static void say_sizes(struct tail *tail, const uint64_t size[SIZE_BUCKETS], const char *what)
{
    static const int last[] = {0, 6, 10, 14, 18, 22, 26, 63};
    double all = 0;
    for (int i = 0; i < SIZE_BUCKETS; i++)
        all += (double)size[i];
    char *text = tail_part(tail);
    if (all > 0)
        append(text, "%s, %s:", what, figure(all, "").text);
    for (size_t i = 0; all > 0 && i < sizeof last / sizeof *last; i++)
        say_class(text, size, i == 0 ? 0 : last[i - 1] + 1, last[i], all);
    tail_close(tail, 2);
}

/* Names what tells how many calls take as long as the longest one, where that is far above the mean of a call
 * that takes much of the time, and there is room for it. */
static void say_unknown_times(struct tail *tail, const struct job *job)
{
    enum { MOST_LINES = 10 };
    const double far = 100, much = 0.02;
    int lines = 0;
    for (int i = 0; i < tail->n; i++)
        lines += tail->part[i].lines;
    const struct job_call *found = NULL;
    for (int i = 0; i < CALL_COUNT && job->tick_hertz == 0; i++) {
        const struct job_call *call = &job->call[i];
        bool matters = call->calls > 0 && (double)call->main_ns >= much * job_whole_time(job) &&
                       (double)call->longest_ns * (double)call->calls >= far * (double)call->ns;
        if (matters && (found == NULL || call->ns > found->ns))
            found = call;
    }
    if (found == NULL || lines > MOST_LINES)
        return;
    double mean = (double)found->ns / (double)found->calls;
    append(tail_part(tail),
           "%s took %s on average, and once %s: PAPI_MPI_TIMES=1 says how many calls took how long",
           call_name[found - job->call], figure(mean, "ns").text,
           figure((double)found->longest_ns, "ns").text);
    tail_close(tail, 1);
}

enum { TENTHS = 10 };

/* Computes, for each tenth of the timeline, MPI's share of the main threads' time, and the call that has most
 * of it. False: there is no timeline. */
static bool tenths_of(const struct job *job, double share[TENTHS], int call[TENTHS])
{
    int n = COURSE_STEPS;
    while (n > 0 && job->timeline.elapsed_ns[n - 1] == 0)
        n--;
    for (int t = 0; t < TENTHS && n >= TENTHS; t++) {
        double elapsed = 0, mpi = 0, most = 0;
        for (int k = 0; k < JOB_COURSE_CALLS; k++) {
            double own = 0;
            for (int i = t * n / TENTHS; i < (t + 1) * n / TENTHS; i++)
                own += (double)job->timeline.mpi_ns[k][i];
            if (own > most && k < job->timeline_places.n)
                call[t] = job->timeline_places.call[k];
            most = own > most ? own : most;
            mpi += own;
        }
        for (int i = t * n / TENTHS; i < (t + 1) * n / TENTHS; i++)
            elapsed += (double)job->timeline.elapsed_ns[i];
        share[t] = figure_ratio(mpi, elapsed);
    }
    return n >= TENTHS;
}

/* Says where MPI takes a much larger share of the time than elsewhere, as a slow start does. Nothing if it is
 * even: then the report's first line has said it. */
static void say_timeline(struct tail *tail, const struct job *job)
{
    const double differs = 0.1;
    double share[TENTHS] = {0};
    int call[TENTHS] = {0}, most = 0, least = 0;
    if (!tenths_of(job, share, call))
        return;
    for (int t = 1; t < TENTHS; t++) {
        most = share[t] > share[most] ? t : most;
        least = share[t] < share[least] ? t : least;
    }
    char *text = tail_part(tail);
    if (share[most] - share[least] >= differs) {
        append(text, "MPI in each tenth of the run:");
        for (int t = 0; t < TENTHS; t++)
            append(text, " %.0f", 100 * share[t]);
        append(text, " %%; in tenth %d mostly %s", most + 1, call_name[call[most]]);
    }
    tail_close(tail, 1);
}

/* Describes what threads do in the parallel regions of OpenMP. The busiest thread of each rank is compared
 * with the mean of its threads, as sums over all ranks. */
static void say_teams(struct tail *tail, const struct job *job)
{
    double idle = metric_sum(&job->metric[METRIC_TEAM_IDLE]),
           work = metric_sum(&job->metric[METRIC_TEAM_WORK]);
    double most = metric_sum(&job->metric[METRIC_TEAM_MOST]);
    const struct metric *threads = &job->metric[METRIC_TEAM_THREADS];
    char *text = tail_part(tail);
    if (job->teams == TEAMS_NONE)
        append(text, "OpenMP: there was no parallel region, or its runtime is one that cannot be asked");
    else if (idle + work > 0)
        append(text,
               "OpenMP (%s): %s of the time in parallel regions up to %llu threads were idle, waiting for "
               "others; "
               "the busiest thread of a rank worked %s longer than its mean",
               job->teams == TEAMS_OMPT ? "by OMPT" : "by libgomp's calls",
               figure_percent(idle / (idle + work)).text, (unsigned long long)threads->largest[0].value,
               figure_percent(figure_ratio(most * metric_mean(threads), work) - 1).text);
    if (job->task_ranks > 0)
        append(text, "%sOpenMP: not known on %llu ranks, whose threads run tasks while they wait",
               text[0] ? "; " : "", (unsigned long long)job->task_ranks);
    tail_close(tail, 2);
}

/* Writes the efficiencies of the devices. */
static void say_device_efficiency(struct tail *tail, const struct job *job)
{
    const struct device_efficiency efficiency = job_device_efficiency(job);
    char *text = tail_part(tail);
    if (!isnan(efficiency.parallel))
        append(text,
               "devices: parallel efficiency %s%.3f = load balance %.3f x communication %.3f x orchestration "
               "%.3f",
               job_shares_devices(job) ? "at most " : "", efficiency.parallel, efficiency.load_balance,
               efficiency.communication, efficiency.orchestration);
    if (!isnan(efficiency.parallel) && !isnan(efficiency.offload))
        append(text, "; offload efficiency %.3f: the rest of the useful time is in the devices' runtime",
               efficiency.offload);
    if (job->device_ranks > 0 && job_devices(job) == 0)
        append(text, "devices: the ranks gave them nothing to do");
    tail_close(tail, 2);
}

/* Says the energy of the devices, and which of them nobody uses. */
static void say_usable_devices(struct tail *tail, const struct job *job)
{
    device_energy_sentence(tail_part(tail), TAIL_ROOM, job);
    tail_close(tail, 5);
    unused_devices_sentence(tail_part(tail), TAIL_ROOM, job);
    tail_close(tail, 4);
}

/* "node 3 to node 4", of a cell. */
static void say_cell(char *text, const struct job *job, int cell)
{
    const char *what = job->matrix_by == MATRIX_BY_NODE ? "node" : "rank";
    int from = cell / job->matrix_n, to = cell % job->matrix_n;
    if (job->matrix_by != MATRIX_BY_RANKS) {
        append(text, "%s %d to %s %d", what, from, what, to);
        return;
    }
    unsigned long long ranks = job->ranks, n = (unsigned long long)job->matrix_n;
    append(text, "the ranks from %llu on to those from %llu on", (ranks * (unsigned)from + n - 1) / n,
           (ranks * (unsigned)to + n - 1) / n);
}

/* Whom ranks send to: what goes to the partner with the most bytes, to the second, ... and the busiest pair.
 */
static void say_partners(struct tail *tail, const struct job *job)
{
    enum { MOST = 6 };
    double all = (double)job->matrix_other.bytes;
    int busiest = 0, n = 0;
    for (int i = 0; i < job->matrix_n * job->matrix_n; i++) {
        all += (double)job->matrix[i].bytes;
        busiest = job->matrix[i].bytes > job->matrix[busiest].bytes ? i : busiest;
    }
    while (n < MAX_NEIGHBORS && job->neighbor[n].ranks > 0)
        n++;
    char *text = tail_part(tail);
    if (all > 0 && n > 0 && job->ranks > 2) {
        if (n == 1)
            append(text, "one partner a rank");
        else
            append(text, "up to %d%s partners a rank; of the bytes to the first of them, the second, ...:", n,
                   n == MAX_NEIGHBORS ? " or more" : "");
        for (int i = 0; i < n && i < MOST && n > 1; i++)
            append(text, "%s %s", i > 0 ? "," : "",
                   figure_percent((double)job->neighbor[i].bytes / all).text);
        append(text, "; most from ");
        say_cell(text, job, busiest);
        append(text, ": %s", figure((double)job->matrix[busiest].bytes, "B").text);
    }
    tail_close(tail, 2);
}

/* A difference that is worth nobody's look, whatever the other ranks have. */
static double trifle(const struct job *job, int metric)
{
    const char *unit = job_metric_unit(job, metric);
    if (metric >= METRIC_FIXED)
        return 0;
    return strcmp(unit, "ns") == 0  ? 0.01 * (double)job->metric[METRIC_ELAPSED].largest[0].value
           : strcmp(unit, "B") == 0 ? 1e6
                                    : 100;
}

static bool say_extremes(char *text, const struct job *job, int id, const struct percentiles *percentiles,
                         bool high)
{
    const struct metric *metric = &job->metric[id];
    const struct metric_extreme *extreme = high ? metric->largest : metric->smallest;
    double times, fence = fmax(percentiles_fence(percentiles), trifle(job, id));
    const char *unit = report_unit_of(job, id, &times);
    int n = 0;
    for (; n < METRIC_EXTREMES && (uint64_t)n < metric->count; n++)
        if (fabs((double)extreme[n].value - percentiles->p50) <= fence ||
            ((double)extreme[n].value > percentiles->p50) != high)
            break;
    for (int i = 0; i < n && i < 3; i++) {
        char host[4 * 16 + 1];
        append(text, "%srank %llu", i > 0 ? ", " : "", (unsigned long long)extreme[i].rank);
        if (figure_name(host, sizeof host, job->nodes > 1 ? verdict_host(job, extreme[i].rank) : "", 16) > 0)
            append(text, " (%s)", host);
        append(text, " %s", figure(times * (double)extreme[i].value, unit).text);
    }
    if (n > 3)
        append(text, n == METRIC_EXTREMES ? ", and more" : ", and %d more", n - 3);
    return n > 0;
}

/* Ranks far from the median. Few ranks have no spread to be judged by. */
static void say_outliers(struct tail *tail, const struct job *job)
{
    static const int judged[] = {METRIC_USEFUL,       METRIC_PEAK_MEMORY, METRIC_INVOLUNTARY_SWITCHES,
                                 METRIC_MAJOR_FAULTS, METRIC_SENT_BYTES,  METRIC_CPU_SYSTEM};
    const int n = (int)(sizeof judged / sizeof *judged);
    int said = 0;
    for (int i = 0; i < n + job->n_counters && said < MAX_OUTLIERS; i++) {
        int id = i < n ? judged[i] : METRIC_FIXED + i - n;
        if (job->metric[id].count < 8)
            continue;
        struct percentiles percentiles = percentiles_of(job, id);
        char *text = tail_part(tail);
        char high[TAIL_ROOM] = "", low[TAIL_ROOM] = "";
        double times;
        const char *unit = report_unit_of(job, id, &times);
        bool above = say_extremes(high, job, id, &percentiles, true),
             below = say_extremes(low, job, id, &percentiles, false);
        if (above || below)
            append(text, "outliers, %s: %.400s%s%.400s (median %s)", job_metric_name(job, id), high,
                   above && below ? "; " : "", low, figure(times * percentiles.p50, unit).text);
        said += above || below;
        tail_close(tail, 1);
    }
}

/* Names the counters that only a part of the ranks, or of the nodes, has counted. Those that none has are
 * said to be lost elsewhere. */
static void say_partly_counted(char *text, const struct job *job)
{
    enum { MOST = 3 };
    int found = 0;
    for (int i = 0; i < job->n_counters; i++) {
        const struct metric *metric = &job->metric[METRIC_FIXED + i];
        char name[4 * 24 + 1];
        bool of_node = job->node_counters & 1u << i;
        uint64_t wanted = of_node ? job->nodes : job->present;
        if (metric->count == 0 || metric->count >= wanted || ++found > MOST)
            continue;
        figure_name(name, sizeof name, report_name_of(job, METRIC_FIXED + i, 24), 24);
        append(text, "; %s counted by %llu of %llu %s", name, (unsigned long long)metric->count,
               (unsigned long long)wanted, of_node ? "nodes" : "ranks");
    }
    if (found > MOST)
        append(text, "; and %d more counters by a part of them", found - MOST);
}

/* "; sentence: n", where there are any. */
static void say_any(char *text, const char *sentence, uint64_t n)
{
    if (n > 0)
        append(text, "; %s: %llu", sentence, (unsigned long long)n);
}

static void say_counters(char *text, const struct job *job)
{
    if (job->n_counters > 0)
        append(text, job->counters_inside
                         ? "; counters read inside MPI calls too"
                         : "; counters read at region and job boundaries, so MPI is in them");
    say_any(text, "ranks whose counters are multiplexed, so estimates", job->multiplexed);
    say_any(text, "ranks that lost counters (by PAPI_shutdown, or closed), which are not in these",
            job->lost);
    say_any(text, "ranks whose counters and processor time were never read, n/a",
            job->metric[METRIC_CPU_USER].count < job->present
                ? job->present - job->metric[METRIC_CPU_USER].count
                : 0);
    say_any(text, "ranks whose counters may be too little, as they were read too seldom", job->doubtful);
    say_any(text, "counters of the whole node are its first rank's",
            (uint64_t)__builtin_popcount(job->node_counters));
    say_partly_counted(text, job);
    say_any(text, "ranks whose events are not those of rank 0, whose alone are shown", job->different);
}

/* Says how small a part of the time the ranks were on a processor, and the likely cause. */
static void say_processor(char *text, const struct job *job)
{
    const double few = 0.25; /* seldom does a processor have more than 4 ranks */
    double on_processor = verdict_on_processor(job);
    if (on_processor > 0 && on_processor < VERDICT_ON_PROCESSOR)
        append(text, "; ranks were on a processor %s of the time: %s", figure_percent(on_processor).text,
               job->crowded > 0 && on_processor < few
                   ? "there are more ranks than processors, and they slept or others used these"
               : job->crowded > 0            ? "there are more ranks than processors"
               : !verdict_displaced(job)     ? "they slept, in MPI or outside"
               : verdict_may_have_slept(job) ? "other programs, or a limit, held them up, or they slept"
                                             : "other programs, or a limit, held them up");
}

static void say_reason(char *text, const struct job *job)
{
    char alone[sizeof job->counter_reason], reason[4 * sizeof alone + 1], advice[512],
        shown[4 * sizeof advice + 1];
    count_advice(job, alone, sizeof alone, advice, sizeof advice);
    if (figure_name(reason, sizeof reason, alone, sizeof alone) == 0)
        return;
    figure_name(shown, sizeof shown, advice, sizeof advice);
    append(text, "; %s: %s%s", job->n_counters > 0 ? "not counted" : "no counters", reason, advice);
}

/* Remark on what is missing in a critical path that was to be followed. */
static void say_path(char *text, const struct job *job)
{
    uint64_t one_sided = 0;
    for (int i = 0; i < CALL_COUNT; i++)
        one_sided += call_class[i] == CALLS_ONE_SIDED || call_class[i] == CALLS_SYNCHRONISATION
                         ? job->call[i].calls
                         : 0;
    if (job->path_ranks == 0)
        return;
    const char *missing = job_path_missing(job);
    if (missing != NULL)
        append(text, "; the critical path %s", missing);
    say_any(text, "messages and collective calls that are not in the critical path", job->path_missed);
    if (one_sided > 0)
        append(text, "; one-sided communication is not in the critical path");
}

/* Says where names of call sites are missing, and what would bring them, if they have much of the time. */
static void say_unnamed_sites(struct tail *tail, const struct job *job)
{
    const double much = 0.1;
    const struct job_site *most = NULL;
    double all = 0, unnamed = 0;
    for (int i = 0; i < job->n_sites; i++) {
        const struct job_site *site = &job->site[i];
        all += (double)site->ns;
        if (site->object < 0 || site_is_named(job, site))
            continue;
        unnamed += (double)site->ns;
        most = most == NULL || site->ns > most->ns ? site : most;
    }
    char *text = tail_part(tail), name[4 * 40 + 1];
    if (most != NULL && unnamed > much * all) {
        const char *object = figure_base_name(job->object[most->object].path);
        bool of_program = strcmp(object, figure_base_name(job->program)) == 0;
        figure_name(name, sizeof name, object, 40);
        append(text, "call sites without a name: %s of the time at call sites, most in %s, which %s",
               figure_percent(unnamed / all).text, name,
               job->foreign
                   ? "is not opened, because another user made the result (of a copy of your own, it is)"
                   : "has no symbols here (build it with -g, or install its debug symbols)");
        if (!of_program && job->sites_mode == SITES_CALLS)
            append(text, "; PAPI_MPI_SITES=program shows where the program calls its libraries");
    }
    tail_close(tail, 3);
}

/* Says whose times those of the report are. */
static void say_thread_times(char *text, const struct job *job)
{
    append(text,
           "; times of %s are those of all threads that call MPI (%s calls by others than the main ones)",
           job->thread_ranks == job->present ? "all ranks" : "some ranks",
           figure((double)job->other_thread_calls, "").text);
    if (job->blocked_ns > 0)
        append(text, ", which were blocked for %s outside of MPI (in no other figure)",
               figure((double)job->blocked_ns, "ns").text);
    if (job->openmp_ranks > 0 && job->teams == TEAMS_OFF)
        append(text, "; threads of OpenMP that wait without giving up their processor are taken for useful");
}

/* Says which calls move data that is not among the bytes. */
static void say_uncounted(char *text, const struct job *job)
{
    enum { MOST = 3 };
    uint64_t more = 0;
    int said = 0;
    for (int i = 0; i < CALL_COUNT; i++) {
        uint64_t n = job->call[i].uncounted;
        if (n > 0 && said < MOST)
            append(text, "%s %s in %s %s", said++ == 0 ? "; bytes not counted:" : ",", call_name[i],
                   figure((double)n, "").text, n == 1 ? "call" : "calls");
        else
            more += n;
    }
    if (more > 0)
        append(text, ", and %s more", figure((double)more, "").text);
}

/* Says which calls of the program nobody counts. */
static void say_unseen(char *text, const struct job *job)
{
    char functions[VERDICT_ROOM] = "";
    if (!job_has_unseen(job))
        return;
    verdict_unseen(functions, job);
    append(text,
           "; not counted: calls of %s by the program or its libraries, so that MPI time is at least what is "
           "here, and "
           "useful time at most",
           functions);
}

/* Says how to know by which calls messages were received. */
static void say_received(char *text, const struct job *job)
{
    for (int i = 0; i < CALL_COUNT; i++)
        if (job->call[i].calls > 0 && job->call[i].received_bytes == NOT_KNOWN && call_receives[i]) {
            append(text, "; bytes received by call, and per second: with PAPI_MPI_RECEIVED=1");
            return;
        }
}

/* Says what is missing of devices, and how to know of them. */
static void say_devices(char *text, const struct job *job)
{
    if (job->unasked_devices > 0)
        append(text, "; the program can use devices: PAPI_MPI_DEVICES=1 shows what they do");
    if (job->refused_devices > 0)
        append(text, "; devices of %llu %s not recorded%s%s", (unsigned long long)job->refused_devices,
               job->refused_devices == 1 ? "rank are" : "ranks are", job->device_reason[0] ? ": " : "",
               job->device_reason);
    if (job->device_late_ns > 0)
        append(text, "; devices were busy for up to %s more, known too late",
               figure((double)job->device_late_ns, "ns").text);
    say_any(text, "kernels and copies without an end", job->device_unfinished);
    say_any(text, "kernels and copies that there was no room for", job->device_dropped);
    for (int i = 0; i < job_listed_devices(job); i++)
        if (job->device[i].far_ranks > 0) {
            append(text, "; rank %llu ends on another node of memory than its device %s is near to",
                   (unsigned long long)job->device[i].rank, job->device[i].address);
            return;
        }
}

static void say_quality(struct tail *tail, const struct job *job)
{
    double elapsed = job_time(job);
    bool rough = !percentiles_of(job, METRIC_USEFUL).exact;
    char *text = tail_part(tail);
    double overhead = figure_ratio((double)job->overhead_ns, elapsed);
    append(text, "quality: the wrapper took %s of the time (estimate)",
           overhead < 0.001 ? "less than 0.1 %" : figure_percent(overhead).text);
    say_counters(text, job);
    say_processor(text, job);
    if (job->present < job->ranks || job->unfinished > 0)
        append(text, "; ranks missing: %llu, unfinished: %llu",
               (unsigned long long)(job->ranks - job->present), (unsigned long long)job->unfinished);
    if (job->paused_ns > 0)
        append(text,
               "; MPI_Pcontrol(0), or PAPI_hl_efficiency itself, left %s out of the times of calls and ranks",
               figure((double)job->paused_ns, "ns").text);
    if (job->thread_ranks > 0)
        say_thread_times(text, job);
    else if (job->other_thread_calls > 0)
        append(text, "; %s MPI calls by other threads are counted, but not in MPI time and not in \"of all\"",
               figure((double)job->other_thread_calls, "").text);
    say_unseen(text, job);
    say_uncounted(text, job);
    say_devices(text, job);
    say_received(text, job);
    say_any(text, "regions that did not fit", job->regions_left_out);
    say_any(text, "reductions of the program's own (MPI_Op_create) whose work is taken for MPI's",
            job->operations_left);
    if (job->other_sites.calls > 0)
        append(text, "; %s calls from call sites that did not fit, %s",
               figure((double)job->other_sites.calls, "").text,
               figure((double)job->other_sites.ns, "ns").text);
    say_path(text, job);
    if (rough)
        append(text, "; p5, p50 and p95 to 12.5 %%");
    say_reason(text, job);
    tail_close(tail, QUALITY_LINES);
}

static void say_file(struct tail *tail, const char *result_file)
{
    char *text = tail_part(tail);
    if (result_file != NULL)
        append(text, "more in %s: papi_mpi_report reads it, --html draws it", result_file);
    tail_close(tail, 2);
}

void tail_make(struct tail *tail, const struct job *job, const char *result_file)
{
    say_rates(tail, job);
    say_share(tail, job);
    say_formulas(tail, job);
    say_energy(tail, job);
    say_memory(tail, job);
    say_teams(tail, job);
    say_device_efficiency(tail, job);
    say_usable_devices(tail, job);
    say_sizes(tail, job->sent, "messages by size");
    say_timeline(tail, job);
    say_partners(tail, job);
    say_sizes(tail, job->collective, "collective calls by size");
    say_outliers(tail, job);
    say_unnamed_sites(tail, job);
    say_quality(tail, job);
    say_unknown_times(tail, job);
    say_file(tail, result_file);
}

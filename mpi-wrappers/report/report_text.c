/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/report_text.h"

#include "job/formulas.h"
#include "record/settings.h"
#include "report/figure.h"
#include "report/formulas_text.h"
#include "report/percentiles.h"
#include "report/rates.h"
#include "report/share_text.h"
#include "report/sheet.h"
#include "report/site_text.h"
#include "report/verdict.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* What stands below the tables: made first, as the tables get the lines that are left. */
enum {
    NAME_COLUMNS = 22,
    TAIL_LINES = 16,
    QUALITY_LINES = 5,
    FORMULA_LINES = 4,
    SHARE_LINES = 5,
    MAX_OUTLIERS = 3,
    TAIL_ROOM = 1024,
    MAX_COLUMNS = MAX_COUNTERS + 2
};

struct tail {
    const struct sheet *sheet; /* that it is for */
    int n;
    struct {
        int most, lines; /* of all columns; of the sheet's */
        char text[TAIL_ROOM];
    } part[TAIL_LINES];
};

/* What goes into the tables, in the order in which it is worth a line, and how many lines it gets. */
struct table {
    int n, lines;
    int row[METRIC_COUNT + CALL_COUNT + MAX_REGIONS + MAX_JOB_SITES];
};

#define append(text, ...) figure_append(text, TAIL_ROOM, __VA_ARGS__)

/* ------------------------------------------------------------------- the head */

static void head(struct sheet *sheet, const struct job *job)
{
    char text[VERDICT_ROOM];
    verdict_partial(text, job);
    if (text[0] != '\0')
        sheet_wrapped(sheet, 2, 3, text);
    verdict(text, job);
    sheet_wrapped(sheet, 2, 2, text);
}

static void job_line(struct sheet *sheet, const struct job *job)
{
    char date[32] = "", program[4 * 40 + 1], flavour[4 * 12 + 1], host[4 * 24 + 1], on[160], text[TAIL_ROOM];
    time_t started = (time_t)job->started;
    struct tm broken;
    if (job->started > 0 && localtime_r(&started, &broken) != NULL)
        strftime(date, sizeof date, "%Y-%m-%d %H:%M", &broken);
    figure_name(program, sizeof program, figure_base_name(job->program), 40);
    figure_name(flavour, sizeof flavour, job->flavour, 12);
    figure_name(host, sizeof host, job->host, 24);
    if (job->nodes == 1)
        snprintf(on, sizeof on, "on %s", host[0] ? host : "1 node");
    else
        snprintf(on, sizeof on, "on %llu nodes", (unsigned long long)job->nodes);
    snprintf(text, sizeof text, "%s: %llu %s %s, %s, %s, %s elapsed", program[0] ? program : "(no name)",
             (unsigned long long)job->ranks, job->ranks == 1 ? "rank" : "ranks", on, flavour, date,
             figure((double)job->metric[METRIC_ELAPSED].largest[0].value, "ns").text);
    sheet_wrapped(sheet, 2, 1, text);
}

static void efficiency_line(struct sheet *sheet, const char *name, double value, const char *remark)
{
    char bar[] = "                      ";
    int filled = isnan(value) ? 0 : (int)lround(fmin(fmax(value, 0), 1) * 20);
    for (int i = 0; i < 20; i++)
        bar[i] = i < filled ? '#' : '.';
    bool wide = sheet->columns == SHEET_COLUMNS;
    int width = wide ? 26 : 20;
    if (isnan(value))
        sheet_line(sheet, "%-*s   n/a  %s", width, name, remark);
    else
        sheet_line(sheet, "%-*s %5.3f  %s%s", width, name, value, wide ? bar : "", remark);
}

/* "ranks 2 (61 %) and 0 (39 %)": the largest shares. */
static void append_path_ranks(char *text, const struct path *path)
{
    for (int i = 0; i < 3 && path->rank_share[i].ns > 0; i++)
        append(text, "%s%u (%s)", i == 0 ? "" : ", ", path->rank_share[i].of,
               figure_percent((double)path->rank_share[i].ns / (double)path->ns).text);
    if (path->rank_share[3].ns > 0)
        append(text, ", ...");
}

static void append_path_regions(char *text, const struct job *job)
{
    const struct path *path = &job->path;
    for (int i = 0, n = 0; i < PATH_SHARES && path->region_share[i].ns > 0 && n < 2; i++) {
        const char *region = job_path_region(job, path->region_share[i].of);
        char name[4 * 24 + 1] = "";
        if (region == NULL || (region[0] != '\0' && figure_name(name, sizeof name, region, 24) == 0))
            continue;
        append(text, "%s%s (%s)", n++ == 0 ? "; in " : ", ", name[0] ? name : "no region",
               figure_percent((double)path->region_share[i].ns / (double)path->ns).text);
    }
}

/* Whose time the longest chain is made of. */
static void path_lines(struct sheet *sheet, const struct job *job, const struct efficiency *efficiency)
{
    char text[TAIL_ROOM] = "";
    efficiency_line(sheet, "    serialisation", efficiency->serialisation,
                    "ranks wait for each other in turn");
    efficiency_line(sheet, "    transfer", efficiency->transfer, "messages take time");
    append(text, "    critical path: %s, %llu %s; ranks ", figure((double)job->path.ns, "ns").text,
           (unsigned long long)job->path.moves, job->path.moves == 1 ? "change of rank" : "changes of rank");
    append_path_ranks(text, &job->path);
    if (job->n_regions > 0)
        append_path_regions(text, job);
    sheet_wrapped(sheet, 6, 2, text);
}

static void efficiencies(struct sheet *sheet, const struct job *job)
{
    struct efficiency efficiency = job_efficiency(job);
    bool followed = job_path_missing(job) == NULL;
    sheet_line(sheet, "%s", "");
    efficiency_line(sheet, "parallel efficiency", efficiency.parallel,
                    "load balance x communication; good from 0.8 on");
    efficiency_line(sheet, "  load balance", efficiency.load_balance, "in nodes x across nodes");
    efficiency_line(sheet, "    in nodes", efficiency.in_nodes, "");
    efficiency_line(sheet, "    across nodes", efficiency.across_nodes, "");
    efficiency_line(sheet, "  communication", efficiency.communication,
                    followed              ? "serialisation x transfer"
                    : job->path_ranks > 0 ? "serialisation, transfer: n/a (see quality)"
                                          : "serialisation, transfer: only with PAPI_MPI_PATH=1");
    if (followed)
        path_lines(sheet, job, &efficiency);
}

/* ---------------------------------------------------------------- the metrics */

static bool worth_a_line(const struct job *job, int metric)
{
    if (!job_has_metric(job, metric) || job->metric[metric].count == 0)
        return false;
    return metric >= METRIC_FIXED || metric <= METRIC_MPI_TIME || job->metric[metric].largest[0].value > 0;
}

static void choose_metrics(struct table *table, const struct job *job)
{
    static const int first[] = {METRIC_ELAPSED, METRIC_USEFUL, METRIC_MPI_TIME, METRIC_TEAM_IDLE};
    static const int then[] = {METRIC_PEAK_MEMORY,      METRIC_NODE_MEMORY,
                               METRIC_FREQUENCY,        METRIC_SENT_BYTES,
                               METRIC_COLLECTIVE_BYTES, METRIC_FILE_BYTES,
                               METRIC_CPU_USER,         METRIC_CPU_SYSTEM,
                               METRIC_MPI_CALLS,        METRIC_INVOLUNTARY_SWITCHES,
                               METRIC_MAJOR_FAULTS,     METRIC_VOLUNTARY_SWITCHES,
                               METRIC_SENT_AWAY_BYTES,  METRIC_MINOR_FAULTS,
                               METRIC_SENT_MESSAGES,    METRIC_TEAM_TIME,
                               METRIC_TEAM_WORK,        METRIC_TEAM_MOST,
                               METRIC_TEAM_THREADS};
    table->n = 0;
    for (size_t i = 0; i < sizeof first / sizeof *first; i++)
        if (worth_a_line(job, first[i]))
            table->row[table->n++] = first[i];
    for (int i = METRIC_FIXED; i < METRIC_FIXED + job->n_counters; i++)
        if (worth_a_line(job, i))
            table->row[table->n++] = i;
    for (int i = METRIC_FIXED + MAX_COUNTERS; i < METRIC_COUNT; i++)
        if (worth_a_line(job, i))
            table->row[table->n++] = i;
    for (size_t i = 0; i < sizeof then / sizeof *then; i++)
        if (worth_a_line(job, then[i]))
            table->row[table->n++] = then[i];
}

/* How a figure is shown. A counter's unit may be any word: of those that are not here the number stands
 * alone. */
static const char *unit_of(const struct job *job, int metric, double *times)
{
    static const struct {
        const char *unit, *shown;
        double times;
    } known[] = {{"ns", "ns", 1},   {"B", "B", 1},     {"J", "J", 1},     {"bytes", "B", 1}, {"Hz", "Hz", 1},
                 {"uJ", "J", 1e-6}, {"nJ", "J", 1e-9}, {"us", "ns", 1e3}, {"ms", "ns", 1e6}};
    const char *unit = job_metric_unit(job, metric);
    *times = 1;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(unit, known[i].unit) == 0) {
            *times = known[i].times;
            return known[i].shown;
        }
    return "";
}

/* In its column: of a long name of a component's event the event says more. */
static const char *name_of(const struct job *job, int metric, size_t columns)
{
    const char *name = job_metric_name(job, metric), *event = strstr(name, ":::");
    return event != NULL && strlen(name) > columns ? event + 3 : name;
}

static const struct sheet_column metric_columns[] = {
    {NAME_COLUMNS, 0, ""}, {9, 0, "total"},      {17, 0, "min @rank"}, {9, 3, "p5"}, {9, 1, "p50"},
    {9, 2, "p95"},         {17, 0, "max @rank"}, {9, 0, "imbalance"},  {0, 0, NULL}};

static void metric_line(struct sheet *sheet, const struct sheet_column *column, const struct job *job, int id)
{
    const struct metric *metric = &job->metric[id];
    double times;
    const char *unit = unit_of(job, id, &times);
    struct percentiles percentiles = percentiles_of(job, id);
    char name[4 * NAME_COLUMNS + 1], long_name[128];
    bool adds_up = strcmp(unit, "Hz") != 0;
    snprintf(long_name, sizeof long_name, "%s%s", name_of(job, id, NAME_COLUMNS),
             id >= METRIC_FIXED + MAX_COUNTERS ? ", not MPI" : "");
    figure_name(name, sizeof name, long_name, NAME_COLUMNS);
    sheet_row(sheet, column,
              (const char *const[]){
                  name, adds_up ? figure(times * metric_sum(metric), unit).text : "",
                  figure_at(times * (double)metric->smallest[0].value, unit, metric->smallest[0].rank).text,
                  figure(times * percentiles.p5, unit).text, figure(times * percentiles.p50, unit).text,
                  figure(times * percentiles.p95, unit).text,
                  figure_at(times * (double)metric->largest[0].value, unit, metric->largest[0].rank).text,
                  figure_percent(metric_imbalance(metric)).text});
}

/* ------------------------------------------------------------------ MPI calls */

static void sort_rows(struct table *table, const uint64_t *key)
{
    for (int i = 1; i < table->n; i++) {
        int row = table->row[i], at = i;
        for (; at > 0 && key[table->row[at - 1]] < key[row]; at--)
            table->row[at] = table->row[at - 1];
        table->row[at] = row;
    }
}

static void choose_calls(struct table *table, const struct job *job)
{
    uint64_t key[CALL_COUNT];
    table->n = 0;
    for (int i = 0; i < CALL_COUNT; i++) {
        key[i] = job->call[i].ns;
        if (job->call[i].calls > 0)
            table->row[table->n++] = i;
    }
    sort_rows(table, key);
}

static const struct sheet_column call_columns[] = {
    {26, 0, ""},    {9, 0, "calls"},    {9, 0, "time"},           {7, 0, "of MPI"}, {7, 0, "of all"},
    {9, 1, "sent"}, {9, 2, "per call"}, {17, 0, "longest @rank"}, {0, 0, NULL}};

static void call_line(struct sheet *sheet, const struct sheet_column *column, const struct job *job, int id)
{
    const struct job_call *call = &job->call[id];
    char name[4 * 26 + 1];
    double all = 0, elapsed = metric_sum(&job->metric[METRIC_ELAPSED]);
    for (int i = 0; i < CALL_COUNT; i++)
        all += (double)job->call[i].ns;
    figure_name(name, sizeof name, call_name[id], 26);
    sheet_row(sheet, column,
              (const char *const[]){name, figure((double)call->calls, "").text,
                                    figure((double)call->ns, "ns").text,
                                    figure_percent(figure_ratio((double)call->ns, all)).text,
                                    figure_percent(figure_ratio((double)call->main_ns, elapsed)).text,
                                    figure((double)call->bytes, "B").text,
                                    figure(floor((double)call->bytes / (double)call->calls), "B").text,
                                    figure_at((double)call->longest_ns, "ns", call->longest_rank).text});
}

/* ----------------------------------------------------------------- call sites */

/* Those that no place is known of say nothing that the calls do not. */
static void choose_sites(struct table *table, const struct job *job)
{
    uint64_t key[MAX_JOB_SITES];
    table->n = 0;
    for (int i = 0; i < job->n_sites; i++) {
        key[i] = job->site[i].ns;
        if (job->site[i].calls > 0 && job->site[i].object >= 0)
            table->row[table->n++] = i;
    }
    sort_rows(table, key);
}

enum { SITE_COLUMNS = 54 };
static const struct sheet_column site_columns[] = {
    {SITE_COLUMNS, 0, ""}, {9, 0, "time"},       {7, 0, "of MPI"}, {9, 1, "calls"},
    {9, 2, "sent"},        {17, 3, "max @rank"}, {0, 0, NULL}};

static void site_line(struct sheet *sheet, const struct sheet_column *column, const struct job *job, int id)
{
    const struct job_site *site = &job->site[id];
    char name[4 * SITE_COLUMNS + 1], where[SITE_TEXT], text[SITE_TEXT + 64];
    double all = 0;
    for (int i = 0; i < CALL_COUNT; i++)
        all += (double)job->call[i].ns;
    snprintf(text, sizeof text, "%s %s", call_name[site->call], site_text(where, job, site));
    figure_name(name, sizeof name, text, SITE_COLUMNS);
    sheet_row(sheet, column,
              (const char *const[]){name, figure((double)site->ns, "ns").text,
                                    figure_percent(figure_ratio((double)site->ns, all)).text,
                                    figure((double)site->calls, "").text,
                                    figure((double)site->bytes, "B").text,
                                    figure_at((double)site->most_ns, "ns", site->most_rank).text});
}

/* -------------------------------------------------------------------- regions */

static void choose_regions(struct table *table, const struct job *job)
{
    uint64_t key[MAX_REGIONS];
    table->n = 0;
    for (int i = 0; i < job->n_regions && i < MAX_REGIONS; i++) {
        key[i] = job->region[i].ns;
        table->row[table->n++] = i;
    }
    sort_rows(table, key);
}

enum { REGION_COLUMNS = 24, REGION_IPC = 7, REGION_RATE, REGION_ENERGY };
static const struct sheet_column region_columns[] = {
    {REGION_COLUMNS, 0, ""}, {9, 0, "visits"},     {9, 0, "time"},       {7, 0, "of all"},
    {7, 0, "in MPI"},        {17, 2, "min @rank"}, {17, 1, "max @rank"}, {5, 0, "IPC"},
    {7, 0, "MFLOP/s"},       {9, 0, "energy"},     {0, 0, NULL}};

/* Rates and energy where there are counters for them. */
static void choose_region_columns(struct sheet_column column[MAX_COLUMNS], const struct job *job)
{
    struct rate_counters counter = rate_counters(job);
    if (counter.instructions < 0 || counter.cycles < 0)
        column[REGION_IPC].spare = SHEET_LEFT_OUT;
    if (counter.operations < 0)
        column[REGION_RATE].spare = SHEET_LEFT_OUT;
    if (isnan(energy_of(job).joules))
        column[REGION_ENERGY].spare = SHEET_LEFT_OUT;
}

static void region_line(struct sheet *sheet, const struct sheet_column *column, const struct job *job, int id)
{
    const struct job_region *region = &job->region[id];
    struct rate_counters counter = rate_counters(job);
    double elapsed = metric_sum(&job->metric[METRIC_ELAPSED]);
    double joules = region_joules(job, region);
    char name[4 * REGION_COLUMNS + 1], ipc[16] = "";
    struct figure rate = {""};
    figure_name(name, sizeof name, region->name, REGION_COLUMNS);
    if (counter.instructions >= 0 && counter.cycles >= 0 && region->counter[counter.cycles] > 0)
        snprintf(ipc, sizeof ipc, "%.2f",
                 (double)region->counter[counter.instructions] / (double)region->counter[counter.cycles]);
    if (counter.operations >= 0 && region->ns > 0 && job->metric[METRIC_FIXED + counter.operations].count > 0)
        rate = figure_plain((double)region->counter[counter.operations] * 1e3 / (double)region->ns);
    sheet_row(sheet, column,
              (const char *const[]){
                  name, figure((double)region->visits, "").text, figure((double)region->ns, "ns").text,
                  figure_percent(figure_ratio((double)region->ns, elapsed)).text,
                  figure_percent(figure_ratio((double)region->mpi_ns, (double)region->ns)).text,
                  figure_at((double)region->least_ns, "ns", region->least_rank).text,
                  figure_at((double)region->most_ns, "ns", region->most_rank).text, ipc, rate.text,
                  joules > 0 ? figure(joules, "J").text : ""});
}

/* What the counters counted in each of them. */
static void choose_counted_regions(struct table *table, const struct job *job)
{
    choose_regions(table, job);
    table->n = job->n_counters > 0 ? table->n : 0;
}

/* As many as have room. */
static void choose_counter_columns(struct sheet_column column[MAX_COLUMNS], const struct job *job)
{
    column[0] = region_columns[0];
    for (int i = 0; i < job->n_counters; i++) {
        const char *event = strrchr(job->counter_name[i], ':');
        column[i + 1] = (struct sheet_column){13, i, event != NULL ? event + 1 : job->counter_name[i]};
    }
    column[job->n_counters + 1].width = 0;
}

static void counted_region_line(struct sheet *sheet, const struct sheet_column *column, const struct job *job,
                                int id)
{
    char name[4 * REGION_COLUMNS + 1];
    struct figure value[MAX_COUNTERS];
    const char *cell[MAX_COUNTERS + 1] = {name};
    figure_name(name, sizeof name, job->region[id].name, REGION_COLUMNS);
    for (int i = 0; i < job->n_counters; i++) {
        double times;
        const char *unit = unit_of(job, METRIC_FIXED + i, &times);
        value[i] = figure(times * (double)job->region[id].counter[i], unit);
        cell[i + 1] = value[i].text;
    }
    sheet_row(sheet, column, cell);
}

/* Metrics by name of each of them. */
static void choose_formula_regions(struct table *table, const struct job *job)
{
    choose_regions(table, job);
    table->n = job->formulas[0] != '\0' ? table->n : 0;
}

/* The first ones that were counted, as many as have room. */
static int formulas_of(const struct job *job, struct job_formula formula[MAX_COLUMNS - 2])
{
    int n = 0;
    for (int i = 0; n < MAX_COLUMNS - 2 && job_formula(job, i, &formula[n]); i++)
        n += formula[n].reason[0] == '\0';
    return n;
}

static void choose_formula_columns(struct sheet_column column[MAX_COLUMNS], const struct job *job)
{
    struct job_formula formula[MAX_COLUMNS - 2];
    int n = formulas_of(job, formula);
    column[0] = region_columns[0];
    for (int i = 0; i < n; i++)
        column[i + 1] = (struct sheet_column){16, i, formula[i].name};
    column[n + 1].width = 0;
}

static void formula_region_line(struct sheet *sheet, const struct sheet_column *column, const struct job *job,
                                int id)
{
    struct job_formula formula[MAX_COLUMNS - 2];
    char name[4 * REGION_COLUMNS + 1], cells[MAX_COLUMNS - 2][24], reason[FORMULA_REASON];
    const char *cell[MAX_COLUMNS] = {name};
    int n = formulas_of(job, formula);
    figure_name(name, sizeof name, job->region[id].name, REGION_COLUMNS);
    for (int i = 0; i < n; i++) {
        double value = job_formula_value(job, &job->region[id], &formula[i], reason);
        snprintf(cells[i], sizeof cells[i], isnan(value) ? "-" : "%.4g", value);
        cell[i + 1] = cells[i];
    }
    sheet_row(sheet, column, cell);
}

/* ------------------------------------------------------------------- the tail */

static char *tail_part(struct tail *tail)
{
    char *text = tail->part[tail->n++].text;
    text[0] = '\0';
    return text;
}

/* Nothing was said: no line. */
static void tail_close(struct tail *tail, int most)
{
    int last = tail->n - 1;
    tail->part[last].most = most;
    tail->part[last].lines = sheet_lines_for(tail->sheet, 2, most, tail->part[last].text);
    if (tail->part[last].lines == 0)
        tail->n--;
}

/* What the processors' packages used; with the operations, if all ranks counted them. */
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

/* Where the ranks of a node took much of what it has. */
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
        append(text, "empty");
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

enum { TENTHS = 10 };

/* Of the main threads' time in each tenth of the steps that there are: the share of MPI; which call has most
 * of it. False: there is nothing. */
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

/* A phase or a slow start, where MPI takes now more and now less; else the first line has said it. */
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

/* What threads do in the parallel regions of OpenMP. The busiest thread of each rank is beside the mean of
 * its threads: of all ranks together, their sums. */
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
    const char *unit = unit_of(job, id, &times);
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
        const char *unit = unit_of(job, id, &times);
        bool above = say_extremes(high, job, id, &percentiles, true),
             below = say_extremes(low, job, id, &percentiles, false);
        if (above || below)
            append(text, "outliers, %s: %.400s%s%.400s (median %s)", job_metric_name(job, id), high,
                   above && below ? "; " : "", low, figure(times * percentiles.p50, unit).text);
        said += above || below;
        tail_close(tail, 1);
    }
}

/* Sums over a part of the ranks. What no rank has any more was lost. */
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
        figure_name(name, sizeof name, name_of(job, METRIC_FIXED + i, 24), 24);
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
    say_any(text, "ranks whose counters may be too little, as they were read too seldom", job->doubtful);
    say_any(text, "counters of the whole node are its first rank's",
            (uint64_t)__builtin_popcount(job->node_counters));
    say_partly_counted(text, job);
    say_any(text, "ranks whose events are not those of rank 0, whose alone are shown", job->different);
}

/* Whose times are those of a crowded machine. */
static void say_processor(char *text, const struct job *job)
{
    const double few = 0.25; /* seldom does a processor have more than 4 ranks */
    double on_processor = verdict_on_processor(job);
    if (on_processor > 0 && on_processor < VERDICT_ON_PROCESSOR)
        append(text, "; ranks were on a processor %s of the time: %s", figure_percent(on_processor).text,
               job->crowded > 0 && on_processor < few
                   ? "there are more ranks than processors, and they slept or others used these"
               : job->crowded > 0       ? "there are more ranks than processors"
               : verdict_displaced(job) ? "other programs, or a limit, held them up"
                                        : "they slept, in MPI or outside");
}

static void say_reason(char *text, const struct job *job)
{
    char reason[4 * sizeof job->counter_reason + 1];
    if (figure_name(reason, sizeof reason, job->counter_reason, sizeof job->counter_reason) > 0)
        append(text, "; %s: %s", job->n_counters > 0 ? "not counted" : "no counters", reason);
}

/* What is missing in a critical path that was to be followed. */
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

/* Where names are missing, and what would bring them. Of little time nobody asks. */
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

static void say_quality(struct tail *tail, const struct job *job)
{
    double elapsed = metric_sum(&job->metric[METRIC_ELAPSED]);
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
        append(text, "; MPI_Pcontrol(0) left %s out of the times of calls and ranks",
               figure((double)job->paused_ns, "ns").text);
    if (job->other_thread_calls > 0)
        append(text, "; %s MPI calls by other threads are counted, but not in MPI time and not in \"of all\"",
               figure((double)job->other_thread_calls, "").text);
    say_any(text, "regions that did not fit", job->regions_left_out);
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

static void make_tail(struct tail *tail, const struct job *job, const char *result_file)
{
    say_rates(tail, job);
    say_share(tail, job);
    say_formulas(tail, job);
    say_energy(tail, job);
    say_memory(tail, job);
    say_teams(tail, job);
    say_sizes(tail, job->sent, "messages by size");
    say_timeline(tail, job);
    say_partners(tail, job);
    say_sizes(tail, job->collective, "collective calls by size");
    say_outliers(tail, job);
    say_unnamed_sites(tail, job);
    say_quality(tail, job);
    say_file(tail, result_file);
}

/* --------------------------------------------------------------------- the whole */

enum { TABLES = 6 };

static const struct {
    void (*choose)(struct table *table, const struct job *job);
    const char *title, *part; /* with all rows; with some of them */
    const struct sheet_column *column;
    void (*choose_columns)(struct sheet_column column[MAX_COLUMNS], const struct job *job); /* NULL: these */
    void (*line)(struct sheet *sheet, const struct sheet_column *column, const struct job *job, int row);
    int least; /* so many rows before another table gets more */
} tables[TABLES] = {
    {choose_metrics, "of each rank", "figures, %d of %d", metric_columns, NULL, metric_line, 4},
    {choose_calls, "MPI calls by time", "top %d of %d MPI calls", call_columns, NULL, call_line, 2},
    {choose_sites, "call sites by time", "top %d of %d call sites", site_columns, NULL, site_line, 2},
    {choose_regions, "regions by time", "top %d of %d regions", region_columns, choose_region_columns,
     region_line, 2},
    {choose_counted_regions, "counters of regions", "counters, %d of %d", region_columns,
     choose_counter_columns, counted_region_line, 2},
    {choose_formula_regions, "metrics of regions", "metrics, %d of %d", region_columns,
     choose_formula_columns, formula_region_line, 2},
};

static void print_table(struct sheet *sheet, const struct job *job, const struct table *table, int which)
{
    char title[32];
    struct sheet_column column[MAX_COLUMNS];
    if (table->lines == 0)
        return;
    for (int i = 0; i == 0 || column[i - 1].width > 0; i++)
        column[i] = tables[which].column[i];
    if (tables[which].choose_columns != NULL)
        tables[which].choose_columns(column, job);
    snprintf(title, sizeof title, table->lines < table->n ? tables[which].part : tables[which].title,
             table->lines, table->n);
    sheet_line(sheet, "%s", "");
    sheet_head(sheet, column, title);
    for (int i = 0; i < table->lines; i++)
        tables[which].line(sheet, column, job, table->row[i]);
}

/* Each table its first lines, fewer where much stands below, then one after the other what it still has. A
 * table needs two more, for the blank and the title. */
static void share_lines(struct table table[TABLES], int left)
{
    for (int i = 0; i < TABLES; i++) {
        left -= table[i].n > 0 ? 2 : 0;
        table[i].lines = table[i].n < tables[i].least ? table[i].n : tables[i].least;
        left -= table[i].lines;
    }
    for (int i = 0; i < TABLES; i++)
        for (; left < 0 && table[i].lines > 1; left++)
            table[i].lines--;
    for (bool given = true; left > 0 && given;) {
        given = false;
        for (int i = 0; i < TABLES && left > 0; i++)
            if (table[i].lines < table[i].n) {
                table[i].lines++;
                left--;
                given = true;
            }
    }
}

int report_text(FILE *out, const struct job *job, const char *result_file)
{
    struct sheet sheet = sheet_on(out);
    struct page {
        struct tail tail;
        struct table table[TABLES];
    } *page = malloc(sizeof *page);
    if (page == NULL)
        return -1;
    head(&sheet, job);
    job_line(&sheet, job);
    efficiencies(&sheet, job);
    page->tail.sheet = &sheet;
    page->tail.n = 0;
    make_tail(&page->tail, job, result_file);
    int below = 1;
    for (int i = 0; i < page->tail.n; i++)
        below += page->tail.part[i].lines;
    for (int i = 0; i < TABLES; i++)
        tables[i].choose(&page->table[i], job);
    share_lines(page->table, sheet_most(&sheet, SHEET_LINES) - sheet.lines - below);
    for (int i = 0; i < TABLES; i++)
        print_table(&sheet, job, &page->table[i], i);
    sheet_line(&sheet, "%s", "");
    for (int i = 0; i < page->tail.n; i++)
        sheet_wrapped(&sheet, 2, page->tail.part[i].most, page->tail.part[i].text);
    free(page);
    return 0;
}

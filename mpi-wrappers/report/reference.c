/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/reference.h"

#include "base/json.h"
#include "report/figure.h"
#include "report/sheet.h"

#include <inttypes.h>
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
    return compare_counted(job, reference, rates_outside(job) && rates_outside(reference));
}

struct comparison compare_counted(const struct job *job, const struct job *reference, int outside)
{
    struct rate_counters here = rate_counters(job), there = rate_counters(reference);
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

/* ---- figures and words */

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

/* ---- as text */

static void line(struct sheet *sheet, const char *name, const char *here, const char *there,
                 const char *ratio)
{
    sheet_line(sheet, "%-30s %14s %14s %12s", name, here, there, ratio);
}

static void factor_text(char text[16], double value)
{
    if (isnan(value))
        snprintf(text, 16, "n/a");
    else
        snprintf(text, 16, "%.3f", value);
}

static void figure_line(struct sheet *sheet, const struct compared *compared)
{
    char here[FIGURE_ROOM], there[FIGURE_ROOM], ratio[16] = "";
    factor_text(here, compared->here);
    factor_text(there, compared->there);
    if (compared->kind == COMPARED_VALUE) {
        strcpy(here, figure(compared->here, compared->unit).text);
        strcpy(there, figure(compared->there, compared->unit).text);
    }
    if (compared->kind != COMPARED_SCALING)
        factor_text(ratio, figure_ratio(compared->here, compared->there));
    line(sheet, compared->name, here, there, ratio);
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

static void figure_lines(struct sheet *sheet, const struct job *job, const struct job *reference,
                         const struct comparison *comparison)
{
    struct compared compared[MAX_COMPARED];
    int n = compared_figures(compared, job, reference, comparison);
    for (int i = 0; i < n; i++) {
        if (strcmp(compared[i].key, "global") == 0)
            sheet_line(sheet, "%s", "");
        figure_line(sheet, &compared[i]);
    }
}

/* ---- call sites */

enum { NAME_COLUMNS = 52, MOST_SITES = 8 };
static const struct sheet_column site_columns[] = {
    {NAME_COLUMNS, 0, ""},  {9, 0, "this run"},   {9, 0, "reference"}, {7, 0, "ratio"},
    {12, 1, "calls, this"}, {11, 1, "reference"}, {0, 0, NULL}};

static uint64_t line_of(const struct job *job, const struct job_site *site)
{
    return site->frames > 0 ? job->frame[site->first_frame].line : 0;
}

/* "MPI_Send halo.f90:57 (was 52) halo::exchange". */
static void pair_name(char *name, size_t room, const struct job *job, const struct job *reference,
                      const struct site_pair *pair)
{
    const struct job_site *site = pair->here != NULL ? pair->here : pair->there;
    char where[SITE_TEXT], text[SITE_TEXT + 64];
    uint64_t before = pair->there != NULL ? line_of(reference, pair->there) : 0;
    site_text(where, pair->here != NULL ? job : reference, site);
    int first = (int)strcspn(where, " ");
    if (pair->here != NULL && before > 0 && before != line_of(job, site))
        snprintf(text, sizeof text, "%s %.*s (was %" PRIu64 ")%s", call_name[site->call], first, where,
                 before, where + first);
    else
        snprintf(text, sizeof text, "%s %s", call_name[site->call], where);
    figure_name(name, room, text, NAME_COLUMNS);
}

static void pair_line(struct sheet *sheet, const struct job *job, const struct job *reference,
                      const struct site_pair *pair)
{
    const struct job_site *here = pair->here, *there = pair->there;
    char name[4 * NAME_COLUMNS + 1], ratio[16] = "";
    pair_name(name, sizeof name, job, reference, pair);
    if (here == NULL || there == NULL)
        strcpy(ratio, here == NULL ? "gone" : "new");
    else
        factor_text(ratio, figure_ratio((double)here->ns, (double)there->ns));
    sheet_row(sheet, site_columns,
              (const char *const[]){name, here == NULL ? "" : figure((double)here->ns, "ns").text,
                                    there == NULL ? "" : figure((double)there->ns, "ns").text, ratio,
                                    here == NULL ? "" : figure((double)here->calls, "").text,
                                    there == NULL ? "" : figure((double)there->calls, "").text});
}

/* Writes the call sites of both runs, those first whose times differ most, as far as there is room. */
static void site_lines(struct sheet *sheet, const struct job *job, const struct job *reference)
{
    struct site_pair pair[MAX_SITE_PAIRS];
    int n = site_pairs(pair, job, reference), fresh = 0, gone = 0;
    char title[128];
    if (job->n_sites == 0 || reference->n_sites == 0) {
        if (job->n_sites != reference->n_sites)
            sheet_line(sheet, "call sites are not compared: %s has none",
                       job->n_sites == 0 ? "this run" : "the reference");
        return;
    }
    for (int i = 0; i < n; i++) {
        fresh += pair[i].there == NULL;
        gone += pair[i].here == NULL;
    }
    snprintf(title, sizeof title, "call sites: %d in both, %d new, %d gone", n - fresh - gone, fresh, gone);
    int room = sheet_most(sheet, SHEET_LINES) - sheet->lines - 2;
    if (room < 1)
        return;
    sheet_line(sheet, "%s", "");
    sheet_head(sheet, site_columns, title);
    for (int i = 0; i < n && i < room && i < MOST_SITES; i++)
        pair_line(sheet, job, reference, &pair[i]);
}

void report_comparison(FILE *out, const struct job *job, const struct job *reference)
{
    struct sheet sheet = sheet_on(out);
    struct comparison comparison = compare(job, reference);
    char verdict[COMPARISON_VERDICT], caveat[MAX_CAVEATS][CAVEAT_ROOM];
    comparison_verdict(verdict, job, reference, &comparison);
    sheet_wrapped(&sheet, 2, 2, verdict);
    sheet_line(&sheet, "%s", "");
    job_lines(&sheet, job, reference);
    figure_lines(&sheet, job, reference, &comparison);
    sheet_line(&sheet, "%s", "");
    int n = comparison_caveats(caveat, job, reference, &comparison);
    for (int i = 0; i < n; i++)
        sheet_wrapped(&sheet, 2, 2, caveat[i]);
    site_lines(&sheet, job, reference);
}

/* ---- as JSON */

/* base/json.c with a depth of 0 puts an object on one line. */

static void write_run(FILE *out, const char *key, const struct job *job)
{
    struct json json = {.out = out};
    fprintf(out, ",\n  \"%s\": {", key);
    json_string(&json, "name", job->job);
    json_string(&json, "program", job->program);
    json_integer(&json, "started", job->started);
    json_integer(&json, "ranks", (long long)job->ranks);
    json_integer(&json, "nodes", (long long)job->nodes);
    fputc('}', out);
}

static void write_figure(FILE *out, const struct compared *compared)
{
    struct json json = {.out = out};
    json_string(&json, "key", compared->key);
    json_string(&json, "name", compared->name + strspn(compared->name, " "));
    json_string(&json, "unit", compared->unit);
    json_real(&json, "value", compared->here);
    json_real(&json, "reference", compared->there);
    json_real(&json, "ratio", figure_ratio(compared->here, compared->there));
}

static void write_side(struct json *json, const char *key, const struct job *job, const struct job_site *site)
{
    const struct job_frame none = {.routine = ""};
    const struct job_frame *frame = site != NULL && site->frames > 0 ? &job->frame[site->first_frame] : &none;
    if (site == NULL) {
        json_string(json, key, NULL);
        return;
    }
    struct json inner = {.out = json->out};
    fprintf(json->out, "%s\"%s\": {", json->follows ? "," : "", key);
    json_string(&inner, "file", frame->file);
    json_integer(&inner, "line", (long long)frame->line);
    json_string(&inner, "object", site->object >= 0 ? job->object[site->object].path : "");
    json_integer(&inner, "address", (long long)site->address);
    for (const struct job_field *field = job_site_fields; field->key != NULL; field++)
        json_integer(&inner, field->key, (long long)job_number(site, field));
    fputc('}', json->out);
    json->follows = true;
}

static void write_pair(FILE *out, const struct job *job, const struct job *reference,
                       const struct site_pair *pair)
{
    struct json json = {.out = out};
    const struct job_site *site = pair->here != NULL ? pair->here : pair->there;
    const struct job *of = pair->here != NULL ? job : reference;
    json_string(&json, "call", call_name[site->call]);
    json_string(&json, "routine", site->frames > 0 ? of->frame[site->first_frame].routine : "");
    write_side(&json, "here", job, pair->here);
    write_side(&json, "reference", reference, pair->there);
}

static void write_caveats(FILE *out, const struct job *job, const struct job *reference,
                          const struct comparison *comparison)
{
    char caveat[MAX_CAVEATS][CAVEAT_ROOM];
    struct json json = {.out = out};
    int n = comparison_caveats(caveat, job, reference, comparison);
    fputs(",\n  \"remarks\": [", out);
    for (int i = 0; i < n; i++)
        json_string(&json, NULL, caveat[i]);
    fputc(']', out);
}

/* {"a": 1}, {"a": 2}: each on a line. */
static void begin_item(FILE *out, int i)
{
    fprintf(out, "%s\n    {", i > 0 ? "," : "");
}

void report_comparison_json(FILE *out, const struct job *job, const struct job *reference)
{
    struct comparison comparison = compare(job, reference);
    struct compared compared[MAX_COMPARED];
    struct site_pair pair[MAX_SITE_PAIRS];
    char verdict[COMPARISON_VERDICT];
    struct json json = {.out = out, .depth = 1};
    comparison_verdict(verdict, job, reference, &comparison);
    fputc('{', out);
    json_string(&json, "format", "papi_mpi comparison");
    json_integer(&json, "version", 1);
    json_string(&json, "verdict", verdict);
    write_run(out, "job", job);
    write_run(out, "reference", reference);
    int n = compared_figures(compared, job, reference, &comparison);
    fputs(",\n  \"figures\": [", out);
    for (int i = 0; i < n; i++) {
        begin_item(out, i);
        write_figure(out, &compared[i]);
        fputc('}', out);
    }
    n = site_pairs(pair, job, reference);
    fputs("\n  ],\n  \"sites\": [", out);
    for (int i = 0; i < n; i++) {
        begin_item(out, i);
        write_pair(out, job, reference, &pair[i]);
        fputc('}', out);
    }
    fputs("\n  ]", out);
    write_caveats(out, job, reference, &comparison);
    fputs("\n}\n", out);
}

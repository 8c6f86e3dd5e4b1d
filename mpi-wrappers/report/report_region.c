/* SPDX-License-Identifier: BSD-3-Clause
 *
 * View of one region of a job: its efficiencies, the MPI calls that were made in it, and what each rank did
 * there.
 */
#include "base/visible.h"
#include "report/figure.h"
#include "report/reports.h"
#include "report/sheet.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT = 1024, NAME_WIDTH = 30, MOST_RANKS = 16 };

#define add(text, ...) figure_append(text, TEXT, __VA_ARGS__)

/* ---- its calls */

struct calls {
    int n;
    const struct job_region_call *call[CALL_COUNT];
};

static int most_first(const void *a, const void *b)
{
    const struct job_region_call *one = *(const struct job_region_call *const *)a;
    const struct job_region_call *other = *(const struct job_region_call *const *)b;
    if (one->ns != other->ns)
        return one->ns < other->ns ? 1 : -1;
    return (one->key > other->key) - (one->key < other->key);
}

static int call_of(const struct job_region_call *call)
{
    return (int)((call->key - 1) % CALL_COUNT);
}

static struct calls calls_of(const struct job *job, int region)
{
    struct calls calls = {.n = 0};
    uint64_t first = job_region_call_key(region, 0), end = job_region_call_key(region + 1, 0);
    for (int i = 0; i < MAX_JOB_REGION_CALLS; i++)
        if (job->region_call[i].key >= first && job->region_call[i].key < end && calls.n < CALL_COUNT)
            calls.call[calls.n++] = &job->region_call[i];
    qsort(calls.call, (size_t)calls.n, sizeof *calls.call, most_first);
    return calls;
}

/* MPI time of the region that is in none of its calls: these had no place, or did not end. */
static uint64_t rest_of(const struct job_region *region, const struct calls *calls)
{
    uint64_t told = 0;
    for (int i = 0; i < calls->n; i++)
        block_add(&told, calls->call[i]->ns);
    return region->mpi_ns > told && region->mpi_ns - told > region->mpi_ns / 100 ? region->mpi_ns - told : 0;
}

static const struct sheet_column call_columns[] = {{NAME_WIDTH, 0, ""},   {9, 0, "calls"}, {9, 0, "time"},
                                                   {7, 0, "of MPI"},      {7, 0, "of it"}, {7, 1, "ranks"},
                                                   {17, 0, "most @rank"}, {0, 0, NULL}};

static void write_calls(struct sheet *sheet, const struct job_region *region, const struct calls *calls)
{
    uint64_t rest = rest_of(region, calls);
    sheet_line(sheet, "%s", "");
    if (calls->n == 0 && rest == 0) {
        sheet_line(sheet, "%s", "no MPI call was made in it");
        return;
    }
    sheet_head(sheet, call_columns, "MPI calls in it");
    for (int i = 0; i < calls->n; i++) {
        const struct job_region_call *call = calls->call[i];
        sheet_row(
            sheet, call_columns,
            (const char *const[]){call_name[call_of(call)], figure((double)call->calls, "").text,
                                  figure((double)call->ns, "ns").text,
                                  figure_percent(figure_ratio((double)call->ns, (double)region->mpi_ns)).text,
                                  figure_percent(figure_ratio((double)call->ns, (double)region->ns)).text,
                                  figure((double)call->ranks, "").text,
                                  figure_at((double)call->most_ns, "ns", call->most_rank).text});
    }
    if (rest > 0)
        sheet_row(sheet, call_columns,
                  (const char *const[]){
                      "others, or not ended", "", figure((double)rest, "ns").text,
                      figure_percent(figure_ratio((double)rest, (double)region->mpi_ns)).text,
                      figure_percent(figure_ratio((double)rest, (double)region->ns)).text, "", ""});
}

/* ---- its ranks */

struct of_rank {
    uint64_t rank, visits, ns, mpi_ns, useful_ns;
};

static int busiest_first(const void *a, const void *b)
{
    const struct of_rank *one = a, *other = b;
    if (one->useful_ns != other->useful_ns)
        return one->useful_ns < other->useful_ns ? 1 : -1;
    return (one->rank > other->rank) - (one->rank < other->rank);
}

static const struct sheet_column rank_columns[] = {{NAME_WIDTH, 0, ""}, {12, 0, "outside MPI"},
                                                   {9, 0, "in MPI"},    {9, 0, "time"},
                                                   {9, 0, "visits"},    {0, 0, NULL}};

static int write_ranks(struct sheet *sheet, const struct job *job, int region)
{
    struct of_rank *of = calloc(job->n_rows + 1, sizeof *of);
    uint64_t n = 0;
    char title[64];
    if (of == NULL)
        return -1;
    for (uint64_t i = 0; i < job->n_rows && region < job->row_regions; i++) {
        const struct job_region *own = job->row[i].region != NULL ? &job->row[i].region[region] : NULL;
        if (own == NULL || own->ranks == 0)
            continue;
        of[n++] = (struct of_rank){job->row[i].rank, own->visits, own->ns, own->mpi_ns, job_outside_mpi(own)};
    }
    qsort(of, n, sizeof *of, busiest_first);
    snprintf(title, sizeof title, n > MOST_RANKS ? "busiest %d of %" PRIu64 " ranks" : "ranks", MOST_RANKS,
             n);
    sheet_line(sheet, "%s", "");
    if (n == 0)
        sheet_line(sheet, "%s", "this result has no figures of regions by rank");
    else
        sheet_head(sheet, rank_columns, title);
    for (uint64_t i = 0; i < n && i < MOST_RANKS; i++) {
        char name[32];
        snprintf(name, sizeof name, "rank %" PRIu64, of[i].rank);
        sheet_row(sheet, rank_columns,
                  (const char *const[]){name, figure((double)of[i].useful_ns, "ns").text,
                                        figure((double)of[i].mpi_ns, "ns").text,
                                        figure((double)of[i].ns, "ns").text,
                                        figure((double)of[i].visits, "").text});
    }
    free(of);
    return 0;
}

/* ---- the whole */

static void add_efficiency(char *text, const char *name, double value)
{
    if (!isnan(value))
        add(text, "%s%s %.3f", text[0] != '\0' ? ", " : "", name, value);
}

int report_region(FILE *out, const struct job *job, int number)
{
    static const char *const names[EFFICIENCIES] = {
        "parallel efficiency", "load balance",  "in nodes", "across nodes",
        "communication",       "serialisation", "transfer"};
    const struct job_region *region = &job->region[number];
    struct efficiency efficiency = job_region_efficiency(job, region);
    struct calls calls = calls_of(job, number);
    struct sheet sheet = sheet_on(out);
    char text[TEXT] = "", name[4 * REGION_NAME + 1];
    visible(name, sizeof name, region->name);
    add(text, "%s: %" PRIu64 " of %" PRIu64 " ranks, %s %s, %s (%s of all), %s of it in MPI", name,
        region->ranks, job->present, figure((double)region->visits, "").text,
        region->visits == 1 ? "visit" : "visits", figure((double)region->ns, "ns").text,
        figure_percent(figure_ratio((double)region->ns, job_whole_time(job))).text,
        figure_percent(figure_ratio((double)region->mpi_ns, (double)region->ns)).text);
    sheet_wrapped(&sheet, 2, 3, text);
    text[0] = '\0';
    for (int i = 0; i < EFFICIENCIES && job->ranks > 1; i++)
        add_efficiency(text, names[i], efficiency.all[i]);
    sheet_wrapped(&sheet, 2, 3, text);
    write_calls(&sheet, region, &calls);
    return write_ranks(&sheet, job, number);
}

void csv_region_calls(FILE *out, const struct job *job, int number)
{
    struct calls calls = calls_of(job, number);
    report_number_titles(out, "name", job_region_call_fields);
    putc('\n', out);
    for (int i = 0; i < calls.n; i++) {
        const struct job_region_call *call = calls.call[i];
        fprintf(out, "%s", call_name[call_of(call)]);
        report_numbers(out, call, job_region_call_fields);
        putc('\n', out);
    }
}

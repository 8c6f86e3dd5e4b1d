/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/job_page.h"

#include "papi.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Figures that the page has of each rank, beside its counters. Rates and figures of nodes are a query's to
 * make. */
static const struct rank_figure {
    enum job_metric metric;
    struct figure_family family;
} rank_figures[] = {
    {METRIC_ELAPSED, {"papi_mpi_elapsed_seconds", "seconds", "Time since MPI_Init", 1e9, false, false}},
    {METRIC_USEFUL, {"papi_mpi_useful_seconds", "seconds", "Time outside of MPI", 1e9, false, false}},
    {METRIC_MPI_TIME, {"papi_mpi_call_seconds", "seconds", "Time in MPI calls", 1e9, false, false}},
    {METRIC_MPI_CALLS, {"papi_mpi_calls", NULL, "MPI calls", 1, false, false}},
    {METRIC_SENT_MESSAGES,
     {"papi_mpi_sent_messages", NULL, "Messages sent, point to point", 1, false, false}},
    {METRIC_SENT_BYTES, {"papi_mpi_sent_bytes", "bytes", "Bytes sent, point to point", 1, false, false}},
    {METRIC_RECEIVED_MESSAGES, {"papi_mpi_received_messages", NULL, "Messages received", 1, false, false}},
    {METRIC_RECEIVED_BYTES, {"papi_mpi_received_bytes", "bytes", "Bytes received", 1, false, false}},
    {METRIC_COLLECTIVE_BYTES,
     {"papi_mpi_collective_bytes", "bytes", "Bytes that collective calls were given", 1, false, false}},
    {METRIC_FILE_BYTES, {"papi_mpi_file_bytes", "bytes", "Bytes of file calls", 1, false, false}},
    {METRIC_CPU_USER,
     {"papi_mpi_cpu_user_seconds", "seconds", "Processor time of the program", 1e9, false, false}},
    {METRIC_CPU_SYSTEM,
     {"papi_mpi_cpu_system_seconds", "seconds", "Processor time of the kernel for it", 1e9, false, false}},
    {METRIC_PEAK_MEMORY,
     {"papi_mpi_peak_memory_bytes", "bytes", "Most memory that it had so far", 1, true, false}},
};

enum { FIGURES = (int)(sizeof rank_figures / sizeof *rank_figures), COLUMNS = FIGURES + MAX_COUNTERS };

static const struct figure_family ranks_family = {
    "papi_mpi_ranks", NULL, "Ranks of the job, on all nodes", 1, true, false};
static const struct figure_family waits_family = {"papi_mpi_open_call_seconds",
                                                  "seconds",
                                                  "Time for which a rank has been in its MPI call",
                                                  1e9,
                                                  true,
                                                  false};

enum { JOB_FIGURES = 1 + EFFICIENCIES };

/* ---- series */

/* Labels come before others: the last one is to be the first. */
static int label(struct series *series, const struct job *job, const char *host, uint64_t rank)
{
    char number[24];
    snprintf(number, sizeof number, "%" PRIu64, rank);
    return series_label(series, "host", host) ?: series_label(series, "rank", number)
           ?: series_label(series, "job", job->job);
}

static int open_column(struct series *series, const struct job *job, const struct job_row *row, int i)
{
    int code = i < FIGURES ? series_open_figure(series, &rank_figures[i].family)
                           : series_open(series, job->counter_name[i - FIGURES], false, false);
    return code ?: label(series, job, row->host, row->rank);
}

/* The columns of a rank, which get their place at the first look at which it is there. NULL: no memory. */
static struct series *columns_of(struct job_page *page, uint64_t of)
{
    int n = page->n_ranks;
    for (int i = 0; i < n; i++)
        if (page->rank[i] == of)
            return page->of_ranks + (size_t)i * COLUMNS;
    uint64_t *rank = realloc(page->rank, (size_t)(n + 1) * sizeof *rank);
    if (rank != NULL)
        page->rank = rank;
    struct series *grown = realloc(page->of_ranks, (size_t)(n + 1) * COLUMNS * sizeof *grown);
    if (grown != NULL)
        page->of_ranks = grown;
    if (rank == NULL || grown == NULL)
        return NULL;
    rank[page->n_ranks++] = of;
    return memset(grown + (size_t)n * COLUMNS, 0, COLUMNS * sizeof *grown);
}

static int open_job(struct job_page *page, const struct job *job)
{
    page->of_job = calloc(JOB_FIGURES, sizeof *page->of_job);
    int code = page->of_job != NULL ? series_open_figure(page->of_job, &ranks_family) : PAPI_ENOMEM;
    for (int i = 0; i < EFFICIENCIES && code == PAPI_OK; i++) {
        char name[80];
        snprintf(name, sizeof name, "papi_mpi_%s%s_ratio", job_efficiency_keys[i],
                 strcmp(job_efficiency_keys[i], "load_balance") == 0 ? "" : "_efficiency");
        code = series_open_figure(&page->of_job[1 + i],
                                  &(struct figure_family){name, "ratio",
                                                          "Efficiency of the ranks that are here, from "
                                                          "MPI_Init until now",
                                                          1, true, true});
    }
    for (int i = 0; i < JOB_FIGURES && code == PAPI_OK; i++)
        code = series_label(&page->of_job[i], "job", job->job);
    return code;
}

/* ---- values */

/* A look that comes while a rank writes may have a little less than the one before: what was shown stays. */
static void take(struct series *series, uint64_t value)
{
    series_take(series, (long long)value, true);
}

static int take_rank(struct job_page *page, const struct job *job, const struct job_row *row)
{
    struct series *column = columns_of(page, row->rank);
    int code = column != NULL ? PAPI_OK : PAPI_ENOMEM;
    for (int i = 0; i < FIGURES + job->n_counters && code == PAPI_OK; i++) {
        int metric = i < FIGURES ? (int)rank_figures[i].metric : METRIC_FIXED + i - FIGURES;
        if (!job_in_rows(job, metric) || row->value[metric] == ROW_NONE)
            continue;
        if (column[i].labels == NULL)
            code = open_column(&column[i], job, row, i);
        if (code == PAPI_OK)
            take(&column[i], row->value[metric]);
    }
    return code;
}

static void take_job(struct series *of_job, const struct job *job)
{
    const struct efficiency efficiency = job_efficiency(job);
    take(of_job, job->ranks);
    for (int i = 0; i < EFFICIENCIES; i++) {
        long long bits;
        memcpy(&bits, &efficiency.all[i], sizeof bits);
        if (!isnan(efficiency.all[i]))
            series_take(&of_job[1 + i], bits, false);
    }
}

static void close_waits(struct job_page *page)
{
    for (int i = 0; i < page->n_waits; i++)
        series_close(&page->waits[i]);
    free(page->waits);
    page->waits = NULL;
    page->n_waits = 0;
}

static const char *host_of(const struct job *job, uint64_t rank)
{
    for (uint64_t i = 0; i < job->n_rows; i++)
        if (job->row[i].rank == rank)
            return job->row[i].host;
    return "";
}

/* Takes for how long main threads have been in their calls, where that is known. */
static int take_waits(struct job_page *page, const struct job *job)
{
    int code = PAPI_OK;
    page->waits = calloc(job->n_open + 1, sizeof *page->waits);
    if (page->waits == NULL)
        return PAPI_ENOMEM;
    for (uint64_t i = 0; i < job->n_open && code == PAPI_OK; i++) {
        const struct job_open *open = &job->open[i];
        if (!open->main || !open->inside || open->call < 0 || open->ending != ENDING_RUNS)
            continue;
        struct series *series = &page->waits[page->n_waits++];
        code = series_open_figure(series, &waits_family) ?: series_label(series, "call", call_name[open->call])
               ?: label(series, job, host_of(job, open->rank), open->rank);
        take(series, open->ns);
    }
    return code;
}

int job_page_take(struct job_page *page, const struct job *job)
{
    int code = page->of_job == NULL ? open_job(page, job) : PAPI_OK;
    for (int i = 0; i < page->n_ranks * COLUMNS; i++)
        page->of_ranks[i].has_value = false;
    for (int i = 0; i < JOB_FIGURES && page->of_job != NULL; i++)
        page->of_job[i].has_value = false;
    close_waits(page);
    for (uint64_t i = 0; i < job->n_rows && code == PAPI_OK; i++)
        code = take_rank(page, job, &job->row[i]);
    if (code == PAPI_OK)
        take_job(page->of_job, job);
    return code ?: take_waits(page, job);
}

/* ---- the page */

int job_page_print(const struct job_page *page, FILE *out, enum openmetrics_form form)
{
    int code = openmetrics_series(out, form, page->of_job, JOB_FIGURES)
               ?: openmetrics_series(out, form, page->of_ranks, page->n_ranks * COLUMNS)
               ?: openmetrics_series(out, form, page->waits, page->n_waits);
    openmetrics_end(out, form);
    return code;
}

void job_page_close(struct job_page *page)
{
    for (int i = 0; i < page->n_ranks * COLUMNS; i++)
        series_close(&page->of_ranks[i]);
    for (int i = 0; i < JOB_FIGURES && page->of_job != NULL; i++)
        series_close(&page->of_job[i]);
    close_waits(page);
    free(page->of_ranks);
    free(page->of_job);
    free(page->rank);
}

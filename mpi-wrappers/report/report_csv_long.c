/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/report_csv.h"
#include "report/site_text.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* What a value is of; NULL: not of one rank, region, ... */
struct subject {
    const struct job_row *row;
    const char *region, *call, *site;
};

static void put_subject(FILE *out, const struct subject *of)
{
    if (of->row != NULL) {
        fprintf(out, "%" PRIu64 ",%" PRIu64 ",", of->row->rank, of->row->node);
        csv_field(out, of->row->host);
    } else {
        fputs(",,", out);
    }
    const char *const names[] = {of->region, of->call, of->site};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        putc(',', out);
        csv_field(out, names[i] != NULL ? names[i] : "");
    }
}

static void put(FILE *out, const struct subject *of, const char *metric, uint64_t value, const char *unit)
{
    put_subject(out, of);
    putc(',', out);
    csv_field(out, metric);
    fprintf(out, ",%" PRIu64 ",", value);
    csv_field(out, unit);
    putc('\n', out);
}

static void put_real(FILE *out, const struct subject *of, const char *metric, double value)
{
    put_subject(out, of);
    fprintf(out, ",%s,%.17g,\n", metric, value);
}

/* "ns" of "ns", "mpi_ns", "longest_ns"; "B" of "bytes", "most_bytes"; otherwise a count, or a rank. */
static const char *unit_of(const char *key)
{
    size_t length = strlen(key);
    if (length >= 2 && strcmp(key + length - 2, "ns") == 0)
        return "ns";
    return length >= 5 && strcmp(key + length - 5, "bytes") == 0 ? "B" : "";
}

static void put_fields(FILE *out, const struct subject *of, const void *from, const struct job_field *field)
{
    for (; field->key != NULL; field++)
        put(out, of, field->key, job_number(from, field), unit_of(field->key));
}

/* A rank may lack some of them. */
static void put_counters(FILE *out, const struct subject *of, const struct job *job,
                         const struct job_region *region)
{
    for (int i = 0; i < job->n_counters; i++)
        if (of->row == NULL || of->row->value[METRIC_FIXED + i] != ROW_NONE)
            put(out, of, job->counter_name[i], region->counter[i], job->counter_units[i]);
}

/* ---- the whole job */

static void put_job(FILE *out, const struct job *job)
{
    const struct subject of = {.row = NULL};
    const struct efficiency efficiency = job_efficiency(job);
    put_fields(out, &of, job, job_fields);
    for (int i = 0; i < EFFICIENCIES; i++)
        if (!isnan(efficiency.all[i])) {
            char name[64];
            snprintf(name, sizeof name, "efficiency.%s", job_efficiency_keys[i]);
            put_real(out, &of, name, efficiency.all[i]);
        }
}

/* A counter goes by its name, not by its place. */
static const char *metric_name(char *name, size_t room, const struct job *job, int metric)
{
    snprintf(name, room, "%s%s", metric >= METRIC_FIXED + MAX_COUNTERS ? "outside_mpi." : "",
             metric < METRIC_FIXED ? job_metric_key(metric) : job_metric_name(job, metric));
    return name;
}

/* "elapsed.sum" is of all ranks; "elapsed" alone is a rank's. */
static void put_of_all(FILE *out, const struct job *job, int metric, const char *what, const char *value)
{
    char name[COUNTER_NAME + 16], whole[COUNTER_NAME + 32];
    snprintf(whole, sizeof whole, "%s.%s", metric_name(name, sizeof name, job, metric), what);
    put_subject(out, &(struct subject){.row = NULL});
    putc(',', out);
    csv_field(out, whole);
    fprintf(out, ",%s,", value);
    csv_field(out, job_metric_unit(job, metric));
    putc('\n', out);
}

static void put_metrics(FILE *out, const struct job *job)
{
    for (int i = 0; i < METRIC_COUNT; i++) {
        const struct metric *metric = &job->metric[i];
        char sum[WIDE_TEXT], number[32];
        if (!job_has_metric(job, i) || metric->count == 0)
            continue;
        put_of_all(out, job, i, "sum", wide_text(metric->sum, sum));
        snprintf(number, sizeof number, "%.17g", metric_mean(metric));
        put_of_all(out, job, i, "mean", number);
        snprintf(number, sizeof number, "%" PRIu64, metric->smallest[0].value);
        put_of_all(out, job, i, "smallest", number);
        snprintf(number, sizeof number, "%" PRIu64, metric->largest[0].value);
        put_of_all(out, job, i, "largest", number);
    }
}

static void put_calls(FILE *out, const struct job *job)
{
    for (int i = 0; i < CALL_COUNT; i++)
        if (job->call[i].calls > 0)
            put_fields(out, &(struct subject){.call = call_name[i]}, &job->call[i], job_call_fields);
}

static void put_sites(FILE *out, const struct job *job)
{
    char text[SITE_TEXT];
    for (int i = 0; i < job->n_sites; i++) {
        const struct job_site *site = &job->site[i];
        if (site->calls > 0)
            put_fields(out,
                       &(struct subject){.call = call_name[site->call], .site = site_text(text, job, site)},
                       site, job_site_fields);
    }
}

static void put_regions(FILE *out, const struct job *job)
{
    for (int i = 0; i < job->n_regions; i++) {
        const struct subject of = {.region = job->region[i].name};
        put_fields(out, &of, &job->region[i], job_region_fields);
        put_counters(out, &of, job, &job->region[i]);
    }
}

/* ---- each rank */

static void put_row_metrics(FILE *out, const struct job *job, const struct job_row *row)
{
    for (int i = 0; i < METRIC_COUNT; i++) {
        if (!job_in_rows(job, i) || row->value[i] == ROW_NONE)
            continue;
        char name[COUNTER_NAME + 16];
        put(out, &(struct subject){.row = row}, metric_name(name, sizeof name, job, i), row->value[i],
            job_metric_unit(job, i));
    }
}

static void put_row_calls(FILE *out, const struct job *job, const struct job_row *row)
{
    for (int i = 0; i < job->n_row_calls && row->call != NULL; i++) {
        const struct subject of = {.row = row, .call = call_name[job->row_call[i]]};
        if (row->call[i].calls == 0)
            continue;
        put(out, &of, "calls", row->call[i].calls, "");
        put(out, &of, "ns", row->call[i].ns, "ns");
        put(out, &of, "bytes", row->call[i].bytes, "B");
    }
}

static void put_row_regions(FILE *out, const struct job *job, const struct job_row *row)
{
    for (int i = 0; i < job->row_regions && row->region != NULL; i++) {
        const struct subject of = {.row = row, .region = job->region[i].name};
        if (row->region[i].ranks == 0)
            continue;
        put(out, &of, "visits", row->region[i].visits, "");
        put(out, &of, "ns", row->region[i].ns, "ns");
        put(out, &of, "mpi_ns", row->region[i].mpi_ns, "ns");
        put_counters(out, &of, job, &row->region[i]);
    }
}

void csv_write_long(FILE *out, const struct job *job)
{
    fputs("rank,node,host,region,call,site,metric,value,unit\n", out);
    put_job(out, job);
    put_metrics(out, job);
    put_calls(out, job);
    put_sites(out, job);
    put_regions(out, job);
    for (uint64_t i = 0; i < job->n_rows; i++) {
        put_row_metrics(out, job, &job->row[i]);
        put_row_calls(out, job, &job->row[i]);
        put_row_regions(out, job, &job->row[i]);
    }
}

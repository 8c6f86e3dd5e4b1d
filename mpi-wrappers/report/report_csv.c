/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/report_csv.h"

#include "base/visible.h"

#include "report/percentiles.h"
#include "report/site_pairs.h"
#include "report/site_text.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* The longest text of a job, and what it may become. */
enum { FIELD_ROOM = VISIBLE_GROWTH * SITE_TEXT };

/* A spreadsheet computes a text that begins so, whoever wrote it. */
static bool is_formula(const char *text)
{
    return text[0] != '\0' && strchr("=+-@", text[0]) != NULL;
}

void csv_field(FILE *out, const char *text)
{
    char shown[FIELD_ROOM];
    visible(shown, sizeof shown, text);
    bool quoted = strpbrk(shown, ",\"") != NULL;
    if (quoted)
        putc('"', out);
    if (is_formula(shown))
        putc('\'', out);
    for (const char *at = shown; *at != '\0'; at++) {
        if (*at == '"')
            putc('"', out);
        putc(*at, out);
    }
    if (quoted)
        putc('"', out);
}

/* NAN leaves the field empty. */
static void number(FILE *out, double value)
{
    if (!isnan(value))
        fprintf(out, "%.17g", value);
}

/* A counter goes by its name, not by its place. */
static void metric_title(FILE *out, const struct job *job, int metric)
{
    if (metric < METRIC_FIXED) {
        fputs(job_metric_key(metric), out);
        return;
    }
    char name[COUNTER_NAME + 16];
    snprintf(name, sizeof name, "%s%s", metric >= METRIC_FIXED + MAX_COUNTERS ? "outside_mpi." : "",
             job_metric_name(job, metric));
    csv_field(out, name);
}

static void write_row(FILE *out, const struct job *job, const struct job_row *row)
{
    fprintf(out, "%" PRIu64 ",%" PRIu64 ",", row->rank, row->node);
    csv_field(out, row->host);
    fprintf(out, ",%d,%s,%d,%s,%d,", row->pid, job_state_key(row->state), row->threads,
            row->inside >= 0 && row->inside < CALL_COUNT ? call_name[row->inside] : "", row->partners);
    if (row->busiest_peer >= 0)
        fprintf(out, "%d", row->busiest_peer);
    fprintf(out, ",%" PRIu64, row->busiest_bytes);
    for (int i = 0; i < METRIC_COUNT; i++) {
        if (job_in_rows(job, i) && row->value[i] != ROW_NONE)
            fprintf(out, ",%" PRIu64, row->value[i]);
        else if (job_in_rows(job, i))
            putc(',', out);
    }
    putc('\n', out);
}

static void write_ranks(FILE *out, const struct job *job)
{
    fputs("rank,node,host,pid,state,threads,inside,partners,busiest_peer,busiest_bytes", out);
    for (int i = 0; i < METRIC_COUNT; i++) {
        if (!job_in_rows(job, i))
            continue;
        putc(',', out);
        metric_title(out, job, i);
    }
    putc('\n', out);
    for (uint64_t i = 0; i < job->n_rows; i++)
        write_row(out, job, &job->row[i]);
}

static void write_metric(FILE *out, const struct job *job, int id)
{
    const struct metric *metric = &job->metric[id];
    struct percentiles percentiles = percentiles_of(job, id);
    char sum[WIDE_TEXT];
    metric_title(out, job, id);
    putc(',', out);
    csv_field(out, job_metric_unit(job, id));
    fprintf(out, ",%" PRIu64 ",%s", metric->count, wide_text(metric->sum, sum));
    const double figures[] = {metric_mean(metric), metric_deviation(metric), metric_imbalance(metric),
                              percentiles.p5,      percentiles.p50,          percentiles.p95};
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) {
        putc(',', out);
        number(out, figures[i]);
    }
    fprintf(out, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n", metric->smallest[0].value,
            metric->smallest[0].rank, metric->largest[0].value, metric->largest[0].rank);
}

static void write_metrics(FILE *out, const struct job *job)
{
    fputs("key,unit,count,sum,mean,deviation,imbalance,p5,p50,p95,smallest,smallest_rank,largest,largest_"
          "rank\n",
          out);
    for (int i = 0; i < METRIC_COUNT; i++)
        if (job_has_metric(job, i) && job->metric[i].count > 0)
            write_metric(out, job, i);
}

static void number_titles(FILE *out, const char *first, const struct job_field *field)
{
    fputs(first, out);
    for (; field->key != NULL; field++)
        fprintf(out, ",%s", field->key);
}

static void numbers(FILE *out, const void *from, const struct job_field *field)
{
    for (; field->key != NULL; field++)
        fprintf(out, ",%" PRIu64, job_number(from, field));
}

static void write_calls(FILE *out, const struct job *job)
{
    number_titles(out, "name,class", job_call_fields);
    putc('\n', out);
    for (int i = 0; i < CALL_COUNT; i++) {
        if (job->call[i].calls == 0)
            continue;
        fprintf(out, "%s,%s", call_name[i], class_name[call_class[i]]);
        numbers(out, &job->call[i], job_call_fields);
        putc('\n', out);
    }
}

static void write_regions(FILE *out, const struct job *job)
{
    number_titles(out, "name", job_region_fields);
    for (int i = 0; i < job->n_counters; i++) {
        putc(',', out);
        metric_title(out, job, METRIC_FIXED + i);
    }
    putc('\n', out);
    for (int i = 0; i < job->n_regions; i++) {
        const struct job_region *region = &job->region[i];
        csv_field(out, region->name);
        numbers(out, region, job_region_fields);
        for (int c = 0; c < job->n_counters; c++)
            fprintf(out, ",%" PRIu64, region->counter[c]);
        putc('\n', out);
    }
}

static void write_sites(FILE *out, const struct job *job)
{
    number_titles(out, "call,routine,file,line,object,address", job_site_fields);
    putc('\n', out);
    for (int i = 0; i < job->n_sites; i++) {
        const struct job_site *site = &job->site[i];
        const struct job_frame none = {.routine = ""};
        const struct job_frame *frame = site->frames > 0 ? &job->frame[site->first_frame] : &none;
        if (site->calls == 0)
            continue;
        fprintf(out, "%s,", call_name[site->call]);
        csv_field(out, frame->routine);
        putc(',', out);
        csv_field(out, frame->file);
        fprintf(out, ",%" PRIu64 ",", frame->line);
        csv_field(out, site->object >= 0 ? job->object[site->object].path : "");
        fprintf(out, ",%" PRIu64, site->address);
        numbers(out, site, job_site_fields);
        putc('\n', out);
    }
}

static void write_side(FILE *out, const struct job *job, const struct job_site *site)
{
    const struct job_frame none = {.routine = ""};
    const struct job_frame *frame = site != NULL && site->frames > 0 ? &job->frame[site->first_frame] : &none;
    putc(',', out);
    csv_field(out, frame->file);
    fprintf(out, frame->line > 0 ? ",%" PRIu64 : ",", frame->line);
    if (site != NULL)
        fprintf(out, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64, site->calls, site->ns, site->bytes);
    else
        fputs(",,,", out);
}

void csv_site_pairs(FILE *out, const struct job *job, const struct job *reference)
{
    struct site_pair pair[MAX_SITE_PAIRS];
    int n = site_pairs(pair, job, reference);
    fputs("call,routine,file,line,calls,ns,bytes,reference_file,reference_line,reference_calls,reference_ns,"
          "reference_bytes\n",
          out);
    for (int i = 0; i < n; i++) {
        const struct job_site *site = pair[i].here != NULL ? pair[i].here : pair[i].there;
        const struct job *of = pair[i].here != NULL ? job : reference;
        fprintf(out, "%s,", call_name[site->call]);
        csv_field(out, site->frames > 0 ? of->frame[site->first_frame].routine : "");
        write_side(out, job, pair[i].here);
        write_side(out, reference, pair[i].there);
        putc('\n', out);
    }
}

static void write_efficiency(FILE *out, const struct job *job)
{
    const struct efficiency efficiency = job_efficiency(job);
    fputs("name,value\n", out);
    for (int i = 0; i < EFFICIENCIES; i++) {
        fprintf(out, "%s,", job_efficiency_keys[i]);
        number(out, efficiency.all[i]);
        putc('\n', out);
    }
}

const struct csv_table *csv_table(const char *name)
{
    static const struct csv_table tables[] = {{"ranks", write_ranks},     {"metrics", write_metrics},
                                              {"calls", write_calls},     {"sites", write_sites},
                                              {"regions", write_regions}, {"efficiency", write_efficiency},
                                              {"long", csv_write_long}};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        if (strcmp(tables[i].name, name) == 0)
            return &tables[i];
    return NULL;
}

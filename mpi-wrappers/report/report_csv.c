/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/json.h"
#include "base/visible.h"
#include "report/figure.h"
#include "report/reports.h"
#include "report/sheet.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
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

static void put_number(FILE *out, double value)
{
    putc(',', out);
    number(out, value);
}

/* Writes the title of a metric's column: its key, or, for a counter, the counter's name. */
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

void report_number_titles(FILE *out, const char *first, const struct job_field *field)
{
    fputs(first, out);
    for (; field->key != NULL; field++)
        fprintf(out, ",%s", field->key);
}

void report_numbers(FILE *out, const void *from, const struct job_field *field)
{
    for (; field->key != NULL; field++)
        fprintf(out, ",%" PRIu64, job_number(from, field));
}

/* The classes in which quantiles of a call's times are: empty where they are not known. */
static void write_quantiles(FILE *out, const struct job *job, int call)
{
    for (int i = 0; i < QUANTILES; i++) {
        struct job_range range;
        if (job_time_quantile(job, call, job_quantiles[i].part, &range))
            fprintf(out, ",%.0f,%.0f", floor(range.from), ceil(range.to));
        else
            fputs(",,", out);
    }
}

static void write_calls(FILE *out, const struct job *job)
{
    report_number_titles(out, "name,class", job_call_fields);
    for (int i = 0; i < QUANTILES; i++)
        fprintf(out, ",%s_from_ns,%s_to_ns", job_quantiles[i].key, job_quantiles[i].key);
    report_number_titles(out, "", job_received_fields);
    fprintf(out, ",%s,%s\n", job_metric_key(METRIC_SENT_RATE), job_metric_key(METRIC_RECEIVED_RATE));
    for (int i = 0; i < CALL_COUNT; i++) {
        if (job->call[i].calls == 0)
            continue;
        fprintf(out, "%s,%s", call_name[i], class_name[call_class[i]]);
        report_numbers(out, &job->call[i], job_call_fields);
        write_quantiles(out, job, i);
        if (job->call[i].received_bytes == NOT_KNOWN)
            putc(',', out);
        else
            report_numbers(out, &job->call[i], job_received_fields);
        struct job_speed speed = job_call_speed(job, i);
        put_number(out, speed.sent);
        put_number(out, speed.received);
        putc('\n', out);
    }
}

/* A line for each class of times that has calls. */
static void write_times(FILE *out, const struct job *job)
{
    fputs("name,from_ns,to_ns,calls\n", out);
    for (int i = 0; i < CALL_COUNT; i++) {
        const struct job_times *times = job_times_of(job, i);
        for (int k = 0; times != NULL && k < TIME_CLASSES; k++) {
            struct job_range range = job_time_class(job, i, k);
            if (times->calls[k] > 0)
                fprintf(out, "%s,%.0f,%.0f,%" PRIu64 "\n", call_name[i], floor(range.from), ceil(range.to),
                        times->calls[k]);
        }
    }
}

static void write_regions(FILE *out, const struct job *job)
{
    report_number_titles(out, "name", job_region_fields);
    for (int i = 0; i < EFFICIENCIES; i++)
        fprintf(out, ",%s", job_efficiency_keys[i]);
    for (int i = 0; i < job->n_counters; i++) {
        putc(',', out);
        metric_title(out, job, METRIC_FIXED + i);
    }
    putc('\n', out);
    for (int i = 0; i < job->n_regions; i++) {
        const struct job_region *region = &job->region[i];
        csv_field(out, region->name);
        report_numbers(out, region, job_region_fields);
        const struct efficiency efficiency = job_region_efficiency(job, region);
        for (int k = 0; k < EFFICIENCIES; k++) {
            putc(',', out);
            number(out, efficiency.all[k]);
        }
        for (int c = 0; c < job->n_counters; c++) {
            putc(',', out);
            if (!isnan(job_region_count(region, c)))
                fprintf(out, "%" PRIu64, region->counter[c]);
        }
        putc('\n', out);
    }
}

static void write_sites(FILE *out, const struct job *job)
{
    report_number_titles(out, "call,routine,file,line,object,address", job_site_fields);
    fprintf(out, ",%s\n", job_metric_key(METRIC_SENT_RATE));
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
        report_numbers(out, site, job_site_fields);
        put_number(out, job_site_speed(job, site));
        putc('\n', out);
    }
}

static void write_comm(FILE *out, const char *kind, const struct job_comm *comm)
{
    if (comm->calls == 0)
        return;
    fprintf(out, "%s,", kind);
    csv_field(out, comm->name);
    fprintf(out, ",%s", job_comm_call(comm) != NULL ? job_comm_call(comm) : "");
    report_numbers(out, comm, job_comm_fields);
    putc('\n', out);
}

static void write_comms(FILE *out, const struct job *job)
{
    report_number_titles(out, "kind,name,made_by", job_comm_fields);
    putc('\n', out);
    for (int i = 0; i < MAX_JOB_COMMS; i++) {
        const struct job_comm *comm = &job->comm[i];
        write_comm(out,
                   job_comm_call(comm) != NULL ? "made"
                   : job_comm_is_world(comm)   ? "world"
                                               : "self",
                   comm);
    }
    for (int i = 0; job->comm_ranks > 0 && i < COMM_PLACES - MAX_COMMS; i++)
        write_comm(out, job_comm_keys[i], &job->comm_rest[i]);
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

static void write_place(FILE *out, const struct job *job, const struct job_place *place)
{
    const struct job_site *site = place->site >= 0 ? &job->site[place->site] : NULL;
    const struct job_frame none = {.file = ""};
    const struct job_frame *frame = site != NULL && site->frames > 0 ? &job->frame[site->first_frame] : &none;
    fprintf(out, "%s,", site != NULL ? call_name[site->call] : "");
    csv_field(out, place->region >= 0 ? job->region[place->region].name : "");
    putc(',', out);
    csv_field(out, frame->routine);
    putc(',', out);
    csv_field(out, frame->file);
    fprintf(out, frame->line > 0 ? ",%" PRIu64 "," : ",,", frame->line);
    csv_field(out, site != NULL ? job->object[site->object].path : "");
    fprintf(out, ",%" PRIu64 ",", place->ns);
    number(out, place->share);
    putc('\n', out);
}

static void write_places(FILE *out, const struct job *job)
{
    struct job_place place[JOB_PLACES];
    int n = job_places(job, place);
    fputs("call,region,routine,file,line,object,ns,share\n", out);
    for (int i = 0; i < n; i++)
        write_place(out, job, &place[i]);
}

const struct csv_table *csv_table(const char *name)
{
    static const struct csv_table tables[] = {{"ranks", write_ranks},           {"metrics", write_metrics},
                                              {"calls", write_calls},           {"times", write_times},
                                              {"sites", write_sites},           {"regions", write_regions},
                                              {"efficiency", write_efficiency}, {"places", write_places},
                                              {"communicators", write_comms},   {"long", csv_write_long}};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        if (strcmp(tables[i].name, name) == 0)
            return &tables[i];
    return NULL;
}

/* ---- one value a line */

/* The subject of a value; NULL: it is not of one rank, region, ... */
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

static void put_real(FILE *out, const struct subject *of, const char *metric, double value, const char *unit)
{
    if (isnan(value))
        return;
    put_subject(out, of);
    fprintf(out, ",%s,%.17g,%s\n", metric, value, unit);
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

/* Writes the counters of a region, except for those that the rank of the subject has not. */
static void put_counters(FILE *out, const struct subject *of, const struct job *job,
                         const struct job_region *region)
{
    for (int i = 0; i < job->n_counters; i++)
        if ((of->row == NULL || of->row->value[METRIC_FIXED + i] != ROW_NONE) &&
            !isnan(job_region_count(region, i)))
            put(out, of, job->counter_name[i], region->counter[i], job->counter_units[i]);
}

/* ---- the whole job */

static void put_efficiencies(FILE *out, const struct subject *of, struct efficiency efficiency)
{
    for (int i = 0; i < EFFICIENCIES; i++) {
        char name[64];
        snprintf(name, sizeof name, "efficiency.%s", job_efficiency_keys[i]);
        put_real(out, of, name, efficiency.all[i], "");
    }
}

static void put_job(FILE *out, const struct job *job)
{
    const struct subject of = {.row = NULL};
    put_fields(out, &of, job, job_fields);
    put_efficiencies(out, &of, job_efficiency(job));
    for (int i = 0; i < JOB_RATES; i++)
        put_real(out, &of, job_metric_key(job_rates[i]), job_rate(job, job_rates[i]),
                 job_rates[i] == METRIC_MESSAGE_RATE ? "1/s" : "B/s");
}

/* The name of a metric: its key, or, for a counter, the counter's name. */
static const char *metric_name(char *name, size_t room, const struct job *job, int metric)
{
    snprintf(name, room, "%s%s", metric >= METRIC_FIXED + MAX_COUNTERS ? "outside_mpi." : "",
             metric < METRIC_FIXED ? job_metric_key(metric) : job_metric_name(job, metric));
    return name;
}

/* Writes a value of all ranks, "elapsed.sum"; a rank's own is "elapsed". */
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

static void put_quantiles(FILE *out, const struct job *job, int call)
{
    const struct subject of = {.call = call_name[call]};
    for (int i = 0; i < QUANTILES; i++) {
        struct job_range range;
        char name[32];
        if (!job_time_quantile(job, call, job_quantiles[i].part, &range))
            continue;
        snprintf(name, sizeof name, "%s_from_ns", job_quantiles[i].key);
        put(out, &of, name, (uint64_t)range.from, "ns");
        snprintf(name, sizeof name, "%s_to_ns", job_quantiles[i].key);
        put(out, &of, name, (uint64_t)ceil(range.to), "ns");
    }
}

static void put_calls(FILE *out, const struct job *job)
{
    for (int i = 0; i < CALL_COUNT; i++) {
        const struct subject of = {.call = call_name[i]};
        if (job->call[i].calls == 0)
            continue;
        put_fields(out, &of, &job->call[i], job_call_fields);
        if (job->call[i].received_bytes != NOT_KNOWN)
            put_fields(out, &of, &job->call[i], job_received_fields);
        struct job_speed speed = job_call_speed(job, i);
        put_real(out, &of, job_metric_key(METRIC_SENT_RATE), speed.sent, "B/s");
        put_real(out, &of, job_metric_key(METRIC_RECEIVED_RATE), speed.received, "B/s");
        put_quantiles(out, job, i);
    }
}

static void put_sites(FILE *out, const struct job *job)
{
    char text[SITE_TEXT];
    for (int i = 0; i < job->n_sites; i++) {
        const struct job_site *site = &job->site[i];
        if (site->calls == 0)
            continue;
        const struct subject of = {.call = call_name[site->call], .site = site_text(text, job, site)};
        put_fields(out, &of, site, job_site_fields);
        put_real(out, &of, job_metric_key(METRIC_SENT_RATE), job_site_speed(job, site), "B/s");
    }
}

static void put_regions(FILE *out, const struct job *job)
{
    for (int i = 0; i < job->n_regions; i++) {
        const struct subject of = {.region = job->region[i].name};
        put_fields(out, &of, &job->region[i], job_region_fields);
        put_efficiencies(out, &of, job_region_efficiency(job, &job->region[i]));
        put_counters(out, &of, job, &job->region[i]);
    }
    for (int i = 0; i < MAX_JOB_REGION_CALLS && job->region_call[i].key > 0; i++) {
        uint64_t place = job->region_call[i].key - 1;
        put_fields(out,
                   &(struct subject){.region = job->region[place / CALL_COUNT].name,
                                     .call = call_name[place % CALL_COUNT]},
                   &job->region_call[i], job_region_call_fields);
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
        if (row->call[i].received_bytes != NOT_KNOWN)
            put_fields(out, &of, &row->call[i], job_received_fields);
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

/* ---- the tree of calls for Hatchet */

struct entry {
    const struct job *job;
    const struct job_site *site;
};

struct tree {
    FILE *out;
    const struct job *job;
    struct entry entry[MAX_JOB_SITES]; /* by what calls them, from the outside in */
    int n;
};

/* ---- what calls a site */

/* The number of a site's callers, at least one: its address, if nothing else is known about it. */
static int callers(const struct job_site *site)
{
    return site->frames > 0 ? site->frames : 1;
}

static const struct job_frame *caller(const struct job *job, const struct job_site *site, int depth)
{
    return site->frames > 0 ? &job->frame[site->first_frame + site->frames - 1 - depth] : NULL;
}

static const char *caller_name(char text[SITE_TEXT], const struct job *job, const struct job_site *site,
                               int depth)
{
    const struct job_frame *frame = caller(job, site, depth);
    return frame != NULL ? frame->routine : site_text(text, job, site);
}

static int same_caller(const struct job *job, const struct job_site *a, const struct job_site *b, int depth)
{
    char one[SITE_TEXT], other[SITE_TEXT];
    return depth < callers(a) && depth < callers(b)
               ? strcmp(caller_name(one, job, a, depth), caller_name(other, job, b, depth))
               : callers(a) - callers(b);
}

static int in_order(const void *one, const void *other)
{
    const struct job *of = ((const struct entry *)one)->job;
    const struct job_site *a = ((const struct entry *)one)->site, *b = ((const struct entry *)other)->site;
    for (int depth = 0; depth < callers(a) || depth < callers(b); depth++) {
        int order = same_caller(of, a, b, depth);
        if (order != 0 || depth >= callers(a) || depth >= callers(b))
            return order;
    }
    return (a > b) - (a < b);
}

/* ---- nodes */

struct cost {
    double own_ns, ns; /* ns: with that of its children */
    uint64_t calls, bytes;
};

static void open_node(struct tree *tree, int follows, const char *name, const struct job_frame *frame)
{
    struct json json = {.out = tree->out, .in_line = true};
    fprintf(tree->out, "%s\n{\"frame\": {", follows ? "," : "");
    json_string(&json, "name", name);
    json_string(&json, "type", "function");
    if (frame != NULL && frame->line > 0) {
        json_string(&json, "file", frame->file);
        json_integer(&json, "line", (long long)frame->line);
    }
    fputs("}, ", tree->out);
}

static void put_cost(struct tree *tree, struct cost cost)
{
    fprintf(tree->out,
            "\"metrics\": {\"time\": %.9f, \"time (inc)\": %.9f, \"calls\": %" PRIu64 ", \"bytes\": %" PRIu64
            "}, \"children\": [",
            1e-9 * cost.own_ns, 1e-9 * cost.ns, cost.calls, cost.bytes);
}

static void put_leaf(struct tree *tree, int follows, int call, const struct job_frame *frame,
                     struct cost cost)
{
    open_node(tree, follows, call_name[call], frame);
    put_cost(tree, cost);
    fputs("]}", tree->out);
}

static double time_of(const struct tree *tree, int from, int to)
{
    double ns = 0;
    for (int i = from; i < to; i++)
        ns += (double)tree->entry[i].site->ns;
    return ns;
}

/* Writes the entries from..to, which have the same callers up to depth: those called right there as leaves,
 * the others as a node for each caller of the next depth. */
static void put_callers(struct tree *tree, int from, int to, int depth, int follows)
{
    char text[SITE_TEXT];
    for (int end; from < to; from = end, follows = 1) {
        const struct job_site *site = tree->entry[from].site;
        end = from + 1;
        if (depth == callers(site)) {
            put_leaf(tree, follows, site->call, caller(tree->job, site, callers(site) - 1),
                     (struct cost){(double)site->ns, (double)site->ns, site->calls, site->bytes});
            continue;
        }
        while (end < to && same_caller(tree->job, site, tree->entry[end].site, depth) == 0)
            end++;
        open_node(tree, follows, caller_name(text, tree->job, site, depth), NULL);
        put_cost(tree, (struct cost){.ns = time_of(tree, from, end)});
        put_callers(tree, from, end, depth + 1, 0);
        fputs("]}", tree->out);
    }
}

static uint64_t less(uint64_t whole, uint64_t part)
{
    return whole > part ? whole - part : 0;
}

/* Time that is in calls and at no site. */
static struct cost elsewhere(const struct tree *tree, int call)
{
    struct job_call left = tree->job->call[call];
    for (int i = 0; i < tree->n; i++) {
        const struct job_site *site = tree->entry[i].site;
        if (site->call != call)
            continue;
        left.ns = less(left.ns, site->ns);
        left.calls = less(left.calls, site->calls);
        left.bytes = less(left.bytes, site->bytes);
    }
    return (struct cost){(double)left.ns, (double)left.ns, left.calls, left.bytes};
}

static void put_elsewhere(struct tree *tree, int follows)
{
    for (int i = 0; i < CALL_COUNT; i++) {
        struct cost left = elsewhere(tree, i);
        if (left.calls > 0)
            put_leaf(tree, follows, i, NULL, left);
        follows |= left.calls > 0;
    }
}

void report_hatchet(FILE *out, const struct job *job)
{
    struct tree tree = {.out = out, .job = job};
    for (int i = 0; i < job->n_sites; i++)
        if (job->site[i].calls > 0)
            tree.entry[tree.n++] = (struct entry){job, &job->site[i]};
    qsort(tree.entry, (size_t)tree.n, sizeof *tree.entry, in_order);
    double useful = metric_sum(&job->metric[METRIC_USEFUL]), all = useful + time_of(&tree, 0, tree.n);
    for (int i = 0; i < CALL_COUNT; i++)
        all += elsewhere(&tree, i).ns;
    fputc('[', out);
    open_node(&tree, 0, figure_base_name(job->program), NULL);
    put_cost(&tree, (struct cost){.own_ns = useful, .ns = all});
    put_callers(&tree, 0, tree.n, 0, 0);
    put_elsewhere(&tree, tree.n > 0);
    fputs("]}\n]\n", out);
}

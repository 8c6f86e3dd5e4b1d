/* SPDX-License-Identifier: BSD-3-Clause */
#include "job/job.h"
#include "job/result_file.h"

#include "base/json.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* base/json.c puts every value on a line of its own from its second level on: here an object of the lists
 * is one line, which a level of 0 gives. */

static long long integer(uint64_t value)
{
    return value > INT64_MAX ? INT64_MAX : (long long)value;
}

static void put(struct json *json, const char *key, uint64_t value)
{
    json_integer(json, key, integer(value));
}

static void put_numbers(struct json *json, const void *from, const struct job_field *field)
{
    for (; field->key != NULL; field++)
        put(json, field->key, job_number(from, field));
}

/* Writes a number with all its digits: the mean of whole numbers is exact. */
static void put_real(struct json *json, const char *key, double value)
{
    fprintf(json->out, "%s\"%s\": ", json->follows ? "," : "", key);
    json_digits(json->out, value, 17);
    json->follows = true;
}

static void list_open(FILE *out, const char *key)
{
    fprintf(out, ",\n  \"%s\": [", key);
}

/* A list of objects, each on a line: of all there are in the job, or of those that has says it has. */
static void write_list(FILE *out, const struct job *job, const char *key, int n,
                       int (*has)(const struct job *job, int i),
                       void (*write)(struct json *json, const struct job *job, int i))
{
    int follows = 0;
    list_open(out, key);
    for (int i = 0; i < n; i++) {
        struct json json = {.out = out};
        if (has != NULL && !has(job, i))
            continue;
        fprintf(out, "%s\n    {", follows++ ? "," : "");
        write(&json, job, i);
        fputc('}', out);
    }
    fputs(follows ? "\n  ]" : "]", out);
}

/* "key": [[a, b], ...], from two numbers a place. */
static void pair_list_open(struct json *json, const char *key)
{
    fprintf(json->out, "%s\"%s\": [", json->follows ? "," : "", key);
    json->follows = true;
}

static void pair(FILE *out, int *follows, uint64_t a, uint64_t b)
{
    fprintf(out, "%s[%lld,%lld]", *follows ? "," : "", integer(a), integer(b));
    *follows = 1;
}

static void put_unseen(struct json *json, const struct job *job)
{
    json_open(json, "unseen", '[');
    for (int i = 0; i < CALL_COUNT; i++)
        if (call_is_in(job->unseen, i))
            json_string(json, NULL, call_name[i]);
    json_close(json, ']');
}

static void write_job(FILE *out, const struct job *job)
{
    struct json json = {.out = out, .depth = 2};
    fputs(",\n  \"job\": {", out);
    json_string(&json, "name", job->job);
    json_string(&json, "program", job->program);
    json_string(&json, "command", job->command);
    json_string(&json, "mpi", job->flavour);
    json_string(&json, "host", job->host);
    json_integer(&json, "started", job->started);
    put_numbers(&json, job, job_fields);
    json_integer(&json, "thread_level", job->thread_level);
    json_boolean(&json, "recovered", job->recovered != 0);
    json_boolean(&json, "counters_inside", job->counters_inside != 0);
    json_boolean(&json, "emulated", job->emulated != 0);
    json_boolean(&json, "counted", job->counted != 0);
    json_string(&json, "counter_reason", job->counter_reason);
    json_string(&json, "teams", job_teams_keys[job->teams]);
    put_unseen(&json, job);
    fputs("\n  }", out);
}

static void put_efficiency(struct json *json, const struct efficiency *efficiency)
{
    for (int i = 0; i < EFFICIENCIES; i++)
        json_number(json, job_efficiency_keys[i], efficiency->all[i]);
}

static void write_efficiency(FILE *out, const struct job *job)
{
    const struct efficiency efficiency = job_efficiency(job);
    struct json json = {.out = out, .depth = 2};
    fputs(",\n  \"efficiency\": {", out);
    put_efficiency(&json, &efficiency);
    fputs("\n  }", out);
}

/* Writes the rates of all ranks together; null: not known. */
static void write_rates(FILE *out, const struct job *job)
{
    struct json json = {.out = out, .depth = 2};
    fputs(",\n  \"rates\": {", out);
    for (int i = 0; i < JOB_RATES; i++)
        json_real(&json, job_metric_key(job_rates[i]), job_rate(job, job_rates[i]));
    fputs("\n  }", out);
}

static void put_speeds(struct json *json, const struct job *job, int call)
{
    struct job_speed speed = job_call_speed(job, call);
    json_real(json, job_metric_key(METRIC_SENT_RATE), speed.sent);
    json_real(json, job_metric_key(METRIC_RECEIVED_RATE), speed.received);
}

static void put_device_efficiency(FILE *out, const struct device_efficiency *efficiency)
{
    struct json json = {.out = out, .in_line = true};
    fputs(",\"efficiency\": {", out);
    for (int i = 0; i < DEVICE_EFFICIENCIES; i++)
        json_number(&json, job_device_efficiency_keys[i], efficiency->all[i]);
    fputc('}', out);
}

static void write_node_device(struct json *json, const struct job_node_device *device)
{
    char address[ADDRESS_TEXT];
    job_address(address, device->address);
    json_string(json, "name", device->name);
    json_string(json, "address", address);
    put(json, "node", device->node);
    if (device->used != NOT_KNOWN)
        json_boolean(json, "used", device->used != 0);
    if (device->microjoules != NOT_KNOWN)
        put(json, "energy_uj", device->microjoules);
}

/* Writes the devices that the ranks may use, where they told each other. */
static void write_usable(FILE *out, const struct job *job)
{
    struct json json = {.out = out};
    if (job->usable_nodes == 0 && job->energy_reason[0] == '\0')
        return;
    fputs(",\n    \"usable\": {", out);
    put_numbers(&json, job, job_usable_fields);
    if (job->energy_nodes > 0)
        put_numbers(&json, job, job_node_energy_fields);
    json_string(&json, "reason", job->energy_reason);
    fputs(",\"list\": [", out);
    for (int i = 0; i < job_listed_node_devices(job); i++) {
        struct json one = {.out = out};
        fputs(i > 0 ? ",\n      {" : "\n      {", out);
        write_node_device(&one, &job->node_device[i]);
        fputc('}', out);
    }
    fputs("]}", out);
}

/* Writes the devices of jobs whose ranks have some, or were to look for them. */
static void write_devices(FILE *out, const struct job *job)
{
    struct json json = {.out = out};
    if (!job_knows_devices(job))
        return;
    const struct device_efficiency efficiency = job_device_efficiency(job);
    fputs(",\n  \"devices\": {", out);
    put_numbers(&json, job, job_devices_fields);
    put(&json, "devices", job_devices(job));
    json_string(&json, "reason", job->device_reason);
    put_device_efficiency(out, &efficiency);
    fputs(",\"list\": [", out);
    for (int i = 0; i < job_listed_devices(job); i++) {
        struct json one = {.out = out};
        fputs(i > 0 ? ",\n    {" : "\n    {", out);
        json_string(&one, "name", job->device[i].name);
        json_string(&one, "address", job->device[i].address);
        put_numbers(&one, &job->device[i], job_device_fields);
        fputc('}', out);
    }
    fputc(']', out);
    write_usable(out, job);
    fputc('}', out);
}

static void write_region_devices(FILE *out, const struct job *job, const struct job_region *region)
{
    struct json json = {.out = out};
    if (job->device_ranks == 0)
        return;
    const struct device_efficiency efficiency = job_region_device_efficiency(job, region);
    fputs(",\"devices\": {", out);
    put_numbers(&json, region, job_region_device_fields);
    put_device_efficiency(out, &efficiency);
    fputc('}', out);
}

static void write_share(struct json *json, const struct job *job, int i)
{
    json_string(json, "name", job_path_region(job, job->path.region_share[i].of));
    put(json, "ns", job->path.region_share[i].ns);
}

static void write_path(FILE *out, const struct job *job)
{
    const struct path *path = &job->path;
    struct json json = {.out = out};
    int follows = 0;
    if (job->path_ranks == 0)
        return;
    fputs(",\n  \"path\": {", out);
    put(&json, "ns", path->ns);
    put(&json, "rank", (uint64_t)path->rank);
    put(&json, "moves", path->moves);
    put(&json, "other_ranks_ns", path->other_ranks_ns);
    put(&json, "other_regions_ns", path->other_regions_ns);
    pair_list_open(&json, "ranks");
    for (int i = 0; i < PATH_SHARES && path->rank_share[i].ns > 0; i++)
        pair(out, &follows, path->rank_share[i].of, path->rank_share[i].ns);
    fputc(']', out);
    pair_list_open(&json, "regions");
    for (int i = 0; i < PATH_SHARES && path->region_share[i].ns > 0; i++) {
        struct json share = {.out = out};
        fputs(i > 0 ? ",{" : "{", out);
        write_share(&share, job, i);
        fputc('}', out);
    }
    fputs("]}", out);
}

/* Writes the share that is counted, of counted builds only. */
static void write_counted_share(FILE *out, const struct job *job)
{
    const struct job_share *share = &job->share;
    struct json json = {.out = out};
    if (share->ranks == 0 && share->unknown == 0)
        return;
    fputs(",\n  \"share\": {", out);
    put_numbers(&json, share, job_share_fields);
    fputs(",\"routines\": [", out);
    for (int i = 0; i < share->n; i++) {
        struct json one = {.out = out};
        fputs(i > 0 ? ",\n    {" : "\n    {", out);
        json_string(&one, "library", share->row[i].library);
        json_string(&one, "routine", share->row[i].routine);
        put(&one, "samples", share->row[i].samples);
        fputc('}', out);
    }
    fputs("]}", out);
}

static void write_counter(struct json *json, const struct job *job, int i)
{
    json_string(json, "name", job->counter_name[i]);
    json_string(json, "unit", job->counter_units[i]);
    if (job->node_counters & 1u << i)
        json_string(json, "scope", "node");
}

/* Writes the formulas of a region, or of all. */
static void write_values(struct json *json, const struct job *job, const struct job_region *region)
{
    struct job_formula formula;
    char reason[FORMULA_REASON];
    for (int i = 0; job_formula(job, i, &formula); i++) {
        double value = job_formula_value(job, region, &formula, reason);
        fputs(i > 0 ? "," : "", json->out);
        if (isnan(value))
            fputs("null", json->out);
        else
            json_digits(json->out, value, 17);
    }
}

static void write_formulas(FILE *out, const struct job *job)
{
    struct job_formula formula;
    struct json json = {.out = out, .depth = 1, .follows = true};
    if (job->formulas[0] == '\0')
        return;
    json_open(&json, "formulas", '[');
    for (int i = 0; job_formula(job, i, &formula); i++) {
        char reason[FORMULA_REASON];
        double value = job_formula_value(job, NULL, &formula, reason);
        json_open(&json, NULL, '{');
        json_string(&json, "name", formula.name);
        json_string(&json, "unit", formula.unit);
        json_string(&json, "formula", formula.formula);
        json_string(&json, "description", formula.description);
        json_real(&json, "value", value);
        json_string(&json, "reason", isnan(value) ? reason : "");
        json_boolean(&json, "counted", formula.reason[0] == '\0');
        json_close(&json, '}');
    }
    json_close(&json, ']');
}

static void write_extremes(struct json *json, const char *key, const struct metric_extreme *extreme,
                           uint64_t count)
{
    int follows = 0;
    pair_list_open(json, key);
    for (uint64_t i = 0; i < count && i < METRIC_EXTREMES; i++)
        pair(json->out, &follows, extreme[i].value, extreme[i].rank);
    fputc(']', json->out);
}

/* A value above the largest number of the file is written as that one, and belongs in its bucket. */
static void write_buckets(struct json *json, const struct metric *metric)
{
    int follows = 0, last = metric_bucket(INT64_MAX);
    uint64_t above = 0;
    for (int i = last; i < METRIC_BUCKETS; i++)
        above += metric->bucket[i];
    pair_list_open(json, "buckets");
    for (int i = 0; i <= last; i++) {
        uint64_t n = i < last ? metric->bucket[i] : above;
        if (n > 0)
            pair(json->out, &follows, metric_bucket_start(i), n);
    }
    fputc(']', json->out);
}

static void write_metric(struct json *json, const struct job *job, int id)
{
    const struct metric *metric = &job->metric[id];
    char text[WIDE_TEXT];
    json_string(json, "key", job_metric_key(id));
    json_string(json, "name", job_metric_name(job, id));
    json_string(json, "unit", job_metric_unit(job, id));
    put(json, "count", metric->count);
    json_string(json, "sum", wide_text(metric->sum, text));
    json_string(json, "squares", wide_text(metric->squares, text));
    put_real(json, "mean", metric_mean(metric));
    put_real(json, "deviation", metric_deviation(metric));
    put_real(json, "imbalance", metric_imbalance(metric));
    put_real(json, "p5", metric_quantile(metric, 0.05));
    put_real(json, "p50", metric_quantile(metric, 0.50));
    put_real(json, "p95", metric_quantile(metric, 0.95));
    write_extremes(json, "smallest", metric->smallest, metric->count);
    write_extremes(json, "largest", metric->largest, metric->count);
    write_buckets(json, metric);
}

static const struct job_sizes *sizes_of(const struct job *job, int call)
{
    for (int i = 0; i < MAX_JOB_SIZED; i++)
        if (job->sized[i].call == (uint64_t)call + 1)
            return &job->sized[i];
    return NULL;
}

/* Pairs [ticks, calls] of the classes of times, and the classes in which quantiles are. */
static void write_times(struct json *json, const struct job *job, int call)
{
    const struct job_times *times = job_times_of(job, call);
    int follows = 0;
    if (times == NULL)
        return;
    pair_list_open(json, "times");
    for (int k = 0; k < TIME_CLASSES; k++)
        if (times->calls[k] > 0)
            pair(json->out, &follows, time_class_begin(k), times->calls[k]);
    fputc(']', json->out);
    for (int i = 0; i < QUANTILES; i++) {
        struct job_range range;
        if (job_time_quantile(job, call, job_quantiles[i].part, &range))
            fprintf(json->out, ",\"%s_ns\": [%.0f,%.0f]", job_quantiles[i].key, floor(range.from),
                    ceil(range.to));
    }
}

static int has_call(const struct job *job, int call)
{
    return job->call[call].calls > 0;
}

static void write_call(struct json *json, const struct job *job, int i)
{
    json_string(json, "name", call_name[i]);
    json_string(json, "class", class_name[call_class[i]]);
    put_numbers(json, &job->call[i], job_call_fields);
    if (job->call[i].received_bytes != NOT_KNOWN)
        put_numbers(json, &job->call[i], job_received_fields);
    put_speeds(json, job, i);
    write_times(json, job, i);
    const struct job_sizes *sizes = sizes_of(job, i);
    int follows = 0;
    if (sizes == NULL)
        return;
    pair_list_open(json, "sizes");
    for (int k = 0; k < SIZE_BUCKETS; k++)
        if (sizes->size[k] > 0)
            pair(json->out, &follows, k == 0 ? 0 : 1ULL << (k - 1), sizes->size[k]);
    fputc(']', json->out);
}

/* Writes what was called inside of a region. */
static void write_region_calls(const struct json *json, const struct job *job, int region)
{
    uint64_t first = job_region_call_key(region, 0), end = job_region_call_key(region + 1, 0);
    bool follows = false;
    fputs(",\"calls\": [", json->out);
    for (int i = 0; i < MAX_JOB_REGION_CALLS; i++) {
        const struct job_region_call *call = &job->region_call[i];
        struct json inner = {.out = json->out, .in_line = true};
        if (call->key < first || call->key >= end)
            continue;
        fputs(follows ? ",{" : "{", json->out);
        json_string(&inner, "name", call_name[call->key - first]);
        put_numbers(&inner, call, job_region_call_fields);
        fputc('}', json->out);
        follows = true;
    }
    fputc(']', json->out);
}

static void write_region(struct json *json, const struct job *job, int id)
{
    const struct job_region *region = &job->region[id];
    json_string(json, "name", region->name);
    put_numbers(json, region, job_region_fields);
    const struct efficiency efficiency = job_region_efficiency(job, region);
    struct json inner = {.out = json->out, .in_line = true};
    fputs(",\"efficiency\": {", json->out);
    put_efficiency(&inner, &efficiency);
    fputs("},\"counters\": [", json->out);
    for (int i = 0; i < job->n_counters; i++)
        if (isnan(job_region_count(region, i)))
            fputs(i > 0 ? ",null" : "null", json->out);
        else
            fprintf(json->out, "%s%lld", i > 0 ? "," : "", integer(region->counter[i]));
    fputc(']', json->out);
    write_region_calls(json, job, id);
    write_region_devices(json->out, job, region);
    if (job->formulas[0] == '\0')
        return;
    fputs(",\"formulas\": [", json->out);
    write_values(json, job, region);
    fputc(']', json->out);
}

static void write_object(struct json *json, const struct job *job, int i)
{
    const struct job_object *object = &job->object[i];
    char id[2 * BUILD_ID + 1] = "";
    for (int k = 0; k < object->build_id_size && k < BUILD_ID; k++)
        snprintf(id + 2 * k, 3, "%02x", object->build_id[k]);
    json_string(json, "path", object->path);
    json_string(json, "build_id", id);
}

static void write_frames(struct json *json, const struct job *job, const struct job_site *site)
{
    fputs(",\"frames\": [", json->out);
    for (int i = 0; i < site->frames; i++) {
        const struct job_frame *frame = &job->frame[site->first_frame + i];
        struct json one = {.out = json->out};
        fputs(i > 0 ? ", {" : "{", json->out);
        json_string(&one, "routine", frame->routine);
        json_string(&one, "file", frame->file);
        put(&one, "line", frame->line);
        fputc('}', json->out);
    }
    fputc(']', json->out);
}

static void write_site(struct json *json, const struct job *job, int i)
{
    const struct job_site *site = &job->site[i];
    json_string(json, "call", call_name[site->call]);
    json_integer(json, "object", site->object);
    put(json, "address", site->address);
    put_numbers(json, site, job_site_fields);
    json_real(json, job_metric_key(METRIC_SENT_RATE), job_site_speed(job, site));
    write_frames(json, job, site);
}

static int has_site(const struct job *job, int i)
{
    return job->site[i].calls > 0;
}

static void write_late(struct json *json, const struct job *job, int i)
{
    json_integer(json, "site", job->late[i].site);
    put_numbers(json, &job->late[i], job_late_fields);
}

static void write_sites(FILE *out, const struct job *job)
{
    struct json other = {.out = out};
    fprintf(out, ",\n  \"sites_mode\": \"%s\"", job_sites_keys[job->sites_mode]);
    write_list(out, job, "objects", job->n_objects, NULL, write_object);
    write_list(out, job, "sites", job->n_sites, has_site, write_site);
    fputs(",\n  \"other_sites\": {", out);
    put_numbers(&other, &job->other_sites, job_site_fields);
    fputc('}', out);
    if (job->late != NULL)
        write_list(out, job, "late", job->n_late, NULL, write_late);
}

/* ---- communicators */

static int has_comm(const struct job *job, int i)
{
    return (i < MAX_JOB_COMMS ? job->comm[i].calls : job->comm_rest[i - MAX_JOB_COMMS].calls) > 0;
}

static void write_comm(struct json *json, const struct job *job, int i)
{
    const struct job_comm *comm = i < MAX_JOB_COMMS ? &job->comm[i] : &job->comm_rest[i - MAX_JOB_COMMS];
    json_string(json, "kind",
                i >= MAX_JOB_COMMS            ? job_comm_keys[i - MAX_JOB_COMMS]
                : job_comm_call(comm) != NULL ? "made"
                : job_comm_is_world(comm)     ? "world"
                                              : "self");
    json_string(json, "name", comm->name[0] != '\0' ? comm->name : NULL);
    json_string(json, "made_by", job_comm_call(comm));
    put_numbers(json, comm, job_comm_fields);
}

static void write_comms(FILE *out, const struct job *job)
{
    if (job->comm_ranks > 0)
        write_list(out, job, "communicators", MAX_JOB_COMMS + COMM_PLACES - MAX_COMMS, has_comm, write_comm);
}

static void write_cells(FILE *out, const struct job *job)
{
    const char *comma = "";
    int n = job->matrix_n;
    for (int i = 0; i < n * n; i++) {
        const struct job_cell *cell = &job->matrix[i];
        if (cell->messages == 0)
            continue;
        fprintf(out, "%s[%d,%d,%lld,%lld]", comma, i / n, i % n, integer(cell->messages),
                integer(cell->bytes));
        comma = ",";
    }
}

/* ---- what the report says first */

static void write_place(struct json *json, const struct job *job, const struct job_place *place)
{
    const struct job_site *site = place->site >= 0 ? &job->site[place->site] : NULL;
    const struct job_frame *frame = site != NULL && site->frames > 0 ? &job->frame[site->first_frame] : NULL;
    json_string(json, "call", site != NULL ? call_name[site->call] : NULL);
    json_string(json, "region", place->region >= 0 ? job->region[place->region].name : NULL);
    json_string(json, "routine", frame != NULL ? frame->routine : NULL);
    json_string(json, "file", frame != NULL && frame->line > 0 ? frame->file : NULL);
    put(json, "line", frame != NULL ? frame->line : 0);
    json_string(json, "object", site != NULL ? job->object[site->object].path : NULL);
    put(json, "address", site != NULL ? site->address : 0);
    put(json, "ns", place->ns);
    json_number(json, "share", place->share);
}

/* A rank or a tag, or the word that stands for one. */
static void put_partner(struct json *json, const char *key, int32_t value)
{
    if (value >= 0)
        json_integer(json, key, value);
    else
        json_string(json, key,
                    value == OPEN_ANY       ? "any"
                    : value == OPEN_NOBODY  ? "nobody"
                    : value == OPEN_UNKNOWN ? "unknown"
                                            : NULL);
}

static void put_call(struct json *json, const char *key, int call)
{
    json_string(json, key, call >= 0 && call < CALL_COUNT ? call_name[call] : NULL);
}

static void write_open(FILE *out, const struct job_open *open)
{
    struct json json = {.out = out};
    put(&json, "rank", open->rank);
    json_integer(&json, "thread", open->thread);
    json_boolean(&json, "main", open->main != 0);
    put_call(&json, "call", open->call);
    json_boolean(&json, "inside", open->inside != 0);
    put(&json, "ns", open->ns);
    json_boolean(&json, "exact", open->exact != 0);
    json_string(&json, "ending", job_ending_keys[open->ending]);
    json_integer(&json, "signal", open->signal);
    json_integer(&json, "site", open->site);
    put_partner(&json, "peer", open->peer);
    put_partner(&json, "tag", open->tag);
    put_partner(&json, "second_peer", open->second_peer);
    put_partner(&json, "second_tag", open->second_tag);
    json_integer(&json, "comm_size", open->comm_size);
    put_call(&json, "comm_call", open->comm_call);
    json_integer(&json, "requests", open->requests);
    put_call(&json, "request_call", open->request_call);
    put(&json, "missing", open->missing);
    fputs(",\"waits_for\": [", out);
    for (int i = 0; i < open->n_waits; i++)
        fprintf(out, "%s%d", i > 0 ? "," : "", open->waits[i]);
    fputc(']', out);
}

/* Writes what the threads were in, of jobs that did not end well or still run. */
static void write_ending(FILE *out, const struct job *job)
{
    if (job->n_open == 0)
        return;
    list_open(out, "open");
    for (uint64_t i = 0; i < job->n_open; i++) {
        fputs(i > 0 ? ",\n    {" : "\n    {", out);
        write_open(out, &job->open[i]);
        fputc('}', out);
    }
    fputs("\n  ],\n  \"cycle\": [", out);
    for (uint64_t i = 0; i < job->cycle_ranks && i < MAX_CYCLE; i++)
        fprintf(out, "%s%lld", i > 0 ? "," : "", integer(job->cycle[i]));
    fprintf(out, "],\n  \"cycle_ranks\": %lld", integer(job->cycle_ranks));
}

static void write_verdict(FILE *out, const struct job *job)
{
    struct job_place place[JOB_PLACES];
    int n = job_places(job, place);
    struct json json = {.out = out, .depth = 1, .follows = true};
    if (job->verdict != NULL)
        json_string(&json, "verdict", job->verdict);
    list_open(out, "places");
    for (int i = 0; i < n; i++) {
        struct json one = {.out = out};
        fputs(i > 0 ? ",\n    {" : "\n    {", out);
        write_place(&one, job, &place[i]);
        fputc('}', out);
    }
    fputs(n > 0 ? "\n  ]" : "]", out);
}

static void write_matrix(FILE *out, const struct job *job)
{
    struct json json = {.out = out}, other = {.out = out};
    fputs(",\n  \"matrix\": {", out);
    json_string(&json, "by", job_matrix_keys[job->matrix_by]);
    json_integer(&json, "n", job->matrix_n);
    fputs(",\"cells\": [", out);
    write_cells(out, job);
    fputs("],\"other\": {", out);
    put_numbers(&other, &job->matrix_other, job_cell_fields);
    fputs("}}", out);
}

static int steps_of(const struct job *job)
{
    int n = COURSE_STEPS;
    while (n > 0 && job->timeline.elapsed_ns[n - 1] == 0)
        n--;
    return n;
}

static void write_steps(FILE *out, const uint64_t *ns, int n)
{
    for (int i = 0; i < n; i++)
        fprintf(out, "%s%lld", i > 0 ? "," : "", integer(ns[i]));
}

static void write_timeline(FILE *out, const struct job *job)
{
    int n = steps_of(job);
    fprintf(out, ",\n  \"course\": {\"step_ns\": %lld,\n    \"elapsed_ns\": [",
            integer(job->timeline_places.step_ns));
    write_steps(out, job->timeline.elapsed_ns, n);
    fputs("],\n    \"calls\": [", out);
    for (int i = 0; i <= job->timeline_places.n; i++) {
        bool others = i == job->timeline_places.n;
        fprintf(out, "%s\n    {\"call\": %s%s%s,\"ns\": [", i > 0 ? "," : "", others ? "" : "\"",
                others ? "null" : call_name[job->timeline_places.call[i]], others ? "" : "\"");
        write_steps(out, job->timeline.mpi_ns[others ? JOB_COURSE_CALLS - 1 : i], n);
        fputs("]}", out);
    }
    fputs("]\n  }", out);
}

static int has_neighbor(const struct job *job, int i)
{
    return job->neighbor[i].ranks > 0;
}

static void write_neighbor(struct json *json, const struct job *job, int i)
{
    put_numbers(json, &job->neighbor[i], job_neighbor_fields);
}

static void write_sizes(FILE *out, const char *key, const uint64_t size[SIZE_BUCKETS])
{
    int follows = 0;
    list_open(out, key);
    for (int i = 0; i < SIZE_BUCKETS; i++) {
        if (size[i] > 0)
            pair(out, &follows, i == 0 ? 0 : 1ULL << (i - 1), size[i]);
    }
    fputc(']', out);
}

void job_write_head(FILE *out, const struct job *job)
{
    fprintf(out, "{\n  \"format\": \"%s\",\n  \"version\": %d", JOB_FILE_FORMAT, JOB_FILE_VERSION);
    write_job(out, job);
    write_verdict(out, job);
    write_efficiency(out, job);
    write_rates(out, job);
    write_path(out, job);
    write_list(out, job, "counters", job->n_counters, NULL, write_counter);
    write_formulas(out, job);
    write_list(out, job, "metrics", METRIC_COUNT, job_has_metric, write_metric);
    write_list(out, job, "calls", CALL_COUNT, has_call, write_call);
    write_list(out, job, "regions", job->n_regions, NULL, write_region);
    write_sites(out, job);
    write_comms(out, job);
    write_matrix(out, job);
    write_timeline(out, job);
    write_ending(out, job);
    write_counted_share(out, job);
    write_devices(out, job);
    write_list(out, job, "partners", MAX_NEIGHBORS, has_neighbor, write_neighbor);
    write_sizes(out, "sent_sizes", job->sent);
    write_sizes(out, "collective_sizes", job->collective);
    list_open(out, "row_values");
    const char *comma = "";
    for (int i = 0; i < METRIC_COUNT; i++) {
        if (job_in_rows(job, i)) {
            fprintf(out, "%s\"%s\"", comma, job_metric_key(i));
            comma = ", ";
        }
    }
    fputs("],\n  \"region_values\": [\"visits\", \"ns\", \"mpi_ns\"", out);
    for (int i = 0; i < job->n_counters; i++)
        fprintf(out, ", \"counter.%d\"", i);
    fputs("],\n  \"call_values\": [\"calls\", \"ns\", \"bytes\", \"received_bytes\"],\n  \"row_calls\": [",
          out);
    for (int i = 0; i < job->n_row_calls; i++)
        fprintf(out, "%s\"%s\"", i > 0 ? ", " : "", call_name[job->row_call[i]]);
    fputs("],\n  \"rows\": [\n", out);
}

void job_write_tail(FILE *out)
{
    fputs("  ]\n}\n", out);
}

/* A row's text, which always fits: numbers have 19 digits at most, and names are cut to what the row has
 * room for. */
struct row_text {
    char *text;
    size_t length, used;
};

size_t job_row_length(const struct job *job)
{
    size_t region = (size_t)(JOB_ROW_REGION + job->n_counters) * JOB_ROW_NUMBER + JOB_ROW_BRACKETS;
    return JOB_ROW_LENGTH + (size_t)job->row_regions * region +
           (size_t)job->n_row_calls * (JOB_ROW_CALL * JOB_ROW_NUMBER + JOB_ROW_BRACKETS);
}

static __attribute__((format(printf, 2, 3))) void append(struct row_text *row, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int n = vsnprintf(row->text + row->used, row->length - row->used, format, arguments);
    va_end(arguments);
    row->used += (size_t)n;
}

/* A host's name has letters, digits, points and hyphens; whatever else is in it would need more room. */
static void append_host(struct row_text *row, const char host[HOST_NAME])
{
    append(row, "\"host\":\"");
    for (int i = 0; i < HOST_NAME && host[i] != '\0'; i++) {
        char c = host[i];
        row->text[row->used++] = c >= ' ' && c <= '~' && c != '"' && c != '\\' ? c : '?';
    }
    append(row, "\",");
}

static void append_call(struct row_text *row, int call)
{
    if (call >= 0 && call < CALL_COUNT)
        append(row, "\"inside\":\"%s\",", call_name[call]);
    else
        append(row, "\"inside\":null,");
}

/* Appends a list for each region, or null for one in which the rank was not. */
static void append_regions(struct row_text *row, const struct job *job, const struct job_row *from)
{
    for (int i = 0; i < job->row_regions; i++) {
        const struct job_region *region = from->region != NULL ? &from->region[i] : NULL;
        append(row, "%s", i == 0 ? ",\"regions\":[" : ",");
        if (region == NULL || region->ranks == 0) {
            append(row, "null");
            continue;
        }
        append(row, "[%lld,%lld,%lld", integer(region->visits), integer(region->ns), integer(region->mpi_ns));
        for (int c = 0; c < job->n_counters; c++)
            if (from->value[METRIC_FIXED + c] == ROW_NONE || region->counter[c] == NOT_KNOWN)
                append(row, ",null");
            else
                append(row, ",%lld", integer(region->counter[c]));
        append(row, "]");
    }
    append(row, "%s", job->row_regions > 0 ? "]" : "");
}

static void append_one_call(struct row_text *row, const struct job_call *call)
{
    append(row, "[%lld,%lld,%lld,", integer(call->calls), integer(call->ns), integer(call->bytes));
    if (call->received_bytes == NOT_KNOWN)
        append(row, "null]");
    else
        append(row, "%lld]", integer(call->received_bytes));
}

/* Appends a list for each call of row_calls. */
static void append_calls(struct row_text *row, const struct job *job, const struct job_row *from)
{
    for (int i = 0; i < job->n_row_calls; i++) {
        const struct job_call *call = from->call != NULL ? &from->call[i] : NULL;
        append(row, "%s", i == 0 ? ",\"calls\":[" : ",");
        if (call == NULL || call->calls == 0)
            append(row, "null");
        else
            append_one_call(row, call);
    }
    append(row, "%s", job->n_row_calls > 0 ? "]" : "");
}

void job_write_row(char *text, const struct job *job, const struct job_row *from, int last)
{
    struct row_text row = {text, job_row_length(job), 0};
    append(&row, "{\"rank\":%lld,\"node\":%lld,", integer(from->rank), integer(from->node));
    append_host(&row, from->host);
    append(&row, "\"pid\":%d,\"state\":\"%s\",\"threads\":%d,", from->pid, job_state_key(from->state),
           from->threads);
    append_call(&row, from->inside);
    append(&row, "\"partners\":%d,", from->partners);
    if (from->busiest_peer >= 0)
        append(&row, "\"busiest_peer\":%d,", from->busiest_peer);
    else
        append(&row, "\"busiest_peer\":null,");
    append(&row, "\"busiest_bytes\":%lld,\"values\":[", integer(from->busiest_bytes));
    const char *comma = "";
    for (int i = 0; i < METRIC_COUNT; i++) {
        if (job_in_rows(job, i)) {
            if (from->value[i] == ROW_NONE)
                append(&row, "%snull", comma);
            else
                append(&row, "%s%lld", comma, integer(from->value[i]));
            comma = ",";
        }
    }
    append(&row, "]");
    append_regions(&row, job, from);
    append_calls(&row, job, from);
    append(&row, last ? "}" : "},");
    memset(text + row.used, ' ', row.length - row.used);
    text[row.length - 1] = '\n';
}

int job_write_rows(FILE *out, const struct job *job)
{
    char *text = malloc(job_row_length(job));
    if (text == NULL)
        return -1;
    for (uint64_t i = 0; i < job->n_rows; i++) {
        job_write_row(text, job, &job->row[i], i + 1 == job->n_rows);
        fwrite(text, job_row_length(job), 1, out);
    }
    free(text);
    return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/array.h"
#include "job/block.h"
#include "job/job.h"

#include "job/result_file.h"

#include <errno.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* A file is read into a job. Whatever is wrong with it is said once: the first thing found, with where it
 * is; what comes later returns at once. */
struct reader {
    struct job *job;
    const char *file;
    char *why;
    int room;
    bool failed;
    char where[64];               /* "metrics[3]" */
    int row_metric[METRIC_COUNT]; /* the metric that a value of a row is */
    size_t n_row_values;          /* so many values has a row */
};

static __attribute__((format(printf, 2, 3))) void fail(struct reader *reader, const char *format, ...)
{
    char what[512];
    va_list arguments;
    if (reader->failed)
        return;
    reader->failed = true;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    snprintf(reader->why, (size_t)reader->room, "%s: %s%s%s", reader->file, reader->where,
             reader->where[0] ? ": " : "", what);
}

/* ---- one value of an object */

static json_t *member(struct reader *reader, const json_t *object, const char *key, json_type type)
{
    static const char *const names[] = {"an object", "a list", "a text", "a whole number"};
    json_t *value = json_object_get(object, key);
    if (value == NULL)
        fail(reader, "\"%s\" is missing", key);
    else if (json_typeof(value) != type)
        fail(reader, "\"%s\" is not %s", key, names[type]);
    return reader->failed ? NULL : value;
}

static uint64_t whole(struct reader *reader, const json_t *value, const char *what)
{
    if (!json_is_integer(value) || json_integer_value(value) < 0)
        fail(reader, "%s is not a whole number from 0 on", what);
    return reader->failed ? 0 : (uint64_t)json_integer_value(value);
}

static uint64_t number(struct reader *reader, const json_t *object, const char *key)
{
    json_t *value = member(reader, object, key, JSON_INTEGER);
    if (value != NULL && json_integer_value(value) < 0)
        fail(reader, "\"%s\" is negative", key);
    return reader->failed ? 0 : (uint64_t)json_integer_value(value);
}

static int small(struct reader *reader, const json_t *object, const char *key)
{
    uint64_t value = number(reader, object, key);
    if (value > INT32_MAX)
        fail(reader, "\"%s\" is too large", key);
    return reader->failed ? 0 : (int)value;
}

/* Reads a string; one longer than room is cut, as the writer does. */
static void string(struct reader *reader, const json_t *object, const char *key, char *text, size_t room)
{
    json_t *value = member(reader, object, key, JSON_STRING);
    if (value != NULL)
        snprintf(text, room, "%s", json_string_value(value));
}

static int truth(struct reader *reader, const json_t *object, const char *key)
{
    json_t *value = json_object_get(object, key);
    if (!json_is_boolean(value))
        fail(reader, "\"%s\" is neither true nor false", key);
    return json_is_true(value);
}

static void numbers(struct reader *reader, const json_t *object, void *into, const struct job_field *field)
{
    for (; field->key != NULL && !reader->failed; field++) {
        if (field->later && json_object_get(object, field->key) == NULL)
            continue;
        uint64_t value = number(reader, object, field->key);
        memcpy((char *)into + field->offset, &value, sizeof value);
    }
}

/* [a, b] */
static void pair(struct reader *reader, const json_t *list, uint64_t *a, uint64_t *b)
{
    if (json_array_size(list) != 2)
        fail(reader, "not a list of two numbers");
    *a = whole(reader, json_array_get(list, 0), "the first of two");
    *b = whole(reader, json_array_get(list, 1), "the second of two");
}

/* Calls read for each object of a list; a list of more than most of them is an error. */
static void read_list(struct reader *reader, const json_t *root, const char *key, size_t most,
                      void (*read)(struct reader *reader, const json_t *from, size_t i))
{
    const json_t *list = member(reader, root, key, JSON_ARRAY), *object;
    size_t i;
    json_array_foreach(list, i, object)
    {
        if (reader->failed)
            return;
        snprintf(reader->where, sizeof reader->where, "%s[%zu]", key, i);
        if (i >= most)
            fail(reader, "more than %zu %s", most, key);
        else if (!json_is_object(object))
            fail(reader, "not an object");
        else
            read(reader, object, i);
    }
    if (!reader->failed)
        reader->where[0] = '\0';
}

/* ---- the parts */

static void read_format(struct reader *reader, const json_t *root)
{
    const json_t *format = json_object_get(root, "format");
    if (!json_is_object(root) || !json_is_string(format) ||
        strcmp(json_string_value(format), JOB_FILE_FORMAT) != 0) {
        fail(reader, "this is JSON, but not the result of an MPI job (\"format\": \"" JOB_FILE_FORMAT "\")");
        return;
    }
    uint64_t version = number(reader, root, "version");
    if (!reader->failed && version != JOB_FILE_VERSION)
        fail(reader, "written in version %llu of the format, and this papi_mpi_report reads version %d",
             (unsigned long long)version, JOB_FILE_VERSION);
}

/* Reads the figures of OpenMP's teams, which results of earlier versions lack. */
static void read_teams(struct reader *reader, const json_t *from)
{
    const json_t *source = json_object_get(from, "teams");
    struct job *job = reader->job;
    if (source == NULL || reader->failed)
        return;
    while (job->teams <= TEAMS_GOMP &&
           (!json_is_string(source) || strcmp(json_string_value(source), job_teams_keys[job->teams]) != 0))
        job->teams++;
    if (job->teams > TEAMS_GOMP)
        fail(reader, "\"teams\" is not one of off, none, ompt and libgomp");
}

static int call_of(const char *name)
{
    for (int i = 0; i < CALL_COUNT; i++)
        if (strcmp(call_name[i], name) == 0)
            return i;
    return -1;
}

/* Reads which functions PMPI_... the programs call, which results of earlier versions lack. */
static void read_unseen(struct reader *reader, const json_t *from)
{
    const json_t *list = json_object_get(from, "unseen"), *name;
    size_t i;
    if (list == NULL || reader->failed)
        return;
    if (!json_is_array(list))
        fail(reader, "\"unseen\" is not a list");
    json_array_foreach(list, i, name)
    {
        int call = json_is_string(name) ? call_of(json_string_value(name)) : -1;
        if (call < 0)
            fail(reader, "\"unseen\" has something else than MPI calls");
        else
            call_put_in(reader->job->unseen, call);
    }
}

static void read_job(struct reader *reader, const json_t *root)
{
    struct job *job = reader->job;
    const json_t *from = member(reader, root, "job", JSON_OBJECT);
    snprintf(reader->where, sizeof reader->where, "job");
    string(reader, from, "name", job->job, sizeof job->job);
    string(reader, from, "program", job->program, sizeof job->program);
    string(reader, from, "command", job->command, sizeof job->command);
    string(reader, from, "mpi", job->flavour, sizeof job->flavour);
    string(reader, from, "host", job->host, sizeof job->host);
    string(reader, from, "counter_reason", job->counter_reason, sizeof job->counter_reason);
    numbers(reader, from, job, job_fields);
    read_teams(reader, from);
    read_unseen(reader, from);
    job->started = (int64_t)number(reader, from, "started");
    job->thread_level = small(reader, from, "thread_level");
    job->recovered = truth(reader, from, "recovered");
    job->counters_inside = truth(reader, from, "counters_inside");
    job->emulated = truth(reader, from, "emulated");
    job->counted = json_is_true(json_object_get(from, "counted")); /* results of earlier versions have none */
    if (!reader->failed && (job->ranks == 0 || job->ranks > INT32_MAX || job->present > job->ranks ||
                            job->unfinished > job->present || job->nodes > job->ranks))
        fail(reader, "the numbers of ranks and nodes do not fit together");
    reader->where[0] = '\0';
}

static void read_counter(struct reader *reader, const json_t *from, size_t i)
{
    struct job *job = reader->job;
    string(reader, from, "name", job->counter_name[i], COUNTER_NAME);
    string(reader, from, "unit", job->counter_units[i], sizeof job->counter_units[i]);
    const json_t *scope = json_object_get(from, "scope"); /* results of earlier versions have none */
    if (json_is_string(scope) && strcmp(json_string_value(scope), "node") == 0)
        job->node_counters |= 1u << i;
    job->n_counters = (int)i + 1;
}

/* Reads a metric by name, as its texts: values are computed anew. Results of earlier versions have no list of
 * them. */
static void read_formula(struct reader *reader, const json_t *from)
{
    static const char *const keys[] = {"name", "unit", "formula", "description"};
    char text[4][FORMULA_LINE], reason[FORMULA_REASON];
    for (int i = 0; i < 4; i++)
        string(reader, from, keys[i], text[i], sizeof text[i]);
    string(reader, from, "reason", reason, sizeof reason);
    if (truth(reader, from, "counted"))
        reason[0] = '\0';
    const struct job_formula formula = {text[0], text[1], text[2], text[3], reason};
    if (!reader->failed && text[0][0] != '\0' && !job_formula_add(reader->job, &formula))
        fail(reader, "\"formulas\" is longer than there is room for");
}

static void read_formulas(struct reader *reader, const json_t *root)
{
    const json_t *list = json_object_get(root, "formulas"), *each;
    size_t i;
    json_array_foreach(list, i, each)
    {
        snprintf(reader->where, sizeof reader->where, "formulas %zu", i);
        if (!reader->failed)
            read_formula(reader, each);
    }
    reader->where[0] = '\0';
}

static void read_wide(struct reader *reader, const json_t *from, const char *key, uint128 *wide)
{
    json_t *value = member(reader, from, key, JSON_STRING);
    if (value != NULL && wide_read(wide, json_string_value(value)) != 0)
        fail(reader, "\"%s\" is not a number of at most 128 bits", key);
}

static void read_extremes(struct reader *reader, const json_t *from, const char *key,
                          const struct metric *metric, struct metric_extreme *extreme)
{
    const json_t *list = member(reader, from, key, JSON_ARRAY);
    uint64_t n = metric->count < METRIC_EXTREMES ? metric->count : METRIC_EXTREMES;
    if (!reader->failed && json_array_size(list) != n)
        fail(reader, "\"%s\" has not %llu entries", key, (unsigned long long)n);
    for (size_t i = 0; i < n && !reader->failed; i++) {
        pair(reader, json_array_get(list, i), &extreme[i].value, &extreme[i].rank);
        if (!reader->failed && extreme[i].rank >= reader->job->ranks)
            fail(reader, "\"%s\" names rank %llu of %llu", key, (unsigned long long)extreme[i].rank,
                 (unsigned long long)reader->job->ranks);
    }
}

static void read_buckets(struct reader *reader, const json_t *from, struct metric *metric)
{
    const json_t *list = member(reader, from, "buckets", JSON_ARRAY), *entry;
    uint64_t sum = 0;
    size_t i;
    json_array_foreach(list, i, entry)
    {
        uint64_t start, n;
        pair(reader, entry, &start, &n);
        if (reader->failed)
            return;
        int bucket = metric_bucket(start);
        if (metric_bucket_start(bucket) != start || n > reader->job->ranks || metric->bucket[bucket] != 0) {
            fail(reader, "\"buckets\" has [%llu,%llu], which is not a bucket", (unsigned long long)start,
                 (unsigned long long)n);
            return;
        }
        metric->bucket[bucket] = (uint32_t)n;
        sum += n;
    }
    if (!reader->failed && sum != metric->count)
        fail(reader, "\"buckets\" has %llu ranks and \"count\" %llu", (unsigned long long)sum,
             (unsigned long long)metric->count);
}

static void read_metric(struct reader *reader, const json_t *from, size_t i)
{
    struct job *job = reader->job;
    const json_t *key = member(reader, from, "key", JSON_STRING);
    int id = key != NULL ? job_metric_of(job, json_string_value(key)) : -1;
    (void)i;
    if (id < 0)
        return;
    struct metric *metric = &job->metric[id];
    *metric = (struct metric){.count = number(reader, from, "count")};
    if (metric->count > job->ranks)
        fail(reader, "\"count\" is more than the job has ranks");
    read_wide(reader, from, "sum", &metric->sum);
    read_wide(reader, from, "squares", &metric->squares);
    read_extremes(reader, from, "smallest", metric, metric->smallest);
    read_extremes(reader, from, "largest", metric, metric->largest);
    read_buckets(reader, from, metric);
}

/* Reads pairs [start, n] of sizes: n messages in the bucket that begins at start bytes. */
static void read_size_list(struct reader *reader, const json_t *list, uint64_t size[SIZE_BUCKETS])
{
    const json_t *entry;
    size_t i;
    json_array_foreach(list, i, entry)
    {
        uint64_t start, n;
        pair(reader, entry, &start, &n);
        int bucket = 0;
        while (bucket < SIZE_BUCKETS && start != (bucket == 0 ? 0 : 1ULL << (bucket - 1)))
            bucket++;
        if (bucket == SIZE_BUCKETS) {
            fail(reader, "%llu is neither 0 nor a power of two", (unsigned long long)start);
            return;
        }
        size[bucket] = n;
    }
}

static void read_neighbor(struct reader *reader, const json_t *from, size_t i)
{
    numbers(reader, from, &reader->job->neighbor[i], job_neighbor_fields);
}

/* Reads the sizes of calls, which results of earlier versions lack. */
static void read_call_sizes(struct reader *reader, const json_t *from, int call)
{
    const json_t *sizes = json_object_get(from, "sizes");
    struct job_sizes *sized = reader->job->sized;
    int i = 0;
    while (i < MAX_JOB_SIZED && sized[i].call != 0)
        i++;
    if (sizes == NULL || i == MAX_JOB_SIZED)
        return;
    sized[i].call = (uint64_t)call + 1;
    read_size_list(reader, sizes, sized[i].size);
}

/* Reads how long calls took, which most results lack: pairs [ticks, calls], by the begin of a class. */
static void read_call_times(struct reader *reader, const json_t *from, int call)
{
    const json_t *list = json_object_get(from, "times"), *entry;
    struct job_times *times = reader->job->times;
    size_t k;
    int i = 0;
    while (i < MAX_TIMED && times[i].call != 0)
        i++;
    if (list == NULL || i == MAX_TIMED)
        return;
    times[i].call = (uint64_t)call + 1;
    json_array_foreach(list, k, entry)
    {
        uint64_t ticks, n;
        pair(reader, entry, &ticks, &n);
        int class = time_class(ticks);
        if (time_class_begin(class) != ticks) {
            fail(reader, "no class of times begins at %llu ticks", (unsigned long long)ticks);
            return;
        }
        times[i].calls[class] = n;
    }
}

static void read_call(struct reader *reader, const json_t *from, size_t i)
{
    const json_t *name = member(reader, from, "name", JSON_STRING);
    int call = name != NULL ? call_of(json_string_value(name)) : -1;
    (void)i;
    if (call < 0) {
        fail(reader, "an MPI call that this papi_mpi_report does not know");
        return;
    }
    struct job_call *into = &reader->job->call[call];
    numbers(reader, from, into, job_call_fields);
    into->received_bytes = NOT_KNOWN; /* also of results of earlier versions */
    numbers(reader, from, into, job_received_fields);
    if (json_object_get(from, "main_ns") == NULL)
        into->main_ns = into->ns;
    read_call_sizes(reader, from, call);
    read_call_times(reader, from, call);
}

/* Reads what was called inside of a region, which results of earlier versions lack. */
static void read_region_calls(struct reader *reader, const json_t *from, size_t id)
{
    const json_t *list = json_object_get(from, "calls"), *one;
    size_t i;
    if (list == NULL || reader->failed)
        return;
    if (!json_is_array(list))
        fail(reader, "\"calls\" is not a list");
    json_array_foreach(list, i, one)
    {
        const json_t *name = json_is_object(one) ? member(reader, one, "name", JSON_STRING) : NULL;
        int call = name != NULL ? call_of(json_string_value(name)) : -1;
        if (call < 0)
            fail(reader, "\"calls\" has something else than MPI calls");
        if (reader->failed)
            return;
        struct job_region_call *to = block_region_call(reader->job, job_region_call_key((int)id, call));
        if (to != NULL)
            numbers(reader, one, to, job_region_call_fields);
    }
}

static void read_region(struct reader *reader, const json_t *from, size_t id)
{
    struct job_region *region = &reader->job->region[id];
    reader->job->n_regions = (int)id + 1;
    string(reader, from, "name", region->name, sizeof region->name);
    numbers(reader, from, region, job_region_fields);
    const json_t *counters = member(reader, from, "counters", JSON_ARRAY);
    if (!reader->failed && json_array_size(counters) != (size_t)reader->job->n_counters)
        fail(reader, "\"counters\" has not %d entries", reader->job->n_counters);
    for (int i = 0; i < reader->job->n_counters && !reader->failed; i++)
        region->counter[i] = json_is_null(json_array_get(counters, (size_t)i))
                                 ? NOT_KNOWN
                                 : whole(reader, json_array_get(counters, (size_t)i), "a counter");
    read_region_calls(reader, from, id);
    const json_t *devices = json_object_get(from, "devices");
    if (devices != NULL && !json_is_object(devices))
        fail(reader, "\"devices\" is not an object");
    else if (devices != NULL)
        numbers(reader, devices, region, job_region_device_fields);
}

static int hexadecimal(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static void read_object(struct reader *reader, const json_t *from, size_t i)
{
    struct job_object *object = &reader->job->object[i];
    char id[2 * BUILD_ID + 1] = "";
    string(reader, from, "path", object->path, sizeof object->path);
    string(reader, from, "build_id", id, sizeof id);
    for (int k = 0; id[2 * k] != '\0' && !reader->failed; k++) {
        int high = hexadecimal(id[2 * k]), low = hexadecimal(id[2 * k + 1]);
        if (high < 0 || low < 0) {
            fail(reader, "\"build_id\" is not pairs of hexadecimal digits");
            return;
        }
        object->build_id[k] = (uint8_t)(16 * high + low);
        object->build_id_size = (uint8_t)(k + 1);
    }
    reader->job->n_objects = (int)i + 1;
}

static void read_frames(struct reader *reader, const json_t *from, struct job_site *site)
{
    struct job *job = reader->job;
    const json_t *list = member(reader, from, "frames", JSON_ARRAY), *entry;
    size_t i;
    site->first_frame = job->n_frames;
    json_array_foreach(list, i, entry)
    {
        struct job_frame *frame = reader->failed || i == MAX_FRAMES ? NULL : job_add_frame(job);
        if (frame == NULL) {
            fail(reader, i == MAX_FRAMES ? "more than %d frames" : "no memory for %d frames", MAX_FRAMES);
            return;
        }
        string(reader, entry, "routine", frame->routine, sizeof frame->routine);
        string(reader, entry, "file", frame->file, sizeof frame->file);
        frame->line = number(reader, entry, "line");
        site->frames++;
    }
}

static void read_site(struct reader *reader, const json_t *from, size_t i)
{
    struct job_site *site = &reader->job->site[i];
    const json_t *name = member(reader, from, "call", JSON_STRING);
    const json_t *object = member(reader, from, "object", JSON_INTEGER);
    reader->job->n_sites = (int)i + 1;
    site->call = name != NULL ? call_of(json_string_value(name)) : -1;
    if (site->call < 0)
        fail(reader, "an MPI call that this papi_mpi_report does not know");
    json_int_t place = json_integer_value(object);
    if (!reader->failed && (place < -1 || place >= reader->job->n_objects))
        fail(reader, "\"object\" is not one of \"objects\"");
    site->object = (int32_t)place;
    site->address = number(reader, from, "address");
    numbers(reader, from, site, job_site_fields);
    read_frames(reader, from, site);
}

static void read_one_late(struct reader *reader, const json_t *from, size_t i)
{
    struct job_late *late = &reader->job->late[i];
    json_int_t place = json_integer_value(member(reader, from, "site", JSON_INTEGER));
    if (!reader->failed && (place < -1 || place >= reader->job->n_sites))
        fail(reader, "\"site\" is not one of the job");
    late->site = (int32_t)place;
    numbers(reader, from, late, job_late_fields);
    reader->job->n_late = (int)i + 1;
}

/* Reads who waited for whom, which results without a timeline lack. */
static void read_late(struct reader *reader, const json_t *root)
{
    if (json_object_get(root, "late") == NULL)
        return;
    reader->job->late = calloc(MAX_JOB_SITES + 1, sizeof *reader->job->late);
    if (reader->job->late == NULL)
        fail(reader, "out of memory");
    else
        read_list(reader, root, "late", MAX_JOB_SITES + 1, read_one_late);
}

/* Reads the call sites, which results of earlier versions lack. */
static void read_sites(struct reader *reader, const json_t *root)
{
    const json_t *mode = json_object_get(root, "sites_mode");
    struct job *job = reader->job;
    job->other_sites.call = job->other_sites.object = -1;
    if (mode == NULL || reader->failed)
        return;
    while (job->sites_mode <= SITES_PROGRAM &&
           (!json_is_string(mode) || strcmp(json_string_value(mode), job_sites_keys[job->sites_mode]) != 0))
        job->sites_mode++;
    if (job->sites_mode > SITES_PROGRAM)
        fail(reader, "\"sites_mode\" is not one of off, call and program");
    read_list(reader, root, "objects", MAX_JOB_OBJECTS, read_object);
    read_list(reader, root, "sites", MAX_JOB_SITES, read_site);
    numbers(reader, member(reader, root, "other_sites", JSON_OBJECT), &job->other_sites, job_site_fields);
}

static struct path_share *next_share(struct reader *reader, struct path_share share[PATH_SHARES], size_t i)
{
    if (i >= PATH_SHARES)
        fail(reader, "a list of more than %d shares", PATH_SHARES);
    return reader->failed ? NULL : &share[i];
}

/* ---- communicators */

/* The place of what belongs to no communicator of its own; -1: it is one. */
static int comm_rest_of(const char *kind)
{
    for (int i = 0; i < COMM_PLACES - MAX_COMMS; i++)
        if (strcmp(job_comm_keys[i], kind) == 0)
            return i;
    return -1;
}

/* Communicators are in the order of their keys, of which nothing else is needed. */
static uint64_t comm_key_of(struct reader *reader, const char *kind, size_t i)
{
    if (strcmp(kind, "world") == 0)
        return COMM_KEY_WORLD + i;
    if (strcmp(kind, "self") == 0)
        return COMM_KEY_SELF + i;
    if (strcmp(kind, "made") != 0)
        fail(reader, "\"kind\" is not world, self, made, others, windows, files, requests or none");
    return 2 * COMM_KEY_SELF + i;
}

static void read_comm(struct reader *reader, const json_t *from, size_t i)
{
    char kind[16] = "";
    string(reader, from, "kind", kind, sizeof kind);
    int rest = comm_rest_of(kind);
    if (rest < 0 && i >= MAX_JOB_COMMS)
        fail(reader, "more than %d communicators", MAX_JOB_COMMS);
    struct job_comm *comm =
        reader->failed || rest < 0 ? &reader->job->comm[i % MAX_JOB_COMMS] : &reader->job->comm_rest[rest];
    if (rest < 0)
        comm->key = comm_key_of(reader, kind, i);
    const json_t *name = json_object_get(from, "name"), *call = json_object_get(from, "made_by");
    if (json_is_string(name))
        string(reader, from, "name", comm->name, sizeof comm->name);
    comm->call = json_is_string(call) ? call_of(json_string_value(call)) : -1;
    numbers(reader, from, comm, job_comm_fields);
}

/* Reads the calls by communicator, which most results lack. */
static void read_comms(struct reader *reader, const json_t *root)
{
    if (json_object_get(root, "communicators") != NULL)
        read_list(reader, root, "communicators", MAX_JOB_COMMS + COMM_PLACES - MAX_COMMS, read_comm);
}

static void read_path_shares(struct reader *reader, const json_t *from, struct path *path)
{
    const json_t *list, *one;
    size_t i;
    uint64_t rank = 0;
    list = member(reader, from, "ranks", JSON_ARRAY);
    json_array_foreach(list, i, one)
    {
        struct path_share *share = next_share(reader, path->rank_share, i);
        if (share == NULL)
            return;
        pair(reader, one, &rank, &share->ns);
        if (rank >= reader->job->ranks)
            fail(reader, "rank %llu is not one of the job", (unsigned long long)rank);
        share->of = (uint32_t)rank;
    }
    list = member(reader, from, "regions", JSON_ARRAY);
    json_array_foreach(list, i, one)
    {
        char name[REGION_NAME] = "";
        struct path_share *share = next_share(reader, path->region_share, i);
        if (share == NULL)
            return;
        string(reader, one, "name", name, sizeof name);
        share->of = name[0] != '\0' ? path_region(name) : 0;
        share->ns = number(reader, one, "ns");
    }
}

/* Reads the critical path, which only jobs have that followed it. */
static void read_path(struct reader *reader, const json_t *root)
{
    struct path *path = &reader->job->path;
    const json_t *from = json_object_get(root, "path");
    if (from == NULL)
        return;
    snprintf(reader->where, sizeof reader->where, "path");
    if (!json_is_object(from))
        fail(reader, "not an object");
    path->ns = number(reader, from, "ns");
    path->rank = small(reader, from, "rank");
    path->moves = number(reader, from, "moves");
    path->other_ranks_ns = number(reader, from, "other_ranks_ns");
    path->other_regions_ns = number(reader, from, "other_regions_ns");
    read_path_shares(reader, from, path);
    if (!reader->failed)
        reader->where[0] = '\0';
    job_path_order(reader->job);
}

static void read_steps(struct reader *reader, const json_t *from, const char *key, uint64_t ns[COURSE_STEPS])
{
    const json_t *list = member(reader, from, key, JSON_ARRAY), *entry;
    size_t i;
    if (json_array_size(list) > COURSE_STEPS)
        fail(reader, "\"%s\" has more than %d steps", key, COURSE_STEPS);
    json_array_foreach(list, i, entry)
    {
        if (!reader->failed)
            ns[i] = whole(reader, entry, "a step");
    }
}

static void read_timeline_call(struct reader *reader, const json_t *from, size_t i)
{
    struct job *job = reader->job;
    const json_t *name = json_object_get(from, "call");
    bool others = json_is_null(name);
    int call = json_is_string(name) ? call_of(json_string_value(name)) : -1;
    if (!others && (call < 0 || i != (size_t)job->timeline_places.n)) {
        fail(reader, "\"call\" is not an MPI call, or comes after that of the others");
        return;
    }
    if (!others)
        job->timeline_places.call[job->timeline_places.n++] = call;
    read_steps(reader, from, "ns", job->timeline.mpi_ns[others ? JOB_COURSE_CALLS - 1 : (int)i]);
}

/* Reads the timeline, which results of earlier versions lack. */
static void read_timeline(struct reader *reader, const json_t *root)
{
    const json_t *from = json_object_get(root, "course");
    if (from == NULL || reader->failed)
        return;
    reader->job->timeline_places.step_ns = number(reader, from, "step_ns");
    read_steps(reader, from, "elapsed_ns", reader->job->timeline.elapsed_ns);
    read_list(reader, from, "calls", JOB_COURSE_CALLS, read_timeline_call);
}

static void read_share_row(struct reader *reader, const json_t *from, size_t i)
{
    struct job_share *share = &reader->job->share;
    string(reader, from, "library", share->row[i].library, SHARE_LIBRARY);
    string(reader, from, "routine", share->row[i].routine, SHARE_ROUTINE);
    share->row[i].samples = number(reader, from, "samples");
    share->n = (int)i + 1;
}

/* Reads the share that is counted, which only jobs of counted builds have. */
static void read_counted_share(struct reader *reader, const json_t *root)
{
    const json_t *from = json_object_get(root, "share");
    struct job_share *share = &reader->job->share;
    if (from == NULL || reader->failed)
        return;
    snprintf(reader->where, sizeof reader->where, "share");
    if (!json_is_object(from))
        fail(reader, "not an object");
    numbers(reader, from, share, job_share_fields);
    if (!reader->failed && (share->counted > share->samples || share->least > 10000))
        fail(reader, "\"counted\" is more than \"samples\", or \"least\" more than 10000");
    read_list(reader, from, "routines", MAX_SHARES, read_share_row);
    if (!reader->failed)
        reader->where[0] = '\0';
}

static void read_device(struct reader *reader, const json_t *from, size_t i)
{
    struct job_device *device = &reader->job->device[i];
    string(reader, from, "name", device->name, sizeof device->name);
    string(reader, from, "address", device->address, sizeof device->address);
    numbers(reader, from, device, job_device_fields);
    if (!reader->failed && (device->ranks == 0 || device->ranks > reader->job->ranks))
        fail(reader, "\"ranks\" is not a number of ranks");
    if (!reader->failed && device->rank >= reader->job->ranks)
        fail(reader, "\"rank\" is not one of the job");
}

static void read_node_device(struct reader *reader, const json_t *from, size_t i)
{
    struct job_node_device *device = &reader->job->node_device[i];
    const json_t *used = json_object_get(from, "used");
    char address[ADDRESS_TEXT] = "";
    unsigned part[4] = {0};
    string(reader, from, "name", device->name, sizeof device->name);
    string(reader, from, "address", address, sizeof address);
    if (!reader->failed && sscanf(address, "%x:%2x:%2x.%1x", &part[0], &part[1], &part[2], &part[3]) != 4)
        fail(reader, "\"address\" is not one of PCI");
    device->address = (uint64_t)part[0] << 16 | part[1] << 8 | (part[2] & 0x1f) << 3 | (part[3] & 7);
    device->node = number(reader, from, "node");
    device->there = 1;
    device->used = used == NULL ? NOT_KNOWN : json_is_true(used);
    device->microjoules =
        json_object_get(from, "energy_uj") == NULL ? NOT_KNOWN : number(reader, from, "energy_uj");
}

/* Reads the devices that ranks may use, which results of earlier versions lack. */
static void read_usable(struct reader *reader, const json_t *devices)
{
    const json_t *from = json_object_get(devices, "usable");
    if (from == NULL || reader->failed)
        return;
    snprintf(reader->where, sizeof reader->where, "devices: usable");
    if (!json_is_object(from))
        fail(reader, "not an object");
    numbers(reader, from, reader->job, job_usable_fields);
    if (!reader->failed && reader->job->energy_nodes > 0)
        numbers(reader, from, reader->job, job_node_energy_fields);
    string(reader, from, "reason", reader->job->energy_reason, sizeof reader->job->energy_reason);
    read_list(reader, from, "list", MAX_JOB_DEVICES, read_node_device);
}

/* Reads the devices, which only jobs have whose ranks have some or were to look for them. */
static void read_devices(struct reader *reader, const json_t *root)
{
    const json_t *from = json_object_get(root, "devices");
    if (from == NULL || reader->failed)
        return;
    snprintf(reader->where, sizeof reader->where, "devices");
    if (!json_is_object(from))
        fail(reader, "not an object");
    numbers(reader, from, reader->job, job_devices_fields);
    string(reader, from, "reason", reader->job->device_reason, sizeof reader->job->device_reason);
    read_list(reader, from, "list", MAX_JOB_DEVICES, read_device);
    read_usable(reader, from);
    if (!reader->failed)
        reader->where[0] = '\0';
}

/* ---- jobs that did not end well */

static int32_t partner(struct reader *reader, const json_t *from, const char *key)
{
    static const struct {
        const char *word;
        int32_t value;
    } words[] = {{"any", OPEN_ANY}, {"nobody", OPEN_NOBODY}, {"unknown", OPEN_UNKNOWN}};
    const json_t *value = json_object_get(from, key);
    if (json_is_null(value))
        return OPEN_NONE;
    for (size_t i = 0; i < sizeof words / sizeof *words && json_is_string(value); i++)
        if (strcmp(json_string_value(value), words[i].word) == 0)
            return words[i].value;
    return small(reader, from, key);
}

static int32_t maybe_call(struct reader *reader, const json_t *from, const char *key)
{
    const json_t *name = json_object_get(from, key);
    int call = json_is_string(name) ? call_of(json_string_value(name)) : -1;
    if (call < 0 && !json_is_null(name))
        fail(reader, "\"%s\" is neither null nor an MPI call", key);
    return call;
}

static int32_t yes_or_no(struct reader *reader, const json_t *from, const char *key)
{
    const json_t *value = json_object_get(from, key);
    if (!json_is_boolean(value))
        fail(reader, "\"%s\" is not true or false", key);
    return json_is_true(value);
}

static int32_t ending_of(struct reader *reader, const json_t *from)
{
    const json_t *value = json_object_get(from, "ending");
    for (int i = 0; i <= ENDING_WAITS && json_is_string(value); i++)
        if (strcmp(json_string_value(value), job_ending_keys[i]) == 0)
            return i;
    fail(reader, "\"ending\" is not one of runs, signal, gone and finalize");
    return ENDING_GONE;
}

static void read_waits(struct reader *reader, const json_t *from, struct job_open *open)
{
    const json_t *list = member(reader, from, "waits_for", JSON_ARRAY), *entry;
    size_t i;
    open->missing = number(reader, from, "missing");
    json_array_foreach(list, i, entry)
    {
        uint64_t rank = reader->failed ? 0 : whole(reader, entry, "a rank of \"waits_for\"");
        if (i >= OPEN_WAITS || rank >= reader->job->ranks)
            fail(reader, "\"waits_for\" is not a list of at most %d ranks of the job", OPEN_WAITS);
        if (reader->failed)
            return;
        open->waits[open->n_waits++] = (int32_t)rank;
    }
}

static void read_open(struct reader *reader, const json_t *from, size_t i)
{
    struct job *job = reader->job;
    if (!ARRAY_GROW(job->open, i)) {
        fail(reader, "no memory for what ranks wait for");
        return;
    }
    struct job_open *open = &job->open[i];
    const json_t *site = member(reader, from, "site", JSON_INTEGER);
    json_int_t place = json_integer_value(site);
    *open = (struct job_open){.rank = number(reader, from, "rank"),
                              .ns = number(reader, from, "ns"),
                              .thread = small(reader, from, "thread"),
                              .main = yes_or_no(reader, from, "main"),
                              .call = maybe_call(reader, from, "call"),
                              .inside = yes_or_no(reader, from, "inside"),
                              .exact = yes_or_no(reader, from, "exact"),
                              .ending = ending_of(reader, from),
                              .signal = small(reader, from, "signal"),
                              .peer = partner(reader, from, "peer"),
                              .tag = partner(reader, from, "tag"),
                              .second_peer = partner(reader, from, "second_peer"),
                              .second_tag = partner(reader, from, "second_tag"),
                              .comm_size = small(reader, from, "comm_size"),
                              .comm_call = maybe_call(reader, from, "comm_call"),
                              .requests = small(reader, from, "requests"),
                              .request_call = maybe_call(reader, from, "request_call")};
    if (!reader->failed &&
        (open->rank >= job->ranks || place < -1 || place >= job->n_sites || (open->inside && open->call < 0)))
        fail(reader, "\"rank\", \"site\" or \"call\" is not one of the job");
    open->site = (int32_t)place;
    read_waits(reader, from, open);
    job->n_open = i + 1;
}

static void read_ending(struct reader *reader, const json_t *root)
{
    struct job *job = reader->job;
    const json_t *list, *entry;
    size_t i;
    if (json_object_get(root, "open") == NULL || reader->failed)
        return;
    read_list(reader, root, "open", SIZE_MAX, read_open);
    list = member(reader, root, "cycle", JSON_ARRAY);
    job->cycle_ranks = number(reader, root, "cycle_ranks");
    json_array_foreach(list, i, entry)
    {
        uint64_t rank = reader->failed ? 0 : whole(reader, entry, "a rank of \"cycle\"");
        if (i >= MAX_CYCLE || rank >= job->ranks)
            fail(reader, "\"cycle\" is not a list of at most %d ranks of the job", MAX_CYCLE);
        if (reader->failed)
            return;
        job->cycle[i] = rank;
    }
    if (json_array_size(list) != (job->cycle_ranks < MAX_CYCLE ? job->cycle_ranks : MAX_CYCLE))
        fail(reader, "\"cycle\" has not as many ranks as \"cycle_ranks\" says");
}

static void read_sizes(struct reader *reader, const json_t *root, const char *key,
                       uint64_t size[SIZE_BUCKETS])
{
    const json_t *list = member(reader, root, key, JSON_ARRAY);
    snprintf(reader->where, sizeof reader->where, "%s", key);
    read_size_list(reader, list, size);
    reader->where[0] = '\0';
}

static void read_cell(struct reader *reader, const json_t *entry)
{
    struct job *job = reader->job;
    uint64_t number[4] = {0, 0, 0, 0}, n = (uint64_t)job->matrix_n;
    if (json_array_size(entry) != 4)
        fail(reader, "a cell is not a list of four numbers");
    for (size_t k = 0; k < 4 && !reader->failed; k++)
        number[k] = whole(reader, json_array_get(entry, k), "a number of a cell");
    if (!reader->failed && (number[0] >= n || number[1] >= n))
        fail(reader, "a cell is outside of the matrix");
    if (!reader->failed)
        job->matrix[number[0] * n + number[1]] = (struct job_cell){number[2], number[3]};
}

static void read_matrix_head(struct reader *reader, const json_t *from)
{
    struct job *job = reader->job;
    const json_t *by = member(reader, from, "by", JSON_STRING);
    while (by != NULL && job->matrix_by <= MATRIX_BY_RANKS &&
           strcmp(json_string_value(by), job_matrix_keys[job->matrix_by]) != 0)
        job->matrix_by++;
    if (job->matrix_by > MATRIX_BY_RANKS)
        fail(reader, "\"by\" is not one of none, rank, node and ranks");
    job->matrix_n = small(reader, from, "n");
    if (job->matrix_n > MATRIX_MOST)
        fail(reader, "\"n\" is more than %d", MATRIX_MOST);
}

/* Reads the matrix of messages, which results of earlier versions lack. */
static void read_matrix(struct reader *reader, const json_t *root)
{
    const json_t *from = json_object_get(root, "matrix"), *entry;
    size_t i;
    if (from == NULL || reader->failed)
        return;
    snprintf(reader->where, sizeof reader->where, "matrix");
    read_matrix_head(reader, from);
    const json_t *list = member(reader, from, "cells", JSON_ARRAY);
    json_array_foreach(list, i, entry)
    {
        if (!reader->failed)
            read_cell(reader, entry);
    }
    numbers(reader, member(reader, from, "other", JSON_OBJECT), &reader->job->matrix_other, job_cell_fields);
    reader->where[0] = '\0';
    if (json_object_get(root, "partners") != NULL)
        read_list(reader, root, "partners", MAX_NEIGHBORS, read_neighbor);
}

/* ---- the rows */

static void read_row_values(struct reader *reader, const json_t *root)
{
    const json_t *list = member(reader, root, "row_values", JSON_ARRAY), *entry;
    size_t i;
    json_array_foreach(list, i, entry)
    {
        if (!json_is_string(entry) || i >= METRIC_COUNT) {
            fail(reader, "\"row_values\" is not a list of at most %d texts", METRIC_COUNT);
            return;
        }
        reader->row_metric[i] = job_metric_of(reader->job, json_string_value(entry));
        reader->n_row_values = i + 1;
    }
}

/* null or a call's name */
static int32_t inside_of(struct reader *reader, const json_t *from)
{
    const json_t *inside = json_object_get(from, "inside");
    if (json_is_null(inside))
        return -1;
    int call = json_is_string(inside) ? call_of(json_string_value(inside)) : -1;
    if (call < 0)
        fail(reader, "\"inside\" is neither null nor an MPI call");
    return call;
}

static int32_t peer_of(struct reader *reader, const json_t *from)
{
    return json_is_null(json_object_get(from, "busiest_peer")) ? -1 : small(reader, from, "busiest_peer");
}

/* Reads what the rank did in each region, from the first row on that has it. */
static void read_row_regions(struct reader *reader, const json_t *from, struct job_row *row)
{
    struct job *job = reader->job;
    const json_t *list = json_object_get(from, "regions"), *values;
    size_t i, n = (size_t)job->n_regions, counters = (size_t)job->n_counters;
    if (list == NULL || n == 0 || reader->failed)
        return;
    if (job->of_rows == NULL)
        job->of_rows = calloc(job->n_rows * n, sizeof *job->of_rows);
    if (job->of_rows == NULL || json_array_size(list) != n)
        fail(reader, job->of_rows == NULL ? "no memory for the regions of all ranks"
                                          : "\"regions\" has not as many lists as the job has regions");
    job->row_regions = (int)n;
    struct job_region *region = job->of_rows + (size_t)(row - job->row) * n;
    row->region = region;
    json_array_foreach(list, i, values)
    {
        if (reader->failed || json_is_null(values))
            continue;
        if (json_array_size(values) != 3 + counters)
            fail(reader, "\"regions\" has a list that does not go with \"region_values\"");
        uint64_t *const to[] = {&region[i].visits, &region[i].ns, &region[i].mpi_ns};
        region[i].ranks = 1;
        for (size_t k = 0; k < 3 + counters && !reader->failed; k++) {
            const json_t *value = json_array_get(values, k);
            *(k < 3 ? to[k] : &region[i].counter[k - 3]) =
                json_is_null(value) ? (k < 3 ? 0 : NOT_KNOWN) : whole(reader, value, "a value of a region");
        }
    }
}

/* Reads what the rank did in each of row_calls. */
static void read_row_calls(struct reader *reader, const json_t *from, struct job_row *row)
{
    struct job *job = reader->job;
    const json_t *list = json_object_get(from, "calls"), *values;
    size_t i, n = (size_t)job->n_row_calls;
    if (list == NULL || n == 0 || reader->failed)
        return;
    if (job->calls_of_rows == NULL)
        job->calls_of_rows = calloc(job->n_rows * n, sizeof *job->calls_of_rows);
    if (job->calls_of_rows == NULL || json_array_size(list) != n) {
        fail(reader, job->calls_of_rows == NULL
                         ? "no memory for the calls of all ranks"
                         : "\"calls\" has not as many lists as \"row_calls\" has names");
        return;
    }
    struct job_call *call = job->calls_of_rows + (size_t)(row - job->row) * n;
    row->call = call;
    json_array_foreach(list, i, values)
    {
        if (reader->failed || json_is_null(values))
            continue;
        size_t given = json_array_size(values); /* results of earlier versions lack what was received */
        if (given != 3 && given != 4)
            fail(reader, "\"calls\" has a list that does not go with \"call_values\"");
        uint64_t *const to[] = {&call[i].calls, &call[i].ns, &call[i].bytes, &call[i].received_bytes};
        call[i].received_bytes = NOT_KNOWN;
        for (size_t k = 0; k < given && !reader->failed; k++)
            if (k < 3 || !json_is_null(json_array_get(values, k)))
                *to[k] = whole(reader, json_array_get(values, k), "a value of a call");
    }
}

/* Reads the calls that rows name, which results of earlier versions lack. */
static void read_called(struct reader *reader, const json_t *root)
{
    const json_t *list = json_object_get(root, "row_calls"), *entry;
    size_t i;
    json_array_foreach(list, i, entry)
    {
        int call = json_is_string(entry) ? call_of(json_string_value(entry)) : -1;
        if (call < 0 || i >= CALL_COUNT) {
            fail(reader, "\"row_calls\" is not a list of MPI calls");
            return;
        }
        reader->job->row_call[reader->job->n_row_calls++] = call;
    }
}

static void read_row(struct reader *reader, const json_t *from, struct job_row *row)
{
    char state[16] = "";
    if (!json_is_object(from))
        fail(reader, "not an object");
    for (int i = 0; i < METRIC_COUNT; i++)
        row->value[i] = ROW_NONE;
    row->rank = number(reader, from, "rank");
    row->node = number(reader, from, "node");
    string(reader, from, "host", row->host, sizeof row->host);
    row->pid = small(reader, from, "pid");
    string(reader, from, "state", state, sizeof state);
    row->state = job_state_of(state);
    row->threads = small(reader, from, "threads");
    row->inside = inside_of(reader, from);
    row->partners = small(reader, from, "partners");
    row->busiest_peer = peer_of(reader, from);
    row->busiest_bytes = number(reader, from, "busiest_bytes");
    const json_t *values = member(reader, from, "values", JSON_ARRAY);
    if (!reader->failed && json_array_size(values) != reader->n_row_values)
        fail(reader, "\"values\" has not as many numbers as \"row_values\" has names");
    for (size_t i = 0; i < reader->n_row_values && !reader->failed; i++) {
        const json_t *value = json_array_get(values, i);
        uint64_t number = json_is_null(value) ? ROW_NONE : whole(reader, value, "a value");
        if (reader->row_metric[i] >= 0)
            row->value[reader->row_metric[i]] = number;
    }
    read_row_regions(reader, from, row);
    read_row_calls(reader, from, row);
}

/* Rows are in order of rank, so that a rank's can be found. */
static void check_row(struct reader *reader, uint64_t i)
{
    const struct job_row *row = &reader->job->row[i];
    if (!reader->failed && (row->rank >= reader->job->ranks || (i > 0 && row->rank <= row[-1].rank)))
        fail(reader, "rank %llu is out of place", (unsigned long long)row->rank);
}

static bool make_rows(struct reader *reader, uint64_t n)
{
    struct job *job = reader->job;
    if (n > 0 && n != job->present)
        fail(reader, "\"rows\" has %llu ranks of %llu", (unsigned long long)n,
             (unsigned long long)job->present);
    if (n == 0 || reader->failed)
        return false;
    job->row = calloc(n, sizeof *job->row);
    if (job->row == NULL)
        fail(reader, "no memory for the rows of %llu ranks", (unsigned long long)n);
    job->n_rows = reader->failed ? 0 : n;
    return !reader->failed;
}

static void read_listed_row(struct reader *reader, const json_t *from, size_t i)
{
    read_row(reader, from, &reader->job->row[i]);
    check_row(reader, i);
}

/* Reads the rows one by one from the file, each at the place that its number and the rows' length give. */
static void read_rows_apart(struct reader *reader, struct source *source)
{
    char *text = malloc(source->row_length);
    if (text == NULL)
        fail(reader, "no memory for a row");
    for (uint64_t i = 0; i < reader->job->n_rows && !reader->failed; i++) {
        json_error_t error;
        size_t length = source_row(source, (long long)i, text);
        snprintf(reader->where, sizeof reader->where, "line %llu", source->rows_line + (unsigned long long)i);
        json_t *row = json_loadb(text, length, JSON_REJECT_DUPLICATES, &error);
        if (row == NULL)
            fail(reader, "%s", length == 0 ? "the file ends" : error.text);
        else
            read_row(reader, row, &reader->job->row[i]);
        json_decref(row);
        check_row(reader, i);
    }
    free(text);
}

/* ---- the whole */

static json_t *parse(struct reader *reader, struct source *source)
{
    json_error_t error;
    errno = 0;
    json_t *root = json_load_callback(source_read, source, JSON_REJECT_DUPLICATES, &error);
    if (root != NULL)
        return root;
    if (source->too_big)
        fail(reader, "too large to be a result: more than 32 MiB besides rows as the library writes them");
    else if (source->failed)
        fail(reader, "cannot be read: %s", strerror(errno));
    else if (source->bytes == 0)
        fail(reader, "is empty");
    else
        fail(reader, "line %d, column %d: not JSON: %s", source_line(source, error.line), error.column,
             error.text);
    return NULL;
}

static void read_all(struct reader *reader, struct source *source)
{
    json_t *root = parse(reader, source);
    if (root == NULL)
        return;
    read_format(reader, root);
    read_job(reader, root);
    read_list(reader, root, "counters", MAX_COUNTERS, read_counter);
    read_formulas(reader, root);
    read_list(reader, root, "metrics", SIZE_MAX, read_metric);
    read_list(reader, root, "calls", SIZE_MAX, read_call);
    read_list(reader, root, "regions", MAX_REGIONS, read_region);
    read_sites(reader, root);
    read_late(reader, root);
    read_comms(reader, root);
    read_matrix(reader, root);
    read_path(reader, root);
    read_timeline(reader, root);
    read_ending(reader, root);
    read_counted_share(reader, root);
    read_devices(reader, root);
    read_sizes(reader, root, "sent_sizes", reader->job->sent);
    read_sizes(reader, root, "collective_sizes", reader->job->collective);
    read_row_values(reader, root);
    read_called(reader, root);
    const json_t *rows = member(reader, root, "rows", JSON_ARRAY);
    if (source->n_rows > 0 && make_rows(reader, (uint64_t)source->n_rows))
        read_rows_apart(reader, source);
    else if (source->n_rows == 0 && rows != NULL && make_rows(reader, json_array_size(rows)))
        read_list(reader, root, "rows", SIZE_MAX, read_listed_row);
    json_decref(root);
}

struct job *job_read(const char *file, char *why, int room)
{
    struct reader reader = {.file = file, .why = why, .room = room};
    struct source source;
    const char *unread = source_open(&source, file);
    if (unread != NULL) {
        fail(&reader, "cannot be read: %s", unread);
        return NULL;
    }
    reader.job = calloc(1, sizeof *reader.job);
    if (reader.job == NULL)
        fail(&reader, "no memory");
    else
        read_all(&reader, &source);
    if (reader.job != NULL)
        reader.job->foreign = source.foreign;
    fclose(source.file);
    if (reader.failed) {
        job_free(reader.job);
        return NULL;
    }
    return reader.job;
}

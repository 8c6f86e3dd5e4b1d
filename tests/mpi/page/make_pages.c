/* SPDX-License-Identifier: BSD-3-Clause */
/* make_pages DIRECTORY [NAME]...: results of jobs as the wrapper library writes them, NAME.json, and the page
 * of each, NAME.html, with the sentence of NAME.txt. Also broken.html, of what is not a result, and a page
 * that cannot be written. With names, only these jobs. */
#include "job/block.h"
#include "job/job.h"
#include "job/result_file.h"
#include "report/verdict.h"
#include "web/page.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MILLISECOND UINT64_C(1000000)
#define HOSTILE "<img src=x onerror=document.hacked=1></script><!--<script>\"'&\xe2\x80\xa8\\"

/* The shape of a job: how much it has of what. */
struct shape {
    const char *name;
    int ranks, nodes, counters, regions;
    int inside; /* counters are read at each call too */
    int no_rows, hostile;
    int lost, unfinished; /* the last ranks; of those that are left */
    int silent;           /* no MPI call */
    int by_region;        /* rows have the figures of regions */
    int spawns;           /* it started another job */
    int devices;          /* one for each rank, or for every six of many */
    int full;             /* as much of everything as a result can have */
};

static const struct shape shapes[] = {
    {.name = "two", .ranks = 2, .nodes = 1, .counters = 2, .regions = 3, .by_region = 1, .devices = 1},
    {.name = "single", .ranks = 1, .nodes = 1, .counters = 1, .silent = 1},
    {.name = "thin", .ranks = 200, .nodes = 200, .counters = 1, .regions = 1, .spawns = 1},
    {.name = "nodes",
     .ranks = 48,
     .nodes = 3,
     .counters = 3,
     .regions = 6,
     .inside = 1,
     .hostile = 1,
     .devices = 1},
    {.name = "many", .ranks = 10000, .nodes = 100, .counters = 2, .regions = 8, .full = 1},
    {.name = "hundred", .ranks = 100, .nodes = 10, .counters = 2, .regions = 8, .full = 1},
    {.name = "no-rows", .ranks = 20000, .nodes = 160, .counters = 2, .regions = 8, .no_rows = 1},
    {.name = "recovered", .ranks = 9, .nodes = 3, .regions = 2, .lost = 2, .unfinished = 4},
    {.name = "regions", .ranks = 16, .nodes = 2, .counters = 12, .regions = MAX_REGIONS, .hostile = 1},
    {.name = "no-counters", .ranks = 4, .nodes = 2, .silent = 1},
    {.name = "nothing", .ranks = 4, .nodes = 2, .lost = 4},
};

/* The same numbers on every machine. */
static uint64_t noise(uint64_t seed, uint64_t range)
{
    uint64_t x = (seed + 1) * UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return (x ^ x >> 31) % range;
}

static void facts(struct job *job, const struct shape *shape)
{
    if (shape->spawns)
        job->call[CALL_COMM_SPAWN] =
            (struct job_call){.calls = (uint64_t)shape->ranks, .ranks = (uint64_t)shape->ranks};
    snprintf(job->job, sizeof job->job, "job-%s", shape->name);
    snprintf(job->program, sizeof job->program, "/home/user/%s", shape->hostile ? HOSTILE : "heat_mpi");
    snprintf(job->command, sizeof job->command, "%s -n 100", job->program);
    snprintf(job->flavour, sizeof job->flavour, "Open MPI");
    snprintf(job->host, sizeof job->host, "node000");
    job->started = 1700000000;
    job->ranks = (uint64_t)shape->ranks;
    job->nodes = (uint64_t)shape->nodes;
    job->present = (uint64_t)(shape->ranks - shape->lost);
    job->unfinished = (uint64_t)shape->unfinished;
    job->recovered = shape->lost > 0;
    job->threads = shape->hostile ? 4 : 1;
    job->thread_level = 3;
    job->counters_inside = shape->inside;
    job->doubtful = shape->inside ? 2 : 0;
    job->overhead_ns = 1234567;
    job->other_thread_calls = shape->hostile ? 17 : 0;
    job->operations_left = shape->regions == MAX_REGIONS ? 8 : 0;
    if (shape->silent && shape->ranks > 1) { /* all that it communicates by is unseen */
        job->unseen_ranks = job->present;
        call_put_in(job->unseen, CALL_SEND);
    }
    job->regions_left_out = shape->regions == MAX_REGIONS ? 5 : 0;
    job->n_counters = shape->counters;
    job->n_regions = shape->regions;
    if (shape->counters == 0)
        snprintf(job->counter_reason, sizeof job->counter_reason, "no hardware counters in this guest%s",
                 shape->silent ? " " HOSTILE : "");
    static const char *const name[MAX_COUNTERS] = {"PAPI_TOT_INS", "PAPI_TOT_CYC", "PAPI_DP_OPS"};
    for (int i = 0; i < shape->counters; i++) {
        if (name[i] != NULL)
            snprintf(job->counter_name[i], COUNTER_NAME, "%s", name[i]);
        else
            snprintf(job->counter_name[i], COUNTER_NAME, "native:::%d%s", i, shape->hostile ? HOSTILE : "");
    }
}

/* Rank 0 works twice as long as the others in a job of two; otherwise one node in ten is slow, and so is one
 * rank in a hundred. */
static uint64_t useful_time(const struct shape *shape, int rank, int node)
{
    if (shape->ranks == 2)
        return (rank == 0 ? 4000 : 2000) * MILLISECOND;
    uint64_t slow = (uint64_t)(node % 10 == 7 ? 200 : 0) + (rank % 100 == 42 ? 900 : 0);
    return (3000 + slow) * MILLISECOND + noise((uint64_t)rank, 100 * MILLISECOND);
}

static void row(struct job_row *row, const struct job *job, const struct shape *shape, int rank)
{
    int per_node = (shape->ranks + shape->nodes - 1) / shape->nodes, node = rank / per_node;
    uint64_t useful = useful_time(shape, rank, node);
    uint64_t elapsed = (shape->ranks == 2 ? 4001 : 4500) * MILLISECOND;
    memset(row, 0, sizeof *row);
    row->rank = (uint64_t)rank;
    row->node = (uint64_t)node;
    snprintf(row->host, HOST_NAME, "%snode%03d", shape->hostile && node > 0 ? "<b>" : "", node);
    row->pid = 4000 + rank;
    row->threads = 1;
    row->busiest_peer = -1;
    row->inside = -1;
    row->state = RANK_FINALIZED;
    if (rank >= (int)job->present - shape->unfinished) {
        row->state = rank % 3 == 0 ? RANK_ABORTS : RANK_RUNS;
        row->inside = rank % 3 == 0 ? -1 : CALL_ALLREDUCE;
    }
    uint64_t *value = row->value;
    value[METRIC_ELAPSED] = elapsed;
    value[METRIC_USEFUL] = useful;
    value[METRIC_MPI_TIME] = elapsed - useful;
    value[METRIC_MPI_CALLS] = shape->silent ? 0 : 1200;
    value[METRIC_SENT_MESSAGES] = shape->silent ? 0 : 400;
    value[METRIC_SENT_BYTES] = shape->silent ? 0 : 3276800;
    value[METRIC_CPU_USER] = useful - noise((uint64_t)rank + 7, MILLISECOND);
    value[METRIC_PEAK_MEMORY] =
        (shape->hostile && rank == 5 ? 900 : 200) * 1000000 + noise((uint64_t)rank + 3, 1000000);
    value[METRIC_MINOR_FAULTS] = 1000 + noise((uint64_t)rank + 11, 300);
    value[METRIC_SENT_RATE] = value[METRIC_SENT_BYTES] * 1000000000 / elapsed;
    value[METRIC_MESSAGE_RATE] = value[METRIC_SENT_MESSAGES] * 1000000000000 / elapsed;
    value[METRIC_RECEIVED_RATE] = ROW_NONE;
    for (int i = METRIC_FREQUENCY; i <= METRIC_NODE_MEMORY_LIMIT; i++)
        value[i] = ROW_NONE;
    if (job->n_counters > 0)
        value[METRIC_FREQUENCY] = 2400000000 + noise((uint64_t)rank + 13, 100000000);
    row->memory_limit = job->n_counters > 0 ? 1000000000000 : 0;
    for (int i = 0; i < job->n_counters; i++) {
        value[METRIC_FIXED + i] = useful / (uint64_t)(i + 1) + noise((uint64_t)(rank + i), 1000);
        value[METRIC_FIXED + MAX_COUNTERS + i] = useful / (uint64_t)(i + 1);
    }
}

static void add_row(struct job *job, const struct job_row *row)
{
    for (int i = 0; i < METRIC_COUNT; i++)
        if (!job_is_of_node(i) && job_has_metric(job, i) && row->value[i] != ROW_NONE)
            metric_add(&job->metric[i], row->value[i], row->rank);
}

static void end_node(struct job *job, struct job_row *first, struct node_sums *sums)
{
    node_figures(sums, first);
    for (int i = 0; i < METRIC_FIXED; i++)
        if (job_is_of_node(i) && first->value[i] != ROW_NONE)
            metric_add(&job->metric[i], first->value[i], first->rank);
    *sums = (struct node_sums){0};
}

static void ranks(struct job *job, const struct shape *shape)
{
    struct node_sums sums = {0};
    job->row = calloc(job->present + 1, sizeof *job->row);
    if (job->row == NULL)
        exit(1);
    for (uint64_t i = 0; i < job->present; i++) {
        row(&job->row[i], job, shape, (int)i);
        add_row(job, &job->row[i]);
        node_add(&sums, &job->row[i]);
        if (i + 1 == job->present || (int)(i + 1) % ((shape->ranks + shape->nodes - 1) / shape->nodes) == 0)
            end_node(job, &job->row[i + 1 - sums.ranks], &sums);
    }
    job->n_rows = job->present;
    if (shape->no_rows) {
        free(job->row);
        job->row = NULL;
        job->n_rows = 0;
    }
}

static void call(struct job *job, int id, uint64_t calls, uint64_t each, uint64_t bytes)
{
    job->call[id] = (struct job_call){.calls = calls,
                                      .ns = calls * each,
                                      .bytes = bytes,
                                      .ranks = job->present,
                                      .longest_ns = 3 * each,
                                      .longest_rank = 1,
                                      .most_ns = calls * each / job->present,
                                      .most_rank = 1};
}

static void messages(struct job *job, const struct shape *shape)
{
    if (shape->silent || job->present == 0)
        return;
    uint64_t n = job->present * 400;
    call(job, CALL_ALLREDUCE, n, 9000, 8 * n);
    call(job, CALL_SENDRECV, n, 4000, 8192 * n);
    call(job, CALL_BARRIER, n, 1000, 0);
    if (shape->hostile)
        for (int i = 0; i < 20; i++)
            call(job, i, 10, (uint64_t)(100 + i), 80);
    if (shape->hostile)
        job->call[CALL_SEND].uncounted = 1;
    if (shape->ranks > 2) { /* half of it on the rows of a grid, and a third somewhere else */
        job->comm_ranks = job->present;
        job->comm[0] =
            (struct job_comm){COMM_KEY_WORLD, "", -1, 1, 4, 4, n / 6, n * 100, 800, job->present, n, 2};
        job->comm[1] = (struct job_comm){2 * COMM_KEY_SELF, "<i>row", CALL_COMM_SPLIT, 3,     2, 4, n / 2,
                                         n * 3000,          400,      job->present,    n * 2, 1};
        job->comm_rest[COMM_FILES - MAX_COMMS] =
            (struct job_comm){.calls = n / 3, .ns = n * 200, .bytes = 70, .ranks = 1, .most_ns = n * 200};
    }
    job->sent[14] = n;
    if (shape->ranks > 2) {
        job->sent[0] = 12;
        job->sent[27] = 4;
    }
    job->collective[4] = n;
    job->collective[0] = n;
}

/* Every rank sends to the next one, and one in a hundred of the bytes to the first one. */
static void pairs(struct job *job, const struct shape *shape)
{
    if (shape->silent || job->present == 0)
        return;
    job->matrix_by = shape->ranks <= MATRIX_MOST   ? MATRIX_BY_RANK
                     : shape->nodes <= MATRIX_MOST ? MATRIX_BY_NODE
                                                   : MATRIX_BY_RANKS;
    job->matrix_n = shape->ranks <= MATRIX_MOST ? shape->ranks : MATRIX_MOST;
    for (int i = 0; i < job->matrix_n * job->matrix_n && shape->full; i++)
        job->matrix[i] = (struct job_cell){1, 1 + noise((uint64_t)i, 50000)};
    for (int i = 0; i < job->matrix_n; i++) {
        job->matrix[i * job->matrix_n + (i + 1) % job->matrix_n] = (struct job_cell){9, 100000};
        job->matrix[i * job->matrix_n].messages += 1;
        job->matrix[i * job->matrix_n].bytes += (uint64_t)(i == 0 ? 0 : 1000);
    }
    job->neighbor[0] =
        (struct job_neighbor){job->present, 9 * job->present, 100000 * job->present, 100000, 0};
    job->neighbor[1] = (struct job_neighbor){job->present, job->present, 1000 * job->present, 1000, 1};
    job->matrix_other.messages = shape->hostile ? 3 : 0;
    job->sized[0].call = CALL_SENDRECV + 1;
    job->sized[0].size[0] = 5;
    job->sized[0].size[4] = 10;
}

/* Seven of eight calls take 2560 to 3071 ticks of a nanosecond, the others 10240 to 12287. */
static void times(struct job *job, const struct shape *shape)
{
    uint64_t calls = job->call[CALL_SENDRECV].calls;
    if (shape->ranks > 2 || calls == 0)
        return;
    job->tick_hertz = 1000000000;
    job->tick_fs = 1000000;
    job->times[0].call = CALL_SENDRECV + 1;
    job->times[0].calls[time_class(2560)] = calls - calls / 8;
    job->times[0].calls[time_class(10240)] = calls / 8;
}

/* MPI takes more and more, and the last step is half as long. */
static void timeline(struct job *job, const struct shape *shape)
{
    if (shape->silent || job->present == 0)
        return;
    job->timeline_places = (struct job_timeline_places){20 * MILLISECOND, 2, {CALL_ALLREDUCE, CALL_SENDRECV}};
    for (int k = 2; k < JOB_COURSE_CALLS - 1 && shape->full; k++)
        job->timeline_places.call[job->timeline_places.n++] = k;
    for (unsigned i = 0; i < COURSE_STEPS; i++) {
        uint64_t step = (i + 1 < COURSE_STEPS ? 20 : 10) * MILLISECOND * job->present;
        job->timeline.elapsed_ns[i] = step;
        job->timeline.mpi_ns[0][i] = step / 400 * i;
        job->timeline.mpi_ns[1][i] = step / 800 * i;
        for (int k = 2; k < job->timeline_places.n; k++)
            job->timeline.mpi_ns[k][i] = step / 100;
        job->timeline.mpi_ns[JOB_COURSE_CALLS - 1][i] = step / 100;
    }
}

static void frame(struct job *job, struct job_site *site, const char *routine, const char *file,
                  uint64_t line)
{
    struct job_frame *made = job_add_frame(job);
    if (made == NULL)
        exit(1);
    snprintf(made->routine, sizeof made->routine, "%s", routine);
    snprintf(made->file, sizeof made->file, "%s", file);
    made->line = line;
    site->frames++;
}

/* Makes call sites: with a line, inlined, without a line, and in no file; of many, the others are without a
 * line. */
static void call_sites(struct job *job, const struct shape *shape)
{
    static const int calls[] = {CALL_ALLREDUCE, CALL_SENDRECV, CALL_BARRIER, CALL_ALLREDUCE};
    job->sites_mode = SITES_CALLS;
    job->other_sites.call = -1;
    if (shape->silent || job->present == 0)
        return;
    job->n_objects = 1;
    snprintf(job->object[0].path, OBJECT_PATH, "%s", shape->hostile ? HOSTILE "/a" : "/bin/solver");
    int n = shape->full ? MAX_JOB_SITES : 4;
    for (int i = 0; i < n; i++) {
        struct job_site *site = &job->site[job->n_sites++];
        *site = (struct job_site){.call = calls[i % 4],
                                  .object = i == 3 ? -1 : 0,
                                  .address = 0x1000u + (unsigned)i,
                                  .first_frame = job->n_frames,
                                  .calls = job->present * (unsigned)(i + 1),
                                  .ns = 1000000 * job->present * (unsigned)(n + 5 - i),
                                  .ranks = job->present,
                                  .most_ns = 1000000 * (unsigned)(n + 5 - i),
                                  .least_ns = 1000000};
        if (i < 2)
            frame(job, site, shape->hostile ? HOSTILE : "halo::exchange", "/src/halo.f90", 57);
        if (i == 1)
            frame(job, site, "solve", "/src/solve.f90", 12);
    }
    job->other_sites.calls = shape->hostile ? 5 : 0;
}

static void regions(struct job *job, const struct shape *shape)
{
    for (int i = 0; i < shape->regions; i++) {
        struct job_region *region = &job->region[i];
        if (shape->hostile && i == 1)
            snprintf(region->name, REGION_NAME, "<img src=x onerror=document.hacked=1>");
        else
            snprintf(region->name, REGION_NAME, "region_%03d", i);
        uint64_t each = (uint64_t)(1 + noise((uint64_t)i, 200)) * MILLISECOND;
        region->ranks = job->present;
        region->visits = 10 * job->present;
        region->open = shape->unfinished > 0 && i == 0 ? (uint64_t)shape->unfinished : 0;
        region->ns = each * job->present;
        region->mpi_ns = region->ns / (uint64_t)(2 + i % 5);
        region->least_ns = each - each / 4;
        region->most_ns = each + each / 4;
        region->most_rank = job->present - 1;
        region->main_ranks = job->present;
        region->main_ns = region->ns;
        region->useful_ns = region->ns - region->mpi_ns;
        region->most_main_ns = region->most_ns;
        region->most_main_rank = region->most_useful_rank = region->most_rank;
        region->node_useful_ns = each - each / (uint64_t)(2 + i % 5);
        region->most_useful_ns = region->node_useful_ns + region->node_useful_ns / 8;
        for (int c = 0; c < job->n_counters; c++)
            region->counter[c] = region->ns / (uint64_t)(c + 1);
    }
}

/* Makes the calls in regions: all of the time in MPI in the first one, half of it in others, none in the
 * last. */
static void region_calls(struct job *job, const struct shape *shape)
{
    static const int made[] = {CALL_SENDRECV, CALL_BARRIER, CALL_ALLREDUCE};
    int n = 0;
    for (int i = 0; shape->by_region && i + 1 < job->n_regions; i++) {
        for (int k = 0; k < 3; k++) {
            const struct job_region *region = &job->region[i];
            uint64_t ns = region->mpi_ns / (i == 0 ? 1 : 2) * (uint64_t)(k + 1) / 6;
            job->region_call[n++] = (struct job_region_call){.key = job_region_call_key(i, made[k]),
                                                             .calls = 10 + (uint64_t)k,
                                                             .ns = ns,
                                                             .ranks = job->present,
                                                             .most_ns = ns / 2,
                                                             .most_rank = (uint64_t)k % job->present};
        }
    }
}

/* Makes each rank's numbers by region; the first rank was not in the last one. */
static void regions_of_rows(struct job *job, const struct shape *shape)
{
    if (!shape->by_region)
        return;
    job->row_regions = job->n_regions;
    job->of_rows = calloc(job->n_rows * (uint64_t)job->n_regions, sizeof *job->of_rows);
    if (job->of_rows == NULL)
        exit(1);
    for (uint64_t i = 0; i < job->n_rows; i++) {
        struct job_region *regions = &job->of_rows[(uint64_t)job->n_regions * i];
        for (int k = 0; k < job->n_regions; k++)
            regions[k] = (struct job_region){.ranks = i > 0 || k + 1 < job->n_regions,
                                             .visits = 10 + i,
                                             .ns = (100 + 10 * i) * MILLISECOND,
                                             .mpi_ns = (uint64_t)(k + 1) * 7 * MILLISECOND};
        job->row[i].region = regions;
    }
}

/* Makes each rank's numbers by call and by region: its part of the job's, and a little more on some ranks. */
static void calls_and_regions_of_rows(struct job *job, const struct shape *shape)
{
    static const int made[] = {CALL_ALLREDUCE, CALL_SENDRECV, CALL_BARRIER};
    if (!shape->full)
        return;
    job->n_row_calls = 3;
    memcpy(job->row_call, made, sizeof made);
    job->row_regions = job->n_regions;
    job->calls_of_rows = calloc(job->n_rows * 3, sizeof *job->calls_of_rows);
    job->of_rows = calloc(job->n_rows * (uint64_t)job->n_regions, sizeof *job->of_rows);
    if (job->calls_of_rows == NULL || job->of_rows == NULL)
        exit(1);
    for (uint64_t i = 0; i < job->n_rows; i++) {
        struct job_call *calls = &job->calls_of_rows[3 * i];
        struct job_region *regions = &job->of_rows[(uint64_t)job->n_regions * i];
        for (int k = 0; k < 3; k++)
            calls[k] = (struct job_call){.calls = 400,
                                         .ns = 400 * MILLISECOND / (unsigned)(k + 1) + noise(i, MILLISECOND),
                                         .ranks = 1};
        for (int k = 0; k < job->n_regions; k++)
            regions[k] = (struct job_region){.ranks = 1, .visits = 10, .ns = noise(i, 100 * MILLISECOND)};
        job->row[i].call = calls;
        job->row[i].region = regions;
    }
}

static FILE *open_file(const char *directory, const char *name, const char *ending)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.%s", directory, name, ending);
    FILE *file = fopen(path, "w+");
    if (file == NULL) {
        perror(path);
        exit(1);
    }
    return file;
}

static void write_files(struct job *job, const struct shape *shape, const char *directory)
{
    FILE *json = open_file(directory, shape->name, "json"), *html = open_file(directory, shape->name, "html");
    FILE *txt = open_file(directory, shape->name, "txt");
    char sentence[VERDICT_WHOLE];
    verdict_whole(sentence, job);
    job->verdict = sentence;
    job_write_head(json, job);
    job_write_rows(json, job);
    job_write_tail(json);
    rewind(json);
    fputs(sentence, txt);
    if (report_html(html, sentence, json) < 0) {
        perror("report_html");
        exit(1);
    }
    job->verdict = NULL;
    fclose(json);
    fclose(html);
    fclose(txt);
}

/* Whatever the file holds, the browser must not take it for markup. */
static void write_broken(const char *directory)
{
    FILE *json = open_file(directory, "broken", "json"), *html = open_file(directory, "broken", "html");
    fputs("{\"job\": " HOSTILE "<script>document.hacked=1</script>, \"\\<script>document.hacked=1</script>",
          json);
    rewind(json);
    if (report_html(html, "", json) < 0)
        exit(1);
    fclose(json);
    fclose(html);
}

/* A full disk is reported, and so is a file that cannot be read. */
static void check_failures(const char *directory)
{
    FILE *full = fopen("/dev/full", "w"), *json = tmpfile(), *folder = fopen(directory, "r"),
         *out = tmpfile();
    if (full == NULL || json == NULL || folder == NULL || out == NULL)
        exit(1);
    if (report_html(full, "", json) != -1 || errno != ENOSPC || report_html(out, "", folder) != -1 ||
        errno != EISDIR) {
        fputs("report_html() did not say that it failed\n", stderr);
        exit(1);
    }
    fclose(full);
    fclose(json);
    fclose(folder);
    fclose(out);
}

static int is_wanted(const char *name, char **names)
{
    for (char **wanted = names; *wanted != NULL; wanted++)
        if (strcmp(*wanted, name) == 0)
            return 1;
    return *names == NULL;
}

/* Devices that the ranks may use, of which the last one is used by none, and whose energy is not known of
 * one. */
static void usable_devices(struct job *job, const struct shape *shape)
{
    int n = 0;
    for (; job->device[n].ranks > 0; n++)
        job->node_device[n] = (struct job_node_device){.address = (uint64_t)(0x10 + n) << 8,
                                                       .there = 1,
                                                       .used = 1,
                                                       .microjoules = 1500000 + 1000 * (uint64_t)n};
    job->node_device[n] = (struct job_node_device){
        .address = (uint64_t)(0x10 + n) << 8, .there = 1, .microjoules = n > 1 ? NOT_KNOWN : 77000000};
    for (int i = 0; i <= n; i++) {
        struct job_node_device *device = &job->node_device[i];
        snprintf(device->name, sizeof device->name, "%s", shape->hostile ? HOSTILE : "NVIDIA A100");
        job->energy_devices += device->microjoules != NOT_KNOWN;
        job->energy_uj += device->microjoules != NOT_KNOWN ? device->microjoules : 0;
    }
    job->usable_nodes = 1;
    job->usable_devices = (uint64_t)n + 1;
    job->unused_devices = 1;
    if (n > 1)
        snprintf(job->energy_reason, sizeof job->energy_reason, "%s", "no permission <b>");
}

/* Devices: so that efficiencies are not round, each has a little more to do than the one before. */
static void devices(struct job *job, const struct shape *shape)
{
    int each = shape->ranks > 4 ? 6 : 1;
    if (!shape->devices)
        return;
    job->device_ranks = job->used_devices = (uint64_t)shape->ranks;
    for (int i = 0; i < shape->ranks / each; i++) {
        uint64_t more = (uint64_t)i;
        struct job_device *device = &job->device[i];
        *device = (struct job_device){.rank = more * (uint64_t)each,
                                      .ranks = (uint64_t)each,
                                      .kernel_ns = (1000 + 300 * more) * MILLISECOND,
                                      .copy_ns = 77 * MILLISECOND,
                                      .kernels = 12,
                                      .copies = 3,
                                      .copied_bytes = 4000000 + more};
        snprintf(device->name, sizeof device->name, "%s", shape->hostile ? HOSTILE : "NVIDIA A100-SXM4-40GB");
        snprintf(device->address, sizeof device->address, "0000:%02x:00.0", 0x10 + i);
        job->device_kernel_ns += device->kernel_ns;
        job->device_copy_ns += device->copy_ns;
        job->most_device_kernel_ns = device->kernel_ns;
        job->most_device_ns = device->kernel_ns + device->copy_ns;
    }
    job->offload_ns = 700 * MILLISECOND;
    struct job_region *region = &job->region[0];
    region->device_ranks = job->device_ranks;
    region->offload_ns = 100 * MILLISECOND;
    region->device_kernel_ns = 500 * MILLISECOND;
    region->device_copy_ns = 20 * MILLISECOND;
    region->most_device_kernel_ns = 300 * MILLISECOND;
    region->most_device_ns = 310 * MILLISECOND;
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    check_failures(argv[1]);
    write_broken(argv[1]);
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        if (!is_wanted(shapes[i].name, argv + 2))
            continue;
        struct job *job = calloc(1, sizeof *job);
        if (job == NULL)
            return 1;
        facts(job, &shapes[i]);
        ranks(job, &shapes[i]);
        messages(job, &shapes[i]);
        regions(job, &shapes[i]);
        devices(job, &shapes[i]);
        if (shapes[i].devices)
            usable_devices(job, &shapes[i]);
        call_sites(job, &shapes[i]);
        pairs(job, &shapes[i]);
        times(job, &shapes[i]);
        timeline(job, &shapes[i]);
        region_calls(job, &shapes[i]);
        regions_of_rows(job, &shapes[i]);
        calls_and_regions_of_rows(job, &shapes[i]);
        write_files(job, &shapes[i], argv[1]);
        job_free(job);
    }
    return 0;
}

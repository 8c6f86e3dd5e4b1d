/* SPDX-License-Identifier: BSD-3-Clause */
/* json_cases CASE: writes a result as job/writer.c does. empty; states: a rank in each; largest: every number
 * and name as long as it can be; hostile SEED: bytes and numbers at random. Of the locale: point. */
#include "job/result_file.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 6 };

static void write_all(const struct job *job, const struct job_row *row, int rows)
{
    size_t length = job_row_length(job);
    char *text = malloc(length);
    job_write_head(stdout, job);
    for (int i = 0; i < rows && text != NULL; i++) {
        memset(text, '#', length);
        job_write_row(text, job, &row[i], i == rows - 1);
        fwrite(text, 1, length, stdout);
    }
    free(text);
    job_write_tail(stdout);
}

/* The ends of texts are kept: what makes a job ends them. */
static void random_text(char *text, size_t room)
{
    for (size_t i = 0; i + 1 < room; i++)
        text[i] = (char)random();
    text[room - 1] = '\0';
}

static uint64_t random_number(void)
{
    uint64_t number = (uint64_t)random() << 40 ^ (uint64_t)random() << 20 ^ (uint64_t)random();
    return number >> random() % 64;
}

static void hostile(struct job *job, struct job_row *row)
{
    random_text(job->job, sizeof job->job);
    random_text(job->program, sizeof job->program);
    random_text(job->command, sizeof job->command);
    random_text(job->flavour, sizeof job->flavour);
    random_text(job->host, sizeof job->host);
    random_text(job->counter_reason, sizeof job->counter_reason);
    job->n_counters = (int)(random() % (MAX_COUNTERS + 1));
    job->counters_inside = random() % 2;
    job->n_regions = (int)(random() % (MAX_REGIONS + 1));
    for (int i = 0; i < MAX_COUNTERS; i++) {
        random_text(job->counter_name[i], COUNTER_NAME);
        random_text(job->counter_units[i], sizeof job->counter_units[i]);
    }
    for (int i = 0; i < MAX_REGIONS; i++)
        random_text(job->region[i].name, REGION_NAME);
    job->path_ranks = random_number() % 2;
    for (int i = 0; i < PATH_SHARES; i++) {
        job->path.rank_share[i] = (struct path_share){(uint32_t)random(), 0, random_number()};
        job->path.region_share[i] = (struct path_share){(uint32_t)random() % 2, 0, random_number()};
    }
    job_path_order(job);
    for (int i = 0; i < METRIC_COUNT; i++)
        for (long n = random() % 40; n > 0; n--)
            metric_add(&job->metric[i], random_number(), (uint64_t)n);
    for (int i = 0; i < CALL_COUNT; i++)
        job->call[i].calls = job->call[i].ns = random_number();
    for (uint64_t i = 0; i < MAX_JOB_REGION_CALLS; i++)
        job->region_call[i] = (struct job_region_call){job_region_call_key(0, 0) + 3 * i,
                                                       random_number(),
                                                       random_number(),
                                                       random_number(),
                                                       random_number(),
                                                       random_number()};
    for (int r = 0; r < ROWS; r++) {
        for (size_t i = 0; i < sizeof row[r]; i++)
            ((unsigned char *)&row[r])[i] = (unsigned char)random();
        row[r].rank = (uint64_t)r;
        row[r].region = r % 2 ? NULL : job->region;
    }
    job->row_regions = random() % 2 ? job->n_regions : 0;
    for (int i = 0; i < MAX_REGIONS; i++) {
        job->region[i].ranks = random_number() % 2;
        job->region[i].visits = job->region[i].counter[0] = random_number();
    }
}

static void largest(struct job *job, struct job_row *row)
{
    job->n_counters = MAX_COUNTERS;
    job->counters_inside = 1;
    job->n_regions = MAX_REGIONS;
    memset(job->counter_name, 'c', sizeof job->counter_name);
    memset(job->counter_units, 'u', sizeof job->counter_units);
    for (int i = 0; i < MAX_COUNTERS; i++)
        job->counter_name[i][COUNTER_NAME - 1] = job->counter_units[i][15] = '\0';
    for (int i = 0; i < MAX_REGIONS; i++)
        memset(job->region[i].name, '"', REGION_NAME - 1);
    for (int i = 0; i < METRIC_COUNT; i++)
        for (uint64_t n = 0; n < 20; n++)
            metric_add(&job->metric[i], UINT64_MAX - n, UINT64_MAX - n);
    memset(&job->path, 0xff, sizeof job->path);
    job->path_ranks = UINT64_MAX;
    for (int i = 0; i < PATH_SHARES; i++)
        job->path.region_share[i].of = path_region(job->region[i].name);
    job->row_regions = MAX_REGIONS;
    for (int i = 0; i < MAX_REGIONS; i++)
        memset(&job->region[i].ranks, 0xff, sizeof job->region[i] - REGION_NAME);
    for (int i = 0; i < MAX_JOB_REGION_CALLS; i++) {
        memset(&job->region_call[i], 0xff, sizeof job->region_call[i]);
        job->region_call[i].key = job_region_call_key(i / 4, i % 4);
    }
    job->comm_ranks = 1;
    memset(job->comm, 0xff, sizeof job->comm);
    memset(job->comm_rest, 0xff, sizeof job->comm_rest);
    for (int i = 0; i < MAX_JOB_COMMS; i++) {
        memset(job->comm[i].name, '"', COMM_NAME);
        job->comm[i].name[COMM_NAME - 1] = '\0';
        job->comm[i].call = CALL_COMM_SPLIT;
    }
    for (int i = 0; i < COMM_PLACES - MAX_COMMS; i++)
        job->comm_rest[i].name[0] = '\0';
    memset(row, 0xff, ROWS * sizeof *row);
    for (int r = 0; r < ROWS; r++) {
        row[r].pid = row[r].threads = row[r].partners = INT32_MIN;
        row[r].busiest_peer = INT32_MAX;
        row[r].inside = CALL_REDUCE_SCATTER_BLOCK;
        memset(row[r].host, 'h', HOST_NAME);
        for (int i = 0; i < METRIC_COUNT; i++)
            row[r].value[i] = UINT64_MAX - 1;
        row[r].region = job->region;
    }
}

static void states(struct job *job, struct job_row *row)
{
    job->ranks = ROWS;
    for (int r = 0; r < ROWS; r++) {
        row[r].rank = (uint64_t)r;
        row[r].state = r; /* RANK_RUNS is 1 */
        row[r].inside = r % 2 ? CALL_RECV : -1;
        row[r].busiest_peer = -1;
        for (int i = 0; i < METRIC_COUNT; i++)
            row[r].value[i] = r % 2 ? ROW_NONE : (uint64_t)i;
    }
}

int main(int argc, char **argv)
{
    static struct job job;
    static struct job_row row[ROWS];
    const char *name = argc > 1 ? argv[1] : "";
    setlocale(LC_ALL, "");
    if (strcmp(name, "point") == 0)
        printf("%.1f\n", 0.5);
    else if (strcmp(name, "empty") == 0)
        write_all(&job, row, 0);
    else if (strcmp(name, "states") == 0) {
        states(&job, row);
        write_all(&job, row, ROWS);
    } else if (strcmp(name, "largest") == 0) {
        largest(&job, row);
        write_all(&job, row, ROWS);
    } else if (strcmp(name, "hostile") == 0 && argc > 2) {
        srandom((unsigned)atoi(argv[2]));
        hostile(&job, row);
        write_all(&job, row, ROWS);
    } else
        return 2;
    return fflush(stdout) == 0 ? 0 : 1;
}

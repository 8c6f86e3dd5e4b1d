/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/whole.h"
#include "points.h"
#include "tools/common/allocate.h"
#include "tools/common/json_file.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct reading {
    const struct roofs *roofs;
    struct points *points;
    json_t *root, *job;
    double nodes;
};

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text != NULL ? text : "";
}

enum { MOST_THREADS = 1 << 20 };

/* The number of a member; 0 if it is missing or not finite. */
static double number_of(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    double number = json_is_string(value) ? strtod(json_string_value(value), NULL) : json_number_value(value);
    return isfinite(number) ? number : 0;
}

static json_t *counters(const struct reading *reading)
{
    return json_object_get(reading->root, "counters");
}

static bool has_counter(const struct reading *reading, const char *name)
{
    json_t *counter;
    size_t i;
    json_array_foreach(counters(reading), i, counter)
    {
        if (strcmp(text_of(counter, "name"), name) == 0)
            return true;
    }
    return false;
}

/* Adds the sum of a counter over all ranks to a point, as the mean of the nodes. */
static void add_counter(struct reading *reading, struct point *point, const json_t *counter, double sum)
{
    const char *name = text_of(counter, "name");
    bool apart = has_counter(reading, "PAPI_DP_OPS") || has_counter(reading, "PAPI_SP_OPS");
    if (strcmp(name, "PAPI_FP_OPS") == 0 && apart)
        return;
    source_add(&source_emulator, point, name, sum / reading->nodes, reading->roofs);
    source_add(&source_presets, point, strcmp(name, "PAPI_FP_OPS") == 0 ? "PAPI_DP_OPS" : name,
               sum / reading->nodes, reading->roofs);
}

/* Threads of one node: its mean number of ranks, at least 1. */
static int threads_of(const struct reading *reading, double ranks)
{
    return (int)fmin(fmax(ranks / reading->nodes + 0.5, 1), MOST_THREADS);
}

static void add_region(struct reading *reading, const json_t *region)
{
    struct point *point = points_find(reading->points, text_of(region, "name"));
    json_t *counter;
    size_t i;
    point->entries = whole_of(number_of(region, "visits"));
    point->threads = threads_of(reading, number_of(region, "ranks"));
    point->seconds = number_of(region, "most_ns") * 1e-9;
    json_array_foreach(counters(reading), i, counter)
    {
        add_counter(reading, point, counter,
                    json_number_value(json_array_get(json_object_get(region, "counters"), i)));
    }
}

static const json_t *metric(const struct reading *reading, const char *key)
{
    json_t *one;
    size_t i;
    json_array_foreach(json_object_get(reading->root, "metrics"), i, one)
    {
        if (strcmp(text_of(one, "key"), key) == 0)
            return one;
    }
    return NULL;
}

/* Adds the whole job as a point. Its time is the mean of all ranks, who end together. */
static void add_whole(struct reading *reading)
{
    struct point *point = points_find(reading->points, "whole job");
    json_t *counter;
    size_t i;
    point->entries = 1;
    point->threads = threads_of(reading, number_of(reading->job, "ranks"));
    point->seconds = number_of(metric(reading, "elapsed"), "mean") * 1e-9;
    json_array_foreach(counters(reading), i, counter)
    {
        char key[32];
        snprintf(key, sizeof key, "counter.%zu", i);
        add_counter(reading, point, counter, number_of(metric(reading, key), "sum"));
    }
}

static char *find_nodes(struct reading *reading, const char *path)
{
    if (strcmp(text_of(reading->root, "format"), "papi_mpi result") != 0)
        return memory_print("%s is not the result of an MPI job", path);
    reading->job = json_object_get(reading->root, "job");
    reading->nodes = number_of(reading->job, "nodes");
    if (!(reading->nodes >= 1))
        return memory_print("%s does not say how many nodes the job had", path);
    return NULL;
}

static bool has_anything(const struct points *points)
{
    for (int i = 0; i < points->n; i++)
        for (int level = 0; level < ROOFS_LEVELS; level++)
            if (point_operations(&points->point[i]) > 0 || points->point[i].read[level] >= 0)
                return true;
    return false;
}

static char *read_job(struct reading *reading, const char *path)
{
    json_t *region;
    size_t i;
    char *why = find_nodes(reading, path);
    if (why != NULL)
        return why;
    json_array_foreach(json_object_get(reading->root, "regions"), i, region) add_region(reading, region);
    if (reading->points->n == 0)
        add_whole(reading);
    reading->points->command = memory_text(text_of(reading->job, "command"));
    reading->points->counted_by =
        json_is_true(json_object_get(reading->job, "emulated"))
            ? memory_text("papi_emulate, whose times these are as well")
            : memory_print("the job, on each of %.0f node%s", reading->nodes, reading->nodes > 1 ? "s" : "");
    if (has_anything(reading->points))
        return NULL;
    return memory_print(
        "%s: the job counted no operations and no misses of caches; papi_roofline --events has what "
        "PAPI_EVENTS should have named",
        path);
}

char *job_read(const char *path, const struct roofs *roofs, struct points *points)
{
    struct reading reading = {.roofs = roofs, .points = points};
    char *why;
    reading.root = json_file_read(path, 0, &why);
    if (reading.root == NULL)
        return why;
    why = read_job(&reading, path);
    json_decref(reading.root);
    return why;
}

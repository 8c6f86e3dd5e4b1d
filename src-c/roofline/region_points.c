/* SPDX-License-Identifier: BSD-3-Clause */
#include "points.h"
#include "tools/common/allocate.h"
#include "tools/common/json_file.h"

#include <dirent.h>
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct reading {
    const struct source *source;
    const struct roofs *roofs;
    struct points *points;
};

static char *load(const char *path, json_t **root)
{
    char *why;
    *root = json_file_read(path, 0, &why);
    return why;
}

/* ------------------------------------------------------------------------ regions */

/* Reads a number, which files of regions have as a text. */
static bool number(const json_t *value, double *out)
{
    const char *text = json_string_value(value);
    char *end;
    *out = text != NULL ? strtod(text, &end) : json_number_value(value);
    return isfinite(*out) && (json_is_number(value) || (text != NULL && end != text && *end == '\0'));
}

static void add_region(struct reading *reading, json_t *region)
{
    const char *name = json_string_value(json_object_get(region, "name")), *key;
    json_t *value;
    double amount;
    if (name == NULL)
        return;
    struct point *point = points_find(reading->points, name);
    point->entries++;
    json_object_foreach(region, key, value) if (number(value, &amount))
        source_add(reading->source, point, key, amount, reading->roofs);
}

/* Sums this thread's time in all regions of a name; a point has the longest time of all threads. */
static void add_times(struct reading *reading, json_t *regions)
{
    double *seconds = memory_more(NULL, (size_t)reading->points->n, sizeof *seconds);
    memset(seconds, 0, (size_t)reading->points->n * sizeof *seconds);
    const char *id;
    json_t *region;
    json_object_foreach(regions, id, region)
    {
        const char *name = json_string_value(json_object_get(region, "name"));
        double time;
        if (name != NULL && number(json_object_get(region, "real_time_nsec"), &time))
            seconds[points_find(reading->points, name) - reading->points->point] += time * 1e-9;
    }
    for (int i = 0; i < reading->points->n; i++) {
        struct point *point = &reading->points->point[i];
        point->threads += seconds[i] > 0;
        if (seconds[i] > point->seconds)
            point->seconds = seconds[i];
    }
    free(seconds);
}

static void add_file(struct reading *reading, json_t *root)
{
    const char *id, *number_of;
    json_t *thread, *region;
    json_object_foreach(json_object_get(root, "threads"), id, thread)
    {
        json_t *regions = json_object_get(thread, "regions");
        json_object_foreach(regions, number_of, region) add_region(reading, region);
        add_times(reading, regions);
    }
}

char *regions_read(const char *folder, const struct source *source, const struct roofs *roofs,
                   struct points *points)
{
    struct reading reading = {.source = source, .roofs = roofs, .points = points};
    char *place = memory_print("%s/papi_hl_output", folder), *why = NULL;
    DIR *all = opendir(place);
    if (all == NULL && errno != ENOENT)
        why = memory_print("%s: %s", place, strerror(errno));
    for (struct dirent *entry; all != NULL && why == NULL && (entry = readdir(all)) != NULL;) {
        if (entry->d_name[0] == '.')
            continue;
        json_t *root;
        char *path = memory_print("%s/%s", place, entry->d_name);
        why = load(path, &root);
        if (why == NULL)
            add_file(&reading, root);
        json_decref(root);
        free(path);
    }
    if (all != NULL)
        closedir(all);
    free(place);
    return why;
}

/* ---------------------------------------------------------------------- the whole */

char *regions_read_whole(const char *report, const char *name, const struct roofs *roofs,
                         struct points *points)
{
    json_t *root, *value;
    const char *key;
    char *why = load(report, &root);
    if (why != NULL)
        return why;
    json_t *sum = json_object_get(root, "sum"), *programs = json_object_get(root, "programs"), *program;
    struct point *point = points_find(points, name);
    size_t i;
    point->entries = 1;
    point->seconds = json_number_value(json_object_get(json_object_get(root, "native_run"), "real_seconds"));
    json_array_foreach(programs, i, program) point->threads +=
        (int)json_integer_value(json_object_get(program, "threads"));
    json_object_foreach(sum, key, value)
        source_add(&source_emulator, point, key, json_number_value(value), roofs);
    if (!json_is_object(sum))
        why = memory_print("%s has no sums", report);
    json_decref(root);
    return why;
}

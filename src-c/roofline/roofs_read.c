/* SPDX-License-Identifier: BSD-3-Clause */
#include "points.h"
#include "roofs.h"
#include "tools/common/allocate.h"
#include "tools/common/json_file.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The first fault is kept, and what is missing is 0 or "". */
struct reader {
    const char *path;
    char *why;
};

static const json_t *member(struct reader *reader, const json_t *object, const char *key, json_type type)
{
    const json_t *value = json_object_get(object, key);
    bool is_number = value != NULL && json_is_number(value) && type == JSON_REAL;
    if (value != NULL && (json_typeof(value) == type || is_number))
        return value;
    if (reader->why == NULL)
        reader->why =
            memory_print("%s has no roofs of this version: \"%s\" is missing, or is not what it should be",
                         reader->path, key);
    return NULL;
}

/* Reads a rate or a size; a negative one is a fault. */
static double number(struct reader *reader, const json_t *object, const char *key)
{
    double value = json_number_value(member(reader, object, key, JSON_REAL));
    if (value >= 0 && isfinite(value))
        return value;
    if (reader->why == NULL)
        reader->why = memory_print("%s: \"%s\" is %g", reader->path, key, value);
    return 0;
}

static long long whole(struct reader *reader, const json_t *object, const char *key, double most)
{
    double value = number(reader, object, key);
    if (value <= most)
        return (long long)value;
    if (reader->why == NULL)
        reader->why = memory_print("%s: \"%s\" is more than %g", reader->path, key, most);
    return 0;
}

static void copy_text(struct reader *reader, const json_t *object, const char *key, char *out, size_t size)
{
    const char *text = json_string_value(member(reader, object, key, JSON_STRING));
    snprintf(out, size, "%s", text != NULL ? text : "");
}

static bool flag(struct reader *reader, const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return json_is_boolean(value) ? json_is_true(value) : member(reader, object, key, JSON_TRUE) != NULL;
}

static double number_or_none(struct reader *reader, const json_t *object, const char *key)
{
    return json_object_get(object, key) != NULL ? number(reader, object, key) : -1;
}

static void read_rates(struct reader *reader, const json_t *object, double *rate, double *spread)
{
    rate[ROOFS_ONE] = number(reader, object, "one_core");
    rate[ROOFS_ALL] = number(reader, object, "all_cores");
    spread[ROOFS_ONE] = number_or_none(reader, object, "one_core_spread");
    spread[ROOFS_ALL] = number_or_none(reader, object, "all_cores_spread");
}

static void read_peak(struct reader *reader, const json_t *object, struct roof_peak *peak)
{
    char precision[16];
    copy_text(reader, object, "name", peak->name, sizeof peak->name);
    copy_text(reader, object, "precision", precision, sizeof precision);
    peak->is_double = strcmp(precision, "double") == 0;
    peak->bits = (int)whole(reader, object, "bits", 1 << 20);
    read_rates(reader, object, peak->rate, peak->spread);
}

static void read_level(struct reader *reader, const json_t *object, struct roof_level *level)
{
    copy_text(reader, object, "name", level->name, sizeof level->name);
    level->size = whole(reader, object, "size", 1e15);
    level->line = (int)whole(reader, object, "line", 1 << 20);
    for (int loop = 0; loop < STREAM_LOOPS; loop++)
        read_rates(reader, member(reader, object, stream_shapes[loop].name, JSON_OBJECT), level->rate[loop],
                   level->spread[loop]);
}

static void read_lists(struct reader *reader, const json_t *from, struct roofs *roofs)
{
    const json_t *peaks = member(reader, from, "peaks", JSON_ARRAY);
    const json_t *levels = member(reader, from, "levels", JSON_ARRAY);
    size_t n_peaks = json_array_size(peaks), n_levels = json_array_size(levels);
    if (reader->why == NULL &&
        (n_peaks == 0 || n_peaks > ROOFS_PEAKS || n_levels == 0 || n_levels > ROOFS_LEVELS))
        reader->why = memory_print("%s has %zu peaks and %zu levels", reader->path, n_peaks, n_levels);
    for (size_t i = 0; reader->why == NULL && i < n_peaks; i++)
        read_peak(reader, json_array_get(peaks, i), &roofs->peak[i]);
    for (size_t i = 0; reader->why == NULL && i < n_levels; i++)
        read_level(reader, json_array_get(levels, i), &roofs->level[i]);
    roofs->n_peaks = (int)n_peaks;
    roofs->n_levels = (int)n_levels;
}

static void read_roofs(struct reader *reader, const json_t *root, struct roofs *roofs)
{
    const json_t *from = member(reader, root, "roofs", JSON_OBJECT);
    *roofs = (struct roofs){.cores = 0};
    if (from == NULL)
        return;
    copy_text(reader, from, "host", roofs->host, sizeof roofs->host);
    copy_text(reader, from, "processor", roofs->processor, sizeof roofs->processor);
    roofs->cores = (int)whole(reader, from, "cores", 1 << 20);
    roofs->measured = whole(reader, from, "measured", 1e15);
    roofs->clock = number(reader, from, "clock");
    roofs->bound = flag(reader, from, "bound");
    roofs->busy = flag(reader, from, "busy");
    read_lists(reader, from, roofs);
}

/* ------------------------------------------------------------------------- points */

static int level_of(struct reader *reader, const struct roofs *roofs, const char *name)
{
    for (int i = 0; i < roofs->n_levels; i++)
        if (strcmp(roofs->level[i].name, name) == 0)
            return i;
    if (reader->why == NULL)
        reader->why = memory_print("%s: its roofs have no level \"%s\"", reader->path, name);
    return 0;
}

static void read_bytes(struct reader *reader, const json_t *object, const struct roofs *roofs,
                       struct point *point)
{
    char name[32];
    copy_text(reader, object, "from", name, sizeof name);
    int level = level_of(reader, roofs, name);
    point->read[level] = number(reader, object, "read");
    point->written[level] = number_or_none(reader, object, "written");
}

static void read_point(struct reader *reader, const json_t *object, const struct roofs *roofs,
                       struct points *points)
{
    const char *name = json_string_value(member(reader, object, "name", JSON_STRING));
    const json_t *bytes = member(reader, object, "bytes", JSON_ARRAY);
    if (reader->why != NULL)
        return;
    struct point *point = points_find(points, name);
    point->threads = (int)whole(reader, object, "threads", 1 << 20);
    point->entries = whole(reader, object, "entries", 1e15);
    point->seconds = number(reader, object, "seconds");
    point->operations[0] = number(reader, object, "single");
    point->operations[1] = number(reader, object, "double");
    for (size_t i = 0; i < json_array_size(bytes); i++)
        read_bytes(reader, json_array_get(bytes, i), roofs, point);
}

static void read_points(struct reader *reader, const json_t *root, const struct roofs *roofs,
                        struct points *points)
{
    const json_t *list = member(reader, root, "points", JSON_ARRAY);
    const char *command = json_string_value(member(reader, root, "command", JSON_STRING));
    const char *counted_by = json_string_value(member(reader, root, "counted_by", JSON_STRING));
    points->command = memory_text(command != NULL ? command : "");
    points->counted_by = memory_text(counted_by != NULL ? counted_by : "");
    points->busy = json_is_true(json_object_get(root, "busy"));
    for (size_t i = 0; i < json_array_size(list); i++)
        read_point(reader, json_array_get(list, i), roofs, points);
}

char *roofs_read(const char *path, struct roofs *roofs, struct points *points)
{
    struct reader reader = {.path = path};
    json_t *root = json_file_read(path, JSON_REJECT_DUPLICATES, &reader.why);
    if (root == NULL)
        return reader.why;
    read_roofs(&reader, root, roofs);
    if (points != NULL && reader.why == NULL)
        read_points(&reader, root, roofs, points);
    json_decref(root);
    return reader.why;
}

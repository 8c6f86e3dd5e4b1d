/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Kernels of a device as points: their time and launches are a profile's, which was made with --devices; what
 * they did is a table's.
 */
#include "formats/device_activity.h"
#include "points.h"
#include "roofline_json.h"
#include "roofs.h"
#include "tools/common/allocate.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct reading {
    const char *path;
    const struct roofs *roofs;
    struct points *points;
    json_t *root;
    size_t event; /* of devices' time */
    bool wrong;   /* a number leads nowhere */
    double missing, unended;
};

/* ---- numbers of a profile */

static const json_t *row_of(struct reading *reading, const char *list, json_int_t i)
{
    const json_t *row = i >= 0 ? json_array_get(json_object_get(reading->root, list), (size_t)i) : NULL;
    reading->wrong = reading->wrong || row == NULL;
    return row;
}

/* The i-th number of a row; it is a whole one of at least so much. */
static json_int_t at(struct reading *reading, const json_t *row, size_t i, json_int_t least)
{
    const json_t *value = json_array_get(row, i);
    bool fine = json_is_integer(value) && json_integer_value(value) >= least;
    reading->wrong = reading->wrong || !fine;
    return fine ? json_integer_value(value) : -1;
}

static const char *string_at(struct reading *reading, const json_t *row, size_t i)
{
    const char *text = json_string_value(row_of(reading, "strings", at(reading, row, i, 0)));
    reading->wrong = reading->wrong || text == NULL;
    return text;
}

/* ---- kernels */

struct work {
    const char *kernel, *device;
    struct launch launch;
};

static void read_launch(struct reading *reading, json_int_t node, struct launch *launch)
{
    const json_t *place = row_of(reading, "places", at(reading, row_of(reading, "tree", node), 1, 0));
    const json_t *routine = row_of(reading, "routines", at(reading, place, 0, 0));
    const char *name = string_at(reading, routine, 0);
    if (name == NULL || strcmp(name, LAUNCH_UNSEEN) == 0)
        return;
    launch->routine = (char *)name;
    if (at(reading, place, 1, -1) >= 0)
        launch->file = (char *)string_at(reading, place, 1);
    json_int_t line = at(reading, place, 2, 0);
    launch->line = line <= INT_MAX ? (int)line : 0;
}

/* A row is the node, the kind, how often it ran, and numbers that are not needed here. The node's place is of
 * the kernel, and its parent's of the line that launches it. */
static void read_work(struct reading *reading, const json_t *row, struct work *work)
{
    enum { VALUES = 3 };
    const json_t *node = row_of(reading, "tree", at(reading, row, 0, 0));
    const json_t *place = row_of(reading, "places", at(reading, node, 1, 0));
    const json_t *routine = row_of(reading, "routines", at(reading, place, 0, 0));
    json_int_t parent = at(reading, node, 0, -1);
    *work = (struct work){.kernel = string_at(reading, routine, 0), .device = string_at(reading, routine, 1)};
    work->launch.times = at(reading, row, 2, 1);
    work->launch.seconds = (double)at(reading, node, VALUES + reading->event, 0) / 1e9;
    if (parent >= 0)
        read_launch(reading, parent, &work->launch);
}

static bool same_text(const char *one, const char *other)
{
    return one == other || (one != NULL && other != NULL && strcmp(one, other) == 0);
}

static struct point *find_point(struct points *points, const struct work *work)
{
    for (int i = 0; i < points->n; i++) {
        struct point *point = &points->point[i];
        if (strcmp(point->name, work->kernel) == 0 && same_text(point->device, work->device))
            return point;
    }
    struct point *point = points_add(points, work->kernel);
    point->device = memory_text(work->device);
    point->threads = 1;
    return point;
}

static long long sum_of(long long one, long long other)
{
    long long sum;
    return __builtin_add_overflow(one, other, &sum) ? LLONG_MAX : sum;
}

static void add_launch(struct point *point, const struct launch *launch)
{
    for (int i = 0; i < point->n_launches; i++) {
        struct launch *own = &point->launch[i];
        if (own->line == launch->line && same_text(own->routine, launch->routine) &&
            same_text(own->file, launch->file)) {
            own->times = sum_of(own->times, launch->times);
            own->seconds += launch->seconds;
            return;
        }
    }
    point_add_launch(point, launch);
}

static char *add_row(struct reading *reading, const json_t *row, size_t number)
{
    struct work work;
    json_int_t kind = at(reading, row, 1, 0);
    if (!reading->wrong && kind != WORK_KERNEL)
        return NULL;
    read_work(reading, row, &work);
    if (reading->wrong)
        return memory_print("%s: row %zu of \"device_work\" is not what it should be", reading->path,
                            number + 1);
    struct point *point = find_point(reading->points, &work);
    point->entries = sum_of(point->entries, work.launch.times);
    point->seconds += work.launch.seconds;
    add_launch(point, &work.launch);
    return NULL;
}

/* ---- one profile */

static bool find_event(struct reading *reading)
{
    json_t *event;
    size_t i;
    json_array_foreach(json_object_get(reading->root, "events"), i, event)
    {
        const char *name = json_string_value(json_object_get(event, "name"));
        reading->event = i;
        if (name != NULL && strcmp(name, DEVICE_TIME) == 0)
            return true;
    }
    return false;
}

static double number_of(const json_t *object, const char *key)
{
    double number = json_number_value(json_object_get(object, key));
    return isfinite(number) && number > 0 ? number : 0;
}

static char *read_one(struct reading *reading)
{
    const json_t *work = json_object_get(reading->root, "device_work"),
                 *devices = json_object_get(reading->root, "devices"), *row;
    const char *format = json_string_value(json_object_get(reading->root, "format"));
    char *why = NULL;
    size_t i;
    if (format == NULL || strcmp(format, "papi_profile") != 0)
        return memory_print("%s is not a profile: papi_profile --devices -o %s ./a.out makes one",
                            reading->path, reading->path);
    if (!json_is_array(work) || !find_event(reading))
        return memory_print(
            "%s has no kernels of devices: run \"papi_profile --devices -o run.json ./a.out\"",
            reading->path);
    reading->missing += number_of(devices, "dropped") + number_of(devices, "unfinished");
    reading->unended += number_of(devices, "unended");
    if (reading->points->command == NULL)
        reading->points->command = json_words(json_object_get(reading->root, "command"));
    for (i = 0; why == NULL && i < json_array_size(work); i++) {
        row = json_array_get(work, i);
        why = add_row(reading, row, i);
    }
    return why;
}

/* ---- all */

/* True if the device, "[device 0: MODEL, 0000:3b:00.0]", is of the model that the roofs are of, or is named
 * by them as a whole. */
static bool has_roofs(const char *device, const struct roofs *roofs)
{
    const char *model = strstr(device, ": "), *end = strrchr(device, ',');
    size_t length = strlen(roofs->device);
    if (strcmp(device, roofs->device) == 0)
        return true;
    if (model == NULL)
        return false;
    model += 2;
    if (end == NULL || end < model) /* without an address */
        end = device + strlen(device) - 1;
    return (size_t)(end - model) == length && strncmp(model, roofs->device, length) == 0;
}

/* Gives the points on devices of the model what was counted. Returns how many are on these. */
static int count(struct reading *reading, struct kernel_counts *counts)
{
    int n = 0, without = 0;
    for (int i = 0; i < reading->points->n; i++) {
        struct point *point = &reading->points->point[i];
        if (!has_roofs(point->device, reading->roofs))
            continue;
        n++;
        if (counts != NULL && !kernel_counts_add(counts, point, reading->roofs->n_levels - 1))
            without++;
    }
    if (without > 0)
        points_add_note(reading->points,
                        memory_print("Kernels without counts, of which there is the time alone: "
                                     "%d.",
                                     without));
    if (n > 0 && counts != NULL)
        kernel_counts_note_rest(counts, reading->points);
    return n;
}

static void note_what_is_missing(struct reading *reading, const struct kernel_counts *counts, int n)
{
    struct points *points = reading->points;
    if (counts == NULL)
        points_add_note(points, memory_text("Nothing says what the kernels did: --kernel-counts=FILE takes a "
                                            "table of their operations and bytes."));
    if (n < points->n)
        points_add_note(points,
                        memory_print("Kernels on other devices than %s, whose roofs these are not: %d.",
                                     reading->roofs->device, points->n - n));
    if (reading->missing > 0)
        points_add_note(points, memory_print("Kernels and copies that are missing in the profile: %.0f.",
                                             reading->missing));
    if (reading->unended > 0)
        points_add_note(points,
                        memory_print("Processes that ended before the profile had all of their kernels: "
                                     "%.0f.",
                                     reading->unended));
}

static char *finish(struct reading *reading, struct kernel_counts *counts)
{
    struct points *points = reading->points;
    if (points->n == 0)
        return memory_print("%s: no kernel ran on a device; papi_profile --show=%s says why", reading->path,
                            reading->path);
    int n = count(reading, counts);
    if (n == 0)
        return memory_print(
            "the roofs are of %s, and no kernel ran on such a device: the first one ran on %s, "
            "whose model \"device\" has to name",
            reading->roofs->device, points->point[0].device);
    points->counted_by = memory_text(counts != NULL ? kernel_counts_source(counts) : "nobody");
    note_what_is_missing(reading, counts, n);
    return NULL;
}

char *kernels_read(const char *const *path, int n, const struct roofs *roofs, struct kernel_counts *counts,
                   struct points *points)
{
    struct reading reading = {.roofs = roofs, .points = points};
    char *why = NULL;
    for (int i = 0; i < n && why == NULL; i++) {
        reading.path = path[i];
        reading.root = json_file_read(path[i], 0, &why);
        if (reading.root != NULL)
            why = read_one(&reading);
        json_decref(reading.root);
    }
    return why != NULL ? why : finish(&reading, counts);
}

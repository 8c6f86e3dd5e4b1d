/* SPDX-License-Identifier: BSD-3-Clause */
#include "points.h"
#include "tools/common/allocate.h"
#include "tools/common/json_file.h"

#include <jansson.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The least share of the time that makes a routine a point. */
static const double least_part = 0.01;

struct reading {
    const struct roofs *roofs;
    struct points *points;
    int threads; /* of the program */
    bool timed;  /* a profile has the time */
    double *sum; /* of each routine and event */
    int n_events;
    size_t n_routines;
    json_t *root;
};

static json_t *list(const struct reading *reading, const char *key)
{
    return json_object_get(reading->root, key);
}

/* The i-th number of a row; -1: it has none. */
static int at(const json_t *row, size_t i)
{
    const json_t *value = json_array_get(row, i);
    json_int_t number = json_is_integer(value) ? json_integer_value(value) : -1;
    return number >= 0 && number <= INT_MAX ? (int)number : -1;
}

/* ---------------------------------------------------------------------- one profile */

/* Adds what happened at each row of the tree to the routine of its place. A row is the parent, the place,
 * whether it was inlined, and the amounts. */
static void add_up(struct reading *reading)
{
    enum { FIRST_EVENT = 3 };
    json_t *places = list(reading, "places"), *row;
    size_t i;
    json_array_foreach(list(reading, "tree"), i, row)
    {
        int place = at(row, 1), routine = place >= 0 ? at(json_array_get(places, (size_t)place), 0) : -1;
        for (int e = 0; routine >= 0 && (size_t)routine < reading->n_routines && e < reading->n_events; e++)
            reading->sum[routine * reading->n_events + e] +=
                json_number_value(json_array_get(row, (size_t)(FIRST_EVENT + e)));
    }
}

static bool has_event(const struct reading *reading, const char *name)
{
    json_t *event;
    size_t i;
    json_array_foreach(list(reading, "events"), i,
                       event) if (strcmp(json_string_value(json_object_get(event, "name")) ?: "", name) ==
                                  0) return true;
    return false;
}

/* Seconds for which one unit of the event stands, if it is a time or counts cycles; otherwise 0. */
static double seconds_of(const struct reading *reading, const json_t *event)
{
    const char *name = json_string_value(json_object_get(event, "name"));
    bool cycles = name != NULL && (strcmp(name, "PAPI_TOT_CYC") == 0 || strstr(name, "CPU-CYCLES") != NULL ||
                                   strstr(name, "CPU_CYCLES") != NULL);
    if (json_is_true(json_object_get(event, "clock")))
        return 1e-9;
    return cycles && !has_event(reading, "perf::CPU-CLOCK") && reading->roofs->clock > 0
               ? 1 / reading->roofs->clock
               : 0;
}

static void add_event(struct reading *reading, struct point *point, const json_t *event, double amount)
{
    const char *name = json_string_value(json_object_get(event, "name"));
    double seconds = seconds_of(reading, event);
    bool apart = has_event(reading, "PAPI_DP_OPS") || has_event(reading, "PAPI_SP_OPS");
    point->seconds += amount * seconds;
    if (name == NULL || seconds > 0 || (apart && strcmp(name, "PAPI_FP_OPS") == 0))
        return;
    source_add(&source_emulator, point, name, amount, reading->roofs);
    source_add(&source_presets, point, strcmp(name, "PAPI_FP_OPS") == 0 ? "PAPI_DP_OPS" : name, amount,
               reading->roofs);
}

static void add_routine(struct reading *reading, size_t routine)
{
    int string = at(json_array_get(list(reading, "routines"), routine), 0);
    const char *name =
        string < 0 ? NULL : json_string_value(json_array_get(list(reading, "strings"), (size_t)string));
    const double *sum = reading->sum + routine * (size_t)reading->n_events;
    json_t *event;
    size_t e;
    bool any = false;
    for (int i = 0; i < reading->n_events; i++)
        any = any || sum[i] > 0;
    if (!any || name == NULL)
        return;
    struct point *point = points_find(reading->points, name);
    json_array_foreach(list(reading, "events"), e, event) add_event(reading, point, event, sum[e]);
}

enum { MOST_THREADS = 1 << 20 };

static void describe(struct reading *reading)
{
    json_t *one;
    size_t i;
    double threads = 0;
    json_array_foreach(list(reading, "processes"), i, one) threads +=
        (double)json_integer_value(json_object_get(one, "threads"));
    reading->threads = (int)fmin(fmax(threads, reading->threads), MOST_THREADS);
    json_array_foreach(list(reading, "events"), i, one) reading->timed |= seconds_of(reading, one) > 0;
    if (reading->points->command != NULL)
        return;
    char *text = memory_text("");
    json_array_foreach(list(reading, "command"), i, one)
    {
        char *more = memory_print("%s%s%s", text, i > 0 ? " " : "", json_string_value(one) ?: "");
        free(text);
        text = more;
    }
    reading->points->command = text;
    reading->points->counted_by = memory_text("papi_profile");
}

static char *read_one(struct reading *reading, const char *path)
{
    const char *format;
    char *why;
    reading->root = json_file_read(path, 0, &why);
    if (reading->root == NULL)
        return why;
    format = json_string_value(list(reading, "format"));
    if (format == NULL || strcmp(format, "papi_profile") != 0)
        return memory_print("%s is not a profile of papi_profile", path);
    reading->n_events = (int)json_array_size(list(reading, "events"));
    reading->n_routines = json_array_size(list(reading, "routines"));
    size_t cells = reading->n_routines * (size_t)reading->n_events;
    reading->sum = memory_more(reading->sum, cells, sizeof *reading->sum);
    memset(reading->sum, 0, cells * sizeof *reading->sum);
    describe(reading);
    add_up(reading);
    for (size_t i = 0; i < reading->n_routines; i++)
        add_routine(reading, i);
    return NULL;
}

/* ------------------------------------------------------------------------------ all */

/* Removes points below least_part of the time, and divides the time of the others, which is that of all
 * threads, by the number of threads. */
static void finish(struct reading *reading)
{
    struct points *points = reading->points;
    double all = 0;
    int kept = 0;
    for (int i = 0; i < points->n; i++)
        all += points->point[i].seconds;
    for (int i = 0; i < points->n; i++) {
        struct point *point = &points->point[i];
        if (point->seconds < least_part * all) {
            free(point->name);
            continue;
        }
        point->threads = reading->threads > 0 ? reading->threads : 1;
        point->seconds /= point->threads;
        points->point[kept++] = *point;
    }
    points->n = kept;
}

char *profiles_read(const char *const *path, int n, const struct roofs *roofs, struct points *points)
{
    struct reading reading = {.roofs = roofs, .points = points};
    char *why = NULL;
    for (int i = 0; i < n && why == NULL; i++) {
        why = read_one(&reading, path[i]);
        json_decref(reading.root);
    }
    free(reading.sum);
    if (why == NULL && !reading.timed)
        return memory_print(
            "%s has no time: sample perf::CPU-CLOCK or PAPI_TOT_CYC as well, or add a profile that "
            "has (--profile=FILE again)",
            path[0]);
    if (why == NULL)
        finish(&reading);
    return why;
}

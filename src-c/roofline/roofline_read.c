/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/whole.h"
#include "formats/device_activity.h"
#include "points.h"
#include "roofline_json.h"
#include "roofs.h"
#include "tools/common/allocate.h"
#include "tools/common/tool_files.h"

#include <dirent.h>
#include <errno.h>
#include <jansson.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- files of JSON */

json_t *json_file_read(const char *path, size_t flags, char **why)
{
    const char *unread;
    json_error_t error;
    FILE *file = input_open(path, &unread);
    if (file == NULL) {
        *why = memory_print("%s: %s", path, unread);
        return NULL;
    }
    errno = 0;
    json_t *root = json_loadf(file, flags, &error);
    int failed = ferror(file) != 0 ? errno : 0;
    fclose(file);
    if (root == NULL && failed != 0)
        *why = memory_print("%s cannot be read: %s", path, strerror(failed));
    else
        *why =
            root == NULL ? memory_print("%s is not JSON: line %d: %s", path, error.line, error.text) : NULL;
    return root;
}

/* ---- roofs */

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

static double above_zero(struct reader *reader, const json_t *object, const char *key)
{
    double value = number(reader, object, key);
    if (value <= 0 && reader->why == NULL)
        reader->why = memory_print("%s: \"%s\" is 0", reader->path, key);
    return value;
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

static enum roof_precision precision_of(struct reader *reader, const char *name)
{
    for (int i = 0; i < ROOF_PRECISIONS; i++)
        if (strcmp(roof_precisions[i], name) == 0)
            return i;
    if (reader->why == NULL)
        reader->why =
            memory_print("%s: \"precision\" is \"%s\", and not double, single or half", reader->path, name);
    return ROOF_SINGLE;
}

static void read_peak(struct reader *reader, const json_t *object, struct roof_peak *peak)
{
    char precision[16];
    copy_text(reader, object, "name", peak->name, sizeof peak->name);
    copy_text(reader, object, "precision", precision, sizeof precision);
    peak->precision = precision_of(reader, precision);
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

/* Reads a peak of a device: its rate alone has to be there. */
static void read_device_peak(struct reader *reader, const json_t *object, struct roof_peak *peak)
{
    char precision[16];
    copy_text(reader, object, "name", peak->name, sizeof peak->name);
    copy_text(reader, object, "precision", precision, sizeof precision);
    peak->precision = precision_of(reader, precision);
    peak->bits = json_object_get(object, "bits") != NULL ? (int)whole(reader, object, "bits", 1 << 20) : 0;
    peak->rate[ROOFS_ALL] = above_zero(reader, object, "all_cores");
    peak->spread[ROOFS_ALL] = number_or_none(reader, object, "all_cores_spread");
    peak->spread[ROOFS_ONE] = -1;
}

/* Reads a level of a device: loops as those of a machine, or one rate for all. */
static void read_device_level(struct reader *reader, const json_t *object, struct roof_level *level)
{
    double mixed = 0;
    copy_text(reader, object, "name", level->name, sizeof level->name);
    level->size = json_object_get(object, "size") != NULL ? whole(reader, object, "size", 1e15) : 0;
    level->line = json_object_get(object, "line") != NULL ? (int)whole(reader, object, "line", 1 << 20) : 0;
    for (int loop = 0; loop < STREAM_LOOPS; loop++) {
        const json_t *own = json_object_get(object, stream_shapes[loop].name);
        level->spread[loop][ROOFS_ONE] = level->spread[loop][ROOFS_ALL] = -1;
        if (own == NULL && json_object_get(object, "all_cores") == NULL)
            continue;
        const json_t *rates = own != NULL ? own : object;
        level->rate[loop][ROOFS_ALL] = number(reader, rates, "all_cores");
        level->spread[loop][ROOFS_ALL] = number_or_none(reader, rates, "all_cores_spread");
        mixed = loop != STREAM_READ ? fmax(mixed, level->rate[loop][ROOFS_ALL]) : mixed;
    }
    if (reader->why == NULL && mixed <= 0)
        reader->why =
            memory_print("%s: level \"%s\" has no \"all_cores\", bytes a second", reader->path, level->name);
}

static void read_lists(struct reader *reader, const json_t *from, struct roofs *roofs)
{
    const json_t *peaks = member(reader, from, "peaks", JSON_ARRAY);
    const json_t *levels = member(reader, from, "levels", JSON_ARRAY);
    size_t n_peaks = json_array_size(peaks), n_levels = json_array_size(levels);
    bool is_device = roofs->device[0] != '\0';
    if (reader->why == NULL &&
        ((n_peaks == 0 && !is_device) || n_peaks > ROOFS_PEAKS || n_levels == 0 || n_levels > ROOFS_LEVELS))
        reader->why = memory_print("%s has %zu peaks and %zu levels", reader->path, n_peaks, n_levels);
    for (size_t i = 0; reader->why == NULL && i < n_peaks; i++)
        (is_device ? read_device_peak : read_peak)(reader, json_array_get(peaks, i), &roofs->peak[i]);
    for (size_t i = 0; reader->why == NULL && i < n_levels; i++)
        (is_device ? read_device_level : read_level)(reader, json_array_get(levels, i), &roofs->level[i]);
    roofs->n_peaks = (int)n_peaks;
    roofs->n_levels = (int)n_levels;
}

/* Reads what a device has in the place of a machine's description. */
static void read_device(struct reader *reader, const json_t *from, struct roofs *roofs)
{
    static const char *const sources[] = {"measured", "given", "computed"};
    bool known = false;
    copy_text(reader, from, "device", roofs->device, sizeof roofs->device);
    copy_text(reader, from, "source", roofs->source, sizeof roofs->source);
    for (int i = 0; i < 3; i++)
        known = known || strcmp(roofs->source, sources[i]) == 0;
    if (reader->why == NULL && (!known || roofs->device[0] == '\0'))
        reader->why =
            known ? memory_print(
                        "%s: \"device\" is empty: it takes the model, as papi_profile --devices has it",
                        reader->path)
                  : memory_print("%s: \"source\" is \"%s\", and not measured, given or computed",
                                 reader->path, roofs->source);
    roofs->cores = 1;
    roofs->bound = true;
    if (json_object_get(from, "measured") != NULL)
        roofs->measured = whole(reader, from, "measured", 1e15);
    if (json_object_get(from, "driver") != NULL)
        copy_text(reader, from, "driver", roofs->driver, sizeof roofs->driver);
    roofs->busy = json_is_true(json_object_get(from, "busy"));
}

static void read_roofs(struct reader *reader, const json_t *root, struct roofs *roofs)
{
    const json_t *from = member(reader, root, "roofs", JSON_OBJECT);
    *roofs = (struct roofs){.cores = 0};
    if (from == NULL)
        return;
    if (json_object_get(from, "device") != NULL) {
        read_device(reader, from, roofs);
        read_lists(reader, from, roofs);
        return;
    }
    copy_text(reader, from, "host", roofs->host, sizeof roofs->host);
    copy_text(reader, from, "processor", roofs->processor, sizeof roofs->processor);
    roofs->cores = (int)whole(reader, from, "cores", 1 << 20);
    roofs->measured = whole(reader, from, "measured", 1e15);
    roofs->clock = number(reader, from, "clock");
    roofs->bound = flag(reader, from, "bound");
    roofs->busy = flag(reader, from, "busy");
    read_lists(reader, from, roofs);
}

/* ---- points */

static const char *text_or_null(struct reader *reader, const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return json_is_null(value) ? NULL : json_string_value(member(reader, object, key, JSON_STRING));
}

/* Reads what a kernel has beside what a region has. */
static void read_kernel(struct reader *reader, const json_t *object, struct point *point)
{
    const json_t *lines = member(reader, object, "launches", JSON_ARRAY), *line;
    const char *device = json_string_value(member(reader, object, "device", JSON_STRING));
    size_t i;
    point->device = memory_text(device != NULL ? device : "");
    point->counted = json_is_number(json_object_get(object, "double"));
    json_array_foreach(lines, i, line)
    {
        struct launch launch = {.routine = (char *)text_or_null(reader, line, "routine"),
                                .file = (char *)text_or_null(reader, line, "file"),
                                .times = whole(reader, line, "times", 1e15),
                                .seconds = number(reader, line, "seconds")};
        launch.line = json_is_null(json_object_get(line, "line")) ? 0 : (int)whole(reader, line, "line", 1e9);
        point_add_launch(point, &launch);
    }
}

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
    bool is_kernel = roofs->device[0] != '\0';
    struct point *point = is_kernel ? points_add(points, name) : points_find(points, name);
    if (is_kernel)
        read_kernel(reader, object, point);
    point->threads = (int)whole(reader, object, "threads", 1 << 20);
    point->entries = whole(reader, object, "entries", 1e15);
    point->seconds = number(reader, object, "seconds");
    for (int i = 0; i < (is_kernel ? ROOF_PRECISIONS : ROOF_HALF) && (!is_kernel || point->counted); i++)
        point->operations[i] = number(reader, object, roof_precisions[i]);
    for (size_t i = 0; i < json_array_size(bytes); i++)
        read_bytes(reader, json_array_get(bytes, i), roofs, point);
}

static void read_points(struct reader *reader, const json_t *root, const struct roofs *roofs,
                        struct points *points)
{
    const json_t *list = member(reader, root, "points", JSON_ARRAY), *note;
    size_t i;
    const char *command = json_string_value(member(reader, root, "command", JSON_STRING));
    const char *counted_by = json_string_value(member(reader, root, "counted_by", JSON_STRING));
    points->command = memory_text(command != NULL ? command : "");
    points->counted_by = memory_text(counted_by != NULL ? counted_by : "");
    points->busy = json_is_true(json_object_get(root, "busy"));
    json_array_foreach(json_object_get(root, "notes"), i, note)
    {
        if (json_is_string(note))
            points_add_note(points, memory_text(json_string_value(note)));
    }
    for (i = 0; i < json_array_size(list); i++)
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

/* ---- regions */

struct region_reading {
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

/* ---- regions */

/* Reads a number, which files of regions have as a text. */
static bool number_in(const json_t *value, double *out)
{
    const char *text = json_string_value(value);
    char *end;
    *out = text != NULL ? strtod(text, &end) : json_number_value(value);
    return isfinite(*out) && (json_is_number(value) || (text != NULL && end != text && *end == '\0'));
}

static void add_region(struct region_reading *reading, json_t *region)
{
    const char *name = json_string_value(json_object_get(region, "name")), *key;
    json_t *value;
    double amount;
    if (name == NULL)
        return;
    struct point *point = points_find(reading->points, name);
    point->entries++;
    json_object_foreach(region, key, value) if (number_in(value, &amount))
        source_add(reading->source, point, key, amount, reading->roofs);
}

/* Sums this thread's time in all regions of a name; a point has the longest time of all threads. */
static void add_times(struct region_reading *reading, json_t *regions)
{
    double *seconds = memory_more(NULL, (size_t)reading->points->n, sizeof *seconds);
    memset(seconds, 0, (size_t)reading->points->n * sizeof *seconds);
    const char *id;
    json_t *region;
    json_object_foreach(regions, id, region)
    {
        const char *name = json_string_value(json_object_get(region, "name"));
        double time;
        if (name != NULL && number_in(json_object_get(region, "real_time_nsec"), &time))
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

static void add_file(struct region_reading *reading, json_t *root)
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
    struct region_reading reading = {.source = source, .roofs = roofs, .points = points};
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

/* ---- the whole */

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

/* ---- routines of profiles */

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

/* ---- one profile */

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
    if (name != NULL && strcmp(name, DEVICE_TIME) == 0) /* it is beside the host's */
        return 0;
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

char *json_words(const json_t *list)
{
    char *text = memory_text("");
    json_t *one;
    size_t i;
    json_array_foreach(list, i, one)
    {
        char *more = memory_print("%s%s%s", text, i > 0 ? " " : "", json_string_value(one) ?: "");
        free(text);
        text = more;
    }
    return text;
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
    reading->points->command = json_words(list(reading, "command"));
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

/* ---- all */

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

/* ---- a job */

struct job_reading {
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

/* The number of a member; 0 if it is missing or not finite. */
static double number_of(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    double number = json_is_string(value) ? strtod(json_string_value(value), NULL) : json_number_value(value);
    return isfinite(number) ? number : 0;
}

static json_t *counters(const struct job_reading *reading)
{
    return json_object_get(reading->root, "counters");
}

static bool has_counter(const struct job_reading *reading, const char *name)
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
static void add_counter(struct job_reading *reading, struct point *point, const json_t *counter, double sum)
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
static int threads_of(const struct job_reading *reading, double ranks)
{
    return (int)fmin(fmax(ranks / reading->nodes + 0.5, 1), MOST_THREADS);
}

static void add_job_region(struct job_reading *reading, const json_t *region)
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

static const json_t *metric(const struct job_reading *reading, const char *key)
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
static void add_whole(struct job_reading *reading)
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

static char *find_nodes(struct job_reading *reading, const char *path)
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

static char *read_job(struct job_reading *reading, const char *path)
{
    json_t *region;
    size_t i;
    char *why = find_nodes(reading, path);
    if (why != NULL)
        return why;
    json_array_foreach(json_object_get(reading->root, "regions"), i, region) add_job_region(reading, region);
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
    struct job_reading reading = {.roofs = roofs, .points = points};
    char *why;
    reading.root = json_file_read(path, 0, &why);
    if (reading.root == NULL)
        return why;
    why = read_job(&reading, path);
    json_decref(reading.root);
    return why;
}

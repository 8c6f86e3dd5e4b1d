/* SPDX-License-Identifier: BSD-3-Clause */
#include "counts.h"
#include "base/array.h"
#include "base/visible.h"
#include "tools/common/allocate.h"

#include <stdlib.h>
#include <string.h>

/* ---- texts */

const char *counts_text(struct counts *counts, const char *text)
{
    uint64_t hash = hash_text(text);
    uintptr_t found;
    for (size_t at = 0; (found = hash_next(&counts->texts, hash, &at)) != 0;)
        if (strcmp((const char *)found, text) == 0)
            return (const char *)found;
    counts->text = or_end(array_room(counts->text, counts->n_texts, sizeof *counts->text));
    char *kept = counts->text[counts->n_texts++] = memory_text(text);
    if (!hash_grow(&counts->texts))
        memory_is_out();
    hash_put(&counts->texts, hash, (uintptr_t)kept);
    return kept;
}

/* ---- what there is */

int counts_event(struct counts *counts, const char *name)
{
    for (int i = 0; i < counts->n_events; i++)
        if (strcmp(counts->event[i], name) == 0)
            return i;
    if (counts->n_events == GATE_EVENTS)
        return -1;
    counts->event[counts->n_events] = counts_text(counts, name);
    return counts->n_events++;
}

static uint64_t hash_routine(const char *object, const char *name)
{
    return hash_text(object) * 31 + hash_text(name);
}

struct gate_routine *counts_routine(struct counts *counts, const char *object, const char *name)
{
    uint64_t hash = hash_routine(object, name);
    uintptr_t found;
    for (size_t at = 0; (found = hash_next(&counts->by_name, hash, &at)) != 0;) {
        struct gate_routine *routine = &counts->routine[found - 1];
        if (strcmp(routine->object, object) == 0 && strcmp(routine->name, name) == 0)
            return routine;
    }
    MEMORY_ONE_MORE(counts->routine, counts->n_routines, counts->room_routines);
    struct gate_routine *routine = &counts->routine[counts->n_routines++];
    *routine = (struct gate_routine){.object = counts_text(counts, object),
                                     .name = counts_text(counts, name),
                                     .file = counts_text(counts, "")};
    if (!hash_grow(&counts->by_name))
        memory_is_out();
    hash_put(&counts->by_name, hash, counts->n_routines);
    return routine;
}

/* ---- lines by their places */

/* The text among those of the counts; NULL: it is not. */
static const char *known_text(const struct counts *counts, const char *text)
{
    uintptr_t found;
    uint64_t hash = hash_text(text);
    for (size_t at = 0; (found = hash_next(&counts->texts, hash, &at)) != 0;)
        if (strcmp((const char *)found, text) == 0)
            return (const char *)found;
    return NULL;
}

static uint64_t hash_place(size_t routine, const char *kept, int line)
{
    uint64_t hash = hash_bytes(&routine, sizeof routine);
    return hash_more(hash_more(hash, &kept, sizeof kept), &line, sizeof line);
}

static void index_line(struct counts *counts, size_t routine, size_t line)
{
    const struct gate_line *at = &counts->routine[routine].line[line];
    MEMORY_ONE_MORE(counts->place, counts->n_places, counts->room_places);
    counts->place[counts->n_places++] = (struct gate_place){routine, line};
    if (!hash_grow(&counts->by_place))
        memory_is_out();
    hash_put(&counts->by_place, hash_place(routine, at->file, at->line), counts->n_places);
}

/* The line of a routine; NULL: there is none. file: NULL, or one of the counts' texts. */
static struct gate_line *find_line(const struct counts *counts, const struct gate_routine *routine,
                                   const char *file, int line)
{
    size_t number = (size_t)(routine - counts->routine);
    uintptr_t found;
    for (size_t at = 0; (found = hash_next(&counts->by_place, hash_place(number, file, line), &at)) != 0;) {
        const struct gate_place *place = &counts->place[found - 1];
        struct gate_line *known = &routine->line[place->line];
        if (place->routine == number && known->line == line && known->file == file)
            return known;
    }
    return NULL;
}

struct gate_line *counts_line(struct counts *counts, struct gate_routine *routine, const char *file, int line)
{
    const char *kept = counts_text(counts, file);
    struct gate_line *known = find_line(counts, routine, kept, line);
    if (known != NULL)
        return known;
    MEMORY_ONE_MORE(routine->line, routine->n_lines, routine->room);
    struct gate_line *fresh = &routine->line[routine->n_lines++];
    *fresh = (struct gate_line){.file = kept, .line = line, .text = counts_text(counts, "")};
    index_line(counts, (size_t)(routine - counts->routine), routine->n_lines - 1);
    return fresh;
}

/* ---- what has one name */

enum kind { KIND_REGION, KIND_OBJECT, KIND_SOURCE };

static const char *text_of(const struct counts *counts, enum kind kind, size_t number)
{
    return kind == KIND_REGION   ? counts->region[number].name
           : kind == KIND_OBJECT ? counts->object[number].path
                                 : counts->source[number].path;
}

static size_t number_of(const struct counts *counts, enum kind kind)
{
    return kind == KIND_REGION   ? counts->n_regions
           : kind == KIND_OBJECT ? counts->n_objects
                                 : counts->n_sources;
}

/* The number of what has that text, from 1 on; 0: there is none. */
static size_t find_text(const struct counts *counts, enum kind kind, const char *text)
{
    uintptr_t found;
    uint64_t hash = hash_text(text) + kind;
    for (size_t at = 0; (found = hash_next(&counts->by_text, hash, &at)) != 0;)
        if (found <= number_of(counts, kind) && strcmp(text_of(counts, kind, found - 1), text) == 0)
            return found;
    return 0;
}

/* Makes the last of its kind known by its text. */
static void index_text(struct counts *counts, enum kind kind, size_t number)
{
    if (!hash_grow(&counts->by_text))
        memory_is_out();
    hash_put(&counts->by_text, hash_text(text_of(counts, kind, number)) + kind, number + 1);
}

struct gate_region *counts_region(struct counts *counts, const char *name)
{
    size_t found = find_text(counts, KIND_REGION, name);
    if (found > 0)
        return &counts->region[found - 1];
    MEMORY_ONE_MORE(counts->region, counts->n_regions, counts->room_regions);
    struct gate_region *region = &counts->region[counts->n_regions++];
    *region = (struct gate_region){.name = counts_text(counts, name), .no_time = ""};
    index_text(counts, KIND_REGION, counts->n_regions - 1);
    return region;
}

struct gate_object *counts_object(struct counts *counts, const char *path)
{
    size_t found = find_text(counts, KIND_OBJECT, path);
    if (found > 0)
        return &counts->object[found - 1];
    MEMORY_ONE_MORE(counts->object, counts->n_objects, counts->room_objects);
    struct gate_object *object = &counts->object[counts->n_objects++];
    const char *none = counts_text(counts, "");
    *object = (struct gate_object){.name = counts_text(counts, path_base(path)),
                                   .path = counts_text(counts, path),
                                   .build_id = none,
                                   .compiler = none};
    index_text(counts, KIND_OBJECT, counts->n_objects - 1);
    return object;
}

struct gate_source *counts_source(struct counts *counts, const char *path)
{
    size_t found = find_text(counts, KIND_SOURCE, path);
    if (found > 0)
        return &counts->source[found - 1];
    MEMORY_ONE_MORE(counts->source, counts->n_sources, counts->room_sources);
    struct gate_source *source = &counts->source[counts->n_sources++];
    *source = (struct gate_source){.path = counts_text(counts, path)};
    index_text(counts, KIND_SOURCE, counts->n_sources - 1);
    return source;
}

const struct gate_region *counts_find_region(const struct counts *counts, const char *name)
{
    size_t found = find_text(counts, KIND_REGION, name);
    return found > 0 ? &counts->region[found - 1] : NULL;
}

const struct gate_source *counts_find_source(const struct counts *counts, const char *path)
{
    size_t found = find_text(counts, KIND_SOURCE, path);
    return found > 0 ? &counts->source[found - 1] : NULL;
}

/* ---- */

int counts_order(const char *file, int line, const char *other_file, int other_line)
{
    int order = strcmp(path_base(file), path_base(other_file));
    return order != 0 ? order : (line > other_line) - (line < other_line);
}

/* A text as JSON can have it: bytes that are not UTF-8 are shown. */
static const char *readable(struct counts *counts, const char *text)
{
    const char *at = text;
    int length;
    while (*at != '\0' && (length = utf8_length(at)) > 0)
        at += length;
    if (*at == '\0')
        return text;
    size_t size = visible(NULL, 0, text) + 1;
    char *clean = memory_more(NULL, size, 1);
    visible(clean, size, text);
    const char *kept = counts_text(counts, clean);
    free(clean);
    return kept;
}

void counts_make_readable(struct counts *counts)
{
    for (size_t i = 0; i < counts->n_objects; i++) {
        counts->object[i].name = readable(counts, counts->object[i].name);
        counts->object[i].path = readable(counts, counts->object[i].path);
    }
    for (size_t i = 0; i < counts->n_regions; i++)
        counts->region[i].name = readable(counts, counts->region[i].name);
    for (size_t i = 0; i < counts->n_routines; i++) {
        struct gate_routine *routine = &counts->routine[i];
        routine->object = readable(counts, routine->object);
        routine->name = readable(counts, routine->name);
        routine->file = readable(counts, routine->file);
        for (size_t j = 0; j < routine->n_lines; j++) {
            routine->line[j].file = readable(counts, routine->line[j].file);
            routine->line[j].text = readable(counts, routine->line[j].text);
        }
    }
}

const char *counts_below(struct counts *counts, const char *folder, const char *path)
{
    size_t n = strlen(folder);
    bool below = n > 1 && strncmp(path, folder, n) == 0 && path[n] == '/' && path[n + 1] != '\0';
    return below ? counts_text(counts, path + n + 1) : path;
}

/* ---- counts */

void counts_add(struct gate_routine *routine, struct gate_line *line, int event, uint64_t value)
{
    routine->count[event].value += value;
    line->count[event].value += value;
}

static void settle(struct count *count, int n)
{
    for (int i = 0; i < n; i++)
        if (!count[i].estimated)
            count[i].least = count[i].most = count[i].value;
}

void counts_settle(struct counts *counts)
{
    counts->runs = 1;
    for (size_t i = 0; i < counts->n_routines; i++) {
        settle(counts->routine[i].count, counts->n_events);
        for (size_t j = 0; j < counts->routine[i].n_lines; j++)
            settle(counts->routine[i].line[j].count, counts->n_events);
    }
    for (size_t i = 0; i < counts->n_regions; i++)
        settle(counts->region[i].count, counts->n_events);
}

static void widen(struct count *count, const struct count *by, int n)
{
    static const struct count none[GATE_EVENTS];
    const struct count *other = by != NULL ? by : none;
    for (int i = 0; i < n; i++) {
        uint64_t least = other[i].estimated ? other[i].least : other[i].value;
        uint64_t most = other[i].estimated ? other[i].most : other[i].value;
        if (least < count[i].least)
            count[i].least = least;
        if (most > count[i].most)
            count[i].most = most;
    }
}

static void widen_lines(struct counts *counts, struct gate_routine *routine, const struct counts *other,
                        const struct gate_routine *by)
{
    for (size_t i = 0; by != NULL && i < by->n_lines; i++)
        counts_line(counts, routine, by->line[i].file, by->line[i].line);
    for (size_t i = 0; i < routine->n_lines; i++) {
        struct gate_line *line = &routine->line[i];
        const char *file = known_text(other, line->file);
        const struct gate_line *same =
            by != NULL && file != NULL ? find_line(other, by, file, line->line) : NULL;
        widen(line->count, same != NULL ? same->count : NULL, counts->n_events);
    }
}

void counts_widen(struct counts *counts, struct counts *other)
{
    counts->runs++;
    if (other->processor_seconds < counts->processor_seconds)
        counts->processor_seconds = other->processor_seconds;
    for (size_t i = 0; i < other->n_routines; i++)
        counts_routine(counts, other->routine[i].object, other->routine[i].name);
    for (size_t i = 0; i < other->n_regions; i++)
        counts_region(counts, other->region[i].name);
    for (size_t i = 0; i < counts->n_routines; i++) {
        struct gate_routine *routine = &counts->routine[i];
        struct gate_routine *same = counts_routine(other, routine->object, routine->name);
        widen(routine->count, same->count, counts->n_events);
        widen_lines(counts, routine, other, same);
    }
    for (size_t i = 0; i < counts->n_regions; i++)
        widen(counts->region[i].count, counts_region(other, counts->region[i].name)->count, counts->n_events);
}

bool counts_vary(const struct counts *counts, const struct count *place, int event)
{
    bool found = count_varies(&place[event]);
    for (int i = 0; i < counts->n_events && place[event].estimated; i++)
        found |= count_varies(&place[i]);
    return found;
}

uint64_t counts_total(const struct counts *counts, int event, uint64_t *varying)
{
    uint64_t sum = 0, varied = 0;
    for (size_t i = 0; i < counts->n_routines; i++) {
        const struct count *count = &counts->routine[i].count[event];
        if (counts_vary(counts, counts->routine[i].count, event))
            varied += count->value;
        else
            sum += count->value;
    }
    if (varying != NULL)
        *varying = varied;
    return sum;
}

/* Adds, and stays at the most that a number can be. */
static void add_most(uint64_t *sum, const struct count *count)
{
    if (__builtin_add_overflow(*sum, count->most, sum))
        *sum = UINT64_MAX;
}

const char *counts_too_large(const struct counts *counts)
{
    for (int k = 0; k < counts->n_events; k++) {
        uint64_t sum = 0;
        bool large = false;
        for (size_t i = 0; i < counts->n_routines; i++)
            add_most(&sum, &counts->routine[i].count[k]);
        for (size_t i = 0; i < counts->n_regions; i++)
            large |= counts->region[i].count[k].most > COUNT_MOST;
        if (large || sum > COUNT_MOST)
            return counts->event[k];
    }
    return NULL;
}

static bool any(const struct count *count, int n)
{
    for (int k = 0; k < n; k++)
        if (count[k].most != 0)
            return true;
    return false;
}

bool counts_any(const struct counts *counts)
{
    for (size_t i = 0; i < counts->n_routines; i++)
        if (any(counts->routine[i].count, counts->n_events))
            return true;
    return false;
}

/* ---- order */

static int compare_lines(const void *a, const void *b)
{
    const struct gate_line *one = a, *other = b;
    int order = strcmp(one->file, other->file);
    return order != 0 ? order : (one->line > other->line) - (one->line < other->line);
}

static int compare_routines(const void *a, const void *b)
{
    const struct gate_routine *one = a, *other = b;
    int order = strcmp(one->object, other->object);
    return order != 0 ? order : strcmp(one->name, other->name);
}

static int compare_regions(const void *a, const void *b)
{
    return strcmp(((const struct gate_region *)a)->name, ((const struct gate_region *)b)->name);
}

static int compare_objects(const void *a, const void *b)
{
    return strcmp(((const struct gate_object *)a)->path, ((const struct gate_object *)b)->path);
}

static int compare_sources(const void *a, const void *b)
{
    return strcmp(((const struct gate_source *)a)->path, ((const struct gate_source *)b)->path);
}

static void sort(void *array, size_t n, size_t size, int (*compare)(const void *, const void *))
{
    if (n > 1)
        qsort(array, n, size, compare);
}

static void add_counts(struct count *to, const struct count *from, int n)
{
    for (int k = 0; k < n; k++) {
        to[k].value += from[k].value;
        to[k].least += from[k].least;
        to[k].most += from[k].most;
        to[k].estimated |= from[k].estimated;
    }
}

/* Sorts the lines of a routine. Two that were of one file by different paths are one. */
static void sort_lines(const struct counts *counts, struct gate_routine *routine)
{
    size_t n = 0;
    sort(routine->line, routine->n_lines, sizeof *routine->line, compare_lines);
    for (size_t i = 0; i < routine->n_lines; i++)
        if (n > 0 && compare_lines(&routine->line[n - 1], &routine->line[i]) == 0)
            add_counts(routine->line[n - 1].count, routine->line[i].count, counts->n_events);
        else
            routine->line[n++] = routine->line[i];
    routine->n_lines = n;
}

static void drop_indexes(struct counts *counts)
{
    free(counts->by_name.slot);
    free(counts->by_place.slot);
    free(counts->by_text.slot);
    counts->by_name = counts->by_place = counts->by_text = (struct hash_table){.n_slots = 0};
    counts->n_places = 0;
}

/* Makes all numbers anew. */
static void index_all(struct counts *counts)
{
    drop_indexes(counts);
    for (size_t i = 0; i < counts->n_routines; i++) {
        if (!hash_grow(&counts->by_name))
            memory_is_out();
        hash_put(&counts->by_name, hash_routine(counts->routine[i].object, counts->routine[i].name), i + 1);
        for (size_t j = 0; j < counts->routine[i].n_lines; j++)
            index_line(counts, i, j);
    }
    for (enum kind kind = KIND_REGION; kind <= KIND_SOURCE; kind++)
        for (size_t i = 0; i < number_of(counts, kind); i++)
            index_text(counts, kind, i);
}

void counts_sort(struct counts *counts)
{
    for (size_t i = 0; i < counts->n_routines; i++)
        sort_lines(counts, &counts->routine[i]);
    sort(counts->routine, counts->n_routines, sizeof *counts->routine, compare_routines);
    sort(counts->region, counts->n_regions, sizeof *counts->region, compare_regions);
    sort(counts->object, counts->n_objects, sizeof *counts->object, compare_objects);
    sort(counts->source, counts->n_sources, sizeof *counts->source, compare_sources);
    index_all(counts);
}

void counts_free(struct counts *counts)
{
    for (size_t i = 0; i < counts->n_routines; i++)
        free(counts->routine[i].line);
    for (size_t i = 0; i < counts->n_sources; i++)
        free(counts->source[i].line);
    for (size_t i = 0; i < counts->n_texts; i++)
        free(counts->text[i]);
    free(counts->routine);
    free(counts->region);
    free(counts->object);
    free(counts->input);
    free(counts->source);
    free(counts->block);
    free(counts->command);
    free(counts->text);
    free(counts->texts.slot);
    drop_indexes(counts);
    free(counts->place);
    *counts = (struct counts){.n_events = 0};
}

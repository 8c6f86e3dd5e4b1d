/* SPDX-License-Identifier: BSD-3-Clause */
#include "changed.h"
#include "source_code.h"
#include "tools/common/allocate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- routines around a line */

/* A line that has counts, of a routine. */
struct place {
    const char *file, *routine;
    int line;
};

struct places {
    struct place *place;
    size_t n, room;
};

static int order_places(const void *a, const void *b)
{
    const struct place *one = a, *other = b;
    return counts_order(one->file, one->line, other->file, other->line);
}

static struct places gather(const struct counts *counts)
{
    struct places places = {.n = 0};
    for (size_t i = 0; i < counts->n_routines; i++)
        for (size_t j = 0; j < counts->routine[i].n_lines; j++) {
            const struct gate_line *line = &counts->routine[i].line[j];
            if (line->line == 0)
                continue;
            MEMORY_ONE_MORE(places.place, places.n, places.room);
            places.place[places.n++] = (struct place){line->file, counts->routine[i].name, line->line};
        }
    if (places.n > 1)
        qsort(places.place, places.n, sizeof *places.place, order_places);
    return places;
}

static const struct place *in_file(const struct places *places, size_t number, const char *file)
{
    const struct place *place = number < places->n ? &places->place[number] : NULL;
    return place != NULL && strcmp(path_base(place->file), path_base(file)) == 0 ? place : NULL;
}

/* Names the routine of the nearest line that has counts, rather of one behind: a declaration is in front of
 * what it is for. "": the file has none. */
static void name_routine(const struct places *places, int line, struct changed_line *changed)
{
    const struct place key = {changed->file, "", line};
    size_t low = 0, high = places->n;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (order_places(&places->place[middle], &key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    const struct place *before = low > 0 ? in_file(places, low - 1, changed->file) : NULL,
                       *from = in_file(places, low, changed->file);
    bool behind = from != NULL && (before == NULL || from->line - line <= line - before->line);
    changed->routine = behind ? from->routine : before != NULL ? before->routine : "";
    changed->inside = from != NULL &&
                      (from->line == line || (before != NULL && strcmp(from->routine, before->routine) == 0));
}

/* ---- lines of a source that say something */

struct piece {
    const struct gate_code *line;
    int number;
};

static struct piece *pieces_of(const struct gate_source *source, size_t *n)
{
    struct piece *piece = memory_more(NULL, source->n + 1, sizeof *piece);
    *n = 0;
    for (size_t i = 0; i < source->n; i++)
        if (source->line[i].code != 0)
            piece[(*n)++] = (struct piece){&source->line[i], (int)i + 1};
    return piece;
}

/* A source before and after. */
struct pair {
    struct comparison *comparison;
    const char *file;
    const struct piece *before, *after;
    const struct places *places_before, *places_after;
};

static void add(const struct pair *pair, const struct piece *before, const struct piece *after, bool renamed)
{
    struct comparison *comparison = pair->comparison;
    const struct piece *known = after != NULL ? after : before;
    struct changed_line changed = {.file = pair->file,
                                   .text = known->line->text,
                                   .line = after != NULL ? after->number : 0,
                                   .line_before = before != NULL ? before->number : 0,
                                   .renamed = renamed};
    name_routine(after != NULL ? pair->places_after : pair->places_before, known->number, &changed);
    MEMORY_ONE_MORE(comparison->changed, comparison->n_changed, comparison->room_changed);
    comparison->changed[comparison->n_changed++] = changed;
}

/* Adds what lies between two lines that stayed: lines in the place of others, new ones, or those that are
 * gone. */
static void add_gap(const struct pair *pair, size_t i, size_t end_i, size_t j, size_t end_j)
{
    bool alike = end_i - i == end_j - j;
    for (size_t k = 0; j + k < end_j; k++) {
        const struct piece *before = i + k < end_i ? &pair->before[i + k] : NULL,
                           *after = &pair->after[j + k];
        bool renamed = alike && source_shape(before->line->code) == source_shape(after->line->code);
        add(pair, before, after, renamed);
    }
    for (size_t k = i; k < end_i && j == end_j; k++)
        add(pair, &pair->before[k], NULL, false);
}

static bool same(const struct pair *pair, size_t i, size_t j)
{
    return pair->before[i].line->code == pair->after[j].line->code;
}

/* Finds the longest common sequence, as compare.c does for lines with counts; of too many lines all have
 * changed. */
static void align(const struct pair *pair, size_t begin, size_t n, size_t m)
{
    enum { MOST_CELLS = 64 << 20 };
    if (n == 0 || m == 0 || n + 1 > MOST_CELLS / (m + 1)) {
        add_gap(pair, begin, begin + n, begin, begin + m);
        return;
    }
    uint32_t *length = memory_more(NULL, (n + 1) * (m + 1), sizeof *length);
    memset(length, 0, (n + 1) * (m + 1) * sizeof *length);
#define LENGTH(i, j) length[(i) * (m + 1) + (j)]
    for (size_t i = n; i-- > 0;)
        for (size_t j = m; j-- > 0;)
            LENGTH(i, j) = same(pair, begin + i, begin + j)       ? LENGTH(i + 1, j + 1) + 1
                           : LENGTH(i + 1, j) >= LENGTH(i, j + 1) ? LENGTH(i + 1, j)
                                                                  : LENGTH(i, j + 1);
    size_t i = 0, j = 0, gap_i = 0, gap_j = 0;
    while (i < n && j < m) {
        if (same(pair, begin + i, begin + j)) {
            add_gap(pair, begin + gap_i, begin + i, begin + gap_j, begin + j);
            gap_i = ++i;
            gap_j = ++j;
        } else if (LENGTH(i + 1, j) >= LENGTH(i, j + 1)) {
            i++;
        } else {
            j++;
        }
    }
#undef LENGTH
    add_gap(pair, begin + gap_i, begin + n, begin + gap_j, begin + m);
    free(length);
}

static void find_in(struct comparison *comparison, const struct gate_source *before,
                    const struct gate_source *after, const struct places *places)
{
    size_t n, m, head = 0, tail = 0;
    struct piece *old = pieces_of(before, &n), *new = pieces_of(after, &m);
    struct pair pair = {comparison, after->path, old, new, &places[0], &places[1]};
    while (head < n && head < m && same(&pair, head, head))
        head++;
    while (head + tail < n && head + tail < m && same(&pair, n - 1 - tail, m - 1 - tail))
        tail++;
    align(&pair, head, n - head - tail, m - head - tail);
    free(old);
    free(new);
}

/* The source of that path, or the last of that name in another folder. */
static const struct gate_source *find_source(const struct counts *counts, const struct hash_table *names,
                                             const char *path)
{
    const struct gate_source *found = counts_find_source(counts, path);
    uintptr_t number, last = 0;
    for (size_t at = 0; found == NULL && (number = hash_next(names, hash_text(path_base(path)), &at)) != 0;)
        if (strcmp(path_base(counts->source[number - 1].path), path_base(path)) == 0)
            last = number > last ? number : last;
    return found != NULL || last == 0 ? found : &counts->source[last - 1];
}

/* Numbers of sources, from 1 on, by their names without their folders. */
static struct hash_table index_names(const struct counts *counts)
{
    struct hash_table names = {.n_slots = 0};
    for (size_t i = 0; i < counts->n_sources; i++) {
        if (!hash_grow(&names))
            memory_is_out();
        hash_put(&names, hash_text(path_base(counts->source[i].path)), i + 1);
    }
    return names;
}

void changed_find(struct comparison *comparison)
{
    struct places places[2] = {gather(comparison->before), gather(comparison->after)};
    struct hash_table names = index_names(comparison->before);
    for (size_t i = 0; i < comparison->after->n_sources; i++) {
        const struct gate_source *after = &comparison->after->source[i];
        const struct gate_source *before = find_source(comparison->before, &names, after->path);
        if (before != NULL)
            find_in(comparison, before, after, places);
    }
    free(names.slot);
    free(places[0].place);
    free(places[1].place);
}

/* ---- order */

struct top {
    bool renamed;
    amount most, own; /* own: of the line; most: of its routine, if that is more */
    size_t number;
};

static int order_top(const void *a, const void *b)
{
    const struct top *one = a, *other = b;
    if (one->renamed != other->renamed)
        return one->renamed ? 1 : -1;
    if (one->most != other->most)
        return one->most > other->most ? -1 : 1;
    if (one->own != other->own)
        return one->own > other->own ? -1 : 1;
    return (one->number > other->number) - (one->number < other->number);
}

size_t changed_top(const struct comparison *comparison, int event, bool falls, size_t *number, size_t room)
{
    size_t n = comparison->n_changed;
    struct top *top = memory_more(NULL, n + 1, sizeof *top);
    for (size_t i = 0; i < n; i++) {
        const struct changed_line *changed = &comparison->changed[i];
        amount around = compare_routine_rise(comparison, changed->routine, event, falls);
        amount own = fmaxl(0, compare_line_rise(comparison, changed->file, changed->line,
                                                changed->line_before, event, falls));
        top[i] = (struct top){changed->renamed, fmaxl(own, around), own, i};
    }
    if (n > 1)
        qsort(top, n, sizeof *top, order_top);
    n = n < room ? n : room;
    for (size_t i = 0; i < n; i++)
        number[i] = top[i].number;
    free(top);
    return n;
}

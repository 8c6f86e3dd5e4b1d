/* SPDX-License-Identifier: BSD-3-Clause */
#include "compare.h"
#include "base/nearest.h"
#include "changed.h"
#include "tools/common/allocate.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static __attribute__((format(printf, 2, 3))) void note(struct comparison *comparison, const char *format, ...)
{
    va_list arguments;
    MEMORY_ONE_MORE(comparison->note, comparison->n_notes, comparison->room_notes);
    va_start(arguments, format);
    comparison->note[comparison->n_notes++] = memory_print_list(format, arguments);
    va_end(arguments);
}

/* ---- events */

static int find_event(const struct counts *counts, const char *name)
{
    for (int i = 0; i < counts->n_events; i++)
        if (strcmp(counts->event[i], name) == 0)
            return i;
    return -1;
}

static const char *model_of(const struct counts *counts)
{
    return counts->model != NULL ? counts->model : "";
}

/* True if an event is not compared, as it was estimated by two models, or by one alone. */
static bool has_other_model(struct comparison *comparison, const char *event)
{
    const char *before = model_of(comparison->before), *after = model_of(comparison->after);
    if (strcmp(event, GATE_TIME) != 0 || strcmp(before, after) == 0)
        return false;
    note(comparison,
         "%s is not compared: it is by the model %s before, by %s now; \"papi_gate record\" again, or choose "
         "the same by --model",
         event, before[0] != '\0' ? before : "none", after[0] != '\0' ? after : "none");
    return true;
}

static void pair_events(struct comparison *comparison)
{
    for (int i = 0; i < comparison->after->n_events; i++) {
        if (has_other_model(comparison, comparison->after->event[i]))
            continue;
        int before = find_event(comparison->before, comparison->after->event[i]);
        if (before < 0) {
            note(comparison, "%s was not counted before: it is not compared", comparison->after->event[i]);
            continue;
        }
        comparison->event[comparison->n_events] = comparison->after->event[i];
        comparison->at_before[comparison->n_events] = before;
        comparison->at_after[comparison->n_events++] = i;
    }
    for (int i = 0; i < comparison->before->n_events; i++)
        if (find_event(comparison->after, comparison->before->event[i]) < 0 &&
            !has_other_model(comparison, comparison->before->event[i]))
            note(comparison, "%s was counted before and is not now", comparison->before->event[i]);
}

int compare_event(const struct comparison *comparison, const char *name)
{
    const char *colons = strstr(name, "::");
    if (colons != NULL)
        name = colons + 2;
    for (int i = 0; i < comparison->n_events; i++)
        if (strcasecmp(comparison->event[i], name) == 0)
            return i;
    return -1;
}

char *compare_stranger(const struct comparison *comparison, const char *name)
{
    struct nearest nearest;
    char text[NEAREST_TEXT];
    nearest_begin(&nearest, name);
    for (int i = 0; i < comparison->n_events; i++)
        nearest_try(&nearest, comparison->event[i]);
    return memory_print("%s is not among the events that both results have%s", name,
                        nearest_text(&nearest, text));
}

/* Events that a program should do less of: others are shown, not judged. */
static const char *const usual[] = {
    "INSTRUCTIONS",
    "FP_OPS",
    "FP_DIVIDE_INSTRUCTIONS",
    "FP_SQRT_INSTRUCTIONS",
    "LOADS",
    "STORES",
    "BRANCHES",
    "CALLS",
    "SYSTEM_CALLS",
    GATE_TIME,
    NULL,
};

bool compare_has_judged(const struct comparison *comparison)
{
    bool unknown = false;
    for (size_t i = 0; i < comparison->n_changes; i++) {
        const struct change *change = &comparison->change[i];
        if (change->verdict != VERDICT_UNKNOWN && (change->before != 0 || change->after != 0))
            return true;
        unknown |= change->verdict == VERDICT_UNKNOWN;
    }
    return comparison->n_changes > 0 && !unknown;
}

bool compare_judges(const char *event, const char *const *judged)
{
    if (judged == NULL)
        judged = usual;
    for (; *judged != NULL; judged++)
        if (strcasecmp(*judged, event) == 0)
            return true;
    return strstr(event, "MISSES") != NULL;
}

/* ---- routines */

static void put_index(struct hash_table *index, uint64_t hash, size_t number)
{
    if (!hash_grow(index))
        memory_is_out();
    hash_put(index, hash, number + 1);
}

/* Makes the index of routines by their names. */
static void index_routines(struct hash_table *index, const struct counts *counts)
{
    for (size_t i = 0; i < counts->n_routines; i++)
        put_index(index, hash_text(counts->routine[i].name), i);
}

/* The routine of that name in one of the results, of the same object if there is one. */
static const struct gate_routine *find_routine(const struct comparison *comparison,
                                               const struct counts *counts, const struct gate_routine *like)
{
    const struct hash_table *index =
        counts == comparison->before ? &comparison->names_before : &comparison->names_after;
    const struct gate_routine *other = NULL;
    uintptr_t found;
    for (size_t at = 0; (found = hash_next(index, hash_text(like->name), &at)) != 0;) {
        const struct gate_routine *routine = &counts->routine[found - 1];
        if (strcmp(routine->name, like->name) != 0)
            continue;
        if (strcmp(routine->object, like->object) == 0)
            return routine;
        other = routine;
    }
    return other;
}

static uint64_t hash_counts(const struct comparison *comparison, const struct gate_routine *routine,
                            const int *at)
{
    uint64_t hash = HASH_OF_NOTHING;
    for (int i = 0; i < comparison->n_events; i++)
        hash = hash_more(hash, &routine->count[at[i]].value, sizeof routine->count[at[i]].value);
    return hash;
}

/* Finds the routines before that have no successor. */
static void index_orphans(struct comparison *comparison)
{
    for (size_t i = 0; i < comparison->before->n_routines; i++) {
        const struct gate_routine *routine = &comparison->before->routine[i];
        if (find_routine(comparison, comparison->after, routine) == NULL)
            put_index(&comparison->orphans, hash_counts(comparison, routine, comparison->at_before), i);
    }
}

static bool counts_equal(const struct comparison *comparison, const struct gate_routine *before,
                         const struct gate_routine *after)
{
    for (int i = 0; i < comparison->n_events; i++)
        if (before->count[comparison->at_before[i]].value != after->count[comparison->at_after[i]].value)
            return false;
    return true;
}

/* The one routine without a successor that has the same counts; NULL: none, or several. */
static const struct gate_routine *find_renamed(const struct comparison *comparison,
                                               const struct gate_routine *after)
{
    const struct gate_routine *found = NULL;
    uint64_t hash = hash_counts(comparison, after, comparison->at_after);
    uintptr_t number;
    for (size_t at = 0; (number = hash_next(&comparison->orphans, hash, &at)) != 0;) {
        const struct gate_routine *routine = &comparison->before->routine[number - 1];
        if (!counts_equal(comparison, routine, after))
            continue;
        if (found != NULL)
            return NULL;
        found = routine;
    }
    return found;
}

static void add_routine(struct comparison *comparison, const struct gate_routine *before,
                        const struct gate_routine *after)
{
    MEMORY_ONE_MORE(comparison->routine, comparison->n_routines, comparison->room_routines);
    struct routine_change *change = &comparison->routine[comparison->n_routines++];
    const struct gate_routine *named = after != NULL ? after : before;
    *change = (struct routine_change){.name = named->name, .object = named->object};
    put_index(&comparison->changes, hash_text(named->name), comparison->n_routines - 1);
    if (before != NULL && after != NULL && strcmp(before->name, after->name) != 0)
        change->name_before = before->name;
    for (int i = 0; i < comparison->n_events; i++) {
        change->before[i] = before != NULL ? before->count[comparison->at_before[i]].value : 0;
        change->after[i] = after != NULL ? after->count[comparison->at_after[i]].value : 0;
    }
}

static void pair_routines(struct comparison *comparison)
{
    const struct counts *before = comparison->before, *after = comparison->after;
    bool *taken = memory_more(NULL, before->n_routines + 1, sizeof *taken);
    memset(taken, 0, before->n_routines + 1);
    index_orphans(comparison);
    for (size_t i = 0; i < after->n_routines; i++) {
        const struct gate_routine *was = find_routine(comparison, before, &after->routine[i]);
        if (was == NULL)
            was = find_renamed(comparison, &after->routine[i]);
        if (was != NULL && taken[was - before->routine])
            was = NULL;
        if (was != NULL)
            taken[was - before->routine] = true;
        add_routine(comparison, was, &after->routine[i]);
    }
    for (size_t i = 0; i < before->n_routines; i++)
        if (!taken[i])
            add_routine(comparison, &before->routine[i], NULL);
    free(taken);
}

/* ---- lines: those of a file, of all routines together, as compilers put functions into others */

struct file_line {
    const char *file, *routine, *text;
    int line;
    uint64_t count[GATE_EVENTS];
};

struct file_lines {
    struct file_line *line;
    size_t n, room;
};

static int order_lines(const void *a, const void *b)
{
    const struct file_line *one = a, *other = b;
    int order = counts_order(one->file, one->line, other->file, other->line);
    return order != 0 ? order : strcmp(one->file, other->file);
}

static struct file_lines gather_lines(const struct counts *counts, const int *at, int n_events)
{
    struct file_lines lines = {.n = 0};
    for (size_t i = 0; i < counts->n_routines; i++)
        for (size_t j = 0; j < counts->routine[i].n_lines; j++) {
            const struct gate_line *from = &counts->routine[i].line[j];
            MEMORY_ONE_MORE(lines.line, lines.n, lines.room);
            struct file_line *line = &lines.line[lines.n++];
            *line = (struct file_line){from->file, counts->routine[i].name, from->text, from->line, {0}};
            for (int k = 0; k < n_events; k++)
                line->count[k] = from->count[at[k]].value;
        }
    if (lines.n > 1)
        qsort(lines.line, lines.n, sizeof *lines.line, order_lines);
    return lines;
}

/* Makes one of the entries of a line, which has the name of the routine with most of the first event. */
static void merge_lines(struct file_lines *lines, int n_events)
{
    size_t n = 0;
    uint64_t most = 0;
    for (size_t i = 0; i < lines->n; i++) {
        struct file_line *last = n > 0 ? &lines->line[n - 1] : NULL, *from = &lines->line[i];
        if (last == NULL || order_lines(last, from) != 0 ||
            (from->line == 0 && strcmp(last->routine, from->routine) != 0)) {
            most = from->count[0];
            lines->line[n++] = *from;
            continue;
        }
        if (from->count[0] > most) {
            most = from->count[0];
            last->routine = from->routine;
        }
        for (int k = 0; k < n_events; k++)
            last->count[k] += from->count[k];
    }
    lines->n = n;
}

static bool same_line(const struct file_line *one, const struct file_line *other)
{
    if (one->line == 0 || other->line == 0)
        return one->line == other->line && strcmp(one->routine, other->routine) == 0;
    if (one->text[0] != '\0' && other->text[0] != '\0')
        return strcmp(one->text, other->text) == 0;
    return one->line == other->line;
}

static uint64_t hash_place(const char *file, int line, int line_before)
{
    int number = line > 0 ? line : -line_before;
    return hash_more(hash_text(path_base(file)), &number, sizeof number);
}

static void add_line(struct comparison *comparison, const struct file_line *before,
                     const struct file_line *after)
{
    MEMORY_ONE_MORE(comparison->line, comparison->n_lines, comparison->room_lines);
    struct line_change *change = &comparison->line[comparison->n_lines++];
    const struct file_line *named = after != NULL ? after : before;
    *change = (struct line_change){.routine = named->routine,
                                   .file = named->file,
                                   .text = named->text,
                                   .text_before = before != NULL ? before->text : "",
                                   .line = after != NULL ? after->line : 0,
                                   .line_before = before != NULL ? before->line : 0};
    put_index(&comparison->places, hash_place(change->file, change->line, change->line_before),
              comparison->n_lines - 1);
    for (int k = 0; k < comparison->n_events; k++) {
        change->before[k] = before != NULL ? before->count[k] : 0;
        change->after[k] = after != NULL ? after->count[k] : 0;
    }
}

/* Adds what lies between two lines that are the same: in order, as far as both have any. */
static void add_gap(struct comparison *comparison, const struct file_line *before, size_t n_before,
                    const struct file_line *after, size_t n_after)
{
    for (size_t i = 0; i < n_before || i < n_after; i++)
        add_line(comparison, i < n_before ? &before[i] : NULL, i < n_after ? &after[i] : NULL);
}

/* The longest common sequence, by the table of its lengths from each pair on: enough for the lines of a file
 * that have counts. Beyond that, lines are paired by their order. */
static void align_middle(struct comparison *comparison, const struct file_line *before, size_t n,
                         const struct file_line *after, size_t m)
{
    enum { MOST_CELLS = 64 << 20 };
    if (n == 0 || m == 0 || (n + 1) > MOST_CELLS / (m + 1)) {
        add_gap(comparison, before, n, after, m);
        return;
    }
    uint32_t *length = memory_more(NULL, (n + 1) * (m + 1), sizeof *length);
    memset(length, 0, (n + 1) * (m + 1) * sizeof *length);
#define LENGTH(i, j) length[(i) * (m + 1) + (j)]
    for (size_t i = n; i-- > 0;)
        for (size_t j = m; j-- > 0;)
            LENGTH(i, j) = same_line(&before[i], &after[j])       ? LENGTH(i + 1, j + 1) + 1
                           : LENGTH(i + 1, j) >= LENGTH(i, j + 1) ? LENGTH(i + 1, j)
                                                                  : LENGTH(i, j + 1);
    size_t i = 0, j = 0, gap_i = 0, gap_j = 0;
    while (i < n && j < m) {
        if (same_line(&before[i], &after[j])) {
            add_gap(comparison, before + gap_i, i - gap_i, after + gap_j, j - gap_j);
            add_line(comparison, &before[i], &after[j]);
            gap_i = ++i;
            gap_j = ++j;
        } else if (LENGTH(i + 1, j) >= LENGTH(i, j + 1)) {
            i++;
        } else {
            j++;
        }
    }
#undef LENGTH
    add_gap(comparison, before + gap_i, n - gap_i, after + gap_j, m - gap_j);
    free(length);
}

/* Pairs the lines of a file. Those that are the same at its beginning and end need no table: a change is in
 * the middle, which is short in a file of any length. */
static void align(struct comparison *comparison, const struct file_line *before, size_t n,
                  const struct file_line *after, size_t m)
{
    size_t head = 0, tail = 0;
    while (head < n && head < m && same_line(&before[head], &after[head]))
        head++;
    while (head + tail < n && head + tail < m && same_line(&before[n - 1 - tail], &after[m - 1 - tail]))
        tail++;
    for (size_t i = 0; i < head; i++)
        add_line(comparison, &before[i], &after[i]);
    align_middle(comparison, before + head, n - head - tail, after + head, m - head - tail);
    for (size_t i = tail; i > 0; i--)
        add_line(comparison, &before[n - i], &after[m - i]);
}

static size_t end_of_file(const struct file_lines *lines, size_t from)
{
    size_t end = from;
    while (end < lines->n && strcmp(path_base(lines->line[end].file), path_base(lines->line[from].file)) == 0)
        end++;
    return end;
}

static void pair_lines(struct comparison *comparison)
{
    struct file_lines before = gather_lines(comparison->before, comparison->at_before, comparison->n_events);
    struct file_lines after = gather_lines(comparison->after, comparison->at_after, comparison->n_events);
    size_t i = 0, j = 0;
    merge_lines(&before, comparison->n_events);
    merge_lines(&after, comparison->n_events);
    while (i < before.n || j < after.n) {
        int order = i == before.n  ? 1
                    : j == after.n ? -1
                                   : strcmp(path_base(before.line[i].file), path_base(after.line[j].file));
        size_t end_i = order <= 0 ? end_of_file(&before, i) : i,
               end_j = order >= 0 ? end_of_file(&after, j) : j;
        align(comparison, before.line + i, end_i - i, after.line + j, end_j - j);
        i = end_i;
        j = end_j;
    }
    free(before.line);
    free(after.line);
}

/* ---- judgement */

enum gate_verdict compare_verdict(amount before, amount after, const struct limit *limit, amount least)
{
    amount change = after - before, allowed = limit->share * before + limit->absolute;
    if (limit->share > 0)
        allowed = fmaxl(allowed, least);
    if (change == 0)
        return VERDICT_SAME;
    if (fabsl(change) <= allowed)
        return VERDICT_WITHIN;
    if (change > 0)
        return VERDICT_ABOVE;
    return limit->both ? VERDICT_BELOW : VERDICT_FELL;
}

static void add_change(struct comparison *comparison, struct change change, amount least)
{
    if (change.limit == NULL || change.limit->ignored)
        return;
    if (change.verdict != VERDICT_UNKNOWN)
        change.verdict = compare_verdict(change.before, change.after, change.limit, least);
    MEMORY_ONE_MORE(comparison->change, comparison->n_changes, comparison->room_changes);
    comparison->change[comparison->n_changes++] = change;
    comparison->n_failed += change.verdict == VERDICT_ABOVE || change.verdict == VERDICT_BELOW;
}

/* A routine's counts of an event in both results; NULL: it is not in one of them. */
struct pair {
    const struct count *before, *after;
    bool varies, ignored; /* in one of the results; by a rule */
};

static struct pair pair_of(const struct comparison *comparison, const struct limits *limits,
                           const struct routine_change *routine, int event)
{
    const struct gate_routine key = {.name = routine->name, .object = routine->object},
                              key_before = {.name = routine->name_before, .object = routine->object};
    const struct gate_routine *after = find_routine(comparison, comparison->after, &key);
    const struct gate_routine *before =
        find_routine(comparison, comparison->before, routine->name_before != NULL ? &key_before : &key);
    const struct limit *limit = limits_find(limits, SCOPE_ROUTINE, routine->name, comparison->event[event]);
    int at_before = comparison->at_before[event], at_after = comparison->at_after[event];
    return (struct pair){.before = before != NULL ? &before->count[at_before] : NULL,
                         .after = after != NULL ? &after->count[at_after] : NULL,
                         .varies =
                             (before != NULL && counts_vary(comparison->before, before->count, at_before)) ||
                             (after != NULL && counts_vary(comparison->after, after->count, at_after)),
                         .ignored = limit != NULL && limit->ignored};
}

/* A count that varied by more than a factor of two may be anything next time: that of a loop that waits. */
static bool is_wild(const struct count *count)
{
    return count->most / 2 > count->least;
}

/* Judges a routine's count that varies by its ranges: one is above its limit that is, at the least, more than
 * twice the most before, as a few runs do not show all that it may be; the most before, where it did not vary
 * then. */
static void judge_range(struct comparison *comparison, const struct limits *limits, const struct pair *pair,
                        struct change change, amount least)
{
    static const struct count none;
    const struct count *before = pair->before != NULL ? pair->before : &none,
                       *after = pair->after != NULL ? pair->after : &none;
    change.limit = limits_find(limits, SCOPE_ROUTINE, change.name, change.event);
    if (change.limit == NULL)
        change.limit = limits_find(limits, SCOPE_TOTAL, "", change.event);
    struct limit wide = *change.limit;
    if (before->most != before->least)
        wide.absolute += (amount)before->most;
    change.before = (amount)before->most;
    change.after = (amount)after->least;
    if (!is_wild(before) && !wide.ignored &&
        compare_verdict(change.before, change.after, &wide, least) == VERDICT_ABOVE)
        add_change(comparison, change, least);
}

/* Changes up to this are within any limit that is a share: of the program, and of a region. Counts are
 * measured by the program's instructions, time by its time. */
static double floor_of(const struct comparison *comparison, const struct limits *limits, const char *of)
{
    int event = compare_event(comparison, strcmp(of, GATE_TIME) == 0 ? of : "INSTRUCTIONS");
    double instructions = 0;
    for (size_t i = 0; event >= 0 && i < comparison->n_routines; i++)
        instructions += (double)comparison->routine[i].before[event];
    return limits_floor(limits, of, instructions);
}

static void judge_totals(struct comparison *comparison, const struct limits *limits, int event, amount least)
{
    struct change total = {.scope = SCOPE_TOTAL, .name = "", .event = comparison->event[event]};
    for (size_t i = 0; i < comparison->n_routines; i++) {
        const struct routine_change *routine = &comparison->routine[i];
        struct pair pair = pair_of(comparison, limits, routine, event);
        struct change change = {.scope = SCOPE_ROUTINE, .name = routine->name, .event = total.event};
        if (pair.varies && !pair.ignored && strcmp(total.event, GATE_TIME) != 0) /* which is made of counts */
            judge_range(comparison, limits, &pair, change, least);
        if (pair.varies || pair.ignored) {
            total.left_out += fmaxl((amount)routine->before[event], (amount)routine->after[event]);
            continue;
        }
        total.before += routine->before[event];
        total.after += routine->after[event];
        change.before = routine->before[event];
        change.after = routine->after[event];
        change.limit = limits_find(limits, SCOPE_ROUTINE, routine->name, total.event);
        add_change(comparison, change, least);
    }
    total.limit = limits_find(limits, SCOPE_TOTAL, "", total.event);
    if (total.left_out > 0 && total.after == 0)
        total.verdict = VERDICT_UNKNOWN;
    add_change(comparison, total, least);
}

static double floor_of_region(const struct comparison *comparison, const struct limits *limits,
                              const struct gate_region *before, const char *of)
{
    int event = compare_event(comparison, "INSTRUCTIONS");
    return event >= 0 ? limits_floor(limits, of, (double)before->count[comparison->at_before[event]].value)
                      : 0;
}

/* Events that papi_gate has all regions count; those of benches are counted, too. */
static const char *const regional[] = {
    "INSTRUCTIONS", "FP_OPS", "FP_DIVIDE_INSTRUCTIONS", "FP_SQRT_INSTRUCTIONS", "LOADS", "STORES",
    "BRANCHES",     "CALLS"};

/* True if an event is one that regions have: 0 of any other is no count. */
static bool is_regional(const struct comparison *comparison, int event)
{
    const struct counts *before = comparison->before, *after = comparison->after;
    for (size_t i = 0; i < sizeof regional / sizeof *regional; i++)
        if (strcmp(comparison->event[event], regional[i]) == 0)
            return true;
    for (size_t i = 0; i < before->n_regions; i++)
        if (before->region[i].count[comparison->at_before[event]].most != 0)
            return true;
    for (size_t i = 0; i < after->n_regions; i++)
        if (after->region[i].count[comparison->at_after[event]].most != 0)
            return true;
    return false;
}

/* Says which rules ask of regions what these do not count. */
static void note_unregional(struct comparison *comparison, const struct limits *limits)
{
    for (size_t i = 0; i < limits->n; i++) {
        const struct limit_rule *rule = &limits->rule[i];
        int event =
            rule->event != NULL && rule->scope == SCOPE_REGION ? compare_event(comparison, rule->event) : -1;
        if (event >= 0 && !is_regional(comparison, event))
            note(comparison, "a limit has no effect: regions do not count %s", comparison->event[event]);
    }
}

static void judge_regions(struct comparison *comparison, const struct limits *limits, int event)
{
    if (!is_regional(comparison, event))
        return;
    for (size_t i = 0; i < comparison->after->n_regions; i++) {
        const struct gate_region *after = &comparison->after->region[i];
        const struct gate_region *before = counts_find_region(comparison->before, after->name);
        if (before == NULL)
            continue;
        const struct count *was = &before->count[comparison->at_before[event]],
                           *is = &after->count[comparison->at_after[event]];
        if (was->estimated !=
            is->estimated) /* the result before is of a papi_gate that did not estimate it */
            continue;
        struct change change = {
            .scope = SCOPE_REGION, .name = after->name, .event = comparison->event[event]};
        change.before = (amount)was->value;
        change.after = (amount)is->value;
        change.limit = limits_find(limits, SCOPE_REGION, after->name, change.event);
        if (count_varies(was) || count_varies(is))
            change.verdict = VERDICT_UNKNOWN;
        add_change(comparison, change, floor_of_region(comparison, limits, before, change.event));
    }
}

/* ---- what varies, and what is not alike */

/* True if an estimate that is off is worth a line: not where it could only be a hundredth of the whole. */
static bool is_named(const struct counts *counts, const struct count *count, int event)
{
    amount whole = 0;
    for (size_t i = 0; i < counts->n_routines && count->estimated; i++)
        whole += (amount)counts->routine[i].count[event].value;
    return count_varies(count) && (!count->estimated || (amount)count->most > whole / 100);
}

static uint64_t spread(const struct count *count)
{
    return count->most - count->least;
}

static const struct gate_line *varies_most(const struct gate_routine *routine, int event)
{
    const struct gate_line *found = NULL;
    for (size_t i = 0; i < routine->n_lines; i++) {
        const struct gate_line *line = &routine->line[i];
        if (line->line > 0 &&
            spread(&line->count[event]) > (found != NULL ? spread(&found->count[event]) : 0))
            found = line;
    }
    return found;
}

/* The same of the other result. */
static struct varying *find_varying(const struct comparison *comparison, const struct gate_routine *routine,
                                    const char *event)
{
    uintptr_t found;
    for (size_t at = 0; (found = hash_next(&comparison->variations, hash_text(routine->name), &at)) != 0;) {
        struct varying *varying = &comparison->varying[found - 1];
        if (strcmp(varying->event, event) == 0 && strcmp(varying->name, routine->name) == 0 &&
            strcmp(varying->object, routine->object) == 0)
            return varying;
    }
    return NULL;
}

/* Notes what varies in one of the results; the line is that of the last. */
static void note_varying(struct comparison *comparison, const struct counts *counts)
{
    for (size_t i = 0; i < counts->n_routines; i++)
        for (int k = 0; k < counts->n_events; k++) {
            const struct gate_routine *routine = &counts->routine[i];
            if (!is_named(counts, &routine->count[k], k))
                continue;
            struct varying *known = find_varying(comparison, routine, counts->event[k]);
            if (known != NULL) {
                known->least = fminl(known->least, (amount)routine->count[k].least);
                known->most = fmaxl(known->most, (amount)routine->count[k].most);
                known->where = varies_most(routine, k);
                continue;
            }
            MEMORY_ONE_MORE(comparison->varying, comparison->n_varying, comparison->room_varying);
            put_index(&comparison->variations, hash_text(routine->name), comparison->n_varying);
            comparison->varying[comparison->n_varying++] =
                (struct varying){.name = routine->name,
                                 .object = routine->object,
                                 .event = counts->event[k],
                                 .least = (amount)routine->count[k].least,
                                 .most = (amount)routine->count[k].most,
                                 .where = varies_most(routine, k)};
        }
}

static const struct gate_object *find_object(const struct counts *counts, const char *name)
{
    for (size_t i = 0; i < counts->n_objects; i++)
        if (strcmp(counts->object[i].name, name) == 0)
            return &counts->object[i];
    return NULL;
}

static bool same_command(char *const *one, char *const *other)
{
    size_t i = 0;
    if (one == NULL || other == NULL)
        return one == other;
    while (one[i] != NULL && other[i] != NULL && (i == 0 || strcmp(one[i], other[i]) == 0))
        i++;
    return one[i] == NULL && other[i] == NULL;
}

static void note_objects(struct comparison *comparison)
{
    for (size_t i = 0; i < comparison->after->n_objects; i++) {
        const struct gate_object *after = &comparison->after->object[i];
        const struct gate_object *before = find_object(comparison->before, after->name);
        if (before != NULL && strcmp(before->compiler, after->compiler) != 0)
            note(comparison,
                 "%s was built by \"%s\" before, by \"%s\" now: counts of other compilers or flags differ",
                 after->name, before->compiler, after->compiler);
    }
    for (size_t i = 0; i < comparison->before->n_objects; i++)
        if (find_object(comparison->after, comparison->before->object[i].name) == NULL)
            note(
                comparison,
                "%s counted before and does not now: build it by papi_counted, or \"papi_gate record\" again "
                "if it is not needed any more",
                comparison->before->object[i].name);
}

static bool has_input(const struct counts *counts, const char *path)
{
    for (size_t i = 0; i < counts->n_inputs; i++)
        if (strcmp(path_base(counts->input[i].path), path_base(path)) == 0)
            return true;
    return false;
}

static void note_inputs(struct comparison *comparison)
{
    for (size_t i = 0; i < comparison->after->n_inputs; i++)
        for (size_t j = 0; j < comparison->before->n_inputs; j++) {
            const struct gate_input *after = &comparison->after->input[i],
                                    *before = &comparison->before->input[j];
            if (strcmp(path_base(after->path), path_base(before->path)) == 0 &&
                strcmp(after->hash, before->hash) != 0)
                note(comparison, "the input %s is not the same as before", after->path);
        }
    for (size_t j = 0; j < comparison->before->n_inputs; j++)
        if (!has_input(comparison->after, comparison->before->input[j].path))
            note(comparison, "the input %s, which the baseline names, is not there: it was not compared",
                 comparison->before->input[j].path);
}

/* The sum over all routines, those that vary included. */
static uint64_t all_of(const struct counts *counts, int event)
{
    uint64_t varying = 0, steady = counts_total(counts, event, &varying);
    return steady + varying;
}

/* Says that the processor was busy for much longer than the counts tell, by a factor that no busy machine
 * has: the only trace of work that is not counted. */
static void note_processor_time(struct comparison *comparison)
{
    enum { FACTOR = 2 };
    const double least = 0.1; /* seconds: below that it is the start of the process */
    const struct counts *before = comparison->before, *after = comparison->after;
    int was = find_event(before, "INSTRUCTIONS"), is = find_event(after, "INSTRUCTIONS");
    if (before->processor_seconds <= 0 || was < 0 || is < 0 ||
        strcmp(before->processor, after->processor) != 0)
        return;
    double most = fmax(1, (double)all_of(before, was)),
           expected = before->processor_seconds * (double)all_of(after, is) / most;
    if (after->processor_seconds > FACTOR * expected && after->processor_seconds > expected + least)
        note(comparison,
             "processor time was %.2f s before and is %.2f s, which counts do not explain: work may be in "
             "code that is "
             "not counted (libraries, the kernel, other programs); \"papi_counted --share COMMAND\" says "
             "where",
             before->processor_seconds, after->processor_seconds);
}

/* Says of which regions the time is not told, where that of routines is: of the first by name. */
static void note_untimed(struct comparison *comparison)
{
    const struct counts *after = comparison->after;
    const struct gate_region *first = NULL;
    size_t n = 0;
    for (size_t i = 0; i < after->n_regions; i++)
        if (after->region[i].no_time[0] != '\0' && n++ == 0)
            first = &after->region[i];
    if (n == 1)
        note(comparison, GATE_TIME " of region %s is not estimated: %s", first->name, first->no_time);
    else if (n > 1)
        note(comparison, GATE_TIME " of %zu regions (%s) is not estimated: %s", n, first->name,
             first->no_time);
    if (after->no_time != NULL && after->no_time[0] != '\0')
        note(comparison, GATE_TIME " is not estimated: %s", after->no_time);
}

/* Says which regions have nothing to be compared with: no limit of theirs is looked at. */
static void note_regions(struct comparison *comparison)
{
    const struct counts *before = comparison->before, *after = comparison->after;
    for (size_t i = 0; i < before->n_regions; i++)
        if (counts_find_region(after, before->region[i].name) == NULL)
            note(comparison, "region %s was there before and is not now: it is not judged",
                 before->region[i].name);
    for (size_t i = 0; i < after->n_regions; i++)
        if (counts_find_region(before, after->region[i].name) == NULL)
            note(comparison, "region %s was not there before: it is not judged", after->region[i].name);
}

static void note_differences(struct comparison *comparison)
{
    const struct counts *before = comparison->before, *after = comparison->after;
    if (strcmp(before->mode, after->mode) != 0)
        note(comparison, "the result before is of a run that was %s, this one of one that was %s",
             before->mode, after->mode);
    if (!same_command(before->command, after->command))
        note(comparison, "the command has other arguments than before");
    if (before->ranks != after->ranks)
        note(comparison, "%d ranks before, %d now", before->ranks, after->ranks);
    else if (before->processes != after->processes)
        note(comparison, "%d counted processes before, %d now", before->processes, after->processes);
    if (after->newer != NULL)
        note(comparison, COMPARE_STALE, after->newer, after->older);
    note_objects(comparison);
    note_inputs(comparison);
    note_processor_time(comparison);
    note_regions(comparison);
    note_untimed(comparison);
}

/* Says which rules can hold for nothing: a limit with a wrong name would be thought to hold. */
static void note_stray_limits(struct comparison *comparison, const struct limits *limits)
{
    for (size_t i = 0; i < limits->n; i++) {
        const char *event = limits->rule[i].event;
        if (event == NULL || compare_event(comparison, event) >= 0)
            continue;
        char *stranger = compare_stranger(comparison, event);
        note(comparison, "a limit has no effect: %s", stranger);
        free(stranger);
    }
}

static bool fits_any(const struct limit_rule *rule, const struct counts *counts)
{
    bool regions = rule->scope == SCOPE_REGION;
    size_t n = regions ? counts->n_regions : counts->n_routines;
    for (size_t i = 0; i < n; i++)
        if (limit_names(rule, regions ? counts->region[i].name : counts->routine[i].name))
            return true;
    return false;
}

/* Says which rules are of regions and routines that neither result has. */
static void note_stray_places(struct comparison *comparison, const struct limits *limits)
{
    for (size_t i = 0; i < limits->n; i++) {
        const struct limit_rule *rule = &limits->rule[i];
        if (rule->name == NULL || fits_any(rule, comparison->after))
            continue;
        const char *place = rule->scope == SCOPE_REGION ? "region" : "routine";
        if (!fits_any(rule, comparison->before))
            note(comparison, "a limit has no effect: there is no %s %s", place, rule->name);
        else if (rule->scope == SCOPE_ROUTINE && !rule->limit.ignored)
            note(comparison,
                 "a limit has no effect now: routine %s has another name, or is a part of those that "
                 "called it",
                 rule->name);
    }
}

void compare(struct comparison *comparison, const struct counts *before, const struct counts *after,
             const struct limits *limits, const char *const *judged)
{
    *comparison = (struct comparison){.before = before, .after = after};
    note_differences(comparison);
    pair_events(comparison);
    note_stray_limits(comparison, limits);
    index_routines(&comparison->names_before, before);
    index_routines(&comparison->names_after, after);
    note_stray_places(comparison, limits);
    note_unregional(comparison, limits);
    pair_routines(comparison);
    pair_lines(comparison);
    changed_find(comparison);
    for (int i = 0; i < comparison->n_events; i++) {
        if (!compare_judges(comparison->event[i], judged))
            continue;
        double least = floor_of(comparison, limits, comparison->event[i]);
        judge_totals(comparison, limits, i, least);
        judge_regions(comparison, limits, i);
    }
    note_varying(comparison, before);
    note_varying(comparison, after);
}

/* ---- */

static amount rise(const uint64_t *before, const uint64_t *after, int event, bool falls)
{
    amount rose = (amount)after[event] - (amount)before[event];
    return falls ? -rose : rose;
}

amount compare_routine_rise(const struct comparison *comparison, const char *name, int event, bool falls)
{
    amount sum = 0;
    uintptr_t found;
    for (size_t at = 0; (found = hash_next(&comparison->changes, hash_text(name), &at)) != 0;) {
        const struct routine_change *routine = &comparison->routine[found - 1];
        if (strcmp(routine->name, name) == 0)
            sum += rise(routine->before, routine->after, event, falls);
    }
    return sum;
}

amount compare_line_rise(const struct comparison *comparison, const char *file, int line, int line_before,
                         int event, bool falls)
{
    amount sum = 0;
    uintptr_t found;
    uint64_t hash = hash_place(file, line, line_before);
    for (size_t at = 0; (found = hash_next(&comparison->places, hash, &at)) != 0;) {
        const struct line_change *one = &comparison->line[found - 1];
        bool is_it = line > 0 ? one->line == line : one->line == 0 && one->line_before == line_before;
        if (is_it && strcmp(path_base(one->file), path_base(file)) == 0)
            sum += rise(one->before, one->after, event, falls);
    }
    return sum;
}

/* Part of a rise that a line can be the reason for. Compilers make blocks anew, whose counts then go to other
 * lines of the same routine: no line has more to do with it than its routine rose. */
static amount weight_of(const struct comparison *comparison, const struct line_change *line, int event,
                        bool falls)
{
    amount rose = rise(line->before, line->after, event, falls);
    return rose <= 0 ? 0 : fminl(rose, compare_routine_rise(comparison, line->routine, event, falls));
}

struct top_line {
    amount weight, rose;
    size_t number;
};

static int order_top(const void *a, const void *b)
{
    const struct top_line *one = a, *other = b;
    if (one->weight != other->weight)
        return one->weight > other->weight ? -1 : 1;
    if (one->rose != other->rose)
        return one->rose > other->rose ? -1 : 1;
    return (one->number > other->number) - (one->number < other->number);
}

size_t compare_top_lines(const struct comparison *comparison, int event, bool falls, size_t *number,
                         size_t room)
{
    size_t n = 0;
    struct top_line *top = memory_more(NULL, comparison->n_lines + 1, sizeof *top);
    for (size_t i = 0; i < comparison->n_lines; i++) {
        const struct line_change *line = &comparison->line[i];
        amount rose = rise(line->before, line->after, event, falls);
        if (rose > 0)
            top[n++] = (struct top_line){weight_of(comparison, line, event, falls), rose, i};
    }
    if (n > 1)
        qsort(top, n, sizeof *top, order_top);
    n = n < room ? n : room;
    for (size_t i = 0; i < n; i++)
        number[i] = top[i].number;
    free(top);
    return n;
}

void compare_free(struct comparison *comparison)
{
    for (size_t i = 0; i < comparison->n_notes; i++)
        free(comparison->note[i]);
    free(comparison->note);
    free(comparison->change);
    free(comparison->line);
    free(comparison->changed);
    free(comparison->routine);
    free(comparison->varying);
    free(comparison->names_before.slot);
    free(comparison->names_after.slot);
    free(comparison->orphans.slot);
    free(comparison->changes.slot);
    free(comparison->places.slot);
    free(comparison->variations.slot);
    *comparison = (struct comparison){.n_events = 0};
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "history.h"
#include "base/visible.h"
#include "gate_file.h"
#include "git.h"
#include "notes.h"
#include "output.h"
#include "tools/common/allocate.h"
#include "tools/common/words.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- reading */

/* Adds a result; or, where there is a sentence why it is none, that. */
static void add_result(struct history *history, struct counts *counts, char *why, const char *file)
{
    if (why != NULL) {
        counts_free(counts);
        MEMORY_ONE_MORE(history->unread, history->n_unread, history->room_unread);
        history->unread[history->n_unread++] = why;
        return;
    }
    MEMORY_ONE_MORE(history->result, history->n, history->room);
    history->result[history->n++] = (struct history_result){*counts, memory_text(file), "", 0};
}

static void read_result(struct history *history, const char *path)
{
    struct counts counts = {.n_events = 0};
    char *why = gate_read(&counts, path);
    add_result(history, &counts, why, path_base(path));
}

static bool is_json(const char *name)
{
    size_t n = strlen(name);
    return n > 5 && name[0] != '.' && strcmp(name + n - 5, ".json") == 0;
}

static char *read_folder(struct history *history, const char *folder)
{
    struct dirent **entry;
    int n = scandir(folder, &entry, NULL, alphasort);
    if (n < 0)
        return memory_print("%s: %s: \"mkdir -p %s\", then \"papi_gate record -b %s/COMMIT.json COMMAND\" "
                            "keeps a result",
                            folder, strerror(errno), folder, folder);
    for (int i = 0; i < n; i++) {
        char *path = memory_print("%s/%s", folder, entry[i]->d_name);
        if (is_json(entry[i]->d_name))
            read_result(history, path);
        free(path);
        free(entry[i]);
    }
    free(entry);
    if (history->n > 0)
        return NULL;
    return memory_print("%s has no results: \"papi_gate record -b %s/COMMIT.json COMMAND\" keeps one", folder,
                        folder);
}

/* ---- order */

/* Gives a commit's rank and subject to its results. */
static void rank_commit(struct history *history, const char *commit, const char *subject, size_t rank)
{
    for (size_t i = 0; i < history->n; i++)
        if (strcmp(history->result[i].counts.revision, commit) == 0) {
            history->result[i].rank = rank;
            history->result[i].subject = subject;
        }
}

/* Asks git for the commits of the results in their order. False: it does not know all of them. */
static bool ask_git(struct history *history)
{
    struct git git = {.common = NULL};
    struct words words = {.n = 0};
    char *line;
    words_add(&words, "log");
    words_add(&words, "--topo-order");
    words_add(&words, "--reverse");
    words_add(&words, "--format=%%H %%s");
    for (size_t i = 0; i < history->n; i++)
        words_add(&words, "%s", history->result[i].counts.revision);
    char *why = git_open(&git);
    if (why == NULL)
        why = git_run(&git, &history->log, words.word);
    size_t rank = 0;
    for (char *rest = history->log; (line = strsep(&rest, "\n")) != NULL;) {
        char *subject = line;
        const char *commit = strsep(&subject, " ");
        rank_commit(history, commit, subject != NULL ? subject : "", ++rank);
    }
    bool fine = why == NULL;
    words_free(&words);
    git_close(&git);
    free(why);
    return fine;
}

static int order(const void *a, const void *b)
{
    const struct history_result *one = a, *other = b;
    if (one->rank != other->rank)
        return one->rank < other->rank ? -1 : 1;
    return (one->counts.made > other->counts.made) - (one->counts.made < other->counts.made);
}

/* Orders results by their commits; where one of them has none that git knows, by date. */
static void put_in_order(struct history *history)
{
    bool all = true;
    for (size_t i = 0; i < history->n; i++)
        all &= history->result[i].counts.revision[0] != '\0' && history->result[i].counts.revision[0] != '-';
    if (!all || !ask_git(history)) {
        free(history->log);
        history->log = NULL;
    }
    qsort(history->result, history->n, sizeof *history->result, order);
}

/* Refuses results of two modes, and orders them. place: where they are from. */
static char *finish(struct history *history, const char *place)
{
    for (size_t i = 1; i < history->n; i++)
        if (strcmp(history->result[i].counts.mode, history->result[0].counts.mode) != 0)
            return memory_print("%s: %s was %s and %s was %s, which cannot be compared: keep %s for each",
                                place, history->result[0].file, history->result[0].counts.mode,
                                history->result[i].file, history->result[i].counts.mode,
                                strncmp(place, "refs/", 5) == 0 ? "notes of another name (--notes=NAME)"
                                                                : "a folder");
    put_in_order(history);
    return NULL;
}

char *history_read(struct history *history, const char *folder)
{
    *history = (struct history){.n = 0};
    char *why = read_folder(history, folder);
    return why != NULL ? why : finish(history, folder);
}

/* Reads all notes of a list, from the oldest on. */
static void read_notes(struct history *history, struct notes *notes, const struct noted_list *list)
{
    for (size_t i = list->n; i-- > 0;) {
        struct counts counts = {.n_events = 0};
        char *why = notes_read(notes, &list->row[i], &counts);
        char *file = memory_print("%.*s", NOTES_SHORT, list->row[i].commit);
        add_result(history, &counts, why, file);
        free(file);
    }
}

char *history_read_notes(struct history *history, const char *name)
{
    struct notes notes;
    struct noted_list list = {.n = 0};
    *history = (struct history){.n = 0};
    char *why = notes_open(&notes, name);
    if (why == NULL)
        why = notes_list(&notes, true, &list);
    if (why == NULL) {
        read_notes(history, &notes, &list);
        why = history->n > 0
                  ? finish(history, notes.ref)
                  : memory_print("no note in %s can be read: \"papi_gate record --notes=%s COMMAND\" "
                                 "writes that of this commit again",
                                 notes.ref, notes.name);
    }
    noted_free(&list);
    notes_close(&notes);
    return why;
}

/* ---- series */

static struct series *find_series(struct history *history, enum gate_scope scope, const char *name,
                                  const char *event)
{
    uint64_t hash = hash_more(hash_text(name), event, strlen(event)) + scope;
    uintptr_t found;
    for (size_t at = 0; (found = hash_next(&history->places, hash, &at)) != 0;) {
        struct series *series = &history->series[found - 1];
        if (series->scope == scope && strcmp(series->name, name) == 0 && strcmp(series->event, event) == 0)
            return series;
    }
    MEMORY_ONE_MORE(history->series, history->n_series, history->room_series);
    struct series *series = &history->series[history->n_series++];
    *series =
        (struct series){scope, name, event, memory_more(NULL, history->n, sizeof *series->value), false};
    for (size_t i = 0; i < history->n; i++)
        series->value[i] = NAN;
    if (!hash_grow(&history->places))
        memory_is_out();
    hash_put(&history->places, hash, history->n_series);
    return series;
}

static void add_value(struct series *series, size_t result, uint64_t value, bool varies)
{
    if (isnan(series->value[result]))
        series->value[result] = 0;
    series->value[result] += (amount)value;
    series->varies |= varies;
}

/* True if time was estimated as in the last result: by other models it is another. */
static bool has_last_model(const struct history *history, const struct counts *counts)
{
    const char *last = history->result[history->n - 1].counts.model;
    return counts->model != NULL && last != NULL && strcmp(counts->model, last) == 0;
}

/* Takes the counts of an event from a result. */
static void gather(struct history *history, size_t result, int event)
{
    const struct counts *counts = &history->result[result].counts;
    const char *name = counts->event[event];
    if (strcmp(name, GATE_TIME) == 0 && !has_last_model(history, counts))
        return;
    add_value(find_series(history, SCOPE_TOTAL, "", name), result, 0, false);
    for (size_t i = 0; i < counts->n_regions; i++)
        add_value(find_series(history, SCOPE_REGION, counts->region[i].name, name), result,
                  counts->region[i].count[event].value, counts_vary(counts, counts->region[i].count, event));
    for (size_t i = 0; i < counts->n_routines; i++)
        add_value(find_series(history, SCOPE_ROUTINE, counts->routine[i].name, name), result,
                  counts->routine[i].count[event].value,
                  counts_vary(counts, counts->routine[i].count, event));
}

/* Adds a routine to the program's total, in the results that have the event: a routine that is not there does
 * nothing. */
static void add_to_total(struct history *history, struct series *routine)
{
    const struct series *total = find_series(history, SCOPE_TOTAL, "", routine->event);
    for (size_t i = 0; i < history->n; i++)
        if (!isnan(total->value[i])) {
            routine->value[i] = isnan(routine->value[i]) ? 0 : routine->value[i];
            total->value[i] += routine->varies ? 0 : routine->value[i];
        }
}

/* ---- jumps */

static amount instructions_of(const struct counts *counts)
{
    for (int i = 0; i < counts->n_events; i++)
        if (strcmp(counts->event[i], "INSTRUCTIONS") == 0)
            return (amount)counts_total(counts, i, NULL);
    return 0;
}

static void find_jumps(struct history *history, const struct limits *limits, const struct series *series)
{
    const struct limit *limit = limits_find(limits, series->scope, series->name, series->event);
    size_t last = history->n;
    limit = limit != NULL ? limit : &limits->usual;
    for (size_t i = 0; i < history->n && !limit->ignored; i++) {
        if (isnan(series->value[i]))
            continue;
        amount before = last < history->n ? series->value[last] : series->value[i];
        amount least = limits_floor(limits, series->event,
                                    last < history->n ? instructions_of(&history->result[last].counts) : 0);
        last = i;
        enum gate_verdict verdict = compare_verdict(before, series->value[i], limit, least);
        if (verdict == VERDICT_SAME || verdict == VERDICT_WITHIN)
            continue;
        MEMORY_ONE_MORE(history->jump, history->n_jumps, history->room_jumps);
        history->jump[history->n_jumps++] = (struct jump){series, i, before, series->value[i]};
    }
}

static int order_jumps(const void *a, const void *b)
{
    const struct jump *one = a, *other = b;
    if (one->at != other->at)
        return one->at < other->at ? -1 : 1;
    if (one->series->scope != other->series->scope)
        return one->series->scope < other->series->scope ? -1 : 1;
    int names = strcmp(one->series->name, other->series->name);
    return names != 0 ? names : strcmp(one->series->event, other->series->event);
}

/* ---- what else changed */

/* Keeps the notes of a comparison of two neighbours, but for those of limits, which are alike for all. */
static void note_changes(struct history *history, const struct limits *limits, size_t at)
{
    struct comparison comparison;
    char *name = history_name(history, at);
    compare(&comparison, &history->result[at - 1].counts, &history->result[at].counts, limits, NULL);
    for (size_t i = 0; i < comparison.n_notes; i++) {
        if (strncmp(comparison.note[i], "a limit ", strlen("a limit ")) == 0)
            continue;
        MEMORY_ONE_MORE(history->note, history->n_notes, history->room_notes);
        history->note[history->n_notes++] = memory_print("%s: %s", name, comparison.note[i]);
    }
    compare_free(&comparison);
    free(name);
}

static bool is_left_out(const struct limits *limits, const struct series *routine)
{
    const struct limit *limit = limits_find(limits, SCOPE_ROUTINE, routine->name, routine->event);
    return limit != NULL && limit->ignored;
}

void history_make(struct history *history, const struct limits *limits, const char *const *judged)
{
    for (size_t i = 0; i < history->n; i++)
        for (int k = 0; k < history->result[i].counts.n_events; k++)
            if (compare_judges(history->result[i].counts.event[k], judged))
                gather(history, i, k);
    for (size_t i = 0; i < history->n_series; i++)
        if (history->series[i].scope == SCOPE_ROUTINE && !is_left_out(limits, &history->series[i]))
            add_to_total(history, &history->series[i]);
    for (size_t i = 0; i < history->n_series; i++)
        if (!history->series[i].varies)
            find_jumps(history, limits, &history->series[i]);
    if (history->n_jumps > 0)
        qsort(history->jump, history->n_jumps, sizeof *history->jump, order_jumps);
    for (size_t i = 1; i < history->n; i++)
        note_changes(history, limits, i);
}

/* ---- words */

char *history_name(const struct history *history, size_t result)
{
    const struct history_result *one = &history->result[result];
    return history->log != NULL ? memory_print("%.10s", one->counts.revision) : memory_text(one->file);
}

char *history_verdict(const struct history *history)
{
    size_t last = history->n - 1;
    char *first = history_name(history, 0), *newest = history_name(history, last);
    size_t changed = 0;
    for (size_t i = 0; i < history->n_jumps; i++)
        changed += i == 0 || history->jump[i].at != history->jump[i - 1].at;
    char *text =
        changed == 0
            ? memory_print("%zu result%s, from %s to %s: no count changed by more than its limit", history->n,
                           history->n != 1 ? "s" : "", first, newest)
            : memory_print(
                  "%zu results, from %s to %s: counts changed by more than their limits in %zu of them",
                  history->n, first, newest, changed);
    free(first), free(newest);
    return text;
}

void history_text(FILE *out, const struct history *history)
{
    char *verdict = history_verdict(history);
    visible_print(out, "papi_gate: %s.", verdict);
    fputc('\n', out);
    free(verdict);
    for (size_t i = 0; i < history->n_jumps; i++) {
        const struct jump *jump = &history->jump[i];
        struct change change = {
            .scope = jump->series->scope, .name = jump->series->name, .event = jump->series->event};
        char *name = history_name(history, jump->at), *what = words_change(&change),
             *before = words_amount(change.event, jump->before),
             *after = words_amount(change.event, jump->after),
             *share = words_share(jump->before, jump->after);
        if (i == 0 || jump->at != jump[-1].at) {
            fputc('\n', out);
            visible_print(out, "%s %s", name, history->result[jump->at].subject);
            fputc('\n', out);
        }
        visible_print(out, "  %-32s %18s %18s %10s", what, before, after, share);
        fputc('\n', out);
        free(name), free(what), free(before), free(after), free(share);
    }
    for (size_t i = 0; i < history->n_notes; i++) {
        fputs(i == 0 ? "\n" : "", out);
        visible_print(out, "Note: %s.", history->note[i]);
        fputc('\n', out);
    }
}

void history_free(struct history *history)
{
    for (size_t i = 0; i < history->n; i++) {
        counts_free(&history->result[i].counts);
        free(history->result[i].file);
    }
    for (size_t i = 0; i < history->n_series; i++)
        free(history->series[i].value);
    for (size_t i = 0; i < history->n_unread; i++)
        free(history->unread[i]);
    for (size_t i = 0; i < history->n_notes; i++)
        free(history->note[i]);
    free(history->result);
    free(history->series);
    free(history->unread);
    free(history->note);
    free(history->jump);
    free(history->log);
    free(history->places.slot);
    *history = (struct history){.n = 0};
}

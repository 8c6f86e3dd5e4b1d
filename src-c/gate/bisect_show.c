/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/visible.h"
#include "bisect.h"
#include "output.h"
#include "tools/common/allocate.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/* Author and subject of a commit, in lines. */
struct commit {
    char *text; /* that the others are parts of */
    const char *hash, *subject, *author, *date;
};

/* The next line of a text. */
static const char *line_of(char **rest)
{
    const char *line = strsep(rest, "\n");
    return line != NULL ? line : "";
}

static char *read_commit(struct bisect *bisect, const char *hash, struct commit *commit)
{
    char *why = git_print(&bisect->git, &commit->text, "show", "-s", "--date=short",
                          "--format=%H%n%s%n%an <%ae>%n%ad", (char *)hash);
    char *rest = commit->text;
    commit->hash = line_of(&rest);
    commit->subject = line_of(&rest);
    commit->author = line_of(&rest);
    commit->date = line_of(&rest);
    return why;
}

/* Reads all commits of the range. NULL, or a sentence; free_commits follows in any case. */
static char *read_range(struct bisect *bisect, struct commit *commit)
{
    char *why = NULL;
    for (size_t i = 0; i < bisect->range.n && why == NULL; i++)
        why = read_commit(bisect, bisect->range.word[i], &commit[i]);
    return why;
}

/* ---- text */

/* Prints a line, in which names are made visible. */
static __attribute__((format(printf, 2, 3))) void put_line(FILE *out, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    visible_print_list(out, format, arguments);
    va_end(arguments);
    fputc('\n', out);
}

static void put_commit(FILE *out, const struct commit *commit)
{
    put_line(out, "    %s", commit->subject);
    put_line(out, "    %s, %s", commit->author, commit->date);
}

static void put_head(FILE *out, const struct bisect *bisect, const struct commit *commit,
                     const struct change *change)
{
    char *what = words_change(change), *before = words_amount(change->event, change->before),
         *after = words_amount(change->event, change->after),
         *share = words_share(change->before, change->after);
    if (bisect->range.n == 1)
        put_line(out, "%s changed %s from %s to %s (%s):", commit->hash, what, before, after, share);
    else
        put_line(out,
                 "One of these %zu commits changed %s from %s to %s (%s); those before the last cannot be "
                 "counted:",
                 bisect->range.n, what, before, after, share);
    for (size_t i = 0; i < bisect->range.n; i++) {
        if (bisect->range.n > 1)
            put_line(out, "  %s", commit[i].hash);
        put_commit(out, &commit[i]);
    }
    free(what), free(before), free(after), free(share);
}

static void put_text(const struct bisect *bisect, const struct commit *commit,
                     const struct comparison *comparison, const struct change *change)
{
    FILE *out = bisect->out;
    put_head(out, bisect, commit, change);
    output_changes(out, comparison, true);
    output_lines(out, comparison, change->event, change->after < change->before);
    output_rest(out, comparison);
}

/* ---- JSON */

static void set(json_t *object, const char *key, json_t *value)
{
    if (json_object_set_new(object, key, or_end(value)) != 0)
        memory_is_out();
}

static json_t *json_commits(const struct bisect *bisect, const struct commit *commit)
{
    json_t *list = or_end(json_array());
    for (size_t i = 0; i < bisect->range.n && commit != NULL; i++) {
        json_t *one = or_end(json_object());
        set(one, "commit", output_json_text(commit[i].hash));
        set(one, "subject", output_json_text(commit[i].subject));
        set(one, "author", output_json_text(commit[i].author));
        set(one, "date", output_json_text(commit[i].date));
        output_json_add(list, one);
    }
    return list;
}

static json_t *json_steps(const struct bisect *bisect)
{
    static const char *const state[] = {[STEP_GOOD] = "good", [STEP_BAD] = "bad", [STEP_SKIPPED] = "skipped"};
    json_t *list = or_end(json_array());
    for (size_t i = 0; i < bisect->n_steps; i++) {
        const struct step *step = bisect->step[i];
        json_t *one = or_end(json_pack("{s:s,s:b}", "commit", step->commit, "built", step->built));
        if (bisect->followed.event != NULL)
            set(one, "state", json_pack("s", state[step->state]));
        if (step->skipped != NULL)
            set(one, "reason", output_json_text(step->skipped));
        else if (bisect->followed.event != NULL)
            set(one, "count", json_pack("I", (json_int_t)step->count));
        output_json_add(list, one);
    }
    return list;
}

/* Prints the answer. commit and change NULL: GOOD and BAD do not differ. */
static void put_json(const struct bisect *bisect, const struct commit *commit,
                     const struct comparison *comparison, const struct change *change)
{
    json_t *root = or_end(json_pack("{s:s,s:i,s:b,s:i}", "format", "papi_gate_bisect", "version", 1, "found",
                                    commit != NULL && bisect->range.n == 1, "builds", bisect->builds));
    set(root, "commits", json_commits(bisect, commit));
    if (change != NULL) {
        char *what = words_change(change);
        set(root, "count", output_json_text(what));
        set(root, "before", json_pack("I", (json_int_t)change->before));
        set(root, "after", json_pack("I", (json_int_t)change->after));
        set(root, "compared_with", json_pack("s", bisect->parent->commit));
        free(what);
    }
    set(root, "steps", json_steps(bisect));
    set(root, "comparison", output_json_value(comparison));
    json_dumpf(root, bisect->plain_json, JSON_INDENT(2));
    fputc('\n', bisect->plain_json);
    json_decref(root);
}

/* ---- */

char *bisect_show(struct bisect *bisect)
{
    struct comparison comparison;
    size_t n = bisect->range.n;
    struct commit *commit = memory_more(NULL, n, sizeof *commit);
    memset(commit, 0, n * sizeof *commit);
    char *why = read_range(bisect, commit);
    bisect_compare(bisect, &comparison, bisect->parent, bisect->at);
    const struct change *change = bisect_find(bisect, &comparison);
    if (why == NULL && change == NULL)
        why = memory_text("the commit before the answer does not have this count");
    if (why == NULL && bisect->plain_json != NULL)
        put_json(bisect, commit, &comparison, change);
    else if (why == NULL)
        put_text(bisect, commit, &comparison, change);
    compare_free(&comparison);
    for (size_t i = 0; i < n; i++)
        free(commit[i].text);
    free(commit);
    return why;
}

void bisect_show_same(const struct bisect *bisect, const struct comparison *comparison)
{
    if (bisect->plain_json != NULL) {
        put_json(bisect, NULL, comparison, NULL);
        return;
    }
    char *verdict = words_verdict(comparison);
    put_line(bisect->out, "GOOD and BAD do not differ: %s.", verdict);
    output_rest(bisect->out, comparison);
    free(verdict);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "notes.h"
#include "gate_file.h"
#include "tools/common/allocate.h"
#include "tools/common/tool_files.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- opening */

char *notes_open(struct notes *notes, const char *name)
{
    char *status = NULL, *reason = NULL;
    *notes = (struct notes){.name = name, .ref = memory_print("refs/notes/papi_gate/%s", name)};
    char *why = git_open(&notes->git);
    if (why != NULL) {
        char *more =
            memory_print("%s: notes need a git repository: run papi_gate in its working tree, or keep a "
                         "file by \"papi_gate record COMMAND\"",
                         why);
        free(why);
        return more;
    }
    notes->head = git_commit(&notes->git, "HEAD", &reason);
    if (reason != NULL) {
        free(reason);
        return memory_text("the repository has no commit: \"git commit\" makes the first");
    }
    why = git_here(&notes->git, &status, "status", "--porcelain", "--untracked-files=no");
    notes->changed = why == NULL && status[0] != '\0';
    free(status);
    return why;
}

void notes_close(struct notes *notes)
{
    git_close(&notes->git);
    free(notes->ref);
    free(notes->head);
    *notes = (struct notes){.name = NULL};
}

/* ---- adding */

char *notes_refuse(const struct notes *notes)
{
    return !notes->changed
               ? NULL
               : memory_print(
                     "the working tree is not that of commit %.*s (\"git status -uno\" lists what "
                     "differs), whose note this would be: \"git commit -a\" makes it one, \"papi_gate "
                     "record COMMAND\" keeps a file",
                     NOTES_SHORT, notes->head);
}

/* Puts counts among the repository's objects. */
static char *put_blob(struct notes *notes, const struct counts *counts, char **blob)
{
    notes->git.input = tmpfile();
    if (notes->git.input == NULL)
        return memory_text("no temporary file can be made in /tmp");
    bool written = gate_write(notes->git.input, counts) && fflush(notes->git.input) == 0;
    char *why = written ? NULL : memory_print("a temporary file: %s", output_reason(errno));
    rewind(notes->git.input);
    if (why == NULL)
        why = git_print(&notes->git, blob, "hash-object", "-w", "--stdin");
    fclose(notes->git.input);
    notes->git.input = NULL;
    return why;
}

/* Machines of continuous integration have no name for git: this tool's is better than none. */
static char *put_note(struct notes *notes, char *blob)
{
    char *known = git_print(&notes->git, NULL, "var", "GIT_COMMITTER_IDENT");
    bool named = known == NULL;
    free(known);
    if (named)
        return git_print(&notes->git, NULL, "notes", "--ref", notes->ref, "add", "-f", "-C", blob,
                         notes->head);
    return git_print(&notes->git, NULL, "-c", "user.name=papi_gate", "-c", "user.email=papi_gate@localhost",
                     "notes", "--ref", notes->ref, "add", "-f", "-C", blob, notes->head);
}

char *notes_add(struct notes *notes, const struct counts *counts)
{
    char *blob = NULL;
    char *why = put_blob(notes, counts, &blob);
    if (why == NULL)
        why = put_note(notes, blob);
    free(blob);
    return why;
}

/* ---- finding */

/* Takes the lines "BLOB COMMIT" of git's list of notes. */
static void take_rows(struct noted_list *list, char *text)
{
    char *line;
    for (char *rest = text; (line = strsep(&rest, "\n")) != NULL;) {
        char *commit = line;
        const char *blob = strsep(&commit, " ");
        if (commit == NULL)
            continue;
        MEMORY_ONE_MORE(list->row, list->n, list->room);
        list->row[list->n++] = (struct noted){memory_text(commit), memory_text(blob), 0};
    }
}

static int by_commit(const void *a, const void *b)
{
    return strcmp(((const struct noted *)a)->commit, ((const struct noted *)b)->commit);
}

static int by_distance(const void *a, const void *b)
{
    const struct noted *one = a, *other = b;
    return (one->distance > other->distance) - (one->distance < other->distance);
}

/* Keeps the notes of commits in git's list of those before this one, which is divided. Returns how many
 * commits there are. */
static size_t keep_ancestors(struct noted_list *list, char *commits, bool itself)
{
    size_t n = 0, place = 0;
    char *line;
    struct noted *at = list->row;
    if (list->n > 1)
        qsort(list->row, list->n, sizeof *list->row, by_commit);
    bool *kept = memory_more(NULL, list->n + 1, sizeof *kept);
    memset(kept, 0, list->n + 1);
    for (char *rest = commits; (line = strsep(&rest, "\n")) != NULL; place++) {
        struct noted key = {.commit = line};
        at = list->n > 0 ? bsearch(&key, list->row, list->n, sizeof key, by_commit) : NULL;
        if (at == NULL || (place == 0 && !itself))
            continue;
        at->distance = place;
        kept[at - list->row] = true;
    }
    for (size_t i = 0; i < list->n; i++)
        if (kept[i])
            list->row[n++] = list->row[i];
        else
            free(list->row[i].commit), free(list->row[i].blob);
    list->n = n;
    free(kept);
    if (n > 1)
        qsort(list->row, n, sizeof *list->row, by_distance);
    return place;
}

/* The sentence for a repository in which nothing has a note of that name. */
static char *without_notes(struct notes *notes)
{
    char *remotes = NULL, *why = git_print(&notes->git, &remotes, "remote");
    if (why == NULL)
        remotes[strcspn(remotes, "\n")] = '\0';
    char *text =
        why == NULL && remotes[0] != '\0'
            ? memory_print("no commit has a note in %s: \"git fetch %s 'refs/notes/*:refs/notes/*'\" fetches "
                           "those that %s has, \"papi_gate record --notes=%s COMMAND\" makes one",
                           notes->ref, remotes, remotes, notes->name)
            : memory_print("no commit has a note in %s: \"papi_gate record --notes=%s COMMAND\" makes one",
                           notes->ref, notes->name);
    free(remotes);
    free(why);
    return text;
}

/* The sentence for notes of which none is of a commit before this one.
 *   commits  how many of these there are, with this one */
static char *without_ancestor(struct notes *notes, size_t commits)
{
    char *shallow = NULL, *why = git_print(&notes->git, &shallow, "rev-parse", "--is-shallow-repository");
    bool part = why == NULL && strcmp(shallow, "true") == 0;
    free(shallow);
    free(why);
    if (part)
        return memory_print("this is a shallow clone: none of its %zu commits up to %.*s has a note in %s, "
                            "others may: \"git fetch --unshallow\" fetches them",
                            commits, NOTES_SHORT, notes->head, notes->ref);
    if (commits < 2)
        return memory_print("%.*s is the first commit, before which there is no note to compare with: commit "
                            "a change, build it and \"papi_gate check --notes=%s\" again",
                            NOTES_SHORT, notes->head, notes->name);
    return memory_print(
        "no commit before %.*s has a note in %s: \"git checkout HEAD^\", build, and \"papi_gate "
        "record --notes=%s COMMAND\"",
        NOTES_SHORT, notes->head, notes->ref, notes->name);
}

char *notes_list(struct notes *notes, bool itself, struct noted_list *list)
{
    char *rows = NULL, *commits = NULL;
    *list = (struct noted_list){.n = 0};
    char *why = git_print(&notes->git, &rows, "notes", "--ref", notes->ref, "list");
    if (why == NULL)
        take_rows(list, rows);
    if (why == NULL && list->n == 0)
        why = without_notes(notes);
    if (why == NULL)
        why = git_print(&notes->git, &commits, "rev-list", "--date-order", notes->head);
    if (why == NULL) {
        size_t n = keep_ancestors(list, commits, itself);
        if (list->n == 0)
            why = without_ancestor(notes, n);
    }
    free(commits);
    free(rows);
    return why;
}

void noted_free(struct noted_list *list)
{
    for (size_t i = 0; i < list->n; i++)
        free(list->row[i].commit), free(list->row[i].blob);
    free(list->row);
    *list = (struct noted_list){.n = 0};
}

char *notes_read(struct notes *notes, const struct noted *noted, struct counts *counts)
{
    char *text = NULL, *name = memory_print("the note of %.*s in %s", NOTES_SHORT, noted->commit, notes->ref);
    char *cure =
        memory_print("\"git notes --ref=%s remove %.*s\" removes it", notes->ref, NOTES_SHORT, noted->commit);
    char *why = git_print(&notes->git, &text, "cat-file", "blob", noted->blob);
    if (why == NULL)
        why = gate_read_text(counts, name, cure, text);
    if (why == NULL)
        counts->revision = counts_text(counts, noted->commit);
    free(text);
    free(name);
    free(cure);
    return why;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "bisect.h"
#include "base/visible.h"
#include "child.h"
#include "output.h"
#include "tools/common/allocate.h"
#include "tools/common/tool.h"
#include "tools/common/tool_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

const char bisect_usage[] =
    "Usage: papi_gate bisect [OPTION]... GOOD BAD -- BUILD... -- RUN...\n"
    "Finds the commit between GOOD and BAD that changed a count. BUILD and RUN are\n"
    "command lines, run in a working tree of their own: yours stays as it is. No\n"
    "commit is built twice, not in a later search either: results are kept in .git.\n"
    "\n"
    "      --emulate        any program, with simulated caches, many times slower\n"
    "  -e, --event=EVENT    to judge, or to count in the emulator; can be repeated\n"
    "      --first-parent   merges count as one commit each\n"
    "      --input=FILE     that the program reads\n"
    "      --limit=LIMIT    by which counts differ: 1%, 5000, 1%+5000 (1%)\n"
    "      --limits=FILE    limits of events, regions and routines (gate.limits)\n"
    "  -r, --runs=NUMBER    of the program, to leave out what varies (1)\n"
    "      --json           the answer as JSON\n"
    "      --version, -h, --help\n"
    "\n"
    "  papi_gate bisect v1.2 HEAD -- make CC=\"papi_counted gcc -g\" -- ./program 10\n"
    "\n"
    "Exit status: 0: the commit is found; 4: GOOD and BAD do not differ; 5: one of\n"
    "several commits, as some do not build; 2: wrong options; 3: it was not done.\n";

enum { SHORT = 10 }; /* characters of a commit */

/* ---- one commit */

static const char *const ends[] = {"GOOD", "BAD"};

/* A sentence if a signal came while a program ran. */
static char *stopped(struct bisect *bisect, int signal)
{
    if (signal == 0)
        return NULL;
    bisect->signal = signal;
    return memory_print("signal %d ended the search", signal);
}

/* Returns what git says, or that a signal came meanwhile. */
static char *of_git(struct bisect *bisect, char *why)
{
    char *stop = stopped(bisect, bisect->git.signal);
    if (stop == NULL)
        return why;
    free(why);
    return stop;
}

/* Puts the tree as the commit has it, without what others built. */
static char *check_out(struct bisect *bisect, const char *commit)
{
    if (chdir(bisect->folder) != 0)
        return memory_print("%s: %s", bisect->folder, strerror(errno));
    char *why = git_in(&bisect->git, bisect->tree, "checkout", "-q", "-f", "--detach", (char *)commit);
    if (why == NULL)
        why = git_in(&bisect->git, bisect->tree, "clean", "-q", "-ffdx");
    return of_git(bisect, why);
}

/* Builds in this folder. NULL, with a reason in skipped where it does not build; or a sentence. */
static char *build(struct bisect *bisect, char **skipped)
{
    struct child child = {.word = bisect->build, .mask = &bisect->before};
    child.file[0] = bisect->nothing;
    child.file[1] = child.file[2] = bisect->log;
    if (ftruncate(bisect->log, 0) != 0)
        return memory_print("a file in %s: %s", bisect->folder, strerror(errno));
    char *why = child_run(&child);
    if (child.error != 0) {
        *skipped = why;
        why = NULL;
    }
    if (why == NULL)
        why = stopped(bisect, child.signal);
    if (why != NULL)
        return why;
    if (*skipped != NULL)
        return NULL;
    if (WIFSIGNALED(child.status))
        *skipped = memory_print("signal %d ended the build", WTERMSIG(child.status));
    else if (WEXITSTATUS(child.status) != 0)
        *skipped = memory_print("the build ended with exit status %d", WEXITSTATUS(child.status));
    return NULL;
}

static char *build_and_run(struct bisect *bisect, struct step *step)
{
    if (chdir(bisect->place) != 0) {
        step->skipped = memory_print("it has no folder %s", bisect->git.inside);
        return NULL;
    }
    step->built = true;
    bisect->builds++;
    char *why = build(bisect, &step->skipped);
    if (why != NULL || step->skipped != NULL)
        return why;
    step->skipped = counting_take(&bisect->counting, bisect->run, &step->counts);
    if (step->skipped != NULL)
        counts_free(&step->counts);
    return stopped(bisect, bisect->counting.signal);
}

/* Gets the counts of a commit, or why it has none. */
static char *measure(struct bisect *bisect, struct step *step, bool is_end)
{
    if (kept_read(&bisect->kept, step->commit, &step->counts, &step->skipped))
        return NULL;
    char *why = check_out(bisect, step->commit);
    if (why == NULL)
        why = build_and_run(bisect, step);
    if (why == NULL && step->skipped == NULL)
        kept_write(&bisect->kept, step->commit, &step->counts, NULL);
    else if (why == NULL && !is_end)
        kept_write(&bisect->kept, step->commit, NULL, step->skipped);
    return why;
}

static struct step *find_step(const struct bisect *bisect, const char *commit)
{
    for (size_t i = 0; i < bisect->n_steps; i++)
        if (strcmp(bisect->step[i]->commit, commit) == 0)
            return bisect->step[i];
    return NULL;
}

static struct step *add_step(struct bisect *bisect, const char *commit)
{
    MEMORY_ONE_MORE(bisect->step, bisect->n_steps, bisect->room_steps);
    struct step *step = memory_more(NULL, 1, sizeof *step);
    *step = (struct step){.commit = memory_text(commit)};
    return bisect->step[bisect->n_steps++] = step;
}

/* ---- judgement */

void bisect_compare(const struct bisect *bisect, struct comparison *comparison, const struct step *before,
                    const struct step *after)
{
    compare(comparison, &before->counts, &after->counts, &bisect->limits,
            bisect->judged.event[0] != NULL ? bisect->judged.event : NULL);
}

const struct change *bisect_find(const struct bisect *bisect, const struct comparison *comparison)
{
    const struct change *followed = &bisect->followed;
    for (size_t i = 0; i < comparison->n_changes; i++) {
        const struct change *change = &comparison->change[i];
        if (change->scope == followed->scope && strcmp(change->event, followed->event) == 0 &&
            strcmp(change->name, followed->name) == 0)
            return change;
    }
    return NULL;
}

/* True if a commit has changed as BAD has. */
static bool as_bad(const struct bisect *bisect, const struct change *change)
{
    if (bisect->followed.after > bisect->followed.before)
        return change->verdict == VERDICT_ABOVE;
    return change->verdict == VERDICT_BELOW || change->verdict == VERDICT_FELL;
}

/* Compares a commit with GOOD. */
static void classify(struct bisect *bisect, struct step *step)
{
    struct comparison comparison;
    step->state = STEP_SKIPPED;
    if (step->skipped != NULL)
        return;
    bisect_compare(bisect, &comparison, bisect->good, step);
    const struct change *change = bisect_find(bisect, &comparison);
    if (change == NULL) {
        step->skipped = memory_text("it does not have this count");
    } else if (change->verdict == VERDICT_UNKNOWN) {
        step->skipped = memory_text("the count varies from run to run");
    } else {
        step->count = change->after;
        step->state = as_bad(bisect, change) ? STEP_BAD : STEP_GOOD;
    }
    compare_free(&comparison);
}

static void say_step(const struct bisect *bisect, const struct step *step)
{
    const char *kept = step->built ? "" : " (kept from before)";
    char *what = words_change(&bisect->followed), *count = words_amount(bisect->followed.event, step->count);
    if (step->skipped != NULL)
        visible_print(stderr, "skipped, %s%s", step->skipped, kept);
    else
        visible_print(stderr, "%s %s, as %s%s", what, count, ends[step->state == STEP_BAD], kept);
    fputc('\n', stderr);
    free(what), free(count);
}

/* Finds a commit's step, or makes it. */
static char *take_step(struct bisect *bisect, const char *commit, struct step **found)
{
    *found = find_step(bisect, commit);
    if (*found != NULL)
        return NULL;
    struct step *step = *found = add_step(bisect, commit);
    fprintf(stderr, "papi_gate: %.*s: ", SHORT, commit);
    char *why = measure(bisect, step, false);
    if (why == NULL) {
        classify(bisect, step);
        say_step(bisect, step);
    } else {
        fputc('\n', stderr);
    }
    return why;
}

/* ---- GOOD and BAD */

/* Prints the last lines of what the build and the program said. */
static void say_log(const struct bisect *bisect)
{
    enum { MOST = 2000 };
    char text[MOST + 1];
    off_t size = lseek(bisect->log, 0, SEEK_END);
    ssize_t n = pread(bisect->log, text, MOST, size > MOST ? size - MOST : 0);
    text[n > 0 ? n : 0] = '\0';
    for (char *rest = text, *line; (line = strsep(&rest, "\n")) != NULL;)
        if (line[0] != '\0') {
            visible_print(stderr, "  | %s", line);
            fputc('\n', stderr);
        }
}

/* Measures GOOD or BAD, which must have counts. */
static char *take_end(struct bisect *bisect, int which, const char *commit, struct step **step)
{
    *step = add_step(bisect, commit);
    fprintf(stderr, "papi_gate: %s %.*s: ", ends[which], SHORT, commit);
    char *why = measure(bisect, *step, true);
    bool fine = why == NULL && (*step)->skipped == NULL;
    fprintf(stderr, "%s%s\n", fine ? "counted" : "no result",
            fine && !(*step)->built ? " (kept from before)" : "");
    if (why != NULL || fine)
        return why;
    if (!(*step)->built)
        return memory_print("%s has no counts: %s, in an earlier search: \"rm -r %s\" has all built again",
                            ends[which], (*step)->skipped, bisect->kept.folder);
    say_log(bisect);
    why = memory_print("%s has no counts: %s", ends[which], (*step)->skipped);
    if (bisect->counting.uncounted)
        verbs_advise(bisect->tool, why, true, bisect->run[0]);
    return why;
}

/* The change that is followed: one outside its limit, else one that fell. NULL: there is none. */
static const struct change *choose(const struct comparison *comparison)
{
    const struct change *found = words_worst(comparison);
    for (size_t i = 0; i < comparison->n_changes && found == NULL; i++)
        if (comparison->change[i].verdict == VERDICT_FELL)
            found = &comparison->change[i];
    return found;
}

static void say_followed(const struct bisect *bisect, const struct comparison *comparison,
                         const char *commits)
{
    const struct change *followed = &bisect->followed;
    char *what = words_change(followed), *before = words_amount(followed->event, followed->before),
         *after = words_amount(followed->event, followed->after),
         *share = words_share(followed->before, followed->after);
    visible_print(stderr, "papi_gate: %s: %s in GOOD, %s in BAD (%s); commits: %s, steps: about %.0f", what,
                  before, after, share, commits, ceil(log2(fmax(atof(commits), 1))));
    if (comparison->n_failed > 1)
        fprintf(stderr, "; %zu other counts differ, too: -e chooses", comparison->n_failed - 1);
    fputc('\n', stderr);
    free(what), free(before), free(after), free(share);
}

/* Compares GOOD and BAD. True: there is a change to follow. */
static bool begin_following(struct bisect *bisect, const char *commits)
{
    struct comparison comparison;
    bool found = false;
    bisect_compare(bisect, &comparison, bisect->good, bisect->bad);
    if (verbs_refuse(bisect->tool, &comparison, &bisect->judged) == TOOL_FINE) {
        const struct change *change = choose(&comparison);
        found = change != NULL;
        if (found) {
            bisect->followed = *change;
            say_followed(bisect, &comparison, commits);
        } else {
            bisect_show_same(bisect, &comparison);
        }
    }
    compare_free(&comparison);
    return found;
}

/* ---- the search */

/* Lists the commits among which the answer is, those in the middle first; the last is the one that is as BAD.
 */
static char *list_range(struct bisect *bisect)
{
    struct words words = {.n = 0};
    char *printed = NULL, *line;
    words_add(&words, "rev-list");
    words_add(&words, "--bisect-all");
    if (bisect->options->first_parent)
        words_add(&words, "--first-parent");
    words_add(&words, "%s", bisect->at->commit);
    for (size_t i = 0; i < bisect->n_steps; i++)
        if (bisect->step[i]->excludes)
            words_add(&words, "^%s", bisect->step[i]->commit);
    char *why = of_git(bisect, git_run(&bisect->git, &printed, words.word));
    words_free(&words);
    words_free(&bisect->range);
    for (char *rest = printed; (line = strsep(&rest, "\n")) != NULL;) {
        line[strcspn(line, " ")] = '\0';
        if (line[0] != '\0' && strcmp(line, bisect->at->commit) != 0)
            words_add(&bisect->range, "%s", line);
    }
    words_add(&bisect->range, "%s", bisect->at->commit);
    free(printed);
    return why;
}

/* The commit to look at next; NULL: there is none. */
static const char *next_commit(const struct bisect *bisect)
{
    for (size_t i = 0; i + 1 < bisect->range.n; i++) {
        const struct step *step = find_step(bisect, bisect->range.word[i]);
        if (step == NULL || step->state != STEP_SKIPPED)
            return bisect->range.word[i];
    }
    return NULL;
}

/* Narrows the range until nothing in it can be looked at. */
static char *narrow(struct bisect *bisect)
{
    const char *commit;
    struct step *step;
    char *why = list_range(bisect);
    while (why == NULL && (commit = next_commit(bisect)) != NULL) {
        why = take_step(bisect, commit, &step);
        if (why != NULL)
            break;
        if (step->state == STEP_BAD)
            bisect->at = step;
        step->excludes = step->state == STEP_GOOD;
        if (step->state != STEP_SKIPPED)
            why = list_range(bisect);
    }
    return why;
}

/* Finds the commit before the answer: its counts are compared with those of the answer. */
static char *take_parent(struct bisect *bisect)
{
    char *parent = NULL, *name = memory_print("%s^1", bisect->at->commit);
    char *why = of_git(bisect, git_print(&bisect->git, &parent, "rev-parse", "--verify", "-q", name));
    if (why == NULL)
        why = take_step(bisect, parent, &bisect->parent);
    free(parent);
    free(name);
    return why;
}

/* Searches. A commit before one that is as GOOD is taken to be so, too; where the parent of the answer turns
 * out to be as BAD, the count changed more than once, and the search goes on before it. */
static char *search(struct bisect *bisect)
{
    char *why = NULL;
    bisect->at = bisect->bad;
    do {
        bisect->parent = NULL;
        for (size_t i = 0; i < bisect->n_steps; i++)
            bisect->step[i]->excludes = bisect->step[i] == bisect->good;
        why = narrow(bisect);
        if (why == NULL && bisect->range.n == 1)
            why = take_parent(bisect);
        if (bisect->parent != NULL && bisect->parent->state == STEP_BAD)
            bisect->at = bisect->parent;
    } while (why == NULL && bisect->parent != NULL && bisect->parent == bisect->at);
    if (bisect->parent == NULL || bisect->parent->state == STEP_SKIPPED)
        bisect->parent = bisect->good;
    return why;
}

/* ---- the tree of its own */

static char *make_tree(struct bisect *bisect, const char *commit)
{
    char *why = NULL, *folder = folder_make("papi_gate", &why);
    if (why != NULL)
        return why;
    bisect->folder = or_end(realpath(folder, NULL));
    free(folder);
    char *log = memory_print("%s/log", bisect->folder);
    bisect->log = open(log, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    bisect->nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (bisect->log < 0 || bisect->nothing < 0)
        why = memory_print("%s: %s", log, strerror(errno));
    free(log);
    if (why != NULL)
        return why;
    bisect->tree = memory_print("%s/tree", bisect->folder);
    bisect->place = memory_print("%s/%s", bisect->tree, bisect->git.inside);
    /* A build that removes the tree's .git must not have git clean one that the temporary folder is in. */
    setenv("GIT_CEILING_DIRECTORIES", bisect->folder, 1);
    return of_git(bisect, git_print(&bisect->git, NULL, "worktree", "add", "-f", "--detach", "--no-checkout",
                                    bisect->tree, (char *)commit));
}

/* Removes the tree, also where a signal came: git ends in peace. */
static void remove_tree(struct bisect *bisect)
{
    bisect->git.mask = &bisect->stops;
    if (chdir("/") == 0 && bisect->tree != NULL) {
        char *why = git_print(&bisect->git, NULL, "worktree", "remove", "--force", "--force", bisect->tree);
        free(why);
    }
    bool pruned = bisect->tree == NULL;
    folder_remove(bisect->folder);
    if (!pruned)
        free(git_print(&bisect->git, NULL, "worktree", "prune"));
    if (bisect->log >= 0)
        close(bisect->log);
    if (bisect->nothing >= 0)
        close(bisect->nothing);
    free(bisect->tree);
    free(bisect->place);
}

/* ---- the verb */

/* The number of "--" among the words. */
static int count_dashes(char *const *word)
{
    int n = 0;
    for (; *word != NULL; word++)
        n += strcmp(*word, "--") == 0;
    return n;
}

/* Divides the words at the next "--", which becomes their end. */
static char **cut(char **word)
{
    while (strcmp(*word, "--") != 0)
        word++;
    *word = NULL;
    return word + 1;
}

static int refuse_options(struct tool *tool, const struct options *options)
{
    if (options->baseline == NULL && options->output == NULL && options->markdown == NULL &&
        options->junit == NULL)
        return TOOL_FINE;
    return tool_usage_error(
        tool, "bisect compares commits and writes no file: --baseline, --output, --markdown and "
              "--junit are options of other verbs");
}

static int read_words(struct bisect *bisect, char **rest)
{
    static const char form[] = "papi_gate bisect GOOD BAD -- BUILD... -- RUN...";
    struct tool *tool = bisect->tool;
    if (rest[0] == NULL || rest[1] == NULL || rest[2] == NULL || strcmp(rest[2], "--") != 0 ||
        count_dashes(rest) < 2)
        return tool_usage_error(tool, "two commits and two commands are needed: %s", form);
    if (count_dashes(rest) > 2)
        return tool_usage_error(
            tool, "\"--\" divides BUILD and RUN and cannot be in them: sh -c 'BUILD' has it, as in %s",
            "papi_gate bisect GOOD BAD -- sh -c 'cmake --build b -- -j2' -- RUN...");
    bisect->build = rest + 3;
    bisect->run = cut(bisect->build);
    if (bisect->build[0] == NULL || bisect->run[0] == NULL)
        return tool_usage_error(tool, "a command is missing: %s", form);
    if (bisect->build[1] == NULL && strchr(bisect->build[0], ' ') != NULL &&
        access(bisect->build[0], X_OK) != 0)
        return tool_usage_error(tool,
                                "BUILD is one word with blanks in it: write -- %s --, or -- sh -c '%s' --",
                                bisect->build[0], bisect->build[0]);
    return TOOL_FINE;
}

/* Resolves GOOD and BAD, of which the first must be before the second. */
static char *read_commits(struct bisect *bisect, char *const *name, char **commit)
{
    char *why = NULL;
    for (int i = 0; i < 2 && why == NULL; i++)
        commit[i] = git_commit(&bisect->git, name[i], &why);
    if (why != NULL)
        return of_git(bisect, why);
    if (strcmp(commit[0], commit[1]) == 0)
        return memory_print("GOOD and BAD are the same commit, %.*s", SHORT, commit[0]);
    git_leave();
    char *not_before = git_print(&bisect->git, NULL, "merge-base", "--is-ancestor", commit[0], commit[1]);
    if (not_before == NULL)
        return NULL;
    char *base = NULL, *none = git_print(&bisect->git, &base, "merge-base", commit[0], commit[1]);
    why = memory_print("GOOD is not an ancestor of BAD%s%s: run \"papi_gate bisect %s %s -- ...\"",
                       none == NULL ? "; the last commit that both have is " : "", none == NULL ? base : "",
                       none == NULL ? base : "ANCESTOR", name[1]);
    free(none), free(base), free(not_before);
    return of_git(bisect, why);
}

/* Counts GOOD and BAD, and searches. The exit status in status. */
static char *run_search(struct bisect *bisect, char *const *commit, int *status)
{
    char *n = NULL, *range = memory_print("%s..%s", commit[0], commit[1]);
    char *why = of_git(bisect, git_print(&bisect->git, &n, "rev-list", "--count", range,
                                         bisect->options->first_parent ? "--first-parent" : NULL));
    free(range);
    if (why == NULL)
        why = take_end(bisect, 0, commit[0], &bisect->good);
    if (why == NULL)
        why = take_end(bisect, 1, commit[1], &bisect->bad);
    *status = EXIT_SAME;
    if (why == NULL && begin_following(bisect, n)) {
        classify(bisect, bisect->good);
        classify(bisect, bisect->bad);
        why = search(bisect);
        if (why == NULL)
            why = bisect_show(bisect);
        *status = bisect->range.n > 1 ? EXIT_RANGE : 0;
    }
    free(n);
    return why;
}

static char *prepare(struct bisect *bisect, char *const *name, char **commit)
{
    char *why = of_git(bisect, git_open(&bisect->git));
    if (why == NULL)
        why = read_commits(bisect, name, commit);
    if (why == NULL)
        why = make_tree(bisect, commit[0]);
    if (why != NULL)
        return why;
    char *unkept = kept_open(&bisect->kept, bisect->git.common, bisect->git.inside, &bisect->counting,
                             bisect->build, bisect->run);
    if (unkept != NULL) {
        visible_print(stderr, "papi_gate: results are not kept for another search: %s", unkept);
        fputc('\n', stderr);
    }
    free(unkept);
    return NULL;
}

static void end(struct bisect *bisect)
{
    remove_tree(bisect);
    kept_close(&bisect->kept);
    git_close(&bisect->git);
    for (size_t i = 0; i < bisect->n_steps; i++) {
        counts_free(&bisect->step[i]->counts);
        free(bisect->step[i]->commit);
        free(bisect->step[i]->skipped);
        free(bisect->step[i]);
    }
    free(bisect->step);
    words_free(&bisect->range);
    limits_free(&bisect->limits);
}

/* Searches with signals blocked that would end this process before its tree is removed. */
static int search_and_clean(struct bisect *bisect, char *const *name)
{
    char *commit[2] = {NULL, NULL};
    int status = EXIT_NOT_DONE;
    child_stops(&bisect->stops);
    sigprocmask(SIG_BLOCK, &bisect->stops, &bisect->before);
    bisect->git.mask = bisect->counting.mask = &bisect->before;
    char *why = prepare(bisect, name, commit);
    bisect->counting.file[0] = bisect->nothing;
    bisect->counting.file[1] = bisect->counting.file[2] = bisect->log;
    if (why == NULL)
        why = run_search(bisect, commit, &status);
    if (why != NULL && bisect->tool->status == TOOL_FINE)
        tool_error(bisect->tool, "%s", why);
    end(bisect);
    sigprocmask(SIG_SETMASK, &bisect->before, NULL);
    if (bisect->signal != 0)
        raise(bisect->signal);
    free(why), free(commit[0]), free(commit[1]);
    return status;
}

int bisect(struct tool *tool, const struct options *options, char **rest)
{
    struct bisect search = {.tool = tool, .options = options, .log = -1, .nothing = -1};
    search.out = tool->report.out;
    search.plain_json = tool->report.json ? tool->report.plain : NULL;
    search.counting = (struct counting){.emulate = options->emulate,
                                        .runs = options->runs,
                                        .events = &options->events,
                                        .inputs = &options->inputs};
    search.judged = verbs_judged(options);
    if (refuse_options(tool, options) != TOOL_FINE || read_words(&search, rest) != TOOL_FINE)
        return EXIT_WRONG;
    struct model model;
    int status = EXIT_NOT_DONE;
    if (verbs_model(tool, options, options->model, &model) != TOOL_FINE) {
        status = EXIT_WRONG;
    } else if (verbs_limits(tool, options, &search.limits) == TOOL_FINE) {
        search.counting.model = model.name != NULL ? &model : NULL;
        status = search_and_clean(&search, rest);
    } else {
        limits_free(&search.limits);
    }
    model_free(&model);
    return status;
}

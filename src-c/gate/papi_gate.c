/* SPDX-License-Identifier: BSD-3-Clause
 *
 * papi_gate: finds out whether a program does more than it did, by exact counts.
 */
#include "base/visible.h"
#include "child.h"
#include "counting.h"
#include "gate_file.h"
#include "history.h"
#include "identity.h"
#include "notes.h"
#include "output.h"
#include "papi.h"
#include "tools/common/allocate.h"
#include "tools/common/terminal.h"
#include "tools/common/tool.h"
#include "tools/common/tool_files.h"
#include "tools/common/tool_words.h"
#include "verbs.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char usage_text[] =
    "Usage: papi_gate record [OPTION]... COMMAND [ARGUMENT]...\n"
    "       papi_gate check [OPTION]... [COMMAND [ARGUMENT]...]\n"
    "       papi_gate report [OPTION]... BEFORE.json AFTER.json\n"
    "       papi_gate bisect --help\n"
    "Finds out whether a program does more than it did, by region, routine and line.\n"
    "It is a counted build (papi_counted gcc ...) with -g, or runs in the emulator.\n"
    "\n"
    "  -b, --baseline=FILE  what record writes and check reads (gate.json)\n"
    "      --emulate        any program, with simulated caches, many times slower\n"
    "  -e, --event=EVENT    to judge, or to count in the emulator; can be repeated\n"
    "      --input=FILE     that the program reads: check says if it is another\n"
    "      --limit=LIMIT    by which counts may rise: 1%, 5000, 1%+5000 (1%)\n"
    "      --limits=FILE    limits of events, regions and routines (gate.limits)\n"
    "  -m, --model=NAME     processor to estimate time of: zen3, FILE.json, none\n"
    "  -r, --runs=NUMBER    of the program, to find what varies (1)\n"
    "  -o, --output=FILE    of check: what it counted, as record would write it\n"
    "      --markdown=FILE, --junit=FILE  the comparison in these forms, too\n"
    "      --history=FOLDER, --html=FILE  of report: results of commits, as a page\n"
    "      --notes[=NAME]   results are git's notes of commits: no files, no folder\n"
    "      --record-by=TEXT  what check says to run where it finds no baseline\n"
    "      --json, --version, -h, --help\n"
    "\n"
    "Exit status: 0: none above its limit; 1: one is; 2: wrong options; 3: not done.\n";

_Noreturn void memory_is_out(void)
{
    fputs("papi_gate: out of memory\n", stderr);
    output_drop_all();
    exit(EXIT_NOT_DONE);
}

static const char usual_baseline[] = "gate.json", usual_limits[] = "gate.limits";

/* ---- files */

typedef void writer(FILE *out, const void *what);

/* Writes a file. Signals that end this process wait, so that no half of one is left. */
static int write_file(struct tool *tool, const char *path, writer *write, const void *what)
{
    struct output output = {.file = NULL};
    sigset_t stops, before;
    const char *why = output_open(&output, path);
    child_stops(&stops);
    sigprocmask(SIG_BLOCK, &stops, &before);
    if (why == NULL && output.part[0] == '\0')
        sigprocmask(SIG_SETMASK, &before, NULL); /* who reads a pipe may take his time */
    if (why == NULL) {
        write(output.file, what);
        why = output_close(&output);
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
    return why != NULL ? tool_error(tool, "%s: %s", path, why) : TOOL_FINE;
}

static void write_counts(FILE *out, const void *counts)
{
    gate_write(out, counts);
}

static void write_markdown(FILE *out, const void *comparison)
{
    output_markdown(out, comparison);
}

static void write_junit(FILE *out, const void *comparison)
{
    output_junit(out, comparison);
}

/* ---- counting */

void verbs_advise(struct tool *tool, const char *why, bool uncounted, const char *command)
{
    tool_error(tool, "%s", why);
    if (uncounted)
        tool_error(tool,
                   "build it by papi_counted (\"papi_counted gcc -g -O2 ...\"), or run \"papi_gate record "
                   "--emulate %s\"",
                   command);
}

static const char no_model[] = "none";

int verbs_model(struct tool *tool, const struct options *options, const char *name, struct model *model)
{
    *model = (struct model){.name = NULL};
    if (options->emulate && options->model != NULL && strcmp(options->model, no_model) != 0)
        return tool_usage_error(tool, "--model is for counted builds: the emulator estimates no time");
    if (options->emulate || name == NULL || strcmp(name, no_model) == 0)
        return TOOL_FINE;
    char *why = model_read(model, name);
    if (why != NULL)
        tool_usage_error(tool, "--model=%s", why);
    free(why);
    return tool->status;
}

static void count_by(struct tool *tool, const struct options *options, char *const *command,
                     const struct model *model, struct counts *counts)
{
    struct counting counting = {.emulate = options->emulate,
                                .runs = options->runs,
                                .model = model->name != NULL ? model : NULL,
                                .events = &options->events,
                                .inputs = &options->inputs,
                                /* Standard output is JSON alone. */
                                .file = {[STDOUT_FILENO] = tool->report.json ? STDERR_FILENO : 0}};
    char *why = counting_take(&counting, command, counts);
    if (counting.signal != 0)
        raise(counting.signal);
    if (why != NULL)
        verbs_advise(tool, why, counting.uncounted, command[0]);
    free(why);
}

static int count(struct tool *tool, const struct options *options, char *const *command,
                 struct counts *counts)
{
    struct model model;
    const char *name = options->model != NULL ? options->model : model_of_machine();
    if (verbs_model(tool, options, name, &model) == TOOL_FINE)
        count_by(tool, options, command, &model, counts);
    model_free(&model);
    return tool->status;
}

/* ---- verbs */

static void say_time(const struct counts *counts)
{
    double sum = 0, least = 0, most = 0;
    int event = counts->n_events - 1;
    while (event >= 0 && strcmp(counts->event[event], GATE_TIME) != 0)
        event--;
    for (size_t i = 0; event >= 0 && i < counts->n_routines; i++) {
        sum += (double)counts->routine[i].count[event].value;
        least += (double)counts->routine[i].count[event].least;
        most += (double)counts->routine[i].count[event].most;
    }
    if (event < 0)
        return;
    char *text = words_amount(GATE_TIME, sum), *low = words_amount(GATE_TIME, least),
         *high = words_amount(GATE_TIME, most);
    visible_print(stderr, "; estimated time %s (%s to %s, model %s, all data in the first cache)", text, low,
                  high, counts->model);
    free(text), free(low), free(high);
}

static void say_recorded(const struct counts *counts, const char *place)
{
    int n = 0;
    for (size_t i = 0; i < counts->n_routines; i++)
        for (int k = 0; k < counts->n_events; k++)
            n += count_varies(&counts->routine[i].count[k]) && !counts->routine[i].count[k].estimated;
    visible_print(stderr, "papi_gate: %s: %zu routine%s, %d process%s, %d run%s", place, counts->n_routines,
                  counts->n_routines != 1 ? "s" : "", counts->processes, counts->processes != 1 ? "es" : "",
                  counts->runs, counts->runs != 1 ? "s" : "");
    say_time(counts);
    if (counts->no_time != NULL)
        visible_print(stderr, "; no estimated time: %s", counts->no_time);
    if (n > 0)
        fprintf(stderr, "; %d counts vary from run to run and will be in no total", n);
    fputc('\n', stderr);
    /* A comparison has it among its notes. */
    if (counts->newer != NULL) {
        visible_print(stderr, "papi_gate: " COMPARE_STALE, counts->newer, counts->older);
        fputc('\n', stderr);
    }
}

static int fail(struct tool *tool, char *why)
{
    if (why != NULL)
        tool_error(tool, "%s", why);
    free(why);
    return tool->status;
}

/* Counts, and keeps the result as the note of the commit. */
static void record_note(struct tool *tool, const struct options *options, char *const *command,
                        struct counts *counts)
{
    struct notes notes;
    char *why = notes_open(&notes, options->notes);
    if (fail(tool, why != NULL ? why : notes_refuse(&notes)) == TOOL_FINE &&
        count(tool, options, command, counts) == TOOL_FINE &&
        fail(tool, notes_add(&notes, counts)) == TOOL_FINE) {
        char *place = memory_print("note of %.*s in %s", NOTES_SHORT, notes.head, notes.ref);
        say_recorded(counts, place);
        free(place);
    }
    notes_close(&notes);
}

/* Refuses words that JSON cannot have: check would run another command. */
static int refuse_words(struct tool *tool, char *const *command)
{
    for (size_t i = 0; command[i] != NULL; i++) {
        const char *at = command[i];
        int length;
        while (*at != '\0' && (length = utf8_length(at)) > 0)
            at += length;
        if (*at != '\0')
            return tool_usage_error(tool,
                                    "\"%s\" is not UTF-8, and no result can keep it: give the file another "
                                    "name, or a link with one (ln -s)",
                                    command[i]);
    }
    return TOOL_FINE;
}

/* Refuses a place in which no file can be made, before a run that may take hours. */
static int refuse_place(struct tool *tool, const char *path)
{
    struct output output = {.file = NULL};
    struct stat found;
    if (stat(path, &found) == 0 && !S_ISREG(found.st_mode) && !S_ISDIR(found.st_mode))
        return TOOL_FINE; /* a pipe would have its end */
    const char *why = output_open(&output, path);
    output_drop(&output);
    return why != NULL
               ? tool_error(tool, "%s: %s: nothing was run; name another file by --baseline", path, why)
               : TOOL_FINE;
}

static void record_file(struct tool *tool, const struct options *options, char *const *command,
                        struct counts *counts)
{
    const char *path = options->baseline != NULL ? options->baseline : usual_baseline;
    if (refuse_place(tool, path) == TOOL_FINE && count(tool, options, command, counts) == TOOL_FINE &&
        write_file(tool, path, write_counts, counts) == TOOL_FINE)
        say_recorded(counts, path);
}

static int record(struct tool *tool, const struct options *options, char *const *command)
{
    struct counts counts = {.n_events = 0};
    if (options->output != NULL || options->limit != NULL || options->limits != NULL ||
        options->markdown != NULL || options->junit != NULL || tool->report.json)
        return tool_usage_error(
            tool, "record compares nothing and writes one file, --baseline=FILE: --output, --limit, "
                  "--limits, --markdown, --junit and --json are options of check");
    if (command[0] == NULL)
        return tool_usage_error(tool, "the COMMAND to run is missing");
    if (refuse_words(tool, command) != TOOL_FINE)
        return tool->status;
    if (options->notes != NULL)
        record_note(tool, options, command, &counts);
    else
        record_file(tool, options, command, &counts);
    counts_free(&counts);
    return tool->status;
}

/* The file of limits that was named, or that in this folder, or that beside the baseline. To be freed. */
static char *limits_path(const struct options *options)
{
    const char *slash = options->baseline != NULL ? strrchr(options->baseline, '/') : NULL;
    if (options->limits != NULL)
        return memory_text(options->limits);
    if (slash == NULL || access(usual_limits, F_OK) == 0)
        return memory_text(usual_limits);
    return memory_print("%.*s/%s", (int)(slash - options->baseline), options->baseline, usual_limits);
}

int verbs_limits(struct tool *tool, const struct options *options, struct limits *limits)
{
    *limits = (struct limits){.usual = {.share = 0.01}, .least = 1e-4, .least_calls = 1e-6};
    if (options->limit != NULL && !limit_read(&limits->usual, options->limit))
        return tool_usage_error(tool, "--limit=%s: a limit is 1%%, 5000 or 1%%+5000", options->limit);
    char *path = limits_path(options);
    /* A link that leads nowhere is a file that was meant. */
    bool there = faccessat(AT_FDCWD, path, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
    char *why = options->limits != NULL || there ? limits_read(limits, path) : NULL;
    if (why != NULL)
        tool_error(tool, "%s", why);
    free(why);
    free(path);
    return tool->status;
}

static int show(struct tool *tool, const struct options *options, const struct comparison *comparison)
{
    if (tool->report.json)
        output_json(tool->report.plain, comparison);
    else
        output_text(tool->report.out, comparison);
    if (options->markdown != NULL)
        write_file(tool, options->markdown, write_markdown, comparison);
    if (options->junit != NULL)
        write_file(tool, options->junit, write_junit, comparison);
    return tool->status;
}

struct judged verbs_judged(const struct options *options)
{
    struct judged judged = {{NULL}};
    for (int i = 0; i < options->events.n && i < OPTION_MOST_WORDS; i++)
        judged.event[i] = options->events.word[i];
    return judged;
}

int verbs_refuse(struct tool *tool, const struct comparison *comparison, const struct judged *judged)
{
    for (int i = 0; judged->event[i] != NULL && tool->status == TOOL_FINE; i++) {
        if (compare_event(comparison, judged->event[i]) >= 0)
            continue;
        char *stranger = compare_stranger(comparison, judged->event[i]);
        tool_usage_error(tool, "--event=%s", stranger);
        free(stranger);
    }
    if (tool->status == TOOL_FINE && !compare_has_judged(comparison))
        tool_error(tool,
                   "nothing was judged: the results have no judged event in common, limits leave out all, or "
                   "all varies: run \"papi_gate record COMMAND\" again, name events by -e, or have a region "
                   "around what does not vary");
    return tool->status;
}

/* Refuses results of two modes: the emulator counts libraries, too. */
static int refuse_mode(struct tool *tool, const char *before, const char *after)
{
    if (strcmp(before, after) == 0)
        return TOOL_FINE;
    return tool_error(tool,
                      "a result that was %s cannot be compared with one that is %s: record one of this mode "
                      "in another file, \"papi_gate record%s -b %s.json COMMAND\"",
                      before, after, strcmp(after, GATE_EMULATED) == 0 ? " --emulate" : "", after);
}

/* Refuses a result in which nothing was counted: compared with another one of its kind, all would be the
 * same. */
static int refuse_empty(struct tool *tool, const struct counts *before, const struct counts *after)
{
    if (counts_any(before) && counts_any(after))
        return TOOL_FINE;
    return tool_error(
        tool,
        "nothing was counted in the result %s, so that there is nothing to compare: \"papi_gate record "
        "COMMAND\" makes one",
        counts_any(before) ? "now" : "before");
}

/* Compares and shows. True: a count is outside its limit. */
static bool judge(struct tool *tool, const struct options *options, const struct counts *before,
                  const struct counts *after)
{
    struct limits limits;
    struct comparison comparison;
    struct judged judged = verbs_judged(options);
    bool failed = false;
    if (verbs_limits(tool, options, &limits) == TOOL_FINE &&
        refuse_mode(tool, before->mode, after->mode) == TOOL_FINE &&
        refuse_empty(tool, before, after) == TOOL_FINE) {
        compare(&comparison, before, after, &limits, judged.event[0] != NULL ? judged.event : NULL);
        if (verbs_refuse(tool, &comparison, &judged) == TOOL_FINE)
            show(tool, options, &comparison);
        failed = comparison.n_failed > 0;
        compare_free(&comparison);
    }
    limits_free(&limits);
    return failed;
}

static int read_counts(struct tool *tool, const char *path, struct counts *counts)
{
    char *why = gate_read(counts, path);
    if (why != NULL)
        tool_error(tool, "%s", why);
    free(why);
    return tool->status;
}

/* Has time estimated as in the result before, on whatever machine this is: not at all where it was not. */
static void choose_as_before(struct options *options, struct counts *before)
{
    const char *model = before->model != NULL ? before->model : "";
    size_t n = strcspn(model, " ");
    if (options->model != NULL || options->emulate)
        return;
    char *name = memory_print("%.*s", (int)n, model);
    options->model = n > 0 ? counts_text(before, name) : no_model;
    free(name);
}

static void say_compared(const struct noted *noted)
{
    if (noted->distance == 0)
        visible_print(stderr, "papi_gate: compared with the note of %.*s, which the tree differs from",
                      NOTES_SHORT, noted->commit);
    else
        visible_print(stderr, "papi_gate: compared with the note of %.*s, %zu commit%s before", NOTES_SHORT,
                      noted->commit, noted->distance, noted->distance != 1 ? "s" : "");
    fputc('\n', stderr);
}

/* Reads the note of the newest commit before this one; of this one where the tree differs from it. */
static int read_note(struct tool *tool, const struct options *options, struct counts *before)
{
    struct notes notes;
    struct noted_list list = {.n = 0};
    char *why = notes_open(&notes, options->notes);
    if (why == NULL)
        why = notes_list(&notes, notes.changed, &list);
    if (why == NULL)
        why = notes_read(&notes, &list.row[0], before);
    if (why == NULL)
        say_compared(&list.row[0]);
    noted_free(&list);
    notes_close(&notes);
    return fail(tool, why);
}

/* Refuses to compare, with the command that makes the result to compare with. */
static int no_baseline(struct tool *tool, const struct options *options, const char *path,
                       char *const *command)
{
    static char *const any[] = {(char *)"COMMAND", NULL};
    char *words[3];
    int n = 0;
    if (options->emulate)
        words[n++] = (char *)"--emulate";
    if (options->baseline != NULL) {
        words[n++] = (char *)"-b";
        words[n++] = (char *)options->baseline;
    }
    char *own = tool_command("papi_gate record", NULL, words, n, command[0] != NULL ? command : any);
    tool_error(tool, "%s: there is nothing to compare with: run \"%s\" first", path,
               options->record_by != NULL ? options->record_by
               : own != NULL              ? own
                                          : "papi_gate record");
    free(own);
    return TOOL_ERROR;
}

/* Reads the result to compare with. */
static int read_baseline(struct tool *tool, const struct options *options, char *const *command,
                         struct counts *before)
{
    const char *path = options->baseline != NULL ? options->baseline : usual_baseline;
    if (options->notes != NULL)
        return read_note(tool, options, before);
    if (access(path, F_OK) != 0)
        return no_baseline(tool, options, path, command);
    return read_counts(tool, path, before);
}

/* Looks at the inputs that the baseline names, where check names none. */
static void choose_inputs(struct options *options, const struct counts *before)
{
    if (options->inputs.n > 0)
        return;
    for (size_t i = 0; i < before->n_inputs && i < OPTION_MOST_WORDS; i++)
        if (strcmp(before->input[i].path, INPUT_STANDARD) != 0 && access(before->input[i].path, R_OK) == 0)
            options->inputs.word[options->inputs.n++] = before->input[i].path;
}

/* Removes what an earlier comparison left in a form: a check that is not done is not to show that one's
 * verdict. */
static void remove_earlier(const char *path)
{
    struct stat file;
    if (path != NULL && lstat(path, &file) == 0 && S_ISREG(file.st_mode))
        unlink(path);
}

static bool check(struct tool *tool, struct options *options, char *const *command)
{
    struct counts before = {.n_events = 0}, after = {.n_events = 0};
    bool failed = false;
    int read = read_baseline(tool, options, command, &before);
    remove_earlier(options->markdown);
    remove_earlier(options->junit);
    if (read == TOOL_FINE) {
        options->emulate |= strcmp(before.mode, GATE_EMULATED) == 0;
        choose_as_before(options, &before);
        choose_inputs(options, &before);
        const char *mode = options->emulate ? GATE_EMULATED : GATE_COUNTED;
        if (refuse_mode(tool, before.mode, mode) == TOOL_FINE &&
            count(tool, options, command[0] != NULL ? command : before.command, &after) == TOOL_FINE)
            failed = judge(tool, options, &before, &after);
    }
    if (tool->status == TOOL_FINE && options->output != NULL)
        write_file(tool, options->output, write_counts, &after);
    counts_free(&before);
    counts_free(&after);
    return failed;
}

static void write_history(FILE *out, const void *history)
{
    history_page(out, history);
}

/* Shows the results of a folder or of notes, as text or JSON, and as a page. */
static void show_history(struct tool *tool, const struct options *options)
{
    struct history history;
    struct limits limits;
    struct judged judged = verbs_judged(options);
    char *why = options->notes != NULL ? history_read_notes(&history, options->notes)
                                       : history_read(&history, options->history);
    for (size_t i = 0; i < history.n_unread; i++) {
        visible_print(stderr, "papi_gate: left out: %s", history.unread[i]);
        fputc('\n', stderr);
    }
    if (why != NULL)
        tool_error(tool, "%s", why);
    if (verbs_limits(tool, options, &limits) == TOOL_FINE && tool->status == TOOL_FINE) {
        history_make(&history, &limits, judged.event[0] != NULL ? judged.event : NULL);
        if (history.n_series == 0)
            tool_error(tool, "no result has a judged event: name some of those in the results by -e");
        else if (tool->report.json)
            history_json(tool->report.plain, &history);
        else
            history_text(tool->report.out, &history);
    }
    if (tool->status == TOOL_FINE && options->html != NULL)
        write_file(tool, options->html, write_history, &history);
    limits_free(&limits);
    history_free(&history);
    free(why);
}

static bool report(struct tool *tool, const struct options *options, char *const *file)
{
    struct counts before = {.n_events = 0}, after = {.n_events = 0};
    bool failed = false;
    if (options->baseline != NULL || options->emulate || options->inputs.n > 0 || options->runs != 1 ||
        options->model != NULL || options->output != NULL)
        tool_usage_error(
            tool, "report runs nothing: --baseline, --emulate, --input, --model, --runs and --output are "
                  "options of record and check");
    else if (options->history != NULL && options->notes != NULL)
        tool_usage_error(tool, "--history is of a folder, --notes of commits: choose one of them");
    else if ((options->history != NULL || options->notes != NULL) &&
             (file[0] != NULL || options->markdown != NULL || options->junit != NULL))
        tool_usage_error(tool, "a history is text, JSON or a page: papi_gate report --history=FOLDER "
                               "--html=FILE, or --notes in place of a folder");
    else if (options->history != NULL || options->notes != NULL)
        show_history(tool, options);
    else if (options->html != NULL)
        tool_usage_error(
            tool, "--html=FILE is the page of a history: papi_gate report --history=FOLDER --html=FILE");
    else if (file[0] == NULL || file[1] == NULL || file[2] != NULL)
        tool_usage_error(tool, "report compares two results: papi_gate report BEFORE.json AFTER.json");
    else if (read_counts(tool, file[0], &before) == TOOL_FINE &&
             read_counts(tool, file[1], &after) == TOOL_FINE)
        failed = judge(tool, options, &before, &after);
    counts_free(&before);
    counts_free(&after);
    return failed;
}

/* Gives notes their usual name where they have none. False: it cannot be one. */
static bool notes_name(struct options *options)
{
    static const char most[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
    if (options->notes[0] == '\0')
        options->notes = "gate";
    return options->notes[strspn(options->notes, most)] == '\0' && options->notes[0] != '-';
}

/* Returns the exit status where the tool's is TOOL_FINE. */
static int act(struct tool *tool, struct options *options, const char *verb, char **rest)
{
    if ((options->history != NULL || options->html != NULL) && strcmp(verb, "report") != 0)
        tool_usage_error(tool, "--history and --html are options of report");
    else if (options->notes != NULL && (strcmp(verb, "bisect") == 0 || options->baseline != NULL))
        tool_usage_error(tool, "--notes is an option of record, check and report, in place of --baseline");
    else if (options->notes != NULL && !notes_name(options))
        tool_usage_error(tool, "--notes=%s: a name of notes is letters, digits, '-' and '_'", options->notes);
    else if (options->first_parent && strcmp(verb, "bisect") != 0)
        tool_usage_error(tool, "--first-parent is an option of bisect");
    else if (strcmp(verb, "record") == 0)
        record(tool, options, rest);
    else if (strcmp(verb, "check") == 0)
        return check(tool, options, rest) ? EXIT_ABOVE : 0;
    else if (strcmp(verb, "report") == 0)
        return report(tool, options, rest) ? EXIT_ABOVE : 0;
    else if (strcmp(verb, "bisect") == 0)
        return bisect(tool, options, rest);
    else
        tool_usage_error(tool, "%s: the verbs are record, check, report and bisect", verb);
    return 0;
}

static int end(struct tool *tool, int answer)
{
    int status = tool_end(tool);
    return status == TOOL_USAGE ? EXIT_WRONG : status != TOOL_FINE ? EXIT_NOT_DONE : answer;
}

int main(int argc, char **argv)
{
    static const struct option_row rows[] = {
        {0, "+", OPTION_PROGRAM, 0, 0, 0},
        {'b', "baseline", OPTION_TEXT, offsetof(struct options, baseline), 0, 0},
        {0, "emulate", OPTION_SET, offsetof(struct options, emulate), 0, 0},
        {'e', "event", OPTION_EACH, offsetof(struct options, events), 0, 0},
        {0, "first-parent", OPTION_SET, offsetof(struct options, first_parent), 0, 0},
        {0, "input", OPTION_EACH, offsetof(struct options, inputs), 0, 0},
        {0, "limit", OPTION_TEXT, offsetof(struct options, limit), 0, 0},
        {0, "limits", OPTION_TEXT, offsetof(struct options, limits), 0, 0},
        {'m', "model", OPTION_TEXT, offsetof(struct options, model), 0, 0},
        {'r', "runs", OPTION_NUMBER, offsetof(struct options, runs), 1, 1000},
        {'o', "output", OPTION_TEXT, offsetof(struct options, output), 0, 0},
        {0, "markdown", OPTION_TEXT, offsetof(struct options, markdown), 0, 0},
        {0, "history", OPTION_TEXT, offsetof(struct options, history), 0, 0},
        {0, "html", OPTION_TEXT, offsetof(struct options, html), 0, 0},
        {0, "notes", OPTION_OPTIONAL, offsetof(struct options, notes), 0, 0},
        {0, "record-by", OPTION_TEXT, offsetof(struct options, record_by), 0, 0},
        {0, "junit", OPTION_TEXT, offsetof(struct options, junit), 0, 0},
        {0},
    };
    struct tool tool = {.name = "papi_gate", .usage = usage_text};
    struct options options = {.runs = 1};
    int answer = 0;
    if (tool_read(&tool, argc, argv, rows, &options) != 0)
        return end(&tool, 0);
    /* The verb is among the options: those behind it are read as those before. */
    const char *verb = argv[optind];
    bool runs = verb == NULL || strcmp(verb, "report") != 0;
    char **rest = argv + optind;
    if (verb != NULL) {
        if (strcmp(verb, "bisect") == 0)
            tool.usage = bisect_usage;
        rest[0] = argv[0];
        optind = 0;
        if (tool_read(&tool, argc - (int)(rest - argv), rest, runs ? rows : rows + 1, &options) != 0)
            return end(&tool, 0);
    }
    if (verb == NULL)
        tool_usage_error(&tool, "a verb is missing: record, check, report or bisect");
    else if (tool_open(&tool) == TOOL_FINE)
        answer = act(&tool, &options, verb, rest + optind);
    return end(&tool, answer);
}

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * papi_why: why a program is slow, in a page.
 */
#include "base/task_stat.h"
#include "base/visible.h"
#include "gather.h"
#include "reasons.h"
#include "result.h"
#include "tools/common/allocate.h"
#include "tools/common/mpi_launcher.h"
#include "tools/common/other_program.h"
#include "tools/common/terminal.h"
#include "tools/common/tool.h"
#include "tools/common/tool_files.h"
#include "tools/common/tool_words.h"
#include "why_page.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char usage_text[] =
    "Usage: papi_why [OPTION]... PROGRAM [ARGUMENT]...\n"
    "       papi_why [OPTION]... --show=FILE\n"
    "Says why a program is slow: where its time goes, what it waits for there, and\n"
    "what helps, with the line (of programs compiled with -g). It runs the program\n"
    "two to four times, once in the emulator. The first run has its input and\n"
    "output, and the report follows on standard error.\n"
    "\n"
    "      --html=FILE      the report as a page for a browser, too\n"
    "      --limit=SECONDS  for the run in the emulator, which is left out where it\n"
    "                       would take longer (300); 0: it is left out\n"
    "  -n, --reasons=NUMBER that are shown at most (5)\n"
    "  -o, --output=FILE    the report goes there; -: to standard output\n"
    "      --roofs=FILE     what the machine can do, as papi_roofline -o wrote it\n"
    "      --show=FILE      a result that --json -o FILE kept\n"
    "      --json           for programs: one JSON object, on standard output\n"
    "      --version        the version of the interface\n"
    "  -h, --help           this text\n"
    "\n"
    "Exit status: 0 if a report was made; that of the PROGRAM; 1 after an error, 2\n"
    "for wrong options, 127 if the PROGRAM cannot be run.\n";

_Noreturn void memory_is_out(void)
{
    fputs("papi_why: out of memory\n", stderr);
    output_drop_all();
    exit(1);
}

struct options {
    long long limit, most;
    const char *output, *html, *roofs, *show;
};

/* ---- words */

static char *command_text(char *const *word)
{
    char *text = memory_text(word[0]);
    for (int i = 1; word[i] != NULL; i++) {
        char *more = memory_print("%s %s", text, word[i]);
        free(text);
        text = more;
    }
    return text;
}

/* ---- report */

static void put_reason(struct report *report, int number, const struct json_t *reason)
{
    const char *confidence = result_text(reason, "confidence"), *helps = result_text(reason, "helps");
    const char *ask = result_text(reason, "ask"), *routine = result_text(reason, "routine");
    int line = (int)result_real(reason, "line");
    bool known = strcmp(confidence, confidence_names[CONFIDENCE_NONE]) != 0;
    report_blank(report);
    report_say(report, "%d. %.0f %% of the time%s%s: %s", number, result_real(reason, "share") * 100,
               known ? ", " : "", known ? confidence : "", result_text(reason, "sentence"));
    if (line > 0)
        report_line(report, NULL, "   %s:%d  %s", path_base(result_text(reason, "file")), line,
                    result_text(reason, "source"));
    else if (routine[0] != '\0')
        report_line(report, NULL, "   in %s", routine);
    if (helps[0] != '\0')
        report_say(report, "What helps: %s.", helps);
    if (ask[0] != '\0')
        report_line(report, NULL, "   %s", ask);
}

static void put_head(struct report *report, const struct json_t *result)
{
    struct result_run run = result_run(result);
    char ranks[32] = "";
    if (run.ranks > 0)
        snprintf(ranks, sizeof ranks, "%d rank%s, ", run.ranks, run.ranks > 1 ? "s" : "");
    report_line(report, NULL, "papi_why: %s", result_text(result, "command"));
    report_say(
        report,
        "%.2f s, %s%d thread%s on %d processor%s; computing %.0f %%, the kernel %.0f %%, waiting %.0f %%",
        run.seconds, ranks, run.threads, run.threads > 1 ? "s" : "", run.processors,
        run.processors > 1 ? "s" : "", 100 * run.computing, 100 * run.kernel, 100 * run.waiting);
    if (run.delayed > result_busy)
        report_say(report, RESULT_BUSY, run.delayed * 100);
}

static void put_unknown(struct report *report, const struct json_t *result)
{
    const char *sentence;
    for (int i = 0; (sentence = result_unknown(result, i)) != NULL; i++) {
        if (i == 0)
            report_blank(report);
        report_say(report, "Not known: %s.", sentence);
    }
}

static void put_text(struct report *report, const struct json_t *result)
{
    const struct json_t *reason;
    put_head(report, result);
    for (int i = 0; (reason = result_reason(result, i)) != NULL; i++)
        put_reason(report, i + 1, reason);
    if (result_reason(result, 0) == NULL) {
        char *none = result_without_reasons(result);
        report_blank(report);
        report_say(report, "%s", none);
        free(none);
    }
    put_unknown(report, result);
}

static void put_all(struct report *report, const struct json_t *result)
{
    if (report->json)
        result_write(report->plain, result);
    else
        put_text(report, result);
}

static void write_page(struct tool *tool, const char *path, const struct json_t *result)
{
    struct output output = {.file = NULL};
    const char *why = output_open(&output, path);
    if (why == NULL) {
        why_page(output.file, result);
        why = output_close(&output);
    }
    if (why != NULL)
        tool_error(tool, "%s: %s", path, why);
}

/* To standard output, whatever is there beside. */
static int show_here(struct tool *tool, const struct json_t *result)
{
    put_all(&tool->report, result);
    return TOOL_FINE; /* tool_end says what standard output refused */
}

/* To a file, or the text to standard error and JSON to standard output. */
static int show(struct tool *tool, const struct json_t *result, const char *path)
{
    struct report *report = &tool->report;
    struct output output = {.file = NULL};
    FILE *out = report->out, *plain = report->plain;
    const char *why = NULL;
    if (path != NULL && strcmp(path, "-") == 0)
        return show_here(tool, result);
    if (path != NULL && (why = output_open(&output, path)) != NULL)
        return tool_error(tool, "%s: %s", path, why);
    report->out = path != NULL ? output.file : terminal_open(stderr);
    report->plain = path != NULL ? output.file : plain;
    put_all(report, result);
    if (path == NULL)
        terminal_close(report->out, stderr);
    report->out = out;
    report->plain = plain;
    why = path != NULL ? output_close(&output) : NULL;
    return why != NULL ? tool_error(tool, "%s: %s", path, why) : TOOL_FINE;
}

/* Shows a result that was kept. Nothing else is on standard output: it goes there. */
static void show_kept(struct tool *tool, const struct options *options)
{
    char *why = NULL;
    struct json_t *result = result_read(options->show, &why);
    if (result == NULL)
        tool_error(tool, "%s", why);
    else
        show(tool, result, options->output != NULL ? options->output : "-");
    if (result != NULL && options->html != NULL)
        write_page(tool, options->html, result);
    result_free(result);
    free(why);
}

enum { NOT_RUN = 127 }; /* the exit status, the same as the shell's */

/* NULL: the program can be run. Else what prevents it. */
static const char *program_lacks(const char *program)
{
    const char *folder = secure_getenv("PATH");
    if (strchr(program, '/') != NULL)
        return access(program, X_OK) == 0 ? NULL : strerror(errno);
    while (folder != NULL && folder[0] != '\0') {
        size_t length = strcspn(folder, ":");
        char *path = memory_print("%.*s/%s", (int)length, folder, program);
        bool found = access(path, X_OK) == 0;
        free(path);
        if (found)
            return NULL;
        folder += length + (folder[length] == ':');
    }
    return "no such program in PATH";
}

/* The launcher that papi_mpirun would use. */
static const char *launcher_name(void)
{
    const char *name = secure_getenv("PAPI_MPIRUN");
    return name != NULL && name[0] != '\0' ? name : "mpirun";
}

/* The words after papi_mpirun's own options, which are those of mpirun. */
static char *const *after_pages(char *const *word)
{
    while (*word != NULL && (*word)[0] == '-' && strchr(*word, '=') != NULL) /* --page=FILE and its like */
        word++;
    return word;
}

/* Refuses to be one of several ranks, each with a report of its own: the first says what works.
 *   own  the tool's own words, as a command; rest: those of the program */
static void refuse_rank(struct tool *tool, const struct launcher *launcher, const char *own, const char *rest)
{
    if (launcher->rank == 0)
        tool_error(tool, "it looks at a job from outside: run \"%s %s -n %d%s\"", own, launcher_name(),
                   launcher->size > 0 ? launcher->size : 2, rest);
    tool->status = TOOL_ERROR;
}

/* Refuses another tool in the place of the program, and to be itself in the place of one, with the command
 * that is meant.
 *   n  words between this tool's name and the program */
static int check_tool(struct tool *tool, char **argv, int n)
{
    static char *const none[] = {NULL};
    char *const *program = argv + 1 + n;
    const char *other = tool_word(program);
    struct launcher launcher;
    bool rank = launcher_find(&launcher) && launcher.size != 1;
    bool job = other != NULL && strcmp(other, "papi_mpirun") == 0;
    if (other == NULL && !rank && !emulated_already())
        return TOOL_FINE;
    char *own = tool_command(tool->name, NULL, argv + 1, n, none);
    char *rest = tool_command(job ? launcher_name() : "", NULL, NULL, 0,
                              job ? after_pages(program + 1) : tool_program(program));
    if (own == NULL || rest == NULL)
        memory_is_out();
    if (rank)
        refuse_rank(tool, &launcher, own, rest);
    else
        tool_error(tool, "it runs the other tools itself: run \"%s%s%s\"", own, job ? " " : "", rest);
    free(own);
    free(rest);
    return TOOL_ERROR;
}

static void tell(struct tool *tool, const struct gather *gather, const struct options *options)
{
    struct reasons reasons = {.n = 0};
    char *command = command_text(gather->program);
    reasons_find(&reasons, &gather->facts, command);
    struct json_t *result = result_make(gather, &reasons, command, (int)options->most);
    show(tool, result, options->output);
    if (options->html != NULL)
        write_page(tool, options->html, result);
    result_free(result);
    reasons_free(&reasons);
    free(command);
}

static void ask(struct tool *tool, struct gather *gather, const struct options *options)
{
    char *why = gather_all(gather);
    if (why != NULL)
        tool_error(tool, "%s", why);
    else
        tell(tool, gather, options);
    free(why);
}

int main(int argc, char **argv)
{
    static const struct option_row rows[] = {
        {0, "+", OPTION_PROGRAM, 0, 0, 0},
        {0, "html", OPTION_TEXT, offsetof(struct options, html), 0, 0},
        {0, "limit", OPTION_NUMBER, offsetof(struct options, limit), 0, INT_MAX},
        {'n', "reasons", OPTION_NUMBER, offsetof(struct options, most), 1, INT_MAX},
        {'o', "output", OPTION_TEXT, offsetof(struct options, output), 0, 0},
        {0, "roofs", OPTION_TEXT, offsetof(struct options, roofs), 0, 0},
        {0, "show", OPTION_TEXT, offsetof(struct options, show), 0, 0},
        {0},
    };
    struct tool tool = {.name = "papi_why", .usage = usage_text};
    struct options options = {.limit = 300, .most = 5};
    struct gather gather = {.program = NULL};
    if (tool_read(&tool, argc, argv, rows, &options) != 0)
        return tool_end(&tool);
    gather.program = argv + optind;
    gather.limit = (double)options.limit;
    gather.roofs = options.roofs;
    const char *lacks = NULL;
    if (options.show != NULL && gather.program[0] == NULL) {
        show_kept(&tool, &options);
        return tool_end(&tool);
    }
    if (options.show != NULL)
        tool_usage_error(&tool, "%s: --show runs no program", gather.program[0]);
    else if (gather.program[0] == NULL)
        tool_usage_error(&tool, "which PROGRAM?");
    else if (check_tool(&tool, argv, optind - 1) == TOOL_FINE)
        lacks = program_lacks(gather.program[0]);
    if (tool.status == TOOL_FINE && !task_files_are_ours())
        tool_error(&tool,
                   "/proc does not show the processes of this PID namespace, and what the program waits "
                   "for cannot be seen: mount one here (mount -t proc proc /proc, unshare --mount-proc)");
    if (tool.status != TOOL_FINE)
        return tool_end(&tool);
    if (lacks != NULL)
        tool_error(&tool, "%s: %s", gather.program[0], lacks);
    else if (tool_open(&tool) == TOOL_FINE)
        ask(&tool, &gather, &options);
    int ended = gather.status;
    gather_end(&gather);
    bool fine = tool.status == TOOL_FINE;
    int status = tool_end(&tool);
    if (lacks != NULL)
        return NOT_RUN;
    if (!fine || status != TOOL_FINE)
        return status;
    end_like(ended);
}

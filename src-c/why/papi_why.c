/* SPDX-License-Identifier: BSD-3-Clause
 *
 * papi_why: why a program is slow, in a page.
 */
#include "base/visible.h"
#include "gather.h"
#include "reasons.h"
#include "tools/common/allocate.h"
#include "tools/common/other_program.h"
#include "tools/common/terminal.h"
#include "tools/common/tool.h"
#include "tools/common/tool_files.h"
#include "tools/common/tool_words.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char usage_text[] =
    "Usage: papi_why [OPTION]... PROGRAM [ARGUMENT]...\n"
    "Says why a program is slow: where its time goes, what it waits for there, and\n"
    "what helps, with the line (of programs compiled with -g). It runs the program\n"
    "two or three times, once in the emulator. The first run has its input and\n"
    "output, and the report follows on standard error.\n"
    "\n"
    "      --limit=SECONDS  for the run in the emulator, which is left out where it\n"
    "                       would take longer (300); 0: it is left out\n"
    "  -n, --reasons=NUMBER that are shown at most (5)\n"
    "  -o, --output=FILE    the report goes there; -: to standard output\n"
    "      --roofs=FILE     what the machine can do, as papi_roofline -o wrote it\n"
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
    const char *output, *roofs;
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

/* A line of the source, without the blanks before it. To be freed; NULL: it cannot be read. */
static char *source_line(const struct where *at)
{
    char *line = NULL;
    size_t room = 0;
    FILE *in = at->line > 0 ? fopen(at->file, "re") : NULL;
    int left = at->line;
    while (in != NULL && left > 0 && getline(&line, &room, in) > 0)
        left--;
    if (in != NULL)
        fclose(in);
    if (in == NULL || left > 0) {
        free(line);
        return NULL;
    }
    size_t blank = strspn(line, " \t");
    memmove(line, line + blank, strlen(line + blank) + 1);
    line[strcspn(line, "\r\n")] = '\0';
    return line;
}

/* ---- report */

static void put_reason(struct report *report, int number, const struct why_reason *reason)
{
    char *line = source_line(&reason->at);
    const char *file = path_base(reason->at.file);
    if (!report->json) {
        report_blank(report);
        bool known = reason->confidence != CONFIDENCE_NONE;
        report_say(report, "%d. %.0f %% of the time%s%s: %s", number, reason->share * 100, known ? ", " : "",
                   known ? confidence_names[reason->confidence] : "", reason->sentence);
        if (reason->at.line > 0)
            report_line(report, NULL, "   %s:%d  %s", file, reason->at.line, line != NULL ? line : "");
        else if (reason->at.routine[0] != '\0')
            report_line(report, NULL, "   in %s", reason->at.routine);
        if (reason->helps != NULL && reason->helps[0] != '\0')
            report_say(report, "What helps: %s.", reason->helps);
        if (reason->ask != NULL)
            report_line(report, NULL, "   %s", reason->ask);
    }
    report_object(report, NULL);
    report_string(report, NULL, "reason", reason_names[reason->kind]);
    report_string(report, NULL, "confidence", confidence_names[reason->confidence]);
    report_real(report, NULL, "share", reason->share, 4, "");
    report_string(report, NULL, "routine", reason->at.routine);
    report_string(report, NULL, "file", reason->at.file);
    report_number(report, NULL, "line", reason->at.line);
    report_string(report, NULL, "source", line);
    report_string(report, NULL, "sentence", reason->sentence);
    report_string(report, NULL, "helps", reason->helps);
    report_string(report, NULL, "ask", reason->ask);
    report_end(report);
    free(line);
}

static void put_head(struct report *report, const struct facts *facts, const char *command)
{
    double used = facts->user + facts->system;
    report_string(report, NULL, "command", command);
    report_real(report, NULL, "seconds", facts->wall, 6, "");
    report_real(report, NULL, "user", facts->user, 6, "");
    report_real(report, NULL, "system", facts->system, 6, "");
    report_real(report, NULL, "idle", facts->idle, 4, "");
    report_real(report, NULL, "delayed", facts->delayed, 4, "");
    report_number(report, NULL, "threads", facts->threads);
    report_number(report, NULL, "processors", facts->processors);
    report_flag(report, NULL, "counted", facts->counted);
    if (report->json)
        return;
    int threads = facts->threads < 1 ? 1 : facts->threads;
    report_line(report, NULL, "papi_why: %s", command);
    report_say(
        report,
        "%.2f s, %d thread%s on %d processor%s; computing %.0f %%, the kernel %.0f %%, waiting %.0f %%",
        facts->wall, threads, threads > 1 ? "s" : "", facts->processors, facts->processors > 1 ? "s" : "",
        used > 0 ? 100 * (1 - facts->idle) * facts->user / used : 0,
        used > 0 ? 100 * (1 - facts->idle) * facts->system / used : 0, 100 * facts->idle);
    if (facts->delayed > 0.3)
        report_say(
            report,
            "The machine is busy: for %.0f %% of the time other programs had the processors. Shares are "
            "of the rest.",
            facts->delayed * 100);
}

static void put_unknown(struct report *report, const struct gather *gather)
{
    report_list(report, "unknown");
    for (int i = 0; i < gather->n_unknown; i++)
        report_string(report, NULL, NULL, gather->unknown[i]);
    report_end(report);
    if (report->json || gather->n_unknown == 0)
        return;
    report_blank(report);
    for (int i = 0; i < gather->n_unknown; i++)
        report_say(report, "Not known: %s.", gather->unknown[i]);
}

static void put_all(struct report *report, const struct gather *gather, const struct options *options)
{
    struct reasons reasons = {.n = 0};
    char *command = command_text(gather->program);
    reasons_find(&reasons, &gather->facts, command);
    put_head(report, &gather->facts, command);
    report_list(report, "reasons");
    for (int i = 0; i < reasons.n && i < options->most; i++)
        put_reason(report, i + 1, &reasons.reason[i]);
    report_end(report);
    if (reasons.n == 0 && !report->json) {
        report_blank(report);
        if (gather->facts.sampled < 0.05)
            report_say(
                report,
                "No reason was found: the program computes for less than 0.05 s, which is too short to "
                "be looked at; a larger input, or many repetitions, can be.");
        else
            report_say(report, "No reason was found: no line has a tenth of the time. papi_profile %s",
                       command);
    }
    put_unknown(report, gather);
    report_finish(report);
    reasons_free(&reasons);
    free(command);
}

/* To a file, or the text to standard error and JSON to standard output. */
static int show(struct tool *tool, const struct gather *gather, const struct options *options)
{
    struct report *report = &tool->report;
    struct output output = {.file = NULL};
    FILE *out = report->out, *plain = report->plain;
    const char *path = options->output, *why = NULL;
    if (path != NULL && strcmp(path, "-") == 0) {
        put_all(report, gather, options);
        return TOOL_FINE; /* tool_end says what standard output refused */
    }
    if (path != NULL && (why = output_open(&output, path)) != NULL)
        return tool_error(tool, "%s: %s", path, why);
    report->out = path != NULL ? output.file : terminal_open(stderr);
    report->plain = path != NULL ? output.file : plain;
    put_all(report, gather, options);
    if (path == NULL)
        terminal_close(report->out, stderr);
    report->out = out;
    report->plain = plain;
    why = path != NULL ? output_close(&output) : NULL;
    return why != NULL ? tool_error(tool, "%s: %s", path, why) : TOOL_FINE;
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

/* Refuses another tool in the place of the program, with the command that is meant.
 *   n  words between this tool's name and the program */
static int check_tool(struct tool *tool, char **argv, int n)
{
    char *const *program = argv + 1 + n;
    if (tool_word(program) == NULL && !emulated_already())
        return TOOL_FINE;
    char *command = tool_command(tool->name, NULL, argv + 1, n, tool_program(program));
    if (command == NULL)
        memory_is_out();
    tool_error(tool, "it runs the other tools itself: run \"%s\"", command);
    free(command);
    return TOOL_ERROR;
}

static void ask(struct tool *tool, struct gather *gather, const struct options *options)
{
    char *why = gather_all(gather);
    if (why != NULL)
        tool_error(tool, "%s", why);
    else
        show(tool, gather, options);
    free(why);
}

int main(int argc, char **argv)
{
    static const struct option_row rows[] = {
        {0, "+", OPTION_PROGRAM, 0, 0, 0},
        {0, "limit", OPTION_NUMBER, offsetof(struct options, limit), 0, INT_MAX},
        {'n', "reasons", OPTION_NUMBER, offsetof(struct options, most), 1, INT_MAX},
        {'o', "output", OPTION_TEXT, offsetof(struct options, output), 0, 0},
        {0, "roofs", OPTION_TEXT, offsetof(struct options, roofs), 0, 0},
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
    if (gather.program[0] == NULL)
        tool_usage_error(&tool, "which PROGRAM?");
    else if (check_tool(&tool, argv, optind - 1) == TOOL_FINE)
        lacks = program_lacks(gather.program[0]);
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

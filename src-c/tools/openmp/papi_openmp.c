/* SPDX-License-Identifier: BSD-3-Clause
 *
 * papi_openmp: runs a program with libpapi_openmp.so, and shows what it reported.
 */
#include "base/visible.h"
#include "tools/common/allocate.h"
#include "tools/common/counted_command.h"
#include "tools/common/other_program.h"
#include "tools/common/terminal.h"
#include "tools/common/tool.h"
#include "tools/common/tool_files.h"
#include "tools/common/tool_folder.h"
#include "tools/common/tool_words.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char usage_text[] =
    "Usage: papi_openmp [OPTION]... PROGRAM [ARGUMENT]...\n"
    "Runs a PROGRAM with OpenMP, unchanged, and reports on standard error what the\n"
    "threads of each parallel region did: how long they worked, how even that was,\n"
    "where they waited (barriers, tasks, locks), with the line (of programs compiled\n"
    "with -g), and what was counted in each thread.\n"
    "\n"
    "  -e, --events=EVENTS  that are counted, as in PAPI_EVENTS; without it and the\n"
    "                       variable, instructions and cycles, or what there is\n"
    "      --llvm           with LLVM's runtime, libomp, in the place of GNU's, which\n"
    "                       does not tell when threads do tasks\n"
    "  -o, --output=FILE    the report goes there; -: to standard output\n"
    "      --json           for programs: one JSON object, on standard output\n"
    "      --version        the version of the interface\n"
    "  -h, --help           this text\n"
    "\n"
    "Exit status: 0 if there is a report; that of the PROGRAM; 1 after an error, or\n"
    "without a report; 2 for wrong options, 127 if the PROGRAM cannot be run.\n";

_Noreturn void memory_is_out(void)
{
    fputs("papi_openmp: out of memory\n", stderr);
    output_drop_all();
    exit(TOOL_ERROR);
}

struct options {
    const char *events, *output;
    bool llvm;
};

/* ---- before */

/* The library, from the folder of this program on. NULL after a message. To be freed. */
static char *library_path(struct tool *tool)
{
    char self[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    self[n > 0 ? n : 0] = '\0';
    char *slash = strrchr(self, '/');
    if (slash != NULL)
        *slash = '\0';
    char *path = memory_print("%s/%s", self, PAPI_OPENMP_RELATIVE);
    char *whole = realpath(path, NULL);
    if (whole == NULL)
        tool_error(tool, "%s: %s", path, strerror(errno));
    else if (strpbrk(whole, " :") != NULL) {
        tool_error(tool, "%s: the loader takes no blank and no colon in such a path", whole);
        free(whole);
        whole = NULL;
    }
    free(path);
    return whole;
}

/* LLVM's runtime as the loader finds it. */
static const char *llvm_name(void)
{
    static const char *const names[] = {"libomp.so.5", "libomp.so", "libiomp5.so"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        void *library = dlopen(names[i], RTLD_LAZY | RTLD_LOCAL);
        if (library != NULL)
            return names[i];
    }
    return NULL;
}

static int set(struct tool *tool, const char *name, const char *value)
{
    return setenv(name, value, 1) == 0 ? TOOL_FINE : tool_error(tool, "the environment: %s", strerror(errno));
}

static int set_preload(struct tool *tool, bool llvm)
{
    const char *before = getenv("LD_PRELOAD"), *runtime = llvm ? llvm_name() : "";
    char *library = library_path(tool);
    if (library != NULL && runtime == NULL)
        tool_error(tool, "LLVM's runtime, libomp.so.5, is not here (Debian: libomp5-14)");
    if (library == NULL || runtime == NULL) {
        free(library);
        return TOOL_ERROR;
    }
    char *preload = memory_print("%s%s%s%s%s", library, llvm ? ":" : "", runtime, before != NULL ? ":" : "",
                                 before != NULL ? before : "");
    int status = set(tool, "LD_PRELOAD", preload);
    free(library);
    free(preload);
    return status;
}

static int set_environment(struct tool *tool, const struct options *options, const char *folder)
{
    const char *off = getenv("OMP_TOOL");
    if (off != NULL && strcasecmp(off, "disabled") == 0)
        return tool_error(tool, "OMP_TOOL=disabled forbids OpenMP's runtime to tell anything: unset it");
    return set(tool, "PAPI_OPENMP_OUTPUT", folder)
               ?: (options->events != NULL ? set(tool, "PAPI_EVENTS", options->events) : TOOL_FINE)
               ?: set_preload(tool, options->llvm);
}

/* Refuses another tool in the place of the program, with the command that is meant. */
static int check_tool(struct tool *tool, char **argv, int n)
{
    char *const *program = argv + 1 + n;
    const char *other = tool_word(program);
    if (other == NULL || strcmp(other, "papi_emulate") == 0)
        return TOOL_FINE;
    char *command = tool_command(tool->name, NULL, argv + 1, n, tool_program(program));
    if (command == NULL)
        memory_is_out();
    tool_error(tool, "%s would be looked at, and not the program: run \"%s\"", other, command);
    free(command);
    return TOOL_ERROR;
}

/* ---- after */

/* Copies a file that a process left. NULL, or the reason of a failure. */
static const char *copy(FILE *out, const char *path)
{
    const char *why = NULL;
    char text[8192];
    FILE *in = input_open(path, &why);
    if (in == NULL)
        return why != NULL ? why : strerror(errno);
    for (size_t n; (n = fread(text, 1, sizeof text, in)) > 0;)
        fwrite(text, 1, n, out);
    fclose(in);
    return NULL;
}

static int by_number(const struct dirent **a, const struct dirent **b)
{
    long x = strtol((*a)->d_name, NULL, 10), y = strtol((*b)->d_name, NULL, 10);
    return (x > y) - (x < y);
}

static int is_text(const struct dirent *entry)
{
    return strlen(entry->d_name) > 4 && strcmp(entry->d_name + strlen(entry->d_name) - 4, ".txt") == 0;
}

static int is_json(const struct dirent *entry)
{
    return strlen(entry->d_name) > 5 && strcmp(entry->d_name + strlen(entry->d_name) - 5, ".json") == 0;
}

/* Puts the reports of all processes, n of them, one after the other. */
static int put(struct tool *tool, FILE *out, const char *folder, struct dirent **entry, int n, bool json)
{
    const char *why = NULL;
    if (json)
        fputs("{\n\"processes\": [\n", out);
    for (int i = 0; i < n && why == NULL; i++) {
        char path[PATH_MAX];
        snprintf(path, sizeof path, "%s/%s", folder, entry[i]->d_name);
        if (i > 0)
            fputs(json ? ",\n" : "\n", out);
        why = copy(out, path);
    }
    if (json)
        fputs("]\n}\n", out);
    return why == NULL ? TOOL_FINE : tool_error(tool, "the report: %s", why);
}

static int show_in(struct tool *tool, const char *path, const char *folder, struct dirent **entry, int n)
{
    struct output output = {.file = NULL};
    const char *why = output_open(&output, path);
    if (why != NULL)
        return tool_error(tool, "%s: %s", path, why);
    int status = put(tool, output.file, folder, entry, n, tool->report.json);
    why = output_close(&output);
    return why == NULL ? status : tool_error(tool, "%s: %s", path, why);
}

/* To a file, or the text to standard error and JSON to standard output. */
static int show(struct tool *tool, const char *path, const char *folder, struct dirent **entry, int n)
{
    struct report *report = &tool->report;
    if (path != NULL && strcmp(path, "-") != 0)
        return show_in(tool, path, folder, entry, n);
    if (report->json || path != NULL)
        return put(tool, report->json ? report->plain : report->out, folder, entry, n, report->json);
    FILE *out = terminal_open(stderr);
    int status = put(tool, out, folder, entry, n, false);
    terminal_close(out, stderr);
    return status;
}

static int nothing(struct tool *tool, int ended)
{
    if (WIFEXITED(ended) && WEXITSTATUS(ended) == COMMAND_NOT_RUN)
        return TOOL_ERROR; /* that was said */
    if (WIFSIGNALED(ended))
        return tool_error(tool, "a signal ended the program before it could report: %s",
                          strsignal(WTERMSIG(ended)));
    return tool_error(tool,
                      "no parallel region was seen: the program has none, is linked statically, was "
                      "compiled without -fopenmp, ends by _exit, or has a runtime that is not known (known "
                      "are libgomp of gcc from 4.9 on, and LLVM's and Intel's)");
}

static int show_all(struct tool *tool, const struct options *options, const char *folder, int ended)
{
    struct dirent **entry = NULL;
    int n = scandir(folder, &entry, tool->report.json ? is_json : is_text, by_number);
    int status = n > 0 ? show(tool, options->output, folder, entry, n) : nothing(tool, ended);
    for (int i = 0; i < n; i++)
        free(entry[i]);
    if (n >= 0)
        free(entry);
    return status;
}

/* ---- */

static int let_run(struct tool *tool, struct command *command)
{
    int status = command_make(command, tool);
    if (status != TOOL_FINE)
        return status;
    command_hold_signals(command);
    status = command_go(command, tool);
    if (status == TOOL_FINE)
        command_wait(command, INFINITY);
    command_end(command);
    return status;
}

static int run(struct tool *tool, const struct options *options, struct command *command)
{
    char *why = NULL, *folder = folder_make(tool->name, &why);
    int status = folder != NULL ? set_environment(tool, options, folder) : tool_error(tool, "%s", why);
    free(why);
    if (status == TOOL_FINE)
        status = let_run(tool, command);
    if (status == TOOL_FINE)
        status = show_all(tool, options, folder, command->status);
    folder_remove(folder);
    return status;
}

int main(int argc, char **argv)
{
    static const struct option_row rows[] = {
        {0, "+", OPTION_PROGRAM, 0, 0, 0},
        {'e', "events", OPTION_TEXT, offsetof(struct options, events), 0, 0},
        {0, "llvm", OPTION_SET, offsetof(struct options, llvm), 0, 0},
        {'o', "output", OPTION_TEXT, offsetof(struct options, output), 0, 0},
        {0},
    };
    struct tool tool = {.name = "papi_openmp", .usage = usage_text};
    struct options options = {.events = NULL};
    struct command command = {.word = NULL};
    if (tool_read(&tool, argc, argv, rows, &options) != 0)
        return tool_end(&tool);
    if (argv[optind] == NULL)
        tool_usage_error(&tool, "which PROGRAM?");
    else if (check_tool(&tool, argv, optind - 1) == TOOL_FINE) {
        command.word = argv + optind;
        tool.status = run(&tool, &options, &command);
    }
    bool not_run = WIFEXITED(command.status) && WEXITSTATUS(command.status) == COMMAND_NOT_RUN;
    int status = tool_end(&tool);
    if (status != TOOL_FINE && !not_run)
        return status;
    end_like(command.status);
}

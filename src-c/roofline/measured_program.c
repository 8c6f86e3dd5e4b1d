/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/sysroot.h"
#include "papi.h"
#include "points.h"
#include "tools/common/allocate.h"
#include "tools/common/counted_command.h"
#include "tools/common/other_program.h"
#include "tools/common/tool_folder.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct run {
    struct tool *tool;
    const struct roofs *roofs;
    struct points *points;
    char **word;
    struct source source;
    bool emulated;
    char *folder, *report, *option; /* of papi_emulate */
    struct command command;
};

/* ---- before */

static int make_folder(struct run *run)
{
    char *why;
    run->folder = folder_make("papi_roofline", &why);
    if (run->folder != NULL)
        return TOOL_FINE;
    int status = tool_error(run->tool, "%s", why);
    free(why);
    return status;
}

static int choose_source(struct run *run, bool emulate)
{
    const char *why = NULL;
    run->emulated = emulate || !source_counters(&run->source, run->roofs->n_levels - 1, &why);
    if (run->emulated)
        run->source = source_emulator;
    run->points->counted_by = memory_text(run->source.name);
    return TOOL_FINE;
}

/* Doubles each % of a path, because % begins what papi_emulate fills in in the name of a report. The caller
 * frees the text. */
static char *without_percent(const char *path)
{
    char *out = memory_more(NULL, 2 * strlen(path) + 1, 1), *to = out;
    for (; *path != '\0'; path++) {
        *to++ = *path;
        if (*path == '%')
            *to++ = '%';
    }
    *to = '\0';
    return out;
}

static void make_words(struct run *run)
{
    static char *const options[] = {"--caches", "--native-times", "--json"};
    enum { OPTIONS = sizeof options / sizeof *options, MORE = OPTIONS + 3 };
    int n = 0, program = run->emulated ? MORE : 0;
    while (run->word[n] != NULL)
        n++;
    run->command.word = memory_more(NULL, (size_t)(n + MORE + 1), sizeof *run->command.word);
    if (run->emulated) {
        char *path = without_percent(run->report);
        run->option = memory_print("--report=%s", path);
        free(path);
        run->command.word[0] = tool_path("papi_emulate");
        memcpy(run->command.word + 1, options, sizeof options);
        run->command.word[MORE - 2] = run->option;
        run->command.word[MORE - 1] = "--";
    }
    for (int i = 0; i <= n; i++)
        run->command.word[program + i] = run->word[i];
}

static int set_environment(struct run *run)
{
    char *events = source_events(&run->source, run->roofs->n_levels - 1);
    bool set = setenv("PAPI_EVENTS", events, 1) == 0 && setenv("PAPI_OUTPUT_DIRECTORY", run->folder, 1) == 0;
    free(events);
    return set ? TOOL_FINE : tool_error(run->tool, "the environment: %s", strerror(errno));
}

/* ---- after */

/* Seconds in which some task of the machine waited for a processor, since it was started; negative: the
 * kernel does not say it. */
static double waited(void)
{
    unsigned long long microseconds = 0;
    char line[256];
    if (sysroot_line("", "/proc/pressure/cpu", line, sizeof line) < 0)
        return -1;
    const char *total = strstr(line, " total=");
    return total != NULL && sscanf(total, " total=%llu", &microseconds) == 1 ? (double)microseconds * 1e-6
                                                                             : -1;
}

/* Runs it; a tenth of the time with others waiting is a busy machine, threads of its own that wait among
 * them. */
static int let_run(struct run *run)
{
    int status = command_make(&run->command, run->tool);
    if (status != TOOL_FINE)
        return status;
    command_hold_signals(&run->command);
    double before = waited(), begin = (double)PAPI_get_real_nsec() * 1e-9;
    status = command_go(&run->command, run->tool);
    if (status == TOOL_FINE)
        command_wait(&run->command, INFINITY);
    command_end(&run->command);
    run->points->busy =
        before >= 0 && waited() - before > 0.1 * ((double)PAPI_get_real_nsec() * 1e-9 - begin);
    return status;
}

/* Errors of papi_emulate itself, and programs that are not there: those have said what it is. */
static bool did_not_run(const struct run *run)
{
    enum { LEAST = 125 };
    int ended = run->command.status, least = run->emulated ? LEAST : COMMAND_NOT_RUN;
    return WIFEXITED(ended) && WEXITSTATUS(ended) >= least && WEXITSTATUS(ended) <= COMMAND_NOT_RUN &&
           run->points->n == 0;
}

static int read_points(struct run *run)
{
    char *why = regions_read(run->folder, &run->source, run->roofs, run->points);
    if (why == NULL && run->points->n == 0 && run->emulated && access(run->report, R_OK) == 0)
        why = regions_read_whole(run->report, path_base(run->word[0]), run->roofs, run->points);
    int status = why != NULL ? tool_error(run->tool, "%s", why) : TOOL_FINE;
    free(why);
    if (status != TOOL_FINE || run->points->n > 0 || did_not_run(run))
        return status;
    return tool_error(
        run->tool, run->emulated ? "the program left no counts: did a signal end it?"
                                 : "the program has no regions (PAPI_hl_region_begin); with --emulate, the "
                                   "whole run is counted");
}

static void describe(struct run *run)
{
    char *text = memory_text(run->word[0]);
    for (int i = 1; run->word[i] != NULL; i++) {
        char *more = memory_print("%s %s", text, run->word[i]);
        free(text);
        text = more;
    }
    run->points->command = text;
}

static void end(struct run *run)
{
    if (run->emulated && run->command.word != NULL)
        free(run->command.word[0]);
    free(run->command.word);
    free(run->option);
    free(run->report);
    folder_remove(run->folder);
}

int program_run(struct tool *tool, char **word, bool emulate, const struct roofs *roofs,
                struct points *points, int *ended)
{
    struct run run = {.tool = tool, .roofs = roofs, .points = points, .word = word};
    int status = choose_source(&run, emulate) ?: make_folder(&run) ?: set_environment(&run);
    describe(&run);
    if (status == TOOL_FINE) {
        run.report = memory_print("%s/report.json", run.folder);
        make_words(&run);
        status = let_run(&run);
    }
    if (status == TOOL_FINE)
        status = read_points(&run);
    *ended = run.command.status;
    end(&run);
    return status;
}

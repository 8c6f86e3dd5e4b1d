/* SPDX-License-Identifier: BSD-3-Clause
 *
 * papi_roofline: what this machine can do at most, and how near to it a program comes.
 */
#include "base/visible.h"
#include "papi.h"
#include "roofline/roofs_file.h"
#include "roofline/show.h"
#include "tool.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char usage_text[] =
    "Usage: papi_roofline [--measure] [--rounds=NUMBER]\n"
    "Shows the roofs of this machine: floating-point operations a second by width and\n"
    "precision of the instructions, and bytes a second from each cache and memory.\n"
    "They are measured once, by loops on one core and on all.\n"
    "\n"
    "      --measure        anew, although there is a file of this machine's roofs\n"
    "      --rounds=NUMBER  through all loops, of which the best counts (10)\n"
    "      --roofs=FILE     those of a file instead, as --json writes it\n"
    "      --json           for programs: one JSON object\n"
    "      --version        the version of the interface\n"
    "  -h, --help           this text\n"
    "\n"
    "Exit status: 0; 1 after an error, 2 for wrong options.\n";

struct options {
    bool measure;
    long long rounds;
    const char *roofs;
};

/* ------------------------------------------------------------------------ progress */

struct progress {
    bool wanted; /* standard error is a terminal */
    time_t begun;
    int shown;
};

static void show_progress(void *data, double part)
{
    enum { PATIENCE = 1 };
    struct progress *progress = data;
    int percent = (int)(100 * part);
    if (!progress->wanted || percent == progress->shown || time(NULL) - progress->begun < PATIENCE)
        return;
    progress->shown = percent;
    fprintf(stderr, "\rmeasuring the roofs of this machine: %d %%", percent);
    fflush(stderr);
}

static void end_progress(const struct progress *progress)
{
    if (progress->shown > 0)
        fputs("\r\033[K", stderr);
}

/* --------------------------------------------------------------------------- roofs */

static int measure(struct tool *tool, const struct options *options, const char *path, struct roofs *roofs)
{
    const double seconds = 0.005;
    struct progress progress = {.wanted = isatty(STDERR_FILENO) != 0, .begun = time(NULL)};
    struct roofs_care care = {
        .seconds = seconds, .rounds = (int)options->rounds, .progress = show_progress, .data = &progress};
    const char *why = roofs_measure(roofs, &care);
    end_progress(&progress);
    if (why != NULL)
        return tool_error(tool, "the roofs cannot be measured: %s", why);
    char *unwritten = path != NULL ? roofs_write(path, roofs) : NULL;
    if (unwritten != NULL) { /* they are shown all the same */
        visible_print(stderr, "papi_roofline: the roofs are not kept: %s", unwritten);
        fputc('\n', stderr);
    }
    free(unwritten);
    return TOOL_FINE;
}

/* The file is of this machine if its processor is: a home may move. */
static bool is_of_this_machine(const struct roofs *roofs)
{
    const PAPI_hw_info_t *hardware = PAPI_get_hardware_info();
    return hardware != NULL && strncmp(roofs->processor, hardware->model_string, ROOFS_NAME - 1) == 0;
}

static int get_roofs(struct tool *tool, const struct options *options, struct roofs *roofs)
{
    bool missing;
    if (options->roofs != NULL) {
        char *why = roofs_read(options->roofs, roofs, &missing);
        int status = why != NULL ? tool_error(tool, "%s", why) : TOOL_FINE;
        free(why);
        return status;
    }
    char *path = roofs_path(), *why = NULL;
    bool kept = path != NULL && !options->measure && (why = roofs_read(path, roofs, &missing)) == NULL;
    free(why); /* what cannot be read is measured again */
    int status = kept && is_of_this_machine(roofs) ? TOOL_FINE : measure(tool, options, path, roofs);
    free(path);
    return status;
}

/* ----------------------------------------------------------------------------- all */

int main(int argc, char **argv)
{
    static const struct option_row rows[] = {
        {0, "measure", OPTION_SET, offsetof(struct options, measure), 0, 0},
        {0, "rounds", OPTION_NUMBER, offsetof(struct options, rounds), 1, 1000},
        {0, "roofs", OPTION_TEXT, offsetof(struct options, roofs), 0, 0},
        {0},
    };
    struct tool tool = {.name = "papi_roofline", .usage = usage_text};
    struct options options = {.rounds = 10};
    struct roofs roofs;
    if (!tool_ready(&tool, argc, argv, rows, &options))
        return tool_end(&tool);
    if (get_roofs(&tool, &options, &roofs) == TOOL_FINE) {
        show_roofs(&tool.report, &roofs);
        report_finish(&tool.report);
    }
    return tool_end(&tool);
}

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * papi_roofline: what this machine can do at most, and how near to it a program comes.
 */
#include "base/visible.h"
#include "papi.h"
#include "points.h"
#include "roofline_output.h"
#include "roofs.h"
#include "team.h"
#include "tools/common/allocate.h"
#include "tools/common/other_program.h"
#include "tools/common/terminal.h"
#include "tools/common/tool.h"
#include "tools/common/tool_files.h"
#include "tools/common/tool_words.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const char usage_text[] =
    "Usage: papi_roofline [OPTION]... [PROGRAM [ARGUMENT]...]\n"
    "       papi_roofline [OPTION]... --show=FILE | --profile=FILE... | --job=FILE\n"
    "Measures the roofs of this machine, once: operations and bytes a second. Of a\n"
    "PROGRAM, shows how near its regions come to them, or else the whole run.\n"
    "\n"
    "      --measure        anew, although this machine's roofs are known\n"
    "      --rounds=NUMBER  through all tests, of which the best counts (10)\n"
    "      --roofs=FILE     those of a file instead, as --json writes it\n"
    "      --emulate        papi_emulate counts, although counters do\n"
    "  -o, --output=FILE    keeps the roofs and what the PROGRAM did\n"
    "      --show=FILE      what was kept\n"
    "      --profile=FILE   the routines of a profile; again for one that adds to it\n"
    "      --device-roofs=FILE   (or measured, computed) a device's, for its kernels\n"
    "      --kernel-counts=FILE  what these did: a table of operations and bytes\n"
    "      --job=FILE       the regions of an MPI job, by its result\n"
    "      --events         what PAPI_EVENTS has to name for that\n"
    "      --svg=FILE       a drawing\n"
    "      --html=FILE      a page for a browser\n"
    "      --json           for programs: one JSON object, on standard output\n"
    "      --version        the version of the interface\n"
    "  -h, --help           this text\n"
    "\n"
    "Exit status: 0; the PROGRAM's; 1: an error, 2: wrong options, 127: not run.\n";

void memory_is_out(void)
{
    fputs("papi_roofline: out of memory\n", stderr);
    output_drop_all();
    exit(1);
}

struct options {
    bool measure, emulate, events;
    long long rounds;
    const char *roofs, *device_roofs, *kernel_counts, *show, *job, *output, *svg, *html;
    struct option_words profiles;
};

struct work {
    struct tool *tool;
    const struct options *options;
    struct roofs roofs;
    struct points points;
    int ended; /* the program's status, as of waitpid */
};

/* ---- progress */

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

/* ---- roofs */

static int measure(struct work *work, const char *path)
{
    const double seconds = 0.005;
    struct progress progress = {.wanted = isatty(STDERR_FILENO) != 0, .begun = time(NULL)};
    struct roofs_care care = {.seconds = seconds,
                              .rounds = (int)work->options->rounds,
                              .progress = show_progress,
                              .data = &progress};
    const char *why = roofs_measure(&work->roofs, &care);
    end_progress(&progress);
    if (why != NULL)
        return tool_error(work->tool, "the roofs cannot be measured: %s", why);
    char *unwritten = path != NULL ? roofs_write(path, &work->roofs, NULL) : NULL;
    if (unwritten != NULL) { /* they are shown all the same */
        visible_print(stderr, "papi_roofline: the roofs are not kept: %s", unwritten);
        fputc('\n', stderr);
    }
    free(unwritten);
    return TOOL_FINE;
}

/* True if the roofs were measured on this processor: a home folder may be seen from several machines. */
static bool is_of_this_machine(const struct roofs *roofs)
{
    const PAPI_hw_info_t *hardware = PAPI_get_hardware_info();
    return hardware != NULL && strncmp(roofs->processor, hardware->model_string, ROOFS_NAME - 1) == 0;
}

static int read_file(struct work *work, const char *path, struct points *points)
{
    char *why = roofs_read(path, &work->roofs, points);
    int status = why != NULL ? tool_error(work->tool, "%s", why) : TOOL_FINE;
    free(why);
    return status;
}

static int get_machine_roofs(struct work *work, const char *path)
{
    int status = read_file(work, path, NULL);
    if (status == TOOL_FINE && work->roofs.device[0] != '\0')
        return tool_error(work->tool, "%s has the roofs of a device: run \"papi_roofline --device-roofs=%s\"",
                          path, path);
    return status;
}

/* True for a word such as "computed", or "computed:NUMBER" of a device. */
static bool is_word(const char *text, const char *word, int *number)
{
    enum { MOST_DIGITS = 4 };
    if (strncmp(text, word, strlen(word)) != 0)
        return false;
    text += strlen(word);
    size_t digits = *text == ':' ? strspn(text + 1, "0123456789") : 0;
    *number = digits > 0 ? atoi(text + 1) : 0;
    return *text == '\0' || (digits > 0 && digits <= MOST_DIGITS && text[1 + digits] == '\0');
}

static int find_roofs(struct work *work, bool measured, int number)
{
    char *why = measured ? roofs_measure_device(number, (int)work->options->rounds, &work->roofs)
                         : roofs_of_device(number, &work->roofs);
    int status = why != NULL ? tool_error(work->tool, "%s", why) : TOOL_FINE;
    free(why);
    return status;
}

static int get_device_roofs(struct work *work)
{
    const char *path = work->options->device_roofs;
    int number;
    bool measured = is_word(path, "measured", &number);
    if (measured || is_word(path, "computed", &number))
        return find_roofs(work, measured, number);
    int status = read_file(work, path, NULL);
    if (status == TOOL_FINE && work->roofs.device[0] == '\0')
        return tool_error(work->tool,
                          "%s has the roofs of a machine and no \"device\": run \"papi_roofline "
                          "--roofs=%s\"",
                          path, path);
    return status;
}

static int get_roofs(struct work *work)
{
    if (work->options->device_roofs != NULL)
        return get_device_roofs(work);
    if (work->options->roofs != NULL)
        return get_machine_roofs(work, work->options->roofs);
    char *path = roofs_path(), *why = NULL;
    bool kept =
        path != NULL && !work->options->measure && (why = roofs_read(path, &work->roofs, NULL)) == NULL;
    free(why); /* what cannot be read is measured again */
    int status =
        kept && is_of_this_machine(&work->roofs) ? TOOL_FINE
        : emulated_already()
            ? tool_error(work->tool,
                         "in papi_emulate, no roof is this machine's; papi_roofline before it measures them")
            : measure(work, path);
    free(path);
    return status;
}

/* ---- output */

static int draw(struct work *work, const char *path, draw_function *function)
{
    struct output output;
    if (path == NULL)
        return TOOL_FINE;
    const char *why = output_open(&output, path);
    if (why == NULL) {
        function(output.file, &work->roofs, &work->points);
        why = output_close(&output);
    }
    return why != NULL ? tool_error(work->tool, "%s: %s", path, why) : TOOL_FINE;
}

static int write_files(struct work *work)
{
    const struct options *options = work->options;
    if (options->output != NULL) {
        char *why =
            roofs_write(options->output, &work->roofs, work->points.command != NULL ? &work->points : NULL);
        if (why != NULL)
            tool_error(work->tool, "%s", why);
        free(why);
    }
    draw(work, options->svg, draw_svg);
    draw(work, options->html, draw_page);
    return work->tool->status;
}

static void show(struct work *work)
{
    struct report *report = &work->tool->report;
    if (report->json || work->points.n == 0)
        show_roofs(report, &work->roofs);
    if (work->points.command != NULL)
        show_points(report, &work->roofs, &work->points);
    report_finish(report);
}

/* Shows the result on standard error: standard output is the program's. */
static void show_beside_program(struct work *work)
{
    struct report *report = &work->tool->report;
    FILE *out = report->out;
    report->out = terminal_open(stderr);
    show(work);
    terminal_close(report->out, stderr);
    report->out = out;
}

/* ---- all */

/* True if regions can have the counts of a roofline here: by PAPI_EVENTS, or by the processor. */
static bool regions_count(void)
{
    struct source source;
    struct cpus cpus;
    const char *why = NULL, *events = getenv("PAPI_EVENTS");
    if (events != NULL && events[0] != '\0')
        return true;
    bool count = cpus_find(&cpus) == NULL && source_counters(&source, cpus.n_caches, &why);
    cpus_free(&cpus);
    return count;
}

/* word: those of papi_mpirun, behind its name. */
static int refuse_job(struct work *work, char *const *word)
{
    static char *const none[] = {NULL};
    bool count = regions_count();
    char *const *program = count ? word : tool_launched(word);
    char *job = tool_command(
        count ? "papi_mpirun" : "PAPI_EVENTS=$(papi_roofline --events --emulate) papi_mpirun",
        "--roofline=roofline.html", word, count ? 0 : (int)(program - word), count ? word : none);
    char *emulated = count ? NULL : tool_command(" papi_emulate", "--caches", NULL, 0, program);
    if (job == NULL || (!count && emulated == NULL))
        memory_is_out();
    tool_error(work->tool, "a job's roofline has the regions of all its ranks: run \"%s%s\"", job,
               count ? "" : emulated);
    free(job);
    free(emulated);
    return TOOL_ERROR;
}

/* Refuses, with the command that does it, what would be measured of another tool, or of the emulator.
 *   word  this tool's, behind its name
 *   n     how many of them stand before the program */
static int check_program(struct work *work, char *const *word, int n)
{
    char *const *program = word + n;
    const char *other = tool_word(program);
    if (emulated_already())
        other = "papi_emulate";
    if (other == NULL)
        return TOOL_FINE;
    if (strcmp(other, "papi_mpirun") == 0)
        return refuse_job(work, program + 1);
    bool emulate = strcmp(other, "papi_emulate") == 0 && program[0] != NULL;
    char *command =
        tool_command(work->tool->name, emulate ? "--emulate" : NULL, word, n, tool_program(program));
    if (command == NULL)
        memory_is_out();
    tool_error(work->tool, "the roofs and the program are measured without %s: run \"%s\"", other, command);
    free(command);
    return TOOL_ERROR;
}

static int run(struct work *work, char **program)
{
    int status = get_roofs(work);
    if (status == TOOL_FINE && program[0] != NULL)
        status = program_run(work->tool, program, work->options->emulate, &work->roofs, &work->points,
                             &work->ended);
    if (status != TOOL_FINE || (program[0] != NULL && work->points.n == 0))
        return status;
    points_limit(&work->points, &work->roofs);
    if (program[0] != NULL)
        show_beside_program(work);
    else
        show(work);
    return write_files(work);
}

static char *read_kernels(struct work *work)
{
    const struct options *options = work->options;
    struct kernel_counts *counts = NULL;
    char *why = options->kernel_counts != NULL ? kernel_counts_read(options->kernel_counts, &counts) : NULL;
    if (why == NULL)
        why = kernels_read(options->profiles.word, options->profiles.n, &work->roofs, counts, &work->points);
    kernel_counts_free(counts);
    return why;
}

static int read_points(struct work *work)
{
    const struct options *options = work->options;
    if (options->show != NULL)
        return read_file(work, options->show, &work->points);
    if (get_roofs(work) != TOOL_FINE)
        return TOOL_ERROR;
    char *why = options->job != NULL ? job_read(options->job, &work->roofs, &work->points)
                : options->device_roofs != NULL
                    ? read_kernels(work)
                    : profiles_read(options->profiles.word, options->profiles.n, &work->roofs, &work->points);
    int status = why != NULL ? tool_error(work->tool, "%s", why) : TOOL_FINE;
    free(why);
    return status;
}

/* True for an executable file or script: what a file of results never begins with. */
static bool is_program(const char *path)
{
    char begin[4] = "";
    struct stat status;
    if (stat(path, &status) != 0 || !S_ISREG(status.st_mode))
        return false;
    FILE *in = fopen(path, "re");
    size_t n = in != NULL ? fread(begin, 1, sizeof begin, in) : 0;
    if (in != NULL)
        fclose(in);
    return n == sizeof begin && (memcmp(begin, "\177ELF", 4) == 0 || memcmp(begin, "#!", 2) == 0);
}

/* Refuses a program in the place of its profile, before the roofs are measured for it. */
static int check_profiles(struct work *work)
{
    const struct option_words *profiles = &work->options->profiles;
    for (int i = 0; i < profiles->n; i++) {
        const char *path = profiles->word[i];
        if (is_program(path))
            return tool_error(
                work->tool,
                "%s is a program, and --profile reads what papi_profile wrote of one: run \"papi_profile -o "
                "time.json %s && papi_profile --exact -e PAPI_DP_OPS -e PAPI_SP_OPS -e PAPI_L1_DCM -e "
                "PAPI_L2_DCM -e PAPI_L3_DCM -o counts.json %s && papi_roofline --profile=time.json "
                "--profile=counts.json\"",
                path, path, path);
    }
    return TOOL_FINE;
}

/* Refuses options of devices where they mean nothing. */
static int check_devices(struct work *work, char *const *program)
{
    const struct options *options = work->options;
    if (options->kernel_counts != NULL && (options->device_roofs == NULL || options->profiles.n == 0))
        return tool_usage_error(work->tool, "--kernel-counts takes --device-roofs=FILE and --profile=FILE");
    if (options->device_roofs == NULL)
        return TOOL_FINE;
    if (options->show != NULL || options->job != NULL || options->roofs != NULL || options->measure ||
        options->emulate || options->events)
        return tool_usage_error(work->tool, "--device-roofs goes with --profile=FILE and output alone");
    if (program[0] != NULL && options->profiles.n == 0)
        return tool_usage_error(
            work->tool,
            "%s: kernels are those of a profile: run \"papi_profile --devices -o run.json "
            "%s\", then \"papi_roofline --device-roofs=%s --profile=run.json\"",
            program[0], program[0], options->device_roofs);
    return TOOL_FINE;
}

/* Prints what a file has: roofs and points that were kept, routines of profiles, or regions of a job. */
static int show_files(struct work *work, char **more)
{
    const struct options *options = work->options;
    if (more[0] != NULL)
        return tool_usage_error(work->tool, "%s: --show, --profile and --job run no program", more[0]);
    if ((options->show != NULL) + (options->profiles.n > 0) + (options->job != NULL) > 1)
        return tool_usage_error(work->tool, "--show, --profile and --job exclude one another");
    if (options->profiles.n > OPTION_MOST_WORDS)
        return tool_usage_error(work->tool, "--profile comes more than %d times", (int)OPTION_MOST_WORDS);
    int status = check_profiles(work) ?: read_points(work);
    if (status != TOOL_FINE)
        return status;
    points_limit(&work->points, &work->roofs);
    show(work);
    return write_files(work);
}

/* Prints the names of events, and nothing else, for scripts. */
static int show_events(struct work *work)
{
    struct report *report = &work->tool->report;
    struct source source = source_emulator;
    struct cpus cpus;
    const char *why = cpus_find(&cpus);
    if (why == NULL && !work->options->emulate && !source_counters(&source, cpus.n_caches, &why))
        tool_error(work->tool,
                   "%s here; in the emulator they are: set PAPI_EVENTS=$(papi_roofline --events --emulate) "
                   "and run papi_emulate --caches ./a.out in place of ./a.out",
                   why);
    else if (why != NULL)
        tool_error(work->tool, "%s", why);
    else {
        char *names = source_events(&source, cpus.n_caches);
        report_string(report, NULL, "events", names);
        report_line(report, NULL, "%s", names);
        report_finish(report);
        free(names);
    }
    cpus_free(&cpus);
    return work->tool->status;
}

int main(int argc, char **argv)
{
    static const struct option_row rows[] = {
        {0, "+", OPTION_PROGRAM, 0, 0, 0},
        {0, "measure", OPTION_SET, offsetof(struct options, measure), 0, 0},
        {0, "rounds", OPTION_NUMBER, offsetof(struct options, rounds), 1, 1000},
        {0, "roofs", OPTION_TEXT, offsetof(struct options, roofs), 0, 0},
        {0, "emulate", OPTION_SET, offsetof(struct options, emulate), 0, 0},
        {'o', "output", OPTION_TEXT, offsetof(struct options, output), 0, 0},
        {0, "show", OPTION_TEXT, offsetof(struct options, show), 0, 0},
        {0, "device-roofs", OPTION_TEXT, offsetof(struct options, device_roofs), 0, 0},
        {0, "kernel-counts", OPTION_TEXT, offsetof(struct options, kernel_counts), 0, 0},
        {0, "job", OPTION_TEXT, offsetof(struct options, job), 0, 0},
        {0, "events", OPTION_SET, offsetof(struct options, events), 0, 0},
        {0, "profile", OPTION_EACH, offsetof(struct options, profiles), 0, 0},
        {0, "svg", OPTION_TEXT, offsetof(struct options, svg), 0, 0},
        {0, "html", OPTION_TEXT, offsetof(struct options, html), 0, 0},
        {0},
    };
    struct tool tool = {.name = "papi_roofline", .usage = usage_text};
    struct options options = {.rounds = 10};
    struct work work = {.tool = &tool, .options = &options};
    if (tool_read(&tool, argc, argv, rows, &options) != 0 || tool_open(&tool) != TOOL_FINE)
        return tool_end(&tool);
    bool from_files = options.show != NULL || options.profiles.n > 0 || options.job != NULL;
    tool.status = check_devices(&work, argv + optind)
                      ?: options.events ? show_events(&work)
                      : from_files      ? show_files(&work, argv + optind)
                                   : check_program(&work, argv + 1, optind - 1) ?: run(&work, argv + optind);
    points_free(&work.points);
    bool fine = tool.status == TOOL_FINE;
    int status = tool_end(&tool);
    if (!fine || status != TOOL_FINE)
        return status;
    end_like(work.ended);
}

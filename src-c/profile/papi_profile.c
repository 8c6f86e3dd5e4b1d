/* SPDX-License-Identifier: BSD-3-Clause
 *
 * papi_profile: where a program spends its time, or where other events happen in it.
 */
#include "base/visible.h"
#include "branch_events.h"
#include "export.h"
#include "objects.h"
#include "profile_file.h"
#include "ranks.h"
#include "sampler.h"
#include "tools/common/allocate.h"
#include "tools/common/counted_command.h"
#include "tools/common/other_program.h"
#include "tools/common/terminal.h"
#include "tools/common/tool_files.h"
#include "tools/common/tool_words.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char usage_text[] =
    "Usage: papi_profile [OPTION]... PROGRAM [ARGUMENT]...\n"
    "       papi_profile [OPTION]... --show=FILE [FILE]...\n"
    "Samples a program, with all threads and processes that it starts, and shows in\n"
    "which routines and lines (of programs compiled with -g) its time goes.\n"
    "\n"
    "  -e, --event=EVENT[=PERIOD]  a sample each PERIOD events; up to eight of these\n"
    "                       (usually cycles, else the clock: a thousand a second)\n"
    "      --exact          not sampled: papi_emulate counts presets, metrics, EVENTs\n"
    "      --devices        kernels and copies, below the lines that launch them\n"
    "      --memory[=HOW]   which data waits, what threads share (also: --data);\n"
    "                       HOW: hardware or emulator\n"
    "      --branches       which the processor mispredicted; iterations of loops\n"
    "  -s, --stacks=HOW     calls from copied stacks, by frames (pointers), or none\n"
    "  -o, --output=FILE    the profile (papi_profile_PROGRAM_PID.json)\n"
    "  -n, --lines=NUMBER   of routines and lines that are shown (20); 0: no report\n"
    "  -x, --export=FORMAT[=FILE]  also html, callgrind, folded, pprof or speedscope\n"
    "      --show=FILE      a profile that was written; of more than one, the sum\n"
    "      --sources=FOLDER where sources are, in place of where the profile has them\n"
    "      --json           for programs: one JSON object, on standard output\n"
    "  -h, --help           this text; --version: the version of the interface\n"
    "\n"
    "Exit status: 0 if a profile was shown; that of the PROGRAM; 1 after an error, 2\n"
    "for wrong options, 127 if the PROGRAM cannot be run.\n";

void memory_is_out(void)
{
    fputs("papi_profile: out of memory for the profile; a longer period (-e EVENT=PERIOD) or --stacks=none "
          "takes less\n",
          stderr);
    output_drop_all();
    exit(1);
}

struct options {
    struct option_words events, shown, exports, sources;
    const char *stacks, *output, *data; /* data: NULL: not asked for; "": by what is there */
    const char *memory;                 /* the same by its other name */
    long long most;
    bool exact, devices, branches;
    char **words;   /* behind the tool's name: options, and then ... */
    char **program; /* ... and its arguments */
};

/* The origin of a profile of this process, which reading a file changes (file_read). */
static struct profile_origin origin_of(const struct options *options)
{
    return (struct profile_origin){
        .folder = options->sources.word, .n_folders = options->sources.n, .names = named_sources};
}

/* Sources of what is asked for beside usual samples: libraries in the program that note what the kernel does
 * not see, and an event. */
struct natives {
    struct native_data data;
    struct native_launches launches;
    struct perf_event_attr branches;
};

/* ---- the file */

struct kept {
    char *path;
    struct output output;
};

static const char *base_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

/* Opens the file of the profile, before the program runs: it is better to know then that it cannot be
 * written. */
static int open_kept(struct kept *kept, struct tool *tool, const struct options *options,
                     const struct command *command)
{
    const char *path = options->output, *why = NULL;
    bool job = ranks_find().size > 0; /* all its ranks have one name */
    struct stat found;
    kept->path =
        path != NULL ? memory_text(path)
        : job        ? memory_print("papi_profile_%s.json", base_of(options->program[0]))
              : memory_print("papi_profile_%s_%d.json", base_of(options->program[0]), (int)command->pid);
    if (job)
        ranks_begin(kept->path);
    else if (path == NULL && lstat(kept->path, &found) == 0)
        why = strerror(EEXIST);
    why = why != NULL ? why : output_open(&kept->output, kept->path);
    return why != NULL ? tool_error(tool, "%s: %s", kept->path, why) : TOOL_FINE;
}

static int write_profile(struct output *output, const char *path, struct tool *tool,
                         const struct profile *profile)
{
    file_write(output->file, profile);
    const char *why = output_close(output);
    return why != NULL ? tool_error(tool, "%s: %s", path, why) : TOOL_FINE;
}

/* Writes a rank's file, which has its name only once it is whole: other ranks read it as soon as it is there.
 */
static int write_part(struct tool *tool, const char *path, const struct profile *profile)
{
    struct output output;
    const char *why = output_open(&output, path);
    return why != NULL ? tool_error(tool, "%s: %s", path, why) : write_profile(&output, path, tool, profile);
}

/* Writes the profile of a rank. The last rank makes one of all: then *last is true, and profile is the job's.
 * Returns a tool's status, after a message. */
static int write_rank(struct kept *kept, struct tool *tool, const struct ranks *ranks,
                      struct profile *profile, bool *last)
{
    char *job = kept->path, *own = ranks_path(job, ranks->rank), *why = NULL;
    int status = write_part(tool, own, profile);
    free(own);
    *last = status == TOOL_FINE && ranks_all_there(ranks, job, &why);
    if (*last) {
        struct profile_origin origin = profile->origin;
        profile_free(profile);
        why = ranks_join(ranks, job, profile);
        profile->origin = origin; /* all of them are of this run */
        *last = why == NULL;      /* otherwise there is nothing to show */
    }
    if (why != NULL)
        status = tool_error(tool, "%s", why);
    free(why);
    if (!*last)
        return status;
    status = write_profile(&kept->output, job, tool, profile);
    if (status == TOOL_FINE)
        ranks_remove(ranks, job);
    return status;
}

static void drop_kept(struct kept *kept)
{
    output_drop(&kept->output);
    free(kept->path);
}

/* ---- other formats */

/* Checks the formats of --export, before anything is run or read. */
static int check_exports(struct tool *tool, const struct option_words *exports)
{
    if (exports->n > OPTION_MOST_WORDS)
        return tool_usage_error(tool, "--export comes more than %d times", (int)OPTION_MOST_WORDS);
    for (int i = 0; i < exports->n; i++)
        if (export_find(exports->word[i], strcspn(exports->word[i], "=")) == NULL)
            return tool_usage_error(tool, "--export=%s: the formats are %s", exports->word[i], export_names);
    return TOOL_FINE;
}

static int check_sources(struct tool *tool, const struct option_words *sources)
{
    struct stat folder;
    if (sources->n > OPTION_MOST_WORDS)
        return tool_usage_error(tool, "--sources comes more than %d times", (int)OPTION_MOST_WORDS);
    for (int i = 0; i < sources->n; i++)
        if (stat(sources->word[i], &folder) != 0 || !S_ISDIR(folder.st_mode))
            return tool_error(tool, "--sources=%s: not a folder that can be read", sources->word[i]);
    return TOOL_FINE;
}

/* The path of an export: the file that the word names, otherwise the profile's path with the suffix of the
 * format. */
static char *export_path(const char *word, const struct export *format, const char *profile_path)
{
    size_t length = strlen(profile_path);
    if (word[strcspn(word, "=")] == '=')
        return memory_text(strchr(word, '=') + 1);
    if (length > 5 && strcmp(profile_path + length - 5, ".json") == 0)
        length -= 5;
    return memory_print("%.*s%s", (int)length, profile_path, format->suffix);
}

static int write_export(struct tool *tool, const struct export *format, const char *path,
                        const struct profile *profile, const struct totals *totals)
{
    struct output output;
    if (strcmp(path, "-") == 0) {
        format->write(stdout, profile, totals);
        return TOOL_FINE; /* tool_end says what standard output refused */
    }
    const char *why = output_open(&output, path);
    if (why == NULL) {
        format->write(output.file, profile, totals);
        why = output_close(&output);
    }
    return why != NULL ? tool_error(tool, "%s: %s", path, why) : TOOL_FINE;
}

/* Says once for all formats what was cut off. */
static void say_cut(const struct option_words *exports, const struct profile *profile)
{
    struct stacks stacks;
    bool any = false;
    for (int i = 0; i < exports->n; i++)
        any |= export_find(exports->word[i], strcspn(exports->word[i], "="))->lists_stacks;
    if (!any)
        return;
    stacks_begin(&stacks, profile);
    if (stacks.cut > 0) {
        FILE *out = terminal_open(stderr);
        fprintf(out,
                "papi_profile: %d stacks of more than %d calls have \"" STACK_GAP_NAME
                "\" in their middle: all "
                "stacks are too long to be listed whole; -x html and callgrind have all\n",
                stacks.cut, stacks.most);
        terminal_close(out, stderr);
    }
    stacks_end(&stacks);
}

static int write_exports(struct tool *tool, const struct option_words *exports, const char *profile_path,
                         const struct profile *profile)
{
    struct totals totals;
    int status = TOOL_FINE;
    totals_make(&totals, profile);
    say_cut(exports, profile);
    for (int i = 0; i < exports->n; i++) { /* one that cannot be written does not cost the others */
        const struct export *format = export_find(exports->word[i], strcspn(exports->word[i], "="));
        char *path = export_path(exports->word[i], format, profile_path);
        status = write_export(tool, format, path, profile, &totals) ?: status;
        free(path);
    }
    totals_free(&totals);
    return status;
}

/* ---- a program */

/* Shows the profile of a run on standard error. path is its file; NULL: it could not be written. */
static void show_run(struct tool *tool, const struct options *options, const struct profile *profile,
                     const char *path)
{
    FILE *out = tool->report.out;
    if (options->most == 0 && !tool->report.json)
        return;
    tool->report.out = terminal_open(stderr); /* standard output is the program's */
    if (!tool->report.json)
        report_blank(&tool->report);
    profile_print(&tool->report, profile, (int)options->most);
    struct stat file;
    if (!tool->report.json && path != NULL && stat(path, &file) == 0 && S_ISREG(file.st_mode)) {
        report_blank(&tool->report);
        visible_print(tool->report.out, "papi_profile --show=%s shows this again", path);
        report_blank(&tool->report);
    }
    report_finish(&tool->report);
    terminal_close(tool->report.out, stderr);
    tool->report.out = out;
}

/* Writes the profile and prints it; of a job the last rank prints the whole. The run is over, so it is
 * printed also where a file cannot be written. */
static int write_and_show(struct tool *tool, const struct options *options, struct kept *kept,
                          struct profile *profile)
{
    struct ranks ranks = ranks_find();
    bool last = true;
    int status = ranks.size > 0 ? write_rank(kept, tool, &ranks, profile, &last)
                                : write_profile(&kept->output, kept->path, tool, profile);
    if (!last)
        return status;
    const char *path = status == TOOL_FINE ? kept->path : NULL;
    status = write_exports(tool, &options->exports, kept->path, profile) ?: status;
    show_run(tool, options, profile, path);
    return status;
}

static int run_command(struct tool *tool, const struct options *options, struct command *command,
                       struct exact *exact, const struct natives *natives, struct profile *profile)
{
    struct kept kept = {.path = NULL};
    struct run run = {.tool = tool,
                      .profile = profile,
                      .command = command,
                      .events = &options->events,
                      .exact = exact,
                      .data = natives->data.n > 0 ? &natives->data : NULL,
                      .launches = options->devices ? &natives->launches : NULL,
                      .branches = options->branches ? &natives->branches : NULL,
                      .program = options->program};
    int status = run_stacks(&run, options->stacks) ?: run_prepare(&run);
    if (status == TOOL_FINE)
        status = open_kept(&kept, tool, options, command);
    if (status == TOOL_FINE)
        status = run_go(&run);
    if (status == TOOL_FINE && !run_failed_to_start(&run))
        status = write_and_show(tool, options, &kept, profile);
    drop_kept(&kept);
    run_end(&run);
    return status;
}

/* Refuses, with the command that does it, what would be a profile of another tool. */
static int check_program(struct tool *tool, const struct options *options)
{
    const char *other = tool_word(options->program);
    bool emulator = emulated_already() || (other != NULL && strcmp(other, "papi_emulate") == 0);
    if (!emulator && (other == NULL || strcmp(other, "papi_roofline") != 0))
        return TOOL_FINE;
    char *command = tool_command(tool->name, emulator ? "--exact" : NULL, options->words,
                                 (int)(options->program - options->words), tool_program(options->program));
    if (command == NULL)
        return tool_error(tool, "out of memory");
    if (emulator)
        tool_error(tool, "papi_emulate is not sampled; to have each line counted in it, run \"%s\"", command);
    else
        tool_error(tool,
                   "papi_roofline measures, and is not to be disturbed; for the program alone, run \"%s\"",
                   command);
    free(command);
    return TOOL_ERROR;
}

/* The name by which the profile of data was asked for. */
static const char *data_option(const struct options *options)
{
    return options->memory != NULL ? "--memory" : "--data";
}

static void say_emulated(const char *why)
{
    FILE *out = terminal_open(stderr);
    fprintf(out,
            "papi_profile: papi_emulate counts the accesses, since the processor does not sample them here: "
            "%s; which lines threads share is not known without these samples\n",
            why);
    terminal_close(out, stderr);
}

/* Chooses how data is looked at: by samples of the processor, where it has them and nothing else is asked
 * for, else in the emulator. exact: that one. */
static int choose_data(struct tool *tool, const struct options *options, struct native_data *native,
                       bool *exact)
{
    const char *how = options->data, *option = data_option(options);
    struct reason why = {.code = PAPI_OK};
    bool hardware = how != NULL && strcmp(how, "hardware") == 0, any = how != NULL && how[0] == '\0';
    if (how != NULL && !hardware && !any && strcmp(how, "emulator") != 0)
        return tool_usage_error(tool, "%s=%s: it is hardware or emulator", option, how);
    if (hardware && (options->exact || options->events.n > 0))
        return tool_usage_error(
            tool, "%s=hardware takes no events: those that it samples are the processor's own", option);
    *exact = options->exact || how != NULL || exact_wanted(&options->events);
    if (!hardware && (!any || options->exact || options->events.n > 0))
        return TOOL_FINE;
    if (native_data_find(native, &why) > 0) {
        *exact = false;
        return native_data_prepare(native, tool);
    }
    if (any) {
        say_emulated(why.text);
        return TOOL_FINE;
    }
    char *advice = memory_print("%s=emulator", option);
    char *command = tool_command(tool->name, advice, NULL, 0, options->program);
    free(advice);
    if (command == NULL)
        return tool_error(tool, "out of memory");
    tool_error(tool, "%s=hardware: %s; run \"%s\"", option, why.text, command);
    free(command);
    return TOOL_ERROR;
}

static int choose_branches(struct tool *tool, const struct options *options, struct natives *natives)
{
    struct reason why = {.code = PAPI_OK};
    if (!options->branches)
        return TOOL_FINE;
    if (options->exact || options->data != NULL || options->events.n > 0 || options->stacks != NULL)
        return tool_usage_error(tool,
                                "--branches takes no --event, --exact, --memory or --stacks: it samples "
                                "the processor's records of branches");
    if (branch_event_find(secure_getenv("PAPI_SYSROOT"), &natives->branches, &why))
        return TOOL_FINE;
    char *command = tool_command(tool->name, "--exact", NULL, 0, options->program);
    if (command == NULL)
        return tool_error(tool, "out of memory");
    tool_error(tool,
               "--branches: %s; run \"%s\", which counts how often branches are taken and the iterations of "
               "loops, but not what is mispredicted",
               why.text, command);
    free(command);
    return TOOL_ERROR;
}

static int choose_devices(struct tool *tool, const struct options *options, struct natives *natives,
                          bool exact)
{
    int n = (int)(options->program - options->words);
    if (!options->devices)
        return TOOL_FINE;
    if (!exact && natives->data.n == 0)
        return native_launches_prepare(&natives->launches, tool, options->words, n, options->program);
    char *command = tool_command(tool->name, "--devices", NULL, 0, options->program);
    if (command == NULL)
        return tool_error(tool, "out of memory");
    tool_error(tool,
               "--devices goes with time that is sampled, not with --exact, --data and events of the "
               "emulator; run \"%s\"",
               command);
    free(command);
    return TOOL_ERROR;
}

/* Makes the process, which is done before the library has anything to inherit, and runs it. */
static int sample_command(struct tool *tool, const struct options *options, struct command *command,
                          struct exact *exact, struct natives *natives, struct profile *profile)
{
    command->word = exact != NULL ? exact->word : options->program;
    int status = command_make(command, tool);
    native_launches_made(&natives->launches); /* the last to change the environment */
    native_data_made(&natives->data);
    if (status == TOOL_FINE) {
        command_hold_signals(command);
        status = tool_open(tool);
    }
    if (status == TOOL_FINE)
        status = run_command(tool, options, command, exact, natives, profile);
    command_end(command);
    return status;
}

static int sample(struct tool *tool, const struct options *options, struct command *command)
{
    struct profile profile = {.origin = origin_of(options)};
    struct exact exact = {.data = options->data != NULL};
    struct natives natives = {.data = {.n = 0}};
    bool is_exact = false;
    int status = check_program(tool, options) ?: choose_data(tool, options, &natives.data, &is_exact)
                     ?: choose_branches(tool, options, &natives)
                     ?: choose_devices(tool, options, &natives, is_exact);
    if (status == TOOL_FINE && is_exact)
        status = exact_prepare(&exact, tool, &options->events, options->program, &profile);
    if (status == TOOL_FINE)
        status = sample_command(tool, options, command, is_exact ? &exact : NULL, &natives, &profile);
    exact_end(&exact);
    native_data_end(&natives.data);
    native_launches_end(&natives.launches);
    profile_free(&profile);
    return status;
}

/* ---- files */

/* Shows profiles from files, those of --show followed by the arguments. */
static int show_files(struct tool *tool, const struct options *options, char **file)
{
    struct profile profile = {.origin = origin_of(options)};
    if (options->shown.n > OPTION_MOST_WORDS)
        return tool_usage_error(tool, "--show comes more than %d times: --show=FILE FILE...",
                                (int)OPTION_MOST_WORDS);
    if (options->most == 0 && options->exports.n == 0 && !tool->report.json)
        return tool_usage_error(tool, "--show shows at least one line: --lines=1");
    const char **all = memory_more(NULL, OPTION_MOST_WORDS, sizeof *all);
    int n = options->shown.n;
    memcpy(all, options->shown.word, (size_t)n * sizeof *all);
    for (; *file != NULL; file++) {
        all = memory_more(all, (size_t)n + 1 + OPTION_MOST_WORDS, sizeof *all);
        all[n++] = *file;
    }
    char *why = ranks_read(&profile, all, n);
    int status = why != NULL ? tool_error(tool, "%s", why) : TOOL_FINE;
    free(why);
    free(all);
    if (status == TOOL_FINE && options->exports.n == 0)
        profile_print(&tool->report, &profile, (int)options->most);
    else if (status == TOOL_FINE)
        status = write_exports(tool, &options->exports, options->shown.word[0], &profile);
    profile_free(&profile);
    return status;
}

/* ---- all */

int main(int argc, char **argv)
{
    static const struct option_row rows[] = {
        {0, "+", OPTION_PROGRAM, 0, 0, 0},
        {'e', "event", OPTION_EACH, offsetof(struct options, events), 0, 0},
        {0, "exact", OPTION_SET, offsetof(struct options, exact), 0, 0},
        {0, "devices", OPTION_SET, offsetof(struct options, devices), 0, 0},
        {0, "branches", OPTION_SET, offsetof(struct options, branches), 0, 0},
        {0, "memory", OPTION_OPTIONAL, offsetof(struct options, memory), 0, 0},
        {0, "data", OPTION_OPTIONAL, offsetof(struct options, data), 0, 0},
        {'s', "stacks", OPTION_TEXT, offsetof(struct options, stacks), 0, 0},
        {'o', "output", OPTION_TEXT, offsetof(struct options, output), 0, 0},
        {'n', "lines", OPTION_NUMBER, offsetof(struct options, most), 0, INT_MAX},
        {'x', "export", OPTION_EACH, offsetof(struct options, exports), 0, 0},
        {0, "show", OPTION_EACH, offsetof(struct options, shown), 0, 0},
        {0, "sources", OPTION_EACH, offsetof(struct options, sources), 0, 0},
        {0},
    };
    struct tool tool = {.name = "papi_profile", .usage = usage_text};
    struct options options = {.most = 20};
    struct command command = {.word = NULL};
    if (tool_read(&tool, argc, argv, rows, &options) != 0)
        return tool_end(&tool);
    if (check_exports(&tool, &options.exports) != TOOL_FINE ||
        check_sources(&tool, &options.sources) != TOOL_FINE)
        return tool_end(&tool);
    if (options.shown.n > 0) {
        tool.status = show_files(&tool, &options, argv + optind);
        return tool_end(&tool);
    }
    if (options.memory != NULL)
        options.data = options.memory;
    options.words = argv + 1;
    options.program = argv + optind;
    if (options.program[0] == NULL)
        tool_usage_error(&tool, "which PROGRAM? Or --show=FILE");
    else
        tool.status = sample(&tool, &options, &command);
    bool fine = tool.status == TOOL_FINE;
    int status = tool_end(&tool);
    if (!fine || status != TOOL_FINE)
        return status;
    end_like(command.status);
}

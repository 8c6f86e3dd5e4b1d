/* SPDX-License-Identifier: BSD-3-Clause
 *
 * papi_emulate: runs a program where its events can be counted, whatever the machine.
 */
#include "emulator/launcher/launcher.h"
#include "papi.h"
#include "tools/common/options.h"
#include "tools/common/other_program.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char usage_text[] =
    "Usage: papi_emulate [OPTIONS] [--] PROGRAM [ARGUMENTS]\n"
    "Runs a program for x86-64 or 64-bit ARM in an emulator (QEMU) that counts what\n"
    "it executes: exactly, on any machine, without privileges or another build of it.\n"
    "\n"
    "      --report[=FILE]      at its end the counts of the whole run, to standard\n"
    "                           error or FILE: %r is the MPI rank (0 without MPI), %p\n"
    "                           papi_emulate's process, - standard output\n"
    "      --json               the report, or the list of events, as one JSON object\n"
    "      --events[=LIST]      lists the events; with names separated by commas: a\n"
    "                           report of these alone; also presets, @metrics\n"
    "      --caches[=GEOMETRY]  simulate caches: this machine's, or such as\n"
    "                           L1d:32K:8:64,L1i:32K:8:64,L2:1M:16:64,L3:32M:16:64\n"
    "                           (size, ways, bytes of a line)\n"
    "      --cpu=MODEL          the processor, by a name of qemu-x86_64 -cpu help\n"
    "                           (usually a modern one of this machine's vendor)\n"
    "      --cycles=estimate    PAPI_TOT_CYC, as one for each instruction\n"
    "      --native-times       first run it as it is and record the clocks: PAPI's\n"
    "                           timers then tell native time, so that rates are real\n"
    "      --version            the version of the interface\n"
    "  -h, --help               this text\n"
    "\n"
    "Environment: PAPI_EMULATOR is another emulator, PAPI_EMULATE_PLUGIN its plugin.\n"
    "Exit status: the program's; 125 after an error of papi_emulate, 126 if the\n"
    "program cannot be run, 127 if it, the emulator or the plugin is not found.\n";

struct options {
    bool list, report, json, caches, native_times;
    const char *cycles; /* model of the estimated cycles; NULL: none are estimated */
    const char *report_file, *event_list, *geometry, *cpu;
    char **program; /* and its arguments */
};

/* ---- options */

static int usage_error(void)
{
    fputs("papi_emulate --help lists the options\n", stderr);
    return EXIT_OWN_ERROR;
}

static int print_version(void)
{
    printf("papi_emulate (fpapi) %d.%d.%d\n", PAPI_VERSION_MAJOR(PAPI_VERSION),
           PAPI_VERSION_MINOR(PAPI_VERSION), PAPI_VERSION_REVISION(PAPI_VERSION));
    return EXIT_SUCCESS;
}

/* The status after output was printed; a full disk shows only here. */
static int printed(int status)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return status;
    if (errno != EPIPE) /* who reads no further, as head does, wants no message */
        complain("standard output: %s", strerror(errno));
    return EXIT_OWN_ERROR;
}

static void set_option(struct options *options, int option)
{
    switch (option) {
    case 'r':
        options->report = true;
        options->report_file = optarg;
        break;
    case 'j':
        options->json = true;
        break;
    case 'e':
        options->list = optarg == NULL;
        options->event_list = optarg;
        break;
    case 'c':
        options->caches = true;
        options->geometry = optarg;
        break;
    case 'p':
        options->cpu = optarg;
        break;
    case 'y':
        options->cycles = optarg;
        break;
    case 'n':
        options->native_times = true;
        break;
    default:
        break;
    }
}

/* Finds out what the options mean together. Returns an exit status. */
static int check_options(struct options *options, char **rest)
{
    if (options->list && rest[0] != NULL) {
        complain("--events with a program: which ones, as in --events=FP_OPS,LOADS");
        return usage_error();
    }
    if (!options->list && rest[0] == NULL) {
        complain("no program to run");
        return usage_error();
    }
    if (options->cycles != NULL && strcmp(options->cycles, "estimate") != 0) {
        complain("--cycles=%s: the emulator cannot count them, only --cycles=estimate", options->cycles);
        return usage_error();
    }
    options->program = rest;
    options->report = options->report || options->json || options->event_list != NULL;
    return 0;
}

/* ---- the report */

static int choose_events(struct report *report, const struct options *options)
{
    event_set counted = events_counted(options->caches, options->cycles != NULL);
    report->events = counted;
    if (options->event_list == NULL)
        return 0;
    report->only_chosen = true;
    int status = events_choose(options->event_list, &report->events);
    if (status == 0 && (report->events & ~counted) != 0) {
        complain("--events: those of the simulated caches count with --caches, estimates exist with "
                 "--cycles=estimate");
        status = EXIT_OWN_ERROR;
    }
    return status;
}

/* ---- a run */

/* Everything that it takes to run a program and to report on it. */
struct run {
    const struct options *options;
    struct program program;
    struct emulator emulator;
    char *caches; /* their geometry, or NULL */
    struct report report;
    struct memory memory;
    struct native_run native;
};

/* All that can go wrong goes wrong here, before the program runs. Returns an exit status. */
static int prepare(struct run *run)
{
    const struct options *options = run->options;
    struct report *report = &run->report;
    *report = (struct report){.wanted = options->report, .json = options->json, .program = options->program};
    int status = choose_events(report, options);
    if (status == 0 && options->caches)
        status = caches_choose(options->geometry, &run->caches);
    if (status == 0)
        status = program_find(&run->program, options->program[0]);
    if (status == 0)
        status = emulator_find(&run->emulator, run->program.guest);
    if (status == 0)
        status = report_open(report, options->report_file);
    if (status == 0)
        status = memory_make(&run->memory, options->caches, options->cycles != NULL);
    report->emulator = run->emulator.path;
    report->caches = run->caches;
    return status;
}

/* Adds the plugin's options, which are separated by commas, so that caches are separated by slashes. */
static void plugin_options(const struct run *run, struct words *words)
{
    words_add(words, "memory=/proc/%ld/fd/%d", (long)getpid(), run->memory.fd);
    words_add(words, "follow=on");
    if (run->options->cycles != NULL)
        words_add(words, "cycles=estimate");
    if (getenv(EMULATED_LINES) != NULL)
        words_add(words, "lines=%s", getenv(EMULATED_LINES));
    if (getenv(EMULATED_DATA) != NULL && run->caches != NULL)
        words_add(words, "data=on");
    if (run->caches != NULL) {
        words_add(words, "caches=%s", run->caches);
        for (char *p = words->word[words->n - 1]; *p != '\0'; p++)
            if (*p == ',')
                *p = '/';
    }
}

#if defined(__x86_64__)
#define OWN_GUEST GUEST_X86_64
#else
#define OWN_GUEST GUEST_ARM64
#endif

/* Has the program preload the library that reports its allocations, before those that it preloads anyway. It
 * lies beside the plugin, and is for programs of this machine. */
static void preload_for_data(const struct run *run)
{
    const char *plugin = run->emulator.plugin, *others = getenv("LD_PRELOAD"), *slash = strrchr(plugin, '/');
    int folder = slash != NULL ? (int)(slash + 1 - plugin) : 0;
    char *library = NULL, *all = NULL;
    if (getenv(EMULATED_DATA) == NULL || run->program.guest != OWN_GUEST ||
        asprintf(&library, "%.*slibpapi_data.so", folder, plugin) < 0)
        return;
    if (access(library, R_OK) == 0 &&
        asprintf(&all, "%s%s%s", library, others != NULL ? ":" : "", others != NULL ? others : "") >= 0)
        setenv("LD_PRELOAD", all, 1);
    free(library);
    free(all);
}

/* Returns an exit status; 0: the program has run. */
static int run_child(const struct run *run, struct child *child)
{
    struct words options = {0}, words = {0};
    struct command command = {0};
    plugin_options(run, &options);
    emulator_environment();
    preload_for_data(run);
    emulator_words(&words, &run->emulator, run->program.guest, run->options->cpu, &options);
    or_end(command_build(&command, words.word, (int)words.n, &run->program.target, run->options->program,
                         environ) == 0
               ? command.argv
               : NULL);
    int status = child_run(child, &command, &run->memory);
    command_free(&command);
    words_free(&options);
    words_free(&words);
    return status;
}

static void tell(struct run *run, const struct child *child)
{
    struct run_counts counts;
    memory_read(&run->memory, &counts);
    if (counts.n == 0 && run->memory.shared->lost_programs == 0)
        complain("nothing was counted: %s did not run the program with the plugin %s", run->emulator.path,
                 run->emulator.plugin);
    faults_explain(&counts, child);
    native_compare(&run->native);
    if (run->report.wanted)
        report_write(&run->report, &run->memory, &counts, child);
    free(counts.program);
}

static int emulate(const struct options *options)
{
    struct run run = {.options = options};
    struct child child;
    int status = prepare(&run);
    run.report.native = &run.native;
    if (status == 0 && options->native_times)
        status = native_run(&run.native, &run.program, options->program);
    if (status == 0)
        status = run_child(&run, &child);
    if (status == 0)
        tell(&run, &child);
    if (run.memory.shared != NULL)
        memory_free(&run.memory);
    report_close(&run.report);
    native_free(&run.native);
    emulator_free(&run.emulator);
    free(run.caches);
    if (status == 0)
        end_like(child.status);
    return status;
}

/* Replaces itself by the program in an emulator that counts: there is no need for another one. */
static int run_plainly(char **program)
{
    complain("this runs under papi_emulate already, which counts %s too", program[0]);
    execvp(program[0], program);
    int error = errno;
    complain("%s: %s", program[0], strerror(error));
    return error == ENOENT ? EXIT_NOT_FOUND : EXIT_CANNOT_RUN;
}

int main(int argc, char **argv)
{
    static const struct option long_options[] = {
        {"report", optional_argument, NULL, 'r'}, {"json", no_argument, NULL, 'j'},
        {"events", optional_argument, NULL, 'e'}, {"caches", optional_argument, NULL, 'c'},
        {"native-times", no_argument, NULL, 'n'}, {"cpu", required_argument, NULL, 'p'},
        {"cycles", required_argument, NULL, 'y'}, {"version", no_argument, NULL, 'V'},
        {"help", no_argument, NULL, 'h'},         {NULL, 0, NULL, 0},
    };
    struct options options = {0};
    int c;
    argv[0] = "papi_emulate"; /* as messages about options begin */
    /* +: what follows the program is the program's. */
    while ((c = options_next(argc, argv, "+h", long_options)) != -1) {
        if (c == 'V')
            return printed(print_version());
        if (c == '?')
            return usage_error();
        if (c == 'h') {
            fputs(usage_text, stdout);
            return printed(EXIT_SUCCESS);
        }
        set_option(&options, c);
    }
    int status = check_options(&options, argv + optind);
    if (status != 0)
        return status;
    if (options.list) {
        events_list(options.json);
        return printed(EXIT_SUCCESS);
    }
    return emulated_already() ? run_plainly(options.program) : emulate(&options);
}

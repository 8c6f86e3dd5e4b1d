/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Usage: check_presets [OPTION]... FILE...
 *
 * Checks the tables of presets: the library's reader must take every row, every native event must be one that
 * libpfm4 encodes, every definition must fit the processor's counters, and what docs/presets.md says besides.
 * Then prints which preset has a definition on which processor. Exit status 1 when there was a fault; each is
 * printed as file:line: text.
 */
#include "checker.h"
#include "papi.h"
#include "tools/common/options.h"

#include <limits.h>
#include <perfmon/pfmlib.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage_text[] =
    "Usage: check_presets [OPTION]... FILE...\n"
    "Checks tables of presets and prints which preset is defined for which processor.\n"
    "\n"
    "  --processors=FILE       which processors libpfm4 knows on which architecture; without it every\n"
    "                          processor must be one of this architecture's\n"
    "  --lists=FILE            what the vendors' lists have: nothing else may be used without a reason\n"
    "  --generations=FILE      which processors are neighbours, that may differ only with a reason\n"
    "  --complete              the tables are whole: demand what must be said of every processor\n"
    "  --least-definitions=N   a fault when there are fewer, over all processors\n"
    "  --least-pmus=N          a fault when there are fewer processors\n"
    "  --least-weighed=N       a fault when fewer floating-point presets were held against masks\n"
    "  --csv=FILE              write the matrix as CSV too\n"
    "  --pmus                  print the processors that this libpfm4 knows, and nothing else\n"
    "  --quiet                 no matrix\n"
    "  -h, --help              this text\n";

struct options {
    const char *architectures, *lists, *generations, *csv;
    long long least_definitions, least_pmus, least_weighed;
    bool complete, pmus, quiet;
};

static const struct option_row rows[] = {
#define PLACE(member) offsetof(struct options, member)
    {0, "processors", OPTION_TEXT, PLACE(architectures), 0, 0},
    {0, "lists", OPTION_TEXT, PLACE(lists), 0, 0},
    {0, "generations", OPTION_TEXT, PLACE(generations), 0, 0},
    {0, "least-definitions", OPTION_NUMBER, PLACE(least_definitions), 0, INT_MAX},
    {0, "least-pmus", OPTION_NUMBER, PLACE(least_pmus), 0, INT_MAX},
    {0, "least-weighed", OPTION_NUMBER, PLACE(least_weighed), 0, INT_MAX},
    {0, "csv", OPTION_TEXT, PLACE(csv), 0, 0},
    {0, "complete", OPTION_SET, PLACE(complete), 0, 0},
    {0, "pmus", OPTION_SET, PLACE(pmus), 0, 0},
    {0, "quiet", OPTION_SET, PLACE(quiet), 0, 0},
    {'h', "help", OPTION_RETURNED, 0, 0, 0},
    {0},
};

static int print_pmus(void)
{
    for (int i = 0; i < PFM_PMU_MAX; i++) {
        pfm_pmu_info_t info = {.size = sizeof info};
        if (pfm_get_pmu_info((pfm_pmu_t)i, &info) == PFM_SUCCESS && info.type == PFM_PMU_TYPE_CORE)
            puts(info.name);
    }
    return EXIT_SUCCESS;
}

static void check_least(struct checker *c, long long n, long long least, const char *what)
{
    if (n >= least)
        return;
    fprintf(stderr, "check_presets: %lld %s, and at least %lld are wanted\n", n, what, least);
    c->n_faults++;
}

static int check(const struct options *options, char **files)
{
    static struct checker checker;
    struct checker *c = &checker;
    c->last = &c->rows;
    if (options->architectures != NULL)
        architectures_read(c, options->architectures);
    while (*files != NULL)
        rows_read(c, *files++);
    ruled_finish(c);
    events_encode(c);
    rules_check(c, options->complete);
    if (options->complete)
        architectures_check(c);
    if (options->lists != NULL)
        lists_check(c, options->lists);
    if (options->generations != NULL)
        generations_check(c, options->generations);
    check_least(c, count_definitions(c), options->least_definitions, "definitions");
    check_least(c, count_processors(c), options->least_pmus, "processors");
    check_least(c, c->n_weighed, options->least_weighed, "floating-point presets held against masks");
    if (!options->quiet)
        matrix_print(c);
    int error = options->csv != NULL ? matrix_write(c, options->csv) : 0;
    if (error != 0)
        fault_at(c, options->csv, 1, "%s", strerror(error));
    if (c->n_faults > 0)
        fprintf(stderr, "check_presets: %d faults\n", c->n_faults);
    return c->n_faults > 0;
}

/* 0; OPTION_WRONG: the message was printed; 'h': the help was wanted. */
static int read_options(struct options *options, int argc, char **argv)
{
    argv[0] = "check_presets";
    int letter = options_read(argc, argv, rows, options);
    if (letter == 0 && optind == argc && !options->pmus) {
        fputs("check_presets: which tables? At least one FILE is to be given\n", stderr);
        letter = OPTION_WRONG;
    }
    if (letter == OPTION_WRONG)
        fputs("check_presets --help tells the options\n", stderr);
    return letter;
}

int main(int argc, char **argv)
{
    struct options options = {0};
    int letter = read_options(&options, argc, argv);
    if (letter == OPTION_WRONG)
        return 2;
    /* The tables are for processors that this machine does not have. */
    setenv("LIBPFM_ENCODE_INACTIVE", "1", 1);
    if (letter == 0 && pfm_initialize() != PFM_SUCCESS) {
        fputs("check_presets: libpfm4 does not start\n", stderr);
        return EXIT_FAILURE;
    }
    int status = EXIT_SUCCESS;
    if (letter == 'h')
        fputs(usage_text, stdout);
    else
        status = options.pmus ? print_pmus() : check(&options, argv + optind);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        perror("check_presets: standard output");
        return EXIT_FAILURE;
    }
    return status;
}

/* ---- faults */

void fault_at(struct checker *c, const char *file, int line, const char *format, ...)
{
    va_list args;
    fprintf(stderr, "%s:%d: ", file, line);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    c->n_faults++;
}

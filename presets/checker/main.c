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

#include <getopt.h>
#include <perfmon/pfmlib.h>
#include <stdlib.h>
#include <string.h>

static const char usage_text[] =
    "Usage: check_presets [OPTION]... FILE...\n"
    "Checks tables of presets and prints which preset is defined for which processor.\n"
    "\n"
    "  --processors=FILE       which processors libpfm4 knows on which architecture; without it every\n"
    "                          processor must be one of this architecture's\n"
    "  --generations=FILE      which processors are neighbours, that may differ only with a reason\n"
    "  --complete              the tables are whole: demand what must be said of every processor\n"
    "  --least-definitions=N   a fault when there are fewer, over all processors\n"
    "  --least-pmus=N          a fault when there are fewer processors\n"
    "  --csv=FILE              write the matrix as CSV too\n"
    "  --pmus                  print the processors that this libpfm4 knows, and nothing else\n"
    "  --quiet                 no matrix\n"
    "  --help                  this text\n";

struct options {
    const char *architectures, *generations, *csv;
    long least_definitions, least_pmus;
    bool complete, pmus, quiet;
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

static void check_least(struct checker *c, long n, long least, const char *what)
{
    if (n >= least)
        return;
    fprintf(stderr, "check_presets: %ld %s, and at least %ld are wanted\n", n, what, least);
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
    events_encode(c);
    rules_check(c, options->complete);
    if (options->complete)
        architectures_check(c);
    if (options->generations != NULL)
        generations_check(c, options->generations);
    check_least(c, count_definitions(c), options->least_definitions, "definitions");
    check_least(c, count_processors(c), options->least_pmus, "processors");
    if (!options->quiet)
        matrix_print(c);
    int error = options->csv != NULL ? matrix_write(c, options->csv) : 0;
    if (error != 0)
        fault_at(c, options->csv, 1, "%s", strerror(error));
    if (c->n_faults > 0)
        fprintf(stderr, "check_presets: %d faults\n", c->n_faults);
    return c->n_faults > 0;
}

static int read_options(struct options *o, int argc, char **argv)
{
    static const struct option names[] = {
        {"processors", required_argument, NULL, 'a'},
        {"generations", required_argument, NULL, 'g'},
        {"least-definitions", required_argument, NULL, 'd'},
        {"least-pmus", required_argument, NULL, 'm'},
        {"csv", required_argument, NULL, 'c'},
        {"complete", no_argument, NULL, 'w'},
        {"pmus", no_argument, NULL, 'p'},
        {"quiet", no_argument, NULL, 'q'},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    int letter;
    while ((letter = getopt_long(argc, argv, "", names, NULL)) != -1)
        switch (letter) {
        case 'a':
            o->architectures = optarg;
            break;
        case 'g':
            o->generations = optarg;
            break;
        case 'd':
            o->least_definitions = strtol(optarg, NULL, 10);
            break;
        case 'm':
            o->least_pmus = strtol(optarg, NULL, 10);
            break;
        case 'c':
            o->csv = optarg;
            break;
        case 'w':
            o->complete = true;
            break;
        case 'p':
            o->pmus = true;
            break;
        case 'q':
            o->quiet = true;
            break;
        default:
            return letter;
        }
    return 0;
}

int main(int argc, char **argv)
{
    struct options options = {0};
    int letter = read_options(&options, argc, argv);
    if (letter != 0 || (optind == argc && !options.pmus)) {
        fputs(usage_text, letter == 'h' ? stdout : stderr);
        return letter == 'h' ? EXIT_SUCCESS : 2;
    }
    /* The tables are for processors that this machine does not have. */
    setenv("LIBPFM_ENCODE_INACTIVE", "1", 1);
    if (pfm_initialize() != PFM_SUCCESS) {
        fputs("check_presets: libpfm4 does not start\n", stderr);
        return EXIT_FAILURE;
    }
    int status = options.pmus ? print_pmus() : check(&options, argv + optind);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        perror("check_presets: standard output");
        return EXIT_FAILURE;
    }
    return status;
}

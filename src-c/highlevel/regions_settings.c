/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/visible.h"
#include "highlevel/regions.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Variables in which launchers of MPI programs put the rank, the nearest first: mpiexec in a batch job of
 * Slurm leaves SLURM_PROCID that of the script. */
static const char *const rank_names[] = {"PMI_RANK",    "PMIX_RANK",      "OMPI_COMM_WORLD_RANK",
                                         "PALS_RANKID", "FLUX_TASK_RANK", "MV2_COMM_WORLD_RANK",
                                         "ALPS_APP_PE", "SLURM_PROCID"};

static void say(const char *name, const char *value, const char *what)
{
    visible_print(stderr, "PAPI-HL: %s=%s %s and is passed over", name, value, what);
    fputc('\n', stderr);
}

static bool setting_on(const char *name, bool otherwise, bool verbose)
{
    static const char *const words[] = {"1", "yes", "on", "true", "0", "no", "off", "false"};
    enum { FIRST_OFF = 4, N_WORDS = sizeof words / sizeof *words };
    const char *value = secure_getenv(name);
    int i = 0;
    if (value == NULL || value[0] == '\0')
        return otherwise;
    while (i < N_WORDS && strcasecmp(value, words[i]) != 0)
        i++;
    if (i == N_WORDS && verbose)
        say(name, value, "is neither 1 nor 0");
    return i == N_WORDS ? otherwise : i < FIRST_OFF;
}

static int find_rank(bool verbose)
{
    for (size_t i = 0; i < sizeof rank_names / sizeof *rank_names; i++) {
        const char *value = secure_getenv(rank_names[i]);
        char *end = NULL;
        long rank = value != NULL ? strtol(value, &end, 10) : -1;

        if (value == NULL || value[0] == '\0')
            continue;
        if (*end == '\0' && rank >= 0 && rank <= INT_MAX)
            return (int)rank;
        if (verbose)
            say(rank_names[i], value, "is not a rank");
    }
    return -1;
}

/* Finds the absolute path of the folder now, since the program may change its directory before its end. */
static char *find_folder(void)
{
    const char *value = secure_getenv("PAPI_OUTPUT_DIRECTORY");
    char *here, *out = NULL;
    if (value != NULL && value[0] == '/')
        return strdup(value);
    here = getcwd(NULL, 0);
    if (here == NULL) /* it was removed: the file will not be made, for that reason */
        here = errno == ENOMEM ? NULL : strdup(".");
    if (value == NULL || value[0] == '\0' || here == NULL)
        return here;
    if (asprintf(&out, "%s/%s", here, value) < 0)
        out = NULL;
    free(here);
    return out;
}

int regions_settings(struct region_settings *settings)
{
    const char *events = secure_getenv("PAPI_EVENTS"), *report = secure_getenv("PAPI_REPORT");
    settings->verbose = setting_on("PAPI_HL_VERBOSE", false, false);
    settings->silent = !setting_on("PAPI_HL_VERBOSE", true, false);
    settings->multiplex = setting_on("PAPI_MULTIPLEX", false, settings->verbose);
    settings->formulas = report != NULL && strcasecmp(report, "formulas") == 0;
    settings->report = settings->formulas || setting_on("PAPI_REPORT", false, settings->verbose);
    settings->share = setting_on("PAPI_COUNTED_SHARE", true, settings->verbose);
    settings->all_threads = setting_on("PAPI_HL_THREAD_MULTIPLE", true, settings->verbose);
    settings->rank = find_rank(settings->verbose);
    settings->folder = find_folder();
    settings->events = NULL;
    if (events != NULL && events[strspn(events, ", \t\n")] != '\0') {
        settings->events = strdup(events);
        if (settings->events == NULL)
            return PAPI_ENOMEM;
    }
    return settings->folder != NULL ? PAPI_OK : PAPI_ENOMEM;
}

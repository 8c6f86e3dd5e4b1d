/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The environment that the library and its MPI part read: each line begins with the letter of a variable,
 * and the rest is its value.
 */
#include "api/client.h"
#include "fuzz.h"
#include "highlevel/regions.h"
#include "job/result_file.h"
#include "papi.h"
#include "rank/counters_plan.h"
#include "record/settings.h"

#include <stdlib.h>
#include <string.h>

/* Variables that do not have the library make a file or a folder. */
static const char *const names[] = {"PAPI_EVENTS",
                                    "PAPI_MULTIPLEX",
                                    "PAPI_REPORT",
                                    "PAPI_HL_VERBOSE",
                                    "PAPI_HL_THREAD_MULTIPLE",
                                    "PAPI_OUTPUT_DIRECTORY",
                                    "PMI_RANK",
                                    "SLURM_PROCID",
                                    "PAPI_DISABLE_COMPONENTS",
                                    "PAPI_VERBOSE",
                                    "PAPI_DEBUG",
                                    "PAPI_SYSROOT",
                                    "PAPI_CSV_EVENT_FILE",
                                    "PAPI_PERFMON_EVENT_FILE",
                                    "PAPI_USER_EVENTS_FILE",
                                    "PAPI_MPI",
                                    "PAPI_MPI_OUTPUT",
                                    "PAPI_MPI_REPORT",
                                    "PAPI_MPI_DIR",
                                    "TMPDIR",
                                    "PAPI_MPI_COUNTERS",
                                    "PAPI_MPI_ROWS",
                                    "PAPI_MPI_REGIONS",
                                    "LIBPFM_FORCE_PMU",
                                    "PAPI_PARKING",
                                    "PAPI_MPI_PATH",
                                    "PAPI_MPI_THREADS",
                                    "PAPI_MPI_SITES",
                                    "PAPI_MPI_TIMELINE",
                                    "PAPI_MPI_COMMUNICATORS",
                                    "PAPI_MPI_TIMES",
                                    "PAPI_MPI_RECEIVED"};
enum { NAMES = sizeof names / sizeof *names };

static void set(const char *line)
{
    int name = line[0] - 'A';
    if (line[0] != '\0' && name >= 0 && name < NAMES)
        setenv(names[name], line + 1, 1);
}

static void check_settings(void)
{
    static struct settings settings;
    static struct rank_record record;
    static struct place place;
    struct counters_plan plan;
    char why[COMPLAINT_LENGTH] = "";
    memset(&settings, 0, sizeof settings);
    memset(&record, 0, sizeof record);
    settings_read(&settings);
    if (place_find(&place, &settings, "/nowhere", "program", "job", why) != 0)
        REQUIRE(why[0] != '\0');
    plan_make(&plan, &settings, &record);
    REQUIRE(record.n_counters >= 0 && record.n_counters <= MAX_COUNTERS);
    fuzz_visible(record.counter_reason);
    for (int i = 0; i < record.n_counters; i++)
        REQUIRE(memchr(record.counter_name[i], '\0', COUNTER_NAME) != NULL);
    for (int i = 0; i < plan.n_sets; i++)
        plan_destroy_set(&plan.set[i].es);
    REQUIRE(settings.n_complaints >= 0 && settings.n_complaints <= MAX_COMPLAINTS);
    for (int i = 0; i < settings.n_complaints; i++)
        fuzz_reason(settings.complaint[i]);
}

static void check_regions(void)
{
    struct region_settings settings;
    REQUIRE(regions_settings(&settings) == PAPI_OK);
    REQUIRE(settings.folder != NULL && settings.rank >= -1);
    free(settings.folder);
    free(settings.events);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size), *next = text;
    for (int i = 0; i < NAMES; i++)
        unsetenv(names[i]);
    for (char *line; (line = strsep(&next, "\n")) != NULL;)
        set(line);
    fuzz_listen();
    REQUIRE(PAPI_library_init(PAPI_VER_CURRENT) == PAPI_VER_CURRENT);
    int code;
    if (PAPI_event_name_to_code("NO_SUCH_EVENT", &code) != PAPI_OK)
        fuzz_reason(PAPI_strerror(PAPI_ENOEVNT));
    check_settings();
    check_regions();
    PAPI_set_debug(PAPI_QUIET);
    PAPI_shutdown();
    char *said = fuzz_heard();
    fuzz_visible(said);
    free(said);
    free(text);
    return 0;
}

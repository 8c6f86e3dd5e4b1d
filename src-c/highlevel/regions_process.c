/* SPDX-License-Identifier: BSD-3-Clause */
#include "api/client.h"
#include "base/seconds.h"
#include "base/task_stat.h"
#include "base/text_rows.h"
#include "base/visible.h"
#include "highlevel/regions.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* ---- settings */

/* Variables in which launchers of MPI programs put the rank, the nearest first: mpiexec in a batch job of
 * Slurm leaves SLURM_PROCID that of the script. */
TEXT_ROWS_BEGIN
static const char rank_names[][24] = {"PMI_RANK",    "PMIX_RANK",      "OMPI_COMM_WORLD_RANK",
                                      "PALS_RANKID", "FLUX_TASK_RANK", "MV2_COMM_WORLD_RANK",
                                      "ALPS_APP_PE", "SLURM_PROCID"};
TEXT_ROWS_END

static void pass_over(const char *name, const char *value, const char *what)
{
    visible_print(stderr, "PAPI-HL: %s=%s %s and is passed over", name, value, what);
    fputc('\n', stderr);
}

static bool setting_on(const char *name, bool otherwise, bool verbose)
{
    TEXT_ROWS_BEGIN
    static const char words[][8] = {"1", "yes", "on", "true", "0", "no", "off", "false"};
    TEXT_ROWS_END
    enum { FIRST_OFF = 4, N_WORDS = sizeof words / sizeof *words };
    const char *value = secure_getenv(name);
    int i = 0;
    if (value == NULL || value[0] == '\0')
        return otherwise;
    while (i < N_WORDS && strcasecmp(value, words[i]) != 0)
        i++;
    if (i == N_WORDS && verbose)
        pass_over(name, value, "is neither 1 nor 0");
    return i == N_WORDS ? otherwise : i < FIRST_OFF;
}

static int find_rank(bool verbose)
{
    for (size_t i = 0; i < sizeof rank_names / sizeof *rank_names; i++) {
        const char *value = secure_getenv(rank_names[i]);
        char *end = NULL;
        long long rank = value != NULL ? strtoll(value, &end, 10) : -1;

        if (value == NULL || value[0] == '\0')
            continue;
        if (*end == '\0' && rank >= 0 && rank <= INT_MAX)
            return (int)rank;
        if (verbose)
            pass_over(rank_names[i], value, "is not a rank");
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

/* ---- the process */

/* The most regions that are recorded one by one, in all threads together; papi.h and readers know the
 * number. */
enum { MOST_ENTRIES = 1 << 20 };

/* The time for which the end of a program waits for another thread that writes. */
enum { PATIENCE_SECONDS = 30 };

static void say(const char *format, va_list arguments)
{
    char text[2 * PAPI_HUGE_STR_LEN];
    int saved = errno;
    vsnprintf(text, sizeof text, format, arguments);
    visible_print(stderr, "PAPI-HL: %s", text);
    fputc('\n', stderr);
    errno = saved;
}

void regions_say(const struct regions *regions, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (regions->settings.verbose)
        say(format, arguments);
    va_end(arguments);
}

void regions_lost(const struct regions *regions, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (regions->settings.verbose || (regions->ending && !regions->settings.silent))
        say(format, arguments);
    va_end(arguments);
}

/* Locks with cancellation disabled: a thread that was cancelled while it writes would stop the others for
 * ever. */
void regions_lock(struct regions *regions)
{
    int state;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
    bool held = client_hold_overflows();
    pthread_mutex_lock(&regions->lock);
    regions->held = held;
    regions->cancel_state = state;
}

void regions_unlock(struct regions *regions)
{
    bool held = regions->held;
    int state = regions->cancel_state;
    pthread_mutex_unlock(&regions->lock);
    client_release_overflows(held);
    pthread_setcancelstate(state, NULL);
}

/* ---- when this run began */

/* The tick after the next one is later for sure than what an earlier run of the same shell wrote. A rank
 * was started by a launcher, and so were the other ranks, of which one may have ended already: their run
 * began with the launcher. */
static void find_beginning(struct regions *regions)
{
    long per_second = sysconf(_SC_CLK_TCK);
    long long tick = per_second > 0 ? 1000000000LL / per_second : 0, now = (long long)nsec_of(CLOCK_BOOTTIME);
    long long own = (long long)task_begin(getpid()),
              launcher = regions->settings.rank >= 0 ? (long long)task_begin(getppid()) : 0;

    regions->started_nsec = own > 0 && (own + 2) * tick < now ? (own + 2) * tick : now;
    regions->run_nsec = launcher > 0 && launcher <= own ? launcher * tick : regions->started_nsec;
}

/* ---- fork */

/* Marks the regions as those of a parent: the child of a fork has other counters and its own file. */
static void in_child(void)
{
    struct regions *regions = atomic_load(client_slot(CLIENT_REGIONS));
    if (regions != NULL)
        atomic_store(&regions->forked, 1);
}

/* ---- the process's regions */

struct regions *regions_existing(void)
{
    struct regions *regions = atomic_load_explicit(client_slot(CLIENT_REGIONS), memory_order_acquire);
    return regions != NULL && !atomic_load_explicit(&regions->forked, memory_order_relaxed) ? regions : NULL;
}

static void discard(struct regions *regions)
{
    if (regions == NULL)
        return;
    free(regions->settings.events);
    free(regions->settings.folder);
    free(regions);
}

static struct regions *create(struct regions *before)
{
    struct regions *regions = calloc(1, sizeof *regions);
    if (regions == NULL || regions_settings(&regions->settings) != PAPI_OK ||
        (before == NULL && pthread_key_create(&regions->key, NULL) != 0)) {
        discard(regions);
        return NULL;
    }
    regions->process = getpid();
    regions->before = before;
    find_beginning(regions);
    if (before != NULL) {
        regions->key = before->key;
        regions->started_nsec = before->started_nsec;
        regions->run_nsec = before->run_nsec;
    }
    regions->first_thread = pthread_self();
    regions->room = MOST_ENTRIES;
    pthread_mutex_init(&regions->lock, NULL);
    return regions;
}

struct regions *regions_get(void)
{
    struct regions *regions = regions_existing();
    void *before = atomic_load(client_slot(CLIENT_REGIONS));
    if (regions != NULL)
        return regions;
    regions = create(before);
    if (regions == NULL)
        return NULL;
    if (!atomic_compare_exchange_strong(client_slot(CLIENT_REGIONS), &before, regions)) {
        /* Another thread was faster. */
        if (regions->before == NULL)
            pthread_key_delete(regions->key);
        discard(regions);
        return before;
    }
    if (regions->before == NULL)
        pthread_atfork(NULL, NULL, in_child);
    return regions;
}

/* ---- the end of the program */

static bool lock_at_end(struct regions *regions)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += PATIENCE_SECONDS;
    return pthread_mutex_timedlock(&regions->lock, &until) == 0;
}

/* Samples this thread at the end, so that its open regions have values up to now. */
static void sample_at_end(struct regions *regions)
{
    struct region_thread *thread = pthread_getspecific(regions->key);
    if (thread == NULL || thread->regions != regions || !thread->started ||
        atomic_load(&thread->innermost) == NULL || PAPI_is_initialized() == PAPI_NOT_INITED)
        return;
    regions_sample(thread, thread->sample);
}

/* Writes the results when the library is unloaded, so that regions of the program's own atexit functions are
 * included. */
static __attribute__((destructor)) void at_end(void)
{
    struct regions *regions = regions_existing();
    /* A child that was not made by fork() has its parent's memory. */
    if (regions == NULL || regions_calls(regions) == 0 || regions->process != getpid())
        return;
    sample_at_end(regions);
    bool held = client_hold_overflows();
    bool locked = lock_at_end(regions);
    regions->ending = true;
    if (locked) {
        regions_write(regions);
        if (regions->settings.report)
            regions_report(regions);
        pthread_mutex_unlock(&regions->lock);
    } else {
        regions_lost(regions, "another thread is still writing: the file may lack the last regions");
    }
    client_release_overflows(held);
}

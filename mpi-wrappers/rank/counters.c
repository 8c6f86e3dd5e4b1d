/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The counters of a rank. Event sets are inherited: they count the thread that makes them, in MPI_Init, and
 * all threads that it starts later, so that nothing need be done when a thread begins. Threads that ran
 * before MPI_Init, such as those of MPI itself, get copies of the sets, attached to them, as far as
 * descriptors allow. Counts inside of MPI calls are taken from further event sets of the main thread alone,
 * which are read at the beginning and end of each call: an inherited set would have the counts of all
 * threads, and takes a system call. That is done only if the read needs no system call and the processor has
 * counters for both; otherwise counters are read at boundaries only. The program may itself shut the library
 * down, or close descriptors that it does not know, after which the same number can be another file.
 * Therefore each read that finds the library or the set gone marks the set as lost with the last count that
 * it had, and before sets are destroyed the identifiers of all counters are compared with those that were
 * noted at the start.
 */
#include "rank/counters.h"

#include "base/array.h"
#include "papi.h"
#include "rank/counters_plan.h"

#include <dirent.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* ---- the kernel's counters */

/* The kernel's counters that this process has open. Programs close what they do not know (closefrom), and
 * open files of their own under the same numbers: these must neither be read nor closed. */
struct descriptors {
    int n;
    struct {
        int fd;
        uint64_t id; /* the kernel's, of the counter */
    } * of;
};

static void descriptors_free(struct descriptors *descriptors)
{
    free(descriptors->of);
    *descriptors = (struct descriptors){0};
}

static int is_counter(DIR *directory, const char *name)
{
    static const char link[] = "anon_inode:[perf_event]";
    char text[sizeof link];
    ssize_t n = readlinkat(dirfd(directory), name, text, sizeof text);
    return n == (ssize_t)sizeof link - 1 && memcmp(text, link, sizeof link - 1) == 0;
}

/* The kernel's identifier of a counter; 0: the descriptor is not one. */
static uint64_t id_of(int fd)
{
    uint64_t id = 0;
    return ioctl(fd, PERF_EVENT_IOC_ID, &id) == 0 ? id : 0;
}

static int is_in(const struct descriptors *descriptors, int fd, uint64_t id)
{
    for (int i = 0; descriptors != NULL && i < descriptors->n; i++)
        if (descriptors->of[i].fd == fd && descriptors->of[i].id == id)
            return 1;
    return 0;
}

/* Appends a descriptor. 0, or -1: no memory. */
static int append(struct descriptors *descriptors, int fd, uint64_t id)
{
    if (!ARRAY_GROW(descriptors->of, descriptors->n))
        return -1;
    descriptors->of[descriptors->n].fd = fd;
    descriptors->of[descriptors->n++].id = id;
    return 0;
}

/* Lists the descriptors of counters that are open now and are not in before (NULL: empty). The list stays
 * empty if there is no memory. */
static void descriptors_find(struct descriptors *descriptors, const struct descriptors *before)
{
    DIR *directory = opendir("/proc/self/fd");
    const struct dirent *entry;
    *descriptors = (struct descriptors){0};
    while (directory != NULL && (entry = readdir(directory)) != NULL) {
        int fd = atoi(entry->d_name);
        uint64_t id = is_counter(directory, entry->d_name) ? id_of(fd) : 0;

        if (id != 0 && !is_in(before, fd, id) && append(descriptors, fd, id) != 0) {
            descriptors_free(descriptors);
            break;
        }
    }
    if (directory != NULL)
        closedir(directory);
}

/* 1 if each descriptor still is the counter that it was. */
static int descriptors_are_there(const struct descriptors *descriptors)
{
    for (int i = 0; i < descriptors->n; i++)
        if (id_of(descriptors->of[i].fd) != descriptors->of[i].id)
            return 0;
    return 1;
}

/* ---- the event sets */

/* A thread's event set. */
struct counting_set {
    int es;
    const struct plan_set *plan;
    int lost;                     /* it is gone, and what it would have counted since */
    int doubtful;                 /* it was not read for so long that its counts may be too little */
    long long last[MAX_COUNTERS]; /* in the order of the plan's set */
};

/* The part of the program's descriptors that counters of earlier threads may take: each counter of each
 * thread is one. */
enum { PART_OF_DESCRIPTORS = 4 };

struct rank_counters {
    struct counters_plan plan;
    int n;
    struct counting_set *set;
    int inside[MAX_SETS]; /* event sets of the main thread alone, in the plan's order */
    int n_inside;
    struct descriptors before, own; /* the program's when counting began, and those of the event sets */
    int64_t at_enter[MAX_COUNTERS];
    time_t
        refresh; /* the clock's seconds when counters of the node are read, in between; 0: there are none */
};

/* The time between reads of counters of the node that begin at 0 again, as energy does within minutes. */
enum { REFRESH_SECONDS = 60 };

static int add_set(struct rank_counters *counters, const struct plan_set *plan, int es)
{
    if (!ARRAY_GROW(counters->set, counters->n))
        return PAPI_ENOMEM;
    counters->set[counters->n++] = (struct counting_set){.es = es, .plan = plan};
    return PAPI_OK;
}

/* ---- threads that run already */

static int count_thread(struct rank_counters *counters, const struct rank_record *record, unsigned long tid)
{
    int result = PAPI_OK;
    for (int s = 0; s < counters->plan.n_sets; s++) {
        const struct plan_set *set = &counters->plan.set[s];
        int es, code;

        if (!set->inherited || set->whole_program || !set->of_threads || set->n == 0)
            continue;
        code = plan_copy(set, record, tid, &es);
        if (code == PAPI_OK)
            code = add_set(counters, set, es);
        if (code != PAPI_OK)
            result = code;
    }
    return result;
}

static int most_threads(const struct rank_record *record)
{
    struct rlimit limit;
    rlim_t most = 1024;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur / PART_OF_DESCRIPTORS < most)
        most = limit.rlim_cur / PART_OF_DESCRIPTORS;
    return (int)most / (record->n_counters > 0 ? record->n_counters : 1);
}

/* Inheritance begins with the threads that come later: the others get event sets of their own. */
static void count_other_threads(struct rank_counters *counters, struct rank_record *record)
{
    DIR *tasks = opendir("/proc/self/task");
    long self = syscall(SYS_gettid);
    int failed = PAPI_OK, n = 0, most = most_threads(record);
    struct dirent *entry;
    while (tasks != NULL && (entry = readdir(tasks)) != NULL) {
        unsigned long tid = strtoul(entry->d_name, NULL, 10);
        int code;

        if (tid == 0 || (long)tid == self)
            continue;
        if (n == most) {
            plan_reason(record,
                        "only %d of the threads from before MPI_Init are counted: descriptors are few", n);
            break;
        }
        code = count_thread(counters, record, tid);
        n++;
        if (code != PAPI_OK && code != PAPI_EINVAL) /* no such thread: it has ended */
            failed = code;
    }
    if (tasks != NULL)
        closedir(tasks);
    if (failed != PAPI_OK)
        plan_reason(record, "threads from before MPI_Init are not counted: %.160s", PAPI_strerror(failed));
}

/* ---- inside MPI calls */

static int reads_are_cheap(const struct counters_plan *plan)
{
    int found = 0;
    for (int s = 0; s < plan->n_sets && !plan->by_kernel; s++) {
        const PAPI_component_info_t *info = PAPI_get_component_info(plan->set[s].component);

        if (plan->set[s].n == 0 || !plan->set[s].of_threads)
            continue;
        /* Hardware counts these events twice then, and needs the counters for it. */
        if (info == NULL || !info->fast_counter_read || plan->set[s].multiplexed ||
            (!plan->set[s].whole_program && 2 * plan->set[s].n > info->num_cntrs))
            return 0;
        found = 1;
    }
    return found;
}

static int make_inside(struct rank_counters *counters, const struct rank_record *record)
{
    int code = PAPI_OK;
    for (int s = 0; s < counters->plan.n_sets && code == PAPI_OK; s++) {
        counters->inside[s] = PAPI_NULL;
        counters->n_inside = s + 1;
        if (counters->plan.set[s].n > 0 && counters->plan.set[s].of_threads)
            code = plan_copy(&counters->plan.set[s], record, 0, &counters->inside[s]);
    }
    return code;
}

static void end_inside(struct rank_counters *counters)
{
    for (; counters->n_inside > 0; counters->n_inside--)
        plan_destroy_set(&counters->inside[counters->n_inside - 1]);
}

static void begin_inside(struct rank_counters *counters, struct settings *settings,
                         struct rank_record *record)
{
    const char *why = "reading these counters takes system calls here, or more counters than there are";
    if (settings->counters == COUNTERS_BOUNDARY || record->n_counters == 0)
        return;
    if (reads_are_cheap(&counters->plan)) {
        int code = make_inside(counters, record);

        record->counters_inside = code == PAPI_OK;
        if (code == PAPI_OK)
            return;
        end_inside(counters);
        why = PAPI_strerror(code);
    }
    if (settings->counters == COUNTERS_INSIDE)
        settings_complain(settings, "PAPI_MPI_COUNTERS=inside: %.250s; they are read at boundaries", why);
}

static void read_inside(const struct rank_counters *counters, int64_t *value)
{
    long long count[MAX_COUNTERS];
    for (int s = 0; s < counters->n_inside; s++) {
        const struct plan_set *plan = &counters->plan.set[s];

        if (counters->inside[s] == PAPI_NULL || PAPI_read(counters->inside[s], count) != PAPI_OK)
            continue;
        for (int i = 0; i < plan->n; i++)
            value[plan->counter[i]] = count[i];
    }
}

void counters_enter(struct rank_counters *counters)
{
    read_inside(counters, counters->at_enter);
}

static time_t seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    return now.tv_sec;
}

/* Reads a set's counts into set->last. 1: the counts are there; 0: this time, or for good, there are none. */
static int read_set(struct counting_set *set)
{
    long long count[MAX_COUNTERS];
    int code;
    if (set->es == PAPI_NULL)
        return !set->lost;
    code = PAPI_read(set->es, count);
    if (code == PAPI_ECLOST && !set->plan->of_threads) { /* the counts are there all the same */
        set->doubtful = 1;
        code = PAPI_OK;
    }
    if (code == PAPI_OK)
        memcpy(set->last, count, (size_t)set->plan->n * sizeof *count);
    /* The program called PAPI_shutdown. */
    set->lost = code == PAPI_ENOINIT || code == PAPI_ENOEVST;
    if (set->lost)
        set->es = PAPI_NULL;
    /* The latter: an event that had no turn yet. */
    return code == PAPI_OK || (code == PAPI_ECNFLCT && set->plan->multiplexed);
}

static void refresh(struct rank_counters *counters)
{
    time_t now = seconds_now();
    if (now < counters->refresh)
        return;
    counters->refresh = now + REFRESH_SECONDS;
    for (int s = 0; s < counters->n; s++)
        if (!counters->set[s].plan->of_threads)
            read_set(&counters->set[s]);
}

void counters_leave(struct rank_counters *counters, struct rank_record *record)
{
    int64_t now[MAX_COUNTERS];
    if (counters->refresh != 0)
        refresh(counters);
    if (!record->counters_inside)
        return;
    memcpy(now, counters->at_enter, sizeof now); /* what cannot be read has not changed */
    read_inside(counters, now);
    for (int i = 0; i < record->n_counters; i++)
        record->counter_mpi[i] += now[i] - counters->at_enter[i];
}

/* ---- the whole rank */

/* The program may have its own ideas of the library: PAPI_VER_CURRENT of another version, a shutdown. */
static int begin_library(struct rank_record *record)
{
    int version = PAPI_library_init(PAPI_VER_CURRENT);
    if (version == PAPI_VER_CURRENT)
        return PAPI_OK;
    plan_reason(record, "PAPI_library_init: %.200s",
                version < 0 ? PAPI_strerror(version) : "the program uses libpapi of another version");
    return -1;
}

static void add_main_sets(struct rank_counters *counters, struct rank_record *record)
{
    for (int s = 0; s < counters->plan.n_sets; s++) {
        struct plan_set *set = &counters->plan.set[s];

        if (set->n == 0 || add_set(counters, set, set->es) != PAPI_OK)
            plan_destroy_set(&set->es);
        if (set->n > 0 && !set->inherited)
            plan_reason(record, "counters of the main thread alone");
    }
}

struct rank_counters *counters_begin(struct settings *settings, struct rank_record *record)
{
    struct rank_counters *counters;
    if (settings->counters == COUNTERS_NONE) {
        plan_reason(record, "PAPI_MPI_COUNTERS=none");
        return NULL;
    }
    counters = begin_library(record) == PAPI_OK ? calloc(1, sizeof *counters) : NULL;
    if (counters == NULL)
        return NULL;
    descriptors_find(&counters->before, NULL);
    plan_make(&counters->plan, settings, record);
    for (int s = 0; s < counters->plan.n_sets; s++) {
        record->emulated |= counters->plan.set[s].whole_program;
        record->counted |= counters->plan.set[s].of_program && counters->plan.set[s].n > 0;
    }
    add_main_sets(counters, record);
    if (counters->n > 0)
        count_other_threads(counters, record);
    begin_inside(counters, settings, record);
    return counters;
}

void counters_start(struct rank_counters *counters, struct settings *settings, struct rank_record *record)
{
    int code;
    for (int s = 0; s < counters->n_inside; s++)
        if (counters->inside[s] != PAPI_NULL && PAPI_start(counters->inside[s]) != PAPI_OK)
            record->counters_inside = 0;
    for (int s = 0; s < counters->n; s++) {
        struct counting_set *set = &counters->set[s];

        code = PAPI_start(set->es);
        if (code == PAPI_OK)
            continue;
        if (set->es == set->plan->es) { /* otherwise it is of a thread that has ended */
            set->lost = 1;
            plan_reason(record, "%.200s", PAPI_strerror(code));
            settings_complain(settings, "the counters do not start: %.300s", PAPI_strerror(code));
        }
        plan_destroy_set(&set->es);
    }
    for (int s = 0; s < counters->n; s++)
        if (!counters->set[s].plan->of_threads && counters->set[s].es != PAPI_NULL)
            counters->refresh = seconds_now() + REFRESH_SECONDS;
    record->counters_around = record->counters_inside || counters->refresh != 0;
    descriptors_find(&counters->own, &counters->before);
}

/* The event sets are left as they are: to destroy them would close what has their descriptors now. */
void counters_check(struct rank_counters *counters)
{
    if (descriptors_are_there(&counters->own))
        return;
    for (int s = 0; s < counters->n; s++) {
        counters->set[s].lost |= counters->set[s].es != PAPI_NULL;
        counters->set[s].es = PAPI_NULL;
    }
    counters->n_inside = 0;
    counters->refresh = 0;
}

void counters_read(struct rank_counters *counters, struct rank_record *record)
{
    int64_t sum[MAX_COUNTERS] = {0};
    uint32_t lost = 0, doubtful = 0;
    for (int s = 0; s < counters->n; s++) {
        struct counting_set *set = &counters->set[s];
        int whole = set->plan->n == 0 || read_set(set);

        for (int i = 0; i < set->plan->n; i++) {
            sum[set->plan->counter[i]] += set->last[i];
            lost |= (uint32_t)!whole << set->plan->counter[i];
            doubtful |= (uint32_t)set->doubtful << set->plan->counter[i];
        }
    }
    memcpy(record->counter, sum, (size_t)record->n_counters * sizeof *sum);
    record->lost = lost;
    record->doubtful = doubtful;
}

void counters_end(struct rank_counters *counters)
{
    if (counters == NULL)
        return;
    counters_check(counters);
    end_inside(counters);
    for (int s = 0; s < counters->n; s++)
        plan_destroy_set(&counters->set[s].es);
    descriptors_free(&counters->before);
    descriptors_free(&counters->own);
    free(counters->set);
    free(counters);
}

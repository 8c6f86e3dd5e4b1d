/* SPDX-License-Identifier: BSD-3-Clause */

/* ---- runtimes with an interface for tools */

/* A tool of OpenMP's interface for tools (OMPT), for the runtimes that have it: LLVM's libomp, Intel's. They
 * call ompt_start_tool when they begin. */
#include "formats/ompt.h"
#include "rank/teams.h"
#include "record/settings.h"

#include <stddef.h>

/* Notes whether a region is counted: not if it is inside of another one. */
static void parallel_begin(ompt_data *task, const void *frame, ompt_data *parallel, unsigned threads,
                           int flags, const void *code)
{
    (void)task, (void)frame, (void)threads, (void)flags, (void)code;
    parallel->value = teams_are_counted() && !mpi_thread.team.inside;
}

static void implicit_task(int scope, ompt_data *parallel, ompt_data *task, unsigned threads, unsigned number,
                          int flags)
{
    if (flags & TASK_INITIAL)
        return;
    if (scope == SCOPE_BEGIN && parallel != NULL && parallel->value) {
        teams_source(TEAMS_OMPT);
        task->value = clock_ticks();
        mpi_thread.team.threads = (int)threads;
        mpi_thread.team.waits = 0;
        teams_thread_begins((int)number);
    } else if (scope == SCOPE_END && task->value != 0) {
        /* Other threads than the first may learn of the end only when the next region begins. */
        teams_thread_ends();
        if (number == 0)
            teams_region(task->value, mpi_thread.team.threads);
        task->value = 0;
    }
}

static void sync_region_wait(int kind, int scope, ompt_data *parallel, ompt_data *task, const void *code)
{
    (void)kind, (void)parallel, (void)task, (void)code;
    if (scope == SCOPE_BEGIN)
        teams_thread_waits();
    else
        teams_thread_goes_on();
    mpi_thread.team.waits = scope == SCOPE_BEGIN;
}

/* A thread that waits may do tasks meanwhile. */
static void task_schedule(ompt_data *prior, int status, ompt_data *next)
{
    (void)prior, (void)next;
    if (!mpi_thread.team.waits)
        return;
    if (status == TASK_COMPLETE)
        teams_thread_waits();
    else if (mpi_thread.team.since == 0)
        teams_thread_goes_on();
}

static int initialize(ompt_lookup *lookup, int device, ompt_data *tool)
{
    int (*set)(int, ompt_function) = (int (*)(int, ompt_function))lookup("ompt_set_callback");
    (void)device, (void)tool;
    if (set == NULL)
        return 0;
    set(PARALLEL_BEGIN, (ompt_function)parallel_begin);
    set(IMPLICIT_TASK, (ompt_function)implicit_task);
    set(SYNC_REGION_WAIT, (ompt_function)sync_region_wait);
    set(TASK_SCHEDULE, (ompt_function)task_schedule);
    return 1;
}

static void finalize(ompt_data *tool)
{
    (void)tool;
}

/* NULL: this is not a tool now, and the runtime looks for another one. It may come before MPI_Init. */
__attribute__((visibility("default"))) struct ompt_result *ompt_start_tool(unsigned version,
                                                                           const char *runtime)
{
    static const struct ompt_result own = {.initialize = initialize, .finalize = finalize};
    (void)version, (void)runtime;
    papi_mpi.ompt = settings_want_teams();
    return papi_mpi.ompt ? (struct ompt_result *)(uintptr_t)&own : NULL;
}

/* ---- GNU's runtime */

/* The functions of libgomp that a compiler's code calls at parallel regions, in front of those: libgomp has
 * no interface for tools. Without PAPI_MPI_THREADS they are passed on. */
#include "record/mpi_symbols.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#pragma GCC diagnostic ignored "-Wmissing-prototypes" /* a compiler's code calls them, by no header */

/* The places of papi_mpi.gomp. */
enum gomp {
#define FUNCTION(kind, name, ...) PLACE_##name,
#include "formats/gomp_functions.def"
#undef FUNCTION
    PLACE_omp_get_thread_num,
    PLACE_omp_get_num_threads,
    USED
};
_Static_assert((int)USED <= (int)GOMP_PLACES, "each has its place");

/* A program that is linked with this library may have no libgomp: for a linker that takes what is needed
 * alone, --as-needed, these functions were there already. */
static void *load(const char *name)
{
    void *library = dlopen("libgomp.so.1", RTLD_LAZY | RTLD_GLOBAL);
    return library != NULL ? dlsym(library, name) : NULL;
}

static void *find(enum gomp which, const char *name)
{
    void *found = atomic_load_explicit(&papi_mpi.gomp[which], memory_order_relaxed);
    if (found == NULL) {
        found = mpi_symbol_behind(name);
        found = found != NULL ? found : load(name);
        if (found == NULL) { /* nobody else can do what is asked for */
            fprintf(stderr, "libpapi_mpi: %s is called, and is in no library\n", name);
            abort();
        }
        atomic_store_explicit(&papi_mpi.gomp[which], found, memory_order_relaxed);
    }
    return found;
}

typedef void routine(void *data);

/* A region, on the stack of the thread that begins it. */
struct region {
    routine *function;
    void *data;
    uint64_t since;
    int threads;
};

static int thread_number(void)
{
    return ((int (*)(void))find(PLACE_omp_get_thread_num, "omp_get_thread_num"))();
}

static int threads_of_team(void)
{
    return ((int (*)(void))find(PLACE_omp_get_num_threads, "omp_get_num_threads"))();
}

/* Runs the region's function in each thread of the team. */
static void run(void *data)
{
    struct region *region = data;
    int number = thread_number();
    if (number == 0)
        region->threads = threads_of_team();
    teams_thread_begins(number);
    region->function(region->data);
    teams_thread_ends();
}

static bool begin(struct region *region, routine **function, void **data)
{
    if (!teams_are_counted() || mpi_thread.team.inside || papi_mpi.ompt)
        return false;
    *region = (struct region){*function, *data, clock_ticks(), 0};
    *function = run;
    *data = region;
    teams_source(TEAMS_GOMP);
    return true;
}

#define EXPORTED __attribute__((visibility("default")))
#define AROUND(call)                                                                                         \
    struct region region;                                                                                    \
    bool counted = begin(&region, &function, &data);                                                         \
    call;                                                                                                    \
    if (counted)                                                                                             \
    teams_region(region.since, region.threads)

#define NEXT(name, type, declared) type(*next) declared = find(PLACE_##name, #name)
#define REGION(name, type, declared, passed)                                                                 \
    EXPORTED type name declared                                                                              \
    {                                                                                                        \
        NEXT(name, type, declared);                                                                          \
        AROUND(next passed);                                                                                 \
    }
#define REDUCTIONS(name, type, declared, passed) /* a table of libgomp's: they are not counted */            \
    EXPORTED type name declared                                                                              \
    {                                                                                                        \
        NEXT(name, type, declared);                                                                          \
        return next passed;                                                                                  \
    }
#define BARRIER(name, type, declared, passed)                                                                \
    EXPORTED type name declared                                                                              \
    {                                                                                                        \
        NEXT(name, type, declared);                                                                          \
        teams_thread_waits();                                                                                \
        next passed;                                                                                         \
        teams_thread_goes_on();                                                                              \
    }
#define TASK(name, type, declared, passed)                                                                   \
    EXPORTED type name declared                                                                              \
    {                                                                                                        \
        NEXT(name, type, declared);                                                                          \
        teams_have_tasks();                                                                                  \
        next passed;                                                                                         \
    }
/* Left to libgomp: a team's figures have no row for them. */
#define CANCEL(...)
#define TASKS(...)
#define LOCK(...)

#define FUNCTION(kind, ...) kind(__VA_ARGS__)
#include "formats/gomp_functions.def"

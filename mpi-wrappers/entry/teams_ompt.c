/* SPDX-License-Identifier: BSD-3-Clause */
/* A tool of OpenMP's interface for tools (OMPT), for the runtimes that have it: LLVM's libomp, Intel's. They
 * call ompt_start_tool when they begin. The types and numbers are those of the OpenMP specification, 5.0; no
 * header is needed that a compiler may not have. */
#include "rank/teams.h"
#include "record/settings.h"

#include <stddef.h>

#pragma GCC diagnostic ignored "-Wmissing-prototypes" /* the runtime finds it by its name */

typedef union {
    uint64_t value;
    void *pointer;
} ompt_data;

typedef void (*ompt_function)(void);
typedef ompt_function ompt_lookup(const char *name);

struct ompt_result {
    int (*initialize)(ompt_lookup *lookup, int device, ompt_data *tool);
    void (*finalize)(ompt_data *tool);
    ompt_data tool;
};

enum { PARALLEL_BEGIN = 3, TASK_SCHEDULE = 6, IMPLICIT_TASK = 7, SYNC_REGION_WAIT = 16 }; /* callbacks */
enum { SCOPE_BEGIN = 1, SCOPE_END = 2 };
enum { TASK_INITIAL = 1, TASK_COMPLETE = 1 };

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

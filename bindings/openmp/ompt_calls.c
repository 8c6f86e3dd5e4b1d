/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The runtimes with OpenMP's interface for tools (OMPT), LLVM's libomp and those made of it: they call
 * ompt_start_tool, and then what is registered here.
 *
 * A task's data is, of a thread's own task in a region, its frame; of another one whether it waits.
 */
#include "formats/ompt.h"
#include "gomp_calls.h"
#include "team.h"

#include <stddef.h>
#include <stdio.h>

enum { OTHER_TASK = 1, OTHER_WAITS = 2 }; /* bits of a task's data that no frame's address has */

/* The place in the program of a call. */
static const void *place(const void *code)
{
    return gomp_is_own(code) ? gomp_caller : code;
}

static bool is_other(const ompt_data *task)
{
    return (task->value & OTHER_TASK) != 0;
}

static struct frame *own(const ompt_data *task)
{
    return task == NULL || is_other(task) ? NULL : task->pointer;
}

static void thread_begin(int kind, ompt_data *thread)
{
    (void)kind, (void)thread;
    team_prepare();
}

/* A league's teams are not threads of one team: the regions inside of each are recorded. */
static void parallel_begin(ompt_data *task, const void *task_frame, ompt_data *parallel, unsigned threads,
                           int flags, const void *code)
{
    (void)task, (void)task_frame, (void)threads;
    if (parallel != NULL)
        parallel->pointer = flags & PARALLEL_LEAGUE ? NULL : team_begin(place(code));
}

static void parallel_end(ompt_data *parallel, ompt_data *task, int flags, const void *code)
{
    (void)task, (void)flags, (void)code;
    if (parallel == NULL)
        return;
    team_end(parallel->pointer);
    parallel->pointer = NULL;
}

/* Threads but the first may learn of the end only when the next region begins. */
static void implicit_task(int scope, ompt_data *parallel, ompt_data *task, unsigned threads, unsigned number,
                          int flags)
{
    if ((flags & TASK_INITIAL) || task == NULL)
        return;
    if (scope == SCOPE_BEGIN) {
        task->pointer = parallel != NULL ? team_join(parallel->pointer, (int)number, (int)threads) : NULL;
    } else if (scope == SCOPE_END) {
        team_leave(own(task));
        task->pointer = NULL;
    }
}

static void task_create(ompt_data *task, const void *task_frame, ompt_data *created, int flags, int depends,
                        const void *code)
{
    (void)task, (void)task_frame, (void)depends, (void)code;
    if (created != NULL && (flags & TASK_EXPLICIT))
        created->value = OTHER_TASK;
}

/* The thread turns to another task, perhaps while it waits. */
static void task_schedule(ompt_data *prior, int status, ompt_data *next)
{
    (void)prior, (void)status;
    if (next == NULL)
        return;
    if (is_other(next))
        team_task(NULL, (next->value & OTHER_WAITS) != 0);
    else if (next->pointer != NULL)
        team_task(next->pointer, false);
}

static void set_waits(ompt_data *task, bool waits)
{
    if (task != NULL && is_other(task))
        task->value = waits ? OTHER_TASK | OTHER_WAITS : OTHER_TASK;
}

/* The end of the wait at a region's end comes without a region, and late: it is the end of the thread's part.
 */
static void sync_region_wait(int kind, int scope, ompt_data *parallel, ompt_data *task, const void *code)
{
    bool tasks = kind == SYNC_TASKWAIT || kind == SYNC_TASKGROUP;
    if (task == NULL || (own(task) == NULL && !is_other(task)))
        return;
    if (scope == SCOPE_BEGIN)
        team_waits(own(task), tasks ? PLACE_TASKS : PLACE_BARRIER, place(code));
    else if (scope == SCOPE_END && (parallel != NULL || tasks))
        team_works(own(task));
    set_waits(task, scope == SCOPE_BEGIN);
}

static void mutex_acquire(int kind, unsigned hint, unsigned implementation, uint64_t lock, const void *code)
{
    (void)kind, (void)hint, (void)implementation, (void)lock, (void)code;
    team_locks();
}

static void mutex_acquired(int kind, uint64_t lock, const void *code)
{
    (void)kind, (void)lock;
    team_locked(place(code));
}

static int initialize(ompt_lookup *lookup, int device, ompt_data *tool)
{
    static const struct {
        int number;
        ompt_function function;
    } callbacks[] = {
        {THREAD_BEGIN, (ompt_function)thread_begin},         {PARALLEL_BEGIN, (ompt_function)parallel_begin},
        {PARALLEL_END, (ompt_function)parallel_end},         {TASK_CREATE, (ompt_function)task_create},
        {TASK_SCHEDULE, (ompt_function)task_schedule},       {IMPLICIT_TASK, (ompt_function)implicit_task},
        {SYNC_REGION_WAIT, (ompt_function)sync_region_wait}, {MUTEX_ACQUIRE, (ompt_function)mutex_acquire},
        {MUTEX_ACQUIRED, (ompt_function)mutex_acquired}};
    int (*set)(int, ompt_function) = (int (*)(int, ompt_function))lookup("ompt_set_callback");
    (void)device, (void)tool;
    if (set == NULL)
        return 0;
    for (size_t i = 0; i < sizeof callbacks / sizeof *callbacks; i++)
        if (set(callbacks[i].number, callbacks[i].function) <= 1) /* an error, or never */
            openmp.missing |= 1u << callbacks[i].number;
    return 1;
}

static void finalize(ompt_data *tool)
{
    (void)tool;
}

/* NULL: this is not a tool now, and the runtime looks for another one. */
struct ompt_result *ompt_start_tool(unsigned version, const char *runtime)
{
    static const struct ompt_result tool = {.initialize = initialize, .finalize = finalize};
    (void)version;
    if (!openmp.active)
        return NULL;
    snprintf(openmp.runtime, sizeof openmp.runtime, "%s", runtime != NULL ? runtime : "a runtime with OMPT");
    return (struct ompt_result *)(uintptr_t)&tool;
}

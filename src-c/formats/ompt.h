/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdint.h>

/* OpenMP's interface for tools (OMPT), which LLVM's and Intel's runtimes have: those call ompt_start_tool
 * when they begin, and then what the tool registers. The types and numbers are those of the OpenMP
 * specification, 5.0; no header is needed that a compiler may not have. */

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

/* The runtime finds it by its name. NULL: nothing is to be called. */
__attribute__((visibility("default"))) struct ompt_result *ompt_start_tool(unsigned version,
                                                                           const char *runtime);

/* Callbacks. */
enum {
    THREAD_BEGIN = 1,
    PARALLEL_BEGIN = 3,
    PARALLEL_END = 4,
    TASK_CREATE = 5,
    TASK_SCHEDULE = 6,
    IMPLICIT_TASK = 7,
    SYNC_REGION_WAIT = 16,
    MUTEX_ACQUIRE = 26,
    MUTEX_ACQUIRED = 27
};

enum { SCOPE_BEGIN = 1, SCOPE_END = 2 };
enum { TASK_INITIAL = 1, TASK_EXPLICIT = 4 }; /* flags of a task */
enum { TASK_COMPLETE = 1 };                   /* how a task is left */
enum { SYNC_TASKWAIT = 5, SYNC_TASKGROUP = 6 };
enum { PARALLEL_LEAGUE = 0x40000000 };

/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/reason.h"

#include <stdbool.h>

/* Threads of other processes, as the kernel's files show them. */

/* A process. Its folder in /proc stays its own, and empty after its end, whoever gets its number then. */
struct process {
    int pid;
    int folder;
};

/* Numbers of threads or processes, in rising order. Begins as zeroes and is freed by tasks_free. */
struct tasks {
    int n;
    int *number;
};

/* Finds a process. PAPI_EINVAL: there is none, or the number is that of a thread; PAPI_ESYS, PAPI_ENOMEM. */
int process_find(int pid, struct process *process, struct reason *why);
void process_forget(struct process *process);

/* True as long as a thread of it lives. */
bool process_lives(const struct process *process);

/* Adds its threads; those of a process that has ended are none. PAPI_ENOMEM, PAPI_ESYS. */
int process_threads(const struct process *process, struct tasks *threads, struct reason *why);

/* Adds the processes that it has started and that live, and those that they have started: their numbers, and
 * in threads (not NULL) their threads. The calling process is not among them, nor what that has started. */
int process_descendants(const struct process *process, struct tasks *processes, struct tasks *threads,
                        struct reason *why);

/* True if a thread has ended, though it may still have its number. */
bool task_has_ended(int tid);

/* The process that a thread is of; 0: there is no such thread; -1: that cannot be read. */
int task_process(int tid);

/* The process that follows a thread by ptrace; 0: none, or it is not known. */
int task_tracer(int tid);

void tasks_sort(struct tasks *tasks);
void tasks_free(struct tasks *tasks);
bool tasks_have(const struct tasks *tasks, int number);

/* True if one has a number that the other has not. */
bool tasks_have_more(const struct tasks *tasks, const struct tasks *than);

/* Waits until a thread is seen where it makes no thread or process: what it makes from then on begins after
 * this call, and what it has made before can be seen. PAPI_ECNFLCT: not before the deadline (seconds_now). */
int task_is_between_clones(int tid, double deadline, struct reason *why);

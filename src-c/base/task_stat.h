/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>

/* A thread or process, as its file stat shows it. */
struct task_stat {
    char state; /* 'R', 'S', ..., 'Z' and 'X' of what has ended; '\0': the file was not understood */
    int parent; /* its process's, 0: none */
    bool exits; /* it is about to end */
    long threads;
    unsigned long long begin; /* when it began, in ticks since the machine's start */
};

/* Reads a file stat, by its path from a folder (AT_FDCWD: a whole path). 0; -1 with errno, and all zero. */
int task_stat_read(int folder, const char *path, struct task_stat *stat);

/* True if /proc shows the PID namespace of the calling process: in one that has none of its own there, each
 * number is another task's. */
bool task_files_are_ours(void);

/* Reads that of a number; nothing (-1) from files that are not ours. */
int task_stat_of(int tid, struct task_stat *stat);

/* True for the state of one that has ended. */
static inline bool task_state_is_end(char state)
{
    return state == 'Z' || state == 'X' || state == 'x';
}

/* The time when a thread or process of a number began, which tells it from a later one of that number. 0:
 * there is none, or it is not known. */
unsigned long long task_begin(int tid);

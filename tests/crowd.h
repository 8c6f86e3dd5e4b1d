/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <sys/types.h>

/* A process with many threads, which does as it is told. Before its answer all work is done, and all threads
 * wait.
 *
 *   w  each thread that stays does the work once
 *   c  a hundred threads, some at a time, do the work once and end
 *   +  ten more threads that stay
 *   -  the threads that stay end, but for the first
 *   l  the first thread ends, too, and another one obeys from then on
 *   s  begins to start threads, as fast as it can; most do the work once and end, some stay
 *   p  ends that
 *   f  a process is started that does the work and ends
 *   k  a process is started that stays
 *   K  it does the work once, in a thread of its own
 *   h  a thread is never off the processor from now on
 *   i  the end of that
 *   x  it becomes another program (crowd_program), which does the work once and ends
 *   q  the end: no answer */
struct crowd {
    pid_t pid;
    int order, answer; /* pipes */
};

/* Makes it, with so many threads that stay. program: its first argument is "work"; NULL: no x. Exits where it
 * cannot. */
struct crowd crowd_make(int threads, void (*work)(void), const char *program);

/* Gives an order and waits for the answer. False: there was none. */
int crowd_do(const struct crowd *crowd, char what);
void crowd_order(const struct crowd *crowd, char what);

/* Ends it, and closes all; the status of waitpid. */
int crowd_end(struct crowd *crowd);

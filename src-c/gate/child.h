/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <signal.h>

/* A program that this one runs to its end. Begins as zeroes but for the words. */
struct child {
    char *const *word;
    int file[3];          /* that become its standard files; 0: those of this process */
    const sigset_t *mask; /* the signals that it begins with blocked; NULL: those of this process */
    void (*prepare)(
        const void *given); /* called in the child before it executes the program; NULL: nothing */
    const void *given;
    double seconds; /* of processor time, with those of processes that it waited for */
    int status;     /* as of waitpid */
    int signal;     /* that came to this process meanwhile; 0: none */
    int error;      /* errno by which the program could not be executed; 0: it was */
};

/* The signals that end this process, and that child_run waits for. */
void child_stops(sigset_t *stops);

/* Runs the program. Signals that came to this process alone are passed on, and the program's end is waited
 * for. NULL, or a sentence to be freed: the program cannot be executed, or there is no process for it. */
char *child_run(struct child *child);

/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "tool.h"

#include <signal.h>
#include <sys/types.h>

/* A command that is counted: first a process that waits until its counters run. Without a command,
 * command_wait only waits for a signal. */
struct command {
    char **word;  /* NULL: none */
    pid_t pid;    /* 0: it is over, or there is none */
    int status;   /* status, as of waitpid */
    bool not_run; /* it could not be run, which was reported */

    /* counted_command.c's own */
    int go;     /* the pipe through which it is let go */
    int failed; /* the one through which it says that it cannot be run */
    bool holds;
    sigset_t mask; /* of before */
};

/* Exit status for a command that cannot be run, the same as the shell's. */
enum { COMMAND_NOT_RUN = 127 };

/* Makes the process, which waits for command_go. Returns a tool's status, after a message. */
int command_make(struct command *command, struct tool *tool);

/* Holds the signals that would end the tool for command_wait, until command_end. */
void command_hold_signals(struct command *command);

/* Lets the process become the command, and waits until it has, or cannot. Returns a tool's status, after a
 * message. */
int command_go(struct command *command, struct tool *tool);

/* Waits so long, at most; INFINITY: without an end. A signal that was sent to the tool alone is passed on,
 * and the command decides. false: the command has ended or, without one, SIGINT or SIGTERM has come. */
bool command_wait(const struct command *command, double seconds);

/* The same; it also returns true when there is something to read from a descriptor. -1: none. */
bool command_wait_input(const struct command *command, double seconds, int fd);

/* Waits for the process to end. One that was never let go ends by itself. */
void command_end(struct command *command);

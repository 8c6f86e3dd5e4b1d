/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Costs that a program has once for a library: to be linked with it, to initialise it, to take its first
 * event. These costs are mostly the kernel's, for pages touched for the first time, and how many pages come
 * together depends on the addresses that the program happens to get: a median of new programs, not of
 * children of one.
 */
#include "costs.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define PROGRAMS 15

static const char self[] = "/proc/self/exe";

/* Runs a program; out: of its standard output, -1 for this program's own. Returns its wait status. */
static int run(const char *program, char *const *arguments, int out)
{
    int status = -1;
    pid_t child = fork();
    if (child == 0) {
        if (out >= 0)
            dup2(out, STDOUT_FILENO);
        execv(program, arguments);
        _exit(127);
    }
    waitpid(child, &status, 0);
    return status;
}

/* The time from fork to the exit of a program that does nothing, alone or with the library that it is linked
 * with. */
static double start_once(const char *program, struct result *r)
{
    char *arguments[] = {"costs", FRESH_NOTHING, NULL};
    int64_t start = now();
    int status = run(program, arguments, -1);
    double cost = (double)(now() - start);
    if (status != 0)
        snprintf(r->error, sizeof r->error, "a program that does nothing ended with status %d", status);
    return status ? NOT_MEASURED : cost;
}

/* The median of some starts of a program, or NOT_MEASURED. */
static double starts(const char *program, struct result *r)
{
    double samples[PROGRAMS];
    int n = 0;
    while (n < PROGRAMS && (samples[n] = start_once(program, r)) != NOT_MEASURED)
        n++;
    return n == PROGRAMS ? median(samples, PROGRAMS) : NOT_MEASURED;
}

void fresh_starts(const struct subject *subject, struct result *r)
{
    /* Set once and here: in the child it would be of what is measured, and take pages of its heap and stack.
     */
    if (subject->path != NULL)
        setenv("LD_PRELOAD", subject->path, 1);
    r->cost[LINKED][BY_KERNEL] = starts(self, r);
    unsetenv("LD_PRELOAD");
    if (subject->path == NULL)
        r->cost[LINKED_STATIC][BY_KERNEL] = r->cost[LINKED][BY_KERNEL];
    else if (subject->linked != NULL)
        r->cost[LINKED_STATIC][BY_KERNEL] = starts(subject->linked, r);
}

/* Runs one new program and takes its result through a pipe. 0 if it could. */
static int call_once(const char *which, const char *path, struct result *one)
{
    char *arguments[] = {"costs", (char *)which, (char *)path, NULL};
    int ends[2], status, whole;
    if (pipe(ends) != 0)
        return -1;
    status = run(self, arguments, ends[1]);
    close(ends[1]);
    whole = read(ends[0], one, sizeof *one) == (ssize_t)sizeof *one;
    close(ends[0]);
    if (!whole)
        snprintf(one->error, sizeof one->error, "a program of first calls ended with status %d", status);
    return one->error[0] ? -1 : 0;
}

void fresh_calls(const struct subject *subject, struct result *r)
{
    double init[PROGRAMS], first_event[PROGRAMS], first_preset[PROGRAMS];
    struct result one, other;
    for (int i = 0; i < PROGRAMS; i++) {
        bool called = call_once(FRESH_EVENT, subject->path, &one) == 0;
        if (!called || call_once(FRESH_PRESET, subject->path, &other) != 0) {
            memcpy(r->error, called ? other.error : one.error, sizeof r->error);
            return;
        }
        init[i] = one.cost[INIT][BY_KERNEL];
        first_event[i] = one.cost[FIRST_EVENT][BY_KERNEL];
        first_preset[i] = other.cost[FIRST_PRESET][BY_KERNEL];
    }
    r->cost[INIT][BY_KERNEL] = median(init, PROGRAMS);
    r->cost[FIRST_EVENT][BY_KERNEL] = median(first_event, PROGRAMS);
    r->cost[FIRST_PRESET][BY_KERNEL] = median(first_preset, PROGRAMS);
}

int fresh_program(int argc, char **argv)
{
    struct result r = {.error = ""};
    bool event = argc > 2 && strcmp(argv[1], FRESH_EVENT) == 0;
    if (!event && (argc < 3 || strcmp(argv[1], FRESH_PRESET) != 0))
        return argc > 1 && strcmp(argv[1], FRESH_NOTHING) == 0 ? 0 : -1;
    measurement *first = event ? library_first_event : library_first_preset;
    first(&(struct subject){argv[2], BY_KERNEL, NULL}, &r);
    return write(STDOUT_FILENO, &r, sizeof r) == (ssize_t)sizeof r ? 0 : 1;
}

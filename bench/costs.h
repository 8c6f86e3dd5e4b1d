/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdint.h>
#include <time.h>

/* The measurements, each by system calls and, where it reads counters, in user space. */
enum row {
    READ,
    READ_ONE,
    READ_MANY,
    READ_DERIVED,
    READ_MULTIPLEXED,
    READ_INHERITED,
    READ_ATTACHED,
    READ_PROCESS,
    READ_TS,
    ACCUM,
    RESET,
    START_STOP,
    NOT_PARKED,
    REGION,
    FLOPS,
    IPC,
    OVERFLOW,
    SAMPLE,
    LINKED,
    LINKED_STATIC,
    INIT,
    FIRST_EVENT,
    FIRST_PRESET,
    REAL_USEC,
    VIRT_USEC,
    PAPIF_READ,
    N_ROWS
};
enum way { BY_KERNEL, BY_USER, N_WAYS };

/* The results of one process; NOT_MEASURED: it measured nothing. */
#define NOT_MEASURED (-1e9)
struct result {
    double cost[N_ROWS][N_WAYS];
    char error[256];
};

/* The first two are what a row without a number of events counts. */
enum { N_EVENTS = 2, MANY_EVENTS = 7, MULTIPLEXED_EVENTS = 8 };
extern const char *const event_names[MULTIPLEXED_EVENTS];
extern const char *const derived_preset, *const first_event_name;

/* Overflows come every so many cycles; more than a signal's way to its handler and back. */
enum { OVERFLOW_PERIOD = 200000 };

static inline int64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

double median(double *samples, int n);

/* The clock advances in steps of 16 and its interrupt comes every few million instructions: many
 * short batches, of which the median saw neither. */
#define BATCHES 31
#define RAW_COST(calls, statement)                                                                           \
    __extension__({                                                                                          \
        double samples[BATCHES];                                                                             \
        for (int batch = 0; batch < BATCHES; batch++) {                                                      \
            int64_t start = now();                                                                           \
            for (int turn = 0; turn < (calls); turn++) {                                                     \
                statement;                                                                                   \
                __asm__ volatile("" ::: "memory");                                                           \
            }                                                                                                \
            samples[batch] = (double)(now() - start) / (calls);                                              \
        }                                                                                                    \
        median(samples, BATCHES);                                                                            \
    })
#define COST(calls, statement) (RAW_COST(calls, statement) - RAW_COST(calls, (void)0))

/* Instructions from where an overflow interrupts the program to its handler: the program notes the time again
 * and again, the handler says overflow_noted() first. NOT_MEASURED with an error: too few overflows came. */
void overflow_noted(void);
double overflow_cost(struct result *r);

/* Instructions of a piece of work, the median of some.
 *   take   takes the samples that wait, and returns how many; NULL: none are
 *   taken  receives how many of a piece, on average */
enum { SAMPLE_PERIOD = 60000 };
typedef int take_samples(void *from);
double sampled_work(take_samples *take, void *from, double *taken);

/* Measurements, each for a process of its own. way: whether user-space reads are allowed. */
struct subject {
    const char *path; /* of the library; NULL: bare system calls */
    enum way way;
    const char *linked; /* a program that has the library in itself and does nothing; NULL: there is none */
};
typedef void measurement(const struct subject *subject, struct result *r);
measurement bare_counting, bare_one, bare_many, bare_overflow, bare_samples;
measurement library_counting, library_not_parked, library_one, library_many, library_derived, library_regions,
    library_flops, library_ipc, library_overflow, library_samples, library_first_event, library_first_preset,
    library_multiplexed, library_inherited, library_attached, library_process;

/* Measurements of new programs: this program is run anew with one of these arguments. fresh_program is its
 * main then, and returns -1 where the arguments are others. */
#define FRESH_NOTHING "--nothing"
#define FRESH_EVENT "--first-event" /* a library's path follows both */
#define FRESH_PRESET "--first-preset"
measurement fresh_starts, fresh_calls;
int fresh_program(int argc, char **argv);

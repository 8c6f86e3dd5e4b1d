/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "job/job.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Numbers as people read them: at most FIGURE_WIDTH characters, four digits with their unit. */
enum { FIGURE_WIDTH = 9, FIGURE_ROOM = 32 };

/* The functions return it by value, so that figure(...).text needs no variable: the array lives to the end of
 * the full expression (C11, 6.2.4), which is long enough for an argument of a call or a member of a list that
 * is one. Nothing may keep a pointer to it: what is used in a later statement is a variable of its own. */
struct figure {
    char text[FIGURE_ROOM];
};

/* unit "ns": "12.34 s", "3.2 h"; "B": "1.234 GB" (decimal); "": "123456", from 1,000,000 on "1.235 M";
 * any other unit stands behind its prefix: "1.2 GFLOP/s". NAN: "n/a". */
struct figure figure(double value, const char *unit);

/* Writes a value in at most seven characters, without a unit and without an exponent: "0.123", "12345",
 * "<0.001". */
struct figure figure_plain(double value);

/* Writes a value and the rank that has it: "12.3 s @17". */
struct figure figure_at(double value, const char *unit, uint64_t rank);

/* Writes a fraction: "12.3 %", "<0.1 %", "100 %". NAN: "n/a". */
struct figure figure_percent(double fraction);

/* Rounds to whole percents, which are enough in a sentence: "35 %", "less than 1 %". */
struct figure figure_whole_percent(double fraction);

/* The printable characters of a text that others made, cut to so many columns (bytes of UTF-8 that are
 * none become '?'). room: of out, at least 4 * columns + 1. Returns the columns. */
int figure_name(char *out, size_t room, const char *text, int columns);

/* Puts more behind a text; what it has no room for is cut off. */
void figure_append(char *text, size_t room, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* "a.out" of "/home/me/a.out". */
const char *figure_base_name(const char *path);

/* The job's command if a shell takes it as it is, and it is whole and short; otherwise "./a.out". */
const char *figure_command(const struct job *job);

/* part / whole; NAN where whole is not above 0. */
double figure_ratio(double part, double whole);

/* Percentiles of the ranks' values of a metric. */
struct percentiles {
    double p5, p25, p50, p75, p95;
    bool exact; /* from few ranks or from rows; otherwise within a bucket of the histogram, 12.5 % */
};

struct percentiles percentiles_of(const struct job *job, int metric);

/* The distance from the median beyond which a rank is an outlier, judged by the middle half of all ranks. */
double percentiles_fence(const struct percentiles *percentiles);

/* Counters that say something together: their places among the job's, -1 where they are not. */
struct rate_counters {
    int instructions, cycles, operations;
};
struct rate_counters rate_counters(const struct job *job);

/* A job's rates. NAN where a counter is missing, or some ranks have not counted it. */
struct rates {
    double ipc, gigahertz, flops; /* gigahertz: cycles over the time of the same ranks; flops: of one rank */
};

/* outside_mpi: from the counts and the time outside MPI alone, which job->counters_inside has; otherwise
 * from those of whole ranks, MPI included. */
struct rates rates_of(const struct job *job, int outside_mpi);
int rates_outside(const struct job *job); /* true if the job has counts and times outside MPI that fit */
/* Energy by its counters, from MPI_Init to MPI_Finalize; NAN where there are none, or not of all nodes. */
struct energy {
    const char *what;  /* whose: "the packages", "the whole system" */
    double joules;     /* of all nodes */
    double watts;      /* of a node */
    double delay;      /* joules times seconds */
    double operations; /* floating-point, for each joule */
};
struct energy energy_of(const struct job *job);

/* Energy that the nodes used while their first ranks were in a region; NAN as above. */
double region_joules(const struct job *job, const struct job_region *region);

double rate_sum(const struct job *job, int counter, int outside_mpi); /* over all ranks */
double rate_time(const struct job *job, int outside_mpi);             /* ns that these counts belong to */

/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "job/job.h"

#include <stdio.h>

/* A job beside an earlier one of the same program. NAN: cannot be said. */
struct comparison {
    double computation;  /* sum(U of the reference) / sum(U) */
    double instructions; /* reference's / this job's */
    double ipc;          /* this job's / reference's */
    double frequency;    /* this job's / reference's */
    double global;       /* parallel efficiency * computation */
    int outside_mpi;     /* the counters are those outside MPI, so that the three give computation */
};
struct comparison compare(const struct job *job, const struct job *reference);

/* The same where the caller says whether the counters are those outside MPI, which both jobs must then have.
 */
struct comparison compare_counted(const struct job *job, const struct job *reference, int outside_mpi);

/* A figure that both runs have, and how it is shown. */
enum compared_kind {
    COMPARED_VALUE,   /* with a unit */
    COMPARED_FACTOR,  /* a plain number */
    COMPARED_SCALING, /* beside the reference, whose own is 1 */
};
struct compared {
    const char *key,
        *name; /* in JSON and on the page; in text, with blanks before what is a part of another */
    const char *unit;
    double here, there;
    enum compared_kind kind;
};
enum { MAX_COMPARED = 24 };

/* Fills in the figures of both runs that the text, JSON and the page show, in this order; returns their
 * number. */
int compared_figures(struct compared figure[MAX_COMPARED], const struct job *job, const struct job *reference,
                     const struct comparison *comparison);

/* Writes sentences on why a figure may not mean what it seems to; returns their number. */
enum { MAX_CAVEATS = 6, CAVEAT_ROOM = 256 };
int comparison_caveats(char caveat[MAX_CAVEATS][CAVEAT_ROOM], const struct job *job,
                       const struct job *reference, const struct comparison *comparison);

/* Writes the first sentence of a comparison. */
enum { COMPARISON_VERDICT = 512 };
void comparison_verdict(char text[COMPARISON_VERDICT], const struct job *job, const struct job *reference,
                        const struct comparison *comparison);

/* Prints the comparison in at most 40 lines of at most 110 columns. */
void report_comparison(FILE *out, const struct job *job, const struct job *reference);

/* JSON: docs/mpi-result.md describes it. */
void report_comparison_json(FILE *out, const struct job *job, const struct job *reference);

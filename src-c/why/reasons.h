/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "facts.h"

/* Reasons why a program is slow: functions from facts to sentences, without anything measured or read. */

enum reason_kind {
    REASON_UNKNOWN,
    REASON_BANDWIDTH, /* bytes from memory */
    REASON_LATENCY,   /* an address that is loaded, and then what is there */
    REASON_STRIDE,    /* a line of the cache, or a page, for each number */
    REASON_SCATTERED, /* the same, where addresses come from an index or a pointer */
    REASON_DEPENDENT, /* operations that wait for one another */
    REASON_DIVISION,
    REASON_UNVECTORISED,
    REASON_CONVERSION,
    REASON_BRANCH,
    REASON_UNOPTIMISED,
    REASON_LIBRARY, /* a function of a library */
    REASON_COPIES,  /* of memory */
    REASON_SYSTEM_CALLS,
    REASON_FILE,
    REASON_PAGE_FAULTS,
    REASON_SLEEP,
    REASON_LOCK,
    REASON_WAIT,    /* for something else */
    REASON_BALANCE, /* one thread works and the others wait */
    REASON_SHARING, /* threads take a line of the cache from one another */
    REASON_UNITS,   /* the instructions, as fast as the processor does them */
    REASON_KINDS
};

/* Trust in a reason: facts that leave no other explanation; that fit and have been measured; that
 * fit. */
enum confidence { CONFIDENCE_NONE, CONFIDENCE_POSSIBLE, CONFIDENCE_LIKELY, CONFIDENCE_CERTAIN };

struct why_reason {
    enum reason_kind kind;
    enum confidence confidence;
    double share;                /* of the run's time */
    const struct why_loop *loop; /* that it is the reason of; NULL: of something else */
    struct where at;             /* file "": it is of the whole program */
    char *sentence;              /* the reason with its figures */
    char *helps;                 /* "": nothing is known that would */
    char *ask;                   /* a command that tells more; "": none */
};

struct reasons {
    struct why_reason *reason;
    int n, room;
};

/* Words for these, for programs ("memory bandwidth") and people ("likely"). */
extern const char *const reason_names[REASON_KINDS];
extern const char *const confidence_names[];

/* Finds the reasons, those of most time first, and what is not known by half of its time. command: the
 * program with its arguments, for what can be asked. reasons begin as zeroes, and are freed by reasons_free.
 */
void reasons_find(struct reasons *reasons, const struct facts *facts, const char *command);
void reasons_free(struct reasons *reasons);

/* Adds one. at: NULL for the whole program; the texts are the list's from then on, helps and ask may be NULL.
 */
struct why_reason *reasons_add(struct reasons *reasons, enum reason_kind kind, enum confidence confidence,
                               const struct where *at);

/* Judges what a line calls. whole: so many reasons at the front of the list are of the whole run. */
void callee_judge(struct reasons *reasons, const struct facts *facts, const struct why_callee *callee,
                  int whole, const char *command);

/* Judges the loops. */
void loops_judge(struct reasons *reasons, const struct facts *facts, const struct why_loop *loop,
                 const char *command);

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Verdict on a definition, from what was counted and what it claims. Pure functions of numbers: a verdict
 * that a definition is wrong is one that the machine's load, its neighbours or a note cannot explain.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum verdict { VERDICT_COUNTS, VERDICT_WRONG, VERDICT_UNSURE, VERDICT_NOT_TESTED, VERDICT_ABSENT, VERDICTS };

enum { SAMPLE_ROUNDS = 3, MOST_SAMPLES = 64, WORK_NAME = 40 };

/* Counts of one preset for one piece of work, for each iteration. */
struct sample {
    char work[WORK_NAME];
    const char *unit;   /* "iteration", "load" */
    bool exact;         /* else the claim is a range */
    double least, most; /* of the claim; the same where it is exact */
    double counted[SAMPLE_ROUNDS];
    double instructions; /* of one iteration; NAN: not known */
};

struct samples {
    int n;
    struct sample sample[MOST_SAMPLES];
};

/* All else that is known. */
struct circumstances {
    const char *note;    /* the definition's; "": none */
    bool ranges_may_err; /* sizes of caches are a virtual machine's, or of other cores: ranges refute nothing
                          */
    bool may_be_silent;  /* in a virtual machine, where events that it does not pass through count 0 */
    bool counts_any;     /* the counters count instructions of whatever kind: see judge_counts_any */
    const char *like;    /* the preset that claims what was counted; NULL: none */
};

struct judgement {
    enum verdict verdict;
    const struct sample *shown; /* that the verdict is about; NULL: none */
    char reason[640];
};

/* The count that stands for the rounds: the one in the middle. */
double sample_counted(const struct sample *sample);

/* Words for what is claimed: a number, or a range. */
enum { CLAIM_WORDS = 64 };
void sample_word_claim(char *text, size_t size, const struct sample *sample);

/* True if the sample is as claimed. */
bool sample_is_right(const struct sample *sample);

/* True if all its rounds agree on a count that is not as claimed. */
bool sample_is_wrong(const struct sample *sample);

void judge(struct judgement *judgement, const struct samples *samples, const struct circumstances *known);

/* True if a preset that claims different things of different kernels counted the same part of their
 * instructions in all of them: its counter counts instructions of every kind. */
bool judge_counts_any(const struct samples *samples);

/* True if a preset claims the same part of all instructions, whatever they are. */
bool judge_claims_any(const struct samples *samples);

/* True if the samples were counted as claims for the same work say, which is NAN where there is none. */
bool judge_is_like(const struct samples *samples, const double *claims);

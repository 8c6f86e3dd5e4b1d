/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdint.h>

/* A processor that was taken away between two tests, of a thread that did not wait for anything: others had
 * it, for longer than all that the thread itself does there. It is taken away at any moment of the thread's
 * processor time alike, so that the time is work as often as the processor time is, and tests as often as
 * that is; all of it is in the program's own times, too. Between two tests, one of two things was:
 *   - tests: then the thread's own processor time there is what it costs to lose a processor and get it back,
 *     which is not much, and is learned;
 *   - a piece of work: then it is that and the piece, so that pieces that are longer than all of it are out.
 * Of the pieces, those of late are known, by their length. */
enum { PIECES = 13 };
struct taken {
    float piece[PIECES]; /* ticks of pieces of work of late, by their length in steps */
    float long_squares;  /* of those in the last place, each times itself */
    float cut;           /* how likely it is that a piece ends at a certain time: 0 to 1 */
    float tests;         /* ticks between tests that were neighbours */
    float cost;          /* ticks of a thread's processor time for losing the processor */
};

void taken_begin(struct taken *taken);

/* Ticks of the thread's processor time: a piece of work, and between neighbours. */
void taken_worked(struct taken *taken, uint64_t ticks);
void taken_tested(struct taken *taken, uint64_t ticks);

/* Tells how likely a processor that was taken away was taken from work, where the thread had it for so many
 * ticks between two tests; and learns from it. 0 to 1. */
double taken_from_work(struct taken *taken, uint64_t on);

/* The same where it is certain: it had it for longer than any loss takes. */
void taken_certainly(struct taken *taken, uint64_t on);

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
    uint64_t piece[PIECES]; /* ticks of pieces of work of late, by their length in steps */
    uint64_t last_length;   /* ticks of a piece in the last place, the mean of its ticks */
    uint64_t tests;         /* ticks between tests that were neighbours */
    uint64_t cost;          /* ticks of a thread's processor time for losing the processor */
    uint32_t cut;           /* how likely it is that a piece ends at a certain time: 0 to 65536 */
};

void taken_begin(struct taken *taken);

/* Ticks of the thread's processor time: a piece of work, and between neighbours. */
void taken_worked(struct taken *taken, uint64_t ticks);
void taken_tested(struct taken *taken, uint64_t ticks);

/* Tells how many of the ticks without a processor were taken from work, as it is likely where the thread had
 * it for so many ticks (on) between two tests; and learns from it. */
uint64_t taken_from_work(struct taken *taken, uint64_t on, uint64_t ticks);

/* The same where it is certain: it had it for longer than any loss takes. */
void taken_certainly(struct taken *taken, uint64_t on);

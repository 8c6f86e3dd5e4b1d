/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "model.h"
#include "profile/loops/step.h"

/* Costs of instructions by a model. */

/* The cycles for which instructions keep a processor busy: each group of its units. */
struct effort {
    double busy[MODEL_UNITS];
    double ops;   /* instructions of its width */
    double taken; /* cycles of branches that are taken */
};

void effort_of(const struct model *model, const struct step *step, size_t n, struct effort *effort);
void effort_add(struct effort *effort, const struct effort *other, double times);
/* The cycles of what is busy longest. */
double effort_cycles(const struct model *model, const struct effort *effort);

/* The cycles that the turns of a loop wait for one another; of x86-64 alone. */
double price_chain(const struct model *model, const struct step *step, size_t n);

/* An instruction of 64-bit Arm: its work, no registers. Its length; 0: there are not so many bytes. */
size_t price_step_arm64(const uint8_t *code, size_t left, uint64_t address, struct step *step);

/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "components/component.h"

/* Precision of samples, the kernel's precise_ip: their address is 0 where the interrupt came, 1 a constant
 * number of instructions behind the one that caused it, 2 that instruction, 3 and without a bias by what
 * comes before it. */

enum { PRECISE_MOST_LEVEL = 3 };

struct precise_processor {
    int most;    /* the kernel says that it has so much */
    bool cycles; /* precise cycles are the same event */
};

struct precise_processor precise_processor_at(const char *root);

/* True for an event of the cores' PMU, whose samples are. */
bool precise_concerns(const struct event_encoding *event);

/* The most precise level at which an event counts the same as without. */
int precise_same(const struct precise_processor *processor, const struct event_encoding *event);

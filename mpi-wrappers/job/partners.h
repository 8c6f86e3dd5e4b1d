/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "record/record.h"

/* The ranks that a rank sent to, those of all its threads. A thread keeps as many as there is room for here,
 * and says what it sent to others. */
struct partners {
    int n, more; /* more: there are ranks that are not here */
    struct peer peer[MAX_PEERS];
};

void partners_of(struct partners *partners, const struct rank_record *record);

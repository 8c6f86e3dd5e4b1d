/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "cores.h"
#include "judge.h"
#include "measure.h"

/* Check of one preset on one kind of cores. */
struct check {
    PAPI_event_info_t info;
    struct samples samples;
    struct judgement judgement;
    const char *absent_walk; /* why a part was not counted; "": all was */
    bool counts_any;
};

/* All presets on one kind of cores. */
struct checks {
    const char *pmu; /* NULL: there is one kind */
    int n;
    struct check *check;
    int of[VERDICTS]; /* how many have the verdict */
};

/* Checks the presets of these names, or all if there are none. 0; -1: no memory. */
int checks_run(struct checks *checks, const struct cores *cores, int kind, char *const *name, int names);
void checks_free(struct checks *checks);

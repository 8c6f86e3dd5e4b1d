/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "tools/common/openmetrics.h"
#include "tools/events/count_sets.h"

/* Counts of the whole node, whoever's programs run: an event of the node's components in one event set, an
 * event of threads on each CPU, added up. */
struct core_event {
    const char *name;
    int code;
    long long value; /* the sum over all CPUs */
};

struct node_counts {
    struct count_sets node;
    int n_core, n_cpus;
    int first;    /* in cpu: one that runs, on which events are tried */
    int counting; /* of n_cpus: those that were counted at the last read */
    struct core_event core[MAX_COUNT_EVENTS];
    bool multiplexed; /* the events of the CPUs take turns: their values are estimates */
    int core_code;    /* of the last read */
    struct cpu_set {
        int cpu, es;                            /* PAPI_NULL: it is switched off */
        long long carried[MAX_COUNT_EVENTS];    /* counts of before it was switched off */
        long long last[MAX_COUNT_EVENTS];       /* and since it is on */
    } * cpu;                                    /* all that this machine has */
    struct series series[2 * MAX_COUNT_EVENTS]; /* the node's, and from MAX_COUNT_EVENTS on the CPUs' */

    long long reads, failed, lost;
};

/* The CPUs. PAPI_OK, or PAPI_ESYS or PAPI_ENOMEM. */
int node_counts_open(struct node_counts *counts);

/* Adds an event, before the start. PAPI_OK, or a code with the reason. The name must stay. */
int node_counts_add(struct node_counts *counts, const char *name, char *why, size_t size);

int node_counts_n(const struct node_counts *counts);

/* Starts them all, on every CPU that is on. A code of PAPI's. */
int node_counts_start(struct node_counts *counts);

/* Takes the values. A CPU that is switched off keeps what it counted, and is counted again when it is on.
 * What cannot be read has none until it can be again. */
void node_counts_read(struct node_counts *counts);

/* Prints their lines. PAPI_OK, or PAPI_ENOMEM. */
int node_counts_print(const struct node_counts *counts, FILE *out, enum openmetrics_form form);
void node_counts_close(struct node_counts *counts);

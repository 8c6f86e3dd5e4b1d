/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "tools/common/tool.h"

#include <stdint.h>

/* The nodes of a job by kind: how many there are of each, and where the first ones are. Its size does not
 * depend on the number of ranks, and two tables merge into that of both their ranks, in any order. */

enum { NODES_MAX_KINDS = 32, NODES_MAX_HOSTS = 4, NODES_UNKNOWN = INT32_MIN };

/* Properties in which two nodes may differ. All bytes are compared: unused ones are 0. */
struct node_kind {
    char processor[128];
    char vm[64]; /* "no", "yes" or whose */
    char pmu[64];
    char kernel[64];
    int32_t sockets, cores, cpus;
    int32_t counters, paranoid, presets; /* paranoid: NODES_UNKNOWN where it cannot be read */
};

struct node_host {
    int64_t rank; /* the first one of its kind there */
    char name[64];
};

struct node_row {
    struct node_kind kind;
    int64_t ranks, nodes;
    int32_t n_hosts, unused;
    struct node_host host[NODES_MAX_HOSTS]; /* those of the smallest ranks */
};

struct node_table {
    int64_t ranks, nodes;
    int32_t n, full;                      /* full: kinds had to be left out */
    struct node_row row[NODES_MAX_KINDS]; /* the first ones, in the order of their bytes */
};

/* The node that this process runs on. PAPI_library_init has been called. */
void node_describe(struct node_kind *kind);
unsigned node_hash(const struct node_kind *kind);

/* A table of one rank. */
void node_table_set(struct node_table *table, const struct node_kind *kind, int rank, bool first_on_node,
                    bool first_of_kind);
void node_table_merge(struct node_table *into, const struct node_table *from);

/* hint: a sentence for behind the table, or NULL. */
void node_table_show(struct report *report, const struct node_table *table, const char *hint);

/* papi_avail --nodes: the whole of it, on every rank. The exit status. */
int nodes_list(struct tool *tool);

/* SPDX-License-Identifier: BSD-3-Clause */
#include "node_kinds.h"
#include "base/sysroot.h"
#include "papi.h"
#include "tools/common/event.h"
#include "tools/common/machine_head.h"
#include "tools/common/mpi_launcher.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ------------------------------------------------------------------- one node */

/* "cpu", or "cpu_atom+cpu_core". */
static void describe_pmu(char *out, size_t size)
{
    enum { MAX_PMUS = 8 };
    char name[MAX_PMUS][MACHINE_PMU_NAME];
    int n = machine_core_pmus(name, MAX_PMUS);
    for (int i = 0; i < n; i++)
        text_append(out, size, "+", "%s", name[i]);
    if (n <= 0)
        snprintf(out, size, "none");
}

static int available_presets(void)
{
    struct events presets = {.code = PAPI_PRESET_MASK};
    int n = 0;
    while (events_next(&presets))
        n += presets.info.count > 0;
    return n;
}

static void describe_processor(struct node_kind *kind)
{
    const PAPI_hw_info_t *hw = PAPI_get_hardware_info();
    if (hw == NULL)
        return;
    const char *vendor = hw->virtual_vendor_string;
    snprintf(kind->processor, sizeof kind->processor, "%s", hw->model_string);
    snprintf(kind->vm, sizeof kind->vm, "%s", !hw->virtualized ? "no" : vendor[0] != '\0' ? vendor : "yes");
    kind->sockets = hw->sockets;
    kind->cores = hw->sockets * hw->cores;
    kind->cpus = hw->totalcpus;
}

void node_describe(struct node_kind *kind)
{
    long long paranoid;
    memset(kind, 0, sizeof *kind);
    describe_processor(kind);
    if (kind->processor[0] == '\0')
        snprintf(kind->processor, sizeof kind->processor, "?");
    if (machine_is_emulated())
        snprintf(kind->pmu, sizeof kind->pmu, "papi_emulate");
    else
        describe_pmu(kind->pmu, sizeof kind->pmu);
    machine_release(kind->kernel, sizeof kind->kernel);
    if (kind->kernel[0] == '\0')
        snprintf(kind->kernel, sizeof kind->kernel, "?");
    int counters = PAPI_num_hwctrs();
    kind->counters = counters > 0 ? counters : 0;
    int code = sysroot_number(machine_root(), "/proc/sys/kernel/perf_event_paranoid", &paranoid);
    kind->paranoid = code == 0 && paranoid > INT32_MIN && paranoid <= INT32_MAX ? (int32_t)paranoid
                                                                                : (int32_t)NODES_UNKNOWN;
    kind->presets = available_presets();
}

/* FNV-1a */
unsigned node_hash(const struct node_kind *kind)
{
    const unsigned char *byte = (const unsigned char *)kind;
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < sizeof *kind; i++)
        hash = (hash ^ byte[i]) * 16777619u;
    return hash;
}

/* ------------------------------------------------------------------ the table */

void node_table_set(struct node_table *table, const struct node_kind *kind, int rank, bool first_on_node,
                    bool first_of_kind)
{
    memset(table, 0, sizeof *table);
    table->ranks = 1;
    table->nodes = first_on_node;
    table->n = 1;
    table->row[0].kind = *kind;
    table->row[0].ranks = 1;
    table->row[0].nodes = first_of_kind;
    if (first_of_kind) {
        struct node_host *host = &table->row[0].host[0];
        table->row[0].n_hosts = 1;
        host->rank = rank;
        gethostname(host->name, sizeof host->name - 1);
    }
}

/* The first ones of both, which are sorted. */
static void merge_hosts(struct node_row *into, const struct node_row *from)
{
    struct node_host merged[NODES_MAX_HOSTS] = {0};
    int n = 0, a = 0, b = 0;
    while (n < NODES_MAX_HOSTS && (a < into->n_hosts || b < from->n_hosts)) {
        bool take_a = b >= from->n_hosts || (a < into->n_hosts && into->host[a].rank < from->host[b].rank);
        merged[n++] = take_a ? into->host[a++] : from->host[b++];
    }
    memcpy(into->host, merged, sizeof merged);
    into->n_hosts = n;
}

static int order(const struct node_row *a, const struct node_row *b)
{
    return memcmp(&a->kind, &b->kind, sizeof a->kind);
}

/* A kind that is left out for many smaller ones in one part of the job has as many before it in the whole:
 * what stays has all its ranks, whatever was merged first. */
static void merge_row(struct node_table *into, const struct node_row *from)
{
    int place = 0;
    while (place < into->n && order(&into->row[place], from) < 0)
        place++;
    struct node_row *row = &into->row[place];
    if (place < into->n && order(row, from) == 0) {
        row->ranks += from->ranks;
        row->nodes += from->nodes;
        merge_hosts(row, from);
        return;
    }
    into->full |= into->n == NODES_MAX_KINDS;
    if (place == NODES_MAX_KINDS)
        return;
    int behind = (into->n < NODES_MAX_KINDS ? into->n : NODES_MAX_KINDS - 1) - place;
    memmove(row + 1, row, (size_t)behind * sizeof *row);
    *row = *from;
    into->n += into->n < NODES_MAX_KINDS;
}

void node_table_merge(struct node_table *into, const struct node_table *from)
{
    into->ranks += from->ranks;
    into->nodes += from->nodes;
    into->full |= from->full;
    for (int i = 0; i < from->n; i++)
        merge_row(into, &from->row[i]);
}

/* -------------------------------------------------------------------- the job */

static void merge_blocks(void *from, void *into, int *n, void *type)
{
    (void)type;
    for (int i = 0; i < *n; i++)
        node_table_merge((struct node_table *)into + i, (const struct node_table *)from + i);
}

/* This node alone, of a job whose other nodes cannot be asked: once, not by every rank. */
static int show_one(struct tool *tool, const struct launcher *launcher, const struct node_kind *kind,
                    const char *why)
{
    struct node_table table;
    if (launcher->rank != 0)
        return TOOL_FINE;
    node_table_set(&table, kind, 0, true, true);
    node_table_show(&tool->report, &table, tool->report.json ? why : NULL);
    report_finish(&tool->report);
    return tool_error(tool, "%s", why);
}

static int list_job(struct tool *tool, struct launcher *launcher, const struct node_kind *kind)
{
    char why[512], text[1024];
    struct nodes_place place;
    if (launcher_open(launcher, why, sizeof why) != 0) {
        snprintf(text, sizeof text,
                 "this is the node of rank 0 alone, because the library for the MPI of this launcher cannot "
                 "be opened: %s. fpapi makes it where that MPI is installed when fpapi is built",
                 why);
        return show_one(tool, launcher, kind, text);
    }
    struct node_table *table = malloc(sizeof *table);
    if (table == NULL || launcher->begin(node_hash(kind), &place) != 0) {
        free(table);
        return show_one(tool, launcher, kind, "this is the node of rank 0 alone: MPI_Init failed");
    }
    node_table_set(table, kind, place.rank, place.first_on_node, place.first_of_kind);
    launcher->end(table, sizeof *table, merge_blocks);
    int status = TOOL_FINE;
    if (launcher->size > 0 && launcher->size != place.ranks) {
        snprintf(
            text, sizeof text,
            "this is the node of rank 0 alone: the launcher started %d ranks, but the MPI of %s sees %d. "
            "Use the mpirun of that MPI",
            launcher->size, launcher->name, place.ranks);
        status = show_one(tool, launcher, kind, text);
    } else if (place.rank == 0) {
        node_table_show(&tool->report, table, NULL);
    }
    free(table);
    return status;
}

int nodes_list(struct tool *tool)
{
    struct launcher launcher;
    struct node_kind kind;
    struct node_table table;
    node_describe(&kind);
    if (launcher_find(&launcher))
        return list_job(tool, &launcher, &kind);
    node_table_set(&table, &kind, 0, true, true);
    node_table_show(&tool->report, &table,
                    "This node alone; for those of a job: mpirun -n RANKS papi_avail --nodes");
    return TOOL_FINE;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "node_kinds.h"
#include "base/sysroot.h"
#include "papi.h"
#include "tools/common/event.h"
#include "tools/common/machine_head.h"
#include "tools/common/mpi_launcher.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- one node */

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

/* The FNV-1a hash of a kind's bytes. */
unsigned node_hash(const struct node_kind *kind)
{
    const unsigned char *byte = (const unsigned char *)kind;
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < sizeof *kind; i++)
        hash = (hash ^ byte[i]) * 16777619u;
    return hash;
}

/* ---- the table */

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

/* Merges two lists of hosts, sorted by rank, and keeps the first NODES_MAX_HOSTS. */
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

/* ---- the job */

static void merge_blocks(void *from, void *into, int *n, void *type)
{
    (void)type;
    for (int i = 0; i < *n; i++)
        node_table_merge((struct node_table *)into + i, (const struct node_table *)from + i);
}

/* Shows this node alone, if the other nodes of the job cannot be asked; only rank 0 does. */
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

/* ---- what is printed */

/* ---- columns */

enum { CELL = 320 };

enum form { TEXT, NUMBER, COUNT, HOSTS }; /* char [], int32_t, int64_t */

static const struct column {
    const char *title, *key;
    const char *of; /* the part of the name that differs; NULL: no part of the kind */
    enum form form;
    size_t place; /* in struct node_row */
} columns[] = {
#define PLACE(member) offsetof(struct node_row, member)
    {"Nodes", "nodes", NULL, COUNT, PLACE(nodes)},
    {"Ranks", "ranks", NULL, COUNT, PLACE(ranks)},
    {"Processor", "processor", "processor", TEXT, PLACE(kind.processor)},
    {"Sockets", "sockets", "sockets", NUMBER, PLACE(kind.sockets)},
    {"Cores", "cores", "cores", NUMBER, PLACE(kind.cores)},
    {"CPUs", "cpus", "CPUs", NUMBER, PLACE(kind.cpus)},
    {"PMU", "pmu", "PMU", TEXT, PLACE(kind.pmu)},
    {"Counters", "counters", "counters", NUMBER, PLACE(kind.counters)},
    {"Paranoid", "perf_event_paranoid", "perf_event_paranoid", NUMBER, PLACE(kind.paranoid)},
    {"Presets", "available_presets", "available presets", NUMBER, PLACE(kind.presets)},
    {"VM", "virtual_machine", "virtual machine", TEXT, PLACE(kind.vm)},
    {"Kernel", "kernel", "kernel", TEXT, PLACE(kind.kernel)},
    {"Hosts", "hosts", NULL, HOSTS, 0},
};
enum { N_COLUMNS = sizeof columns / sizeof columns[0] };

static const char *text_in(const struct node_row *row, const struct column *column)
{
    return (const char *)row + column->place;
}

static long long number_in(const struct node_row *row, const struct column *column)
{
    const void *place = text_in(row, column);
    if (column->form == COUNT)
        return *(const int64_t *)place;
    int32_t number = *(const int32_t *)place;
    return number == NODES_UNKNOWN ? REPORT_UNKNOWN : number;
}

static void write_cell(char *out, const struct node_row *row, const struct column *column)
{
    out[0] = '\0';
    if (column->form == TEXT)
        snprintf(out, CELL, "%s", text_in(row, column));
    else if (column->form != HOSTS && number_in(row, column) == REPORT_UNKNOWN)
        snprintf(out, CELL, "?");
    else if (column->form != HOSTS)
        snprintf(out, CELL, "%lld", number_in(row, column));
    for (int i = 0; column->form == HOSTS && i < row->n_hosts; i++)
        text_append(out, CELL, " ", "%s", row->host[i].name);
    if (column->form == HOSTS && row->nodes > row->n_hosts)
        text_append(out, CELL, " ", "...");
}

static bool differs(const struct node_table *table, const struct column *column)
{
    char first[CELL], other[CELL];
    write_cell(first, &table->row[0], column);
    for (int i = 1; i < table->n; i++) {
        write_cell(other, &table->row[i], column);
        if (strcmp(first, other) != 0)
            return true;
    }
    return false;
}

/* ---- rows */

/* The kind that most ranks run on first. */
static int by_ranks(const void *a, const void *b)
{
    const struct node_row *const *x = a, *const *y = b;
    int64_t more = (*y)->ranks - (*x)->ranks;
    return more != 0 ? (more > 0 ? 1 : -1) : memcmp(&(*x)->kind, &(*y)->kind, sizeof(*x)->kind);
}

/* Finds the widths of all columns but the last: nothing is padded at the end of a line. */
static void find_widths(const struct node_table *table, int *width)
{
    char cell[CELL];
    for (int c = 0; c < N_COLUMNS - 1; c++) {
        width[c] = (int)strlen(columns[c].title);
        for (int i = 0; i < table->n; i++) {
            write_cell(cell, &table->row[i], &columns[c]);
            width[c] = (int)strlen(cell) > width[c] ? (int)strlen(cell) : width[c];
        }
    }
    width[N_COLUMNS - 1] = 0;
}

/* row: NULL for the titles. */
static void print_row(struct report *report, const struct node_row *row, const int *width)
{
    char cell[CELL];
    for (int c = 0; c < N_COLUMNS && !report->json; c++) {
        bool right = columns[c].form == NUMBER || columns[c].form == COUNT;
        if (row != NULL)
            write_cell(cell, row, &columns[c]);
        fprintf(report->out, "%s%*s", c > 0 ? "  " : "", right ? width[c] : -width[c],
                row != NULL ? cell : columns[c].title);
    }
    report_blank(report);
}

static void show_row(struct report *report, const struct node_row *row)
{
    report_object(report, NULL);
    for (int c = 0; c < N_COLUMNS; c++)
        if (columns[c].form == TEXT)
            report_string(report, NULL, columns[c].key, text_in(row, &columns[c]));
        else if (columns[c].form != HOSTS)
            report_number(report, NULL, columns[c].key, number_in(row, &columns[c]));
    report_list(report, "hosts");
    for (int i = 0; i < row->n_hosts; i++)
        report_string(report, NULL, NULL, row->host[i].name);
    report_end(report);
    report_end(report);
}

static void show_rows(struct report *report, const struct node_table *table)
{
    int width[N_COLUMNS];
    const struct node_row *row[NODES_MAX_KINDS];
    for (int i = 0; i < table->n; i++)
        row[i] = &table->row[i];
    qsort(row, (size_t)table->n, sizeof row[0], by_ranks);
    find_widths(table, width);
    print_row(report, NULL, width);
    report_list(report, "kinds");
    for (int i = 0; i < table->n; i++) {
        print_row(report, row[i], width);
        show_row(report, row[i]);
    }
    report_end(report);
}

/* ---- the whole */

static const char *plural(int64_t n)
{
    return n == 1 ? "" : "s";
}

static void show_differences(struct report *report, const struct node_table *table)
{
    char list[256] = "", kinds[64] = "one kind of node";
    const char *column[N_COLUMNS];
    int n = 0;
    for (int c = 0; c < N_COLUMNS; c++)
        if (columns[c].of != NULL && differs(table, &columns[c])) {
            column[n++] = columns[c].of;
            text_append(list, sizeof list, ", ", "%s", columns[c].of);
        }
    if (table->n > 1)
        snprintf(kinds, sizeof kinds, "%s%d kinds of nodes", table->full ? "more than " : "", table->n);
    report_sentence(report, NULL,
                    "{nodes} node{.nodes}, {ranks} rank{.ranks}, {.kinds}{.list?; they differ in %s}\n",
                    AS_NUMBER("nodes", table->nodes), AS_TEXT(".nodes", plural(table->nodes)),
                    AS_NUMBER("ranks", table->ranks), AS_TEXT(".ranks", plural(table->ranks)),
                    AS_TEXT(".kinds", kinds), AS_TEXT(".list", list));
    report_words(report, NULL, "differ_in", column, n);
}

void node_table_show(struct report *report, const struct node_table *table, const char *hint)
{
    /* Nodes whose ranks have found different things (CPU sets, containers, other environments) are counted
     * again. */
    int64_t left_out = table->ranks, again = -table->nodes;
    for (int i = 0; i < table->n; i++) {
        left_out -= table->row[i].ranks;
        again += table->row[i].nodes;
    }
    show_differences(report, table);
    show_rows(report, table);
    if (left_out > 0 || again > 0 || hint != NULL)
        report_blank(report);
    report_sentence(
        report, NULL,
        left_out > 0 ? "{ranks_of_further_kinds} ranks run on nodes of further kinds."
        : again > 0  ? "Ranks of the same node have found different things, so its line is not its only one."
                     : NULL,
        AS_NUMBER("ranks_of_further_kinds", left_out));
    report_paragraph(report, hint != NULL ? "{hint}" : NULL, AS_TEXT("hint", hint));
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/json.h"
#include "machine.h"
#include "nodes.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -------------------------------------------------------------------- columns */

enum { CELL = 320 };

static void number_cell(char *out, int64_t value)
{
    if (value == NODES_UNKNOWN)
        snprintf(out, CELL, "?");
    else
        snprintf(out, CELL, "%" PRId64, value);
}
#define NUMBER(name, member)                                                                                 \
    static void name##_cell(char *out, const struct node_row *row)                                           \
    {                                                                                                        \
        number_cell(out, row->member);                                                                       \
    }
#define TEXT(name)                                                                                           \
    static void name##_cell(char *out, const struct node_row *row)                                           \
    {                                                                                                        \
        snprintf(out, CELL, "%s", row->kind.name);                                                           \
    }
NUMBER(nodes, nodes)
NUMBER(ranks, ranks)
NUMBER(sockets, kind.sockets)
NUMBER(cores, kind.cores)
NUMBER(cpus, kind.cpus)
NUMBER(counters, kind.counters)
NUMBER(paranoid, kind.paranoid)
NUMBER(presets, kind.presets)
TEXT(processor)
TEXT(pmu)
TEXT(vm)
TEXT(kernel)

static void hosts_cell(char *out, const struct node_row *row)
{
    size_t used = 0;
    out[0] = '\0';
    for (int i = 0; i < row->n_hosts; i++)
        used += (size_t)snprintf(out + used, CELL - used, "%s%s", i > 0 ? " " : "", row->host[i].name);
    if (row->nodes > row->n_hosts)
        snprintf(out + used, CELL - used, " ...");
}

static const struct column {
    const char *title;
    const char *of; /* what differs, where it does; NULL: no part of the kind */
    bool number;
    void (*cell)(char *out, const struct node_row *row);
} columns[] = {
    {"Nodes", NULL, true, nodes_cell},
    {"Ranks", NULL, true, ranks_cell},
    {"Processor", "processor", false, processor_cell},
    {"Sockets", "sockets", true, sockets_cell},
    {"Cores", "cores", true, cores_cell},
    {"CPUs", "CPUs", true, cpus_cell},
    {"PMU", "PMU", false, pmu_cell},
    {"Counters", "counters", true, counters_cell},
    {"Paranoid", "perf_event_paranoid", true, paranoid_cell},
    {"Presets", "available presets", true, presets_cell},
    {"VM", "virtual machine", false, vm_cell},
    {"Kernel", "kernel", false, kernel_cell},
    {"Hosts", NULL, false, hosts_cell},
};
enum { N_COLUMNS = sizeof columns / sizeof columns[0] };

static bool differs(const struct node_table *table, const struct column *column)
{
    char first[CELL], other[CELL];
    column->cell(first, &table->row[0]);
    for (int i = 1; i < table->n; i++) {
        column->cell(other, &table->row[i]);
        if (strcmp(first, other) != 0)
            return true;
    }
    return false;
}

/* ----------------------------------------------------------------------- rows */

/* The kind that most ranks run on first. */
static int by_ranks(const void *a, const void *b)
{
    const struct node_row *const *x = a, *const *y = b;
    int64_t more = (*y)->ranks - (*x)->ranks;
    return more != 0 ? (more > 0 ? 1 : -1) : memcmp(&(*x)->kind, &(*y)->kind, sizeof(*x)->kind);
}

struct order {
    const struct node_row *row[NODES_MAX_KINDS];
};

static struct order rows_by_ranks(const struct node_table *table)
{
    struct order order = {0};
    for (int i = 0; i < table->n; i++)
        order.row[i] = &table->row[i];
    qsort(order.row, (size_t)table->n, sizeof order.row[0], by_ranks);
    return order;
}

static int64_t left_out(const struct node_table *table)
{
    int64_t ranks = table->ranks;
    for (int i = 0; i < table->n; i++)
        ranks -= table->row[i].ranks;
    return ranks;
}

/* Nodes whose ranks have found different things: CPU sets, containers, other environments. */
static int64_t counted_again(const struct node_table *table)
{
    int64_t nodes = -table->nodes;
    for (int i = 0; i < table->n; i++)
        nodes += table->row[i].nodes;
    return nodes;
}

/* ----------------------------------------------------------------------- text */

static const char *plural(int64_t n)
{
    return n == 1 ? "" : "s";
}

static void print_first_line(const struct node_table *table)
{
    const char *before = "; they differ in ";
    printf("%" PRId64 " node%s, %" PRId64 " rank%s, ", table->nodes, plural(table->nodes), table->ranks,
           plural(table->ranks));
    if (table->n == 1) {
        puts("one kind of node");
        return;
    }
    printf("%s%d kinds of nodes", table->full ? "more than " : "", table->n);
    for (int c = 0; c < N_COLUMNS; c++) {
        if (columns[c].of == NULL || !differs(table, &columns[c]))
            continue;
        printf("%s%s", before, columns[c].of);
        before = ", ";
    }
    putchar('\n');
}

/* Nothing is padded at the end of a line. */
static void print_cell(int c, const char *text, int width)
{
    if (c > 0)
        fputs("  ", stdout);
    if (columns[c].number)
        printf("%*s", width, text);
    else
        printf("%-*s", c == N_COLUMNS - 1 ? 0 : width, text);
}

static void print_rows(const struct node_table *table)
{
    char cell[CELL];
    int width[N_COLUMNS];
    struct order order = rows_by_ranks(table);
    for (int c = 0; c < N_COLUMNS; c++) {
        width[c] = (int)strlen(columns[c].title);
        for (int i = 0; i < table->n; i++) {
            columns[c].cell(cell, order.row[i]);
            if ((int)strlen(cell) > width[c])
                width[c] = (int)strlen(cell);
        }
    }
    for (int c = 0; c < N_COLUMNS; c++)
        print_cell(c, columns[c].title, width[c]);
    putchar('\n');
    for (int i = 0; i < table->n; i++) {
        for (int c = 0; c < N_COLUMNS; c++) {
            columns[c].cell(cell, order.row[i]);
            print_cell(c, cell, width[c]);
        }
        putchar('\n');
    }
}

void node_table_print(const struct node_table *table, const char *hint)
{
    print_first_line(table);
    putchar('\n');
    print_rows(table);
    int64_t again = counted_again(table);
    if (left_out(table) > 0 || again > 0 || hint != NULL)
        putchar('\n');
    if (left_out(table) > 0)
        printf("%" PRId64 " ranks run on nodes of further kinds.\n", left_out(table));
    else if (again > 0)
        puts("Ranks of the same node have found different things, so its line is not its only one.");
    if (hint != NULL)
        print_wrapped(stdout, hint, 0, 0);
}

/* ----------------------------------------------------------------------- JSON */

static void number_json(struct json *json, const char *key, int32_t value)
{
    if (value == NODES_UNKNOWN)
        json_string(json, key, NULL);
    else
        json_integer(json, key, value);
}

static void row_json(struct json *json, const struct node_row *row)
{
    json_open(json, NULL, '{');
    json_integer(json, "nodes", row->nodes);
    json_integer(json, "ranks", row->ranks);
    json_string(json, "processor", row->kind.processor);
    json_integer(json, "sockets", row->kind.sockets);
    json_integer(json, "cores", row->kind.cores);
    json_integer(json, "cpus", row->kind.cpus);
    json_string(json, "pmu", row->kind.pmu);
    json_integer(json, "counters", row->kind.counters);
    number_json(json, "perf_event_paranoid", row->kind.paranoid);
    json_integer(json, "available_presets", row->kind.presets);
    json_string(json, "virtual_machine", row->kind.vm);
    json_string(json, "kernel", row->kind.kernel);
    json_open(json, "hosts", '[');
    for (int i = 0; i < row->n_hosts; i++)
        json_string(json, NULL, row->host[i].name);
    json_close(json, ']');
    json_close(json, '}');
}

void node_table_json(const struct node_table *table, const char *hint)
{
    struct json json = {.out = stdout};
    struct order order = rows_by_ranks(table);
    json_open(&json, NULL, '{');
    json_integer(&json, "nodes", table->nodes);
    json_integer(&json, "ranks", table->ranks);
    json_open(&json, "differ_in", '[');
    for (int c = 0; c < N_COLUMNS; c++)
        if (columns[c].of != NULL && differs(table, &columns[c]))
            json_string(&json, NULL, columns[c].of);
    json_close(&json, ']');
    json_open(&json, "kinds", '[');
    for (int i = 0; i < table->n; i++)
        row_json(&json, order.row[i]);
    json_close(&json, ']');
    json_integer(&json, "ranks_of_further_kinds", left_out(table));
    json_string(&json, "hint", hint);
    json_close(&json, '}');
}

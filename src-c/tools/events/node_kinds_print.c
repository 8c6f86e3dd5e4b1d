/* SPDX-License-Identifier: BSD-3-Clause */
#include "node_kinds.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -------------------------------------------------------------------- columns */

enum { CELL = 320 };

enum form { TEXT, NUMBER, COUNT, HOSTS }; /* char [], int32_t, int64_t */

static const struct column {
    const char *title, *key;
    const char *of; /* what differs, where it does; NULL: no part of the kind */
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

/* ----------------------------------------------------------------------- rows */

/* The kind that most ranks run on first. */
static int by_ranks(const void *a, const void *b)
{
    const struct node_row *const *x = a, *const *y = b;
    int64_t more = (*y)->ranks - (*x)->ranks;
    return more != 0 ? (more > 0 ? 1 : -1) : memcmp(&(*x)->kind, &(*y)->kind, sizeof(*x)->kind);
}

/* Of all columns but the last: nothing is padded at the end of a line. */
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

/* ------------------------------------------------------------------- the whole */

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

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Table of what the launches of kernels do: a file of comma-separated values, whose first line names the
 * columns. Operations and bytes are given, or what events of the component cuda counted.
 */
#include "points.h"
#include "tools/common/allocate.h"
#include "tools/common/tool_files.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_COLUMNS = 32 };

struct kernel_count {
    char *kernel;
    double operations[ROOF_PRECISIONS], bytes; /* of a launch */
    bool used;
};

struct kernel_counts {
    char *source;
    struct kernel_count *row;
    int n;
};

/* ---- columns */

enum column_kind { COLUMN_KERNEL, COLUMN_LAUNCHES, COLUMN_BYTES, COLUMN_OPERATIONS };

/* A column, with the operations of each that it counts. event: its name may have qualifiers. */
struct column {
    const char *name;
    enum column_kind kind;
    enum roof_precision precision;
    double factor;
    bool event;
};

#define INSTRUCTIONS(letter_and_name) "smsp__sass_thread_inst_executed_op_" letter_and_name "_pred_on"
enum { FIRST_EVENT = 7 };

static const struct column columns[] = {
    {"kernel", COLUMN_KERNEL, 0, 0, false},
    {"launches", COLUMN_LAUNCHES, 0, 0, false},
    {"bytes", COLUMN_BYTES, 0, 1, false},
    {"flops", COLUMN_OPERATIONS, ROOF_DOUBLE, 1, false},
    {"double", COLUMN_OPERATIONS, ROOF_DOUBLE, 1, false},
    {"single", COLUMN_OPERATIONS, ROOF_SINGLE, 1, false},
    {"half", COLUMN_OPERATIONS, ROOF_HALF, 1, false},
    {INSTRUCTIONS("dadd"), COLUMN_OPERATIONS, ROOF_DOUBLE, 1, true},
    {INSTRUCTIONS("dmul"), COLUMN_OPERATIONS, ROOF_DOUBLE, 1, true},
    {INSTRUCTIONS("dfma"), COLUMN_OPERATIONS, ROOF_DOUBLE, 2, true},
    {INSTRUCTIONS("fadd"), COLUMN_OPERATIONS, ROOF_SINGLE, 1, true},
    {INSTRUCTIONS("fmul"), COLUMN_OPERATIONS, ROOF_SINGLE, 1, true},
    {INSTRUCTIONS("ffma"), COLUMN_OPERATIONS, ROOF_SINGLE, 2, true},
    {"dram__bytes", COLUMN_BYTES, 0, 1, true},
};

enum { COLUMNS = sizeof columns / sizeof *columns, EVENTS_OF_A_PRECISION = 3 };

/* True for the event, as the component has it or without its prefix, as a sum over the device's units. */
static bool is_event(const char *field, const char *name)
{
    static const char prefix[] = "cuda:::", sum[] = ":stat=sum", device[] = ":device=";
    size_t length = strlen(name);
    if (strncmp(field, prefix, sizeof prefix - 1) == 0)
        field += sizeof prefix - 1;
    if (strncmp(field, name, length) != 0)
        return false;
    field += length;
    if (strncmp(field, sum, sizeof sum - 1) == 0)
        field += sizeof sum - 1;
    if (strncmp(field, device, sizeof device - 1) == 0)
        field += sizeof device - 1 + strspn(field + sizeof device - 1, "0123456789");
    return *field == '\0';
}

static const struct column *find_column(const char *field)
{
    for (int i = 0; i < COLUMNS; i++)
        if (columns[i].event ? is_event(field, columns[i].name) : strcmp(field, columns[i].name) == 0)
            return &columns[i];
    return NULL;
}

/* ---- lines */

struct table {
    const char *path;
    int line;
    FILE *file;
    char *text; /* of the line, whose fields were cut out of it */
    size_t room;
    char *field[MOST_COLUMNS];
    int n_fields;
    const struct column *column[MOST_COLUMNS];
    int n_columns;
    struct kernel_counts *counts;
};

static __attribute__((format(printf, 2, 3))) char *fault(const struct table *table, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *what = memory_print_list(format, arguments);
    va_end(arguments);
    char *why = memory_print("%s, line %d: %s", table->path, table->line, what);
    free(what);
    return why;
}

/* Cuts a field in quotation marks, of which two stand for one. Returns what follows it; NULL: it has no end.
 */
static char *cut_quoted(char *from)
{
    char *to = from;
    for (from++; *from != '\0'; *to++ = *from++)
        if (*from == '"' && *++from != '"') {
            char *rest = from;
            *to = '\0';
            return rest;
        }
    return NULL;
}

/* Cuts the line into its fields. */
static char *cut(struct table *table)
{
    char *at = table->text;
    for (table->n_fields = 0;; at++) {
        if (table->n_fields == MOST_COLUMNS)
            return fault(table, "there are more than %d fields", (int)MOST_COLUMNS);
        char *field = at += strspn(at, " \t");
        char end = ',';
        if (*at == '"') {
            char *rest = cut_quoted(at);
            if (rest == NULL)
                return fault(table, "a quotation mark has no second one");
            at = rest + strspn(rest, " \t");
            if (*at != ',' && *at != '\0')
                return fault(table, "\"%s\" follows a quotation mark in the place of a comma", at);
            end = *at;
        } else {
            at += strcspn(at, ",");
            end = *at;
            *at = '\0';
            for (size_t n = strlen(field); n > 0 && strchr(" \t", field[n - 1]) != NULL; n--)
                field[n - 1] = '\0';
        }
        table->field[table->n_fields++] = field;
        if (end == '\0')
            return NULL;
    }
}

/* Reads the next line that has anything; *more is false where there is none. */
static char *next_line(struct table *table, bool *more)
{
    for (;;) {
        errno = 0;
        ssize_t n = getline(&table->text, &table->room, table->file);
        *more = n >= 0;
        if (n < 0)
            return ferror(table->file) != 0
                       ? memory_print("%s cannot be read: %s", table->path, strerror(errno))
                       : NULL;
        table->line++;
        if (strlen(table->text) != (size_t)n)
            return fault(table, "this is no text: it has a byte of 0");
        table->text[strcspn(table->text, "\r\n")] = '\0';
        if (table->text[strspn(table->text, " \t")] != '\0')
            return cut(table);
    }
}

/* ---- the first line */

static int count_columns(const struct table *table, enum column_kind kind)
{
    int n = 0;
    for (int i = 0; i < table->n_columns; i++)
        n += table->column[i]->kind == kind;
    return n;
}

static int count_events(const struct table *table, enum roof_precision precision)
{
    int n = 0;
    for (int i = 0; i < table->n_columns; i++) {
        const struct column *column = table->column[i];
        n += column->event && column->kind == COLUMN_OPERATIONS && column->precision == precision;
    }
    return n;
}

static char *refuse_column(const struct table *table, const char *field)
{
    if (strstr(field, "inst_executed_op_h") != NULL)
        return fault(table,
                     "an instruction that %s counts does its operation on one number of half precision or on "
                     "two: give the operations, in a column \"half\"",
                     field);
    return fault(
        table,
        "there is no column \"%s\": kernel, launches, bytes, flops, double, single, half, or the "
        "events cuda:::dram__bytes:stat=sum and cuda:::" INSTRUCTIONS("dfma") ":stat=sum and its sisters",
        field);
}

/* Counts of a part of a precision's instructions would make a rate that is too low. */
static char *check_columns(const struct table *table)
{
    static const char letter[] = {[ROOF_SINGLE] = 'f', [ROOF_DOUBLE] = 'd'};
    for (int precision = 0; precision < ROOF_HALF; precision++) {
        int n = count_events(table, precision);
        if (n != 0 && n != EVENTS_OF_A_PRECISION)
            return fault(table,
                         "operations of %s precision are those of the events " INSTRUCTIONS(
                             "%cadd") ", %cmul and %cfma: %d of the three are here",
                         roof_precisions[precision], letter[precision], letter[precision], letter[precision],
                         n);
    }
    if (count_columns(table, COLUMN_KERNEL) == 0 || count_columns(table, COLUMN_BYTES) == 0 ||
        count_columns(table, COLUMN_OPERATIONS) == 0)
        return fault(table, "it has to name the columns, as in \"kernel,double,bytes\": %s is missing",
                     count_columns(table, COLUMN_KERNEL) == 0  ? "kernel"
                     : count_columns(table, COLUMN_BYTES) == 0 ? "bytes"
                                                               : "flops, double, single or half");
    return NULL;
}

static bool same_amount(const struct column *one, const struct column *other)
{
    return one == other || (one->kind == other->kind && one->precision == other->precision &&
                            (one->kind != COLUMN_OPERATIONS || !one->event || !other->event));
}

static char *read_head(struct table *table)
{
    bool more;
    char *why = next_line(table, &more);
    if (why == NULL && !more)
        why = memory_print("%s is empty: its first line names the columns, as in \"kernel,double,bytes\"",
                           table->path);
    for (int i = 0; why == NULL && i < table->n_fields; i++) {
        const struct column *column = find_column(table->field[i]);
        if (column == NULL)
            return refuse_column(table, table->field[i]);
        for (int k = 0; k < i; k++)
            if (same_amount(table->column[k], column))
                return fault(table, "\"%s\" is there already, as \"%s\"", table->field[i], table->field[k]);
        table->column[table->n_columns++] = column;
    }
    return why != NULL ? why : check_columns(table);
}

/* ---- rows */

static char *number_of(const struct table *table, int i, double *out)
{
    const char *text = table->field[i];
    char *end;
    *out = strtod(text, &end);
    bool plain = *text != '\0' && text[strspn(text, "0123456789.+-eE")] == '\0' && *end == '\0';
    if (plain && *out >= 0 && isfinite(*out))
        return NULL;
    return fault(table, "\"%s\" is \"%s\", and not a number from 0", table->column[i]->name, text);
}

static struct kernel_count *find_kernel(const struct kernel_counts *counts, const char *kernel)
{
    for (int i = 0; i < counts->n; i++)
        if (strcmp(counts->row[i].kernel, kernel) == 0)
            return &counts->row[i];
    return NULL;
}

static char *read_row(const struct table *table, struct kernel_count *row)
{
    double launches = 1;
    char *why = NULL;
    const char *kernel = "";
    for (int i = 0; i < table->n_columns && why == NULL; i++) {
        const struct column *column = table->column[i];
        double value = 0;
        if (column->kind == COLUMN_KERNEL)
            kernel = table->field[i];
        else
            why = number_of(table, i, &value);
        if (column->kind == COLUMN_LAUNCHES)
            launches = value;
        if (column->kind == COLUMN_BYTES)
            row->bytes = value;
        if (column->kind == COLUMN_OPERATIONS)
            row->operations[column->precision] += value * column->factor;
    }
    if (why == NULL && launches < 1)
        why = fault(table, "\"launches\" is %g: at least one was counted", launches);
    if (why == NULL && (*kernel == '\0' || find_kernel(table->counts, kernel) != NULL))
        why = fault(table, *kernel == '\0' ? "the kernel has no name%s" : "the kernel %s is there already",
                    kernel);
    for (int i = 0; i < ROOF_PRECISIONS; i++)
        row->operations[i] /= launches;
    row->bytes /= launches;
    row->kernel = why == NULL ? memory_text(kernel) : NULL;
    return why;
}

static char *add_row(struct table *table)
{
    struct kernel_counts *counts = table->counts;
    struct kernel_count row = {.kernel = NULL};
    if (table->n_fields != table->n_columns)
        return fault(table,
                     "there are %d fields for %d columns; a name with a comma stands in quotation marks",
                     table->n_fields, table->n_columns);
    char *why = read_row(table, &row);
    if (why != NULL)
        return why;
    counts->row = memory_more(counts->row, (size_t)counts->n + 1, sizeof *counts->row);
    counts->row[counts->n++] = row;
    return NULL;
}

static char *read_rows(struct table *table)
{
    bool more = true;
    char *why = read_head(table);
    while (why == NULL && (why = next_line(table, &more)) == NULL && more)
        why = add_row(table);
    if (why == NULL && table->counts->n == 0)
        why = memory_print("%s has no kernel below its first line", table->path);
    return why;
}

/* ---- all */

static struct kernel_counts *make(const struct table *table)
{
    bool events = count_events(table, ROOF_DOUBLE) + count_events(table, ROOF_SINGLE) > 0;
    table->counts->source = memory_print(events ? "events of cuda, in %s" : "given in %s", table->path);
    return table->counts;
}

char *kernel_counts_read(const char *path, struct kernel_counts **counts)
{
    const char *unread;
    struct table table = {.path = path, .file = input_open(path, &unread)};
    if (table.file == NULL)
        return memory_print("%s: %s", path, unread);
    table.counts = memory_more(NULL, 1, sizeof *table.counts);
    *table.counts = (struct kernel_counts){.n = 0};
    char *why = read_rows(&table);
    fclose(table.file);
    free(table.text);
    if (why == NULL)
        *counts = make(&table);
    else
        kernel_counts_free(table.counts);
    return why;
}

void kernel_counts_free(struct kernel_counts *counts)
{
    if (counts == NULL)
        return;
    for (int i = 0; i < counts->n; i++)
        free(counts->row[i].kernel);
    free(counts->row);
    free(counts->source);
    free(counts);
}

const char *kernel_counts_source(const struct kernel_counts *counts)
{
    return counts->source;
}

bool kernel_counts_add(struct kernel_counts *counts, struct point *point, int memory)
{
    struct kernel_count *row = find_kernel(counts, point->name);
    if (row == NULL)
        return false;
    row->used = true;
    for (int i = 0; i < ROOF_PRECISIONS; i++)
        point->operations[i] = row->operations[i] * (double)point->entries;
    point->read[memory] = row->bytes * (double)point->entries;
    point->counted = true;
    return true;
}

void kernel_counts_note_rest(const struct kernel_counts *counts, struct points *points)
{
    for (int i = 0; i < counts->n; i++)
        if (!counts->row[i].used)
            points_add_note(points, memory_print("There are counts of %s, which did not run on this device: "
                                                 "names are those that papi_profile shows.",
                                                 counts->row[i].kernel));
}

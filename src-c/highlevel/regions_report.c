/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/reason.h"
#include "base/visible.h"
#include "components/counted/uncounted_share.h"
#include "highlevel/regions.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Columns of a line of the table, its first column, and the others, which fit most numbers. */
enum { LINE = 100, NAME = 28, NUMBER = 18, TIMES = 8 + 12 + 12 };

/* The depth up to which the regions around an entry are searched for one of the same name. */
enum { MOST_DEPTH = 256 };

/* An entry, as it is sorted. */
struct item {
    const struct region_entry *entry;
    const struct region_thread *thread;
    int thread_number;
    bool inside; /* of a region of the same name, whose values have it already */
};

/* A line of the report: all entries of a name. */
struct row {
    const char *name;
    int thread_number, id; /* of its first entry: the order of the lines */
    int threads;
    long long calls;
    bool unfinished;
    long long *value; /* its time is that of the thread that was in it for the longest time */
};

static int count_entries(const struct region_thread *thread)
{
    struct region_place place = {0};
    int n = 0;
    while (regions_next_entry(thread, &place) != NULL)
        n++;
    return n;
}

static bool is_inside_itself(const struct item *first, const struct region_entry *entry)
{
    int parent = entry->parent;
    for (int depth = 0; parent >= 0 && depth < MOST_DEPTH; depth++) {
        if (first[parent].entry->name == entry->name)
            return true;
        parent = first[parent].entry->parent;
    }
    return false;
}

/* Collects the entries of a thread, in the order of their numbers. */
static int collect_thread(struct item *items, int room, const struct region_thread *thread, int number)
{
    struct region_place place = {0};
    const struct region_entry *entry;
    int n = 0;
    for (; n < room && (entry = regions_next_entry(thread, &place)) != NULL; n++)
        items[n] = (struct item){entry, thread, number, is_inside_itself(items, entry)};
    return n;
}

static struct item *collect(const struct regions *regions, int *n)
{
    int room = 0, number = 0;
    struct item *items;
    *n = 0;
    for (struct region_thread *thread = atomic_load(&regions->threads); thread != NULL;
         thread = atomic_load(&thread->next))
        room += count_entries(thread);
    items = calloc((size_t)room + 1, sizeof *items);
    for (struct region_thread *thread = atomic_load(&regions->threads); thread != NULL && items != NULL;
         thread = atomic_load(&thread->next))
        *n += collect_thread(items + *n, room - *n, thread, number++);
    return items;
}

static int by_name(const void *a, const void *b)
{
    const struct item *x = a, *y = b;
    int order = x->entry->name == y->entry->name ? 0 : strcmp(x->entry->name, y->entry->name);
    if (order == 0)
        order = x->thread_number - y->thread_number;
    return order != 0 ? order : x->entry->id - y->entry->id;
}

static int by_start(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    return x->thread_number != y->thread_number ? x->thread_number - y->thread_number : x->id - y->id;
}

static void add_value(long long *to, long long value, bool greatest)
{
    if (*to == NOT_COUNTED || value == NOT_COUNTED)
        *to = NOT_COUNTED; /* a part of a sum is not the sum */
    else if (greatest)
        *to = value > *to ? value : *to;
    else
        *to += value;
}

/* Adds a thread's values to a row. Values of the node are not added up: they did not happen once for each
 * thread. */
static void add_thread(const struct regions *regions, struct row *row, const long long *thread)
{
    for (int j = 0; j < regions_values(regions); j++) {
        const struct region_event *event = j >= VALUE_EVENTS ? &regions->event[j - VALUE_EVENTS] : NULL;

        add_value(&row->value[j], thread[j],
                  event != NULL ? event->instant || event->shared : j == VALUE_NSEC);
    }
    row->threads++;
}

/* Sums the entries of one name to a row. */
static void sum_up(const struct regions *regions, struct row *row, const struct item *items, int n)
{
    int n_values = regions_values(regions);
    long long value[n_values], thread[n_values];
    *row =
        (struct row){items[0].entry->name, items[0].thread_number, items[0].entry->id, .value = row->value};
    memset(thread, 0, sizeof thread);
    for (int i = 0; i < n; i++) {
        const struct region_entry *entry = items[i].entry;

        row->calls += entry->calls + (atomic_load(&entry->state) == ENTRY_OPEN);
        row->unfinished |= !regions_known(items[i].thread, entry, value);
        for (int j = 0; j < n_values && !items[i].inside; j++)
            add_value(&thread[j], value[j], regions_instant(regions, j));
        if (i + 1 < n && items[i + 1].thread == items[i].thread)
            continue;
        add_thread(regions, row, thread);
        memset(thread, 0, sizeof thread);
    }
}

static int sum_rows(const struct regions *regions, struct row *rows, long long *values,
                    const struct item *items, int n)
{
    int n_values = regions_values(regions), n_rows = 0;
    for (int i = 0, next; i < n; i = next) {
        for (next = i + 1; next < n && strcmp(items[next].entry->name, items[i].entry->name) == 0;)
            next++;
        rows[n_rows].value = values + (size_t)n_rows * (size_t)n_values;
        sum_up(regions, &rows[n_rows++], items + i, next - i);
    }
    return n_rows;
}

/* ---- the table */

/* Prints as much of a name as fits its column; UTF-8 is not cut inside of a character, and control characters
 * become blanks. */
static void print_name(FILE *out, const char *name, bool unfinished)
{
    int column = 0;
    for (; *name != '\0' && column < NAME - unfinished; name++) {
        bool starts = (*name & 0xc0) != 0x80;

        column += starts;
        fputc((unsigned char)*name < 0x20 || *name == 0x7f ? ' ' : *name, out);
    }
    while ((*name & 0xc0) == 0x80)
        fputc(*name++, out);
    fprintf(out, "%s%*s", unfinished ? "*" : "", NAME - column - unfinished, "");
}

static bool counted(const struct regions *regions, int i)
{
    return regions->event[i].set >= 0;
}

/* The head of a column, of an event or after them all of a metric; returns how wide it is, 0: there is none.
 */
static int head_of(const struct regions *regions, int i, char head[PAPI_2MAX_STR_LEN])
{
    const struct region_event *event = &regions->event[i];
    bool is_event = i < regions->n_events;
    if (is_event && !counted(regions, i))
        return 0;
    int n = snprintf(head, PAPI_2MAX_STR_LEN, "%s%s", is_event && event->instant ? "max " : "",
                     is_event ? event->name : regions->metrics.pick[i - regions->n_events].row->name);
    return n + 1 > NUMBER ? n + 1 : NUMBER;
}

/* Prints a value, as wide as its column. */
static void print_cell(const struct regions *regions, const struct row *row, int i, int width, FILE *out)
{
    char text[METRIC_TEXT];
    int metric = i - regions->n_events;
    bool known = metric < 0 ? row->value[VALUE_EVENTS + i] != NOT_COUNTED
                            : regions_metric(regions, row->value, metric, text);
    if (metric < 0)
        snprintf(text, sizeof text, "%lld", row->value[VALUE_EVENTS + i]);
    fprintf(out, "%*s", width, known ? text : "-");
}

/* The columns from the first on that fit into a line, times and events, or metrics; returns the one after
 * them. */
static int print_block(const struct regions *regions, const struct row *rows, int n, int first, FILE *out)
{
    char head[PAPI_2MAX_STR_LEN];
    bool times = first == 0 || first < regions->n_events;
    int column = NAME + (times ? TIMES : 0), last = first;
    for (int columns = 0, width; last<regions->n_events + regions->metrics.n; last++, columns += width> 0) {
        width = head_of(regions, last, head);
        column += width;
        if (width > 0 && columns > 0 && (column > LINE || last == regions->n_events))
            break;
    }
    fprintf(out, "\n%-*s", NAME, "region");
    if (times)
        fprintf(out, "%8s%12s%12s", "threads", "calls", "time (s)");
    for (int i = first; i < last; i++)
        if (head_of(regions, i, head) > 0)
            fprintf(out, "%*s", head_of(regions, i, head), head);
    fputc('\n', out);
    for (int r = 0; r < n; r++) {
        print_name(out, rows[r].name, rows[r].unfinished);
        if (times)
            fprintf(out, "%8d%12lld%12.6f", rows[r].threads, rows[r].calls,
                    (double)rows[r].value[VALUE_NSEC] * 1e-9);
        for (int i = first; i < last; i++)
            if (head_of(regions, i, head) > 0)
                print_cell(regions, &rows[r], i, head_of(regions, i, head), out);
        fputc('\n', out);
    }
    return last;
}

/* Prints the units and scopes of events that need it. */
static void print_units(const struct regions *regions, FILE *out)
{
    for (int i = 0; i < regions->n_events; i++) {
        const struct region_event *event = &regions->event[i];
        const char *unit = event->unit != NULL ? event->unit : "";

        if (counted(regions, i) && (event->unit != NULL || event->shared))
            fprintf(out, "%s: %s%s%s\n", event->name, unit,
                    !event->shared        ? ""
                    : event->unit != NULL ? ", of the whole "
                                          : "of the whole ",
                    event->shared ? regions_scope(event) : "");
    }
}

/* Prints a metric's unit, its formula if that is wanted, and why it has no value in some regions. */
static void print_metric_notes(const struct regions *regions, const struct row *rows, int n, int metric,
                               struct advice_said *said, FILE *out)
{
    char text[METRIC_TEXT], before[METRIC_TEXT] = "";
    const struct metrics_pick *pick = &regions->metrics.pick[metric];
    const struct metrics_row *row = pick->row;
    fprintf(out, "%s: %s, %s", row->name, row->unit, row->description);
    fprintf(out, regions->settings.formulas ? ": %s\n" : "\n", row->formula);
    if (pick->why.code != PAPI_OK)
        fprintf(out, "    -: %.*s\n", advice_length(pick->why.text, said), pick->why.text);
    for (int r = 0; r < n && pick->why.code == PAPI_OK; r++)
        if (!regions_metric(regions, rows[r].value, metric, text) && strcmp(text, before) != 0) {
            visible_print(out, "    - in %s: %s", rows[r].name, strcpy(before, text));
            fputc('\n', out);
        }
}

static void print_table(struct regions *regions, const struct row *rows, int n, FILE *out)
{
    struct advice_said said = {0};
    bool unfinished = false;
    int next = 0;
    fprintf(out, "\nPAPI regions%s%s: events of all threads together, time of the thread that took longest\n",
            regions->file != NULL ? " of " : "", regions->file != NULL ? regions->file : "");
    do
        next = print_block(regions, rows, n, next, out);
    while (next < regions->n_events + regions->metrics.n);
    for (int r = 0; r < n; r++)
        unfinished |= rows[r].unfinished;
    if (unfinished)
        fputs("* not ended, or not counted to the end\n", out);
    print_units(regions, out);
    for (int i = 0; i < regions->metrics.n; i++)
        print_metric_notes(regions, rows, n, i, &said, out);
    if (regions->doubt != NULL)
        fprintf(out, "in doubt: %s\n", regions->doubt);
    for (int i = 0; i < regions->n_events; i++)
        if (regions->event[i].reason != NULL)
            fprintf(out, "%s is not counted: %.*s\n", regions->event[i].name,
                    advice_length(regions->event[i].reason, &said), regions->event[i].reason);
    regions_share_print(regions, out);
}

/* gfortran's runtime keeps what the program wrote until its own end, which may come later. Only where the
 * program has that runtime. */
extern void _gfortran_flush_i4(const int *unit) __attribute__((weak));

static void flush_program_output(void)
{
    if (_gfortran_flush_i4 != NULL)
        _gfortran_flush_i4(NULL); /* all units */
    fflush(stdout);
}

/* Prints the report in one piece: several ranks may print at the same time. */
static void print(struct regions *regions, struct row *rows, int n)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL)
        return;
    qsort(rows, (size_t)n, sizeof *rows, by_start);
    print_table(regions, rows, n, out);
    if (fclose(out) == 0) {
        flush_program_output();
        fwrite(text, 1, size, stdout);
        fflush(stdout);
    }
    free(text);
}

/* Makes the rows of the report, sorted by name, to be freed. NULL: no memory. */
static struct row *make_rows(const struct regions *regions, int *n)
{
    int n_items, names = 0;
    size_t size = sizeof(struct row) + (size_t)regions_values(regions) * sizeof(long long);
    struct item *items = collect(regions, &n_items);
    if (items != NULL)
        qsort(items, (size_t)n_items, sizeof *items, by_name);
    for (int i = 0; i < n_items; i++)
        names += i == 0 || strcmp(items[i].entry->name, items[i - 1].entry->name) != 0;
    struct row *rows = items != NULL ? calloc((size_t)names + 1, size) : NULL;
    *n = rows != NULL ? sum_rows(regions, rows, (long long *)(rows + names), items, n_items) : 0;
    free(items);
    return rows;
}

void regions_report(struct regions *regions)
{
    int n;
    struct row *rows = make_rows(regions, &n);
    if (rows != NULL)
        print(regions, rows, n);
    free(rows);
}

int regions_sum(const struct regions *regions, const char *name, long long *value, struct reason *why)
{
    int n, i = 0;
    struct row *rows = make_rows(regions, &n);
    if (rows == NULL)
        return reason_set(why, PAPI_ENOMEM, "out of memory");
    while (i < n && strcmp(rows[i].name, name) != 0)
        i++;
    if (i < n)
        memcpy(value, rows[i].value, (size_t)regions_values(regions) * sizeof *value);
    free(rows);
    return i < n ? PAPI_OK : reason_set(why, PAPI_EINVAL, "no region \"%.200s\" was begun", name);
}

/* ---- code that does not count itself */

/* A counted program counts the code that papi_counted has built. Beside its report stands how much of the
 * processor's time was in other code, and where: of the threads that have regions, from their first region
 * on. A timer of each thread's processor time interrupts it now and then. */

/* Threads with a timer, of which the kernel gives each user so many; libraries of the report and routines of
 * each; and what is too little to be named, in percent. */
enum { MOST_TIMED = 256, MOST_LIBRARIES = 5, MOST_ROUTINES = 3, FEW = 100, TOO_FEW = 10 };
static const double little = 0.5;

static bool counts_itself(const struct regions *regions)
{
    for (int i = 0; i < regions->n_events; i++)
        if (regions->event[i].set >= 0 && strcmp(regions->event[i].component, "counted") == 0)
            return true;
    return false;
}

static bool has_sampler(struct regions *regions)
{
    if (regions->sampler == NULL && regions->n_timed == 0) {
        regions->sampler = sampler_make();
        if (regions->sampler == NULL) {
            regions->n_timed = -1;
            regions->no_sampler = errno;
        }
    }
    return regions->sampler != NULL && regions->n_timed >= 0 && regions->n_timed < MOST_TIMED;
}

void regions_share_begin(struct region_thread *thread)
{
    struct regions *regions = thread->regions;
    if (thread->timed || !regions->settings.report || !regions->settings.share || !counts_itself(regions))
        return;
    regions_lock(regions);
    if (has_sampler(regions) && sampler_thread(regions->sampler, &thread->timer)) {
        thread->timed = true;
        regions->n_timed++;
    }
    regions_unlock(regions);
}

static void end_timers(const struct regions *regions)
{
    for (struct region_thread *thread = atomic_load(&regions->threads); thread != NULL;
         thread = atomic_load(&thread->next))
        if (thread->timed) {
            sampler_end_timer(thread->timer);
            thread->timed = false;
        }
}

static double percent(unsigned part, const struct sampler_result *result)
{
    return 100.0 * part / result->samples;
}

/* Prints the rows of one library, from the first on. Returns the row after them. */
static size_t print_library(const struct sampler_result *result, size_t first, FILE *out)
{
    const struct sampler_row *row = &result->row[first];
    size_t i = first;
    visible_print(out, "  %5.1f %%  %s", percent(row->of_library, result), row->library);
    for (; i < result->n && strcmp(result->row[i].library, row->library) == 0; i++) {
        double part = percent(result->row[i].samples, result);
        const char *routine = result->row[i].routine;
        if (i - first < MOST_ROUTINES && part >= little)
            visible_print(out, "%s %s %.1f %%", i == first ? ":" : ",",
                          routine != NULL ? routine : "(no name)", part);
    }
    fputc('\n', out);
    return i;
}

static void print_others(const struct sampler_result *result, FILE *out)
{
    bool algebra = false;
    size_t libraries = 0;
    for (size_t i = 0; i < result->n && libraries < MOST_LIBRARIES; libraries++) {
        if (percent(result->row[i].of_library, result) < little)
            break;
        algebra |= counted_linear_algebra(result->row[i].library);
        i = print_library(result, i, out);
    }
    if (result->samples < TOO_FEW)
        return;
    fprintf(out,
            "To have that counted: build it with papi_counted, too%s, or run the program once under "
            "papi_emulate.\n",
            algebra ? " (BLAS and LAPACK: link with counted ones)" : "");
}

static void print_result(const struct sampler_result *result, FILE *out)
{
    fprintf(
        out,
        "\nCounted builds: %.1f %% of the processor time, by %u samples%s, was in code that counts itself\n",
        result->samples > 0 ? percent(result->counted, result) : 0.0, result->samples,
        result->samples < FEW ? ", which are few" : "");
    if (result->lost > 0)
        fprintf(out, "  %u more samples found no room\n", result->lost);
    if (result->replaced)
        fputs("  the program has taken SIGPROF for itself: there are too few samples\n", out);
    if (result->samples > result->counted)
        print_others(result, out);
}

void regions_share_print(struct regions *regions, FILE *out)
{
    struct sampler_result result;
    end_timers(regions);
    if (regions->n_timed > 0 && sampler_look(regions->sampler, &result))
        print_result(&result, out);
    else if (regions->n_timed < 0)
        fprintf(out, "\nCounted builds: the share of the code that counts itself is not known: %s\n",
                regions->no_sampler == EBUSY ? "the program uses SIGPROF" : strerror(regions->no_sampler));
}

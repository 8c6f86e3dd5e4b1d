/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Table of the lines of the caches that threads share, by samples: who accesses which bytes of them. A load
 * that found its line in another core's cache waited because another thread had it. If a thread wrote some of
 * the same bytes, that is how threads speak to each other (true sharing); if others wrote other bytes of the
 * line alone, the wait was for nothing (false sharing). Where the bytes of an instruction are not known, but
 * only the first of them, it is told apart only where the first ones are the same.
 */
#include "base/visible.h"
#include "data_table.h"
#include "tools/common/allocate.h"

#include <math.h>
#include <stdlib.h>

enum { FEW = 10, USES_SHOWN = 8 };

enum sharing_kind { SHARING_TRUE, SHARING_FALSE, SHARING_UNKNOWN, SHARING_KINDS };
enum { SHARING_BOTH = SHARING_KINDS, SHARING_WORDS };
static const char *const kind_keys[SHARING_WORDS] = {"true", "false", "unknown", "both"};

struct line_sums {
    int line, first, n; /* its uses are order[first..first+n) */
    int threads;
    uint64_t loads, stores, moved[SHARING_KINDS];
    double wait, squares; /* of the loads that found it in another core's cache */
};

struct table {
    struct report *report;
    const struct profile *profile;
    struct sources *sources;
    int *order; /* uses, those of a line together, by their bytes and threads */
    struct line_sums *line;
    int n_lines;
    double wait, squares; /* of all loads, shared or not */
    uint64_t loads;
};

static const struct line_use *use_at(const struct table *table, int i)
{
    return index_key(&table->profile->line_uses, table->order[i]);
}

static const struct line_use_counts *counts_at(const struct table *table, int i)
{
    return &table->profile->line_use_counts[table->order[i]];
}

static int compare_uses(const void *a, const void *b, void *context)
{
    const struct profile *profile = context;
    int one = *(const int *)a, other = *(const int *)b;
    const struct line_use *x = index_key(&profile->line_uses, one),
                          *y = index_key(&profile->line_uses, other);
    int x_keys[] = {x->line, x->offset, x->thread, x->width, x->datum, x->place},
        y_keys[] = {y->line, y->offset, y->thread, y->width, y->datum, y->place};
    for (size_t i = 0; i < sizeof x_keys / sizeof x_keys[0]; i++)
        if (x_keys[i] != y_keys[i])
            return x_keys[i] < y_keys[i] ? -1 : 1;
    return one - other;
}

/* ---- what kind of sharing */

/* Tells what a load has to do with a store by another thread. */
static enum sharing_kind kind_of_pair(const struct line_use *load, const struct line_use *store)
{
    if (load->offset == store->offset)
        return SHARING_TRUE;
    const struct line_use *first = load->offset < store->offset ? load : store,
                          *second = first == load ? store : load;
    if (first->width == 0)
        return SHARING_UNKNOWN;
    return first->offset + first->width > second->offset ? SHARING_TRUE : SHARING_FALSE;
}

/* The bytes of a load may be written by several threads: by one of them is enough for true sharing. */
static enum sharing_kind kind_of_load(const struct table *table, const struct line_sums *sums, int load)
{
    const struct line_use *own = use_at(table, load);
    bool other = false, unknown = false;
    for (int i = sums->first; i < sums->first + sums->n; i++) {
        const struct line_use *store = use_at(table, i);
        if (!store->store || store->thread == own->thread)
            continue;
        enum sharing_kind kind = kind_of_pair(own, store);
        if (kind == SHARING_TRUE)
            return kind;
        unknown |= kind == SHARING_UNKNOWN;
        other = true;
    }
    return other && !unknown ? SHARING_FALSE : SHARING_UNKNOWN;
}

static uint64_t all_moved(const struct line_sums *sums)
{
    return profile_sum(profile_sum(sums->moved[SHARING_TRUE], sums->moved[SHARING_FALSE]),
                       sums->moved[SHARING_UNKNOWN]);
}

/* The kind that nine in ten of a line's loads have, else both. */
static int kind_of_line(const struct line_sums *sums)
{
    double all = (double)all_moved(sums);
    for (int kind = 0; kind < SHARING_KINDS; kind++)
        if ((double)sums->moved[kind] >= 0.9 * all)
            return kind;
    return (double)sums->moved[SHARING_UNKNOWN] > 0.1 * all ? (int)SHARING_UNKNOWN : (int)SHARING_BOTH;
}

/* ---- sums */

static int compare_threads(const void *a, const void *b)
{
    return *(const int *)a < *(const int *)b ? -1 : *(const int *)a > *(const int *)b;
}

static int count_threads(const struct table *table, const struct line_sums *sums)
{
    int *thread = memory_more(NULL, (size_t)sums->n + 1, sizeof *thread), n = 0;
    for (int i = 0; i < sums->n; i++)
        thread[i] = use_at(table, sums->first + i)->thread;
    qsort(thread, (size_t)sums->n, sizeof *thread, compare_threads);
    for (int i = 0; i < sums->n; i++)
        n += i == 0 || thread[i] != thread[i - 1];
    free(thread);
    return n;
}

static void sum_line(const struct table *table, struct line_sums *sums)
{
    for (int i = sums->first; i < sums->first + sums->n; i++) {
        const struct line_use *use = use_at(table, i);
        const struct line_use_counts *counts = counts_at(table, i);
        uint64_t *which = use->store ? &sums->stores : &sums->loads;
        *which = profile_sum(*which, counts->samples);
        if (!use->moved || use->store)
            continue;
        uint64_t *moved = &sums->moved[kind_of_load(table, sums, i)];
        *moved = profile_sum(*moved, counts->samples);
        sums->wait += (double)counts->wait;
        sums->squares += counts->squares;
    }
    sums->threads = count_threads(table, sums);
}

static int by_wait(const void *a, const void *b)
{
    const struct line_sums *one = a, *other = b;
    if (one->wait != other->wait)
        return one->wait > other->wait ? -1 : 1;
    uint64_t first = all_moved(one), second = all_moved(other);
    return first != second ? first > second ? -1 : 1 : one->line - other->line;
}

static void sum_all(struct table *table)
{
    const struct profile *profile = table->profile;
    int n = profile->line_uses.n, end;
    table->order = memory_more(NULL, (size_t)n + 1, sizeof *table->order);
    for (int i = 0; i < n; i++)
        table->order[i] = i;
    qsort_r(table->order, (size_t)n, sizeof *table->order, compare_uses, (void *)profile);
    table->line = memory_more(NULL, (size_t)n + 1, sizeof *table->line);
    for (int from = 0; from < n; from = end) {
        for (end = from; end < n && use_at(table, end)->line == use_at(table, from)->line;)
            end++;
        struct line_sums *sums = &table->line[table->n_lines++];
        *sums = (struct line_sums){.line = use_at(table, from)->line, .first = from, .n = end - from};
        sum_line(table, sums);
    }
    qsort(table->line, (size_t)table->n_lines, sizeof *table->line, by_wait);
    sampled_data_waits(profile, &table->wait, &table->squares, &table->loads);
}

/* ---- shares */

static double share(const struct table *table, const struct line_sums *sums)
{
    return table->wait > 0    ? fmin(1, sums->wait / table->wait)
           : table->loads > 0 ? fmin(1, (double)all_moved(sums) / (double)table->loads)
                              : 0;
}

/* By how much the share may be off in 19 of 20 runs: as in the table of data. */
static double error_of(const struct table *table, const struct line_sums *sums)
{
    double p = share(table, sums);
    if (table->wait > 0)
        return sampled_share_error(p, sums->squares, table->squares, table->wait);
    return table->loads > 0 ? 1.96 * sqrt(p * (1 - p) / (double)table->loads) : 0;
}

/* ---- for programs */

static void list_use(const struct table *table, int i)
{
    const struct line_use *use = use_at(table, i);
    const struct line_use_counts *counts = counts_at(table, i);
    struct report *report = table->report;
    const struct datum *datum = index_key(&table->profile->data, use->datum);
    char *name = datum_text(table->profile, table->sources, datum);
    report_object(report, NULL);
    report_number(report, NULL, "thread", use->thread);
    report_number(report, NULL, "offset", use->offset);
    report_number(report, NULL, "bytes", use->width > 0 ? use->width : REPORT_UNKNOWN);
    report_string(report, NULL, "data", name);
    report_number(report, NULL, "within", use->within >= 0 ? use->within : REPORT_UNKNOWN);
    report_flag(report, NULL, "store", use->store != 0);
    report_flag(report, NULL, "moved", use->moved != 0);
    report_number(report, NULL, "samples", (long long)counts->samples);
    report_number(report, NULL, "wait", (long long)counts->wait);
    place_list(report, table->profile, use->place);
    report_end(report);
    free(name);
}

static void list_line(const struct table *table, const struct line_sums *sums)
{
    const struct shared_line *line = index_key(&table->profile->lines, sums->line);
    struct report *report = table->report;
    report_object(report, NULL);
    report_number(report, NULL, "address", (long long)line->address);
    report_number(report, NULL, "pid", table->profile->process[line->process].pid);
    report_string(report, NULL, "sharing", kind_keys[kind_of_line(sums)]);
    report_exact(report, NULL, "share", share(table, sums));
    report_exact(report, NULL, "share_error", error_of(table, sums));
    report_number(report, NULL, "threads", sums->threads);
    report_number(report, NULL, "loads", (long long)sums->loads);
    report_number(report, NULL, "stores", (long long)sums->stores);
    report_object(report, "moved");
    for (int kind = 0; kind < SHARING_KINDS; kind++)
        report_number(report, NULL, kind_keys[kind], (long long)sums->moved[kind]);
    report_end(report);
    report_list(report, "uses");
    for (int i = sums->first; i < sums->first + sums->n; i++)
        list_use(table, i);
    report_end(report);
    report_end(report);
}

/* ---- for people */

/* A row of what a thread does to the same bytes at one place. */
struct use_row {
    int first, n; /* uses */
    uint64_t loads, moved, stores;
};

static struct use_row next_row(const struct table *table, const struct line_sums *sums, int from)
{
    struct use_row row = {.first = from};
    const struct line_use *first = use_at(table, from);
    for (int i = from; i < sums->first + sums->n; i++, row.n++) {
        const struct line_use *use = use_at(table, i);
        if (use->offset != first->offset || use->thread != first->thread || use->width != first->width ||
            use->datum != first->datum || use->place != first->place)
            break;
        uint64_t n = counts_at(table, i)->samples, *which = use->store ? &row.stores : &row.loads;
        *which = profile_sum(*which, n);
        if (use->moved && !use->store)
            row.moved = profile_sum(row.moved, n);
    }
    return row;
}

/* "grid::a + 16": how far behind the beginning of the datum the bytes are. */
static char *data_text(const struct table *table, const struct line_use *use)
{
    char *name = datum_text(table->profile, table->sources, index_key(&table->profile->data, use->datum));
    if (use->within <= 0)
        return name;
    char *text = memory_print("%s + %lld", name, (long long)use->within);
    free(name);
    return text;
}

static void print_use(const struct table *table, const struct use_row *row)
{
    const struct line_use *use = use_at(table, row->first);
    char *what = data_text(table, use), *where = place_text(table->profile, use->place), bytes[32],
         clean[512];
    char *text = memory_print("%s: %s", where, what);
    if (use->width > 0)
        snprintf(bytes, sizeof bytes, "%d-%d", use->offset, use->offset + use->width - 1);
    else
        snprintf(bytes, sizeof bytes, "%d-?", use->offset);
    visible(clean, sizeof clean, text);
    report_line(table->report, NULL, "%9d %6s %11llu %8llu %8llu  %s", use->thread, bytes,
                (unsigned long long)row->moved, (unsigned long long)row->loads,
                (unsigned long long)row->stores, clean);
    free(text);
    free(what);
    free(where);
}

static void print_uses(const struct table *table, const struct line_sums *sums)
{
    int left = 0, shown = 0;
    for (int at = sums->first; at < sums->first + sums->n;) {
        struct use_row row = next_row(table, sums, at);
        at += row.n;
        if (shown++ < USES_SHOWN)
            print_use(table, &row);
        else
            left++;
    }
    if (left > 0)
        report_line(table->report, NULL, "%9s and %d more, which --json has", "", left);
}

static void print_line(const struct table *table, const struct line_sums *sums)
{
    const struct shared_line *line = index_key(&table->profile->lines, sums->line);
    struct report *report = table->report;
    report_part(report, "%7.1f %%", 100 * share(table, sums));
    if (all_moved(sums) < FEW)
        report_part(report, " %6s", "few");
    else
        report_part(report, " %6.1f", 100 * error_of(table, sums));
    report_part(report, " %11llu %8llu %8llu %8s %8d  0x%llx", (unsigned long long)all_moved(sums),
                (unsigned long long)sums->loads, (unsigned long long)sums->stores,
                kind_keys[kind_of_line(sums)], sums->threads, (unsigned long long)line->address);
    if (table->profile->n_processes > 1)
        report_part(report, " of %ld", table->profile->process[line->process].pid);
    report_blank(report);
    print_uses(table, sums);
}

/* Says what to do about the line that costs most, if chance is no explanation of it. */
static void say_worst(const struct table *table)
{
    const struct line_sums *worst = &table->line[0];
    if (all_moved(worst) < FEW || share(table, worst) - error_of(table, worst) < 0.05 ||
        kind_of_line(worst) != SHARING_FALSE)
        return;
    char *name = data_text(table, use_at(table, worst->first)), clean[1024];
    visible(clean, sizeof clean, name);
    report_blank(table->report);
    report_say(
        table->report,
        "%s: %d threads wait for each other's writes to a line of which they use different bytes; what "
        "each of them writes, %d bytes apart, takes that away",
        clean, worst->threads, table->profile->line_bytes);
    free(name);
}

static void print_all(const struct table *table, int most)
{
    struct report *report = table->report;
    report_blank(report);
    report_line(report, NULL, "%9s %6s %11s %8s %8s  sharing  threads  line of %d bytes",
                table->wait > 0 ? "waiting" : "loads", "+-", "other core", "loads", "stores",
                table->profile->line_bytes);
    report_line(report, NULL, "%9s %6s", "thread", "bytes");
    for (int i = 0; i < table->n_lines && i < most; i++)
        if (share(table, &table->line[i]) >= 0.005)
            print_line(table, &table->line[i]);
    say_worst(table);
}

void lines_print(struct report *report, const struct profile *profile, struct sources *sources, int most)
{
    struct table table = {.report = report, .profile = profile, .sources = sources};
    if (profile->line_uses.n == 0)
        return;
    sum_all(&table);
    report_number(report, NULL, "line_bytes", profile->line_bytes);
    report_list(report, "shared_lines");
    for (int i = 0; i < table.n_lines; i++)
        list_line(&table, &table.line[i]);
    report_end(report);
    print_all(&table, most);
    free(table.order);
    free(table.line);
}

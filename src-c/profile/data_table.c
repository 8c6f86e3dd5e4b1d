/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Table of the data that causes misses of caches, and a sentence on the place where most of them are.
 */
#include "data_table.h"
#include "base/visible.h"
#include "tools/common/allocate.h"

#include <stdlib.h>
#include <string.h>

struct table {
    struct report *report;
    const struct profile *profile;
    struct sources *sources;
    struct datum_use_counts *of; /* of each datum, all its uses */
    struct datum_use_counts all;
};

/* Cycles that a miss of each level takes beside those of the level before, on usual processors: by these,
 * misses of several levels are put in one order. */
static const double cycles[DATA_LEVELS] = {10, 30, 150};

static const char *const level_names[DATA_LEVELS] = {"L1", "L2", "L3"};

/* ---- sums */

static void add_counts(struct datum_use_counts *sum, const struct datum_use_counts *counts)
{
    sum->accesses = profile_sum(sum->accesses, counts->accesses);
    sum->fetched = profile_sum(sum->fetched, counts->fetched);
    sum->used = profile_sum(sum->used, counts->used);
    for (int level = 0; level < DATA_LEVELS; level++)
        sum->miss[level] = profile_sum(sum->miss[level], counts->miss[level]);
}

static void sum_up(struct table *table)
{
    const struct profile *profile = table->profile;
    size_t n = (size_t)profile->data.n;
    table->of = memory_more(NULL, n + 1, sizeof *table->of);
    memset(table->of, 0, (n + 1) * sizeof *table->of);
    for (int i = 0; i < profile->data_uses.n; i++) {
        const struct datum_use *use = index_key(&profile->data_uses, i);
        add_counts(&table->of[use->datum], &profile->data_use_counts[i]);
        add_counts(&table->all, &profile->data_use_counts[i]);
    }
}

static double cost(const struct datum_use_counts *counts)
{
    double sum = 0;
    for (int level = 0; level < DATA_LEVELS; level++)
        sum += cycles[level] * (double)counts->miss[level];
    return sum;
}

/* The level whose misses cost most. */
static int costly_level(const struct datum_use_counts *counts)
{
    int most = 0;
    for (int level = 1; level < DATA_LEVELS; level++)
        if (cycles[level] * (double)counts->miss[level] > cycles[most] * (double)counts->miss[most])
            most = level;
    return most;
}

static int by_cost(const void *a, const void *b, void *context)
{
    const struct table *table = context;
    int one = *(const int *)a, other = *(const int *)b;
    double first = cost(&table->of[one]), second = cost(&table->of[other]);
    return first != second ? first > second ? -1 : 1 : one - other;
}

/* The data in the order of what their misses cost. The caller frees the list. */
static int *order_data(struct table *table)
{
    int n = table->profile->data.n, *order = memory_more(NULL, (size_t)n + 1, sizeof *order);
    for (int i = 0; i < n; i++)
        order[i] = i;
    qsort_r(order, (size_t)n, sizeof *order, by_cost, table);
    return order;
}

static double percent(uint64_t part, uint64_t whole)
{
    return whole > 0 ? 100.0 * (double)part / (double)whole : 0;
}

/* ---- names */

char *place_text(const struct profile *profile, int number)
{
    const struct place *place = profile_place_at(profile, number);
    if (place->line > 0 && place->file >= 0)
        return memory_print("%s:%d", path_base(profile_text(profile, place->file)), place->line);
    return memory_text(profile_text(profile, profile_routine_at(profile, place->routine)->name));
}

void place_list(struct report *report, const struct profile *profile, int number)
{
    const struct place *place = profile_place_at(profile, number);
    report_string(report, NULL, "routine",
                  profile_text(profile, profile_routine_at(profile, place->routine)->name));
    report_string(report, NULL, "file", place->file >= 0 ? profile_text(profile, place->file) : NULL);
    report_number(report, NULL, "line", place->line > 0 ? place->line : REPORT_UNKNOWN);
}

const char *const datum_kinds[DATUM_KINDS] = {"other", "variable", "allocated", "stack", "unseen"};

char *datum_text(const struct profile *profile, struct sources *sources, const struct datum *datum)
{
    if (datum->kind == DATUM_VARIABLE)
        return memory_text(profile_text(profile, datum->name));
    if (datum->kind != DATUM_ALLOCATED || datum->place == PROFILE_NONE)
        return memory_text(datum->kind == DATUM_STACK ? "(stacks)"
                           : datum->kind == DATUM_UNSEEN
                               ? "(the stack and all allocations, which were not seen)"
                               : "(memory that is not told apart)");
    const struct place *place = profile_place_at(profile, datum->place);
    const char *line = sources_line(sources, place->file, place->line);
    char *where = place_text(profile, datum->place);
    char *text = memory_print("allocated at %s%s%s", where, line != NULL ? ": " : "",
                              line != NULL ? line + strspn(line, " \t") : "");
    free(where);
    return text;
}

/* ---- rows */

static void list_misses(struct report *report, const struct datum_use_counts *counts)
{
    report_number(report, NULL, "accesses", (long long)counts->accesses);
    report_number(report, NULL, "fetched", (long long)counts->fetched);
    report_number(report, NULL, "used", (long long)counts->used);
    report_list(report, "misses");
    for (int level = 0; level < DATA_LEVELS; level++)
        report_number(report, NULL, NULL, (long long)counts->miss[level]);
    report_end(report);
}

static void list_uses(const struct table *table, int datum)
{
    const struct profile *profile = table->profile;
    struct report *report = table->report;
    report_list(report, "places");
    for (int i = 0; i < profile->data_uses.n; i++) {
        const struct datum_use *use = index_key(&profile->data_uses, i);
        const struct datum_use_counts *counts = &profile->data_use_counts[i];
        if (use->datum != datum)
            continue;
        report_object(report, NULL);
        place_list(report, profile, use->place);
        list_misses(report, counts);
        report_number(report, NULL, "stride", counts->stride);
        report_number(report, NULL, "equal", (long long)counts->equal);
        report_number(report, NULL, "moves", (long long)counts->moves);
        report_end(report);
    }
    report_end(report);
}

static void list_datum(const struct table *table, int number, const char *name)
{
    const struct datum *datum = index_key(&table->profile->data, number);
    const struct datum_counts *counts = &table->profile->datum_counts[number];
    struct report *report = table->report;
    report_object(report, NULL);
    report_string(report, NULL, "name", name);
    report_string(report, NULL, "kind", datum_kinds[datum->kind]);
    report_number(report, NULL, "bytes", (long long)counts->size);
    report_number(report, NULL, "allocations", (long long)counts->times);
    list_misses(report, &table->of[number]);
    list_uses(table, number);
    report_end(report);
}

static void print_datum(const struct table *table, int number, const char *name)
{
    const struct datum_use_counts *counts = &table->of[number];
    struct report *report = table->report;
    char clean[512];
    for (int level = 0; level < DATA_LEVELS; level++)
        if (table->all.miss[level] > 0)
            report_part(report, "%8.2f %%", percent(counts->miss[level], table->all.miss[level]));
    if (counts->fetched > 0)
        report_part(report, "%8.1f %%  ", percent(counts->used, counts->fetched));
    else
        report_part(report, "%10s  ", "-");
    visible(clean, sizeof clean, name);
    report_line(report, NULL, "%s", clean);
}

/* ---- a sentence */

/* The use of data whose misses cost most; -1: none has any. */
static int worst_use(const struct table *table)
{
    const struct profile *profile = table->profile;
    int worst = -1;
    double most = 0;
    for (int i = 0; i < profile->data_uses.n; i++) {
        const struct datum_use *use = index_key(&profile->data_uses, i);
        const struct datum *datum = index_key(&profile->data, use->datum);
        double here = cost(&profile->data_use_counts[i]);
        if ((datum->kind == DATUM_VARIABLE || datum->kind == DATUM_ALLOCATED) && here > most) {
            most = here;
            worst = i;
        }
    }
    return worst;
}

/* Says where the misses are that cost most, unless that is little. A stride is said where more than half of
 * the accesses have it. */
static void say_worst(const struct table *table)
{
    const struct profile *profile = table->profile;
    int number = worst_use(table);
    if (number < 0 || cost(&profile->data_use_counts[number]) < 0.05 * cost(&table->all))
        return;
    const struct datum_use *use = index_key(&profile->data_uses, number);
    const struct datum_use_counts *counts = &profile->data_use_counts[number];
    int level = costly_level(counts);
    char *name = datum_text(profile, table->sources, index_key(&profile->data, use->datum)),
         *where = place_text(profile, use->place), clean[2048];
    char *text =
        memory_print("%s: %.0f %% of the %s misses are at %s", name,
                     percent(counts->miss[level], table->all.miss[level]), level_names[level], where);
    visible(clean, sizeof clean, text);
    report_blank(table->report);
    if (counts->equal > counts->moves / 2)
        report_say(table->report, "%s; stride %lld %s; %.0f %% of each line that is fetched there is used",
                   clean, (long long)counts->stride, llabs(counts->stride) == 1 ? "byte" : "bytes",
                   percent(counts->used, counts->fetched));
    else
        report_say(table->report,
                   "%s, at no regular distance; %.0f %% of each line that is fetched there is used", clean,
                   percent(counts->used, counts->fetched));
    free(name);
    free(where);
    free(text);
}

void unseen_say(struct report *report)
{
    report_blank(report);
    report_say(
        report,
        "no allocation was seen: a program that is linked with -static, or has a malloc of its own, does "
        "not show them; linked without -static, it has a row for each");
}

/* Says why allocations have no rows, where somebody might miss them. */
static void say_unseen(const struct table *table)
{
    const struct datum unseen = {DATUM_UNSEEN, PROFILE_NONE, PROFILE_NONE, PROFILE_NONE};
    int number = index_find(&table->profile->data, &unseen, sizeof unseen);
    if (number >= 0 && table->of[number].accesses > 0)
        unseen_say(table->report);
}

/* ---- all */

static void print_head(const struct table *table)
{
    report_blank(table->report);
    for (int level = 0; level < DATA_LEVELS; level++)
        if (table->all.miss[level] > 0)
            report_part(table->report, " %s misses", level_names[level]);
    report_line(table->report, NULL, "%10s  data", "used");
}

void data_print(struct report *report, const struct profile *profile, struct sources *sources, int most)
{
    struct table table = {.report = report, .profile = profile, .sources = sources};
    if (profile->data_uses.n == 0)
        return;
    sum_up(&table);
    int *order = order_data(&table);
    report_list(report, "data");
    print_head(&table);
    for (int i = 0; i < profile->data.n && table.of[order[i]].accesses > 0; i++) {
        char *name = datum_text(profile, sources, index_key(&profile->data, order[i]));
        list_datum(&table, order[i], name);
        if (i < most && cost(&table.of[order[i]]) >= 0.005 * cost(&table.all))
            print_datum(&table, order[i], name);
        free(name);
    }
    report_end(report);
    say_worst(&table);
    say_unseen(&table);
    free(order);
    free(table.of);
}

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Table of data by what its sampled loads waited. A load that waits long is not sampled more often than one
 * that does not, so that the sum of the latencies of samples is in proportion to that of all loads, and a
 * datum's share of it to its share of the waiting. The share is off by chance: the error that is given holds
 * in 19 of 20 runs, by the spread of the latencies themselves. Of a few samples nothing is said but how many
 * they are.
 */
#include "base/visible.h"
#include "data_table.h"
#include "memory_samples.h"
#include "tools/common/allocate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    FEW = 10,         /* loads, of which no latency is given */
    FEW_IN_ALL = 100, /* of which shares are not to be believed */
};

/* Sums of a datum, or of a line that uses it. */
struct sums {
    int datum, place;
    uint64_t loads, stores, timed, walks, level[MEMORY_LEVELS]; /* levels of loads; timed: with a latency */
    double wait, squares;                                       /* cycles, and the sum of their squares */
    int32_t median;
};

struct table {
    struct report *report;
    const struct profile *profile;
    struct sources *sources;
    int *order; /* of the samples: by data, places if by_place, and latencies */
    bool by_place;
    struct sums all;
};

/* ---- sums */

static const struct datum_sample *sample_at(const struct table *table, int i)
{
    return index_key(&table->profile->data_samples, table->order[i]);
}

static int compare(const void *a, const void *b, void *context)
{
    const struct table *table = context;
    int one = *(const int *)a, other = *(const int *)b;
    const struct datum_sample *x = index_key(&table->profile->data_samples, one),
                              *y = index_key(&table->profile->data_samples, other);
    if (x->datum != y->datum)
        return x->datum < y->datum ? -1 : 1;
    if (table->by_place && x->place != y->place)
        return x->place < y->place ? -1 : 1;
    return x->latency != y->latency ? x->latency < y->latency ? -1 : 1 : one - other;
}

static void sort(struct table *table, bool by_place)
{
    table->by_place = by_place;
    qsort_r(table->order, (size_t)table->profile->data_samples.n, sizeof *table->order, compare, table);
}

static void add(struct sums *sums, const struct datum_sample *sample, uint64_t n)
{
    if (sample->store) {
        sums->stores = profile_sum(sums->stores, n);
        return;
    }
    sums->loads = profile_sum(sums->loads, n);
    sums->level[sample->level] = profile_sum(sums->level[sample->level], n);
    if (sample->tlb == TLB_WALK)
        sums->walks = profile_sum(sums->walks, n);
    if (sample->latency == LATENCY_UNKNOWN)
        return;
    sums->timed = profile_sum(sums->timed, n);
    sums->wait += (double)n * sample->latency;
    sums->squares += (double)n * sample->latency * sample->latency;
}

/* Finds the latency in the middle of samples from..to, which are in order. */
static int32_t median(const struct table *table, int from, int to, uint64_t timed)
{
    uint64_t before = 0;
    for (int i = from; i < to; i++) {
        const struct datum_sample *sample = sample_at(table, i);
        if (sample->store || sample->latency == LATENCY_UNKNOWN)
            continue;
        before = profile_sum(before, table->profile->n_data_samples[table->order[i]]);
        if (before > timed / 2)
            return sample->latency;
    }
    return LATENCY_UNKNOWN;
}

/* Sums up the samples of one datum, or of one line of it, which begin at *at; then *at is behind them. */
static struct sums next_sums(const struct table *table, int *at)
{
    int from = *at, n = table->profile->data_samples.n;
    struct sums sums = {.datum = sample_at(table, from)->datum, .place = sample_at(table, from)->place};
    for (; *at < n && sample_at(table, *at)->datum == sums.datum &&
           (!table->by_place || sample_at(table, *at)->place == sums.place);
         ++*at)
        add(&sums, sample_at(table, *at), table->profile->n_data_samples[table->order[*at]]);
    sums.median = median(table, from, *at, sums.timed);
    return sums;
}

/* The caller frees the list. */
static struct sums *all_sums(struct table *table, bool by_place, int *n)
{
    struct sums *list = memory_more(NULL, (size_t)table->profile->data_samples.n + 1, sizeof *list);
    sort(table, by_place);
    *n = 0;
    for (int at = 0; at < table->profile->data_samples.n;)
        list[(*n)++] = next_sums(table, &at);
    return list;
}

/* ---- shares */

/* Share of all that loads wait; of the loads, where no latency is known. */
static double share(const struct table *table, const struct sums *sums)
{
    if (table->all.wait > 0)
        return sums->wait / table->all.wait;
    return table->all.loads > 0 ? (double)sums->loads / (double)table->all.loads : 0;
}

static const double in_19_of_20 = 1.96;

double sampled_share_error(double p, double squares, double all, double wait)
{
    double variance = ((1 - p) * (1 - p) * squares + p * p * (all - squares)) / (wait * wait);
    return in_19_of_20 * sqrt(variance > 0 ? variance : 0);
}

static double error_of(const struct table *table, const struct sums *sums)
{
    double p = share(table, sums), loads = (double)table->all.loads;
    if (table->all.wait > 0)
        return sampled_share_error(p, sums->squares, table->all.squares, table->all.wait);
    return loads > 0 ? in_19_of_20 * sqrt(p * (1 - p) / loads) : 0;
}

static int by_share(const void *a, const void *b)
{
    const struct sums *one = a, *other = b;
    if (one->wait != other->wait)
        return one->wait > other->wait ? -1 : 1;
    if (one->loads != other->loads)
        return one->loads > other->loads ? -1 : 1;
    return one->datum != other->datum ? one->datum - other->datum : one->place - other->place;
}

/* ---- for programs */

static void list_sums(const struct table *table, const struct sums *sums)
{
    struct report *report = table->report;
    report_number(report, NULL, "loads", (long long)sums->loads);
    report_number(report, NULL, "stores", (long long)sums->stores);
    report_exact(report, NULL, "share", share(table, sums));
    report_exact(report, NULL, "share_error", error_of(table, sums));
    report_number(report, NULL, "timed_loads", (long long)sums->timed);
    report_number(report, NULL, "median_latency", sums->timed > 0 ? sums->median : REPORT_UNKNOWN);
    if (sums->timed > 0)
        report_exact(report, NULL, "mean_latency", sums->wait / (double)sums->timed);
    report_number(report, NULL, "page_walks", (long long)sums->walks);
    report_object(report, "levels");
    for (int level = 0; level < MEMORY_LEVELS; level++)
        report_number(report, NULL, memory_level_keys[level], (long long)sums->level[level]);
    report_end(report);
}

static void list_places(const struct table *table, int datum, const struct sums *use, int n_uses)
{
    struct report *report = table->report;
    report_list(report, "places");
    for (int i = 0; i < n_uses; i++) {
        if (use[i].datum != datum)
            continue;
        report_object(report, NULL);
        place_list(report, table->profile, use[i].place);
        list_sums(table, &use[i]);
        report_end(report);
    }
    report_end(report);
}

static void list_datum(const struct table *table, const struct sums *sums, const char *name,
                       const struct sums *use, int n_uses)
{
    const struct datum *datum = index_key(&table->profile->data, sums->datum);
    const struct datum_counts *counts = &table->profile->datum_counts[sums->datum];
    report_object(table->report, NULL);
    report_string(table->report, NULL, "name", name);
    report_string(table->report, NULL, "kind", datum_kinds[datum->kind]);
    report_number(table->report, NULL, "bytes", (long long)counts->size);
    report_number(table->report, NULL, "allocations", (long long)counts->times);
    list_sums(table, sums);
    list_places(table, sums->datum, use, n_uses);
    report_end(table->report);
}

/* ---- for people */

static int width_of(int level)
{
    int n = (int)strlen(memory_level_names[level]);
    return n < 6 ? 8 : n + 2;
}

static void print_head(const struct table *table)
{
    struct report *report = table->report;
    report_blank(report);
    report_part(report, "%9s %6s %8s %8s", table->all.wait > 0 ? "waiting" : "loads", "+-", "loads",
                "stores");
    for (int level = 0; level < MEMORY_LEVELS; level++)
        if (table->all.level[level] > 0)
            report_part(report, "%*s", width_of(level), memory_level_names[level]);
    report_line(report, NULL, "%8s %8s  data", "median", "mean");
}

static void print_row(const struct table *table, const struct sums *sums, const char *name)
{
    struct report *report = table->report;
    char clean[512];
    bool few = sums->loads < FEW;
    report_part(report, "%7.1f %%", 100 * share(table, sums));
    if (few)
        report_part(report, " %6s", "few");
    else
        report_part(report, " %6.1f", 100 * error_of(table, sums));
    report_part(report, " %8llu %8llu", (unsigned long long)sums->loads, (unsigned long long)sums->stores);
    for (int level = 0; level < MEMORY_LEVELS; level++)
        if (table->all.level[level] > 0 && sums->loads > 0)
            report_part(report, "%*.0f %%", width_of(level) - 2,
                        100.0 * (double)sums->level[level] / (double)sums->loads);
        else if (table->all.level[level] > 0)
            report_part(report, "%*s", width_of(level), "-");
    if (few || sums->timed < FEW)
        report_part(report, "%8s %8s", "-", "-");
    else
        report_part(report, "%8d %8.0f", sums->median, sums->wait / (double)sums->timed);
    visible(clean, sizeof clean, name);
    report_line(report, NULL, "  %s", clean);
}

static void say_sampled(const struct table *table)
{
    unsigned long long loads = table->all.loads;
    report_blank(table->report);
    if (loads < FEW_IN_ALL)
        report_say(
            table->report,
            "only %llu %s sampled, which are too few for shares: a longer run has more, and \"papi_profile "
            "--data=emulator\" counts all",
            loads, loads == 1 ? "load was" : "loads were");
    else
        report_say(
            table->report,
            "by %llu loads that the processor sampled, not by all: in 19 of 20 runs a share is off by no "
            "more than +-; latencies in cycles",
            loads);
}

/* Says where the loads are that wait most, if chance is no explanation of it. */
static void say_worst(const struct table *table, const struct sums *use, int n_uses)
{
    const struct sums *worst = NULL;
    for (int i = 0; i < n_uses && worst == NULL; i++) {
        const struct datum *datum = index_key(&table->profile->data, use[i].datum);
        if (datum->kind == DATUM_VARIABLE || datum->kind == DATUM_ALLOCATED)
            worst = &use[i];
    }
    if (worst == NULL || worst->timed < FEW || table->all.loads < FEW_IN_ALL ||
        share(table, worst) - error_of(table, worst) < 0.05)
        return;
    char *name = datum_text(table->profile, table->sources, index_key(&table->profile->data, worst->datum)),
         *where = place_text(table->profile, worst->place), clean[2048];
    int most = 0;
    for (int level = 1; level < MEMORY_LEVELS; level++)
        if (worst->level[level] > worst->level[most])
            most = level;
    char *text = memory_print("%s: loads of it at %s", name, where);
    visible(clean, sizeof clean, text);
    report_blank(table->report);
    report_say(table->report,
               "%s are %.0f %% (+- %.0f) of all waiting: %.0f %% of them found it in: %s; median %d cycles",
               clean, 100 * share(table, worst), 100 * error_of(table, worst),
               100.0 * (double)worst->level[most] / (double)worst->loads, memory_level_names[most],
               worst->median);
    free(text);
    free(name);
    free(where);
}

/* ---- all */

void sampled_data_waits(const struct profile *profile, double *wait, double *squares, uint64_t *loads)
{
    struct sums all = {.datum = PROFILE_NONE};
    for (int i = 0; i < profile->data_samples.n; i++)
        add(&all, index_key(&profile->data_samples, i), profile->n_data_samples[i]);
    *wait = all.wait;
    *squares = all.squares;
    *loads = all.loads;
}

static void sum_up(struct table *table, const struct sums *datum, int n)
{
    for (int i = 0; i < n; i++) {
        table->all.loads = profile_sum(table->all.loads, datum[i].loads);
        table->all.stores = profile_sum(table->all.stores, datum[i].stores);
        table->all.wait += datum[i].wait;
        table->all.squares += datum[i].squares;
        for (int level = 0; level < MEMORY_LEVELS; level++)
            table->all.level[level] = profile_sum(table->all.level[level], datum[i].level[level]);
    }
}

static void print_all(struct table *table, const struct sums *datum, int n, const struct sums *use,
                      int n_uses, int most)
{
    bool unseen = false;
    report_list(table->report, "sampled_data");
    print_head(table);
    for (int i = 0; i < n; i++) {
        const struct datum *own = index_key(&table->profile->data, datum[i].datum);
        char *name = datum_text(table->profile, table->sources, own);
        list_datum(table, &datum[i], name, use, n_uses);
        if (i < most && share(table, &datum[i]) >= 0.005)
            print_row(table, &datum[i], name);
        unseen |= own->kind == DATUM_UNSEEN;
        free(name);
    }
    report_end(table->report);
    say_sampled(table);
    say_worst(table, use, n_uses);
    if (unseen)
        unseen_say(table->report);
}

void sampled_data_print(struct report *report, const struct profile *profile, struct sources *sources,
                        int most)
{
    struct table table = {.report = report, .profile = profile, .sources = sources};
    int n_data, n_uses, n = profile->data_samples.n;
    if (n == 0)
        return;
    table.order = memory_more(NULL, (size_t)n, sizeof *table.order);
    for (int i = 0; i < n; i++)
        table.order[i] = i;
    struct sums *use = all_sums(&table, true, &n_uses), *datum = all_sums(&table, false, &n_data);
    sum_up(&table, datum, n_data);
    qsort(datum, (size_t)n_data, sizeof *datum, by_share);
    qsort(use, (size_t)n_uses, sizeof *use, by_share);
    print_all(&table, datum, n_data, use, n_uses, most);
    free(datum);
    free(use);
    free(table.order);
}

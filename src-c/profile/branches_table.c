/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tables of the branches that the processor recorded, and of the iterations of loops. The branches of one
 * record are no samples by themselves, as those of a loop are much alike: errors are by the number of records
 * that something was in, as if each said it once.
 */
#include "branches_table.h"
#include "base/visible.h"
#include "data_table.h"
#include "tools/common/allocate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FEW = 10 };

struct table {
    struct report *report;
    const struct profile *profile;
    int most;
};

static const char *const type_names[] = {
    "unknown",           "conditional", "jump",        "indirect jump", "call",
    "indirect call",     "return",      "system call", "system return", "conditional call",
    "conditional return"};

static const char *type_name(int type)
{
    return type >= 0 && type < (int)(sizeof type_names / sizeof type_names[0]) ? type_names[type] : "other";
}

static double part(uint64_t n, uint64_t of)
{
    return of > 0 ? (double)n / (double)of : 0;
}

/* By how much a share may be off in 19 of 20 runs, of so many records. */
static double error_of(double share, uint64_t records)
{
    return records > 0 ? 1.96 * sqrt(share * (1 - share) / (double)records) : 1;
}

/* ---- branches */

static int by_mispredicted(const void *a, const void *b, void *context)
{
    const struct profile *profile = context;
    int one = *(const int *)a, other = *(const int *)b;
    const struct branch_counts *x = &profile->branch_counts[one], *y = &profile->branch_counts[other];
    if (x->mispredicted != y->mispredicted)
        return x->mispredicted > y->mispredicted ? -1 : 1;
    return x->taken != y->taken ? x->taken > y->taken ? -1 : 1 : one - other;
}

static void list_share(struct report *report, const char *key, const char *error_key, double share,
                       uint64_t records)
{
    report_exact(report, NULL, key, share);
    report_exact(report, NULL, error_key, error_of(share, records));
}

static void list_branch(const struct table *table, int i)
{
    const struct profile *profile = table->profile;
    const struct branch *branch = index_key(&profile->branches, i);
    const struct branch_counts *counts = &profile->branch_counts[i];
    const struct branch_sums *all = &profile->branch_sums;
    struct report *report = table->report;
    report_object(report, NULL);
    report_string(report, NULL, "type", type_name(branch->type));
    report_string(report, NULL, "object", profile_text(profile, branch->object));
    report_number(report, NULL, "from_address", (long long)branch->from);
    report_number(report, NULL, "to_address", (long long)branch->to);
    report_number(report, NULL, "taken", (long long)counts->taken);
    report_number(report, NULL, "stacks", (long long)counts->stacks);
    report_number(report, NULL, "told", (long long)counts->told);
    report_number(report, NULL, "mispredicted", (long long)counts->mispredicted);
    list_share(report, "share", "share_error", part(counts->mispredicted, all->mispredicted),
               all->mispredicted_stacks);
    if (counts->told > 0)
        list_share(report, "rate", "rate_error", part(counts->mispredicted, counts->told), counts->stacks);
    if (counts->timed > 0)
        report_exact(report, NULL, "mean_cycles", part(counts->cycles, counts->timed));
    report_object(report, "from");
    place_list(report, profile, branch->from_place);
    report_end(report);
    report_object(report, "to");
    place_list(report, profile, branch->to_place);
    report_end(report);
    report_end(report);
}

/* Prints a share with its error; "few" where there are too few records for it, "-" where nothing is known. */
static void print_share(struct report *report, double share, uint64_t records, bool known)
{
    if (!known)
        report_part(report, "%9s %5s", "-", "-");
    else if (records < FEW)
        report_part(report, "%9s %5s", "few", "-");
    else
        report_part(report, "%7.1f %% %5.1f", 100 * share, 100 * error_of(share, records));
}

static const char *routine_at(const struct profile *profile, int place)
{
    return profile_text(profile,
                        profile_routine_at(profile, profile_place_at(profile, place)->routine)->name);
}

static void print_branch(const struct table *table, int i)
{
    const struct profile *profile = table->profile;
    const struct branch *branch = index_key(&profile->branches, i);
    const struct branch_counts *counts = &profile->branch_counts[i];
    const struct branch_sums *all = &profile->branch_sums;
    struct report *report = table->report;
    char cycles[32] = "-", clean[512];
    print_share(report, part(counts->mispredicted, all->mispredicted), all->mispredicted_stacks,
                all->mispredicted > 0);
    report_part(report, " ");
    print_share(report, part(counts->mispredicted, counts->told), counts->stacks, counts->told > 0);
    if (counts->timed >= FEW)
        snprintf(cycles, sizeof cycles, "%.1f", part(counts->cycles, counts->timed));
    char *from = place_text(profile, branch->from_place), *to = place_text(profile, branch->to_place);
    char *text = memory_print("%s -> %s  %s", from, to, routine_at(profile, branch->from_place));
    visible(clean, sizeof clean, text);
    report_line(report, NULL, " %6.1f %% %7s  %s", 100 * part(counts->taken, all->taken), cycles, clean);
    free(text);
    free(from);
    free(to);
}

/* Prints what has a half per cent of the takings or of what was mispredicted. */
static bool is_shown(const struct table *table, int i)
{
    const struct branch_counts *counts = &table->profile->branch_counts[i];
    const struct branch_sums *all = &table->profile->branch_sums;
    return part(counts->taken, all->taken) >= 0.005 || part(counts->mispredicted, all->mispredicted) >= 0.005;
}

static void print_branches(const struct table *table)
{
    const struct profile *profile = table->profile;
    int n = profile->branches.n, *order = memory_more(NULL, (size_t)n + 1, sizeof *order), shown = 0;
    for (int i = 0; i < n; i++)
        order[i] = i;
    qsort_r(order, (size_t)n, sizeof *order, by_mispredicted, (void *)profile);
    report_list(table->report, "branches");
    report_blank(table->report);
    report_line(table->report, NULL, "%9s %5s %9s %5s %8s %7s  branch that was taken", "misses", "+-",
                "missed", "+-", "taken", "cycles");
    for (int i = 0; i < n; i++) {
        list_branch(table, order[i]);
        if (shown < table->most && is_shown(table, order[i])) {
            print_branch(table, order[i]);
            shown++;
        }
    }
    report_end(table->report);
    free(order);
}

/* ---- loops */

static int by_arrivals(const void *a, const void *b, void *context)
{
    const struct profile *profile = context;
    int one = *(const int *)a, other = *(const int *)b;
    const struct branch_loop_counts *x = &profile->branch_loop_counts[one],
                                    *y = &profile->branch_loop_counts[other];
    return x->arrivals != y->arrivals ? x->arrivals > y->arrivals ? -1 : 1 : one - other;
}

/* Iterations of an entry, and how far they may be off: entries are what is counted least. */
static double iterations(const struct branch_loop_counts *counts, double *error)
{
    double mean = part(counts->arrivals, counts->entries);
    *error = counts->stacks > 0 ? 1.96 * mean / sqrt((double)counts->stacks) : mean;
    return mean;
}

static void list_loop(const struct table *table, int i)
{
    const struct profile *profile = table->profile;
    const struct branch_loop *loop = index_key(&profile->branch_loops, i);
    const struct branch_loop_counts *counts = &profile->branch_loop_counts[i];
    struct report *report = table->report;
    double error, mean = iterations(counts, &error);
    report_object(report, NULL);
    report_string(report, NULL, "object", profile_text(profile, loop->object));
    report_number(report, NULL, "head_address", (long long)loop->head);
    report_number(report, NULL, "end_address", (long long)counts->end);
    report_number(report, NULL, "arrivals", (long long)counts->arrivals);
    report_number(report, NULL, "entries", (long long)counts->entries);
    report_number(report, NULL, "stacks", (long long)counts->stacks);
    if (counts->entries > 0) {
        report_exact(report, NULL, "iterations", mean);
        report_exact(report, NULL, "iterations_error", error);
    }
    report_object(report, "head");
    place_list(report, profile, loop->place);
    report_end(report);
    report_object(report, "end");
    place_list(report, profile, counts->end_place);
    report_end(report);
    report_end(report);
}

static void print_loop(const struct table *table, int i)
{
    const struct profile *profile = table->profile;
    const struct branch_loop *loop = index_key(&profile->branch_loops, i);
    const struct branch_loop_counts *counts = &profile->branch_loop_counts[i];
    char clean[512];
    double error, mean = iterations(counts, &error);
    report_part(table->report, "%9llu %9llu", (unsigned long long)counts->arrivals,
                (unsigned long long)counts->entries);
    if (counts->stacks < FEW)
        report_part(table->report, " %11s %8s", "few", "-");
    else
        report_part(table->report, " %11.1f %8.1f", mean, error);
    char *from = place_text(profile, loop->place), *to = place_text(profile, counts->end_place);
    bool same = strcmp(from, to) == 0;
    char *text = memory_print("%s%s%s  %s", from, same ? "" : " to ", same ? "" : to,
                              routine_at(profile, loop->place));
    visible(clean, sizeof clean, text);
    report_line(table->report, NULL, "  %s", clean);
    free(text);
    free(from);
    free(to);
}

static void print_loops(const struct table *table)
{
    const struct profile *profile = table->profile;
    int n = profile->branch_loops.n, *order = memory_more(NULL, (size_t)n + 1, sizeof *order);
    for (int i = 0; i < n; i++)
        order[i] = i;
    qsort_r(order, (size_t)n, sizeof *order, by_arrivals, (void *)profile);
    report_list(table->report, "branch_loops");
    if (n > 0) {
        report_blank(table->report);
        report_line(table->report, NULL, "%9s %9s %11s %8s  loop", "arrivals", "entries", "iterations", "+-");
    }
    for (int i = 0; i < n; i++) {
        list_loop(table, order[i]);
        if (i < table->most &&
            part(profile->branch_loop_counts[order[i]].arrivals, profile->branch_sums.taken) >= 0.005)
            print_loop(table, order[i]);
    }
    report_end(table->report);
    free(order);
}

/* ---- all */

static void list_sums(const struct table *table)
{
    const struct branch_sums *all = &table->profile->branch_sums;
    struct report *report = table->report;
    report_object(report, "branch_sums");
    report_number(report, NULL, "stacks", (long long)all->stacks);
    report_number(report, NULL, "taken", (long long)all->taken);
    report_number(report, NULL, "told", (long long)all->told);
    report_number(report, NULL, "mispredicted", (long long)all->mispredicted);
    report_number(report, NULL, "mispredicted_stacks", (long long)all->mispredicted_stacks);
    report_number(report, NULL, "broken", (long long)all->broken);
    report_end(report);
}

static void say_records(const struct table *table)
{
    const struct branch_sums *all = &table->profile->branch_sums;
    report_blank(table->report);
    if (all->told == 0)
        report_say(table->report,
                   "by %llu branches in %llu of the processor's records, which do not say what was "
                   "mispredicted",
                   (unsigned long long)all->taken, (unsigned long long)all->stacks);
    else
        report_say(
            table->report,
            "by %llu branches in %llu of the processor's records, %llu of them mispredicted: misses is "
            "the share of these, missed of the branch's own takings; what was not taken is in no "
            "record, and is among the events above",
            (unsigned long long)all->taken, (unsigned long long)all->stacks,
            (unsigned long long)all->mispredicted);
    if (all->broken > 0)
        report_say(table->report, "%llu branches do not follow the one before them, and are left out",
                   (unsigned long long)all->broken);
}

void branches_print(struct report *report, const struct profile *profile, int most)
{
    const struct table table = {report, profile, most};
    if (!profile->branched)
        return;
    list_sums(&table);
    print_branches(&table);
    print_loops(&table);
    say_records(&table);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "output.h"
#include "tools/common/allocate.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const verdict_names[] = {
    [VERDICT_SAME] = "same",   [VERDICT_WITHIN] = "within", [VERDICT_FELL] = "fell",
    [VERDICT_ABOVE] = "above", [VERDICT_BELOW] = "below",   [VERDICT_UNKNOWN] = "varies",
};

const char *const scope_names[] = {
    [SCOPE_TOTAL] = "total", [SCOPE_REGION] = "region", [SCOPE_ROUTINE] = "routine"};

char *words_count(amount count)
{
    char digits[64], text[96];
    int n = snprintf(digits, sizeof digits, "%.0Lf", fabsl(count)), at = 0;
    if (count < 0)
        text[at++] = '-';
    for (int i = 0; i < n; i++) {
        if (i > 0 && (n - i) % 3 == 0)
            text[at++] = ',';
        text[at++] = digits[i];
    }
    text[at] = '\0';
    return memory_text(text);
}

char *words_amount(const char *event, amount count)
{
    static const struct {
        double picoseconds;
        const char *name;
    } units[] = {{1e12, "s"}, {1e9, "ms"}, {1e6, "us"}, {1e3, "ns"}, {1, "ps"}};
    size_t i = 0;
    if (strcmp(event, GATE_TIME) != 0)
        return words_count(count);
    while (i < 4 && fabsl(count) < units[i].picoseconds)
        i++;
    return memory_print("%.4Lg %s", count / units[i].picoseconds, units[i].name);
}

char *words_share(amount before, amount after)
{
    if (before == after)
        return memory_text("same");
    if (before == 0)
        return memory_text("new");
    double percent = (double)(100 * (after - before) / before);
    return memory_print(fabsl(percent) < 0.1 ? "%+.2g %%" : "%+.1f %%", percent);
}

char *words_change(const struct change *change)
{
    static const char *const scope[] = {
        [SCOPE_TOTAL] = "", [SCOPE_REGION] = " in region ", [SCOPE_ROUTINE] = " in "};
    return memory_print("%s%s%s", change->event, scope[change->scope], change->name);
}

/* That of a total before others. */
const struct change *words_worst(const struct comparison *comparison)
{
    const struct change *found = NULL;
    for (size_t i = 0; i < comparison->n_changes; i++) {
        const struct change *change = &comparison->change[i];
        if (change->verdict != VERDICT_ABOVE && change->verdict != VERDICT_BELOW)
            continue;
        if (found == NULL || (found->scope != SCOPE_TOTAL && change->scope == SCOPE_TOTAL))
            found = change;
    }
    return found;
}

static const struct change *first_total(const struct comparison *comparison)
{
    for (size_t i = 0; i < comparison->n_changes; i++)
        if (comparison->change[i].scope == SCOPE_TOTAL)
            return &comparison->change[i];
    return NULL;
}

static char *words_failed(const struct comparison *comparison)
{
    const struct change *change = words_worst(comparison);
    char *what = words_change(change), *before = words_amount(change->event, change->before),
         *after = words_amount(change->event, change->after),
         *share = words_share(change->before, change->after), *limit = limit_text(change->limit);
    char *more = comparison->n_failed > 1
                     ? memory_print("; %zu more count%s outside %s", comparison->n_failed - 1,
                                    comparison->n_failed > 2 ? "s are" : " is",
                                    comparison->n_failed > 2 ? "their limits" : "its limit")
                     : memory_text("");
    char *text =
        memory_print("%s %s from %s to %s (%s; the limit is %s)%s", what,
                     change->verdict == VERDICT_ABOVE ? "rose" : "fell", before, after, share, limit, more);
    free(what), free(before), free(after), free(share), free(limit), free(more);
    return text;
}

/* The part of a sentence about the share of a total that is not judged; "". */
static char *words_left_out(const struct change *total)
{
    if (total->left_out == 0)
        return memory_text("");
    double percent = (double)(100 * total->left_out / (total->left_out + fmaxl(total->before, total->after)));
    return memory_print("; %.3g %% of all are not judged", percent);
}

/* The part of a sentence about the program's estimated time; "". */
static char *words_time(const struct comparison *comparison)
{
    const struct change *time = NULL;
    for (size_t i = 0; i < comparison->n_changes; i++)
        if (comparison->change[i].scope == SCOPE_TOTAL && strcmp(comparison->change[i].event, GATE_TIME) == 0)
            time = &comparison->change[i];
    if (time == NULL || time == first_total(comparison))
        return memory_text("");
    if (time->verdict == VERDICT_UNKNOWN)
        return memory_text(", estimated time not judged");
    char *spent = words_amount(GATE_TIME, time->after), *share = words_share(time->before, time->after),
         *rest = fmaxl(time->before, time->after) < time->left_out ? words_left_out(time) : memory_text("");
    char *text = memory_print(", estimated time %s (%s%s)", spent, share, rest);
    free(spent), free(share), free(rest);
    return text;
}

char *words_verdict(const struct comparison *comparison)
{
    const struct change *total = first_total(comparison);
    if (comparison->n_failed > 0)
        return words_failed(comparison);
    if (total == NULL)
        return memory_text("nothing was compared: no event that both results have is judged");
    char *count = words_amount(total->event, total->after), *share = words_share(total->before, total->after);
    char *time = words_time(comparison), *rest = words_left_out(total);
    char *text =
        memory_print("no count is outside its limit; %s %s (%s%s)%s", total->event, count, share, rest, time);
    free(count), free(share), free(time), free(rest);
    return text;
}

static bool has_failed(const struct change *change)
{
    return change->verdict == VERDICT_ABOVE || change->verdict == VERDICT_BELOW;
}

size_t words_changes(const struct comparison *comparison, bool all, size_t *number)
{
    size_t n = 0;
    for (size_t i = 0; i < comparison->n_changes; i++)
        if (has_failed(&comparison->change[i]))
            number[n++] = i;
    for (size_t i = 0; i < comparison->n_changes; i++) {
        const struct change *change = &comparison->change[i];
        bool shown = change->verdict == VERDICT_FELL || (all && change->scope == SCOPE_TOTAL);
        if (!has_failed(change) && shown)
            number[n++] = i;
    }
    return n;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "report.h"

#include "base/visible.h"

#include <string.h>

enum { TOP = 10, THREADS_SHOWN = 32, PLACE_WIDTH = 44, TEXT = 16, COLUMN = 17 };

/* ---- figures */

static const char *share(char text[TEXT], bool known, double part, double whole)
{
    snprintf(text, TEXT, "n/a");
    if (known && whole > 0)
        snprintf(text, TEXT, "%.0f %%", 100 * part / whole);
    return text;
}

static const char *decimals(char text[TEXT], bool known, double value)
{
    snprintf(text, TEXT, "n/a");
    if (known && value >= 0)
        snprintf(text, TEXT, "%.2f", value);
    return text;
}

/* A name without its component, as wide as a column; of clocks, with the unit. */
static const char *short_name(const char *name, char text[COLUMN])
{
    static const char clock[] = "-CLOCK";
    const char *colon = strrchr(name, ':');
    name = colon != NULL ? colon + 1 : name;
    name = strncmp(name, "PAPI_", 5) == 0 ? name + 5 : name;
    size_t n = strlen(name), tail = sizeof clock - 1;
    bool is_clock = n > tail && strcmp(name + n - tail, clock) == 0;
    snprintf(text, COLUMN, "%.*s%s", is_clock ? COLUMN - 4 : COLUMN - 1, name, is_clock ? " ns" : "");
    return text;
}

static int top(int n)
{
    return n < TOP ? n : TOP;
}

/* ---- tables */

static void put_regions(FILE *out, const struct result *result)
{
    char a[TEXT], b[TEXT], c[TEXT], d[TEXT], e[TEXT], f[TEXT], g[TEXT], head[PLACE_WIDTH + 1];
    snprintf(head, sizeof head, "parallel regions, %d of %d", top(result->n_regions), result->n_regions);
    fprintf(out, "\n%-*s %9s %7s %10s %7s %7s %8s %6s %5s %9s\n", PLACE_WIDTH, head, "calls", "threads",
            "time", "useful", "balance", "barriers", "locks", "end", "overhead");
    for (int i = 0; i < top(result->n_regions); i++) {
        const struct result_region *region = &result->region[i];
        fprintf(out, "%-*s %9llu %7d %10s %7s %7s %8s %6s %5s %9s\n", PLACE_WIDTH, region->name.text,
                (unsigned long long)region->calls, region->threads, result_time(a, region->seconds),
                share(b, region->known, region->useful, region->capacity),
                decimals(c, region->known, region->balance),
                share(d, region->known, region->barriers, region->capacity),
                share(e, true, region->locks, region->capacity),
                share(f, region->known, region->end, region->capacity),
                share(g, region->known, region->overhead, region->capacity));
    }
}

static void put_waits(FILE *out, const struct result *result)
{
    char a[TEXT], b[TEXT], head[PLACE_WIDTH + 1];
    if (result->n_waits == 0)
        return;
    snprintf(head, sizeof head, "waiting inside of regions, %d of %d", top(result->n_waits), result->n_waits);
    fprintf(out, "\n%-*s %9s %7s %10s %10s  in the region at\n", PLACE_WIDTH, head, "waits", "for", "time",
            "longest");
    for (int i = 0; i < top(result->n_waits); i++) {
        const struct result_wait *wait = &result->wait[i];
        fprintf(out, "%-*s %9llu %7s %10s %10s  %s\n", PLACE_WIDTH, wait->name.text,
                (unsigned long long)figure(&wait->place->waits), wait_kind(wait->place->kind),
                result_time(a, wait->seconds), result_time(b, wait->most), wait->region.text);
    }
}

/* Instructions per cycle of a number of counts; -1: not known. */
static double ipc(const struct result *result, const int64_t *count)
{
    if (result->instructions < 0 || result->cycles < 0 || count[result->cycles] <= 0)
        return -1;
    return (double)count[result->instructions] / (double)count[result->cycles];
}

static bool has_ipc(const struct result *result)
{
    return result->instructions >= 0 && result->cycles >= 0;
}

static void put_counts(FILE *out, const struct result *result)
{
    char text[TEXT], name[COLUMN];
    if (openmp.plan.n == 0)
        return;
    fprintf(out, "\n%-*s", PLACE_WIDTH, "counted at work, and mean / most of the threads");
    for (int i = 0; i < openmp.plan.n; i++)
        fprintf(out, " %16s %4s", short_name(openmp.plan.event[i].name, name), "");
    fprintf(out, "%s\n", has_ipc(result) ? "   IPC" : "");
    for (int r = 0; r < top(result->n_regions); r++) {
        const struct result_region *region = &result->region[r];
        fprintf(out, "%-*s", PLACE_WIDTH, region->name.text);
        for (int i = 0; i < openmp.plan.n; i++)
            if (region->counted)
                fprintf(out, " %16lld %4s", (long long)region->count[i],
                        decimals(text, true, region->count_balance[i]));
            else
                fprintf(out, " %16s %4s", "n/a", "");
        if (has_ipc(result))
            fprintf(out, " %5s", decimals(text, region->counted, ipc(result, region->count)));
        fputc('\n', out);
    }
}

static void put_thread(FILE *out, const struct result *result, const struct result_region *region, int number)
{
    const struct slot *slot = place_slot_there(region->place, number);
    int64_t count[MOST_COUNTS];
    char a[TEXT], b[TEXT], c[TEXT];
    if (slot == NULL || figure(&slot->calls) == 0)
        return;
    fprintf(out, "  %-*d %9llu %10s %10s", PLACE_WIDTH - 2, number, (unsigned long long)figure(&slot->calls),
            result_time(a, result_useful_of(slot)), result_time(b, (double)figure(&slot->barriers) * 1e-9));
    for (int i = 0; i < openmp.plan.n; i++) {
        count[i] = atomic_load(&slot->count[i]);
        if (region->counted)
            fprintf(out, " %16lld", (long long)count[i]);
        else
            fprintf(out, " %16s", "n/a");
    }
    if (has_ipc(result))
        fprintf(out, " %5s", decimals(c, region->counted, ipc(result, count)));
    fputc('\n', out);
}

/* The threads of the region that loses most. */
static void put_threads(FILE *out, const struct result *result)
{
    const struct result_region *region = result->worst != NULL ? result->worst : &result->region[0];
    char head[PLACE_WIDTH + 1], name[COLUMN];
    if (result->n_regions == 0 || region->threads < 2 || !region->known)
        return;
    snprintf(head, sizeof head, "threads of %.*s", PLACE_WIDTH - 11, region->name.text);
    fprintf(out, "\n%-*s %9s %10s %10s", PLACE_WIDTH, head, "calls", "useful", "barriers");
    for (int i = 0; i < openmp.plan.n; i++)
        fprintf(out, " %16s", short_name(openmp.plan.event[i].name, name));
    fprintf(out, "%s\n", has_ipc(result) ? "   IPC" : "");
    for (int number = 0; number < region->rows && number < THREADS_SHOWN; number++)
        put_thread(out, result, region, number);
    if (region->rows > THREADS_SHOWN)
        fprintf(out, "  and %d more\n", region->rows - THREADS_SHOWN);
}

void report_text(FILE *out, const struct result *result, const struct report_head *head)
{
    char a[TEXT];
    fprintf(out, "%s\n", result->finding);
    visible_put(out, head->program);
    fprintf(out, ": %d thread%s, %.3f s", result->threads, result->threads == 1 ? "" : "s", result->seconds);
    if (result->parallel >= 0)
        fprintf(out, ", %s of it in parallel regions", share(a, true, result->parallel, result->seconds));
    fprintf(out, "; by %s\n", strcmp(head->source, "libgomp") == 0 ? "libgomp's calls" : head->source);
    put_regions(out, result);
    put_waits(out, result);
    put_counts(out, result);
    put_threads(out, result);
    for (int i = 0; i < head->notes.n; i++)
        fprintf(out, "%s%s\n", i == 0 ? "\n" : "", head->notes.text[i]);
}

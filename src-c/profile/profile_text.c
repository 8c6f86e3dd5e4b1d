/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/visible.h"
#include "branches_table.h"
#include "data_table.h"
#include "device_table.h"
#include "export.h"
#include "listed_loops.h"
#include "notes.h"
#include "source_lines.h"
#include "tools/common/allocate.h"
#include "totals.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

struct showing {
    struct report *report;
    const struct profile *profile;
    struct totals totals;
    struct sources sources;
    int most;
};

/* Prints a sentence, in which names from elsewhere are made visible. */
static __attribute__((format(printf, 2, 3))) void say(const struct showing *showing, const char *format, ...)
{
    char text[1024], clean[VISIBLE_GROWTH * sizeof text];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    visible(clean, sizeof clean, text);
    report_say(showing->report, "%s", clean);
}

/* ---- the head */

/* Writes a number with its digits in groups: "12,345". */
static const char *grouped(uint64_t number, char out[32])
{
    char digits[24];
    int n = snprintf(digits, sizeof digits, "%llu", (unsigned long long)number), at = 0;
    for (int i = 0; i < n; i++) {
        if (i > 0 && (n - i) % 3 == 0)
            out[at++] = ',';
        out[at++] = digits[i];
    }
    out[at] = '\0';
    return out;
}

/* Says how near the samples' addresses are. */
static const char *precision(const struct profile_event *event)
{
    static const char *const levels[PRECISE_LEVELS] = {
        "; where the interrupt came (precise_ip 0)", "; a constant distance behind (precise_ip 1)",
        "; at the instruction (precise_ip 2)", "; at the instruction, without a bias (precise_ip 3)"};
    return event->precise > 0 ? levels[event->precise - PRECISE_KNOWN] : "";
}

static void say_event(const struct showing *showing, int i)
{
    const struct profile_event *event = &showing->profile->event[i];
    char sum[32], samples[32], period[32];
    const char *unit = event->clock ? " ns" : "";
    grouped(event->sum, sum);
    grouped(event->samples, samples);
    grouped(event->period, period);
    if (event->exact)
        say(showing, "[%d] %s: %s%s, counted exactly", i + 1, event->name, sum, unit);
    else if (event->period > 0)
        say(showing, "[%d] %s: %s%s, by %s samples, one each %s%s%s", i + 1, event->name, sum, unit, samples,
            period, unit, precision(event));
    else
        say(showing, "[%d] %s: %s, by %s samples, about a thousand a second%s", i + 1, event->name, sum,
            samples, precision(event));
}

static void list_events(const struct showing *showing)
{
    struct report *report = showing->report;
    const struct profile *profile = showing->profile;
    report_list(report, "events");
    for (int i = 0; i < profile->n_events; i++) {
        const struct profile_event *event = &profile->event[i];
        report_object(report, NULL);
        report_string(report, NULL, "name", event->name);
        report_number(report, NULL, "sum", (long long)event->sum);
        report_number(report, NULL, "samples", (long long)event->samples);
        report_number(report, NULL, "period", event->period > 0 ? (long long)event->period : REPORT_UNKNOWN);
        report_flag(report, NULL, "exact", event->exact);
        if (event->precise > 0)
            report_number(report, NULL, "precise", event->precise - PRECISE_KNOWN);
        report_end(report);
        say_event(showing, i);
    }
    report_end(report);
}

static void list_processes(const struct showing *showing)
{
    struct report *report = showing->report;
    const struct profile *profile = showing->profile;
    long long threads = 0;
    report_list(report, "processes");
    for (int i = 0; i < profile->n_processes; i++) {
        const struct profile_process *process = &profile->process[i];
        threads += process->threads;
        report_object(report, NULL);
        report_number(report, NULL, "pid", process->pid);
        report_string(report, NULL, "command", process->command);
        report_number(report, NULL, "threads", process->threads);
        report_end(report);
    }
    report_end(report);
    report_line(report, NULL, "%d %s, %lld %s, %.3f s", profile->n_processes,
                profile->n_processes == 1 ? "process" : "processes", threads,
                threads == 1 ? "thread" : "threads", profile->seconds);
}

static void show_command(const struct showing *showing)
{
    struct report *report = showing->report;
    report_list(report, "command");
    report_part(report, "papi_profile:");
    for (char **word = showing->profile->command; word != NULL && *word != NULL; word++) {
        report_string(report, NULL, NULL, *word);
        report_part(report, " %s", *word);
    }
    report_end(report);
    report_blank(report);
}

static void say_notes(const struct showing *showing, struct notes *notes, bool apart)
{
    for (int i = 0; i < notes->n; i++) {
        if (apart)
            report_blank(showing->report);
        report_say(showing->report, "%s", notes->text[i]);
    }
    notes_free(notes);
}

static void list_notes(const struct showing *showing)
{
    struct notes notes = {.n = 0};
    notes_make(&notes, showing->profile, &showing->totals);
    sources_note(&showing->sources, &notes);
    report_list(showing->report, "notes");
    for (int i = 0; i < notes.n; i++)
        report_string(showing->report, NULL, NULL, notes.text[i]);
    report_end(showing->report);
    notes_free(&notes);
}

static void show_head(const struct showing *showing)
{
    struct report *report = showing->report;
    const struct profile *profile = showing->profile;
    struct notes notes = {.n = 0};
    show_command(showing);
    report_string(report, NULL, "host", profile->host);
    report_number(report, NULL, "started", profile->started);
    report_real(report, NULL, "seconds", profile->seconds, 3, " s");
    list_processes(showing);
    list_events(showing);
    report_number(report, NULL, "lost", (long long)profile->lost);
    report_number(report, NULL, "throttled", (long long)profile->throttled);
    notes_on_samples(&notes, profile);
    notes_on_devices(&notes, profile);
    say_notes(showing, &notes, false);
}

/* ---- the tables */

static double percent(const struct showing *showing, uint64_t value, int event)
{
    uint64_t sum = showing->profile->event[event].sum;
    return sum > 0 ? 100.0 * (double)value / (double)sum : 0;
}

static void head_columns(const struct showing *showing, const char *name)
{
    struct report *report = showing->report;
    int n = showing->profile->n_events;
    report_blank(report);
    report_part(report, "%s", n == 1 ? "    self" : "self [1]");
    for (int e = 1; e < n; e++)
        report_part(report, "      [%d]", e + 1);
    report_line(report, NULL, "%s  %s", n == 1 ? "    total" : " total [1]", name);
}

static void put_percents(const struct showing *showing, const uint64_t *self, const uint64_t *total, int i)
{
    struct report *report = showing->report;
    for (int e = 0; e < showing->profile->n_events; e++)
        report_part(report, "%s%6.2f %%", e > 0 ? " " : "", percent(showing, totals_of(self, i, e), e));
    report_part(report, "%s%6.2f %%  ", showing->profile->n_events > 1 ? "  " : " ",
                percent(showing, totals_of(total, i, 0), 0));
}

static void list_values(const struct showing *showing, const char *key, const uint64_t *array, int i)
{
    report_list(showing->report, key);
    for (int e = 0; e < showing->profile->n_events; e++)
        report_number(showing->report, NULL, NULL, (long long)totals_of(array, i, e));
    report_end(showing->report);
}

/* The rows that a table has, in their order; the caller frees it. Programs get all of them, by what they have
 * with their calls; people those with most in themselves, and at most so many. Returns how many rows there
 * are, *shown how many of them are printed. */
static int order_rows(const struct showing *showing, const uint64_t *self, const uint64_t *total, int n,
                      int **order, int *shown)
{
    bool all = showing->report->json;
    int rows = totals_order(all ? total : self, n, order);
    *shown = all || rows < showing->most ? rows : showing->most;
    return rows;
}

static const char *text_or_null(const struct profile *profile, int string)
{
    return string >= 0 ? profile_text(profile, string) : NULL;
}

static void list_extremes(const struct showing *showing, int i)
{
    const struct profile *profile = showing->profile;
    struct report *report = showing->report;
    if (profile->n_extremes != profile->routines.n || profile->ranks < 2)
        return;
    report_object(report, "ranks");
    report_number(report, NULL, "least", (long long)profile->extremes[i].least);
    report_number(report, NULL, "least_rank", profile->extremes[i].least_rank);
    report_number(report, NULL, "most", (long long)profile->extremes[i].most);
    report_number(report, NULL, "most_rank", profile->extremes[i].most_rank);
    report_end(report);
}

static void show_routine(const struct showing *showing, int i)
{
    const struct profile *profile = showing->profile;
    const struct routine *routine = profile_routine_at(profile, i);
    const char *name = profile_text(profile, routine->name), *object = profile_text(profile, routine->object),
               *file = profile_text(profile, routine->file);
    struct report *report = showing->report;
    report_object(report, NULL);
    report_string(report, NULL, "name", name);
    report_string(report, NULL, "object", object);
    report_string(report, NULL, "file", text_or_null(profile, routine->file));
    report_number(report, NULL, "line", routine->line > 0 ? routine->line : REPORT_UNKNOWN);
    list_values(showing, "self", showing->totals.routine_self, i);
    list_values(showing, "total", showing->totals.routine_total, i);
    list_extremes(showing, i);
    report_end(report);
    put_percents(showing, showing->totals.routine_self, showing->totals.routine_total, i);
    report_part(report, "%s", name);
    if (file[0] != '\0')
        report_part(report, "  %s:%d", path_base(file), routine->line);
    else if (object[0] != '\0')
        report_part(report, "  %s", path_base(object));
    report_blank(report);
}

static void show_routines(const struct showing *showing)
{
    const struct totals *totals = &showing->totals;
    int *order, shown,
        n = order_rows(showing, totals->routine_self, totals->routine_total, showing->profile->routines.n,
                       &order, &shown);
    head_columns(showing, "routine");
    report_list(showing->report, "routines");
    for (int i = 0; i < shown; i++)
        show_routine(showing, order[i]);
    report_end(showing->report);
    if (n > shown)
        report_line(showing->report, NULL, "and %d more (--lines=%d shows them)", n - shown, n);
    free(order);
}

/* ---- the ranks */

static void put_amount(const struct showing *showing, uint64_t value)
{
    char digits[32];
    if (showing->profile->event[0].clock)
        report_part(showing->report, "%10.3f s", (double)value * 1e-9);
    else
        report_part(showing->report, "%16s", grouped(value, digits));
}

static void print_extremes(const struct showing *showing, int i)
{
    const struct profile *profile = showing->profile;
    const struct extremes *extremes = &profile->extremes[i];
    struct report *report = showing->report;
    put_amount(showing, extremes->least);
    report_part(report, "%7d", extremes->least_rank);
    put_amount(showing, totals_of(showing->totals.routine_self, i, 0) / (uint64_t)profile->ranks);
    put_amount(showing, extremes->most);
    report_part(report, "%7d  %s", extremes->most_rank,
                profile_text(profile, profile_routine_at(profile, i)->name));
    report_blank(report);
}

static void show_extremes(const struct showing *showing)
{
    const struct profile *profile = showing->profile;
    int width = profile->event[0].clock ? 12 : 16, *order;
    if (profile->n_extremes != profile->routines.n || profile->ranks < 2)
        return;
    int n = totals_order(showing->totals.routine_self, profile->routines.n, &order);
    report_blank(showing->report);
    report_line(showing->report, NULL, "self over %d ranks", profile->ranks);
    report_line(showing->report, NULL, "%*s%7s%*s%*s%7s  routine", width, "least", "rank", width, "mean",
                width, "most", "rank");
    for (int i = 0; i < n && i < showing->most; i++)
        print_extremes(showing, order[i]);
    free(order);
}

/* ---- the lines */

static const char *arithmetic_word(struct arithmetic here, char word[16])
{
    if (here.bits == 0)
        return here.scalar ? "scalar" : "";
    snprintf(word, 16, "%s %d", here.scalar ? "both" : "vector", (int)here.bits);
    return word;
}

static bool any_arithmetic(const struct showing *showing)
{
    bool any = false;
    for (int i = 0; i < showing->totals.lines.n; i++)
        any |= showing->totals.line_arithmetic[i].scalar || showing->totals.line_arithmetic[i].bits > 0;
    return any;
}

static void list_arithmetic(struct report *report, struct arithmetic here)
{
    report_flag(report, NULL, "scalar", here.scalar);
    report_number(report, NULL, "vector_bits", here.bits);
}

static void show_line(struct showing *showing, int i, bool arithmetic)
{
    const struct profile *profile = showing->profile;
    const struct line_key *key = index_key(&showing->totals.lines, i);
    const struct routine *routine = profile_routine_at(profile, showing->totals.line_routine[i]);
    struct report *report = showing->report;
    const char *file = profile_text(profile, key->file),
               *text = sources_line(&showing->sources, key->file, key->line);
    char word[16];
    report_object(report, NULL);
    report_string(report, NULL, "file", file);
    report_number(report, NULL, "line", key->line);
    report_string(report, NULL, "routine", profile_text(profile, routine->name));
    report_string(report, NULL, "text", text);
    list_values(showing, "self", showing->totals.line_self, i);
    list_values(showing, "total", showing->totals.line_total, i);
    list_arithmetic(report, showing->totals.line_arithmetic[i]);
    report_end(report);
    put_percents(showing, showing->totals.line_self, showing->totals.line_total, i);
    if (arithmetic)
        report_part(report, "%-11s ", arithmetic_word(showing->totals.line_arithmetic[i], word));
    report_part(report, "%s:%d", path_base(file), key->line);
    if (text != NULL)
        report_part(report, "  %s", text + strspn(text, " \t"));
    report_blank(report);
}

static void show_lines(struct showing *showing)
{
    struct report *report = showing->report;
    const struct totals *totals = &showing->totals;
    int *order, shown,
        n = order_rows(showing, totals->line_self, totals->line_total, totals->lines.n, &order, &shown);
    report_list(report, "lines");
    bool arithmetic = any_arithmetic(showing);
    if (n > 0)
        head_columns(showing, arithmetic ? "arithmetic  line" : "line");
    for (int i = 0; i < shown; i++)
        show_line(showing, order[i], arithmetic);
    report_end(report);
    free(order);
}

/* ---- the loops */

struct loop_row {
    const struct listing *code;
    struct listed_loop loop;
};

static int by_self(const void *a, const void *b)
{
    const struct loop_row *one = a, *other = b;
    if (one->loop.self[0] != other->loop.self[0])
        return one->loop.self[0] > other->loop.self[0] ? -1 : 1;
    return one->loop.nest[0] != other->loop.nest[0] ? one->loop.nest[0] > other->loop.nest[0] ? -1 : 1 : 0;
}

/* Lists the loops in which something happened, those with most of the first event first. The caller frees the
 * list. */
static struct loop_row *list_loops(const struct profile *profile, int *n)
{
    struct loop_row *list = NULL;
    struct listed_loops loops;
    int room = 0;
    *n = 0;
    for (int i = 0; i < profile->n_listings; i++) {
        listed_loops_find(&loops, profile, &profile->listing[i]);
        for (int l = 0; l < loops.n; l++)
            if (loops.loop[l].nest[0] > 0) {
                MEMORY_ONE_MORE(list, *n, room);
                list[(*n)++] = (struct loop_row){&profile->listing[i], loops.loop[l]};
            }
        listed_loops_free(&loops);
    }
    if (*n > 0)
        qsort(list, (size_t)*n, sizeof *list, by_self);
    return list;
}

static void list_loop(const struct showing *showing, const struct loop_row *row)
{
    const struct profile *profile = showing->profile;
    const struct listed_loop *loop = &row->loop;
    struct report *report = showing->report;
    report_object(report, NULL);
    report_string(report, NULL, "routine",
                  profile_text(profile, profile_routine_at(profile, loop->routine)->name));
    report_string(report, NULL, "file", text_or_null(profile, loop->file));
    report_number(report, NULL, "first_line", loop->first_line > 0 ? loop->first_line : REPORT_UNKNOWN);
    report_number(report, NULL, "last_line", loop->last_line > 0 ? loop->last_line : REPORT_UNKNOWN);
    report_number(report, NULL, "depth", loop->depth);
    list_values(showing, "self", loop->self, 0);
    list_values(showing, "nest", loop->nest, 0);
    report_number(report, NULL, "iterations",
                  row->code->counted ? (long long)loop->iterations : REPORT_UNKNOWN);
    report_number(report, NULL, "entries", row->code->counted ? (long long)loop->entries : REPORT_UNKNOWN);
    list_arithmetic(report, loop->arithmetic);
    report_end(report);
}

static void print_iterations(const struct showing *showing, const struct loop_row *row)
{
    char times[32], iterations[32] = "-";
    if (!row->code->counted)
        return;
    if (row->loop.entries > 0)
        snprintf(iterations, sizeof iterations, "%.1f",
                 (double)row->loop.iterations / (double)row->loop.entries);
    report_part(showing->report, "%14s %12s  ", grouped(row->loop.entries, times), iterations);
}

static void print_loop(const struct showing *showing, const struct loop_row *row, bool arithmetic)
{
    const struct profile *profile = showing->profile;
    const struct listed_loop *loop = &row->loop;
    struct report *report = showing->report;
    char word[16];
    for (int e = 0; e < profile->n_events; e++)
        report_part(report, "%s%6.2f %%", e > 0 ? " " : "", percent(showing, loop->self[e], e));
    report_part(report, "%s%6.2f %%  ", profile->n_events > 1 ? "  " : " ",
                percent(showing, loop->nest[0], 0));
    print_iterations(showing, row);
    if (arithmetic)
        report_part(report, "%-11s ", arithmetic_word(loop->arithmetic, word));
    if (loop->first_line > 0)
        report_part(report, "%s:%d", path_base(profile_text(profile, loop->file)), loop->first_line);
    if (loop->last_line > loop->first_line)
        report_part(report, "-%d", loop->last_line);
    if (loop->first_line > 0)
        report_part(report, "  ");
    report_part(report, "%s", profile_text(profile, profile_routine_at(profile, loop->routine)->name));
    report_blank(report);
}

static void head_loops(const struct showing *showing, bool arithmetic)
{
    struct report *report = showing->report;
    int n = showing->profile->n_events;
    report_blank(report);
    report_part(report, "%s", n == 1 ? "    self" : "self [1]");
    for (int e = 1; e < n; e++)
        report_part(report, "      [%d]", e + 1);
    report_part(report, "%s", n == 1 ? "     nest" : "  nest [1]");
    if (showing->profile->listing[0].counted)
        report_part(report, "  %14s %12s", "entries", "iterations");
    report_line(report, NULL, "  %sloop", arithmetic ? "arithmetic  " : "");
}

/* Loops with less than a half per cent are left to programs. */
static void show_loops(const struct showing *showing)
{
    int n;
    struct loop_row *list = list_loops(showing->profile, &n);
    bool arithmetic = any_arithmetic(showing);
    report_list(showing->report, "loops");
    for (int i = 0; i < n; i++)
        list_loop(showing, &list[i]);
    report_end(showing->report);
    if (n > 0)
        head_loops(showing, arithmetic);
    for (int i = 0; i < n && i < showing->most; i++)
        if (percent(showing, list[i].loop.nest[0], 0) >= 0.5)
            print_loop(showing, &list[i], arithmetic);
    free(list);
}

/* ---- all */

void profile_print(struct report *report, const struct profile *profile, int most)
{
    struct showing showing = {
        .report = report, .profile = profile, .most = most, .sources = {.profile = profile}};
    struct notes notes = {.n = 0};
    totals_make(&showing.totals, profile);
    show_head(&showing);
    show_routines(&showing);
    show_extremes(&showing);
    show_lines(&showing);
    show_loops(&showing);
    devices_print(report, profile, &showing.sources, most);
    data_print(report, profile, &showing.sources, most);
    sampled_data_print(report, profile, &showing.sources, most);
    lines_print(report, profile, &showing.sources, most);
    branches_print(report, profile, most);
    list_notes(&showing);
    notes_on_objects(&notes, profile, &showing.totals);
    sources_note(&showing.sources, &notes);
    say_notes(&showing, &notes, true);
    sources_free(&showing.sources);
    totals_free(&showing.totals);
}

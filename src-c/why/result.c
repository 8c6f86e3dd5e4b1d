/* SPDX-License-Identifier: BSD-3-Clause */
#include "result.h"
#include "base/visible.h"
#include "tools/common/allocate.h"
#include "tools/common/tool_files.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- values
 *
 * Made by json_pack, because base/json.h has functions of the names of Jansson's own. */

const char *result_text(const json_t *from, const char *key)
{
    const char *text = json_string_value(json_object_get(from, key));
    return text != NULL ? text : "";
}

double result_real(const json_t *from, const char *key)
{
    return json_number_value(json_object_get(from, key));
}

static json_t *visible_text(const char *text)
{
    size_t size = visible(NULL, 0, text) + 1;
    char *clean = memory_more(NULL, size, 1);
    visible(clean, size, text);
    json_t *made = or_end(json_pack("s", clean));
    free(clean);
    return made;
}

static void put(json_t *into, const char *key, json_t *value)
{
    if (json_object_set_new(into, key, or_end(value)) != 0)
        memory_is_out();
}

static void add(json_t *into, json_t *value)
{
    if (json_array_append_new(into, or_end(value)) != 0)
        memory_is_out();
}

static json_t *whole_number(json_int_t value)
{
    return json_pack("I", value);
}

static void put_text(json_t *into, const char *key, const char *text)
{
    put(into, key, text != NULL ? visible_text(text) : json_null());
}

/* Rounds to so many decimals: more of them say nothing. */
static json_t *rounded(double value, int decimals)
{
    double scale = pow(10, decimals);
    return json_pack("f", isfinite(value) ? round(value * scale) / scale : 0.0);
}

/* ---- source */

/* Reads lines around the one that a reason names. NULL: there is no such file, or it has no such line. */
static json_t *lines_around(const struct where *at)
{
    enum { AROUND = 3 };
    const char *unread;
    char *line = NULL;
    size_t room = 0;
    FILE *in = at->line > 0 ? input_open(at->file, &unread) : NULL;
    json_t *lines = or_end(json_array());
    int number = 0, first = at->line > AROUND ? at->line - AROUND : 1;
    while (in != NULL && number < at->line + AROUND && getline(&line, &room, in) > 0)
        if (++number >= first) {
            line[strcspn(line, "\r\n")] = '\0';
            add(lines, visible_text(line));
        }
    if (in != NULL)
        fclose(in);
    free(line);
    if (in == NULL || number < at->line) {
        json_decref(lines);
        return NULL;
    }
    json_t *around = or_end(json_object());
    put(around, "first", whole_number(first));
    put(around, "lines", lines);
    return around;
}

static void put_source(json_t *into, const struct where *at)
{
    json_t *around = lines_around(at);
    const json_t *lines = json_object_get(around, "lines");
    json_int_t first = json_integer_value(json_object_get(around, "first"));
    const char *line = json_string_value(json_array_get(lines, (size_t)(at->line - first)));
    put_text(into, "source", line != NULL ? line + strspn(line, " \t") : NULL);
    put(into, "around", around != NULL ? around : json_null());
}

/* ---- figures */

const struct result_figure result_figures[] = {
    {"seconds", "seconds of all threads", "%.3g", 1},
    {"seconds_alone", "seconds where all threads have one processor", "%.3g", 1},
    {"iterations", "iterations", "%.3g", 1},
    {"cycles", "cycles an iteration", "%.1f", 1},
    {"chain_cycles", "cycles that an iteration waits for the one before, with all data in the first cache",
     "%.1f", 1},
    {"unit_cycles", "cycles that the units need for an iteration", "%.1f", 1},
    {"l1_misses", "misses of the first cache an iteration", "%.3g", 1},
    {"l2_misses", "misses of the second cache an iteration", "%.3g", 1},
    {"memory_lines", "lines from and to memory an iteration", "%.3g", 1},
    {"memory_bytes", "GB/s from and to memory", "%.3g", 1e-9},
    {"memory_one_core", "GB/s that memory can deliver to one core", "%.3g", 1e-9},
    {"memory_all_cores", "GB/s that memory can deliver to all cores", "%.3g", 1e-9},
    {"measured_cycles", "cycles, by the processor's counters", "%.3g", 1},
    {"instructions_a_cycle", "instructions a cycle, by the processor's counters", "%.3g", 1},
    {"mispredictions", "branch mispredictions in 1000 instructions, by the processor's counters", "%.3g", 1},
    {"last_misses", "misses of the last cache in 1000 instructions, by the processor's counters", "%.3g", 1},
    {"undecided", "iterations in which the branch goes the other way, of all", "%.3g", 1},
    {"instructions", "instructions an iteration", "%.1f", 1},
    {"loads", "loads in its code", "%.0f", 1},
    {"stores", "stores in its code", "%.0f", 1},
    {"scalar", "operations on one number in its code", "%.0f", 1},
    {"vector", "operations on vectors in its code", "%.0f", 1},
    {"bits", "bits of its vectors", "%.0f", 1},
    {"divides", "divisions in its code", "%.0f", 1},
    {"roots", "square roots in its code", "%.0f", 1},
    {"integer_divides", "divisions of integers in its code", "%.0f", 1},
    {"converts", "conversions in its code", "%.0f", 1},
    {"branches", "branches in its code", "%.0f", 1},
    {"calls", "calls in its code", "%.0f", 1},
    {"atomics", "atomic operations in its code", "%.0f", 1},
    {"stride", "bytes by which an access moves on in an iteration", "%.0f", 1},
};
const int n_result_figures = sizeof result_figures / sizeof *result_figures;

static void put_figure(json_t *into, const char *key, double value)
{
    const int digits = 4;
    double size = value != 0 && isfinite(value) ? ceil(log10(fabs(value))) : 0;
    if (value > 0)
        put(into, key, rounded(value, (int)fmax(0, digits - size)));
}

static void put_counted(json_t *figures, const struct facts *facts, const struct why_loop *loop)
{
    enum { LINE = 64 };
    const double least_lines = 0.001; /* of an iteration: fewer are those that it begins with */
    double lines = loop->last_reads + loop->last_writes;
    if (!loop->counted || loop->turns <= 0)
        return;
    put_figure(figures, "iterations", loop->turns);
    put_figure(figures, "cycles", loop->seconds * facts->cycles / loop->turns);
    put_figure(figures, "instructions", loop->instructions / loop->turns);
    put(figures, "l1_misses", rounded(loop->l1_misses / loop->turns, 4));
    put(figures, "l2_misses", rounded(loop->l2_misses / loop->turns, 4));
    put(figures, "memory_lines", rounded(lines / loop->turns, 4));
    put(figures, "undecided", rounded(loop->undecided_turns / loop->turns, 4));
    if (lines < least_lines * loop->turns)
        return;
    put_figure(figures, "memory_bytes", loop->seconds > 0 ? lines * LINE / loop->seconds : 0);
    put_figure(figures, "memory_one_core", facts->one_core);
    put_figure(figures, "memory_all_cores", facts->all_cores);
}

static void put_measured(json_t *figures, const struct measured *measured)
{
    double thousands = measured->instructions / 1000;
    if (!measured->known)
        return;
    put_figure(figures, "measured_cycles", measured->cycles);
    if (thousands <= 0)
        return;
    put(figures, "instructions_a_cycle", rounded(measured->instructions / measured->cycles, 4));
    if (measured->mispredictions >= 0)
        put(figures, "mispredictions", rounded(measured->mispredictions / thousands, 4));
    if (measured->last_misses >= 0)
        put(figures, "last_misses", rounded(measured->last_misses / thousands, 4));
}

static json_t *figures_of(const struct facts *facts, const struct why_loop *loop)
{
    json_t *figures = or_end(json_object());
    if (loop == NULL)
        return figures;
    put_figure(figures, "seconds", loop->seconds);
    put_figure(figures, "seconds_alone", loop->seconds_alone);
    put_counted(figures, facts, loop);
    put_measured(figures, &loop->measured);
    if (!loop->known)
        return figures;
    const struct {
        const char *key;
        double value;
    } rows[] = {
        {"chain_cycles", loop->chain_cycles},
        {"unit_cycles", loop->at_least},
        {"loads", loop->loads},
        {"stores", loop->stores},
        {"scalar", loop->scalar},
        {"vector", loop->vector},
        {"bits", loop->bits},
        {"divides", loop->divides},
        {"roots", loop->roots},
        {"integer_divides", loop->integer_divides},
        {"converts", loop->converts},
        {"branches", loop->branches},
        {"calls", loop->calls},
        {"atomics", loop->atomics},
        {"stride", loop->stride},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        put_figure(figures, rows[i].key, rows[i].value);
    return figures;
}

/* ---- reasons */

static json_t *reason_of(const struct facts *facts, const struct why_reason *reason)
{
    json_t *made = or_end(json_object());
    put_text(made, "reason", reason_names[reason->kind]);
    put_text(made, "confidence", confidence_names[reason->confidence]);
    put(made, "share", rounded(reason->share, 4));
    put_text(made, "routine", reason->at.routine);
    put_text(made, "file", reason->at.file);
    put(made, "line", whole_number(reason->at.line));
    put_source(made, &reason->at);
    put_text(made, "sentence", reason->sentence);
    put_text(made, "helps", reason->helps);
    put_text(made, "ask", reason->ask);
    put(made, "figures", figures_of(facts, reason->loop));
    return made;
}

/* ---- timeline */

/* The number of pieces until the last one with a thread in it. */
static int pieces_of(const struct timeline *timeline)
{
    int n = 0;
    for (int i = 0; i < timeline->n; i++)
        for (int j = n; j < TIMELINE_PIECES; j++)
            if (timeline->thread[i].piece[j].looks > 0)
                n = j + 1;
    return n;
}

static void put_shares(json_t *into, const struct timeline_shares *shares)
{
    const int decimals = 3;
    put(into, "computing", rounded(shares->computing, decimals));
    put(into, "kernel", rounded(shares->kernel, decimals));
    put(into, "processor", rounded(shares->processor, decimals));
    put(into, "waiting", rounded(shares->waiting, decimals));
}

static json_t *thread_of(const struct timeline_thread *thread, int pieces)
{
    json_t *made = or_end(json_object()), *list = or_end(json_array());
    struct timeline_shares all = timeline_shares(thread, -1);
    put_shares(made, &all);
    for (int i = 0; i < pieces; i++) {
        struct timeline_shares shares = timeline_shares(thread, i);
        json_t *piece = or_end(shares.looks > 0 ? json_object() : json_null());
        if (shares.looks > 0)
            put_shares(piece, &shares);
        add(list, piece);
    }
    put(made, "pieces", list);
    return made;
}

static json_t *timeline_of(const struct timeline *timeline)
{
    json_t *made = or_end(json_object()), *threads = or_end(json_array());
    int pieces = pieces_of(timeline);
    put(made, "piece_seconds", rounded(timeline->length, 6));
    put(made, "left_out", whole_number(timeline->left_out));
    for (int i = 0; i < timeline->n; i++)
        add(threads, thread_of(&timeline->thread[i], pieces));
    put(made, "threads", threads);
    return made;
}

/* ---- all */

static void put_run(json_t *result, const struct facts *facts)
{
    put(result, "seconds", rounded(facts->wall, 6));
    put(result, "user", rounded(facts->user, 6));
    put(result, "system", rounded(facts->system, 6));
    put(result, "idle", rounded(facts->idle, 4));
    put(result, "delayed", rounded(facts->delayed, 4));
    put(result, "sampled", rounded(facts->sampled, 6));
    put(result, "threads", whole_number(facts->threads));
    put(result, "processors", whole_number(facts->processors));
    put(result, "ranks", whole_number(facts->ranks));
    put(result, "measured", json_boolean(facts->measured));
    put(result, "counted", json_boolean(facts->counted));
}

json_t *result_make(const struct gather *gather, const struct reasons *reasons, const char *command, int most)
{
    json_t *result = or_end(json_object()), *list = or_end(json_array()), *unknown = or_end(json_array());
    put_text(result, "command", command);
    put_run(result, &gather->facts);
    for (int i = 0; i < reasons->n && i < most; i++)
        add(list, reason_of(&gather->facts, &reasons->reason[i]));
    for (int i = 0; i < gather->n_unknown; i++)
        add(unknown, visible_text(gather->unknown[i]));
    put(result, "reasons", list);
    put(result, "unknown", unknown);
    put(result, "timeline", timeline_of(&gather->watch.timeline));
    return result;
}

struct result_run result_run(const json_t *result)
{
    double user = result_real(result, "user"), system = result_real(result, "system");
    double idle = result_real(result, "idle"), used = user + system;
    int threads = (int)result_real(result, "threads");
    return (struct result_run){.seconds = result_real(result, "seconds"),
                               .computing = used > 0 ? (1 - idle) * user / used : 0,
                               .kernel = used > 0 ? (1 - idle) * system / used : 0,
                               .waiting = idle,
                               .delayed = result_real(result, "delayed"),
                               .threads = threads < 1 ? 1 : threads,
                               .ranks = (int)result_real(result, "ranks"),
                               .processors = (int)result_real(result, "processors")};
}

char *result_without_reasons(const json_t *result)
{
    const double least = 0.05; /* seconds */
    if (result_real(result, "sampled") < least)
        return memory_text("No reason was found: the program computes for less than 0.05 s, which is too "
                           "short to be looked at; a larger input, or many repetitions, can be.");
    return memory_print("No reason was found: no line has a tenth of the time. papi_profile %s",
                        result_text(result, "command"));
}

void result_write(FILE *out, const json_t *result)
{
    char *text = or_end(json_dumps(result, JSON_INDENT(1) | JSON_REAL_PRECISION(12)));
    fprintf(out, "%s\n", text);
    free(text);
}

void result_free(json_t *result)
{
    json_decref(result);
}

const json_t *result_reason(const json_t *result, int number)
{
    return json_array_get(json_object_get(result, "reasons"), (size_t)number);
}

const char *result_unknown(const json_t *result, int number)
{
    return json_string_value(json_array_get(json_object_get(result, "unknown"), (size_t)number));
}

json_t *result_read(const char *path, char **why)
{
    const char *unread = NULL;
    json_error_t error;
    FILE *in = input_open(path, &unread);
    json_t *result = in != NULL ? json_loadf(in, 0, &error) : NULL;
    if (in == NULL)
        *why = memory_print("%s: %s", path, unread != NULL ? unread : strerror(errno));
    else if (!json_is_string(json_object_get(result, "command")) ||
             !json_is_array(json_object_get(result, "reasons"))) {
        *why = memory_print("%s: not a result of papi_why --json -o FILE PROGRAM", path);
        json_decref(result);
        result = NULL;
    }
    if (in != NULL)
        fclose(in);
    return result;
}

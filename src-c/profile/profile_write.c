/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/json.h"
#include "listed_loops.h"
#include "loops/loops_file.h"
#include "notes.h"
#include "profile_file.h"
#include "tools/common/allocate.h"
#include "totals.h"

#include <stdlib.h>

/* Opens a row of a table, which is written in one line. */
static void open_row(struct json *json)
{
    json_open(json, NULL, '[');
    json->in_line = true;
}

static void close_row(struct json *json)
{
    json_close(json, ']');
    json->in_line = false;
}

static void put_row(struct json *json, const int32_t *number, int n)
{
    open_row(json);
    for (int i = 0; i < n; i++)
        json_integer(json, NULL, number[i]);
    close_row(json);
}

static void put_index(struct json *json, const char *key, const struct index *index, int columns)
{
    json_open(json, key, '[');
    for (int i = 0; i < index->n; i++)
        put_row(json, index_key(index, i), columns);
    json_close(json, ']');
}

/* ---- the head */

static void put_command(struct json *json, const struct profile *profile)
{
    json_open(json, "command", '[');
    for (char **word = profile->command; word != NULL && *word != NULL; word++)
        json_string(json, NULL, *word);
    json_close(json, ']');
}

static void put_events(struct json *json, const struct profile *profile)
{
    json_open(json, "events", '[');
    for (int i = 0; i < profile->n_events; i++) {
        const struct profile_event *event = &profile->event[i];
        json_open(json, NULL, '{');
        json_string(json, "name", event->name);
        json_integer(json, "period", (long long)event->period);
        json_boolean(json, "clock", event->clock);
        json_boolean(json, "exact", event->exact);
        json_integer(json, "samples", (long long)event->samples);
        json_integer(json, "enabled", (long long)event->enabled);
        json_integer(json, "running", (long long)event->running);
        if (event->precise != 0)
            json_integer(json, "precise", event->precise - PRECISE_KNOWN);
        json_close(json, '}');
    }
    json_close(json, ']');
}

static void put_processes(struct json *json, const struct profile *profile)
{
    json_open(json, "processes", '[');
    for (int i = 0; i < profile->n_processes; i++) {
        const struct profile_process *process = &profile->process[i];
        json_open(json, NULL, '{');
        json->in_line = true;
        json_integer(json, "pid", process->pid);
        json_string(json, "command", process->command);
        json_integer(json, "threads", process->threads);
        json_close(json, '}');
        json->in_line = false;
    }
    json_close(json, ']');
}

/* ---- the tables */

static void put_strings(struct json *json, const struct profile *profile)
{
    json_open(json, "strings", '[');
    for (int i = 0; i < profile->strings.n; i++)
        json_string(json, NULL, profile_text(profile, i));
    json_close(json, ']');
}

/* Objects of which something is missing: [string, lines, names]. */
static void put_lacking(struct json *json, const struct profile *profile)
{
    json_open(json, "lacking", '[');
    for (int i = 0; i < profile->strings.n; i++) {
        int32_t row[] = {i, profile_lacks_lines(profile, i), profile_lacks_names(profile, i)};
        if (row[1] || row[2])
            put_row(json, row, 3);
    }
    json_close(json, ']');
}

static void put_tree(struct json *json, const struct profile *profile)
{
    json_open(json, "tree", '[');
    for (int i = 0; i < profile->nodes.n; i++) {
        const struct node *node = profile_node_at(profile, i);
        open_row(json);
        json_integer(json, NULL, node->parent);
        json_integer(json, NULL, node->place);
        json_integer(json, NULL, node->inlined);
        for (int e = 0; e < profile->n_events; e++)
            json_integer(json, NULL, (long long)profile_value(profile, i, e));
        close_row(json);
    }
    json_close(json, ']');
}

/* Writes a row for each place that calculates: [place, on single numbers, bits of vectors]. */
static void put_arithmetic(struct json *json, const struct profile *profile)
{
    json_open(json, "arithmetic", '[');
    for (int i = 0; i < profile->places.n; i++) {
        struct arithmetic here = profile_arithmetic(profile, i);
        int32_t row[] = {i, here.scalar, here.bits};
        if (here.scalar || here.bits > 0)
            put_row(json, row, 3);
    }
    json_close(json, ']');
}

static void put_values(struct json *json, const struct profile *profile, const uint64_t *value)
{
    for (int e = 0; e < profile->n_events; e++)
        json_integer(json, NULL, (long long)value[e]);
}

/* [address, place, text, flow, target, runs, taken, events...] */
static void put_instruction(struct json *json, const struct profile *profile, const struct instruction *row)
{
    open_row(json);
    json_integer(json, NULL, (long long)row->address);
    json_integer(json, NULL, row->place);
    json_integer(json, NULL, row->text);
    json_integer(json, NULL, row->flow);
    json_integer(json, NULL, (long long)row->target);
    json_integer(json, NULL, (long long)row->runs);
    json_integer(json, NULL, (long long)row->taken);
    put_values(json, profile, row->value);
    close_row(json);
}

/* Number of loops that each instruction is in. */
static void put_depths(struct json *json, const struct listing *code, const struct listed_loops *loops)
{
    json_open(json, "depths", '[');
    json->in_line = true;
    for (int i = 0; i < code->n; i++)
        json_integer(json, NULL, loops->of_row[i] >= 0 ? loops->loop[loops->of_row[i]].depth : 0);
    json_close(json, ']');
    json->in_line = false;
}

static void put_code(struct json *json, const struct profile *profile, const struct listed_loops *loops)
{
    json_open(json, "listings", '[');
    for (int i = 0; i < profile->n_listings; i++) {
        const struct listing *code = &profile->listing[i];
        json_open(json, NULL, '{');
        json_integer(json, "routine", code->routine);
        json_integer(json, "object", code->object);
        json_boolean(json, "counted", code->counted);
        json_open(json, "rows", '[');
        for (int row = 0; row < code->n; row++)
            put_instruction(json, profile, &code->row[row]);
        json_close(json, ']');
        put_depths(json, code, &loops[i]);
        json_close(json, '}');
    }
    json_close(json, ']');
}

/* [code, row, loop around, routine, file, first line, last line, iterations, entries, events with the loops
 * inside...]
 */
static void put_loop(struct json *json, const struct profile *profile, int code,
                     const struct listed_loop *loop, int before)
{
    open_row(json);
    json_integer(json, NULL, code);
    json_integer(json, NULL, loop->head);
    json_integer(json, NULL, loop->parent >= 0 ? loop->parent + before : -1);
    json_integer(json, NULL, loop->routine);
    json_integer(json, NULL, loop->file);
    json_integer(json, NULL, loop->first_line);
    json_integer(json, NULL, loop->last_line);
    json_integer(json, NULL, (long long)loop->iterations);
    json_integer(json, NULL, (long long)loop->entries);
    put_values(json, profile, loop->self);
    put_values(json, profile, loop->nest);
    close_row(json);
}

static void put_loops(struct json *json, const struct profile *profile, const struct listed_loops *loops)
{
    int before = 0;
    json_open(json, "listed_loops", '[');
    for (int i = 0; i < profile->n_listings; i++) {
        for (int l = 0; l < loops[i].n; l++)
            put_loop(json, profile, i, &loops[i].loop[l], before);
        before += loops[i].n;
    }
    json_close(json, ']');
}

/* Instructions and loops; the loops are found again when the file is read. */
static void put_instructions(struct json *json, const struct profile *profile)
{
    struct listed_loops *loops = memory_more(NULL, (size_t)profile->n_listings + 1, sizeof *loops);
    for (int i = 0; i < profile->n_listings; i++)
        listed_loops_find(&loops[i], profile, &profile->listing[i]);
    put_code(json, profile, loops);
    put_loops(json, profile, loops);
    for (int i = 0; i < profile->n_listings; i++)
        listed_loops_free(&loops[i]);
    free(loops);
}

/* Data: [kind, name, object, place, bytes, allocations]. */
static void put_data(struct json *json, const struct profile *profile)
{
    json_open(json, "data", '[');
    for (int i = 0; i < profile->data.n; i++) {
        const struct datum *datum = index_key(&profile->data, i);
        const struct datum_counts *counts = &profile->datum_counts[i];
        open_row(json);
        json_integer(json, NULL, datum->kind);
        json_integer(json, NULL, datum->name);
        json_integer(json, NULL, datum->object);
        json_integer(json, NULL, datum->place);
        json_integer(json, NULL, (long long)counts->size);
        json_integer(json, NULL, (long long)counts->times);
        close_row(json);
    }
    json_close(json, ']');
}

/* Their use: [data, place, accesses, misses of three levels..., stride, equal, moves, fetched, used]. */
static void put_data_uses(struct json *json, const struct profile *profile)
{
    json_open(json, "data_uses", '[');
    for (int i = 0; i < profile->data_uses.n; i++) {
        const struct datum_use *use = index_key(&profile->data_uses, i);
        const struct datum_use_counts *counts = &profile->data_use_counts[i];
        open_row(json);
        json_integer(json, NULL, use->datum);
        json_integer(json, NULL, use->place);
        json_integer(json, NULL, (long long)counts->accesses);
        for (int level = 0; level < DATA_LEVELS; level++)
            json_integer(json, NULL, (long long)counts->miss[level]);
        json_integer(json, NULL, (long long)counts->stride);
        json_integer(json, NULL, (long long)counts->equal);
        json_integer(json, NULL, (long long)counts->moves);
        json_integer(json, NULL, (long long)counts->fetched);
        json_integer(json, NULL, (long long)counts->used);
        close_row(json);
    }
    json_close(json, ']');
}

/* Samples of it: [data, place, store, level, tlb, latency, samples]. */
static void put_data_samples(struct json *json, const struct profile *profile)
{
    json_open(json, "data_samples", '[');
    for (int i = 0; i < profile->data_samples.n; i++) {
        const struct datum_sample *sample = index_key(&profile->data_samples, i);
        open_row(json);
        json_integer(json, NULL, sample->datum);
        json_integer(json, NULL, sample->place);
        json_integer(json, NULL, sample->store);
        json_integer(json, NULL, sample->level);
        json_integer(json, NULL, sample->tlb);
        json_integer(json, NULL, sample->latency);
        json_integer(json, NULL, (long long)profile->n_data_samples[i]);
        close_row(json);
    }
    json_close(json, ']');
}

/* Lines that threads share: [address, process]. */
static void put_lines(struct json *json, const struct profile *profile)
{
    json_open(json, "lines", '[');
    for (int i = 0; i < profile->lines.n; i++) {
        const struct shared_line *line = index_key(&profile->lines, i);
        open_row(json);
        json_integer(json, NULL, (long long)line->address);
        json_integer(json, NULL, line->process);
        close_row(json);
    }
    json_close(json, ']');
}

/* Samples of them: [line, thread, data, place, within the data, offset, bytes, store, moved, samples, cycles
 * waited, squares of these]. */
static void put_line_uses(struct json *json, const struct profile *profile)
{
    json_integer(json, "line_bytes", profile->line_bytes);
    put_lines(json, profile);
    json_open(json, "line_uses", '[');
    for (int i = 0; i < profile->line_uses.n; i++) {
        const struct line_use *use = index_key(&profile->line_uses, i);
        const struct line_use_counts *counts = &profile->line_use_counts[i];
        const long long row[] = {use->line,
                                 use->thread,
                                 use->datum,
                                 use->place,
                                 use->within,
                                 use->offset,
                                 use->width,
                                 use->store,
                                 use->moved,
                                 (long long)counts->samples,
                                 (long long)counts->wait};
        open_row(json);
        for (size_t column = 0; column < sizeof row / sizeof row[0]; column++)
            json_integer(json, NULL, row[column]);
        json_real(json, NULL, counts->squares);
        close_row(json);
    }
    json_close(json, ']');
}

static void put_numbers(struct json *json, const long long *number, size_t n)
{
    open_row(json);
    for (size_t i = 0; i < n; i++)
        json_integer(json, NULL, number[i]);
    close_row(json);
}

/* Branches: [from, to, places of both, object, type, taken, records, told, mispredicted, timed, cycles]. */
static void put_branch_rows(struct json *json, const struct profile *profile)
{
    json_open(json, "branches", '[');
    for (int i = 0; i < profile->branches.n; i++) {
        const struct branch *branch = index_key(&profile->branches, i);
        const struct branch_counts *counts = &profile->branch_counts[i];
        const long long row[] = {(long long)branch->from,  (long long)branch->to,
                                 branch->from_place,       branch->to_place,
                                 branch->object,           branch->type,
                                 (long long)counts->taken, (long long)counts->stacks,
                                 (long long)counts->told,  (long long)counts->mispredicted,
                                 (long long)counts->timed, (long long)counts->cycles};
        put_numbers(json, row, sizeof row / sizeof row[0]);
    }
    json_close(json, ']');
}

/* Loops of them: [head, object, place, end, its place, arrivals, entries, records]. */
static void put_branch_loops(struct json *json, const struct profile *profile)
{
    json_open(json, "branch_loops", '[');
    for (int i = 0; i < profile->branch_loops.n; i++) {
        const struct branch_loop *loop = index_key(&profile->branch_loops, i);
        const struct branch_loop_counts *counts = &profile->branch_loop_counts[i];
        const long long row[] = {(long long)loop->head,
                                 loop->object,
                                 loop->place,
                                 (long long)counts->end,
                                 counts->end_place,
                                 (long long)counts->arrivals,
                                 (long long)counts->entries,
                                 (long long)counts->stacks};
        put_numbers(json, row, sizeof row / sizeof row[0]);
    }
    json_close(json, ']');
}

static void put_branches(struct json *json, const struct profile *profile)
{
    const struct branch_sums *all = &profile->branch_sums;
    json_open(json, "branch_sums", '{');
    json_integer(json, "stacks", (long long)all->stacks);
    json_integer(json, "taken", (long long)all->taken);
    json_integer(json, "told", (long long)all->told);
    json_integer(json, "mispredicted", (long long)all->mispredicted);
    json_integer(json, "mispredicted_stacks", (long long)all->mispredicted_stacks);
    json_integer(json, "broken", (long long)all->broken);
    json_close(json, '}');
    put_branch_rows(json, profile);
    put_branch_loops(json, profile);
}

/* Work of devices: [node, kind, times, least, most, bytes]; its time is the node's. */
static void put_device_work(struct json *json, const struct profile *profile)
{
    json_open(json, "device_work", '[');
    for (int i = 0; i < profile->device_nodes.n; i++) {
        const struct device_sum *sum = &profile->device_sum[i];
        open_row(json);
        json_integer(json, NULL, *(const int32_t *)index_key(&profile->device_nodes, i));
        json_integer(json, NULL, sum->kind);
        json_integer(json, NULL, (long long)sum->times);
        json_integer(json, NULL, (long long)sum->least);
        json_integer(json, NULL, (long long)sum->most);
        json_integer(json, NULL, (long long)sum->bytes);
        close_row(json);
    }
    json_close(json, ']');
}

static void put_devices(struct json *json, const struct profile *profile)
{
    const struct profile_devices *devices = &profile->devices;
    if (profile_device_event(profile) == PROFILE_NONE)
        return;
    json_open(json, "devices", '{');
    json_integer(json, "processes", devices->processes);
    json_integer(json, "unended", devices->unended);
    json_integer(json, "dropped", (long long)devices->dropped);
    json_integer(json, "unfinished", (long long)devices->unfinished);
    json_string(json, "reason", devices->why);
    json_close(json, '}');
    put_device_work(json, profile);
}

static void put_extremes(struct json *json, const struct profile *profile)
{
    json_open(json, "spread", '[');
    for (int i = 0; i < profile->n_extremes && i < profile->routines.n; i++) {
        const struct extremes *extremes = &profile->extremes[i];
        open_row(json);
        json_integer(json, NULL, i);
        json_integer(json, NULL, (long long)extremes->least);
        json_integer(json, NULL, extremes->least_rank);
        json_integer(json, NULL, (long long)extremes->most);
        json_integer(json, NULL, extremes->most_rank);
        close_row(json);
    }
    json_close(json, ']');
}

/* Writes the notes for programs that show the file in another way; they are not read again. */
static void put_notes(struct json *json, const struct profile *profile)
{
    struct notes notes = {.n = 0};
    struct totals totals;
    totals_make(&totals, profile);
    notes_make(&notes, profile, &totals);
    json_open(json, "notes", '[');
    for (int i = 0; i < notes.n; i++)
        json_string(json, NULL, notes.text[i]);
    json_close(json, ']');
    notes_free(&notes);
    totals_free(&totals);
}

void file_write_with(FILE *out, const struct profile *profile, void (*more)(struct json *json, void *data),
                     void *data)
{
    struct json json = {.out = out};
    json_open(&json, NULL, '{');
    json_string(&json, "format", "papi_profile");
    json_integer(&json, "version", 1);
    put_command(&json, profile);
    json_string(&json, "host", profile->host);
    json_integer(&json, "started", profile->started);
    json_number(&json, "seconds", profile->seconds);
    json_integer(&json, "ranks", profile->ranks);
    json_integer(&json, "lost", (long long)profile->lost);
    json_integer(&json, "throttled", (long long)profile->throttled);
    put_events(&json, profile);
    put_processes(&json, profile);
    put_strings(&json, profile);
    put_lacking(&json, profile);
    put_index(&json, "routines", &profile->routines, 4);
    put_index(&json, "places", &profile->places, 3);
    put_arithmetic(&json, profile);
    loops_write(&json, profile);
    put_tree(&json, profile);
    put_instructions(&json, profile);
    put_data(&json, profile);
    put_data_uses(&json, profile);
    put_data_samples(&json, profile);
    if (profile->line_bytes > 0)
        put_line_uses(&json, profile);
    if (profile->branched)
        put_branches(&json, profile);
    put_devices(&json, profile);
    put_extremes(&json, profile);
    put_notes(&json, profile);
    if (more != NULL)
        more(&json, data);
    json_close(&json, '}');
}

void file_write(FILE *out, const struct profile *profile)
{
    file_write_with(out, profile, NULL, NULL);
}

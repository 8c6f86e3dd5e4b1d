/* SPDX-License-Identifier: BSD-3-Clause */
#include "call_tree.h"
#include "formats/device_activity.h"
#include "tools/common/allocate.h"

#include <stdlib.h>
#include <string.h>

int profile_string(struct profile *profile, const char *text)
{
    return index_of(&profile->strings, text, strlen(text) + 1);
}

int profile_routine(struct profile *profile, const struct routine *routine)
{
    return index_of(&profile->routines, routine, sizeof *routine);
}

int profile_place(struct profile *profile, const struct place *place)
{
    return index_of(&profile->places, place, sizeof *place);
}

int profile_node(struct profile *profile, const struct node *node)
{
    int before = profile->nodes.n, number = index_of(&profile->nodes, node, sizeof *node);
    if (profile->nodes.n == before)
        return number;
    if (number >= profile->value_room) {
        profile->value_room = number + number / 2 + 64;
        profile->value =
            memory_more(profile->value, (size_t)profile->value_room * PROFILE_EVENTS, sizeof *profile->value);
    }
    memset(profile->value + (size_t)number * PROFILE_EVENTS, 0, PROFILE_EVENTS * sizeof *profile->value);
    return number;
}

struct profile_process *profile_process(struct profile *profile, long pid, const char *command)
{
    MEMORY_ONE_MORE(profile->process, profile->n_processes, profile->process_room);
    struct profile_process *process = &profile->process[profile->n_processes++];
    *process = (struct profile_process){.pid = pid, .command = memory_text(command), .threads = 1};
    return process;
}

void profile_count(struct profile *profile, int node, int event, uint64_t amount)
{
    uint64_t *value = &profile->value[(size_t)node * PROFILE_EVENTS + (size_t)event];
    *value = profile_sum(*value, amount);
    profile->event[event].sum = profile_sum(profile->event[event].sum, amount);
}

/* ---- arithmetic */

void profile_calculates(struct profile *profile, int place, const struct arithmetic *arithmetic)
{
    if (place >= profile->arithmetic_room) {
        int room = place + place / 2 + 64;
        profile->arithmetic = memory_more(profile->arithmetic, (size_t)room, sizeof *profile->arithmetic);
        for (int i = profile->arithmetic_room; i < room; i++)
            profile->arithmetic[i] = (struct arithmetic){.bits = 0};
        profile->arithmetic_room = room;
    }
    profile->arithmetic[place].scalar |= arithmetic->scalar;
    if (arithmetic->bits > profile->arithmetic[place].bits)
        profile->arithmetic[place].bits = arithmetic->bits;
}

struct arithmetic profile_arithmetic(const struct profile *profile, int place)
{
    return place < profile->arithmetic_room ? profile->arithmetic[place] : (struct arithmetic){.bits = 0};
}

/* ---- objects */

void profile_lacks(struct profile *profile, int object, bool lines, bool names)
{
    if (object >= profile->object_room) {
        int room = object + 64;
        profile->unlined = memory_more(profile->unlined, (size_t)room, sizeof *profile->unlined);
        profile->unnamed = memory_more(profile->unnamed, (size_t)room, sizeof *profile->unnamed);
        for (int i = profile->object_room; i < room; i++)
            profile->unlined[i] = profile->unnamed[i] = false;
        profile->object_room = room;
    }
    profile->unlined[object] = lines;
    profile->unnamed[object] = names;
}

bool profile_lacks_lines(const struct profile *profile, int object)
{
    return object >= 0 && object < profile->object_room && profile->unlined[object];
}

bool profile_lacks_names(const struct profile *profile, int object)
{
    return object >= 0 && object < profile->object_room && profile->unnamed[object];
}

/* ---- code */

/* True for the same instructions at the same addresses: of two builds of a program only one is. */
static bool is_same_listing(const struct listing *one, const struct listing *other)
{
    bool same = one->routine == other->routine && one->object == other->object && one->n == other->n &&
                one->counted == other->counted;
    for (int i = 0; same && i < one->n; i++) {
        const struct instruction *a = &one->row[i], *b = &other->row[i];
        same = a->address == b->address && a->text == b->text && a->flow == b->flow && a->target == b->target;
    }
    return same;
}

static void add_rows(struct listing *to, const struct listing *from)
{
    for (int i = 0; i < to->n; i++) {
        to->row[i].runs = profile_sum(to->row[i].runs, from->row[i].runs);
        to->row[i].taken = profile_sum(to->row[i].taken, from->row[i].taken);
        for (int e = 0; e < PROFILE_EVENTS; e++)
            to->row[i].value[e] = profile_sum(to->row[i].value[e], from->row[i].value[e]);
    }
}

void profile_add_listing(struct profile *profile, const struct listing *code)
{
    for (int i = 0; i < profile->n_listings; i++)
        if (is_same_listing(&profile->listing[i], code)) {
            add_rows(&profile->listing[i], code);
            free(code->row);
            return;
        }
    MEMORY_ONE_MORE(profile->listing, profile->n_listings, profile->listing_room);
    profile->listing[profile->n_listings++] = *code;
}

/* ---- data */

static void add_to(uint64_t *sum, uint64_t amount)
{
    *sum = profile_sum(*sum, amount);
}

int profile_add_datum(struct profile *profile, const struct datum *datum, const struct datum_counts *counts)
{
    int before = profile->data.n, number = index_of(&profile->data, datum, sizeof *datum);
    if (profile->data.n > before) {
        MEMORY_ONE_MORE(profile->datum_counts, number, profile->datum_room);
        profile->datum_counts[number] = (struct datum_counts){.size = 0};
    }
    struct datum_counts *sum = &profile->datum_counts[number];
    if (datum->kind != DATUM_VARIABLE)
        add_to(&sum->size, counts->size);
    else if (counts->size > sum->size) /* the same in each process */
        sum->size = counts->size;
    add_to(&sum->times, counts->times);
    return number;
}

/* The stride is that of the instruction, or thread, with most accesses. */
void profile_add_use(struct profile *profile, const struct datum_use *use,
                     const struct datum_use_counts *counts)
{
    int before = profile->data_uses.n, number = index_of(&profile->data_uses, use, sizeof *use);
    if (profile->data_uses.n > before) {
        MEMORY_ONE_MORE(profile->data_use_counts, number, profile->data_use_room);
        profile->data_use_counts[number] = (struct datum_use_counts){.accesses = 0};
    }
    struct datum_use_counts *sum = &profile->data_use_counts[number];
    if (counts->moves > sum->moves) {
        sum->stride = counts->stride;
        sum->equal = counts->equal;
        sum->moves = counts->moves;
    }
    add_to(&sum->accesses, counts->accesses);
    add_to(&sum->fetched, counts->fetched);
    add_to(&sum->used, counts->used);
    for (int level = 0; level < DATA_LEVELS; level++)
        add_to(&sum->miss[level], counts->miss[level]);
}

void profile_add_samples(struct profile *profile, const struct datum_sample *sample, uint64_t n)
{
    int before = profile->data_samples.n, number = index_of(&profile->data_samples, sample, sizeof *sample);
    if (profile->data_samples.n > before) {
        MEMORY_ONE_MORE(profile->n_data_samples, number, profile->data_sample_room);
        profile->n_data_samples[number] = 0;
    }
    add_to(&profile->n_data_samples[number], n);
}

int profile_add_line(struct profile *profile, uint64_t address, int process)
{
    const struct shared_line line = {address, process, 0};
    return index_of(&profile->lines, &line, sizeof line);
}

void profile_add_line_use(struct profile *profile, const struct line_use *use,
                          const struct line_use_counts *counts)
{
    int before = profile->line_uses.n, number = index_of(&profile->line_uses, use, sizeof *use);
    if (profile->line_uses.n > before) {
        MEMORY_ONE_MORE(profile->line_use_counts, number, profile->line_use_room);
        profile->line_use_counts[number] = (struct line_use_counts){.samples = 0};
    }
    struct line_use_counts *sum = &profile->line_use_counts[number];
    add_to(&sum->samples, counts->samples);
    add_to(&sum->wait, counts->wait);
    sum->squares += counts->squares;
}

/* ---- branches */

void profile_add_branch(struct profile *profile, const struct branch *branch,
                        const struct branch_counts *counts)
{
    int before = profile->branches.n, number = index_of(&profile->branches, branch, sizeof *branch);
    if (profile->branches.n > before) {
        MEMORY_ONE_MORE(profile->branch_counts, number, profile->branch_room);
        profile->branch_counts[number] = (struct branch_counts){.taken = 0};
    }
    struct branch_counts *sum = &profile->branch_counts[number];
    add_to(&sum->taken, counts->taken);
    add_to(&sum->stacks, counts->stacks);
    add_to(&sum->told, counts->told);
    add_to(&sum->mispredicted, counts->mispredicted);
    add_to(&sum->timed, counts->timed);
    add_to(&sum->cycles, counts->cycles);
}

void profile_add_branch_loop(struct profile *profile, const struct branch_loop *loop,
                             const struct branch_loop_counts *counts)
{
    int before = profile->branch_loops.n, number = index_of(&profile->branch_loops, loop, sizeof *loop);
    if (profile->branch_loops.n > before) {
        MEMORY_ONE_MORE(profile->branch_loop_counts, number, profile->branch_loop_room);
        profile->branch_loop_counts[number] = (struct branch_loop_counts){.end_place = counts->end_place};
    }
    struct branch_loop_counts *sum = &profile->branch_loop_counts[number];
    if (counts->end > sum->end) {
        sum->end = counts->end;
        sum->end_place = counts->end_place;
    }
    add_to(&sum->arrivals, counts->arrivals);
    add_to(&sum->entries, counts->entries);
    add_to(&sum->stacks, counts->stacks);
}

void profile_add_branch_sums(struct profile *profile, const struct branch_sums *sums)
{
    struct branch_sums *all = &profile->branch_sums;
    profile->branched = true;
    add_to(&all->stacks, sums->stacks);
    add_to(&all->taken, sums->taken);
    add_to(&all->told, sums->told);
    add_to(&all->mispredicted, sums->mispredicted);
    add_to(&all->mispredicted_stacks, sums->mispredicted_stacks);
    add_to(&all->broken, sums->broken);
}

/* ---- devices */

void profile_add_device_work(struct profile *profile, int node, const struct device_sum *work)
{
    int32_t key = node;
    int before = profile->device_nodes.n, number = index_of(&profile->device_nodes, &key, sizeof key);
    if (profile->device_nodes.n > before) {
        MEMORY_ONE_MORE(profile->device_sum, number, profile->device_room);
        profile->device_sum[number] = (struct device_sum){.kind = work->kind, .least = UINT64_MAX};
    }
    struct device_sum *sum = &profile->device_sum[number];
    add_to(&sum->times, work->times);
    add_to(&sum->bytes, work->bytes);
    sum->least = work->least < sum->least ? work->least : sum->least;
    sum->most = work->most > sum->most ? work->most : sum->most;
}

int profile_device_event(const struct profile *profile)
{
    for (int i = 0; i < profile->n_events; i++)
        if (strcmp(profile->event[i].name, DEVICE_TIME) == 0)
            return i;
    return PROFILE_NONE;
}

/* ---- reading */

const char *profile_text(const struct profile *profile, int string)
{
    return string >= 0 ? index_key(&profile->strings, string) : "";
}

const struct routine *profile_routine_at(const struct profile *profile, int routine)
{
    return index_key(&profile->routines, routine);
}

const struct place *profile_place_at(const struct profile *profile, int place)
{
    return index_key(&profile->places, place);
}

const struct node *profile_node_at(const struct profile *profile, int node)
{
    return index_key(&profile->nodes, node);
}

uint64_t profile_value(const struct profile *profile, int node, int event)
{
    return profile->value[(size_t)node * PROFILE_EVENTS + (size_t)event];
}

void profile_free(struct profile *profile)
{
    for (int i = 0; i < profile->n_events; i++)
        free(profile->event[i].name);
    for (int i = 0; i < profile->n_processes; i++)
        free(profile->process[i].command);
    for (char **word = profile->command; word != NULL && *word != NULL; word++)
        free(*word);
    free(profile->command);
    free(profile->process);
    free(profile->host);
    free(profile->value);
    free(profile->arithmetic);
    free(profile->loop);
    for (int i = 0; i < profile->n_listings; i++)
        free(profile->listing[i].row);
    free(profile->listing);
    free(profile->datum_counts);
    free(profile->data_use_counts);
    index_free(&profile->data);
    free(profile->n_data_samples);
    free(profile->device_sum);
    free(profile->devices.why);
    index_free(&profile->device_nodes);
    index_free(&profile->data_uses);
    index_free(&profile->data_samples);
    index_free(&profile->lines);
    index_free(&profile->line_uses);
    free(profile->line_use_counts);
    index_free(&profile->branches);
    index_free(&profile->branch_loops);
    free(profile->branch_counts);
    free(profile->branch_loop_counts);
    free(profile->extremes);
    free(profile->unlined);
    free(profile->unnamed);
    index_free(&profile->strings);
    index_free(&profile->routines);
    index_free(&profile->places);
    index_free(&profile->nodes);
    *profile = (struct profile){0};
}

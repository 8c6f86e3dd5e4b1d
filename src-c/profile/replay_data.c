/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The data at an address of a process: what the process itself allocated there, as it has reported, comes
 * first, then the variables of the file whose mapping it is. What a file has beyond its last byte (.bss)
 * follows its last mapping as memory of no file. The kernel says of the stack where it began, and lets it
 * grow downwards without saying so.
 */
#include "replay_data.h"
#include "access_width.h"
#include "tools/common/allocate.h"

#include <stdlib.h>
#include <string.h>

struct variable_key {
    int32_t object, reserved;
    uint64_t address;
};

static const struct datum_counts nothing = {.size = 0};

struct moved_line {
    uint64_t address, pid;
};

/* A datum, and how far an address is behind its beginning; PROFILE_NONE: not known. */
struct found_datum {
    int datum;
    int64_t within;
};

/* ---- allocations */

static int place_of_call(struct replay_data *data, const struct space *space, uint64_t caller)
{
    const struct mapping *mapping = space_find(space, caller - 1);
    uint64_t offset = mapping != NULL ? caller - mapping->start + mapping->offset : 0;
    int object = mapping != NULL ? mapping->object : PROFILE_NONE;
    return objects_look_up(data->objects, object, offset, true)->place[0];
}

void replay_allocation(struct replay_data *data, struct data_space *heap, const struct space *space,
                       const struct allocation_record *record)
{
    if (record->type == ALLOCATION_FREED) {
        data_space_remove(heap, record->address);
        return;
    }
    const struct datum datum = {DATUM_ALLOCATED, PROFILE_NONE, PROFILE_NONE,
                                place_of_call(data, space, record->caller)};
    const struct datum_counts counts = {record->bytes, 1};
    data_space_add(heap, record->address, record->bytes, profile_add_datum(data->profile, &datum, &counts));
}

/* ---- variables */

static bool is_stack(const struct replay_data *data, const struct mapping *mapping)
{
    return mapping->object != PROFILE_NONE &&
           strcmp(objects_path(data->objects, mapping->object), "[stack]") == 0;
}

/* The number of the mapping of the file that an address belongs to; -1: none. */
static int file_mapping(const struct space *space, uint64_t address)
{
    int at = space_before(space, address);
    if (at < 0 || address >= space->mapping[at].end)
        return -1;
    while (at > 0 && space->mapping[at].object == PROFILE_NONE &&
           space->mapping[at - 1].end == space->mapping[at].start)
        at--;
    return space->mapping[at].object != PROFILE_NONE ? at : -1;
}

/* The mapping of a file's first byte, at or below the mapping of a number; NULL: none. */
static const struct mapping *first_of_file(const struct space *space, int at)
{
    int object = space->mapping[at].object;
    while (at >= 0 && (space->mapping[at].object != object || space->mapping[at].offset != 0))
        at--;
    return at >= 0 ? &space->mapping[at] : NULL;
}

/* The variable's datum, which is looked up once. PROFILE_NONE: it has no name. */
static int variable_datum(struct replay_data *data, const struct variable_key *key, uint64_t size)
{
    int before = data->variables.n, number = index_of(&data->variables, key, sizeof *key);
    if (data->variables.n == before)
        return data->datum[number];
    char *name = objects_variable(data->objects, key->object, key->address);
    const struct datum_counts counts = {size, 0};
    struct datum datum = {DATUM_VARIABLE, PROFILE_NONE, PROFILE_NONE, PROFILE_NONE};
    MEMORY_ONE_MORE(data->datum, number, data->room);
    data->datum[number] = PROFILE_NONE;
    if (name != NULL) {
        datum.name = profile_string(data->profile, name);
        datum.object = profile_string(data->profile, objects_path(data->objects, key->object));
        data->datum[number] = profile_add_datum(data->profile, &datum, &counts);
    }
    free(name);
    return data->datum[number];
}

/* The datum is PROFILE_NONE where no variable is. */
static struct found_datum variable_at(struct replay_data *data, const struct space *space, uint64_t address)
{
    const struct found_datum none = {PROFILE_NONE, PROFILE_NONE};
    int at = file_mapping(space, address);
    const struct mapping *first = at >= 0 ? first_of_file(space, at) : NULL;
    struct variable_key key = {.object = first != NULL ? first->object : PROFILE_NONE};
    uint64_t size, within;
    if (first == NULL ||
        !objects_variable_at(data->objects, key.object, address - first->start, &key.address, &size, &within))
        return none;
    return (struct found_datum){variable_datum(data, &key, size), (int64_t)within};
}

/* True for an address of the first thread's stack, or below it as far as a stack may grow. */
static bool on_stack(const struct replay_data *data, const struct space *space, uint64_t address)
{
    const uint64_t farthest = UINT64_C(1) << 30;
    int at = space_before(space, address);
    if (at >= 0 && address < space->mapping[at].end)
        return is_stack(data, &space->mapping[at]);
    const struct mapping *next = at + 1 < space->n ? &space->mapping[at + 1] : NULL;
    return next != NULL && is_stack(data, next) && next->start - address < farthest;
}

/* ---- samples */

static struct found_datum datum_at(struct replay_data *data, const struct data_space *heap,
                                   const struct space *space, const struct memory_sample *sample)
{
    struct datum other = {DATUM_OTHER, PROFILE_NONE, PROFILE_NONE, PROFILE_NONE};
    const struct data_range *range = data_space_find(heap, sample->address);
    if (range != NULL)
        return (struct found_datum){range->datum, (int64_t)(sample->address - range->start)};
    struct found_datum found = variable_at(data, space, sample->address);
    if (found.datum >= 0)
        return found;
    if (on_stack(data, space, sample->address))
        other.kind = DATUM_STACK;
    else if (index_find(&data->allocating, &sample->pid, sizeof sample->pid) < 0)
        other.kind = DATUM_UNSEEN;
    return (struct found_datum){profile_add_datum(data->profile, &other, &nothing), PROFILE_NONE};
}

/* Rounds a long latency to seven bits, that not every one has a row of its own. */
static int32_t rounded(int64_t latency)
{
    int64_t unit = 1;
    while (latency / unit >= 128)
        unit *= 2;
    int64_t near = (latency + unit / 2) / unit * unit;
    return unit == 1 ? (int32_t)latency : near < INT32_MAX ? (int32_t)near : INT32_MAX;
}

/* ---- lines */

static struct moved_line line_of(const struct replay_data *data, const struct memory_sample *sample)
{
    return (struct moved_line){sample->address & ~(data->line_bytes - 1), sample->pid};
}

void replay_note_moved(struct replay_data *data, const struct memory_sample *sample)
{
    const struct moved_line line = line_of(data, sample);
    if (!sample->store && sample->level == MEMORY_OTHER_CACHE)
        index_of(&data->moved, &line, sizeof line);
}

/* Adds a sample to its line, if that is one which moved. What is behind the line's end belongs to the next
 * one, in which it is not looked at. */
static void take_shared(struct replay_data *data, const struct space *space, const struct replay_where *where,
                        const struct memory_sample *sample, const struct found_datum *found, int32_t latency)
{
    const struct moved_line line = line_of(data, sample);
    if (index_find(&data->moved, &line, sizeof line) < 0)
        return;
    if (data->widths == NULL)
        data->widths = widths_make(data->objects);
    int32_t offset = (int32_t)(sample->address - line.address), rest = (int32_t)data->line_bytes - offset,
            width = where->exact ? widths_at(data->widths, space, sample->ip) : 0;
    const struct line_use use = {.within = found->within,
                                 .thread = (int32_t)sample->tid,
                                 .datum = found->datum,
                                 .place = where->place,
                                 .offset = offset,
                                 .width = width < rest ? width : rest,
                                 .store = sample->store,
                                 .moved = !sample->store && sample->level == MEMORY_OTHER_CACHE};
    sharing_add(&data->sharing, line.address, where->process, &use, sample->time,
                latency > 0 ? (uint64_t)latency : 0);
}

void replay_access(struct replay_data *data, const struct data_space *heap, const struct space *space,
                   const struct replay_where *where, const struct memory_sample *sample)
{
    struct found_datum found = datum_at(data, heap, space, sample);
    struct datum_sample row = {.datum = found.datum,
                               .place = where->place,
                               .store = sample->store,
                               .level = (int32_t)sample->level,
                               .tlb = (int32_t)sample->tlb,
                               .latency = sample->store ? LATENCY_UNKNOWN : rounded(sample->latency)};
    profile_add_samples(data->profile, &row, 1);
    take_shared(data, space, where, sample, &found, row.latency);
}

void replay_data_end(struct replay_data *data)
{
    sharing_end(&data->sharing, data->profile);
    widths_free(data->widths);
    free(data->datum);
    index_free(&data->allocating);
    index_free(&data->variables);
    index_free(&data->moved);
}

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The data at an address of a process: what the process itself allocated there, as it has reported, comes
 * first, then the variables of the file whose mapping it is. What a file has beyond its last byte (.bss)
 * follows its last mapping as memory of no file. The kernel says of the stack where it began, and lets it
 * grow downwards without saying so.
 */
#include "replay_data.h"
#include "tools/common/allocate.h"

#include <stdlib.h>
#include <string.h>

struct variable_key {
    int32_t object, reserved;
    uint64_t address;
};

static const struct datum_counts nothing = {.size = 0};

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

/* The variable's datum, which is looked up once. PROFILE_NONE: no variable is there. */
static int variable_at(struct replay_data *data, const struct space *space, uint64_t address)
{
    int at = file_mapping(space, address), before = data->variables.n;
    const struct mapping *first = at >= 0 ? first_of_file(space, at) : NULL;
    struct variable_key key = {.object = first != NULL ? first->object : PROFILE_NONE};
    uint64_t size;
    if (first == NULL ||
        !objects_variable_at(data->objects, key.object, address - first->start, &key.address, &size))
        return PROFILE_NONE;
    int number = index_of(&data->variables, &key, sizeof key);
    if (data->variables.n == before)
        return data->datum[number];
    char *name = objects_variable(data->objects, key.object, key.address);
    const struct datum_counts counts = {size, 0};
    struct datum datum = {DATUM_VARIABLE, PROFILE_NONE, PROFILE_NONE, PROFILE_NONE};
    MEMORY_ONE_MORE(data->datum, number, data->room);
    data->datum[number] = PROFILE_NONE;
    if (name != NULL) {
        datum.name = profile_string(data->profile, name);
        datum.object = profile_string(data->profile, objects_path(data->objects, key.object));
        data->datum[number] = profile_add_datum(data->profile, &datum, &counts);
    }
    free(name);
    return data->datum[number];
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

static int datum_at(struct replay_data *data, const struct data_space *heap, const struct space *space,
                    const struct memory_sample *sample)
{
    struct datum other = {DATUM_OTHER, PROFILE_NONE, PROFILE_NONE, PROFILE_NONE};
    int found = data_space_find(heap, sample->address);
    if (found < 0)
        found = variable_at(data, space, sample->address);
    if (found >= 0)
        return found;
    if (on_stack(data, space, sample->address))
        other.kind = DATUM_STACK;
    else if (index_find(&data->allocating, &sample->pid, sizeof sample->pid) < 0)
        other.kind = DATUM_UNSEEN;
    return profile_add_datum(data->profile, &other, &nothing);
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

void replay_access(struct replay_data *data, const struct data_space *heap, const struct space *space,
                   int place, const struct memory_sample *sample)
{
    struct datum_sample found = {.datum = datum_at(data, heap, space, sample),
                                 .place = place,
                                 .store = sample->store,
                                 .level = (int32_t)sample->level,
                                 .tlb = (int32_t)sample->tlb,
                                 .latency = sample->store ? LATENCY_UNKNOWN : rounded(sample->latency)};
    profile_add_samples(data->profile, &found, 1);
}

void replay_data_free(struct replay_data *data)
{
    free(data->datum);
    index_free(&data->allocating);
    index_free(&data->variables);
}

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds the loops in which the samples or counts of a profile are.
 *
 * Amounts are kept by address until all are there. Each routine that has any is then decoded once; a branch
 * that goes back, to an address of the routine, makes a loop of all code between, and an amount belongs to
 * the smallest loop around its address, or to the rest of its routine.
 */
#include "hot.h"

#ifdef PAPI_WITH_CAPSTONE

#include "profile/code.h"
#include "profile/debug.h"
#include "profile/listings.h"
#include "tools/common/allocate.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

/* ---- addresses */

/* Code between where a branch goes back to and what is behind it. */
struct back {
    uint64_t first, behind;
};

/* A routine's code, decoded once. Few of its steps go back: loops are looked for among those alone. */
struct body {
    int32_t object;
    uint64_t start, end;
    struct step *step;
    int n;
    struct back *back;
    int n_back;
    bool optimised;
};

struct hot {
    struct profile *profile;
    struct objects *objects;
    struct decoder *decoder;
    struct spots spots;
    struct body *body;
    int n_bodies, body_room;
    uint64_t *hottest; /* of each loop: the most of the first event that one address has */
    int hottest_room;
};

struct hot *hot_open(struct profile *profile, struct objects *objects)
{
    struct hot *hot = memory_more(NULL, 1, sizeof *hot);
    *hot = (struct hot){.profile = profile, .objects = objects, .decoder = decoder_open()};
    return hot;
}

void hot_count(struct hot *hot, int object, uint64_t offset, int event, uint64_t amount)
{
    if (object == PROFILE_NONE)
        return;
    uint64_t *value = &spots_at(&hot->spots, object, offset)->value[event];
    *value = profile_sum(*value, amount);
}

void hot_branch(struct hot *hot, int object, uint64_t offset, uint64_t taken, uint64_t not_taken)
{
    if (object == PROFILE_NONE || taken + not_taken == 0)
        return;
    struct spot *spot = spots_at(&hot->spots, object, offset);
    spot->taken = profile_sum(spot->taken, taken);
    spot->not_taken = profile_sum(spot->not_taken, not_taken);
}

void hot_run(struct hot *hot, int object, uint64_t offset, uint64_t runs)
{
    if (object == PROFILE_NONE)
        return;
    struct spot *spot = spots_at(&hot->spots, object, offset);
    spot->runs = profile_sum(spot->runs, runs);
    hot->spots.counted = true;
}

/* ---- routines */

static bool goes_back(const struct body *body, const struct step *step)
{
    return step->branch && !step->call && step->target >= body->start && step->target <= step->address;
}

static void decode(struct hot *hot, struct body *body, const struct code *code)
{
    int room = 0, back_room = 0;
    for (size_t at = 0, length; at < code->size; at += length) {
        MEMORY_ONE_MORE(body->step, body->n, room);
        struct step *step = &body->step[body->n];
        length = decoder_step(hot->decoder, code->bytes + at, code->size - at, body->start + at, step);
        if (length == 0)
            break;
        body->n++;
        if (!goes_back(body, step))
            continue;
        MEMORY_ONE_MORE(body->back, body->n_back, back_room);
        body->back[body->n_back++] = (struct back){step->target, step->address + step->size};
    }
}

/* GCC names its options in the debug information. Where it names none that has it optimise, it did not. */
static bool is_optimised(struct debug *debug, uint64_t address)
{
    Dwarf_Addr bias;
    Dwarf_Attribute attribute;
    Dwarf_Die *unit = units_at(&debug->units, debug->module, address, &bias);
    const char *producer =
        unit != NULL ? dwarf_formstring(dwarf_attr(unit, DW_AT_producer, &attribute)) : NULL;
    if (producer == NULL || strncmp(producer, "GNU", 3) != 0 || strstr(producer, " -m") == NULL)
        return true; /* not known */
    const char *level = strstr(producer, " -O");
    return level != NULL && strncmp(level, " -O0", 4) != 0;
}

static struct body *body_at(struct hot *hot, int object, uint64_t address)
{
    for (int i = hot->n_bodies - 1; i >= 0; i--)
        if (hot->body[i].object == object && address >= hot->body[i].start && address < hot->body[i].end)
            return &hot->body[i];
    struct body body = {.object = object};
    struct code code;
    struct debug *debug = objects_debug(hot->objects, object);
    GElf_Ehdr head;
    Dwarf_Addr unused;
    Elf *elf = debug != NULL ? dwfl_module_getelf(debug->module, &unused) : NULL;
    if (elf == NULL || gelf_getehdr(elf, &head) == NULL ||
        !objects_function(hot->objects, object, address, &body.start, &body.end))
        return NULL;
    if (head.e_machine == EM_X86_64 && hot->decoder != NULL &&
        code_at(elf, body.start, body.end - body.start, &code))
        decode(hot, &body, &code);
    body.optimised = is_optimised(debug, address);
    MEMORY_ONE_MORE(hot->body, hot->n_bodies, hot->body_room);
    hot->body[hot->n_bodies] = body;
    return &hot->body[hot->n_bodies++];
}

/* ---- loops */

/* Code between two branches of one loop overlaps, and neither is within the other. False: nothing overlaps
 * any more. */
static bool widen(const struct body *body, uint64_t *start, uint64_t *end)
{
    for (int i = 0; i < body->n_back; i++) {
        uint64_t first = body->back[i].first, behind = body->back[i].behind;
        bool before = first < *start && behind > *start && behind < *end;
        bool after = first >= *start && first < *end && behind > *end;
        if (!before && !after)
            continue;
        *start = first < *start ? first : *start;
        *end = behind > *end ? behind : *end;
        return true;
    }
    return false;
}

/* The smallest loop around an address: from where a branch goes back to, to behind the last such branch.
 * False: it is in none, and the loop is the routine. */
static bool innermost_at(const struct body *body, uint64_t address, uint64_t *start, uint64_t *end)
{
    bool found = false;
    *start = body->start;
    *end = body->end;
    for (int i = 0; i < body->n_back; i++) {
        uint64_t first = body->back[i].first, behind = body->back[i].behind;
        if (address < first || address >= behind)
            continue;
        if (!found || behind - first < *end - *start) {
            *start = first;
            *end = behind;
            found = true;
        }
    }
    while (found && widen(body, start, end))
        ;
    return found;
}

static struct loop *loop_at(struct hot *hot, const struct body *body, uint64_t address)
{
    struct profile *profile = hot->profile;
    struct loop loop = {.object = body->object, .optimised = body->optimised};
    loop.is_loop = innermost_at(body, address, &loop.start, &loop.end);
    for (int i = 0; i < profile->n_loops; i++)
        if (profile->loop[i].object == loop.object && profile->loop[i].start == loop.start &&
            profile->loop[i].is_loop == loop.is_loop)
            return &profile->loop[i];
    for (int i = 0; i < LOOP_PLACES; i++)
        loop.place[i] = PROFILE_NONE;
    MEMORY_ONE_MORE(profile->loop, profile->n_loops, profile->loop_room);
    MEMORY_ONE_MORE(hot->hottest, profile->n_loops, hot->hottest_room);
    hot->hottest[profile->n_loops] = 0;
    profile->loop[profile->n_loops] = loop;
    return &profile->loop[profile->n_loops++];
}

static int place_at(struct hot *hot, int object, uint64_t address)
{
    uint64_t offset;
    if (address == 0 || !objects_offset(hot->objects, object, address, &offset))
        return PROFILE_NONE;
    return objects_look_up(hot->objects, object, offset, false)->place[0];
}

/* Turns are as many as the instruction has run that ran most often. */
static void take_runs(struct hot *hot, struct loop *loop, const struct spot *spot, uint64_t address)
{
    uint64_t less = spot->taken < spot->not_taken ? spot->taken : spot->not_taken;
    if (!loop->is_loop)
        return;
    if (spot->runs > loop->turns)
        loop->turns = spot->runs;
    if (less > loop->undecided) {
        loop->undecided = less;
        loop->place[PLACE_UNDECIDED] = place_at(hot, loop->object, address);
    }
}

static void take_spot(struct hot *hot, const struct spot_key *key, const struct spot *spot)
{
    uint64_t address;
    struct body *body = objects_address(hot->objects, key->object, key->offset, &address)
                            ? body_at(hot, key->object, address)
                            : NULL;
    if (body == NULL)
        return;
    struct loop *loop = loop_at(hot, body, address);
    uint64_t *hottest = &hot->hottest[loop - hot->profile->loop];
    for (int i = 0; i < hot->profile->n_events; i++)
        loop->value[i] = profile_sum(loop->value[i], spot->value[i]);
    if (spot->value[0] > *hottest) {
        *hottest = spot->value[0];
        loop->place[PLACE_HOTTEST] = place_at(hot, loop->object, address);
    }
    take_runs(hot, loop, spot, address);
}

/* ---- what they do */

static void find_places(struct hot *hot, struct loop *loop)
{
    const struct turn *turn = &loop->turn;
    const uint64_t at[LOOP_PLACES] = {
        [PLACE_CHAIN] = turn->chain_at,       [PLACE_DIVIDE] = turn->divide_at,
        [PLACE_ROOT] = turn->root_at,         [PLACE_CONVERT] = turn->convert_at,
        [PLACE_INDIRECT] = turn->indirect_at, [PLACE_INTEGER_DIVIDE] = turn->integer_divide_at,
        [PLACE_FAR] = turn->far_at,           [PLACE_STRIDE] = turn->stride_at,
        [PLACE_BRANCH] = turn->branch_at,     [PLACE_CALL] = turn->call_at,
        [PLACE_LOCKED] = turn->locked_at,     [PLACE_STORE] = turn->store_at,
    };
    for (int i = 0; i < LOOP_PLACES; i++)
        if (at[i] != 0)
            loop->place[i] = place_at(hot, loop->object, at[i]);
}

static void look_into(struct hot *hot, struct loop *loop)
{
    const struct body *body = body_at(hot, loop->object, loop->start);
    int first = 0, n = 0;
    while (body != NULL && first < body->n && body->step[first].address < loop->start)
        first++;
    while (body != NULL && first + n < body->n && body->step[first + n].address < loop->end)
        n++;
    if (n == 0)
        return;
    loop->innermost = loop->known = true;
    for (int i = first; i < first + n; i++)
        if (goes_back(body, &body->step[i]) && (body->step[i].target != loop->start || !loop->is_loop))
            loop->innermost = false;
    turn_look(body->step + first, n, &loop->turn);
    find_places(hot, loop);
}

static int by_value(const void *a, const void *b)
{
    const struct loop *one = a, *other = b;
    if (one->value[0] != other->value[0])
        return one->value[0] < other->value[0] ? 1 : -1;
    return one->start < other->start ? -1 : one->start > other->start;
}

/* Leaves out those with less than a two hundredth of every event. */
static void keep_larger(struct profile *profile)
{
    enum { PARTS = 200 };
    int kept = 0;
    for (int i = 0; i < profile->n_loops; i++) {
        bool large = false;
        for (int e = 0; e < profile->n_events; e++)
            large |=
                profile->loop[i].value[e] > 0 && profile->loop[i].value[e] >= profile->event[e].sum / PARTS;
        if (large)
            profile->loop[kept++] = profile->loop[i];
    }
    profile->n_loops = kept;
    if (kept > 0)
        qsort(profile->loop, (size_t)kept, sizeof *profile->loop, by_value);
}

void hot_close(struct hot *hot)
{
    struct profile *profile = hot->profile;
    for (int i = 0; i < hot->spots.keys.n; i++)
        take_spot(hot, index_key(&hot->spots.keys, i), &hot->spots.spot[i]);
    keep_larger(profile);
    for (int i = 0; i < profile->n_loops; i++)
        look_into(hot, &profile->loop[i]);
    for (int i = 0; i < profile->n_loops; i++) /* as a string of the profile */
        profile->loop[i].object =
            profile_string(profile, objects_path(hot->objects, profile->loop[i].object));
    listings_make(profile, hot->objects, &hot->spots);
    for (int i = 0; i < hot->n_bodies; i++) {
        free(hot->body[i].step);
        free(hot->body[i].back);
    }
    decoder_close(hot->decoder);
    spots_free(&hot->spots);
    free(hot->hottest);
    free(hot->body);
    free(hot);
}

#endif

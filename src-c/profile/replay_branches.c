/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Makes branches and iterations of loops of what the processor records. A record has the last branches that
 * were taken before a sample; between two that follow one another all code ran in a straight line. So a
 * record of n branches has n - 1 pieces: a straight run, and the branch at its end. Only whole pieces are
 * counted, so that arrivals at a loop's head by a branch back and those by running into it have the same
 * chance to be seen. An iteration begins with an arrival at the head; those that come from outside are
 * entries. The iterations of an entry are the one by the other, and no loop needs to be in a record whole:
 * long loops are seen with their right weight, by few entries among many arrivals.
 */
#include "replay_branches.h"
#include "spots.h"
#include "tools/common/allocate.h"

#include <stdlib.h>

struct jump_key {
    struct spot_key from, to;
    int32_t type, unused;
};

struct jump_counts {
    struct branch_counts counts;
    uint64_t last_stack;
};

/* first: of the run; last: the branch at its end. */
struct run_key {
    struct spot_key first;
    uint64_t last;
};

struct run_counts {
    uint64_t times, stacks, last_stack;
};

/* Types of the kernel, of which some headers lack the names. */
enum { TYPE_CONDITIONAL = 1, TYPE_JUMP = 2, TYPE_RETURN = 6, TYPE_CONDITIONAL_RETURN = 10 };

/* ---- records */

/* The code at an address; its object is PROFILE_NONE where no file is mapped. */
static struct spot_key code_of(const struct space *space, uint64_t address)
{
    const struct mapping *mapping = space_find(space, address);
    if (mapping == NULL || mapping->object == PROFILE_NONE)
        return (struct spot_key){.object = PROFILE_NONE};
    return (struct spot_key){.object = mapping->object, .offset = address - mapping->start + mapping->offset};
}

static struct jump_counts *jump_of(struct replay_branches *branches, const struct jump_key *key)
{
    int before = branches->jumps.n, number = index_of(&branches->jumps, key, sizeof *key);
    if (branches->jumps.n > before) {
        MEMORY_ONE_MORE(branches->jump, number, branches->jump_room);
        branches->jump[number] = (struct jump_counts){.last_stack = 0};
    }
    return &branches->jump[number];
}

static struct run_counts *run_of(struct replay_branches *branches, const struct run_key *key)
{
    int before = branches->runs.n, number = index_of(&branches->runs, key, sizeof *key);
    if (branches->runs.n > before) {
        MEMORY_ONE_MORE(branches->run, number, branches->run_room);
        branches->run[number] = (struct run_counts){.times = 0};
    }
    return &branches->run[number];
}

static void count_jump(struct replay_branches *branches, const struct jump_key *key,
                       const struct sample_branch *branch)
{
    struct jump_counts *jump = jump_of(branches, key);
    struct branch_counts *counts = &jump->counts;
    bool told = branch->mispredicted || branch->predicted;
    counts->taken++;
    counts->told += told;
    counts->mispredicted += branch->mispredicted;
    counts->timed += branch->cycles > 0;
    counts->cycles += branch->cycles;
    counts->stacks += jump->last_stack != branches->sums.stacks;
    jump->last_stack = branches->sums.stacks;
    branches->sums.taken++;
    branches->sums.told += told;
    branches->sums.mispredicted += branch->mispredicted;
}

/* Takes a piece: the run behind one branch, and the next branch. Something that is not recorded, as an
 * interrupt, may lie between them: then the run goes backwards, or far. */
static bool take_piece(struct replay_branches *branches, const struct space *space,
                       const struct sample_branch *before, const struct sample_branch *branch)
{
    const uint64_t farthest = UINT64_C(1) << 20;
    struct spot_key first = code_of(space, before->to);
    struct jump_key key = {
        .from = code_of(space, branch->from), .to = code_of(space, branch->to), .type = branch->type};
    if (first.object == PROFILE_NONE || key.from.object != first.object || key.to.object == PROFILE_NONE ||
        key.from.offset < first.offset || key.from.offset - first.offset > farthest)
        return false;
    const struct run_key run_key = {first, key.from.offset};
    struct run_counts *run = run_of(branches, &run_key);
    run->times++;
    run->stacks += run->last_stack != branches->sums.stacks;
    run->last_stack = branches->sums.stacks;
    count_jump(branches, &key, branch);
    return true;
}

void replay_branches_take(struct replay_branches *branches, const struct space *space,
                          const struct sample_record *record)
{
    bool mispredicted = false;
    if (record->branches.n < 2)
        return;
    branches->sums.stacks++;
    struct sample_branch before = sample_branch(record, record->branches.n - 1);
    for (uint64_t i = record->branches.n - 1; i > 0; i--) {
        struct sample_branch branch = sample_branch(record, i - 1);
        if (!take_piece(branches, space, &before, &branch))
            branches->sums.broken++;
        else
            mispredicted |= branch.mispredicted;
        before = branch;
    }
    branches->sums.mispredicted_stacks += mispredicted;
}

/* ---- loops */

struct found_loop {
    struct spot_key head;
    uint64_t end;                   /* offset of the last branch back */
    uint64_t backs, falls, jumps;   /* arrivals: by branches back, running into it, branches from outside */
    uint64_t middle, middle_target; /* entries elsewhere, and where: all at one place, */
    bool middles;                   /* or at several */
    uint64_t stacks, middle_stacks;
};

struct loops {
    struct found_loop *loop; /* by their heads */
    int n, room;
};

static const struct jump_key *jump_key(const struct replay_branches *branches, int jump)
{
    return index_key(&branches->jumps, jump);
}

/* A branch to a place before it in the same routine, of a kind that a compiler makes loops of. Without the
 * kind it may as well be a routine that calls itself, or the return of that. */
static bool goes_back(const struct replay_branches *branches, const struct jump_key *key)
{
    uint64_t from, to, low, high;
    return (key->type == TYPE_CONDITIONAL || key->type == TYPE_JUMP) && key->from.object == key->to.object &&
           key->to.offset <= key->from.offset &&
           objects_address(branches->objects, key->from.object, key->from.offset, &from) &&
           objects_address(branches->objects, key->to.object, key->to.offset, &to) &&
           objects_function(branches->objects, key->from.object, from, &low, &high) && to >= low && to < high;
}

static int compare_codes(const struct spot_key *one, const struct spot_key *other)
{
    if (one->object != other->object)
        return one->object < other->object ? -1 : 1;
    return one->offset < other->offset ? -1 : one->offset > other->offset;
}

static int by_head(const void *a, const void *b)
{
    const struct found_loop *one = a, *other = b;
    return compare_codes(&one->head, &other->head);
}

/* Branches back to one head are one loop, which ends with the last of them. */
static void find_loops(const struct replay_branches *branches, struct loops *loops)
{
    int n = 0;
    for (int i = 0; i < branches->jumps.n; i++) {
        const struct jump_key *key = jump_key(branches, i);
        if (!goes_back(branches, key))
            continue;
        MEMORY_ONE_MORE(loops->loop, loops->n, loops->room);
        loops->loop[loops->n++] = (struct found_loop){.head = key->to, .end = key->from.offset};
    }
    if (loops->n > 0)
        qsort(loops->loop, (size_t)loops->n, sizeof *loops->loop, by_head);
    for (int i = 0; i < loops->n; i++) {
        struct found_loop *last = n > 0 ? &loops->loop[n - 1] : NULL;
        if (last == NULL || by_head(last, &loops->loop[i]) != 0)
            loops->loop[n++] = loops->loop[i];
        else if (loops->loop[i].end > last->end)
            last->end = loops->loop[i].end;
    }
    loops->n = n;
}

/* The first loop whose head is not before some code. */
static int first_from(const struct loops *loops, const struct spot_key *code)
{
    int low = 0, high = loops->n;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (compare_codes(&loops->loop[middle].head, code) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool is_inside(const struct found_loop *loop, const struct spot_key *code)
{
    return code->object == loop->head.object && code->offset >= loop->head.offset &&
           code->offset <= loop->end;
}

static void count_arrival(struct loops *loops, const struct jump_key *key, const struct branch_counts *counts)
{
    int at = first_from(loops, &key->to);
    struct found_loop *loop = at < loops->n ? &loops->loop[at] : NULL;
    if (loop == NULL || compare_codes(&loop->head, &key->to) != 0)
        return;
    if (is_inside(loop, &key->from)) {
        loop->backs = profile_sum(loop->backs, counts->taken);
        return;
    }
    loop->jumps = profile_sum(loop->jumps, counts->taken);
    loop->stacks = profile_sum(loop->stacks, counts->stacks);
}

/* Counts a run as an entry of each loop whose head is in it, but not its beginning, to which a branch led. */
static void count_falls(struct loops *loops, const struct run_key *key, const struct run_counts *counts)
{
    const struct spot_key from = {.object = key->first.object, .offset = key->first.offset + 1};
    for (int i = first_from(loops, &from); i < loops->n; i++) {
        struct found_loop *loop = &loops->loop[i];
        if (loop->head.object != key->first.object || loop->head.offset > key->last)
            return;
        loop->falls = profile_sum(loop->falls, counts->times);
        loop->stacks = profile_sum(loop->stacks, counts->stacks);
    }
}

/* Counts the branches from outside that go behind the head of a loop: compilers begin some loops with the
 * question at their end. Returns from routines that the loop calls are none, nor what came from code of the
 * loop that was put elsewhere; so a loop that is entered at its head has no such entries, and another one
 * only if all go to one place. */
static void find_middle(const struct replay_branches *branches, struct found_loop *loop)
{
    for (int i = 0; i < branches->jumps.n; i++) {
        const struct jump_key *key = jump_key(branches, i);
        const struct branch_counts *counts = &branches->jump[i].counts;
        if (!is_inside(loop, &key->to) || is_inside(loop, &key->from) ||
            key->to.offset == loop->head.offset || key->type == TYPE_RETURN ||
            key->type == TYPE_CONDITIONAL_RETURN)
            continue;
        loop->middles |= loop->middle > 0 && loop->middle_target != key->to.offset;
        loop->middles |= key->type == 0; /* perhaps a return */
        loop->middle_target = key->to.offset;
        loop->middle = profile_sum(loop->middle, counts->taken);
        loop->middle_stacks = profile_sum(loop->middle_stacks, counts->stacks);
    }
}

static void count_entries(const struct replay_branches *branches, struct loops *loops)
{
    for (int i = 0; i < branches->jumps.n; i++)
        count_arrival(loops, jump_key(branches, i), &branches->jump[i].counts);
    for (int i = 0; i < branches->runs.n; i++)
        count_falls(loops, index_key(&branches->runs, i), &branches->run[i]);
    for (int i = 0; i < loops->n; i++)
        if (loops->loop[i].jumps == 0 && loops->loop[i].falls == 0)
            find_middle(branches, &loops->loop[i]);
}

/* ---- the profile */

static uint64_t address_of(const struct replay_branches *branches, int object, uint64_t offset)
{
    uint64_t address;
    return objects_address(branches->objects, object, offset, &address) && address <= INT64_MAX ? address : 0;
}

static int place_of(const struct replay_branches *branches, int object, uint64_t offset)
{
    return objects_look_up(branches->objects, object, offset, false)->place[0];
}

static int name_of(const struct replay_branches *branches, int object)
{
    return profile_string(branches->profile, objects_path(branches->objects, object));
}

static void list_jump(const struct replay_branches *branches, int i)
{
    const struct jump_key *key = jump_key(branches, i);
    const struct branch branch = {.from = address_of(branches, key->from.object, key->from.offset),
                                  .to = address_of(branches, key->to.object, key->to.offset),
                                  .from_place = place_of(branches, key->from.object, key->from.offset),
                                  .to_place = place_of(branches, key->to.object, key->to.offset),
                                  .object = name_of(branches, key->from.object),
                                  .type = key->type};
    profile_add_branch(branches->profile, &branch, &branches->jump[i].counts);
}

static void list_loop(const struct replay_branches *branches, const struct found_loop *found)
{
    int object = found->head.object;
    const struct branch_loop loop = {.head = address_of(branches, object, found->head.offset),
                                     .object = name_of(branches, object),
                                     .place = place_of(branches, object, found->head.offset)};
    bool at_head = found->jumps > 0 || found->falls > 0, at_middle = !at_head && !found->middles;
    uint64_t entries = profile_sum(found->jumps, found->falls);
    const struct branch_loop_counts counts = {.end = address_of(branches, object, found->end),
                                              .end_place = place_of(branches, object, found->end),
                                              .arrivals = profile_sum(found->backs, entries),
                                              .entries = at_middle ? found->middle : entries,
                                              .stacks = at_middle ? found->middle_stacks : found->stacks};
    profile_add_branch_loop(branches->profile, &loop, &counts);
}

void replay_branches_end(struct replay_branches *branches)
{
    struct loops loops = {.n = 0};
    if (branches->sums.stacks > 0) {
        profile_add_branch_sums(branches->profile, &branches->sums);
        find_loops(branches, &loops);
        count_entries(branches, &loops);
    }
    for (int i = 0; i < branches->jumps.n; i++)
        list_jump(branches, i);
    for (int i = 0; i < loops.n; i++)
        list_loop(branches, &loops.loop[i]);
    free(loops.loop);
    index_free(&branches->jumps);
    index_free(&branches->runs);
    free(branches->jump);
    free(branches->run);
}

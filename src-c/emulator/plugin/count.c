/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Counts blocks, branches and accesses while the emulated program runs.
 *
 * QEMU translates code in blocks and calls the plugin when a block begins, not when it ends. The sums of a
 * block are known from its translation and added at its beginning. What depends on the end is settled by the
 * next block that the thread begins: a conditional branch was taken if that block is the branch's target, and
 * not if it follows the branch; a REP instruction runs again if the next block is the instruction itself. If
 * the next block is neither, a signal has come in between: the open block is remembered, and settled when its
 * signal's handler has returned and the program goes on where the block led. Handlers may nest, and may never
 * return: of MAX_INTERRUPTED open blocks the oldest is forgotten, whose branch then counts as neither.
 *
 * run does the common cases without a branch on the outcome; anything else goes to block_runs, which does
 * all. Overflows are found after the sums of a whole block were added: the instruction is then found by going
 * through the block again.
 */
#include "base/likely.h"
#include "emulator/plugin/plugin.h"

#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

_Thread_local struct thread *thread_pointer;

const struct block no_block = {.end = END_PLAIN};

/* True if a block whose end was open leads on to the one at an address. */
static bool leads_to(const struct block *block, uint64_t address)
{
    return address == block->behind || (block->end == END_CONDITIONAL && address == block->target) ||
           (block->end == END_REPEATS && address == block->last);
}

static void count_outcome(struct thread *thread, const struct block *block, bool taken)
{
    count_one(thread, taken ? EMULATED_TAKEN_BRANCHES : EMULATED_NOT_TAKEN_BRANCHES);
    if (block->lines != NULL)
        atomic_fetch_add_explicit(taken ? &block->lines->taken : &block->lines->not_taken, 1,
                                  memory_order_relaxed);
}

static void count_branch(struct thread *thread, const struct block *block, uint64_t address)
{
    if (block->end != END_CONDITIONAL)
        return;
    /* A branch to what follows it anyway leaves no trace; it counts as not taken. */
    count_outcome(thread, block, address != block->behind);
    if (unlikely(thread->page->armed != 0))
        overflow_of_instruction(thread, block->last);
}

/* Remembers a block whose end was open and that did not lead to the next one: a signal came in between. The
 * handler's return comes back to it. */
static void remember_interrupted(struct thread *thread, const struct block *block)
{
    if (thread->n_interrupted == MAX_INTERRUPTED) { /* handlers that never returned */
        thread->n_interrupted--;
        for (unsigned i = 0; i < thread->n_interrupted; i++)
            thread->interrupted[i] = thread->interrupted[i + 1];
    }
    thread->interrupted[thread->n_interrupted++] = block;
}

/* Settles the open end of the previous block. True: the next one is another iteration of the REP instruction
 * that ran last. */
static __attribute__((noinline)) bool close_open_end(struct thread *thread, const struct block *next)
{
    const struct block *block = thread->previous;
    if (thread->returned) {
        thread->returned = false;
        unsigned n = thread->n_interrupted;
        if (n > 0 && leads_to(thread->interrupted[n - 1], next->address)) {
            block = thread->interrupted[n - 1];
            thread->n_interrupted--;
        }
    }
    if (block->end == END_SUSPECT && next->address == block->behind)
        fault_forget(block); /* it ran all the same */
    if (block->end == END_PLAIN || block->end == END_SUSPECT)
        return false;
    if (!leads_to(block, next->address)) {
        remember_interrupted(thread, block);
        return false;
    }
    count_branch(thread, block, next->address);
    return block->end == END_REPEATS && next->address == block->last;
}

/* Adds the sums of a block to the thread's page. */
static inline void add_sums(struct emulated_thread *page, const struct block *block)
{
    for (unsigned i = 0; i < block->n_sums; i++)
        page->count[block->sum[i].event] += block->sum[i].amount;
}

static __attribute__((noinline)) void fetch_block(struct thread *thread, const struct block *block)
{
    thread->accessing = NULL;
    thread->copying = 0;
    cache_fetch(thread->caches, block->address, block->length, block->n_instructions, thread->page->count);
}

/* Counts a block in any state. */
static void block_runs(unsigned vcpu, void *data)
{
    const struct block *block = data;
    struct thread *thread = thread_pointer;
    (void)vcpu;
    if (unlikely(thread == NULL)) {
        thread = memory_enter_thread();
        if (thread == NULL)
            return;
    }
    const struct block *previous = thread->previous;
    if (previous == block && block->end == END_REPEATS && block->n_instructions == 1 && !thread->returned)
        return; /* a turn of a string instruction, of which there are many */
    thread->previous = block;
    if (previous->end == END_CONDITIONAL && previous->behind == block->address && thread->page->armed == 0) {
        count_outcome(thread, previous, false);
    } else if (previous->end == END_CONDITIONAL && previous->target == block->address &&
               thread->page->armed == 0) {
        count_outcome(thread, previous, true);
    } else if (previous->end != END_PLAIN || thread->returned) {
        thread->previous = previous;
        bool next_turn = close_open_end(thread, block);
        thread->previous = block;
        if (next_turn)
            return;
    }
    add_sums(thread->page, block);
    if (block->lines != NULL)
        atomic_fetch_add_explicit(&block->lines->runs, 1, memory_order_relaxed);
    if (thread->caches != NULL)
        fetch_block(thread, block);
    if (unlikely(block->end == END_SUSPECT))
        fault_note(block);
    if (unlikely(thread->page->armed != 0))
        overflow_of_block(thread, block);
}

/* ---- blocks, the quick way
 *
 * This runs once for each block that the program does, and nothing else of the plugin does. So the
 * counters are added to as vectors, those of floating point are left out where a block has none, and
 * what is rare is block_runs'. Whether the branch before was taken goes into the same vectors: a
 * counter written by itself would hold up the vector that is read next. */

typedef uint64_t counters __attribute__((vector_size(GROUP * sizeof(uint64_t)), aligned(8), may_alias));

/* Addends for the branch before: there was none, it was taken, it was not taken. */
static const uint64_t outcomes[][GROUPS * GROUP] = {
    {0},
    {[EMULATED_TAKEN_BRANCHES] = 1},
    {[EMULATED_NOT_TAKEN_BRANCHES] = 1},
};

/* The groups of counters that an outcome adds to, and those that code without floating-point and vector
 * instructions adds to. */
#define GROUP_OF(event) (1u << (event) / GROUP)
enum {
    OUTCOME_GROUPS = GROUP_OF(EMULATED_TAKEN_BRANCHES) | GROUP_OF(EMULATED_NOT_TAKEN_BRANCHES),
    INTEGER_GROUPS = GROUP_OF(EMULATED_INSTRUCTIONS) | GROUP_OF(EMULATED_INTEGER_INSTRUCTIONS) |
                     GROUP_OF(EMULATED_LOADS) | GROUP_OF(EMULATED_STORES) | GROUP_OF(EMULATED_BRANCHES) |
                     GROUP_OF(EMULATED_CONDITIONAL_BRANCHES) | GROUP_OF(EMULATED_UNCONDITIONAL_BRANCHES) |
                     GROUP_OF(EMULATED_CALLS) | GROUP_OF(EMULATED_RETURNS) | OUTCOME_GROUPS,
    ALL_GROUPS = (1u << GROUPS) - 1,
};

/* Adds amounts to counters. amount: those of these groups only, one after the other. */
static inline __attribute__((always_inline)) void add_groups(uint64_t *count, const uint64_t *amount,
                                                             const uint64_t *outcome, unsigned groups)
{
#pragma GCC unroll 16
    for (unsigned i = 0; i < GROUPS; i++) {
        if ((groups >> i & 1) == 0)
            continue;
        counters more = *(const counters *)amount;
        if (OUTCOME_GROUPS >> i & 1)
            more += *(const counters *)(outcome + i * GROUP);
        *(counters *)(count + i * GROUP) += more;
        amount += GROUP;
    }
}

_Static_assert(END_PLAIN == 0 && END_CONDITIONAL == 1, "a bit of its own");

static inline __attribute__((always_inline)) void run(unsigned vcpu, void *data, unsigned groups)
{
    const struct block *block = data;
    struct thread *thread = thread_pointer;
    if (unlikely(thread == NULL)) {
        block_runs(vcpu, data);
        return;
    }
    const struct block *previous = thread->previous;
    struct emulated_thread *page = thread->page;
    uint64_t branch = previous->end & END_CONDITIONAL;
    uint64_t on = previous->behind == block->address, away = previous->target == block->address;
    uint64_t rare = previous->end & ~END_CONDITIONAL, astray = branch & ~(on | away);
    if (unlikely((rare | astray | page->armed | thread->returned) != 0)) {
        block_runs(vcpu, data);
        return;
    }
    thread->previous = block;
    add_groups(page->count, block->amount, outcomes[branch << on], groups);
}

static void integer_block_runs(unsigned vcpu, void *block)
{
    run(vcpu, block, INTEGER_GROUPS);
}

static void any_block_runs(unsigned vcpu, void *block)
{
    run(vcpu, block, ALL_GROUPS);
}

#if defined(__x86_64__)
static __attribute__((target("avx2"))) void integer_block_runs_avx2(unsigned vcpu, void *block)
{
    run(vcpu, block, INTEGER_GROUPS);
}

static __attribute__((target("avx2"))) void any_block_runs_avx2(unsigned vcpu, void *block)
{
    run(vcpu, block, ALL_GROUPS);
}

static block_callback *quick_callback(bool integer)
{
    if (__builtin_cpu_supports("avx2"))
        return integer ? integer_block_runs_avx2 : any_block_runs_avx2;
    return integer ? integer_block_runs : any_block_runs;
}
#else
static block_callback *quick_callback(bool integer)
{
    return integer ? integer_block_runs : any_block_runs;
}
#endif

static unsigned groups_of(const struct block *block)
{
    for (unsigned i = 0; i < block->n_sums; i++)
        if ((INTEGER_GROUPS & GROUP_OF(block->sum[i].event)) == 0)
            return ALL_GROUPS;
    return INTEGER_GROUPS;
}

block_callback *block_prepare(struct block *block)
{
    unsigned groups = groups_of(block);
    if (plugin.simulate_caches || block->end == END_SUSPECT || block->lines != NULL)
        return block_runs;
    for (unsigned i = 0; i < block->n_sums; i++) {
        unsigned event = block->sum[i].event, before = groups & (GROUP_OF(event) - 1);
        block->amount[(unsigned)__builtin_popcount(before) * GROUP + event % GROUP] = block->sum[i].amount;
    }
    return quick_callback(groups == INTEGER_GROUPS);
}

/* ---- accesses to memory */

enum access { ACCESS, ACCESS_PART, ACCESS_NONE };

/* The emulator accesses a vector in parts of eight bytes, and now and then more than there is: a
 * scalar that it reads as a vector, or the frame of a signal on the account of the instruction before. */
static enum access next_access(struct thread *thread, const struct operand *operand, uint64_t address,
                               unsigned size, bool store)
{
    bool same = thread->accessing == operand && thread->access_store == store && operand->size != 0;
    bool part = same && thread->access_next == address && thread->access_left >= size;
    if (same && !part && thread->access_left == 0)
        return ACCESS_NONE;
    unsigned left = part ? thread->access_left : operand->size;
    thread->accessing = operand;
    thread->access_next = address + size;
    thread->access_left = left > size ? left - size : 0;
    thread->access_store = store;
    return part ? ACCESS_PART : ACCESS;
}

/* Simulates an access, and adds what it did to the instruction's own counts, too. */
static void cache_data_of_line(struct thread *thread, const struct operand *operand, uint64_t address,
                               unsigned size, bool store, bool part)
{
    struct access_lines *lines = operand->lines;
    uint64_t before[CACHE_EVENTS], *count = thread->page->count;
    memcpy(before, count + EMULATED_FIRST_CACHE_EVENT, sizeof before);
    cache_data(thread->caches, address, size, store, part, count);
    for (int i = 0; i < CACHE_EVENTS; i++)
        if (count[EMULATED_FIRST_CACHE_EVENT + i] != before[i])
            atomic_fetch_add_explicit(&lines->count[i], count[EMULATED_FIRST_CACHE_EVENT + i] - before[i],
                                      memory_order_relaxed);
    if (thread->data != NULL)
        data_accessed(thread->data, operand, address, size, part, before, count + EMULATED_FIRST_CACHE_EVENT);
}

/* Bytes of a string instruction's turn that lie in the line which it accesses already, in which it goes
 * upwards. */
static unsigned copied_already(struct thread *thread, const struct operand *operand, uint64_t address,
                               unsigned size, bool store)
{
    if (thread->copying != operand->address) {
        thread->copying = operand->address;
        thread->copied_next[0] = thread->copied_next[1] =
            UINT64_MAX; /* no turn begins there: it has a byte */
    }
    bool on = thread->copied_next[store] == address;
    thread->copied_next[store] = address + size;
    unsigned at = (unsigned)(address & (thread->line - 1));
    if (!on || at == 0)
        return 0;
    return thread->line - at < size ? thread->line - at : size;
}

static void simulate(struct thread *thread, const struct operand *operand, uint64_t address, unsigned size,
                     bool store, bool part)
{
    if (unlikely(operand->lines != NULL))
        cache_data_of_line(thread, operand, address, size, store, part);
    else
        cache_data(thread->caches, address, size, store, part, thread->page->count);
    if (unlikely(thread->page->armed != 0))
        overflow_of_instruction(thread, operand->address);
}

/* A turn of a string instruction: the emulator does one byte or number at a time, and a processor a line. */
static void turn_copies(struct thread *thread, const struct operand *operand, uint64_t address, unsigned size,
                        bool store)
{
    unsigned already = copied_already(thread, operand, address, size, store);
    if (already > 0 && unlikely(thread->data != NULL))
        data_used(thread->data, operand, address, already);
    if (already < size)
        simulate(thread, operand, address + already, size - already, store, false);
}

void operand_accessed(unsigned vcpu, uint32_t info, uint64_t address, void *data)
{
    const struct operand *operand = data;
    struct thread *thread = thread_pointer;
    (void)vcpu;
    if (thread == NULL || thread->caches == NULL)
        return;
    unsigned size = 1u << qemu_plugin_mem_size_shift(info);
    bool store = qemu_plugin_mem_is_store(info);
    if (operand->copies) {
        turn_copies(thread, operand, address, size, store);
        return;
    }
    enum access access = next_access(thread, operand, address, size, store);
    if (access != ACCESS_NONE)
        simulate(thread, operand, address, size, store, access == ACCESS_PART);
}

/* ---- limits of overflows */

/* True for signals that the program may ask for: those whose numbers the emulator does not change. */
static bool can_send(uint32_t signal)
{
    return signal > 0 && signal < 32 && signal != SIGKILL && signal != SIGSTOP;
}

static void queue(struct emulated_thread *page, uint32_t event, uint64_t address)
{
    uint32_t waiting = page->queued - page->taken;
    if (waiting >= EMULATED_OVERFLOWS) {
        page->lost++;
        return;
    }
    page->overflow[page->queued % EMULATED_OVERFLOWS] =
        (struct emulated_overflow){.address = address, .event = event};
    page->queued++;
}

/* The instruction of a block with which a counter, which the whole block has been added to, came to
 * the limit. */
static uint64_t address_at(const struct emulated_thread *page, const struct block *block, uint32_t event,
                           uint64_t limit)
{
    uint32_t counter = emulated_counter(event);
    uint64_t before = page->count[counter], address = block->address;
    for (unsigned i = 0; i < block->n_sums; i++)
        if (block->sum[i].event == counter)
            before -= block->sum[i].amount;
    for (unsigned i = 0; i < block->n_instructions; i++) {
        const struct kind *kind = block->instruction[i].kind;
        for (int j = 0; j < kind->n; j++)
            if (kind->event[j] == counter)
                before += kind->amount[j];
        if (before >= limit)
            return address;
        address += block->instruction[i].length;
    }
    return block->last;
}

/* The limits that a counter has passed; block NULL: all of them at one address. The program writes
 * the limits: a period of 0, or one that would fill the queue from one block, must not hold us up. */
static bool pass_limits(struct emulated_thread *page, uint32_t event, const struct block *block,
                        uint64_t address)
{
    const uint64_t *count = &page->count[emulated_counter(event)];
    bool passed = false;
    if (page->period[event] == 0)
        return false;
    for (int i = 0; i < EMULATED_OVERFLOWS && *count >= page->next[event]; i++) {
        queue(page, event, block ? address_at(page, block, event, page->next[event]) : address);
        page->next[event] += page->period[event];
        passed = true;
    }
    if (*count >= page->next[event])
        page->next[event] = *count + page->period[event];
    return passed;
}

static void check(struct thread *thread, const struct block *block, uint64_t address)
{
    struct emulated_thread *page = thread->page;
    bool passed = false;
    for (uint64_t rest = page->armed; rest != 0; rest &= rest - 1) {
        uint32_t event = (uint32_t)__builtin_ctzll(rest);
        if (event < EMULATED_EVENTS && page->count[emulated_counter(event)] >= page->next[event])
            passed |= pass_limits(page, event, block, address);
    }
    if (passed && can_send(page->signal))
        syscall(SYS_tgkill, getpid(), page->tid, (int)page->signal);
}

void overflow_of_block(struct thread *thread, const struct block *block)
{
    check(thread, block, 0);
}

void overflow_of_instruction(struct thread *thread, uint64_t address)
{
    check(thread, NULL, address);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "emulator/plugin/plugin.h"

#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The signals that the program may ask for are those whose numbers the emulator does not change. */
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

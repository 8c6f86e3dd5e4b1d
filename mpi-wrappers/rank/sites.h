/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/likely.h"
#include "rank/rank.h"

#include <stdint.h>

/* Walks the stack from a call out of a library to the place in the program itself that the library was called
 * from. */

/* Prepares walking, once. 0, or -1: this system has no unwinder (libgcc_s.so.1). */
int walk_begin(void);

/* address: where an MPI call returns to; frame: of the wrapper that was called. The address in the program to
 * which the first of the calls around it returns, or address itself where none of them is the program's.
 * Where the calls around are those of the last time from there, they are compared and not unwound. */
uintptr_t walk_to_program(uintptr_t address, uintptr_t frame);

/* Forgets what the calling thread has, at its end. */
void walk_forget(void);

/* Places in the program at which MPI is called: the return addresses of the wrappers, in the thread's record.
 */

/* The place of an address that is not the first one of its search, or is new. Never NULL: the last place is
 * that of all calls whose own has no room. */
struct call_site *site_find(struct thread_record *thread, enum call call, uintptr_t address);

/* Puts the program among the objects, so that a reader knows where it is that the first call came from. */
void site_note_program(void);

/* Calls come from addresses that are near each other: the product spreads them over the table. */
static inline uint32_t site_hash(uintptr_t address)
{
    return (uint32_t)((uint64_t)address * 0x9e3779b97f4a7c15u >> (64 - SITE_BITS));
}

/* Counts a call that returned to the address, from the wrapper in that frame. Where sites are off it is
 * counted nowhere, and the place that is returned has what nobody reads. */
static inline __attribute__((always_inline)) struct call_site *
site_count(struct thread_record *thread, enum call call, uintptr_t address, uintptr_t frame, uint64_t ticks)
{
    struct call_site *site;
    if (!papi_mpi.sites)
        return &thread->site[SITE_PLACES];
    if (unlikely(papi_mpi.sites == SITES_PROGRAM))
        address = walk_to_program(address, frame);
    site = &thread->site[site_hash(address)];
    if (unlikely(site->address != address || site->call != (int32_t)call))
        site = site_find(thread, call, address);
    site->calls++;
    site->ticks += ticks;
    if (ticks > site->longest)
        site->longest = ticks;
    return site;
}

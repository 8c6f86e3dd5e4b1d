/* SPDX-License-Identifier: BSD-3-Clause */
#include "formats/data_source.h"
#include "formats/perf_memory.h"

#include <stddef.h>

/* ---- level */

enum { NUMBER_CXL = 0x09 }; /* of newer kernels than the header's */

static enum memory_level level_of_number(unsigned number, bool remote)
{
    switch (number) {
    case PERF_MEM_LVLNUM_L1:
        return MEMORY_L1;
    case PERF_MEM_LVLNUM_L2:
        return MEMORY_L2;
    case PERF_MEM_LVLNUM_L3:
        return MEMORY_L3;
    case PERF_MEM_LVLNUM_LFB:
        return MEMORY_BUFFER;
    case PERF_MEM_LVLNUM_L4:
        return MEMORY_BEYOND_L1;
    case PERF_MEM_LVLNUM_ANY_CACHE:
        return remote ? MEMORY_OTHER_CACHE : MEMORY_UNKNOWN;
    case PERF_MEM_LVLNUM_RAM:
        return remote ? MEMORY_REMOTE : MEMORY_LOCAL;
    case PERF_MEM_LVLNUM_PMEM:
    case NUMBER_CXL:
        return MEMORY_SLOW;
    case PERF_MEM_LVLNUM_IO:
        return MEMORY_DEVICE;
    default:
        return MEMORY_UNKNOWN;
    }
}

static enum memory_level level_of_bits(unsigned bits)
{
    static const struct {
        unsigned bits;
        enum memory_level level;
    } rows[] = {
        {PERF_MEM_LVL_IO | PERF_MEM_LVL_UNC, MEMORY_DEVICE},
        {PERF_MEM_LVL_REM_RAM1 | PERF_MEM_LVL_REM_RAM2, MEMORY_REMOTE},
        {PERF_MEM_LVL_LOC_RAM, MEMORY_LOCAL},
        {PERF_MEM_LVL_REM_CCE1 | PERF_MEM_LVL_REM_CCE2, MEMORY_OTHER_CACHE},
        {PERF_MEM_LVL_L3, MEMORY_L3},
        {PERF_MEM_LVL_L2, MEMORY_L2},
        {PERF_MEM_LVL_LFB, MEMORY_BUFFER},
        {PERF_MEM_LVL_L1, MEMORY_L1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if ((bits & rows[i].bits) != 0)
            return rows[i].level;
    return MEMORY_UNKNOWN;
}

/* A miss at a level says only that the data was behind it. A hit in L3 of a line that another core had
 * modified came from that core's cache. */
static enum memory_level level_of(uint64_t source)
{
    unsigned bits = source >> PERF_MEM_LVL_SHIFT & 0x3fff, number = source >> PERF_MEM_LVLNUM_SHIFT & 0xf,
             snoop = source >> PERF_MEM_SNOOP_SHIFT & 0x1f, hops = source >> PERF_MEM_HOPS_SHIFT & 7,
             forward = source >> PERF_MEM_SNOOPX_SHIFT & PERF_MEM_SNOOPX_PEER;
    bool remote = (source >> PERF_MEM_REMOTE_SHIFT & PERF_MEM_REMOTE_REMOTE) != 0;
    enum memory_level level = level_of_number(number, remote);
    if (level == MEMORY_UNKNOWN && number != PERF_MEM_LVLNUM_ANY_CACHE)
        level = level_of_bits(bits);
    bool cache = level == MEMORY_L2 || level == MEMORY_L3 || number == PERF_MEM_LVLNUM_ANY_CACHE;
    if ((bits & PERF_MEM_LVL_MISS) != 0 && (bits & PERF_MEM_LVL_HIT) == 0)
        return cache || level == MEMORY_L1 ? MEMORY_BEYOND_L1 : level;
    if (cache && ((snoop & PERF_MEM_SNOOP_HITM) != 0 || remote || hops != 0 || forward != 0))
        return MEMORY_OTHER_CACHE;
    return level;
}

/* ---- TLB, other caches, distance */

static enum memory_tlb tlb_of(uint64_t source)
{
    unsigned bits = source >> PERF_MEM_TLB_SHIFT & 0x7f;
    if ((bits & PERF_MEM_TLB_MISS) != 0 ||
        ((bits & (PERF_MEM_TLB_WK | PERF_MEM_TLB_OS)) != 0 && (bits & PERF_MEM_TLB_HIT) == 0))
        return TLB_WALK;
    if ((bits & PERF_MEM_TLB_HIT) == 0)
        return TLB_UNKNOWN;
    bool first = (bits & PERF_MEM_TLB_L1) != 0, second = (bits & PERF_MEM_TLB_L2) != 0;
    if ((bits & (PERF_MEM_TLB_WK | PERF_MEM_TLB_OS)) != 0)
        return TLB_WALK;
    return first == second ? TLB_EITHER : first ? TLB_FIRST : TLB_SECOND;
}

/* Tells the most that the kernel says. */
static enum memory_snoop snoop_of(uint64_t source)
{
    unsigned bits = source >> PERF_MEM_SNOOP_SHIFT & 0x1f;
    if ((bits & PERF_MEM_SNOOP_HITM) != 0)
        return SNOOP_MODIFIED;
    if ((bits & PERF_MEM_SNOOP_HIT) != 0)
        return SNOOP_HIT;
    if ((bits & PERF_MEM_SNOOP_MISS) != 0)
        return SNOOP_MISS;
    return (bits & PERF_MEM_SNOOP_NONE) != 0 ? SNOOP_NONE : SNOOP_UNKNOWN;
}

static enum memory_hops hops_of(uint64_t source)
{
    unsigned hops = source >> PERF_MEM_HOPS_SHIFT & 7;
    return hops < HOPS_KINDS ? (enum memory_hops)hops : HOPS_NONE;
}

static bool has(uint64_t source, unsigned shift, unsigned bits)
{
    return (source >> shift & bits) != 0;
}

struct data_source data_source_read(uint64_t source)
{
    return (struct data_source){
        .load = has(source, PERF_MEM_OP_SHIFT, PERF_MEM_OP_LOAD),
        .store = has(source, PERF_MEM_OP_SHIFT, PERF_MEM_OP_STORE),
        .prefetch = has(source, PERF_MEM_OP_SHIFT, PERF_MEM_OP_PFETCH),
        .execution = has(source, PERF_MEM_OP_SHIFT, PERF_MEM_OP_EXEC),
        .level = level_of(source),
        .tlb = tlb_of(source),
        .snoop = snoop_of(source),
        .hops = hops_of(source),
        .remote = has(source, PERF_MEM_REMOTE_SHIFT, PERF_MEM_REMOTE_REMOTE),
        .forwarded = has(source, PERF_MEM_SNOOPX_SHIFT, PERF_MEM_SNOOPX_FWD | PERF_MEM_SNOOPX_PEER),
        .locked = has(source, PERF_MEM_LOCK_SHIFT, PERF_MEM_LOCK_LOCKED),
        .waited_data = has(source, PERF_MEM_BLK_SHIFT, PERF_MEM_BLK_DATA),
        .waited_address = has(source, PERF_MEM_BLK_SHIFT, PERF_MEM_BLK_ADDR),
    };
}

/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Source of sampled data, as the kernel says it in PERF_SAMPLE_DATA_SRC, for all processors alike: older
 * kernels name the level by bits, newer ones by a number with what is beside it. */

enum memory_level {
    MEMORY_UNKNOWN,
    MEMORY_L1,
    MEMORY_BUFFER, /* a line that was on its way already */
    MEMORY_L2,
    MEMORY_L3,
    MEMORY_OTHER_CACHE, /* of another core, or of another node */
    MEMORY_BEYOND_L1,   /* somewhere */
    MEMORY_LOCAL,
    MEMORY_REMOTE, /* of another node */
    MEMORY_SLOW,   /* persistent memory, or behind CXL */
    MEMORY_DEVICE, /* and what is not cached */
    MEMORY_LEVELS
};

enum memory_tlb { TLB_UNKNOWN, TLB_FIRST, TLB_SECOND, TLB_EITHER, TLB_WALK, TLB_KINDS };

/* State of the line in other caches. */
enum memory_snoop {
    SNOOP_UNKNOWN,
    SNOOP_NONE,     /* they were not asked */
    SNOOP_MISS,     /* nothing */
    SNOOP_HIT,      /* it, unmodified */
    SNOOP_MODIFIED, /* it, modified */
    SNOOP_KINDS
};

/* Hops to where the data was; HOPS_NONE: the core itself, or it is not known. */
enum memory_hops { HOPS_NONE, HOPS_CORE, HOPS_NODE, HOPS_SOCKET, HOPS_BOARD, HOPS_KINDS };

struct data_source {
    bool load, store, prefetch, execution;
    enum memory_level level;
    enum memory_tlb tlb;
    enum memory_snoop snoop;
    enum memory_hops hops;
    bool remote;                      /* of another node */
    bool forwarded;                   /* another core's cache gave the line */
    bool locked;                      /* an atomic access */
    bool waited_data, waited_address; /* the load was held up by a store's data, or address */
};

struct data_source data_source_read(uint64_t source);

/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdint.h>

/* The agreement of the emulator's plugin, the library inside the emulated program and papi_emulate: the
 * events, the memory in which the counts are, and how the library asks for it. The three are built together,
 * but a program may have been linked with another version of the library. All numbers are of the same size
 * and order on the machines that are emulated and on those that emulate. */

enum { EMULATED_VERSION = 4 };

/* The variable by which papi_profile has papi_emulate write what each instruction did: a folder, in which
 * each program gets a file of lines of words.
 *
 *   papi_emulate lines 1
 *   p PID THREADS NAME
 *   f NUMBER PATH
 *     a file that was mapped
 *   b NUMBER OFFSET RUNS TAKEN NOT_TAKEN LENGTH:EVENT=AMOUNT...
 *     a block at an offset (hexadecimal) in a file (-1: in none): how often it ran, how its branch went, and
 *     its instructions, with what each adds to the events of emulator_events.def
 *   m NUMBER OFFSET :EVENT=AMOUNT...
 *     an instruction: what its accesses did in the simulated caches, all together
 *   d NUMBER KIND FILE AT SIZE TIMES
 *     data: a variable (v) at an address that its file gives to it, all allocations (h) by a call whose
 *     return address is at an offset in a file, or everything else (o). SIZE is its bytes, of TIMES
 *     allocations together
 *   a FILE OFFSET DATA ACCESSES L1D L2 L3 STRIDE EQUAL MOVES FETCHED USED
 *     an instruction's accesses to data, their misses of each level, and the most frequent distance in
 *     bytes from one access to the next, which EQUAL of MOVES had at least. FETCHED are bytes of lines that
 *     they brought into the first cache, of which USED were used until the line was fetched again
 *   end
 *     all has been written */
#define EMULATED_LINES "PAPI_EMULATE_LINES"

/* The variable by which papi_profile asks for data, too, if it is set. */
#define EMULATED_DATA "PAPI_EMULATE_DATA"

enum emulated_event {
#define EVENT(name, description) EMULATED_##name,
#define CACHE_EVENT(name, description) EMULATED_##name,
#include "emulator_events.def"
#undef EVENT
#undef CACHE_EVENT
    EMULATED_EVENTS,
    EMULATED_FIRST_CACHE_EVENT = EMULATED_L1D_READS,
    EMULATED_BEHIND_CACHE_EVENTS = EMULATED_ESTIMATED_CYCLES,
};

enum {
    EMULATED_ROOM = 64,        /* counters that a page has room for */
    EMULATED_PROCESSES = 4096, /* programs that one run of papi_emulate tells apart */
    EMULATED_THREADS = 8192,   /* threads that run at one time */
    EMULATED_OVERFLOWS = 64,   /* that wait to be taken in one thread */
    EMULATED_UNKNOWN = 8,      /* kinds of instructions that the disassembler does not know, by their bytes */
};

_Static_assert((int)EMULATED_EVENTS <= (int)EMULATED_ROOM, "a page has no room for all events");

/* The counter of an event. An estimated event is another one's counter, with limits of its own. */
static inline uint32_t emulated_counter(uint32_t event)
{
    return event == EMULATED_ESTIMATED_CYCLES ? (uint32_t)EMULATED_INSTRUCTIONS : event;
}

/* An overflow: the counter, and the instruction that made it overflow. */
struct emulated_overflow {
    uint64_t address;
    uint32_t event;
    uint32_t reserved;
};

/* The page of a thread. The plugin writes the counts, on that thread, so that the program reads them as plain
 * memory. Where the program asked for overflows, the plugin queues them and sends the signal. */
struct emulated_thread {
    uint64_t count[EMULATED_ROOM];
    uint32_t tid;     /* 0: nobody's */
    uint32_t process; /* its index in the table */
    /* Written by the program. */
    uint64_t armed;                 /* one bit an event: it shall overflow */
    uint64_t period[EMULATED_ROOM]; /* events from one overflow to the next, at least 1 */
    uint64_t next[EMULATED_ROOM];   /* the count of the next overflow; the plugin moves it on */
    uint32_t signal;
    uint32_t taken; /* overflows that the program has taken from the queue */
    /* Written by the plugin. */
    uint32_t queued; /* overflows put into the queue: at taken..queued-1, modulo its size */
    uint32_t lost;   /* overflows for which the queue was full */
    struct emulated_overflow overflow[EMULATED_OVERFLOWS];
};

_Static_assert(sizeof(struct emulated_thread) <= 4096, "a thread has one page");

/* The instruction that ended a program, because the emulator lacks it. */
struct emulated_fault {
    uint32_t known; /* the rest is filled in: such an instruction was reached last */
    uint32_t reserved;
    uint64_t address;
    char instruction[64]; /* "vaddpd zmm0, zmm1, zmm2", or its bytes */
    char needs[16];       /* "AVX-512", "SVE", or "" */
    char file[192];       /* the program or library that it is in, or "" */
    uint64_t offset;      /* of the instruction in that file */
};

/* A program: a process, from its start or its exec to its end or the next exec. */
struct emulated_process {
    uint32_t pid; /* 0: a free place */
    uint32_t parent;
    uint32_t threads; /* that ever ran */
    /* A thread's counts go from its page to total between these two: while they differ, the sum of both may
     * have them twice or not at all. */
    uint32_t leaving, left;
    uint32_t reserved;
    uint64_t total[EMULATED_ROOM]; /* of the threads that ended; those of the others are in their pages */
    char name[128];                /* the program's path, its end if it is long */
    struct emulated_fault fault;
};

/* The memory: a file without a name that papi_emulate makes and the plugin of each process maps.
 * The pages of the threads begin at the first multiple of page_size behind this. */
struct emulated_memory {
    char magic[8]; /* EMULATED_MAGIC */
    uint32_t version;
    uint32_t events;        /* EMULATED_EVENTS of those who made it */
    uint32_t page_size;     /* of the machine that emulates, at least 4096 */
    uint32_t caches;        /* the caches are simulated */
    uint64_t lost_programs; /* for which the table had no place: they are in others */
    uint64_t others[EMULATED_ROOM];
    uint32_t n_unknown; /* different ones that were met, perhaps more than there is room for */
    uint32_t reserved;
    struct emulated_fault unknown[EMULATED_UNKNOWN]; /* each where it was met first */
    uint64_t used[EMULATED_THREADS / 64];            /* one bit a page: it has a thread's counts */
    struct emulated_process process[EMULATED_PROCESSES];
};

#define EMULATED_MAGIC "papiemu"

static inline uint64_t emulated_thread_offset(uint32_t page_size, uint32_t index)
{
    uint64_t head = (sizeof(struct emulated_memory) + page_size - 1) / page_size;
    return (head + index) * page_size;
}

static inline const struct emulated_thread *emulated_page(const struct emulated_memory *memory,
                                                          uint32_t index)
{
    return (const struct emulated_thread *)(const void *)((const char *)memory +
                                                          emulated_thread_offset(memory->page_size, index));
}

static inline uint64_t emulated_memory_size(uint32_t page_size)
{
    return emulated_thread_offset(page_size, EMULATED_THREADS);
}

/* The library asks with getpid(EMULATED_QUESTION, &answer): every kernel and every sandbox allows it
 * and ignores the arguments, and the plugin sees them. It fills in the answer for the calling thread. */
#define EMULATED_QUESTION 0x70617069656d75ULL

/* That library says getpid(EMULATED_ALLOCATED, address, bytes, address of return) and getpid(EMULATED_FREED,
 * address) in the same way. Smaller allocations are not reported. Before the program begins it says
 * getpid(EMULATED_STACK, lowest address, address behind it). */
#define EMULATED_ALLOCATED 0x70617069616cULL
#define EMULATED_FREED 0x706170696672ULL
#define EMULATED_STACK 0x706170697374ULL
enum { EMULATED_LEAST_ALLOCATION = 1024 };

struct emulated_answer {
    uint32_t size;    /* of this structure, set by who asks */
    uint32_t version; /* set to 0 by who asks; still 0: this is not an emulator */
    int32_t fd;       /* a new descriptor of the memory for who asks to map and close; -1: none is free */
    uint32_t events;
    uint64_t offset; /* of the thread's page in the memory */
    uint32_t page_size;
    uint16_t caches;    /* are simulated */
    uint16_t estimates; /* were asked for */
};

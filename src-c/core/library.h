/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/lock.h"
#include "components/component.h"
#include "core/thread.h"
#include "events/natives.h"
#include "events/presets.h"
#include "hardware/clock.h"
#include "papi.h"
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>

/* The clocks that programs see: times.h. */
enum { TIMES_UNKNOWN, TIMES_PLAIN, TIMES_RECORD, TIMES_REPLAY };

/* PAPI_lock: for the process, with or without a library. A thread may take a lock that it has, also in
 * a signal handler that interrupts any of these functions. */
struct user_lock {
    struct lock lock;
    _Atomic int again; /* times that its holder took it beside the first; 0 whenever it is free */
};

/* A place for an event set. A handle is a place's number and how often it was given away, so that
 * a stale handle is known. The reader compares handle and owner before it looks at the set. */
#define NO_HANDLE LLONG_MIN /* nothing that a program can pass */
struct slot {
    _Atomic long long handle; /* NO_HANDLE: free */
    int next_free;            /* of the places that are free, and 1; 0: none */
    unsigned generation;
    struct papi_thread *_Atomic owner;
    struct eventset *set; /* only the owner looks at it */
};

enum { SLOT_BITS = 16, MAX_SLOTS = 1 << SLOT_BITS, CHUNK_BITS = 8, CHUNK_SLOTS = 1 << CHUNK_BITS };

/* The library: all its state that is not a thread's. What the initialisation touches stands first, on one
 * page of memory; `process` marks what is the process's and outlives a shutdown. */
struct papi_library {
    struct lock lock;                 /* process; for everything here but what is atomic: library_lock */
    int cancel_state;                 /* of the holder, from before */
    bool held;                        /* the holder has blocked OVERFLOW_SIGNAL */
    _Atomic int overflows;            /* process; event sets that have overflows */
    int fork_locked;                  /* process; the fork that goes on took the lock */
    _Atomic int process_ready;        /* process; the fork handlers exist */
    _Atomic unsigned long thread_key; /* process; a key and 1, 0: none yet; its destructor runs when a thread
                                         ends */
    _Atomic int debug;                /* PAPI_QUIET, ... */
    _Atomic(PAPI_debug_handler_t) debug_handler;
    int last_sampler;            /* process; the number of the sampler that was made last */
    int n_slots;                 /* process */
    int first_free, last_free;   /* process; the free places, oldest first: a stale handle is known for long.
                                  * first_free: its place and 1; 0: there is none */
    _Atomic long long tick_khz;  /* process; of PAPI_get_real_cyc, 0: not measured yet */
    _Atomic int times_mode;      /* process; TIMES_* */
    clock_reader *_Atomic clock; /* process; what reads it while times_mode is TIMES_PLAIN, else NULL */
    char *times_folder;          /* of this process; NULL: none yet */
    int times_threads;           /* that have read a clock and have no number of their own */
    void *_Atomic client[2];     /* process; of the high level, see api/client.h; NULL: none yet */

    _Atomic int level; /* PAPI_LOW_LEVEL_INITED, ... */
    struct papi_thread *threads;
    unsigned long (*_Atomic thread_id)(void);
    _Atomic int default_domain;
    _Atomic int default_inherit;
    _Atomic long long default_wait_ns;
    _Atomic int parking;          /* stopped counters may stay on: eventset.h */
    int disabled[MAX_COMPONENTS]; /* switched off by the user */
    char root[PATH_MAX];          /* see base/sysroot.h */

    struct papi_thread spare_thread;                     /* process */
    struct user_lock user_lock[PAPI_LOCK_NUM];           /* process */
    struct slot *_Atomic chunk[MAX_SLOTS >> CHUNK_BITS]; /* never freed: another thread may be looking */
    struct event_tables tables;                          /* libpfm4's part is the process's */
    struct native_table natives;
    struct preset_table presets; /* no presets: not loaded yet */
    struct component_state state[MAX_COMPONENTS];
    PAPI_component_info_t *component_info[MAX_COMPONENTS];
    int component_info_lasts[MAX_COMPONENTS]; /* the description cannot be otherwise at the next call */
    PAPI_hw_info_t *hardware;
    struct gpu *gpus; /* NULL: not looked for yet, or there are none; descriptions.h */
    int n_gpus;
    PAPI_exe_info_t *executable;
    struct library_list *libraries;     /* every list that was given away: descriptions.c */
    void *_Atomic kept[MAX_COMPONENTS]; /* process; component_kept */
};

extern struct papi_library papi_library;

/* The lock. Its holder is not cancelled: the calls made under it are cancellation points, and a
 * thread that vanished with the lock would stop all the others. */
void library_lock(void);
void library_unlock(void);

/* Overflow handlers may call the library too. While any set has overflows their signal is therefore
 * blocked in the thread that has the lock, or it would wait for itself; the handler comes after the
 * unlock. Returns whether it was not blocked before, for the release. */
bool library_hold_overflows(void);
void library_release_overflows(bool held);

/* True if the calling thread is in no handler, whose signal would be blocked; what the lock has blocked does
 * not count. */
bool library_blocks_no_signal(void);

/* Starts the library for a version word. Returns the word or an error. */
int library_init(int version, struct reason *why);

/* Notifies the library of the process's forks and thread ends, before its initialisation too.
 * PAPI_ENOMEM. */
int library_prepare(struct reason *why);

/* Shuts the library down, from any thread, whatever the others do: see struct papi_thread. */
void library_shutdown(void);

static inline int library_ready(void)
{
    return atomic_load_explicit(&papi_library.level, memory_order_acquire) != PAPI_NOT_INITED;
}

/* ---- the locks of PAPI_lock */

void user_lock_take(int which);

/* Gives back a lock of the user's. 0, or -1: the calling thread does not hold it. */
int user_lock_give(int which);

/* The calling thread ends. */
void user_locks_give_back(void);

void user_locks_after_fork(void);

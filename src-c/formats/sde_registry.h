/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/lock.h"
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* The registry that libsde, where libraries register their events, shares with the component sde, which
 * counts them. A process has one registry, however many copies of libsde are in it: each copy works on the
 * registry that it finds. What is here is therefore an interface between binaries of different builds: a
 * change of any of these structures takes another SDE_ANCHOR. */

#define SDE_ANCHOR papi_sde_anchor_2

enum sde_type { SDE_LONG_LONG, SDE_INT, SDE_DOUBLE, SDE_FLOAT, SDE_COMPUTED };

/* The origin of an event, which decides what else can be done with it. */
enum sde_kind { SDE_REGISTERED, SDE_CREATED, SDE_RECORDER, SDE_SET, SDE_GROUP, SDE_PART, SDE_GONE };

/* The source of an event's value. It does not change as long as a reader may have it; then it can become
 * another one of the same event. */
struct sde_source {
    enum sde_kind kind;
    enum sde_type type;
    bool level;    /* INSTANT */
    bool real;     /* its value is the bits of a double */
    bool writable; /* RW */
    void *place;   /* of a variable; its size is that of the type */
    uint64_t (*compute)(
        const struct sde_source *source); /* SDE_COMPUTED: for real ones the bits of a double */
    void *object;                         /* argument of compute */
    /* For a variable's function: it returns the value. For recorders and sets: it is called for the object
     * before an event set has the event, so that readings find the memory that they need. NULL: nothing is to
     * be called */
    long long (*callback)(void *);
    struct sde_source *older; /* source replaced before; replaced: the registry's epoch then */
    uint64_t replaced;
    uint64_t last; /* of what is gone: its last value */
};

/* The one thread that is told when a created counter has grown by a period: whoever adds what it takes sends
 * the signal. */
struct sde_watch {
    _Atomic long long period; /* 0: nobody is to be told */
    _Atomic long long next;   /* the value at which the next overflow is */
    _Atomic int thread;       /* the kernel's number; 0: it is anybody's who wants it */
    _Atomic int signal;
    _Atomic unsigned waiting; /* overflows that were not taken yet */
    _Atomic uintptr_t caller; /* address of the addition that made the last of them */
};

/* An event, from its first registration to the end of the process. */
struct sde_counter {
    struct sde_source *_Atomic source;
    struct sde_counter *_Atomic next; /* in the order of registration */
    struct sde_source *replaced;      /* sources of before */
    struct sde_counter *same_hash;
    struct sde_registry *registry;
    struct sde_library *library;
    const char *name; /* "library::event" */
    const char *_Atomic description;
    _Alignas(8) long long value; /* of a created counter; one access, on 32-bit x86, too */
    struct sde_watch watch;
};

/* Someone who reads without the lock says when: a variable is its library's again as soon as it is
 * unregistered and no reader is where it was then. */
struct sde_reader {
    _Atomic uint64_t began; /* 0: not in a reading; else the registry's epoch when it began */
    pthread_t thread;
    struct sde_reader *next, **previous;
};

enum { SDE_HASHES = 4096 };

struct sde_registry {
    struct lock lock;       /* for all but what is atomic */
    _Atomic uint64_t epoch; /* goes on when a source is replaced */
    int fork_locked;
    struct sde_counter *_Atomic first;
    struct sde_counter *last;
    struct sde_counter *hash[SDE_HASHES]; /* chains, not base/hash.h: copies of libsde share this */
    struct sde_library *libraries;
    struct sde_reader *readers;
};

/* Enlists a reader for the calling thread: what it finds in a reading stays until the reading ends. */
static inline void sde_reader_enlist(struct sde_registry *registry, struct sde_reader *reader)
{
    reader->thread = pthread_self();
    lock_take(&registry->lock);
    reader->next = registry->readers;
    reader->previous = &registry->readers;
    if (reader->next != NULL)
        reader->next->previous = &reader->next;
    registry->readers = reader;
    lock_give(&registry->lock);
}

static inline void sde_reader_leave(struct sde_registry *registry, struct sde_reader *reader)
{
    lock_take(&registry->lock);
    *reader->previous = reader->next;
    if (reader->next != NULL)
        reader->next->previous = reader->previous;
    lock_give(&registry->lock);
}

/* Each copy of libsde exports this: where the registry's address is, once there is one. The registry of the
 * process is that of the first copy in the order in which they were loaded. */
typedef struct sde_registry *_Atomic *sde_anchor(void);

/* The first copy's, NULL: no copy is exported by anything that is loaded. The object in which it is stays
 * in memory for ever from then on. false: out of memory. */
bool sde_find_anchor(struct sde_registry *_Atomic **out);

/* The object in which an address is stays in memory, even after dlclose; nothing where it is in none. */
void sde_keep_loaded(const void *address);

static inline uint64_t sde_bits(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline double sde_real(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Loads the library's variable: an integer, or the bits of a double where the source is real. */
static inline uint64_t sde_load(const struct sde_source *source)
{
    double number;
    float small;
    switch (source->type) {
    case SDE_LONG_LONG:
        return (uint64_t)__atomic_load_n((const long long *)source->place, __ATOMIC_RELAXED);
    case SDE_INT:
        return (uint64_t)(long long)__atomic_load_n((const int *)source->place, __ATOMIC_RELAXED);
    case SDE_DOUBLE:
        __atomic_load((const double *)source->place, &number, __ATOMIC_RELAXED);
        return sde_bits(number);
    case SDE_FLOAT:
        __atomic_load((const float *)source->place, &small, __ATOMIC_RELAXED);
        return sde_bits((double)small);
    case SDE_COMPUTED:
    default:
        return source->compute(source);
    }
}

/* Sets the variable: to an integer, or what the bits of a double are where the source is real. */
static inline void sde_store(const struct sde_source *source, uint64_t value)
{
    double number = sde_real(value);
    float small = (float)number;
    if (source->type == SDE_LONG_LONG)
        __atomic_store_n((long long *)source->place, (long long)value, __ATOMIC_RELAXED);
    else if (source->type == SDE_INT)
        __atomic_store_n((int *)source->place, (int)value, __ATOMIC_RELAXED);
    else if (source->type == SDE_DOUBLE)
        __atomic_store((double *)source->place, &number, __ATOMIC_RELAXED);
    else if (source->type == SDE_FLOAT)
        __atomic_store((float *)source->place, &small, __ATOMIC_RELAXED);
}

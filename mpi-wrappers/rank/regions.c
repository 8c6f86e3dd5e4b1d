/* SPDX-License-Identifier: BSD-3-Clause */
#include "rank/regions.h"

#include "base/likely.h"
#include "base/visible.h"
#include "papi.h"
#include "rank/between.h"
#include "rank/devices.h"
#include "rank/rank.h"
#include "record/call_ring.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

/* ---- names */

static uint32_t hash_of(const char *name)
{
    uint32_t hash = 0x811c9dc5u;
    for (; *name != '\0'; name++)
        hash = (hash ^ (unsigned char)*name) * 0x01000193u;
    return hash;
}

/* A name that does not fit ends in its hash, so that two of them that begin alike stay two. The cut is not
 * inside of a character of several bytes. */
static void fit(char *to, const char *name, uint32_t hash)
{
    size_t n = strnlen(name, REGION_NAME);
    if (n == REGION_NAME) {
        n = REGION_NAME - 10;
        while (n > 0 && ((unsigned char)name[n] & 0xc0) == 0x80)
            n--;
        snprintf(to, REGION_NAME, "%.*s~%08x", (int)n, name, hash);
        return;
    }
    memcpy(to, name, n + 1);
}

static int find(const struct rank_record *record, const char *name, uint32_t hash, int from, int n)
{
    char fitting[REGION_NAME];
    for (int i = from; i < n; i++) {
        if (papi_mpi.region_hash[i] != hash)
            continue;
        fit(fitting, name, hash);
        if (strcmp(record->region_name[i], fitting) == 0)
            return i;
    }
    return -1;
}

static __attribute__((noinline)) int new_region(struct rank_record *record, const char *name, uint32_t hash,
                                                int known)
{
    int n, region;
    pthread_mutex_lock(&papi_mpi.region_lock);
    n = record->n_regions;
    region = find(record, name, hash, known, n);
    if (region < 0 && n < MAX_REGIONS) {
        region = n;
        if (n == MAX_REGIONS - 1)
            snprintf(record->region_name[n], REGION_NAME, "%s", OTHER_REGIONS);
        else
            fit(record->region_name[n], name, hash);
        papi_mpi.region_hash[n] = hash;
        __atomic_store_n(&record->n_regions, n + 1, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&papi_mpi.region_lock);
    return region < 0 ? MAX_REGIONS - 1 : region;
}

static int region_of(struct rank_record *record, const char *name, uint32_t hash)
{
    int n = __atomic_load_n(&record->n_regions, __ATOMIC_ACQUIRE);
    int region = find(record, name, hash, 0, n);
    return region >= 0 ? region : new_region(record, name, hash, n);
}

/* True if its name may be none; the last place has those of many. */
static void suppose(struct rank_record *record, int region, int may_be_none)
{
    uint64_t bit = 1ULL << region % 64;
    if (may_be_none && region < MAX_REGIONS - 1)
        __atomic_fetch_or(&record->supposed[region / 64], bit, __ATOMIC_RELAXED);
    else
        __atomic_fetch_and(&record->supposed[region / 64], ~bit, __ATOMIC_RELAXED);
}

static int is_supposed(const struct rank_record *record, int region)
{
    return record->supposed[region / 64] >> region % 64 & 1;
}

/* ---- one thread's */

static void open_one(struct rank_record *record, struct thread_record *thread, const char *name,
                     int by_pcontrol)
{
    struct open_region *open = &thread->open[thread->n_open];
    open->hash = hash_of(name);
    open->region = region_of(record, name, open->hash);
    open->by_pcontrol = by_pcontrol;
    memset(open->counter, 0, sizeof open->counter);
    between_update(record);
    record_tell_regions(thread);
    if (record_is_main(record, thread)) {
        rank_path_region(record);
        rank_read_counters();
        devices_mark(record, open->region, DEVICES_BEGIN);
        memcpy(open->counter, record->counter, sizeof open->counter);
    }
    open->mpi_ticks = thread->mpi_ticks;
    open->path_ns = record->path.ns;
    open->offload_ns = record->devices.offload_ns;
    open->used = record_region_time(record, thread);
    open->own = record->measured ? record_thread_time(thread) : open->used;
    thread->region[open->region].visits++;
    open->since = clock_ticks();
    open->paused = record_paused(record, open->since);
    __atomic_store_n(&thread->n_open, thread->n_open + 1, __ATOMIC_RELEASE);
}

static void close_one(struct rank_record *record, struct thread_record *thread, int at)
{
    uint64_t now = clock_ticks();
    int inside = thread->n_open - at - 1; /* of others, which go on */
    between_update(record);
    if (record_is_main(record, thread)) {
        rank_path_region(record);
        rank_boundary(now);
        devices_mark(record, thread->open[at].region, DEVICES_END);
    }
    record_tell_regions(thread);
    record_add_region(record, thread, at, now);
    if (unlikely(papi_mpi.ring != NULL))
        ring_add(papi_mpi.ring, RING_REGION, mpi_thread.number, thread->open[at].since, now)->region =
            thread->open[at].region;
    memmove(&thread->open[at], &thread->open[at + 1], (size_t)inside * sizeof *thread->open);
    __atomic_store_n(&thread->n_open, thread->n_open - 1, __ATOMIC_RELEASE);
}

/* The innermost open region, of those that MPI_Pcontrol began or of the others, by by_pcontrol. It must have
 * the name, except that of MPI_Pcontrol's the last one with it is taken. Returns its index, or -1. */
static int innermost(const struct thread_record *thread, const char *name, int by_pcontrol)
{
    uint32_t hash = hash_of(name);
    int at = thread != NULL ? thread->n_open - 1 : -1;
    while (at >= 0 &&
           (thread->open[at].by_pcontrol != by_pcontrol || (by_pcontrol && thread->open[at].hash != hash)))
        at--;
    return at >= 0 && thread->open[at].hash == hash ? at : -1;
}

/* ---- whose the call is */

/* The record from MPI_Init to MPI_Finalize; NULL before and after. */
static struct rank_record *recording(void)
{
    struct rank_record *record = papi_mpi.record;
    return record != NULL && atomic_load_explicit(&record->state, memory_order_relaxed) == RANK_RUNS ? record
                                                                                                     : NULL;
}

int region_find(const char *name)
{
    const struct rank_record *record = recording();
    return record != NULL
               ? find(record, name, hash_of(name), 0, __atomic_load_n(&record->n_regions, __ATOMIC_ACQUIRE))
               : -1;
}

static int is_wrong(const char *name)
{
    return name == NULL || name[0] == '\0';
}

/* mpi_thread.regions: those that are open in the record, or were when it ended; what the library was told of
 * behind them is inside of them. */
static int forward_begin(const struct region_functions *library, const char *name)
{
    int code = library->begin(name);
    if (code != PAPI_EINVAL && mpi_thread.regions > 0)
        mpi_thread.regions_behind++;
    return code;
}

static int forward_end(const struct region_functions *library, const char *name)
{
    int code;
    if (is_wrong(name) || mpi_thread.regions == 0 || mpi_thread.regions_behind > 0) {
        code = library->end(name);
        if (code != PAPI_EINVAL && mpi_thread.regions_behind > 0)
            mpi_thread.regions_behind--;
        return code;
    }
    mpi_thread.regions--; /* MPI_Finalize came in between: its time is in the record */
    return papi_mpi.settings.regions_by_rank ? library->end(name) : PAPI_OK;
}

int region_begin(const struct region_functions *library, const char *name)
{
    struct rank_record *record = recording();
    struct thread_record *thread;
    int code = PAPI_OK;
    if (record == NULL || is_wrong(name))
        return record == NULL ? forward_begin(library, name) : PAPI_EINVAL;
    if (papi_mpi.settings.regions_by_rank)
        code = library->begin(name);
    if (code == PAPI_EINVAL)
        return code;
    thread = rank_thread();
    if (code == PAPI_ENOMEM || thread == NULL || thread->n_open == MAX_OPEN) {
        mpi_thread.regions_refused++;
        return papi_mpi.settings.regions_by_rank ? code : PAPI_ENOMEM;
    }
    open_one(record, thread, name, 0);
    suppose(record, thread->open[thread->n_open - 1].region, 0);
    mpi_thread.regions++;
    return code;
}

int region_read(const struct region_functions *library, const char *name)
{
    struct rank_record *record = recording();
    if (record != NULL && is_wrong(name))
        return PAPI_EINVAL;
    if (record == NULL || papi_mpi.settings.regions_by_rank ||
        (mpi_thread.regions == 0 && mpi_thread.regions_refused == 0))
        return library->read(name);
    if (mpi_thread.regions_refused > 0)
        return PAPI_ENOMEM;
    return innermost(mpi_thread.record, name, 0) >= 0 ? PAPI_OK : PAPI_EINVAL;
}

/* Ends a region in the record alone. PAPI_ENOMEM: its begin found no room; PAPI_EINVAL: it is not open. */
static int end_recorded(struct rank_record *record, const char *name)
{
    struct thread_record *thread = mpi_thread.record;
    if (mpi_thread.regions_refused > 0) {
        mpi_thread.regions_refused--;
        return PAPI_ENOMEM;
    }
    int at = innermost(thread, name, 0);
    if (at < 0)
        return PAPI_EINVAL;
    close_one(record, thread, at);
    mpi_thread.regions--;
    return PAPI_OK;
}

int region_end(const struct region_functions *library, const char *name)
{
    struct rank_record *record = recording();
    int code;
    if (record == NULL)
        return forward_end(library, name);
    if (is_wrong(name))
        return PAPI_EINVAL;
    if (mpi_thread.regions == 0 && mpi_thread.regions_refused == 0)
        return library->end(name); /* begun before MPI_Init, or never */
    if (!papi_mpi.settings.regions_by_rank)
        return end_recorded(record, name);
    code = library->end(name);
    if (code != PAPI_EINVAL)
        end_recorded(record, name);
    return code;
}

int region_stop(const struct region_functions *library)
{
    const struct rank_record *record = recording();
    if (record == NULL || papi_mpi.settings.regions_by_rank)
        return library->stop();
    if (mpi_thread.regions > 0 || mpi_thread.regions_refused > 0)
        return PAPI_EISRUN;
    return record->n_regions > 0 ? PAPI_OK : library->stop();
}

/* ---- MPI_Pcontrol */

enum { MOST_SUPPOSED = 16 };

static int supposed(const struct rank_record *record)
{
    int n = 0;
    for (size_t i = 0; i < sizeof record->supposed / sizeof *record->supposed; i++)
        n += __builtin_popcountll(record->supposed[i]);
    return n;
}

void region_pcontrol_begin(const char *name)
{
    struct rank_record *record = recording();
    struct thread_record *thread = record != NULL ? rank_thread() : NULL;
    if (thread == NULL || thread->n_open == MAX_OPEN)
        return;
    int known = find(record, name, hash_of(name), 0, record->n_regions);
    if (known < 0 && supposed(record) >= MOST_SUPPOSED)
        return;
    if (known >= 0 && is_supposed(record, known) && innermost(thread, name, 1) >= 0)
        return; /* a leftover, over and over */
    open_one(record, thread, name, 1);
    if (known < 0)
        suppose(record, thread->open[thread->n_open - 1].region, 1);
}

void region_pcontrol_end(const char *name)
{
    struct rank_record *record = recording();
    int at = record != NULL ? innermost(mpi_thread.record, name, 1) : -1;
    if (at < 0)
        return;
    suppose(record, mpi_thread.record->open[at].region, 0);
    close_one(record, mpi_thread.record, at);
}

void region_drop_supposed(struct rank_record *record)
{
    for (int i = 0; i < record->n_regions; i++)
        if (is_supposed(record, i))
            record->region_name[i][0] = '\0';
}

/* ---- Fortran */

void region_text(char *to, size_t room, const char *from, size_t length)
{
    size_t n;
    /* Compilers that pass lengths as int leave the upper half undefined. */
    if (length > (size_t)1 << 24)
        length = (uint32_t)length;
    if (from == NULL || length > (size_t)1 << 24)
        length = 0;
    n = length > 0 ? strnlen(from, length < room - 1 ? length : room - 1) : 0;
    while (n > 0 && from[n - 1] == ' ')
        n--;
    if (n > 0)
        memcpy(to, from, n);
    to[n] = '\0';
}

/* ---- a name that may be none */

/* Copies the readable bytes of length at from, which need not be an address. The page boundary is a boundary
 * of the two parts, since the second page may be unmapped: then the first part is still copied. */
static size_t copy(char *to, const char *from, size_t length)
{
    enum { PAGE = 4096 };
    size_t here = PAGE - (uintptr_t)from % PAGE, first = length < here ? length : here;
    struct iovec local = {to, length};
    struct iovec parts[] = {{(void *)(uintptr_t)from, first},
                            {(void *)((uintptr_t)from + first), length - first}};
    ssize_t n = process_vm_readv(getpid(), &local, 1, parts, first < length ? 2 : 1, 0);

    return n > 0 ? (size_t)n : 0;
}

static int can_be_shown(const char *text)
{
    for (int length; *text != '\0'; text += length) {
        length = utf8_length(text);
        if (length == 0 || utf8_is_hidden(utf8_code(text, length)))
            return 0;
    }
    return 1;
}

int possible_name_read(char to[POSSIBLE_NAME], struct possible_name name)
{
    int fortran = name.length != SIZE_MAX;
    if (fortran && (name.length == 0 || name.length >= POSSIBLE_NAME))
        return 0;
    size_t n = copy(to, name.text, fortran ? name.length : POSSIBLE_NAME);
    if (fortran && n != name.length)
        return 0;
    size_t length = strnlen(to, n);
    if (!fortran && length == n)
        return 0;
    while (length > 0 && to[length - 1] == ' ')
        length--;
    to[length] = '\0';
    return length > 0 && can_be_shown(to);
}

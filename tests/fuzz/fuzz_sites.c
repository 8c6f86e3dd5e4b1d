/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Call sites: what a thread's table keeps of calls from any addresses, with any objects and notes that the
 * loader reports, and what a job makes of a record of them that was damaged. The input has the objects, then
 * the calls, then the changes.
 */
#include "fuzz.h"
#include "job/block.h"
#include "rank/sites.h"

#include <link.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_OBJECTS = 80, MOST_RUNS = 16, MOST_CALLS = 256 };

/* ---- the loader */

static struct object {
    char path[OBJECT_PATH + 8];
    ElfW(Phdr) header[4];
    struct dl_phdr_info info;
    uint8_t *note[2]; /* as large as the notes, for the sanitizers to see their ends */
} objects[MOST_OBJECTS];

static int n_objects;
static bool only_these;

int __real_dl_iterate_phdr(int (*see)(struct dl_phdr_info *, size_t, void *), void *context);
int __wrap_dl_iterate_phdr(int (*see)(struct dl_phdr_info *, size_t, void *), void *context);

int __wrap_dl_iterate_phdr(int (*see)(struct dl_phdr_info *, size_t, void *), void *context)
{
    int status = 0;
    if (!only_these)
        return __real_dl_iterate_phdr(see, context);
    for (int i = 0; i < n_objects && status == 0; i++)
        status = see(&objects[i].info, sizeof objects[i].info, context);
    return status;
}

static void make_notes(struct object *object, int which, struct fuzz_bytes *bytes)
{
    size_t size = (size_t)fuzz_number(bytes, 1);
    object->note[which] = malloc(size > 0 ? size : 1);
    REQUIRE(object->note[which] != NULL);
    for (size_t i = 0; i < size; i++)
        object->note[which][i] = (uint8_t)fuzz_number(bytes, 1);
    object->header[which + 2] =
        (ElfW(Phdr)){.p_type = PT_NOTE,
                     .p_vaddr = (ElfW(Addr))(uintptr_t)object->note[which] - object->info.dlpi_addr,
                     .p_memsz = size};
}

/* Makes an object's path, of one of four kinds: a file of its own, a path that others share, a path that is
 * too long, or the program's empty one. */
static void make_path(struct object *object, int number, unsigned kind)
{
    if (kind == 0)
        snprintf(object->path, sizeof object->path, "/lib/%d.so", number);
    else if (kind == 1)
        snprintf(object->path, sizeof object->path, "/lib/same.so");
    else if (kind == 2)
        snprintf(object->path, sizeof object->path, "/%0*d", OBJECT_PATH + 4, number);
    else
        object->path[0] = '\0';
}

static void make_object(struct object *object, int number, struct fuzz_bytes *bytes)
{
    unsigned kind = (unsigned)fuzz_number(bytes, 1);
    memset(object, 0, sizeof *object);
    make_path(object, number, kind % 4);
    object->info = (struct dl_phdr_info){.dlpi_addr = (ElfW(Addr))fuzz_number(bytes, 4) << 8,
                                         .dlpi_name = kind & 4 ? NULL : object->path,
                                         .dlpi_phdr = object->header,
                                         .dlpi_phnum = 4};
    for (int i = 0; i < 2; i++)
        object->header[i] = (ElfW(Phdr)){.p_type = kind & 8 ? PT_LOAD : PT_LOOS,
                                         .p_vaddr = (ElfW(Addr))fuzz_number(bytes, 2) << 4,
                                         .p_memsz = (ElfW(Xword))fuzz_number(bytes, 2) << 4};
    make_notes(object, 0, bytes);
    make_notes(object, 1, bytes);
}

static void free_objects(void)
{
    for (int i = 0; i < n_objects; i++) {
        free(objects[i].note[0]);
        free(objects[i].note[1]);
    }
}

/* ---- the record: one chunk, in which two threads made calls */

enum { THREADS = 2 };

static struct rank_record *record;
static size_t record_size;

static void make_record(void)
{
    if (record == NULL) {
        record_size = record_chunk_offset(false, 1);
        record = aligned_alloc(RECORD_ALIGN, record_size);
        REQUIRE(record != NULL);
        memset(record, 0, record_size);
    }
    memset(record->object, 0, sizeof record->object);
    snprintf(record->program, sizeof record->program, "/bin/program");
    record->sites = SITES_CALLS;
    record->tick_hertz = 1000000000;
    record->n_chunks = 1;
    record->n_objects = 0;
    for (int i = 0; i < THREADS; i++) {
        struct thread_record *thread = record_thread_at(record, i);
        memset(thread->site, 0, sizeof thread->site);
        thread->n_sites = 0;
        thread->threads = 1;
    }
    papi_mpi.record = record;
    papi_mpi.sites = SITES_CALLS;
}

/* ---- calls */

static const struct object *object_at(uintptr_t address)
{
    for (int i = 0; i < n_objects; i++)
        for (int k = 0; k < 2; k++) {
            const ElfW(Phdr) *header = &objects[i].header[k];
            uintptr_t begin = (uintptr_t)(objects[i].info.dlpi_addr + header->p_vaddr);
            if (header->p_type == PT_LOAD && address >= begin && address - begin < header->p_memsz)
                return &objects[i];
        }
    return NULL;
}

/* Checks a site's object in the record against what the loader did. */
static void check_object(const struct call_site *site)
{
    const struct object *object = object_at((uintptr_t)site->address);
    REQUIRE(site->object >= -1 && site->object < record->n_objects && record->n_objects <= MAX_OBJECTS);
    if (object == NULL || site->object < 0) {
        REQUIRE(site->object < 0 && (object == NULL || record->n_objects == MAX_OBJECTS));
        return;
    }
    const struct site_object *is = &record->object[site->object];
    const char *path =
        object->info.dlpi_name != NULL && object->path[0] != '\0' ? object->path : record->program;
    size_t length = strlen(path) < OBJECT_PATH ? strlen(path) : OBJECT_PATH - 1;
    REQUIRE(is->bias == object->info.dlpi_addr && is->build_id_size <= BUILD_ID);
    REQUIRE(strnlen(is->path, OBJECT_PATH) == length && memcmp(is->path, path, length) == 0);
}

static uint64_t call_many(struct thread_record *thread, enum call call, struct fuzz_bytes *bytes)
{
    uintptr_t address = (uintptr_t)fuzz_number(bytes, 4) << 4, stride = (uintptr_t)fuzz_number(bytes, 1) << 4;
    unsigned n = (unsigned)fuzz_number(bytes, 1) % MOST_CALLS + 1;
    for (unsigned i = 0; i < n; i++, address += stride) {
        uintptr_t at = address | 8; /* nothing returns to 0 */
        struct call_site *site = site_count(thread, call, at, 0, i);
        REQUIRE(site == &thread->site[SITE_PLACES] ||
                (site->address == at && site->call == (int32_t)call && site->longest >= i));
        REQUIRE(site != &thread->site[SITE_PLACES] || thread->n_sites == MAX_SITES);
        REQUIRE(site->calls > 0 && site->longest <= site->ticks);
        if (site != &thread->site[SITE_PLACES] && site->calls == 1)
            check_object(site);
    }
    return n;
}

/* Each address and call has a place of its own, which the search comes to. */
static void check_thread(struct thread_record *thread, uint64_t calls)
{
    int taken = 0;
    for (int i = 0; i < SITE_PLACES; i++) {
        struct call_site *site = &thread->site[i];
        taken += site->address != 0;
        calls -= site->calls;
        REQUIRE(site->address == 0 ||
                site_find(thread, (enum call)site->call, (uintptr_t)site->address) == site);
    }
    REQUIRE(taken == thread->n_sites && taken <= MAX_SITES);
    REQUIRE(calls == thread->site[SITE_PLACES].calls);
}

static void make_calls(struct fuzz_bytes *bytes)
{
    uint64_t calls[THREADS] = {0};
    unsigned runs = (unsigned)fuzz_number(bytes, 1) % MOST_RUNS;
    only_these = true;
    for (unsigned i = 0; i < runs; i++) {
        unsigned what = (unsigned)fuzz_number(bytes, 2);
        unsigned thread = what % THREADS;
        enum call call = (enum call)(what / THREADS % CALL_COUNT);
        calls[thread] += call_many(record_thread_at(record, (int)thread), call, bytes);
    }
    only_these = false;
    for (int i = 0; i < THREADS; i++)
        check_thread(record_thread_at(record, i), calls[i]);
}

/* ---- damage */

static void change(struct fuzz_bytes *bytes)
{
    uint64_t what = fuzz_number(bytes, 4), value = fuzz_number(bytes, 8);
    size_t size = sizeof value;
    char *begin = (char *)record->object;
    size_t room = sizeof record->object;
    if (what % 4 == 0) {
        record->n_objects = (int32_t)value;
        return;
    }
    if (what % 4 == 1) {
        struct thread_record *thread = record_thread_at(record, what / 4 % THREADS);
        begin = (char *)thread->site;
        room = sizeof thread->site;
        what /= THREADS;
    }
    size_t place = (size_t)(what / 4 % room);
    memcpy(begin + place, &value, size < room - place ? size : room - place);
}

/* ---- the job */

static void check_objects(const struct site_names *names)
{
    REQUIRE(names->n_objects >= 0 && names->n_objects <= MAX_JOB_OBJECTS);
    for (int i = 0; i < names->n_objects; i++) {
        const struct job_object *is = &names->object[i].is;
        REQUIRE(memchr(is->path, '\0', sizeof is->path) != NULL && is->build_id_size <= BUILD_ID);
        REQUIRE(i == 0 || names->object[i - 1].object < names->object[i].object);
        for (int k = 0; k < i; k++) { /* the same file is there once */
            const struct job_object *other = &names->object[k].is;
            REQUIRE(is->build_id_size != other->build_id_size ||
                    memcmp(is->build_id, other->build_id, sizeof is->build_id) != 0 ||
                    (is->build_id_size == 0 && strcmp(is->path, other->path) != 0));
        }
    }
}

static void check_names(const struct site_names *names)
{
    REQUIRE(names->n >= 0 && names->n <= MAX_JOB_SITES);
    for (int i = 0; i < names->n; i++) {
        const struct site_key *key = &names->key[i], *last = i > 0 ? key - 1 : NULL;
        REQUIRE(key->call >= 0 && key->call < CALL_COUNT);
        REQUIRE(last == NULL || last->object < key->object ||
                (last->object == key->object && (last->address < key->address ||
                                                 (last->address == key->address && last->call < key->call))));
    }
    check_objects(names);
}

/* Checks that the order in which ranks are merged does not matter, and that merging a rank twice changes
 * nothing. */
static void check_merged(const struct site_names *one, const struct site_names *other)
{
    static struct site_names forth, back, twice;
    forth = *one;
    back = *other;
    twice = *one;
    site_names_merge(&forth, other);
    site_names_merge(&back, one);
    site_names_merge(&twice, one);
    check_names(&forth);
    REQUIRE(memcmp(&forth, &back, sizeof forth) == 0);
    REQUIRE(memcmp(&twice, one, sizeof twice) == 0);
}

static uint128 calls_in_record(void)
{
    uint128 calls = 0;
    for (int t = 0; t < THREADS; t++)
        for (int i = 0; i <= SITE_PLACES; i++) {
            const struct call_site *site = &record_thread_at(record, t)->site[i];
            if (i == SITE_PLACES || (site->address != 0 && site->call >= 0 && site->call < CALL_COUNT))
                calls += site->calls;
        }
    return calls;
}

/* No call is lost, but where there are more than a number can say. */
static void check_job(const struct site_names *names)
{
    static struct job job;
    uint128 calls = 0, wanted = calls_in_record();
    memset(job.site, 0, sizeof job.site);
    memset(&job.other_sites, 0, sizeof job.other_sites);
    block_add_sites(&job, record, names);
    block_name_sites(&job, names);
    REQUIRE(job.n_sites == names->n && job.n_objects == names->n_objects);
    for (int i = 0; i < MAX_JOB_SITES; i++) {
        calls += job.site[i].calls;
        REQUIRE(i < job.n_sites || job.site[i].calls == 0);
        REQUIRE(job.site[i].object >= -1 && job.site[i].object < (job.n_objects > 0 ? job.n_objects : 1));
    }
    calls += job.other_sites.calls;
    REQUIRE(calls == wanted || (calls < wanted && wanted > UINT64_MAX));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct site_names right, damaged;
    struct fuzz_bytes bytes = {data, data + size};
    n_objects = (int)(fuzz_number(&bytes, 1) % (MOST_OBJECTS + 1));
    for (int i = 0; i < n_objects; i++)
        make_object(&objects[i], i, &bytes);
    make_record();
    make_calls(&bytes);
    free_objects();
    site_names_of(&right, record);
    check_names(&right);
    check_job(&right);
    if (bytes.next == bytes.end)
        return 0;
    while (bytes.next < bytes.end)
        change(&bytes);
    site_names_of(&damaged, record);
    check_names(&damaged);
    check_merged(&right, &damaged);
    check_job(&damaged);
    return 0;
}

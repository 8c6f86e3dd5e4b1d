/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/hash.h"
#include "base/loaded.h"
#include "job/block.h"
#include "job/job.h"
#include "profile/symbols/symbols.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* ---- keys */

static int order(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int compare_keys(const void *a, const void *b)
{
    const struct site_key *x = a, *y = b;
    int by_object = order(x->object, y->object), by_address = order(x->address, y->address);
    return by_object != 0    ? by_object
           : by_address != 0 ? by_address
                             : (x->call > y->call) - (x->call < y->call);
}

static int compare_objects(const void *a, const void *b)
{
    return order(((const struct site_object_key *)a)->object, ((const struct site_object_key *)b)->object);
}

/* Compares two sites: of those with the same time the first by its key stays. */
static int most_first(const void *a, const void *b)
{
    const struct site_key *x = a, *y = b;
    int by_time = order(y->most, x->most);
    return by_time != 0 ? by_time : compare_keys(a, b);
}

static int most_object_first(const void *a, const void *b)
{
    const struct site_object_key *x = a, *y = b;
    int by_time = order(y->most, x->most);
    return by_time != 0 ? by_time : compare_objects(a, b);
}

/* 0: the file has none, or what is damaged says that it is larger than there is room for. */
static uint8_t id_size(const struct site_object *object)
{
    return object->build_id_size <= BUILD_ID ? object->build_id_size : 0;
}

/* A build id is the same wherever the file is; of a file without one its path has to do. Never 0. */
static uint64_t hash_of(const struct site_object *object)
{
    size_t n = id_size(object);
    const uint8_t *bytes = n > 0 ? object->build_id : (const uint8_t *)object->path;
    if (n == 0)
        n = strnlen(object->path, OBJECT_PATH - 1); /* as much of it as a job has */
    uint64_t hash = hash_bytes(bytes, n);
    return hash != 0 ? hash : 1;
}

static const struct site_object *object_of(const struct rank_record *record, const struct call_site *site)
{
    int n = atomic_load(&record->n_objects);
    return site->object >= 0 && site->object < n && site->object < MAX_OBJECTS ? &record->object[site->object]
                                                                               : NULL;
}

/* Code that is in no file has another address on each rank: of that the call alone is known. */
static struct site_key key_of(const struct rank_record *record, const struct call_site *site)
{
    const struct site_object *object = object_of(record, site);
    struct site_key key = {.call = site->call, .most = block_nanoseconds(record, site->ticks)};
    if (object != NULL) {
        key.object = hash_of(object);
        key.address = site->address - object->bias;
    }
    return key;
}

/* ---- lists of keys */

/* Equal ones that follow each other become one. */
static int unite_keys(struct site_key *key, int n)
{
    int last = -1;
    for (int i = 0; i < n; i++)
        if (last < 0 || compare_keys(&key[last], &key[i]) != 0)
            key[++last] = key[i];
        else if (key[i].most > key[last].most)
            key[last].most = key[i].most;
    return last + 1;
}

/* The same file may have several paths: the first of them stays. */
static int unite_objects(struct site_object_key *object, int n)
{
    int last = -1;
    for (int i = 0; i < n; i++) {
        if (last < 0 || object[last].object != object[i].object) {
            object[++last] = object[i];
            continue;
        }
        if (strncmp(object[i].is.path, object[last].is.path, OBJECT_PATH) < 0)
            object[last].is = object[i].is;
        if (object[i].most > object[last].most)
            object[last].most = object[i].most;
    }
    return last + 1;
}

/* Sorts keys, unites equal ones with the larger time, and keeps at most so many: those with the most time.
 * Merging such lists is associative although it drops keys: a key is dropped only if as many as are kept have
 * more time (or are first in the order of equal ones). Merging never lowers a time, so these also keep the
 * key out of each later list, unless it comes there with more time, from another rank; then it is judged by
 * that time, as it would be if all lists were merged at once. */
static int keep_keys(struct site_key *key, int n, int most)
{
    qsort(key, (size_t)n, sizeof *key, compare_keys);
    n = unite_keys(key, n);
    if (n <= most)
        return n;
    qsort(key, (size_t)n, sizeof *key, most_first);
    qsort(key, (size_t)most, sizeof *key, compare_keys);
    return most;
}

static int keep_objects(struct site_object_key *object, int n, int most)
{
    qsort(object, (size_t)n, sizeof *object, compare_objects);
    n = unite_objects(object, n);
    if (n <= most)
        return n;
    qsort(object, (size_t)n, sizeof *object, most_object_first);
    qsort(object, (size_t)most, sizeof *object, compare_objects);
    return most;
}

/* Puts sorted lists into names. The unused rest is zero, so that equal lists are equal bytes. */
static void put_names(struct site_names *names, struct site_key *key, int n, struct site_object_key *object,
                      int n_objects)
{
    memset(names, 0, sizeof *names);
    names->n = keep_keys(key, n, MAX_JOB_SITES);
    memcpy(names->key, key, (size_t)names->n * sizeof *key);
    names->n_objects = keep_objects(object, n_objects, MAX_JOB_OBJECTS);
    memcpy(names->object, object, (size_t)names->n_objects * sizeof *object);
}

/* ---- of a rank */

static void name_object(struct site_object_key *to, const struct site_object *from)
{
    memset(to, 0, sizeof *to);
    to->object = hash_of(from);
    memcpy(to->is.path, from->path, strnlen(from->path, OBJECT_PATH - 1));
    to->is.build_id_size = id_size(from);
    memcpy(to->is.build_id, from->build_id, to->is.build_id_size);
}

static int has_calls(const struct call_site *site)
{
    return site->address != 0 && site->calls > 0 && site->call >= 0 && site->call < CALL_COUNT;
}

/* Lists with room for all that a rank_record can have, which is more than a job's. */
struct lists {
    int n, n_objects;
    struct site_key key[MAX_JOB_SITES + SITE_PLACES];
    struct site_object_key object[MAX_OBJECTS];
};

static void add_thread(struct lists *lists, const struct rank_record *record,
                       const struct thread_record *thread)
{
    for (int i = 0; i < SITE_PLACES; i++) {
        const struct call_site *site = &thread->site[i];
        if (!has_calls(site))
            continue;
        struct site_key *key = &lists->key[lists->n++];
        *key = key_of(record, site);
        if (key->object != 0 && key->most > lists->object[site->object].most)
            lists->object[site->object].most = key->most;
    }
    lists->n = keep_keys(lists->key, lists->n, MAX_JOB_SITES);
}

void site_names_of(struct site_names *names, const struct rank_record *record)
{
    struct lists *lists = calloc(1, sizeof *lists);
    memset(names, 0, sizeof *names);
    if (lists == NULL)
        return;
    int n = atomic_load(&record->n_objects);
    lists->n_objects = n < 0 ? 0 : n > MAX_OBJECTS ? MAX_OBJECTS : n;
    for (int i = 0; i < lists->n_objects; i++)
        name_object(&lists->object[i], &record->object[i]);
    for (int t = 0; t < record_thread_count(record); t++)
        if (record_thread_at(record, t)->threads > 0)
            add_thread(lists, record, record_thread_at(record, t));
    put_names(names, lists->key, lists->n, lists->object, lists->n_objects);
    free(lists);
}

static int limited(int n, int most)
{
    return n < 0 ? 0 : n > most ? most : n;
}

void site_names_merge(struct site_names *into, const struct site_names *from)
{
    struct site_key key[2 * MAX_JOB_SITES];
    struct site_object_key object[2 * MAX_JOB_OBJECTS];
    int n = limited(into->n, MAX_JOB_SITES), more = limited(from->n, MAX_JOB_SITES);
    int n_objects = limited(into->n_objects, MAX_JOB_OBJECTS);
    int more_objects = limited(from->n_objects, MAX_JOB_OBJECTS);
    memcpy(key, into->key, (size_t)n * sizeof *key);
    memcpy(key + n, from->key, (size_t)more * sizeof *key);
    memcpy(object, into->object, (size_t)n_objects * sizeof *object);
    memcpy(object + n_objects, from->object, (size_t)more_objects * sizeof *object);
    put_names(into, key, n + more, object, n_objects + more_objects);
}

/* ---- figures */

static struct job_site *place_of(struct job *block, const struct site_names *names,
                                 const struct site_key *key)
{
    const struct site_key *found = bsearch(key, names->key, (size_t)names->n, sizeof *key, compare_keys);
    return found != NULL ? &block->site[found - names->key] : &block->other_sites;
}

int block_site_place(const struct site_names *names, const struct rank_record *record,
                     const struct call_site *site)
{
    const struct site_key key = key_of(record, site);
    const struct site_key *found = bsearch(&key, names->key, (size_t)names->n, sizeof key, compare_keys);
    return found != NULL ? (int)(found - names->key) : -1;
}

static void add_site(struct job_site *to, const struct rank_record *record, const struct call_site *site)
{
    uint64_t longest = block_nanoseconds(record, site->longest);
    block_add(&to->calls, site->calls);
    block_add(&to->bytes, site->bytes);
    block_add(&to->ns, block_nanoseconds(record, site->ticks));
    to->longest_ns = longest > to->longest_ns ? longest : to->longest_ns;
}

static void finish_site(struct job_site *site, uint64_t rank)
{
    if (site->calls == 0)
        return;
    site->ranks = 1;
    site->least_ns = site->most_ns = site->ns;
    site->longest_rank = site->least_rank = site->most_rank = rank;
}

void block_add_sites(struct job *block, const struct rank_record *record, const struct site_names *names)
{
    for (int t = 0; t < record_thread_count(record) && record->sites; t++) {
        const struct thread_record *thread = record_thread_at(record, t);
        if (thread->threads == 0)
            continue;
        for (int i = 0; i < SITE_PLACES; i++) {
            const struct site_key key = key_of(record, &thread->site[i]);
            if (has_calls(&thread->site[i]))
                add_site(place_of(block, names, &key), record, &thread->site[i]);
        }
        add_site(&block->other_sites, record, &thread->site[SITE_PLACES]);
    }
    for (int i = 0; i < MAX_JOB_SITES; i++)
        finish_site(&block->site[i], (uint64_t)record->rank);
    finish_site(&block->other_sites, (uint64_t)record->rank);
}

static int object_place(const struct site_names *names, uint64_t object)
{
    for (int i = 0; i < names->n_objects; i++)
        if (names->object[i].object == object)
            return i;
    return -1;
}

void block_name_sites(struct job *job, const struct site_names *names)
{
    job->n_sites = names->n;
    job->n_objects = names->n_objects;
    job->other_sites.call = job->other_sites.object = -1;
    for (int i = 0; i < names->n_objects; i++)
        job->object[i] = names->object[i].is;
    for (int i = 0; i < names->n; i++) {
        job->site[i].call = names->key[i].call;
        job->site[i].address = names->key[i].address;
        job->site[i].object = object_place(names, names->key[i].object);
    }
}

/* ---- names of sites */

struct finder {
    struct job *job;
    void *library; /* NULL: it is not here */
    struct papi_symbols *symbols;
    __typeof__(papi_symbols_look_up) *look_up;
    char program[OBJECT_PATH]; /* of this process */
};

/* ---- by libdw */

static void open_library(struct finder *finder)
{
    void *library = finder->library = dlopen(SYMBOLS_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL)
        return;
    __typeof__(papi_symbols_open) *open = NULL;
    *(void **)&open = dlsym(library, "papi_symbols_open");
    *(void **)&finder->look_up = dlsym(library, "papi_symbols_look_up");
    if (open != NULL && finder->look_up != NULL)
        finder->symbols = open();
}

static void close_library(const struct finder *finder)
{
    __typeof__(papi_symbols_close) *close = NULL;
    if (finder->symbols != NULL)
        *(void **)&close = dlsym(finder->library, "papi_symbols_close");
    if (close != NULL)
        close(finder->symbols);
    if (finder->library != NULL)
        dlclose(finder->library);
}

static int add_frame(struct job *job, struct job_site *site, const char *routine, const char *file,
                     uint64_t line)
{
    struct job_frame *frame = job_add_frame(job);
    if (frame == NULL)
        return -1;
    snprintf(frame->routine, sizeof frame->routine, "%s", routine);
    snprintf(frame->file, sizeof frame->file, "%s", file);
    frame->line = line;
    site->frames++;
    return 0;
}

static void ask_library(struct finder *finder, struct job_site *site, const struct job_object *object)
{
    struct papi_symbols_frame frame[MAX_FRAMES];
    if (finder->symbols == NULL)
        return;
    int n = finder->look_up(finder->symbols, object->path, object->build_id, object->build_id_size,
                            site->address, frame, MAX_FRAMES);
    for (int i = 0; i < n; i++)
        if (add_frame(finder->job, site, frame[i].routine, frame[i].file, frame[i].line) != 0)
            return;
}

/* ---- by the loader */

struct search {
    const struct finder *finder;
    const char *path;
    ElfW(Addr) bias;
};

static int is_it(struct dl_phdr_info *info, size_t size, void *data)
{
    struct search *search = data;
    const char *path =
        info->dlpi_name != NULL && info->dlpi_name[0] != '\0' ? info->dlpi_name : search->finder->program;
    char room[PATH_MAX];
    (void)size;
    search->bias = info->dlpi_addr;
    return strcmp(loaded_path(path, room), search->path) == 0;
}

static void ask_loader(struct finder *finder, struct job_site *site, const struct job_object *object)
{
    struct search search = {finder, object->path, 0};
    Dl_info found;
    if (dl_iterate_phdr(is_it, &search) == 0)
        return;
    const void *call = (const char *)(uintptr_t)(search.bias + site->address) - 1; /* it returns behind it */
    if (dladdr(call, &found) != 0 && found.dli_sname != NULL)
        add_frame(finder->job, site, found.dli_sname, "", 0);
}

/* ---- */

/* The one with most time of those that were not looked at so far; -1: none. */
static int next_site(const struct job *job, const char *done)
{
    int next = -1;
    for (int i = 0; i < job->n_sites; i++)
        if (!done[i] && job->site[i].frames == 0 && job->site[i].object >= 0 &&
            (next < 0 || job->site[i].ns > job->site[next].ns))
            next = i;
    return next;
}

void job_find_frames(struct job *job, int seconds)
{
    struct finder finder = {.job = job};
    char done[MAX_JOB_SITES] = "";
    time_t begin = time(NULL);
    int i = next_site(job, done);
    if (i < 0 || job->foreign)
        return;
    (void)!readlink("/proc/self/exe", finder.program, sizeof finder.program - 1);
    open_library(&finder);
    for (; i >= 0 && time(NULL) - begin <= seconds; i = next_site(job, done)) {
        struct job_site *site = &job->site[i];
        done[i] = 1;
        site->first_frame = job->n_frames;
        ask_library(&finder, site, &job->object[site->object]);
        if (site->frames == 0)
            ask_loader(&finder, site, &job->object[site->object]);
    }
    close_library(&finder);
}

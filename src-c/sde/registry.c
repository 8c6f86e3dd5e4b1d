/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The registry of software-defined events.
 *
 * Readers take no lock, since PAPI_read may be called in a signal handler or thousands of times a second;
 * libraries register and unregister events under the lock. An event's source is replaced as a whole, by one
 * atomic exchange, and the old one is kept for later. The question is when its memory, or the library's
 * variable to which it points, may be used for something else: not while a reader that found it is in its
 * reading.
 *
 * A number that only grows, the epoch, answers it. A reader notes the epoch when a reading begins, and 0 at
 * its end. A source that is replaced has the epoch of that moment; a reader that began later cannot have
 * found it. So an old source can be reused once no reader has a smaller or equal epoch, and a library that
 * unregisters a variable waits until all readers that began before have ended (sde_wait_for_readers), except
 * for one in its own thread, which would wait for itself.
 */
#include "registry.h"
#include "base/likely.h"
#include "formats/sde_registry.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MAX_NAME = 240 }; /* with the library's: tools have room for so much */

/* Programs that were built with the header of PAPI 7 name these. */
extern int _sde_be_verbose, _sde_debug;
__attribute__((visibility("default"), weak)) int _sde_be_verbose, _sde_debug;

/* ---- the one registry */

static struct sde_registry *_Atomic made_here, *_Atomic found;

extern sde_anchor SDE_ANCHOR;
__attribute__((visibility("default"))) struct sde_registry *_Atomic *SDE_ANCHOR(void)
{
    return &made_here;
}

/* Takes the lock before a fork, except if a signal handler forks while its own thread has it. */
static void before_fork(void)
{
    struct sde_registry *registry = atomic_load(&found);
    int mine = lock_mine(&registry->lock);
    if (!mine)
        lock_take(&registry->lock);
    registry->fork_locked = !mine;
}

static void after_fork(void)
{
    struct sde_registry *registry = atomic_load(&found);
    if (registry->fork_locked)
        lock_give(&registry->lock);
}

/* Forgets the readers in the child of a fork: they belong to the event sets of the parent, which the child
 * has not. */
static void in_child(void)
{
    atomic_load(&found)->readers = NULL;
    after_fork();
}

static struct sde_registry *make_registry(struct sde_registry *_Atomic *anchor)
{
    struct sde_registry *none = NULL, *fresh = calloc(1, sizeof *fresh);
    if (fresh == NULL)
        return NULL;
    atomic_store(&fresh->epoch, 1);
    if (!atomic_compare_exchange_strong(anchor, &none, fresh)) {
        free(fresh);
        return none; /* another thread's */
    }
    atomic_store(&found, fresh);
    pthread_atfork(before_fork, after_fork, in_child);
    return fresh;
}

static __attribute__((noinline)) struct sde_registry *find_registry(void)
{
    struct sde_registry *_Atomic *anchor;
    if (!sde_find_anchor(&anchor))
        return NULL;
    if (anchor == NULL)
        anchor = &made_here;
    sde_keep_loaded(&made_here); /* what computes values here is called from now on */
    struct sde_registry *registry = atomic_load(anchor);
    if (registry == NULL)
        registry = make_registry(anchor);
    atomic_store(&found, registry);
    return registry;
}

struct sde_registry *sde_registry(void)
{
    struct sde_registry *registry = atomic_load(&found);
    return likely(registry != NULL) ? registry : find_registry();
}

/* ---- events */

/* FNV-1a */
static unsigned hash(const char *name)
{
    unsigned value = 2166136261U;
    for (const unsigned char *p = (const unsigned char *)name; *p != '\0'; p++)
        value = (value ^ *p) * 16777619U;
    return value % SDE_HASHES;
}

static bool full_name(const struct sde_library *library, const char *event, char name[MAX_NAME])
{
    return event != NULL && event[0] != '\0' &&
           snprintf(name, MAX_NAME, "%s::%s", library->name, event) < MAX_NAME;
}

static struct sde_counter *find(struct sde_registry *registry, const char *name)
{
    struct sde_counter *counter = registry->hash[hash(name)];
    while (counter != NULL && strcmp(counter->name, name) != 0)
        counter = counter->same_hash;
    return counter;
}

struct sde_counter *sde_find(struct sde_registry *registry, const struct sde_library *library,
                             const char *event)
{
    char name[MAX_NAME];
    struct sde_counter *counter = full_name(library, event, name) ? find(registry, name) : NULL;
    return counter != NULL && sde_source(counter)->kind != SDE_GONE ? counter : NULL;
}

static void append(struct sde_registry *registry, struct sde_counter *counter)
{
    struct sde_counter **slot = &registry->hash[hash(counter->name)];
    counter->same_hash = *slot;
    *slot = counter;
    if (registry->last == NULL)
        atomic_store(&registry->first, counter);
    else
        atomic_store(&registry->last->next, counter);
    registry->last = counter;
}

static struct sde_counter *make(struct sde_registry *registry, struct sde_library *library, const char *name,
                                struct sde_source *source)
{
    struct sde_counter *counter = calloc(1, sizeof *counter);
    char *copy = strdup(name);
    if (counter == NULL || copy == NULL) {
        free(counter);
        free(copy);
        return NULL;
    }
    counter->name = copy;
    counter->registry = registry;
    counter->library = library;
    atomic_store(&counter->description, copy);
    atomic_store(&counter->source, source);
    return counter;
}

static bool has_reader(const struct sde_registry *registry, const struct sde_source *source)
{
    for (const struct sde_reader *reader = registry->readers; reader != NULL; reader = reader->next) {
        uint64_t began = atomic_load(&reader->began);
        if (began != 0 && began <= source->replaced)
            return true;
    }
    return false;
}

/* Copies a source, into the memory of one that was replaced and that no reader has any more, or into new
 * memory. */
static struct sde_source *copy_source(struct sde_counter *counter, const struct sde_source *source)
{
    struct sde_source *copy = counter != NULL ? counter->replaced : NULL;
    if (copy != NULL && !has_reader(counter->registry, copy))
        counter->replaced = copy->older;
    else
        copy = malloc(sizeof *copy);
    if (copy != NULL)
        *copy = *source;
    return copy;
}

static void replace(struct sde_counter *counter, struct sde_source *source)
{
    struct sde_source *before = atomic_exchange(&counter->source, source);
    if (before == source)
        return;
    before->replaced = atomic_load(&counter->registry->epoch);
    before->older = counter->replaced;
    counter->replaced = before;
}

/* The variable of a created counter is in the counter itself. */
static void put_source(struct sde_counter *counter, struct sde_source *source)
{
    if (source->kind == SDE_CREATED) {
        source->place = &counter->value;
        source->object = counter;
    }
    replace(counter, source);
}

int sde_set(struct sde_registry *registry, struct sde_library *library, const char *event,
            const struct sde_source *source, struct sde_counter **out)
{
    char name[MAX_NAME];
    if (!full_name(library, event, name))
        return SDE_EINVAL;
    struct sde_counter *counter = find(registry, name);
    enum sde_kind before = counter != NULL ? sde_source(counter)->kind : SDE_GONE;
    if (before != SDE_GONE && before != source->kind)
        return SDE_ECMP;
    struct sde_source *copy = copy_source(counter, source);
    if (copy == NULL)
        return SDE_ENOMEM;
    bool fresh = counter == NULL;
    if (fresh && (counter = make(registry, library, name, copy)) == NULL) {
        free(copy);
        return SDE_ENOMEM;
    }
    put_source(counter, copy);
    if (fresh)
        append(registry, counter);
    *out = counter;
    return SDE_OK;
}

int sde_end(struct sde_counter *counter, uint64_t last)
{
    struct sde_source *gone = copy_source(counter, sde_source(counter));
    if (gone == NULL)
        return SDE_ENOMEM;
    gone->object = NULL;
    gone->kind = SDE_GONE;
    gone->type = gone->real ? SDE_DOUBLE : SDE_LONG_LONG;
    gone->last = last;
    gone->place = &gone->last;
    gone->writable = false;
    replace(counter, gone);
    return SDE_OK;
}

uint64_t sde_value(const struct sde_source *source)
{
    return sde_load(source);
}

static bool reads_since(struct sde_registry *registry, uint64_t epoch)
{
    bool reads = false;
    lock_take(&registry->lock);
    for (const struct sde_reader *reader = registry->readers; reader != NULL; reader = reader->next) {
        uint64_t began = atomic_load(&reader->began);
        if (began != 0 && began < epoch && !pthread_equal(reader->thread, pthread_self()))
            reads = true;
    }
    lock_give(&registry->lock);
    return reads;
}

/* Waits until no reader is left that began before. It sleeps between looks, longer and longer, without the
 * lock, which a reader may need. */
void sde_wait_for_readers(struct sde_registry *registry)
{
    enum { LONGEST_NSEC = 1000000 };
    uint64_t epoch = atomic_fetch_add(&registry->epoch, 1) + 1;
    struct timespec pause = {0, 5000};
    while (reads_since(registry, epoch)) {
        nanosleep(&pause, NULL);
        pause.tv_nsec = pause.tv_nsec < LONGEST_NSEC ? 2 * pause.tv_nsec : LONGEST_NSEC;
    }
}

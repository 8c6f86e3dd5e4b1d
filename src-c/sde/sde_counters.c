/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Libraries and their counters: variables, functions, and counters of libsde's own.
 */
#include "base/likely.h"
#include "base/whole.h"
#include "formats/sde_registry.h"
#include "registry.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ---- libraries */

static struct sde_library *library_of(struct sde_registry *registry, const char *name)
{
    struct sde_library *library = registry->libraries;
    while (library != NULL && strcmp(library->name, name) != 0)
        library = library->next;
    if (library != NULL)
        return library;
    library = calloc(1, sizeof *library);
    char *copy = strdup(name);
    if (library == NULL || copy == NULL) {
        free(library);
        free(copy);
        return NULL;
    }
    library->name = copy;
    library->next = registry->libraries;
    registry->libraries = library;
    return library;
}

papi_handle_t papi_sde_init(const char *name_of_library)
{
    struct sde_registry *registry =
        name_of_library != NULL && name_of_library[0] != '\0' ? sde_registry() : NULL;
    if (registry == NULL)
        return NULL;
    lock_take(&registry->lock);
    struct sde_library *library = library_of(registry, name_of_library);
    lock_give(&registry->lock);
    return library;
}

int papi_sde_enable(papi_handle_t handle)
{
    if (handle != NULL)
        atomic_store(&((struct sde_library *)handle)->off, false);
    return SDE_OK;
}

int papi_sde_disable(papi_handle_t handle)
{
    if (handle != NULL)
        atomic_store(&((struct sde_library *)handle)->off, true);
    return SDE_OK;
}

/* ---- registering */

static int set_locked(papi_handle_t library, const char *event, const struct sde_source *source,
                      struct sde_counter **counter)
{
    struct sde_registry *registry = sde_registry();
    if (registry == NULL)
        return SDE_ENOMEM;
    lock_take(&registry->lock);
    int code = sde_set(registry, library, event, source, counter);
    lock_give(&registry->lock);
    if (code == SDE_OK)
        sde_wait_for_readers(registry); /* of the variable that it may have replaced */
    return code;
}

static int check_mode(int mode, int type)
{
    bool known = (mode & ~(PAPI_SDE_RW | PAPI_SDE_INSTANT)) == 0;
    return known && type >= PAPI_SDE_long_long && type <= PAPI_SDE_float ? SDE_OK : SDE_EINVAL;
}

static struct sde_source source_of(int mode, int type)
{
    return (struct sde_source){
        .kind = SDE_REGISTERED,
        .type = (enum sde_type)type,
        .level = (mode & PAPI_SDE_INSTANT) != 0,
        .writable = (mode & PAPI_SDE_RW) != 0,
        .real = type == PAPI_SDE_double || type == PAPI_SDE_float,
    };
}

int papi_sde_register_counter(papi_handle_t handle, const char *event_name, int cntr_mode, int cntr_type,
                              void *counter)
{
    struct sde_counter *made;
    if (handle == NULL)
        return SDE_OK;
    if (counter == NULL || check_mode(cntr_mode, cntr_type) != SDE_OK)
        return SDE_EINVAL;
    sde_keep_loaded(counter);
    struct sde_source source = source_of(cntr_mode, cntr_type);
    source.place = counter;
    return set_locked(handle, event_name, &source, &made);
}

static uint64_t call_back(const struct sde_source *source)
{
    return (uint64_t)source->callback(source->object);
}

int papi_sde_register_counter_cb(papi_handle_t handle, const char *event_name, int cntr_mode, int cntr_type,
                                 papi_sde_fptr_t callback, void *param)
{
    struct sde_counter *made;
    if (handle == NULL)
        return SDE_OK;
    if (callback == NULL || check_mode(cntr_mode, cntr_type) != SDE_OK)
        return SDE_EINVAL;
    if ((cntr_mode & PAPI_SDE_RW) != 0) /* a function has nothing that could be set */
        return SDE_ECMP;
    const void *code;
    memcpy(&code, &callback, sizeof code);
    sde_keep_loaded(code);
    struct sde_source source = source_of(cntr_mode, cntr_type);
    source.type = SDE_COMPUTED;
    source.compute = call_back;
    source.callback = callback;
    source.object = param;
    return set_locked(handle, event_name, &source, &made);
}

int papi_sde_describe_counter(papi_handle_t handle, const char *event_name, const char *event_description)
{
    struct sde_registry *registry = sde_registry();
    if (handle == NULL)
        return SDE_OK;
    if (registry == NULL)
        return SDE_ENOMEM;
    char *copy = event_description != NULL ? strdup(event_description) : NULL;
    if (copy == NULL)
        return event_description == NULL ? SDE_EINVAL : SDE_ENOMEM;
    lock_take(&registry->lock);
    struct sde_counter *counter = sde_find(registry, handle, event_name);
    if (counter != NULL)
        atomic_store(&counter->description, copy); /* someone may be reading the one before */
    lock_give(&registry->lock);
    if (counter == NULL)
        free(copy);
    return counter != NULL ? SDE_OK : SDE_EINVAL;
}

void *papi_sde_get_counter_handle(papi_handle_t handle, const char *event_name)
{
    struct sde_registry *registry = handle != NULL ? sde_registry() : NULL;
    if (registry == NULL)
        return NULL;
    lock_take(&registry->lock);
    struct sde_counter *counter = sde_find(registry, handle, event_name);
    lock_give(&registry->lock);
    return counter;
}

/* ---- unregistering */

/* A library's function is called without the lock, by the caller. */
static int end_locked(struct sde_counter *counter, uint64_t last)
{
    struct sde_source *source = sde_source(counter);
    void *object = source->object;
    enum sde_kind kind = source->kind;
    int code = kind == SDE_RECORDER ? sde_recorder_end(object) : SDE_OK;
    if (code == SDE_OK)
        code = sde_end(counter, last);
    if (code == SDE_OK && kind == SDE_SET)
        sde_set_free(object);
    return code;
}

static void free_object(enum sde_kind kind, void *object)
{
    if (kind == SDE_GROUP)
        sde_group_free(object);
    else if (kind == SDE_RECORDER || kind == SDE_SET)
        free(object);
}

static bool shows_address(const struct sde_source *source)
{
    return source->kind == SDE_RECORDER || source->kind == SDE_SET || source->kind == SDE_PART;
}

/* Ends a counter, and returns in ended what it was. Its value is found in a reading: another thread that
 * unregisters it, or a member of it, at the same time frees its memory only when this has ended. */
static int end_reading(struct sde_registry *registry, struct sde_counter *counter, struct sde_source *ended)
{
    struct sde_source *source = sde_source(counter);
    *ended = *source;
    if (ended->kind == SDE_PART || ended->kind == SDE_GONE)
        return SDE_EINVAL;
    uint64_t last = shows_address(source) ? 0 : sde_value(source);
    lock_take(&registry->lock);
    int code = sde_source(counter) == source ? end_locked(counter, last) : SDE_EINVAL;
    lock_give(&registry->lock);
    return code;
}

int papi_sde_unregister_counter(papi_handle_t handle, const char *event_name)
{
    struct sde_registry *registry = sde_registry();
    struct sde_reader reader = {.began = 0};
    struct sde_source ended;
    if (handle == NULL)
        return SDE_OK;
    struct sde_counter *counter = papi_sde_get_counter_handle(handle, event_name);
    if (counter == NULL)
        return SDE_EINVAL;
    sde_reader_enlist(registry, &reader);
    atomic_store(&reader.began, atomic_load(&registry->epoch));
    int code = end_reading(registry, counter, &ended);
    atomic_store(&reader.began, 0);
    sde_reader_leave(registry, &reader);
    if (code == SDE_OK) {
        sde_wait_for_readers(registry);
        free_object(ended.kind, ended.object);
    }
    return code;
}

int papi_sde_shutdown(papi_handle_t handle)
{
    struct sde_registry *registry = sde_registry();
    int code = SDE_OK;
    if (handle == NULL || registry == NULL)
        return SDE_OK;
    const struct sde_library *library = handle;
    size_t prefix = strlen(library->name) + 2;
    for (struct sde_counter *counter = atomic_load(&registry->first); counter != NULL && code != SDE_ENOMEM;
         counter = atomic_load(&counter->next))
        if (counter->library == library)
            code = papi_sde_unregister_counter(handle, counter->name + prefix);
    return code == SDE_ENOMEM ? code : SDE_OK;
}

/* ---- created counters */

int papi_sde_create_counter(papi_handle_t handle, const char *event_name, int cntr_mode, void **cntr_handle)
{
    struct sde_counter *counter = papi_sde_get_counter_handle(handle, event_name);
    int code = SDE_OK;
    if (handle == NULL)
        return SDE_OK;
    if (cntr_handle == NULL || check_mode(cntr_mode, PAPI_SDE_long_long) != SDE_OK)
        return SDE_EINVAL;
    if (counter == NULL) {
        struct sde_source source = source_of(cntr_mode, PAPI_SDE_long_long);
        source.kind = SDE_CREATED;
        code = set_locked(handle, event_name, &source, &counter);
    } else if (sde_object(counter, SDE_CREATED) == NULL) {
        code = SDE_ECMP;
    }
    if (code == SDE_OK)
        *cntr_handle = counter;
    return code;
}

/* The next threshold is moved by one thread alone, however many pass it. */
static bool passes(struct sde_watch *watch, long long period, long long value)
{
    long long next = atomic_load(&watch->next), later;
    do {
        if (value < next)
            return false;
        later = next + ((value - next) / period + 1) * period;
    } while (!atomic_compare_exchange_weak(&watch->next, &next, later));
    return true;
}

static __attribute__((noinline)) void tell(struct sde_watch *watch, long long value, const void *caller)
{
    long long period = atomic_load(&watch->period);
    int saved = errno;
    if (period == 0 || !passes(watch, period, value))
        return;
    atomic_store(&watch->caller, (uintptr_t)caller);
    atomic_fetch_add(&watch->waiting, 1);
    syscall(SYS_tgkill, getpid(), atomic_load(&watch->thread), atomic_load(&watch->signal));
    errno = saved;
}

static inline void add_to(struct sde_counter *counter, long long increment, const void *caller)
{
    long long before = __atomic_fetch_add(&counter->value, increment, __ATOMIC_RELAXED);
    if (unlikely(atomic_load_explicit(&counter->watch.period, memory_order_relaxed) != 0))
        tell(&counter->watch, before + increment, caller);
}

int papi_sde_inc_counter(void *cntr_handle, long long int increment)
{
    if (cntr_handle == NULL)
        return SDE_OK;
    struct sde_counter *counter = sde_object(cntr_handle, SDE_CREATED);
    if (counter == NULL)
        return SDE_EINVAL;
    if (!atomic_load_explicit(&counter->library->off, memory_order_relaxed))
        add_to(counter, increment, __builtin_return_address(0));
    return SDE_OK;
}

int papi_sde_reset_counter(void *cntr_handle)
{
    if (cntr_handle == NULL)
        return SDE_OK;
    struct sde_counter *counter = sde_object(cntr_handle, SDE_CREATED);
    if (counter == NULL)
        return SDE_EINVAL;
    __atomic_store_n(&counter->value, 0, __ATOMIC_RELAXED);
    return SDE_OK;
}

/* ---- events that are made of others */

/* Members are added and never taken out: those that are unregistered are passed over. */
struct member {
    struct sde_counter *counter;
    struct member *_Atomic next;
};

struct group {
    uint32_t flags;
    bool real;
    struct member *_Atomic first;
};

static double number_of(uint64_t value, bool real)
{
    return real ? sde_real(value) : (double)(long long)value;
}

static uint64_t combine(const struct group *group, uint64_t a, uint64_t b)
{
    bool less = group->real ? sde_real(b) < sde_real(a) : (long long)b < (long long)a;
    if (group->flags == PAPI_SDE_SUM)
        return group->real ? sde_bits(sde_real(a) + sde_real(b)) : a + b;
    return less == (group->flags == PAPI_SDE_MIN) ? b : a;
}

static uint64_t compute(const struct sde_source *source)
{
    const struct group *group = source->object;
    uint64_t value = 0;
    bool any = false;
    for (struct member *member = atomic_load(&group->first); member != NULL;
         member = atomic_load(&member->next)) {
        const struct sde_source *part = sde_source(member->counter);
        if (part->kind == SDE_GONE)
            continue;
        uint64_t now = sde_value(part);
        if (part->real != group->real) /* it was registered anew, as another type */
            now = group->real ? sde_bits(number_of(now, false)) : (uint64_t)whole_of(sde_real(now));
        value = any ? combine(group, value, now) : now;
        any = true;
    }
    return value;
}

/* True if a counter is a group, or has one in it. */
static bool contains(struct sde_counter *counter, const struct group *wanted)
{
    const struct group *group = sde_object(counter, SDE_GROUP);
    if (group == NULL || group == wanted)
        return group != NULL;
    for (struct member *member = atomic_load(&group->first); member != NULL;
         member = atomic_load(&member->next))
        if (contains(member->counter, wanted))
            return true;
    return false;
}

static int group_of(struct sde_registry *registry, struct sde_library *library, const char *name,
                    uint32_t flags, bool real, struct group **out)
{
    struct sde_counter *counter = sde_find(registry, library, name);
    *out = sde_object(counter, SDE_GROUP);
    if (*out != NULL)
        return (*out)->flags == flags && (*out)->real == real ? SDE_OK : SDE_EINVAL;
    if (counter != NULL)
        return SDE_EINVAL;
    *out = calloc(1, sizeof **out);
    if (*out == NULL)
        return SDE_ENOMEM;
    (*out)->flags = flags;
    (*out)->real = real;
    const struct sde_source source = {.kind = SDE_GROUP,
                                      .type = SDE_COMPUTED,
                                      .level = true,
                                      .real = real,
                                      .compute = compute,
                                      .object = *out};
    int code = sde_set(registry, library, name, &source, &counter);
    if (code != SDE_OK)
        free(*out);
    return code;
}

/* Frees a group, when nobody reads it. */
void sde_group_free(void *object)
{
    struct group *group = object;
    struct member *next;
    for (struct member *member = atomic_load(&group->first); member != NULL; member = next) {
        next = atomic_load(&member->next);
        free(member);
    }
    free(group);
}

static int append(struct group *group, struct sde_counter *counter)
{
    struct member *_Atomic *end = &group->first;
    for (struct member *member; (member = atomic_load(end)) != NULL; end = &member->next)
        if (member->counter == counter)
            return SDE_OK;
    struct member *fresh = calloc(1, sizeof *fresh);
    if (fresh == NULL)
        return SDE_ENOMEM;
    fresh->counter = counter;
    atomic_store(end, fresh);
    return SDE_OK;
}

static int add_locked(struct sde_registry *registry, struct sde_library *library, const char *event,
                      const char *name, uint32_t flags)
{
    struct group *group;
    struct sde_counter *counter = sde_find(registry, library, event);
    const struct sde_source *source = counter != NULL ? sde_source(counter) : NULL;
    if (source == NULL || source->kind == SDE_RECORDER || source->kind == SDE_SET || source->kind == SDE_PART)
        return SDE_EINVAL;
    if (counter == sde_find(registry, library, name)) /* before it would be made a group of itself */
        return SDE_EINVAL;
    int code = group_of(registry, library, name, flags, source->real, &group);
    if (code != SDE_OK)
        return code;
    return contains(counter, group) ? SDE_EINVAL : append(group, counter);
}

int papi_sde_add_counter_to_group(papi_handle_t handle, const char *event_name, const char *group_name,
                                  uint32_t group_flags)
{
    struct sde_registry *registry = sde_registry();
    if (handle == NULL)
        return SDE_OK;
    if (registry == NULL)
        return SDE_ENOMEM;
    if (group_flags > PAPI_SDE_MIN)
        return SDE_EINVAL;
    lock_take(&registry->lock);
    int code = add_locked(registry, handle, event_name, group_name, group_flags);
    lock_give(&registry->lock);
    return code;
}

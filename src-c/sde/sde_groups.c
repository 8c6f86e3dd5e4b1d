/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Events that are made of other events.
 */
#include "base/whole.h"
#include "formats/sde_registry.h"
#include "registry.h"

#include <stdlib.h>

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

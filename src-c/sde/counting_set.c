/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Counting sets: how often there is each element.
 */
#include "registry.h"

#include <stdlib.h>
#include <string.h>

struct element {
    struct element *next;
    uint32_t count, type_id;
    size_t size, hashable;
    _Alignas(max_align_t) char value[];
};

enum { BUCKETS = 1024, LISTS = 8 };

/* A reading may be a signal's handler's, which has interrupted malloc: the memory for its list is there
 * before, and what it no longer needs is freed by the next change. Without a change a reading shows the same
 * list. */
struct sde_set {
    struct sde_registry *registry;
    size_t n, bytes; /* of different elements */
    bool listed;     /* an event set has it */
    bool changed;    /* since the last list */
    void *fresh;     /* for the next list */
    size_t room;
    void *list[LISTS]; /* that were given away, in turn, the last one before next_list */
    unsigned next_list;
    void *old; /* that is not needed any more */
    struct element *bucket[BUCKETS];
};

/* The FNV-1a hash of an element and its type. The table is not base/hash.h's, which keeps all that it has:
 * elements are removed. */
static unsigned hash(const void *element, size_t size, uint32_t type_id)
{
    unsigned value = 2166136261U ^ type_id;
    const unsigned char *byte = element;
    for (size_t i = 0; i < size; i++)
        value = (value ^ byte[i]) * 16777619U;
    return (value ^ value >> 16) % BUCKETS;
}

/* The place of the element, or the end of its bucket. */
static struct element **find(struct sde_set *set, const void *element, size_t hashable, uint32_t type_id)
{
    struct element **place = &set->bucket[hash(element, hashable, type_id)];
    while (*place != NULL && ((*place)->type_id != type_id || (*place)->hashable != hashable ||
                              memcmp((*place)->value, element, hashable) != 0))
        place = &(*place)->next;
    return place;
}

/* ---- lists */

static size_t aligned(size_t size)
{
    size_t unit = _Alignof(max_align_t);
    return (size + unit - 1) / unit * unit;
}

static void fill(const struct sde_set *set, cset_list_object_t *node, char *value)
{
    cset_list_object_t *previous = NULL;
    for (int i = 0; i < BUCKETS; i++)
        for (const struct element *element = set->bucket[i]; element != NULL; element = element->next) {
            memcpy(value, element->value, element->size);
            *node = (cset_list_object_t){element->count, element->type_id, element->size, value, NULL};
            if (previous != NULL)
                previous->next = node;
            previous = node++;
            value += aligned(element->size);
        }
}

static size_t list_size(const struct sde_set *set)
{
    return aligned(set->n * sizeof(cset_list_object_t)) + set->bytes;
}

/* Makes room for the list of a set; without memory the previous list stays. */
static void prepare_list(struct sde_set *set)
{
    size_t size = list_size(set);
    free(set->old);
    set->old = NULL;
    if (!set->listed || size <= set->room)
        return;
    void *fresh = malloc(2 * size);
    if (fresh == NULL)
        return;
    free(set->fresh);
    set->fresh = fresh;
    set->room = 2 * size;
}

static void note_change(struct sde_set *set)
{
    set->changed = true;
    prepare_list(set);
}

/* Notes that an event set has the counting set, so that its lists are prepared: a reading cannot allocate
 * memory. */
static long long list_set(void *object)
{
    struct sde_set *set = object;
    lock_take(&set->registry->lock);
    set->changed = set->changed || !set->listed;
    set->listed = true;
    prepare_list(set);
    lock_give(&set->registry->lock);
    return 0;
}

/* Makes a new list, in place of the one that was given away longest ago. */
static void make_list(struct sde_set *set)
{
    void **list = &set->list[set->next_list++ % LISTS];
    set->old = *list;
    *list = set->n > 0 ? set->fresh : NULL;
    set->changed = false;
    if (*list == NULL)
        return;
    fill(set, *list, (char *)*list + aligned(set->n * sizeof(cset_list_object_t)));
    set->fresh = NULL;
    set->room = 0;
}

static uint64_t last_list(const struct sde_set *set)
{
    return set->next_list > 0 ? (uintptr_t)set->list[(set->next_list - 1) % LISTS] : 0;
}

/* Returns the address of a list, made under the lock so that it is a state of the set between two changes. A
 * signal handler that has interrupted a change gets the list of before. */
static uint64_t list_of(const struct sde_source *source)
{
    struct sde_set *set = source->object;
    if (lock_mine(&set->registry->lock))
        return last_list(set);
    lock_take(&set->registry->lock);
    if (set->changed && set->old == NULL && list_size(set) <= set->room + (set->n == 0))
        make_list(set);
    uint64_t value = last_list(set);
    lock_give(&set->registry->lock);
    return value;
}

/* ---- elements */

static int insert_locked(void *handle, size_t size, size_t hashable, const void *value, uint32_t type_id)
{
    struct sde_set *set = sde_object(handle, SDE_SET);
    if (set == NULL)
        return SDE_EINVAL;
    struct element **place = find(set, value, hashable, type_id);
    if (*place == NULL) {
        struct element *element = malloc(sizeof *element + size);
        if (element == NULL)
            return SDE_ENOMEM;
        *element = (struct element){.type_id = type_id, .size = size, .hashable = hashable};
        memcpy(element->value, value, size);
        *place = element;
        set->n++;
        set->bytes += aligned(size);
    }
    (*place)->count++;
    note_change(set);
    return SDE_OK;
}

static int remove_locked(void *handle, size_t hashable, const void *value, uint32_t type_id)
{
    struct sde_set *set = sde_object(handle, SDE_SET);
    if (set == NULL)
        return SDE_EINVAL;
    struct element **place = find(set, value, hashable, type_id), *element = *place;
    if (element == NULL)
        return SDE_ENOEVNT;
    if (--element->count == 0) {
        *place = element->next;
        set->n--;
        set->bytes -= aligned(element->size);
        free(element);
    }
    note_change(set);
    return SDE_OK;
}

static bool is_off(const void *handle)
{
    return atomic_load_explicit(&((const struct sde_counter *)handle)->library->off, memory_order_relaxed);
}

int papi_sde_counting_set_insert(void *cset_handle, size_t element_size, size_t hashable_size,
                                 const void *element, uint32_t type_id)
{
    struct sde_registry *registry = sde_registry();
    if (cset_handle == NULL || is_off(cset_handle))
        return SDE_OK;
    if (element == NULL || element_size == 0 || hashable_size == 0 || hashable_size > element_size)
        return SDE_EINVAL;
    lock_take(&registry->lock);
    int code = insert_locked(cset_handle, element_size, hashable_size, element, type_id);
    lock_give(&registry->lock);
    return code;
}

int papi_sde_counting_set_remove(void *cset_handle, size_t hashable_size, const void *element,
                                 uint32_t type_id)
{
    struct sde_registry *registry = sde_registry();
    if (cset_handle == NULL || is_off(cset_handle))
        return SDE_OK;
    if (element == NULL || hashable_size == 0)
        return SDE_EINVAL;
    lock_take(&registry->lock);
    int code = remove_locked(cset_handle, hashable_size, element, type_id);
    lock_give(&registry->lock);
    return code;
}

/* ---- the set */

/* Frees what it holds; the set itself is the caller's to free, when nobody reads it. */
void sde_set_free(struct sde_set *set)
{
    for (int i = 0; i < BUCKETS; i++) {
        for (struct element *next; set->bucket[i] != NULL; set->bucket[i] = next) {
            next = set->bucket[i]->next;
            free(set->bucket[i]);
        }
    }
    for (int i = 0; i < LISTS; i++) {
        free(set->list[i]);
        set->list[i] = NULL;
    }
    free(set->old);
    free(set->fresh);
    set->old = set->fresh = NULL;
    set->n = set->bytes = set->room = 0;
}

static int create(struct sde_registry *registry, struct sde_library *library, const char *name,
                  struct sde_counter **out)
{
    struct sde_set *set = calloc(1, sizeof *set);
    if (set == NULL)
        return SDE_ENOMEM;
    set->registry = registry;
    const struct sde_source source = {.kind = SDE_SET,
                                      .type = SDE_COMPUTED,
                                      .level = true,
                                      .compute = list_of,
                                      .object = set,
                                      .callback = list_set};
    lock_take(&registry->lock);
    struct sde_counter *before = sde_find(registry, library, name);
    int code = before == NULL ? sde_set(registry, library, name, &source, out) : SDE_ECMP;
    lock_give(&registry->lock);
    if (code != SDE_OK)
        free(set);
    if (before != NULL && sde_object(before, SDE_SET) != NULL) {
        *out = before;
        return SDE_OK;
    }
    return code;
}

int papi_sde_create_counting_set(papi_handle_t handle, const char *cset_name, void **cset_handle)
{
    struct sde_counter *counter = NULL;
    struct sde_registry *registry = sde_registry();
    if (handle == NULL)
        return SDE_OK;
    if (registry == NULL)
        return SDE_ENOMEM;
    if (cset_handle == NULL)
        return SDE_EINVAL;
    int code = create(registry, handle, cset_name, &counter);
    if (code == SDE_OK)
        *cset_handle = counter;
    return code;
}

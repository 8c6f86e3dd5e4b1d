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

struct sde_set {
    struct sde_registry *registry;
    size_t n, bytes;   /* of different elements */
    void *list[LISTS]; /* that were given away, in turn */
    unsigned next_list;
    struct element *bucket[BUCKETS];
};

/* FNV-1a */
static unsigned hash(const void *element, size_t size, uint32_t type_id)
{
    unsigned value = 2166136261U ^ type_id;
    const unsigned char *byte = element;
    for (size_t i = 0; i < size; i++)
        value = (value ^ byte[i]) * 16777619U;
    return (value ^ value >> 16) % BUCKETS;
}

/* Where the element is, or the end of its bucket. */
static struct element **find(struct sde_set *set, const void *element, size_t hashable, uint32_t type_id)
{
    struct element **place = &set->bucket[hash(element, hashable, type_id)];
    while (*place != NULL && ((*place)->type_id != type_id || (*place)->hashable != hashable ||
                              memcmp((*place)->value, element, hashable) != 0))
        place = &(*place)->next;
    return place;
}

/* -------------------------------------------------------------------------------- lists */

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

/* A copy in one piece: the set may change while the list is read. */
static uint64_t list_of(const struct sde_source *source)
{
    struct sde_set *set = source->object;
    if (lock_mine(&set->registry->lock)) /* a signal's handler reads while its own thread inserts */
        return 0;
    lock_take(&set->registry->lock);
    void **list = &set->list[set->next_list++ % LISTS];
    size_t nodes = aligned(set->n * sizeof(cset_list_object_t));
    free(*list);
    *list = set->n > 0 ? malloc(nodes + set->bytes) : NULL;
    if (*list != NULL)
        fill(set, *list, (char *)*list + nodes);
    uint64_t value = (uintptr_t)*list;
    lock_give(&set->registry->lock);
    return value;
}

/* ------------------------------------------------------------------------------ elements */

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
    if (--element->count > 0)
        return SDE_OK;
    *place = element->next;
    set->n--;
    set->bytes -= aligned(element->size);
    free(element);
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

/* -------------------------------------------------------------------------------- the set */

/* What it holds; the set itself is the caller's to free, when nobody reads it. */
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
    set->n = set->bytes = 0;
}

static int create(struct sde_registry *registry, struct sde_library *library, const char *name,
                  struct sde_counter **out)
{
    struct sde_set *set = calloc(1, sizeof *set);
    if (set == NULL)
        return SDE_ENOMEM;
    set->registry = registry;
    const struct sde_source source = {
        .kind = SDE_SET, .type = SDE_COMPUTED, .level = true, .compute = list_of, .object = set};
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

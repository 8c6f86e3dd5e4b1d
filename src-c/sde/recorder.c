/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Recorders: every value that a library passes is kept, and shown in order of its size.
 */
#include "registry.h"

#include <stdlib.h>
#include <string.h>

/* An array of elements. One that became too small stays until the reset, since programs have addresses of its
 * elements. */
struct array {
    struct array *older;
    _Alignas(max_align_t) char element[];
};

enum { RESULTS = 16 };

/* A recorder. All that a reading needs is allocated before, since a signal handler may read that has
 * interrupted malloc. */
struct sde_recorder {
    struct sde_registry *registry;
    size_t size, n, room;
    struct array *array;
    int (*compare)(const void *, const void *);
    const char **sorted; /* elements by size, and behind them room for as many to sort with */
    size_t n_sorted;
    struct part {
        struct sde_recorder *recorder;
        size_t quarters; /* of all elements, that come before */
        struct sde_counter *counter;
        uint64_t shown;    /* address of the quantile that was shown last */
    } part[6];             /* CNT and the quantiles */
    bool listed;           /* an event set has all elements */
    void *result[RESULTS]; /* for readings to come, which give it away: each has room for all elements */
    int n_results;
};

static const char *const part_name[] = {"CNT", "MIN", "Q1", "MED", "Q3", "MAX"};

enum { PARTS = sizeof part_name / sizeof *part_name };

/* ---- values */

/* Merges two sorted parts that follow each other; temporary has room for the second. */
static void merge(const struct sde_recorder *recorder, const char **first, size_t n, size_t n_second,
                  const char **temporary)
{
    memcpy(temporary, first + n, n_second * sizeof *first);
    while (n_second > 0) {
        bool from_first = n > 0 && recorder->compare(first[n - 1], temporary[n_second - 1]) > 0;
        first[n + n_second - 1] = from_first ? first[n - 1] : temporary[n_second - 1];
        n -= from_first;
        n_second -= !from_first;
    }
}

static void merge_sort(const struct sde_recorder *recorder, const char **element, size_t n,
                       const char **temporary)
{
    if (n < 2)
        return;
    merge_sort(recorder, element, n / 2, temporary);
    merge_sort(recorder, element + n / 2, n - n / 2, temporary);
    merge(recorder, element, n / 2, n - n / 2, temporary);
}

/* Sorts what was recorded since the last time, and merges it with the rest. */
static void sort(struct sde_recorder *recorder)
{
    const char **fresh = recorder->sorted + recorder->n_sorted,
               **temporary = recorder->sorted + recorder->room;
    size_t n = recorder->n - recorder->n_sorted;
    for (size_t i = 0; i < n; i++)
        fresh[i] = recorder->array->element + (recorder->n_sorted + i) * recorder->size;
    merge_sort(recorder, fresh, n, temporary);
    merge(recorder, recorder->sorted, recorder->n_sorted, n, temporary);
    recorder->n_sorted = recorder->n;
}

/* Takes the lock; false: a signal's handler reads while its own thread records. */
static bool take_lock(struct sde_recorder *recorder)
{
    if (lock_mine(&recorder->registry->lock))
        return false;
    lock_take(&recorder->registry->lock);
    return true;
}

static uint64_t count(const struct sde_source *source)
{
    const struct part *part = source->object;
    return __atomic_load_n(&part->recorder->n, __ATOMIC_RELAXED);
}

/* A handler that has interrupted the recorder gets what was shown last. */
static uint64_t quantile(const struct sde_source *source)
{
    struct part *part = source->object;
    struct sde_recorder *recorder = part->recorder;
    if (!take_lock(recorder))
        return part->shown;
    if (recorder->n > 0) {
        size_t place = part->quarters == 4 ? recorder->n - 1 : part->quarters * recorder->n / 4;
        sort(recorder);
        part->shown = (uintptr_t)recorder->sorted[place];
    }
    uint64_t value = part->shown;
    lock_give(&recorder->registry->lock);
    return value;
}

/* Returns all elements, sorted, in memory that the reader frees; 0: there is none. */
static uint64_t elements(const struct sde_source *source)
{
    struct sde_recorder *recorder = source->object;
    void *result = NULL;
    if (!take_lock(recorder))
        return 0;
    if (recorder->n > 0 && recorder->n_results > 0) {
        result = recorder->result[--recorder->n_results];
        memcpy(result, recorder->array->element, recorder->n * recorder->size);
    }
    lock_give(&recorder->registry->lock);
    return (uintptr_t)result;
}

static void drop_results(struct sde_recorder *recorder)
{
    while (recorder->n_results > 0)
        free(recorder->result[--recorder->n_results]);
}

/* Allocates the memory of readings to come; those for which there is none show 0. */
static void make_results(struct sde_recorder *recorder)
{
    void *result;
    while (recorder->listed && recorder->room > 0 && recorder->n_results < RESULTS &&
           (result = malloc(recorder->room * recorder->size)) != NULL)
        recorder->result[recorder->n_results++] = result;
}

/* Notes that an event set has the event of all elements, whose readings need memory that is allocated
 * before. */
static long long list_results(void *object)
{
    struct sde_recorder *recorder = object;
    lock_take(&recorder->registry->lock);
    recorder->listed = true;
    make_results(recorder);
    lock_give(&recorder->registry->lock);
    return 0;
}

/* ---- recording */

static void free_older(struct array *array)
{
    for (struct array *older; array != NULL; array = older) {
        older = array->older;
        free(array);
    }
}

static bool grow(struct sde_recorder *recorder, size_t room, size_t bytes)
{
    struct array *array = malloc(bytes);
    const char **sorted =
        recorder->compare != NULL ? realloc(recorder->sorted, 2 * room * sizeof *sorted) : NULL;
    if (sorted != NULL)
        recorder->sorted = sorted;
    if (array == NULL || (sorted == NULL && recorder->compare != NULL)) {
        free(array);
        return false;
    }
    array->older = recorder->array;
    if (recorder->n > 0)
        memcpy(array->element, recorder->array->element, recorder->n * recorder->size);
    recorder->array = array;
    recorder->room = room;
    return true;
}

static bool make_room(struct sde_recorder *recorder)
{
    size_t room = recorder->room ? 2 * recorder->room : 64, bytes;
    if (recorder->n < recorder->room)
        return true;
    if (__builtin_mul_overflow(room, recorder->size > 16 ? recorder->size : 16, &bytes) ||
        __builtin_add_overflow(bytes, sizeof(struct array), &bytes))
        return false;
    if (!grow(recorder, room, sizeof(struct array) + room * recorder->size))
        return false;
    drop_results(recorder);
    return true;
}

static int record_locked(void *handle, size_t size, const void *value)
{
    struct sde_recorder *recorder = sde_object(handle, SDE_RECORDER);
    if (recorder == NULL || size != recorder->size)
        return SDE_EINVAL;
    if (!make_room(recorder))
        return SDE_ENOMEM;
    make_results(recorder);
    memcpy(recorder->array->element + recorder->n * size, value, size);
    __atomic_store_n(&recorder->n, recorder->n + 1, __ATOMIC_RELAXED);
    return SDE_OK;
}

int papi_sde_record(void *record_handle, size_t typesize, const void *value)
{
    struct sde_registry *registry = sde_registry();
    if (record_handle == NULL)
        return SDE_OK;
    if (value == NULL || registry == NULL)
        return SDE_EINVAL;
    if (atomic_load_explicit(&((struct sde_counter *)record_handle)->library->off, memory_order_relaxed))
        return SDE_OK;
    lock_take(&registry->lock);
    int code = record_locked(record_handle, typesize, value);
    lock_give(&registry->lock);
    return code;
}

static void forget_shown(struct sde_recorder *recorder)
{
    for (int i = 0; i < PARTS; i++)
        recorder->part[i].shown = 0;
}

int papi_sde_reset_recorder(void *record_handle)
{
    struct sde_registry *registry = sde_registry();
    if (record_handle == NULL)
        return SDE_OK;
    lock_take(&registry->lock);
    struct sde_recorder *recorder = sde_object(record_handle, SDE_RECORDER);
    if (recorder != NULL) {
        forget_shown(recorder);
        __atomic_store_n(&recorder->n, 0, __ATOMIC_RELAXED);
        recorder->n_sorted = 0;
        if (recorder->array != NULL) {
            free_older(recorder->array->older);
            recorder->array->older = NULL;
        }
    }
    lock_give(&registry->lock);
    return recorder != NULL ? SDE_OK : SDE_EINVAL;
}

/* ---- making and ending */

static int set_part(struct sde_library *library, const char *event, struct sde_recorder *recorder, int i)
{
    char name[256];
    struct part *part = &recorder->part[i];
    part->recorder = recorder;
    part->quarters = i > 0 ? (size_t)i - 1 : 0;
    const struct sde_source source = {.kind = SDE_PART,
                                      .type = SDE_COMPUTED,
                                      .level = true,
                                      .compute = i > 0 ? quantile : count,
                                      .object = part};
    if (snprintf(name, sizeof name, "%s:%s", event, part_name[i]) >= (int)sizeof name)
        return SDE_EINVAL;
    return sde_set(recorder->registry, library, name, &source, &part->counter);
}

/* A recorder's parts outlive it as what they last showed. The recorder itself is the caller's to free, when
 * nobody reads it. */
int sde_recorder_end(struct sde_recorder *recorder)
{
    int code = SDE_OK;
    for (int i = 0; i < PARTS && code == SDE_OK; i++)
        if (recorder->part[i].counter != NULL)
            code = sde_end(recorder->part[i].counter, i == 0 ? recorder->n : 0);
    recorder->n = recorder->n_sorted = recorder->room = 0;
    forget_shown(recorder);
    drop_results(recorder);
    free_older(recorder->array);
    free(recorder->sorted);
    recorder->array = NULL;
    recorder->sorted = NULL;
    return code;
}

static int set_locked(struct sde_library *library, const char *event, struct sde_recorder *recorder,
                      struct sde_counter **out)
{
    const struct sde_source source = {.kind = SDE_RECORDER,
                                      .type = SDE_COMPUTED,
                                      .level = true,
                                      .compute = elements,
                                      .object = recorder,
                                      .callback = list_results};
    int code = sde_set(recorder->registry, library, event, &source, out);
    for (int i = 0; i < (recorder->compare != NULL ? PARTS : 1) && code == SDE_OK; i++)
        code = set_part(library, event, recorder, i);
    return code;
}

static int create(struct sde_registry *registry, struct sde_library *library, const char *event, size_t size,
                  int (*compare)(const void *, const void *), struct sde_counter **out)
{
    struct sde_recorder *recorder = calloc(1, sizeof *recorder);
    if (recorder == NULL)
        return SDE_ENOMEM;
    recorder->registry = registry;
    recorder->size = size;
    recorder->compare = compare;
    lock_take(&registry->lock);
    struct sde_counter *before = sde_find(registry, library, event);
    int code = before != NULL ? SDE_ECMP : set_locked(library, event, recorder, out);
    lock_give(&registry->lock);
    if (before != NULL) {
        free(recorder);
        *out = before;
        return sde_object(before, SDE_RECORDER) != NULL ? SDE_OK : code;
    }
    /* The events that were registered of it are taken back, and the recorder with them. */
    if (code != SDE_OK && papi_sde_unregister_counter(library, event) != SDE_OK)
        free(recorder);
    return code;
}

int papi_sde_create_recorder(papi_handle_t handle, const char *event_name, size_t typesize,
                             int (*cmpr_func_ptr)(const void *p1, const void *p2), void **record_handle)
{
    struct sde_counter *counter = NULL;
    struct sde_registry *registry = sde_registry();
    if (handle == NULL)
        return SDE_OK;
    if (registry == NULL)
        return SDE_ENOMEM;
    if (typesize == 0 || record_handle == NULL)
        return SDE_EINVAL;
    const void *code;
    memcpy(&code, &cmpr_func_ptr, sizeof code);
    if (code != NULL)
        sde_keep_loaded(code);
    int result = create(registry, handle, event_name, typesize, cmpr_func_ptr, &counter);
    if (result == SDE_OK)
        *record_handle = counter;
    return result;
}

/* ---- comparing */

#define COMPARE(name, type)                                                                                  \
    int name(const void *p1, const void *p2)                                                                 \
    {                                                                                                        \
        const type a = *(const type *)p1;                                                                    \
        const type b = *(const type *)p2;                                                                    \
        return (a > b) - (a < b);                                                                            \
    }

COMPARE(papi_sde_compare_long_long, long long)
COMPARE(papi_sde_compare_int, int)
COMPARE(papi_sde_compare_double, double)
COMPARE(papi_sde_compare_float, float)

/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/likely.h"
#include "components/counted/columns.h"
#include "components/counted/counted.h"
#include "components/counted/dot_product.h"
#include "components/free_running.h"
#include "papi.h"

#include <string.h>

/* A module's slots of one kind, as a group reads them. */
struct part {
    struct part *next;
    size_t size;
    struct column_module *module;
    int kind;
    struct slot_view view;
};

struct counted_group {
    struct free_running_group free_running;
    dot_way *look;
    struct columns *columns;
    unsigned long long loaded; /* when the parts were made: ~0: not all of them */
    struct part *parts;
    const struct column_module *last; /* of which there are parts */
    int n_columns;                    /* of each part: those of the counters, and of one that is added */
    uint8_t number[MAX_COUNTERS];     /* of the events: enum counted_event */
};

static struct counted_group *counted_group(struct counter_group *group)
{
    return (struct counted_group *)group;
}

/* ---------------------------------------------------------------------------- parts */

static size_t size_of_products(const struct part *part)
{
    return column_chunks(part->view.n) * sizeof(dot_four);
}

/* Adds a column to a part. A handler may read in between: the products are forgotten when all is there. Until
 * a bundle is full, the last column stands for those that are missing. */
static bool add_column(const struct counted_group *group, struct part *part, int counter)
{
    struct slot_view *view = &part->view;
    int bundle = counter / DOT_COLUMNS;
    const struct column *column = columns_get(part->module, part->kind, group->number[counter]);
    if (view->product[bundle] == NULL)
        view->product[bundle] = pages_get(size_of_products(part));
    if (column == NULL || view->product[bundle] == NULL)
        return false;
    for (uint64_t word = 0; word < column_words(view->n); word++)
        view->used[word] |= column->used[word];
    for (int i = counter; i < (bundle + 1) * DOT_COLUMNS; i++)
        view->column[i] = column->coefficient;
    dot_forget(view);
    return true;
}

static void free_part(struct part *part)
{
    for (int i = 0; i < DOT_BUNDLES; i++)
        pages_free(part->view.product[i], size_of_products(part));
    pages_free(part, part->size);
}

static struct part *new_part(const struct counted_group *group, struct column_module *module, int kind)
{
    uint64_t n = module->space[kind].n;
    size_t bits = column_words(n) * sizeof(uint64_t);
    size_t size = sizeof(struct part) + bits + column_chunks(n) * sizeof(dot_four);
    struct part *part = pages_get(size);
    if (part == NULL)
        return NULL;
    part->size = size;
    part->module = module;
    part->kind = kind;
    part->view.slot = kind == COUNTED_THREAD ? module_thread_slots(module->module)
                                             : module_process_slots(module->module, &n);
    part->view.n = n;
    part->view.own = columns_own(module, kind);
    part->view.whole = part->view.own + column_chunks(n);
    part->view.used = (void *)(part + 1);
    part->view.seen = (void *)((char *)(part + 1) + bits);
    bool whole = part->view.own != NULL;
    for (int i = 0; whole && i < group->n_columns; i++)
        whole = add_column(group, part, i);
    if (whole)
        return part;
    free_part(part);
    return NULL;
}

static bool append_part(struct counted_group *group, struct column_module *module, int kind)
{
    struct part **place = &group->parts;
    if (module->space[kind].n == 0)
        return true;
    while (*place != NULL && ((*place)->module != module || (*place)->kind != kind))
        place = &(*place)->next;
    if (*place != NULL)
        return true;
    struct part *part = new_part(group, module, kind);
    __atomic_store_n(place, part, __ATOMIC_RELEASE);
    return part != NULL;
}

static bool append_parts(struct counted_group *group)
{
    struct column_module *module = group->last != NULL ? group->last->next : group->columns->first;
    for (; module != NULL; module = module->next) {
        if (!append_part(group, module, COUNTED_THREAD) || !append_part(group, module, COUNTED_PROCESS))
            return false;
        group->last = module;
    }
    return true;
}

/* The number of modules that were loaded so far. The dynamic linker is not asked in a handler that has
 * interrupted a reading while it was asked: its lock could be neither free nor known to be this thread's. */
static unsigned long long loaded_now(const struct counted_group *group)
{
    struct columns *columns = group->columns;
    if (lock_mine(&columns->asking) || lock_mine(&columns->lock))
        return group->loaded;
    lock_take(&columns->asking);
    unsigned long long loaded = modules_loaded();
    lock_give(&columns->asking);
    return loaded;
}

/* Takes modules in that were loaded meanwhile. A handler that interrupts this reads what there is. false: out
 * of memory; the next reading tries again. */
static __attribute__((cold, noinline)) bool take_modules(struct counted_group *group,
                                                         unsigned long long loaded)
{
    if (lock_mine(&group->columns->lock))
        return true;
    lock_take(&group->columns->lock);
    bool whole = columns_look(group->columns);
    bool appended = append_parts(group);
    if (whole && appended)
        group->loaded = loaded;
    lock_give(&group->columns->lock);
    return appended;
}

/* -------------------------------------------------------------------------- reading */

static void sum_parts(const struct counted_group *group, uint64_t *sum, int bundles)
{
    for (const struct part *part = group->parts; part != NULL; part = part->next) {
        group->look(&part->view, bundles);
        for (int i = 0; i < bundles; i++)
            dot_add(&part->view, i, sum + (size_t)i * DOT_COLUMNS);
    }
}

static __attribute__((cold)) int no_memory(struct reason *why)
{
    return reason_set(
        why, PAPI_ECLOST,
        "there is no memory for the tables of a counted library that was loaded: what it did is "
        "not counted yet");
}

_Static_assert(MAX_COUNTERS % DOT_COLUMNS == 0, "a bundle has so many sums");

static int read_slots(struct counter_group *base, const uint64_t *from, uint64_t *value, struct reason *why)
{
    struct counted_group *group = counted_group(base);
    unsigned long long loaded = loaded_now(group);
    int code = PAPI_OK, n = base->n_counters, bundles = (n + DOT_COLUMNS - 1) / DOT_COLUMNS;
    uint64_t sum[MAX_COUNTERS], origin[MAX_COUNTERS];
    free_running_origin(base, from, origin);
    if (unlikely(loaded != group->loaded) && !take_modules(group, loaded))
        code = no_memory(why);
    memset(sum, 0, (size_t)bundles * DOT_COLUMNS * sizeof *sum);
    sum_parts(group, sum, bundles);
    for (int i = 0; i < n; i++)
        value[i] = sum[i] - origin[i];
    return code;
}

/* ------------------------------------------------------------------------- the group */

int counted_check_domain(int domain, struct reason *why)
{
    if (domain == PAPI_DOM_USER || domain == PAPI_DOM_ALL)
        return PAPI_OK;
    return reason_set(why, PAPI_EINVAL_DOM, "a counted program counts itself alone: PAPI_DOM_USER");
}

static bool add_columns(struct counted_group *group, int counter)
{
    bool whole = true;
    lock_take(&group->columns->lock);
    for (struct part *part = group->parts; part != NULL && whole; part = part->next)
        whole = add_column(group, part, counter);
    lock_give(&group->columns->lock);
    return whole;
}

/* Adds a counter. It does not count before the group has its number: until then no reading takes its
 * column. */
static int add(struct counter_group *base, const char *root, const struct event_encoding *encoding,
               uint64_t period, struct reason *why)
{
    struct counted_group *group = counted_group(base);
    int n = base->n_counters;
    (void)root;
    if (period != 0)
        return reason_set(why, PAPI_ENOSUPP, "the counts of a counted program signal no overflows");
    int code = counted_check_domain(base->options.domain, why);
    if (code != PAPI_OK)
        return code;
    group->columns = encoding->event->opened;
    group->number[n] = (uint8_t)encoding->config;
    group->n_columns = n + 1;
    if (!add_columns(group, n) || !take_modules(group, loaded_now(group))) {
        group->n_columns = n;
        return reason_set(why, PAPI_ENOMEM, "out of memory");
    }
    free_running_hold(base, encoding->event, 0);
    return PAPI_OK;
}

/* Abandons a group in the child of a fork, which may have been made while another thread had the tables. */
static void abandon(struct counter_group *base)
{
    free_running_abandon(base);
    struct columns *columns = counted_group(base)->columns;
    if (columns != NULL) {
        lock_after_fork(&columns->lock);
        lock_after_fork(&columns->asking);
    }
}

static void destroy(struct counter_group *base)
{
    struct part *part = base != NULL ? counted_group(base)->parts : NULL;
    for (struct part *next; part != NULL; part = next) {
        next = part->next;
        free_part(part);
    }
    free_running_destroy(base);
}

static const struct group_ops counted_groups = {
    .add = add,
    .start = free_running_start,
    .stop = free_running_stop,
    .destroy = destroy,
    .abandon = abandon,
};

struct counter_group *counted_group_create(const struct group_options *options)
{
    struct counter_group *group =
        free_running_create(sizeof(struct counted_group), options, &counted_groups, read_slots);
    if (group != NULL)
        counted_group(group)->look = dot_choose();
    return group;
}

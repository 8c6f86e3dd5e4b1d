/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/likely.h"
#include "components/component.h"
#include "components/components.h"
#include "components/counted/columns.h"
#include "components/counted/dot_product.h"
#include "components/free_running.h"
#include "papi.h"

#include <stdio.h>
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

/* ---- parts */

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

/* ---- reading */

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

/* ---- the group */

/* Checks a domain: PAPI_OK or PAPI_EINVAL_DOM. */
static int counted_check_domain(int domain, struct reason *why)
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

/* The component's create; its events are opened with the process's struct columns. */
static struct counter_group *counted_group_create(const struct group_options *options)
{
    struct counter_group *group =
        free_running_create(sizeof(struct counted_group), options, &counted_groups, read_slots);
    if (group != NULL)
        counted_group(group)->look = dot_choose();
    return group;
}

/* ---- the component */

TEXT_ROWS_BEGIN
static const struct {
    char name[40], description[432];
} events[COUNTED_EVENTS] = {
#define EVENT(name, description) {#name, description},
#define CACHE_EVENT(name, description)
#include "formats/emulator_events.def"
#undef EVENT
#undef CACHE_EVENT
};
TEXT_ROWS_END

static void close_columns(void *columns)
{
    columns_free(columns);
}

static int list(const char *root, struct event_list *list, struct reason *why)
{
    struct columns *columns = columns_make();
    (void)root;
    if (columns == NULL)
        return reason_set(why, PAPI_ENOMEM, "out of memory");
    int code = event_list_open(list, columns, close_columns, why);
    for (int i = 0; i < COUNTED_EVENTS && code == PAPI_OK; i++) {
        const struct component_event event = {.name = events[i].name,
                                              .description = events[i].description,
                                              .config = (uint64_t)i,
                                              .opened = columns};
        code = event_list_add(list, &event, why);
    }
    return code;
}

/* ---- what there is */

/* The numbers of modules by kind, and the name of the first one of some kinds. Modules with damaged tables,
 * which only a look inside shows, are among the foreign ones. */
struct finds {
    bool look_inside;
    int counted, of_threads, foreign, unweighed, of_process;
    char name_foreign[128], name_unweighed[128], name_of_process[128];
};

static void note(int *n, char name[128], const char *module)
{
    if ((*n)++ == 0)
        snprintf(name, 128, "%s", module[0] != '\0' ? module : "the program");
}

static bool has_process_units(const struct counted_module *module)
{
    const struct counted_unit *unit = NULL;
    while ((unit = module_next_unit(module, unit)) != NULL)
        if (unit->kind == COUNTED_PROCESS)
            return true;
    return false;
}

static void see(const struct counted_module *module, const char *name, void *context)
{
    struct finds *finds = context;
    if (!module_is_known(module)) {
        note(&finds->foreign, finds->name_foreign, name);
        return;
    }
    if (module->weighed == 0) {
        note(&finds->unweighed, finds->name_unweighed, name);
        return;
    }
    if (finds->look_inside && !module_is_whole(module)) {
        note(&finds->foreign, finds->name_foreign, name);
        return;
    }
    finds->counted++;
    if (has_process_units(module))
        note(&finds->of_process, finds->name_of_process, name);
    finds->of_threads += module->n_slots > 0;
}

/* The reason why nothing is counted; PAPI_OK: something is. */
static int check_counted(const struct finds *finds, struct reason *why)
{
    if (finds->counted > 0)
        return PAPI_OK;
    if (finds->foreign > 0)
        return reason_set(why, PAPI_ENOCMP,
                          "%s was built by papi_counted of another version of this library: build it again",
                          finds->name_foreign);
    if (finds->unweighed > 0)
        return reason_set(
            why, PAPI_ENOCMP,
            "%s was compiled by papi_counted and linked without it: link it with papi_counted, too",
            finds->name_unweighed);
    return reason_set(why, PAPI_ENOCMP,
                      "the program is not a counted build: compile and link it with papi_counted "
                      "(\"papi_counted gfortran ...\"), and it counts its own operations");
}

/* Explains modules that are there and are not counted, or not as it seems. */
static void note_parts(const struct finds *finds, struct component_state *state)
{
    const char *than = finds->unweighed > 0 ? finds->name_unweighed : finds->name_foreign;
    struct reason *why = &state->partially_disabled;
    if (finds->unweighed + finds->foreign > 0)
        reason_set(why, PAPI_PARTIAL, "%s is not counted: link it with papi_counted of this version", than);
    else if (finds->of_process > 0)
        reason_set(
            why, PAPI_PARTIAL,
            "what %s does is the sum of all threads (papi_counted --shared-by-threads), in each thread's "
            "event sets",
            finds->name_of_process);
}

static void discover(struct pmu_table *pmus, struct component_state *state)
{
    struct finds finds = {.look_inside = true};
    (void)pmus;
    modules_look(see, &finds);
    if (check_counted(&finds, &state->disabled) != PAPI_OK)
        return;
    note_parts(&finds, state);
    state->n_hardware_counters = COUNTED_EVENTS;
    state->fast_read = true;
}

static int try_event(struct pmu_table *pmus, const struct event_encoding *event, int domain,
                     struct reason *why)
{
    struct finds finds = {0};
    (void)pmus, (void)event;
    modules_look(see, &finds);
    int code = check_counted(&finds, why);
    return code == PAPI_OK ? counted_check_domain(domain, why) : code;
}

/* Refuses inheritance where slots are thread-local, since only each thread knows where its own are. Those of
 * the process are everybody's sum. */
static int check_inherit(struct reason *why)
{
    struct finds finds = {0};
    modules_look(see, &finds);
    if (finds.of_threads == 0)
        return PAPI_OK;
    return reason_set(why, PAPI_ECMP,
                      "a counted program counts each thread for itself: make an event set in each thread "
                      "(papi_counted --shared-by-threads builds programs that count all threads together)");
}

/* Checks options. Multiplexing cannot fail here: all events are counted all the time. */
static int check_options(const char *root, const struct group_options *options, struct reason *why)
{
    (void)root;
    if (options->target != 0)
        return reason_set(why, PAPI_ECMP,
                          "a counted program counts each thread for itself: event sets cannot be attached to "
                          "another");
    if (options->whole_cpu)
        return reason_set(why, PAPI_ECMP, "a counted program counts its own threads, not a CPU");
    return options->inherit ? check_inherit(why) : PAPI_OK;
}

const struct component counted_component = {
    .name = "counted",
    .short_name = "counted",
    .description = "papi_counted: what the program's own instructions do, counted exactly by the program",
    .processor = "counted",
    .where_no_counters = true,
    .prefix = "counted::",
    .list = list,
    .default_domain = PAPI_DOM_USER,
    .available_domains = PAPI_DOM_USER,
    .inherit = true,
    .discover = discover,
    .try_event = try_event,
    .check_options = check_options,
    .create = counted_group_create,
};

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Software-defined events, "sde:::library::event": numbers that the program's libraries register with libsde.
 */
#include "base/likely.h"
#include "base/whole.h"
#include "components/components.h"
#include "components/free_running.h"
#include "formats/sde_registry.h"
#include "papi.h"

#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

struct sde_group {
    struct free_running_group free_running;
    struct sde_registry *registry;
    struct sde_reader reader;
    struct sde_counter *counter[MAX_COUNTERS];
    uint64_t period[MAX_COUNTERS]; /* of overflows; 0: none */
    unsigned left[MAX_COUNTERS];   /* overflows that were not taken before the stop */
    uint64_t watching;             /* the bits of the counters whose overflows it is told of now */
    bool starting; /* when levels are not looked at: a recorder's elements are the reader's to free */
};

static struct sde_group *sde_group(struct counter_group *group)
{
    return (struct sde_group *)group;
}

/* ---- overflows of created counters */

/* Makes the calling thread the one that is told of a counter's overflows from now on. PAPI_ECNFLCT: another
 * event set has them. The period is stored last: what it is measured by must be there. */
static int sde_watch_begin(struct sde_counter *counter, uint64_t period, struct reason *why)
{
    struct sde_watch *watch = &counter->watch;
    int nobody = 0;
    if (!atomic_compare_exchange_strong(&watch->thread, &nobody, (int)syscall(SYS_gettid)))
        return reason_set(why, PAPI_ECNFLCT,
                          "another event set is told of the overflows of %s: stop it first, or use "
                          "PAPI_OVERFLOW_FORCE_SW",
                          counter->name);
    atomic_store(&watch->signal, OVERFLOW_SIGNAL);
    atomic_store(&watch->waiting, 0);
    atomic_store(&watch->next, __atomic_load_n(&counter->value, __ATOMIC_RELAXED) + (long long)period);
    atomic_store(&watch->period, (long long)period);
    return PAPI_OK;
}

/* Stops the overflows of a counter for now. Async-signal-safe; from any thread. */
static void sde_watch_pause(struct sde_counter *counter)
{
    atomic_store(&counter->watch.period, 0);
}

/* Ends what sde_watch_begin began: another event set can have the overflows then. Returns how many were not
 * taken. */
static unsigned sde_watch_end(struct sde_counter *counter)
{
    sde_watch_pause(counter);
    unsigned left = atomic_exchange(&counter->watch.waiting, 0);
    atomic_store(&counter->watch.thread, 0);
    return left;
}

/* Takes one overflow that waits, and the address of the call that caused it. False if none waits. */
static bool sde_watch_take(struct sde_counter *counter, uint64_t *address)
{
    unsigned waiting = atomic_load(&counter->watch.waiting);
    while (waiting != 0 && !atomic_compare_exchange_weak(&counter->watch.waiting, &waiting, waiting - 1))
        ;
    *address = atomic_load(&counter->watch.caller);
    return waiting != 0;
}

/* ---- counting */

/* The value of an event in the type that the group began with, even if the event was registered anew with
 * another one. */
static inline uint64_t value_now(const struct sde_group *group, int i, const struct sde_source *source)
{
    uint64_t value = sde_load(source);
    bool real = group->free_running.base.reals >> i & 1;
    if (likely(real == source->real))
        return value;
    return real ? sde_bits((double)(long long)value) : (uint64_t)whole_of(sde_real(value));
}

/* A handler that comes in between may stop the group and start it: what is no part of the value is noted
 * before the value is looked at. */
static inline uint64_t counted(const struct sde_group *group, int i, uint64_t from)
{
    const struct counter_group *base = &group->free_running.base;
    uint64_t hidden = group->free_running.hidden[i];
    if (unlikely(group->starting && (base->levels >> i & 1) != 0))
        return 0;
    atomic_signal_fence(memory_order_seq_cst);
    uint64_t now = value_now(group, i, atomic_load(&group->counter[i]->source));
    if (unlikely((base->levels >> i & 1) != 0))
        return now;
    if (unlikely((base->reals >> i & 1) != 0))
        return sde_bits(sde_real(now) - sde_real(hidden) - sde_real(from));
    return now - hidden - from;
}

/* Loads alone, but for what is computed. A signal's handler may read in a reading. */
static int read_counters(struct counter_group *base, const uint64_t *from, uint64_t *value,
                         struct reason *why)
{
    struct sde_group *group = sde_group(base);
    bool inner = atomic_load_explicit(&group->reader.began, memory_order_relaxed) != 0;
    (void)why;
    if (!inner)
        atomic_store(&group->reader.began, atomic_load(&group->registry->epoch));
    for (int i = 0; i < base->n_counters; i++)
        value[i] = counted(group, i, from[i]);
    if (!inner)
        atomic_store_explicit(&group->reader.began, 0, memory_order_release);
    return PAPI_OK;
}

/* The counter of an event's own number, which is its address: it stays for ever. */
static struct sde_counter *counter_of(const struct component_event *event)
{
    return (struct sde_counter *)(uintptr_t)event->config;
}

static int check_there(const struct sde_counter *counter, struct reason *why)
{
    if (atomic_load(&counter->source)->kind != SDE_GONE)
        return PAPI_OK;
    return reason_set(why, PAPI_ENOEVNT, "the library of %s has unregistered it", counter->name);
}

static void enlist(struct sde_group *group, struct sde_registry *registry)
{
    if (group->registry != NULL)
        return;
    group->registry = registry;
    sde_reader_enlist(registry, &group->reader);
}

static void take_off_list(struct sde_group *group)
{
    if (group->registry == NULL)
        return;
    sde_reader_leave(group->registry, &group->reader);
    group->registry = NULL;
}

/* A reading allocates nothing: it may be in a signal's handler, which has interrupted malloc. In a reading of
 * its own, so that the object stays. */
static void prepare(struct sde_group *group, const struct sde_counter *counter)
{
    atomic_store(&group->reader.began, atomic_load(&group->registry->epoch));
    const struct sde_source *source = atomic_load(&counter->source);
    if ((source->kind == SDE_RECORDER || source->kind == SDE_SET) && source->callback != NULL)
        source->callback(source->object);
    atomic_store(&group->reader.began, 0);
}

static int check_period(const struct sde_counter *counter, uint64_t period, struct reason *why)
{
    if (period == 0 || atomic_load(&counter->source)->kind == SDE_CREATED)
        return PAPI_OK;
    return reason_set(why, PAPI_ENOSUPP,
                      "%s is not a counter of papi_sde_create_counter, and nothing tells when it changes; "
                      "PAPI_OVERFLOW_FORCE_SW has a timer look at it",
                      counter->name);
}

static int add(struct counter_group *base, const char *root, const struct event_encoding *encoding,
               uint64_t period, struct reason *why)
{
    struct sde_group *group = sde_group(base);
    struct sde_counter *counter = counter_of(encoding->event);
    int n = base->n_counters;
    (void)root;
    int code = check_there(counter, why) ?: check_period(counter, period, why);
    if (code != PAPI_OK)
        return code;
    enlist(group, counter->registry);
    prepare(group, counter);
    const struct sde_source *source = atomic_load(&counter->source);
    group->counter[n] = counter;
    group->period[n] = period;
    base->reals |= (uint64_t)source->real << n;
    free_running_added(base, source->level, 0);
    return PAPI_OK;
}

static int write_value(struct counter_group *base, const char *root, int index, long long value,
                       struct reason *why)
{
    const struct sde_counter *counter = sde_group(base)->counter[index];
    const struct sde_source *source = atomic_load(&counter->source);
    (void)root;
    if (!source->writable)
        return reason_set(why, PAPI_ECMP, "%s is its library's: it was not registered as PAPI_SDE_RW",
                          counter->name);
    sde_store(source, (uint64_t)value);
    return PAPI_OK;
}

/* ---- overflows */

static bool watches(const struct sde_group *group, int i)
{
    return (group->watching >> i & 1) != 0;
}

static void end_watches(struct sde_group *group)
{
    for (int i = 0; group->watching != 0 && i < group->free_running.base.n_counters; i++)
        if (watches(group, i)) {
            group->left[i] = sde_watch_end(group->counter[i]);
            group->watching &= ~(1ULL << i);
        }
}

static int begin_watches(struct sde_group *group, struct reason *why)
{
    int code = PAPI_OK;
    for (int i = 0; i < group->free_running.base.n_counters && code == PAPI_OK; i++) {
        group->left[i] = 0;
        if (group->period[i] != 0 &&
            (code = sde_watch_begin(group->counter[i], group->period[i], why)) == PAPI_OK)
            group->watching |= 1ULL << i;
    }
    if (code != PAPI_OK)
        end_watches(group);
    return code;
}

static bool take_left(unsigned *left)
{
    if (*left == 0)
        return false;
    --*left;
    return true;
}

static bool take_overflow(struct counter_group *base, int *counter, uint64_t *address)
{
    struct sde_group *group = sde_group(base);
    *address = 0;
    for (int i = 0; i < base->n_counters; i++)
        if (watches(group, i) ? sde_watch_take(group->counter[i], address) : take_left(&group->left[i])) {
            *counter = i;
            return true;
        }
    return false;
}

/* None is ever missing but those that are left at the stop, which the caller counts. */
static int check_overflows(const struct counter_group *base, struct reason *why)
{
    (void)base, (void)why;
    return PAPI_OK;
}

static void silence(const struct counter_group *base)
{
    const struct sde_group *group = (const struct sde_group *)base;
    for (int i = 0; i < base->n_counters; i++)
        if (watches(group, i))
            sde_watch_pause(group->counter[i]);
}

static int start(struct counter_group *base, struct reason *why)
{
    sde_group(base)->starting = true;
    int code = free_running_start(base, why);
    sde_group(base)->starting = false;
    return code ?: begin_watches(sde_group(base), why);
}

static int stop(struct counter_group *base, struct reason *why)
{
    end_watches(sde_group(base));
    return free_running_stop(base, why);
}

/* The child's registry has no readers any more, or will not have them soon. */
static void abandon(struct counter_group *base)
{
    end_watches(sde_group(base));
    sde_group(base)->registry = NULL;
    base->n_counters = 0;
}

static void destroy(struct counter_group *base)
{
    if (base == NULL)
        return;
    end_watches(sde_group(base));
    take_off_list(sde_group(base));
    free(base);
}

static const struct group_ops sde_groups = {
    .add = add,
    .start = start,
    .stop = stop,
    .silence = silence,
    .destroy = destroy,
    .abandon = abandon,
    .write = write_value,
    .keep = free_running_keep,
    .take_overflow = take_overflow,
    .check_overflows = check_overflows,
};

static struct counter_group *create(const struct group_options *options)
{
    return free_running_create(sizeof(struct sde_group), options, &sde_groups, read_counters);
}

/* ---- component */

static void describe(struct component_event *event, const struct sde_counter *counter)
{
    const struct sde_source *source = atomic_load(&counter->source);
    event->description = atomic_load(&counter->description);
    event->level = source->level;
    event->real = source->real;
    event->writable = source->writable;
    event->gone = source->kind == SDE_GONE;
}

/* The first event in *out; NULL: nothing in the program has registered any. */
static int find_first(const struct event_list *list, struct sde_counter **out, struct reason *why)
{
    struct sde_registry *_Atomic *anchor = NULL;
    *out = list->n > 0 ? counter_of(list->event[0]) : NULL;
    if (*out == NULL && !sde_find_anchor(&anchor))
        return reason_set(why, PAPI_ENOMEM, "out of memory");
    struct sde_registry *registry = anchor != NULL ? atomic_load(anchor) : NULL;
    if (registry != NULL)
        *out = atomic_load(&registry->first);
    return PAPI_OK;
}

static int list(const char *root, struct event_list *list, struct reason *why)
{
    struct sde_counter *counter;
    int code = find_first(list, &counter, why);
    (void)root;
    for (int i = 0; counter != NULL && code == PAPI_OK; i++, counter = atomic_load(&counter->next)) {
        if (i == list->n) {
            const struct component_event event = {.name = counter->name, .config = (uintptr_t)counter};
            code = event_list_add(list, &event, why);
        }
        if (code == PAPI_OK)
            describe(list->event[i], counter);
    }
    return code;
}

/* A library may register events at any time: the component counts in any case. */
static void discover(struct pmu_table *pmus, struct component_state *state)
{
    (void)pmus;
    state->fast_read = true;
}

static int try_event(struct pmu_table *pmus, const struct event_encoding *event, int domain,
                     struct reason *why)
{
    (void)pmus, (void)domain;
    return check_there(counter_of(event->event), why);
}

static int check_options(const char *root, const struct group_options *options, struct reason *why)
{
    (void)root;
    if (options->target != 0 || options->whole_cpu)
        return reason_set(
            why, PAPI_ECMP,
            "software-defined events are numbers of this program's libraries: they are not those "
            "of a thread or a CPU");
    return PAPI_OK;
}

const struct component sde_component = {
    LISTING_MEMBERS("sde"),
    .description = "Software-defined events, which the program's libraries register with libsde",
    .list = list,
    .list_grows = true,
    .listed_by = "papi_native_avail --sde=LIBRARY",
    .granularity = PAPI_GRN_PROC,
    .discover = discover,
    .try_event = try_event,
    .check_options = check_options,
    .create = create,
    .overflows_on_demand = true,
};

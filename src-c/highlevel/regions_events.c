/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The events of regions: which are counted, in which event sets, and how they are read.
 *
 * The plan is made once, by trying: each event goes into the first set of its component that takes it, or a
 * new one. Components whose events need more than one set are multiplexed instead, if they can be. Then all
 * sets are started and read together, because sets that can be made one by one may still not fit on the
 * counters at the same time; events of a set that fails are left out, with the reason, and the others are
 * counted. A refusal for lack of memory or a descriptor says nothing about the event: the plan is made anew
 * at the next call then.
 *
 * Each thread makes its own sets by the plan. If one set has all events, without levels, a sample is a single
 * PAPI_read (direct); anything else reads set by set. If the program has shut the library down meanwhile, the
 * sets are started again; the counts go on from the last that are known, by offset, and regions that are open
 * are marked as unfinished.
 */
#include "api/client.h"
#include "base/array.h"
#include "base/likely.h"
#include "base/text_rows.h"
#include "highlevel/highlevel.h"
#include "highlevel/regions.h"

#include <stdlib.h>
#include <string.h>

/* The most counts of an event set. */
enum { MOST_COUNTS = 128 };

#define BLANKS " \t\n\v\f\r"

enum { NAME_SIZE = 24 };

/* Events that are counted if PAPI_EVENTS names none: those of the presets that this machine counts at once,
 * or otherwise what every kernel counts. */
TEXT_ROWS_BEGIN
static const char usual_presets[][NAME_SIZE] = {"PAPI_TOT_INS", "PAPI_TOT_CYC", "PAPI_FP_OPS", "PAPI_LD_INS",
                                                "PAPI_SR_INS",  "PAPI_BR_INS",  "PAPI_BR_MSP"};
static const char kernel_events[][NAME_SIZE] = {"perf::TASK-CLOCK", "perf::PAGE-FAULTS",
                                                "perf::CONTEXT-SWITCHES"};
TEXT_ROWS_END

/* ---- event sets */

static int create_set(const struct region_set *plan, int *es)
{
    *es = PAPI_NULL;
    int code = PAPI_create_eventset(es) ?: PAPI_assign_eventset_component(*es, plan->component);
    if (code == PAPI_OK && plan->multiplexed)
        code = PAPI_set_multiplex(*es);
    if (code != PAPI_OK)
        highlevel_drop(es);
    return code;
}

/* ---- the list of events */

enum modifier { AS_IT_IS, INSTANT, DELTA };

static struct region_event *new_event(struct regions *regions, const char *name, enum modifier modifier)
{
    char *copy = ARRAY_GROW(regions->event, regions->n_events) ? strdup(name) : NULL;
    if (copy == NULL)
        return NULL;
    struct region_event *event = &regions->event[regions->n_events++];
    *event = (struct region_event){
        .name = copy, .instant = modifier == INSTANT, .asked = modifier != AS_IT_IS, .set = -1};
    return event;
}

static void drop_last_event(struct regions *regions)
{
    struct region_event *event = &regions->event[--regions->n_events];
    free(event->name);
    free(event->component);
    free(event->unit);
    free(event->reason);
}

static void set_reason(struct regions *regions, struct region_event *event, const char *where, int code)
{
    char text[PAPI_HUGE_STR_LEN];
    if (event->reason != NULL)
        return;
    snprintf(text, sizeof text, "%s%s", where, PAPI_strerror(code));
    event->reason = strdup(text);
    event->code = code;
    regions_say(regions, "%s is not counted: %s", event->name, text);
}

const struct region_event *regions_event(const struct regions *regions, const char *name)
{
    for (int i = 0; i < regions->n_events; i++)
        if (strcmp(regions->event[i].name, name) == 0)
            return &regions->event[i];
    return NULL;
}

/* Takes "=instant" or "=delta" off. Names of events may have a = of their own. */
static enum modifier take_modifier(const struct regions *regions, char *name)
{
    char *equals = strrchr(name, '=');
    enum modifier modifier = equals == NULL                           ? AS_IT_IS
                             : strcasecmp(equals + 1, "instant") == 0 ? INSTANT
                             : strcasecmp(equals + 1, "delta") == 0   ? DELTA
                                                                      : AS_IT_IS;
    int event;
    if (equals == NULL || (modifier == AS_IT_IS && PAPI_event_name_to_code(name, &event) == PAPI_OK))
        return AS_IT_IS;
    *equals = '\0';
    if (modifier == AS_IT_IS && PAPI_event_name_to_code(name, &event) != PAPI_OK)
        *equals = '=';
    else if (modifier == AS_IT_IS)
        regions_say(regions, "PAPI_EVENTS: =%s is neither =delta nor =instant", equals + 1);
    return modifier;
}

static int add_event(struct regions *regions, const char *name, enum modifier modifier)
{
    return regions_event(regions, name) != NULL || new_event(regions, name, modifier) != NULL ? PAPI_OK
                                                                                              : PAPI_ENOMEM;
}

static int add_needed(void *context, const char *name)
{
    return add_event(context, name, AS_IT_IS);
}

/* Keeps a word of PAPI_EVENTS that is not an event in the list, with the reason. */
static int refuse(struct regions *regions, const char *name, const char *reason)
{
    struct region_event *event = new_event(regions, name, AS_IT_IS);
    if (event == NULL || (event->reason = strdup(reason)) == NULL)
        return PAPI_ENOMEM;
    regions_say(regions, "%s is not counted: %s", name, reason);
    return PAPI_OK;
}

/* Adds the events of the metrics that a word asks for ("@flops"). */
static int add_metrics(struct regions *regions, const char *word)
{
    static const char file[] = "PAPI_METRICS_FILE";
    struct reason why;
    const struct metrics *metrics = highlevel_metrics(&why);
    int first = regions->metrics.n, code = metrics == NULL ? why.code : PAPI_OK;
    if (code == PAPI_OK && metrics->fault.code != PAPI_OK && regions_event(regions, file) == NULL)
        code = refuse(regions, file, metrics->fault.text);
    code = code ?: metrics_pick(metrics, word + 1, &regions->metrics, &why);
    if (code == PAPI_EINVAL)
        return refuse(regions, word, why.text);
    for (int i = first; i < regions->metrics.n && code == PAPI_OK; i++)
        code = metrics_events(&regions->metrics.pick[i], add_needed, regions);
    return code;
}

/* Adds an event by its name, which has blanks around it and is cut. */
static int add_name(struct regions *regions, char *name)
{
    size_t length = strlen(name += strspn(name, BLANKS));
    while (length > 0 && strchr(BLANKS, name[length - 1]) != NULL)
        name[--length] = '\0';
    if (*name == '@')
        return add_metrics(regions, name);
    enum modifier modifier = take_modifier(regions, name);
    return *name == '\0' ? PAPI_OK : add_event(regions, name, modifier);
}

/* The commas of "cpu/event=0x3c,umask=0x0/" do not separate events. */
static size_t name_length(const char *list)
{
    bool inside = false;
    size_t n = 0;
    for (; list[n] != '\0' && (inside || list[n] != ','); n++)
        inside ^= list[n] == '/';
    return list[n] == '\0' && inside ? strcspn(list, ",") : n;
}

static int read_list(struct regions *regions, const char *list)
{
    int code = PAPI_OK;
    while (code == PAPI_OK && *list != '\0') {
        size_t n = name_length(list);
        char *name = strndup(list, n);
        code = name != NULL ? add_name(regions, name) : PAPI_ENOMEM;
        free(name);
        list += n + (list[n] == ',');
    }
    return code;
}

/* ---- the plan: which event sets, tried in the calling thread */

/* Destroys the sets of the trial, from one on. */
static void give_up(struct regions *regions)
{
    for (int i = 0; i < regions->n_sets; i++)
        highlevel_drop(&regions->set[i].es);
}

/* True if a set of its component takes the event; else *code is as of the last one that was tried. */
static bool fits(const struct regions *regions, struct region_event *event, int component, int *code)
{
    for (int i = 0; i < regions->n_sets; i++) {
        if (regions->set[i].component != component)
            continue;
        *code = PAPI_add_named_event(regions->set[i].es, event->name);
        if (*code != PAPI_OK)
            continue;
        event->set = i;
        return true;
    }
    return false;
}

static int add_set(struct regions *regions, struct region_event *event, int component, bool multiplexed)
{
    if (!ARRAY_GROW(regions->set, regions->n_sets))
        return PAPI_ENOMEM;
    struct region_set *next = &regions->set[regions->n_sets];
    *next = (struct region_set){component, multiplexed, PAPI_NULL};
    int code = create_set(next, &next->es) ?: PAPI_add_named_event(next->es, event->name);
    if (code == PAPI_OK)
        event->set = regions->n_sets++;
    else
        highlevel_drop(&next->es);
    return code;
}

static int place(struct regions *regions, struct region_event *event, int component, bool multiplexed)
{
    int code = PAPI_OK;
    if (fits(regions, event, component, &code))
        return PAPI_OK;
    /* Tries one more set, which helps where the others are full, or the first is missing. */
    if (code != PAPI_OK && code != PAPI_ECNFLCT && code != PAPI_ECOUNT)
        return code;
    return add_set(regions, event, component, multiplexed);
}

/* Describes an event, once it is known. The value of a level is read at the end of a region. */
static void describe(struct region_event *event, int number, const PAPI_component_info_t *component)
{
    PAPI_event_info_t info;
    event->component = strdup(component->name);
    event->granularity = component->default_granularity;
    if (PAPI_get_event_info(number, &info) != PAPI_OK)
        return;
    event->shared = info.location == PAPI_LOCATION_UNCORE;
    event->instant |= !event->asked && info.value_type == PAPI_VALUETYPE_ABSOLUTE;
    event->unit = info.units[0] != '\0' ? strdup(info.units) : NULL;
}

/* Refuses events whose values are real numbers: regions would make differences and sums of their bits, as of
 * whole numbers. */
static int check_whole(int code)
{
    static const char sentence[] = "its values are real numbers, and regions take whole ones";
    PAPI_event_info_t info;
    if (PAPI_get_event_info(code, &info) != PAPI_OK || info.data_type != PAPI_DATATYPE_FP64)
        return PAPI_OK;
    if (info.note[0] != '\0')
        return client_failed(PAPI_ENOSUPP, "%s; it is %s, which they take", sentence, info.note);
    return client_failed(PAPI_ENOSUPP, "%s; PAPI_read in the program gives them", sentence);
}

/* The component's index, with its name in the event; an error where nothing counts it. */
static int find_component(struct region_event *event)
{
    int number, code = PAPI_event_name_to_code(event->name, &number) ?: PAPI_query_event(number) ?: check_whole(number);
    if (code != PAPI_OK)
        return code;
    int component = PAPI_get_event_component(number);
    const PAPI_component_info_t *info = component >= 0 ? PAPI_get_component_info(component) : NULL;
    if (info != NULL && event->component == NULL)
        describe(event, number, info);
    return component;
}

/* Places events in planned sets: those of one component, or all (-1). */
static void place_events(struct regions *regions, int only, bool multiplexed)
{
    for (int i = 0; i < regions->n_events; i++) {
        struct region_event *event = &regions->event[i];
        int component = find_component(event), code = component;
        if (only >= 0 && component != only)
            continue;
        event->set = -1;
        if (component >= 0)
            code = place(regions, event, component, multiplexed);
        if (code < 0)
            set_reason(regions, event, "", code);
    }
}

static int sets_of(const struct regions *regions, int component)
{
    int found = 0;
    for (int i = 0; i < regions->n_sets; i++)
        found += regions->set[i].component == component;
    return found;
}

/* Events of one component that do not fit into one set take turns, where the library can do that. */
static void multiplex_what_does_not_fit(struct regions *regions)
{
    for (int component = 0; component < PAPI_num_components(); component++) {
        if (sets_of(regions, component) < 2)
            continue;
        for (int i = 0; i < regions->n_sets; i++)
            if (regions->set[i].component == component) {
                highlevel_drop(&regions->set[i].es);
                regions->set[i].component = -1;
            }
        place_events(regions, component, true);
    }
}

/* Leaves out the events of a set that failed with a code; PAPI_OK leaves all as it is. */
static void leave_out(struct regions *regions, int set, int code)
{
    for (int i = 0; i < regions->n_events && code != PAPI_OK; i++)
        if (regions->event[i].set == set) {
            set_reason(regions, &regions->event[i], "not together with the other events: ", code);
            regions->event[i].set = -1;
        }
}

/* Starts and reads all sets together: each of them could be made, but all may need more counters than there
 * are, which shows only when they run. */
static void try_together(struct regions *regions)
{
    long long value[MOST_COUNTS];
    for (int s = 0; s < regions->n_sets; s++)
        if (regions->set[s].es != PAPI_NULL)
            leave_out(regions, s, PAPI_start(regions->set[s].es));
    for (int s = 0; s < regions->n_sets; s++)
        if (regions->set[s].es != PAPI_NULL && !regions->set[s].multiplexed)
            leave_out(regions, s, PAPI_read(regions->set[s].es, value));
}

static void make_plan(struct regions *regions)
{
    place_events(regions, -1, regions->settings.multiplex);
    multiplex_what_does_not_fit(regions);
    try_together(regions);
    give_up(regions);
}

/* True for a lack of memory or descriptors, which passes and says nothing of the event. */
static bool passes(int code)
{
    return code == PAPI_ENOMEM || code == PAPI_ESYS;
}

/* Notes that an event lacks something now, which another call may have: then the plan is made anew. An event
 * that lacks it again is left out, and the others are counted. */
static int lacking(struct regions *regions, const char *name, int code, const char *reason)
{
    regions->lacked = true;
    return client_failed(code, "%s cannot be counted now: %s", name,
                         reason != NULL ? reason : "out of memory");
}

static int check_plan(struct regions *regions)
{
    for (int i = 0; i < regions->n_events && !regions->lacked; i++) {
        const struct region_event *event = &regions->event[i];
        if (passes(event->code))
            return lacking(regions, event->name, event->code, event->reason);
    }
    return PAPI_OK;
}

/* Into the list, if one set of each component takes it with those before it. Where that cannot be found out
 * even at the second try it stays in the list, and the plan says why it is not counted. */
static int try_usual(struct regions *regions, const char *name)
{
    struct region_event *event = new_event(regions, name, AS_IT_IS);
    if (event == NULL)
        return PAPI_ENOMEM;
    int sets = regions->n_sets, component = find_component(event);
    int code = component < 0 ? component : place(regions, event, component, false);
    if (code == PAPI_OK && (regions->n_sets == sets || sets_of(regions, component) == 1))
        return PAPI_OK;
    if (passes(code))
        return regions->lacked ? PAPI_OK : lacking(regions, name, code, PAPI_strerror(code));
    if (code == PAPI_OK)
        highlevel_drop(&regions->set[--regions->n_sets].es);
    drop_last_event(regions);
    return PAPI_OK;
}

/* Chooses those of the usual presets that can be counted at the same time. */
static int choose_usual(struct regions *regions, const char (*names)[NAME_SIZE], size_t n_names)
{
    int code = PAPI_OK;
    for (size_t i = 0; code == PAPI_OK && i < n_names; i++)
        code = try_usual(regions, names[i]);
    give_up(regions);
    regions->n_sets = 0;
    return code;
}

static bool counts_any(const struct regions *regions)
{
    for (int i = 0; i < regions->n_events; i++)
        if (regions->event[i].set >= 0)
            return true;
    return false;
}

#define LENGTH(array) (sizeof(array) / sizeof *(array))

static int choose_events(struct regions *regions)
{
    if (regions->settings.events != NULL)
        return read_list(regions, regions->settings.events);
    int code = choose_usual(regions, usual_presets, LENGTH(usual_presets));
    if (code == PAPI_OK && !counts_any(regions))
        code = choose_usual(regions, kernel_events, LENGTH(kernel_events));
    return code;
}

int regions_plan(struct regions *regions)
{
    if (regions->planned)
        return PAPI_OK;
    client_quiet_begin();
    int code = choose_events(regions);
    if (code == PAPI_OK) {
        make_plan(regions);
        code = check_plan(regions);
    }
    client_quiet_end(code);
    while (code != PAPI_OK && regions->n_events > 0)
        drop_last_event(regions);
    if (code != PAPI_OK) {
        metrics_picks_free(&regions->metrics);
        regions->n_sets = 0;
    }
    regions->planned = code == PAPI_OK;
    return code;
}

/* ---- the calling thread's event sets */

static void not_counted(struct region_thread *thread, int i, int code)
{
    struct regions *regions = thread->regions;
    thread->offset[VALUE_EVENTS + i] = NOT_COUNTED;
    regions_lock(regions);
    set_reason(regions, &regions->event[i], "not in all threads: ", code);
    regions_unlock(regions);
}

/* Drops a set that failed; its events are lost. */
static void lose_set(struct region_thread *thread, struct running_set *set, int code)
{
    for (int j = 0; j < set->n; j++)
        not_counted(thread, set->event[j], code);
    highlevel_drop(&set->es);
}

static void start_set(struct region_thread *thread, int s)
{
    const struct regions *regions = thread->regions;
    struct running_set *set = &thread->set[s];
    int code = create_set(&regions->set[s], &set->es);
    set->n = 0;
    set->begins = regions->set[s].multiplexed;
    for (int i = 0; i < regions->n_events; i++) {
        if (regions->event[i].set != s)
            continue;
        int added = code ?: PAPI_add_named_event(set->es, regions->event[i].name);
        if (added == PAPI_OK)
            set->event[set->n++] = i;
        else
            not_counted(thread, i, added);
    }
    code = code ?: set->n > 0 ? PAPI_start(set->es) : PAPI_EINVAL;
    if (code != PAPI_OK)
        lose_set(thread, set, code);
}

static int direct_set(const struct region_thread *thread)
{
    const struct regions *regions = thread->regions;
    bool direct =
        regions->n_sets == 1 && !regions->set[0].multiplexed && thread->set[0].n == regions->n_events;
    for (int i = 0; i < regions->n_events && direct; i++)
        direct = thread->offset[VALUE_EVENTS + i] == 0 && !regions->event[i].instant;
    return direct ? thread->set[0].es : PAPI_NULL;
}

void regions_start(struct region_thread *thread)
{
    const struct regions *regions = thread->regions;
    bool open = atomic_load(&thread->innermost) != NULL;
    for (int i = 0; i < regions->n_events; i++) {
        long long *offset = &thread->offset[VALUE_EVENTS + i];
        /* Events that open regions have lost stay lost. */
        if (regions->event[i].set < 0)
            *offset = NOT_COUNTED;
        else if (!open)
            *offset = 0;
    }
    client_quiet_begin(); /* what does not count is not an error of the region */
    for (int s = 0; s < regions->n_sets; s++)
        if (regions->set[s].component >= 0)
            start_set(thread, s);
    client_quiet_end(PAPI_OK);
    thread->direct = direct_set(thread);
    thread->started = true;
    regions_share_begin(thread);
}

void regions_stop(struct region_thread *thread)
{
    for (int s = 0; s < thread->regions->n_sets; s++)
        highlevel_drop(&thread->set[s].es);
    thread->direct = PAPI_NULL;
    thread->started = false;
}

const long long *regions_latest(const struct region_thread *thread)
{
    const struct region_frame *frame = atomic_load_explicit(&thread->innermost, memory_order_acquire);
    return frame != NULL && frame->begin[VALUE_NSEC] > thread->sample[VALUE_NSEC] ? frame->begin
                                                                                  : thread->sample;
}

/* PAPI_shutdown was called: the counters start again, and the counts continue from the last that are known.
 * What was counted since then is lost, so that the open regions are not complete. */
static __attribute__((cold)) int start_anew(struct region_thread *thread)
{
    const struct regions *regions = thread->regions;
    const long long *latest = regions_latest(thread);
    struct highlevel *hl;
    int code = highlevel_get(&hl);
    if (code != PAPI_OK)
        return code;
    for (int i = VALUE_EVENTS; i < regions_values(regions); i++)
        if (thread->offset[i] != NOT_COUNTED && latest[i] != NOT_COUNTED && !regions_instant(regions, i))
            thread->offset[i] = latest[i];
    for (struct region_frame *frame = atomic_load(&thread->innermost); frame != NULL; frame = frame->outer)
        atomic_store(&frame->entry->unfinished, 1);
    for (int s = 0; s < regions->n_sets; s++)
        thread->set[s].es = PAPI_NULL;
    regions_start(thread);
    return PAPI_OK;
}

/* Counters of the node that were not read for so long that they may have begun at 0 again unseen. */
static __attribute__((cold)) bool in_doubt(struct region_thread *thread, int s, int code)
{
    struct regions *regions = thread->regions;
    if (code != PAPI_ECLOST || !regions->event[thread->set[s].event[0]].shared)
        return false;
    regions_lock(regions);
    if (regions->doubt == NULL)
        regions->doubt = strdup(PAPI_strerror(code));
    regions_unlock(regions);
    return true;
}

/* A multiplexed set cannot be read before each of its events had its turn: that is not a failure. */
static __attribute__((noinline)) int read_multiplexed(struct running_set *set, long long *counts)
{
    int code = set->begins ? PAPI_OK : PAPI_read(set->es, counts);
    for (int j = 0; j < set->n && (set->begins || code == PAPI_ECNFLCT); j++)
        counts[j] = set->begins ? 0 : NOT_COUNTED;
    set->begins = false;
    return code == PAPI_ECNFLCT ? PAPI_OK : code;
}

static void store(const struct region_thread *thread, const struct running_set *set, const long long *counts,
                  long long *value)
{
    for (int j = 0; j < set->n; j++) {
        int i = VALUE_EVENTS + set->event[j];
        long long sum = counts[j] == NOT_COUNTED ? NOT_COUNTED : thread->offset[i] + counts[j];

        if (thread->offset[i] != NOT_COUNTED)
            __atomic_store_n(&value[i], sum, __ATOMIC_RELAXED);
    }
}

static int read_sets(struct region_thread *thread, long long *value)
{
    const struct regions *regions = thread->regions;
    long long counts[MOST_COUNTS];
    for (int s = 0; s < regions->n_sets; s++) {
        struct running_set *set = &thread->set[s];
        if (set->es == PAPI_NULL)
            continue;
        int code = regions->set[s].multiplexed ? read_multiplexed(set, counts) : PAPI_read(set->es, counts);
        if (unlikely(code == PAPI_ENOINIT || code == PAPI_ENOEVST))
            return code;
        if (unlikely(code != PAPI_OK) && !in_doubt(thread, s, code)) {
            lose_set(thread, set, code);
            thread->failed = code;
        } else {
            store(thread, set, counts, value);
        }
    }
    return PAPI_OK;
}

static inline void store_times(long long *value)
{
    long long cycles, nsec;
    client_times(&cycles, &nsec);
    __atomic_store_n(&value[VALUE_CYCLES], cycles, __ATOMIC_RELAXED);
    __atomic_store_n(&value[VALUE_NSEC], nsec, __ATOMIC_RELAXED);
}

/* Reads all sets where there is no single set to read, or reading it failed with code. */
static __attribute__((noinline)) void sample_sets(struct region_thread *thread, long long *value, int code)
{
    int n = regions_values(thread->regions);
    if (thread->direct != PAPI_NULL)
        in_doubt(thread, 0, code);
    thread->direct = PAPI_NULL;
    if (unlikely(read_sets(thread, value) != PAPI_OK)) {
        code = start_anew(thread);
        if (code == PAPI_OK)
            read_sets(thread, value);
        else
            thread->failed = code;
    }
    for (int i = VALUE_EVENTS; i < n; i++)
        if (thread->offset[i] == NOT_COUNTED)
            __atomic_store_n(&value[i], NOT_COUNTED, __ATOMIC_RELAXED);
}

void regions_sample(struct region_thread *thread, long long *value)
{
    int es = thread->direct, code = PAPI_ENOEVST;
    if (likely(es != PAPI_NULL))
        code = PAPI_read(es, &value[VALUE_EVENTS]);
    if (unlikely(code != PAPI_OK))
        sample_sets(thread, value, code);
    store_times(value);
}

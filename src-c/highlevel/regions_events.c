/* SPDX-License-Identifier: BSD-3-Clause */
#include "api/client.h"
#include "highlevel.h"
#include "regions.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* An event set holds no more. */
enum { MOST_COUNTS = 128 };

/* Counted where PAPI_EVENTS names none: those of the presets that this machine counts at once, or else
 * what every kernel counts. */
static const char *const usual_presets[] = {"PAPI_TOT_INS", "PAPI_TOT_CYC", "PAPI_FP_OPS", "PAPI_LD_INS",
                                            "PAPI_SR_INS",  "PAPI_BR_INS",  "PAPI_BR_MSP"};
static const char *const kernel_events[] = {"perf::TASK-CLOCK", "perf::PAGE-FAULTS",
                                            "perf::CONTEXT-SWITCHES"};

/* ---- event sets */

/* A set that was only tried does not run: an error of its stop would take the place of the one that counts.
 */
static void destroy_set(int *es)
{
    int state = 0;
    if (*es == PAPI_NULL)
        return;
    if (PAPI_state(*es, &state) == PAPI_OK && (state & PAPI_RUNNING) != 0)
        PAPI_stop(*es, NULL);
    PAPI_cleanup_eventset(*es);
    PAPI_destroy_eventset(es);
    *es = PAPI_NULL; /* one from before PAPI_shutdown, too */
}

static int create_set(const struct region_set *plan, int *es)
{
    int error = PAPI_create_eventset(es);
    if (error == PAPI_OK)
        error = PAPI_assign_eventset_component(*es, plan->component);
    if (error == PAPI_OK && plan->multiplexed)
        error = PAPI_set_multiplex(*es);
    if (error != PAPI_OK && *es != PAPI_NULL)
        PAPI_destroy_eventset(es);
    return error;
}

/* ---- the list of events */

enum modifier { AS_IT_IS, INSTANT, DELTA };

static struct region_event *new_event(struct regions *regions, const char *name, size_t length,
                                      enum modifier modifier)
{
    size_t size = (size_t)(regions->n_events + 1) * sizeof *regions->event;
    struct region_event *event = realloc(regions->event, size);
    char *copy = event != NULL ? strndup(name, length) : NULL;
    if (event != NULL)
        regions->event = event;
    if (copy == NULL)
        return NULL;
    event += regions->n_events++;
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

static bool listed(const struct regions *regions, const char *name, size_t length)
{
    for (int i = 0; i < regions->n_events; i++)
        if (strncmp(regions->event[i].name, name, length) == 0 && regions->event[i].name[length] == '\0')
            return true;
    return false;
}

static bool known(const char *name, size_t length)
{
    char *copy = strndup(name, length);
    int code, error = copy != NULL ? PAPI_event_name_to_code(copy, &code) : PAPI_ENOMEM;

    free(copy);
    return error == PAPI_OK;
}

static bool is_word(const char *text, size_t length, const char *word)
{
    return strlen(word) == length && strncasecmp(text, word, length) == 0;
}

/* Takes "=instant" or "=delta" off. Names of events may have a = of their own. */
static size_t take_modifier(struct regions *regions, const char *name, size_t length, enum modifier *modifier)
{
    const char *equals = memrchr(name, '=', length);
    size_t before = equals != NULL ? (size_t)(equals - name) : 0, n = length - before - 1;
    *modifier = AS_IT_IS;
    if (equals == NULL)
        return length;
    if (is_word(equals + 1, n, "instant"))
        *modifier = INSTANT;
    else if (is_word(equals + 1, n, "delta"))
        *modifier = DELTA;
    else if (known(name, length) || !known(name, before))
        return length;
    else
        regions_say(regions, "PAPI_EVENTS: %.*s is neither =delta nor =instant", (int)n + 1, equals);
    return before;
}

static int add_name(struct regions *regions, const char *name, size_t length)
{
    enum modifier modifier;
    for (; length > 0 && isspace((unsigned char)*name); name++)
        length--;
    while (length > 0 && isspace((unsigned char)name[length - 1]))
        length--;
    if (length == 0)
        return PAPI_OK;
    length = take_modifier(regions, name, length, &modifier);
    if (length == 0 || listed(regions, name, length))
        return PAPI_OK;
    return new_event(regions, name, length, modifier) != NULL ? PAPI_OK : PAPI_ENOMEM;
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
    int error = PAPI_OK;
    while (error == PAPI_OK && *list != '\0') {
        size_t n = name_length(list);

        error = add_name(regions, list, n);
        list += n + (list[n] == ',');
    }
    return error;
}

/* ---- the plan: which event sets, tried in the calling thread */

struct trial {
    struct region_set set;
    int es;
};

static void give_up(struct trial *trial, int n)
{
    for (int i = 0; i < n; i++)
        destroy_set(&trial[i].es);
}

/* Whether a set of its component takes the event. *error: as the last one that was tried. */
static bool fits(struct trial *trial, int n, int component, struct region_event *event, int *error)
{
    for (int i = 0; i < n; i++) {
        if (trial[i].set.component != component)
            continue;
        *error = PAPI_add_named_event(trial[i].es, event->name);
        if (*error == PAPI_OK)
            event->set = i;
        if (*error == PAPI_OK)
            return true;
    }
    return false;
}

static int place(struct trial *trial, int *n, struct region_event *event, int component, bool multiplexed)
{
    struct trial *next = &trial[*n];
    int error = PAPI_OK;
    if (fits(trial, *n, component, event, &error))
        return PAPI_OK;
    /* One more set helps where the others are full, or the first is missing. */
    if (error != PAPI_OK && error != PAPI_ECNFLCT && error != PAPI_ECOUNT)
        return error;
    *next = (struct trial){.set = {component, multiplexed}, .es = PAPI_NULL};
    error = create_set(&next->set, &next->es);
    if (error == PAPI_OK)
        error = PAPI_add_named_event(next->es, event->name);
    if (error != PAPI_OK) {
        destroy_set(&next->es);
        return error;
    }
    event->set = (*n)++;
    return PAPI_OK;
}

/* What the event is, once it is known: a level is read at the end of a region. */
static void describe(struct region_event *event, int code, const PAPI_component_info_t *component)
{
    PAPI_event_info_t info;
    event->component = strdup(component->name);
    event->granularity = component->default_granularity;
    if (PAPI_get_event_info(code, &info) != PAPI_OK)
        return;
    event->shared = info.location == PAPI_LOCATION_UNCORE;
    event->instant |= !event->asked && info.value_type == PAPI_VALUETYPE_ABSOLUTE;
    event->unit = info.units[0] != '\0' ? strdup(info.units) : NULL;
}

/* Its bits, of which regions would make differences and sums as of a whole number. */
static bool is_real(int code)
{
    PAPI_event_info_t info;
    return PAPI_get_event_info(code, &info) == PAPI_OK && info.data_type == PAPI_DATATYPE_FP64;
}

/* The component's index, with its name in the event; an error where nothing counts it. */
static int find_component(struct region_event *event)
{
    const PAPI_component_info_t *info;
    int code, component, error = PAPI_event_name_to_code(event->name, &code);

    if (error == PAPI_OK)
        error = PAPI_query_event(code);
    if (error != PAPI_OK)
        return error;
    if (is_real(code))
        return client_failed(PAPI_ENOSUPP, "its values are real numbers, and regions take whole ones; "
                                           "PAPI_read in the program gives them");
    component = PAPI_get_event_component(code);
    info = component >= 0 ? PAPI_get_component_info(component) : NULL;
    if (info != NULL && event->component == NULL)
        describe(event, code, info);
    return component;
}

static void place_events(struct regions *regions, struct trial *trial, int *n, int only, bool multiplexed)
{
    for (int i = 0; i < regions->n_events; i++) {
        struct region_event *event = &regions->event[i];
        int component = find_component(event), error = component;

        if (only >= 0 && component != only)
            continue;
        event->set = -1;
        if (component >= 0)
            error = place(trial, n, event, component, multiplexed);
        if (error < 0)
            set_reason(regions, event, "", error);
    }
}

static int sets_of(const struct trial *trial, int n, int component)
{
    int found = 0;
    for (int i = 0; i < n; i++)
        found += trial[i].es != PAPI_NULL && trial[i].set.component == component;
    return found;
}

/* Events of one component that do not fit into one set take turns, where the library can do that. */
static void multiplex_what_does_not_fit(struct regions *regions, struct trial *trial, int *n)
{
    for (int component = 0; component < PAPI_num_components(); component++) {
        if (sets_of(trial, *n, component) < 2)
            continue;
        for (int i = 0; i < *n; i++)
            if (trial[i].set.component == component) {
                destroy_set(&trial[i].es);
                trial[i].set.component = -1;
            }
        place_events(regions, trial, n, component, true);
    }
}

/* Sets that each could be made may be too much together; that shows when they run. */
static void try_together(struct regions *regions, struct trial *trial, int n)
{
    long long value[MOST_COUNTS];
    int error[MOST_COUNTS] = {0};
    for (int s = 0; s < n && s < MOST_COUNTS; s++)
        if (trial[s].es != PAPI_NULL)
            error[s] = PAPI_start(trial[s].es);
    for (int s = 0; s < n && s < MOST_COUNTS; s++) {
        if (trial[s].es != PAPI_NULL && error[s] == PAPI_OK && !trial[s].set.multiplexed)
            error[s] = PAPI_read(trial[s].es, value);
        for (int i = 0; i < regions->n_events && error[s] != PAPI_OK; i++)
            if (regions->event[i].set == s) {
                set_reason(regions, &regions->event[i], "not together with the other events: ", error[s]);
                regions->event[i].set = -1;
            }
    }
}

static int make_plan(struct regions *regions)
{
    /* Each event may need a set, twice: with and without multiplexing. */
    struct trial *trial = calloc((size_t)(2 * regions->n_events + 1), sizeof *trial);
    int n = 0;

    if (trial == NULL)
        return PAPI_ENOMEM;
    regions->set = calloc((size_t)(2 * regions->n_events + 1), sizeof *regions->set);
    if (regions->set != NULL) {
        place_events(regions, trial, &n, -1, regions->settings.multiplex);
        multiplex_what_does_not_fit(regions, trial, &n);
        try_together(regions, trial, n);
        for (int i = 0; i < n; i++)
            regions->set[i] = trial[i].set;
        regions->n_sets = n;
    }
    give_up(trial, n);
    free(trial);
    return regions->set != NULL ? PAPI_OK : PAPI_ENOMEM;
}

/* Memory or a descriptor, which says nothing of the event. */
static bool passes(int code)
{
    return code == PAPI_ENOMEM || code == PAPI_ESYS;
}

/* What an event lacks once, another call may have: then the plan is made anew. What is lacking again stays,
 * and its event is left out: the others are counted. */
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
static int try_usual(struct regions *regions, struct trial *trial, int *n, const char *name)
{
    struct region_event *event = new_event(regions, name, strlen(name), AS_IT_IS);
    int component = event != NULL ? find_component(event) : PAPI_ENOMEM, sets = *n;
    int error = component < 0 ? component : place(trial, n, event, component, false);
    if (event == NULL)
        return PAPI_ENOMEM;
    if (error == PAPI_OK && (*n == sets || sets_of(trial, *n, component) == 1))
        return PAPI_OK;
    if (passes(error))
        return regions->lacked ? PAPI_OK : lacking(regions, name, error, PAPI_strerror(error));
    if (error == PAPI_OK)
        destroy_set(&trial[--*n].es);
    drop_last_event(regions);
    return PAPI_OK;
}

/* Of the usual presets those that are counted at once. */
static int choose_usual(struct regions *regions, const char *const *names, size_t n_names)
{
    struct trial *trial = calloc(n_names + 1, sizeof *trial);
    int n = 0, error = trial != NULL ? PAPI_OK : PAPI_ENOMEM;
    for (size_t i = 0; error == PAPI_OK && i < n_names; i++)
        error = try_usual(regions, trial, &n, names[i]);
    if (trial != NULL)
        give_up(trial, n);
    free(trial);
    return error;
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
    int error;
    if (regions->settings.events != NULL)
        return read_list(regions, regions->settings.events);
    error = choose_usual(regions, usual_presets, LENGTH(usual_presets));
    if (error == PAPI_OK && !counts_any(regions))
        error = choose_usual(regions, kernel_events, LENGTH(kernel_events));
    return error;
}

int regions_plan(struct regions *regions)
{
    int error;
    if (regions->planned)
        return PAPI_OK;
    client_quiet_begin();
    error = choose_events(regions);
    if (error == PAPI_OK)
        error = make_plan(regions);
    if (error == PAPI_OK)
        error = check_plan(regions);
    client_quiet_end(error);
    while (error != PAPI_OK && regions->n_events > 0)
        drop_last_event(regions);
    if (error != PAPI_OK) {
        free(regions->set);
        regions->set = NULL;
        regions->n_sets = 0;
    }
    regions->planned = error == PAPI_OK;
    return error;
}

/* ---- the calling thread's event sets */

static void not_counted(struct region_thread *thread, int i, int code)
{
    struct regions *regions = thread->regions;
    int state;
    thread->offset[VALUE_EVENTS + i] = NOT_COUNTED;
    regions_lock(regions, &state);
    set_reason(regions, &regions->event[i], "not in all threads: ", code);
    regions_unlock(regions, state);
}

static void start_set(struct region_thread *thread, int s)
{
    const struct regions *regions = thread->regions;
    struct running_set *set = &thread->set[s];
    int error = create_set(&regions->set[s], &set->es), failed;
    set->n = 0;
    if (set->event == NULL)
        set->event = calloc((size_t)regions->n_events, sizeof *set->event);
    if (set->event == NULL)
        error = PAPI_ENOMEM;
    for (int i = 0; i < regions->n_events; i++) {
        if (regions->event[i].set != s)
            continue;
        failed = error != PAPI_OK ? error : PAPI_add_named_event(set->es, regions->event[i].name);
        if (failed == PAPI_OK)
            set->event[set->n++] = i;
        else
            not_counted(thread, i, failed);
    }
    if (error == PAPI_OK)
        error = set->n > 0 ? PAPI_start(set->es) : PAPI_EINVAL;
    set->begins = regions->set[s].multiplexed;
    for (int j = 0; j < set->n && error != PAPI_OK; j++)
        not_counted(thread, set->event[j], error);
    if (error != PAPI_OK)
        destroy_set(&set->es);
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
    bool open = atomic_load(&thread->innermost) != NULL, empty;
    for (int i = 0; i < regions->n_events; i++) {
        long long *offset = &thread->offset[VALUE_EVENTS + i];

        /* What open regions have lost stays lost. */
        if (regions->event[i].set < 0)
            *offset = NOT_COUNTED;
        else if (!open)
            *offset = 0;
    }
    client_quiet_begin(); /* what does not count is not an error of the region */
    for (int s = 0; s < regions->n_sets; s++) {
        empty = true;
        for (int i = 0; i < regions->n_events; i++)
            empty &= regions->event[i].set != s;
        if (!empty)
            start_set(thread, s);
    }
    client_quiet_end(PAPI_OK);
    thread->direct = direct_set(thread);
    thread->started = true;
}

void regions_stop(struct region_thread *thread)
{
    for (int s = 0; s < thread->regions->n_sets; s++)
        destroy_set(&thread->set[s].es);
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
    int error = highlevel_get(&hl);
    if (error != PAPI_OK)
        return error;
    for (int i = VALUE_EVENTS; i < regions_values(regions); i++)
        if (thread->offset[i] != NOT_COUNTED && latest[i] != NOT_COUNTED &&
            !regions->event[i - VALUE_EVENTS].instant)
            thread->offset[i] = latest[i];
    for (struct region_frame *frame = atomic_load(&thread->innermost); frame != NULL; frame = frame->outer)
        atomic_store(&frame->entry->unfinished, 1);
    for (int s = 0; s < regions->n_sets; s++)
        thread->set[s].es = PAPI_NULL;
    regions_start(thread);
    return PAPI_OK;
}

static __attribute__((cold)) int lose_set(struct region_thread *thread, int s, int code)
{
    struct running_set *set = &thread->set[s];
    for (int j = 0; j < set->n; j++)
        not_counted(thread, set->event[j], code);
    destroy_set(&set->es);
    thread->failed = code;
    return code;
}

/* Counters of the node that were not read for so long that they may have begun at 0 again unseen. */
static __attribute__((cold)) bool in_doubt(struct region_thread *thread, int s, int code)
{
    struct regions *regions = thread->regions;
    int state;
    if (code != PAPI_ECLOST || !regions->event[thread->set[s].event[0]].shared)
        return false;
    regions_lock(regions, &state);
    if (regions->doubt == NULL)
        regions->doubt = strdup(PAPI_strerror(code));
    regions_unlock(regions, state);
    return true;
}

/* A multiplexed set cannot be read before each of its events had its turn: that is not a failure. */
static __attribute__((noinline)) int read_multiplexed(struct running_set *set, long long *counts)
{
    int error = set->begins ? PAPI_OK : PAPI_read(set->es, counts);
    if (set->begins)
        memset(counts, 0, (size_t)set->n * sizeof *counts);
    set->begins = false;
    for (int j = 0; j < set->n && error == PAPI_ECNFLCT; j++)
        counts[j] = NOT_COUNTED;
    return error == PAPI_ECNFLCT ? PAPI_OK : error;
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
        int error;

        if (set->es == PAPI_NULL)
            continue;
        error = regions->set[s].multiplexed ? read_multiplexed(set, counts) : PAPI_read(set->es, counts);
        if (__builtin_expect(error == PAPI_ENOINIT || error == PAPI_ENOEVST, 0))
            return error;
        if (__builtin_expect(error != PAPI_OK, 0) && !in_doubt(thread, s, error))
            lose_set(thread, s, error);
        else
            store(thread, set, counts, value);
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

/* Where there is no such set any more, or it fails, all are looked at.
 *   code  of that set's read */
static __attribute__((noinline)) void sample_sets(struct region_thread *thread, long long *value, int code)
{
    int n = regions_values(thread->regions), error;
    if (thread->direct != PAPI_NULL)
        in_doubt(thread, 0, code);
    thread->direct = PAPI_NULL;
    error = read_sets(thread, value);
    if (__builtin_expect(error != PAPI_OK, 0)) {
        error = start_anew(thread);
        if (error == PAPI_OK)
            read_sets(thread, value);
        else
            thread->failed = error;
    }
    for (int i = VALUE_EVENTS; i < n; i++)
        if (thread->offset[i] == NOT_COUNTED)
            __atomic_store_n(&value[i], NOT_COUNTED, __ATOMIC_RELAXED);
}

void regions_sample(struct region_thread *thread, long long *value)
{
    int es = thread->direct, code = PAPI_ENOEVST;
    if (__builtin_expect(es != PAPI_NULL, 1))
        code = PAPI_read(es, &value[VALUE_EVENTS]);
    if (__builtin_expect(code != PAPI_OK, 0))
        sample_sets(thread, value, code);
    store_times(value);
}

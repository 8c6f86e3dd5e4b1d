/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Native events by name and by code. Events come from four sources (events of components that stand for the
 * processor, those of libpfm4, those that the kernel lists, and other components' own), which number their
 * events by place; the spelling of a name says which source it is of. The table has those that were named or
 * listed so far. An event's code is its index, which never changes: programs keep codes.
 * Enumeration goes through the sources one after the other. An event that is listed is entered without being
 * encoded, since whoever lists thousands of events adds few; it is encoded when somebody wants to count it,
 * and the answer, good or bad, is kept, except for an error that may pass. As programs begin to enumerate at
 * PAPI_NATIVE_MASK, the first event of the list must have the first code: the table begins with it, whatever
 * is named first. Where that is an event that is
 * encoded without libpfm4, the first code is kept free, and what it stands for
 * is looked for when anybody needs it.
 */
#include "events/natives.h"
#include "base/array.h"
#include "papi.h"

#include <limits.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct event_source *const sources[] = {&own_processor_source, &pfm_source, &sysfs_source,
                                                     &own_source};

enum { N_SOURCES = sizeof sources / sizeof sources[0], NAME_SIZE = PAPI_2MAX_STR_LEN };

static int source_index(const struct event_source *source)
{
    int i = 0;
    while (i < N_SOURCES - 1 && sources[i] != source)
        i++;
    return i;
}

/* ---- names */

static struct native_event *known(const struct native_table *table, const char *name)
{
    uint64_t hash = hash_text(name);
    uintptr_t number;
    for (size_t at = 0; (number = hash_next(&table->by_name, hash, &at)) != 0;)
        if (strcmp(table->event[number - 1]->name, name) == 0)
            return table->event[number - 1];
    return NULL;
}

/* True while the first code is kept free. */
static bool lacks_first(const struct native_table *table)
{
    return table->n > 0 && table->event[0] == NULL;
}

/* Keeps the first code free. */
static int keep_first(struct native_table *table, struct reason *why)
{
    if (!ARRAY_GROW(table->event, table->n))
        return reason_set(why, PAPI_ENOMEM, "out of memory");
    table->event[table->n++] = NULL;
    return PAPI_OK;
}

/*   index  table->n, or the first where that is free */
static int enter(struct native_table *table, int index, const struct native_event *event,
                 struct native_event **out, struct reason *why)
{
    bool room = ARRAY_GROW(table->event, table->n) && hash_grow(&table->by_name);
    char *name = room ? strdup(event->name) : NULL;
    struct native_event *copy = name != NULL ? malloc(sizeof *copy) : NULL;
    if (copy == NULL) {
        free(name);
        return reason_set(why, PAPI_ENOMEM, "out of memory");
    }
    *copy = *event;
    copy->name = name;
    copy->code = PAPI_NATIVE_MASK | index;
    *out = table->event[index] = copy;
    table->n += index == table->n;
    hash_put(&table->by_name, hash_text(name), (uintptr_t)index + 1);
    return PAPI_OK;
}

/* ---- events */

static int cannot_list(struct reason *why)
{
    return reason_unreadable("the list of native events", why);
}

/* Takes a modifier with a number, such as ":cpu=2", out of a name, at its end or before other modifiers.
 * *number stays where there is none. */
static int take_number(char *name, const char *modifier, const char *of_what, int *number, struct reason *why)
{
    char *found = strstr(name, modifier), *end;
    if (found == NULL)
        return PAPI_OK;
    const char *text = found + strlen(modifier);
    long long value = strtoll(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || (*end != '\0' && *end != ':') || value > INT_MAX)
        return reason_set(why, PAPI_ENOEVNT, "\"%.100s\": the number of %s belongs behind \"%s\"", name,
                          of_what, modifier + 1);
    memmove(found, end, strlen(end) + 1);
    *number = (int)value;
    return PAPI_OK;
}

/* Takes out of a name where an event of perf_event_uncore is counted. */
static int take_choice(char *name, struct pmu_choice *choice, struct reason *why)
{
    return take_number(name, ":cpu=", "a CPU", &choice->cpu, why)
               ?: take_number(name, ":package=", "a package", &choice->package, why)
                      ?: take_number(name, ":instance=", "an instance", &choice->instance, why);
}

static bool chooses(const struct pmu_choice *choice)
{
    return choice->cpu >= 0 || choice->package >= 0 || choice->instance >= 0;
}

/* Explains that there is no box of the choice: names the numbers that there are. */
static int no_such_box(const char *name, const struct pmu_boxes *all, struct reason *why)
{
    char packages[96] = "", instances[192] = "";
    size_t p = 0, n = 0;
    for (int i = 0; i < all->n; i++) {
        bool package = true, instance = true;
        for (int j = 0; j < i; j++) {
            package &= all->box[j].package != all->box[i].package;
            instance &= all->box[j].instance != all->box[i].instance;
        }
        if (package && p < sizeof packages)
            p += (size_t)snprintf(packages + p, sizeof packages - p, " %d", all->box[i].package);
        if (instance && n < sizeof instances)
            n += (size_t)snprintf(instances + n, sizeof instances - n, " %d", all->box[i].instance);
    }
    return reason_set(why, PAPI_ENOEVNT,
                      "\"%.100s\" is counted nowhere: there are the packages%s, and the "
                      "instances%s",
                      name, packages, instances);
}

static int choose_boxes(const char *name, struct event_tables *tables, const struct pmu_choice *choice,
                        struct event_encoding *encoding, struct reason *why)
{
    const struct pmu_boxes *all = encoding->boxes;
    if (!chooses(choice))
        return PAPI_OK;
    if (encoding->component != COMPONENT_UNCORE)
        return no_modifier_here(name, why);
    if (all == NULL && (choice->package >= 0 || choice->instance >= 0))
        return reason_set(
            why, PAPI_ENOEVNT,
            "\"%.100s\": the kernel has no PMU of the event of which packages and instances are "
            "known",
            name);
    if (all == NULL) {
        encoding->cpu = choice->cpu;
        return PAPI_OK;
    }
    int found = pmu_boxes_choose(&tables->pmus, all, choice, &encoding->boxes);
    if (found <= 0)
        return found < 0 ? reason_unreadable("the kernel's list of PMUs", why) : no_such_box(name, all, why);
    encoding->type = encoding->boxes->box[0].type;
    encoding->cpu = encoding->boxes->box[0].cpu;
    return PAPI_OK;
}

/* Takes ":precise=2" out of a name. */
static int take_precise_number(char *name, int *precise, struct reason *why)
{
    static const char modifier[] = ":precise=";
    char *found = strstr(name, modifier);
    if (found == NULL)
        return PAPI_OK;
    const char *number = found + sizeof modifier - 1;
    if (number[0] < '0' || number[0] > '3' || (number[1] != '\0' && number[1] != ':'))
        return reason_set(why, PAPI_ENOEVNT, "\"%.100s\": a number of 0 to 3 belongs behind \"precise=\"",
                          name);
    *precise = PRECISE_EXACTLY + number[0] - '0';
    memmove(found, number + 1, strlen(number + 1) + 1);
    return PAPI_OK;
}

/* Takes perf's letters out of a name, "pp", behind its last colon or slash among letters of modes. */
static void take_precise_letters(char *name, int *precise)
{
    char *last = strrchr(name, ':'), *slash = strrchr(name, '/');
    last = slash != NULL && (last == NULL || slash > last) ? slash : last;
    size_t length = last != NULL ? strlen(last + 1) : 0, others = 0;
    if (length == 0 || strspn(last + 1, "ukhp") != length)
        return;
    for (size_t i = 1; i <= length; i++)
        if (last[i] != 'p')
            others++;
    if (others == length || length - others > 3)
        return;
    *precise = PRECISE_EXACTLY + (int)(length - others);
    char *to = last + 1;
    for (const char *from = to; *from != '\0'; from++)
        if (*from != 'p')
            *to++ = *from;
    if (to == last + 1 && *last == ':')
        to--;
    *to = '\0';
}

/* Takes the qualifiers of perf_event's events out of a name. */
static int take_qualifiers(char *name, struct pmu_choice *choice, int *precise, struct reason *why)
{
    int code = take_choice(name, choice, why) ?: take_precise_number(name, precise, why);
    if (code == PAPI_OK && *precise == 0)
        take_precise_letters(name, precise);
    return code;
}

/* True if samples of the event can be precise: it is the processor's, and overflows. */
static bool may_be_precise(const struct event_encoding *encoding)
{
    return encoding->component == COMPONENT_PERF_EVENT && encoding->type != PERF_TYPE_SOFTWARE &&
           encoding->type != PERF_TYPE_TRACEPOINT && encoding->type != PERF_TYPE_BREAKPOINT;
}

static int encode(struct native_event *event, struct event_tables *tables, struct reason *why)
{
    char name[NAME_SIZE];
    int precise = 0;
    struct pmu_choice choice = {-1, -1, -1};
    struct event_encoding *encoding = &event->encoding;
    strcpy(name, event->name);
    int code = (event->source->of_perf ? take_qualifiers(name, &choice, &precise, why) : PAPI_OK)
                   ?: event->source->find(tables, name, encoding, why);
    code = code ?: choose_boxes(event->name, tables, &choice, encoding, why);
    if (code != PAPI_OK)
        return code;
    if (precise != 0 && !may_be_precise(encoding))
        return no_modifier_here(event->name, why);
    encoding->precise = precise;
    /* Asked of the PMUs, since libpfm4 does not say it. */
    int some = event->source == &pfm_source ? pmus_one_core_type(&tables->pmus, encoding->type) : 0;
    encoding->some_cores |= some > 0;
    return some >= 0 ? PAPI_OK : reason_unreadable("the kernel's list of PMUs", why);
}

int native_encode(struct native_event *event, struct event_tables *tables, struct reason *why)
{
    struct reason found;
    if (event->state == ENCODED)
        return PAPI_OK;
    if (event->state == NO_ENCODING)
        return reason_pass_kept(event->answer, why);
    reason_begin(&found);
    found.code = encode(event, tables, &found);
    if (found.code == PAPI_OK)
        event->state = ENCODED;
    else if (!code_passes(found.code) && reason_keep(&event->answer, &found) == PAPI_OK)
        event->state = NO_ENCODING; /* otherwise, another time there may be a descriptor */
    return reason_pass(&found, why);
}

int native_settle(struct native_event *event, struct event_tables *tables, struct reason *why)
{
    int place = event->place == PLACE_LATER ? pfm_place(tables, event->name, why) : event->place;
    if (place == CANNOT_LOOK)
        return why != NULL ? why->code : PAPI_ENOMEM;
    event->place = place;
    return PAPI_OK;
}

/* The source of a name by its spelling: the kernel's has slashes, libpfm4's has none. */
static const struct event_source *source_of(const char *name)
{
    int component = own_component(name);
    if (component >= 0)
        return components[component]->processor != NULL ? &own_processor_source : &own_source;
    return strchr(name, '/') != NULL ? &sysfs_source : &pfm_source;
}

static bool known_by_program(const struct native_table *table, const char *name, struct native_event **out)
{
    *out = known(table, name);
    if (*out != NULL)
        (*out)->named = true;
    return *out != NULL;
}

int native_by_name(struct native_table *table, struct event_tables *tables, const char *name,
                   struct native_event **out, struct reason *why)
{
    if (known_by_program(table, name, out))
        return PAPI_OK;
    /* Programs begin to enumerate at PAPI_NATIVE_MASK: the first event listed must have the first code. */
    bool first = table->n == 0 || lacks_first(table);
    bool later = first && (kernel_event(name, NULL) || core_event(tables, name, NULL));
    int code = later ? PAPI_OK : native_first(table, tables, why);
    if (later && table->n == 0)
        code = keep_first(table, why);
    if (code_passes(code))
        return code;
    if (known_by_program(table, name, out))
        return PAPI_OK;
    if (name[0] == '\0' || strlen(name) >= NAME_SIZE)
        return reason_set(why, PAPI_ENOEVNT, "no event has a name of %zu characters", strlen(name));
    struct native_event event = {.name = (char *)name, .source = source_of(name), .mask = -1, .named = true};
    code = encode(&event, tables, why);
    event.state = ENCODED;
    event.place = event.encoding.place;
    return code ?: enter(table, table->n, &event, out, why);
}

struct native_event *native_by_code(const struct native_table *table, int code)
{
    int index = code & PAPI_NATIVE_AND_MASK;
    if ((code & PAPI_PRESET_MASK) != 0 || (code & PAPI_NATIVE_MASK) == 0 || index >= table->n)
        return NULL;
    return table->event[index];
}

/* Puts a listed event into the table. It is not encoded yet: whoever lists thousands of events adds few. */
static int listed(struct native_table *table, struct event_tables *tables, const struct event_source *source,
                  const char *name, int place, int mask, struct native_event **out, struct reason *why)
{
    *out = known(table, name);
    if (*out != NULL) {
        /* libpfm4 finds an alias at the place of its original: enumeration would run in a circle. */
        (*out)->place = place;
        (*out)->mask = mask;
        return PAPI_OK;
    }
    struct native_event event = {.name = (char *)name, .source = source, .place = place, .mask = mask};
    event.encoding.component = source->component(tables, place);
    if (event.encoding.component < 0)
        return cannot_list(why);
    return enter(table, lacks_first(table) ? 0 : table->n, &event, out, why);
}

static bool has_events_of(const struct event_source *source, int component)
{
    bool perf = component == COMPONENT_PERF_EVENT || component == COMPONENT_UNCORE;
    return component == ALL_COMPONENTS || source->of_perf == perf;
}

/* The next place, as by a source's next, among the events of a component. */
static int next_place(const struct event_source *source, struct event_tables *tables, int component,
                      int place, char *name, size_t size)
{
    if (!has_events_of(source, component))
        return -1;
    while ((place = source->next(tables, place, name, size)) >= 0 && component != ALL_COMPONENTS) {
        int found = source->component(tables, place);
        if (found == component)
            break;
        if (found < 0)
            return CANNOT_LOOK;
    }
    return place;
}

static int find_next(struct native_table *table, struct event_tables *tables,
                     const struct native_event *event, int component, struct native_event **out,
                     struct reason *why)
{
    char name[NAME_SIZE];
    int place = event ? event->place : -1;
    for (int i = event ? source_index(event->source) : 0; i < N_SOURCES; i++, place = -1) {
        place = next_place(sources[i], tables, component, place, name, sizeof name);
        if (place == CANNOT_LOOK)
            return cannot_list(why);
        if (place >= 0)
            return listed(table, tables, sources[i], name, place, -1, out, why);
    }
    return reason_set(why, PAPI_ENOEVNT, "that was the last native event");
}

int native_first(struct native_table *table, struct event_tables *tables, struct reason *why)
{
    struct native_event *first;
    return table->n > 0 && !lacks_first(table) ? PAPI_OK
                                               : find_next(table, tables, NULL, ALL_COMPONENTS, &first, why);
}

int native_next(struct native_table *table, struct event_tables *tables, struct native_event *event,
                int component, struct native_event **out, struct reason *why)
{
    int code = lacks_first(table) ? native_first(table, tables, why) : PAPI_OK;
    if (code == PAPI_OK && event != NULL)
        code = native_settle(event, tables, why);
    return code ?: find_next(table, tables, event, component, out, why);
}

int native_next_mask(struct native_table *table, struct event_tables *tables, struct native_event *event,
                     struct native_event **out, struct reason *why)
{
    char name[NAME_SIZE];
    int code = native_settle(event, tables, why);
    if (code != PAPI_OK)
        return code;
    int mask = event->source->next_mask == NULL
                   ? -1
                   : event->source->next_mask(tables, event->place, event->mask, name, sizeof name);
    if (mask == CANNOT_LOOK)
        return cannot_list(why);
    if (mask < 0)
        return reason_set(why, PAPI_ENOEVNT, "%.100s has no further mask", event->name);
    return listed(table, tables, event->source, name, event->place, mask, out, why);
}

int native_count(struct event_tables *tables, int component, struct reason *why)
{
    char name[NAME_SIZE];
    int n = 0, place = -1;
    for (int i = 0; i < N_SOURCES && place != CANNOT_LOOK; i++) {
        place = -1;
        while ((place = next_place(sources[i], tables, component, place, name, sizeof name)) >= 0)
            n++;
    }
    return place == CANNOT_LOOK ? cannot_list(why) : n;
}

/* ---- the nearest name */

/* The length of a name without masks, modifiers and qualifiers: "perf::CYCLES" of "perf::CYCLES:u". */
static size_t bare_length(const char *name)
{
    int own = own_component(name);
    if (own >= 0 && components[own]->variants == NULL)
        return strlen(name);
    const char *pmu = strstr(name, "::"), *event = pmu != NULL ? pmu + 2 : name;
    event += own >= 0 ? strspn(event, ":") : 0;
    return (size_t)(event - name) + strcspn(event, ":");
}

static void try_name(struct nearest *nearest, struct nearest *bare, const char *name)
{
    const char *pmu = strstr(name, "::");
    int before = bare->distance;
    nearest_try(nearest, name);
    if (pmu == NULL || strstr(bare->wanted, "::") != NULL)
        return;
    nearest_try(bare, pmu + 2);
    if (bare->distance < before && bare->distance < nearest->distance) {
        nearest->distance = bare->distance;
        snprintf(nearest->name, sizeof nearest->name, "%s", name);
    }
}

void native_nearest(struct event_tables *tables, struct nearest *nearest)
{
    char name[NAME_SIZE], wanted[NEAREST_SIZE];
    const char *whole = nearest->wanted;
    struct nearest bare;
    size_t length = bare_length(whole);
    if (length >= sizeof wanted)
        return;
    memcpy(wanted, whole, length);
    wanted[length] = '\0';
    nearest->wanted = wanted;
    nearest_begin(&bare, wanted);
    for (int i = 0, place = -1; i < N_SOURCES && place != CANNOT_LOOK; i++) {
        place = -1;
        while ((place = next_place(sources[i], tables, ALL_COMPONENTS, place, name, sizeof name)) >= 0)
            try_name(nearest, &bare, name);
    }
    nearest->wanted = whole;
}

void natives_free(struct native_table *table)
{
    for (int i = 0; i < table->n; i++) {
        if (table->event[i] != NULL) {
            free(table->event[i]->name);
            free(table->event[i]->answer);
        }
        free(table->event[i]);
    }
    free(table->event);
    free(table->by_name.slot);
    *table = (struct native_table){0};
}

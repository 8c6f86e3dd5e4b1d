/* SPDX-License-Identifier: BSD-3-Clause */
#include "events/natives.h"
#include "papi.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

/* The events that components name themselves: "emu::INSTRUCTIONS". An event's place is its component's number
 * and its index there. */

enum { MOST_OF_A_COMPONENT = 1 << 18 };

static int component_of(int place)
{
    return place / MOST_OF_A_COMPONENT;
}

static const struct component_event *event_at(struct event_tables *tables, int place)
{
    const struct event_list *list = &tables->own[component_of(place)];
    int index = place % MOST_OF_A_COMPONENT;
    return index < list->n ? list->event[index] : NULL;
}

int own_component(const char *name)
{
    for (int i = 0; i < component_count(); i++) {
        const char *prefix = components[i]->prefix;
        if (prefix != NULL && strncasecmp(name, prefix, strlen(prefix)) == 0)
            return i;
    }
    return -1;
}

static int read_list(struct event_tables *tables, int component, struct reason *why)
{
    struct event_list *list = &tables->own[component];
    bool grows = components[component]->list_grows;
    if (list->read && !grows)
        return PAPI_OK;
    int code = components[component]->list(tables->pmus.root, list, why);
    list->read = code == PAPI_OK && list->n < MOST_OF_A_COMPONENT;
    if (!list->read && !grows)
        event_list_free(list);
    return code;
}

static int find_place(struct event_tables *tables, const char *name)
{
    int component = own_component(name);
    int index = event_list_find(&tables->own[component], name + strlen(components[component]->prefix));
    return index < 0 ? -1 : component * MOST_OF_A_COMPONENT + index;
}

/* The reason that a component has no such event. Where it has no events at all, its own reason says more. */
static int no_event(struct event_tables *tables, int component, const char *name, struct reason *why)
{
    struct component_state state = {0};
    const char *listed_by = components[component]->listed_by ?: "papi_native_avail";
    if (tables->own[component].n == 0)
        components[component]->discover(&tables->pmus, &state);
    if (state.disabled.code)
        return reason_set(why, code_passes(state.disabled.code) ? state.disabled.code : PAPI_ENOEVNT,
                          "the component %s has no events here: %s", components[component]->name,
                          state.disabled.text);
    if (components[component]->list_grows)
        return reason_set(why, PAPI_ENOEVNT,
                          "nothing has registered the event \"%.60s\" yet: ask for it when its library has; "
                          "%s lists a library's",
                          name, listed_by);
    return reason_set(why, PAPI_ENOEVNT, "the component %s has no event \"%.60s\" here; %s lists its events",
                      components[component]->name, name, listed_by);
}

/* The place of the event whose name the qualifiers stand behind, and where they begin; -1: there is none. */
static int find_listed(struct event_tables *tables, const char *name, const char **qualifiers)
{
    char listed[PAPI_2MAX_STR_LEN];
    int component = own_component(name);
    const char *own = name + strlen(components[component]->prefix);
    size_t length = (size_t)(own - name) + strcspn(own, ":");
    *qualifiers = name + length;
    if (components[component]->variants == NULL || **qualifiers == '\0' || length >= sizeof listed)
        return -1;
    memcpy(listed, name, length);
    listed[length] = '\0';
    return find_place(tables, listed);
}

/* Makes the event of a listed one with qualifiers. Its place is that of the listed one. */
static int find_variant(struct event_tables *tables, int place, const char *qualifiers,
                        struct event_encoding *encoding, struct reason *why)
{
    char text[PAPI_HUGE_STR_LEN] = "";
    int component = component_of(place);
    struct component_event variant = *event_at(tables, place);
    int code = components[component]->variants->take(event_at(tables, place), qualifiers, &variant, text,
                                                     sizeof text, why);
    const struct component_event *added;
    if (code == PAPI_OK)
        code = event_list_add_variant(&tables->own[component], &variant, &added, why);
    if (code == PAPI_OK)
        *encoding = (struct event_encoding){
            .component = component, .place = place, .config = added->config, .event = added};
    return code;
}

static int find(struct event_tables *tables, const char *name, struct event_encoding *encoding,
                struct reason *why)
{
    int component = own_component(name), place = find_place(tables, name), code = PAPI_OK;
    if (place < 0 && (code = read_list(tables, component, why)) == PAPI_OK)
        place = find_place(tables, name);
    const char *qualifiers;
    int listed = place < 0 && code == PAPI_OK ? find_listed(tables, name, &qualifiers) : -1;
    if (listed >= 0)
        return find_variant(tables, listed, qualifiers, encoding, why);
    if (place < 0)
        return code ?: no_event(tables, component, name, why);
    const struct component_event *event = event_at(tables, place);
    *encoding = (struct event_encoding){
        .component = component, .place = place, .config = event->config, .event = event};
    return PAPI_OK;
}

static int component_at(struct event_tables *tables, int place)
{
    (void)tables;
    return component_of(place);
}

/* The number of a component's events; 0 if it cannot count here and is not always listed. CANNOT_LOOK: that
 * cannot be found out now. */
static int n_listed(struct event_tables *tables, int component)
{
    struct component_state state = {0};
    components[component]->discover(&tables->pmus, &state);
    if (state.disabled.code && !components[component]->always_listed)
        return code_passes(state.disabled.code) ? CANNOT_LOOK : 0;
    return read_list(tables, component, NULL) == PAPI_OK ? tables->own[component].n : CANNOT_LOOK;
}

/* The next event of the components that count in place of the processor, or of the others. */
static int next_of(bool processors, struct event_tables *tables, int place, char *name, size_t size)
{
    int index = place < 0 ? 0 : place % MOST_OF_A_COMPONENT + 1;
    for (int i = place < 0 ? 0 : component_of(place); i < component_count(); i++, index = 0) {
        if (components[i]->prefix == NULL || (components[i]->processor != NULL) != processors)
            continue;
        int n = index > 0 ? tables->own[i].n : n_listed(tables, i);
        if (n == CANNOT_LOOK)
            return CANNOT_LOOK;
        while (index < n && tables->own[i].event[index]->gone)
            index++;
        if (index < n) {
            snprintf(name, size, "%s%s", components[i]->prefix, tables->own[i].event[index]->name);
            return i * MOST_OF_A_COMPONENT + index;
        }
    }
    return -1;
}

static int next_of_processors(struct event_tables *tables, int place, char *name, size_t size)
{
    return next_of(true, tables, place, name, size);
}

static int next_of_others(struct event_tables *tables, int place, char *name, size_t size)
{
    return next_of(false, tables, place, name, size);
}

/* The variants of the event at a place; NULL: it has none. */
static const struct component_variants *variants_at(int place)
{
    return components[component_of(place)]->variants;
}

static int next_mask(struct event_tables *tables, int place, int mask, char *name, size_t size)
{
    char qualifiers[PAPI_MIN_STR_LEN], text[PAPI_2MAX_STR_LEN];
    const struct component_event *event = event_at(tables, place);
    if (event == NULL || variants_at(place) == NULL ||
        !variants_at(place)->next(event, mask + 1, qualifiers, sizeof qualifiers, text, sizeof text))
        return -1;
    snprintf(name, size, "%s%s%s", components[component_of(place)]->prefix, event->name, qualifiers);
    return mask + 1;
}

static int describe(struct event_tables *tables, const char *name, int place, int mask, char *text,
                    size_t size, struct reason *why)
{
    char qualifiers[PAPI_MIN_STR_LEN];
    (void)name;
    const struct component_event *event = place >= 0 ? event_at(tables, place) : NULL;
    if (event == NULL)
        return PAPI_ENOEVNT;
    if (mask >= 0 && variants_at(place) != NULL &&
        variants_at(place)->next(event, mask, qualifiers, sizeof qualifiers, text, size))
        return PAPI_OK;
    int code = read_list(tables, component_of(place), why); /* where it grows, once more */
    if (code != PAPI_OK)
        return code;
    snprintf(text, size, "%s", event->description);
    return PAPI_OK;
}

void own_free(struct event_tables *tables)
{
    for (int i = 0; i < MAX_COMPONENTS; i++)
        event_list_free(&tables->own[i]);
}

const struct event_source own_processor_source = {
    .component = component_at,
    .find = find,
    .next = next_of_processors,
    .describe = describe,
    .listed = event_at,
};

const struct event_source own_source = {
    .component = component_at,
    .find = find,
    .next = next_of_others,
    .next_mask = next_mask,
    .describe = describe,
    .listed = event_at,
};

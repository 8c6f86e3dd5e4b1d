/* SPDX-License-Identifier: BSD-3-Clause */
#include "events/source.h"
#include "papi.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

/* The events that a component knows itself: "emu::INSTRUCTIONS". */

static const struct component *owner(void)
{
    return components[COMPONENT_EMULATED];
}

static int find_index(const char *name)
{
    const struct component *component = owner();
    size_t n = strlen(component->prefix);
    if (strncasecmp(name, component->prefix, n) != 0 || strncmp(name + n, "::", 2) != 0)
        return -1;
    for (int i = 0; i < component->n_events; i++)
        if (strcasecmp(name + n + 2, component->events[i].name) == 0)
            return i;
    return -1;
}

bool own_has_prefix(const char *name)
{
    size_t n = strlen(owner()->prefix);
    return strncasecmp(name, owner()->prefix, n) == 0 && strncmp(name + n, "::", 2) == 0;
}

static int find(struct event_tables *tables, const char *name, struct event_encoding *encoding,
                struct reason *why)
{
    (void)tables;
    int index = find_index(name);
    if (index < 0)
        return reason_set(why, PAPI_ENOEVNT,
                          "the emulator has no event \"%.60s\"; papi_emulate --events lists them", name);
    *encoding = (struct event_encoding){.component = COMPONENT_EMULATED, .config = (uint64_t)index};
    return PAPI_OK;
}

static int place(struct event_tables *tables, const char *name)
{
    (void)tables;
    return find_index(name);
}

/* Listed where they can count. */
static int next(struct event_tables *tables, int place, char *name, size_t size)
{
    struct component_state state;
    const struct component *component = owner();
    if (place < 0) {
        component->discover(&tables->pmus, &state);
        if (state.disabled)
            return code_passes(state.disabled) ? CANNOT_LOOK : -1;
    }
    if (place + 1 >= component->n_events)
        return -1;
    snprintf(name, size, "%s::%s", component->prefix, component->events[place + 1].name);
    return place + 1;
}

static int next_mask(struct event_tables *tables, int place, int mask, char *name, size_t size)
{
    (void)tables, (void)place, (void)mask, (void)name, (void)size;
    return -1;
}

static int describe(struct event_tables *tables, const char *name, int place, int mask, char *text,
                    size_t size, struct reason *why)
{
    (void)tables, (void)name, (void)mask, (void)why;
    if (place < 0 || place >= owner()->n_events)
        return PAPI_ENOEVNT;
    snprintf(text, size, "%s", owner()->events[place].description);
    return PAPI_OK;
}

const struct event_source own_source = {
    .component = COMPONENT_EMULATED,
    .find = find,
    .place = place,
    .next = next,
    .next_mask = next_mask,
    .describe = describe,
};

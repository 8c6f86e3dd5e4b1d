/* SPDX-License-Identifier: BSD-3-Clause */
#include "events/natives.h"
#include "papi.h"

#include <stdlib.h>
#include <string.h>

static const struct event_source *const sources[] = {&own_source, &pfm_source, &sysfs_source};

enum { N_SOURCES = sizeof sources / sizeof sources[0], NAME_SIZE = PAPI_2MAX_STR_LEN };

static int source_index(const struct event_source *source)
{
    int i = 0;
    while (i < N_SOURCES - 1 && sources[i] != source)
        i++;
    return i;
}

static struct native_event *known(const struct native_table *table, const char *name)
{
    for (int i = 0; i < table->n; i++)
        if (strcmp(table->event[i]->name, name) == 0)
            return table->event[i];
    return NULL;
}

static int make_room(struct native_table *table, struct reason *why)
{
    if (table->n < table->room)
        return PAPI_OK;
    int room = table->room ? 2 * table->room : 64;
    void *grown = realloc(table->event, (size_t)room * sizeof *table->event);
    if (grown == NULL)
        return reason_set(why, PAPI_ENOMEM, "out of memory");
    table->event = grown;
    table->room = room;
    return PAPI_OK;
}

static int append(struct native_table *table, const struct native_event *event, struct native_event **out,
                  struct reason *why)
{
    int code = make_room(table, why);
    if (code != PAPI_OK)
        return code;
    struct native_event *copy = malloc(sizeof *copy);
    char *name = strdup(event->name);
    if (copy == NULL || name == NULL) {
        free(copy);
        free(name);
        return reason_set(why, PAPI_ENOMEM, "out of memory");
    }
    *copy = *event;
    copy->name = name;
    copy->code = PAPI_NATIVE_MASK | table->n;
    table->event[table->n++] = copy;
    *out = copy;
    return PAPI_OK;
}

/* The kernel's spelling has slashes, libpfm4's has not. */
static const struct event_source *source_of(const char *name)
{
    if (own_has_prefix(name))
        return &own_source;
    return strchr(name, '/') != NULL ? &sysfs_source : &pfm_source;
}

int native_by_name(struct native_table *table, const char *root, const char *name, struct native_event **out,
                   struct reason *why)
{
    /* Codes from PAPI_NATIVE_MASK on are where programs begin to enumerate: the first event listed
     * must have the first code. */
    if (table->n == 0)
        native_next(table, root, NULL, ALL_COMPONENTS, out, NULL);
    *out = known(table, name);
    if (*out != NULL)
        return PAPI_OK;
    if (name[0] == '\0' || strlen(name) >= NAME_SIZE)
        return reason_set(why, PAPI_ENOEVNT, "no event has a name of %zu characters", strlen(name));
    struct native_event event = {.name = (char *)name, .source = source_of(name), .mask = -1};
    int code = event.source->find(root, name, &event.encoding, why);
    if (code != PAPI_OK)
        return code;
    event.place = event.source->place(root, name);
    return append(table, &event, out, why);
}

struct native_event *native_by_code(const struct native_table *table, int code)
{
    int index = code & PAPI_NATIVE_AND_MASK;
    if ((code & PAPI_PRESET_MASK) != 0 || (code & PAPI_NATIVE_MASK) == 0 || index >= table->n)
        return NULL;
    return table->event[index];
}

/* An event that its source lists may still lack an encoding (a mask may be required): it has a code
 * and a name, and the reason for those who try it. */
static int listed(struct native_table *table, const char *root, const struct event_source *source,
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
    if (source->find(root, name, &event.encoding, &event.answer) != PAPI_OK)
        event.tried = true;
    return append(table, &event, out, why);
}

static bool counts_for(const struct event_source *source, int component)
{
    return component == ALL_COMPONENTS || component == source->component;
}

int native_next(struct native_table *table, const char *root, const struct native_event *event, int component,
                struct native_event **out, struct reason *why)
{
    char name[NAME_SIZE];
    int place = event ? event->place : -1;
    for (int i = event ? source_index(event->source) : 0; i < N_SOURCES; i++, place = -1) {
        if (!counts_for(sources[i], component))
            continue;
        place = sources[i]->next(root, place, name, sizeof name);
        if (place >= 0)
            return listed(table, root, sources[i], name, place, -1, out, why);
    }
    return reason_set(why, PAPI_ENOEVNT, "that was the last native event");
}

int native_next_mask(struct native_table *table, const char *root, const struct native_event *event,
                     struct native_event **out, struct reason *why)
{
    char name[NAME_SIZE];
    int mask = event->source->next_mask(root, event->place, event->mask, name, sizeof name);
    if (mask < 0)
        return reason_set(why, PAPI_ENOEVNT, "%.100s has no further mask", event->name);
    return listed(table, root, event->source, name, event->place, mask, out, why);
}

int native_count(const char *root, int component)
{
    char name[NAME_SIZE];
    int n = 0;
    for (int i = 0; i < N_SOURCES; i++)
        for (int place = -1; counts_for(sources[i], component) && (place = sources[i]->next(root, place, name, sizeof name)) >= 0;)
            n++;
    return n;
}

void natives_free(struct native_table *table)
{
    for (int i = 0; i < table->n; i++) {
        free(table->event[i]->name);
        free(table->event[i]);
    }
    free(table->event);
    *table = (struct native_table){0};
}

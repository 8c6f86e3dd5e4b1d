/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/event_list.h"
#include "papi.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* The texts of an event lie in one piece of memory, which begins with its name. */
enum { TEXTS = 7 };

static void texts_of(struct component_event *event, const char **text[TEXTS])
{
    const char **of[TEXTS] = {&event->name,  &event->description, &event->file,     &event->line,
                              &event->label, &event->range_file,  &event->rate_file};
    memcpy(text, of, sizeof of);
}

static bool copy(struct component_event *to, const struct component_event *from)
{
    const char **text[TEXTS];
    size_t size = 0;
    *to = *from;
    texts_of(to, text);
    for (int i = 0; i < TEXTS; i++)
        size += *text[i] != NULL ? strlen(*text[i]) + 1 : 0;
    char *place = malloc(size);
    for (int i = 0; i < TEXTS && place != NULL; i++)
        if (*text[i] != NULL) {
            char *end = stpcpy(place, *text[i]);
            *text[i] = place;
            place = end + 1;
        }
    return place != NULL;
}

static bool make_room(struct event_list *list)
{
    int room = list->room ? 2 * list->room : 32;
    if (list->n < list->room)
        return true;
    void *grown = realloc(list->event, (size_t)room * sizeof *list->event);
    if (grown == NULL)
        return false;
    list->event = grown;
    list->room = room;
    return true;
}

int event_list_add(struct event_list *list, const struct component_event *event, struct reason *why)
{
    if (!make_room(list) || !copy(&list->event[list->n], event))
        return reason_set(why, PAPI_ENOMEM, "out of memory");
    list->n++;
    return PAPI_OK;
}

int event_list_find(const struct event_list *list, const char *name)
{
    for (int i = 0; i < list->n; i++)
        if (strcasecmp(name, list->event[i].name) == 0)
            return i;
    return -1;
}

void event_list_free(struct event_list *list)
{
    for (int i = 0; i < list->n; i++)
        free((char *)list->event[i].name);
    free(list->event);
    *list = (struct event_list){0};
}

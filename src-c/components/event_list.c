/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/event_list.h"
#include "papi.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* An event and its texts lie in one piece of memory. */
enum { TEXTS = 7 };

static void texts_of(struct component_event *event, const char **text[TEXTS])
{
    const char **of[TEXTS] = {&event->name,  &event->description, &event->file,     &event->line,
                              &event->label, &event->range_file,  &event->rate_file};
    memcpy(text, of, sizeof of);
}

static struct component_event *copy(const struct component_event *from)
{
    const char **text[TEXTS];
    struct component_event event = *from;
    size_t size = sizeof event;
    texts_of(&event, text);
    for (int i = 0; i < TEXTS; i++)
        size += *text[i] != NULL ? strlen(*text[i]) + 1 : 0;
    struct component_event *to = malloc(size);
    char *place = (char *)(to + 1);
    for (int i = 0; i < TEXTS && to != NULL; i++)
        if (*text[i] != NULL) {
            char *end = stpcpy(place, *text[i]);
            *text[i] = place;
            place = end + 1;
        }
    if (to != NULL)
        *to = event;
    return to;
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
    struct component_event *made = make_room(list) ? copy(event) : NULL;
    if (made == NULL)
        return reason_set(why, PAPI_ENOMEM, "out of memory");
    list->event[list->n++] = made;
    return PAPI_OK;
}

int event_list_find(const struct event_list *list, const char *name)
{
    int other = -1;
    for (int i = 0; i < list->n; i++) {
        if (strcmp(name, list->event[i]->name) == 0)
            return i;
        if (other < 0 && strcasecmp(name, list->event[i]->name) == 0)
            other = i;
    }
    return other;
}

void event_list_free(struct event_list *list)
{
    for (int i = 0; i < list->n; i++)
        free(list->event[i]);
    free(list->event);
    if (list->close != NULL)
        list->close(list->opened);
    *list = (struct event_list){0};
}

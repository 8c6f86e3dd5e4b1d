/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/event_list.h"
#include "papi.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

static void free_strings(struct component_event *event)
{
    free(event->name);
    free(event->description);
    free(event->file);
}

static bool copy(struct component_event *to, const struct component_event *from)
{
    to->name = strdup(from->name);
    to->description = strdup(from->description);
    to->file = from->file != NULL ? strdup(from->file) : NULL;
    to->config = from->config;
    return to->name != NULL && to->description != NULL && (to->file != NULL) == (from->file != NULL);
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
    if (make_room(list)) {
        if (copy(&list->event[list->n], event)) {
            list->n++;
            return PAPI_OK;
        }
        free_strings(&list->event[list->n]);
    }
    return reason_set(why, PAPI_ENOMEM, "out of memory");
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
        free_strings(&list->event[i]);
    free(list->event);
    *list = (struct event_list){0};
}

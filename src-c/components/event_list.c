/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/event_list.h"
#include "base/array.h"
#include "papi.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { TEXTS = 9 };

struct opening {
    atomic_int users;
    void *opened;
    void (*close)(void *opened);
};

static const char *text_or_none(const char *text)
{
    return text[0] != '\0' ? text : NULL;
}

struct component_event event_of_row(const struct event_row *row)
{
    return (struct component_event){.name = row->name,
                                    .description = row->description,
                                    .unit = text_or_none(row->unit),
                                    .file = text_or_none(row->file),
                                    .line = text_or_none(row->line),
                                    .label = text_or_none(row->label),
                                    .range_file = text_or_none(row->range_file),
                                    .rate_file = text_or_none(row->rate_file),
                                    .config = row->config,
                                    .times = row->times,
                                    .per = row->per,
                                    .rate = row->rate,
                                    .word = row->word,
                                    .real = row->real,
                                    .level = row->level,
                                    .writable = row->writable};
}

/* A kept event, with its texts in one piece of memory. */
struct kept_event {
    atomic_int users;
    struct opening *opening; /* NULL: none */
    struct component_event event;
    char text[];
};

static struct kept_event *kept(const struct component_event *event)
{
    return (struct kept_event *)((char *)(uintptr_t)event - offsetof(struct kept_event, event));
}

static void use(struct opening *opening)
{
    if (opening != NULL)
        atomic_fetch_add(&opening->users, 1);
}

static void leave(struct opening *opening)
{
    if (opening == NULL || atomic_fetch_sub(&opening->users, 1) > 1)
        return;
    opening->close(opening->opened);
    free(opening);
}

int event_list_open(struct event_list *list, void *opened, void (*close)(void *opened), struct reason *why)
{
    struct opening *opening = malloc(sizeof *opening);
    if (opening == NULL) {
        close(opened);
        return reason_set(why, PAPI_ENOMEM, "out of memory");
    }
    *opening = (struct opening){.users = 1, .opened = opened, .close = close};
    list->opening = opening;
    return PAPI_OK;
}

const struct component_event *event_hold(const struct component_event *event)
{
    atomic_fetch_add(&kept(event)->users, 1);
    return event;
}

void event_release(const struct component_event *event)
{
    if (atomic_fetch_sub(&kept(event)->users, 1) > 1)
        return;
    leave(kept(event)->opening);
    free(kept(event));
}

static void texts_of(struct component_event *event, const char **text[TEXTS])
{
    const char **of[TEXTS] = {&event->name,      &event->description, &event->file,
                              &event->line,      &event->label,       &event->range_file,
                              &event->rate_file, &event->made_of,     &event->formula};
    memcpy(text, of, sizeof of);
}

static struct component_event *copy(const struct component_event *from, struct opening *opening)
{
    const char **text[TEXTS];
    struct component_event event = *from;
    size_t size = sizeof(struct kept_event);
    texts_of(&event, text);
    for (int i = 0; i < TEXTS; i++)
        size += *text[i] != NULL ? strlen(*text[i]) + 1 : 0;
    struct kept_event *to = malloc(size);
    if (to == NULL)
        return NULL;
    char *place = to->text;
    for (int i = 0; i < TEXTS; i++)
        if (*text[i] != NULL) {
            char *end = stpcpy(place, *text[i]);
            *text[i] = place;
            place = end + 1;
        }
    use(opening);
    to->users = 1;
    to->opening = opening;
    to->event = event;
    return &to->event;
}

static uint64_t hash_in_lower_case(const char *name)
{
    uint64_t hash = HASH_OF_NOTHING;
    for (; *name != '\0'; name++) {
        char c = *name >= 'A' && *name <= 'Z' ? (char)(*name - 'A' + 'a') : *name;
        hash = hash_more(hash, &c, 1);
    }
    return hash;
}

int event_list_add(struct event_list *list, const struct component_event *event, struct reason *why)
{
    bool room = ARRAY_GROW(list->event, list->n) && hash_grow(&list->by_name);
    struct component_event *added = room ? copy(event, list->opening) : NULL;
    if (added == NULL)
        return reason_set(why, PAPI_ENOMEM, "out of memory");
    list->event[list->n++] = added;
    hash_put(&list->by_name, hash_in_lower_case(added->name), (uintptr_t)list->n);
    return PAPI_OK;
}

int event_list_add_variant(struct event_list *list, const struct component_event *variant,
                           const struct component_event **added, struct reason *why)
{
    struct component_event *made =
        ARRAY_GROW(list->variant, list->n_variants) ? copy(variant, list->opening) : NULL;
    if (made == NULL)
        return reason_set(why, PAPI_ENOMEM, "out of memory");
    *added = list->variant[list->n_variants++] = made;
    return PAPI_OK;
}

int event_list_find(const struct event_list *list, const char *name)
{
    int other = -1;
    uint64_t hash = hash_in_lower_case(name);
    uintptr_t number;
    for (size_t at = 0; (number = hash_next(&list->by_name, hash, &at)) != 0;) {
        int i = (int)number - 1;
        if (strcmp(name, list->event[i]->name) == 0)
            return i;
        if (strcasecmp(name, list->event[i]->name) == 0 && (other < 0 || i < other))
            other = i;
    }
    return other;
}

void event_list_free(struct event_list *list)
{
    for (int i = 0; i < list->n; i++)
        event_release(list->event[i]);
    for (int i = 0; i < list->n_variants; i++)
        event_release(list->variant[i]);
    free(list->event);
    free(list->variant);
    free(list->by_name.slot);
    leave(list->opening);
    *list = (struct event_list){0};
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "activity/level_zero_tracing.h"

#include <stdlib.h>

static size_t first_place(const struct lz_handles *handles, const void *handle)
{
    return ((uintptr_t)handle >> 4) * UINT64_C(0x9e3779b97f4a7c15) >> 20 & (handles->room - 1);
}

/* The place of a handle, or the free one where it would be. There is one: a third is free. */
static size_t find(const struct lz_handles *handles, const void *handle)
{
    size_t i = first_place(handles, handle);
    while (handles->place[i].handle != NULL && handles->place[i].handle != handle)
        i = (i + 1) & (handles->room - 1);
    return i;
}

static bool grow(struct lz_handles *handles)
{
    struct lz_handles larger = {.room = handles->room > 0 ? 2 * handles->room : 16, .n = handles->n};
    larger.place = calloc(larger.room, sizeof *larger.place);
    if (larger.place == NULL)
        return false;
    for (size_t i = 0; i < handles->room; i++)
        if (handles->place[i].handle != NULL)
            larger.place[find(&larger, handles->place[i].handle)] = handles->place[i];
    free(handles->place);
    *handles = larger;
    return true;
}

bool lz_handles_put(struct lz_handles *handles, const void *handle, uint64_t number)
{
    if (3 * (handles->n + 1) > 2 * handles->room && !grow(handles))
        return false;
    struct lz_handle *place = &handles->place[find(handles, handle)];
    handles->n += place->handle == NULL;
    *place = (struct lz_handle){handle, number};
    return true;
}

bool lz_handles_get(const struct lz_handles *handles, const void *handle, uint64_t *number)
{
    if (handles->room == 0 || handle == NULL)
        return false;
    const struct lz_handle *place = &handles->place[find(handles, handle)];
    *number = place->number;
    return place->handle != NULL;
}

/* Puts those behind it again, which may have been moved on by it. */
void lz_handles_remove(struct lz_handles *handles, const void *handle)
{
    size_t i = handles->room > 0 ? find(handles, handle) : 0;
    if (handles->room == 0 || handles->place[i].handle == NULL)
        return;
    handles->place[i].handle = NULL;
    handles->n--;
    for (i = (i + 1) & (handles->room - 1); handles->place[i].handle != NULL;
         i = (i + 1) & (handles->room - 1)) {
        struct lz_handle moved = handles->place[i];
        handles->place[i].handle = NULL;
        handles->place[find(handles, moved.handle)] = moved;
    }
}

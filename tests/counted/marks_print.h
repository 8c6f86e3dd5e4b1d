/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static const char *const mark_events[] = {
#define EVENT(name, description) #name,
#define CACHE_EVENT(name, description)
#include "formats/emulator_events.def"
#undef EVENT
#undef CACHE_EVENT
};

enum { MARK_EVENTS = sizeof mark_events / sizeof *mark_events };

/* The first one, "empty", is what all others have besides. */
static void marks_print(const char *name, const uint64_t count[MARK_EVENTS])
{
    static uint64_t empty[MARK_EVENTS];
    if (strcmp(name, "empty") == 0)
        memcpy(empty, count, sizeof empty);
    for (int i = 0; i < MARK_EVENTS; i++)
        if (count[i] != empty[i])
            printf("%s %s %" PRId64 "\n", name, mark_events[i], (int64_t)(count[i] - empty[i]));
}

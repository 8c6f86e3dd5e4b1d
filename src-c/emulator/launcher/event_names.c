/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/json.h"
#include "emulator/launcher/launcher.h"
#include "tools/common/terminal.h"

#include <string.h>
#include <strings.h>

#define PREFIX "emu::"

const struct event events[EMULATED_EVENTS] = {
#define EVENT(name, description) {PREFIX #name, description, false, false},
#define CACHE_EVENT(name, description) {PREFIX #name, description, true, false},
#define ESTIMATED_EVENT(name, description) {PREFIX #name, description, false, true},
#include "formats/emulator_events.def"
#undef EVENT
#undef CACHE_EVENT
};

/* ------------------------------------------------------------------ choosing */

static bool is_called(const struct event *event, const char *name, size_t length)
{
    const char *full = event->name;
    if (strncasecmp(name, PREFIX, strlen(PREFIX)) != 0)
        full += strlen(PREFIX);
    return strlen(full) == length && strncasecmp(full, name, length) == 0;
}

/* EMULATED_EVENTS: there is none. */
static unsigned event_called(const char *name, size_t length)
{
    unsigned i = 0;
    while (i < EMULATED_EVENTS && !is_called(&events[i], name, length))
        i++;
    return i;
}

int events_choose(const char *list, event_set *set)
{
    *set = 0;
    for (bool more = true; more;) {
        size_t length = strcspn(list, ",");
        unsigned event = event_called(list, length);
        if (event == EMULATED_EVENTS) {
            complain("--events: there is no event \"%.*s\"; --events alone lists them", (int)length, list);
            return EXIT_OWN_ERROR;
        }
        *set |= (event_set)1 << event;
        more = list[length] == ',';
        list += length + more;
    }
    return 0;
}

event_set events_counted(bool caches, bool estimates)
{
    event_set set = 0;
    for (unsigned i = 0; i < EMULATED_EVENTS; i++)
        if ((caches || !events[i].cache) && (estimates || !events[i].estimate))
            set |= (event_set)1 << i;
    return set;
}

/* -------------------------------------------------------------------- listing */

static void list_text(void)
{
    enum { INDENT = 4 };
    puts("Events that are counted in the emulator; those marked * with --caches,\n"
         "those marked ~ estimated with --cycles=estimate");
    for (unsigned i = 0; i < EMULATED_EVENTS; i++) {
        printf("\n%s%s\n%*s", events[i].name,
               events[i].cache      ? " *"
               : events[i].estimate ? " ~"
                                    : "",
               INDENT, "");
        print_wrapped(stdout, events[i].description, INDENT, INDENT);
    }
}

static void list_json(void)
{
    struct json json = {.out = stdout};
    json_open(&json, NULL, '{');
    json_open(&json, "events", '[');
    for (unsigned i = 0; i < EMULATED_EVENTS; i++) {
        json_open(&json, NULL, '{');
        json_string(&json, "name", events[i].name);
        json_string(&json, "description", events[i].description);
        json_boolean(&json, "needs_caches", events[i].cache);
        json_boolean(&json, "estimated", events[i].estimate);
        json_close(&json, '}');
    }
    json_close(&json, ']');
    json_close(&json, '}');
}

void events_list(bool json)
{
    if (json)
        list_json();
    else
        list_text();
}

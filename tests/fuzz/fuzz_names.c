/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Names of native events on a machine that the input describes: lines "@PMU/FILE=CONTENT" make files of
 * sysfs, "@online=LIST" the processors; each line after these is a name that is looked up. What was found out
 * is kept, so that the machine must not change from then on.
 */
#include "events/natives.h"
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_FILES = 24, MOST_NAMES = 16 };

static void make_file(char *line)
{
    char path[512];
    char *content = strchr(line, '=');
    if (content == NULL || strstr(line, "..") != NULL || line[0] == '/')
        return;
    *content++ = '\0';
    if (strcmp(line, "online") == 0)
        fuzz_put("sys/devices/system/cpu/online", content, strlen(content));
    else if (strchr(line, '/') != NULL) {
        snprintf(path, sizeof path, "sys/bus/event_source/devices/%.300s", line);
        fuzz_put(path, content, strlen(content));
    }
}

/* The same numbers, spelled as the kernel spells them. */
static void check_spelled_out(struct event_tables *tables, const struct native_event *event)
{
    const struct event_encoding *encoding = &event->encoding;
    struct event_encoding again;
    struct reason why;
    char name[512];
    size_t pmu = strcspn(event->name, "/");
    if (event->source != &sysfs_source)
        return;
    snprintf(name, sizeof name, "%.*s/config=0x%llx,config1=0x%llx,config2=0x%llx/", (int)pmu, event->name,
             (unsigned long long)encoding->config, (unsigned long long)encoding->config1,
             (unsigned long long)encoding->config2);
    REQUIRE(sysfs_source.find(tables, name, &again, &why) == PAPI_OK);
    REQUIRE(again.type == encoding->type && again.config == encoding->config &&
            again.config1 == encoding->config1 && again.config2 == encoding->config2 &&
            again.some_cores == encoding->some_cores);
}

static void describe(struct event_tables *tables, const struct native_event *event)
{
    static struct event_qualifiers list, whole;
    struct reason why = {0};
    char text[PAPI_HUGE_STR_LEN];
    memset(text, 'x', sizeof text);
    if (event->source->describe(tables, event->name, event->place, event->mask, text, sizeof text, &why) ==
        PAPI_OK)
        REQUIRE(memchr(text, '\0', sizeof text) != NULL);
    if (event->source->qualifiers != NULL) {
        REQUIRE(event->source->qualifiers(tables, event->name, event->place, &list, &whole) == PAPI_OK);
        REQUIRE(list.n >= 0 && list.n <= PAPI_MAX_COMP_QUALS);
    }
}

static void look_up(struct native_table *table, struct event_tables *tables, const char *name)
{
    struct native_event *event, *again;
    struct reason why = {0};
    int code = native_by_name(table, tables, name, &event, &why);
    if (code != PAPI_OK) {
        REQUIRE(why.code == code);
        fuzz_reason(why.text);
        return;
    }
    REQUIRE(strcmp(event->name, name) == 0);
    REQUIRE(native_by_code(table, event->code) == event);
    REQUIRE(native_by_name(table, tables, name, &again, &why) == PAPI_OK && again == event);
    describe(tables, event);
    if (native_encode(event, tables, &why) == PAPI_OK)
        check_spelled_out(tables, event);
    else
        fuzz_reason(why.text);
}

static void enumerate(struct native_table *table, struct event_tables *tables)
{
    struct native_event *event = NULL, *mask;
    struct reason why = {0};
    for (int i = 0;
         i < 64 && native_next(table, tables, event, COMPONENT_PERF_EVENT, &event, &why) == PAPI_OK; i++) {
        describe(tables, event);
        if (native_encode(event, tables, &why) != PAPI_OK)
            fuzz_reason(why.text);
        mask = event;
        for (int m = 0; m < 8 && native_next_mask(table, tables, mask, &mask, &why) == PAPI_OK; m++)
            describe(tables, mask);
    }
}

/* libpfm4's events are hundreds, and the same for every tree: the last source alone. */
static void enumerate_sysfs(struct event_tables *tables)
{
    char name[PAPI_2MAX_STR_LEN];
    struct event_encoding encoding;
    int place = -1;
    while ((place = sysfs_source.next(tables, place, name, sizeof name)) >= 0)
        if (strlen(name) + 1 < sizeof name && sysfs_source.find(tables, name, &encoding, NULL) == PAPI_OK)
            REQUIRE(encoding.place == place);
    pmus_hybrid(&tables->pmus);
    pmus_one_core_type(&tables->pmus, 4);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct pfm_library *pfm; /* loaded once, as in a process of the library's */
    struct event_tables tables = {.pmus.root = fuzz_folder(), .pfm = pfm};
    struct native_table table = {0};
    char *text = fuzz_text(data, size), *next = text;
    int files = 0, names = 0;
    fuzz_clear();
    for (char *line; (line = strsep(&next, "\n")) != NULL && files < MOST_FILES && names < MOST_NAMES;)
        if (line[0] == '@' && names == 0 && files++ < MOST_FILES)
            make_file(line + 1);
        else if (names++ < MOST_NAMES)
            look_up(&table, &tables, line);
    enumerate_sysfs(&tables);
    if (size % 16 == 0)
        enumerate(&table, &tables);
    pfm = tables.pfm;
    natives_free(&table);
    pmus_free(&tables.pmus);
    own_free(&tables);
    free(text);
    return 0;
}

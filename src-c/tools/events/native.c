/* SPDX-License-Identifier: BSD-3-Clause */
#include "native.h"
#include "tools/common/event.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -------------------------------------------------------------------- reading */

static void read_item(struct native_item *item, const PAPI_event_info_t *info)
{
    memset(item, 0, sizeof *item);
    item->code = (int)info->event_code;
    snprintf(item->name, sizeof item->name, "%s", info->symbol);
    snprintf(item->description, sizeof item->description, "%s", info->long_descr);
}

static struct native_item *append_mask(struct native *native)
{
    if (native->n_masks == native->room) {
        int room = native->room ? 2 * native->room : 16;
        void *grown = realloc(native->mask, (size_t)room * sizeof *native->mask);
        if (grown == NULL)
            return NULL;
        native->mask = grown;
        native->room = room;
    }
    return &native->mask[native->n_masks++];
}

/* The library's sentence on a mask begins with that on its event. */
static void drop_event_description(const struct native *native, struct native_item *mask)
{
    size_t length = strlen(native->event.description);
    if (length > 0 && strncmp(mask->description, native->event.description, length) == 0 &&
        strncmp(mask->description + length, ": ", 2) == 0)
        memmove(mask->description, mask->description + length + 2,
                strlen(mask->description + length + 2) + 1);
}

static int read_masks(struct native *native)
{
    PAPI_event_info_t info;
    int event = native->event.code, code;
    while ((code = PAPI_enum_event(&event, PAPI_NTV_ENUM_UMASKS)) == PAPI_OK) {
        struct native_item *mask = append_mask(native);
        if (mask == NULL)
            return PAPI_ENOMEM;
        code = PAPI_get_event_info(event, &info);
        if (code != PAPI_OK)
            return code;
        read_item(mask, &info);
        drop_event_description(native, mask);
    }
    return code == PAPI_ENOEVNT ? PAPI_OK : code;
}

int native_read(struct native *native, int event)
{
    int code = PAPI_get_event_info(event, &native->info);
    if (code != PAPI_OK)
        return code;
    read_item(&native->event, &native->info);
    native->n_masks = 0;
    return read_masks(native);
}

void native_free(struct native *native)
{
    free(native->mask);
    *native = (struct native){.n_masks = 0};
}

/* --------------------------------------------------------------------- asking */

static void ask(struct native_item *item, enum native_check check)
{
    int code = PAPI_query_event(item->code);
    if (code == PAPI_OK && check == CHECK_COUNT)
        code = event_count_work(item->code, &item->count);
    if (code != PAPI_OK)
        snprintf(item->why, sizeof item->why, "%s", PAPI_strerror(code));
    item->counts = item->alone = code == PAPI_OK;
}

void native_ask(struct native *native, enum native_check check)
{
    if (check == CHECK_NONE)
        return;
    ask(&native->event, check);
    bool only_lacks_mask = !native->event.counts && native->n_masks > 0;
    for (int i = 0; i < native->n_masks; i++) {
        ask(&native->mask[i], check);
        if (native->mask[i].counts) {
            native->event.counts = true;
            native->event.why[0] = '\0';
        }
    }
    /* What it says without a mask is that it lacks one, mostly. */
    if (only_lacks_mask && !native->event.counts)
        strcpy(native->event.why, native->mask[0].why);
}

/* ---------------------------------------------------------------------- names */

int native_pmu(const char *name)
{
    const char *colons = strstr(name, "::");
    return (int)(colons != NULL ? (size_t)(colons - name) : strcspn(name, "/"));
}

const char *native_suffix(const struct native *native, const struct native_item *mask)
{
    size_t length = strlen(native->event.name);
    if (strncmp(mask->name, native->event.name, length) == 0 && mask->name[length] == ':')
        return mask->name + length;
    /* The event was named with a mask, or by another of its names. */
    const char *event = strstr(mask->name, "::");
    const char *colon = strchr(event != NULL ? event + 2 : mask->name, ':');
    return colon != NULL ? colon : mask->name;
}

void native_show_members(struct report *report, const struct native *native)
{
    report_string(report, NULL, "name", native->event.name);
    report_string(report, NULL, "description", native->event.description);
    report_list(report, "masks");
    for (int i = 0; i < native->n_masks; i++)
        report_described(report, native_suffix(native, &native->mask[i]), native->mask[i].description);
    report_end(report);
}

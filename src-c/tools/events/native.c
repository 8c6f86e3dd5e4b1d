/* SPDX-License-Identifier: BSD-3-Clause */
#include "native.h"
#include "base/array.h"
#include "tools/common/event.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- reading */

static void read_item(struct native_item *item, const PAPI_event_info_t *info)
{
    memset(item, 0, sizeof *item);
    item->code = (int)info->event_code;
    snprintf(item->name, sizeof item->name, "%s", info->symbol);
    snprintf(item->description, sizeof item->description, "%s", info->long_descr);
}

static struct native_item *append_mask(struct native *native)
{
    return ARRAY_GROW(native->mask, native->n_masks) ? &native->mask[native->n_masks++] : NULL;
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

/* ---- asking */

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
    /* An event without a mask is mostly refused for lacking one: its mask's reason says more. */
    if (only_lacks_mask && !native->event.counts)
        strcpy(native->event.why, native->mask[0].why);
}

/* ---- names */

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
    event = event != NULL ? event + 2 : mask->name;
    const char *colon = strchr(event + (*event == ':'), ':'); /* the third of "cuda:::" */
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

/* ---- box */

enum { INNER = 78 }; /* between the bars */

/* A description in as many lines as it takes. */
static void box_text(struct report *report, const char *text)
{
    enum { INDENT = 12 };
    while (*text != '\0') {
        int length = (int)strcspn(text, "\n"), room = INNER - INDENT - 1;
        if (length > room) {
            for (length = room; length > 0 && text[length] != ' ';)
                length--;
            if (length == 0)
                length = (int)strcspn(text, " \n");
        }
        report_line(report, NULL, "|%*s%-*.*s|", INDENT, "", INNER - INDENT, length, text);
        text += length;
        text += strspn(text, " \n");
    }
}

/* Text that does not fit is not cut: the bar stands further out. */
static void box_item(struct report *report, const char *blanks, const char *name, const char *description,
                     const char *mark)
{
    int room = INNER - (int)(strlen(blanks) + strlen(mark));
    report_line(report, NULL, "|%s%-*s%s|", blanks, room, name, mark);
    box_text(report, description);
}

static const char *mark_of(const struct native_item *item, enum native_check check)
{
    return check == CHECK_NONE || item->counts ? "" : "<NA>";
}

/* ---- members */

static void show_item(struct report *report, const struct native_item *item, enum native_check check)
{
    char code[16];
    snprintf(code, sizeof code, "0x%08x", (unsigned)item->code);
    report_string(report, NULL, "name", item->name);
    report_string(report, NULL, "code", code);
    report_string(report, NULL, "description", item->description);
    if (check == CHECK_NONE)
        return;
    report_flag(report, NULL, "available", item->counts);
    report_string(report, NULL, "reason", item->counts ? NULL : item->why);
    if (check == CHECK_COUNT && item->alone)
        report_number(report, NULL, "count", item->count);
}

static void show_masks(struct report *report, const struct native *native, enum native_check check)
{
    report_list(report, "masks");
    for (int i = 0; i < native->n_masks; i++) {
        const struct native_item *mask = &native->mask[i];
        report_object(report, NULL);
        show_item(report, mask, check);
        box_item(report, "     ", native_suffix(native, mask), mask->description, mark_of(mask, check));
        report_end(report);
    }
    report_end(report);
}

static void show_modifiers(struct report *report, const PAPI_event_info_t *info)
{
    report_list(report, "modifiers");
    for (int i = 0; i < info->num_quals; i++) {
        report_described(report, info->quals[i], info->quals_descrs[i]);
        box_item(report, "     ", info->quals[i], info->quals_descrs[i], "");
    }
    report_end(report);
}

void native_show(struct report *report, const char *key, const struct native *native, enum native_check check)
{
    const struct native_item *event = &native->event;
    char pmu[PAPI_2MAX_STR_LEN];
    snprintf(pmu, sizeof pmu, "%.*s", native_pmu(event->name), event->name);
    report_object(report, key);
    show_item(report, event, check);
    box_item(report, " ", event->name, event->description, mark_of(event, check));
    report_string(report, NULL, "pmu", pmu);
    report_string(report, NULL, "units", native->info.units[0] != '\0' ? native->info.units : NULL);
    show_masks(report, native, check);
    show_modifiers(report, &native->info);
    report_line(report, NULL,
                "--------------------------------------------------------------------------------");
    report_end(report);
}

/* ---- names */

void native_print_names(const struct native *native, enum native_check check)
{
    if (check == CHECK_NONE || native->event.alone)
        puts(native->event.name);
    for (int i = 0; i < native->n_masks; i++)
        if (check == CHECK_NONE || native->mask[i].counts)
            puts(native->mask[i].name);
}

/* ---- detail */

/* Prints a mask or modifier. why is the reason why it does not count; NULL: it does, or was not asked. */
static void print_qualifier(struct report *report, const char *name, const char *description, const char *why)
{
    enum { INDENT = 28 };
    static const struct report_layout head = {.indent = 6, .separator = " -- ", .hang = INDENT},
                                      under = {.indent = INDENT, .separator = "", .hang = INDENT};
    char label[PAPI_2MAX_STR_LEN];
    snprintf(label, sizeof label, "Info: %12s", name);
    report->layout = &head;
    report_sentence(report, label, "{description}", AS_TEXT("description", description));
    report->layout = &under;
    report_sentence(report, "", why != NULL ? "{why}" : NULL, AS_TEXT("why", why));
}

static void print_qualifiers(struct report *report, const struct native *native, enum native_check check)
{
    if (native->n_masks + native->info.num_quals > 0)
        report_line(report, NULL, "\nQualifiers:         Name -- Description");
    for (int i = 0; i < native->n_masks; i++) {
        const struct native_item *mask = &native->mask[i];
        bool as_event = strcmp(mask->why, native->event.why) == 0;
        const char *why = as_event ? "(not here, as the event)" : mask->why;
        print_qualifier(report, native_suffix(native, mask), mask->description,
                        check == CHECK_NONE || mask->counts ? NULL : why);
    }
    for (int i = 0; i < native->info.num_quals; i++)
        print_qualifier(report, native->info.quals[i], native->info.quals_descrs[i], NULL);
}

/* The text of one event, in another order than its members. */
static void print_detail(struct report *report, const struct native *native, enum native_check check)
{
    static const struct report_layout layout = {.width = 16, .separator = "", .hang = 16};
    const struct native_item *event = &native->event;
    const PAPI_component_info_t *component = PAPI_get_component_info(native->info.component_index);
    report->layout = &layout;
    report_line(report, "Event name:", "%s", event->name);
    report_text(report, "Description:", event->description);
    if (native->info.units[0] != '\0')
        report_line(report, "Units:", "%s", native->info.units);
    report_text(report, "Note:", native->info.note);
    report_line(report, "Component:", "%s", component != NULL ? component->name : "?");
    report_line(report, "Code:", "0x%08x", (unsigned)event->code);
    if (check != CHECK_NONE)
        report_line(report, "Available:", "%s", event->alone ? "yes" : event->counts ? "with a mask" : "no");
    if (check == CHECK_COUNT && event->alone)
        report_line(report, "Counted:", "%lld", event->count);
    if (check != CHECK_NONE && !event->counts)
        report_text(report, "Why not:", event->why);
    print_qualifiers(report, native, check);
}

void native_show_detail(struct report *report, const struct native *native, enum native_check check)
{
    report_only(report, REPORT_JSON_ONLY);
    native_show(report, "event", native, check);
    report_only(report, REPORT_TEXT_ONLY);
    print_detail(report, native, check);
    report_only(report, REPORT_BOTH);
}

/* ---- what goes beside other events */

static int add(struct tool *tool, const char *name, int set)
{
    PAPI_event_info_t info;
    if (event_find(tool, name, &info) != TOOL_FINE)
        return TOOL_ERROR;
    int code = PAPI_add_event(set, (int)info.event_code);
    if (code == PAPI_OK)
        return TOOL_FINE;
    bool first = PAPI_num_events(set) <= 0;
    return tool_error(tool, "%s cannot be counted%s: %s", info.symbol, first ? "" : " with those before it",
                      PAPI_strerror(code));
}

int chooser_open(struct tool *tool, char **name, int n, int *set)
{
    *set = PAPI_NULL;
    int code = PAPI_create_eventset(set), status = TOOL_FINE;
    if (code != PAPI_OK)
        return tool_error(tool, "no event set: %s", PAPI_strerror(code));
    for (int i = 0; i < n && status == TOOL_FINE; i++)
        status = add(tool, name[i], *set);
    if (status != TOOL_FINE)
        chooser_close(*set);
    return status;
}

bool chooser_takes(int set, int code)
{
    return PAPI_add_event(set, code) == PAPI_OK && PAPI_remove_event(set, code) == PAPI_OK;
}

bool chooser_keeps(int set, struct native *native)
{
    int n = 0;
    for (int i = 0; i < native->n_masks; i++)
        if (chooser_takes(set, native->mask[i].code))
            native->mask[n++] = native->mask[i];
    native->n_masks = n;
    native->event.alone = chooser_takes(set, native->event.code);
    return native->event.alone || n > 0;
}

void chooser_close(int set)
{
    PAPI_cleanup_eventset(set);
    PAPI_destroy_eventset(&set);
}

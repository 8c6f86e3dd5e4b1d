/* SPDX-License-Identifier: BSD-3-Clause */
#include "native_print.h"
#include "machine.h"

#include <stdio.h>
#include <string.h>

/* ------------------------------------------------------------------------ box */

enum { INNER = 78 }; /* between the bars */

/* Text that does not fit is not cut: the bar stands further out. */
static void box_line(const char *text, const char *mark)
{
    printf("|%-*s%s|\n", INNER - (int)strlen(mark), text, mark);
}

/* A description in as many lines as it takes. */
static void box_text(const char *text)
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
        printf("|%*s%-*.*s|\n", INDENT, "", INNER - INDENT, length, text);
        text += length;
        text += strspn(text, " \n");
    }
}

static void box_item(const char *blanks, const char *name, const char *description, const char *mark)
{
    char line[PAPI_2MAX_STR_LEN + 8];
    snprintf(line, sizeof line, "%s%s", blanks, name);
    box_line(line, mark);
    box_text(description);
}

static const char *mark_of(const struct native_item *item, enum native_check check)
{
    return check == CHECK_NONE || item->counts ? "" : "<NA>";
}

void native_print_box(const struct native *native, enum native_check check)
{
    const struct native_item *event = &native->event;
    box_item(" ", event->name, event->description, mark_of(event, check));
    for (int i = 0; i < native->n_masks; i++) {
        const struct native_item *mask = &native->mask[i];
        box_item("     ", native_suffix(native, mask), mask->description, mark_of(mask, check));
    }
    for (int i = 0; i < native->n_modifiers; i++)
        box_item("     ", native->modifier[i].name, native->modifier[i].description, "");
    puts("--------------------------------------------------------------------------------");
}

/* ---------------------------------------------------------------------- names */

void native_print_names(const struct native *native, enum native_check check)
{
    if (check == CHECK_NONE || native->event.alone)
        puts(native->event.name);
    for (int i = 0; i < native->n_masks; i++)
        if (check == CHECK_NONE || native->mask[i].counts)
            puts(native->mask[i].name);
}

/* ----------------------------------------------------------------------- JSON */

static void item_json(struct json *json, const struct native_item *item, enum native_check check)
{
    char code[16];
    snprintf(code, sizeof code, "0x%08x", (unsigned)item->code);
    json_string(json, "name", item->name);
    json_string(json, "code", code);
    json_string(json, "description", item->description);
    if (check == CHECK_NONE)
        return;
    json_boolean(json, "available", item->counts);
    json_string(json, "reason", item->counts ? NULL : item->why);
    if (check == CHECK_COUNT && item->alone)
        json_integer(json, "count", item->count);
}

static void masks_json(struct json *json, const struct native *native, enum native_check check)
{
    json_open(json, "masks", '[');
    for (int i = 0; i < native->n_masks; i++) {
        json_open(json, NULL, '{');
        item_json(json, &native->mask[i], check);
        json_close(json, '}');
    }
    json_close(json, ']');
}

static void modifiers_json(struct json *json, const struct native *native)
{
    json_open(json, "modifiers", '[');
    for (int i = 0; i < native->n_modifiers; i++) {
        json_open(json, NULL, '{');
        json_string(json, "name", native->modifier[i].name);
        json_string(json, "description", native->modifier[i].description);
        json_close(json, '}');
    }
    json_close(json, ']');
}

void native_json(struct json *json, const char *key, const struct native *native, enum native_check check)
{
    char pmu[PAPI_2MAX_STR_LEN];
    snprintf(pmu, sizeof pmu, "%.*s", native_pmu(native->event.name), native->event.name);
    json_open(json, key, '{');
    item_json(json, &native->event, check);
    json_string(json, "pmu", pmu);
    masks_json(json, native, check);
    modifiers_json(json, native);
    json_close(json, '}');
}

/* --------------------------------------------------------------------- detail */

/* item: a mask; NULL: a modifier. */
static void print_qualifier(const struct native *native, const char *name, const char *description,
                            const struct native_item *item, enum native_check check)
{
    printf("      Info: %12s -- ", name);
    print_wrapped(stdout, description, 28, 28);
    if (item == NULL || check == CHECK_NONE || item->counts)
        return;
    printf("%28s", "");
    print_wrapped(stdout, strcmp(item->why, native->event.why) != 0 ? item->why : "(not here, as the event)",
                  28, 28);
}

void native_print_detail(const struct native *native, enum native_check check)
{
    enum { INDENT = 16 };
    const struct native_item *event = &native->event;
    const PAPI_component_info_t *component = PAPI_get_component_info(native->component);
    printf("%-*s%s\n%-*s", INDENT, "Event name:", event->name, INDENT, "Description:");
    print_wrapped(stdout, event->description, INDENT, INDENT);
    printf("%-*s%s\n", INDENT, "Component:", component != NULL ? component->name : "?");
    printf("%-*s0x%08x\n", INDENT, "Code:", (unsigned)event->code);
    if (check != CHECK_NONE)
        printf("%-*s%s\n", INDENT, "Available:", event->alone ? "yes" : event->counts ? "with a mask" : "no");
    if (check == CHECK_COUNT && event->alone)
        printf("%-*s%lld\n", INDENT, "Counted:", event->count);
    if (check != CHECK_NONE && !event->counts) {
        printf("%-*s", INDENT, "Why not:");
        print_wrapped(stdout, event->why, INDENT, INDENT);
    }
    if (native->n_masks + native->n_modifiers > 0)
        puts("\nQualifiers:         Name -- Description");
    for (int i = 0; i < native->n_masks; i++)
        print_qualifier(native, native_suffix(native, &native->mask[i]), native->mask[i].description,
                        &native->mask[i], check);
    for (int i = 0; i < native->n_modifiers; i++)
        print_qualifier(native, native->modifier[i].name, native->modifier[i].description, NULL, check);
}

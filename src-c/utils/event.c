/* SPDX-License-Identifier: BSD-3-Clause */
#include "event.h"
#include "machine.h"

#include <string.h>
#include <strings.h>

/* An event that counts only with one of its masks has no code until it is listed. */
static int find_listed(const char *name, int *code)
{
    char listed[PAPI_HUGE_STR_LEN];
    *code = PAPI_NATIVE_MASK;
    int more = PAPI_enum_event(code, PAPI_ENUM_FIRST);
    for (; more == PAPI_OK; more = PAPI_enum_event(code, PAPI_ENUM_EVENTS)) {
        if (PAPI_event_code_to_name(*code, listed) != PAPI_OK)
            continue;
        const char *colons = strstr(listed, "::");
        if (strcasecmp(listed, name) == 0 || (colons != NULL && strcasecmp(colons + 2, name) == 0))
            return PAPI_OK;
    }
    return more;
}

int event_find(struct tool *tool, const char *name, PAPI_event_info_t *info)
{
    char why[PAPI_HUGE_STR_LEN];
    int event;
    int code = PAPI_event_name_to_code(name, &event);
    snprintf(why, sizeof why, "%s", code != PAPI_OK ? PAPI_strerror(code) : "");
    if (code == PAPI_ENOEVNT)
        code = find_listed(name, &event);
    if (code == PAPI_OK)
        code = PAPI_get_event_info(event, info);
    if (code != PAPI_OK)
        return tool_error(tool, "no event \"%s\": %s", name, why[0] != '\0' ? why : PAPI_strerror(code));
    return TOOL_FINE;
}

bool event_is_preset(const PAPI_event_info_t *info)
{
    unsigned mask = (unsigned)PAPI_PRESET_MASK | (unsigned)PAPI_NATIVE_MASK;
    return (info->event_code & mask) == (unsigned)PAPI_PRESET_MASK;
}

bool event_is_composed(const PAPI_event_info_t *info)
{
    return (info->event_code & (unsigned)PAPI_PRESET_MASK) != 0;
}

bool event_is_derived(const PAPI_event_info_t *info)
{
    return event_is_composed(info) && info->count > 0 && info->derived[0] != '\0' &&
           strcmp(info->derived, "NOT_DERIVED") != 0;
}

int event_natives(const PAPI_event_info_t *info)
{
    int n = 0;
    while (event_is_composed(info) && n < PAPI_MAX_INFO_TERMS && info->name[n][0] != '\0')
        n++;
    return n;
}

bool event_counts(const PAPI_event_info_t *info, const char **why)
{
    *why = NULL;
    if (event_is_composed(info) && info->count > 0)
        return true;
    /* For a composed event the note has the reason; asking again would only find the same. */
    if (event_is_composed(info) && info->note[0] != '\0') {
        *why = info->note;
        return false;
    }
    int code = PAPI_query_event((int)info->event_code);
    if (code != PAPI_OK)
        *why = PAPI_strerror(code);
    return code == PAPI_OK;
}

int event_next_mask(int *code, PAPI_event_info_t *mask)
{
    if (PAPI_enum_event(code, PAPI_NTV_ENUM_UMASKS) != PAPI_OK)
        return PAPI_ENOEVNT;
    return PAPI_get_event_info(*code, mask);
}

/* ----------------------------------------------------------------------- text */

enum { INDENT = 15 }; /* behind the labels of the detailed form */

static void print_field(const char *label, const char *text)
{
    if (text == NULL || text[0] == '\0')
        return;
    printf("  %-13s", label);
    print_wrapped(stdout, text, INDENT, INDENT);
}

void event_print_masks(const PAPI_event_info_t *info)
{
    PAPI_event_info_t mask;
    int code = (int)info->event_code;
    if (event_is_composed(info))
        return;
    for (int i = 0; event_next_mask(&code, &mask) == PAPI_OK; i++) {
        printf("  %-13s%s\n", i == 0 ? "Masks" : "", mask.symbol);
        printf("%*s", INDENT + 2, "");
        print_wrapped(stdout, mask.long_descr, INDENT + 2, INDENT + 2);
    }
}

static void print_natives(const PAPI_event_info_t *info)
{
    for (int i = 0; i < event_natives(info); i++)
        printf("  %-13sN%d %s\n", i == 0 ? "Natives" : "", i, info->name[i]);
}

void event_print(const PAPI_event_info_t *info, bool available, const char *why)
{
    const PAPI_component_info_t *component = PAPI_get_component_info(info->component_index);
    printf("%s  0x%08x  %s\n", info->symbol, info->event_code, available ? "available" : "not available");
    print_field("Is", info->short_descr);
    print_field("Means", strcmp(info->short_descr, info->long_descr) != 0 ? info->long_descr : NULL);
    print_field("Units", info->units);
    print_field("Component", component != NULL && !event_is_composed(info) ? component->name : NULL);
    print_natives(info);
    print_field("Derived", event_natives(info) > 0 ? info->derived : NULL);
    print_field("Formula", info->postfix);
    print_field("Note", available ? info->note : NULL);
    print_field("Why not", why);
}

/* ----------------------------------------------------------------------- JSON */

static void natives_json(struct json *json, const PAPI_event_info_t *info)
{
    json_open(json, "natives", '[');
    for (int i = 0; i < event_natives(info); i++)
        json_string(json, NULL, info->name[i]);
    json_close(json, ']');
    json_string(json, "derivation", info->derived[0] ? info->derived : NULL);
    json_string(json, "formula", info->postfix[0] ? info->postfix : NULL);
}

void event_masks_json(struct json *json, const PAPI_event_info_t *info)
{
    PAPI_event_info_t mask;
    int code = (int)info->event_code;
    json_open(json, "masks", '[');
    while (event_next_mask(&code, &mask) == PAPI_OK) {
        json_open(json, NULL, '{');
        json_string(json, "name", mask.symbol);
        json_string(json, "description", mask.long_descr);
        json_close(json, '}');
    }
    json_close(json, ']');
}

void event_json(struct json *json, const char *key, const PAPI_event_info_t *info, bool available,
                const char *why)
{
    char code[16];
    snprintf(code, sizeof code, "0x%08x", info->event_code);
    json_open(json, key, '{');
    json_string(json, "name", info->symbol);
    json_string(json, "code", code);
    json_boolean(json, "available", available);
    json_boolean(json, "derived", event_is_derived(info));
    json_string(json, "reason", why);
    if (event_is_composed(info))
        json_string(json, "summary", info->short_descr);
    json_string(json, "description", info->long_descr);
    json_string(json, "note", available && info->note[0] ? info->note : NULL);
    if (event_is_composed(info))
        natives_json(json, info);
    json_close(json, '}');
}

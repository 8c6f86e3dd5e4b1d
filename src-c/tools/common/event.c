/* SPDX-License-Identifier: BSD-3-Clause */
#include "event.h"
#include "work.h"

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

int event_count_work(int event, long long *count)
{
    enum { ROUNDS = 20 };
    int set = PAPI_NULL, code = PAPI_create_eventset(&set);
    if (code == PAPI_OK)
        code = PAPI_add_event(set, event);
    if (code == PAPI_OK)
        code = PAPI_start(set);
    if (code == PAPI_OK) {
        double result = work(ROUNDS);
        code = PAPI_stop(set, count);
        code = code == PAPI_OK && result < 0 ? PAPI_EBUG : code; /* it is not, but must be looked at */
    }
    PAPI_cleanup_eventset(set);
    PAPI_destroy_eventset(&set);
    return code;
}

bool events_next(struct events *events)
{
    int more;
    do {
        more = PAPI_enum_event(&events->code, events->begun ? PAPI_ENUM_EVENTS : PAPI_ENUM_FIRST);
        events->begun = true;
    } while (more == PAPI_OK && PAPI_get_event_info(events->code, &events->info) != PAPI_OK);
    return more == PAPI_OK && !tool_output_failed();
}

/* ------------------------------------------------------------------------- JSON */

static void show_definition(struct report *report, const PAPI_event_info_t *info)
{
    int n = event_natives(info);
    report_list(report, "natives");
    for (int i = 0; i < n; i++)
        report_string(report, NULL, NULL, info->name[i]);
    report_end(report);
    report_string(report, NULL, "derivation", info->derived[0] ? info->derived : NULL);
    report_string(report, NULL, "formula", info->postfix[0] ? info->postfix : NULL);
}

void event_show(struct report *report, const char *key, const PAPI_event_info_t *info, const char *why,
                const char *sentence)
{
    bool composed = event_is_composed(info);
    const char *note = why == NULL && info->note[0] != '\0' ? info->note : NULL;
    char code[16];
    snprintf(code, sizeof code, "0x%08x", info->event_code);
    report_object(report, key);
    report_sentence(report, NULL, sentence, AS_TEXT("name", info->symbol), AS_TEXT("code", code),
                    AS_FLAG("available", why == NULL), AS_FLAG("derived", event_is_derived(info)),
                    AS_TEXT(composed ? "summary" : ".summary", info->short_descr),
                    AS_TEXT("description", info->long_descr), AS_TEXT(".note", note));
    if (composed)
        show_definition(report, info);
    report_string(report, NULL, "note", note);
    report_string(report, NULL, "reason", why);
    report_end(report);
}

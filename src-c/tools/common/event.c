/* SPDX-License-Identifier: BSD-3-Clause */
#include "event.h"

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

/* ---- work to count */

enum { LENGTH = 1024 };

/* The sums depend on each other from round to round, and each round may be looked at: no compiler leaves them
 * out, or does them before or after the calls that begin and end the counting. */
double work(int rounds)
{
    double value[LENGTH], sum = 0;
    for (int i = 0; i < LENGTH; i++)
        value[i] = 1.0 / (i + 1);
    for (int round = 0; round < rounds; round++) {
        for (int i = 1; i < LENGTH; i++) {
            value[i] = 0.5 * value[i] + 0.5 * value[i - 1];
            if (value[i] > 0.25)
                sum += value[i];
        }
        __asm__ volatile("" : "+m"(sum) : "r"(value) : "memory");
    }
    return sum;
}

/* ---- JSON */

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

/* ---- what is printed of an event */

/* Format of a text in every listing: the bars show scripts where it ends. */
#define BARS "|%s|"

/* Note of an event that counts; "" for one that does not, whose note only repeats the reason. */
static const char *note_of(const PAPI_event_info_t *info, const char *why)
{
    return why == NULL ? info->note : "";
}

/* Kind of derivation; an event without a definition has none. */
static const char *derivation_of(const PAPI_event_info_t *info)
{
    return info->derived[0] != '\0' ? info->derived : "NOT_DERIVED";
}

/* The natives of a definition have codes where they count; else their names say what is missing. */
static int natives_with_code(const PAPI_event_info_t *info)
{
    return event_is_composed(info) ? (int)info->count : 0;
}

static void show_names_alone(struct report *report, const PAPI_event_info_t *info)
{
    for (int i = natives_with_code(info); i < event_natives(info); i++)
        report_line(report, NULL, " Native Name[%d]: " BARS, i, info->name[i]);
}

static void show_native(struct report *report, const PAPI_event_info_t *info, int i)
{
    report_line(report, NULL, " Native Code[%d]: 0x%08x " BARS, i, info->code[i], info->name[i]);
}

/* ---- a row */

void event_show_row(struct report *report, const PAPI_event_info_t *info, const char *why, bool column)
{
    char sentence[96];
    snprintf(sentence, sizeof sentence, "{name:%%-13s}{code}  %s{derived:%%-6Y}{%s}{.note? (%%s)}",
             column ? "{available:%-6Y}" : "",
             info->short_descr[0] == '\0' ? "description"
             : event_is_composed(info)    ? "summary"
                                          : ".summary");
    event_show(report, NULL, info, why, sentence);
}

/* ---- a block */

void event_show_block_heading(struct report *report)
{
    report_line(report, NULL,
                "Symbol\tEvent Code\tCount\t|Short Description|\n"
                " |Long Description|\n"
                " |Developer's Notes|\n"
                " |Derived|\n"
                " |PostFix|\n"
                " Native Code[n]: <hex> |name|");
}

void event_show_block(struct report *report, const PAPI_event_info_t *info, const char *why)
{
    event_show(report, NULL, info, why, NULL);
    report_line(report, NULL, "%s\t0x%08x\t%d\t" BARS, info->symbol, info->event_code,
                natives_with_code(info), info->short_descr);
    report_line(report, NULL, " " BARS, info->long_descr);
    report_line(report, NULL, " " BARS, why != NULL ? why : info->note);
    report_line(report, NULL, " " BARS, derivation_of(info));
    report_line(report, NULL, " " BARS, info->postfix);
    for (int i = 0; i < natives_with_code(info); i++)
        show_native(report, info, i);
    show_names_alone(report, info);
}

/* ---- labels and values */

static const struct report_layout fields = {.width = 30, .separator = "", .hang = 30},
                                  texts = {.width = 29, .separator = ""};

static void show_text(struct report *report, const char *label, const char *text)
{
    report->layout = &texts;
    report_line(report, label, BARS, text);
}

/* Prints a native event of a definition. The number of register values, which scripts know, is 0: events here
 * are encoded for the kernel, not for registers. */
static void show_part(struct report *report, const PAPI_event_info_t *info, int i)
{
    PAPI_event_info_t native;
    show_native(report, info, i);
    report_line(report, NULL, " Number of Register Values: 0");
    if (PAPI_get_event_info((int)info->code[i], &native) == PAPI_OK)
        report_line(report, NULL, " Native Event Description: " BARS, native.long_descr);
    report_blank(report);
}

static void show_composed(struct report *report, const PAPI_event_info_t *info, const char *why)
{
    report_line(report, "Number of Native Events:", "%d", natives_with_code(info));
    show_text(report, "Short Description:", info->short_descr);
    show_text(report, "Long Description:", info->long_descr);
    show_text(report, "Developer's Notes:", note_of(info, why));
    show_text(report, "Derived Type:", derivation_of(info));
    show_text(report, "Postfix Processing String:", info->postfix);
    for (int i = 0; i < natives_with_code(info); i++)
        show_part(report, info, i);
    show_names_alone(report, info);
}

/* The part of a mask's name behind the name of its event. */
static const char *suffix_of(const char *name, const char *event)
{
    size_t length = strlen(event);
    return strncmp(name, event, length) == 0 ? name + length : name;
}

static void show_masks(struct report *report, const PAPI_event_info_t *info)
{
    PAPI_event_info_t mask;
    int code = (int)info->event_code;
    report_list(report, "masks");
    for (int i = 0; PAPI_enum_event(&code, PAPI_NTV_ENUM_UMASKS) == PAPI_OK; i++) {
        if (PAPI_get_event_info(code, &mask) != PAPI_OK)
            break;
        if (i == 0)
            report_line(report, NULL, "\nUnit Masks:");
        report->layout = &texts;
        report_object(report, NULL);
        report_sentence(report, " Mask Info:", "|{.suffix}|{description}|", AS_TEXT("name", mask.symbol),
                        AS_TEXT(".suffix", suffix_of(mask.symbol, info->symbol)),
                        AS_TEXT("description", mask.long_descr));
        report_end(report);
    }
    report_end(report);
}

static void show_single(struct report *report, const PAPI_event_info_t *info)
{
    const PAPI_component_info_t *component = PAPI_get_component_info(info->component_index);
    report_line(report, "Number of Register Values:", "0");
    show_text(report, "Description:", info->long_descr);
    if (info->units[0] != '\0')
        show_text(report, "Units:", info->units);
    if (component != NULL)
        show_text(report, "Component:", component->name);
}

void event_show_fields(struct report *report, const char *key, const PAPI_event_info_t *info, const char *why)
{
    const char *kind = event_is_preset(info) ? "PRESET" : event_is_composed(info) ? "USER" : "NATIVE";
    event_show(report, key, info, why, NULL);
    report->layout = &fields;
    report_line(report, "Event name:", "%s", info->symbol);
    report_line(report, "Event Code:", "0x%08x", info->event_code);
    if (event_is_composed(info)) {
        show_composed(report, info, why);
    } else {
        show_single(report, info);
        show_masks(report, info);
    }
    if (why != NULL) {
        report_blank(report);
        report_say(report, "%s event %s is NOT available here: %s", kind, info->symbol, why);
    }
}

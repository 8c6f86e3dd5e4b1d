/* SPDX-License-Identifier: BSD-3-Clause */
#include "event.h"

#include <string.h>

/* In all forms a text stands between bars, so that scripts see where it ends. */
#define BARS "|%s|"

/* Of an event that does not count, the note only says why. */
static const char *note_of(const PAPI_event_info_t *info, const char *why)
{
    return why == NULL ? info->note : "";
}

/* One without a definition is derived from nothing. */
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

/* ------------------------------------------------------------------------ a row */

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

/* ---------------------------------------------------------------------- a block */

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
    if (report->json)
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

/* ------------------------------------------------------------ labels and values */

static const struct report_layout fields = {.width = 30, .separator = "", .hang = 30},
                                  texts = {.width = 29, .separator = ""};

static void show_text(struct report *report, const char *label, const char *text)
{
    report->layout = &texts;
    report_line(report, label, BARS, text);
}

/* An encoding is no matter of registers here: there is none to list. */
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

/* After the name of the event, which all have. */
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
    if (report->json)
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

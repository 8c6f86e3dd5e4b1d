/* SPDX-License-Identifier: BSD-3-Clause
 *
 * papi_avail: which preset events this machine counts, and what any event is.
 */
#include "event.h"
#include "machine.h"
#include "nodes.h"

#include <stdio.h>

struct options {
    bool detail;
    bool only_available;
    bool nodes;        /* the nodes of a job instead of events */
    const char *event; /* one event in detail; NULL: all presets */
};

/* The presets that were printed, or would have been. */
struct totals {
    int possible, available, derived;
    int defined; /* of natives that this machine has by name, whether they count or not */
};

static const char usage_text[] =
    "Usage: papi_avail [-acdt] [--json] [-e EVENT]\n"
    "       mpirun ... papi_avail --nodes [--json]\n"
    "Lists the preset events and whether this machine counts them.\n"
    "\n"
    "  -a, --avail        only the events that count here\n"
    "  -c, --check        the same: the kernel is always asked\n"
    "  -d, --detail       with descriptions, native events and formulas\n"
    "  -t, --table        one line an event (this is the default)\n"
    "  -e, --event=EVENT  one preset or native event; if it does not count here, why\n"
    "      --nodes        under mpirun: which nodes of the job differ, by kind\n"
    "      --json         the same for programs: one JSON object\n"
    "      --version      the version of the interface\n"
    "  -h, --help         this text\n"
    "\n"
    "Exit status: 0; 1 after an error (-e: no such event); 2 for wrong options.\n";

/* ----------------------------------------------------------------------- text */

static void print_row(const PAPI_event_info_t *info, bool available)
{
    bool note = available && info->note[0] != '\0';
    printf("%-13s0x%08x  %-6s%-6s%s%s%s%s\n", info->symbol, info->event_code, available ? "Yes" : "No",
           event_is_derived(info) ? "Yes" : "No", info->short_descr[0] ? info->short_descr : info->long_descr,
           note ? " (" : "", note ? info->note : "", note ? ")" : "");
}

static void print_head(const struct options *options)
{
    machine_print_head(stdout, "Preset events, and the machine that would count them");
    if (!options->detail)
        puts("    Name        Code    Avail Deriv Description (Note)");
}

static void print_foot(const struct totals *totals)
{
    machine_explain(stdout, totals->available);
    if (totals->available == 0 && totals->defined > 0)
        printf("%d of the %d have a definition for this processor: papi_avail -d\n", totals->defined,
               totals->possible);
    printf("\nOf %d possible events, %d are available, of which %d are derived.\n", totals->possible,
           totals->available, totals->derived);
}

/* --------------------------------------------------------------- all presets */

struct listing {
    const struct options *options;
    bool as_json;
    struct totals totals;
    struct json json;
};

static bool has_definition(const PAPI_event_info_t *info)
{
    int n = event_natives(info), code;
    for (int i = 0; i < n; i++)
        if (PAPI_event_name_to_code(info->name[i], &code) != PAPI_OK)
            return false;
    return n > 0;
}

static void list_event(struct listing *listing, const PAPI_event_info_t *info)
{
    const char *why;
    bool defined = has_definition(info);
    bool available = event_counts(info, &why);
    listing->totals.possible++;
    listing->totals.available += available;
    listing->totals.defined += defined;
    listing->totals.derived += event_is_derived(info);
    if (listing->options->only_available && !available)
        return;
    if (listing->as_json) {
        event_json(&listing->json, NULL, info, available, why);
    } else if (listing->options->detail) {
        event_print(info, available, why);
        putchar('\n');
    } else {
        print_row(info, available);
    }
}

/* Presets, or the user's own events. */
static void list_kind(struct listing *listing, int code)
{
    PAPI_event_info_t info;
    int more = PAPI_enum_event(&code, PAPI_ENUM_FIRST);
    for (; more == PAPI_OK; more = PAPI_enum_event(&code, PAPI_ENUM_EVENTS))
        if (PAPI_get_event_info(code, &info) == PAPI_OK)
            list_event(listing, &info);
}

static void list_text(struct listing *listing)
{
    print_head(listing->options);
    list_kind(listing, PAPI_PRESET_MASK);
    list_kind(listing, PAPI_UE_MASK);
    print_foot(&listing->totals);
}

static void list_json(struct listing *listing)
{
    struct json *json = &listing->json;
    json->out = stdout;
    json_open(json, NULL, '{');
    machine_json(json);
    json_open(json, "presets", '[');
    list_kind(listing, PAPI_PRESET_MASK);
    json_close(json, ']');
    json_open(json, "user_events", '[');
    list_kind(listing, PAPI_UE_MASK);
    json_close(json, ']');
    json_integer(json, "possible", listing->totals.possible);
    json_integer(json, "available", listing->totals.available);
    json_integer(json, "derived", listing->totals.derived);
    json_integer(json, "defined", listing->totals.defined);
    machine_explain_json(json, listing->totals.available);
    json_close(json, '}');
}

static int list_all(struct tool *tool, const struct options *options)
{
    struct listing listing = {.options = options, .as_json = tool->report.json};
    if (tool->report.json)
        list_json(&listing);
    else
        list_text(&listing);
    return machine_check(tool);
}

/* ----------------------------------------------------------------- one event */

static void one_json(const PAPI_event_info_t *info, bool available, const char *why)
{
    struct json json = {.out = stdout};
    json_open(&json, NULL, '{');
    event_json(&json, event_is_preset(info) ? "preset" : "event", info, available, why);
    if (!event_is_composed(info))
        event_masks_json(&json, info);
    json_close(&json, '}');
}

static int show_event(struct tool *tool, const char *name)
{
    PAPI_event_info_t info;
    const char *why;
    if (event_find(tool, name, &info) != TOOL_FINE)
        return TOOL_ERROR;
    bool available = event_counts(&info, &why);
    if (tool->report.json) {
        one_json(&info, available, why);
    } else {
        event_print(&info, available, why);
        event_print_masks(&info);
    }
    return machine_check(tool);
}

/* -------------------------------------------------------------------- options */

static int run(struct tool *tool, const struct options *options)
{
    if (tool_open(tool) != TOOL_FINE)
        return TOOL_ERROR;
    if (options->nodes)
        return nodes_list(tool->report.json);
    return options->event != NULL ? show_event(tool, options->event) : list_all(tool, options);
}

int main(int argc, char **argv)
{
    static const struct option long_options[] = {
        {"avail", no_argument, NULL, 'a'},
        {"check", no_argument, NULL, 'c'},
        {"detail", no_argument, NULL, 'd'},
        {"table", no_argument, NULL, 't'},
        {"event", required_argument, NULL, 'e'},
        {"nodes", no_argument, NULL, 'n'},
        {NULL, 0, NULL, 0},
    };
    struct tool tool = {.name = "papi_avail", .usage = usage_text};
    struct options options = {.detail = false};
    int c;
    tool_start(&tool, "acdte:h", long_options);
    while ((c = tool_option(&tool, argc, argv)) >= 0) {
        switch (c) {
        case 'a':
        case 'c':
            options.only_available = true;
            break;
        case 'd':
        case 't':
            options.detail = c == 'd';
            tool.report.json = false; /* the last one says the format */
            break;
        case 'e':
            options.event = optarg;
            break;
        case 'n':
            options.nodes = true;
            break;
        }
    }
    if (c == TOOL_NO_MORE && tool_no_arguments(&tool, argc, argv) == TOOL_FINE)
        tool.status = run(&tool, &options);
    return tool_end(&tool);
}

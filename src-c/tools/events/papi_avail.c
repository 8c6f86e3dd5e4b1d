/* SPDX-License-Identifier: BSD-3-Clause
 *
 * papi_avail: which preset events this machine counts, and what any event is.
 */
#include "node_kinds.h"
#include "tools/common/event.h"
#include "tools/common/machine_head.h"

#include <string.h>

struct options {
    bool detail;
    bool only_available;
    bool nodes;                         /* the nodes of a job instead of events */
    const char *event;                  /* one event in detail; NULL: all presets */
    bool kind[PAPI_PRESET_ENUM_FP + 1]; /* only of these, by their PAPI_PRESET_ENUM_*; none: all */
};

static const struct option_row rows[] = {
    {'a', "avail", OPTION_SET, offsetof(struct options, only_available), 0, 0},
    {'c', "check", OPTION_SET, offsetof(struct options, only_available), 0, 0},
    {'d', "detail", OPTION_RETURNED, 0, 0, 0},
    {'t', "table", OPTION_RETURNED, 0, 0, 0},
    {'e', "event", OPTION_TEXT, offsetof(struct options, event), 0, 0},
    {0, "nodes", OPTION_SET, offsetof(struct options, nodes), 0, 0},
#define KIND(name, of)                                                                                       \
    {                                                                                                        \
        0, name, OPTION_SET, offsetof(struct options, kind[PAPI_PRESET_ENUM_##of]), 0, 0                     \
    }
    KIND("br", BR),
    KIND("cnd", CND),
    KIND("ins", INS),
    KIND("fp", FP),
    KIND("mem", MEM),
    KIND("cache", CACH),
    KIND("l1", L1),
    KIND("l2", L2),
    KIND("l3", L3),
    KIND("tlb", TLB),
    KIND("idl", IDL),
    KIND("msc", MSC),
#undef KIND
    {0},
};

/* Numbers of presets of the kinds that are listed, whether they are printed or left out. */
struct totals {
    int possible, available, derived;
    int defined; /* of natives that this machine has by name, whether they count or not */
    int counts;  /* those of no kind that is listed, too */
};

static const char usage_text[] =
    "Usage: papi_avail [-acdt] [--KIND...] [--json] [-e EVENT]\n"
    "       mpirun ... papi_avail --nodes [--json]\n"
    "Lists the preset events and whether this machine counts them.\n"
    "\n"
    "  -a, --avail        only the events that count here\n"
    "  -c, --check        the same: the kernel is always asked\n"
    "  -d, --detail       with descriptions, native events and formulas\n"
    "  -t, --table        one line an event (this is the default)\n"
    "  -e, --event=EVENT  one preset or native event; if it does not count here, why\n"
    "      --br, --cnd, --ins, --fp, --mem, --idl, --msc\n"
    "                     only these: branches, conditional ones and stores,\n"
    "                     instructions, floating point, memory, idle cycles, others\n"
    "      --cache, --l1, --l2, --l3, --tlb\n"
    "                     only caches, those of a level, TLBs; all that is given\n"
    "      --nodes        under mpirun: which nodes of the job differ, by kind\n"
    "      --json         the same for programs: one JSON object\n"
    "      --version      the version of the interface\n"
    "  -h, --help         this text\n"
    "\n"
    "Exit status: 0; 1 after an error (-e: no such event); 2 for wrong options.\n";

/* ---- listing */

static bool has_definition(const PAPI_event_info_t *info)
{
    int n = event_natives(info), code;
    for (int i = 0; i < n; i++)
        if (PAPI_event_name_to_code(info->name[i], &code) != PAPI_OK)
            return false;
    return n > 0;
}

/* True if the event is of a kind that was asked for. */
static bool is_listed(const struct options *options, const PAPI_event_info_t *info)
{
    bool asked = false;
    for (int i = 0; i <= PAPI_PRESET_ENUM_FP; i++) {
        if (options->kind[i] && (info->event_type & 1U << i) != 0)
            return true;
        asked = asked || options->kind[i];
    }
    return !asked;
}

static void list_event(struct report *report, const struct options *options, struct totals *totals,
                       const PAPI_event_info_t *info)
{
    const char *why;
    bool listed = is_listed(options, info);
    totals->possible += listed;
    totals->defined += listed && has_definition(info); /* first: the reason lasts until the next call */
    bool available = event_counts(info, &why);
    totals->counts += available;
    totals->available += listed && available;
    totals->derived += listed && event_is_derived(info);
    if (!listed || (options->only_available && !available))
        return;
    if (options->detail)
        event_show_block(report, info, why);
    else
        event_show_row(report, info, why, !options->only_available);
}

/* Lists the presets or, by code, the user's own events. */
static void list_kind(struct report *report, const struct options *options, struct totals *totals, int code)
{
    struct events events = {.code = code};
    report_list(report, code == PAPI_PRESET_MASK ? "presets" : "user_events");
    while (events_next(&events))
        list_event(report, options, totals, &events.info);
    report_end(report);
}

/* The last line of each list is as scripts know it. */
static void show_totals(struct report *report, const struct options *options, const struct totals *totals)
{
    static const char defined[] =
        "{defined} of the {possible} have a definition for this processor: papi_avail -d\n";
    static const char available[] = "\nOf {available} available events, {derived} are derived.";
    static const char all[] =
        "\nOf {possible} possible events, {available} are available, of which {derived} are derived.";
    char sentence[sizeof defined + sizeof all] = "";
    if (totals->counts == 0 && totals->defined > 0)
        strcpy(sentence, defined);
    strcat(sentence, options->only_available ? available : all);
    report_sentence(report, NULL, sentence, AS_NUMBER("possible", totals->possible),
                    AS_NUMBER("available", totals->available), AS_NUMBER("derived", totals->derived),
                    AS_NUMBER("defined", totals->defined));
}

static int list_all(struct tool *tool, const struct options *options)
{
    struct report *report = &tool->report;
    struct totals totals = {.possible = 0};
    machine_show(report, "Preset events, and the machine that would count them");
    if (options->detail)
        event_show_block_heading(report);
    else
        report_line(report, NULL, "    Name        Code    %sDeriv Description (Note)",
                    options->only_available ? "" : "Avail ");
    list_kind(report, options, &totals, PAPI_PRESET_MASK);
    list_kind(report, options, &totals, PAPI_UE_MASK);
    machine_explain(report, totals.counts);
    show_totals(report, options, &totals);
    return machine_check(tool);
}

static int show_event(struct tool *tool, const char *name)
{
    PAPI_event_info_t info;
    const char *why;
    if (event_find(tool, name, &info) != TOOL_FINE)
        return TOOL_ERROR;
    event_counts(&info, &why);
    event_show_fields(&tool->report, event_is_preset(&info) ? "preset" : "event", &info, why);
    return machine_check(tool);
}

/* ---- options */

static int run(struct tool *tool, const struct options *options)
{
    if (options->nodes)
        return nodes_list(tool);
    return options->event != NULL ? show_event(tool, options->event) : list_all(tool, options);
}

int main(int argc, char **argv)
{
    struct tool tool = {.name = "papi_avail", .usage = usage_text};
    struct options options = {.detail = false};
    int c;
    while ((c = tool_read(&tool, argc, argv, rows, &options)) > 0) {
        options.detail = c == 'd';
        tool.report.json = false; /* the last one says the format */
    }
    if (c == 0 && tool_ready(&tool, argc, argv, rows, &options))
        tool.status = run(&tool, &options);
    return tool_end(&tool);
}

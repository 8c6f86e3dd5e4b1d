/* SPDX-License-Identifier: BSD-3-Clause
 *
 * papi_event_chooser: which events can be counted together with those that are given.
 */
#include "chooser.h"
#include "metric_groups.h"
#include "native.h"
#include "tools/common/event.h"
#include "tools/common/machine_head.h"

#include <strings.h>

static const char usage_text[] =
    "Usage: papi_event_chooser PRESET|NATIVE EVENT...\n"
    "       papi_event_chooser @NAME... | @\n"
    "Lists the preset or native events that can be counted together with the EVENTs;\n"
    "or how this machine counts the metrics of a group, or a metric, of that NAME: of\n"
    "what events, and whether in one group of counters, in turns, or not at all and\n"
    "why. @ alone lists the groups and their metrics.\n"
    "\n"
    "      --json             the same for programs: one JSON object\n"
    "      --version          the version of the interface\n"
    "  -h, --help             this text\n"
    "\n"
    "Exit status: 0; 1 after an error (an EVENT does not exist, they cannot be\n"
    "counted together, or no metric can be counted); 2 for wrong options.\n";

/* -------------------------------------------------------------------- presets */

/* Lists the presets or, by code, the user's own events that the set still takes. Returns their number. */
static int list_kind(struct report *report, int set, int code)
{
    struct events events = {.code = code};
    int n = 0;
    while (events_next(&events)) {
        if (!chooser_takes(set, events.code))
            continue;
        n++;
        event_show_row(report, &events.info, NULL, false);
    }
    return n;
}

/* --------------------------------------------------------------------- natives */

static void show_native(struct report *report, const struct native *native)
{
    const struct native_item *event = &native->event;
    report_object(report, NULL);
    report_sentence(report, NULL, "{name}\t0x{.code:%08x}\n |{description}|",
                    AS_FLAG("without_mask", event->alone), AS_TEXT("name", event->name),
                    AS_NUMBER(".code", (unsigned)event->code), AS_TEXT("description", event->description));
    report_list(report, "masks");
    for (int i = 0; i < native->n_masks; i++)
        report_row(report, NULL, "    0x{.code:%08x}{name}  |{description}|",
                   AS_NUMBER(".code", (unsigned)native->mask[i].code),
                   AS_TEXT("name", native_suffix(native, &native->mask[i])),
                   AS_TEXT("description", native->mask[i].description));
    report_end(report);
    report_end(report);
    report_line(report, NULL, "-------------------------------------------------------------------------");
}

/* Lists the native events that the set still takes. Returns their number, or an error. */
static int list_natives(struct report *report, int set)
{
    struct native native = {.n_masks = 0};
    int n = 0, code = PAPI_OK, event = PAPI_NATIVE_MASK;
    int more = PAPI_enum_event(&event, PAPI_ENUM_FIRST);
    while (more == PAPI_OK && code == PAPI_OK && !tool_output_failed()) {
        code = native_read(&native, event);
        if (code == PAPI_OK && chooser_keeps(set, &native)) {
            n++;
            show_native(report, &native);
        }
        more = PAPI_enum_event(&event, PAPI_ENUM_EVENTS);
    }
    native_free(&native);
    return code == PAPI_OK ? n : code;
}

/* ------------------------------------------------------------------------- all */

static int list_all(struct report *report, bool presets, int set)
{
    report_list(report, presets ? "presets" : "natives");
    if (presets)
        report_line(report, NULL, "    Name        Code    Deriv Description (Note)");
    int n = presets ? list_kind(report, set, PAPI_PRESET_MASK) : list_natives(report, set);
    if (presets)
        n += list_kind(report, set, PAPI_UE_MASK);
    report_end(report);
    return n;
}

static int choose(struct tool *tool, bool presets, char **name, int n)
{
    struct report *report = &tool->report;
    int set;
    if (tool_open(tool) != TOOL_FINE || chooser_open(tool, name, n, &set) != TOOL_FINE)
        return TOOL_ERROR;
    machine_show(report, "Events that can be counted together with those given");
    report_list(report, "given");
    for (int i = 0; i < n; i++)
        report_string(report, NULL, NULL, name[i]);
    report_end(report);
    int total = list_all(report, presets, set);
    chooser_close(set);
    if (total < 0)
        return tool_error(tool, "the list is not complete: %s", PAPI_strerror(total));
    report_sentence(report, NULL, "Total events reported: {total}", AS_NUMBER("total", total));
    return TOOL_FINE;
}

static int show_metrics(struct tool *tool, struct by_name *by_name, int n, char **word)
{
    bool all = n == 1 && word[0][1] == '\0';
    if (tool_open(tool) != TOOL_FINE || by_name_open(by_name, tool) != TOOL_FINE ||
        (!all && by_name_take(by_name, tool, n, word) != TOOL_FINE))
        return TOOL_ERROR;
    machine_show(&tool->report, "Metrics by name");
    if (all)
        groups_list(by_name, &tool->report);
    else if (groups_show(by_name, &tool->report) == 0)
        return tool_error(tool, "none of these metrics can be counted here");
    return TOOL_FINE;
}

static int choose_metrics(struct tool *tool, int n, char **word)
{
    struct by_name by_name = {0};
    for (int i = 0; i < n; i++)
        if (!by_name_word(word[i]))
            return tool_usage_error(tool, "what is \"%s\" among metrics? Each of them begins with @",
                                    word[i]);
    int status = show_metrics(tool, &by_name, n, word);
    by_name_close(&by_name);
    return status;
}

static int run(struct tool *tool, int n, char **word)
{
    if (n > 0 && by_name_word(word[0]))
        return choose_metrics(tool, n, word);
    bool presets = n > 0 && strcasecmp(word[0], "PRESET") == 0;
    if (n == 0)
        return tool_usage_error(tool, "PRESET or NATIVE, and events, are missing");
    if (!presets && strcasecmp(word[0], "NATIVE") != 0)
        return tool_usage_error(tool, "what is \"%s\"? PRESET or NATIVE comes first", word[0]);
    if (n == 1)
        return tool_usage_error(tool, "which events? At least one is to be given");
    return choose(tool, presets, word + 1, n - 1);
}

int main(int argc, char **argv)
{
    struct tool tool = {.name = "papi_event_chooser", .usage = usage_text};
    if (tool_read(&tool, argc, argv, NULL, NULL) == 0)
        tool.status = run(&tool, argc - optind, argv + optind);
    return tool_end(&tool);
}

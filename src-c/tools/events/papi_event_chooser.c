/* SPDX-License-Identifier: BSD-3-Clause
 *
 * papi_event_chooser: which events can be counted together with those that are given.
 */
#include "count_sets.h"
#include "metric_words.h"
#include "native.h"
#include "tools/common/event.h"
#include "tools/common/machine_head.h"
#include "tools/common/tool_words.h"

#include <stdlib.h>
#include <string.h>
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

/* ---- metrics */

/* A set of events that are tried together. */
struct trial {
    struct count_sets sets;
    char *name[MAX_COUNT_EVENTS];
};

static int take(void *context, const char *event)
{
    struct trial *trial = context;
    int n = trial->sets.n_events;
    for (int i = 0; i < n; i++)
        if (strcmp(trial->name[i], event) == 0)
            return PAPI_OK;
    if (n == MAX_COUNT_EVENTS || (trial->name[n] = strdup(event)) == NULL)
        return PAPI_ECOUNT;
    count_sets_add(&trial->sets, trial->name[n]);
    return PAPI_OK;
}

static void end(struct trial *trial)
{
    count_sets_end(&trial->sets);
    for (int i = 0; i < trial->sets.n_events; i++)
        free(trial->name[i]);
    free(trial);
}

static struct trial *begin(void)
{
    struct trial *trial = calloc(1, sizeof *trial);
    if (trial != NULL)
        trial->sets.may_take_turns = true;
    return trial;
}

/* The first event that was refused. */
static const struct count_event *refused(const struct trial *trial)
{
    for (int i = 0; i < trial->sets.n_events; i++)
        if (!trial->sets.event[i].added)
            return &trial->sets.event[i];
    return NULL;
}

static bool takes_turns(const struct trial *trial)
{
    for (int i = 0; i < trial->sets.n_events; i++)
        if (trial->sets.event[i].added && count_sets_estimated(&trial->sets, &trial->sets.event[i]))
            return true;
    return false;
}

static const struct report_layout how = {.indent = 4, .separator = ": ", .width = 9, .hang = 15};

/* Prints how the events are counted. reason: why they are not, if that is known already; else NULL. Returns
 * true if all of them are counted. */
static bool show_how(struct report *report, const struct trial *trial, const char *reason)
{
    const struct count_event *first = reason == NULL ? refused(trial) : NULL;
    const char *word = reason != NULL || first != NULL ? "not counted"
                       : takes_turns(trial)            ? "multiplexed"
                                                       : "one group";
    report->layout = &how;
    report_string(report, "counted", "how",
                  strcmp(word, "one group") == 0 ? "in one group of counters"
                  : strcmp(word, "multiplexed") == 0
                      ? "multiplexed: the events take turns, and the values are estimates"
                      : "not at all");
    if (first != NULL) {
        char text[2 * PAPI_HUGE_STR_LEN];
        snprintf(text, sizeof text, "%s: %s", first->name, first->why);
        report_string(report, "because", "reason", text);
    } else
        report_string(report, "because", "reason", reason);
    return reason == NULL && first == NULL;
}

static void show_events(struct report *report, const struct trial *trial)
{
    static const struct report_layout unbroken = {.indent = 4, .separator = ": ", .width = 9};
    report->layout = &unbroken;
    report_words(report, "events", "events", (const char *const *)trial->name, trial->sets.n_events);
}

static void show_row(struct report *report, const struct metrics_row *row)
{
    report_sentence(report, NULL, "\n{name} ({unit}): {description}", AS_TEXT("name", row->name),
                    AS_TEXT("group", row->group), AS_TEXT("unit", row->unit),
                    AS_TEXT("description", row->description));
    report->layout = &how;
    report_string(report, "formula", "formula", row->formula);
}

static bool show_pick(struct report *report, const struct metrics_pick *pick)
{
    struct trial *trial = begin();
    bool counted = false;
    if (trial == NULL)
        return false;
    report_object(report, NULL);
    show_row(report, pick->row);
    bool counts = pick->why.code == PAPI_OK;
    metrics_events(pick, take, trial);
    if (counts)
        show_events(report, trial);
    counted = show_how(report, trial, counts ? NULL : pick->why.text);
    report_end(report);
    end(trial);
    return counted;
}

/* Prints how all metrics are counted together, as far as they can be counted at all. */
static void show_together(const struct by_name *by_name, struct report *report)
{
    struct trial *trial = begin();
    if (trial == NULL)
        return;
    for (int i = 0; i < by_name->picks.n; i++)
        metrics_events(&by_name->picks.pick[i], take, trial);
    report_line(report, NULL, "\nAll of these that are counted, together:");
    report_object(report, "together");
    show_events(report, trial);
    show_how(report, trial, NULL);
    report_end(report);
    end(trial);
}

/* Reports how this machine counts each metric that was taken, and all of them together: in one group of
 * counters, in turns, or not at all and why. How many of them it counts. */
static int groups_show(const struct by_name *by_name, struct report *report)
{
    int counted = 0;
    report_list(report, "metrics");
    for (int i = 0; i < by_name->picks.n; i++)
        counted += show_pick(report, &by_name->picks.pick[i]);
    report_end(report);
    if (counted > 1)
        show_together(by_name, report);
    return counted;
}

static bool is_first_of_name(const struct metrics *metrics, const struct metrics_row *row)
{
    const struct metrics_row *first = metrics->first;
    while (first != row && (first->formula == NULL || strcmp(first->name, row->name) != 0))
        first = first->next;
    return first == row;
}

static void list_row(struct report *report, const struct metrics *metrics, const struct metrics_row *row)
{
    bool is_group = row->formula == NULL;
    report_row(report, NULL,
               is_group                         ? "\n@{name}: {description}"
               : is_first_of_name(metrics, row) ? "    {name:%-18s} {unit:%-12s} {description}"
                                                : NULL,
               AS_FLAG("is_group", is_group), AS_TEXT("name", row->name), AS_TEXT("group", row->group),
               AS_TEXT("unit", row->unit), AS_TEXT("formula", row->formula),
               AS_TEXT("description", row->description));
}

/* Reports all groups and their metrics. */
static void groups_list(const struct by_name *by_name, struct report *report)
{
    const struct metrics *metrics = by_name->metrics;
    report_list(report, "table");
    for (const struct metrics_row *row = metrics->first; row != NULL; row = row->next)
        list_row(report, metrics, row);
    report_end(report);
}

/* ---- presets */

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

/* ---- natives */

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

/* ---- all */

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

/* PRESET or NATIVE is missing: which one it is to be is what the first event is. */
static int refuse_kind(struct tool *tool, int n, char **word)
{
    static char *const none[] = {NULL};
    bool preset = strncasecmp(word[0], "PAPI_", 5) == 0;
    char *command = tool_command(tool->name, preset ? "PRESET" : "NATIVE", word, n, none);
    tool_usage_error(tool, "what is \"%s\"? PRESET or NATIVE comes first: run \"%s\"", word[0],
                     command != NULL ? command : tool->name);
    free(command);
    return TOOL_USAGE;
}

static int run(struct tool *tool, int n, char **word)
{
    if (n > 0 && by_name_word(word[0]))
        return choose_metrics(tool, n, word);
    bool presets = n > 0 && strcasecmp(word[0], "PRESET") == 0;
    if (n == 0)
        return tool_usage_error(tool, "PRESET or NATIVE, and events, are missing");
    if (!presets && strcasecmp(word[0], "NATIVE") != 0)
        return refuse_kind(tool, n, word);
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

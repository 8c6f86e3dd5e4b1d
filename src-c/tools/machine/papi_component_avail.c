/* SPDX-License-Identifier: BSD-3-Clause
 *
 * papi_component_avail: the components of the library, what each can count, and why one does not work.
 */
#include "papi.h"
#include "tools/common/machine_head.h"

#include <stdio.h>

static const char usage_text[] =
    "Usage: papi_component_avail [-d]\n"
    "Lists the components of the library, and why one does not work here.\n"
    "\n"
    "  -d, --detail           with versions, events and what a component can do\n"
    "      --json             the same for programs: one JSON object\n"
    "      --version          the version of the interface\n"
    "  -h, --help             this text\n"
    "\n"
    "Exit status: 0; 1 after an error, or if no component works; 2 for wrong options.\n";

enum { INDENT = 32 };

static const struct report_layout facts = {.indent = INDENT, .width = 32, .separator = ""};

/* ---- one component */

static void show_name(struct report *report, const PAPI_component_info_t *component)
{
    report_sentence(report, NULL, "Name:   {name:%-23s} {description}", AS_TEXT("name", component->name),
                    AS_TEXT("description", component->description));
}

static void show_reasons(struct report *report, const PAPI_component_info_t *component)
{
    static const struct report_layout disabled = {.separator = "   \\-> Disabled: ", .hang = 7},
                                      partly = {.separator = "   \\-> Partially disabled: ", .hang = 7};
    report->layout = &disabled;
    report_string(report, "", "disabled_reason", component->disabled ? component->disabled_reason : NULL);
    report->layout = &partly;
    report_string(report, component->disabled ? NULL : "", "partially_disabled_reason",
                  component->partially_disabled ? component->partially_disabled_reason : NULL);
    report->layout = &facts;
}

static void show_detail(struct report *report, const PAPI_component_info_t *component)
{
    report_string(report, "Version:", "version", component->version);
    report_string(report, "Event names from:", "event_names_from", component->support_version);
    report_string(report, "Kernel:", "kernel", component->kernel_version);
    report_number(report, "Number of native events:", "native_events", component->num_native_events);
    report_number(report, "Number of preset events:", "preset_events", component->num_preset_events);
}

static void show_abilities(struct report *report, const PAPI_component_info_t *component)
{
    report_number(report, "Events of a multiplexed set:", "multiplexed_events", component->num_mpx_cntrs);
    report_flag(report, "Fast counter read:", "fast_counter_read", component->fast_counter_read);
    report_flag(report, "Overflow by hardware:", "overflow_by_hardware", component->hardware_intr);
    report_flag(report, "Multiplexing by the kernel:", "kernel_multiplexing", component->kernel_multiplex);
    report_flag(report, "Attach to other processes:", "attach", component->attach);
    report_flag(report, "Count on a CPU:", "cpu", component->cpu);
    report_flag(report, "Inherited by threads:", "inherit", component->inherit);
}

/* Lists the PMUs, in lines of 80 columns. */
static void show_pmus(struct report *report, const PAPI_component_info_t *component)
{
    static const struct report_layout wrapped = {.indent = INDENT, .separator = "", .hang = INDENT + 4};
    static const char label[] = "PMUs supported: ";
    int n = 0;
    while (n < PAPI_PMU_MAX && component->pmu_names[n] != NULL)
        n++;
    report->layout = &wrapped;
    report_words(report, label, "pmus", (const char *const *)component->pmu_names, n);
    if (n == 0)
        report_line(report, label, "%s", "");
    report->layout = &facts;
}

/* ---- the list */

/* JSON has all of it at once, the text has what it can do with those that work. */
static void show_component(struct report *report, const PAPI_component_info_t *component, bool detail)
{
    report_object(report, NULL);
    report_number(report, NULL, "index", component->CmpIdx);
    show_name(report, component);
    report_flag(report, NULL, "active", !component->disabled);
    report_number(report, NULL, "counters", component->num_cntrs);
    show_reasons(report, component);
    report_only(report, detail ? REPORT_BOTH : REPORT_JSON_ONLY);
    show_detail(report, component);
    report_only(report, REPORT_JSON_ONLY);
    show_pmus(report, component);
    show_abilities(report, component);
    report_only(report, REPORT_BOTH);
    report_end(report);
}

static void show_active(struct report *report, const PAPI_component_info_t *component, bool detail)
{
    show_name(report, component);
    report_line(report, NULL, "%*sNative: %d, Preset: %d, Counters: %d", INDENT, "",
                component->num_native_events, component->num_preset_events, component->num_cntrs);
    show_pmus(report, component);
    if (detail) {
        show_detail(report, component);
        show_abilities(report, component);
    }
    report_blank(report);
}

/* The description of a component. NULL after a message: it is an error of the tool. */
static const PAPI_component_info_t *describe(struct tool *tool, int index)
{
    const PAPI_component_info_t *component = PAPI_get_component_info(index);
    if (component == NULL)
        tool_error(tool,
                   "component %d cannot be described now: memory or file descriptors are lacking (%s); "
                   "call again when there are some",
                   index, PAPI_strerror(PAPI_ESYS));
    return component;
}

static int run(struct tool *tool, bool detail)
{
    struct report *report = &tool->report;
    const PAPI_component_info_t *component;
    machine_show(report, "Components, and the machine");
    report->layout = &facts;
    report_list(report, "components");
    report_line(report, NULL, "Compiled-in components:");
    for (int i = 0; i < PAPI_num_components(); i++)
        if ((component = describe(tool, i)) != NULL)
            show_component(report, component, detail);
    report_only(report, REPORT_TEXT_ONLY);
    report_line(report, NULL, "\nActive components:");
    for (int i = 0; i < PAPI_num_components(); i++)
        if ((component = PAPI_get_component_info(i)) != NULL && !component->disabled)
            show_active(report, component, detail);
    report_line(report, NULL,
                "--------------------------------------------------------------------------------");
    report_only(report, REPORT_BOTH);
    int described = tool->status, status = machine_check(tool);
    return described != TOOL_FINE ? described : status;
}

int main(int argc, char **argv)
{
    static const struct option_row rows[] = {{'d', "detail", OPTION_SET, 0, 0, 0}, {0}};
    struct tool tool = {.name = "papi_component_avail", .usage = usage_text};
    bool detail = false;
    if (tool_ready(&tool, argc, argv, rows, &detail))
        tool.status = run(&tool, detail);
    return tool_end(&tool);
}

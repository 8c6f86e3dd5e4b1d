/* SPDX-License-Identifier: BSD-3-Clause
 *
 * papi_component_avail: the components of the library, what each can count, and why one does not work.
 */
#include "machine.h"
#include "papi.h"

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

/* ----------------------------------------------------------------------- text */

static void print_name(const PAPI_component_info_t *component)
{
    printf("Name:   %-23s %s\n", component->name, component->description);
}

static void print_reason(const PAPI_component_info_t *component)
{
    const char *what = component->disabled ? "Disabled" : "Partially disabled";
    const char *why = component->disabled             ? component->disabled_reason
                      : component->partially_disabled ? component->partially_disabled_reason
                                                      : "";
    if (why[0] == '\0')
        return;
    int column = printf("   \\-> %s: ", what);
    print_wrapped(stdout, why, column, 7);
}

static void print_number(const char *label, int number)
{
    printf("%*s%-32s%d\n", INDENT, "", label, number);
}

static void print_text(const char *label, const char *text)
{
    printf("%*s%-32s%s\n", INDENT, "", label, text);
}

static void print_detail(const PAPI_component_info_t *component)
{
    print_text("Version:", component->version);
    print_text("Event names from:", component->support_version);
    print_text("Kernel:", component->kernel_version);
    print_number("Number of native events:", component->num_native_events);
    print_number("Number of preset events:", component->num_preset_events);
}

static const char *yes_or_no(unsigned value)
{
    return value ? "yes" : "no";
}

static void print_abilities(const PAPI_component_info_t *component)
{
    print_number("Events of a multiplexed set:", component->num_mpx_cntrs);
    print_text("Fast counter read:", yes_or_no(component->fast_counter_read));
    print_text("Overflow by hardware:", yes_or_no(component->hardware_intr));
    print_text("Multiplexing by the kernel:", yes_or_no(component->kernel_multiplex));
    print_text("Attach to other processes:", yes_or_no(component->attach));
    print_text("Count on a CPU:", yes_or_no(component->cpu));
    print_text("Inherited by threads:", yes_or_no(component->inherit));
}

/* In lines of 80 columns. */
static void print_pmus(const PAPI_component_info_t *component)
{
    char names[PAPI_PMU_MAX * PAPI_MIN_STR_LEN] = "";
    size_t used = 0;
    for (int i = 0; i < PAPI_PMU_MAX && component->pmu_names[i] != NULL && used < sizeof names; i++)
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", i > 0 ? ", " : "",
                                 component->pmu_names[i]);
    int column = printf("%*sPMUs supported: ", INDENT, "");
    print_wrapped(stdout, names, column, INDENT + 4);
}

static void print_active(const PAPI_component_info_t *component, bool detail)
{
    print_name(component);
    printf("%*sNative: %d, Preset: %d, Counters: %d\n", INDENT, "", component->num_native_events,
           component->num_preset_events, component->num_cntrs);
    print_pmus(component);
    if (detail) {
        print_detail(component);
        print_abilities(component);
    }
    fputc('\n', stdout);
}

static void list_text(bool detail)
{
    const PAPI_component_info_t *component;
    machine_print_head(stdout, "Components, and the machine");
    puts("Compiled-in components:");
    for (int i = 0; i < PAPI_num_components(); i++)
        if ((component = PAPI_get_component_info(i)) != NULL) {
            print_name(component);
            print_reason(component);
            if (detail)
                print_detail(component);
        }
    puts("\nActive components:");
    for (int i = 0; i < PAPI_num_components(); i++)
        if ((component = PAPI_get_component_info(i)) != NULL && !component->disabled)
            print_active(component, detail);
    puts("--------------------------------------------------------------------------------");
}

/* ----------------------------------------------------------------------- JSON */

static void component_json(struct json *json, const PAPI_component_info_t *component)
{
    json_open(json, NULL, '{');
    json_integer(json, "index", component->CmpIdx);
    json_string(json, "name", component->name);
    json_string(json, "description", component->description);
    json_string(json, "version", component->version);
    json_string(json, "event_names_from", component->support_version);
    json_string(json, "kernel", component->kernel_version);
    json_boolean(json, "active", !component->disabled);
    json_string(json, "disabled_reason", component->disabled ? component->disabled_reason : NULL);
    json_string(json, "partially_disabled_reason",
                component->partially_disabled ? component->partially_disabled_reason : NULL);
    json_integer(json, "native_events", component->num_native_events);
    json_integer(json, "preset_events", component->num_preset_events);
    json_integer(json, "counters", component->num_cntrs);
    json_integer(json, "multiplexed_events", component->num_mpx_cntrs);
    json_open(json, "pmus", '[');
    for (int i = 0; i < PAPI_PMU_MAX && component->pmu_names[i] != NULL; i++)
        json_string(json, NULL, component->pmu_names[i]);
    json_close(json, ']');
    json_boolean(json, "fast_counter_read", component->fast_counter_read);
    json_boolean(json, "overflow_by_hardware", component->hardware_intr);
    json_boolean(json, "kernel_multiplexing", component->kernel_multiplex);
    json_boolean(json, "attach", component->attach);
    json_boolean(json, "cpu", component->cpu);
    json_boolean(json, "inherit", component->inherit);
    json_close(json, '}');
}

static void list_json(void)
{
    struct json json = {.out = stdout};
    const PAPI_component_info_t *component;
    json_open(&json, NULL, '{');
    machine_json(&json);
    json_open(&json, "components", '[');
    for (int i = 0; i < PAPI_num_components(); i++)
        if ((component = PAPI_get_component_info(i)) != NULL)
            component_json(&json, component);
    json_close(&json, ']');
    json_close(&json, '}');
}

/* --------------------------------------------------------------------- options */

static int run(struct tool *tool, bool detail)
{
    if (tool_open(tool) != TOOL_FINE)
        return TOOL_ERROR;
    if (tool->report.json)
        list_json();
    else
        list_text(detail);
    return machine_check(tool);
}

int main(int argc, char **argv)
{
    static const struct option long_options[] = {{"detail", no_argument, NULL, 'd'}, {NULL, 0, NULL, 0}};
    struct tool tool = {.name = "papi_component_avail", .usage = usage_text};
    bool detail = false;
    int c;
    tool_start(&tool, "dh", long_options);
    while ((c = tool_option(&tool, argc, argv)) >= 0)
        detail = true;
    if (c == TOOL_NO_MORE && tool_no_arguments(&tool, argc, argv) == TOOL_FINE)
        tool.status = run(&tool, detail);
    return tool_end(&tool);
}

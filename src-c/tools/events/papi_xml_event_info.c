/* SPDX-License-Identifier: BSD-3-Clause
 *
 * papi_xml_event_info: the machine and its events as XML.
 */
#include "native.h"
#include "tools/common/event.h"
#include "tools/common/machine_head.h"

#include <stdio.h>
#include <string.h>

static const char usage_text[] =
    "Usage: papi_xml_event_info [-n|-p] [-c INDEX] [EVENT]...\n"
    "Prints the machine and its events as XML: native events with their masks, and\n"
    "the presets that count here. With EVENTs, what can be counted together with\n"
    "them.\n"
    "\n"
    "  -p, --presets          only presets\n"
    "  -n, --natives          only native events\n"
    "  -c, --component=INDEX  only the component of this index\n"
    "      --json             one JSON object instead of XML\n"
    "      --version          the version of the interface\n"
    "  -h, --help             this text\n"
    "\n"
    "Exit status: 0; 1 after an error; 2 for wrong options.\n";

enum kind { BOTH, PRESETS, NATIVES };

struct listing {
    long long only;      /* a kind */
    long long component; /* -1: all */
    int set;             /* PAPI_NULL: no events were given */
    struct report *report;
    struct native native;
    int index; /* of the next event */
    int code;  /* the first error */
};

/* ---- XML */

/* XML 1.0 has no control characters; text that is not UTF-8 comes from files of the kernel or the user. */
static void put_character(unsigned char c)
{
    static const char special[] = "<>&\"", *const entities[] = {"lt", "gt", "amp", "quot"};
    const char *found = strchr(special, c);
    if (found != NULL)
        printf("&%s;", entities[found - special]);
    else
        putchar(c < 0x20 || c == 0x7f ? ' ' : c < 0x80 ? c : '?');
}

static void put_attribute(const char *name, const char *value)
{
    printf(" %s=\"", name);
    for (; *value != '\0'; value++)
        put_character((unsigned char)*value);
    putchar('"');
}

static void put_text(const char *indent, const char *element, const char *attribute, const char *value)
{
    printf("%s<%s", indent, element);
    put_attribute(attribute, value);
    puts("/>");
}

static void put_number(const char *indent, const char *element, int value)
{
    printf("%s<%s value=\"%d\"/>\n", indent, element, value);
}

static void put_hardware(void)
{
    const PAPI_hw_info_t *hw = PAPI_get_hardware_info();
    if (hw == NULL)
        return;
    puts("<hardware>");
    put_text("  ", "vendor", "string", hw->vendor_string);
    put_number("  ", "vendorCode", hw->vendor);
    put_text("  ", "model", "string", hw->model_string);
    put_number("  ", "modelCode", hw->model);
    printf("  <cpuRevision value=\"%f\"/>\n", (double)hw->revision);
    puts("  <cpuID>");
    put_number("    ", "family", hw->cpuid_family);
    put_number("    ", "model", hw->cpuid_model);
    put_number("    ", "stepping", hw->cpuid_stepping);
    puts("  </cpuID>");
    put_number("  ", "cpuMaxMegahertz", hw->cpu_max_mhz);
    put_number("  ", "cpuMinMegahertz", hw->cpu_min_mhz);
    put_number("  ", "threads", hw->threads);
    put_number("  ", "cores", hw->cores);
    put_number("  ", "sockets", hw->sockets);
    put_number("  ", "nodes", hw->nnodes);
    put_number("  ", "cpuPerNode", hw->ncpu);
    put_number("  ", "totalCPUs", hw->totalcpus);
    puts("</hardware>");
}

static void put_event(int index, const char *name, const char *description)
{
    printf("    <event index=\"%d\"", index);
    put_attribute("name", name);
    put_attribute("desc", description);
    puts(">");
}

static void put_native(int index, const struct native *native)
{
    put_event(index, native->event.name, native->event.description);
    for (int i = 0; i < native->n_masks; i++) {
        fputs("      <modifier", stdout);
        put_attribute("name", native_suffix(native, &native->mask[i]));
        put_attribute("desc", native->mask[i].description);
        puts("> </modifier>");
    }
    puts("    </event>");
}

/* ---- listing */

static void list_native(struct listing *listing, int event)
{
    struct native *native = &listing->native;
    struct report *report = listing->report;
    listing->code = native_read(native, event);
    if (listing->code != PAPI_OK || (listing->set != PAPI_NULL && !chooser_keeps(listing->set, native)))
        return;
    if (!report->json)
        put_native(listing->index, native);
    listing->index++;
    report_object(report, NULL);
    native_show_members(report, native);
    report_end(report);
}

static void list_preset(struct listing *listing, int event)
{
    PAPI_event_info_t info;
    const char *why;
    if (listing->set != PAPI_NULL && !chooser_takes(listing->set, event))
        return;
    if (PAPI_get_event_info(event, &info) != PAPI_OK || !event_counts(&info, &why))
        return;
    if (listing->report->json) {
        event_show(listing->report, NULL, &info, NULL, NULL);
    } else {
        put_event(listing->index, info.symbol, info.long_descr);
        puts("    </event>");
    }
    listing->index++;
}

static void list_events(struct listing *listing, int component, int event, const char *type,
                        void (*list)(struct listing *, int))
{
    listing->index = 0;
    report_list(listing->report, type);
    report_line(listing->report, NULL, "  <eventset type=\"%s\">", type);
    int more = PAPI_enum_cmp_event(&event, PAPI_ENUM_FIRST, component);
    while (more == PAPI_OK && listing->code == PAPI_OK && !tool_output_failed()) {
        list(listing, event);
        more = PAPI_enum_cmp_event(&event, PAPI_ENUM_EVENTS, component);
    }
    if (more == PAPI_ENOMEM || more == PAPI_ESYS) /* others: it has none, or none more */
        listing->code = more;
    report_line(listing->report, NULL, "  </eventset>");
    report_end(listing->report);
}

static void list_component(struct listing *listing, int index)
{
    struct report *report = listing->report;
    const PAPI_component_info_t *component = PAPI_get_component_info(index);
    if (component != NULL && (component->disabled == PAPI_ENOMEM || component->disabled == PAPI_ESYS))
        listing->code = component->disabled; /* it may count: a lack of memory or descriptors passes */
    if (component == NULL || component->disabled)
        return;
    report_object(report, NULL);
    report_number(report, NULL, "index", index);
    report_string(report, NULL, "name", component->name);
    if (!report->json) {
        printf("<component index=\"%d\" type=\"CPU\"", index);
        put_attribute("id", component->name);
        puts(">");
    }
    if (listing->only != PRESETS)
        list_events(listing, index, PAPI_NATIVE_MASK, "NATIVE", list_native);
    if (listing->only != NATIVES)
        list_events(listing, index, PAPI_PRESET_MASK, "PRESET", list_preset);
    report_line(report, NULL, "</component>");
    report_end(report);
}

static void list_all(struct listing *listing)
{
    struct report *report = listing->report;
    report_line(report, NULL, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<eventinfo>");
    if (report->json)
        machine_show(report, "");
    else
        put_hardware();
    report_list(report, "components");
    for (int i = 0; i < PAPI_num_components() && listing->code == PAPI_OK; i++)
        if (listing->component < 0 || i == listing->component)
            list_component(listing, i);
    report_line(report, NULL, "</eventinfo>");
    native_free(&listing->native);
}

static int run(struct tool *tool, struct listing *listing, int n, char **name)
{
    if (tool_open(tool) != TOOL_FINE)
        return TOOL_ERROR;
    if (listing->component >= PAPI_num_components())
        return tool_error(tool, "there is no component %lld; papi_component_avail lists them",
                          listing->component);
    if (n > 0 && chooser_open(tool, name, n, &listing->set) != TOOL_FINE)
        return TOOL_ERROR;
    listing->report = &tool->report;
    list_all(listing);
    if (n > 0)
        chooser_close(listing->set);
    if (listing->code != PAPI_OK)
        return tool_error(tool, "the list is not complete: %s", PAPI_strerror(listing->code));
    return machine_check(tool);
}

int main(int argc, char **argv)
{
    static const struct option_row rows[] = {
        {'p', "presets", OPTION_CHOICE, offsetof(struct listing, only), PRESETS, 0},
        {'n', "natives", OPTION_CHOICE, offsetof(struct listing, only), NATIVES, 0},
        {'c', "component", OPTION_NUMBER, offsetof(struct listing, component), 0, 1000},
        {0},
    };
    struct tool tool = {.name = "papi_xml_event_info", .usage = usage_text};
    struct listing listing = {.component = -1, .set = PAPI_NULL};
    if (tool_read(&tool, argc, argv, rows, &listing) == 0)
        tool.status = run(&tool, &listing, argc - optind, argv + optind);
    return tool_end(&tool);
}

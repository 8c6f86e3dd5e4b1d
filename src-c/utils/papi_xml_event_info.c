/* SPDX-License-Identifier: BSD-3-Clause
 *
 * papi_xml_event_info: the machine and its events as XML.
 */
#include "chooser.h"
#include "event.h"
#include "machine.h"
#include "native.h"

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

struct listing {
    bool presets, natives;
    int component; /* -1: all */
    int set;       /* PAPI_NULL: no events were given */
    struct json *json;
    struct native native;
    int index; /* of the next event */
    int error;
};

/* ------------------------------------------------------------------------ XML */

/* XML 1.0 has no control characters; what is no UTF-8 comes from files of the kernel or the user. */
static void put_character(unsigned char c)
{
    switch (c) {
    case '<':
        fputs("&lt;", stdout);
        break;
    case '>':
        fputs("&gt;", stdout);
        break;
    case '&':
        fputs("&amp;", stdout);
        break;
    case '"':
        fputs("&quot;", stdout);
        break;
    default:
        putchar(c < 0x20 || c == 0x7f ? ' ' : c < 0x80 ? c : '?');
    }
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

/* ----------------------------------------------------------------------- JSON */

static void native_to_json(struct json *json, const struct native *native)
{
    json_open(json, NULL, '{');
    json_string(json, "name", native->event.name);
    json_string(json, "description", native->event.description);
    json_open(json, "masks", '[');
    for (int i = 0; i < native->n_masks; i++) {
        json_open(json, NULL, '{');
        json_string(json, "name", native_suffix(native, &native->mask[i]));
        json_string(json, "description", native->mask[i].description);
        json_close(json, '}');
    }
    json_close(json, ']');
    json_close(json, '}');
}

/* --------------------------------------------------------------------- listing */

/* With given events: of the masks those that go with them. */
static bool fits(const struct listing *listing, struct native *native)
{
    int n = 0;
    if (listing->set == PAPI_NULL)
        return true;
    for (int i = 0; i < native->n_masks; i++)
        if (chooser_takes(listing->set, native->mask[i].code))
            native->mask[n++] = native->mask[i];
    native->n_masks = n;
    return n > 0 || chooser_takes(listing->set, native->event.code);
}

static void list_native(struct listing *listing, int code)
{
    listing->error = native_read(&listing->native, code);
    if (listing->error != PAPI_OK || !fits(listing, &listing->native))
        return;
    if (listing->json != NULL)
        native_to_json(listing->json, &listing->native);
    else
        put_native(listing->index, &listing->native);
    listing->index++;
}

static void list_preset(struct listing *listing, int code)
{
    PAPI_event_info_t info;
    const char *why;
    if (listing->set != PAPI_NULL && !chooser_takes(listing->set, code))
        return;
    if (PAPI_get_event_info(code, &info) != PAPI_OK || !event_counts(&info, &why))
        return;
    if (listing->json != NULL) {
        event_json(listing->json, NULL, &info, true, NULL);
    } else {
        put_event(listing->index, info.symbol, info.long_descr);
        puts("    </event>");
    }
    listing->index++;
}

static void list_events(struct listing *listing, int component, int code, const char *type,
                        void (*list)(struct listing *, int))
{
    listing->index = 0;
    if (listing->json != NULL)
        json_open(listing->json, type, '[');
    else
        printf("  <eventset type=\"%s\">\n", type);
    int more = PAPI_enum_cmp_event(&code, PAPI_ENUM_FIRST, component);
    while (more == PAPI_OK && listing->error == PAPI_OK && !tool_output_failed()) {
        list(listing, code);
        more = PAPI_enum_cmp_event(&code, PAPI_ENUM_EVENTS, component);
    }
    if (listing->json != NULL)
        json_close(listing->json, ']');
    else
        puts("  </eventset>");
}

static void begin_component(struct listing *listing, int index, const char *name)
{
    if (listing->json == NULL) {
        printf("<component index=\"%d\" type=\"CPU\"", index);
        put_attribute("id", name);
        puts(">");
        return;
    }
    json_open(listing->json, NULL, '{');
    json_integer(listing->json, "index", index);
    json_string(listing->json, "name", name);
}

static void list_component(struct listing *listing, int index)
{
    const PAPI_component_info_t *component = PAPI_get_component_info(index);
    if (component == NULL || component->disabled)
        return;
    begin_component(listing, index, component->name);
    if (listing->natives)
        list_events(listing, index, PAPI_NATIVE_MASK, "NATIVE", list_native);
    if (listing->presets)
        list_events(listing, index, PAPI_PRESET_MASK, "PRESET", list_preset);
    if (listing->json != NULL)
        json_close(listing->json, '}');
    else
        puts("</component>");
}

static void list_all(struct listing *listing)
{
    if (listing->json != NULL) {
        json_open(listing->json, NULL, '{');
        machine_json(listing->json);
        json_open(listing->json, "components", '[');
    } else {
        puts("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<eventinfo>");
        put_hardware();
    }
    for (int i = 0; i < PAPI_num_components() && listing->error == PAPI_OK; i++)
        if (listing->component < 0 || i == listing->component)
            list_component(listing, i);
    if (listing->json != NULL) {
        json_close(listing->json, ']');
        json_close(listing->json, '}');
    } else {
        puts("</eventinfo>");
    }
    native_free(&listing->native);
}

static int run(struct tool *tool, struct listing *listing, int n, char **name)
{
    struct json json = {.out = stdout};
    if (tool_open(tool) != TOOL_FINE)
        return TOOL_ERROR;
    if (listing->component >= PAPI_num_components())
        return tool_error(tool, "there is no component %d; papi_component_avail lists them",
                          listing->component);
    if (n > 0 && chooser_open(tool, name, n, &listing->set) != TOOL_FINE)
        return TOOL_ERROR;
    listing->json = tool->report.json ? &json : NULL;
    list_all(listing);
    if (n > 0)
        chooser_close(listing->set);
    if (listing->error != PAPI_OK)
        return tool_error(tool, "the list is not complete: %s", PAPI_strerror(listing->error));
    return machine_check(tool);
}

int main(int argc, char **argv)
{
    static const struct option long_options[] = {
        {"presets", no_argument, NULL, 'p'},
        {"natives", no_argument, NULL, 'n'},
        {"component", required_argument, NULL, 'c'},
        {NULL, 0, NULL, 0},
    };
    struct tool tool = {.name = "papi_xml_event_info", .usage = usage_text};
    struct listing listing = {.presets = true, .natives = true, .component = -1, .set = PAPI_NULL};
    long long component;
    int c;
    tool_start(&tool, "pnc:h", long_options);
    while ((c = tool_option(&tool, argc, argv)) >= 0) {
        if (c == 'p' || c == 'n') {
            listing.presets = c == 'p';
            listing.natives = c == 'n';
        } else if (tool_number(&tool, "-c", optarg, 0, 1000, &component) == TOOL_FINE) {
            listing.component = (int)component;
        } else {
            break;
        }
    }
    if (c == TOOL_NO_MORE)
        tool.status = run(&tool, &listing, argc - optind, argv + optind);
    return tool_end(&tool);
}

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * papi_event_chooser: which events can be counted together with those that are given.
 */
#include "chooser.h"
#include "event.h"
#include "machine.h"
#include "native.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

static const char usage_text[] =
    "Usage: papi_event_chooser PRESET|NATIVE EVENT...\n"
    "Lists the preset or native events that can be counted together with the EVENTs.\n"
    "\n"
    "      --json             the same for programs: one JSON object\n"
    "      --version          the version of the interface\n"
    "  -h, --help             this text\n"
    "\n"
    "Exit status: 0; 1 after an error (an EVENT does not exist, or they cannot be\n"
    "counted together); 2 for wrong options.\n";

struct listing {
    int set;
    bool as_json;
    struct json json;
    struct native native;
    int n;
    int error;
};

/* -------------------------------------------------------------------- presets */

static void print_preset(struct listing *listing, const PAPI_event_info_t *info)
{
    bool note = info->note[0] != '\0';
    if (listing->as_json)
        event_json(&listing->json, NULL, info, true, NULL);
    else
        printf("%-13s0x%08x  %-6s%s%s%s%s\n", info->symbol, info->event_code,
               event_is_derived(info) ? "Yes" : "No", info->short_descr, note ? " (" : "",
               note ? info->note : "", note ? ")" : "");
}

/* Presets, or the user's own events, which are listed behind them. */
static void list_kind(struct listing *listing, int code)
{
    PAPI_event_info_t info;
    int more = PAPI_enum_event(&code, PAPI_ENUM_FIRST);
    for (; more == PAPI_OK && !tool_output_failed(); more = PAPI_enum_event(&code, PAPI_ENUM_EVENTS))
        if (chooser_takes(listing->set, code) && PAPI_get_event_info(code, &info) == PAPI_OK) {
            listing->n++;
            print_preset(listing, &info);
        }
}

static void list_presets(struct listing *listing)
{
    if (!listing->as_json)
        puts("    Name        Code    Deriv Description (Note)");
    list_kind(listing, PAPI_PRESET_MASK);
    list_kind(listing, PAPI_UE_MASK);
}

/* --------------------------------------------------------------------- natives */

static void print_native(const struct native *native)
{
    printf("%s\t0x%08x\n |%s|\n", native->event.name, (unsigned)native->event.code,
           native->event.description);
    for (int i = 0; i < native->n_masks; i++)
        printf("    0x%08x%s  |%s|\n", (unsigned)native->mask[i].code,
               native_suffix(native, &native->mask[i]), native->mask[i].description);
    puts("-------------------------------------------------------------------------");
}

static void native_to_json(struct json *json, const struct native *native)
{
    json_open(json, NULL, '{');
    json_string(json, "name", native->event.name);
    json_string(json, "description", native->event.description);
    json_boolean(json, "without_mask", native->event.alone);
    json_open(json, "masks", '[');
    for (int i = 0; i < native->n_masks; i++) {
        json_open(json, NULL, '{');
        json_string(json, "name", native->mask[i].name);
        json_string(json, "description", native->mask[i].description);
        json_close(json, '}');
    }
    json_close(json, ']');
    json_close(json, '}');
}

/* The event, and those of its masks that fit. */
static int list_native(struct listing *listing, int code)
{
    struct native *native = &listing->native;
    int error = native_read(native, code), n = 0;
    if (error != PAPI_OK)
        return error;
    native->event.alone = chooser_takes(listing->set, code);
    for (int i = 0; i < native->n_masks; i++)
        if (chooser_takes(listing->set, native->mask[i].code))
            native->mask[n++] = native->mask[i];
    native->n_masks = n;
    if (!native->event.alone && n == 0)
        return PAPI_OK;
    listing->n++;
    if (listing->as_json)
        native_to_json(&listing->json, native);
    else
        print_native(native);
    return PAPI_OK;
}

static void list_natives(struct listing *listing)
{
    int code = PAPI_NATIVE_MASK;
    int more = PAPI_enum_event(&code, PAPI_ENUM_FIRST);
    while (more == PAPI_OK && listing->error == PAPI_OK && !tool_output_failed()) {
        listing->error = list_native(listing, code);
        more = PAPI_enum_event(&code, PAPI_ENUM_EVENTS);
    }
    native_free(&listing->native);
}

/* ------------------------------------------------------------------------- all */

static void begin_json(struct listing *listing, bool presets, char **name, int n)
{
    struct json *json = &listing->json;
    json->out = stdout;
    json_open(json, NULL, '{');
    machine_json(json);
    json_open(json, "given", '[');
    for (int i = 0; i < n; i++)
        json_string(json, NULL, name[i]);
    json_close(json, ']');
    json_open(json, presets ? "presets" : "natives", '[');
}

static void end_json(struct listing *listing)
{
    json_close(&listing->json, ']');
    json_integer(&listing->json, "total", listing->n);
    json_close(&listing->json, '}');
}

static int choose(struct tool *tool, bool presets, char **name, int n)
{
    struct listing listing = {.as_json = tool->report.json};
    if (tool_open(tool) != TOOL_FINE || chooser_open(tool, name, n, &listing.set) != TOOL_FINE)
        return TOOL_ERROR;
    if (tool->report.json)
        begin_json(&listing, presets, name, n);
    else
        machine_print_head(stdout, "Events that can be counted together with those given");
    if (presets)
        list_presets(&listing);
    else
        list_natives(&listing);
    if (tool->report.json)
        end_json(&listing);
    else
        printf("Total events reported: %d\n", listing.n);
    chooser_close(listing.set);
    if (listing.error != PAPI_OK)
        return tool_error(tool, "the list is not complete: %s", PAPI_strerror(listing.error));
    return TOOL_FINE;
}

static int run(struct tool *tool, int n, char **word)
{
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
    tool_start(&tool, "h", NULL);
    if (tool_option(&tool, argc, argv) == TOOL_NO_MORE)
        tool.status = run(&tool, argc - optind, argv + optind);
    return tool_end(&tool);
}

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * papi_avail: which preset events this machine counts, and what any event is.
 */
#include "base/json.h"
#include "machine.h"
#include "nodes.h"
#include "papi.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

enum format { TABLE, DETAIL, JSON };

struct options {
    enum format format;
    bool only_available;
    bool nodes;        /* the nodes of a job instead of events */
    const char *event; /* one event in detail; NULL: all presets */
};

/* The presets that were printed, or would have been. */
struct totals {
    int possible, available, derived;
};

static const char usage_text[] =
    "Usage: papi_avail [-adt] [--json] [-e EVENT]\n"
    "       mpirun ... papi_avail --nodes [--json]\n"
    "Lists the preset events and whether this machine counts them.\n"
    "\n"
    "  -a, --avail        only the events that count here\n"
    "  -d, --detail       with descriptions, native events and formulas\n"
    "  -t, --table        one line an event (this is the default)\n"
    "  -e, --event=EVENT  one preset or native event; if it does not count here, why\n"
    "      --nodes        under mpirun: which nodes of the job differ, a line for each kind\n"
    "      --json         the same for programs: one JSON object\n"
    "      --version      the version of the interface\n"
    "  -h, --help         this text\n"
    "\n"
    "Exit status: 0, or 1 after an error (-e: there is no such event).\n";

/* ------------------------------------------------------------------ an event */

static bool is_preset(const PAPI_event_info_t *info)
{
    unsigned mask = (unsigned)PAPI_PRESET_MASK | (unsigned)PAPI_NATIVE_MASK;
    return (info->event_code & mask) == (unsigned)PAPI_PRESET_MASK;
}

/* Presets and the user's own events are made of native ones. */
static bool is_composed(const PAPI_event_info_t *info)
{
    return (info->event_code & (unsigned)PAPI_PRESET_MASK) != 0;
}

/* Of an event that does not count, the listing says neither. */
static bool is_derived(const PAPI_event_info_t *info)
{
    return is_composed(info) && info->count > 0 && info->derived[0] != '\0' &&
           strcmp(info->derived, "NOT_DERIVED") != 0;
}

/* The native events in its definition. count says 0 where they do not count; the names are there
 * all the same, for whoever wants to know what is missing. */
static int number_of_natives(const PAPI_event_info_t *info)
{
    int n = 0;
    while (is_composed(info) && n < PAPI_MAX_INFO_TERMS && info->name[n][0] != '\0')
        n++;
    return n;
}

/* Whether it counts, and if not, why: a text that lasts until the next PAPI call. */
static bool counts_here(const PAPI_event_info_t *info, const char **why)
{
    *why = NULL;
    if (is_composed(info) && info->count > 0)
        return true;
    /* For a composed event the note has the reason; asking again would only find the same. */
    if (is_composed(info) && info->note[0] != '\0') {
        *why = info->note;
        return false;
    }
    int code = PAPI_query_event((int)info->event_code);
    if (code != PAPI_OK)
        *why = PAPI_strerror(code);
    return code == PAPI_OK;
}

/* The qualifiers of a native event: its masks and modifiers. */
static int next_mask(int *code, PAPI_event_info_t *mask)
{
    if (PAPI_enum_event(code, PAPI_NTV_ENUM_UMASKS) != PAPI_OK)
        return PAPI_ENOEVNT;
    return PAPI_get_event_info(*code, mask);
}

/* ----------------------------------------------------------------------- text */

static void print_row(const PAPI_event_info_t *info, bool available)
{
    bool note = available && info->note[0] != '\0';
    printf("%-13s0x%08x  %-6s%-6s%s%s%s%s\n", info->symbol, info->event_code, available ? "Yes" : "No",
           is_derived(info) ? "Yes" : "No", info->short_descr[0] ? info->short_descr : info->long_descr,
           note ? " (" : "", note ? info->note : "", note ? ")" : "");
}

enum { INDENT = 15 }; /* behind the labels of the detailed form */

static void print_field(const char *label, const char *text)
{
    if (text == NULL || text[0] == '\0')
        return;
    printf("  %-13s", label);
    print_wrapped(stdout, text, INDENT, INDENT);
}

static void print_masks(const PAPI_event_info_t *info)
{
    PAPI_event_info_t mask;
    int code = (int)info->event_code;
    if (is_composed(info))
        return;
    for (int i = 0; next_mask(&code, &mask) == PAPI_OK; i++) {
        printf("  %-13s%s\n", i == 0 ? "Masks" : "", mask.symbol);
        printf("%*s", INDENT + 2, "");
        print_wrapped(stdout, mask.long_descr, INDENT + 2, INDENT + 2);
    }
}

static void print_natives(const PAPI_event_info_t *info)
{
    for (int i = 0; i < number_of_natives(info); i++)
        printf("  %-13sN%d %s\n", i == 0 ? "Natives" : "", i, info->name[i]);
}

static void print_detail(const PAPI_event_info_t *info, bool available, const char *why)
{
    const PAPI_component_info_t *component = PAPI_get_component_info(info->component_index);
    printf("%s  0x%08x  %s\n", info->symbol, info->event_code, available ? "available" : "not available");
    print_field("Is", info->short_descr);
    print_field("Means", strcmp(info->short_descr, info->long_descr) != 0 ? info->long_descr : NULL);
    print_field("Units", info->units);
    print_field("Component", component != NULL && !is_composed(info) ? component->name : NULL);
    print_natives(info);
    print_field("Derived", number_of_natives(info) > 0 ? info->derived : NULL);
    print_field("Formula", info->postfix);
    print_field("Note", available ? info->note : NULL);
    print_field("Why not", why);
}

static const char rule[] =
    "--------------------------------------------------------------------------------\n";

static void print_head(const struct options *options)
{
    fputs("Preset events, and the machine that would count them\n", stdout);
    fputs(rule, stdout);
    machine_print(stdout);
    fputs(rule, stdout);
    fputc('\n', stdout);
    if (options->format == TABLE)
        puts("    Name        Code    Avail Deriv Description (Note)");
}

static void print_foot(const struct totals *totals)
{
    machine_explain(stdout, totals->available);
    printf("\nOf %d possible events, %d are available, of which %d are derived.\n", totals->possible,
           totals->available, totals->derived);
}

/* ----------------------------------------------------------------------- JSON */

static void natives_json(struct json *json, const PAPI_event_info_t *info)
{
    json_open(json, "natives", '[');
    for (int i = 0; i < number_of_natives(info); i++)
        json_string(json, NULL, info->name[i]);
    json_close(json, ']');
    json_string(json, "derivation", info->derived[0] ? info->derived : NULL);
    json_string(json, "formula", info->postfix[0] ? info->postfix : NULL);
}

static void masks_json(struct json *json, const PAPI_event_info_t *info)
{
    PAPI_event_info_t mask;
    int code = (int)info->event_code;
    json_open(json, "masks", '[');
    while (next_mask(&code, &mask) == PAPI_OK) {
        json_open(json, NULL, '{');
        json_string(json, "name", mask.symbol);
        json_string(json, "description", mask.long_descr);
        json_close(json, '}');
    }
    json_close(json, ']');
}

static void event_json(struct json *json, const char *key, const PAPI_event_info_t *info, bool available,
                       const char *why)
{
    char code[16];
    snprintf(code, sizeof code, "0x%08x", info->event_code);
    json_open(json, key, '{');
    json_string(json, "name", info->symbol);
    json_string(json, "code", code);
    json_boolean(json, "available", available);
    json_boolean(json, "derived", is_derived(info));
    json_string(json, "reason", why);
    if (is_composed(info))
        json_string(json, "summary", info->short_descr);
    json_string(json, "description", info->long_descr);
    json_string(json, "note", available && info->note[0] ? info->note : NULL);
    if (is_composed(info))
        natives_json(json, info);
    json_close(json, '}');
}

/* --------------------------------------------------------------- all presets */

struct listing {
    const struct options *options;
    struct totals totals;
    struct json json;
};

static void list_event(struct listing *listing, const PAPI_event_info_t *info)
{
    const char *why;
    bool available = counts_here(info, &why);
    listing->totals.possible++;
    listing->totals.available += available;
    listing->totals.derived += is_derived(info);
    if (listing->options->only_available && !available)
        return;
    if (listing->options->format == JSON) {
        event_json(&listing->json, NULL, info, available, why);
    } else if (listing->options->format == DETAIL) {
        print_detail(info, available, why);
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
    machine_explain_json(json, listing->totals.available);
    json_close(json, '}');
}

static int list_all(const struct options *options)
{
    struct listing listing = {.options = options};
    if (options->format == JSON)
        list_json(&listing);
    else
        list_text(&listing);
    return EXIT_SUCCESS;
}

/* ----------------------------------------------------------------- one event */

static void one_json(const PAPI_event_info_t *info, bool available, const char *why)
{
    struct json json = {.out = stdout};
    json_open(&json, NULL, '{');
    event_json(&json, is_preset(info) ? "preset" : "event", info, available, why);
    if (!is_composed(info))
        masks_json(&json, info);
    json_close(&json, '}');
}

static int show_event(const struct options *options)
{
    PAPI_event_info_t info;
    const char *why;
    int event;
    int code = PAPI_event_name_to_code(options->event, &event);
    if (code == PAPI_OK)
        code = PAPI_get_event_info(event, &info);
    if (code != PAPI_OK) {
        fprintf(stderr, "papi_avail: no event \"%s\": %s\n", options->event, PAPI_strerror(code));
        return EXIT_FAILURE;
    }
    bool available = counts_here(&info, &why);
    if (options->format == JSON) {
        one_json(&info, available, why);
    } else {
        print_detail(&info, available, why);
        print_masks(&info);
    }
    return EXIT_SUCCESS;
}

/* -------------------------------------------------------------------- options */

static int run(const struct options *options)
{
    int version = PAPI_library_init(PAPI_VER_CURRENT);
    if (version != PAPI_VER_CURRENT) {
        fprintf(stderr, "papi_avail: %s\n",
                version < 0 ? PAPI_strerror(version) : "libpapi has another version");
        return EXIT_FAILURE;
    }
    int status = options->nodes           ? nodes_list(options->format == JSON)
                 : options->event != NULL ? show_event(options)
                                          : list_all(options);
    PAPI_shutdown();
    /* A full disk shows only here. */
    if (fflush(stdout) != 0 || ferror(stdout)) {
        perror("papi_avail: standard output");
        return EXIT_FAILURE;
    }
    return status;
}

static int usage_error(void)
{
    fputs("papi_avail --help tells the options\n", stderr);
    return EXIT_FAILURE;
}

static int print_version(void)
{
    printf("papi_avail (fpapi) %d.%d.%d\n", PAPI_VERSION_MAJOR(PAPI_VERSION),
           PAPI_VERSION_MINOR(PAPI_VERSION), PAPI_VERSION_REVISION(PAPI_VERSION));
    return EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
    static const struct option long_options[] = {
        {"avail", no_argument, NULL, 'a'},
        {"detail", no_argument, NULL, 'd'},
        {"table", no_argument, NULL, 't'},
        {"event", required_argument, NULL, 'e'},
        {"json", no_argument, NULL, 'j'},
        {"version", no_argument, NULL, 'V'},
        {"help", no_argument, NULL, 'h'},
        {"nodes", no_argument, NULL, 'n'},
        {NULL, 0, NULL, 0},
    };
    struct options options = {.format = TABLE};
    int c;
    while ((c = getopt_long(argc, argv, "adte:h", long_options, NULL)) != -1) {
        switch (c) {
        case 'a':
            options.only_available = true;
            break;
        case 'd':
            options.format = DETAIL;
            break;
        case 't':
            options.format = TABLE;
            break;
        case 'e':
            options.event = optarg;
            break;
        case 'n':
            options.nodes = true;
            break;
        case 'j':
            options.format = JSON;
            break;
        case 'V':
            return print_version();
        case 'h':
            fputs(usage_text, stdout);
            return EXIT_SUCCESS;
        default:
            return usage_error();
        }
    }
    if (optind < argc) {
        fprintf(stderr, "papi_avail: what is \"%s\"?\n", argv[optind]);
        return usage_error();
    }
    return run(&options);
}

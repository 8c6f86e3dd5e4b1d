/* SPDX-License-Identifier: BSD-3-Clause
 *
 * papi_native_avail: the native events of this machine, their masks, and which of them count.
 */
#include "base/nearest.h"
#include "native.h"
#include "papi.h"
#include "sde/sde_lib.h"
#include "tools/common/event.h"
#include "tools/common/machine_head.h"
#include "tools/common/tool.h"

#include <dlfcn.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct options {
    bool names;      /* alone */
    bool ask, count; /* which check */
    enum native_check check;
    bool only_available;
    bool plain; /* without masks and modifiers */
    const char *event, *component, *pmu, *include, *exclude, *sde;
    const char *pattern;
    regex_t regex;  /* of the pattern */
    long long kind; /* a PAPI_NTV_ENUM_: the events of a kind */
    bool has_pmu;   /* an event of it was found */
    struct nearest nearest_pmu;
};

static const char usage_text[] =
    "Usage: papi_native_avail [OPTION]...\n"
    "Lists the native events of this machine and their masks.\n"
    "\n"
    "  -e, --event=EVENT      one event, whether it counts here, and if not, why\n"
    "  -i, --include=TEXT     events with TEXT in their names\n"
    "  -x, --exclude=TEXT     events without it\n"
    "  -r, --regex=PATTERN    events whose name, or that of a mask, matches\n"
    "      --component=NAME   events of a component (papi_component_avail lists them)\n"
    "      --pmu=NAME         events of a PMU: perf, skx, cpu\n"
    "      --sde=FILE         a library's software-defined events\n"
    "  -c, --check            asks the kernel for each event and mask; <NA>: not here\n"
    "      --validate         counts with each event and mask; <NA>: not here\n"
    "  -a, --avail            those alone that count here (with -c, or --validate)\n"
    "      --names            names alone, one a line\n"
    "      --noqual           without masks and modifiers\n"
    "      --json             the same for programs: one JSON object\n"
    "      --version          the version of the interface\n"
    "  -h, --help             this text\n"
    "\n"
    "Accepted for older scripts: --nogroups, --darr, --dear, --iarr, --iear, --opcm.\n"
    "\n"
    "Exit status: 0; 1 after an error; 2 for wrong options.\n";

/* ---- a library's events */

/* A file of this folder is meant before a library of that name. */
static void *open_library(const char *file)
{
    char here[PAPI_HUGE_STR_LEN];
    bool plain = strchr(file, '/') == NULL && access(file, F_OK) == 0;
    if (plain && snprintf(here, sizeof here, "./%s", file) < (int)sizeof here)
        file = here;
    return dlopen(file, RTLD_LAZY | RTLD_LOCAL);
}

static void call_hook(void *symbol)
{
    papi_handle_t (*hook)(papi_sde_fptr_struct_t *);
    papi_sde_fptr_struct_t functions;
    memcpy(&hook, &symbol, sizeof hook);
    POPULATE_SDE_FPTR_STRUCT(functions);
    hook(&functions);
}

/* Loads a library and has it register its software-defined events, without running it otherwise. A tool's
 * status, after a message. */
static int sde_load(struct tool *tool, const char *file)
{
    void *library = open_library(file);
    if (library == NULL)
        return tool_error(tool, "cannot load %s: %s", file, dlerror());
    void *hook = dlsym(library, "papi_sde_hook_list_events");
    if (hook != NULL)
        call_hook(hook);
    const PAPI_component_info_t *component = PAPI_get_component_info(PAPI_get_component_index("sde"));
    if (hook == NULL && (component == NULL || component->num_native_events == 0))
        return tool_error(
            tool, "%s has no function papi_sde_hook_list_events, and registers no events as it is loaded",
            file);
    return TOOL_FINE;
}

/* ---- filters */

static bool matches_regex(const struct options *options, const struct native *native)
{
    bool found = regexec(&options->regex, native->event.name, 0, NULL, 0) == 0;
    for (int i = 0; i < native->n_masks && !found; i++)
        found = regexec(&options->regex, native->mask[i].name, 0, NULL, 0) == 0;
    return found;
}

static bool is_of_pmu(struct options *options, const char *name)
{
    char own[NEAREST_SIZE];
    snprintf(own, sizeof own, "%.*s", native_pmu(name), name);
    bool same = strcmp(own, options->pmu) == 0;
    options->has_pmu |= same;
    if (!options->has_pmu)
        nearest_try(&options->nearest_pmu, own);
    return same;
}

/* True if the options want an event of this name. */
static bool is_wanted(struct options *options, const char *name)
{
    if (options->pmu != NULL && !is_of_pmu(options, name))
        return false;
    if (options->include != NULL && strstr(name, options->include) == NULL)
        return false;
    return options->exclude == NULL || strstr(name, options->exclude) == NULL;
}

/* ---- listing */

/* The most reasons why events do not count here that are listed, with their numbers of events. */
enum { MAX_REASONS = 12 };

struct listing {
    struct tool *tool;
    struct options *options;
    struct native native;
    int events, masks, available_events, available_masks;
    int n_reasons, other_reasons;
    struct {
        int events;
        char text[PAPI_HUGE_STR_LEN];
    } reason[MAX_REASONS];
    bool progress; /* standard error is a terminal */
    time_t begun, last;
    int shown; /* characters of the last report on it */
    int code;  /* the first error */
};

static void note_reason(struct listing *listing, const char *text)
{
    int i = 0;
    while (i < listing->n_reasons && strcmp(listing->reason[i].text, text) != 0)
        i++;
    if (i == MAX_REASONS) {
        listing->other_reasons++;
        return;
    }
    if (i == listing->n_reasons) {
        snprintf(listing->reason[i].text, sizeof listing->reason[i].text, "%s", text);
        listing->reason[i].events = 0;
        listing->n_reasons++;
    }
    listing->reason[i].events++;
}

static void note_totals(struct listing *listing)
{
    const struct native *native = &listing->native;
    listing->events++;
    listing->masks += native->n_masks;
    listing->available_events += native->event.counts;
    for (int i = 0; i < native->n_masks; i++)
        listing->available_masks += native->mask[i].counts;
    if (listing->options->check != CHECK_NONE && !native->event.counts)
        note_reason(listing, native->event.why);
}

/* Shows the progress once a second, where it takes longer than anybody likes to wait without a word. */
static void show_progress(struct listing *listing)
{
    enum { PATIENCE = 2 };
    time_t now = listing->progress ? time(NULL) : 0;
    if (!listing->progress || now - listing->begun < PATIENCE || now == listing->last)
        return;
    listing->last = now;
    listing->shown = fprintf(stderr, "\r%d events, %d count  ", listing->events, listing->available_events);
}

static void end_progress(struct listing *listing)
{
    if (listing->shown > 0)
        fprintf(stderr, "\r%*s\r", listing->shown, "");
}

static void keep_what_counts(struct native *native)
{
    int n = 0;
    for (int i = 0; i < native->n_masks; i++)
        if (native->mask[i].counts)
            native->mask[n++] = native->mask[i];
    native->n_masks = n;
}

static void print_native(struct listing *listing)
{
    struct options *options = listing->options;
    native_show(&listing->tool->report, NULL, &listing->native, options->check);
    if (options->names && !listing->tool->report.json)
        native_print_names(&listing->native, options->check);
}

static int list_event(struct listing *listing, int event)
{
    struct options *options = listing->options;
    struct native *native = &listing->native;
    int code = native_read(native, event);
    if (code != PAPI_OK)
        return code;
    if (!is_wanted(options, native->event.name) ||
        (options->pattern != NULL && !matches_regex(options, native)))
        return PAPI_OK;
    native_ask(native, options->check);
    note_totals(listing);
    show_progress(listing);
    if (options->only_available && !native->event.counts)
        return PAPI_OK;
    if (options->only_available)
        keep_what_counts(native);
    if (options->plain)
        native->n_masks = native->info.num_quals = 0;
    print_native(listing);
    return PAPI_OK;
}

static void list_component_events(struct listing *listing, int index)
{
    int event = PAPI_NATIVE_MASK, kind = (int)listing->options->kind;
    int more = PAPI_enum_cmp_event(&event, kind != 0 ? kind : PAPI_ENUM_FIRST, index);
    while (more == PAPI_OK && listing->code == PAPI_OK && !tool_output_failed()) {
        listing->code = list_event(listing, event);
        more = PAPI_enum_cmp_event(&event, kind != 0 ? kind : PAPI_ENUM_EVENTS, index);
    }
    if (more != PAPI_OK && more != PAPI_ENOEVNT)
        listing->code = more;
}

static void list_component(struct listing *listing, const PAPI_component_info_t *component, int index)
{
    static const char rule[] =
        "===============================================================================";
    static const struct report_layout reasons = {.indent = 1, .separator = ": ", .hang = 1};
    struct report *report = &listing->tool->report;
    report->layout = &reasons;
    report_object(report, NULL);
    report_line(report, NULL, "%s", rule);
    report_sentence(report, NULL, " Native Events in Component: {name}", AS_TEXT("name", component->name));
    report_string(report, "Disabled", "disabled_reason",
                  component->disabled ? component->disabled_reason : NULL);
    if (component->partially_disabled && !component->disabled)
        report_text(report, "Not all count", component->partially_disabled_reason);
    report_line(report, NULL, "%s", rule);
    report_list(report, "events");
    list_component_events(listing, index);
    report_end(report);
    report_end(report);
}

/* True if the component has events by name; one that cannot count may have them too, as another machine's. */
static bool has_events(const PAPI_component_info_t *component, int index)
{
    int code = PAPI_NATIVE_MASK;
    return component->num_native_events > 0 || PAPI_enum_cmp_event(&code, PAPI_ENUM_FIRST, index) == PAPI_OK;
}

/* A component that has nothing to list is not mentioned. */
static void list_components(struct listing *listing)
{
    const char *wanted = listing->options->component;
    for (int i = 0; i < PAPI_num_components() && listing->code == PAPI_OK; i++) {
        const PAPI_component_info_t *component = PAPI_get_component_info(i);
        if (component != NULL &&
            (wanted != NULL ? strcmp(component->name, wanted) == 0 : has_events(component, i)))
            list_component(listing, component, i);
    }
}

/* ---- head and foot */

static void print_reasons(struct report *report, const struct listing *listing)
{
    enum { INDENT = 8 };
    static const struct report_layout reasons = {.separator = ": ", .hang = INDENT};
    char label[16];
    report->layout = &reasons;
    for (int i = 0; i < listing->n_reasons; i++) {
        snprintf(label, sizeof label, "%*d", INDENT - 2, listing->reason[i].events);
        report_text(report, label, listing->reason[i].text);
    }
    if (listing->other_reasons > 0)
        report_line(report, NULL, "%*d: for other reasons (-e EVENT tells them)", INDENT - 2,
                    listing->other_reasons);
}

static void show_totals(struct report *report, const struct listing *listing)
{
    report_sentence(report, NULL, "Total events reported: {events}", AS_NUMBER("events", listing->events),
                    AS_NUMBER("masks", listing->masks));
    if (listing->options->check == CHECK_NONE)
        return;
    report_sentence(
        report, NULL,
        "Of {.events} events, {available_events} count here, and of their {.masks} masks "
        "{available_masks}.",
        AS_NUMBER(".events", listing->events), AS_NUMBER("available_events", listing->available_events),
        AS_NUMBER(".masks", listing->masks), AS_NUMBER("available_masks", listing->available_masks));
    print_reasons(report, listing);
}

static void list_in_format(struct listing *listing)
{
    struct report *report = &listing->tool->report;
    machine_show(report, "Native events, and the machine that would count them");
    report_list(report, "components");
    list_components(listing);
    report_end(report);
    end_progress(listing);
    show_totals(report, listing);
}

static int list_all(struct tool *tool, struct options *options)
{
    struct listing *listing = calloc(1, sizeof *listing);
    if (listing == NULL)
        return tool_error(tool, "out of memory");
    listing->tool = tool;
    listing->options = options;
    tool->report.silent = options->names;
    listing->begun = time(NULL);
    listing->progress = options->check != CHECK_NONE && isatty(STDERR_FILENO);
    if (options->pmu != NULL)
        nearest_begin(&options->nearest_pmu, options->pmu);
    list_in_format(listing);
    int status = listing->code == PAPI_OK
                     ? machine_check(tool)
                     : tool_error(tool, "the list is not complete: %s", PAPI_strerror(listing->code));
    char nearest[NEAREST_TEXT];
    /* A PMU that another machine has is an empty list. */
    if (status == TOOL_FINE && options->nearest_pmu.name[0] != '\0' && !options->has_pmu)
        status = tool_error(tool, "no event here is of a PMU \"%s\"%s", options->pmu,
                            nearest_text(&options->nearest_pmu, nearest));
    native_free(&listing->native);
    free(listing);
    return status;
}

/* ---- one event */

static int show_event(struct tool *tool, const struct options *options)
{
    PAPI_event_info_t info;
    struct native native = {.n_masks = 0};
    if (event_find(tool, options->event, &info) != TOOL_FINE)
        return TOOL_ERROR;
    if (event_is_composed(&info))
        return tool_error(tool, "%s is not a native event: papi_avail -e %s describes it", info.symbol,
                          info.symbol);
    int code = native_read(&native, (int)info.event_code);
    if (code != PAPI_OK) {
        native_free(&native);
        return tool_error(tool, "%s: %s", options->event, PAPI_strerror(code));
    }
    enum native_check check = options->check != CHECK_NONE ? options->check : CHECK_ADD;
    native_ask(&native, check);
    native_show_detail(&tool->report, &native, check);
    native_free(&native);
    return machine_check(tool);
}

/* ---- options */

static const struct option_row rows[] = {
#define PLACE(member) offsetof(struct options, member)
    {'e', "event", OPTION_TEXT, PLACE(event), 0, 0},
    {'i', "include", OPTION_TEXT, PLACE(include), 0, 0},
    {'x', "exclude", OPTION_TEXT, PLACE(exclude), 0, 0},
    {'r', "regex", OPTION_TEXT, PLACE(pattern), 0, 0},
    {0, "component", OPTION_TEXT, PLACE(component), 0, 0},
    {0, "pmu", OPTION_TEXT, PLACE(pmu), 0, 0},
    {0, "sde", OPTION_TEXT, PLACE(sde), 0, 0},
    {'c', "check", OPTION_SET, PLACE(ask), 0, 0},
    {0, "validate", OPTION_SET, PLACE(count), 0, 0},
    {'a', "avail", OPTION_SET, PLACE(only_available), 0, 0},
    {0, "names", OPTION_SET, PLACE(names), 0, 0},
    {0, "noqual", OPTION_SET, PLACE(plain), 0, 0},
    {0, "nogroups", OPTION_IGNORED, 0, 0, 0},
    {0, "darr", OPTION_CHOICE, PLACE(kind), PAPI_NTV_ENUM_DARR, 0},
    {0, "dear", OPTION_CHOICE, PLACE(kind), PAPI_NTV_ENUM_DEAR, 0},
    {0, "iarr", OPTION_CHOICE, PLACE(kind), PAPI_NTV_ENUM_IARR, 0},
    {0, "iear", OPTION_CHOICE, PLACE(kind), PAPI_NTV_ENUM_IEAR, 0},
    {0, "opcm", OPTION_CHOICE, PLACE(kind), PAPI_NTV_ENUM_OPCM, 0},
    {0},
};

static int compile_pattern(struct tool *tool, struct options *options)
{
    char why[PAPI_MAX_STR_LEN];
    int error = regcomp(&options->regex, options->pattern, REG_EXTENDED | REG_ICASE | REG_NOSUB);
    if (error == 0)
        return TOOL_FINE;
    regerror(error, &options->regex, why, sizeof why);
    return tool_usage_error(tool, "\"%s\" is not a regular expression: %s", options->pattern, why);
}

static int run(struct tool *tool, struct options *options)
{
    bool must_ask = options->ask || options->only_available;
    options->check = options->count ? CHECK_COUNT : must_ask ? CHECK_ADD : CHECK_NONE;
    if (options->sde != NULL && options->component == NULL)
        options->component = "sde";
    if (options->component != NULL && PAPI_get_component_index(options->component) < 0)
        return tool_error(tool, "%s", PAPI_strerror(PAPI_ENOCMP));
    if (options->sde != NULL && sde_load(tool, options->sde) != TOOL_FINE)
        return TOOL_ERROR;
    if (options->pattern != NULL && compile_pattern(tool, options) != TOOL_FINE)
        return TOOL_USAGE;
    int status = options->event != NULL ? show_event(tool, options) : list_all(tool, options);
    if (options->pattern != NULL)
        regfree(&options->regex);
    return status;
}

int main(int argc, char **argv)
{
    struct tool tool = {.name = "papi_native_avail", .usage = usage_text};
    struct options options = {.names = false};
    if (tool_ready(&tool, argc, argv, rows, &options))
        tool.status = run(&tool, &options);
    return tool_end(&tool);
}

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * From a name or code of an event to the native events that count it. Native events have a code from the
 * first time that they are named. Presets and user events have a definition: native events with a formula, in
 * which others may be named in place of natives. Those are expanded in one another, to one formula of native
 * events of which each is counted once, however often it comes; a ring, and a formula or list that becomes
 * too long, is an error with a reason.
 * Whether an event counts is asked of the kernel by opening it, alone and then together with the other
 * natives of its definition, since each may count and all together not. The answer for a native event is
 * kept, except for one that another try may change (a lack of descriptors, counters that others have). Parked
 * sets give their counters back before, or an answer would depend on them.
 * Tables of presets are read at the first use that needs them and made aside, so that an error leaves nothing
 * half read. Names of presets, and those that most native events have, are found without them. When the
 * program defines events, the table from before is kept until all new definitions are known to resolve: they
 * may name each other.
 */
#include "core/resolve.h"
#include "base/reason.h"
#include "core/advice.h"
#include "core/eventset.h"
#include "events/definition.h"
#include "formats/text_file.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* The processor's own counters see all code, also of libraries that a counted program does not count. An
 * error: it cannot be said now which component counts in place of the processor. */
static int find_processor(struct reason *why)
{
    for (int i = 0; i < component_count(); i++) {
        if (components[i]->processor == NULL || papi_library.disabled[i])
            continue;
        const struct component_state *state = component_state_of(i), *kernel = state;
        if (state->disabled.code == PAPI_OK && components[i]->where_no_counters &&
            !papi_library.disabled[COMPONENT_PERF_EVENT])
            kernel = component_state_of(COMPONENT_PERF_EVENT);
        if (code_passes(kernel->disabled.code))
            return reason_pass(&kernel->disabled, why);
        bool counts = kernel != state && kernel->disabled.code == PAPI_OK && kernel->n_hardware_counters > 0;
        if (state->disabled.code == PAPI_OK && !counts)
            return i;
    }
    return COMPONENT_PERF_EVENT;
}

int processor_component(void)
{
    int component = find_processor(NULL);
    return component >= 0 ? component : COMPONENT_PERF_EVENT;
}

/* The PMUs that libpfm4 finds here, or the processor of a component: asked for once, not by every row. */
enum { MAX_PRESENT_PMUS = 256 };
struct present_pmus {
    int n;
    const char *name[MAX_PRESENT_PMUS];
};

static bool matches_pmu(const char *name, void *context)
{
    const struct present_pmus *present = context;
    for (int i = 0; i < present->n; i++)
        if (strcmp(name, present->name[i]) == 0)
            return true;
    return present->n == MAX_PRESENT_PMUS && pfm_has_pmu(&papi_library.tables, name);
}

static void find_pmus(struct present_pmus *present)
{
    present->n = 0;
    for (int pmu = -1; present->n < MAX_PRESENT_PMUS; present->n++)
        if ((pmu = pfm_next_pmu(&papi_library.tables, pmu, &present->name[present->n])) < 0)
            return;
}

/* Number of them; -1: they cannot be read now, with errno. */
static int find_core_pmus(struct core_pmu core[MAX_CORE_PMUS])
{
    const struct pmu_table *pmus = &papi_library.tables.pmus;
    int found = 0, n = pmus_cores(&papi_library.tables.pmus);
    for (int i = 0; i < pmus->n && n > 0 && found < MAX_CORE_PMUS; i++) {
        const struct pmu *pmu = &pmus->pmu[i];
        if (!pmu->core || strlen(pmu->name) >= sizeof core->name)
            continue;
        strcpy(core[found].name, pmu->name);
        if (processor_id(pmus->root, pmu->first_cpu, &core[found++].id) != 0)
            return -1;
    }
    return n < 0 ? -1 : found;
}

/* The machine that CPU rows are compared with. PAPI_ENOMEM, PAPI_ESYS: it cannot be found out now.
 *   builtin  for the library's own tables alone, which name no PMU but of cores */
static int find_machine(bool builtin, struct preset_machine *machine, struct present_pmus *present,
                        struct reason *why)
{
    int component = find_processor(why);
    if (component < 0)
        return component;
    const char *processor = components[component]->processor;
    if (processor == NULL && builtin)
        processor = core_pmu(&papi_library.tables);
    memset(machine, 0, sizeof *machine);
    machine->matches = matches_pmu;
    machine->context = present;
    if (processor != NULL) {
        present->name[0] = processor;
        present->n = 1;
        return PAPI_OK;
    }
    int code = pfm_start(&papi_library.tables, why);
    if (code != PAPI_OK)
        return code;
    find_pmus(present);
    machine->n_cores = find_core_pmus(machine->core);
    return machine->n_cores >= 0 ? PAPI_OK : reason_unreadable("the kernel's list of PMUs", why);
}

/* The first of these variables that is set, NULL: none. */
static const char *file_of(const char *variable, const char *older)
{
    const char *file = secure_getenv(variable);
    if ((file == NULL || file[0] == '\0') && older != NULL)
        file = secure_getenv(older);
    return file != NULL && file[0] != '\0' ? file : NULL;
}

/* The user's files of events; NULL: none. Those that are named when the first definition is asked for. */
struct event_files {
    const char *csv, *events;
};

/* True if a definition was made while the tables were not loaded. */
static bool has_some_alone(void)
{
    const struct preset_table *table = &papi_library.presets;
    bool some = false;
    for (int i = 0; table->n_presets == 0 && i < PRESET_COUNT; i++)
        some |= table->definition[i] != NULL;
    return some;
}

static struct event_files event_files(void)
{
    if (has_some_alone())
        return (struct event_files){NULL, NULL};
    return (struct event_files){file_of("PAPI_CSV_EVENT_FILE", "PAPI_PERFMON_EVENT_FILE"),
                                file_of("PAPI_USER_EVENTS_FILE", NULL)};
}

/* Definitions that were made alone stay, since event sets may have them. */
static void keep_those_alone(struct preset_table *table)
{
    for (int i = 0; papi_library.presets.n_presets == 0 && i < PRESET_COUNT; i++) {
        struct preset_definition *alone = papi_library.presets.definition[i];
        if (alone != NULL) {
            definition_free(table->definition[i]);
            table->definition[i] = alone;
        }
    }
}

static void take_over(struct preset_table *table)
{
    keep_those_alone(table);
    table->in_use = eventset_has_anywhere;
    papi_library.presets = *table;
    if (table->n_faults > 0 && papi_library.debug != PAPI_QUIET && papi_library.debug_handler == NULL)
        fprintf(stderr, "PAPI: %d rows of event files passed over: %s\n", table->n_faults, table->faults);
}

/* Loads the tables of presets. They are made aside, and put in place once all was read: from then on nothing
 * is read again. */
static int load_definitions(struct reason *why)
{
    struct preset_table fresh = {.n_presets = 0};
    struct preset_machine machine;
    struct present_pmus present;
    const struct event_files files = event_files();
    bool builtin = files.csv == NULL && files.events == NULL;
    int code = find_machine(builtin, &machine, &present, why)
                   ?: presets_load(&fresh, files.csv, files.events, &machine, why);
    int error = errno;
    if (code == PAPI_OK)
        take_over(&fresh);
    else
        presets_free(&fresh);
    errno = error;
    return code;
}

int library_presets(struct preset_table **table, struct reason *why)
{
    *table = &papi_library.presets;
    return papi_library.presets.n_presets > 0 ? PAPI_OK : load_definitions(why);
}

/* True if the answer stays the same: a lack of descriptors or counters in use may be over at the next try. */
static bool lasting(int code)
{
    return !code_passes(code) && code != PAPI_ECNFLCT;
}

const struct component_state *component_state_of(int component)
{
    struct component_state *state = &papi_library.state[component];
    if (!state->known) {
        parking_end(thread_self()); /* or what is tried might find no counter */
        memset(state, 0, sizeof *state);
        components[component]->discover(&papi_library.tables.pmus, state);
        state->known = lasting(state->disabled.code) && lasting(state->partially_disabled.code);
    }
    return state;
}

int component_found_out(int component, const struct component_state **state, struct reason *why)
{
    *state = component_state_of(component);
    if (code_passes((*state)->disabled.code))
        return reason_set(why, PAPI_ESYS, "%s", (*state)->disabled.text);
    if (code_passes((*state)->partially_disabled.code))
        return reason_set(why, PAPI_ESYS, "%s", (*state)->partially_disabled.text);
    return PAPI_OK;
}

int component_usable(int component, struct reason *why)
{
    if (component < 0 || component >= component_count())
        return reason_set(why, PAPI_ENOCMP, "there is no component %d", component);
    if (papi_library.disabled[component])
        return reason_set(why, PAPI_ECMP_DISABLED,
                          "component %s is switched off by the program or by "
                          "PAPI_DISABLE_COMPONENTS",
                          components[component]->name);
    return PAPI_OK;
}

int native_counts(struct native_event *event, struct reason *why)
{
    struct reason found;
    int component = event->encoding.component;
    int code = component_usable(component, why);
    if (code != PAPI_OK)
        return code;
    if (event->tried)
        return reason_pass_kept(event->answer, why);
    reason_begin(&found);
    found.code = components[component]->try_event(&papi_library.tables.pmus, &event->encoding,
                                                  components[component]->default_domain, &found);
    if (lasting(found.code) && !components[component]->list_grows)
        event->tried = reason_keep(&event->answer, &found) == PAPI_OK;
    return reason_pass(&found, why);
}

/* True if the machine shows no counter: then what it could count does not matter. */
static bool has_no_counter(const struct component_state *state)
{
    return state->disabled.code == PAPI_ENOEVNT || state->partially_disabled.code == PAPI_ENOEVNT;
}

static int explain_undefined(int index, struct reason *why)
{
    int processor = processor_component();
    const struct preset_table *table = &papi_library.presets;
    const struct component_state *state = component_state_of(processor);
    const char *absence = presets_absence(table, PAPI_PRESET_MASK | index);
    /* A table's reason comes first: it would hold even if nothing else stood in the way. */
    if (absence != NULL && (table->absence_of_file[index] || !has_no_counter(state)))
        return reason_set(why, PAPI_ENOEVNT, "%s cannot be counted on this processor: %s",
                          preset_list[index].symbol, absence);
    if (components[processor]->processor != NULL)
        return reason_set(why, PAPI_ENOEVNT,
                          "the component %s cannot count %s: it knows what instructions do and no cycles, "
                          "stalls or other hardware; papi_avail -a lists what it counts",
                          components[processor]->processor, preset_list[index].symbol);
    if (state->disabled.code || state->partially_disabled.code)
        return reason_pass(state->disabled.code ? &state->disabled : &state->partially_disabled, why);
    return reason_set(why, PAPI_ENOEVNT, "no event of this processor is known to count %s%s%s",
                      preset_list[index].symbol, table->faults[0] ? "; passed over: " : "", table->faults);
}

/* Explains a preset without a definition: is it this processor, or is there no counter at all? */
static int undefined_preset(int index, struct reason *why)
{
    int code = explain_undefined(index, why);
    if (why != NULL && code == PAPI_ENOEVNT && processor_component() == COMPONENT_PERF_EVENT)
        why->advice |= advice_for(index, false);
    return code;
}

static int no_definition(int code, struct reason *why)
{
    if ((code & PAPI_UE_MASK) == PAPI_UE_MASK)
        return reason_set(why, PAPI_ENOEVNT, "no user event was defined that has the code 0x%x",
                          (unsigned)code);
    return reason_set(why, PAPI_ENOTPRESET, "there is no preset 0x%x", (unsigned)code);
}

/* The definition of a preset while the tables are not loaded, where it can be made without the others: a
 * program has few. NULL: the tables tell. */
static const struct preset_definition *definition_alone(int code)
{
    struct preset_table *table = &papi_library.presets;
    int index = code & PAPI_UE_AND_MASK;
    if ((code & PAPI_UE_MASK) != PAPI_PRESET_MASK || index >= PRESET_COUNT || table->n_presets > 0)
        return NULL;
    const struct event_files files = event_files();
    struct preset_machine machine;
    struct present_pmus present;
    if (table->definition[index] == NULL && files.csv == NULL && files.events == NULL &&
        find_machine(true, &machine, &present, NULL) == PAPI_OK)
        table->definition[index] = presets_builtin(index, &machine);
    return table->definition[index];
}

static int find_definition(int code, const struct preset_definition **out, struct reason *why)
{
    struct preset_table *table;
    *out = definition_alone(code);
    if (*out != NULL)
        return PAPI_OK;
    int error = library_presets(&table, why);
    if (error != PAPI_OK)
        return error;
    struct preset_definition **place = presets_place(table, code);
    if (place == NULL)
        return no_definition(code, why);
    *out = *place;
    return *out != NULL ? PAPI_OK : undefined_preset(code & PAPI_UE_AND_MASK, why);
}

static bool is_nested(const struct preset_definition *definition)
{
    for (int i = 0; i < definition->n_natives; i++)
        if (presets_code(&papi_library.presets, definition->native[i]) != 0)
            return true;
    return false;
}

static bool is_made(const struct native_event *native)
{
    return native->encoding.event != NULL && native->encoding.event->made_of != NULL;
}

int native_named(const char *name, struct native_event **native, struct reason *why)
{
    int code = native_by_name(&papi_library.natives, &papi_library.tables, name, native, why)
                   ?: native_encode(*native, &papi_library.tables, why);
    if (code != PAPI_OK || !is_made(*native))
        return code;
    return reason_set(why, PAPI_ENOEVNT, "%.100s is computed of other events: a formula takes those, %.200s",
                      name, (*native)->encoding.event->made_of);
}

int native_of(int event, struct native_event **native, struct reason *why)
{
    int code = event == PAPI_NATIVE_MASK && papi_library.natives.n > 0
                   ? native_first(&papi_library.natives, &papi_library.tables, why)
                   : PAPI_OK;
    if (code_passes(code))
        return code;
    *native = native_by_code(&papi_library.natives, event);
    if ((event & PAPI_UE_MASK) != PAPI_NATIVE_MASK)
        return reason_set(why, PAPI_EINVAL, "0x%x is not an event code", (unsigned)event);
    if (*native == NULL)
        return reason_set(why, PAPI_ENOEVNT, "no event was named that has the code 0x%x", (unsigned)event);
    return PAPI_OK;
}

static int resolve_definition(int event, struct resolved_event *out, struct reason *why)
{
    const struct preset_definition *definition;
    int code = find_definition(event, &definition, why);
    if (code != PAPI_OK)
        return code;
    out->note = definition->note;
    if (is_nested(definition))
        return expand_definition(definition, out, why);
    out->derivation = definition->derivation;
    out->postfix = definition->postfix;
    out->formula = &definition->formula;
    out->n_natives = definition->n_natives;
    for (int i = 0; i < out->n_natives && code == PAPI_OK; i++)
        code = native_named(definition->native[i], &out->native[i], why);
    return code;
}

/* Resolves an event that its component computes of others. */
static int resolve_made(const struct component_event *event, struct resolved_event *out, struct reason *why)
{
    char names[PAPI_HUGE_STR_LEN], *rest = NULL;
    snprintf(names, sizeof names, "%s", event->made_of);
    out->n_natives = 0;
    for (char *name = strtok_r(names, " ", &rest); name != NULL; name = strtok_r(NULL, " ", &rest)) {
        int code = native_named(name, &out->native[out->n_natives], why);
        if (code != PAPI_OK)
            return code;
        out->n_natives++;
    }
    out->derivation = DERIVED_POSTFIX;
    out->postfix = event->formula;
    out->formula = &out->own;
    int code = formula_compile(event->formula, out->n_natives, &out->own, why);
    out->own.real = event->real;
    return code;
}

static int resolve_native(struct native_event *native, struct resolved_event *out, struct reason *why)
{
    out->n_natives = 1;
    out->native[0] = native;
    int code = native_encode(native, &papi_library.tables, why);
    if (code != PAPI_OK || !is_made(native))
        return code;
    out->maker = native->encoding.component;
    return resolve_made(native->encoding.event, out, why);
}

int resolve_named(const struct named_event *event, struct resolved_event *out, struct reason *why)
{
    memset(out, 0, sizeof *out);
    out->code = event->code;
    return event->native != NULL ? resolve_native(event->native, out, why)
                                 : resolve_definition(event->code, out, why);
}

int resolve_event(int event, struct resolved_event *out, struct reason *why)
{
    struct named_event found = {event, NULL};
    int code = (event & PAPI_PRESET_MASK) != 0 ? PAPI_OK : native_of(event, &found.native, why);
    return code ?: resolve_named(&found, out, why);
}

struct counter_group *counters_open(int component, const struct group_options *options,
                                    const struct opened_counter *counter, int n, int *code,
                                    struct reason *why)
{
    struct counter_group *group = components[component]->create(options);
    *code = group != NULL ? PAPI_OK : reason_set(why, PAPI_ENOMEM, "out of memory");
    for (int i = 0; i < n && *code == PAPI_OK; i++)
        *code =
            group->ops->add(group, papi_library.root, &counter[i].native->encoding, counter[i].period, why);
    if (*code == PAPI_OK || group == NULL)
        return group;
    group->ops->destroy(group);
    return NULL;
}

/* Tries the native events of an event together: each may count alone and all together not. */
static int count_together(const struct resolved_event *event, struct reason *why)
{
    int component = resolved_component(event, 0), code;
    const struct group_options options = {.domain = components[component]->default_domain};
    struct opened_counter counter[MAX_OPERANDS];
    for (int i = 0; i < event->n_natives; i++)
        counter[i] = (struct opened_counter){event->native[i], 0};
    struct counter_group *group = counters_open(component, &options, counter, event->n_natives, &code, why);
    if (group != NULL)
        group->ops->destroy(group);
    return code;
}

/* The preset that counts what a native event does, by its index; -1: none is known. */
static int preset_like(const struct event_encoding *native)
{
    if (native->type != PERF_TYPE_HARDWARE)
        return -1;
    switch (native->config) {
    case PERF_COUNT_HW_INSTRUCTIONS:
        return PAPI_TOT_INS & PAPI_UE_AND_MASK;
    case PERF_COUNT_HW_CPU_CYCLES:
        return PAPI_TOT_CYC & PAPI_UE_AND_MASK;
    case PERF_COUNT_HW_BRANCH_INSTRUCTIONS:
        return PAPI_BR_INS & PAPI_UE_AND_MASK;
    default:
        return -1;
    }
}

int resolved_advise(const struct resolved_event *event, int code, struct reason *why)
{
    bool preset = (event->code & PAPI_UE_MASK) == PAPI_PRESET_MASK;
    if (why != NULL && (why->advice & ADVICE_BLIND) != 0)
        why->advice |= preset ? advice_for(event->code & PAPI_UE_AND_MASK, false)
                              : advice_for(preset_like(&event->native[0]->encoding), true);
    return code;
}

int resolved_counts(const struct resolved_event *event, struct reason *why)
{
    int code = event->maker != 0 ? component_usable(event->maker, why) : PAPI_OK;
    for (int i = 0; i < event->n_natives && code == PAPI_OK; i++)
        code = native_counts(event->native[i], why);
    if (code == PAPI_OK && event->n_natives > 1)
        code = count_together(event, why);
    return code == PAPI_OK ? PAPI_OK : resolved_advise(event, code, why);
}

/* True if no table of presets can change that the processor counts none of them: the kernel shows no PMU of a
 * processor, and no file of the user's may make presets of other events. Tables that are loaded may have been
 * changed by the program. */
static bool is_blind(void)
{
    if (papi_library.presets.n_presets > 0 || processor_component() != COMPONENT_PERF_EVENT ||
        component_usable(COMPONENT_PERF_EVENT, NULL) != PAPI_OK ||
        file_of("PAPI_CSV_EVENT_FILE", "PAPI_PERFMON_EVENT_FILE") != NULL ||
        file_of("PAPI_USER_EVENTS_FILE", NULL) != NULL)
        return false;
    const struct component_state *state = component_state_of(COMPONENT_PERF_EVENT);
    return state->disabled.code == PAPI_OK && state->partially_disabled.code == PAPI_ENOEVNT &&
           pmus_cores(&papi_library.tables.pmus) == 0;
}

int event_counts(int event, struct reason *why)
{
    struct resolved_event resolved;
    int index = event & PAPI_UE_AND_MASK;
    /* The tables take milliseconds, and libpfm4, which says whose are this processor's, takes more. */
    if ((event & PAPI_UE_MASK) == PAPI_PRESET_MASK && index < PRESET_COUNT && is_blind())
        return undefined_preset(index, why);
    return resolve_event(event, &resolved, why) ?: resolved_counts(&resolved, why);
}

int event_available(int event, struct reason *why)
{
    struct reason local = {0};
    int code = event_counts(event, &local);
    return code_passes(code) ? reason_pass(&local, why) : code == PAPI_OK;
}

/* ---- names, codes */

/* Adds to the reason for an unknown name that its row may have been skipped, if the tables are loaded. */
static int unknown_name(int code, struct reason *why)
{
    const struct preset_table *table = &papi_library.presets;
    char text[sizeof why->text];
    if (table->n_faults == 0 || code_passes(code))
        return code;
    strcpy(text, why->text);
    return reason_set(why, code, "%.250s; rows passed over: %.240s", text, table->faults);
}

void event_nearest(const char *name, struct nearest *nearest)
{
    bool preset = strncasecmp(name, "PAPI_", 5) == 0;
    char prefixed[NEAREST_SIZE + 8];
    nearest_begin(nearest, name);
    presets_nearest(&papi_library.presets, nearest);
    if (!preset)
        native_nearest(&papi_library.tables, nearest);
    if (preset || nearest->name[0] != '\0')
        return;
    snprintf(prefixed, sizeof prefixed, "PAPI_%s", name); /* "FP_OPS" */
    nearest_begin(nearest, prefixed);
    presets_nearest(&papi_library.presets, nearest);
    nearest->wanted = name;
}

/* A name that no event has: the nearest is looked for when somebody reads the reason (api/error_calls.c),
 * since programs ask for names to find out whether there are such events. */
static int unknown_event(const char *name, int code, struct reason *why)
{
    struct papi_thread *self = thread_self();
    unknown_name(code, why);
    if (why == NULL || code_passes(code))
        return code;
    snprintf(self->unknown, sizeof self->unknown, "%s", name);
    why->advice = ADVICE_UNKNOWN;
    return code;
}

/* 0: no preset and no user event. For the names of presets and those that most native events have, which are
 * of a form that no other event has, the tables need not be loaded. */
static int find_defined(const char *name, int *event, struct reason *why)
{
    struct preset_table *table;
    int index = presets_index(name);
    *event = index >= 0 ? PAPI_PRESET_MASK | index : 0;
    if (index >= 0 || !definition_name_fits(name))
        return PAPI_OK;
    int code = library_presets(&table, why);
    *event = code == PAPI_OK ? presets_code(table, name) : 0;
    return code;
}

static int find_native(const char *name, struct named_event *event, struct reason *why)
{
    struct native_event *native;
    int code = native_by_name(&papi_library.natives, &papi_library.tables, name, &native, why);
    if (code != PAPI_OK)
        return unknown_event(name, code, why);
    *event = (struct named_event){native->code, native};
    /* Under an emulator nothing of the kernel's counts: said here with the reason that its use would give. */
    if (native->encoding.component == COMPONENT_PERF_EVENT && processor_component() != COMPONENT_PERF_EVENT)
        return native_counts(native, why);
    return PAPI_OK;
}

int event_by_name(const char *name, struct named_event *event, struct reason *why)
{
    event->native = NULL;
    int code = find_defined(name, &event->code, why);
    if (code != PAPI_OK || event->code != 0)
        return code;
    if (strncasecmp(name, "PAPI_", 5) == 0)
        return unknown_event(name, reason_set(why, PAPI_ENOTPRESET, "there is no preset %.60s", name), why);
    return find_native(name, event, why);
}

int event_name(int event, const char **name, struct reason *why)
{
    struct native_event *native;
    struct preset_table *table;
    bool defined = (event & PAPI_PRESET_MASK) != 0;
    int code = defined ? library_presets(&table, why) : native_of(event, &native, why);
    if (code != PAPI_OK)
        return code;
    if (defined && presets_place(table, event) == NULL)
        return no_definition(event, why);
    *name = defined ? presets_symbol(table, event) : native->name;
    return PAPI_OK;
}

int event_component(int event, struct reason *why)
{
    struct resolved_event resolved;
    struct reason local = {0};
    struct native_event *native = NULL;
    if ((event & PAPI_UE_MASK) == PAPI_NATIVE_MASK && native_of(event, &native, &local) != PAPI_OK &&
        code_passes(local.code))
        return reason_pass(&local, why);
    if (native != NULL)
        return native->encoding.component;
    /* A user event may take any component's; a preset is the processor's even where it has no definition. */
    if ((event & PAPI_UE_MASK) == PAPI_PRESET_MASK)
        return processor_component();
    int code = resolve_event(event, &resolved, &local);
    if (code_passes(code))
        return reason_pass(&local, why);
    /* Events that are made of numbers alone have no native event. */
    return code == PAPI_OK && resolved.n_natives > 0 ? resolved.native[0]->encoding.component
                                                     : processor_component();
}

/* ---- definitions made of definitions */

/* The definitions that are being expanded in one another, the innermost first. */
struct chain {
    const struct preset_definition *definition;
    const struct chain *up;
};

struct expansion {
    struct resolved_event *out;
    int n_definitions;
    struct reason *why;
};

static int expand(struct expansion *e, const struct preset_definition *definition, const struct chain *up);

static int add_step(struct expansion *e, char operation, long long value)
{
    struct formula *formula = &e->out->own;
    if (formula->n_steps == MAX_STEPS)
        return reason_set(e->why, PAPI_ENOEVNT,
                          "the formula has more than %d terms with those of the events in it",
                          (int)MAX_STEPS);
    formula->step[formula->n_steps++] = (struct step){operation, value};
    return PAPI_OK;
}

static int add_native(struct expansion *e, const char *name)
{
    struct resolved_event *out = e->out;
    struct native_event *native;
    int code = native_named(name, &native, e->why);
    if (code != PAPI_OK)
        return code;
    int i = 0;
    while (i < out->n_natives && out->native[i] != native)
        i++;
    if (i == MAX_OPERANDS)
        return reason_set(e->why, PAPI_ENOEVNT, "with the events in it, it takes more than %d native events",
                          (int)MAX_OPERANDS);
    if (i == out->n_natives)
        out->native[out->n_natives++] = native;
    return add_step(e, 'N', i);
}

static int add_operand(struct expansion *e, const char *name, const struct chain *chain)
{
    struct preset_table *table = &papi_library.presets;
    int code = presets_code(table, name);
    if (code == 0)
        return add_native(e, name);
    const struct preset_definition *definition = *presets_place(table, code);
    const char *absence = presets_absence(table, code);
    if (definition == NULL)
        return reason_set(e->why, PAPI_ENOEVNT, "it takes %s, which this processor does not count%s%s",
                          presets_symbol(table, code), absence ? ": " : "", absence ? absence : "");
    return expand(e, definition, chain);
}

static int add_formula(struct expansion *e, const struct chain *chain)
{
    const struct preset_definition *definition = chain->definition;
    int code = PAPI_OK;
    for (int i = 0; i < definition->formula.n_steps && code == PAPI_OK; i++) {
        const struct step *step = &definition->formula.step[i];
        code = step->operation == 'N' ? add_operand(e, definition->native[step->value], chain)
                                      : add_step(e, step->operation, step->value);
    }
    /* Natives of DERIVED_CMPD beside the first, which are not in the formula. */
    int n_steps = e->out->own.n_steps, n = definition->derivation == DERIVED_CMPD ? definition->n_natives : 1;
    for (int i = 1; i < n && code == PAPI_OK; i++) {
        code = add_operand(e, definition->native[i], chain);
        e->out->own.n_steps = n_steps;
    }
    return code;
}

static int expand(struct expansion *e, const struct preset_definition *definition, const struct chain *up)
{
    struct chain chain = {definition, up};
    for (const struct chain *outer = up; outer != NULL; outer = outer->up)
        if (outer->definition == definition)
            return reason_set(e->why, PAPI_ENOEVNT, "%.60s is defined through itself", definition->symbol);
    if (++e->n_definitions > MOST_DEFINITIONS)
        return reason_set(e->why, PAPI_ENOEVNT, "it is made of more than %d other events",
                          (int)MOST_DEFINITIONS);
    return add_formula(e, &chain);
}

int expand_definition(const struct preset_definition *definition, struct resolved_event *out,
                      struct reason *why)
{
    struct expansion e = {.out = out, .why = why};
    int code = expand(&e, definition, NULL);
    if (code != PAPI_OK)
        return code;
    formula_append(&out->own, 0, out->own_postfix, sizeof out->own_postfix);
    out->derivation = DERIVED_POSTFIX;
    out->formula = &out->own;
    out->postfix = out->own_postfix;
    return PAPI_OK;
}

/* ---- events that the program defines */

bool eventset_has_anywhere(int code)
{
    for (const struct papi_thread *thread = papi_library.threads; thread != NULL; thread = thread->next)
        for (const struct eventset *set = thread->sets; set != NULL; set = set->next)
            for (int i = 0; i < set->n_events; i++)
                if (set->event[i].code == code && !set->closed)
                    return true;
    return false;
}

struct change {
    struct preset_table *table;
    bool user, replace;
    int code; /* of the last event */
};

static int put(const struct event_parts *parts, int line, void *context, struct reason *why)
{
    struct change *change = context;
    struct reason local = {0};
    struct preset_definition *definition = definition_make(parts, &local);
    if (definition == NULL)
        return reason_pass(&local, why);
    definition->line = line;
    return presets_put(change->table, definition, change->user, change->replace, &change->code, why);
}

/* Checks that the events which they name exist, once all are there: they may name each other. */
static int check(struct preset_table *table, const char *file, struct reason *why)
{
    struct reason local = {0};
    const struct preset_definition *definition;
    for (int event = 0; (definition = presets_next_changed(table, &event)) != NULL;) {
        struct resolved_event resolved;
        int code = resolve_event(event, &resolved, &local);
        if (code == PAPI_OK)
            continue;
        code = code_passes(code) ? code : PAPI_EINVAL;
        const char *symbol = presets_symbol(table, event);
        if (file != NULL)
            return reason_set(why, code, "%.200s:%d: %.60s: %s", file, definition->line, symbol, local.text);
        return reason_set(why, code, "%.60s: %s", symbol, local.text);
    }
    return PAPI_OK;
}

int library_define(const struct event_parts *parts, bool user, bool replace, int *event, struct reason *why)
{
    struct change change = {.user = user, .replace = replace};
    struct preset_table before;
    int code = library_presets(&change.table, why);
    if (code != PAPI_OK)
        return code;
    presets_begin_change(change.table, &before);
    code = put(parts, 0, &change, why) ?: check(change.table, NULL, why);
    if (code == PAPI_OK)
        *event = change.code;
    return presets_finish_change(change.table, code);
}

int library_encode(const char *file, bool replace, struct reason *why)
{
    struct change change = {.replace = replace};
    struct preset_table before;
    const char *error;
    int code = library_presets(&change.table, why);
    FILE *stream = code == PAPI_OK ? text_file_open(file, &error) : NULL;
    if (stream == NULL)
        return code ?: reason_set(why, errno == ENOMEM ? PAPI_ENOMEM : PAPI_ESYS, "%.200s: %s", file, error);
    presets_begin_change(change.table, &before);
    code = old_csv_read(stream, file, put, &change, why) ?: check(change.table, file, why);
    fclose(stream);
    return presets_finish_change(change.table, code);
}

int library_read_events(const char *file, struct reason *why)
{
    struct preset_table *table;
    struct preset_machine machine;
    struct present_pmus present;
    return library_presets(&table, why) ?: find_machine(false, &machine, &present, why)
               ?: presets_read_events(table, file, &machine, why);
}

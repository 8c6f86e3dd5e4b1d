/* SPDX-License-Identifier: BSD-3-Clause */
#include "api/api.h"
#include "core/resolve.h"

#include <string.h>
#include <strings.h>

static int event_kind(int code)
{
    return code & PAPI_UE_MASK;
}

static int is_defined_kind(int code)
{
    return (code & PAPI_PRESET_MASK) != 0;
}

int PAPI_query_event(int code)
{
    int result = api_enter();
    if (result == PAPI_OK) {
        result = event_counts(code, api_why());
        api_unlock();
    }
    return api_result(result);
}

int PAPI_query_named_event(const char *name)
{
    int code, result = PAPI_event_name_to_code(name, &code);
    return result == PAPI_OK ? PAPI_query_event(code) : result;
}

/* ---------------------------------------------------------------- names, codes */

/* A name may be unknown because its row was skipped, if the tables are loaded. */
static int unknown_name(int code)
{
    const struct preset_table *table = &papi_library.presets;
    char text[sizeof api_why()->text];
    if (table->n_faults == 0 || code_passes(code))
        return code;
    strcpy(text, api_why()->text);
    return reason_set(api_why(), code, "%.250s; rows passed over: %.240s", text, table->faults);
}

/* 0: no preset that was added and no user event. Most native events have names of a form that no other event
 * has: the tables need not be loaded. */
static int find_defined(const char *name, int *code)
{
    struct preset_table *table;
    *code = 0;
    if (!definition_name_fits(name))
        return PAPI_OK;
    int result = library_presets(&table, api_why());
    if (result == PAPI_OK)
        *code = definition_code(table, name);
    return result;
}

static int find_name(const char *name, int *code)
{
    int defined, result;
    int index = preset_index(name);
    if (index >= 0) {
        *code = PAPI_PRESET_MASK | index;
        return PAPI_OK;
    }
    result = find_defined(name, &defined);
    if (result != PAPI_OK || defined != 0) {
        *code = result == PAPI_OK ? defined : *code;
        return result;
    }
    if (strncasecmp(name, "PAPI_", 5) == 0)
        return unknown_name(reason_set(api_why(), PAPI_ENOTPRESET, "there is no preset %.60s", name));
    struct native_event *event;
    result = native_by_name(&papi_library.natives, &papi_library.tables, name, &event, api_why());
    if (result != PAPI_OK)
        return unknown_name(result);
    *code = event->code;
    /* Under an emulator nothing of the kernel's counts: said here with the reason that its use would give. */
    if (event->encoding.component == COMPONENT_PERF_EVENT && processor_component() != COMPONENT_PERF_EVENT)
        return native_counts(event, api_why());
    return PAPI_OK;
}

int api_event_code(const char *name, int *code)
{
    api_lock();
    int result = find_name(name, code);
    api_unlock();
    return result;
}

int PAPI_event_name_to_code(const char *in, int *out)
{
    int code = api_ready();
    if (code == PAPI_OK && (in == NULL || out == NULL))
        code = api_null(in == NULL ? "the event's name" : "the code's address");
    return api_result(code == PAPI_OK ? api_event_code(in, out) : code);
}

int api_event_name(int code, const char **name)
{
    if (is_defined_kind(code)) {
        struct preset_table *table;
        int result = library_presets(&table, api_why());
        if (result != PAPI_OK)
            return result;
        if (definition_place(table, code) == NULL)
            return resolve_event(code, &(struct resolved_event){0}, api_why());
        *name = definition_symbol(table, code);
        return PAPI_OK;
    }
    if (event_kind(code) != PAPI_NATIVE_MASK)
        return reason_set(api_why(), PAPI_EINVAL, "0x%x is not an event code", (unsigned)code);
    const struct native_event *event = native_by_code(&papi_library.natives, code);
    if (event == NULL)
        return api_unknown_native(code);
    *name = event->name;
    return PAPI_OK;
}

int api_unknown_native(int code)
{
    return reason_set(api_why(), PAPI_ENOEVNT, "no event was named that has the code 0x%x", (unsigned)code);
}

int PAPI_event_code_to_name(int code, char *out)
{
    const char *name = NULL;
    int result = api_ready();
    if (result == PAPI_OK && out == NULL)
        result = api_null("the name's address");
    if (result != PAPI_OK)
        return api_result(result);
    api_lock();
    result = api_event_name(code, &name);
    if (result == PAPI_OK && strlen(name) >= PAPI_MAX_STR_LEN)
        result = reason_set(api_why(), PAPI_EBUF, "the name has %zu characters", strlen(name));
    if (result == PAPI_OK)
        strcpy(out, name);
    api_unlock();
    return api_result(result);
}

int api_event_component(int code)
{
    struct resolved_event event;
    struct reason why = {0};
    const struct native_event *native = native_by_code(&papi_library.natives, code);
    if (native != NULL)
        return native->encoding.component;
    /* A user event may take any component's; a preset is the processor's even where it has no definition. */
    if (event_kind(code) == PAPI_PRESET_MASK)
        return processor_component();
    int result = resolve_event(code, &event, &why);
    if (code_passes(result))
        return reason_set(api_why(), result, "%s", why.text);
    if (result != PAPI_OK)
        return processor_component();
    return event.native[0]->encoding.component;
}

int PAPI_get_event_component(int code)
{
    const char *name = NULL;
    int result = api_enter();
    if (result != PAPI_OK)
        return api_result(result);
    result = api_event_name(code, &name);
    if (result == PAPI_OK)
        result = api_event_component(code);
    api_unlock();
    return api_result(result);
}

/* ----------------------------------------------------------------- enumeration */

/* Is the event among those that the modifier lists? PAPI_ENOMEM, PAPI_ESYS: that cannot be found out now. */
static int is_wanted(int code, int modifier, int component)
{
    int index = code & PAPI_UE_AND_MASK;
    int counted = component == ALL_COMPONENTS ? component : api_event_component(code);
    if (counted != component)
        return code_passes(counted) ? counted : false;
    if (modifier == PAPI_PRESET_ENUM_AVAIL || modifier == PAPI_PRESET_ENUM_CPU_AVAIL) {
        struct reason why = {0};
        int result = event_counts(code, &why);
        return code_passes(result) ? reason_set(api_why(), result, "%s", why.text) : result == PAPI_OK;
    }
    if (modifier < PAPI_PRESET_ENUM_MSC)
        return true;
    return index < PRESET_COUNT ? (preset_list[index].category & 1U << modifier) != 0
                                : modifier == PAPI_PRESET_ENUM_MSC;
}

/* Presets or the user's events. */
static int enum_defined(int *code, int modifier, int component)
{
    struct preset_table *table;
    int kind = event_kind(*code), user = kind == PAPI_UE_MASK;
    int result = library_presets(&table, api_why());
    if (result != PAPI_OK)
        return result;
    int n = user ? table->n_users : table->n_presets, i = *code & PAPI_UE_AND_MASK;
    int most = user ? PAPI_PRESET_ENUM_AVAIL : PAPI_PRESET_ENUM_FP;
    if (modifier < PAPI_ENUM_EVENTS || modifier > most)
        return reason_set(api_why(), PAPI_EINVAL, "%d is not a modifier for %s", modifier,
                          user ? "user events" : "presets");
    if (modifier == PAPI_PRESET_ENUM_FIRST_COMP)
        return reason_set(api_why(), PAPI_ENOEVNT, "no component but the processor's has presets");
    for (i = modifier == PAPI_ENUM_FIRST ? 0 : i < n ? i + 1 : n; i < n; i++)
        if ((result = is_wanted(kind | i, modifier, component)) != 0) {
            *code = result > 0 ? kind | i : *code;
            return result > 0 ? PAPI_OK : result;
        }
    return reason_set(api_why(), PAPI_ENOEVNT,
                      n == 0 ? "there are no user events" : "there is no further event of that kind");
}

static int enum_natives(int *code, int modifier, int component)
{
    struct papi_library *library = &papi_library;
    struct native_event *event = native_by_code(&library->natives, *code), *next;
    int result;
    /* PAPI_NATIVE_MASK alone is where programs begin, whether an event has that code yet or not. */
    if (event == NULL && *code != PAPI_NATIVE_MASK && modifier != PAPI_ENUM_FIRST)
        return api_unknown_native(*code);
    if (modifier == PAPI_ENUM_EVENTS)
        result = native_next(&library->natives, &library->tables, event, component, &next, api_why());
    else if (modifier == PAPI_ENUM_FIRST)
        result = native_next(&library->natives, &library->tables, NULL, component, &next, api_why());
    else if (modifier >= PAPI_NTV_ENUM_UMASK_COMBOS && modifier <= PAPI_NTV_ENUM_GROUPS)
        return reason_set(api_why(), PAPI_ENOEVNT, "there are no native events of that kind%s",
                          modifier == PAPI_NTV_ENUM_UMASK_COMBOS
                              ? "; combinations of masks can be named (EVENT:MASK:MASK) and are not listed"
                              : "");
    else if (modifier != PAPI_NTV_ENUM_UMASKS)
        return reason_set(api_why(), PAPI_EINVAL, "%d is not a modifier for native events", modifier);
    else if (event == NULL)
        return api_unknown_native(*code);
    else
        result = native_next_mask(&library->natives, &library->tables, event, &next, api_why());
    if (result == PAPI_OK)
        *code = next->code;
    return result;
}

static int enumerate(int *code, int modifier, int component)
{
    if (is_defined_kind(*code))
        return enum_defined(code, modifier, component);
    if (event_kind(*code) == PAPI_NATIVE_MASK)
        return enum_natives(code, modifier, component);
    return reason_set(api_why(), PAPI_EINVAL, "0x%x is not an event code", (unsigned)*code);
}

static int enum_event(int *code, int modifier, int component)
{
    if (code == NULL)
        return api_null("the code's address");
    api_lock();
    int result = enumerate(code, modifier, component);
    api_unlock();
    return result;
}

int PAPI_enum_event(int *code, int modifier)
{
    int result = api_ready();
    return api_result(result == PAPI_OK ? enum_event(code, modifier, ALL_COMPONENTS) : result);
}

int PAPI_enum_cmp_event(int *code, int modifier, int cidx)
{
    int result = api_ready();
    if (result == PAPI_OK)
        result = api_component(cidx);
    return api_result(result == PAPI_OK ? enum_event(code, modifier, cidx) : result);
}

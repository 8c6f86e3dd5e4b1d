/* SPDX-License-Identifier: BSD-3-Clause */
#include "api/api.h"
#include "core/resolve.h"

#include <string.h>

int PAPI_query_event(int event)
{
    return api_result(api_enter() ?: api_unlock(event_counts(event, api_why())));
}

int PAPI_query_named_event(const char *name)
{
    int event;
    return PAPI_event_name_to_code(name, &event) ?: PAPI_query_event(event);
}

int PAPI_event_name_to_code(const char *in, int *out)
{
    int code = api_ready() ?: api_given(in, "the event's name") ?: api_given(out, "the code's address");
    return api_result(code ?: api_lock() ?: api_unlock(event_code(in, out, api_why())));
}

static int copy_name(int event, char *out)
{
    const char *name;
    int code = event_name(event, &name, api_why());
    if (code == PAPI_OK && strlen(name) >= PAPI_MAX_STR_LEN)
        return reason_set(api_why(), PAPI_EBUF, "the name has %zu characters", strlen(name));
    if (code == PAPI_OK)
        strcpy(out, name);
    return code;
}

int PAPI_event_code_to_name(int event, char *out)
{
    int code = api_ready() ?: api_given(out, "the name's address") ?: api_lock();
    return api_result(code ?: api_unlock(copy_name(event, out)));
}

int PAPI_get_event_component(int event)
{
    const char *name;
    int code = api_enter();
    if (code == PAPI_OK)
        code = api_unlock(event_name(event, &name, api_why()) ?: event_component(event, api_why()));
    return api_result(code);
}

/* ----------------------------------------------------------------- enumeration */

/* Is the event among those that the modifier lists? PAPI_ENOMEM, PAPI_ESYS: that cannot be found out now. */
static int is_wanted(int event, int modifier, int component)
{
    int index = event & PAPI_UE_AND_MASK;
    int counted = component == ALL_COMPONENTS ? component : event_component(event, api_why());
    if (counted != component)
        return code_passes(counted) ? counted : false;
    if (modifier == PAPI_PRESET_ENUM_AVAIL || modifier == PAPI_PRESET_ENUM_CPU_AVAIL)
        return event_available(event, api_why());
    if (modifier < PAPI_PRESET_ENUM_MSC)
        return true;
    return index < PRESET_COUNT ? (preset_list[index].category & 1U << modifier) != 0
                                : modifier == PAPI_PRESET_ENUM_MSC;
}

/* Presets or the user's events. */
static int enum_defined(int *event, int modifier, int component)
{
    struct preset_table *table;
    int kind = *event & PAPI_UE_MASK, i = *event & PAPI_UE_AND_MASK, wanted;
    bool user = kind == PAPI_UE_MASK;
    int code = library_presets(&table, api_why());
    if (code != PAPI_OK)
        return code;
    int n = user ? table->n_users : table->n_presets;
    if (modifier < PAPI_ENUM_EVENTS || modifier > (user ? PAPI_PRESET_ENUM_AVAIL : PAPI_PRESET_ENUM_FP))
        return reason_set(api_why(), PAPI_EINVAL, "%d is not a modifier for %s", modifier,
                          user ? "user events" : "presets");
    if (modifier == PAPI_PRESET_ENUM_FIRST_COMP)
        return reason_set(api_why(), PAPI_ENOEVNT, "no component but the processor's has presets");
    for (i = modifier == PAPI_ENUM_FIRST ? 0 : i < n ? i + 1 : n; i < n; i++)
        if ((wanted = is_wanted(kind | i, modifier, component)) != 0) {
            *event = wanted > 0 ? kind | i : *event;
            return wanted > 0 ? PAPI_OK : wanted;
        }
    return reason_set(api_why(), PAPI_ENOEVNT,
                      n == 0 ? "there are no user events" : "there is no further event of that kind");
}

static int enum_natives(int *event, int modifier, int component)
{
    struct papi_library *library = &papi_library;
    struct native_event *from, *next;
    int code = native_of(*event, &from, api_why());
    bool first = modifier == PAPI_ENUM_FIRST, masks = modifier == PAPI_NTV_ENUM_UMASKS;
    /* PAPI_NATIVE_MASK alone is where programs begin, whether an event has that code yet or not. */
    bool begins = code == PAPI_ENOEVNT && (first || (*event == PAPI_NATIVE_MASK && !masks));
    if (code != PAPI_OK && !begins)
        return code;
    if (modifier == PAPI_ENUM_EVENTS || first)
        code = native_next(&library->natives, &library->tables, first ? NULL : from, component, &next,
                           api_why());
    else if (masks)
        code = native_next_mask(&library->natives, &library->tables, from, &next, api_why());
    else if (modifier >= PAPI_NTV_ENUM_UMASK_COMBOS && modifier <= PAPI_NTV_ENUM_GROUPS)
        return reason_set(api_why(), PAPI_ENOEVNT, "there are no native events of that kind%s",
                          modifier == PAPI_NTV_ENUM_UMASK_COMBOS
                              ? "; combinations of masks can be named (EVENT:MASK:MASK) and are not listed"
                              : "");
    else
        return reason_set(api_why(), PAPI_EINVAL, "%d is not a modifier for native events", modifier);
    if (code == PAPI_OK)
        *event = next->code;
    return code;
}

static int enumerate(int *event, int modifier, int component)
{
    bool defined = (*event & PAPI_PRESET_MASK) != 0;
    return (defined ? enum_defined : enum_natives)(event, modifier, component);
}

int PAPI_enum_event(int *event, int modifier)
{
    int code = api_ready() ?: api_given(event, "the code's address") ?: api_lock();
    return api_result(code ?: api_unlock(enumerate(event, modifier, ALL_COMPONENTS)));
}

int PAPI_enum_cmp_event(int *event, int modifier, int cidx)
{
    int code = api_ready() ?: api_component(cidx) ?: api_given(event, "the code's address") ?: api_lock();
    return api_result(code ?: api_unlock(enumerate(event, modifier, cidx)));
}

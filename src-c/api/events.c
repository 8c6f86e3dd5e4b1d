/* SPDX-License-Identifier: BSD-3-Clause */
#include "api/api.h"
#include "core/resolve.h"

#include <string.h>
#include <strings.h>

static int event_kind(int code)
{
    return code & PAPI_UE_MASK;
}

static int unknown_native(int code)
{
    return reason_set(api_why(), PAPI_ENOEVNT, "no event was named that has the code 0x%x", (unsigned)code);
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

static int find_name(const char *name, int *code)
{
    for (int i = 0; i < PRESET_COUNT; i++)
        if (strcasecmp(preset_list[i].symbol, name) == 0) {
            *code = PAPI_PRESET_MASK | i;
            return PAPI_OK;
        }
    if (strncasecmp(name, "PAPI_", 5) == 0)
        return reason_set(api_why(), PAPI_ENOTPRESET, "there is no preset %.60s", name);
    struct native_event *event;
    int result = native_by_name(&papi_library.natives, papi_library.root, name, &event, api_why());
    if (result == PAPI_OK)
        *code = event->code;
    return result;
}

int PAPI_event_name_to_code(const char *in, int *out)
{
    int code = api_ready();
    if (code == PAPI_OK && (in == NULL || out == NULL))
        code = api_null(in == NULL ? "the event's name" : "the code's address");
    if (code == PAPI_OK) {
        api_lock();
        code = find_name(in, out);
        api_unlock();
    }
    return api_result(code);
}

/* The name of a code; valid while the library is locked. */
static int find_code(int code, const char **name)
{
    int index = code & PAPI_UE_AND_MASK;
    if (event_kind(code) == PAPI_PRESET_MASK) {
        if (index >= PRESET_COUNT)
            return reason_set(api_why(), PAPI_ENOTPRESET, "there is no preset 0x%x", (unsigned)code);
        *name = preset_list[index].symbol;
        return PAPI_OK;
    }
    if (event_kind(code) != PAPI_NATIVE_MASK)
        return reason_set(api_why(), PAPI_EINVAL, "0x%x is no event code", (unsigned)code);
    const struct native_event *event = native_by_code(&papi_library.natives, code);
    if (event == NULL)
        return unknown_native(code);
    *name = event->name;
    return PAPI_OK;
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
    result = find_code(code, &name);
    if (result == PAPI_OK && strlen(name) >= PAPI_MAX_STR_LEN)
        result = reason_set(api_why(), PAPI_EBUF, "the name has %zu characters", strlen(name));
    if (result == PAPI_OK)
        strcpy(out, name);
    api_unlock();
    return api_result(result);
}

int PAPI_get_event_component(int code)
{
    const char *name = NULL;
    int result = api_enter();
    if (result != PAPI_OK)
        return api_result(result);
    result = find_code(code, &name);
    if (result == PAPI_OK)
        result = event_kind(code) == PAPI_NATIVE_MASK
                     ? native_by_code(&papi_library.natives, code)->encoding.component
                     : processor_component();
    api_unlock();
    return api_result(result);
}

/* ----------------------------------------------------------------- enumeration */

static int enum_presets(int *code, int modifier)
{
    int i = *code & PAPI_UE_AND_MASK;
    if (modifier == PAPI_ENUM_FIRST) {
        *code = PAPI_PRESET_MASK;
        return PAPI_OK;
    }
    if (modifier != PAPI_ENUM_EVENTS && modifier != PAPI_PRESET_ENUM_AVAIL)
        return reason_set(api_why(), PAPI_EINVAL, "%d is no modifier for presets", modifier);
    for (i++; i < PRESET_COUNT; i++)
        if (modifier == PAPI_ENUM_EVENTS || event_counts(PAPI_PRESET_MASK | i, NULL) == PAPI_OK) {
            *code = PAPI_PRESET_MASK | i;
            return PAPI_OK;
        }
    return reason_set(api_why(), PAPI_ENOEVNT, "that was the last preset");
}

static int enum_natives(int *code, int modifier, int component)
{
    struct papi_library *library = &papi_library;
    struct native_event *event = native_by_code(&library->natives, *code), *next;
    int result;
    /* PAPI_NATIVE_MASK alone is where programs begin, whether an event has that code yet or not. */
    if (event == NULL && *code != PAPI_NATIVE_MASK && modifier != PAPI_ENUM_FIRST)
        return unknown_native(*code);
    if (modifier == PAPI_ENUM_EVENTS)
        result = native_next(&library->natives, library->root, event, component, &next, api_why());
    else if (modifier == PAPI_ENUM_FIRST)
        result = native_next(&library->natives, library->root, NULL, component, &next, api_why());
    else if (modifier >= PAPI_NTV_ENUM_UMASK_COMBOS && modifier <= PAPI_NTV_ENUM_DEAR)
        return reason_set(api_why(), PAPI_ENOEVNT, "there are no native events of that kind");
    else if (modifier != PAPI_NTV_ENUM_UMASKS)
        return reason_set(api_why(), PAPI_EINVAL, "%d is no modifier for native events", modifier);
    else if (event == NULL)
        return unknown_native(*code);
    else
        result = native_next_mask(&library->natives, library->root, event, &next, api_why());
    if (result == PAPI_OK)
        *code = next->code;
    return result;
}

static int enumerate(int *code, int modifier, int component)
{
    switch (event_kind(*code)) {
    case PAPI_PRESET_MASK:
        return enum_presets(code, modifier);
    case PAPI_NATIVE_MASK:
        return enum_natives(code, modifier, component);
    case PAPI_UE_MASK:
        return reason_set(api_why(), PAPI_ENOEVNT, "there are no user-defined events");
    default:
        return reason_set(api_why(), PAPI_EINVAL, "0x%x is no event code", (unsigned)*code);
    }
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

/* ---------------------------------------------------------------- description */

static void copy(char *to, size_t size, const char *from)
{
    snprintf(to, size, "%s", from ? from : "");
}

static void describe_definition(const struct resolved_event *event, PAPI_event_info_t *info)
{
    copy(info->derived, sizeof info->derived, derivation_name(event->derivation));
    copy(info->postfix, sizeof info->postfix, event->postfix);
    copy(info->note, sizeof info->note, event->note);
    for (int i = 0; i < event->n_natives; i++) {
        info->code[i] = (unsigned)event->native[i]->code;
        copy(info->name[i], sizeof info->name[i], event->native[i]->name);
    }
}

/* A preset that cannot be counted is described all the same: count is 0 and the note says why. */
static int describe_preset(int code, PAPI_event_info_t *info)
{
    int index = code & PAPI_UE_AND_MASK;
    struct resolved_event event;
    struct reason why = {0};
    if (index >= PRESET_COUNT)
        return reason_set(api_why(), PAPI_ENOTPRESET, "there is no preset 0x%x", (unsigned)code);
    copy(info->symbol, sizeof info->symbol, preset_list[index].symbol);
    copy(info->short_descr, sizeof info->short_descr, preset_list[index].short_descr);
    copy(info->long_descr, sizeof info->long_descr, preset_list[index].long_descr);
    info->event_type = preset_list[index].category;
    if (resolve_event(code, &event, &why) == PAPI_OK) {
        describe_definition(&event, info);
        if (event_counts(code, &why) == PAPI_OK) {
            info->count = (unsigned)event.n_natives;
            return PAPI_OK;
        }
    }
    copy(info->note, sizeof info->note, why.text);
    return PAPI_OK;
}

static int describe_native(int code, PAPI_event_info_t *info)
{
    const struct native_event *event = native_by_code(&papi_library.natives, code);
    if (event == NULL)
        return unknown_native(code);
    copy(info->symbol, sizeof info->symbol, event->name);
    copy(info->name[0], sizeof info->name[0], event->name);
    event->source->describe(papi_library.root, event->place, event->mask, info->long_descr,
                            sizeof info->long_descr);
    copy(info->short_descr, sizeof info->short_descr, info->long_descr);
    info->component_index = event->encoding.component;
    info->code[0] = (unsigned)code;
    info->count = 1;
    return PAPI_OK;
}

int PAPI_get_event_info(int code, PAPI_event_info_t *info)
{
    int result = api_ready();
    if (result == PAPI_OK && info == NULL)
        result = api_null("info");
    if (result != PAPI_OK)
        return api_result(result);
    memset(info, 0, sizeof *info);
    info->event_code = (unsigned)code;
    info->location = PAPI_LOCATION_CORE;
    api_lock();
    if (event_kind(code) == PAPI_PRESET_MASK)
        result = describe_preset(code, info);
    else if (event_kind(code) == PAPI_NATIVE_MASK)
        result = describe_native(code, info);
    else
        result = reason_set(api_why(), PAPI_EINVAL, "0x%x is no event code", (unsigned)code);
    api_unlock();
    return api_result(result);
}

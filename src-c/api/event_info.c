/* SPDX-License-Identifier: BSD-3-Clause */
#include "api/api.h"
#include "core/define.h"
#include "core/resolve.h"

#include <string.h>

/* ---------------------------------------------------------------- description */

static void copy(char *to, size_t size, const char *from)
{
    snprintf(to, size, "%s", from ? from : "");
}

static void describe_resolved(const struct resolved_event *event, PAPI_event_info_t *info)
{
    copy(info->derived, sizeof info->derived, derivation_name(event->derivation));
    copy(info->postfix, sizeof info->postfix, event->postfix);
    copy(info->note, sizeof info->note, event->note);
    for (int i = 0; i < event->n_natives; i++) {
        info->code[i] = (unsigned)event->native[i]->code;
        copy(info->name[i], sizeof info->name[i], event->native[i]->name);
    }
}

/* As it stands in its file: some name in it is not an event here. */
static void describe_definition(const struct preset_definition *definition, PAPI_event_info_t *info)
{
    copy(info->derived, sizeof info->derived, derivation_name(definition->derivation));
    copy(info->postfix, sizeof info->postfix, definition->postfix);
    for (int i = 0; i < definition->n_natives; i++)
        copy(info->name[i], sizeof info->name[i], definition->native[i]);
}

/* An event that cannot be counted is described all the same: count is 0 and the note says why. */
static int describe_counting(int code, const struct preset_definition *definition, PAPI_event_info_t *info)
{
    struct resolved_event event;
    struct reason why = {0};
    int error = resolve_event(code, &event, &why);
    if (error == PAPI_OK)
        describe_resolved(&event, info);
    else if (definition != NULL)
        describe_definition(definition, info);
    if (error == PAPI_OK)
        error = event_counts(code, &why);
    if (code_passes(error))
        return reason_set(api_why(), error, "%s", why.text);
    if (error == PAPI_OK)
        info->count = (unsigned)event.n_natives;
    else
        copy(info->note, sizeof info->note, why.text);
    return PAPI_OK;
}

/* A preset or a user event. */
static int describe_defined(int code, PAPI_event_info_t *info)
{
    struct preset_table *table = &papi_library.presets; /* api_event_name loads it */
    int index = code & PAPI_UE_AND_MASK;
    const char *symbol;
    int error = api_event_name(code, &symbol);
    if (error != PAPI_OK)
        return error;
    copy(info->symbol, sizeof info->symbol, symbol);
    copy(info->short_descr, sizeof info->short_descr, definition_short_descr(table, code));
    copy(info->long_descr, sizeof info->long_descr, definition_long_descr(table, code));
    info->event_type = PAPI_PRESET_BIT_MSC;
    if ((code & PAPI_UE_MASK) == PAPI_PRESET_MASK && index < PRESET_COUNT)
        info->event_type = preset_list[index].category;
    int component = api_event_component(code);
    if (code_passes(component))
        return component;
    info->component_index = component;
    return describe_counting(code, *definition_place(table, code), info);
}

static int describe_qualifiers(const struct native_event *event, PAPI_event_info_t *info)
{
    struct event_qualifiers list;
    if (event->source->qualifiers == NULL)
        return PAPI_OK;
    int code = event->source->qualifiers(&papi_library.tables, event->name, event->place, &list,
                                         &papi_library.natives.qualifiers);
    if (code != PAPI_OK)
        return reason_set(api_why(), code, "out of memory");
    info->num_quals = list.n;
    for (int i = 0; i < list.n; i++) {
        copy(info->quals[i], sizeof info->quals[i], list.qualifier[i].text);
        copy(info->quals_descrs[i], sizeof info->quals_descrs[i], list.qualifier[i].description);
    }
    return PAPI_OK;
}

/* What the value is of an event that its component lists (NULL: it does not), and whose. */
static void describe_value(const struct component_event *event, int granularity, PAPI_event_info_t *info)
{
    bool level = event != NULL && event->level, of_thread = event != NULL && event->of_thread;
    if (event != NULL)
        copy(info->units, sizeof info->units, event->unit);
    info->location = granularity != 0 && !of_thread ? PAPI_LOCATION_UNCORE : PAPI_LOCATION_CORE;
    info->data_type = event != NULL && event->real ? PAPI_DATATYPE_FP64 : PAPI_DATATYPE_INT64;
    info->value_type = level ? PAPI_VALUETYPE_ABSOLUTE : PAPI_VALUETYPE_RUNNING_SUM;
    info->timescope = level ? PAPI_TIMESCOPE_POINT : PAPI_TIMESCOPE_SINCE_START;
}

static int describe_unit(const struct native_event *event, PAPI_event_info_t *info)
{
    if (event->source->unit == NULL)
        return PAPI_OK;
    return event->source->unit(&papi_library.tables, event->place, info->units, sizeof info->units,
                               api_why());
}

static int describe_native(int code, PAPI_event_info_t *info)
{
    const struct native_event *event = native_by_code(&papi_library.natives, code);
    if (event == NULL)
        return api_unknown_native(code);
    copy(info->symbol, sizeof info->symbol, event->name);
    copy(info->name[0], sizeof info->name[0], event->name);
    int result = event->source->describe(&papi_library.tables, event->name, event->place, event->mask,
                                         info->long_descr, sizeof info->long_descr, api_why());
    if (!code_passes(result))
        result = describe_unit(event, info);
    if (code_passes(result))
        return result;
    copy(info->short_descr, sizeof info->short_descr, info->long_descr);
    info->component_index = event->encoding.component;
    const struct component_event *listed = event->source->listed != NULL && event->place >= 0
                                               ? event->source->listed(&papi_library.tables, event->place)
                                               : NULL;
    describe_value(listed, components[info->component_index]->granularity, info);
    info->code[0] = (unsigned)code;
    info->count = 1;
    return describe_qualifiers(event, info);
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
    if ((code & PAPI_PRESET_MASK) != 0)
        result = describe_defined(code, info);
    else if ((code & PAPI_UE_MASK) == PAPI_NATIVE_MASK)
        result = describe_native(code, info);
    else
        result = reason_set(api_why(), PAPI_EINVAL, "0x%x is not an event code", (unsigned)code);
    api_unlock();
    return api_result(result);
}

/* ----------------------------------------------------------------- definition */

/* The field's text where it ends in its array. */
static int take_text(const char **out, const char *field, size_t size, const char *what)
{
    if (memchr(field, '\0', size) == NULL)
        return reason_set(api_why(), PAPI_EINVAL, "info->%s has no end", what);
    *out = field;
    return PAPI_OK;
}

static int take_names(const PAPI_event_info_t *info, struct event_parts *parts)
{
    for (int i = 0; i < PAPI_MAX_INFO_TERMS && info->name[i][0] != '\0'; i++) {
        int code = take_text(&parts->native[i], info->name[i], sizeof info->name[i], "name");
        if (code != PAPI_OK)
            return code;
        parts->n_natives = i + 1;
    }
    return PAPI_OK;
}

static int take_parts(const PAPI_event_info_t *info, struct event_parts *parts)
{
    int code = take_text(&parts->symbol, info->symbol, sizeof info->symbol, "symbol");
    if (code == PAPI_OK)
        code = take_text(&parts->derived, info->derived, sizeof info->derived, "derived");
    if (code == PAPI_OK)
        code = take_text(&parts->postfix, info->postfix, sizeof info->postfix, "postfix");
    if (code == PAPI_OK)
        code = take_text(&parts->short_descr, info->short_descr, sizeof info->short_descr, "short_descr");
    if (code == PAPI_OK)
        code = take_text(&parts->long_descr, info->long_descr, sizeof info->long_descr, "long_descr");
    if (code == PAPI_OK)
        code = take_text(&parts->note, info->note, sizeof info->note, "note");
    return code == PAPI_OK ? take_names(info, parts) : code;
}

int PAPI_set_event_info(PAPI_event_info_t *info, int *code, int replace)
{
    struct event_parts parts = {0};
    int made, result = api_ready();
    if (result == PAPI_OK && (info == NULL || code == NULL))
        result = api_null(info == NULL ? "info" : "the code's address");
    if (result == PAPI_OK && (info->event_code & (unsigned)PAPI_PRESET_MASK) == 0)
        result = reason_set(api_why(), PAPI_ENOEVNT,
                            "info->event_code is 0x%x: neither PAPI_PRESET_MASK nor PAPI_UE_MASK is in it",
                            info->event_code);
    if (result == PAPI_OK)
        result = take_parts(info, &parts);
    if (result != PAPI_OK)
        return api_result(result);
    bool user = ((int)info->event_code & PAPI_UE_MASK) == PAPI_UE_MASK;
    api_lock();
    result = library_define(&parts, user, replace != 0, &made, api_why());
    api_unlock();
    if (result == PAPI_OK)
        *code = made;
    return api_result(result);
}

int PAPI_encode_events(char *file, int replace)
{
    int result = api_ready();
    if (result == PAPI_OK && file == NULL)
        result = api_null("the file's name");
    if (result != PAPI_OK)
        return api_result(result);
    api_lock();
    result = library_encode(file, replace != 0, api_why());
    api_unlock();
    return api_result(result);
}

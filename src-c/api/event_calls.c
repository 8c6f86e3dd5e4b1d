/* SPDX-License-Identifier: BSD-3-Clause */
#include "api/api.h"
#include "core/resolve.h"

#include <string.h>

int PAPI_query_event(int event)
{
    int code = api_lock_if_ready();
    if (code == PAPI_OK) {
        code = event_counts(event, api_why());
        library_unlock();
    }
    return api_result(code);
}

int PAPI_query_named_event(const char *name)
{
    int event;
    return PAPI_event_name_to_code(name, &event) ?: PAPI_query_event(event);
}

static int name_to_code_locked(const char *in, int *out)
{
    struct named_event event;
    int code = event_by_name(in, &event, api_why());
    if (code == PAPI_OK)
        *out = event.code;
    return code;
}

int PAPI_event_name_to_code(const char *in, int *out)
{
    int code = api_ready() ?: api_not_null(in, "the event's name") ?: api_not_null(out, "the code's address");
    if (code == PAPI_OK) {
        library_lock();
        code = name_to_code_locked(in, out);
        library_unlock();
    }
    return api_result(code);
}

static int copy_name_locked(int event, char *out)
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
    int code = api_ready() ?: api_not_null(out, "the name's address");
    if (code == PAPI_OK) {
        library_lock();
        code = copy_name_locked(event, out);
        library_unlock();
    }
    return api_result(code);
}

int PAPI_get_event_component(int event)
{
    const char *name;
    int code = api_lock_if_ready();
    if (code == PAPI_OK) {
        code = event_name(event, &name, api_why()) ?: event_component(event, api_why());
        library_unlock();
    }
    return api_result(code);
}

/* ---- enumeration */

/* True if the event is among those that the modifier lists. PAPI_ENOMEM, PAPI_ESYS: that cannot be found out
 * now. */
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

static int enumerate_locked(int *event, int modifier, int component)
{
    bool defined = (*event & PAPI_PRESET_MASK) != 0;
    return (defined ? enum_defined : enum_natives)(event, modifier, component);
}

int PAPI_enum_event(int *event, int modifier)
{
    int code = api_ready() ?: api_not_null(event, "the code's address");
    if (code == PAPI_OK) {
        library_lock();
        code = enumerate_locked(event, modifier, ALL_COMPONENTS);
        library_unlock();
    }
    return api_result(code);
}

int PAPI_enum_cmp_event(int *event, int modifier, int cidx)
{
    int code = api_ready() ?: api_component(cidx) ?: api_not_null(event, "the code's address");
    if (code == PAPI_OK) {
        library_lock();
        code = enumerate_locked(event, modifier, cidx);
        library_unlock();
    }
    return api_result(code);
}

/* ---- description */

static void copy(char *to, size_t size, const char *from)
{
    snprintf(to, size, "%s", from ? from : "");
}

static void describe_formula(enum derivation derivation, const char *postfix, PAPI_event_info_t *info)
{
    copy(info->derived, sizeof info->derived, derivation_name(derivation));
    copy(info->postfix, sizeof info->postfix, postfix);
}

static void describe_resolved(const struct resolved_event *event, PAPI_event_info_t *info)
{
    describe_formula(event->derivation, event->postfix, info);
    copy(info->note, sizeof info->note, event->note);
    for (int i = 0; i < event->n_natives; i++) {
        info->code[i] = (unsigned)event->native[i]->code;
        copy(info->name[i], sizeof info->name[i], event->native[i]->name);
    }
}

/* Describes a definition by its names alone, as it stands in its file, since not all of them are events
 * here. */
static void describe_definition(const struct preset_definition *definition, PAPI_event_info_t *info)
{
    describe_formula(definition->derivation, definition->postfix, info);
    for (int i = 0; i < definition->n_natives; i++)
        copy(info->name[i], sizeof info->name[i], definition->native[i]);
}

/* An event that cannot be counted is described all the same: count is 0 and the note says why. */
static int describe_counting(int event, const struct preset_definition *definition, PAPI_event_info_t *info)
{
    struct resolved_event resolved;
    struct reason why = {0};
    int code = resolve_event(event, &resolved, &why);
    if (code == PAPI_OK)
        describe_resolved(&resolved, info);
    else if (definition != NULL)
        describe_definition(definition, info);
    code = code ?: resolved_counts(&resolved, &why);
    if (code_passes(code))
        return reason_set(api_why(), code, "%s", why.text);
    if (code == PAPI_OK)
        info->count = (unsigned)resolved.n_natives;
    else
        copy(info->note, sizeof info->note, why.text);
    return PAPI_OK;
}

/* A preset or a user event. */
static int describe_defined(int event, PAPI_event_info_t *info)
{
    struct preset_table *table = &papi_library.presets; /* event_name loads it */
    int index = event & PAPI_UE_AND_MASK;
    const char *symbol;
    int code = event_name(event, &symbol, api_why()) ?: event_component(event, api_why());
    if (code < 0)
        return code;
    info->component_index = code;
    copy(info->symbol, sizeof info->symbol, symbol);
    copy(info->short_descr, sizeof info->short_descr, presets_short_descr(table, event));
    copy(info->long_descr, sizeof info->long_descr, presets_long_descr(table, event));
    info->event_type = PAPI_PRESET_BIT_MSC;
    if ((event & PAPI_UE_MASK) == PAPI_PRESET_MASK && index < PRESET_COUNT)
        info->event_type = preset_list[index].category;
    return describe_counting(event, *presets_place(table, event), info);
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

/* Describes the value of an event that its component lists (NULL: it does not), and whose it is. */
static void describe_value(const struct component_event *event, int granularity, PAPI_event_info_t *info)
{
    bool level = event != NULL && event->level, of_thread = event != NULL && event->of_thread;
    bool sum = !level && (event == NULL || event->made_of == NULL);
    if (event != NULL && event->unit != NULL)
        copy(info->units, sizeof info->units, event->unit);
    info->location = granularity != 0 && !of_thread ? PAPI_LOCATION_UNCORE : PAPI_LOCATION_CORE;
    info->data_type = event != NULL && event->real ? PAPI_DATATYPE_FP64 : PAPI_DATATYPE_INT64;
    info->value_type = sum ? PAPI_VALUETYPE_RUNNING_SUM : PAPI_VALUETYPE_ABSOLUTE;
    info->timescope = level ? PAPI_TIMESCOPE_POINT : PAPI_TIMESCOPE_SINCE_START;
}

static int describe_unit(const struct native_event *event, PAPI_event_info_t *info)
{
    if (event->source->unit == NULL)
        return PAPI_OK;
    return event->source->unit(&papi_library.tables, event->place, info->units, sizeof info->units,
                               api_why());
}

/* Describes the formula of a native event that its component computes of others. */
static int describe_made(const struct native_event *native, PAPI_event_info_t *info)
{
    struct resolved_event event;
    int code = resolve_event(native->code, &event, api_why());
    if (code != PAPI_OK)
        return code_passes(code) ? code : PAPI_OK;
    describe_resolved(&event, info);
    info->count = (unsigned)event.n_natives;
    copy(info->note, sizeof info->note, "computed of ");
    for (int i = 0; i < event.n_natives; i++) {
        size_t used = strlen(info->note);
        snprintf(info->note + used, sizeof info->note - used, "%s%s", i > 0 ? ", " : "",
                 event.native[i]->name);
    }
    return PAPI_OK;
}

/* The event as its component lists it, or as the qualifiers of its name make it. NULL: no component lists it.
 */
static const struct component_event *listed_event(struct native_event *event)
{
    struct event_tables *tables = &papi_library.tables;
    if (event->source->listed == NULL || event->place < 0)
        return NULL;
    const struct component_event *listed = event->source->listed(tables, event->place);
    const struct component *component = components[event->encoding.component];
    bool bare = component->variants == NULL || listed == NULL ||
                strcasecmp(event->name + strlen(component->prefix), listed->name) == 0;
    return !bare && native_encode(event, tables, NULL) == PAPI_OK ? event->encoding.event : listed;
}

/* Describes an event whose component has to be asked for it, and one that was named with what takes longest.
 */
static int describe_asked(const struct native_event *event, const struct component_event *listed,
                          PAPI_event_info_t *info)
{
    char text[PAPI_HUGE_STR_LEN], more[PAPI_MIN_STR_LEN] = "";
    const struct component *component = components[event->encoding.component];
    if (listed == NULL || component->describe == NULL)
        return PAPI_OK;
    int code = component->describe(listed, text, sizeof text, info->units, sizeof info->units, api_why());
    if (code == PAPI_OK && event->named && component->detail != NULL)
        code = component->detail(listed, more, sizeof more, api_why());
    if (code == PAPI_OK && (event->mask < 0 || event->named))
        snprintf(info->long_descr, sizeof info->long_descr, "%s%s", text, more);
    return code_passes(code) ? code : PAPI_OK;
}

static void describe_samples(struct native_event *event, PAPI_event_info_t *info)
{
    const struct component *component = components[event->encoding.component];
    size_t length = strlen(info->long_descr);
    if (event->named && component->describe_samples != NULL &&
        native_encode(event, &papi_library.tables, NULL) == PAPI_OK)
        component->describe_samples(papi_library.root, &event->encoding, papi_library.default_domain,
                                    info->long_descr + length, sizeof info->long_descr - length);
}

static int describe_native(struct native_event *event, PAPI_event_info_t *info)
{
    int code = native_settle(event, &papi_library.tables, api_why());
    if (code != PAPI_OK)
        return code;
    code = event->source->describe(&papi_library.tables, event->name, event->place, event->mask,
                                   info->long_descr, sizeof info->long_descr, api_why());
    if (!code_passes(code))
        code = describe_unit(event, info);
    if (code_passes(code))
        return code;
    const struct component_event *listed = listed_event(event);
    code = describe_asked(event, listed, info);
    if (code != PAPI_OK)
        return code;
    copy(info->symbol, sizeof info->symbol, event->name);
    copy(info->name[0], sizeof info->name[0], event->name);
    copy(info->short_descr, sizeof info->short_descr, info->long_descr);
    info->component_index = event->encoding.component;
    describe_samples(event, info);
    describe_value(listed, components[info->component_index]->granularity, info);
    info->code[0] = (unsigned)event->code;
    info->count = 1;
    return listed != NULL && listed->made_of != NULL ? describe_made(event, info)
                                                     : describe_qualifiers(event, info);
}

static int describe_locked(int event, PAPI_event_info_t *info)
{
    struct native_event *native;
    memset(info, 0, sizeof *info);
    info->event_code = (unsigned)event;
    info->location = PAPI_LOCATION_CORE;
    if ((event & PAPI_PRESET_MASK) != 0)
        return describe_defined(event, info);
    return native_of(event, &native, api_why()) ?: describe_native(native, info);
}

int PAPI_get_event_info(int event, PAPI_event_info_t *info)
{
    int code = api_ready() ?: api_not_null(info, "info");
    if (code == PAPI_OK) {
        library_lock();
        code = describe_locked(event, info);
        library_unlock();
    }
    return api_result(code);
}

/* ---- definition */

/* The fields' texts where they end in their arrays. */
static int take_texts(const PAPI_event_info_t *info, struct event_parts *parts)
{
    const struct {
        const char **part, *field, *what;
        size_t size;
    } texts[] = {
        {&parts->symbol, info->symbol, "symbol", sizeof info->symbol},
        {&parts->derived, info->derived, "derived", sizeof info->derived},
        {&parts->postfix, info->postfix, "postfix", sizeof info->postfix},
        {&parts->short_descr, info->short_descr, "short_descr", sizeof info->short_descr},
        {&parts->long_descr, info->long_descr, "long_descr", sizeof info->long_descr},
        {&parts->note, info->note, "note", sizeof info->note},
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        if (memchr(texts[i].field, '\0', texts[i].size) == NULL)
            return reason_set(api_why(), PAPI_EINVAL, "info->%s has no end", texts[i].what);
        *texts[i].part = texts[i].field;
    }
    return PAPI_OK;
}

static int take_names(const PAPI_event_info_t *info, struct event_parts *parts)
{
    for (int i = 0; i < PAPI_MAX_INFO_TERMS && info->name[i][0] != '\0'; i++) {
        if (memchr(info->name[i], '\0', sizeof info->name[i]) == NULL)
            return reason_set(api_why(), PAPI_EINVAL, "info->name has no end");
        parts->native[i] = info->name[i];
        parts->n_natives = i + 1;
    }
    return PAPI_OK;
}

static int check_kind(const PAPI_event_info_t *info)
{
    if ((info->event_code & (unsigned)PAPI_PRESET_MASK) != 0)
        return PAPI_OK;
    return reason_set(api_why(), PAPI_ENOEVNT,
                      "info->event_code is 0x%x: neither PAPI_PRESET_MASK nor PAPI_UE_MASK is in it",
                      info->event_code);
}

int PAPI_set_event_info(PAPI_event_info_t *info, int *event, int replace)
{
    struct event_parts parts = {0};
    int code = api_ready() ?: api_not_null(info, "info") ?: api_not_null(event, "the code's address");
    code = code ?: check_kind(info) ?: take_texts(info, &parts) ?: take_names(info, &parts);
    if (code == PAPI_OK) {
        bool user = ((int)info->event_code & PAPI_UE_MASK) == PAPI_UE_MASK;
        library_lock();
        code = library_define(&parts, user, replace != 0, event, api_why());
        library_unlock();
    }
    return api_result(code);
}

int PAPI_encode_events(char *file, int replace)
{
    int code = api_ready() ?: api_not_null(file, "the file's name");
    if (code == PAPI_OK) {
        library_lock();
        code = library_encode(file, replace != 0, api_why());
        library_unlock();
    }
    return api_result(code);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "events/presets.h"
#include "papi.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

_Static_assert((int)MAX_PRESETS == PAPI_MAX_PRESET_EVENTS && (int)MAX_USER_EVENTS == PAPI_MAX_USER_EVENTS,
               "papi.h has other sizes");

int preset_index(const char *name)
{
    /* Most names that are asked for are those of native events. */
    for (int i = 0; strncasecmp(name, "PAPI_", 5) == 0 && i < PRESET_COUNT; i++)
        if (strcasecmp(preset_list[i].symbol, name) == 0)
            return i;
    return -1;
}

struct preset_definition **definition_place(struct preset_table *table, int code)
{
    int index = code & PAPI_UE_AND_MASK, kind = code & PAPI_UE_MASK;
    if (kind == PAPI_PRESET_MASK &&
        index < (table->n_presets > PRESET_COUNT ? table->n_presets : PRESET_COUNT))
        return &table->definition[index];
    return kind == PAPI_UE_MASK && index < table->n_users ? &table->user[index] : NULL;
}

static bool is_called(const struct preset_definition *definition, const char *name)
{
    return strcasecmp(definition->symbol, name) == 0;
}

int definition_code(const struct preset_table *table, const char *name)
{
    int index = preset_index(name);
    if (index >= 0)
        return PAPI_PRESET_MASK | index;
    for (int i = PRESET_COUNT; i < table->n_presets; i++)
        if (is_called(table->definition[i], name))
            return PAPI_PRESET_MASK | i;
    for (int i = 0; i < table->n_users; i++)
        if (is_called(table->user[i], name))
            return PAPI_UE_MASK | i;
    return 0;
}

/* What is always said of a preset; NULL: it was added, or is not a preset. */
static const struct preset_name *listed(int code)
{
    int index = code & PAPI_UE_AND_MASK;
    bool preset = (code & PAPI_UE_MASK) == PAPI_PRESET_MASK && index < PRESET_COUNT;
    return preset ? &preset_list[index] : NULL;
}

const char *definition_symbol(struct preset_table *table, int code)
{
    return listed(code) ? listed(code)->symbol : (*definition_place(table, code))->symbol;
}

const char *definition_short_descr(struct preset_table *table, int code)
{
    const struct preset_definition *definition = *definition_place(table, code);
    if (definition != NULL && definition->short_descr != NULL)
        return definition->short_descr;
    return listed(code) ? listed(code)->short_descr : "";
}

const char *definition_long_descr(struct preset_table *table, int code)
{
    const struct preset_definition *definition = *definition_place(table, code);
    if (definition != NULL && definition->long_descr != NULL)
        return definition->long_descr;
    return listed(code) ? listed(code)->long_descr : "";
}

const char *definition_absence(const struct preset_table *table, int code)
{
    return listed(code) && table->definition[code & PAPI_UE_AND_MASK] == NULL
               ? table->absence[code & PAPI_UE_AND_MASK]
               : NULL;
}

/* -------------------------------------------------------------------- nesting */

/* The definitions in one another, the innermost first. */
struct level {
    const struct preset_definition *definition;
    const struct level *up, *outermost;
};

static bool is_above(const struct level *level, const struct preset_definition *definition)
{
    for (; level != NULL; level = level->up)
        if (level->definition == definition)
            return true;
    return false;
}

static int walk(struct preset_table *table, const struct level *level, int *n, struct reason *why);

static int walk_operand(struct preset_table *table, const struct level *level, const char *name, int *n,
                        struct reason *why)
{
    int code = definition_code(table, name);
    const struct preset_definition *definition = code != 0 ? *definition_place(table, code) : NULL;
    if (definition == NULL)
        return PAPI_OK;
    if (definition == level->outermost->definition)
        return reason_set(why, PAPI_EINVAL, "%.60s is defined through itself", definition->symbol);
    if (is_above(level, definition)) /* that is the fault of those in the ring */
        return PAPI_OK;
    return walk(table, &(struct level){definition, level, level->outermost}, n, why);
}

static int walk(struct preset_table *table, const struct level *level, int *n, struct reason *why)
{
    const struct preset_definition *definition = level->definition;
    bool formula = definition->derivation == DERIVED_POSTFIX;
    int code = PAPI_OK, n_operands = formula ? definition->formula.n_steps : definition->n_natives;
    if (++*n > MOST_DEFINITIONS)
        return reason_set(why, PAPI_EINVAL, "the event is made of more than %d other events",
                          (int)MOST_DEFINITIONS);
    for (int i = 0; i < n_operands && code == PAPI_OK; i++) {
        const struct step *step = &definition->formula.step[i];
        if (!formula || step->operation == 'N')
            code = walk_operand(table, level, definition->native[formula ? step->value : i], n, why);
    }
    return code;
}

int definition_check_nesting(struct preset_table *table, const struct preset_definition *definition,
                             struct reason *why)
{
    struct level outermost = {definition, NULL, &outermost};
    int n = 0;
    return walk(table, &outermost, &n, why);
}

/* -------------------------------------------------------------------- changes */

/* A new place, or NULL with the reason. */
static struct preset_definition **new_place(struct preset_table *table, const char *symbol, bool user,
                                            int *code, struct reason *why)
{
    if (!definition_name_fits(symbol)) {
        reason_set(why, PAPI_EINVAL, "\"%.60s\" is not a name for an event (letters, digits, _ - .)", symbol);
        return NULL;
    }
    int n = user ? table->n_users : table->n_presets, most = user ? (int)MAX_USER_EVENTS : (int)MAX_PRESETS;
    if (n == most) {
        reason_set(why, PAPI_ENOTPRESET, "no room for %.60s: there are %d %s already", symbol, most,
                   user ? "user events" : "presets");
        return NULL;
    }
    *code = (user ? PAPI_UE_MASK : PAPI_PRESET_MASK) | n;
    if (user)
        return &table->user[table->n_users++];
    return &table->definition[table->n_presets++];
}

static int changeable(struct preset_table *table, int code, struct reason *why)
{
    if (table->in_use != NULL && table->in_use(code))
        return reason_set(why, PAPI_EISRUN, "%.60s is in an event set; take it out first",
                          definition_symbol(table, code));
    return PAPI_OK;
}

static struct preset_definition **place_for(struct preset_table *table, const char *symbol, bool user,
                                            bool replace, int *code, struct reason *why)
{
    *code = definition_code(table, symbol);
    if (*code == 0)
        return new_place(table, symbol, user, code, why);
    struct preset_definition **place = definition_place(table, *code);
    if (*place != NULL && !replace)
        reason_set(why, PAPI_EPERM, "%.60s is defined; replace says that it may not be changed", symbol);
    else if (changeable(table, *code, why) == PAPI_OK)
        return place;
    return NULL;
}

int definition_put(struct preset_table *table, struct preset_definition *definition, bool user, bool replace,
                   struct definition_change *change, struct reason *why)
{
    struct reason local = {0};
    *change = (struct definition_change){.n_presets = table->n_presets, .n_users = table->n_users};
    const char *symbol = definition->symbol ? definition->symbol : "";
    change->place = place_for(table, symbol, user, replace, &change->code, &local);
    if (change->place == NULL) {
        definition_free(definition);
        return reason_set(why, local.code, "%s", local.text);
    }
    change->old = *change->place;
    *change->place = definition;
    return PAPI_OK;
}

int definition_take_away(struct preset_table *table, const struct preset_table *copy, int preset,
                         const char *reason, struct reason *why)
{
    int code = changeable(table, PAPI_PRESET_MASK | preset, why);
    if (code != PAPI_OK)
        return code;
    char *kept = strdup(reason);
    if (kept == NULL)
        return reason_set(why, PAPI_ENOMEM, "out of memory");
    if (table->absence[preset] != copy->absence[preset])
        free(table->absence[preset]);
    table->absence[preset] = kept;
    if (table->definition[preset] != copy->definition[preset])
        definition_free(table->definition[preset]);
    table->definition[preset] = NULL;
    return PAPI_OK;
}

void definition_put_back(struct preset_table *table, const struct definition_change *change)
{
    definition_free(*change->place);
    *change->place = change->old;
    table->n_presets = change->n_presets;
    table->n_users = change->n_users;
}

void presets_free_changed(struct preset_table *table, const struct preset_table *copy)
{
    for (int i = 0; i < MAX_PRESETS; i++)
        if (table->definition[i] != copy->definition[i])
            definition_free(table->definition[i]);
    for (int i = 0; i < PRESET_COUNT; i++)
        if (table->absence[i] != copy->absence[i])
            free(table->absence[i]);
    for (int i = 0; i < MAX_USER_EVENTS; i++)
        if (table->user[i] != copy->user[i])
            definition_free(table->user[i]);
}

void presets_free(struct preset_table *table)
{
    static const struct preset_table nothing;
    presets_free_changed(table, &nothing);
    memset(table, 0, sizeof *table);
}

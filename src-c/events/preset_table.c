/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The table of presets and user events by their codes, and changes of it. A change that has several steps,
 * such as the reading of a file, is all or nothing: presets_begin_change keeps a copy of the table's
 * pointers, new definitions take the places of old ones without freeing them, and presets_finish_change frees
 * either what was replaced or, after an error, what was new. Places of codes never move, as programs keep
 * codes.
 * Definitions may name each other in any order. presets_check_nesting walks through what a definition is made
 * of, down to native events, and refuses one that comes back to itself; a ring further down is reported for
 * those that are in it. The number of definitions on the way is limited, since a walk through definitions
 * that each name another one twice would double at each level.
 * On a processor with several kinds of cores a preset is the sum of its definitions on all kinds: a thread
 * moves between them, and each kind counts only what happened on it. If one kind cannot count a preset, it is
 * absent, as the sum would be less than what happened.
 */
#include "events/presets.h"
#include "papi.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

_Static_assert((int)MAX_PRESETS == PAPI_MAX_PRESET_EVENTS && (int)MAX_USER_EVENTS == PAPI_MAX_USER_EVENTS,
               "papi.h has other sizes");

int presets_index(const char *name)
{
    char symbol[sizeof preset_list->symbol] = "";
    /* Most names that are asked for are those of native events. */
    if (strncasecmp(name, "PAPI_", 5) != 0)
        return -1;
    for (size_t i = 0; name[i] != '\0'; i++) {
        if (i == sizeof symbol - 1)
            return -1;
        symbol[i] = (char)toupper((unsigned char)name[i]);
    }
    /* Each row of a table asks: compared whole, which takes two words. */
    for (int i = 0; i < PRESET_COUNT; i++)
        if (memcmp(preset_list[i].symbol, symbol, sizeof symbol) == 0)
            return i;
    return -1;
}

static bool is_user_event(int code)
{
    return (code & PAPI_UE_MASK) == PAPI_UE_MASK;
}

struct preset_definition **presets_place(struct preset_table *table, int code)
{
    int index = code & PAPI_UE_AND_MASK;
    int n = is_user_event(code)               ? table->n_users
            : table->n_presets > PRESET_COUNT ? table->n_presets
                                              : PRESET_COUNT;
    if ((code & PAPI_PRESET_MASK) == 0 || index >= n)
        return NULL;
    return &table->definition[is_user_event(code) ? MAX_PRESETS + index : index];
}

/* The code of the definition at a place from i on, 0: there are no more. */
static int code_from(const struct preset_table *table, int i)
{
    if (i < table->n_presets)
        return PAPI_PRESET_MASK | i;
    int user = i > MAX_PRESETS ? i - MAX_PRESETS : 0;
    return user < table->n_users ? PAPI_UE_MASK | user : 0;
}

static int place_after(int code)
{
    return code == 0 ? 0 : (is_user_event(code) ? MAX_PRESETS : 0) + (code & PAPI_UE_AND_MASK) + 1;
}

int presets_code(const struct preset_table *table, const char *name)
{
    int index = presets_index(name);
    if (index >= 0)
        return PAPI_PRESET_MASK | index;
    int code = code_from(table, PRESET_COUNT);
    while (code != 0 && strcasecmp(table->definition[place_after(code) - 1]->symbol, name) != 0)
        code = code_from(table, place_after(code));
    return code;
}

void presets_nearest(const struct preset_table *table, struct nearest *nearest)
{
    for (int i = 0; i < PRESET_COUNT; i++)
        nearest_try(nearest, preset_list[i].symbol);
    int code = 0;
    while ((code = code_from(table, code == 0 ? PRESET_COUNT : place_after(code))) != 0)
        nearest_try(nearest, table->definition[place_after(code) - 1]->symbol);
}

/* The fixed name and descriptions of a preset; NULL: it was added, or is not a preset. */
static const struct preset_name *listed(int code)
{
    int index = code & PAPI_UE_AND_MASK;
    bool preset = (code & PAPI_UE_MASK) == PAPI_PRESET_MASK && index < PRESET_COUNT;
    return preset ? &preset_list[index] : NULL;
}

const char *presets_symbol(struct preset_table *table, int code)
{
    return listed(code) ? listed(code)->symbol : (*presets_place(table, code))->symbol;
}

const char *presets_short_descr(struct preset_table *table, int code)
{
    const struct preset_definition *definition = *presets_place(table, code);
    if (definition != NULL && definition->short_descr != NULL)
        return definition->short_descr;
    return listed(code) ? listed(code)->short_descr : "";
}

const char *presets_long_descr(struct preset_table *table, int code)
{
    const struct preset_definition *definition = *presets_place(table, code);
    if (definition != NULL && definition->long_descr != NULL)
        return definition->long_descr;
    return listed(code) ? listed(code)->long_descr : "";
}

const char *presets_absence(const struct preset_table *table, int code)
{
    return listed(code) && table->definition[code & PAPI_UE_AND_MASK] == NULL
               ? table->absence[code & PAPI_UE_AND_MASK]
               : NULL;
}

/* ---- nesting */

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
    int code = presets_code(table, name);
    const struct preset_definition *definition = code != 0 ? *presets_place(table, code) : NULL;
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

int presets_check_nesting(struct preset_table *table, const struct preset_definition *definition,
                          struct reason *why)
{
    struct level outermost = {definition, NULL, &outermost};
    int n = 0;
    return walk(table, &outermost, &n, why);
}

/* ---- changes */

int presets_check_name(const char *name, struct reason *why)
{
    return reason_set(why, PAPI_EINVAL, "\"%.60s\" is not a name for an event (letters, digits, _ - .)",
                      name);
}

static int new_place(struct preset_table *table, const char *symbol, bool user, int *code, struct reason *why)
{
    int *n = user ? &table->n_users : &table->n_presets,
        most = user ? (int)MAX_USER_EVENTS : (int)MAX_PRESETS;
    if (!definition_name_fits(symbol))
        return presets_check_name(symbol, why);
    if (*n == most)
        return reason_set(why, PAPI_ENOTPRESET, "no room for %.60s: there are %d %s already", symbol, most,
                          user ? "user events" : "presets");
    *code = (user ? PAPI_UE_MASK : PAPI_PRESET_MASK) | (*n)++;
    return PAPI_OK;
}

static int changeable(struct preset_table *table, int code, struct reason *why)
{
    if (table->in_use != NULL && table->in_use(code))
        return reason_set(why, PAPI_EISRUN, "%.60s is in an event set; take it out first",
                          presets_symbol(table, code));
    return PAPI_OK;
}

/* The table from before the change that is under way; all zero: none is. */
static const struct preset_table *kept_by(const struct preset_table *table)
{
    static const struct preset_table nothing;
    return table->before != NULL ? table->before : &nothing;
}

static void replace_definition(struct preset_table *table, int code, struct preset_definition *definition)
{
    struct preset_definition **place = presets_place(table, code);
    if (*place != kept_by(table)->definition[place - table->definition])
        definition_free(*place);
    *place = definition;
}

int presets_put(struct preset_table *table, struct preset_definition *definition, bool user, bool replace,
                int *event, struct reason *why)
{
    const char *symbol = definition->symbol ? definition->symbol : "";
    int code;
    *event = presets_code(table, symbol);
    if (*event == 0)
        code = new_place(table, symbol, user, event, why);
    else if (*presets_place(table, *event) != NULL && !replace)
        code =
            reason_set(why, PAPI_EPERM, "%.60s is defined; replace says that it may not be changed", symbol);
    else
        code = changeable(table, *event, why);
    if (code == PAPI_OK)
        replace_definition(table, *event, definition);
    else
        definition_free(definition);
    return code;
}

int presets_take_away(struct preset_table *table, int preset, const char *reason, struct reason *why)
{
    int code = changeable(table, PAPI_PRESET_MASK | preset, why);
    if (code != PAPI_OK)
        return code;
    char *absence = strdup(reason);
    if (absence == NULL)
        return reason_set(why, PAPI_ENOMEM, "out of memory");
    if (table->absence[preset] != kept_by(table)->absence[preset])
        free(table->absence[preset]);
    table->absence[preset] = absence;
    replace_definition(table, PAPI_PRESET_MASK | preset, NULL);
    return PAPI_OK;
}

const struct preset_definition *presets_next_changed(struct preset_table *table, int *code)
{
    while ((*code = code_from(table, place_after(*code))) != 0) {
        int place = place_after(*code) - 1;
        const struct preset_definition *definition = table->definition[place];
        if (definition != NULL && definition != kept_by(table)->definition[place])
            return definition;
    }
    return NULL;
}

/* Frees what the table has and another one has not. */
static void free_changed(struct preset_table *table, const struct preset_table *other)
{
    for (int i = 0; i < MAX_DEFINITIONS; i++)
        if (table->definition[i] != other->definition[i])
            definition_free(table->definition[i]);
    for (int i = 0; i < PRESET_COUNT; i++)
        if (table->absence[i] != other->absence[i])
            free(table->absence[i]);
}

void presets_begin_change(struct preset_table *table, struct preset_table *before)
{
    *before = *table;
    table->before = before;
}

int presets_finish_change(struct preset_table *table, int code)
{
    struct preset_table before = *table->before;
    free_changed(code == PAPI_OK ? &before : table, code == PAPI_OK ? table : &before);
    if (code != PAPI_OK)
        *table = before;
    table->before = NULL;
    return code;
}

void presets_free(struct preset_table *table)
{
    static const struct preset_table nothing;
    free_changed(table, &nothing);
    *table = nothing;
}

/* ---- hybrid processors */

/* The sum of definitions, as it is put together: natives, formula and note. */
struct sum {
    const char *native[MAX_OPERANDS];
    int n_natives;
    bool plain; /* nothing but additions */
    char postfix[PAPI_2MAX_STR_LEN];
    char note[PAPI_HUGE_STR_LEN];
    bool fits;
};

static void add_text(char *to, size_t size, const char *text)
{
    size_t used = strlen(to);
    snprintf(to + used, size - used, "%s", text);
}

static void add_part(struct sum *sum, const struct preset_definition *definition)
{
    static const struct formula plus = {.n_steps = 1, .step = {{.operation = '+'}}};
    int first = sum->n_natives;
    sum->plain &= definition->derivation == NOT_DERIVED || definition->derivation == DERIVED_ADD;
    sum->fits &= formula_append(&definition->formula, first, sum->postfix, sizeof sum->postfix) &&
                 (first == 0 || formula_append(&plus, 0, sum->postfix, sizeof sum->postfix));
    for (int i = 0; i < definition->n_natives; i++) {
        sum->fits &= sum->n_natives < MAX_OPERANDS;
        if (sum->fits)
            sum->native[sum->n_natives++] = definition->native[i];
    }
}

/* Each PMU's note, or the one that all have. */
static void add_notes(struct sum *sum, struct preset_definition *const definition[],
                      const struct core_pmu core[], int n)
{
    bool same = true;
    for (int i = 0; i < n; i++)
        same &= strcmp(definition[i]->note ? definition[i]->note : "",
                       definition[0]->note ? definition[0]->note : "") == 0;
    for (int i = 0; i < (same ? 1 : n); i++) {
        if (definition[i]->note == NULL)
            continue;
        if (!same) {
            add_text(sum->note, sizeof sum->note, sum->note[0] ? " " : "");
            add_text(sum->note, sizeof sum->note, core[i].name);
            add_text(sum->note, sizeof sum->note, ": ");
        }
        add_text(sum->note, sizeof sum->note, definition[i]->note);
    }
}

/* The sum of n definitions. NULL: it takes too many events, or there is no memory. */
static struct preset_definition *add(struct preset_definition *const definition[],
                                     const struct core_pmu core[], int n, struct reason *why)
{
    struct sum sum = {.plain = true, .fits = true};
    for (int i = 0; i < n && sum.fits; i++)
        add_part(&sum, definition[i]);
    if (!sum.fits)
        return NULL;
    add_notes(&sum, definition, core, n);
    struct event_parts parts = {
        .derived = derivation_name(sum.plain ? DERIVED_ADD : DERIVED_POSTFIX),
        .postfix = sum.plain ? NULL : sum.postfix,
        .symbol = definition[0]->symbol,
        .short_descr = definition[0]->short_descr,
        .long_descr = definition[0]->long_descr,
        .note = sum.note,
        .n_natives = sum.n_natives,
    };
    memcpy(parts.native, sum.native, sizeof parts.native);
    return definition_make(&parts, why);
}

/* Notes why a preset is absent: some of the PMUs do not count it, or their events are too many. */
static int note_absence(struct preset_table *table, const struct preset_table part[],
                        const struct core_pmu core[], int n, int preset, struct reason *why)
{
    char text[PAPI_HUGE_STR_LEN];
    bool any = false;
    int lacks = -1;
    for (int i = n - 1; i >= 0; i--) {
        any |= part[i].definition[preset] != NULL || part[i].absence[preset] != NULL;
        if (part[i].definition[preset] == NULL)
            lacks = i;
    }
    if (!any)
        return PAPI_OK;
    const char *absence = lacks < 0 ? NULL : part[lacks].absence[preset];
    if (lacks < 0)
        snprintf(text, sizeof text, "on all kinds of its cores together it takes more than %d native events.",
                 (int)MAX_OPERANDS);
    else if (absence != NULL)
        snprintf(text, sizeof text, "on the cores of %s: %s", core[lacks].name, absence);
    else
        snprintf(text, sizeof text, "no event of the cores of %s is known to count it.", core[lacks].name);
    return presets_take_away(table, preset, text, why);
}

/* Adds up a preset over all kinds of core. If one of them does not count it, it is left out, since the sum
 * would be less than what happened. */
static int add_up(struct preset_table *table, const struct preset_table part[], const struct core_pmu core[],
                  int n, int preset, struct reason *why)
{
    struct preset_definition *definition[MAX_CORE_PMUS];
    struct reason local = {0};
    bool all = n > 0;
    for (int k = 0; k < n; k++) {
        definition[k] = part[k].definition[preset];
        all &= definition[k] != NULL;
    }
    if (all)
        table->definition[preset] = add(definition, core, n, &local);
    if (local.code == PAPI_ENOMEM)
        return reason_pass(&local, why);
    return table->definition[preset] == NULL ? note_absence(table, part, core, n, preset, why) : PAPI_OK;
}

int presets_add_up(struct preset_table *table, const struct preset_table part[], const struct core_pmu core[],
                   int n, struct reason *why)
{
    int code = PAPI_OK;
    for (int i = 0; i < PRESET_COUNT && code == PAPI_OK; i++)
        code = add_up(table, part, core, n, i, why);
    return code;
}

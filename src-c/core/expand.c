/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/expand.h"

#include <string.h>

/* The definitions in one another, the innermost first. */
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
    int code = definition_code(table, name);
    if (code == 0)
        return add_native(e, name);
    const struct preset_definition *definition = *definition_place(table, code);
    const char *absence = definition_absence(table, code);
    if (definition == NULL)
        return reason_set(e->why, PAPI_ENOEVNT, "it takes %s, which this processor does not count%s%s",
                          definition_symbol(table, code), absence ? ": " : "", absence ? absence : "");
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
    /* Those beside the first are counted, no more. */
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

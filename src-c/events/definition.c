/* SPDX-License-Identifier: BSD-3-Clause */
#include "events/definition.h"
#include "papi.h"

#include <stdlib.h>
#include <string.h>

static const char *const derivation_names[] = {
    [NOT_DERIVED] = "NOT_DERIVED",   [DERIVED_ADD] = "DERIVED_ADD",         [DERIVED_SUB] = "DERIVED_SUB",
    [DERIVED_CMPD] = "DERIVED_CMPD", [DERIVED_POSTFIX] = "DERIVED_POSTFIX",
};

const char *derivation_name(enum derivation derivation)
{
    return derivation_names[derivation];
}

long long derived_value(enum derivation derivation, const struct formula *formula, int n,
                        const long long *operand)
{
    long long value = operand[0];
    if (derivation == DERIVED_POSTFIX)
        return formula_value(formula, operand);
    if (derivation == NOT_DERIVED)
        return value;
    if (derivation == DERIVED_ADD)
        for (int i = 1; i < n; i++)
            value += operand[i];
    else if (derivation == DERIVED_SUB)
        for (int i = 1; i < n; i++)
            value -= operand[i];
    return value;
}

bool definition_name_fits(const char *name)
{
    size_t n = strspn(name, NAME_CHARACTERS);
    return name[n] == '\0' && n > 0 && n < PAPI_MAX_STR_LEN;
}

void definition_free(struct preset_definition *definition)
{
    if (definition == NULL)
        return;
    for (int i = 0; i < definition->n_natives; i++)
        free(definition->native[i]);
    free(definition->postfix);
    free(definition->note);
    free(definition->symbol);
    free(definition->short_descr);
    free(definition->long_descr);
    free(definition);
}

int event_parts_add(struct event_parts *parts, const char *native, struct reason *why)
{
    if (native[0] != '\0' && parts->n_natives == MAX_OPERANDS)
        return reason_set(why, PAPI_EINVAL, "more than %d native events", (int)MAX_OPERANDS);
    if (native[0] != '\0')
        parts->native[parts->n_natives++] = native;
    return PAPI_OK;
}

static int find_derivation(const char *name, enum derivation *out, struct reason *why)
{
    for (int i = NOT_DERIVED; name != NULL && i <= DERIVED_POSTFIX; i++)
        if (strcmp(derivation_names[i], name) == 0) {
            *out = (enum derivation)i;
            return PAPI_OK;
        }
    return reason_set(why, PAPI_EINVAL, "\"%.60s\" is not a type of derivation", name ? name : "");
}

static int keep(char **to, const char *text, struct reason *why)
{
    if (text == NULL || text[0] == '\0')
        return PAPI_OK;
    *to = strdup(text);
    return *to ? PAPI_OK : reason_set(why, PAPI_ENOMEM, "out of memory");
}

static int keep_natives(struct preset_definition *definition, const struct event_parts *parts,
                        struct reason *why)
{
    int code = PAPI_OK;
    for (int i = 0; i < parts->n_natives && code == PAPI_OK; i++) {
        code = keep(&definition->native[definition->n_natives], parts->native[i], why);
        definition->n_natives += definition->native[definition->n_natives] != NULL;
    }
    return code;
}

static int check_count(const struct preset_definition *definition, struct reason *why)
{
    int n = definition->n_natives;
    int least = definition->derivation == NOT_DERIVED || definition->derivation == DERIVED_POSTFIX ? 1 : 2;
    if (n < least)
        return reason_set(why, PAPI_EINVAL, "%s needs %s native event",
                          derivation_name(definition->derivation), least == 1 ? "a" : "more than one");
    if (definition->derivation == NOT_DERIVED && n > 1)
        return reason_set(why, PAPI_EINVAL, "NOT_DERIVED takes one native event, not %d", n);
    return PAPI_OK;
}

static int take_formula(struct preset_definition *definition, const char *postfix, struct reason *why)
{
    static const char operations[] = {[DERIVED_ADD] = '+', [DERIVED_SUB] = '-', [DERIVED_CMPD] = '\0'};
    struct formula *formula = &definition->formula;
    if (definition->derivation == DERIVED_POSTFIX)
        return formula_compile(postfix ? postfix : "", definition->n_natives, formula, why)
                   ?: keep(&definition->postfix, postfix, why);
    char operation = operations[definition->derivation];
    for (int i = 0; i < (operation != '\0' ? definition->n_natives : 1); i++) {
        struct step *step = &formula->step[formula->n_steps];
        step->operation = 'N';
        step->value = i;
        step[1].operation = operation;
        formula->n_steps += i > 0 ? 2 : 1;
    }
    return PAPI_OK;
}

struct preset_definition *definition_make(const struct event_parts *parts, struct reason *why)
{
    struct preset_definition *definition = calloc(1, sizeof *definition);
    if (definition == NULL) {
        reason_set(why, PAPI_ENOMEM, "out of memory");
        return NULL;
    }
    int code = find_derivation(parts->derived, &definition->derivation, why)
                   ?: keep_natives(definition, parts, why)
                   ?: check_count(definition, why)
                   ?: take_formula(definition, parts->postfix, why)
                   ?: keep(&definition->symbol, parts->symbol, why)
                   ?: keep(&definition->short_descr, parts->short_descr, why)
                   ?: keep(&definition->long_descr, parts->long_descr, why)
                   ?: keep(&definition->note, parts->note, why);
    if (code == PAPI_OK)
        return definition;
    definition_free(definition);
    return NULL;
}

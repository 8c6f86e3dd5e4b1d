/* SPDX-License-Identifier: BSD-3-Clause */
#include "events/presets.h"
#include "papi.h"

#include <string.h>

/* A preset of a processor whose cores have several PMUs: a thread runs now on one kind of core, now on
 * another, and each kind counts what happened there. */

/* What is put together: the sum's natives, formula and note. */
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

/* NULL: it takes too many events, or there is no memory. */
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

/* What stands in the way where some of the PMUs do not count a preset, or their events are too many. */
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
    return definition_take_away(table, preset, text, why);
}

/* On some kinds of core alone it would be less than what happened. */
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

/* SPDX-License-Identifier: BSD-3-Clause */
#include "rank/plan_metrics.h"

#include "papi.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The result is read on other machines: a constant of this one is put into the formula as a number. */
static int put_constant(char *formula, size_t size)
{
    char *at = strstr(formula, METRICS_CACHE_LINE), rest[FORMULA_LINE];
    const PAPI_hw_info_t *hardware = at != NULL ? PAPI_get_hardware_info() : NULL;
    if (hardware == NULL)
        return at != NULL ? PAPI_ENOEVNT : PAPI_OK;
    int bytes = 0;
    for (int i = 0; i < PAPI_MH_MAX_LEVELS && bytes == 0; i++)
        if (PAPI_MH_CACHE_TYPE(hardware->mem_hierarchy.level[0].cache[i].type) != PAPI_MH_TYPE_INST)
            bytes = hardware->mem_hierarchy.level[0].cache[i].line_size;
    snprintf(rest, sizeof rest, "%s", at + strlen(METRICS_CACHE_LINE));
    snprintf(at, size - (size_t)(at - formula), "%d%s", bytes, rest);
    return bytes > 0 ? PAPI_OK : PAPI_ENOEVNT;
}

/* Those after one another that the record has. */
static size_t used_of(const struct rank_record *record)
{
    size_t used = 0;
    while (used < sizeof record->formulas - 1 && record->formulas[used] != '\0')
        for (int part = 0; part < 5; part++)
            used += strlen(record->formulas + used) + 1;
    return used;
}

static void note(struct rank_record *record, const struct metrics_pick *pick)
{
    char formula[FORMULA_LINE / 2], line[FORMULA_LINE];
    size_t used = used_of(record);
    snprintf(formula, sizeof formula, "%s", pick->row->formula);
    const char *lacks =
        put_constant(formula, sizeof formula) == PAPI_OK ? "" : "the size of a cache line is not known";
    int n =
        snprintf(line, sizeof line, "%s%c%s%c%s%c%s%c%.300s", pick->row->name, 0, pick->row->unit, 0, formula,
                 0, pick->row->description, 0, pick->why.code != PAPI_OK ? pick->why.text : lacks);
    if (n > 0 && (size_t)n < sizeof line && used + (size_t)n + 2 < sizeof record->formulas)
        memcpy(record->formulas + used, line, (size_t)n + 1);
}

int plan_metrics(const char *word, struct rank_record *record, int (*take)(void *context, const char *event),
                 void *context, struct reason *why)
{
    struct metrics_picks picks = {0};
    struct metrics *metrics = metrics_load();
    int code = metrics != NULL ? PAPI_OK : reason_set(why, PAPI_ENOMEM, "out of memory");
    if (code == PAPI_OK)
        code = reason_pass(&metrics->fault, why) ?: metrics_pick(metrics, word + 1, &picks, why);
    for (int i = 0; i < picks.n && code == PAPI_OK; i++) {
        note(record, &picks.pick[i]);
        metrics_events(&picks.pick[i], take, context);
    }
    metrics_picks_free(&picks);
    metrics_free(metrics);
    return code;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "metrics/metrics.h"
#include "papi.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_NUMBERED = 4096 };

/* Where the values of a formula's names come from. */
struct source {
    metrics_lookup *lookup;
    const void *context;
};

static int line_bytes(double *value, struct reason *why)
{
    const PAPI_hw_info_t *hardware = PAPI_get_hardware_info();
    for (int i = 0; hardware != NULL && i < PAPI_MH_MAX_LEVELS; i++) {
        const PAPI_mh_cache_info_t *cache = &hardware->mem_hierarchy.level[0].cache[i];
        *value = cache->line_size;
        if (cache->line_size > 0 && PAPI_MH_CACHE_TYPE(cache->type) != PAPI_MH_TYPE_INST)
            return PAPI_OK;
    }
    return reason_set(why, PAPI_ENOEVNT, "the machine does not tell the size of a cache line");
}

static int one(const struct source *from, const char *name, double *value, struct reason *why)
{
    int code = from->lookup(from->context, name, value, why);
    if (code == PAPI_ENOEVNT && strcmp(name, METRICS_CACHE_LINE) == 0)
        return line_bytes(value, why);
    if (code == PAPI_ENOEVNT && strcmp(name, METRICS_CPU_TIME) == 0) {
        code = from->lookup(from->context, "perf::TASK-CLOCK", value, why);
        *value *= 1e-9;
    }
    return code == PAPI_ENOEVNT && why->code == PAPI_OK ? reason_set(why, code, "%.200s is not counted", name)
                                                        : code;
}

/* "ZONE#" is ZONE0 and what follows it without a gap. One that failed is not left out of the sum. */
static int sum(const struct source *from, const char *name, double *value, struct reason *why)
{
    char numbered[PAPI_HUGE_STR_LEN + 8];
    double next = 0;
    int code = PAPI_OK, i = 0;
    *value = 0;
    for (; code == PAPI_OK && i < MOST_NUMBERED; i++) {
        *value += next;
        snprintf(numbered, sizeof numbered, "%.*s%d", (int)strlen(name) - 1, name, i);
        code = i == 0 ? one(from, numbered, &next, why) : from->lookup(from->context, numbered, &next, why);
    }
    return code == PAPI_ENOEVNT && i > 1 ? PAPI_OK : code;
}

static int operand(const void *context, const char *name, double *value, struct reason *why)
{
    int code = (name[strlen(name) - 1] == '#' ? sum : one)(context, name, value, why);
    if (code == PAPI_OK) /* what was missing on the way was made good */
        *why = (struct reason){0};
    return code;
}

int metrics_value(const char *formula, metrics_lookup *lookup, const void *context, double *value,
                  struct reason *why)
{
    const struct source from = {lookup, context};
    double found;
    int code = metrics_compute(formula, operand, &from, &found, why);
    if (code == PAPI_OK && !isfinite(found))
        return reason_set(why, PAPI_EINVAL, "its value is not a finite number");
    if (code == PAPI_OK)
        *value = found;
    return code;
}

/* ---- events, which are the names of a formula that is computed without values */

struct taker {
    int (*take)(void *context, const char *event); /* NULL: it is only asked for */
    void *context;
};

static int take_event(const void *context, const char *name, double *value, struct reason *why)
{
    const struct taker *to = context;
    *value = NAN;
    if (strcmp(name, METRICS_TIME) == 0 || strcmp(name, METRICS_CACHE_LINE) == 0)
        return PAPI_OK;
    int code = PAPI_query_named_event(name);
    if (code != PAPI_OK)
        return reason_set(why, code, "%.100s: %s", name, PAPI_strerror(code));
    return to->take != NULL ? to->take(to->context, name) : PAPI_OK;
}

int metrics_events(const struct metrics_row *row, int (*take)(void *context, const char *event),
                   void *context)
{
    const struct taker to = {take, context};
    const struct source from = {take_event, &to};
    struct reason why = {0};
    double none;
    return metrics_compute(row->formula, operand, &from, &none, &why);
}

/* ---- the alternatives of a name */

const struct metrics_row *metrics_first(const struct metrics *metrics, const char *name,
                                        metrics_lookup *lookup, const void *context, struct reason *why)
{
    const struct source from = {lookup, context};
    const struct metrics_row *first = NULL;
    double none;
    *why = (struct reason){0};
    for (int i = 0; i < metrics->n; i++) {
        const struct metrics_row *row = metrics->row[i];
        struct reason other = {0};
        if (row->formula == NULL || strcmp(row->name, name) != 0)
            continue;
        if (metrics_compute(row->formula, operand, &from, &none, first == NULL ? why : &other) == PAPI_OK) {
            *why = (struct reason){0};
            return row;
        }
        first = first != NULL ? first : row;
    }
    return first;
}

const struct metrics_row *metrics_countable(const struct metrics *metrics, const char *name,
                                            struct reason *why)
{
    static const struct taker nobody;
    return metrics_first(metrics, name, take_event, &nobody, why);
}

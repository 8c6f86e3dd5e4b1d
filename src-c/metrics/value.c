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

static int line_bytes(double *value)
{
    const PAPI_hw_info_t *hardware = PAPI_get_hardware_info();
    for (int i = 0; hardware != NULL && i < PAPI_MH_MAX_LEVELS; i++) {
        const PAPI_mh_cache_info_t *cache = &hardware->mem_hierarchy.level[0].cache[i];
        int type = PAPI_MH_CACHE_TYPE(cache->type);
        if ((type == PAPI_MH_TYPE_DATA || type == PAPI_MH_TYPE_UNIFIED) && cache->line_size > 0) {
            *value = cache->line_size;
            return PAPI_OK;
        }
    }
    return PAPI_ENOEVNT;
}

static int one(const struct source *from, const char *name, double *value, struct reason *why)
{
    int code = from->lookup(from->context, name, value, why);
    if (code == PAPI_ENOEVNT && strcmp(name, METRICS_CACHE_LINE) == 0)
        return line_bytes(value) == PAPI_OK
                   ? PAPI_OK
                   : reason_set(why, PAPI_ENOEVNT, "the machine does not tell the size of a cache line");
    if (code == PAPI_ENOEVNT && strcmp(name, METRICS_CPU_TIME) == 0) {
        code = from->lookup(from->context, "perf::TASK-CLOCK", value, why);
        *value *= 1e-9;
    }
    return code == PAPI_ENOEVNT ? reason_set(why, code, "%.200s is not counted", name) : code;
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
    return (name[strlen(name) - 1] == '#' ? sum : one)(context, name, value, why);
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

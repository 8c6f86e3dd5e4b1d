/* SPDX-License-Identifier: BSD-3-Clause */
#include "metrics/metrics.h"
#include "papi.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_NUMBERED = 4096 };

/* Where what is asked for comes from. */
struct source {
    metrics_lookup *lookup;
    const void *context;
    struct reason *why;
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

static int one(const struct source *from, const char *name, double *value)
{
    int code = from->lookup(from->context, name, value, from->why);
    if (code == PAPI_ENOEVNT && strcmp(name, METRICS_CACHE_LINE) == 0)
        return line_bytes(value) == PAPI_OK
                   ? PAPI_OK
                   : reason_set(from->why, PAPI_ENOEVNT,
                                "the machine does not tell the size of a cache line");
    if (code == PAPI_ENOEVNT && strcmp(name, METRICS_CPU_TIME) == 0) {
        code = from->lookup(from->context, "perf::TASK-CLOCK", value, from->why);
        *value *= 1e-9;
    }
    return code == PAPI_ENOEVNT ? reason_set(from->why, code, "%.200s is not counted", name) : code;
}

/* "ZONE#" is ZONE0 and what follows it without a gap. One that failed is not left out of the sum. */
static int sum(const struct source *from, const char *name, double *value)
{
    size_t n = strlen(name) - 1;
    char numbered[PAPI_HUGE_STR_LEN];
    double next = 0;
    int code = PAPI_OK, i = 0;
    *value = 0;
    for (; code == PAPI_OK && i < MOST_NUMBERED; i++) {
        *value += next;
        snprintf(numbered, sizeof numbered, "%.*s%d", (int)n, name, i);
        code = i == 0 ? one(from, numbered, &next) : from->lookup(from->context, numbered, &next, from->why);
    }
    return code == PAPI_ENOEVNT && i > 1 ? PAPI_OK : code;
}

static int operand(const struct source *from, const char *name, double *value)
{
    return name[strlen(name) - 1] == '#' ? sum(from, name, value) : one(from, name, value);
}

static int apply(const struct metrics_row *row, const struct metrics_step *step, double *a, double b,
                 struct reason *why)
{
    if (step->operation == '/' && b == 0)
        return reason_set(why, PAPI_EINVAL, "it divides by %.*s, which is 0", step->length,
                          row->formula + step->from);
    *a = step->operation == '+'   ? *a + b
         : step->operation == '-' ? *a - b
         : step->operation == '*' ? *a * b
                                  : *a / b;
    return PAPI_OK;
}

int metrics_value(const struct metrics_row *row, metrics_lookup *lookup, const void *context, double *value,
                  struct reason *why)
{
    const struct source from = {lookup, context, why};
    double stack[METRICS_STEPS];
    int top = 0, code = PAPI_OK;
    for (int i = 0; i < row->n_steps && code == PAPI_OK; i++) {
        const struct metrics_step *step = &row->step[i];
        if (step->operation == 'n')
            code = operand(&from, row->operand[step->name], &stack[top++]);
        else if (step->operation == 'c')
            stack[top++] = step->number;
        else {
            top--;
            code = apply(row, step, &stack[top - 1], stack[top], why);
        }
    }
    if (code == PAPI_OK && !isfinite(stack[0]))
        return reason_set(why, PAPI_EINVAL, "its value is not a finite number");
    if (code == PAPI_OK)
        *value = stack[0];
    return code;
}

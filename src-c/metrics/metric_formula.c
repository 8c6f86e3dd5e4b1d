/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Formulas as people write them: + - * / and parentheses, numbers, names of events. A name with other
 * characters than letters, digits, "_", ":", "." and "#" stands in braces: {perf::TASK-CLOCK}.
 */
#include "metrics/metrics.h"
#include "papi.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 16, MOST_NUMBERED = 4096 };

struct parser {
    const char *formula, *p;
    int depth;
    metrics_lookup *lookup; /* NULL: it is only read */
    const void *context;
    struct reason *why;
};

/* The weakest first. */
static const char *const operators[] = {"+-", "*/"};
enum { STRENGTHS = sizeof operators / sizeof *operators };
static int take_chain(struct parser *parser, int strength, double *value);

static int wrong(const struct parser *parser, const char *what)
{
    return reason_set(parser->why, PAPI_EINVAL, "the formula \"%.200s\" has %s at \"%.40s\"", parser->formula,
                      what, parser->p);
}

static int skip_blanks(struct parser *parser)
{
    parser->p += strspn(parser->p, " \t");
    return *parser->p;
}

/* Reads a number such as "1000" or "1e3". strtod is not asked, since its decimal point depends on the
 * locale. */
static int take_number(struct parser *parser, double *value)
{
    char *end;
    *value = (double)strtoull(parser->p, &end, 10);
    int zeros = *end == 'e' && isdigit((unsigned char)end[1]) ? (int)strtoul(end + 1, &end, 10) : 0;
    if (isalnum((unsigned char)*end) || *end == '.' || zeros > 22)
        return wrong(parser, "neither a whole number nor one like 1e6");
    for (parser->p = end; zeros > 0; zeros--)
        *value *= 10;
    return PAPI_OK;
}

/* ---- the values of names */

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

static int one(const struct parser *parser, const char *name, double *value)
{
    struct reason *why = parser->why;
    int code = parser->lookup(parser->context, name, value, why);
    if (code == PAPI_ENOEVNT && strcmp(name, METRICS_CACHE_LINE) == 0)
        return line_bytes(value, why);
    if (code == PAPI_ENOEVNT && strcmp(name, METRICS_CPU_TIME) == 0) {
        code = parser->lookup(parser->context, "perf::TASK-CLOCK", value, why);
        *value *= 1e-9;
    }
    return code == PAPI_ENOEVNT && why->code == PAPI_OK ? reason_set(why, code, "%.200s is not counted", name)
                                                        : code;
}

/* Sums the events of a name such as "ZONE#": ZONE0, ZONE1 and so on, up to the first that does not exist. An
 * event that failed makes the sum fail. */
static int sum(const struct parser *parser, const char *name, double *value)
{
    char numbered[PAPI_HUGE_STR_LEN + 8];
    double next = 0;
    int code = PAPI_OK, i = 0;
    for (*value = 0; code == PAPI_OK && i < MOST_NUMBERED; i++) {
        *value += next;
        snprintf(numbered, sizeof numbered, "%.*s%d", (int)strlen(name) - 1, name, i);
        code = i == 0 ? one(parser, numbered, &next)
                      : parser->lookup(parser->context, numbered, &next, parser->why);
    }
    return code == PAPI_ENOEVNT && i > 1 ? PAPI_OK : code;
}

static int value_of(const struct parser *parser, const char *name, double *value)
{
    *value = NAN;
    if (parser->lookup == NULL)
        return PAPI_OK;
    int code = (name[strlen(name) - 1] == '#' ? sum : one)(parser, name, value);
    if (code == PAPI_OK) /* what was missing on the way was made good */
        *parser->why = (struct reason){0};
    return code;
}

/* ---- formulas */

static int take_name(struct parser *parser, double *value)
{
    bool braces = *parser->p == '{';
    const char *from = parser->p + braces;
    size_t n = braces ? strcspn(from, "}") : strspn(from, METRICS_WORD ":.");
    char name[PAPI_HUGE_STR_LEN];
    if (!braces && from[n] == '#')
        n++;
    if (n == 0 || (braces && from[n] == '\0'))
        return wrong(parser, braces ? "a brace without its end" : "neither a number nor a name");
    if (n >= sizeof name)
        return wrong(parser, "a name that is too long");
    memcpy(name, from, n);
    name[n] = '\0';
    parser->p = from + n + braces;
    return value_of(parser, name, value);
}

static int take_factor(struct parser *parser, double *value)
{
    int next = skip_blanks(parser);
    if (next != '(')
        return isdigit(next) ? take_number(parser, value) : take_name(parser, value);
    if (++parser->depth > DEEPEST)
        return wrong(parser, "too many parentheses");
    parser->p++;
    int code = take_chain(parser, 0, value);
    if (code == PAPI_OK && skip_blanks(parser) != ')')
        return wrong(parser, "no \")\"");
    parser->p += code == PAPI_OK;
    parser->depth--;
    return code;
}

static int apply(const struct parser *parser, char operation, double *a, double b, const char *operand)
{
    if (operation == '/' && b == 0)
        return reason_set(parser->why, PAPI_EINVAL, "it divides by %.*s, which is 0",
                          (int)(parser->p - operand), operand);
    *a = operation == '+' ? *a + b : operation == '-' ? *a - b : operation == '*' ? *a * b : *a / b;
    return PAPI_OK;
}

/* Operands with operators of a strength between them; of the strength beyond the last, one factor. */
static int take_chain(struct parser *parser, int strength, double *value)
{
    double other = 0;
    if (strength == STRENGTHS)
        return take_factor(parser, value);
    int code = take_chain(parser, strength + 1, value);
    while (code == PAPI_OK && skip_blanks(parser) != '\0' &&
           strchr(operators[strength], *parser->p) != NULL) {
        char operation = *parser->p++;
        skip_blanks(parser);
        const char *operand = parser->p;
        code = take_chain(parser, strength + 1, &other) ?: apply(parser, operation, value, other, operand);
    }
    return code;
}

int metrics_value(const char *formula, metrics_lookup *lookup, const void *context, double *value,
                  struct reason *why)
{
    struct parser parser = {
        .formula = formula, .p = formula, .lookup = lookup, .context = context, .why = why};
    double found = 0;
    int code = take_chain(&parser, 0, &found);
    if (code == PAPI_OK && *parser.p != '\0')
        return wrong(&parser, "more than a formula");
    if (code == PAPI_OK && value != NULL && !isfinite(found))
        return reason_set(why, PAPI_EINVAL, "its value is not a finite number");
    if (code == PAPI_OK && value != NULL)
        *value = found;
    return code;
}

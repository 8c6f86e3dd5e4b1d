/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The parser of metrics' formulas, which computes as it reads, and the tables of metrics.
 */
#include "metrics/metrics.h"
#include "base/array.h"
#include "formats/text_file.h"
#include "papi.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the value of a formula */

/* Formulas as people write them: + - * / and parentheses, numbers, names of events. A name with other
 * characters than letters, digits, "_", ":", "." and "#" stands in braces: {perf::TASK-CLOCK}. */

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

/* ---- the table */

/* Made by the build from presets/metrics. */
extern const char metric_table_csv[];

void metrics_free(struct metrics *metrics)
{
    for (struct metrics_row *row = metrics != NULL ? metrics->first : NULL, *next; row != NULL; row = next) {
        next = row->next;
        free(row);
    }
    free(metrics);
}

/* ---- rows */

/* The user's metric takes the place of all built-in ones of its name. */
static bool replaces(const struct metrics_row *row, const struct metrics_row *old)
{
    return old->file < row->file && old->formula != NULL && row->formula != NULL &&
           strcmp(old->name, row->name) == 0;
}

static void add_row(struct metrics *metrics, struct metrics_row *row)
{
    struct metrics_row **place = &metrics->first, *old;
    while ((old = *place) != NULL)
        if (replaces(row, old)) {
            *place = old->next;
            free(old);
        } else
            place = &old->next;
    metrics->last = *place = row;
}

/* A metric is in the group of the last row of its file. */
static int read_fields(const struct metrics *metrics, struct metrics_row *row, char **field, int n,
                       struct reason *why)
{
    const struct metrics_row *last = metrics->last;
    bool metric = strcmp(field[0], "METRIC") == 0;
    if (!metric && strcmp(field[0], "GROUP") != 0)
        return reason_set(why, PAPI_EINVAL, "\"%.40s\" is neither GROUP nor METRIC, which a line begins with",
                          field[0]);
    if (n != (metric ? 5 : 3) || field[1][0] == '\0' || field[1][strspn(field[1], METRICS_WORD)] != '\0' ||
        (metric && field[3][0] == '\0'))
        return reason_set(why, PAPI_EINVAL, "a %s",
                          metric ? "metric is written: METRIC,name,unit,formula,description"
                                 : "group is written: GROUP,name,description");
    if (metric && (last == NULL || last->file != row->file))
        return reason_set(why, PAPI_EINVAL, "%.60s is in no group: write GROUP,name,description above it",
                          field[1]);
    row->name = field[1];
    row->group = metric ? last->group : row->name;
    row->unit = metric ? field[2] : NULL;
    row->formula = metric ? field[3] : NULL;
    row->description = field[n - 1];
    return metric ? metrics_value(row->formula, NULL, NULL, NULL, why) : PAPI_OK;
}

static int read_line(struct metrics *metrics, int file, const char *text, size_t length, struct reason *why)
{
    char *field[MAX_FIELDS] = {NULL};
    struct metrics_row *row = calloc(1, sizeof *row + length + 1);
    if (row == NULL)
        return reason_set(why, PAPI_ENOMEM, "out of memory");
    memcpy(row->line, text, length);
    row->file = file;
    int n = csv_row(row->line, length, field, why), code = n;
    if (n > 0)
        code = read_fields(metrics, row, field, n, why);
    if (n > 0 && code == PAPI_OK)
        add_row(metrics, row);
    else
        free(row);
    return code;
}

/* ---- tables */

/* A line with a fault is passed over; the first one is noted. */
static void read_lines(struct metrics *metrics, FILE *stream, int file, const char *name)
{
    struct text_lines lines = {.file = stream};
    struct reason why, *fault = &metrics->fault;
    size_t length;
    char *line;
    while ((line = text_lines_next(&lines, &length)) != NULL) {
        int code = read_line(metrics, file, line, length, &why);
        metrics->passes |= code == PAPI_ENOMEM;
        if (code != PAPI_OK && fault->code == PAPI_OK)
            reason_set(fault, code, "%.150s:%d: %s", name, lines.number, why.text);
    }
    errno = text_lines_end(&lines);
    metrics->passes |= error_passes(errno);
    if (errno != 0)
        reason_unreadable(name, fault);
    fclose(stream);
}

struct metrics *metrics_load(void)
{
    const char *user = secure_getenv("PAPI_METRICS_FILE"), *error;
    struct metrics *metrics = calloc(1, sizeof *metrics);
    FILE *stream = metrics != NULL ? fmemopen((void *)metric_table_csv, strlen(metric_table_csv), "r") : NULL;
    if (stream != NULL)
        read_lines(metrics, stream, 0, "the built-in table");
    if (stream == NULL || metrics->fault.code != PAPI_OK) {
        metrics_free(metrics);
        return NULL;
    }
    if (user == NULL || user[0] == '\0')
        return metrics;
    stream = text_file_open(user, &error);
    metrics->passes = stream == NULL && error_passes(errno);
    if (stream != NULL)
        read_lines(metrics, stream, 1, user);
    else
        reason_set(&metrics->fault, PAPI_ESYS, "%.200s, which PAPI_METRICS_FILE names: %s", user, error);
    return metrics;
}

/* ---- choices */

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

int metrics_events(const struct metrics_pick *pick, int (*take)(void *context, const char *event),
                   void *context)
{
    const struct taker to = {take, context};
    struct reason why = pick->why;
    return why.code == PAPI_OK ? metrics_value(pick->row->formula, take_event, &to, NULL, &why) : PAPI_OK;
}

/* ---- the alternatives of a name */

struct metrics_pick metrics_first(const struct metrics *metrics, const char *name, metrics_lookup *lookup,
                                  const void *context, double *value)
{
    struct metrics_pick first = {0};
    for (const struct metrics_row *row = metrics->first; row != NULL; row = row->next) {
        struct metrics_pick next = {.row = row};
        if (row->formula == NULL || strcmp(row->name, name) != 0)
            continue;
        if (metrics_value(row->formula, lookup, context, value, &next.why) == PAPI_OK)
            return next;
        if (first.row == NULL)
            first = next;
    }
    return first;
}

const char *metrics_nearest(const struct metrics *metrics, const char *name, bool groups,
                            char text[NEAREST_TEXT])
{
    struct nearest nearest;
    nearest_begin(&nearest, name);
    for (const struct metrics_row *row = metrics->first; row != NULL; row = row->next) {
        if (row->formula != NULL)
            nearest_try(&nearest, row->name);
        if (groups)
            nearest_try(&nearest, row->group);
    }
    return nearest_text(&nearest, text);
}

static bool has(const struct metrics_picks *picks, const char *name)
{
    for (int i = 0; i < picks->n; i++)
        if (strcmp(picks->pick[i].row->name, name) == 0)
            return true;
    return false;
}

int metrics_pick(const struct metrics *metrics, const char *word, struct metrics_picks *picks,
                 struct reason *why)
{
    bool found = false;
    for (const struct metrics_row *row = metrics->first; row != NULL; row = row->next) {
        if (row->formula == NULL || (strcmp(row->group, word) != 0 && strcmp(row->name, word) != 0))
            continue;
        found = true;
        if (has(picks, row->name))
            continue;
        if (!ARRAY_GROW(picks->pick, picks->n))
            return reason_set(why, PAPI_ENOMEM, "out of memory");
        picks->pick[picks->n++] = metrics_first(metrics, row->name, take_event, &(struct taker){0}, NULL);
    }
    if (found)
        return PAPI_OK;
    char near[NEAREST_TEXT];
    return reason_set(why, PAPI_EINVAL,
                      "@%.60s is neither a group of metrics nor a metric%s; papi_event_chooser @ lists them",
                      word, metrics_nearest(metrics, word, true, near));
}

void metrics_picks_free(struct metrics_picks *picks)
{
    free(picks->pick);
    *picks = (struct metrics_picks){0};
}

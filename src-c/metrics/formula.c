/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Formulas as people write them: + - * / and parentheses, numbers, names of events. A name with other
 * characters than letters, digits, "_", ":", "." and "#" stands in braces: {perf::TASK-CLOCK}.
 */
#include "metrics/formula.h"
#include "papi.h"

#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 16 };

struct parser {
    struct metrics_row *row;
    const char *p;
    int depth;
    struct reason *why;
};

static int wrong(const struct parser *parser, const char *what)
{
    return reason_set(parser->why, PAPI_EINVAL, "the formula \"%.200s\" has %s at \"%.40s\"",
                      parser->row->formula, what, parser->p);
}

static int skip_blanks(struct parser *parser)
{
    parser->p += strspn(parser->p, " \t");
    return *parser->p;
}

static int add_step(struct parser *parser, struct metrics_step step)
{
    if (parser->row->n_steps == METRICS_STEPS)
        return wrong(parser, "more terms than there is room for");
    parser->row->step[parser->row->n_steps++] = step;
    return PAPI_OK;
}

/* "1000" or "1e3": what both mean in every locale, and exactly. */
static int take_number(struct parser *parser)
{
    char *end;
    double number = (double)strtoull(parser->p, &end, 10);
    int zeros = *end == 'e' && isdigit((unsigned char)end[1]) ? (int)strtoul(end + 1, &end, 10) : 0;
    if (isalnum((unsigned char)*end) || *end == '.' || zeros > 22)
        return wrong(parser, "neither a whole number nor one like 1e6");
    for (parser->p = end; zeros > 0; zeros--)
        number *= 10;
    return add_step(parser, (struct metrics_step){'c', .number = number});
}

static int name_index(struct parser *parser, size_t from, size_t length)
{
    struct metrics_row *row = parser->row;
    char *name = row->names + from;
    name[length] = '\0';
    for (int i = 0; i < row->n_names; i++)
        if (strcmp(row->operand[i], name) == 0)
            return i;
    if (row->n_names == METRICS_NAMES)
        return wrong(parser, "more names than there is room for");
    row->operand[row->n_names] = name;
    return row->n_names++;
}

static int take_name(struct parser *parser)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_:.";
    bool braces = *parser->p == '{';
    const char *name = parser->p + braces;
    size_t n = braces ? strcspn(name, "}") : strspn(name, plain);
    if (!braces && name[n] == '#')
        n++;
    if (n == 0 || (braces && name[n] == '\0'))
        return wrong(parser, braces ? "a brace without its end" : "neither a number nor a name");
    int index = name_index(parser, (size_t)(name - parser->row->formula), n);
    parser->p = name + n + braces;
    return index < 0 ? index : add_step(parser, (struct metrics_step){'n', .name = index});
}

static int take_sum(struct parser *parser);

static int take_factor(struct parser *parser)
{
    int next = skip_blanks(parser);
    if (next != '(')
        return isdigit(next) ? take_number(parser) : take_name(parser);
    if (++parser->depth > DEEPEST)
        return wrong(parser, "too many parentheses");
    parser->p++;
    int code = take_sum(parser);
    if (code == PAPI_OK && skip_blanks(parser) != ')')
        return wrong(parser, "no \")\"");
    parser->p += code == PAPI_OK;
    parser->depth--;
    return code;
}

/* What comes after each of the operators, which are as strong as each other. */
static int take_chain(struct parser *parser, const char *operators, int (*take)(struct parser *))
{
    int code = take(parser);
    while (code == PAPI_OK && skip_blanks(parser) != '\0' && strchr(operators, *parser->p) != NULL) {
        char operation = *parser->p++;
        skip_blanks(parser);
        size_t from = (size_t)(parser->p - parser->row->formula);
        code = take(parser);
        size_t length = (size_t)(parser->p - parser->row->formula) - from;
        code = code
                   ?: add_step(parser, (struct metrics_step){operation, .from = (unsigned short)from,
                                                             .length = (unsigned short)length});
    }
    return code;
}

static int take_product(struct parser *parser)
{
    return take_chain(parser, "*/", take_factor);
}

static int take_sum(struct parser *parser)
{
    return take_chain(parser, "+-", take_product);
}

int metrics_compile(struct metrics_row *row, struct reason *why)
{
    struct parser parser = {.row = row, .p = row->formula, .why = why};
    if (strlen(row->formula) > USHRT_MAX)
        return reason_set(why, PAPI_EINVAL, "the formula is too long");
    row->names = strdup(row->formula);
    if (row->names == NULL)
        return reason_set(why, PAPI_ENOMEM, "out of memory");
    int code = take_sum(&parser);
    return code == PAPI_OK && *parser.p != '\0' ? wrong(&parser, "more than a formula") : code;
}

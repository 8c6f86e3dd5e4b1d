/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Definitions of presets: their texts, how their natives are put together, and the table that
 * PAPI_encode_events reads. A formula is a list of steps in postfix order for a stack: operands (N0, N1,
 * ...), whole constants and the four operations. It is checked when it is compiled, so that computing it can
 * neither leave the stack nor divide by a constant 0. Values are whole numbers as long as a result is exact;
 * a sum or product that does not fit, or a division with a remainder, goes on as a real number, and the end
 * result is cut to a whole one. So sums and products of counts have no error at all, even above 2^53, and a
 * quotient has one only if it is no whole number. A division by a count of 0 gives 0, since nothing happened
 * that could be divided, or NaN in a formula whose value is real.
 */
#include "events/definition.h"
#include "base/whole.h"
#include "formats/text_file.h"
#include "papi.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
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

/* ---- formulas */

static int parse_step(const char *token, int n_operands, struct step *step, struct reason *why)
{
    char *end;
    if (strlen(token) == 1 && strchr("+-*/", token[0]) != NULL) {
        step->operation = token[0];
        step->value = 0;
        return PAPI_OK;
    }
    bool operand = token[0] == 'N';
    const char *digits = token + operand;
    errno = 0;
    long long value = isdigit((unsigned char)*digits) ? strtoll(digits, &end, 10) : -1;
    if (value < 0 || *end != '\0' || errno != 0)
        return reason_set(why, PAPI_EINVAL, "\"%.40s\" is not an operand, constant or operator of a formula",
                          token);
    if (operand && value >= n_operands)
        return reason_set(why, PAPI_EINVAL, "the formula names N%lld but there are %d native events", value,
                          n_operands);
    step->operation = operand ? 'N' : 'c';
    step->value = value;
    return PAPI_OK;
}

static int append_step(struct formula *out, const char *token, int n_operands, int *depth, struct reason *why)
{
    if (out->n_steps == MAX_STEPS)
        return reason_set(why, PAPI_EINVAL, "the formula has more than %d terms", (int)MAX_STEPS);
    struct step *step = &out->step[out->n_steps];
    int code = parse_step(token, n_operands, step, why);
    if (code != PAPI_OK)
        return code;
    bool pushes = step->operation == 'N' || step->operation == 'c';
    if (!pushes && *depth < 2)
        return reason_set(why, PAPI_EINVAL, "the formula's operator %c has too few operands",
                          step->operation);
    if (step->operation == '/' && step[-1].operation == 'c' && step[-1].value == 0)
        return reason_set(why, PAPI_EINVAL, "the formula divides by 0");
    *depth += pushes ? 1 : -1;
    out->n_steps++;
    return PAPI_OK;
}

int formula_compile(const char *text, int n_operands, struct formula *out, struct reason *why)
{
    char copy[PAPI_2MAX_STR_LEN * 2];
    int depth = 0;
    memset(out, 0, sizeof *out);
    if (strlen(text) >= sizeof copy)
        return reason_set(why, PAPI_EINVAL, "the formula is longer than %zu characters", sizeof copy - 1);
    strcpy(copy, text);
    char *rest = NULL;
    int code = PAPI_OK;
    for (char *token = strtok_r(copy, "| \t", &rest); token; token = strtok_r(NULL, "| \t", &rest))
        code = code ?: append_step(out, token, n_operands, &depth, why);
    if (code == PAPI_OK && depth != 1)
        return reason_set(why, PAPI_EINVAL, "the formula leaves %d values instead of one", depth);
    return code;
}

bool formula_append(const struct formula *formula, int first, char *text, size_t size)
{
    size_t used = strlen(text);
    for (int i = 0; i < formula->n_steps && used < size; i++) {
        const struct step *step = &formula->step[i];
        bool operand = step->operation == 'N';
        if (operand || step->operation == 'c')
            used += (size_t)snprintf(text + used, size - used, "%s%lld|", operand ? "N" : "",
                                     step->value + (operand ? first : 0));
        else
            used += (size_t)snprintf(text + used, size - used, "%c|", step->operation);
    }
    return used < size;
}

/* A value on the stack: whole as long as it can be. */
struct number {
    bool whole;
    long long integer;
    double real;
};

static struct number whole(long long value)
{
    return (struct number){true, value, (double)value};
}

static bool exact(char operation, long long a, long long b, long long *result)
{
    if (operation == '+')
        return !__builtin_add_overflow(a, b, result);
    if (operation == '-')
        return !__builtin_sub_overflow(a, b, result);
    if (operation == '*')
        return !__builtin_mul_overflow(a, b, result);
    if ((a == LLONG_MIN && b == -1) || a % b != 0)
        return false;
    *result = a / b;
    return true;
}

static double inexact(char operation, double a, double b)
{
    return operation == '+' ? a + b : operation == '-' ? a - b : operation == '*' ? a * b : a / b;
}

static struct number apply(char operation, struct number a, struct number b)
{
    long long result = 0;
    if (a.whole && b.whole && exact(operation, a.integer, b.integer, &result))
        return whole(result);
    return (struct number){false, 0, inexact(operation, a.real, b.real)};
}

static struct number applied(const struct formula *formula, char operation, struct number a, struct number b)
{
    if (operation != '/' || b.real != 0.0)
        return apply(operation, a, b);
    return formula->real ? (struct number){false, 0, NAN} : whole(0);
}

static long long bits(double value)
{
    long long all;
    memcpy(&all, &value, sizeof all);
    return all;
}

long long formula_value(const struct formula *formula, const long long *operand)
{
    struct number stack[MAX_STEPS];
    int top = -1;
    for (int i = 0; i < formula->n_steps; i++) {
        const struct step *step = &formula->step[i];
        if (step->operation == 'N') {
            stack[++top] = whole(operand[step->value]);
        } else if (step->operation == 'c') {
            stack[++top] = whole(step->value);
        } else {
            top--;
            stack[top] = applied(formula, step->operation, stack[top], stack[top + 1]);
        }
    }
    if (formula->real)
        return bits(stack[0].real);
    return stack[0].whole ? stack[0].integer : whole_of(stack[0].real);
}

/* ---- the table of PAPI_encode_events */

enum { LONGEST_ROW = 1 << 16, FIRST_NATIVE = 6 };

/* A row: several lines where a text in quotes goes on. */
struct row {
    char text[LONGEST_ROW];
    size_t length;
    int line;       /* its first line */
    bool in_quotes; /* at its end */
};

static int append(struct row *row, const char *line, size_t length, struct reason *why)
{
    if (memchr(line, '\0', length) != NULL)
        return reason_set(why, PAPI_EINVAL, "a null byte: this is not a text file");
    if (row->length + length + 2 > sizeof row->text)
        return reason_set(why, PAPI_EINVAL, "a row of more than %d characters", LONGEST_ROW - 2);
    if (row->length > 0)
        row->text[row->length++] = ' ';
    memcpy(row->text + row->length, line, length);
    for (size_t i = 0; i < length; i++)
        row->in_quotes ^= line[i] == '"';
    row->length += length;
    row->text[row->length] = '\0';
    return PAPI_OK;
}

/* Reads the next row. 1: there is one, 0: the end of the file, or an error. */
static int next_row(struct text_lines *lines, struct row *row, struct reason *why)
{
    char *line;
    size_t length;
    row->length = 0;
    row->in_quotes = false;
    while ((line = text_lines_next(lines, &length)) != NULL) {
        if (row->length == 0)
            row->line = lines->number;
        int code = append(row, line, length, why);
        if (code != PAPI_OK)
            return code;
        if (row->length > 0 && (!row->in_quotes || row->text[0] == '#'))
            return 1;
    }
    return row->length > 0 && lines->error == 0 ? reason_set(why, PAPI_EINVAL, "a quote without its end") : 0;
}

static int take_row(struct row *row, old_csv_row *take, void *context, struct reason *why)
{
    char *field[MAX_FIELDS];
    int n = csv_row(row->text, row->length, field, why);
    if (n <= 0)
        return n;
    if (n > 1 && strcmp(field[0], "name") == 0 && strcmp(field[1], "derived") == 0)
        return PAPI_OK;
    if (n < FIRST_NATIVE)
        return reason_set(why, PAPI_EINVAL,
                          "%d fields where name,derived,postfix,short_descr,long_descr,note,native,... are "
                          "expected",
                          n);
    struct event_parts parts = {field[0], field[1], field[2], field[3], field[4], field[5], {NULL}, 0};
    int code = PAPI_OK;
    for (int i = FIRST_NATIVE; i < n; i++)
        code = code ?: event_parts_add(&parts, field[i], why);
    /* A list of all presets names those too that the machine cannot count. */
    bool empty = parts.n_natives == 0 && parts.derived[0] == '\0';
    return code != PAPI_OK || empty ? code : take(&parts, row->line, context, why);
}

int old_csv_read(FILE *file, const char *name, old_csv_row *take, void *context, struct reason *why)
{
    struct text_lines lines = {.file = file};
    struct row *row = calloc(1, sizeof *row);
    struct reason local = {0};
    int code = row ? PAPI_OK : reason_set(&local, PAPI_ENOMEM, "out of memory");
    while (code == PAPI_OK && (code = next_row(&lines, row, &local)) > 0)
        code = take_row(row, take, context, &local);
    int line = row ? row->line : 0;
    free(row);
    errno = text_lines_end(&lines);
    if (code == PAPI_OK && errno != 0)
        return reason_unreadable(name, why);
    return code == PAPI_OK ? PAPI_OK : reason_set(why, code, "%.200s:%d: %s", name, line, local.text);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "events/formula.h"
#include "base/whole.h"
#include "papi.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

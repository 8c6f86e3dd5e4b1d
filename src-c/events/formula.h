/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/reason.h"
#include <stdbool.h>

/* Formulas of DERIVED_POSTFIX: operands N0, N1, ... (the counts of the native events), integer
 * constants and + - * /, in reverse Polish order, separated by '|'. */

enum { MAX_OPERANDS = 12, MAX_STEPS = 64 };

struct formula {
    int n_steps;
    bool real; /* the value is a real number: not set by formula_compile */
    struct step {
        char operation; /* 'N' operand, 'c' constant, or + - * / */
        long long value;
    } step[MAX_STEPS];
};

/* Compiles and checks: operand numbers below n_operands, the stack never empty nor left with more
 * than the result, no division by a constant 0. PAPI_EINVAL with the reason. */
int formula_compile(const char *text, int n_operands, struct formula *out, struct reason *why);

/* Appends the formula to a text, "N0|N1|+|", with its operands numbered from first on. false: there is no
 * room for all of it. */
bool formula_append(const struct formula *formula, int first, char *text, size_t size);

/* The value. Whole numbers stay exact; a quotient that is not whole goes on as a fraction and the
 * result is cut. A count divided by a count of 0 gives 0. Of a real formula: the bits of a double, which is
 * not a number (NaN) where it divides by 0. */
long long formula_value(const struct formula *formula, const long long *operand);

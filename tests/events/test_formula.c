/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Formulas of DERIVED_POSTFIX: what compiles, and what comes out.
 */
#include "testing.h"

#include "events/definition.h"
#include "papi.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ODD53 9007199254740993LL /* 2^53 + 1: no double */

static const struct {
    const char *text;
    long long operand[4];
    long long value;
} values[] = {
    {"N0", {5}, 5},
    {"N0|", {-5}, -5},
    {"|N0||", {5}, 5},
    {" N0 | N1 | + ", {5, 6}, 11},
    {"N3", {1, 2, 3, 4}, 4},
    {"0", {0}, 0},
    {"N0|N1|+|", {5, 3}, 8},
    {"N0|N1|-|", {5, 3}, 2},
    {"N1|N0|-|", {5, 3}, -2},
    {"N0|N1|*|", {5, 3}, 15},
    {"N0|N1|/|", {15, 3}, 5},
    {"N0|N1|N2|-|-|", {10, 3, 1}, 8},
    {"N0|N1|-|N2|-|", {10, 3, 1}, 6},
    {"N0|N1|N2|*|+|", {10, 3, 4}, 22},
    {"N0|N1|+|N2|N3|+|*|", {1, 2, 3, 4}, 21},
    {"N0|N0|+|", {7}, 14},
    {"N0|2|*|N1|4|*|+|", {10, 3}, 32},
    /* Whole numbers stay exact where a double is not. */
    {"N0", {ODD53}, ODD53},
    {"N0|N1|+", {ODD53 - 1, 1}, ODD53},
    {"N0|N1|-", {ODD53 * 2, ODD53}, ODD53},
    {"N0|3|*", {ODD53 / 3}, ODD53},
    {"N0|N1|/", {ODD53, 3}, ODD53 / 3},
    {"N0|N1|/", {LLONG_MAX, 7}, LLONG_MAX / 7},
    {"N0|1|-", {LLONG_MAX}, LLONG_MAX - 1},
    {"N0|N1|+", {LLONG_MAX, LLONG_MIN}, -1},
    {"9223372036854775807", {0}, LLONG_MAX},
    {"9223372036854775807|9223372036854775806|-", {0}, 1},
    {"N0|9223372036854775807|-", {-1}, LLONG_MIN},
    /* A quotient that is not whole is carried as a fraction; the result is truncated towards 0. */
    {"N0|N1|/", {7, 2}, 3},
    {"N0|N1|/", {-7, 2}, -3},
    {"N0|N1|/", {1, 1000}, 0},
    {"N0|N1|/|100|*", {1, 3}, 33},
    {"N0|N1|/|100|*", {2, 3}, 66},
    {"N0|N1|/|100|*", {1, 8}, 12},
    {"N0|N1|/|100|*", {1000000, 4000000}, 25},
    {"N0|N1|/|100|*", {ODD53, ODD53}, 100},
    {"N0|N1|/|N1|*", {7, 2}, 7},
    {"N0|N1|/|N2|N1|/|+", {1, 2, 1}, 1},
    {"N0|N1|/|N2|N1|/|-", {5, 2, 1}, 2},
    {"N0|N1|/|N2|N3|/|/", {1, 2, 1, 4}, 2},
    {"100|N0|*|N1|/", {2, 3}, 66},
    /* Values that do not fit into 64 bits are carried as fractions; the result is the nearest value that
     * fits. */
    {"N0|1|+", {LLONG_MAX}, LLONG_MAX},
    {"N0|N1|+", {LLONG_MAX, LLONG_MAX}, LLONG_MAX},
    {"N0|1|-", {LLONG_MIN}, LLONG_MIN},
    {"N0|N0|*", {1LL << 62}, LLONG_MAX},
    {"N0|N1|*", {1LL << 62, -4}, LLONG_MIN},
    {"N0|N1|/", {LLONG_MIN, -1}, LLONG_MAX},
    {"N0|N0|*|N0|/", {1LL << 62}, 1LL << 62},
    {"N0|N0|+|4|/", {1LL << 62}, 1LL << 61},
    {"N0|2|*|N0|-", {1LL << 62}, 1LL << 62},
    /* A count of 0 is below the line. */
    {"N0|N1|/", {5, 0}, 0},
    {"N0|N1|/", {0, 0}, 0},
    {"N0|N1|/", {LLONG_MIN, 0}, 0},
    {"N0|N1|/|1|+", {5, 0}, 1},
    {"N0|N1|N1|-|/", {5, 3}, 0},
    {"N0|N1|N2|/|N1|N2|/|-|/", {5, 1, 3}, 0},
};

static void formulas_have_these_values(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(values); i++) {
        struct formula formula;
        struct reason why = {0};
        int code = formula_compile(values[i].text, 4, &formula, &why);
        if (code != PAPI_OK)
            print_error("%s: %s\n", values[i].text, why.text);
        assert_int_equal(code, PAPI_OK);
        assert_int_equal(why.fresh, 0);
        long long value = formula_value(&formula, values[i].operand);
        if (value != values[i].value)
            print_error("%s: %lld, not %lld\n", values[i].text, value, values[i].value);
        assert_true(value == values[i].value);
    }
}

/* The same, where the value is real: nothing is cut. */
static const struct {
    const char *text;
    long long operand[4];
    double value;
} reals[] = {
    {"N0", {5}, 5},
    {"N0|N1|/", {7, 2}, 3.5},
    {"N1|100|*|N0|/", {3, 1}, 100.0 / 3},
    {"N1|1|*|100|*|N0|4|*|/", {4000, 1000}, 6.25},
    {"N1|N2|-|N3|+|100|*|N0|/", {1000, 100, 300, 50}, -15},
    {"N0|N1|-|N2|-|N3|-|100|*|N0|/", {1LL << 60, 1LL << 58, 1LL << 58, 1LL << 59}, 0},
    {"N1|100|*|N0|/", {LLONG_MAX, LLONG_MAX}, 100},
    {"N1|100|*|N0|/", {0, 0}, NAN},
    {"N1|100|*|N0|/", {0, 5}, NAN},
    {"100|N1|N0|/|-", {0, 0}, NAN},
};

static void real_formulas_have_these_values(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(reals); i++) {
        struct formula formula;
        double value;
        assert_int_equal(formula_compile(reals[i].text, 4, &formula, NULL), PAPI_OK);
        assert_false(formula.real);
        formula.real = true;
        long long bits = formula_value(&formula, reals[i].operand);
        memcpy(&value, &bits, sizeof value);
        bool nan = isnan(reals[i].value);
        if (nan ? !isnan(value) : !(fabs(value - reals[i].value) <= 1e-12 * fabs(reals[i].value)))
            fail_msg("%s: %.17g, not %.17g", reals[i].text, value, reals[i].value);
    }
}

static const struct {
    const char *text;
    int n_operands;
    const char *part; /* of the reason */
} faults[] = {
    {"", 2, "leaves 0 values"},
    {"|", 2, "leaves 0 values"},
    {" | ", 2, "leaves 0 values"},
    {"N0|N1", 2, "leaves 2 values"},
    {"N0|N1|N0|+", 2, "leaves 2 values"},
    {"+", 2, "operator + has too few operands"},
    {"N0|-", 2, "operator - has too few operands"},
    {"N0|N1|+|*", 2, "operator * has too few operands"},
    {"/|N0|N1", 2, "operator / has too few operands"},
    {"N0|+|N1", 2, "operator + has too few operands"},
    {"N2", 2, "names N2 but there are 2 native events"},
    {"N0|N1|+|N2|+", 2, "names N2 but there are 2 native events"},
    {"N0", 0, "names N0 but there are 0 native events"},
    {"N12", 12, "names N12 but there are 12 native events"},
    {"N4294967296", 12, "names N4294967296 but"},
    {"N", 2, "\"N\" is not an operand"},
    {"n0", 2, "\"n0\" is not an operand"},
    {"N-1", 2, "\"N-1\" is not an operand"},
    {"N+1", 2, "\"N+1\" is not an operand"},
    {"N0x", 2, "\"N0x\" is not an operand"},
    {"NN0", 2, "\"NN0\" is not an operand"},
    {"-1", 2, "\"-1\" is not an operand"},
    {"+1", 2, "\"+1\" is not an operand"},
    {"1.5", 2, "\"1.5\" is not an operand"},
    {"1e3", 2, "\"1e3\" is not an operand"},
    {"0x10", 2, "\"0x10\" is not an operand"},
    {"9223372036854775808", 2, "\"9223372036854775808\" is not an operand"},
    {"N9223372036854775808", 2, "\"N9223372036854775808\" is not an operand"},
    {"N0|N1|%", 2, "\"%\" is not an operand"},
    {"N0|N1|++", 2, "\"++\" is not an operand"},
    {"N0N1+", 2, "\"N0N1+\" is not an operand"},
    {"N0|N1|+;", 2, "\"+;\" is not an operand"},
    {"N0|\x80\xff", 2, "is not an operand"},
    {"(N0+N1)", 2, "\"(N0+N1)\" is not an operand"},
    {"N0|0|/", 2, "divides by 0"},
    {"N0|000|/", 2, "divides by 0"},
    {"N0|N1|0|/|+", 2, "divides by 0"},
};

static void formulas_with_faults(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(faults); i++) {
        struct formula formula;
        struct reason why = {0};
        REFUSED(formula_compile(faults[i].text, faults[i].n_operands, &formula, &why), PAPI_EINVAL, &why,
                faults[i].part);
        assert_int_equal(formula_compile(faults[i].text, faults[i].n_operands, &formula, NULL), PAPI_EINVAL);
    }
}

static void every_operand_is_reached(void **state)
{
    (void)state;
    long long operand[MAX_OPERANDS];
    for (int i = 0; i < MAX_OPERANDS; i++)
        operand[i] = 100 + i;
    for (int i = 0; i < MAX_OPERANDS; i++) {
        char text[8] = {'N', (char)('0' + i % 10), '\0'};
        if (i >= 10)
            memcpy(text, (char[]){'N', '1', (char)('0' + i % 10), '\0'}, 4);
        struct formula formula;
        assert_int_equal(formula_compile(text, MAX_OPERANDS, &formula, NULL), PAPI_OK);
        assert_true(formula_value(&formula, operand) == 100 + i);
    }
}

/* n operands and n - 1 operators: on a stack as flat as it can be, or as deep. */
static char *long_sum(int n, int deep)
{
    char *text = calloc((size_t)n, 6);
    for (int i = 0; i < n; i++)
        strcat(text, i > 0 && !deep ? "N0|+|" : "N0|");
    for (int i = 1; i < n && deep; i++)
        strcat(text, "+|");
    return text;
}

static void as_many_steps_as_there_may_be(void **state)
{
    (void)state;
    for (int deep = 0; deep < 2; deep++)
        for (int n = 1; n < 40; n++) {
            char *text = long_sum(n, deep);
            struct formula formula;
            struct reason why = {0};
            int code = formula_compile(text, 1, &formula, &why);
            if (2 * n - 1 <= MAX_STEPS) {
                assert_int_equal(code, PAPI_OK);
                assert_int_equal(formula.n_steps, 2 * n - 1);
                assert_true(formula_value(&formula, (long long[]){1000}) == 1000LL * n);
            } else {
                REFUSED(code, PAPI_EINVAL, &why, "more than 64 terms");
            }
            free(text);
        }
    /* 64 steps fill the program, and 64 operands the stack; they leave too much. */
    char *text = test_text(64 * 3, "N0|");
    struct formula formula;
    struct reason why = {0};
    REFUSED(formula_compile(text, 1, &formula, &why), PAPI_EINVAL, &why, "leaves 64 values");
    free(text);
}

static void long_texts(void **state)
{
    (void)state;
    struct formula formula;
    struct reason why = {0};
    char *text = test_text(511, "|");
    memcpy(text + 400, "N0", 2);
    assert_int_equal(formula_compile(text, 1, &formula, &why), PAPI_OK);
    assert_true(formula_value(&formula, (long long[]){9}) == 9);
    free(text);
    for (size_t length = 512; length < 2000000; length = length * 3 + 1) {
        text = test_text(length, "N0|");
        REFUSED(formula_compile(text, 1, &formula, &why), PAPI_EINVAL, &why, "longer than 511 characters");
        free(text);
    }
    /* A long word is cut in the reason. */
    text = test_text(500, "x");
    REFUSED(formula_compile(text, 1, &formula, &why), PAPI_EINVAL, &why,
            "\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\" is no");
    free(text);
}

/* Whatever the text: a formula that can be evaluated, or a reason. */
static void any_text(void **state)
{
    static const char *const words[] = {"N0", "N1", "N2", "1",   "0",  "+",  "-",
                                        "*",  "/",  "|",  "+||", "N9", "99", "9223372036854775807"};
    static const long long operand[3] = {0, LLONG_MAX, LLONG_MIN};
    (void)state;
    int compiled = 0;
    for (int round = 0; round < 100000; round++) {
        char text[512] = "";
        for (unsigned i = test_random(16); i > 0; i--) {
            strcat(text, words[test_random(test_random(8) ? 9 : COUNT(words))]);
            strcat(text, test_random(20) ? "|" : "");
        }
        struct formula formula;
        struct reason why = {0};
        int code = formula_compile(text, 3, &formula, &why);
        assert_int_equal(code, why.code);
        if (code == PAPI_OK) {
            compiled++;
            formula_value(&formula, operand);
        } else {
            assert_int_equal(code, PAPI_EINVAL);
            assert_true(why.text[0] != '\0');
        }
    }
    assert_true(compiled > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formulas_have_these_values),
        cmocka_unit_test(real_formulas_have_these_values),
        cmocka_unit_test(formulas_with_faults),
        cmocka_unit_test(every_operand_is_reached),
        cmocka_unit_test(as_many_steps_as_there_may_be),
        cmocka_unit_test(long_texts),
        cmocka_unit_test(any_text),
    };
    return TEST_RUN(tests);
}

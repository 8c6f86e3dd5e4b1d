/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What of A64 adds a number to a register, and what compares registers.
 */
#include "assembler.h"

#include <stdlib.h>
#include <string.h>

/* 8, #8, #-0x8 */
static bool number_of(struct span operand, int64_t *number)
{
    char text[32], *end;
    if (operand.n > 0 && operand.at[0] == '#')
        operand = span_trim((struct span){operand.at + 1, operand.n - 1});
    if (operand.n == 0 || operand.n >= sizeof text)
        return false;
    memcpy(text, operand.at, operand.n);
    text[operand.n] = '\0';
    *number = strtoll(text, &end, 0);
    return *end == '\0';
}

/* ldr d0, [x0], 8 and ldr d0, [x0, 8]! */
static bool step_of_base(unsigned n, const struct span *operand, int counter, int64_t *step)
{
    for (unsigned i = 0; i < n; i++) {
        int bytes;
        size_t length = operand[i].n;
        const char *at = operand[i].at;
        if (*at != '[')
            continue;
        struct span number, base = span_cut((struct span){at + 1, length - 1}, ',', &number);
        if (at[length - 1] == '!')
            return number.n > 2 && register_of(base, &bytes) == counter &&
                   number_of((struct span){number.at, number.n - 2}, step);
        return i + 2 == n && at[length - 1] == ']' &&
               register_of(span_trim((struct span){at + 1, length - 2}), &bytes) == counter &&
               number_of(operand[i + 1], step);
    }
    return false;
}

bool step_of(const struct statement *statement, int counter, int64_t *step, int *bytes)
{
    struct span operand[MAX_OPERANDS];
    unsigned n = operands_of(statement->rest, operand);
    int first = n > 0 ? register_of(operand[0], bytes) : NOWHERE, other;
    if (first == counter) {
        bool adds = span_in(statement->word, "add adds"), takes = span_in(statement->word, "sub subs");
        if (n != 3 || !(adds || takes) || register_of(operand[1], &other) != counter ||
            !number_of(operand[2], step))
            return false;
        *step = adds ? *step : (int64_t) - (uint64_t)*step;
        return *step != 0;
    }
    *bytes = 8;
    return step_of_base(n, operand, counter, step) && *step != 0;
}

bool jumps_unless_equal(const struct statement *jump)
{
    return span_in(jump->word, "bne b.ne");
}

bool order_of(const struct statement *jump, struct order *order)
{
    static const struct {
        const char *words;
        struct order order;
    } orders[] = {
        {"blt b.lt", {UNTIL_SIGNED, true, false}},
        {"ble b.le", {UNTIL_SIGNED, true, true}},
        {"bgt b.gt", {UNTIL_SIGNED, false, false}},
        {"bge b.ge", {UNTIL_SIGNED, false, true}},
        {"blo b.lo bcc b.cc", {UNTIL_UNSIGNED, true, false}},
        {"bls b.ls", {UNTIL_UNSIGNED, true, true}},
        {"bhi b.hi", {UNTIL_UNSIGNED, false, false}},
        {"bhs b.hs bcs b.cs", {UNTIL_UNSIGNED, false, true}},
    };
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++)
        if (span_in(jump->word, orders[i].words)) {
            *order = orders[i].order;
            return true;
        }
    return false;
}

bool jump_compares(const struct statement *jump)
{
    return span_is(jump->word, "cbnz");
}

/* False: these two are not compared in a way that is known. */
static bool compares(struct span counter, struct span limit, struct comparison *found)
{
    int bytes;
    *found = (struct comparison){.limit = register_of(limit, &bytes)};
    found->counter = register_of(counter, &found->bytes);
    return found->counter != NOWHERE && (found->limit != NOWHERE || number_of(limit, &found->number));
}

unsigned comparisons_of(const struct statement *statement, struct comparison found[MOST_COMPARISONS])
{
    static const struct span zero = {"0", 1};
    struct span operand[MAX_OPERANDS];
    unsigned n = operands_of(statement->rest, operand), two = 0;
    if (n == 2 && span_is(statement->word, "cmp")) {
        for (int first = 0; first < 2; first++)
            if (compares(operand[first], operand[1 - first], &found[two])) {
                found[two].ordered = true;
                found[two++].swapped = first == 1;
            }
        return two;
    }
    if (n == 2 && (span_is(statement->word, "cbnz") ||
                   (span_is(statement->word, "tst") && span_same(operand[0], operand[1]))))
        return compares(operand[0], zero, found);
    if (n == 0 || !span_in(statement->word, "adds subs"))
        return 0;
    bool is = compares(operand[0], zero, found);
    found->of_result = true;
    return is;
}

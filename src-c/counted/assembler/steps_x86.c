/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What of x86 adds a number to a register, and what compares registers.
 */
#include "assembler.h"

#include <stdlib.h>
#include <string.h>

static bool number_of(struct span operand, int64_t *number)
{
    char text[32], *end;
    if (operand.n < 2 || operand.n >= sizeof text || operand.at[0] != '$')
        return false;
    memcpy(text, operand.at + 1, operand.n - 1);
    text[operand.n - 1] = '\0';
    *number = strtoll(text, &end, 0);
    return *end == '\0';
}

/* lea 8(%rax), %rax */
static bool step_of_address(struct span operand, int counter, int64_t *step)
{
    char text[64], *end;
    int bytes;
    if (operand.n >= sizeof text)
        return false;
    memcpy(text, operand.at, operand.n);
    text[operand.n] = '\0';
    *step = strtoll(text, &end, 0);
    size_t skip = (size_t)(end - text);
    if (operand.n < skip + 3 || *end != '(' || text[operand.n - 1] != ')')
        return false;
    return register_of((struct span){operand.at + skip + 1, operand.n - skip - 2}, &bytes) == counter &&
           bytes == 8;
}

bool step_of(const struct statement *statement, int counter, int64_t *step, int *bytes)
{
    struct span operand[MAX_OPERANDS];
    unsigned n = operands_of(statement->rest, operand);
    if (n == 0 || register_of(operand[n - 1], bytes) != counter || *bytes < 4)
        return false;
    if (n == 1 && span_in(statement->word, "inc incl incq"))
        *step = 1;
    else if (n == 1 && span_in(statement->word, "dec decl decq"))
        *step = -1;
    else if (n == 2 && span_in(statement->word, "add addl addq"))
        return number_of(operand[0], step) && *step != 0;
    else if (n == 2 && span_in(statement->word, "sub subl subq") && number_of(operand[0], step))
        *step = (int64_t) - (uint64_t)*step;
    else if (n == 2 && span_in(statement->word, "lea leal leaq"))
        return step_of_address(operand[0], counter, step) && *step != 0;
    else
        return false;
    return *step != 0;
}

bool jumps_unless_equal(const struct statement *jump)
{
    return span_in(jump->word, "jne jnz");
}

bool order_of(const struct statement *jump, struct order *order)
{
    static const struct {
        const char *words;
        struct order order;
    } orders[] = {
        {"jl jnge", {UNTIL_SIGNED, true, false}},    {"jle jng", {UNTIL_SIGNED, true, true}},
        {"jg jnle", {UNTIL_SIGNED, false, false}},   {"jge jnl", {UNTIL_SIGNED, false, true}},
        {"jb jnae", {UNTIL_UNSIGNED, true, false}},  {"jbe jna", {UNTIL_UNSIGNED, true, true}},
        {"ja jnbe", {UNTIL_UNSIGNED, false, false}}, {"jae jnb", {UNTIL_UNSIGNED, false, true}},
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
    (void)jump;
    return false;
}

/* False: these two are not compared in a way that is known. */
static bool compares(struct span counter, struct span limit, struct comparison *found)
{
    int bytes;
    *found = (struct comparison){.limit = register_of(limit, &bytes)};
    found->counter = register_of(counter, &found->bytes);
    return found->counter != NOWHERE && found->bytes >= 4 &&
           (found->limit != NOWHERE || number_of(limit, &found->number));
}

unsigned comparisons_of(const struct statement *statement, struct comparison found[MOST_COMPARISONS])
{
    static const struct span zero = {"$0", 2};
    struct span operand[MAX_OPERANDS];
    unsigned n = operands_of(statement->rest, operand), two = 0;
    if (n == 2 && span_in(statement->word, "cmp cmpl cmpq")) {
        for (int second = 1; second >= 0; second--)
            if (compares(operand[second], operand[1 - second], &found[two])) {
                found[two].ordered = true;
                found[two++].swapped = second == 0;
            }
        return two;
    }
    if (n == 2 && span_in(statement->word, "test testl testq") && span_same(operand[0], operand[1]))
        return compares(operand[0], zero, found);
    if (n == 0 || !span_in(statement->word, "add addl addq sub subl subq inc incl incq dec decl decq"))
        return 0;
    bool is = compares(operand[n - 1], zero, found);
    found->of_result = true;
    return is;
}

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * About how many bytes an instruction has, by its text: near enough to place loops, and rather too many.
 */
#include "assembler.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static bool is_vector(const struct statement *statement)
{
    return (statement->uses.named >> FIRST_VECTOR) != 0 || span_contains(statement->rest, "mm");
}

/* REX, or what VEX has in its place: for the upper eight registers, and for 64 bits that are no address. */
static unsigned extension(struct span rest)
{
    bool address = false;
    for (size_t i = 0; i + 2 < rest.n; i++) {
        address = rest.at[i] == '(' || (address && rest.at[i] != ')');
        if (rest.at[i] == '%' && rest.at[i + 1] == 'r' &&
            (!address || isdigit((unsigned char)rest.at[i + 2])))
            return 1;
    }
    return span_contains(rest, "mm8") || span_contains(rest, "mm9") || span_contains(rest, "mm1");
}

static bool fits_byte(struct span number)
{
    char *end;
    long value = strtol(number.at, &end, 0);
    return end > number.at && value >= -128 && value < 128;
}

static unsigned memory(struct span operand)
{
    const char *base = memchr(operand.at, '(', operand.n);
    unsigned segment = operand.at[0] == '%' ? 2 : 0;
    if (base == NULL)
        return segment + 4;
    size_t n = operand.n - (size_t)(base - operand.at);
    bool index = memchr(base, ',', n) != NULL || span_contains((struct span){base, n}, "%rsp");
    return segment + index + (base == operand.at ? 0 : fits_byte(operand) ? 1 : 4);
}

static unsigned operand_size(struct span operand)
{
    if (operand.n == 0)
        return 0;
    if (operand.at[0] == '$')
        return fits_byte((struct span){operand.at + 1, operand.n - 1}) ? 1 : 4;
    bool in_memory = operand.at[0] != '%' || memchr(operand.at, ':', operand.n) != NULL;
    return in_memory ? memory(operand) : 0;
}

static unsigned opcode(const struct statement *statement)
{
    struct span word = statement->word;
    unsigned more = extension(statement->rest);
    if (span_contains(statement->rest, "zmm") || span_contains(statement->rest, "{"))
        return 6;
    if (statement->rest.n == 0 || span_starts(word, "push") || span_starts(word, "pop"))
        return 2;
    if (is_vector(statement))
        return 4 + more;
    bool two = span_starts(word, "movz") || (span_starts(word, "movs") && !span_is(word, "movslq")) ||
               span_starts(word, "cmov") || span_starts(word, "set") || span_starts(word, "imul") ||
               span_starts(word, "bt");
    return 2 + two + (more || (word.n > 0 && word.at[word.n - 1] == 'q'));
}

unsigned size_of(const struct statement *statement)
{
    struct span operand[MAX_OPERANDS];
    if (statement->kind != STATEMENT_INSTRUCTION)
        return 8;
    if (statement->effect.flow == FLOW_JUMP || statement->effect.flow == FLOW_BRANCH)
        return 2;
    unsigned n = operands_of(statement->rest, operand), size = opcode(statement);
    for (unsigned i = 0; i < n; i++)
        size += operand_size(operand[i]);
    return size;
}

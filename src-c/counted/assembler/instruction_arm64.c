/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What instructions of A64 do to the flow of control, to the flags and to exclusive accesses of memory. What
 * is not known may do anything but jump.
 */
#include "arm64.h"

#include <string.h>

bool is_prefix(struct span word)
{
    (void)word;
    return false;
}

bool is_call(struct span word)
{
    return span_in(word, "bl blr blraa blraaz blrab blrabz");
}

/* BTI, and PACIASP and PACIBSP, which are one, too, by their names or as hints. */
bool is_landing(const struct statement *statement)
{
    if (span_is(statement->word, "hint"))
        return span_in(statement->rest, "25 27 32 34 36 38 #25 #27 #32 #34 #36 #38");
    return span_in(statement->word, "bti paciasp pacibsp");
}

bool begins_sequence(const struct statement *statement)
{
    return span_is(statement->word, ".tlsdesccall") || span_contains(statement->rest, ":tlsgd") ||
           span_contains(statement->rest, ":tlsld");
}

/* The linker writes over the NOP behind it. */
bool continues_call(const struct statement *call)
{
    return is_call(call->word) && span_starts(call->rest, "__tls_get_addr");
}

bool is_prefix_byte(const struct statement *statement)
{
    (void)statement;
    return false;
}

/* Numbers begin with # elsewhere. */
bool begins_comment(const char *at, bool first)
{
    return (at[0] == '/' && at[1] == '/') || (*at == '#' && first);
}

/* ---------------------------------------------------------------------- flow */

static bool is_condition(struct span name)
{
    return span_in(name,
                   "eq ne cs hs cc lo mi pl vs vc hi ls ge lt gt le al nv none any nlast last first nfrst "
                   "pmore plast tcont tstop");
}

/* b.ne, bne, bc.ne */
static bool is_conditional(struct span word)
{
    size_t skip = span_starts(word, "bc.") ? 3 : span_starts(word, "b.") ? 2 : 1;
    return word.n > skip && word.at[0] == 'b' && is_condition((struct span){word.at + skip, word.n - skip});
}

static bool compares_itself(struct span word)
{
    return span_in(word, "cbz cbnz tbz tbnz");
}

struct span jump_target(const struct statement *statement)
{
    struct span operand[MAX_OPERANDS], word = statement->word;
    unsigned n = operands_of(statement->rest, operand);
    if (n == 0 || !(compares_itself(word) || is_conditional(word) || span_in(word, "b bl")))
        return (struct span){0};
    return operand[n - 1];
}

bool goes_to_helper(const struct statement *jump)
{
    (void)jump;
    return false;
}

bool may_be_redirected(const struct statement *jump)
{
    return jump->word.at == jump->whole.at && jump->effect.flow == FLOW_BRANCH && jump_target(jump).n > 0;
}

size_t reach_of(const struct statement *jump)
{
    if (jump->effect.flow != FLOW_BRANCH)
        return 0;
    return span_in(jump->word, "tbz tbnz") ? 32 << 10 : 1 << 20;
}

static enum flow flow_of(struct span word)
{
    if (span_in(word, "b br braa braaz brab brabz"))
        return FLOW_JUMP;
    if (compares_itself(word) || is_conditional(word))
        return FLOW_BRANCH;
    if (is_call(word) || span_in(word, "svc hvc smc"))
        return FLOW_CALL;
    if (span_in(word, "ret retaa retab eret eretaa eretab"))
        return FLOW_RETURN;
    return span_in(word, "brk hlt udf dcps1 dcps2 dcps3") ? FLOW_STOP : FLOW_NEXT;
}

/* --------------------------------------------------------------------- whole */

static enum exclusive exclusive_of(struct span word)
{
    if (span_in(word, "ldxr ldxrb ldxrh ldxp ldaxr ldaxrb ldaxrh ldaxp"))
        return EXCLUSIVE_BEGINS;
    return span_in(word, "stxr stxrb stxrh stxp stlxr stlxrb stlxrh stlxp clrex") ? EXCLUSIVE_ENDS
                                                                                  : EXCLUSIVE_NOTHING;
}

static bool sets_flags(struct span word)
{
    return span_in(word,
                   "cmp cmn tst adds subs ands bics negs ngcs adcs sbcs ccmp ccmn fcmp fcmpe fccmp fccmpe");
}

static bool reads_flags(const struct statement *statement)
{
    return is_conditional(statement->word) || span_contains(statement->rest, "nzcv") ||
           span_in(statement->word,
                   "adc adcs sbc sbcs ngc ngcs csel csinc csinv csneg cset csetm cinc cinv cneg ccmp ccmn "
                   "fcsel fccmp fccmpe");
}

/* Functions hand no flags on, but what somebody wrote may. */
static uint8_t flags_of_flow(const struct statement *statement, uint8_t flow)
{
    return (flow == FLOW_CALL || flow == FLOW_RETURN) && !statement->assembler ? FLAGS_ALL : 0;
}

struct effect effect_of(const struct statement *statement)
{
    struct effect effect = {.flow = FLOW_NEXT};
    if (statement->kind != STATEMENT_INSTRUCTION || statement->word.n == 0)
        return (struct effect){.flow = FLOW_NEXT, .reads = FLAGS_ALL, .unknown = true};
    effect.flow = flow_of(statement->word);
    effect.kills = sets_flags(statement->word) ? FLAGS_ALL : flags_of_flow(statement, effect.flow);
    effect.exclusive = exclusive_of(statement->word);
    effect.unknown = effect.flow == FLOW_NEXT && !is_known(statement);
    bool unusual = statement->assembler && effect.flow != FLOW_NEXT && effect.flow != FLOW_BRANCH;
    effect.reads = effect.unknown || unusual || reads_flags(statement) ? FLAGS_ALL : 0;
    return effect;
}

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Effects of A64's instructions on the flow of control, the flags and exclusive accesses of memory. What
 * is not known may do anything but jump.
 */
#include "arm64.h"

#include <stdlib.h>
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

/* True for the call of a sequence whose NOP the linker overwrites, too. */
bool continues_call(const struct statement *call)
{
    return is_call(call->word) && span_starts(call->rest, "__tls_get_addr");
}

bool is_prefix_byte(const struct statement *statement)
{
    (void)statement;
    return false;
}

/* True at a comment. Elsewhere than at the beginning of a line, # begins numbers. */
bool begins_comment(const char *at, bool first)
{
    return (at[0] == '/' && at[1] == '/') || (*at == '#' && first);
}

/* ---- flow */

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

/* ---- whole */

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

/* The flags that a call or jump passes on: functions pass none, but code that somebody wrote may. */
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

/* ---- sizes */

unsigned size_of(const struct statement *statement)
{
    return statement->kind == STATEMENT_INSTRUCTION ? 4 : 8;
}

/* ---- jump tables */

/* Jump tables of 64-bit Arm. Their entries are distances in code, in a byte or two where the compiler knows
 * that these suffice; with counters in between they may not, and the assembler does not say so. They are
 * written with four:
 *
 *   ldrb w2, [x2,w0,uxtw]              ldr w2, [x2,w0,uxtw #2]            gcc
 *   adr  x0, .Lrtx4                    adr x0, .Lrtx4
 *   add  x2, x0, w2, sxtb #2           add x2, x0, w2, sxtw #2
 *   br   x2                            br x2
 *   ...                                ...
 *   .byte (.L28 - .Lrtx4) / 4          .word (.L28 - .Lrtx4) / 4
 *
 *   adr  x14, .LBB9_2                  adr  x14, .LBB9_2                  LLVM
 *   ldrb w15, [x10, x13]               ldr  w15, [x10, x13, lsl #2]
 *   add  x14, x14, x15, lsl #2         add  x14, x14, x15, lsl #2
 *   br   x14                           br   x14
 *   ...                                ...
 *   .byte (.LBB9_5-.LBB9_2)>>2         .word (.LBB9_5-.LBB9_2)>>2 */

struct writer {
    FILE *out;
    const char *at;    /* text that has not been written yet */
    struct span *base; /* of the tables whose loads were written anew */
    size_t n_bases;
};

static void replace(struct writer *writer, struct span old, const char *new)
{
    fwrite(writer->at, 1, (size_t)(old.at - writer->at), writer->out);
    fputs(new, writer->out);
    writer->at = old.at + old.n;
}

static struct span found(struct span in, const char *text)
{
    const char *at = in.n > 0 ? memmem(in.at, in.n, text, strlen(text)) : NULL;
    return at != NULL ? (struct span){at, strlen(text)} : (struct span){0};
}

static void note_base(struct writer *writer, const struct statement *adr)
{
    struct span base;
    span_cut(adr->rest, ',', &base);
    writer->base = grown(writer->base, writer->n_bases, sizeof *writer->base);
    writer->base[writer->n_bases++] = base;
}

/* ---- loads */

/* True if a jump table of gcc's is widened. It is one piece to its compiler, in which nothing else is. */
static bool widens_gcc(struct writer *writer, const struct statement *load)
{
    bool bytes = span_is(load->word, "ldrb");
    struct span scale = found(load->rest, bytes ? "uxtw]" : "uxtw #1]");
    struct span extension = found(load[2].rest, bytes ? "sxtb #2" : "sxth #2");
    if (scale.n == 0 || extension.n == 0 || !span_is(load[1].word, "adr") ||
        !span_contains(load[1].rest, ".Lrtx") || !span_is(load[2].word, "add"))
        return false;
    note_base(writer, &load[1]);
    replace(writer, load->word, "ldr");
    replace(writer, scale, "uxtw #2]");
    replace(writer, extension, "sxtw #2");
    return true;
}

static bool widens_llvm(struct writer *writer, const struct statement *load)
{
    struct span scale = found(load->rest, span_is(load->word, "ldrb") ? "]" : ", lsl #1]");
    if (scale.n == 0 || !span_is(load[-1].word, "adr") || !span_contains(load[-1].rest, ".LBB") ||
        !span_is(load[1].word, "add") || !span_contains(load[1].rest, "lsl #2"))
        return false;
    note_base(writer, &load[-1]);
    replace(writer, load->word, "ldr");
    replace(writer, scale, ", lsl #2]");
    return true;
}

static void widen_load(struct writer *writer, const struct source *source, size_t at)
{
    const struct statement *load = &source->statement[at];
    if (load->assembler || !span_in(load->word, "ldrb ldrh") || at == 0)
        return;
    if (at + 3 < source->n && span_is(load[3].word, "br") && widens_gcc(writer, load))
        return;
    if (at + 2 < source->n && span_is(load[2].word, "br"))
        widens_llvm(writer, load);
}

/* ---- entries */

/* (.L28 - .Lrtx4) / 4, behind the load from this table. */
static bool is_entry(const struct writer *writer, const struct statement *statement)
{
    struct span rest, base;
    span_cut(statement->rest, '-', &base);
    base = span_cut(base, ')', &rest);
    bool known = false;
    for (size_t i = writer->n_bases; i-- > 0 && !known;)
        known = span_same(base, writer->base[i]);
    return known && span_starts(statement->rest, "(.L");
}

/* True for a distance between labels of code. */
static bool is_distance(const struct statement *statement)
{
    return span_contains(statement->rest, "-.L") || span_contains(statement->rest, "- .L");
}

static bool is_narrow(const struct source *source, const struct statement *statement)
{
    return statement->kind == STATEMENT_DIRECTIVE && !source->section[statement->section].debug &&
           span_in(statement->word, ".byte .hword .2byte .short");
}

static void refuse(struct source *source, const struct statement *statement)
{
    if (source->why != NULL)
        return;
    source->why = "a jump table whose entries have one or two bytes: -fno-jump-tables makes none";
    source->why_line = statement->line;
}

char *tables_widened(struct source *source, size_t *size)
{
    char *text = NULL;
    struct writer writer = {.out = open_memstream(&text, size), .at = source->text};
    or_end(writer.out);
    for (size_t i = 0; i < source->n; i++) {
        const struct statement *statement = &source->statement[i];
        if (statement->kind == STATEMENT_INSTRUCTION)
            widen_load(&writer, source, i);
        else if (!is_narrow(source, statement))
            continue;
        else if (is_entry(&writer, statement))
            replace(&writer, statement->word, ".word");
        else if (is_distance(statement))
            refuse(source, statement);
    }
    fwrite(writer.at, 1, (size_t)(source->text + source->size - writer.at), writer.out);
    or_end(fclose(writer.out) == 0 ? text : NULL);
    free(writer.base);
    return text;
}

/* ---- steps */

/* Instructions of A64 that add a number to a register, or compare registers. */

/* Reads a number as assembly has it: 8, #8, #-0x8. */
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

/* Finds the comparison of two operands. False: it is not of a known form. */
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

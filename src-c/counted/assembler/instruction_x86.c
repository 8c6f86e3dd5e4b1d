/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Effects of x86's instructions on the flow of control and the flags, by their names in AT&T syntax. What is
 * not known reads all flags and writes none: that is always right, and only keeps counters away.
 */
#include "assembler.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

bool is_prefix(struct span word)
{
    return span_in(word,
                   "rep repe repz repne repnz lock data16 addr32 notrack bnd xacquire xrelease "
                   "rex rex64 rex.w cs ds es fs gs ss data32 rex.W {vex} {vex3} {evex} {disp8} {disp32}");
}

bool is_call(struct span word)
{
    return span_starts(word, "call");
}

bool is_landing(const struct statement *statement)
{
    return span_is(statement->word, "endbr64");
}

bool begins_sequence(const struct statement *statement)
{
    return span_contains(statement->rest, "@tlsgd") || span_contains(statement->rest, "@tlsld");
}

bool continues_call(const struct statement *call)
{
    (void)call;
    return false;
}

bool is_prefix_byte(const struct statement *statement)
{
    return (span_is(statement->word, ".byte") && span_is(statement->rest, "0x66")) ||
           (span_in(statement->word, ".value .word") && span_is(statement->rest, "0x6666"));
}

bool begins_comment(const char *at, bool first)
{
    (void)first;
    return *at == '#';
}

struct span jump_target(const struct statement *statement)
{
    struct span rest;
    if (statement->rest.n == 0 || statement->rest.at[0] == '*')
        return (struct span){0};
    return span_cut(statement->rest, '@', &rest);
}

/* __x86_indirect_thunk_r11 */
bool goes_to_helper(const struct statement *jump)
{
    return span_contains(jump->rest, "__x86");
}

bool may_be_redirected(const struct statement *jump)
{
    return jump->word.at == jump->whole.at && jump->word.at[0] == 'j' && !span_contains(jump->word, "cxz");
}

/* 0: the assembler chooses a form of the jump that reaches. */
size_t reach_of(const struct statement *jump)
{
    (void)jump;
    return 0;
}

static const struct condition {
    const char *names;
    uint8_t reads;
} conditions[] = {
    {"o no", FLAG_O},
    {"b c nae ae nb nc", FLAG_C},
    {"e z ne nz", FLAG_Z},
    {"be na a nbe", FLAG_C | FLAG_Z},
    {"s ns", FLAG_S},
    {"p pe np po", FLAG_P},
    {"l nge ge nl", FLAG_S | FLAG_O},
    {"le ng g nle", FLAG_Z | FLAG_S | FLAG_O},
};

/* The flags that a condition reads, by its name; 0: it is not a condition. */
static uint8_t condition_reads(struct span name)
{
    for (size_t i = 0; i < sizeof conditions / sizeof *conditions; i++)
        if (span_in(name, conditions[i].names))
            return conditions[i].reads;
    return 0;
}

static struct span behind(struct span word, size_t n)
{
    return (struct span){word.at + n, word.n - n};
}

static struct span without_size(struct span word)
{
    if (word.n > 2 && strchr("bwlq", word.at[word.n - 1]) != NULL)
        word.n--;
    return word;
}

/* ---- flow */

static bool flow_of(struct span word, struct effect *effect)
{
    struct span rest;
    word = span_cut(word, ',', &rest); /* jne,pt */
    if (span_in(word, "jmp jmpq jmpw ljmp ljmpq"))
        effect->flow = FLOW_JUMP;
    else if (span_in(word, "jcxz jecxz jrcxz loop loopq loopl"))
        effect->flow = FLOW_BRANCH;
    else if (span_in(word, "loope loopz loopne loopnz"))
        *effect = (struct effect){.flow = FLOW_BRANCH, .reads = FLAG_Z};
    else if (span_in(word, "call callq lcall lcallq"))
        effect->flow = FLOW_CALL;
    else if (span_in(word, "syscall sysenter int int3 xbegin xabort"))
        *effect = (struct effect){.flow = FLOW_CALL, .reads = FLAGS_ALL};
    else if (span_in(word, "ret retq retw retf lret lretq iret iretq sysret sysretq sysexit"))
        effect->flow = FLOW_RETURN;
    else if (span_in(word, "ud2 ud0 ud1 ud2a hlt"))
        effect->flow = FLOW_STOP;
    else if (word.n > 1 && word.at[0] == 'j' && condition_reads(behind(word, 1)) != 0)
        *effect = (struct effect){.flow = FLOW_BRANCH, .reads = condition_reads(behind(word, 1))};
    else
        return false;
    return true;
}

/* ---- flags */

static const struct flags {
    const char *words; /* without the letter of their size */
    uint8_t reads, kills;
} table[] = {
    {"add sub cmp test and or xor neg mul imul div idiv xadd cmpxchg bsf bsr popcnt lzcnt tzcnt andn blsr "
     "blsi "
     "blsmsk bextr bzhi ptest vptest vtestps vtestpd comiss comisd ucomiss ucomisd vcomiss vcomisd vucomiss "
     "vucomisd kortestb kortestw kortestd kortestq ktestb ktestw ktestd ktestq",
     0, FLAGS_ALL},
    {"inc dec", 0, FLAGS_ALL & ~FLAG_C},
    {"adc sbb", FLAG_C, FLAGS_ALL},
    {"adcx rcl rcr cmc", FLAG_C, 0},
    {"adox", FLAG_O, 0},
    {"clc stc bt bts btr btc", 0, FLAG_C},
    {"lahf", FLAGS_ALL & ~FLAG_O, 0},
    {"sahf", 0, FLAGS_ALL & ~FLAG_O},
    {"mov movabs movs movz movsx movzx movbe lea push pop nop not xchg bswap leave cqto cltq cltd cwtl cwtd "
     "cbtw "
     "cdq cqo cdqe endbr64 prefetcht0 prefetcht1 prefetcht2 prefetchnta prefetchw prefetch lfence mfence "
     "sfence "
     "pause mulx rorx sarx shlx shrx pdep pext cpuid rdtsc rdtscp xgetbv stos movsb movsw movsl movsq movslq "
     "movsbl movsbw movsbq movswl movswq movzbl movzbw movzbq movzwl movzwq lods cld std rdfsbase wrfsbase "
     "emms "
     "vzeroupper vzeroall ldmxcsr stmxcsr vldmxcsr vstmxcsr clflush clflushopt clwb crc32 movnti rol ror "
     "cmps "
     "scas cmpsb scasb",
     0, 0},
};

static bool in_table(struct span word, struct effect *effect)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (span_in(word, table[i].words) || span_in(without_size(word), table[i].words)) {
            effect->reads = table[i].reads;
            effect->kills = table[i].kills;
            return true;
        }
    return false;
}

/* True for shifts, with their effect. One by a number that is not 0, or by 1 that is not written, sets all
 * flags; one by a register may set none. */
static bool is_shift(const struct statement *statement, struct effect *effect)
{
    if (!span_in(without_size(statement->word), "shl shr sar sal shld shrd"))
        return false;
    struct span rest = statement->rest;
    bool one = memchr(rest.at, ',', rest.n) == NULL;
    bool number = rest.n > 1 && rest.at[0] == '$' && rest.at[1] >= '1' && rest.at[1] <= '9';
    effect->kills = one || number ? FLAGS_ALL : 0;
    return true;
}

static bool reads_condition(struct span word, struct effect *effect)
{
    size_t skip = span_starts(word, "set") ? 3 : span_starts(word, "cmov") ? 4 : 0;
    if (skip == 0)
        return false;
    uint8_t reads = condition_reads(behind(word, skip));
    if (reads == 0 && word.n > skip)
        reads = condition_reads((struct span){word.at + skip, word.n - skip - 1});
    effect->reads = reads != 0 ? reads : FLAGS_ALL;
    return true;
}

static bool has_vector_register(struct span rest)
{
    for (size_t i = 0; i + 2 < rest.n; i++)
        if (rest.at[i] == '%' && (strchr("xyz", rest.at[i + 1]) != NULL || rest.at[i + 1] == 'k' ||
                                  (rest.at[i + 1] == 'm' && rest.at[i + 2] == 'm')))
            return true;
    return false;
}

/* True for instructions of units that take no flags. Those that set them are in the table, or are taken for
 * ones that do not. */
static bool keeps_flags(const struct statement *statement)
{
    struct span word = statement->word;
    return has_vector_register(statement->rest) || (word.at[0] == 'f' && !span_starts(word, "fcmov"));
}

/* True for comparisons of strings. A repeated one sets no flags where it has no bytes to compare. */
static bool compares_strings(struct span word)
{
    return span_in(word, "cmps cmpsb cmpsw cmpsl cmpsq scas scasb scasw scasl scasq");
}

struct effect effect_of(const struct statement *statement)
{
    struct effect effect = {.flow = FLOW_NEXT};
    if (statement->kind == STATEMENT_PREFIX)
        return effect;
    if (statement->kind != STATEMENT_INSTRUCTION || statement->word.n == 0)
        return (struct effect){.flow = FLOW_NEXT, .reads = FLAGS_ALL, .unknown = true};
    bool flows = flow_of(statement->word, &effect);
    if (flows && effect.flow != FLOW_BRANCH && statement->assembler) /* by a convention of its own */
        effect.reads = FLAGS_ALL;
    else if (flows && effect.flow != FLOW_BRANCH && effect.reads == 0)
        effect.kills = FLAGS_ALL;
    effect.unknown = compares_strings(statement->word);
    if (flows || is_prefix(statement->word) || in_table(statement->word, &effect) ||
        is_shift(statement, &effect) || reads_condition(statement->word, &effect) || keeps_flags(statement))
        return effect;
    return (struct effect){.flow = FLOW_NEXT, .reads = FLAGS_ALL, .unknown = true};
}

/* ---- sizes */

/* An estimate of the bytes of an instruction, from its text: near enough to place loops, and rather too many.
 */

static bool is_vector(const struct statement *statement)
{
    return (statement->uses.named >> FIRST_VECTOR) != 0 || span_contains(statement->rest, "mm");
}

/* The byte of REX, or what VEX has in its place: for the upper eight registers, and for 64 bits that are not
 * an address. */
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

/* ---- jump tables */

/* Jump tables of x86 have room for all distances. */

char *tables_widened(struct source *source, size_t *size)
{
    (void)source, (void)size;
    return NULL;
}

/* ---- steps */

/* Instructions of x86 that add a number to a register, or compare registers. */

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

/* Finds the comparison of two operands. False: it is not of a known form. */
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

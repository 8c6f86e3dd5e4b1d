/* SPDX-License-Identifier: BSD-3-Clause
 *
 * General registers that an instruction of A64 reads and writes, by its operands as they are written: the
 * first one is written, and others are read. Those of vectors and SVE have bits, too, and are never taken for
 * free.
 */
#include "arm64.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { STACK = 31, LINK = 30, FRAME = 29, GENERAL = 31 };

#define ARGUMENTS (UINT64_C(0x1ff) | REGISTER(15) | REGISTER(18) | UINT64_C(0xff) << FIRST_VECTOR)

/* The registers of 64-bit Arm. X16 and X17 are the linker's in all calls: whoever calls does not expect them
 * to stay as they are. */
const struct processor processor = {
    .arguments = ARGUMENTS,
    .returned = UINT64_C(0x1ff) | UINT64_C(0xff) << FIRST_VECTOR,
    .changed_by_calls = UINT64_C(0x3ffff),
    .changed_always = REGISTER(16) | REGISTER(17),
    .momentary = REGISTER(14) | REGISTER(16) | REGISTER(17),
    .carries = UINT64_C(0xbfff),
    .preferred = {17, 16, 14, 15, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0},
    .n_preferred = 18,
    .for_counter = {2, 2, 3},
    .for_trip = {3, 3, 4},
    .keeps_flags = true,
    .carries_any_slots = true,
};

/* ---- names */

static const char *const names[2][GENERAL] = {
    {"x0",  "x1",  "x2",  "x3",  "x4",  "x5",  "x6",  "x7",  "x8",  "x9",  "x10",
     "x11", "x12", "x13", "x14", "x15", "x16", "x17", "x18", "x19", "x20", "x21",
     "x22", "x23", "x24", "x25", "x26", "x27", "x28", "x29", "x30"},
    {"w0",  "w1",  "w2",  "w3",  "w4",  "w5",  "w6",  "w7",  "w8",  "w9",  "w10",
     "w11", "w12", "w13", "w14", "w15", "w16", "w17", "w18", "w19", "w20", "w21",
     "w22", "w23", "w24", "w25", "w26", "w27", "w28", "w29", "w30"},
};

const char *register_name(int number, int bytes)
{
    return names[bytes == 8 ? 0 : 1][number];
}

/* The number behind a letter, up to a highest one; NOWHERE: it is not that. */
static int number_behind(struct span name, int highest)
{
    int number = 0;
    for (size_t i = 1; i < name.n && name.n < 4; i++) {
        if (!isdigit((unsigned char)name.at[i]))
            return NOWHERE;
        number = 10 * number + name.at[i] - '0';
    }
    return name.n > 1 && name.n < 4 && number <= highest ? number : NOWHERE;
}

static int other_name(struct span name)
{
    static const struct {
        const char *name;
        int number;
    } others[] = {{"lr", LINK}, {"fp", FRAME}, {"ip0", 16}, {"ip1", 17}};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (span_is(name, others[i].name))
            return others[i].number;
    return NOWHERE;
}

int register_of(struct span operand, int *bytes)
{
    if (operand.n == 0)
        return NOWHERE;
    char letter = (char)tolower((unsigned char)operand.at[0]);
    *bytes = letter == 'w' ? 4 : 8;
    return letter == 'w' || letter == 'x' ? number_behind(operand, LINK) : other_name(operand);
}

/* v3, v3.4s, d3 */
static int vector_of(struct span operand)
{
    struct span rest;
    operand = span_cut(operand, '.', &rest);
    if (operand.n == 0 || strchr("vqdshbz", tolower((unsigned char)operand.at[0])) == NULL)
        return NOWHERE;
    int number = number_behind(operand, 31);
    return number != NOWHERE ? FIRST_VECTOR + number : NOWHERE;
}

static int bit_of(struct span name)
{
    int bytes, number = register_of(name, &bytes);
    if (number != NOWHERE)
        return number;
    return span_in(name, "sp wsp") ? STACK : vector_of(name);
}

static bool in_name(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '.' || c == '$';
}

/* The registers that a text names. Of v0.4s-v3.4s those between are used, too, but nobody asks for
 * vectors. */
static uint64_t mentioned(struct span text)
{
    uint64_t set = 0;
    for (size_t i = 0, n; i < text.n; i += n) {
        for (n = 0; i + n < text.n && in_name(text.at[i + n]); n++)
            ;
        int found = n > 0 ? bit_of((struct span){text.at + i, n}) : NOWHERE;
        if (found != NOWHERE)
            set |= REGISTER(found);
        n += n == 0;
    }
    return set;
}

/* ---- instructions */

enum pattern {
    PATTERN_UNKNOWN,
    PATTERN_READS,   /* writes no general register */
    PATTERN_WRITES,  /* writes the first operand whole */
    PATTERN_WRITES2, /* the first two */
    PATTERN_CHANGES, /* reads and writes the first operand */
    PATTERN_ANY,     /* may write all that it names */
};

static const struct {
    const char *words;
    enum pattern pattern;
} patterns[] = {
    {"mov movz movn mvn adr adrp add adds sub subs neg negs ngc ngcs adc adcs sbc sbcs and ands orr orn eor "
     "eon bic bics "
     "lsl lsr asr ror lslv lsrv asrv rorv extr mul mneg madd msub smull umull smaddl umaddl smsubl umsubl "
     "smnegl umnegl "
     "smulh umulh udiv sdiv csel csinc csinv csneg cset csetm cinc cinv cneg sxtb sxth sxtw uxtb uxth uxtw "
     "ubfx sbfx "
     "ubfiz sbfiz ubfm sbfm clz cls rbit rev rev16 rev32 rev64 fmov umov smov mrs fcvtas fcvtau fcvtms "
     "fcvtmu fcvtns "
     "fcvtnu fcvtps fcvtpu fcvtzs fcvtzu fjcvtzs crc32b crc32h crc32w crc32x crc32cb crc32ch crc32cw crc32cx",
     PATTERN_WRITES},
    {"ldr ldrb ldrh ldrsb ldrsh ldrsw ldur ldurb ldurh ldursb ldursh ldursw ldtr ldtrb ldtrh ldtrsb ldtrsh "
     "ldtrsw ldar "
     "ldarb ldarh ldapr ldaprb ldaprh ldapur ldlar ldxr ldxrb ldxrh ldaxr ldaxrb ldaxrh stxr stxrb stxrh "
     "stlxr stlxrb "
     "stlxrh stxp stlxp",
     PATTERN_WRITES},
    {"ldp ldnp ldpsw ldxp ldaxp", PATTERN_WRITES2},
    {"movk bfi bfxil bfm bfc", PATTERN_CHANGES},
    {"str strb strh stur sturb sturh sttr sttrb sttrh stlr stlrb stlrh stlur stllr stp stnp prfm prfum cmp "
     "cmn tst ccmp "
     "ccmn fcmp fcmpe fccmp fccmpe nop bti dmb dsb isb yield wfe wfi sev sevl csdb sb ssbb esb clrex msr dc "
     "ic hlt brk "
     "stadd staddl stset stclr steor stset",
     PATTERN_READS},
    {"b br braa braaz brab brabz cbz cbnz tbz tbnz ret", PATTERN_READS},
    {"ldadd ldadda ldaddl ldaddal ldset ldseta ldsetl ldsetal ldclr ldclra ldclrl ldclral ldeor ldeora "
     "ldeorl ldeoral swp "
     "swpa swpl swpal cas casa casl casal casp caspa caspl caspal ldaddb ldaddab ldaddlb ldaddalb swpb swpab "
     "swplb swpalb "
     "casb casab caslb casalb",
     PATTERN_ANY},
};

/* True for the signing of pointers: of X30, or of X17 by X16. */
static bool is_signing(struct span word)
{
    return span_in(
        word, "hint paciasp pacibsp autiasp autibsp paciaz pacibz autiaz autibz xpaclri pacia1716 pacib1716 "
              "autia1716 autib1716 retaa retab");
}

static enum pattern pattern_of(const struct statement *statement)
{
    struct span operand[MAX_OPERANDS];
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++)
        if (span_in(statement->word, patterns[i].words))
            return patterns[i].pattern;
    /* An unknown instruction whose first operand is a vector writes no general register. */
    unsigned n = operands_of(statement->rest, operand);
    bool vector = n > 0 && (vector_of(operand[0]) != NOWHERE || operand[0].at[0] == '{');
    return vector ? PATTERN_READS : PATTERN_UNKNOWN;
}

bool is_known(const struct statement *statement)
{
    return is_signing(statement->word) || pattern_of(statement) != PATTERN_UNKNOWN;
}

/* The base that an address changes: [x0], 8 and [x0, 8]!. */
static uint64_t changed_base(unsigned n, const struct span *operand)
{
    for (unsigned i = 0; i < n; i++)
        if (operand[i].at[0] == '[' && (i + 1 < n || operand[i].at[operand[i].n - 1] == '!')) {
            struct span rest, base = span_cut((struct span){operand[i].at + 1, operand[i].n - 1}, ',', &rest);
            base.n = strcspn(base.at, ",]") < base.n ? strcspn(base.at, ",]") : base.n;
            return mentioned(base);
        }
    return 0;
}

static uint64_t general_of(struct span operand)
{
    int bytes, number = register_of(operand, &bytes);
    return number != NOWHERE ? REGISTER(number) : 0;
}

/* The uses of an instruction that writes its first operands, so many, whole from the others. */
static struct uses written(unsigned many, unsigned n, const struct span *operand)
{
    struct uses uses = {0};
    for (unsigned i = 0; i < n; i++)
        if (i < many)
            uses.kills |= general_of(operand[i]);
        else
            uses.reads |= mentioned(operand[i]);
    uses.may = uses.writes = uses.kills;
    return uses;
}

static struct uses uses_by_pattern(const struct statement *statement)
{
    struct span operand[MAX_OPERANDS];
    unsigned n = operands_of(statement->rest, operand);
    enum pattern pattern = pattern_of(statement);
    uint64_t all = mentioned(statement->rest), base = changed_base(n, operand);
    struct uses uses = {.reads = all};
    if (pattern == PATTERN_WRITES || pattern == PATTERN_WRITES2)
        uses = written(pattern == PATTERN_WRITES ? 1 : 2, n, operand);
    else if (pattern == PATTERN_CHANGES && n > 0)
        uses.may = uses.writes = general_of(operand[0]);
    else if (pattern == PATTERN_ANY)
        uses.may = uses.writes = all;
    uses.reads |= base;
    uses.may |= base;
    uses.writes |= base;
    uses.kills &= ~base;
    return uses;
}

/* True for code that somebody wrote, which may have a convention of its own. */
static bool is_unusual(const struct statement *statement)
{
    uint8_t flow = statement->effect.flow;
    return statement->assembler && flow != FLOW_NEXT && flow != FLOW_BRANCH;
}

struct uses uses_of(const struct statement *statement)
{
    if (statement->kind != STATEMENT_INSTRUCTION || statement->effect.unknown || is_unusual(statement))
        return (struct uses){.reads = REGISTERS_ALL, .may = REGISTERS_ALL, .named = REGISTERS_ALL};
    uint64_t named = mentioned(statement->rest);
    if (is_signing(statement->word)) {
        uint64_t signing = REGISTER(16) | REGISTER(17) | REGISTER(LINK) | REGISTER(STACK);
        return (struct uses){.reads = named | signing, .may = signing, .named = named | signing};
    }
    if (statement->effect.flow == FLOW_CALL)
        return (struct uses){
            .reads = ARGUMENTS | REGISTER(STACK) | named, .may = REGISTERS_ALL, .named = named};
    struct uses uses = uses_by_pattern(statement);
    uses.named = named;
    return uses;
}

bool restores_registers(const struct statement *statement)
{
    (void)statement;
    return false;
}

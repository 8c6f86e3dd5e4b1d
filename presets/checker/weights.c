/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Floating-point presets by the masks of their events: which instructions a mask counts, and how often each,
 * its maker says; so the sum is known that a definition has to give for made-up numbers of instructions.
 */
#include "checker.h"
#include "papi.h"

#include <linux/perf_event.h>
#include <string.h>
#include <strings.h>

enum precision { HALF, BFLOAT, SINGLE, DOUBLE, X87, PRECISIONS };
enum type { ADD, MULTIPLY, DIVIDE, FUSED, COMPLEX /* of half precision, scalar */, TYPES };
enum { SCALAR, WIDTHS = 4 }; /* the others: 128, 256, 512 bits */

/* Instructions of a kind. */
struct kind {
    enum precision precision;
    int width;
    enum type type;
    bool scalable; /* SVE's, whose vectors have the length of the core's */
};

enum { N_KINDS = PRECISIONS * WIDTHS * TYPES * 2 };

static struct kind kind_of(int i)
{
    return (struct kind){.precision = (enum precision)(i % PRECISIONS),
                         .width = i / PRECISIONS % WIDTHS,
                         .type = (enum type)(i / PRECISIONS / WIDTHS % TYPES),
                         .scalable = i / PRECISIONS / WIDTHS / TYPES};
}

static int lanes(const struct kind *k)
{
    static const int bits[PRECISIONS] = {
        [HALF] = 16, [BFLOAT] = 16, [SINGLE] = 32, [DOUBLE] = 64, [X87] = 80};
    return k->width == SCALAR ? 1 : (64 << k->width) / bits[k->precision];
}

static int operations(const struct kind *k)
{
    return lanes(k) * (k->type == FUSED || k->type == COMPLEX ? 2 : 1);
}

/* True for kinds that exist: x87's are scalar and never fused, bfloat16's products are sums, too. */
static bool exists(const struct kind *k)
{
    if (k->precision == X87 && (k->width != SCALAR || k->type > DIVIDE))
        return false;
    if (k->precision == BFLOAT && (k->width == SCALAR || k->type != FUSED))
        return false;
    return k->type != COMPLEX || (k->precision == HALF && k->width == SCALAR);
}

/* ---- what an event counts: how often it counts one instruction; -1: its weights are not known. */

typedef int weigher(unsigned event, unsigned mask, const struct kind *k);

/* FP_ARITH_INST_RETIRED, whose bits are precision and width; a multiply-add counts twice. */
static int big_intel(unsigned event, unsigned mask, const struct kind *k)
{
    int times = k->type == FUSED ? 2 : 1;
    if (event == 0xc7 && (k->precision == SINGLE || k->precision == DOUBLE))
        return mask >> (2 * k->width + (k->precision == SINGLE)) & 1 ? times : 0;
    if (event == 0xcf && k->precision == HALF)
        return mask >> (k->width + (k->width > 0 || k->type == COMPLEX)) & 1 ? times : 0;
    return event == 0xc7 || event == 0xcf ? 0 : -1;
}

/* FP_INST_RETIRED counts instructions once; FP_FLOPS_RETIRED operations. Vectors have at most 256 bits. */
static int small_intel(unsigned event, unsigned mask, const struct kind *k)
{
    bool counted = (k->precision == SINGLE || k->precision == DOUBLE) && k->width < 3;
    if (event == 0xc7)
        return counted ? mask >> (2 * k->width + (k->precision == DOUBLE)) & 1 : 0;
    if (event == 0xc8)
        return counted && mask >> (k->precision == SINGLE) & 1 ? operations(k) : 0;
    return -1;
}

/* FP_COMP_OPS_EXE and SIMD_FP_256 of Sandy Bridge, which has no multiply-adds. */
static int sandy_bridge(unsigned event, unsigned mask, const struct kind *k)
{
    unsigned bit = 0;
    if (event != 0x10 && event != 0x11)
        return -1;
    if ((k->precision != SINGLE && k->precision != DOUBLE) || k->type == FUSED)
        return 0;
    bool single = k->precision == SINGLE;
    if (event == 0x10)
        bit = k->width == SCALAR ? (single ? 0x20 : 0x80) : k->width == 1 ? (single ? 0x40 : 0x10) : 0;
    else
        bit = k->width == 2 ? (single ? 0x01 : 0x02) : 0;
    return (mask & bit) != 0;
}

/* SIMD_COMP_INST_RETIRED of Core 2 and Bonnell. */
static int core2(unsigned event, unsigned mask, const struct kind *k)
{
    static const unsigned bits[2][2] = {{0x02, 0x01}, {0x08, 0x04}};
    if (event != 0xca)
        return -1;
    bool counted = (k->precision == SINGLE || k->precision == DOUBLE) && k->width < 2 && k->type != FUSED;
    return counted && (mask & bits[k->precision == DOUBLE][k->width]);
}

/* Retired x87 operations: a bit for each type. */
static int amd_x87(unsigned event, unsigned mask, const struct kind *k)
{
    if (event != 0x02 && event != 0x11 && event != 0x1c0)
        return -1;
    return k->precision == X87 ? mask >> k->type & 1 : 0;
}

/* Family 10h: bits for type and precision; with 0x40 operations, without micro-operations of unit bits. */
static int amd_of_unit(unsigned event, unsigned mask, const struct kind *k, int unit)
{
    if (event != 0x03)
        return amd_x87(event, mask, k);
    bool counted = (k->precision == SINGLE || k->precision == DOUBLE) && k->type <= DIVIDE && k->width < 2;
    if (!counted || !(mask >> (k->type + 3 * (k->precision == DOUBLE)) & 1))
        return 0;
    return mask & 0x40 ? operations(k) : k->width == SCALAR ? 1 : 128 / unit;
}

static int amd_family_10h(unsigned event, unsigned mask, const struct kind *k)
{
    return amd_of_unit(event, mask, k, 128);
}

static int amd_bobcat(unsigned event, unsigned mask, const struct kind *k)
{
    return amd_of_unit(event, mask, k, 64);
}

/* Jaguar, Bulldozer, Zen 1: the lower four bits for types of single precision, the upper ones of double. */
static int amd_by_precision(unsigned event, unsigned mask, const struct kind *k)
{
    if (event != 0x03)
        return amd_x87(event, mask, k);
    bool counted = (k->precision == SINGLE || k->precision == DOUBLE) && k->type <= FUSED && k->width < 3;
    return counted && mask >> (k->type + 4 * (k->precision == DOUBLE)) & 1 ? operations(k) : 0;
}

/* Zen 2, 3 and 4: a bit for each type, of both precisions; on Zen 4 one of bfloat16. */
static int amd_by_type(unsigned event, unsigned mask, const struct kind *k)
{
    if (event != 0x03)
        return amd_x87(event, mask, k);
    if (k->precision == BFLOAT)
        return mask & 0x10 ? operations(k) : 0;
    bool counted = (k->precision == SINGLE || k->precision == DOUBLE) && k->type <= FUSED;
    return counted && mask >> k->type & 1 ? operations(k) : 0;
}

/* Zen 5 and 6: bits for types, and a number for the precision: 0 any, 1 bfloat16, 2 and 3 single, scalar and
 * packed, 4 and 5 double. */
static int amd_by_number(unsigned event, unsigned mask, const struct kind *k)
{
    if (event != 0x03)
        return amd_x87(event, mask, k);
    unsigned precision = mask >> 5, own = k->width == SCALAR ? 0 : 1;
    own += k->precision == SINGLE ? 2 : k->precision == DOUBLE ? 4 : 0;
    if (k->precision == BFLOAT)
        return precision == 1 && mask & 8 ? operations(k) : 0;
    bool counted = (k->precision == SINGLE || k->precision == DOUBLE) && k->type <= FUSED;
    return counted && mask >> k->type & 1 && (precision == 0 || precision == own) ? operations(k) : 0;
}

/* Arm's events have no masks: their numbers say what they count. Those of SVE count by 128 bits. */
static int arm(unsigned event, unsigned mask, const struct kind *k)
{
    static const int of_pair[] = {-1, HALF, SINGLE, DOUBLE};
    bool counted = (k->precision == HALF || k->precision == SINGLE || k->precision == DOUBLE) &&
                   k->type <= FUSED && (k->scalable ? k->width > 0 : k->width < 2);
    (void)mask;
    if (event == 0x8014 || event == 0x8018 || event == 0x801c)
        return counted && k->precision == (event == 0x8014 ? HALF : event == 0x8018 ? SINGLE : DOUBLE);
    if (event < 0x80c0 || event > 0x80c7)
        return -1;
    int precision = of_pair[(event - 0x80c0) / 2];
    if (!counted || k->scalable != !(event & 1) ||
        (precision >= 0 && k->precision != (enum precision)precision))
        return 0;
    return k->scalable ? operations(k) * 2 / (1 << k->width) : operations(k);
}

static bool begins(const char *name, const char *with)
{
    return strncmp(name, with, strlen(with)) == 0;
}

static weigher *amd_weigher(const struct cpu *cpu)
{
    static const struct {
        const char *name;
        weigher *weigher;
    } names[] = {{"amd64_fam10h", amd_family_10h},
                 {"amd64_fam12h", amd_family_10h},
                 {"amd64_fam14h", amd_bobcat},
                 {"amd64_fam15h", amd_by_precision},
                 {"amd64_fam16h", amd_by_precision},
                 {"amd64_fam17h_zen2", amd_by_type},
                 {"amd64_fam17h", amd_by_precision},
                 {"x86:HygonGenuine", amd_by_precision},
                 {"amd64_fam19h", amd_by_type},
                 {"x86:AuthenticAMD:0x19", amd_by_type},
                 {"x86:AuthenticAMD:0x1a", amd_by_number}};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (begins(cpu->name, names[i].name))
            return names[i].weigher;
    return NULL;
}

static weigher *intel_weigher(const struct cpu *cpu)
{
    static const char *const big[] = {"bdw", "skl", "skx", "clx", "icl", "icx", "spr"};
    int model = cpu->core.id.model;
    for (size_t i = 0; i < sizeof big / sizeof big[0]; i++)
        if (begins(cpu->name, big[i]))
            return big_intel;
    if (begins(cpu->name, "snb") || begins(cpu->name, "ivb"))
        return sandy_bridge;
    if (strcmp(cpu->name, "core") == 0 || strcmp(cpu->name, "atom") == 0)
        return core2;
    if (!cpu->ruled || !is_intel(cpu))
        return NULL;
    bool small = model == 0xaf || model == 0xb6 || model == 0xdd || begins(cpu->core.name, "cpu_atom") ||
                 begins(cpu->core.name, "cpu_lowpower");
    return small ? small_intel : big_intel;
}

static weigher *weigher_of(const struct cpu *cpu)
{
    if (begins(cpu->name, "arm"))
        return arm;
    return is_amd(cpu) ? amd_weigher(cpu) : intel_weigher(cpu);
}

/* ---- definitions */

/* The width of SVE's vectors, which its events do not show. */
static int scalable_width(const struct cpu *cpu)
{
    static const struct {
        const char *name;
        int width;
    } wide[] = {{"arm_a64fx", 3},
                {"arm64:0x46:0x001", 3},
                {"arm_v1", 2},
                {"arm64:0x41:0xd40", 2},
                {"arm64:0x46:0x003", 2}};
    for (size_t i = 0; i < sizeof wide / sizeof wide[0]; i++)
        if (strcmp(cpu->name, wide[i].name) == 0)
            return wide[i].width;
    return 1;
}

/* Big cores of hybrid processors of family 6 have no vectors of 512 bits; the mask of all vectors has their
 * bits. */
static bool is_short(const struct cpu *cpu)
{
    return cpu->ruled && is_intel(cpu) && cpu->core.id.family == 6 && begins(cpu->core.name, "cpu_core");
}

static bool has_kind(const struct cpu *cpu, const struct kind *k)
{
    return exists(k) && !(k->width == 3 && is_short(cpu)) &&
           (!k->scalable || k->width == scalable_width(cpu));
}

static void split(const struct cpu *cpu, const struct encoding *code, unsigned *event, unsigned *mask)
{
    *event = (unsigned)(code->config & (begins(cpu->name, "arm") ? 0xffff : 0xff));
    *mask = (unsigned)(code->config >> 8 & 0xff);
    if (is_amd(cpu))
        *event |= (unsigned)(code->config >> 24 & 0xf00);
}

static int weight(const struct cpu *cpu, const struct encoding *code, const struct kind *k)
{
    unsigned event, mask;
    split(cpu, code, &event, &mask);
    return code->type == PERF_TYPE_RAW ? weigher_of(cpu)(event, mask, k) : -1;
}

/* True if the weights of all of a definition's events are known. */
static bool is_known(const struct cpu *cpu, int preset)
{
    const struct kind any = {.precision = SINGLE};
    bool known = cpu_defines(cpu, preset) && cpu->code[preset] != NULL && weigher_of(cpu) != NULL;
    for (int i = 0; known && i < cpu->row[preset]->parts->n_natives; i++)
        known = weight(cpu, &cpu->code[preset][i], &any) >= 0;
    return known;
}

static bool sees(const struct cpu *cpu, int preset, const struct kind *k)
{
    for (int i = 0; i < cpu->row[preset]->parts->n_natives; i++)
        if (weight(cpu, &cpu->code[preset][i], k) > 0)
            return true;
    return false;
}

/* Sums that presets are to give. */
static const struct floating {
    const char *symbol;
    bool instructions, vectors;
    unsigned precisions; /* bits; FP_OPS and FP_INS also have what their own events see */
    bool own;
} presets[] = {
    {"PAPI_FP_OPS", false, false, 1 << SINGLE | 1 << DOUBLE, true},
    {"PAPI_SP_OPS", false, false, 1 << SINGLE, false},
    {"PAPI_DP_OPS", false, false, 1 << DOUBLE, false},
    {"PAPI_HP_OPS", false, false, 1 << HALF | 1 << BFLOAT, false},
    {"PAPI_FP_INS", true, false, 1 << SINGLE | 1 << DOUBLE, true},
    {"PAPI_VEC_SP", true, true, 1 << SINGLE, false},
    {"PAPI_VEC_DP", true, true, 1 << DOUBLE, false},
    {"PAPI_VEC_HP", true, true, 1 << HALF, false},
};
enum { N_PRESETS = sizeof presets / sizeof presets[0] };

/* True if a definition of the processor sees the kind: what none does, none is to count. */
static bool is_seen(const struct cpu *cpu, const struct kind *k)
{
    for (int i = 0; i < N_PRESETS; i++) {
        int preset = presets_index(presets[i].symbol);
        if (is_known(cpu, preset) && sees(cpu, preset, k))
            return true;
    }
    return false;
}

/* Instructions are counted without multiply-adds, which some makers' events count twice: notes say so. */
static bool takes_part(const struct cpu *cpu, const struct floating *what, const struct kind *k)
{
    return has_kind(cpu, k) && !(what->instructions && (k->type == FUSED || k->type == COMPLEX)) &&
           is_seen(cpu, k);
}

static bool is_wanted(const struct cpu *cpu, const struct floating *what, int preset, const struct kind *k)
{
    bool precise = what->precisions >> k->precision & 1;
    return (precise && !(what->vectors && k->width == SCALAR)) || (what->own && sees(cpu, preset, k));
}

static long long invented(int i)
{
    return 1 + (long long)((uint64_t)(i + 1) * UINT64_C(0x9e3779b97f4a7c15) >> 44);
}

static void check_preset(struct checker *c, const struct cpu *cpu, const struct floating *what, int preset)
{
    const struct preset_definition *parts = cpu->row[preset]->parts;
    long long count[MAX_OPERANDS] = {0}, wanted = 0;
    for (int i = 0; i < N_KINDS; i++) {
        const struct kind k = kind_of(i);
        if (!takes_part(cpu, what, &k))
            continue;
        for (int n = 0; n < parts->n_natives; n++)
            count[n] += invented(i) * weight(cpu, &cpu->code[preset][n], &k);
        if (is_wanted(cpu, what, preset, &k))
            wanted += invented(i) * (what->instructions ? 1 : operations(&k));
    }
    long long got = derived_value(parts->derivation, &parts->formula, parts->n_natives, count);
    c->n_weighed++;
    if (got != wanted)
        fault_at(c, cpu->row[preset]->file, cpu->row[preset]->line,
                 "%s of %s gives %lld for instructions that are %lld by the masks of its events",
                 what->symbol, cpu->name, got, wanted);
}

/* A packed instruction that is two micro-operations is two, and the note says so. */
static bool is_of_halves(const struct cpu *cpu, const struct floating *what, int preset)
{
    const char *note = cpu->row[preset]->note;
    return what->instructions && note != NULL && strcasestr(note, "packed instruction is two") != NULL;
}

void weights_check(struct checker *c, const struct cpu *cpu)
{
    for (int i = 0; i < N_PRESETS; i++) {
        int preset = presets_index(presets[i].symbol);
        if (is_known(cpu, preset) && !is_of_halves(cpu, &presets[i], preset))
            check_preset(c, cpu, &presets[i], preset);
    }
}

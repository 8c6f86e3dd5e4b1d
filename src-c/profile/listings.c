/* SPDX-License-Identifier: BSD-3-Clause */
#include "listings.h"
#include "code.h"

#ifdef PAPI_WITH_CAPSTONE

#include "formats/classification/classify.h"
#include "tools/common/allocate.h"

#include <capstone/capstone.h>
#include <elf.h>
#include <stdlib.h>
#include <string.h>

/* A function with spots. */
struct function_spots {
    int object;
    uint64_t low, high, sum; /* sum: of the first event */
};

struct listings {
    struct profile *profile;
    struct objects *objects;
    const struct spots *spots;
    csh handle;
    cs_insn *insn; /* NULL: there is no disassembler */
};

/* ---- functions */

static const struct spot_key *key_of(const struct listings *d, int spot)
{
    return index_key(&d->spots->keys, spot);
}

static int by_offset(const void *a, const void *b, void *context)
{
    const struct spot_key *one = key_of(context, *(const int *)a), *other = key_of(context, *(const int *)b);
    if (one->object != other->object)
        return one->object < other->object ? -1 : 1;
    return one->offset < other->offset ? -1 : one->offset > other->offset;
}

/* The spots by objects and offsets. The caller frees the list. */
static int *order_spots(struct listings *d)
{
    int *order = memory_more(NULL, (size_t)d->spots->keys.n + 1, sizeof *order);
    for (int i = 0; i < d->spots->keys.n; i++)
        order[i] = i;
    qsort_r(order, (size_t)d->spots->keys.n, sizeof *order, by_offset, d);
    return order;
}

/* Lists the functions that the spots are in; the caller frees the list. */
static struct function_spots *find_functions(struct listings *d, const int *order, int *n)
{
    struct function_spots *list = NULL;
    int room = 0;
    *n = 0;
    for (int i = 0; i < d->spots->keys.n; i++) {
        const struct spot_key *key = key_of(d, order[i]);
        struct function_spots *last = *n > 0 ? &list[*n - 1] : NULL, next = {.object = key->object};
        uint64_t address;
        if (!objects_address(d->objects, key->object, key->offset, &address))
            continue;
        if (last == NULL || last->object != key->object || address < last->low || address >= last->high) {
            if (!objects_function(d->objects, key->object, address, &next.low, &next.high))
                continue;
            MEMORY_ONE_MORE(list, *n, room);
            last = &list[(*n)++];
            *last = next;
        }
        last->sum = profile_sum(last->sum, d->spots->spot[order[i]].value[0]);
    }
    return list;
}

static int by_sum(const void *a, const void *b)
{
    const struct function_spots *one = a, *other = b;
    if (one->sum != other->sum)
        return one->sum > other->sum ? -1 : 1;
    return one->low < other->low ? -1 : one->low > other->low;
}

/* ---- instructions */

/* Target of a jump; 0: an address that is computed. */
static uint64_t target_x86(const cs_insn *insn)
{
    const cs_x86 *x86 = &insn->detail->x86;
    return x86->op_count == 1 && x86->operands[0].type == X86_OP_IMM ? (uint64_t)x86->operands[0].imm : 0;
}

/* The address is the last operand: of cbz and tbz behind registers and a bit. */
static uint64_t target_arm64(const cs_insn *insn)
{
    const cs_arm64 *arm64 = &insn->detail->arm64;
    const cs_arm64_op *last = arm64->op_count > 0 ? &arm64->operands[arm64->op_count - 1] : NULL;
    return last != NULL && last->type == ARM64_OP_IMM ? (uint64_t)last->imm : 0;
}

static bool is_plain_jump(const cs_insn *insn, unsigned machine)
{
    if (machine == EM_X86_64)
        return insn->id == X86_INS_JMP || insn->id == X86_INS_LJMP;
    return insn->id == ARM64_INS_BR ||
           (insn->id == ARM64_INS_B &&
            (insn->detail->arm64.cc == ARM64_CC_INVALID || insn->detail->arm64.cc == ARM64_CC_AL));
}

static void find_flow(csh handle, const cs_insn *insn, unsigned machine, struct instruction *row)
{
    row->flow = FLOW_NEXT;
    if (cs_insn_group(handle, insn, CS_GRP_RET) || cs_insn_group(handle, insn, CS_GRP_IRET))
        row->flow = FLOW_LEAVES;
    if (!cs_insn_group(handle, insn, CS_GRP_JUMP) || cs_insn_group(handle, insn, CS_GRP_CALL))
        return;
    row->target = machine == EM_X86_64 ? target_x86(insn) : target_arm64(insn);
    row->flow = !is_plain_jump(insn, machine) ? FLOW_BRANCH : row->target != 0 ? FLOW_JUMP : FLOW_LEAVES;
}

/* Text of what the disassembler does not know. */
static int text_of_bytes(struct profile *profile, const unsigned char *bytes, size_t n)
{
    enum { LONGEST = 15 };
    char text[16 + 3 * LONGEST] = "(bytes)";
    size_t at = strlen(text);
    for (size_t i = 0; i < n && i < LONGEST; i++)
        at += (size_t)snprintf(text + at, sizeof text - at, " %02x", bytes[i]);
    return profile_string(profile, text);
}

static int text_of(struct profile *profile, const cs_insn *insn)
{
    char text[sizeof insn->mnemonic + sizeof insn->op_str + 1];
    snprintf(text, sizeof text, insn->op_str[0] != '\0' ? "%-7s %s" : "%s", insn->mnemonic, insn->op_str);
    return profile_string(profile, text);
}

/* Fills in one row; returns its instruction's length. AVX-512 is asked for first, as Capstone 4 takes some of
 * it for one byte longer than it is. */
static size_t decode(struct listings *d, const struct code *code, size_t at, struct instruction *row)
{
    const uint8_t *bytes = code->bytes + at, *next = bytes;
    uint64_t address = row->address;
    size_t left = code->size - at, rest = left, length = 0;
    struct kind kind = {.n = 0};
    if (code->machine == EM_X86_64)
        length = classify_evex_first(bytes, left, &kind);
    bool known = d->insn != NULL && cs_disasm_iter(d->handle, &next, &rest, &address, d->insn);
    if (known && (length == 0 || length == d->insn->size)) {
        row->text = text_of(d->profile, d->insn);
        find_flow(d->handle, d->insn, code->machine, row);
        return d->insn->size;
    }
    if (length == 0)
        length = code->machine == EM_X86_64 ? x86_length(bytes, left) : sizeof(uint32_t);
    if (length == 0 || length > left)
        length = 1;
    row->text = text_of_bytes(d->profile, bytes, length);
    return length;
}

/* Adds what happened at the instruction. */
static void take_spot(struct listings *d, int object, struct instruction *row)
{
    uint64_t offset;
    if (!objects_offset(d->objects, object, row->address, &offset))
        return;
    row->place = objects_look_up(d->objects, object, offset, false)->place[0];
    const struct spot *spot = spots_find(d->spots, object, offset);
    if (spot == NULL)
        return;
    row->runs = spot->runs;
    row->taken = spot->taken;
    memcpy(row->value, spot->value, sizeof row->value);
}

static int outermost(struct listings *d, int object, uint64_t address)
{
    uint64_t offset = 0;
    objects_offset(d->objects, object, address, &offset);
    const struct places *places = objects_look_up(d->objects, object, offset, false);
    return places->place[places->n - 1];
}

static void open_disassembler(struct listings *d, unsigned machine)
{
    bool x86 = machine == EM_X86_64;
    if (d->insn != NULL)
        cs_free(d->insn, 1);
    if (d->handle != 0)
        cs_close(&d->handle);
    d->insn = NULL;
    if (cs_open(x86 ? CS_ARCH_X86 : CS_ARCH_ARM64, x86 ? CS_MODE_64 : CS_MODE_ARM, &d->handle) != CS_ERR_OK) {
        d->handle = 0;
        return;
    }
    cs_option(d->handle, CS_OPT_DETAIL, CS_OPT_ON);
    if (x86)
        cs_option(d->handle, CS_OPT_SYNTAX, CS_OPT_SYNTAX_ATT);
    d->insn = cs_malloc(d->handle);
}

/* Code that is longer than is shown is left out. */
static void take_function(struct listings *d, const struct function_spots *function, int rows_left)
{
    struct code text;
    int most = rows_left < LISTING_MOST_ROWS ? rows_left : LISTING_MOST_ROWS;
    if (!objects_code(d->objects, function->object, function->low, function->high - function->low, &text) ||
        (text.machine != EM_X86_64 && text.machine != EM_AARCH64))
        return;
    struct listing code = {.counted = d->spots->counted};
    int place = outermost(d, function->object, function->low);
    code.routine = profile_place_at(d->profile, place)->routine;
    code.object = profile_string(d->profile, objects_path(d->objects, function->object));
    open_disassembler(d, text.machine);
    for (size_t at = 0; at < text.size && code.n <= most;) {
        MEMORY_ONE_MORE(code.row, code.n, code.room);
        struct instruction *row = &code.row[code.n++];
        *row = (struct instruction){.address = function->low + at, .flow = FLOW_NEXT};
        at += decode(d, &text, at, row);
        take_spot(d, function->object, row);
    }
    if (code.n > 0 && code.n <= most)
        profile_add_listing(d->profile, &code);
    else
        free(code.row);
}

/* ---- all */

enum { LEAST_SHARE = 200 }; /* of the first event: a half per cent */

/* Functions with less than that are not opened by anybody. */
static void take_functions(struct listings *d, const struct function_spots *list, int n)
{
    int rows = 0;
    uint64_t sum = 0;
    for (int i = 0; i < n; i++)
        sum = profile_sum(sum, list[i].sum);
    for (int i = 0; i < n && list[i].sum > 0 && list[i].sum >= sum / LEAST_SHARE; i++) {
        int before = d->profile->n_listings;
        take_function(d, &list[i], LISTING_MOST_ROWS_IN_ALL - rows);
        if (d->profile->n_listings > before)
            rows += d->profile->listing[before].n;
    }
}

void listings_make(struct profile *profile, struct objects *objects, const struct spots *spots)
{
    struct listings d = {.profile = profile, .objects = objects, .spots = spots};
    int n, *order = order_spots(&d);
    objects_watch(objects, NULL, NULL);
    struct function_spots *list = find_functions(&d, order, &n);
    if (n > 0)
        qsort(list, (size_t)n, sizeof *list, by_sum);
    take_functions(&d, list, n);
    if (d.insn != NULL)
        cs_free(d.insn, 1);
    if (d.handle != 0)
        cs_close(&d.handle);
    free(order);
    free(list);
}

#endif

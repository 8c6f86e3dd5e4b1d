/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/hash.h"
#include "emulator/plugin/plugin.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_BYTES = 16, LONGEST_X86 = 15, PAGE = 4096 };

/* Kinds of instructions. Equal ones are stored once: a program has millions of instructions and some hundred
 * kinds. */
static struct hash_table known_kinds; /* struct kind * */

static bool same_kind(const struct kind *a, const struct kind *b)
{
    return a->n == b->n && a->flow == b->flow && a->repeats == b->repeats &&
           a->memory_size == b->memory_size && memcmp(a->event, b->event, a->n) == 0 &&
           memcmp(a->amount, b->amount, a->n) == 0;
}

static uint64_t hash_of(const struct kind *kind)
{
    return hash_bytes(kind->event, kind->n) * 31 + hash_bytes(kind->amount, kind->n);
}

/* The stored kind that equals one; NULL: out of memory. */
static const struct kind *intern(const struct kind *kind)
{
    uint64_t hash = hash_of(kind);
    uintptr_t known;
    for (size_t at = 0; (known = hash_next(&known_kinds, hash, &at)) != 0;)
        if (same_kind((const struct kind *)known, kind))
            return (const struct kind *)known;
    struct kind *fresh = hash_grow(&known_kinds) ? malloc(sizeof *fresh) : NULL;
    if (fresh == NULL)
        return NULL;
    *fresh = *kind;
    hash_put(&known_kinds, hash, (uintptr_t)fresh);
    return fresh;
}

/* A block in the making. */
struct draft {
    uint64_t sums[EMULATED_EVENTS];
    struct kind last; /* the kind of the last instruction, with its target */
    bool suspect;     /* the last instruction is one that the emulator may lack */
    struct block *block;
};

static bool classify_one_x86(const uint8_t *bytes, size_t n, uint64_t address, struct kind *kind)
{
    const uint8_t *code = bytes;
    size_t left = n;
    if (!cs_disasm_iter(plugin.disassembler, &code, &left, &address, plugin.insn))
        return classify_x86_bytes(bytes, n, kind);
    classify_x86(plugin.disassembler, plugin.insn, kind);
    return true;
}

static bool classify_one_arm64(const uint8_t *bytes, size_t n, uint64_t address, struct kind *kind)
{
    uint32_t word;
    if (n < sizeof word)
        return false;
    memcpy(&word, bytes, sizeof word);
    return classify_arm64_word(word, address, kind);
}

static void classify(const uint8_t *bytes, size_t n, uint64_t address, struct draft *draft)
{
    struct kind *kind = &draft->last;
    memset(kind, 0, sizeof *kind);
    bool known = plugin.architecture == X86_64 ? classify_one_x86(bytes, n, address, kind)
                                               : classify_one_arm64(bytes, n, address, kind);
    draft->suspect = suspect_bytes(bytes, n, known);
    if (!known)
        kind_add(kind, EMULATED_UNKNOWN_INSTRUCTIONS, 1);
    kind_add(kind, EMULATED_INSTRUCTIONS, 1);
}

static bool stores(const struct kind *kind)
{
    return memchr(kind->event, EMULATED_STORES, kind->n) != NULL;
}

static bool touches_memory(const struct kind *kind)
{
    for (int i = 0; i < kind->n; i++)
        if (kind->event[i] == EMULATED_LOADS || kind->event[i] == EMULATED_STORES ||
            kind->event[i] == EMULATED_UNKNOWN_INSTRUCTIONS)
            return true;
    return false;
}

/* True if an instruction accesses memory once: each element of a gather and each iteration of a string
 * instruction is an access. */
static bool accesses_once(const struct kind *kind)
{
    return !kind->repeats &&
           (plugin.architecture != X86_64 || strstr(plugin.insn->mnemonic, "gather") == NULL);
}

static void watch_memory(struct qemu_plugin_insn *insn, const struct draft *draft)
{
    struct operand *operand = malloc(sizeof *operand);
    if (operand == NULL)
        return;
    operand->address = qemu_plugin_insn_vaddr(insn);
    operand->size = accesses_once(&draft->last) ? draft->last.memory_size : 0;
    operand->copies = draft->last.repeats && stores(&draft->last); /* the other strings only read */
    operand->lines = plugin.lines_folder[0] != '\0' ? lines_of_access(operand->address) : NULL;
    qemu_plugin_register_vcpu_mem_cb(insn, operand_accessed, QEMU_CALLBACK_READS_NO_REGISTERS,
                                     QEMU_LOADS_AND_STORES, operand);
}

/* QEMU ends a block before an instruction that goes on in the next page; up to 7.2 it shows the bytes
 * that it had read of it all the same, as the last instruction. It is the next block's. */
static bool cut_off(const struct draft *draft, uint64_t address, const uint8_t *bytes, size_t n)
{
    uint8_t whole[MAX_BYTES];
    struct kind kind;
    if (!draft->suspect || draft->block->n_instructions == 0 || plugin.architecture != X86_64 ||
        address / PAGE == (address + LONGEST_X86) / PAGE)
        return false;
    for (size_t more = n + 1; more <= LONGEST_X86; more++) {
        if (guest_read(address, whole, more) != 0 || memcmp(whole, bytes, n) != 0)
            return false;
        if (classify_one_x86(whole, more, address, &kind))
            return (address + more - 1) / PAGE != address / PAGE;
    }
    return false;
}

static bool counts_as_unknown(const struct kind *kind)
{
    return kind->n > 0 && kind->event[0] == EMULATED_UNKNOWN_INSTRUCTIONS;
}

static bool add_instruction(struct draft *draft, struct qemu_plugin_insn *insn)
{
    uint8_t bytes[MAX_BYTES];
    struct block *block = draft->block;
    size_t n = qemu_instruction(insn, bytes, sizeof bytes);
    uint64_t address = qemu_plugin_insn_vaddr(insn);
    struct kind before = draft->last;
    classify(bytes, n, address, draft);
    if (cut_off(draft, address, bytes, n)) {
        draft->last = before;
        draft->suspect = false;
        return true;
    }
    if (counts_as_unknown(&draft->last))
        unknown_note(address, bytes, n);
    for (int i = 0; i < draft->last.n; i++)
        draft->sums[draft->last.event[i]] += draft->last.amount[i];
    const struct kind *kind = intern(&draft->last);
    if (kind == NULL)
        return false;
    block->instruction[block->n_instructions] = (struct instruction){.kind = kind, .length = (uint8_t)n};
    block->length[block->n_instructions++] = (uint8_t)n;
    block->last = block->behind;
    block->behind += n;
    if (plugin.simulate_caches && touches_memory(&draft->last))
        watch_memory(insn, draft);
    return true;
}

static void finish(struct draft *draft)
{
    struct block *block = draft->block;
    for (uint32_t e = 0; e < EMULATED_EVENTS; e++)
        if (draft->sums[e] != 0)
            block->sum[block->n_sums++] = (struct sum){.event = e, .amount = (uint32_t)draft->sums[e]};
    block->target = draft->last.target;
    if (draft->suspect)
        block->end = END_SUSPECT;
    else if (draft->last.repeats)
        block->end = END_REPEATS;
    else if (draft->last.flow == FLOW_CONDITIONAL)
        block->end = END_CONDITIONAL;
}

/* Makes room for a block with as many sums as it can have. */
static struct block *make_block(uint64_t address, size_t n)
{
    size_t sums = EMULATED_FIRST_CACHE_EVENT * sizeof(struct sum);
    size_t whole = sizeof(struct block) + sums + n * (sizeof(struct instruction) + 1);
    struct block *block = aligned_alloc(CACHE_LINE, (whole + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE);
    if (block == NULL)
        return NULL;
    memset(block, 0, whole);
    block->instruction = (struct instruction *)((char *)block->sum + sums);
    block->length = (uint8_t *)(block->instruction + n);
    block->address = block->behind = address;
    return block;
}

static struct block *build_block(struct qemu_plugin_tb *tb, size_t n)
{
    struct qemu_plugin_insn *first = qemu_plugin_tb_get_insn(tb, 0);
    struct draft draft = {.block = make_block(qemu_plugin_insn_vaddr(first), n)};
    if (draft.block == NULL)
        return NULL;
    if (!plugin.guest_base_known) {
        plugin.guest_base = (uint64_t)qemu_plugin_insn_haddr(first) - qemu_plugin_insn_vaddr(first);
        plugin.guest_base_known = true;
    }
    for (size_t i = 0; i < n; i++)
        if (!add_instruction(&draft, qemu_plugin_tb_get_insn(tb, i))) {
            free(draft.block);
            return NULL;
        }
    finish(&draft);
    if (plugin.lines_folder[0] != '\0')
        draft.block->lines = lines_of_block(draft.block);
    return draft.block;
}

void block_translated(uint64_t id, struct qemu_plugin_tb *tb)
{
    (void)id;
    size_t n = qemu_plugin_tb_n_insns(tb);
    if (n == 0)
        return;
    pthread_mutex_lock(&plugin.translating);
    struct block *block = build_block(tb, n);
    pthread_mutex_unlock(&plugin.translating);
    if (block != NULL)
        qemu_plugin_register_vcpu_tb_exec_cb(tb, block_prepare(block), QEMU_CALLBACK_READS_NO_REGISTERS,
                                             block);
}

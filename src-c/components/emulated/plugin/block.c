/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/emulated/plugin/plugin.h"
#include "components/emulated/plugin/qemu.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_BYTES = 16, KIND_BUCKETS = 1024 };

/* Equal kinds are stored once: a program has millions of instructions and some hundred kinds. */
struct known_kind {
    struct kind kind;
    struct known_kind *next;
};

static struct known_kind *known_kinds[KIND_BUCKETS];

static bool same_kind(const struct kind *a, const struct kind *b)
{
    return a->n == b->n && a->flow == b->flow && a->repeats == b->repeats &&
           a->memory_size == b->memory_size && memcmp(a->event, b->event, a->n) == 0 &&
           memcmp(a->amount, b->amount, a->n) == 0;
}

static unsigned bucket_of(const struct kind *kind)
{
    unsigned hash = kind->n * 31u + kind->memory_size;
    for (int i = 0; i < kind->n; i++)
        hash = hash * 31u + kind->event[i] * 7u + kind->amount[i];
    return hash % KIND_BUCKETS;
}

/* NULL: out of memory. */
static const struct kind *intern(const struct kind *kind)
{
    struct known_kind **bucket = &known_kinds[bucket_of(kind)];
    for (struct known_kind *known = *bucket; known != NULL; known = known->next)
        if (same_kind(&known->kind, kind))
            return &known->kind;
    struct known_kind *fresh = malloc(sizeof *fresh);
    if (fresh == NULL)
        return NULL;
    fresh->kind = *kind;
    fresh->next = *bucket;
    *bucket = fresh;
    return &fresh->kind;
}

/* A block in the making. */
struct draft {
    uint64_t sums[EMULATED_EVENTS];
    struct kind last; /* the kind of the last instruction, with its target */
    bool suspect;     /* the last instruction is one that the emulator may lack */
    struct block *block;
};

static void classify(const uint8_t *bytes, size_t n, uint64_t address, struct draft *draft)
{
    struct kind *kind = &draft->last;
    const uint8_t *code = bytes;
    memset(kind, 0, sizeof *kind);
    bool decoded = cs_disasm_iter(plugin.disassembler, &code, &n, &address, plugin.insn);
    draft->suspect = suspect_bytes(bytes, (size_t)(code - bytes) + n, decoded);
    if (!decoded)
        kind_add(kind, EMULATED_UNKNOWN_INSTRUCTIONS, 1);
    else if (plugin.architecture == X86_64)
        classify_x86(plugin.disassembler, plugin.insn, kind);
    else
        classify_arm64(plugin.disassembler, plugin.insn, kind);
    kind_add(kind, EMULATED_INSTRUCTIONS, 1);
}

static bool touches_memory(const struct kind *kind)
{
    for (int i = 0; i < kind->n; i++)
        if (kind->event[i] == EMULATED_LOADS || kind->event[i] == EMULATED_STORES ||
            kind->event[i] == EMULATED_UNKNOWN_INSTRUCTIONS)
            return true;
    return false;
}

static void watch_memory(struct qemu_plugin_insn *insn, const struct draft *draft)
{
    struct operand *operand = malloc(sizeof *operand);
    if (operand == NULL)
        return;
    operand->address = qemu_plugin_insn_vaddr(insn);
    operand->size = draft->last.memory_size;
    qemu_plugin_register_vcpu_mem_cb(insn, operand_accessed, QEMU_CALLBACK_READS_NO_REGISTERS,
                                     QEMU_LOADS_AND_STORES, operand);
}

static bool add_instruction(struct draft *draft, struct qemu_plugin_insn *insn)
{
    uint8_t bytes[MAX_BYTES];
    struct block *block = draft->block;
    size_t n = qemu_instruction(insn, bytes, sizeof bytes);
    classify(bytes, n, qemu_plugin_insn_vaddr(insn), draft);
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

/* Room for the block with as many sums as it can have. */
static struct block *make_block(uint64_t address, size_t n)
{
    size_t sums = EMULATED_FIRST_CACHE_EVENT * sizeof(struct sum);
    size_t whole = sizeof(struct block) + sums + n * (sizeof(struct instruction) + 1);
    struct block *block = calloc(1, whole);
    if (block == NULL)
        return NULL;
    block->instruction = (struct instruction *)((char *)(block + 1) + sums);
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
        qemu_plugin_register_vcpu_tb_exec_cb(tb, block_runs, QEMU_CALLBACK_READS_NO_REGISTERS, block);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "estimate.h"
#include "profile/code.h"
#include "take.h"
#include "tools/common/allocate.h"

#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int order_blocks(const void *a, const void *b)
{
    const struct gate_block *one = a, *other = b;
    int order = strcmp(one->object, other->object);
    return order != 0 ? order : (one->address > other->address) - (one->address < other->address);
}

/* Makes one block of those of several processes. */
static void merge(struct counts *counts)
{
    size_t n = 0;
    if (counts->n_blocks > 1)
        qsort(counts->block, counts->n_blocks, sizeof *counts->block, order_blocks);
    for (size_t i = 0; i < counts->n_blocks; i++) {
        const struct gate_block *from = &counts->block[i];
        if (n == 0 || order_blocks(&counts->block[n - 1], from) != 0) {
            counts->block[n++] = *from;
            continue;
        }
        counts->block[n - 1].runs += from->runs;
        counts->block[n - 1].taken += from->taken;
    }
    counts->n_blocks = n;
}

/* ---- code */

static const char *path_of(const struct counts *counts, const char *object)
{
    for (size_t i = 0; i < counts->n_objects; i++)
        if (strcmp(counts->object[i].name, object) == 0)
            return counts->object[i].path;
    return "";
}

/* The address at which the file has what is loaded first: 0 unless the program has a fixed place. */
static uint64_t base_of(Elf *elf)
{
    size_t n = 0;
    uint64_t base = UINT64_MAX;
    GElf_Phdr header;
    elf_getphdrnum(elf, &n);
    for (int i = 0; i < (int)n; i++)
        if (gelf_getphdr(elf, i, &header) != NULL && header.p_type == PT_LOAD && header.p_vaddr < base)
            base = header.p_vaddr;
    return base != UINT64_MAX ? base & ~UINT64_C(0xfff) : 0;
}

static void find_code(Elf *elf, struct block *block)
{
    struct code code;
    if (code_at(elf, block->address, block->size, &code) && code.size == block->size)
        block->code = code.bytes;
}

/* ---- */

static void add(struct count *count, const struct block *block, double picoseconds)
{
    count->estimated = true;
    count->value += (uint64_t)llround(block->cycles * picoseconds);
    count->least += (uint64_t)llround(block->least * picoseconds);
    count->most += (uint64_t)llround(block->most * picoseconds);
}

static void estimate_object(struct counts *counts, const struct model *model, int event, Elf *elf,
                            const struct gate_block *from, size_t n)
{
    struct block *block = memory_more(NULL, n, sizeof *block);
    GElf_Ehdr header;
    uint64_t base = base_of(elf);
    enum machine_code code =
        gelf_getehdr(elf, &header) != NULL && header.e_machine == EM_AARCH64 ? CODE_ARM64 : CODE_X86_64;
    for (size_t i = 0; i < n; i++) {
        block[i] = (struct block){.address = base + from[i].address,
                                  .size = from[i].size,
                                  .runs = from[i].runs,
                                  .taken = from[i].taken,
                                  .routine = from[i].routine,
                                  .line = from[i].line};
        find_code(elf, &block[i]);
    }
    estimate_blocks(model, code, block, n);
    for (size_t i = 0; i < n; i++) {
        struct gate_routine *routine = &counts->routine[block[i].routine];
        add(&routine->count[event], &block[i], 1000 / model->gigahertz);
        add(&routine->line[block[i].line].count[event], &block[i], 1000 / model->gigahertz);
    }
    free(block);
}

static void estimate_file(struct counts *counts, const struct model *model, int event,
                          const struct gate_block *from, size_t n)
{
    int file = open(path_of(counts, from->object), O_RDONLY | O_CLOEXEC);
    Elf *elf = file >= 0 ? elf_begin(file, ELF_C_READ, NULL) : NULL;
    if (elf != NULL)
        estimate_object(counts, model, event, elf, from, n);
    elf_end(elf);
    if (file >= 0)
        close(file);
}

void take_estimate(struct counts *counts, const struct model *model)
{
    int event = model != NULL && counts->n_blocks > 0 ? counts_event(counts, GATE_TIME) : -1;
    elf_version(EV_CURRENT);
    merge(counts);
    for (size_t i = 0, end; event >= 0 && i < counts->n_blocks; i = end) {
        for (end = i; end < counts->n_blocks && counts->block[end].object == counts->block[i].object;)
            end++;
        estimate_file(counts, model, event, &counts->block[i], end - i);
    }
    if (event >= 0) {
        char *name = memory_print("%s %s", model->name, model->version);
        counts->model = counts_text(counts, name);
        free(name);
    }
    free(counts->block);
    counts->block = NULL;
    counts->n_blocks = counts->room_blocks = 0;
}

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

/* An estimate in picoseconds. */
struct time {
    double usual, least, most;
};

static void add_time(struct time *time, const struct block *block, double picoseconds)
{
    time->usual += block->cycles * picoseconds;
    time->least += block->least * picoseconds;
    time->most += block->most * picoseconds;
}

static void add(struct count *count, const struct block *block, double picoseconds)
{
    struct time time = {0, 0, 0};
    add_time(&time, block, picoseconds);
    count->estimated = true;
    count->value += (uint64_t)llround(time.usual);
    count->least += (uint64_t)llround(time.least);
    count->most += (uint64_t)llround(time.most);
}

/* ---- an object's blocks */

/* Estimates blocks of a file that is open, in the order of their addresses. To be freed. */
static struct block *estimated(Elf *elf, const struct model *model, const struct gate_block *from, size_t n)
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
    return block;
}

/* The same of blocks of one object. NULL: its file cannot be read. */
static struct block *estimated_of(const struct counts *counts, const struct model *model,
                                  const struct gate_block *from, size_t n)
{
    int file = open(path_of(counts, from->object), O_RDONLY | O_CLOEXEC);
    Elf *elf = file >= 0 ? elf_begin(file, ELF_C_READ, NULL) : NULL;
    struct block *block = elf != NULL ? estimated(elf, model, from, n) : NULL;
    elf_end(elf);
    if (file >= 0)
        close(file);
    return block;
}

static void estimate_routines(struct counts *counts, const struct model *model, int event,
                              const struct gate_block *from, size_t n)
{
    struct block *block = estimated_of(counts, model, from, n);
    for (size_t i = 0; i < n && block != NULL; i++) {
        struct gate_routine *routine = &counts->routine[block[i].routine];
        add(&routine->count[event], &block[i], 1000 / model->gigahertz);
        add(&routine->line[block[i].line].count[event], &block[i], 1000 / model->gigahertz);
    }
    free(block);
}

/* ---- benches */

static int order_bench_blocks(const void *a, const void *b)
{
    const struct bench_block *one = a, *other = b;
    if (one->region != other->region)
        return (one->region > other->region) - (one->region < other->region);
    if (one->around != other->around)
        return one->around - other->around;
    return order_blocks(&one->block, &other->block);
}

/* Makes one block of those of several processes. */
static void merge_bench_blocks(struct counts *counts)
{
    size_t n = 0;
    if (counts->n_bench_blocks > 1)
        qsort(counts->bench_block, counts->n_bench_blocks, sizeof *counts->bench_block, order_bench_blocks);
    for (size_t i = 0; i < counts->n_bench_blocks; i++) {
        const struct bench_block *from = &counts->bench_block[i];
        if (n == 0 || order_bench_blocks(&counts->bench_block[n - 1], from) != 0) {
            counts->bench_block[n++] = *from;
            continue;
        }
        counts->bench_block[n - 1].block.runs += from->block.runs;
        counts->bench_block[n - 1].block.taken += from->block.taken;
    }
    counts->n_bench_blocks = n;
}

/* Sums the time of benches' blocks from first to before end, of one object. False: it cannot be told. */
static bool sum_bench(const struct counts *counts, const struct model *model, size_t first, size_t end,
                      struct time *time)
{
    struct gate_block *from = memory_more(NULL, end - first, sizeof *from);
    for (size_t i = first; i < end; i++) {
        from[i - first] = counts->bench_block[i].block;
        const struct gate_block *known =
            bsearch(&from[i - first], counts->block, counts->n_blocks, sizeof *counts->block, order_blocks);
        from[i - first].routine = known != NULL ? known->routine : counts->n_routines;
    }
    struct block *block = estimated_of(counts, model, from, end - first);
    for (size_t i = 0; i < end - first && block != NULL; i++)
        add_time(time, &block[i], 1000 / model->gigahertz);
    bool known = block != NULL;
    free(from);
    free(block);
    return known;
}

/* The time of a bench: its blocks', less that of what measuring adds. */
static void put_bench(struct count *count, const struct time time[2])
{
    double value = fmax(time[0].usual - time[1].usual, 0);
    *count = (struct count){.estimated = true, .value = (uint64_t)llround(value)};
    count->least = (uint64_t)llround(fmin(fmax(time[0].least - time[1].least, 0), value));
    count->most = (uint64_t)llround(fmax(time[0].most - time[1].most, value));
}

/* Estimates the bench whose blocks begin there. Returns where those of the next begin. */
static size_t estimate_bench(struct counts *counts, const struct model *model, int event, size_t first)
{
    const struct bench_block *block = counts->bench_block;
    struct gate_region *region = &counts->region[block[first].region];
    int instructions = counts_event(counts, "INSTRUCTIONS");
    struct time time[2] = {{0, 0, 0}, {0, 0, 0}};
    bool known = true;
    size_t i = first;
    for (size_t end; i < counts->n_bench_blocks && block[i].region == block[first].region; i = end) {
        for (end = i + 1; end < counts->n_bench_blocks && block[end].region == block[i].region &&
                          block[end].around == block[i].around &&
                          block[end].block.object == block[i].block.object;)
            end++;
        known &= sum_bench(counts, model, i, end, &time[block[i].around]);
    }
    if (known && region->count[instructions].value > 0)
        put_bench(&region->count[event], time);
    if (!known)
        region->no_time = counts_text(counts, "its code cannot be read");
    return i;
}

static void estimate_benches(struct counts *counts, const struct model *model, int event)
{
    merge_bench_blocks(counts);
    for (size_t i = 0; i < counts->n_regions; i++)
        if (!counts->region[i].bench)
            counts->region[i].no_time = counts_text(
                counts, "regions of the library count events, not what ran how often, as PAPI_BENCH does");
    for (size_t i = 0; i < counts->n_bench_blocks;)
        i = estimate_bench(counts, model, event, i);
}

/* ---- */

void take_estimate(struct counts *counts, const struct model *model)
{
    int event = model != NULL && counts->n_blocks > 0 ? counts_event(counts, GATE_TIME) : -1;
    elf_version(EV_CURRENT);
    merge(counts);
    for (size_t i = 0, end; event >= 0 && i < counts->n_blocks; i = end) {
        for (end = i; end < counts->n_blocks && counts->block[end].object == counts->block[i].object;)
            end++;
        estimate_routines(counts, model, event, &counts->block[i], end - i);
    }
    if (event >= 0) {
        char *name = memory_print("%s %s", model->name, model->version);
        estimate_benches(counts, model, event);
        counts->model = counts_text(counts, name);
        free(name);
    }
    free(counts->block);
    free(counts->bench_block);
    counts->block = NULL;
    counts->bench_block = NULL;
    counts->n_blocks = counts->room_blocks = counts->n_bench_blocks = counts->room_bench_blocks = 0;
}

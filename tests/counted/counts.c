/* SPDX-License-Identifier: BSD-3-Clause */
#include "counts.h"
#include "formats/counted_section.h"

#include <elf.h>
#include <link.h>
#include <string.h>

_Static_assert((int)COUNTS == (int)COUNTED_EVENTS, "all events");

struct sums {
    uint64_t *count;
    int modules;
};

static const uint64_t *slots_of(const struct counted_module *module, const struct counted_unit *unit)
{
    if (unit->kind == COUNTED_PROCESS)
        return counted_at(&unit->slots);
    int64_t (*anchor)(void) = (int64_t(*)(void))(uintptr_t)counted_at(&module->anchor);
    return (const void *)((const char *)__builtin_thread_pointer() + anchor() - module->anchor_block +
                          unit->slots);
}

static uint64_t sum_of(const int32_t *term, unsigned n, const uint64_t *slots)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < n; i++)
        sum += term[i] > 0 ? slots[term[i] - 1] : -slots[-term[i] - 1];
    return sum;
}

static void add_block(const struct counted_block *block, const uint64_t *slots, uint64_t *count)
{
    uint64_t runs = sum_of(block->term, block->n_terms, slots);
    uint64_t taken = sum_of(block->term + block->n_terms, block->n_taken, slots);
    for (int i = 0; i < COUNTED_EVENTS; i++)
        count[i] += runs * block->weight[i];
    if ((block->flags & COUNTED_CONDITIONAL) != 0) {
        count[COUNTED_TAKEN_BRANCHES] += taken;
        count[COUNTED_NOT_TAKEN_BRANCHES] += runs - taken;
    }
}

static void add_module(const struct counted_module *module, struct sums *sums)
{
    const char *at = counted_at(&module->units), *end = counted_at(&module->units_end);
    while (at < end) {
        const struct counted_unit *unit = (const void *)at;
        const struct counted_block *block = counted_first_block(unit);
        if (unit->size == 0) {
            at += 8;
            continue;
        }
        for (uint32_t i = 0; i < unit->n_blocks; i++, block = counted_next_block(block))
            add_block(block, slots_of(module, unit), sums->count);
        at += unit->size;
    }
    sums->modules += module->weighed;
}

static int add_object(struct dl_phdr_info *info, size_t size, void *data)
{
    (void)size;
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        const char *at = (const char *)info->dlpi_addr + header->p_vaddr, *end = at + header->p_memsz;
        size_t align = header->p_align == 8 ? 8 : 4;
        if (header->p_type != PT_NOTE)
            continue;
        for (; at + sizeof(ElfW(Nhdr)) <= end;) {
            const ElfW(Nhdr) *note = (const void *)at;
            const char *descriptor = (const char *)(note + 1) + (note->n_namesz + align - 1) / align * align;
            if (note->n_type == COUNTED_NOTE_TYPE && note->n_namesz == sizeof COUNTED_NOTE_NAME &&
                memcmp(note + 1, COUNTED_NOTE_NAME, sizeof COUNTED_NOTE_NAME) == 0)
                add_module(counted_module_of(descriptor), data);
            at = descriptor + (note->n_descsz + align - 1) / align * align;
        }
    }
    return 0;
}

int counts_read(uint64_t count[COUNTS])
{
    struct sums sums = {.count = count};
    memset(count, 0, COUNTS * sizeof *count);
    dl_iterate_phdr(add_object, &sums);
    return sums.modules;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/counted/counted_modules.h"
#include "base/thread_pointer.h"

#include <elf.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

static int note_loaded(struct dl_phdr_info *info, size_t size, void *loaded)
{
    (void)size;
    *(unsigned long long *)loaded = info->dlpi_adds;
    return 1; /* each object says the same */
}

unsigned long long modules_loaded(void)
{
    unsigned long long loaded = 0;
    dl_iterate_phdr(note_loaded, &loaded);
    return loaded;
}

struct look {
    void (*see)(const struct counted_module *module, const char *name, void *context);
    void *context;
};

static bool is_ours(const ElfW(Nhdr) * note)
{
    return note->n_type == COUNTED_NOTE_TYPE && note->n_namesz == sizeof COUNTED_NOTE_NAME &&
           note->n_descsz == sizeof(int64_t) &&
           memcmp(note + 1, COUNTED_NOTE_NAME, sizeof COUNTED_NOTE_NAME) == 0;
}

static size_t padded(size_t size, size_t align)
{
    return (size + align - 1) / align * align;
}

static void look_at_notes(const char *at, const char *end, size_t align, const char *name,
                          const struct look *look)
{
    while ((size_t)(end - at) >= sizeof(ElfW(Nhdr))) {
        const ElfW(Nhdr) *note = (const void *)at;
        size_t before = sizeof *note + padded(note->n_namesz, align);
        if (before + note->n_descsz > (size_t)(end - at))
            return;
        if (is_ours(note)) {
            const struct counted_module *module = counted_module_of(at + before);
            if (memcmp(module->magic, COUNTED_MAGIC, sizeof module->magic) == 0)
                look->see(module, name, look->context);
        }
        size_t size = before + padded(note->n_descsz, align);
        at += size < (size_t)(end - at) ? size : (size_t)(end - at);
    }
}

static int look_at_object(struct dl_phdr_info *info, size_t size, void *context)
{
    (void)size;
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        const char *at = (const char *)(info->dlpi_addr + header->p_vaddr);
        if (header->p_type == PT_NOTE)
            look_at_notes(at, at + header->p_memsz, header->p_align == 8 ? 8 : 4, info->dlpi_name, context);
    }
    return 0;
}

void modules_look(void (*see)(const struct counted_module *module, const char *name, void *context),
                  void *context)
{
    struct look look = {see, context};
    dl_iterate_phdr(look_at_object, &look);
}

bool module_is_known(const struct counted_module *module)
{
    return module->version == COUNTED_VERSION && module->events == COUNTED_EVENTS;
}

static bool terms_are_slots(const struct counted_block *block, uint32_t n_slots)
{
    for (unsigned i = 0; i < (unsigned)block->n_terms + block->n_taken; i++)
        if (block->term[i] == 0 || labs((long)block->term[i]) > n_slots)
            return false;
    return true;
}

static bool unit_is_whole(const struct counted_unit *unit)
{
    const struct counted_block *block = counted_first_block(unit);
    for (uint32_t i = 0; i < unit->n_blocks; i++, block = counted_next_block(block)) {
        uint64_t left = unit->size - (uint64_t)((const char *)block - (const char *)unit);
        if (left < sizeof *block || left < counted_block_size(block) ||
            !terms_are_slots(block, unit->n_slots))
            return false;
    }
    return true;
}

bool module_is_whole(const struct counted_module *module)
{
    const char *at = counted_at(&module->units), *end = counted_at(&module->units_end);
    while (at < end) {
        const struct counted_unit *unit = (const void *)at;
        uint64_t left = (uint64_t)(end - at);
        if (left >= sizeof unit->size && unit->size == 0) {
            at += 8;
            continue;
        }
        if (left < sizeof *unit || unit->size % 8 != 0 || unit->size < sizeof *unit || unit->size > left ||
            !unit_is_whole(unit))
            return false;
        at += unit->size;
    }
    return true;
}

/* The thread's slots of a module; NULL while the dynamic linker has not filled in the place of thread-local
 * memory: it is 0 then, which no variable has. */
const uint64_t *module_thread_slots(const struct counted_module *module)
{
    int64_t (*anchor)(void) = (int64_t(*)(void))(uintptr_t)counted_at(&module->anchor);
    int64_t place = anchor();
    if (place == 0)
        return NULL;
    return (const void *)((const char *)thread_pointer() + place - module->anchor_block + module->slots);
}

const uint64_t *module_process_slots(const struct counted_module *module, uint64_t *n)
{
    const uint64_t *first = counted_at(&module->process), *end = counted_at(&module->process_end);
    *n = (uint64_t)(end - first);
    return first;
}

const struct counted_unit *module_next_unit(const struct counted_module *module,
                                            const struct counted_unit *unit)
{
    const char *end = counted_at(&module->units_end);
    const char *at = unit != NULL ? (const char *)unit + unit->size : counted_at(&module->units);
    while (at < end && ((const struct counted_unit *)(const void *)at)->size == 0)
        at += 8;
    return at < end ? (const void *)at : NULL;
}

bool module_unit_offset(const struct counted_module *module, const struct counted_unit *unit, uint64_t n,
                        uint64_t *offset)
{
    uint64_t process;
    uint64_t bytes = (uint64_t)unit->slots - (uint64_t)module->slots;
    if (unit->kind == COUNTED_PROCESS)
        bytes = (uintptr_t)counted_at(&unit->slots) - (uintptr_t)module_process_slots(module, &process);
    *offset = bytes / sizeof(uint64_t);
    return bytes % sizeof(uint64_t) == 0 && unit->n_slots <= n && *offset <= n - unit->n_slots;
}

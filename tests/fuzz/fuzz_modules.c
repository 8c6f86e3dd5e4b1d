/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The tables of a counted module, as they are in a library that was loaded: what is damaged is not counted,
 * and nothing outside of it is read. The input has the numbers of threads' and of the process's slots, a byte
 * each, and the units.
 */
#include "components/counted/columns.h"
#include "fuzz.h"

#include <link.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BYTES = 8192, MOST_SLOTS = 256 };

static struct {
    ElfW(Nhdr) note;
    char name[8], distance[sizeof(int64_t)]; /* as notes have it, to four bytes */
    struct counted_module module;
    uint64_t process[MOST_SLOTS];
} * loaded; /* the units end where the memory does */

static bool only_it;

/* A function that the library calls is the library's: it is not part of the input. */
static int64_t anchor(void)
{
    return -4096;
}

int __real_dl_iterate_phdr(int (*see)(struct dl_phdr_info *, size_t, void *), void *context);
int __wrap_dl_iterate_phdr(int (*see)(struct dl_phdr_info *, size_t, void *), void *context);

/* As the loader tells what is in the process: there is nothing but the module. */
int __wrap_dl_iterate_phdr(int (*see)(struct dl_phdr_info *, size_t, void *), void *context)
{
    if (!only_it)
        return __real_dl_iterate_phdr(see, context);
    const ElfW(Phdr) header[] = {
        {.p_type = PT_LOAD, .p_vaddr = (ElfW(Addr))loaded, .p_memsz = sizeof *loaded + MOST_BYTES},
        {.p_type = PT_NOTE,
         .p_vaddr = (ElfW(Addr))loaded,
         .p_memsz = offsetof(__typeof__(*loaded), distance) + sizeof loaded->distance,
         .p_align = 4}};
    struct dl_phdr_info info = {.dlpi_name = "", .dlpi_phdr = header, .dlpi_phnum = 2};
    return see(&info, sizeof info, context);
}

static int64_t distance(const int64_t *from, const void *to)
{
    return (const char *)to - (const char *)from;
}

/* Returns the memory: with as many bytes behind the head as there are units. */
static void *make_module(const uint8_t *units, size_t size, unsigned threads, unsigned process)
{
    size_t whole = size / 8 * 8;
    char *memory = malloc(sizeof *loaded + whole);
    REQUIRE(memory != NULL);
    loaded = (void *)memory;
    memset(loaded, 0, sizeof *loaded);
    loaded->note = (ElfW(Nhdr)){sizeof COUNTED_NOTE_NAME, sizeof(int64_t), COUNTED_NOTE_TYPE};
    memcpy(loaded->name, COUNTED_NOTE_NAME, sizeof COUNTED_NOTE_NAME);
    struct counted_module *module = &loaded->module;
    int64_t way = (const char *)module - loaded->distance;
    memcpy(loaded->distance, &way, sizeof way);
    memcpy(module->magic, COUNTED_MAGIC, sizeof module->magic);
    memcpy(memory + sizeof *loaded, units, whole);
    module->version = COUNTED_VERSION;
    module->events = COUNTED_EVENTS;
    module->units = distance(&module->units, memory + sizeof *loaded);
    module->units_end = distance(&module->units_end, memory + sizeof *loaded + whole);
    module->anchor = distance(&module->anchor, (const void *)(uintptr_t)anchor);
    module->process = distance(&module->process, loaded->process);
    module->process_end = distance(&module->process_end, loaded->process + process);
    module->n_slots = threads;
    module->weighed = 1;
    return memory;
}

/* Checks a column: each coefficient that is not 0 is in a chunk that the column marks as used. */
static void check_column(struct column_module *module, int kind, int event)
{
    const struct column *column = columns_get(module, kind, event);
    REQUIRE(column != NULL && (module->space[kind].n == 0 || columns_own(module, kind) != NULL));
    for (uint64_t i = 0; i < module->space[kind].n; i++) {
        uint32_t adds = column->coefficient[i] - COLUMN_BIAS;
        REQUIRE(adds == 0 || (column->used[i / CHUNK / 64] >> i / CHUNK % 64 & 1) != 0);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_bytes bytes = {data, data + size};
    unsigned threads = (unsigned)fuzz_number(&bytes, 1), process = (unsigned)fuzz_number(&bytes, 1);
    size_t n = (size_t)(bytes.end - bytes.next);
    void *memory = make_module(bytes.next, n < MOST_BYTES ? n : MOST_BYTES, threads, process);
    struct columns *columns = columns_make();
    REQUIRE(columns != NULL);
    only_it = true;
    columns_look(columns);
    only_it = false;
    for (struct column_module *module = columns->first; module != NULL; module = module->next)
        for (int kind = COUNTED_THREAD; kind <= COUNTED_PROCESS; kind++)
            for (int event = 0; event < COUNTED_EVENTS; event += 3)
                check_column(module, kind, event);
    columns_free(columns);
    free(memory);
    return 0;
}

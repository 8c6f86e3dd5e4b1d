/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Unwinds a copy of the registers and of the end of a stack, by libdwfl.
 *
 * The kernel copies the registers and some KiB of the stack, from the stack pointer on, at each sample
 * (sampler.c). libdwfl is given these as if they were a stopped thread with number 1 of a process: it asks
 * for registers and for words of memory, and the tables of call frames say, for an address of code, where the
 * caller's registers are in relation to the current ones. This works for code without frame pointers, as
 * compilers make it by default.
 *
 * A chain ends where the copy does, where libdwfl finds no caller, or after UNWIND_MOST calls; what was found
 * until then is kept, so that a deep stack shows its inner part. Only words of the copied stack can be read,
 * which is all that unwinding needs of memory. The modules are reported once for each set of mappings
 * (space.unwinder), since that is expensive.
 */
#include "unwind.h"
#include "tools/common/allocate.h"

#include <elfutils/libdwfl.h>
#include <stdlib.h>
#include <string.h>

/* ---- mappings */

static void append(struct space *space, const struct mapping *mapping)
{
    MEMORY_ONE_MORE(space->mapping, space->n, space->room);
    space->mapping[space->n++] = *mapping;
}

/* Appends the parts of a mapping that remain below and above the addresses of a new one. */
static void append_rest(struct space *space, const struct mapping *old, const struct mapping *new)
{
    struct mapping below = *old, above = *old;
    if (below.end > new->start)
        below.end = new->start;
    if (below.start < below.end)
        append(space, &below);
    if (above.start < new->end) {
        above.offset += new->end - above.start;
        above.start = new->end;
    }
    if (above.start < above.end && old->end > new->start)
        append(space, &above);
}

static int by_address(const void *a, const void *b)
{
    const struct mapping *one = a, *other = b;
    return one->start < other->start ? -1 : one->start > other->start;
}

void space_map(struct space *space, const struct mapping *mapping)
{
    struct space fresh = {.n = 0};
    if (mapping->start >= mapping->end)
        return;
    for (int i = 0; i < space->n; i++)
        append_rest(&fresh, &space->mapping[i], mapping);
    append(&fresh, mapping);
    qsort(fresh.mapping, (size_t)fresh.n, sizeof *fresh.mapping, by_address);
    space_clear(space);
    *space = fresh;
}

void space_copy(struct space *to, const struct space *from)
{
    space_clear(to);
    for (int i = 0; i < from->n; i++)
        append(to, &from->mapping[i]);
}

void space_clear(struct space *space)
{
    unwinder_free(space->unwinder);
    free(space->mapping);
    *space = (struct space){.n = 0};
}

const struct mapping *space_find(const struct space *space, uint64_t address)
{
    int low = 0, high = space->n;
    while (low < high) {
        int middle = (low + high) / 2;
        if (space->mapping[middle].end <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low < space->n && space->mapping[low].start <= address ? &space->mapping[low] : NULL;
}

int space_before(const struct space *space, uint64_t address)
{
    int low = 0, high = space->n;
    while (low < high) {
        int middle = (low + high) / 2;
        if (space->mapping[middle].start <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low - 1;
}

struct unwinder {
    Dwfl *dwfl;
    const struct stack_copy *copy;
    uint64_t *address;
    int n;
};

/* ---- what libdwfl asks for */

static uint64_t kernel_register(const struct stack_copy *copy, int number)
{
    uint64_t below = registers_asked() & ((UINT64_C(1) << number) - 1);
    return copy->registers[__builtin_popcountll(below)];
}

static uint64_t register_of(const struct stack_copy *copy, int dwarf)
{
    return kernel_register(copy, registers_kernel[dwarf]);
}

static pid_t next_thread(Dwfl *dwfl, void *data, void **thread)
{
    (void)dwfl;
    bool first = *thread == NULL;
    *thread = data;
    return first ? 1 : 0;
}

static bool get_thread(Dwfl *dwfl, pid_t tid, void *data, void **thread)
{
    (void)dwfl;
    *thread = data;
    return tid == 1;
}

static bool memory_read(Dwfl *dwfl, Dwarf_Addr address, Dwarf_Word *word, void *data)
{
    const struct stack_copy *copy = ((struct unwinder *)data)->copy;
    uint64_t start = register_of(copy, REGISTERS_SP), at = address - start;
    (void)dwfl;
    if (address < start || at > copy->size || copy->size - at < sizeof *word)
        return false;
    memcpy(word, copy->bytes + at, sizeof *word);
    return true;
}

static bool set_registers(Dwfl_Thread *thread, void *data)
{
    const struct stack_copy *copy = ((struct unwinder *)data)->copy;
    Dwarf_Word word[REGISTERS + 1];
    for (int i = 0; i < REGISTERS; i++)
        word[i] = register_of(copy, i);
    dwfl_thread_state_register_pc(thread, register_of(copy, REGISTERS_PC));
    return dwfl_thread_state_registers(thread, 0, REGISTERS, word);
}

static const Dwfl_Thread_Callbacks thread_callbacks = {
    .next_thread = next_thread,
    .get_thread = get_thread,
    .memory_read = memory_read,
    .set_initial_registers = set_registers,
};

/* ---- a process */

static Dwfl_Module *report(Dwfl *dwfl, const struct mapping *mapping, struct objects *objects)
{
    uint64_t address;
    if (mapping->object == PROFILE_NONE ||
        !objects_address(objects, mapping->object, mapping->offset, &address))
        return NULL;
    const char *path = objects_path(objects, mapping->object);
    return dwfl_report_elf(dwfl, path, path, -1, mapping->start - address, true);
}

static struct unwinder *make(const struct space *space, struct objects *objects)
{
    static const Dwfl_Callbacks callbacks = {.find_elf = dwfl_build_id_find_elf,
                                             .find_debuginfo = dwfl_standard_find_debuginfo};
    struct unwinder *unwinder = memory_more(NULL, 1, sizeof *unwinder);
    *unwinder = (struct unwinder){.dwfl = dwfl_begin(&callbacks)};
    int last = PROFILE_NONE;
    if (unwinder->dwfl == NULL)
        return unwinder;
    dwfl_report_begin(unwinder->dwfl);
    for (int i = 0; i < space->n; i++) {
        if (space->mapping[i].object != last)
            report(unwinder->dwfl, &space->mapping[i], objects);
        last = space->mapping[i].object;
    }
    if (dwfl_report_end(unwinder->dwfl, NULL, NULL) != 0 ||
        !dwfl_attach_state(unwinder->dwfl, NULL, 1, &thread_callbacks, unwinder)) {
        dwfl_end(unwinder->dwfl);
        unwinder->dwfl = NULL;
    }
    return unwinder;
}

void unwinder_free(void *data)
{
    struct unwinder *unwinder = data;
    if (unwinder != NULL)
        dwfl_end(unwinder->dwfl);
    free(unwinder);
}

/* ---- a sample */

/* Takes the address of a frame, which is behind the call for all but the first: who looks it up goes back by
 * one, since what follows the call may be another routine's. */
static int take_frame(Dwfl_Frame *frame, void *data)
{
    struct unwinder *unwinder = data;
    Dwarf_Addr address;
    if (!dwfl_frame_pc(frame, &address, NULL) || address == 0 || unwinder->n == UNWIND_MOST)
        return DWARF_CB_ABORT;
    unwinder->address[unwinder->n++] = address;
    return DWARF_CB_OK;
}

int unwind(struct space *space, struct objects *objects, const struct stack_copy *copy, uint64_t *address)
{
    if (space->unwinder == NULL)
        space->unwinder = make(space, objects);
    struct unwinder *unwinder = space->unwinder;
    if (unwinder->dwfl == NULL)
        return 0;
    unwinder->copy = copy;
    unwinder->address = address;
    unwinder->n = 0;
    dwfl_getthread_frames(unwinder->dwfl, 1, take_frame, unwinder); /* as far as it comes */
    return unwinder->n;
}

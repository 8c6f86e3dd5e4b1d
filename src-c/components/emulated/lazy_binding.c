/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Binds the program's calls of PAPI before it counts (see emulated.h).
 *
 * A call of a function in another library goes through a slot, which leads into the dynamic linker until the
 * first call, if libraries are bound lazily. The linker then executes some thousand instructions, which a
 * first PAPI_stop would add to the program's counts: on a real processor this is noise, in the emulator,
 * whose counts are exact, it is an error. So all slots of functions of ours that still lead into their own
 * object are filled with what dlsym finds, as the linker would do it. Objects that prefer their own
 * definitions (DT_SYMBOLIC), versions of symbols and anything unusual are left alone; the linker binds those
 * as ever.
 */
#include "base/array.h"
#include "base/loaded.h"
#include "components/emulated/emulated.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#if defined(__x86_64__)
enum { JUMP_SLOT = R_X86_64_JUMP_SLOT };
#elif defined(__aarch64__)
enum { JUMP_SLOT = R_AARCH64_JUMP_SLOT };
#else
enum { JUMP_SLOT = -1 }; /* no program of this kind is emulated */
#endif

/* The names of calls to be bound. The linker must not be asked while it goes through its objects, and an
 * object may be unloaded afterwards: so one pass collects names, and another binds them. */
struct own_call {
    char name[64];
    uintptr_t function; /* 0: not found, or not asked for yet */
};

struct own_calls {
    struct own_call *call;
    size_t n;
    bool binding; /* the second time */
};

/* Entries of a loaded object's dynamic section. */
struct slots {
    const struct dl_phdr_info *object;
    const ElfW(Rela) * relocation;
    size_t size;
    const ElfW(Sym) * symbols;
    const char *names;
    bool own_first; /* a name means the object's own before those of others */
};

/* ---------------------------------------------------------------------- names */

static struct own_call *find(const struct own_calls *calls, const char *name)
{
    for (size_t i = 0; i < calls->n; i++)
        if (strcmp(calls->call[i].name, name) == 0)
            return &calls->call[i];
    return NULL;
}

static void collect(struct own_calls *calls, const char *name)
{
    if (find(calls, name) != NULL || strlen(name) >= sizeof calls->call->name)
        return;
    if (!ARRAY_GROW(calls->call, calls->n))
        return; /* left to the linker */
    struct own_call *call = &calls->call[calls->n++];
    snprintf(call->name, sizeof call->name, "%s", name);
    call->function = 0;
}

static bool is_ours(const char *name)
{
    name += strspn(name, "_");
    return strncasecmp(name, "papi", 4) == 0 || strncasecmp(name, "fpapi", 5) == 0;
}

/* -------------------------------------------------------------------- objects */

/* The address of an entry: a dynamic section has addresses as the linker made them, or as they are in the
 * file. */
static const void *address_of(const struct dl_phdr_info *object, ElfW(Addr) value)
{
    return (const void *)(uintptr_t)(value < object->dlpi_addr ? value + object->dlpi_addr : value);
}

static void read_entry(struct slots *slots, const ElfW(Dyn) * entry)
{
    const void *address = address_of(slots->object, entry->d_un.d_ptr);
    if (entry->d_tag == DT_JMPREL)
        slots->relocation = address;
    else if (entry->d_tag == DT_PLTRELSZ)
        slots->size = entry->d_un.d_val;
    else if (entry->d_tag == DT_SYMTAB)
        slots->symbols = address;
    else if (entry->d_tag == DT_STRTAB)
        slots->names = address;
    else if (entry->d_tag == DT_SYMBOLIC)
        slots->own_first = true;
    else if (entry->d_tag == DT_FLAGS && (entry->d_un.d_val & DF_SYMBOLIC) != 0)
        slots->own_first = true;
}

/* Binds a slot, unless the function seems to be the object's own: that is the stub by which it calls
 * another's. */
static void bind(const struct slots *slots, uintptr_t *slot, const struct own_call *call)
{
    if (call != NULL && call->function != 0 && !loaded_at(slots->object, call->function))
        __atomic_store_n(slot, call->function, __ATOMIC_RELAXED);
}

/* Collects or binds a slot that has not been bound: it still leads into its own object, which has no such
 * function. */
static void look_at(const struct slots *slots, const ElfW(Rela) * relocation, struct own_calls *calls)
{
    const ElfW(Sym) *symbol = &slots->symbols[ELF64_R_SYM(relocation->r_info)];
    const char *name = slots->names + symbol->st_name;
    uintptr_t *slot = (uintptr_t *)(slots->object->dlpi_addr + relocation->r_offset);
    if ((int)ELF64_R_TYPE(relocation->r_info) != JUMP_SLOT || symbol->st_shndx != SHN_UNDEF ||
        !is_ours(name) || !loaded_at(slots->object, __atomic_load_n(slot, __ATOMIC_RELAXED)))
        return;
    if (calls->binding)
        bind(slots, slot, find(calls, name));
    else
        collect(calls, name);
}

static int look_at_object(struct dl_phdr_info *object, size_t size, void *calls)
{
    struct slots slots = {.object = object};
    const ElfW(Dyn) *entry = NULL;
    (void)size;
    for (int i = 0; i < object->dlpi_phnum; i++)
        if (object->dlpi_phdr[i].p_type == PT_DYNAMIC)
            entry = address_of(object, object->dlpi_addr + object->dlpi_phdr[i].p_vaddr);
    for (; entry != NULL && entry->d_tag != DT_NULL; entry++)
        read_entry(&slots, entry);
    if (slots.relocation == NULL || slots.symbols == NULL || slots.names == NULL || slots.own_first)
        return 0;
    for (size_t i = 0; i < slots.size / sizeof *slots.relocation; i++)
        look_at(&slots, &slots.relocation[i], calls);
    return 0;
}

void bind_own_calls(void)
{
    struct own_calls calls = {0};
    dl_iterate_phdr(look_at_object, &calls);
    for (size_t i = 0; i < calls.n; i++)
        calls.call[i].function = (uintptr_t)dlsym(RTLD_DEFAULT, calls.call[i].name);
    calls.binding = true;
    if (calls.n > 0)
        dl_iterate_phdr(look_at_object, &calls);
    free(calls.call);
}

/* SPDX-License-Identifier: BSD-3-Clause
 * Objects that call MPI by its second names: seen by the relocations that leave these to others. Where an
 * object also has functions MPI_... of its own it is a tool, and MPI's own libraries call each other so. */
#include "rank/unseen.h"

#include "base/loaded.h"
#include "record/calls.h"

#include <elf.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>

#if __ELF_NATIVE_CLASS == 64
#define RELOCATED(info) ELF64_R_SYM(info)
#else
#define RELOCATED(info) ELF32_R_SYM(info)
#endif

/* An object's tables of symbols, and of the relocations by which it refers to some. */
struct symbols {
    const ElfW(Sym) * symbol;
    const char *names;
    const uint32_t *hash; /* those that it has itself (loaded.h) */
    struct {
        const char *first; /* NULL: none */
        size_t bytes, each;
    } relocations[3]; /* of calls; and others, in two forms */
};

enum { OF_CALLS, WITH_ADDENDS, WITHOUT };

static void note_entry(const struct dl_phdr_info *object, const ElfW(Dyn) * entry, struct symbols *symbols)
{
    const void *there = loaded_address(object, entry->d_un.d_ptr);
    switch (entry->d_tag) {
    case DT_SYMTAB:
        symbols->symbol = there;
        break;
    case DT_STRTAB:
        symbols->names = there;
        break;
    case DT_GNU_HASH:
        symbols->hash = there;
        break;
    case DT_JMPREL:
        symbols->relocations[OF_CALLS].first = there;
        break;
    case DT_PLTRELSZ:
        symbols->relocations[OF_CALLS].bytes = entry->d_un.d_val;
        break;
    case DT_PLTREL:
        symbols->relocations[OF_CALLS].each =
            entry->d_un.d_val == DT_RELA ? sizeof(ElfW(Rela)) : sizeof(ElfW(Rel));
        break;
    case DT_RELA:
        symbols->relocations[WITH_ADDENDS].first = there;
        break;
    case DT_RELASZ:
        symbols->relocations[WITH_ADDENDS].bytes = entry->d_un.d_val;
        break;
    case DT_REL:
        symbols->relocations[WITHOUT].first = there;
        break;
    case DT_RELSZ:
        symbols->relocations[WITHOUT].bytes = entry->d_un.d_val;
        break;
    default:
        break;
    }
}

static bool find_symbols(const struct dl_phdr_info *object, struct symbols *symbols)
{
    const ElfW(Dyn) *entry = loaded_dynamic(object);
    *symbols = (struct symbols){.relocations[WITH_ADDENDS].each = sizeof(ElfW(Rela)),
                                .relocations[WITHOUT].each = sizeof(ElfW(Rel))};
    for (; entry != NULL && entry->d_tag != DT_NULL; entry++)
        note_entry(object, entry, symbols);
    return symbols->symbol != NULL && symbols->names != NULL;
}

static const char *name_of(const struct symbols *symbols, uint32_t i)
{
    return symbols->names + symbols->symbol[i].st_name;
}

/* The wrapped call that a name such as PMPI_Send or pmpi_send_ is of; -1: none. */
static int call_of(const char *name)
{
    if (strncasecmp(name, "PMPI_", 5) != 0)
        return -1;
    for (int i = 0; i < CALL_COUNT; i++) {
        size_t n = strlen(call_name[i]);
        bool same = strncasecmp(name + 1, call_name[i], n) == 0 && call_class[i] != CALLS_JOB;
        const char *rest = name + 1 + n;
        if (same &&
            (strspn(rest, "_") == strlen(rest) || strcmp(rest, "_c") == 0 || strncmp(rest, "_f08", 4) == 0))
            return i;
    }
    return -1;
}

static bool is_of_mpi(const char *path)
{
    static const char *const beginning[] = {"libmpi",   "libpmpi", "libmca",    "mca_",
                                            "libopen-", "libompi", "liboshmem", "libpapi"};
    const char *slash = strrchr(path, '/'), *name = slash != NULL ? slash + 1 : path;
    for (size_t i = 0; i < sizeof beginning / sizeof *beginning; i++)
        if (strncmp(name, beginning[i], strlen(beginning[i])) == 0)
            return true;
    return false;
}

static bool is_tool(const struct symbols *symbols)
{
    if (symbols->hash == NULL)
        return false;
    for (uint32_t i = symbols->hash[1], end = loaded_hash_end(symbols->hash); i < end; i++)
        if (symbols->symbol[i].st_shndx != SHN_UNDEF && strncmp(name_of(symbols, i), "MPI_", 4) == 0)
            return true;
    return false;
}

struct search {
    struct settings *settings;
    uint64_t *unseen;
    bool complained;
};

/* Adds the wrapped calls whose second names the object refers to, and leaves to others. Returns the first of
 * them; -1: there is none. */
static int add_references(const struct symbols *symbols, uint64_t *unseen)
{
    int first = -1;
    for (size_t form = 0; form < sizeof symbols->relocations / sizeof *symbols->relocations; form++) {
        const char *at = symbols->relocations[form].first;
        size_t n = at != NULL && symbols->relocations[form].each > 0
                       ? symbols->relocations[form].bytes / symbols->relocations[form].each
                       : 0;
        for (size_t i = 0; i < n; i++, at += symbols->relocations[form].each) {
            uint32_t number = (uint32_t)RELOCATED(((const ElfW(Rel) *)(const void *)at)->r_info);
            int call = symbols->symbol[number].st_shndx == SHN_UNDEF ? call_of(name_of(symbols, number)) : -1;
            if (call >= 0)
                call_put_in(unseen, call);
            first = first < 0 ? call : first;
        }
    }
    return first;
}

static int look(struct dl_phdr_info *object, size_t size, void *context)
{
    struct search *search = context;
    struct symbols symbols;
    uint64_t found[CALL_WORDS] = {0};
    (void)size;
    if (is_of_mpi(object->dlpi_name) || !find_symbols(object, &symbols))
        return 0;
    int call = add_references(&symbols, found);
    if (call < 0 || is_tool(&symbols))
        return 0;
    for (int i = 0; i < CALL_WORDS; i++)
        search->unseen[i] |= found[i];
    if (!search->complained)
        settings_complain(
            search->settings,
            "%.200s calls P%s: calls of PMPI_... functions are not measured, and what they take counts as "
            "useful time; MPI_... would be",
            object->dlpi_name[0] != '\0' ? object->dlpi_name : "the program", call_name[call]);
    search->complained = true;
    return 0;
}

void unseen_calls(struct settings *settings, uint64_t unseen[CALL_WORDS])
{
    struct search search = {settings, unseen, false};
    memset(unseen, 0, CALL_WORDS * sizeof *unseen);
    dl_iterate_phdr(look, &search);
}

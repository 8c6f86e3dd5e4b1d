/* SPDX-License-Identifier: BSD-3-Clause
 * Objects that call MPI by its second names: seen by what their tables of symbols leave to others. Where an
 * object also has functions MPI_... of its own it is a tool, and MPI's own libraries call each other so. */
#include "rank/unseen.h"

#include "record/calls.h"

#include <ctype.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>

/* An object's table of symbols, in the order that its hash table asks for: those that it has not come first.
 */
struct symbols {
    const ElfW(Sym) * symbol;
    const char *names;
    const uint32_t
        *hash; /* places, first symbol that it has, words of the filter, shift; filter, places, chains */
};

static const void *address_in(const struct dl_phdr_info *object, ElfW(Addr) address)
{
    /* Not all loaders put addresses in place of what is in the file. */
    return (const void *)(uintptr_t)(address < object->dlpi_addr ? object->dlpi_addr + address : address);
}

static bool find_symbols(const struct dl_phdr_info *object, struct symbols *symbols)
{
    const ElfW(Dyn) *entry = NULL;
    for (int i = 0; i < object->dlpi_phnum; i++)
        if (object->dlpi_phdr[i].p_type == PT_DYNAMIC)
            entry = (const void *)(uintptr_t)(object->dlpi_addr + object->dlpi_phdr[i].p_vaddr);
    *symbols = (struct symbols){0};
    for (; entry != NULL && entry->d_tag != DT_NULL; entry++) {
        const void *there = address_in(object, entry->d_un.d_ptr);
        if (entry->d_tag == DT_SYMTAB)
            symbols->symbol = there;
        else if (entry->d_tag == DT_STRTAB)
            symbols->names = there;
        else if (entry->d_tag == DT_GNU_HASH)
            symbols->hash = there;
    }
    return symbols->symbol != NULL && symbols->names != NULL && symbols->hash != NULL;
}

static uint32_t first_own(const struct symbols *symbols)
{
    return symbols->hash[1];
}

/* The number behind the last symbol that it has: the last chain ends with an odd hash. */
static uint32_t end_of_own(const struct symbols *symbols)
{
    uint32_t places = symbols->hash[0], first = first_own(symbols), last = 0;
    const uint32_t *place = symbols->hash + 4 + symbols->hash[2] * (sizeof(ElfW(Addr)) / sizeof(uint32_t));
    for (uint32_t i = 0; i < places; i++)
        last = place[i] > last ? place[i] : last;
    if (last < first)
        return first;
    while (!(place[places + last - first] & 1))
        last++;
    return last + 1;
}

static const char *name_of(const struct symbols *symbols, uint32_t i)
{
    return symbols->names + symbols->symbol[i].st_name;
}

/* The wrapped call that a name such as PMPI_Send or pmpi_send_ is of; NULL: none. */
static const char *call_of(const char *name)
{
    if (strncasecmp(name, "PMPI_", 5) != 0)
        return NULL;
    for (int i = 0; i < CALL_COUNT; i++) {
        size_t n = strlen(call_name[i]);
        bool same = strncasecmp(name + 1, call_name[i], n) == 0 && call_class[i] != CALLS_JOB;
        const char *rest = name + 1 + n;
        if (same &&
            (strspn(rest, "_") == strlen(rest) || strcmp(rest, "_c") == 0 || strncmp(rest, "_f08", 4) == 0))
            return call_name[i];
    }
    return NULL;
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
    for (uint32_t i = first_own(symbols), end = end_of_own(symbols); i < end; i++)
        if (strncmp(name_of(symbols, i), "MPI_", 4) == 0)
            return true;
    return false;
}

static int look(struct dl_phdr_info *object, size_t size, void *context)
{
    struct settings *settings = context;
    struct symbols symbols;
    (void)size;
    if (is_of_mpi(object->dlpi_name) || !find_symbols(object, &symbols))
        return 0;
    for (uint32_t i = 1; i < first_own(&symbols); i++) {
        const char *call = symbols.symbol[i].st_shndx == SHN_UNDEF ? call_of(name_of(&symbols, i)) : NULL;
        if (call == NULL || is_tool(&symbols))
            continue;
        settings_complain(
            settings,
            "%.200s calls P%s: calls of PMPI_... functions are not measured, and what they take counts as "
            "useful time; MPI_... would be",
            object->dlpi_name[0] != '\0' ? object->dlpi_name : "the program", call);
        return 1;
    }
    return 0;
}

void unseen_calls(struct settings *settings)
{
    dl_iterate_phdr(look, settings);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "plt.h"
#include "tools/common/allocate.h"

#include <gelf.h>
#include <stdbool.h>
#include <string.h>

static const char *section_name(Elf *elf, const GElf_Shdr *header)
{
    size_t names;
    const char *name = elf_getshdrstrndx(elf, &names) == 0 ? elf_strptr(elf, names, header->sh_name) : NULL;
    return name != NULL ? name : "";
}

/* With the section's name, or else with an address in it. */
static Elf_Scn *find_section(Elf *elf, const char *wanted, uint64_t address, GElf_Shdr *header)
{
    Elf_Scn *section = NULL;
    while ((section = elf_nextscn(elf, section)) != NULL) {
        if (gelf_getshdr(section, header) == NULL)
            continue;
        if (wanted != NULL
                ? strcmp(section_name(elf, header), wanted) == 0
                : (header->sh_flags & SHF_EXECINSTR) != 0 && address - header->sh_addr < header->sh_size)
            break;
    }
    return section;
}

/* The function that a relocation of .rela.plt is for; NULL: not by a name. */
static const char *function_of(Elf *elf, Elf_Data *relocations, const GElf_Shdr *header, int number)
{
    GElf_Rela relocation;
    GElf_Shdr symbols;
    GElf_Sym symbol;
    Elf_Scn *section = elf_getscn(elf, header->sh_link);
    if (gelf_getrela(relocations, number, &relocation) == NULL || GELF_R_SYM(relocation.r_info) == 0 ||
        section == NULL || gelf_getshdr(section, &symbols) == NULL ||
        gelf_getsym(elf_getdata(section, NULL), (int)GELF_R_SYM(relocation.r_info), &symbol) == NULL)
        return NULL;
    return elf_strptr(elf, symbols.sh_link, symbol.st_name);
}

/* The stubs are in the order of their relocations; what .plt has more, at its begin, is the way to the linker
 * that finds functions at their first call. */
static const char *called_at(Elf *elf, const GElf_Shdr *stubs, uint64_t address)
{
    GElf_Shdr header;
    Elf_Scn *section = find_section(elf, ".rela.plt", 0, &header);
    if (section == NULL || header.sh_entsize == 0 || stubs->sh_entsize == 0)
        return NULL;
    uint64_t n = header.sh_size / header.sh_entsize, before = stubs->sh_size - n * stubs->sh_entsize;
    uint64_t at = address - stubs->sh_addr;
    if (before > stubs->sh_size || at < before)
        return NULL;
    return function_of(elf, elf_getdata(section, NULL), &header, (int)((at - before) / stubs->sh_entsize));
}

char *plt_name(Elf *elf, uint64_t address)
{
    GElf_Shdr stubs;
    if (find_section(elf, NULL, address, &stubs) == NULL)
        return NULL;
    const char *name = section_name(elf, &stubs), *called = NULL;
    if (strncmp(name, ".plt", 4) != 0)
        return NULL;
    if (strcmp(name, ".plt") == 0 || strcmp(name, ".plt.sec") == 0)
        called = called_at(elf, &stubs, address);
    return called != NULL ? memory_print("%s@plt", called) : memory_print("(%s)", name);
}

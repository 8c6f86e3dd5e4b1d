/* SPDX-License-Identifier: BSD-3-Clause */
#include "hardware/vdso.h"

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>

/* What the image says of itself for whoever links with it, at the addresses where it lies. */
struct vdso {
    uintptr_t shift; /* what is added to its own addresses */
    const ElfW(Sym) * symbol;
    const char *names;
    const uint32_t *hash, *gnu_hash; /* one of the two or both */
};

static const void *at(const struct vdso *vdso, ElfW(Addr) address)
{
    return (const void *)(vdso->shift + address);
}

static void read_dynamic(struct vdso *vdso, const ElfW(Dyn) * entry)
{
    for (; entry->d_tag != DT_NULL; entry++) {
        const void *there = at(vdso, entry->d_un.d_ptr);
        if (entry->d_tag == DT_SYMTAB)
            vdso->symbol = there;
        else if (entry->d_tag == DT_STRTAB)
            vdso->names = there;
        else if (entry->d_tag == DT_HASH)
            vdso->hash = there;
        else if (entry->d_tag == DT_GNU_HASH)
            vdso->gnu_hash = there;
    }
}

/* The older table says how many there are; the newer one's last chain ends with the last one. */
static uint32_t count_symbols(const struct vdso *vdso)
{
    if (vdso->hash != NULL)
        return vdso->hash[1];
    const uint32_t *table = vdso->gnu_hash;
    uint32_t n = table[0], first = table[1], last = 0;
    const uint32_t *bucket = table + 4 + table[2] * (sizeof(ElfW(Addr)) / sizeof *table), *chain = bucket + n;
    for (uint32_t i = 0; i < n; i++)
        last = bucket[i] > last ? bucket[i] : last;
    while (last >= first && last > 0 && (chain[last - first] & 1) == 0)
        last++;
    return last + 1;
}

static bool read_image(struct vdso *vdso, const ElfW(Ehdr) * image)
{
    const ElfW(Phdr) *part = (const void *)((const char *)image + image->e_phoff);
    const ElfW(Phdr) *load = NULL, *dynamic = NULL;
    for (int i = 0; i < image->e_phnum; i++)
        if (part[i].p_type == PT_LOAD && load == NULL)
            load = &part[i];
        else if (part[i].p_type == PT_DYNAMIC)
            dynamic = &part[i];
    if (load == NULL || dynamic == NULL)
        return false;
    vdso->shift = (uintptr_t)image + load->p_offset - load->p_vaddr;
    read_dynamic(vdso, at(vdso, dynamic->p_vaddr));
    return vdso->symbol != NULL && vdso->names != NULL && (vdso->hash != NULL || vdso->gnu_hash != NULL);
}

void *vdso_function(const char *name)
{
    struct vdso vdso = {0};
    const ElfW(Ehdr) *image = (const void *)getauxval(AT_SYSINFO_EHDR);
    if (image == NULL || !read_image(&vdso, image))
        return NULL;
    uint32_t n = count_symbols(&vdso);
    for (uint32_t i = 1; i < n; i++)
        if (vdso.symbol[i].st_shndx != SHN_UNDEF && strcmp(vdso.names + vdso.symbol[i].st_name, name) == 0)
            return (void *)(uintptr_t)at(&vdso, vdso.symbol[i].st_value);
    return NULL;
}

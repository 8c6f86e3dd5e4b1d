/* SPDX-License-Identifier: BSD-3-Clause */
#include "weigher.h"

#include <elf.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_ours(const struct image *image)
{
    const Elf64_Ehdr *head = (const void *)image->bytes;
    if (image->size < sizeof *head || memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 ||
        head->e_ident[EI_CLASS] != ELFCLASS64 || head->e_ident[EI_DATA] != ELFDATA2LSB ||
        (head->e_machine != EM_X86_64 && head->e_machine != EM_AARCH64))
        return false;
    return head->e_phentsize == sizeof(Elf64_Phdr) && head->e_phoff <= image->size &&
           head->e_phoff % 8 == 0 && head->e_phnum <= (image->size - head->e_phoff) / sizeof(Elf64_Phdr);
}

enum image_status image_open(struct image *image, const char *path, bool writes)
{
    struct stat status;
    *image = (struct image){.path = path, .bytes = MAP_FAILED};
    int fd = open(path, (writes ? O_RDWR : O_RDONLY) | O_CLOEXEC);
    if (fd < 0)
        return IMAGE_FAILED;
    if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0) {
        image->size = (size_t)status.st_size;
        image->bytes =
            mmap(NULL, image->size, PROT_READ | PROT_WRITE, writes ? MAP_SHARED : MAP_PRIVATE, fd, 0);
    }
    close(fd);
    if (image->bytes == MAP_FAILED)
        return IMAGE_OTHER;
    if (!is_ours(image))
        return IMAGE_OTHER;
    image->machine = ((const Elf64_Ehdr *)(const void *)image->bytes)->e_machine;
    return IMAGE_OPEN;
}

void image_close(struct image *image)
{
    if (image->bytes != MAP_FAILED)
        munmap(image->bytes, image->size);
}

static const Elf64_Phdr *headers(const struct image *image, unsigned *n)
{
    const Elf64_Ehdr *head = (const void *)image->bytes;
    *n = head->e_phnum;
    return (const void *)(image->bytes + head->e_phoff);
}

uint64_t image_address(const struct image *image, const void *place)
{
    unsigned n;
    const Elf64_Phdr *header = headers(image, &n);
    uint64_t offset = (uint64_t)((const unsigned char *)place - image->bytes);
    for (unsigned i = 0; i < n; i++)
        if (header[i].p_type == PT_LOAD && offset >= header[i].p_offset &&
            offset - header[i].p_offset < header[i].p_filesz)
            return header[i].p_vaddr + (offset - header[i].p_offset);
    return 0;
}

/* The bytes of the file that are loaded at an address, at least size of them; NULL: the file has none
 * there. */
static void *memory_at(const struct image *image, uint64_t address, size_t size)
{
    unsigned n;
    const Elf64_Phdr *header = headers(image, &n);
    for (unsigned i = 0; i < n; i++) {
        uint64_t into = address - header[i].p_vaddr, offset = header[i].p_offset + into;
        if (header[i].p_type == PT_LOAD && address >= header[i].p_vaddr && into <= header[i].p_filesz &&
            size <= header[i].p_filesz - into && offset <= image->size && size <= image->size - offset)
            return image->bytes + offset;
    }
    return NULL;
}

void *image_at(const struct image *image, const int64_t *distance, size_t size)
{
    return memory_at(image, image_address(image, distance) + (uint64_t)*distance, size);
}

static bool is_for_numbers(const void *place)
{
    return (uintptr_t)place % sizeof(int64_t) == 0;
}

static struct counted_module *module_of(const struct image *image, const Elf64_Nhdr *note)
{
    size_t name = (note->n_namesz + 3) / 4 * 4;
    const unsigned char *descriptor = (const unsigned char *)(note + 1) + name;
    if (note->n_type != COUNTED_NOTE_TYPE || note->n_namesz != sizeof COUNTED_NOTE_NAME ||
        note->n_descsz != sizeof(int64_t) ||
        memcmp(note + 1, COUNTED_NOTE_NAME, sizeof COUNTED_NOTE_NAME) != 0)
        return NULL;
    int64_t distance;
    memcpy(&distance, descriptor, sizeof distance);
    struct counted_module *module =
        memory_at(image, image_address(image, descriptor) + (uint64_t)distance, sizeof *module);
    bool found = module != NULL && is_for_numbers(module) &&
                 memcmp(module->magic, COUNTED_MAGIC, sizeof module->magic) == 0;
    return found ? module : NULL;
}

/* Some notes are aligned to 8 bytes, ours is not: the segment's alignment says which. */
static struct counted_module *module_among(const struct image *image, const Elf64_Phdr *segment)
{
    uint64_t align = segment->p_align == 8 ? 8 : 4, at = segment->p_offset;
    uint64_t end = segment->p_offset + segment->p_filesz;
    if (at % 4 != 0 || at > image->size || segment->p_filesz > image->size - at)
        return NULL;
    while (end - at >= sizeof(Elf64_Nhdr)) {
        const Elf64_Nhdr *note = (const void *)(image->bytes + at);
        uint64_t size = sizeof *note + (note->n_namesz + align - 1) / align * align +
                        (note->n_descsz + align - 1) / align * align;
        if (size > end - at)
            return NULL;
        struct counted_module *module = module_of(image, note);
        if (module != NULL)
            return module;
        at += size;
    }
    return NULL;
}

struct counted_module *image_module(const struct image *image)
{
    unsigned n;
    const Elf64_Phdr *header = headers(image, &n);
    for (unsigned i = 0; i < n; i++) {
        struct counted_module *module = header[i].p_type == PT_NOTE ? module_among(image, &header[i]) : NULL;
        if (module != NULL)
            return module;
    }
    return NULL;
}

static const Elf64_Phdr *header_of(const struct image *image, uint32_t type)
{
    unsigned n;
    const Elf64_Phdr *header = headers(image, &n);
    for (unsigned i = 0; i < n; i++)
        if (header[i].p_type == type && header[i].p_filesz <= image->size &&
            header[i].p_offset <= image->size - header[i].p_filesz && header[i].p_offset % 8 == 0)
            return &header[i];
    return NULL;
}

/* The flags of how it is loaded. Where it has none, the linker has left room behind the last entry. */
static Elf64_Dyn *load_flags(const struct image *image, const Elf64_Phdr *dynamic)
{
    Elf64_Dyn *entry = (void *)(image->bytes + dynamic->p_offset);
    size_t n = dynamic->p_filesz / sizeof *entry, i = 0;
    while (i < n && entry[i].d_tag != DT_NULL && entry[i].d_tag != DT_FLAGS_1)
        i++;
    if (i < n && entry[i].d_tag == DT_FLAGS_1)
        return &entry[i];
    if (i + 1 >= n || entry[i + 1].d_tag != DT_NULL)
        return NULL;
    entry[i] = (Elf64_Dyn){.d_tag = DT_FLAGS_1};
    return &entry[i];
}

void image_keep(const struct image *image)
{
    const Elf64_Phdr *dynamic = header_of(image, PT_DYNAMIC);
    if (dynamic == NULL || ((const Elf64_Ehdr *)(const void *)image->bytes)->e_type != ET_DYN ||
        header_of(image, PT_INTERP) != NULL)
        return;
    Elf64_Dyn *flags = load_flags(image, dynamic);
    if (flags != NULL && (flags->d_un.d_val & DF_1_PIE) == 0)
        flags->d_un.d_val |= DF_1_NODELETE;
}

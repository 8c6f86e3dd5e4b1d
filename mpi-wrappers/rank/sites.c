/* SPDX-License-Identifier: BSD-3-Clause */
#include "rank/sites.h"

#include <elf.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

/* ---- what is at an address */

struct search {
    uintptr_t address;
    struct site_object found;
};

static bool is_inside(const struct dl_phdr_info *info, uintptr_t address)
{
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        if (segment->p_type == PT_LOAD && address - info->dlpi_addr - segment->p_vaddr < segment->p_memsz)
            return true;
    }
    return false;
}

enum { NOTE_ALIGN = 4 };

static size_t rounded(size_t size)
{
    return (size + NOTE_ALIGN - 1) / NOTE_ALIGN * NOTE_ALIGN;
}

/* A segment of notes: each has its sizes, "GNU" or another name, and what it says. */
static void read_notes(struct site_object *object, const char *note, size_t size)
{
    ElfW(Nhdr) head;
    while (size >= sizeof head) {
        memcpy(&head, note, sizeof head);
        size_t length = sizeof head + rounded(head.n_namesz) + rounded(head.n_descsz);
        if (length > size)
            return;
        if (head.n_type == NT_GNU_BUILD_ID && head.n_namesz == 4 &&
            memcmp(note + sizeof head, "GNU", 4) == 0 && head.n_descsz <= BUILD_ID) {
            memcpy(object->build_id, note + sizeof head + rounded(head.n_namesz), head.n_descsz);
            object->build_id_size = (uint8_t)head.n_descsz;
            return;
        }
        note += length;
        size -= length;
    }
}

static int look(struct dl_phdr_info *info, size_t size, void *data)
{
    struct search *search = data;
    struct site_object *found = &search->found;
    (void)size;
    if (!is_inside(info, search->address))
        return 0;
    const char *path =
        info->dlpi_name != NULL && info->dlpi_name[0] != '\0' ? info->dlpi_name : papi_mpi.record->program;
    found->bias = info->dlpi_addr;
    snprintf(found->path, sizeof found->path, "%s", path);
    for (int i = 0; i < info->dlpi_phnum && found->build_id_size == 0; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        if (segment->p_type == PT_NOTE)
            read_notes(found, (const char *)(uintptr_t)(info->dlpi_addr + segment->p_vaddr),
                       segment->p_memsz);
    }
    return 1;
}

/* A library that is unloaded and loaded again elsewhere is another one, with other addresses. */
static int object_number(struct rank_record *record, const struct site_object *object)
{
    int n = atomic_load(&record->n_objects), i = 0;
    while (i < n && memcmp(&record->object[i], object, sizeof *object) != 0)
        i++;
    if (i < n)
        return i;
    if (n == MAX_OBJECTS)
        return -1;
    record->object[n] = *object;
    atomic_store(&record->n_objects, n + 1);
    return n;
}

static int find_object(uintptr_t address)
{
    struct search search;
    memset(&search, 0, sizeof search); /* all of it: objects are compared as bytes */
    search.address = address;
    if (papi_mpi.record == NULL || dl_iterate_phdr(look, &search) == 0)
        return -1;
    pthread_mutex_lock(&papi_mpi.object_lock);
    int number = object_number(papi_mpi.record, &search.found);
    pthread_mutex_unlock(&papi_mpi.object_lock);
    return number;
}

/* ---- the thread's table */

/* What is at the address is asked now: later the library may be gone. */
static __attribute__((cold)) struct call_site *add(struct thread_record *thread, struct call_site *site,
                                                   enum call call, uintptr_t address)
{
    if (thread->n_sites == MAX_SITES)
        return &thread->site[SITE_PLACES];
    thread->n_sites++;
    site->call = (int32_t)call;
    site->object = find_object(address);
    __atomic_store_n(&site->address, address, __ATOMIC_RELEASE); /* a reader believes it from here on */
    return site;
}

struct call_site *site_find(struct thread_record *thread, enum call call, uintptr_t address)
{
    for (uint32_t i = site_hash(address);; i = (i + 1) % SITE_PLACES) {
        struct call_site *site = &thread->site[i];
        if (site->address == address && site->call == (int32_t)call)
            return site;
        if (site->address == 0)
            return add(thread, site, call, address);
    }
}

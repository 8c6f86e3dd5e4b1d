/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/mpi_symbols.h"
#include "base/loaded.h"

#include <dlfcn.h>

static const void *base_of(const void *address)
{
    Dl_info info;
    return dladdr(address, &info) ? info.dli_fbase : NULL;
}

/* ---- objects that may have a name */

/* The table of an object's names by hash, as linkers write it for --hash-style=gnu. NULL: it has none. */
static const uint32_t *hash_table(const struct dl_phdr_info *object)
{
    const ElfW(Dyn) *entry = loaded_dynamic(object);
    while (entry != NULL && entry->d_tag != DT_NULL && entry->d_tag != DT_GNU_HASH)
        entry++;
    bool is_there = entry != NULL && entry->d_tag != DT_NULL;
    return is_there ? loaded_address(object, entry->d_un.d_ptr) : NULL;
}

static uint32_t hash_of(const char *name)
{
    uint32_t hash = 5381;
    for (; *name != '\0'; name++)
        hash = hash * 33 + (unsigned char)*name;
    return hash;
}

/* True if the name's hash is in the table: mostly, the name is in the object. */
static bool has_hash(const uint32_t *table, uint32_t hash)
{
    uint32_t buckets = table[0], first = table[1], words = table[2];
    const uint32_t *bucket = table + 4 + words * (sizeof(ElfW(Addr)) / sizeof(uint32_t));
    const uint32_t *chain = bucket + buckets;
    uint32_t at = buckets > 0 ? bucket[hash % buckets] : 0;
    if (at < first || at == 0)
        return false;
    for (;; at++) {
        if ((chain[at - first] | 1) == (hash | 1))
            return true;
        if (chain[at - first] & 1)
            return false;
    }
}

struct search {
    uint32_t hash;
    struct loaded_names names;
};

static int note_if_possible(struct dl_phdr_info *object, size_t size, void *context)
{
    struct search *search = context;
    const uint32_t *table = hash_table(object);
    return table == NULL || has_hash(table, search->hash) ? loaded_note_name(object, size, &search->names)
                                                          : 0;
}

/* Looks a name up in all loaded objects but this library, whatever scope they were opened with. Only those
 * that have its hash are opened: the loader takes 10 microseconds for each, and an MPI has some 50. */
static void *anywhere(const char *name)
{
    struct search search = {hash_of(name), {0}};
    void *found = NULL;
    dl_iterate_phdr(note_if_possible, &search);
    for (int i = 0; i < search.names.n && !found; i++) {
        const char *file = search.names.name[i];
        void *handle = file[0] != '\0' ? dlopen(file, RTLD_LAZY | RTLD_NOLOAD) : NULL;
        if (!handle)
            continue;
        found = dlsym(handle, name);
        if (found && base_of(found) == base_of(mpi_symbol))
            found = NULL;
        dlclose(handle); /* others hold it */
    }
    loaded_names_free(&search.names);
    return found;
}

/* ---- */

void *mpi_symbol(const char *name)
{
    /* Looked up from the beginning, not behind this library: an object of MPI may have been copied into the
     * program. */
    void *found = dlsym(RTLD_DEFAULT, name);
    return found ? found : anywhere(name);
}

void *mpi_symbol_behind(const char *name)
{
    void *found = dlsym(RTLD_NEXT, name);
    return found ? found : anywhere(name);
}

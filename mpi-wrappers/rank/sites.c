/* SPDX-License-Identifier: BSD-3-Clause */
#include "rank/sites.h"
#include "base/loaded.h"

#include "rank/rank.h"

#include <dlfcn.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unwind.h>

/* ---- what is at an address */

struct search {
    uintptr_t address;
    struct site_object found;
};

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

/* The addresses of an object's code. */
static void find_code(const struct dl_phdr_info *info, uint64_t *low, uint64_t *high)
{
    *low = UINT64_MAX;
    *high = 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X))
            continue;
        uint64_t from = info->dlpi_addr + segment->p_vaddr;
        *low = from < *low ? from : *low;
        *high = from + segment->p_memsz > *high ? from + segment->p_memsz : *high;
    }
}

static int look(struct dl_phdr_info *info, size_t size, void *data)
{
    struct search *search = data;
    struct site_object *found = &search->found;
    (void)size;
    if (!loaded_at(info, search->address))
        return 0;
    const char *path =
        info->dlpi_name != NULL && info->dlpi_name[0] != '\0' ? info->dlpi_name : papi_mpi.record->program;
    found->bias = info->dlpi_addr;
    char room[PATH_MAX];
    snprintf(found->path, sizeof found->path, "%s", loaded_path(path, room));
    find_code(info, &found->low, &found->high);
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

void site_note_program(void)
{
    find_object((uintptr_t)getauxval(AT_ENTRY));
}

/* ---- the thread's table */

/* Adds a call site. Its object is looked up now, since the library may be unloaded later. */
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

/* ---- the place in the program itself */

/* ---- the program */

static int first_object(struct dl_phdr_info *info, size_t size, void *data)
{
    struct walker *walker = data;
    (void)size;
    uint64_t low, high;
    find_code(info, &low, &high);
    walker->low = (uintptr_t)low;
    walker->high = (uintptr_t)high;
    return 1; /* the first one is the program */
}

int walk_begin(void)
{
    struct walker *walker = &papi_mpi.walker;
    if (walker->backtrace != NULL)
        return 0;
    void *library = dlopen("libgcc_s.so.1", RTLD_NOW | RTLD_LOCAL); /* for as long as the process lives */
    *walker = (struct walker){.low = 0};
    dl_iterate_phdr(first_object, walker);
    if (library != NULL)
        walker->backtrace = dlsym(library, "_Unwind_Backtrace");
    if (walker->backtrace == NULL)
        return -1;
    *(void **)&walker->ip = dlsym(library, "_Unwind_GetIP");
    *(void **)&walker->cfa = dlsym(library, "_Unwind_GetCFA");
    return walker->ip != NULL && walker->cfa != NULL ? 0 : -1;
}

static inline int is_program(uintptr_t address)
{
    return address > papi_mpi.walker.low && address <= papi_mpi.walker.high;
}

/* ---- the calls around */

enum { STEPS = 12, WALKS = 32, DEEPEST = 128 };

/* A way to the program: the return addresses on it, and where on the stack they are. Unwinding takes
 * microseconds, comparing these some nanoseconds; MPI calls in loops come by the same way nearly always. It
 * is the same one as long as the same words are at the same places: a function's frame, from one return
 * address to the next, has the size that its code gives it; where it has not (alloca), other words are at
 * these places, and the stack is unwound again. A match by chance would need a stack that has the same return
 * addresses as data at just these places. */
struct walk {
    uintptr_t address, frame, found;
    int n; /* 0: a free place */
    struct {
        uintptr_t at, value;
    } step[STEPS];
};

struct walks {
    struct walk walk[WALKS];
};

struct unwinding {
    struct walk walk;
    int seen, depth; /* seen: the frame that called MPI was come to */
};

/* Notes the place of a return address, to be compared the next time. On x86-64 a call puts its return address
 * right below what the frame of its caller has. Elsewhere it is in a register first, and nobody knows where
 * it goes from there. */
static void note_step(struct walk *walk, uintptr_t cfa, uintptr_t value)
{
#ifdef __x86_64__
    uintptr_t at = cfa - sizeof value;
    if (walk->n >= 0 && walk->n < STEPS && at > walk->frame && *(const uintptr_t *)at == value) {
        walk->step[walk->n].at = at;
        walk->step[walk->n++].value = value;
        return;
    }
#endif
    (void)cfa;
    (void)value;
    walk->n = -1; /* not to be kept */
}

static _Unwind_Reason_Code step(struct _Unwind_Context *context, void *data)
{
    struct unwinding *unwinding = data;
    uintptr_t ip = papi_mpi.walker.ip(context);
    if (++unwinding->depth > DEEPEST || ip == 0)
        return _URC_END_OF_STACK;
    if (!unwinding->seen) {
        unwinding->seen = ip == unwinding->walk.address;
        return _URC_NO_REASON;
    }
    note_step(&unwinding->walk, papi_mpi.walker.cfa(context), ip);
    if (!is_program(ip))
        return _URC_NO_REASON;
    unwinding->walk.found = ip;
    return _URC_END_OF_STACK;
}

typedef _Unwind_Reason_Code backtrace(_Unwind_Trace_Fn step, void *data);

static __attribute__((noinline, cold)) uintptr_t unwind(struct walk *keep, uintptr_t address, uintptr_t frame)
{
    struct unwinding unwinding = {.walk = {.address = address, .frame = frame, .found = address}};
    backtrace *all = NULL;
    *(void **)&all = papi_mpi.walker.backtrace;
    all(step, &unwinding);
    if (keep != NULL)
        *keep = unwinding.walk;
    return unwinding.walk.found;
}

static int is_same(const struct walk *walk, uintptr_t address, uintptr_t frame)
{
    if (walk->address != address || walk->frame != frame || walk->n <= 0)
        return 0;
    for (int i = 0; i < walk->n; i++)
        if (*(const uintptr_t *)walk->step[i].at != walk->step[i].value)
            return 0;
    return 1;
}

uintptr_t walk_to_program(uintptr_t address, uintptr_t frame)
{
    if (is_program(address))
        return address;
    if (mpi_thread.walks == NULL)
        mpi_thread.walks = calloc(1, sizeof *mpi_thread.walks);
    if (mpi_thread.walks == NULL)
        return unwind(NULL, address, frame);
    uint64_t hash = ((uint64_t)address * 31 + frame) * 0x9e3779b97f4a7c15u;
    struct walk *walk = &mpi_thread.walks->walk[(hash >> 32) % WALKS];
    return is_same(walk, address, frame) ? walk->found : unwind(walk, address, frame);
}

void walk_forget(void)
{
    free(mpi_thread.walks);
    free(mpi_thread.probe);
    mpi_thread.walks = NULL;
    mpi_thread.probe = NULL;
}

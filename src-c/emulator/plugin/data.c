/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The data that accesses go to, for papi_profile --data. Ranges of addresses that belong to a variable of a
 * file (by its symbols) or to an allocation (the preloaded library says of each where it is, and where it was
 * made) are in one sorted list, with the stacks as one object; all other addresses are one, too. Allocations
 * by one call are one object. Each thread counts for itself, by instruction and object: accesses, misses of
 * each level, and how far an access is from the one before it, of which the most frequent distance is kept by
 * a vote: equal ones add to it, others take from it, and at 0 the next one is the candidate. Bytes of a
 * fetched line count as used once, from one miss of the first level to the next miss of that line. Tables
 * that grow leave the old ones where they are, as another thread may read them at the program's end.
 */
#include "base/array.h"
#include "emulator/plugin/plugin.h"

#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LEAST_VARIABLE = 64 }; /* bytes: smaller ones are not told apart */

struct range {
    uint64_t start, end;
    struct data_object *object;
};

static struct {
    pthread_mutex_t lock;
    struct range *range; /* by addresses; none overlaps another */
    size_t n_ranges;
    struct data_object **object;
    size_t n_objects;
    _Atomic unsigned generation; /* of the ranges */
    struct data_thread *_Atomic first_thread;
    struct data_object stack, other;
    bool any_allocation;
} data = {.lock = PTHREAD_MUTEX_INITIALIZER,
          .stack = {.kind = 's', .file = -1},
          .other = {.kind = 'o', .file = -1}};

/* ---- ranges */

/* The first range that ends behind an address. */
static size_t range_after(uint64_t address)
{
    size_t low = 0, high = data.n_ranges;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (data.range[middle].end <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void remove_ranges(uint64_t start, uint64_t end)
{
    size_t first = range_after(start), n = 0;
    while (first + n < data.n_ranges && data.range[first + n].start < end)
        n++;
    if (n == 0)
        return;
    memmove(data.range + first, data.range + first + n, (data.n_ranges - first - n) * sizeof *data.range);
    data.n_ranges -= n;
    atomic_fetch_add(&data.generation, 1);
}

/* Puts a range in the place of those that it overlaps: their memory is gone. */
static void add_range(uint64_t start, uint64_t end, struct data_object *object)
{
    remove_ranges(start, end);
    if (object == NULL || start >= end || !ARRAY_GROW(data.range, data.n_ranges))
        return;
    size_t at = range_after(start);
    memmove(data.range + at + 1, data.range + at, (data.n_ranges - at) * sizeof *data.range);
    data.range[at] = (struct range){start, end, object};
    data.n_ranges++;
    atomic_fetch_add(&data.generation, 1);
}

/* The object at an address, and the addresses around it that are the same one's. */
static struct range find_range(uint64_t address)
{
    pthread_mutex_lock(&data.lock);
    size_t at = range_after(address);
    struct range found = {.start = at > 0 ? data.range[at - 1].end : 0,
                          .end = at < data.n_ranges ? data.range[at].start : UINT64_MAX,
                          .object = &data.other};
    if (at < data.n_ranges && data.range[at].start <= address)
        found = data.range[at];
    pthread_mutex_unlock(&data.lock);
    return found;
}

static struct data_object *object_of(char kind, int file, uint64_t at)
{
    for (size_t i = data.n_objects; i > 0; i--)
        if (data.object[i - 1]->kind == kind && data.object[i - 1]->file == file &&
            data.object[i - 1]->at == at)
            return data.object[i - 1];
    struct data_object *object = ARRAY_GROW(data.object, data.n_objects) ? calloc(1, sizeof *object) : NULL;
    if (object == NULL)
        return NULL;
    object->kind = kind;
    object->file = file;
    object->at = at;
    return data.object[data.n_objects++] = object;
}

/* ---- allocations */

void data_allocated(uint64_t address, uint64_t size, uint64_t caller)
{
    uint64_t offset;
    pthread_mutex_lock(&plugin.translating); /* the map of files is read while a block is translated */
    int file = lines_file_at(caller, &offset);
    pthread_mutex_unlock(&plugin.translating);
    pthread_mutex_lock(&data.lock);
    struct data_object *object = object_of('h', file, offset);
    data.any_allocation = true;
    if (object != NULL) {
        object->times++;
        object->size += size;
    }
    add_range(address, address + size, object);
    pthread_mutex_unlock(&data.lock);
}

void data_freed(uint64_t address)
{
    pthread_mutex_lock(&data.lock);
    size_t at = range_after(address);
    if (at < data.n_ranges && data.range[at].start == address && data.range[at].object->kind == 'h')
        remove_ranges(address, address + 1);
    pthread_mutex_unlock(&data.lock);
}

/* ---- stacks */

void data_stack(uint64_t start, uint64_t end)
{
    pthread_mutex_lock(&data.lock);
    add_range(start, end, &data.stack);
    pthread_mutex_unlock(&data.lock);
}

/* A stack in memory that something else has said to be its own stays that. */
void data_thread_begins(uint64_t stack)
{
    uint64_t start = lines_stack_below(stack);
    struct range around = find_range(stack - 1);
    if (start == 0 || around.object != &data.other)
        return;
    data_stack(start > around.start ? start : around.start, stack);
}

void data_unmapped(uint64_t start, uint64_t size)
{
    pthread_mutex_lock(&data.lock);
    remove_ranges(start, start + size);
    pthread_mutex_unlock(&data.lock);
}

/* ---- variables */

/* A file in memory. */
struct image {
    const unsigned char *bytes;
    uint64_t size;
};

static const void *part_of(const struct image *image, uint64_t offset, uint64_t size)
{
    return offset <= image->size && size <= image->size - offset ? image->bytes + offset : NULL;
}

/* The address that the file itself gives to what is mapped from an offset of it on. */
static bool first_address(const struct image *image, const Elf64_Ehdr *head, uint64_t offset,
                          uint64_t *address)
{
    for (unsigned i = 0; i < head->e_phnum; i++) {
        const Elf64_Phdr *segment =
            part_of(image, head->e_phoff + i * (uint64_t)sizeof *segment, sizeof *segment);
        if (segment == NULL || segment->p_type != PT_LOAD || offset < (segment->p_offset & ~UINT64_C(4095)) ||
            offset >= segment->p_offset + segment->p_filesz)
            continue;
        *address = segment->p_vaddr - segment->p_offset + offset;
        return true;
    }
    return false;
}

static void add_variables(const struct image *image, const Elf64_Shdr *section, int file, uint64_t bias)
{
    for (uint64_t i = 0; i < section->sh_size / sizeof(Elf64_Sym); i++) {
        const Elf64_Sym *symbol = part_of(image, section->sh_offset + i * sizeof *symbol, sizeof *symbol);
        if (symbol == NULL)
            return;
        if (ELF64_ST_TYPE(symbol->st_info) != STT_OBJECT || symbol->st_shndx == SHN_UNDEF ||
            symbol->st_size < LEAST_VARIABLE)
            continue;
        struct data_object *object = object_of('v', file, symbol->st_value);
        if (object != NULL)
            object->size = symbol->st_size;
        add_range(bias + symbol->st_value, bias + symbol->st_value + symbol->st_size, object);
    }
}

/* Reads the symbols of the whole file where it has them, otherwise those that other files see. */
static void read_variables(const struct image *image, int file, uint64_t start, uint64_t offset)
{
    const Elf64_Ehdr *head = part_of(image, 0, sizeof *head);
    const Elf64_Shdr *symbols = NULL;
    uint64_t address;
    if (head == NULL || memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 ||
        head->e_ident[EI_CLASS] != ELFCLASS64 || !first_address(image, head, offset, &address))
        return;
    for (unsigned i = 0; i < head->e_shnum; i++) {
        const Elf64_Shdr *section =
            part_of(image, head->e_shoff + i * (uint64_t)sizeof *section, sizeof *section);
        if (section != NULL &&
            (section->sh_type == SHT_SYMTAB || (section->sh_type == SHT_DYNSYM && symbols == NULL)))
            symbols = section;
    }
    if (symbols != NULL)
        add_variables(image, symbols, file, start - address);
}

void data_mapped(const char *path, int file, uint64_t start, uint64_t offset)
{
    struct image image = {.size = 0};
    struct stat status;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0) {
        image.size = (uint64_t)status.st_size;
        image.bytes = mmap(NULL, image.size, PROT_READ, MAP_PRIVATE, fd, 0);
    }
    if (fd >= 0)
        close(fd);
    if (image.bytes == NULL || image.bytes == MAP_FAILED)
        return;
    pthread_mutex_lock(&data.lock);
    read_variables(&image, file, start, offset);
    pthread_mutex_unlock(&data.lock);
    munmap((void *)image.bytes, image.size);
}

/* ---- accesses */

/* Accesses of an instruction to an object. */
struct use {
    const struct operand *operand;
    struct data_object *object;
    uint64_t start, end; /* addresses of the same object, around the last one */
    unsigned generation;
    uint64_t accesses, miss[DATA_LEVELS];
    uint64_t last; /* address */
    int64_t stride;
    uint64_t votes, equal, moves;
    uint64_t fetched, used; /* bytes of lines that these accesses fetched, and those that were used of them */
};

/* A line of the first cache, and its bytes that were used since it was fetched last. */
struct used_line {
    uint64_t key; /* the line's number and 1; 0: nobody's */
    uint64_t bytes;
    struct use *use; /* that fetched it; NULL: nobody's */
};

enum { RECENT = 256 };

struct data_thread {
    struct use **use; /* by their hashes; NULL: free */
    size_t n_uses, use_room;
    struct used_line *line;
    size_t n_lines, line_room;
    struct use *recent[RECENT]; /* of each instruction, where it is still the same object's */
    struct data_thread *next;
};

static size_t hash(uint64_t a, uint64_t b)
{
    uint64_t mixed = (a ^ (b << 17 | b >> 47)) * UINT64_C(0x9e3779b97f4a7c15);
    return (size_t)(mixed ^ mixed >> 29);
}

struct data_thread *data_thread_make(void)
{
    struct data_thread *thread = calloc(1, sizeof *thread);
    if (thread == NULL)
        return NULL;
    thread->next = atomic_load(&data.first_thread);
    while (!atomic_compare_exchange_weak(&data.first_thread, &thread->next, thread))
        ;
    return thread;
}

static size_t use_place(struct use *const *table, size_t room, const struct operand *operand,
                        const struct data_object *object)
{
    size_t at = hash((uint64_t)(uintptr_t)operand, (uint64_t)(uintptr_t)object) & (room - 1);
    while (table[at] != NULL && (table[at]->operand != operand || table[at]->object != object))
        at = (at + 1) & (room - 1);
    return at;
}

static bool grow_uses(struct data_thread *thread)
{
    size_t room = thread->use_room == 0 ? 256 : 2 * thread->use_room;
    struct use **table = calloc(room, sizeof(struct use *));
    if (table == NULL)
        return false;
    for (size_t i = 0; i < thread->use_room; i++)
        if (thread->use[i] != NULL)
            table[use_place(table, room, thread->use[i]->operand, thread->use[i]->object)] = thread->use[i];
    thread->use = table;
    thread->use_room = room;
    return true;
}

static struct use *make_use(struct data_thread *thread, size_t at, const struct operand *operand,
                            struct data_object *object)
{
    struct use *use = calloc(1, sizeof *use);
    if (use == NULL)
        return NULL;
    use->operand = operand;
    use->object = object;
    thread->n_uses++;
    return thread->use[at] = use;
}

static struct use *use_of(struct data_thread *thread, const struct operand *operand, uint64_t address)
{
    unsigned generation = atomic_load_explicit(&data.generation, memory_order_relaxed);
    struct use **recent = &thread->recent[hash((uint64_t)(uintptr_t)operand, 0) % RECENT], *use = *recent;
    if (use != NULL && use->operand == operand && use->generation == generation && address >= use->start &&
        address < use->end)
        return use;
    struct range range = find_range(address);
    if (2 * thread->n_uses >= thread->use_room && !grow_uses(thread))
        return NULL;
    size_t at = use_place(thread->use, thread->use_room, operand, range.object);
    use = thread->use[at] != NULL ? thread->use[at] : make_use(thread, at, operand, range.object);
    if (use == NULL)
        return NULL;
    use->start = range.start;
    use->end = range.end;
    use->generation = generation;
    return *recent = use;
}

static void note_stride(struct use *use, uint64_t address)
{
    int64_t distance = (int64_t)(address - use->last);
    use->last = address;
    if (use->accesses++ == 0)
        return;
    use->moves++;
    if (use->votes == 0 && distance != use->stride) {
        use->stride = distance;
        use->equal = 0;
    }
    if (distance == use->stride) {
        use->votes++;
        use->equal++;
    } else if (use->votes > 0) {
        use->votes--;
    }
}

/* ---- lines */

static size_t line_place(const struct used_line *table, size_t room, uint64_t key)
{
    size_t at = hash(key, 0) & (room - 1);
    while (table[at].key != 0 && table[at].key != key)
        at = (at + 1) & (room - 1);
    return at;
}

static bool grow_lines(struct data_thread *thread)
{
    size_t room = thread->line_room == 0 ? 4096 : 2 * thread->line_room;
    struct used_line *table = calloc(room, sizeof *table);
    if (table == NULL)
        return false;
    for (size_t i = 0; i < thread->line_room; i++)
        if (thread->line[i].key != 0)
            table[line_place(table, room, thread->line[i].key)] = thread->line[i];
    thread->line = table;
    thread->line_room = room;
    return true;
}

/* Adds what was used of a line that is fetched again, or not any more. */
static void finish_line(struct used_line *line, unsigned size)
{
    if (line->use != NULL) {
        line->use->fetched += size;
        line->use->used += (uint64_t)__builtin_popcountll(line->bytes) * (size > 64 ? size / 64 : 1);
    }
    line->use = NULL;
    line->bytes = 0;
}

static void use_line(struct data_thread *thread, struct use *use, uint64_t number, uint64_t bytes,
                     bool fetched)
{
    if (2 * thread->n_lines >= thread->line_room && !grow_lines(thread))
        return;
    struct used_line *line = &thread->line[line_place(thread->line, thread->line_room, number + 1)];
    thread->n_lines += line->key == 0;
    if (fetched) {
        finish_line(line, plugin.geometry[CACHE_L1D].line);
        line->use = use;
    }
    line->key = number + 1;
    line->bytes |= bytes;
}

/* The bytes of a line, or its 64 parts if it has more, from first to last. */
static uint64_t bytes_between(uint64_t first, uint64_t last, unsigned size)
{
    unsigned part = size > 64 ? size / 64 : 1;
    uint64_t n = last / part - first / part + 1;
    return (n >= 64 ? UINT64_MAX : (UINT64_C(1) << n) - 1) << first / part;
}

static void use_bytes(struct data_thread *thread, struct use *use, uint64_t address, unsigned size,
                      bool missed)
{
    unsigned line = plugin.geometry[CACHE_L1D].line;
    if (plugin.geometry[CACHE_L1D].size == 0)
        return;
    for (uint64_t left = size, n; left > 0; left -= n, address += n) {
        uint64_t first = address % line;
        n = left < line - first ? left : line - first;
        use_line(thread, use, address / line, bytes_between(first, first + n - 1, line), missed);
    }
}

void data_accessed(struct data_thread *thread, const struct operand *operand, uint64_t address, unsigned size,
                   bool part, const uint64_t *before, const uint64_t *after)
{
    static const int reads[DATA_LEVELS] = {EMULATED_L1D_READ_MISSES - EMULATED_FIRST_CACHE_EVENT,
                                           EMULATED_L2_READ_MISSES - EMULATED_FIRST_CACHE_EVENT,
                                           EMULATED_L3_READ_MISSES - EMULATED_FIRST_CACHE_EVENT};
    uint64_t miss[DATA_LEVELS];
    struct use *use = use_of(thread, operand, address);
    if (use == NULL)
        return;
    if (!part)
        note_stride(use, address);
    for (int level = 0; level < DATA_LEVELS; level++) { /* those of writes are next to those of reads */
        int event = reads[level];
        miss[level] = after[event] + after[event + 1] - before[event] - before[event + 1];
        use->miss[level] += miss[level];
    }
    use_bytes(thread, use, address, size, miss[0] != 0);
}

void data_used(struct data_thread *thread, const struct operand *operand, uint64_t address, unsigned size)
{
    struct use *use = use_of(thread, operand, address);
    if (use != NULL)
        use_bytes(thread, use, address, size, false);
}

/* ---- at a program's end */

void data_forget(void)
{
    pthread_mutex_init(&data.lock, NULL); /* another thread of the parent may have held it */
    for (struct data_thread *thread = atomic_load(&data.first_thread); thread != NULL;
         thread = thread->next) {
        for (size_t i = 0; i < thread->use_room; i++)
            if (thread->use[i] != NULL)
                *thread->use[i] =
                    (struct use){.operand = thread->use[i]->operand, .object = thread->use[i]->object};
        for (size_t i = 0; i < thread->line_room; i++)
            thread->line[i].use = NULL;
    }
    for (size_t i = 0; i < data.n_objects; i++)
        if (data.object[i]->kind == 'h') /* these are the parent's */
            data.object[i]->times = data.object[i]->size = 0;
}

/* 'u' says that the rest may be allocations, too, because none was reported. */
static void put_object(struct data_object *object, int number, data_put *put, void *out)
{
    object->number = number;
    put(out, "d %d %c %d %llx %llu %llu\n", number,
        object == &data.other && !data.any_allocation ? 'u' : object->kind, object->file,
        (unsigned long long)object->at, (unsigned long long)object->size, (unsigned long long)object->times);
}

static void put_use(const struct use *use, data_put *put, void *out)
{
    if (use->accesses == 0)
        return;
    put(out, "a %d %llx %d %llu %llu %llu %llu %lld %llu %llu %llu %llu\n", use->operand->lines->file,
        (unsigned long long)use->operand->lines->offset, use->object->number,
        (unsigned long long)use->accesses, (unsigned long long)use->miss[0], (unsigned long long)use->miss[1],
        (unsigned long long)use->miss[2], (long long)use->stride, (unsigned long long)use->equal,
        (unsigned long long)use->moves, (unsigned long long)use->fetched, (unsigned long long)use->used);
}

void data_write(data_put *put, void *out)
{
    int number = 0;
    struct data_thread *first = atomic_load(&data.first_thread);
    for (struct data_thread *thread = first; thread != NULL; thread = thread->next)
        for (size_t i = 0; i < thread->line_room; i++)
            finish_line(&thread->line[i], plugin.geometry[CACHE_L1D].line);
    put_object(&data.other, number++, put, out);
    put_object(&data.stack, number++, put, out);
    for (size_t i = 0; i < data.n_objects; i++)
        put_object(data.object[i], number++, put, out);
    for (struct data_thread *thread = first; thread != NULL; thread = thread->next)
        for (size_t i = 0; i < thread->use_room; i++)
            if (thread->use[i] != NULL)
                put_use(thread->use[i], put, out);
}

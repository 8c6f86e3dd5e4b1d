/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/array.h"
#include "emulator/plugin/plugin.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Counts for papi_profile: how often each block ran, what each access did in the simulated caches, and where
 * in which file the block is. Each program writes a file of its own, in words. */

struct place {
    uint64_t start, end, offset;
    int file;
};

/* The mappings of files, as they were when they were read last. Read and written while a block is translated.
 */
static struct {
    struct place *place;
    int n;
    char **file; /* every one that there ever was */
    int n_files;
    _Atomic bool stale;
} map = {.stale = true};

/* All blocks and accesses, the last one first. */
static struct block_lines *_Atomic first_block;
static struct access_lines *_Atomic first_access;

/* ---- where it is */

static int file_number(const char *path)
{
    for (int i = 0; i < map.n_files; i++)
        if (strcmp(map.file[i], path) == 0)
            return i;
    if (!ARRAY_GROW(map.file, map.n_files))
        return -1;
    map.file[map.n_files] = strdup(path);
    return map.file[map.n_files] != NULL ? map.n_files++ : -1;
}

static void add_place(const struct place *place)
{
    if (ARRAY_GROW(map.place, map.n))
        map.place[map.n++] = *place;
}

static void read_map(void)
{
    FILE *maps = fopen("/proc/self/maps", "re");
    char line[4352];
    atomic_store(&map.stale, false);
    map.n = 0;
    while (maps != NULL && fgets(line, sizeof line, maps) != NULL) {
        unsigned long from, to, offset;
        int path = 0;
        if (sscanf(line, "%lx-%lx %*s %lx %*s %*s %n", &from, &to, &offset, &path) < 3 || path == 0 ||
            line[path] != '/')
            continue;
        line[strcspn(line, "\n")] = '\0';
        int known = map.n_files;
        struct place place = {.start = from, .end = to, .offset = offset, .file = file_number(line + path)};
        add_place(&place);
        if (plugin.follow_data && map.n_files > known)
            data_mapped(line + path, place.file, from - plugin.guest_base, offset);
    }
    if (maps != NULL)
        fclose(maps);
}

static const struct place *place_of(uint64_t here)
{
    for (int i = 0; i < map.n; i++)
        if (here >= map.place[i].start && here < map.place[i].end)
            return &map.place[i];
    return NULL;
}

uint64_t lines_stack_below(uint64_t address)
{
    FILE *maps = fopen("/proc/self/maps", "re");
    uint64_t here = address - 1 + plugin.guest_base, guard = 0, found = 0;
    char line[4352], rights[8];
    while (maps != NULL && found == 0 && fgets(line, sizeof line, maps) != NULL) {
        unsigned long from, to;
        if (sscanf(line, "%lx-%lx %7s", &from, &to, rights) != 3)
            continue;
        if (here >= from && here < to && guard == from)
            found = from - plugin.guest_base;
        guard = strncmp(rights, "---", 3) == 0 ? to : 0;
    }
    if (maps != NULL)
        fclose(maps);
    return found;
}

void lines_moved(void)
{
    atomic_store(&map.stale, true);
}

/* Index of the file of an address of the program; -1: it is in no file. */
int lines_file_at(uint64_t address, uint64_t *offset)
{
    uint64_t here = address + plugin.guest_base;
    const struct place *place = atomic_load(&map.stale) ? NULL : place_of(here);
    if (place == NULL) {
        read_map();
        place = place_of(here);
    }
    *offset = place != NULL ? here - place->start + place->offset : 0;
    return place != NULL ? place->file : -1;
}

struct block_lines *lines_of_block(const struct block *block)
{
    struct block_lines *lines = calloc(1, sizeof *lines);
    if (lines == NULL)
        return NULL;
    lines->block = block;
    lines->file = lines_file_at(block->address, &lines->offset);
    lines->next = atomic_load(&first_block);
    while (!atomic_compare_exchange_weak(&first_block, &lines->next, lines))
        ;
    return lines;
}

struct access_lines *lines_of_access(uint64_t address)
{
    struct access_lines *lines = calloc(1, sizeof *lines);
    if (lines == NULL)
        return NULL;
    lines->file = lines_file_at(address, &lines->offset);
    lines->next = atomic_load(&first_access);
    while (!atomic_compare_exchange_weak(&first_access, &lines->next, lines))
        ;
    return lines;
}

void lines_forget(void)
{
    for (struct block_lines *lines = atomic_load(&first_block); lines != NULL; lines = lines->next)
        atomic_store(&lines->runs, 0), atomic_store(&lines->taken, 0), atomic_store(&lines->not_taken, 0);
    for (struct access_lines *lines = atomic_load(&first_access); lines != NULL; lines = lines->next)
        for (int i = 0; i < CACHE_EVENTS; i++)
            atomic_store(&lines->count[i], 0);
    if (plugin.follow_data)
        data_forget();
}

/* ---- the file */

/* Output without malloc, which may be locked for ever between fork and exec. */
struct output {
    int fd;
    size_t n;
    char text[1 << 16];
};

static void flush(struct output *out)
{
    size_t at = 0;
    while (at < out->n) {
        ssize_t n = write(out->fd, out->text + at, out->n - at);
        if (n <= 0)
            break;
        at += (size_t)n;
    }
    out->n = 0;
}

static __attribute__((format(printf, 2, 3))) void put(void *data, const char *format, ...)
{
    enum { LONGEST = 8192 };
    struct output *out = data;
    va_list arguments;
    if (out->n + LONGEST > sizeof out->text)
        flush(out);
    va_start(arguments, format);
    int n = vsnprintf(out->text + out->n, LONGEST, format, arguments);
    va_end(arguments);
    if (n > 0)
        out->n += (size_t)n < LONGEST ? (size_t)n : LONGEST - 1;
}

static void put_block(struct output *out, const struct block_lines *lines)
{
    const struct block *block = lines->block;
    uint64_t runs = atomic_load(&lines->runs), taken = atomic_load(&lines->taken),
             not_taken = atomic_load(&lines->not_taken);
    if (runs + taken + not_taken == 0)
        return;
    put(out, "b %d %llx %llu %llu %llu", lines->file, (unsigned long long)lines->offset,
        (unsigned long long)runs, (unsigned long long)taken, (unsigned long long)not_taken);
    for (unsigned i = 0; i < block->n_instructions; i++) {
        const struct kind *kind = block->instruction[i].kind;
        put(out, " %u", block->instruction[i].length);
        for (unsigned e = 0; e < kind->n; e++)
            put(out, ":%u=%u", kind->event[e], kind->amount[e]);
    }
    put(out, "\n");
}

/* Writes what the accesses of an instruction did, all together. */
static void put_access(struct output *out, const struct access_lines *lines)
{
    bool any = false;
    for (int i = 0; i < CACHE_EVENTS; i++)
        any = any || atomic_load(&lines->count[i]) != 0;
    if (!any)
        return;
    put(out, "m %d %llx ", lines->file, (unsigned long long)lines->offset);
    for (int i = 0; i < CACHE_EVENTS; i++)
        if (atomic_load(&lines->count[i]) != 0)
            put(out, ":%d=%llu", EMULATED_FIRST_CACHE_EVENT + i,
                (unsigned long long)atomic_load(&lines->count[i]));
    put(out, "\n");
}

void lines_write(void)
{
    static struct output out;
    char path[4352];
    if (plugin.lines_folder[0] == '\0' || plugin.process == NULL)
        return;
    snprintf(path, sizeof path, "%s/%ld", plugin.lines_folder,
             (long)(plugin.process - plugin.memory->process));
    out.n = 0;
    out.fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (out.fd < 0)
        return;
    put(&out, "papi_emulate lines 1\np %u %u %.127s\n", plugin.process->pid, plugin.process->threads,
        plugin.process->name);
    for (int i = 0; i < map.n_files; i++)
        put(&out, "f %d %.4096s\n", i, map.file[i]);
    for (struct block_lines *lines = atomic_load(&first_block); lines != NULL; lines = lines->next)
        put_block(&out, lines);
    for (struct access_lines *lines = atomic_load(&first_access); lines != NULL; lines = lines->next)
        put_access(&out, lines);
    if (plugin.follow_data)
        data_write(put, &out);
    put(&out, "end\n");
    flush(&out);
    close(out.fd);
}

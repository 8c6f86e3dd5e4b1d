/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/sysroot.h"
#include "base/text_rows.h"
#include "hardware/hardware.h"

#include <errno.h>
#include <limits.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

/* ---- segments to addresses */

struct range {
    uintptr_t start, end;
};

static void extend(struct range *range, uintptr_t start, uintptr_t end)
{
    if (range->end == 0 || start < range->start)
        range->start = start;
    if (end > range->end)
        range->end = end;
}

/* Fills in the addresses of an object's segments. Code is what can be executed; data are writable and in the
 * file, and what follows them in memory without being in the file is bss. */
static void map_segments(const struct dl_phdr_info *object, PAPI_address_map_t *map)
{
    struct range text = {0}, data = {0}, bss = {0};
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
        uintptr_t start = object->dlpi_addr + segment->p_vaddr;
        if (segment->p_type != PT_LOAD || segment->p_memsz == 0)
            continue;
        if (segment->p_flags & PF_X)
            extend(&text, start, start + segment->p_memsz);
        else if (segment->p_flags & PF_W)
            extend(&data, start, start + segment->p_filesz);
        if (segment->p_flags & PF_W && segment->p_memsz > segment->p_filesz)
            extend(&bss, start + segment->p_filesz, start + segment->p_memsz);
    }
    if (bss.end == 0)
        bss.start = bss.end = data.end;
    map->text_start = (vptr_t)text.start;
    map->text_end = (vptr_t)text.end;
    map->data_start = (vptr_t)data.start;
    map->data_end = (vptr_t)data.end;
    map->bss_start = (vptr_t)bss.start;
    map->bss_end = (vptr_t)bss.end;
}

/* ---- the program */

/* Fills in the program's map, and ends: the loader lists it first. */
static int map_program(struct dl_phdr_info *object, size_t size, void *map)
{
    (void)size;
    map_segments(object, map);
    return 1;
}

/* "start-end perms offset device inode   path" of /proc/self/maps; the path, or NULL. */
static const char *path_at(char *line, uintptr_t address)
{
    unsigned long long start, end;
    int path = 0;
    if (sscanf(line, "%llx-%llx %*s %*s %*s %*s %n", &start, &end, &path) != 2 || path == 0)
        return NULL;
    line[strcspn(line, "\n")] = '\0';
    return address >= start && address < end && line[path] == '/' ? line + path : NULL;
}

/* The file that is mapped at an address. 0 or -1. */
static int file_at(const char *root, const void *address, char *out, size_t size)
{
    char line[PATH_MAX + 128];
    const char *path = NULL;
    FILE *maps = sysroot_open(root, "/proc/self/maps");
    if (maps == NULL)
        return -1;
    while (path == NULL && fgets(line, sizeof line, maps) != NULL)
        path = path_at(line, (uintptr_t)address);
    fclose(maps);
    if (path != NULL)
        snprintf(out, size, "%s", path);
    return path != NULL ? 0 : -1;
}

static int executed_file(const char *root, char *out, size_t size)
{
    char link[PATH_MAX];
    ssize_t n = -1;
    if (sysroot_path(root, "/proc/self/exe", link, sizeof link) == 0)
        n = readlink(link, out, size - 1);
    out[n > 0 ? n : 0] = '\0';
    return n > 0 ? 0 : -1;
}

/* A file that was replaced since, as a rebuilt program is, is still the program's name. */
static void strip_deleted(char *path)
{
    static const char mark[] = " (deleted)";
    size_t n = strlen(path);
    if (n >= sizeof mark && strcmp(path + n - (sizeof mark - 1), mark) == 0 && access(path, F_OK) != 0)
        path[n - (sizeof mark - 1)] = '\0';
}

/* The file that is mapped: what was executed may be the loader with the program as its argument.
 * Without /proc, the name with which it was executed. */
static void name_program(const char *root, const void *code, char *out, size_t size)
{
    if (file_at(root, code, out, size) != 0 && executed_file(root, out, size) != 0) {
        const char *name = (const char *)getauxval(AT_EXECFN);
        char *full = name != NULL ? realpath(name, NULL) : NULL;
        snprintf(out, size, "%s", full != NULL ? full : name != NULL ? name : "");
        free(full);
        return;
    }
    strip_deleted(out);
}

int executable_fill(const char *root, PAPI_exe_info_t *info)
{
    int saved = errno; /* a file that is not there is no error of the caller's */
    PAPI_address_map_t *map = &info->address_info;
    memset(info, 0, sizeof *info);
    dl_iterate_phdr(map_program, map);
    name_program(root, map->text_start, info->fullname, sizeof info->fullname);
    const char *slash = strrchr(info->fullname, '/');
    snprintf(map->name, sizeof map->name, "%s", slash != NULL ? slash + 1 : info->fullname);
    errno = saved;
    return map->text_end != NULL ? 0 : -1;
}

/* ---- shared libraries */

struct list {
    PAPI_address_map_t *maps;
    int room, count, seen;
};

/* True for the kernel's own code (the vdso), which is in no file. */
static int is_kernels(const struct dl_phdr_info *object)
{
    uintptr_t kernels = getauxval(AT_SYSINFO_EHDR);
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
        if (segment->p_type == PT_LOAD && segment->p_offset == 0)
            return kernels != 0 && object->dlpi_addr + segment->p_vaddr == kernels;
    }
    return 0;
}

static int add_library(struct dl_phdr_info *object, size_t size, void *argument)
{
    struct list *list = argument;
    (void)size;
    if (list->seen++ == 0 || object->dlpi_name == NULL || object->dlpi_name[0] == '\0' || is_kernels(object))
        return 0;
    if (list->count < list->room) {
        PAPI_address_map_t *map = &list->maps[list->count];
        memset(map, 0, sizeof *map);
        snprintf(map->name, sizeof map->name, "%s", object->dlpi_name);
        map_segments(object, map);
    }
    list->count++;
    return 0;
}

/* Lists the loaded libraries. Another thread may load one between counting and listing. */
int libraries_list(PAPI_address_map_t **maps, int *count)
{
    struct list list = {0};
    dl_iterate_phdr(add_library, &list);
    while (list.count > list.room) {
        free(list.maps);
        list = (struct list){.room = list.count};
        list.maps = calloc((size_t)list.room, sizeof *list.maps);
        if (list.maps == NULL)
            return -1;
        dl_iterate_phdr(add_library, &list);
    }
    *maps = list.maps;
    *count = list.count;
    return 0;
}

/* ---- memory */

enum { FIELDS = sizeof(PAPI_dmem_info_t) / sizeof(long long) };

/* Lines of /proc/self/status, in kilobytes. */
TEXT_ROWS_BEGIN
static const struct line {
    char key[12];
    size_t field;
} lines[] = {
    {"VmPeak:", offsetof(PAPI_dmem_info_t, peak)},    {"VmSize:", offsetof(PAPI_dmem_info_t, size)},
    {"VmRSS:", offsetof(PAPI_dmem_info_t, resident)}, {"VmHWM:", offsetof(PAPI_dmem_info_t, high_water_mark)},
    {"VmExe:", offsetof(PAPI_dmem_info_t, text)},     {"VmLib:", offsetof(PAPI_dmem_info_t, library)},
    {"VmData:", offsetof(PAPI_dmem_info_t, heap)},    {"VmLck:", offsetof(PAPI_dmem_info_t, locked)},
    {"VmStk:", offsetof(PAPI_dmem_info_t, stack)},    {"VmPTE:", offsetof(PAPI_dmem_info_t, pte)},
    {"RssFile:", offsetof(PAPI_dmem_info_t, shared)}, {"RssShmem:", offsetof(PAPI_dmem_info_t, shared)},
};
TEXT_ROWS_END

/* Takes over a line of the kernel's "Name: 123 kB". A field of two lines is their sum. */
static void read_line(const char *text, PAPI_dmem_info_t *info)
{
    long long kilobytes;
    size_t key = strcspn(text, ":") + 1;
    if (sscanf(text, "%*[^:]:%lld kB", &kilobytes) != 1)
        return;
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        long long *field = (long long *)(void *)((char *)info + lines[i].field);
        if (strlen(lines[i].key) == key && memcmp(text, lines[i].key, key) == 0 &&
            __builtin_add_overflow(*field > 0 ? *field : 0, kilobytes, field))
            *field = PAPI_EINVAL;
    }
}

/* Reads the shared pages from statm: kernels before 4.5 do not distinguish the two kinds of them, but count
 * them. */
static void shared_pages(const char *root, PAPI_dmem_info_t *info)
{
    char line[256];
    long long pages;
    if (sysroot_line(root, "/proc/self/statm", line, sizeof line) > 0 &&
        sscanf(line, "%*s %*s %lld", &pages) == 1 &&
        __builtin_mul_overflow(pages, info->pagesize / 1024, &info->shared))
        info->shared = PAPI_EINVAL;
}

static int read_status(const char *root, const char *path, PAPI_dmem_info_t *info)
{
    char text[256];
    FILE *in = sysroot_open(root, path);
    if (in == NULL)
        return -1;
    while (fgets(text, sizeof text, in) != NULL)
        read_line(text, info);
    fclose(in);
    if (info->shared < 0)
        shared_pages(root, info);
    if (info->size >= 0)
        return 0;
    errno = ENODATA;
    return -1;
}

int memory_fill(const char *root, PAPI_dmem_info_t *info)
{
    long long unknown[FIELDS];
    for (int i = 0; i < FIELDS; i++)
        unknown[i] = PAPI_EINVAL;
    memcpy(info, unknown, sizeof unknown);
    info->pagesize = sysconf(_SC_PAGESIZE);
    /* A process whose first thread has ended shows its memory in its other threads alone. */
    if (read_status(root, "/proc/self/status", info) == 0)
        return 0;
    int error = errno;
    if (read_status(root, "/proc/thread-self/status", info) == 0)
        return 0;
    errno = error;
    return -1;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "emulator/launcher/launcher.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x8u
#endif

/* ---- making */

/* Creates the file without the permission to execute it, on which a machine may insist from Linux 6.3 on;
 * before, the kernel does not know the flag. */
static int make_file(void)
{
    int fd = memfd_create("papi_emulate", MFD_CLOEXEC | MFD_NOEXEC_SEAL);
    if (fd < 0 && errno == EINVAL)
        fd = memfd_create("papi_emulate", MFD_CLOEXEC);
    return above_standard(fd);
}

static uint32_t page_size(void)
{
    return (uint32_t)sysconf(_SC_PAGESIZE);
}

int memory_make(struct memory *memory, bool caches, bool estimates)
{
    size_t size = emulated_memory_size(page_size());
    void *shared = MAP_FAILED;
    memory->fd = make_file();
    if (memory->fd >= 0 && ftruncate(memory->fd, (off_t)size) == 0)
        shared = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, memory->fd, 0);
    if (shared == MAP_FAILED) {
        complain("no memory for the counts: %s", strerror(errno));
        return EXIT_OWN_ERROR;
    }
    memory->shared = shared;
    memcpy(memory->shared->magic, EMULATED_MAGIC, sizeof memory->shared->magic);
    memory->shared->version = EMULATED_VERSION;
    memory->shared->events = EMULATED_EVENTS;
    memory->shared->page_size = page_size();
    memory->shared->caches = caches;
    memory->estimates = estimates;
    return 0;
}

void memory_free(struct memory *memory)
{
    munmap(memory->shared, emulated_memory_size(page_size()));
    close(memory->fd);
}

/* ---- reading */

static void add(uint64_t *sum, const uint64_t *count)
{
    for (int i = 0; i < EMULATED_EVENTS; i++)
        sum[i] += count[i];
}

/* True if a process runs. One that has ended but that nobody waited for is there too, as a zombie. */
static bool process_runs(uint32_t pid)
{
    char line[512];
    char *path = memory_print("/proc/%u/stat", pid);
    FILE *file = fopen(path, "re");
    bool found = file != NULL && fgets(line, sizeof line, file) != NULL;
    if (file != NULL)
        fclose(file);
    free(path);
    const char *name_end = found ? strrchr(line, ')') : NULL;
    return name_end != NULL && strlen(name_end) > 2 && strchr("ZXx", name_end[2]) == NULL;
}

/* Adds the page of a thread that did not report its end: its program was killed, or runs. */
static void add_page(const struct memory *memory, struct run_counts *counts, const uint32_t *row,
                     uint64_t offset)
{
    const struct emulated_thread *thread = (const void *)((const char *)memory->shared + offset);
    uint32_t process = thread->process;
    if (thread->tid == 0 || process >= EMULATED_PROCESSES || row[process] == UINT32_MAX)
        return;
    struct program_counts *program = &counts->program[row[process]];
    add(program->count, thread->count);
    program->running = program->running || process_runs(program->process->pid);
}

/* Adds the pages that were ever used, which are few: the file's holes are skipped, as reading them would fill
 * them. */
static void add_pages(const struct memory *memory, struct run_counts *counts, const uint32_t *row)
{
    uint32_t size = memory->shared->page_size;
    off_t end = (off_t)emulated_memory_size(size);
    off_t offset = (off_t)emulated_thread_offset(size, 0);
    while (offset < end && (offset = lseek(memory->fd, offset, SEEK_DATA)) >= 0) {
        add_page(memory, counts, row, (uint64_t)offset);
        offset += (off_t)size;
    }
}

static void estimate(struct run_counts *counts)
{
    const uint32_t from = emulated_counter(EMULATED_ESTIMATED_CYCLES);
    for (size_t i = 0; i < counts->n; i++)
        counts->program[i].count[EMULATED_ESTIMATED_CYCLES] = counts->program[i].count[from];
    counts->sum[EMULATED_ESTIMATED_CYCLES] = counts->sum[from];
}

void memory_read(const struct memory *memory, struct run_counts *counts)
{
    static uint32_t row[EMULATED_PROCESSES];
    const struct emulated_memory *shared = memory->shared;
    *counts = (struct run_counts){0};
    for (uint32_t i = 0; i < EMULATED_PROCESSES; i++)
        row[i] = shared->process[i].pid != 0 ? (uint32_t)counts->n++ : UINT32_MAX;
    counts->program = or_end(calloc(counts->n + 1, sizeof *counts->program));
    for (uint32_t i = 0; i < EMULATED_PROCESSES; i++)
        if (row[i] != UINT32_MAX) {
            counts->program[row[i]].process = &shared->process[i];
            counts->threads += shared->process[i].threads;
            add(counts->program[row[i]].count, shared->process[i].total);
        }
    add_pages(memory, counts, row);
    memcpy(counts->sum, shared->others, sizeof counts->sum);
    for (size_t i = 0; i < counts->n; i++)
        add(counts->sum, counts->program[i].count);
    if (memory->estimates)
        estimate(counts);
}

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Watches a program from outside, without stopping it.
 *
 * The threads of all descendants of the profiler are asked for their state. One that waits is in a system
 * call, whose number, arguments and stack pointer the kernel tells (/proc/PID/task/TID/syscall). Who called
 * it is on the stack: the first word there that is an address in the program's own code, and before which
 * there is a call, is taken for the return address. That can be an old one, and so where it waits is said to
 * be likely and not certain.
 */
#include "watch.h"
#include "runs.h"
#include "tools/common/allocate.h"
#include "tools/common/mpi_launcher.h"

#include <dirent.h>
#include <elf.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static bool read_text(const char *path, char *text, size_t size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, text, size - 1) : -1;
    if (fd >= 0)
        close(fd);
    text[n > 0 ? n : 0] = '\0';
    return n > 0;
}

static void each_number(const char *folder, void (*visit)(struct watch *, pid_t, void *), struct watch *watch,
                        void *data)
{
    DIR *all = opendir(folder);
    for (struct dirent *entry; all != NULL && (entry = readdir(all)) != NULL;) {
        pid_t number = (pid_t)strtol(entry->d_name, NULL, 10);
        if (number > 0)
            visit(watch, number, data);
    }
    if (all != NULL)
        closedir(all);
}

/* ---- who called */

struct image {
    char path[512];
    uint64_t start, end, offset; /* of its code in memory, and in the file */
};

/* The address that the file gives to what is at an offset of it: that of the segment which is code. */
static uint64_t own_address(const char *path, uint64_t offset)
{
    Elf64_Ehdr head;
    Elf64_Phdr segment;
    uint64_t address = offset;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || pread(fd, &head, sizeof head, 0) != sizeof head)
        head.e_phnum = 0;
    for (int i = 0; i < head.e_phnum; i++)
        if (pread(fd, &segment, sizeof segment, (off_t)head.e_phoff + i * (off_t)sizeof segment) ==
                sizeof segment &&
            segment.p_type == PT_LOAD && (segment.p_flags & PF_X) != 0 && offset >= segment.p_offset &&
            offset - segment.p_offset < segment.p_filesz)
            address = offset - segment.p_offset + segment.p_vaddr;
    if (fd >= 0)
        close(fd);
    return address;
}

/* The program's own code. */
static bool find_image(pid_t pid, struct image *image)
{
    char path[64], line[1024], name[512], flags[8];
    snprintf(path, sizeof path, "/proc/%d/exe", pid);
    ssize_t n = readlink(path, image->path, sizeof image->path - 1);
    image->path[n > 0 ? n : 0] = '\0';
    snprintf(path, sizeof path, "/proc/%d/maps", pid);
    FILE *maps = fopen(path, "re");
    bool found = false;
    while (!found && maps != NULL && fgets(line, sizeof line, maps) != NULL) {
        unsigned long start, end, offset;
        if (sscanf(line, "%lx-%lx %7s %lx %*s %*s %511s", &start, &end, flags, &offset, name) != 5)
            continue;
        found = strcmp(name, image->path) == 0 && flags[2] == 'x';
        image->start = start;
        image->end = end;
        image->offset = offset;
    }
    if (maps != NULL)
        fclose(maps);
    return found && n > 0;
}

static bool copy_from(pid_t pid, uint64_t address, void *to, size_t size)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/mem", pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    bool copied = fd >= 0 && pread(fd, to, size, (off_t)address) == (ssize_t)size;
    if (fd >= 0)
        close(fd);
    return copied;
}

/* Behind a call: of five bytes, or by a register or memory. */
static bool is_behind_call(pid_t pid, uint64_t address)
{
    unsigned char code[8] = {0};
    enum { CALL = 0xe8, BY = 0xff, KIND = 0x38, CALLS = 0x10 };
#ifdef __x86_64__
    if (!copy_from(pid, address - sizeof code, code, sizeof code))
        return false;
    return code[3] == CALL || (code[6] == BY && (code[7] & KIND) == CALLS) ||
           (code[5] == BY && (code[6] & KIND) == CALLS) || (code[2] == BY && (code[3] & KIND) == CALLS);
#else
    uint32_t word;
    if (!copy_from(pid, address - sizeof word, code, sizeof word))
        return false;
    memcpy(&word, code, sizeof word);
    return word >> 26 == 0x25; /* bl */
#endif
}

static void find_caller(pid_t pid, uint64_t stack, struct watch_wait *wait)
{
    enum { WORDS = 512 };
    uint64_t word[WORDS];
    struct image image;
    size_t n = WORDS;
    if (!find_image(pid, &image))
        return;
    while (n > 0 && !copy_from(pid, stack, word, n * sizeof *word))
        n /= 2;
    for (size_t i = 0; i < n; i++) {
        if (word[i] <= image.start || word[i] >= image.end || !is_behind_call(pid, word[i]))
            continue;
        wait->address = own_address(image.path, word[i] - image.start + image.offset);
        strcpy(wait->object, image.path);
        return;
    }
}

/* ---- waits */

static bool has_descriptor(long number)
{
    static const long calls[] = {SYS_read,  SYS_write,  SYS_pread64, SYS_pwrite64,
                                 SYS_readv, SYS_writev, SYS_fsync,   SYS_fdatasync};
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (calls[i] == number)
            return true;
    return false;
}

static void note_wait(struct watch *watch, const struct watch_wait *wait, bool alone)
{
    int i = 0;
    while (i < watch->n_waits &&
           (watch->wait[i].number != wait->number || watch->wait[i].address != wait->address ||
            strcmp(watch->wait[i].file, wait->file) != 0))
        i++;
    if (i == watch->n_waits) {
        MEMORY_ONE_MORE(watch->wait, watch->n_waits, watch->room);
        watch->wait[watch->n_waits++] = *wait;
    }
    watch->wait[i].looks++;
    watch->wait[i].alone += alone;
}

static void look_at_wait(struct watch *watch, pid_t pid, pid_t thread, bool alone)
{
    struct watch_wait wait = {.looks = 0};
    char path[64], text[256];
    unsigned long argument[6], stack = 0;
    snprintf(path, sizeof path, "/proc/%d/task/%d/syscall", pid, thread);
    if (!read_text(path, text, sizeof text) ||
        sscanf(text, "%ld %lx %lx %lx %lx %lx %lx %lx", &wait.number, &argument[0], &argument[1],
               &argument[2], &argument[3], &argument[4], &argument[5], &stack) != 8)
        return;
    if (has_descriptor(wait.number)) {
        snprintf(path, sizeof path, "/proc/%d/fd/%lu", pid, argument[0]);
        ssize_t n = readlink(path, wait.file, sizeof wait.file - 1);
        wait.file[n > 0 ? n : 0] = '\0';
    }
    find_caller(pid, stack, &wait);
    note_wait(watch, &wait, alone);
}

/* ---- threads */

struct look {
    struct sleeper {
        pid_t pid, thread;
    } * sleeper;
    int n_sleepers, room, runners, threads;
    pid_t pid; /* the process whose threads are looked at */
};

static struct watch_thread *thread_of(struct watch *watch, pid_t id)
{
    for (int i = 0; i < watch->n_threads; i++)
        if (watch->thread[i].id == id)
            return &watch->thread[i];
    MEMORY_ONE_MORE(watch->thread, watch->n_threads, watch->thread_room);
    watch->thread[watch->n_threads] = (struct watch_thread){.id = id};
    return &watch->thread[watch->n_threads++];
}

/* State, and processor time in ticks, of a file stat. */
static bool read_state(const char *path, char *state, pid_t *parent, long *user, long *system)
{
    char text[512];
    if (!read_text(path, text, sizeof text) || strrchr(text, ')') == NULL)
        return false;
    int n = sscanf(strrchr(text, ')') + 1, " %c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %ld %ld", state,
                   parent, user, system);
    return n == 4;
}

/* Time on processors, and of wanting one. */
static void read_delay(pid_t pid, pid_t thread, struct timeline_found *found)
{
    char path[64], text[128];
    double ran, waited;
    snprintf(path, sizeof path, "/proc/%d/task/%d/schedstat", pid, thread);
    if (!read_text(path, text, sizeof text) || sscanf(text, "%lf %lf", &ran, &waited) != 2)
        return;
    found->ran = ran * 1e-9;
    found->delay = waited * 1e-9;
}

static void look_at_thread(struct watch *watch, pid_t id, void *data)
{
    struct look *look = data;
    char path[64], state;
    pid_t parent;
    struct timeline_found found = {.id = id};
    snprintf(path, sizeof path, "/proc/%d/task/%d/stat", look->pid, id);
    if (!read_state(path, &state, &parent, &found.user, &found.system) || state == 'Z' || state == 'X')
        return;
    struct watch_thread *thread = thread_of(watch, id);
    found.waits = state != 'R';
    read_delay(look->pid, id, &found);
    timeline_note(&watch->timeline, &found);
    thread->ticks = found.user + found.system;
    thread->delay = found.delay;
    thread->looks++;
    look->threads++;
    if (state == 'R') {
        look->runners++;
        return;
    }
    MEMORY_ONE_MORE(look->sleeper, look->n_sleepers, look->room);
    look->sleeper[look->n_sleepers++] = (struct sleeper){look->pid, id};
}

/* ---- processes */

static void read_io(struct watch *watch, pid_t pid)
{
    char path[64], text[512];
    struct watch_io *io = NULL;
    snprintf(path, sizeof path, "/proc/%d/io", pid);
    if (!read_text(path, text, sizeof text))
        return;
    for (int i = 0; i < watch->n_io; i++)
        if (watch->io[i].pid == pid)
            io = &watch->io[i];
    if (io == NULL) {
        MEMORY_ONE_MORE(watch->io, watch->n_io, watch->io_room);
        io = &watch->io[watch->n_io++];
        io->pid = pid;
    }
    sscanf(text, "rchar: %lf wchar: %lf syscr: %lf syscw: %lf", &io->value[0], &io->value[1], &io->value[2],
           &io->value[3]);
}

/* Before the program is executed, its process is a copy of the profiler that waits. */
static bool is_profiler(const struct watch *watch, pid_t pid)
{
    char path[64], one[512], other[512];
    snprintf(path, sizeof path, "/proc/%d/exe", pid);
    ssize_t n = readlink(path, one, sizeof one);
    snprintf(path, sizeof path, "/proc/%d/exe", watch->profiler);
    return n <= 0 || (readlink(path, other, sizeof other) == n && memcmp(one, other, (size_t)n) == 0);
}

static void look_at_process(struct watch *watch, pid_t pid, void *data)
{
    struct look *look = data;
    char path[64], state;
    pid_t parent = pid;
    long user, system;
    while (parent > 1 && parent != watch->profiler) {
        snprintf(path, sizeof path, "/proc/%d/stat", parent);
        if (!read_state(path, &state, &parent, &user, &system))
            return;
    }
    if (parent != watch->profiler || is_profiler(watch, pid) || (watch->job && !launcher_started(pid)))
        return;
    look->pid = pid;
    read_io(watch, pid);
    snprintf(path, sizeof path, "/proc/%d/task", pid);
    each_number(path, look_at_thread, watch, look);
}

void watch_look(struct watch *watch)
{
    struct look look = {.n_sleepers = 0};
    timeline_look(&watch->timeline, run_now());
    each_number("/proc", look_at_process, watch, &look);
    for (int i = 0; i < look.n_sleepers; i++)
        look_at_wait(watch, look.sleeper[i].pid, look.sleeper[i].thread, look.runners == 0);
    free(look.sleeper);
    if (look.threads == 0)
        return;
    watch->looks++;
    watch->idle += look.runners == 0;
    watch->serial += look.runners == 1 && look.threads > 1;
    if (look.threads > watch->most_threads)
        watch->most_threads = look.threads;
    watch->bytes_read = watch->bytes_written = watch->reads = watch->writes = 0;
    for (int i = 0; i < watch->n_io; i++) {
        watch->bytes_read += watch->io[i].value[0];
        watch->bytes_written += watch->io[i].value[1];
        watch->reads += watch->io[i].value[2];
        watch->writes += watch->io[i].value[3];
    }
}

void watch_free(struct watch *watch)
{
    free(watch->wait);
    free(watch->thread);
    free(watch->io);
    timeline_free(&watch->timeline);
}

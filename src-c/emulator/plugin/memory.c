/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The counts of emulated programs, in memory that papi_emulate, the plugins of all its programs and the
 * library in each of them share. A thread has a page of its own, to which its plugin alone adds, so that
 * counting needs no atomic operation; a bit in a map says which pages are in use. When a thread ends, its
 * counts move to its program's total and the page is free for another one.
 * A reader that sums the total and the pages could see such counts twice, or in neither place, while they
 * move. The plugin therefore moves on leaving before and left after it, both in sequential order: a reader
 * that finds left, before its sum, equal to leaving after it has seen no move, and otherwise sums again
 * (components/emulated/emulated_group.c).
 * All tables are of fixed size. A thread without a page counts in its own memory and shows its counts at its
 * end; a program without an entry counts for the sum of the others. A program that ends by exec does not say
 * that its threads end: its successor, which has the same pid, folds their pages. An orphan that outlives
 * papi_emulate makes memory of its own.
 */
#include "emulator/plugin/plugin.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

/* Descriptors of the plugin's are out of the way of those that programs expect to get. */
enum { FIRST_DESCRIPTOR = 900 };

/* ---- the memory */

static bool understood(const struct emulated_memory *memory)
{
    return memcmp(memory->magic, EMULATED_MAGIC, sizeof memory->magic) == 0 &&
           memory->version == EMULATED_VERSION && memory->events == EMULATED_EVENTS;
}

static int map(int fd, char *message, size_t size)
{
    struct stat status;
    uint64_t wanted = emulated_memory_size((uint32_t)sysconf(_SC_PAGESIZE));
    if (fstat(fd, &status) != 0 || (uint64_t)status.st_size < wanted) {
        snprintf(message, size, "the memory for the counts is too small");
        return -1;
    }
    plugin.memory = mmap(NULL, wanted, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (plugin.memory == MAP_FAILED) {
        plugin.memory = NULL;
        snprintf(message, size, "the memory for the counts cannot be mapped: %s", strerror(errno));
        return -1;
    }
    return 0;
}

/* Creates memory of its own if there is no papi_emulate: nobody will make a report, but the program can read
 * its counts. */
static int make_memory(char *message, size_t size)
{
    uint32_t page_size = (uint32_t)sysconf(_SC_PAGESIZE);
    int low = (int)syscall(SYS_memfd_create, "papi_emulator", 1u /* MFD_CLOEXEC */);
    int fd = low >= 0 ? fcntl(low, F_DUPFD_CLOEXEC, FIRST_DESCRIPTOR) : -1;
    if (fd < 0)
        fd = low;
    else
        close(low);
    if (fd < 0 || ftruncate(fd, (off_t)emulated_memory_size(page_size)) != 0) {
        snprintf(message, size, "no memory for the counts: %s", strerror(errno));
        return -1;
    }
    if (map(fd, message, size) != 0)
        return -1;
    memcpy(plugin.memory->magic, EMULATED_MAGIC, sizeof plugin.memory->magic);
    plugin.memory->version = EMULATED_VERSION;
    plugin.memory->events = EMULATED_EVENTS;
    plugin.memory->page_size = page_size;
    plugin.memory->caches = plugin.simulate_caches;
    plugin.memory_fd = fd;
    return 0;
}

/* Maps the shared memory. A process that outlives papi_emulate finds it gone: it goes on without a report. */
int memory_open(const char *path, char *message, size_t size)
{
    plugin.memory_fd = -1;
    int fd = path[0] != '\0' ? open(path, O_RDWR | O_CLOEXEC) : -1;
    if (fd < 0)
        return make_memory(message, size);
    int code = map(fd, message, size);
    close(fd);
    if (code == 0 && !understood(plugin.memory)) {
        snprintf(message, size, "papi_emulate and the plugin are of different versions");
        return -1;
    }
    return code;
}

struct emulated_thread *memory_page(uint32_t index)
{
    char *start = (char *)plugin.memory;
    return (struct emulated_thread *)(start + emulated_thread_offset(plugin.memory->page_size, index));
}

/* ---- processes */

static uint32_t process_index(void)
{
    return plugin.process ? (uint32_t)(plugin.process - plugin.memory->process) : UINT32_MAX;
}

static void add_to(uint64_t *total, const uint64_t *count)
{
    for (int i = 0; i < EMULATED_EVENTS; i++)
        if (count[i] != 0)
            __atomic_fetch_add(&total[i], count[i], __ATOMIC_RELAXED);
}

static uint64_t *totals(void)
{
    return plugin.process ? plugin.process->total : plugin.memory->others;
}

/* ---- pages: the library adds up those that are marked */

static uint32_t page_index(const struct emulated_thread *page)
{
    uint64_t first = emulated_thread_offset(plugin.memory->page_size, 0);
    return (uint32_t)(((uint64_t)((const char *)page - (const char *)plugin.memory) - first) /
                      plugin.memory->page_size);
}

static void mark(const struct emulated_thread *page)
{
    uint32_t i = page_index(page);
    __atomic_fetch_or(&plugin.memory->used[i / 64], 1ULL << i % 64, __ATOMIC_RELEASE);
}

/* Moves a page's counts to the program's total, and frees the page. */
static void give_back(struct emulated_thread *page, struct emulated_process *process)
{
    uint32_t i = page_index(page);
    __atomic_fetch_add(&process->leaving, 1, __ATOMIC_SEQ_CST);
    add_to(process->total, page->count);
    __atomic_fetch_and(&plugin.memory->used[i / 64], ~(1ULL << i % 64), __ATOMIC_SEQ_CST);
    __atomic_fetch_add(&process->left, 1, __ATOMIC_SEQ_CST);
    __atomic_store_n(&page->tid, 0, __ATOMIC_RELEASE);
}

/* Adds up the pages that the threads of a program left behind, and gives them back. */
static void fold(uint32_t index)
{
    for (uint32_t i = 0; i < EMULATED_THREADS; i++) {
        struct emulated_thread *page = memory_page(i);
        if (page->tid != 0 && page->process == index)
            give_back(page, &plugin.memory->process[index]);
    }
}

/* Ends the threads of a program that ends by exec: nobody says that they do. */
static void close_image_before(uint32_t pid)
{
    for (uint32_t i = 0; i < EMULATED_PROCESSES && plugin.memory->process[i].pid != 0; i++)
        if (plugin.memory->process[i].pid == pid)
            fold(i);
}

/* Notes the end of the program's path, as the shell knows it. */
static void note_name(struct emulated_process *process)
{
    char path[4096];
    const char *name = plugin.program;
    ssize_t n = -1;
    if (name == NULL || name[0] == '\0') {
        n = readlink("/proc/self/exe", path, sizeof path - 1);
        path[n > 0 ? n : 0] = '\0';
        name = path;
    }
    size_t length = strlen(name), room = sizeof process->name - 1;
    memcpy(process->name, length > room ? name + length - room : name, length > room ? room : length);
}

void memory_enter_process(uint32_t parent)
{
    uint32_t pid = (uint32_t)getpid();
    if (parent == 0)
        close_image_before(pid);
    plugin.process = NULL;
    for (uint32_t i = 0; i < EMULATED_PROCESSES && plugin.process == NULL; i++) {
        uint32_t nobody = 0;
        struct emulated_process *process = &plugin.memory->process[i];
        if (process->pid == 0 && __atomic_compare_exchange_n(&process->pid, &nobody, pid, false,
                                                             __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
            plugin.process = process;
    }
    if (plugin.process == NULL) {
        __atomic_fetch_add(&plugin.memory->lost_programs, 1, __ATOMIC_RELAXED);
        return;
    }
    plugin.process->parent = parent != 0 ? parent : (uint32_t)getppid();
    note_name(plugin.process);
}

/* ---- threads */

static struct emulated_thread *free_page(uint32_t tid)
{
    /* Threads of one program begin their search at different places. */
    for (uint32_t i = 0; i < EMULATED_THREADS; i++) {
        struct emulated_thread *page = memory_page((tid + i) % EMULATED_THREADS);
        uint32_t nobody = 0;
        if (__atomic_load_n(&page->tid, __ATOMIC_RELAXED) == 0 &&
            __atomic_compare_exchange_n(&page->tid, &nobody, tid, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
            return page;
    }
    return NULL;
}

static void clear(struct emulated_thread *page, uint32_t tid)
{
    memset(page, 0, offsetof(struct emulated_thread, overflow));
    page->process = process_index();
    __atomic_store_n(&page->tid, tid, __ATOMIC_RELEASE);
}

/* Takes a page for a thread; if the shared memory has no room, or no table, the thread counts for itself and
 * the totals. */
static void take_page(struct thread *thread)
{
    uint32_t tid = (uint32_t)syscall(SYS_gettid);
    thread->page = plugin.process != NULL ? free_page(tid) : NULL;
    if (thread->page == NULL)
        thread->page = &thread->own_page;
    clear(thread->page, tid);
    if (thread->page != &thread->own_page)
        mark(thread->page);
    if (plugin.process != NULL)
        __atomic_fetch_add(&plugin.process->threads, 1, __ATOMIC_RELAXED);
}

struct thread *memory_enter_thread(void)
{
    struct thread *thread = calloc(1, sizeof *thread);
    if (thread == NULL)
        return NULL;
    thread->previous = &no_block;
    if (plugin.simulate_caches)
        thread->caches = cache_create(plugin.geometry);
    thread->line = thread->caches != NULL ? cache_data_line(thread->caches) : 0;
    if (plugin.follow_data)
        thread->data = data_thread_make();
    take_page(thread);
    pthread_setspecific(plugin.thread_key, thread);
    thread_pointer = thread;
    return thread;
}

void memory_leave_thread(void *data)
{
    struct thread *thread = data;
    thread_pointer = NULL;
    if (thread->page != &thread->own_page)
        give_back(thread->page, plugin.process);
    else
        add_to(totals(), thread->page->count);
    cache_destroy(thread->caches);
    free(thread);
}

/* Leaves the process's place. Threads that still run, or are about to end, keep their pages: papi_emulate
 * adds those up. */
void memory_leave_process(void)
{
    if (thread_pointer == NULL)
        return;
    pthread_setspecific(plugin.thread_key, NULL);
    memory_leave_thread(thread_pointer);
}

/* Begins anew in the child of a fork, which is a program of its own, and whose only thread begins at zero. */
void memory_after_fork(void)
{
    memory_enter_process((uint32_t)getppid());
    lines_forget();
    if (thread_pointer != NULL)
        take_page(thread_pointer);
}

/* ---- the guest's memory */

/* Copies memory of the program by the kernel: an invalid address is an error and not a crash. Some containers
 * refuse that call; there the address is trusted. */
static int copied(ssize_t n, size_t size, void *to, const void *from)
{
    if (n < 0 && (errno == EPERM || errno == ENOSYS)) {
        memcpy(to, from, size);
        return 0;
    }
    return n == (ssize_t)size ? 0 : -1;
}

int guest_read(uint64_t address, void *out, size_t size)
{
    struct iovec local = {.iov_base = out, .iov_len = size};
    struct iovec remote = {.iov_base = (void *)(address + plugin.guest_base), .iov_len = size};
    ssize_t n = process_vm_readv(getpid(), &local, 1, &remote, 1, 0);
    return copied(n, size, out, remote.iov_base);
}

int guest_write(uint64_t address, const void *data, size_t size)
{
    struct iovec local = {.iov_base = (void *)data, .iov_len = size};
    struct iovec remote = {.iov_base = (void *)(address + plugin.guest_base), .iov_len = size};
    ssize_t n = process_vm_writev(getpid(), &local, 1, &remote, 1, 0);
    return copied(n, size, remote.iov_base, data);
}

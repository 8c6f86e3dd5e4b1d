/* SPDX-License-Identifier: BSD-3-Clause
 *
 * libpapi_data.so, which papi_profile --data has a program preload: the functions of the C library that
 * allocate, each of which calls the one behind it and reports large allocations. The emulator's plugin gets
 * them by a system call that a kernel answers without looking at its arguments. Where the processor samples
 * the accesses instead, they are noted in a file, which is opened each time: programs close descriptors that
 * they do not know. Either way papi_profile knows which call made the memory that an access goes to.
 */
#include "formats/allocation_record.h"
#include "formats/emulator_memory.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *memory);

#define OPEN __attribute__((visibility("default")))

/* The file for allocations; NULL: the emulator is told. Set before the program begins. */
static const char *notes;

static void note(uint32_t type, const void *memory, size_t size, const void *caller)
{
    struct timespec now;
    uint32_t pid = (uint32_t)getpid(), tid = (uint32_t)syscall(SYS_gettid);
    clock_gettime(CLOCK_MONOTONIC, &now);
    const struct allocation_record record = {.type = type,
                                             .size = sizeof record,
                                             .pid = pid,
                                             .tid = tid,
                                             .address = (uintptr_t)memory,
                                             .bytes = size,
                                             .caller = (uintptr_t)caller,
                                             .same_pid = pid,
                                             .same_tid = tid,
                                             .time =
                                                 (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec};
    int fd = open(notes, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0)
        return;
    ssize_t written = write(fd, &record, sizeof record); /* one that is cut is not read */
    (void)written;
    close(fd);
}

/* The emulator sees the call before the memory is used. */
static void *allocated(void *memory, size_t size, const void *caller)
{
    int saved = errno;
    if (memory != NULL && size >= EMULATED_LEAST_ALLOCATION && notes != NULL)
        note(ALLOCATION_MADE, memory, size, caller);
    else if (memory != NULL && size >= EMULATED_LEAST_ALLOCATION)
        syscall(SYS_getpid, EMULATED_ALLOCATED, memory, size, caller);
    errno = saved;
    return memory;
}

/* True for memory that may have been reported. */
static bool is_large(void *memory)
{
    return memory != NULL && malloc_usable_size(memory) >= EMULATED_LEAST_ALLOCATION;
}

static void freed(void *memory)
{
    int saved = errno;
    if (notes != NULL)
        note(ALLOCATION_FREED, memory, 0, NULL);
    else
        syscall(SYS_getpid, EMULATED_FREED, memory);
    errno = saved;
}

/* The dynamic linker's: the stack's address when the program began. */
extern void *__libc_stack_end;

/* Finds out who is to know, and tells the emulator where the first thread's stack is. Above its begin are the
 * program's arguments, which end with their page.
 */
static __attribute__((constructor)) void began(void)
{
    enum { USUAL = 8 << 20 }; /* the emulator's where there is no limit */
    struct rlimit limit;
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), end = (uint64_t)(uintptr_t)__libc_stack_end;
    notes = secure_getenv(ALLOCATIONS_VARIABLE);
    if (notes != NULL)
        return;
    bool limited = getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
    uint64_t size = limited && limit.rlim_cur < end ? limit.rlim_cur : USUAL;
    end = (end + page) & ~(page - 1);
    syscall(SYS_getpid, EMULATED_STACK, end - size, end);
}

OPEN void *malloc(size_t size)
{
    return allocated(__libc_malloc(size), size, __builtin_return_address(0));
}

OPEN void *calloc(size_t n, size_t size)
{
    return allocated(__libc_calloc(n, size), n * size, __builtin_return_address(0));
}

OPEN void *realloc(void *memory, size_t size)
{
    bool large = is_large(memory);
    void *made = __libc_realloc(memory, size);
    if (large && (made != NULL || size == 0)) /* not before: it is read to be copied, and may be kept */
        freed(memory);
    return allocated(made, size, __builtin_return_address(0));
}

OPEN void free(void *memory)
{
    if (is_large(memory))
        freed(memory);
    __libc_free(memory);
}

OPEN void *memalign(size_t alignment, size_t size)
{
    return allocated(__libc_memalign(alignment, size), size, __builtin_return_address(0));
}

OPEN void *aligned_alloc(size_t alignment, size_t size)
{
    return allocated(__libc_memalign(alignment, size), size, __builtin_return_address(0));
}

OPEN int posix_memalign(void **memory, size_t alignment, size_t size)
{
    if (alignment % sizeof(void *) != 0 || (alignment & (alignment - 1)) != 0 || alignment == 0)
        return EINVAL;
    void *made = __libc_memalign(alignment, size);
    if (made == NULL)
        return ENOMEM;
    *memory = allocated(made, size, __builtin_return_address(0));
    return 0;
}

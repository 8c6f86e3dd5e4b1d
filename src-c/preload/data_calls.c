/* SPDX-License-Identifier: BSD-3-Clause
 *
 * libpapi_data.so, which papi_profile --data has an emulated program preload: the functions of the C library
 * that allocate, each of which calls the one behind it and reports large allocations to the emulator's
 * plugin, by a system call that a kernel answers without looking at its arguments. The plugin knows then
 * which call made the memory that an access goes to.
 */
#include "formats/emulator_memory.h"

#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *memory);

#define OPEN __attribute__((visibility("default")))

/* The emulator sees the call before the memory is used. */
static void *allocated(void *memory, size_t size, const void *caller)
{
    int saved = errno;
    if (memory != NULL && size >= EMULATED_LEAST_ALLOCATION)
        syscall(SYS_getpid, EMULATED_ALLOCATED, memory, size, caller);
    errno = saved;
    return memory;
}

static void freed(void *memory)
{
    int saved = errno;
    if (memory != NULL && malloc_usable_size(memory) >= EMULATED_LEAST_ALLOCATION)
        syscall(SYS_getpid, EMULATED_FREED, memory);
    errno = saved;
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
    freed(memory);
    void *made = __libc_realloc(memory, size);
    if (made == NULL && memory != NULL && size > 0) /* the old one is still there */
        allocated(memory, malloc_usable_size(memory), __builtin_return_address(0));
    return allocated(made, size, __builtin_return_address(0));
}

OPEN void free(void *memory)
{
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

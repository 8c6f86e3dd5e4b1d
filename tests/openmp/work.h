/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <sys/mman.h>
#include <unistd.h>

/* Touches so many pages for the first time. */
static void touch(int pages)
{
    size_t size = (size_t)sysconf(_SC_PAGESIZE), all = (size_t)pages * size;
    char *memory = mmap(NULL, all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        _exit(9);
    madvise(memory, all, MADV_NOHUGEPAGE);
    for (size_t i = 0; i < all; i += size)
        memory[i] = 1;
    munmap(memory, all);
}

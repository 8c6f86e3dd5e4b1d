/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stddef.h>
#include <sys/mman.h>

/* Writes to so many pages that nobody has touched: as many page faults. */
static inline void touch(int pages)
{
    char *memory =
        mmap(NULL, (size_t)pages * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    madvise(memory, (size_t)pages * 4096, MADV_NOHUGEPAGE);
    for (int i = 0; i < pages; i++)
        memory[(size_t)i * 4096] = 1;
    munmap(memory, (size_t)pages * 4096);
}

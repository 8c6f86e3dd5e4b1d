/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/* The address from which the offsets of thread-local variables count. gcc before 13 has no builtin function
 * of it for POWER. */
static inline void *thread_pointer(void)
{
#if defined(__powerpc64__)
    register void *self __asm__("r13");
    __asm__("" : "=r"(self));
    return self;
#else
    return __builtin_thread_pointer();
#endif
}

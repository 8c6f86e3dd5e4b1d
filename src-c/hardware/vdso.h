/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/* A function of the vDSO, the code that the kernel maps into every process, or NULL. For those that libc
 * calls too: without libc's part in it, a call costs a quarter less. Async-signal-safe. */
void *vdso_function(const char *name);

/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "components/component.h"
#include "formats/emulator_memory.h"

/* Checks a domain: the emulator counts the program alone. PAPI_EINVAL_DOM for others. */
int emulated_check_domain(int domain, struct reason *why);

/* The counters of one event set: places in the page that the emulator writes. */
struct counter_group *emulated_group_create(const struct group_options *options);

/* Asks the emulator where the calling thread's counts are. PAPI_ENOCMP: there is no emulator, or it
 * is of another version; PAPI_ESYS: it has no page or no descriptor for this thread. What comes with
 * PAPI_OK is given back with emulated_release. */
int emulated_ask(struct emulated_answer *answer, struct reason *why);
void emulated_release(struct emulated_answer *answer);

/* Maps the thread's page, or all of the emulator's memory, to be read; NULL with errno. For munmap. */
void *emulated_map(const struct emulated_answer *answer, bool all);

/* The latest program of a process, as its index in the table; -1: the emulator does not run it. */
int emulated_process_of(const struct emulated_memory *memory, uint32_t pid);

/* Binds each call of PAPI's that a program or a library in it would bind when it is first made, as the
 * dynamic linker would then: what this executes, which may be between two readings, is not the program's. A
 * name that is not found is left to the linker. */
void bind_own_calls(void);

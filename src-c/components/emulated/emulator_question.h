/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/reason.h"
#include "formats/emulator_memory.h"

/* Asks the emulator where the calling thread's counts are. PAPI_ENOCMP: there is no emulator, or it
 * is of another version; PAPI_ESYS: it has no page or no descriptor for this thread. What comes with
 * PAPI_OK is given back with emulated_release. */
int emulated_ask(struct emulated_answer *answer, struct reason *why);
void emulated_release(struct emulated_answer *answer);

/* Maps the thread's page, or all of the emulator's memory, to be read; NULL with errno. For munmap. */
void *emulated_map(const struct emulated_answer *answer, bool all);

/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "formats/counted_section.h"
#include <stdbool.h>

/* Finds the counted modules of the process. Async-signal-safe where the loader's lock is free, or the calling
 * thread's. */

/* Number of times that libraries were loaded: while it is the same, no module is new. */
unsigned long long modules_loaded(void);

/* Calls see for each module of any version; name: "" for the program itself. A module never goes away:
 * papi_counted links libraries so that they stay. */
void modules_look(void (*see)(const struct counted_module *module, const char *name, void *context),
                  void *context);

/* True if this library can read a module's tables. */
bool module_is_known(const struct counted_module *module);

/* True if the tables of such a module, which was weighed, end where they say and name its slots alone. */
bool module_is_whole(const struct counted_module *module);

/* The calling thread's slots; NULL: the module is being loaded at this moment, by what a signal interrupted.
 */
const uint64_t *module_thread_slots(const struct counted_module *module);

/* The slots of the process, and how many. */
const uint64_t *module_process_slots(const struct counted_module *module, uint64_t *n);

/* Finds the place of a unit's slots among the n of its kind that the module has; false: they are not in them,
 * in a damaged module. */
bool module_unit_offset(const struct counted_module *module, const struct counted_unit *unit, uint64_t n,
                        uint64_t *offset);

/* The next unit after one, or the first (NULL); NULL: there is none. */
const struct counted_unit *module_next_unit(const struct counted_module *module,
                                            const struct counted_unit *unit);

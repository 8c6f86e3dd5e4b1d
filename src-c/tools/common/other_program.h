/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Ends this process as another one ended, of which waitpid gave the status: with its exit status, or by its
 * signal. */
_Noreturn void end_like(int status);

/* The other tool beside this one, where both are installed; else its name, for PATH. To be freed; NULL: no
 * memory. */
char *tool_path(const char *name);

/* True if this process runs in papi_emulate. */
bool emulated_already(void);

/* The events of papi_emulate that a preset is computed of: "emu::LOADS,emu::STORES". NULL: it is none of its
 * presets.
 *   length  of the name; upper and lower case are alike */
const char *emulated_preset(const char *name, size_t length);

/* True for an event of the emulator that counts with --caches alone, and for a preset of such events. */
bool emulated_by_caches(const char *name);

/* Becomes papi_emulate, which runs this tool.
 *   options  of papi_emulate
 *   word     this tool's own, from its name on
 * Does not return; an errno where it cannot. */
int emulate_tool(char *const *options, char *const *word);

/* The names of these presets, one after the other; NULL: there are no more. */
const char *emulated_preset_at(size_t i);

/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "call_tree.h"

/* Programs and libraries, and what is at their addresses: by libdw, from their debug information, which may
 * be in files of its own, or else from their symbols. An address in an object is an offset in its file. */

struct objects;

struct objects *objects_open(struct profile *profile);
void objects_close(struct objects *objects);

/* Opens from now on only files that belong to this user or to root: for a reader of names that another user
 * may have chosen. */
void objects_open_trusted(struct objects *objects);

/* Calls use for each source file that the debug information of an object names. */
typedef void objects_file(void *context, const char *path);
void objects_files(struct objects *objects, int object, objects_file *use, void *context);

/* Asks no server for debug information from now on (DEBUGINFOD_URLS), only this machine: for a process that
 * must not wait for a network. */
void objects_stay_here(struct objects *objects);

/* Called for each address that is looked up in a file of code, once: address is the file's own, place the
 * innermost of its places. */
struct debug;
typedef void objects_watcher(void *context, struct debug *debug, uint64_t address, int place);
void objects_watch(struct objects *objects, objects_watcher *watcher, void *context);

/* The debug information of a file; NULL: it cannot be read as a program or library. */
struct debug *objects_debug(struct objects *objects, int object);

/* The number of a file, as the kernel names it. */
int objects_number(struct objects *objects, const char *path);
const char *objects_path(const struct objects *objects, int object);

/* The address that the file itself gives to code at an offset of it. False: there is none. */
bool objects_address(struct objects *objects, int object, uint64_t offset, uint64_t *address);

/* The piece of code of the function at an address: by its description, its symbol, or the tables for
 * unwinding. False: nothing says
 * where it begins and ends. */
bool objects_function(struct objects *objects, int object, uint64_t address, uint64_t *low, uint64_t *high);

/* The code at an address that the file gives to it, at most size bytes. It stays while the objects are open.
 * False: there is none. */
struct code;
bool objects_code(struct objects *objects, int object, uint64_t address, uint64_t size, struct code *code);

/* Name of the variable at an address that the file gives to it, as its source has it. The caller frees it.
 * NULL: no symbol is there. */
char *objects_variable(struct objects *objects, int object, uint64_t address);

/* Finds the variable at a distance from where a file is mapped from its first byte on, and the address that
 * the file gives to it; within: how far behind that it is. False: none is there that has a size. */
bool objects_variable_at(struct objects *objects, int object, uint64_t distance, uint64_t *address,
                         uint64_t *size, uint64_t *within);

/* The offset in the file of code at an address that the file gives to it. False: there is none. */
bool objects_offset(struct objects *objects, int object, uint64_t address, uint64_t *offset);

/* The build id of a file. Returns its size; 0: it has none, or cannot be read. */
int objects_build_id(struct objects *objects, int object, const unsigned char **id);

/* The places of an address, the innermost first: more than one where routines were inlined.
 *   object  PROFILE_NONE: it was in no file that is known
 *   before  it is a return address: the call before it is meant */
struct places {
    int n;
    int *place;
};
const struct places *objects_look_up(struct objects *objects, int object, uint64_t offset, bool before);

/* Says of which strings of a profile a program or library that it names has source files in its debug
 * information, and that belongs to this user or to root. No server is asked. */
void named_sources(const struct profile *profile, bool *named);

/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "memory_events.h"
#include "tools/common/tool.h"

/* The data of a program by samples of the processor: its events, and the file in which a preloaded library
 * notes the program's allocations. */
struct native_data {
    struct memory_event event[MEMORY_EVENTS];
    int n;
    char *folder, *allocations; /* NULL: they are not noted */
    char *preload;              /* LD_PRELOAD of before; NULL: none */
};

/* Finds the events; 0: none, with a reason. */
int native_data_find(struct native_data *data, struct reason *why);

/* Has the program that is made next note its allocations. A tool's status, after a message. */
int native_data_prepare(struct native_data *data, struct tool *tool);

/* Restores this process's environment, once the program's process is made. */
void native_data_made(const struct native_data *data);

/* A library by its path from the installed tool on. To be freed; NULL: it is not there. */
char *library_beside(const char *relative);

/* Removes the files. */
void native_data_end(struct native_data *data);

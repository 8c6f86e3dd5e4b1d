/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/reason.h"

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>

/* Events of the processor whose samples have the address of the data: Intel's loads and stores (PEBS), AMD's
 * operations (IBS). */

enum { MEMORY_EVENTS = 4 };

struct memory_event {
    char name[96]; /* as the kernel spells it, "cpu/mem-loads,ldlat=3/" */
    struct perf_event_attr attr, leader;
    bool has_leader; /* the first of the event's group, without which this processor does not sample it */
    bool ibs;
    bool everything; /* it cannot be had for user code alone */
};

/* Finds the events that this machine has and that the kernel opens for this user. root: see base/sysroot.h
 * Returns how many; 0: none, with a reason. */
int memory_events_find(const char *root, struct memory_event event[MEMORY_EVENTS], struct reason *why);

/* The names alone, of what sysfs lists: for machines whose events cannot be opened here. Returns how many. */
int memory_events_list(const char *root, struct memory_event event[MEMORY_EVENTS], struct reason *why);

/* Bytes of a line of this machine's caches for data; 64 where the kernel does not say. */
int memory_line_bytes(const char *root);

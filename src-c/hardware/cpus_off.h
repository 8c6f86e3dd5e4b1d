/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* The CPUs that are switched off: whether one of them was on since. The kernel's list of CPUs does not tell
 * once it is off again. But its number of events of devices grows with each CPU that it switches; that is
 * soon read, but grows with other devices, too. Then the work that it has done on these CPUs tells, in
 * interrupts of its software, of which none comes on with none. */
struct cpus_off {
    int events, work; /* the open files; -1: no CPU is off, or they cannot be opened */
    uint64_t n_events, done;
};

/* Notes the CPUs that are not in a list ("0-3,8"). Without the files nothing will be told. */
void cpus_off_note(const char *root, const char *on, struct cpus_off *off);

/* True if one was on. on: the list from then. Async-signal-safe. */
bool cpus_off_were_on(struct cpus_off *off, const char *on);

void cpus_off_forget(struct cpus_off *off);

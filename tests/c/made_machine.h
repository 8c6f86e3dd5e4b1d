/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A machine that a test makes up: files of a folder in the place of those in /sys, and a say in what the
 * kernel answers to perf_event_open. For programs that link with libpapi.so, whose calls come here first.
 */
#pragma once

#include <linux/perf_event.h>

/* An empty folder; what it has under sys/ is read there. Removed by the second. */
int made_machine_create(void);
int made_machine_remove(void);

/* The made machine's folder, for PAPI_SYSROOT, where all is to be read there. */
const char *made_machine_folder(void);

/* Writes a file, with the folders that it lies in: "sys/devices/system/cpu/online". */
void made_machine_put(const char *path, const char *text);

/* A PMU with one field, event, on all bits of config. cpus: NULL or its file of this name. */
void made_machine_put_pmu(const char *pmu, int type, const char *cpus);

/* Called before the kernel is asked, and may change the attributes. 0: the kernel answers, else errno. NULL,
 * as in the beginning: the kernel answers always. */
extern int (*made_machine_answer)(struct perf_event_attr *attr, int thread, int cpu);

/* The first event of the group of the event that is asked for, a descriptor; -1: it is the first. */
extern int made_machine_leader;

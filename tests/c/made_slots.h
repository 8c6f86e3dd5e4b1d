/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A made machine (made_machine.h) whose kernel names events for the top-down method. Page faults are its
 * slots, those in user mode what was retired.
 */
#pragma once

#include <stdint.h>

/* The kernel's types of its PMUs, and the numbers of their events. */
enum { CORES = 4245, ATOM, OTHER };
enum { IN_ALL = 1, IN_USER_MODE, NONE, NOT_KNOWN };

/* A machine without PMUs, before the library is initialised. 0, -1: it cannot be made. */
int made_slots_begin(void);

/* The same with the PMU "core", as Linux has it from Sandy Bridge to Cascade Lake: of four slots a cycle one
 * is retired, two are lost to recovery, and one is the back end's. */
int made_slots_skylake(void);

int made_slots_end(void);

/* An event of a PMU, its factor, and all events that the Skylake has. */
void made_slots_put(const char *pmu, const char *event, int number);
void made_slots_put_scale(const char *pmu, const char *event, const char *scale);
void made_slots_put_skylake(const char *pmu);

/* The numbers of the events that were opened, and how the next is answered: 0, else errno. */
extern uint64_t made_slots_opened[16];
extern int made_slots_n, made_slots_refused;

/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "papi.h"
#include "tool.h"

#include <stdbool.h>

/* The machine as the tools show it. */

/* The head of a listing: its title, and between two rules the block of labels and values that JSON has as
 * the member "machine". Scripts read these labels: keep them. */
void machine_show(struct report *report, const char *title);

/* The processor by the name that people know it by, a line for each kind of core: nothing for one that
 * presets/processors.txt has not. names: of the PMUs that the component counts by (pmu_names). */
void machine_show_processor(struct report *report, const PAPI_hw_info_t *hw, char *const *names);

/* Writes a version of the library as "7.3.0.0". */
void version_text(int version, char *out, size_t size);

/* True if an emulator counts: the tool runs under papi_emulate. */
bool machine_is_emulated(void);

/* Root of the machine's files (see base/sysroot.h): "", or PAPI_SYSROOT. With PAPI_SYSROOT they belong to
 * another machine, and nothing is tried. */
const char *machine_root(void);
bool machine_is_elsewhere(void);

/* The release of the kernel; "" if it is not told. */
void machine_release(char *out, size_t size);

/* Lists the PMUs of the cores in sysfs, sorted. Returns their number; -1: sysfs cannot be read. */
enum { MACHINE_PMU_NAME = 64 };
int machine_core_pmus(char name[][MACHINE_PMU_NAME], int most);

/* Explains what the components cannot do here, and which rows of a preset file were skipped; prints nothing
 * if all is well. With no preset available (available is 0), also lists the events that do count. */
void machine_explain(struct report *report, int available);

/* The events that the kernel itself counts; ends with NULL. */
extern const char *const machine_software_events[];

/* Ends the report with an error and its reason if no component works, as in a container that may open no
 * counters: a listing is then complete, but not what was wanted. Returns TOOL_FINE otherwise. */
int machine_check(struct tool *tool);

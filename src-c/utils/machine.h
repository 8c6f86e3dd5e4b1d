/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PAPI_UTILS_MACHINE_H
#define PAPI_UTILS_MACHINE_H

#include "base/json.h"
#include "tool.h"

#include <stdbool.h>

/* The machine as the tools print it. */

/* The block of labels and values at the top of a listing. Scripts read these labels: keep them. */
void machine_print(FILE *out);

/* "7.3.0.0" */
void version_text(int version, char *out, size_t size);

/* An emulator counts (papi_emulate). */
bool machine_is_emulated(void);

/* The files looked at are those of another machine (PAPI_SYSROOT): nothing is tried. */
bool machine_is_elsewhere(void);

/* The same as the member "machine". */
void machine_json(struct json *json);

/* What the components cannot do here, and which rows of a preset file were passed over: nothing,
 * where all is well. With no preset available, also which events count all the same. */
void machine_explain(FILE *out, int available);

/* The same as the members "reasons" and "software_events". */
void machine_explain_json(struct json *json, int available);

/* Where no component works, as in a container that may open no counters, a listing is complete and still not
 * what was wanted: an error, with the reason. TOOL_FINE elsewhere. */
int machine_check(struct tool *tool);

/* The head of a listing: what it is, and the machine between two rules. */
void machine_print_head(FILE *out, const char *title);

#endif

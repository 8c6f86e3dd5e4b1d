/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "native.h"
#include "papi.h"
#include "tools/common/report.h"
#include "tools/common/tool.h"

/* A native event with its masks and modifiers, and whether it counts here. */

enum native_check {
    CHECK_NONE,  /* only what the tables say */
    CHECK_ADD,   /* the kernel takes it */
    CHECK_COUNT, /* and a count comes of it */
};

struct native_item {
    int code;
    char name[PAPI_2MAX_STR_LEN];
    char description[PAPI_HUGE_STR_LEN];
    bool counts; /* with a check */
    bool alone;  /* an event: it does so without a mask */
    long long count;
    char why[PAPI_HUGE_STR_LEN]; /* it does not count; empty where a mask of the event does */
};

struct native {
    struct native_item event;
    PAPI_event_info_t info; /* of the event: its component, its modifiers */
    int n_masks;
    struct native_item *mask; /* their names with the event's before them */
};

/* Reads an event from the library; native is zeroed, or was read before. PAPI_OK, PAPI_ENOMEM or as
 * PAPI_get_event_info. */
int native_read(struct native *native, int event);
void native_free(struct native *native);

/* Asks whether the event and each of its masks count here. An event counts if one of its masks does. */
void native_ask(struct native *native, enum native_check check);

/* The members of its JSON: name, description and masks, these by their names without the event's. */
void native_show_members(struct report *report, const struct native *native);

/* "skx" of skx::INST_RETIRED, "cpu" of cpu/instructions/. Returns its length. */
int native_pmu(const char *name);

/* Returns the part of a mask's name behind that of the event: ":MASK". */
const char *native_suffix(const struct native *native, const struct native_item *mask);

/* ---- the forms */

/* Printers of one native event, one for each kind of listing that papi_native_avail prints. */

/* The names alone, with a check only those that count. */
void native_print_names(const struct native *native, enum native_check check);

/* An object of JSON, or with a key a member; in the text, a box of lines between bars. Scripts read its first
 * columns: keep them. */
void native_show(struct report *report, const char *key, const struct native *native,
                 enum native_check check);

/* Labels and values, for one event. */
void native_show_detail(struct report *report, const struct native *native, enum native_check check);

/* ---- what goes beside other events */

/* An event set, and which other events it takes. */

/* Puts the named events into a new event set. TOOL_FINE; TOOL_ERROR: one does not exist, or does not go with
 * those before it, which was printed. */
int chooser_open(struct tool *tool, char **name, int n, int *set);

/* True if the event can be added too. It is not left in the set. */
bool chooser_takes(int set, int code);

/* Leaves of a native event's masks those that can be added; alone: it can be without one. False: nothing of
 * it. */
bool chooser_keeps(int set, struct native *native);

void chooser_close(int set);

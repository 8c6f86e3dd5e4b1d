/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/hash.h"
#include "base/reason.h"
#include "base/text_rows.h"
#include <stdbool.h>
#include <stdint.h>

/* The events of a component that names them itself, as it found them on this machine. */

struct component_event {
    const char *name, *description; /* the name after the component's prefix */
    const char *unit;               /* "uJ"; static, or as long as the list's library; NULL: a plain number */
    bool real;                      /* its value is the bits of a double: struct counter_group */
    bool gone;                      /* of a list that grows: it is not there any more, and not listed */
    bool level;      /* its value is what is shown now, and not the difference since the start */
    bool of_thread;  /* of the thread alone, whatever else the component counts */
    uint64_t config; /* the component's own number for it */

    /* The place of the number in a file of the kernel (components/file_group.c): the path under the root of
     * base/sysroot.h; in the line that begins with the word line (NULL: the first), the word of this index
     * after that; or, with label, the number that follows it, added up over all lines. */
    const char *file, *line, *label;
    int word;
    uint64_t times;         /* factor of the kernel's number; 0: 1 */
    uint64_t per;           /* divisor of a real event's number */
    const char *range_file; /* shows the number after which the counter begins at 0 again; NULL: 2^64 - 1 */
    const char *rate_file;  /* and by how much it grows in a second at most, in the file's own unit; NULL or
                             * not  there: rate */
    uint64_t rate;          /* 0: not known, and then nobody can say that it was read too seldom */
    bool writable;          /* PAPI_write sets the number, where the file's permissions allow it */

    /* Native events of which this one is made, in groups of this component: their names, separated by blanks,
     * and the formula of their counts (events/definition.h). NULL: it is counted itself. */
    const char *made_of, *formula;

    void *opened; /* of another component: the list's, by which it is counted */
};

/* An event as a component's table has it, with its texts in the row (base/text_rows.h); "": none. */
struct event_row {
    char name[24], description[92], unit[16], file[48], line[24], label[8], range_file[24], rate_file[32];
    uint64_t config, times, per, rate;
    int word;
    bool real, level, writable;
};

/* The event of a row, which stays where it is. */
struct component_event event_of_row(const struct event_row *row);

/* A library that stays open as long as there is a list or an event that uses it. */
struct opening;

/* Begins as zeroes. An event stays where it is for as long as the list does, and while it is held. */
struct event_list {
    struct component_event **event;
    int n;
    struct component_event **variant; /* of those, with qualifiers, as far as they were asked for */
    int n_variants;
    struct hash_table by_name; /* an event's index and 1, by its name in lower case */
    bool read;
    struct opening *opening; /* NULL: nothing */
};

/* Takes over an opened library, before the events that are counted by it are added. PAPI_ENOMEM: it is
 * closed. */
int event_list_open(struct event_list *list, void *opened, void (*close)(void *opened), struct reason *why);

/* Appends a copy. PAPI_ENOMEM. */
int event_list_add(struct event_list *list, const struct component_event *event, struct reason *why);

/* Appends a copy to the variants, and gives it. PAPI_ENOMEM. */
int event_list_add_variant(struct event_list *list, const struct component_event *variant,
                           const struct component_event **added, struct reason *why);

/* The index of the event of a name, in these letters or else in any case of them; -1: there is none. */
int event_list_find(const struct event_list *list, const char *name);

/* Keep an event for a group, which a thread may be reading while another one shuts the library down and frees
 * the list, and give it back. */
const struct component_event *event_hold(const struct component_event *event);
void event_release(const struct component_event *event);

void event_list_free(struct event_list *list);

/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "components/component.h"

/* Shared functions of components whose events are numbers in files of the kernel: such a component is a list
 * of events with their files (struct component_event) and these functions. A reading is one system call for
 * each file, however many events are in it. */

/* The members of struct component that they share. FILES_COMPONENT: of those that read the whole machine's
 * numbers. */
#define FILES_MEMBERS(NAME) LISTING_MEMBERS(NAME), .try_event = files_try_event, .create = files_create
#define FILES_COMPONENT(NAME)                                                                                \
    FILES_MEMBERS(NAME), .granularity = PAPI_GRN_SYS, .check_options = file_check_options

struct counter_group *files_create(const struct group_options *options);

/* Tries to read the number of an event: PAPI_OK, or the error of a reading, with why. */
int files_try_event(struct pmu_table *pmus, const struct event_encoding *event, int domain,
                    struct reason *why);

/* Refuses all but the plain options: the files show what the whole machine does. */
int file_check_options(const char *root, const struct group_options *options, struct reason *why);

/* ---- for lists */

/* The root below which events are looked for, and the list that they are appended to: lists hand it to
 * visitors. */
struct files_list {
    const char *root;
    struct event_list *list;
};

/* Calls visit with the name of each entry of a folder that begins with a prefix, by name and number, until
 * one call is not PAPI_OK. A folder that is not there has none. PAPI_ENOMEM, PAPI_ESYS: it cannot be read
 * now. */
int files_each(const char *root, const char *folder, const char *prefix,
               int (*visit)(void *context, const char *entry, struct reason *why), void *context,
               struct reason *why);

/* Calls visit with each line of a file, which it may change, until one call is not PAPI_OK. A file that is
 * not there has none. PAPI_ENOMEM, PAPI_ESYS: it cannot be read now. */
int files_lines(const char *root, const char *path,
                int (*visit)(void *context, char *line, struct reason *why), void *context,
                struct reason *why);

/* Appends an event, if its file is there: like the pattern, with this name, and its files in this folder (""
 * where the pattern has whole paths; NULL there: the folder itself). Of the description, "%s" stands for the
 * subject. */
int files_add(const struct files_list *to, const struct component_event *pattern, const char *folder,
              const char *name, const char *subject, struct reason *why);

/* The same of a row of a table. */
int files_add_row(const struct files_list *to, const struct event_row *row, const char *folder,
                  const char *name, const char *subject, struct reason *why);

/* Appends the events of rows whose files are in a folder, as "subject:name". */
int files_add_rows(const struct files_list *to, const struct event_row *row, int n, const char *folder,
                   const char *subject, struct reason *why);

/* Disables the component where a folder is not there, cannot be read, or has no entry with a prefix.
 *   what  what the folder shows: "the network interfaces" */
void files_discover(struct pmu_table *pmus, struct component_state *state, const char *folder,
                    const char *prefix, const char *what);

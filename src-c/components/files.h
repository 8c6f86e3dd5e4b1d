/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PAPI_COMPONENTS_FILES_H
#define PAPI_COMPONENTS_FILES_H

#include "components/component.h"

/* What components have in common whose events are numbers in files of the kernel: such a component is a list
 * of events with their files (struct component_event) and these functions. A reading is one system call an
 * event. */

struct counter_group *files_create(const struct group_form *form);

/* Whether the number of an event can be read. */
int files_try_event(struct pmu_table *pmus, const struct event_encoding *event, int domain,
                    struct reason *why);

/* What the files show is the whole machine's: no form but the plain one. */
int files_check_form(const char *root, const struct group_form *form, struct reason *why);

#endif

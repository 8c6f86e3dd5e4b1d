/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PAPI_EMULATED_GROUP_H
#define PAPI_EMULATED_GROUP_H

#include "components/component.h"

/* The counters of one event set: places in the page that the emulator writes. Meaning and errors as
 * in struct component. */
struct counter_group *emulated_group_create(const struct group_form *form);
int emulated_group_add(struct counter_group *group, const char *root, const struct event_encoding *event,
                       struct reason *why);
int emulated_group_remove(struct counter_group *group, const char *root, const bool *drop,
                          struct reason *why);
int emulated_group_set_form(struct counter_group *group, const struct group_form *form, struct reason *why);
int emulated_group_start(struct counter_group *group, struct reason *why);
int emulated_group_stop(struct counter_group *group, struct reason *why);
int emulated_group_set_overflow(struct counter_group *group, const char *root, int counter, uint64_t period,
                                struct reason *why);
bool emulated_group_take_overflow(struct counter_group *group, int *counter, uint64_t *address);
uint64_t emulated_group_overflows_written(const struct counter_group *group);
void emulated_group_pause(struct counter_group *group, bool paused);
bool emulated_group_may_not_end(const struct counter_group *group);
int emulated_group_check_overflows(const struct counter_group *group, struct reason *why);
void emulated_group_silence(const struct counter_group *group);
void emulated_group_destroy(struct counter_group *group);
void emulated_group_abandon(struct counter_group *group);

#endif

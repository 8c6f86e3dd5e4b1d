/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "components/event_list.h"

/* The number of an event in a text of the kernel, times what it is multiplied by: "123", "-5000" of a level,
 * "max" of one, which is -1, "cpu0 1 2 3", "total=123". Of a real event, which is a level: the bits of a
 * double. */
enum number_found { NUMBER_FOUND, NUMBER_MISSING, NOT_A_NUMBER };

/* In a text that ends with 0. NUMBER_MISSING: it has no such line or word. */
enum number_found number_in(const char *text, const struct component_event *event, uint64_t *value);

/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "profile/call_tree.h"

struct json;

/* Writes the list "loops" of a profile's file. */
void loops_write(struct json *json, const struct profile *profile);

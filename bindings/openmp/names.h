/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "result.h"

/* Names of places in code, by the debug information or the symbols of programs and libraries. */
struct names;

/* NULL: no memory. */
struct names *names_open(void);
void names_close(struct names *names);

/* The place of the call that returns to an address. Its texts are there until names is closed. */
void names_find(struct names *names, uintptr_t code, struct result_name *name);

/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Names with numbers as qualifiers: "SQ_WAVES:XCC=1:device=0". */

enum { DEVICE_QUALIFIERS = 9 };

struct device_qualifier {
    char name[40];
    long number;
};

/* Splits a name into what stands before its qualifiers and these, each of which is there once, and gives
 * their number. -1: it is malformed, or has more than DEVICE_QUALIFIERS. */
int device_name_split(const char *name, char *base, size_t size, struct device_qualifier *qualifier);

/* The number of a qualifier; -1: it is not among them. */
long device_qualifier_of(const struct device_qualifier *qualifier, int n, const char *name);

/* Puts '_' for what separates names where events are listed (PAPI_EVENTS), and for what no name should have.
 * True if it changed the name. */
bool device_name_clean(char *name);

/* True if a name has nothing of that, and is one. */
bool device_name_is_clean(const char *name);

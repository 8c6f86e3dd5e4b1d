/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PAPI_UTILS_NATIVE_PRINT_H
#define PAPI_UTILS_NATIVE_PRINT_H

#include "native.h"

/* One native event in each of the forms of papi_native_avail. */

/* A box of lines between bars. Scripts read the first columns: keep them. */
void native_print_box(const struct native *native, enum native_check check);

/* The names alone, with a check only those that count. */
void native_print_names(const struct native *native, enum native_check check);

/* An object of JSON, or with a key a member. */
void native_show(struct report *report, const char *key, const struct native *native,
                 enum native_check check);

/* Labels and values, for one event. */
void native_show_detail(struct report *report, const struct native *native, enum native_check check);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "events/definition.h"
#include <stdio.h>

/* The table of events that PAPI_encode_events reads: a title line, then one event a row,
 * name,derived,postfix,short_descr,long_descr,note,native,... */

/* Takes one row: PAPI_OK to go on, or a code with its reason. */
typedef int old_csv_row(const struct event_parts *parts, int line, void *context, struct reason *why);

/* Gives each row to take, until one fails. The reason of a failure begins with the file and the line. */
int old_csv_read(FILE *file, const char *name, old_csv_row *take, void *context, struct reason *why);

/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdio.h>

/* The folders of records in a directory, or the directory itself where it is one: what jobs left that did not
 * end well, and what jobs have that still run. Prints a line for each; with remove those that do not run are
 * removed, and this is said. For papi_mpi_report. Returns how many there were; -1 with errno: the directory
 * cannot be read, or a folder not removed. */
int kept_records(FILE *out, const char *directory, bool remove);

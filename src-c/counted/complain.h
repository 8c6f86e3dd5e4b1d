/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/* What papi_counted and the programs that it runs say on standard error: "papi_counted: ", the text as a
 * terminal may show it, and the end of the line. */
__attribute__((format(printf, 1, 2))) void complain(const char *format, ...);

/* A line on standard output, as a terminal may show it. */
void say_line(const char *text);

/* What was allocated. Without memory it says so, and the program ends with papi_counted's own status for
 * errors. */
enum { EXIT_OWN_ERROR = 125 };
void *or_end(void *allocated);

/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/* Prints a message of papi_counted or the programs that it runs on standard error: "papi_counted: ", the text
 * as a terminal may show it, and the end of the line. */
__attribute__((format(printf, 1, 2))) void complain(const char *format, ...);

/* Prints a line on standard output, as a terminal may show it. */
void say_line(const char *text);

/* Returns allocated. If that is NULL, says that there is no memory and ends the program with EXIT_OWN_ERROR,
 * papi_counted's own status for errors. */
enum { EXIT_OWN_ERROR = 125 };
void *or_end(void *allocated);

/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "tools/common/allocate.h"

/* Prints a message of papi_counted or the programs that it runs on standard error: "papi_counted: ", the text
 * as a terminal may show it, and the end of the line. */
__attribute__((format(printf, 1, 2))) void complain(const char *format, ...);

/* Prints a line on standard output, as a terminal may show it. */
void say_line(const char *text);

/* Status of papi_counted's own errors, and where there is no memory (tools/common/allocate.h). */
enum { EXIT_OWN_ERROR = 125 };

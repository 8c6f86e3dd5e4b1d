/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdio.h>

/* Replacements of stdout and stderr in the libpfm4 that libpapi.a contains. Distributions compile it for
 * programs, where the C library's own can be reached directly; an extension module that is linked with
 * libpapi.a could not be linked for that. */
extern FILE *papi_pfm_stdout, *papi_pfm_stderr;

/* Sets these variables, before libpfm4 is first called. */
void archive_begin(void);

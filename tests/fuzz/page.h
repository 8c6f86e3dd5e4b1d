/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stddef.h>

/* The page without its scripts is page.c's: two places, for a sentence and for data, of which this text must
 * be one in which nothing is markup and the data are JSON. */
void fuzz_page(const char *text, size_t size);

/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stddef.h>

/* Memory for names, points and texts. Without it papi_roofline ends with exit status 1. */
void *memory_more(void *old, size_t count, size_t size);
char *memory_text(const char *text);
char *memory_print(const char *format, ...) __attribute__((format(printf, 1, 2)));

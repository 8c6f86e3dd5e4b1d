/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stddef.h>

/* The advice at the end of a reason of the library's (base/reason.h) as a record has room for it: what would
 * count the event, without the program's name, which the report puts in (report/count_advice.h). */

/* Puts "; to have it counted here, papi_counted or papi_emulate --caches" into words, or what else the advice
 * is, or "". Returns how much of the reason stands before it. */
size_t advice_words(const char *reason, char *words, size_t size);

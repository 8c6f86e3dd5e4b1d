/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>

/* Calls of libgomp's functions that are passed on to a runtime that tells by OMPT: what it takes for their
 * place in the program is in this library. */

/* True if a call that returns to an address is one of these. */
bool gomp_is_own(const void *code);

/* Where the last call returns to that this thread passed on; of a region, an address of its function. */
extern _Thread_local const void *gomp_caller;

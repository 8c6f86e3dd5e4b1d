/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>

/* True if a library is one of linear algebra by its path: then a counted one can be linked instead. */
bool counted_linear_algebra(const char *library);

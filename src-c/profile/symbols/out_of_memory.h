/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>

/* Where memory is out papi_profile ends. In the library the work alone ends, wherever it is: then this is
 * false, and what the work had in its hands is lost. */
bool memory_enough(void (*work)(void *with), void *with);

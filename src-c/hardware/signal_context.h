/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdint.h>

/* What a signal's handler gets as its third argument, by processor. */

/* Where a signal interrupted the program; 0 on a processor that is not known. */
uint64_t context_address(const void *context);

/* A number for its registers there: the same for the same registers. */
uint64_t context_registers(const void *context);

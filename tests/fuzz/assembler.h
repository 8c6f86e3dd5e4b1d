/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* What the assembler of counted builds makes of a text in which a compiler's assembly should be: the first
 * byte says how counters are placed. Each processor's is a target of its own. */
void fuzz_assemble(const uint8_t *data, size_t size);

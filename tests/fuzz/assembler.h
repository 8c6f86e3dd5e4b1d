/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Assembles a text for a counted build and checks the result. The first byte says how counters are placed,
 * the rest should be a compiler's assembly. Each processor has a fuzz target of its own. */
void fuzz_assemble(const uint8_t *data, size_t size);

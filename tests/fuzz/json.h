/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stddef.h>

/* Fails unless these bytes are JSON, as jansson reads it, whose header goes with no other JSON. */
void fuzz_json(const char *text, size_t size);

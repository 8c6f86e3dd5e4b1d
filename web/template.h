/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stddef.h>

/* Made by generate.py: the page up to the place of the verdict, from there to that of the data, the rest. */
extern const unsigned char page_begin[], page_middle[], page_end[];
extern const size_t page_begin_length, page_middle_length, page_end_length;

/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Structures of which most is zero, as short messages: words that are zero are counted, the others follow.
 * What is not zero at all takes some bytes more than it has. A structure has whole words; what does not fit
 * into one message comes in the next. */

/* Packs from the word *at on into the message, which has room for so many words, at least 2. Returns the
 * words that are used; *at is the number of bytes / 8 then, or there is more. */
size_t packed_put(const void *from, size_t bytes, size_t *at, uint64_t *message, size_t room);

/* Puts a message into the structure, whose words from *at on are zero. 0, or -1: it is none. */
int packed_take(void *to, size_t bytes, size_t *at, const uint64_t *message, size_t n);

/* Makes all words zero, without a write to those that are: their pages may never have been there. */
void packed_clear(void *what, size_t bytes);

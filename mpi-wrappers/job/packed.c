/* SPDX-License-Identifier: BSD-3-Clause */
#include "job/packed.h"

#include <string.h>

enum { WORD = sizeof(uint64_t) };

/* A word of a structure, which need not be aligned as a word is. */
static uint64_t word_at(const char *from, size_t i)
{
    uint64_t word;
    memcpy(&word, from + i * WORD, WORD);
    return word;
}

static size_t zeros_at(const char *from, size_t at, size_t n)
{
    size_t end = at;
    while (end < n && word_at(from, end) == 0)
        end++;
    return end - at;
}

/* The words up to two that are zero, which are worth a head of their own. */
static size_t others_at(const char *from, size_t at, size_t n)
{
    size_t end = at;
    while (end < n && (word_at(from, end) != 0 || (end + 1 < n && word_at(from, end + 1) != 0)))
        end++;
    return end - at;
}

size_t packed_put(const void *from, size_t bytes, size_t *at, uint64_t *message, size_t room)
{
    size_t words = bytes / WORD, used = 0;
    while (*at < words && used + 2 <= room) {
        size_t zeros = zeros_at(from, *at, words), start = *at + zeros, n = others_at(from, start, words);
        n = n < room - used - 1 ? n : room - used - 1;
        message[used++] = (uint64_t)zeros << 32 | n;
        memcpy(message + used, (const char *)from + start * WORD, n * WORD);
        used += n;
        *at = start + n;
    }
    return used;
}

int packed_take(void *to, size_t bytes, size_t *at, const uint64_t *message, size_t n)
{
    size_t words = bytes / WORD;
    for (size_t i = 0; i < n;) {
        size_t zeros = message[i] >> 32, others = message[i] & UINT32_MAX;
        i++;
        if (zeros > words - *at || others > words - *at - zeros || others > n - i)
            return -1;
        memcpy((char *)to + (*at + zeros) * WORD, message + i, others * WORD);
        *at += zeros + others;
        i += others;
    }
    return 0;
}

void packed_clear(void *what, size_t bytes)
{
    for (size_t i = 0; i < bytes / WORD; i++)
        if (word_at(what, i) != 0)
            memset((char *)what + i * WORD, 0, WORD);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "text.h"

#include <stdint.h>
#include <string.h>

/* No variable is longer: a greater length is not a length. */
#define LENGTH_MAX ((size_t)1 << 24)

/* Compilers that pass lengths as int leave the upper half of the word undefined; what is not a length
 * after that either stands for nothing, so that neither a read nor the blanks run away. */
static size_t sane_length(size_t length)
{
    if (length > LENGTH_MAX)
        length = (uint32_t)length;
    return length > LENGTH_MAX ? 0 : length;
}

char *fpapi_text_in(struct fpapi_text *text, const char *from, size_t length)
{
    size_t n = sane_length(length);
    if (!from)
        n = 0;
    if (n > FPAPI_TEXT_MAX)
        n = FPAPI_TEXT_MAX;
    if (n > 0)
        n = strnlen(from, n);
    while (n > 0 && from[n - 1] == ' ')
        n--;
    if (n > 0)
        memcpy(text->bytes, from, n);
    text->bytes[n] = '\0';
    return text->bytes;
}

bool fpapi_text_out(char *to, size_t length, const char *from, size_t size)
{
    size_t room = to ? sane_length(length) : 0;
    size_t whole = strnlen(from, size), n = whole < room ? whole : room;
    if (room > 0) {
        memcpy(to, from, n);
        memset(to + n, ' ', room - n);
    }
    return n < whole;
}

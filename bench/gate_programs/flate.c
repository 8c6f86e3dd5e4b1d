/* SPDX-License-Identifier: BSD-3-Clause */
/* zlib: a text is compressed in two ways, and comes back; sums of it. */
#include "zlib.h"

#include <stdlib.h>
#include <string.h>

#include "text.h"

static int there_and_back(const unsigned char *text, uLong size, int level)
{
    uLongf packed_size = compressBound(size), back_size = size;
    unsigned char *packed = malloc(packed_size), *back = malloc(size);
    int good = packed != NULL && back != NULL && compress2(packed, &packed_size, text, size, level) == Z_OK;
    for (int i = 0; good && i < 5; i++)
        good = uncompress(back, &back_size, packed, packed_size) == Z_OK && back_size == size &&
               memcmp(text, back, size) == 0;
    free(packed);
    free(back);
    return good;
}

int main(void)
{
    enum { SIZE = 150000 };
    static unsigned char text[SIZE];
    text_make(text, SIZE);
    if (!there_and_back(text, SIZE, 1) || !there_and_back(text, SIZE, 6))
        return 1;
    uLong sum = crc32(0, NULL, 0), other = adler32(0, NULL, 0);
    for (int i = 0; i < 20; i++) {
        sum = crc32(sum, text, SIZE);
        other = adler32(other, text, SIZE);
    }
    return sum == 0 || other == 0;
}

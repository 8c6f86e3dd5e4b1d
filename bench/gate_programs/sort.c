/* SPDX-License-Identifier: BSD-3-Clause */
/* bzip2: a text is compressed, and comes back. */
#include "bzlib.h"

#include <stdlib.h>
#include <string.h>

#include "text.h"

void bz_internal_error(int code)
{
    exit(code);
}

int main(void)
{
    enum { SIZE = 60000 };
    static unsigned char text[SIZE], packed[2 * SIZE], back[SIZE];
    unsigned packed_size = sizeof packed, back_size = SIZE;
    text_make(text, SIZE);
    if (BZ2_bzBuffToBuffCompress((char *)packed, &packed_size, (char *)text, SIZE, 1, 0, 30) != BZ_OK ||
        BZ2_bzBuffToBuffDecompress((char *)back, &back_size, (char *)packed, packed_size, 0, 0) != BZ_OK)
        return 1;
    return back_size != SIZE || memcmp(text, back, SIZE) != 0;
}

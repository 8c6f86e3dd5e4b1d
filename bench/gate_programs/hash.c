/* SPDX-License-Identifier: BSD-3-Clause */
/* xxHash: all three kinds, of long and of short texts, at once and in parts. */
#include "xxhash.h"

#include "text.h"

int main(void)
{
    enum { SIZE = 100000 };
    static unsigned char text[SIZE];
    unsigned long long sum = 0;
    text_make(text, SIZE);
    for (int i = 0; i < 20; i++)
        sum += XXH32(text, SIZE, 1) + XXH64(text, SIZE, 1) + XXH3_64bits(text, SIZE);
    for (int i = 0; i + 100 < SIZE; i += 10)
        sum += XXH64(text + i, 20 + i % 60, 2) + XXH3_64bits(text + i, 20 + i % 60);
    XXH64_state_t *state = XXH64_createState();
    XXH64_reset(state, 3);
    for (int i = 0; i + 37 < SIZE; i += 37)
        XXH64_update(state, text + i, 37);
    sum += XXH64_digest(state);
    XXH64_freeState(state);
    return sum == 0;
}

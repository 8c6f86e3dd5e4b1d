/* SPDX-License-Identifier: BSD-3-Clause */
/* xxHash: sums of many texts, by threads of OpenMP that divide them in equal parts. */
#include "xxhash.h"

#include "text.h"

int main(void)
{
    enum { SIZE = 100000, TEXTS = 96 };
    static unsigned char text[SIZE];
    static XXH64_hash_t sum[TEXTS];
    XXH64_hash_t all = 0;
    text_make(text, SIZE);
    for (int k = 0; k < 4; k++) {
#pragma omp parallel for schedule(static) num_threads(4)
        for (int i = 0; i < TEXTS; i++)
            sum[i] = XXH64(text + i, SIZE - TEXTS, i) + XXH3_64bits(text + 7 * i, SIZE / 2);
        for (int i = 0; i < TEXTS; i++)
            all = all * 31 + sum[i];
    }
    return all == 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/counted/dot.h"

#include <string.h>

/* All sums are modulo 2^64. What a column has too much, the bias, is taken away once for all slots. */

static uint64_t plain_awake(const uint64_t *slot, uint64_t chunks)
{
    uint64_t awake = 0;
    for (; chunks != 0; chunks &= chunks - 1) {
        const uint64_t *chunk = slot + __builtin_ctzll(chunks) * CHUNK;
        uint64_t any = 0;
        for (int i = 0; i < CHUNK; i++)
            any |= chunk[i];
        if (any != 0)
            awake |= chunks & -chunks;
    }
    return awake;
}

static void add_slots(const uint64_t *slot, const uint32_t *const column[DOT_COLUMNS], uint64_t first,
                      uint64_t end, uint64_t *sum)
{
    for (uint64_t i = first; i < end; i++) {
        uint64_t excess = slot[i] * COLUMN_BIAS;
        for (int c = 0; c < DOT_COLUMNS; c++)
            sum[c] += slot[i] * column[c][i] - excess;
    }
}

static void add_rest(const struct slot_view *view, const uint32_t *const column[DOT_COLUMNS], uint64_t *sum)
{
    add_slots(view->slot, column, view->n / CHUNK * CHUNK, view->n, sum);
}

static void plain_add(const struct slot_view *view, const uint32_t *const column[DOT_COLUMNS], uint64_t *sum)
{
    for (uint64_t word = 0; word < column_words(view->n); word++)
        for (uint64_t awake = view->awake[word]; awake != 0; awake &= awake - 1) {
            uint64_t first = word * WORD + (uint64_t)__builtin_ctzll(awake) * CHUNK;
            add_slots(view->slot, column, first, first + CHUNK, sum);
        }
    add_rest(view, column, sum);
}

const struct dot_way dot_plain = {plain_awake, plain_add};

void dot_look(const struct dot_way *way, const struct slot_view *view)
{
    for (uint64_t word = 0; word < column_words(view->n); word++) {
        uint64_t quiet = view->used[word] & ~view->awake[word];
        if (quiet != 0)
            view->awake[word] |= way->awake(view->slot + word * WORD, quiet);
    }
}

#ifdef __x86_64__
#include <immintrin.h>

#define AVX2 __attribute__((target("avx2")))

static inline AVX2 __m256i load(const uint64_t *slot)
{
    return _mm256_loadu_si256((const __m256i_u *)slot);
}

static inline AVX2 __m256i any_of(const uint64_t *chunk)
{
    return _mm256_or_si256(load(chunk), load(chunk + 4));
}

/* Most programs have long stretches that never run: without a branch for each chunk. */
static AVX2 bool is_quiet(const uint64_t *slot)
{
    __m256i a = _mm256_setzero_si256(), b = a;
    for (int i = 0; i < WORD; i += 2 * CHUNK) {
        a = _mm256_or_si256(a, any_of(slot + i));
        b = _mm256_or_si256(b, any_of(slot + i + CHUNK));
    }
    a = _mm256_or_si256(a, b);
    return _mm256_testz_si256(a, a);
}

static AVX2 uint64_t avx2_awake(const uint64_t *slot, uint64_t chunks)
{
    uint64_t awake = 0;
    if (chunks == ~UINT64_C(0) && is_quiet(slot))
        return 0;
    for (; chunks != 0; chunks &= chunks - 1) {
        __m256i any = any_of(slot + __builtin_ctzll(chunks) * CHUNK);
        if (!_mm256_testz_si256(any, any))
            awake |= chunks & -chunks;
    }
    return awake;
}

/* The products of the slots' lower halves, and the slots themselves; of the upper halves, which few have, the
 * products are 2^32 times as much. */
struct lanes {
    __m256i product[DOT_COLUMNS], all;
};

static inline AVX2 __m256i four_of(const uint32_t *column)
{
    return _mm256_cvtepu32_epi64(_mm_loadu_si128((const __m128i_u *)column));
}

static inline AVX2 void add_low(struct lanes *lanes, __m256i slots, const uint32_t *const column[DOT_COLUMNS],
                                uint64_t at)
{
    lanes->all = _mm256_add_epi64(lanes->all, slots);
    for (int c = 0; c < DOT_COLUMNS; c++)
        lanes->product[c] =
            _mm256_add_epi64(lanes->product[c], _mm256_mul_epu32(slots, four_of(column[c] + at)));
}

static AVX2 __attribute__((noinline)) void add_high(struct lanes *lanes, __m256i slots,
                                                    const uint32_t *const column[DOT_COLUMNS], uint64_t at)
{
    __m256i high = _mm256_srli_epi64(slots, 32);
    for (int c = 0; c < DOT_COLUMNS; c++)
        lanes->product[c] =
            _mm256_add_epi64(lanes->product[c], _mm256_mul_epu32(high, four_of(column[c] + at)));
}

static inline AVX2 void add_chunk(struct lanes *low, struct lanes *high, const uint64_t *slot,
                                  const uint32_t *const column[DOT_COLUMNS], uint64_t at)
{
    const __m256i upper = _mm256_set1_epi64x((long long)0xffffffff00000000);
    __m256i first = load(slot + at), second = load(slot + at + 4);
    add_low(low, first, column, at);
    add_low(low, second, column, at + 4);
    if (__builtin_expect(!_mm256_testz_si256(_mm256_or_si256(first, second), upper), 0)) {
        add_high(high, first, column, at);
        add_high(high, second, column, at + 4);
    }
}

static inline AVX2 uint64_t sum_of(__m256i lanes)
{
    __m128i two = _mm_add_epi64(_mm256_castsi256_si128(lanes), _mm256_extracti128_si256(lanes, 1));
    return (uint64_t)_mm_cvtsi128_si64(two) + (uint64_t)_mm_extract_epi64(two, 1);
}

static AVX2 void avx2_add(const struct slot_view *view, const uint32_t *const column[DOT_COLUMNS],
                          uint64_t *sum)
{
    struct lanes low, high;
    memset(&low, 0, sizeof low);
    memset(&high, 0, sizeof high);
    for (uint64_t word = 0; word < column_words(view->n); word++)
        for (uint64_t awake = view->awake[word]; awake != 0; awake &= awake - 1)
            add_chunk(&low, &high, view->slot, column,
                      word * WORD + (uint64_t)__builtin_ctzll(awake) * CHUNK);
    uint64_t excess = sum_of(low.all) * COLUMN_BIAS;
    for (int c = 0; c < DOT_COLUMNS; c++)
        sum[c] += sum_of(low.product[c]) + (sum_of(high.product[c]) << 32) - excess;
    add_rest(view, column, sum);
}

static const struct dot_way with_avx2 = {avx2_awake, avx2_add};

const struct dot_way *dot_choose(void)
{
    return __builtin_cpu_supports("avx2") ? &with_avx2 : &dot_plain;
}

#else

const struct dot_way *dot_choose(void)
{
    return &dot_plain;
}

#endif

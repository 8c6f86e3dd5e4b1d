/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/counted/dot.h"

#include <string.h>

/* All sums are modulo 2^64. What a column has too much, the bias, is taken away once for all slots of a
 * chunk.
 */

enum { WORD_CHUNKS = 64 };

/* A chunk of a view. */
struct chunk {
    uint64_t index;
    const uint64_t *slot;
    uint64_t n;
};

static inline struct chunk chunk_of(const struct slot_view *view, uint64_t index)
{
    uint64_t first = index * CHUNK;
    return (struct chunk){index, view->slot + first, view->n - first < CHUNK ? view->n - first : CHUNK};
}

/* What the products are of comes last. */
static inline void keep_sums(const struct slot_view *view, const struct chunk *chunk, const void *sums)
{
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    memcpy(view->seen[chunk->index], sums, sizeof(dot_four));
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

/* ----------------------------------------------------------------------- plain C */

static void plain_products(const struct slot_view *view, const struct chunk *chunk, int bundle)
{
    const uint32_t *const *column = view->column + (size_t)bundle * DOT_COLUMNS;
    uint64_t first = chunk->index * CHUNK;
    dot_four sum = {0};
    for (uint64_t i = 0; i < chunk->n; i++) {
        uint64_t slot = __atomic_load_n(&chunk->slot[i], __ATOMIC_RELAXED);
        for (int c = 0; c < DOT_COLUMNS; c++)
            sum[c] += slot * column[c][first + i] - slot * COLUMN_BIAS;
    }
    memcpy(view->product[bundle][chunk->index], sum, sizeof sum);
}

static void plain_look(const struct slot_view *view, uint64_t index, int bundles)
{
    const struct chunk chunk = chunk_of(view, index);
    dot_four sums = {0};
    for (uint64_t i = 0; i < chunk.n; i++)
        sums[i % 4] += __atomic_load_n(&chunk.slot[i], __ATOMIC_RELAXED);
    if (memcmp(sums, view->seen[index], sizeof sums) == 0)
        return;
    for (int i = 0; i < bundles; i++)
        plain_products(view, &chunk, i);
    keep_sums(view, &chunk, sums);
}

void dot_plain(const struct slot_view *view, int bundles)
{
    for (uint64_t word = 0; word < column_words(view->n); word++)
        for (uint64_t used = view->used[word]; used != 0; used &= used - 1)
            plain_look(view, word * WORD_CHUNKS + (uint64_t)__builtin_ctzll(used), bundles);
}

void dot_forget(const struct slot_view *view)
{
    for (uint64_t i = 0; i < column_chunks(view->n); i++)
        memset(view->seen[i], 0xff, sizeof(dot_four));
}

void dot_add(const struct slot_view *view, int bundle, uint64_t sum[DOT_COLUMNS])
{
    const dot_four *product = view->product[bundle];
    for (uint64_t word = 0; word < column_words(view->n); word++)
        for (uint64_t used = view->used[word]; used != 0; used &= used - 1) {
            const uint64_t *of = product[word * WORD_CHUNKS + (uint64_t)__builtin_ctzll(used)];
            for (int c = 0; c < DOT_COLUMNS; c++)
                sum[c] += of[c];
        }
}

#ifdef __x86_64__
#include <immintrin.h>

#define AVX2 __attribute__((target("avx2")))

static inline AVX2 __m256i four_slots(const uint64_t *slot)
{
    return _mm256_loadu_si256((const __m256i_u *)slot);
}

/* The last ones of an array, less than four: the others are 0. */
static inline AVX2 __m256i some_slots(const uint64_t *slot, uint64_t n)
{
    const __m256i place = _mm256_setr_epi64x(0, 1, 2, 3);
    return _mm256_maskload_epi64((const long long *)slot,
                                 _mm256_cmpgt_epi64(_mm256_set1_epi64x((long long)n), place));
}

static inline AVX2 __m256i slots_of(const struct chunk *chunk, uint64_t i)
{
    return i + 4 <= chunk->n ? four_slots(chunk->slot + i) : some_slots(chunk->slot + i, chunk->n - i);
}

static inline AVX2 __m256i sums_of_whole(const uint64_t *slot)
{
    __m256i sum[4] = {four_slots(slot), four_slots(slot + 4), four_slots(slot + 8), four_slots(slot + 12)};
    for (int i = 16; i < CHUNK; i += 16)
        for (int j = 0; j < 4; j++)
            sum[j] = _mm256_add_epi64(sum[j], four_slots(slot + i + 4 * j));
    return _mm256_add_epi64(_mm256_add_epi64(sum[0], sum[1]), _mm256_add_epi64(sum[2], sum[3]));
}

static AVX2 __m256i sums_of_part(const struct chunk *chunk)
{
    __m256i sum = _mm256_setzero_si256();
    for (uint64_t i = 0; i < chunk->n; i += 4)
        sum = _mm256_add_epi64(sum, slots_of(chunk, i));
    return sum;
}

/* The products of the slots' lower halves, and the slots themselves; of the upper halves, which few have, the
 * products are 2^32 times as much. */
struct lanes {
    __m256i low[DOT_COLUMNS], high[DOT_COLUMNS], all;
};

static inline AVX2 __m256i four_of(const uint32_t *column)
{
    return _mm256_cvtepu32_epi64(_mm_loadu_si128((const __m128i_u *)column));
}

static inline AVX2 void add_products(__m256i *sum, __m256i slots, const uint32_t *const *column, uint64_t at)
{
    for (int c = 0; c < DOT_COLUMNS; c++)
        sum[c] = _mm256_add_epi64(sum[c], _mm256_mul_epu32(slots, four_of(column[c] + at)));
}

static inline AVX2 void add_four(struct lanes *lanes, __m256i slots, const uint32_t *const *column,
                                 uint64_t at)
{
    const __m256i upper = _mm256_set1_epi64x((long long)0xffffffff00000000);
    lanes->all = _mm256_add_epi64(lanes->all, slots);
    add_products(lanes->low, slots, column, at);
    if (__builtin_expect(!_mm256_testz_si256(slots, upper), 0))
        add_products(lanes->high, _mm256_srli_epi64(slots, 32), column, at);
}

/* The sum of each one's lanes, in its lane. */
static inline AVX2 __m256i sums_of_each(const __m256i *of)
{
    __m256i a = _mm256_add_epi64(_mm256_unpacklo_epi64(of[0], of[1]), _mm256_unpackhi_epi64(of[0], of[1]));
    __m256i b = _mm256_add_epi64(_mm256_unpacklo_epi64(of[2], of[3]), _mm256_unpackhi_epi64(of[2], of[3]));
    return _mm256_add_epi64(_mm256_permute2x128_si256(a, b, 0x20), _mm256_permute2x128_si256(a, b, 0x31));
}

static AVX2 void avx2_products(const struct slot_view *view, const struct chunk *chunk, int bundle)
{
    struct lanes lanes;
    memset(&lanes, 0, sizeof lanes);
    for (uint64_t i = 0; i < chunk->n; i += 4)
        add_four(&lanes, slots_of(chunk, i), view->column + (size_t)bundle * DOT_COLUMNS,
                 chunk->index * CHUNK + i);
    const __m256i all[] = {lanes.all, lanes.all, lanes.all, lanes.all};
    __m256i sum = _mm256_add_epi64(sums_of_each(lanes.low), _mm256_slli_epi64(sums_of_each(lanes.high), 32));
    sum = _mm256_sub_epi64(sum, _mm256_slli_epi64(sums_of_each(all), COLUMN_BIAS_BITS));
    _mm256_storeu_si256((__m256i_u *)view->product[bundle][chunk->index], sum);
}

static AVX2 __attribute__((noinline)) void make_products(const struct slot_view *view,
                                                         const struct chunk *chunk, __m256i sums, int bundles)
{
    for (int i = 0; i < bundles; i++)
        avx2_products(view, chunk, i);
    keep_sums(view, chunk, &sums);
}

static inline AVX2 void avx2_look(const struct slot_view *view, uint64_t index, int bundles)
{
    const struct chunk chunk = chunk_of(view, index);
    __m256i sums = chunk.n == CHUNK ? sums_of_whole(chunk.slot) : sums_of_part(&chunk);
    __m256i changed = _mm256_xor_si256(sums, four_slots(view->seen[index]));
    if (!_mm256_testz_si256(changed, changed))
        make_products(view, &chunk, sums, bundles);
}

static AVX2 void with_avx2(const struct slot_view *view, int bundles)
{
    for (uint64_t word = 0; word < column_words(view->n); word++)
        for (uint64_t used = view->used[word]; used != 0; used &= used - 1)
            avx2_look(view, word * WORD_CHUNKS + (uint64_t)__builtin_ctzll(used), bundles);
}

dot_way *dot_choose(void)
{
    return __builtin_cpu_supports("avx2") ? with_avx2 : dot_plain;
}

#else

dot_way *dot_choose(void)
{
    return dot_plain;
}

#endif

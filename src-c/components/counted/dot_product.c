/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/counted/dot_product.h"
#include "base/likely.h"

#include <string.h>

/* Sums of slots times coefficients, made as rarely as possible: little of a program runs between two
 * readings, so products are kept for each chunk of 64 slots, and made again only if the chunk's slots have
 * changed. Slots only grow, so that they have changed if and only if their sum has; it is compared in four
 * parts, which a vector register holds. Variables of the program that lie between slots may shrink and are
 * left out of the sums by the bits of own. The products themselves take every number of the chunk, since a
 * column has coefficient 0, apart from the bias, for those that are not slots.
 *
 * All sums are modulo 2^64, and so are differences of two readings. Coefficients may be negative, but
 * processors multiply unsigned numbers of 32 bits: a column has each coefficient plus a bias, and the bias
 * times the sum of the slots is subtracted once for a chunk. With AVX2 a slot of 64 bits is multiplied by its
 * halves; few slots have an upper one. */

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

/* Keeps the slots that products were made of, after the products. */
static inline void keep_sums(const struct slot_view *view, const struct chunk *chunk, const void *sums)
{
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    memcpy(view->seen[chunk->index], sums, sizeof(dot_four));
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

/* ---- plain C */

static inline uint64_t load(const uint64_t *slot)
{
    return __atomic_load_n(slot, __ATOMIC_RELAXED);
}

static void plain_products(const struct slot_view *view, const struct chunk *chunk, int bundle)
{
    const uint32_t *const *column = view->column + (size_t)bundle * DOT_COLUMNS;
    uint64_t first = chunk->index * CHUNK;
    dot_four sum = {0};
    for (uint64_t i = 0; i < chunk->n; i++) {
        uint64_t slot = load(chunk->slot + i);
        for (int c = 0; c < DOT_COLUMNS; c++)
            sum[c] += slot * column[c][first + i] - slot * COLUMN_BIAS;
    }
    memcpy(view->product[bundle][chunk->index], sum, sizeof sum);
}

/* Sums in four variables: compilers keep an array of sums in memory. */
static inline void plain_sums_of_whole(const uint64_t *slot, dot_four sums)
{
    uint64_t a = 0, b = 0, c = 0, d = 0;
    for (int i = 0; i < CHUNK; i += 4) {
        a += load(slot + i);
        b += load(slot + i + 1);
        c += load(slot + i + 2);
        d += load(slot + i + 3);
    }
    memcpy(sums, (const dot_four){a, b, c, d}, sizeof(dot_four));
}

static void plain_sums_of_some(const uint64_t *slot, uint64_t own, dot_four sums)
{
    for (; own != 0; own &= own - 1) {
        int i = __builtin_ctzll(own);
        sums[i % 4] += load(slot + i);
    }
}

static void plain_look(const struct slot_view *view, uint64_t index, int bundles)
{
    const struct chunk chunk = chunk_of(view, index);
    dot_four sums = {0};
    if ((view->whole[index / WORD_CHUNKS] >> index % WORD_CHUNKS & 1) != 0)
        plain_sums_of_whole(chunk.slot, sums);
    else
        plain_sums_of_some(chunk.slot, view->own[index], sums);
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
#include <cpuid.h>
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
    __m256i a = four_slots(slot), b = four_slots(slot + 4), c = four_slots(slot + 8),
            d = four_slots(slot + 12);
    for (int i = 16; i < CHUNK; i += 16) {
        a = _mm256_add_epi64(a, four_slots(slot + i));
        b = _mm256_add_epi64(b, four_slots(slot + i + 4));
        c = _mm256_add_epi64(c, four_slots(slot + i + 8));
        d = _mm256_add_epi64(d, four_slots(slot + i + 12));
    }
    return _mm256_add_epi64(_mm256_add_epi64(a, b), _mm256_add_epi64(c, d));
}

/* Sums of the slots among a chunk's numbers, from the last four on: the upper bit of each lane says whether
 * its number is a slot. Nothing else is read. */
static AVX2 __m256i sums_of_some(const uint64_t *slot, uint64_t own)
{
    __m256i sum = _mm256_setzero_si256();
    int last = own == 0 ? 0 : (63 - __builtin_clzll(own)) / 4 * 4;
    __m256i is_slot = _mm256_sllv_epi64(_mm256_set1_epi64x((long long)(own << (60 - last))),
                                        _mm256_setr_epi64x(3, 2, 1, 0));
    for (int i = last; i >= 0; i -= 4) {
        sum = _mm256_add_epi64(sum, _mm256_maskload_epi64((const long long *)slot + i, is_slot));
        is_slot = _mm256_slli_epi64(is_slot, 4);
    }
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
    if (unlikely(!_mm256_testz_si256(slots, upper)))
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

static AVX2 __attribute__((noinline)) void make_products(const struct slot_view *view, uint64_t index,
                                                         __m256i sums, int bundles)
{
    const struct chunk chunk = chunk_of(view, index);
    for (int i = 0; i < bundles; i++)
        avx2_products(view, &chunk, i);
    keep_sums(view, &chunk, &sums);
}

static inline AVX2 void avx2_compare(const struct slot_view *view, uint64_t index, __m256i sums, int bundles)
{
    __m256i changed = _mm256_xor_si256(sums, four_slots(view->seen[index]));
    if (!_mm256_testz_si256(changed, changed))
        make_products(view, index, sums, bundles);
}

static inline AVX2 void look_at_whole(const struct slot_view *view, uint64_t index, int bundles)
{
    avx2_compare(view, index, sums_of_whole(view->slot + index * CHUNK), bundles);
}

static inline AVX2 void look_at_some(const struct slot_view *view, uint64_t index, int bundles)
{
    avx2_compare(view, index, sums_of_some(view->slot + index * CHUNK, view->own[index]), bundles);
}

static AVX2 void with_avx2(const struct slot_view *view, int bundles)
{
    for (uint64_t word = 0; word < column_words(view->n); word++) {
        uint64_t index = word * WORD_CHUNKS, used = view->used[word];
        for (uint64_t whole = used & view->whole[word]; whole != 0; whole &= whole - 1)
            look_at_whole(view, index + (uint64_t)__builtin_ctzll(whole), bundles);
        for (uint64_t rest = used & ~view->whole[word]; rest != 0; rest &= rest - 1)
            look_at_some(view, index + (uint64_t)__builtin_ctzll(rest), bundles);
    }
}

/* True if the processor has AVX2 and the kernel keeps its registers. The compiler's own question would have
 * every process that is linked with the library ask the processor all that there is, before it begins. */
static bool has_avx2(void)
{
    enum { SSE_AND_AVX = 6 };
    const unsigned wanted = bit_OSXSAVE | bit_AVX;
    unsigned a, b, c, d, kept, upper;
    if (!__get_cpuid(1, &a, &b, &c, &d) || (c & wanted) != wanted)
        return false;
    __asm__("xgetbv" : "=a"(kept), "=d"(upper) : "c"(0));
    return (kept & SSE_AND_AVX) == SSE_AND_AVX && __get_cpuid_count(7, 0, &a, &b, &c, &d) &&
           (b & bit_AVX2) != 0;
}

dot_way *dot_choose(void)
{
    return has_avx2() ? with_avx2 : dot_plain;
}

#else

dot_way *dot_choose(void)
{
    return dot_plain;
}

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Sums of products of slots and columns, from the sources: each way against the definition, with numbers of
 * all sizes and signs.
 */
#include "components/counted/dot.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 3 * WORD + 5 };

static uint64_t slot[MOST];
static uint32_t biased[DOT_COLUMNS][MOST];
static int32_t coefficient[DOT_COLUMNS][MOST];
static uint64_t used[4], awake[4];

/* xorshift */
static uint64_t number(void)
{
    static uint64_t state = 88172645463325252u;
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}

static uint64_t any_slot(void)
{
    switch (number() % 5) {
    case 0:
        return number();
    case 1:
        return -(number() % 1000); /* a loop that has begun and not ended */
    case 2:
        return number() % 1000;
    default:
        return 0;
    }
}

static int32_t any_coefficient(void)
{
    static const int32_t extreme[] = {INT32_MIN, INT32_MAX, -1, 0};
    return number() % 4 == 0 ? extreme[number() % 4] : (int32_t)(number() % 20) - 5;
}

/* Some stretches never ran, and some add to nothing. */
static void fill(uint64_t n)
{
    memset(used, 0, sizeof used);
    memset(awake, 0, sizeof awake);
    for (uint64_t i = 0; i < n; i++) {
        slot[i] = i / 100 % 3 == 1 ? 0 : any_slot();
        for (int c = 0; c < DOT_COLUMNS; c++) {
            coefficient[c][i] = i / 50 % 4 == 2 ? 0 : any_coefficient();
            biased[c][i] = (uint32_t)coefficient[c][i] + COLUMN_BIAS;
            if (coefficient[c][i] != 0 && i < n / CHUNK * CHUNK)
                used[i / WORD] |= UINT64_C(1) << i / CHUNK % 64;
        }
    }
}

static uint64_t defined(int column, uint64_t n)
{
    uint64_t sum = 0;
    for (uint64_t i = 0; i < n; i++)
        sum += slot[i] * (uint64_t)(int64_t)coefficient[column][i];
    return sum;
}

static void check(const struct dot_way *way, uint64_t n)
{
    const struct slot_view view = {slot, n, used, awake};
    const uint32_t *const column[DOT_COLUMNS] = {biased[0], biased[1], biased[2], biased[3]};
    uint64_t sum[DOT_COLUMNS] = {1, 2, 3, 4};
    fill(n);
    dot_look(way, &view);
    way->add(&view, column, sum);
    for (int c = 0; c < DOT_COLUMNS; c++)
        assert_int_equal(sum[c], defined(c, n) + (uint64_t)c + 1);
    for (uint64_t chunk = 0; chunk < n / CHUNK; chunk++) {
        uint64_t any = 0;
        for (int i = 0; i < CHUNK; i++)
            any |= slot[chunk * CHUNK + (uint64_t)i];
        assert_int_equal(awake[chunk / 64] >> chunk % 64 & 1,
                         (used[chunk / 64] >> chunk % 64 & 1) && any != 0);
    }
}

static const uint64_t sizes[] = {0, 1, 7, 8, 9, 63, 64, 511, 512, 513, 1024, 1500, MOST};

static void each_way_is_the_definition(void **state)
{
    (void)state;
    for (int round = 0; round < 50; round++)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            check(&dot_plain, sizes[i]);
            check(dot_choose(), sizes[i]);
        }
}

/* What wakes up later is seen by the next look. */
static void looks_again(void **state)
{
    const struct slot_view view = {slot, WORD, used, awake};
    (void)state;
    memset(slot, 0, sizeof slot);
    memset(awake, 0, sizeof awake);
    memset(used, 0xff, sizeof used);
    dot_look(dot_choose(), &view);
    assert_int_equal(awake[0], 0);
    slot[WORD - 1] = 1;
    dot_look(dot_choose(), &view);
    assert_int_equal(awake[0], UINT64_C(1) << 63);
    slot[WORD - 1] = 0;
    slot[CHUNK] = UINT64_C(1) << 63;
    dot_look(dot_choose(), &view);
    assert_int_equal(awake[0], UINT64_C(1) << 63 | 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_way_is_the_definition),
                                       cmocka_unit_test(looks_again)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Sums of products of slots and columns, from the sources: each way against the definition, with numbers of
 * all sizes and signs, and again after some slots have grown.
 */
#include "components/counted/dot.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 70 * CHUNK + 5, BUNDLES = 2, COLUMNS = BUNDLES * DOT_COLUMNS, CHUNKS = MOST / CHUNK + 1 };

static uint64_t slot[MOST];
static uint32_t biased[COLUMNS][MOST + COLUMN_STEP];
static int32_t coefficient[COLUMNS][MOST];
static uint64_t used[CHUNKS / 64 + 1];
static dot_four seen[CHUNKS], product[BUNDLES][CHUNKS];

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
        return number() / 2;
    case 1:
        return UINT64_C(0xffffffff) + number() % 3; /* both halves */
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
    memset(seen, 0, sizeof seen);
    memset(product, 0, sizeof product);
    for (uint64_t i = 0; i < n; i++) {
        slot[i] = i / 100 % 3 == 1 ? 0 : any_slot();
        for (int c = 0; c < COLUMNS; c++) {
            coefficient[c][i] = i / 200 % 4 == 2 ? 0 : any_coefficient();
            biased[c][i] = (uint32_t)coefficient[c][i] + COLUMN_BIAS;
            if (coefficient[c][i] != 0)
                used[i / CHUNK / 64] |= UINT64_C(1) << i / CHUNK % 64;
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

static struct slot_view view_of(uint64_t n)
{
    struct slot_view view = {.slot = slot, .n = n, .used = used, .seen = seen};
    for (int i = 0; i < BUNDLES; i++)
        view.product[i] = product[i];
    for (int i = 0; i < COLUMNS; i++)
        view.column[i] = biased[i];
    return view;
}

static void expect_sums(dot_way *look, const struct slot_view *view)
{
    look(view, BUNDLES);
    for (int bundle = 0; bundle < BUNDLES; bundle++) {
        uint64_t sum[DOT_COLUMNS] = {1, 2, 3, 4};
        dot_add(view, bundle, sum);
        for (int c = 0; c < DOT_COLUMNS; c++)
            assert_int_equal(sum[c], defined(bundle * DOT_COLUMNS + c, view->n) + (uint64_t)c + 1);
    }
}

static const uint64_t sizes[] = {0, 1, 3, 4, 7, 63, 64, 65, 500, 512, 64 * CHUNK, MOST};

static void check(dot_way *look, uint64_t n)
{
    const struct slot_view view = view_of(n);
    fill(n);
    expect_sums(look, &view);
    for (int i = 0; n > 0 && i < 5; i++) {
        slot[number() % n] += number() % 2 == 0 ? 1 : UINT64_C(1) << 40;
        expect_sums(look, &view);
    }
}

static void each_way_is_the_definition(void **state)
{
    (void)state;
    for (int round = 0; round < 20; round++)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            check(dot_plain, sizes[i]);
            check(dot_choose(), sizes[i]);
        }
}

/* Products of slots that have not changed are not made again, until they are forgotten. */
static void keeps_products(void **state)
{
    const struct slot_view view = view_of(2 * CHUNK);
    dot_way *const ways[] = {dot_plain, dot_choose()};
    (void)state;
    for (int way = 0; way < 2; way++) {
        fill(view.n);
        used[0] = 3;
        slot[0] = 1;
        biased[0][0] = COLUMN_BIAS + 1;
        ways[way](&view, 1);
        biased[0][0] += 5;
        uint64_t old = product[0][0][0], other = product[0][1][0];
        ways[way](&view, 1);
        assert_int_equal(product[0][0][0], old);
        dot_forget(&view);
        ways[way](&view, 1);
        assert_int_equal(product[0][0][0], old + 5);
        assert_int_equal(product[0][1][0], other);
    }
}

/* The last slot of each lane of a chunk, alone. */
static void sees_each_slot(void **state)
{
    const struct slot_view view = view_of(CHUNK + 3);
    dot_way *const ways[] = {dot_plain, dot_choose()};
    (void)state;
    for (int way = 0; way < 2; way++) {
        fill(view.n);
        used[0] = 3;
        for (uint64_t i = 0; i < view.n; i++) {
            slot[i]++;
            expect_sums(ways[way], &view);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_way_is_the_definition),
                                       cmocka_unit_test(keeps_products), cmocka_unit_test(sees_each_slot)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

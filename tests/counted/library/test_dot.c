/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Sums of products of slots and columns, from the sources: each way against the definition, with numbers of
 * all sizes and signs, and again after some slots have grown and the program's variables beside them have
 * changed.
 */
#include "components/counted/dot_product.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 70 * CHUNK + 5, BUNDLES = 2, COLUMNS = BUNDLES * DOT_COLUMNS, CHUNKS = MOST / CHUNK + 1 };

static uint64_t slot[MOST];
static uint32_t biased[COLUMNS][MOST + COLUMN_STEP];
static int32_t coefficient[COLUMNS][MOST];
static uint64_t used[CHUNKS / 64 + 1], own[CHUNKS], whole[CHUNKS / 64 + 1];
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

/* Notes which chunks have slots only, after own has changed. */
static void note_whole(void)
{
    memset(whole, 0, sizeof whole);
    for (uint64_t i = 0; i < CHUNKS; i++)
        whole[i / 64] |= (uint64_t)(own[i] == UINT64_MAX) << i % 64;
}

/* Chunks of slots alone, such with few slots, and others. What is no slot is a variable of the program. */
static void choose_slots(uint64_t n)
{
    memset(own, 0, sizeof own);
    for (uint64_t i = 0; i < n; i++) {
        uint64_t kind = i / CHUNK % 4;
        bool slot_here = kind == 0 || (kind == 1 ? number() % 8 == 0 : number() % 8 != 0);
        own[i / CHUNK] |= (uint64_t)slot_here << i % CHUNK;
    }
    note_whole();
}

static bool is_slot(uint64_t i)
{
    return (own[i / CHUNK] >> i % CHUNK & 1) != 0;
}

/* Some stretches never ran, and some add to nothing. */
static void fill(uint64_t n)
{
    memset(used, 0, sizeof used);
    memset(seen, 0, sizeof seen);
    memset(product, 0, sizeof product);
    choose_slots(n);
    for (uint64_t i = 0; i < n; i++) {
        slot[i] = i / 100 % 3 == 1 ? 0 : any_slot();
        for (int c = 0; c < COLUMNS; c++) {
            coefficient[c][i] = i / 200 % 4 == 2 || !is_slot(i) ? 0 : any_coefficient();
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
    struct slot_view view = {.slot = slot, .n = n, .used = used, .own = own, .whole = whole, .seen = seen};
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

/* A slot grows, and a variable in the same place of another four shrinks by as much, as the number of free
 * elements of a list does; or a variable changes alone. */
static void change(uint64_t n)
{
    uint64_t at = number() % n, first = at / CHUNK * CHUNK, step = number() % 2 == 0 ? 1 : UINT64_C(1) << 40;
    if (!is_slot(at)) {
        slot[at] = number();
        return;
    }
    slot[at] += step;
    for (uint64_t i = first + at % 4; i < n && i < first + CHUNK; i += 4)
        if (!is_slot(i)) {
            slot[i] -= step;
            return;
        }
}

static void check(dot_way *look, uint64_t n)
{
    const struct slot_view view = view_of(n);
    fill(n);
    expect_sums(look, &view);
    for (int i = 0; n > 0 && i < 10; i++) {
        change(n);
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
        own[0] |= 1;
        note_whole();
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

/* Each slot with each variable of its chunk, which shrinks by as much as the slot grows. */
static void variables_hide_no_slot(void **state)
{
    const struct slot_view view = view_of(2 * CHUNK - 5);
    dot_way *const ways[] = {dot_plain, dot_choose()};
    (void)state;
    for (int way = 0; way < 2; way++) {
        fill(view.n);
        used[0] = 3;
        for (uint64_t i = 0; i < view.n * CHUNK; i++) {
            uint64_t grows = i / CHUNK, shrinks = grows / CHUNK * CHUNK + i % CHUNK;
            if (!is_slot(grows) || shrinks >= view.n || is_slot(shrinks))
                continue;
            slot[grows]++;
            slot[shrinks]--;
            expect_sums(ways[way], &view);
        }
    }
}

/* A chunk is computed anew only if a slot in it has changed: a changed word that is not a slot makes no
 * work. */
static void variables_cost_nothing(void **state)
{
    const struct slot_view view = view_of(CHUNK);
    dot_way *const ways[] = {dot_plain, dot_choose()};
    (void)state;
    for (int way = 0; way < 2; way++) {
        fill(view.n);
        used[0] = own[0] = 1;
        note_whole();
        ways[way](&view, 1);
        product[0][0][0] = 12345;
        slot[CHUNK - 1]++;
        ways[way](&view, 1);
        assert_int_equal(product[0][0][0], 12345);
        slot[0]++;
        ways[way](&view, 1);
        assert_int_not_equal(product[0][0][0], 12345);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_way_is_the_definition),
                                       cmocka_unit_test(keeps_products), cmocka_unit_test(sees_each_slot),
                                       cmocka_unit_test(variables_hide_no_slot),
                                       cmocka_unit_test(variables_cost_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "job/packed.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { WORDS = 600, ROOM = 64 };

static uint64_t state = 88172645463325252u;

static uint64_t random_number(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

/* Sends the words in messages of so many, and returns the words that all messages have together. */
static size_t pass_on(const uint64_t *from, uint64_t *to, size_t n, size_t room)
{
    uint64_t message[WORDS + 2];
    size_t put = 0, taken = 0, all = 0;
    while (put < n) {
        size_t before = put, used = packed_put(from, n * sizeof *from, &put, message, room);
        assert_true(used <= room);
        assert_true(put > before);
        assert_int_equal(packed_take(to, n * sizeof *to, &taken, message, used), 0);
        assert_int_equal(taken, put);
        all += used;
    }
    return all;
}

static void everything_arrives_in_messages_of_any_size(void **context)
{
    (void)context;
    for (int i = 0; i < 2000; i++) {
        uint64_t from[WORDS] = {0}, to[WORDS] = {0};
        size_t n = 1 + random_number() % WORDS, room = 2 + random_number() % ROOM;
        uint64_t density = 1 + random_number() % 9;
        for (size_t k = 0; k < n; k++)
            from[k] = random_number() % density == 0 ? random_number() : 0;
        pass_on(from, to, n, room);
        assert_memory_equal(to, from, sizeof from);
    }
}

/* A head for each run of words, and the words. */
static void messages_have_what_is_not_zero(void **context)
{
    uint64_t from[WORDS] = {0}, to[WORDS] = {0};
    (void)context;
    assert_int_equal(pass_on(from, to, WORDS, ROOM), 1);
    from[0] = from[1] = from[300] = 7;
    assert_int_equal(pass_on(from, to, WORDS, ROOM), (1 + 2) + (1 + 1) + 1);
    from[302] = 8; /* one word of zero between two others is no reason for a head */
    memset(to, 0, sizeof to);
    assert_int_equal(pass_on(from, to, WORDS, ROOM), (1 + 2) + (1 + 3) + 1);
    assert_memory_equal(to, from, sizeof from);
}

/* Whatever is in it, a structure grows by one head. */
static void none_grows(void **context)
{
    (void)context;
    for (int i = 0; i < 2000; i++) {
        uint64_t from[WORDS], to[WORDS] = {0};
        uint64_t density = 1 + random_number() % 4;
        for (size_t k = 0; k < WORDS; k++)
            from[k] = random_number() % density != 0 ? k + 1 : 0;
        assert_true(pass_on(from, to, WORDS, WORDS + 2) <= WORDS + 1);
    }
}

static void structures_need_not_be_aligned(void **context)
{
    char from[8 * 5 + 4] = {0}, to[8 * 5 + 4] = {0};
    (void)context;
    memset(from + 4 + 8, 'x', 11);
    uint64_t message[ROOM];
    size_t put = 0, taken = 0;
    size_t used = packed_put(from + 4, 40, &put, message, ROOM);
    assert_int_equal(packed_take(to + 4, 40, &taken, message, used), 0);
    assert_memory_equal(to, from, sizeof from);
}

static void what_is_none_is_refused(void **context)
{
    uint64_t to[4] = {0};
    const uint64_t beyond[] = {UINT64_C(3) << 32 | 2, 1, 1}, short_one[] = {2, 1},
                   far[] = {UINT64_C(5) << 32};
    size_t at = 0;
    (void)context;
    assert_int_equal(packed_take(to, sizeof to, &at, beyond, 3), -1);
    assert_int_equal(packed_take(to, sizeof to, &at, short_one, 2), -1);
    assert_int_equal(packed_take(to, sizeof to, &at, far, 1), -1);
    assert_int_equal(at, 0);
}

static void clearing_leaves_nothing(void **context)
{
    uint64_t what[WORDS];
    (void)context;
    for (size_t k = 0; k < WORDS; k++)
        what[k] = k % 3;
    packed_clear(what, sizeof what);
    for (size_t k = 0; k < WORDS; k++)
        assert_int_equal(what[k], 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything_arrives_in_messages_of_any_size),
        cmocka_unit_test(messages_have_what_is_not_zero),
        cmocka_unit_test(none_grows),
        cmocka_unit_test(structures_need_not_be_aligned),
        cmocka_unit_test(what_is_none_is_refused),
        cmocka_unit_test(clearing_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

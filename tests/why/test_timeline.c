/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/common/allocate.h"
#include "why/timeline.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
/* after those that it needs */
#include <cmocka.h>

_Noreturn void memory_is_out(void)
{
    abort();
}

static void expect(struct timeline_shares found, double computing, double kernel, double processor,
                   double waiting)
{
    const double near = 1e-5;
    assert_true(fabs(found.computing - computing) < near);
    assert_true(fabs(found.kernel - kernel) < near);
    assert_true(fabs(found.processor - processor) < near);
    assert_true(fabs(found.waiting - waiting) < near);
}

/* Looks at one thread: four looks of which one waits, three ticks for the program and one for the kernel, and
 * a third of the time that it wants a processor on one. */
static void test_shares(void **state)
{
    struct timeline timeline = {.n = 0};
    struct timeline_found found = {.id = 5};
    (void)state;
    for (int i = 0; i < 4; i++) {
        timeline_look(&timeline, 100);
        found.waits = i == 0;
        found.user += i > 0;
        found.system += i == 3;
        found.ran += 0.01;
        found.delay += 0.02;
        timeline_note(&timeline, &found);
    }
    assert_int_equal(timeline.n, 1);
    expect(timeline_shares(&timeline.thread[0], 0), 0.1875, 0.0625, 0.5, 0.25);
    expect(timeline_shares(&timeline.thread[0], -1), 0.1875, 0.0625, 0.5, 0.25);
    assert_true(timeline_shares(&timeline.thread[0], 1).looks == 0);
    timeline_free(&timeline);
}

/* Ticks are few: a piece without one is like the thread's others. Without accounts of delays there are none.
 */
static void test_ticks(void **state)
{
    struct timeline timeline = {.n = 0};
    (void)state;
    timeline_look(&timeline, 0);
    timeline_note(&timeline, &(struct timeline_found){.id = 5, .user = 1, .system = 3});
    timeline_look(&timeline, 1.5 * timeline.length);
    timeline_note(&timeline, &(struct timeline_found){.id = 5, .user = 1, .system = 3});
    expect(timeline_shares(&timeline.thread[0], 1), 0.25, 0.75, 0, 0);
    timeline_free(&timeline);
}

/* A run that is longer than all pieces: they become longer, and nothing is lost. */
static void test_long(void **state)
{
    struct timeline timeline = {.n = 0};
    (void)state;
    for (int i = 0; i < 1000; i++) {
        timeline_look(&timeline, i * 0.02);
        timeline_note(&timeline, &(struct timeline_found){.id = 5, .waits = i >= 500});
    }
    assert_true(fabs(timeline.length - 0.32) <
                1e-9); /* 20 s in 96 pieces: 0.02, 0.04, 0.08, 0.16 are too short */
    expect(timeline_shares(&timeline.thread[0], 30), 1, 0, 0, 0);
    expect(timeline_shares(&timeline.thread[0], 32), 0, 0, 0, 1);
    expect(timeline_shares(&timeline.thread[0], -1), 0.5, 0, 0, 0.5);
    assert_true(timeline_shares(&timeline.thread[0], 30).looks == 16);
    assert_true(timeline_shares(&timeline.thread[0], -1).looks == 1000);
    assert_true(timeline_shares(&timeline.thread[0], 63).looks == 0);
    timeline_free(&timeline);
}

/* More threads than there is room for are counted, each once. */
static void test_many(void **state)
{
    struct timeline timeline = {.n = 0};
    (void)state;
    for (int look = 0; look < 3; look++) {
        timeline_look(&timeline, 0);
        for (int i = 1; i <= TIMELINE_THREADS + 7; i++)
            timeline_note(&timeline, &(struct timeline_found){.id = i});
    }
    assert_int_equal(timeline.n, TIMELINE_THREADS);
    assert_int_equal(timeline.left_out, 7);
    timeline_free(&timeline);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shares),
        cmocka_unit_test(test_ticks),
        cmocka_unit_test(test_long),
        cmocka_unit_test(test_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

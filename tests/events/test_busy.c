/* SPDX-License-Identifier: BSD-3-Clause
 *
 * base/busy.h: the time for which a device was busy, against a device that is looked at in every nanosecond.
 */
#include "testing.h"

#include "base/busy.h"

#include <stdlib.h>
#include <string.h>

enum { LONGEST = 400, MARKS = 40 };

/* Times that are told of each mark. */
struct told {
    int n;
    struct busy_time time[MARKS];
    uint64_t order[MARKS];
};

static void tell(void *to, uint64_t of, struct busy_time time)
{
    struct told *told = to;
    assert_true(of < MARKS);
    told->time[of] = time;
    told->order[told->n++] = of;
}

static void add(struct busy *busy, enum busy_kind kind, uint64_t begin, uint64_t end)
{
    assert_true(busy_add(busy, kind, begin, end));
}

static void is(struct busy_time time, uint64_t kernel, uint64_t copy)
{
    assert_int_equal(time.kernel, kernel);
    assert_int_equal(time.copy, copy);
}

static void what_overlaps_counts_once(void **state)
{
    (void)state;
    struct busy busy = {0};
    struct told told = {0};
    add(&busy, BUSY_KERNEL, 100, 200);
    add(&busy, BUSY_KERNEL, 150, 250); /* of another stream */
    add(&busy, BUSY_COPY, 50, 120);    /* of which 50 are no kernel's */
    add(&busy, BUSY_COPY, 300, 310);
    assert_true(busy_settle(&busy, 1000, tell, &told));
    is(busy.so_far, 150, 60);
    assert_int_equal(told.n, 0);
    busy_free(&busy);
}

static void a_region_has_its_part(void **state)
{
    (void)state;
    struct busy busy = {0};
    struct told told = {0};
    assert_true(busy_mark(&busy, 120, 0));
    assert_true(busy_mark(&busy, 180, 1));
    assert_true(busy_mark(&busy, 900, 2));
    add(&busy, BUSY_KERNEL, 100, 200); /* began before the region, and ends after it */
    assert_true(busy_settle(&busy, 500, tell, &told));
    assert_int_equal(told.n, 2);
    is(told.time[0], 20, 0);
    is(told.time[1], 80, 0);
    add(&busy, BUSY_KERNEL, 880, 1000);
    assert_true(busy_settle(&busy, 900, tell, &told));
    is(told.time[2], 120, 0);
    assert_true(busy_settle(&busy, 2000, tell, &told));
    is(busy.so_far, 220, 0);
    assert_int_equal(told.n, 3);
    busy_free(&busy);
}

/* Records that cannot be right are not counted, and not passed over in silence. */
static void late_and_backward(void **state)
{
    (void)state;
    struct busy busy = {0};
    struct told told = {0};
    add(&busy, BUSY_KERNEL, 200, 100);
    assert_int_equal(busy.backward, 1);
    assert_true(busy_settle(&busy, 500, tell, &told));
    add(&busy, BUSY_KERNEL, 450, 530);
    assert_true(busy_mark(&busy, 480, 0)); /* late, too: it has the time as it is settled */
    assert_true(busy_settle(&busy, 600, tell, &told));
    is(busy.so_far, 30, 0);
    assert_int_equal(busy.late_ns, 50);
    assert_int_equal(told.n, 1);
    is(told.time[0], 0, 0);
    assert_true(busy_settle(&busy, 600, tell, &told));
    assert_int_equal(busy.late_ns, 50);
    busy_free(&busy);
}

/* ---- against every nanosecond */

struct device {
    struct busy_span span[30];
    int n, given;
    uint64_t mark[MARKS];
};

static struct busy_time looked_at(const struct device *device, uint64_t until)
{
    struct busy_time time = {0};
    for (uint64_t at = 0; at < until; at++) {
        int runs[BUSY_KINDS] = {0};
        for (int i = 0; i < device->n; i++)
            runs[device->span[i].kind] += device->span[i].begin <= at && at < device->span[i].end;
        time.kernel += runs[BUSY_KERNEL] > 0;
        time.copy += runs[BUSY_KERNEL] == 0 && runs[BUSY_COPY] > 0;
    }
    return time;
}

static int by_end(const void *a, const void *b)
{
    const struct busy_span *x = a, *y = b;
    return (x->end > y->end) - (x->end < y->end);
}

static void make(struct device *device)
{
    device->given = 0;
    device->n = rand() % 30;
    for (int i = 0; i < device->n; i++) {
        uint64_t begin = (uint64_t)rand() % LONGEST, length = (uint64_t)rand() % 60;
        device->span[i] = (struct busy_span){begin, begin + length, rand() % 2 ? BUSY_KERNEL : BUSY_COPY};
    }
    qsort(device->span, (size_t)device->n, sizeof *device->span, by_end);
    for (int i = 0; i < MARKS; i++)
        device->mark[i] = (uint64_t)rand() % LONGEST;
}

/* Gives the records by their end, as a device does, and settles up to a moment before the begin of all that
 * are left. */
static void give(struct device *device, struct busy *busy, struct told *told)
{
    while (device->given < device->n) {
        uint64_t until = UINT64_MAX;
        for (int k = rand() % 4; k >= 0 && device->given < device->n; k--, device->given++)
            add(busy, device->span[device->given].kind, device->span[device->given].begin,
                device->span[device->given].end);
        for (int i = device->given; i < device->n; i++)
            until = device->span[i].begin < until ? device->span[i].begin : until;
        if (until != UINT64_MAX)
            assert_true(busy_settle(busy, until, tell, told));
    }
}

static void any_order(void **state)
{
    (void)state;
    srand(7);
    for (int turn = 0; turn < 200; turn++) {
        struct device device;
        struct busy busy = {0};
        struct told told = {0};
        make(&device);
        for (int i = 0; i < MARKS; i++)
            assert_true(busy_mark(&busy, device.mark[i], (uint64_t)i));
        give(&device, &busy, &told);
        assert_true(busy_settle(&busy, 2 * LONGEST, tell, &told));
        assert_int_equal(told.n, MARKS);
        for (int i = 0; i < MARKS; i++) {
            struct busy_time right = looked_at(&device, device.mark[i]);
            is(told.time[i], right.kernel, right.copy);
            assert_true(i == 0 || device.mark[told.order[i - 1]] <= device.mark[told.order[i]]);
        }
        struct busy_time all = looked_at(&device, 2 * LONGEST);
        is(busy.so_far, all.kernel, all.copy);
        assert_int_equal(busy.late_ns, 0);
        busy_free(&busy);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_overlaps_counts_once),
        cmocka_unit_test(a_region_has_its_part),
        cmocka_unit_test(late_and_backward),
        cmocka_unit_test(any_order),
    };
    return TEST_RUN(tests);
}

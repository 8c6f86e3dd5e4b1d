/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/call_ring.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/mman.h>

#include <cmocka.h>

enum { BYTES = 128 << 10 };

static struct call_ring *fresh(void)
{
    struct call_ring *ring = ring_make(NULL, BYTES);
    assert_non_null(ring);
    return ring;
}

static void size(void **state)
{
    struct call_ring *ring = fresh();
    size_t most = (BYTES - sizeof *ring) / sizeof(struct ring_entry);
    (void)state;
    assert_int_equal(sizeof(struct ring_entry), 64);
    assert_true(ring->places <= most && ring->places * 2 > most);
    assert_int_equal(ring->places & (ring->places - 1), 0);
    assert_int_equal(ring_count(ring), 0);
}

/* The newest are kept, in their order. */
static void wraps(void **state)
{
    struct call_ring *ring = fresh();
    uint64_t all = 2 * ring->places + 3;
    (void)state;
    for (uint64_t i = 0; i < all; i++) {
        struct ring_entry *entry = ring_add(ring, (int)(i % 7), 3, i, i + 1);

        entry->bytes = 10 * i;
        ring_sends(ring, entry, 1, 2, 1);
    }
    assert_int_equal(ring_count(ring), ring->places);
    for (uint64_t i = 0; i < ring->places; i++) {
        const struct ring_entry *entry = ring_at(ring, i);
        uint64_t which = all - ring->places + i;

        assert_int_equal(entry->begin, which);
        assert_int_equal(entry->end, which + 1);
        assert_int_equal(entry->bytes, 10 * which);
        assert_int_equal(entry->call, which % 7);
        assert_int_equal(entry->thread, 3);
        assert_int_equal(entry->to.number, which + 1);
        assert_int_equal(entry->from.partner, PARTNER_NONE);
    }
    struct ring_entry *again = ring_add(ring, 1, 0, 5, 6); /* nothing of the old one is in the new one */
    assert_int_equal(again->bytes, 0);
    assert_int_equal(again->to.partner, PARTNER_NONE);
    assert_int_equal(again->to.number, 0);
    ring_clear(ring);
    assert_int_equal(ring_count(ring), 0);
    ring_sends(ring, ring_add(ring, 1, 0, 7, 8), 1, 2, 1);
    assert_int_equal(ring_at(ring, 0)->to.number, 1);
}

static uint32_t sent(struct call_ring *ring, int partner, int tag, int known)
{
    struct ring_entry *entry = ring_add(ring, 0, 0, 1, 2);
    ring_sends(ring, entry, partner, tag, known);
    return entry->to.number;
}

static uint32_t received(struct call_ring *ring, int partner, int tag, int known)
{
    struct ring_entry *entry = ring_add(ring, 0, 0, 1, 2);
    ring_receives(ring, entry, partner, tag, known);
    return entry->from.number;
}

/* Each direction, partner and tag counts by itself. */
static void numbers(void **state)
{
    struct call_ring *ring = fresh();
    (void)state;
    for (uint32_t i = 1; i < 4; i++) {
        assert_int_equal(sent(ring, 1, 5, 1), i);
        assert_int_equal(sent(ring, 1, 6, 1), i);
        assert_int_equal(sent(ring, 2, 5, 1), i);
        assert_int_equal(received(ring, 1, 5, 1), i);
        assert_int_equal(sent(ring, PARTNER_ELSEWHERE, 5, 1), 0);
    }
}

/* Sends are still numbered after a receive whose message is not known, and the other way round. */
static void disorder(void **state)
{
    struct call_ring *ring = fresh();
    (void)state;
    assert_int_equal(received(ring, PARTNER_ELSEWHERE, 5, 0), 0);
    assert_int_equal(received(ring, 1, 5, 1), 1);
    assert_int_equal(received(ring, PARTNER_ANY, 5, 0), 0);
    assert_int_equal(received(ring, 1, 5, 1), 0);
    assert_int_equal(received(ring, PARTNER_ANY, 5, 1), 0);
    assert_int_equal(ring->open, 0);
    assert_int_equal(sent(ring, 1, 5, 1), 1);
    assert_int_equal(sent(ring, 1, 5, 0), 0);
    assert_int_equal(sent(ring, 1, 5, 1), 0);
    ring_clear(ring);
    assert_int_equal(received(ring, 1, 5, 1), 1);
    ring_lose_order(ring);
    assert_int_equal(received(ring, 1, 5, 1), 0);
    assert_int_equal(sent(ring, 1, 5, 1), 0);
}

/* Partners for which there is no room have no numbers, and the others go on. */
static void channels(void **state)
{
    struct call_ring *ring = fresh();
    (void)state;
    for (int i = 0; i < RING_CHANNELS; i++)
        assert_int_equal(sent(ring, i, 0, 1), 1);
    for (int turn = 0; turn < 2; turn++)
        assert_int_equal(sent(ring, RING_CHANNELS, 0, 1), 0);
    for (int i = 0; i < RING_CHANNELS; i++)
        assert_int_equal(sent(ring, i, 0, 1), 2);
}

/* ---- requests */

static struct ring_entry *posted(struct call_ring *ring, int partner, int tag, uint64_t key)
{
    struct ring_entry *entry = ring_add(ring, 0, 0, 1, 2);
    ring_receives(ring, entry, partner, tag, 1);
    ring_requested(ring, entry, key);
    return entry;
}

static void complete(struct call_ring *ring, uint64_t key, int partner, int tag)
{
    ring_completed(ring, ring_add(ring, 0, 0, 1, 2), key, 0, (struct ring_got){1, 0, partner, tag});
}

/* A receive from anybody has its place in the order as it was posted, whenever its message becomes known. */
static void any(void **state)
{
    struct call_ring *ring = fresh();
    (void)state;
    struct ring_entry *first = posted(ring, 1, 5, 101), *anybody = posted(ring, PARTNER_ANY, 5, 102);
    struct ring_entry *second = posted(ring, 1, 5, 103), *other = posted(ring, 2, 5, 104);
    struct ring_entry *any_tag = posted(ring, 2, TAG_ANY, 105);
    assert_int_equal(ring->open, 2);
    assert_int_equal(anybody->from.number, RING_OPEN);
    assert_false(ring_asks(ring, 101));
    assert_true(ring_asks(ring, 102));
    complete(ring, 103, 1, 5);
    complete(ring, 105, 2, 5);
    complete(ring, 102, 1, 5);
    assert_false(ring_asks(ring, 102));
    assert_int_equal(ring->open, 0);
    assert_int_equal(first->from.number, 1);
    assert_int_equal(anybody->from.number, 2);
    assert_int_equal(anybody->from.partner, 1);
    assert_int_equal(second->from.number, 3);
    assert_int_equal(other->from.number, 1);
    assert_int_equal(any_tag->from.number, 2);
    assert_int_equal(received(ring, 1, 5, 1), 4);
    assert_int_equal(first->region, 0); /* not completed */
    assert_int_equal(second->region, 3);
    assert_int_equal(any_tag->region, 2);
    assert_int_equal(anybody->region, 6);
}

/* Its entry may be gone by then: those that are still there are right. */
static void any_is_gone(void **state)
{
    struct call_ring *ring = fresh();
    (void)state;
    posted(ring, PARTNER_ANY, 5, 101);
    posted(ring, 1, 5, 102);
    for (uint64_t i = 0; i < ring->places; i++)
        ring_add(ring, 0, 0, 1, 2);
    struct ring_entry *last = posted(ring, 1, 5, 103);
    assert_int_equal(last->from.number, 2);
    complete(ring, 101, 1, 5);
    assert_int_equal(last->from.number, 3);
    assert_int_equal(received(ring, 1, 5, 1), 4);
    assert_int_equal(ring->open, 0);
}

/* A cancelled receive has no number, unless it had its message first. */
static void cancelled(void **state)
{
    struct call_ring *ring = fresh();
    (void)state;
    struct ring_entry *first = posted(ring, 1, 5, 101), *second = posted(ring, 1, 5, 102),
                      *third = posted(ring, 1, 5, 103);
    ring_cancels(ring, 101);
    ring_cancels(ring, 102);
    assert_int_equal(ring->open, 2);
    assert_int_equal(third->from.number, 1);
    ring_completed(ring, ring_add(ring, 0, 0, 1, 2), 102, 1, (struct ring_got){1, 1, 0, 0});
    complete(ring, 101, 1, 5);
    assert_int_equal(ring->open, 0);
    assert_int_equal(first->from.number, 1);
    assert_int_equal(second->from.number, 0);
    assert_int_equal(second->region, -2);
    assert_int_equal(third->from.number, 2);
    assert_int_equal(received(ring, 1, 5, 1), 3);
}

/* A cancelled send may not have gone: those after it have no numbers. One that is not known may be any. */
static void cancelled_send(void **state)
{
    struct call_ring *ring = fresh();
    (void)state;
    assert_int_equal(sent(ring, 1, 5, 1), 1);
    struct ring_entry *second = ring_add(ring, 0, 0, 1, 2);
    ring_sends(ring, second, 1, 5, 1);
    ring_requested(ring, second, 101);
    assert_int_equal(sent(ring, 1, 5, 1), 3);
    ring_cancels(ring, 101);
    assert_int_equal(ring_at(ring, 0)->to.number, 1);
    assert_int_equal(second->to.number, 0);
    assert_int_equal(ring_at(ring, 2)->to.number, 0);
    assert_int_equal(sent(ring, 1, 5, 1), 0);
    ring_cancels(ring, 999);
    assert_int_equal(ring_at(ring, 0)->to.number, 0);
    assert_int_equal(ring->open, 1);
    assert_int_equal(received(ring, 1, 5, 1), 0);
}

static void persistent(void **state)
{
    struct call_ring *ring = fresh();
    (void)state;
    ring_prepared(ring, 0, PARTNER_ANY, 5, 101);
    ring_prepared(ring, 1, 1, 5, 102);
    ring_prepared(ring, 1, PARTNER_NONE, 5, 103);
    for (uint32_t i = 1; i < 4; i++) {
        struct ring_entry *receive = ring_add(ring, 0, 0, 1, 2), *send = ring_add(ring, 0, 0, 1, 2);
        assert_int_equal(ring_started(ring, receive, 101), 0);
        assert_int_equal(ring_started(ring, send, 102), 0);
        assert_int_equal(ring_started(ring, ring_add(ring, 0, 0, 1, 2), 103), 0);
        complete(ring, 101, 2, 5);
        complete(ring, 102, 0, 0);
        complete(ring, 103, 0, 0);
        assert_int_equal(receive->from.number, i);
        assert_int_equal(send->to.number, i);
        assert_int_equal(send->region, 3);
    }
    ring_freed(ring, 101);
    assert_int_equal(ring_started(ring, ring_add(ring, 0, 0, 1, 2), 101), -1);
}

/* Handles that several requests have are not told apart; the table holds many, and none is lost when others
 * go. */
static void handles(void **state)
{
    enum { STEP = 4096 };
    struct call_ring *ring = fresh();
    (void)state;
    struct ring_entry *one = posted(ring, 1, 5, 101), *two = posted(ring, 1, 5, 101);
    complete(ring, 101, 1, 5);
    assert_int_equal(one->region, 0);
    assert_int_equal(two->region, 0);
    for (uint64_t i = 1; i <= MOST_REQUESTS + 10; i++)
        posted(ring, PARTNER_ANY, 5, i * STEP);
    assert_int_equal(ring->requests->taken, MOST_REQUESTS);
    for (uint64_t i = 1; i <= MOST_REQUESTS; i += 2)
        ring_freed(ring, i * STEP);
    for (uint64_t i = 1; i <= MOST_REQUESTS; i++)
        assert_int_equal(ring_asks(ring, i * STEP), i % 2 == 0);
    ring_forget_requests(ring);
    assert_false(ring_asks(ring, 2 * STEP));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(size),        cmocka_unit_test(wraps),     cmocka_unit_test(numbers),
        cmocka_unit_test(disorder),    cmocka_unit_test(channels),  cmocka_unit_test(any),
        cmocka_unit_test(any_is_gone), cmocka_unit_test(cancelled), cmocka_unit_test(cancelled_send),
        cmocka_unit_test(persistent),  cmocka_unit_test(handles)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

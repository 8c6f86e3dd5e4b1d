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
    struct call_ring *ring = ring_make(BYTES);
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
    assert_int_equal(received(ring, PARTNER_ANY, 5, 1), 0);
    assert_int_equal(received(ring, 1, 5, 1), 0);
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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(size), cmocka_unit_test(wraps),
                                       cmocka_unit_test(numbers), cmocka_unit_test(disorder),
                                       cmocka_unit_test(channels)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

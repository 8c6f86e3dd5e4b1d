/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Checks what record_clear and record_clear_thread leave. The tables have all fields: one that is added to a
 * structure must be put into its table, with the decision whether the library's own first calls may leave
 * something in it.
 */
#include "record/record.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct field {
    size_t at, size;
    bool stays;
    const char *name;
};

#define FIELD(type, field, stays)                                                                            \
    {                                                                                                        \
        offsetof(struct type, field), sizeof(((struct type *)0)->field), stays, #field                       \
    }
#define STAYS(type, field) FIELD(type, field, true)
#define CLEARED(type, field) FIELD(type, field, false)

static const struct field thread_fields[] = {
    STAYS(thread_record, taken),
    STAYS(thread_record, threads),
    CLEARED(thread_record, mpi_ticks),
    CLEARED(thread_record, calls),
    CLEARED(thread_record, tested_ticks),
    CLEARED(thread_record, own_ticks),
    STAYS(thread_record, since),
    STAYS(thread_record, inside),
    STAYS(thread_record, n_open),
    CLEARED(thread_record, between),
    CLEARED(thread_record, at),
    CLEARED(thread_record, noted),
    CLEARED(thread_record, call),
    CLEARED(thread_record, sent),
    CLEARED(thread_record, collective),
    CLEARED(thread_record, peer),
    CLEARED(thread_record, other_messages),
    CLEARED(thread_record, other_bytes),
    CLEARED(thread_record, started_bytes),
    CLEARED(thread_record, received),
    CLEARED(thread_record, started_received),
    CLEARED(thread_record, received_messages),
    CLEARED(thread_record, uncounted),
    CLEARED(thread_record, outside_messages),
    CLEARED(thread_record, outside_bytes),
    STAYS(thread_record, region),
    STAYS(thread_record, open),
    CLEARED(thread_record, told),
    CLEARED(thread_record, n_told),
    CLEARED(thread_record, told_call),
    CLEARED(thread_record, n_region_calls),
    CLEARED(thread_record, region_call),
    CLEARED(thread_record, sizes_at),
    CLEARED(thread_record, n_sizes),
    CLEARED(thread_record, sizes),
    CLEARED(thread_record, n_sites),
    CLEARED(thread_record, site),
    CLEARED(thread_record, comms),
};

static const struct field rank_fields[] = {
    STAYS(rank_record, magic),
    STAYS(rank_record, version),
    STAYS(rank_record, record_size),
    STAYS(rank_record, thread_size),
    STAYS(rank_record, calls),
    STAYS(rank_record, job),
    STAYS(rank_record, host),
    STAYS(rank_record, program),
    STAYS(rank_record, flavour),
    STAYS(rank_record, command),
    STAYS(rank_record, rank),
    STAYS(rank_record, ranks),
    STAYS(rank_record, node),
    STAYS(rank_record, nodes),
    STAYS(rank_record, pid),
    STAYS(rank_record, thread_level),
    STAYS(rank_record, state),
    STAYS(rank_record, started),
    STAYS(rank_record, tick_hertz),
    STAYS(rank_record, begin),
    STAYS(rank_record, end),
    STAYS(rank_record, overhead),
    STAYS(rank_record, inside),
    STAYS(rank_record, measured),
    STAYS(rank_record, openmp),
    STAYS(rank_record, timed),
    STAYS(rank_record, usage),
    STAYS(rank_record, used),
    STAYS(rank_record, n_counters),
    STAYS(rank_record, counters_inside),
    STAYS(rank_record, multiplexed),
    STAYS(rank_record, n_regions),
    STAYS(rank_record, counter_name),
    STAYS(rank_record, counter_units),
    STAYS(rank_record, counter),
    CLEARED(rank_record, counter_mpi),
    STAYS(rank_record, counter_reason),
    STAYS(rank_record, region_name),
    STAYS(rank_record, n_chunks),
    STAYS(rank_record, main_thread),
    STAYS(rank_record, memory_chunks),
    STAYS(rank_record, emulated),
    STAYS(rank_record, counts_received),
    STAYS(rank_record, paused),
    STAYS(rank_record, paused_since),
    STAYS(rank_record, left_out),
    STAYS(rank_record, lost),
    STAYS(rank_record, doubtful),
    STAYS(rank_record, node_counters),
    STAYS(rank_record, undivided),
    STAYS(rank_record, node_rank),
    STAYS(rank_record, supposed),
    STAYS(rank_record, crowded),
    STAYS(rank_record, counters_around),
    STAYS(rank_record, counted),
    STAYS(rank_record, sites),
    STAYS(rank_record, spawned),
    CLEARED(rank_record, n_objects),
    CLEARED(rank_record, object),
    CLEARED(rank_record, timeline),
    STAYS(rank_record, formulas),
    STAYS(rank_record, path),
    STAYS(rank_record, path_useful),
    STAYS(rank_record, path_missed),
    STAYS(rank_record, path_state),
    STAYS(rank_record, teams),
    STAYS(rank_record, devices),
    STAYS(rank_record, share),
    STAYS(rank_record, memory_limit),
    STAYS(rank_record, frequency),
    CLEARED(rank_record, meetings),
    STAYS(rank_record, began),
    STAYS(rank_record, began_here),
    STAYS(rank_record, signal),
    STAYS(rank_record, updates),
    STAYS(rank_record, any_source),
    STAYS(rank_record, proc_null),
    STAYS(rank_record, any_tag),
    STAYS(rank_record, made_comms),
    STAYS(rank_record, used_runs),
    STAYS(rank_record, comm),
    STAYS(rank_record, comm_run),
    STAYS(rank_record, operations_left),
    STAYS(rank_record, unseen),
    STAYS(rank_record, by_comm),
    STAYS(rank_record, n_counted),
    STAYS(rank_record, counted_comm),
};

enum { PATTERN = 0x5a };

/* Fails where a field of four bytes has room between two of the table, but for one that the alignment of the
 * second leaves. */
static void check_gap(const struct field *field, size_t end)
{
    size_t gap = field->at - end, most = field->at % 8 == 0 ? 7 : 3;
    if (field->at < end || gap > most)
        fail_msg("there is a field before %s that the table has not", field->name);
}

static void check(const unsigned char *bytes, const struct field *field, size_t n, size_t size)
{
    size_t end = 0;
    for (size_t i = 0; i < n; end = field[i].at + field[i].size, i++) {
        check_gap(&field[i], end);
        for (size_t k = 0; k < field[i].size; k++)
            if (bytes[field[i].at + k] != (field[i].stays ? PATTERN : 0))
                fail_msg("byte %zu of %s is %d", k, field[i].name, bytes[field[i].at + k]);
    }
    assert_in_range(size, end, end + _Alignof(struct thread_record) - 1);
}

static void test_thread(void **state)
{
    struct thread_record *thread = aligned_alloc(_Alignof(struct thread_record), sizeof *thread);
    (void)state;
    assert_non_null(thread);
    memset((void *)thread, PATTERN, sizeof *thread);
    record_clear_thread(thread);
    check((const unsigned char *)thread, thread_fields, sizeof thread_fields / sizeof *thread_fields,
          sizeof *thread);
    free(thread);
}

static void test_rank(void **state)
{
    struct rank_record *record = malloc(sizeof *record);
    (void)state;
    assert_non_null(record);
    memset((void *)record, PATTERN, sizeof *record);
    record_clear(record);
    check((const unsigned char *)record, rank_fields, sizeof rank_fields / sizeof *rank_fields,
          sizeof *record);
    free(record);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_thread), cmocka_unit_test(test_rank)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

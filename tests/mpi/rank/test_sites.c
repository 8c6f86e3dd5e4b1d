/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Call sites of a thread without an MPI: addresses that are this program's own, a library's and nobody's.
 */
#include "rank/rank.h"
#include "rank/sites.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[] = "/tmp/papi_sites_test.XXXXXX";

static int begin(void **state)
{
    const struct rank_identity identity = {.job = "sites", .flavour = "none", .ranks = 1, .nodes = 1};
    (void)state;
    setenv("PAPI_MPI_DIR", folder, 1);
    setenv("PAPI_MPI_COUNTERS", "none", 1);
    papi_mpi.settings.report[0] = '\0';
    return rank_begin(&identity);
}

static int end(void **state)
{
    (void)state;
    rank_end();
    rank_done();
    unsetenv("PAPI_MPI_SITES");
    return 0;
}

static uint64_t calls_of(const struct thread_record *thread)
{
    uint64_t calls = 0;
    for (int i = 0; i <= SITE_PLACES; i++)
        calls += thread->site[i].calls;
    return calls;
}

static void one_place_for_an_address_and_a_call(void **state)
{
    struct thread_record *thread = rank_thread();
    uintptr_t here = (uintptr_t)&one_place_for_an_address_and_a_call;
    (void)state;
    struct call_site *send = site_count(thread, CALL_SEND, here, 0, 10);
    struct call_site *receive = site_count(thread, CALL_RECV, here, 0, 5);
    assert_ptr_not_equal(send, receive);
    assert_ptr_equal(site_count(thread, CALL_SEND, here, 0, 30), send);
    assert_int_equal(send->calls, 2);
    assert_int_equal(send->ticks, 40);
    assert_int_equal(send->longest, 30);
    assert_int_equal(receive->calls, 1);
    assert_int_equal(thread->n_sites, 2);
}

static void objects_have_what_names_them(void **state)
{
    struct thread_record *thread = rank_thread();
    const struct rank_record *record = papi_mpi.record;
    char program[OBJECT_PATH] = "";
    (void)state;
    assert_true(readlink("/proc/self/exe", program, sizeof program - 1) > 0);
    const struct call_site *own = site_count(thread, CALL_SEND, (uintptr_t)&begin, 0, 1);
    const struct call_site *library = site_count(thread, CALL_SEND, (uintptr_t)(void *)strtoul, 0, 1);
    const struct call_site *again = site_count(thread, CALL_SEND, (uintptr_t)&end, 0, 1);
    int nothing = 0;
    const struct call_site *nowhere = site_count(thread, CALL_SEND, (uintptr_t)&nothing, 0, 1);
    assert_int_equal(record->n_objects, 2);
    assert_string_equal(record->object[own->object].path, program);
    assert_int_equal(again->object, own->object);
    assert_non_null(strstr(record->object[library->object].path, "libc"));
    assert_true(record->object[library->object].build_id_size > 0);
    assert_true(own->address > record->object[own->object].bias);
    assert_int_equal(nowhere->object, -1);
}

/* No more places are taken than leave a search short, and no call is lost. */
static void more_than_there_is_room_for(void **state)
{
    enum { MANY = 3 * SITE_PLACES };
    struct thread_record *thread = rank_thread();
    (void)state;
    for (uintptr_t i = 1; i <= MANY; i++)
        for (uintptr_t k = 0; k < 1 + i % 3; k++)
            site_count(thread, CALL_SEND, 4 * i, 0, 2);
    assert_int_equal(thread->n_sites, MAX_SITES);
    assert_int_equal(calls_of(thread), 2 * MANY);
    assert_true(thread->site[SITE_PLACES].calls > 0);
    assert_int_equal(thread->site[SITE_PLACES].ticks, 2 * thread->site[SITE_PLACES].calls);
    for (uintptr_t i = 1; i <= MAX_SITES; i++) /* the first ones have their places */
        assert_int_equal(site_count(thread, CALL_SEND, 4 * i, 0, 0)->address, 4 * i);
}

/* ---- the course */

/* As a call has it that ends. */
static void call_at(struct rank_record *record, enum call call, uint64_t since, uint64_t now)
{
    struct thread_record *thread = rank_thread();
    thread->call[call].ticks += now - since;
    if (now >= papi_mpi.timeline_next)
        timeline_step(thread, call, since, now);
    (void)record;
}

static uint64_t all_of(const struct timeline *timeline, int place)
{
    uint64_t ticks = 0;
    for (int i = 0; i < COURSE_BINS; i++)
        ticks += timeline->ticks[place][i];
    return ticks;
}

/* Times are in the bin of their moment, however wide bins became as the timeline grew. */
static void bins_become_wider(void **state)
{
    struct rank_record *record = papi_mpi.record;
    struct timeline *timeline = &record->timeline;
    uint64_t begin = record->begin, bin = UINT64_C(1) << COURSE_FIRST_SHIFT, sum = 0;
    (void)state;
    for (uint64_t i = 0; i < 2000; i++) {
        call_at(record, CALL_SEND, begin + i * bin, begin + i * bin + 1 + i);
        sum += 1 + i;
    }
    timeline_finish(record);
    assert_int_equal(timeline->shift, COURSE_FIRST_SHIFT + 2);
    assert_int_equal(all_of(timeline, 1), sum);
    assert_int_equal(timeline->ticks[1][0], 1 + 2 + 3 + 4);
    assert_int_equal(timeline->ticks[1][499], 1997 + 1998 + 1999 + 2000);
    assert_int_equal(timeline->ticks[1][500], 0);
}

static void a_long_call_is_in_all_its_bins(void **state)
{
    struct rank_record *record = papi_mpi.record;
    const struct timeline *timeline = &record->timeline;
    uint64_t bin = UINT64_C(1) << COURSE_FIRST_SHIFT;
    (void)state;
    call_at(record, CALL_RECV, record->begin + bin / 2, record->begin + 3 * bin + 7);
    assert_int_equal(timeline->call[1], CALL_RECV);
    assert_int_equal(timeline->ticks[1][0], bin / 2);
    assert_int_equal(timeline->ticks[1][1], bin);
    assert_int_equal(timeline->ticks[1][3], 7);
    call_at(record, CALL_RECV, record->begin + 3 * bin + 10, record->begin + 3 * bin + 12);
    assert_int_equal(timeline->ticks[1][3], 7); /* until something ends after it, or the rank does */
    call_at(record, CALL_SEND, record->begin + 3 * bin + 20, record->begin + 4 * bin + 1);
    assert_int_equal(timeline->ticks[1][3], 9);
    assert_int_equal(timeline->ticks[2][3], bin - 20);
    assert_int_equal(timeline->ticks[2][4], 1);
}

static void calls_without_a_place(void **state)
{
    struct rank_record *record = papi_mpi.record;
    (void)state;
    for (int call = 0; call < COURSE_CALLS + 5; call++)
        call_at(record, (enum call)call, record->begin, record->begin + 10);
    timeline_finish(record);
    assert_int_equal(record->timeline.n_calls, COURSE_CALLS);
    assert_int_equal(all_of(&record->timeline, COURSE_CALLS - 1), 10);
    assert_int_equal(all_of(&record->timeline, 0), 60);
}

static int begin_off(void **state)
{
    setenv("PAPI_MPI_SITES", "off", 1);
    return begin(state);
}

static void off(void **state)
{
    struct thread_record *thread = rank_thread();
    (void)state;
    assert_non_null(site_count(thread, CALL_SEND, (uintptr_t)&off, 0, 1));
    assert_int_equal(thread->n_sites, 0);
    assert_int_equal(calls_of(thread), 0);
    assert_int_equal(papi_mpi.record->n_objects, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(one_place_for_an_address_and_a_call, begin, end),
        cmocka_unit_test_setup_teardown(objects_have_what_names_them, begin, end),
        cmocka_unit_test_setup_teardown(more_than_there_is_room_for, begin, end),
        cmocka_unit_test_setup_teardown(bins_become_wider, begin, end),
        cmocka_unit_test_setup_teardown(a_long_call_is_in_all_its_bins, begin, end),
        cmocka_unit_test_setup_teardown(calls_without_a_place, begin, end),
        cmocka_unit_test_setup_teardown(off, begin_off, end),
    };
    if (mkdtemp(folder) == NULL)
        return 1;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    rmdir(folder);
    return failed;
}

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A rank's counters without an MPI, of events that every kernel counts: the threads that are in them, what
 * PAPI_EVENTS may say, a program that shuts the library down.
 */
#include "made_slots.h"
#include "papi.h"
#include "rank/rank.h"
#include "sde_lib.h"

#include <dirent.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

static const char clock_event[] = "perf::TASK-CLOCK";
enum { WORK = 60 /* ms */ };

/* The clock of the threads and that of the event are two. */
static const int64_t ENOUGH = WORK * 900000LL;

static int64_t thread_nsec(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static void work(void)
{
    int64_t start = thread_nsec();
    while (thread_nsec() - start < WORK * 1000000LL)
        continue;
}

static void begin(const char *events)
{
    struct rank_identity identity = {.job = "counters", .flavour = "none", .ranks = 1, .nodes = 1};
    if (events != NULL)
        setenv("PAPI_EVENTS", events, 1);
    else
        unsetenv("PAPI_EVENTS");
    papi_mpi.settings.report[0] = '\0';
    assert_int_equal(rank_begin(&identity), 0);
}

static int end(void **state)
{
    (void)state;
    rank_end();
    rank_done();
    return 0;
}

/* ---- which threads */

static pthread_barrier_t go, done;

static void *work_later(void *unused)
{
    (void)unused;
    pthread_barrier_wait(&go);
    work();
    pthread_barrier_wait(&done);
    pthread_barrier_wait(&done); /* it has not ended when the counters are read */
    return NULL;
}

static void *work_now(void *unused)
{
    (void)unused;
    work();
    return NULL;
}

/* Counts of three threads: one from before MPI_Init, one that comes later and ends, and the main one. */
static void all_threads_count(void **state)
{
    const int64_t least = 3 * ENOUGH;
    pthread_t before, later;
    (void)state;
    pthread_barrier_init(&go, NULL, 2);
    pthread_barrier_init(&done, NULL, 2);
    assert_int_equal(pthread_create(&before, NULL, work_later, NULL), 0);
    begin(clock_event);
    assert_int_equal(papi_mpi.record->n_counters, 1);
    assert_string_equal(papi_mpi.record->counter_name[0], clock_event);
    assert_string_equal(papi_mpi.record->counter_units[0], "ns");
    assert_string_equal(papi_mpi.record->counter_reason, "");
    pthread_barrier_wait(&go);
    work();
    assert_int_equal(pthread_create(&later, NULL, work_now, NULL), 0);
    assert_int_equal(pthread_join(later, NULL), 0);
    pthread_barrier_wait(&done);
    rank_update();
    print_message("%lld ns of at least %lld\n", (long long)papi_mpi.record->counter[0], (long long)least);
    assert_true(papi_mpi.record->counter[0] >= least);
    assert_true(papi_mpi.record->counter[0] < 10 * least);
    pthread_barrier_wait(&done);
    assert_int_equal(pthread_join(before, NULL), 0);
    rank_update(); /* a thread that has ended takes nothing away */
    assert_true(papi_mpi.record->counter[0] >= least);
    pthread_barrier_destroy(&go);
    pthread_barrier_destroy(&done);
}

/* ---- regions */

static int nothing(const char *name)
{
    (void)name;
    return PAPI_OK;
}

static int nothing_either(void)
{
    return PAPI_OK;
}

static void *use_region(void *library)
{
    region_begin(library, "elsewhere");
    work();
    region_end(library, "elsewhere");
    return NULL;
}

static void regions_have_counts(void **state)
{
    struct region_functions library = {nothing, nothing, nothing, nothing_either};
    const struct thread_record *main_thread;
    pthread_t other;
    (void)state;
    begin(clock_event);
    work();
    region_begin(&library, "part");
    assert_int_equal(pthread_create(&other, NULL, use_region, &library), 0);
    assert_int_equal(pthread_join(other, NULL), 0);
    region_end(&library, "part");
    work();
    rank_update();
    main_thread = record_thread_at(papi_mpi.record, 0);
    assert_string_equal(papi_mpi.record->region_name[0], "part");
    assert_true(main_thread->region[0].counter[0] >= ENOUGH);
    assert_true(main_thread->region[0].counter[0] <= papi_mpi.record->counter[0] - 2 * ENOUGH);
    /* The rank's counts are in one region alone: that of the main thread. */
    assert_string_equal(papi_mpi.record->region_name[1], "elsewhere");
    assert_int_equal(record_thread_at(papi_mpi.record, 1)->region[1].visits, 1);
    assert_int_equal(record_thread_at(papi_mpi.record, 1)->region[1].counter[0], 0);
}

/* ---- which events */

static void there_are_usual_ones(void **state)
{
    (void)state;
    begin(NULL);
    assert_true(papi_mpi.record->n_counters > 0);
    assert_int_equal(papi_mpi.settings.n_complaints, 0);
    work();
    rank_update();
    assert_true(papi_mpi.record->counter[0] > 1000000);
}

static void wrong_names_are_left_out(void **state)
{
    (void)state;
    begin(
        " NO_SUCH_EVENT,perf::TASK-CLOCK=delta , ,perf::PAGE-FAULTS=instant,perf::TASK-CLOCK,PAPI_TOT_INS=x,"
        "a_name_that_is_longer_than_all_that_there_is_room_for_in_the_record_of_a_rank");
    assert_int_equal(papi_mpi.record->n_counters, 2);
    assert_string_equal(papi_mpi.record->counter_name[0], clock_event);
    assert_string_equal(papi_mpi.record->counter_name[1], "perf::PAGE-FAULTS");
    assert_int_equal(papi_mpi.settings.n_complaints, 3);
    assert_non_null(strstr(papi_mpi.settings.complaint[0], "PAPI_EVENTS: NO_SUCH_EVENT is not counted: "));
    assert_non_null(strstr(papi_mpi.settings.complaint[1], "PAPI_TOT_INS=x is not counted: "));
    assert_non_null(strstr(papi_mpi.settings.complaint[2], "too long"));
    assert_non_null(strstr(papi_mpi.record->counter_reason, "NO_SUCH_EVENT"));
}

/* Sums would be those of their bits. */
static void real_numbers_are_left_out(void **state)
{
    static double seconds = 1;
    static long long steps;
    papi_handle_t handle = papi_sde_init("rank");
    (void)state;
    assert_int_equal(papi_sde_register_counter(handle, "seconds", PAPI_SDE_DELTA, PAPI_SDE_double, &seconds),
                     SDE_OK);
    assert_int_equal(papi_sde_register_counter(handle, "steps", PAPI_SDE_DELTA, PAPI_SDE_long_long, &steps),
                     SDE_OK);
    begin("sde:::rank::seconds,sde:::rank::steps");
    assert_int_equal(papi_mpi.record->n_counters, 1);
    assert_string_equal(papi_mpi.record->counter_name[0], "sde:::rank::steps");
    assert_int_equal(papi_mpi.settings.n_complaints, 1);
    assert_non_null(strstr(papi_mpi.settings.complaint[0],
                           "sde:::rank::seconds is not counted: its values are "
                           "real numbers"));
    seconds += 0.5, steps += 3;
    rank_update();
    assert_int_equal(papi_mpi.record->counter[0], 3);
    assert_int_equal(papi_sde_shutdown(handle), SDE_OK);
}

/* Shares cannot be counted in a job: they are left out, with a message that names the events that they are
 * computed from. */
static void shares_are_left_out(void **state)
{
    (void)state;
    PAPI_shutdown();
    assert_int_equal(made_slots_skylake(), 0);
    begin("topdown:::TOPDOWN_RETIRING_PERC,perf::PAGE-FAULTS");
    assert_int_equal(made_slots_end(), 0);
    assert_int_equal(papi_mpi.record->n_counters, 1);
    assert_int_equal(papi_mpi.settings.n_complaints, 1);
    assert_non_null(
        strstr(papi_mpi.settings.complaint[0],
               "TOPDOWN_RETIRING_PERC is not counted: its values are real numbers, and ranks count "
               "whole ones; it is computed of core/topdown-total-slots/, "
               "core/topdown-slots-retired/, which they count"));
}

static void more_than_there_is_room_for(void **state)
{
    (void)state;
    begin("perf::TASK-CLOCK,perf::CPU-CLOCK,perf::PAGE-FAULTS,perf::CONTEXT-SWITCHES,perf::CPU-MIGRATIONS,"
          "perf::MINOR-FAULTS,perf::MAJOR-FAULTS,perf::ALIGNMENT-FAULTS,perf::EMULATION-FAULTS,"
          "perf::PERF_COUNT_SW_TASK_CLOCK,perf::PERF_COUNT_SW_CPU_CLOCK,perf::PERF_COUNT_SW_PAGE_FAULTS,"
          "perf::PERF_COUNT_SW_CONTEXT_SWITCHES,perf::PERF_COUNT_SW_CPU_MIGRATIONS,"
          "perf::PERF_COUNT_SW_PAGE_FAULTS_MIN,perf::PERF_COUNT_SW_PAGE_FAULTS_MAJ,perf::TASK-CLOCK:u,"
          "perf::PAGE-FAULTS:u,perf::CONTEXT-SWITCHES:u,perf::CPU-MIGRATIONS:u");
    assert_int_equal(papi_mpi.record->n_counters, MAX_COUNTERS);
    assert_true(papi_mpi.settings.n_complaints > 0);
    assert_non_null(strstr(papi_mpi.settings.complaint[papi_mpi.settings.n_complaints - 1], "room for 12"));
}

static void none_where_none_are_wanted(void **state)
{
    (void)state;
    setenv("PAPI_MPI_COUNTERS", "none", 1);
    begin(clock_event);
    unsetenv("PAPI_MPI_COUNTERS");
    assert_int_equal(papi_mpi.record->n_counters, 0);
    assert_string_equal(papi_mpi.record->counter_reason, "PAPI_MPI_COUNTERS=none");
}

static void no_cheap_reads(void **state)
{
    (void)state;
    setenv("PAPI_MPI_COUNTERS", "inside", 1);
    begin(clock_event);
    unsetenv("PAPI_MPI_COUNTERS");
    assert_int_equal(papi_mpi.record->counters_inside, 0);
    assert_int_equal(papi_mpi.settings.n_complaints, 1);
    assert_non_null(strstr(papi_mpi.settings.complaint[0], "PAPI_MPI_COUNTERS=inside"));
}

/* A program that closes all that it does not know, and then has files of its own under these numbers: nothing
 * is read from them, and they stay open. */
static void program_closes_the_descriptors(void **state)
{
    enum { MOST = 64 };
    int closed[MOST], n = 0, ends[2];
    char text[256], path[64];

    (void)state;
    begin(clock_event);
    for (int fd = 3; fd < 1024 && n < MOST; fd++) {
        ssize_t length;

        snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
        length = readlink(path, text, sizeof text - 1);
        text[length > 0 ? length : 0] = '\0';
        if (strstr(text, "perf_event") != NULL)
            closed[n++] = fd;
    }
    assert_true(n > 0);
    assert_int_equal(pipe(ends), 0);
    memset(text, 'x', sizeof text);
    for (int i = 0; i < n; i++) {
        assert_int_equal(dup2(ends[0], closed[i]), closed[i]);
        assert_int_equal(write(ends[1], text, sizeof text), sizeof text);
    }
    rank_end();
    assert_int_equal(papi_mpi.record->lost, 1);
    rank_done();
    close(ends[1]);
    for (int i = 0; i < n; i++)
        assert_int_equal(read(closed[i], text, sizeof text), sizeof text);
    assert_int_equal(read(ends[0], text, sizeof text), 0);
    for (int i = 0; i < n; i++)
        assert_int_equal(close(closed[i]), 0);
    close(ends[0]);
}

/* Counts from before the program shut the library down stay, and are reported as incomplete, beside any other
 * reason. */
static void program_shuts_the_library_down(void **state)
{
    int64_t known;
    (void)state;
    begin("NO_SUCH_EVENT,perf::TASK-CLOCK");
    work();
    rank_update();
    known = papi_mpi.record->counter[0];
    assert_true(known >= ENOUGH);
    assert_int_equal(papi_mpi.record->lost, 0);
    PAPI_shutdown();
    rank_update();
    assert_int_equal(papi_mpi.record->counter[0], known);
    assert_int_equal(papi_mpi.record->lost, 1);
    assert_non_null(strstr(papi_mpi.record->counter_reason, "NO_SUCH_EVENT"));
    assert_int_equal(PAPI_library_init(PAPI_VER_CURRENT), PAPI_VER_CURRENT);
    rank_update();
    assert_int_equal(papi_mpi.record->counter[0], known);
    assert_int_equal(papi_mpi.record->lost, 1);
}

static int descriptors(void)
{
    DIR *all = opendir("/proc/self/fd");
    int n = 0;
    assert_non_null(all);
    while (readdir(all) != NULL)
        n++;
    closedir(all);
    return n;
}

/* Descriptors are given back, also those of another thread's event sets. */
static void descriptors_are_given_back(void **state)
{
    pthread_t before;
    int n = 0;
    (void)state;
    pthread_barrier_init(&go, NULL, 2);
    pthread_barrier_init(&done, NULL, 2);
    assert_int_equal(pthread_create(&before, NULL, work_later, NULL), 0);
    for (int i = 0; i < 3; i++) {
        begin("perf::TASK-CLOCK,perf::PAGE-FAULTS");
        assert_int_equal(papi_mpi.record->n_counters, 2);
        assert_true(i == 0 || descriptors() > n);
        end(NULL);
        assert_true(i == 0 || descriptors() == n);
        n = descriptors();
    }
    pthread_barrier_wait(&go);
    pthread_barrier_wait(&done);
    pthread_barrier_wait(&done);
    assert_int_equal(pthread_join(before, NULL), 0);
    pthread_barrier_destroy(&go);
    pthread_barrier_destroy(&done);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(all_threads_count, end),
        cmocka_unit_test_teardown(regions_have_counts, end),
        cmocka_unit_test_teardown(there_are_usual_ones, end),
        cmocka_unit_test_teardown(wrong_names_are_left_out, end),
        cmocka_unit_test_teardown(real_numbers_are_left_out, end),
        cmocka_unit_test_teardown(shares_are_left_out, end),
        cmocka_unit_test_teardown(more_than_there_is_room_for, end),
        cmocka_unit_test_teardown(none_where_none_are_wanted, end),
        cmocka_unit_test_teardown(no_cheap_reads, end),
        cmocka_unit_test(descriptors_are_given_back),
        cmocka_unit_test_teardown(program_shuts_the_library_down, end),
        cmocka_unit_test(program_closes_the_descriptors),
    };
    char name[sizeof clock_event];
    int code;

    memcpy(name, clock_event, sizeof name);
    if (PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT ||
        PAPI_event_name_to_code(name, &code) != PAPI_OK || PAPI_query_event(code) != PAPI_OK) {
        printf("SKIP: the kernel counts no %s here\n", clock_event);
        return 77;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}

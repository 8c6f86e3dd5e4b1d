/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Regions in a rank's record, without an MPI: the calls as a program makes them, and what the library hears.
 */
#include "papi.h"
#include "rank/rank.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- the next library: records its calls, and keeps a stack */

static char told[4096];
static char stack[80][256];
static int depth;

static void note(const char *what, const char *name)
{
    size_t n = strlen(told);
    snprintf(told + n, sizeof told - n, "%s %s;", what, name);
}

static int own_begin(const char *name)
{
    note("begin", name);
    snprintf(stack[depth++], sizeof stack[0], "%s", name);
    return PAPI_OK;
}

static int own_read(const char *name)
{
    note("read", name);
    return depth > 0 && strcmp(stack[depth - 1], name) == 0 ? PAPI_OK : PAPI_EINVAL;
}

static int own_end(const char *name)
{
    note("end", name);
    if (depth == 0 || strcmp(stack[depth - 1], name) != 0)
        return PAPI_EINVAL;
    depth--;
    return PAPI_OK;
}

static int own_stop(void)
{
    note("stop", "");
    return PAPI_ENOTRUN;
}

static const struct region_functions library = {own_begin, own_read, own_end, own_stop};

#define BEGIN(name) assert_int_equal(region_begin(&library, name), PAPI_OK)
#define END(name) assert_int_equal(region_end(&library, name), PAPI_OK)

/* ---- a rank */

static void begin_rank(const char *mode)
{
    static int number;
    char job[32];
    struct rank_identity identity = {.job = job, .flavour = "none", .ranks = 1, .nodes = 1};
    snprintf(job, sizeof job, "regions-%d-%d", (int)getpid(), number++);
    setenv("PAPI_MPI_REGIONS", mode, 1);
    papi_mpi.settings.report[0] = '\0';
    told[0] = '\0';
    depth = 0;
    assert_int_equal(rank_begin(&identity), 0);
}

static int end_rank(void **state)
{
    (void)state;
    rank_end();
    rank_done();
    mpi_thread.regions = mpi_thread.regions_behind = mpi_thread.regions_refused = 0;
    return 0;
}

static int region_number(const char *name)
{
    for (int i = 0; i < papi_mpi.record->n_regions; i++)
        if (strcmp(papi_mpi.record->region_name[i], name) == 0)
            return i;
    fail_msg("no region %s", name);
    return -1;
}

static const struct region_totals *totals(const char *name)
{
    return &record_thread_at(papi_mpi.record, 0)->region[region_number(name)];
}

static void pass(uint64_t ticks)
{
    uint64_t start = clock_ticks();
    while (clock_ticks() - start < ticks)
        continue;
}

/* ---- the tests */

static void are_recorded(void **state)
{
    (void)state;
    begin_rank("job");
    for (int i = 0; i < 3; i++) {
        BEGIN("outer");
        pass(1000);
        BEGIN("inner");
        pass(1000 * (uint64_t)(i + 1));
        rank_thread()->mpi_ticks += 100;
        assert_int_equal(region_read(&library, "inner"), PAPI_OK);
        assert_int_equal(region_read(&library, "outer"), PAPI_EINVAL);
        END("inner");
        END("outer");
    }
    assert_int_equal(totals("outer")->visits, 3);
    assert_int_equal(totals("inner")->visits, 3);
    assert_int_equal(totals("inner")->mpi_ticks, 300);
    assert_int_equal(totals("outer")->mpi_ticks, 300);
    assert_true(totals("inner")->ticks >= 6000);
    assert_true(totals("outer")->ticks >= totals("inner")->ticks + 3000);
    assert_string_equal(told, "");
}

/* As a wrapper does it. */
static void make_call(enum call call, uint64_t ticks)
{
    struct thread_record *thread = rank_thread();
    thread->call[call].calls++;
    thread->call[call].ticks += ticks;
    thread->calls++;
    thread->mpi_ticks += ticks;
}

/* {calls, ticks} of a call in a region; -1, -1: it has no place. */
static void assert_called(const char *name, enum call call, int64_t calls, int64_t ticks)
{
    const struct thread_record *thread = record_thread_at(papi_mpi.record, 0);
    int64_t found[2] = {-1, -1};
    for (int i = 0; i < REGION_CALLS; i++)
        if (thread->region_call[i].call == (int)call + 1 &&
            thread->region_call[i].region == region_number(name)) {
            found[0] = (int64_t)thread->region_call[i].calls;
            found[1] = (int64_t)thread->region_call[i].ticks;
        }
    assert_int_equal(found[0], calls);
    assert_int_equal(found[1], ticks);
}

/* A region has the calls of those inside of it, too, and of itself inside of itself once. */
static void have_their_calls(void **state)
{
    (void)state;
    begin_rank("job");
    make_call(CALL_BARRIER, 1000); /* outside of all */
    BEGIN("outer");
    make_call(CALL_SEND, 1);
    BEGIN("inner");
    make_call(CALL_SEND, 20);
    make_call(CALL_RECV, 300);
    BEGIN("outer");
    make_call(CALL_RECV, 4000);
    END("outer");
    END("inner");
    make_call(CALL_SEND, 50000);
    END("outer");
    make_call(CALL_SEND, 600000);
    BEGIN("inner");
    make_call(CALL_SEND, 7000000);
    record_finish_regions(papi_mpi.record, rank_thread(), clock_ticks()); /* at the end it is open, ... */
    record_finish_regions(papi_mpi.record, rank_thread(), clock_ticks()); /* ... which counts once */
    assert_called("outer", CALL_SEND, 3, 50021);
    assert_called("outer", CALL_RECV, 2, 4300);
    assert_called("inner", CALL_SEND, 2, 7000020);
    assert_called("inner", CALL_RECV, 2, 4300);
    assert_called("outer", CALL_BARRIER, -1, -1);
    END("inner");
}

/* Calls that have a place go on where a thread has none left. */
static void more_calls_than_places(void **state)
{
    char name[32];
    (void)state;
    begin_rank("job");
    for (int i = 0; i < 100; i++) {
        snprintf(name, sizeof name, "region %d", i);
        BEGIN(name);
        for (enum call call = CALL_SEND; call < CALL_SEND + 3; call++)
            make_call(call, 10);
        END(name);
    }
    assert_int_equal(record_thread_at(papi_mpi.record, 0)->n_region_calls, MOST_REGION_CALLS);
    BEGIN("region 0");
    make_call(CALL_SEND, 10);
    END("region 0");
    assert_called("region 0", CALL_SEND, 2, 20);
    assert_called("region 99", CALL_SEND, -1, -1);
}

static void wrong_calls_have_their_codes(void **state)
{
    (void)state;
    begin_rank("job");
    assert_int_equal(region_begin(&library, NULL), PAPI_EINVAL);
    assert_int_equal(region_begin(&library, ""), PAPI_EINVAL);
    assert_int_equal(region_end(&library, NULL), PAPI_EINVAL);
    assert_int_equal(region_end(&library, ""), PAPI_EINVAL);
    assert_int_equal(region_read(&library, NULL), PAPI_EINVAL);
    assert_int_equal(region_end(&library, "never"), PAPI_EINVAL);
    assert_int_equal(region_read(&library, "never"), PAPI_EINVAL);
    assert_int_equal(region_stop(&library), PAPI_ENOTRUN);
    BEGIN("a");
    BEGIN("b");
    assert_int_equal(region_end(&library, "a"), PAPI_EINVAL);
    assert_int_equal(region_stop(&library), PAPI_EISRUN);
    END("b");
    END("a");
    assert_int_equal(region_stop(&library), PAPI_OK);
    assert_int_equal(totals("a")->visits, 1);
    assert_int_equal(totals("b")->visits, 1);
}

/* A region inside of itself counts its time once, its visits each. */
static void recursion(void **state)
{
    uint64_t start, whole;
    (void)state;
    begin_rank("job");
    start = clock_ticks();
    for (int i = 0; i < 5; i++)
        BEGIN("again");
    pass(100000);
    for (int i = 0; i < 5; i++)
        END("again");
    whole = clock_ticks() - start;
    assert_int_equal(totals("again")->visits, 5);
    assert_true(totals("again")->ticks >= 100000);
    assert_true(totals("again")->ticks <= whole);
}

static void too_deep(void **state)
{
    (void)state;
    begin_rank("job");
    for (int i = 0; i < MAX_OPEN; i++)
        BEGIN("deep");
    for (int i = 0; i < 3; i++)
        assert_int_equal(region_begin(&library, "deeper"), PAPI_ENOMEM);
    assert_int_equal(region_read(&library, "deeper"), PAPI_ENOMEM);
    for (int i = 0; i < 3; i++)
        assert_int_equal(region_end(&library, "deeper"), PAPI_ENOMEM);
    for (int i = 0; i < MAX_OPEN; i++)
        END("deep");
    assert_int_equal(region_end(&library, "deep"), PAPI_EINVAL);
    assert_int_equal(papi_mpi.record->n_regions, 1);
}

static void long_names(void **state)
{
    char one[300], two[300];
    const struct rank_record *record;
    (void)state;
    begin_rank("job");
    record = papi_mpi.record;
    for (size_t i = 0; i < sizeof one - 1; i += 2)
        memcpy(one + i, "\xc3\xa9", 2); /* é: a cut in the middle would be no UTF-8 */
    one[298] = '\0';
    memcpy(two, one, sizeof two);
    memcpy(two + 296, "ab", 2);
    BEGIN(one);
    BEGIN(two);
    assert_int_equal(region_end(&library, one), PAPI_EINVAL);
    END(two);
    END(one);
    assert_int_equal(record->n_regions, 2);
    assert_string_not_equal(record->region_name[0], record->region_name[1]);
    for (int i = 0; i < 2; i++) {
        assert_true(strlen(record->region_name[i]) < REGION_NAME);
        assert_int_equal(strchr(record->region_name[i], '~') - record->region_name[i], 54);
    }
    memset(one, 'x', REGION_NAME - 1);
    one[REGION_NAME - 1] = '\0';
    BEGIN(one);
    END(one);
    assert_string_equal(record->region_name[2], one);
}

static void too_many(void **state)
{
    char name[32];
    const struct rank_record *record;
    (void)state;
    begin_rank("job");
    record = papi_mpi.record;
    for (int i = 0; i < 200; i++) {
        snprintf(name, sizeof name, "region %d", i);
        BEGIN(name);
        END(name);
    }
    assert_int_equal(record->n_regions, MAX_REGIONS);
    assert_string_equal(record->region_name[MAX_REGIONS - 1], OTHER_REGIONS);
    assert_int_equal(totals(OTHER_REGIONS)->visits, 200 - (MAX_REGIONS - 1));
    assert_int_equal(totals("region 126")->visits, 1);
    BEGIN("region 198");
    assert_int_equal(region_end(&library, "region 199"), PAPI_EINVAL);
    END("region 198");
}

/* A region from before MPI_Init stays the library's, wherever it ends; one that is open in MPI_Finalize ends
 * well. */
static void across_the_ends(void **state)
{
    struct rank_record copy;
    (void)state;
    told[0] = '\0';
    depth = 0;
    begin_rank("job");
    end_rank(NULL);
    BEGIN("whole");
    assert_string_equal(told, "begin whole;");
    told[0] = '\0';
    {
        struct rank_identity identity = {.job = "across", .flavour = "none", .ranks = 1, .nodes = 1};

        assert_int_equal(rank_begin(&identity), 0);
    }
    BEGIN("first");
    END("first");
    BEGIN("last");
    pass(1000);
    assert_string_equal(told, "");
    rank_end();
    assert_true(totals("last")->ticks >= 1000);
    assert_int_equal(record_thread_at(papi_mpi.record, 0)->n_open, 1);
    memcpy(&copy, papi_mpi.record, sizeof copy);
    rank_done();
    BEGIN("after");
    END("after");
    END("last");
    assert_string_equal(told, "begin after;end after;");
    END("whole");
    assert_string_equal(told, "begin after;end after;end whole;");
    assert_int_equal(copy.n_regions, 2);
}

static void library_hears_of_them(void **state)
{
    (void)state;
    begin_rank("rank");
    BEGIN("a");
    assert_int_equal(region_read(&library, "a"), PAPI_OK);
    assert_int_equal(region_end(&library, "b"), PAPI_EINVAL);
    END("a");
    assert_int_equal(region_stop(&library), PAPI_ENOTRUN); /* its answer */
    assert_string_equal(told, "begin a;read a;end b;end a;stop ;");
    assert_int_equal(totals("a")->visits, 1);
}

/* ---- threads */

enum { THREADS = 4, TURNS = 2000 };

static void *use_regions(void *number)
{
    char name[32];
    snprintf(name, sizeof name, "of thread %d", *(int *)number);
    for (int i = 0; i < TURNS; i++) {
        if (region_begin(&library, "of all") != PAPI_OK || region_begin(&library, name) != PAPI_OK ||
            region_end(&library, name) != PAPI_OK || region_end(&library, "of all") != PAPI_OK)
            return number;
    }
    region_begin(&library, "left open"); /* closed by the end of the thread */
    return NULL;
}

static void threads(void **state)
{
    pthread_t thread[THREADS];
    int number[THREADS];
    uint64_t of_all = 0, open = 0;
    void *failed;
    (void)state;
    begin_rank("job");
    for (int i = 0; i < THREADS; i++) {
        number[i] = i;
        assert_int_equal(pthread_create(&thread[i], NULL, use_regions, &number[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(thread[i], &failed), 0);
        assert_null(failed);
    }
    assert_int_equal(papi_mpi.record->n_regions, THREADS + 2);
    for (int t = 0; t < record_thread_count(papi_mpi.record); t++) {
        of_all += record_thread_at(papi_mpi.record, t)->region[region_number("of all")].visits;
        open += (uint64_t)record_thread_at(papi_mpi.record, t)->n_open;
    }
    assert_int_equal(of_all, THREADS * TURNS);
    assert_int_equal(open, 0);
}

/* The child of a fork is not a rank: its regions are the library's. */
static void fork_child(void **state)
{
    int status;
    pid_t child;
    (void)state;
    begin_rank("job");
    BEGIN("before");
    child = fork();
    if (child == 0) {
        int right = papi_mpi.record == NULL && region_begin(&library, "of the child") == PAPI_OK &&
                    region_end(&library, "of the child") == PAPI_OK &&
                    strcmp(told, "begin of the child;end of the child;") == 0;

        _exit(right ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    END("before");
    assert_int_equal(papi_mpi.record->n_regions, 1);
}

static void fortran_text(void **state)
{
    char text[16];
    (void)state;
    region_text(text, sizeof text, "solve   ", 8);
    assert_string_equal(text, "solve");
    region_text(text, sizeof text, "  a b\0 c", 8);
    assert_string_equal(text, "  a b");
    region_text(text, sizeof text, "        ", 8);
    assert_string_equal(text, "");
    region_text(text, sizeof text, NULL, 8);
    assert_string_equal(text, "");
    region_text(text, sizeof text, "abcdefghijklmnopqrstuvw", 23);
    assert_string_equal(text, "abcdefghijklmno");
    region_text(text, sizeof text, "short", (size_t)0xffffffff00000005u);
    assert_string_equal(text, "short");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(are_recorded, end_rank),
        cmocka_unit_test_teardown(have_their_calls, end_rank),
        cmocka_unit_test_teardown(more_calls_than_places, end_rank),
        cmocka_unit_test_teardown(wrong_calls_have_their_codes, end_rank),
        cmocka_unit_test_teardown(recursion, end_rank),
        cmocka_unit_test_teardown(too_deep, end_rank),
        cmocka_unit_test_teardown(long_names, end_rank),
        cmocka_unit_test_teardown(too_many, end_rank),
        cmocka_unit_test_teardown(across_the_ends, end_rank),
        cmocka_unit_test_teardown(library_hears_of_them, end_rank),
        cmocka_unit_test_teardown(threads, end_rank),
        cmocka_unit_test_teardown(fork_child, end_rank),
        cmocka_unit_test(fortran_text),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

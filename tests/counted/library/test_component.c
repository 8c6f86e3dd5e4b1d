/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The component counted in a program that papi_counted built, through the interface. Operations are known by
 * hand.
 */
#include "testing.h"
#include "work.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DP "counted::DP_OPS"
#define SP "counted::SP_OPS"

/* ---- counts */

static const struct {
    const char *name;
    void (*work)(int n);
    int n;
    long long dp, sp, divisions, square_roots;
} cases[] = {
    {"dot", work_dot, 1000, 2000, 0, 0, 0},          {"dot of 7", work_dot, 7, 14, 0, 0, 0},
    {"dot of none", work_dot, 0, 0, 0, 0, 0},        {"triad", work_triad, 999, 1998, 0, 0, 0},
    {"axpy", work_axpy_single, 1000, 0, 2000, 0, 0}, {"axpy of 3", work_axpy_single, 3, 0, 6, 0, 0},
    {"divide", work_divide, 501, 1002, 0, 501, 501}, {"integers", work_integers, 1000, 0, 0, 0, 0},
    {"odd", work_odd, 1000, 500, 0, 0, 0},
};

/* Divisions and roots of two numbers at once are one instruction. */
static void at_most(long long got, long long all)
{
    CHECK(got >= all / 8 && got <= all);
}

static void counts_what_is_known(void **state)
{
    (void)state;
    int es = test_set(DP, SP, "counted::FP_OPS", "counted::CONDITIONAL_BRANCHES", "counted::TAKEN_BRANCHES",
                      "counted::NOT_TAKEN_BRANCHES", "counted::FP_DIVIDE_INSTRUCTIONS",
                      "counted::FP_SQRT_INSTRUCTIONS", "counted::INSTRUCTIONS", NULL);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        long long got[9];
        print_message("%s\n", cases[i].name);
        OK(PAPI_start(es));
        cases[i].work(cases[i].n);
        OK(PAPI_stop(es, got));
        EQUAL(got[0], cases[i].dp);
        EQUAL(got[1], cases[i].sp);
        EQUAL(got[2], cases[i].dp + cases[i].sp);
        EQUAL(got[4] + got[5], got[3]);
        at_most(got[6], cases[i].divisions);
        at_most(got[7], cases[i].square_roots);
        CHECK(got[8] >= got[3] + (cases[i].dp + cases[i].sp) / 32);
    }
    test_drop(es);
}

static int empty_set(void)
{
    int es = PAPI_NULL;
    OK(PAPI_create_eventset(&es));
    return es;
}

/* All events at once, and each of them alone. */
static void counts_all_events(void **state)
{
    enum { EVENTS = 32, INDEX_OF_DP = 15 };
    int code = PAPI_NATIVE_MASK, n = 0, es = empty_set();
    int component = PAPI_get_component_index("counted");
    long long together[EVENTS], alone;
    (void)state;
    OK(PAPI_enum_cmp_event(&code, PAPI_ENUM_FIRST, component));
    do {
        int one = PAPI_NULL;
        OK(PAPI_add_event(es, code));
        OK(PAPI_create_eventset(&one));
        OK(PAPI_add_event(one, code));
        test_drop(one);
        n++;
    } while (PAPI_enum_cmp_event(&code, PAPI_ENUM_EVENTS, component) == PAPI_OK);
    EQUAL(n, EVENTS);
    OK(PAPI_start(es));
    work_dot(100);
    OK(PAPI_stop(es, together));
    EQUAL(together[INDEX_OF_DP], 200);
    es = test_set("counted::LOADS", NULL);
    OK(PAPI_start(es));
    work_dot(100);
    OK(PAPI_stop(es, &alone));
    EQUAL(together[22], alone);
}

/* ---- life of an event set */

static void counts_only_while_started(void **state)
{
    int es = test_set(DP, NULL);
    long long got = -1;
    (void)state;
    work_dot(1000);
    OK(PAPI_start(es));
    work_dot(10);
    OK(PAPI_read(es, &got));
    EQUAL(got, 20);
    OK(PAPI_stop(es, &got));
    EQUAL(got, 20);
    work_dot(1000);
    OK(PAPI_read(es, &got));
    EQUAL(got, 20);
    OK(PAPI_start(es));
    OK(PAPI_read(es, &got));
    EQUAL(got, 0);
    OK(PAPI_stop(es, NULL));
    test_drop(es);
}

static void resets_accumulates_and_writes(void **state)
{
    int es = test_set(DP, SP, NULL);
    long long got[2] = {5, 7}, set[2] = {1000, 2000};
    (void)state;
    OK(PAPI_start(es));
    work_dot(10);
    OK(PAPI_accum(es, got));
    EQUAL(got[0], 25);
    EQUAL(got[1], 7);
    work_axpy_single(4);
    OK(PAPI_accum(es, got));
    EQUAL(got[0], 25);
    EQUAL(got[1], 15);
    work_dot(3);
    OK(PAPI_reset(es));
    work_dot(2);
    OK(PAPI_read(es, got));
    EQUAL(got[0], 4);
    OK(PAPI_write(es, set));
    work_dot(1);
    OK(PAPI_stop(es, got));
    EQUAL(got[0], 1002);
    EQUAL(got[1], 2000);
    test_drop(es);
}

static void keeps_values_when_events_change(void **state)
{
    int es = test_set(DP, NULL);
    long long got[2];
    (void)state;
    OK(PAPI_start(es));
    work_dot(10);
    OK(PAPI_stop(es, got));
    OK(PAPI_add_named_event(es, SP));
    OK(PAPI_read(es, got));
    EQUAL(got[0], 20);
    EQUAL(got[1], 0);
    OK(PAPI_start(es));
    work_axpy_single(5);
    OK(PAPI_stop(es, got));
    EQUAL(got[0], 0);
    EQUAL(got[1], 10);
    OK(PAPI_remove_named_event(es, DP));
    OK(PAPI_read(es, got));
    EQUAL(got[0], 10);
    OK(PAPI_start(es));
    work_dot(5);
    work_axpy_single(1);
    OK(PAPI_stop(es, got));
    EQUAL(got[0], 2);
    test_drop(es);
}

static void two_sets_count_at_once(void **state)
{
    int outer = test_set(DP, NULL), inner = test_set(SP, DP, NULL);
    long long all, part[2];
    (void)state;
    OK(PAPI_start(outer));
    work_dot(10);
    OK(PAPI_start(inner));
    work_dot(4);
    OK(PAPI_stop(inner, part));
    work_dot(1);
    OK(PAPI_stop(outer, &all));
    EQUAL(part[0], 0);
    EQUAL(part[1], 8);
    EQUAL(all, 30);
    test_drop(outer);
    test_drop(inner);
}

/* ---- threads */

struct thread_work {
    int n;
    long long counted;
};

static void *count_in_thread(void *argument)
{
    struct thread_work *mine = argument;
    int es = test_set(DP, NULL);
    OK(PAPI_start(es));
    for (int i = 0; i < mine->n; i++)
        work_dot(100);
    OK(PAPI_stop(es, &mine->counted));
    test_drop(es);
    return NULL;
}

static void counts_each_thread(void **state)
{
    enum { THREADS = 4, ROUNDS = 20 };
    long long own;
    (void)state;
    OK(PAPI_thread_init((unsigned long (*)(void))pthread_self));
    int es = test_set(DP, NULL);
    OK(PAPI_start(es));
    for (int round = 0; round < ROUNDS; round++) {
        struct thread_work work[THREADS];
        pthread_t thread[THREADS];
        for (int i = 0; i < THREADS; i++) {
            work[i] = (struct thread_work){.n = 10 * (i + 1)};
            EQUAL(pthread_create(&thread[i], NULL, count_in_thread, &work[i]), 0);
        }
        for (int i = 0; i < THREADS; i++) {
            pthread_join(thread[i], NULL);
            EQUAL(work[i].counted, 2000 * (i + 1));
        }
    }
    work_dot(3);
    OK(PAPI_stop(es, &own));
    EQUAL(own, 6);
    test_drop(es);
}

/* A thread that ends with a set that runs; the next one begins at zero. */
static void *leave_a_set(void *argument)
{
    int es = test_set(DP, NULL);
    (void)argument;
    OK(PAPI_start(es));
    work_dot(100);
    return NULL;
}

static void a_thread_may_end_while_it_counts(void **state)
{
    pthread_t thread;
    struct thread_work after = {.n = 1};
    (void)state;
    EQUAL(pthread_create(&thread, NULL, leave_a_set, NULL), 0);
    pthread_join(thread, NULL);
    EQUAL(pthread_create(&thread, NULL, count_in_thread, &after), 0);
    pthread_join(thread, NULL);
    EQUAL(after.counted, 200);
}

static void count_in_child(void *set)
{
    int of_parent = *(int *)set, es = test_set(DP, NULL);
    long long got;
    CODE(PAPI_read(of_parent, &got), PAPI_ECLOST);
    OK(PAPI_start(es));
    work_dot(8);
    OK(PAPI_stop(es, &got));
    EQUAL(got, 16);
}

static void a_child_counts_for_itself(void **state)
{
    int es = test_set(DP, NULL);
    long long got;
    (void)state;
    OK(PAPI_start(es));
    work_dot(100);
    test_in_child(count_in_child, &es);
    work_dot(5);
    OK(PAPI_stop(es, &got));
    EQUAL(got, 210);
    test_drop(es);
}

/* ---- libraries */

static work_plugin *load(void **library)
{
    *library = dlopen(PLUGIN, RTLD_NOW | RTLD_LOCAL);
    if (*library == NULL)
        fprintf(stderr, "%s\n", dlerror());
    CHECK(*library != NULL);
    work_plugin *work = NULL;
    void *symbol = dlsym(*library, "plugin_work");
    memcpy(&work, &symbol, sizeof work);
    CHECK(work != NULL);
    return work;
}

/* Loaded while the set runs, and closed again before it is read. */
static void counts_libraries_that_come_and_go(void **state)
{
    int es = test_set(DP, NULL);
    long long got;
    void *library;
    (void)state;
    OK(PAPI_start(es));
    load (&library)(10);
    work_dot(1);
    OK(PAPI_read(es, &got));
    EQUAL(got, 32);
    load (&library)(1);
    dlclose(library);
    dlclose(library);
    OK(PAPI_read(es, &got));
    EQUAL(got, 35);
    OK(PAPI_stop(es, &got));
    EQUAL(got, 35);
    OK(PAPI_start(es));
    OK(PAPI_stop(es, &got));
    EQUAL(got, 0);
    test_drop(es);
}

/* ---- refusals */

static void other_threads_are_refused(void **state)
{
    int es = test_set(DP, NULL);
    PAPI_option_t option = {.inherit = {.eventset = es, .inherit = PAPI_INHERIT_ALL}};
    (void)state;
    REFUSES(PAPI_attach(es, (unsigned long)getppid()), PAPI_ECMP, "each thread for itself");
    REFUSES(PAPI_set_opt(PAPI_INHERIT, &option), PAPI_ECMP, "an event set in each thread");
    option = (PAPI_option_t){.cpu = {.eventset = es, .cpu_num = 0}};
    REFUSES(PAPI_set_opt(PAPI_CPU_ATTACH, &option), PAPI_ECMP, "not a CPU");
    option = (PAPI_option_t){.domain = {.eventset = es, .domain = PAPI_DOM_KERNEL}};
    REFUSES(PAPI_set_opt(PAPI_DOMAIN, &option), PAPI_EINVAL_DOM, "itself alone");
    REFUSES(PAPI_add_named_event(es, "counted::L1D_READS"), PAPI_ENOEVNT,
            "has no event \"counted::L1D_READS\"");
    test_drop(es);
}

/* ---- overflows */

static volatile int overflows;

static void count_overflow(int es, void *address, long long vector, void *context)
{
    (void)es, (void)address, (void)context;
    overflows += vector == 1;
}

/* Overflows are found by the timer: they come late, and the counts stay what they are. */
static void overflows_are_found_by_the_timer(void **state)
{
    enum { MOST = 100000000 };
    int es = test_set(DP, NULL), n = 0;
    long long got;
    (void)state;
    overflows = 0;
    OK(PAPI_overflow(es, test_code_of(DP), 100000, 0, count_overflow));
    OK(PAPI_start(es));
    for (; overflows < 3 && n < MOST; n++)
        work_dot(1000);
    OK(PAPI_stop(es, &got));
    CHECK(overflows >= 3);
    EQUAL(got, 2000LL * n);
    test_drop(es);
}

/* ---- presets */

/* Presets are the processor's where it has counters that are not switched off, and otherwise the program's
 * own. */
static void presets_are_the_processors_where_it_counts(void **state)
{
    int hardware = getenv("PAPI_DISABLE_COMPONENTS") == NULL && PAPI_num_cmp_hwctrs(0) > 0;
    const PAPI_component_info_t *info = PAPI_get_component_info(PAPI_get_event_component(PAPI_TOT_INS));
    (void)state;
    CHECK(info != NULL);
    CHECK(strcmp(info->name, hardware ? "perf_event" : "counted") == 0);
}

static const struct {
    const char *name;
    long long count; /* of work_dot(1000); -1: not known by hand */
} presets[] = {
    {"PAPI_FP_OPS", 2000}, {"PAPI_DP_OPS", 2000}, {"PAPI_SP_OPS", 0},   {"PAPI_VEC_SP", 0},
    {"PAPI_TOT_INS", -1},  {"PAPI_FMA_INS", -1},  {"PAPI_VEC_INS", -1}, {"PAPI_VEC_DP", -1},
    {"PAPI_LD_INS", -1},   {"PAPI_SR_INS", -1},   {"PAPI_BR_INS", -1},  {"PAPI_BR_CN", -1},
    {"PAPI_BR_TKN", -1},   {"PAPI_BR_NTK", -1},   {"PAPI_BR_UCN", -1},  {"PAPI_FDV_INS", 0},
};

static void presets_count(void **state)
{
    enum { N = sizeof presets / sizeof *presets };
    long long got[N];
    int es = empty_set();
    (void)state;
    if (PAPI_num_cmp_hwctrs(0) > 0 && getenv("PAPI_DISABLE_COMPONENTS") == NULL)
        SKIP("this processor has counters: presets are theirs");
    for (int i = 0; i < N; i++)
        OK(PAPI_add_named_event(es, presets[i].name));
    OK(PAPI_start(es));
    work_dot(1000);
    OK(PAPI_stop(es, got));
    for (int i = 0; i < N; i++)
        if (presets[i].count >= 0)
            EQUAL(got[i], presets[i].count);
    EQUAL(PAPI_num_hwctrs(), 32);
    EQUAL(PAPI_num_counters(), 8);
    REFUSES(PAPI_query_event(PAPI_TOT_CYC), PAPI_ENOEVNT, "no cycles");
    test_drop(es);
}

static int begin(void **state)
{
    (void)state;
    return PAPI_library_init(PAPI_VER_CURRENT) == PAPI_VER_CURRENT ? 0 : -1;
}

static int end(void **state)
{
    (void)state;
    PAPI_shutdown();
    return 0;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(counts_what_is_known),
        TEST(counts_all_events),
        TEST(counts_only_while_started),
        TEST(resets_accumulates_and_writes),
        TEST(keeps_values_when_events_change),
        TEST(two_sets_count_at_once),
        TEST(counts_each_thread),
        TEST(a_thread_may_end_while_it_counts),
        TEST(a_child_counts_for_itself),
        TEST(counts_libraries_that_come_and_go),
        TEST(other_threads_are_refused),
        TEST(overflows_are_found_by_the_timer),
        TEST(presets_are_the_processors_where_it_counts),
        TEST(presets_count),
    };
    return TEST_RUN(tests);
}

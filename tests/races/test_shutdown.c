/* SPDX-License-Identifier: BSD-3-Clause
 *
 * PAPI_shutdown while other threads compute with armed overflows of every form, are in calls on their
 * event sets or in handlers, or end.
 */
#include "race.h"

#include <malloc.h>
#include <sched.h>
#include <signal.h>
#include <string.h>

enum { THREADS = 4, BUCKETS = 1024 };

static atomic_int armed, shut, ended, calls, bad_calls;
static atomic_bool over;
static unsigned short bucket[THREADS][BUCKETS];

static void on_overflow(int es, void *address, long long vector, void *context)
{
    long long values[2];
    (void)address;
    atomic_fetch_add(&calls, 1);
    if (vector != 1 || context == NULL)
        atomic_fetch_add(&bad_calls, 1);
    PAPI_read(es, values);
}

/* ---- the forms of overflows */

static int arm_hardware(int es, int thread)
{
    (void)thread;
    return PAPI_overflow(es, test_code_of(race_event()), race_threshold(), 0, on_overflow);
}

static int arm_software(int es, int thread)
{
    (void)thread;
    return PAPI_overflow(es, test_code_of(race_event()), race_threshold(), PAPI_OVERFLOW_FORCE_SW,
                         on_overflow);
}

static int arm_multiplexed(int es, int thread)
{
    int code = PAPI_set_multiplex(es);
    return code == PAPI_OK ? arm_software(es, thread) : code;
}

static int arm_inherited(int es, int thread)
{
    PAPI_option_t option = {.inherit = {.inherit = PAPI_INHERIT_ALL, .eventset = es}};
    int code = PAPI_set_opt(PAPI_INHERIT, &option);
    return code == PAPI_OK ? arm_software(es, thread) : code;
}

static int arm_profile(int es, int thread)
{
    return PAPI_profil(bucket[thread], sizeof bucket[thread], on_overflow, 65536, es,
                       test_code_of(race_event()), race_threshold(), PAPI_PROFIL_POSIX);
}

static int arm_profiles(int es, int thread)
{
    PAPI_sprofil_t region = {
        .pr_base = bucket[thread], .pr_size = sizeof bucket[thread], .pr_off = (vptr_t)0, .pr_scale = 2};
    return PAPI_sprofil(&region, 1, es, test_code_of(race_event()), race_threshold(), PAPI_PROFIL_FORCE_SW);
}

static const struct form {
    const char *name;
    int (*arm)(int es, int thread);
} forms[] = {
    {"hardware", arm_hardware},
    {"software", arm_software},
    {"multiplexed, by software", arm_multiplexed},
    {"inherited, by software", arm_inherited},
    {"profile", arm_profile},
    {"profiles, by software", arm_profiles},
};
enum { FORMS = sizeof forms / sizeof *forms };

/* ---- others compute: the round's threads end, or live on */

struct computing {
    const struct form *form;
    int index, rounds;
};

static int arm_own_set(const struct form *form, int index)
{
    int es = test_set(race_event(), NULL);
    OK(form->arm(es, index));
    OK(PAPI_start(es));
    atomic_fetch_add(&armed, 1);
    return es;
}

/* Computes without a call of the library before, during and for a while after the shutdown. */
static void compute_beyond(int round)
{
    while (atomic_load(&shut) == round)
        race_compute();
    for (int i = 0; i < 20; i++)
        race_compute();
}

static void *compute(void *argument)
{
    const struct computing *own = argument;
    for (int round = 0; round < own->rounds; round++) {
        int es = arm_own_set(own->form, own->index);
        long long values[1];
        compute_beyond(round);
        CODE(PAPI_read(es, values), PAPI_ENOINIT);
        CODE(PAPI_stop(es, values), PAPI_ENOINIT);
        /* The main thread initialises the library again. */
        atomic_fetch_add(&ended, 1);
        while (round + 1 < own->rounds && atomic_load(&ended) != 0)
            sched_yield();
    }
    return NULL;
}

static void start_all(struct computing *computing, pthread_t *threads, const struct form *form, int rounds)
{
    for (int i = 0; i < THREADS; i++) {
        computing[i] = (struct computing){form, i, rounds};
        threads[i] = race_start(compute, &computing[i]);
    }
}

static void wait_for(const atomic_int *number)
{
    while (atomic_load(number) != THREADS)
        sched_yield();
}

static void shut_down_beside(int round)
{
    wait_for(&armed);
    for (int i = 0; i < 20; i++)
        race_compute();
    PAPI_shutdown();
    atomic_store(&armed, 0);
    atomic_store(&shut, round + 1);
}

static bool has_form(const struct form *form)
{
    test_init();
    int es = test_set(race_event(), NULL);
    int code = form->arm(es, 0);
    if (code == PAPI_OK)
        OK(PAPI_start(es));
    if (code != PAPI_OK)
        printf("%s: %s\n", form->name, PAPI_strerror(code));
    PAPI_shutdown();
    return code == PAPI_OK;
}

static void nothing_is_left(int descriptors)
{
    EQUAL(test_open_descriptors(), descriptors);
    EQUAL(race_mappings(), 0);
    EQUAL(atomic_load(&bad_calls), 0);
}

/* Threads that end right after. */
static void beside_computing(const struct form *form, int rounds)
{
    struct computing computing[THREADS];
    pthread_t threads[THREADS];
    int descriptors = test_open_descriptors();
    for (int round = 0; round < rounds; round++) {
        test_init();
        atomic_store(&shut, 0);
        atomic_store(&ended, 0);
        start_all(computing, threads, form, 1);
        shut_down_beside(0);
        for (int i = 0; i < THREADS; i++)
            race_join(threads[i]);
    }
    nothing_is_left(descriptors);
}

/* Threads that make event sets again in the next life of the library. */
static void beside_long_lived(const struct form *form, int rounds)
{
    struct computing computing[THREADS];
    pthread_t threads[THREADS];
    int descriptors = test_open_descriptors();
    atomic_store(&shut, 0);
    atomic_store(&ended, 0);
    test_init();
    start_all(computing, threads, form, rounds);
    for (int round = 0; round < rounds; round++) {
        shut_down_beside(round);
        wait_for(&ended);
        if (round + 1 < rounds)
            test_init();
        /* Each thread frees what it had before it takes more. */
        CHECK(test_open_descriptors() <= descriptors + THREADS);
        atomic_store(&ended, 0);
    }
    for (int i = 0; i < THREADS; i++)
        race_join(threads[i]);
    nothing_is_left(descriptors);
}

static void armed_overflows(void **state)
{
    (void)state;
    NEED_RACE_EVENT();
    PAPI_shutdown();
    for (int i = 0; i < FORMS; i++)
        if (has_form(&forms[i])) {
            atomic_store(&calls, 0);
            beside_computing(&forms[i], race_rounds(i == 0 ? 300 : 20));
            beside_long_lived(&forms[i], race_rounds(20));
            printf("%s: %d calls of the handler\n", forms[i].name, atomic_load(&calls));
        }
}

/* ---- others are in calls */

/* Codes that a call on the thread's own event set may return while the library is shut down and initialised
 * again. For PAPI_ECLOST see race_stop. */
static bool is_expected(int code)
{
    return code >= PAPI_OK || code == PAPI_ENOINIT || code == PAPI_ENOEVST || code == PAPI_ECLOST;
}

static void expect(int code, const char *call)
{
    if (!is_expected(code))
        fprintf(stderr, "%s: %d (%s)\n", call, code, PAPI_strerror(code));
    CHECK(is_expected(code));
}

static void use_set(int es, unsigned *random)
{
    long long values[4] = {0};
    int status, codes[4], n = 4;
    for (int i = 0; i < 100; i++) {
        expect(PAPI_read(es, values), "PAPI_read");
        expect(PAPI_accum(es, values), "PAPI_accum");
        expect(PAPI_reset(es), "PAPI_reset");
    }
    expect(PAPI_state(es, &status), "PAPI_state");
    expect(PAPI_list_events(es, codes, &n), "PAPI_list_events");
    if (race_random(random, 2) == 0)
        race_compute();
    expect(PAPI_stop(es, values), "PAPI_stop");
    expect(PAPI_write(es, values), "PAPI_write");
}

static int make_set(unsigned *random)
{
    int es = PAPI_NULL, code = PAPI_create_eventset(&es);
    expect(code, "PAPI_create_eventset");
    if (code == PAPI_OK)
        expect(PAPI_add_named_event(es, race_event()), "PAPI_add_named_event");
    if (code == PAPI_OK && race_random(random, 2) == 0)
        PAPI_add_named_event(es, FAULTS); /* refused where another component counts it */
    return es;
}

static int event_code(void)
{
    int code;
    return PAPI_event_name_to_code(race_event(), &code) == PAPI_OK ? code : 0;
}

static void *call(void *argument)
{
    unsigned random = (unsigned)(size_t)argument;
    while (!atomic_load(&over)) {
        int es = make_set(&random), form = 0;
        if (es == PAPI_NULL) {
            sched_yield();
            continue;
        }
        int code = event_code();
        form = race_random(&random, 2) == 0 ? PAPI_OVERFLOW_FORCE_SW : PAPI_OVERFLOW_HARDWARE;
        if (code != 0 && race_random(&random, 3) == 0)
            PAPI_overflow(es, code, race_threshold(), form, on_overflow);
        if (PAPI_start(es) == PAPI_OK)
            use_set(es, &random);
        PAPI_overflow(es, code, 0, form, NULL);
        expect(PAPI_cleanup_eventset(es), "PAPI_cleanup_eventset");
        expect(PAPI_destroy_eventset(&es), "PAPI_destroy_eventset");
        atomic_fetch_add(&calls, 1);
    }
    return NULL;
}

static void beside_calls(void **state)
{
    pthread_t threads[THREADS];
    unsigned random = 1;
    (void)state;
    NEED_RACE_EVENT();
    PAPI_shutdown();
    int descriptors = test_open_descriptors();
    atomic_store(&over, false);
    atomic_store(&calls, 0);
    for (size_t i = 0; i < THREADS; i++)
        threads[i] = race_start(call, (void *)(i + 1));
    for (int round = race_rounds(300); round > 0 || atomic_load(&calls) < 10; round--) {
        test_init();
        for (unsigned i = race_random(&random, 10); i > 0; i--)
            race_compute();
        PAPI_shutdown();
    }
    /* A last life, which lets the threads sweep what they had. */
    test_init();
    atomic_store(&over, true);
    for (int i = 0; i < THREADS; i++)
        race_join(threads[i]);
    PAPI_shutdown();
    nothing_is_left(descriptors);
}

/* ---- others use the high-level interface, whose state a shutdown takes away */

static void *call_rates(void *argument)
{
    long long values[1];
    int code;
    (void)argument;
    while (!atomic_load(&over)) {
        if (PAPI_event_name_to_code(race_event(), &code) != PAPI_OK)
            continue;
        PAPI_start_counters(&code, 1);
        PAPI_read_counters(values, 1);
        PAPI_stop_counters(values, 1);
        atomic_fetch_add(&calls, 1);
    }
    PAPI_stop_counters(values, 1);
    return NULL;
}

static void beside_the_high_level(void **state)
{
    pthread_t threads[THREADS];
    (void)state;
    NEED_RACE_EVENT();
    int descriptors = test_open_descriptors();
    atomic_store(&over, false);
    atomic_store(&calls, 0);
    for (size_t i = 0; i < THREADS; i++)
        threads[i] = race_start(call_rates, NULL);
    for (int round = race_rounds(300); round > 0 || atomic_load(&calls) < 10; round--) {
        test_init();
        race_compute();
        PAPI_shutdown();
    }
    atomic_store(&over, true);
    for (int i = 0; i < THREADS; i++)
        race_join(threads[i]);
    PAPI_shutdown();
    nothing_is_left(descriptors);
}

/* ---- a handler shuts the library down, or stops and destroys the set that it was called for */

static atomic_int shut_by_handlers;

static void shut_down_in_handler(int es, void *address, long long vector, void *context)
{
    (void)es, (void)address, (void)vector, (void)context;
    PAPI_shutdown();
    atomic_fetch_add(&shut_by_handlers, 1);
}

/* True if the thread's set was started and that call is over: in it, a set cannot be emptied. */
static _Thread_local volatile sig_atomic_t started;

static void destroy_in_handler(int es, void *address, long long vector, void *context)
{
    (void)address, (void)vector, (void)context;
    if (!started)
        return;
    if (PAPI_stop(es, NULL) == PAPI_OK)
        OK(PAPI_cleanup_eventset(es));
    OK(PAPI_destroy_eventset(&es));
    atomic_fetch_add(&shut_by_handlers, 1);
}

struct kind {
    PAPI_overflow_handler_t handler;
    int form;
};

/* A handler must not destroy a set that the program is using; it may shut the library down. */
static void *be_shut_by_handler(void *argument)
{
    const struct kind *own = argument;
    int es = test_set(race_event(), NULL), code = PAPI_OK, before = atomic_load(&shut_by_handlers);
    long long values[1];
    OK(PAPI_overflow(es, test_code_of(race_event()), race_threshold(), own->form, own->handler));
    started = 0;
    /* The first overflow may shut the library down before the start returns. */
    code = PAPI_start(es);
    if (own->handler != shut_down_in_handler || code != PAPI_ENOINIT)
        CODE(code, PAPI_OK);
    started = 1;
    while (atomic_load(&shut_by_handlers) == before)
        race_compute();
    CODE(PAPI_read(es, values), own->handler == shut_down_in_handler ? PAPI_ENOINIT : PAPI_ENOEVST);
    test_init();
    OK(PAPI_register_thread());
    es = test_set(race_event(), NULL);
    OK(PAPI_overflow(es, test_code_of(race_event()), race_threshold(), own->form, shut_down_in_handler));
    code = PAPI_start(es); /* as above */
    while (code == PAPI_OK)
        code = PAPI_read(es, values);
    CODE(code, PAPI_ENOINIT);
    return NULL;
}

static void in_handlers(void **state)
{
    struct kind kinds[] = {{shut_down_in_handler, PAPI_OVERFLOW_HARDWARE},
                           {shut_down_in_handler, PAPI_OVERFLOW_FORCE_SW},
                           {destroy_in_handler, PAPI_OVERFLOW_HARDWARE},
                           {destroy_in_handler, PAPI_OVERFLOW_FORCE_SW}};
    (void)state;
    NEED_RACE_EVENT();
    PAPI_shutdown();
    int descriptors = test_open_descriptors();
    for (int i = 0; i < 4; i++) {
        atomic_store(&shut_by_handlers, 0);
        for (int round = race_rounds(30); round > 0; round--) {
            test_init();
            be_shut_by_handler(&kinds[i]);
            test_init();
            race_join(race_start(be_shut_by_handler, &kinds[i]));
        }
        test_init(); /* the main thread sweeps what it closed in a handler */
        OK(PAPI_register_thread());
        PAPI_shutdown();
        nothing_is_left(descriptors);
    }
}

/* ---- a handler is left by a jump */

static sigjmp_buf behind;

static void jump_away(int es, void *address, long long vector, void *context)
{
    (void)es, (void)address, (void)vector, (void)context;
    siglongjmp(behind, 1);
}

/* Event sets are destroyed as before, and their handles used again: there are 65,536 handles. */
static void left_by_a_jump(void **state)
{
    (void)state;
    NEED_RACE_EVENT();
#if defined(__SANITIZE_THREAD__)
    SKIP("ThreadSanitizer holds the signals of a thread that it takes to be in a handler still");
#endif
    int es = test_set(race_event(), NULL), other = PAPI_NULL, code = test_code_of(race_event());
    OK(PAPI_overflow(es, code, race_threshold(), 0, jump_away));
    if (sigsetjmp(behind, 1) == 0) {
        OK(PAPI_start(es));
        for (;;)
            race_compute();
    }
    race_stop(es, NULL);
    for (int i = 0; i < 70000; i++) {
        OK(PAPI_create_eventset(&other));
        OK(PAPI_destroy_eventset(&other));
    }
    PAPI_shutdown();
}

/* Has malloc overwrite freed memory, so that a use of it does not go unnoticed. */
int main(void)
{
    mallopt(M_PERTURB, 0xa5);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(armed_overflows),       cmocka_unit_test(beside_calls),
        cmocka_unit_test(beside_the_high_level), cmocka_unit_test(in_handlers),
        cmocka_unit_test(left_by_a_jump),
    };
    return TEST_RUN(tests);
}

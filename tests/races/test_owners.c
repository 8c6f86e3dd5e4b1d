/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Owners make, start, read, stop and destroy event sets, while intruders call every function with them.
 */
#include "race.h"

#include <sched.h>

enum { OWNERS = 4, INTRUDERS = 4 };

static atomic_int shown[OWNERS]; /* the event set of an owner, or PAPI_NULL */
static atomic_int owners_left;
static atomic_llong intrusions;

/* ---- owners */

static void on_overflow(int es, void *address, long long vector, void *context)
{
    (void)es, (void)address, (void)vector, (void)context;
}

static void count(int es, unsigned *random)
{
    long long before = 0, values[2] = {0};
    OK(PAPI_start(es));
    for (unsigned i = race_random(random, 20); i > 0; i--) {
        OK(PAPI_read(es, values));
        CHECK(values[0] >= before);
        before = values[0];
    }
    OK(PAPI_accum(es, values));
    OK(PAPI_reset(es));
    race_stop(es, values);
}

/* Short rounds may be over before an intruder has had the processor: each owner lets one in first. */
static void await_an_intruder(void)
{
    while (atomic_load(&intrusions) == 0)
        sched_yield();
}

static void *own(void *argument)
{
    unsigned index = (unsigned)(size_t)argument, random = index + 1;
    for (int round = race_rounds(500); round > 0; round--) {
        int es = test_set(race_event(), FAULTS, NULL), forms[] = {0, PAPI_OVERFLOW_FORCE_SW};
        unsigned form = race_random(&random, 4);
        atomic_store(&shown[index], es);
        await_an_intruder();
        if (form < 2)
            OK(PAPI_overflow(es, test_code_of(race_event()), race_threshold(), forms[form], on_overflow));
        count(es, &random);
        OK(PAPI_remove_named_event(es, FAULTS));
        count(es, &random);
        test_drop(es);
    }
    atomic_fetch_sub(&owners_left, 1);
    return NULL;
}

/* ---- intruders */

static int no_attach(int es)
{
    return PAPI_attach(es, 1);
}

static int overflow(int es)
{
    return PAPI_overflow(es, 1, 1, 0, on_overflow);
}

static int start_profile(int es)
{
    unsigned short bucket[8];
    return PAPI_profil(bucket, sizeof bucket, 0, 65536, es, 1, 1, 0);
}

static int overflow_index(int es)
{
    int array[1], n = 1;
    return PAPI_get_overflow_event_index(es, 1, array, &n);
}

static int list(int es)
{
    int codes[2], n = 2;
    return PAPI_list_events(es, codes, &n);
}

static int state(int es)
{
    int status;
    return PAPI_state(es, &status);
}

static int destroy(int es)
{
    return PAPI_destroy_eventset(&es);
}

static int add(int es)
{
    return PAPI_add_event(es, PAPI_TOT_INS);
}

static int add_named(int es)
{
    return PAPI_add_named_event(es, FAULTS);
}

static int add_several(int es)
{
    int codes[] = {PAPI_TOT_INS};
    return PAPI_add_events(es, codes, 1);
}

static int take_out(int es)
{
    return PAPI_remove_event(es, PAPI_TOT_INS);
}

static int take_out_named(int es)
{
    return PAPI_remove_named_event(es, FAULTS);
}

static int take_out_several(int es)
{
    int codes[] = {PAPI_TOT_INS};
    return PAPI_remove_events(es, codes, 1);
}

static int stop(int es)
{
    long long values[8];
    return PAPI_stop(es, values);
}

static int read_set(int es)
{
    long long values[8];
    return PAPI_read(es, values);
}

static int read_at(int es)
{
    long long values[8], cycles;
    return PAPI_read_ts(es, values, &cycles);
}

static int accum(int es)
{
    long long values[8] = {0};
    return PAPI_accum(es, values);
}

static int write_set(int es)
{
    long long values[8] = {0};
    return PAPI_write(es, values);
}

static int bind(int es)
{
    return PAPI_assign_eventset_component(es, 0);
}

static int domain(int es)
{
    PAPI_option_t option = {.domain = {.eventset = es, .domain = PAPI_DOM_USER}};
    return PAPI_set_opt(PAPI_DOMAIN, &option);
}

static int inherit(int es)
{
    PAPI_option_t option = {.inherit = {.eventset = es, .inherit = PAPI_INHERIT_ALL}};
    return PAPI_set_opt(PAPI_INHERIT, &option);
}

static int get_domain(int es)
{
    PAPI_option_t option = {.domain = {.eventset = es}};
    return PAPI_get_opt(PAPI_DOMAIN, &option);
}

static int (*const intrude[])(int es) = {
    PAPI_start,
    stop,
    read_set,
    read_at,
    accum,
    PAPI_reset,
    write_set,
    add,
    add_named,
    add_several,
    take_out,
    take_out_named,
    take_out_several,
    PAPI_cleanup_eventset,
    destroy,
    state,
    list,
    PAPI_num_events,
    bind,
    PAPI_get_eventset_component,
    PAPI_set_multiplex,
    PAPI_get_multiplex,
    no_attach,
    PAPI_detach,
    domain,
    get_domain,
    inherit,
    overflow,
    overflow_index,
    start_profile,
};
enum { WAYS = sizeof intrude / sizeof *intrude };

static void *intrude_all(void *argument)
{
    unsigned random = 1000 + (unsigned)(size_t)argument;
    while (atomic_load(&owners_left) > 0) {
        int es = atomic_load(&shown[race_random(&random, OWNERS)]);
        unsigned way = race_random(&random, WAYS);
        if (es == PAPI_NULL)
            continue;
        int code = intrude[way](es);
        if (code != PAPI_ENOEVST)
            fprintf(stderr, "intrusion %u with event set %d\n", way, es);
        EQUAL(code, PAPI_ENOEVST);
        atomic_fetch_add(&intrusions, 1);
    }
    return NULL;
}

/* Threads that ask for everything that is shared and found on demand. */
static void *ask(void *argument)
{
    (void)argument;
    while (atomic_load(&owners_left) > 0) {
        PAPI_event_info_t info;
        char name[PAPI_MAX_STR_LEN];
        int code = PAPI_NATIVE_MASK, n = 0;
        CHECK(PAPI_get_hardware_info() != NULL);
        CHECK(PAPI_get_component_info(0) != NULL);
        PAPI_get_event_info(PAPI_TOT_INS, &info);
        OK(PAPI_enum_event(&code, PAPI_ENUM_FIRST));
        OK(PAPI_event_code_to_name(code, name));
        OK(PAPI_list_threads(NULL, &n));
        CHECK(PAPI_num_hwctrs() >= 0);
        sched_yield();
    }
    return NULL;
}

static void owners_and_intruders(void **state_of_test)
{
    pthread_t threads[OWNERS + INTRUDERS + 1];
    (void)state_of_test;
    NEED_SOFTWARE_EVENTS();
    int descriptors = test_open_descriptors();
    atomic_store(&owners_left, OWNERS);
    for (int i = 0; i < OWNERS; i++)
        atomic_store(&shown[i], PAPI_NULL);
    for (size_t i = 0; i < OWNERS; i++)
        threads[i] = race_start(own, (void *)i);
    for (size_t i = 0; i < INTRUDERS; i++)
        threads[OWNERS + i] = race_start(intrude_all, (void *)i);
    threads[OWNERS + INTRUDERS] = race_start(ask, NULL);
    for (int i = 0; i < OWNERS + INTRUDERS + 1; i++)
        race_join(threads[i]);
    printf("%lld intrusions\n", atomic_load(&intrusions));
    CHECK(atomic_load(&intrusions) > 0);
    PAPI_shutdown();
    EQUAL(test_open_descriptors(), descriptors);
    EQUAL(race_mappings(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(owners_and_intruders)};
    return TEST_RUN(tests);
}

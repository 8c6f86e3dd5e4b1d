/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The life of event sets, and that each count belongs to its event, with events of the kernel's
 * software whose counts are known.
 */
#include "testing.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* ---- what is in a set */

static void check_list(int es, const int *wanted, int n)
{
    int codes[16], room = 16;
    OK(PAPI_list_events(es, codes, &room));
    EQUAL(room, n);
    EQUAL(PAPI_num_events(es), n);
    for (int i = 0; i < n; i++)
        EQUAL(codes[i], wanted[i]);
}

static void listed_in_the_order_of_adding(void **state)
{
    int wanted[4], codes[4] = {1, 2, 3, 4}, n = 2, es;

    (void)state;
    NEED_SOFTWARE_EVENTS();
    wanted[0] = test_code_of(test_switches());
    wanted[1] = test_code_of(FAULTS);
    wanted[2] = test_code_of(CLOCK);
    wanted[3] = test_code_of(MAJOR);
    es = test_set(test_switches(), NULL);
    EQUAL(PAPI_add_events(es, &wanted[1], 3), PAPI_OK);
    check_list(es, wanted, 4);

    /* A list with less room than events: the rest stays untouched, and the number is that of the events. */
    OK(PAPI_list_events(es, codes, &n));
    EQUAL(n, 4);
    EQUAL(codes[1], wanted[1]);
    EQUAL(codes[2], 3);
    n = 0;
    OK(PAPI_list_events(es, NULL, &n));
    EQUAL(n, 4);
    test_drop(es);
}

static void states(void **state)
{
    int es = PAPI_NULL, now = 0;
    (void)state;
    NEED_SOFTWARE_EVENTS();
    OK(PAPI_create_eventset(&es));
    EQUAL(PAPI_num_events(es), 0);
    OK(PAPI_state(es, &now));
    CHECK(now & PAPI_STOPPED);
    OK(PAPI_add_named_event(es, CLOCK));
    EQUAL(PAPI_get_eventset_component(es), 0);
    OK(PAPI_start(es));
    OK(PAPI_state(es, &now));
    EQUAL(now, PAPI_RUNNING);
    OK(PAPI_stop(es, NULL));
    OK(PAPI_state(es, &now));
    EQUAL(now, PAPI_STOPPED);
    test_drop(es);
}

/* Adding by name, by code and in an array is one thing. */
static void names_and_codes_are_one(void **state)
{
    int es, code, codes[2];
    (void)state;
    NEED_SOFTWARE_EVENTS();
    code = test_code_of(FAULTS);
    es = test_set(FAULTS, NULL);
    CODE(PAPI_add_event(es, code), PAPI_EINVAL);
    OK(PAPI_remove_event(es, code));
    OK(PAPI_add_event(es, code));
    CODE(PAPI_add_named_event(es, FAULTS), PAPI_EINVAL);
    OK(PAPI_remove_named_event(es, FAULTS));
    EQUAL(PAPI_num_events(es), 0);
    codes[0] = code;
    codes[1] = test_code_of(CLOCK);
    OK(PAPI_add_events(es, codes, 2));
    OK(PAPI_remove_events(es, codes, 2));
    EQUAL(PAPI_num_events(es), 0);
    OK(PAPI_destroy_eventset(&es));
}

/* ---- counts */

static void counts_page_faults(void **state)
{
    long long value = -1;
    int es;
    (void)state;
    NEED_SOFTWARE_EVENTS();
    es = test_set(FAULTS, NULL);
    test_touch_pages(1);
    for (int n = 1; n <= 1000; n *= 10) {
        OK(PAPI_start(es));
        test_touch_pages(n);
        OK(PAPI_stop(es, &value));
        COUNTED(value, n);
    }
    test_drop(es);
}

/* Faults, switches and CPU time, each in its place. */
static void check_places(const char *const *names, const long long *values, int n)
{
    for (int i = 0; i < n; i++) {
        if (strcmp(names[i], FAULTS) == 0 || strcmp(names[i], MINOR) == 0)
            COUNTED(values[i], 300);
        else if (strcmp(names[i], SWITCHES) == 0)
            CHECK(values[i] >= 10 && values[i] < 200); /* a sleep may end before the thread has left */
        else if (strcmp(names[i], CLOCK) == 0 || strcmp(names[i], "perf::CPU-CLOCK") == 0)
            CHECK(values[i] >= 2000000 && values[i] < 10000000000);
        else
            CHECK(values[i] >= 0 && values[i] < 20); /* major faults */
    }
}

static void known_work(void)
{
    test_touch_pages(300);
    test_sleep(20);
    test_burn(2000000);
}

static void run_and_check(int es, const char *const *names, int n)
{
    long long values[8];
    memset(values, 0x55, sizeof values);
    OK(PAPI_start(es));
    known_work();
    OK(PAPI_stop(es, values));
    check_places(names, values, n);
    EQUAL(values[n], 0x5555555555555555); /* no count more than there are events */
}

static void removed_events_take_their_counts_along(void **state)
{
    const char *all[5] = {NULL, FAULTS, CLOCK, MINOR, MAJOR};
    (void)state;
    NEED_SOFTWARE_EVENTS();
    all[0] = test_switches();
    for (int gone = 0; gone < 5; gone++) {
        const char *left[5];
        int es = test_set(all[0], all[1], all[2], all[3], all[4], NULL), n = 0;

        run_and_check(es, all, 5);
        OK(PAPI_remove_named_event(es, all[gone]));
        for (int i = 0; i < 5; i++)
            if (i != gone)
                left[n++] = all[i];
        run_and_check(es, left, 4);
        OK(PAPI_add_named_event(es, all[gone])); /* comes back at the end */
        left[4] = all[gone];
        run_and_check(es, left, 5);
        test_drop(es);
    }
}

/* Removing the first of a kernel group is removing its leader. */
static void removed_one_by_one_and_refilled(void **state)
{
    const char *names[3] = {FAULTS, NULL, CLOCK};
    int es;
    (void)state;
    NEED_SOFTWARE_EVENTS();
    names[1] = test_switches();
    es = test_set(names[0], names[1], names[2], NULL);
    for (int i = 0; i < 3; i++) {
        run_and_check(es, &names[i], 3 - i);
        OK(PAPI_remove_named_event(es, names[i]));
    }
    CODE(PAPI_start(es), PAPI_EINVAL);
    for (int i = 0; i < 3; i++)
        OK(PAPI_add_named_event(es, names[i]));
    run_and_check(es, names, 3);
    test_drop(es);
}

/* Counts of the remaining events survive a change of the set. */
static void changing_a_stopped_set_keeps_counts(void **state)
{
    long long values[3] = {-1, -1, -1};
    int es;
    (void)state;
    NEED_SOFTWARE_EVENTS();
    es = test_set(MAJOR, FAULTS, NULL);
    OK(PAPI_start(es));
    test_touch_pages(100);
    OK(PAPI_stop(es, NULL));
    OK(PAPI_add_named_event(es, CLOCK));
    OK(PAPI_remove_named_event(es, MAJOR));
    OK(PAPI_read(es, values));
    COUNTED(values[0], 100);
    EQUAL(values[1], 0);
    EQUAL(values[2], -1);
    test_drop(es);
}

static void read_accum_reset_stop(void **state)
{
    long long values[2] = {-1, -1}, sum[2] = {1000000, 5};
    int es;
    (void)state;
    NEED_SOFTWARE_EVENTS();
    es = test_set(FAULTS, MAJOR, NULL);
    OK(PAPI_start(es));
    test_touch_pages(100);
    OK(PAPI_read(es, values));
    COUNTED(values[0], 100);
    test_touch_pages(100);
    OK(PAPI_read(es, values)); /* reading zeroes nothing */
    COUNTED(values[0], 200);
    OK(PAPI_accum(es, sum));
    COUNTED(sum[0], 1000200);
    test_touch_pages(50);
    OK(PAPI_accum(es, sum)); /* accumulating does */
    COUNTED(sum[0], 1000250);
    CHECK(sum[1] >= 5);
    test_touch_pages(50);
    OK(PAPI_reset(es));
    OK(PAPI_read(es, values));
    COUNTED(values[0], 0);
    test_touch_pages(70);
    OK(PAPI_stop(es, values));
    COUNTED(values[0], 70);
    test_drop(es);
}

static void stopped_sets_keep_their_counts(void **state)
{
    long long stopped[1], value[1] = {-1};
    int es;
    (void)state;
    NEED_SOFTWARE_EVENTS();
    es = test_set(FAULTS, NULL);
    OK(PAPI_read(es, value)); /* never started */
    EQUAL(value[0], 0);
    OK(PAPI_start(es));
    test_touch_pages(30);
    OK(PAPI_stop(es, stopped));
    test_touch_pages(200);
    OK(PAPI_read(es, value));
    EQUAL(value[0], stopped[0]);
    OK(PAPI_read(es, value));
    EQUAL(value[0], stopped[0]);
    OK(PAPI_accum(es, value)); /* adds and zeroes, stopped too */
    EQUAL(value[0], 2 * stopped[0]);
    OK(PAPI_read(es, value));
    EQUAL(value[0], 0);
    OK(PAPI_start(es));
    test_touch_pages(10);
    OK(PAPI_stop(es, value));
    COUNTED(value[0], 10); /* a start begins at zero */
    OK(PAPI_reset(es));
    OK(PAPI_read(es, value));
    EQUAL(value[0], 0);
    test_drop(es);
}

static void written_counts_count_on(void **state)
{
    long long values[2] = {5000, 1LL << 60}, got[2] = {0, 0};
    int es;
    (void)state;
    NEED_SOFTWARE_EVENTS();
    es = test_set(FAULTS, MAJOR, NULL);
    OK(PAPI_write(es, values));
    OK(PAPI_read(es, got));
    EQUAL(got[0], 5000);
    EQUAL(got[1], 1LL << 60);
    OK(PAPI_start(es));
    OK(PAPI_read(es, got));
    COUNTED(got[0], 0);
    test_touch_pages(40);
    values[0] = -10;
    OK(PAPI_write(es, values)); /* running */
    test_touch_pages(60);
    OK(PAPI_stop(es, got));
    COUNTED(got[0], 50);
    CHECK(got[1] >= 1LL << 60);
    OK(PAPI_write(es, values));
    OK(PAPI_read(es, got));
    EQUAL(got[0], -10);
    test_drop(es);
}

static void time_stamps_grow(void **state)
{
    long long before, after, last = 0, now = 0, value = -1, previous = 0;
    int es;
    (void)state;
    NEED_SOFTWARE_EVENTS();
    es = test_set(FAULTS, NULL);
    OK(PAPI_start(es));
    before = PAPI_get_real_cyc();
    last = before;
    for (int i = 0; i < 1000; i++) {
        OK(PAPI_read_ts(es, &value, &now));
        CHECK(now >= last);
        CHECK(value >= previous);
        last = now;
        previous = value;
    }
    after = PAPI_get_real_cyc();
    CHECK(now <= after);
    CHECK(now > before);
    test_drop(es);
}

static void two_sets_run_at_once(void **state)
{
    long long a[1], b[2];
    int first, second;
    (void)state;
    NEED_SOFTWARE_EVENTS();
    first = test_set(FAULTS, NULL);
    second = test_set(CLOCK, FAULTS, NULL);
    OK(PAPI_start(first));
    test_touch_pages(100);
    OK(PAPI_start(second));
    test_touch_pages(100);
    OK(PAPI_stop(first, a));
    test_touch_pages(100);
    OK(PAPI_read(second, b));
    COUNTED(a[0], 200);
    COUNTED(b[1], 200);
    OK(PAPI_reset(second)); /* one's base is not the other's */
    OK(PAPI_read(first, a));
    COUNTED(a[0], 200);
    OK(PAPI_stop(second, b));
    COUNTED(b[1], 0);
    test_drop(first);
    test_drop(second);
}

/* ---- domains */

static void domain_of_a_set(void **state)
{
    PAPI_option_t option;
    long long value = -1;
    int es;
    (void)state;
    NEED_SOFTWARE_EVENTS();
    es = test_set(FAULTS, MAJOR, NULL);
    memset(&option, 0, sizeof option);
    option.domain.eventset = es;
    OK(PAPI_get_opt(PAPI_DOMAIN, &option));
    EQUAL(option.domain.domain, PAPI_DOM_USER);
    option.domain.eventset = es;
    option.domain.domain = PAPI_DOM_USER | PAPI_DOM_KERNEL;
    if (PAPI_set_opt(PAPI_DOMAIN, &option) == PAPI_EPERM) {
        test_drop(es);
        SKIP("%s", PAPI_strerror(PAPI_EPERM));
    }
    option.domain.domain = 0;
    OK(PAPI_get_opt(PAPI_DOMAIN, &option));
    EQUAL(option.domain.domain, PAPI_DOM_USER | PAPI_DOM_KERNEL);
    OK(PAPI_remove_named_event(es, MAJOR));
    OK(PAPI_start(es));
    test_touch_pages(100);
    OK(PAPI_stop(es, &value));
    COUNTED(value, 100);
    test_drop(es);
}

/* The thread's context switches as the kernel's accounts have them. */
static long long switches(void)
{
    struct rusage usage;
    EQUAL(getrusage(RUSAGE_THREAD, &usage), 0);
    return usage.ru_nvcsw + usage.ru_nivcsw;
}

/* Context switches happen in the kernel and are counted in the user domain all the same. */
static void kernel_events_in_the_user_domain(void **state)
{
    long long value = -1, outer, inner;
    int es;
    (void)state;
    NEED_SOFTWARE_EVENTS();
    if (PAPI_query_named_event(SWITCHES) == PAPI_EPERM)
        SKIP("context switches: %s", PAPI_strerror(PAPI_EPERM));
    es = test_set(SWITCHES, NULL);
    outer = switches();
    OK(PAPI_start(es));
    inner = switches();
    test_sleep(50);
    inner = switches() - inner;
    OK(PAPI_stop(es, &value));
    outer = switches() - outer;
    CHECK(inner > 0);
    CHECK(value >= inner);
    CHECK(value <= outer);
    test_drop(es);
}

static void default_domain_is_of_new_sets(void **state)
{
    PAPI_option_t option;
    int old, new;
    (void)state;
    NEED_SOFTWARE_EVENTS();
    old = test_set(FAULTS, NULL);
    OK(PAPI_set_domain(PAPI_DOM_USER | PAPI_DOM_KERNEL));
    EQUAL(PAPI_get_opt(PAPI_DEFDOM, NULL), PAPI_DOM_USER | PAPI_DOM_KERNEL);
    new = PAPI_NULL;
    OK(PAPI_create_eventset(&new));
    memset(&option, 0, sizeof option);
    option.domain.eventset = new;
    OK(PAPI_get_opt(PAPI_DOMAIN, &option));
    EQUAL(option.domain.domain, PAPI_DOM_USER | PAPI_DOM_KERNEL);
    option.domain.eventset = old;
    OK(PAPI_get_opt(PAPI_DOMAIN, &option));
    EQUAL(option.domain.domain, PAPI_DOM_USER);
    OK(PAPI_set_domain(PAPI_DOM_USER));
    test_drop(old);
    test_drop(new);
}

/* ---- many */

static void many_rounds_leave_no_descriptors(void **state)
{
    int before;
    (void)state;
    NEED_SOFTWARE_EVENTS();
    test_drop(test_set(FAULTS, CLOCK, NULL)); /* what is opened once and kept is not a leak */
    before = test_open_descriptors();
    for (int i = 0; i < 3000; i++) {
        int es = test_set(FAULTS, CLOCK, NULL);

        OK(PAPI_start(es));
        OK(PAPI_stop(es, NULL));
        test_drop(es);
    }
    EQUAL(test_open_descriptors(), before);
}

static void failed_calls_leave_no_descriptors(void **state)
{
    int es, before;
    (void)state;
    NEED_SOFTWARE_EVENTS();
    es = test_set(FAULTS, NULL);
    before = test_open_descriptors();
    for (int i = 0; i < 200; i++) {
        CODE(PAPI_add_named_event(es, FAULTS), PAPI_EINVAL);
        CODE(PAPI_add_named_event(es, "perf::NONSENSE"), PAPI_ENOEVNT);
        CODE(PAPI_add_named_event(es, "PAPI_CA_SNP"), PAPI_query_event(PAPI_CA_SNP));
        OK(PAPI_add_named_event(es, CLOCK));
        OK(PAPI_remove_named_event(es, CLOCK));
    }
    EQUAL(test_open_descriptors(), before);
    test_drop(es);
}

enum { ALIVE = 1000 };

static void a_thousand_sets_alive(void **state)
{
    static int es[ALIVE];
    int before, limit;
    (void)state;
    NEED_SOFTWARE_EVENTS();
    before = test_open_descriptors();
    limit = (int)sysconf(_SC_OPEN_MAX) - before - 8;
    for (int i = 0; i < ALIVE; i++) {
        es[i] = PAPI_NULL;
        OK(PAPI_create_eventset(&es[i]));
        for (int j = 0; j < i; j++)
            CHECK(es[j] != es[i]);
    }
    /* As many counters as the process may have files. */
    for (int i = 0; i < ALIVE && i < limit; i++)
        OK(PAPI_add_named_event(es[i], FAULTS));
    OK(PAPI_start(es[0]));
    OK(PAPI_start(es[1]));
    test_touch_pages(100);
    for (int i = 0; i < 2; i++) {
        long long value = -1;

        OK(PAPI_stop(es[i], &value));
        COUNTED(value, 100);
    }
    for (int i = 0; i < ALIVE; i += 2)
        test_drop(es[i]);
    for (int i = 1; i < ALIVE; i += 2)
        test_drop(es[i]);
    EQUAL(test_open_descriptors(), before);
}

/* The n-th spelling of an event's name: libpfm4 reads capitals and small letters alike, and each
 * spelling is an event of its own. */
static void spell(char *name, size_t size, unsigned n)
{
    snprintf(name, size, "%s", FAULTS);
    for (char *at = name + strlen("perf::"); *at; at++) {
        if (!isalpha((unsigned char)*at))
            continue;
        if (n & 1)
            *at = (char)tolower((unsigned char)*at);
        n >>= 1;
    }
}

/* Adds spellings until one is refused; returns the code. */
static int fill(int es, int *added)
{
    char name[PAPI_MAX_STR_LEN];
    int error = PAPI_OK;
    for (*added = 0; error == PAPI_OK; ++*added) {
        CHECK(*added < 1000);
        spell(name, sizeof name, (unsigned)*added + 1);
        error = PAPI_add_named_event(es, name);
    }
    --*added;
    return error;
}

static void full_sets_lose_nothing(void **state)
{
    long long values[1024];
    int es, added, before;
    (void)state;
    NEED_SOFTWARE_EVENTS();
    es = test_set(FAULTS, NULL);
    CODE(fill(es, &added), PAPI_ECNFLCT);
    EQUAL(PAPI_num_events(es), added + 1);
    before = test_open_descriptors();
    CODE(PAPI_add_named_event(es, CLOCK), PAPI_ECNFLCT);
    EQUAL(test_open_descriptors(), before);
    OK(PAPI_start(es));
    test_touch_pages(100);
    OK(PAPI_stop(es, values));
    for (int i = 0; i <= added; i++)
        EQUAL(values[i], values[0]); /* one group: all count the same faults */
    COUNTED(values[0], 100);
    OK(PAPI_remove_named_event(es, FAULTS));
    OK(PAPI_add_named_event(es, CLOCK)); /* there is room again */
    OK(PAPI_start(es));
    test_touch_pages(100);
    OK(PAPI_stop(es, values));
    COUNTED(values[0], 100);
    CHECK(values[added] > 0);
    test_drop(es);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(listed_in_the_order_of_adding),
        cmocka_unit_test(states),
        cmocka_unit_test(names_and_codes_are_one),
        cmocka_unit_test(counts_page_faults),
        cmocka_unit_test(removed_events_take_their_counts_along),
        cmocka_unit_test(removed_one_by_one_and_refilled),
        cmocka_unit_test(changing_a_stopped_set_keeps_counts),
        cmocka_unit_test(read_accum_reset_stop),
        cmocka_unit_test(stopped_sets_keep_their_counts),
        cmocka_unit_test(written_counts_count_on),
        cmocka_unit_test(time_stamps_grow),
        cmocka_unit_test(two_sets_run_at_once),
        cmocka_unit_test(domain_of_a_set),
        cmocka_unit_test(kernel_events_in_the_user_domain),
        cmocka_unit_test(default_domain_is_of_new_sets),
        cmocka_unit_test(many_rounds_leave_no_descriptors),
        cmocka_unit_test(failed_calls_leave_no_descriptors),
        cmocka_unit_test(a_thousand_sets_alive),
        cmocka_unit_test(full_sets_lose_nothing),
    };

    return TEST_RUN(tests);
}

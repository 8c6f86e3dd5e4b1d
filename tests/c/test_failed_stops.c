/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Stops that fail because the counters cannot be switched or read: the set has no counts until its next
 * start, and those of that are of what was done since, alone.
 */
#include "testing.h"

#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

enum { BEFORE = 100, AFTER = 10 };

enum { MOST_FILES = 64 };

static int kept[MOST_FILES]; /* the counters by their descriptors, while others have those; 0: none */

static bool is_counter(int fd)
{
    char path[64], target[64] = "";
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    return readlink(path, target, sizeof target - 1) > 0 && strstr(target, "perf_event") != NULL;
}

/* Puts files that are no counters in the place of all that are. */
static void hide_counters(void)
{
    int other = open("/dev/null", O_RDWR), n = 0;
    for (int fd = 0; fd < MOST_FILES; fd++) {
        kept[fd] = is_counter(fd) ? fcntl(fd, F_DUPFD_CLOEXEC, MOST_FILES) : 0;
        if (kept[fd] > 0)
            n += dup2(other, fd) == fd;
    }
    close(other);
    CHECK(n > 0);
}

static void show_counters(void)
{
    for (int fd = 0; fd < MOST_FILES; fd++)
        if (kept[fd] > 0) {
            dup2(kept[fd], fd);
            close(kept[fd]);
        }
}

/* A run as it should be, which also binds functions and touches what they need. */
static void settle(int es)
{
    long long value;
    OK(PAPI_start(es));
    test_touch_pages(BEFORE);
    OK(PAPI_stop(es, &value));
    COUNTED(value, BEFORE);
}

static void stop_in_vain(int es)
{
    long long value = -1;
    OK(PAPI_start(es));
    test_touch_pages(BEFORE);
    hide_counters();
    int code = PAPI_stop(es, &value);
    show_counters();
    EQUAL(code, PAPI_ESYS);
    EQUAL(value, -1);
    CODE(PAPI_stop(es, &value), PAPI_ENOTRUN);
    CODE(PAPI_read(es, &value), PAPI_ECNFLCT);
}

static void check(int es)
{
    long long value = -1, sum = 1000;
    settle(es);
    stop_in_vain(es);
    OK(PAPI_start(es));
    test_touch_pages(AFTER);
    OK(PAPI_read(es, &value));
    COUNTED(value, AFTER);
    OK(PAPI_stop(es, &value));
    COUNTED(value, AFTER);
    stop_in_vain(es);
    OK(PAPI_reset(es));
    OK(PAPI_read(es, &value));
    EQUAL(value, 0);
    OK(PAPI_start(es));
    test_touch_pages(AFTER);
    OK(PAPI_accum(es, &sum));
    COUNTED(sum, 1000 + AFTER);
    OK(PAPI_stop(es, &value));
    test_drop(es);
}

static int empty_set(void)
{
    int es = PAPI_NULL;
    OK(PAPI_create_eventset(&es));
    OK(PAPI_assign_eventset_component(es, 0));
    return es;
}

static void plain(void **state)
{
    (void)state;
    NEED_SOFTWARE_EVENTS();
    check(test_set(FAULTS, NULL));
}

static void multiplexed(void **state)
{
    (void)state;
    NEED_SOFTWARE_EVENTS();
    int es = empty_set();
    OK(PAPI_set_multiplex(es));
    OK(PAPI_add_named_event(es, FAULTS));
    check(es);
}

static void inherited(void **state)
{
    PAPI_option_t option = {0};
    (void)state;
    NEED_SOFTWARE_EVENTS();
    int es = empty_set();
    option.inherit.eventset = es;
    option.inherit.inherit = PAPI_INHERIT_ALL;
    OK(PAPI_set_opt(PAPI_INHERIT, &option));
    OK(PAPI_add_named_event(es, FAULTS));
    check(es);
}

static void attached(void **state)
{
    (void)state;
    NEED_SOFTWARE_EVENTS();
    int es = test_set(FAULTS, NULL);
    OK(PAPI_attach(es, (unsigned long)getpid()));
    check(es);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain),
        cmocka_unit_test(multiplexed),
        cmocka_unit_test(inherited),
        cmocka_unit_test(attached),
    };
    return TEST_RUN(tests);
}

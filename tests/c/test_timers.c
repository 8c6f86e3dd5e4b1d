/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

typedef long long timer(void);

static timer *const timers[] = {PAPI_get_real_cyc, PAPI_get_real_usec, PAPI_get_real_nsec,
                                PAPI_get_virt_cyc, PAPI_get_virt_usec, PAPI_get_virt_nsec};

static void check_growing(void)
{
    for (size_t i = 0; i < sizeof timers / sizeof *timers; i++) {
        long long first = timers[i](), last = first;

        CHECK(first > 0);
        for (int n = 0; n < 100000 && (n < 1000 || last == first); n++) {
            long long now = timers[i]();

            CHECK(now >= last);
            last = now;
        }
        CHECK(last > first);
    }
}

static void before_initialisation(void **state)
{
    (void)state;
    EQUAL(PAPI_is_initialized(), PAPI_NOT_INITED);
    check_growing();
    EQUAL(PAPI_is_initialized(), PAPI_NOT_INITED);
}

static void they_only_grow(void **state)
{
    (void)state;
    test_init();
    check_growing();
}

/* The initialisation does not set the clocks: a difference across it is a time too. */
static void one_clock_across_initialisations(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof timers / sizeof *timers; i++) {
        long long before, within, after;

        PAPI_shutdown();
        before = timers[i]();
        test_init();
        within = timers[i]();
        PAPI_shutdown();
        after = timers[i]();
        CHECK(before <= within && within <= after);
    }
}

static void near(double got, double wanted, double part)
{
    if (got < wanted * (1 - part) || got > wanted * (1 + part))
        fprintf(stderr, "# %g is not near %g\n", got, wanted);
    CHECK(got >= wanted * (1 - part) && got <= wanted * (1 + part));
}

struct times {
    long long cyc, usec, nsec;
};

/* Three clocks cannot be read at once, and the thread may lose the processor in between: the reading
 * that took least time counts. */
static struct times read_clocks(long long (*cyc)(void), long long (*usec)(void), long long (*nsec)(void))
{
    struct times best = {0, 0, 0};
    long long least = -1;
    for (int i = 0; i < 20; i++) {
        long long before = PAPI_get_real_nsec();
        struct times now = {cyc(), usec(), nsec()};
        long long took = PAPI_get_real_nsec() - before;

        if (least < 0 || took < least) {
            least = took;
            best = now;
        }
    }
    return best;
}

static void clocks_agree(long long (*cyc)(void), long long (*usec)(void), long long (*nsec)(void), int mhz)
{
    struct times start = read_clocks(cyc, usec, nsec), end;
    test_burn(50000000);
    end = read_clocks(cyc, usec, nsec);
    near((double)(end.nsec - start.nsec), (double)(end.usec - start.usec) * 1e3, 0.01);
    near((double)(end.cyc - start.cyc), (double)(end.usec - start.usec) * mhz, 0.03); /* mhz is whole */
}

static void units_agree(void **state)
{
    int mhz;
    (void)state;
    test_init();
    mhz = PAPI_get_hardware_info()->clock_mhz;
    CHECK(mhz > 0);
    clocks_agree(PAPI_get_real_cyc, PAPI_get_real_usec, PAPI_get_real_nsec, mhz);
    clocks_agree(PAPI_get_virt_cyc, PAPI_get_virt_usec, PAPI_get_virt_nsec, mhz);
}

static long long clock_nsec(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static void as_the_kernel_says(void **state)
{
    long long before, value, after;
    (void)state;
    before = clock_nsec(CLOCK_MONOTONIC);
    value = PAPI_get_real_nsec();
    after = clock_nsec(CLOCK_MONOTONIC);
    CHECK(before <= value && value <= after);
    value = PAPI_get_real_usec();
    CHECK(after / 1000 <= value && value <= clock_nsec(CLOCK_MONOTONIC) / 1000);
    test_burn(5000000);
    before = clock_nsec(CLOCK_THREAD_CPUTIME_ID);
    value = PAPI_get_virt_nsec();
    after = clock_nsec(CLOCK_THREAD_CPUTIME_ID);
    CHECK(before <= value && value <= after);
}

static void sleeping_is_real_not_virtual(void **state)
{
    struct timespec moment = {0, 100000000};
    long long real = PAPI_get_real_usec(), virt = PAPI_get_virt_usec();
    (void)state;
    nanosleep(&moment, NULL);
    CHECK(PAPI_get_real_usec() - real >= 100000);
    CHECK(PAPI_get_virt_usec() - virt < 50000);
}

static void *young(void *argument)
{
    *(long long *)argument = PAPI_get_virt_usec();
    return NULL;
}

/* CPU time is that of the thread, not of the process. */
static void virtual_time_is_the_threads(void **state)
{
    long long usec = -1;
    pthread_t thread;
    (void)state;
    test_burn(200000000);
    CHECK(PAPI_get_virt_usec() >= 200000);
    EQUAL(pthread_create(&thread, NULL, young, &usec), 0);
    pthread_join(thread, NULL);
    CHECK(usec >= 0 && usec < 100000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(before_initialisation),
        cmocka_unit_test(they_only_grow),
        cmocka_unit_test(one_clock_across_initialisations),
        cmocka_unit_test(units_agree),
        cmocka_unit_test(as_the_kernel_says),
        cmocka_unit_test(sleeping_is_real_not_virtual),
        cmocka_unit_test(virtual_time_is_the_threads),
    };

    return TEST_RUN(tests);
}

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * First calls in constructors, last calls in exit handlers and destructors, after those of libpapi too,
 * while another thread computes with an armed overflow. The status is 1 unless edges_library.c, which comes
 * last, makes it 0.
 */
#include "edges.h"
#include "papi.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int calls;

static void on_overflow(int es, void *address, long long vector, void *context)
{
    long long value;
    (void)address, (void)vector, (void)context;
    PAPI_read(es, &value);
    atomic_fetch_add(&calls, 1);
}

static void *count_to_the_end(void *argument)
{
    int es = PAPI_NULL, code;
    (void)argument;
    edges_check(PAPI_create_eventset(&es) == PAPI_OK, "PAPI_create_eventset in a thread");
    edges_check(PAPI_add_named_event(es, "perf::CPU-CLOCK") == PAPI_OK, "PAPI_add_named_event in a thread");
    edges_check(PAPI_event_name_to_code("perf::CPU-CLOCK", &code) == PAPI_OK, "PAPI_event_name_to_code");
    edges_check(PAPI_overflow(es, code, 100000, 0, on_overflow) == PAPI_OK, "PAPI_overflow");
    edges_check(PAPI_start(es) == PAPI_OK, "PAPI_start in a thread");
    while (atomic_load(&calls) >= 0)
        ;
    return NULL;
}

static __attribute__((constructor)) void program_begins(void)
{
    edges_step(PROGRAM_BEGAN);
    edges_use("program's constructor");
}

static void at_exit(void)
{
    edges_step(EXIT_HANDLER_RAN);
    edges_use("exit handler");
}

static __attribute__((destructor)) void program_ends(void)
{
    edges_step(PROGRAM_ENDED);
    edges_use("program's destructor");
}

int main(void)
{
    pthread_t thread;
    edges_step(MAIN_RAN);
    edges_use("main");
    edges_check(atexit(at_exit) == 0, "atexit");
    edges_check(pthread_create(&thread, NULL, count_to_the_end, NULL) == 0, "pthread_create");
    while (atomic_load(&calls) == 0)
        sched_yield();
    return 1;
}

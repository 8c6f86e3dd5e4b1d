/* SPDX-License-Identifier: BSD-3-Clause */
#include "openmp.h"

#include "base/seconds.h"
#include "base/trust.h"
#include "report.h"

#include <string.h>

struct openmp openmp = {.lock = PTHREAD_MUTEX_INITIALIZER};

struct openmp_thread *openmp_thread(void)
{
    static _Thread_local struct openmp_thread thread;
    return &thread;
}

static void begin(void)
{
    openmp.begin = nsec_of(CLOCK_MONOTONIC);
    openmp.first = pthread_self();
    atomic_fetch_add(&openmp.process, 1); /* a thread's object begins as of none */
}

/* The child has none of its parent's threads and counters, and reports what it does itself. What the parent
 * had noted stays in memory: a region that is open is left by pointers to it. */
static void in_child(void)
{
    uint32_t process = atomic_load(&openmp.process);
    char runtime[RUNTIME_NAME];
    uint32_t missing = openmp.missing;
    memcpy(runtime, openmp.runtime, sizeof runtime);
    memset(&openmp, 0, sizeof openmp);
    pthread_mutex_init(&openmp.lock, NULL);
    memcpy(openmp.runtime, runtime, sizeof runtime);
    openmp.missing = missing;
    openmp.active = true;
    atomic_store(&openmp.process, process);
    begin();
}

static __attribute__((constructor)) void at_begin(void)
{
    openmp.active = trust_environment();
    if (!openmp.active)
        return;
    begin();
    pthread_atfork(NULL, NULL, in_child);
}

/* When the library is unloaded, so that regions of the program's own atexit functions are included. */
static __attribute__((destructor)) void at_end(void)
{
    if (openmp.active && atomic_load(&openmp.places.n) > 0)
        report_process();
}

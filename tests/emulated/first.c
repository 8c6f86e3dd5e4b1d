/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A program that is linked as most are: the dynamic linker looks for a function when it is called first. What
 * that executes is not the program's, so that each call around nothing counts the same from the first one on.
 * Linked with -z lazy. Nothing of PAPI may be called twice before its turn.
 */
#include "papi.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAX_EVENTS = 40, SKIPPED = 77 };

static int wrong;

/* The compiler shall not know how many turns there are: it would make some of them from other instructions.
 */
static volatile int two = 2, three = 3;

static void need(int code, const char *what)
{
    if (code == PAPI_OK)
        return;
    fprintf(stderr, "%s: %s\n", what, PAPI_strerror(code));
    exit(1);
}

/* All events that count here without simulated caches. */
static int all_events(int es)
{
    int code = PAPI_NATIVE_MASK, where = PAPI_get_component_index("emulated");
    need(PAPI_enum_cmp_event(&code, PAPI_ENUM_FIRST, where), "PAPI_enum_cmp_event");
    do {
        if (PAPI_query_event(code) == PAPI_OK)
            need(PAPI_add_event(es, code), "PAPI_add_event");
    } while (PAPI_enum_cmp_event(&code, PAPI_ENUM_EVENTS, where) == PAPI_OK);
    int n = PAPI_num_events(es);
    if (n < 20 || n > MAX_EVENTS)
        wrong++;
    return n;
}

static void compare(const char *what, const long long *first, const long long *second, int n)
{
    for (int i = 0; i < n; i++)
        if (first[i] != second[i]) {
            printf("%s: event %d: %lld the first time, then %lld\n", what, i, first[i], second[i]);
            wrong++;
        }
    if (second[0] <= 0 || second[0] > 2000)
        wrong += printf("%s: %lld instructions\n", what, second[0]);
}

static void start_and_stop(const char *what, int es, int n)
{
    long long values[2][MAX_EVENTS];
    for (int i = 0; i < two; i++) {
        PAPI_start(es);
        PAPI_stop(es, values[i]);
    }
    compare(what, values[0], values[1], n);
}

static void other_calls(int es, int n)
{
    long long read[3][MAX_EVENTS], reset[2][MAX_EVENTS], sums[3][MAX_EVENTS] = {{0}};
    PAPI_start(es);
    for (int i = 0; i < three; i++)
        PAPI_read(es, read[i]);
    for (int i = 0; i < two; i++) {
        PAPI_reset(es);
        PAPI_read(es, reset[i]);
    }
    for (int i = 0; i < three; i++) /* the first of them adds what was counted since the reset */
        PAPI_accum(es, sums[i]);
    PAPI_stop(es, NULL);
    for (int i = 0; i < n; i++) {
        read[2][i] -= read[1][i];
        read[1][i] -= read[0][i];
    }
    compare("PAPI_read", read[1], read[2], n);
    compare("PAPI_reset", reset[0], reset[1], n);
    compare("PAPI_accum", sums[1], sums[2], n);
}

static void *in_thread(void *unused)
{
    int es = PAPI_NULL;
    (void)unused;
    need(PAPI_create_eventset(&es), "PAPI_create_eventset");
    start_and_stop("in a thread", es, all_events(es));
    return NULL;
}

static void in_child(void)
{
    int status = 1;
    pid_t child = fork();
    if (child == 0) {
        need(PAPI_library_init(PAPI_VER_CURRENT) == PAPI_VER_CURRENT ? PAPI_OK : PAPI_EINVAL, "the child's");
        in_thread(NULL);
        exit(wrong != 0);
    }
    waitpid(child, &status, 0);
    wrong += status != 0;
}

int main(void)
{
    int es = PAPI_NULL;
    pthread_t thread;
    if (PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT)
        return 1;
    if (PAPI_query_named_event("emu::INSTRUCTIONS") != PAPI_OK) {
        printf("SKIP: %s\n", PAPI_strerror(PAPI_ENOCMP));
        return SKIPPED;
    }
    need(PAPI_thread_init(pthread_self), "PAPI_thread_init");
    need(PAPI_create_eventset(&es), "PAPI_create_eventset");
    int n = all_events(es);
    start_and_stop("PAPI_start and PAPI_stop", es, n);
    other_calls(es, n);
    if (pthread_create(&thread, NULL, in_thread, NULL) != 0)
        return 1;
    pthread_join(thread, NULL);
    in_child();
    printf("%d events, %d differences\n", n, wrong);
    return wrong != 0;
}

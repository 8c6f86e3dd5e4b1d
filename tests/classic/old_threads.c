/* SPDX-License-Identifier: BSD-3-Clause
 *
 * PAPI 3.5: the pages on threads.
 */
#include "program.h"

#include <pthread.h>

typedef struct {
    int EventSet;
    long_long count;
} State;

#ifdef __cplusplus
static unsigned long own_number(void)
{
    return (unsigned long)pthread_self();
}
#endif

static void *count(void *argument)
{
    State *state = NULL;
    int retval;
    (void)argument;
    OK(PAPI_register_thread()); /* PAPI_register_thread */
    /* PAPI_get_thr_specific, PAPI_set_thr_specific */
    if ((retval = PAPI_get_thr_specific(PAPI_USR1_TLS, (void **)&state)) != PAPI_OK || state == NULL) {
        state = (State *)malloc(sizeof(State));
        CHECK(state != NULL);
        memset(state, 0, sizeof(State));
        state->EventSet = PAPI_NULL;
        OK(PAPI_create_eventset(&state->EventSet));
        OK(PAPI_set_thr_specific(PAPI_USR1_TLS, state));
    }
    state = NULL;
    OK(PAPI_get_thr_specific(PAPI_USR1_TLS, (void **)&state));
    CHECK(state != NULL);
    OK(PAPI_get_thr_specific(PAPI_USR2_TLS, &argument));
    CHECK(argument == NULL);
    OK(PAPI_add_event(state->EventSet, PAPI_FP_OPS));
    OK(PAPI_start(state->EventSet));
    do_100events();
    OK(PAPI_stop(state->EventSet, &state->count));
    CHECK(near_to(state->count, 100));
    CHECK(PAPI_thread_id() == (unsigned long)pthread_self()); /* PAPI_thread_id */
    OK(PAPI_cleanup_eventset(state->EventSet));
    OK(PAPI_destroy_eventset(&state->EventSet));
    OK(PAPI_set_thr_specific(PAPI_USR1_TLS, NULL));
    free(state);
    OK(PAPI_unregister_thread()); /* PAPI_unregister_thread */
    return NULL;
}

int main(void)
{
    pthread_t threads[4];
    unsigned long tid;
    int i;
    need_events();
#ifdef __cplusplus
    OK(PAPI_thread_init(own_number));
#else
    if (PAPI_thread_init(pthread_self) != PAPI_OK) /* PAPI_thread_init */
        exit(1);
#endif
    if ((tid = PAPI_thread_id()) == (unsigned long int)-1)
        exit(1);
    CHECK(tid == (unsigned long)pthread_self());
    CHECK(PAPI_NUM_TLS >= 2 && PAPI_USR2_TLS < PAPI_NUM_TLS);
    for (i = 0; i < 4; i++)
        CHECK(pthread_create(&threads[i], NULL, count, NULL) == 0);
    for (i = 0; i < 4; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
    PAPI_shutdown();
    return 0;
}

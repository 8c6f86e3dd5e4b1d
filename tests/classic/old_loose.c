/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Loose code that compiles in the examples of PAPI 3.5 and in codes after them: signs that do not match,
 * functions declared without arguments, a program that only includes papi.h. C alone, and with warnings.
 */
#include <papi.h>

#include <stdio.h>
#include <stdlib.h>

void do_100events(void);
void need_events(void);
int near_to(long_long value, int wanted);

static unsigned long int my_thread()
{
    return 7;
}

void handle_error(code) int code;
{
    char error_str[PAPI_MAX_STR_LEN];
    PAPI_perror(code, error_str, PAPI_MAX_STR_LEN);
    fprintf(stderr, "PAPI error %d: %s\n", code, error_str);
    exit(1);
}

main()
{
    int EventSet = PAPI_NULL, retval;
    unsigned int native = 0x0;
    unsigned int Events[1];
    long_long values[1];
    caddr_t start = (caddr_t)main;
    unsigned short buffer[64];
    unsigned long tid;
    need_events();
    if ((retval = PAPI_thread_init(my_thread)) != PAPI_OK)
        handle_error(retval);
    if ((tid = PAPI_thread_id()) == (unsigned long int)-1 || tid != 7)
        exit(1);
    if ((retval = PAPI_create_eventset(&EventSet)) != PAPI_OK)
        handle_error(retval);
    if ((retval = PAPI_event_name_to_code("PAPI_FP_OPS", &native)) != PAPI_OK)
        handle_error(retval);
    Events[0] = native;
    if ((retval = PAPI_add_events(EventSet, (int *)Events, 1)) != PAPI_OK)
        handle_error(retval);
    /* A threshold of 0: no profile. What matters is that each of these is a call of PAPI_profil. */
    if ((retval = PAPI_profil(buffer, sizeof buffer, start, 65536, EventSet, native, 0, 0)) == PAPI_EBUG)
        handle_error(retval);
    if ((retval = PAPI_profil(buffer, sizeof buffer, 0x400000, 65536, EventSet, native, 0, 0)) == PAPI_EBUG)
        handle_error(retval);
    if ((retval = PAPI_start(EventSet)) != PAPI_OK)
        handle_error(retval);
    do_100events();
    if ((retval = PAPI_stop(EventSet, values)) != PAPI_OK)
        handle_error(retval);
    if (!near_to(values[0], 100))
        exit(1);
    PAPI_shutdown();
    exit(0);
}

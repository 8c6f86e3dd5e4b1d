/* SPDX-License-Identifier: BSD-3-Clause
 *
 * PAPI 3.5: PAPI_attach, PAPI_detach, and the options of the same names.
 */
#include "program.h"

#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

static int to_child[2], to_parent[2];

static void child(void)
{
    char c = 0;
    close(to_child[1]); /* else it would wait for ever for a parent that fails */
    if (read(to_child[0], &c, 1) != 1)
        _exit(1);
    do_100events();
    if (write(to_parent[1], &c, 1) != 1 || read(to_child[0], &c, 1) != 1)
        _exit(1);
    _exit(0);
}

/* The child works once between the two marks. */
static void let_work(void)
{
    char c = 'x';
    CHECK(write(to_child[1], &c, 1) == 1);
    CHECK(read(to_parent[0], &c, 1) == 1);
}

int main(void)
{
    int EventSet = PAPI_NULL, status = 0, retval;
    long_long values[1];
    unsigned long pid;
    PAPI_option_t options;
    need_events();
    CHECK(pipe(to_child) == 0 && pipe(to_parent) == 0);
    pid = (unsigned long)fork();
    if (pid == 0)
        child();
    CHECK((long)pid > 0);
    OK(PAPI_create_eventset(&EventSet));
    OK(PAPI_add_event(EventSet, PAPI_FP_OPS));
    retval = PAPI_attach(EventSet, pid);
    if (retval == PAPI_ESBSTR)
        skip(PAPI_strerror(retval));
    OK(retval);
    OK(PAPI_state(EventSet, &status));
    CHECK(status & PAPI_ATTACHED);
    memset(&options, 0, sizeof options);
    options.attach.eventset = EventSet;
    CHECK(PAPI_get_opt(PAPI_ATTACH, &options) > 0);
    CHECK(options.attach.tid == pid);
    OK(PAPI_start(EventSet));
    let_work();
    OK(PAPI_stop(EventSet, values));
    CHECK(values[0] >= 100 && values[0] < 1000);
    OK(PAPI_detach(EventSet));
    OK(PAPI_state(EventSet, &status));
    CHECK(!(status & PAPI_ATTACHED));
    memset(&options, 0, sizeof options);
    options.attach.eventset = EventSet;
    CHECK(PAPI_get_opt(PAPI_ATTACH, &options) == 0);

    /* It counts this process again. */
    OK(PAPI_start(EventSet));
    do_100events();
    OK(PAPI_stop(EventSet, values));
    CHECK(near_to(values[0], 100));

    memset(&options, 0, sizeof options);
    options.attach.eventset = EventSet;
    options.attach.tid = pid;
    OK(PAPI_set_opt(PAPI_ATTACH, &options));
    OK(PAPI_set_opt(PAPI_DETACH, &options));
    OK(PAPI_cleanup_eventset(EventSet));
    OK(PAPI_destroy_eventset(&EventSet));
    CHECK(write(to_child[1], "x", 1) == 1);
    CHECK(waitpid((pid_t)pid, &status, 0) == (pid_t)pid && status == 0);
    PAPI_shutdown();
    return 0;
}

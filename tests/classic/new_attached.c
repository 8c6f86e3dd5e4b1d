/* SPDX-License-Identifier: BSD-3-Clause
 *
 * PAPI 5 to 7: what a set counts: children, a CPU, several multiplexed events. By options, before or after
 * the events, as programs do either. (With PAPI_attach.)
 */
#include "program.h"

#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

static int new_set(void)
{
    int es = PAPI_NULL;
    OK(PAPI_create_eventset(&es));
    OK(PAPI_assign_eventset_component(es, PAPI_get_event_component(PAPI_FP_OPS)));
    return es;
}

static void drop(int es)
{
    OK(PAPI_cleanup_eventset(es));
    OK(PAPI_destroy_eventset(&es));
}

static void inherit(void)
{
    PAPI_option_t options;
    long long value = -1;
    int es = new_set(), retval, status;
    pid_t child;
    memset(&options, 0, sizeof options);
    options.inherit.eventset = es;
    options.inherit.inherit = PAPI_INHERIT_ALL;
    retval = PAPI_set_opt(PAPI_INHERIT, &options);
    if (retval == PAPI_ENOSUPP || retval == PAPI_ECMP) {
        printf("not inherited: %s\n", PAPI_strerror(retval));
        drop(es);
        return;
    }
    OK(retval);
    OK(PAPI_add_named_event(es, "PAPI_FP_OPS"));
    OK(PAPI_start(es));
    child = fork();
    if (child == 0) {
        do_100events();
        _exit(0);
    }
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    OK(PAPI_stop(es, &value));
    CHECK(value >= 100);
    drop(es);
}

static void cpu_attach(void)
{
    PAPI_option_t options;
    int es = new_set(), retval, status = 0;
    memset(&options, 0, sizeof options);
    options.cpu.eventset = es;
    options.cpu.cpu_num = 0;
    retval = PAPI_set_opt(PAPI_CPU_ATTACH, &options);
    if (retval == PAPI_OK) {
        retval = PAPI_add_named_event(es, "PAPI_TOT_CYC");
        if (retval == PAPI_OK) {
            long long value = -1;

            OK(PAPI_start(es));
            OK(PAPI_state(es, &status));
            CHECK(status & PAPI_CPU_ATTACHED);
            do_100events();
            OK(PAPI_stop(es, &value));
            CHECK(value >= 0);
        }
    }
    if (retval != PAPI_OK) { /* not everyone may count a whole CPU */
        printf("CPU 0: %s\n", PAPI_strerror(retval));
        CHECK(retval == PAPI_EPERM || retval == PAPI_ECMP || retval == PAPI_ENOSUPP ||
              retval == PAPI_ENOEVNT);
    }
    drop(es);
    CODE(PAPI_set_opt(PAPI_CPU_ATTACH, NULL), PAPI_EINVAL);
}

static void multiplex(void)
{
    PAPI_option_t options;
    long long values[2] = {-1, -1};
    int es = new_set(), retval;
    OK(PAPI_multiplex_init());
    memset(&options, 0, sizeof options);
    options.multiplex.eventset = es;
    options.multiplex.ns = PAPI_get_opt(PAPI_DEF_MPX_NS, &options);
    options.multiplex.eventset = es;
    options.multiplex.flags = PAPI_MULTIPLEX_DEFAULT;
    retval = PAPI_set_opt(PAPI_MULTIPLEX, &options);
    if (retval == PAPI_ENOSUPP || retval == PAPI_ECMP) {
        printf("not multiplexed: %s\n", PAPI_strerror(retval));
        drop(es);
        return;
    }
    OK(retval);
    CHECK(PAPI_get_multiplex(es) > 0);
    OK(PAPI_add_named_event(es, "PAPI_FP_OPS"));
    OK(PAPI_add_named_event(es, "PAPI_TOT_INS"));
    OK(PAPI_start(es));
    do_100events();
    OK(PAPI_stop(es, values));
    CHECK(near_to(values[0], 100) && values[1] >= 100);
    drop(es);
}

static void attach(void)
{
    int es = new_set(), retval;
    OK(PAPI_add_named_event(es, "PAPI_FP_OPS"));
    CHECK(PAPI_attach(es, 0x7ffffff0UL) < PAPI_OK); /* no such thread */
    retval = PAPI_attach(es, (unsigned long)getpid());
    if (retval == PAPI_ECMP) {
        printf("not attached: %s\n", PAPI_strerror(retval));
    } else {
        OK(retval);
        OK(PAPI_detach(es));
    }
    drop(es);
}

int main(void)
{
    need_events();
    inherit();
    cpu_attach();
    multiplex();
    attach();
    PAPI_shutdown();
    return 0;
}

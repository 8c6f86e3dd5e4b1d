/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Event sets on a hybrid processor. A folder stands for its sysfs; the PMUs of its
 * "big" and "little" cores are two of this machine that the kernel counts in groups of their own.
 */
#include "made_machine.h"
#include "testing.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PAGES = 300 };

static int msr; /* the type of the little cores' PMU, where it is the one of time stamps */

/* The time stamp counter counts in all modes or in none. */
static int without_modes(struct perf_event_attr *attr, int thread, int cpu)
{
    (void)thread, (void)cpu;
    if (msr != 0 && attr->type == (unsigned)msr)
        attr->exclude_user = attr->exclude_kernel = attr->exclude_hv = 0;
    return 0;
}

/* Page faults are the kernel's own PMU; beside it instructions of the processor's or, where there is none,
 * the time stamp counter, for those who may read it. */
static const char *choose_other(int *type)
{
    char line[16] = "";
    *type = PERF_TYPE_HARDWARE;
    if (PAPI_query_named_event("perf::INSTRUCTIONS") == PAPI_OK)
        return "little/event=1/";
    FILE *file = fopen("/sys/bus/event_source/devices/msr/type", "r");
    if (file != NULL) {
        CHECK(fgets(line, sizeof line, file) != NULL);
        fclose(file);
    }
    *type = msr = atoi(line);
    return msr > 0 ? "little/event=0/" : NULL;
}

static const char *other; /* the little cores' event; the big ones' is page faults */
#define BIG_FAULTS "big/event=2/"

static int set_up(void **state)
{
    int type;
    (void)state;
    test_init();
    other = choose_other(&type);
    PAPI_shutdown();
    made_machine_answer = without_modes;
    if (made_machine_create() != 0)
        return -1;
    made_machine_put("sys/devices/system/cpu/online", "0-7\n");
    made_machine_put_pmu("big", PERF_TYPE_SOFTWARE, "0-3\n");
    made_machine_put_pmu("little", type, "4-7\n");
    made_machine_put_pmu("all", PERF_TYPE_SOFTWARE, "0-31\n");
    test_init();
    return 0;
}

static int clean_up(void **state)
{
    (void)state;
    PAPI_shutdown();
    return made_machine_remove();
}

static int new_set(void)
{
    int es = PAPI_NULL;
    OK(PAPI_create_eventset(&es));
    return es;
}

static void need_both(void)
{
    if (other == NULL)
        SKIP("no second PMU: neither instructions nor time stamps");
    int code = PAPI_query_named_event(other);
    if (code == PAPI_OK)
        code = PAPI_query_named_event(BIG_FAULTS);
    if (code != PAPI_OK)
        SKIP("%s: %s", other, PAPI_strerror(code));
}

/* The events of both kinds and one that all cores count, in any order. */
static void counts_of_all_kinds(void **state)
{
    static const char *const orders[][3] = {
        {BIG_FAULTS, "other", FAULTS}, {"other", BIG_FAULTS, FAULTS}, {FAULTS, "other", BIG_FAULTS}};
    (void)state;
    need_both();
    for (int order = 0; order < 3; order++) {
        long long value[3], more[3] = {0}, big = 0, all = 0, little = 0;
        int es = new_set();
        for (int i = 0; i < 3; i++) {
            const char *name = orders[order][i];
            OK(PAPI_add_named_event(es, strcmp(name, "other") == 0 ? other : name));
        }
        test_touch_pages(PAGES);
        OK(PAPI_start(es));
        test_touch_pages(PAGES);
        OK(PAPI_read(es, value));
        for (int i = 0; i < 3; i++) {
            big = strcmp(orders[order][i], BIG_FAULTS) == 0 ? value[i] : big;
            all = strcmp(orders[order][i], FAULTS) == 0 ? value[i] : all;
            little = strcmp(orders[order][i], "other") == 0 ? value[i] : little;
        }
        COUNTED(big, PAGES);
        COUNTED(all, PAGES);
        CHECK(little > 0);
        OK(PAPI_accum(es, more));
        test_touch_pages(PAGES);
        OK(PAPI_stop(es, value));
        for (int i = 0; i < 3; i++)
            if (strcmp(orders[order][i], "other") != 0) {
                COUNTED(more[i], PAGES);
                COUNTED(value[i], PAGES);
            }
        /* The first goes: the parts have new leaders. */
        OK(PAPI_remove_named_event(es, strcmp(orders[order][0], "other") == 0 ? other : orders[order][0]));
        OK(PAPI_start(es));
        test_touch_pages(PAGES);
        OK(PAPI_stop(es, value));
        for (int i = 1; i < 3; i++)
            if (strcmp(orders[order][i], "other") != 0)
                COUNTED(value[i - 1], PAGES);
            else
                CHECK(value[i - 1] > 0);
        OK(PAPI_cleanup_eventset(es));
        OK(PAPI_destroy_eventset(&es));
    }
}

/* A set may hold one kind of core alone. */
static void one_kind_alone(void **state)
{
    long long value[2];
    (void)state;
    int es = new_set();
    int code = PAPI_add_named_event(es, BIG_FAULTS);
    if (code != PAPI_OK)
        SKIP("%s", PAPI_strerror(code));
    OK(PAPI_add_named_event(es, "big/event=5/"));
    OK(PAPI_start(es));
    test_touch_pages(PAGES);
    OK(PAPI_stop(es, value));
    COUNTED(value[0], PAGES);
    OK(PAPI_cleanup_eventset(es));
    OK(PAPI_destroy_eventset(&es));
}

/* Multiplexing and inheritance, of whole processes, too, are refused for events of several core types: the
 * kernel's times do not tell an event that waits for a counter from a thread that is on a core of the other
 * type. */
static void no_turns(void **state)
{
    PAPI_option_t option = {0};
    (void)state;
    int es = new_set();
    int code = PAPI_add_named_event(es, BIG_FAULTS);
    if (code != PAPI_OK)
        SKIP("%s", PAPI_strerror(code));
    CODE(PAPI_set_multiplex(es), PAPI_ECNFLCT);
    CHECK(strstr(PAPI_strerror(PAPI_ECNFLCT), "hybrid") != NULL);
    option.inherit.eventset = es;
    option.inherit.inherit = PAPI_INHERIT_ALL;
    CODE(PAPI_set_opt(PAPI_INHERIT, &option), PAPI_ECNFLCT);
    /* A whole process is not counted so, but each of its threads. */
    REFUSES(PAPI_attach_process(es, getpid(), 0), PAPI_ECNFLCT, "PAPI_PROCESS_THREADS");
    pid_t pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        for (;;)
            pause();
    }
    OK(PAPI_attach_process(es, pid, PAPI_PROCESS_THREADS));
    OK(PAPI_start(es));
    OK(PAPI_stop(es, NULL));
    OK(PAPI_detach(es));
    kill(pid, SIGKILL);
    EQUAL(waitpid(pid, NULL, 0), pid);
    /* A PMU of all cores that are online is not one of a hybrid processor's. */
    OK(PAPI_cleanup_eventset(es));
    OK(PAPI_add_named_event(es, "all/event=2/"));
    OK(PAPI_set_multiplex(es));
    OK(PAPI_cleanup_eventset(es));
    OK(PAPI_destroy_eventset(&es));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(counts_of_all_kinds, set_up, clean_up),
        cmocka_unit_test_setup_teardown(one_kind_alone, set_up, clean_up),
        cmocka_unit_test_setup_teardown(no_turns, set_up, clean_up),
    };
    return TEST_RUN(tests);
}

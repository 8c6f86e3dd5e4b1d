/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Event sets on a processor with several kinds of cores. A folder stands for its sysfs; the PMUs of its
 * "big" and "little" cores are two of this machine that the kernel counts in groups of their own.
 */
#include "testing.h"

#include <dlfcn.h>
#include <errno.h>
#include <ftw.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { PAGES = 300 };

static char root[64];
static int msr; /* the type of the little cores' PMU, where it is the one of time stamps */

static void put(const char *path, const char *text)
{
    char full[256];
    snprintf(full, sizeof full, "%s/%s", root, path);
    for (char *slash = strchr(full + strlen(root) + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        CHECK(mkdir(full, 0755) == 0 || errno == EEXIST);
        *slash = '/';
    }
    FILE *file = fopen(full, "w");
    CHECK(file != NULL && fputs(text, file) >= 0 && fclose(file) == 0);
}

static void put_pmu(const char *pmu, int type, const char *cpus)
{
    char path[128], text[32];
    snprintf(path, sizeof path, "sys/bus/event_source/devices/%s/type", pmu);
    snprintf(text, sizeof text, "%d\n", type);
    put(path, text);
    snprintf(path, sizeof path, "sys/bus/event_source/devices/%s/cpus", pmu);
    put(path, cpus);
    snprintf(path, sizeof path, "sys/bus/event_source/devices/%s/format/event", pmu);
    put(path, "config:0-63\n");
}

/* The library's way to the kernel. The time stamp counter counts in all modes or in none. */
__attribute__((visibility("default"))) long syscall(long number, ...)
{
    long argument[6];
    va_list list;
    va_start(list, number);
    for (int i = 0; i < 6; i++)
        argument[i] = va_arg(list, long);
    va_end(list);
    struct perf_event_attr *attr = (struct perf_event_attr *)argument[0];
    if (number == SYS_perf_event_open && msr != 0 && attr->type == (unsigned)msr)
        attr->exclude_user = attr->exclude_kernel = attr->exclude_hv = 0;
    long (*next)(long, ...) = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
    return next(number, argument[0], argument[1], argument[2], argument[3], argument[4], argument[5]);
}

/* The library's way to files. What the folder has is read there. */
static FILE *open_file(const char *name, const char *path, const char *mode)
{
    char there[512];
    FILE *(*next)(const char *, const char *) =
        (FILE * (*)(const char *, const char *)) dlsym(RTLD_NEXT, name);
    snprintf(there, sizeof there, "%s%s", root, path);
    bool instead = root[0] != '\0' && strncmp(path, "/sys/", 5) == 0 && access(there, R_OK) == 0;
    return next(instead ? there : path, mode);
}

__attribute__((visibility("default"))) FILE *fopen(const char *path, const char *mode)
{
    return open_file("fopen", path, mode);
}

__attribute__((visibility("default"))) FILE *fopen64(const char *path, const char *mode)
{
    return open_file("fopen64", path, mode);
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
    strcpy(root, "/tmp/fpapi-kinds-XXXXXX");
    if (mkdtemp(root) == NULL)
        return -1;
    put("sys/devices/system/cpu/online", "0-7\n");
    put_pmu("big", PERF_TYPE_SOFTWARE, "0-3\n");
    put_pmu("little", type, "4-7\n");
    put_pmu("all", PERF_TYPE_SOFTWARE, "0-31\n");
    test_init();
    return 0;
}

static int remove_entry(const char *path, const struct stat *status, int kind, struct FTW *walk)
{
    (void)status, (void)kind, (void)walk;
    return remove(path);
}

static int clean_up(void **state)
{
    (void)state;
    PAPI_shutdown();
    return nftw(root, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
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

/* What waits for a counter and what is on other cores is one to the kernel's times. */
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
    /* A PMU of all cores that are online is none of some. */
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

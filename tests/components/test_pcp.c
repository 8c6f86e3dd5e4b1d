/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The component pcp with a library that stands for libpcp and pmcd (pcp_double.c), and without any: the
 * loader's path has it, and the argument says which. real_pmcd.py runs it with the real ones.
 */
#include "folder.h"
#include "pcp_double.h"

#include <dlfcn.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define LIBRARY "libpcp.so.3"
#define T "pcp:::test."

static long long bits(double real)
{
    long long value;
    memcpy(&value, &real, sizeof value);
    return value;
}

static void loaded_when_asked(void **state)
{
    (void)state;
    begin_here();
    assert_false(library_is_loaded(LIBRARY));
    assert_int_equal(info_of_component("pcp")->disabled, PAPI_OK);
    assert_int_equal(info_of_component("pcp")->num_native_events, 9); /* cpu0 and a_b of test.cpu */
    assert_true(library_is_loaded(LIBRARY));
    PAPI_shutdown();
    assert_false(library_is_loaded(LIBRARY));
}

static void numbers_of_each_type(void **state)
{
    struct pcp_double *pcp = begin_with_double(state, LIBRARY, "pcp_double");
    pcp->i32 = -1;
    pcp->i64 = INT64_MIN;
    pcp->u64 = 5;
    pcp->joules = 0.1;
    int es = set_of(T "u32", T "i32", T "u64", T "i64", T "real", T "joules", T "cpu:cpu0", NULL);
    assert_int_equal(PAPI_start(es), PAPI_OK);
    int before = pcp->fetches;
    pcp->u32 += 7;
    pcp->u64 = UINT64_MAX;
    pcp->joules = 0.35;
    pcp->cpu[0] = 1000;
    pcp->cpu[1] = 1;
    reads(es, 7LL, -1LL, -6LL /* 2^64 - 6 */, (long long)INT64_MIN, bits(1.5), bits(0.1 + (0.35 - 0.1) - 0.1),
          1000LL, END);
    assert_int_equal(pcp->fetches, before + 1);
    assert_int_equal(PAPI_reset(es), PAPI_OK);
    pcp->u32++;
    reads(es, 1LL, -1LL, 0LL, (long long)INT64_MIN, bits(1.5), bits(0), 0LL, END);
    assert_int_equal(PAPI_stop(es, NULL), PAPI_OK);
}

static void described(void **state)
{
    PAPI_event_info_t info;
    int code;
    begin_with_double(state, LIBRARY, "pcp_double");
    assert_int_equal(PAPI_event_name_to_code(T "u64", &code), PAPI_OK);
    assert_int_equal(PAPI_get_event_info(code, &info), PAPI_OK);
    assert_string_equal(info.units, "Kbyte");
    assert_string_equal(info.long_descr, "a line of help");
    assert_int_equal(info.value_type, PAPI_VALUETYPE_RUNNING_SUM);
    assert_int_equal(PAPI_event_name_to_code(T "u32", &code), PAPI_OK);
    assert_int_equal(PAPI_get_event_info(code, &info), PAPI_OK);
    assert_string_equal(info.units, "");
    assert_non_null(strstr(info.long_descr, "4294967295"));
    assert_int_equal(PAPI_event_name_to_code(T "real", &code), PAPI_OK);
    assert_int_equal(PAPI_get_event_info(code, &info), PAPI_OK);
    assert_int_equal(info.data_type, PAPI_DATATYPE_FP64);
    assert_int_equal(info.value_type, PAPI_VALUETYPE_ABSOLUTE);
    assert_int_equal(PAPI_event_name_to_code(T "i32", &code), PAPI_OK);
    assert_int_equal(PAPI_get_event_info(code, &info), PAPI_OK);
    assert_non_null(strstr(info.long_descr, "without a text"));
    assert_int_equal(PAPI_event_name_to_code(T "i64", &code), PAPI_OK);
    assert_int_equal(PAPI_get_event_info(code, &info), PAPI_OK);
    assert_true(strlen(info.units) < sizeof info.units);
}

/* Strings and aggregates cannot be counted; processes' metrics and names that do not fit are left out; of two
 * instances whose names are alike as events one is listed. */
static void not_listed(void **state)
{
    begin_with_double(state, LIBRARY, "pcp_double");
    no_event(T "string", "papi_native_avail");
    no_event(T "aggregate", "papi_native_avail");
    no_event("pcp:::proc.nprocs", "papi_native_avail");
    no_event(T "cpu", "papi_native_avail");
    no_event(T "cpu:cpu1", "papi_native_avail");
}

/* A counter of 32 bits that begins at 0 again, twice, and one with a sign. */
static void wraps(void **state)
{
    struct pcp_double *pcp = begin_with_double(state, LIBRARY, "pcp_double");
    pcp->u32 = UINT32_MAX - 9;
    pcp->i32_counter = INT32_MAX - 4;
    int es = set_of(T "u32", T "i32_counter", NULL);
    assert_int_equal(PAPI_start(es), PAPI_OK);
    pcp->u32 = 10;
    pcp->i32_counter = INT32_MIN + 5;
    reads(es, 20LL, 10LL, END);
    pcp->u32 = UINT32_MAX;
    reads(es, 9LL + UINT32_MAX + 1, 10LL, END);
    pcp->u32 = 0;
    reads(es, 10LL + UINT32_MAX + 1, 10LL, END);
    assert_int_equal(PAPI_stop(es, NULL), PAPI_OK);
}

static void is_lost(int es, long long wanted)
{
    long long value = -1;
    refused(PAPI_read(es, &value), PAPI_ECLOST, "stop and start");
    assert_int_equal(value, wanted);
}

/* A counter that shrinks otherwise: its value stays until the next start, also when it grows again. */
static void begins_anew(void **state)
{
    static const char *const names[] = {T "u32", T "u64"};
    struct pcp_double *pcp = begin_with_double(state, LIBRARY, "pcp_double");
    for (int i = 0; i < 2; i++) {
        pcp->u32 = 1000;
        pcp->u64 = 1000;
        int es = set_of(names[i], NULL);
        assert_int_equal(PAPI_start(es), PAPI_OK);
        pcp->u32 = pcp->u64 = 1005;
        reads(es, 5LL, END);
        pcp->u32 = pcp->u64 = 3;
        is_lost(es, 5);
        pcp->u32 = pcp->u64 = 2000;
        is_lost(es, 5);
        refused(PAPI_stop(es, NULL), PAPI_ECLOST, names[i] + 6);
        assert_int_equal(PAPI_start(es), PAPI_OK);
        pcp->u32 = pcp->u64 = 2001;
        reads(es, 1LL, END);
        assert_int_equal(PAPI_stop(es, NULL), PAPI_OK);
    }
}

/* An agent may have begun anew and passed what it showed before: no counter is to be trusted. A level is. */
static void agent_ends(void **state)
{
    struct pcp_double *pcp = begin_with_double(state, LIBRARY, "pcp_double");
    int es = set_of(T "u64", NULL), level = set_of(T "i32", NULL);
    assert_int_equal(PAPI_start(es), PAPI_OK);
    assert_int_equal(PAPI_start(level), PAPI_OK);
    pcp->fetch_result = 2;
    pcp->u64 += 100;
    pcp->i32 = 4;
    is_lost(es, 0);
    reads(level, 4LL, END);
    refused(PAPI_stop(es, NULL), PAPI_ECLOST, "began anew");
    assert_int_equal(PAPI_stop(level, NULL), PAPI_OK);
}

/* An old figure is never given for a new one: the read fails, and after pmcd has come back the value is that
 * of before, with PAPI_ECLOST. */
static void pmcd_dies(void **state)
{
    struct pcp_double *pcp = begin_with_double(state, LIBRARY, "pcp_double");
    long long value = 77;
    int es = set_of(T "u64", NULL);
    assert_int_equal(PAPI_start(es), PAPI_OK);
    pcp->u64 += 3;
    reads(es, 3LL, END);
    pcp->fetch_result = -12366;
    refused(PAPI_read(es, &value), PAPI_ESYS, "systemctl start pmcd");
    assert_int_equal(value, 77);
    pcp->reconnect_result = -111;
    refused(PAPI_read(es, &value), PAPI_ESYS, "systemctl start pmcd");
    pcp->reconnect_result = pcp->fetch_result = 0;
    pcp->u64 += 30;
    is_lost(es, 3);
    refused(PAPI_stop(es, &value), PAPI_ECLOST, "stop and start");
    assert_int_equal(PAPI_start(es), PAPI_OK);
    pcp->u64 += 2;
    reads(es, 2LL, END);
    assert_int_equal(PAPI_stop(es, NULL), PAPI_OK);
}

static void instance_vanishes(void **state)
{
    struct pcp_double *pcp = begin_with_double(state, LIBRARY, "pcp_double");
    long long value;
    int es = set_of(T "cpu:cpu0", NULL), other = set_of(T "cpu:a_b", NULL);
    assert_int_equal(PAPI_start(es), PAPI_OK);
    assert_int_equal(PAPI_start(other), PAPI_OK);
    pcp->cpu0_gone = true;
    pcp->cpu[1] += 4;
    pcp->cpu[2] += 400;
    refused(PAPI_read(es, &value), PAPI_ENOEVNT, "instance has gone");
    reads(other, 4LL, END);
    pcp->cpu0_gone = false;
    pcp->cpu[0] += 9;
    assert_int_equal(PAPI_stop(es, &value), PAPI_OK);
    assert_int_equal(value, 9);
    assert_int_equal(PAPI_stop(other, NULL), PAPI_OK);
}

static void wrong_answers(void **state)
{
    struct pcp_double *pcp = begin_with_double(state, LIBRARY, "pcp_double");
    long long value;
    int es = set_of(T "u64", NULL);
    assert_int_equal(PAPI_start(es), PAPI_OK);
    pcp->wrong_type = true;
    refused(PAPI_read(es, &value), PAPI_EMISC, "another type");
    pcp->wrong_type = false;
    pcp->short_block = true;
    refused(PAPI_read(es, &value), PAPI_EMISC, "another type");
    pcp->short_block = false;
    pcp->wrong_metric = true;
    refused(PAPI_read(es, &value), PAPI_EMISC, "another metric");
    pcp->wrong_metric = false;
    pcp->metric_result = -12387;
    refused(PAPI_read(es, &value), PAPI_EPERM, "error -12387");
    pcp->metric_result = 0;
    pcp->no_value = true;
    refused(PAPI_read(es, &value), PAPI_ENOEVNT, "no value of it");
    pcp->no_value = false;
    reads(es, 0LL, END);
    assert_int_equal(PAPI_stop(es, NULL), PAPI_OK);
    value = 42;
    refused(PAPI_write(set_of(T "i64", NULL), &value), PAPI_ECMP, "pmstore");
}

static void no_pmcd(void **state)
{
    struct pcp_double *pcp = begin_with_double(state, LIBRARY, "pcp_double");
    pcp->context_result = -111;
    assert_int_equal(info_of_component("pcp")->disabled, PAPI_ENOSUPP);
    assert_non_null(strstr(info_of_component("pcp")->disabled_reason, "systemctl start pmcd"));
    no_event(T "u64", "systemctl start pmcd");
    assert_int_equal(pcp->contexts, 0);
}

/* The library would end the program. */
static void no_configuration(void **state)
{
    begin_with_double(state, LIBRARY, "pcp_double");
    const char *saved = getenv("PCP_CONF");
    setenv("PCP_CONF", "/nonexistent/pcp.conf", 1);
    const PAPI_component_info_t *info = info_of_component("pcp");
    setenv("PCP_CONF", saved, 1);
    assert_int_equal(info->disabled, PAPI_ENOSUPP);
    assert_non_null(strstr(info->disabled_reason, "pcp-conf"));
}

static void ten_thousand(void **state)
{
    enum { MANY = 10000 };
    struct pcp_double *pcp = begin_with_double(state, LIBRARY, "pcp_double");
    pcp->many = MANY;
    assert_int_equal(info_of_component("pcp")->num_native_events, MANY + 9);
    reads(set_of("pcp:::many.n9999", NULL), 10999LL, END);
    assert_int_equal(pcp->contexts, 1);
    PAPI_shutdown();
    assert_int_equal(pcp->contexts, 0);
}

/* The library ignores SIGPIPE; the program's own way to handle it stays. */
static void sigpipe_stays(void **state)
{
    struct sigaction now;
    signal(SIGPIPE, SIG_DFL);
    begin_with_double(state, LIBRARY, "pcp_double");
    reads(set_of(T "u64", NULL), 0LL, END);
    assert_int_equal(sigaction(SIGPIPE, NULL, &now), 0);
    assert_true(now.sa_handler == SIG_DFL);
}

/* A child has a connection of its own: two would read each other's answers from one. */
static void child_connects_anew(void **state)
{
    struct pcp_double *pcp = begin_with_double(state, LIBRARY, "pcp_double");
    int status = 0, es = set_of(T "u64", NULL);
    assert_int_equal(PAPI_start(es), PAPI_OK);
    pid_t child = fork();
    if (child == 0) {
        int own = PAPI_NULL;
        pcp->reconnect_result = -111;
        bool asked = PAPI_create_eventset(&own) == PAPI_OK && PAPI_add_named_event(own, T "u32") == PAPI_ESYS;
        pcp->reconnect_result = 0;
        asked = asked && PAPI_add_named_event(own, T "u32") == PAPI_OK && PAPI_start(own) == PAPI_OK &&
                PAPI_stop(own, NULL) == PAPI_OK;
        _exit(asked ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    pcp->u64 += 6;
    reads(es, 6LL, END);
    assert_int_equal(PAPI_stop(es, NULL), PAPI_OK);
}

/* ---- without the library, and with the real one */

static void without_library(void **state)
{
    (void)state;
    begin_here();
    assert_int_equal(info_of_component("pcp")->disabled, PAPI_ENOSUPP);
    assert_non_null(strstr(info_of_component("pcp")->disabled_reason, "PAPI_PCP_ROOT"));
    no_event(T "u64", "PAPI_PCP_ROOT");
}

/* This machine, whether it has the library or not: without a daemon it is not loaded. */
static void with_real_library(void **state)
{
    (void)state;
    if (access("/run/pcp/pmcd.socket", F_OK) == 0)
        SKIP("this machine has a pmcd");
    begin_here();
    assert_int_equal(info_of_component("pcp")->disabled, PAPI_ENOSUPP);
    assert_non_null(strstr(info_of_component("pcp")->disabled_reason,
                           "no pmcd, the daemon of Performance Co-Pilot, is running"));
    no_event("pcp:::mem.physmem", "systemctl start pmcd");
    void *library = dlopen(LIBRARY, RTLD_LAZY | RTLD_NOLOAD);
    assert_null(library);
}

/* With real_pmcd.py's pmcd, which has no other client: each reading is one more question, exactly. */
static void with_real_pmcd(void **state)
{
    (void)state;
    begin_here();
    assert_int_equal(info_of_component("pcp")->disabled, PAPI_OK);
    int es = set_of("pcp:::pmcd.pdu_in.total", "pcp:::hinv.ncpu", NULL);
    long long cpus = sysconf(_SC_NPROCESSORS_CONF), value[2] = {7, 7};
    assert_int_equal(PAPI_start(es), PAPI_OK);
    for (long long i = 1; i <= 5; i++)
        reads(es, i, cpus, END);
    assert_int_equal(PAPI_stop(es, value), PAPI_OK);
    assert_int_equal(value[0], 6);
}

static long long user_ticks(void)
{
    long long user = -1;
    FILE *file = fopen("/proc/stat", "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "cpu %lld", &user), 1);
    fclose(file);
    return user;
}

/* The kernel's own number brackets what pmcd says: both are of the same file. */
static void real_counts(void **state)
{
    enum { MSEC_OF_TICK = 10 };
    (void)state;
    begin_here();
    int es = set_of("pcp:::kernel.all.cpu.user", NULL);
    long long value, before = user_ticks();
    assert_int_equal(PAPI_start(es), PAPI_OK);
    long long after_start = user_ticks(), end;
    while ((end = user_ticks()) < after_start + 20)
        ;
    assert_int_equal(PAPI_stop(es, &value), PAPI_OK);
    long long after = user_ticks();
    assert_int_equal(sysconf(_SC_CLK_TCK), 100);
    assert_true(value >= (end - after_start) * MSEC_OF_TICK && value <= (after - before) * MSEC_OF_TICK);
}

static void real_pmcd_dies(void **state)
{
    long long value = 77;
    const char *pid = getenv("TEST_PMCD");
    (void)state;
    begin_here();
    assert_non_null(pid);
    signal(SIGPIPE, SIG_DFL); /* it must not end this program */
    int es = set_of("pcp:::pmcd.pdu_in.total", NULL);
    assert_int_equal(PAPI_start(es), PAPI_OK);
    assert_int_equal(kill(atoi(pid), SIGKILL), 0);
    for (int i = 0; i < 3; i++)
        refused(PAPI_read(es, &value), PAPI_ESYS, "systemctl start pmcd");
    assert_int_equal(value, 77);
    refused(PAPI_stop(es, &value), PAPI_ESYS, "systemctl start pmcd");
    PAPI_shutdown();
    begin_here();
    assert_int_equal(info_of_component("pcp")->disabled, PAPI_ENOSUPP);
    assert_non_null(strstr(info_of_component("pcp")->disabled_reason, "no pmcd answers on this node"));
}

static void of_another_machine(void **state)
{
    (void)state;
    begin_in_folder();
    assert_int_equal(info_of_component("pcp")->disabled, PAPI_ENOSUPP);
    assert_non_null(strstr(info_of_component("pcp")->disabled_reason, "PAPI_SYSROOT"));
    assert_false(library_is_loaded(LIBRARY));
}

#define TEST(test) cmocka_unit_test_teardown(test, library_end)

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        TEST(loaded_when_asked),
        TEST(numbers_of_each_type),
        TEST(described),
        TEST(not_listed),
        TEST(wraps),
        TEST(begins_anew),
        TEST(agent_ends),
        TEST(pmcd_dies),
        TEST(instance_vanishes),
        TEST(wrong_answers),
        TEST(no_pmcd),
        TEST(no_configuration),
        TEST(ten_thousand),
        TEST(sigpipe_stays),
        TEST(child_connects_anew),
        IN_FOLDER(of_another_machine),
    };
    const struct CMUnitTest of_none[] = {TEST(without_library)}, of_real[] = {TEST(with_real_library)};
    const struct CMUnitTest of_pmcd[] = {TEST(with_real_pmcd), TEST(real_counts), TEST(real_pmcd_dies)};
    if (argc > 1 && strcmp(argv[1], "real") == 0)
        return TEST_RUN(of_real);
    if (argc > 1 && strcmp(argv[1], "pmcd") == 0)
        return TEST_RUN(of_pmcd);
    if (argc > 1 && strcmp(argv[1], "none") == 0)
        return TEST_RUN(of_none);
    return TEST_RUN(tests);
}

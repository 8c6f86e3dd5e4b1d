/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The events that sample accesses, on machines that are folders, with a kernel that is a function here: it
 * opens what the test lets it open, and has what it was asked for.
 */
#include "testing.h"

#include "components/perf_event/sys.h"
#include "formats/perf_memory.h"
#include "papi.h"
#include "profile/memory_events.h"

#include <stdio.h>
#include <string.h>

#define DEVICES "sys/bus/event_source/devices/"

/* ---- the kernel */

static struct {
    int precise; /* at most */
    bool numbers, kernel_alone, user_alone,
        leader; /* WEIGHT_STRUCT; it must (not) be left out; loads need one */
    int opened, open, calls;
} kernel;

enum { FIRST_FD = 100, LEADER_CONFIG = 0x8203 };

int sys_open(const char *root, const struct group_options *options, struct perf_event_attr *attr, int leader,
             int *fd, struct reason *why)
{
    (void)root, (void)options;
    bool aux = attr->config == LEADER_CONFIG, ibs = (attr->sample_type & PERF_SAMPLE_RAW) != 0;
    *fd = -1;
    kernel.calls++;
    assert_true(attr->exclude_kernel == attr->exclude_hv);
    if (!aux && (int)attr->precise_ip > kernel.precise)
        return reason_set(why, PAPI_EINVAL, "not so precise");
    if ((attr->sample_type & PERF_SAMPLE_WEIGHT_STRUCT) != 0 && !kernel.numbers)
        return reason_set(why, PAPI_EINVAL, "no numbers");
    if (ibs && attr->exclude_kernel && !kernel.user_alone)
        return reason_set(why, PAPI_EINVAL, "not without the kernel");
    if (!attr->exclude_kernel && kernel.kernel_alone)
        return reason_set(why, PAPI_EPERM, "not the kernel");
    if (kernel.leader && (attr->config & 0xffff) == 0x1cd && leader < FIRST_FD)
        return reason_set(why, PAPI_EINVAL, "not alone");
    *fd = FIRST_FD + kernel.opened++;
    kernel.open++;
    return PAPI_OK;
}

void sys_close(int fd)
{
    assert_true(fd >= FIRST_FD);
    kernel.open--;
}

/* ---- machines */

static void put(const char *root, const char *path, const char *text)
{
    char whole[256];
    snprintf(whole, sizeof whole, DEVICES "%s", path);
    test_file(root, whole, text);
}

static void put_core(const char *root, const char *name, const char *type, const char *loads, bool aux)
{
    const char *const files[][2] = {
        {"type", type},
        {"format/event", "config:0-7\n"},
        {"format/umask", "config:8-15\n"},
        {"format/ldlat", "config1:0-15\n"},
        {"events/mem-loads", loads},
        {"events/mem-stores", "event=0xcd,umask=0x2\n"},
        {"events/mem-loads-aux", "event=0x03,umask=0x82\n"},
    };
    for (size_t i = 0; i < COUNT(files) - !aux; i++) {
        char path[128];
        snprintf(path, sizeof path, "%s/%s", name, files[i][0]);
        put(root, path, files[i][1]);
    }
}

static const char loads[] = "event=0xcd,umask=0x1,ldlat=3\n";

static int find(const char *root, struct memory_event event[MEMORY_EVENTS])
{
    struct reason why = {.code = PAPI_OK};
    int n = memory_events_find(root, event, &why);
    assert_int_equal(kernel.open, 0);
    if (n == 0)
        assert_true(why.text[0] != '\0');
    return n;
}

static void is_sampled(const struct memory_event *event, unsigned type, uint64_t config, uint64_t config1)
{
    const uint64_t wanted = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
                            PERF_SAMPLE_ADDR | PERF_SAMPLE_PERIOD | PERF_SAMPLE_DATA_SRC;
    assert_int_equal(event->attr.type, type);
    assert_int_equal(event->attr.config, config);
    assert_int_equal(event->attr.config1, config1);
    assert_int_equal(event->attr.sample_type & wanted, wanted);
    assert_int_equal(__builtin_popcountll(event->attr.sample_type & PERF_SAMPLE_WEIGHT_TYPE), 1);
}

static void intel(void **state)
{
    (void)state;
    const char *root = test_folder();
    struct memory_event event[MEMORY_EVENTS];
    put_core(root, "cpu", "4\n", loads, false);
    memset(&kernel, 0, sizeof kernel);
    kernel.precise = 2;
    assert_int_equal(find(root, event), 2);
    assert_string_equal(event[0].name, "cpu/mem-loads,ldlat=3/");
    assert_string_equal(event[1].name, "cpu/mem-stores/");
    is_sampled(&event[0], 4, 0x1cd, 3);
    is_sampled(&event[1], 4, 0x2cd, 0);
    assert_int_equal(event[0].attr.precise_ip, 2);
    assert_true((event[0].attr.sample_type & PERF_SAMPLE_WEIGHT) != 0);
    assert_true(event[0].attr.exclude_kernel && !event[0].ibs && !event[0].has_leader);
    kernel.precise = 3;
    kernel.numbers = true;
    assert_int_equal(find(root, event), 2);
    assert_int_equal(event[0].attr.precise_ip, 3);
    assert_true((event[0].attr.sample_type & PERF_SAMPLE_WEIGHT_STRUCT) != 0);
    kernel.precise = 0; /* addresses of data would be missing */
    assert_int_equal(find(root, event), 0);
    test_folder_remove(root);
}

/* Since Sapphire Rapids a load is sampled behind another event. */
static void intel_with_leader(void **state)
{
    (void)state;
    const char *root = test_folder();
    struct memory_event event[MEMORY_EVENTS];
    put_core(root, "cpu", "4\n", loads, true);
    memset(&kernel, 0, sizeof kernel);
    kernel.precise = 3;
    kernel.numbers = kernel.leader = true;
    assert_int_equal(find(root, event), 2);
    assert_true(event[0].has_leader && !event[1].has_leader);
    assert_int_equal(event[0].leader.config, LEADER_CONFIG);
    test_folder_remove(root);
}

static void hybrid(void **state)
{
    (void)state;
    const char *root = test_folder();
    struct memory_event event[MEMORY_EVENTS];
    put_core(root, "cpu_core", "4\n", loads, true);
    put_core(root, "cpu_atom", "10\n", "event=0xd0,umask=0x5,ldlat=3\n", false);
    memset(&kernel, 0, sizeof kernel);
    kernel.precise = 3;
    kernel.numbers = true;
    assert_int_equal(find(root, event), 4);
    assert_string_equal(event[0].name, "cpu_core/mem-loads,ldlat=3/");
    assert_string_equal(event[2].name, "cpu_atom/mem-loads,ldlat=3/");
    is_sampled(&event[2], 10, 0x5d0, 3);
    assert_true(event[0].has_leader && !event[2].has_leader);
    test_folder_remove(root);
}

static void amd(void **state)
{
    (void)state;
    const char *root = test_folder();
    struct memory_event event[MEMORY_EVENTS];
    put(root, "cpu/type", "4\n"); /* with events, none of which is of memory */
    put(root, "cpu/events/cycles", "event=0x76\n");
    put(root, "ibs_op/type", "11\n");
    put(root, "ibs_op/format/cnt_ctl", "config:19\n");
    memset(&kernel, 0, sizeof kernel);
    assert_int_equal(find(root, event), 1);
    assert_string_equal(event[0].name, "ibs_op/cnt_ctl=1/");
    is_sampled(&event[0], 11, 1 << 19, 0);
    assert_true(event[0].ibs && event[0].everything && !event[0].attr.exclude_kernel);
    assert_true((event[0].attr.sample_type & PERF_SAMPLE_RAW) != 0);
    kernel.kernel_alone = true; /* and the kernel may not be looked at */
    assert_int_equal(find(root, event), 0);
    put(root, "ibs_op/format/swfilt", "config2:0\n");
    kernel.user_alone = true;
    assert_int_equal(find(root, event), 1);
    assert_string_equal(event[0].name, "ibs_op/cnt_ctl=1,swfilt=1/");
    assert_int_equal(event[0].attr.config2, 1);
    assert_true(!event[0].everything && event[0].attr.exclude_kernel);
    test_folder_remove(root);
}

/* A machine without has a reason, and the kernel is not asked. */
static void none(void **state)
{
    (void)state;
    const char *root = test_folder();
    struct memory_event event[MEMORY_EVENTS];
    struct reason why = {.code = PAPI_OK};
    put(root, "armv8_pmuv3_0/type", "8\n");
    memset(&kernel, 0, sizeof kernel);
    assert_int_equal(memory_events_find(root, event, &why), 0);
    assert_non_null(strstr(why.text, "mem-loads, ibs_op"));
    put(root, "arm_spe_0/type", "9\n");
    assert_int_equal(memory_events_find(root, event, &why), 0);
    assert_non_null(strstr(why.text, "SPE"));
    assert_int_equal(kernel.calls, 0);
    test_folder_remove(root);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(intel),  cmocka_unit_test(intel_with_leader),
        cmocka_unit_test(hybrid), cmocka_unit_test(amd),
        cmocka_unit_test(none),
    };
    return test_status(cmocka_run_group_tests(tests, NULL, NULL), COUNT(tests));
}

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A component of numbers in files, through the interface: exactly, on a folder whose files the test writes,
 * and on this machine's own loopback device.
 */
#include "folder.h"

#include "papi.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { EVENTS = 2 }; /* of each of the two interfaces */

static void interface_shows(const char *interface, const char *file, const char *text)
{
    char path[128];
    snprintf(path, sizeof path, "sys/class/net/%s/statistics/%s", interface, file);
    shows(path, text);
}

static int begin_snapshot(void **state)
{
    (void)state;
    folder_create(state);
    interface_shows("eth0", "rx_bytes", "1000\n");
    interface_shows("eth0", "tx_packets", "18446744073709551615\n");
    interface_shows("lo", "rx_bytes", "7\n");
    interface_shows("lo", "tx_bytes", "7\n");
    shows("sys/class/net/lo/address", "00:00:00:00:00:00\n");
    begin_in_folder();
    return 0;
}

static void counts_differences(void **state)
{
    (void)state;
    long long value[2] = {0, 0};
    int es = set_of("net:::eth0:rx:bytes", "NET:::ETH0:TX:PACKETS", NULL);
    assert_int_equal(PAPI_start(es), PAPI_OK);
    interface_shows("eth0", "rx_bytes", "1500\n");
    interface_shows("eth0", "tx_packets", "2\n"); /* the kernel's number wrapped */
    assert_int_equal(PAPI_read(es, value), PAPI_OK);
    assert_int_equal(value[0], 500);
    assert_int_equal(value[1], 3);
    assert_int_equal(PAPI_reset(es), PAPI_OK);
    interface_shows("eth0", "rx_bytes", "1501\n");
    assert_int_equal(PAPI_accum(es, value), PAPI_OK);
    assert_int_equal(value[0], 501);
    interface_shows("eth0", "rx_bytes", "1601\n");
    assert_int_equal(PAPI_stop(es, value), PAPI_OK);
    assert_int_equal(value[0], 100);
    /* Bytes between a stop and a start are not counted. */
    interface_shows("eth0", "rx_bytes", "9000\n");
    assert_int_equal(PAPI_start(es), PAPI_OK);
    interface_shows("eth0", "rx_bytes", "9001\n");
    assert_int_equal(PAPI_stop(es, value), PAPI_OK);
    assert_int_equal(value[0], 1);
    assert_int_equal(PAPI_cleanup_eventset(es), PAPI_OK);
}

static void is_listed_and_described(void **state)
{
    (void)state;
    PAPI_event_info_t info;
    int cidx = PAPI_get_component_index("net"), code = PAPI_NATIVE_MASK, n = 0;
    assert_int_equal(PAPI_get_component_info(cidx)->num_native_events, 2 * EVENTS);
    for (int got = PAPI_enum_cmp_event(&code, PAPI_ENUM_FIRST, cidx); got == PAPI_OK;
         got = PAPI_enum_cmp_event(&code, PAPI_ENUM_EVENTS, cidx)) {
        assert_int_equal(PAPI_get_event_info(code, &info), PAPI_OK);
        assert_int_equal(info.component_index, cidx);
        assert_int_equal(strncmp(info.symbol, n < EVENTS ? "net:::eth0:" : "net:::lo:", n < EVENTS ? 11 : 9),
                         0);
        n++;
    }
    assert_int_equal(n, 2 * EVENTS);
    assert_int_equal(PAPI_event_name_to_code("net:::lo:rx:bytes", &code), PAPI_OK);
    assert_int_equal(PAPI_get_event_info(code, &info), PAPI_OK);
    assert_string_equal(info.long_descr, "Bytes received by lo");
}

static void refuses_with_a_reason(void **state)
{
    (void)state;
    long long value[2];
    int es = set_of("net:::eth0:rx:bytes", NULL), code;
    refused(PAPI_add_named_event(es, "net:::eth1:rx:bytes"), PAPI_ENOEVNT, "papi_native_avail");
    refused(PAPI_add_named_event(es, "net:::eth0:rx:packets"), PAPI_ENOEVNT, "papi_native_avail");
    interface_shows("lo", "rx_bytes", "seven\n");
    refused(PAPI_add_named_event(es, "net:::lo:rx:bytes"), PAPI_EMISC, "does not hold a number");
    interface_shows("lo", "rx_bytes", "-7\n");
    refused(PAPI_add_named_event(es, "net:::lo:rx:bytes"), PAPI_EMISC, "does not hold a number");
    assert_int_equal(PAPI_event_name_to_code("net:::eth0:rx:bytes", &code), PAPI_OK);
    refused(PAPI_attach(es, (unsigned long)getpid()), PAPI_ECMP, "whole machine");
    assert_int_equal(PAPI_start(es), PAPI_OK);
    interface_shows("eth0", "rx_bytes", "\n");
    refused(PAPI_read(es, value), PAPI_EMISC, "does not hold a number");
    interface_shows("eth0", "rx_bytes", "1001\n");
    assert_int_equal(PAPI_stop(es, value), PAPI_OK);
    assert_int_equal(value[0], 1);
}

static int descriptors(void)
{
    int n = 0;
    DIR *entries = opendir("/proc/self/fd");
    assert_non_null(entries);
    while (readdir(entries) != NULL)
        n++;
    closedir(entries);
    return n;
}

static void leaves_no_descriptor(void **state)
{
    (void)state;
    int before = descriptors(), es = set_of("net:::eth0:rx:bytes", "net:::lo:rx:bytes", NULL);
    assert_int_equal(descriptors(), before + 2);
    assert_int_equal(PAPI_remove_named_event(es, "net:::lo:rx:bytes"), PAPI_OK);
    assert_int_equal(descriptors(), before + 1);
    assert_int_equal(PAPI_cleanup_eventset(es), PAPI_OK);
    assert_int_equal(descriptors(), before);
}

static void without_interfaces(void **state)
{
    (void)state;
    begin_in_folder();
    const PAPI_component_info_t *info = PAPI_get_component_info(PAPI_get_component_index("net"));
    assert_int_equal(info->num_native_events, 0);
    assert_int_equal(info->disabled, PAPI_ENOSUPP);
    assert_non_null(strstr(info->disabled_reason, "there is no /sys/class/net"));
}

/* Counts at least what is sent here over the loopback device, which others may use meanwhile. */
static void sent_over_the_loopback(void **state)
{
    (void)state;
    enum { N = 100, SIZE = 1000, HEADERS = 28 /* of IPv4 and UDP */ };
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(9)};
    char data[SIZE] = {0};
    long long value[2];
    int es, s = socket(AF_INET, SOCK_DGRAM, 0);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (access("/sys/class/net/lo/statistics/tx_bytes", R_OK) != 0 || s < 0 ||
        sendto(s, data, SIZE, 0, (struct sockaddr *)&to, sizeof to) != SIZE) {
        printf("SKIP: no loopback device to send over\n");
        skip();
    }
    begin_here();
    es = set_of("net:::lo:tx:bytes", "net:::lo:tx:packets", NULL);
    assert_int_equal(PAPI_start(es), PAPI_OK);
    for (int i = 0; i < N; i++) /* a refusal of the one before comes back as an error */
        if (sendto(s, data, SIZE, 0, (struct sockaddr *)&to, sizeof to) != SIZE)
            i--;
    assert_int_equal(PAPI_stop(es, value), PAPI_OK);
    assert_true(value[0] >= N * (SIZE + HEADERS));
    assert_true(value[1] >= N);
    close(s);
    PAPI_shutdown();
}

#define SNAPSHOT(test) cmocka_unit_test_setup_teardown(test, begin_snapshot, folder_remove)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SNAPSHOT(counts_differences),    SNAPSHOT(is_listed_and_described),
        SNAPSHOT(refuses_with_a_reason), SNAPSHOT(leaves_no_descriptor),
        IN_FOLDER(without_interfaces),   cmocka_unit_test(sent_over_the_loopback),
    };
    return TEST_RUN(tests);
}

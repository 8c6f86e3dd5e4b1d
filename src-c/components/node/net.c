/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Bytes and packets that the machine's network interfaces sent and received, "net:::eth0:rx:bytes". Its
 * events are numbers in files, which components/file_group.c reads.
 */
#include "components/components.h"
#include "components/file_group.h"
#include "papi.h"

#include <limits.h>
#include <stdio.h>

/* Documentation/ABI/testing/sysfs-class-net-statistics says what each file counts. The names are mostly those
 * of the columns of /proc/net/dev. */
#define INTERFACES "/sys/class/net"

TEXT_ROWS_BEGIN
static const struct event_row counts[] = {
    {"rx:bytes", "Bytes received by %s", .file = "rx_bytes", .unit = "bytes"},
    {"rx:packets", "Packets received by %s", .file = "rx_packets", .unit = "packets"},
    {"rx:errors", "Packets received with an error by %s", .file = "rx_errors", .unit = "packets"},
    {"rx:dropped", "Packets received by %s and dropped, most often for lack of room", .file = "rx_dropped",
     .unit = "packets"},
    {"rx:fifo", "Packets lost because the receiving queue of %s was full", .file = "rx_fifo_errors",
     .unit = "packets"},
    {"rx:frame", "Packets received out of alignment by %s", .file = "rx_frame_errors", .unit = "packets"},
    {"rx:compressed", "Compressed packets received by %s", .file = "rx_compressed", .unit = "packets"},
    {"rx:multicast", "Multicast packets received by %s", .file = "multicast", .unit = "packets"},
    {"tx:bytes", "Bytes sent by %s", .file = "tx_bytes", .unit = "bytes"},
    {"tx:packets", "Packets sent by %s", .file = "tx_packets", .unit = "packets"},
    {"tx:errors", "Packets that %s could not send", .file = "tx_errors", .unit = "packets"},
    {"tx:dropped", "Packets dropped before %s sent them, most often for lack of room", .file = "tx_dropped",
     .unit = "packets"},
    {"tx:fifo", "Packets lost because %s ran out of data to send", .file = "tx_fifo_errors",
     .unit = "packets"},
    {"tx:colls", "Collisions while %s sent", .file = "collisions", .unit = "collisions"},
    {"tx:carrier", "Packets that %s did not send because it lost its carrier", .file = "tx_carrier_errors",
     .unit = "packets"},
    {"tx:compressed", "Compressed packets sent by %s", .file = "tx_compressed", .unit = "packets"},
};
TEXT_ROWS_END

static int add_interface(void *to, const char *interface, struct reason *why)
{
    char folder[PATH_MAX];
    snprintf(folder, sizeof folder, INTERFACES "/%s/statistics/", interface);
    return files_add_rows(to, counts, sizeof counts / sizeof *counts, folder, interface, why);
}

static int list(const char *root, struct event_list *list, struct reason *why)
{
    struct files_list to = {root, list};
    return files_each(root, INTERFACES, "", add_interface, &to, why);
}

static void discover(struct pmu_table *pmus, struct component_state *state)
{
    files_discover(pmus, state, INTERFACES, "", "the network interfaces");
}

const struct component net_component = {
    FILES_COMPONENT("net"),
    .description = "What the machine's network interfaces sent and received",
    .list = list,
    .discover = discover,
};

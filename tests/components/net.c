/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A whole component, as docs/internals.md describes it: what the machine's network interfaces sent and
 * received, "net:::eth0:rx:bytes". Its events are numbers in files, which components/files reads.
 */
#include "base/sysroot.h"
#include "components/files.h"
#include "papi.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Documentation/ABI/testing/sysfs-class-net-statistics says what each file counts. The names are mostly those
 * of the columns of /proc/net/dev. */
#define INTERFACES "/sys/class/net"

static const struct {
    const char *name, *file, *description;
} counts[] = {
    {"rx:bytes", "rx_bytes", "Bytes received"},
    {"rx:packets", "rx_packets", "Packets received"},
    {"rx:errors", "rx_errors", "Packets received with an error"},
    {"rx:dropped", "rx_dropped", "Packets received and dropped, most often for lack of room"},
    {"rx:fifo", "rx_fifo_errors", "Packets lost because the device's queue was full"},
    {"rx:frame", "rx_frame_errors", "Packets received out of alignment"},
    {"rx:compressed", "rx_compressed", "Compressed packets received"},
    {"rx:multicast", "multicast", "Multicast packets received"},
    {"tx:bytes", "tx_bytes", "Bytes sent"},
    {"tx:packets", "tx_packets", "Packets sent"},
    {"tx:errors", "tx_errors", "Packets that could not be sent"},
    {"tx:dropped", "tx_dropped", "Packets dropped before they were sent, most often for lack of room"},
    {"tx:fifo", "tx_fifo_errors", "Packets lost because the device ran out of data to send"},
    {"tx:colls", "collisions", "Collisions while sending"},
    {"tx:carrier", "tx_carrier_errors", "Packets not sent because the carrier was lost"},
    {"tx:compressed", "tx_compressed", "Compressed packets sent"},
};

/* 0, or -1 with errno. */
static int interfaces(const char *root, struct dirent ***entry)
{
    char path[PATH_MAX];
    if (sysroot_path(root, INTERFACES, path, sizeof path) != 0)
        return -1;
    return scandir(path, entry, NULL, alphasort);
}

static void discover(struct pmu_table *pmus, struct component_state *state)
{
    char path[PATH_MAX];
    memset(state, 0, sizeof *state);
    DIR *folder = sysroot_path(pmus->root, INTERFACES, path, sizeof path) == 0 ? opendir(path) : NULL;
    if (folder != NULL) {
        closedir(folder);
        return;
    }
    state->disabled = error_passes(errno) ? PAPI_ESYS : PAPI_ENOSUPP;
    snprintf(state->disabled_reason, sizeof state->disabled_reason,
             INTERFACES " cannot be read: %s. It shows the network interfaces", strerror(errno));
}

static int add_interface(const char *interface, struct event_list *list, struct reason *why)
{
    char name[64], description[128], file[128];
    const struct component_event event = {.name = name, .description = description, .file = file};
    int code = PAPI_OK;
    for (size_t i = 0; i < sizeof counts / sizeof *counts && code == PAPI_OK; i++) {
        snprintf(name, sizeof name, "%.31s:%s", interface, counts[i].name);
        snprintf(description, sizeof description, "%s by %.31s", counts[i].description, interface);
        snprintf(file, sizeof file, INTERFACES "/%.31s/statistics/%s", interface, counts[i].file);
        code = event_list_add(list, &event, why);
    }
    return code;
}

static int list(const char *root, struct event_list *list, struct reason *why)
{
    struct dirent **entry;
    int code = PAPI_OK, n = interfaces(root, &entry);
    if (n < 0)
        return error_passes(errno) ? reason_unreadable(INTERFACES, why) : PAPI_OK;
    for (int i = 0; i < n; i++) {
        /* bonding_masters is a file. */
        if (entry[i]->d_name[0] != '.' && entry[i]->d_type != DT_REG && code == PAPI_OK)
            code = add_interface(entry[i]->d_name, list, why);
        free(entry[i]);
    }
    free(entry);
    return code;
}

extern const struct component net_component;
const struct component net_component = {
    .name = "net",
    .short_name = "net",
    .description = "What the machine's network interfaces sent and received",
    .version = "1.0",
    .prefix = "net:::",
    .listed_by = "papi_native_avail",
    .list = list,
    .default_domain = PAPI_DOM_ALL,
    .available_domains = PAPI_DOM_ALL,
    .max_multiplexed = MAX_COUNTERS,
    .discover = discover,
    .try_event = files_try_event,
    .check_form = files_check_form,
    .create = files_create,
};

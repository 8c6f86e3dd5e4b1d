/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Bytes and requests that the machine's disks read and wrote, "disk:::sda:read_bytes".
 */
#include "components/components.h"
#include "components/file_group.h"
#include "papi.h"

#include <limits.h>
#include <stdio.h>

/* Documentation/block/stat.rst says what each number of the file is. */
#define DISKS "/sys/block"

enum { SECTOR = 512 }; /* whatever the disk's own */

TEXT_ROWS_BEGIN
static const struct event_row counts[] = {
    {"reads", "Requests to read that %s has completed", .word = 0, .file = "stat", .unit = "requests"},
    {"reads_merged", "Requests to read that became one with another before %s got them", .word = 1,
     .file = "stat", .unit = "requests"},
    {"read_bytes", "Bytes read from %s", .word = 2, .times = SECTOR, .file = "stat", .unit = "bytes"},
    {"read_ms", "Time that requests to read waited for %s, added up", .word = 3, .file = "stat",
     .unit = "ms"},
    {"writes", "Requests to write that %s has completed", .word = 4, .file = "stat", .unit = "requests"},
    {"writes_merged", "Requests to write that became one with another before %s got them", .word = 5,
     .file = "stat", .unit = "requests"},
    {"write_bytes", "Bytes written to %s", .word = 6, .times = SECTOR, .file = "stat", .unit = "bytes"},
    {"write_ms", "Time that requests to write waited for %s, added up", .word = 7, .file = "stat",
     .unit = "ms"},
    {"in_flight", "Requests that %s has not yet completed", .word = 8, .level = true, .file = "stat",
     .unit = "requests"},
    {"busy_ms", "Time in which %s had a request", .word = 9, .file = "stat", .unit = "ms"},
    {"wait_ms", "Time that requests waited for %s, added up", .word = 10, .file = "stat", .unit = "ms"},
};
TEXT_ROWS_END

static int add_disk(void *to, const char *disk, struct reason *why)
{
    char folder[PATH_MAX];
    snprintf(folder, sizeof folder, DISKS "/%s/", disk);
    return files_add_rows(to, counts, sizeof counts / sizeof *counts, folder, disk, why);
}

static int list(const char *root, struct event_list *list, struct reason *why)
{
    struct files_list to = {root, list};
    return files_each(root, DISKS, "", add_disk, &to, why);
}

static void discover(struct pmu_table *pmus, struct component_state *state)
{
    files_discover(pmus, state, DISKS, "", "the disks");
}

const struct component disk_component = {
    FILES_COMPONENT("disk"),
    .description = "What the machine's disks read and wrote",
    .list = list,
    .discover = discover,
};

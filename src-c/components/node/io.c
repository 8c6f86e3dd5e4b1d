/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Bytes and calls by which this process read and wrote, "io:::read_bytes", and each of its threads,
 * "io:::thread:read_bytes".
 */
#include "components/components.h"
#include "components/file_group.h"
#include "papi.h"

#include <stdio.h>

/* proc(5) says what each line of the file counts. */
TEXT_ROWS_BEGIN
static const struct event_row counts[] = {
    {"rchar", "Bytes read by %s, from whatever", .line = "rchar:", .unit = "bytes"},
    {"wchar", "Bytes written by %s, to whatever", .line = "wchar:", .unit = "bytes"},
    {"syscr", "Calls of read and their like by %s", .line = "syscr:", .unit = "calls"},
    {"syscw", "Calls of write and their like by %s", .line = "syscw:", .unit = "calls"},
    {"read_bytes", "Bytes that disks read for %s", .line = "read_bytes:", .unit = "bytes"},
    {"write_bytes", "Bytes that disks have to write for %s", .line = "write_bytes:", .unit = "bytes"},
    {"cancelled_write_bytes",
     "Bytes that disks did not have to write for %s, as the file was cut or removed before",
     .line = "cancelled_write_bytes:", .unit = "bytes"},
};
TEXT_ROWS_END

enum { COUNTS = sizeof counts / sizeof *counts };

static int add_counts(const struct files_list *to, const char *file, const char *before, const char *subject,
                      struct reason *why)
{
    char name[PAPI_MIN_STR_LEN];
    int code = PAPI_OK;
    for (int i = 0; i < COUNTS && code == PAPI_OK; i++) {
        struct component_event event = event_of_row(&counts[i]);
        event.file = file;
        event.of_thread = before[0] != '\0';
        snprintf(name, sizeof name, "%s%s", before, counts[i].name);
        code = files_add(to, &event, "", name, subject, why);
    }
    return code;
}

static int list(const char *root, struct event_list *list, struct reason *why)
{
    const struct files_list to = {root, list};
    int code = add_counts(&to, "/proc/self/io", "", "this process", why);
    return code == PAPI_OK ? add_counts(&to, "/proc/thread-self/io", "thread:", "this thread", why) : code;
}

static void discover(struct pmu_table *pmus, struct component_state *state)
{
    files_discover(pmus, state, "/proc/self", "io", "what the process read and wrote");
}

static int check_options(const char *root, const struct group_options *options, struct reason *why)
{
    (void)root;
    if (options->target != 0 || options->whole_cpu)
        return reason_set(
            why, PAPI_ECMP,
            "component io counts what the calling process and thread read and write; it does not "
            "attach to others");
    return PAPI_OK;
}

const struct component io_component = {
    FILES_MEMBERS("io"),
    .granularity = PAPI_GRN_PROC,
    .description = "What this process and its threads read and wrote",
    .list = list,
    .discover = discover,
    .check_options = check_options,
};

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Bytes that this node read from Lustre file systems and wrote to them, "lustre:::scratch_llread".
 */
#include "base/sysroot.h"
#include "components/components.h"
#include "components/file_group.h"
#include "papi.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The client's files, one folder for each mount: "scratch-ffff880300ff". A line of them is "read_bytes 12
 * samples [bytes] 1 4096 8192": how often, the smallest, the greatest, all together. */
static const char *const places[] = {"/proc/fs/lustre/llite", "/sys/kernel/debug/lustre/llite"};

TEXT_ROWS_BEGIN
static const struct event_row counts[] = {
    {"_llread", "Bytes read from the Lustre file system %s", .file = "/stats", .line = "read_bytes",
     .word = 5, .unit = "bytes"},
    {"_llwrite", "Bytes written to the Lustre file system %s", .file = "/stats", .line = "write_bytes",
     .word = 5, .unit = "bytes"},
    {"_wrong_readahead", "Pages of the Lustre file system %s that were read in advance and not used",
     .file = "/read_ahead_stats", .line = "read but discarded", .unit = "pages"},
};
TEXT_ROWS_END

struct place {
    const struct files_list *to;
    const char *folder;
};

static int add_mount(void *context, const char *mount, struct reason *why)
{
    const struct place *place = context;
    char folder[PATH_MAX], name[PAPI_MIN_STR_LEN], subject[64];
    int code = PAPI_OK, length = (int)(strchrnul(mount, '-') - mount);
    snprintf(folder, sizeof folder, "%s/%s", place->folder, mount);
    snprintf(subject, sizeof subject, "%.*s", length, mount);
    for (size_t i = 0; i < sizeof counts / sizeof *counts && code == PAPI_OK; i++) {
        snprintf(name, sizeof name, "%s%s", subject, counts[i].name);
        code = files_add_row(place->to, &counts[i], folder, name, subject, why);
    }
    return code;
}

static int list(const char *root, struct event_list *list, struct reason *why)
{
    const struct files_list to = {root, list};
    int code = PAPI_OK;
    for (size_t i = 0; i < sizeof places / sizeof *places && code == PAPI_OK && list->n == 0; i++)
        code = files_each(root, places[i], "", add_mount, &(struct place){&to, places[i]}, why);
    return code;
}

#define SHOWN "what is read from Lustre file systems and written to them"

/* Looks for Lustre in two folders. The second is root's alone, whether there is Lustre or not: the kernel's
 * module has a folder, too. */
static void discover(struct pmu_table *pmus, struct component_state *state)
{
    struct component_state second = {0};
    char path[PATH_MAX];
    files_discover(pmus, state, places[0], "", SHOWN);
    if (state->disabled.code == PAPI_OK)
        return;
    files_discover(pmus, &second, places[1], "", SHOWN);
    bool is_here =
        sysroot_path(pmus->root, "/sys/fs/lustre", path, sizeof path) == 0 && access(path, F_OK) == 0;
    if (second.disabled.code == PAPI_OK || is_here)
        *state = second;
}

const struct component lustre_component = {
    FILES_COMPONENT("lustre"),
    .description = "What this node read from Lustre file systems and wrote to them",
    .list = list,
    .discover = discover,
};

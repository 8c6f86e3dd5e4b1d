/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The time in which the machine's programs waited for what was short, "pressure:::memory:some".
 */
#include "components/components.h"
#include "components/file_group.h"
#include "papi.h"

#include <stdio.h>

/* Documentation/accounting/psi.rst: "some avg10=0.00 avg60=0.00 avg300=0.00 total=12345". */
#define PRESSURE "/proc/pressure"
enum { TOTAL = 3 };

TEXT_ROWS_BEGIN
static const struct event_row counts[] = {
    {"some", "Time in which at least one program waited for %s", .line = "some", .word = TOTAL, .unit = "us"},
    {"full", "Time in which all programs that had work to do waited for %s", .line = "full", .word = TOTAL,
     .unit = "us"},
};
TEXT_ROWS_END

static int add_resource(void *to, const char *resource, struct reason *why)
{
    char file[64];
    snprintf(file, sizeof file, PRESSURE "/%.40s", resource);
    return files_add_rows(to, counts, sizeof counts / sizeof *counts, file, resource, why);
}

static int list(const char *root, struct event_list *list, struct reason *why)
{
    struct files_list to = {root, list};
    return files_each(root, PRESSURE, "", add_resource, &to, why);
}

static void discover(struct pmu_table *pmus, struct component_state *state)
{
    files_discover(pmus, state, PRESSURE, "",
                   "how long programs wait for processors, memory and disks (Linux 4.20, with psi=1)");
}

const struct component pressure_component = {
    FILES_COMPONENT("pressure"),
    .description = "The time in which programs waited for processors, memory or disks",
    .list = list,
    .discover = discover,
};

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The limit of a POWER node's power, "powercap_ppc:::CURRENT_POWER", as the firmware OPAL has it.
 */
#include "components/components.h"
#include "components/file_group.h"
#include "papi.h"

/* Documentation/ABI/testing/sysfs-firmware-opal-powercap says what each file holds. */
#define LIMITS "/sys/firmware/opal/powercap/system-powercap"

#define LIMIT .unit = "W", .level = true

TEXT_ROWS_BEGIN
static const struct event_row values[] = {
    {"MIN_POWER", "The lowest limit of the node's power that can be set", LIMIT, .file = "/powercap-min"},
    {"MAX_POWER", "The highest limit of the node's power that can be set", LIMIT, .file = "/powercap-max"},
    {"CURRENT_POWER", "The limit of the node's power that is in force", LIMIT, .file = "/powercap-current",
     .writable = true},
};
TEXT_ROWS_END

static int list(const char *root, struct event_list *list, struct reason *why)
{
    const struct files_list to = {root, list};
    int code = PAPI_OK;
    for (size_t i = 0; i < sizeof values / sizeof *values && code == PAPI_OK; i++)
        code = files_add_row(&to, &values[i], LIMITS, values[i].name, "", why);
    return code;
}

static void discover(struct pmu_table *pmus, struct component_state *state)
{
    files_discover(pmus, state, LIMITS, "powercap-",
                   "the limits of power of a POWER9 node or a later one that runs without a hypervisor");
}

const struct component powercap_ppc_component = {
    FILES_COMPONENT("powercap_ppc"),
    .description = "The limit of the power of a POWER node",
    .list = list,
    .discover = discover,
};

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The component of PAPI 7 that describes the machine: programs look for it by its name, and ask
 * PAPI_enum_dev_type and its sisters (api/device_calls.c), which answer in any case. It counts nothing.
 */
#include "components/components.h"
#include "components/file_group.h"
#include "papi.h"

static int list_nothing(const char *root, struct event_list *list, struct reason *why)
{
    (void)root;
    (void)list;
    (void)why;
    return 0;
}

static void discover(struct pmu_table *pmus, struct component_state *state)
{
    (void)pmus;
    (void)state;
}

const struct component sysdetect_component = {
    FILES_COMPONENT("sysdetect"),
    .description = "The machine's devices, by PAPI_enum_dev_type and papi_hardware_avail: it has no events",
    .list = list_nothing,
    .discover = discover,
};

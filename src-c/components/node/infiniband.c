/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Counts of the ports of InfiniBand adapters, "infiniband:::mlx5_0_1:port_xmit_data".
 */
#include "base/sysroot.h"
#include "components/components.h"
#include "components/file_group.h"
#include "papi.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Documentation/ABI/stable/sysfs-class-infiniband says what each file counts. */
#define ADAPTERS "/sys/class/infiniband"

enum { OCTETS = 4 }; /* in the unit of the counters of data: a lane's word */

struct port {
    const struct files_list *to;
    const char *adapter;
    char folder[PATH_MAX], subject[PAPI_MIN_STR_LEN]; /* "mlx5_0_1" */
};

static int add_counter(void *context, const char *file, struct reason *why)
{
    const struct port *port = context;
    char name[PAPI_MIN_STR_LEN], description[PAPI_MIN_STR_LEN];
    bool data = strstr(file, "xmit_data") != NULL || strstr(file, "rcv_data") != NULL;
    const struct component_event event = {
        .description = description, .file = file, .unit = data ? "bytes" : NULL, .times = data ? OCTETS : 1};
    if (strcmp(file, "lifespan") == 0) /* how often the others are brought up to date */
        return PAPI_OK;
    snprintf(description, sizeof description, "%.60s of the port %%s%s", file,
             data ? ", which the adapter counts in words of 4 bytes" : "");
    snprintf(name, sizeof name, "%s:%s", port->subject, file);
    return files_add(port->to, &event, port->folder, name, port->subject, why);
}

static bool is_active(const char *root, const char *port)
{
    char path[PATH_MAX], state[64];
    snprintf(path, sizeof path, "%.4000s/state", port);
    return sysroot_line(root, path, state, sizeof state) >= 0 && strstr(state, "ACTIVE") != NULL;
}

static int add_port(void *context, const char *number, struct reason *why)
{
    static const struct {
        const char *folder, *suffix;
    } kinds[] = {{"counters", ""}, {"counters_ext", "_ext"}, {"hw_counters", ""}};
    struct port *port = context;
    char folder[512];
    int code = PAPI_OK;
    snprintf(folder, sizeof folder, ADAPTERS "/%s/ports/%s", port->adapter, number);
    if (!is_active(port->to->root, folder))
        return PAPI_OK;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds && code == PAPI_OK; i++) {
        snprintf(port->folder, sizeof port->folder, "%s/%s/", folder, kinds[i].folder);
        snprintf(port->subject, sizeof port->subject, "%.60s_%.10s%s", port->adapter, number,
                 kinds[i].suffix);
        code = files_each(port->to->root, port->folder, "", add_counter, port, why);
    }
    return code;
}

static int add_adapter(void *context, const char *adapter, struct reason *why)
{
    char folder[PATH_MAX];
    struct port *port = malloc(sizeof *port);
    if (port == NULL)
        return reason_set(why, PAPI_ENOMEM, "out of memory");
    port->to = context;
    port->adapter = adapter;
    snprintf(folder, sizeof folder, ADAPTERS "/%s/ports", adapter);
    int code = files_each(port->to->root, folder, "", add_port, port, why);
    free(port);
    return code;
}

static int list(const char *root, struct event_list *list, struct reason *why)
{
    struct files_list to = {root, list};
    return files_each(root, ADAPTERS, "", add_adapter, &to, why);
}

static void discover(struct pmu_table *pmus, struct component_state *state)
{
    files_discover(pmus, state, ADAPTERS, "", "the ports of InfiniBand and Omni-Path adapters");
}

const struct component infiniband_component = {
    FILES_COMPONENT("infiniband"),
    .description = "What the active ports of InfiniBand adapters sent, received and lost",
    .list = list,
    .discover = discover,
};

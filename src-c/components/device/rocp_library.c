/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/sysroot.h"
#include "components/components.h"
#include "components/device/device_places.h"
#include "components/device/rocp.h"
#include "papi.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- library */

#define ROW(member, name, need, result, arguments) DEVICE_FUNCTION(rocp_functions, member, name, need),
static const struct device_function functions[] = {ROCP_FUNCTIONS(ROW)};

static int choose_names(struct rocp_functions *call, struct reason *why)
{
    if (call->create_config == NULL || call->destroy_config == NULL) {
        call->create_config = call->create_old;
        call->destroy_config = call->destroy_old;
    }
    return call->create_config != NULL && call->destroy_config != NULL
               ? PAPI_OK
               : reason_set(
                     why, PAPI_ENOSUPP,
                     "librocprofiler-sdk.so lacks the function rocprofiler_create_counter_config: it is of "
                     "another version");
}

/* Reads the version of the ROCm that the library is part of; false: nothing says it. */
static bool rocm_version(const struct rocp *rocp, char *folder, size_t size, int version[3])
{
    char path[PATH_MAX], line[64];
    void *function;
    memcpy(&function, &rocp->call.version, sizeof function);
    return device_library_root(function, folder, size) &&
           snprintf(path, sizeof path, "%.4000s/.info/version", folder) > 0 &&
           sysroot_line("", path, line, sizeof line) > 0 &&
           sscanf(line, "%d.%d.%d", &version[0], &version[1], &version[2]) == 3;
}

/* Refuses versions before that of ROCm 6.3.2, whose device counting does not work. */
static int check_version(const struct rocp *rocp, struct reason *why)
{
    uint32_t major = 0, minor = 0, patch = 0;
    char folder[PATH_MAX];
    int rocm[3];
    int code = rocp_result(rocp, rocp->call.version(&major, &minor, &patch), "the version", why);
    if (code != PAPI_OK)
        return code;
    if (rocm_version(rocp, folder, sizeof folder, rocm) && rocm[0] * 10000 + rocm[1] * 100 + rocm[2] < 60302)
        return reason_set(
            why, PAPI_ENOSUPP,
            "ROCm %d.%d.%d in %.200s is older than 6.3.2, the first whose rocprofiler-sdk counts "
            "reliably: load a newer one, or name its folder in PAPI_ROCP_SDK_ROOT",
            rocm[0], rocm[1], rocm[2], folder);
    if (major == 0 && minor < 5)
        return reason_set(
            why, PAPI_ENOSUPP,
            "rocprofiler-sdk %u.%u.%u is older than 0.5, that of ROCm 6.3.2, the first that counts "
            "reliably: load a newer ROCm, or name its folder in PAPI_ROCP_SDK_ROOT",
            major, minor, patch);
    return PAPI_OK;
}

static int load(struct rocp *rocp, const char *root, struct reason *why)
{
    const struct device_library_source source = rocprofiler_places();
    return device_library_open(&source, root, &rocp->units.library, functions,
                               sizeof functions / sizeof *functions, &rocp->call, why)
               ?: choose_names(&rocp->call, why)
               ?: check_version(rocp, why);
}

/* Finds out whether there is a device at all. Who names the library's file has it loaded all the same. */
static int find_device(const char *root, struct reason *why)
{
    const struct device_trace trace = {
        "/sys/class/kfd/kfd/topology/nodes", "", "gpu_id", 0,
        "there is no AMD device here that the kernel's driver amdgpu serves for computing (no GPU in "
        "/sys/class/kfd/kfd/topology/nodes), or none that this container or job may use"};
    return device_setting("PAPI_ROCP_SDK_LIB") != NULL ? PAPI_OK : device_shown(&trace, root, why);
}

/* ---- devices and counters */

/* The context of an iteration over the library's answers. */
struct looking {
    const struct rocp *rocp;
    struct device_unit *unit;
    int code;
};

static int note_counter(struct looking *looking, struct rocp_handle id)
{
    struct rocp_counter_info info = {.name = NULL};
    if (looking->rocp->call.counter_info(id, ROCP_COUNTER_INFO_V0, &info) != ROCP_SUCCESS ||
        !device_is_name(info.name))
        return PAPI_OK;
    bool ratio = info.is_derived && info.expression != NULL && strchr(info.expression, '/') != NULL;
    const struct device_metric metric = {
        .name = (char *)info.name,
        .id = id.handle,
        .value = ratio              ? DEVICE_MEAN
                 : info.is_constant ? DEVICE_LAST
                                    : DEVICE_SUM,
    };
    return device_add_metric(looking->unit, &metric);
}

static int note_counters(struct rocp_handle agent, struct rocp_handle *counters, size_t n, void *data)
{
    enum { MOST_COUNTERS = 1 << 14 };
    struct looking *looking = data;
    (void)agent;
    for (size_t i = 0; i < n && i < MOST_COUNTERS && looking->code == PAPI_OK; i++)
        looking->code = note_counter(looking, counters[i]);
    return ROCP_SUCCESS;
}

static int note_agents(int version, const void **agents, size_t n, void *data)
{
    struct rocp *rocp = data;
    (void)version;
    for (size_t i = 0; i < n && rocp->units.n_units < MOST_DEVICES; i++) {
        const struct rocp_agent *agent = agents[i];
        if (agent->type != ROCP_AGENT_GPU)
            continue;
        rocp->device[rocp->units.n_devices].agent = agent->id;
        device_add_unit(&rocp->units, rocp->units.n_devices++, -1);
    }
    return ROCP_SUCCESS;
}

static int find_counters(struct rocp *rocp, int i, struct reason *why)
{
    struct looking looking = {rocp, &rocp->units.unit[i], PAPI_OK};
    int status = rocp->call.counters(rocp->device[i].agent, note_counters, &looking);
    if (status != ROCP_SUCCESS && looking.unit->n_metrics == 0)
        return rocp_result(rocp, status, "the counters of a device", why);
    return looking.code == PAPI_OK ? PAPI_OK : reason_set(why, looking.code, "out of memory");
}

static int find_devices(struct rocp *rocp, struct reason *why)
{
    enum { AGENT_SIZE = sizeof(struct rocp_agent) };
    int code = rocp_result(rocp, rocp->call.agents(ROCP_AGENT_INFO_V0, note_agents, AGENT_SIZE, rocp),
                           "the devices", why);
    if (code != PAPI_OK)
        return code;
    if (rocp->units.n_devices == 0)
        return reason_set(
            why, PAPI_ENOSUPP,
            "AMD's rocprofiler-sdk finds no device here that this user may use: the user must be in "
            "the groups render and video (sudo usermod -aG render,video $USER)");
    for (int i = 0; i < rocp->units.n_devices && code == PAPI_OK; i++)
        code = find_counters(rocp, i, why);
    return code;
}

static int switch_kernels(struct device_kernels *kernels, bool on)
{
    struct rocp *rocp = (struct rocp *)((char *)kernels - offsetof(struct rocp, kernels));
    return on ? rocp->call.start(rocp->context) : rocp->call.stop(rocp->context);
}

int rocp_open(struct device_units *units, const char *root, struct reason *why)
{
    struct rocp *rocp = (struct rocp *)units;
    int code = find_device(root, why) ?: load(rocp, root, why) ?: find_devices(rocp, why);
    if (code != PAPI_OK && units->library != NULL)
        dlclose(units->library);
    rocp->dispatch = secure_getenv("PAPI_ROCP_SDK_DISPATCH_MODE") != NULL;
    device_kernels_begin(&rocp->kernels, switch_kernels);
    return code;
}

/* ---- client */

static void take_buffer(struct rocp_handle context, struct rocp_handle buffer, void **headers, size_t n,
                        void *data, uint64_t dropped)
{
    (void)context, (void)buffer, (void)headers, (void)n, (void)data, (void)dropped;
}

static int make_device_context(struct rocp *rocp, struct rocp_device *device)
{
    enum { BUFFER = 4096, WATERMARK = 2048 };
    struct rocp_handle buffer = {0};
    return rocp->call.create_context(&device->context)
               ?: rocp->call.create_buffer(device->context, BUFFER, WATERMARK, ROCP_BUFFER_LOSSLESS, take_buffer,
                                           NULL, &buffer)
               ?: rocp->call.count_device(device->context, buffer, device->agent, rocp_choose_config, device);
}

static int make_contexts(struct rocp *rocp)
{
    int status = ROCP_SUCCESS, valid = 1;
    if (rocp->dispatch)
        return rocp->call.create_context(&rocp->context)
                   ?: rocp->call.count_dispatches(rocp->context, rocp_kernel_launched, rocp,
                                                  rocp_kernel_recorded, rocp);
    for (int i = 0; i < rocp->units.n_devices && status == ROCP_SUCCESS; i++)
        status = make_device_context(rocp, &rocp->device[i])
                     ?: rocp->call.context_is_valid(rocp->device[i].context, &valid);
    return valid != 0 ? status : ROCP_CONTEXT_CONFLICT;
}

static int initialize(void (*finalize)(struct rocp_client), void *data)
{
    struct rocp *rocp = data;
    (void)finalize;
    int status = make_contexts(rocp);
    rocp_result(rocp, status, "the counters' configuration", &rocp->cannot_count);
    rocp->configured = true;
    return status == ROCP_SUCCESS ? 0 : -1;
}

static struct rocp_tool *configure(uint32_t version, const char *runtime, uint32_t priority,
                                   struct rocp_client *client)
{
    struct rocp *rocp = *component_kept(&rocp_sdk_component);
    (void)version, (void)runtime, (void)priority;
    client->name = "libpapi";
    rocp->tool = (struct rocp_tool){.size = sizeof rocp->tool, .initialize = initialize, .data = rocp};
    return &rocp->tool;
}

/* Becomes a client. Programs that use no event of the component have none, and the runtime of HIP finds no
 * function of this library by its name. */
static void configure_once(struct rocp *rocp)
{
    int before = 0;
    if (rocp->call.is_initialized(&before) == ROCP_SUCCESS && before != 0) {
        reason_set(
            &rocp->cannot_count, PAPI_ENOSUPP,
            "AMD's rocprofiler-sdk is in use already, by another tool or since the program's first HIP "
            "call: run without that tool, and add the first event of rocp_sdk before any HIP call");
        return;
    }
    int status = rocp->call.configure(configure);
    if (rocp->cannot_count.code == PAPI_OK && (status != ROCP_SUCCESS || !rocp->configured))
        rocp_failed(rocp, status, PAPI_ENOSUPP,
                    "libpapi is not taken as a tool (add the first event of rocp_sdk before any HIP call)",
                    &rocp->cannot_count);
}

int rocp_configure(struct rocp *rocp, struct reason *why)
{
    if (!rocp->configured && rocp->cannot_count.code == PAPI_OK)
        configure_once(rocp);
    return reason_pass(&rocp->cannot_count, why);
}

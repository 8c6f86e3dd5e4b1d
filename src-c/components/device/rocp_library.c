/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/array.h"
#include "base/sysroot.h"
#include "components/components.h"
#include "components/device/device_library.h"
#include "components/device/rocp.h"
#include "components/file_group.h"
#include "papi.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define LIBRARY "librocprofiler-sdk.so"
#define NODES "/sys/class/kfd/kfd/topology/nodes"

int rocp_failed(const struct rocp *rocp, int status, const char *what, struct reason *why)
{
    const char *text = rocp->call.text != NULL ? rocp->call.text(status) : NULL;
    const char *advice =
        status == ROCP_HSA_NOT_LOADED
            ? "; start counting after the program's first HIP call (hipInit), and add events before it"
        : status == ROCP_PERMISSION_DENIED
            ? "; the user must be in the groups render and video: sudo usermod -aG render,video $USER"
        : status == ROCP_INCOMPATIBLE_KERNEL ? "; the kernel's driver amdgpu is too old for this ROCm"
        : status == ROCP_CONTEXT_CONFLICT    ? "; another tool counts on the device"
                                             : "";
    return reason_set(why, PAPI_ENOSUPP, "%s: AMD's rocprofiler-sdk answers \"%.120s\" (%d)%s", what,
                      text != NULL ? text : "an error", status, advice);
}

/* ---- library */

#define FUNCTION(NAME, MEMBER, NEED)                                                                         \
    {                                                                                                        \
        "rocprofiler_" NAME, offsetof(struct rocp_functions, MEMBER), NEED                                   \
    }

static const struct device_function functions[] = {
    FUNCTION("get_version", version, DEVICE_NEEDED),
    FUNCTION("get_status_string", text, DEVICE_OPTIONAL),
    FUNCTION("is_initialized", is_initialized, DEVICE_NEEDED),
    FUNCTION("force_configure", configure, DEVICE_NEEDED),
    FUNCTION("query_available_agents", agents, DEVICE_NEEDED),
    FUNCTION("iterate_agent_supported_counters", counters, DEVICE_NEEDED),
    FUNCTION("query_counter_info", counter_info, DEVICE_NEEDED),
    FUNCTION("iterate_counter_dimensions", dimensions, DEVICE_NEEDED),
    FUNCTION("create_context", create_context, DEVICE_NEEDED),
    FUNCTION("context_is_valid", context_is_valid, DEVICE_NEEDED),
    FUNCTION("create_buffer", create_buffer, DEVICE_NEEDED),
    FUNCTION("configure_device_counting_service", count_device, DEVICE_NEEDED),
    FUNCTION("sample_device_counting_service", sample_device, DEVICE_NEEDED),
    FUNCTION("configure_callback_dispatch_counting_service", count_dispatches, DEVICE_NEEDED),
    FUNCTION("create_counter_config", create_config, DEVICE_OPTIONAL),
    FUNCTION("destroy_counter_config", destroy_config, DEVICE_OPTIONAL),
    FUNCTION("create_profile_config", create_old, DEVICE_OPTIONAL),
    FUNCTION("destroy_profile_config", destroy_old, DEVICE_OPTIONAL),
    FUNCTION("start_context", start, DEVICE_NEEDED),
    FUNCTION("stop_context", stop, DEVICE_NEEDED),
    FUNCTION("query_record_counter_id", record_counter, DEVICE_NEEDED),
    FUNCTION("query_record_dimension_position", record_position, DEVICE_NEEDED),
};

static int find_functions(struct rocp *rocp, struct reason *why)
{
    struct rocp_functions *call = &rocp->call;
    int code = device_library_functions(rocp->library, LIBRARY, functions,
                                        sizeof functions / sizeof *functions, call, why);
    if (code != PAPI_OK)
        return code;
    if (call->create_config == NULL || call->destroy_config == NULL) {
        call->create_config = call->create_old;
        call->destroy_config = call->destroy_old;
    }
    return call->create_config != NULL && call->destroy_config != NULL
               ? PAPI_OK
               : reason_set(why, PAPI_ENOSUPP,
                            LIBRARY " lacks the function rocprofiler_create_counter_config: it is of another "
                                    "version");
}

/* Reads the version of the ROCm that the library is part of; false: nothing says it. */
static bool rocm_version(const struct rocp *rocp, char *folder, size_t size, int version[3])
{
    Dl_info info;
    void *function;
    char path[PATH_MAX];
    memcpy(&function, &rocp->call.version, sizeof function);
    if (dladdr(function, &info) == 0 || strlen(info.dli_fname) >= size)
        return false;
    strcpy(folder, info.dli_fname);
    for (int i = 0; i < 2; i++) {
        char *slash = strrchr(folder, '/');
        if (slash == NULL || slash == folder)
            return false;
        *slash = '\0';
    }
    char line[64];
    return snprintf(path, sizeof path, "%.4000s/.info/version", folder) > 0 &&
           sysroot_line("", path, line, sizeof line) > 0 &&
           sscanf(line, "%d.%d.%d", &version[0], &version[1], &version[2]) == 3;
}

/* Refuses versions before that of ROCm 6.3.2, whose device counting does not work. */
static int check_version(const struct rocp *rocp, struct reason *why)
{
    uint32_t major = 0, minor = 0, patch = 0;
    char folder[PATH_MAX];
    int rocm[3];
    int status = rocp->call.version(&major, &minor, &patch);
    if (status != ROCP_SUCCESS)
        return rocp_failed(rocp, status, "the version", why);
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
    static const char *const files[] = {"librocprofiler-sdk.so.1", "librocprofiler-sdk.so.0", LIBRARY, NULL};
    const char *own = secure_getenv("PAPI_ROCP_SDK_ROOT");
    const struct device_library_source source = {
        .files = files,
        .file_variable = "PAPI_ROCP_SDK_LIB",
        .root_variable = own != NULL && own[0] != '\0' ? "PAPI_ROCP_SDK_ROOT" : "PAPI_ROCM_ROOT",
        .usual_root = "/opt/rocm",
        .folders = (const char *const[]){"lib", "lib64", NULL},
        .advice =
            "which is in AMD's package rocprofiler-sdk of ROCm: install it, or name the folder of ROCm in "
            "PAPI_ROCP_SDK_ROOT, or the file in PAPI_ROCP_SDK_LIB",
    };
    int code = device_library_load(&source, root, &rocp->library, why);
    if (code == PAPI_OK)
        code = find_functions(rocp, why) ?: check_version(rocp, why);
    if (code != PAPI_OK && rocp->library != NULL)
        dlclose(rocp->library);
    return code;
}

/* ---- device in sysfs */

static int note_device(void *context, const char *entry, struct reason *why)
{
    struct {
        const char *root;
        bool found;
    } *search = context;
    char path[PATH_MAX];
    long long gpu = 0;
    (void)why;
    if (snprintf(path, sizeof path, NODES "/%.100s/gpu_id", entry) > 0 &&
        sysroot_number(search->root, path, &gpu) == 0 && gpu != 0)
        search->found = true;
    return PAPI_OK;
}

/* Finds out whether the kernel has a device at all, before a library of its vendor looks for it. Who names
 * the library's file has it loaded all the same. */
static int find_device(const char *root, struct reason *why)
{
    struct {
        const char *root;
        bool found;
    } search = {root, false};
    const char *file = secure_getenv("PAPI_ROCP_SDK_LIB");
    if (file != NULL && file[0] != '\0')
        return PAPI_OK;
    int code = files_each(root, NODES, "", note_device, &search, why);
    if (code != PAPI_OK || search.found)
        return code;
    return reason_set(
        why, PAPI_ENOSUPP,
        "there is no AMD device here that the kernel's driver amdgpu serves for computing (no GPU "
        "in " NODES "), or none that this container or job may use");
}

/* ---- devices and counters */

static bool is_name(const char *name)
{
    return name != NULL && name[0] != '\0' && strlen(name) < PAPI_MIN_STR_LEN &&
           name[strcspn(name, ":= \t\n")] == '\0';
}

/* The context of an iteration over the library's answers. */
struct looking {
    const struct rocp *rocp;
    struct rocp_device *device;
    int code;
};

static int note_counter(struct looking *looking, struct rocp_handle id)
{
    struct rocp_counter_info info = {.name = NULL};
    struct rocp_device *device = looking->device;
    if (looking->rocp->call.counter_info(id, ROCP_COUNTER_INFO_V0, &info) != ROCP_SUCCESS ||
        !is_name(info.name))
        return PAPI_OK;
    char *name = ARRAY_GROW(device->counter, device->n_counters) ? strdup(info.name) : NULL;
    if (name == NULL)
        return PAPI_ENOMEM;
    device->counter[device->n_counters++] = (struct rocp_counter){
        .name = name,
        .id = id,
        .ratio = info.is_derived && info.expression != NULL && strchr(info.expression, '/') != NULL,
        .constant = info.is_constant,
    };
    return PAPI_OK;
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
    for (size_t i = 0; i < n && rocp->n_devices < MOST_DEVICES; i++) {
        const struct rocp_agent *agent = agents[i];
        if (agent->type == ROCP_AGENT_GPU)
            rocp->device[rocp->n_devices++].agent = agent->id;
    }
    return ROCP_SUCCESS;
}

static int find_counters(struct rocp *rocp, struct rocp_device *device, struct reason *why)
{
    struct looking looking = {rocp, device, PAPI_OK};
    int status = rocp->call.counters(device->agent, note_counters, &looking);
    if (status != ROCP_SUCCESS && device->n_counters == 0)
        return rocp_failed(rocp, status, "the counters of a device", why);
    return looking.code == PAPI_OK ? PAPI_OK : reason_set(why, looking.code, "out of memory");
}

static int find_devices(struct rocp *rocp, struct reason *why)
{
    enum { AGENT_SIZE = sizeof(struct rocp_agent) };
    int status = rocp->call.agents(ROCP_AGENT_INFO_V0, note_agents, AGENT_SIZE, rocp);
    if (status != ROCP_SUCCESS)
        return rocp_failed(rocp, status, "the devices", why);
    if (rocp->n_devices == 0)
        return reason_set(
            why, PAPI_ENOSUPP,
            "AMD's rocprofiler-sdk finds no device here that this user may use: the user must be in "
            "the groups render and video (sudo usermod -aG render,video $USER)");
    int code = PAPI_OK;
    for (int i = 0; i < rocp->n_devices && code == PAPI_OK; i++)
        code = find_counters(rocp, &rocp->device[i], why);
    return code;
}

static void free_rocp(struct rocp *rocp)
{
    for (int i = 0; i < rocp->n_devices; i++) {
        for (int k = 0; k < rocp->device[i].n_counters; k++)
            free(rocp->device[i].counter[k].name);
        free(rocp->device[i].counter);
    }
    free(rocp);
}

static int open_new(const char *root, struct rocp **out, struct reason *why)
{
    int code = find_device(root, why);
    struct rocp *rocp = code == PAPI_OK ? calloc(1, sizeof *rocp) : NULL;
    if (rocp == NULL)
        return code ?: reason_set(why, PAPI_ENOMEM, "out of memory");
    code = load(rocp, root, why);
    if (code == PAPI_OK && (code = find_devices(rocp, why)) != PAPI_OK)
        dlclose(rocp->library);
    if (code != PAPI_OK) {
        free_rocp(rocp);
        return code;
    }
    const char *dispatch = secure_getenv("PAPI_ROCP_SDK_DISPATCH_MODE");
    rocp->dispatch = dispatch != NULL;
    rocp->owners.process = getpid();
    pthread_mutex_init(&rocp->lock, NULL);
    pthread_mutex_init(&rocp->switching, NULL);
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&rocp->recorded, &monotonic);
    *out = rocp;
    return PAPI_OK;
}

int rocp_open(const char *root, struct rocp **out, struct reason *why)
{
    void *_Atomic *kept = component_kept(&rocp_sdk_component);
    *out = *kept;
    if (*out != NULL && (*out)->owners.process != getpid())
        return reason_set(
            why, PAPI_ENOSUPP,
            "AMD's rocprofiler-sdk was opened by the process that this one was forked from, and "
            "does not work in its children: fork before the first of its events is asked for");
    if (*out != NULL)
        return PAPI_OK;
    int code = open_new(root, out, why);
    if (code == PAPI_OK)
        *kept = *out;
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
    for (int i = 0; i < rocp->n_devices && status == ROCP_SUCCESS; i++)
        status = make_device_context(rocp, &rocp->device[i])
                     ?: rocp->call.context_is_valid(rocp->device[i].context, &valid);
    return valid != 0 ? status : ROCP_CONTEXT_CONFLICT;
}

static int initialize(void (*finalize)(struct rocp_client), void *data)
{
    struct rocp *rocp = data;
    (void)finalize;
    int status = make_contexts(rocp);
    if (status != ROCP_SUCCESS)
        rocp_failed(rocp, status, "the counters' configuration", &rocp->cannot_count);
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
        rocp_failed(rocp, status,
                    "libpapi is not taken as a tool (add the first event of rocp_sdk before any HIP call)",
                    &rocp->cannot_count);
}

int rocp_configure(struct rocp *rocp, struct reason *why)
{
    if (!rocp->configured && rocp->cannot_count.code == PAPI_OK)
        configure_once(rocp);
    return reason_pass(&rocp->cannot_count, why);
}

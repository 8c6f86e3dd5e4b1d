/* SPDX-License-Identifier: BSD-3-Clause
 *
 * AMD's devices: rocprofiler-sdk's records of kernels and copies, and its callbacks around the calls of HIP.
 * Its structures are written here from its documents, and were seen on no device. So nothing is taken for
 * granted: kinds and operations are found by their names, and a record is used where its sizes, its kind, its
 * devices and its times agree. One that does not is never a figure: nothing is said of AMD's devices then.
 */
#include "activity/rocprofiler_activity.h"
#include "components/device/device_places.h"
#include "papi.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define FUNCTION(NAME, MEMBER, NEED)                                                                         \
    {                                                                                                        \
        "rocprofiler_" NAME, offsetof(struct rocp_tracing_functions, MEMBER), NEED                           \
    }

static const struct device_function functions[] = {
    FUNCTION("get_version", version, DEVICE_NEEDED),
    FUNCTION("get_status_string", text, DEVICE_OPTIONAL),
    FUNCTION("is_initialized", is_initialized, DEVICE_NEEDED),
    FUNCTION("force_configure", configure, DEVICE_NEEDED),
    FUNCTION("query_available_agents", agents, DEVICE_NEEDED),
    FUNCTION("get_timestamp", timestamp, DEVICE_NEEDED),
    FUNCTION("create_context", create_context, DEVICE_NEEDED),
    FUNCTION("create_buffer", create_buffer, DEVICE_NEEDED),
    FUNCTION("flush_buffer", flush, DEVICE_NEEDED),
    FUNCTION("start_context", start, DEVICE_NEEDED),
    FUNCTION("configure_buffer_tracing_service", trace, DEVICE_NEEDED),
    FUNCTION("configure_callback_tracing_service", call_back, DEVICE_NEEDED),
    FUNCTION("query_buffer_tracing_kind_name", buffer_kind, DEVICE_NEEDED),
    FUNCTION("query_callback_tracing_kind_name", call_kind, DEVICE_NEEDED),
    FUNCTION("query_buffer_tracing_kind_operation_name", buffer_operation, DEVICE_NEEDED),
    FUNCTION("query_callback_tracing_kind_operation_name", call_operation, DEVICE_NEEDED),
};

enum { BUFFER = 1 << 20, WATERMARK = BUFFER / 4 * 3 };

static const char *const call_kinds[ROCP_CALL_KINDS] = {"HIP_RUNTIME_API", "CODE_OBJECT", "KERNEL_DISPATCH",
                                                        "MEMORY_COPY"};

/* ---- start */

static int failed(int status, const char *what, struct reason *why)
{
    const char *text = rocprofiler()->call.text != NULL ? rocprofiler()->call.text(status) : NULL;
    return reason_set(why, PAPI_ENOSUPP, "%s: AMD's rocprofiler-sdk answers \"%.120s\" (%d)", what,
                      text != NULL ? text : "an error", status);
}

static int not_known(struct reason *why)
{
    const uint32_t *version = rocprofiler()->version;
    return reason_set(
        why, PAPI_ENOSUPP,
        "what rocprofiler-sdk %u.%u.%u records is not known to this library, so that nothing is "
        "said of AMD's devices: load the ROCm of another version (PAPI_ROCP_SDK_ROOT; known are "
        "6.3.2 to 7)",
        version[0], version[1], version[2]);
}

static int load(struct reason *why)
{
    const struct device_library_source source = rocprofiler_places();
    struct rocprofiler *of = rocprofiler();
    int code = device_library_open(&source, NULL, &of->library, functions,
                                   sizeof functions / sizeof *functions, &of->call, why);
    if (code != PAPI_OK)
        return code;
    int status = of->call.version(&of->version[0], &of->version[1], &of->version[2]);
    if (status != ROCP_SUCCESS)
        return failed(status, "the version", why);
    bool known = of->version[0] == 1 || (of->version[0] == 0 && of->version[1] >= 5);
    return known ? PAPI_OK : not_known(why);
}

/* The kind of a name; 0: there is none. */
static int kind_named(int (*ask)(int kind, const char **name, uint64_t *length), const char *wanted)
{
    for (int i = 1; i < ROCP_KINDS; i++) {
        const char *name = NULL;
        uint64_t length = 0;
        if (ask(i, &name, &length) == ROCP_SUCCESS && name != NULL && strcmp(name, wanted) == 0)
            return i;
    }
    return 0;
}

static bool ends_with(const char *name, const char *end)
{
    size_t length = strlen(name), wanted = strlen(end);
    return length >= wanted && strcmp(name + length - wanted, end) == 0;
}

static const char *operation_name(int (*ask)(int kind, int operation, const char **name, uint64_t *length),
                                  int kind, int operation)
{
    const char *name = NULL;
    uint64_t length = 0;
    return kind != 0 && ask(kind, operation, &name, &length) == ROCP_SUCCESS && name != NULL ? name : "";
}

static void find_directions(struct rocprofiler *of)
{
    static const struct {
        const char *name;
        enum device_work_kind kind;
    } directions[] = {{"HOST_TO_DEVICE", WORK_COPY_IN},
                      {"DEVICE_TO_HOST", WORK_COPY_OUT},
                      {"DEVICE_TO_DEVICE", WORK_COPY_ON}};
    for (int i = 0; i < ROCP_KINDS; i++) {
        const char *name = operation_name(of->call.buffer_operation, of->copy_kind, i);
        of->direction[i] = WORK_COPY;
        for (size_t k = 0; k < sizeof directions / sizeof *directions; k++)
            if (ends_with(name, directions[k].name))
                of->direction[i] = directions[k].kind;
    }
}

static void find_operations(struct rocprofiler *of)
{
    of->symbol_operation = of->enqueue_operation = -1;
    for (int i = 0; i < ROCP_OPERATIONS; i++) {
        const char *name = operation_name(of->call.call_operation, of->kind_of_call[ROCP_HIP_CALL], i);
        of->launches[i] =
            strstr(name, "Launch") != NULL || strstr(name, "emcpy") != NULL || strstr(name, "emset") != NULL;
    }
    for (int i = 0; i < ROCP_KINDS; i++) {
        if (strstr(operation_name(of->call.call_operation, of->kind_of_call[ROCP_CODE_OBJECT], i),
                   "DEVICE_KERNEL_SYMBOL") != NULL)
            of->symbol_operation = i;
        if (ends_with(operation_name(of->call.call_operation, of->kind_of_call[ROCP_KERNEL_LAUNCH], i),
                      "ENQUEUE"))
            of->enqueue_operation = i;
    }
}

/* Finds kinds and operations; false: those that are needed are not there, or not where they can be told. */
static bool find_kinds(struct rocprofiler *of)
{
    of->kernel_kind = kind_named(of->call.buffer_kind, "KERNEL_DISPATCH");
    of->copy_kind = kind_named(of->call.buffer_kind, "MEMORY_COPY");
    for (int i = 0; i < ROCP_CALL_KINDS; i++) {
        of->kind_of_call[i] = kind_named(of->call.call_kind, call_kinds[i]);
        if (of->kind_of_call[i] <= ROCP_PHASE_EXIT)
            of->kind_of_call[i] = 0;
    }
    find_directions(of);
    find_operations(of);
    return of->kernel_kind != 0 && of->copy_kind != 0 && of->kind_of_call[ROCP_HIP_CALL] != 0;
}

static int ask_for_calls(struct rocprofiler *of)
{
    int status = ROCP_SUCCESS;
    for (intptr_t i = 0; i < ROCP_CALL_KINDS && status == ROCP_SUCCESS; i++)
        if (of->kind_of_call[i] != 0)
            status =
                of->call.call_back(of->context, of->kind_of_call[i], NULL, 0, rocp_around_call, (void *)i);
    return status;
}

/* Called by the library while it takes its clients, the only time at which they may ask for something. */
static int initialize(void (*finalize)(struct rocp_client), void *data)
{
    struct rocprofiler *of = data;
    (void)finalize;
    of->status = of->call.create_context(&of->context)
                     ?: of->call.create_buffer(of->context, BUFFER, WATERMARK, ROCP_BUFFER_LOSSLESS, rocp_take_buffer,
                                               NULL, &of->buffer)
                     ?: of->call.trace(of->context, of->kernel_kind, NULL, 0, of->buffer)
                     ?: of->call.trace(of->context, of->copy_kind, NULL, 0, of->buffer)
                     ?: ask_for_calls(of)
                     ?: of->call.start(of->context);
    of->configured = true;
    return of->status == ROCP_SUCCESS ? 0 : -1;
}

static struct rocp_tool *configure(uint32_t version, const char *runtime, uint32_t priority,
                                   struct rocp_client *client)
{
    struct rocprofiler *of = rocprofiler();
    (void)version, (void)runtime, (void)priority;
    client->name = "libpapi_activity";
    of->tool = (struct rocp_tool){.size = sizeof of->tool, .initialize = initialize, .data = of};
    return &of->tool;
}

/* Becomes the one client that a process may have. */
static int become_client(struct reason *why)
{
    struct rocprofiler *of = rocprofiler();
    int before = 0;
    if (of->call.is_initialized(&before) == ROCP_SUCCESS && before != 0)
        return reason_set(
            why, PAPI_ECNFLCT,
            "AMD's rocprofiler-sdk is in use already, by another tool, by events of the component rocp_sdk, "
            "or "
            "since the program's first HIP call: run without these (unset ROCP_TOOL_LIBRARIES), and have "
            "recording begin (in an MPI program MPI_Init) before any HIP call");
    int status = of->call.configure(configure);
    if (of->status != ROCP_SUCCESS)
        return failed(of->status, "records of kernels and copies", why);
    return status == ROCP_SUCCESS && of->configured
               ? PAPI_OK
               : failed(status, "libpapi_activity is not taken as a tool (it must be before any HIP call)",
                        why);
}

/* The same in the client that the library takes at this moment. */
static int be_client(struct reason *why)
{
    struct rocprofiler *of = rocprofiler();
    return initialize(NULL, of) == 0 ? PAPI_OK : failed(of->status, "records of kernels and copies", why);
}

static int find_devices(struct reason *why)
{
    enum { AGENT_SIZE = sizeof(struct rocp_agent) };
    struct rocprofiler *of = rocprofiler();
    bool device[ROCP_AGENTS];
    int status = of->call.agents(ROCP_AGENT_INFO_V0, rocp_note_agents, AGENT_SIZE, of);
    if (status != ROCP_SUCCESS)
        return failed(status, "the devices", why);
    if (of->n_devices == 0)
        return reason_set(
            why, PAPI_ENOSUPP,
            "AMD's rocprofiler-sdk finds no device here that this user may use: the user must be in "
            "the groups render and video (sudo usermod -aG render,video $USER)");
    for (int i = 0; i < of->n_agents; i++)
        device[i] = of->agent[i].device >= 0;
    kfd_devices(device, of->n_agents, of->device, of->n_devices);
    return PAPI_OK;
}

static int start(bool in_driver, struct reason *why)
{
    struct rocprofiler *of = calloc(1, sizeof *of);
    if (of == NULL)
        return reason_set(why, PAPI_ENOMEM, "out of memory");
    activity.vendor[ACTIVITY_AMD].state = of;
    pthread_mutex_init(&of->lock, NULL);
    int code = load(why) ?: find_devices(why);
    if (code != PAPI_OK)
        return code;
    of->begun = rocp_now();
    if (!find_kinds(of))
        return not_known(why);
    return in_driver ? be_client(why) : become_client(why);
}

/* ---- while it runs */

/* Work of a device that has begun and has no record. */
static uint64_t missing(int device)
{
    uint64_t launched = rocprofiler()->launched[device], recorded = rocprofiler()->recorded[device];
    return launched > recorded ? launched - recorded : 0;
}

static uint64_t missing_everywhere(void)
{
    uint64_t n = 0;
    for (int i = 0; i < rocprofiler()->n_devices; i++)
        n += missing(i);
    return n > rocprofiler()->n_dropped ? n - rocprofiler()->n_dropped : 0;
}

/* Records come a moment after a device has ended: they are waited for, but not for what runs longer. */
static void wait_for_records(void)
{
    enum { TRIES = 100, PAUSE_NS = 5000000 };
    for (int i = 0; i < TRIES && missing_everywhere() > 0; i++) {
        nanosleep(&(struct timespec){0, PAUSE_NS}, NULL);
        rocprofiler()->call.flush(rocprofiler()->buffer);
    }
}

static void flush(bool all)
{
    struct rocprofiler *of = rocprofiler();
    of->call.flush(of->buffer);
    if (!all)
        return;
    wait_for_records();
    for (int i = 0; i < of->n_devices && missing_everywhere() > 0; i++)
        for (uint64_t n = missing(i); n > 0; n--) {
            of->recorded[i]++;
            activity_unfinished(ACTIVITY_AMD, i);
        }
}

static int check(struct reason *why)
{
    return rocprofiler()->unknown ? not_known(why) : PAPI_OK;
}

static uint64_t dropped(void)
{
    return rocprofiler()->n_dropped;
}

static void describe(struct device_activity *device)
{
    if (device->number >= rocprofiler()->n_devices)
        return;
    const struct kfd_device *known = &rocprofiler()->device[device->number];
    memcpy(device->name, known->name, sizeof device->name);
    memcpy(device->address, known->address, sizeof device->address);
}

/* Not told where a variable hides devices: rocprofiler-sdk shows all the same. */
static int count(void)
{
    static const char *const hiding[] = {"ROCR_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES",
                                         "CUDA_VISIBLE_DEVICES", "GPU_DEVICE_ORDINAL"};
    for (size_t i = 0; i < sizeof hiding / sizeof *hiding; i++)
        if (secure_getenv(hiding[i]) != NULL)
            return -1;
    return rocprofiler()->n_devices;
}

const struct activity_vendor rocprofiler_vendor = {
    .runtime = "libamdhip64.so",
    .variables = (const char *const[]){"PAPI_ROCP_SDK_LIB", "PAPI_ROCP_SDK_ROOT", "PAPI_ROCM_ROOT", NULL},
    .shown = kfd_shows_device,
    .start = start,
    .now = rocp_now,
    .flush = flush,
    .check = check,
    .dropped = dropped,
    .describe = describe,
    .count = count,
};

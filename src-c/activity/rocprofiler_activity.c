/* SPDX-License-Identifier: BSD-3-Clause
 *
 * AMD's devices: rocprofiler-sdk's records of kernels and copies, and its callbacks around the calls of HIP.
 * Its structures are written here from its documents, and were seen on no device. So nothing is taken for
 * granted: kinds and operations are found by their names, and a record is used where its sizes, its kind, its
 * devices and its times agree. One that does not is never a figure: nothing is said of AMD's devices then.
 */
#include "activity/activity.h"
#include "activity/kfd.h"
#include "components/device/device_places.h"
#include "components/device/rocprofiler.h"
#include "papi.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define SECOND UINT64_C(1000000000)

enum { BUFFER = 1 << 20, WATERMARK = BUFFER / 4 * 3, KINDS = 64, OPERATIONS = 1024, AGENTS = 256 };
enum { TRACING = 1 }; /* the category of a record */
enum { PHASE_ENTER = 1, PHASE_EXIT = 2 };

/* A callback's argument, by value: a context, a thread, the call's number and what else identifies it, which
 * is one word or two; then its kind and operation, its phase, and where its own data are. */
struct call {
    uint64_t word[8];
};

struct header {
    uint32_t category, kind;
    const char *record;
};

typedef void call_function(struct call call, void *user_data, void *data);

struct functions {
    int (*version)(uint32_t *major, uint32_t *minor, uint32_t *patch);
    const char *(*text)(int status);
    int (*is_initialized)(int *status), (*configure)(rocp_configure_function *function);
    int (*agents)(int version, int (*each)(int version, const void **agents, size_t n, void *data),
                  size_t agent_size, void *data);
    int (*timestamp)(uint64_t *ns), (*create_context)(struct rocp_handle *context);
    int (*create_buffer)(struct rocp_handle context, size_t size, size_t watermark, int policy,
                         rocp_buffer_function *function, void *data, struct rocp_handle *buffer);
    int (*flush)(struct rocp_handle buffer), (*start)(struct rocp_handle context);
    int (*trace)(struct rocp_handle context, int kind, int *operation, size_t n, struct rocp_handle buffer);
    int (*call_back)(struct rocp_handle context, int kind, int *operation, size_t n, call_function *function,
                     void *data);
    int (*buffer_kind)(int kind, const char **name, uint64_t *length);
    int (*call_kind)(int kind, const char **name, uint64_t *length);
    int (*buffer_operation)(int kind, int operation, const char **name, uint64_t *length);
    int (*call_operation)(int kind, int operation, const char **name, uint64_t *length);
};

#define FUNCTION(NAME, MEMBER, NEED)                                                                         \
    {                                                                                                        \
        "rocprofiler_" NAME, offsetof(struct functions, MEMBER), NEED                                        \
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

/* Kinds of callbacks; the first alone is there in every version. */
enum call_kind { HIP_CALL, CODE_OBJECT, KERNEL_LAUNCH, COPY_LAUNCH, CALL_KINDS };
static const char *const call_kinds[CALL_KINDS] = {"HIP_RUNTIME_API", "CODE_OBJECT", "KERNEL_DISPATCH",
                                                   "MEMORY_COPY"};

struct rocprofiler {
    struct functions call;
    void *library;
    struct rocp_tool tool;
    uint32_t version[3];
    int status; /* of the configuration */
    bool configured;
    struct rocp_handle context, buffer;
    int kernel_kind, copy_kind, kind_of_call[CALL_KINDS];
    bool launches[OPERATIONS]; /* calls of HIP after which a device has something to do */
    int symbol_operation, enqueue_operation;
    enum device_work_kind direction[KINDS];
    int n_agents;
    struct {
        uint64_t id;
        int device; /* its number; -1: a processor */
    } agent[AGENTS];
    struct kfd_device device[ACTIVITY_DEVICES];
    int n_devices;
    uint64_t begun;
    _Atomic uint64_t n_dropped;
    _Atomic bool unknown; /* a record or a callback was not as it should be */
    _Atomic uint64_t launched[ACTIVITY_DEVICES], recorded[ACTIVITY_DEVICES];
    pthread_mutex_t lock;
    char **symbol; /* of a kernel, by its number */
    size_t n_symbols;
};

static struct rocprofiler *rocprofiler(void)
{
    return activity.vendor[ACTIVITY_AMD].state;
}

static uint64_t now(void)
{
    uint64_t ns = 0;
    rocprofiler()->call.timestamp(&ns);
    return ns;
}

static uint64_t word_at(const char *of, size_t place)
{
    uint64_t word;
    memcpy(&word, of + place, sizeof word);
    return word;
}

/* ---- agents */

/* The place of an agent; -1: there is none of this number, so that it is another thing. */
static int agent_of(uint64_t id)
{
    for (int i = 0; i < rocprofiler()->n_agents; i++)
        if (rocprofiler()->agent[i].id == id)
            return i;
    return -1;
}

/* The number of a device; -1: the agent is none. */
static int device_of(uint64_t id)
{
    int agent = agent_of(id);
    return agent >= 0 ? rocprofiler()->agent[agent].device : -1;
}

static int note_agents(int version, const void **agents, size_t n, void *data)
{
    struct rocprofiler *of = data;
    (void)version;
    for (size_t i = 0; i < n && of->n_agents < AGENTS; i++) {
        const struct rocp_agent *agent = agents[i];
        bool device = agent->type == ROCP_AGENT_GPU && of->n_devices < ACTIVITY_DEVICES;
        of->agent[of->n_agents].id = agent->id.handle;
        of->agent[of->n_agents++].device = device ? of->n_devices++ : -1;
    }
    return ROCP_SUCCESS;
}

/* ---- kernels' names */

static void note_symbol(uint64_t number, const char *name)
{
    enum { MOST = 1 << 20 };
    struct rocprofiler *of = rocprofiler();
    size_t length = strlen(name);
    if (length > 3 && strcmp(name + length - 3, ".kd") == 0) /* the descriptor of the kernel */
        length -= 3;
    if (number >= MOST)
        return;
    pthread_mutex_lock(&of->lock);
    if (number >= of->n_symbols) {
        size_t n = number + 64;
        char **grown = realloc(of->symbol, n * sizeof *grown);
        if (grown != NULL) {
            memset(grown + of->n_symbols, 0, (n - of->n_symbols) * sizeof *grown);
            of->symbol = grown;
            of->n_symbols = n;
        }
    }
    if (number < of->n_symbols && of->symbol[number] == NULL)
        of->symbol[number] = strndup(name, length);
    pthread_mutex_unlock(&of->lock);
}

static const char *symbol_of(uint64_t number)
{
    struct rocprofiler *of = rocprofiler();
    pthread_mutex_lock(&of->lock);
    const char *name = number < of->n_symbols ? of->symbol[number] : NULL;
    pthread_mutex_unlock(&of->lock);
    return name != NULL ? name : "";
}

/* ---- records */

/* The number of bytes that identify a call in a record, 16 or 24; 0: the record has neither layout. A
 * kernel's ends with a structure that has its own size, a copy's has one of few sizes. */
static size_t identity_of_kernel(const char *record)
{
    size_t found = 0, size = word_at(record, 0);
    for (size_t identity = 16; identity <= 24; identity += 8) {
        size_t before = 40 + identity;
        if (size >= before + 80 && word_at(record, before) == size - before &&
            device_of(word_at(record, before + 8)) >= 0)
            found = found == 0 ? identity : SIZE_MAX;
    }
    return found == SIZE_MAX ? 0 : found;
}

static size_t identity_of_copy(const char *record)
{
    size_t size = word_at(record, 0), identity = size == 80 || size == 96    ? 16
                                                 : size == 88 || size == 104 ? 24
                                                                             : 0;
    bool agents = identity != 0 && agent_of(word_at(record, 40 + identity)) >= 0 &&
                  agent_of(word_at(record, 48 + identity)) >= 0;
    return agents ? identity : 0;
}

/* True for times between the begin of recording and now, or a begin without an end. */
static bool are_times(uint64_t begin, uint64_t end)
{
    return begin + 60 * SECOND >= rocprofiler()->begun && begin <= now() + SECOND &&
           (end == 0 || (end >= begin && end <= now() + SECOND));
}

static void take(const char *record, size_t identity, struct device_work work)
{
    work.begin = word_at(record, 24 + identity);
    work.end = word_at(record, 32 + identity);
    work.launch = word_at(record, 16);
    if (!are_times(work.begin, work.end)) {
        rocprofiler()->unknown = true;
        return;
    }
    rocprofiler()->recorded[work.device]++;
    activity_record(ACTIVITY_AMD, &work);
}

static void take_kernel(const char *record)
{
    size_t identity = identity_of_kernel(record);
    if (identity == 0) {
        rocprofiler()->unknown = true;
        return;
    }
    take(record, identity,
         (struct device_work){.device = device_of(word_at(record, 48 + identity)),
                              .kind = WORK_KERNEL,
                              .name = symbol_of(word_at(record, 64 + identity))});
}

/* A copy is of the device that gets it, or else of that which it is from. */
static int device_of_copy(uint64_t to, uint64_t from)
{
    return device_of(to) >= 0 ? device_of(to) : device_of(from);
}

static void take_copy(const char *record)
{
    size_t identity = identity_of_copy(record);
    uint32_t operation = (uint32_t)(word_at(record, 8) >> 32);
    if (identity == 0 || operation >= KINDS) {
        rocprofiler()->unknown = true;
        return;
    }
    uint64_t to = word_at(record, 40 + identity), from = word_at(record, 48 + identity);
    int device = device_of_copy(to, from);
    enum device_work_kind kind = rocprofiler()->direction[operation];
    if (kind == WORK_COPY_ON && to != from)
        kind = WORK_COPY_OVER;
    if (device >= 0) /* else it is between memories of the host, by no device */
        take(record, identity,
             (struct device_work){
                 .device = device, .kind = kind, .name = "", .bytes = word_at(record, 56 + identity)});
}

static void take_buffer(struct rocp_handle context, struct rocp_handle buffer, void **headers, size_t n,
                        void *data, uint64_t dropped)
{
    struct rocprofiler *of = rocprofiler();
    (void)context, (void)buffer, (void)data;
    of->n_dropped += dropped;
    for (size_t i = 0; i < n; i++) {
        const struct header *header = headers[i];
        uint32_t kind = (uint32_t)word_at(header->record, 8);
        if (header->category != TRACING || kind != header->kind)
            of->unknown = true;
        else if ((int)kind == of->kernel_kind)
            take_kernel(header->record);
        else if ((int)kind == of->copy_kind)
            take_copy(header->record);
    }
}

/* ---- calls */

static void around_hip(uint32_t operation, uint32_t phase, uint64_t number, const char *data)
{
    bool launches = operation < OPERATIONS && rocprofiler()->launches[operation];
    (void)data;
    if (phase == PHASE_ENTER)
        activity_enter(ACTIVITY_AMD, launches ? number : 0);
    else if (phase == PHASE_EXIT)
        activity_leave();
}

/* Takes the name of a kernel whose code is loaded. */
static void around_code(uint32_t operation, uint32_t phase, uint64_t number, const char *data)
{
    enum { SMALLEST = 72 };
    (void)number;
    if ((int)operation != rocprofiler()->symbol_operation || phase != PHASE_ENTER || data == NULL)
        return;
    const char *name = (const char *)(uintptr_t)word_at(data, 24);
    if (word_at(data, 0) >= SMALLEST && name != NULL)
        note_symbol(word_at(data, 8), name);
}

static void count_launch(int device)
{
    if (device >= 0)
        rocprofiler()->launched[device]++;
}

/* Counts what is begun: the records that have not come when all is over are of what has not ended. */
static void around_kernel(uint32_t operation, uint32_t phase, uint64_t number, const char *data)
{
    (void)number;
    if ((int)operation == rocprofiler()->enqueue_operation && phase == PHASE_ENTER && data != NULL &&
        word_at(data, 0) >= 64 && word_at(data, 24) == word_at(data, 0) - 24)
        count_launch(device_of(word_at(data, 32)));
}

static void around_copy(uint32_t operation, uint32_t phase, uint64_t number, const char *data)
{
    (void)operation, (void)number;
    if (phase == PHASE_ENTER && data != NULL && word_at(data, 0) >= 48)
        count_launch(device_of_copy(word_at(data, 24), word_at(data, 32)));
}

/* Finds where a call's kind and phase are: they are one word later where its identity has one more. Kinds are
 * greater than phases, so that both cannot hold. */
static void around_call(struct call call, void *user_data, void *data)
{
    static void (*const around[CALL_KINDS])(uint32_t, uint32_t, uint64_t, const char *) = {
        around_hip, around_code, around_kernel, around_copy};
    int kind = (int)(intptr_t)data, number = rocprofiler()->kind_of_call[kind];
    (void)user_data;
    for (int i = 4; i <= 5; i++) {
        uint32_t phase = (uint32_t)call.word[i + 1];
        if ((int)(uint32_t)call.word[i] == number && phase <= PHASE_EXIT) {
            around[kind]((uint32_t)(call.word[i] >> 32), phase, call.word[2],
                         (const char *)(uintptr_t)call.word[i + 2]);
            return;
        }
    }
    rocprofiler()->unknown = true;
}

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
    for (int i = 1; i < KINDS; i++) {
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
    for (int i = 0; i < KINDS; i++) {
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
    for (int i = 0; i < OPERATIONS; i++) {
        const char *name = operation_name(of->call.call_operation, of->kind_of_call[HIP_CALL], i);
        of->launches[i] =
            strstr(name, "Launch") != NULL || strstr(name, "emcpy") != NULL || strstr(name, "emset") != NULL;
    }
    for (int i = 0; i < KINDS; i++) {
        if (strstr(operation_name(of->call.call_operation, of->kind_of_call[CODE_OBJECT], i),
                   "DEVICE_KERNEL_SYMBOL") != NULL)
            of->symbol_operation = i;
        if (ends_with(operation_name(of->call.call_operation, of->kind_of_call[KERNEL_LAUNCH], i), "ENQUEUE"))
            of->enqueue_operation = i;
    }
}

/* Finds kinds and operations; false: those that are needed are not there, or not where they can be told. */
static bool find_kinds(struct rocprofiler *of)
{
    of->kernel_kind = kind_named(of->call.buffer_kind, "KERNEL_DISPATCH");
    of->copy_kind = kind_named(of->call.buffer_kind, "MEMORY_COPY");
    for (int i = 0; i < CALL_KINDS; i++) {
        of->kind_of_call[i] = kind_named(of->call.call_kind, call_kinds[i]);
        if (of->kind_of_call[i] <= PHASE_EXIT)
            of->kind_of_call[i] = 0;
    }
    find_directions(of);
    find_operations(of);
    return of->kernel_kind != 0 && of->copy_kind != 0 && of->kind_of_call[HIP_CALL] != 0;
}

static int ask_for_calls(struct rocprofiler *of)
{
    int status = ROCP_SUCCESS;
    for (intptr_t i = 0; i < CALL_KINDS && status == ROCP_SUCCESS; i++)
        if (of->kind_of_call[i] != 0)
            status = of->call.call_back(of->context, of->kind_of_call[i], NULL, 0, around_call, (void *)i);
    return status;
}

/* Called by the library while it takes its clients, the only time at which they may ask for something. */
static int initialize(void (*finalize)(struct rocp_client), void *data)
{
    struct rocprofiler *of = data;
    (void)finalize;
    of->status = of->call.create_context(&of->context)
                     ?: of->call.create_buffer(of->context, BUFFER, WATERMARK, ROCP_BUFFER_LOSSLESS, take_buffer,
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
    bool device[AGENTS];
    int status = of->call.agents(ROCP_AGENT_INFO_V0, note_agents, AGENT_SIZE, of);
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
    of->begun = now();
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
    .now = now,
    .flush = flush,
    .check = check,
    .dropped = dropped,
    .describe = describe,
    .count = count,
};

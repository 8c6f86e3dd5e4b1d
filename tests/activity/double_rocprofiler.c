/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A library with the functions of librocprofiler-sdk.so that libpapi_activity uses. What the devices do is
 * what a test says. Numbers of kinds and operations are its own: they are found by name. With LACKS_CLOCK it
 * is of another version.
 */
#include "double_amd.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define VISIBLE __attribute__((visibility("default")))
#define CALL(name, ...)                                                                                      \
    VISIBLE int rocprofiler_##name(__VA_ARGS__);                                                             \
    VISIBLE int rocprofiler_##name(__VA_ARGS__)

enum { OK = 0, UNKNOWN = 2, LOCKED = 16, CONTEXT = 5, BUFFER = 77 };
enum { KERNELS = 21, COPIES = 22 };                      /* kinds of records */
enum { HIP = 31, CODE = 32, LAUNCHES = 33, MOVES = 34 }; /* kinds of callbacks */
enum { ENTER = 1, EXIT = 2, SYMBOL = 5, ENQUEUE = 6, CPU = 900, GPU = 1000, MOST = 32 };

struct call {
    uint64_t word[8];
};
typedef void call_function(struct call call, void *user_data, void *data);
typedef void buffer_function(uint64_t context, uint64_t buffer, void **headers, size_t n, void *data,
                             uint64_t dropped);

VISIBLE struct double_amd double_amd = {.now = 1000, .version = {1, 1, 0}, .devices = 2, .identity = 2};

static bool configuring;
static buffer_function *bring;
static struct {
    call_function *function;
    void *data;
} calls[MOVES - HIP + 1];

static void right(bool so)
{
    double_amd.wrong_calls += !so;
}

/* ---- client */

CALL(get_version, uint32_t *major, uint32_t *minor, uint32_t *patch)
{
    *major = double_amd.version[0];
    *minor = double_amd.version[1];
    *patch = double_amd.version[2];
    return OK;
}

VISIBLE const char *rocprofiler_get_status_string(int status);
VISIBLE const char *rocprofiler_get_status_string(int status)
{
    return status == LOCKED ? "configuration locked" : "an error of the test";
}

CALL(is_initialized, int *status)
{
    *status = double_amd.initialized;
    return OK;
}

#ifndef LACKS_CLOCK
CALL(get_timestamp, uint64_t *ns)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    *ns = double_amd.now ?: (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
    return OK;
}
#endif

struct agent {
    uint64_t size, id;
    int type;
    char rest[200];
};

CALL(query_available_agents, int version, int (*each)(int, const void **, size_t, void *), size_t size,
     void *data)
{
    struct agent agent[MOST];
    const void *pointer[MOST];
    right(version == 1 && size > 0 && double_amd.devices < MOST);
    for (int i = 0; i <= double_amd.devices; i++) {
        agent[i] = (struct agent){sizeof *agent, i == 0 ? CPU : (uint64_t)(GPU + i - 1), i == 0 ? 1 : 2, ""};
        pointer[i] = &agent[i];
    }
    return each(version, pointer, (size_t)double_amd.devices + 1, data);
}

struct client {
    size_t size;
    const char *name;
    uint32_t handle;
};
struct tool {
    size_t size;
    int (*initialize)(void (*finalize)(struct client), void *data);
    void (*finalize)(void *data);
    void *data;
};

typedef struct tool *configure_function(uint32_t, const char *, uint32_t, struct client *);

/* True if the client wants to be one, and could begin. */
static bool take_client(configure_function *configure)
{
    struct client client = {.size = sizeof client};
    const struct tool *tool = configure(10000, "1.0", 0, &client);
    if (tool == NULL)
        return false;
    right(tool->size >= sizeof *tool && client.name != NULL);
    double_amd.initialized = -1; /* which is what it says meanwhile */
    configuring = true;
    int result = tool->initialize(NULL, tool->data);
    configuring = false;
    double_amd.initialized = result == 0;
    return result == 0;
}

CALL(force_configure, configure_function *configure)
{
    if (double_amd.configure != OK || double_amd.initialized != 0)
        return double_amd.configure ?: LOCKED;
    return take_client(configure) ? OK : 1;
}

/* Takes the tools that a variable names, as it does before HIP's first call. */
VISIBLE int hipInit(unsigned flags);
VISIBLE int hipInit(unsigned flags)
{
    static char list[4096];
    char *rest = list, *path;
    (void)flags;
    if (double_amd.initialized != 0)
        return OK;
    snprintf(list, sizeof list, "%s", getenv("ROCP_TOOL_LIBRARIES") ?: "");
    while ((path = strsep(&rest, ":")) != NULL) {
        configure_function *configure = NULL;
        void *library = path[0] != '\0' ? dlopen(path, RTLD_NOW) : NULL;
        if (library != NULL)
            *(void **)&configure = dlsym(library, "rocprofiler_configure");
        if (configure != NULL)
            take_client(configure);
    }
    double_amd.initialized = 1;
    return OK;
}

CALL(create_context, uint64_t *context)
{
    *context = CONTEXT;
    return configuring ? double_amd.context : LOCKED;
}

CALL(create_buffer, uint64_t context, size_t size, size_t watermark, int policy, buffer_function *function,
     void *data, uint64_t *buffer)
{
    (void)data;
    right(context == CONTEXT && watermark <= size && policy == 2 && function != NULL);
    bring = function;
    *buffer = BUFFER;
    return configuring ? OK : LOCKED;
}

CALL(configure_buffer_tracing_service, uint64_t context, int kind, int *operation, size_t n, uint64_t buffer)
{
    right(context == CONTEXT && buffer == BUFFER && operation == NULL && n == 0);
    right(kind == KERNELS || kind == COPIES);
    double_amd.traced++;
    return configuring ? OK : LOCKED;
}

CALL(configure_callback_tracing_service, uint64_t context, int kind, int *operation, size_t n,
     call_function *function, void *data)
{
    right(context == CONTEXT && operation == NULL && n == 0 && kind >= HIP && kind <= MOVES);
    calls[kind - HIP].function = function;
    calls[kind - HIP].data = data;
    return configuring ? OK : LOCKED;
}

CALL(start_context, uint64_t context)
{
    right(context == CONTEXT && bring != NULL && double_amd.traced == 2);
    double_amd.started++;
    return OK;
}

/* ---- names */

struct name {
    int kind, operation; /* operation -1: of the kind itself */
    const char *name;
};

static int find(const struct name *names, size_t n, int kind, int operation, const char **name,
                uint64_t *length)
{
    for (size_t i = 0; i < n; i++)
        if (names[i].kind == kind && names[i].operation == operation) {
            *name = names[i].name;
            *length = strlen(names[i].name);
            return OK;
        }
    return UNKNOWN;
}

static const struct name of_records[] = {
    {KERNELS, -1, "KERNEL_DISPATCH"},          {COPIES, -1, "MEMORY_COPY"},
    {COPIES, 1, "MEMORY_COPY_HOST_TO_HOST"},   {COPIES, 2, "MEMORY_COPY_HOST_TO_DEVICE"},
    {COPIES, 3, "MEMORY_COPY_DEVICE_TO_HOST"}, {COPIES, 4, "MEMORY_COPY_DEVICE_TO_DEVICE"},
};
static const struct name of_calls[] = {
    {HIP, -1, "HIP_RUNTIME_API"},
    {CODE, -1, "CODE_OBJECT"},
    {LAUNCHES, -1, "KERNEL_DISPATCH"},
    {MOVES, -1, "MEMORY_COPY"},
    {HIP, 400, "hipLaunchKernel"},
    {HIP, 401, "hipDeviceSynchronize"},
    {HIP, 402, "hipMemcpyAsync"},
    {CODE, SYMBOL, "CODE_OBJECT_DEVICE_KERNEL_SYMBOL_REGISTER"},
    {LAUNCHES, ENQUEUE, "KERNEL_DISPATCH_ENQUEUE"},
};
#define IN(names) names, sizeof(names) / sizeof *(names)

CALL(query_buffer_tracing_kind_name, int kind, const char **name, uint64_t *length)
{
    return double_amd.kinds ?: find(IN(of_records), kind, -1, name, length);
}

CALL(query_callback_tracing_kind_name, int kind, const char **name, uint64_t *length)
{
    return find(IN(of_calls), kind, -1, name, length);
}

CALL(query_buffer_tracing_kind_operation_name, int kind, int operation, const char **name, uint64_t *length)
{
    return find(IN(of_records), kind, operation, name, length);
}

CALL(query_callback_tracing_kind_operation_name, int kind, int operation, const char **name, uint64_t *length)
{
    return find(IN(of_calls), kind, operation, name, length);
}

/* ---- calls */

static void call_back(int kind, uint32_t operation, uint32_t phase, uint64_t number, const void *data)
{
    struct call call = {{CONTEXT, 1234, number, 0, 0}};
    int at = 2 + double_amd.identity;
    call.word[at] = (uint64_t)operation << 32 | (uint32_t)(double_amd.strange_call ? 99 : kind);
    call.word[at + 1] = 0xabcdef00000000 | phase; /* what is not read may be anything */
    call.word[at + 2] = (uint64_t)(uintptr_t)data;
    if (double_amd.started > 0 && calls[kind - HIP].function != NULL)
        calls[kind - HIP].function(call, NULL, calls[kind - HIP].data);
}

VISIBLE double_call_of double_calls_of;
VISIBLE void double_calls_of(int domain, int side, const char *name, uint32_t number)
{
    (void)domain;
    for (size_t i = 0; i < sizeof of_calls / sizeof *of_calls; i++)
        if (of_calls[i].kind == HIP && strcmp(of_calls[i].name, name) == 0)
            call_back(HIP, (uint32_t)of_calls[i].operation, side == 0 ? ENTER : EXIT, number, NULL);
}

VISIBLE double_call double_calls;
VISIBLE void double_calls(int domain, int side)
{
    double_calls_of(domain, side, "hipDeviceSynchronize", 0);
}

/* ---- records, as the library lays them out */

static uint64_t agent_of(const struct double_record *record)
{
    return double_amd.strange_agent ? 4711 : GPU + record->device;
}

/* A kernel's name becomes known with its number. */
static uint64_t load_code(const struct double_work *work)
{
    static uint64_t number = 40;
    uint64_t symbol[9] = {sizeof symbol, ++number, 1, (uint64_t)(uintptr_t)work->name};
    if (work->name != NULL)
        call_back(CODE, SYMBOL, ENTER, 0, symbol);
    return work->name != NULL ? number : 0;
}

static void launch(const struct double_work *work)
{
    const struct double_record *record = &work->record;
    uint64_t kernel[19] = {sizeof kernel, 0, 0, 128, agent_of(record)};
    uint64_t copy[6] = {sizeof copy, 0, 0, agent_of(record), CPU, record->bytes};
    if (record->kind == 10)
        call_back(LAUNCHES, ENQUEUE, ENTER, work->launch, kernel);
    else
        call_back(MOVES, 1, ENTER, work->launch, copy);
}

struct header {
    uint32_t category, kind;
    uint64_t *record;
};

static void lay(uint64_t *record, int *n, uint64_t word)
{
    record[(*n)++] = word;
}

static void fill(struct header *header, const struct double_work *work, uint64_t kernel)
{
    const struct double_record *from = &work->record;
    bool is_kernel = from->kind == 10;
    int n = 1, inner;
    uint64_t *record = calloc(64, sizeof *record);
    *header = (struct header){1, is_kernel ? KERNELS : COPIES, record};
    lay(record, &n, (uint64_t)(is_kernel ? ENQUEUE : work->copy) << 32 | header->kind);
    lay(record, &n, work->launch);
    for (int i = 1; i < double_amd.identity; i++)
        lay(record, &n, 0);
    lay(record, &n, 4321); /* a thread */
    lay(record, &n, from->begin);
    lay(record, &n, double_amd.wrong_time ? from->begin - 1 : from->end);
    inner = n;
    if (is_kernel) {
        lay(record, &n, 128);
        lay(record, &n, agent_of(from));
        lay(record, &n, 99); /* a queue */
        lay(record, &n, kernel);
        n = inner + 16;
    } else {
        lay(record, &n, work->copy == 1 || work->copy == 3 ? CPU : agent_of(from));
        lay(record, &n,
            work->copy == 3 || (work->copy == 4 && from->device == 0) ? agent_of(from)
            : work->copy == 4                                         ? GPU
                                                                      : CPU);
        lay(record, &n, from->bytes);
    }
    record[0] = (uint64_t)(n + double_amd.more) * sizeof *record;
    if (double_amd.odd && is_kernel)
        record[inner] -= 8;
}

struct gift {
    const struct double_work *work;
    uint64_t *kernel;
    int n;
};

/* Gives a buffer's records; those that have not ended are in none. */
static int bring_buffer(const struct gift *gift, int from)
{
    struct header header[64];
    void *pointer[64];
    int n = 0, room = double_amd.room > 0 ? double_amd.room : 64, i = from;
    for (; i < gift->n && n < room; i++)
        if (gift->work[i].record.end != 0) {
            fill(&header[n], &gift->work[i], gift->kernel[i]);
            pointer[n] = &header[n];
            n++;
        }
    int dropped = double_amd.drop < n ? double_amd.drop : n;
    double_amd.drop -= dropped;
    bring(CONTEXT, BUFFER, pointer + dropped, (size_t)(n - dropped), NULL, (uint64_t)dropped);
    for (int k = 0; k < n; k++)
        free(header[k].record);
    return i;
}

static void *bring_all(void *of)
{
    const struct gift *gift = of;
    for (int i = 0; i < gift->n;)
        i = bring_buffer(gift, i);
    return NULL;
}

static void give(const struct gift *gift)
{
    pthread_t thread;
    if (double_amd.started > 0 && pthread_create(&thread, NULL, bring_all, (void *)gift) == 0)
        pthread_join(thread, NULL);
}

static struct gift waiting;

VISIBLE double_give_work double_gives_work;
VISIBLE void double_gives_work(const struct double_work *work, int n)
{
    struct gift gift = {work, calloc((size_t)n, sizeof *gift.kernel), n};
    for (int i = 0; i < n; i++) {
        gift.kernel[i] = load_code(&work[i]);
        launch(&work[i]);
    }
    if (double_amd.late > 0) {
        waiting = gift;
        return;
    }
    give(&gift);
    free(gift.kernel);
}

VISIBLE double_give double_gives;
VISIBLE void double_gives(const struct double_record *record, int n)
{
    struct double_work *work = calloc((size_t)n, sizeof *work);
    for (int i = 0; i < n; i++)
        work[i] = (struct double_work){.record = record[i], .copy = 2};
    double_gives_work(work, n);
    if (double_amd.late == 0)
        free(work);
}

/* ---- a program's calls */

enum { STARTED = 4096 };
static struct {
    pthread_mutex_t lock;
    struct double_work work[STARTED]; /* that the buffer has */
    uint64_t kernel[STARTED];
    int n;
    uint32_t calls;
} program = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void give_started(void)
{
    pthread_mutex_lock(&program.lock);
    if (program.n > 0)
        give(&(struct gift){program.work, program.kernel, program.n});
    program.n = 0;
    pthread_mutex_unlock(&program.lock);
}

#ifndef LACKS_CLOCK
VISIBLE double_starter double_amd_starts;
VISIBLE void double_amd_starts(const struct double_start *what)
{
    uint64_t now;
    double_amd.now = 0;
    hipInit(0);
    uint32_t number = __atomic_add_fetch(&program.calls, 1, __ATOMIC_RELAXED);
    double_calls_of(0, 0, what->function, number);
    pthread_mutex_lock(&program.lock);
    rocprofiler_get_timestamp(&now);
    const struct double_work work = {
        {what->kind, what->device, now - what->ns, now, what->bytes}, number, what->copy, what->kernel};
    program.kernel[program.n] = load_code(&work);
    launch(&work);
    program.work[program.n] = work;
    program.n += program.n < STARTED - 1;
    pthread_mutex_unlock(&program.lock);
    double_calls_of(0, 1, what->function, number);
}

VISIBLE double_kernel_starter double_amd_starts_kernel;
VISIBLE void double_amd_starts_kernel(const char *kernel, int64_t ns)
{
    double_amd_starts(&(struct double_start){"hipLaunchKernel", kernel, 10, 0, 0, (uint64_t)ns, 0});
}
#endif

CALL(flush_buffer, uint64_t buffer)
{
    give_started();
    right(buffer == BUFFER && double_amd.started > 0);
    double_amd.flushes++;
    if (double_amd.late > 0 && --double_amd.late == 0)
        give(&waiting);
    return OK;
}

#ifndef LACKS_CLOCK
VISIBLE double_job_clock double_jobs_clock;
VISIBLE uint64_t double_jobs_clock(void)
{
    uint64_t now;
    double_amd.now = 0;
    double_amd.devices = 8;
    rocprofiler_get_timestamp(&now);
    return now;
}
#endif

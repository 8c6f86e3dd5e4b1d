/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A library with the interface of rocprofiler-sdk, as far as the component rocp_sdk uses it. It has a
 * processor and two devices with counters of their own; strict about the order of calls. With OLD_NAMES the
 * functions for configurations have the names of before 1.0, with NO_CONFIG neither these nor those.
 */
#include "rocp_double.h"

#include <pthread.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>

#define VISIBLE __attribute__((visibility("default")))
#define CALL(type, name, ...)                                                                                \
    VISIBLE type rocprofiler_##name(__VA_ARGS__);                                                            \
    VISIBLE type rocprofiler_##name(__VA_ARGS__)

enum { LOCKED = 16, INVALID = 19, NO_HSA = 22, NO_ROOM = 29, OVER_LIMIT = 38 };
enum {
    DEVICES = ROCP_DOUBLE_DEVICES,
    COUNTERS = 10,
    DIMENSIONS = 2,
    CONTEXTS = 8,
    CONFIGS = 4096,
    KERNELS = 256
};

static void run(int device, long amount);
static int launch(int device, long amount);
static void end_kernel(int kernel);

VISIBLE struct rocp_double rocp_double = {
    .major = 1, .minor = 1, .n_devices = DEVICES, .run = run, .launch = launch, .end = end_kernel};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- devices and counters */

struct counter {
    const char *name, *description, *expression;
    bool derived, constant;
    size_t size[DIMENSIONS]; /* XCC, and SHADER_ENGINE; 0: it has no such dimension */
    int block;               /* of which one counter is counted at a time; 0: there is no limit */
};

static const struct counter counters[DEVICES][COUNTERS] = {
    {{"SQ_WAVES", "Waves that were sent", .size = {2, 4}},
     {"GRBM_COUNT", "Cycles", .size = {2}},
     {"TCC_HIT", "Hits", .size = {2, 4}, .block = 1},
     {"TCC_MISS", "Misses", .size = {2, 4}, .block = 1},
     {"GPUBusy", "Share of the time", "100*reduce(A,max)/reduce(B,max)", .derived = true},
     {"RATIO", "A share of each", "A/B", .derived = true, .size = {2}},
     {"WAVES_SUM", "Sum", "reduce(SQ_WAVES,sum)", .derived = true},
     {"MAX_WAVE_SIZE", "Constant", .constant = true},
     {"BAD:NAME", "Bad", .size = {2}},
     {NULL, "Nameless", .size = {2}}},
    {{"SQ_INSTS", "Instructions", .size = {3}}, {"SQ_WAVES", "Waves", .size = {1}}, {"", .size = {2}}},
};

static double value[DEVICES][COUNTERS][8];

static uint64_t id_of(int device, int counter)
{
    return (uint64_t)(device * 100 + counter + 1);
}

static const struct counter *counter_of(uint64_t id)
{
    id--;
    return id / 100 < DEVICES && id % 100 < COUNTERS ? &counters[id / 100][id % 100] : NULL;
}

static size_t size_of(const struct counter *counter, int dimension)
{
    return counter->size[dimension] != 0 ? counter->size[dimension] : 1;
}

static int instances(const struct counter *counter)
{
    return (int)(size_of(counter, 0) * size_of(counter, 1));
}

struct agent {
    uint64_t size, id;
    int type;
    char rest[200];
};
enum { CPU = 1, GPU = 2 };

CALL(int, get_version, uint32_t *major, uint32_t *minor, uint32_t *patch)
{
    *major = rocp_double.major;
    *minor = rocp_double.minor;
    *patch = 0;
    return rocp_double.version_status;
}

CALL(const char *, get_status_string, int status)
{
    return status == NO_HSA       ? "HSA library not loaded"
           : status == OVER_LIMIT ? "exceeds hardware"
                                  : "An error";
}

CALL(int, query_available_agents, int version, int (*each)(int, const void **, size_t, void *), size_t size,
     void *data)
{
    static const struct agent agents[] = {
        {sizeof *agents, 900, CPU, ""}, {sizeof *agents, 1000, GPU, ""}, {sizeof *agents, 1001, GPU, ""}};
    const void *pointers[] = {&agents[0], &agents[1], &agents[2]};
    if (version != 1 || size == 0)
        rocp_double.wrong_calls++;
    if (rocp_double.agents_status != 0)
        return rocp_double.agents_status;
    return each(version, pointers, (size_t)rocp_double.n_devices + 1, data);
}

CALL(int, iterate_agent_supported_counters, uint64_t agent, int (*each)(uint64_t, uint64_t *, size_t, void *),
     void *data)
{
    uint64_t ids[COUNTERS];
    size_t n = agent == 1000 ? COUNTERS : 3;
    if (rocp_double.counters_status != 0)
        return rocp_double.counters_status;
    for (size_t i = 0; i < n; i++)
        ids[i] = id_of((int)agent - 1000, (int)i);
    return each(agent, ids, n, data);
}

struct info {
    uint64_t id;
    const char *name, *description, *block, *expression;
    uint8_t constant : 1, derived : 1;
};

CALL(int, query_counter_info, uint64_t id, int version, struct info *info)
{
    const struct counter *counter = counter_of(id);
    if (counter == NULL || version != 1)
        return INVALID;
    *info = (struct info){id,
                          counter->name,
                          counter->description,
                          "SQ",
                          counter->expression != NULL ? counter->expression : "",
                          counter->constant,
                          counter->derived};
    return 0;
}

struct dimension {
    const char *name;
    size_t size;
    uint64_t id;
};

CALL(int, iterate_counter_dimensions, uint64_t id,
     int (*each)(uint64_t, const struct dimension *, size_t, void *), void *data)
{
    static const char *const names[] = {"XCC", "SHADER_ENGINE"};
    struct dimension dimension[DIMENSIONS];
    const struct counter *counter = counter_of(id);
    size_t n = 0;
    for (int i = 0; i < DIMENSIONS; i++)
        if (counter->size[i] != 0)
            dimension[n++] = (struct dimension){names[i], counter->size[i], (uint64_t)i + 1};
    return rocp_double.dimensions_status != 0 ? rocp_double.dimensions_status : each(id, dimension, n, data);
}

/* ---- client */

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

static bool configuring;

CALL(int, is_initialized, int *status)
{
    *status = rocp_double.initialized;
    return 0;
}

CALL(int, force_configure, struct tool *(*configure)(uint32_t, const char *, uint32_t, struct client *))
{
    struct client client = {.size = sizeof client};
    if (rocp_double.configure_status != 0 || rocp_double.configured++ > 0)
        return rocp_double.configure_status != 0 ? rocp_double.configure_status : LOCKED;
    const struct tool *tool = configure(10000, "1.0", 0, &client);
    rocp_double.wrong_calls += tool->size < sizeof *tool || client.name == NULL;
    rocp_double.initialized = -1;
    configuring = true;
    int result = tool->initialize(NULL, tool->data);
    configuring = false;
    rocp_double.initialized = 1;
    return result == 0 ? 0 : 1;
}

/* ---- contexts and configurations */

typedef int set_config(uint64_t context, uint64_t config);
typedef void choose(uint64_t context, uint64_t agent, set_config *set, void *data);

struct dispatch {
    uint64_t size, correlation[2], start, end, inner_size, agent, queue, kernel, dispatch;
    uint32_t sizes[8];
    uint8_t reserved[56];
};
struct record {
    uint64_t id;
    double value;
    uint64_t dispatch, user_data, agent;
};
typedef void launched(struct dispatch dispatch, uint64_t *config, uint64_t *user_data, void *data);
typedef void recorded(struct dispatch dispatch, struct record *record, size_t n, uint64_t user_data,
                      void *data);

static struct context {
    bool on;
    int device;
    choose *choose;
    launched *launched;
    recorded *recorded;
    void *data;
    uint64_t config;
    double from[COUNTERS][8];
} contexts[CONTEXTS];

static struct config {
    bool used;
    int device, n;
    uint64_t counter[64];
} configs[CONFIGS];

CALL(int, create_context, uint64_t *context)
{
    if (!configuring)
        return LOCKED;
    if (rocp_double.context_status != 0)
        return rocp_double.context_status;
    *context = (uint64_t)++rocp_double.contexts;
    return 0;
}

CALL(int, context_is_valid, uint64_t context, int *valid)
{
    *valid = context > 0 && context <= (uint64_t)rocp_double.contexts;
    return 0;
}

CALL(int, create_buffer, uint64_t context, size_t size, size_t watermark, int policy, void *function,
     void *data, uint64_t *buffer)
{
    (void)data;
    rocp_double.wrong_calls += function == NULL || watermark > size || policy != 2 || context == 0;
    *buffer = 77;
    return configuring ? 0 : LOCKED;
}

CALL(int, configure_device_counting_service, uint64_t context, uint64_t buffer, uint64_t agent,
     choose *function, void *data)
{
    rocp_double.wrong_calls += buffer != 77;
    contexts[context].device = (int)agent - 1000;
    contexts[context].choose = function;
    contexts[context].data = data;
    return configuring ? 0 : LOCKED;
}

CALL(int, configure_callback_dispatch_counting_service, uint64_t context, launched *on_launch, void *data,
     recorded *on_record, void *record_data)
{
    rocp_double.wrong_calls += data != record_data;
    contexts[context].launched = on_launch;
    contexts[context].recorded = on_record;
    contexts[context].data = data;
    return configuring ? 0 : LOCKED;
}

static bool over_limit(const uint64_t *counter, size_t n)
{
    int used = 0;
    for (size_t i = 0; i < n; i++)
        used += counter_of(counter[i])->block;
    return used > 1;
}

static int create_config(uint64_t agent, const uint64_t *counter, size_t n, uint64_t *config)
{
    if (rocp_double.config_status != 0)
        return rocp_double.config_status;
    for (size_t i = 0; i < n; i++)
        if (counter_of(counter[i]) == NULL || (counter[i] - 1) / 100 != agent - 1000)
            return INVALID;
    if (over_limit(counter, n))
        return OVER_LIMIT;
    int i = 1;
    pthread_mutex_lock(&lock);
    while (configs[i].used)
        i++;
    configs[i] = (struct config){true, (int)agent - 1000, (int)n, {0}};
    memcpy(configs[i].counter, counter, n * sizeof *counter);
    rocp_double.configs++;
    pthread_mutex_unlock(&lock);
    *config = (uint64_t)i;
    return 0;
}

static int destroy_config(uint64_t config)
{
    pthread_mutex_lock(&lock);
    rocp_double.wrong_calls += !configs[config].used;
    configs[config].used = false;
    rocp_double.configs--;
    pthread_mutex_unlock(&lock);
    return 0;
}

#if defined OLD_NAMES
#define NAMED(verb) verb##_profile_config
#elif defined NO_CONFIG
#define NAMED(verb) verb##_other_config
#else
#define NAMED(verb) verb##_counter_config
#endif
#define CALL_NAMED(type, name, ...) CALL(type, name, __VA_ARGS__)

CALL_NAMED(int, NAMED(create), uint64_t agent, uint64_t *counter, size_t n, uint64_t *config)
{
    return create_config(agent, counter, n, config);
}

CALL_NAMED(int, NAMED(destroy), uint64_t config)
{
    return destroy_config(config);
}

static int set(uint64_t context, uint64_t config)
{
    if (rocp_double.set_status != 0)
        return rocp_double.set_status;
    rocp_double.wrong_calls += !configs[config].used || configs[config].device != contexts[context].device;
    contexts[context].config = config;
    return 0;
}

CALL(int, start_context, uint64_t id)
{
    struct context *context = &contexts[id];
    if (rocp_double.start_status != 0)
        return rocp_double.start_status;
    rocp_double.wrong_calls += context->on;
    rocp_double.starts++;
    context->config = 0;
    if (context->choose != NULL && !rocp_double.silent_start)
        context->choose(id, (uint64_t)context->device + 1000, set, context->data);
    memcpy(context->from, value[context->device], sizeof context->from);
    if (context->choose == NULL)
        nanosleep(&(const struct timespec){.tv_nsec = 20000}, NULL); /* for another thread to pass */
    context->on = true;
    rocp_double.running++;
    return 0;
}

CALL(int, stop_context, uint64_t id)
{
    rocp_double.wrong_calls += !contexts[id].on;
    rocp_double.running -= contexts[id].on;
    contexts[id].on = false;
    return rocp_double.stop_status;
}

/* ---- records */

static uint64_t record_id(uint64_t counter, int instance)
{
    return counter << 48 | (uint64_t)instance;
}

CALL(int, query_record_counter_id, uint64_t record, uint64_t *counter)
{
    *counter = record >> 48;
    return 0;
}

CALL(int, query_record_dimension_position, uint64_t record, uint64_t dimension, size_t *position)
{
    const struct counter *counter = counter_of(record >> 48);
    size_t instance = record & 0xffff;
    *position = dimension == 1 ? instance / size_of(counter, 1) : instance % size_of(counter, 1);
    return dimension == 1 || dimension == 2 ? 0 : INVALID;
}

/* The value of an instance that counted from a value to another: derived ones and constants are not counted.
 */
static double show(const struct counter *counter, double from, double to)
{
    return counter->constant                                              ? 64
           : counter->derived && strchr(counter->expression, '/') != NULL ? 12.6
                                                                          : to - from;
}

CALL(int, sample_device_counting_service, uint64_t id, uint64_t user_data, int flags, struct record *record,
     size_t *n)
{
    const struct context *context = &contexts[id];
    const struct config *config = &configs[context->config];
    size_t used = 0;
    (void)user_data;
    rocp_double.wrong_calls += !context->on || flags != 0 || record == NULL;
    if (rocp_double.sample_status != 0)
        return rocp_double.sample_status;
    for (int c = rocp_double.lost_counter; c < config->n; c++) {
        const struct counter *counter = counter_of(config->counter[c]);
        int index = (int)(config->counter[c] - 1) % 100;
        for (int i = 0; i < instances(counter); i++) {
            if (used == *n)
                return NO_ROOM;
            record[used++] = (struct record){
                .id = record_id(config->counter[c], i),
                .value = show(counter, context->from[index][i], value[context->device][index][i])};
        }
    }
    if (used > 0)
        record[0].value += rocp_double.added;
    *n = rocp_double.too_many ? *n + 1 : used - (size_t)(rocp_double.lost_record && used > 0);
    return 0;
}

/* ---- kernels */

static void run(int device, long amount)
{
    for (int c = 0; c < COUNTERS; c++)
        for (int i = 0; i < 8; i++)
            value[device][c][i] += (double)amount * (i + 1);
}

static struct kernel {
    int device;
    long amount;
    uint64_t config, user_data;
    struct context *context;
} kernels[KERNELS];
static int n_kernels;

static int launch(int device, long amount)
{
    struct context *context = &contexts[1];
    struct dispatch dispatch = {.size = sizeof dispatch, .inner_size = 144, .agent = (uint64_t)device + 1000};
    pthread_mutex_lock(&lock);
    int i = n_kernels++ % KERNELS;
    pthread_mutex_unlock(&lock);
    struct kernel *kernel = &kernels[i];
    *kernel = (struct kernel){.device = device, .amount = amount, .context = context};
    if (context->on)
        context->launched(dispatch, &kernel->config, &kernel->user_data, context->data);
    return i;
}

/* Ends a kernel that was counted since its launch: its record comes, also after a stop. */
static void end_kernel(int number)
{
    const struct kernel *kernel = &kernels[number];
    struct dispatch dispatch = {.size = sizeof dispatch, .agent = (uint64_t)kernel->device + 1000};
    struct record record[64];
    size_t used = 0;
    if (kernel->config == 0)
        return;
    const struct config *config = &configs[kernel->config];
    for (int c = rocp_double.lost_counter; c < config->n; c++) {
        const struct counter *counter = counter_of(config->counter[c]);
        for (int i = 0; i < instances(counter); i++)
            record[used++] = (struct record){.id = record_id(config->counter[c], i),
                                             .value = show(counter, 0, (double)kernel->amount * (i + 1))};
    }
    kernel->context->recorded(dispatch, record, used, kernel->user_data, kernel->context->data);
}

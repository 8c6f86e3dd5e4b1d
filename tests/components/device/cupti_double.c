/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A library with the interface of libcupti.so.13, as far as the component cuda needs it. It is as strict as
 * the original about the sizes of structures and the order of calls, and notes each misuse. With OLD_CUPTI it
 * is of a toolkit before 12.6.
 */
#include "components/device/cupti.h"
#include "cuda_double.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VISIBLE __attribute__((visibility("default")))
#define FUNCTION(name, ...)                                                                                  \
    VISIBLE int name(__VA_ARGS__);                                                                           \
    VISIBLE int name(__VA_ARGS__)

extern struct cuda_double cuda_double;

enum { CHIPS = 2, MOST_METRICS = 64, COUNTER_BASES = 6, BASES = 9 };

static const char *const chips[CHIPS] = {"GH100", "AD102"};

static const struct base {
    const char *name;
    int type, counter, of; /* a ratio: of another counter */
    bool on[CHIPS], sass, link;
    int passes;
} bases[BASES] = {
    {"sm__cycles_elapsed", 0, CYCLES, 0, {true, true}, false, false, 1},
    {"sm__inst_executed", 0, INSTRUCTIONS, 0, {true, true}, false, false, 1},
    {"smsp__sass_thread_inst_executed_op_dfma_pred_on", 0, DFMA, 0, {true, false}, true, false, 1},
    {"dram__bytes", 0, BYTES, 0, {true, true}, false, false, 1},
    {"CTC.TriageCompute.ctc__rx_bytes", 0, LINK_BYTES, 0, {true, false}, false, true, 1},
    {"ada__inst_executed", 0, INSTRUCTIONS, 0, {false, true}, false, false, 1},
    {"l1tex__t_sector_hit_rate", 1, HITS, LOOKUPS, {true, true}, false, false, 1},
    {"sm__throughput", 2, INSTRUCTIONS, 0, {true, true}, false, false, 8},
    {"lts__throughput", 2, INSTRUCTIONS, 0, {true, true}, false, false, 1},
};

/* ---- strictness */

static int misuse(int result)
{
    __atomic_fetch_add(&cuda_double.misused, 1, __ATOMIC_RELAXED);
    return result;
}

/* Stands for a call that no other one of the same thread could pass: the library has locks. */
static void work(void)
{
    static _Thread_local int inside;
    volatile int turns = 0;
    cuda_double.within += inside++ > 0;
    while (turns < 200)
        turns = turns + 1;
    inside--;
}

/* The sizes are those of the original, which has no padding but in four of them. */
#define STRICT(params, bytes)                                                                                \
    do {                                                                                                     \
        work();                                                                                              \
        if ((params)->size != (bytes))                                                                       \
            return misuse(CUPTI_INVALID_PARAMETER);                                                          \
    } while (0)

#define AFTER_CUINIT()                                                                                       \
    do {                                                                                                     \
        if (cuda_double.started == 0)                                                                        \
            return misuse(999);                                                                              \
    } while (0)

/* ---- names */

/* The base of a metric's name, and what is behind it. */
static const struct base *base_of(const char *metric, const char **rest)
{
    for (int i = 0; i < BASES; i++) {
        size_t length = strlen(bases[i].name);
        if (strncmp(metric, bases[i].name, length) == 0 &&
            (metric[length] == '.' || metric[length] == '\0')) {
            *rest = metric + length;
            return &bases[i];
        }
    }
    return NULL;
}

static const char *const counter_subs[] = {".avg", ".avg.per_second", ".avg.pct_of_peak_sustained_elapsed",
                                           ".max", ".max.per_second", ".max.pct_of_peak_sustained_elapsed",
                                           ".min", ".min.per_second", ".min.pct_of_peak_sustained_elapsed",
                                           ".sum", ".sum.per_second", ".sum.pct_of_peak_sustained_elapsed"};
static const char *const ratio_subs[] = {".max_rate", ".pct", ".ratio"};
static const char *const throughput_subs[] = {
    ".avg.pct_of_peak_sustained_elapsed", ".max.pct_of_peak_sustained_elapsed",
    ".min.pct_of_peak_sustained_elapsed", ".sum.pct_of_peak_sustained_elapsed"};

static const struct {
    const char *const *name;
    size_t n;
} subs[] = {{counter_subs, 12}, {ratio_subs, 3}, {throughput_subs, 4}};

static bool has_sub(const struct base *base, const char *rest)
{
    for (size_t i = 0; i < subs[base->type].n; i++)
        if (strcmp(subs[base->type].name[i], rest) == 0)
            return true;
    return false;
}

/* ---- the host's side */

struct host {
    int chip, n;
    char metric[MOST_METRICS][128];
    const char *listed[BASES];
    int passes;
};

/* A configuration as the device gets it, and what it has counted. */
struct image {
    char mark[8];
    int passes, n;
};

struct data {
    char mark[8];
    bool decoded;
    uint64_t count[DOUBLE_COUNTERS][DOUBLE_UNITS];
};

FUNCTION(cuptiGetVersion, uint32_t *version)
{
    *version = 130001;
    return CUPTI_OK;
}

FUNCTION(cuptiGetResultString, int result, const char **text)
{
    *text = result == 999 ? "CUPTI_ERROR_UNKNOWN" : "CUPTI_ERROR_OF_SOME_KIND";
    return CUPTI_OK;
}

#ifndef OLD_CUPTI
FUNCTION(cuptiProfilerHostInitialize, struct cupti_host_initialize *params)
{
    STRICT(params, 48);
    if (params->availability != NULL && memcmp(params->availability, "availability", 12) != 0)
        return misuse(CUPTI_INVALID_PARAMETER);
    for (int i = 0; i < CHIPS; i++)
        if (strcmp(params->chip, chips[i]) == 0) {
            struct host *host = calloc(1, sizeof *host);
            host->chip = i;
            params->host = host;
            __atomic_fetch_add(&cuda_double.hosts, 1, __ATOMIC_RELAXED);
            cuda_double.loaded++;
            return CUPTI_OK;
        }
    return strcmp(params->chip, "GV100") == 0 ? CUPTI_NOT_SUPPORTED : CUPTI_INVALID_CHIP;
}
#endif

FUNCTION(cuptiProfilerHostDeinitialize, struct cupti_host_end *params)
{
    STRICT(params, 24);
    __atomic_fetch_sub(&cuda_double.hosts, 1, __ATOMIC_RELAXED);
    free(params->host);
    return CUPTI_OK;
}

FUNCTION(cuptiProfilerHostGetBaseMetrics, struct cupti_base_metrics *params)
{
    STRICT(params, 48);
    struct host *host = params->host;
    params->n = 0;
    params->name = host->listed;
    for (int i = 0; i < BASES; i++)
        if (bases[i].type == params->type && bases[i].on[host->chip])
            host->listed[params->n++] = bases[i].name;
    return params->type < CUPTI_METRIC_TYPES ? CUPTI_OK : CUPTI_INVALID_PARAMETER;
}

FUNCTION(cuptiProfilerHostGetSubMetrics, struct cupti_sub_metrics *params)
{
    const char *rest;
    STRICT(params, 56);
    const struct base *base = base_of(params->metric, &rest);
    if (base == NULL || base->type != params->type)
        return base == NULL ? CUPTI_INVALID_METRIC_NAME : CUPTI_INVALID_PARAMETER;
    params->name = (const char **)(uintptr_t)subs[base->type].name;
    params->n = subs[base->type].n;
    return CUPTI_OK;
}

FUNCTION(cuptiProfilerHostGetMetricProperties, struct cupti_properties *params)
{
    const char *rest;
    STRICT(params, 60);
    const struct base *base = base_of(params->metric, &rest);
    if (base == NULL)
        return CUPTI_INVALID_METRIC_NAME;
    params->description = "# of what is counted";
    params->hardware_unit = "sm";
    params->unit = strstr(rest, "pct") != NULL          ? "percent"
                   : strstr(rest, "per_second") != NULL ? "instruction/second"
                   : base->type == 1                    ? ""
                                                        : "instruction";
    params->type = base->type;
    return CUPTI_OK;
}

/* Three counters of the hardware fit into a pass, whatever is computed of them; those of instrumented code
 * take one more. */
static int passes_of(const struct host *host)
{
    bool hardware[BASES] = {false};
    int most = 1, n = 0, sass = 0;
    for (int i = 0; i < host->n; i++) {
        const char *rest;
        const struct base *base = base_of(host->metric[i], &rest);
        most = base->passes > most ? base->passes : most;
        sass |= base->sass;
        n += !base->sass && !hardware[base - bases];
        hardware[base - bases] = true;
    }
    int needed = (n + 2) / 3 + sass;
    return needed > most ? needed : most;
}

FUNCTION(cuptiProfilerHostConfigAddMetrics, struct cupti_add_metrics *params)
{
    bool link = false, other = false;
    STRICT(params, 40);
    struct host *host = params->host;
    if (params->n == 0 || host->n > 0) /* the original's passes are more than needed then */
        return misuse(CUPTI_INVALID_PARAMETER);
    for (size_t i = 0; i < params->n; i++) {
        const char *rest;
        const struct base *base = base_of(params->name[i], &rest);
        if (base == NULL || !base->on[host->chip] || !has_sub(base, rest))
            return CUPTI_INVALID_PARAMETER;
        link |= base->link;
        other |= !base->link;
        snprintf(host->metric[i], sizeof host->metric[i], "%s", params->name[i]);
    }
    if (link && other)
        return CUPTI_NOT_SUPPORTED;
    host->n = (int)params->n;
    host->passes = passes_of(host);
    return CUPTI_OK;
}

FUNCTION(cuptiProfilerHostGetConfigImageSize, struct cupti_config_size *params)
{
    STRICT(params, 32);
    params->image_size = sizeof(struct image);
    return ((struct host *)params->host)->n > 0 ? CUPTI_OK : 999;
}

FUNCTION(cuptiProfilerHostGetConfigImage, struct cupti_config_image *params)
{
    const struct host *host = params->host;
    STRICT(params, 40);
    struct image image = {"config", host->passes, host->n};
    if (params->image_size < sizeof image)
        return misuse(CUPTI_INVALID_PARAMETER);
    memcpy(params->image, &image, sizeof image);
    return CUPTI_OK;
}

FUNCTION(cuptiProfilerHostGetNumOfPasses, struct cupti_passes *params)
{
    struct image image;
    STRICT(params, 40);
    memcpy(&image, params->image, sizeof image);
    params->n = (size_t)image.passes;
    return strcmp(image.mark, "config") == 0 ? CUPTI_OK : misuse(CUPTI_INVALID_PARAMETER);
}

static double evaluate(const struct base *base, const char *rest, const struct data *data)
{
    const uint64_t *unit = data->count[base->counter];
    double a = (double)unit[0], b = (double)unit[1];
    if (base->type == 1) {
        double of = (double)(data->count[base->of][0] + data->count[base->of][1]);
        double ratio = of > 0 ? (a + b) / of : (double)NAN;
        return strcmp(rest, ".pct") == 0 ? 100 * ratio : strcmp(rest, ".ratio") == 0 ? ratio : 1;
    }
    double value = strncmp(rest, ".sum", 4) == 0   ? a + b
                   : strncmp(rest, ".avg", 4) == 0 ? (a + b) / 2
                   : strncmp(rest, ".min", 4) == 0 ? fmin(a, b)
                                                   : fmax(a, b);
    return rest[4] == '\0' ? value : value / 8; /* of a peak, or in eight seconds */
}

FUNCTION(cuptiProfilerHostEvaluateToGpuValues, struct cupti_evaluate *params)
{
    struct data data;
    STRICT(params, 72);
    const struct host *host = params->host;
    memcpy(&data, params->data, sizeof data);
    if (params->data_size < sizeof data || !data.decoded || params->range != 0)
        return misuse(CUPTI_INVALID_PARAMETER);
    for (size_t i = 0; i < params->n; i++) {
        const char *rest = "";
        const struct base *base = base_of(params->name[i], &rest);
        if ((int)i >= host->n || strcmp(host->metric[i], params->name[i]) != 0)
            return misuse(CUPTI_INVALID_METRIC_NAME);
        params->value[i] = cuda_double.no_number ? (double)NAN : evaluate(base, rest, &data);
    }
    return CUPTI_OK;
}

/* ---- the device's side */

struct session {
    struct double_context *context;
    struct data *data;
    bool configured, started, pushed, popped, stopped;
    int passes;
    uint64_t before[DOUBLE_COUNTERS][DOUBLE_UNITS], counted[DOUBLE_COUNTERS][DOUBLE_UNITS];
};

FUNCTION(cuptiDeviceGetChipName, struct cupti_chip_name *params)
{
    STRICT(params, 32);
    AFTER_CUINIT();
    params->chip = cuda_double.chip_result[params->device] == CUPTI_INVALID_CHIP    ? "XX900"
                   : cuda_double.chip_result[params->device] == CUPTI_NOT_SUPPORTED ? "GV100"
                                                                                    : chips[params->device];
    return CUPTI_OK;
}

FUNCTION(cuptiProfilerInitialize, struct cupti_initialize *params)
{
    STRICT(params, 16);
    AFTER_CUINIT();
    return cuda_double.initialize_result;
}

FUNCTION(cuptiProfilerDeviceSupported, struct cupti_device_supported *params)
{
    STRICT(params, 52);
    AFTER_CUINIT();
    const int *level = cuda_double.level;
    params->all = CUPTI_LEVEL_SUPPORTED;
    for (int i = 0; i < 6; i++)
        params->all = level[i] != CUPTI_LEVEL_SUPPORTED ? 1 : params->all;
    memcpy(&params->architecture, level, sizeof cuda_double.level);
    return params->device >= 40 ? CUPTI_OK : misuse(CUPTI_INVALID_PARAMETER);
}

FUNCTION(cuptiProfilerGetCounterAvailability, struct cupti_availability *params)
{
    STRICT(params, 40);
    AFTER_CUINIT();
    if (params->context == NULL)
        return misuse(CUPTI_INVALID_PARAMETER);
    if (cuda_double.availability_result == CUPTI_OK && params->image != NULL)
        memcpy(params->image, "availability", 12);
    params->image_size = 12;
    return cuda_double.availability_result;
}

FUNCTION(cuptiRangeProfilerEnable, struct cupti_enable *params)
{
    STRICT(params, 32);
    AFTER_CUINIT();
    if (params->context == NULL)
        return misuse(CUPTI_INVALID_PARAMETER);
    if (cuda_double.enable_result != CUPTI_OK)
        return cuda_double.enable_result;
    struct session *session = calloc(1, sizeof *session);
    session->context = params->context;
    params->object = session;
    __atomic_fetch_add(&cuda_double.sessions, 1, __ATOMIC_RELAXED);
    return CUPTI_OK;
}

FUNCTION(cuptiRangeProfilerDisable, struct cupti_object *params)
{
    STRICT(params, 24);
    const struct session *session = params->object;
    cuda_double.misused += session->pushed || session->started;
    __atomic_fetch_sub(&cuda_double.sessions, 1, __ATOMIC_RELAXED);
    free(params->object);
    return CUPTI_OK;
}

FUNCTION(cuptiRangeProfilerGetCounterDataSize, struct cupti_data_size *params)
{
    STRICT(params, 64);
    params->data_size = sizeof(struct data);
    return params->n > 0 && params->ranges == 1 && params->nodes >= params->ranges
               ? CUPTI_OK
               : misuse(CUPTI_INVALID_PARAMETER);
}

FUNCTION(cuptiRangeProfilerCounterDataImageInitialize, struct cupti_data_initialize *params)
{
    STRICT(params, 40);
    memset(params->data, 0, sizeof(struct data));
    strcpy((char *)params->data, "data");
    return params->data_size == sizeof(struct data) ? CUPTI_OK : misuse(CUPTI_INVALID_PARAMETER);
}

FUNCTION(cuptiRangeProfilerSetConfig, struct cupti_set_config *params)
{
    struct image image;
    STRICT(params, 90);
    struct session *session = params->object;
    memcpy(&image, params->image, sizeof image);
    if (strcmp(image.mark, "config") != 0 || strcmp((char *)params->data, "data") != 0 || session->started ||
        params->range != CUPTI_USER_RANGE || params->replay != CUPTI_USER_REPLAY || params->ranges != 1 ||
        params->levels != 1 || params->least_level != 1 || params->pass != 0)
        return misuse(CUPTI_INVALID_PARAMETER);
    session->passes = image.passes;
    session->data = (struct data *)params->data;
    session->configured = true;
    return CUPTI_OK;
}

FUNCTION(cuptiRangeProfilerStart, struct cupti_object *params)
{
    STRICT(params, 24);
    struct session *session = params->object;
    if (!session->configured || session->started)
        return misuse(7);
    session->started = cuda_double.start_result == CUPTI_OK;
    return cuda_double.start_result;
}

FUNCTION(cuptiRangeProfilerPushRange, struct cupti_push *params)
{
    STRICT(params, 32);
    struct session *session = params->object;
    if (!session->started || session->pushed || params->name == NULL)
        return misuse(7);
    session->pushed = true;
    memcpy(session->before, session->context->count, sizeof session->before);
    return CUPTI_OK;
}

FUNCTION(cuptiRangeProfilerPopRange, struct cupti_object *params)
{
    STRICT(params, 24);
    struct session *session = params->object;
    if (!session->pushed)
        return misuse(7);
    for (int i = 0; i < DOUBLE_COUNTERS; i++)
        for (int unit = 0; unit < DOUBLE_UNITS; unit++)
            session->counted[i][unit] = session->context->count[i][unit] - session->before[i][unit];
    session->pushed = false;
    session->popped = true;
    return CUPTI_OK;
}

FUNCTION(cuptiRangeProfilerStop, struct cupti_stop *params)
{
    STRICT(params, 41);
    struct session *session = params->object;
    if (!session->popped || !session->started)
        return misuse(7);
    session->started = false;
    session->stopped = true;
    params->all_submitted = session->passes == 1 && !cuda_double.not_submitted;
    return CUPTI_OK;
}

FUNCTION(cuptiRangeProfilerDecodeData, struct cupti_decode *params)
{
    STRICT(params, 32);
    struct session *session = params->object;
    if (!session->stopped)
        return misuse(7);
    session->stopped = session->popped = session->configured = false;
    params->dropped = (size_t)cuda_double.dropped;
    session->data->decoded = true;
    memcpy(session->data->count, session->counted, sizeof session->counted);
    return CUPTI_OK;
}

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The metrics of chips: CUPTI's host interface, which needs no device. An object of it keeps each metric that
 * it was ever asked to configure, so that every set of metrics takes an object of its own.
 */
#include "components/device/cuda.h"
#include "papi.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- list */

struct base {
    const char *name;
    int type;
    uint32_t devices;
};

struct bases {
    struct base *base;
    size_t n;
};

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct base *)a)->name, ((const struct base *)b)->name);
}

/* Appends the metrics of a device's chip. */
static int take_bases(struct cuda *cuda, int device, struct bases *all, struct reason *why)
{
    for (int type = 0; type < CUPTI_METRIC_TYPES; type++) {
        struct cupti_base_metrics metrics = {CUPTI_HEAD(metrics, n), .host = cuda->device[device].host,
                                             .type = type};
        int result = cuda->cupti.base_metrics(&metrics);
        if (result != CUPTI_OK)
            return cuda_failed(cuda, result, "the list of metrics", why);
        struct base *more = reallocarray(all->base, all->n + metrics.n + 1, sizeof *more);
        if (more == NULL)
            return reason_set(why, PAPI_ENOMEM, "out of memory");
        all->base = more;
        for (size_t i = 0; i < metrics.n; i++)
            all->base[all->n++] = (struct base){metrics.name[i], type, UINT32_C(1) << device};
    }
    return PAPI_OK;
}

/* Sorts metrics, and makes one of those of several chips. */
static void merge(struct bases *all)
{
    size_t n = 0;
    if (all->n == 0)
        return;
    qsort(all->base, all->n, sizeof *all->base, by_name);
    for (size_t i = 1; i < all->n; i++)
        if (strcmp(all->base[n].name, all->base[i].name) == 0)
            all->base[n].devices |= all->base[i].devices;
        else
            all->base[++n] = all->base[i];
    all->n = n + 1;
}

static int add(struct cuda *cuda, const struct base *base, const char *submetric, struct cuda_event event,
               struct event_list *list, struct reason *why)
{
    char name[CUDA_NAME];
    event.base = (uint8_t)strlen(base->name);
    event.devices = base->devices;
    event.device = (uint8_t)__builtin_ctz(base->devices);
    event.statistic = (uint8_t)__builtin_ctz(event.statistics) & 0xf;
    snprintf(name, sizeof name, "%s%s", base->name, submetric);
    struct component_event made = {.name = name,
                                   .description = "",
                                   .config = cuda_config(event),
                                   .level = !cuda_is_count(event, name),
                                   .opened = cuda};
    return event_list_add(list, &made, why);
}

/* The statistic at the head of a submetric ".avg.per_second", and what is behind it; -1: an unknown one. */
static int split(const char *submetric, const char **rest)
{
    size_t length = strcspn(submetric + 1, ".");
    *rest = submetric + 1 + length;
    for (int i = 0; i < CUDA_STATISTICS; i++)
        if (strlen(cuda_statistic[i]) == length && strncmp(submetric + 1, cuda_statistic[i], length) == 0)
            return i;
    return -1;
}

/* Appends the events of a metric: one for each submetric, with the statistics that this has. */
static int add_base(struct cuda *cuda, const struct base *base, struct event_list *list, struct reason *why)
{
    enum { MOST = 64, THROUGHPUT = 2 };
    const char *rest, *submetric[MOST];
    struct cuda_event event[MOST] = {{0}}, whole = {.of_peak = 1};
    int n = 0, code = PAPI_OK;
    struct cupti_sub_metrics sub = {CUPTI_HEAD(sub, name),
                                    .host = cuda->device[__builtin_ctz(base->devices)].host,
                                    .type = base->type, .metric = base->name};
    int result = cuda->cupti.sub_metrics(&sub);
    if (result != CUPTI_OK || strlen(base->name) > UINT8_MAX)
        return result != CUPTI_OK ? cuda_failed(cuda, result, base->name, why) : PAPI_OK;
    for (size_t i = 0; i < sub.n; i++) {
        int at = 0, statistic = split(sub.name[i], &rest);
        while (at < n && strcmp(submetric[at], rest) != 0)
            at++;
        if (statistic < 0 || at == MOST)
            continue;
        n += at == n;
        submetric[at] = rest;
        event[at].statistics |= (uint8_t)(1 << statistic);
        if (base->type == THROUGHPUT && strcmp(rest, CUDA_OF_PEAK) == 0)
            whole.statistics |= (uint8_t)(1 << statistic);
    }
    if (whole.statistics != 0)
        code = add(cuda, base, "", whole, list, why);
    for (int i = 0; i < n && code == PAPI_OK; i++)
        code = add(cuda, base, submetric[i], event[i], list, why);
    return code;
}

int cuda_list(struct cuda *cuda, struct event_list *list, struct reason *why)
{
    struct bases all = {NULL, 0};
    int code = PAPI_OK;
    for (int i = 0; i < cuda->n_devices && code == PAPI_OK; i++)
        if (cuda->device[i].host != NULL)
            code = take_bases(cuda, i, &all, why);
    merge(&all);
    for (size_t i = 0; i < all.n && code == PAPI_OK; i++)
        code = add_base(cuda, &all.base[i], list, why);
    free(all.base);
    return code;
}

int cuda_properties(const struct component_event *event, struct cupti_properties *properties,
                    struct reason *why)
{
    char metric[CUDA_NAME];
    const struct cuda *cuda = event->opened;
    cuda_metric(event, metric);
    *properties = (struct cupti_properties){
        CUPTI_HEAD(*properties, type), .host = cuda->device[cuda_event(event).device].host, .metric = metric};
    int result = cuda->cupti.properties(properties);
    return result == CUPTI_OK ? PAPI_OK : cuda_failed(cuda, result, metric, why);
}

/* ---- passes */

static int take_metrics(const struct component_event *const *event, int n, struct cuda_config *config,
                        struct reason *why)
{
    char metric[CUDA_NAME];
    for (config->n = 0; config->n < n; config->n++) {
        cuda_metric(event[config->n], metric);
        config->metric[config->n] = strdup(metric);
        if (config->metric[config->n] == NULL)
            return reason_set(why, PAPI_ENOMEM, "out of memory");
    }
    return PAPI_OK;
}

static int refused(const struct cuda *cuda, int result, const struct cuda_config *config, struct reason *why)
{
    if (result != CUPTI_NOT_SUPPORTED && result != CUPTI_INVALID_PARAMETER)
        return cuda_failed(cuda, result, config->metric[config->n - 1], why);
    if (config->n == 1)
        return reason_set(why, PAPI_ENOEVNT, "the range profiler does not count %s", config->metric[0]);
    return reason_set(why, PAPI_ECNFLCT, "CUPTI has no configuration for both");
}

static int make_image(struct cuda *cuda, struct cuda_config *config, struct reason *why)
{
    struct cupti_add_metrics added = {CUPTI_HEAD(added, n), .host = config->host,
                                      .name = (const char **)config->metric, .n = (size_t)config->n};
    struct cupti_config_size size = {CUPTI_HEAD(size, image_size), .host = config->host};
    int result = cuda->cupti.add_metrics(&added);
    if (result != CUPTI_OK)
        return refused(cuda, result, config, why);
    if ((result = cuda->cupti.config_size(&size)) != CUPTI_OK)
        return cuda_failed(cuda, result, "the configuration of the counters", why);
    config->size = size.image_size;
    config->image = calloc(1, size.image_size);
    if (config->image == NULL)
        return reason_set(why, PAPI_ENOMEM, "out of memory");
    struct cupti_config_image image = {CUPTI_HEAD(image, image), .host = config->host,
                                       .image_size = size.image_size, .image = config->image};
    struct cupti_passes passes = {CUPTI_HEAD(passes, n), .image_size = size.image_size,
                                  .image = config->image};
    if ((result = cuda->cupti.config_image(&image)) != CUPTI_OK ||
        (result = cuda->cupti.passes(&passes)) != CUPTI_OK)
        return cuda_failed(cuda, result, "the configuration of the counters", why);
    config->passes = passes.n;
    return PAPI_OK;
}

int cuda_configure(struct cuda *cuda, int device, const struct component_event *const *event, int n,
                   struct cuda_config *config, struct reason *why)
{
    *config = (struct cuda_config){.host = NULL};
    struct cupti_host_initialize open = {CUPTI_HEAD(open, host), .chip = cuda->device[device].chip,
                                         .availability = cuda->device[device].availability};
    int code = take_metrics(event, n, config, why);
    int result = code == PAPI_OK ? cuda->cupti.host_initialize(&open) : CUPTI_OK;
    config->host = result == CUPTI_OK ? open.host : NULL;
    if (result != CUPTI_OK)
        code = cuda_failed(cuda, result, cuda->device[device].chip, why);
    if (code == PAPI_OK)
        code = make_image(cuda, config, why);
    if (code != PAPI_OK)
        cuda_unconfigure(cuda, config);
    return code;
}

void cuda_unconfigure(struct cuda *cuda, struct cuda_config *config)
{
    struct cupti_host_end end = {CUPTI_HEAD(end, host), .host = config->host};
    if (config->host != NULL)
        cuda->cupti.host_end(&end);
    for (int i = 0; i < config->n; i++)
        free(config->metric[i]);
    free(config->image);
    *config = (struct cuda_config){.host = NULL};
}

int cuda_check_passes(const struct cuda_config *config, const char *what, struct reason *why)
{
    if (config->passes == 1)
        return PAPI_OK;
    return reason_set(
        why, PAPI_EMULPASS,
        "%s: the device would have to run the kernels %zu times, once for each pass, and one pass is "
        "counted: %s",
        what, config->passes,
        config->n > 1 ? "count fewer events in one set" : "count a part of it, or use ncu");
}

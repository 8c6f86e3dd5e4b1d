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

/* Appends the metrics of a device's chip. */
static int take_bases(const struct cuda *cuda, int device, struct device_chips *all, struct reason *why)
{
    int code = PAPI_OK;
    for (int type = 0; type < CUPTI_METRIC_TYPES && code == PAPI_OK; type++) {
        struct cupti_base_metrics metrics = {CUPTI_HEAD(metrics, n), .host = cuda->device[device].host,
                                             .type = type};
        code = cuda_result(cuda, cuda->cupti.base_metrics(&metrics), "the list of metrics", why);
        for (size_t i = 0; i < metrics.n && code == PAPI_OK; i++)
            code = device_chips_add(all, metrics.name[i], type, device, why);
    }
    return code;
}

/* An event to be listed: a submetric, with the statistics that it has. */
struct submetric {
    const char *name;
    struct device_variant variant;
};

/* Takes a submetric of CUPTI's, ".avg.per_second". */
static void take_submetric(const char *name, struct submetric *of, int *n, int most)
{
    size_t length = strcspn(name + 1, ".");
    const char *rest = name + 1 + length;
    int at = 0, statistic = device_word_find(&cuda_words, name + 1, length);
    while (at < *n && strcmp(of[at].name, rest) != 0)
        at++;
    if (statistic < 0 || at == most)
        return;
    *n += at == *n;
    of[at].name = rest;
    of[at].variant.whole = rest[0] == '\0';
    of[at].variant.words |= (uint8_t)(1 << statistic);
}

/* Appends the events of a metric: one for each submetric, and for a throughput one without. */
static int add_base(struct cuda *cuda, const struct device_chip_name *base, struct event_list *list,
                    struct reason *why)
{
    enum { MOST = 64, THROUGHPUT = 2 };
    char name[CUDA_NAME];
    struct submetric of[MOST + 1] = {{.name = ""}}; /* the first: that without */
    int n = 0, code;
    struct cupti_sub_metrics sub = {CUPTI_HEAD(sub, name),
                                    .host = cuda->device[__builtin_ctz(base->devices)].host,
                                    .type = base->kind, .metric = base->name};
    code = cuda_result(cuda, cuda->cupti.sub_metrics(&sub), base->name, why);
    if (code != PAPI_OK || strlen(base->name) > UINT8_MAX)
        return code;
    for (size_t i = 0; i < sub.n; i++)
        take_submetric(sub.name[i], of + 1, &n, MOST);
    for (int i = 1; i <= n && base->kind == THROUGHPUT; i++)
        if (strcmp(of[i].name, CUDA_OF_PEAK) == 0)
            of[0].variant = of[i].variant;
    for (int i = 0; i <= n && code == PAPI_OK; i++) {
        of[i].variant.base = (uint8_t)strlen(base->name);
        of[i].variant.devices = base->devices;
        snprintf(name, sizeof name, "%s%s", base->name, of[i].name);
        if (of[i].variant.words != 0)
            code = device_words_list(&cuda_words, of[i].variant, name, cuda, list, why);
    }
    return code;
}

int cuda_list(struct device_units *units, struct event_list *list, struct reason *why)
{
    struct cuda *cuda = (struct cuda *)units;
    struct device_chips all = {NULL, 0};
    int code = PAPI_OK;
    for (int i = 0; i < units->n_devices && code == PAPI_OK; i++)
        if (cuda->device[i].host != NULL)
            code = take_bases(cuda, i, &all, why);
    device_chips_merge(&all);
    for (size_t i = 0; i < all.n && code == PAPI_OK; i++)
        code = add_base(cuda, &all.name[i], list, why);
    free(all.name);
    return code;
}

int cuda_properties(const struct component_event *event, struct cupti_properties *properties,
                    struct reason *why)
{
    char metric[CUDA_NAME];
    const struct cuda *cuda = event->opened;
    cuda_metric(event, metric);
    *properties =
        (struct cupti_properties){CUPTI_HEAD(*properties, type),
                                  .host = cuda->device[device_variant(event).device].host, .metric = metric};
    return cuda_result(cuda, cuda->cupti.properties(properties), metric, why);
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
        return cuda_result(cuda, result, config->metric[config->n - 1], why);
    if (config->n == 1)
        return reason_set(why, PAPI_ENOEVNT, "the range profiler does not count %s", config->metric[0]);
    return reason_set(why, PAPI_ECNFLCT, "CUPTI has no configuration for both");
}

static int make_image(const struct cuda *cuda, struct cuda_config *config, struct reason *why)
{
    struct cupti_add_metrics added = {CUPTI_HEAD(added, n), .host = config->host,
                                      .name = (const char **)config->metric, .n = (size_t)config->n};
    struct cupti_config_size size = {CUPTI_HEAD(size, image_size), .host = config->host};
    struct cupti_config_image image = {CUPTI_HEAD(image, image), .host = config->host};
    struct cupti_passes passes = {CUPTI_HEAD(passes, n)};
    int result = cuda->cupti.add_metrics(&added);
    if (result != CUPTI_OK)
        return refused(cuda, result, config, why);
    result = cuda->cupti.config_size(&size);
    if (result == CUPTI_OK && (config->image = calloc(1, size.image_size)) == NULL)
        return reason_set(why, PAPI_ENOMEM, "out of memory");
    image.image_size = passes.image_size = config->size = size.image_size;
    image.image = passes.image = config->image;
    result = result ?: cuda->cupti.config_image(&image) ?: cuda->cupti.passes(&passes);
    config->passes = passes.n;
    return cuda_result(cuda, result, "the configuration of the counters", why);
}

int cuda_configure(struct cuda *cuda, int device, const struct component_event *const *event, int n,
                   struct cuda_config *config, struct reason *why)
{
    *config = (struct cuda_config){.host = NULL};
    struct cupti_host_initialize open = {CUPTI_HEAD(open, host), .chip = cuda->device[device].chip,
                                         .availability = cuda->device[device].availability};
    int code = take_metrics(event, n, config, why)
                   ?: cuda_result(cuda, cuda->cupti.host_initialize(&open), open.chip, why);
    config->host = code == PAPI_OK ? open.host : NULL;
    code = code ?: make_image(cuda, config, why);
    if (code != PAPI_OK)
        cuda_unconfigure(cuda, config);
    return code;
}

void cuda_unconfigure(const struct cuda *cuda, struct cuda_config *config)
{
    struct cupti_host_end end = {CUPTI_HEAD(end, host), .host = config->host};
    if (config->host != NULL)
        cuda->cupti.host_end(&end);
    for (int i = 0; i < config->n; i++)
        free(config->metric[i]);
    free(config->image);
    *config = (struct cuda_config){.host = NULL};
}

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The metrics of chips: CUPTI's host interface, which needs no device. An object of it keeps each metric that
 * it was ever asked to configure, so that every set of metrics takes an object of its own.
 */
#include "components/device/cuda.h"
#include "papi.h"

#include <stdlib.h>

/* ---- list */

int cuda_names(const struct device_units *units, int device, struct device_chips *chips, struct reason *why)
{
    const struct cuda *cuda = (const struct cuda *)units;
    int code = PAPI_OK;
    for (int type = 0; type < CUPTI_METRIC_TYPES && cuda->device[device].host != NULL && code == PAPI_OK;
         type++) {
        struct cupti_base_metrics metrics = {CUPTI_HEAD(metrics, n), .host = cuda->device[device].host,
                                             .type = type};
        code = cuda_result(cuda, cuda->cupti.base_metrics(&metrics), "the list of metrics", why);
        for (size_t i = 0; i < metrics.n && code == PAPI_OK; i++)
            code = device_chips_add(chips, metrics.name[i], type, device, why);
    }
    return code;
}

int cuda_forms(const struct device_units *units, const struct device_chip_name *base,
               struct device_forms *forms, struct reason *why)
{
    enum { THROUGHPUT = 2 };
    const struct cuda *cuda = (const struct cuda *)units;
    struct cupti_sub_metrics sub = {CUPTI_HEAD(sub, name),
                                    .host = cuda->device[__builtin_ctz(base->devices)].host,
                                    .type = base->kind, .metric = base->name};
    int code = cuda_result(cuda, cuda->cupti.sub_metrics(&sub), base->name, why);
    *forms = (struct device_forms){sub.name, sub.n, base->kind == THROUGHPUT};
    return code;
}

int cuda_properties(const struct component_event *event, const char **description, const char **unit,
                    struct reason *why)
{
    char metric[CUDA_NAME];
    const struct cuda *cuda = event->opened;
    struct cupti_properties properties = {CUPTI_HEAD(properties, type),
                                          .host = cuda->device[device_variant_device(event)].host,
                                          .metric = metric};
    device_words_form(&cuda_words, event, metric, sizeof metric);
    int code = cuda_result(cuda, cuda->cupti.properties(&properties), metric, why);
    *description = properties.description;
    *unit = properties.unit;
    return code;
}

/* ---- passes */

static int make_image(const struct cuda *cuda, struct cuda_config *config, struct reason *why)
{
    struct cupti_add_metrics added = {CUPTI_HEAD(added, n), .host = config->host, .name = config->name,
                                      .n = (size_t)config->n};
    struct cupti_config_size size = {CUPTI_HEAD(size, image_size), .host = config->host};
    struct cupti_config_image image = {CUPTI_HEAD(image, image), .host = config->host};
    struct cupti_passes passes = {CUPTI_HEAD(passes, n)};
    int result = cuda->cupti.add_metrics(&added);
    if (result == CUPTI_NOT_SUPPORTED || result == CUPTI_INVALID_PARAMETER)
        return device_words_refused(&cuda->units, config->n, config->metric[0], why);
    if (result != CUPTI_OK)
        return cuda_result(cuda, result, config->metric[config->n - 1], why);
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
    *config = (struct cuda_config){.n = n};
    for (int i = 0; i < n; i++) {
        device_words_form(&cuda_words, event[i], config->metric[i], CUDA_NAME);
        config->name[i] = config->metric[i];
    }
    int code = cuda_open_host(cuda, device, cuda->units.unit[device].chip, &config->host, why)
                   ?: make_image(cuda, config, why);
    if (code != PAPI_OK)
        cuda_unconfigure(cuda, config);
    return code;
}

int cuda_passes(const struct component_event *event, size_t *passes, struct reason *why)
{
    struct cuda_config config;
    int code = cuda_configure(event->opened, device_variant_device(event), &event, 1, &config, why);
    *passes = config.passes;
    cuda_unconfigure(event->opened, &config);
    return code;
}

void cuda_unconfigure(const struct cuda *cuda, struct cuda_config *config)
{
    cuda_close_host(cuda, config->host);
    free(config->image);
    *config = (struct cuda_config){.host = NULL};
}

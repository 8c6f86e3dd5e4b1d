/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Counting on one device: CUPTI's range profiler in a context, with one range for each span and one pass, so
 * that no kernel is run again.
 */
#include "base/seconds.h"
#include "components/device/cuda.h"
#include "papi.h"

#include <stdlib.h>

struct plan {
    struct device_spans spans;
    struct cuda *cuda;
    struct cuda_device *device;
    const char *name;       /* of the device */
    void *context, *object; /* CUPTI's session, open from the first range on; NULL */
    void *before;           /* the context that was current, while this one is */
    bool retained, ranging;
    struct cuda_config config;
    uint8_t *data;
    size_t data_size;
};

/* ---- sessions */

/* Finds the context in which the calling thread uses the device, or else the primary one. */
static int find_context(struct plan *plan, struct reason *why)
{
    const struct cuda_driver *driver = &plan->cuda->driver;
    int device = -1;
    if (driver->current(&plan->context) == 0 && plan->context != NULL &&
        driver->current_device(&device) == 0 && device == plan->device->number)
        return PAPI_OK;
    plan->context = NULL;
    int result = driver->retain(&plan->context, plan->device->number);
    plan->retained = result == 0;
    return cuda_driver_result(plan->cuda, result, "the primary context", why);
}

/* Asks which counters the device has: some of its chip's may be switched off. */
static int ask_availability(const struct plan *plan)
{
    struct cupti_availability ask = {CUPTI_HEAD(ask, image), .context = plan->context};
    int result = plan->cuda->cupti.availability(&ask);
    ask.image = result == CUPTI_OK ? calloc(1, ask.image_size + 1) : NULL;
    if (ask.image == NULL)
        return result ?: CUPTI_OUT_OF_MEMORY;
    result = plan->cuda->cupti.availability(&ask);
    if (result == CUPTI_OK)
        plan->device->availability = ask.image;
    else
        free(ask.image);
    return result;
}

/* Makes the plan's context current, which is looked for at first. */
static int enter(struct plan *plan, struct reason *why)
{
    int code = plan->context == NULL ? find_context(plan, why) : PAPI_OK;
    plan->before = NULL;
    if (code != PAPI_OK)
        return code;
    plan->cuda->driver.current(&plan->before);
    if (plan->before != plan->context)
        plan->cuda->driver.set_current(plan->context);
    return PAPI_OK;
}

static void leave(const struct plan *plan)
{
    if (plan->before != plan->context)
        plan->cuda->driver.set_current(plan->before);
}

static int enable(struct plan *plan)
{
    struct cupti_enable enable = {CUPTI_HEAD(enable, object), .context = plan->context};
    int result = plan->cuda->cupti.enable(&enable);
    plan->object = result == CUPTI_OK ? enable.object : NULL;
    return result;
}

/* Closes the session, with a range whose counts nobody wants any more. */
static void close_session(struct device_spans *spans)
{
    struct plan *plan = (struct plan *)spans;
    const struct cupti *cupti = &plan->cuda->cupti;
    struct cupti_object object = {CUPTI_HEAD(object, object), .object = plan->object};
    struct cupti_stop stop = {CUPTI_HEAD(stop, all_submitted), .object = plan->object};
    if (plan->object != NULL) {
        enter(plan, NULL);
        if (plan->ranging) {
            cupti->pop(&object);
            cupti->stop(&stop);
        }
        cupti->disable(&object);
        leave(plan);
    }
    if (plan->retained)
        plan->cuda->driver.release(plan->device->number);
    free(plan->data);
    plan->context = plan->object = plan->data = NULL;
    plan->retained = plan->ranging = false;
}

int cuda_try(struct device_plan *made, struct reason *why)
{
    struct plan *plan = (struct plan *)made;
    int code = enter(plan, why), result = CUPTI_OK;
    if (code != PAPI_OK)
        return code;
    if (plan->device->availability == NULL)
        result = ask_availability(plan);
    result = result ?: enable(plan);
    leave(plan);
    close_session(&plan->spans);
    return cuda_result(plan->cuda, result, plan->name, why);
}

/* ---- ranges */

static int make_room(struct plan *plan)
{
    struct cupti_data_size size = {CUPTI_HEAD(size, data_size),
                                   .object = plan->object,
                                   .name = (const char **)plan->config.name,
                                   .n = (size_t)plan->config.n,
                                   .ranges = 1,
                                   .nodes = 1};
    int result = plan->cuda->cupti.data_size(&size);
    if (result != CUPTI_OK)
        return result;
    plan->data_size = size.data_size;
    plan->data = malloc(size.data_size);
    return plan->data != NULL ? CUPTI_OK : CUPTI_OUT_OF_MEMORY;
}

static int begin_range(const struct plan *plan)
{
    const struct cupti *cupti = &plan->cuda->cupti;
    struct cupti_data_initialize data = {CUPTI_HEAD(data, data), .object = plan->object,
                                         .data_size = plan->data_size, .data = plan->data};
    struct cupti_set_config config = {CUPTI_HEAD(config, level),
                                      .object = plan->object,
                                      .image_size = plan->config.size,
                                      .image = plan->config.image,
                                      .data_size = plan->data_size,
                                      .data = plan->data,
                                      .range = CUPTI_USER_RANGE,
                                      .replay = CUPTI_USER_REPLAY,
                                      .ranges = 1,
                                      .levels = 1,
                                      .least_level = 1,
                                      .level = 1};
    struct cupti_object start = {CUPTI_HEAD(start, object), .object = plan->object};
    struct cupti_push push = {CUPTI_HEAD(push, name), .object = plan->object, .name = "papi"};
    return cupti->data_initialize(&data) ?: cupti->set_config(&config) ?: cupti->start(&start) ?: cupti->push(&push);
}

static int begin(struct device_spans *spans, struct reason *why)
{
    struct plan *plan = (struct plan *)spans;
    int code = enter(plan, why);
    if (code != PAPI_OK)
        return code;
    int result = plan->object == NULL ? enable(plan) : CUPTI_OK;
    if (result == CUPTI_OK && plan->data == NULL)
        result = make_room(plan);
    result = result ?: begin_range(plan);
    leave(plan);
    plan->ranging = result == CUPTI_OK;
    return cuda_result(plan->cuda, result, plan->name, why);
}

static int end_range(struct plan *plan, double *value)
{
    const struct cupti *cupti = &plan->cuda->cupti;
    struct cupti_object pop = {CUPTI_HEAD(pop, object), .object = plan->object};
    struct cupti_stop stop = {CUPTI_HEAD(stop, all_submitted), .object = plan->object};
    struct cupti_decode decode = {CUPTI_HEAD(decode, dropped), .object = plan->object};
    struct cupti_evaluate evaluate = {CUPTI_HEAD(evaluate, value),
                                      .host = plan->config.host,
                                      .data = plan->data,
                                      .data_size = plan->data_size,
                                      .name = (const char **)plan->config.name,
                                      .n = (size_t)plan->config.n,
                                      .value = value};
    int result = cupti->pop(&pop) ?: cupti->stop(&stop) ?: cupti->decode(&decode);
    plan->spans.dropped = stop.all_submitted != 1 || decode.dropped > 0;
    return result != CUPTI_OK || plan->spans.dropped ? result : cupti->evaluate(&evaluate);
}

static int end(struct device_spans *spans, double *value, struct reason *why)
{
    struct plan *plan = (struct plan *)spans;
    enter(plan, NULL);
    int waited = plan->cuda->driver.synchronize();
    spans->seconds = seconds_now() - spans->since;
    int result = end_range(plan, value);
    leave(plan);
    plan->ranging = false;
    return cuda_driver_result(plan->cuda, waited, plan->name, why)
               ?: cuda_result(plan->cuda, result, plan->name, why);
}

/* ---- plans */

static int prepare(struct device_plan *made, struct reason *why)
{
    struct plan *plan = (struct plan *)made;
    struct cuda *cuda = made->opened;
    int device = device_variant_device(made->event[0]);
    plan->cuda = cuda, plan->device = &cuda->device[device];
    plan->name = cuda->units.unit[device].name;
    plan->spans.begin = begin, plan->spans.end = end, plan->spans.close = close_session;
    for (int i = 0; i < made->n; i++)
        plan->spans.together[i] = device_variant_together(&cuda_words, made->event[i]);
    return reason_pass(&cuda->units.cannot, why)
               ?: cuda_configure(cuda, device, made->event, made->n, &plan->config, why)
               ?: device_words_one_pass(&cuda_words, made->event[made->n - 1], made->n, plan->config.passes, why);
}

static void discard(struct device_plan *made)
{
    struct plan *plan = (struct plan *)made;
    close_session(&plan->spans);
    cuda_unconfigure(plan->cuda, &plan->config);
}

const struct device_counting cuda_counting = {
    .name = "cuda",
    .size = sizeof(struct plan),
    .device = device_variant_device,
    .prepare = prepare,
    .discard = discard,
    .start = device_spans_start,
    .read = device_spans_read,
    .stop = device_spans_stop,
    .renew = device_spans_renew,
};

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Counting on one device: CUPTI's range profiler in a context, with one range for each span and one pass, so
 * that no kernel is run again.
 */
#include "base/seconds.h"
#include "components/device/cuda.h"
#include "papi.h"

#include <math.h>
#include <stdlib.h>

/* CUPTI in a context of a device. */
struct session {
    struct cuda *cuda;
    struct cuda_device *device;
    void *context, *object;
    void *before; /* the context that was current, while this one is */
    bool retained, ranging;
};

struct plan {
    struct device_spans spans;
    struct session session;
    struct cuda_config config;
    uint8_t *data;
    size_t data_size;
};

/* ---- sessions */

/* Finds the context in which the calling thread uses the device, or else the primary one. */
static int find_context(struct session *session, struct reason *why)
{
    const struct cuda_driver *driver = &session->cuda->driver;
    int device = -1;
    if (driver->current(&session->context) == 0 && session->context != NULL &&
        driver->current_device(&device) == 0 && device == session->device->number)
        return PAPI_OK;
    session->context = NULL;
    int result = driver->retain(&session->context, session->device->number);
    session->retained = result == 0;
    return cuda_driver_result(session->cuda, result, "the primary context", why);
}

/* Asks which counters the device has: some of its chip's may be switched off. */
static int ask_availability(const struct session *session)
{
    struct cupti_availability ask = {CUPTI_HEAD(ask, image), .context = session->context};
    int result = session->cuda->cupti.availability(&ask);
    ask.image = result == CUPTI_OK ? calloc(1, ask.image_size + 1) : NULL;
    if (ask.image == NULL)
        return result ?: CUPTI_OUT_OF_MEMORY;
    result = session->cuda->cupti.availability(&ask);
    if (result == CUPTI_OK)
        session->device->availability = ask.image;
    else
        free(ask.image);
    return result;
}

/* Makes the session's context current, which is looked for at first. */
static int enter(struct session *session, struct reason *why)
{
    int code = session->context == NULL ? find_context(session, why) : PAPI_OK;
    session->before = NULL;
    if (code != PAPI_OK)
        return code;
    session->cuda->driver.current(&session->before);
    if (session->before != session->context)
        session->cuda->driver.set_current(session->context);
    return PAPI_OK;
}

static void leave(const struct session *session)
{
    if (session->before != session->context)
        session->cuda->driver.set_current(session->before);
}

static int enable(struct session *session)
{
    struct cupti_enable enable = {CUPTI_HEAD(enable, object), .context = session->context};
    int result = session->cuda->cupti.enable(&enable);
    session->object = result == CUPTI_OK ? enable.object : NULL;
    return result;
}

/* Closes a session, with a range whose counts nobody wants any more. */
static void close_session(struct session *session)
{
    const struct cupti *cupti = &session->cuda->cupti;
    struct cupti_object object = {CUPTI_HEAD(object, object), .object = session->object};
    struct cupti_stop stop = {CUPTI_HEAD(stop, all_submitted), .object = session->object};
    if (session->object != NULL) {
        enter(session, NULL);
        if (session->ranging) {
            cupti->pop(&object);
            cupti->stop(&stop);
        }
        cupti->disable(&object);
        leave(session);
    }
    if (session->retained)
        session->cuda->driver.release(session->device->number);
    *session = (struct session){.cuda = session->cuda, .device = session->device};
}

int cuda_try(struct device_units *units, int i, struct reason *why)
{
    struct session session = {.cuda = (struct cuda *)units, .device = &((struct cuda *)units)->device[i]};
    int code = enter(&session, why), result = CUPTI_OK;
    if (code != PAPI_OK)
        return code;
    if (session.device->availability == NULL)
        result = ask_availability(&session);
    result = result ?: enable(&session);
    leave(&session);
    close_session(&session);
    return cuda_result(session.cuda, result, session.device->name, why);
}

/* ---- ranges */

static int make_room(struct plan *plan)
{
    struct cupti_data_size size = {CUPTI_HEAD(size, data_size),
                                   .object = plan->session.object,
                                   .name = (const char **)plan->config.name,
                                   .n = (size_t)plan->config.n,
                                   .ranges = 1,
                                   .nodes = 1};
    int result = plan->session.cuda->cupti.data_size(&size);
    if (result != CUPTI_OK)
        return result;
    plan->data_size = size.data_size;
    plan->data = malloc(size.data_size);
    return plan->data != NULL ? CUPTI_OK : CUPTI_OUT_OF_MEMORY;
}

static int begin_range(const struct plan *plan)
{
    const struct cupti *cupti = &plan->session.cuda->cupti;
    struct cupti_data_initialize data = {CUPTI_HEAD(data, data), .object = plan->session.object,
                                         .data_size = plan->data_size, .data = plan->data};
    struct cupti_set_config config = {CUPTI_HEAD(config, level),
                                      .object = plan->session.object,
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
    struct cupti_object start = {CUPTI_HEAD(start, object), .object = plan->session.object};
    struct cupti_push push = {CUPTI_HEAD(push, name), .object = plan->session.object, .name = "papi"};
    return cupti->data_initialize(&data) ?: cupti->set_config(&config) ?: cupti->start(&start) ?: cupti->push(&push);
}

static int begin(struct device_spans *spans, struct reason *why)
{
    struct plan *plan = (struct plan *)spans;
    struct session *session = &plan->session;
    int code = enter(session, why);
    if (code != PAPI_OK)
        return code;
    int result = session->object == NULL ? enable(session) : CUPTI_OK;
    if (result == CUPTI_OK && plan->data == NULL)
        result = make_room(plan);
    result = result ?: begin_range(plan);
    leave(session);
    session->ranging = result == CUPTI_OK;
    return cuda_result(session->cuda, result, session->device->name, why);
}

/* Ends the range. *lost: its counts are not all there. */
static int end_range(const struct plan *plan, double *value, bool *lost)
{
    const struct cupti *cupti = &plan->session.cuda->cupti;
    struct cupti_object pop = {CUPTI_HEAD(pop, object), .object = plan->session.object};
    struct cupti_stop stop = {CUPTI_HEAD(stop, all_submitted), .object = plan->session.object};
    struct cupti_decode decode = {CUPTI_HEAD(decode, dropped), .object = plan->session.object};
    struct cupti_evaluate evaluate = {CUPTI_HEAD(evaluate, value),
                                      .host = plan->config.host,
                                      .data = plan->data,
                                      .data_size = plan->data_size,
                                      .name = (const char **)plan->config.name,
                                      .n = (size_t)plan->config.n,
                                      .value = value};
    for (int i = 0; i < plan->config.n; i++)
        value[i] = NAN;
    int result = cupti->pop(&pop) ?: cupti->stop(&stop) ?: cupti->decode(&decode);
    *lost = stop.all_submitted != 1 || decode.dropped > 0;
    return result != CUPTI_OK || *lost ? result : cupti->evaluate(&evaluate);
}

static int end(struct device_spans *spans, double *value, struct reason *why)
{
    struct plan *plan = (struct plan *)spans;
    struct session *session = &plan->session;
    const char *name = session->device->name;
    bool lost = false;
    enter(session, NULL);
    int waited = session->cuda->driver.synchronize();
    spans->seconds = seconds_now() - spans->since;
    int result = end_range(plan, value, &lost);
    leave(session);
    session->ranging = false;
    int code =
        cuda_driver_result(session->cuda, waited, name, why) ?: cuda_result(session->cuda, result, name, why);
    if (code == PAPI_OK && lost)
        code = reason_set(why, PAPI_EMISC,
                          "%s: CUPTI has dropped a range, whose counts are lost: start again", name);
    return code;
}

/* ---- plans */

static void close_plan(struct device_spans *spans)
{
    struct plan *plan = (struct plan *)spans;
    close_session(&plan->session);
    free(plan->data);
    plan->data = NULL;
}

static int prepare(struct device_plan *made, struct reason *why)
{
    struct plan *plan = (struct plan *)made;
    struct cuda *cuda = made->opened;
    int device = device_variant_device(made->event[0]);
    plan->session = (struct session){.cuda = cuda, .device = &cuda->device[device]};
    plan->spans.begin = begin, plan->spans.end = end, plan->spans.close = close_plan;
    for (int i = 0; i < made->n; i++)
        plan->spans.together[i] = device_variant_together(&cuda_words, made->event[i]);
    return reason_pass(&cuda->units.cannot, why)
               ?: cuda_configure(cuda, device, made->event, made->n, &plan->config, why)
               ?: device_words_one_pass(&cuda_words, made->event[made->n - 1], made->n, plan->config.passes, why);
}

static void discard(struct device_plan *made)
{
    struct plan *plan = (struct plan *)made;
    close_plan(&plan->spans);
    cuda_unconfigure(plan->session.cuda, &plan->config);
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

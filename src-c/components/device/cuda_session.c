/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Counting on one device: CUPTI's range profiler in a context, with one range, from a start or a reading to
 * the next, and one pass, so that no kernel is run again.
 */
#include "base/seconds.h"
#include "components/device/cuda.h"
#include "papi.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* ---- context */

/* Makes the session's context current; the one of before. */
static void *enter(const struct cuda_session *session)
{
    void *before = NULL;
    session->cuda->driver.current(&before);
    if (before != session->context)
        session->cuda->driver.set_current(session->context);
    return before;
}

static void leave(const struct cuda_session *session, void *before)
{
    if (before != session->context)
        session->cuda->driver.set_current(before);
}

/* Finds the context in which the calling thread uses the device. */
static int find_context(struct cuda_session *session, struct reason *why)
{
    const struct cuda_driver *driver = &session->cuda->driver;
    int device = -1;
    if (driver->current(&session->context) == 0 && session->context != NULL &&
        driver->current_device(&device) == 0 && device == session->device->number)
        return PAPI_OK;
    session->context = NULL;
    int result = driver->retain(&session->context, session->device->number);
    session->retained = result == 0;
    return result == 0 ? PAPI_OK : cuda_driver_failed(session->cuda, result, "the primary context", why);
}

/* ---- device */

static int enable(struct cuda_session *session, struct reason *why)
{
    struct cupti_enable enable = {CUPTI_HEAD(enable, object), .context = session->context};
    int result = session->cuda->cupti.enable(&enable);
    session->object = result == CUPTI_OK ? enable.object : NULL;
    return result == CUPTI_OK ? PAPI_OK : cuda_failed(session->cuda, result, session->device->name, why);
}

static int make_room(struct cuda_session *session, struct reason *why)
{
    struct cupti_data_size size = {CUPTI_HEAD(size, data_size),
                                   .object = session->object,
                                   .name = (const char **)session->config.metric,
                                   .n = (size_t)session->config.n,
                                   .ranges = 1,
                                   .nodes = 1};
    int result = session->cuda->cupti.data_size(&size);
    if (result != CUPTI_OK)
        return cuda_failed(session->cuda, result, session->device->name, why);
    session->data_size = size.data_size;
    session->data = malloc(size.data_size);
    return session->data != NULL ? PAPI_OK : reason_set(why, PAPI_ENOMEM, "out of memory");
}

/* Ends a range whose counts nobody wants any more. */
static void leave_range(const struct cuda_session *session)
{
    struct cupti_object pop = {CUPTI_HEAD(pop, object), .object = session->object};
    struct cupti_stop stop = {CUPTI_HEAD(stop, all_submitted), .object = session->object};
    session->cuda->cupti.pop(&pop);
    session->cuda->cupti.stop(&stop);
}

int cuda_session_open(struct cuda_session *session, struct reason *why)
{
    int code = find_context(session, why);
    if (code == PAPI_OK) {
        void *before = enter(session);
        code = enable(session, why);
        if (code == PAPI_OK && session->config.n > 0)
            code = make_room(session, why);
        leave(session, before);
    }
    if (code != PAPI_OK)
        cuda_session_close(session);
    return code;
}

void cuda_session_close(struct cuda_session *session)
{
    struct cupti_object disable = {CUPTI_HEAD(disable, object), .object = session->object};
    if (session->object != NULL) {
        void *before = enter(session);
        if (session->ranging)
            leave_range(session);
        session->cuda->cupti.disable(&disable);
        leave(session, before);
    }
    if (session->retained)
        session->cuda->driver.release(session->device->number);
    free(session->data);
    session->object = session->context = session->data = NULL;
    session->retained = session->ranging = false;
}

/* ---- ranges */

static int begin_range(struct cuda_session *session)
{
    const struct cupti *cupti = &session->cuda->cupti;
    struct cupti_data_initialize data = {CUPTI_HEAD(data, data), .object = session->object,
                                         .data_size = session->data_size, .data = session->data};
    struct cupti_set_config config = {CUPTI_HEAD(config, level),
                                      .object = session->object,
                                      .image_size = session->config.size,
                                      .image = session->config.image,
                                      .data_size = session->data_size,
                                      .data = session->data,
                                      .range = CUPTI_USER_RANGE,
                                      .replay = CUPTI_USER_REPLAY,
                                      .ranges = 1,
                                      .levels = 1,
                                      .least_level = 1,
                                      .level = 1};
    struct cupti_object start = {CUPTI_HEAD(start, object), .object = session->object};
    struct cupti_push push = {CUPTI_HEAD(push, name), .object = session->object, .name = "papi"};
    return cupti->data_initialize(&data) ?: cupti->set_config(&config) ?: cupti->start(&start) ?: cupti->push(&push);
}

int cuda_session_begin(struct cuda_session *session, struct reason *why)
{
    void *before = enter(session);
    int result = begin_range(session);
    leave(session, before);
    session->since = seconds_now();
    session->ranging = result == CUPTI_OK;
    return result == CUPTI_OK ? PAPI_OK : cuda_failed(session->cuda, result, session->device->name, why);
}

/* Ends the range. *lost: its counts are not all there. */
static int end_range(struct cuda_session *session, bool *lost)
{
    const struct cupti *cupti = &session->cuda->cupti;
    struct cupti_object pop = {CUPTI_HEAD(pop, object), .object = session->object};
    struct cupti_stop stop = {CUPTI_HEAD(stop, all_submitted), .object = session->object};
    struct cupti_decode decode = {CUPTI_HEAD(decode, dropped), .object = session->object};
    struct cupti_evaluate evaluate = {CUPTI_HEAD(evaluate, value),
                                      .host = session->config.host,
                                      .data = session->data,
                                      .data_size = session->data_size,
                                      .name = (const char **)session->config.metric,
                                      .n = (size_t)session->config.n,
                                      .value = session->value};
    for (int i = 0; i < session->config.n; i++)
        session->value[i] = NAN;
    int result = cupti->pop(&pop) ?: cupti->stop(&stop) ?: cupti->decode(&decode);
    *lost = stop.all_submitted != 1 || decode.dropped > 0;
    return result != CUPTI_OK || *lost ? result : cupti->evaluate(&evaluate);
}

int cuda_session_end(struct cuda_session *session, struct reason *why)
{
    bool lost = false;
    if (!session->ranging)
        return PAPI_OK;
    void *before = enter(session);
    int waited = session->cuda->driver.synchronize();
    session->seconds = seconds_now() - session->since;
    int result = end_range(session, &lost);
    leave(session, before);
    session->ranging = false;
    if (waited != 0)
        return cuda_driver_failed(session->cuda, waited, session->device->name, why);
    if (result != CUPTI_OK)
        return cuda_failed(session->cuda, result, session->device->name, why);
    return lost ? reason_set(why, PAPI_EMISC,
                             "%s: CUPTI has dropped a range, whose counts are lost: start again",
                             session->device->name)
                : PAPI_OK;
}

/* ---- trial */

/* Asks which counters the device has: some of its chip's may be switched off. */
static int ask_availability(struct cuda_session *session)
{
    struct cupti_availability ask = {CUPTI_HEAD(ask, image), .context = session->context};
    int result = session->cuda->cupti.availability(&ask);
    uint8_t *image = result == CUPTI_OK ? calloc(1, ask.image_size + 1) : NULL;
    if (image == NULL)
        return result != CUPTI_OK ? result : CUPTI_OUT_OF_MEMORY;
    ask.image = image;
    result = session->cuda->cupti.availability(&ask);
    if (result != CUPTI_OK) {
        free(image);
        return result;
    }
    session->device->availability = image;
    return CUPTI_OK;
}

static int attempt(struct cuda *cuda, struct cuda_device *device, struct reason *why)
{
    struct cuda_session session = {.cuda = cuda, .device = device};
    int code = find_context(&session, why), result = CUPTI_OK;
    if (code != PAPI_OK)
        return code;
    void *before = enter(&session);
    if (device->availability == NULL)
        result = ask_availability(&session);
    code = result == CUPTI_OK ? enable(&session, why) : cuda_failed(cuda, result, device->name, why);
    leave(&session, before);
    cuda_session_close(&session);
    return code;
}

int cuda_try(struct cuda *cuda, int i, struct reason *why)
{
    struct cuda_device *device = &cuda->device[i];
    if (!device->tried && atomic_load(&cuda->owners.of[i].group) != NULL)
        return PAPI_OK; /* it counts just now */
    if (!device->tried) {
        device->trial.code = attempt(cuda, device, &device->trial);
        device->tried = !code_passes(device->trial.code) && device->trial.code != PAPI_ECNFLCT;
    }
    return reason_pass(&device->trial, why);
}

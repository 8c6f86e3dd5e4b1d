/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Names of events: a metric of CUPTI's is BASE.STATISTIC[.SUBMETRIC], its event BASE[.SUBMETRIC] with the
 * qualifiers ":stat=STATISTIC" and ":device=N". Bases have dots, too.
 */
#include "components/device/cuda.h"
#include "papi.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const cuda_statistic[CUDA_STATISTICS] = {"avg", "max", "max_rate", "min", "pct", "ratio", "sum"};

static const char *const described[CUDA_STATISTICS] = {
    "average over the device's units",
    "maximum over the device's units",
    "greatest value of the ratio",
    "minimum over the device's units",
    "ratio in percent",
    "ratio",
    "sum over the device's units",
};

struct cuda_event cuda_event(const struct component_event *event)
{
    struct cuda_event own;
    memcpy(&own, &event->config, sizeof own);
    return own;
}

uint64_t cuda_config(struct cuda_event event)
{
    uint64_t config;
    _Static_assert(sizeof event == sizeof config, "an event fits");
    memcpy(&config, &event, sizeof config);
    return config;
}

void cuda_metric(const struct component_event *event, char metric[CUDA_NAME])
{
    struct cuda_event own = cuda_event(event);
    int submetric = (int)strcspn(event->name, ":") - own.base;
    snprintf(metric, CUDA_NAME, "%.*s.%s%.*s%s", own.base, event->name, cuda_statistic[own.statistic],
             submetric, event->name + own.base, own.of_peak ? CUDA_OF_PEAK : "");
}

bool cuda_is_count(struct cuda_event event, const char *name)
{
    return event.statistic == CUDA_SUM && !event.real && !event.of_peak && name[event.base] != '.';
}

/* ---- qualifiers */

static void list_statistics(struct cuda_event event, struct reason *why)
{
    for (int i = 0, n = 0; i < CUDA_STATISTICS; i++)
        if ((event.statistics >> i & 1) != 0)
            reason_add(why, "%s%s", n++ > 0 ? ", " : "", cuda_statistic[i]);
}

static int take_statistic(const char *name, const char *text, size_t length, struct cuda_event *event,
                          struct reason *why)
{
    for (int i = 0; i < CUDA_STATISTICS; i++)
        if ((event->statistics >> i & 1) != 0 && strlen(cuda_statistic[i]) == length &&
            strncmp(text, cuda_statistic[i], length) == 0) {
            event->statistic = (uint8_t)i & 0xf;
            return PAPI_OK;
        }
    int code = reason_set(why, PAPI_ENOEVNT, "%.150s has no statistic \"%.*s\"; it has ", name,
                          (int)(length < 40 ? length : 40), text);
    list_statistics(*event, why);
    return code;
}

static int take_device(const char *name, const char *text, size_t length, struct cuda_event *event,
                       struct reason *why)
{
    bool number = length > 0 && length < 3 && strspn(text, "0123456789") >= length;
    int device = number ? atoi(text) : CUDA_DEVICES;
    if (device < CUDA_DEVICES && (event->devices >> device & 1) != 0) {
        event->device = (uint8_t)device;
        return PAPI_OK;
    }
    int code =
        reason_set(why, PAPI_ENOEVNT, "%.150s: there is no device \"%.*s\" that has it; these have:", name,
                   (int)(length < 40 ? length : 40), text);
    for (int i = 0; i < CUDA_DEVICES; i++)
        if ((event->devices >> i & 1) != 0)
            reason_add(why, " %d", i);
    return code;
}

static int take_real(const char *name, const char *text, size_t length, struct cuda_event *event,
                     struct reason *why)
{
    (void)name, (void)text, (void)length, (void)why;
    event->real = 1;
    return PAPI_OK;
}

static const struct {
    const char *begin;
    bool valued;
    int (*take)(const char *name, const char *text, size_t length, struct cuda_event *event,
                struct reason *why);
} qualifiers[] = {
    {":stat=", true, take_statistic}, {":device=", true, take_device}, {":real", false, take_real}};

enum { QUALIFIERS = sizeof qualifiers / sizeof *qualifiers };

/* The qualifier that a text begins with; QUALIFIERS: none. */
static int qualifier_at(const char *text, size_t *length)
{
    int i = 0;
    *length = 1 + strcspn(text + 1, ":");
    while (i < QUALIFIERS && (strncmp(text, qualifiers[i].begin, strlen(qualifiers[i].begin)) != 0 ||
                              (!qualifiers[i].valued && *length != strlen(qualifiers[i].begin))))
        i++;
    return i;
}

static int take(const struct component_event *listed, const char *text, struct component_event *variant,
                char *name, size_t size, struct reason *why)
{
    struct cuda_event event = cuda_event(listed);
    bool seen[QUALIFIERS] = {false};
    size_t length, before;
    snprintf(name, size, "%s%s", listed->name, text);
    for (const char *q = text; *q != '\0'; q += length) {
        int i = qualifier_at(q, &length);
        if (i == QUALIFIERS)
            return reason_set(why, PAPI_ENOEVNT,
                              "\"%.*s\" is none of the qualifiers :stat=STATISTIC, :device=NUMBER and :real",
                              (int)(length < 60 ? length : 60), q);
        if (seen[i])
            return reason_set(why, PAPI_ENOEVNT, "%.200s has the qualifier \"%s\" twice", name,
                              qualifiers[i].begin);
        seen[i] = true;
        before = strlen(qualifiers[i].begin);
        int code = qualifiers[i].take(listed->name, q + before, length - before, &event, why);
        if (code != PAPI_OK)
            return code;
    }
    variant->name = name;
    variant->config = cuda_config(event);
    variant->real = event.real;
    variant->level = !cuda_is_count(event, listed->name);
    return PAPI_OK;
}

/* The bit of a number among those that are set, which it is less for each; -1: there are not so many. */
static int bit_of(uint32_t bits, int *number)
{
    int bit = 0;
    for (; bit < 32; bit++)
        if ((bits >> bit & 1) != 0 && (*number)-- == 0)
            return bit;
    return -1;
}

static bool next(const struct component_event *listed, int number, char *text, size_t size, char *description,
                 size_t room)
{
    struct cuda_event event = cuda_event(listed);
    const struct cuda *cuda = listed->opened;
    int i = bit_of(event.statistics, &number);
    if (i >= 0) {
        snprintf(text, size, ":stat=%s", cuda_statistic[i]);
        snprintf(description, room, "%s", described[i]);
        return true;
    }
    i = bit_of(event.devices, &number);
    if (i >= 0) {
        snprintf(text, size, ":device=%d", i);
        snprintf(description, room, "%s%s%s", cuda->device[i].name, cuda->device[i].name[0] ? ", " : "",
                 cuda->device[i].chip);
        return true;
    }
    snprintf(text, size, ":real");
    snprintf(description, room, "the value is a double, and not rounded");
    return number == 0;
}

const struct component_variants cuda_variants = {.take = take, .next = next};

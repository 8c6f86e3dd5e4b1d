/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Names of AMD's counters: "SQ_WAVES:XCC=1:SHADER_ENGINE=2:device=0". Without a device it is the first one,
 * without a dimension the sum over its instances.
 */
#include "components/device/device_library.h"
#include "components/device/device_names.h"
#include "components/device/rocp.h"
#include "papi.h"

#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <unistd.h>

/* ---- dimensions */

struct dimensions {
    struct rocp_dimension *dimension;
    int n;
};

static int note_dimensions(struct rocp_handle counter, const struct rocp_dimension_info *info, size_t n,
                           void *data)
{
    struct dimensions *found = data;
    (void)counter;
    for (size_t i = 0; i < n && found->n >= 0; i++) {
        bool usable = found->n < ROCP_DIMENSIONS && info[i].name != NULL && info[i].instances > 0 &&
                      strlen(info[i].name) < sizeof found->dimension->name;
        if (!usable) {
            found->n = -1;
            return ROCP_SUCCESS;
        }
        struct rocp_dimension *to = &found->dimension[found->n++];
        strcpy(to->name, info[i].name);
        to->instances = info[i].instances;
        to->id = info[i].id;
    }
    return ROCP_SUCCESS;
}

int rocp_dimensions(const struct rocp *rocp, const struct rocp_counter *counter,
                    struct rocp_dimension dimension[ROCP_DIMENSIONS])
{
    struct dimensions found = {dimension, 0};
    sigset_t before = device_hold_signals();
    int status = rocp->call.dimensions(counter->id, note_dimensions, &found);
    device_release_signals(before);
    return status == ROCP_SUCCESS ? found.n : -1;
}

/* ---- an event */

const struct rocp_counter *rocp_counter(const struct rocp_device *device, const char *name)
{
    for (int i = 0; i < device->n_counters; i++)
        if (strcasecmp(device->counter[i].name, name) == 0)
            return &device->counter[i];
    return NULL;
}

static int malformed(const char *name, struct reason *why)
{
    return reason_set(
        why, PAPI_ENOEVNT,
        "\"%.200s\": qualifiers are :device=N and the counter's dimensions, each once and with a "
        "number, such as \":XCC=0:device=1\"",
        name);
}

static int find_counter(const struct rocp *rocp, const char *base, struct rocp_event *event,
                        struct reason *why)
{
    if (event->device >= rocp->n_devices)
        return reason_set(why, PAPI_ENOEVNT, "there is no device %d: the devices are 0 to %d", event->device,
                          rocp->n_devices - 1);
    event->counter = rocp_counter(&rocp->device[event->device], base);
    for (int i = 0; i < rocp->n_devices && event->counter == NULL; i++)
        if (rocp_counter(&rocp->device[i], base) != NULL)
            return reason_set(why, PAPI_ENOEVNT,
                              "device %d has no counter %s; one that has it is %s:device=%d", event->device,
                              base, base, i);
    return event->counter != NULL ? PAPI_OK
                                  : reason_set(why, PAPI_ENOEVNT, "no device has a counter %.100s", base);
}

/* Adds the position in a dimension to an event. */
static int add_position(struct rocp_event *event, const struct rocp_dimension *dimension, int n,
                        const struct device_qualifier *qualifier, struct reason *why)
{
    char names[256] = "";
    for (int i = 0; i < n; i++) {
        if (strcasecmp(dimension[i].name, qualifier->name) != 0) {
            size_t used = strlen(names);
            snprintf(names + used, sizeof names - used, " %s=0..%zu", dimension[i].name,
                     dimension[i].instances - 1);
            continue;
        }
        if ((size_t)qualifier->number >= dimension[i].instances)
            return reason_set(why, PAPI_ENOEVNT, "%s of %s is at most %zu, not %ld", dimension[i].name,
                              event->counter->name, dimension[i].instances - 1, qualifier->number);
        event->at[event->n_dimensions++] = (struct rocp_position){dimension[i].id, (size_t)qualifier->number};
        return PAPI_OK;
    }
    return reason_set(why, PAPI_ENOEVNT, "%s has no dimension %s; it has:%s", event->counter->name,
                      qualifier->name, n > 0 ? names : " none");
}

/* A ratio has no sum over instances. */
static int check_ratio(const struct rocp_event *event, size_t instances, const struct rocp_dimension *first,
                       struct reason *why)
{
    if (!event->counter->ratio || instances <= 1)
        return PAPI_OK;
    return reason_set(
        why, PAPI_ENOEVNT,
        "%s is a ratio, which has no sum over the instances of its dimensions: name one, such as "
        "%s:%s=0",
        event->counter->name, event->counter->name, first->name);
}

static int find_positions(const struct rocp *rocp, struct rocp_event *event,
                          const struct device_qualifier *qualifier, int n, struct reason *why)
{
    struct rocp_dimension dimension[ROCP_DIMENSIONS];
    int code = PAPI_OK, n_dimensions = rocp_dimensions(rocp, event->counter, dimension);
    size_t left = 1;
    if (n_dimensions < 0)
        return reason_set(why, PAPI_ENOEVNT, "AMD's rocprofiler-sdk does not say which dimensions %s has",
                          event->counter->name);
    event->instances = 1;
    for (int i = 0; i < n_dimensions; i++)
        if (__builtin_mul_overflow(event->instances, dimension[i].instances, &event->instances) ||
            event->instances > 1 << 20)
            return reason_set(why, PAPI_ENOEVNT, "%s has more instances than can be read: %s alone has %zu",
                              event->counter->name, dimension[i].name, dimension[i].instances);
    for (int i = 0; i < n && code == PAPI_OK; i++)
        if (strcasecmp(qualifier[i].name, "device") != 0)
            code = add_position(event, dimension, n_dimensions, &qualifier[i], why);
    const struct rocp_dimension *first = NULL;
    for (int i = 0; i < n_dimensions; i++) {
        bool named = false;
        for (int k = 0; k < event->n_dimensions; k++)
            named |= event->at[k].dimension == dimension[i].id;
        left *= named ? 1 : dimension[i].instances;
        first = !named && first == NULL && dimension[i].instances > 1 ? &dimension[i] : first;
    }
    return code ?: check_ratio(event, left, first, why);
}

int rocp_event(const struct rocp *rocp, const char *name, struct rocp_event *event, struct reason *why)
{
    struct device_qualifier qualifier[DEVICE_QUALIFIERS];
    char base[PAPI_MIN_STR_LEN];
    int n = device_name_split(name, base, sizeof base, qualifier);
    *event = (struct rocp_event){0};
    if (n < 0)
        return malformed(name, why);
    if (rocp->owners.process != getpid())
        return reason_set(why, PAPI_ENOSUPP, "AMD's rocprofiler-sdk does not work in the child of a fork");
    long device = device_qualifier_of(qualifier, n, "device");
    event->device = device > 0 ? (int)device : 0;
    int code = find_counter(rocp, base, event, why);
    return code != PAPI_OK ? code : find_positions(rocp, event, qualifier, n, why);
}

/* ---- variants */

static int take(const struct component_event *listed, const char *qualifiers, struct component_event *variant,
                char *text, size_t size, struct reason *why)
{
    struct rocp_event event;
    if (snprintf(text, size, "%s%s", listed->name, qualifiers) >= (int)size)
        return malformed(listed->name, why);
    variant->name = text;
    return rocp_event(listed->opened, text, &event, why);
}

/* Writes a form for each device that has the counter, then one for each of its dimensions. */
static bool next(const struct component_event *listed, int number, char *qualifiers, size_t size,
                 char *description, size_t room)
{
    const struct rocp *rocp = listed->opened;
    const struct rocp_counter *counter = NULL;
    struct rocp_dimension dimension[ROCP_DIMENSIONS];
    if (rocp->owners.process != getpid())
        return false;
    for (int i = 0; i < rocp->n_devices; i++) {
        const struct rocp_counter *found = rocp_counter(&rocp->device[i], listed->name);
        if (found != NULL && number-- == 0) {
            snprintf(qualifiers, size, ":device=%d", i);
            snprintf(description, room, "Of device %d; without :device=, of device 0", i);
            return true;
        }
        counter = counter != NULL ? counter : found;
    }
    if (counter == NULL || number >= rocp_dimensions(rocp, counter, dimension))
        return false;
    snprintf(qualifiers, size, ":%s=0", dimension[number].name);
    snprintf(description, room, "Of one instance of %s, 0 to %zu; without it, their sum",
             dimension[number].name, dimension[number].instances - 1);
    return true;
}

const struct component_variants rocp_variants = {.take = take, .next = next};

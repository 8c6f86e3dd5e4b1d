/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A library with the interface of libze_loader.so.1, as far as the component intel_gpu uses it: a processor
 * and two devices, the first with two tiles. A device's report is a number; the metrics' are made of it.
 */
#include "ze_double.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define VISIBLE __attribute__((visibility("default")))
#define CALL(name, ...)                                                                                      \
    VISIBLE int name(__VA_ARGS__);                                                                           \
    VISIBLE int name(__VA_ARGS__)

enum { OK = 0, DROPPED = 0x70020001, UNINITIALIZED = 0x78000001, INVALID = 0x78000004, IN_USE = 0x78000006 };
enum { UNITS = 5, GROUPS = 3, METRICS = 9, REPORTS = 4096 };

static void report(int device, int tile, unsigned long value);

VISIBLE struct ze_double ze_double = {.n_devices = 2, .report = report};

/* Handles: drivers and contexts are the library's own, devices are units. */
static struct unit {
    int type, n_reports, taken;
    bool on;
    void *group;
    uint64_t report[REPORTS];
} units[UNITS] = {{.type = 2}, {.type = 1}, {.type = 1}, {.type = 1}, {.type = 1}};
enum { PROCESSOR, FIRST, SECOND, TILE_0, TILE_1 };

static const struct metric {
    const char *name, *unit;
    int type, value;
} metrics[METRICS] = {
    {"GpuTime", "ns", 0, 1},      {"Events", "events", 1, 1}, {"Range", "events", 2, 0},
    {"BytesRead", "bytes", 3, 1}, {"ReadRate", "GBpS", 3, 2}, {"Time", "ns", 4, 1},
    {"Busy", "percent", 6, 3},    {"Raw", "", 7, 1},          {"Float", "events", 1, 2},
};
static const struct group {
    const char *name;
    unsigned sampling, n;
} groups[GROUPS] = {{"ComputeBasic", 2 | 1, METRICS}, {"Other", 2, 1}, {"ByQuery", 1, 1}};

CALL(zeInit, uint32_t flags)
{
    const char *enabled = getenv("ZET_ENABLE_METRICS");
    ze_double.wrong_calls += flags != 0 || enabled == NULL || strcmp(enabled, "1") != 0;
    ze_double.initialized += ze_double.init_status == OK;
    return ze_double.init_status;
}

static int list(uint32_t *n, void **out, uint32_t length, void *first, size_t size)
{
    uint32_t room = *n;
    *n = length;
    for (uint32_t i = 0; out != NULL && i < room && i < length; i++)
        out[i] = (char *)first + i * size;
    return ze_double.initialized > 0 ? OK : UNINITIALIZED;
}

CALL(zeDriverGet, uint32_t *n, void **driver)
{
    return ze_double.drivers_status ? ze_double.drivers_status : list(n, driver, 1, &ze_double, 1);
}

CALL(zeDeviceGet, void *driver, uint32_t *n, void **device)
{
    ze_double.wrong_calls += driver != &ze_double;
    return list(n, device, (uint32_t)ze_double.n_devices + 1, units, sizeof *units);
}

struct properties {
    int structure;
    void *next;
    int type;
    char rest[400];
};

CALL(zeDeviceGetProperties, struct unit *device, struct properties *properties)
{
    properties->type = device->type;
    return properties->structure == 3 ? OK : INVALID;
}

CALL(zeDeviceGetSubDevices, struct unit *device, uint32_t *n, void **tile)
{
    return list(n, tile, device == &units[FIRST] ? 2 : 0, &units[TILE_0], sizeof *units);
}

struct context {
    int structure;
    const void *next;
    uint32_t flags;
};

CALL(zeContextCreate, void *driver, const struct context *wanted, void **context)
{
    *context = &ze_double.initialized;
    return driver == &ze_double && wanted->structure == 0xd ? OK : INVALID;
}

CALL(zetMetricGroupGet, struct unit *device, uint32_t *n, void **group)
{
    uint32_t length = ze_double.no_groups ? 0 : device == &units[SECOND] ? 1 : GROUPS;
    return ze_double.groups_status ? ze_double.groups_status
                                   : list(n, group, length, (void *)groups, sizeof *groups);
}

struct group_properties {
    int structure;
    void *next;
    char name[256], description[256];
    uint32_t sampling, domain, n;
};

CALL(zetMetricGroupGetProperties, const struct group *group, struct group_properties *properties)
{
    strcpy(properties->name, group->name);
    properties->sampling = group->sampling;
    properties->n = group->n;
    return properties->structure == 1 ? OK : INVALID;
}

CALL(zetMetricGet, const struct group *group, uint32_t *n, void **metric)
{
    return list(n, metric, group->n, (void *)metrics, sizeof *metrics);
}

struct metric_properties {
    int structure;
    void *next;
    char name[256], description[256], component[256];
    uint32_t tier;
    int type, value;
    char unit[256];
};

CALL(zetMetricGetProperties, const struct metric *metric, struct metric_properties *properties)
{
    strcpy(properties->name, metric->name);
    strcpy(properties->description, "A metric");
    strcpy(properties->unit, metric->unit);
    properties->type = metric->type;
    properties->value = metric->value;
    return properties->structure == 2 ? OK : INVALID;
}

CALL(zetContextActivateMetricGroups, void *context, struct unit *device, uint32_t n, void **group)
{
    ze_double.wrong_calls += context != &ze_double.initialized || (n == 0) != (group == NULL) || n > 1;
    if (ze_double.activate_status && n > 0)
        return ze_double.activate_status;
    ze_double.active += n > 0 ? 1 : -1;
    device->group = n > 0 ? *group : NULL;
    return OK;
}

struct streamer {
    int structure;
    const void *next;
    uint32_t notify, period;
};

CALL(zetMetricStreamerOpen, void *context, struct unit *device, void *group, struct streamer *wanted,
     void *event, void **streamer)
{
    ze_double.wrong_calls += context != &ze_double.initialized || device->group != group ||
                             wanted->structure != 3 || event != NULL;
    if (ze_double.open_status)
        return ze_double.open_status;
    if (device->on)
        return IN_USE;
    ze_double.period = wanted->period;
    ze_double.streamers++;
    device->on = true;
    device->n_reports = device->taken = 0;
    *streamer = device;
    return OK;
}

CALL(zetMetricStreamerReadData, struct unit *device, uint32_t most, size_t *size, uint8_t *data)
{
    size_t n = (size_t)(device->n_reports - device->taken) * sizeof *device->report;
    ze_double.wrong_calls += !device->on || most != UINT32_MAX;
    if (ze_double.read_status)
        return ze_double.read_status;
    if (data != NULL) {
        n = n < *size ? n : *size;
        memcpy(data, &device->report[device->taken], n);
        device->taken += (int)(n / sizeof *device->report);
        if (ze_double.half_a_report)
            n += 100;
    }
    *size = n;
    return data != NULL && ze_double.dropped ? DROPPED : OK;
}

CALL(zetMetricStreamerClose, struct unit *device)
{
    ze_double.wrong_calls += !device->on;
    device->on = false;
    ze_double.streamers--;
    return ze_double.close_status;
}

struct value {
    int type;
    union {
        uint32_t u32;
        uint64_t u64;
        float f32;
        double f64;
    };
};

/* The numbers of a metric in a report: of an event the report's own, of others what shows which it is. */
static struct value number(int metric, uint64_t in)
{
    struct value value = {.type = metrics[metric].value};
    if (value.type == 0)
        value.u32 = (uint32_t)in;
    else if (value.type == 1)
        value.u64 = metrics[metric].type == 4 ? 1700000000000000001u + in : in;
    else if (value.type == 2)
        value.f32 = metrics[metric].type == 3 ? (float)in + 0.25f : (float)in;
    else
        value.f64 = (double)in + 0.6;
    if (ze_double.wrong_type)
        value.type = 9;
    if (ze_double.negative && value.type == 2)
        value.f32 = -1;
    return value;
}

/* Makes a set of numbers for each tile of a device with tiles, whose reports come by turns. */
CALL(zetMetricGroupCalculateMultipleMetricValuesExp, const struct group *group, int type, size_t size,
     const uint8_t *data, uint32_t *n_sets, uint32_t *n_values, uint32_t *of_set, struct value *out)
{
    uint32_t n = (uint32_t)(size / sizeof(uint64_t)), used = 0;
    uint64_t first;
    memcpy(&first, data, sizeof first);
    uint32_t sets = first >> 63 ? 2 : 1;
    ze_double.wrong_calls += type != 0 || size % sizeof(uint64_t) != 0 || n == 0;
    if (ze_double.calculate_status)
        return ze_double.calculate_status;
    for (uint32_t s = 0; of_set != NULL && s < sets; s++) {
        of_set[s] = 0;
        for (uint32_t i = s; i < n; i += sets) {
            uint64_t in;
            memcpy(&in, data + i * sizeof in, sizeof in);
            for (unsigned m = 0; m < group->n; m++, of_set[s]++)
                out[used++] = number((int)m, in & ~(1ull << 63));
        }
    }
    if (of_set != NULL && ze_double.n_sets_wrong)
        of_set[0] += group->n * 100;
    *n_sets = ze_double.no_sets ? 0 : sets;
    *n_values = n * group->n;
    return OK;
}

static void add(struct unit *unit, uint64_t value)
{
    if (unit->on && unit->n_reports < REPORTS)
        unit->report[unit->n_reports++] = value;
}

static void report(int device, int tile, unsigned long value)
{
    if (tile >= 0)
        add(&units[TILE_0 + tile], value);
    else if (device == 1)
        add(&units[SECOND], value);
    else
        for (int i = 0; i < 2; i++)
            add(&units[FIRST], value | 1ull << 63);
}

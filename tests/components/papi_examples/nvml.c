/* SPDX-License-Identifier: BSD-3-Clause
 *
 * nvml as PAPI's users read it, and set the limit of a device's power: with the right, within the device's
 * limits, and set back at the end.
 */
#include "../nvml_double.h"
#include "example.h"

#include <stdio.h>

#define FIRST "nvml:::Tesla_V100_SXM2:device_0:"
#define SECOND "nvml:::A100:device_1:"

static struct nvml_double *nvml;

static void readings(void)
{
    long long value[5];
    int es = example_set(FIRST "power", FIRST "temperature", FIRST "gpu_utilization",
                         SECOND "total_energy_consumption", SECOND "power", NULL);
    MUST(PAPI_start(es));
    nvml->device[0].power = 123456;
    nvml->device[1].energy += 77;
    MUST(PAPI_read(es, value));
    SAME(value[0], 123456);
    SAME(value[1], 40);
    SAME(value[2], 80);
    SAME(value[3], 77);
    SAME(value[4], 60000);
    nvml->device[0].power = 1000;
    MUST(PAPI_stop(es, value));
    SAME(value[0], 1000);
    example_print(es, value);
}

static void limit(void)
{
    long long range[2], value = 200000, now;
    int es = example_set(SECOND "power_management_limit", NULL),
        bounds = example_set(SECOND "power_management_limit_constraint_min",
                             SECOND "power_management_limit_constraint_max", NULL);
    MUST(PAPI_start(bounds));
    MUST(PAPI_stop(bounds, range));
    MUST(PAPI_start(es));
    MUST(PAPI_write(es, &value));
    SAME(nvml->device[1].limit, 200000);
    value = range[0] - 1;
    MUST_BE(PAPI_EINVAL, PAPI_write(es, &value));
    value = range[1] + 1;
    MUST_BE(PAPI_EINVAL, PAPI_write(es, &value));
    value = 1; /* the stand-in's sign for a user who may not */
    MUST_BE(PAPI_EPERM, PAPI_write(es, &value));
    MUST(PAPI_read(es, &now));
    SAME(now, 200000);
    value = range[1];
    MUST(PAPI_write(es, &value));
    MUST(PAPI_stop(es, &now));
    SAME(now, range[1]);
    MUST(PAPI_start(bounds));
    range[0]++;
    MUST_BE(PAPI_ECMP, PAPI_write(bounds, range));
    MUST(PAPI_stop(bounds, range));
}

int main(void)
{
    int events, forms;
    nvml = example_symbol("nvml_double");
    unsigned before = nvml->device[1].limit;
    int component = example_begin("nvml");
    example_walk(component, &events, &forms);
    SAME(events, PAPI_get_component_info(component)->num_native_events);
    SAME(forms, 0);
    readings();
    limit();
    example_no_event(FIRST "watts");
    example_no_event("nvml:::Tesla_V100_SXM2:device_1:power");
    example_no_event("nvml:::device_0:power");
    example_no_event("nvml:::Tesla V100 SXM2:device_0:power");
    PAPI_shutdown();
    SAME(nvml->device[1].limit, before);
    puts("PASSED");
    return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * amd_smi and rocm_smi, which the argument says, as PAPI's users read them: power, energy and the limit of
 * the power, which is set with the right to do it.
 */
#include "../amd_double.h"
#include "example.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

/* The events of the two components. */
static const struct names {
    const char *component, *energy, *use, *cap, *cap_max, *power;
    long long power_now, no_right;
    const char *wrong[6];
} components[] = {
    {"amd_smi",
     "amd_smi:::energy_consumed:device=0",
     "amd_smi:::gfx_activity:device=0",
     "amd_smi:::power_cap:device=0",
     "amd_smi:::power_cap_range_max:device=0",
     "amd_smi:::power_current:device=0",
     95,
     1,
     {"amd_smi:::energy_consumed", "amd_smi:::energy_consumed:device=9", "amd_smi:::power_cap:device=",
      "amd_smi:::temp_current_sensor=99:device=0", "amd_smi:::power:device=0", "amd_smi:::"}},
    {"rocm_smi",
     "rocm_smi:::energy_count:device=0",
     "rocm_smi:::busy_percent:device=0",
     "rocm_smi:::power_cap:device=0:sensor=0",
     "rocm_smi:::power_cap_range_max:device=0:sensor=0",
     "rocm_smi:::power_average:device=0:sensor=0",
     90000000,
     1,
     {"rocm_smi:::energy_count", "rocm_smi:::energy_count:device=9", "rocm_smi:::power_cap:device=0",
      "rocm_smi:::power_average:device=0:sensor=77", "rocm_smi:::power:device=0", "rocm_smi:::NUMDevice"}},
};

static struct amd_double *amd;
static const struct names *names;

static void levels_and_counters(void)
{
    long long value[3];
    int es = example_set(names->power, names->use, names->energy, NULL);
    MUST(PAPI_start(es));
    MUST(PAPI_read(es, value));
    SAME(value[0], names->power_now);
    SAME(value[1], 40);
    SAME(value[2], 0); /* energy counts from the start */
    amd->device[0].busy = 99;
    amd->device[0].energy += 1 << 20; /* times 16043213 / 2^20 */
    MUST(PAPI_stop(es, value));
    SAME(value[1], 99);
    SAME(value[2] == 16043213 || value[2] == 16043214, true); /* of two numbers that were cut */
    example_print(es, value);
}

/* With the right, without it, outside of the limits, and what shows no limit; all is set back at the end. */
static void limit(void)
{
    long long value[2], most, wanted = 250000000;
    int es = example_set(names->cap, NULL), highest = example_set(names->cap_max, NULL),
        other = example_set(names->use, NULL);
    MUST(PAPI_start(highest));
    MUST(PAPI_stop(highest, &most));
    SAME(most, 560000000);
    MUST(PAPI_start(es));
    MUST(PAPI_read(es, value));
    SAME(value[0], 300000000);
    MUST(PAPI_write(es, &wanted));
    SAME(amd->device[0].cap, 250000000);
    MUST(PAPI_read(es, value));
    SAME(value[0], 250000000);
    wanted = names->no_right;
    MUST_BE(PAPI_EPERM, PAPI_write(es, &wanted));
    wanted = 5;
    MUST_BE(PAPI_EINVAL, PAPI_write(es, &wanted));
    wanted = -1;
    MUST_BE(PAPI_EINVAL, PAPI_write(es, &wanted));
    MUST(PAPI_stop(es, value));
    SAME(value[0], 250000000);
    MUST(PAPI_start(other));
    MUST_BE(PAPI_ECMP, PAPI_write(other, &wanted));
    MUST(PAPI_stop(other, NULL));
}

static void *read_in_thread(void *read)
{
    long long value;
    int es = example_set(names->energy, NULL);
    MUST(PAPI_start(es));
    MUST(PAPI_stop(es, &value));
    *(long long *)read = value;
    return NULL;
}

/* Numbers that are asked for are no counters that one set takes from another. */
static void several_sets(void)
{
    long long value[2] = {7, 7};
    pthread_t thread;
    int es = example_set(names->energy, NULL), second = example_set(names->energy, names->power, NULL);
    MUST(PAPI_start(es));
    MUST(PAPI_start(second));
    SAME(pthread_create(&thread, NULL, read_in_thread, value), 0);
    SAME(pthread_join(thread, NULL), 0);
    SAME(value[0], 0);
    amd->device[0].energy += 1 << 21;
    MUST(PAPI_stop(second, value));
    long long first;
    MUST(PAPI_stop(es, &first));
    SAME(value[0], first);
    SAME(first >= 2 * 16043213, true);
}

int main(int argc, char **argv)
{
    int events, forms;
    names = &components[argc > 1 && strcmp(argv[1], "rocm_smi") == 0];
    amd = example_symbol("amd_double");
    int component = example_begin(names->component);
    MUST(PAPI_thread_init((unsigned long (*)(void))pthread_self));
    example_walk(component, &events, &forms);
    SAME(events, PAPI_get_component_info(component)->num_native_events);
    SAME(forms, 0); /* each device's events are listed themselves */
    levels_and_counters();
    limit();
    several_sets();
    for (int i = 0; i < 6; i++)
        example_no_event(names->wrong[i]);
    SAME(amd->device[0].cap, 250000000);
    PAPI_shutdown();
    SAME(amd->device[0].cap, 300000000);
    SAME(amd->started, 0);
    puts("PASSED");
    return 0;
}

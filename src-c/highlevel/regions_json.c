/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/json.h"
#include "highlevel/regions.h"

#include <stdlib.h>

/* Writes a number as a text, as readers of this file expect all values. */
static void number(struct json *json, const char *key, long long value)
{
    char text[24];
    snprintf(text, sizeof text, "%lld", value);
    json_string(json, key, text);
}

/* A limit of the clock's rate, or, where the machine does not state it, the rate that it has. */
static long long rate(const PAPI_hw_info_t *hardware, int limit)
{
    return hardware == NULL || limit > 0 ? limit : (long long)(hardware->mhz + 0.5f);
}

static void machine(struct json *json)
{
    const PAPI_hw_info_t *hardware = PAPI_get_hardware_info();
    char version[32];
    snprintf(version, sizeof version, "%d.%d.%d.%d", PAPI_VERSION_MAJOR(PAPI_VERSION),
             PAPI_VERSION_MINOR(PAPI_VERSION), PAPI_VERSION_REVISION(PAPI_VERSION),
             PAPI_VERSION_INCREMENT(PAPI_VERSION));
    json_string(json, "papi_version", version);
    json_string(json, "cpu_info", hardware != NULL ? hardware->model_string : "");
    number(json, "max_cpu_rate_mhz", rate(hardware, hardware != NULL ? hardware->cpu_max_mhz : 0));
    number(json, "min_cpu_rate_mhz", rate(hardware, hardware != NULL ? hardware->cpu_min_mhz : 0));
}

/* Writes a member of an object that is opened before its first one. */
static void first_or_next(struct json *json, bool *open, const char *object, const char *key,
                          const char *text)
{
    if (!*open)
        json_open(json, object, '{');
    *open = true;
    json_string(json, key, text);
}

static void definitions(struct json *json, const struct regions *regions)
{
    bool open = false;
    json_open(json, "event_definitions", '{');
    for (int i = 0; i < regions->n_events; i++) {
        const struct region_event *event = &regions->event[i];

        if (event->set < 0)
            continue;
        json_open(json, event->name, '{');
        json_string(json, "component", event->component != NULL ? event->component : "");
        json_string(json, "type", event->instant ? "instant" : "delta");
        if (event->unit != NULL)
            json_string(json, "unit", event->unit);
        if (event->shared)
            json_string(json, "scope", regions_scope(event));
        json_close(json, '}');
    }
    json_close(json, '}');
    if (regions->doubt != NULL)
        json_string(json, "counts_in_doubt", regions->doubt);
    for (int i = 0; i < regions->n_events; i++)
        if (regions->event[i].reason != NULL)
            first_or_next(json, &open, "events_not_counted", regions->event[i].name,
                          regions->event[i].reason);
    if (open)
        json_close(json, '}');
}

static void metric_definitions(struct json *json, const struct regions *regions)
{
    if (regions->metrics.n == 0)
        return;
    json_open(json, "metric_definitions", '{');
    for (int i = 0; i < regions->metrics.n; i++) {
        const struct metrics_row *row = regions->metrics.pick[i].row;

        json_open(json, row->name, '{');
        json_string(json, "unit", row->unit);
        json_string(json, "formula", row->formula);
        json_string(json, "description", row->description);
        json_close(json, '}');
    }
    json_close(json, '}');
}

/* Writes the metrics that have a value, or those that have none, with the reason. */
static void metrics_of(struct json *json, const struct regions *regions, const long long *values, bool known)
{
    const struct metrics_picks *metrics = &regions->metrics;
    const char *key = known ? "metrics" : "metrics_without_value";
    char text[METRIC_TEXT];
    bool open = false;
    for (int i = 0; i < metrics->n; i++)
        if (regions_metric(regions, values, i, text) == known)
            first_or_next(json, &open, key, metrics->pick[i].row->name, text);
    if (open)
        json_close(json, '}');
}

/* Writes a value of an entry: the number, or an object with the readings inside of the region. */
static void value(struct json *json, const char *key, const struct region_entry *entry, int i,
                  long long whole)
{
    const struct region_read *read = atomic_load_explicit(&entry->reads, memory_order_acquire);
    char name[32];
    int n = 1;
    if (read == NULL) {
        number(json, key, whole);
        return;
    }
    json_open(json, key, '{');
    number(json, "region_value", whole);
    for (; read != NULL; read = atomic_load_explicit(&read->next, memory_order_acquire), n++) {
        long long part = __atomic_load_n(&read->value[i], __ATOMIC_RELAXED);

        snprintf(name, sizeof name, "read_%d", n);
        if (part != NOT_COUNTED)
            number(json, name, part);
    }
    json_close(json, '}');
}

static void one_entry(struct json *json, const struct region_thread *thread, const struct region_entry *entry,
                      long long *values)
{
    static const char *const times[] = {[VALUE_CYCLES] = "cycles", [VALUE_NSEC] = "real_time_nsec"};
    const struct regions *regions = thread->regions;
    bool whole = regions_known(thread, entry, values);
    long long calls = __atomic_load_n(&entry->calls, __ATOMIC_RELAXED);
    char id[16];
    snprintf(id, sizeof id, "%d", entry->id);
    json_open(json, id, '{');
    json_string(json, "name", entry->name);
    number(json, "parent_region_id", entry->parent);
    for (int i = 0; i < regions_values(regions); i++)
        if (values[i] != NOT_COUNTED)
            value(json, i < VALUE_EVENTS ? times[i] : regions->event[i - VALUE_EVENTS].name, entry, i,
                  values[i]);
    metrics_of(json, regions, values, true);
    metrics_of(json, regions, values, false);
    if (calls > 1)
        number(json, "calls", calls);
    if (!whole)
        json_string(json, "unfinished", "true");
    json_close(json, '}');
}

static void one_thread(struct json *json, const struct region_thread *thread, int id, long long *values)
{
    char name[16];
    snprintf(name, sizeof name, "%d", id);
    json_open(json, name, '{');
    json_open(json, "regions", '{');
    struct region_place place = {0};
    for (struct region_entry *entry; (entry = regions_next_entry(thread, &place)) != NULL;)
        one_entry(json, thread, entry, values);
    json_close(json, '}');
    if (thread->misplaced > 0)
        number(json, "misplaced_calls", thread->misplaced);
    if (thread->not_recorded > 0)
        number(json, "calls_not_recorded", thread->not_recorded);
    json_close(json, '}');
}

int regions_print_json(const struct regions *regions, FILE *out)
{
    long long *values = calloc((size_t)regions_values(regions), sizeof *values);
    struct json json = {.out = out};
    int id = 0;
    if (values == NULL)
        return -1;
    json_open(&json, NULL, '{');
    machine(&json);
    definitions(&json, regions);
    metric_definitions(&json, regions);
    json_open(&json, "threads", '{');
    for (const struct region_thread *thread = atomic_load(&regions->threads); thread != NULL;
         thread = atomic_load(&thread->next))
        one_thread(&json, thread, id++, values);
    json_close(&json, '}');
    json_close(&json, '}');
    free(values);
    return 0;
}

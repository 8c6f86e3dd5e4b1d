/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Metrics by name for programs: of the counts of an event set, and of a region.
 */
#include "api/client.h"
#include "highlevel/highlevel.h"
#include "highlevel/regions.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_EVENTS = 128 };

/* Loads the metrics with the user's file, or not at all: what could not be read now is not left out from then
 * on. */
static struct metrics *load(struct reason *why)
{
    struct metrics *metrics = metrics_load();
    if (metrics == NULL)
        reason_set(why, PAPI_ENOMEM, "out of memory");
    if (metrics == NULL || !metrics->passes)
        return metrics;
    reason_set(why, metrics->fault.code == PAPI_ENOMEM ? PAPI_ENOMEM : PAPI_ESYS, "%s", metrics->fault.text);
    metrics_free(metrics);
    return NULL;
}

const struct metrics *highlevel_metrics(struct reason *why)
{
    void *known = atomic_load(client_slot(CLIENT_METRICS)), *fresh = known == NULL ? load(why) : NULL;
    /* If two threads read the table at the same time, the first one's is taken. */
    if (fresh == NULL || atomic_compare_exchange_strong(client_slot(CLIENT_METRICS), &known, fresh))
        return fresh ?: known;
    metrics_free(fresh);
    return known;
}

/* The counts of an event set. */
struct counts {
    int n;
    int event[MOST_EVENTS];
    long long value[MOST_EVENTS];
    long long nsec; /* 0: not known */
};

static int of_set(const void *context, const char *name, double *value, struct reason *why)
{
    const struct counts *counts = context;
    int code, i = 0;
    PAPI_event_info_t info;
    *value = (double)counts->nsec * 1e-9;
    if (strcmp(name, METRICS_TIME) == 0)
        return counts->nsec > 0
                   ? PAPI_OK
                   : reason_set(why, PAPI_EINVAL, "it needs the time in which the events were counted");
    if (PAPI_event_name_to_code(name, &code) != PAPI_OK)
        return PAPI_ENOEVNT;
    while (i < counts->n && counts->event[i] != code)
        i++;
    if (i == counts->n)
        return PAPI_ENOEVNT;
    *value = (double)counts->value[i];
    if (PAPI_get_event_info(code, &info) == PAPI_OK && info.data_type == PAPI_DATATYPE_FP64)
        memcpy(value, &counts->value[i], sizeof *value);
    return PAPI_OK;
}

/* The sums of a region. */
struct sums {
    const struct regions *regions;
    const long long *value;
};

static int of_region(const void *context, const char *name, double *value, struct reason *why)
{
    const struct sums *sums = context;
    *value = (double)sums->value[VALUE_NSEC] * 1e-9;
    if (strcmp(name, METRICS_TIME) == 0)
        return PAPI_OK;
    const struct region_event *event = regions_event(sums->regions, name);
    if (event == NULL)
        return PAPI_ENOEVNT;
    long long count = sums->value[VALUE_EVENTS + (event - sums->regions->event)];
    *value = (double)count;
    return event->set >= 0 && count != NOT_COUNTED
               ? PAPI_OK
               : reason_set(why, PAPI_ECNFLCT, "%.100s is not counted: %.300s", name,
                            event->reason != NULL ? event->reason : "the region was too short for its turn");
}

bool regions_metric(const struct regions *regions, const long long *value, int metric, char text[METRIC_TEXT])
{
    const struct metrics_pick *pick = &regions->metrics.pick[metric];
    const struct sums sums = {regions, value};
    struct reason why = pick->why;
    double found;
    if (why.code != PAPI_OK || metrics_value(pick->row->formula, of_region, &sums, &found, &why) != PAPI_OK) {
        snprintf(text, METRIC_TEXT, "%s", why.text);
        return false;
    }
    snprintf(text, METRIC_TEXT, "%.9g", found);
    for (char *p = text; *p != '\0'; p++) /* in some locales there is a comma */
        *p = strchr("0123456789+-e", *p) != NULL ? *p : '.';
    return true;
}

/* The value of a metric by its name: that of the first alternative that has one. PAPI_EINVAL: there is no
 * such metric; otherwise the reason why the first alternative has none. */
static int by_name(const char *metric, metrics_lookup *lookup, const void *context, double *value,
                   struct reason *why)
{
    const struct metrics *metrics = highlevel_metrics(why);
    char near[NEAREST_TEXT];
    if (metrics == NULL)
        return why->code;
    const struct metrics_pick first = metrics_first(metrics, metric, lookup, context, value);
    if (first.row == NULL)
        return reason_set(why, PAPI_EINVAL,
                          "there is no metric \"%.60s\"%s%s%.200s; papi_event_chooser @ lists them", metric,
                          metrics_nearest(metrics, metric, false, near),
                          metrics->fault.code != PAPI_OK ? "; " : "", metrics->fault.text);
    return reason_pass(&first.why, why);
}

int PAPI_metric(int es, const char *metric, long long *values, long long nsec, double *value)
{
    struct counts counts = {.n = MOST_EVENTS, .nsec = nsec};
    struct reason why;
    if (metric == NULL || value == NULL)
        return client_null();
    int code = PAPI_list_events(es, counts.event, &counts.n);
    if (code == PAPI_OK && values == NULL)
        code = PAPI_read(es, counts.value);
    if (code != PAPI_OK) /* has its reason from there */
        return code;
    if (values != NULL)
        memcpy(counts.value, values, (size_t)counts.n * sizeof *values);
    client_quiet_begin();
    code = by_name(metric, of_set, &counts, value, &why);
    client_quiet_end(PAPI_OK);
    return code == PAPI_OK ? PAPI_OK : client_failed(code, "%s: %s", metric, why.text);
}

int PAPI_hl_metric(const char *region, const char *metric, double *value)
{
    struct regions *regions = regions_existing();
    struct reason why;
    if (region == NULL || metric == NULL || value == NULL)
        return client_null();
    if (regions == NULL || regions_calls(regions) == 0)
        return client_failed(PAPI_ENOTRUN, "no region was begun");
    long long values[regions_values(regions)];
    const struct sums sums = {regions, values};
    regions_lock(regions);
    int code = regions_sum(regions, region, values, &why) ?: by_name(metric, of_region, &sums, value, &why);
    regions_unlock(regions);
    return code == PAPI_OK ? PAPI_OK : client_failed(code, "%s: %s", metric, why.text);
}

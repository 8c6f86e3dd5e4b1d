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

const struct metrics *highlevel_metrics(void)
{
    void *known = atomic_load(client_slot(CLIENT_METRICS));
    struct metrics *metrics = known != NULL ? known : metrics_load();
    /* Where two threads read it at a time, the first one's is taken. */
    if (known == NULL && metrics != NULL &&
        !atomic_compare_exchange_strong(client_slot(CLIENT_METRICS), &known, metrics)) {
        metrics_free(metrics);
        metrics = known;
    }
    return metrics;
}

/* What an event set counted. */
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

/* What a region counted. */
struct sums {
    const struct regions *regions;
    const long long *value;
};

static int event_value(const struct sums *sums, int i, double *value, struct reason *why)
{
    const struct region_event *event = &sums->regions->event[i];
    long long count = sums->value[VALUE_EVENTS + i];
    if (event->set < 0 || count == NOT_COUNTED)
        return reason_set(why, PAPI_ECNFLCT, "%.100s is not counted: %.300s", event->name,
                          event->reason != NULL ? event->reason : "the region was too short for its turn");
    *value = (double)count;
    return PAPI_OK;
}

static int of_region(const void *context, const char *name, double *value, struct reason *why)
{
    const struct sums *sums = context;
    *value = (double)sums->value[VALUE_NSEC] * 1e-9;
    if (strcmp(name, METRICS_TIME) == 0)
        return PAPI_OK;
    for (int i = 0; i < sums->regions->n_events; i++)
        if (strcmp(sums->regions->event[i].name, name) == 0)
            return event_value(sums, i, value, why);
    return PAPI_ENOEVNT;
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

/* Of the first alternative that has a value. */
static int by_name(const char *metric, metrics_lookup *lookup, const void *context, double *value,
                   struct reason *why)
{
    const struct metrics *metrics = highlevel_metrics();
    if (metrics == NULL)
        return reason_set(why, PAPI_ENOMEM, "out of memory");
    const struct metrics_pick first = metrics_first(metrics, metric, lookup, context, value);
    if (first.row == NULL)
        return reason_set(why, PAPI_EINVAL,
                          "there is no metric \"%.60s\"%s%.300s: papi_event_chooser @ lists them", metric,
                          metrics->fault.code != PAPI_OK ? "; " : "", metrics->fault.text);
    return reason_pass(&first.why, why);
}

/* The errors of this function are those of the calls that it makes, and have their reasons. */
static int take_counts(int es, const long long *values, struct counts *counts)
{
    counts->n = MOST_EVENTS;
    int code = PAPI_list_events(es, counts->event, &counts->n);
    if (code != PAPI_OK || values == NULL)
        return code ?: PAPI_read(es, counts->value);
    memcpy(counts->value, values, (size_t)counts->n * sizeof *values);
    return PAPI_OK;
}

static int outcome(const char *metric, int code, const struct reason *why)
{
    return code == PAPI_OK ? code : client_failed(code, "%s: %s", metric, why->text);
}

int PAPI_metric(int es, const char *metric, long long *values, long long nsec, double *value)
{
    struct counts counts = {.nsec = nsec};
    struct reason why;
    if (metric == NULL || value == NULL)
        return client_failed(PAPI_EINVAL, "an argument is NULL");
    int code = take_counts(es, values, &counts);
    if (code != PAPI_OK)
        return code;
    client_quiet_begin();
    code = by_name(metric, of_set, &counts, value, &why);
    client_quiet_end(PAPI_OK);
    return outcome(metric, code, &why);
}

int PAPI_hl_metric(const char *region, const char *metric, double *value)
{
    struct regions *regions = regions_existing();
    struct reason why;
    if (region == NULL || metric == NULL || value == NULL)
        return client_failed(PAPI_EINVAL, "an argument is NULL");
    if (regions == NULL || regions_calls(regions) == 0)
        return client_failed(PAPI_ENOTRUN, "no region was begun");
    long long values[regions_values(regions)];
    const struct sums sums = {regions, values};
    regions_lock(regions);
    int code = regions_sum(regions, region, values, &why) ?: by_name(metric, of_region, &sums, value, &why);
    regions_unlock(regions);
    return outcome(metric, code, &why);
}

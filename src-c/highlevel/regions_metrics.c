/* SPDX-License-Identifier: BSD-3-Clause */
#include "highlevel/regions.h"

#include <string.h>

static int event_value(const struct region_sums *sums, int i, double *value, struct reason *why)
{
    const struct region_event *event = &sums->regions->event[i];
    long long count = sums->value[VALUE_EVENTS + i];
    if (event->set < 0 || count == NOT_COUNTED)
        return reason_set(why, PAPI_ECNFLCT, "%.100s is not counted: %.300s", event->name,
                          event->reason != NULL ? event->reason : "the region was too short for its turn");
    *value = (double)count;
    return PAPI_OK;
}

int regions_metric(const void *context, const char *name, double *value, struct reason *why)
{
    const struct region_sums *sums = context;
    *value = (double)sums->nsec * 1e-9;
    if (strcmp(name, METRICS_TIME) == 0)
        return PAPI_OK;
    for (int i = 0; i < sums->regions->n_events; i++)
        if (strcmp(sums->regions->event[i].name, name) == 0)
            return event_value(sums, i, value, why);
    return PAPI_ENOEVNT;
}

bool regions_metric_text(const struct region_sums *sums, const struct metrics_pick *pick, char text[],
                         size_t size)
{
    struct reason why = pick->why;
    double value;
    if (why.code == PAPI_OK &&
        metrics_value(pick->row->formula, regions_metric, sums, &value, &why) == PAPI_OK) {
        snprintf(text, size, "%.9g", value);
        for (char *p = text; *p != '\0'; p++) /* in some locales there is a comma */
            *p = strchr("0123456789+-e", *p) != NULL ? *p : '.';
        return true;
    }
    snprintf(text, size, "%s", why.text);
    return false;
}

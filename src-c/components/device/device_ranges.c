/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/device/device_ranges.h"
#include "papi.h"

int device_ranges_begin(struct device_ranges *ranges, const struct device_plan *plan, struct reason *why)
{
    ranges->units = plan->opened;
    ranges->n = plan->n;
    return device_choose_all(plan, ranges->event, why);
}

int device_ranges_metrics(const struct device_ranges *ranges, const struct device_metric **metric,
                          size_t *instances)
{
    int n = 0;
    *instances = 0;
    for (int i = 0; i < ranges->n; i++) {
        int k = 0;
        while (k < n && metric[k] != ranges->event[i].metric)
            k++;
        if (k < n)
            continue;
        metric[n++] = ranges->event[i].metric;
        *instances += ranges->event[i].instances;
    }
    return n;
}

static int sum_one(struct device_ranges *ranges, int i, void *numbers, size_t n, double *sum,
                   struct reason *why)
{
    enum { MOST = 1 << 30 };
    const struct device_choice *event = &ranges->event[i];
    const char *library = ranges->units->maker->library;
    size_t found = 0, *wanted = &ranges->n_numbers[i];
    *sum = 0;
    for (size_t k = 0; k < n; k++)
        if (ranges->is_of(numbers, k, event)) {
            *sum += ranges->number(numbers, k);
            found++;
        }
    *wanted = *wanted == 0 ? found : *wanted;
    if (found == 0 || found != *wanted)
        return reason_set(why, PAPI_EMISC, "%s gave %zu values of %s, and not %zu", library, found,
                          event->metric->name, *wanted > 0 ? *wanted : 1);
    if (!(*sum >= 0 && *sum < (double)MOST * MOST))
        return reason_set(why, PAPI_EMISC, "%s gave %g for %s, which is no count", library, *sum,
                          event->metric->name);
    return PAPI_OK;
}

int device_ranges_sum(struct device_ranges *ranges, void *numbers, size_t n, double *sum, struct reason *why)
{
    int code = PAPI_OK;
    for (int i = 0; i < ranges->n && code == PAPI_OK; i++)
        code = sum_one(ranges, i, numbers, n, &sum[i], why);
    return code;
}

void device_ranges_round(const double *sum, int n, uint64_t *count)
{
    for (int i = 0; i < n; i++) {
        count[i] = (uint64_t)sum[i];
        count[i] += sum[i] - (double)count[i] >= 0.5;
    }
}

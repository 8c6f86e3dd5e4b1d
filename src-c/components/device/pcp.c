/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Metrics of Performance Co-Pilot, "pcp:::disk.dev.read:sda", as this node's daemon pmcd gives them: what its
 * agents may see, and the program perhaps may not. A reading of an event set is one question to pmcd.
 *
 * Counters of pmcd may have 32 bits, and an agent that ends begins anew, as does all where the connection was
 * lost in between: free_running.c follows them.
 */
#include "base/array.h"
#include "components/components.h"
#include "components/device/device_library.h"
#include "components/device/device_names.h"
#include "components/device/pcp_connection.h"
#include "components/file_group.h"
#include "components/free_running.h"
#include "papi.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_EVENTS = 60000 }; /* of the 65536 for which a component has room */

static const struct pcp_metric *metric_of(const struct component_event *event)
{
    const struct pcp *pcp = event->opened;
    return pcp->metric[event->config >> 32];
}

static int instance_of(const struct component_event *event)
{
    return (int)(uint32_t)event->config;
}

/* ---- numbers */

static const void *number_in(const struct pcp_metric *metric, const struct pcp_values *values,
                             const struct pcp_value *value)
{
    static const unsigned sizes[PCP_NUMBERS] = {4, 4, 8, 8, 4, 8};
    if (values->format == PCP_IN_PLACE)
        return metric->type == PCP_INT32 || metric->type == PCP_UINT32 ? &value->at.whole : NULL;
    uint32_t head = *value->at.block;
    bool fits = (head & PCP_LENGTH_MASK) >= PCP_BLOCK_HEAD + sizes[metric->type] &&
                (int)(head >> PCP_TYPE_SHIFT) == metric->type;
    return fits ? value->at.block + 1 : NULL;
}

static uint64_t widened(int type, const void *number)
{
    union {
        int32_t whole;
        uint32_t natural;
        uint64_t wide;
        float real;
        double wide_real;
    } value = {.wide = 0};
    memcpy(&value, number, type == PCP_INT32 || type == PCP_UINT32 || type == PCP_FLOAT ? 4 : 8);
    switch (type) {
    case PCP_INT32:
        return (uint64_t)(int64_t)value.whole;
    case PCP_UINT32:
        return value.natural;
    case PCP_FLOAT:
        value.wide_real = (double)value.real;
        return value.wide;
    default:
        return value.wide;
    }
}

/* The number of an event among the values of its metric. */
static int take(const struct component_event *event, const struct pcp_values *values, uint64_t *now,
                struct reason *why)
{
    struct pcp *pcp = event->opened;
    const struct pcp_metric *metric = metric_of(event);
    int instance = instance_of(event), i = 0;
    if (values == NULL || values->metric != metric->number)
        return reason_set(why, PAPI_EMISC, "%s: pmcd gives another metric than it was asked for",
                          event->name);
    if (values->n < 0)
        return pcp_failed(pcp, values->n, event->name, why);
    while (i < values->n && metric->domain != PCP_NO_INSTANCES && values->value[i].instance != instance)
        i++;
    if (i >= values->n)
        return reason_set(why, PAPI_ENOEVNT, "%s: pmcd has no value of it now: %s", event->name,
                          metric->domain != PCP_NO_INSTANCES ? "its instance has gone, or is not there yet"
                                                             : "its agent gives none");
    const void *number = number_in(metric, values, &values->value[i]);
    if (number == NULL)
        return reason_set(why, PAPI_EMISC, "%s: pmcd gives a value of another type than it described",
                          event->name);
    *now = widened(metric->type, number);
    return PAPI_OK;
}

/* ---- groups */

static bool is_narrow(const struct component_event *event)
{
    return metric_of(event)->type == PCP_INT32 || metric_of(event)->type == PCP_UINT32;
}

static unsigned breaches(const struct component_event *event)
{
    return atomic_load(&((struct pcp *)event->opened)->breaches);
}

/* The place of an event's metric among those that are asked for, each once. */
static int place_of(const struct component_event *event, int *metric, int *n)
{
    int i = 0;
    while (i < *n && metric[i] != metric_of(event)->number)
        i++;
    metric[i] = metric_of(event)->number;
    *n += i == *n;
    return i;
}

static int ask_all(const struct component_event *const *event, int n, uint64_t *now, struct reason *why)
{
    struct pcp *pcp = event[0]->opened;
    int metric[MAX_COUNTERS], place[MAX_COUNTERS], n_metrics = 0;
    struct pcp_result *result;
    struct device_pipe_hold hold;
    for (int i = 0; i < n; i++)
        place[i] = place_of(event[i], metric, &n_metrics);
    device_hold_pipe(&hold);
    int code = pcp_fetch(pcp, n_metrics, metric, &result, event[0]->name, why);
    if (code == PAPI_OK) {
        for (int i = 0; i < n && code == PAPI_OK; i++)
            code = take(event[i], result->values[place[i]], &now[i], why);
        pcp->free_result(result);
    }
    device_release_pipe(&hold);
    return code;
}

static int ask(const struct component_event *event, uint64_t *now, struct reason *why)
{
    return ask_all(&event, 1, now, why);
}

static const struct function_source source = {
    .ask = ask,
    .ask_all = ask_all,
    .breaches = breaches,
    .is_narrow = is_narrow,
    .no_set = "cannot be set by PAPI_write: pmstore sets metrics that can be set",
    .begun_anew = "began anew, or pmcd or one of its agents did: what it counted from then on is not in the "
                  "value; stop and start to count from here",
};

static struct counter_group *create(const struct group_options *options)
{
    return function_create(options, &source);
}

/* ---- list: instances */

struct instances {
    int domain, n;
    int *number;
    char **name;
};

struct listing {
    struct event_list *list;
    struct pcp *pcp;
    int n_names, n_domains;
    char **name;
    struct instances *domain;
    bool full; /* no memory for a name */
};

/* Drops a name that, cleaned, is another's: which of them is meant could not be told. */
static void clean_names(struct instances *instances)
{
    for (int i = 0; i < instances->n; i++)
        for (int k = device_name_clean(instances->name[i]) ? 0 : instances->n; k < instances->n; k++)
            if (k != i && strcmp(instances->name[i], instances->name[k]) == 0)
                instances->name[i][0] = '\0';
}

/* The instances of a domain, asked for once. NULL: no memory. */
static const struct instances *instances_of(struct listing *at, int domain)
{
    for (int i = 0; i < at->n_domains; i++)
        if (at->domain[i].domain == domain)
            return &at->domain[i];
    if (!ARRAY_GROW(at->domain, at->n_domains))
        return NULL;
    struct instances *added = &at->domain[at->n_domains++];
    *added = (struct instances){.domain = domain};
    added->n = at->pcp->instances(domain, &added->number, &added->name);
    if (added->n <= 0)
        *added = (struct instances){.domain = domain};
    clean_names(added);
    return added;
}

/* ---- list: metrics */

/* Adds an event; not one whose name is too long for the interface. */
static int add_event(struct listing *at, int index, int instance, const char *of, struct reason *why)
{
    const struct pcp_metric *metric = at->pcp->metric[index];
    char name[PAPI_MAX_STR_LEN - sizeof "pcp:::"];
    int length = snprintf(name, sizeof name, "%s%s%s", metric->name, of != NULL ? ":" : "", of ?: "");
    if (length < 0 || (size_t)length >= sizeof name || at->list->n >= MOST_EVENTS)
        return PAPI_OK;
    return event_list_add(at->list,
                          &(struct component_event){
                              .name = name,
                              .description = "",
                              .unit = metric->unit[0] != '\0' ? metric->unit : NULL,
                              .level = !metric->counts,
                              .real = metric->type == PCP_FLOAT || metric->type == PCP_DOUBLE,
                              .config = (uint64_t)index << 32 | (uint32_t)instance,
                              .opened = at->pcp,
                          },
                          why);
}

static int no_memory(struct reason *why)
{
    return reason_set(why, PAPI_ENOMEM, "out of memory");
}

static int add_events(struct listing *at, int index, struct reason *why)
{
    int domain = at->pcp->metric[index]->domain, code = PAPI_OK;
    if (domain == PCP_NO_INSTANCES)
        return add_event(at, index, PCP_NO_INSTANCES, NULL, why);
    const struct instances *instances = instances_of(at, domain);
    if (instances == NULL)
        return no_memory(why);
    for (int i = 0; i < instances->n && code == PAPI_OK; i++)
        if (instances->name[i][0] != '\0')
            code = add_event(at, index, instances->number[i], instances->name[i], why);
    return code;
}

static void fill_unit(const struct pcp *pcp, const struct pcp_description *description, char unit[64])
{
    pcp->units(&description->units, unit, 64);
    unit[63] = '\0';
    if (strcmp(unit, "none") == 0)
        unit[0] = '\0';
}

/* Adds a metric that is a number: strings, aggregates and events are none. */
static int add_metric(struct listing *at, const char *name, int number, struct reason *why)
{
    struct pcp *pcp = at->pcp;
    struct pcp_description description;
    if (number == PCP_NO_METRIC || pcp->describe(number, &description) < 0 || description.type < 0 ||
        description.type >= PCP_NUMBERS)
        return PAPI_OK;
    struct pcp_metric *metric = ARRAY_GROW(pcp->metric, pcp->n_metrics) ? calloc(1, sizeof *metric) : NULL;
    if (metric == NULL)
        return no_memory(why);
    metric->number = number;
    metric->type = description.type;
    metric->domain = description.domain;
    metric->counts = description.semantics == PCP_COUNTER;
    snprintf(metric->name, sizeof metric->name, "%s", name);
    fill_unit(pcp, &description, metric->unit);
    pcp->metric[pcp->n_metrics] = metric;
    return add_events(at, pcp->n_metrics++, why);
}

static int add_metrics(struct listing *at, int first, int n, struct reason *why)
{
    enum { BATCH = 128 };
    int number[BATCH], code = PAPI_OK;
    for (int i = 0; i < n; i++)
        number[i] = PCP_NO_METRIC;
    at->pcp->metrics(n, (const char **)at->name + first, number);
    for (int i = 0; i < n && code == PAPI_OK; i++)
        code = add_metric(at, at->name[first + i], number[i], why);
    return code;
}

/* Notes a name. Not those of single processes: they are many, come and go, and are other programs'. */
static void note_name(const char *name, void *context)
{
    struct listing *at = context;
    if (!device_name_is_clean(name) || strncmp(name, "proc.", 5) == 0 || strncmp(name, "hotproc.", 8) == 0 ||
        strlen(name) >= PAPI_MAX_STR_LEN - sizeof "pcp:::")
        return;
    char *copy = ARRAY_GROW(at->name, at->n_names) ? strdup(name) : NULL;
    if (copy != NULL)
        at->name[at->n_names++] = copy;
    at->full |= copy == NULL;
}

static int add_all(struct listing *at, struct reason *why)
{
    enum { BATCH = 128 };
    int code = pcp_use(at->pcp, "the list of metrics", why);
    int error = code == PAPI_OK ? at->pcp->each_name("", note_name, at) : 0;
    if (error < 0)
        return pcp_failed(at->pcp, error, "the list of metrics", why);
    if (at->full)
        return no_memory(why);
    for (int i = 0; i < at->n_names && code == PAPI_OK; i += BATCH)
        code = add_metrics(at, i, at->n_names - i < BATCH ? at->n_names - i : BATCH, why);
    return code;
}

static int list_all(const char *root, struct event_list *list, struct reason *why)
{
    struct listing at = {.list = list};
    int code = pcp_open(root, &at.pcp, why);
    if (code != PAPI_OK)
        return code_passes(code) ? code : PAPI_OK;
    code = event_list_open(list, at.pcp, pcp_close, why) ?: add_all(&at, why);
    for (int i = 0; i < at.n_names; i++)
        free(at.name[i]);
    for (int i = 0; i < at.n_domains; i++) {
        free(at.domain[i].number);
        free(at.domain[i].name);
    }
    free(at.name);
    free(at.domain);
    return code;
}

static int list_events(const char *root, struct event_list *list, struct reason *why)
{
    struct device_pipe_hold hold;
    device_hold_pipe(&hold);
    int code = list_all(root, list, why);
    device_release_pipe(&hold);
    return code;
}

/* ---- component */

static int describe(const struct component_event *event, char *text, size_t size, char *unit, size_t room,
                    struct reason *why)
{
    struct pcp *pcp = event->opened;
    const struct pcp_metric *metric = metric_of(event);
    struct device_pipe_hold hold;
    char *line = NULL;
    device_hold_pipe(&hold);
    int code = pcp_use(pcp, event->name, why);
    if (code == PAPI_OK && pcp->text(metric->number, PCP_ONE_LINE, &line) < 0)
        line = NULL;
    snprintf(text, size, "%s%s", line ?: "a metric of Performance Co-Pilot, without a text",
             metric->counts && is_narrow(event) ? "; it begins at 0 again after 4294967295" : "");
    snprintf(unit, room, "%s", metric->unit);
    free(line);
    device_release_pipe(&hold);
    return code;
}

static void discover(struct pmu_table *pmus, struct component_state *state)
{
    struct pcp *pcp;
    struct device_pipe_hold hold;
    device_hold_pipe(&hold);
    if (pcp_open(pmus->root, &pcp, &state->disabled) == PAPI_OK)
        pcp_close(pcp);
    device_release_pipe(&hold);
}

static int try_event(struct pmu_table *pmus, const struct event_encoding *event, int domain,
                     struct reason *why)
{
    (void)pmus, (void)domain;
    return function_try(&source, event, why);
}

const struct component pcp_component = {
    LISTING_MEMBERS("pcp"),
    .granularity = PAPI_GRN_SYS,
    .check_options = file_check_options,
    .description = "Metrics of Performance Co-Pilot, by this node's pmcd",
    .list = list_events,
    .describe = describe,
    .discover = discover,
    .try_event = try_event,
    .create = create,
};

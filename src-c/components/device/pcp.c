/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Metrics of Performance Co-Pilot, "pcp:::disk.dev.read:sda", as this node's daemon pmcd gives them: what its
 * agents may see, and the program perhaps may not. A reading of an event set is one question to pmcd.
 *
 * Counters of pmcd may have 32 bits, and an agent that ends begins anew. The group keeps, for each counter, a
 * total as if it had 64: a counter of 32 bits that shows less than before began at 0 again if it grew by less
 * than half of its range that way. Otherwise, and where the connection or an agent was lost in between,
 * nobody knows what it counted meanwhile: the total stays, with PAPI_ECLOST, until the group is started
 * again.
 */
#include "base/array.h"
#include "components/components.h"
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

static uint64_t bits_of(double real)
{
    uint64_t bits;
    memcpy(&bits, &real, sizeof bits);
    return bits;
}

static double real_of(uint64_t bits)
{
    double real;
    memcpy(&real, &bits, sizeof real);
    return real;
}

static uint64_t widened(int type, const void *number)
{
    union {
        int32_t whole;
        uint32_t natural;
        uint64_t wide;
        float real;
    } value = {.wide = 0};
    memcpy(&value, number, type == PCP_INT32 || type == PCP_UINT32 || type == PCP_FLOAT ? 4 : 8);
    switch (type) {
    case PCP_INT32:
        return (uint64_t)(int64_t)value.whole;
    case PCP_UINT32:
        return value.natural;
    case PCP_FLOAT:
        return bits_of((double)value.real);
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

struct pcp_counter {
    int place;            /* among the group's metrics */
    uint64_t last, total; /* the number at the last reading, and as if it had never begun anew */
};

struct pcp_group {
    struct free_running_group free_running;
    int n_metrics;
    int metric[MAX_COUNTERS];
    struct pcp_counter counter[MAX_COUNTERS];
    uint64_t lost;     /* the bits of counters whose totals stay */
    bool starting;     /* the next reading is the first one: nothing was lost before it */
    unsigned breaches; /* of the connection, at the start */
};

static struct pcp_group *pcp_group(struct counter_group *group)
{
    return (struct pcp_group *)group;
}

static bool is_narrow(const struct pcp_metric *metric)
{
    return metric->type == PCP_INT32 || metric->type == PCP_UINT32;
}

/* Moves a counter's total to a number; false: it began anew. */
static bool advance(struct pcp_counter *counter, const struct component_event *event, uint64_t now)
{
    uint64_t last = counter->last;
    uint32_t grown = (uint32_t)now - (uint32_t)last;
    counter->last = now;
    if (event->real) {
        counter->total = bits_of(real_of(counter->total) + (real_of(now) - real_of(last)));
        return real_of(now) >= real_of(last);
    }
    counter->total += is_narrow(metric_of(event)) ? grown : now - last;
    return is_narrow(metric_of(event)) ? (int32_t)grown >= 0 || now >= last : now >= last;
}

/* Follows a counter, and gives its total. */
static int follow(struct pcp_group *group, int i, uint64_t now, uint64_t *total, struct reason *why)
{
    struct pcp_counter *counter = &group->counter[i], moved = *counter;
    const struct component_event *event = group->free_running.event[i];
    uint64_t bit = UINT64_C(1) << i;
    if (group->starting)
        *counter = (struct pcp_counter){counter->place, now, now};
    else if ((group->lost & bit) == 0 && advance(&moved, event, now))
        *counter = moved;
    else
        group->lost |= bit;
    *total = counter->total;
    if ((group->lost & bit) == 0)
        return PAPI_OK;
    return reason_set(
        why, PAPI_ECLOST,
        "%s began anew, or pmcd or one of its agents did: what it counted from then on is not in "
        "the value; stop and start to count from here",
        event->name);
}

static int read_one(struct pcp_group *group, int i, const struct pcp_result *result, const uint64_t *from,
                    uint64_t *value, struct reason *why)
{
    const struct counter_group *base = &group->free_running.base;
    uint64_t now, total;
    int code = take(group->free_running.event[i], result->values[group->counter[i].place], &now, why);
    if (code != PAPI_OK)
        return code;
    value[i] = now;
    if (group->free_running.event[i]->level)
        return PAPI_OK;
    code = follow(group, i, now, &total, why);
    value[i] =
        count_difference(base, i, count_difference(base, i, total, group->free_running.hidden[i]), from[i]);
    return code;
}

/* Signals are held, so that no handler reads the same group in between. */
static int read_result(struct pcp_group *group, const struct pcp *pcp, const struct pcp_result *result,
                       const uint64_t *from, uint64_t *value, struct reason *why)
{
    int lost = PAPI_OK;
    unsigned breaches = atomic_load(&pcp->breaches);
    if (group->starting)
        group->breaches = breaches;
    else if (breaches != group->breaches)
        group->lost = UINT64_MAX;
    for (int i = 0; i < group->free_running.base.n_counters; i++) {
        int code = read_one(group, i, result, from, value, why);
        if (code != PAPI_OK && code != PAPI_ECLOST)
            return code;
        lost = code != PAPI_OK ? code : lost;
    }
    group->starting = false;
    return lost;
}

static int read_all(struct counter_group *base, const uint64_t *from, uint64_t *value, struct reason *why)
{
    struct pcp_group *group = pcp_group(base);
    struct pcp_result *result;
    struct pcp_hold hold;
    if (base->n_counters == 0)
        return PAPI_OK;
    const struct component_event *first = group->free_running.event[0];
    struct pcp *pcp = first->opened;
    pcp_hold(&hold);
    int code = pcp_fetch(pcp, group->n_metrics, group->metric, &result, first->name, why);
    if (code == PAPI_OK) {
        code = read_result(group, pcp, result, from, value, why);
        pcp->free_result(result);
    }
    pcp_release(&hold);
    return code;
}

/* Asks for an event alone. */
static int ask(const struct component_event *event, uint64_t *now, struct reason *why)
{
    struct pcp *pcp = event->opened;
    struct pcp_result *result;
    struct pcp_hold hold;
    int metric = metric_of(event)->number;
    pcp_hold(&hold);
    int code = pcp_fetch(pcp, 1, &metric, &result, event->name, why);
    if (code == PAPI_OK) {
        code = take(event, result->values[0], now, why);
        pcp->free_result(result);
    }
    pcp_release(&hold);
    return code;
}

static int place_of(struct pcp_group *group, int metric)
{
    int i = 0;
    while (i < group->n_metrics && group->metric[i] != metric)
        i++;
    group->metric[i] = metric;
    group->n_metrics += i == group->n_metrics;
    return i;
}

static int add(struct counter_group *base, const char *root, const struct event_encoding *encoding,
               uint64_t period, struct reason *why)
{
    const struct component_event *event = encoding->event;
    struct pcp_group *group = pcp_group(base);
    uint64_t now;
    (void)root;
    if (period != 0)
        return reason_set(why, PAPI_ENOSUPP,
                          "%s is a number that pmcd is asked for: it delivers no overflows", event->name);
    int code = ask(event, &now, why);
    if (code != PAPI_OK)
        return code;
    group->counter[base->n_counters].place = place_of(group, metric_of(event)->number);
    free_running_hold(base, event, now);
    return PAPI_OK;
}

static int start(struct counter_group *base, struct reason *why)
{
    struct pcp_group *group = pcp_group(base);
    group->lost = 0;
    group->starting = true;
    return free_running_start(base, why);
}

static int write_number(struct counter_group *base, const char *root, int index, long long value,
                        struct reason *why)
{
    (void)root, (void)value;
    return reason_set(why, PAPI_ECMP, "%s cannot be set by PAPI_write: pmstore sets metrics that can be set",
                      pcp_group(base)->free_running.event[index]->name);
}

static const struct group_ops pcp_groups = {
    .add = add,
    .start = start,
    .stop = free_running_stop,
    .destroy = free_running_destroy,
    .abandon = free_running_abandon,
    .write = write_number,
    .keep = free_running_keep,
};

static struct counter_group *create(const struct group_options *options)
{
    return free_running_create(sizeof(struct pcp_group), options, &pcp_groups, read_all);
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

static bool separates(char c)
{
    return (unsigned char)c <= ' ' || c == ',' || c == 0x7f;
}

/* Puts '_' for what separates names where events are listed (PAPI_EVENTS), and for what no name should have.
 * True if it changed the name. */
static bool clean(char *name)
{
    bool changed = false;
    for (; *name != '\0'; name++)
        if (separates(*name)) {
            *name = '_';
            changed = true;
        }
    return changed;
}

/* Drops a name that, cleaned, is another's: which of them is meant could not be told. */
static void clean_names(struct instances *instances)
{
    for (int i = 0; i < instances->n; i++)
        for (int k = clean(instances->name[i]) ? 0 : instances->n; k < instances->n; k++)
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

/* True if a metric's name can be an event's. */
static bool is_name(const char *name)
{
    const char *p = name;
    while (*p != '\0' && !separates(*p))
        p++;
    return p > name && *p == '\0';
}

/* Notes a name. Not those of single processes: they are many, come and go, and are other programs'. */
static void note_name(const char *name, void *context)
{
    struct listing *at = context;
    if (!is_name(name) || strncmp(name, "proc.", 5) == 0 || strncmp(name, "hotproc.", 8) == 0 ||
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
    struct pcp_hold hold;
    pcp_hold(&hold);
    int code = list_all(root, list, why);
    pcp_release(&hold);
    return code;
}

/* ---- component */

static int describe(const struct component_event *event, char *text, size_t size, char *unit, size_t room,
                    struct reason *why)
{
    struct pcp *pcp = event->opened;
    const struct pcp_metric *metric = metric_of(event);
    struct pcp_hold hold;
    char *line = NULL;
    pcp_hold(&hold);
    int code = pcp_use(pcp, event->name, why);
    if (code == PAPI_OK && pcp->text(metric->number, PCP_ONE_LINE, &line) < 0)
        line = NULL;
    snprintf(text, size, "%s%s", line ?: "a metric of Performance Co-Pilot, without a text",
             metric->counts && is_narrow(metric) ? "; it begins at 0 again after 4294967295" : "");
    snprintf(unit, room, "%s", metric->unit);
    free(line);
    pcp_release(&hold);
    return code;
}

static void discover(struct pmu_table *pmus, struct component_state *state)
{
    struct pcp *pcp;
    struct pcp_hold hold;
    pcp_hold(&hold);
    if (pcp_open(pmus->root, &pcp, &state->disabled) == PAPI_OK)
        pcp_close(pcp);
    pcp_release(&hold);
}

static int try_event(struct pmu_table *pmus, const struct event_encoding *event, int domain,
                     struct reason *why)
{
    uint64_t now;
    (void)pmus, (void)domain;
    return ask(event->event, &now, why);
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

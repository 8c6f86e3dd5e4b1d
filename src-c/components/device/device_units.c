/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/device/device_units.h"
#include "base/array.h"
#include "base/sysroot.h"
#include "components/device/device_library.h"
#include "components/device/device_names.h"
#include "components/file_group.h"
#include "papi.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

/* ---- units and metrics */

bool device_is_name(const char *name)
{
    return name != NULL && name[0] != '\0' && strlen(name) < PAPI_MIN_STR_LEN &&
           name[strcspn(name, ":= \t\n")] == '\0';
}

struct device_unit *device_add_unit(struct device_units *units, int device, int tile)
{
    if (units->n_units == MOST_DEVICES)
        return NULL;
    struct device_unit *unit = &units->unit[units->n_units++];
    *unit = (struct device_unit){.device = device, .tile = tile};
    return unit;
}

void device_only_listed(struct device_units *units, const char *variable, const char *chip)
{
    struct device_unit *unit = device_add_unit(units, 0, -1);
    if (units->cannot.code == PAPI_OK)
        reason_set(
            &units->cannot, PAPI_ENOSUPP,
            "%s has the events of %.15s listed in place of those of the devices here: unset it to count",
            variable, chip);
    else
        reason_add(&units->cannot, "; %s has the events of %.15s listed", variable, chip);
    units->n_devices = 1;
    snprintf(unit->chip, sizeof unit->chip, "%s", chip);
}

int device_add_metric(struct device_unit *unit, const struct device_metric *metric)
{
    char *name = ARRAY_GROW(unit->metric, unit->n_metrics) ? strdup(metric->name) : NULL;
    if (name == NULL)
        return PAPI_ENOMEM;
    unit->metric[unit->n_metrics] = *metric;
    unit->metric[unit->n_metrics++].name = name;
    return PAPI_OK;
}

static const struct device_metric *find_metric(const struct device_unit *unit, const char *name)
{
    for (int i = 0; i < unit->n_metrics; i++)
        if (strcasecmp(unit->metric[i].name, name) == 0)
            return &unit->metric[i];
    return NULL;
}

/* The first unit that has a metric; -1: none has. */
static int unit_with(const struct device_units *units, const char *name)
{
    for (int i = 0; i < units->n_units; i++)
        if (find_metric(&units->unit[i], name) != NULL)
            return i;
    return -1;
}

static int find_unit(const struct device_units *units, long device, long tile)
{
    for (int i = 0; i < units->n_units; i++)
        if (units->unit[i].device == device && units->unit[i].tile == tile)
            return i;
    return -1;
}

/* ---- devices as the kernel shows them */

struct search {
    const struct device_trace *trace;
    const char *root;
    bool found;
};

static int note_device(void *context, const char *entry, struct reason *why)
{
    struct search *search = context;
    char path[PATH_MAX];
    long long number = 0;
    (void)why;
    if (snprintf(path, sizeof path, "%s/%.100s/%s", search->trace->folder, entry, search->trace->file) > 0 &&
        sysroot_number(search->root, path, &number) == 0)
        search->found |= search->trace->number != 0 ? number == search->trace->number : number != 0;
    return PAPI_OK;
}

int device_shown(const struct device_trace *trace, const char *root, struct reason *why)
{
    struct search search = {trace, root, false};
    int code = files_each(root, trace->folder, trace->prefix, note_device, &search, why);
    return code != PAPI_OK || search.found ? code : reason_set(why, PAPI_ENOSUPP, "%s", trace->missing);
}

/* ---- the library */

static int of_parent(const struct device_maker *maker, struct reason *why)
{
    return reason_set(why, PAPI_ENOSUPP,
                      "%s was opened by the process that this one was forked from, and does not work in its "
                      "children: fork before the first event of %s is asked for",
                      maker->library, maker->component->name);
}

static void free_units(struct device_units *units)
{
    for (int i = 0; i < units->n_units; i++) {
        for (int k = 0; k < units->unit[i].n_metrics; k++)
            free(units->unit[i].metric[k].name);
        free(units->unit[i].metric);
        free(units->unit[i].cannot);
        free(units->unit[i].trial);
    }
    free(units);
}

static void close_units(void *opened)
{
    struct device_units *units = opened;
    if (units->maker->close != NULL)
        units->maker->close(units);
    free_units(units);
}

static int look_at_all(struct device_units *units, struct reason *why)
{
    int n = 0;
    for (int i = 0; i < units->n_units; i++) {
        struct reason found = {.code = PAPI_OK};
        n += units->maker->look(units, i, &found) == PAPI_OK;
        if (reason_keep(&units->unit[i].cannot, &found) != PAPI_OK)
            return reason_set(why, PAPI_ENOMEM, "out of memory");
    }
    return n > 0 || units->n_units == 0 ? PAPI_OK : reason_pass_kept(units->unit[0].cannot, why);
}

static int open_units(const struct device_maker *maker, const char *root, struct device_units **out,
                      struct reason *why)
{
    void *_Atomic *kept = maker->close == NULL ? component_kept(maker->component) : NULL;
    struct device_units *units = *out = kept != NULL ? *kept : NULL;
    if (units != NULL)
        return units->owners.process == getpid() ? PAPI_OK : of_parent(maker, why);
    *out = units = calloc(1, maker->size);
    if (units == NULL)
        return reason_set(why, PAPI_ENOMEM, "out of memory");
    units->maker = maker;
    units->owners.process = getpid();
    int code = maker->open(units, root, why);
    if (code == PAPI_OK && maker->look != NULL)
        code = look_at_all(units, why);
    if (code != PAPI_OK)
        close_units(units);
    else if (kept != NULL)
        *kept = units;
    return code;
}

/* ---- names */

/* Finds the metric that a name without qualifiers of dimensions says. */
static int choose_metric(const struct device_units *units, const char *base, long device, long tile,
                         struct device_choice *choice, struct reason *why)
{
    if (device >= units->n_devices)
        return reason_set(why, PAPI_ENOEVNT, "there is no device %ld: the devices are 0 to %d", device,
                          units->n_devices - 1);
    choice->unit = find_unit(units, device, tile);
    if (choice->unit < 0)
        return reason_set(why, PAPI_ENOEVNT, "device %ld has no tile %ld", device, tile);
    choice->metric = find_metric(&units->unit[choice->unit], base);
    int other = choice->metric == NULL ? unit_with(units, base) : -1;
    if (other >= 0)
        return reason_set(why, PAPI_ENOEVNT,
                          "device %ld has no %s %.200s there; one that has it is %.200s:device=%d", device,
                          units->maker->noun, base, base, units->unit[other].device);
    return choice->metric != NULL
               ? PAPI_OK
               : reason_set(why, PAPI_ENOEVNT, "no device has a %s %.100s", units->maker->noun, base);
}

void device_add_axis(struct device_axis axis[DEVICE_AXES], int *n, const char *name, size_t instances,
                     uint64_t id)
{
    bool usable =
        *n >= 0 && *n < DEVICE_AXES && name != NULL && instances > 0 && strlen(name) < sizeof axis->name;
    if (usable) {
        strcpy(axis[*n].name, name);
        axis[*n].instances = instances;
        axis[*n].id = id;
    }
    *n = usable ? *n + 1 : -1;
}

static int ask_axes(const struct device_units *units, const struct device_metric *metric,
                    struct device_axis *axis)
{
    if (units->maker->axes == NULL)
        return 0;
    sigset_t before = device_hold_signals();
    int n = units->maker->axes(units, metric, axis);
    device_release_signals(before);
    return n;
}

static int find_axes(const struct device_units *units, struct device_choice *choice, struct reason *why)
{
    enum { MOST_INSTANCES = 1 << 20 };
    choice->instances = 1;
    choice->n_axes = ask_axes(units, choice->metric, choice->axis);
    if (choice->n_axes < 0)
        return reason_set(why, PAPI_ENOEVNT, "%s does not say which dimensions %s has", units->maker->library,
                          choice->metric->name);
    for (int i = 0; i < choice->n_axes; i++) {
        choice->position[i] = -1;
        if (__builtin_mul_overflow(choice->instances, choice->axis[i].instances, &choice->instances) ||
            choice->instances > MOST_INSTANCES)
            return reason_set(why, PAPI_ENOEVNT, "%s has more instances than can be read: %s alone has %zu",
                              choice->metric->name, choice->axis[i].name, choice->axis[i].instances);
    }
    return PAPI_OK;
}

static int no_axis(const struct device_choice *choice, const char *name, struct reason *why)
{
    int code = reason_set(why, PAPI_ENOEVNT, "%s has no dimension %s; it has:", choice->metric->name, name);
    for (int i = 0; i < choice->n_axes; i++)
        reason_add(why, " %s=0..%zu", choice->axis[i].name, choice->axis[i].instances - 1);
    if (choice->n_axes == 0)
        reason_add(why, " none");
    return code;
}

static int choose_position(struct device_choice *choice, const struct device_qualifier *qualifier,
                           struct reason *why)
{
    int i = 0;
    while (i < choice->n_axes && strcasecmp(choice->axis[i].name, qualifier->name) != 0)
        i++;
    if (i == choice->n_axes)
        return no_axis(choice, qualifier->name, why);
    if ((size_t)qualifier->number >= choice->axis[i].instances)
        return reason_set(why, PAPI_ENOEVNT, "%s of %s is at most %zu, not %ld", choice->axis[i].name,
                          choice->metric->name, choice->axis[i].instances - 1, qualifier->number);
    choice->position[i] = qualifier->number;
    return PAPI_OK;
}

/* A share has no sum over the instances of a dimension. */
static int check_sum(const struct device_choice *choice, struct reason *why)
{
    for (int i = 0; i < choice->n_axes && choice->metric->value == DEVICE_MEAN; i++)
        if (choice->position[i] < 0 && choice->axis[i].instances > 1)
            return reason_set(
                why, PAPI_ENOEVNT,
                "%s is a ratio, which has no sum over the instances of its dimensions: name one, such as "
                "%s:%s=0",
                choice->metric->name, choice->metric->name, choice->axis[i].name);
    return PAPI_OK;
}

static bool is_unit(const struct device_qualifier *qualifier)
{
    return strcasecmp(qualifier->name, "device") == 0 || strcasecmp(qualifier->name, "tile") == 0;
}

int device_choose(const struct device_units *units, const char *name, struct device_choice *choice,
                  struct reason *why)
{
    struct device_qualifier qualifier[DEVICE_QUALIFIERS];
    char base[PAPI_MIN_STR_LEN];
    int n = device_name_split(name, base, sizeof base, qualifier), n_units = 0;
    long device = device_qualifier_of(qualifier, n, "device"),
         tile = device_qualifier_of(qualifier, n, "tile");
    *choice = (struct device_choice){.unit = 0};
    for (int i = 0; i < n; i++)
        n_units += is_unit(&qualifier[i]);
    if (n < 0 || (units->maker->axes == NULL && n > n_units))
        return reason_set(why, PAPI_ENOEVNT, "\"%.200s\": %s", name, units->maker->qualifiers);
    if (units->maker->axes != NULL && units->owners.process != getpid())
        return of_parent(units->maker, why);
    int code = choose_metric(units, base, device > 0 ? device : 0, tile, choice, why)
                   ?: find_axes(units, choice, why);
    for (int i = 0; i < n && code == PAPI_OK; i++)
        if (!is_unit(&qualifier[i]))
            code = choose_position(choice, &qualifier[i], why);
    return code ?: check_sum(choice, why);
}

int device_choose_all(const struct device_plan *plan, struct device_choice *choice, struct reason *why)
{
    int code = PAPI_OK;
    for (int i = 0; i < plan->n && code == PAPI_OK; i++)
        code = device_choose(plan->opened, plan->event[i]->name, &choice[i], why);
    return code;
}

int device_unit_of(const struct component_event *event)
{
    struct device_choice choice;
    return device_choose(event->opened, event->name, &choice, NULL) == PAPI_OK ? choice.unit : 0;
}

static int take(const struct component_event *listed, const char *qualifiers, struct component_event *variant,
                char *text, size_t size, struct reason *why)
{
    struct device_choice choice;
    if (snprintf(text, size, "%s%s", listed->name, qualifiers) >= (int)size)
        return reason_set(why, PAPI_ENOEVNT, "\"%.200s...\": the name is too long", text);
    variant->name = text;
    return device_choose(listed->opened, text, &choice, why);
}

static void print_unit(const struct device_unit *unit, char *qualifiers, size_t size, char *description,
                       size_t room)
{
    if (unit->tile < 0) {
        snprintf(qualifiers, size, ":device=%d", unit->device);
        snprintf(description, room, "Of device %d; without :device=, of device 0", unit->device);
    } else {
        snprintf(qualifiers, size, ":device=%d:tile=%d", unit->device, unit->tile);
        snprintf(description, room, "Of tile %d of device %d", unit->tile, unit->device);
    }
}

/* Writes a form for each unit that has the metric, then one for each of its dimensions. */
static bool next(const struct component_event *listed, int number, char *qualifiers, size_t size,
                 char *description, size_t room)
{
    const struct device_units *units = listed->opened;
    const struct device_metric *metric = NULL;
    struct device_axis axis[DEVICE_AXES];
    if (units->maker->axes != NULL && units->owners.process != getpid())
        return false;
    for (int i = 0; i < units->n_units; i++) {
        const struct device_metric *found = find_metric(&units->unit[i], listed->name);
        if (found != NULL && number-- == 0) {
            print_unit(&units->unit[i], qualifiers, size, description, room);
            return true;
        }
        metric = metric != NULL ? metric : found;
    }
    if (metric == NULL || number >= ask_axes(units, metric, axis))
        return false;
    snprintf(qualifiers, size, ":%s=0", axis[number].name);
    snprintf(description, room, "Of one instance of %s, 0 to %zu; without it, their sum", axis[number].name,
             axis[number].instances - 1);
    return true;
}

const struct component_variants device_units_variants = {.take = take, .next = next};

/* ---- functions of components */

static int list_unit(struct device_units *units, int i, struct event_list *list, struct reason *why)
{
    const struct device_unit *unit = &units->unit[i];
    int code = PAPI_OK;
    for (int k = 0; k < unit->n_metrics && code == PAPI_OK; k++) {
        const struct component_event event = {.name = unit->metric[k].name,
                                              .description = "",
                                              .level = unit->metric[k].value != DEVICE_SUM,
                                              .opened = units};
        if (i == 0 || event_list_find(list, event.name) < 0)
            code = event_list_add(list, &event, why);
    }
    return code;
}

static int list_metrics(struct device_units *units, struct event_list *list, struct reason *why)
{
    int code = PAPI_OK;
    for (int i = 0; i < units->n_units && code == PAPI_OK; i++)
        code = list_unit(units, i, list, why);
    return code;
}

int device_units_list(const struct device_maker *maker, const char *root, struct event_list *list,
                      struct reason *why)
{
    struct device_units *units;
    sigset_t before = device_hold_signals();
    int opened = open_units(maker, root, &units, why), code = code_passes(opened) ? opened : PAPI_OK;
    if (opened == PAPI_OK && maker->close != NULL)
        code = event_list_open(list, units, close_units, why);
    if (opened == PAPI_OK && code == PAPI_OK)
        code = (maker->list != NULL ? maker->list : list_metrics)(units, list, why);
    device_release_signals(before);
    return code;
}

/* Fills in what is known of the units. Passes, and no number of counters, limit events with words. */
static void fill_in(const struct device_units *units, struct component_state *state)
{
    state->n_hardware_counters = units->maker->words != NULL ? 0 : MAX_COUNTERS;
    reason_pass(&units->cannot, &state->disabled);
    for (int i = 0; i < units->n_units && state->disabled.code == PAPI_OK; i++)
        reason_pass_kept(units->unit[i].cannot, &state->partially_disabled);
    if (units->maker->state != NULL)
        units->maker->state(units, state);
}

void device_units_discover(const struct device_maker *maker, const char *root, struct component_state *state)
{
    struct device_units *units;
    sigset_t before = device_hold_signals();
    if (open_units(maker, root, &units, &state->disabled) == PAPI_OK) {
        fill_in(units, state);
        if (maker->close != NULL)
            close_units(units);
    }
    device_release_signals(before);
}

static int try_once(struct device_plan *plan, struct reason *why)
{
    struct device_units *units = plan->opened;
    int i = units->maker->counting->device(plan->event[0]);
    struct device_unit *unit = &units->unit[i];
    struct reason found = {.code = PAPI_OK};
    if (unit->tried)
        return reason_pass_kept(unit->trial, why);
    if (atomic_load(&units->owners.of[i].group) != NULL)
        return PAPI_OK; /* it counts just now */
    found.code = units->maker->try_plan(plan, &found);
    unit->tried = !code_passes(found.code) && found.code != PAPI_ECNFLCT &&
                  reason_keep(&unit->trial, &found) == PAPI_OK;
    return reason_pass(&found, why);
}

int device_units_try(struct pmu_table *pmus, const struct event_encoding *event, int domain,
                     struct reason *why)
{
    const struct device_maker *maker = ((const struct device_units *)event->event->opened)->maker;
    (void)pmus, (void)domain;
    return device_session_try(maker->counting, event->event, maker->try_plan != NULL ? try_once : NULL, why);
}

/* Gives the library's sentence. In the child of a fork there is none. */
int device_units_describe(const struct component_event *event, char *text, size_t size, char *unit,
                          size_t room, struct reason *why)
{
    const struct device_units *units = event->opened;
    struct device_choice choice;
    int code = device_choose(units, event->name, &choice, why);
    text[0] = '\0';
    if (code_passes(code))
        return code;
    int any = choice.metric == NULL ? unit_with(units, event->name) : -1;
    const struct device_metric *metric =
        any >= 0 ? find_metric(&units->unit[any], event->name) : choice.metric;
    sigset_t before = device_hold_signals();
    if (metric != NULL && units->owners.process == getpid())
        units->maker->describe(units, metric, text, size, unit, room);
    device_release_signals(before);
    return PAPI_OK;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/device/device_table.h"
#include "base/array.h"
#include "base/gpus.h"
#include "base/wide.h"
#include "components/free_running.h"
#include "papi.h"

#include <ctype.h>
#include <dlfcn.h>
#include <math.h> /* of it, only what the C library itself has */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A level that was set. */
struct device_change {
    struct device_change *next;
    uint64_t config;        /* of its event */
    uint64_t before, value; /* what it was at first, and was set to */
};

/* ---- an event's own number: its device, row and instance */

static uint64_t config_of(int device, int row, int instance)
{
    return (uint64_t)device << 32 | (uint64_t)row << 16 | (uint64_t)instance;
}

static int device_of(uint64_t config)
{
    return (int)(config >> 32);
}

static int row_of(uint64_t config)
{
    return (int)(config >> 16 & 0xffff);
}

static int instance_of(uint64_t config)
{
    return (int)(config & 0xffff);
}

/* ---- calls */

typedef int to_one(void *device, void *a);
typedef int by_one(void *device, int first, void *a);
typedef int by_two(void *device, int first, int second, void *a);
typedef int by_three(void *device, int first, int second, int third, void *a);
typedef int out_twice(void *device, void *a, void *b);
typedef int out_thrice(void *device, void *a, void *b, void *c);
typedef int by_one_out_twice(void *device, int first, void *a, void *b);

int device_call(const struct device_row *row, const int *argument, device_function_pointer *function,
                const struct device *device, void *answer)
{
    char *a = answer;
    switch (row->call) {
    case DEVICE_BY_ONE:
        return ((by_one *)function)(device->handle, argument[0], a);
    case DEVICE_BY_TWO:
        return ((by_two *)function)(device->handle, argument[0], argument[1], a);
    case DEVICE_BY_THREE:
        return ((by_three *)function)(device->handle, argument[0], argument[1], argument[2], a);
    case DEVICE_OUT_TWICE:
        return ((out_twice *)function)(device->handle, a, a + 8);
    case DEVICE_OUT_THRICE:
        return ((out_thrice *)function)(device->handle, a, a + 8, a + 16);
    case DEVICE_BY_ONE_OUT_TWICE:
        return ((by_one_out_twice *)function)(device->handle, argument[0], a, a + 8);
    default:
        return ((to_one *)function)(device->handle, a);
    }
}

static void fill_arguments(const struct device_row *row, int instance, int *argument)
{
    for (int i = 0; i < 3; i++) {
        int value = row->argument[i];
        argument[i] = value == DEVICE_INSTANCE       ? instance
                      : value == DEVICE_INSTANCE_BIT ? (int)(1u << instance)
                                                     : value;
    }
}

/* ---- numbers */

/* A count times a float, which is a whole number of 24 bits times a power of 2: no digit is lost. false: it
 * is no factor, or the product has more than 63 bits. */
static bool times_float(uint64_t count, float factor, uint64_t *product)
{
    int exponent;
    if (!isfinite(factor) || factor <= 0)
        return false;
    struct wide all = wide_product(count, (uint64_t)ldexpf(frexpf(factor, &exponent), 24));
    if (!wide_shift(&all, exponent - 24))
        return false;
    *product = all.low;
    return all.high == 0 && all.low <= INT64_MAX;
}

static bool round_double(double real, uint64_t times, uint64_t *number)
{
    const double most = 9.2e18;
    real *= times != 0 ? (double)times : 1;
    if (!(real > -most && real < most)) /* nor is it one where it is not a number */
        return false;
    *number = (uint64_t)(int64_t)(real < 0 ? real - 0.5 : real + 0.5);
    return true;
}

static bool scale(uint64_t *number, bool negative, uint64_t times)
{
    uint64_t size = negative ? -*number : *number;
    if (times != 0 && __builtin_mul_overflow(size, times, &size))
        return false;
    *number = negative ? -size : size;
    return true;
}

/* The number in an answer, in the event's unit; false: it cannot be one. */
static bool number_in(const struct device_row *row, const char *answer, uint64_t *number)
{
    const char *place = answer + row->offset;
    uint64_t all;
    uint32_t half;
    double real;
    float factor;
    memcpy(&all, place, sizeof all);
    memcpy(&half, place, sizeof half);
    memcpy(&real, place, sizeof real);
    memcpy(&factor, place + sizeof all, sizeof factor);
    *number = row->number == DEVICE_U32 ? half : all;
    if ((row->number == DEVICE_U32 && half == UINT32_MAX) || (row->number == DEVICE_U64 && all == UINT64_MAX))
        return false; /* is all vendors' way to say that there is none */
    if (row->number == DEVICE_DOUBLE)
        return round_double(real, row->times, number);
    bool negative = row->number == DEVICE_I64 && *number >> 63 != 0;
    if (row->below != 0 && (negative ? -*number : *number) >= row->below)
        return false;
    if (row->number == DEVICE_TIMES_FLOAT)
        return times_float(all, factor, number);
    if (row->bit != 0)
        *number = (*number & row->bit) != 0;
    return scale(number, negative, row->times);
}

/* Asks for a number: 0, or the library's error; usable: the answer is a number. */
static int ask_for(const struct device_table *table, uint64_t config, uint64_t *now, bool *usable)
{
    _Alignas(16) char answer[DEVICE_ANSWER_SIZE] = {0};
    const struct device_row *row = &table->vendor->rows[row_of(config)];
    int argument[3];
    fill_arguments(row, instance_of(config), argument);
    int result = table->vendor->call(row, argument, table->function[row_of(config)],
                                     &table->device[device_of(config)], answer);
    *usable = result == 0 && number_in(row, answer, now);
    return result;
}

int device_table_failed(const struct device_table *table, int result, const char *what, struct reason *why)
{
    const char *words = table->vendor->words(table, result);
    return reason_set(why, table->vendor->code(result), "%s: %s answers \"%.200s\" (%d)", what,
                      table->vendor->owner, words != NULL ? words : "an error", result);
}

/* Refuses a question of the child of a fork, whose library has the parent's session and descriptors. */
static int check_process(const struct device_table *table, const char *event, struct reason *why)
{
    if (getpid() == table->process)
        return PAPI_OK;
    return reason_set(why, PAPI_ENOSUPP,
                      "%s: %s was opened by the process that this one was forked from: fork before the first "
                      "event of the component is asked for, or have the child call PAPI_shutdown and "
                      "PAPI_library_init",
                      event, table->vendor->library);
}

static int ask(const struct component_event *event, uint64_t *now, struct reason *why)
{
    const struct device_table *table = event->opened;
    bool usable;
    if (check_process(table, event->name, why) != PAPI_OK)
        return PAPI_ENOSUPP;
    sigset_t before = device_hold_signals();
    int result = ask_for(table, event->config, now, &usable);
    device_release_signals(before);
    if (result != 0)
        return device_table_failed(table, result, event->name, why);
    return usable ? PAPI_OK
                  : reason_set(why, PAPI_EMISC, "%s: %s answers with a number that cannot be", event->name,
                               table->vendor->owner);
}

/* ---- setting, and setting back */

static int set_number(const struct device_table *table, uint64_t config, uint64_t value)
{
    const struct device_row *row = &table->vendor->rows[row_of(config)];
    return table->vendor->set(table->setter[row - table->vendor->rows], &table->device[device_of(config)],
                              instance_of(config), value);
}

static struct device_change *change_of(struct device_table *table, uint64_t config)
{
    struct device_change *change = table->changes;
    while (change != NULL && change->config != config)
        change = change->next;
    return change;
}

/* Notes a level that is about to be set for the first time. false: out of memory. */
static bool note_change(struct device_table *table, uint64_t config, uint64_t before)
{
    struct device_change *change = calloc(1, sizeof *change);
    if (change == NULL)
        return false;
    *change = (struct device_change){table->changes, config, before, before};
    table->changes = change;
    return true;
}

/* Sets a level; so that it can be set back, not where it cannot be asked what it is. */
static int set_noted(struct device_table *table, uint64_t config, uint64_t value)
{
    uint64_t now;
    bool usable = true;
    struct device_change *change = change_of(table, config);
    int result = change == NULL ? ask_for(table, config, &now, &usable) : 0;
    if (result != 0 || (change == NULL && (!usable || !note_change(table, config, now))))
        return result != 0 ? result : -1;
    result = set_number(table, config, value);
    if (result == 0)
        change_of(table, config)->value = value;
    return result;
}

static int set(const struct component_event *event, long long value, struct reason *why)
{
    struct device_table *table = event->opened;
    const struct device_row *row = &table->vendor->rows[row_of(event->config)];
    if (check_process(table, event->name, why) != PAPI_OK)
        return PAPI_ENOSUPP;
    if (table->setter[row_of(event->config)] == NULL)
        return reason_set(why, PAPI_ECMP, "%s: %s has no function that sets it", event->name,
                          table->vendor->library);
    if (value < 0 || (row->number == DEVICE_U32 && value > UINT32_MAX))
        return reason_set(why, PAPI_EINVAL, "%s cannot be set to %lld", event->name, value);
    sigset_t before = device_hold_signals();
    pthread_mutex_lock(&table->lock);
    int result = set_noted(table, event->config, (uint64_t)value);
    pthread_mutex_unlock(&table->lock);
    device_release_signals(before);
    if (result == 0)
        return PAPI_OK;
    int code = device_table_failed(table, result, event->name, why);
    return code == PAPI_EMISC
               ? reason_set(why, PAPI_EINVAL, "%s cannot be set to %lld (%d)", event->name, value, result)
               : code;
}

/* Sets a level back, unless somebody else has set it since. */
static void set_back(struct device_table *table, const struct device_change *change)
{
    uint64_t now;
    bool usable;
    if (ask_for(table, change->config, &now, &usable) == 0 && usable && now == change->value &&
        change->value != change->before)
        set_number(table, change->config, change->before);
}

static void forget_changes(struct device_table *table, bool ours)
{
    struct device_change *next;
    for (struct device_change *change = table->changes; change != NULL; change = next) {
        next = change->next;
        if (ours)
            set_back(table, change);
        free(change);
    }
}

/* ---- library */

static void free_table(struct device_table *table)
{
    if (table->library != NULL)
        dlclose(table->library);
    pthread_mutex_destroy(&table->lock);
    free(table->device);
    free(table->function);
    free(table->setter);
    free(table);
}

static void close_table(void *opened)
{
    struct device_table *table = opened;
    bool ours = getpid() == table->process;
    sigset_t before = device_hold_signals();
    forget_changes(table, ours);
    if (ours)
        table->vendor->end(table);
    device_release_signals(before);
    free_table(table);
}

static struct device_table *new_table(const struct device_vendor *vendor)
{
    struct device_table *table = calloc(1, vendor->size);
    if (table == NULL)
        return NULL;
    table->vendor = vendor;
    table->process = getpid();
    table->function = calloc((size_t)vendor->n_rows, sizeof *table->function);
    table->setter = calloc((size_t)vendor->n_rows, sizeof *table->setter);
    pthread_mutex_init(&table->lock, NULL);
    if (table->function != NULL && table->setter != NULL)
        return table;
    free_table(table);
    return NULL;
}

static void find_function(const struct device_table *table, const char *name, device_function_pointer **to)
{
    struct device_function function = {.need = DEVICE_OPTIONAL};
    snprintf(function.name, sizeof function.name, "%s", name);
    device_library_functions(table->library, table->vendor->library, &function, 1, to, NULL);
}

static int find_functions(struct device_table *table, struct reason *why)
{
    const struct device_vendor *vendor = table->vendor;
    for (int i = 0; i < vendor->n_rows; i++) {
        find_function(table, vendor->rows[i].function, &table->function[i]);
        if (vendor->rows[i].setter[0] != '\0')
            find_function(table, vendor->rows[i].setter, &table->setter[i]);
    }
    return device_library_functions(table->library, vendor->library, vendor->functions, vendor->n_functions,
                                    table, why);
}

static int start_library(struct device_table *table, const char *root, struct reason *why)
{
    const struct device_vendor *vendor = table->vendor;
    char what[96];
    int code = device_library_load(vendor->source, root, &table->library, why);
    if (code == PAPI_OK)
        code = find_functions(table, why);
    int result = code == PAPI_OK ? vendor->start(table) : 0;
    snprintf(what, sizeof what, "%s does not start", vendor->library);
    return result == 0 ? code : device_table_failed(table, result, what, why);
}

/* PAPI_OK where there may be a device of the vendor. */
static int look_for_device(const struct device_vendor *vendor, const char *root, struct reason *why)
{
    const struct gpu of_vendor = {.vendor = vendor->gpu};
    if (vendor->gpu == 0)
        return PAPI_OK;
    int there = gpus_there(root, vendor->gpu);
    if (there < 0)
        return reason_unreadable("/sys/bus/pci/devices", why);
    return there ? PAPI_OK
                 : reason_set(why, PAPI_ENOSUPP,
                              "there is no device of %s in /sys/bus/pci/devices: papi_hardware_avail "
                              "lists those that there are",
                              gpu_vendor(&of_vendor));
}

static int open_table(const struct device_vendor *vendor, const char *root, struct device_table **out,
                      struct reason *why)
{
    int code = look_for_device(vendor, root, why);
    struct device_table *table = code == PAPI_OK ? new_table(vendor) : NULL;
    if (table == NULL)
        return code != PAPI_OK ? code : reason_set(why, PAPI_ENOMEM, "out of memory");
    code = start_library(table, root, why);
    if (code != PAPI_OK) {
        free_table(table);
        return code;
    }
    code = vendor->find(table, why);
    if (code != PAPI_OK)
        close_table(table);
    *out = table;
    return code;
}

/* ---- devices */

int device_table_add(struct device_table *table, const struct device *device, struct reason *why)
{
    if (!ARRAY_GROW(table->device, table->n))
        return reason_set(why, PAPI_ENOMEM, "out of memory");
    struct device *added = &table->device[table->n++];
    *added = *device;
    added->name[DEVICE_NAME_SIZE - 1] = '\0';
    for (char *p = added->name; *p != '\0'; p++)
        *p = isgraph((unsigned char)*p) && (*p & 0x80) == 0 && strchr(":,;=\"", *p) == NULL ? *p : '_';
    return PAPI_OK;
}

/* True if an event is not to be listed. */
static bool is_missing(const struct device_table *table, uint64_t config)
{
    uint64_t now;
    bool usable;
    if (table->vendor->rows[row_of(config)].slow)
        return false;
    int result = ask_for(table, config, &now, &usable);
    return result != 0 ? table->vendor->absent(result) : !usable;
}

static int list_event(struct event_list *list, struct device_table *table, uint64_t config,
                      struct reason *why)
{
    const struct device_row *row = &table->vendor->rows[row_of(config)];
    char text[PAPI_2MAX_STR_LEN];
    struct component_event event = {.description = row->event.description,
                                    .unit = row->event.unit[0] != '\0' ? row->event.unit : NULL,
                                    .level = row->event.level,
                                    .writable = row->event.writable};
    if (is_missing(table, config))
        return PAPI_OK;
    table->vendor->name(&table->device[device_of(config)], row, instance_of(config), text, sizeof text);
    event.name = text;
    event.config = config;
    event.opened = table;
    return event_list_add(list, &event, why);
}

static int list_device(struct event_list *list, struct device_table *table, int device, struct reason *why)
{
    int code = PAPI_OK;
    for (int i = 0; i < table->vendor->n_rows; i++) {
        const struct device_row *row = &table->vendor->rows[i];
        int n = row->instances > 0 ? row->instances : 1;
        if (table->function[i] == NULL || row->kind != table->device[device].kind)
            continue;
        for (int k = 0; k < n && code == PAPI_OK; k++)
            code = list_event(list, table, config_of(device, i, row->first + k), why);
    }
    return code;
}

static int list_all(const struct device_vendor *vendor, const char *root, struct event_list *list,
                    struct reason *why)
{
    struct device_table *table;
    int code = open_table(vendor, root, &table, why);
    if (code != PAPI_OK)
        return code_passes(code) ? code : PAPI_OK;
    code = event_list_open(list, table, close_table, why);
    for (int i = 0; code == PAPI_OK && i < table->n; i++)
        if (table->device[i].result == 0)
            code = list_device(list, table, i, why);
    return code;
}

/* ---- component */

int device_table_list(const struct device_vendor *vendor, const char *root, struct event_list *list,
                      struct reason *why)
{
    sigset_t before = device_hold_signals();
    int code = list_all(vendor, root, list, why);
    device_release_signals(before);
    return code;
}

static void note_lost(const struct device_table *table, struct component_state *state)
{
    char what[32];
    for (int i = 0; i < table->n; i++) {
        snprintf(what, sizeof what, "device %u", table->device[i].index);
        if (table->device[i].result != 0)
            device_table_failed(table, table->device[i].result, what, &state->partially_disabled);
    }
}

void device_table_discover(const struct device_vendor *vendor, const char *root,
                           struct component_state *state)
{
    struct device_table *table;
    sigset_t before = device_hold_signals();
    if (open_table(vendor, root, &table, &state->disabled) == PAPI_OK) {
        note_lost(table, state);
        close_table(table);
    }
    device_release_signals(before);
}

static const struct function_source source = {.ask = ask, .set = set};

int device_try_event(struct pmu_table *pmus, const struct event_encoding *event, int domain,
                     struct reason *why)
{
    (void)pmus;
    (void)domain;
    return function_try(&source, event, why);
}

struct counter_group *device_create(const struct group_options *options)
{
    return function_create(options, &source);
}

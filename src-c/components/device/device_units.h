/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "components/device/device_session.h"

/* Components of counters that devices have, and that count only while a set is started, are made of parts.
 * All but the last are the same for all vendors:
 *
 *   device_library   the vendor's library: found by a variable, below a root or by the loader; its
 *                    functions; signals, held meanwhile
 *   device_answers   sentences of what it answers to calls that fail
 *   device_units     the devices, if the kernel shows any, or a chip in place of them, and the metrics that
 *                    each has; an event's name, which is a metric's with qualifiers
 *                    (":device=0:tile=1:XCC=3"): one parser, one printer, and the sentence where there is no
 *                    such event; why a device does not count; the functions of struct component
 *   device_session   groups: which set has claimed a device, plans of events that are counted together,
 *                    what they counted before they were stopped
 *   device_words     qualifiers that are words (":stat=avg:device=1:real"), and lists of what chips have
 *   device_spans     plans of devices that give the values of a span, which are put together
 *   device_ranges    numbers of instances, added up over those that an event stands for
 *   device_kernels   kernels that a device counts one by one, and that a reading waits for
 *   the vendor's     its errors, how its devices and metrics are found, and how a plan counts
 *
 * Components whose numbers a vendor's library answers at any time are tables of rows: device_table. */

/* A metric of a unit, with the vendor's own numbers. */
struct device_metric {
    char *name;
    uint64_t id; /* a handle, or a pointer */
    void *group; /* its metrics can be counted together, and no others with them; NULL: there are no such
                    groups */
    int n_in_group, index;
    enum device_value {
        DEVICE_SUM,  /* grows: counts of ranges are added up */
        DEVICE_MEAN, /* a share or a rate: it has no sum */
        DEVICE_LAST  /* what it was last */
    } value;
};

/* A device, or one of its tiles: each counts by itself. */
struct device_unit {
    int device, tile;        /* tile -1: the whole device */
    char name[64], chip[16]; /* where the library says them */
    struct device_metric *metric;
    int n_metrics;
    struct kept_reason *cannot; /* why it does not count, as far as a look at it could tell; NULL: it may */
    struct kept_reason *trial;  /* the answer of its trial; NULL: it counts */
    bool tried;
};

/* The library and its devices, opened when an event is first asked for. The vendor's own structure begins
 * with it. */
struct device_units {
    struct device_owners owners;
    const struct device_maker *maker;
    void *library;
    struct reason cannot; /* none counts, and all are listed all the same; PAPI_OK: they may */
    int n_devices, n_units;
    struct device_unit unit[MOST_DEVICES];
};

/* A dimension, in which a metric has instances. */
enum { DEVICE_AXES = 8 };
struct device_axis {
    char name[40];
    size_t instances;
    uint64_t id;
};

/* Adds a dimension to those of a metric; *n -1: there is no room for it, or it is none. */
void device_add_axis(struct device_axis axis[DEVICE_AXES], int *n, const char *name, size_t instances,
                     uint64_t id);

/* An event: a metric of a unit, in one instance of some dimensions and added up over the others. */
struct device_choice {
    int unit;
    const struct device_metric *metric;
    size_t instances; /* of all dimensions */
    int n_axes;
    struct device_axis axis[DEVICE_AXES];
    long position[DEVICE_AXES]; /* -1: all */
};

/* The vendor's part. Its functions are called while signals are held. */
struct device_maker {
    const struct component *component;
    /* Texts are not pointers: those would have to be relocated at the start of each program. */
    char library[32], noun[8]; /* "AMD's rocprofiler-sdk", "counter" */
    char qualifiers[128];      /* the sentence of a name with others: "qualifiers are :device=N and ..." */
    size_t size;               /* of its own structure */
    const struct device_counting *counting;
    const struct device_words *words; /* names with words and chips, which the list is of; NULL */

    /* Loads the library, and adds the units with their metrics. Memory is freed by the caller. */
    int (*open)(struct device_units *units, const char *root, struct reason *why);
    /* Looks at a unit, after open. Where none counts, nothing is listed, and the first one's reason is that
     * of the component. NULL: there is nothing to see. */
    int (*look)(struct device_units *units, int unit, struct reason *why);
    /* Fills in a metric's dimensions. Their number; -1: the library does not say it. NULL: it has none. */
    int (*axes)(const struct device_units *units, const struct device_metric *metric,
                struct device_axis axis[DEVICE_AXES]);
    /* Writes a sentence on a metric, and its unit. */
    void (*describe)(const struct device_units *units, const struct device_metric *metric, char *text,
                     size_t size, char *unit, size_t room);
    /* Fills in why they do not count, as far as it is known by now and not in struct device_units. NULL:
     * nothing is. */
    void (*state)(const struct device_units *units, struct component_state *state);
    /* Lists the events. NULL: they are the units' metrics. */
    int (*list)(struct device_units *units, struct event_list *list, struct reason *why);
    /* Tries whether the device of a plan counts for this process: once, but for answers that pass. NULL: it
     * does. */
    int (*try_plan)(struct device_plan *plan, struct reason *why);
    /* Closes what was opened, also where that failed half-way, but for the memory that is the caller's: the
     * library is kept no longer than a list of its events then, and another look may find others. NULL: it is
     * kept as long as the process lives. */
    void (*close)(struct device_units *units);
};

/* Finds out whether the kernel shows a device: an entry of a folder, whose name begins with prefix, has in
 * one of its files the number that the vendor's devices have (0: any other one). It costs less than a
 * vendor's library that looks for one. PAPI_ENOSUPP: there is none, with these words; PAPI_ENOMEM, PAPI_ESYS.
 */
struct device_trace {
    const char *folder, *prefix, *file;
    long long number;
    const char *missing;
};
int device_shown(const struct device_trace *trace, const char *root, struct reason *why);

/* True if a name can be that of a metric, or a part of one. */
bool device_is_name(const char *name);

/* Adds a unit; NULL: there are MOST_DEVICES. */
struct device_unit *device_add_unit(struct device_units *units, int device, int tile);

/* Has the one unit be a chip that need not be here, which a variable names in place of the devices: its
 * events are listed, and none is counted. */
void device_only_listed(struct device_units *units, const char *variable, const char *chip);

/* Adds a metric, whose name is copied. PAPI_ENOMEM. */
int device_add_metric(struct device_unit *unit, const struct device_metric *metric);

/* The event of a listed one's name and qualifiers; where it fails, choice->metric may be there all the same.
 * PAPI_ENOEVNT; PAPI_ENOSUPP: this is the child of a fork. */
int device_choose(const struct device_units *units, const char *name, struct device_choice *choice,
                  struct reason *why);

/* Fills in the events of a plan. */
int device_choose_all(const struct device_plan *plan, struct device_choice *choice, struct reason *why);

/* For struct device_counting: the unit of an event. */
int device_unit_of(const struct component_event *event);

/* Functions of struct component. */
int device_units_list(const struct device_maker *maker, const char *root, struct event_list *list,
                      struct reason *why);
void device_units_discover(const struct device_maker *maker, const char *root, struct component_state *state);
int device_units_try(struct pmu_table *pmus, const struct event_encoding *event, int domain,
                     struct reason *why);
int device_units_describe(const struct component_event *event, char *text, size_t size, char *unit,
                          size_t room, struct reason *why);
extern const struct component_variants device_units_variants;

#define DEVICE_UNITS_FUNCTIONS(MAKER)                                                                        \
    static int list(const char *root, struct event_list *list, struct reason *why)                           \
    {                                                                                                        \
        return device_units_list(&(MAKER), root, list, why);                                                 \
    }                                                                                                        \
    static void discover(struct pmu_table *pmus, struct component_state *state)                              \
    {                                                                                                        \
        device_units_discover(&(MAKER), pmus->root, state);                                                  \
    }                                                                                                        \
    DEVICE_SESSION_FUNCTIONS(*(MAKER).counting)

#define DEVICE_UNITS_COMPONENT(NAME)                                                                         \
    DEVICE_SESSION_COMPONENT(NAME), .list = list, .discover = discover, .try_event = device_units_try,       \
                                    .variants = &device_units_variants, .describe = device_units_describe

/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "components/component.h"
#include "components/device/device_library.h"
#include "components/file_group.h"
#include <limits.h>
#include <pthread.h>

/* Components whose numbers a vendor's library of management answers one by one: such a component is a table
 * of rows (an event, the function that is asked, and where its number is in the answer), the library's
 * errors, and how its devices are found. */

/* Forms of a call, after the device: so many arguments, then so many places for an answer. The places are at
 * bytes 0, 8 and 16. */
enum device_call {
    DEVICE_OUT,
    DEVICE_BY_ONE,
    DEVICE_BY_TWO,
    DEVICE_BY_THREE,
    DEVICE_OUT_TWICE,
    DEVICE_OUT_THRICE,
    DEVICE_BY_ONE_OUT_TWICE,
    DEVICE_OWN, /* the vendor's own, of which there is one */
};

/* The kind of number in an answer. DEVICE_TIMES_FLOAT: 64 bits that are multiplied by the float behind. */
enum device_number { DEVICE_U32, DEVICE_I64, DEVICE_U64, DEVICE_TIMES_FLOAT, DEVICE_DOUBLE };

/* Arguments that stand for the instance of a row: its number, or the bit of that number. */
enum { DEVICE_INSTANCE = INT_MIN, DEVICE_INSTANCE_BIT };

enum { DEVICE_ANSWER_SIZE = 2048, DEVICE_NAME_SIZE = 96 };

/* The texts are in the row: pointers would have to be relocated at the start of each program that is linked
 * with the library, also where it never asks for a device. "": there is none. */
struct device_event {
    char name[64], description[288], unit[24];
    bool level, writable; /* as in struct component_event */
};

struct device_row {
    struct device_event event;
    char function[56];
    enum device_call call;
    enum device_number number;
    int offset; /* of the number in the answer */
    int argument[3];
    int kind;      /* of the devices that are asked */
    int instances; /* that there may be: sensors, blocks; 0: the event is the device's own */
    int first;     /* number of the first of them */
    uint64_t bit;  /* the event is 1 where this bit of the number is set, 0 where not; 0: the number itself */
    bool slow;     /* the answer takes long: it is not asked for to see if it is to be listed */
    uint64_t times;  /* factor that makes the number one of the event's unit; 0: 1 */
    uint64_t below;  /* a number that is not below this one cannot be, or means that there is none; 0: any */
    char setter[40]; /* the function that sets it; "": it cannot be set */
};

struct device {
    void *handle;
    unsigned index, instance; /* instance: where a device has several of a kind */
    int kind;
    int result; /* of looking for it: where that failed, it is not asked, and the component says so */
    char name[DEVICE_NAME_SIZE];
};

typedef void device_function_pointer(void);

/* The library, opened. A vendor's own structure begins with it. */
struct device_table {
    const struct device_vendor *vendor;
    void *library;
    pid_t process; /* that opened it: the child of a fork leaves the devices alone */
    int n;
    struct device *device;
    device_function_pointer **function, **setter; /* of each row; NULL: the library lacks it */
    pthread_mutex_t lock;
    struct device_change *changes; /* levels that were set, to be set back */
};

struct device_vendor {
    const char *library, *owner; /* "libnvidia-ml.so.1", "the NVIDIA driver's library" */
    const struct device_library_source *source;
    const struct device_function *functions; /* of its own structure, which has this size */
    size_t n_functions, size;
    const struct device_row *rows;
    int n_rows;

    unsigned gpu; /* GPU_OF_...: where the kernel shows no such device, the library is not loaded; 0: it is
                   * asked in any case */
    /* Start and end the library's work: 0, or its error. */
    int (*start)(struct device_table *table);
    void (*end)(struct device_table *table);
    /* Appends the devices, with device_table_add. */
    int (*find)(struct device_table *table, struct reason *why);
    /* device_call, or the same for devices that are not pointers; with the one form of its own. */
    int (*call)(const struct device_row *row, const int *argument, device_function_pointer *function,
                const struct device *device, void *answer);
    int (*set)(device_function_pointer *setter, const struct device *device, int instance, uint64_t value);
    /* Writes the event's name. */
    void (*name)(const struct device *device, const struct device_row *row, int instance, char *text,
                 size_t size);
    /* The PAPI_E* code of an error; true if it says that the device has no such number; its words or NULL. */
    int (*code)(int result);
    bool (*absent)(int result);
    const char *(*words)(const struct device_table *table, int result);
};

/* Calls a function of a device that is a pointer. */
int device_call(const struct device_row *row, const int *argument, device_function_pointer *function,
                const struct device *device, void *answer);

/* Appends a device of a name, of which what cannot be in an event's name becomes "_". PAPI_ENOMEM. */
int device_table_add(struct device_table *table, const struct device *device, struct reason *why);

/* Notes the library's error on something. Returns its code. */
int device_table_failed(const struct device_table *table, int result, const char *what, struct reason *why);

/* Functions for the component. What the library or the device does not have is not listed; a number that
 * fails otherwise says so when it is added. */
int device_table_list(const struct device_vendor *vendor, const char *root, struct event_list *list,
                      struct reason *why);
void device_table_discover(const struct device_vendor *vendor, const char *root,
                           struct component_state *state);
int device_try_event(struct pmu_table *pmus, const struct event_encoding *event, int domain,
                     struct reason *why);
struct counter_group *device_create(const struct group_options *options);

/* The members of struct component that such components share. */
#define DEVICE_COMPONENT(NAME)                                                                               \
    LISTING_MEMBERS(NAME), .list = list, .discover = discover, .granularity = PAPI_GRN_SYS,                  \
                           .check_options = file_check_options, .try_event = device_try_event,               \
                           .create = device_create

/* The functions list and discover of such a component, of its vendor. */
#define DEVICE_FUNCTIONS(VENDOR)                                                                             \
    static int list(const char *root, struct event_list *list, struct reason *why)                           \
    {                                                                                                        \
        return device_table_list(&(VENDOR), root, list, why);                                                \
    }                                                                                                        \
    static void discover(struct pmu_table *pmus, struct component_state *state)                              \
    {                                                                                                        \
        device_table_discover(&(VENDOR), pmus->root, state);                                                 \
    }

/* The events of rows. */
#define DEVICE_LEVEL(NAME, DESCRIPTION, UNIT)                                                                \
    {                                                                                                        \
        .name = NAME, .description = DESCRIPTION, .unit = UNIT, .level = true                                \
    }
#define DEVICE_COUNTER(NAME, DESCRIPTION, UNIT)                                                              \
    {                                                                                                        \
        .name = NAME, .description = DESCRIPTION, .unit = UNIT                                               \
    }
#define DEVICE_LIMIT(NAME, DESCRIPTION, UNIT)                                                                \
    {                                                                                                        \
        .name = NAME, .description = DESCRIPTION, .unit = UNIT, .level = true, .writable = true              \
    }

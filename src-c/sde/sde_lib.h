/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Software-defined events: how a library shows its own numbers to those who measure. What is registered here
 * as "event" of the library "name" is counted by PAPI as sde:::name::event. Link with -lsde; libpapi is not
 * needed. Functions return SDE_OK or a code below. A NULL handle is that of a library without events: calls
 * with one do nothing, and return SDE_OK. All functions may be called from any thread.
 */
#ifndef PAPI_SDE_LIB_H
#define PAPI_SDE_LIB_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define PAPI_SDE_VERSION_NUMBER(major, minor) (((major) << 16) | (minor))
#define PAPI_SDE_VERSION PAPI_SDE_VERSION_NUMBER(1, 0)

/* A mode is one of each pair, added. PAPI_write sets instants that are RW. The value of a DELTA is what it
 * grew by since PAPI_start, that of an INSTANT is what it is now. */
#define PAPI_SDE_RO 0x00
#define PAPI_SDE_RW 0x01
#define PAPI_SDE_DELTA 0x00
#define PAPI_SDE_INSTANT 0x10

/* Types of a counter's variable. PAPI shows the last two as the bits of a double: GET_DOUBLE_SDE. */
#define PAPI_SDE_long_long 0x0
#define PAPI_SDE_int 0x1
#define PAPI_SDE_double 0x2
#define PAPI_SDE_float 0x3

/* Operations on a group's counters. */
#define PAPI_SDE_SUM 0x0
#define PAPI_SDE_MAX 0x1
#define PAPI_SDE_MIN 0x2

/* The same as PAPI_OK, PAPI_EINVAL, ... */
#define SDE_OK 0
#define SDE_EINVAL -1
#define SDE_ENOMEM -2
#define SDE_ECMP -4
#define SDE_ENOEVNT -7

static inline double papi_sde_double(long long int value)
{
    union {
        long long int bits;
        double number;
    } of;
    of.bits = value;
    return of.number;
}
#define GET_DOUBLE_SDE(value) papi_sde_double(value)
#define GET_FLOAT_SDE(value) ((float)papi_sde_double(value))
/* The values of a recorder, and one of its quantiles, are addresses of elements of the recorder's type. */
#define GET_SDE_RECORDER_ADDRESS(value, type) ((type *)(uintptr_t)(value))

/* Other names of the same functions. */
#define papi_sde_register_fp_counter papi_sde_register_counter_cb
#define papi_sde_destroy_counter papi_sde_unregister_counter
#define papi_sde_destroy_counting_set papi_sde_unregister_counter
#define register_fp_counter register_counter_cb
#define destroy_counter unregister_counter
#define destroy_counting_set unregister_counter

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

typedef void *papi_handle_t;
typedef long long int (*papi_sde_fptr_t)(void *);
typedef int (*papi_sde_cmpr_fptr_t)(void *);

/* The value of a counting set is the address of such a list: one for each different element. It is libsde's,
 * and stays as it is until the set has been read eight times more with changes in between. */
typedef struct cset_list_object_s cset_list_object_t;
struct cset_list_object_s {
    uint32_t count;   /* times inserted, less times removed */
    uint32_t type_id; /* as the library gave it */
    size_t type_size;
    void *ptr; /* the element */
    cset_list_object_t *next;
};

/* The handle of a library, which is the same for the same name. NULL: there is no memory, or no name. */
papi_handle_t papi_sde_init(const char *name_of_library);

/* Unregisters all events of the library. */
int papi_sde_shutdown(papi_handle_t handle);

/* True if its created counters, recorders and sets take anything in; at first they do. */
int papi_sde_enable(papi_handle_t handle);
int papi_sde_disable(papi_handle_t handle);

/* Shows a variable. It must exist until it is unregistered; a shared library that has it in its own data
 * stays in memory from then on. An event that is registered again is the new variable's. SDE_EINVAL,
 * SDE_ENOMEM; SDE_ECMP: the mode cannot be with this type, or the name is that of an event of another kind.
 */
int papi_sde_register_counter(papi_handle_t handle, const char *event_name, int cntr_mode, int cntr_type,
                              void *counter);

/* The value is what the function returns for param: for double and float its bits, as PAPI_SDE_double. It is
 * called in the thread that reads, must be able to run in several at once, and must not wait for a thread
 * that unregisters. */
int papi_sde_register_counter_cb(papi_handle_t handle, const char *event_name, int cntr_mode, int cntr_type,
                                 papi_sde_fptr_t callback, void *param);

/* After the return nothing looks at the variable any more; event sets show its last value. It also ends
 * created counters, groups, and recorders and sets with what they hold. SDE_EINVAL: there is no such event.
 */
int papi_sde_unregister_counter(papi_handle_t handle, const char *event_name);

/* A sentence that tools show. SDE_EINVAL: there is no such event. */
int papi_sde_describe_counter(papi_handle_t handle, const char *event_name, const char *event_description);

/* A counter of libsde's own, which many threads may add to. */
int papi_sde_create_counter(papi_handle_t handle, const char *event_name, int cntr_mode, void **cntr_handle);
int papi_sde_inc_counter(void *cntr_handle, long long int increment);
int papi_sde_reset_counter(void *cntr_handle);

/* The handle of a counter, recorder or set; NULL: there is no such event. */
void *papi_sde_get_counter_handle(papi_handle_t handle, const char *event_name);

/* An event of its own that is the sum, the greatest or the least of its members: of integers alone or of real
 * numbers alone. A group may be a member. SDE_EINVAL: there is no such event, the group is of another kind,
 * or would be in itself. */
int papi_sde_add_counter_to_group(papi_handle_t handle, const char *event_name, const char *group_name,
                                  uint32_t group_flags);

/* Keeps all that is recorded. Events: event_name, the address of a copy of all elements in the order of their
 * recording, which the reader frees; event_name:CNT, how many; and, with a function that compares as that of
 * qsort does, the addresses of the elements :MIN, :Q1, :MED, :Q3, :MAX, which are not to be freed: what is
 * there stays until the recorder is reset or unregistered. Addresses are 0 as long as nothing is recorded. A
 * signal's handler may read, and the function be called there, so nothing is allocated in a reading: after 16
 * readings of all elements without anything recorded in between, the address is 0. */
int papi_sde_create_recorder(papi_handle_t handle, const char *event_name, size_t typesize,
                             int (*cmpr_func_ptr)(const void *p1, const void *p2), void **record_handle);
int papi_sde_record(void *record_handle, size_t typesize, const void *value);
int papi_sde_reset_recorder(void *record_handle);

/* Counts how often each element is in the set. Elements are the same if their first hashable_size bytes and
 * type_id are. */
int papi_sde_create_counting_set(papi_handle_t handle, const char *cset_name, void **cset_handle);
int papi_sde_counting_set_insert(void *cset_handle, size_t element_size, size_t hashable_size,
                                 const void *element, uint32_t type_id);
int papi_sde_counting_set_remove(void *cset_handle, size_t hashable_size, const void *element,
                                 uint32_t type_id);

/* For recorders. */
int papi_sde_compare_long_long(const void *p1, const void *p2);
int papi_sde_compare_int(const void *p1, const void *p2);
int papi_sde_compare_double(const void *p1, const void *p2);
int papi_sde_compare_float(const void *p1, const void *p2);

typedef struct papi_sde_fptr_struct_s {
    papi_handle_t (*init)(const char *lib_name);
    int (*shutdown)(papi_handle_t handle);
    int (*register_counter)(papi_handle_t handle, const char *event_name, int mode, int type, void *counter);
    int (*register_counter_cb)(papi_handle_t handle, const char *event_name, int mode, int type,
                               papi_sde_fptr_t callback, void *param);
    int (*unregister_counter)(papi_handle_t handle, const char *event_name);
    int (*describe_counter)(papi_handle_t handle, const char *event_name, const char *event_description);
    int (*add_counter_to_group)(papi_handle_t handle, const char *event_name, const char *group_name,
                                uint32_t group_flags);
    int (*create_counter)(papi_handle_t handle, const char *event_name, int cntr_type, void **cntr_handle);
    int (*inc_counter)(papi_handle_t cntr_handle, long long int increment);
    int (*create_recorder)(papi_handle_t handle, const char *event_name, size_t typesize,
                           int (*cmpr_func_ptr)(const void *p1, const void *p2), void **record_handle);
    int (*create_counting_set)(papi_handle_t handle, const char *cset_name, void **cset_handle);
    int (*counting_set_insert)(void *cset_handle, size_t element_size, size_t hashable_size,
                               const void *element, uint32_t type_id);
    int (*counting_set_remove)(void *cset_handle, size_t hashable_size, const void *element,
                               uint32_t type_id);
    int (*record)(void *record_handle, size_t typesize, const void *value);
    int (*reset_recorder)(void *record_handle);
    int (*reset_counter)(void *cntr_handle);
    void *(*get_counter_handle)(papi_handle_t handle, const char *event_name);
} papi_sde_fptr_struct_t;

/* A library may define this, for tools that list its events without running it (papi_native_avail --sde): it
 * registers its events by these functions and returns the handle. */
papi_handle_t papi_sde_hook_list_events(papi_sde_fptr_struct_t *fptr_struct);

#define POPULATE_SDE_FPTR_STRUCT(s)                                                                          \
    do {                                                                                                     \
        (s).init = papi_sde_init;                                                                            \
        (s).shutdown = papi_sde_shutdown;                                                                    \
        (s).register_counter = papi_sde_register_counter;                                                    \
        (s).register_counter_cb = papi_sde_register_counter_cb;                                              \
        (s).unregister_counter = papi_sde_unregister_counter;                                                \
        (s).describe_counter = papi_sde_describe_counter;                                                    \
        (s).add_counter_to_group = papi_sde_add_counter_to_group;                                            \
        (s).create_counter = papi_sde_create_counter;                                                        \
        (s).inc_counter = papi_sde_inc_counter;                                                              \
        (s).create_recorder = papi_sde_create_recorder;                                                      \
        (s).create_counting_set = papi_sde_create_counting_set;                                              \
        (s).counting_set_insert = papi_sde_counting_set_insert;                                              \
        (s).counting_set_remove = papi_sde_counting_set_remove;                                              \
        (s).record = papi_sde_record;                                                                        \
        (s).reset_recorder = papi_sde_reset_recorder;                                                        \
        (s).reset_counter = papi_sde_reset_counter;                                                          \
        (s).get_counter_handle = papi_sde_get_counter_handle;                                                \
    } while (0)

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif

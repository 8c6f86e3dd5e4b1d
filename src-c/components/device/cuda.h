/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "components/component.h"
#include "components/device/cupti.h"
#include "components/device/device_session.h"

/* The parts of the component cuda, NVIDIA's counters by CUPTI's range profiler. Signals are held in all calls
 * of the libraries. */

enum { CUDA_DEVICES = 32, CUDA_NAME = 256 };

/* ---- names (cuda_names.c) */

/* An event of the component, as it is in config. */
struct cuda_event {
    uint32_t devices;   /* the bits of the devices that have it */
    uint8_t statistics; /* the bits of those that it has */
    uint8_t base;       /* characters of the metric's name before its submetric */
    uint8_t device;     /* the chosen ones: the first, where the name has no qualifiers */
    uint8_t statistic : 4;
    uint8_t real : 1;    /* the value is a double */
    uint8_t of_peak : 1; /* a throughput without its submetric, which stands for that of the elapsed time */
};

/* Statistics, in the order in which CUPTI lists them. */
enum { CUDA_AVG, CUDA_MAX, CUDA_MAX_RATE, CUDA_MIN, CUDA_PCT, CUDA_RATIO, CUDA_SUM, CUDA_STATISTICS };
extern const char *const cuda_statistic[CUDA_STATISTICS];

#define CUDA_OF_PEAK ".pct_of_peak_sustained_elapsed"

struct cuda_event cuda_event(const struct component_event *event);
uint64_t cuda_config(struct cuda_event event);

/* CUPTI's name of an event: "dram__bytes.sum.per_second" of "dram__bytes.per_second:stat=sum". */
void cuda_metric(const struct component_event *event, char metric[CUDA_NAME]);

/* True if the value is a count that grows: a sum without a submetric. Others are levels, computed of the time
 * since the start. */
bool cuda_is_count(struct cuda_event event, const char *name);

extern const struct component_variants cuda_variants;

/* ---- libraries and devices (cuda_libraries.c) */

struct cuda_device {
    int number;
    char chip[16], name[64];
    struct reason cannot; /* PAPI_OK: it can count, as far as could be told without a context */
    struct reason trial;  /* the answer of the trial in a context */
    bool tried;
    size_t availability_size;
    uint8_t *availability; /* of its counters; NULL: not known yet */
    void *host;            /* for questions about metrics, under the library's lock */
};

struct cuda {
    struct device_owners owners;
    void *driver_library, *cupti_library; /* stay loaded: CUPTI has hooks in the driver */
    struct cuda_driver driver;
    struct cupti cupti;
    struct reason cannot; /* none of the devices can count; PAPI_OK: one can */
    int n_devices;
    struct cuda_device device[CUDA_DEVICES];
};

/* Opens the libraries and looks at the devices, or at the chip of PAPI_CUDA_CHIP. PAPI_ENOSUPP: there is
 * nothing to list, with the reason; PAPI_ENOMEM, PAPI_ESYS. */
int cuda_open(const char *root, struct cuda **out, struct reason *why);
void cuda_close(void *opened);

/* Sets the reason of an error of CUPTI's or of the driver's, and returns its code. */
int cuda_failed(const struct cuda *cuda, int result, const char *what, struct reason *why);
int cuda_driver_failed(const struct cuda *cuda, int result, const char *what, struct reason *why);

/* ---- metrics (cuda_metrics.c) */

/* Appends the events of all devices' chips. */
int cuda_list(struct cuda *cuda, struct event_list *list, struct reason *why);

/* CUPTI's words on an event, which stay as long as the library. */
int cuda_properties(const struct component_event *event, struct cupti_properties *properties,
                    struct reason *why);

/* A configuration: a device's events that are counted together. */
struct cuda_config {
    void *host; /* evaluates what was counted */
    size_t size, passes;
    uint8_t *image;
    int n;
    char *metric[MAX_COUNTERS];
};

/* Has CUPTI assign metrics to passes. PAPI_ECNFLCT: they cannot be combined. */
int cuda_configure(struct cuda *cuda, int device, const struct component_event *const *event, int n,
                   struct cuda_config *config, struct reason *why);
void cuda_unconfigure(struct cuda *cuda, struct cuda_config *config);

/* PAPI_EMULPASS: it takes more than one pass. */
int cuda_check_passes(const struct cuda_config *config, const char *what, struct reason *why);

/* ---- counting on one device (cuda_session.c) */

struct cuda_session {
    struct cuda *cuda;
    struct cuda_device *device;
    struct cuda_config config;
    void *context, *object;
    bool retained, ranging;
    uint8_t *data;
    size_t data_size;
    double since, seconds;      /* when the range began, and how long the last one took */
    double value[MAX_COUNTERS]; /* of the last range */
};

/* Enables CUPTI in the calling thread's current context, where that is on the device, or else in the primary
 * one. session->data stays NULL where there is no configuration (a trial). */
int cuda_session_open(struct cuda_session *session, struct reason *why);
int cuda_session_begin(struct cuda_session *session, struct reason *why);
/* Waits for the device, and evaluates the range. */
int cuda_session_end(struct cuda_session *session, struct reason *why);
void cuda_session_close(struct cuda_session *session);

/* Tries once whether a device counts for this process. */
int cuda_try(struct cuda *cuda, int device, struct reason *why);

/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "components/device/cupti.h"
#include "components/device/device_units.h"
#include "components/device/device_words.h"

/* The parts of the component cuda, NVIDIA's counters by CUPTI's range profiler. Signals are held in all calls
 * of the libraries. */

enum { CUDA_NAME = 256 };

/* ---- names (cuda.c) */

/* Statistics, in the order in which CUPTI lists them. */
extern const struct device_words cuda_words;

/* ---- libraries and devices (cuda_libraries.c) */

struct cuda_device {
    int number;
    uint8_t *availability; /* of its counters; NULL: not known yet */
    void *host;            /* for questions about metrics, under the library's lock */
};

/* The libraries stay loaded: CUPTI has hooks in the driver. */
struct cuda {
    struct device_units units;
    struct cuda_driver driver;
    struct cupti cupti;
    struct cuda_device device[DEVICES_WITH_WORDS];
};

/* For struct device_maker: open the libraries, for the devices that are here or for the chip of
 * PAPI_CUDA_CHIP, and look at one. PAPI_ENOSUPP; PAPI_ENOMEM, PAPI_ESYS. */
int cuda_open(struct device_units *units, const char *root, struct reason *why);
int cuda_look(struct device_units *units, int i, struct reason *why);
void cuda_close(struct device_units *units);

/* Opens an object by which metrics of the device's chip are asked for; NULL where it fails. */
int cuda_open_host(const struct cuda *cuda, int device, const char *what, void **host, struct reason *why);
void cuda_close_host(const struct cuda *cuda, void *host);

/* Set the reason of an error of CUPTI's or of the driver's, and return its code; PAPI_OK for no error. */
int cuda_result(const struct cuda *cuda, int result, const char *what, struct reason *why);
int cuda_driver_result(const struct cuda *cuda, int result, const char *what, struct reason *why);

/* ---- metrics (cuda_metrics.c) */

/* For struct device_words. */
int cuda_names(const struct device_units *units, int device, struct device_chips *chips, struct reason *why);
int cuda_forms(const struct device_units *units, const struct device_chip_name *base,
               struct device_forms *forms, struct reason *why);
int cuda_properties(const struct component_event *event, const char **description, const char **unit,
                    struct reason *why);
int cuda_passes(const struct component_event *event, size_t *passes, struct reason *why);

/* A configuration: a device's events that are counted together. */
struct cuda_config {
    void *host; /* evaluates what was counted */
    size_t size, passes;
    uint8_t *image;
    int n;
    const char *name[MAX_COUNTERS];
    char metric[MAX_COUNTERS][CUDA_NAME];
};

/* Has CUPTI assign metrics to passes. PAPI_ECNFLCT: they cannot be combined. */
int cuda_configure(struct cuda *cuda, int device, const struct component_event *const *event, int n,
                   struct cuda_config *config, struct reason *why);
void cuda_unconfigure(const struct cuda *cuda, struct cuda_config *config);

/* ---- counting (cuda_counting.c) */

extern const struct device_counting cuda_counting;

/* For struct device_maker, too. */
int cuda_try(struct device_plan *plan, struct reason *why);

/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/* Graphics devices and accelerators, as the kernel shows them: it needs no vendor's library. */

enum { GPU_OF_NVIDIA = 0x10de, GPU_OF_AMD = 0x1002, GPU_OF_INTEL = 0x8086 };

struct gpu {
    char address[32];          /* "0000:3b:00.0" */
    unsigned vendor, device;   /* numbers of PCI */
    char driver[64];           /* "": none is bound */
    char version[64];          /* of the driver; "": it shows none */
    char model[128];           /* "": the driver shows none */
    unsigned long long memory; /* bytes; 0: the driver shows none */
    int numa_node;             /* -1: the kernel knows none */
    char cpus[256];            /* near it: "0-15,32-47" */
    char node[64];             /* the file by which programs reach it: "/dev/dri/renderD128"; "": none */
};

/* Finds the devices of these three vendors, by address, into an array that the caller frees. Their number; -1
 * with errno. */
int gpus_find(const char *root, struct gpu **gpus);

/* 1 if there is a device of a vendor, 0 if there is none; -1 with errno. */
int gpus_there(const char *root, unsigned vendor);

/* "NVIDIA", "AMD" or "Intel". */
const char *gpu_vendor(const struct gpu *gpu);

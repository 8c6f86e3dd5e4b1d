/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "formats/sampled_access.h"

#include <stdbool.h>

/* Packets that Arm's Statistical Profiling Extension (SPE) writes into a buffer of the kernel, one record of
 * packets for each sample. A reader of bytes alone. */

struct spe_packets {
    const uint8_t *next, *end;
    bool sources; /* the numbers of data sources are those of Arm's Neoverse cores; otherwise not looked at */
    uint64_t lost; /* records that are not whole, or not understood */
};

struct spe_sample {
    struct sampled_access access;
    uint64_t time; /* in ticks of the system's counter; 0: no packet has it */
    uint32_t tid;  /* the same */
    bool kernel;   /* the instruction is not of level 0 */
};

/* Reads the next access. False: there is none. */
bool spe_next(struct spe_packets *packets, struct spe_sample *sample);

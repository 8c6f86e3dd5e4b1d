/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "formats/data_source.h"

#include <stdint.h>

/* An access to memory that a processor sampled, as its own records say it. */

enum { LATENCY_UNKNOWN = -1 };

struct sampled_access {
    uint64_t ip, address;      /* of the instruction, and of its data; 0: not known */
    int32_t latency;           /* cycles, or LATENCY_UNKNOWN */
    struct data_source source; /* neither load, nor store, nor execution: it is no access */
};

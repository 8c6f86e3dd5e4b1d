/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PAPI_MPI_USAGE_H
#define PAPI_MPI_USAGE_H

#include <stdint.h>

/* What the kernel accounts for a process: places in rank_record.usage and used. */
enum usage {
    USAGE_CPU_USER,   /* nanoseconds, of all threads */
    USAGE_CPU_SYSTEM, /* the same */
    USAGE_MINOR_FAULTS,
    USAGE_MAJOR_FAULTS,
    USAGE_VOLUNTARY_SWITCHES,
    USAGE_INVOLUNTARY_SWITCHES,
    USAGE_PEAK_MEMORY, /* bytes; in used too the peak since the program began, which is no difference */
    USAGE_COUNT
};

/* The figures now. */
void usage_read(uint64_t *usage);

/* used: from begin until now. */
void usage_since(const uint64_t *begin, uint64_t *used);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "formats/sampled_access.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Accesses to memory that a processor sampled, with address, latency and where the data was. The reader is a
 * function of bytes alone: of the kernel's records of Intel's PEBS and AMD's IBS. */

struct memory_sample {
    uint64_t ip, address; /* of the instruction, and of its data */
    uint64_t time, id, period;
    uint32_t pid, tid;
    int32_t latency; /* cycles, or LATENCY_UNKNOWN */
    enum memory_level level;
    enum memory_tlb tlb;
    bool store;
};

/* ---- records of the kernel */

enum memory_record {
    MEMORY_MALFORMED, /* shorter than its type says */
    MEMORY_NO_ACCESS, /* of an instruction without data, or of data whose address is not known */
    MEMORY_ACCESS
};

/* Reads what follows the header of a PERF_RECORD_SAMPLE with the sample_type type. AMD's own registers,
 * PERF_SAMPLE_RAW of an event of the PMU ibs_op, are taken before PERF_SAMPLE_DATA_SRC, which old kernels do
 * not fill in there.
 *   ibs  the event is one of that PMU */
enum memory_record memory_sample_read(const void *bytes, size_t size, uint64_t type, bool ibs,
                                      struct memory_sample *sample);

/* ---- names */

/* As programs have them ("local_memory") and people ("memory"). */
extern const char *const memory_level_keys[MEMORY_LEVELS], *const memory_level_names[MEMORY_LEVELS];

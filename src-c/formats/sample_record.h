/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Samples as the kernel writes them: what follows the header of a PERF_RECORD_SAMPLE, in the order that
 * linux/perf_event.h describes. A reader of bytes alone, for buffers and for files that others wrote. */

/* Fields that a record has: the members of the struct perf_event_attr with which its event was opened. */
struct sample_layout {
    uint64_t type;     /* PERF_SAMPLE_* */
    uint64_t branches; /* PERF_SAMPLE_BRANCH_* */
    uint64_t counts;   /* PERF_FORMAT_*, for PERF_SAMPLE_READ */
    uint64_t user_registers, interrupt_registers;
};

struct sample_layout sample_layout_of(const struct perf_event_attr *attr);

/* A part of the record, which lies in the bytes that were read: n elements. */
struct sample_part {
    const uint8_t *at;
    uint64_t n;
};

enum { SAMPLE_NO_CPU = -1 };

/* Fields that a record has not are 0, or as is said. */
struct sample_record {
    uint64_t id, stream, ip, time, address, period;
    uint32_t pid, tid;
    int32_t cpu; /* or SAMPLE_NO_CPU */
    /* The hardware's weight of the sample: what it means depends on the event. For Intel's loads it is the
     * latency in cycles from the load's issue. In PERF_SAMPLE_WEIGHT_STRUCT two more numbers come with it. */
    uint64_t weight;
    uint16_t second_weight, third_weight;
    bool has_source; /* PERF_SAMPLE_DATA_SRC, which data_source.h reads */
    uint64_t source;
    uint64_t transaction, physical, cgroup, data_page, code_page;
    struct sample_part callers;                /* 64-bit words, with PERF_CONTEXT_* between them */
    struct sample_part raw, stack, aux;        /* bytes */
    uint64_t stack_used;                       /* of the bytes of the stack */
    struct sample_part counts;                 /* 64-bit words of PERF_SAMPLE_READ */
    struct sample_part registers, interrupted; /* 64-bit words, of the layout's registers in turn */
    uint64_t registers_abi, interrupted_abi;
    struct sample_part branches; /* read by sample_branch, the latest first */
    uint64_t branches_place;     /* of the latest in the hardware's stack; UINT64_MAX: not known */
};

/* Reads the size bytes behind a record's header. False: the record ends before what it says it has, or it has
 * fields that are not known, behind which nothing can be found. */
bool sample_record_read(const void *bytes, size_t size, const struct sample_layout *layout,
                        struct sample_record *record);

/* The word of a number in a part of words. */
uint64_t sample_word(const struct sample_part *part, uint64_t number);

/* A branch that was taken. */
struct sample_branch {
    uint64_t from, to;
    bool mispredicted, predicted; /* neither: it is not known */
    bool in_transaction, aborted;
    uint16_t cycles;    /* since the branch before it; 0: not known */
    uint8_t type;       /* PERF_BR_*, and from 16 on PERF_BR_NEW_* + 16 */
    uint8_t speculated; /* PERF_BR_SPEC_* */
    uint8_t privilege;  /* PERF_BR_PRIV_* */
};

/* The branch of a number below record->branches.n. */
struct sample_branch sample_branch(const struct sample_record *record, uint64_t number);

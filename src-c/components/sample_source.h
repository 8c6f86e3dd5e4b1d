/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/reason.h"
#include "formats/sample_record.h"
#include "formats/sampled_access.h"

#include <stdbool.h>
#include <stdint.h>

/* Samples of one event of the calling thread, which wait in a buffer until they are taken. */

struct sample_request {
    uint64_t period;
    int domain, precise; /* as in group_options */
    bool branches;       /* with the branches that were taken before */
    bool signal;         /* each sends OVERFLOW_SIGNAL */
};

struct sample_source {
    const struct sample_source_ops *ops;
};

/* A sample: the kernel's record, what it accessed, and what its header says. */
struct taken_sample {
    struct sample_record record;
    struct sampled_access access;
    bool exact, kernel; /* the address is that of the instruction; the instruction is the kernel's */
};

struct sample_source_ops {
    /* Begins anew: what waits is dropped. */
    int (*start)(struct sample_source *source, struct reason *why);
    int (*stop)(struct sample_source *source, struct reason *why);

    /* The sample that waits first, which lies in the buffer until done takes it out. false: none waits.
     * Async-signal-safe, as done is. */
    bool (*first)(struct sample_source *source, struct taken_sample *sample);
    void (*done)(struct sample_source *source);

    /* Samples since the start for which there was no room. more: there are some of which the kernel has not
     * said how many; throttled: times that the kernel stopped the event, whose samples are missing then. */
    uint64_t (*lost)(const struct sample_source *source, bool *more, uint64_t *throttled);

    void (*silence)(const struct sample_source *source); /* async-signal-safe */
    void (*destroy)(struct sample_source *source);
    void (*abandon)(struct sample_source *source); /* in the child of a fork */
};

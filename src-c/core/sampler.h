/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/reason.h"
#include "components/sample_source.h"
#include "papi.h"

/* Samplers: samples of an event of the calling thread with what the kernel says of each. A sampler is its
 * thread's, as event sets are: no lock is taken, another thread's shutdown closes it, and the thread sweeps
 * it.
 */
struct sampler {
    int id;
    struct sampler *next;
    struct sample_source *source;
    const struct component *component;
    const struct native_event *native;
    struct sample_request request;
    PAPI_sample_handler_t handler; /* NULL: samples are read */
    bool running, lost;            /* lost: by a fork */
    _Atomic int closed;
    volatile int inside;              /* the handler runs */
    uint64_t last_at, last_registers; /* where the last signal interrupted the program */
    int stuck;                        /* signals in a row that have not let it get on */
    PAPI_branch_t *branch;
    int n_branches; /* of the samples that were read last */
};

struct papi_thread;

/* Makes a sampler of a native event. The library is locked. PAPI_EINVAL, PAPI_ENOEVNT, PAPI_ENOSUPP,
 * PAPI_ENOMEM, PAPI_ESYS, PAPI_EPERM, ... */
int sampler_open(const char *event, long long period, int flags, int *id, struct reason *why);

/* The calling thread's sampler of a number. PAPI_EINVAL: it has none; PAPI_ECLOST: it was made before a fork.
 */
int sampler_find(int id, struct sampler **sampler, struct reason *why);

/* Has a handler called for each sample, or (NULL) samples wait until they are read. The library is locked. */
int sampler_handle(struct sampler *sampler, PAPI_sample_handler_t handler, struct reason *why);

int sampler_start(struct sampler *sampler, struct reason *why);
int sampler_stop(struct sampler *sampler, struct reason *why);

/* Takes samples that wait, *n at most. */
int sampler_read(struct sampler *sampler, PAPI_sample_t *samples, int *n, struct reason *why);

/* Destroys a sampler. The library is locked. PAPI_EISRUN: its handler runs. */
int sampler_close(struct sampler *sampler, struct reason *why);

/* Destroys the calling thread's sampler of a number, which a fork has lost. The library is locked. */
void samplers_drop_lost(int id);

/* ---- for threads; overflow_signal delivers */

void samplers_deliver(struct papi_thread *thread, void *context);
void samplers_close(struct papi_thread *thread);           /* async-signal-safe; any thread's */
void samplers_sweep(struct papi_thread *thread, bool all); /* destroys closed ones, or all */
void samplers_lose(struct papi_thread *thread);            /* in the child of a fork */

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Samplers, from the component's records to the program's structures.
 *
 * Without a handler nothing interrupts the program: samples wait in the component's buffer until it reads
 * them, and those that find no room are counted. With one, each sample sends the signal of overflows.
 */
#include "core/sampler.h"
#include "core/library.h"
#include "core/overflow.h"
#include "core/resolve.h"
#include "core/thread.h"
#include "hardware/signal_context.h"

#include <linux/perf_event.h>
#include <stdatomic.h>
#include <stdlib.h>

/* The numbers of papi.h are the reader's. */
_Static_assert(PAPI_SAMPLE_L1 == MEMORY_L1 && PAPI_SAMPLE_DEVICE == MEMORY_DEVICE &&
                   PAPI_SAMPLE_LOCAL_MEMORY == MEMORY_LOCAL && PAPI_SAMPLE_REMOTE_MEMORY == MEMORY_REMOTE &&
                   PAPI_SAMPLE_OTHER_CACHE == MEMORY_OTHER_CACHE,
               "levels");
_Static_assert(PAPI_SAMPLE_TLB_FIRST == TLB_FIRST && PAPI_SAMPLE_TLB_WALK == TLB_WALK, "TLB");
_Static_assert(LATENCY_UNKNOWN == -1, "latency");
_Static_assert(PAPI_SAMPLE_SNOOP_NONE == SNOOP_NONE && PAPI_SAMPLE_SNOOP_MODIFIED == SNOOP_MODIFIED, "snoop");

enum { BRANCH_ROOM = 32768, MOST_STUCK = 100 /* signals without progress */ };

/* ---- records */

static int flag(bool set, int flag)
{
    return set ? flag : 0;
}

static void put_source(struct data_source source, PAPI_sample_t *sample)
{
    sample->access = flag(source.load, PAPI_SAMPLE_LOAD) | flag(source.store, PAPI_SAMPLE_STORE) |
                     flag(source.prefetch, PAPI_SAMPLE_PREFETCH) |
                     flag(source.execution, PAPI_SAMPLE_EXECUTION);
    sample->level = (int)source.level;
    sample->tlb = (int)source.tlb;
    sample->snoop = (int)source.snoop;
    sample->hops = (int)source.hops;
    sample->flags |= flag(source.remote, PAPI_SAMPLE_REMOTE) | flag(source.forwarded, PAPI_SAMPLE_FORWARDED) |
                     flag(source.locked, PAPI_SAMPLE_LOCKED) |
                     flag(source.waited_data || source.waited_address, PAPI_SAMPLE_BLOCKED);
}

static void put_sample(const struct taken_sample *taken, long long period, PAPI_sample_t *sample)
{
    const struct sample_record *record = &taken->record;
    *sample = (PAPI_sample_t){.time = (long long)record->time,
                              .instruction = (long long)taken->access.ip,
                              .address = (long long)taken->access.address,
                              .period = period,
                              .latency = taken->access.latency,
                              .process = (int)record->pid,
                              .thread = (int)record->tid,
                              .cpu = record->cpu};
    sample->flags = flag(taken->exact, PAPI_SAMPLE_EXACT) | flag(taken->kernel, PAPI_SAMPLE_KERNEL);
    put_source(taken->access.source, sample);
}

static void put_branch(const struct sample_branch *from, PAPI_branch_t *to)
{
    *to = (PAPI_branch_t){
        .from = (long long)from->from, .to = (long long)from->to, .cycles = from->cycles, .type = from->type};
    to->flags =
        flag(from->mispredicted, PAPI_BRANCH_MISPREDICTED) | flag(from->predicted, PAPI_BRANCH_PREDICTED) |
        flag(from->in_transaction, PAPI_BRANCH_IN_TRANSACTION) | flag(from->aborted, PAPI_BRANCH_ABORTED);
}

/* Puts a sample's branches behind those of before. false: there is no room. */
static bool put_branches(struct sampler *sampler, const struct sample_record *record, PAPI_sample_t *sample)
{
    uint64_t n = sampler->branch != NULL ? record->branches.n : 0;
    if (n > (uint64_t)(BRANCH_ROOM - sampler->n_branches))
        return false;
    sample->first_branch = sampler->n_branches;
    sample->branches = (int)n;
    for (uint64_t i = 0; i < n; i++) {
        const struct sample_branch branch = sample_branch(record, i);
        put_branch(&branch, &sampler->branch[sampler->n_branches++]);
    }
    return true;
}

static bool take(struct sampler *sampler, PAPI_sample_t *sample)
{
    struct taken_sample taken;
    if (!sampler->source->ops->first(sampler->source, &taken))
        return false;
    put_sample(&taken, (long long)sampler->request.period, sample);
    if (!put_branches(sampler, &taken.record, sample))
        return false;
    sampler->source->ops->done(sampler->source);
    return true;
}

int sampler_read(struct sampler *sampler, PAPI_sample_t *samples, int *n, struct reason *why)
{
    int room = *n, taken = 0;
    if (sampler->handler != NULL)
        return reason_set(why, PAPI_EINVAL, "the samples of sampler %d go to its handler", sampler->id);
    sampler->n_branches = 0;
    while (taken < room && take(sampler, &samples[taken]))
        taken++;
    *n = taken;
    return PAPI_OK;
}

/* ---- open and close */

static int open_source(struct sampler *sampler, struct reason *why)
{
    sampler->request.signal = sampler->handler != NULL;
    return sampler->component->open_samples(papi_library.root, &sampler->native->encoding, &sampler->request,
                                            &sampler->source, why);
}

/* The one native event of a name. That it does not count is no reason: the samples of some PMUs are all that
 * they have. */
static int find_native(const char *name, struct resolved_event *resolved, struct reason *why)
{
    struct named_event event;
    int code = event_by_name(name, &event, why) ?: resolve_named(&event, resolved, why);
    if (code != PAPI_OK)
        return code;
    if (resolved->n_natives != 1 || resolved->derivation == DERIVED_POSTFIX)
        return reason_set(
            why, PAPI_EINVAL,
            "%.100s is derived from several events, and samples are of one: papi_avail -e shows them", name);
    int component = resolved_component(resolved, 0);
    code = component_usable(component, why) ?: native_counts(resolved->native[0], why);
    if (code != PAPI_OK && (code != PAPI_ENOEVNT || components[component]->open_samples == NULL))
        return resolved_advise(resolved, code, why);
    if (components[component]->open_samples == NULL)
        return reason_set(
            why, PAPI_ENOSUPP,
            "component %s gives no samples: those are of the kernel's counters (perf_event), such as "
            "perf::PAGE-FAULTS",
            components[component]->name);
    return PAPI_OK;
}

/* Gives the reason that the event does not count before what its samples lack. */
static int not_opened(const struct resolved_event *resolved, int code, struct reason *why)
{
    int counts = code == PAPI_ENOEVNT ? native_counts(resolved->native[0], why) : PAPI_OK;
    return counts == PAPI_OK ? code : resolved_advise(resolved, counts, why);
}

static void destroy(struct sampler *sampler)
{
    if (sampler->source != NULL)
        sampler->source->ops->destroy(sampler->source);
    if (sampler->handler != NULL)
        atomic_fetch_sub(&papi_library.overflows, 1);
    free(sampler->branch);
    free(sampler);
}

int sampler_open(const char *event, long long period, int flags, int *id, struct reason *why)
{
    struct resolved_event resolved;
    struct papi_thread *self = thread_self();
    if (period < 1)
        return reason_set(why, PAPI_EINVAL, "a period of %lld: samples come every so many events", period);
    if ((flags & ~PAPI_SAMPLE_WITH_BRANCHES) != 0)
        return reason_set(why, PAPI_EINVAL, "0x%x has flags that are none of samples", (unsigned)flags);
    int code = find_native(event, &resolved, why);
    if (code != PAPI_OK)
        return code;
    struct sampler *sampler = calloc(1, sizeof *sampler);
    bool branches = (flags & PAPI_SAMPLE_WITH_BRANCHES) != 0;
    if (sampler != NULL && branches)
        sampler->branch = calloc(BRANCH_ROOM, sizeof *sampler->branch);
    if (sampler == NULL || (branches && sampler->branch == NULL)) {
        free(sampler);
        return reason_set(why, PAPI_ENOMEM, "out of memory");
    }
    sampler->native = resolved.native[0];
    sampler->component = components[sampler->native->encoding.component];
    sampler->request = (struct sample_request){
        .period = (uint64_t)period, .domain = papi_library.default_domain, .branches = branches};
    code = open_source(sampler, why);
    if (code != PAPI_OK) {
        destroy(sampler);
        return not_opened(&resolved, code, why);
    }
    *id = sampler->id = ++papi_library.last_sampler;
    sampler->next = self->samplers;
    atomic_signal_fence(memory_order_seq_cst);
    self->samplers = sampler;
    return PAPI_OK;
}

int sampler_find(int id, struct sampler **found, struct reason *why)
{
    struct sampler *sampler = thread_self()->samplers;
    while (sampler != NULL && (sampler->id != id || sampler->closed))
        sampler = sampler->next;
    if (sampler == NULL)
        return reason_set(why, PAPI_EINVAL, "the calling thread has no sampler %d", id);
    if (sampler->lost)
        return reason_set(why, PAPI_ECLOST,
                          "sampler %d was made before a fork; close it and open another one", id);
    *found = sampler;
    return PAPI_OK;
}

static void take_out(struct papi_thread *thread, struct sampler *sampler)
{
    struct sampler **place = &thread->samplers;
    while (*place != sampler)
        place = &(*place)->next;
    *place = sampler->next;
    atomic_signal_fence(memory_order_seq_cst);
    destroy(sampler);
}

int sampler_close(struct sampler *sampler, struct reason *why)
{
    if (sampler->inside)
        return reason_set(why, PAPI_EISRUN, "the handler of sampler %d runs: it can stop it, not close it",
                          sampler->id);
    take_out(thread_self(), sampler);
    return PAPI_OK;
}

void samplers_drop_lost(int id)
{
    struct papi_thread *self = thread_self();
    for (struct sampler *sampler = self->samplers; sampler != NULL; sampler = sampler->next)
        if (sampler->id == id && sampler->lost) {
            take_out(self, sampler);
            return;
        }
}

/* ---- start and stop */

static int is_running(const struct sampler *sampler, struct reason *why)
{
    return reason_set(why, PAPI_EISRUN, "sampler %d runs; stop it first", sampler->id);
}

/* Opens the counter anew, which sends a signal or does not. */
int sampler_handle(struct sampler *sampler, PAPI_sample_handler_t handler, struct reason *why)
{
    PAPI_sample_handler_t before = sampler->handler;
    struct sample_source *source = sampler->source;
    if (sampler->running || sampler->inside)
        return is_running(sampler, why);
    int code = overflow_install(why);
    if (code != PAPI_OK)
        return code;
    sampler->handler = handler;
    code = (handler != NULL) != (before != NULL) ? open_source(sampler, why) : PAPI_OK;
    if (code != PAPI_OK) {
        sampler->handler = before;
        return code;
    }
    if (source != sampler->source)
        source->ops->destroy(source);
    atomic_fetch_add(&papi_library.overflows, (handler != NULL) - (before != NULL));
    return PAPI_OK;
}

int sampler_start(struct sampler *sampler, struct reason *why)
{
    if (sampler->running)
        return is_running(sampler, why);
    sampler->stuck = 0;
    sampler->running = true; /* the first sample may come at once */
    int code = sampler->source->ops->start(sampler->source, why);
    if (code != PAPI_OK)
        sampler->running = false;
    return code;
}

/* Counts what a handler has missed, because the program blocks the signal. */
static int missed_calls(struct sampler *sampler)
{
    struct taken_sample taken;
    int n = 0;
    while (sampler->handler != NULL && !sampler->inside &&
           sampler->source->ops->first(sampler->source, &taken)) {
        sampler->source->ops->done(sampler->source);
        n++;
    }
    return n;
}

int sampler_stop(struct sampler *sampler, struct reason *why)
{
    bool more;
    uint64_t throttled;
    if (!sampler->running)
        return reason_set(why, PAPI_ENOTRUN, "sampler %d does not run", sampler->id);
    int code = sampler->source->ops->stop(sampler->source, why);
    sampler->running = false;
    if (code != PAPI_OK)
        return code;
    if (sampler->stuck >= MOST_STUCK)
        return reason_set(
            why, PAPI_ECLOST,
            "sampling ended after a while: the signals came so often that the program no longer got "
            "on; use a larger period, or read the samples without a handler");
    int missed = missed_calls(sampler);
    uint64_t lost = sampler->source->ops->lost(sampler->source, &more, &throttled);
    if (missed > 0)
        return reason_set(why, PAPI_ECLOST,
                          "the handler was not called for %d samples: the program blocks signal %d", missed,
                          (int)OVERFLOW_SIGNAL);
    if (lost > 0 || more)
        return reason_set(
            why, PAPI_ECLOST,
            "%llu samples%s found no room in the buffer: read them more often, or use a larger period",
            (unsigned long long)lost, more ? " or more" : "");
    if (throttled > 0)
        return reason_set(why, PAPI_ECLOST,
                          "the kernel stopped the event %llu times for a while, and samples are missing "
                          "(kernel.perf_event_max_sample_rate): use a larger period",
                          (unsigned long long)throttled);
    return PAPI_OK;
}

/* ---- for threads */

/* A page fault that the kernel gives up for a signal happens anew after the handler, and sends the next one:
 * with a period of one, for ever. Sampling ends then, and the stop says so. */
static bool is_stuck(struct sampler *sampler, const void *context)
{
    uint64_t at = context_address(context), registers = context_registers(context);
    bool same = at == sampler->last_at && registers == sampler->last_registers;
    sampler->stuck = same ? sampler->stuck + 1 : 0;
    sampler->last_at = at;
    sampler->last_registers = registers;
    if (sampler->stuck == MOST_STUCK)
        sampler->source->ops->silence(sampler->source);
    return sampler->stuck >= MOST_STUCK;
}

/* Calls the handler for what waits now; it may stop the sampler. */
static void deliver(struct sampler *sampler, void *context)
{
    PAPI_sample_t sample;
    while (sampler->running && !sampler->closed) {
        sampler->n_branches = 0;
        if (!take(sampler, &sample))
            return;
        sampler->inside = 1;
        sampler->handler(sampler->id, &sample, sampler->branch, context);
        sampler->inside = 0;
    }
}

void samplers_deliver(struct papi_thread *thread, void *context)
{
    for (struct sampler *sampler = thread->samplers; sampler != NULL; sampler = sampler->next)
        if (sampler->handler != NULL && !sampler->lost && !sampler->inside && sampler->running &&
            !is_stuck(sampler, context))
            deliver(sampler, context);
}

void samplers_close(struct papi_thread *thread)
{
    for (struct sampler *sampler = thread->samplers; sampler != NULL; sampler = sampler->next) {
        if (!sampler->lost)
            sampler->source->ops->silence(sampler->source);
        sampler->closed = 1;
        thread->has_closed = 1;
    }
}

void samplers_sweep(struct papi_thread *thread, bool all)
{
    struct sampler *next;
    for (struct sampler *sampler = thread->samplers; sampler != NULL; sampler = next) {
        next = sampler->next;
        if (all || sampler->closed)
            take_out(thread, sampler);
    }
}

void samplers_lose(struct papi_thread *thread)
{
    for (struct sampler *sampler = thread->samplers; sampler != NULL; sampler = sampler->next) {
        if (!sampler->lost)
            sampler->source->ops->abandon(sampler->source);
        sampler->lost = true;
        sampler->running = false;
    }
}

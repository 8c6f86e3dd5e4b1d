/* SPDX-License-Identifier: BSD-3-Clause
 *
 * papi_counted --share: preloaded into a program, says at its end how much of its processor time ran in code
 * that counts itself, and where the rest was. A timer of the process's processor time interrupts one of its
 * threads every millisecond; where that was is noted, and looked up when the program ends.
 */
#include "components/counted/modules.h"

#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

enum { PLACES = 1 << 15, TRIES = 64, INTERVAL_NS = 1000000, MOST_ROWS = 12, GAP = 64 };

struct place {
    uintptr_t address; /* 0: free */
    unsigned samples;
    int counted;
    const char *library, *routine;
};

static struct {
    struct place place[PLACES];
    unsigned lost; /* samples that found no room */
    timer_t timer;
    pid_t pid; /* 0: nothing is sampled */
} share;

/* -------------------------------------------------------------------- while it runs */

static uintptr_t interrupted_at(const void *context)
{
    const ucontext_t *user = context;
    return (uintptr_t)user->uc_mcontext.gregs[REG_RIP];
}

static void sample(int number, siginfo_t *info, void *context)
{
    uintptr_t address = interrupted_at(context);
    (void)number, (void)info;
    for (unsigned i = 0; i < TRIES; i++) {
        struct place *place = &share.place[(address * 2654435761u + i) % PLACES];
        uintptr_t there = 0;
        if (__atomic_compare_exchange_n(&place->address, &there, address, 0, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED) ||
            there == address) {
            __atomic_fetch_add(&place->samples, 1, __ATOMIC_RELAXED);
            return;
        }
    }
    __atomic_fetch_add(&share.lost, 1, __ATOMIC_RELAXED);
}

/* A timer of this kind ends with the process that executes another program, and its children have none. */
static __attribute__((constructor)) void begin(void)
{
    struct sigaction action = {.sa_sigaction = sample, .sa_flags = SA_SIGINFO | SA_RESTART};
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGPROF};
    const struct itimerspec interval = {{0, INTERVAL_NS}, {0, INTERVAL_NS}};
    sigemptyset(&action.sa_mask);
    if (sigaction(SIGPROF, &action, NULL) == 0 &&
        timer_create(CLOCK_PROCESS_CPUTIME_ID, &event, &share.timer) == 0 &&
        timer_settime(share.timer, 0, &interval, NULL) == 0)
        share.pid = getpid();
    else
        fputs("papi_counted --share: no timer can be had: nothing is sampled\n", stderr);
}

/* ----------------------------------------------------------------------- at its end */

static int by_address(const void *a, const void *b)
{
    const struct place *left = a, *right = b;
    return (left->address > right->address) - (left->address < right->address);
}

static int by_samples(const void *a, const void *b)
{
    const struct place *left = a, *right = b;
    return (left->samples < right->samples) - (left->samples > right->samples);
}

static int by_routine(const void *a, const void *b)
{
    const struct place *left = a, *right = b;
    int library = strcmp(left->library, right->library);
    return library != 0 ? library : strcmp(left->routine, right->routine);
}

/* Those with samples, to the front; how many. */
static unsigned gather(void)
{
    unsigned n = 0;
    for (unsigned i = 0; i < PLACES; i++)
        if (share.place[i].samples > 0)
            share.place[n++] = share.place[i];
    return n;
}

struct range {
    unsigned n; /* places, in the order of their addresses */
};

static void mark(unsigned n, uintptr_t from, uintptr_t to)
{
    unsigned low = 0, high = n;
    while (low < high) {
        unsigned middle = (low + high) / 2;
        if (share.place[middle].address < from)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < n && share.place[low].address < to; low++)
        share.place[low].counted = 1;
}

/* What lies between two blocks that are near one another, counters and padding, belongs to them. */
static void mark_unit(const struct counted_unit *unit, unsigned n)
{
    const struct counted_block *block = counted_first_block(unit);
    uintptr_t end = 0;
    for (uint32_t i = 0; i < unit->n_blocks; i++, block = counted_next_block(block)) {
        uintptr_t start = (uintptr_t)counted_at(&block->start);
        mark(n, start - end <= GAP ? end : start, start + block->length);
        end = start + block->length;
    }
}

static void mark_module(const struct counted_module *module, const char *name, void *context)
{
    const struct range *range = context;
    const struct counted_unit *unit = NULL;
    (void)name;
    while (module_is_known(module) && module->weighed != 0 && (unit = module_next_unit(module, unit)) != NULL)
        mark_unit(unit, range->n);
}

static void name_place(struct place *place)
{
    Dl_info info;
    place->library = place->routine = "?";
    if (dladdr((const void *)place->address, &info) == 0)
        return;
    place->library = info.dli_fname != NULL ? info.dli_fname : "?";
    place->routine = info.dli_sname != NULL ? info.dli_sname : "(no name)";
}

/* One place for each routine that is not counted; how many. */
static unsigned merge(unsigned n)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < n; i++)
        if (!share.place[i].counted) {
            share.place[kept] = share.place[i];
            name_place(&share.place[kept++]);
        }
    qsort(share.place, kept, sizeof *share.place, by_routine);
    n = kept;
    kept = 0;
    for (unsigned i = 0; i < n; i++)
        if (kept > 0 && by_routine(&share.place[kept - 1], &share.place[i]) == 0)
            share.place[kept - 1].samples += share.place[i].samples;
        else
            share.place[kept++] = share.place[i];
    qsort(share.place, kept, sizeof *share.place, by_samples);
    return kept;
}

static void print_rows(unsigned n, unsigned all)
{
    unsigned rest = 0;
    for (unsigned i = 0; i < n; i++)
        if (i < MOST_ROWS)
            fprintf(stderr, "  %5.1f %%  %s in %s\n", 100.0 * share.place[i].samples / all,
                    share.place[i].routine, share.place[i].library);
        else
            rest += share.place[i].samples;
    if (rest > 0)
        fprintf(stderr, "  %5.1f %%  other routines\n", 100.0 * rest / all);
}

static void print(unsigned counted, unsigned all, unsigned n)
{
    fprintf(stderr,
            "\npapi_counted --share: %.1f %% of the processor time, by %u samples, ran in code that counts "
            "itself\n",
            all > 0 ? 100.0 * counted / all : 0.0, all);
    if (share.lost > 0)
        fprintf(stderr, "  %u more samples found no room\n", share.lost);
    if (all == counted)
        return;
    fputs("not counted:\n", stderr);
    print_rows(n, all);
    fputs(
        "To have it counted: build it with papi_counted, too, or run the program once under papi_emulate.\n",
        stderr);
}

static __attribute__((destructor)) void end(void)
{
    unsigned all = 0, counted = 0;
    if (share.pid != getpid())
        return;
    timer_delete(share.timer);
    signal(SIGPROF, SIG_IGN); /* one may be on its way */
    unsigned n = gather();
    qsort(share.place, n, sizeof *share.place, by_address);
    modules_look(mark_module, &(struct range){n});
    for (unsigned i = 0; i < n; i++) {
        all += share.place[i].samples;
        counted += share.place[i].counted ? share.place[i].samples : 0;
    }
    print(counted, all, merge(n));
}

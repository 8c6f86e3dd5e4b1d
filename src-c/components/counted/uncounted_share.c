/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Samples where a counted program spends its time outside of code that counts itself.
 *
 * A timer of processor time interrupts the thread each millisecond, and the handler adds the interrupted
 * address to a hash table of fixed size: one compare-and-exchange, no lock and no allocation, as handlers
 * need it; an address for which there is no room near its hash is counted as lost. Addresses get their
 * meaning at the end: those within the blocks of counted modules (with the counters and padding between two
 * near blocks) are counted code, all others are named by the library and routine that exports them.
 *
 * The result is an estimate: the samples of a share vary by about the square root of their number, and code
 * that blocks has no processor time and no samples. Memory of libraries that were unloaded before the end has
 * no name any more.
 */
#include "components/counted/uncounted_share.h"
#include "components/counted/counted_modules.h"
#include "hardware/signal_context.h"

#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { PLACES = 1 << 15, TRIES = 64, INTERVAL_NS = 1000000, GAP = 64 };

struct place {
    uintptr_t address; /* 0: free */
    unsigned samples;
    bool counted;
    const char *library, *routine;
};

struct sampler {
    const int32_t *number; /* sampler_apart; NULL: nothing is */
    unsigned apart, lost;
    struct sampler_row *row;
    struct place place[PLACES];
};

/* ---- while it runs */

/* The handler of SIGPROF. The timer says which sampler it is for: there is no other state. */
static void sample(int number, siginfo_t *info, void *context)
{
    struct sampler *sampler = info->si_code == SI_TIMER ? info->si_value.sival_ptr : NULL;
    uintptr_t address = (uintptr_t)context_address(context);
    (void)number;
    if (sampler != NULL && sampler->number != NULL &&
        __atomic_load_n(sampler->number, __ATOMIC_RELAXED) >= 0) {
        __atomic_fetch_add(&sampler->apart, 1, __ATOMIC_RELAXED);
        return;
    }
    for (unsigned i = 0; sampler != NULL && i < TRIES; i++) {
        struct place *place = &sampler->place[(address * 2654435761u + i) % PLACES];
        uintptr_t there = 0;
        if (__atomic_compare_exchange_n(&place->address, &there, address, 0, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED) ||
            there == address) {
            __atomic_fetch_add(&place->samples, 1, __ATOMIC_RELAXED);
            return;
        }
    }
    if (sampler != NULL)
        __atomic_fetch_add(&sampler->lost, 1, __ATOMIC_RELAXED);
}

static bool is_ours(const struct sigaction *action)
{
    return (action->sa_flags & SA_SIGINFO) != 0 && action->sa_sigaction == sample;
}

struct sampler *sampler_make(void)
{
    struct sigaction before, action = {.sa_sigaction = sample, .sa_flags = SA_SIGINFO | SA_RESTART};
    sigemptyset(&action.sa_mask);
    if (sigaction(SIGPROF, NULL, &before) != 0)
        return NULL;
    /* Our own handler may be there, in the child of a fork. */
    if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN && !is_ours(&before)) {
        errno = EBUSY;
        return NULL;
    }
    struct sampler *sampler = calloc(1, sizeof *sampler);
    if (sampler != NULL && sigaction(SIGPROF, &action, NULL) != 0) {
        free(sampler);
        return NULL;
    }
    return sampler;
}

void sampler_apart(struct sampler *sampler, const int32_t *number)
{
    sampler->number = number;
}

static bool begin(clockid_t clock, struct sigevent *event, struct sampler *sampler, timer_t *timer)
{
    const struct itimerspec interval = {{0, INTERVAL_NS}, {0, INTERVAL_NS}};
    event->sigev_signo = SIGPROF;
    event->sigev_value.sival_ptr = sampler;
    if (timer_create(clock, event, timer) != 0)
        return false;
    if (timer_settime(*timer, 0, &interval, NULL) == 0)
        return true;
    timer_delete(*timer);
    return false;
}

#ifndef sigev_notify_thread_id /* glibc before 2.35 */
#define sigev_notify_thread_id _sigev_un._tid
#endif

bool sampler_thread(struct sampler *sampler, timer_t *timer)
{
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID};
    event.sigev_notify_thread_id = (pid_t)syscall(SYS_gettid);
    return begin(CLOCK_THREAD_CPUTIME_ID, &event, sampler, timer);
}

bool sampler_process(struct sampler *sampler, timer_t *timer)
{
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL};
    return begin(CLOCK_PROCESS_CPUTIME_ID, &event, sampler, timer);
}

void sampler_end_timer(timer_t timer)
{
    timer_delete(timer);
}

/* ---- at its end */

static int by_address(const void *a, const void *b)
{
    const struct place *left = a, *right = b;
    return (left->address > right->address) - (left->address < right->address);
}

static int by_routine(const void *a, const void *b)
{
    const struct place *left = a, *right = b;
    int library = strcmp(left->library, right->library);
    return library != 0 ? library : strcmp(left->routine, right->routine);
}

static int by_library(const void *a, const void *b)
{
    const struct sampler_row *left = a, *right = b;
    int library = strcmp(left->library, right->library);
    if (left->of_library != right->of_library)
        return left->of_library < right->of_library ? 1 : -1;
    if (library != 0)
        return library;
    return (left->samples < right->samples) - (left->samples > right->samples);
}

/* Moves routines with samples to the front. Returns how many there are. */
static unsigned gather(struct sampler *sampler)
{
    unsigned n = 0;
    for (unsigned i = 0; i < PLACES; i++)
        if (sampler->place[i].samples > 0)
            sampler->place[n++] = sampler->place[i];
    qsort(sampler->place, n, sizeof *sampler->place, by_address);
    return n;
}

struct range {
    struct place *place;
    unsigned n; /* in the order of their addresses */
};

static void mark(const struct range *range, uintptr_t from, uintptr_t to)
{
    unsigned low = 0, high = range->n;
    while (low < high) {
        unsigned middle = (low + high) / 2;
        if (range->place[middle].address < from)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < range->n && range->place[low].address < to; low++)
        range->place[low].counted = true;
}

/* Counters and padding between two blocks that are near one another belong to them. */
static void mark_unit(const struct range *range, const struct counted_unit *unit)
{
    const struct counted_block *block = counted_first_block(unit);
    uintptr_t end = 0;
    for (uint32_t i = 0; i < unit->n_blocks; i++, block = counted_next_block(block)) {
        uintptr_t start = (uintptr_t)counted_at(&block->start);
        mark(range, start - end <= GAP ? end : start, start + block->length);
        end = start + block->length;
    }
}

static void mark_module(const struct counted_module *module, const char *name, void *context)
{
    const struct counted_unit *unit = NULL;
    (void)name;
    if (!module_is_known(module) || module->weighed == 0 || !module_is_whole(module))
        return;
    while ((unit = module_next_unit(module, unit)) != NULL)
        mark_unit(context, unit);
}

static void name_place(struct place *place)
{
    Dl_info info;
    place->library = "?";
    place->routine = "";
    if (dladdr((const void *)place->address, &info) == 0)
        return;
    if (info.dli_fname != NULL && info.dli_fname[0] != '\0')
        place->library = info.dli_fname;
    if (info.dli_sname != NULL)
        place->routine = info.dli_sname;
}

/* Moves routines that are not counted, by library and routine, to the front. Returns how many there are. */
static unsigned name_others(const struct range *range)
{
    unsigned n = 0;
    for (unsigned i = 0; i < range->n; i++)
        if (!range->place[i].counted) {
            range->place[n] = range->place[i];
            name_place(&range->place[n++]);
        }
    qsort(range->place, n, sizeof *range->place, by_routine);
    return n;
}

/* Makes a row for each routine. */
static size_t sum_routines(struct sampler_row *row, const struct place *place, unsigned n)
{
    size_t rows = 0;
    for (unsigned i = 0, first = 0; i < n; i++) {
        if (i == 0 || by_routine(&place[i], &place[first]) != 0) {
            first = i;
            row[rows++] =
                (struct sampler_row){.library = place[i].library,
                                     .routine = place[i].routine[0] != '\0' ? place[i].routine : NULL};
        }
        row[rows - 1].samples += place[i].samples;
    }
    return rows;
}

static void sum_libraries(struct sampler_row *row, size_t n)
{
    for (size_t first = 0, next; first < n; first = next) {
        unsigned sum = 0;
        for (next = first; next < n && strcmp(row[next].library, row[first].library) == 0; next++)
            sum += row[next].samples;
        for (size_t i = first; i < next; i++)
            row[i].of_library = sum;
    }
    qsort(row, n, sizeof *row, by_library);
}

/* Gives SIGPROF back. It is ignored from now on: a signal may be on its way, and its default would end the
 * program. False: the program has taken it meanwhile. */
static bool give_back(void)
{
    struct sigaction now;
    if (sigaction(SIGPROF, NULL, &now) != 0 || !is_ours(&now))
        return false;
    signal(SIGPROF, SIG_IGN);
    return true;
}

bool sampler_look(struct sampler *sampler, struct sampler_result *result)
{
    *result =
        (struct sampler_result){.replaced = !give_back(), .apart = sampler->apart, .lost = sampler->lost};
    struct range range = {sampler->place, gather(sampler)};
    modules_look(mark_module, &range);
    for (unsigned i = 0; i < range.n; i++) {
        result->samples += range.place[i].samples;
        result->counted += range.place[i].counted ? range.place[i].samples : 0;
    }
    unsigned n = name_others(&range);
    sampler->row = calloc(n + 1, sizeof *sampler->row);
    if (sampler->row == NULL)
        return false;
    result->row = sampler->row;
    result->n = sum_routines(sampler->row, range.place, n);
    sum_libraries(sampler->row, result->n);
    return true;
}

void sampler_free(struct sampler *sampler)
{
    if (sampler == NULL)
        return;
    free(sampler->row);
    free(sampler);
}

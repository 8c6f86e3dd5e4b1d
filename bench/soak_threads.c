/* SPDX-License-Identifier: BSD-3-Clause
 *
 * soak_threads SEED SECONDS: eight threads that count and four that make, change and end event sets and
 * threads all the time. In a phase of SECONDS they work; then all of them end, the library is shut down, and
 * a line of JSON has what was done and what the process still holds. Goes on until SIGTERM. Wrong counts and
 * codes are lines on standard error. Status 77: this machine counts no software events.
 */
#include "papi.h"
#include "soak_common.h"
#include "soak_sampler.h"

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define CLOCK "perf::CPU-CLOCK"
#define TASK "perf::TASK-CLOCK"
#define FAULTS "perf::PAGE-FAULTS"
#define SWITCHES "perf::CONTEXT-SWITCHES"

enum {
    COUNTING = 8,
    CHURNING = 4,
    BUCKETS = 1024,
    STRAY_FAULTS = 64,
    REGION_VISITS = 200,
    CHILD_VISITS = 20
};

struct figures {
    long long reads, accums, resets, starts, stops, sets, threads, regions, looks, profiles, samples, faults;
    long long clock, inside, around; /* nanoseconds: TASK-CLOCK, of the thread meanwhile, and of the world */
    struct overflows overflows, witness; /* of the library, and of the kernel in the same threads meanwhile */
};

struct worker {
    pthread_t thread;
    unsigned number, phase;
    struct dice dice;
    struct figures figures;
};

static int hardware; /* the machine counts instructions */
static __thread volatile long long calls;

/* ---- faults of the library */

static void fault(struct figures *figures, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void fault(struct figures *figures, const char *format, ...)
{
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    figures->faults++;
    fprintf(stderr, "%s\n", text);
}

static int ok(struct figures *figures, int code, const char *call)
{
    if (code != PAPI_OK)
        fault(figures, "%s: %d, %s", call, code, PAPI_strerror(code));
    return code == PAPI_OK;
}
#define OK(call) ok(figures, call, #call)

/* ---- sets */

static int code_of(const char *name)
{
    int code = PAPI_NULL;
    PAPI_event_name_to_code(name, &code);
    return code;
}

/* Makes an event set of the named events. PAPI_NULL: it failed, which is counted as a fault. */
static int new_set(struct figures *figures, const char *const *names)
{
    int es = PAPI_NULL;
    if (!OK(PAPI_create_eventset(&es)))
        return PAPI_NULL;
    figures->sets++;
    for (; *names != NULL; names++)
        ok(figures, PAPI_add_named_event(es, *names), *names);
    return es;
}

static void drop_set(struct figures *figures, int es)
{
    OK(PAPI_cleanup_eventset(es));
    OK(PAPI_destroy_eventset(&es));
}

static void start(struct figures *figures, int es)
{
    OK(PAPI_start(es));
    figures->starts++;
}

/* Stops an event set. 1: the code says that overflows are missing, which is not a fault. */
static int stop(struct figures *figures, int es, long long *values)
{
    int code = PAPI_stop(es, values);
    figures->stops++;
    if (code == PAPI_ECLOST)
        return 1;
    ok(figures, code, "PAPI_stop");
    return 0;
}

/* ---- counting: known numbers of page faults, and times */

enum { P_FAULTS, P_TASK, P_SWITCHES, P_INSTRUCTIONS, PLAIN };
static const char *const plain_events[] = {FAULTS, TASK, SWITCHES, NULL};

static void check_faults(struct figures *figures, long long counted, long long touched, const char *how)
{
    if (counted < touched || counted > touched + STRAY_FAULTS)
        fault(figures, "%s counted %lld page faults of %lld", how, counted, touched);
}

static void check_rise(struct figures *figures, const long long *now, long long *before, int n)
{
    for (int i = 0; i < n; i++) {
        if (now[i] < before[i])
            fault(figures, "count %d falls from %lld to %lld", i, before[i], now[i]);
        before[i] = now[i];
    }
}

static void plain_round(struct worker *worker, int es, int n)
{
    struct figures *figures = &worker->figures;
    long long values[PLAIN] = {0}, before[PLAIN] = {0}, touched = 0, inside, around = real_nsec();
    start(figures, es);
    inside = thread_nsec();
    for (int i = 0; i < 50; i++) {
        unsigned pages = 1 + roll(&worker->dice, 8);

        touched += touch_pages(pages) ? pages : 0;
        compute();
        if (OK(PAPI_read(es, values)))
            check_rise(figures, values, before, n);
        figures->reads++;
    }
    inside = thread_nsec() - inside;
    stop(figures, es, values);
    check_rise(figures, values, before, n);
    check_faults(figures, values[P_FAULTS], touched, "PAPI_stop");
    figures->clock += values[P_TASK];
    figures->inside += inside;
    figures->around += real_nsec() - around;
}

static void accum_round(struct worker *worker, int es)
{
    struct figures *figures = &worker->figures;
    long long values[PLAIN] = {0}, sums[PLAIN] = {0}, touched = 0;
    start(figures, es);
    for (int i = 0; i < 50; i++) {
        unsigned pages = 1 + roll(&worker->dice, 8);

        touched += touch_pages(pages) ? pages : 0;
        OK(PAPI_accum(es, sums));
    }
    figures->accums += 50;
    check_faults(figures, sums[P_FAULTS], touched, "PAPI_accum");
    OK(PAPI_reset(es));
    figures->resets++;
    touch_pages(3);
    stop(figures, es, values);
    check_faults(figures, values[P_FAULTS], 3, "PAPI_stop after PAPI_reset");
}

static void count_plain(struct worker *worker)
{
    struct figures *figures = &worker->figures;
    int es = new_set(figures, plain_events);
    for (int i = 0; i < 20 && phase_goes_on(); i++) {
        plain_round(worker, es, P_INSTRUCTIONS);
        accum_round(worker, es);
    }
    drop_set(figures, es);
}

/* Instructions beside CPU time, where the machine has them. */
static void count_hardware(struct worker *worker)
{
    static const char *const events[] = {"PAPI_TOT_INS", "PAPI_TOT_CYC", NULL};
    struct figures *figures = &worker->figures;
    long long values[2] = {0}, before[2] = {0};
    int es = new_set(figures, events);

    start(figures, es);
    for (int i = 0; i < 500 && phase_goes_on(); i++) {
        compute();
        if (OK(PAPI_read(es, values)) && values[0] < before[0] + 5000)
            fault(figures, "%lld instructions for 5000 turns of a loop", values[0] - before[0]);
        check_rise(figures, values, before, 2);
        figures->reads++;
    }
    stop(figures, es, values);
    drop_set(figures, es);
}

/* ---- counting: overflows */

static void on_overflow(int es, void *address, long long vector, void *context)
{
    (void)es;
    (void)address;
    (void)context;
    if (vector == 1)
        calls++;
}

static void overflow_interval(struct worker *worker, int es, struct sampler *witness)
{
    struct figures *figures = &worker->figures;
    long long periods = LEAST_PERIODS + roll(&worker->dice, MOST_PERIODS - LEAST_PERIODS);
    long long value = 0, before = 0;
    int lost;
    calls = 0;
    sampler_start(witness);
    start(figures, es);
    while (OK(PAPI_read(es, &value)) && value < periods * PERIOD + PERIOD / 2) {
        check_rise(figures, &value, &before, 1);
        figures->reads++;
        compute();
    }
    lost = stop(figures, es, &value);
    sampler_stop(witness);
    sampler_take(witness);
    overflows_note(&figures->overflows, value, calls, lost);
    overflows_note(&figures->witness, sampler_read(witness), witness->samples, witness->losses > 0);
    figures->witness.records += witness->lost;
}

static void count_overflows(struct worker *worker)
{
    static const char *const events[] = {CLOCK, NULL};
    struct figures *figures = &worker->figures;
    struct sampler witness;
    int es = new_set(figures, events);

    if (!sampler_open(&witness, 0)) {
        fault(figures, "the kernel samples no clock: %s", strerror(errno));
        return;
    }
    OK(PAPI_overflow(es, code_of(CLOCK), PERIOD, 0, on_overflow));
    for (int i = 0; i < 8 && phase_goes_on(); i++)
        overflow_interval(worker, es, &witness);
    OK(PAPI_overflow(es, code_of(CLOCK), 0, 0, on_overflow));
    sampler_close(&witness);
    drop_set(figures, es);
}

/* Counts overflows by software, where a call has all that overflowed since the last one. */
static void count_looks(struct worker *worker)
{
    static const char *const events[] = {CLOCK, FAULTS, NULL};
    struct figures *figures = &worker->figures;
    int es = new_set(figures, events);
    long long values[2] = {0}, before[2] = {0};

    OK(PAPI_overflow(es, code_of(CLOCK), 2 * PERIOD, PAPI_OVERFLOW_FORCE_SW, on_overflow));
    calls = 0;
    start(figures, es);
    while (OK(PAPI_read(es, values)) && values[0] < 50 * PERIOD) {
        check_rise(figures, values, before, 2);
        compute();
    }
    stop(figures, es, values);
    if (calls > values[0] / (2 * PERIOD))
        fault(figures, "%lld calls for %lld ns by software", calls, values[0]);
    figures->looks += calls;
    drop_set(figures, es);
}

/* Counts with PAPI_profil in buckets around compute(), which must not have more samples than there were
 * periods. */
static void count_profile(struct worker *worker)
{
    static const char *const events[] = {CLOCK, NULL};
    struct figures *figures = &worker->figures;
    int es = new_set(figures, events);
    unsigned buckets[BUCKETS] = {0};
    long long value = 0, samples = 0;

    OK(PAPI_profil(buckets, sizeof buckets, (vptr_t)(uintptr_t)compute, 0x20000, es, code_of(CLOCK), PERIOD,
                   PAPI_PROFIL_POSIX | PAPI_PROFIL_BUCKET_32));
    start(figures, es);
    while (OK(PAPI_read(es, &value)) && value < 100 * PERIOD)
        compute();
    stop(figures, es, &value);
    for (int i = 0; i < BUCKETS; i++)
        samples += buckets[i];
    if (samples > value / PERIOD + 1)
        fault(figures, "%lld samples for %lld ns", samples, value);
    figures->profiles++;
    figures->samples += samples;
    drop_set(figures, es);
}

/* Runs a worker: the first threads count with overflows, the others share the rest of the work. */
static void *count(void *argument)
{
    static void (*const others[])(struct worker *) = {count_profile, count_looks, count_plain, count_plain,
                                                      count_hardware};
    struct worker *worker = argument;
    unsigned turn = worker->number < OVERFLOWING ? 0 : worker->number - OVERFLOWING;

    while (phase_goes_on()) {
        if (worker->number < OVERFLOWING)
            count_overflows(worker);
        else if (others[turn] == count_hardware && !hardware)
            count_plain(worker);
        else
            others[turn](worker);
    }
    return NULL;
}

/* ---- churning: what is left running, and what is undone, in any order */

static int armed_set(struct worker *worker)
{
    static const char *const events[] = {FAULTS, TASK, CLOCK, NULL};
    struct figures *figures = &worker->figures;
    int es = new_set(figures, events);
    unsigned form = roll(&worker->dice, 3);

    if (form == 1)
        OK(PAPI_overflow(es, code_of(CLOCK), PERIOD, 0, on_overflow));
    if (form == 2)
        OK(PAPI_overflow(es, code_of(CLOCK), PERIOD, PAPI_OVERFLOW_FORCE_SW, on_overflow));
    start(figures, es);
    for (unsigned i = roll(&worker->dice, 100); i > 0; i--)
        compute();
    return es;
}

static void churn_set(struct worker *worker)
{
    struct figures *figures = &worker->figures;
    long long values[3];
    int es = armed_set(worker);
    if (roll(&worker->dice, 2) == 0)
        OK(PAPI_read(es, values));
    stop(figures, es, values);
    if (roll(&worker->dice, 2) == 0)
        OK(PAPI_remove_event(es, code_of(TASK)));
    drop_set(figures, es);
}

static void visit(struct figures *figures)
{
    figures->regions++;
    OK(PAPI_hl_region_begin("soak"));
    compute();
    OK(PAPI_hl_region_end("soak"));
}

/* Visits a region in a thread, in the first phase and a few times only, since the library keeps what each
 * thread's regions counted until the program ends. The children of phases visit the others. */
static void churn_region(struct worker *worker)
{
    static atomic_int visits;
    if (worker->phase == 0 && atomic_fetch_add(&visits, 1) < REGION_VISITS)
        visit(&worker->figures);
}

/* Runs a thread that ends while its counters run: the library has to clean up after it. */
static void *short_life(void *argument)
{
    struct worker *worker = argument;
    struct figures *figures = &worker->figures;
    int registered = roll(&worker->dice, 2) == 0;
    if (registered)
        OK(PAPI_register_thread());
    switch (roll(&worker->dice, 4)) {
    case 0:
        armed_set(worker);
        return NULL;
    case 1:
        churn_region(worker);
        return NULL;
    case 2:
        churn_set(worker);
        break;
    default:
        break;
    }
    if (registered)
        OK(PAPI_unregister_thread());
    return NULL;
}

static void *churn(void *argument)
{
    struct worker *worker = argument;
    while (phase_goes_on()) {
        pthread_t child;

        churn_set(worker);
        if (roll(&worker->dice, 8) == 0)
            churn_region(worker);
        if (pthread_create(&child, NULL, short_life, worker) == 0) {
            pthread_join(child, NULL);
            worker->figures.threads++;
        }
    }
    return NULL;
}

/* ---- phases */

static void merge(struct figures *all, const struct figures *one)
{
    all->reads += one->reads;
    all->accums += one->accums;
    all->resets += one->resets;
    all->starts += one->starts;
    all->stops += one->stops;
    all->sets += one->sets;
    all->threads += one->threads;
    all->regions += one->regions;
    all->looks += one->looks;
    all->profiles += one->profiles;
    all->samples += one->samples;
    all->faults += one->faults;
    all->clock += one->clock;
    all->inside += one->inside;
    all->around += one->around;
    overflows_merge(&all->overflows, &one->overflows);
    overflows_merge(&all->witness, &one->witness);
}

/* TASK-CLOCK is in the time around it, and has the thread's CPU time inside of it. Not round by round: a
 * virtual machine that is held up in a switch of threads gives the time to one clock and not to the other. */
static void check_times(struct figures *all)
{
    const long long slack = 20000000;
    if (all->clock < all->inside / 10 * 8 - slack || all->clock > all->around + slack)
        fault(all, "%s counted %lld ns: the threads ran for %lld, of %lld", TASK, all->clock, all->inside,
              all->around);
}

static void print(unsigned number, const struct figures *all)
{
    struct held held = held_now();
    printf("{\"phase\": %u, \"reads\": %lld, \"accums\": %lld, \"resets\": %lld, \"starts\": %lld, "
           "\"stops\": %lld, "
           "\"sets\": %lld, \"threads\": %lld, \"regions\": %lld, \"looks\": %lld, \"profiles\": %lld, "
           "\"samples\": %lld, \"faults\": %lld, ",
           number, all->reads, all->accums, all->resets, all->starts, all->stops, all->sets, all->threads,
           all->regions, all->looks, all->profiles, all->samples, all->faults);
    overflows_print("overflows", &all->overflows);
    printf(", ");
    overflows_print("witness", &all->witness);
    printf(", ");
    held_print(&held);
    printf("}\n");
    fflush(stdout);
}

static void print_begin(void)
{
    struct held held = held_now();
    printf("{");
    held_print(&held);
    printf("}\n");
    fflush(stdout);
}

/* The number of the calling thread; pthread_t is a number or an address. */
static unsigned long own_id(void)
{
    return (unsigned long)pthread_self();
}

static int initialise(void)
{
    return PAPI_library_init(PAPI_VER_CURRENT) == PAPI_VER_CURRENT && PAPI_thread_init(own_id) == PAPI_OK &&
           PAPI_set_domain(counts_kernel() ? PAPI_DOM_USER | PAPI_DOM_KERNEL : PAPI_DOM_USER) == PAPI_OK;
}

/* Visits regions in a process of its own, from their beginning to the file. */
static void *visits(void *argument)
{
    struct figures *figures = argument;
    for (int i = 0; i < CHILD_VISITS; i++)
        visit(figures);
    return NULL;
}

static int regions_of_child(void)
{
    struct figures of[CHURNING] = {{.reads = 0}}, all = {.reads = 0}, *figures = &all;
    pthread_t thread[CHURNING];
    if (!initialise())
        return 1;
    visit(figures);
    for (int i = 0; i < CHURNING; i++)
        if (pthread_create(&thread[i], NULL, visits, &of[i]) != 0)
            return 1;
    for (int i = 0; i < CHURNING; i++) {
        pthread_join(thread[i], NULL);
        figures->faults += of[i].faults;
    }
    OK(PAPI_hl_stop());
    PAPI_shutdown();
    return figures->faults > 0;
}

static void regions(struct figures *figures)
{
    int status = 1;
    pid_t child = fork();
    if (child == 0)
        _exit(regions_of_child());
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0)
        fault(figures, "a child with regions ended with 0x%x", (unsigned)status);
    figures->regions += CHURNING * CHILD_VISITS + 1;
}

static void work(struct worker *workers, unsigned number, uint64_t seed, double seconds)
{
    phase_begin(seconds);
    for (unsigned i = 0; i < COUNTING + CHURNING; i++) {
        workers[i].number = i;
        workers[i].phase = number;
        workers[i].dice = dice_of(seed, number, i);
        if (pthread_create(&workers[i].thread, NULL, i < COUNTING ? count : churn, &workers[i]) != 0) {
            fprintf(stderr, "soak_threads: no thread can be made\n");
            exit(1);
        }
    }
    for (unsigned i = 0; i < COUNTING + CHURNING; i++)
        pthread_join(workers[i].thread, NULL);
}

static void phase(unsigned number, uint64_t seed, double seconds)
{
    struct worker workers[COUNTING + CHURNING] = {{.number = 0}};
    struct figures all = {.reads = 0};
    struct figures *figures = &all;
    if (!initialise()) {
        fault(figures, "phase %u: the library cannot be initialised", number);
    } else {
        hardware = PAPI_query_named_event("PAPI_TOT_INS") == PAPI_OK;
        work(workers, number, seed, seconds);
        regions(figures);
    }
    for (unsigned i = 0; i < COUNTING + CHURNING; i++)
        merge(&all, &workers[i].figures);
    check_times(figures);
    PAPI_shutdown();
    print(number, figures);
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "Usage: %s SEED SECONDS\n", argv[0]);
        return 2;
    }
    end_when_told();
    if (!initialise() || PAPI_query_named_event(CLOCK) != PAPI_OK) {
        fprintf(stderr, "soak_threads: this machine counts no software events: %s\n",
                PAPI_strerror(PAPI_ENOEVNT));
        return 77;
    }
    PAPI_shutdown();
    print_begin();
    for (unsigned i = 0; !is_told_to_end(); i++)
        phase(i, strtoull(argv[1], NULL, 0), strtod(argv[2], NULL));
    return 0;
}

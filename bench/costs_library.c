/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Costs of the calls of a libpapi. It is opened by name and called through the interface's own types, so
 * that no library's header is needed.
 */
#include "costs.h"

#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

typedef void overflow_handler(int, void *, long long, void *);

/* As large as ours. */
struct sample {
    long long words[11];
};

struct library {
    int (*library_init)(int);
    int (*create_eventset)(int *);
    int (*add_named_event)(int, const char *);
    int (*add_event)(int, int);
    int (*event_name_to_code)(const char *, int *);
    int (*start)(int);
    int (*stop)(int, long long *);
    int (*read)(int, long long *);
    int (*read_ts)(int, long long *, long long *);
    int (*accum)(int, long long *);
    int (*reset)(int);
    int (*overflow)(int, int, int, int, overflow_handler *);
    int (*multiplex_init)(void);
    int (*assign_eventset_component)(int, int);
    int (*set_multiplex)(int);
    int (*set_opt)(int, void *);
    int (*attach)(int, unsigned long);
    int (*hl_region_begin)(const char *);
    int (*hl_region_end)(const char *);
    long long (*get_real_usec)(void);
    long long (*get_virt_usec)(void);
    void (*papif_read)(int *, long long *, int *);
    char *(*strerror)(int);
    /* PAPI 6 removed the first two, and has none of the others: NULL where they are missing. */
    int (*attach_process)(int, int, int);
    void (*papif_flops)(float *, float *, long long *, float *, int *);
    void (*papif_ipc)(float *, float *, long long *, float *, int *);
    int (*sample_open)(const char *, long long, int, int *);
    int (*sample_start)(int);
    int (*sample_stop)(int);
    int (*sample_read)(int, struct sample *, int *);
};

static int open_library(const char *path, struct library *lib, struct result *r)
{
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    struct {
        const char *name;
        void *pointer;
        int optional;
    } symbols[] = {
        {"PAPI_library_init", &lib->library_init, 0},
        {"PAPI_create_eventset", &lib->create_eventset, 0},
        {"PAPI_add_named_event", &lib->add_named_event, 0},
        {"PAPI_add_event", &lib->add_event, 0},
        {"PAPI_event_name_to_code", &lib->event_name_to_code, 0},
        {"PAPI_start", &lib->start, 0},
        {"PAPI_stop", &lib->stop, 0},
        {"PAPI_read", &lib->read, 0},
        {"PAPI_read_ts", &lib->read_ts, 0},
        {"PAPI_accum", &lib->accum, 0},
        {"PAPI_reset", &lib->reset, 0},
        {"PAPI_overflow", &lib->overflow, 0},
        {"PAPI_multiplex_init", &lib->multiplex_init, 0},
        {"PAPI_assign_eventset_component", &lib->assign_eventset_component, 0},
        {"PAPI_set_multiplex", &lib->set_multiplex, 0},
        {"PAPI_set_opt", &lib->set_opt, 0},
        {"PAPI_attach", &lib->attach, 0},
        {"PAPI_attach_process", &lib->attach_process, 1},
        {"PAPI_hl_region_begin", &lib->hl_region_begin, 0},
        {"PAPI_hl_region_end", &lib->hl_region_end, 0},
        {"PAPI_get_real_usec", &lib->get_real_usec, 0},
        {"PAPI_get_virt_usec", &lib->get_virt_usec, 0},
        {"papif_read_", &lib->papif_read, 0},
        {"PAPI_strerror", &lib->strerror, 0},
        {"papif_flops_", &lib->papif_flops, 1},
        {"papif_ipc_", &lib->papif_ipc, 1},
        {"PAPI_sample_open", &lib->sample_open, 1},
        {"PAPI_sample_start", &lib->sample_start, 1},
        {"PAPI_sample_stop", &lib->sample_stop, 1},
        {"PAPI_sample_read", &lib->sample_read, 1},
    };

    if (!handle) {
        snprintf(r->error, sizeof r->error, "%s", dlerror());
        return -1;
    }
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
        void *address = dlsym(handle, symbols[i].name);
        memcpy(symbols[i].pointer, &address, sizeof address);
        if (!address && !symbols[i].optional) {
            snprintf(r->error, sizeof r->error, "no %s", symbols[i].name);
            return -1;
        }
    }
    return 0;
}

/* Initialises the library, whose version is not known beforehand, with the first version that it takes.
 * Returns what that call cost. */
static double initialise(const struct library *lib, struct result *r)
{
    for (int minor = 0; minor < 10; minor++) {
        int version = 7 << 24 | minor << 16;
        int64_t start = now();
        int code = lib->library_init(version);
        double cost = (double)(now() - start);
        if (code == version)
            return cost;
    }
    snprintf(r->error, sizeof r->error, "PAPI_library_init takes no version 7");
    return NOT_MEASURED;
}

static int failed(const struct library *lib, int code, const char *what, struct result *r)
{
    if (code != 0)
        snprintf(r->error, sizeof r->error, "%s: %s", what, lib->strerror(code));
    return code;
}

static int add_events(const struct library *lib, int es, const char *const *names, int n, struct result *r)
{
    for (int i = 0; i < n; i++)
        if (failed(lib, lib->add_named_event(es, names[i]), names[i], r))
            return -1;
    return es;
}

/* A new event set of the first events; -1: the result says why there is none. */
static int make_set(const struct library *lib, const char *const *names, int n, struct result *r)
{
    int es = -1;
    if (failed(lib, lib->create_eventset(&es), "PAPI_create_eventset", r))
        return -1;
    return add_events(lib, es, names, n, r);
}

/* Makes an event set and starts it. -1 as of make_set. */
static int counting_set(const struct library *lib, const char *const *names, int n, struct result *r)
{
    int es = make_set(lib, names, n, r);
    return es < 0 || failed(lib, lib->start(es), "PAPI_start", r) ? -1 : es;
}

/* ---- calls on an event set */

static void while_counting(const struct library *lib, int es, enum way way, struct result *r)
{
    long long values[N_EVENTS] = {0}, cycles;
    int code;
    r->cost[READ][way] = COST(50, lib->read(es, values));
    r->cost[PAPIF_READ][way] = COST(50, lib->papif_read(&es, values, &code)) - r->cost[READ][way];
    r->cost[READ_TS][way] = COST(50, lib->read_ts(es, values, &cycles));
    r->cost[ACCUM][way] = COST(20, lib->accum(es, values));
    r->cost[RESET][way] = COST(20, lib->reset(es));
}

static void start_stop(const struct library *lib, int es, enum way way, struct result *r)
{
    long long values[N_EVENTS];
    r->cost[START_STOP][way] = COST(10, (lib->start(es), lib->stop(es, values)));
}

static void clocks(const struct library *lib, struct result *r)
{
    r->cost[REAL_USEC][BY_KERNEL] = COST(100, lib->get_real_usec());
    r->cost[VIRT_USEC][BY_KERNEL] = COST(50, lib->get_virt_usec());
}

void library_counting(const struct subject *subject, struct result *r)
{
    struct library lib;
    long long values[N_EVENTS];
    int es;
    if (open_library(subject->path, &lib, r) || initialise(&lib, r) < 0 ||
        (es = counting_set(&lib, event_names, N_EVENTS, r)) < 0)
        return;
    while_counting(&lib, es, subject->way, r);
    lib.stop(es, values);
    start_stop(&lib, es, subject->way, r);
    if (subject->way == BY_KERNEL)
        clocks(&lib, r);
}

/* A new event set of a library that is initialised here; -1: the result says why there is none. */
static int first_set(const struct subject *subject, struct library *lib, struct result *r)
{
    int es = -1;
    if (open_library(subject->path, lib, r) || (r->cost[INIT][BY_KERNEL] = initialise(lib, r)) < 0 ||
        failed(lib, lib->create_eventset(&es), "PAPI_create_eventset", r))
        return -1;
    return es;
}

void library_first_event(const struct subject *subject, struct result *r)
{
    struct library lib;
    int es = first_set(subject, &lib, r);
    int64_t start = now();
    if (es >= 0 && !failed(&lib, lib.add_named_event(es, first_event_name), first_event_name, r))
        r->cost[FIRST_EVENT][BY_KERNEL] = (double)(now() - start);
}

void library_first_preset(const struct subject *subject, struct result *r)
{
    enum { TOT_INS = INT32_MIN + 0x32 };
    struct library lib;
    int es = first_set(subject, &lib, r);
    int64_t start = now();
    if (es >= 0 && !failed(&lib, lib.add_event(es, TOT_INS), "PAPI_add_event", r))
        r->cost[FIRST_PRESET][BY_KERNEL] = (double)(now() - start);
}

/* Measures start and stop without parking, which only our library has: otherwise its counters stay on from a
 * stop to the next start. */
void library_not_parked(const struct subject *subject, struct result *r)
{
    struct library lib;
    long long values[N_EVENTS];
    int es;
    setenv("PAPI_PARKING", "off", 1);
    if (open_library(subject->path, &lib, r) || initialise(&lib, r) < 0 ||
        (es = make_set(&lib, event_names, N_EVENTS, r)) < 0)
        return;
    r->cost[NOT_PARKED][subject->way] = COST(10, (lib.start(es), lib.stop(es, values)));
}

static void reading(const struct subject *subject, enum row row, const char *const *names, int n,
                    struct result *r)
{
    struct library lib;
    long long values[MANY_EVENTS];
    int es;
    if (open_library(subject->path, &lib, r) || initialise(&lib, r) < 0 ||
        (es = counting_set(&lib, names, n, r)) < 0)
        return;
    r->cost[row][subject->way] = COST(50, lib.read(es, values));
}

void library_one(const struct subject *subject, struct result *r)
{
    reading(subject, READ_ONE, event_names, 1, r);
}

void library_many(const struct subject *subject, struct result *r)
{
    reading(subject, READ_MANY, event_names, MANY_EVENTS, r);
}

void library_derived(const struct subject *subject, struct result *r)
{
    reading(subject, READ_DERIVED, &derived_preset, 1, r);
}

/* ---- event sets of other forms */

/* A new event set that may be given a form. -1 as of make_set. */
static int set_of_form(const struct subject *subject, struct library *lib, struct result *r)
{
    int es = -1;
    if (open_library(subject->path, lib, r) || initialise(lib, r) < 0 ||
        failed(lib, lib->multiplex_init(), "PAPI_multiplex_init", r) ||
        failed(lib, lib->create_eventset(&es), "PAPI_create_eventset", r) ||
        failed(lib, lib->assign_eventset_component(es, 0), "PAPI_assign_eventset_component", r))
        return -1;
    return es;
}

/* A child that sleeps, for as long as this process lives. */
static pid_t sleeping_child(void)
{
    pid_t child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        for (;;)
            pause();
    }
    return child;
}

/* Each event has had its turn when a read succeeds. */
static void read_after_turns(const struct library *lib, int es, enum row row, struct result *r)
{
    const int64_t longest = 400000000;
    long long values[MULTIPLEXED_EVENTS];
    int64_t end = now() + longest;
    int code;
    do
        code = lib->read(es, values);
    while (code != 0 && now() < end);
    if (!failed(lib, code, "PAPI_read", r))
        r->cost[row][BY_KERNEL] = COST(20, lib->read(es, values));
}

void library_multiplexed(const struct subject *subject, struct result *r)
{
    struct library lib;
    int es = set_of_form(subject, &lib, r);
    if (es >= 0 && !failed(&lib, lib.set_multiplex(es), "PAPI_set_multiplex", r) &&
        add_events(&lib, es, event_names, MULTIPLEXED_EVENTS, r) >= 0 &&
        !failed(&lib, lib.start(es), "PAPI_start", r))
        read_after_turns(&lib, es, READ_MULTIPLEXED, r);
}

void library_inherited(const struct subject *subject, struct result *r)
{
    enum { INHERIT = 28, INHERIT_ALL = 1 };
    struct library lib;
    int es = set_of_form(subject, &lib, r), option[64] = {es, INHERIT_ALL};
    if (es < 0 || failed(&lib, lib.set_opt(INHERIT, option), "PAPI_set_opt", r) ||
        add_events(&lib, es, event_names, N_EVENTS, r) < 0 || failed(&lib, lib.start(es), "PAPI_start", r))
        return;
    pid_t child = sleeping_child();
    read_after_turns(&lib, es, READ_INHERITED, r);
    kill(child, SIGKILL);
}

static void attached(const struct subject *subject, enum row row, struct result *r)
{
    struct library lib;
    int es = set_of_form(subject, &lib, r);
    if (es < 0 || (row == READ_PROCESS && lib.attach_process == NULL))
        return;
    pid_t child = sleeping_child();
    int code = row == READ_PROCESS ? lib.attach_process(es, child, 0) : lib.attach(es, (unsigned long)child);
    if (!failed(&lib, code, "PAPI_attach", r) && add_events(&lib, es, event_names, N_EVENTS, r) >= 0 &&
        !failed(&lib, lib.start(es), "PAPI_start", r))
        read_after_turns(&lib, es, row, r);
    kill(child, SIGKILL);
}

void library_attached(const struct subject *subject, struct result *r)
{
    attached(subject, READ_ATTACHED, r);
}

void library_process(const struct subject *subject, struct result *r)
{
    attached(subject, READ_PROCESS, r);
}

/* ---- high level */

/* A region's name at the beginning of a page: strcmp takes longer where it might read beyond the end of one,
 * which is chance. */
static const char region[] __attribute__((aligned(4096))) = "region";

void library_regions(const struct subject *subject, struct result *r)
{
    struct library lib;
    char events[128];
    snprintf(events, sizeof events, "%s,%s", event_names[0], event_names[1]);
    setenv("PAPI_EVENTS", events, 1);
    if (open_library(subject->path, &lib, r) ||
        failed(&lib, lib.hl_region_begin(region), "PAPI_hl_region_begin", r) ||
        failed(&lib, lib.hl_region_end(region), "PAPI_hl_region_end", r))
        return;
    r->cost[REGION][subject->way] = COST(20, (lib.hl_region_begin(region), lib.hl_region_end(region)));
}

typedef void rate_call(float *, float *, long long *, float *, int *);

static void rate(const struct subject *subject, enum row row, const struct library *lib, rate_call *call,
                 const char *name, struct result *r)
{
    float real, process, a_second;
    long long count;
    int code;
    if (call == NULL)
        return;
    call(&real, &process, &count, &a_second, &code);
    if (failed(lib, code, name, r))
        return;
    r->cost[row][subject->way] = COST(20, call(&real, &process, &count, &a_second, &code));
}

void library_flops(const struct subject *subject, struct result *r)
{
    struct library lib;
    if (open_library(subject->path, &lib, r) == 0)
        rate(subject, FLOPS, &lib, lib.papif_flops, "PAPIF_flops", r);
}

void library_ipc(const struct subject *subject, struct result *r)
{
    struct library lib;
    if (open_library(subject->path, &lib, r) == 0)
        rate(subject, IPC, &lib, lib.papif_ipc, "PAPIF_ipc", r);
}

/* ---- overflow */

static void on_overflow(int es, void *address, long long vector, void *context)
{
    (void)es;
    (void)address;
    (void)vector;
    (void)context;
    overflow_noted();
}

void library_overflow(const struct subject *subject, struct result *r)
{
    struct library lib;
    long long value;
    int es, code = 0;
    if (open_library(subject->path, &lib, r) || initialise(&lib, r) < 0 ||
        (es = make_set(&lib, &event_names[1], 1, r)) < 0 ||
        failed(&lib, lib.event_name_to_code(event_names[1], &code), event_names[1], r) ||
        failed(&lib, lib.overflow(es, code, OVERFLOW_PERIOD, 0, on_overflow), "PAPI_overflow", r) ||
        failed(&lib, lib.start(es), "PAPI_start", r))
        return;
    r->cost[OVERFLOW][subject->way] = overflow_cost(r);
    lib.stop(es, &value);
}

/* ---- samples */

struct sampled {
    const struct library *lib;
    int sampler, code;
};

static int take(void *from)
{
    static struct sample samples[64];
    struct sampled *sampled = from;
    int n = 64;
    sampled->code = sampled->lib->sample_read(sampled->sampler, samples, &n);
    return n;
}

void library_samples(const struct subject *subject, struct result *r)
{
    struct library lib;
    struct sampled sampled = {.lib = &lib};
    double taken = 0;
    if (subject->way != BY_KERNEL || open_library(subject->path, &lib, r) || !lib.sample_open ||
        initialise(&lib, r) < 0 ||
        failed(&lib, lib.sample_open(event_names[1], SAMPLE_PERIOD, 0, &sampled.sampler), "PAPI_sample_open",
               r))
        return;
    double without = sampled_work(NULL, NULL, NULL);
    if (failed(&lib, lib.sample_start(sampled.sampler), "PAPI_sample_start", r))
        return;
    double with = sampled_work(take, &sampled, &taken);
    if (failed(&lib, sampled.code, "PAPI_sample_read", r) ||
        failed(&lib, lib.sample_stop(sampled.sampler), "PAPI_sample_stop", r))
        return;
    if (taken > 0)
        r->cost[SAMPLE][BY_KERNEL] = (with - without) / taken;
    else
        snprintf(r->error, sizeof r->error, "no samples came");
}

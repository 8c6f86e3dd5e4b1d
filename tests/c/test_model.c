/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Random calls on several event sets, each compared with a model of what it must return and count.
 * All events are sums of page faults, of which the test makes a known number.
 */
#include "testing.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum { SETS = 4, SEEDS = 5, STEPS = 4000, HISTORY = 20 };

/* ---- the events. Each name is a counter of its own, also where the kernel counts the same. */

enum native {
    ALL,
    ALL_SHORT,
    ALL_USER,
    SMALL,
    SMALL_USER,
    LARGE,
    ALL_NUMBER,
    SMALL_NUMBER,
    SMALL_BOTH,
    NATIVES
};

struct term {
    enum native native;
    int factor;
};

struct event {
    const char *name;
    int n_terms;
    struct term term[2];
    bool derived; /* has no single counter that PAPI_write could set */
};

/* The last needs the right to count in the kernel. */
static const struct event events[] = {
    {FAULTS, 1, {{ALL, 1}}, false},
    {"PAGE-FAULTS", 1, {{ALL_SHORT, 1}}, false},
    {FAULTS ":u", 1, {{ALL_USER, 1}}, false},
    {MINOR, 1, {{SMALL, 1}}, false},
    {"MINOR-FAULTS:u", 1, {{SMALL_USER, 1}}, false},
    {MAJOR, 1, {{LARGE, 1}}, false},
    {"software/config=2/", 1, {{ALL_NUMBER, 1}}, false},
    {"software/config=5/", 1, {{SMALL_NUMBER, 1}}, false},
    {"PAPI_L1_DCM", 1, {{ALL, 1}}, false},
    {"PAPI_L1_ICM", 2, {{ALL, 1}, {SMALL, 1}}, true},
    {"PAPI_L2_DCM", 2, {{ALL, 1}, {LARGE, -1}}, true},
    {"PAPI_L2_ICM", 2, {{ALL, 2}, {SMALL_USER, 1}}, true},
    {"PAPI_L1_TCM", 2, {{ALL, 1}, {SMALL, 0}}, true},
    {"PAPI_L2_TCM", 1, {{ALL, 3}}, true},
    {MINOR ":u:k", 1, {{SMALL_BOTH, 1}}, false},
};

enum { EVENTS = sizeof events / sizeof *events };

static const char presets[] = "CPU,perf\n"
                              "PRESET,PAPI_L1_DCM,NOT_DERIVED," FAULTS "\n"
                              "PRESET,PAPI_L1_ICM,DERIVED_ADD," FAULTS "," MINOR "\n"
                              "PRESET,PAPI_L2_DCM,DERIVED_SUB," FAULTS "," MAJOR "\n"
                              "PRESET,PAPI_L2_ICM,DERIVED_POSTFIX,N0|2|*|N1|+|," FAULTS ",MINOR-FAULTS:u\n"
                              "PRESET,PAPI_L1_TCM,DERIVED_CMPD," FAULTS "," MINOR "\n"
                              "PRESET,PAPI_L2_TCM,DERIVED_POSTFIX,N0|3|*|," FAULTS "\n";

static int codes[EVENTS];
static bool kernel_allowed;

/* ---- the model */

struct model {
    int es;
    bool running;
    int n, event[EVENTS];
    long long count[NATIVES]; /* 0 of those that no event uses */
};

static struct model sets[SETS];

static int position(const struct model *set, int event)
{
    for (int i = 0; i < set->n; i++)
        if (set->event[i] == event)
            return i;
    return -1;
}

static bool uses(const struct model *set, int native)
{
    for (int i = 0; i < set->n; i++)
        for (int t = 0; t < events[set->event[i]].n_terms; t++)
            if (events[set->event[i]].term[t].native == (enum native)native)
                return true;
    return false;
}

static long long value_of(const struct model *set, const struct event *event)
{
    long long value = 0;
    for (int t = 0; t < event->n_terms; t++)
        value += event->term[t].factor * set->count[event->term[t].native];
    return value;
}

static void zero(struct model *set)
{
    memset(set->count, 0, sizeof set->count);
}

static void take_out(struct model *set, int at)
{
    set->n--;
    memmove(&set->event[at], &set->event[at + 1], (size_t)(set->n - at) * sizeof *set->event);
    for (int native = 0; native < NATIVES; native++)
        if (!uses(set, native))
            set->count[native] = 0;
}

static void count(struct model *set, int n)
{
    for (int native = 0; native < NATIVES; native++)
        if (native != LARGE && uses(set, native))
            set->count[native] += n;
}

/* The code of calls that refuse an empty set. */
static int unless_empty(const struct model *set)
{
    return set->n > 0 ? PAPI_OK : PAPI_EINVAL;
}

static int unless_running(const struct model *set)
{
    return set->running ? PAPI_EISRUN : PAPI_OK;
}

/* ---- page faults beside the known ones */

static long long touched, faults_before;

static long long faults_of_thread(void)
{
    struct rusage usage;
    getrusage(RUSAGE_THREAD, &usage);
    return usage.ru_minflt + usage.ru_majflt;
}

/* None, as a rule; but a sanitizer or valgrind may cause them, and a kernel that moves pages. The
 * sets may have counted any of them. */
static long long strange_faults(void)
{
    return faults_of_thread() - faults_before - touched;
}

static void touch(int n)
{
    if (n > 0)
        test_touch_pages(n);
    touched += n;
    for (int i = 0; i < SETS; i++)
        if (sets[i].running)
            count(&sets[i], n);
}

/* ---- comparing */

static unsigned seed;
static int step, n_calls;
static char calls[HISTORY][80];

static void note(const struct model *set, const char *call, const char *argument)
{
    snprintf(calls[n_calls++ % HISTORY], sizeof calls[0], "step %d, set %d: %s %s", step, (int)(set - sets),
             call, argument);
}

static void disagree(const char *what, long long got, long long wanted)
{
    fprintf(stderr, "seed %u, step %d: %s is %lld, not %lld (%lld strange faults). The last calls:\n", seed,
            step, what, got, wanted, strange_faults());
    for (int i = n_calls > HISTORY ? n_calls - HISTORY : 0; i < n_calls; i++)
        fprintf(stderr, "  %s\n", calls[i % HISTORY]);
    test_check(0, what, __FILE__, __LINE__);
}

static void same(const char *what, long long got, long long wanted)
{
    if (got != wanted)
        disagree(what, got, wanted);
}

static void same_value(const struct event *event, long long got, long long wanted)
{
    long long least = wanted, most = wanted, strange = got == wanted ? 0 : strange_faults();
    for (int t = 0; t < event->n_terms; t++) {
        int factor = event->term[t].factor;

        *(factor < 0 ? &least : &most) += factor * strange;
    }
    if (got < least || got > most)
        disagree(event->name, got, wanted);
}

static void same_values(const struct model *set, const long long *values)
{
    for (int i = 0; i < set->n; i++)
        same_value(&events[set->event[i]], values[i], value_of(set, &events[set->event[i]]));
}

static void check_values(const struct model *set)
{
    long long values[EVENTS];
    same("PAPI_read", PAPI_read(set->es, values), unless_empty(set));
    if (set->n > 0)
        same_values(set, values);
}

static void check_set(const struct model *set)
{
    int listed[EVENTS], n = EVENTS, state = 0;
    same("PAPI_state", PAPI_state(set->es, &state), PAPI_OK);
    same("the state", state, set->running ? PAPI_RUNNING : PAPI_STOPPED);
    same("PAPI_list_events", PAPI_list_events(set->es, listed, &n), PAPI_OK);
    same("the number of events", n, set->n);
    for (int i = 0; i < n; i++)
        same("an event's code", listed[i], codes[set->event[i]]);
}

/* ---- the calls */

static uint64_t chance;

/* A pseudo-random number in 0 .. n - 1. */
static int any(int n)
{
    chance = chance * 6364136223846793005U + 1442695040888963407U;
    return (int)((chance >> 33) % (unsigned)n);
}

static int any_event(void)
{
    return any(kernel_allowed ? EVENTS : EVENTS - 1);
}

static void add(struct model *set)
{
    int event = any_event(), wanted = unless_running(set);
    if (wanted == PAPI_OK && position(set, event) >= 0)
        wanted = PAPI_EINVAL;
    note(set, "add", events[event].name);
    same("PAPI_add_event", PAPI_add_event(set->es, codes[event]), wanted);
    if (wanted == PAPI_OK)
        set->event[set->n++] = event;
    check_values(set); /* those of the others stay, a shared counter shows what it has */
}

static void take_away(struct model *set)
{
    int event = any_event(), at = position(set, event), wanted = unless_running(set);
    if (wanted == PAPI_OK && at < 0)
        wanted = PAPI_EINVAL;
    note(set, "remove", events[event].name);
    same("PAPI_remove_event", PAPI_remove_event(set->es, codes[event]), wanted);
    if (wanted == PAPI_OK)
        take_out(set, at);
    check_values(set);
}

static void start(struct model *set)
{
    int wanted = set->running ? PAPI_EISRUN : unless_empty(set);
    note(set, "start", "");
    same("PAPI_start", PAPI_start(set->es), wanted);
    if (wanted != PAPI_OK)
        return;
    set->running = true;
    zero(set);
}

static void stop(struct model *set)
{
    int wanted = set->running ? PAPI_OK : PAPI_ENOTRUN;
    long long values[EVENTS];
    bool ask = any(2);
    note(set, "stop", ask ? "with values" : "without values");
    same("PAPI_stop", PAPI_stop(set->es, ask ? values : NULL), wanted);
    set->running = false;
    if (ask && wanted == PAPI_OK)
        same_values(set, values);
}

static void look(struct model *set)
{
    note(set, "read", "");
    check_values(set);
}

static void accumulate(struct model *set)
{
    long long values[EVENTS];
    for (int i = 0; i < EVENTS; i++)
        values[i] = 1000 * i;
    note(set, "accum", "");
    same("PAPI_accum", PAPI_accum(set->es, values), unless_empty(set));
    for (int i = 0; i < EVENTS; i++)
        values[i] -= 1000 * i;
    same_values(set, values);
    zero(set);
}

static void reset(struct model *set)
{
    note(set, "reset", "");
    same("PAPI_reset", PAPI_reset(set->es), unless_empty(set));
    zero(set);
}

/* Writes values. Where events share a counter, the value of the last one holds. */
static void set_values(struct model *set)
{
    int wanted = unless_empty(set);
    long long values[EVENTS];
    for (int i = 0; i < set->n; i++) {
        values[i] = any(1000) - 500;
        if (events[set->event[i]].derived)
            wanted = PAPI_ECMP;
    }
    note(set, "write", "");
    same("PAPI_write", PAPI_write(set->es, values), wanted);
    for (int i = 0; i < set->n && wanted == PAPI_OK; i++)
        set->count[events[set->event[i]].term[0].native] = values[i];
    check_values(set);
}

/* Changes the domain. All counted work happens in user mode, so every domain counts the same. */
static void change_domain(struct model *set)
{
    static const int domains[] = {0, 0x1000, PAPI_DOM_USER, PAPI_DOM_USER | PAPI_DOM_KERNEL, PAPI_DOM_ALL};
    int i = any(kernel_allowed ? 5 : 3), wanted = unless_running(set);
    PAPI_option_t option;
    if (wanted == PAPI_OK && i < 2)
        wanted = PAPI_EINVAL;
    memset(&option, 0, sizeof option);
    option.domain.eventset = set->es;
    option.domain.domain = domains[i];
    note(set, "domain", "");
    same("PAPI_set_opt", PAPI_set_opt(PAPI_DOMAIN, &option), wanted);
    check_values(set);
}

static void renew(struct model *set)
{
    int stale = set->es;
    same("PAPI_destroy_eventset", PAPI_destroy_eventset(&set->es), PAPI_OK);
    same("the handle", set->es, PAPI_NULL);
    same("PAPI_start of a stale handle", PAPI_start(stale), PAPI_ENOEVST);
    same("PAPI_create_eventset", PAPI_create_eventset(&set->es), PAPI_OK);
    same("PAPI_read of a stale handle", PAPI_read(stale, (long long[EVENTS]){0}), PAPI_ENOEVST);
}

static void clean_up(struct model *set)
{
    if (any(4) > 0) /* or no set would ever be large */
        return;
    note(set, "cleanup", "");
    same("PAPI_cleanup_eventset", PAPI_cleanup_eventset(set->es), unless_running(set));
    if (set->running)
        return;
    set->n = 0;
    zero(set);
    if (any(2))
        renew(set);
}

/* ---- the test */

static void (*const operations[])(struct model *) = {add,        add,           add,     take_away,  start,
                                                     start,      stop,          look,    accumulate, reset,
                                                     set_values, change_domain, clean_up};

static void run(unsigned number)
{
    for (int i = 0; i < SETS; i++) {
        sets[i] = (struct model){.es = PAPI_NULL};
        OK(PAPI_create_eventset(&sets[i].es));
    }
    chance = seed = number;
    n_calls = 0;
    touched = 0;
    faults_before = faults_of_thread();
    for (step = 0; step < STEPS; step++) {
        struct model *set = &sets[any(SETS)];

        operations[any((int)(sizeof operations / sizeof *operations))](set);
        check_set(set);
        touch(any(5));
    }
    for (int i = 0; i < SETS; i++)
        test_drop(sets[i].es);
}

static void find_events(void)
{
    kernel_allowed = PAPI_query_named_event(events[EVENTS - 1].name) == PAPI_OK;
    for (int i = 0; i < EVENTS; i++)
        codes[i] = test_code_of(events[i].name);
}

static void random_calls(void **state)
{
    int exact = 0;
    (void)state;
    test_presets(presets, sizeof presets - 1);
    NEED_SOFTWARE_EVENTS();
    find_events();
    run(0); /* what is used for the first time faults too */
    for (unsigned number = 1; number <= SEEDS; number++) {
        run(number);
        exact += strange_faults() == 0;
        printf("# seed %u: %lld page faults, %lld strange ones\n", number, touched, strange_faults());
    }
    PAPI_shutdown();
    unsetenv("PAPI_CSV_EVENT_FILE");
    if (exact == 0)
        SKIP("exact counts: something else causes page faults here (a sanitizer, valgrind)");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_calls),
    };

    return TEST_RUN(tests);
}

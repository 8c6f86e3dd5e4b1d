/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Random calls on event sets of several components, each compared with a model of what it must return and
 * count: numbers of a library of this program's own (sde), of files below a folder that the test writes (net,
 * coretemp), of instructions where the emulator runs it, and of the kernel for this thread and for a whole
 * CPU. tests/c/test_model.c and test_model_forms.c have more forms of the kernel's events.
 */
#include "folder.h"
#include "sde_lib.h"

#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

enum { SETS = 4, SEEDS = 6, STEPS = 4000, HISTORY = 20 };

/* ---- the events, and the numbers behind them. Events of one counter share its value. */

enum source { LIBRARY, INTERFACE, SENSOR, EMULATOR, KERNEL };
enum number { LOADS, FILLED, CREATED, SECONDS, RECEIVED, SENT, HEAT, ROOTS, DIVISIONS, FAULTED, NUMBERS };
enum counter {
    LOADS_SINCE,
    FILLED_NOW,
    FILLED_SINCE,
    CREATED_SINCE,
    SECONDS_SINCE,
    TWICE_NOW,
    RECEIVED_SINCE,
    SENT_SINCE,
    HEAT_NOW,
    ROOTS_SINCE,
    DIVISIONS_SINCE,
    MINOR_SINCE,
    USER_SINCE,
    COUNTERS
};

static const struct event {
    const char *name;
    enum source source;
    enum number number;
    enum counter counter;
    bool level, writable, real;
    int factor;
} events[] = {
    {"sde:::model::loads", LIBRARY, LOADS, LOADS_SINCE, false, false, false, 1},
    {"sde:::model::filled", LIBRARY, FILLED, FILLED_NOW, true, true, false, 1},
    {"sde:::model::filling", LIBRARY, FILLED, FILLED_SINCE, false, false, false, 1},
    {"sde:::model::created", LIBRARY, CREATED, CREATED_SINCE, false, false, false, 1},
    {"sde:::model::seconds", LIBRARY, SECONDS, SECONDS_SINCE, false, false, true, 1},
    {"sde:::model::twice", LIBRARY, LOADS, TWICE_NOW, true, false, false, 2},
    {"net:::eth0:rx:bytes", INTERFACE, RECEIVED, RECEIVED_SINCE, false, false, false, 1},
    {"net:::eth0:tx:bytes", INTERFACE, SENT, SENT_SINCE, false, false, false, 1},
    {"coretemp:::hwmon0:temp1_input", SENSOR, HEAT, HEAT_NOW, true, false, false, 1},
    {"emu::FP_SQRT_INSTRUCTIONS", EMULATOR, ROOTS, ROOTS_SINCE, false, false, false, 1},
    {"PAPI_FSQ_INS", EMULATOR, ROOTS, ROOTS_SINCE, false, false, false, 1},
    {"emu::FP_DIVIDE_INSTRUCTIONS", EMULATOR, DIVISIONS, DIVISIONS_SINCE, false, false, false, 1},
    {"perf::MINOR-FAULTS", KERNEL, FAULTED, MINOR_SINCE, false, false, false, 1},
    {"perf::MINOR-FAULTS:u", KERNEL, FAULTED, USER_SINCE, false, false, false, 1},
};

enum { EVENTS = sizeof events / sizeof *events };

static int usable[EVENTS], n_usable, codes[EVENTS]; /* usable: those that count here */
static bool has_source[KERNEL + 1];

/* ---- the model */

struct model {
    int es;
    bool running, bound, whole_cpu;
    enum source source;
    int n, event[EVENTS];
    long long count[COUNTERS]; /* of a level: what it showed when the set was stopped */
};

static struct model sets[SETS];
static long long numbers[NUMBERS];

static int position(const struct model *set, int event)
{
    for (int i = 0; i < set->n; i++)
        if (set->event[i] == event)
            return i;
    return -1;
}

static bool uses(const struct model *set, enum counter counter)
{
    for (int i = 0; i < set->n; i++)
        if (events[set->event[i]].counter == counter)
            return true;
    return false;
}

static long long level_of(const struct event *event)
{
    return event->factor * numbers[event->number];
}

static long long value_of(const struct model *set, const struct event *event)
{
    return event->level && set->running ? level_of(event) : set->count[event->counter];
}

static void zero(struct model *set)
{
    for (int i = 0; i < set->n; i++)
        if (!events[set->event[i]].level)
            set->count[events[set->event[i]].counter] = 0;
}

static void forget_unused(struct model *set)
{
    for (int counter = 0; counter < COUNTERS; counter++)
        if (!uses(set, (enum counter)counter))
            set->count[counter] = 0;
}

/* A number grows: each counter of it once in each set. */
static void grow(enum number number, long long by)
{
    numbers[number] += by;
    for (int s = 0; s < SETS; s++) {
        bool done[COUNTERS] = {false};
        for (int i = 0; i < sets[s].n && sets[s].running; i++) {
            const struct event *event = &events[sets[s].event[i]];
            if (event->number != number || event->level || done[event->counter])
                continue;
            done[event->counter] = true;
            sets[s].count[event->counter] += by;
        }
    }
}

/* ---- what the numbers are, outside */

static long long loads, filled;
static double seconds;
static void *created;

static long long twice(void *loads_of)
{
    return 2 * *(long long *)loads_of;
}

static void make_library(void)
{
    papi_handle_t handle = papi_sde_init("model");
    assert_non_null(handle);
    papi_sde_register_counter(handle, "loads", PAPI_SDE_RO | PAPI_SDE_DELTA, PAPI_SDE_long_long, &loads);
    papi_sde_register_counter(handle, "filled", PAPI_SDE_RW | PAPI_SDE_INSTANT, PAPI_SDE_long_long, &filled);
    papi_sde_register_counter(handle, "filling", PAPI_SDE_RO | PAPI_SDE_DELTA, PAPI_SDE_long_long, &filled);
    papi_sde_register_counter(handle, "seconds", PAPI_SDE_RO | PAPI_SDE_DELTA, PAPI_SDE_double, &seconds);
    papi_sde_register_counter_cb(handle, "twice", PAPI_SDE_RO | PAPI_SDE_INSTANT, PAPI_SDE_long_long, twice,
                                 &loads);
    papi_sde_create_counter(handle, "created", PAPI_SDE_DELTA, &created);
}

static void write_file(enum number number)
{
    static const char *const paths[NUMBERS] = {[RECEIVED] = "sys/class/net/eth0/statistics/rx_bytes",
                                               [SENT] = "sys/class/net/eth0/statistics/tx_bytes",
                                               [HEAT] = "sys/class/hwmon/hwmon0/temp1_input"};
    char text[32];
    if (paths[number] == NULL)
        return;
    snprintf(text, sizeof text, "%lld\n", numbers[number]);
    shows(paths[number], text);
}

/* Takes n square roots, each by one instruction, on the processors for which there is an emulator that counts
 * them. */
static void take_roots(int n)
{
    double x = 2;
    for (int i = 0; i < n; i++)
#ifdef __x86_64__
        __asm__ volatile("sqrtsd %0, %0" : "+x"(x));
#elif defined(__aarch64__)
        __asm__ volatile("fsqrt %d0, %d0" : "+w"(x));
#else
        __asm__ volatile("" : "+m"(x));
#endif
}

static void divide(int n)
{
    double x = 2;
    for (int i = 0; i < n; i++)
#ifdef __x86_64__
        __asm__ volatile("divsd %0, %0" : "+x"(x));
#elif defined(__aarch64__)
        __asm__ volatile("fdiv %d0, %d0, %d0" : "+w"(x));
#else
        __asm__ volatile("" : "+m"(x));
#endif
}

/* Touches n fresh pages, with one fault each. */
static void touch_pages(int n)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), size = (size_t)n * page;
    if (n == 0)
        return;
    char *pages = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(pages, MAP_FAILED);
    madvise(pages, size, MADV_NOHUGEPAGE);
    for (int i = 0; i < n; i++)
        ((volatile char *)pages)[(size_t)i * page] = 1;
    munmap(pages, size);
}

static long long faults_before;

static long long faults_of_thread(void)
{
    struct rusage usage;
    getrusage(RUSAGE_THREAD, &usage);
    return usage.ru_minflt + usage.ru_majflt;
}

/* Page faults of this thread beside the known ones: any set may have counted them. */
static long long strange_faults(void)
{
    return faults_of_thread() - faults_before - numbers[FAULTED];
}

static void act(enum number number, int by)
{
    switch (number) {
    case LOADS:
        loads += by;
        break;
    case FILLED:
        filled += by;
        break;
    case CREATED:
        papi_sde_inc_counter(created, by);
        break;
    case SECONDS:
        seconds += by;
        break;
    case ROOTS:
        take_roots(by);
        break;
    case DIVISIONS:
        divide(by);
        break;
    case FAULTED:
        touch_pages(by);
        break;
    default:
        break;
    }
    grow(number, by);
    if (has_source[INTERFACE])
        write_file(number);
}

/* ---- comparing */

static unsigned seed;
static int step, n_calls;
static char calls[HISTORY][100];

static void note(const struct model *set, const char *call, const char *argument)
{
    snprintf(calls[n_calls++ % HISTORY], sizeof calls[0], "step %d, set %d%s: %s %s", step, (int)(set - sets),
             set->running ? " (runs)" : "", call, argument);
}

static void disagree(const char *what, long long got, long long wanted)
{
    fprintf(stderr, "seed %u, step %d: %s is %lld, not %lld (%s). The last calls:\n", seed, step, what, got,
            wanted, got < 0 ? PAPI_strerror((int)got) : "");
    for (int i = n_calls > HISTORY ? n_calls - HISTORY : 0; i < n_calls; i++)
        fprintf(stderr, "  %s\n", calls[i % HISTORY]);
    fail_msg("%s", what);
}

static void same(const char *what, long long got, long long wanted)
{
    if (got != wanted)
        disagree(what, got, wanted);
}

/* A real number is given as its bits. */
static long long as_given(const struct event *event, long long number)
{
    double real = (double)number;
    if (event->real)
        memcpy(&number, &real, sizeof number);
    return number;
}

static long long as_number(const struct event *event, long long given)
{
    double real;
    memcpy(&real, &given, sizeof real);
    return event->real ? (long long)real : given;
}

static void same_value(const struct model *set, const struct event *event, long long given)
{
    long long wanted = value_of(set, event), got = as_number(event, given);
    bool least = event->source == KERNEL && got > wanted;
    if (least && set->whole_cpu)
        return; /* others count there, too */
    if (got != wanted && !(least && got <= wanted + strange_faults()))
        disagree(event->name, got, wanted);
}

static void same_values(const struct model *set, const long long *values)
{
    for (int i = 0; i < set->n; i++)
        same_value(set, &events[set->event[i]], values[i]);
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

static void check_values(const struct model *set)
{
    long long values[EVENTS];
    same("PAPI_read", PAPI_read(set->es, values), unless_empty(set));
    if (set->n > 0)
        same_values(set, values);
}

static void check_set(const struct model *set)
{
    int state = 0, wanted = set->running ? PAPI_RUNNING : PAPI_STOPPED;
    wanted |= set->whole_cpu ? PAPI_CPU_ATTACHED : 0;
    same("PAPI_state", PAPI_state(set->es, &state), PAPI_OK);
    same("the state", state, wanted);
    same("PAPI_num_events", PAPI_num_events(set->es), set->n);
}

/* ---- the calls */

static uint64_t chance;

/* A pseudo-random number in 0 .. n - 1. */
static int any(int n)
{
    chance = chance * 6364136223846793005U + 1442695040888963407U;
    return (int)((chance >> 33) % (unsigned)n);
}

/* An event at random. Most often the set accepts it: a set of one source takes no events of another. */
static int any_event(const struct model *set)
{
    int event = usable[any(n_usable)];
    for (int i = 0; i < 4 && set->bound && events[event].source != set->source && any(2); i++)
        event = usable[any(n_usable)];
    return event;
}

static int wanted_of_add(const struct model *set, int event)
{
    if (set->running)
        return PAPI_EISRUN;
    if (position(set, event) >= 0)
        return PAPI_EINVAL;
    if (set->bound && set->source != events[event].source)
        return PAPI_ECNFLCT;
    return set->whole_cpu && events[event].source != KERNEL ? PAPI_ECMP : PAPI_OK;
}

/* The other values stay. A level of files shows at once what it is, a library's when it is started. */
static void add(struct model *set)
{
    int event = any_event(set), wanted = wanted_of_add(set, event);
    bool shared = uses(set, events[event].counter);
    note(set, "add", events[event].name);
    same("PAPI_add_event", PAPI_add_event(set->es, codes[event]), wanted);
    if (wanted == PAPI_OK) {
        set->bound = true;
        set->source = events[event].source;
        set->event[set->n++] = event;
        if (events[event].level && !shared)
            set->count[events[event].counter] = set->source == LIBRARY ? 0 : level_of(&events[event]);
    }
    check_values(set);
}

static void take_away(struct model *set)
{
    int event = any_event(set), at = position(set, event), wanted = unless_running(set);
    if (wanted == PAPI_OK && at < 0)
        wanted = PAPI_EINVAL;
    note(set, "remove", events[event].name);
    same("PAPI_remove_event", PAPI_remove_event(set->es, codes[event]), wanted);
    if (wanted == PAPI_OK) {
        set->n--;
        memmove(&set->event[at], &set->event[at + 1], (size_t)(set->n - at) * sizeof *set->event);
        forget_unused(set);
    }
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
    if (ask && wanted == PAPI_OK)
        same_values(set, values);
    for (int i = 0; i < set->n && set->running; i++)
        if (events[set->event[i]].level)
            set->count[events[set->event[i]].counter] = level_of(&events[set->event[i]]);
    set->running = false;
}

static void look(struct model *set)
{
    note(set, "read", "");
    check_values(set);
}

static void accumulate(struct model *set)
{
    long long values[EVENTS];
    for (int i = 0; i < set->n; i++)
        values[i] = as_given(&events[set->event[i]], 1000 * i);
    note(set, "accum", "");
    same("PAPI_accum", PAPI_accum(set->es, values), unless_empty(set));
    for (int i = 0; i < set->n; i++) {
        const struct event *event = &events[set->event[i]];
        same_value(set, event, as_given(event, as_number(event, values[i]) - 1000 * i));
    }
    zero(set);
}

static void reset(struct model *set)
{
    note(set, "reset", "");
    same("PAPI_reset", PAPI_reset(set->es), unless_empty(set));
    zero(set);
}

/* A level is written where it is to be another one. Of the events that share a counter, the last one's value
 * holds. Half of the time no level that cannot be written is to change. */
static void set_values(struct model *set)
{
    int wanted = unless_empty(set), written = -1;
    bool careful = any(2);
    long long values[EVENTS], now = 0;
    for (int i = 0; i < set->n; i++) {
        const struct event *event = &events[set->event[i]];
        long long value = any(1000) - 500, before = value_of(set, event);
        if (event->level && !event->writable && careful)
            value = before;
        values[i] = as_given(event, value);
        if (!event->level || value == before || wanted != PAPI_OK)
            continue;
        wanted = event->writable ? PAPI_OK : PAPI_ECMP;
        written = event->writable ? i : written;
    }
    note(set, "write", careful ? "carefully" : "");
    same("PAPI_write", PAPI_write(set->es, values), wanted);
    for (int i = 0; i < set->n && wanted == PAPI_OK; i++)
        if (!events[set->event[i]].level)
            set->count[events[set->event[i]].counter] = as_number(&events[set->event[i]], values[i]);
    if (written >= 0) { /* also where a later one is refused */
        now = values[written];
        grow(FILLED, now - numbers[FILLED]);
        same("what was written", filled, now);
    }
    check_values(set);
}

static void attach(struct model *set)
{
    PAPI_option_t option;
    int wanted = unless_running(set);
    if (!has_source[KERNEL])
        return;
    if (wanted == PAPI_OK && set->bound && set->source != KERNEL)
        wanted = PAPI_ECMP;
    memset(&option, 0, sizeof option);
    option.cpu.eventset = set->es;
    option.cpu.cpu_num = (unsigned)sched_getcpu();
    note(set, "attach", "to the CPU");
    same("PAPI_set_opt(PAPI_CPU_ATTACH)", PAPI_set_opt(PAPI_CPU_ATTACH, &option), wanted);
    set->whole_cpu |= wanted == PAPI_OK;
    check_values(set);
}

static void renew(struct model *set)
{
    int stale = set->es;
    same("PAPI_destroy_eventset", PAPI_destroy_eventset(&set->es), PAPI_OK);
    same("PAPI_start of a stale handle", PAPI_start(stale), PAPI_ENOEVST);
    same("PAPI_create_eventset", PAPI_create_eventset(&set->es), PAPI_OK);
    set->whole_cpu = false;
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
    set->bound = false;
    forget_unused(set);
    if (any(2))
        renew(set);
}

/* ---- the test */

static void (*const operations[])(struct model *) = {add,   add,        add,        take_away, start,
                                                     start, stop,       look,       attach,    accumulate,
                                                     reset, set_values, set_values, clean_up};

static void run(unsigned number)
{
    chance = seed = number;
    n_calls = 0;
    numbers[FAULTED] = 0;
    faults_before = faults_of_thread();
    for (int i = 0; i < SETS; i++) {
        sets[i] = (struct model){.es = PAPI_NULL};
        assert_int_equal(PAPI_create_eventset(&sets[i].es), PAPI_OK);
    }
    for (step = 0; step < STEPS; step++) {
        struct model *set = &sets[any(SETS)];
        operations[any((int)(sizeof operations / sizeof *operations))](set);
        check_set(set);
        act((enum number)any(NUMBERS), any(20));
    }
    for (int i = 0; i < SETS; i++) {
        if (sets[i].running)
            same("PAPI_stop", PAPI_stop(sets[i].es, NULL), PAPI_OK);
        same("PAPI_cleanup_eventset", PAPI_cleanup_eventset(sets[i].es), PAPI_OK);
        same("PAPI_destroy_eventset", PAPI_destroy_eventset(&sets[i].es), PAPI_OK);
    }
}

/* The machine's own interfaces and sensors are not the test's. */
static void find_events(bool in_folder)
{
    static const char *const what[] = {"", "interfaces", "sensors", "the emulator's instructions",
                                       "the kernel's events"};
    n_usable = 0;
    memset(has_source, 0, sizeof has_source);
    for (int i = 0; i < EVENTS; i++)
        if ((in_folder || (events[i].source != INTERFACE && events[i].source != SENSOR)) &&
            PAPI_event_name_to_code(events[i].name, &codes[i]) == PAPI_OK &&
            PAPI_query_event(codes[i]) == PAPI_OK) {
            usable[n_usable++] = i;
            has_source[events[i].source] = true;
        }
    for (int i = 1; i <= KERNEL; i++)
        printf("# %s: %s\n", what[i], has_source[i] ? "counted" : "not here");
}

/* Binds the program to the CPU on which it runs, since counts of a CPU are of what happens there. */
static void stay_on_this_cpu(void)
{
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    sched_setaffinity(0, sizeof one, &one);
}

/* The number of runs; more by hand: TEST_SEEDS=1000. */
static unsigned seeds(void)
{
    const char *text = getenv("TEST_SEEDS");
    return text != NULL ? (unsigned)strtoul(text, NULL, 10) : SEEDS;
}

static void run_all(bool in_folder)
{
    find_events(in_folder);
    assert_true(has_source[LIBRARY]);
    for (unsigned number = 1; number <= seeds(); number++)
        run(number);
}

static void numbers_of_the_program_and_in_files(void **state)
{
    (void)state;
    shows("sys/class/hwmon/hwmon0/name", "model\n");
    for (int number = 0; number < NUMBERS; number++)
        write_file((enum number)number);
    begin_in_folder();
    run_all(true);
    assert_true(has_source[INTERFACE] && has_source[SENSOR]);
}

static void numbers_of_the_program_and_of_this_machine(void **state)
{
    (void)state;
    begin_here();
    stay_on_this_cpu();
    run_all(false);
    if (!has_source[EMULATOR] && !has_source[KERNEL])
        SKIP("neither the kernel counts here nor an emulator");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(numbers_of_the_program_and_in_files),
        IN_FOLDER(numbers_of_the_program_and_of_this_machine),
    };
    make_library();
    return TEST_RUN(tests);
}

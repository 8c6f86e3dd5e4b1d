/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Parked event sets: PAPI_stop leaves the counters on, and nobody can tell by the values. Whether they are
 * on is read from the kernel's own times, by the set's descriptor.
 */
#include "testing.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/perf_event.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- what the kernel says */

/* The descriptor of a counter that was opened last, of a set with one event. */
static int newest_counter(void)
{
    DIR *folder = opendir("/proc/self/fd");
    int newest = -1;
    CHECK(folder != NULL);
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        char path[300], target[64] = "";

        snprintf(path, sizeof path, "/proc/self/fd/%s", entry->d_name);
        if (readlink(path, target, sizeof target - 1) > 0 && strstr(target, "perf_event") != NULL &&
            atoi(entry->d_name) > newest)
            newest = atoi(entry->d_name);
    }
    closedir(folder);
    CHECK(newest >= 0);
    return newest;
}

static uint64_t time_enabled(int counter)
{
    uint64_t reading[3 + 16];
    CHECK(read(counter, reading, sizeof reading) > 0);
    return reading[1];
}

static int is_on(int counter)
{
    uint64_t before = time_enabled(counter);
    test_burn(100000);
    return time_enabled(counter) != before;
}

/* Has ioctl(2) fail with EIO from now on: no counter can be switched. */
static void forbid_switching(void)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_ioctl, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EIO),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {.len = sizeof code / sizeof *code, .filter = code};

    EQUAL(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
    EQUAL(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program), 0);
}

/* The library again, with PAPI_PARKING of this value; NULL: without it. */
static void init_with(const char *parking)
{
    PAPI_shutdown();
    if (parking != NULL)
        EQUAL(setenv("PAPI_PARKING", parking, 1), 0);
    else
        EQUAL(unsetenv("PAPI_PARKING"), 0);
    test_init();
}

/* A body that begins with init_with, in a process of each kind. */
static void parked_or_not(void (*body)(void *))
{
    test_in_child(body, (void *)"on");
    test_in_child(body, (void *)"off");
}

/* Counts pages with a set whose first event is faults. */
static void run(int es, int pages)
{
    long long values[3] = {-1, -1, -1};
    OK(PAPI_start(es));
    test_touch_pages(pages);
    OK(PAPI_stop(es, values));
    COUNTED(values[0], pages);
}

/* ---- what is parked */

static void starts_and_stops_switch_nothing(void *parking)
{
    int es, code;
    init_with(parking);
    es = test_set(FAULTS, MAJOR, NULL);
    OK(PAPI_start(es));
    OK(PAPI_stop(es, NULL));
    forbid_switching();
    if (strcmp(parking, "off") == 0) {
        CODE(PAPI_start(es), PAPI_ESYS);
        return;
    }
    for (int i = 0; i < 100; i++) {
        long long values[2] = {-1, -1};

        code = PAPI_start(es);
        test_touch_pages(20);
        code = code == PAPI_OK ? PAPI_stop(es, i % 2 ? values : NULL) : code;
        OK(code == PAPI_OK && i % 2 == 0 ? PAPI_read(es, values) : code);
        COUNTED(values[0], 20);
        test_touch_pages(100);
    }
}

static void no_switches_while_parked(void **state)
{
    (void)state;
    NEED_SOFTWARE_EVENTS();
    parked_or_not(starts_and_stops_switch_nothing);
}

static int parks_with(const char *value)
{
    int es, on;
    init_with(value);
    es = test_set(FAULTS, NULL);
    run(es, 10);
    on = is_on(newest_counter());
    test_drop(es);
    return on;
}

static void each_value_of_the_variable(void *unused)
{
    static const char *const on[] = {"on", "1", "YES", "true", "", "perhaps", "offf", NULL};
    static const char *const off[] = {"off", "0", "No", "false", NULL};

    (void)unused;
    EQUAL(parks_with(NULL), 1);
    for (int i = 0; on[i] != NULL; i++)
        EQUAL(parks_with(on[i]), 1);
    for (int i = 0; off[i] != NULL; i++)
        EQUAL(parks_with(off[i]), 0);
}

static void told_of_a_wrong_value(void *unused)
{
    char said[256] = "";
    int ends[2];
    (void)unused;
    EQUAL(pipe(ends), 0);
    EQUAL(dup2(ends[1], STDERR_FILENO), STDERR_FILENO);
    setenv("PAPI_VERBOSE", "1", 1);
    init_with("of\033f");
    fflush(stderr);
    CHECK(read(ends[0], said, sizeof said - 1) > 0);
    CHECK(strstr(said, "PAPI_PARKING=of\\x1bf is neither on nor off") != NULL);
}

static void switched_off_by_the_environment(void **state)
{
    (void)state;
    NEED_SOFTWARE_EVENTS();
    test_in_child(each_value_of_the_variable, NULL);
    test_in_child(told_of_a_wrong_value, NULL);
}

static void ignore(int es, void *address, long long vector, void *context)
{
    (void)es;
    (void)address;
    (void)vector;
    (void)context;
}

/* Sets of the other kinds are really stopped. */
static void overflowing(int es, int flags)
{
    run(es, 10); /* parked when it changes */
    OK(PAPI_overflow(es, test_code_of(FAULTS), 100, flags, ignore));
    run(es, 150);
    CHECK(!is_on(newest_counter()));
    OK(PAPI_overflow(es, test_code_of(FAULTS), 0, flags, NULL));
    run(es, 10);
    CHECK(is_on(newest_counter()));
}

static void not_with_overflows(void **state)
{
    int es;
    (void)state;
    NEED_SOFTWARE_EVENTS();
    es = test_set(FAULTS, NULL);
    overflowing(es, 0);
    overflowing(es, PAPI_OVERFLOW_FORCE_SW);
    test_drop(es);
}

/* True if it is on while the process that it counts goes on, which may wait for a processor. */
static int comes_on(int counter, int milliseconds)
{
    uint64_t before = time_enabled(counter);
    for (int i = 0; i < milliseconds && time_enabled(counter) == before; i++)
        usleep(1000);
    return time_enabled(counter) != before;
}

static pid_t start_busy_process(void)
{
    pid_t child = fork();
    if (child == 0) {
        alarm(60);
        for (;;)
            test_burn(100000);
    }
    CHECK(child > 0);
    return child;
}

static void attached_to_another(int es)
{
    long long value = -1;
    pid_t child = start_busy_process();
    OK(PAPI_attach(es, (unsigned long)child));
    OK(PAPI_start(es));
    CHECK(comes_on(newest_counter(), 10000));
    OK(PAPI_stop(es, &value));
    CHECK(!comes_on(newest_counter(), 50));
    OK(PAPI_detach(es));
    EQUAL(kill(child, SIGKILL), 0);
    EQUAL(waitpid(child, NULL, 0), child);
}

static void not_in_other_forms(void **state)
{
    PAPI_option_t option;
    long long value = -1;
    int es;
    (void)state;
    NEED_SOFTWARE_EVENTS();
    es = test_set(FAULTS, NULL);
    run(es, 10);
    OK(PAPI_attach(es, (unsigned long)getpid()));
    run(es, 10);
    CHECK(is_on(newest_counter())); /* it is the calling thread's, as before */
    OK(PAPI_detach(es));
    attached_to_another(es);
    run(es, 10);
    CHECK(is_on(newest_counter()));
    memset(&option, 0, sizeof option);
    option.inherit.eventset = es;
    option.inherit.inherit = PAPI_INHERIT_ALL;
    OK(PAPI_set_opt(PAPI_INHERIT, &option));
    run(es, 10);
    CHECK(!is_on(newest_counter()));
    option.inherit.inherit = PAPI_INHERIT_NONE;
    OK(PAPI_set_opt(PAPI_INHERIT, &option));
    OK(PAPI_set_multiplex(es));
    OK(PAPI_start(es));
    test_touch_pages(10);
    OK(PAPI_stop(es, &value));
    CHECK(!is_on(newest_counter()));
    test_drop(es);
}

/* ---- values */

/* Values are the same whether the counters stay on or not, and the same as those of a model: of three sets,
 * of which one has an event that is derived. */
enum { SETS = 3, OPERATIONS = 400 };

static int next(unsigned *seed, int n)
{
    *seed = *seed * 1103515245 + 12345;
    return (int)(*seed >> 16) % n;
}

static void one_operation(int kind, int es, int *running, long long *value, unsigned *seed)
{
    long long got[1] = {1000}, wanted = *value;
    switch (kind) {
    case 0: /* the one that comes most often, below */
        if (*running)
            OK(PAPI_stop(es, got));
        else
            OK(PAPI_start(es));
        if (*running)
            COUNTED(got[0], wanted);
        else
            *value = 0;
        *running = !*running;
        break;
    case 1:
        OK(PAPI_read(es, got));
        COUNTED(got[0], wanted);
        break;
    case 2:
        OK(PAPI_accum(es, got));
        COUNTED(got[0], wanted + 1000);
        *value = 0;
        break;
    case 3:
        OK(PAPI_reset(es));
        *value = 0;
        break;
    default:
        got[0] = next(seed, 1000);
        OK(PAPI_write(es, got));
        *value = got[0];
        break;
    }
}

static void sequence(unsigned seed)
{
    long long value[SETS] = {0};
    int es[SETS], running[SETS] = {0};
    for (int i = 0; i < SETS; i++)
        es[i] = test_set(FAULTS, NULL);
    for (int i = 0; i < OPERATIONS; i++) {
        int set = next(&seed, SETS), kind = next(&seed, 10), pages = 100 + next(&seed, 100);

        one_operation(kind > 4 ? 0 : kind, es[set], &running[set], &value[set], &seed);
        test_touch_pages(pages);
        for (int j = 0; j < SETS; j++)
            value[j] += running[j] ? pages : 0;
        if (i % 50 == 0) { /* what else has faulted is not to add up */
            for (int j = 0; j < SETS; j++) {
                OK(PAPI_reset(es[j]));
                value[j] = 0;
            }
        }
    }
    for (int i = 0; i < SETS; i++)
        test_drop(es[i]);
}

static void sequences_with(void *parking)
{
    init_with(parking);
    for (unsigned seed = 1; seed <= 3; seed++)
        sequence(seed);
}

static void same_values_parked_or_not(void **state)
{
    (void)state;
    NEED_SOFTWARE_EVENTS();
    parked_or_not(sequences_with);
}

static void between_stop_and_start_nothing_counts(void **state)
{
    long long stopped[1], value[1] = {-1};
    int es;
    (void)state;
    NEED_SOFTWARE_EVENTS();
    es = test_set(FAULTS, NULL);
    for (int i = 0; i < 20; i++) {
        OK(PAPI_start(es));
        test_touch_pages(30);
        OK(PAPI_stop(es, stopped));
        COUNTED(stopped[0], 30);
        test_touch_pages(500);
        OK(PAPI_read(es, value));
        EQUAL(value[0], stopped[0]);
    }
    CHECK(is_on(newest_counter()));
    test_drop(es);
}

static void derived_events(void *unused)
{
    static const char table[] = "CPU,perf\n"
                                "PRESET,PAPI_TOT_INS,DERIVED_ADD,perf::PAGE-FAULTS,perf::MINOR-FAULTS\n"
                                "PRESET,PAPI_TOT_CYC,NOT_DERIVED,perf::PAGE-FAULTS\n";
    int es = PAPI_NULL;

    (void)unused;
    PAPI_shutdown();
    test_presets(table, sizeof table - 1);
    test_init();
    OK(PAPI_create_eventset(&es));
    OK(PAPI_add_event(es, PAPI_TOT_INS));
    OK(PAPI_add_event(es, PAPI_TOT_CYC));
    for (int i = 0; i < 5; i++) {
        long long values[2] = {-1, -1};

        OK(PAPI_start(es));
        test_touch_pages(100);
        OK(PAPI_stop(es, values));
        CHECK(values[0] >= 200 && values[0] <= 200 + 2 * test_slack());
        COUNTED(values[1], 100);
        test_touch_pages(300);
    }
    CHECK(is_on(newest_counter()));
    test_drop(es);
}

static void derived_events_park(void **state)
{
    (void)state;
    NEED_SOFTWARE_EVENTS();
    test_in_child(derived_events, NULL);
}

/* ---- several sets */

static void nested_sets_stay_parked(void **state)
{
    long long a[1], b[1];
    int outer, inner, outer_counter, inner_counter;
    (void)state;
    NEED_SOFTWARE_EVENTS();
    outer = test_set(FAULTS, NULL);
    outer_counter = newest_counter();
    inner = test_set(FAULTS, NULL);
    inner_counter = newest_counter();
    for (int i = 0; i < 10; i++) {
        OK(PAPI_start(outer));
        test_touch_pages(100);
        OK(PAPI_start(inner));
        test_touch_pages(100);
        OK(PAPI_stop(inner, b));
        COUNTED(b[0], 100);
        OK(PAPI_stop(outer, a));
        COUNTED(a[0], 200);
        test_touch_pages(500);
    }
    CHECK(is_on(outer_counter));
    CHECK(is_on(inner_counter));
    test_drop(inner);
    test_drop(outer);
}

/* The start of another set turns parked counters off, and the values stay. After two such losses in a row a
 * set is no longer parked, until it is changed. */
static void sets_in_turn_do_not_park(void **state)
{
    long long value[1] = {-1};
    int set[2], counter[2];
    (void)state;
    NEED_SOFTWARE_EVENTS();
    for (int i = 0; i < 2; i++) {
        set[i] = test_set(FAULTS, NULL);
        counter[i] = newest_counter();
    }
    for (int i = 0; i < 10; i++) {
        run(set[i % 2], 50 + i);
        EQUAL(is_on(counter[i % 2]), i < 4);
        CHECK(!is_on(counter[(i + 1) % 2]));
        if (i > 0) {
            OK(PAPI_read(set[(i + 1) % 2], value));
            COUNTED(value[0], 50 + i - 1);
        }
    }
    OK(PAPI_add_named_event(set[0], MAJOR));
    OK(PAPI_remove_named_event(set[0], MAJOR));
    run(set[0], 10);
    CHECK(is_on(newest_counter()));
    test_drop(set[0]);
    test_drop(set[1]);
}

/* A loss between two resumptions is not counted. */
static void a_rare_loss_is_forgiven(void **state)
{
    int often, seldom, counter;
    (void)state;
    NEED_SOFTWARE_EVENTS();
    seldom = test_set(FAULTS, NULL);
    often = test_set(FAULTS, NULL);
    counter = newest_counter();
    for (int i = 0; i < 6; i++) {
        run(often, 10);
        run(often, 10);
        CHECK(is_on(counter));
        run(seldom, 10);
        CHECK(!is_on(counter));
    }
    test_drop(often);
    test_drop(seldom);
}

static void set_domain(int es)
{
    PAPI_option_t option;
    memset(&option, 0, sizeof option);
    option.domain.eventset = es;
    option.domain.domain = PAPI_DOM_USER;
    OK(PAPI_set_opt(PAPI_DOMAIN, &option));
}

static void add(int es)
{
    OK(PAPI_add_named_event(es, MAJOR));
}

static void take_out(int es)
{
    OK(PAPI_remove_named_event(es, MAJOR));
}

static void attach(int es)
{
    OK(PAPI_attach(es, (unsigned long)getpid()));
}

static void detach(int es)
{
    OK(PAPI_detach(es));
}

static void overflow(int es)
{
    OK(PAPI_overflow(es, test_code_of(FAULTS), 100, 0, ignore));
}

static void no_overflow(int es)
{
    OK(PAPI_overflow(es, test_code_of(FAULTS), 0, 0, NULL));
}

static void multiplex(int es)
{
    OK(PAPI_set_multiplex(es));
}

static void add_refused(int es)
{
    CODE(PAPI_add_named_event(es, "no_such_event"), PAPI_ENOEVNT);
}

/* A change of any set, also one that is refused, finds all counters free; what was counted stays. */
static void a_change_ends_parking(void **state)
{
    static void (*const changes[])(int es) = {add,    take_out, set_domain,  attach,
                                              detach, overflow, no_overflow, multiplex};
    int other, parked, counter;

    (void)state;
    NEED_SOFTWARE_EVENTS();
    other = test_set(FAULTS, NULL);
    parked = test_set(FAULTS, NULL);
    counter = newest_counter();
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        long long before = -1, after = -2;

        run(parked, 20);
        CHECK(is_on(counter));
        OK(PAPI_read(parked, &before));
        changes[i](other);
        CHECK(!is_on(counter));
        OK(PAPI_read(parked, &after));
        EQUAL(after, before);
    }
    run(parked, 20);
    add_refused(other);
    run(parked, 20);
    test_drop(other);
    test_drop(parked);
}

/* The changed set is parked itself. */
static void its_own_change_keeps_the_counts(void **state)
{
    long long values[3] = {-1, -1, -1}, accumulated[3] = {0, 0, 0};
    int es;
    (void)state;
    NEED_SOFTWARE_EVENTS();
    es = test_set(FAULTS, MAJOR, NULL);
    for (int i = 0; i < 5; i++)
        run(es, 100);
    test_touch_pages(500);
    OK(PAPI_add_named_event(es, MINOR));
    OK(PAPI_read(es, values));
    COUNTED(values[0], 100);
    EQUAL(values[2], 0);
    OK(PAPI_start(es));
    test_touch_pages(30);
    OK(PAPI_stop(es, values));
    COUNTED(values[0], 30);
    COUNTED(values[2], 30);
    test_touch_pages(500);
    OK(PAPI_remove_named_event(es, FAULTS));
    OK(PAPI_read(es, values));
    COUNTED(values[1], 30);
    OK(PAPI_accum(es, accumulated));
    EQUAL(accumulated[1], values[1]);
    OK(PAPI_cleanup_eventset(es));
    CODE(PAPI_start(es), PAPI_EINVAL);
    OK(PAPI_add_named_event(es, FAULTS));
    run(es, 40);
    test_drop(es);
}

/* ---- ends */

static void *park_and_end(void *argument)
{
    int es = test_set(FAULTS, NULL);
    (void)argument;
    run(es, 30);
    run(es, 30);
    CHECK(is_on(newest_counter()));
    return NULL;
}

static void a_thread_ends_with_a_parked_set(void **state)
{
    pthread_t thread;
    int before;
    (void)state;
    NEED_SOFTWARE_EVENTS();
    before = test_open_descriptors();
    for (int i = 0; i < 3; i++) {
        EQUAL(pthread_create(&thread, NULL, park_and_end, NULL), 0);
        EQUAL(pthread_join(thread, NULL), 0);
    }
    EQUAL(test_open_descriptors(), before);
}

static void in_the_child(void *argument)
{
    int es = *(int *)argument, own, before = test_open_descriptors();
    long long value = -1;
    CODE(PAPI_start(es), PAPI_ECLOST);
    CODE(PAPI_read(es, &value), PAPI_ECLOST);
    CODE(PAPI_stop(es, &value), PAPI_ECLOST);
    own = test_set(FAULTS, NULL);
    run(own, 20);
    run(own, 20);
    OK(PAPI_destroy_eventset(&es));
    run(own, 20);
    test_drop(own);
    EQUAL(test_open_descriptors(), before);
}

static void a_fork_leaves_the_parent_parked(void **state)
{
    int es, counter;
    (void)state;
    NEED_SOFTWARE_EVENTS();
    es = test_set(FAULTS, NULL);
    counter = newest_counter();
    run(es, 30);
    test_in_child(in_the_child, &es);
    CHECK(is_on(counter));
    run(es, 30);
    test_drop(es);
}

static void a_shutdown_closes_parked_sets(void **state)
{
    int before, es, again, copy;
    (void)state;
    NEED_SOFTWARE_EVENTS();
    before = test_open_descriptors();
    es = test_set(FAULTS, NULL);
    run(es, 30);
    PAPI_shutdown();
    EQUAL(test_open_descriptors(), before);
    CODE(PAPI_start(es), PAPI_ENOINIT);
    test_init();
    again = test_set(FAULTS, NULL);
    run(again, 30);
    copy = dup(newest_counter());
    CHECK(is_on(copy));
    OK(PAPI_cleanup_eventset(again));
    CHECK(is_on(copy)); /* only a last close ends a counter that the program has copied */
    close(copy);
    OK(PAPI_destroy_eventset(&again));
    EQUAL(test_open_descriptors(), before);
}

static void *shut_down(void *argument)
{
    (void)argument;
    PAPI_shutdown();
    return NULL;
}

/* The owner sweeps the set later; until then its counters are off. */
static void another_threads_shutdown_turns_them_off(void **state)
{
    pthread_t thread;
    int es, counter;
    (void)state;
    NEED_SOFTWARE_EVENTS();
    es = test_set(FAULTS, NULL);
    counter = newest_counter();
    run(es, 30);
    CHECK(is_on(counter));
    EQUAL(pthread_create(&thread, NULL, shut_down, NULL), 0);
    EQUAL(pthread_join(thread, NULL), 0);
    CHECK(!is_on(counter));
    CODE(PAPI_start(es), PAPI_ENOINIT);
    test_init();
    es = test_set(FAULTS, NULL);
    run(es, 30);
    test_drop(es);
}

/* ---- what goes wrong */

/* A set's counter, replaced by a dummy event, which answers otherwise, until it is put back. */
struct exchange {
    int counter, kept;
};

static struct exchange take_away(int counter)
{
    struct perf_event_attr attr;
    struct exchange exchange = {counter, dup(counter)};
    int other;
    memset(&attr, 0, sizeof attr);
    attr.size = sizeof attr;
    attr.type = PERF_TYPE_SOFTWARE;
    attr.config = PERF_COUNT_SW_DUMMY;
    attr.disabled = attr.exclude_kernel = attr.exclude_hv = 1;
    other = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
    CHECK(exchange.kept >= 0 && other >= 0);
    EQUAL(dup2(other, counter), counter);
    close(other);
    return exchange;
}

static void put_back(struct exchange exchange)
{
    EQUAL(dup2(exchange.kept, exchange.counter), exchange.counter);
    close(exchange.kept);
}

static void after_a_stop_that_failed(void *parking)
{
    struct exchange exchange;
    long long value = -7;
    int es;
    init_with(parking);
    es = test_set(FAULTS, NULL);
    OK(PAPI_start(es));
    exchange = take_away(newest_counter());
    CODE(PAPI_stop(es, &value), PAPI_ECNFLCT);
    EQUAL(value, -7);
    put_back(exchange);
    CODE(PAPI_read(es, &value), PAPI_ECNFLCT);
    test_touch_pages(500); /* of the run that failed: nobody has stopped the counter */
    run(es, 30);
    run(es, 30);
    test_drop(es);
}

/* Counts of a run whose stop failed are not part of the next run. */
static void a_failed_stop_leaves_nothing(void **state)
{
    (void)state;
    NEED_SOFTWARE_EVENTS();
    parked_or_not(after_a_stop_that_failed);
}

/* The counter is taken away while its set is parked, and is back or not when it starts. */
static void a_start_that_cannot_read_starts_anew(void **state)
{
    struct exchange exchange;
    long long value = -7;
    int es;
    (void)state;
    NEED_SOFTWARE_EVENTS();
    es = test_set(FAULTS, NULL);
    run(es, 30);
    exchange = take_away(newest_counter());
    OK(PAPI_start(es)); /* as any start of a group that finds no counters: the reading says so */
    CODE(PAPI_read(es, &value), PAPI_ECNFLCT);
    CODE(PAPI_stop(es, &value), PAPI_ECNFLCT);
    EQUAL(value, -7);
    put_back(exchange);
    test_touch_pages(500);
    run(es, 30);
    run(es, 30);
    test_drop(es);
}

/* The counts of a parked set cannot be read when another set is started. */
static void an_unreadable_end_of_parking(void **state)
{
    struct exchange exchange;
    long long value = -7;
    int es, other;
    (void)state;
    NEED_SOFTWARE_EVENTS();
    other = test_set(MAJOR, NULL);
    es = test_set(FAULTS, NULL);
    run(es, 30);
    exchange = take_away(newest_counter());
    OK(PAPI_start(other));
    put_back(exchange);
    OK(PAPI_stop(other, NULL));
    OK(PAPI_read(es, &value)); /* of its last run */
    COUNTED(value, 30);
    test_touch_pages(500);
    run(es, 40);
    test_drop(es);
    test_drop(other);
}

/* ---- handlers */

static struct {
    int parked, third;         /* event sets */
    volatile int calls, wrong; /* reads, and those that showed more than one run's pages */
    volatile long long worst;
} seen;

enum { PAGES = 40, BETWEEN = 400 };

/* The third set, started here, displaces the parked one wherever it is interrupted. */
static void read_and_displace(int es, void *address, long long vector, void *context)
{
    long long value = 0;
    ignore(es, address, vector, context);
    seen.calls++;
    if (PAPI_read(seen.parked, &value) != PAPI_OK)
        value = -1;
    if (value < 0 || value > PAGES + test_slack()) {
        seen.wrong++;
        seen.worst = value;
    }
    if (seen.calls % 3 == 0 && PAPI_start(seen.third) == PAPI_OK)
        PAPI_stop(seen.third, NULL);
}

/* Much is interrupted in the short moments of a start and a stop. */
static void start_and_stop_often(void)
{
    long page = sysconf(_SC_PAGESIZE);
    volatile char *memory =
        mmap(NULL, (size_t)page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    CHECK(memory != MAP_FAILED);
    for (int i = 0; i < (test_under_valgrind() ? 2000 : 100000); i++) {
        long long value = -1;

        seen.wrong += PAPI_start(seen.parked) != PAPI_OK;
        memory[0] = 1;
        seen.wrong += PAPI_stop(seen.parked, &value) != PAPI_OK || value < 1 || value > 1 + test_slack();
        madvise((void *)memory, (size_t)page, MADV_DONTNEED);
        memory[0] = 1; /* is not counted */
        madvise((void *)memory, (size_t)page, MADV_DONTNEED);
    }
    munmap((void *)memory, (size_t)page);
}

static void handlers_see_whole_values(void **state)
{
    long long value = -1;
    int ticking, wrong = 0;
    (void)state;
    NEED_SOFTWARE_EVENTS();
    ticking = test_set(CLOCK, NULL);
    seen.third = test_set(MAJOR, NULL);
    seen.parked = test_set(FAULTS, NULL);
    OK(PAPI_overflow(ticking, test_code_of(CLOCK), 100000, 0, read_and_displace));
    OK(PAPI_start(ticking));
    for (int i = 0; i < 3000; i++) {
        OK(PAPI_start(seen.parked));
        if (i % 4 == 0)
            test_touch_pages(PAGES);
        OK(PAPI_stop(seen.parked, &value));
        wrong += i % 4 == 0 ? value < PAGES || value > PAGES + test_slack() : value > test_slack();
        if (i % 8 == 0)
            test_touch_pages(BETWEEN);
    }
    start_and_stop_often();
    PAPI_stop(ticking, NULL); /* samples may be missing, of which it says so */
    CHECK(seen.calls > 100);
    EQUAL(wrong, 0);
    EQUAL(seen.wrong, 0);
    OK(PAPI_overflow(ticking, test_code_of(CLOCK), 0, 0, NULL));
    test_drop(ticking);
    test_drop(seen.third);
    test_drop(seen.parked);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_switches_while_parked),
        cmocka_unit_test(switched_off_by_the_environment),
        cmocka_unit_test(not_with_overflows),
        cmocka_unit_test(not_in_other_forms),
        cmocka_unit_test(same_values_parked_or_not),
        cmocka_unit_test(between_stop_and_start_nothing_counts),
        cmocka_unit_test(derived_events_park),
        cmocka_unit_test(nested_sets_stay_parked),
        cmocka_unit_test(sets_in_turn_do_not_park),
        cmocka_unit_test(a_rare_loss_is_forgiven),
        cmocka_unit_test(a_change_ends_parking),
        cmocka_unit_test(its_own_change_keeps_the_counts),
        cmocka_unit_test(a_thread_ends_with_a_parked_set),
        cmocka_unit_test(a_fork_leaves_the_parent_parked),
        cmocka_unit_test(a_shutdown_closes_parked_sets),
        cmocka_unit_test(another_threads_shutdown_turns_them_off),
        cmocka_unit_test(a_failed_stop_leaves_nothing),
        cmocka_unit_test(a_start_that_cannot_read_starts_anew),
        cmocka_unit_test(an_unreadable_end_of_parking),
        cmocka_unit_test(handlers_see_whole_values),
    };

    return TEST_RUN(tests);
}

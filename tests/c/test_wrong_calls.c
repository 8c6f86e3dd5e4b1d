/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Wrong calls of every function, from the table in wrong_calls.def.
 */
#include "circumstances.h"
#include "testing.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The state of the library in which a row's call is made. */
enum situation {
    NOLIB,   /* the library is not initialised */
    EMPTY,   /* initialised; e.es has no events */
    STOPPED, /* e.es counts e.code and was started and stopped */
    RUNNING, /* e.es is counting e.code */
    CLASSIC, /* PAPI_start_counters(&e.code, 1) */
    RATES,   /* PAPI_flops was called once */
    /* The rest is set up in a child process: */
    FORBIDDEN, /* as EMPTY, and the kernel lets this user count nothing */
    NOFILES,   /* as EMPTY, and no descriptor can be opened */
    FORKED,    /* as STOPPED, then a fork: e.es is the parent's */
    DISABLED,  /* as EMPTY, and component perf_event is switched off */
    /* The row itself makes circumstances, which are for good, or leaves something behind: */
    CHILD_NOLIB,
    CHILD_EMPTY,
    CHILD_STOPPED,
    CHILD_RUNNING,
    CHILD_RECORDED, /* a region was begun and ended */
};

#define NO_NATIVE (PAPI_NATIVE_MASK | 0x3ffffff0) /* no library has as many events */

static struct environment {
    int es, handle, fresh;
    int code, other; /* two events that count */
    int number, codes[4];
    long long values[8], ticks;
    float rtime, ptime, rate;
    double metric, efficiencies[PAPI_EFF_COUNT], shares[8];
    void *pointer;
    char text[PAPI_MAX_STR_LEN];
    PAPI_option_t option;
    PAPI_event_info_t info;
    PAPI_dmem_info_t memory;
    PAPI_all_thr_spec_t all;
} e;

static PAPI_option_t *domain_option(int es, int domain)
{
    memset(&e.option, 0, sizeof e.option);
    e.option.domain.eventset = es;
    e.option.domain.domain = domain;
    return &e.option;
}

static PAPI_option_t *granularity_option(int es, int granularity)
{
    memset(&e.option, 0, sizeof e.option);
    e.option.granularity.eventset = es;
    e.option.granularity.granularity = granularity;
    return &e.option;
}

static PAPI_option_t *multiplex_option(int es, int flags)
{
    memset(&e.option, 0, sizeof e.option);
    e.option.multiplex.eventset = es;
    e.option.multiplex.flags = flags;
    return &e.option;
}

static PAPI_option_t *attach_option(int es, unsigned long tid)
{
    memset(&e.option, 0, sizeof e.option);
    e.option.attach.eventset = es;
    e.option.attach.tid = tid;
    return &e.option;
}

static PAPI_option_t *cpu_option(int es, unsigned cpu)
{
    memset(&e.option, 0, sizeof e.option);
    e.option.cpu.eventset = es;
    e.option.cpu.cpu_num = cpu;
    return &e.option;
}

static PAPI_option_t *inherit_option(int es, int inherit)
{
    memset(&e.option, 0, sizeof e.option);
    e.option.inherit.eventset = es;
    e.option.inherit.inherit = inherit;
    return &e.option;
}

static PAPI_option_t *share_option(int es, int on)
{
    memset(&e.option, 0, sizeof e.option);
    e.option.share.eventset = es;
    e.option.share.on = on;
    return &e.option;
}

static PAPI_option_t *wait_option(int es, double seconds)
{
    memset(&e.option, 0, sizeof e.option);
    e.option.wait.eventset = es;
    e.option.wait.seconds = seconds;
    return &e.option;
}

static PAPI_option_t *address_option(int es)
{
    memset(&e.option, 0, sizeof e.option);
    e.option.addr.eventset = es;
    return &e.option;
}

/* The calling thread's number. */
static unsigned long own(void)
{
    return (unsigned long)getpid();
}

/* A number that no thread has, since it is above PID_MAX_LIMIT. */
#define NO_THREAD 0x40000000UL

static void ignore_overflow(int es, void *address, long long vector, void *context)
{
    (void)es, (void)address, (void)vector, (void)context;
}

static PAPI_sprofil_t *one_region(void)
{
    static PAPI_sprofil_t region;
    region = (PAPI_sprofil_t){e.values, sizeof e.values, NULL, 65536};
    return &region;
}

static PAPI_option_t *debug_option(int level)
{
    memset(&e.option, 0, sizeof e.option);
    e.option.debug.level = level;
    return &e.option;
}

static void **all_threads(int room)
{
    e.all = (PAPI_all_thr_spec_t){.num = room};
    return (void **)&e.all;
}

static void *device(int kind)
{
    void *handle = NULL;
    OK(PAPI_enum_dev_type(kind, &handle));
    return handle;
}

static int cpu_attribute(int id, PAPI_dev_attr_e attribute, void *value)
{
    return PAPI_get_dev_attr(device(PAPI_DEV_TYPE_ENUM__CPU), id, attribute, value);
}

static int *list(int a, int b)
{
    e.codes[0] = a;
    e.codes[1] = b;
    return e.codes;
}

static unsigned long thread_number(void)
{
    return 1;
}

/* Longer than any buffer for names. */
static const char *long_name(void)
{
    static char name[100000];
    if (name[0] == 0) {
        memset(name, 'x', sizeof name - 1);
        memcpy(name, "perf::", 6);
    }
    return name;
}

static PAPI_event_info_t *event_info(int code, const char *symbol, const char *native)
{
    memset(&e.info, 0, sizeof e.info);
    e.info.event_code = (unsigned)code;
    snprintf(e.info.symbol, sizeof e.info.symbol, "%.1000s", symbol);
    strcpy(e.info.derived, "NOT_DERIVED");
    strcpy(e.info.name[0], native);
    return &e.info;
}

static PAPI_event_info_t *endless_info(void)
{
    memset(&e.info, 'x', sizeof e.info);
    e.info.event_code = (unsigned)PAPI_PRESET_MASK;
    return &e.info;
}

/* A set of two events, of which e.code is the first. */
static int two(void)
{
    OK(PAPI_add_event(e.es, e.other));
    return e.es;
}

/* Adds spellings of an event's name, each of which is one of its own, until the set is full. */
static int fill(int es)
{
    char name[] = FAULTS;
    unsigned n;
    for (n = 0; n < 1024; n++) {
        for (unsigned i = 0, bit = 0; name[i] != '\0'; i++)
            if (i >= strlen("perf::") && isalpha((unsigned char)name[i]))
                name[i] = (char)(n >> bit++ & 1 ? tolower(name[i]) : toupper(name[i]));
        if (PAPI_add_named_event(es, name) == PAPI_ECNFLCT)
            return es;
    }
    return PAPI_NULL;
}

/* The code of an event whose name is longer than PAPI_MAX_STR_LEN. */
static int code_of_long_name(void)
{
    char name[2 * PAPI_MAX_STR_LEN] = "perf::PAGE-FAULTS";
    while (strlen(name) < PAPI_MAX_STR_LEN)
        strcat(name, ":u=1");
    OK(PAPI_event_name_to_code(name, &e.number));
    return e.number;
}

/* A file of definitions of events, so many rows, of PAPI_DEFINED0 and so on. */
static char *definitions(const char *name, int n, const char *rest)
{
    static char path[] = "wrong_calls_XXXXXX";
    int fd;
    strcpy(path, "wrong_calls_XXXXXX");
    fd = mkstemp(path);
    CHECK(fd >= 0);
    dprintf(fd, "name,derived,postfix,short_descr,long_descr,note,native\n"); /* takes no memory */
    for (int i = 0; i < n; i++)
        dprintf(fd, "%s%d,%s\n", name, i, rest);
    close(fd);
    return path;
}

static int encode(const char *name, int n, const char *rest, int replace)
{
    char *path = definitions(name, n, rest);
    int code = PAPI_encode_events(path, replace);
    unlink(path);
    return code;
}

/* The code of an event that has one definition. */
static int defined(const char *rest)
{
    OK(encode("DEFINED", 1, rest, 0));
    return test_code_of("DEFINED0");
}

/* The code that a call returns in a thread of which the library does not know; PAPI_OK where no thread can be
 * created. */
static void *call_in_thread(void *argument)
{
    int (**call)(void) = argument;

    return (void *)(intptr_t)(*call)();
}

static int in_new_thread(int (*call)(void))
{
    pthread_t thread;
    void *answer = NULL;
    if (pthread_create(&thread, NULL, call_in_thread, &call) != 0)
        return PAPI_OK;
    pthread_join(thread, &answer);
    return (int)(intptr_t)answer;
}

static int get_specific(void)
{
    return PAPI_get_thr_specific(PAPI_TLS_USR1, &e.pointer);
}

static int set_specific(void)
{
    return PAPI_set_thr_specific(PAPI_TLS_USR1, &e);
}

/* The last error reported to the handler: the code behind an answer of NULL. */
static int code_told;

static int note_code(int code)
{
    code_told = code;
    return 0;
}

static int code_behind(const void *answer)
{
    return answer == NULL ? code_told : PAPI_OK;
}

static void tell_codes(void)
{
    PAPI_option_t option;
    memset(&option, 0, sizeof option);
    option.debug.level = PAPI_VERB_ECONT;
    option.debug.handler = note_code;
    code_told = PAPI_OK;
    PAPI_set_opt(PAPI_DEBUG, &option);
}

static PAPI_option_t *events_file_option(const char *file)
{
    memset(&e.option, 0, sizeof e.option);
    e.option.events_file = (char *)file;
    return &e.option;
}

/* ---- the table */

#define PASTE(a, b) a##b
#define ROW(line) PASTE(row_, line)
#define NOINIT(function, call)                                                                               \
    static int ROW(__LINE__)(void)                                                                           \
    {                                                                                                        \
        return (call);                                                                                       \
    }
#define HANDLE(function, call) NOINIT(function, call)
#define WRONG(situation, function, want, call) NOINIT(function, call)
#define SAFE(function, truth) NOINIT(function, truth)
#include "wrong_calls.def"
#undef NOINIT
#undef HANDLE
#undef WRONG
#undef SAFE

enum kind { KIND_NOINIT, KIND_HANDLE, KIND_WRONG, KIND_SAFE };

static const struct row {
    enum kind kind;
    enum situation situation;
    int want;
    const char *function, *call;
    int (*run)(void);
    int line;
} rows[] = {
#define NOINIT(function, call) {KIND_NOINIT, NOLIB, PAPI_ENOINIT, #function, #call, ROW(__LINE__), __LINE__},
#define HANDLE(function, call) {KIND_HANDLE, EMPTY, PAPI_ENOEVST, #function, #call, ROW(__LINE__), __LINE__},
#define WRONG(situation, function, want, call)                                                               \
    {KIND_WRONG, situation, want, #function, #call, ROW(__LINE__), __LINE__},
#define SAFE(function, truth) {KIND_SAFE, NOLIB, 1, #function, #truth, ROW(__LINE__), __LINE__},
#include "wrong_calls.def"
};
#define ROWS (sizeof rows / sizeof *rows)

/* Reports every wrong row, not the first alone. */
static int wrong_rows;

static int impossible_rows;

static void compare(const struct row *row, int got, int want, const char *where)
{
    if (got == want)
        return;
    if (got == -1001) { /* circumstance_child */
        impossible_rows++;
        return;
    }
    wrong_rows++;
    fprintf(stderr, "wrong_calls.def:%d: %s%s gave %d, not %d\n", row->line, row->call, where, got, want);
}

static void expect(const struct row *row, int want, const char *where)
{
    compare(row, row->run(), want, where);
}

/* ---- situations */

static void reset_environment(void)
{
    memset(&e, 0, sizeof e);
    e.es = e.handle = e.fresh = PAPI_NULL;
    e.code = e.other = PAPI_TOT_INS;
}

static void enter(enum situation situation)
{
    reset_environment();
    if (situation == CHILD_RECORDED) {
        OK(PAPI_hl_region_begin("a"));
        OK(PAPI_hl_region_end("a"));
    }
    if (situation == NOLIB || situation == CHILD_NOLIB || situation == CHILD_RECORDED)
        return;
    if (situation == DISABLED) {
        PAPI_shutdown();
        OK(PAPI_disable_component_by_name("perf_event"));
    }
    test_init();
    e.code = test_code_of(FAULTS);
    e.other = test_code_of(CLOCK);
    OK(PAPI_create_eventset(&e.es));
    if (situation == STOPPED || situation == RUNNING || situation == FORKED || situation == CHILD_STOPPED ||
        situation == CHILD_RUNNING) {
        OK(PAPI_add_event(e.es, e.code));
        OK(PAPI_start(e.es));
    }
    if (situation == STOPPED || situation == FORKED || situation == CHILD_STOPPED)
        OK(PAPI_stop(e.es, NULL));
    if (situation == CLASSIC)
        OK(PAPI_start_counters(&e.code, 1));
    if (situation == RATES)
        OK(PAPI_flops(&e.rtime, &e.ptime, &e.ticks, &e.rate));
}

static void enter_child(const struct row *row)
{
    enter(row->situation);
    if (row->situation == FORBIDDEN)
        circumstance_forbidden();
    if (row->situation == NOFILES) {
        PAPI_query_event(PAPI_FP_OPS); /* the table of presets is a file, too */
        circumstance_no_files();
    }
    if (row->situation == FORKED)
        circumstance_forked();
}

static int run_in_child(void *argument)
{
    const struct row *row = argument;
    enter_child(row);
    return row->run();
}

static void leave(void)
{
    PAPI_shutdown();
    EQUAL(PAPI_is_initialized(), PAPI_NOT_INITED);
}

static void wrong_arguments_and_states(void **state)
{
    (void)state;
    NEED_SOFTWARE_EVENTS();
    PAPI_shutdown();
    wrong_rows = 0;
    for (size_t i = 0; i < ROWS; i++) {
        if (rows[i].kind != KIND_WRONG || rows[i].want == PAPI_ENOMEM)
            continue;
        if (rows[i].situation >= FORBIDDEN) {
            compare(&rows[i], circumstance_child(run_in_child, (void *)&rows[i]), rows[i].want,
                    " in a child");
            continue;
        }
        enter(rows[i].situation);
        expect(&rows[i], rows[i].want, "");
        leave();
    }
    if (impossible_rows > 0)
        test_skipping("%d rows whose circumstance cannot be made under valgrind", impossible_rows);
    EQUAL(wrong_rows, 0);
}

#define NONE_REFUSED 1 /* no row wants it */
#define CRASHED -1000  /* circumstance_child */

static int allowed; /* allocations */

static int run_without_memory(void *argument)
{
    const struct row *row = argument;
    int got;
    enter_child(row);
    circumstance_allocations(allowed);
    got = row->run();
    return circumstance_allocations(-1) > 0 ? got : NONE_REFUSED;
}

/* The call while its allocations after the first n fail: how many it asked for in vain. */
static int with_allocations(const struct row *row, int n, int *told)
{
    int refused, got;
    allowed = n;
    if (row->situation >= FORBIDDEN) {
        got = circumstance_child(run_without_memory, (void *)row);
        if (got == CRASHED)
            _exit(1);                                      /* as does the sweep */
        refused = got != NONE_REFUSED && got != row->want; /* one answer: a process each takes time */
    } else {
        enter(row->situation);
        circumstance_allocations(n);
        got = row->run();
        refused = circumstance_allocations(-1);
        leave();
    }
    *told += got == row->want;
    return refused;
}

/* The allocations of a call fail, each in its turn, until none does. The answer then is PAPI_ENOMEM, or the
 * call does without the memory. A list of events takes thousands that are alike: of those between the first
 * ones and the last ones a few are enough, and where each takes a process the first answer. */
static int sweep(void *argument)
{
    enum { SINGLY = 32, MOST = 100000 };
    const struct row *row = argument;
    int told = 0, below = -1, n = 0;

    while (n < MOST && with_allocations(row, n, &told) > 0) {
        below = n;
        n += n < SINGLY ? 1 : n / 4;
    }
    if (n >= MOST)
        return NONE_REFUSED;
    if (row->situation >= FORBIDDEN)
        return told > 0 ? row->want : PAPI_OK;
    while (n - below > 1) { /* how many they are */
        int middle = below + (n - below) / 2;
        if (with_allocations(row, middle, &told) > 0)
            below = middle;
        else
            n = middle;
    }
    for (int last = n - 1; last > SINGLY && last > n - SINGLY; last--)
        with_allocations(row, last, &told);
    return told > 0 ? row->want : PAPI_OK;
}

/* Tries a row without memory, in a child process: a crash, or a lock that is never released, is reported, and
 * the other rows are tried. */
static void try_without_memory(const struct row *row)
{
    compare(row, circumstance_child(sweep, (void *)row), row->want, " without memory");
}

static void out_of_memory(void **state)
{
    (void)state;
    NEED_SOFTWARE_EVENTS();
    if (!circumstance_refuses())
        SKIP("the allocator of a sanitizer or of valgrind never refuses");
    wrong_rows = 0;
    for (size_t i = 0; i < ROWS; i++)
        if (rows[i].kind == KIND_WRONG && rows[i].want == PAPI_ENOMEM)
            try_without_memory(&rows[i]);
    EQUAL(wrong_rows, 0);
}

#define without_memory(call)                                                                                 \
    (circumstance_allocations(0), e.number = (call), circumstance_allocations(-1), e.number)

/* Takes away only the library's own memory, which it asks for first: hwloc ends a program for which it has
 * none. */
static void devices_without_memory(void **state)
{
    void *cpu;
    (void)state;
    if (!circumstance_refuses())
        SKIP("the allocator of a sanitizer never refuses");
    test_init();
    cpu = device(PAPI_DEV_TYPE_ENUM__CPU);
    CODE(without_memory(PAPI_get_dev_type_attr(cpu, PAPI_DEV_TYPE_ATTR__INT_COUNT, &e.number)), PAPI_ENOMEM);
    CODE(without_memory(PAPI_get_dev_attr(cpu, 0, PAPI_DEV_ATTR__CPU_UINT_FAMILY, &e.number)), PAPI_ENOMEM);
    OK(PAPI_get_dev_attr(cpu, 0, PAPI_DEV_ATTR__CPU_UINT_FAMILY, &e.number));
    leave();
}

/* Calls before the library is initialised, first of all tests; and again after a shutdown. */
static void before_initialisation(void **state)
{
    (void)state;
    wrong_rows = 0;
    for (int round = 0; round < 2; round++) {
        for (size_t i = 0; i < ROWS; i++) {
            if (rows[i].kind != KIND_NOINIT && rows[i].kind != KIND_HANDLE)
                continue;
            reset_environment();
            e.handle = 0;
            expect(&rows[i], PAPI_ENOINIT, " before PAPI_library_init");
            EQUAL(PAPI_is_initialized(), PAPI_NOT_INITED);
        }
        test_init();
        PAPI_shutdown();
    }
    EQUAL(wrong_rows, 0);
}

static void never_an_error(void **state)
{
    (void)state;
    wrong_rows = 0;
    for (size_t i = 0; i < ROWS; i++) {
        if (rows[i].kind != KIND_SAFE)
            continue;
        reset_environment();
        expect(&rows[i], 1, " before PAPI_library_init");
        test_init();
        expect(&rows[i], 1, " after PAPI_library_init");
        leave();
    }
    EQUAL(wrong_rows, 0);
}

/* ---- handles */

static void try_handle(int handle, const char *where)
{
    for (size_t i = 0; i < ROWS; i++) {
        if (rows[i].kind != KIND_HANDLE)
            continue;
        e.handle = handle;
        expect(&rows[i], PAPI_ENOEVST, where);
    }
}

static void handles_of_no_event_set(void **state)
{
    static const int absurd[] = {PAPI_NULL, -2, 123456, INT_MAX, INT_MIN, 0x40000000};
    (void)state;
    NEED_SOFTWARE_EVENTS();
    wrong_rows = 0;
    enter(STOPPED);
    for (size_t i = 0; i < sizeof absurd / sizeof *absurd; i++)
        try_handle(absurd[i], " with a handle of nothing");
    leave();
    EQUAL(wrong_rows, 0);
}

static void handles_of_destroyed_event_sets(void **state)
{
    int stale, again;
    (void)state;
    NEED_SOFTWARE_EVENTS();
    wrong_rows = 0;
    enter(STOPPED);
    stale = again = test_set(CLOCK, NULL);
    test_drop(again);
    try_handle(stale, " with a destroyed set");
    stale = e.es;
    leave();
    enter(NOLIB);
    test_init();
    e.code = e.other = test_code_of(FAULTS);
    try_handle(stale, " with a set from before PAPI_shutdown");
    leave();
    EQUAL(wrong_rows, 0);
}

struct owner {
    int es;
    sem_t made, done;
    bool unharmed;
};

static void *own_a_set(void *argument)
{
    struct owner *owner = argument;
    long long value = -1;
    owner->es = test_set(FAULTS, NULL);
    OK(PAPI_start(owner->es));
    sem_post(&owner->made);
    sem_wait(&owner->done);
    test_touch_pages(10);
    OK(PAPI_stop(owner->es, &value));
    EQUAL(PAPI_num_events(owner->es), 1);
    owner->unharmed = value >= 10;
    test_drop(owner->es);
    return NULL;
}

static void handles_of_another_thread(void **state)
{
    struct owner owner = {.es = PAPI_NULL};
    pthread_t thread;
    (void)state;
    NEED_SOFTWARE_EVENTS();
    wrong_rows = 0;
    enter(STOPPED);
    sem_init(&owner.made, 0, 0);
    sem_init(&owner.done, 0, 0);
    EQUAL(pthread_create(&thread, NULL, own_a_set, &owner), 0);
    sem_wait(&owner.made);
    /* Two sets of this thread: if handles were counted by thread, they would now be the other's too. */
    test_set(CLOCK, NULL);
    try_handle(owner.es, " with a set of another thread");
    sem_post(&owner.done);
    pthread_join(thread, NULL);
    CHECK(owner.unharmed);
    EQUAL(PAPI_num_events(e.es), 1);
    leave();
    EQUAL(wrong_rows, 0);
}

/* A refused call changes nothing. */
static void refused_calls_leave_the_set_alone(void **state)
{
    int codes[4], n = 4;
    (void)state;
    NEED_SOFTWARE_EVENTS();
    enter(STOPPED);
    for (size_t i = 0; i < ROWS; i++) {
        if (rows[i].kind != KIND_WRONG || rows[i].situation != STOPPED || rows[i].want > 0 ||
            rows[i].want == PAPI_ENOMEM)
            continue;
        rows[i].run();
        n = 4;
        OK(PAPI_list_events(e.es, codes, &n));
        EQUAL(n, 1);
        EQUAL(codes[0], e.code);
    }
    OK(PAPI_start(e.es));
    test_touch_pages(20);
    OK(PAPI_stop(e.es, e.values));
    COUNTED(e.values[0], 20);
    leave();
}

/* ---- completeness: what papi.h declares is what the table has */

__asm__(".pushsection .rodata\n"
        "papi_header: .incbin \"" PAPI_HEADER "\"\n"
        ".byte 0\n"
        ".popsection\n");
extern const char papi_header[];

/* The header without comments and without the preprocessor's lines. */
static char *declarations(void)
{
    char *out = calloc(1, strlen(papi_header) + 1), *to = out;
    const char *from = papi_header;
    bool line_start = true;
    CHECK(out != NULL);
    while (*from) {
        if (strncmp(from, "/*", 2) == 0) {
            from = strstr(from, "*/") + 2;
        } else if (line_start && *from == '#') {
            do
                from += strcspn(from, "\n") + 1;
            while (from[-2] == '\\');
        } else {
            line_start = *from == '\n';
            *to++ = *from++;
        }
    }
    return out;
}

static bool in_table(const char *name, size_t length)
{
    for (size_t i = 0; i < ROWS; i++)
        if (strlen(rows[i].function) == length && memcmp(rows[i].function, name, length) == 0)
            return true;
    return false;
}

static size_t identifier(const char *text)
{
    size_t n = 0;
    while (isalnum((unsigned char)text[n]) || text[n] == '_')
        n++;
    return n;
}

/* True if a function of this name is declared in the text. */
static bool declared(const char *text, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = text; (at = strstr(at, name)) != NULL; at += length)
        if (identifier(at) == length && at[length] == '(')
            return true;
    return false;
}

static void table_is_complete(void **state)
{
    char *text = declarations();
    int functions = 0, missing = 0;
    (void)state;
    for (const char *at = text; (at = strstr(at, "PAPI_")) != NULL;) {
        size_t length = identifier(at);

        if (at[length] == '(') {
            functions++;
            if (!in_table(at, length)) {
                fprintf(stderr, "papi.h declares %.*s, the table has no row of it\n", (int)length, at);
                missing++;
            }
        }
        at += length;
    }
    for (size_t i = 0; i < ROWS; i++) {
        if (declared(text, rows[i].function))
            continue;
        fprintf(stderr, "wrong_calls.def:%d: papi.h declares no %s\n", rows[i].line, rows[i].function);
        missing++;
    }
    free(text);
    CHECK(functions > 50);
    EQUAL(missing, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(table_is_complete),
        cmocka_unit_test(before_initialisation),
        cmocka_unit_test(never_an_error),
        cmocka_unit_test(wrong_arguments_and_states),
        cmocka_unit_test(out_of_memory),
        cmocka_unit_test(devices_without_memory),
        cmocka_unit_test(handles_of_no_event_set),
        cmocka_unit_test(handles_of_destroyed_event_sets),
        cmocka_unit_test(handles_of_another_thread),
        cmocka_unit_test(refused_calls_leave_the_set_alone),
    };

    test_software_presets();
    return TEST_RUN(tests);
}

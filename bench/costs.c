/* SPDX-License-Identifier: BSD-3-Clause
 *
 * costs OURS [THEIRS]: what the calls of a libpapi cost, in instructions of user and kernel mode,
 * beside bare system calls and another libpapi. Runs on the emulated node, where a nanosecond of
 * clock_gettime is an instruction, as root (it sets kernel.perf_user_access). Status 1: ours costs
 * more than its limit.
 *
 * Both libraries are opened by name and called through the interface's own types, so that neither's
 * header is needed. Every subject is measured in fresh processes.
 */
#include <dlfcn.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum row {
    READ,
    READ_USER,
    ACCUM,
    RESET,
    RESET_USER,
    START_STOP,
    INIT,
    REAL_USEC,
    VIRT_USEC,
    PAPIF_READ,
    N_ROWS
};
enum subject { BARE, THEIRS, OURS, N_SUBJECTS };

/* The kernel alone knows a thread's CPU time: no call can cost less than the system call that asks. */
#define AS_BARE 0

static const struct {
    const char *call;
    double limit;
} rows[N_ROWS] = {
    [READ] = {"PAPI_read", 2640},
    [READ_USER] = {"PAPI_read, user-space reads allowed", 110},
    [ACCUM] = {"PAPI_accum", 2660},
    [RESET] = {"PAPI_reset", 2600},
    [RESET_USER] = {"PAPI_reset, user-space reads allowed", 110},
    [START_STOP] = {"PAPI_start + PAPI_stop", 10400},
    [INIT] = {"PAPI_library_init", 400000},
    [REAL_USEC] = {"PAPI_get_real_usec", 80},
    [VIRT_USEC] = {"PAPI_get_virt_usec", AS_BARE},
    [PAPIF_READ] = {"PAPIF_read over PAPI_read", 15},
};

/* What one process measured; negative: it did not. */
struct result {
    double cost[N_ROWS];
    char error[256];
};

static const char *const event_names[2] = {"arm_n1::INST_RETIRED", "arm_n1::CPU_CYCLES"};

/* ------------------------------------------------------------- measuring */

static int64_t now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double median(double *samples, int n)
{
    qsort(samples, (size_t)n, sizeof *samples, compare);
    return samples[n / 2];
}

/* The clock advances in steps of 16 and its interrupt comes every few million instructions: many
 * short batches, of which the median saw neither. */
#define BATCHES 31
#define RAW_COST(calls, statement)                                                                           \
    __extension__({                                                                                          \
        double samples[BATCHES];                                                                             \
        for (int batch = 0; batch < BATCHES; batch++) {                                                      \
            int64_t start = now();                                                                           \
            for (int call = 0; call < (calls); call++) {                                                     \
                statement;                                                                                   \
                __asm__ volatile("" ::: "memory");                                                           \
            }                                                                                                \
            samples[batch] = (double)(now() - start) / (calls);                                              \
        }                                                                                                    \
        median(samples, BATCHES);                                                                            \
    })
#define COST(calls, statement) (RAW_COST(calls, statement) - RAW_COST(calls, (void)0))

/* ----------------------------------------------------- bare system calls */

static int open_bare(uint64_t config, int leader, int user)
{
    struct perf_event_attr attr;

    memset(&attr, 0, sizeof attr);
    attr.size = sizeof attr;
    attr.type = PERF_TYPE_HARDWARE;
    attr.config = config;
    attr.config1 = user ? 2 : 0; /* arm64: this counter is to be read by the program */
    attr.disabled = leader < 0;
    attr.exclude_kernel = attr.exclude_hv = 1;
    attr.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
    return (int)syscall(SYS_perf_event_open, &attr, 0, -1, leader, PERF_FLAG_FD_CLOEXEC);
}

#if defined(__aarch64__)
static inline uint64_t counter(uint32_t i)
{
    uint64_t value = 0;

#define CASE(n)                                                                                              \
    case n:                                                                                                  \
        __asm__ volatile("mrs %0, pmevcntr" #n "_el0" : "=r"(value));                                        \
        break
    switch (i) {
        CASE(0);
        CASE(1);
        CASE(2);
        CASE(3);
        CASE(4);
        CASE(5);
    case 31:
        __asm__ volatile("mrs %0, pmccntr_el0" : "=r"(value));
        break;
    }
    return value;
}

/* The kernel's recipe in linux/perf_event.h. */
static inline uint64_t read_page(const volatile struct perf_event_mmap_page *page)
{
    uint32_t sequence, i;
    uint64_t value;

    do {
        sequence = page->lock;
        __asm__ volatile("" ::: "memory");
        value = (uint64_t)page->offset;
        i = page->index;
        if (i) {
            unsigned shift = 64u - page->pmc_width;
            value += (uint64_t)((int64_t)(counter(i - 1) << shift) >> shift);
        }
        __asm__ volatile("" ::: "memory");
    } while (page->lock != sequence);
    return value;
}
#endif

static void measure_bare(struct result *r, int user)
{
    uint64_t values[5];
    struct timespec t;
    int leader = open_bare(PERF_COUNT_HW_INSTRUCTIONS, -1, user);
    int second = open_bare(PERF_COUNT_HW_CPU_CYCLES, leader, user);

    if (leader < 0 || second < 0) {
        snprintf(r->error, sizeof r->error, "the kernel opens no counters here");
        return;
    }
    if (user) {
#if defined(__aarch64__)
        volatile struct perf_event_mmap_page *page[2];
        page[0] = mmap(NULL, (size_t)getpagesize(), PROT_READ, MAP_SHARED, leader, 0);
        page[1] = mmap(NULL, (size_t)getpagesize(), PROT_READ, MAP_SHARED, second, 0);
        if (page[0] == MAP_FAILED || page[1] == MAP_FAILED || !page[0]->cap_user_rdpmc) {
            snprintf(r->error, sizeof r->error, "the kernel allows no user-space reads");
            return;
        }
        ioctl(leader, PERF_EVENT_IOC_ENABLE, 0);
        r->cost[READ_USER] = COST(100, (values[0] = read_page(page[0]), values[1] = read_page(page[1])));
#endif
        return;
    }
    r->cost[START_STOP] =
        COST(10, (ioctl(leader, PERF_EVENT_IOC_ENABLE, 0), ioctl(leader, PERF_EVENT_IOC_DISABLE, 0),
                  read(leader, values, sizeof values)));
    ioctl(leader, PERF_EVENT_IOC_ENABLE, 0);
    r->cost[READ] = r->cost[ACCUM] = COST(50, read(leader, values, sizeof values));
    r->cost[REAL_USEC] = COST(100, clock_gettime(CLOCK_MONOTONIC, &t));
    r->cost[VIRT_USEC] = COST(50, clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t));
}

/* ------------------------------------------------------------ a library */

struct library {
    int (*library_init)(int);
    int (*create_eventset)(int *);
    int (*add_named_event)(int, const char *);
    int (*start)(int);
    int (*stop)(int, long long *);
    int (*read)(int, long long *);
    int (*accum)(int, long long *);
    int (*reset)(int);
    long long (*get_real_usec)(void);
    long long (*get_virt_usec)(void);
    void (*papif_read)(int *, long long *, int *);
    char *(*strerror)(int);
};

static int open_library(const char *path, struct library *lib, struct result *r)
{
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    struct {
        const char *name;
        void *pointer;
    } symbols[] = {
        {"PAPI_library_init", &lib->library_init},
        {"PAPI_create_eventset", &lib->create_eventset},
        {"PAPI_add_named_event", &lib->add_named_event},
        {"PAPI_start", &lib->start},
        {"PAPI_stop", &lib->stop},
        {"PAPI_read", &lib->read},
        {"PAPI_accum", &lib->accum},
        {"PAPI_reset", &lib->reset},
        {"PAPI_get_real_usec", &lib->get_real_usec},
        {"PAPI_get_virt_usec", &lib->get_virt_usec},
        {"papif_read_", &lib->papif_read},
        {"PAPI_strerror", &lib->strerror},
    };

    if (!handle) {
        snprintf(r->error, sizeof r->error, "%s", dlerror());
        return -1;
    }
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
        void *address = dlsym(handle, symbols[i].name);
        memcpy(symbols[i].pointer, &address, sizeof address);
        if (!address) {
            snprintf(r->error, sizeof r->error, "%s: no %s", path, symbols[i].name);
            return -1;
        }
    }
    return 0;
}

/* The library's version is not known beforehand: the first that it takes. */
static int initialise(const struct library *lib, struct result *r)
{
    for (int minor = 0; minor < 10; minor++) {
        int version = 7 << 24 | minor << 16;
        int64_t start = now();
        int code = lib->library_init(version);
        r->cost[INIT] = (double)(now() - start);
        if (code == version)
            return 0;
    }
    r->cost[INIT] = -1;
    snprintf(r->error, sizeof r->error, "PAPI_library_init takes no version 7");
    return -1;
}

static void measure_library(const char *path, struct result *r, int user)
{
    struct library lib;
    long long values[2] = {0, 0};
    int es = -1, code = 0;
    double direct;

    if (open_library(path, &lib, r) || initialise(&lib, r))
        return;
    code = lib.create_eventset(&es);
    for (int i = 0; i < 2 && code == 0; i++)
        code = lib.add_named_event(es, event_names[i]);
    if (code == 0)
        code = lib.start(es);
    if (code != 0) {
        snprintf(r->error, sizeof r->error, "counting %s: %s", event_names[0], lib.strerror(code));
        return;
    }
    direct = COST(50, lib.read(es, values));
    if (user) {
        r->cost[READ_USER] = COST(100, lib.read(es, values));
        r->cost[RESET_USER] = COST(100, lib.reset(es));
        r->cost[INIT] = -1;
        return;
    }
    r->cost[READ] = direct;
    r->cost[PAPIF_READ] = COST(50, lib.papif_read(&es, values, &code)) - direct;
    r->cost[ACCUM] = COST(20, lib.accum(es, values));
    r->cost[RESET] = COST(20, lib.reset(es));
    lib.stop(es, values);
    r->cost[START_STOP] = COST(10, (lib.start(es), lib.stop(es, values)));
    r->cost[REAL_USEC] = COST(100, lib.get_real_usec());
    r->cost[VIRT_USEC] = COST(50, lib.get_virt_usec());
}

/* ---------------------------------------------------------------- the table */

#define PROCESSES 3

/* The median of several processes, so that the one measurement of each is no chance value either. */
static void measure(const char *path, int user, struct result *total)
{
    struct result *r = mmap(NULL, sizeof *r, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    double samples[N_ROWS][PROCESSES];

    for (int process = 0; process < PROCESSES; process++) {
        int status = 0;
        pid_t child;

        for (int row = 0; row < N_ROWS; row++)
            r->cost[row] = -1e9;
        r->error[0] = '\0';
        child = fork();
        if (child == 0) {
            if (path)
                measure_library(path, r, user);
            else
                measure_bare(r, user);
            _exit(0);
        }
        waitpid(child, &status, 0);
        if (status && !r->error[0])
            snprintf(r->error, sizeof r->error, "the measurement ended with status %d", status);
        if (r->error[0])
            memcpy(total->error, r->error, sizeof total->error);
        for (int row = 0; row < N_ROWS; row++)
            samples[row][process] = r->cost[row];
    }
    for (int row = 0; row < N_ROWS; row++) {
        double value = median(samples[row], PROCESSES);
        if (value > -1e6 && !(row == INIT && value < 0))
            total->cost[row] = value;
    }
    munmap(r, sizeof *r);
}

static int allow_user_reads(int allowed)
{
    FILE *file = fopen("/proc/sys/kernel/perf_user_access", "w");

    if (!file)
        return -1;
    fprintf(file, "%d\n", allowed);
    return fclose(file);
}

static void print_cell(double value)
{
    if (value < -1e6)
        printf("%14s", "-");
    else
        printf("%14.0f", value);
}

int main(int argc, char **argv)
{
    struct result total[N_SUBJECTS];
    const char *paths[N_SUBJECTS] = {NULL, argc > 2 ? argv[2] : NULL, argc > 1 ? argv[1] : NULL};
    int over = 0;

    if (argc < 2) {
        fprintf(stderr, "usage: costs OURS [THEIRS]\n");
        return 2;
    }
    setvbuf(stdout, NULL, _IONBF, 0); /* nothing to be printed twice by the children */
    for (int subject = 0; subject < N_SUBJECTS; subject++) {
        total[subject].error[0] = '\0';
        for (int row = 0; row < N_ROWS; row++)
            total[subject].cost[row] = -1e9;
        if (subject == THEIRS && (!paths[THEIRS] || access(paths[THEIRS], R_OK)))
            continue;
        for (int user = 0; user < 2; user++) {
            if (allow_user_reads(user)) {
                printf("SKIP: kernel.perf_user_access cannot be set here\n");
                return 77;
            }
            if (user && subject == THEIRS)
                continue; /* it has no user-space reads on this processor */
            measure(paths[subject], user, &total[subject]);
        }
    }

    printf("Instructions a call, user and kernel mode, two native events\n\n");
    printf("%-38s%14s%14s%14s%14s\n", "call", "bare calls", "other libpapi", "ours", "at most");
    for (int row = 0; row < N_ROWS; row++) {
        double ours = total[OURS].cost[row];
        double limit = rows[row].limit == AS_BARE ? total[BARE].cost[row] : rows[row].limit;
        int bad = ours < -1e6 || ours >= limit + 0.5; /* as it is printed */

        printf("%-38s", rows[row].call);
        for (int subject = 0; subject < N_SUBJECTS; subject++)
            print_cell(total[subject].cost[row]);
        printf("%14.0f%s\n", limit, bad ? "  OVER" : "");
        over += bad;
    }
    printf("\n");
    for (int subject = 0; subject < N_SUBJECTS; subject++)
        if (total[subject].error[0])
            printf("%s: %s\n", subject == BARE ? "bare calls" : paths[subject], total[subject].error);
    printf(over ? "%d of the %d costs are over their limits\n" : "all costs are within their limits\n", over,
           N_ROWS);
    return over ? 1 : 0;
}

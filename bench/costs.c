/* SPDX-License-Identifier: BSD-3-Clause
 *
 * costs OURS [THEIRS]: what the calls of a libpapi cost, in instructions of user and kernel mode,
 * beside bare system calls and another libpapi. Runs on the emulated nodes, where a nanosecond of
 * clock_gettime is an instruction, as root (it allows and forbids user-space reads). Status 1: ours
 * costs more than its limit.
 */
#include "costs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BARE, THEIRS, OURS, N_SUBJECTS };

/* The kernel alone knows a thread's CPU time: no call can cost less than the system call that asks. */
#define AS_BARE (-1)

/* The limits of a row, for each way of reading; 0: it is not measured in this way. */
struct row_limits {
    const char *call;
    double limit[N_WAYS];
};

/* Seven counters of one group, as many as both processors have; the same event with other modes is another to
 * it. An eighth, which takes turns with them. And a preset that is made of two events. */
#if defined(__aarch64__)
const char *const event_names[MULTIPLEXED_EVENTS] = {
    "arm_n1::INST_RETIRED",         "arm_n1::CPU_CYCLES",         "arm_n1::INST_RETIRED:k=1:u=0",
    "arm_n1::CPU_CYCLES:k=1:u=0",   "arm_n1::STALL_FRONTEND",     "arm_n1::STALL_BACKEND",
    "arm_n1::INST_RETIRED:k=1:u=1", "arm_n1::CPU_CYCLES:k=1:u=1",
};
const char *const derived_preset = "PAPI_STL_ICY";
#elif defined(__x86_64__)
const char *const event_names[MULTIPLEXED_EVENTS] = {
    "skx::INST_RETIRED",
    "skx::UNHALTED_CORE_CYCLES",
    "skx::INST_RETIRED:k=1:u=0",
    "skx::UNHALTED_CORE_CYCLES:k=1:u=0",
    "skx::INST_RETIRED:k=1:u=1",
    "skx::UNHALTED_CORE_CYCLES:k=1:u=1",
    "skx::UNHALTED_REFERENCE_CYCLES",
    "skx::BRANCH_INSTRUCTIONS_RETIRED",
};
const char *const derived_preset = "PAPI_BR_PRC";
#elif defined(__riscv)
const char *const event_names[MULTIPLEXED_EVENTS] = {
    "perf::INSTRUCTIONS",     "perf::CYCLES",     "perf::INSTRUCTIONS:k=1:u=0", "perf::CYCLES:k=1:u=0",
    "perf::INSTRUCTIONS:k=1", "perf::CYCLES:k=1", "perf::INSTRUCTIONS:u=1",     "perf::CYCLES:u=1",
};
const char *const derived_preset = "PAPI_TLB_TL";
#else
const char *const event_names[MULTIPLEXED_EVENTS] = {
    "perf::INSTRUCTIONS",     "perf::CYCLES",     "perf::INSTRUCTIONS:k=1:u=0", "perf::CYCLES:k=1:u=0",
    "perf::INSTRUCTIONS:k=1", "perf::CYCLES:k=1", "perf::BRANCH-INSTRUCTIONS",  "perf::BRANCH-MISSES",
};
#if defined(__powerpc64__) /* where the two events of the other share a counter */
const char *const derived_preset = "PAPI_LST_INS";
#else
const char *const derived_preset = "PAPI_BR_PRC";
#endif
#endif

/* The first event of a program, by a name that the library knows before libpfm4 is loaded. */
#if defined(__powerpc64__)
const char *const first_event_name = "power9::PM_RUN_INST_CMPL";
#elif defined(__aarch64__)
const char *const first_event_name = "arm_n1::INST_RETIRED";
#elif defined(__x86_64__)
const char *const first_event_name = "skx::INST_RETIRED";
#else
const char *const first_event_name = "perf::INSTRUCTIONS";
#endif

/* The most that ours may cost, by system calls and in user space, on each architecture. */
#if defined(__aarch64__)
#define LIMITS(arm64_kernel, arm64_user, amd64_kernel, amd64_user, ppc64)                                    \
    {                                                                                                        \
        arm64_kernel, arm64_user                                                                             \
    }
#elif defined(__powerpc64__) /* whose kernel lets no program read counters */
#define LIMITS(arm64_kernel, arm64_user, amd64_kernel, amd64_user, ppc64)                                    \
    {                                                                                                        \
        ppc64, 0                                                                                             \
    }
#else
#define LIMITS(arm64_kernel, arm64_user, amd64_kernel, amd64_user, ppc64)                                    \
    {                                                                                                        \
        amd64_kernel, amd64_user                                                                             \
    }
#endif
static const struct row_limits rows[N_ROWS] = {
    [READ] = {"PAPI_read", LIMITS(2600, 100, 2110, 90, 2800)},
    [READ_ONE] = {"PAPI_read, one event", LIMITS(2377, 67, 1921, 63, 2590)},
    [READ_MANY] = {"PAPI_read, seven events", LIMITS(3490, 236, 2855, 190, 0)},
    [READ_DERIVED] = {"PAPI_read, derived preset", LIMITS(2649, 183, 2171, 164, 2900)},
    [READ_MULTIPLEXED] = {"PAPI_read, multiplexed, eight events", LIMITS(13250, 0, 10400, 0, 14700)},
    [READ_INHERITED] = {"PAPI_read, inherited by a child", LIMITS(3060, 0, 2660, 0, 3640)},
    [READ_ATTACHED] = {"PAPI_read, attached to a thread", LIMITS(2080, 0, 1735, 0, 2355)},
    [READ_PROCESS] = {"PAPI_read, attached to a process", LIMITS(2500, 0, 2145, 0, 2990)},
    [READ_TS] = {"PAPI_read_ts", LIMITS(2604, 163, 2113, 107, 2915)},
    [ACCUM] = {"PAPI_accum", LIMITS(2555, 116, 2110, 95, 2770)},
    [RESET] = {"PAPI_reset", LIMITS(2522, 100, 2092, 95, 2810)},
    [START_STOP] = {"PAPI_start + PAPI_stop", LIMITS(5300, 230, 4400, 220, 5620)},
    [NOT_PARKED] = {"the same with PAPI_PARKING=off", LIMITS(9083, 10683, 7980, 9290, 10130)},
    [REGION] = {"PAPI_hl_region_begin + _end", LIMITS(5608, 693, 4608, 600, 6360)},
    [FLOPS] = {"PAPIF_flops in a loop", LIMITS(0, 0, 4171, 1796, 0)},
    [IPC] = {"PAPIF_ipc in a loop", LIMITS(3872, 1345, 3227, 1215, 4430)},
    [OVERFLOW] = {"overflow, until its handler", LIMITS(6954, 0, 5617, 0, 7810)},
    [SAMPLE] = {"sample, taken and read", LIMITS(3000, 0, 3100, 0, 3060)},
    [LINKED] = {"start to exit of a linked program", LIMITS(1430000, 0, 2065000, 0, 1430000)},
    [LINKED_STATIC] = {"the same with libpapi.a and -no-pie", LIMITS(1095000, 0, 1720000, 0, 1160000)},
    [INIT] = {"PAPI_library_init", LIMITS(69000, 0, 50000, 0, 20000)},
    [FIRST_EVENT] = {"PAPI_add_named_event, the first", LIMITS(650000, 0, 410000, 0, 228000)},
    [FIRST_PRESET] = {"PAPI_add_event of a preset, the first", LIMITS(880000, 0, 636000, 0, 430000)},
    [REAL_USEC] = {"PAPI_get_real_usec", LIMITS(79, 0, 80, 0, 112)},
    [VIRT_USEC] = {"PAPI_get_virt_usec", LIMITS(AS_BARE, 0, AS_BARE, 0, AS_BARE)},
    [PAPIF_READ] = {"PAPIF_read over PAPI_read", LIMITS(11, 11, 11, 11, 15)},
};

/* ---- measuring */

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double median(double *samples, int n)
{
    qsort(samples, (size_t)n, sizeof *samples, compare);
    return samples[n / 2];
}

static volatile int64_t last_seen;
static volatile int overflows;
static double overflow_samples[BATCHES];

void overflow_noted(void)
{
    int64_t here = now();
    if (overflows < BATCHES)
        overflow_samples[overflows++] = (double)(here - last_seen);
}

double overflow_cost(struct result *r)
{
    /* Ten times as long as they take where they come, one every OVERFLOW_PERIOD. */
    int64_t end = now() + INT64_C(10) * BATCHES * OVERFLOW_PERIOD;
    while (overflows < BATCHES && last_seen < end)
        last_seen = now();
    if (overflows < BATCHES) {
        snprintf(r->error, sizeof r->error, "%d overflows came instead of %d", overflows, BATCHES);
        return NOT_MEASURED;
    }
    return median(overflow_samples, BATCHES);
}

double sampled_work(take_samples *take, void *from, double *taken)
{
    enum { PIECES = 15, TURNS = 250000 };
    double samples[PIECES];
    int sum = 0;
    for (int piece = 0; piece < PIECES; piece++) {
        int64_t start = now();
        for (volatile int turn = 0; turn < TURNS; turn = turn + 1)
            ;
        if (take)
            sum += take(from);
        samples[piece] = (double)(now() - start);
    }
    if (take)
        *taken = (double)sum / PIECES;
    return median(samples, PIECES);
}

static void clear(struct result *r)
{
    for (int row = 0; row < N_ROWS; row++)
        r->cost[row][BY_KERNEL] = r->cost[row][BY_USER] = NOT_MEASURED;
    r->error[0] = '\0';
}

static void measure_in_child(measurement *take, const struct subject *subject, struct result *r)
{
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        take(subject, r);
        _exit(0);
    }
    waitpid(child, &status, 0);
    if (status && !r->error[0])
        snprintf(r->error, sizeof r->error, "a measurement ended with status %d", status);
}

#define PROCESSES 3

/* The median of several processes, so that the one measurement of each is not a chance value either. */
static void measure(measurement *take, const struct subject *subject, struct result *total)
{
    struct result *r =
        mmap(NULL, PROCESSES * sizeof *r, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    for (int i = 0; i < PROCESSES; i++) {
        clear(&r[i]);
        measure_in_child(take, subject, &r[i]);
        if (r[i].error[0])
            memcpy(total->error, r[i].error, sizeof total->error);
    }
    for (int row = 0; row < N_ROWS; row++) {
        double samples[PROCESSES], value;
        for (int i = 0; i < PROCESSES; i++)
            samples[i] = r[i].cost[row][subject->way];
        value = median(samples, PROCESSES);
        if (value != NOT_MEASURED)
            total->cost[row][subject->way] = value;
    }
    munmap(r, PROCESSES * sizeof *r);
}

static void measure_all(const struct subject *subject, struct result *total)
{
    static measurement *const bare[] = {bare_counting, bare_one,     bare_many,
                                        bare_overflow, bare_samples, NULL};
    static measurement *const library[] = {
        library_counting, library_not_parked, library_one,      library_many,    library_derived,
        library_regions,  library_ipc,        library_overflow, library_samples, NULL};
    static measurement *const forms[] = {library_multiplexed, library_inherited, library_attached,
                                         library_process, NULL};

    for (measurement *const *each = subject->path ? library : bare; *each; each++)
        if (rows[READ_MANY].limit[subject->way] != 0 || (*each != bare_many && *each != library_many))
            measure(*each, subject, total);
    if (subject->path && rows[FLOPS].limit[subject->way] != 0)
        measure(library_flops, subject, total);
    for (measurement *const *each = forms; *each && subject->path && subject->way == BY_KERNEL; each++)
        measure(*each, subject, total);
    if (subject->way == BY_KERNEL) {
        fresh_starts(subject, total);
        if (subject->path)
            fresh_calls(subject, total);
    }
}

/* Allows or forbids reads in user space, by the setting of the processor's driver: arm64's, x86-64's. POWER's
 * has none, nor such reads. */
static int allow_user_reads(enum way way)
{
    static const char *const settings[] = {"/proc/sys/kernel/perf_user_access",
                                           "/sys/bus/event_source/devices/cpu/rdpmc"};

    for (int i = 0; i < 2; i++) {
        FILE *file = fopen(settings[i], "w");
        if (file) {
            fprintf(file, "%d\n", way == BY_USER);
            return fclose(file);
        }
    }
#if defined(__powerpc64__)
    return way == BY_KERNEL ? 0 : -1;
#else
    return -1;
#endif
}

/* ---- the table */

static void print_cell(double value)
{
    if (value == NOT_MEASURED)
        printf("%14s", "-");
    else
        printf("%14.0f", value);
}

/* True if ours is over its limit. */
static int print_row(const struct result *total, int row, enum way way)
{
    double ours = total[OURS].cost[row][way], limit = rows[row].limit[way];
    int over;
    if (limit == AS_BARE)
        limit = total[BARE].cost[row][way];
    over = ours == NOT_MEASURED || ours >= limit + 0.5; /* as it is printed */
    printf("%-38s", way == BY_USER ? "  in user space" : rows[row].call);
    for (int subject = 0; subject < N_SUBJECTS; subject++)
        print_cell(total[subject].cost[row][way]);
    printf("%14.0f%s\n", limit, over ? "  OVER" : "");
    return over;
}

static int print_table(const struct result *total)
{
    int over = 0;
    printf("Instructions a call, user and kernel mode, two native events where no number is said\n\n");
    printf("%-38s%14s%14s%14s%14s\n", "call", "bare calls", "other libpapi", "ours", "at most");
    for (int row = 0; row < N_ROWS; row++)
        for (int way = 0; way < N_WAYS; way++)
            if (rows[row].limit[way] != 0)
                over += print_row(total, row, way);
    return over;
}

int main(int argc, char **argv)
{
    static const char *const names[N_SUBJECTS] = {"bare calls", "other libpapi", "ours"};
    const char *paths[N_SUBJECTS] = {NULL, argc > 3 ? argv[3] : NULL, argc > 1 ? argv[1] : NULL};
    struct result total[N_SUBJECTS];
    int over, fresh = fresh_program(argc, argv);

    if (fresh >= 0)
        return fresh;
    if (argc < 3) {
        fprintf(stderr, "usage: costs OURS PROGRAM [THEIRS]\n\nPROGRAM does nothing, and is linked with OURS "
                        "as an archive.\n");
        return 2;
    }
    setvbuf(stdout, NULL, _IONBF, 0); /* nothing to be printed twice by the children */
    for (int subject = 0; subject < N_SUBJECTS; subject++) {
        clear(&total[subject]);
        if (subject == THEIRS && (!paths[THEIRS] || access(paths[THEIRS], R_OK)))
            continue;
        for (int way = 0; way < N_WAYS && rows[READ].limit[way] != 0; way++) {
            if (allow_user_reads(way)) {
                printf("SKIP: whether programs may read counters cannot be set here\n");
                return 77;
            }
            measure_all(&(struct subject){paths[subject], way, subject == OURS ? argv[2] : NULL},
                        &total[subject]);
        }
    }
    over = print_table(total);
    printf("\n");
    for (int subject = 0; subject < N_SUBJECTS; subject++)
        if (total[subject].error[0])
            printf("%s: %s\n", names[subject], total[subject].error);
    printf(over ? "%d costs are over their limits\n" : "all costs are within their limits\n", over);
    return over ? 1 : 0;
}

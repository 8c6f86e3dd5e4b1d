/* SPDX-License-Identifier: BSD-3-Clause */
/* Measures what a wrapper adds to an MPI call: mpi_calls PASS WRAPPER, one rank, started with the wrapper
 * library preloaded. PASS: mpi_pass.so; WRAPPER: libpapi_mpi_x.so. Prints nanoseconds a call, without a
 * wrapper, through one that does nothing else, and through ours, which take turns in this one process: the
 * medians, what ours adds to the one that does nothing, and the same by the quickest turns; and what two
 * readings of the processor's clock take, without which no call can be timed. Status 1: the quickest turns
 * are over two readings and as long as 16 multiplications take of which each needs the one before, 48 of the
 * processor's cycles, or 22 for MPI_Sendrecv, which sends and receives; or at least 10 ns, and 25 ns in all.
 * Other work on the machine moves these least, but not that of another hardware thread of this core. 77:
 * there is such work, or the time-stamp counter cannot be used. */
#include "../tests/support/shared_core.h"

#include <mpi.h>

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    TURNS = 4001,
    CALLS = 250,
    LIMIT = 25,
    BESIDE_CLOCK = 10,
    SKIPPED = 77,
    WAYS = 3,
    KINDS = 7,
    COMMS = 8
};

struct functions {
    const char *name;
    __typeof__(MPI_Allreduce) *allreduce;
    __typeof__(MPI_Barrier) *barrier;
    __typeof__(MPI_Sendrecv) *sendrecv;
    __typeof__(MPI_Send) *send;
    __typeof__(MPI_Irecv) *irecv;
    __typeof__(MPI_Wait) *wait;
    __typeof__(MPI_Iprobe) *iprobe;
    __typeof__(MPI_Bcast) *bcast;
};

static MPI_Comm comms[COMMS]; /* copies of MPI_COMM_SELF */

static struct functions functions_of(const char *name, void *library)
{
    struct functions found = {name,
                              dlsym(library, "MPI_Allreduce"),
                              dlsym(library, "MPI_Barrier"),
                              dlsym(library, "MPI_Sendrecv"),
                              dlsym(library, "MPI_Send"),
                              dlsym(library, "MPI_Irecv"),
                              dlsym(library, "MPI_Wait"),
                              dlsym(library, "MPI_Iprobe"),
                              dlsym(library, "MPI_Bcast")};
    if (!found.allreduce || !found.barrier || !found.sendrecv || !found.send || !found.irecv || !found.wait ||
        !found.iprobe || !found.bcast) {
        fprintf(stderr, "mpi_calls: not all calls are in %s\n", name);
        exit(2);
    }
    return found;
}

static void many_allreduce(const struct functions *mpi)
{
    double in = 1, out;
    for (int i = 0; i < CALLS; i++)
        mpi->allreduce(&in, &out, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_SELF);
}

static void many_barrier(const struct functions *mpi)
{
    for (int i = 0; i < CALLS; i++)
        mpi->barrier(MPI_COMM_SELF);
}

static void many_sendrecv(const struct functions *mpi)
{
    double in = 1, out;
    for (int i = 0; i < CALLS; i++)
        mpi->sendrecv(&in, 1, MPI_DOUBLE, 0, 1, &out, 1, MPI_DOUBLE, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE);
}

static void messages_in(const struct functions *mpi, MPI_Comm comm)
{
    double in = 1, out;
    MPI_Request request;
    for (int i = 0; i < CALLS; i++) {
        mpi->irecv(&out, 1, MPI_DOUBLE, 0, 1, comm, &request);
        mpi->send(&in, 1, MPI_DOUBLE, 0, 1, comm);
        mpi->wait(&request, MPI_STATUS_IGNORE);
    }
}

static void many_messages(const struct functions *mpi)
{
    messages_in(mpi, MPI_COMM_SELF);
}

/* The timeline numbers these alone. */
static void many_in_world(const struct functions *mpi)
{
    messages_in(mpi, MPI_COMM_WORLD);
}

static void many_iprobe(const struct functions *mpi)
{
    int flag;
    for (int i = 0; i < CALLS; i++)
        mpi->iprobe(0, 1, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
}

static void many_bcast(const struct functions *mpi)
{
    double value = 1;
    for (int i = 0; i < CALLS; i++)
        mpi->bcast(&value, 1, MPI_DOUBLE, 0, comms[i % COMMS]);
}

static const struct {
    const char *name;
    void (*make)(const struct functions *mpi);
    int calls;    /* in one round */
    int products; /* as long as these it may take beside the clock */
} kinds[KINDS] = {{"Allreduce", many_allreduce, 1, 16},      {"Barrier", many_barrier, 1, 16},
                  {"Sendrecv", many_sendrecv, 1, 22},        {"Irecv, Send, Wait", many_messages, 3, 16},
                  {"the same, world", many_in_world, 3, 16}, {"Iprobe", many_iprobe, 1, 16},
                  {"Bcast, 8 comms", many_bcast, 1, 16}};

static double taken[KINDS][WAYS][TURNS];

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static int in_order(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* True if a file of /proc or /sys has a word, as rank/clock.c looks for it. */
static int file_has(const char *path, const char *word)
{
    char line[8192];
    int found = 0;
    FILE *file = fopen(path, "r");
    while (file && !found && fgets(line, sizeof line, file))
        found = strstr(line, word) != NULL;
    if (file)
        fclose(file);
    return found;
}

static int has_clock(void)
{
    const char *source = "/sys/devices/system/clocksource/clocksource0/current_clocksource";
#if defined(__x86_64__)
    return file_has("/proc/cpuinfo", " constant_tsc") && file_has("/proc/cpuinfo", " nonstop_tsc") &&
           !file_has(source, "hpet") && !file_has(source, "acpi_pm");
#elif defined(__aarch64__)
    (void)source;
    return 1;
#else
    (void)source;
    return 0;
#endif
}

static double readings[TURNS], products[TURNS]; /* nanoseconds for two readings, and for a multiplication */

static inline unsigned long long read_clock(void)
{
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
    unsigned long long ticks;
    __asm__ __volatile__("mrs %0, cntvct_el0" : "=r"(ticks));
    return ticks;
#else
    return 0;
#endif
}

static double two_readings(void)
{
    volatile unsigned long long since = 0;
    double begin = now();
    for (int i = 0; i < CALLS; i++) {
        since = read_clock();
        since = read_clock() - since;
    }
    return (now() - begin) / CALLS;
}

/* The time of a product that depends on the one before, three cycles on the processors of many years: a unit
 * by which machines can be compared. */
static double one_product(void)
{
    unsigned long product = 3;
    double begin = now();
    for (int i = 0; i < CALLS; i++) {
        product *= product;
        __asm__ volatile("" : "+r"(product));
    }
    return (now() - begin) / CALLS;
}

/* Measures the ways in turn, over and over, so that what slows the machine down for a while slows all of
 * them. */
static void measure(const struct functions ways[WAYS])
{
    for (int turn = -1; turn < TURNS; turn++) { /* the first one warms up */
        readings[turn < 0 ? 0 : turn] = two_readings();
        products[turn < 0 ? 0 : turn] = one_product();
        for (int kind = 0; kind < KINDS; kind++)
            for (int way = 0; way < WAYS; way++) {
                double begin = now();
                kinds[kind].make(&ways[way]);
                if (turn >= 0)
                    taken[kind][way][turn] = (now() - begin) / CALLS / kinds[kind].calls;
            }
    }
    qsort(readings, TURNS, sizeof readings[0], in_order);
    qsort(products, TURNS, sizeof products[0], in_order);
    for (int kind = 0; kind < KINDS; kind++)
        for (int way = 0; way < WAYS; way++)
            qsort(taken[kind][way], TURNS, sizeof taken[kind][way][0], in_order);
}

static double limit(int kind)
{
    double beside = kinds[kind].products * products[0];
    double most = readings[0] + (beside > BESIDE_CLOCK ? beside : BESIDE_CLOCK);
    return most > LIMIT ? most : LIMIT;
}

static int show(int kind)
{
    double middle[WAYS], least[WAYS];
    for (int way = 0; way < WAYS; way++) {
        middle[way] = taken[kind][way][TURNS / 2];
        least[way] = taken[kind][way][0];
    }
    int over = least[2] - least[1] > limit(kind);
    printf("%-18s %10.1f %12.1f %8.1f %7.1f %10.1f %8.1f%s\n", kinds[kind].name, middle[0], middle[1],
           middle[2], middle[2] - middle[1], least[2] - least[1], limit(kind), over ? "  OVER" : "");
    return over;
}

int main(int argc, char **argv)
{
    void *pass, *wrapper, *mpi;
    void (*pass_to)(void *);
    Dl_info info;
    int over = 0;

    MPI_Init(&argc, &argv);
    if (argc != 3 || !(pass = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL)) ||
        !(wrapper = dlopen(argv[2], RTLD_NOW | RTLD_NOLOAD))) {
        fprintf(stderr, "usage, with WRAPPER preloaded: mpi_calls PASS WRAPPER\n%s\n",
                argc == 3 ? dlerror() : "");
        return 2;
    }
    /* PMPI_Init is MPI's alone: its file has the calls that nobody wraps. */
    dladdr(dlsym(RTLD_DEFAULT, "PMPI_Init"), &info);
    mpi = dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD);
    pass_to = (void (*)(void *))dlsym(pass, "pass_to");
    pass_to(mpi);
    struct functions ways[WAYS] = {functions_of("MPI", mpi), functions_of("pass", pass),
                                   functions_of("papi_mpi", wrapper)};
    if (ways[0].allreduce == ways[2].allreduce) {
        fprintf(stderr, "mpi_calls: the wrapper library does not wrap\n");
        return 2;
    }
    if (!has_clock())
        printf("SKIP: the processor's own clock cannot be used here: calls are timed with the kernel's\n");
    for (int i = 0; i < COMMS; i++)
        MPI_Comm_dup(MPI_COMM_SELF, &comms[i]);
    printf("nanoseconds a call, MPI_COMM_SELF, %d turns of %d\n", TURNS, CALLS);
    printf("%-18s %10s %12s %8s %7s %10s %8s\n", "medians", "no wrapper", "pass-through", "papi_mpi", "added",
           "least", "at most");
    measure(ways);
    for (int kind = 0; kind < KINDS; kind++)
        over |= show(kind);
    printf("two readings of the clock: %.1f, the quickest %.1f; a multiplication: %.2f\n",
           readings[TURNS / 2], readings[0], products[0]);
    MPI_Finalize();
    if (over && core_is_shared()) {
        printf("SKIP: something else runs on this core: a call's own time cannot be measured\n");
        return SKIPPED;
    }
    return has_clock() ? over : SKIPPED;
}

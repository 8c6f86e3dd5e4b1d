/* SPDX-License-Identifier: BSD-3-Clause
 *
 * work CASE: ranks give devices work that stands-in run, and say what they did: a line of JSON for each rank,
 * with nanoseconds of kernels and of copies alone, in all and in the region "solve", and the least and the
 * most that their main thread was in calls of the runtime.
 *   own     a device for each rank
 *   shared  ranks 0 and 1 have the same
 *   pairs   so have ranks 2 and 3
 *   none    no device has anything to do
 *   pause   as own, but half of it between MPI_Pcontrol(0) and MPI_Pcontrol(1)
 * DEVICES: as many are there, in place of 32; HALVES: ranks 0 and 1 have the first half of them, and the
 * other ranks the second. Meanwhile, device i uses 1000 (i + 1) + 1 millijoules.
 * ENERGY: the counter of the second device begins anew (wraps), cannot be asked any more (lost), or shows
 * more than can be (absurd); or there is none of any device (power).
 */
#include "double_nvml.h"
#include "papi.h"

#include <dlfcn.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { KERNEL = 10, COPY = 1, RUNTIME = 2, ENTER = 0, EXIT = 1, ROUNDS = 4 };

static struct {
    double_give *give;
    double_call *call;
    double_job_clock *clock;
    double_begin *begins; /* NULL: records tell it all */
    uint64_t kernel, copy, solve_kernel, solve_copy, least_offload, most_offload;
    uint32_t device, first;
    int counted, in_solve;
} here = {.counted = 1};

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void wait_ms(int ms)
{
    nanosleep(&(struct timespec){0, ms * 1000000L}, NULL);
}

static int number_of(const char *variable)
{
    const char *text = getenv(variable);
    return text != NULL ? atoi(text) : -1;
}

static bool goes_wrong(const char *how)
{
    const char *energy = getenv("ENERGY");
    return energy != NULL && strcmp(energy, how) == 0;
}

/* Before MPI_Init, the launcher's variables have the rank. */
static void choose_devices(void)
{
    void *driver = dlopen("libcuda.so.1", RTLD_NOW);
    struct double_cuda *cuda = driver != NULL ? dlsym(driver, "double_cuda") : NULL;
    int devices = number_of("DEVICES"), open = number_of("OMPI_COMM_WORLD_RANK");
    if (cuda == NULL || devices < 0)
        return;
    cuda->devices = devices;
    cuda->power_alone = goes_wrong("power");
    if (getenv("HALVES") == NULL)
        return;
    cuda->devices = devices / 2;
    cuda->first = (open >= 0 ? open : number_of("PMI_RANK")) >= 2 ? devices / 2 : 0;
    here.first = (uint32_t)cuda->first;
}

/* Has the devices use energy where somebody has loaded the library that knows it, and returns how often that
 * was asked. */
static int use_energy(void)
{
    void *library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_NOLOAD);
    struct double_nvml *nvml = library != NULL ? dlsym(library, "double_nvml") : NULL;
    int readings = 0;
    for (int i = 0; nvml != NULL && i < DOUBLE_METERS; i++) {
        struct double_meter *meter = &nvml->meter[i];
        readings += meter->readings;
        meter->millijoules += 1000ULL * (unsigned)(meter->number + 1) + 1;
        if (meter->number == 1 && goes_wrong("wraps"))
            meter->millijoules = 5;
        if (meter->number == 1 && goes_wrong("absurd"))
            meter->millijoules += 1ULL << 50;
        meter->result = meter->number == 1 && goes_wrong("lost") ? 15 : 0;
    }
    return readings;
}

/* Takes the one of the stand-ins that the test has put where the loader looks; if it has none, nothing stands
 * for a device. */
static void load(void)
{
    choose_devices();
    static const char *const libraries[] = {"libcupti.so.13", "librocprofiler-sdk.so.1", "libze_loader.so.1"};
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries && here.give == NULL; i++) {
        void *library = dlopen(libraries[i], RTLD_NOW);
        if (library != NULL && dlsym(library, "double_jobs_clock") == NULL) {
            dlclose(library); /* a vendor's own */
            library = NULL;
        }
        if (library == NULL)
            continue;
        *(void **)&here.give = dlsym(library, "double_gives");
        *(void **)&here.call = dlsym(library, "double_calls");
        *(void **)&here.clock = dlsym(library, "double_jobs_clock");
        *(void **)&here.begins = dlsym(library, "double_begins");
        here.clock();
    }
}

/* Runs something on the device for so long, and waits for it in the runtime, as cudaDeviceSynchronize does.
 */
static void run(uint32_t kind, int ms)
{
    if (here.give == NULL)
        return;
    uint64_t most = now_ns();
    here.call(RUNTIME, ENTER);
    if (here.begins != NULL)
        here.begins(kind, here.device);
    uint64_t least = now_ns(), begin = here.clock();
    wait_ms(ms);
    uint64_t end = here.clock(), took = end - begin;
    least = now_ns() - least;
    here.call(RUNTIME, EXIT);
    const struct double_record record = {kind, here.device, begin, end, 1000};
    here.give(&record, 1);
    if (!here.counted)
        return;
    here.least_offload += least;
    here.most_offload += now_ns() - most;
    *(kind == KERNEL ? &here.kernel : &here.copy) += took;
    if (here.in_solve)
        *(kind == KERNEL ? &here.solve_kernel : &here.solve_copy) += took;
}

static void solve(int rank, int round)
{
    PAPI_hl_region_begin("solve");
    here.in_solve = 1;
    run(KERNEL, 20 + 10 * rank);
    run(COPY, 10);
    here.in_solve = 0;
    PAPI_hl_region_end("solve");
    run(KERNEL, 5);
    wait_ms(round % 2 ? 10 : 5); /* the device has nothing to do */
}

static void pause_counting(int counted)
{
    here.counted = counted;
    MPI_Pcontrol(counted);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "own";
    int rank;
    load();
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int readings = use_energy();
    here.device = strcmp(what, "shared") == 0 && rank == 1 ? 0 : (uint32_t)rank;
    if (strcmp(what, "pairs") == 0)
        here.device = (uint32_t)rank / 2;
    here.device -= here.first;
    for (int i = 0; i < ROUNDS && strcmp(what, "none") != 0; i++) {
        if (strcmp(what, "pause") == 0)
            pause_counting(i % 2);
        solve(rank, i);
    }
    if (!here.counted)
        pause_counting(1);
    MPI_Barrier(MPI_COMM_WORLD);
    printf("{\"rank\": %d, \"kernel\": %llu, \"copy\": %llu, \"solve_kernel\": %llu, \"solve_copy\": %llu, "
           "\"least_offload\": %llu, \"most_offload\": %llu, \"readings\": %d}\n",
           rank, (unsigned long long)here.kernel, (unsigned long long)here.copy,
           (unsigned long long)here.solve_kernel, (unsigned long long)here.solve_copy,
           (unsigned long long)here.least_offload, (unsigned long long)here.most_offload, readings);
    MPI_Finalize();
    return 0;
}

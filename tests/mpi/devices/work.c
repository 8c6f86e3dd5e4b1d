/* SPDX-License-Identifier: BSD-3-Clause
 *
 * work CASE: ranks give devices work that stands-in run, and say what they did: a line of JSON for each rank,
 * with nanoseconds of kernels and of copies alone, in all and in the region "solve", and the least and the
 * most that their main thread was in calls of the runtime. own     a device for each rank shared  ranks 0 and
 * 1 have the same none    no device has anything to do pause   as own, but half of it between MPI_Pcontrol(0)
 * and MPI_Pcontrol(1)
 */
#include "../../activity/double.h"
#include "papi.h"

#include <dlfcn.h>
#include <mpi.h>
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
    uint32_t device;
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

/* Takes the one of the stand-ins that the test has put where the loader looks; if it has none, nothing stands
 * for a device. */
static void load(void)
{
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
    here.device = strcmp(what, "shared") == 0 && rank == 1 ? 0 : (uint32_t)rank;
    for (int i = 0; i < ROUNDS && strcmp(what, "none") != 0; i++) {
        if (strcmp(what, "pause") == 0)
            pause_counting(i % 2);
        solve(rank, i);
    }
    if (!here.counted)
        pause_counting(1);
    MPI_Barrier(MPI_COMM_WORLD);
    printf("{\"rank\": %d, \"kernel\": %llu, \"copy\": %llu, \"solve_kernel\": %llu, \"solve_copy\": %llu, "
           "\"least_offload\": %llu, \"most_offload\": %llu}\n",
           rank, (unsigned long long)here.kernel, (unsigned long long)here.copy,
           (unsigned long long)here.solve_kernel, (unsigned long long)here.solve_copy,
           (unsigned long long)here.least_offload, (unsigned long long)here.most_offload);
    MPI_Finalize();
    return 0;
}

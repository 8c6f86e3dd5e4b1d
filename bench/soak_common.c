/* SPDX-License-Identifier: BSD-3-Clause */
#include "soak_common.h"

#include <dirent.h>
#include <malloc.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

/* ---- overflows */

void overflows_note(struct overflows *overflows, long long count, long long taken, int said)
{
    long long expected = count / PERIOD;
    overflows->intervals++;
    overflows->expected += expected;
    overflows->taken += taken;
    overflows->missing += taken < expected ? expected - taken : 0;
    overflows->extra += taken > expected ? taken - expected : 0;
    overflows->said += said;
}

void overflows_merge(struct overflows *all, const struct overflows *one)
{
    all->intervals += one->intervals;
    all->expected += one->expected;
    all->taken += one->taken;
    all->missing += one->missing;
    all->extra += one->extra;
    all->said += one->said;
    all->records += one->records;
    all->signals += one->signals;
    all->unasked += one->unasked;
}

void overflows_print(const char *name, const struct overflows *overflows)
{
    printf("\"%s\": {\"intervals\": %lld, \"expected\": %lld, \"taken\": %lld, \"missing\": %lld, "
           "\"extra\": %lld, \"said\": %lld, \"records\": %lld, \"signals\": %lld, \"unasked\": %lld}",
           name, overflows->intervals, overflows->expected, overflows->taken, overflows->missing,
           overflows->extra, overflows->said, overflows->records, overflows->signals, overflows->unasked);
}

/* ---- random choices (xorshift64*) */

struct dice dice_of(uint64_t seed, unsigned phase, unsigned thread)
{
    struct dice dice = {(seed + 1) * 0x9E3779B97F4A7C15u ^ (uint64_t)phase << 32 ^ (thread + 1)};
    if (dice.state == 0)
        dice.state = 1;
    for (int i = 0; i < 8; i++)
        roll(&dice, 2);
    return dice;
}

unsigned roll(struct dice *dice, unsigned sides)
{
    dice->state ^= dice->state >> 12;
    dice->state ^= dice->state << 25;
    dice->state ^= dice->state >> 27;
    return (unsigned)((dice->state * 0x2545F4914F6CDD1Du) >> 33) % sides;
}

/* ---- work and time */

int touch_pages(unsigned n)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    volatile char *pages = mmap(NULL, n * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED)
        return 0;
    madvise((void *)pages, n * page, MADV_NOHUGEPAGE);
    for (unsigned i = 0; i < n; i++)
        pages[i * page] = 1;
    munmap((void *)pages, n * page);
    return 1;
}

void compute(void)
{
    volatile double x = 1;
    for (int i = 0; i < 5000; i++)
        x = x * 0.5 + 1;
}

static long long nsec_of(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

long long real_nsec(void)
{
    return nsec_of(CLOCK_MONOTONIC);
}

long long thread_nsec(void)
{
    return nsec_of(CLOCK_THREAD_CPUTIME_ID);
}

int counts_kernel(void)
{
    FILE *file = fopen("/proc/sys/kernel/perf_event_paranoid", "re");
    int level = 2;
    if (file == NULL || fscanf(file, "%d", &level) != 1)
        level = 2;
    if (file != NULL)
        fclose(file);
    return geteuid() == 0 || level <= 1;
}

/* ---- what the process holds */

static long entries(const char *path)
{
    DIR *folder = opendir(path);
    long n = -2; /* . and .. */
    if (folder == NULL)
        return -1;
    while (readdir(folder) != NULL)
        n++;
    closedir(folder);
    return n;
}

/* Number of lines of a file that begin with a text. */
static long lines(const char *path, const char *begin)
{
    char line[4096];
    FILE *file = fopen(path, "re");
    long n = 0;
    if (file == NULL)
        return -1;
    while (fgets(line, sizeof line, file) != NULL)
        n += strncmp(line, begin, strlen(begin)) == 0;
    fclose(file);
    return n;
}

static long resident_kb(void)
{
    FILE *file = fopen("/proc/self/statm", "re");
    long pages = 0;
    if (file == NULL || fscanf(file, "%*d %ld", &pages) != 1)
        pages = 0;
    if (file != NULL)
        fclose(file);
    return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

/* Bytes that are allocated; 0 where the C library does not say. */
static long long heap_bytes(void)
{
#ifdef __GLIBC__
#if __GLIBC_PREREQ(2, 33)
    struct mallinfo2 heap = mallinfo2();

    return (long long)(heap.uordblks + heap.hblkhd);
#endif
#endif
    return 0;
}

/* Waits until the other threads are gone: one that was joined may be on its way out still. */
static void wait_for_threads(void)
{
    for (int i = 0; i < 2000 && entries("/proc/self/task") > 1; i++)
        usleep(1000);
}

struct held held_now(void)
{
    struct held held;
    wait_for_threads();
    held.heap = heap_bytes();
    held.threads = entries("/proc/self/task");
    held.descriptors = entries("/proc/self/fd") - 1; /* the folder's own */
    held.timers = lines("/proc/self/timers", "ID:");
    held.maps = lines("/proc/self/maps", "");
    held.resident_kb = resident_kb();
    return held;
}

void held_print(const struct held *held)
{
    printf("\"held\": {\"resident_kb\": %ld, \"maps\": %ld, \"descriptors\": %ld, \"timers\": %ld, "
           "\"threads\": %ld, \"heap\": %lld}",
           held->resident_kb, held->maps, held->descriptors, held->timers, held->threads, held->heap);
}

/* ---- phases, and the end */

static volatile sig_atomic_t told;
static _Atomic long long phase_end;

static void tell(int number)
{
    (void)number;
    told = 1;
}

void end_when_told(void)
{
    struct sigaction action = {.sa_handler = tell, .sa_flags = SA_RESTART};
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGINT, &action, NULL);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
}

int is_told_to_end(void)
{
    return told;
}

void phase_begin(double seconds)
{
    atomic_store(&phase_end, real_nsec() + (long long)(seconds * 1e9));
}

int phase_goes_on(void)
{
    return !told && real_nsec() < atomic_load(&phase_end);
}

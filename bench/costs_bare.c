/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Costs of the system calls, and of the instructions that read counters, without a library.
 */
#include "costs.h"

#include <fcntl.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The kernel has names for two events alone that are everywhere; with other modes they are others to a group.
 * The seventh counter of the x86-64 node counts one event only. */
#if defined(__x86_64__)
#define SEVENTH_EVENT PERF_COUNT_HW_REF_CPU_CYCLES
#else
#define SEVENTH_EVENT PERF_COUNT_HW_INSTRUCTIONS
#endif
static const struct {
    uint64_t config;
    int user, kernel;
} bare_events[MANY_EVENTS] = {
    {PERF_COUNT_HW_INSTRUCTIONS, 1, 0},
    {PERF_COUNT_HW_CPU_CYCLES, 1, 0},
    {PERF_COUNT_HW_INSTRUCTIONS, 0, 1},
    {PERF_COUNT_HW_CPU_CYCLES, 0, 1},
    {PERF_COUNT_HW_INSTRUCTIONS, 1, 1},
    {PERF_COUNT_HW_CPU_CYCLES, 1, 1},
    {SEVENTH_EVENT, 1, 0},
};

static int open_bare(int event, int leader, const struct subject *subject, uint64_t period)
{
    struct perf_event_attr attr;
    memset(&attr, 0, sizeof attr);
    attr.size = sizeof attr;
    attr.type = PERF_TYPE_HARDWARE;
    attr.config = bare_events[event].config;
#if defined(__aarch64__)
    attr.config1 = subject->way == BY_USER ? 2 : 0; /* this counter is to be read by the program */
#else
    (void)subject;
#endif
    attr.disabled = leader < 0;
    attr.exclude_user = !bare_events[event].user;
    attr.exclude_kernel = attr.exclude_hv = !bare_events[event].kernel;
    attr.sample_period = period;
    attr.sample_type = period ? PERF_SAMPLE_IP : 0;
    attr.wakeup_events = period ? 1 : 0;
    attr.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
    return (int)syscall(SYS_perf_event_open, &attr, 0, -1, leader, PERF_FLAG_FD_CLOEXEC);
}

/* Opens a group of n events. -1: it failed, and the result says why. */
static int open_group(const struct subject *subject, int n, int *fd, struct result *r)
{
    for (int i = 0; i < n; i++) {
        fd[i] = open_bare(i, i ? fd[0] : -1, subject, 0);
        if (fd[i] < 0) {
            snprintf(r->error, sizeof r->error, "the kernel opens no group of %d counters here", i + 1);
            return -1;
        }
    }
    return 0;
}

/* ---- in user space */

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
#elif defined(__x86_64__)
static inline uint64_t counter(uint32_t i)
{
    uint32_t low, high;
    __asm__ volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(i));
    return (uint64_t)high << 32 | low;
}
#elif defined(__riscv) && __riscv_xlen == 64
static inline uint64_t counter(uint32_t i)
{
    uint64_t value = 0;
#define CASE(n)                                                                                              \
    case n:                                                                                                  \
        __asm__ volatile("csrr %0, 0xc00 + " #n : "=r"(value));                                              \
        break
    switch (i) {
        CASE(0);
        CASE(2);
        CASE(3);
        CASE(4);
        CASE(5);
        CASE(6);
        CASE(7);
        CASE(8);
        CASE(9);
        CASE(10);
        CASE(11);
        CASE(12);
        CASE(13);
        CASE(14);
        CASE(15);
        CASE(16);
        CASE(17);
        CASE(18);
    }
    return value;
}
#else
#define NO_COUNTER
static inline uint64_t counter(uint32_t i)
{
    (void)i;
    return 0;
}
#endif

/* Reads a counter in user space, by the recipe in linux/perf_event.h. */
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

static int map_pages(const int *fd, int n, volatile struct perf_event_mmap_page **page, struct result *r)
{
#ifdef NO_COUNTER
    snprintf(r->error, sizeof r->error, "no instruction that reads a counter is known for this processor");
    return -1;
#endif
    for (int i = 0; i < n; i++) {
        page[i] = mmap(NULL, (size_t)getpagesize(), PROT_READ, MAP_SHARED, fd[i], 0);
        if (page[i] == MAP_FAILED || !page[i]->cap_user_rdpmc) {
            snprintf(r->error, sizeof r->error, "the kernel allows no user-space reads");
            return -1;
        }
    }
    return 0;
}

/* ---- measurements */

static void start_stop(int leader, enum way way, struct result *r)
{
    uint64_t values[3 + N_EVENTS];
    r->cost[NOT_PARKED][way] =
        COST(10, (ioctl(leader, PERF_EVENT_IOC_ENABLE, 0), ioctl(leader, PERF_EVENT_IOC_DISABLE, 0),
                  (void)!read(leader, values, sizeof values)));
}

static void clocks(struct result *r)
{
    struct timespec t;
    r->cost[REAL_USEC][BY_KERNEL] = COST(100, clock_gettime(CLOCK_MONOTONIC, &t));
    r->cost[VIRT_USEC][BY_KERNEL] = COST(50, clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t));
}

static void read_in_user_space(volatile struct perf_event_mmap_page **page, enum row row, int n,
                               uint64_t *values, struct result *r)
{
    if (n == N_EVENTS)
        r->cost[row][BY_USER] = COST(100, (values[0] = read_page(page[0]), values[1] = read_page(page[1])));
    else
        r->cost[row][BY_USER] = COST(100, for (int i = 0; i < n; i++) values[i] = read_page(page[i]));
}

static void reading(const struct subject *subject, enum row row, int n, struct result *r)
{
    volatile struct perf_event_mmap_page *page[MANY_EVENTS] = {NULL};
    uint64_t values[3 + MANY_EVENTS];
    int fd[MANY_EVENTS];
    if (open_group(subject, n, fd, r) || (subject->way == BY_USER && map_pages(fd, n, page, r)))
        return;
    if (row == READ)
        start_stop(fd[0], subject->way, r);
    ioctl(fd[0], PERF_EVENT_IOC_ENABLE, 0);
    if (subject->way == BY_USER)
        read_in_user_space(page, row, n, values, r);
    else
        r->cost[row][BY_KERNEL] = COST(50, (void)!read(fd[0], values, sizeof values));
}

void bare_counting(const struct subject *subject, struct result *r)
{
    reading(subject, READ, N_EVENTS, r);
    if (r->cost[READ][subject->way] == NOT_MEASURED)
        return;
    r->cost[ACCUM][subject->way] = r->cost[READ][subject->way];
    r->cost[START_STOP][subject->way] = 2 * r->cost[READ][subject->way]; /* what is counted needs no more */
    if (subject->way == BY_KERNEL)
        clocks(r);
}

void bare_one(const struct subject *subject, struct result *r)
{
    reading(subject, READ_ONE, 1, r);
}

void bare_many(const struct subject *subject, struct result *r)
{
    reading(subject, READ_MANY, MANY_EVENTS, r);
}

static void on_signal(int signal)
{
    (void)signal;
    overflow_noted();
}

static int send_signals(int fd)
{
    struct f_owner_ex owner = {F_OWNER_TID, (pid_t)syscall(SYS_gettid)};
    struct sigaction action = {.sa_handler = on_signal};
    sigaction(SIGRTMIN, &action, NULL);
    return fcntl(fd, F_SETFL, O_ASYNC) || fcntl(fd, F_SETSIG, SIGRTMIN) || fcntl(fd, F_SETOWN_EX, &owner);
}

void bare_overflow(const struct subject *subject, struct result *r)
{
    int fd = open_bare(1, -1, subject, OVERFLOW_PERIOD);
    if (fd < 0 || send_signals(fd) ||
        mmap(NULL, 2 * (size_t)getpagesize(), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) == MAP_FAILED) {
        snprintf(r->error, sizeof r->error, "the kernel sends no signals of overflows here");
        return;
    }
    ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
    r->cost[OVERFLOW][subject->way] = overflow_cost(r);
    ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
}

/* ---- samples */

enum { RING_PAGES = 8 };

/* Takes all records, which are samples. */
static int take(void *from)
{
    struct perf_event_mmap_page *ring = from;
    uint64_t head = __atomic_load_n(&ring->data_head, __ATOMIC_ACQUIRE),
             size = RING_PAGES * (uint64_t)getpagesize();
    int taken = 0;
    for (; ring->data_tail != head; taken++) {
        struct perf_event_header header;
        memcpy(&header, (char *)ring + getpagesize() + (ring->data_tail & (size - 1)), sizeof header);
        __atomic_store_n(&ring->data_tail, ring->data_tail + header.size, __ATOMIC_RELEASE);
    }
    return taken;
}

void bare_samples(const struct subject *subject, struct result *r)
{
    int fd = subject->way == BY_KERNEL ? open_bare(1, -1, subject, SAMPLE_PERIOD) : -1;
    double taken = 0;
    if (fd < 0)
        return;
    void *ring =
        mmap(NULL, (RING_PAGES + 1) * (size_t)getpagesize(), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (ring == MAP_FAILED)
        return;
    double without = sampled_work(NULL, NULL, NULL);
    ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
    double with = sampled_work(take, ring, &taken);
    ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
    if (taken > 0)
        r->cost[SAMPLE][BY_KERNEL] = (with - without) / taken;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "soak_sampler.h"
#include "soak_common.h"

#include <fcntl.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { PAGES = 8 };

static int ask_for_signals(int fd, int signal)
{
    struct f_owner_ex owner = {F_OWNER_TID, (pid_t)syscall(SYS_gettid)};
    return fcntl(fd, F_SETOWN_EX, &owner) == 0 && fcntl(fd, F_SETSIG, signal) == 0 &&
           fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_ASYNC) == 0;
}

int sampler_open(struct sampler *sampler, int signal)
{
    struct perf_event_attr attr = {.size = sizeof attr,
                                   .type = PERF_TYPE_SOFTWARE,
                                   .config = PERF_COUNT_SW_CPU_CLOCK,
                                   .sample_period = PERIOD,
                                   .sample_type = PERF_SAMPLE_IP,
                                   .wakeup_events = 1,
                                   .disabled = 1,
                                   .exclude_hv = 1};

    attr.exclude_kernel = !counts_kernel();
    *sampler = (struct sampler){.page = (size_t)sysconf(_SC_PAGESIZE)};
    sampler->fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
    if (sampler->fd < 0)
        return 0;
    sampler->ring =
        mmap(NULL, (1 + PAGES) * sampler->page, PROT_READ | PROT_WRITE, MAP_SHARED, sampler->fd, 0);
    if (sampler->ring != MAP_FAILED && (signal == 0 || ask_for_signals(sampler->fd, signal)))
        return 1;
    close(sampler->fd);
    return 0;
}

void sampler_close(struct sampler *sampler)
{
    munmap(sampler->ring, (1 + PAGES) * sampler->page);
    close(sampler->fd);
}

/* Starts the sampler with a whole first period, as the library does at each start. */
void sampler_start(struct sampler *sampler)
{
    uint64_t period = PERIOD;
    sampler_take(sampler);
    sampler->samples = sampler->lost = sampler->losses = 0;
    ioctl(sampler->fd, PERF_EVENT_IOC_PERIOD, &period);
    ioctl(sampler->fd, PERF_EVENT_IOC_RESET, 0);
    ioctl(sampler->fd, PERF_EVENT_IOC_ENABLE, 0);
}

void sampler_stop(struct sampler *sampler)
{
    ioctl(sampler->fd, PERF_EVENT_IOC_DISABLE, 0);
}

long long sampler_read(const struct sampler *sampler)
{
    long long count = 0;
    return read(sampler->fd, &count, sizeof count) == (ssize_t)sizeof count ? count : 0;
}

static uint64_t word_at(const struct sampler *sampler, uint64_t at)
{
    const char *buffer = (const char *)sampler->ring + sampler->page;
    uint64_t word;
    memcpy(&word, buffer + (at & (PAGES * sampler->page - 1)), sizeof word);
    return word;
}

void sampler_take(struct sampler *sampler)
{
    uint64_t head = __atomic_load_n(&sampler->ring->data_head, __ATOMIC_ACQUIRE);
    uint64_t tail = sampler->ring->data_tail;
    while (tail != head) {
        uint64_t word = word_at(sampler, tail);
        struct perf_event_header header;

        memcpy(&header, &word, sizeof header);
        if (header.type == PERF_RECORD_SAMPLE)
            sampler->samples++;
        if (header.type == PERF_RECORD_LOST)
            sampler->lost += (long long)word_at(sampler, tail + 2 * sizeof word);
        if (header.type == PERF_RECORD_LOST || header.type == PERF_RECORD_THROTTLE)
            sampler->losses++;
        tail += header.size;
    }
    __atomic_store_n(&sampler->ring->data_tail, tail, __ATOMIC_RELEASE);
}

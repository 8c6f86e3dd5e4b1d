/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Usage: sampled_bare none|frames|copied PROGRAM [ARGUMENT...]
 *
 * Measures what sampling costs a program at the least: the kernel takes the samples that papi_profile asks
 * for (of the processor's clock, one each millisecond, with the same stacks) into buffers that nobody reads.
 * What a profiler costs above that is its own. Prints to stderr how many samples there are; status 77: the
 * kernel takes none.
 */
#include "profile/unwind.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <signal.h>
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

enum { MOST_CPUS = 1024, PERIOD = 1000000, STACK_BYTES = 8192 };
/* Sizes of a buffer: five seconds of copied stacks; where so much is not allowed, less is taken. */
enum { MOST_BYTES = 64 << 20, LEAST_BYTES = 64 << 10 };

struct buffer {
    struct perf_event_mmap_page *head;
    size_t size;
};

static struct perf_event_attr what(const char *stacks)
{
    struct perf_event_attr attr = {.size = sizeof attr,
                                   .type = PERF_TYPE_SOFTWARE,
                                   .config = PERF_COUNT_SW_CPU_CLOCK,
                                   .sample_period = PERIOD,
                                   .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME};
    attr.exclude_kernel = attr.exclude_hv = attr.exclude_callchain_kernel = 1;
    attr.inherit = attr.disabled = attr.enable_on_exec = attr.sample_id_all = 1;
    attr.watermark = 1;
    attr.wakeup_watermark = UINT32_MAX;
    if (strcmp(stacks, "frames") == 0)
        attr.sample_type |= PERF_SAMPLE_CALLCHAIN;
    if (strcmp(stacks, "copied") == 0) {
        attr.sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
        attr.sample_regs_user = registers_asked();
        attr.sample_stack_user = STACK_BYTES;
    }
    return attr;
}

/* Status 77 where the kernel refuses; a CPU that is not online has none. */
static struct buffer open_on(struct perf_event_attr *attr, pid_t pid, int cpu)
{
    struct buffer buffer = {.head = NULL};
    int fd = (int)syscall(SYS_perf_event_open, attr, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
    if (fd < 0 && errno == ENODEV)
        return buffer;
    for (size_t size = MOST_BYTES; fd >= 0 && size >= LEAST_BYTES; size /= 2) {
        void *head =
            mmap(NULL, size + (size_t)sysconf(_SC_PAGESIZE), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        if (head != MAP_FAILED)
            return (struct buffer){head, size};
    }
    perror("SKIP: the kernel takes no samples");
    kill(pid, SIGKILL);
    exit(77);
}

/* Counts the samples in a buffer, where nothing was overwritten: if it is full, the kernel counts what it
 * leaves out. */
static long count(const struct buffer *buffer, uint64_t *bytes)
{
    const char *data = (const char *)buffer->head + sysconf(_SC_PAGESIZE);
    uint64_t end = __atomic_load_n(&buffer->head->data_head, __ATOMIC_ACQUIRE);
    long samples = 0;
    for (uint64_t at = 0; at + sizeof(struct perf_event_header) <= end;) {
        const struct perf_event_header *record = (const void *)(data + at);
        samples += record->type == PERF_RECORD_SAMPLE;
        at += record->size;
    }
    *bytes += end;
    return samples;
}

static pid_t start(char **program, int *go)
{
    int ends[2];
    char byte;
    if (pipe(ends) != 0)
        return -1;
    pid_t pid = fork();
    if (pid == 0) {
        close(ends[1]);
        if (read(ends[0], &byte, 1) == 1)
            execvp(program[0], program);
        _exit(127);
    }
    close(ends[0]);
    *go = ends[1];
    return pid;
}

int main(int argc, char **argv)
{
    static struct buffer buffer[MOST_CPUS];
    int go = -1, status = 0, cpus = (int)sysconf(_SC_NPROCESSORS_CONF);
    long samples = 0;
    uint64_t bytes = 0;
    if (argc < 3) {
        fputs("Usage: sampled_bare none|frames|copied PROGRAM [ARGUMENT...]\n", stderr);
        return 2;
    }
    struct perf_event_attr attr = what(argv[1]);
    pid_t pid = start(argv + 2, &go);
    for (int cpu = 0; cpu < cpus && cpu < MOST_CPUS; cpu++)
        buffer[cpu] = open_on(&attr, pid, cpu);
    if (write(go, "", 1) != 1 || waitpid(pid, &status, 0) != pid)
        return 1;
    for (int cpu = 0; cpu < cpus && cpu < MOST_CPUS; cpu++)
        samples += buffer[cpu].head != NULL ? count(&buffer[cpu], &bytes) : 0;
    fprintf(stderr, "sampled_bare: %ld samples, %llu bytes\n", samples, (unsigned long long)bytes);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

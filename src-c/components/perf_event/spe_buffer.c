/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The samples of Arm's Statistical Profiling Extension. The processor writes packets into a second buffer,
 * that of PERF_RECORD_AUX, of which the kernel gives a part (aux_head) whenever the thread leaves its CPU,
 * the event is stopped or half of the buffer is full. Packets have the time in ticks of the system's counter,
 * which are told as CLOCK_MONOTONIC by how long ago they were.
 */
#include "components/perf_event/spe_buffer.h"
#include "base/sysroot.h"
#include "components/perf_event/perf_group.h"
#include "formats/spe_packets.h"
#include "papi.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { RING_PAGES = 4, MOST_AUX_PAGES = 128 };

struct spe_buffer {
    struct sample_source base;
    int fd;
    struct perf_event_mmap_page *ring;
    const char *records; /* the ring's, in which are no samples, but what became of them */
    uint8_t *aux;
    uint64_t size;              /* of aux */
    struct spe_packets packets; /* of the part that is being read, */
    uint64_t end;               /* which ends here */
    struct spe_sample next;     /* waits, if has_next */
    bool has_next, part, truncated;
    uint64_t lost; /* in parts before */
    uint32_t pid, tid;
};

static struct spe_buffer *buffer_of(const struct sample_source *source)
{
    return (struct spe_buffer *)source;
}

/* ---- the clock */

/* Tells when a tick of the system's counter was; 0: it is not known. */
static uint64_t time_of(uint64_t tick)
{
#if defined(__aarch64__)
    struct timespec now;
    uint64_t count, frequency;
    if (tick == 0)
        return 0;
    clock_gettime(CLOCK_MONOTONIC, &now);
    __asm__ volatile("isb\n\tmrs %0, cntvct_el0" : "=r"(count));
    __asm__ volatile("mrs %0, cntfrq_el0" : "=r"(frequency));
    uint64_t at = (uint64_t)now.tv_sec * 1000000000U + (uint64_t)now.tv_nsec;
    if (frequency == 0 || count < tick)
        return 0;
    return at - (uint64_t)((double)(count - tick) * 1e9 / (double)frequency);
#else
    (void)tick;
    return 0;
#endif
}

/* ---- the buffers */

/* Reads what the kernel says of its samples; it says all of it between their parts. */
static void take_records(struct spe_buffer *buffer)
{
    enum { TRUNCATED = 0x01, COLLISION = 0x08, WORD = sizeof(uint64_t) };
    uint64_t size = RING_PAGES * (uint64_t)sysconf(_SC_PAGESIZE), tail = buffer->ring->data_tail,
             head = __atomic_load_n(&buffer->ring->data_head, __ATOMIC_ACQUIRE);
    struct perf_event_header header;
    for (; tail != head; tail += header.size) {
        uint64_t flags = 0; /* the third word of PERF_RECORD_AUX */
        memcpy(&header, buffer->records + (tail & (size - 1)), sizeof header);
        if (header.size < sizeof header || head - tail < header.size)
            break;
        uint64_t at = (tail + sizeof header + 2 * sizeof flags) & (size - 1);
        if (header.type == PERF_RECORD_AUX && header.size >= sizeof header + 3 * sizeof flags)
            memcpy(&flags, buffer->records + at, sizeof flags);
        if ((flags & (TRUNCATED | COLLISION)) != 0 || header.type == PERF_RECORD_LOST)
            buffer->truncated = true;
    }
    __atomic_store_n(&buffer->ring->data_tail, head, __ATOMIC_RELEASE);
}

/* Gives a part back, and takes the next one, up to the end of the buffer. false: there is none. */
static bool next_part(struct spe_buffer *buffer)
{
    if (buffer->part) {
        buffer->lost += buffer->packets.lost;
        buffer->packets.lost = 0;
        __atomic_store_n(&buffer->ring->aux_tail, buffer->end, __ATOMIC_RELEASE);
    }
    take_records(buffer);
    uint64_t head = __atomic_load_n(&buffer->ring->aux_head, __ATOMIC_ACQUIRE), tail = buffer->ring->aux_tail;
    uint64_t place = tail & (buffer->size - 1), n = head - tail, whole = buffer->size - place;
    buffer->part = n > 0 && n <= buffer->size;
    if (!buffer->part)
        return false;
    if (n > whole)
        n = whole;
    buffer->end = tail + n;
    buffer->packets.next = buffer->aux + place;
    buffer->packets.end = buffer->packets.next + n;
    return true;
}

static bool spe_first(struct sample_source *source, struct taken_sample *sample)
{
    struct spe_buffer *buffer = buffer_of(source);
    while (!buffer->has_next) {
        buffer->has_next = buffer->part && spe_next(&buffer->packets, &buffer->next);
        if (!buffer->has_next && !next_part(buffer))
            return false;
    }
    *sample =
        (struct taken_sample){.access = buffer->next.access, .exact = true, .kernel = buffer->next.kernel};
    sample->record.time = time_of(buffer->next.time);
    sample->record.pid = buffer->pid;
    sample->record.tid = buffer->tid;
    sample->record.cpu = SAMPLE_NO_CPU;
    return true;
}

static void spe_done(struct sample_source *source)
{
    buffer_of(source)->has_next = false;
}

/* ---- start, stop, what is lost */

static int spe_start(struct sample_source *source, struct reason *why)
{
    struct spe_buffer *buffer = buffer_of(source);
    take_records(buffer);
    __atomic_store_n(&buffer->ring->aux_tail, __atomic_load_n(&buffer->ring->aux_head, __ATOMIC_ACQUIRE),
                     __ATOMIC_RELEASE);
    buffer->has_next = buffer->part = buffer->truncated = false;
    buffer->lost = buffer->packets.lost = 0;
    return sys_enable(buffer->fd, why);
}

/* The event is off when it has given the program all that the processor has written. */
static int spe_stop(struct sample_source *source, struct reason *why)
{
    struct spe_buffer *buffer = buffer_of(source);
    int code = sys_disable(buffer->fd, why);
    take_records(buffer);
    return code;
}

static uint64_t spe_lost(const struct sample_source *source, bool *more, uint64_t *throttled)
{
    const struct spe_buffer *buffer = buffer_of(source);
    *more = buffer->truncated;
    *throttled = 0;
    return buffer->lost + buffer->packets.lost;
}

static void spe_silence(const struct sample_source *source)
{
    sys_disable(buffer_of(source)->fd, NULL);
}

static void spe_destroy(struct sample_source *source)
{
    struct spe_buffer *buffer = buffer_of(source);
    if (buffer->aux != NULL)
        munmap(buffer->aux, buffer->size);
    sys_unmap(buffer->ring, RING_PAGES);
    sys_close(buffer->fd);
    free(buffer);
}

/* The buffers are not the child's: the kernel does not copy their mappings. */
static void spe_abandon(struct sample_source *source)
{
    struct spe_buffer *buffer = buffer_of(source);
    sys_close(buffer->fd);
    buffer->fd = -1;
    buffer->ring = NULL;
    buffer->aux = NULL;
}

static const struct sample_source_ops spe_ops = {
    .start = spe_start,
    .stop = spe_stop,
    .first = spe_first,
    .done = spe_done,
    .lost = spe_lost,
    .silence = spe_silence,
    .destroy = spe_destroy,
    .abandon = spe_abandon,
};

/* ---- open */

/* True for the cores of Arm whose technical reference manuals number the sources of data alike. */
static bool has_known_sources(const char *root)
{
    enum { ARM = 0x41, N1 = 0xd0c, V1 = 0xd40, N2 = 0xd49, V2 = 0xd4f };
    char line[64];
    if (sysroot_line(root, "/sys/devices/system/cpu/cpu0/regs/identification/midr_el1", line, sizeof line) <=
        0)
        return false;
    unsigned long long midr = strtoull(line, NULL, 16);
    unsigned maker = midr >> 24 & 0xff, part = midr >> 4 & 0xfff;
    return maker == ARM && (part == N1 || part == V1 || part == N2 || part == V2);
}

/* The processor's counter is set in steps of 256 (PMSIRR_EL1.INTERVAL), from a number on that the kernel
 * lists; the kernel rounds others without a word. */
static int check_request(const char *root, const struct sample_request *request, struct reason *why)
{
    enum { STEP = 256 };
    long long least = STEP;
    if (request->branches)
        return reason_set(why, PAPI_ENOSUPP,
                          "samples of SPE have no branches before them: sample without "
                          "PAPI_SAMPLE_WITH_BRANCHES; papi_emulate counts branches exactly on any machine");
    if (request->signal)
        return reason_set(
            why, PAPI_ENOSUPP,
            "samples of SPE come many at a time: no handler is called for each; PAPI_sample_read "
            "takes them");
    if (sysroot_number(root, SYSROOT_PMUS "/arm_spe_0/caps/min_interval", &least) != 0 || least < STEP)
        least = STEP;
    if (request->period % STEP != 0 || request->period < (uint64_t)least)
        return reason_set(why, PAPI_EINVAL, "a period of %llu: those of SPE are multiples of %d from %lld on",
                          (unsigned long long)request->period, (int)STEP, least);
    return PAPI_OK;
}

static int map(struct spe_buffer *buffer, struct reason *why)
{
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    buffer->ring = sys_map(buffer->fd, RING_PAGES);
    for (uint64_t pages = MOST_AUX_PAGES; buffer->ring != NULL && buffer->aux == NULL && pages > 1;
         pages /= 2) {
        buffer->ring->aux_offset = (1 + RING_PAGES) * page;
        buffer->ring->aux_size = buffer->size = pages * page;
        void *aux = mmap(NULL, buffer->size, PROT_READ | PROT_WRITE, MAP_SHARED, buffer->fd,
                         (off_t)buffer->ring->aux_offset);
        buffer->aux = aux == MAP_FAILED ? NULL : aux;
    }
    if (buffer->aux == NULL)
        return reason_set(
            why, errno == EPERM || errno == ENOMEM ? PAPI_ENOMEM : PAPI_ESYS,
            "the buffer for samples cannot be mapped: %s (kernel.perf_event_mlock_kb and ulimit -l "
            "limit the memory that a user has for them)",
            strerror(errno));
    buffer->records = (const char *)buffer->ring + page;
    return PAPI_OK;
}

int spe_buffer_open(const char *root, const struct event_encoding *event,
                    const struct sample_request *request, struct sample_source **source, struct reason *why)
{
    struct perf_event_attr attr;
    int fd, code = check_request(root, request, why);
    if (code != PAPI_OK)
        return code;
    describe_event(event, request->domain, &attr);
    attr.disabled = 1;
    attr.read_format = 0;
    attr.sample_period = request->period;
    attr.sample_type = PERF_SAMPLE_TID;
    code = sys_open(root, NULL, &attr, -1, &fd, why);
    if (code != PAPI_OK)
        return code;
    struct spe_buffer *buffer = calloc(1, sizeof *buffer);
    if (buffer == NULL) {
        sys_close(fd);
        return reason_set(why, PAPI_ENOMEM, "out of memory");
    }
    buffer->base.ops = &spe_ops;
    buffer->fd = fd;
    buffer->packets.sources = has_known_sources(root);
    buffer->pid = (uint32_t)getpid();
    buffer->tid = (uint32_t)syscall(SYS_gettid);
    code = map(buffer, why);
    if (code == PAPI_OK)
        *source = &buffer->base;
    else
        spe_destroy(&buffer->base);
    return code;
}

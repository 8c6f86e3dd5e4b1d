/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The kernel's samples with their data: a counter with a ring of pages. The kernel writes at data_head, what
 * lies before data_tail is taken. Fields that a kernel may lack are tried: three numbers of weight (5.12),
 * the number of samples that were lost (6.0). A record that lies across the end of the ring is put together.
 * The registers of AMD's IBS, which the kernel gives, too, come before what it makes of them: before 6.1 that
 * was nothing.
 */
#include "components/perf_event/sample_buffer.h"
#include "components/perf_event/holders.h"
#include "components/perf_event/perf_group.h"
#include "components/perf_event/precise.h"
#include "components/perf_event/sampling_pmu.h"
#include "formats/ibs_registers.h"
#include "formats/perf_memory.h"
#include "papi.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* As much as a user may map without rights by default (kernel.perf_event_mlock_kb), or what is left of it. */
enum { MOST_PAGES = 128, RECORD_ROOM = UINT16_MAX + 1 };

/* Counts of samples that are missing, and of times that the kernel stopped the event. */
struct missed {
    uint64_t lost, throttled;
};

struct buffer {
    struct sample_source base;
    int fd, leader; /* leader: which is enabled and disabled in its place; -1: none */
    uint64_t period;
    enum sampling_pmu pmu;
    struct perf_event_mmap_page *ring;
    uint32_t pages;
    const char *bytes;
    uint64_t size;
    struct sample_layout layout;
    bool counts_lost;     /* the kernel says how many, at any time */
    uint64_t lost_before; /* the start, of these */
    struct missed missed; /* since then, by the records that were taken */
    bool full;
    uint32_t next; /* bytes of the record that first gave */
    char record[RECORD_ROOM];
};

static struct buffer *buffer_of(const struct sample_source *source)
{
    return (struct buffer *)source;
}

/* ---- open */

/* A counter that is open, and what it is. */
struct opened {
    int fd, leader;
    enum sampling_pmu pmu;
    struct perf_event_attr attr;
};

/* All events of a group have one clock. */
static void set_clock(struct perf_event_attr *attr)
{
    attr->use_clockid = 1;
    attr->clockid = CLOCK_MONOTONIC;
}

static void describe(const struct event_encoding *event, const struct sample_request *request, int precise,
                     int way, struct opened *opened)
{
    struct perf_event_attr *attr = &opened->attr;
    describe_event(event, request->domain, attr);
    attr->disabled = attr->pinned = opened->leader < 0;
    attr->sample_period = request->period;
    attr->precise_ip = (unsigned)precise & 3;
    attr->read_format = way == 0 ? FORMAT_LOST : 0;
    /* Not PERF_SAMPLE_PERIOD, with which the kernel samples every software event, whatever the period. */
    attr->sample_type =
        PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR | PERF_SAMPLE_CPU;
    if (sampling_may_have_source(event))
        attr->sample_type |=
            PERF_SAMPLE_DATA_SRC | (way < 2 ? PERF_SAMPLE_WEIGHT_STRUCT : PERF_SAMPLE_WEIGHT);
    if (opened->pmu == SAMPLED_BY_IBS_OP || opened->pmu == SAMPLED_BY_IBS_FETCH)
        attr->sample_type |= PERF_SAMPLE_RAW;
    set_clock(attr);
    if (request->branches) {
        attr->sample_type |= PERF_SAMPLE_BRANCH_STACK;
        attr->branch_sample_type = PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_USER;
    }
    attr->watermark = !request->signal;
    if (request->signal)
        attr->wakeup_events = 1;
    else
        attr->wakeup_watermark = UINT32_MAX; /* nobody waits */
}

static int open_leader(const char *root, const struct event_encoding *event,
                       const struct sample_request *request, int *fd, struct reason *why)
{
    struct event_encoding first;
    struct perf_event_attr attr;
    *fd = -1;
    if (!sampling_needs_leader(root, event, &first))
        return PAPI_OK;
    describe_event(&first, request->domain, &attr);
    attr.disabled = attr.pinned = 1;
    attr.read_format = 0;
    set_clock(&attr);
    return sys_open(root, NULL, &attr, -1, fd, why);
}

static void close_counter(struct opened *opened)
{
    sys_close(opened->fd);
    sys_close(opened->leader);
}

static int open_counter(const char *root, const struct event_encoding *event,
                        const struct sample_request *request, struct opened *opened, struct reason *why)
{
    enum { WAYS = 3 };
    struct precise_levels levels;
    opened->fd = opened->leader = -1;
    opened->pmu = sampling_pmu_of(root, event);
    int code = precise_levels(root, event, request->precise, &levels, why), level = levels.first;
    code = code ?: open_leader(root, event, request, &opened->leader, why);
    if (code != PAPI_OK)
        return code;
    do
        for (int way = 0; way < WAYS; way++) {
            describe(event, request, level, way, opened);
            code = sys_open(root, NULL, &opened->attr, opened->leader, &opened->fd, why);
            if (code == PAPI_OK)
                return code;
            if (code != PAPI_ENOEVNT)
                break;
        }
    while (code == PAPI_ENOEVNT && level-- > levels.last);
    sys_close(opened->leader);
    return code;
}

/* IBS counts in steps of 16, and the kernel cannot have it leave modes out, but by a field that newer ones
 * have. */
static int why_not_ibs(const char *root, const struct event_encoding *event,
                       const struct sample_request *request, struct reason *why)
{
    enum { STEP = 16 };
    struct sample_request all = *request;
    struct opened opened;
    if (request->period % STEP != 0)
        return reason_set(why, PAPI_EINVAL, "a period of %llu: those of IBS are multiples of %d",
                          (unsigned long long)request->period, (int)STEP);
    all.domain = PAPI_DOM_ALL;
    if (open_counter(root, event, &all, &opened, NULL) != PAPI_OK)
        return PAPI_ENOEVNT;
    close_counter(&opened);
    return reason_set(
        why, PAPI_ENOSUPP,
        "this kernel samples by IBS in all modes alone: PAPI_set_domain(PAPI_DOM_ALL) before, or, "
        "where the PMU's format has swfilt, swfilt=1 in the event's name");
}

/* The kernel says the same of an event, of branches and of samples that it has not. */
static int why_not(const char *root, const struct event_encoding *event, const struct sample_request *request,
                   enum sampling_pmu pmu, struct reason *why)
{
    struct perf_event_attr attr;
    struct sample_request less = *request;
    struct opened opened;
    int fd;
    less.branches = false;
    if (request->branches && open_counter(root, event, &less, &opened, NULL) == PAPI_OK) {
        close_counter(&opened);
        return reason_set(
            why, PAPI_ENOSUPP,
            "the kernel takes no records of branches with samples of this event here (Intel's LBR, "
            "AMD's LbrExtV2, Arm's BRBE; none for software events): sample without "
            "PAPI_SAMPLE_WITH_BRANCHES; papi_emulate counts branches exactly on any machine");
    }
    if (pmu == SAMPLED_BY_IBS_OP || pmu == SAMPLED_BY_IBS_FETCH)
        return why_not_ibs(root, event, &less, why);
    describe_event(event, request->domain, &attr);
    attr.disabled = 1;
    if (sys_open(root, NULL, &attr, -1, &fd, NULL) != PAPI_OK)
        return PAPI_ENOEVNT;
    sys_close(fd);
    return reason_set(
        why, PAPI_ENOSUPP,
        "the event is counted here, but the kernel takes no samples of it with a period of %llu",
        (unsigned long long)request->period);
}

static int map(struct buffer *buffer, struct reason *why)
{
    for (uint32_t pages = MOST_PAGES; buffer->ring == NULL && pages > 0; pages /= 2) {
        buffer->ring = sys_map(buffer->fd, pages);
        buffer->pages = pages;
    }
    if (buffer->ring == NULL)
        return reason_set(
            why, errno == EPERM || errno == ENOMEM ? PAPI_ENOMEM : PAPI_ESYS,
            "the buffer for samples cannot be mapped: %s (kernel.perf_event_mlock_kb and ulimit -l "
            "limit the memory that a user has for them)",
            strerror(errno));
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    buffer->bytes = (const char *)buffer->ring + page;
    buffer->size = buffer->pages * page;
    return PAPI_OK;
}

/* ---- the ring */

static uint64_t head_of(const struct buffer *buffer)
{
    return __atomic_load_n(&buffer->ring->data_head, __ATOMIC_ACQUIRE);
}

static void set_tail(struct buffer *buffer, uint64_t tail)
{
    __atomic_store_n(&buffer->ring->data_tail, tail, __ATOMIC_RELEASE);
}

/* A record's bytes in one piece. */
static const char *whole(struct buffer *buffer, uint64_t at, uint32_t size)
{
    uint64_t place = at & (buffer->size - 1), first = buffer->size - place;
    if (size <= first)
        return buffer->bytes + place;
    memcpy(buffer->record, buffer->bytes + place, first);
    memcpy(buffer->record + first, buffer->bytes, size - first);
    return buffer->record;
}

/* Copies a part of the ring. */
static void copy(const struct buffer *buffer, uint64_t at, void *to, size_t size)
{
    uint64_t place = at & (buffer->size - 1), first = buffer->size - place;
    first = size < first ? size : first;
    memcpy(to, buffer->bytes + place, first);
    memcpy((char *)to + first, buffer->bytes, size - first);
}

/* True if the ring has next to no room. */
static bool is_full(const struct buffer *buffer)
{
    enum { NEARLY = 256 };
    return head_of(buffer) - buffer->ring->data_tail + NEARLY >= buffer->size;
}

/* Notes a record that is no sample. */
static void note_other(const struct buffer *buffer, uint64_t at, const struct perf_event_header *header,
                       struct missed *missed)
{
    enum { LOST_SAMPLES = 13, WORD = sizeof(uint64_t) };
    size_t before = header->type == PERF_RECORD_LOST ? sizeof *header + WORD : sizeof *header;
    uint64_t n = 0;
    if (header->size >= before + WORD)
        copy(buffer, at + before, &n, WORD);
    if (header->type == PERF_RECORD_LOST || header->type == LOST_SAMPLES)
        missed->lost += n;
    missed->throttled += header->type == PERF_RECORD_THROTTLE;
}

/* Adds up what was missed by all records, those that wait included. */
static struct missed all_missed(const struct buffer *buffer)
{
    struct missed missed = buffer->missed;
    struct perf_event_header header;
    uint64_t head = head_of(buffer);
    for (uint64_t at = buffer->ring->data_tail; at != head; at += header.size) {
        copy(buffer, at, &header, sizeof header);
        if (header.size < sizeof header)
            break;
        if (header.type != PERF_RECORD_SAMPLE)
            note_other(buffer, at, &header, &missed);
    }
    return missed;
}

/* Reads what a sample accessed. The weight of a store, or of what is no access, is not a latency. */
static void read_access(const struct buffer *buffer, struct taken_sample *sample)
{
    const struct sample_record *record = &sample->record;
    struct sampled_access *access = &sample->access, own;
    *access = (struct sampled_access){record->ip, record->address, LATENCY_UNKNOWN, {.load = false}};
    bool ibs = buffer->pmu == SAMPLED_BY_IBS_OP      ? ibs_op_read(record->raw.at, record->raw.n, &own)
               : buffer->pmu == SAMPLED_BY_IBS_FETCH ? ibs_fetch_read(record->raw.at, record->raw.n, &own)
                                                     : false;
    if (ibs) {
        sample->exact = own.ip != 0;
        own.ip = sample->exact ? own.ip : record->ip;
        *access = own;
    } else if (record->has_source) {
        access->source = data_source_read(record->source);
        if (access->source.load && record->weight > 0 && record->weight <= INT32_MAX)
            access->latency = (int32_t)record->weight;
    }
}

static bool buffer_first(struct sample_source *source, struct taken_sample *sample)
{
    struct buffer *buffer = buffer_of(source);
    uint64_t head = head_of(buffer), tail;
    struct perf_event_header header;
    buffer->full |= is_full(buffer);
    while ((tail = buffer->ring->data_tail) != head) {
        memcpy(&header, buffer->bytes + (tail & (buffer->size - 1)), sizeof header);
        const char *record = whole(buffer, tail, header.size);
        buffer->next = header.size;
        if (header.type == PERF_RECORD_SAMPLE &&
            sample_record_read(record + sizeof header, header.size - sizeof header, &buffer->layout,
                               &sample->record)) {
            sample->exact = (header.misc & PERF_RECORD_MISC_EXACT_IP) != 0;
            sample->kernel = (header.misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL;
            read_access(buffer, sample);
            return true;
        }
        if (header.type == PERF_RECORD_LOST)
            buffer->full = false;
        note_other(buffer, tail, &header, &buffer->missed);
        set_tail(buffer, tail + header.size);
    }
    return false;
}

static void buffer_done(struct sample_source *source)
{
    struct buffer *buffer = buffer_of(source);
    set_tail(buffer, buffer->ring->data_tail + buffer->next);
}

/* ---- start, stop, what is lost */

/* The counter that is enabled and disabled. */
static int first_of(const struct buffer *buffer)
{
    return buffer->leader >= 0 ? buffer->leader : buffer->fd;
}

static uint64_t lost_by_kernel(const struct buffer *buffer)
{
    uint64_t words[2] = {0}; /* the count, and how many samples were lost since the event was opened */
    return buffer->counts_lost && read(buffer->fd, words, sizeof words) == sizeof words ? words[1] : 0;
}

/* Looks whether the event has its counter. It is pinned: one that has lost it, or never had it, shows nothing
 * when it is read, and gives no samples. */
static int check_counter(const struct buffer *buffer, struct reason *why)
{
    uint64_t words[2];
    long got = read(first_of(buffer), words, sizeof words);
    return got > 0 ? PAPI_OK : sys_read_failed(got < 0 ? -errno : 0, why);
}

static int buffer_start(struct sample_source *source, struct reason *why)
{
    struct buffer *buffer = buffer_of(source);
    set_tail(buffer, head_of(buffer));
    buffer->missed = (struct missed){0};
    buffer->full = false;
    buffer->lost_before = lost_by_kernel(buffer);
    int code = sys_set_period(buffer->fd, buffer->period, why) ?: sys_enable(first_of(buffer), why);
    if (code != PAPI_OK)
        return code;
    code = check_counter(buffer, why);
    if (code != PAPI_OK)
        sys_disable(first_of(buffer), NULL);
    return code == PAPI_ECNFLCT ? holders_reason("", why) : code;
}

static int buffer_stop(struct sample_source *source, struct reason *why)
{
    return sys_disable(first_of(buffer_of(source)), why) ?: check_counter(buffer_of(source), why);
}

static uint64_t buffer_lost(const struct sample_source *source, bool *more, uint64_t *throttled)
{
    const struct buffer *buffer = buffer_of(source);
    struct missed missed = all_missed(buffer);
    *throttled = missed.throttled;
    *more = !buffer->counts_lost && (buffer->full || is_full(buffer));
    uint64_t counted = lost_by_kernel(buffer); /* 0 without a counter */
    return counted >= buffer->lost_before && buffer->counts_lost ? counted - buffer->lost_before
                                                                 : missed.lost;
}

static void buffer_silence(const struct sample_source *source)
{
    sys_disable(first_of(buffer_of(source)), NULL);
}

static void buffer_destroy(struct sample_source *source)
{
    struct buffer *buffer = buffer_of(source);
    sys_unmap(buffer->ring, buffer->pages);
    sys_close(buffer->fd);
    sys_close(buffer->leader);
    free(buffer);
}

/* The ring is not the child's: the kernel does not copy its mapping. */
static void buffer_abandon(struct sample_source *source)
{
    struct buffer *buffer = buffer_of(source);
    sys_close(buffer->fd);
    sys_close(buffer->leader);
    buffer->fd = buffer->leader = -1;
    buffer->ring = NULL;
}

static const struct sample_source_ops buffer_ops = {
    .start = buffer_start,
    .stop = buffer_stop,
    .first = buffer_first,
    .done = buffer_done,
    .lost = buffer_lost,
    .silence = buffer_silence,
    .destroy = buffer_destroy,
    .abandon = buffer_abandon,
};

int sample_buffer_open(const char *root, const struct event_encoding *event,
                       const struct sample_request *request, struct sample_source **source,
                       struct reason *why)
{
    struct opened opened;
    int code = overflows_allow(event, request->period, why);
    if (code != PAPI_OK)
        return code;
    code = open_counter(root, event, request, &opened, why);
    if (code == PAPI_ENOEVNT)
        code = why_not(root, event, request, opened.pmu, why);
    if (code != PAPI_OK)
        return code;
    struct buffer *buffer = calloc(1, sizeof *buffer);
    if (buffer == NULL) {
        close_counter(&opened);
        return reason_set(why, PAPI_ENOMEM, "out of memory");
    }
    buffer->base.ops = &buffer_ops;
    buffer->fd = opened.fd;
    buffer->leader = opened.leader;
    buffer->pmu = opened.pmu;
    buffer->period = request->period;
    buffer->layout = sample_layout_of(&opened.attr);
    buffer->counts_lost = opened.attr.read_format != 0;
    code = map(buffer, why) ?: (request->signal ? sys_send_signal(opened.fd, OVERFLOW_SIGNAL, why) : PAPI_OK);
    if (code == PAPI_OK)
        *source = &buffer->base;
    else
        buffer_destroy(&buffer->base);
    return code;
}

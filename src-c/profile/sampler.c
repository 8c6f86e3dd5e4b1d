/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Samples of a program: a counter for each event and each CPU, inherited by all threads and processes of the
 * program, and a buffer for each CPU, into which the events of that CPU write. (A counter that is inherited
 * can have a buffer only if it is of one CPU.) The first event of each CPU also records mappings, names,
 * forks and exits, by which addresses are understood later; one of them is enough.
 * While the program runs nothing is understood yet: the buffers are emptied into a file, whose records
 * replay.c sorts by their times when the program is over. This keeps the tool's own work small and away from
 * the program's caches. Copied stacks fill a buffer fast, so the interval between two looks follows how full
 * the buffers were, between 1 and 50 ms. Samples that found a buffer full are counted by the kernel, and the
 * profile says how many were lost.
 * Buffers take memory that the kernel locks, of which a user has so much; they become smaller where that is
 * short.
 */
#include "sampler.h"
#include "base/seconds.h"
#include "components/perf_event/precise_processor.h"
#include "components/perf_event/sys.h"
#include "events/natives.h"
#include "formats/allocation_record.h"
#include "formats/native_times.h"
#include "metrics/metrics.h"
#include "tools/common/allocate.h"
#include "tools/common/event.h"
#include "tools/common/other_program.h"
#include "unwind.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* ---- the kernel's description of events */

/* The clock of a kernel that has no more than that, every millisecond; others that often on average. */
enum { CLOCK_PERIOD = 1000000, LEAST_CLOCK_PERIOD = 100000, RATE = 1000 };
static const char clock_name[] = "perf::CPU-CLOCK";

/* ---- names to encodings */

/* Encodes an event, which is looked for in the sources that the library uses, in the same order. */
static int encode(const char *name, struct event_encoding *encoding, struct reason *why)
{
    static const struct event_source *const sources[] = {&pfm_source, &sysfs_source};
    static struct event_tables tables; /* libpfm4 stays, once it was loaded */
    int code = PAPI_ENOEVNT;
    tables.pmus.root = secure_getenv("PAPI_SYSROOT");
    for (int i = strchr(name, '/') != NULL; i < 2 && code != PAPI_OK; i++) {
        *encoding = (struct event_encoding){.component = 0};
        struct reason reason = {.code = PAPI_OK};
        code = sources[i]->find(&tables, name, encoding, &reason);
        if (i == 0 || strchr(name, '/') != NULL || code == PAPI_OK)
            *why = reason;
    }
    pmus_free(&tables.pmus);
    return code;
}

/* The one native event behind a name; NULL after a message. */
static const char *native_of(struct tool *tool, const char *name, PAPI_event_info_t *info)
{
    const char *why;
    if (event_find(tool, name, info) != TOOL_FINE)
        return NULL;
    if (!event_is_composed(info))
        return info->symbol;
    if (!event_counts(info, &why)) {
        bool exact = emulated_preset(name, strlen(name)) != NULL;
        tool_error(tool, "event %s cannot be sampled: %s%s%s%s", name, why,
                   exact ? "; \"papi_profile --exact -e " : "", exact ? name : "",
                   exact ? " ...\" counts it by line" : "");
        return NULL;
    }
    if (event_natives(info) == 1)
        return info->name[0];
    tool_error(tool,
               "event %s is computed from %d others, which do not overflow together: sample one of them, "
               "such as %s",
               name, event_natives(info), info->name[0]);
    return NULL;
}

static bool of_perf_event(struct tool *tool, const char *name)
{
    int code, component;
    const PAPI_component_info_t *info = NULL;
    if (PAPI_event_name_to_code(name, &code) == PAPI_OK) {
        component = PAPI_get_event_component(code);
        info = component >= 0 ? PAPI_get_component_info(component) : NULL;
    }
    if (info == NULL || strcmp(info->name, "perf_event") == 0)
        return true;
    tool_error(tool,
               "event %s is one of the component %s, which cannot interrupt a program: sample events of the "
               "component perf_event",
               name, info->name);
    return false;
}

/* ---- what is asked for */

static bool is_clock(const struct perf_event_attr *attr)
{
    return attr->type == PERF_TYPE_SOFTWARE &&
           (attr->config == PERF_COUNT_SW_CPU_CLOCK || attr->config == PERF_COUNT_SW_TASK_CLOCK);
}

static void take_encoding(struct perf_event_attr *attr, const struct event_encoding *encoding)
{
    int domain = encoding->domain != 0 ? encoding->domain : PAPI_DOM_USER;
    *attr = (struct perf_event_attr){
        .type = encoding->type,
        .size = sizeof *attr,
        .config = encoding->config,
        .config1 = encoding->config1,
        .config2 = encoding->config2,
        .exclude_user = (domain & PAPI_DOM_USER) == 0,
        .exclude_kernel = (domain & PAPI_DOM_KERNEL) == 0,
        .exclude_hv = 1,
    };
}

/* Sets how often an event is sampled: by the user's period; with 0, a clock by CLOCK_PERIOD, other events
 * RATE times a second. */
static void set_period(struct perf_event_attr *attr, uint64_t period)
{
    if (period == 0 && !is_clock(attr)) {
        attr->freq = 1;
        attr->sample_freq = RATE;
    } else {
        attr->sample_period = period != 0 ? period : CLOCK_PERIOD;
    }
}

/* The last event is sampled as precisely as it counts the same. */
static void take_precision(struct attributes *attributes, const struct event_encoding *encoding)
{
    const char *root = secure_getenv("PAPI_SYSROOT");
    const struct precise_processor processor = precise_processor_at(root != NULL ? root : "");
    attributes->of_cores[attributes->n] = precise_concerns(encoding);
    attributes->precise[attributes->n] = precise_same(&processor, encoding);
}

static int add(struct attributes *attributes, struct tool *tool, const char *name,
               const struct event_encoding *encoding, uint64_t period, struct profile *profile)
{
    struct perf_event_attr *attr = &attributes->attr[attributes->n];
    if (attributes->n == PROFILE_EVENTS)
        return tool_usage_error(tool, "%s is one event more than the %d that can be sampled at once", name,
                                (int)PROFILE_EVENTS);
    take_encoding(attr, encoding);
    take_precision(attributes, encoding);
    if (is_clock(attr) && period != 0 && period < LEAST_CLOCK_PERIOD)
        return tool_usage_error(tool,
                                "%s=%llu: a clock of the kernel interrupts a program every %d ns at "
                                "the most often",
                                name, (unsigned long long)period, (int)LEAST_CLOCK_PERIOD);
    set_period(attr, period);
    profile->event[profile->n_events++] = (struct profile_event){
        .name = memory_text(name), .period = attr->freq ? 0 : attr->sample_period, .clock = is_clock(attr)};
    attributes->n++;
    return TOOL_FINE;
}

void attributes_add_memory(struct attributes *attributes, const struct memory_event *event,
                           struct profile *profile)
{
    attributes->memory[attributes->n] = event;
    attributes->attr[attributes->n++] = event->attr;
    profile->event[profile->n_events++] = (struct profile_event){.name = memory_text(event->name)};
}

/* ---- the words */

/* "EVENT=1000": the period, and *length is that of EVENT; 0: there is none. */
static uint64_t period_of(const char *word, size_t *length)
{
    const char *equals = strrchr(word, '=');
    char *end;
    if (equals == NULL || !isdigit((unsigned char)equals[1]))
        return 0;
    errno = 0;
    unsigned long long period = strtoull(equals + 1, &end, 10);
    if (*end != '\0' || errno != 0 || period > LLONG_MAX)
        return 0;
    *length = (size_t)(equals - word);
    return period;
}

static bool known(const char *word)
{
    int code;
    return PAPI_event_name_to_code(word, &code) == PAPI_OK;
}

static int add_named(struct attributes *attributes, struct tool *tool, const char *name, uint64_t period,
                     struct profile *profile)
{
    PAPI_event_info_t info;
    struct event_encoding encoding;
    struct reason why = {.code = PAPI_OK};
    const char *native = native_of(tool, name, &info);
    if (native == NULL || !of_perf_event(tool, native))
        return TOOL_ERROR;
    if (encode(native, &encoding, &why) != PAPI_OK)
        return tool_error(tool, "event %s cannot be sampled: %s", name, why.text);
    return add(attributes, tool, name, &encoding, period, profile);
}

/* True if the processor counts an event in a thread and can interrupt it. */
static bool event_counts_here(struct perf_event_attr attr)
{
    int fd;
    attr.disabled = 1;
    bool counts = sys_open(secure_getenv("PAPI_SYSROOT"), NULL, &attr, -1, &fd, NULL) == PAPI_OK;
    if (counts)
        sys_close(fd);
    return counts;
}

static int add_usual(struct attributes *attributes, struct tool *tool, struct profile *profile)
{
    static const struct event_encoding cycles = {.type = PERF_TYPE_HARDWARE,
                                                 .config = PERF_COUNT_HW_CPU_CYCLES},
                                       clock = {.type = PERF_TYPE_SOFTWARE,
                                                .config = PERF_COUNT_SW_CPU_CLOCK};
    struct perf_event_attr attr;
    take_encoding(&attr, &cycles);
    set_period(&attr, 0);
    return event_counts_here(attr) ? add(attributes, tool, "perf::CYCLES", &cycles, 0, profile)
                                   : add(attributes, tool, clock_name, &clock, 0, profile);
}

int attributes_add_branches(struct attributes *attributes, struct tool *tool,
                            const struct perf_event_attr *event, struct profile *profile)
{
    static const struct event_encoding taken = {.type = PERF_TYPE_HARDWARE,
                                                .config = PERF_COUNT_HW_BRANCH_INSTRUCTIONS},
                                       missed = {.type = PERF_TYPE_HARDWARE,
                                                 .config = PERF_COUNT_HW_BRANCH_MISSES};
    struct perf_event_attr attr;
    int first = attributes->n, status = add(attributes, tool, "perf::BRANCHES", &taken, 0, profile);
    if (status != TOOL_FINE)
        return status;
    attributes->attr[first].branch_sample_type = event->branch_sample_type;
    take_encoding(&attr, &missed);
    set_period(&attr, 0);
    return event_counts_here(attr) ? add(attributes, tool, "perf::BRANCH-MISSES", &missed, 0, profile)
                                   : TOOL_FINE;
}

/* Complains about a word of which only the period behind "=" is wrong; TOOL_FINE if the part before it is no
 * event either. */
static int wrong_period(struct tool *tool, const char *name)
{
    const char *equals = strrchr(name, '=');
    char *event = memory_text(name);
    if (equals != NULL)
        event[equals - name] = '\0';
    int status =
        equals == NULL || !known(event)
            ? TOOL_FINE
            : tool_error(tool,
                         "%s: the period of %s is a whole number of events from 1 on, such as %s=1000000",
                         name, event, event);
    free(event);
    return status;
}

struct metric_adding {
    struct attributes *attributes;
    struct tool *tool;
    struct profile *profile;
};

/* Adds an event of a metric; one that another has as well is there. */
static int add_of_metric(void *context, const char *event)
{
    const struct metric_adding *to = context;
    for (int i = 0; i < to->profile->n_events; i++)
        if (strcmp(to->profile->event[i].name, event) == 0)
            return PAPI_OK;
    return add_named(to->attributes, to->tool, event, 0, to->profile) == TOOL_FINE ? PAPI_OK : PAPI_EMISC;
}

/* Adds the events of the metrics of a word that count here. */
static int add_metrics(struct attributes *attributes, struct tool *tool, const char *word,
                       struct profile *profile)
{
    struct metric_adding to = {attributes, tool, profile};
    struct metrics *metrics = metrics_load();
    struct metrics_picks picks = {.n = 0};
    struct reason why = {.code = PAPI_OK};
    if (metrics == NULL)
        memory_is_out();
    int before = profile->n_events;
    bool found = metrics_pick(metrics, word + 1, &picks, &why) == PAPI_OK;
    for (int i = 0; i < picks.n && tool->status == TOOL_FINE; i++)
        metrics_events(&picks.pick[i], add_of_metric, &to);
    if (!found)
        tool_error(tool, "%s", why.text);
    else if (tool->status == TOOL_FINE && profile->n_events == before)
        tool_error(tool, "%s cannot be sampled: %s; \"papi_profile --exact -e %s ...\" counts by line", word,
                   picks.pick[0].why.text, word);
    metrics_picks_free(&picks);
    metrics_free(metrics);
    return tool->status;
}

int attributes_add(struct attributes *attributes, struct tool *tool, const char *word,
                   struct profile *profile)
{
    size_t length = 0;
    if (word == NULL)
        return add_usual(attributes, tool, profile);
    if (word[0] == '@')
        return add_metrics(attributes, tool, word, profile);
    uint64_t period = known(word) ? 0 : period_of(word, &length);
    char *name = memory_text(word);
    if (period != 0)
        name[length] = '\0';
    int status = known(name) ? TOOL_FINE : wrong_period(tool, name);
    if (status == TOOL_FINE)
        status = add_named(attributes, tool, name, period, profile);
    free(name);
    return status;
}

/* Copied stacks take 8 KiB each: an eighth of a second's at the usual rate. */
enum { MOST_PAGES = 256, LEAST_PAGES = 4, STACK_BYTES = 8192 };

/* ---- counters */

/* Has one of the events record mappings, names, forks and ends. */
static void note_changes(struct perf_event_attr *attr, bool first)
{
    attr->mmap = attr->mmap2 = attr->comm = attr->comm_exec = attr->task = first;
}

static void set_sampling(struct perf_event_attr *attr, enum sampler_stacks stacks, bool first)
{
    attr->sample_type = SAMPLER_TYPE | (attr->branch_sample_type != 0 ? PERF_SAMPLE_BRANCH_STACK : 0);
    if (stacks == STACKS_FRAMES)
        attr->sample_type |= PERF_SAMPLE_CALLCHAIN;
    attr->exclude_callchain_kernel = 1;
    if (stacks == STACKS_COPIED) {
        attr->sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
        attr->sample_regs_user = registers_asked();
        attr->sample_stack_user = STACK_BYTES;
    }
    attr->read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
    attr->inherit = attr->disabled = attr->enable_on_exec = attr->sample_id_all = 1;
    attr->use_clockid = 1;
    attr->clockid = CLOCK_MONOTONIC;
    note_changes(attr, first);
    attr->watermark = 1;
    attr->wakeup_watermark = UINT32_MAX; /* nobody waits for it */
}

static int open_event(struct perf_event_attr *attr, pid_t pid, int cpu, int leader)
{
    return (int)syscall(SYS_perf_event_open, attr, pid, cpu, leader, PERF_FLAG_FD_CLOEXEC);
}

/* Opens a counter with the most precise addresses of samples that the processor offers, from the level *most
 * on, which receives what it is. */
static int open_precisely(struct perf_event_attr *attr, int *most, pid_t pid, int cpu)
{
    int fd = -1;
    for (int precise = *most; precise >= 0 && fd < 0; precise--) {
        *most = precise;
        attr->precise_ip = precise & 3;
        fd = open_event(attr, pid, cpu, -1);
    }
    return fd;
}

static void keep_fd(struct sampler *sampler, int fd)
{
    MEMORY_ONE_MORE(sampler->fd, sampler->n_fds, sampler->fd_room);
    sampler->fd[sampler->n_fds++] = fd;
}

/* Opens an event whose samples have addresses of data, as it was found to open, behind its leader if it needs
 * one. The kernel has mappings of data recorded, too. */
static int open_memory(struct sampler *sampler, const struct memory_event *event, bool first, pid_t pid,
                       int cpu)
{
    struct perf_event_attr attr = event->attr, leader = event->leader;
    int group = -1;
    attr.inherit = attr.disabled = attr.enable_on_exec = attr.sample_id_all = attr.use_clockid = 1;
    attr.clockid = CLOCK_MONOTONIC;
    attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
    attr.watermark = 1;
    attr.wakeup_watermark = UINT32_MAX;
    note_changes(&attr, first);
    attr.mmap_data = first;
    if (event->has_leader) {
        leader.inherit = leader.disabled = leader.enable_on_exec = 1;
        leader.exclude_kernel = leader.exclude_hv = 1;
        leader.read_format = attr.read_format;
        leader.use_clockid = attr.use_clockid; /* all events of a group have one clock */
        leader.clockid = attr.clockid;
        group = open_event(&leader, pid, cpu, -1);
        if (group < 0)
            return -1;
        MEMORY_ONE_MORE(sampler->leader, sampler->n_leaders, sampler->leader_room);
        sampler->leader[sampler->n_leaders++] = group;
    }
    return open_event(&attr, pid, cpu, group);
}

/* Explains why the kernel refused an event, by asking for it once more as a program counts itself. */
static int refused(const struct perf_event_attr *attr, int error, struct reason *why)
{
    struct perf_event_attr plain = *attr;
    int fd;
    plain.inherit = plain.enable_on_exec = 0;
    int code = sys_open(secure_getenv("PAPI_SYSROOT"), NULL, &plain, -1, &fd, why);
    if (code != PAPI_OK)
        return code;
    sys_close(fd);
    return reason_set(why, error == EMFILE || error == ENFILE ? PAPI_ESYS : PAPI_EPERM,
                      "the kernel refuses a counter for the program (%s)%s", strerror(error),
                      error == EMFILE ? ": it takes one descriptor for each event and CPU; raise ulimit -n"
                                      : "");
}

static int note_id(struct sampler *sampler, int fd, struct reason *why)
{
    uint64_t id;
    if (ioctl(fd, PERF_EVENT_IOC_ID, &id) != 0)
        return reason_set(why, PAPI_ESYS, "a counter has no number: %s", strerror(errno));
    index_of(&sampler->ids, &id, sizeof id);
    return PAPI_OK;
}

/* ---- buffers */

static int no_buffer(struct reason *why)
{
    return reason_set(
        why, errno == ENOMEM ? PAPI_ENOMEM : PAPI_EPERM,
        "no memory for samples (%s): other programs of this user may have all that "
        "kernel.perf_event_mlock_kb allows; raise it, or the limit of locked memory (ulimit -l)",
        strerror(errno));
}

static int add_buffer(struct sampler *sampler, int fd, struct reason *why)
{
    struct sampler_buffer buffer = {.head = NULL};
    for (buffer.pages = MOST_PAGES; buffer.head == NULL && buffer.pages >= LEAST_PAGES; buffer.pages /= 2) {
        buffer.head = sys_map(fd, buffer.pages);
        if (buffer.head != NULL)
            break;
    }
    if (buffer.head == NULL)
        return no_buffer(why);
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    buffer.data = (char *)buffer.head + page;
    buffer.size = buffer.pages * page;
    MEMORY_ONE_MORE(sampler->buffer, sampler->n_buffers, sampler->buffer_room);
    sampler->buffer[sampler->n_buffers++] = buffer;
    return PAPI_OK;
}

/* Has an event of a CPU write into the buffer of the CPU's first one. */
static int share_buffer(int fd, int first, struct reason *why)
{
    if (ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, first) == 0)
        return PAPI_OK;
    return reason_set(why, PAPI_ESYS, "two events cannot share a buffer: %s", strerror(errno));
}

/* ---- the CPUs */

static void note_precision(int *least, int precise)
{
    if (*least == 0 || precise < *least)
        *least = precise;
}

static int open_one(struct sampler *sampler, const struct attributes *attributes, int i,
                    enum sampler_stacks stacks, bool first, pid_t pid, int cpu)
{
    struct perf_event_attr attr = attributes->attr[i];
    if (attributes->memory[i] != NULL)
        return open_memory(sampler, attributes->memory[i], first, pid, cpu);
    set_sampling(&attr, stacks, first);
    int precise = attributes->precise[i], fd = open_precisely(&attr, &precise, pid, cpu);
    if (fd >= 0 && attributes->of_cores[i])
        note_precision(&sampler->precise[i], PRECISE_KNOWN + precise);
    return fd;
}

/* Keeps the place of an event that this CPU does not have: a hybrid processor's are of one kind of core each.
 */
static void leave_out(struct sampler *sampler)
{
    uint64_t id = UINT64_MAX - (uint64_t)sampler->ids.n;
    index_of(&sampler->ids, &id, sizeof id);
    keep_fd(sampler, -1);
}

static int open_on(struct sampler *sampler, const struct attributes *attributes, enum sampler_stacks stacks,
                   pid_t pid, int cpu, struct reason *why)
{
    int code = PAPI_OK, first = -1;
    for (int i = 0; i < attributes->n && code == PAPI_OK; i++) {
        int fd = open_one(sampler, attributes, i, stacks, first < 0, pid, cpu);
        if (fd < 0 && errno == ENODEV)
            return PAPI_OK; /* a CPU that is not online */
        if (fd < 0 && errno == ENOENT && attributes->memory[i] != NULL) {
            leave_out(sampler);
            continue;
        }
        if (fd < 0)
            return refused(&attributes->attr[i], errno, why);
        keep_fd(sampler, fd);
        code = note_id(sampler, fd, why)
                   ?: first < 0 ? add_buffer(sampler, fd, why)
                                : share_buffer(fd, first, why);
        if (first < 0)
            first = fd;
    }
    return code;
}

static int open_spool(struct sampler *sampler, struct reason *why)
{
    const char *folder = secure_getenv("TMPDIR");
    if (folder == NULL || folder[0] == '\0')
        folder = "/tmp";
    sampler->spool = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (sampler->spool < 0)
        return reason_set(why, PAPI_ESYS,
                          "no temporary file for samples in %s (TMPDIR is another folder): %s", folder,
                          strerror(errno));
    return PAPI_OK;
}

int sampler_open(struct sampler *sampler, const struct attributes *attributes, enum sampler_stacks stacks,
                 pid_t pid, struct reason *why)
{
    *sampler = (struct sampler){.n_events = attributes->n, .spool = -1};
    for (int i = 0; i < attributes->n && i < MEMORY_EVENTS && attributes->memory[i] != NULL; i++) {
        sampler->data = true;
        sampler->sample_type[i] = attributes->memory[i]->attr.sample_type;
        sampler->ibs[i] = attributes->memory[i]->ibs;
        sampler->precise[i] =
            sampler->ibs[i] ? 0 : PRECISE_KNOWN + (int)attributes->memory[i]->attr.precise_ip;
        sampler->exact[i] = attributes->memory[i]->ibs || attributes->memory[i]->attr.precise_ip >= 2;
        sampler->line_bytes = memory_line_bytes(secure_getenv("PAPI_SYSROOT"));
    }
    sampler->branch_type = attributes->attr[0].branch_sample_type;
    int code = open_spool(sampler, why), cpus = (int)sysconf(_SC_NPROCESSORS_CONF);
    for (int cpu = 0; cpu < cpus && code == PAPI_OK; cpu++)
        code = open_on(sampler, attributes, stacks, pid, cpu, why);
    if (code == PAPI_OK && sampler->n_buffers == 0)
        code = reason_set(why, PAPI_ESYS, "no CPU can be sampled");
    return code;
}

/* ---- draining */

static void put(struct sampler *sampler, const char *data, size_t size)
{
    while (size > 0 && sampler->error == 0) {
        ssize_t n = write(sampler->spool, data, size);
        if (n < 0 && errno != EINTR)
            sampler->error = errno;
        if (n > 0) {
            data += n;
            size -= (size_t)n;
            sampler->written += (uint64_t)n;
        }
    }
}

/* Moves the records between tail and head to the file; all of them are whole. Returns how full the buffer
 * was, from 0 to 1. */
static double empty(struct sampler *sampler, struct sampler_buffer *buffer)
{
    uint64_t head = __atomic_load_n(&buffer->head->data_head, __ATOMIC_ACQUIRE);
    uint64_t tail = buffer->head->data_tail, amount = head - tail;
    size_t from = tail & (buffer->size - 1), straight = buffer->size - from;
    if (straight > amount)
        straight = amount;
    put(sampler, buffer->data + from, straight);
    put(sampler, buffer->data, amount - straight);
    __atomic_store_n(&buffer->head->data_tail, head, __ATOMIC_RELEASE);
    return (double)amount / (double)buffer->size;
}

double sampler_drain(struct sampler *sampler)
{
    double most = 0;
    for (int i = 0; i < sampler->n_buffers; i++) {
        double full = empty(sampler, &sampler->buffer[i]);
        most = full > most ? full : most;
    }
    return most;
}

void sampler_append(struct sampler *sampler, const void *record, size_t size)
{
    put(sampler, record, size);
}

/* Takes only what is a record of an allocation: the program could write anything. */
void sampler_take_allocations(struct sampler *sampler, const char *path)
{
    struct allocation_record record;
    FILE *in = fopen(path, "re");
    while (in != NULL && fread(&record, sizeof record, 1, in) == 1)
        if ((record.type == ALLOCATION_MADE || record.type == ALLOCATION_FREED) &&
            record.size == sizeof record)
            put(sampler, (const char *)&record, sizeof record);
    if (in != NULL)
        fclose(in);
}

/* The kernel takes an event of one CPU as enabled while a thread runs on any other, too: each CPU's has the
 * time of all threads, of which the CPUs together counted a part each. */
void sampler_times(const struct sampler *sampler, int event, uint64_t *enabled, uint64_t *running)
{
    *enabled = *running = 0;
    for (int i = event; i < sampler->n_fds; i += sampler->n_events) {
        uint64_t words[3]; /* the count, the times */
        if (read(sampler->fd[i], words, sizeof words) != (ssize_t)sizeof words)
            continue;
        *enabled = words[1] > *enabled ? words[1] : *enabled;
        *running += words[2];
    }
    if (*running > *enabled)
        *running = *enabled;
}

void sampler_close(struct sampler *sampler)
{
    for (int i = 0; i < sampler->n_buffers; i++)
        sys_unmap(sampler->buffer[i].head, sampler->buffer[i].pages);
    for (int i = 0; i < sampler->n_fds; i++)
        if (sampler->fd[i] >= 0)
            close(sampler->fd[i]);
    for (int i = 0; i < sampler->n_leaders; i++)
        close(sampler->leader[i]);
    free(sampler->leader);
    if (sampler->spool >= 0)
        close(sampler->spool);
    free(sampler->fd);
    free(sampler->buffer);
    index_free(&sampler->ids);
    *sampler = (struct sampler){.spool = -1};
}

/* Answers components/perf_event/sys.c, which treats the kernel as if it had no counters while a process
 * records clocks for another run: papi_profile never does. */
bool times_recording(void)
{
    return false;
}

/* ---- beforehand */

int run_stacks(struct run *run, const char *how)
{
    static const char *const names[] = {
        [STACKS_NONE] = "none", [STACKS_FRAMES] = "frames", [STACKS_COPIED] = "copied"};
    run->stacks = run->branches != NULL    ? STACKS_NONE
                  : registers_asked() != 0 ? STACKS_COPIED
                                           : STACKS_FRAMES;
    if (how == NULL)
        return TOOL_FINE;
    for (int i = STACKS_NONE; i <= STACKS_COPIED; i++)
        if (strcmp(how, names[i]) == 0) {
            run->stacks = (enum sampler_stacks)i;
            return i != STACKS_COPIED || registers_asked() != 0
                       ? TOOL_FINE
                       : tool_error(run->tool, "--stacks=copied: not on this kind of processor; "
                                               "--stacks=frames follows frame pointers");
        }
    return tool_usage_error(run->tool, "--stacks=%s: it is copied, frames or none", how);
}

static void describe_program(struct run *run)
{
    struct profile *profile = run->profile;
    char host[256] = "";
    int n = 0;
    while (run->program[n] != NULL)
        n++;
    profile->command = memory_more(NULL, (size_t)n + 1, sizeof *profile->command);
    for (int i = 0; i < n; i++)
        profile->command[i] = memory_text(run->program[i]);
    profile->command[n] = NULL;
    gethostname(host, sizeof host - 1);
    profile->host = memory_text(host);
    profile->started = time(NULL);
}

int run_prepare(struct run *run)
{
    struct attributes attributes = {.n = 0};
    struct reason why = {.code = PAPI_OK};
    int status = TOOL_FINE, n = run->events->n;
    run->sampler.spool = -1;
    if (n > OPTION_MOST_WORDS)
        n = OPTION_MOST_WORDS; /* too many in any case */
    describe_program(run);
    if (run->exact != NULL)
        return TOOL_FINE;
    for (int i = 0; run->data != NULL && i < run->data->n; i++)
        attributes_add_memory(&attributes, &run->data->event[i], run->profile);
    if (run->branches != NULL)
        status = attributes_add_branches(&attributes, run->tool, run->branches, run->profile);
    else if (n == 0 && run->data == NULL)
        status = attributes_add(&attributes, run->tool, NULL, run->profile);
    for (int i = 0; i < n && status == TOOL_FINE; i++)
        status = attributes_add(&attributes, run->tool, run->events->word[i], run->profile);
    if (status == TOOL_FINE && run->launches != NULL)
        status = native_launches_describe(run->tool, run->profile);
    if (status != TOOL_FINE)
        return status;
    if (sampler_open(&run->sampler, &attributes, run->stacks, run->command->pid, &why) != PAPI_OK)
        return tool_error(run->tool, "the program cannot be sampled: %s", why.text);
    return TOOL_FINE;
}

/* ---- the run */

/* Empties the buffers until the program ends. The kernel keeps writing while they are emptied, so the
 * interval shrinks and grows such that they stay nearly empty. */
static void watch(struct run *run)
{
    const double shortest = 0.001, longest = 0.05, much = 0.25, little = 0.05;
    double interval = shortest;
    while (command_wait(run->command, interval)) {
        double full = sampler_drain(&run->sampler);
        if (full > much && interval > shortest)
            interval /= 2;
        else if (full < little && interval < longest)
            interval *= 2;
    }
}

int run_go(struct run *run)
{
    struct reason why = {.code = PAPI_OK};
    double begin = seconds_now();
    int status = command_go(run->command, run->tool);
    if (status != TOOL_FINE)
        return status;
    watch(run);
    run->profile->seconds = seconds_now() - begin;
    command_end(run->command);
    sampler_drain(&run->sampler);
    if (run->data != NULL && run->data->allocations != NULL)
        sampler_take_allocations(&run->sampler, run->data->allocations);
    if (run->launches != NULL)
        native_launches_take(run->launches, &run->sampler, run->profile);
    if (run->exact != NULL)
        return run_failed_to_start(run) ? TOOL_FINE : exact_read(run->exact, run->tool, run->profile);
    for (int i = 0; i < run->sampler.n_events; i++) {
        sampler_times(&run->sampler, i, &run->profile->event[i].enabled, &run->profile->event[i].running);
        run->profile->event[i].precise = run->sampler.precise[i];
    }
    if (replay(run->profile, &run->sampler, run->stacks, &why) != PAPI_OK)
        return tool_error(run->tool, "%s", why.text);
    return TOOL_FINE;
}

bool run_failed_to_start(const struct run *run)
{
    enum { LEAST = 125 }; /* papi_emulate's own */
    int status = run->command->status, least = run->exact != NULL ? LEAST : COMMAND_NOT_RUN;
    return WIFEXITED(status) && WEXITSTATUS(status) >= least && WEXITSTATUS(status) <= COMMAND_NOT_RUN &&
           run->profile->n_processes == 0;
}

void run_end(struct run *run)
{
    sampler_close(&run->sampler);
}

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Makes a profile of the kernel's records.
 *
 * Each CPU has a buffer of its own, and the records of one buffer are in order, but a thread moves between
 * CPUs. So all records are sorted by their times first, and equal times by their place. Replaying them in
 * that order has, at each sample, the mappings of its process as they were at that time: libraries come and
 * go, a fork copies its parent's mappings, an exec drops them. An address means nothing without them.
 *
 * A sample's chain of calls is either the kernel's, by frame pointers, or unwound from the copied end of the
 * stack by the debug information (unwind.c); without either it is the address alone. Return addresses are
 * looked up one byte before, in the call itself, because what follows a call may belong to another line or
 * routine. Nodes of the call tree are made from the outermost call inwards, with a node for each routine that
 * was inlined.
 */
#include "loops/hot.h"
#include "objects.h"
#include "replay_branches.h"
#include "replay_data.h"
#include "replay_devices.h"
#include "sampler.h"
#include "tools/common/allocate.h"
#include "unwind.h"
#include "vector_lines.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

struct process {
    struct space space;
    int listed; /* in the profile; PROFILE_NONE: it has no sample yet */
    int threads;
    char name[16];
    struct data_space heap; /* allocations, where data is asked for */
};

struct record {
    uint64_t time;
    const struct perf_event_header *header;
};

struct replay {
    struct profile *profile;
    const struct sampler *sampler;
    enum sampler_stacks stacks;
    struct objects *objects;
    struct arithmetics *arithmetics;
    struct hot *hot;
    struct index pids; /* uint32_t */
    struct process *process;
    int process_room;
    struct record *record;
    int n_records, record_room;
    struct replay_data data;
    struct replay_devices devices;
    struct replay_branches branches;
};

/* ---- the records */

struct mmap2_record {
    struct perf_event_header header;
    uint32_t pid, tid;
    uint64_t address, length, offset, device, inode, generation;
    uint32_t protection, flags;
    char path[];
};

struct task_record {
    struct perf_event_header header;
    uint32_t pid, parent, tid, parent_tid;
    uint64_t time;
};

struct name_record {
    struct perf_event_header header;
    uint32_t pid, tid;
    char name[];
};

struct sample {
    uint64_t id, address;
    uint32_t pid, tid;
    uint64_t time, period;
    uint64_t rest[];
};

/* The time of a record. A sample begins with the event's number, the address, pid and tid, and the time; all
 * other records end with pid and tid, the time, and the event's number. */
static uint64_t time_of(const struct perf_event_header *header)
{
    uint64_t time;
    const char *start = (const char *)(header + 1), *end = (const char *)header + header->size;
    memcpy(&time, header->type == PERF_RECORD_SAMPLE ? start + 3 * sizeof time : end - 2 * sizeof time,
           sizeof time);
    return time;
}

static int by_time(const void *a, const void *b)
{
    const struct record *one = a, *other = b;
    if (one->time != other->time)
        return one->time < other->time ? -1 : 1;
    return one->header < other->header ? -1 : one->header > other->header;
}

/* True if the words after the fixed part of a sample are as many as the kernel writes for its stacks. */
static bool sample_is_whole(const struct replay *replay, const struct perf_event_header *header)
{
    const uint64_t *rest = (const void *)((const char *)(header + 1) + sizeof(struct sample));
    uint64_t n = (header->size - sizeof *header - sizeof(struct sample)) / sizeof *rest;
    if (replay->stacks == STACKS_FRAMES)
        return n > 0 && rest[0] < n;
    if (replay->stacks == STACKS_NONE || (n > 0 && rest[0] == PERF_SAMPLE_REGS_ABI_NONE))
        return true;
    uint64_t before = 1 + (uint64_t)__builtin_popcountll(registers_asked());
    if (n <= before || rest[before] == 0)
        return n > before;
    uint64_t room = rest[before] / sizeof *rest;
    return rest[before] % sizeof *rest == 0 && room + before + 1 < n &&
           rest[before + 1 + room] <= rest[before];
}

enum { SAMPLE_TIME_END = 32 }; /* what time_of reads of a sample */

/* True if a text ends within its record. */
static bool text_ends(const struct perf_event_header *header, size_t offset)
{
    return memchr((const char *)header + offset, '\0', header->size - offset) != NULL;
}

/* True if a record is as long as what is read of its type. */
static bool is_whole(const struct replay *replay, const struct perf_event_header *header)
{
    size_t size = header->size;
    switch (header->type) {
    case PERF_RECORD_SAMPLE:
        if (replay->sampler->data)
            return size >= sizeof *header + SAMPLE_TIME_END;
        return size >= sizeof *header + sizeof(struct sample) && sample_is_whole(replay, header);
    case PERF_RECORD_MMAP2:
        return size > sizeof(struct mmap2_record) && text_ends(header, sizeof(struct mmap2_record));
    case PERF_RECORD_COMM:
        return size > sizeof(struct name_record) && text_ends(header, sizeof(struct name_record));
    case PERF_RECORD_FORK:
    case PERF_RECORD_EXIT:
        return size >= sizeof(struct task_record);
    case ALLOCATION_MADE:
    case ALLOCATION_FREED:
        return replay->sampler->data && size == sizeof(struct allocation_record);
    case LAUNCH_STACK:
    case LAUNCH_WORK:
    case LAUNCH_DEVICE:
    case LAUNCH_END:
    case LAUNCH_REFUSED:
        return replay_devices_is_whole(header);
    default: /* two words, and when that was */
        return size >= sizeof *header + 4 * sizeof(uint64_t);
    }
}

/* Reads a sample with the address of its data. Returns the number of its event; -1: it is of none, or of the
 * kernel, which an event may not be able to leave out. */
static int read_access(const struct replay *replay, const struct perf_event_header *header,
                       enum memory_record *kind, struct memory_sample *sample)
{
    const struct sampler *sampler = replay->sampler;
    uint64_t id;
    memcpy(&id, header + 1, sizeof id);
    int number = index_find(&sampler->ids, &id, sizeof id), event = number % sampler->n_events;
    if (number < 0 || (header->misc & PERF_RECORD_MISC_CPUMODE_MASK) != PERF_RECORD_MISC_USER)
        return -1;
    *kind = memory_sample_read(header + 1, header->size - sizeof *header, sampler->sample_type[event],
                               sampler->ibs[event], sample);
    return event;
}

/* Notes who reports allocations at all, and which lines of the caches move, before the first sample is looked
 * at. */
static void note_beforehand(struct replay *replay, const struct perf_event_header *header)
{
    struct memory_sample sample;
    enum memory_record kind;
    if (header->type == ALLOCATION_MADE)
        index_of(&replay->data.allocating, header + 1, sizeof(uint32_t));
    if (header->type == PERF_RECORD_SAMPLE && replay->sampler->data &&
        read_access(replay, header, &kind, &sample) >= 0 && kind == MEMORY_ACCESS)
        replay_note_moved(&replay->data, &sample);
}

/* Lists the records by their times; each CPU's are in order already. Data that is not a record of the kernel
 * is left out. */
static void collect(struct replay *replay, const char *data, uint64_t size)
{
    uint64_t at = 0;
    while (size - at >= sizeof(struct perf_event_header)) {
        const struct perf_event_header *header = (const void *)(data + at);
        uint16_t length = header->size;
        if (length < sizeof *header || length % sizeof(uint64_t) != 0 || length > size - at)
            break;
        at += length;
        if (!is_whole(replay, header))
            continue;
        MEMORY_ONE_MORE(replay->record, replay->n_records, replay->record_room);
        replay->record[replay->n_records++] = (struct record){.time = time_of(header), .header = header};
        note_beforehand(replay, header);
    }
    if (replay->n_records > 0)
        qsort(replay->record, (size_t)replay->n_records, sizeof *replay->record, by_time);
}

/* ---- processes */

static struct process *process_of(struct replay *replay, uint32_t pid)
{
    int before = replay->pids.n, number = index_of(&replay->pids, &pid, sizeof pid);
    if (replay->pids.n > before) {
        MEMORY_ONE_MORE(replay->process, number, replay->process_room);
        replay->process[number] = (struct process){.listed = PROFILE_NONE, .threads = 1};
    }
    return &replay->process[number];
}

static void take_mapping(struct replay *replay, const struct mmap2_record *record)
{
    const char *path = record->path;
    struct mapping mapping = {.start = record->address,
                              .end = record->address + record->length,
                              .offset = record->offset,
                              .object = PROFILE_NONE};
    bool named = path[0] == '/' || path[0] == '[';
    if (named && strncmp(path, "//anon", 6) != 0)
        mapping.object = objects_number(replay->objects, path);
    space_map(&process_of(replay, record->pid)->space, &mapping);
}

static void take_fork(struct replay *replay, const struct task_record *record)
{
    struct process *process = process_of(replay, record->pid);
    if (record->pid == record->parent) {
        process->threads++;
        if (process->listed != PROFILE_NONE)
            replay->profile->process[process->listed].threads = process->threads;
        return;
    }
    struct process *parent = process_of(replay, record->parent);
    process = process_of(replay, record->pid); /* both are where they stay now */
    process->listed = PROFILE_NONE;
    process->threads = 1;
    space_copy(&process->space, &parent->space);
    data_space_copy(&process->heap, &parent->heap);
    memcpy(process->name, parent->name, sizeof process->name);
}

/* Takes the name of a process, and after an exec forgets its mappings. The name of a thread alone is not
 * taken. */
static void take_name(struct replay *replay, const struct name_record *record)
{
    struct process *process = process_of(replay, record->pid);
    if (record->header.misc & PERF_RECORD_MISC_COMM_EXEC) {
        space_clear(&process->space);
        data_space_free(&process->heap);
        process->listed = PROFILE_NONE;
        process->threads = 1;
    } else if (record->pid != record->tid) {
        return;
    }
    snprintf(process->name, sizeof process->name, "%s", record->name);
}

static void take_exit(struct replay *replay, const struct task_record *record)
{
    if (record->pid == record->tid) { /* what it had for unwinding may be much */
        struct process *process = process_of(replay, record->pid);
        unwinder_free(process->space.unwinder);
        process->space.unwinder = NULL;
    }
}

static void take_loss(struct replay *replay, const struct perf_event_header *header)
{
    uint64_t words[2]; /* the event's number, how many */
    memcpy(words, header + 1, sizeof words);
    replay->profile->lost = profile_sum(replay->profile->lost, words[1]);
}

/* ---- samples */

/* Takes the addresses that the kernel found by frame pointers. Values of -4095 and above are marks (of the
 * kernel's and the user's part), not addresses. */
static int kernel_chain(const struct sample *sample, uint64_t *address)
{
    const uint64_t first_mark = (uint64_t)-4095;
    uint64_t n = sample->rest[0];
    int found = 0;
    for (uint64_t i = 0; i < n && found < UNWIND_MOST; i++)
        if (sample->rest[1 + i] < first_mark)
            address[found++] = sample->rest[1 + i];
    return found;
}

/* Unwinds a copied stack. The words of the sample are: the ABI of the registers, the registers, the size of
 * the copy, the copy, and how many bytes of it are valid. */
static int copied_chain(struct replay *replay, struct process *process, const struct sample *sample,
                        uint64_t *address)
{
    const uint64_t *rest = sample->rest;
    struct stack_copy copy = {.registers = rest + 1};
    if (rest[0] == PERF_SAMPLE_REGS_ABI_NONE)
        return 0;
    rest += 1 + __builtin_popcountll(registers_asked());
    uint64_t room = rest[0];
    if (room == 0)
        return 0;
    copy.bytes = (const char *)(rest + 1);
    copy.size = rest[1 + room / sizeof(uint64_t)];
    return unwind(&process->space, replay->objects, &copy, address);
}

static int chain_of(struct replay *replay, struct process *process, const struct sample *sample,
                    uint64_t *address)
{
    int n = 0;
    if (replay->stacks == STACKS_FRAMES)
        n = kernel_chain(sample, address);
    else if (replay->stacks == STACKS_COPIED)
        n = copied_chain(replay, process, sample, address);
    if (n > 0)
        return n;
    address[0] = sample->address;
    return 1;
}

/* The node of an address below parent, with a node for each routine that was inlined there. before: the
 * address is that of a return, behind the call. */
static int descend(struct replay *replay, const struct process *process, int parent, uint64_t address,
                   bool before)
{
    const struct mapping *mapping = space_find(&process->space, address - before);
    uint64_t offset = mapping != NULL ? address - mapping->start + mapping->offset : 0;
    const struct places *places =
        objects_look_up(replay->objects, mapping != NULL ? mapping->object : PROFILE_NONE, offset, before);
    for (int i = places->n - 1; i >= 0; i--) {
        struct node node = {.parent = parent, .place = places->place[i], .inlined = i < places->n - 1};
        parent = profile_node(replay->profile, &node);
    }
    return parent;
}

static void count_code(struct replay *replay, const struct process *process, uint64_t address, int event,
                       uint64_t amount)
{
    const struct mapping *mapping = space_find(&process->space, address);
    if (mapping != NULL)
        hot_count(replay->hot, mapping->object, address - mapping->start + mapping->offset, event, amount);
}

static void list_process(struct replay *replay, struct process *process, uint32_t pid)
{
    if (process->listed != PROFILE_NONE)
        return;
    profile_process(replay->profile, pid, process->name)->threads = process->threads;
    process->listed = replay->profile->n_processes - 1;
}

/* Takes the branches of a sample. A record that is cut counts as lost. */
static void take_branches(struct replay *replay, const struct process *process,
                          const struct perf_event_header *header)
{
    const struct sample_layout layout = {.type = SAMPLER_TYPE | PERF_SAMPLE_BRANCH_STACK,
                                         .branches = replay->sampler->branch_type};
    struct sample_record record;
    if (sample_record_read(header + 1, header->size - sizeof *header, &layout, &record))
        replay_branches_take(&replay->branches, &process->space, &record);
    else
        replay->profile->lost = profile_sum(replay->profile->lost, 1);
}

static void take_sample(struct replay *replay, const struct perf_event_header *header)
{
    const struct sample *sample = (const void *)(header + 1);
    uint64_t address[UNWIND_MOST];
    struct profile *profile = replay->profile;
    int id = index_find(&replay->sampler->ids, &sample->id, sizeof sample->id), node = PROFILE_NONE;
    if (id < 0)
        return;
    struct process *process = process_of(replay, sample->pid);
    list_process(replay, process, sample->pid);
    int n = chain_of(replay, process, sample, address), event = id % replay->sampler->n_events;
    for (int i = n - 1; i >= 0; i--)
        node = descend(replay, process, node, address[i], i > 0);
    if (event == 0 && replay->sampler->branch_type != 0)
        take_branches(replay, process, header);
    count_code(replay, process, address[0], event, sample->period);
    profile_count(profile, node, event, sample->period);
    profile->event[event].samples++;
}

/* ---- data */

static void take_access(struct replay *replay, const struct perf_event_header *header)
{
    struct memory_sample sample;
    enum memory_record kind;
    int event = read_access(replay, header, &kind, &sample);
    if (event < 0)
        return;
    if (kind == MEMORY_MALFORMED) {
        replay->profile->lost = profile_sum(replay->profile->lost, 1);
        return;
    }
    struct process *process = process_of(replay, sample.pid);
    list_process(replay, process, sample.pid);
    int node = descend(replay, process, PROFILE_NONE, sample.ip, false);
    count_code(replay, process, sample.ip, event, sample.period);
    profile_count(replay->profile, node, event, sample.period);
    replay->profile->event[event].samples++;
    const struct replay_where where = {.process = process->listed,
                                       .place = profile_node_at(replay->profile, node)->place,
                                       .exact = replay->sampler->exact[event]};
    if (kind == MEMORY_ACCESS)
        replay_access(&replay->data, &process->heap, &process->space, &where, &sample);
}

static void take_allocation(struct replay *replay, const struct allocation_record *record)
{
    struct process *process = process_of(replay, record->pid);
    replay_allocation(&replay->data, &process->heap, &process->space, record);
}

/* True for an address in the runtime of a device, which no line of the program is around. */
static bool is_in_runtime(const struct replay *replay, const struct process *process, uint64_t address)
{
    const struct mapping *mapping = space_find(&process->space, address - 1);
    return mapping != NULL && mapping->object != PROFILE_NONE &&
           replay_devices_is_runtime(objects_path(replay->objects, mapping->object));
}

static void take_launch(struct replay *replay, const struct launch_stack *record)
{
    struct process *process = process_of(replay, record->head.pid);
    int inner = 0, n = (int)record->n, node = PROFILE_NONE;
    while (inner < n && is_in_runtime(replay, process, record->address[inner]))
        inner++;
    for (int i = n - 1; i >= inner; i--)
        node = descend(replay, process, node, record->address[i], true);
    replay_devices_stack(&replay->devices, record, node);
}

static void take(struct replay *replay, const struct perf_event_header *header)
{
    switch (header->type) {
    case PERF_RECORD_SAMPLE:
        if (replay->sampler->data)
            take_access(replay, header);
        else
            take_sample(replay, header);
        break;
    case ALLOCATION_MADE:
    case ALLOCATION_FREED:
        take_allocation(replay, (const void *)header);
        break;
    case LAUNCH_STACK:
        take_launch(replay, (const void *)header);
        break;
    case LAUNCH_WORK:
    case LAUNCH_DEVICE:
    case LAUNCH_END:
    case LAUNCH_REFUSED:
        replay_devices_take(&replay->devices, header);
        break;
    case PERF_RECORD_MMAP2:
        take_mapping(replay, (const void *)header);
        break;
    case PERF_RECORD_FORK:
        take_fork(replay, (const void *)header);
        break;
    case PERF_RECORD_COMM:
        take_name(replay, (const void *)header);
        break;
    case PERF_RECORD_EXIT:
        take_exit(replay, (const void *)header);
        break;
    case PERF_RECORD_THROTTLE:
        replay->profile->throttled++;
        break;
    case PERF_RECORD_LOST:
        take_loss(replay, header);
        break;
    default:
        break;
    }
}

/* ---- all */

static void end(struct replay *replay)
{
    replay_devices_end(&replay->devices);
    replay_branches_end(&replay->branches);
    for (int i = 0; i < replay->pids.n; i++) {
        space_clear(&replay->process[i].space);
        data_space_free(&replay->process[i].heap);
    }
    replay_data_end(&replay->data);
    free(replay->process);
    free(replay->record);
    index_free(&replay->pids);
    hot_close(replay->hot);
    arithmetics_close(replay->arithmetics);
    objects_close(replay->objects);
}

int replay(struct profile *profile, const struct sampler *sampler, enum sampler_stacks stacks,
           struct reason *why)
{
    struct replay all = {.profile = profile, .sampler = sampler, .stacks = stacks};
    if (sampler->error != 0)
        return reason_set(why, PAPI_ESYS,
                          "the samples could not all be written to their temporary file (TMPDIR is another "
                          "folder): %s",
                          strerror(sampler->error));
    if (sampler->written == 0)
        return PAPI_OK;
    void *data = mmap(NULL, sampler->written, PROT_READ, MAP_PRIVATE, sampler->spool, 0);
    if (data == MAP_FAILED)
        return reason_set(why, PAPI_ENOMEM, "the samples cannot be read: %s", strerror(errno));
    all.objects = objects_open(profile);
    all.data.profile = all.devices.profile = all.branches.profile = profile;
    all.data.objects = all.branches.objects = all.objects;
    all.data.line_bytes = sampler->line_bytes > 0 ? (uint64_t)sampler->line_bytes : 1;
    profile->line_bytes = sampler->line_bytes;
    all.hot = hot_open(profile, all.objects);
    all.arithmetics = arithmetics_open(profile, all.objects);
    collect(&all, data, sampler->written);
    for (int i = 0; i < all.n_records; i++)
        take(&all, all.record[i].header);
    end(&all);
    munmap(data, sampler->written);
    return PAPI_OK;
}

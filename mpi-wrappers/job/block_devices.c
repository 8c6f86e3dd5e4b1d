/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Devices of the ranks. A block has places for some of them, sorted; where they are more, the first ones are
 * kept, which are the same in whatever order blocks are merged. Two ranks use the same one if node and
 * address are the same.
 */
#include "job/block.h"

#include <string.h>

static int compare_numbers(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int compare(const struct job_device *a, const struct job_device *b)
{
    int order = compare_numbers(a->node, b->node) ?: memcmp(a->address, b->address, sizeof a->address);
    if (order != 0 || a->address[0] != '\0')
        return order;
    return compare_numbers(a->rank, b->rank) ?: compare_numbers(a->number, b->number);
}

/* The place of a device, found or made. NULL: there is none, as all are taken by devices before it. */
static struct job_device *place_of(struct job_device all[MAX_JOB_DEVICES], const struct job_device *device)
{
    int i = 0;
    while (i < MAX_JOB_DEVICES && all[i].ranks > 0 && compare(&all[i], device) < 0)
        i++;
    if (i == MAX_JOB_DEVICES)
        return NULL;
    if (all[i].ranks > 0 && compare(&all[i], device) == 0)
        return &all[i];
    memmove(&all[i + 1], &all[i], (size_t)(MAX_JOB_DEVICES - 1 - i) * sizeof *all);
    all[i] = (struct job_device){0};
    return &all[i];
}

static void merge_device(struct job_device all[MAX_JOB_DEVICES], const struct job_device *from)
{
    struct job_device *to = place_of(all, from);
    if (to == NULL)
        return;
    if (to->ranks == 0) {
        *to = *from;
        return;
    }
    if (from->rank < to->rank) { /* what is the lowest rank's */
        to->rank = from->rank;
        to->number = from->number;
        to->numa = from->numa;
        memcpy(to->name, from->name, sizeof to->name);
    }
    block_merge_fields(to, from, job_device_fields, false);
}

/* ---- of nodes */

/* Puts a device at its place. Each is in one block alone: that of the first rank of its node. */
static void put_node_device(struct job_node_device all[MAX_JOB_DEVICES], const struct job_node_device *device)
{
    int i = 0;
    while (i < MAX_JOB_DEVICES && all[i].there &&
           (compare_numbers(all[i].node, device->node) ?: compare_numbers(all[i].address, device->address)) <
               0)
        i++;
    if (i == MAX_JOB_DEVICES)
        return;
    memmove(&all[i + 1], &all[i], (size_t)(MAX_JOB_DEVICES - 1 - i) * sizeof *all);
    all[i] = *device;
}

static void merge_reason(char *into, const char *from, size_t size)
{
    if (from[0] != '\0' && (into[0] == '\0' || memcmp(from, into, size) < 0))
        memcpy(into, from, size);
}

void block_merge_devices(struct job *into, const struct job *from)
{
    block_merge_fields(into, from, job_devices_fields, false);
    if (from->energy_nodes > 0)
        block_merge_fields(into, from, job_node_energy_fields, into->energy_nodes == 0);
    block_merge_fields(into, from, job_usable_fields, false);
    for (int i = 0; i < MAX_JOB_DEVICES && from->device[i].ranks > 0; i++)
        merge_device(into->device, &from->device[i]);
    for (int i = 0; i < MAX_JOB_DEVICES && from->node_device[i].there; i++)
        put_node_device(into->node_device, &from->node_device[i]);
    merge_reason(into->device_reason, from->device_reason, sizeof into->device_reason);
    merge_reason(into->energy_reason, from->energy_reason, sizeof into->energy_reason);
}

/* ---- a rank's */

/* The text of a record, which may be damaged, with zeroes behind it. */
static void take_text(char *to, const char *from, size_t size)
{
    memset(to, 0, size);
    memcpy(to, from, strnlen(from, size - 1));
}

static int device_count(const struct rank_devices *devices)
{
    int n = devices->n;
    return n < 0 ? 0 : n > MAX_DEVICES ? MAX_DEVICES : n;
}

static void add_device(struct job *block, const struct rank_record *record, int i)
{
    const struct rank_device *from = &record->devices.device[i];
    int near = record->devices.numa;
    struct job_device device = {.node = (uint64_t)record->node,
                                .rank = (uint64_t)record->rank,
                                .number = (uint64_t)(uint32_t)from->number,
                                .numa = from->numa >= 0 ? (uint64_t)from->numa + 1 : 0,
                                .ranks = 1,
                                .far_ranks = from->numa >= 0 && near >= 0 && near != from->numa,
                                .kernel_ns = from->busy.kernel,
                                .copy_ns = from->busy.copy,
                                .kernels = from->kernels,
                                .copies = from->copies,
                                .copied_bytes = from->copied_bytes};
    take_text(device.address, from->address, sizeof device.address);
    take_text(device.name, from->name, sizeof device.name);
    merge_device(block->device, &device);
    block_add(&block->device_late_ns, from->late_ns);
    block_add(&block->device_unfinished, from->unfinished);
}

static int usable_count(const struct rank_devices *devices)
{
    int n = devices->node.n;
    return n < 0 ? 0 : n > NODE_DEVICES ? NODE_DEVICES : n;
}

static void add_usable_device(struct job *block, const struct rank_record *record, int i)
{
    const struct node_device *from = &record->devices.node.device[i];
    const struct node_usage *usage = &record->devices.usage;
    bool used = (usage->used >> i & 1) != 0, known = (usage->known >> i & 1) != 0;
    struct job_node_device device = {.node = (uint64_t)record->node,
                                     .address = from->address,
                                     .there = 1,
                                     .used = used            ? 1
                                             : usage->unsure ? NOT_KNOWN
                                                             : 0,
                                     .microjoules = known ? usage->microjoules[i] : NOT_KNOWN};
    take_text(device.name, from->name, sizeof device.name);
    put_node_device(block->node_device, &device);
    block->usable_devices++;
    block->unused_devices += device.used == 0;
    block->energy_devices += known;
    if (known)
        block_add(&block->energy_uj, usage->microjoules[i]);
}

/* Adds the devices that the ranks of a node may use: its first rank has them. */
static void add_usable(struct job *block, const struct rank_record *record)
{
    const struct rank_devices *devices = &record->devices;
    take_text(block->energy_reason, devices->energy_reason, sizeof block->energy_reason);
    if (!devices->usage_is_known || record->node_rank != 0)
        return;
    block->usable_nodes = 1;
    block->not_told_nodes = devices->node.unknown > 0 || devices->node.left_out;
    for (int i = 0; i < usable_count(devices); i++)
        add_usable_device(block, record, i);
    if (block->usable_devices == 0 || block->energy_devices < block->usable_devices || block->not_told_nodes)
        return;
    block->energy_nodes = 1;
    block->least_energy_uj = block->most_energy_uj = block->energy_uj;
    block->least_energy_node = block->most_energy_node = (uint64_t)record->node;
}

/* The sums and the largest of a rank's devices, in the job or in a region. */
struct sums {
    uint64_t *kernel, *copy, *most_kernel, *most;
};

static void add_busy(const struct sums *to, struct busy_time busy)
{
    uint64_t both = busy.kernel;
    block_add(&both, busy.copy);
    block_add(to->kernel, busy.kernel);
    block_add(to->copy, busy.copy);
    *to->most_kernel = busy.kernel > *to->most_kernel ? busy.kernel : *to->most_kernel;
    *to->most = both > *to->most ? both : *to->most;
}

void block_add_devices(struct job *block, const struct rank_record *record)
{
    const struct rank_devices *devices = &record->devices;
    const struct sums sums = {&block->device_kernel_ns, &block->device_copy_ns, &block->most_device_kernel_ns,
                              &block->most_device_ns};
    block->unasked_devices = devices->state == DEVICES_UNASKED;
    /* Nothing is known of a rank that did not come to its end. */
    bool partly =
        devices->state == DEVICES_RECORDED && devices->reason[0] != '\0'; /* not those of one vendor */
    block->refused_devices = partly || devices->state == DEVICES_REFUSED || devices->state == DEVICES_RUNNING;
    if (partly || devices->state == DEVICES_REFUSED)
        take_text(block->device_reason, devices->reason, sizeof block->device_reason);
    add_usable(block, record);
    if (devices->state != DEVICES_RECORDED)
        return;
    block->device_ranks = 1;
    block->used_devices = (uint64_t)device_count(devices);
    block->offload_ns = devices->offload_ns;
    block->device_dropped = devices->dropped;
    for (int i = 0; i < device_count(devices); i++) {
        add_device(block, record, i);
        add_busy(&sums, devices->device[i].busy);
    }
}

void block_add_region_devices(struct job_region *region, const struct rank_record *record, int at)
{
    const struct rank_devices *devices = &record->devices;
    const struct sums sums = {&region->device_kernel_ns, &region->device_copy_ns,
                              &region->most_device_kernel_ns, &region->most_device_ns};
    const struct thread_record *main =
        record->main_thread >= 0 && record->main_thread < record_thread_count(record)
            ? record_thread_at(record, record->main_thread)
            : NULL;
    if (devices->state != DEVICES_RECORDED || main == NULL || main->region[at].visits == 0)
        return;
    region->device_ranks = 1;
    region->offload_ns = main->region[at].offload_ns;
    for (int i = 0; i < device_count(devices); i++)
        add_busy(&sums, devices->region[at][i]);
}

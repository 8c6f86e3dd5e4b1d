/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The devices of a node: its ranks tell each other which ones they may use, so that one rank reads the energy
 * of each, and no other one does; and in the end the first of them has what all of them know.
 */
#include "entry/lifecycle.h"

#include "rank/energy.h"
#include "rank/rank.h"

#include <string.h>

/* ---- at the begin */

static void add(struct node_devices *into, const struct node_device *device)
{
    int i = 0;
    while (i < into->n && into->device[i].address < device->address)
        i++;
    if (i < into->n && into->device[i].address == device->address) {
        struct node_device *same = &into->device[i];
        same->first = device->first < same->first ? device->first : same->first;
        return;
    }
    if (into->n == NODE_DEVICES) {
        into->left_out = 1;
        return;
    }
    memmove(&into->device[i + 1], &into->device[i], (size_t)(into->n++ - i) * sizeof *device);
    into->device[i] = *device;
}

static void merge(void *to, const void *other)
{
    struct node_devices *into = to;
    const struct node_devices *from = other;
    into->unknown += from->unknown;
    into->left_out |= from->left_out;
    for (int i = 0; i < from->n; i++)
        add(into, &from->device[i]);
}

/* Sorts what a rank has, as all others have it. */
static void sort(struct node_devices *devices)
{
    struct node_devices sorted = {.unknown = devices->unknown, .left_out = devices->left_out};
    for (int i = 0; i < devices->n; i++)
        add(&sorted, &devices->device[i]);
    *devices = sorted;
}

void node_devices_begin(const struct job_link *link)
{
    struct rank_record *record = papi_mpi.record;
    struct node_devices all = {.unknown = 1}, other = {0};
    if (record != NULL)
        energy_usable(&all, link->node_rank);
    sort(&all);
    if (link_up_node(link, &all, &other, sizeof all, merge) != 0)
        return;
    if (record != NULL)
        record->devices.node = all;
    if (record != NULL && link->node_rank == 0)
        energy_find(&record->devices, 0);
    if (record != NULL)
        all = record->devices.node;
    if (link_down_node(link, &all, sizeof all) != 0 || record == NULL)
        return;
    record->devices.node = all;
    record->devices.node.told = 1;
    if (link->node_rank > 0)
        energy_find(&record->devices, link->node_rank);
}

/* ---- at the end */

static uint64_t bit_of(const struct node_devices *node, const char *address)
{
    uint64_t number = energy_address(address);
    for (int i = 0; i < node->n; i++)
        if (node->device[i].address == number)
            return UINT64_C(1) << i;
    return 0;
}

/* Notes the devices that this rank gave something to do. */
static void note_used(struct rank_devices *devices)
{
    devices->usage.unsure = devices->state != DEVICES_RECORDED || devices->dropped > 0;
    for (int i = 0; i < devices->n; i++) {
        uint64_t bit = bit_of(&devices->node, devices->device[i].address);
        devices->usage.used |= bit;
        devices->usage.unsure |= bit == 0;
    }
}

_Static_assert(sizeof(struct node_usage) / sizeof(uint64_t) <= LINK_MOST_MERGED, "all have room");

void node_devices_end(const struct job_link *link)
{
    struct rank_record *record = papi_mpi.record;
    struct node_usage own = {.unsure = 1}, all;
    if (record != NULL) {
        note_used(&record->devices);
        own = record->devices.usage;
    }
    if (link_merge_node(link, (const uint64_t *)(const void *)&own, (uint64_t *)(void *)&all,
                        sizeof own / sizeof(uint64_t), LINK_OR) != 0 ||
        record == NULL || link->node_rank > 0)
        return;
    record->devices.usage = all;
    record->devices.usage_is_known = record->devices.node.told;
}

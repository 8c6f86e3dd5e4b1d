/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads sampled accesses: linux/perf_event.h describes the kernel's records, AMD's manuals the registers of
 * IBS, and the Arm Architecture Reference Manual the packets of SPE. All are in the processor's byte order,
 * and may end anywhere.
 */
#include "memory_samples.h"
#include "formats/sample_record.h"

#include <string.h>

const char *const memory_level_keys[MEMORY_LEVELS] = {
    "unknown",   "l1",           "buffer",        "l2",          "l3",    "other_cache",
    "beyond_l1", "local_memory", "remote_memory", "slow_memory", "device"};

const char *const memory_level_names[MEMORY_LEVELS] = {"unknown",     "L1",         "on its way", "L2",
                                                       "L3",          "other core", "beyond L1",  "memory",
                                                       "remote node", "CXL, PMEM",  "not cached"};

/* ---- what the kernel says */

/* Takes what the kernel says of the data. What PEBS weighs of a store is not its latency. */
static enum memory_record take_source(uint64_t source, uint64_t weight, struct memory_sample *sample)
{
    const struct data_source read = data_source_read(source);
    if (!read.load && !read.store)
        return MEMORY_NO_ACCESS;
    sample->store = !read.load;
    sample->level = read.level;
    sample->tlb = read.tlb;
    if (read.load && weight > 0 && weight <= INT32_MAX)
        sample->latency = (int32_t)weight;
    return sample->address != 0 ? MEMORY_ACCESS : MEMORY_NO_ACCESS;
}

/* ---- registers of IBS */

enum ibs_register { IBS_CONTROL, IBS_RIP, IBS_DATA, IBS_DATA2, IBS_DATA3, IBS_LINEAR, IBS_REGISTERS };

struct ibs {
    uint32_t capabilities;
    uint64_t value[IBS_REGISTERS];
};

static bool bit(uint64_t value, unsigned n)
{
    return (value >> n & 1) != 0;
}

/* From where a load that missed L2 had its data. Since Zen 4 the number has two bits more. */
static enum memory_level ibs_source(const struct ibs *ibs)
{
    enum { ZEN4 = 11 };
    uint64_t data = ibs->value[IBS_DATA2];
    unsigned source = data & 7;
    if (bit(ibs->capabilities, ZEN4))
        source |= (data >> 6 & 3) << 3;
    switch (source) {
    case 1:
        return MEMORY_L3;
    case 2:
    case 5:
        return MEMORY_OTHER_CACHE;
    case 3:
        return bit(data, 4) ? MEMORY_REMOTE : MEMORY_LOCAL;
    case 6:
    case 8:
        return MEMORY_SLOW;
    case 7:
        return MEMORY_DEVICE;
    case 12:
        return MEMORY_REMOTE;
    default:
        return MEMORY_BEYOND_L1;
    }
}

enum {
    IBS_MISS = 7,
    IBS_COMBINED = 13,
    IBS_UNCACHED = 14,
    IBS_PENDING = 16,
    IBS_ADDRESS = 17,
    IBS_L2_MISS = 20
};

static enum memory_level ibs_level(const struct ibs *ibs)
{
    uint64_t data = ibs->value[IBS_DATA3];
    if (bit(data, IBS_UNCACHED) || bit(data, IBS_COMBINED))
        return MEMORY_DEVICE;
    if (!bit(data, IBS_MISS))
        return MEMORY_L1;
    if (bit(data, 1) && !bit(data, 0)) /* a store: the other bits are of loads */
        return MEMORY_BEYOND_L1;
    if (bit(data, IBS_PENDING))
        return MEMORY_BUFFER;
    return bit(data, IBS_L2_MISS) ? ibs_source(ibs) : MEMORY_L2;
}

static enum memory_record take_ibs(const uint8_t *raw, size_t size, struct memory_sample *sample)
{
    enum { RIP_INVALID = 38, LATENCY = 32 };
    struct ibs ibs;
    if (size < sizeof ibs.capabilities + sizeof ibs.value)
        return MEMORY_MALFORMED;
    memcpy(&ibs.capabilities, raw, sizeof ibs.capabilities);
    memcpy(ibs.value, raw + sizeof ibs.capabilities, sizeof ibs.value);
    uint64_t data = ibs.value[IBS_DATA3];
    bool load = bit(data, 0), store = bit(data, 1);
    if ((!load && !store) || !bit(data, IBS_ADDRESS))
        return MEMORY_NO_ACCESS;
    if (!bit(ibs.value[IBS_DATA], RIP_INVALID))
        sample->ip = ibs.value[IBS_RIP];
    sample->address = ibs.value[IBS_LINEAR];
    sample->store = !load;
    sample->level = ibs_level(&ibs);
    sample->tlb = !bit(data, 2) ? TLB_FIRST : !bit(data, 3) ? TLB_SECOND : TLB_WALK;
    int32_t latency = data >> LATENCY & 0xffff;
    if (load && bit(data, IBS_MISS) && !bit(data, IBS_PENDING) && latency > 0)
        sample->latency = latency;
    return MEMORY_ACCESS;
}

/* ---- records of the kernel */

enum memory_record memory_sample_read(const void *bytes, size_t size, uint64_t type, bool ibs,
                                      struct memory_sample *sample)
{
    const struct sample_layout layout = {.type = type};
    struct sample_record record;
    *sample = (struct memory_sample){.latency = LATENCY_UNKNOWN};
    if (!sample_record_read(bytes, size, &layout, &record))
        return MEMORY_MALFORMED;
    sample->ip = record.ip;
    sample->address = record.address;
    sample->time = record.time;
    sample->id = record.id;
    sample->period = record.period;
    sample->pid = record.pid;
    sample->tid = record.tid;
    return ibs && record.raw.n > 0 ? take_ibs(record.raw.at, record.raw.n, sample)
                                   : take_source(record.source, record.weight, sample);
}

/* ---- packets of SPE */

enum spe_kind {
    SPE_BAD,
    SPE_PADDING,
    SPE_END,
    SPE_TIME,
    SPE_EVENTS,
    SPE_SOURCE,
    SPE_CONTEXT,
    SPE_OPERATION,
    SPE_ADDRESS,
    SPE_COUNTER
};

struct spe_packet {
    enum spe_kind kind;
    unsigned index; /* of an address, a counter, the class of an operation */
    uint64_t value;
};

/* The kinds of packets with data, by the bits of their header that are the same in all of a kind. */
static enum spe_kind spe_kind(uint8_t header, bool extended)
{
    if ((header & 0xf8) == 0xb0)
        return SPE_ADDRESS;
    if ((header & 0xf8) == 0x98)
        return SPE_COUNTER;
    if (extended)
        return SPE_BAD;
    if (header == 0x71)
        return SPE_TIME;
    if ((header & 0xcf) == 0x42)
        return SPE_EVENTS;
    if ((header & 0xcf) == 0x43)
        return SPE_SOURCE;
    if ((header & 0xfc) == 0x64)
        return SPE_CONTEXT;
    return (header & 0xfc) == 0x48 ? SPE_OPERATION : SPE_BAD;
}

/* Takes the next packet. False: nothing is left. An alignment is followed by zeroes, which are padding. */
static bool spe_packet(struct spe_packets *packets, struct spe_packet *packet)
{
    size_t left = (size_t)(packets->end - packets->next), head = 1;
    if (left == 0)
        return false;
    uint8_t header = packets->next[0], high = 0;
    bool extended = (header & 0xfc) == 0x20;
    *packet = (struct spe_packet){.kind = SPE_PADDING};
    if (extended && left > 1) {
        high = (header & 3) << 3;
        header = packets->next[1];
        head = 2;
    }
    if (header == 0x00 || (header == 0x01 && !extended)) { /* the second byte of an alignment, too */
        packet->kind = header == 0x01 ? SPE_END : SPE_PADDING;
        packets->next += head;
        return true;
    }
    packet->kind = spe_kind(header, extended);
    size_t n = (size_t)1 << (header >> 4 & 3);
    if (packet->kind == SPE_BAD || head + n > left) {
        bool cut = packet->kind != SPE_BAD;
        packet->kind = SPE_BAD;
        packets->next = cut ? packets->end : packets->next + 1;
        return true;
    }
    packet->index = packet->kind == SPE_OPERATION ? header & 3U : (header & 7U) | high;
    for (size_t i = n; i > 0; i--)
        packet->value = packet->value << 8 | packets->next[head + i - 1];
    packets->next += head + n;
    return true;
}

/* Parts of a record. */
struct spe_record {
    struct memory_sample sample;
    uint64_t events, source;
    bool any, access, ip, address, has_events, has_source, bad;
};

enum { SPE_PC = 0, SPE_DATA = 2, SPE_TOTAL = 0, SPE_LOAD_STORE = 1 };

/* An address has 56 bits, of which the highest is that of all above it; above them are its tag, or the level
 * of an instruction. */
static uint64_t spe_address(uint64_t value)
{
    const uint64_t mask = (UINT64_C(1) << 56) - 1;
    return bit(value, 55) ? value | ~mask : value & mask;
}

static void spe_take(struct spe_record *record, const struct spe_packet *packet)
{
    struct memory_sample *sample = &record->sample;
    record->any = true;
    if (packet->kind == SPE_ADDRESS && packet->index == SPE_PC) {
        sample->ip = spe_address(packet->value);
        record->ip = true;
    } else if (packet->kind == SPE_ADDRESS && packet->index == SPE_DATA) {
        sample->address = spe_address(packet->value);
        record->address = true;
    } else if (packet->kind == SPE_COUNTER && packet->index == SPE_TOTAL && packet->value > 0) {
        sample->latency = (int32_t)packet->value;
    } else if (packet->kind == SPE_EVENTS) {
        record->events = packet->value;
        record->has_events = true;
    } else if (packet->kind == SPE_SOURCE) {
        record->source = packet->value;
        record->has_source = true;
    } else if (packet->kind == SPE_CONTEXT) {
        sample->tid = (uint32_t)packet->value;
    } else if (packet->kind == SPE_OPERATION) {
        record->access = packet->index == SPE_LOAD_STORE;
        sample->store = bit(packet->value, 0);
    } else if (packet->kind == SPE_BAD) {
        record->bad = true;
    }
}

static enum memory_level spe_level_of_source(uint64_t source)
{
    switch (source) {
    case 0x0:
        return MEMORY_L1;
    case 0x8:
        return MEMORY_L2;
    case 0x9: /* another core */
    case 0xa: /* and the cluster's */
    case 0xc: /* another cluster */
    case 0xd: /* another chip */
        return MEMORY_OTHER_CACHE;
    case 0xb:
        return MEMORY_L3;
    case 0xe:
        return MEMORY_LOCAL;
    default:
        return MEMORY_UNKNOWN;
    }
}

enum {
    L1_ACCESS = 2,
    L1_REFILL = 3,
    TLB_ACCESS = 4,
    WALK = 5,
    LAST_MISS = 9,
    REMOTE = 10,
    L2_ACCESS = 19,
    L2_MISS = 20
};

/* Tells where the data was by the events that every processor has. The last cache may be L2 or L3. */
static enum memory_level spe_level_of_events(uint64_t events)
{
    if (bit(events, LAST_MISS))
        return bit(events, REMOTE) ? MEMORY_REMOTE : MEMORY_LOCAL;
    if (bit(events, REMOTE))
        return MEMORY_BEYOND_L1;
    if (bit(events, L1_REFILL))
        return bit(events, L2_ACCESS) && !bit(events, L2_MISS) ? MEMORY_L2 : MEMORY_BEYOND_L1;
    return bit(events, L1_ACCESS) ? MEMORY_L1 : MEMORY_UNKNOWN;
}

/* Ends a record. False: it is none of an access with addresses. */
static bool spe_finish(struct spe_packets *packets, struct spe_record *record)
{
    struct memory_sample *sample = &record->sample;
    if (record->bad || (record->any && record->access && record->address && !record->ip)) {
        packets->lost++;
        return false;
    }
    if (!record->access || !record->address)
        return false;
    sample->level = MEMORY_UNKNOWN;
    if (packets->sources && record->has_source && !sample->store)
        sample->level = spe_level_of_source(record->source);
    if (sample->level == MEMORY_UNKNOWN && record->has_events)
        sample->level = spe_level_of_events(record->events);
    sample->tlb = bit(record->events, WALK)         ? TLB_WALK
                  : bit(record->events, TLB_ACCESS) ? TLB_EITHER
                                                    : TLB_UNKNOWN;
    return true;
}

/* A record ends with an END or a timestamp. After a packet that is not understood nothing of the record is
 * believed. */
bool spe_next(struct spe_packets *packets, struct memory_sample *sample)
{
    const struct spe_record nothing = {.sample.latency = LATENCY_UNKNOWN};
    struct spe_record record = nothing;
    struct spe_packet packet;
    while (spe_packet(packets, &packet)) {
        if (packet.kind == SPE_PADDING)
            continue;
        if (packet.kind != SPE_END && packet.kind != SPE_TIME) {
            spe_take(&record, &packet);
            continue;
        }
        if (packet.kind == SPE_TIME)
            record.sample.time = packet.value;
        if (spe_finish(packets, &record)) {
            *sample = record.sample;
            return true;
        }
        record = nothing;
    }
    packets->lost += record.any;
    return false;
}

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The packets are those of the Arm Architecture Reference Manual (DDI 0487), "Statistical Profiling Extension
 * Sample Record Specification", in the processor's byte order, and may end anywhere; the numbers of data
 * sources those of the technical reference manuals of Arm's Neoverse cores.
 */
#include "formats/spe_packets.h"

#include <stddef.h>

static bool bit(uint64_t value, unsigned n)
{
    return (value >> n & 1) != 0;
}

/* ---- packets */

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

/* ---- records */

/* Parts of a record. */
struct spe_record {
    struct spe_sample sample;
    uint64_t events, source;
    bool any, access, ip, address, has_events, has_source, bad;
};

enum { SPE_PC = 0, SPE_DATA = 2, SPE_TOTAL = 0, SPE_LOAD_STORE = 1, SPE_LEVEL = 61 };

/* An address has 56 bits, of which the highest is that of all above it; above them are its tag, or the level
 * of an instruction. */
static uint64_t spe_address(uint64_t value)
{
    const uint64_t mask = (UINT64_C(1) << 56) - 1;
    return bit(value, 55) ? value | ~mask : value & mask;
}

/* An atomic access has bit 1, none of the three highest, and bit 2 (atomic) or 3 (exclusive). */
static void spe_take_operation(uint64_t operation, struct data_source *source)
{
    source->store = bit(operation, 0);
    source->load = !source->store;
    source->locked = (operation & 0xe2) == 0x02 && (operation & 0x0c) != 0;
}

static void spe_take(struct spe_record *record, const struct spe_packet *packet)
{
    struct spe_sample *sample = &record->sample;
    record->any = true;
    if (packet->kind == SPE_ADDRESS && packet->index == SPE_PC) {
        sample->access.ip = spe_address(packet->value);
        sample->kernel = (packet->value >> SPE_LEVEL & 3) != 0;
        record->ip = true;
    } else if (packet->kind == SPE_ADDRESS && packet->index == SPE_DATA) {
        sample->access.address = spe_address(packet->value);
        record->address = true;
    } else if (packet->kind == SPE_COUNTER && packet->index == SPE_TOTAL && packet->value > 0) {
        sample->access.latency = (int32_t)packet->value;
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
        spe_take_operation(packet->value, &sample->access.source);
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
    struct spe_sample *sample = &record->sample;
    if (record->bad || (record->any && record->access && record->address && !record->ip)) {
        packets->lost++;
        return false;
    }
    if (!record->access || !record->address)
        return false;
    sample->access.source.level = MEMORY_UNKNOWN;
    if (packets->sources && record->has_source && sample->access.source.load)
        sample->access.source.level = spe_level_of_source(record->source);
    if (sample->access.source.level == MEMORY_UNKNOWN && record->has_events)
        sample->access.source.level = spe_level_of_events(record->events);
    sample->access.source.remote =
        bit(record->events, REMOTE) || sample->access.source.level == MEMORY_REMOTE;
    sample->access.source.tlb = bit(record->events, WALK)         ? TLB_WALK
                                : bit(record->events, TLB_ACCESS) ? TLB_EITHER
                                                                  : TLB_UNKNOWN;
    return true;
}

/* A record ends with an END or a timestamp. After a packet that is not understood nothing of the record is
 * believed. */
bool spe_next(struct spe_packets *packets, struct spe_sample *sample)
{
    const struct spe_record nothing = {.sample.access.latency = LATENCY_UNKNOWN};
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

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads sampled accesses: linux/perf_event.h describes the kernel's records, AMD's manuals the registers of
 * IBS, and the Arm Architecture Reference Manual the packets of SPE. All are in the processor's byte order,
 * and may end anywhere.
 */
#include "memory_samples.h"
#include "perf_memory.h"

#include <string.h>

const char *const memory_level_keys[MEMORY_LEVELS] = {
    "unknown",   "l1",           "buffer",        "l2",          "l3",    "other_cache",
    "beyond_l1", "local_memory", "remote_memory", "slow_memory", "device"};

const char *const memory_level_names[MEMORY_LEVELS] = {"unknown",     "L1",         "on its way", "L2",
                                                       "L3",          "other core", "beyond L1",  "memory",
                                                       "remote node", "CXL, PMEM",  "not cached"};

/* ---- PERF_SAMPLE_DATA_SRC */

enum { NUMBER_CXL = 0x09 }; /* of newer kernels than the header's */

static enum memory_level level_of_number(unsigned number, bool remote)
{
    switch (number) {
    case PERF_MEM_LVLNUM_L1:
        return MEMORY_L1;
    case PERF_MEM_LVLNUM_L2:
        return MEMORY_L2;
    case PERF_MEM_LVLNUM_L3:
        return MEMORY_L3;
    case PERF_MEM_LVLNUM_LFB:
        return MEMORY_BUFFER;
    case PERF_MEM_LVLNUM_L4:
        return MEMORY_BEYOND_L1;
    case PERF_MEM_LVLNUM_ANY_CACHE:
        return remote ? MEMORY_OTHER_CACHE : MEMORY_UNKNOWN;
    case PERF_MEM_LVLNUM_RAM:
        return remote ? MEMORY_REMOTE : MEMORY_LOCAL;
    case PERF_MEM_LVLNUM_PMEM:
    case NUMBER_CXL:
        return MEMORY_SLOW;
    case PERF_MEM_LVLNUM_IO:
        return MEMORY_DEVICE;
    default:
        return MEMORY_UNKNOWN;
    }
}

static enum memory_level level_of_bits(unsigned bits)
{
    static const struct {
        unsigned bits;
        enum memory_level level;
    } rows[] = {
        {PERF_MEM_LVL_IO | PERF_MEM_LVL_UNC, MEMORY_DEVICE},
        {PERF_MEM_LVL_REM_RAM1 | PERF_MEM_LVL_REM_RAM2, MEMORY_REMOTE},
        {PERF_MEM_LVL_LOC_RAM, MEMORY_LOCAL},
        {PERF_MEM_LVL_REM_CCE1 | PERF_MEM_LVL_REM_CCE2, MEMORY_OTHER_CACHE},
        {PERF_MEM_LVL_L3, MEMORY_L3},
        {PERF_MEM_LVL_L2, MEMORY_L2},
        {PERF_MEM_LVL_LFB, MEMORY_BUFFER},
        {PERF_MEM_LVL_L1, MEMORY_L1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if ((bits & rows[i].bits) != 0)
            return rows[i].level;
    return MEMORY_UNKNOWN;
}

/* A miss at a level says only that the data was behind it. A hit in L3 of a line that another core had
 * modified came from that core's cache. */
static enum memory_level level_of(uint64_t source)
{
    unsigned bits = source >> PERF_MEM_LVL_SHIFT & 0x3fff, number = source >> PERF_MEM_LVLNUM_SHIFT & 0xf,
             snoop = source >> PERF_MEM_SNOOP_SHIFT & 0x1f, hops = source >> PERF_MEM_HOPS_SHIFT & 7,
             forward = source >> PERF_MEM_SNOOPX_SHIFT & PERF_MEM_SNOOPX_PEER;
    bool remote = (source >> PERF_MEM_REMOTE_SHIFT & PERF_MEM_REMOTE_REMOTE) != 0;
    enum memory_level level = level_of_number(number, remote);
    if (level == MEMORY_UNKNOWN && number != PERF_MEM_LVLNUM_ANY_CACHE)
        level = level_of_bits(bits);
    bool cache = level == MEMORY_L2 || level == MEMORY_L3 || number == PERF_MEM_LVLNUM_ANY_CACHE;
    if ((bits & PERF_MEM_LVL_MISS) != 0 && (bits & PERF_MEM_LVL_HIT) == 0)
        return cache || level == MEMORY_L1 ? MEMORY_BEYOND_L1 : level;
    if (cache && ((snoop & PERF_MEM_SNOOP_HITM) != 0 || remote || hops != 0 || forward != 0))
        return MEMORY_OTHER_CACHE;
    return level;
}

static enum memory_tlb tlb_of(uint64_t source)
{
    unsigned bits = source >> PERF_MEM_TLB_SHIFT & 0x7f;
    if ((bits & PERF_MEM_TLB_MISS) != 0 ||
        ((bits & (PERF_MEM_TLB_WK | PERF_MEM_TLB_OS)) != 0 && (bits & PERF_MEM_TLB_HIT) == 0))
        return TLB_WALK;
    if ((bits & PERF_MEM_TLB_HIT) == 0)
        return TLB_UNKNOWN;
    bool first = (bits & PERF_MEM_TLB_L1) != 0, second = (bits & PERF_MEM_TLB_L2) != 0;
    if ((bits & (PERF_MEM_TLB_WK | PERF_MEM_TLB_OS)) != 0)
        return TLB_WALK;
    return first == second ? TLB_EITHER : first ? TLB_FIRST : TLB_SECOND;
}

/* Takes what the kernel says of the data. What PEBS weighs of a store is not its latency. */
static enum memory_record take_source(uint64_t source, uint64_t weight, struct memory_sample *sample)
{
    unsigned operation = source & 0x1f;
    bool load = (operation & PERF_MEM_OP_LOAD) != 0, store = (operation & PERF_MEM_OP_STORE) != 0;
    if (!load && !store)
        return MEMORY_NO_ACCESS;
    sample->store = !load;
    sample->level = level_of(source);
    sample->tlb = tlb_of(source);
    if (load && weight > 0 && weight <= INT32_MAX)
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

/* ---- the fields of a record */

struct fields {
    const uint8_t *next, *end;
    bool short_of;
};

static uint64_t take_word(struct fields *fields)
{
    uint64_t word = 0;
    if ((size_t)(fields->end - fields->next) < sizeof word) {
        fields->short_of = true;
        return 0;
    }
    memcpy(&word, fields->next, sizeof word);
    fields->next += sizeof word;
    return word;
}

static uint64_t word_if(struct fields *fields, uint64_t type, uint64_t wanted)
{
    return (type & wanted) != 0 ? take_word(fields) : 0;
}

static void skip(struct fields *fields, uint64_t n)
{
    uint64_t left = (uint64_t)(fields->end - fields->next);
    fields->short_of |= n > left;
    fields->next += n > left ? left : n;
}

/* Finds the bytes of PERF_SAMPLE_RAW: a number of 32 bits, and so many bytes. */
static const uint8_t *take_raw(struct fields *fields, uint32_t *size)
{
    if (fields->end - fields->next < (ptrdiff_t)sizeof *size) {
        fields->short_of = true;
        return NULL;
    }
    memcpy(size, fields->next, sizeof *size);
    const uint8_t *raw = fields->next + sizeof *size;
    skip(fields, sizeof *size + (uint64_t)*size);
    return raw;
}

static void take_head(struct fields *fields, uint64_t type, struct memory_sample *sample)
{
    sample->id = word_if(fields, type, PERF_SAMPLE_IDENTIFIER);
    sample->ip = word_if(fields, type, PERF_SAMPLE_IP);
    uint64_t thread = word_if(fields, type, PERF_SAMPLE_TID);
    memcpy(&sample->pid, &thread, sizeof sample->pid);
    memcpy(&sample->tid, (const char *)&thread + sizeof sample->pid, sizeof sample->tid);
    sample->time = word_if(fields, type, PERF_SAMPLE_TIME);
    sample->address = word_if(fields, type, PERF_SAMPLE_ADDR);
    if ((type & PERF_SAMPLE_ID) != 0)
        sample->id = take_word(fields);
    word_if(fields, type, PERF_SAMPLE_STREAM_ID);
    word_if(fields, type, PERF_SAMPLE_CPU);
    sample->period = word_if(fields, type, PERF_SAMPLE_PERIOD);
}

enum memory_record memory_sample_read(const void *bytes, size_t size, uint64_t type, bool ibs,
                                      struct memory_sample *sample)
{
    const uint64_t known = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
                           PERF_SAMPLE_ADDR | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU |
                           PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW |
                           PERF_SAMPLE_WEIGHT_TYPE | PERF_SAMPLE_DATA_SRC;
    struct fields fields = {bytes, (const uint8_t *)bytes + size, false};
    const uint8_t *raw = NULL;
    uint32_t raw_size = 0;
    *sample = (struct memory_sample){.latency = LATENCY_UNKNOWN};
    if ((type & ~known) != 0)
        return MEMORY_MALFORMED; /* what comes behind such a field cannot be found */
    take_head(&fields, type, sample);
    uint64_t calls = word_if(&fields, type, PERF_SAMPLE_CALLCHAIN);
    skip(&fields, calls > SIZE_MAX / 16 ? UINT64_MAX : calls * sizeof(uint64_t));
    if ((type & PERF_SAMPLE_RAW) != 0)
        raw = take_raw(&fields, &raw_size);
    uint64_t weight = word_if(&fields, type, PERF_SAMPLE_WEIGHT_TYPE);
    if ((type & PERF_SAMPLE_WEIGHT_STRUCT) != 0)
        weight &= UINT32_MAX; /* the first of three numbers */
    uint64_t source = word_if(&fields, type, PERF_SAMPLE_DATA_SRC);
    if (fields.short_of)
        return MEMORY_MALFORMED;
    return ibs && raw != NULL && raw_size > 0 ? take_ibs(raw, raw_size, sample)
                                              : take_source(source, weight, sample);
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

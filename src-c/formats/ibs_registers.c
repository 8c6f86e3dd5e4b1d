/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The registers' bits are those of AMD's Processor Programming References (PPR), "Instruction Based
 * Sampling": MSRC001_1030 to 1032 (fetches), 1033 to 1038 (operations). Since family 17h a fetch says whether
 * it missed L2 (capability 9, the register IbsFetchCtlExtd), since Zen 4 (capability 11) also L3, and an
 * operation's source of data has two bits more.
 */
#include "formats/ibs_registers.h"

#include <string.h>

static bool bit(uint64_t value, unsigned n)
{
    return (value >> n & 1) != 0;
}

enum { WITH_L2_MISS = 9, ZEN4 = 11 }; /* capabilities */

/* ---- operations */

enum ibs_register { IBS_CONTROL, IBS_RIP, IBS_DATA, IBS_DATA2, IBS_DATA3, IBS_LINEAR, IBS_REGISTERS };

struct ibs {
    uint32_t capabilities;
    uint64_t value[IBS_REGISTERS];
};

/* From where a load that missed L2 had its data. Since Zen 4 the number has two bits more. */
static enum memory_level ibs_source(const struct ibs *ibs)
{
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

bool ibs_op_read(const uint8_t *raw, size_t size, struct sampled_access *access)
{
    enum { RIP_INVALID = 38, LATENCY = 32, LOCKED = 15, SOFTWARE_PREFETCH = 21, FAR = 4 };
    struct ibs ibs;
    *access = (struct sampled_access){.latency = LATENCY_UNKNOWN};
    if (size < sizeof ibs.capabilities + sizeof ibs.value)
        return false;
    memcpy(&ibs.capabilities, raw, sizeof ibs.capabilities);
    memcpy(ibs.value, raw + sizeof ibs.capabilities, sizeof ibs.value);
    uint64_t data = ibs.value[IBS_DATA3];
    bool load = bit(data, 0), store = bit(data, 1);
    if (!bit(ibs.value[IBS_DATA], RIP_INVALID))
        access->ip = ibs.value[IBS_RIP];
    if ((!load && !store) || !bit(data, IBS_ADDRESS))
        return true;
    access->address = ibs.value[IBS_LINEAR];
    access->source = (struct data_source){.load = load,
                                          .store = store,
                                          .prefetch = bit(data, SOFTWARE_PREFETCH),
                                          .locked = bit(data, LOCKED),
                                          .level = ibs_level(&ibs)};
    access->source.tlb = !bit(data, 2) ? TLB_FIRST : !bit(data, 3) ? TLB_SECOND : TLB_WALK;
    access->source.remote = access->source.level == MEMORY_REMOTE ||
                            (access->source.level == MEMORY_OTHER_CACHE && bit(ibs.value[IBS_DATA2], FAR));
    int32_t latency = data >> LATENCY & 0xffff;
    if (load && bit(data, IBS_MISS) && !bit(data, IBS_PENDING) && latency > 0)
        access->latency = latency;
    return true;
}

/* ---- fetches */

bool ibs_fetch_read(const uint8_t *raw, size_t size, struct sampled_access *access)
{
    enum {
        LATENCY = 32,
        COMPLETE = 50,
        MISS = 51,
        FIRST_TLB = 55,
        SECOND_TLB = 56,
        L2_MISS = 58,
        L3_MISS = 61
    };
    uint32_t capabilities;
    uint64_t value[2]; /* IbsFetchCtl, IbsFetchLinAd */
    *access = (struct sampled_access){.latency = LATENCY_UNKNOWN};
    if (size < sizeof capabilities + sizeof value)
        return false;
    memcpy(&capabilities, raw, sizeof capabilities);
    memcpy(value, raw + sizeof capabilities, sizeof value);
    uint64_t control = value[0];
    access->ip = access->address = value[1];
    access->source.execution = true;
    access->source.tlb = !bit(control, FIRST_TLB)    ? TLB_FIRST
                         : !bit(control, SECOND_TLB) ? TLB_SECOND
                                                     : TLB_WALK;
    if (!bit(control, COMPLETE)) /* it was given up */
        return true;
    int32_t latency = control >> LATENCY & 0xffff;
    access->latency = latency > 0 ? latency : LATENCY_UNKNOWN;
    access->source.level = MEMORY_L1;
    if (bit(control, MISS))
        access->source.level = bit(capabilities, WITH_L2_MISS) && !bit(control, L2_MISS) ? MEMORY_L2
                               : bit(capabilities, ZEN4) && !bit(control, L3_MISS)       ? MEMORY_L3
                                                                                         : MEMORY_BEYOND_L1;
    return true;
}

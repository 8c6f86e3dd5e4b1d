/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads sampled accesses from the kernel's records, with the registers of IBS where these are in them.
 */
#include "memory_samples.h"
#include "formats/ibs_registers.h"
#include "formats/sample_record.h"

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

static enum memory_record take_ibs(const uint8_t *raw, size_t size, struct memory_sample *sample)
{
    struct sampled_access access;
    if (!ibs_op_read(raw, size, &access))
        return MEMORY_MALFORMED;
    if (!access.source.load && !access.source.store)
        return MEMORY_NO_ACCESS;
    if (access.ip != 0)
        sample->ip = access.ip;
    sample->address = access.address;
    sample->store = !access.source.load;
    sample->level = access.source.level;
    sample->tlb = access.source.tlb;
    sample->latency = access.latency;
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

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Sampled accesses, from records that are made here as the kernel's header, AMD's and Arm's manuals describe
 * them: no machine of these tests has such counters. Each is read whole, and cut at every byte.
 */
#include "formats/ibs_registers.h"
#include "formats/perf_memory.h"
#include "formats/spe_packets.h"
#include "profile/memory_samples.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
/* after those that it needs */
#include <cmocka.h>

enum { ROOM = 512 };

struct bytes {
    uint8_t byte[ROOM];
    size_t n;
};

static void put(struct bytes *to, uint64_t value, size_t size)
{
    for (size_t i = 0; i < size; i++)
        to->byte[to->n++] = (uint8_t)(value >> 8 * i);
}

/* ---- records */

enum {
    HEAD = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR |
           PERF_SAMPLE_PERIOD,
    ID = 77,
    IP = 0x401136,
    PID = 4711,
    TID = 4712,
    ADDRESS = 0x7f1234560040,
    TIME = 123456789,
    PERIOD = 1009
};

static void put_head(struct bytes *to)
{
    *to = (struct bytes){.n = 0};
    put(to, ID, 8);
    put(to, IP, 8);
    put(to, PID, 4);
    put(to, TID, 4);
    put(to, TIME, 8);
    put(to, ADDRESS, 8);
    put(to, PERIOD, 8);
}

static void head_is_read(const struct memory_sample *sample)
{
    assert_int_equal(sample->id, ID);
    assert_int_equal(sample->ip, IP);
    assert_int_equal(sample->pid, PID);
    assert_int_equal(sample->tid, TID);
    assert_int_equal(sample->time, TIME);
    assert_int_equal(sample->period, PERIOD);
}

/* Every beginning of a record is malformed. */
static void cut_is_refused(const struct bytes *record, uint64_t type, bool ibs)
{
    struct memory_sample sample;
    for (size_t n = 0; n < record->n; n++)
        assert_int_equal(memory_sample_read(record->byte, n, type, ibs, &sample), MEMORY_MALFORMED);
}

static struct memory_sample read_access(const struct bytes *record, uint64_t type, bool ibs)
{
    struct memory_sample sample;
    assert_int_equal(memory_sample_read(record->byte, record->n, type, ibs, &sample), MEMORY_ACCESS);
    head_is_read(&sample);
    assert_int_equal(sample.address, ADDRESS);
    cut_is_refused(record, type, ibs);
    return sample;
}

/* ---- PEBS */

#define OF(what, name) PERF_MEM_S(what, name)
#define LOAD OF(OP, LOAD)
#define NUMBER(n) ((uint64_t)(n) << PERF_MEM_LVLNUM_SHIFT)

static void data_sources(void **state)
{
    (void)state;
    static const struct {
        uint64_t source;
        enum memory_level level;
        enum memory_tlb tlb;
    } rows[] = {
        {LOAD | OF(LVL, HIT) | OF(LVL, L1) | OF(TLB, HIT) | OF(TLB, L1), MEMORY_L1, TLB_FIRST},
        {LOAD | OF(LVL, HIT) | OF(LVL, LFB) | OF(TLB, HIT) | OF(TLB, L2), MEMORY_BUFFER, TLB_SECOND},
        {LOAD | OF(LVL, HIT) | OF(LVL, L2) | OF(TLB, HIT) | OF(TLB, L1) | OF(TLB, L2), MEMORY_L2, TLB_EITHER},
        {LOAD | OF(LVL, HIT) | OF(LVL, L3) | OF(SNOOP, NONE) | OF(TLB, MISS) | OF(TLB, WK), MEMORY_L3,
         TLB_WALK},
        {LOAD | OF(LVL, HIT) | OF(LVL, L3) | OF(SNOOP, HITM) | OF(TLB, NA), MEMORY_OTHER_CACHE, TLB_UNKNOWN},
        {LOAD | OF(LVL, HIT) | OF(LVL, REM_CCE1), MEMORY_OTHER_CACHE, TLB_UNKNOWN},
        {LOAD | OF(LVL, HIT) | OF(LVL, LOC_RAM) | OF(SNOOP, MISS), MEMORY_LOCAL, TLB_UNKNOWN},
        {LOAD | OF(LVL, HIT) | OF(LVL, REM_RAM1), MEMORY_REMOTE, TLB_UNKNOWN},
        {LOAD | OF(LVL, MISS) | OF(LVL, L3), MEMORY_BEYOND_L1, TLB_UNKNOWN},
        {LOAD | OF(LVL, UNC), MEMORY_DEVICE, TLB_UNKNOWN},
        {LOAD | OF(LVL, NA) | NUMBER(PERF_MEM_LVLNUM_NA), MEMORY_UNKNOWN, TLB_UNKNOWN},
        /* as newer kernels say it */
        {LOAD | OF(LVL, HIT) | OF(LVL, L1) | NUMBER(PERF_MEM_LVLNUM_L1), MEMORY_L1, TLB_UNKNOWN},
        {LOAD | NUMBER(PERF_MEM_LVLNUM_LFB), MEMORY_BUFFER, TLB_UNKNOWN},
        {LOAD | NUMBER(PERF_MEM_LVLNUM_L3) | OF(REMOTE, REMOTE), MEMORY_OTHER_CACHE, TLB_UNKNOWN},
        {LOAD | NUMBER(PERF_MEM_LVLNUM_ANY_CACHE) | OF(HOPS, 0), MEMORY_OTHER_CACHE, TLB_UNKNOWN},
        {LOAD | NUMBER(PERF_MEM_LVLNUM_ANY_CACHE), MEMORY_UNKNOWN, TLB_UNKNOWN},
        {LOAD | NUMBER(PERF_MEM_LVLNUM_RAM), MEMORY_LOCAL, TLB_UNKNOWN},
        {LOAD | NUMBER(PERF_MEM_LVLNUM_RAM) | OF(REMOTE, REMOTE), MEMORY_REMOTE, TLB_UNKNOWN},
        {LOAD | NUMBER(PERF_MEM_LVLNUM_PMEM), MEMORY_SLOW, TLB_UNKNOWN},
        {LOAD | NUMBER(0x09), MEMORY_SLOW, TLB_UNKNOWN},
        {LOAD | NUMBER(PERF_MEM_LVLNUM_IO), MEMORY_DEVICE, TLB_UNKNOWN},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const uint64_t type = HEAD | PERF_SAMPLE_WEIGHT | PERF_SAMPLE_DATA_SRC;
        struct bytes record;
        put_head(&record);
        put(&record, 40 + i, 8);
        put(&record, rows[i].source, 8);
        struct memory_sample sample = read_access(&record, type, false);
        assert_int_equal(sample.level, rows[i].level);
        assert_int_equal(sample.tlb, rows[i].tlb);
        assert_int_equal(sample.latency, 40 + i);
        assert_false(sample.store);
    }
}

/* The weight of newer kernels is three numbers, of which the first is the latency. */
static void weight_of_three_numbers(void **state)
{
    (void)state;
    const uint64_t type = HEAD | PERF_SAMPLE_WEIGHT_STRUCT | PERF_SAMPLE_DATA_SRC;
    struct bytes record;
    put_head(&record);
    put(&record, 312, 4);
    put(&record, 17, 2);
    put(&record, 5, 2);
    put(&record, LOAD | OF(LVL, HIT) | OF(LVL, LOC_RAM), 8);
    assert_int_equal(read_access(&record, type, false).latency, 312);
}

static void stores_have_no_latency(void **state)
{
    (void)state;
    const uint64_t type = HEAD | PERF_SAMPLE_WEIGHT | PERF_SAMPLE_DATA_SRC;
    struct bytes record;
    put_head(&record);
    put(&record, 99, 8);
    put(&record, OF(OP, STORE) | OF(LVL, MISS) | OF(LVL, L1), 8);
    struct memory_sample sample = read_access(&record, type, false);
    assert_true(sample.store);
    assert_int_equal(sample.latency, LATENCY_UNKNOWN);
    assert_int_equal(sample.level, MEMORY_BEYOND_L1);
}

/* A load whose weight is 0, or no number of cycles, has no latency, and an instruction without data is no
 * access; neither is one whose data has no address. */
static void nothing_is_invented(void **state)
{
    (void)state;
    const uint64_t type = HEAD | PERF_SAMPLE_WEIGHT | PERF_SAMPLE_DATA_SRC;
    const uint64_t weights[] = {0, UINT64_C(1) << 40};
    struct memory_sample sample;
    struct bytes record;
    for (int i = 0; i < 2; i++) {
        put_head(&record);
        put(&record, weights[i], 8);
        put(&record, LOAD | OF(LVL, HIT) | OF(LVL, L1), 8);
        assert_int_equal(read_access(&record, type, false).latency, LATENCY_UNKNOWN);
    }
    put_head(&record);
    put(&record, 40, 8);
    put(&record, OF(OP, NA), 8);
    assert_int_equal(memory_sample_read(record.byte, record.n, type, false, &sample), MEMORY_NO_ACCESS);
    put_head(&record);
    memset(record.byte + 32, 0, 8);
    put(&record, 40, 8);
    put(&record, LOAD | OF(LVL, HIT) | OF(LVL, L1), 8);
    assert_int_equal(memory_sample_read(record.byte, record.n, type, false, &sample), MEMORY_NO_ACCESS);
}

/* Fields before those that are read, in the kernel's order; a field that is not known hides all behind it. */
static void fields_are_in_order(void **state)
{
    (void)state;
    const uint64_t type = HEAD | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_CALLCHAIN |
                          PERF_SAMPLE_RAW | PERF_SAMPLE_WEIGHT | PERF_SAMPLE_DATA_SRC;
    struct memory_sample sample;
    struct bytes record = {.n = 0};
    put_head(&record);
    record.n -= 8;
    put(&record, 1, 8); /* stream */
    put(&record, 2, 8); /* CPU */
    put(&record, PERIOD, 8);
    put(&record, 2, 8); /* calls */
    put(&record, IP, 8);
    put(&record, IP + 9, 8);
    put(&record, 4, 4); /* raw */
    put(&record, 0xffffffff, 4);
    put(&record, 44, 8);
    put(&record, LOAD | OF(LVL, HIT) | OF(LVL, L2), 8);
    sample = read_access(&record, type, false);
    assert_int_equal(sample.latency, 44);
    assert_int_equal(sample.level, MEMORY_L2);
    assert_int_equal(memory_sample_read(record.byte, record.n, type | PERF_SAMPLE_STACK_USER, false, &sample),
                     MEMORY_MALFORMED);
}

/* Numbers in a record that promise more than there is. */
static void lengths_are_checked(void **state)
{
    (void)state;
    const uint64_t lengths[] = {3, UINT64_C(1) << 32, UINT64_C(1) << 61, UINT64_MAX};
    struct memory_sample sample;
    struct bytes record;
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        put_head(&record);
        put(&record, lengths[i], 8);
        put(&record, 0, 8);
        put(&record, LOAD, 8);
        assert_int_equal(memory_sample_read(record.byte, record.n,
                                            HEAD | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_DATA_SRC, false,
                                            &sample),
                         MEMORY_MALFORMED);
    }
    put_head(&record);
    put(&record, UINT32_MAX, 4);
    put(&record, 0, 4);
    put(&record, LOAD, 8);
    assert_int_equal(memory_sample_read(record.byte, record.n, HEAD | PERF_SAMPLE_RAW | PERF_SAMPLE_DATA_SRC,
                                        true, &sample),
                     MEMORY_MALFORMED);
}

/* ---- IBS */

enum { IBS_TYPE = HEAD | PERF_SAMPLE_RAW | PERF_SAMPLE_WEIGHT | PERF_SAMPLE_DATA_SRC };
#define BIT(n) (UINT64_C(1) << (n))
#define ZEN4 BIT(11)
/* Bits of IbsOpData3: a load or store whose address is valid, that missed L1, and L2 as well. */
#define IBS_LOAD (BIT(0) | BIT(17))
#define IBS_STORE (BIT(1) | BIT(17))
#define L1_MISSED BIT(7)
#define BOTH_MISSED (BIT(7) | BIT(20))

static void put_ibs(struct bytes *record, uint64_t capabilities, uint64_t data2, uint64_t data3)
{
    put_head(record);
    put(record, 4 + 7 * 8, 4);
    put(record, capabilities, 4);
    put(record, 0, 8);       /* IbsOpCtl */
    put(record, IP, 8);      /* IbsOpRip */
    put(record, 0, 8);       /* IbsOpData */
    put(record, data2, 8);   /* IbsOpData2 */
    put(record, data3, 8);   /* IbsOpData3 */
    put(record, ADDRESS, 8); /* IbsDcLinAd */
    put(record, 0, 8);       /* IbsDcPhysAd */
    put(record, 0, 8);       /* what an old kernel has for the weight and the source */
    put(record, OF(OP, NA), 8);
}

static void registers_of_ibs(void **state)
{
    (void)state;
    static const struct {
        uint64_t capabilities, data2, data3;
        int32_t latency;
        enum memory_level level;
        enum memory_tlb tlb;
    } rows[] = {
        {0, 0, IBS_LOAD, LATENCY_UNKNOWN, MEMORY_L1, TLB_FIRST},
        {0, 0, IBS_LOAD | UINT64_C(500) << 32, LATENCY_UNKNOWN, MEMORY_L1, TLB_FIRST},
        {0, 0, IBS_LOAD | L1_MISSED | BIT(2) | UINT64_C(14) << 32, 14, MEMORY_L2, TLB_SECOND},
        {0, 1, IBS_LOAD | BOTH_MISSED | BIT(2) | BIT(3) | UINT64_C(50) << 32, 50, MEMORY_L3, TLB_WALK},
        {0, 2, IBS_LOAD | BOTH_MISSED | UINT64_C(120) << 32, 120, MEMORY_OTHER_CACHE, TLB_FIRST},
        {0, 3, IBS_LOAD | BOTH_MISSED | UINT64_C(65535) << 32, 65535, MEMORY_LOCAL, TLB_FIRST},
        {0, 3 | BIT(4), IBS_LOAD | BOTH_MISSED, LATENCY_UNKNOWN, MEMORY_REMOTE, TLB_FIRST},
        {0, 7, IBS_LOAD | BOTH_MISSED, LATENCY_UNKNOWN, MEMORY_DEVICE, TLB_FIRST},
        {0, 0, IBS_LOAD | BOTH_MISSED, LATENCY_UNKNOWN, MEMORY_BEYOND_L1, TLB_FIRST},
        /* bits 6 and 7 belong to the source since Zen 4 */
        {0, 1 | BIT(6), IBS_LOAD | BOTH_MISSED, LATENCY_UNKNOWN, MEMORY_L3, TLB_FIRST},
        {ZEN4, 5, IBS_LOAD | BOTH_MISSED, LATENCY_UNKNOWN, MEMORY_OTHER_CACHE, TLB_FIRST},
        {ZEN4, 0 | BIT(6), IBS_LOAD | BOTH_MISSED, LATENCY_UNKNOWN, MEMORY_SLOW, TLB_FIRST},
        {ZEN4, 4 | BIT(6), IBS_LOAD | BOTH_MISSED, LATENCY_UNKNOWN, MEMORY_REMOTE, TLB_FIRST},
        {ZEN4, 3, IBS_LOAD | BOTH_MISSED | UINT64_C(300) << 32, 300, MEMORY_LOCAL, TLB_FIRST},
        /* the line was on its way; its latency is that of another load */
        {0, 3, IBS_LOAD | BOTH_MISSED | BIT(16) | UINT64_C(9) << 32, LATENCY_UNKNOWN, MEMORY_BUFFER,
         TLB_FIRST},
        {0, 0, IBS_LOAD | BIT(14), LATENCY_UNKNOWN, MEMORY_DEVICE, TLB_FIRST},
    };
    struct bytes record;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        put_ibs(&record, rows[i].capabilities, rows[i].data2, rows[i].data3);
        struct memory_sample sample = read_access(&record, IBS_TYPE, true);
        assert_int_equal(sample.level, rows[i].level);
        assert_int_equal(sample.tlb, rows[i].tlb);
        assert_int_equal(sample.latency, rows[i].latency);
        assert_false(sample.store);
    }
    put_ibs(&record, 0, 3, IBS_STORE | BOTH_MISSED | UINT64_C(9) << 32);
    struct memory_sample sample = read_access(&record, IBS_TYPE, true);
    assert_true(sample.store);
    assert_int_equal(sample.level, MEMORY_BEYOND_L1);
    assert_int_equal(sample.latency, LATENCY_UNKNOWN);
}

/* IBS samples every operation: most have no data. Registers of another PMU are not looked at, and too few
 * are not guessed from. */
static void others_of_ibs(void **state)
{
    (void)state;
    struct memory_sample sample;
    struct bytes record;
    put_ibs(&record, 0, 0, BIT(17));
    assert_int_equal(memory_sample_read(record.byte, record.n, IBS_TYPE, true, &sample), MEMORY_NO_ACCESS);
    put_ibs(&record, 0, 0, BIT(0));
    assert_int_equal(memory_sample_read(record.byte, record.n, IBS_TYPE, true, &sample), MEMORY_NO_ACCESS);
    put_ibs(&record, 0, 0, IBS_LOAD);
    assert_int_equal(memory_sample_read(record.byte, record.n, IBS_TYPE, false, &sample), MEMORY_NO_ACCESS);
    put_head(&record);
    put(&record, 12, 4);
    put(&record, 0, 4);
    put(&record, IBS_LOAD, 8);
    put(&record, 0, 8);
    put(&record, LOAD, 8);
    assert_int_equal(memory_sample_read(record.byte, record.n, IBS_TYPE, true, &sample), MEMORY_MALFORMED);
}

/* Atomic operations, and prefetches by software, for which profiles do not ask. */
static void more_of_ibs(void **state)
{
    (void)state;
    struct sampled_access access;
    struct bytes record;
    put_ibs(&record, 0, 2 | BIT(4), IBS_LOAD | BOTH_MISSED | BIT(15) | BIT(21));
    enum { RAW_AT = 52, RAW_SIZE = 4 + 7 * 8 };
    assert_true(ibs_op_read(record.byte + RAW_AT, RAW_SIZE, &access));
    assert_true(access.source.load && access.source.locked && access.source.prefetch && access.source.remote);
    assert_int_equal(access.source.level, MEMORY_OTHER_CACHE);
    assert_int_equal(access.ip, IP);
    put_ibs(&record, 0, 0, BIT(1)); /* a store without an address */
    assert_true(ibs_op_read(record.byte + RAW_AT, RAW_SIZE, &access));
    assert_true(access.ip == IP && access.address == 0 && !access.source.store);
    for (size_t n = 0; n < 4 + 6 * 8; n++)
        assert_false(ibs_op_read(record.byte + RAW_AT, n, &access));
}

static void fetches_of_ibs(void **state)
{
    (void)state;
    static const struct {
        uint64_t capabilities, control;
        int32_t latency;
        enum memory_level level;
        enum memory_tlb tlb;
    } rows[] = {
        {0, BIT(50) | UINT64_C(7) << 32, 7, MEMORY_L1, TLB_FIRST},
        {0, BIT(50) | BIT(51) | BIT(55), LATENCY_UNKNOWN, MEMORY_BEYOND_L1, TLB_SECOND},
        {BIT(9), BIT(50) | BIT(51) | BIT(55) | BIT(56), LATENCY_UNKNOWN, MEMORY_L2, TLB_WALK},
        {BIT(9), BIT(50) | BIT(51) | BIT(58), LATENCY_UNKNOWN, MEMORY_BEYOND_L1, TLB_FIRST},
        {BIT(9) | ZEN4, BIT(50) | BIT(51) | BIT(58), LATENCY_UNKNOWN, MEMORY_L3, TLB_FIRST},
        {BIT(9) | ZEN4, BIT(50) | BIT(51) | BIT(58) | BIT(61), LATENCY_UNKNOWN, MEMORY_BEYOND_L1, TLB_FIRST},
        {BIT(9), BIT(51) | UINT64_C(9) << 32, LATENCY_UNKNOWN, MEMORY_UNKNOWN, TLB_FIRST}, /* given up */
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct sampled_access access;
        struct bytes raw = {.n = 0};
        put(&raw, rows[i].capabilities, 4);
        put(&raw, rows[i].control, 8);
        put(&raw, IP, 8);
        put(&raw, 0, 8); /* IbsFetchPhysAd */
        assert_true(ibs_fetch_read(raw.byte, raw.n, &access));
        assert_true(access.source.execution && !access.source.load);
        assert_int_equal(access.source.level, rows[i].level);
        assert_int_equal(access.source.tlb, rows[i].tlb);
        assert_int_equal(access.latency, rows[i].latency);
        assert_int_equal(access.ip, IP);
        assert_int_equal(access.address, IP);
        for (size_t n = 0; n < 4 + 2 * 8; n++)
            assert_false(ibs_fetch_read(raw.byte, n, &access));
    }
}

/* ---- SPE */

struct spe_made {
    uint8_t operation;
    uint64_t events, address;
    int source, latency; /* -1: no packet */
    bool ends;           /* without a timestamp */
};

static void put_spe(struct bytes *to, const struct spe_made *made)
{
    put(to, 0xb0, 1); /* the instruction, in level 0 of the processor */
    put(to, IP | BIT(63), 8);
    put(to, 0x65, 1); /* the thread */
    put(to, TID, 4);
    put(to, 0x49, 1);
    put(to, made->operation, 1);
    put(to, 0x62, 1);
    put(to, made->events, 4);
    if (made->latency >= 0) {
        put(to, 0x98, 1);
        put(to, (uint64_t)made->latency, 2);
    }
    put(to, 0x99, 1); /* the latency until it was issued */
    put(to, 3, 2);
    put(to, 0xb2, 1);
    put(to, made->address, 8);
    if (made->source >= 0) {
        put(to, 0x43, 1);
        put(to, (uint64_t)made->source, 1);
    }
    if (made->ends) {
        put(to, 0x01, 1);
        return;
    }
    put(to, 0x71, 1);
    put(to, TIME, 8);
}

static struct spe_sample read_spe(const struct spe_made *made, bool sources)
{
    struct bytes bytes = {.n = 0};
    struct spe_sample sample, none;
    put_spe(&bytes, made);
    struct spe_packets packets = {bytes.byte, bytes.byte + bytes.n, sources, 0};
    assert_true(spe_next(&packets, &sample));
    assert_false(spe_next(&packets, &none));
    assert_int_equal(packets.lost, 0);
    assert_int_equal(sample.access.ip, IP);
    assert_int_equal(sample.tid, TID);
    assert_int_equal(sample.time, made->ends ? 0 : TIME);
    return sample;
}

static void packets_of_spe(void **state)
{
    (void)state;
    enum {
        ACCESS = 1 << 2,
        REFILL = 1 << 3,
        TLB = 1 << 4,
        WALK = 1 << 5,
        LAST = 1 << 8,
        MISS = 1 << 9,
        FAR = 1 << 10,
        SECOND = 1 << 19,
        SECOND_MISS = 1 << 20
    };
    static const struct {
        uint64_t events;
        int source;
        enum memory_level known, guessed; /* with and without the meaning of sources */
        enum memory_tlb tlb;
    } rows[] = {
        {ACCESS | TLB, 0x0, MEMORY_L1, MEMORY_L1, TLB_EITHER},
        {ACCESS | TLB, -1, MEMORY_L1, MEMORY_L1, TLB_EITHER},
        {ACCESS | REFILL | TLB, 0x8, MEMORY_L2, MEMORY_BEYOND_L1, TLB_EITHER},
        {ACCESS | REFILL | TLB | WALK, 0xb, MEMORY_L3, MEMORY_BEYOND_L1, TLB_WALK},
        {ACCESS | REFILL, 0x9, MEMORY_OTHER_CACHE, MEMORY_BEYOND_L1, TLB_UNKNOWN},
        {ACCESS | REFILL | LAST | MISS, 0xe, MEMORY_LOCAL, MEMORY_LOCAL, TLB_UNKNOWN},
        {ACCESS | REFILL | LAST | MISS | FAR, -1, MEMORY_REMOTE, MEMORY_REMOTE, TLB_UNKNOWN},
        {ACCESS | REFILL | SECOND, -1, MEMORY_L2, MEMORY_L2, TLB_UNKNOWN},
        {ACCESS | REFILL | SECOND | SECOND_MISS, -1, MEMORY_BEYOND_L1, MEMORY_BEYOND_L1, TLB_UNKNOWN},
        {ACCESS | REFILL, 0x77, MEMORY_BEYOND_L1, MEMORY_BEYOND_L1, TLB_UNKNOWN},
        {0, -1, MEMORY_UNKNOWN, MEMORY_UNKNOWN, TLB_UNKNOWN},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct spe_made made = {0, rows[i].events, ADDRESS, rows[i].source, 200 + (int)i, i % 2};
        struct spe_sample sample = read_spe(&made, true);
        assert_int_equal(sample.access.source.level, rows[i].known);
        assert_int_equal(sample.access.source.tlb, rows[i].tlb);
        assert_int_equal(sample.access.latency, 200 + i);
        assert_int_equal(sample.access.address, ADDRESS);
        assert_false(sample.access.source.store);
        assert_int_equal(read_spe(&made, false).access.source.level, rows[i].guessed);
    }
}

/* The address has a tag in its highest byte; one of the kernel is negative. A store's source means nothing.
 */
static void addresses_and_stores_of_spe(void **state)
{
    (void)state;
    struct spe_made made = {1, 1 << 2, ADDRESS | UINT64_C(0xa5) << 56, 0x8, -1, false};
    struct spe_sample sample = read_spe(&made, true);
    assert_int_equal(sample.access.address, ADDRESS);
    assert_true(sample.access.source.store);
    assert_int_equal(sample.access.source.level, MEMORY_L1);
    assert_int_equal(sample.access.latency, LATENCY_UNKNOWN);
    assert_false(sample.access.source.load || sample.access.source.locked || sample.kernel);
    made.operation = 0x06; /* an atomic load */
    assert_true(read_spe(&made, true).access.source.load && read_spe(&made, true).access.source.locked);
    made.operation = 0x12; /* acquires, no more */
    assert_false(read_spe(&made, true).access.source.locked);
    made.operation = 0x04; /* of a register for vectors */
    assert_false(read_spe(&made, true).access.source.locked);
    made.address = UINT64_C(0x00ff800000001000);
    assert_int_equal(read_spe(&made, true).access.address, UINT64_C(0xffff800000001000));
}

/* Padding, alignment and records of other instructions stand between accesses; long headers are read. */
static void others_of_spe(void **state)
{
    (void)state;
    const struct spe_made made = {0, 1 << 2, ADDRESS, -1, 4, false};
    struct bytes bytes = {.n = 0};
    struct spe_sample sample;
    put(&bytes, 0, 3);
    put(&bytes, 0xb0, 1); /* a branch: where it is, its target */
    put(&bytes, IP, 8);
    put(&bytes, 0x4a, 1);
    put(&bytes, 1, 1);
    put(&bytes, 0xb1, 1);
    put(&bytes, IP + 64, 8);
    put(&bytes, 0x71, 1);
    put(&bytes, TIME, 8);
    put(&bytes, 0x23, 1); /* alignment to 16 bytes */
    put(&bytes, 0, 1);
    while (bytes.n % 16 != 0)
        put(&bytes, 0, 1);
    put(&bytes, 0x21, 1); /* a counter with a long index: number 8, of which nothing is known */
    put(&bytes, 0x98, 1);
    put(&bytes, 7777, 2);
    put_spe(&bytes, &made);
    struct spe_packets packets = {bytes.byte, bytes.byte + bytes.n, false, 0};
    assert_true(spe_next(&packets, &sample));
    assert_int_equal(sample.access.address, ADDRESS);
    assert_int_equal(sample.access.latency, 4);
    assert_false(spe_next(&packets, &sample));
    assert_int_equal(packets.lost, 0);
}

/* A record that is cut gives no sample, and one with a byte that is no packet is lost, alone. */
static void damaged_spe(void **state)
{
    (void)state;
    const struct spe_made made = {0, 1 << 2, ADDRESS, 0, 4, false};
    struct bytes whole = {.n = 0};
    struct spe_sample sample;
    put_spe(&whole, &made);
    for (size_t n = 0; n < whole.n; n++) {
        struct spe_packets packets = {whole.byte, whole.byte + n, true, 0};
        assert_false(spe_next(&packets, &sample));
        assert_int_equal(packets.lost, n > 0);
    }
    struct bytes damaged = {.n = 0};
    put_spe(&damaged, &made);
    size_t first = damaged.n;
    put(&damaged, 0xff, 1);
    put_spe(&damaged, &made);
    put_spe(&damaged, &made);
    struct spe_packets packets = {damaged.byte, damaged.byte + damaged.n, true, 0};
    assert_true(spe_next(&packets, &sample));
    assert_ptr_equal(packets.next, damaged.byte + first);
    assert_true(spe_next(&packets, &sample));
    assert_ptr_equal(packets.next, packets.end);
    assert_int_equal(packets.lost, 1);
    assert_false(spe_next(&packets, &sample));
}

static void all_have_names(void **state)
{
    (void)state;
    for (int i = 0; i < MEMORY_LEVELS; i++) {
        assert_non_null(memory_level_keys[i]);
        assert_non_null(memory_level_names[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(data_sources),           cmocka_unit_test(weight_of_three_numbers),
        cmocka_unit_test(stores_have_no_latency), cmocka_unit_test(nothing_is_invented),
        cmocka_unit_test(fields_are_in_order),    cmocka_unit_test(lengths_are_checked),
        cmocka_unit_test(registers_of_ibs),       cmocka_unit_test(others_of_ibs),
        cmocka_unit_test(packets_of_spe),         cmocka_unit_test(addresses_and_stores_of_spe),
        cmocka_unit_test(others_of_spe),          cmocka_unit_test(damaged_spe),
        cmocka_unit_test(all_have_names),         cmocka_unit_test(more_of_ibs),
        cmocka_unit_test(fetches_of_ibs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

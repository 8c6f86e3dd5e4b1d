/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Fuzzes the readers of sampled accesses. The input has a byte that says whose bytes follow (0: SPE's, 1: the
 * kernel's, 2: the kernel's with registers of IBS, 3: those of a fetch; 4 more: the sources of SPE are
 * known), for the kernel eight bytes of the sample_type, and the bytes.
 */
#include "formats/ibs_registers.h"
#include "formats/spe_packets.h"
#include "fuzz.h"
#include "profile/memory_samples.h"

static void check(enum memory_level level, enum memory_tlb tlb, int32_t latency)
{
    REQUIRE(level < MEMORY_LEVELS);
    REQUIRE(tlb < TLB_KINDS);
    REQUIRE(latency == LATENCY_UNKNOWN || latency > 0);
}

static void check_access(const struct sampled_access *access)
{
    check(access->source.level, access->source.tlb, access->latency);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_bytes bytes = {data, data + size};
    unsigned way = (unsigned)fuzz_number(&bytes, 1);
    struct memory_sample sample;
    struct spe_sample packet;
    struct sampled_access access;
    size_t n = 0;
    if (way % 4 == 3) {
        if (ibs_fetch_read(bytes.next, (size_t)(bytes.end - bytes.next), &access))
            check_access(&access);
        return 0;
    }
    if (way % 4 > 0) {
        uint64_t type = fuzz_number(&bytes, 8);
        if (memory_sample_read(bytes.next, (size_t)(bytes.end - bytes.next), type, way % 4 == 2, &sample) ==
            MEMORY_ACCESS)
            check(sample.level, sample.tlb, sample.latency);
        return 0;
    }
    struct spe_packets packets = {bytes.next, bytes.end, (way & 4) != 0, 0};
    while (spe_next(&packets, &packet)) {
        check_access(&packet.access);
        n++;
    }
    REQUIRE(packets.next == packets.end);
    REQUIRE(n + packets.lost <= size);
    return 0;
}

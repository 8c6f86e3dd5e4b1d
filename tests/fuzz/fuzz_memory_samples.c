/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Fuzzes the readers of sampled accesses. The input has a byte that says whose bytes follow (0: SPE's, 1: the
 * kernel's, 2: the kernel's with registers of IBS; 4 more: the sources of SPE are known), for the kernel
 * eight bytes of the sample_type, and the bytes.
 */
#include "fuzz.h"
#include "profile/memory_samples.h"

static void check(const struct memory_sample *sample)
{
    REQUIRE(sample->level < MEMORY_LEVELS);
    REQUIRE(sample->tlb < TLB_KINDS);
    REQUIRE(sample->latency == LATENCY_UNKNOWN || sample->latency > 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_bytes bytes = {data, data + size};
    unsigned way = (unsigned)fuzz_number(&bytes, 1);
    struct memory_sample sample;
    size_t n = 0;
    if (way % 4 % 3 > 0) {
        uint64_t type = fuzz_number(&bytes, 8);
        if (memory_sample_read(bytes.next, (size_t)(bytes.end - bytes.next), type, way % 4 == 2, &sample) ==
            MEMORY_ACCESS)
            check(&sample);
        return 0;
    }
    struct spe_packets packets = {bytes.next, bytes.end, (way & 4) != 0, 0};
    while (spe_next(&packets, &sample)) {
        check(&sample);
        n++;
    }
    REQUIRE(packets.next == packets.end);
    REQUIRE(n + packets.lost <= size);
    return 0;
}

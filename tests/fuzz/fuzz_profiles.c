/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Fuzzes where an address belongs: the buckets of histograms, whose regions and samples the input has; and,
 * behind
 * "%%", the /proc/self/maps and /proc/self/status from which a program's name and memory are.
 */
#include "core/overflow.h"
#include "fuzz.h"
#include "hardware/hardware.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_REGIONS = 4, MOST_SAMPLES = 64, MOST_BYTES = 256 };

/* An address near one that matters. */
static uint64_t address(struct fuzz_bytes *bytes)
{
    static const uint64_t places[] = {0, 0x1000, 0x400000, 0x7fffffffffff, 0xffffffffffffffff, 1ull << 46};
    unsigned choice = (unsigned)fuzz_number(bytes, 1);
    if (choice / 16 < sizeof places / sizeof *places)
        return places[choice / 16] + (uint64_t)(int8_t)fuzz_number(bytes, 1) * (choice % 16);
    return fuzz_number(bytes, 8);
}

/* As papi.h has it: the bucket of an address, or -1. */
static __int128 bucket_of(const PAPI_sprofil_t *region, uint64_t at, unsigned bucket_size)
{
    __int128 distance = (__int128)at - (uintptr_t)region->pr_off;
    if (distance < 0)
        return -1;
    if (region->pr_scale == 2)
        return 0;
    __int128 bucket = distance * region->pr_scale / 65536 / 2;
    return bucket < region->pr_size / bucket_size ? bucket : -1;
}

static uint64_t value_at(const void *base, __int128 bucket, unsigned size)
{
    uint64_t value = 0;
    memcpy(&value, (const char *)base + (size_t)bucket * size, size);
    return value;
}

static void sample(struct profile *profile, const PAPI_sprofil_t *regions, int n, int flags, unsigned size,
                   struct fuzz_bytes *bytes)
{
    uint64_t at = address(bytes), weight = fuzz_number(bytes, 2), before = 0;
    __int128 bucket = -1;
    int i = 0;
    while (i < n && (bucket = bucket_of(&regions[i], at, size)) < 0)
        i++;
    if (i < n)
        before = value_at(regions[i].pr_base, bucket, size);
    profile_sample(profile, at, weight);
    if (i == n)
        return;
    uint64_t after = value_at(regions[i].pr_base, bucket, size), most = ~0ull >> (64 - 8 * size);
    uint64_t added = (flags & PAPI_PROFIL_WEIGHTED) != 0 ? weight : 1;
    if ((flags & (PAPI_PROFIL_RANDOM | PAPI_PROFIL_COMPRESS)) == 0)
        REQUIRE(after == (most - before < added ? most : before + added));
    else
        REQUIRE(after >= before);
}

static void check_histograms(struct fuzz_bytes *bytes)
{
    PAPI_sprofil_t region[MOST_REGIONS];
    int n = 1 + (int)fuzz_number(bytes, 1) % MOST_REGIONS, flags = (int)fuzz_number(bytes, 1), code = 0;
    struct reason why = {0};
    unsigned size = (flags & PAPI_PROFIL_BUCKET_32) != 0 ? 4 : (flags & PAPI_PROFIL_BUCKET_64) != 0 ? 8 : 2;
    for (int i = 0; i < n; i++) {
        region[i].pr_size = (unsigned)fuzz_number(bytes, 1) % MOST_BYTES;
        region[i].pr_off = (vptr_t)(uintptr_t)address(bytes);
        region[i].pr_scale = (unsigned)fuzz_number(bytes, 3);
        /* The one bucket for the rest is whole, whatever size is given for it. */
        int whole = region[i].pr_scale == 2 && region[i].pr_size < size;
        region[i].pr_base = calloc(1, whole ? size : region[i].pr_size + 1);
    }
    struct profile *profile = profile_create(region, n, flags, &code, &why);
    REQUIRE((profile != NULL) == (code == PAPI_OK));
    if (profile == NULL)
        fuzz_reason(why.text);
    for (int i = 0; profile != NULL && i < MOST_SAMPLES && bytes->next < bytes->end; i++)
        sample(profile, region, n, flags, size, bytes);
    profile_free(profile);
    for (int i = 0; i < n; i++)
        free(region[i].pr_base);
}

static void check_process(const uint8_t *maps, size_t size)
{
    PAPI_exe_info_t info;
    PAPI_dmem_info_t memory;
    memset(&info, 'x', sizeof info);
    fuzz_put("proc/self/maps", maps, size);
    fuzz_put("proc/self/status", maps, size);
    fuzz_put("proc/self/statm", maps, size);
    REQUIRE(executable_fill(fuzz_folder(), &info) == 0);
    REQUIRE(memchr(info.fullname, '\0', sizeof info.fullname) != NULL);
    REQUIRE(memchr(info.address_info.name, '\0', sizeof info.address_info.name) != NULL);
    REQUIRE(strchr(info.address_info.name, '/') == NULL);
    memory_fill(fuzz_folder(), &memory);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *between = size > 0 ? memmem(data, size, "%%", 2) : NULL;
    struct fuzz_bytes bytes = {data, between != NULL ? between : data + size};
    check_histograms(&bytes);
    if (between != NULL)
        check_process(between + 2, (size_t)(data + size - between) - 2);
    return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Translation buffers, of which on x86 the processor itself tells and nothing else does.
 */
#include "hardware/parts.h"

#include <limits.h>

enum { KB = 1024, MB = 1024 * KB, GB = 1024 * MB };
enum { INST = PAPI_MH_TYPE_INST, DATA = PAPI_MH_TYPE_DATA, BOTH = PAPI_MH_TYPE_UNIFIED };

void tlb_add(PAPI_mh_info_t *mh, int level, int type, int page_size, int entries, int ways)
{
    if (level < 1 || level > PAPI_MAX_MEM_HIERARCHY_LEVELS || entries <= 0)
        return;
    PAPI_mh_tlb_info_t *tlb = mh->level[level - 1].tlb;
    for (int i = 0; i < PAPI_MH_MAX_LEVELS; i++) {
        if (PAPI_MH_CACHE_TYPE(tlb[i].type) != PAPI_MH_TYPE_EMPTY)
            continue;
        tlb[i] = (PAPI_mh_tlb_info_t){
            .type = type, .num_entries = entries, .page_size = page_size, .associativity = ways};
        if (mh->levels < level)
            mh->levels = level;
        return;
    }
}

/* ---- AMD */

/* A byte of ways, 255 for full, above a byte of entries. */
static void add_amd_l1(PAPI_mh_info_t *mh, int type, int page_size, unsigned field)
{
    int ways = (int)(field >> 8 & 0xff);
    tlb_add(mh, 1, type, page_size, (int)(field & 0xff), ways == 255 ? INT_MAX : ways);
}

/* Adds a buffer of AMD's form: a code of four bits for the ways above twelve bits of entries. */
static void add_amd_coded(PAPI_mh_info_t *mh, int level, int type, int page_size, unsigned field)
{
    static const int ways[16] = {0, 1, 2, 3, 4, 6, 8, 0, 16, 0, 32, 48, 64, 96, 128, INT_MAX};
    if ((field >> 12 & 0xf) != 0) /* 0: switched off */
        tlb_add(mh, level, type, page_size, (int)(field & 0xfff), ways[field >> 12 & 0xf]);
}

/* Adds AMD's buffers for a page size: instructions in the lower half of each register, data in the upper one;
 * no upper half: one buffer for both. */
static void add_amd_pair(PAPI_mh_info_t *mh, int level, int page_size, unsigned value)
{
    bool both = value >> 16 == 0;
    add_amd_coded(mh, level, both ? BOTH : INST, page_size, value & 0xffff);
    add_amd_coded(mh, level, DATA, page_size, value >> 16);
}

void tlb_from_amd(PAPI_mh_info_t *mh, const struct cpuid_leaf *leaf5, const struct cpuid_leaf *leaf6,
                  const struct cpuid_leaf *leaf19)
{
    add_amd_l1(mh, INST, 4 * KB, leaf5->ebx & 0xffff);
    add_amd_l1(mh, DATA, 4 * KB, leaf5->ebx >> 16);
    add_amd_l1(mh, INST, 2 * MB, leaf5->eax & 0xffff);
    add_amd_l1(mh, DATA, 2 * MB, leaf5->eax >> 16);
    add_amd_pair(mh, 1, GB, leaf19->eax);
    add_amd_pair(mh, 2, 4 * KB, leaf6->ebx);
    add_amd_pair(mh, 2, 2 * MB, leaf6->eax);
    add_amd_pair(mh, 2, GB, leaf19->ebx);
}

/* ---- Intel */

/* Adds a buffer of Intel's leaf 18; one for pages of several sizes has a row for each. */
void tlb_from_intel(PAPI_mh_info_t *mh, const struct cpuid_leaf *leaf18)
{
    static const int types[] = {PAPI_MH_TYPE_EMPTY, DATA, INST, BOTH, DATA /* loads */, DATA /* stores */};
    static const int page_sizes[] = {4 * KB, 2 * MB, 4 * MB, GB};
    unsigned type = leaf18->edx & 0x1f, level = leaf18->edx >> 5 & 7;
    unsigned ways = leaf18->ebx >> 16, sets = leaf18->ecx;
    bool full = leaf18->edx >> 8 & 1;
    if (type == 0 || type >= sizeof types / sizeof types[0] || ways == 0 || sets == 0 ||
        sets > INT_MAX / ways)
        return;
    for (int i = 0; i < 4; i++)
        if (leaf18->ebx >> i & 1)
            tlb_add(mh, (int)level, types[type], page_sizes[i], (int)(ways * sets),
                    full ? INT_MAX : (int)ways);
}

/* The meanings of leaf 2's bytes, as Intel's manual lists them. */
static const struct descriptor {
    unsigned char byte;
    signed char level;
    int type, page_size, entries, ways;
} descriptors[] = {
    {0x01, 1, INST, 4 * KB, 32, 4},
    {0x02, 1, INST, 4 * MB, 2, INT_MAX},
    {0x03, 1, DATA, 4 * KB, 64, 4},
    {0x04, 1, DATA, 4 * MB, 8, 4},
    {0x05, 2, DATA, 4 * MB, 32, 4},
    {0x0b, 1, INST, 4 * MB, 4, 4},
    {0x4f, 1, INST, 4 * KB, 32, 0},
    {0x50, 1, INST, 4 * KB, 64, 0},
    {0x51, 1, INST, 4 * KB, 128, 0},
    {0x52, 1, INST, 4 * KB, 256, 0},
    {0x55, 1, INST, 2 * MB, 7, INT_MAX},
    {0x56, 1, DATA, 4 * MB, 16, 4},
    {0x57, 1, DATA, 4 * KB, 16, 4},
    {0x59, 1, DATA, 4 * KB, 16, INT_MAX},
    {0x5a, 1, DATA, 2 * MB, 32, 4},
    {0x5b, 1, DATA, 4 * KB, 64, 0},
    {0x5c, 1, DATA, 4 * KB, 128, 0},
    {0x5d, 1, DATA, 4 * KB, 256, 0},
    {0x61, 1, INST, 4 * KB, 48, INT_MAX},
    {0x63, 1, DATA, 2 * MB, 32, 4},
    {0x63, 1, DATA, GB, 4, 4},
    {0x64, 1, DATA, 4 * KB, 512, 4},
    {0x6a, 1, DATA, 4 * KB, 64, 8},
    {0x6b, 1, DATA, 4 * KB, 256, 8},
    {0x6c, 1, DATA, 2 * MB, 128, 8},
    {0x6d, 1, DATA, GB, 16, INT_MAX},
    {0x76, 1, INST, 2 * MB, 8, INT_MAX},
    {0xa0, 1, DATA, 4 * KB, 32, INT_MAX},
    {0xb0, 1, INST, 4 * KB, 128, 4},
    {0xb1, 1, INST, 2 * MB, 8, 4},
    {0xb2, 1, INST, 4 * KB, 64, 4},
    {0xb3, 1, DATA, 4 * KB, 128, 4},
    {0xb4, 2, DATA, 4 * KB, 256, 4},
    {0xb5, 1, INST, 4 * KB, 64, 8},
    {0xb6, 1, INST, 4 * KB, 128, 8},
    {0xba, 2, DATA, 4 * KB, 64, 4},
    {0xc0, 1, DATA, 4 * KB, 8, 4},
    {0xc1, 2, BOTH, 4 * KB, 1024, 8},
    {0xc1, 2, BOTH, 2 * MB, 1024, 8},
    {0xc2, 1, DATA, 4 * KB, 16, 4},
    {0xc2, 1, DATA, 2 * MB, 16, 4},
    {0xc3, 2, BOTH, 4 * KB, 1536, 6},
    {0xc3, 2, BOTH, 2 * MB, 1536, 6},
    {0xc3, 2, BOTH, GB, 16, 4},
    {0xc4, 1, DATA, 2 * MB, 32, 4},
    {0xca, 2, BOTH, 4 * KB, 512, 4},
};

static void add_descriptor(PAPI_mh_info_t *mh, unsigned char byte)
{
    for (size_t i = 0; i < sizeof descriptors / sizeof descriptors[0]; i++) {
        const struct descriptor *d = &descriptors[i];
        if (d->byte == byte)
            tlb_add(mh, d->level, d->type, d->page_size, d->entries, d->ways);
    }
}

/* Adds the buffers of leaf 2's descriptors: each register with bit 31 unset has four of them; the lowest byte
 * of the first counts calls. */
void tlb_from_descriptors(PAPI_mh_info_t *mh, const struct cpuid_leaf *leaf2)
{
    const unsigned registers[] = {leaf2->eax & ~0xffu, leaf2->ebx, leaf2->ecx, leaf2->edx};
    for (int i = 0; i < 4; i++)
        for (int byte = 0; byte < 4 && registers[i] >> 31 == 0; byte++)
            add_descriptor(mh, registers[i] >> (8 * byte) & 0xff);
}

/* ---- this machine */

/* Fills in the TLBs from leaf 18, or, if that has none, as on older processors, from the bytes of leaf 2. */
static void fill_intel(PAPI_mh_info_t *mh)
{
    enum { MAX_SUBLEAVES = 64 };
    struct cpuid_leaf leaf;
    bool found = false;
    unsigned last = cpuid_leaf(0x18, 0, &leaf) ? leaf.eax : 0;
    for (unsigned i = 0; i <= last && i < MAX_SUBLEAVES && cpuid_leaf(0x18, i, &leaf); i++) {
        found = found || (leaf.edx & 0x1f) != 0;
        tlb_from_intel(mh, &leaf);
    }
    if (!found && cpuid_leaf(2, 0, &leaf))
        tlb_from_descriptors(mh, &leaf);
}

void tlb_fill(PAPI_hw_info_t *info)
{
    struct cpuid_leaf leaf5, leaf6, leaf19;
    if (info->vendor == PAPI_VENDOR_INTEL) {
        fill_intel(&info->mem_hierarchy);
    } else if (info->vendor == PAPI_VENDOR_AMD && cpuid_leaf(0x80000005, 0, &leaf5) &&
               cpuid_leaf(0x80000006, 0, &leaf6)) {
        cpuid_leaf(0x80000019, 0, &leaf19);
        tlb_from_amd(&info->mem_hierarchy, &leaf5, &leaf6, &leaf19);
    }
}

/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PAPI_EVENTS_PRESET_LIST_H
#define PAPI_EVENTS_PRESET_LIST_H

/* Every preset that the interface names, whether this machine counts it or not. What it counts on a
 * processor is in presets/ *.csv. */

#define PRESET_COUNT 110

/* What a preset is about: PAPI_event_info_t.event_type. */
enum preset_category {
    PRESET_INSTRUCTION = 0x1,
    PRESET_STALL = 0x2, /* idle and stalled cycles */
    PRESET_BRANCH = 0x4,
    PRESET_STORE = 0x8, /* conditional stores */
    PRESET_MEMORY = 0x10,
    PRESET_COHERENCE = 0x20, /* requests between caches */
    PRESET_L1 = 0x40,
    PRESET_L2 = 0x80,
    PRESET_L3 = 0x100,
    PRESET_TLB = 0x200,
    PRESET_FLOAT = 0x400
};

struct preset_name {
    const char *symbol;      /* "PAPI_TOT_INS" */
    const char *short_descr; /* a few words, less than PAPI_MIN_STR_LEN */
    const char *long_descr;  /* a sentence */
    unsigned category;       /* enum preset_category */
};

/* The index is the event code without PAPI_PRESET_MASK. */
extern const struct preset_name preset_list[PRESET_COUNT];

#endif

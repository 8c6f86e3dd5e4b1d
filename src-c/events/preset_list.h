/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/* Every preset that the interface names, whether this machine counts it or not. What it counts on a
 * processor is in presets/ *.csv. */

#define PRESET_COUNT 110

struct preset_name {
    const char *symbol;      /* "PAPI_TOT_INS" */
    const char *short_descr; /* a few words, less than PAPI_MIN_STR_LEN */
    const char *long_descr;  /* a sentence */
    unsigned category;       /* PAPI_PRESET_BIT_* */
};

/* The index is the event code without PAPI_PRESET_MASK. */
extern const struct preset_name preset_list[PRESET_COUNT];

/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/reason.h"
#include "hardware/hardware.h"
#include <stdbool.h>

/* CPU rows that name a processor which libpfm4 does not know, by what the kernel says of it:
 *
 *   x86:GenuineIntel:6:0xad|0xae       vendor, family and models of cpuid; its PMU is called "cpu"
 *   x86:GenuineIntel:6:0x97:cpu_atom   the cores of a hybrid processor that have this PMU
 *   arm64:0x41:0xd4f                   implementer and parts of the main ID register, any PMU
 *   riscv64:0x489:0x7                  JEDEC number of the vendor and the lower 16 bits of marchid, any PMU
 *   ppc64:0x82:*                       upper and lower half of the processor version register, any PMU
 *   sysfs:armv8_*                      every processor whose cores have a PMU of this name
 *
 * Models, parts and PMUs are lists with "|" between them: numbers, ranges (0x40-0x4f), names with *
 * at the end; * alone is any. */

/* The PMU of some cores, as sysfs has it, and which processor those are. */
struct core_pmu {
    char name[64]; /* "cpu", "cpu_atom", "armv8_cortex_a72" */
    struct processor_id id;
};

/* Ranks of CPU rows by how closely they match the PMU; tables of a closer one go before the others'. */
enum rule_rank { RULE_NONE, RULE_PMU, RULE_PROCESSOR, RULE_NAME /* libpfm4's, and no rule */ };

/* True if a CPU row's name has the form of a rule, right or wrong. */
bool rule_has_form(const char *name);

/* PAPI_EINVAL with the reason for one that is wrong. */
int rule_check(const char *name, struct reason *why);

enum rule_rank rule_matches(const char *name, const struct core_pmu *core);

/* Native events in the tables below such rows: "/event=0xc7,umask=0x01/" is one of the PMU that the row
 * matched, in the kernel's spelling. PAPI_EINVAL: it is not spelled so. */
bool rule_native_has_form(const char *native);
int rule_native_check(const char *native, struct reason *why);

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Values that a test sets in rocm_smi_double.c and amd_smi_double.c, which stand for libraries of AMD.
 */
#pragma once

enum { AMD_DEVICES = 2 };

struct amd_double {
    int init_result;
    unsigned count; /* of devices: from the third on, they are the second one */
    int started;    /* inits less shutdowns */
    int questions_of_a_second;
    struct {
        int result; /* of all questions about the device */
        unsigned long long cap, energy, throughput, corrected;
        float resolution;
        unsigned busy, power, average;
        long long temperature;
        int clock, form; /* of frequencies, or power: the old structure or the new one */
    } device[AMD_DEVICES];
};

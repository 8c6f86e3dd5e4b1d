/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The second CPU of a node, which is switched off and on, and the choice of one to run on.
 */
#pragma once

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

static void switch_cpu(int on)
{
    FILE *file = fopen("/sys/devices/system/cpu/cpu1/online", "w");
    if (file == NULL) {
        printf("SKIP: CPU 1 cannot be switched off here\n");
        exit(77);
    }
    fprintf(file, "%d\n", on);
    if (fclose(file) != 0) {
        perror("/sys/devices/system/cpu/cpu1/online");
        exit(1);
    }
}

static void run_on(int cpu)
{
    cpu_set_t cpus;
    CPU_ZERO(&cpus);
    CPU_SET(cpu, &cpus);
    if (sched_setaffinity(0, sizeof cpus, &cpus) != 0) {
        perror("sched_setaffinity");
        exit(1);
    }
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "events/source.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define MODIFIER ":cpu="

int take_cpu(const char *name, char *without, size_t size, int *cpu, struct reason *why)
{
    const char *found = strstr(name, MODIFIER), *number = found != NULL ? found + strlen(MODIFIER) : NULL;
    char *end;
    if (strlen(name) >= size)
        return reason_set(why, PAPI_ENOEVNT, "no event has a name of %zu characters", strlen(name));
    strcpy(without, name);
    if (found == NULL)
        return 0;
    long value = strtol(number, &end, 10);
    if (number[0] < '0' || number[0] > '9' || (*end != '\0' && *end != ':') || value > INT_MAX)
        return reason_set(why, PAPI_ENOEVNT, "\"%.100s\": the number of a CPU belongs behind \"cpu=\"", name);
    strcpy(without + (found - name), end);
    *cpu = (int)value;
    return 1;
}

int cpu_of_a_thread(const char *name, struct reason *why)
{
    return reason_set(why, PAPI_ENOEVNT,
                      "\"%.100s\" has a modifier that is not part of an event here: leave it out; "
                      "PAPI_overflow takes the "
                      "period, PAPI_set_opt with PAPI_CPU_ATTACH the processor",
                      name);
}

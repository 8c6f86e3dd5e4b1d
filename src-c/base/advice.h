/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <string.h>

/* The advice of a reason (base/reason.h), from which a sentence is made when somebody reads it. */
enum {
    ADVICE_PRESET = 0xff,   /* the index of a preset and 1; 0: of none */
    ADVICE_NATIVE = 0x100,  /* a native event was asked for, which the preset counts, too */
    ADVICE_UNKNOWN = 0x400, /* there is no event of the name, which the thread keeps (core/thread.h) */
    ADVICE_BLIND = 0x200,   /* the processor's counters are shown to nobody here, or not to this user */
};

/* The words between the reason why an event is not counted and the commands that would count it all the same
 * (core/advice.c). */
#define ADVICE_BEGINS "; to have it counted here, "

/* The reasons with advice that a report has printed; begins as zeroes. They must stay. */
struct advice_said {
    int n;
    const char *reason[8];
};

/* The number of characters of a reason to print in a report that has the reasons of several events: without
 * the advice at its end where an earlier one had the same. */
static inline int advice_length(const char *reason, struct advice_said *said)
{
    const char *advice = strstr(reason, ADVICE_BEGINS);
    int i = 0;
    if (advice == NULL)
        return (int)strlen(reason);
    while (i < said->n && strcmp(strstr(said->reason[i], ADVICE_BEGINS), advice) != 0)
        i++;
    if (i < said->n)
        return (int)(advice - reason);
    if (said->n < (int)(sizeof said->reason / sizeof said->reason[0]))
        said->reason[said->n++] = reason;
    return (int)strlen(reason);
}

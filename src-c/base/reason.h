/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* The reason of a failure: a PAPI_E* code and a sentence for the person at the terminal. Each layer fills the
 * one that its caller passes down; the thread keeps the last. */
struct reason {
    int code;
    int fresh;  /* set by this call, not left over from an earlier one */
    int advice; /* a way to count the event all the same: ADVICE_*; 0: none is known */
    char text[512];
};

/* Writes the reason, made visible (base/visible.h), and returns the code, so that a failing path is one line.
 * why may be NULL. */
int reason_set(struct reason *why, int code, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Says that the processor's counters are shown to nobody here, or not to this user. Returns the code. */
int reason_blind(struct reason *why, int code);

/* Says that others have the counters. Returns the code. */
int reason_held(struct reason *why, int code);

/* Adds to the sentence of a reason, as far as there is room. why may be NULL. */
void reason_add(struct reason *why, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Gives a reason on, and returns its code. PAPI_OK goes on too, and changes nothing. */
int reason_pass(const struct reason *from, struct reason *why);

/* A reason that is kept for long, one for each of many things: it takes as much memory as its sentence, and
 * none where there is no reason. Begins as NULL, and is freed. */
struct kept_reason {
    int code, advice;
    char text[];
};

/* Keeps a reason in place of the one before; PAPI_OK: none. PAPI_ENOMEM: the one before stays. */
int reason_keep(struct kept_reason **kept, const struct reason *why);

/* Gives a kept reason on, and returns its code; NULL: PAPI_OK. */
int reason_pass_kept(const struct kept_reason *kept, struct reason *why);

/* Begins a reason that is to be filled. Its text is not cleared, which would cost more than many a call. */
static inline void reason_begin(struct reason *why)
{
    why->code = why->fresh = why->advice = 0;
    why->text[0] = '\0';
}

/* True for errors that may not come again: for lack of memory or a descriptor, or an interruption. They say
 * nothing about the machine: that is another answer than "not there", and is not remembered. error: errno;
 * code: PAPI's. */
bool error_passes(int error);
bool code_passes(int code);

/* PAPI_ENOMEM or PAPI_ESYS for errno, with a reason that names what was read; errno stays. */
int reason_unreadable(const char *what, struct reason *why);

/* The advice of a reason, from which a sentence is made when somebody reads it. */
enum {
    ADVICE_PRESET = 0xff,   /* the index of a preset and 1; 0: of none */
    ADVICE_NATIVE = 0x100,  /* a native event was asked for, which the preset counts, too */
    ADVICE_UNKNOWN = 0x400, /* there is no event of the name, which the thread keeps (core/thread.h) */
    ADVICE_HELD = 0x800,    /* others have the counters */
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

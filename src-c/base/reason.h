/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* The reason of a failure: a PAPI_E* code and a sentence for the person at the terminal. Each layer fills the
 * one that its caller passes down; the thread keeps the last. */
struct reason {
    int code;
    int fresh;  /* set by this call, not left over from an earlier one */
    int advice; /* a way to count the event all the same: base/advice.h; 0: none is known */
    char text[512];
};

/* Writes the reason, made visible (base/visible.h), and returns the code, so that a failing path is one line.
 * why may be NULL. */
int reason_set(struct reason *why, int code, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Says that the processor's counters are shown to nobody here, or not to this user. Returns the code. */
int reason_blind(struct reason *why, int code);

/* Adds to the sentence of a reason, as far as there is room. why may be NULL. */
void reason_add(struct reason *why, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Gives a reason on, and returns its code. PAPI_OK goes on too, and changes nothing. */
int reason_pass(const struct reason *from, struct reason *why);

/* True for errors that may not come again: for lack of memory or a descriptor, or an interruption. They say
 * nothing about the machine: that is another answer than "not there", and is not remembered. error: errno;
 * code: PAPI's. */
bool error_passes(int error);
bool code_passes(int code);

/* PAPI_ENOMEM or PAPI_ESYS for errno, with a reason that names what was read; errno stays. */
int reason_unreadable(const char *what, struct reason *why);

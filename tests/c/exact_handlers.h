/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Signal handlers that count what they interrupt, where counts are exact: a program calls a function of known
 * work under a timer, and its handlers read, reset, stop, start and accumulate its event set and their own.
 */
#pragma once

enum { EXACT_EVENTS = 3 };

struct exact_work {
    const char *event[EXACT_EVENTS]; /* the first is exact: handlers do none of it */
    void (*work)(void);
    long long each[EXACT_EVENTS]; /* of one call: of the first all, of the others at least */
    void (*between)(void);        /* what the program does beside, none of the first event; or NULL */
    int interval;                 /* of the timer, in us: longer than a handler takes */
    int run_ms;                   /* for each kind of handler */
};

/* All kinds of handlers, one after the other. */
void exact_handlers(const struct exact_work *of);

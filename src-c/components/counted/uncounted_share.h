/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

/* Samples of where the processor's time goes: timers of processor time interrupt the threads that are
 * sampled, by SIGPROF, and where each was is noted. What of it ran in code that counts itself (counted
 * builds) is looked up at the end. All state is the caller's, so that there may be several in a process,
 * though one signal serves but one of them. */

struct sampler;

/* A routine that does not count itself. */
struct sampler_row {
    const char *library; /* or program: the file's name as it was loaded */
    const char *routine; /* NULL: those for which the library exports no name */
    unsigned samples, of_library;
};

struct sampler_result {
    unsigned samples, counted; /* all, and those in code that counts itself */
    unsigned apart;            /* while the number of sampler_apart was not negative: in neither */
    unsigned lost;             /* found no room */
    bool replaced;             /* the program has taken the signal meanwhile: there may be too few */
    struct sampler_row
        *row; /* those of a library together; first the library with most samples, and its routine */
    size_t n;
};

/* Takes SIGPROF. NULL with errno: EBUSY where the program has a handler for it, or ENOMEM. */
struct sampler *sampler_make(void);

/* What is sampled while this number is not negative is counted apart, without its place. It stays where it is
 * until the timers have ended; before the first of them. */
void sampler_apart(struct sampler *sampler, const int32_t *number);

/* The calling thread from now on, or all threads of the process together; the timer ends with
 * sampler_end_timer, and does not outlive an execve. False with errno. */
bool sampler_thread(struct sampler *sampler, timer_t *timer);
bool sampler_process(struct sampler *sampler, timer_t *timer);
void sampler_end_timer(timer_t timer);

/* Once, when all timers have ended: gives the signal back, and says what was found. False: out of memory. The
 * result is freed with the sampler. */
bool sampler_look(struct sampler *sampler, struct sampler_result *result);
/* Any timer must have ended. NULL is allowed. */
void sampler_free(struct sampler *sampler);

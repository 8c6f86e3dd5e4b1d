/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
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

/* Creates a sampler, which takes SIGPROF. NULL with errno: EBUSY where the program has a handler for that
 * signal, or ENOMEM. */
struct sampler *sampler_make(void);

/* Has samples be counted apart, without their place, while a number is not negative. The number must stay
 * where it is until the timers have ended. To be called before the first timer. */
void sampler_apart(struct sampler *sampler, const int32_t *number);

/* Starts a timer that samples the calling thread, or all threads of the process together. It ends with
 * sampler_end_timer, and at an execve. False with errno. */
bool sampler_thread(struct sampler *sampler, timer_t *timer);
bool sampler_process(struct sampler *sampler, timer_t *timer);
void sampler_end_timer(timer_t timer);

/* Ends the sampling, once all timers have ended: gives the signal back and finds out where the samples are.
 * False: out of memory. The result is freed with the sampler. */
bool sampler_look(struct sampler *sampler, struct sampler_result *result);
/* Frees a sampler, of which every timer must have ended. NULL is allowed. */
void sampler_free(struct sampler *sampler);

/* True if a library is one of linear algebra by its path: then a counted one can be linked instead. */
static inline bool counted_linear_algebra(const char *library)
{
    static const char *const words[] = {"blas", "lapack", "mkl", "blis", "atlas"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strstr(library, words[i]) != NULL)
            return true;
    return false;
}

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * papi_counted --share: preloaded into a program, says at its end how much of its processor time ran in code
 * that counts itself, and where the rest was.
 */
#include "components/counted/uncounted_share.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { MOST_ROWS = 12 };

static struct {
    struct sampler *sampler;
    timer_t timer;
    pid_t pid; /* 0: nothing is sampled */
} share;

/* A timer of this kind ends with the process that executes another program, and its children have none. */
static __attribute__((constructor)) void begin(void)
{
    share.sampler = sampler_make();
    if (share.sampler != NULL && sampler_process(share.sampler, &share.timer))
        share.pid = getpid();
    else
        fprintf(stderr, "papi_counted --share: no timer can be had (%s): nothing is sampled\n",
                strerror(errno));
}

enum { FEW = 100, TOO_FEW = 10 }; /* samples: the last for an advice */

static void print_rows(const struct sampler_result *result)
{
    unsigned rest = 0;
    for (size_t i = 0; i < result->n; i++) {
        const struct sampler_row *row = &result->row[i];
        if (i < MOST_ROWS)
            fprintf(stderr, "  %5.1f %%  %s in %s\n", 100.0 * row->samples / result->samples,
                    row->routine != NULL ? row->routine : "(no name)", row->library);
        else
            rest += row->samples;
    }
    if (rest > 0)
        fprintf(stderr, "  %5.1f %%  other routines\n", 100.0 * rest / result->samples);
}

static void print(const struct sampler_result *result)
{
    fprintf(stderr,
            "\npapi_counted --share: %.1f %% of the processor time, by %u samples%s, ran in code that counts "
            "itself\n",
            result->samples > 0 ? 100.0 * result->counted / result->samples : 0.0, result->samples,
            result->samples < FEW ? ", which are few" : "");
    if (result->lost > 0)
        fprintf(stderr, "  %u more samples found no room\n", result->lost);
    if (result->replaced)
        fputs("  the program has taken SIGPROF for itself: there are too few samples\n", stderr);
    if (result->samples == result->counted)
        return;
    fputs("not counted:\n", stderr);
    print_rows(result);
    if (result->samples < TOO_FEW)
        return;
    fputs("To have it counted: build it with papi_counted, too, or run the program once under papi_emulate.\n"
          "papi_counted --report PROGRAM names functions that do arithmetic there.\n",
          stderr);
}

static __attribute__((destructor)) void end(void)
{
    struct sampler_result result;
    if (share.pid != getpid())
        return;
    sampler_end_timer(share.timer);
    if (sampler_look(share.sampler, &result))
        print(&result);
}

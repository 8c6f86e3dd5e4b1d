/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A counted program counts the code that papi_counted has built. Beside its report stands how much of the
 * processor's time was in other code, and where: of the threads that have regions, from their first region
 * on. A timer of each thread's processor time interrupts it now and then.
 */
#include "base/visible.h"
#include "components/counted/counted_advice.h"
#include "components/counted/uncounted_share.h"
#include "highlevel/regions.h"

#include <errno.h>
#include <string.h>

/* Threads with a timer, of which the kernel gives each user so many; libraries of the report and routines of
 * each; and what is too little to be named, in percent. */
enum { MOST_TIMED = 256, MOST_LIBRARIES = 5, MOST_ROUTINES = 3, FEW = 100 };
static const double little = 0.5;

static bool counts_itself(const struct regions *regions)
{
    for (int i = 0; i < regions->n_events; i++)
        if (regions->event[i].set >= 0 && strcmp(regions->event[i].component, "counted") == 0)
            return true;
    return false;
}

static bool has_sampler(struct regions *regions)
{
    if (regions->sampler == NULL && regions->n_timed == 0) {
        regions->sampler = sampler_make();
        if (regions->sampler == NULL) {
            regions->n_timed = -1;
            regions->no_sampler = errno;
        }
    }
    return regions->sampler != NULL && regions->n_timed >= 0 && regions->n_timed < MOST_TIMED;
}

void regions_share_begin(struct region_thread *thread)
{
    struct regions *regions = thread->regions;
    if (thread->timed || !regions->settings.report || !regions->settings.share || !counts_itself(regions))
        return;
    regions_lock(regions);
    if (has_sampler(regions) && sampler_thread(regions->sampler, &thread->timer)) {
        thread->timed = true;
        regions->n_timed++;
    }
    regions_unlock(regions);
}

static void end_timers(const struct regions *regions)
{
    for (struct region_thread *thread = atomic_load(&regions->threads); thread != NULL;
         thread = atomic_load(&thread->next))
        if (thread->timed) {
            sampler_end_timer(thread->timer);
            thread->timed = false;
        }
}

static double percent(unsigned part, const struct sampler_result *result)
{
    return 100.0 * part / result->samples;
}

/* Prints the rows of one library, from the first on. Returns the row after them. */
static size_t print_library(const struct sampler_result *result, size_t first, FILE *out)
{
    const struct sampler_row *row = &result->row[first];
    size_t i = first;
    visible_print(out, "  %5.1f %%  %s", percent(row->of_library, result), row->library);
    for (; i < result->n && strcmp(result->row[i].library, row->library) == 0; i++) {
        double part = percent(result->row[i].samples, result);
        const char *routine = result->row[i].routine;
        if (i - first < MOST_ROUTINES && part >= little)
            visible_print(out, "%s %s %.1f %%", i == first ? ":" : ",",
                          routine != NULL ? routine : "(no name)", part);
    }
    fputc('\n', out);
    return i;
}

static void print_others(const struct sampler_result *result, FILE *out)
{
    bool algebra = false;
    size_t libraries = 0;
    for (size_t i = 0; i < result->n && libraries < MOST_LIBRARIES; libraries++) {
        if (percent(result->row[i].of_library, result) < little)
            break;
        algebra |= counted_linear_algebra(result->row[i].library);
        i = print_library(result, i, out);
    }
    fprintf(out,
            "To have that counted: build it with papi_counted, too%s, or run the program once under "
            "papi_emulate.\n",
            algebra ? " (BLAS and LAPACK: link with counted ones)" : "");
}

static void print_result(const struct sampler_result *result, FILE *out)
{
    fprintf(
        out,
        "\nCounted builds: %.1f %% of the processor time, by %u samples%s, was in code that counts itself\n",
        result->samples > 0 ? percent(result->counted, result) : 0.0, result->samples,
        result->samples < FEW ? ", which are few" : "");
    if (result->lost > 0)
        fprintf(out, "  %u more samples found no room\n", result->lost);
    if (result->replaced)
        fputs("  the program has taken SIGPROF for itself: there are too few samples\n", out);
    if (result->samples > result->counted)
        print_others(result, out);
}

void regions_share_print(struct regions *regions, FILE *out)
{
    struct sampler_result result;
    end_timers(regions);
    if (regions->n_timed > 0 && sampler_look(regions->sampler, &result))
        print_result(&result, out);
    else if (regions->n_timed < 0)
        fprintf(out, "\nCounted builds: the share of the code that counts itself is not known: %s\n",
                regions->no_sampler == EBUSY ? "the program uses SIGPROF" : strerror(regions->no_sampler));
}

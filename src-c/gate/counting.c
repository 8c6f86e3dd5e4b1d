/* SPDX-License-Identifier: BSD-3-Clause */
#include "counting.h"
#include "identity.h"
#include "run.h"
#include "take.h"
#include "tools/common/allocate.h"

#include <inttypes.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Has signals that end this process wait until the files of a run are removed. */
static void hold_signals(sigset_t *before)
{
    sigset_t stops;
    child_stops(&stops);
    sigprocmask(SIG_BLOCK, &stops, before);
}

static char *count_once(struct counting *counting, char *const *command, struct counts *counts)
{
    struct gate_run run = {.command = command,
                           .emulate = counting->emulate,
                           .events = counting->events,
                           .model = counting->model};
    sigset_t before;
    memcpy(run.child.file, counting->file, sizeof run.child.file);
    hold_signals(&before);
    run.child.mask = counting->mask != NULL ? counting->mask : &before;
    char *why = gate_run(&run, counts);
    gate_run_end(&run);
    sigprocmask(SIG_SETMASK, &before, NULL);
    counting->signal = run.child.signal;
    counting->uncounted = run.uncounted;
    return why;
}

/* The place in a file that is standard input: each run begins there. -1: it is another kind of input. */
static off_t place_of_input(const struct counting *counting)
{
    struct stat input;
    if (counting->file[STDIN_FILENO] != 0 || fstat(STDIN_FILENO, &input) != 0 || !S_ISREG(input.st_mode))
        return -1;
    return lseek(STDIN_FILENO, 0, SEEK_CUR);
}

/* The sentence for a result that would compare as if nothing had happened, or could not be kept; NULL. */
static char *refuse(struct counting *counting, const struct counts *counts)
{
    const char *large = counts_too_large(counts);
    if (large != NULL)
        return memory_print("%s is above %" PRIu64 ", which no result can keep: count a shorter run", large,
                            COUNT_MOST);
    counting->uncounted = !counts_any(counts);
    return counting->uncounted ? memory_text("nothing was counted: what was linked by papi_counted has no "
                                             "code that it compiled, or none that ran")
                               : NULL;
}

char *counting_take(struct counting *counting, char *const *command, struct counts *counts)
{
    off_t place = place_of_input(counting);
    char *why = count_once(counting, command, counts);
    for (long long i = 1; i < counting->runs && why == NULL; i++) {
        struct counts again = {.n_events = 0};
        if (place >= 0)
            lseek(STDIN_FILENO, place, SEEK_SET);
        why = count_once(counting, command, &again);
        if (why == NULL)
            counts_widen(counts, &again);
        counts_free(&again);
    }
    if (why != NULL)
        return why;
    take_sources(counts);
    identity_note(counts, command);
    counts_make_readable(counts);
    counts_sort(counts);
    why = refuse(counting, counts);
    if (place >= 0 && why == NULL)
        why = identity_input(counts, INPUT_STANDARD);
    for (int i = 0; i < counting->inputs->n && i < OPTION_MOST_WORDS && why == NULL; i++)
        why = identity_input(counts, counting->inputs->word[i]);
    return why;
}

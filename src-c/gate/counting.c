/* SPDX-License-Identifier: BSD-3-Clause */
#include "counting.h"
#include "identity.h"
#include "run.h"
#include "take.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char *count_once(struct counting *counting, char *const *command, struct counts *counts)
{
    struct gate_run run = {.command = command,
                           .emulate = counting->emulate,
                           .events = counting->events,
                           .model = counting->model};
    memcpy(run.child.file, counting->file, sizeof run.child.file);
    run.child.mask = counting->mask;
    char *why = gate_run(&run, counts);
    gate_run_end(&run);
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
    counts_sort(counts);
    identity_note(counts, command);
    if (place >= 0)
        why = identity_input(counts, INPUT_STANDARD);
    for (int i = 0; i < counting->inputs->n && i < OPTION_MOST_WORDS && why == NULL; i++)
        why = identity_input(counts, counting->inputs->word[i]);
    return why;
}

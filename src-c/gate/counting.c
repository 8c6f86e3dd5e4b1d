/* SPDX-License-Identifier: BSD-3-Clause */
#include "counting.h"
#include "identity.h"
#include "run.h"
#include "take.h"

#include <string.h>

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

char *counting_take(struct counting *counting, char *const *command, struct counts *counts)
{
    char *why = count_once(counting, command, counts);
    for (long long i = 1; i < counting->runs && why == NULL; i++) {
        struct counts again = {.n_events = 0};
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
    for (int i = 0; i < counting->inputs->n && i < OPTION_MOST_WORDS && why == NULL; i++)
        why = identity_input(counts, counting->inputs->word[i]);
    return why;
}

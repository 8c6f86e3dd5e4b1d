/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/perf_event/kept.h"
#include "components/components.h"

#include <stdatomic.h>
#include <stdlib.h>

struct kept_things {
    void *_Atomic place[KEPT_THINGS];
};

void *_Atomic *perf_event_kept(enum kept which)
{
    void *_Atomic *kept = component_kept(&perf_event_component);
    struct kept_things *things = atomic_load(kept);
    void *seen = NULL;
    if (things == NULL && (things = calloc(1, sizeof *things)) != NULL &&
        !atomic_compare_exchange_strong(kept, &seen, things)) {
        free(things);
        things = seen;
    }
    return things != NULL ? &things->place[which] : NULL;
}

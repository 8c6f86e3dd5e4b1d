/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/parking.h"
#include "base/signals.h"

/* One that runs keeps its counters, and may be about to stop; and so does one that is in a call, which a
 * signal's handler has interrupted. */
static bool is_parked(const struct eventset *set)
{
    return set->parked && set->state != PAPI_RUNNING && !set->busy && !set->closed;
}

static void turn_off(struct eventset *set)
{
    uint64_t value[MAX_COUNTERS];
    eventset_take_values(set, value);
    set->parked = 0;
    set->group->ops->stop(set->group, NULL);
    eventset_put_values(set, set->group->n_counters, value);
}

/* A signal's handler may read these sets, whose counts move, and start one: it comes after that. */
static void turn_all_off(struct papi_thread *self, int displaced)
{
    sigset_t before;
    int left = 0;
    signals_block(&before);
    for (struct eventset *set = self->sets; set != NULL; set = set->next)
        if (is_parked(set)) {
            set->displaced += displaced;
            turn_off(set);
        } else {
            left |= set->parked;
        }
    self->has_parked = left;
    signals_restore(&before);
}

void parking_end(struct papi_thread *self)
{
    if (self->has_parked)
        turn_all_off(self, 0);
}

void parking_displace(struct papi_thread *self)
{
    turn_all_off(self, 1);
}

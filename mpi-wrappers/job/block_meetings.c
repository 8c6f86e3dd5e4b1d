/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Waiting, or transfer, in collective calls that nobody leaves before all ranks have come. The rank that
 * comes last waits for nobody: the shortest time of a rank in such a call is what the call itself takes, and
 * what others are longer in it, they wait for the last one. No clocks of ranks are compared, as all times are
 * durations; no message is sent with the call. Each rank keeps how long it was in some of the calls, the same
 * ones as all others (struct meetings), and one reduction at the end has the shortest times.
 *
 * Where ranks do not agree on number and order of their calls (other threads made some of them), nothing is
 * said.
 */
#include "job/block.h"

#include <string.h>

void meeting_names_of(struct meeting_names *names, const struct rank_record *record)
{
    const struct meetings *meetings = &record->meetings;
    memset(names, 0, sizeof *names);
    names->state = MEETINGS_AGREE;
    names->n = meetings->n;
    names->order = meetings->order;
    names->kept = meetings->kept < MEETINGS ? meetings->kept : MEETINGS;
    for (uint64_t i = 0; i < names->kept; i++)
        names->least[i] = block_nanoseconds(record, meetings->took[i]);
}

void meeting_names_merge(struct meeting_names *into, const struct meeting_names *from)
{
    if (from->state == MEETINGS_NONE)
        return;
    if (into->state == MEETINGS_NONE) {
        *into = *from;
        return;
    }
    if (into->state == MEETINGS_DIFFER || from->state == MEETINGS_DIFFER || into->n != from->n ||
        into->order != from->order || into->kept != from->kept) {
        *into = (struct meeting_names){.state = MEETINGS_DIFFER};
        return;
    }
    for (uint64_t i = 0; i < into->kept; i++)
        into->least[i] = from->least[i] < into->least[i] ? from->least[i] : into->least[i];
}

void block_add_meetings(struct job *block, const struct rank_record *record,
                        const struct meeting_names *names)
{
    const struct meetings *meetings = &record->meetings;
    uint64_t kept = 0, waited = 0;
    if (names->state != MEETINGS_AGREE || names->n != meetings->n || names->kept != meetings->kept)
        return;
    for (uint64_t i = 0; i < names->kept; i++) {
        uint64_t took = block_nanoseconds(record, meetings->took[i]);
        block_add(&kept, took);
        block_add(&waited, took > names->least[i] ? took - names->least[i] : 0);
    }
    block->meetings = meetings->n;
    block->met_ns = block_nanoseconds(record, meetings->ticks);
    if (kept > 0) /* as it is with those that were kept, it is with all */
        block->awaited_ns = (uint64_t)((uint128)block->met_ns * waited / kept);
}

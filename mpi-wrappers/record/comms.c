/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Calls by communicator. A call that has ended belongs to the communicator that its arguments name, which the
 * record has as the program passed it. The bytes of a call are counted after its end: they are what its
 * totals have grown by when the next one of its kind ends, or at last when the record is read.
 */
#include "record/record.h"

#include <string.h>

static bool is_handle_of(const struct counted_comm *comm, uint64_t handle)
{
    return handle != 0 && (comm->handle == handle || comm->fortran == handle);
}

int comms_find(const struct rank_record *record, uint64_t handle)
{
    for (int i = 0; i < record->n_counted && i < MAX_COMMS; i++)
        if (is_handle_of(&record->counted_comm[i], handle))
            return i;
    return COMM_OTHERS;
}

/* The same, the one that the thread found last at first. */
static int find_again(const struct rank_record *record, struct thread_comms *comms, uint64_t handle)
{
    int last = comms->found;
    if (last < 0 || last >= MAX_COMMS || !is_handle_of(&record->counted_comm[last], handle))
        comms->found = last = comms_find(record, handle);
    return last;
}

/* Requests, windows and files do not say to which communicator they belong. */
static int place_of(const struct rank_record *record, struct thread_record *thread, int call)
{
    if (call_facts[call] & FACT_COMM)
        return find_again(record, &thread->comms, thread->at.comm);
    switch (call_class[call]) {
    case CALLS_ONE_SIDED:
    case CALLS_SYNCHRONISATION:
        return COMM_WINDOWS;
    case CALLS_FILE:
        return COMM_FILES;
    case CALLS_POINT_TO_POINT:
    case CALLS_COMPLETION:
        return COMM_REQUESTS;
    default:
        return COMM_NONE;
    }
}

/* MPI_Comm_free and MPI_Comm_disconnect take the handle away: it was looked up before. */
static int place_of_gone(struct thread_comms *comms)
{
    int place = comms->gone - 1;
    comms->gone = 0;
    return place >= 0 && place < MAX_COMMS ? place : COMM_OTHERS;
}

void comms_note(const struct rank_record *record, struct thread_record *thread, int call)
{
    struct comm_call *last = &thread->comms.last[call];
    const struct call_totals *now = &thread->call[call];
    bool gone = call == CALL_COMM_FREE || call == CALL_COMM_DISCONNECT;
    int place = gone ? place_of_gone(&thread->comms) : place_of(record, thread, call);
    if (last->place > 0)
        thread->comms.at[last->place - 1].bytes += now->bytes - last->bytes;
    thread->comms.at[place].calls += now->calls - last->calls;
    thread->comms.at[place].ticks += now->ticks - last->ticks;
    *last = (struct comm_call){now->calls, now->ticks, now->bytes, place + 1, 0};
}

void comms_totals(const struct thread_record *thread, struct comm_totals totals[COMM_PLACES])
{
    memcpy(totals, thread->comms.at, COMM_PLACES * sizeof *totals);
    for (int i = 0; i < CALL_COUNT; i++) {
        const struct comm_call *last = &thread->comms.last[i];
        const struct call_totals *now = &thread->call[i];
        if (last->place <= 0 || last->place > COMM_PLACES)
            continue;
        totals[last->place - 1].bytes += now->bytes - last->bytes;
        totals[last->place - 1].ticks += now->ticks - last->ticks;
        totals[last->place - 1].calls += now->calls - last->calls;
    }
}

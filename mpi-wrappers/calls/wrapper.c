/* SPDX-License-Identifier: BSD-3-Clause */
#include "calls/wrapper.h"

#include "calls/tables.h"
#include "rank/between.h"
#include "record/call_ring.h"
#include "record/mpi_symbols.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* ---- the function that a call is passed on to */

enum { NAME_ROOM = 80 };

static void *find_name(enum call call, int (*letter)(int), const char *suffix)
{
    char name[NAME_ROOM];
    int length = 0;
    for (const char *from = call_name[call]; *from; from++)
        name[length++] = (char)(letter ? letter((unsigned char)*from) : *from);
    snprintf(name + length, sizeof name - (size_t)length, "%s", suffix);
    return mpi_symbol_behind(name);
}

void *call_find(enum call call, enum call_form form)
{
    int is_c = form == FORM_C || form == FORM_C_LARGE;
    void *found = NULL;
    for (int i = 0; i < 3 && call_suffix[form].lower[i] && !found; i++)
        found = find_name(call, is_c ? NULL : tolower, call_suffix[form].lower[i]);
    if (!found && call_suffix[form].upper)
        found = find_name(call, toupper, call_suffix[form].upper);
    if (found && !flavour_fits())
        return NULL;
    atomic_store_explicit(&papi_mpi.next[call][form], found, memory_order_relaxed);
    return found;
}

/* ---- what a call costs */

/* The ticks of a call: in all, and inside of the time that is counted. */
struct cost {
    uint64_t all, inside;
};

enum { COST_CALLS = 32 };

static void send_nothing(void)
{
    struct thread_record *thread =
        call_begin(CALL_PCONTROL, CALL_FRAME, CALL_SITE, 0, (struct call_facts){0});
    call_end(thread, CALL_PCONTROL, CALL_SITE);
    account_sent(thread, CALL_PCONTROL, 1, papi_mpi.tables->byte, papi_mpi.tables->rank,
                 papi_mpi.tables->world);
    call_leave(CALL_FRAME);
}

static void test_nothing(void)
{
    struct thread_record *thread =
        call_begin(CALL_TEST, CALL_FRAME, CALL_SITE, FACT_TEST, (struct call_facts){0});
    uint64_t took = test_end(thread, CALL_TEST, CALL_SITE);
    polling_note(thread, CALL_TEST, took, 0);
    call_leave(CALL_FRAME);
}

/* The fastest of some tries: a machine that does something else meanwhile is not a cost of ours. */
static inline __attribute__((always_inline)) struct cost fastest(void (*call)(void))
{
    enum { TRIES = 8 };
    struct thread_record *thread = mpi_thread.record;
    struct cost least = {UINT64_MAX, UINT64_MAX};
    for (int i = 0; i < TRIES; i++) {
        uint64_t counted = thread->mpi_ticks, start = clock_ticks(), ticks;
        for (int k = 0; k < COST_CALLS; k++)
            call();
        ticks = (clock_ticks() - start) / COST_CALLS;
        counted = (thread->mpi_ticks - counted) / COST_CALLS;
        least.all = ticks < least.all ? ticks : least.all;
        least.inside = counted < least.inside ? counted : least.inside;
    }
    return least;
}

/* Measures the library's own cost of a call. What is counted meanwhile is taken away again: nothing else was
 * counted so far. */
void call_measure(void)
{
    struct rank_record *record = papi_mpi.record;
    struct thread_record *thread = mpi_thread.record;
    uintptr_t outermost = mpi_thread.outermost;
    if (!record || !thread || !atomic_load(&papi_mpi.counting))
        return;
    mpi_thread.outermost = 0;
    papi_mpi.call_cost = papi_mpi.test_cost = 0;
    papi_mpi.test_inside = 0;
    struct cost send = fastest(send_nothing), test = fastest(test_nothing);
    record->overhead = send.all;
    papi_mpi.call_cost = record->inside = send.inside;
    papi_mpi.test_cost = test.all > send.inside ? test.all - send.inside : 0;
    papi_mpi.test_inside = (int64_t)send.inside - (int64_t)send.all;
    mpi_thread.outermost = outermost;
    thread->inside = -1;
    record_clear_thread(thread);
    if (record->timed)
        memset(record_times_at(record, mpi_thread.number), 0, sizeof(struct thread_times));
    polling_begin(thread);
    between_begin(record, thread);
    record_clear(record);
    timeline_begin(record);
    if (papi_mpi.ring)
        ring_clear(papi_mpi.ring);
    memset(mpi_thread.known_peer, 0, sizeof mpi_thread.known_peer); /* they point into the thread's record */
}

/* ---- calls in which ranks wait for each other */

int call_meets_in(MPI_Comm comm)
{
    const struct known_comm *known = tables_comm(comm);
    return known->size == papi_mpi.tables->ranks && !known->inter;
}

/* ---- around some calls */

void before_abort(void)
{
    if (papi_mpi.tables && !papi_mpi.tables->ended)
        rank_abort(); /* no communication */
}

void before_pcontrol(int level, struct possible_name name)
{
    char text[POSSIBLE_NAME];
    if (mpi_thread.outermost > CALL_FRAME) /* inside of a call: the hook's own frame is below that one's */
        return;
    if (level == 0)
        rank_pause();
    else if (level > 0)
        rank_resume();
    if ((level == 1 || level == -1) && possible_name_read(text, name))
        (level == 1 ? region_pcontrol_begin : region_pcontrol_end)(text);
}

void before_handles_change(void)
{
    atomic_fetch_add(&papi_mpi.handle_changes, 1);
}

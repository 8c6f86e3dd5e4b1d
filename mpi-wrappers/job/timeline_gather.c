/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The rings of all ranks on rank 0: one rank after the other, so that none of them waits for more than those
 * before it.
 *
 * All clocks of one node count from the same moment. Those of another node are compared with rank 0's: it
 * asks for the time several times, and the answer that came fastest counts; the clock read that time
 * somewhere between question and answer, so half of the way between is the error.
 */
#include "job/timeline_gather.h"

#include "base/seconds.h"
#include "job/timeline_file.h"

#include <stdlib.h>
#include <string.h>

enum { TIMELINE_TAG = 31419, QUESTIONS = 16 };

static int send_to(const struct job_link *link, const void *data, size_t bytes, int rank)
{
    return LINK_WAIT(PMPI_Isend, data, (int)bytes, MPI_BYTE, rank, TIMELINE_TAG, link->all);
}

static int receive_from(const struct job_link *link, void *data, size_t bytes, int rank)
{
    return LINK_WAIT(PMPI_Irecv, data, (int)bytes, MPI_BYTE, rank, TIMELINE_TAG, link->all);
}

static void describe(struct ring_facts *facts, const struct job_link *link, const struct rank_record *record,
                     const struct call_ring *ring, uint64_t ticks, uint64_t nsec)
{
    memset(facts, 0, sizeof *facts);
    facts->rank = link->world;
    facts->node = link->node_number;
    facts->hertz = 1;
    if (record == NULL || ring == NULL)
        return;
    facts->main_thread = record->main_thread;
    facts->open = atomic_load(&ring->open);
    facts->entries = ring_count(ring);
    facts->replaced = atomic_load(&ring->written) - facts->entries;
    facts->hertz = record->tick_hertz;
    facts->ticks = ticks;
    facts->nsec = nsec;
    memcpy(facts->host, record->host, sizeof facts->host);
    memcpy(facts->region, record->region_name, sizeof facts->region);
}

/* ---- the entries */

/* A rank's own, with what is needed for them. */
struct own_ring {
    const struct call_ring *ring;
    const struct rank_record *record;
    const struct site_names *names;
};

static void copy_entries(struct ring_entry *to, const struct own_ring *own, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++)
        to[i] = *ring_at(own->ring, i);
    timeline_place(to, n, own->record, own->names);
}

/* ---- the clocks of two nodes */

static void answer_questions(const struct job_link *link)
{
    for (int i = 0; i < QUESTIONS; i++) {
        uint64_t now = 0;

        receive_from(link, &now, sizeof now, 0);
        now = nsec_of(CLOCK_MONOTONIC_RAW);
        send_to(link, &now, sizeof now, 0);
    }
}

static void ask_time(const struct job_link *link, int rank, struct ring_facts *facts)
{
    uint64_t shortest = UINT64_MAX;
    for (int i = 0; i < QUESTIONS; i++) {
        uint64_t asked = nsec_of(CLOCK_MONOTONIC_RAW), there = 0;

        send_to(link, &asked, sizeof asked, rank);
        receive_from(link, &there, sizeof there, rank);
        uint64_t took = nsec_of(CLOCK_MONOTONIC_RAW) - asked;
        if (took < shortest) {
            shortest = took;
            facts->ahead = (int64_t)(there - (asked + took / 2));
            facts->ahead_error = took / 2;
        }
    }
}

/* ---- a rank, and rank 0 */

static void give(const struct job_link *link, const struct ring_facts *facts, const struct own_ring *own)
{
    struct ring_facts mine = *facts;
    int wanted = 0;
    struct ring_entry *entries = calloc(facts->entries + 1, sizeof *entries);
    if (entries == NULL)
        mine.entries = 0;
    else
        copy_entries(entries, own, mine.entries);
    mine.replaced += facts->entries - mine.entries;
    receive_from(link, &wanted, sizeof wanted, 0); /* its turn */
    send_to(link, &mine, sizeof mine, 0);
    receive_from(link, &wanted, sizeof wanted, 0);
    if (wanted & 1)
        answer_questions(link);
    if (wanted & 2)
        send_to(link, entries, mine.entries * sizeof *entries, 0);
    free(entries);
}

/* Returns 0, or -1: there is no memory for them. */
static int take(const struct job_link *link, int rank, struct rank_timeline *into)
{
    int turn = 0;
    send_to(link, &turn, sizeof turn, rank);
    receive_from(link, &into->facts, sizeof into->facts, rank);
    into->entry = calloc(into->facts.entries + 1, sizeof *into->entry);
    int other_node = into->facts.node != link->node_number,
        wanted = other_node | (into->entry != NULL ? 2 : 0);
    send_to(link, &wanted, sizeof wanted, rank);
    if (other_node)
        ask_time(link, rank, &into->facts);
    if (into->entry == NULL)
        return -1;
    receive_from(link, into->entry, into->facts.entries * sizeof *into->entry, rank);
    return 0;
}

static struct rank_timeline *take_all(const struct job_link *link, const struct ring_facts *facts,
                                      const struct own_ring *own, int *failed)
{
    struct rank_timeline none, *ranks = calloc((size_t)link->ranks, sizeof *ranks);
    *failed = ranks == NULL;
    for (int i = 1; i < link->ranks; i++) {
        none.entry = NULL;
        *failed |= take(link, i, ranks != NULL ? &ranks[i] : &none) != 0;
        if (ranks == NULL)
            free(none.entry);
    }
    if (ranks == NULL)
        return NULL;
    ranks[0].facts = *facts;
    ranks[0].entry = calloc(facts->entries + 1, sizeof *ranks[0].entry);
    *failed |= ranks[0].entry == NULL;
    if (ranks[0].entry != NULL)
        copy_entries(ranks[0].entry, own, facts->entries);
    return ranks;
}

static struct rank_timeline *on_rank_0(const struct job_link *link, struct job *job,
                                       const struct ring_facts *facts, const struct own_ring *own,
                                       struct settings *settings)
{
    int failed;
    struct rank_timeline *ranks = take_all(link, facts, own, &failed);
    if (!failed && timeline_order(ranks, (size_t)link->ranks) == 0 &&
        timeline_late(ranks, (size_t)link->ranks, job) == 0)
        return ranks;
    settings_complain(settings, "no timeline: rank 0 has no memory for the calls of all ranks; set "
                                "PAPI_MPI_TIMELINE to fewer bytes, such as 256k");
    timeline_free(ranks, (size_t)link->ranks);
    return NULL;
}

struct rank_timeline *timeline_gather(const struct job_link *link, struct collection *collection,
                                      const struct rank_record *record, const struct call_ring *ring,
                                      uint64_t ticks, uint64_t nsec, struct settings *settings)
{
    struct ring_facts facts;
    const struct own_ring own = {ring, record, &collection->names.sites};
    describe(&facts, link, record, ring, ticks, nsec);
    if (link->rank == 0)
        return on_rank_0(link, &collection->job, &facts, &own, settings);
    give(link, &facts, &own);
    return NULL;
}

void timeline_put(struct rank_timeline *ranks, const struct job_link *link, const struct job *job,
                  struct settings *settings, const struct place *place)
{
    struct timeline_sums sums;
    char file[4500], why[COMPLAINT_LENGTH];
    if (place->kind != PLACE_FILE)
        settings_complain(settings,
                          "PAPI_MPI_TIMELINE: there is no result file for the timeline to be beside: set "
                          "PAPI_MPI_OUTPUT to the name of one");
    else if (timeline_write_beside(place, ranks, (size_t)link->ranks, job, &sums, file, why) != 0)
        settings_complain(settings, "%s", why);
    else if (strcmp(settings->report, "none") != 0)
        settings_complain(
            settings,
            "timeline of the last %llu calls, with %llu messages as lines, for ui.perfetto.dev: %.250s",
            (unsigned long long)sums.calls, (unsigned long long)sums.lines, file);
    timeline_free(ranks, (size_t)link->ranks);
}

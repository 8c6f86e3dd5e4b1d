/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Calls that ranks were in which did not come to their end. A record has the call that each thread is in,
 * with the arguments that say whom it waits for; here the call becomes a row like all that have ended, and
 * the ranks of communicators become those of MPI_COMM_WORLD.
 *
 * A thread waits for the rank that it receives from or sends to, or, in a collective call, for all ranks of
 * its communicator that are not in the same call: these are found by the communicator's ranks, because
 * handles are each rank's own. Of a rank with several threads the main one counts, if it is in a call. Nobody
 * who receives from any rank waits for one of them.
 */
#include "job/ending.h"
#include "base/array.h"
#include "base/hash.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* ---- the end of a rank */

static int64_t now_of(clockid_t clock)
{
    struct timespec now = {0, 0};
    clock_gettime(clock, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

static int64_t since_begin(const struct rank_record *record, uint64_t moment)
{
    const uint64_t most = INT64_MAX / 4; /* added to a moment it is one, whatever the record says */
    uint64_t ns = moment > record->begin ? block_nanoseconds(record, moment - record->begin) : 0;
    return (int64_t)(ns < most ? ns : most);
}

/* Nanoseconds since begin. On the same node by a clock that nobody sets. */
static int64_t until_now(const struct rank_record *record)
{
    char host[HOST_NAME] = "";
    bool here = gethostname(host, sizeof host - 1) == 0 && strcmp(host, record->host) == 0;
    int64_t ns = here ? now_of(CLOCK_MONOTONIC) - record->began_here : now_of(CLOCK_REALTIME) - record->began;
    int64_t least = since_begin(record, record_last_moment(record));
    return ns > least ? ns : least;
}

/* A rank that runs, or made calls a second after a signal, was not ended by it: the program handles that
 * itself. */
static void forget_signal(struct rank_record *record, pid_t runs)
{
    bool goes_on = runs != 0;
    for (int i = 0; i < record_thread_count(record) && !goes_on; i++)
        goes_on = record_thread_at(record, i)->threads > 0 &&
                  record_thread_at(record, i)->since > record->end + record->tick_hertz;
    if (goes_on && atomic_load(&record->signal) != 0 && atomic_load(&record->state) == RANK_RUNS) {
        record->end = 0;
        atomic_store(&record->signal, 0);
    }
}

void ending_learn(struct ending_facts *facts, struct rank_record *record, pid_t runs)
{
    forget_signal(record, runs);
    int64_t ns = runs != 0 ? until_now(record) : since_begin(record, record_last_moment(record));
    facts->signalled |= atomic_load(&record->signal) != 0;
    if (record->began + ns > facts->latest)
        facts->latest = record->began + ns;
}

static uint64_t ticks_of(const struct rank_record *record, int64_t ns)
{
    return ns > 0 ? (uint64_t)((uint128)(uint64_t)ns * record->tick_hertz / 1000000000u) : 0;
}

/* The end of a rank that is gone without a word: it was gone at the latest when its launcher was; without
 * that, its end is the last moment that any rank knows of. */
static uint64_t end_of(const struct rank_record *record, pid_t runs, const struct ending_facts *facts)
{
    uint64_t least = record_last_moment(record);
    int64_t last = facts->launcher > facts->latest ? facts->launcher : facts->latest;
    if (record->end != 0)
        return least;
    uint64_t end = record->begin + ticks_of(record, runs != 0 ? until_now(record) : last - record->began);
    return end > least ? end : least;
}

/* ---- calls that are open */

static bool is_inside(const struct thread_record *thread)
{
    return thread->threads > 0 && thread->inside >= 0;
}

static const struct site_object *object_at(const struct rank_record *record, uint64_t address, int *number)
{
    int n = atomic_load(&record->n_objects);
    for (int i = 0; i < n && i < MAX_OBJECTS; i++)
        if (address >= record->object[i].low && address <= record->object[i].high) {
            *number = i;
            return &record->object[i];
        }
    return NULL;
}

/* The place of a call in the thread's table; NULL: there is none, and none is free. */
static struct call_site *site_of(const struct rank_record *record, struct thread_record *thread, int call)
{
    uint64_t address = thread->at.address;
    struct call_site *free_place = NULL;
    for (int i = 0; i < SITE_PLACES; i++) {
        struct call_site *site = &thread->site[i];
        if (site->address == address && site->call == call)
            return site;
        if (site->address == 0 && free_place == NULL)
            free_place = site;
    }
    int number = -1;
    if (free_place == NULL || address == 0 || object_at(record, address, &number) == NULL)
        return NULL;
    *free_place = (struct call_site){.address = address, .call = call, .object = number};
    return free_place;
}

static void add_call(struct rank_record *record, struct thread_record *thread, struct thread_times *times)
{
    int call = thread->inside;
    uint64_t since = thread->since, ticks = record->end > since ? record->end - since : 0;
    struct call_site *site = site_of(record, thread, call);
    struct call_totals *totals = &thread->call[call];
    site = site != NULL ? site : &thread->site[SITE_PLACES];
    totals->calls++;
    totals->ticks += ticks;
    totals->longest = ticks > totals->longest ? ticks : totals->longest;
    if (times != NULL)
        thread_time_note(times, call, ticks);
    if (record->by_comm)
        comms_note(record, thread, call);
    site->calls++;
    site->ticks += ticks;
    site->longest = ticks > site->longest ? ticks : site->longest;
    thread->calls++;
    thread->mpi_ticks += ticks;
    if (record_is_main(record, thread) && since >= record->begin && record->timeline.shift < 48)
        timeline_add(&record->timeline, thread, call, since - record->begin, since + ticks - record->begin);
}

/* The time of open calls is in the regions that are open around them. */
void ending_close(struct rank_record *record, pid_t runs, const struct ending_facts *facts)
{
    forget_signal(record, runs);
    record->end = end_of(record, runs, facts);
    for (int i = 0; i < record_thread_count(record); i++) {
        struct thread_record *thread = record_thread_at(record, i);
        if (is_inside(thread))
            add_call(record, thread, record_times_at(record, i));
        record_finish_regions(record, thread, record->end);
    }
    if (record->updates == 0) /* its counters were never read */
        record->lost = (1u << MAX_COUNTERS) - 1;
}

/* ---- who has to come to a call */

struct ending_group {
    uint64_t key; /* of the communicator's ranks and the call; 0: it is not a collective call */
    int n_runs;
    struct comm_run *run; /* to be freed; NULL: not known */
    int root;             /* in waits: the call waits for this one if it has not come; -1: for all */
};

static const struct noted_comm *comm_of(const struct rank_record *record, uint64_t handle)
{
    for (int i = 0; i < NOTED_COMMS && handle != 0; i++) {
        const struct noted_comm *known = &record->comm[i];
        if ((known->handle == handle || known->fortran == handle) && known->first >= 0 &&
            known->n_runs >= 0 && known->first <= COMM_RUNS && known->n_runs <= COMM_RUNS - known->first)
            return known->handle != 0 ? known : NULL;
    }
    return NULL;
}

/* The rank of MPI_COMM_WORLD that a rank of a communicator is. */
static int32_t world_rank(const struct rank_record *record, const struct noted_comm *comm, int32_t rank)
{
    if (rank == record->any_source)
        return OPEN_ANY;
    if (rank == record->proc_null)
        return OPEN_NOBODY;
    for (int i = 0; comm != NULL && rank >= 0 && i < comm->n_runs; i++) {
        const struct comm_run *run = &record->comm_run[comm->first + i];
        int64_t found = run->first + (int64_t)run->stride * rank;
        if (rank < run->n)
            return found >= 0 && found < record->ranks ? (int32_t)found : OPEN_UNKNOWN;
        rank -= run->n;
    }
    return OPEN_UNKNOWN;
}

static bool is_collective(int call)
{
    return call_facts[call] & FACT_COMM &&
           (call_class[call] == CALLS_COLLECTIVE || call_class[call] == CALLS_COMMUNICATOR) &&
           !(call_facts[call] & FACT_MAKES_REQUEST);
}

static void make_group(struct ending_group *group, const struct rank_record *record,
                       const struct noted_comm *comm, int call)
{
    size_t size = (size_t)comm->n_runs * sizeof *group->run;
    if (comm->inter || comm->n_runs == 0 || (group->run = malloc(size)) == NULL)
        return;
    memcpy(group->run, record->comm_run + comm->first, size);
    group->n_runs = comm->n_runs;
    group->key = (hash_bytes(group->run, size) ^ ((uint64_t)call << 32)) | 1;
}

/* ---- the threads */

/* A call that a running rank was in for so long had its arguments noted before they were read. */
enum { SURE_NS = 1000000 };

/* Adds a rank that the call waits for. */
static void wait_for(struct job_open *open, int32_t rank)
{
    for (int i = 0; i < open->n_waits; i++)
        if (open->waits[i] == rank)
            return;
    if (rank < 0)
        return;
    open->missing++;
    if (open->n_waits < OPEN_WAITS)
        open->waits[open->n_waits++] = rank;
}

/* The call that made a request, as the last thread noted it that had such a handle; NULL: not known. */
static const struct noted_request *request_of(const struct rank_record *record, uint64_t handle)
{
    const struct noted_request *found = NULL;
    for (int i = 0; i < record_thread_count(record); i++) {
        const struct thread_record *thread = record_thread_at(record, i);
        for (int k = 0; k < NOTED_REQUESTS && thread->threads > 0; k++)
            if (thread->noted[k].request == handle && handle != 0 && thread->noted[k].call >= 0 &&
                thread->noted[k].call < CALL_COUNT &&
                (found == NULL || thread->noted[k].since > found->since))
                found = &thread->noted[k];
    }
    return found;
}

/* Requests may have been completed in the call: which of several it waits for is not known. */
static void take_requests(struct job_open *open, const struct rank_record *record,
                          const struct thread_record *thread)
{
    open->requests = thread->at.n_requests > 0 ? thread->at.n_requests : 0;
    for (int i = 0; i < open->requests && i < OPEN_REQUESTS; i++) {
        const struct noted_request *noted = request_of(record, thread->at.request[i]);
        int facts = noted != NULL ? call_facts[noted->call] : 0;
        if (!(facts & (FACT_DEST | FACT_SOURCE)))
            continue;
        int32_t peer = world_rank(record, comm_of(record, noted->comm), noted->peer);
        if (open->requests == 1) {
            open->peer = peer;
            open->tag = noted->tag == record->any_tag ? OPEN_ANY : noted->tag;
            open->request_call = noted->call;
        }
        wait_for(open, peer);
    }
}

/* Arguments of the call that the thread is in. */
static void take_arguments(struct job_open *open, struct ending_group *group,
                           const struct rank_record *record, const struct thread_record *thread)
{
    const struct open_call *at = &thread->at;
    int facts = call_facts[open->call];
    const struct noted_comm *comm = facts & FACT_COMM ? comm_of(record, at->comm) : NULL;
    if (comm != NULL) {
        open->comm_size = comm->size;
        open->comm_call = comm->call >= 0 && comm->call < CALL_COUNT ? comm->call : -1;
    }
    if (facts & FACT_PEERS && facts & FACT_COMM)
        open->peer = world_rank(record, comm, at->peer);
    if (facts & FACT_TAG)
        open->tag = at->tag == record->any_tag ? OPEN_ANY : at->tag;
    if (facts & FACT_SECOND) {
        open->second_peer = world_rank(record, comm, at->second_peer);
        open->second_tag = at->second_tag == record->any_tag ? OPEN_ANY : at->second_tag;
    }
    if (facts & FACT_WAITS)
        take_requests(open, record, thread);
    if (is_collective(open->call)) {
        group->root = facts & FACT_ROOT ? open->peer : -1;
        if (comm != NULL)
            make_group(group, record, comm, open->call);
        return;
    }
    if (facts & (FACT_DEST | FACT_SOURCE) && !(facts & FACT_MAKES_REQUEST)) {
        wait_for(open, open->peer);
        wait_for(open, open->second_peer);
    }
}

static int ending_of(const struct rank_record *record, pid_t runs)
{
    if (atomic_load(&record->state) >= RANK_FINALIZED)
        return ENDING_WAITS;
    if (runs != 0)
        return ENDING_RUNS;
    return atomic_load(&record->signal) != 0 ? ENDING_SIGNAL : ENDING_GONE;
}

static struct job_open open_of(const struct rank_record *record, struct thread_record *thread, int number,
                               const struct block_names *names)
{
    struct job_open open = {.rank = (uint64_t)record->rank,
                            .thread = number,
                            .main = record_is_main(record, thread),
                            .call = record_last_call(thread),
                            .inside = thread->inside >= 0,
                            .site = -1,
                            .signal = atomic_load(&record->signal),
                            .peer = OPEN_NONE,
                            .tag = OPEN_NONE,
                            .second_peer = OPEN_NONE,
                            .second_tag = OPEN_NONE,
                            .comm_call = -1,
                            .request_call = -1};
    const struct call_site *site = open.call >= 0 ? site_of(record, thread, open.call) : NULL;
    uint64_t since = thread->since > record->begin ? thread->since : record->begin;
    open.ns = record->end > since ? block_nanoseconds(record, record->end - since) : 0;
    if (site != NULL)
        open.site = block_site_place(&names->sites, record, site);
    return open;
}

static void add_thread(struct endings *endings, const struct rank_record *record,
                       struct thread_record *thread, struct job_open open)
{
    int n = endings->n;
    if (!ARRAY_GROW(endings->open, n) || !ARRAY_GROW(endings->group, n)) {
        endings->failed = 1;
        return;
    }
    endings->group[n] = (struct ending_group){.root = -1};
    if (open.inside && (open.ending != ENDING_RUNS || open.ns > SURE_NS))
        take_arguments(&open, &endings->group[n], record, thread);
    endings->open[endings->n++] = open;
}

/* A rank in MPI_Finalize comes to no other call. */
static void finalized(struct job_open *open)
{
    open->call = CALL_FINALIZE;
    open->inside = 1;
    open->site = -1;
    open->ns = 0;
}

void ending_add(struct endings *endings, const struct rank_record *record, pid_t runs,
                const struct ending_facts *facts, const struct block_names *names)
{
    int state = atomic_load(&record->state);
    if (state == RANK_ABORTS || state == RANK_EXITS)
        return;
    for (int turn = 0; turn < 2; turn++) /* the main thread first */
        for (int i = 0; i < record_thread_count(record); i++) {
            struct thread_record *thread = record_thread_at(record, i);
            bool main = i == record->main_thread;
            if (main != (turn == 0) || (!main && (!is_inside(thread) || state >= RANK_FINALIZED)))
                continue;
            struct job_open open = open_of(record, thread, i, names);
            open.ending = ending_of(record, runs);
            open.exact = open.ending != ENDING_GONE || facts->launcher != 0 || facts->signalled;
            if (open.ending == ENDING_WAITS)
                finalized(&open);
            add_thread(endings, record, thread, open);
        }
}

/* ---- who waits for whom */

/* Ranks of a collective call that have not come: the same for all who are in it. */
struct absent {
    uint64_t key, n;
    int32_t *rank;
};

struct graph {
    struct endings *endings;
    uint64_t ranks;
    int32_t *first;        /* the thread of a rank that counts, in endings->open; -1: none */
    struct absent *absent; /* by the thread that was looked at first */
    int n_absent;
};

static uint64_t ranks_in(const struct ending_group *group)
{
    uint64_t n = 0;
    for (int i = 0; i < group->n_runs; i++)
        n += group->run[i].n > 0 ? (uint64_t)group->run[i].n : 0;
    return n;
}

static struct absent *absent_of(const struct graph *graph, uint64_t key)
{
    for (int i = 0; i < graph->n_absent; i++)
        if (graph->absent[i].key == key)
            return &graph->absent[i];
    return NULL;
}

/* Finds those that are not in the call. came has a place for each rank, with the number of the last group in
 * which it was. */
static void find_absent(struct graph *graph, const struct ending_group *group, int32_t *came)
{
    struct absent absent = {.key = group->key, .rank = malloc((ranks_in(group) + 1) * sizeof(int32_t))};
    int32_t number = graph->n_absent + 1;
    if (absent.rank == NULL || !ARRAY_GROW(graph->absent, graph->n_absent)) {
        free(absent.rank);
        graph->endings->failed = 1;
        return;
    }
    for (int i = 0; i < graph->endings->n; i++)
        if (graph->endings->group[i].key == group->key)
            came[graph->endings->open[i].rank] = number;
    for (int i = 0; i < group->n_runs; i++)
        for (int32_t k = 0; k < group->run[i].n; k++) {
            int64_t rank = group->run[i].first + (int64_t)group->run[i].stride * k;
            if (rank >= 0 && (uint64_t)rank < graph->ranks && came[rank] != number)
                absent.rank[absent.n++] = (int32_t)rank;
        }
    graph->absent[graph->n_absent++] = absent;
}

static void take_absent(struct job_open *open, const struct ending_group *group, const struct absent *absent)
{
    for (uint64_t i = 0; i < absent->n; i++)
        if (absent->rank[i] == group->root) { /* who has the data, or wants it */
            wait_for(open, group->root);
            return;
        }
    open->missing = absent->n;
    for (open->n_waits = 0; open->n_waits < OPEN_WAITS && (uint64_t)open->n_waits < absent->n;
         open->n_waits++)
        open->waits[open->n_waits] = absent->rank[open->n_waits];
}

static void find_missing(struct graph *graph)
{
    struct endings *endings = graph->endings;
    int32_t *came = calloc(graph->ranks, sizeof *came);
    for (int i = 0; i < endings->n && came != NULL; i++) {
        const struct ending_group *group = &endings->group[i];
        if (group->key == 0)
            continue;
        if (absent_of(graph, group->key) == NULL)
            find_absent(graph, group, came);
        const struct absent *absent = absent_of(graph, group->key);
        if (absent != NULL)
            take_absent(&endings->open[i], group, absent);
    }
    endings->failed |= came == NULL;
    free(came);
}

/* The next rank that a rank waits for, from the at-th on; -1: no more. */
static int64_t next_of(const struct graph *graph, uint64_t rank, uint64_t at)
{
    int i = graph->first[rank];
    if (i < 0)
        return -1;
    const struct job_open *open = &graph->endings->open[i];
    const struct ending_group *group = &graph->endings->group[i];
    if (at >= open->missing)
        return -1;
    if (group->key != 0 && open->missing > (uint64_t)open->n_waits) {
        const struct absent *absent = absent_of(graph, group->key);
        return absent != NULL && at < absent->n ? absent->rank[at] : -1;
    }
    return at < (uint64_t)open->n_waits ? open->waits[at] : -1;
}

enum colour { UNSEEN, ON_THE_WAY, DONE };

struct way {
    uint64_t rank, at;
};

static void take_cycle(struct job *job, const struct way *way, uint64_t from, uint64_t to)
{
    job->cycle_ranks = to - from + 1;
    for (uint64_t i = 0; i < job->cycle_ranks && i < MAX_CYCLE; i++)
        job->cycle[i] = way[from + i].rank;
}

/* Goes from rank to rank that is waited for, and back where nothing new comes, until one comes again. */
static bool follow(const struct graph *graph, struct job *job, struct way *way, unsigned char *colour,
                   uint64_t start)
{
    uint64_t depth = 0;
    way[0] = (struct way){start, 0};
    colour[start] = ON_THE_WAY;
    for (;;) {
        int64_t next = next_of(graph, way[depth].rank, way[depth].at++);
        if (next < 0) {
            colour[way[depth].rank] = DONE;
            if (depth-- == 0)
                return false;
        } else if ((uint64_t)next < graph->ranks && colour[next] == ON_THE_WAY) {
            uint64_t from = depth;
            while (way[from].rank != (uint64_t)next)
                from--;
            take_cycle(job, way, from, depth);
            return true;
        } else if ((uint64_t)next < graph->ranks && colour[next] == UNSEEN) {
            colour[next] = ON_THE_WAY;
            way[++depth] = (struct way){(uint64_t)next, 0};
        }
    }
}

static void find_cycle(const struct graph *graph, struct job *job)
{
    struct way *way = calloc(graph->ranks, sizeof *way);
    unsigned char *colour = calloc(graph->ranks, 1);
    for (uint64_t rank = 0; rank < graph->ranks && way != NULL && colour != NULL; rank++)
        if (colour[rank] == UNSEEN && follow(graph, job, way, colour, rank))
            break;
    free(way);
    free(colour);
}

/* Chooses the thread of each rank that counts. */
static bool choose(struct graph *graph)
{
    graph->first = malloc((graph->ranks + 1) * sizeof *graph->first);
    if (graph->first == NULL)
        return false;
    for (uint64_t i = 0; i < graph->ranks; i++)
        graph->first[i] = -1;
    for (int i = graph->endings->n - 1; i >= 0; i--) {
        const struct job_open *open = &graph->endings->open[i];
        if (open->inside || open->main)
            graph->first[open->rank] =
                open->inside || graph->first[open->rank] < 0 ? i : graph->first[open->rank];
    }
    return true;
}

static bool anybody_unfinished(const struct endings *endings)
{
    for (int i = 0; i < endings->n; i++)
        if (endings->open[i].ending != ENDING_WAITS)
            return true;
    return false;
}

void ending_finish(struct endings *endings, struct job *job)
{
    struct graph graph = {.endings = endings, .ranks = job->ranks};
    if (anybody_unfinished(endings) && choose(&graph)) {
        find_missing(&graph);
        find_cycle(&graph, job);
        job->open = endings->open;
        job->n_open = (uint64_t)endings->n;
        endings->open = NULL;
    }
    for (int i = 0; i < graph.n_absent; i++)
        free(graph.absent[i].rank);
    for (int i = 0; i < endings->n; i++)
        free(endings->group[i].run);
    free(graph.absent);
    free(graph.first);
    free(endings->open);
    free(endings->group);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "calls/carrier.h"

#include "calls/tables.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

enum { PARCEL_TAG = 1, PATIENCE = 3 /* seconds */, FIRST_PLACES = 256 };

void carrier_lost(void)
{
    if (papi_mpi.record)
        papi_mpi.record->path_state = PATH_LOST;
}

const struct path *carrier_path(void)
{
    static const struct path none;
    return papi_mpi.record ? &papi_mpi.record->path : &none;
}

/* ---- communicators */

static struct followed **place_of(MPI_Comm comm)
{
    struct followed **at = &papi_mpi.carrier->followed[tables_place((uintptr_t)comm, FOLLOWED_PLACES)];
    while (*at && (*at)->comm != comm)
        at = &(*at)->next;
    return at;
}

static void add(struct followed *followed, MPI_Comm comm, uint64_t id)
{
    carrier_gone(comm);
    carrier_lock();
    struct followed **at = place_of(comm);
    followed->comm = comm;
    followed->id = id;
    *at = followed;
    carrier_unlock();
}

struct followed *carrier_comm(MPI_Comm comm)
{
    struct followed *found = *place_of(comm);
    if (!found && papi_mpi.record)
        papi_mpi.record->path_missed++;
    return found;
}

void carrier_gone(MPI_Comm comm)
{
    carrier_lock();
    struct followed **at = place_of(comm), *found = *at;
    if (found) {
        *at = found->next;
        found->gone = 1;
        found->used++;
        carrier_release(found);
    }
    carrier_unlock();
}

void carrier_release(struct followed *comm)
{
    if (--comm->used == 0 && comm->gone)
        free(comm);
}

/* True if all processes of a group are of this job; world gets their ranks in it. */
static int is_of_job(MPI_Group group, int n, int *world)
{
    int *ranks = malloc((size_t)n * sizeof *ranks), all = 1;
    for (int i = 0; ranks && i < n; i++)
        ranks[i] = i;
    if (!ranks ||
        papi_mpi.tables->Group_translate_ranks(group, n, ranks, papi_mpi.tables->group, world) != MPI_SUCCESS)
        all = 0;
    for (int i = 0; all && i < n; i++)
        all = world[i] >= 0;
    free(ranks);
    return all;
}

/* The group that messages go to. NULL: not all are ranks of this job, or there is no memory, which lost says.
 */
static struct followed *describe(MPI_Comm comm, int *lost)
{
    const struct call_tables *mpi = papi_mpi.tables;
    MPI_Group group;
    int size = 0, inter = 0;
    mpi->Comm_test_inter(comm, &inter);
    (inter ? mpi->Comm_remote_size : mpi->Comm_size)(comm, &size);
    struct followed *made = calloc(1, sizeof *made + (size_t)size * sizeof *made->world);
    *lost = !made;
    if (!made || (inter ? mpi->Comm_remote_group : mpi->Comm_group)(comm, &group) != MPI_SUCCESS)
        return made;
    made->size = size;
    made->inter = inter;
    int known = is_of_job(group, size, made->world);
    mpi->Group_free(&group);
    if (known)
        return made;
    free(made);
    return NULL;
}

/* Agrees on the number of a communicator: both groups give one, and the larger one holds. unable: this rank
 * has no memory. */
static uint64_t agree(MPI_Comm comm, int inter, int unable, int *all_able)
{
    int rank = 0;
    papi_mpi.tables->Comm_rank(comm, &rank);
    uint64_t own = rank == 0 ? (uint64_t)(papi_mpi.tables->rank + 1) << 32 | ++papi_mpi.carrier->made : 0;
    uint64_t mine[2] = {own, (uint64_t)unable}, met[2] = {0, 1}, back[2] = {0, 0};
    PMPI_Allreduce(mine, met, 2, MPI_UINT64_T, MPI_MAX, comm);
    if (inter)
        PMPI_Allreduce(met, back, 2, MPI_UINT64_T, MPI_MAX, comm);
    *all_able = !met[1] && !back[1];
    return met[0] > back[0] ? met[0] : back[0];
}

/* Follows a new communicator if all its processes can: all of them agree on its number, and on whether one of
 * them lacks memory. */
void carrier_made(MPI_Comm comm)
{
    int lost = 0, all_able = 0;
    if (comm == MPI_COMM_NULL)
        return;
    struct followed *made = describe(comm, &lost);
    if (!made && !lost) {
        carrier_gone(comm);
        return;
    }
    uint64_t id = agree(comm, made ? made->inter : 0, lost, &all_able);
    if (all_able)
        add(made, comm, id);
    else
        free(made);
}

/* No number of the others has the highest bit. */
static uint64_t number_of_copy(uint64_t id, int copy)
{
    uint64_t x = id + (uint64_t)copy * UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return (x ^ x >> 31) | UINT64_C(1) << 63;
}

static struct followed *copy_of(struct followed *from)
{
    struct followed *made = calloc(1, sizeof *made + (size_t)from->size * sizeof *made->world);
    if (!made) {
        carrier_lost();
        return NULL;
    }
    made->size = from->size;
    made->inter = from->inter;
    made->id = number_of_copy(from->id, ++from->dupped);
    for (int i = 0; i < from->size; i++)
        made->world[i] = carrier_world(from, i);
    return made;
}

void carrier_dupped(MPI_Comm from, MPI_Comm comm)
{
    carrier_lock();
    struct followed *known = *place_of(from), *made = known ? copy_of(known) : NULL;
    carrier_unlock();
    if (made && comm != MPI_COMM_NULL) {
        add(made, comm, made->id);
        return;
    }
    free(made);
    carrier_gone(comm);
}

/* ---- what is sent along */

static int is_done(MPI_Request *request)
{
    int done = 0;
    return papi_mpi.carrier->Test(request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS || done;
}

/* Memory for a parcel: the oldest one that was sent, if MPI no longer needs it, otherwise a new one. */
static struct sent_parcel *free_parcel(struct carrier *carrier)
{
    struct sent_parcel *oldest = carrier->oldest_sent;
    if (!oldest || !is_done(&oldest->request))
        return malloc(sizeof *oldest);
    carrier->oldest_sent = oldest->next;
    if (!oldest->next)
        carrier->newest_sent = NULL;
    return oldest;
}

void carrier_send(int rank, int tag, const struct followed *comm)
{
    struct carrier *carrier = papi_mpi.carrier;
    struct sent_parcel *sent = free_parcel(carrier);
    if (!sent) {
        carrier_lost();
        return;
    }
    sent->parcel = (struct parcel){comm->id, tag, 0, *carrier_path()};
    if (carrier->Isend(&sent->parcel, sizeof sent->parcel, MPI_BYTE, rank, PARCEL_TAG, carrier->comm,
                       &sent->request) != MPI_SUCCESS) {
        carrier_lost();
        sent->request = MPI_REQUEST_NULL;
    }
    sent->next = NULL;
    *(carrier->newest_sent ? &carrier->newest_sent->next : &carrier->oldest_sent) = sent;
    carrier->newest_sent = sent;
}

/* ---- what comes */

static int is_for(const struct parcel *parcel, int tag, const struct followed *comm)
{
    return parcel->id == comm->id && parcel->tag == tag;
}

static int take_kept(int rank, int tag, const struct followed *comm, struct path *path)
{
    struct carrier *carrier = papi_mpi.carrier;
    unsigned place = (unsigned)rank % SOURCE_PLACES;
    struct kept_parcel *before = NULL, *one = carrier->first[place];
    while (one && !(one->source == rank && is_for(&one->parcel, tag, comm))) {
        before = one;
        one = one->next;
    }
    if (!one)
        return 0;
    *path = one->parcel.path;
    *(before ? &before->next : &carrier->first[place]) = one->next;
    if (carrier->last[place] == one)
        carrier->last[place] = before;
    free(one);
    return 1;
}

static int keep(int rank, const struct parcel *parcel)
{
    struct carrier *carrier = papi_mpi.carrier;
    unsigned place = (unsigned)rank % SOURCE_PLACES;
    struct kept_parcel *one = malloc(sizeof *one);
    if (!one)
        return -1;
    *one = (struct kept_parcel){NULL, rank, *parcel};
    *(carrier->last[place] ? &carrier->last[place]->next : &carrier->first[place]) = one;
    carrier->last[place] = one;
    return 0;
}

/* Gives the processor away between looks at the request: the rank that is waited for may share it. */
int carrier_wait(MPI_Request *request)
{
    uint64_t end = 0;
    while (!is_done(request)) {
        uint64_t now = clock_nsec();
        end = end ? end : now + PATIENCE * UINT64_C(1000000000);
        if (now > end)
            return -1;
        sched_yield();
    }
    return 0;
}

/* Receives the next parcel from a rank. -1: it did not come within PATIENCE, and the receive was
 * cancelled. */
static int receive(int rank, struct parcel *parcel)
{
    struct carrier *carrier = papi_mpi.carrier;
    MPI_Request request;
    MPI_Status status;
    int cancelled = 1;
    if (carrier->Irecv(parcel, sizeof *parcel, MPI_BYTE, rank, PARCEL_TAG, carrier->comm, &request) !=
        MPI_SUCCESS)
        return -1;
    if (carrier_wait(&request) == 0)
        return 0;
    carrier->Cancel(&request);
    carrier->Wait(&request, &status);
    carrier->Test_cancelled(&status, &cancelled);
    return cancelled ? -1 : 0;
}

int carrier_take(int rank, int tag, const struct followed *comm, struct path *path)
{
    struct parcel parcel = {.id = 0};
    if (take_kept(rank, tag, comm, path))
        return 0;
    while (papi_mpi.record && papi_mpi.record->path_state == PATH_FOLLOWED) {
        if (receive(rank, &parcel) != 0) {
            carrier_lost();
            return -1;
        }
        if (is_for(&parcel, tag, comm)) {
            *path = parcel.path;
            return 0;
        }
        if (keep(rank, &parcel) != 0)
            carrier_lost();
    }
    return -1;
}

/* ---- from MPI_Init to MPI_Finalize */

static void take_longer(void *from, void *into, int *n, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *n; i++)
        path_longer((struct path *)into + i, (const struct path *)from + i);
}

static int make(struct carrier *carrier, MPI_Comm all)
{
    int complete = 1;
#define CARRIER_FUNCTION(name)                                                                               \
    carrier->name = PMPI_##name;                                                                             \
    complete &= carrier->name != NULL;
    CARRIER_FUNCTIONS(CARRIER_FUNCTION)
#undef CARRIER_FUNCTION
    carrier->places = FIRST_PLACES;
    carrier->request = calloc(carrier->places, sizeof *carrier->request);
    complete &= carrier->request != NULL;
    /* MPICH 4.0 loses ranks in reductions of operations that commute where rank 0 is alone on its machine. */
    return complete && PMPI_Comm_dup(all, &carrier->comm) == MPI_SUCCESS &&
                   PMPI_Comm_set_errhandler(carrier->comm, MPI_ERRORS_RETURN) == MPI_SUCCESS &&
                   PMPI_Type_contiguous((int)sizeof(struct path), MPI_BYTE, &carrier->type) == MPI_SUCCESS &&
                   PMPI_Type_commit(&carrier->type) == MPI_SUCCESS &&
                   PMPI_Op_create(take_longer, 0, &carrier->longer) == MPI_SUCCESS
               ? 0
               : -1;
}

/* Adds the communicators that are there from the beginning. */
static int add_first(void)
{
    struct followed *world = calloc(1, sizeof *world), *self = calloc(1, sizeof *self + sizeof *self->world);
    if (!world || !self) {
        free(world);
        free(self);
        return -1;
    }
    world->size = papi_mpi.tables->ranks;
    self->size = 1;
    self->world[0] = papi_mpi.tables->rank;
    add(world, papi_mpi.tables->world, WORLD_ID);
    add(self, MPI_COMM_SELF, SELF_ID);
    return 0;
}

static int all_of(MPI_Comm all, int mine)
{
    int least = 0;
    return PMPI_Allreduce(&mine, &least, 1, MPI_INT, MPI_MIN, all) == MPI_SUCCESS ? least : 0;
}

int carrier_begin(MPI_Comm all)
{
    struct carrier *carrier = calloc(1, sizeof *carrier);
    papi_mpi.carrier = carrier;
    if (all_of(all, carrier != NULL) && all_of(all, make(carrier, all) == 0 && add_first() == 0))
        return 1;
    settings_complain(&papi_mpi.settings, "the critical path is not followed: a rank has no memory for it");
    return 0;
}

void carrier_start(void)
{
    struct rank_record *record = papi_mpi.record;
    if (record) {
        record->path.rank = record->rank;
        record->path_state = PATH_FOLLOWED;
    }
    atomic_fetch_or(&papi_mpi.following, FOLLOW_PATH);
}

void carrier_stop(void)
{
    atomic_fetch_and(&papi_mpi.following, ~FOLLOW_PATH);
}

/* Receives the parcels of messages that the program sent and nobody received. */
static void drain(struct carrier *carrier)
{
    struct parcel parcel;
    int there = 1;
    while (PMPI_Iprobe(MPI_ANY_SOURCE, PARCEL_TAG, carrier->comm, &there, MPI_STATUS_IGNORE) == MPI_SUCCESS &&
           there)
        PMPI_Recv(&parcel, sizeof parcel, MPI_BYTE, MPI_ANY_SOURCE, PARCEL_TAG, carrier->comm,
                  MPI_STATUS_IGNORE);
}

void carrier_end(void)
{
    struct carrier *carrier = papi_mpi.carrier;
    if (!carrier)
        return;
    if (carrier->comm) {
        drain(carrier);
        struct sent_parcel *one = carrier->oldest_sent;
        while (one && carrier_wait(&one->request) == 0)
            one = one->next;
        PMPI_Comm_free(&carrier->comm);
    }
    if (carrier->longer)
        PMPI_Op_free(&carrier->longer);
    if (carrier->type)
        PMPI_Type_free(&carrier->type);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* path CASE: ranks that work for different times and wait for each other. Each carries the length of the
 * longest chain of work that ends here in its own messages, by its own clock, and prints it at the end with
 * its work:
 *
 *   rank N chain NS useful NS steps NS ...        the steps are what it worked before each MPI call of the
 * case
 */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MOST_STEPS = 400 };
static int rank, ranks, n_steps;
static double left, chain, useful, step[MOST_STEPS];

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC_RAW, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

/* Whatever happens between two MPI calls is work. */
static void enter(void)
{
    double worked = now() - left;
    chain += worked;
    useful += worked;
    if (n_steps < MOST_STEPS)
        step[n_steps++] = worked;
}

static void leave(void)
{
    left = now();
}

#define CALL(call)                                                                                           \
    do {                                                                                                     \
        enter();                                                                                             \
        call;                                                                                                \
        leave();                                                                                             \
    } while (0)

/* Works for so much processor time: ranks that share a processor work as much as others. */
static void work(double milliseconds)
{
    clock_t end = clock() + (clock_t)(milliseconds * 1e-3 * CLOCKS_PER_SEC);
    while (clock() < end)
        continue;
}

static void meet(double other)
{
    chain = other > chain ? other : chain;
}

static void send_to(int to, int tag)
{
    enter();
    MPI_Send(&chain, 1, MPI_DOUBLE, to, tag, MPI_COMM_WORLD);
    leave();
}

static void receive_from(int from, int tag)
{
    double other = 0;
    CALL(MPI_Recv(&other, 1, MPI_DOUBLE, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    meet(other);
}

/* ---- the shapes that have a formula */

/* Each works while it waits for the one before it, and then once more. */
static void in_chain(void)
{
    work(20 + 10 * rank);
    if (rank > 0)
        receive_from(rank - 1, 1);
    work(60 - 10 * rank);
    if (rank < ranks - 1)
        send_to(rank + 1, 1);
}

static void in_ring(void)
{
    for (int round = 0; round < 3; round++) {
        if (rank > 0 || round > 0)
            receive_from((rank + ranks - 1) % ranks, round);
        work(10 + 10 * rank);
        if (round < 2 || rank < ranks - 1)
            send_to((rank + 1) % ranks, rank == ranks - 1 ? round + 1 : round);
    }
}

/* A master gives the next task to the rank that is done first. */
static void with_master(void)
{
    enum { TASKS = 9, WORK = 1, END = 2 };
    double other, told[2];
    MPI_Status status;
    for (int task = 0, at_work = 0; rank == 0 && (task < TASKS || at_work > 0);) {
        int to = task < ranks - 1 ? task + 1 : 0;
        if (to == 0) {
            CALL(MPI_Recv(&other, 1, MPI_DOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status));
            meet(other);
            to = status.MPI_SOURCE;
            at_work--;
        }
        work(2);
        enter();
        told[0] = chain;
        told[1] = 10 * task;
        MPI_Send(told, 2, MPI_DOUBLE, to, task < TASKS ? WORK : END, MPI_COMM_WORLD);
        leave();
        at_work += task < TASKS;
        task += task < TASKS;
    }
    for (int end = 0; rank > 0 && !end;) {
        CALL(MPI_Recv(told, 2, MPI_DOUBLE, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status));
        meet(told[0]);
        end = status.MPI_TAG == END;
        if (end)
            break;
        work(10 + told[1]);
        send_to(0, 7);
    }
}

/* A line of ranks sweeps over blocks: each needs its left neighbor's. */
static void in_wavefront(void)
{
    enum { BLOCKS = 6 };
    double from_left[BLOCKS], own[BLOCKS];
    MPI_Request coming[BLOCKS], going = MPI_REQUEST_NULL;
    for (int i = 0; i < BLOCKS && rank > 0; i++)
        CALL(MPI_Irecv(&from_left[i], 1, MPI_DOUBLE, rank - 1, 3, MPI_COMM_WORLD, &coming[i]));
    for (int i = 0; i < BLOCKS; i++) {
        if (rank > 0) {
            CALL(MPI_Wait(&coming[i], MPI_STATUS_IGNORE));
            meet(from_left[i]);
        }
        work(i % ranks == rank ? 30 : 10);
        if (rank == ranks - 1)
            continue;
        enter();
        own[i] = chain;
        MPI_Isend(&own[i], 1, MPI_DOUBLE, rank + 1, 3, MPI_COMM_WORLD, &going);
        leave();
        CALL(MPI_Request_free(&going));
    }
}

/* ---- collective calls */

static void all_together(MPI_Comm comm)
{
    double most = 0;
    enter();
    MPI_Allreduce(&chain, &most, 1, MPI_DOUBLE, MPI_MAX, comm);
    leave();
    meet(most);
}

static void collectively(void)
{
    double got = 0, *all = calloc((size_t)ranks, sizeof *all);
    work(10 + 20 * rank);
    enter();
    got = chain;
    MPI_Bcast(&got, 1, MPI_DOUBLE, 1, MPI_COMM_WORLD); /* from one that works less than the last */
    leave();
    meet(got);
    work(rank == 0 ? 70 : 5);
    got = 0;
    enter();
    MPI_Scan(&chain, &got, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    leave();
    meet(got);
    work(rank == 2 ? 40 : 5);
    got = 0;
    enter();
    MPI_Exscan(&chain, &got, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    leave();
    if (rank > 0)
        meet(got);
    work(5 * rank);
    got = 0;
    enter();
    MPI_Reduce(&chain, &got, 1, MPI_DOUBLE, MPI_MAX, ranks - 1, MPI_COMM_WORLD);
    leave();
    meet(got);
    work(rank == 0 ? 30 : 5);
    enter();
    MPI_Gather(&chain, 1, MPI_DOUBLE, all, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    leave();
    for (int i = 0; i < ranks && rank == 0; i++)
        meet(all[i]);
    work(10);
    enter();
    got = chain;
    MPI_Scatter(all, 1, MPI_DOUBLE, rank == 0 ? MPI_IN_PLACE : &got, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    leave();
    /* This broadcast brings what rank 0 gathered before, on which the next call depends. */
    enter();
    got = chain;
    MPI_Bcast(&got, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    leave();
    meet(got);
    work(rank == 1 ? 50 : 5);
    all_together(MPI_COMM_WORLD);
    work(5 + 5 * rank);
    free(all);
}

/* The same kinds, completed later and in another order, with work in between. */
static void collectively_later(void)
{
    double most = 0, first, root = 0, mine, neighbor[2] = {0, 0};
    MPI_Request request[3];
    MPI_Comm line;
    int period = 0;
    CALL(MPI_Cart_create(MPI_COMM_WORLD, 1, &ranks, &period, 0, &line));
    work(10 + 20 * rank);
    enter();
    mine = chain;
    MPI_Iallreduce(&mine, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD, &request[0]);
    leave();
    work(rank == 0 ? 120 : 10);
    enter();
    first = chain;
    MPI_Ibcast(&first, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD, &request[1]);
    leave();
    work(5);
    enter();
    root = chain;
    MPI_Ineighbor_allgather(&root, 1, MPI_DOUBLE, neighbor, 1, MPI_DOUBLE, line, &request[2]);
    leave();
    work(20);
    CALL(MPI_Waitall(2, request + 1, MPI_STATUSES_IGNORE));
    meet(first);
    meet(neighbor[0]);
    meet(neighbor[1]);
    work(rank == 1 ? 50 : 10);
    CALL(MPI_Wait(&request[0], MPI_STATUS_IGNORE));
    meet(most);
    all_together(MPI_COMM_WORLD);
    work(rank == 0 ? 50 : 5);
    enter();
    mine = chain;
    MPI_Iallreduce(&mine, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD, &request[0]);
    leave();
    work(5);
    CALL(MPI_Wait(&request[0], MPI_STATUS_IGNORE));
    meet(most);
    work(rank == 1 ? 60 : 5);
    CALL(MPI_Comm_free(&line));
}

/* ---- messages that are received in all kinds of ways */

/* Sends four messages from each rank to the last one, which completes the requests in reverse order, by name
 * and by wildcards. */
static void out_of_order(void)
{
    enum { MESSAGES = 4 };
    double got[MESSAGES], late = 0;
    MPI_Request request[MESSAGES];
    MPI_Status status[MESSAGES];
    int index, some, n;
    if (rank != 0) {
        for (int i = 0; i < MESSAGES; i++) {
            work(5 + 5 * rank);
            send_to(0, 5);
        }
        receive_from(0, 6);
        work(5);
        return;
    }
    for (int from = 1; from < ranks; from++) {
        for (int i = 0; i < MESSAGES; i++)
            CALL(MPI_Irecv(&got[i], 1, MPI_DOUBLE, from, 5, MPI_COMM_WORLD, &request[i]));
        CALL(MPI_Wait(&request[3], MPI_STATUS_IGNORE)); /* the third posted after the first */
        meet(got[3]);
        work(10);
        CALL(MPI_Wait(&request[1], &status[0]));
        meet(got[1]);
        request[1] = request[2];
        for (n = 2; n > 0; n--) {
            CALL(MPI_Waitany(2, request, &index, MPI_STATUS_IGNORE));
            meet(got[index == 0 ? 0 : 2]);
        }
        CALL(MPI_Waitsome(2, request, &some, &index, MPI_STATUSES_IGNORE)); /* none is left */
        work(5);
        (void)late;
        send_to(from, 6);
    }
}

static void by_wildcards(void)
{
    enum { ROUNDS = 3 };
    double *got = calloc((size_t)ranks, sizeof *got);
    MPI_Request *request = calloc((size_t)ranks, sizeof *request);
    for (int round = 0; round < ROUNDS; round++) {
        work(rank == 0 ? 5 : 10 * rank);
        if (rank != 0) {
            send_to(0, rank + round);
            receive_from(0, 9);
            continue;
        }
        for (int i = 0; i < ranks - 1; i++)
            CALL(MPI_Irecv(&got[i], 1, MPI_DOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &request[i]));
        for (int i = 0, flag = 0; i < ranks - 1; i += flag != 0) {
            CALL(MPI_Test(&request[i], &flag, MPI_STATUS_IGNORE));
            if (flag)
                meet(got[i]);
            else
                work(1); /* what is between two clocks is not counted a thousand times */
        }
        work(5);
        for (int i = 1; i < ranks; i++)
            send_to(i, 9);
    }
    free(got);
    free(request);
}

static void persistently(void)
{
    double mine, theirs = 0;
    MPI_Request request[2];
    int next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks;
    CALL(MPI_Send_init(&mine, 1, MPI_DOUBLE, next, 11, MPI_COMM_WORLD, &request[0]));
    CALL(MPI_Recv_init(&theirs, 1, MPI_DOUBLE, before, 11, MPI_COMM_WORLD, &request[1]));
    for (int round = 0; round < 4; round++) {
        work(round % ranks == rank ? 30 : 10);
        enter();
        mine = chain;
        MPI_Startall(2, request);
        leave();
        work(5);
        CALL(MPI_Waitall(2, request, MPI_STATUSES_IGNORE));
        meet(theirs);
    }
    CALL(MPI_Request_free(&request[0]));
    CALL(MPI_Request_free(&request[1]));
}

#if MPI_VERSION >= 4 && defined MPICH
/* Collective calls that are prepared once: of each kind, and started together. */
static void prepared(void)
{
    double mine = 0, most = 0, first = 0, sum = 0, neighbor[2] = {0, 0};
    MPI_Request request[4];
    MPI_Comm line;
    int period = 0;
    CALL(MPI_Cart_create(MPI_COMM_WORLD, 1, &ranks, &period, 0, &line));
    CALL(
        MPI_Allreduce_init(&mine, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD, MPI_INFO_NULL, &request[0]));
    CALL(MPI_Bcast_init(&first, 1, MPI_DOUBLE, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &request[1]));
    CALL(MPI_Exscan_init(&mine, &sum, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD, MPI_INFO_NULL, &request[2]));
    CALL(MPI_Neighbor_allgather_init(&mine, 1, MPI_DOUBLE, neighbor, 1, MPI_DOUBLE, line, MPI_INFO_NULL,
                                     &request[3]));
    for (int round = 0; round < 4; round++) {
        work(round % ranks == rank ? 30 : 10);
        enter();
        mine = first = chain;
        MPI_Start(&request[round]);
        leave();
        work(5 + 5 * rank);
        CALL(MPI_Wait(&request[round], MPI_STATUS_IGNORE));
        meet(round == 0 ? most : round == 1 ? first : round == 2 ? (rank > 0 ? sum : 0) : neighbor[0]);
        meet(round == 3 ? neighbor[1] : 0);
        work(rank == 1 ? 20 : 5);
        enter();
        mine = chain;
        MPI_Startall(1, &request[0]);
        leave();
        CALL(MPI_Wait(&request[0], MPI_STATUS_IGNORE));
        meet(most);
    }
    for (int i = 0; i < 4; i++)
        CALL(MPI_Request_free(&request[i]));
    CALL(MPI_Comm_free(&line));
}

/* A request that sends and receives. */
static void both_ways(void)
{
    double mine, theirs = 0;
    MPI_Request request;
    int next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks;
    for (int round = 0; round < 3; round++) {
        work(round % ranks == rank ? 40 : 10);
        enter();
        mine = chain;
        MPI_Isendrecv(&mine, 1, MPI_DOUBLE, next, 13, &theirs, 1, MPI_DOUBLE, before, 13, MPI_COMM_WORLD,
                      &request);
        leave();
        work(5);
        CALL(MPI_Wait(&request, MPI_STATUS_IGNORE));
        meet(theirs);
        work(rank == 2 ? 30 : 5);
        enter();
        mine = chain;
        MPI_Isendrecv_replace(&mine, 1, MPI_DOUBLE, next, 14, MPI_ANY_SOURCE, 14, MPI_COMM_WORLD, &request);
        leave();
        CALL(MPI_Wait(&request, MPI_STATUS_IGNORE));
        meet(mine);
    }
}
#endif

static void probed(void)
{
    double got = 0;
    MPI_Message message;
    MPI_Status status;
    MPI_Request request;
    work(10 * (rank + 1));
    if (rank > 0) {
        send_to(0, 20 + rank);
        send_to(0, 20 + rank);
        receive_from(0, 1);
        work(5);
        return;
    }
    for (int i = 1; i < ranks; i++) {
        CALL(MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &message,
                        i % 2 ? MPI_STATUS_IGNORE : &status));
        CALL(MPI_Mrecv(&got, 1, MPI_DOUBLE, &message, &status));
        meet(got);
        int from = status.MPI_SOURCE, flag = 0;
        while (!flag) {
            work(1);
            CALL(MPI_Improbe(from, 20 + from, MPI_COMM_WORLD, &flag, &message, MPI_STATUS_IGNORE));
        }
        CALL(MPI_Imrecv(&got, 1, MPI_DOUBLE, &message, &request));
        CALL(MPI_Wait(&request, MPI_STATUS_IGNORE));
        meet(got);
        work(10);
        send_to(from, 1);
    }
}

/* A receive that is cancelled leaves the message to the next one; Request_get_status, MPI_PROC_NULL,
 * MPI_COMM_SELF. */
static void oddly(void)
{
    double got = 0, none = 0, mine;
    MPI_Request request;
    MPI_Status status;
    int flag = 0, next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks;
    CALL(MPI_Irecv(&none, 1, MPI_DOUBLE, before, 30, MPI_COMM_WORLD, &request));
    CALL(MPI_Cancel(&request));
    CALL(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CALL(MPI_Barrier(MPI_COMM_WORLD)); /* nobody has sent yet */
    all_together(MPI_COMM_WORLD);
    work(10 + 10 * rank);
    send_to(next, 30);
    receive_from(before, 30);
    CALL(MPI_Irecv(&got, 1, MPI_DOUBLE, before, 31, MPI_COMM_WORLD, &request));
    work(10);
    send_to(next, 31);
    while (!flag) {
        work(1);
        CALL(MPI_Request_get_status(request, &flag, &status));
    }
    meet(got);
    work(10);
    CALL(MPI_Wait(&request, &status));
    send_to(MPI_PROC_NULL, 1);
    receive_from(MPI_PROC_NULL, 1);
    enter();
    mine = chain;
    MPI_Sendrecv(&mine, 1, MPI_DOUBLE, next, 32, &got, 1, MPI_DOUBLE, MPI_ANY_SOURCE, 32, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    leave();
    meet(got);
    work(rank == 1 ? 30 : 5);
    enter();
    mine = chain;
    MPI_Sendrecv(&mine, 1, MPI_DOUBLE, 0, 33, &got, 1, MPI_DOUBLE, 0, 33, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    leave();
    enter();
    mine = chain;
    MPI_Sendrecv_replace(&mine, 1, MPI_DOUBLE, next, 34, before, 34, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    leave();
    meet(mine);
    work(5);
}

/* The same tag to the same rank on several communicators; halves, and an intercommunicator between them. */
static void on_communicators(void)
{
    double got = 0, mine;
    MPI_Comm copy, half, between, merged;
    int upper = rank >= ranks / 2, own = 0, others = 0;
    CALL(MPI_Comm_dup(MPI_COMM_WORLD, &copy));
    CALL(MPI_Comm_split(copy, upper, -rank, &half));
    CALL(MPI_Intercomm_create(half, 0, copy, upper ? ranks / 2 - 1 : ranks - 1, 5, &between));
    all_together(MPI_COMM_WORLD);
    if (rank == 0) {
        work(20);
        send_to(1, 4);
        work(20);
        enter();
        MPI_Send(&chain, 1, MPI_DOUBLE, 1, 4, copy);
        leave();
        work(20);
    }
    if (rank == 1) {
        CALL(MPI_Recv(&got, 1, MPI_DOUBLE, 0, 4, copy, MPI_STATUS_IGNORE)); /* the later one first */
        meet(got);
        work(10);
        receive_from(0, 4);
    }
    MPI_Comm_rank(half, &own);
    MPI_Comm_remote_size(between, &others);
    work(upper ? 10 : 30);
    enter();
    mine = chain;
    MPI_Sendrecv(&mine, 1, MPI_DOUBLE, own % others, 6, &got, 1, MPI_DOUBLE, own % others, 6, between,
                 MPI_STATUS_IGNORE);
    leave();
    meet(got);
    work(10);
    enter();
    got = 0;
    MPI_Allreduce(&chain, &got, 1, MPI_DOUBLE, MPI_MAX, between); /* the other half's */
    leave();
    meet(got);
    work(5 * rank);
    enter();
    mine = chain;
    MPI_Bcast(&mine, 1, MPI_DOUBLE, upper ? 0 : own == 0 ? MPI_ROOT : MPI_PROC_NULL, between);
    leave();
    if (upper)
        meet(mine);
    work(5);
    CALL(MPI_Intercomm_merge(between, upper, &merged));
    all_together(merged);
    work(10);
    CALL(MPI_Comm_free(&merged));
    CALL(MPI_Comm_free(&between));
    CALL(MPI_Comm_free(&half));
    CALL(MPI_Comm_free(&copy));
    all_together(MPI_COMM_WORLD);
}

/* The copies are of the same ranks, and the messages of one are not the other's. */
static void on_copies(void)
{
    MPI_Comm copy[2], again, half, of_half;
    int half_rank, half_ranks;
    MPI_Request request[2];
    double got = 0, mine;
    CALL(MPI_Comm_idup(MPI_COMM_WORLD, &copy[0], &request[0]));
    work(5 * rank);
    CALL(MPI_Comm_idup(MPI_COMM_WORLD, &copy[1], &request[1]));
    CALL(MPI_Waitall(2, request, MPI_STATUSES_IGNORE));
    all_together(MPI_COMM_WORLD);
    CALL(MPI_Comm_idup(copy[0], &again, &request[0]));
    CALL(MPI_Wait(&request[0], MPI_STATUS_IGNORE));
    CALL(MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half));
    CALL(MPI_Comm_idup(half, &of_half, &request[0]));
    CALL(MPI_Wait(&request[0], MPI_STATUS_IGNORE));
    for (int i = 0; i < 3 && rank < 2; i++) {
        MPI_Comm with = i < 2 ? copy[rank == 0 ? i : 1 - i] : again; /* the later one first */
        work(20);
        if (rank == 0) {
            enter();
            MPI_Send(&chain, 1, MPI_DOUBLE, 1, 4, with);
            leave();
        } else {
            CALL(MPI_Recv(&got, 1, MPI_DOUBLE, 0, 4, with, MPI_STATUS_IGNORE));
            meet(got);
        }
    }
    all_together(again);
    MPI_Comm_size(of_half, &half_ranks);
    MPI_Comm_rank(of_half, &half_rank);
    work(10 + 10 * half_rank);
    enter();
    mine = chain;
    MPI_Sendrecv_replace(&mine, 1, MPI_DOUBLE, (half_rank + 1) % half_ranks, 5,
                         (half_rank + half_ranks - 1) % half_ranks, 5, of_half, MPI_STATUS_IGNORE);
    leave();
    meet(mine);
    all_together(copy[1]);
    CALL(MPI_Comm_free(&of_half));
    CALL(MPI_Comm_free(&half));
    CALL(MPI_Comm_free(&again));
    CALL(MPI_Comm_free(&copy[1]));
    CALL(MPI_Comm_free(&copy[0]));
    all_together(MPI_COMM_WORLD);
}

static const struct {
    const char *name;
    void (*run)(void);
} cases[] = {{"chain", in_chain},
             {"ring", in_ring},
             {"master", with_master},
             {"wavefront", in_wavefront},
             {"collective", collectively},
             {"later", collectively_later},
             {"order", out_of_order},
             {"wildcards", by_wildcards},
             {"persistent", persistently},
             {"probed", probed},
#if MPI_VERSION >= 4 && defined MPICH
             {"prepared", prepared},
             {"both_ways", both_ways},
#endif
             {"odd", oddly},
             {"communicators", on_communicators},
             {"copies", on_copies}};

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    leave();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (argc > 1 && strcmp(argv[1], cases[i].name) == 0)
            cases[i].run();
    enter();
    MPI_Finalize();
    /* Written in one piece, since lines of ranks must not get into each other. */
    static char line[(MOST_STEPS + 10) * 16];
    int length = sprintf(line, "rank %d chain %.0f useful %.0f steps", rank, chain, useful);
    for (int i = 0; i < n_steps; i++)
        length += sprintf(line + length, " %.0f", step[i]);
    line[length++] = '\n';
    return write(STDOUT_FILENO, line, (size_t)length) != length;
}

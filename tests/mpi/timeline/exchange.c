/* SPDX-License-Identifier: BSD-3-Clause
 *
 * exchange SEED ROUNDS FOLDER: ranks 1 and up send messages to rank 0, which receives and completes them in
 * ways that chance gives. Each rank writes to FOLDER/RANK what happened at which of its calls, as the program
 * sees it:
 *   sent MESSAGE CALL       the call that began to send it
 *   received MESSAGE CALL   the call that had it when it returned
 *   calls N                 all of them
 * Rounds end with a barrier, and no receive of theirs
 * is left. What a round's receives leave open - any source, any tag, both - is chosen so that all of them get
 * a message, in whatever order these come. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 6, TAGS = 3, SIZE = 8192 };

static int rank, ranks, calls, messages;
static unsigned state;

/* Counts the call that follows. */
#define CALL (void)(calls++), (void)

static unsigned chance(unsigned n)
{
    state = state * 1103515245 + 12345;
    return (state >> 16) % n;
}

/* ---- a round, the same on all ranks */

enum opening { CLOSED, ANY_SOURCE, ANY_TAG, ANY_BOTH, ONE_SENDER };

struct message {
    int source, tag, id;
};

struct round {
    int n, with_cancel;
    enum opening opening;
    struct message message[MOST];
};

static struct round next_round(void)
{
    struct round round = {.n = 1 + (int)chance(MOST), .with_cancel = chance(4) == 0, .opening = chance(5)};
    int source = 1 + (int)chance((unsigned)ranks - 1), tag = (int)chance(TAGS);
    for (int i = 0; i < round.n; i++) {
        struct message *message = &round.message[i];
        int one_source = round.opening == ANY_TAG || round.opening == ONE_SENDER;
        int one_tag = round.opening == ANY_SOURCE || round.opening == ONE_SENDER;
        message->source = one_source ? source : 1 + (int)chance((unsigned)ranks - 1);
        message->tag = one_tag ? tag : (int)chance(TAGS);
        message->id = ++messages;
    }
    return round;
}

/* ---- sending */

static void send_one(const struct message *message, unsigned how, MPI_Request *request)
{
    static int data[MOST][SIZE];
    int *first = data[message->id % MOST], count = message->id % 2 ? 1 : SIZE;
    *first = message->id;
    *request = MPI_REQUEST_NULL;
    if (how == 2)
        CALL MPI_Send_init(first, count, MPI_INT, 0, message->tag, MPI_COMM_WORLD, request);
    printf("sent %d %d\n", message->id, calls);
    if (how == 0)
        CALL MPI_Send(first, count, MPI_INT, 0, message->tag, MPI_COMM_WORLD);
    else if (how == 1)
        CALL MPI_Isend(first, count, MPI_INT, 0, message->tag, MPI_COMM_WORLD, request);
    else
        CALL MPI_Start(request);
}

static void send_all(const struct round *round)
{
    MPI_Request request[MOST];
    int n = 0;
    for (int i = 0; i < round->n; i++)
        if (round->message[i].source == rank)
            send_one(&round->message[i], (unsigned)(round->message[i].id * 7 / 3) % 3, &request[n++]);
    if (n > 0)
        CALL MPI_Waitall(n, request, MPI_STATUSES_IGNORE);
    for (int i = 0; i < n; i++)
        if (request[i] != MPI_REQUEST_NULL)
            CALL MPI_Request_free(&request[i]);
}

/* ---- receiving */

static int received[MOST + 1][SIZE];

static void tell(int i)
{
    printf("received %d %d\n", received[i][0], calls - 1);
}

static int source_of(const struct round *round, int i, unsigned half)
{
    int any =
        round->opening == ANY_SOURCE || round->opening == ANY_BOTH || (round->opening == ONE_SENDER && half);
    return any ? MPI_ANY_SOURCE : round->message[i].source;
}

static int tag_of(const struct round *round, int i, unsigned half)
{
    int any = round->opening == ANY_TAG || round->opening == ANY_BOTH ||
              (round->opening == ONE_SENDER && half == 2);
    return any ? MPI_ANY_TAG : round->message[i].tag;
}

static void post(const struct round *round, MPI_Request *request, int persistent)
{
    for (int i = 0; i < round->n; i++) {
        unsigned half = chance(3);
        int source = source_of(round, i, half), tag = tag_of(round, i, half);
        if (persistent)
            CALL MPI_Recv_init(received[i], SIZE, MPI_INT, source, tag, MPI_COMM_WORLD, &request[i]);
        else
            CALL MPI_Irecv(received[i], SIZE, MPI_INT, source, tag, MPI_COMM_WORLD, &request[i]);
    }
    if (persistent && chance(2))
        CALL MPI_Startall(round->n, request);
    else if (persistent)
        for (int i = round->n - 1; i >= 0; i--)
            CALL MPI_Start(&request[i]);
}

/* Completes what is left of them, one way or another. Returns how many it has completed. */
static int complete(int n, MPI_Request *request, int *done)
{
    int place[MOST], count = 0, flag = 0, i = (int)chance((unsigned)n);
    MPI_Status status[MOST];
    MPI_Status *one = chance(2) ? MPI_STATUS_IGNORE : status;
    switch (chance(7)) {
    case 0:
        while (done[i])
            i = (i + 1) % n;
        CALL MPI_Wait(&request[i], one);
        place[count++] = i;
        break;
    case 1:
        CALL MPI_Waitall(n, request, chance(2) ? MPI_STATUSES_IGNORE : status);
        for (i = 0; i < n; i++)
            if (!done[i])
                place[count++] = i;
        break;
    case 2:
        CALL MPI_Waitany(n, request, place, one);
        count = 1;
        break;
    case 3:
        CALL MPI_Waitsome(n, request, &count, place, chance(2) ? MPI_STATUSES_IGNORE : status);
        break;
    case 4:
        while (done[i])
            i = (i + 1) % n;
        CALL MPI_Test(&request[i], &flag, one);
        place[0] = i;
        count = flag;
        break;
    case 5:
        CALL MPI_Testany(n, request, place, &flag, one);
        count = flag;
        break;
    default:
        CALL MPI_Testsome(n, request, &count, place, chance(2) ? MPI_STATUSES_IGNORE : status);
    }
    for (i = 0; i < count; i++) {
        done[place[i]] = 1;
        tell(place[i]);
    }
    return count;
}

static void receive_by_requests(const struct round *round)
{
    MPI_Request request[MOST];
    int done[MOST] = {0}, persistent = chance(3) == 0;
    post(round, request, persistent);
    for (int left = round->n; left > 0;)
        left -= complete(round->n, request, done);
    for (int i = 0; i < round->n && persistent; i++)
        CALL MPI_Request_free(&request[i]);
}

static void receive_at_once(const struct round *round)
{
    for (int i = 0; i < round->n; i++) {
        unsigned half = chance(3);
        CALL MPI_Recv(received[i], SIZE, MPI_INT, source_of(round, i, half), tag_of(round, i, half),
                      MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        tell(i);
    }
}

/* A receive of which the message, if there is one, comes in a later round. */
static void cancel_one(void)
{
    MPI_Request request;
    CALL MPI_Irecv(received[MOST], SIZE, MPI_INT, chance(2) ? MPI_ANY_SOURCE : 1, (int)chance(TAGS),
                   MPI_COMM_WORLD, &request);
    CALL MPI_Cancel(&request);
    CALL MPI_Wait(&request, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    char name[4096];
    snprintf(name, sizeof name, "%s/%d", argv[3], rank);
    if (freopen(name, "w", stdout) == NULL)
        return 1;
    unsigned shared = (unsigned)atoi(argv[1]);
    for (int rounds = atoi(argv[2]); rounds > 0; rounds--) {
        state = shared;
        struct round round = next_round();
        shared = state;
        state += (unsigned)rank * 17;
        if (rank == 0 && round.with_cancel)
            cancel_one();
        CALL MPI_Barrier(MPI_COMM_WORLD);
        if (rank > 0)
            send_all(&round);
        else if (chance(4) == 0)
            receive_at_once(&round);
        else
            receive_by_requests(&round);
        CALL MPI_Barrier(MPI_COMM_WORLD);
    }
    printf("calls %d\n", calls);
    MPI_Finalize();
    return 0;
}

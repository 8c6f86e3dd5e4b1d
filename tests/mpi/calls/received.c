/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages that are received in all ways: each rank prints what must have come to it, by the call that
 * completed it. Two ranks that do the same. Whatever is sent is received, so that both sums are the same. The
 * argument: 1: several threads may call MPI; 2: nothing is done of which a side may not be
 * counted; 3: nothing but a request that is cancelled. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void save_records(int rank);

enum { CALLS = 32, MANY = 40 };

static int rank, other;
static char sent[1 << 20], room[MANY][1 << 10], large[1 << 20];
static struct {
    const char *name;
    long bytes;
} expected[CALLS];
static long messages;

static void came(const char *name, long bytes)
{
    int i = 0;
    while (expected[i].name && strcmp(expected[i].name, name) != 0)
        i++;
    expected[i].name = name;
    expected[i].bytes += bytes;
    messages++;
}

static void send_to(int bytes, int tag)
{
    MPI_Send(sent, bytes, MPI_BYTE, other, tag, MPI_COMM_WORLD);
}

/* Sends that are short go first; what is received has room for more than comes. */
static void receives(void)
{
    MPI_Status status;
    MPI_Message message;
    send_to(10, 1);
    MPI_Recv(room[0], 100, MPI_BYTE, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    came("MPI_Recv", 10);
    send_to(11, 1);
    MPI_Recv(room[0], 100, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    came("MPI_Recv", 11);
    MPI_Recv(room[0], 100, MPI_BYTE, MPI_PROC_NULL, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(sent, 12, MPI_BYTE, other, 2, room[0], 100, MPI_BYTE, other, 2, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    came("MPI_Sendrecv", 12);
    MPI_Sendrecv_replace(room[0], 13, MPI_BYTE, other, 2, other, 2, MPI_COMM_WORLD, &status);
    came("MPI_Sendrecv_replace", 13);
    send_to(14, 3);
    MPI_Mprobe(other, 3, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
    MPI_Mrecv(room[0], 100, MPI_BYTE, &message, MPI_STATUS_IGNORE);
    came("MPI_Mrecv", 14);
}

static void receive(int i, int tag, MPI_Request *request)
{
    MPI_Irecv(room[i], 1000, MPI_BYTE, other, tag, MPI_COMM_WORLD, request);
}

static void one_request(void)
{
    MPI_Request request;
    MPI_Message message;
    int flag = 0;
    receive(0, 4, &request);
    send_to(15, 4);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    came("MPI_Wait", 15);
    MPI_Isend(sent, 1000, MPI_BYTE, other, 4, MPI_COMM_WORLD, &request); /* its handle may be the receive's */
    MPI_Recv(room[0], 1000, MPI_BYTE, other, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    came("MPI_Recv", 1000);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE); /* of the null request */
    receive(0, 4, &request);
    send_to(16, 4);
    while (!flag)
        MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE);
    for (flag = 0; !flag;)
        MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    came("MPI_Test", 16);
    send_to(17, 5);
    MPI_Mprobe(other, 5, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
    MPI_Imrecv(room[0], 1000, MPI_BYTE, &message, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    came("MPI_Wait", 17);
    MPI_Irecv(room[0], 1000, MPI_BYTE, MPI_PROC_NULL, 4, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void cancelled(void)
{
    MPI_Request request;
    receive(0, 6, &request);
    MPI_Cancel(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void persistent(void)
{
    MPI_Request request[2];
    MPI_Status status;
    MPI_Recv_init(room[0], 1000, MPI_BYTE, other, 7, MPI_COMM_WORLD, &request[0]);
    MPI_Send_init(sent, 18, MPI_BYTE, other, 7, MPI_COMM_WORLD, &request[1]);
    for (int i = 0; i < 3; i++) {
        MPI_Startall(2, request);
        MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
        came("MPI_Waitall", 18);
    }
    MPI_Wait(&request[0], &status); /* of one that was not started */
    MPI_Wait(&request[0], MPI_STATUS_IGNORE);
    MPI_Start(&request[0]);
    MPI_Start(&request[1]);
    MPI_Wait(&request[1], MPI_STATUS_IGNORE);
    MPI_Wait(&request[0], MPI_STATUS_IGNORE);
    came("MPI_Wait", 18);
    MPI_Request_free(&request[0]);
    MPI_Request_free(&request[1]);
}

/* Posts n receives, the i-th of i bytes, and as many sends behind them. */
static void post(int n, MPI_Request *request)
{
    for (int i = 0; i < n; i++)
        receive(i, 100 + i, &request[i]);
    for (int i = 0; i < n; i++)
        MPI_Isend(sent, i, MPI_BYTE, other, 100 + i, MPI_COMM_WORLD, &request[n + i]);
}

static void several(void)
{
    MPI_Request request[2 * MANY];
    MPI_Status statuses[2 * MANY];
    int index, flag, n, indices[2 * MANY];
    for (n = 3; n <= MANY; n += MANY - 3) { /* few of them, and many */
        post(n, request);
        MPI_Waitall(2 * n, request, MPI_STATUSES_IGNORE);
        for (int i = 0; i < n; i++)
            came("MPI_Waitall", i);
        post(n, request);
        MPI_Waitall(2 * n, request, statuses);
        for (int i = 0; i < n; i++)
            came("MPI_Waitall", i);
        post(n, request);
        for (flag = 0; !flag;)
            MPI_Testall(2 * n, request, &flag, MPI_STATUSES_IGNORE);
        for (int i = 0; i < n; i++)
            came("MPI_Testall", i);
        post(n, request);
        for (index = 0; index != MPI_UNDEFINED;) {
            MPI_Waitany(2 * n, request, &index, MPI_STATUS_IGNORE);
            if (index >= 0 && index < n)
                came("MPI_Waitany", index);
        }
        post(n, request);
        for (flag = index = 0; !flag || index != MPI_UNDEFINED;) {
            MPI_Testany(2 * n, request, &index, &flag, MPI_STATUS_IGNORE);
            if (flag && index >= 0 && index < n)
                came("MPI_Testany", index);
        }
        post(n, request);
        for (int done = 0; done != MPI_UNDEFINED;) {
            MPI_Waitsome(2 * n, request, &done, indices, MPI_STATUSES_IGNORE);
            for (int i = 0; i < done; i++)
                if (indices[i] < n)
                    came("MPI_Waitsome", indices[i]);
        }
        post(n, request);
        for (int done = 0; done != MPI_UNDEFINED;) {
            MPI_Testsome(2 * n, request, &done, indices, statuses);
            for (int i = 0; i < done; i++)
                if (indices[i] < n)
                    came("MPI_Testsome", indices[i]);
        }
    }
}

/* Sends of which MPI itself keeps account until they are received. */
static void large_ones(void)
{
    MPI_Request request[2];
    MPI_Irecv(large, sizeof large, MPI_BYTE, other, 8, MPI_COMM_WORLD, &request[0]);
    MPI_Issend(sent, sizeof sent, MPI_BYTE, other, 8, MPI_COMM_WORLD, &request[1]);
    MPI_Wait(&request[1], MPI_STATUS_IGNORE);
    MPI_Wait(&request[0], MPI_STATUS_IGNORE);
    came("MPI_Wait", sizeof large);
}

/* Posted while nothing is counted, and the other way round: then the send is counted, and the receive not. */
static void paused(long *uncounted)
{
    MPI_Request request;
    MPI_Pcontrol(0);
    receive(0, 9, &request);
    MPI_Pcontrol(1);
    send_to(19, 9);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    came("MPI_Wait", 19);
    receive(0, 9, &request);
    send_to(20, 9);
    MPI_Pcontrol(0);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Isend(sent, 500, MPI_BYTE, other, 9, MPI_COMM_WORLD, &request);
    MPI_Recv(room[0], 1000, MPI_BYTE, other, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Pcontrol(1);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    *uncounted += 20;
}

/* Nobody waits for the request: how long the message was, nobody says. */
static void freed(long *uncounted)
{
    MPI_Request request;
    receive(0, 10, &request);
    MPI_Request_free(&request);
    send_to(21, 10);
    MPI_Barrier(MPI_COMM_WORLD);
    *uncounted += 21;
}

/* A persistent send that was made while nothing was counted. */
static void unknown(void)
{
    MPI_Request request;
    MPI_Pcontrol(0);
    MPI_Send_init(sent, 22, MPI_BYTE, other, 11, MPI_COMM_WORLD, &request);
    MPI_Pcontrol(1);
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
    MPI_Pcontrol(0);
    MPI_Recv(room[0], 1000, MPI_BYTE, other, 11, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Pcontrol(1);
}

int main(int argc, char **argv)
{
    int level = argc > 1 ? atoi(argv[1]) : 0, provided;
    long uncounted = 0;
    MPI_Init_thread(&argc, &argv, level == 1 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    other = 1 - rank;
    receives();
    for (int i = 0; i < 3; i++) {
        one_request();
        if (level != 2)
            cancelled();
        several();
    }
    persistent();
    large_ones();
    if (level < 2) {
        paused(&uncounted);
        freed(&uncounted);
        unknown();
    }
    save_records(rank);
    char line[4096] = "";
    for (int i = 0; expected[i].name; i++)
        snprintf(line + strlen(line), sizeof line - strlen(line), ", \"%s\": %ld", expected[i].name,
                 expected[i].bytes);
    MPI_Finalize();
    printf("{\"rank\": %d, \"messages\": %ld, \"not\": %ld, \"bytes\": {%s}}\n", rank, messages, uncounted,
           line + 2);
    return 0;
}

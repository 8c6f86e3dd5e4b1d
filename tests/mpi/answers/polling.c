/* SPDX-License-Identifier: BSD-3-Clause */
/* polling KIND: rank 0 works 0.1 s and then sends, 8 times; the others have nothing to do and ask whether the
 * message came, by the call of that name. KIND is a call in small letters without "MPI_", or one of
 *   sleep, yield   MPI_Iprobe, and between two of them the program sleeps, or yields its processor
 *   overlap        they work as long as rank 0, and call MPI_Test after each half millisecond
 *   fine           the same with 20 microseconds
 *   mixed          they work half as long in that way, and then look for the message all the time */
#include "known.h"

#include <mpi.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { TURNS = 8, TAG = 5 };
static const double work = 0.1;

static int found, message;
static MPI_Request request[2];
static MPI_Status statuses[2];
static MPI_Message matched;
static double useful;

static void wait_by(void (*test)(void))
{
    for (found = 0; !found;)
        test();
}

static double spin(double seconds)
{
    double begin = known_now(), now = begin;
    while (now < begin + seconds)
        now = known_now();
    useful += now - begin;
    return now - begin;
}

static void test(void)
{
    MPI_Test(&request[0], &found, MPI_STATUS_IGNORE); /* place: test */
}

static void testall(void)
{
    MPI_Testall(1, request, &found, statuses); /* place: testall */
}

static void testany(void)
{
    int index;
    MPI_Testany(2, request, &index, &found, MPI_STATUS_IGNORE); /* place: testany */
}

static void testsome(void)
{
    int indices[2];
    MPI_Testsome(2, request, &found, indices, statuses); /* place: testsome */
}

static void request_get_status(void)
{
    MPI_Request_get_status(request[0], &found, MPI_STATUS_IGNORE); /* place: request_get_status */
}

static void iprobe(void)
{
    MPI_Iprobe(0, TAG, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE); /* place: iprobe */
}

static void improbe(void)
{
    MPI_Improbe(0, TAG, MPI_COMM_WORLD, &found, &matched, MPI_STATUS_IGNORE); /* place: improbe */
}

static void sleeping(void)
{
    const struct timespec turn = {.tv_nsec = 200000};
    iprobe();
    nanosleep(&turn, NULL);
}

static void yielding(void)
{
    iprobe();
    sched_yield();
}

static const struct {
    const char *kind;
    void (*test)(void);
    int posts;   /* a receive, before */
    double part; /* of rank 0's work, that others have, ... */
    double step; /* ... and do in such steps, with a test after each */
} kinds[] = {{"test", test, 1, 0, 0},       {"testall", testall, 1, 0, 0},
             {"testany", testany, 1, 0, 0}, {"testsome", testsome, 1, 0, 0},
             {"iprobe", iprobe, 0, 0, 0},   {"improbe", improbe, 0, 0, 0},
             {"sleep", sleeping, 0, 0, 0},  {"yield", yielding, 0, 0, 0},
             {"overlap", test, 1, 1, 5e-4}, {"fine", test, 1, 1, 2e-5},
             {"mixed", test, 1, 0.5, 5e-4}, {"request_get_status", request_get_status, 1, 0, 0}};

int main(int argc, char **argv)
{
    int rank, ranks, k = 0;
    MPI_Init(&argc, &argv);
    known_begin();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    while (argc < 2 || strcmp(kinds[k].kind, argv[1]) != 0)
        if (++k == sizeof kinds / sizeof *kinds)
            abort();
    request[1] = MPI_REQUEST_NULL;
    for (int turn = 0; turn < TURNS; turn++) {
        if (rank == 0) {
            spin(work);
            for (int other = 1; other < ranks; other++)
                MPI_Send(&turn, 1, MPI_INT, other, TAG, MPI_COMM_WORLD);
        } else {
            matched = MPI_MESSAGE_NULL;
            if (kinds[k].posts)
                MPI_Irecv(&message, 1, MPI_INT, 0, TAG, MPI_COMM_WORLD, &request[0]);
            found = 0;
            for (double done = 0; done < kinds[k].part * work; done += spin(kinds[k].step))
                if (kinds[k].posts && !found)
                    kinds[k].test();
            if (!found)
                wait_by(kinds[k].test);
            if (matched != MPI_MESSAGE_NULL)
                MPI_Mrecv(&message, 1, MPI_INT, &matched, MPI_STATUS_IGNORE);
            else if (!kinds[k].posts)
                MPI_Recv(&message, 1, MPI_INT, 0, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            else if (request[0] != MPI_REQUEST_NULL)
                MPI_Wait(&request[0], MPI_STATUS_IGNORE);
        }
    }
    MPI_Barrier(MPI_COMM_WORLD);
    known_note("useful", useful);
    known_end(rank);
    MPI_Finalize();
    return 0;
}

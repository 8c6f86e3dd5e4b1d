/* SPDX-License-Identifier: BSD-3-Clause */
/* zlib: each rank of MPI compresses its part of a text; the first has it back. */
#include "zlib.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

int main(int argc, char **argv)
{
    enum { PART = 60000, ROOM = 70000, MOST = 16 };
    static unsigned char text[PART * MOST], own[ROOM], all[ROOM * MOST], back[PART];
    static int size[MOST], place[MOST];
    int rank, ranks, wrong = 0;
    uLongf packed = ROOM;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    text_make(text, (size_t)PART * ranks);
    if (ranks > MOST || compress2(own, &packed, text + (size_t)PART * rank, PART, 6) != Z_OK)
        MPI_Abort(MPI_COMM_WORLD, 1);
    int n = (int)packed;
    MPI_Gather(&n, 1, MPI_INT, size, 1, MPI_INT, 0, MPI_COMM_WORLD);
    for (int i = 0; i < ranks; i++)
        place[i] = i * ROOM;
    MPI_Gatherv(own, n, MPI_BYTE, all, size, place, MPI_BYTE, 0, MPI_COMM_WORLD);
    for (int i = 0; i < ranks && rank == 0; i++) {
        uLongf length = PART;
        wrong += uncompress(back, &length, all + place[i], size[i]) != Z_OK || length != PART ||
                 memcmp(back, text + (size_t)PART * i, PART) != 0;
    }
    MPI_Finalize();
    return wrong;
}

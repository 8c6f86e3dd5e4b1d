/* SPDX-License-Identifier: BSD-3-Clause
 *
 * soak_rank FOLDER TURNS: a rank of the job that bench/soak kills. What it has done is in FOLDER/ledger.RANK
 * at any moment, for comparison with what is recovered of its record. It ends by itself after a minute at
 * most.
 */
#include "papi.h"

#include <fcntl.h>
#include <mpi.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { BYTES = 64, MEETING = 50, LIMIT = 60 /* seconds */ };

/* The progress of a rank, in a file that bench/soak reads. state: 0, 1 after MPI_Init, 2 before MPI_Finalize,
 * 3 after it. */
struct ledger {
    _Atomic long long state, begun, finished;
};

static struct ledger *open_ledger(const char *folder)
{
    const char *rank = getenv("PMI_RANK");
    struct ledger *ledger;
    char path[4096];
    int fd;
    snprintf(path, sizeof path, "%s/ledger.%s", folder, rank != NULL ? rank : "0");
    fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0 || ftruncate(fd, sizeof *ledger) != 0)
        return NULL;
    ledger = mmap(NULL, sizeof *ledger, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    return ledger != MAP_FAILED ? ledger : NULL;
}

static void turn(struct ledger *ledger)
{
    char out[BYTES] = "", in[BYTES];
    PAPI_hl_region_begin("turn");
    atomic_fetch_add(&ledger->begun, 1);
    MPI_Sendrecv(out, BYTES, MPI_CHAR, 0, 1, in, BYTES, MPI_CHAR, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    atomic_fetch_add(&ledger->finished, 1);
    PAPI_hl_region_end("turn");
}

int main(int argc, char **argv)
{
    struct ledger *ledger = argc == 3 ? open_ledger(argv[1]) : NULL;
    long turns = argc == 3 ? atol(argv[2]) : 0;
    if (ledger == NULL) {
        fprintf(stderr, "Usage: %s FOLDER TURNS\n", argv[0]);
        return 2;
    }
    alarm(LIMIT);
    MPI_Init(&argc, &argv);
    atomic_store(&ledger->state, 1);
    for (long i = 0; i < turns; i++) {
        turn(ledger);
        if (i % MEETING == 0)
            MPI_Barrier(MPI_COMM_WORLD);
    }
    atomic_store(&ledger->state, 2);
    MPI_Finalize();
    atomic_store(&ledger->state, 3);
    return 0;
}

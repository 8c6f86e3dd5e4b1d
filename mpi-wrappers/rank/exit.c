/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/visible.h"
#include "rank/rank.h"
#include "rank/record_file.h"
#include "rank/share.h"

#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* What standard error holds that its reader, the launcher, has not taken yet. 0 too where nobody can tell. */
static int unread(void)
{
    struct stat file;
    int bytes = 0;
    if (fstat(STDERR_FILENO, &file) != 0)
        return 0;
    if (S_ISFIFO(file.st_mode) && ioctl(STDERR_FILENO, FIONREAD, &bytes) != 0)
        return 0;
    if (S_ISSOCK(file.st_mode) && ioctl(STDERR_FILENO, TIOCOUTQ, &bytes) != 0)
        return 0;
    return bytes;
}

void rank_wait_heard(void)
{
    enum { TURNS = 250 };
    const struct timespec turn = {.tv_nsec = 2000000};

    for (int i = 0; i < TURNS && unread() > 0; i++)
        nanosleep(&turn, NULL);
}

void rank_tell(const char *what)
{
    const struct rank_record *record = papi_mpi.record;
    const char *directory = file_directory(papi_mpi.file);
    char line[5000], shown[4200] = "";
    if (strcmp(papi_mpi.settings.report, "none") == 0)
        return;
    if (directory != NULL)
        visible(shown, sizeof shown, directory);
    int n = snprintf(
        line, sizeof line, "papi_mpi: rank %d %s; its figures%s%s\n", record->rank, what,
        directory != NULL ? ": papi_mpi_report --recover " : " were in plain memory and are lost", shown);
    if (write(STDERR_FILENO, line, (size_t)n) != n)
        return; /* nobody is there to be told */
}

/* A rank that ends without MPI_Finalize, as far as it ends by exit or by the end of main. Neither MPI nor
 * anything that could wait: the other ranks go on, or their launcher ends them. */
static __attribute__((destructor)) void rank_exits(void)
{
    struct rank_record *record = papi_mpi.record;
    if (record == NULL || atomic_load(&record->state) != RANK_RUNS)
        return;
    if (record->pid != (int32_t)getpid()) /* a child that came by another way than fork() */
        return;
    atomic_store(&papi_mpi.counting, 0);
    record->end = clock_ticks();
    share_end(record);
    rank_update();
    atomic_store(&record->state, RANK_EXITS);
    rank_tell("ends without MPI_Finalize");
}

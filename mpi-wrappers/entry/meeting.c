/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds the ranks that have this library, so that no collective call waits for one without it.
 *
 * Ranks on the same machine see each other by sockets (rank/machine.h): one of them asks who is there, and
 * tells the others, who sleep meanwhile. Where all ranks are on one machine, that is enough. Otherwise the
 * machines must agree, and without MPI communication, since a rank without the library would not take part:
 * the ranks that ask, one on each machine, use the launcher's name service (job/agreement.h). The one that
 * decides waits for the lists of all machines with a limit of time, and publishes the ranks that are absent;
 * the others wait for that answer. All act on the same answer, so all create the same communicator.
 *
 * Where nobody keeps names, all ranks are taken to have the library, as they mostly do; where no answer comes
 * in time, nothing is measured, and that is said.
 */
#include "entry/lifecycle.h"

#include "job/agreement.h"
#include "job/collect.h"
#include "job/rank_list.h"
#include "rank/machine.h"
#include "rank/rank.h"
#include "report/reports.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- what the launcher keeps */

/* The seconds that a machine waits for the others: more of a large job's begin late. */
static int patience(int ranks)
{
    return 10 + ranks / 2000;
}

static const char undecided[] = "?";

_Static_assert((int)MPI_MAX_PORT_NAME <= (int)AGREEMENT_VALUE, "a value of MPI's has room");

static void publish(void *context, const char *name, const char *value)
{
    (void)context;
    PMPI_Publish_name((char *)(uintptr_t)name, MPI_INFO_NULL, (char *)(uintptr_t)value);
}

static bool look_up(void *context, const char *name, char value[AGREEMENT_VALUE])
{
    (void)context;
    return PMPI_Lookup_name((char *)(uintptr_t)name, MPI_INFO_NULL, value) == MPI_SUCCESS;
}

/* Sleeps, twice as long at each call up to 100 ms. Returns 0 after end: the time is over. */
static int pause_until(time_t end, long *milliseconds)
{
    const struct timespec turn = {.tv_nsec = *milliseconds * 1000000};
    nanosleep(&turn, NULL);
    *milliseconds = *milliseconds < 100 ? 2 * *milliseconds : 100;
    return time(NULL) < end;
}

/* ---- a machine's first rank */

struct machine {
    int ranks, n, *local; /* its ranks with the library */
    char is_here[];       /* for each rank of the job: it has the library */
};

/* The ranks of this machine that need not be waited for: all that the launcher has here, or those that are
 * seen, where it does not say. */
static int said_here(const struct machine *machine)
{
    return presence_here() > 0 ? presence_here() : machine->n;
}

/* Puts the list of ranks without the library into text; undecided if it does not fit or there is no
 * memory. */
static void write_absent(const struct machine *machine, char *text, size_t room)
{
    int *absent = calloc((size_t)machine->ranks, sizeof *absent), n = 0;
    for (int rank = 0; rank < machine->ranks && absent != NULL; rank++)
        if (!machine->is_here[rank])
            absent[n++] = rank;
    text[0] = '\0';
    if (absent == NULL || ranks_write(text, room, ",", absent, n) < n)
        strcpy(text, undecided);
    free(absent);
}

static void say_undecided(const char *why)
{
    settings_complain(&papi_mpi.settings, "nothing is measured: %s", why);
    print_all(NULL, NULL, &papi_mpi.settings, "");
}

static void agree(struct machine *machine, char text[AGREEMENT_VALUE])
{
    const struct agreement_names names = {publish, look_up, NULL, MPI_MAX_PORT_NAME};
    struct agreement *agreement =
        agreement_begin(&names, machine->ranks, machine->local, machine->n, said_here(machine));
    long turn = 1;
    bool over = false, decides = agreement != NULL && agreement_decides(agreement);
    time_t end = time(NULL) + (decides ? 1 : 2) * patience(machine->ranks);
    text[0] = '\0'; /* where nobody keeps names, all must have the library */
    if (agreement != NULL && !agreement_has_names(agreement)) {
        agreement_free(agreement);
        return;
    }
    while (agreement != NULL && !agreement_step(agreement, over) && !over)
        over = !pause_until(end, &turn);
    const char *absent = agreement != NULL ? agreement_absent(agreement) : NULL;
    snprintf(text, AGREEMENT_VALUE, "%s", absent != NULL ? absent : undecided);
    if (absent == NULL)
        say_undecided(decides ? "the list of the ranks that have this library is too long to tell the others"
                              : "no machine says which ranks have this library");
    agreement_free(agreement);
}

/* Agrees with MPI_ERRORS_RETURN in place of the program's error handlers, which are put back afterwards. */
static void agree_quietly(struct machine *machine, MPI_Comm world, char text[AGREEMENT_VALUE])
{
    MPI_Comm of[] = {world, MPI_COMM_SELF};
    MPI_Errhandler before[2];
    for (int i = 0; i < 2; i++) {
        PMPI_Comm_get_errhandler(of[i], &before[i]);
        PMPI_Comm_set_errhandler(of[i], MPI_ERRORS_RETURN);
    }
    agree(machine, text);
    for (int i = 0; i < 2; i++) {
        PMPI_Comm_set_errhandler(of[i], before[i]);
        PMPI_Errhandler_free(&before[i]);
    }
}

/* ---- all */

/* True where this machine's ranks are all of the job, or the launcher says that they should be. */
static bool is_whole(const struct machine *machine)
{
    return machine->n == machine->ranks || presence_here() >= machine->ranks;
}

/* Lists the ranks of this machine, for which the others wait meanwhile. 0, or -1: there is no memory. */
static int list_local(struct machine *machine)
{
    machine->local = calloc((size_t)machine->ranks, sizeof *machine->local);
    if (machine->local == NULL)
        return -1;
    presence_find(machine->ranks, machine->is_here);
    for (int rank = 0; rank < machine->ranks; rank++)
        if (machine->is_here[rank])
            machine->local[machine->n++] = rank;
    return machine->n > 0 ? 0 : -1;
}

/* Finds out, for all ranks of this machine, which of the job have no library, and tells them. */
static void ask(struct machine *machine, MPI_Comm world, char *text, size_t room)
{
    MPI_Comm parent = MPI_COMM_NULL;
    char agreed[AGREEMENT_VALUE];
    strcpy(text, undecided);
    if (list_local(machine) == 0 && is_whole(machine))
        write_absent(machine, text, room);
    else if (machine->n > 0) {
        agreed[0] = '\0'; /* other jobs of the launcher have the same names */
        if (PMPI_Comm_get_parent(&parent) == MPI_SUCCESS && parent == MPI_COMM_NULL)
            agree_quietly(machine, world, agreed);
        snprintf(text, room, "%s", agreed);
    }
    for (int i = 0; i < machine->n; i++)
        if (machine->local[i] != presence_rank())
            presence_tell(machine->local[i], text);
}

/* Puts all ranks of the job without the library into absent. Returns their number; -1: it could not be found
 * out. One rank of each machine asks, and the others sleep until it has the answer. */
static int absent_anywhere(MPI_Comm world, int ranks, int *absent)
{
    size_t room = 16 + 12 * (size_t)ranks;
    struct machine *machine = calloc(1, sizeof *machine + (size_t)ranks);
    char *text = calloc(1, room);
    int n = -1;
    if (machine != NULL && text != NULL) {
        machine->ranks = ranks;
        if (presence_asks())
            ask(machine, world, text, room);
        else if (presence_hear(text, (int)room, 3000 * patience(ranks)) != 0)
            strcpy(text, undecided);
        memset(machine->is_here, 0, (size_t)ranks);
        n = ranks_read(text, machine->is_here, ranks);
        for (int rank = 0, i = 0; rank < ranks && n > 0; rank++)
            if (machine->is_here[rank])
                absent[i++] = rank;
        free(machine->local);
    }
    free(text);
    free(machine);
    return n;
}

static void complain_absent(const int *absent, int n, int ranks)
{
    char names[200];
    ranks_write(names, sizeof names, ", ", absent, n);
    settings_complain(&papi_mpi.settings,
                      "not measured, because this library is not loaded there: %s %s of %d",
                      n > 1 ? "ranks" : "rank", names, ranks);
}

MPI_Comm meeting_find(MPI_Comm world)
{
    int ranks = 1, n = 0, *absent;
    MPI_Comm meeting = MPI_COMM_NULL;
    PMPI_Comm_size(world, &ranks);
    absent = calloc((size_t)ranks, sizeof *absent);
    /* A launcher of another MPI has numbers that are not this job's. */
    if (absent != NULL && ranks > 1 && presence_is_shown() &&
        (presence_ranks() == 0 || presence_ranks() == ranks))
        n = absent_anywhere(world, ranks, absent);
    if (n >= 0)
        meeting = link_meet(world, absent, n);
    if (n > 0)
        complain_absent(absent, n, ranks);
    free(absent);
    return meeting;
}

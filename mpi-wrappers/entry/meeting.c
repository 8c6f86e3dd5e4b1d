/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds the ranks that have this library, so that no collective call waits for one without it.
 *
 * Ranks on the same machine see each other by sockets (rank/machine.h): one of them asks who is there, and
 * tells the others, who sleep meanwhile. Where all ranks are on one machine, that is enough. Otherwise the
 * machines must agree, and without MPI communication, since a rank without the library would not take part:
 * the rank that asks on each machine publishes the list of its ranks with the launcher's name service; the
 * first of these that the launcher knows decides, waits for the lists of all machines with a limit of time,
 * and publishes the ranks that are absent; the others wait for that answer. All act on the same answer, so
 * all create the same communicator.
 *
 * Where nobody keeps names, all ranks are taken to have the library, as they mostly do; where no answer comes
 * in time, nothing is measured, and that is said.
 */
#include "entry/lifecycle.h"

#include "job/collect.h"
#include "rank/machine.h"
#include "rank/rank.h"
#include "report/reports.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- lists of ranks as text */

/* Index of the last rank of the run that begins at rank[i]: ranks that follow each other at the same
 * distance. */
static int end_of_run(const int *rank, int n, int i)
{
    int last = i + (i + 1 < n);
    while (last + 1 < n && rank[last + 1] - rank[last] == rank[i + 1] - rank[i])
        last++;
    return last;
}

/* "1,5-7,8-14/2", as far as there is room: 0, or -1. */
static int write_ranks(char *text, size_t room, const char *comma, const int *rank, int n)
{
    size_t used = 0;
    for (int i = 0, last; i < n && used < room; i = last + 1) {
        last = end_of_run(rank, n, i);
        int step = last > i ? rank[last] - rank[last - 1] : 1;
        last = step > 1 && last < i + 3 ? i : last;
        used += (size_t)snprintf(text + used, room - used, last > i ? "%s%d-%d" : "%s%d", i > 0 ? comma : "",
                                 rank[i], rank[last]);
        if (last > i && step > 1 && used < room)
            used += (size_t)snprintf(text + used, room - used, "/%d", step);
    }
    return used < room ? 0 : -1;
}

/* Marks the ranks of a list as write_ranks makes it. Returns the number of those that were not marked before;
 * -1: text is not such a list. */
static int read_ranks(const char *text, char *is, int ranks)
{
    int n = 0;
    while (*text != '\0') {
        char *end;
        long first = strtol(text, &end, 10), last = *end == '-' ? strtol(end + 1, &end, 10) : first;
        long step = *end == '/' ? strtol(end + 1, &end, 10) : 1;
        if (end == text || first < 0 || last < first || last >= ranks || step < 1)
            return -1;
        for (long rank = first; rank <= last; rank += step)
            n += !is[rank]++;
        text = end + strspn(end, ",");
    }
    return n;
}

/* ---- what the launcher keeps */

enum { NAME = 64 };

/* The seconds that a machine waits for the others: more of a large job's begin late. */
static int patience(int ranks)
{
    return 10 + ranks / 2000;
}

static const char undecided[] = "?";

static int publish(const char *name, char *value)
{
    return PMPI_Publish_name((char *)(uintptr_t)name, MPI_INFO_NULL, value) == MPI_SUCCESS;
}

static int look_up(const char *name, char value[MPI_MAX_PORT_NAME])
{
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

static void machine_name(char name[NAME], int rank)
{
    snprintf(name, NAME, "papi_mpi.at.%d", rank);
}

/* The ranks of this machine that need not be waited for: all that the launcher has here, or those that are
 * seen, where it does not say. */
static int said_here(const struct machine *machine)
{
    return presence_here() > 0 ? presence_here() : machine->n;
}

/* Collects the lists that other machines have published, until they cover all ranks or patience is over. */
static void gather(struct machine *machine)
{
    char name[NAME], value[MPI_MAX_PORT_NAME];
    int said = said_here(machine);
    long turn = 1;
    time_t end = time(NULL) + patience(machine->ranks);
    do
        for (int rank = 0, here; rank < machine->ranks && said < machine->ranks; rank++) {
            machine_name(name, rank);
            if (!machine->is_here[rank] && look_up(name, value) && sscanf(value, "%d:", &here) == 1 &&
                read_ranks(strchr(value, ':') + 1, machine->is_here, machine->ranks) > 0)
                said += here;
        }
    while (said < machine->ranks && pause_until(end, &turn));
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
    if (absent == NULL || write_ranks(text, room, ",", absent, n) != 0)
        strcpy(text, undecided);
    free(absent);
}

/* True if this rank decides: of several ranks that want to, it is the first that the launcher knows. */
static int is_decider(int rank)
{
    char own[NAME], first[MPI_MAX_PORT_NAME];
    snprintf(own, sizeof own, "%d", rank);
    publish("papi_mpi.decides", own);
    return look_up("papi_mpi.decides", first) && strcmp(first, own) == 0;
}

static void say_undecided(const char *why)
{
    settings_complain(&papi_mpi.settings, "nothing is measured: %s", why);
    print_all(NULL, NULL, &papi_mpi.settings, "");
}

static void agree(struct machine *machine, char text[MPI_MAX_PORT_NAME])
{
    char name[NAME], value[MPI_MAX_PORT_NAME], list[MPI_MAX_PORT_NAME];
    long turn = 1;
    time_t end = time(NULL) + 2 * patience(machine->ranks);
    machine_name(name, machine->local[0]);
    strcpy(text, undecided);
    if (write_ranks(list, sizeof list - 16, ",", machine->local, machine->n) != 0)
        strcpy(list, undecided);
    snprintf(value, sizeof value, "%d:%.*s", said_here(machine), (int)sizeof value - 16, list);
    if (!publish(name, value))
        text[0] = '\0'; /* there is nobody who keeps names: all must have the library */
    else if (is_decider(machine->local[0])) {
        gather(machine);
        write_absent(machine, text, MPI_MAX_PORT_NAME - 1);
        if (strcmp(text, undecided) == 0)
            say_undecided("the list of the ranks that have this library is too long to tell the others");
        value[0] = ':'; /* there must be something in it */
        strcpy(value + 1, text);
        publish("papi_mpi.absent", value);
    } else {
        while (!look_up("papi_mpi.absent", value) && pause_until(end, &turn))
            value[0] = '\0';
        if (value[0] == ':')
            memmove(text, value + 1, strlen(value));
        else
            say_undecided("no machine says which ranks have this library");
    }
}

/* Agrees with MPI_ERRORS_RETURN in place of the program's error handlers, which are put back afterwards. */
static void agree_quietly(struct machine *machine, MPI_Comm world, char text[MPI_MAX_PORT_NAME])
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
    char agreed[MPI_MAX_PORT_NAME];
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
        n = read_ranks(text, machine->is_here, ranks);
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
    write_ranks(names, sizeof names, ", ", absent, n);
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

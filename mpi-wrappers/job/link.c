/* SPDX-License-Identifier: BSD-3-Clause */
#include "job/link.h"

#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

/* Splits the ranks by what they can share memory in, and numbers the parts. */
static int find_nodes(struct job_link *link)
{
    int first, before = 0;
    if (PMPI_Comm_split_type(link->all, MPI_COMM_TYPE_SHARED, link->rank, MPI_INFO_NULL, &link->node) !=
        MPI_SUCCESS)
        return -1;
    PMPI_Comm_set_errhandler(link->node, MPI_ERRORS_RETURN);
    PMPI_Comm_rank(link->node, &link->node_rank);
    PMPI_Comm_size(link->node, &link->node_ranks);
    first = link->node_rank == 0;
    if (PMPI_Exscan(&first, &before, 1, MPI_INT, MPI_SUM, link->all) != MPI_SUCCESS ||
        PMPI_Allreduce(&first, &link->nodes, 1, MPI_INT, MPI_SUM, link->all) != MPI_SUCCESS)
        return -1;
    link->node_number = link->rank == 0 ? 0 : before; /* of rank 0 MPI_Exscan leaves it undefined */
    return PMPI_Bcast(&link->node_number, 1, MPI_INT, 0, link->node) == MPI_SUCCESS ? 0 : -1;
}

static int find_members(struct job_link *link)
{
    link->members = calloc((size_t)link->node_ranks, sizeof *link->members);
    if (!link_least(link, link->members != NULL))
        return -1;
    return PMPI_Allgather(&link->world, 1, MPI_INT, link->members, 1, MPI_INT, link->node) == MPI_SUCCESS
               ? 0
               : -1;
}

static void count_processors(struct job_link *link)
{
    cpu_set_t own, all;
    CPU_ZERO(&own);
    int known = sched_getaffinity(0, sizeof own, &own) == 0;
    if (PMPI_Allreduce(&own, &all, sizeof own, MPI_BYTE, MPI_BOR, link->node) == MPI_SUCCESS && known)
        link->processors = CPU_COUNT(&all);
}

static void release(struct job_link *link)
{
    if (link->node != MPI_COMM_NULL)
        PMPI_Comm_free(&link->node);
    PMPI_Comm_free(&link->all);
    free(link->members);
}

/* No program is likely to have the same tag in a call of the same function before MPI_Init has returned. */
enum { MEETING_TAG = 31417 };

MPI_Comm link_meet(MPI_Comm world, const int *absent, int n)
{
    MPI_Group all, present;
    MPI_Comm meeting = MPI_COMM_NULL;
    if (n == 0)
        return world;
    if (PMPI_Comm_group(world, &all) != MPI_SUCCESS)
        return MPI_COMM_NULL;
    if (PMPI_Group_excl(all, n, absent, &present) == MPI_SUCCESS) {
        if (PMPI_Comm_create_group(world, present, MEETING_TAG, &meeting) != MPI_SUCCESS)
            meeting = MPI_COMM_NULL;
        PMPI_Group_free(&present);
    }
    PMPI_Group_free(&all);
    return meeting;
}

struct job_link *link_make(MPI_Comm meeting, MPI_Comm world)
{
    struct job_link *link = calloc(1, sizeof *link), none = {.all = MPI_COMM_NULL};
    struct job_link *made = link != NULL ? link : &none; /* the others wait for this rank, too */
    made->node = MPI_COMM_NULL;
    if (PMPI_Comm_dup(meeting, &made->all) != MPI_SUCCESS) {
        free(link);
        return NULL;
    }
    PMPI_Comm_set_errhandler(made->all, MPI_ERRORS_RETURN);
    PMPI_Comm_rank(made->all, &made->rank);
    PMPI_Comm_size(made->all, &made->ranks);
    PMPI_Comm_rank(world, &made->world);
    PMPI_Comm_size(world, &made->worlds);
    if (!link_least(made, link != NULL) || find_nodes(made) != 0 || find_members(made) != 0) {
        release(made);
        free(link);
        return NULL;
    }
    count_processors(link);
    if (getcwd(made->directory, sizeof made->directory) == NULL)
        made->directory[0] = '\0';
    return link;
}

void link_free(struct job_link *link)
{
    if (link == NULL)
        return;
    release(link);
    free(link);
}

int link_least(const struct job_link *link, int mine)
{
    int least = 0;
    if (PMPI_Allreduce(&mine, &least, 1, MPI_INT, MPI_MIN, link->all) != MPI_SUCCESS)
        return 0;
    return least;
}

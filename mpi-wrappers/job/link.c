/* SPDX-License-Identifier: BSD-3-Clause */
#include "job/link.h"

#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

/* Message of the ranks of a node to each other. */
struct neighbor {
    int world, node_number;
    cpu_set_t processors;
};

/* Exchanges facts with all ranks of the node; members has room for them. */
static int meet_neighbors(struct job_link *link, struct neighbor *all, int node_number)
{
    struct neighbor own = {.world = link->world, .node_number = node_number};
    cpu_set_t together;
    CPU_ZERO(&together);
    int known = sched_getaffinity(0, sizeof own.processors, &own.processors) == 0;
    if (LINK_WAIT(PMPI_Iallgather, &own, sizeof own, MPI_BYTE, all, sizeof own, MPI_BYTE, link->node) !=
        MPI_SUCCESS)
        return -1;
    for (int i = 0; i < link->node_ranks; i++) {
        link->members[i] = all[i].world;
        CPU_OR(&together, &together, &all[i].processors);
    }
    link->node_number = all[0].node_number;
    link->processors = known ? CPU_COUNT(&together) : 0;
    return 0;
}

/* Splits the ranks by what they can share memory in, and numbers the parts: each call here takes all ranks as
 * long as the slowest of them. */
static int find_nodes(struct job_link *link)
{
    if (PMPI_Comm_split_type(link->all, MPI_COMM_TYPE_SHARED, link->rank, MPI_INFO_NULL, &link->node) !=
        MPI_SUCCESS)
        return -1;
    PMPI_Comm_set_errhandler(link->node, MPI_ERRORS_RETURN);
    PMPI_Comm_rank(link->node, &link->node_rank);
    PMPI_Comm_size(link->node, &link->node_ranks);
    struct neighbor *all = calloc((size_t)link->node_ranks, sizeof *all);
    link->members = calloc((size_t)link->node_ranks, sizeof *link->members);
    int own[] = {link->node_rank == 0, all == NULL || link->members == NULL}, sum[] = {0, 0}, before = 0;
    int failed = LINK_WAIT(PMPI_Iexscan, own, &before, 1, MPI_INT, MPI_SUM, link->all) != MPI_SUCCESS ||
                 LINK_WAIT(PMPI_Iallreduce, own, sum, 2, MPI_INT, MPI_SUM, link->all) != MPI_SUCCESS ||
                 sum[1] > 0 ||
                 /* of rank 0 MPI_Exscan leaves it undefined */
                 meet_neighbors(link, all, link->rank == 0 ? 0 : before) != 0;
    link->nodes = sum[0];
    free(all);
    return failed ? -1 : 0;
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

struct job_link *link_make(void)
{
    struct job_link *link = calloc(1, sizeof *link);
    if (link == NULL)
        return NULL;
    link->all = link->node = MPI_COMM_NULL;
    if (getcwd(link->directory, sizeof link->directory) == NULL)
        link->directory[0] = '\0';
    return link;
}

int link_connect(struct job_link *link, MPI_Comm meeting, MPI_Comm world)
{
    if (LINK_WAIT(PMPI_Comm_idup, meeting, &link->all) != MPI_SUCCESS)
        return -1;
    PMPI_Comm_set_errhandler(link->all, MPI_ERRORS_RETURN);
    PMPI_Comm_rank(link->all, &link->rank);
    PMPI_Comm_size(link->all, &link->ranks);
    PMPI_Comm_rank(world, &link->world);
    PMPI_Comm_size(world, &link->worlds);
    return find_nodes(link);
}

void link_free(struct job_link *link)
{
    if (link == NULL)
        return;
    if (link->node != MPI_COMM_NULL)
        PMPI_Comm_free(&link->node);
    if (link->all != MPI_COMM_NULL)
        PMPI_Comm_free(&link->all);
    free(link->members);
    free(link);
}

int link_wait(int begun, MPI_Request *request)
{
    __typeof__(PMPI_Test) test = PMPI_Test;
    int done = 0, code = begun;
    while (code == MPI_SUCCESS && !done) {
        code = test(request, &done, MPI_STATUS_IGNORE);
        if (!done)
            sched_yield();
    }
    return code;
}

int link_least(const struct job_link *link, int mine)
{
    int least = 0;
    if (LINK_WAIT(PMPI_Iallreduce, &mine, &least, 1, MPI_INT, MPI_MIN, link->all) != MPI_SUCCESS)
        return 0;
    return least;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "job/collect.h"

#include <stdio.h>

_Static_assert(sizeof(struct collection) < 1024 * 1024,
               "what a rank needs at the end does not depend on the job");

/* The operations of the reductions. A type is one whole struct, so that MPI cannot cut it in pieces. */
static void merge_regions(void *from, void *into, int *n, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *n; i++)
        region_names_merge((struct region_names *)into + i, (const struct region_names *)from + i);
}

static void merge_sites(void *from, void *into, int *n, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *n; i++)
        site_names_merge((struct site_names *)into + i, (const struct site_names *)from + i);
}

static void merge_shares(void *from, void *into, int *n, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *n; i++)
        share_names_merge((struct share_names *)into + i, (const struct share_names *)from + i);
}

static void merge_blocks(void *from, void *into, int *n, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *n; i++)
        block_merge((struct job *)into + i, (const struct job *)from + i);
}

/* Both are freed before this returns. The order does not matter, and MPI is told that it does: where rank 0
 * is alone on its machine, MPICH 4.0 loses ranks in the reduction of operations that commute. */
static int reduce(const struct job_link *link, const void *from, void *to, size_t size,
                  MPI_User_function *merge)
{
    MPI_Datatype type;
    MPI_Op operation;
    if (PMPI_Type_contiguous((int)size, MPI_BYTE, &type) != MPI_SUCCESS)
        return -1;
    int result = -1;
    if (PMPI_Type_commit(&type) == MPI_SUCCESS && PMPI_Op_create(merge, 0, &operation) == MPI_SUCCESS) {
        result = LINK_WAIT(PMPI_Ireduce, from, to, 1, type, operation, 0, link->all) == MPI_SUCCESS ? 0 : -1;
        PMPI_Op_free(&operation);
    }
    PMPI_Type_free(&type);
    return result;
}

/* All ranks get the same places for counters, regions and call sites. Most jobs have no regions: then their
 * names are not reduced. */
static int agree_on_names(struct collection *to, const struct job_link *link,
                          const struct rank_record *record)
{
    if (to != NULL && record != NULL) {
        region_names_of(&to->own_regions, record);
        site_names_of(&to->own_sites, record);
        share_names_of(&to->own_shares, record);
        timeline_names_of(&to->own_timeline, record);
    }
    int able = to != NULL && (link->rank != 0 || record != NULL);
    int regions = able && (to->own_regions.n > 0 || to->own_regions.others);
    int sites = able && to->own_sites.n > 0;
    int regular = block_is_regular(link->world, link->worlds, link->node_number, link->nodes);
    int shares = able && to->own_shares.n > 0;
    int own[] = {able, -regions, -sites, regular, -shares}, least[] = {0, 0, 0, 0, 0};
    if (LINK_WAIT(PMPI_Iallreduce, own, least, 5, MPI_INT, MPI_MIN, link->all) != MPI_SUCCESS || !least[0])
        return -1;
    if (least[1] < 0 && reduce(link, &to->own_regions, &to->regions, sizeof to->regions, merge_regions) != 0)
        return -1;
    if (least[2] < 0 && reduce(link, &to->own_sites, &to->sites, sizeof to->sites, merge_sites) != 0)
        return -1;
    if (least[4] < 0 && reduce(link, &to->own_shares, &to->shares, sizeof to->shares, merge_shares) != 0)
        return -1;
    if (LINK_WAIT(PMPI_Iallreduce, &to->own_timeline, &to->timeline, sizeof to->timeline / sizeof(uint64_t),
                  MPI_UINT64_T, MPI_MAX, link->all) != MPI_SUCCESS)
        return -1;
    const struct block_common common = {&to->regions, &to->sites, &to->shares, &to->timeline, least[3] != 0};
    if (link->rank == 0)
        block_names_make(&to->names, record, &common);
    return LINK_WAIT(PMPI_Ibcast, &to->names, (int)sizeof to->names, MPI_BYTE, 0, link->all) == MPI_SUCCESS
               ? 0
               : -1;
}

/* The figures of the node, for the first of its ranks. */
static int sum_node(struct collection *to, const struct job_link *link, const struct rank_record *record)
{
    struct node_sums own = {0}, sums = {0};
    if (record != NULL)
        node_add(&own, &to->row);
    if (LINK_WAIT(PMPI_Ireduce, &own, &sums, sizeof sums / sizeof(uint64_t), MPI_UINT64_T, MPI_SUM, 0,
                  link->node) != MPI_SUCCESS)
        return -1;
    if (link->node_rank == 0)
        node_figures(&sums, &to->row);
    return 0;
}

static void make_row(struct collection *to, const struct job_link *link, const struct rank_record *record)
{
    if (record != NULL) {
        row_of_record(&to->row, record, &to->names, link->members, link->node_ranks);
        return;
    }
    to->row = (struct job_row){
        .rank = (uint64_t)link->world, .node = (uint64_t)link->node_number, .inside = -1, .busiest_peer = -1};
    for (int i = 0; i < METRIC_COUNT; i++)
        to->row.value[i] = ROW_NONE;
}

static void complain(struct job_complaint *to, const struct job_link *link, const char *complaint)
{
    if (complaint == NULL || link->rank == 0) /* rank 0 prints its own */
        return;
    to->ranks = 1;
    to->rank = (uint64_t)link->world;
    snprintf(to->text, sizeof to->text, "%s", complaint);
}

int collect(struct collection *to, const struct job_link *link, const struct rank_record *record,
            const char *complaint)
{
    if (agree_on_names(to, link, record) != 0)
        return -1;
    make_row(to, link, record);
    if (sum_node(to, link, record) != 0)
        return -1;
    if (record != NULL)
        block_of_record(&to->own, record, &to->names, &to->row);
    to->row.region = to->own.region;
    complain(&to->own.complaint, link, complaint);
    if (reduce(link, &to->own, &to->job, sizeof to->job, merge_blocks) != 0)
        return -1;
    job_name(&to->job, &to->names);
    for (int i = 0; i < to->job.n_row_calls; i++)
        to->row_call[i] = to->own.call[to->job.row_call[i]];
    to->row.call = to->row_call;
    if (link->rank == 0)
        job_identify(&to->job, record);
    return 0;
}

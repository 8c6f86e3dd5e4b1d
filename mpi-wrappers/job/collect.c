/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The end of a job: the figures of all ranks become one result, in memory and time that hardly depend on the
 * number of ranks.
 *
 * Each rank makes a block of fixed size of its record, and MPI reduces the blocks to rank 0 by its own tree,
 * with block_merge as operation: in some log(ranks) steps, with a few blocks in each rank's memory. For that,
 * a place in one block must mean the same in every other: first the names of regions, call sites and
 * libraries are reduced, by operations that keep so many as there are places for (of call sites those with
 * most time; the rest share one place), and rank 0 sends the agreed places to all. Merging is associative and
 * commutative to the last bit (integers, sorted lists with a total order), so that the result does not depend
 * on the shape of the tree.
 *
 * The rows of single ranks do not go through rank 0: all have the same length, so that each rank writes its
 * own at its place of the file. Every step is collective, also for a rank that has no memory or no record:
 * whether all are able is agreed on before, by a reduction of flags, so that no rank waits for another that
 * has given up. The records in files stay for papi_mpi_report --recover then.
 */
#include "job/collect.h"
#include "job/result_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- the job on rank 0 */

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

static void merge_meetings(void *from, void *into, int *n, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *n; i++)
        meeting_names_merge((struct meeting_names *)into + i, (const struct meeting_names *)from + i);
}

static void merge_blocks(void *from, void *into, int *n, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *n; i++)
        block_merge_figures((struct job *)into + i, (const struct job *)from + i);
}

static void merge_times(void *from, void *into, int *n, MPI_Datatype *type)
{
    struct job_times(*to)[MAX_TIMED] = into;
    const struct job_times(*more)[MAX_TIMED] = from;
    (void)type;
    for (int i = 0; i < *n; i++)
        block_merge_times(to[i], more[i]);
}

/* Reduces a struct of size bytes to rank 0. Type and operation are freed before this returns. The order does
 * not matter, and MPI is told that it does: where rank 0 is alone on its machine, MPICH 4.0 loses ranks in
 * the reduction of operations that commute. */
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
        meeting_names_of(&to->own_meetings, record);
        timeline_names_of(&to->own_timeline, record);
    }
    int able = to != NULL && (link->rank != 0 || record != NULL);
    int regions = able && (to->own_regions.n > 0 || to->own_regions.others);
    int sites = able && to->own_sites.n > 0;
    int regular = block_is_regular(link->world, link->worlds, link->node_number, link->nodes);
    int shares = able && to->own_shares.n > 0;
    int meetings = able && to->own_meetings.n > 0;
    int timed = able && record != NULL && record->timed;
    int own[] = {able, -regions, -sites, regular, -shares, -meetings, -timed},
        least[] = {0, 0, 0, 0, 0, 0, 0};
    if (LINK_WAIT(PMPI_Iallreduce, own, least, 7, MPI_INT, MPI_MIN, link->all) != MPI_SUCCESS || !least[0])
        return -1;
    if (least[1] < 0 && reduce(link, &to->own_regions, &to->regions, sizeof to->regions, merge_regions) != 0)
        return -1;
    if (least[2] < 0 && reduce(link, &to->own_sites, &to->sites, sizeof to->sites, merge_sites) != 0)
        return -1;
    if (least[4] < 0 && reduce(link, &to->own_shares, &to->shares, sizeof to->shares, merge_shares) != 0)
        return -1;
    if (least[5] < 0 &&
        reduce(link, &to->own_meetings, &to->meetings, sizeof to->meetings, merge_meetings) != 0)
        return -1;
    if (LINK_WAIT(PMPI_Iallreduce, &to->own_timeline, &to->timeline, sizeof to->timeline / sizeof(uint64_t),
                  MPI_UINT64_T, MPI_MAX, link->all) != MPI_SUCCESS)
        return -1;
    const struct block_common common = {&to->regions,  &to->sites,    &to->shares, &to->meetings,
                                        &to->timeline, least[3] != 0, least[6] < 0};
    if (link->rank == 0)
        block_names_make(&to->names, record, &common);
    return LINK_WAIT(PMPI_Ibcast, &to->names, (int)sizeof to->names, MPI_BYTE, 0, link->all) == MPI_SUCCESS
               ? 0
               : -1;
}

/* Sums the figures of a node's ranks on the first of them. */
static int sum_node(struct collection *to, const struct job_link *link, const struct rank_record *record)
{
    struct node_sums own = {0}, sums = {0};
    if (record != NULL)
        node_add(&own, &to->row);
    if (link_merge_node(link, (const uint64_t *)(const void *)&own, (uint64_t *)(void *)&sums,
                        sizeof sums / sizeof(uint64_t), LINK_SUM) != 0)
        return -1;
    if (link->node_rank == 0)
        node_figures(&sums, &to->row);
    return 0;
}

/* The same for the regions, in the block of the node's first rank. All ranks have the same names. */
static int sum_node_regions(struct collection *to, const struct job_link *link)
{
    struct node_regions own = {{0}, {0}}, sums = {{0}, {0}};
    int n = to->names.n_regions;
    if (n == 0)
        return 0;
    node_add_regions(&own, to->own.region, n);
    if (link_merge_node(link, (const uint64_t *)(const void *)&own, (uint64_t *)(void *)&sums,
                        sizeof sums / sizeof(uint64_t), LINK_SUM) != 0)
        return -1;
    if (link->node_rank == 0)
        node_region_figures(&sums, to->own.region, n);
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
    if (sum_node_regions(to, link) != 0)
        return -1;
    complain(&to->own.complaint, link, complaint);
    if (reduce(link, &to->own, &to->job, offsetof(struct job, times), merge_blocks) != 0)
        return -1;
    if (to->names.timed && reduce(link, to->own.times, to->job.times, sizeof to->job.times, merge_times) != 0)
        return -1;
    job_name(&to->job, &to->names);
    for (int i = 0; i < to->job.n_row_calls; i++)
        to->row_call[i] = to->own.call[to->job.row_call[i]];
    to->row.call = to->row_call;
    if (link->rank == 0)
        job_identify(&to->job, record);
    return 0;
}

/* ---- the result file */

/* Message of rank 0 to the others: where to write rows. */
struct plan {
    int64_t head; /* the length of what comes before them; -1: no rows */
    int64_t size; /* of the file, now */
    char part[sizeof((struct place *)0)->part];
};

static int rows_wanted(const struct settings *settings, const struct place *place, int ranks)
{
    if (place->kind != PLACE_FILE || settings->rows == ROWS_NO)
        return 0;
    return settings->rows == ROWS_YES || ranks <= ROWS_AUTO_MOST;
}

static void cannot_write(struct settings *settings, struct place *place, const char *file, int error)
{
    settings_complain(settings, "cannot write %.200s: %s; set PAPI_MPI_OUTPUT to another place, or to none",
                      file, strerror(error));
    place->kind = PLACE_NONE;
}

/* Rank 0 creates the file, and writes all of it but the rows. */
static void begin(struct plan *plan, const struct job *job, struct settings *settings, struct place *place,
                  const struct job_link *link)
{
    char why[COMPLAINT_LENGTH];
    int64_t head;
    if (place_find(place, settings, link->directory, job->program, job->job, why) != 0) {
        settings_complain(settings, "%s", why);
        place->kind = PLACE_NONE;
    }
    if (place->kind == PLACE_SPECIAL) {
        int error = result_file_write_special(place, job);
        if (error != 0)
            cannot_write(settings, place, place->file, error);
    }
    if (place->kind != PLACE_FILE)
        return;
    int rows = rows_wanted(settings, place, link->ranks);
    int error = result_file_begin(place, job, rows ? (uint64_t)link->ranks : 0, &head, &plan->size);
    if (error != 0) {
        unlink(place->part);
        cannot_write(settings, place, place->file, error);
    } else if (rows) {
        plan->head = head;
        memcpy(plan->part, place->part, sizeof plan->part);
    }
}

/* True if this node sees the file as rank 0 made it: a directory like /tmp is another one on each node, and
 * rows written there would be lost. One rank of a node looks. */
static int is_seen(const struct plan *plan, const struct job_link *link)
{
    struct stat found;
    if (link->node_rank != 0)
        return 1;
    return stat(plan->part, &found) == 0 && found.st_size == plan->size;
}

/* Writes a row by the system's own calls, which do on one machine: several may write one page at a time, and
 * MPI may have none. */
static int write_here(const struct plan *plan, off_t at, const char *text, size_t length)
{
    int fd = open(plan->part, O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
    int written = fd >= 0 && pwrite(fd, text, length, at) == (ssize_t)length;
    return fd >= 0 && close(fd) == 0 && written;
}

/* Collective: each rank writes its row at its place in the file. The result is the same on all ranks: 1, or 0
 * if one of them failed. */
static int write_rows(const struct plan *plan, const struct job_link *link, const char *text, int length)
{
    MPI_File file;
    MPI_Status status;
    MPI_Offset at = (MPI_Offset)plan->head + (MPI_Offset)link->rank * length;
    int count = 0;
    if (link->nodes == 1)
        return link_least(link, write_here(plan, (off_t)at, text, (size_t)length));
    int opened = PMPI_File_open != NULL &&
                 PMPI_File_open(link->all, plan->part, MPI_MODE_WRONLY, MPI_INFO_NULL, &file) == MPI_SUCCESS;
    if (!link_least(link, opened))
        return 0;
    int written = PMPI_File_write_at_all(file, at, text, length, MPI_CHAR, &status) == MPI_SUCCESS &&
                  PMPI_Get_count(&status, MPI_CHAR, &count) == MPI_SUCCESS && count == length;
    int closed = PMPI_File_close(&file) == MPI_SUCCESS;
    return link_least(link, written && closed);
}

/* Rank 0 gives the file its name. If rows could not be written, the rest is kept without them. */
static void finish(const struct plan *plan, const struct job *job, uint64_t ranks, const char *rows_failed,
                   struct settings *settings, struct place *place)
{
    int64_t head, size;
    int error = 0;
    if (plan->head >= 0 && rows_failed == NULL && result_file_check_rows(place, job, ranks, plan->head) != 0)
        rows_failed = "they did not all arrive in it";
    if (rows_failed != NULL) {
        settings_complain(settings, "%.200s has no rows of the ranks: %s", place->file, rows_failed);
        unlink(place->part);
        error = result_file_begin(place, job, 0, &head, &size);
    }
    if (error == 0)
        error = rename(place->part, place->file) == 0 ? 0 : errno;
    if (error != 0) {
        unlink(place->part);
        cannot_write(settings, place, place->file, error);
    } else if (place->replaces)
        settings_complain(settings, "%.200s was there and is replaced by the result of this job",
                          place->file);
}

int result_write(const struct job_link *link, const struct collection *from, struct settings *settings,
                 struct place *place)
{
    struct plan plan = {.head = -1};
    struct held_signals signals;
    const char *rows_failed = NULL;
    size_t length = job_row_length(&from->job);
    char *text = malloc(length);
    signals_hold(&signals);
    if (link->rank == 0)
        begin(&plan, &from->job, settings, place, link);
    if (LINK_WAIT(PMPI_Ibcast, &plan, (int)sizeof plan, MPI_BYTE, 0, link->all) != MPI_SUCCESS)
        rows_failed = "MPI failed";
    else if (plan.head >= 0) {
        if (text != NULL)
            job_write_row(text, &from->job, &from->row, link->rank == link->ranks - 1);
        int able = link_least(link, text == NULL ? 0 : 1 + is_seen(&plan, link));
        if (able == 0)
            rows_failed = "a rank is out of memory for its own";
        else if (able == 1)
            rows_failed = "not all nodes see its directory; set PAPI_MPI_OUTPUT to one that they share";
        else if (!write_rows(&plan, link, text, (int)length))
            rows_failed = "MPI could not write them";
    }
    free(text);
    if (link->rank == 0 && place->kind == PLACE_FILE)
        finish(&plan, &from->job, (uint64_t)link->ranks, rows_failed, settings, place);
    signals_release(&signals);
    return link_least(link,
                      link->rank != 0 || place->kind != PLACE_NONE || strcmp(settings->output, "none") == 0);
}

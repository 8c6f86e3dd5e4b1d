/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The end of a job: the figures of all ranks become one result, in memory and time that hardly depend on the
 * number of ranks.
 *
 * Each rank makes a block of fixed size of its record, and the blocks are merged by block_merge on their way
 * up a tree of all ranks: in log2(ranks) steps, with two blocks in each rank's memory. What is zero of a
 * block, as most is mostly, is not sent. For that, a place in one block must mean the same in every other:
 * first the names of regions, call sites and libraries are reduced, by operations that keep so many as there
 * are places for (of call sites those with most time; the rest share one place), and rank 0 sends the agreed
 * places to all. Merging is associative and commutative to the last bit (integers, sorted lists with a total
 * order), so that the result does not depend on the shape of the tree.
 *
 * The rows of single ranks all have the same length. On one machine rank 0 takes them, one after the other,
 * as each step more in which all ranks take part takes longer there. Elsewhere they do not go through rank 0:
 * each rank writes its own at its place of the file. Every step is collective, also for a rank that has no
 * memory or no record: whether all are able is agreed on before, by a reduction of flags, so that no rank
 * waits for another that has given up. The records in files stay for papi_mpi_report --recover then.
 */
#include "job/collect.h"
#include "job/result_file.h"
#include "job/tree.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- the job on rank 0 */

_Static_assert(sizeof(struct collection) < 5 * 256 * 1024,
               "what a rank needs at the end does not depend on the job");

_Static_assert((sizeof(struct job) | offsetof(struct job, times) | sizeof(struct block_names) |
                sizeof(struct region_names) | sizeof(struct site_names) | sizeof(struct share_names) |
                sizeof(struct meeting_names)) %
                       sizeof(uint64_t) ==
                   0,
               "they can be packed");

static void merge_regions(void *into, const void *from)
{
    region_names_merge(into, from);
}

static void merge_sites(void *into, const void *from)
{
    site_names_merge(into, from);
}

static void merge_shares(void *into, const void *from)
{
    share_names_merge(into, from);
}

static void merge_meetings(void *into, const void *from)
{
    meeting_names_merge(into, from);
}

static void merge_blocks(void *into, const void *from)
{
    block_merge_figures(into, from);
}

static void merge_times(void *into, const void *from)
{
    block_merge_times(into, from);
}

/* ---- names */

/* All that ranks have to find out together before they can agree on names: whole numbers, of which the
 * largest counts. */
struct first_facts {
    uint64_t unable, regions, sites, shares, meetings, irregular, timed;
    struct timeline_names timeline;
};

static void merge_facts(void *into, const void *from)
{
    uint64_t *most = into;
    const uint64_t *other = from;
    for (size_t i = 0; i < sizeof(struct first_facts) / sizeof *most; i++)
        most[i] = other[i] > most[i] ? other[i] : most[i];
}

static void own_facts(struct first_facts *facts, struct collection *to, const struct job_link *link,
                      const struct rank_record *record)
{
    *facts = (struct first_facts){.unable = to == NULL || (link->rank == 0 && record == NULL)};
    facts->irregular = !block_is_regular(link->world, link->worlds, link->node_number, link->nodes);
    if (to == NULL || record == NULL)
        return;
    region_names_of(&to->regions, record);
    site_names_of(&to->sites, record);
    share_names_of(&to->shares, record);
    meeting_names_of(&to->meetings, record);
    timeline_names_of(&facts->timeline, record);
    facts->regions = to->regions.n > 0 || to->regions.others;
    facts->sites = to->sites.n > 0;
    facts->shares = to->shares.n > 0;
    facts->meetings = to->meetings.n > 0;
    facts->timed = record->timed != 0;
}

/* Brings the names together on rank 0. Most jobs have no regions: what no rank has is not asked for. */
static int bring_names(struct collection *to, const struct job_link *link, const struct first_facts *facts)
{
    const struct {
        uint64_t wanted;
        void *own, *other;
        size_t size;
        link_merge_function *merge;
    } kind[] = {{facts->regions, &to->regions, &to->other_regions, sizeof to->regions, merge_regions},
                {facts->sites, &to->sites, &to->other_sites, sizeof to->sites, merge_sites},
                {facts->shares, &to->shares, &to->other_shares, sizeof to->shares, merge_shares},
                {facts->meetings, &to->meetings, &to->other_meetings, sizeof to->meetings, merge_meetings}};
    for (size_t i = 0; i < sizeof kind / sizeof *kind; i++)
        if (kind[i].wanted &&
            link_up(link, kind[i].own, kind[i].other, kind[i].size, kind[i].merge, to->message) != 0)
            return -1;
    return 0;
}

/* All ranks get the same places for counters, regions and call sites. */
static int agree_on_names(struct collection *to, const struct job_link *link,
                          const struct rank_record *record)
{
    struct first_facts facts, other = {0};
    own_facts(&facts, to, link, record);
    if (link_up(link, &facts, &other, sizeof facts, merge_facts, NULL) != 0 ||
        link_down(link, &facts, sizeof facts, NULL) != 0 || facts.unable)
        return -1;
    to->timeline = facts.timeline;
    if (bring_names(to, link, &facts) != 0)
        return -1;
    const struct block_common common = {&to->regions,  &to->sites,           &to->shares,     &to->meetings,
                                        &to->timeline, facts.irregular == 0, facts.timed != 0};
    if (link->rank == 0)
        block_names_make(&to->names, record, &common);
    return link_down(link, &to->names, sizeof to->names, to->message);
}

/* ---- figures */

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

/* Keeps what the rank's row has of its block, in which those of others come next. */
static void keep_for_row(struct collection *to)
{
    memcpy(to->row_call, to->own.call, sizeof to->row_call);
    memcpy(to->row_region, to->own.region, (size_t)to->names.n_regions * sizeof *to->row_region);
    to->row.call = to->row_call;
    to->row.region = to->row_region;
}

/* Rows have the calls that any rank made, in ascending order. */
static void keep_row_calls(struct collection *to)
{
    for (int i = 0; i < to->job.n_row_calls; i++)
        to->row_call[i] = to->row_call[to->job.row_call[i]];
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
    if (sum_node_regions(to, link) != 0)
        return -1;
    keep_for_row(to);
    complain(&to->own.complaint, link, complaint);
    if (link_up(link, &to->own, &to->job, offsetof(struct job, times), merge_blocks, to->message) != 0)
        return -1;
    if (to->names.timed &&
        link_up(link, to->own.times, to->job.times, sizeof to->job.times, merge_times, to->message) != 0)
        return -1;
    if (link->rank == 0)
        block_merge_figures(&to->job, &to->own);
    if (link->rank == 0 && to->names.timed)
        block_merge_times(to->job.times, to->own.times);
    job_name(&to->job, &to->names);
    keep_row_calls(to);
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

/* The others see nothing of the file until rank 0 has given it its name. The result is the same on all
 * ranks. */
static const char *let_all_write(struct plan *plan, const struct job_link *link, struct collection *from)
{
    const char *failed = NULL;
    size_t length = job_row_length(&from->job);
    char *text = malloc(length);
    if (link_down(link, plan, sizeof *plan, NULL) != 0)
        failed = "MPI failed";
    else if (plan->head >= 0) {
        if (text != NULL)
            job_write_row(text, &from->job, &from->row, link->rank == link->ranks - 1);
        int able = link_least(link, text == NULL ? 0 : 1 + is_seen(plan, link));
        if (able == 0)
            failed = "a rank is out of memory for its own";
        else if (able == 1)
            failed = "not all nodes see its directory; set PAPI_MPI_OUTPUT to one that they share";
        else if (!write_rows(plan, link, text, (int)length))
            failed = "MPI could not write them";
    }
    free(text);
    return failed;
}

/* ---- on one machine */

/* Most ranks whose rows go through rank 0. */
enum { MOST_TAKEN = 1024 };

_Static_assert(JOB_ROW_LENGTH +
                       MAX_REGIONS * ((JOB_ROW_REGION + MAX_COUNTERS) * JOB_ROW_NUMBER + JOB_ROW_BRACKETS) +
                       CALL_COUNT * (JOB_ROW_CALL * JOB_ROW_NUMBER + JOB_ROW_BRACKETS) <
                   sizeof((struct collection *)0)->message,
               "a row fits into a message");

static bool rows_are_taken(const struct job_link *link)
{
    return link->nodes == 1 && link->ranks <= MOST_TAKEN;
}

/* Rows on their way up the tree, those of ranks one after the other, as far as messages have room. */
struct rows_up {
    const struct job_link *link;
    const struct plan *plan;
    char *text;
    size_t length, room, n; /* of a row; rows that there is room for, and that are there */
    int next;               /* rank 0: whose row is written next */
    int fd;
    const char *failed;
};

/* Rank 0 writes the rows that are there, another rank sends them on. */
static void pass_on(struct rows_up *rows)
{
    size_t bytes = rows->n * rows->length;
    off_t at = (off_t)(rows->plan->head + (int64_t)rows->next * (int64_t)rows->length);
    if (rows->link->rank > 0 && link_give(rows->link, rows->text, bytes, tree_parent(rows->link->rank)) != 0)
        rows->failed = "MPI failed";
    if (rows->link->rank == 0 && rows->plan->head >= 0 && rows->failed == NULL &&
        pwrite(rows->fd, rows->text, bytes, at) != (ssize_t)bytes)
        rows->failed = "they could not be written";
    rows->next += (int)rows->n;
    rows->n = 0;
}

/* Takes the rows of all ranks below a child, in as many messages as it takes. */
static void take_rows(struct rows_up *rows, int child, int ranks)
{
    while (ranks > 0) {
        size_t most = (size_t)ranks < rows->room ? (size_t)ranks : rows->room;
        if (rows->n + most > rows->room)
            pass_on(rows);
        int bytes = link_take(rows->link, rows->text + rows->n * rows->length, most * rows->length, child);
        if (bytes <= 0 || (size_t)bytes % rows->length != 0) {
            rows->failed = "MPI failed";
            return;
        }
        rows->n += (size_t)bytes / rows->length;
        ranks -= (int)((size_t)bytes / rows->length);
    }
}

/* The rows of all ranks come to rank 0, which writes them, if it wants them: plan is its own. NULL, or what
 * failed. */
static const char *bring_rows(const struct plan *plan, const struct job_link *link, struct collection *from)
{
    int child[TREE_MOST], children = tree_children(link->rank, link->ranks, child);
    struct rows_up rows = {
        .link = link, .plan = plan, .text = (char *)from->message, .length = job_row_length(&from->job)};
    rows.room = sizeof from->message / rows.length;
    rows.fd = plan->head >= 0 ? open(plan->part, O_WRONLY | O_CLOEXEC | O_NOFOLLOW) : -1;
    job_write_row(rows.text, &from->job, &from->row, link->rank == link->ranks - 1);
    rows.n = 1;
    for (int i = 0; i < children; i++) {
        int end = child[i] + (1 << i);
        take_rows(&rows, child[i], (end < link->ranks ? end : link->ranks) - child[i]);
    }
    pass_on(&rows);
    if (plan->head >= 0 && (rows.fd < 0 || close(rows.fd) != 0) && rows.failed == NULL)
        rows.failed = "they could not be written";
    return rows.failed;
}

int result_write(const struct job_link *link, struct collection *from, struct settings *settings,
                 struct place *place)
{
    struct plan plan = {.head = -1};
    struct held_signals signals;
    const char *rows_failed;
    signals_hold(&signals);
    if (link->rank == 0)
        begin(&plan, &from->job, settings, place, link);
    rows_failed = rows_are_taken(link) ? bring_rows(&plan, link, from) : let_all_write(&plan, link, from);
    if (link->rank == 0 && place->kind == PLACE_FILE)
        finish(&plan, &from->job, (uint64_t)link->ranks, rows_failed, settings, place);
    signals_release(&signals);
    uint64_t written = link->rank != 0 || place->kind != PLACE_NONE || strcmp(settings->output, "none") == 0;
    return link_down(link, &written, sizeof written, NULL) == 0 && written != 0;
}

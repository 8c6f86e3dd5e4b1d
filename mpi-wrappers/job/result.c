/* SPDX-License-Identifier: BSD-3-Clause */
#include "job/result.h"

#include "job/result_file.h"
#include "job/signals.h"
#include "job/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What rank 0 tells the others: where to write rows. */
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

/* Rank 0: the file, but for the rows. */
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

/* Whether this node sees the file as rank 0 made it: a directory like /tmp is another one on each node, and
 * rows written there would be lost. One rank of a node looks. */
static int is_seen(const struct plan *plan, const struct job_link *link)
{
    struct stat found;
    if (link->node_rank != 0)
        return 1;
    return stat(plan->part, &found) == 0 && found.st_size == plan->size;
}

/* On one machine the system's own calls do, of which several may write one page at a time; MPI may have none.
 */
static int write_here(const struct plan *plan, off_t at, const char *text, size_t length)
{
    int fd = open(plan->part, O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
    int written = fd >= 0 && pwrite(fd, text, length, at) == (ssize_t)length;
    return fd >= 0 && close(fd) == 0 && written;
}

/* Each rank at its place, all at once. 1 on all ranks, or 0 on all. */
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

/* Rank 0: the file gets its name. Without rows all the rest is still there. */
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

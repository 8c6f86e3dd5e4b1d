/* SPDX-License-Identifier: BSD-3-Clause
 * What a call has read is looked at when the next call of the thread completes it: until then the memory is
 * there, or MPI itself could not write to it. After any other call it is not looked at. */
#include "calls/probes.h"

#include "calls/tables.h"
#include "rank/rank.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { LARGEST = 16 }; /* bytes of a flag or a lock */

struct probe {
    /* Place that is read, and how many bytes; 0: so many, or with such gaps, that it is not looked at. */
    MPI_Win win;
    MPI_Aint place;
    MPI_Datatype type;
    MPI_Count count;
    int target;
    size_t size;
    const void *result; /* NULL: nothing has been read since it was completed */
    uint64_t calls, paused;
    bool known, same; /* known: value is what came the last time; same: as the time before */
    char value[LARGEST];
};

static uint64_t paused(void)
{
    return atomic_load_explicit(&papi_mpi.record->paused, memory_order_relaxed);
}

/* Bytes of so many of the type, if they follow each other without a gap; otherwise 0. */
static size_t size_of(MPI_Count count, MPI_Datatype type)
{
    MPI_Aint begin = 0, extent = 0, true_begin = 0, true_extent = 0;
    MPI_Count size = tables_type_size(papi_mpi.tables, type);
    if (count < 1 || size < 1 || size > LARGEST || count > LARGEST / size ||
        PMPI_Type_get_extent(type, &begin, &extent) != MPI_SUCCESS ||
        PMPI_Type_get_true_extent(type, &true_begin, &true_extent) != MPI_SUCCESS || begin != 0 ||
        true_begin != 0 || extent != size || true_extent != size)
        return 0;
    return (size_t)(count * size);
}

static bool is_there(const struct probe *probe, MPI_Count count, MPI_Datatype type, int target,
                     MPI_Aint place, MPI_Win win)
{
    return probe->win == win && probe->target == target && probe->place == place && probe->type == type &&
           probe->count == count && probe->size > 0;
}

int probe_reads(const void *result, MPI_Count count, MPI_Datatype type, int target, MPI_Aint place,
                MPI_Win win)
{
    struct probe *probe = mpi_thread.probe;
    if (probe == NULL)
        probe = mpi_thread.probe = calloc(1, sizeof *probe);
    if (probe == NULL || papi_mpi.record == NULL || target == MPI_PROC_NULL)
        return 1;
    if (!is_there(probe, count, type, target, place, win))
        *probe = (struct probe){.win = win,
                                .place = place,
                                .type = type,
                                .count = count,
                                .target = target,
                                .size = size_of(count, type)};
    probe->result = result;
    probe->calls = mpi_thread.record->calls;
    probe->paused = paused();
    return !probe->same;
}

/* True if the last call has read, and this one completes it. */
static bool completes(const struct probe *probe, int target, MPI_Win win)
{
    return probe->result != NULL && probe->size > 0 && probe->win == win &&
           (target == probe->target || target == PROBE_ALL) && mpi_thread.record->calls == probe->calls + 1 &&
           papi_mpi.record != NULL && paused() == probe->paused;
}

int probe_completed(int target, MPI_Win win)
{
    struct probe *probe = mpi_thread.probe;
    if (probe == NULL || probe->result == NULL)
        return 1;
    if (!completes(probe, target, win)) {
        probe->result = NULL;
        probe->known = probe->same = false;
        return 1;
    }
    probe->same = probe->known && memcmp(probe->value, probe->result, probe->size) == 0;
    memcpy(probe->value, probe->result, probe->size);
    probe->known = true;
    probe->result = NULL;
    return !probe->same;
}

int probe_between(MPI_Win win)
{
    return mpi_thread.probe == NULL || !mpi_thread.probe->same || mpi_thread.probe->win != win;
}

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The ring of a rank that did not come to MPI_Finalize, as a timeline. It may have been killed at any moment,
 * or still run: what it had not written to its end, and what it has replaced since, is left out. */
#include "base/trust.h"
#include "job/job.h"
#include "job/timeline_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int refuse(char *why, size_t room, const char *path, const char *reason)
{
    snprintf(why, room, "%s %s", path, reason);
    return -1;
}

/* Reads size bytes from the beginning; -1: the file has fewer, or an error. */
static int read_whole(int fd, void *to, size_t size)
{
    char *next = to;
    for (size_t done = 0; done < size;) {
        ssize_t n = pread(fd, next + done, size - done, (off_t)done);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return -1;
        done += (size_t)n;
    }
    return 0;
}

enum { MOST_PLACES = (1 << 30) / sizeof(struct ring_entry) }; /* PAPI_MPI_TIMELINE takes no more bytes */

/* So many entries are not written in years: a ring that has them is damaged. */
#define MOST_WRITTEN (UINT64_C(1) << 56)

/* NULL, or what is wrong with the head of a file of that size. */
static const char *wrong_head(const struct call_ring *head, uint64_t size)
{
    uint64_t places = head->places;
    if (head->magic != RING_MAGIC)
        return "is not a ring of a rank's calls";
    if (head->version != RECORD_VERSION || head->entry_size != sizeof(struct ring_entry))
        return "was made by another version of the wrapper library: use that version's papi_mpi_report";
    if (places == 0 || (places & (places - 1)) != 0 || places > MOST_PLACES ||
        atomic_load(&head->written) > MOST_WRITTEN)
        return "is damaged";
    return size < sizeof *head + places * sizeof(struct ring_entry) ? "is truncated" : NULL;
}

/* The ring, for the caller to free; last: how many entries there were when it had been read. */
static struct call_ring *read_ring(int fd, uint64_t size, uint64_t *last, const char **wrong)
{
    struct call_ring head;
    *wrong = read_whole(fd, &head, sizeof head) != 0 ? "is truncated" : wrong_head(&head, size);
    if (*wrong != NULL)
        return NULL;
    size_t bytes = sizeof head + head.places * sizeof(struct ring_entry);
    struct call_ring *ring = malloc(bytes);
    *wrong = ring == NULL ? "needs more memory than there is" : "cannot be read";
    if (ring != NULL && read_whole(fd, ring, bytes) == 0 && ring->places == head.places &&
        wrong_head(ring, size) == NULL && read_whole(fd, &head, sizeof head) == 0) {
        *last = atomic_load(&head.written);
        return ring;
    }
    free(ring);
    return NULL;
}

/* True if it is in the time in which the rank counted. The clock of another processor may be a little off. */
static int is_in_time(const struct ring_entry *entry, const struct rank_record *record)
{
    uint64_t slack = record->tick_hertz / 1000;
    return entry->begin + slack >= record->begin && entry->begin <= entry->end &&
           entry->end <= record->end + slack;
}

/* Leaves out those that a rank which runs may have replaced since. */
static void copy_entries(struct rank_timeline *into, const struct call_ring *ring, uint64_t last,
                         const struct rank_record *record)
{
    uint64_t n = ring_count(ring), first = atomic_load(&ring->written) - n;
    uint64_t there = last > ring->places ? last - ring->places : 0;
    for (uint64_t i = 0; i < n; i++) {
        struct ring_entry *entry = &into->entry[i];

        *entry = *ring_at(ring, i);
        if (first + i < there || !is_in_time(entry, record))
            entry->call = RING_UNWRITTEN;
    }
    into->facts.entries = n;
}

static void add_regions(struct rank_timeline *into, struct rank_record *before,
                        const struct rank_record *record)
{
    for (int t = 0; t < record_thread_count(before); t++) {
        const struct thread_record *thread = record_thread_at(before, t);

        for (int i = 0; i < thread->n_open; i++)
            into->entry[into->facts.entries++] = (struct ring_entry){.begin = thread->open[i].since,
                                                                     .end = record->end,
                                                                     .call = RING_REGION,
                                                                     .thread = (int16_t)t,
                                                                     .region = thread->open[i].region,
                                                                     .to.partner = PARTNER_NONE,
                                                                     .from.partner = PARTNER_NONE};
    }
}

static struct ring_end end_of(int32_t peer, int32_t tag)
{
    struct ring_end end = {.partner = PARTNER_ELSEWHERE, .tag = tag == OPEN_ANY ? TAG_ANY : tag};
    if (peer == OPEN_ANY)
        end.partner = PARTNER_ANY;
    else if (peer == OPEN_NONE)
        end = (struct ring_end){.partner = PARTNER_NONE};
    else if (peer >= 0)
        end.partner = peer;
    return end;
}

static void add_open_call(struct rank_timeline *into, struct rank_record *record, const struct job_open *open)
{
    int facts = call_facts[open->call];
    struct ring_entry entry = {.begin = record_thread_at(record, open->thread)->since,
                               .end = record->end,
                               .bytes = RING_UNFINISHED,
                               .address = open->site >= 0 ? (uint64_t)open->site + 1 : 0,
                               .call = (int16_t)open->call,
                               .thread = (int16_t)open->thread,
                               .to.partner = PARTNER_NONE,
                               .from.partner = PARTNER_NONE};
    if (facts & FACT_SECOND) {
        entry.to = end_of(open->peer, open->tag);
        entry.from = end_of(open->second_peer, open->second_tag);
    } else if (facts & FACT_DEST) {
        entry.to = end_of(open->peer, open->tag);
    } else if (facts & FACT_SOURCE) {
        entry.from = end_of(open->peer, open->tag);
    }
    into->entry[into->facts.entries++] = entry;
}

static void describe(struct ring_facts *facts, const struct rank_record *record, const struct call_ring *ring)
{
    memset(facts, 0, sizeof *facts);
    facts->rank = record->rank;
    facts->node = record->node;
    facts->main_thread = record->main_thread;
    facts->open = atomic_load(&ring->open);
    facts->replaced = atomic_load(&ring->written) - ring_count(ring);
    facts->hertz = record->tick_hertz;
    facts->ticks = record->begin;
    facts->nsec = (uint64_t)record->began;
    facts->apart = 1;
    memcpy(facts->host, record->host, sizeof facts->host);
    memcpy(facts->region, record->region_name, sizeof facts->region);
}

static size_t room_for(const struct call_ring *ring, const struct rank_record *before, int n_open)
{
    return (size_t)ring_count(ring) + (size_t)record_thread_count(before) * MAX_OPEN + (size_t)n_open + 1;
}

int timeline_saved(struct rank_timeline *into, const char *path, struct rank_record *before,
                   struct rank_record *record, const struct site_names *names, const struct job_open *open,
                   int n_open, char *why, size_t room)
{
    struct stat status;
    const char *wrong = NULL;
    uint64_t last = 0;
    int fd = trust_open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW, 0);
    if (fd < 0)
        return errno == ENOENT ? 1 : refuse(why, room, path, strerror(errno));
    struct call_ring *ring = NULL;
    if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode))
        wrong = "is not a file";
    else
        ring = read_ring(fd, (uint64_t)status.st_size, &last, &wrong);
    close(fd);
    if (ring == NULL)
        return refuse(why, room, path, wrong);
    into->entry = calloc(room_for(ring, before, n_open), sizeof *into->entry);
    if (into->entry == NULL) {
        free(ring);
        return refuse(why, room, path, "needs more memory than there is");
    }
    describe(&into->facts, record, ring);
    copy_entries(into, ring, last, record);
    timeline_place(into->entry, into->facts.entries, record, names);
    add_regions(into, before, record);
    for (int i = 0; i < n_open; i++)
        if (open[i].inside && open[i].ending != ENDING_WAITS)
            add_open_call(into, record, &open[i]);
    free(ring);
    return 0;
}

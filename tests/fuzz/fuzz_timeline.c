/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Fuzzes what papi_mpi_report --recover makes of the rings of last calls that ranks left beside their
 * records. The input changes rings that are right: a byte for the number of ranks, then for each of them how
 * many changes follow, and each of these as struct change has it; at last, to how many bytes the last ring is
 * cut.
 */
#include "fuzz.h"
#include "job.h"
#include "job/block.h"
#include "job/recover.h"
#include "job/timeline_file.h"
#include "json.h"
#include "record/call_ring.h"
#include "record/record.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PLACES = 16, CALLED_FROM = 0x1000, MOST_CHANGES = 32, RANKS = 2 };

/* ---- right ones */

struct ring_file {
    _Alignas(struct call_ring) char bytes[sizeof(struct call_ring) + PLACES * sizeof(struct ring_entry)];
};

static struct call_ring *ring_in(struct ring_file *file)
{
    return (struct call_ring *)(void *)file->bytes;
}

static struct ring_entry entry(int call, uint64_t begin, uint64_t end)
{
    return (struct ring_entry){.begin = begin,
                               .end = end,
                               .bytes = 8,
                               .address = CALLED_FROM,
                               .call = (int16_t)call,
                               .to.partner = PARTNER_NONE,
                               .from.partner = PARTNER_NONE};
}

/* Rank 0 sends three messages, and the others have them; rank 1 waits for the first, and for the last by its
 * request. */
static void fill_ring(struct ring_file *file, int rank)
{
    static const int calls[RANKS][4] = {{CALL_SEND, CALL_SSEND, CALL_ISEND, CALL_WAIT},
                                        {CALL_RECV, CALL_RECV, CALL_IRECV, CALL_WAIT}};
    struct call_ring *ring = ring_in(file);
    memset(file, 0, sizeof *file);
    *ring = (struct call_ring){.magic = RING_MAGIC,
                               .version = RECORD_VERSION,
                               .entry_size = sizeof *ring->entry,
                               .places = PLACES,
                               .written = 6};
    for (int i = 0; i < 4; i++) {
        uint64_t begin = 100000000u * (uint64_t)(i + 1) - (rank == 1 && i == 0 ? 50000000u : 0);
        struct ring_end end = {1 - rank, 7, (uint32_t)i + 1};

        ring->entry[i] = entry(calls[rank != 0][i], begin, 100000000u * (uint64_t)(i + 1) + 9000000u);
        if (i < 3)
            *(rank == 0 ? &ring->entry[i].to : &ring->entry[i].from) = end;
    }
    ring->entry[2].region = -1; /* the next one has completed it */
    ring->entry[4] = entry(RING_MESSAGE, 400000000, 409000000);
    ring->entry[5] = entry(RING_REGION, 100000000, 500000000);
    ring->entry[5].region = 1;
}

static void fill_record(struct rank_record *record, int rank, int ranks)
{
    *record = (struct rank_record){.magic = RECORD_MAGIC,
                                   .version = RECORD_VERSION,
                                   .record_size = sizeof *record,
                                   .thread_size = sizeof(struct thread_record),
                                   .calls = CALL_COUNT,
                                   .job = "job",
                                   .host = "host",
                                   .program = "/bin/program",
                                   .command = "program",
                                   .flavour = "MPICH",
                                   .rank = rank,
                                   .ranks = ranks,
                                   .nodes = 1,
                                   .pid = 1,
                                   .state = RANK_EXITS,
                                   .started = 1700000000,
                                   .began = 1700000000000000000,
                                   .tick_hertz = 1000000000,
                                   .begin = 1000,
                                   .end = 2000000000,
                                   .n_regions = 2,
                                   .region_name = {"main", "solve"},
                                   .sites = SITES_CALLS,
                                   .n_chunks = 1};
}

static void fill_thread(struct thread_record *thread)
{
    memset(thread, 0, sizeof *thread);
    thread->threads = 1;
    thread->mpi_ticks = 500000000;
    thread->calls = 4;
    thread->since = 1900000000;
    thread->inside = CALL_BARRIER;
    thread->call[CALL_WAIT] = (struct call_totals){1, 9000000, 0, 9000000};
    thread->n_sites = 1;
    thread->site[0] = (struct call_site){.address = CALLED_FROM, .call = CALL_WAIT, .object = -1, .calls = 1};
    thread->n_open = 1;
    thread->open[0] = (struct open_region){.region = 1, .since = 1000000};
}

/* ---- changes */

/* A rank, whose record is in memory. */
struct rank {
    _Alignas(RECORD_ALIGN) struct rank_record record;
    _Alignas(RECORD_ALIGN) struct thread_record thread[THREADS_IN_CHUNK];
    struct ring_file ring;
    size_t ring_size; /* of the file */
};

enum { CHANGES_HEAD, CHANGES_ENTRY, CHANGES_CLOCK, COPIES_ENTRY, KINDS };

/* Clocks that recover.c lets pass. */
static void change_clock(struct rank_record *record, size_t which, uint64_t value)
{
    switch (which % 6) {
    case 0:
        record->tick_hertz = value > 0 ? value : 1;
        break;
    case 1:
        record->begin = value;
        break;
    case 2:
        record->end = value;
        break;
    case 3:
        record->began = (int64_t)(value % (INT64_MAX / 2));
        break;
    case 4:
        record->main_thread = (int32_t)(value % THREADS_IN_CHUNK);
        break;
    default:
        record->rank = (int32_t)(value % INT32_MAX);
    }
}

static void change(struct rank *rank, struct fuzz_bytes *bytes)
{
    struct call_ring *ring = ring_in(&rank->ring);
    int kind = (int)fuzz_number(bytes, 1) % KINDS;
    size_t place = (size_t)fuzz_number(bytes, 2);
    uint64_t value = fuzz_number(bytes, kind == COPIES_ENTRY ? 1 : 8);
    if (kind == CHANGES_HEAD)
        memcpy(rank->ring.bytes + place % (offsetof(struct call_ring, channel) - sizeof value), &value,
               sizeof value);
    else if (kind == CHANGES_ENTRY)
        memcpy((char *)ring->entry + place % (PLACES * sizeof *ring->entry - sizeof value + 1), &value,
               sizeof value);
    else if (kind == CHANGES_CLOCK)
        change_clock(&rank->record, place, value);
    else
        ring->entry[place % PLACES] = ring->entry[value % PLACES];
}

static void make_rank(struct rank *rank, int number, int ranks, struct fuzz_bytes *bytes)
{
    fill_record(&rank->record, number, ranks);
    fill_thread(&rank->thread[0]);
    fill_ring(&rank->ring, number);
    for (unsigned n = (unsigned)fuzz_number(bytes, 1) % MOST_CHANGES; n > 0 && bytes->next < bytes->end; n--)
        change(rank, bytes);
    rank->ring_size = sizeof rank->ring;
}

static const char *put(const char *name, const void *data, size_t size, size_t whole)
{
    static char path[300];
    snprintf(path, sizeof path, "%s/papi_mpi.0.job/%s", fuzz_folder(), name);
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    REQUIRE(fd >= 0 && pwrite(fd, data, size, 0) == (ssize_t)size && ftruncate(fd, (off_t)whole) == 0);
    close(fd);
    return path;
}

/* ---- what holds */

/* Facts of the events of a file, each of which has a line. */
struct seen {
    uint64_t calls, begins, ends, line_begins, line_ends;
};

static void check_event(const char *line, struct seen *seen, long long *line_began)
{
    char phase;
    long long pid, tid, ts, dur;
    unsigned ns, dur_ns;
    REQUIRE(sscanf(line, "{\"ph\":\"%c\",\"pid\":%lld,\"tid\":%lld", &phase, &pid, &tid) == 3);
    REQUIRE(pid >= 0 && tid > 0);
    if (phase == 'M')
        return;
    REQUIRE(sscanf(strstr(line, ",\"ts\""), ",\"ts\":%lld.%3u", &ts, &ns) == 2 && ts >= 0);
    seen->calls += phase == 'X';
    seen->begins += phase == 'b';
    seen->ends += phase == 'e';
    seen->line_begins += phase == 's';
    seen->line_ends += phase == 'f';
    if (phase == 'X')
        REQUIRE(sscanf(strstr(line, ",\"dur\""), ",\"dur\":%lld.%3u", &dur, &dur_ns) == 2 && dur >= 0);
    else if (phase == 's')
        *line_began = ts;
    else if (phase == 'f')
        REQUIRE(ts >= *line_began);
}

static void check_timeline(const char *text, const struct timeline_sums *sums)
{
    struct seen seen = {0};
    long long line_began = 0;
    for (const char *line = strchr(text, '\n'); line != NULL; line = strchr(line + 1, '\n'))
        if (strncmp(line + 1, "{\"ph\"", 5) == 0)
            check_event(line + 1, &seen, &line_began);
    REQUIRE(seen.calls == sums->calls);
    REQUIRE(seen.begins == sums->regions && seen.ends == sums->regions);
    REQUIRE(seen.line_begins == sums->lines && seen.line_ends == sums->lines);
    REQUIRE(sums->lines <= sums->joined && sums->joined <= sums->received);
}

static void check_late(const struct job *job)
{
    for (int i = 0; i < job->n_late; i++) {
        REQUIRE(job->late[i].site >= -1 && job->late[i].site < job->n_sites);
        REQUIRE(job->late[i].late_senders + job->late[i].late_receivers > 0);
    }
}

static void check_rings(const struct job *job, struct rank_timeline *rings, int n)
{
    struct timeline_sums sums;
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    REQUIRE(timeline_write(out, rings, (size_t)n, job, &sums) == 0);
    fclose(out);
    fuzz_json(text, size);
    fuzz_visible(text);
    check_timeline(text, &sums);
    free(text);
}

/* The rings alone, with records that are in memory already: each is read, or refused with a reason. */
static void check_ranks(struct rank *rank, int ranks)
{
    static struct site_names names;
    static struct job job;
    struct rank_timeline *rings = calloc((size_t)ranks, sizeof *rings);
    struct job_open in = {.call = CALL_BARRIER, .inside = 1, .site = -1, .ending = ENDING_GONE};
    int n = 0;
    site_names_of(&names, &rank->record);
    job_identify(&job, &rank->record);
    block_name_sites(&job, &names);
    for (int i = 0; i < ranks; i++) {
        char why[600] = "";
        const char *path = put(RECORD_RING "0", &rank[i].ring, sizeof rank[i].ring, rank[i].ring_size);
        int code = timeline_saved(&rings[n], path, &rank[i].record, &rank[i].record, &names, &in, 1, why,
                                  sizeof why);
        REQUIRE(code == 0 || code == -1);
        REQUIRE((code == 0) == (why[0] == '\0'));
        n += code == 0;
    }
    REQUIRE(timeline_order(rings, (size_t)n) == 0 && timeline_late(rings, (size_t)n, &job) == 0);
    check_late(&job);
    if (n > 0)
        check_rings(&job, rings, n);
    free(job.late);
    job.late = NULL;
    job.n_late = 0;
    timeline_free(rings, (size_t)n);
}

/* All that --recover makes of the files. */
static void check_recovered(struct rank *rank, int ranks)
{
    char why[8192] = "", name[40], *folder = (char *)fuzz_folder();
    for (int i = 0; i < ranks; i++) {
        rank[i].record.rank = i; /* the name of the ring */
        snprintf(name, sizeof name, RECORD_RING "%d", i);
        put(name, &rank[i].ring, sizeof rank[i].ring, rank[i].ring_size);
        snprintf(name, sizeof name, RECORD_FILE "%d", i);
        put(name, &rank[i], offsetof(struct rank, ring), record_chunk_offset(false, 1));
    }
    struct job *job = job_recover(&folder, 1, why, sizeof why);
    REQUIRE(job != NULL && job->n_rows == (uint64_t)ranks);
    REQUIRE(job->n_rings == ranks || why[0] != '\0');
    if (getenv("FUZZ_TELL") != NULL)
        fprintf(stderr, "%d rings; %s\n", job->n_rings, why);
    check_late(job);
    if (job->n_rings > 0)
        check_rings(job, job->ring, job->n_rings);
    fuzz_check_text(job);
    fuzz_check_json(job);
    job_free(job);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct rank rank[RANKS];
    struct fuzz_bytes bytes = {data, data + size};
    int ranks = 1 + (int)fuzz_number(&bytes, 1) % RANKS;
    fuzz_put("papi_mpi.0.job/" RECORD_RING "0", "", 0);
    for (int i = 0; i < ranks; i++)
        make_rank(&rank[i], i, ranks, &bytes);
    uint64_t cut = fuzz_number(&bytes, 4);
    if (cut != 0)
        rank[ranks - 1].ring_size = cut % (2 * sizeof rank->ring);
    check_ranks(rank, ranks);
    if (fuzz_way(data, size, 0, 256))
        check_recovered(rank, ranks);
    fuzz_clear();
    return 0;
}

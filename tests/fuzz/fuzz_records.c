/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Fuzzes what papi_mpi_report --recover makes of the records of ranks. The input changes records that are
 * right: a byte for their number, then for each change the file, the place and eight bytes; at last, what is
 * cut off.
 */
#include "fuzz.h"
#include "job.h"
#include "job/recover.h"
#include "job/result_file.h"
#include "record/record.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The number of ranks, by the first byte. Each takes its time: a record has 0.8 MB, which are written, read
 * twice and added to a job of 0.3 MB. */
static const unsigned char rank_counts[] = {1, 1, 1, 1, 1, 2, 2, 3};

static void fill(struct rank_record *record, int rank, int ranks)
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
                                   .tick_hertz = 1000000000,
                                   .begin = 1000,
                                   .end = 2000000000,
                                   .n_counters = 1,
                                   .n_regions = 2,
                                   .counter_name = {"PAPI_TOT_INS"},
                                   .counter = {123456789},
                                   .region_name = {"main", "solve"},
                                   .n_chunks = 1,
                                   .main_thread = 0};
}

static void fill_thread(struct thread_record *thread)
{
    memset(thread, 0, sizeof *thread);
    thread->threads = 1;
    thread->mpi_ticks = 500000;
    thread->calls = 3;
    thread->since = 1500000000;
    thread->inside = -1;
    thread->call[1] = (struct call_totals){3, 500000, 4096, 300000};
    thread->sent[4] = 2;
    thread->peer[1] = (struct peer){1, 1, 2, 32};
    thread->region[0] =
        (struct region_totals){.visits = 1, .ticks = 1000000, .mpi_ticks = 1000, .counter = {5}};
    thread->n_open = 1;
    thread->open[0] = (struct open_region){.region = 1, .since = 1000000};
}

/* A place in a record. Most changes are to be where something is: the head, or one of the first thread's
 * parts. */
static off_t place_of(struct fuzz_bytes *bytes)
{
    uint64_t place = fuzz_number(bytes, 4);
    size_t head = sizeof(struct rank_record), thread = sizeof(struct thread_record);
    return (off_t)(place & 1 ? record_chunk_offset(false, 0) + (place >> 1) % thread : (place >> 1) % head);
}

static int make_file(int rank, int ranks, struct fuzz_bytes *bytes)
{
    static struct rank_record record;
    static struct thread_record thread;
    char path[300];
    snprintf(path, sizeof path, "%s/papi_mpi.0.job", fuzz_folder());
    if (access(path, F_OK) != 0)
        fuzz_put("papi_mpi.0.job/rank.0", "", 0);
    snprintf(path, sizeof path, "%s/papi_mpi.0.job/rank.%d", fuzz_folder(), rank);
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    REQUIRE(fd >= 0);
    fill(&record, rank, ranks);
    fill_thread(&thread);
    REQUIRE(pwrite(fd, &record, sizeof record, 0) == (ssize_t)sizeof record);
    REQUIRE(pwrite(fd, &thread, sizeof thread, (off_t)record_chunk_offset(false, 0)) ==
            (ssize_t)sizeof thread);
    REQUIRE(ftruncate(fd, (off_t)record_chunk_offset(false, 1)) == 0);
    for (unsigned n = (unsigned)fuzz_number(bytes, 1) % 32; n > 0 && bytes->next < bytes->end; n--) {
        off_t place = place_of(bytes);
        uint64_t value = fuzz_number(bytes, 8);
        REQUIRE(pwrite(fd, &value, sizeof value, place) == (ssize_t)sizeof value);
    }
    return fd;
}

static void check(const struct job *job, const uint8_t *data, size_t size)
{
    static void (*const ways[])(const struct job *) = {fuzz_check_text, fuzz_check_csv, fuzz_check_json,
                                                       fuzz_check_page};
    enum { WAYS = sizeof ways / sizeof *ways };
    for (int i = 0; i < WAYS; i++)
        if (fuzz_way(data, size, i, WAYS))
            ways[i](job);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_bytes bytes = {data, data + size};
    int ranks = rank_counts[fuzz_number(&bytes, 1) % sizeof rank_counts], fd = -1;
    char why[8192] = "", *folder = (char *)fuzz_folder();
    for (int i = 0; i < ranks; i++) {
        if (fd >= 0)
            close(fd);
        fd = make_file(i, ranks, &bytes);
    }
    uint64_t cut = fuzz_number(&bytes, 4);
    if (cut != 0)
        REQUIRE(ftruncate(fd, (off_t)(cut % record_chunk_offset(false, 1))) == 0);
    close(fd);
    struct job *job = job_recover(&folder, 1, why, sizeof why);
    REQUIRE(job != NULL || why[0] != '\0');
    REQUIRE(memchr(why, '\0', sizeof why) != NULL);
    if (job != NULL) {
        REQUIRE(job->n_rows > 0 && job->n_rows <= (uint64_t)ranks);
        check(job, data, size);
    }
    job_free(job);
    fuzz_clear();
    return 0;
}

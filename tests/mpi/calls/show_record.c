/* SPDX-License-Identifier: BSD-3-Clause */
/* A rank's record as JSON: the calls, bytes, partners, sizes of all its threads. show_record DIRECTORY FILE
 */
#include "job/recover.h"
#include "rank/rank.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>

#define EACH_THREAD(thread)                                                                                  \
    for (int t_ = 0; t_ < record_thread_count(record); t_++)                                                 \
        for (const struct thread_record *thread = record_thread_at(record, t_); thread; thread = NULL)

static void show_calls(const struct rank_record *record)
{
    const char *comma = "";
    for (int i = 0; i < CALL_COUNT; i++) {
        struct call_totals sum = {0};
        EACH_THREAD(thread)
        {
            sum.calls += thread->call[i].calls;
            sum.bytes += thread->call[i].bytes;
            sum.ticks += thread->call[i].ticks;
            sum.longest = thread->call[i].longest > sum.longest ? thread->call[i].longest : sum.longest;
        }
        if (sum.calls) {
            printf("%s\"%s\": [%" PRIu64 ", %" PRIu64 ", %" PRIu64 ", %" PRIu64 "]", comma, call_name[i],
                   sum.calls, sum.bytes, sum.ticks, sum.longest);
            comma = ", ";
        }
    }
}

/* Shows what the threads have for each call together, where that is not 0. */
static void show_sums(const struct rank_record *record, const char *key, size_t offset)
{
    const char *comma = "";
    printf(", \"%s\": {", key);
    for (int i = 0; i < CALL_COUNT; i++) {
        uint64_t sum = 0;
        EACH_THREAD(thread)
        {
            const uint64_t *of_calls = (const uint64_t *)(const void *)((const char *)thread + offset);
            sum += of_calls[i];
        }
        if (sum) {
            printf("%s\"%s\": %" PRIu64, comma, call_name[i], sum);
            comma = ", ";
        }
    }
    printf("}");
}

static void show_peers(const struct rank_record *record)
{
    const char *comma = "";
    EACH_THREAD(thread)
    for (int i = 0; i < MAX_PEERS; i++)
        if (thread->peer[i].messages) {
            printf("%s[%d, %" PRIu64 ", %" PRIu64 "]", comma, thread->peer[i].rank, thread->peer[i].messages,
                   thread->peer[i].bytes);
            comma = ", ";
        }
}

static void show_sizes(const struct rank_record *record, int collective)
{
    for (int i = 0; i < SIZE_BUCKETS; i++) {
        uint64_t n = 0;
        EACH_THREAD(thread) n += collective ? thread->collective[i] : thread->sent[i];
        printf("%s%" PRIu64, i ? ", " : "", n);
    }
}

int main(int argc, char **argv)
{
    struct saved saved;
    char why[400];
    int directory = open(argc > 1 ? argv[1] : ".", O_RDONLY | O_DIRECTORY);
    if (argc != 3 || saved_read(&saved, directory, argv[2], 0, why, sizeof why)) {
        fprintf(stderr, "%s %s\n", argc > 2 ? argv[2] : "show_record DIRECTORY FILE", argc == 3 ? why : "");
        return 1;
    }
    const struct rank_record *record = saved.record;
    uint64_t received = 0, calls = 0, ticks = 0, other_messages = 0, other_bytes = 0, outside = 0;
    int threads = 0, inside = 0;
    EACH_THREAD(thread)
    {
        calls += thread->calls;
        ticks += thread->mpi_ticks;
        other_messages += thread->other_messages;
        other_bytes += thread->other_bytes;
        outside += thread->outside_messages;
        received += thread->received_messages;
        threads += thread->threads != 0;
        inside += thread->threads && thread->inside >= 0;
    }
    printf("{\"rank\": %d, \"ranks\": %d, \"threads\": %d, \"inside\": %d, \"all_calls\": %" PRIu64
           ", \"all_ticks\": %" PRIu64 ", \"calls\": {",
           record->rank, record->ranks, threads, inside, calls, ticks);
    show_calls(record);
    printf("}, \"peers\": [");
    show_peers(record);
    printf("], \"other\": [%" PRIu64 ", %" PRIu64 "], \"outside\": %" PRIu64 ", \"sent\": [", other_messages,
           other_bytes, outside);
    show_sizes(record, 0);
    printf("], \"collective\": [");
    show_sizes(record, 1);
    printf("], \"received_messages\": %" PRIu64, received);
    show_sums(record, "received", offsetof(struct thread_record, received));
    show_sums(record, "uncounted", offsetof(struct thread_record, uncounted));
    printf("}\n");
    saved_free(&saved);
    return 0;
}

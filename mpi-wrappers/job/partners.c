/* SPDX-License-Identifier: BSD-3-Clause */
#include "job/partners.h"

static void count_peer(struct partners *partners, const struct peer *peer)
{
    int i = 0;
    while (i < partners->n && partners->peer[i].rank != peer->rank)
        i++;
    if (i == MAX_PEERS) {
        partners->more = 1;
        return;
    }
    if (i == partners->n)
        partners->peer[partners->n++] = (struct peer){.rank = peer->rank};
    partners->peer[i].messages += peer->messages;
    partners->peer[i].bytes += peer->bytes;
}

void partners_of(struct partners *partners, const struct rank_record *record)
{
    partners->n = partners->more = 0;
    for (int t = 0; t < record_thread_count(record); t++) {
        const struct thread_record *thread = record_thread_at(record, t);
        if (thread->threads == 0)
            continue;
        for (int i = 0; i < MAX_PEERS; i++)
            if (thread->peer[i].messages > 0)
                count_peer(partners, &thread->peer[i]);
        if (thread->other_messages > 0)
            partners->more = 1;
    }
}

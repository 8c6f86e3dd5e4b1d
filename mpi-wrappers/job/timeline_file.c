/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The last calls of all ranks as a file for Perfetto.
 *
 * A process of the file is a rank, its threads are the rank's. A thread's calls never overlap; regions need
 * not nest (those of MPI_Pcontrol), so they are not slices of the thread but bands of their own. Both ends of
 * a message are joined by their number. A line goes to the call that has the message when it returns: the
 * receive, or that which completed it. Threads have numbers that no other rank's have: viewers
 * look for them without the process.
 */
#include "job/timeline_file.h"

#include "base/json.h"
#include "base/trust.h"
#include "job/block.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

__extension__ typedef __int128 wide;

/* A message, as one of its ends has it. */
struct message {
    int32_t sender, receiver, tag;
    uint32_t number;
    const struct rank_timeline *rank; /* of this end */
    struct ring_entry *entry;
    const struct ring_entry *completes; /* the call in which this end is complete; NULL: not known */
    int alone;                          /* that completes no other request */
};

struct writing {
    FILE *out;
    struct rank_timeline *ranks;
    size_t n;
    const struct job *job;
    struct timeline_sums *sums;
    struct message *sends, *receives;
    size_t n_sends, n_receives;
    int64_t first; /* the time that is 0 in the file */
    uint64_t ids;  /* of lines and bands */
    int events;
};

/* ---- time: nanoseconds of rank 0's node */

static int64_t time_of(const struct ring_facts *facts, uint64_t ticks)
{
    const wide most = INT64_MAX / 4; /* of two such times there is a difference, whatever the clocks say */
    wide since = (wide)ticks - (wide)facts->ticks;
    wide time = since * 1000000000 / (wide)facts->hertz + (int64_t)facts->nsec - facts->ahead;
    return (int64_t)(time > most ? most : time < -most ? -most : time);
}

static void put_time(const struct writing *writing, const char *key, int64_t time)
{
    int64_t ns = time - writing->first;
    fprintf(writing->out, ",\"%s\":%" PRId64 ".%03d", key, ns / 1000, (int)(ns % 1000));
}

/* ---- order */

#define COMPARE(a, b, what)                                                                                  \
    if ((a)->what != (b)->what)                                                                              \
    return (a)->what < (b)->what ? -1 : 1

static int by_message(const void *a, const void *b)
{
    const struct message *left = a, *right = b;
    COMPARE(left, right, sender);
    COMPARE(left, right, receiver);
    COMPARE(left, right, tag);
    COMPARE(left, right, number);
    return 0;
}

/* Takes the numbers away from the receives that were posted after one whose message is not known: it may have
 * come before theirs. The entries are as the ring has them. */
static void doubt_receives(struct rank_timeline *rank)
{
    uint32_t open = 0;
    for (uint64_t i = 0; i < rank->facts.entries; i++)
        open += rank->entry[i].from.number == RING_OPEN;
    int doubted = open < rank->facts.open;
    for (uint64_t i = 0; i < rank->facts.entries; i++) {
        struct ring_end *from = &rank->entry[i].from;
        doubted |= from->number == RING_OPEN;
        if (doubted)
            from->number = 0;
    }
}

/* True if a thread has written it to its end, and a region is one. */
static int is_whole(const struct rank_timeline *rank, const struct ring_entry *entry)
{
    if (entry->end < entry->begin || entry->begin == 0 || entry->call >= CALL_COUNT || entry->thread < 0 ||
        entry->thread >= MAX_CHUNKS * THREADS_IN_CHUNK || entry->address > MAX_JOB_SITES ||
        (entry->bytes > INT64_MAX && entry->bytes != RING_UNFINISHED))
        return 0;
    if (entry->call == RING_REGION)
        return entry->region >= 0 && entry->region < MAX_REGIONS &&
               rank->facts.region[entry->region][0] != '\0' && entry->to.partner == PARTNER_NONE &&
               entry->from.partner == PARTNER_NONE;
    return entry->call >= 0 || entry->call == RING_MESSAGE;
}

/* An entry, its place as the rank gave it, and that of the call which completed its request, and 1 more. */
struct placed {
    struct ring_entry entry;
    uint64_t place, completed;
};

static int by_time(const void *a, const void *b)
{
    const struct placed *left = a, *right = b;
    COMPARE(left, right, entry.begin);
    COMPARE(right, left, entry.end);
    COMPARE(left, right, place);
    return 0;
}

static struct placed placed_at(const struct rank_timeline *rank, uint64_t i)
{
    const struct ring_entry *entry = &rank->entry[i];
    struct placed placed = {*entry, i, 0};
    uint64_t later = (uint64_t)(entry->region < 0 ? -(int64_t)entry->region : entry->region);
    if (entry->call != RING_REGION && later > 0 && later < rank->facts.entries - i &&
        rank->entry[i + later].call >= 0)
        placed.completed = i + later + 1;
    return placed;
}

/* Puts whole entries in order of time. Then the region of a call is the place of that which completed its
 * request, and 1 more: negative where that completed no other one. */
static void order_placed(struct rank_timeline *rank, struct placed *placed, uint64_t kept, uint64_t *now_at)
{
    qsort(placed, kept, sizeof *placed, by_time);
    for (uint64_t i = 0; i < kept; i++)
        now_at[placed[i].place] = i + 1;
    for (uint64_t i = 0; i < kept; i++) {
        struct ring_entry *entry = &rank->entry[i];
        *entry = placed[i].entry;
        if (entry->call == RING_REGION)
            continue;
        int32_t at = placed[i].completed > 0 ? (int32_t)now_at[placed[i].completed - 1] : 0;
        entry->region = entry->region < 0 ? -at : at;
    }
    rank->facts.entries = kept;
}

static int order_rank(struct rank_timeline *rank)
{
    uint64_t n = rank->facts.entries, kept = 0;
    struct placed *placed = calloc(n + 1, sizeof *placed);
    uint64_t *now_at = calloc(n + 1, sizeof *now_at); /* by place, and 1 more; 0: it was dropped */
    int failed = placed == NULL || now_at == NULL;
    if (!failed) {
        doubt_receives(rank);
        for (uint64_t i = 0; i < n; i++)
            if (is_whole(rank, &rank->entry[i]))
                placed[kept++] = placed_at(rank, i);
        order_placed(rank, placed, kept, now_at);
    }
    free(placed);
    free(now_at);
    return failed ? -1 : 0;
}

void timeline_free(struct rank_timeline *ranks, size_t n)
{
    for (size_t i = 0; ranks != NULL && i < n; i++)
        free(ranks[i].entry);
    free(ranks);
}

int timeline_order(struct rank_timeline *ranks, size_t n)
{
    int code = 0;
    for (size_t i = 0; i < n && code == 0; i++)
        code = order_rank(&ranks[i]);
    return code;
}

/* ---- messages */

/* True if the receive has its message when it returns. */
static int has_message(const struct ring_entry *receive)
{
    return receive->call == CALL_RECV || receive->call == CALL_SENDRECV ||
           receive->call == CALL_SENDRECV_REPLACE;
}

/* True if the call returns only when the message is on its way, and receives none. */
static int only_sends(const struct ring_entry *entry)
{
    return entry->call == CALL_SEND || entry->call == CALL_SSEND || entry->call == CALL_RSEND;
}

/* An end of a message. at_once: its call completes it. */
static struct message end_at(const struct rank_timeline *rank, struct ring_entry *entry, int at_once)
{
    struct message message = {.rank = rank, .entry = entry};
    int64_t place = entry->region < 0 ? -(int64_t)entry->region : entry->region;
    if (at_once)
        message.completes = entry;
    else if (entry->call != RING_REGION && place > 0)
        message.completes = &rank->entry[place - 1];
    message.alone = at_once || entry->region < 0;
    return message;
}

static void find_messages_of(struct writing *writing, const struct rank_timeline *rank)
{
    int32_t here = rank->facts.rank;
    for (uint64_t i = 0; i < rank->facts.entries; i++) {
        struct ring_entry *entry = &rank->entry[i];
        const struct ring_end *to = &entry->to, *from = &entry->from;
        struct message sent = end_at(rank, entry, only_sends(entry));
        struct message received = end_at(rank, entry, has_message(entry));

        writing->sums->sent += to->partner != PARTNER_NONE;
        writing->sums->received += from->partner != PARTNER_NONE;
        sent.alone &= from->partner == PARTNER_NONE;
        sent.sender = received.receiver = here;
        sent.receiver = to->partner, sent.tag = to->tag, sent.number = to->number;
        received.sender = from->partner, received.tag = from->tag, received.number = from->number;
        if (to->number != 0 && to->partner >= 0)
            writing->sends[writing->n_sends++] = sent;
        if (from->number != 0 && from->partner >= 0)
            writing->receives[writing->n_receives++] = received;
    }
}

static int find_messages(struct writing *writing)
{
    size_t entries = 1;
    for (size_t i = 0; i < writing->n; i++)
        entries += writing->ranks[i].facts.entries;
    writing->sends = calloc(entries, sizeof *writing->sends);
    writing->receives = calloc(entries, sizeof *writing->receives);
    if (writing->sends == NULL || writing->receives == NULL)
        return -1;
    for (size_t i = 0; i < writing->n; i++)
        find_messages_of(writing, &writing->ranks[i]);
    qsort(writing->sends, writing->n_sends, sizeof *writing->sends, by_message);
    return 0;
}

/* ---- events */

static int64_t thread_number(const struct ring_facts *facts, int thread)
{
    return (int64_t)facts->rank * (MAX_CHUNKS * THREADS_IN_CHUNK) + thread + 1;
}

/* Begins an event; the caller ends it. */
static void begin_event(struct writing *writing, const char *phase, const struct ring_facts *facts,
                        int thread)
{
    fprintf(writing->out, "%s\n{\"ph\":\"%s\",\"pid\":%d,\"tid\":%" PRId64, writing->events++ > 0 ? "," : "",
            phase, facts->rank, thread_number(facts, thread));
}

static void put_text(FILE *out, const char *text)
{
    struct json json = {.out = out, .in_line = true};
    json_string(&json, NULL, text);
}

static void name_threads(struct writing *writing, const struct rank_timeline *rank)
{
    int last = rank->facts.main_thread;
    for (uint64_t i = 0; i < rank->facts.entries; i++)
        last = rank->entry[i].thread > last ? rank->entry[i].thread : last;
    for (int thread = 0; thread <= last; thread++) {
        begin_event(writing, "M", &rank->facts, thread);
        if (thread == rank->facts.main_thread)
            fputs(",\"name\":\"thread_name\",\"args\":{\"name\":\"main thread\"}}", writing->out);
        else
            fprintf(writing->out, ",\"name\":\"thread_name\",\"args\":{\"name\":\"thread %d\"}}", thread);
    }
}

static void name_rank(struct writing *writing, const struct rank_timeline *rank)
{
    const struct ring_facts *facts = &rank->facts;
    char name[HOST_NAME + 40];
    snprintf(name, sizeof name, "rank %d (%.*s)", facts->rank, HOST_NAME, facts->host);
    begin_event(writing, "M", facts, facts->main_thread);
    fputs(",\"name\":\"process_name\",\"args\":{\"name\":", writing->out);
    put_text(writing->out, name);
    fputs("}}", writing->out);
    begin_event(writing, "M", facts, facts->main_thread);
    fprintf(writing->out, ",\"name\":\"process_sort_index\",\"args\":{\"sort_index\":%d}}", facts->rank);
    name_threads(writing, rank);
}

static void put_end(FILE *out, const char *what, const struct ring_end *end)
{
    if (end->partner == PARTNER_NONE)
        return;
    if (end->partner >= 0)
        fprintf(out, ",\"%s\":%d", what, end->partner);
    else
        fprintf(out, ",\"%s\":\"%s\"", what,
                end->partner == PARTNER_ANY ? "MPI_ANY_SOURCE" : "of another communicator");
    if (end->tag == TAG_ANY)
        fprintf(out, ",\"%s_tag\":\"MPI_ANY_TAG\"", what);
    else
        fprintf(out, ",\"%s_tag\":%d", what, end->tag);
    if (end->number != 0)
        fprintf(out, ",\"%s_message\":%" PRIu32, what, end->number);
}

/* "solver.f90:217", or where in which file of code it is. */
static void put_site(const struct writing *writing, const struct ring_entry *entry)
{
    if (entry->address == 0)
        return;
    const struct job *job = writing->job;
    const struct job_site *site = &job->site[entry->address - 1];
    const struct job_frame *frame = site->frames > 0 ? &job->frame[site->first_frame] : NULL;
    const char *path = frame != NULL && frame->line > 0 ? frame->file
                       : site->object >= 0              ? job->object[site->object].path
                                                        : NULL;
    char text[OBJECT_PATH + 32];
    if (path == NULL)
        return;
    const char *slash = strrchr(path, '/'), *base = slash != NULL ? slash + 1 : path;
    if (frame != NULL && frame->line > 0)
        snprintf(text, sizeof text, "%s:%" PRIu64, base, frame->line);
    else
        snprintf(text, sizeof text, "%s+0x%" PRIx64, base, site->address);
    fputs(",\"at\":", writing->out);
    put_text(writing->out, text);
}

static void put_call(struct writing *writing, const struct rank_timeline *rank,
                     const struct ring_entry *entry)
{
    int64_t begin = time_of(&rank->facts, entry->begin), end = time_of(&rank->facts, entry->end);
    begin_event(writing, "X", &rank->facts, entry->thread);
    put_time(writing, "ts", begin);
    fprintf(writing->out,
            ",\"dur\":%" PRId64 ".%03d,\"name\":\"%s\",\"cat\":\"%s\",\"args\":{\"bytes\":%" PRIu64,
            (end - begin) / 1000, (int)((end - begin) % 1000), call_name[entry->call],
            class_name[call_class[entry->call]], entry->bytes != RING_UNFINISHED ? entry->bytes : 0);
    if (entry->bytes == RING_UNFINISHED)
        fputs(",\"not_finished\":true", writing->out);
    put_end(writing->out, "to", &entry->to);
    put_end(writing->out, "from", &entry->from);
    put_site(writing, entry);
    fputs("}}", writing->out);
    writing->sums->calls++;
}

static void put_band_end(struct writing *writing, const struct rank_timeline *rank,
                         const struct ring_entry *entry, const char *phase, uint64_t ticks)
{
    begin_event(writing, phase, &rank->facts, entry->thread);
    put_time(writing, "ts", time_of(&rank->facts, ticks));
    fprintf(writing->out, ",\"cat\":\"region\",\"id\":\"%" PRIu64 "\",\"name\":", writing->ids);
    put_text(writing->out, rank->facts.region[entry->region]);
    fputs("}", writing->out);
}

static void put_region(struct writing *writing, const struct rank_timeline *rank,
                       const struct ring_entry *entry)
{
    writing->ids++;
    put_band_end(writing, rank, entry, "b", entry->begin);
    put_band_end(writing, rank, entry, "e", entry->end);
    writing->sums->regions++;
}

static void put_line_end(struct writing *writing, const struct message *end, const char *phase,
                         const struct ring_entry *call, int64_t time)
{
    begin_event(writing, phase, &end->rank->facts, call->thread);
    put_time(writing, "ts", time);
    fprintf(writing->out,
            ",\"cat\":\"message\",\"name\":\"message\",%s\"id\":%" PRIu64
            ",\"args\":{\"from\":%d,\"to\":%d,\"tag\":%d,\"message\":%" PRIu32 "}}",
            phase[0] == 'f' ? "\"bp\":\"e\"," : "", writing->ids, end->sender, end->receiver, end->tag,
            end->number);
}

/* The line ends within the call that has the message, for which a viewer looks by the time. */
static void put_line(struct writing *writing, const struct message *sent, const struct message *received)
{
    const struct ring_facts *to = &received->rank->facts;
    int64_t sends = time_of(&sent->rank->facts, sent->entry->begin);
    int64_t begins = time_of(to, received->completes->begin), ends = time_of(to, received->completes->end);
    int64_t arrives = ends - 1 > begins ? ends - 1 : begins;
    if (sends > arrives) /* the clocks of two nodes */
        return;
    writing->ids++;
    put_line_end(writing, sent, "s", sent->entry, sends);
    put_line_end(writing, received, "f", received->completes, arrives);
    writing->sums->lines++;
}

/* The other end; NULL: the rings do not have it. */
static const struct message *sender_of(const struct writing *writing, const struct message *received)
{
    return bsearch(received, writing->sends, writing->n_sends, sizeof *writing->sends, by_message);
}

/* True if the times of two ranks are of the same clock, or of clocks that were compared. */
static int comparable(const struct message *one, const struct message *other)
{
    return one->rank->facts.node == other->rank->facts.node || !one->rank->facts.apart;
}

static void put_lines(struct writing *writing)
{
    for (size_t i = 0; i < writing->n_receives; i++) {
        const struct message *received = &writing->receives[i], *sent = sender_of(writing, received);

        if (sent == NULL)
            continue;
        writing->sums->joined++;
        if (received->completes != NULL && comparable(sent, received))
            put_line(writing, sent, received);
    }
}

/* ---- the file */

static void put_head(const struct writing *writing)
{
    fprintf(writing->out, "{\"otherData\":{\"format\":\"" TIMELINE_FORMAT "\",\"job\":");
    put_text(writing->out, writing->job->job);
    fprintf(writing->out, ",\"ranks\":%zu},\n\"displayTimeUnit\":\"ns\",\n\"traceEvents\":[", writing->n);
}

static void put_sums(const struct writing *writing)
{
    struct timeline_sums *sums = writing->sums;
    for (int i = 0; i < writing->job->n_late; i++)
        block_add(&sums->late_sender_ns, writing->job->late[i].late_sender_ns);
    if (sums->late_sender_ns > INT64_MAX) /* readers of JSON take no more */
        sums->late_sender_ns = INT64_MAX;
    fprintf(writing->out,
            "],\n\"papi_mpi\":{\"calls\":%" PRIu64 ",\"regions\":%" PRIu64 ",\"replaced\":%" PRIu64
            ",\"sent\":%" PRIu64 ",\"received\":%" PRIu64 ",\"joined\":%" PRIu64 ",\"lines\":%" PRIu64
            ",\"late_sender_ns\":%" PRIu64,
            sums->calls, sums->regions, sums->replaced, sums->sent, sums->received, sums->joined, sums->lines,
            sums->late_sender_ns);
    if (sums->clock_error_ns == UINT64_MAX)
        fputs(",\"clock_error_ns\":null}}\n", writing->out);
    else
        fprintf(writing->out, ",\"clock_error_ns\":%" PRIu64 "}}\n", sums->clock_error_ns);
}

static void begin_sums(struct writing *writing)
{
    uint64_t most = 0, second = 0;
    writing->first = INT64_MAX;
    for (size_t i = 0; i < writing->n; i++) {
        struct rank_timeline *rank = &writing->ranks[i];
        uint64_t error = rank->facts.ahead_error;

        writing->sums->replaced += rank->facts.replaced;
        second = error > most ? most : error > second ? error : second;
        most = error > most ? error : most;
        if (rank->facts.entries > 0 && time_of(&rank->facts, rank->entry[0].begin) < writing->first)
            writing->first = time_of(&rank->facts, rank->entry[0].begin);
    }
    writing->sums->clock_error_ns = most + second;
    for (size_t i = 1; i < writing->n; i++)
        if (writing->ranks[i].facts.apart && writing->ranks[i].facts.node != writing->ranks[0].facts.node)
            writing->sums->clock_error_ns = UINT64_MAX;
}

static void put_rank(struct writing *writing, const struct rank_timeline *rank)
{
    name_rank(writing, rank);
    for (uint64_t i = 0; i < rank->facts.entries; i++)
        if (rank->entry[i].call == RING_REGION)
            put_region(writing, rank, &rank->entry[i]);
        else if (rank->entry[i].call != RING_MESSAGE)
            put_call(writing, rank, &rank->entry[i]);
}

int timeline_write(FILE *out, struct rank_timeline *ranks, size_t n, const struct job *job,
                   struct timeline_sums *sums)
{
    struct writing writing = {.out = out, .ranks = ranks, .n = n, .job = job, .sums = sums};
    memset(sums, 0, sizeof *sums);
    begin_sums(&writing);
    int code = find_messages(&writing);
    if (code == 0) {
        put_head(&writing);
        for (size_t i = 0; i < n; i++)
            put_rank(&writing, &ranks[i]);
        put_lines(&writing);
        put_sums(&writing);
    }
    free(writing.sends);
    free(writing.receives);
    return code;
}

/* ---- who waited for whom */

/* Returns how long a call had been there when another one began. 0: it was not waiting. */
static uint64_t waited(const struct ring_facts *facts, const struct ring_entry *call,
                       const struct message *other)
{
    int64_t begins = time_of(facts, call->begin), ends = time_of(facts, call->end);
    int64_t then = time_of(&other->rank->facts, other->entry->begin);
    return then > begins && then <= ends ? (uint64_t)(then - begins) : 0;
}

/* Wait of a call for one other rank. */
struct wait {
    const struct ring_entry *call;
    uint64_t ns;
    int for_receiver;
};

/* A message is not there before its send begins. One that is long goes only after its receive began; that a
 * call waited for that is known only if it waited for nothing else. */
static size_t find_waits(const struct writing *writing, struct wait *waits)
{
    size_t n = 0;
    for (size_t i = 0; i < writing->n_receives; i++) {
        const struct message *received = &writing->receives[i], *sent = sender_of(writing, received);

        if (sent == NULL || !comparable(sent, received))
            continue;
        if (received->completes != NULL)
            waits[n++] = (struct wait){received->completes,
                                       waited(&received->rank->facts, received->completes, sent), 0};
        if (sent->completes != NULL && sent->alone)
            waits[n++] =
                (struct wait){sent->completes, waited(&sent->rank->facts, sent->completes, received), 1};
    }
    return n;
}

static int by_call(const void *a, const void *b)
{
    const struct wait *left = a, *right = b;
    COMPARE(left, right, call);
    COMPARE(left, right, for_receiver);
    COMPARE(right, left, ns);
    return 0;
}

/* Adds up the waits by call site, those of calls without one at the first place. What a call waited for
 * several at once counts as long as for the last of them. */
static void add_waits(struct job_late *late, struct wait *waits, size_t n)
{
    qsort(waits, n, sizeof *waits, by_call);
    for (size_t i = 0; i < n; i++) {
        const struct wait *wait = &waits[i];
        struct job_late *at = &late[wait->call->address];
        int is_longest = i == 0 || by_call(&waits[i - 1], &(struct wait){wait->call, waits[i - 1].ns,
                                                                         wait->for_receiver}) != 0;
        if (wait->for_receiver) {
            at->late_receivers += wait->ns > 0;
            block_add(&at->late_receiver_ns, is_longest ? wait->ns : 0);
        } else {
            at->late_senders += wait->ns > 0;
            block_add(&at->late_sender_ns, is_longest ? wait->ns : 0);
        }
    }
}

/* late: has MAX_JOB_SITES + 1 places. 0, or -1: no memory. */
static int find_late(const struct writing *writing, struct job_late *late)
{
    struct wait *waits = calloc(2 * writing->n_receives + 1, sizeof *waits);
    if (waits == NULL)
        return -1;
    add_waits(late, waits, find_waits(writing, waits));
    free(waits);
    return 0;
}

static int most_late_first(const void *a, const void *b)
{
    const struct job_late *left = a, *right = b;
    uint64_t one = left->late_sender_ns + left->late_receiver_ns;
    uint64_t other = right->late_sender_ns + right->late_receiver_ns;
    return one != other ? (one < other) - (one > other) : left->site - right->site;
}

int timeline_late(struct rank_timeline *ranks, size_t n, struct job *job)
{
    struct timeline_sums sums = {0};
    struct writing writing = {.ranks = ranks, .n = n, .job = job, .sums = &sums};
    struct job_late *late = job->late = calloc(MAX_JOB_SITES + 1, sizeof *late);
    begin_sums(&writing);
    int code = late == NULL || find_messages(&writing) != 0 ? -1 : find_late(&writing, late);
    for (int i = 0; code == 0 && i <= MAX_JOB_SITES; i++) {
        late[i].site = i - 1;
        if (late[i].late_senders + late[i].late_receivers > 0)
            late[job->n_late++] = late[i];
    }
    if (late != NULL)
        qsort(late, (size_t)job->n_late, sizeof *late, most_late_first);
    free(writing.sends);
    free(writing.receives);
    return code;
}

/* ---- beside the result */

static void name_beside(char to[TIMELINE_NAME], const char *result)
{
    size_t length = strlen(result);
    if (length > 5 && strcmp(result + length - 5, ".json") == 0)
        length -= 5;
    snprintf(to, TIMELINE_NAME, "%.*s.timeline.json", (int)length, result);
}

FILE *timeline_open_beside(const char *result, const char *job, char file[TIMELINE_NAME])
{
    char begin[sizeof((struct job *)0)->job + 100], text[sizeof begin];
    size_t length = (size_t)snprintf(
        begin, sizeof begin, "{\"otherData\":{\"format\":\"" TIMELINE_FORMAT "\",\"job\":\"%s\"", job);
    name_beside(file, result);
    FILE *in = fopen(file, "re");
    if (in == NULL)
        return NULL;
    if (fread(text, 1, length, in) == length && memcmp(text, begin, length) == 0) {
        rewind(in);
        return in;
    }
    fclose(in);
    return NULL;
}

/* True if nothing is there, or a timeline. */
static int may_replace(const char *file)
{
    static const char begin[] = "{\"otherData\":{\"format\":\"" TIMELINE_FORMAT "\"";
    char text[sizeof begin - 1];
    int fd = trust_open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW, 0);
    if (fd < 0)
        return errno == ENOENT;
    ssize_t n = read(fd, text, sizeof text);
    close(fd);
    return n == 0 || (n == (ssize_t)sizeof text && memcmp(text, begin, sizeof text) == 0);
}

/* Writes the part, which no other job has. 0, or an errno. */
static int write_part(const char *part, struct rank_timeline *ranks, size_t n, const struct job *job,
                      struct timeline_sums *sums)
{
    int fd = open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666), failed = 0;
    FILE *out = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (out == NULL) {
        failed = errno;
        if (fd >= 0)
            close(fd);
        return failed;
    }
    errno = 0;
    if (timeline_write(out, ranks, n, job, sums) != 0)
        failed = ENOMEM;
    else if (fflush(out) != 0 || ferror(out))
        failed = errno != 0 ? errno : EIO;
    if (fclose(out) != 0 && failed == 0)
        failed = errno;
    return failed;
}

int timeline_write_beside(const struct place *result, struct rank_timeline *ranks, size_t n,
                          const struct job *job, struct timeline_sums *sums, char file[TIMELINE_NAME],
                          char why[COMPLAINT_LENGTH])
{
    struct held_signals signals;
    char part[4600];
    name_beside(file, result->file);
    if (!may_replace(file)) {
        snprintf(
            why, COMPLAINT_LENGTH,
            "%.200s is not a timeline of papi_mpi and is left as it is; set PAPI_MPI_OUTPUT to another name",
            file);
        return -1;
    }
    snprintf(part, sizeof part, "%s.%.64s.part", file, job->job);
    signals_hold(&signals);
    int failed = write_part(part, ranks, n, job, sums);
    if (failed == 0 && rename(part, file) != 0)
        failed = errno;
    if (failed != 0 && failed != EEXIST)
        unlink(part);
    signals_release(&signals);
    if (failed == 0)
        return 0;
    snprintf(why, COMPLAINT_LENGTH,
             "%.200s: the timeline cannot be written (%s); PAPI_MPI_OUTPUT names another place", file,
             strerror(failed));
    return -1;
}

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The last calls of all ranks as a file for Perfetto.
 *
 * A process of the file is a rank, its threads are the rank's. A thread's calls never overlap; regions need
 * not nest (those of MPI_Pcontrol), so they are not slices of the thread but bands of their own. Both ends of
 * a message are joined by their number. A line is drawn only where the receive had the message when it
 * returned: of MPI_Irecv the moment is not known. Threads have numbers that no other rank's have: viewers
 * look for them without the process.
 */
#include "job/timeline_file.h"

#include "base/json.h"
#include "base/trust.h"

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
    wide since = (wide)ticks - (wide)facts->ticks;
    return (int64_t)(since * 1000000000 / (wide)facts->hertz) + (int64_t)facts->nsec - facts->ahead;
}

static void put_time(const struct writing *writing, const char *key, int64_t time)
{
    int64_t ns = time - writing->first;
    fprintf(writing->out, ",\"%s\":%" PRId64 ".%03d", key, ns / 1000, (int)(ns % 1000));
}

/* ---- order */

static int by_time(const void *a, const void *b)
{
    const struct ring_entry *left = a, *right = b;
    if (left->begin != right->begin)
        return left->begin < right->begin ? -1 : 1;
    return (left->end < right->end) - (left->end > right->end);
}

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

/* ---- messages */

/* True if the receive has its message when it returns. */
static int has_message(const struct ring_entry *receive)
{
    return receive->call == CALL_RECV || receive->call == CALL_SENDRECV ||
           receive->call == CALL_SENDRECV_REPLACE;
}

static void find_messages_of(struct writing *writing, const struct rank_timeline *rank)
{
    int32_t here = rank->facts.rank;
    for (uint64_t i = 0; i < rank->facts.entries; i++) {
        struct ring_entry *entry = &rank->entry[i];
        const struct ring_end *to = &entry->to, *from = &entry->from;

        writing->sums->sent += to->partner != PARTNER_NONE;
        writing->sums->received += from->partner != PARTNER_NONE;
        if (to->number != 0 && to->partner >= 0)
            writing->sends[writing->n_sends++] =
                (struct message){here, to->partner, to->tag, to->number, rank, entry};
        if (from->number != 0 && from->partner >= 0 && !rank->facts.cancelled)
            writing->receives[writing->n_receives++] =
                (struct message){from->partner, here, from->tag, from->number, rank, entry};
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

static int thread_number(const struct ring_facts *facts, int thread)
{
    return facts->rank * (MAX_CHUNKS * THREADS_IN_CHUNK) + thread + 1;
}

/* Begins an event; the caller ends it. */
static void begin_event(struct writing *writing, const char *phase, const struct ring_facts *facts,
                        int thread)
{
    fprintf(writing->out, "%s\n{\"ph\":\"%s\",\"pid\":%d,\"tid\":%d", writing->events++ > 0 ? "," : "", phase,
            facts->rank, thread_number(facts, thread));
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
            class_name[call_class[entry->call]], entry->bytes);
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

/* The line ends within the receive, for which a viewer looks by the time. */
static void put_line(struct writing *writing, const struct message *sent, const struct message *received)
{
    const struct ring_facts *from = &sent->rank->facts, *to = &received->rank->facts;
    int64_t sends = time_of(from, sent->entry->begin), begins = time_of(to, received->entry->begin);
    int64_t ends = time_of(to, received->entry->end);
    int64_t arrives = ends - 1 > begins ? ends - 1 : begins;
    if (sends > arrives) /* the clocks of two nodes */
        return;
    writing->ids++;
    begin_event(writing, "s", from, sent->entry->thread);
    put_time(writing, "ts", sends);
    fprintf(writing->out, ",\"cat\":\"message\",\"name\":\"message\",\"id\":%" PRIu64 "}", writing->ids);
    begin_event(writing, "f", to, received->entry->thread);
    put_time(writing, "ts", arrives);
    fprintf(writing->out, ",\"cat\":\"message\",\"name\":\"message\",\"bp\":\"e\",\"id\":%" PRIu64 "}",
            writing->ids);
    writing->sums->lines++;
    writing->sums->late_sender_ns += sends > begins ? (uint64_t)(sends - begins) : 0;
}

/* The other end; NULL: the rings do not have it. */
static const struct message *sender_of(const struct writing *writing, const struct message *received)
{
    return bsearch(received, writing->sends, writing->n_sends, sizeof *writing->sends, by_message);
}

static void put_lines(struct writing *writing)
{
    for (size_t i = 0; i < writing->n_receives; i++) {
        const struct message *received = &writing->receives[i], *sent = sender_of(writing, received);

        if (sent == NULL)
            continue;
        writing->sums->joined++;
        if (has_message(received->entry))
            put_line(writing, sent, received);
    }
}

/* ---- the file */

/* Drops entries that a thread had not written to their end, and regions that were none. */
static void clean(struct rank_timeline *rank)
{
    uint64_t kept = 0;
    for (uint64_t i = 0; i < rank->facts.entries; i++) {
        const struct ring_entry *entry = &rank->entry[i];
        int is_region = entry->call == RING_REGION;

        if (entry->end < entry->begin || entry->begin == 0 || entry->call >= CALL_COUNT ||
            entry->thread < 0 || entry->address > MAX_JOB_SITES ||
            (is_region ? entry->region < 0 || entry->region >= MAX_REGIONS ||
                             rank->facts.region[entry->region][0] == '\0'
                       : entry->call < 0))
            continue;
        rank->entry[kept++] = *entry;
    }
    rank->facts.entries = kept;
    if (kept > 0)
        qsort(rank->entry, kept, sizeof *rank->entry, by_time);
}

static void put_head(const struct writing *writing)
{
    fprintf(writing->out, "{\"otherData\":{\"format\":\"" TIMELINE_FORMAT "\",\"job\":");
    put_text(writing->out, writing->job->job);
    fprintf(writing->out, ",\"ranks\":%zu},\n\"displayTimeUnit\":\"ns\",\n\"traceEvents\":[", writing->n);
}

static void put_sums(const struct writing *writing)
{
    const struct timeline_sums *sums = writing->sums;
    fprintf(writing->out,
            "],\n\"papi_mpi\":{\"calls\":%" PRIu64 ",\"regions\":%" PRIu64 ",\"replaced\":%" PRIu64
            ",\"sent\":%" PRIu64 ",\"received\":%" PRIu64 ",\"joined\":%" PRIu64 ",\"lines\":%" PRIu64
            ",\"late_sender_ns\":%" PRIu64 ",\"clock_error_ns\":%" PRIu64 "}}\n",
            sums->calls, sums->regions, sums->replaced, sums->sent, sums->received, sums->joined, sums->lines,
            sums->late_sender_ns, sums->clock_error_ns);
}

static void begin_sums(struct writing *writing)
{
    uint64_t most = 0, second = 0;
    writing->first = INT64_MAX;
    for (size_t i = 0; i < writing->n; i++) {
        struct rank_timeline *rank = &writing->ranks[i];
        uint64_t error = rank->facts.ahead_error;

        clean(rank);
        writing->sums->replaced += rank->facts.replaced;
        second = error > most ? most : error > second ? error : second;
        most = error > most ? error : most;
        if (rank->facts.entries > 0 && time_of(&rank->facts, rank->entry[0].begin) < writing->first)
            writing->first = time_of(&rank->facts, rank->entry[0].begin);
    }
    writing->sums->clock_error_ns = most + second;
}

static void put_rank(struct writing *writing, const struct rank_timeline *rank)
{
    name_rank(writing, rank);
    for (uint64_t i = 0; i < rank->facts.entries; i++)
        (rank->entry[i].call == RING_REGION ? put_region : put_call)(writing, rank, &rank->entry[i]);
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

/* True if the call returns only when the message is on its way, and receives none. */
static int only_sends(const struct ring_entry *entry)
{
    return entry->call == CALL_SEND || entry->call == CALL_SSEND || entry->call == CALL_RSEND;
}

/* Returns how long the call at one end had been there when the other one's began. 0: it was not waiting. */
static uint64_t waited(const struct message *here, const struct message *there)
{
    int64_t begins = time_of(&here->rank->facts, here->entry->begin);
    int64_t ends = time_of(&here->rank->facts, here->entry->end);
    int64_t other = time_of(&there->rank->facts, there->entry->begin);
    return other > begins && other <= ends ? (uint64_t)(other - begins) : 0;
}

/* late: of each site, and of calls without one at the first place. */
static void add_message(struct job_late *late, const struct message *sent, const struct message *received)
{
    uint64_t receiver = has_message(received->entry) ? waited(received, sent) : 0;
    uint64_t sender = only_sends(sent->entry) ? waited(sent, received) : 0;
    struct job_late *to = &late[received->entry->address], *from = &late[sent->entry->address];
    to->late_senders += receiver > 0;
    to->late_sender_ns += receiver;
    from->late_receivers += sender > 0;
    from->late_receiver_ns += sender;
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
    int code = late == NULL ? -1 : find_messages(&writing);
    for (size_t i = 0; code == 0 && i < writing.n_receives; i++) {
        const struct message *sent = sender_of(&writing, &writing.receives[i]);
        if (sent != NULL)
            add_message(late, sent, &writing.receives[i]);
    }
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

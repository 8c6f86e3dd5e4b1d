/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The sentence on a job that hangs. It begins with the cause, as far as the records show one: a rank that
 * crashed; one that called MPI_Abort or exited; ranks that wait for each other in a circle; a rank that
 * computes while others wait for it; or else the longest wait. The other ranks come after it, those with the
 * same call together, so that the sentence is as short for a thousand ranks.
 */
#include "report/hang.h"

#include "report/figure.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct sentence {
    char *text;
    size_t room;
    const struct job *job;
    unsigned char *said; /* of job->open: 1: it is in the sentence */
};

#define append(sentence, ...) figure_append((sentence)->text, (sentence)->room, __VA_ARGS__)

enum { WORTH_A_WORD_NS = 1000000000, MOST_GROUPS = 3, MOST_NAMED = 4 };

/* ---- words */

const char *hang_signal(int signal)
{
    static const struct {
        int number;
        const char *name;
    } names[] = {{SIGTERM, "SIGTERM"}, {SIGINT, "SIGINT"},   {SIGHUP, "SIGHUP"},   {SIGQUIT, "SIGQUIT"},
                 {SIGXCPU, "SIGXCPU"}, {SIGUSR1, "SIGUSR1"}, {SIGUSR2, "SIGUSR2"}, {SIGABRT, "SIGABRT"},
                 {SIGSEGV, "SIGSEGV"}, {SIGBUS, "SIGBUS"},   {SIGFPE, "SIGFPE"},   {SIGILL, "SIGILL"},
                 {SIGSYS, "SIGSYS"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].number == signal)
            return names[i].name;
    return "a signal";
}

static bool is_crash(int signal)
{
    return signal == SIGSEGV || signal == SIGABRT || signal == SIGBUS || signal == SIGFPE ||
           signal == SIGILL || signal == SIGSYS;
}

static const char *sender(int signal)
{
    return signal == SIGTERM   ? " (a time limit, a command, or the launcher)"
           : signal == SIGXCPU ? " (the limit of processor time)"
           : signal == SIGINT  ? " (Ctrl-C)"
                               : "";
}

static struct figure seconds(uint64_t ns)
{
    struct figure figure;
    double s = (double)ns / 1e9;
    if (s < 7200)
        snprintf(figure.text, sizeof figure.text, s < 100 ? "%.1f s" : "%.0f s", s);
    else
        snprintf(figure.text, sizeof figure.text, "%.1f h", s / 3600);
    return figure;
}

static void append_place(struct sentence *sentence, int site)
{
    const struct job *job = sentence->job;
    if (site < 0 || site >= job->n_sites || job->site[site].frames == 0)
        return;
    const struct job_frame *frame = &job->frame[job->site[site].first_frame];
    char name[4 * 48 + 1];
    bool has_file = frame->file[0] != '\0';
    figure_name(name, sizeof name, has_file ? figure_base_name(frame->file) : frame->routine, 48);
    if (has_file)
        append(sentence, " at %s:%llu", name, (unsigned long long)frame->line);
    else
        append(sentence, " in %s", name);
}

static void append_peer(struct sentence *sentence, const char *which, int32_t peer)
{
    if (peer == OPEN_ANY)
        append(sentence, " %s any rank", which);
    else if (peer == OPEN_NOBODY)
        append(sentence, " %s MPI_PROC_NULL", which);
    else if (peer >= 0)
        append(sentence, " %s rank %d", which, peer);
}

static void append_tag(struct sentence *sentence, int32_t tag)
{
    if (tag == OPEN_ANY)
        append(sentence, ", any tag");
    else if (tag >= 0)
        append(sentence, ", tag %d", tag);
}

/* Names the communicator, where it is not that of all ranks. */
static void append_comm(struct sentence *sentence, const struct job_open *open)
{
    if (open->comm_size == 0 || (open->comm_call < 0 && (uint64_t)open->comm_size == sentence->job->ranks))
        return;
    if (open->comm_call < 0)
        append(sentence, " of MPI_COMM_SELF");
    else
        append(sentence, " of %d rank%s by %s", open->comm_size, open->comm_size == 1 ? "" : "s",
               call_name[open->comm_call]);
}

static void append_requests(struct sentence *sentence, const struct job_open *open)
{
    if (open->requests == 1 && open->request_call >= 0) {
        append(sentence, " for %s", call_name[open->request_call]);
        append_peer(sentence, call_facts[open->request_call] & FACT_SOURCE ? "from" : "to", open->peer);
        append_tag(sentence, open->tag);
        return;
    }
    if (open->requests > 1)
        append(sentence, " for %d requests", open->requests);
    for (int i = 0; i < open->n_waits && i < MOST_NAMED; i++)
        append(sentence, "%s%d",
               i > 0                ? ", "
               : open->n_waits == 1 ? ", with rank "
                                    : ", with ranks ",
               open->waits[i]);
    if (open->n_waits > MOST_NAMED)
        append(sentence, ", ...");
}

/* "MPI_Recv from rank 0, tag 7, at stuck.c:21" */
static void append_call(struct sentence *sentence, const struct job_open *open)
{
    unsigned facts = call_facts[open->call];
    append(sentence, "%s", call_name[open->call]);
    if (facts & FACT_WAITS)
        append_requests(sentence, open);
    else if (facts & (FACT_DEST | FACT_SOURCE)) {
        append_peer(sentence, facts & FACT_DEST ? "to" : "from", open->peer);
        if (facts & FACT_SECOND)
            append_peer(sentence, "and from", open->second_peer);
        append_tag(sentence, facts & FACT_SECOND && open->second_tag != open->tag ? OPEN_NONE : open->tag);
    }
    append_comm(sentence, open);
    append(sentence, facts & (FACT_TAG | FACT_WAITS) ? "," : "");
    size_t n = strlen(sentence->text);
    append_place(sentence, open->site);
    if (strlen(sentence->text) == n && n > 0 && sentence->text[n - 1] == ',')
        sentence->text[n - 1] = '\0';
}

static void append_thread(struct sentence *sentence, const struct job_open *open)
{
    if (open->main)
        append(sentence, "rank %llu", (unsigned long long)open->rank);
    else
        append(sentence, "thread %d of rank %llu", open->thread, (unsigned long long)open->rank);
}

static void say(struct sentence *sentence, const struct job_open *open)
{
    sentence->said[open - sentence->job->open] = 1;
}

/* "rank 1 has waited 6.0 s in MPI_Recv ..." */
static void append_waits(struct sentence *sentence, const struct job_open *open)
{
    append_thread(sentence, open);
    if (open->ending != ENDING_WAITS && open->exact)
        append(sentence, " has waited %s", seconds(open->ns).text);
    append(sentence, " in ");
    append_call(sentence, open);
    say(sentence, open);
}

/* ---- who it is about */

static bool is_open(const struct job_open *open)
{
    return open->inside && open->call >= 0 && open->ending != ENDING_WAITS;
}

static bool is_collective(const struct job_open *open)
{
    return (call_facts[open->call] & (FACT_DEST | FACT_SOURCE | FACT_WAITS)) == 0;
}

/* The thread of a rank that counts: the main one, if it is in a call, or else another one. */
static const struct job_open *of_rank(const struct job *job, uint64_t rank)
{
    const struct job_open *found = NULL;
    for (uint64_t i = 0; i < job->n_open; i++)
        if (job->open[i].rank == rank && (found == NULL || (!found->inside && job->open[i].inside)))
            found = &job->open[i];
    return found;
}

static const struct job_open *crashed(const struct job *job)
{
    for (uint64_t i = 0; i < job->n_open; i++)
        if (job->open[i].main && job->open[i].ending == ENDING_SIGNAL && is_crash(job->open[i].signal))
            return &job->open[i];
    return NULL;
}

/* A rank that left the job by itself, the first one: by MPI_Abort, or else by exit without MPI_Finalize. The
 * launcher ends the others then, and what it ends them by is no cause. of_its_kind: how many did. */
static const struct job_row *first_to_leave(const struct job *job, uint64_t *of_its_kind)
{
    const struct job_row *found = NULL;
    for (uint64_t i = 0; i < job->n_rows; i++) {
        const struct job_row *row = &job->row[i];
        bool aborts = row->state == RANK_ABORTS;
        if (!aborts && row->state != RANK_EXITS)
            continue;
        bool same = found != NULL && found->state == row->state;
        if (same)
            ++*of_its_kind;
        else if (found == NULL || aborts)
            *of_its_kind = 1;
        if (found == NULL || (aborts && !same) ||
            (same && row->value[METRIC_ELAPSED] < found->value[METRIC_ELAPSED]))
            found = row;
    }
    return found;
}

/* The longest wait that is not said yet, messages before collective calls, in which many may wait for one. */
static const struct job_open *longest(const struct sentence *sentence, bool collective)
{
    const struct job_open *found = NULL;
    for (uint64_t i = 0; i < sentence->job->n_open; i++) {
        const struct job_open *open = &sentence->job->open[i];
        if (!sentence->said[i] && is_open(open) && is_collective(open) == collective &&
            (found == NULL || open->ns > found->ns))
            found = open;
    }
    return found;
}

static uint64_t waiting_for(const struct job *job, uint64_t rank, const struct job_open **one)
{
    uint64_t n = 0;
    for (uint64_t i = 0; i < job->n_open; i++)
        for (int k = 0; k < job->open[i].n_waits && is_open(&job->open[i]); k++)
            if ((uint64_t)job->open[i].waits[k] == rank) {
                if (n++ == 0 || job->open[i].ns > (*one)->ns)
                    *one = &job->open[i];
            }
    return n;
}

/* A rank that is outside of MPI while others wait for it: of several the one that has been there for longest.
 */
static const struct job_open *awaited(const struct job *job, uint64_t *waiting, const struct job_open **one)
{
    const struct job_open *found = NULL;
    for (uint64_t i = 0; i < job->n_open; i++) {
        const struct job_open *open = &job->open[i], *other = NULL;
        uint64_t n = open->main && !open->inside && of_rank(job, open->rank) == open
                         ? waiting_for(job, open->rank, &other)
                         : 0;
        if (n > 0 && (found == NULL || open->ns > found->ns)) {
            found = open;
            *waiting = n;
            *one = other;
        }
    }
    return found;
}

/* ---- the sentence */

bool hang_runs(const struct job *job)
{
    bool any = false;
    for (uint64_t i = 0; i < job->n_open; i++)
        if (job->open[i].ending != ENDING_RUNS && job->open[i].ending != ENDING_WAITS)
            return false;
        else
            any |= job->open[i].ending == ENDING_RUNS;
    return any;
}

/* True if nobody knows how long a rank waited, too. */
static bool waits_long(const struct job *job)
{
    for (uint64_t i = 0; i < job->n_open; i++)
        if (is_open(&job->open[i]) && (job->open[i].ns >= WORTH_A_WORD_NS || !job->open[i].exact))
            return true;
    return false;
}

static void say_crash(struct sentence *sentence, const struct job_open *open)
{
    append_thread(sentence, open);
    append(sentence, " ended by %s", hang_signal(open->signal));
    if (open->inside) {
        append(sentence, " in ");
        append_call(sentence, open);
    } else {
        append(sentence, " outside MPI, %s after %s", seconds(open->ns).text,
               call_name[open->call >= 0 ? open->call : CALL_INIT]);
        append_place(sentence, open->site);
    }
    say(sentence, open);
}

static void say_left(struct sentence *sentence, const struct job_row *left, uint64_t ranks)
{
    if (ranks > 1)
        append(sentence, "%llu ranks, rank %llu first,", (unsigned long long)ranks,
               (unsigned long long)left->rank);
    else
        append(sentence, "rank %llu", (unsigned long long)left->rank);
    append(sentence, left->state == RANK_ABORTS ? " called MPI_Abort" : " exited without MPI_Finalize");
    if (left->state == RANK_EXITS && left->inside >= 0 && left->inside < CALL_COUNT)
        append(sentence, " in %s", call_name[left->inside]); /* as MPI does after an error */
    if (left->value[METRIC_ELAPSED] != ROW_NONE)
        append(sentence, " after %s", seconds(left->value[METRIC_ELAPSED]).text);
}

static void say_cycle(struct sentence *sentence)
{
    const struct job *job = sentence->job;
    uint64_t n = job->cycle_ranks < MAX_CYCLE ? job->cycle_ranks : MAX_CYCLE, first = 0, ns = 0;
    bool collective = false, message = false;
    for (uint64_t i = 0; i < n; i++) {
        const struct job_open *open = of_rank(job, job->cycle[i]);
        if (open == NULL || !is_open(open))
            continue;
        collective |= is_collective(open);
        if (!is_collective(open) && (!message || open->ns > ns)) {
            first = i;
            ns = open->ns;
            message = true;
        }
    }
    if (!collective && job->cycle_ranks == 2)
        append(sentence, "ranks %llu and %llu wait for each other: ", (unsigned long long)job->cycle[0],
               (unsigned long long)job->cycle[1]);
    else if (!collective)
        append(sentence, "%llu ranks wait in a circle: ", (unsigned long long)job->cycle_ranks);
    for (uint64_t i = 0; i < n && i < MOST_NAMED; i++) {
        const struct job_open *open = of_rank(job, job->cycle[(first + i) % n]);
        if (open == NULL || open->call < 0)
            continue;
        append(sentence, i > 0 ? "; " : "");
        if (i == 0) {
            append_waits(sentence, open);
            continue;
        }
        append_thread(sentence, open);
        append(sentence, " in ");
        append_call(sentence, open);
        say(sentence, open);
    }
    for (uint64_t i = MOST_NAMED; i < n; i++) {
        const struct job_open *open = of_rank(job, job->cycle[(first + i) % n]);
        append(sentence, i == MOST_NAMED ? "; then ranks %llu" : ", %llu",
               (unsigned long long)job->cycle[(first + i) % n]);
        if (open != NULL)
            say(sentence, open);
    }
    if (job->cycle_ranks > n)
        append(sentence, ", ...");
}

static void say_awaited(struct sentence *sentence, const struct job_open *open, uint64_t waiting,
                        const struct job_open *one)
{
    append_thread(sentence, open);
    append(sentence, " computes");
    if (open->exact)
        append(sentence, " for %s", seconds(open->ns).text);
    append(sentence, ", since %s", call_name[open->call >= 0 ? open->call : CALL_INIT]);
    append_place(sentence, open->site);
    append(sentence, ", and %llu wait%s for it: ", (unsigned long long)waiting, waiting == 1 ? "s" : "");
    append_waits(sentence, one);
    say(sentence, open);
}

static void say_longest(struct sentence *sentence)
{
    const struct job_open *open = longest(sentence, false), *peer = NULL;
    if (open == NULL)
        open = longest(sentence, true);
    if (open == NULL)
        return;
    append_waits(sentence, open);
    if (open->n_waits == 1)
        peer = of_rank(sentence->job, (uint64_t)open->waits[0]);
    if (peer != NULL && peer->inside && !sentence->said[peer - sentence->job->open]) {
        append(sentence, "; ");
        append_thread(sentence, peer);
        append(sentence, " in ");
        append_call(sentence, peer);
        say(sentence, peer);
    }
}

static bool is_same(const struct job_open *a, const struct job_open *b)
{
    return a->call == b->call && a->inside == b->inside && a->site == b->site;
}

/* Says the rest, together where they are at the same place. */
static void say_others(struct sentence *sentence)
{
    const struct job *job = sentence->job;
    for (int groups = 0;; groups++) {
        const struct job_open *first = NULL;
        uint64_t n = 0;
        for (uint64_t i = 0; i < job->n_open; i++) {
            const struct job_open *open = &job->open[i];
            if (sentence->said[i] || (first != NULL && !is_same(first, open)))
                continue;
            if (!open->inside && of_rank(job, open->rank) != open) { /* another of its threads is in a call */
                sentence->said[i] = 1;
                continue;
            }
            first = first != NULL ? first : open;
            n++;
            if (groups < MOST_GROUPS)
                sentence->said[i] = 1;
        }
        if (first == NULL)
            return;
        if (groups == MOST_GROUPS) {
            append(sentence, "; others elsewhere");
            return;
        }
        append(sentence, "; ");
        if (n == 1)
            append_thread(sentence, first);
        else
            append(sentence, "%llu more", (unsigned long long)n);
        if (first->inside && n == 1) {
            append(sentence, " in ");
            append_call(sentence, first);
        } else if (first->inside) {
            append(sentence, " in %s", call_name[first->call]);
            append_place(sentence, first->site);
        } else
            append(sentence, n == 1 ? " computes" : " compute");
    }
}

/* Says which signal ended the job, and how many ranks are gone without one. */
static void say_end(struct sentence *sentence)
{
    const struct job *job = sentence->job;
    uint64_t gone = 0, last_gone = 0, signalled = 0, ranks = 0,
             elapsed = job->metric[METRIC_ELAPSED].largest[0].value;
    int signal = 0;
    for (uint64_t i = 0; i < job->n_open; i++) {
        const struct job_open *open = &job->open[i];
        if (!open->main || open->ending == ENDING_WAITS)
            continue;
        ranks++;
        if (open->ending == ENDING_GONE) {
            gone++;
            last_gone = open->rank;
        }
        if (open->ending == ENDING_SIGNAL) {
            signalled++;
            signal = signal == 0 ? open->signal : signal;
        }
    }
    if (signalled > 0)
        append(sentence, ". Ended by %s%s after %s", hang_signal(signal), sender(signal),
               seconds(elapsed).text);
    else if (gone > 0 && signalled == 0)
        append(sentence,
               ". Ended without a trace after %s%s: SIGKILL, of the out-of-memory killer or a launcher, as "
               "after an error of MPI",
               job->open[0].exact ? "" : "at least ", seconds(elapsed).text);
    if (gone == 1 && signalled > 0) /* it may be why the launcher ended the others */
        append(sentence, "; rank %llu without a trace", (unsigned long long)last_gone);
    else if (gone > 0 && signalled > 0)
        append(sentence, "; %llu of %llu ranks without a trace", (unsigned long long)gone,
               (unsigned long long)ranks);
    if (gone > 0 && signalled > 0)
        append(sentence, ": SIGKILL, or an error of MPI");
}

static void say_cause(struct sentence *sentence)
{
    const struct job *job = sentence->job;
    const struct job_open *crash = crashed(job), *one = NULL;
    uint64_t waiting = 0;
    const struct job_open *computes = awaited(job, &waiting, &one);
    if (crash != NULL)
        say_crash(sentence, crash);
    else if (job->cycle_ranks > 0)
        say_cycle(sentence);
    else if (computes != NULL)
        say_awaited(sentence, computes, waiting, one);
    else
        say_longest(sentence);
}

bool hang_sentence(char *text, size_t room, const struct job *job)
{
    struct sentence sentence = {.text = text, .room = room, .job = job};
    if (job->n_open == 0 || (sentence.said = calloc(job->n_open, 1)) == NULL)
        return false;
    append(&sentence, hang_runs(job) ? "still runs" : "not finished");
    uint64_t n_left = 0;
    const struct job_row *left = crashed(job) == NULL ? first_to_leave(job, &n_left) : NULL;
    if (left != NULL) {
        append(&sentence, "; ");
        say_left(&sentence, left, n_left);
        say_others(&sentence);
    } else if (crashed(job) != NULL || waits_long(job)) {
        append(&sentence, "; ");
        say_cause(&sentence);
        say_others(&sentence);
    } else
        append(&sentence, ", and no rank has waited for as long as a second");
    if (crashed(job) == NULL && left == NULL)
        say_end(&sentence);
    free(sentence.said);
    return true;
}

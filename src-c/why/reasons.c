/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds the reasons of a whole run. First what is not the program's own computing: waiting, the kernel, a
 * thread that works alone. Then the loops and the libraries, by their time.
 */
#include "reasons.h"
#include "tools/common/allocate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const reason_names[REASON_KINDS] = {
    [REASON_UNKNOWN] = "unknown",
    [REASON_BANDWIDTH] = "memory bandwidth",
    [REASON_LATENCY] = "memory latency",
    [REASON_STRIDE] = "strided accesses",
    [REASON_SCATTERED] = "scattered accesses",
    [REASON_DEPENDENT] = "dependent operations",
    [REASON_DIVISION] = "division",
    [REASON_UNVECTORISED] = "not vectorised",
    [REASON_CONVERSION] = "conversions",
    [REASON_BRANCH] = "branch mispredictions",
    [REASON_UNOPTIMISED] = "not optimised",
    [REASON_LIBRARY] = "library function",
    [REASON_COPIES] = "copies",
    [REASON_SYSTEM_CALLS] = "system calls",
    [REASON_FILE] = "file access",
    [REASON_PAGE_FAULTS] = "page faults",
    [REASON_SLEEP] = "sleep",
    [REASON_LOCK] = "lock",
    [REASON_WAIT] = "waiting",
    [REASON_BALANCE] = "one thread of several",
    [REASON_SHARING] = "false sharing",
    [REASON_UNITS] = "instructions",
};

const char *const confidence_names[] = {"not known", "possible", "likely", "certain"};

bool where_equal(const struct where *one, const struct where *other)
{
    return one->line > 0 && one->line == other->line && strcmp(one->file, other->file) == 0;
}

static const struct where nowhere = {.routine = "", .file = ""};

struct why_reason *reasons_add(struct reasons *reasons, enum reason_kind kind, enum confidence confidence,
                               const struct where *at)
{
    MEMORY_ONE_MORE(reasons->reason, reasons->n, reasons->room);
    struct why_reason *reason = &reasons->reason[reasons->n++];
    *reason = (struct why_reason){.kind = kind, .confidence = confidence, .at = at != NULL ? *at : nowhere};
    return reason;
}

static void reason_free(struct why_reason *reason)
{
    free(reason->sentence);
    free(reason->helps);
    free(reason->ask);
}

/* ---- waiting */

static const struct why_wait *longest_wait(const struct facts *facts)
{
    const struct why_wait *longest = NULL;
    for (int i = 0; i < facts->n_waits; i++)
        if (longest == NULL || facts->wait[i].share > longest->share)
            longest = &facts->wait[i];
    return longest;
}

static void judge_waiting(struct reasons *reasons, const struct facts *facts, const char *command)
{
    const double least_looks = 20;
    static const struct {
        enum reason_kind kind;
        const char *words, *helps;
    } rows[WAIT_KINDS] = {
        [WAIT_SLEEP] = {REASON_SLEEP, "the program sleeps",
                        "take the pause out, or wait for the event itself"},
        [WAIT_LOCK] = {REASON_LOCK, "threads wait for a lock or for one another",
                       "hold locks for shorter, or give each thread data of its own"},
        [WAIT_FILE] = {REASON_FILE, "it waits for a file",
                       "read and write more at once, less often, or beside the work"},
        [WAIT_OTHER] = {REASON_WAIT, "it waits for something outside of it", ""},
    };
    const struct why_wait *wait = longest_wait(facts);
    if (facts->idle < 0.15 || wait == NULL || wait->share < 0.1)
        return;
    struct why_reason *reason =
        reasons_add(reasons, rows[wait->kind].kind, CONFIDENCE_CERTAIN, wait->at.line > 0 ? &wait->at : NULL);
    if (wait->at.line == 0)
        reason->confidence = CONFIDENCE_LIKELY;
    if (facts->looks < least_looks)
        reason->confidence = CONFIDENCE_POSSIBLE;
    reason->share = facts->idle;
    reason->sentence = memory_print("%s: in %.0f %% of the time no thread computes, mostly in %s%s%s",
                                    rows[wait->kind].words, facts->idle * 100, wait->call,
                                    wait->file[0] != '\0' ? " of " : "", wait->file);
    reason->helps = memory_text(rows[wait->kind].helps);
    reason->ask = memory_print("strace -c -f %s", command);
}

/* ---- kernel */

/* The line in which most pages are touched first; NULL: it is not known. */
static const struct where *most_faults(const struct facts *facts)
{
    const struct where *where = NULL;
    double most = 0;
    for (int i = 0; i < facts->n_loops; i++)
        if (facts->loop[i].faults > most) {
            most = facts->loop[i].faults;
            where = &facts->loop[i].hottest;
        }
    for (int i = 0; i < facts->n_callees; i++)
        if (facts->callee[i].faults > most && facts->callee[i].at.line > 0) {
            most = facts->callee[i].faults;
            where = &facts->callee[i].at;
        }
    return where;
}

/* The line with most of a task; NULL: it is not known. */
static const struct why_callee *most_called(const struct facts *facts, enum call_kind kind)
{
    const struct why_callee *most = NULL;
    double seconds = 0;
    for (int i = 0; i < facts->n_callees; i++) {
        const struct why_callee *callee = &facts->callee[i];
        double more = kind == CALL_OTHER ? callee->seconds : callee->of_kind[kind];
        if (callee->at.line > 0 && more > seconds) {
            most = callee;
            seconds = more;
        }
    }
    return most;
}

/* True if a line copies much, too. */
static bool copies(const struct facts *facts, const struct where *at)
{
    for (int i = 0; at != NULL && i < facts->n_callees; i++)
        if (where_equal(&facts->callee[i].at, at) &&
            facts->callee[i].of_kind[CALL_COPY] > 0.1 * facts->sampled)
            return true;
    return false;
}

static void say_faults(struct reasons *reasons, const struct facts *facts, double share)
{
    const struct where *at = most_faults(facts);
    bool grows = copies(facts, at);
    struct why_reason *reason = reasons_add(reasons, REASON_PAGE_FAULTS, CONFIDENCE_LIKELY, at);
    reason->share = share;
    reason->sentence = memory_print(
        "page faults: the kernel makes %.0f pages, %.0f a second, and takes %.0f %% of the processor "
        "time%s",
        facts->faults, facts->faults / fmax(facts->wall, 1e-9), share * 100,
        grows ? "; the line copies what it allocates, as appending to an array or a text does" : "");
    reason->helps =
        memory_text(grows ? "allocate twice as much whenever it is full, count what is used, and cut it down "
                            "at the end"
                          : "allocate once and use it again; MALLOC_TOP_PAD_ and MALLOC_MMAP_THRESHOLD_ keep "
                            "freed memory; large pages");
}

static double seconds_of(const struct facts *facts, enum call_kind kind)
{
    double seconds = 0;
    for (int i = 0; i < facts->n_callees; i++)
        seconds += facts->callee[i].of_kind[kind];
    return seconds;
}

/* The task of most system calls: as counted, or else by the time of what leads to them. To open and to close
 * a file costs several times as much as to write a few bytes. */
static enum call_kind main_task(const struct facts *facts)
{
    double open = facts->calls[CALL_OPEN], transfer = facts->reads + facts->writes,
           allocate = facts->calls[CALL_ALLOCATE];
    if (open + allocate + facts->calls[CALL_TRANSFER] > 0)
        return open > 0.5 * fmax(transfer, allocate) ? CALL_OPEN
               : transfer > 0.5 * allocate           ? CALL_TRANSFER
                                                     : CALL_ALLOCATE;
    double opening = seconds_of(facts, CALL_OPEN), moving = seconds_of(facts, CALL_TRANSFER);
    return opening > 0.3 * (opening + moving) ? CALL_OPEN : CALL_TRANSFER;
}

static char *calls_text(const struct facts *facts, enum call_kind task)
{
    double files = facts->reads + facts->writes, bytes = facts->bytes_read + facts->bytes_written;
    if (task == CALL_OPEN && facts->calls[CALL_OPEN] > 0)
        return memory_print(
            "; files are opened, closed or asked for %.0f times, beside %.0f reads and writes",
            facts->calls[CALL_OPEN], files);
    if (task == CALL_OPEN)
        return memory_print("; files are opened and closed beside %.0f reads and writes", files);
    if (task == CALL_ALLOCATE)
        return memory_print("; memory is asked for and given back %.0f times", facts->calls[CALL_ALLOCATE]);
    if (files > 1000 * fmax(facts->wall, 0.01) && bytes > 0)
        return memory_print("; %.0f reads and writes of %.0f bytes each", files, bytes / files);
    if (facts->system_calls > 0)
        return memory_print(", in %.0f calls", facts->system_calls);
    return memory_text("");
}

static void say_calls(struct reasons *reasons, const struct facts *facts, double share, const char *command)
{
    static const char *const helps[CALL_KINDS] = {
        [CALL_OPEN] =
            "open the file once, before the loop, and close it behind the loop; ask once and keep the "
            "answer",
        [CALL_TRANSFER] = "larger pieces: a buffer, whole arrays, no flush after each record",
        [CALL_ALLOCATE] = "allocate once, outside of the loop, and use it again; MALLOC_MMAP_THRESHOLD_ and "
                          "MALLOC_TOP_PAD_ keep freed memory",
        [CALL_OTHER] = "fewer calls: ask once and keep the answer",
    };
    enum call_kind task = main_task(facts);
    const struct why_callee *called = most_called(facts, task);
    if (task == CALL_TRANSFER && facts->reads + facts->writes <= 1000 * fmax(facts->wall, 0.01))
        task = CALL_OTHER;
    called = called != NULL ? called : most_called(facts, CALL_OTHER);
    struct why_reason *reason =
        reasons_add(reasons, REASON_SYSTEM_CALLS, CONFIDENCE_LIKELY, called != NULL ? &called->at : NULL);
    char *calls = calls_text(facts, task);
    reason->share = share;
    reason->sentence =
        memory_print("system calls: the kernel takes %.0f %% of the processor time%s", share * 100, calls);
    reason->helps = memory_text(helps[task]);
    reason->ask = memory_print("strace -c -f %s", command);
    free(calls);
}

/* Its time goes elsewhere: to interrupts, to a machine that is short of memory, to few calls that take long.
 */
static void say_kernel(struct reasons *reasons, double share, const char *command)
{
    struct why_reason *reason = reasons_add(reasons, REASON_UNKNOWN, CONFIDENCE_NONE, NULL);
    reason->share = share;
    reason->sentence =
        memory_text("not known: the kernel takes this part, for neither calls nor pages that are known");
    reason->ask = memory_print("strace -c -f %s", command);
}

static void judge_kernel(struct reasons *reasons, const struct facts *facts, const char *command)
{
    const double of_a_call = 20e-6;  /* seconds, at the most */
    const double unexplained = 0.35; /* of the processor time: less may be what looking on costs */
    double used = facts->user + facts->system, share = used > 0 ? facts->system / used : 0;
    double calls = fmax(facts->system_calls, facts->reads + facts->writes);
    if (share < 0.2 || facts->idle > 0.5)
        return;
    share *= 1 - facts->idle;
    if (facts->faults * facts->of_a_fault > 0.25 * facts->system)
        say_faults(reasons, facts, share);
    else if (calls * of_a_call > 0.5 * facts->system)
        say_calls(reasons, facts, share, command);
    else if (share >= unexplained)
        say_kernel(reasons, share, command);
}

/* ---- threads */

static void judge_balance(struct reasons *reasons, const struct facts *facts)
{
    const struct why_loop *loop = facts->n_loops > 0 ? &facts->loop[0] : NULL;
    const double least = 0.1; /* seconds: processor time is counted in hundredths */
    double ratio = facts->busiest > least ? facts->busiest / facts->mean : 1;
    if (facts->threads < 2 || facts->processors < 2 ||
        (facts->serial < 0.5 && ratio < 1 + 0.6 * (facts->threads - 1)))
        return;
    struct why_reason *reason =
        reasons_add(reasons, REASON_BALANCE, facts->serial >= 0.5 ? CONFIDENCE_CERTAIN : CONFIDENCE_LIKELY,
                    loop != NULL ? &loop->hottest : NULL);
    reason->share = fmax(facts->serial, 0.5);
    reason->sentence =
        memory_print("one %s of %d works and the others wait in %.0f %% of the time; the busiest "
                     "thread computes for %.2f s, the mean is %.2f s",
                     facts->ranks == facts->threads ? "rank" : "thread", facts->threads, facts->serial * 100,
                     facts->busiest, facts->mean);
    reason->helps = memory_text(
        facts->ranks > 0
            ? "the same work for each rank"
            : "share the loop's iterations evenly (schedule(dynamic)), and make what is between parallel "
              "loops parallel, too");
}

/* ---- all */

/* The line has a reason of the whole run; pages that it touches first do not explain what else it does. */
static bool has_line(const struct reasons *reasons, const struct where *at)
{
    for (int i = 0; i < reasons->n; i++)
        if (reasons->reason[i].kind != REASON_PAGE_FAULTS && where_equal(&reasons->reason[i].at, at))
            return true;
    return false;
}

/* Leaves out what is a tenth of the computing, and of the whole run next to nothing. */
static void drop_small(struct reasons *reasons)
{
    const double least = 0.05;
    int kept = 0;
    for (int i = 0; i < reasons->n; i++)
        if (reasons->reason[i].share >= least)
            reasons->reason[kept++] = reasons->reason[i];
        else
            reason_free(&reasons->reason[i]);
    reasons->n = kept;
}

/* Time that is not explained is worth half of that which is: a reason is read before a riddle. */
static double weight(const struct why_reason *reason)
{
    return reason->kind == REASON_UNKNOWN ? reason->share / 2 : reason->share;
}

static int by_weight(const void *a, const void *b)
{
    double one = weight(a), other = weight(b);
    return one < other ? 1 : -(one > other);
}

/* True if it is of a loop that may be part of a copy: nothing is known of it, or that it computes nothing. */
static bool may_copy(const struct why_reason *reason)
{
    return reason->kind == REASON_UNKNOWN || (reason->kind == REASON_UNITS && reason->loop != NULL &&
                                              reason->loop->scalar + reason->loop->vector == 0);
}

/* Adds such loops to the copies that their line makes. */
static void join_copies(struct reasons *reasons)
{
    int kept = 0;
    for (int i = 0; i < reasons->n; i++) {
        struct why_reason reason = reasons->reason[i], *copies = NULL;
        for (int j = 0; j < reasons->n && may_copy(&reason) && copies == NULL; j++)
            if (reasons->reason[j].kind == REASON_COPIES && where_equal(&reasons->reason[j].at, &reason.at))
                copies = &reasons->reason[j];
        if (copies == NULL) {
            reasons->reason[kept++] = reason;
            continue;
        }
        copies->share += reason.share;
        reason_free(&reason);
    }
    reasons->n = kept;
}

/* The entry among the first n that says the same of another loop of the line; NULL: none does. */
static struct why_reason *said_before(struct reasons *reasons, int n, const struct why_reason *reason)
{
    for (int i = 0; i < n; i++) {
        struct why_reason *before = &reasons->reason[i];
        if (before->loop != NULL && reason->loop != NULL && before->kind == reason->kind &&
            where_equal(&before->at, &reason->at))
            return before;
    }
    return NULL;
}

/* Compilers make several loops of one (of vectors, for what is left over, for each place that it is inlined
 * in). Where these have one line and one reason, the entry is that of the loop with most time, and no surer
 * than the others'. Reasons are in the order of their time. */
static void join_versions(struct reasons *reasons)
{
    int kept = 0;
    for (int i = 0; i < reasons->n; i++) {
        struct why_reason reason = reasons->reason[i], *before = said_before(reasons, kept, &reason);
        if (before == NULL) {
            reasons->reason[kept++] = reason;
            continue;
        }
        before->share += reason.share;
        if (reason.confidence < before->confidence)
            before->confidence = reason.confidence;
        reason_free(&reason);
    }
    reasons->n = kept;
}

static void sort(struct reasons *reasons)
{
    if (reasons->n > 0)
        qsort(reasons->reason, (size_t)reasons->n, sizeof *reasons->reason, by_weight);
}

void reasons_find(struct reasons *reasons, const struct facts *facts, const char *command)
{
    const double least_sampled = 0.05; /* seconds: a sample for each millisecond */
    const double least = 0.1;          /* of the sampled time: of less nobody asks */
    double computing = (1 - facts->idle) * (facts->user / fmax(facts->user + facts->system, 1e-9));
    judge_waiting(reasons, facts, command);
    judge_kernel(reasons, facts, command);
    judge_balance(reasons, facts);
    int whole = reasons->n;
    bool few = facts->sampled < least_sampled;
    for (int i = 0; i < facts->n_loops; i++)
        if (facts->loop[i].seconds >= least * facts->sampled && facts->loop[i].seconds > 0 &&
            !(has_line(reasons, &facts->loop[i].hottest) && facts->system > facts->user))
            loops_judge(reasons, facts, &facts->loop[i], command);
    for (int i = 0; i < facts->n_callees; i++)
        if (facts->callee[i].seconds >= least * facts->sampled && facts->callee[i].seconds > 0)
            callee_judge(reasons, facts, &facts->callee[i], whole, command);
    for (int i = whole; i < reasons->n; i++) {
        struct why_reason *reason = &reasons->reason[i];
        reason->share *= computing;
        if (few && reason->confidence > CONFIDENCE_POSSIBLE)
            reason->confidence = CONFIDENCE_POSSIBLE;
    }
    join_copies(reasons);
    sort(reasons);
    join_versions(reasons);
    drop_small(reasons);
    sort(reasons);
}

void reasons_free(struct reasons *reasons)
{
    for (int i = 0; i < reasons->n; i++)
        reason_free(&reasons->reason[i]);
    free(reasons->reason);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/verdict.h"

#include "report/figure.h"
#include "report/hang.h"
#include "report/sheet.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define append(text, ...) figure_append(text, VERDICT_ROOM, __VA_ARGS__)

#define percent(fraction) figure_whole_percent(fraction)

static int by_rank(const void *wanted, const void *row)
{
    uint64_t rank = *(const uint64_t *)wanted, other = ((const struct job_row *)row)->rank;
    return rank < other ? -1 : rank > other;
}

const char *verdict_host(const struct job *job, uint64_t rank)
{
    const struct job_row *row =
        job->row != NULL ? bsearch(&rank, job->row, job->n_rows, sizeof *job->row, by_rank) : NULL;
    return row != NULL ? row->host : rank == 0 ? job->host : "";
}

static void append_host(char text[VERDICT_ROOM], const struct job *job, uint64_t rank)
{
    char host[4 * 32 + 1];
    if (job->nodes > 1 && figure_name(host, sizeof host, verdict_host(job, rank), 32) > 0)
        append(text, " (%s)", host);
}

/* ---- where the time went */

static double sum(const struct job *job, int metric)
{
    return metric_sum(&job->metric[metric]);
}

/* The call with most time, of the threads of which MPI time is. */
static int longest_call(const struct job *job)
{
    int longest = -1;
    for (int i = 0; i < CALL_COUNT; i++)
        if (job->call[i].main_ns > 0 && (longest < 0 || job->call[i].main_ns > job->call[longest].main_ns))
            longest = i;
    return longest;
}

/* Names the node or rank that works more than the others, or less. */
static void say_balance(char text[VERDICT_ROOM], const struct job *job, const struct efficiency *efficiency)
{
    const struct metric *useful = &job->metric[METRIC_USEFUL], *node = &job->metric[METRIC_NODE_USEFUL];
    if (job->nodes > 1 && node->count > 1 && efficiency->across_nodes < efficiency->in_nodes) {
        uint64_t rank = node->largest[0].rank;
        append(text, "; the node of rank %llu", (unsigned long long)rank);
        append_host(text, job, rank);
        append(text, " works %s longer than the mean node: load balance across nodes %.2f",
               percent(metric_imbalance(node)).text, efficiency->across_nodes);
        return;
    }
    struct percentiles percentiles = percentiles_of(job, METRIC_USEFUL);
    double most = (double)useful->largest[0].value, least = (double)useful->smallest[0].value;
    int idle = useful->count > 2 && percentiles.p50 > 0.95 * most;
    uint64_t rank = idle ? useful->smallest[0].rank : useful->largest[0].rank;
    append(text, "; rank %llu", (unsigned long long)rank);
    append_host(text, job, rank);
    if (idle)
        append(text, " works %s less than the median", percent(1 - least / percentiles.p50).text);
    else
        append(text, " works %s longer than the mean", percent(metric_imbalance(useful)).text);
    append(text, ": load balance %.2f", efficiency->load_balance);
}

/* Kinds of which a single call says too little: what waits for other ranks by a window, and for files.
 * longest: the call that is named anyhow. */
static void say_kinds(char text[VERDICT_ROOM], const struct job *job, int longest)
{
    const double much = 0.25, nearly_all = 0.9;
    static const struct {
        enum call_class kind;
        const char *name;
    } known[] = {{CALLS_SYNCHRONISATION, "synchronisation of windows"}, {CALLS_FILE, "files"}};
    double elapsed = job_whole_time(job);
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        double time = 0;
        for (int i = 0; i < CALL_COUNT; i++)
            time += call_class[i] == known[k].kind ? (double)job->call[i].main_ns : 0;
        bool said = longest >= 0 && call_class[longest] == known[k].kind &&
                    (double)job->call[longest].main_ns > nearly_all * time;
        if (!said && time > much * sum(job, METRIC_MPI_TIME))
            append(text, ", %s %s", known[k].name, percent(time / elapsed).text);
    }
}

/* Says so where the time in MPI is that of very many tiny messages, each of which takes hardly longer than a
 * call does. */
static void say_tiny(char text[VERDICT_ROOM], const struct job *job)
{
    const double many = 10000, tiny = 256, hardly_ns = 20000, most = 0.5;
    double messages = sum(job, METRIC_SENT_MESSAGES), mean = sum(job, METRIC_SENT_BYTES) / messages;
    double time = 0, elapsed = sum(job, METRIC_ELAPSED);
    for (int i = 0; i < CALL_COUNT; i++)
        if (call_class[i] == CALLS_POINT_TO_POINT || call_class[i] == CALLS_COMPLETION)
            time += (double)job->call[i].main_ns;
    /* Others had the processor for the rest of it. */
    double on = job->crowded > 0 || verdict_displaced(job) ? verdict_on_processor(job) : 1;
    if (messages < many || mean > tiny || time * on > hardly_ns * messages ||
        time < most * sum(job, METRIC_MPI_TIME))
        return;
    append(text, ", in %s messages", figure(messages, "").text);
    append(text, " of %s on average", figure(mean, "B").text);
    append(text, ", %s a second from each rank", figure(messages / elapsed * 1e9, "").text);
}

static void say_calls(char text[VERDICT_ROOM], const struct job *job)
{
    const double worth_a_word = 0.02;
    double elapsed = job_whole_time(job);
    int call = longest_call(job);
    append(text, "; MPI takes %s", percent(sum(job, METRIC_MPI_TIME) / elapsed).text);
    say_kinds(text, job, call);
    if (call >= 0)
        append(text, ", %s alone %s", call_name[call],
               percent((double)job->call[call].main_ns / elapsed).text);
    say_tiny(text, job);
    if (job_end_wait(job) > worth_a_word * elapsed)
        append(text, ", waiting for the last one in MPI_Finalize %s",
               percent(job_end_wait(job) / elapsed).text);
}

/* Part of the time that main threads spend in file calls. */
static double file_part(const struct job *job)
{
    double time = 0;
    for (int i = 0; i < CALL_COUNT; i++)
        time += call_class[i] == CALLS_FILE ? (double)job->call[i].main_ns : 0;
    return time / job_whole_time(job);
}

/* True if most of what is lost, of the time as a part of 1, is lost to files: the efficiencies count it as
 * communication, and messages are not to blame. */
static bool files_cost_most(const struct job *job, double lost)
{
    return file_part(job) > 0.5 * lost;
}

static int longest_file_call(const struct job *job)
{
    int longest = -1;
    for (int i = 0; i < CALL_COUNT; i++)
        if (call_class[i] == CALLS_FILE && job->call[i].main_ns > 0 &&
            (longest < 0 || job->call[i].main_ns > job->call[longest].main_ns))
            longest = i;
    return longest;
}

static void say_files(char text[VERDICT_ROOM], const struct job *job)
{
    int call = longest_file_call(job);
    append(text, "; file access takes %s", percent(file_part(job)).text);
    if (call >= 0)
        append(text, ", %s alone %s", call_name[call],
               percent((double)job->call[call].main_ns / job_whole_time(job)).text);
}

/* True for a call that computes or copies in memory: no other rank has a part in it. */
static bool is_local(int call)
{
    return call == CALL_PACK || call == CALL_UNPACK || call == CALL_PACK_EXTERNAL ||
           call == CALL_UNPACK_EXTERNAL || call == CALL_REDUCE_LOCAL;
}

/* The part of the time in such calls, and which of them takes most; -1: none. */
static double local_part(const struct job *job, int *longest)
{
    double time = 0;
    *longest = -1;
    for (int i = 0; i < CALL_COUNT; i++) {
        if (!is_local(i) || job->call[i].main_ns == 0)
            continue;
        time += (double)job->call[i].main_ns;
        if (*longest < 0 || job->call[i].main_ns > job->call[*longest].main_ns)
            *longest = i;
    }
    return time / job_whole_time(job);
}

/* True if most of what is lost is lost to them. */
static bool local_costs_most(const struct job *job, double lost)
{
    int longest;
    return local_part(job, &longest) > 0.5 * lost;
}

static void say_local(char text[VERDICT_ROOM], const struct job *job)
{
    int call;
    double part = local_part(job, &call);
    append(text, "; calls that do not communicate take %s", percent(part).text);
    append(text, ", %s calls of %s", figure((double)job->call[call].calls, "").text, call_name[call]);
    append(text, " alone %s", percent((double)job->call[call].main_ns / job_whole_time(job)).text);
}

/* Says who has the files, and where the others are meanwhile. */
static void say_file_rank(char text[VERDICT_ROOM], const struct job *job, const struct job_file_rank *lone)
{
    int call = longest_call(job);
    append(text, "; rank %llu", (unsigned long long)lone->rank);
    append_host(text, job, lone->rank);
    append(text, " alone is in file calls, for %s of its time",
           percent((double)lone->ns / (double)job->metric[METRIC_ELAPSED].largest[0].value).text);
    if (call >= 0 && call_class[call] != CALLS_FILE)
        append(text, ", while others are in %s", call_name[call]);
}

/* ---- waiting, or transfer */

/* Parts of the time of all ranks, as the collective calls of all of them tell where the path is not followed
 * (struct meetings). A rank is no later in all of them together than it is outside of them for: what else
 * they took, as on a busy machine, where a rank leaves one late, is no work of a late rank. */
struct waiting {
    double mpi, awaited, transfer; /* the latter two: in such calls */
    double alternates;             /* of awaited: no rank is late so often that it is in the load balance */
};

static struct waiting waiting_of(const struct job *job, const struct efficiency *efficiency)
{
    double elapsed = job_whole_time(job), met = (double)job->met_ns;
    double outside = fmax(job_time(job) - met, 0);
    double awaited = fmin((double)job->awaited_ns, (double)(job->ranks - 1) * outside);
    double unbalanced = efficiency->communication - efficiency->parallel;
    return (struct waiting){.mpi = sum(job, METRIC_MPI_TIME) / elapsed,
                            .awaited = awaited / elapsed,
                            .transfer = fmax(met - awaited, 0) / elapsed,
                            .alternates = fmax(awaited / elapsed - unbalanced, 0)};
}

static bool alternates(const struct job *job, const struct waiting *waiting,
                       const struct efficiency *efficiency)
{
    const uint64_t enough = 4; /* so few are nothing that repeats */
    return job->meetings >= enough && waiting->alternates > 0.5 * (1 - efficiency->communication);
}

static void say_communication(char text[VERDICT_ROOM], const struct job *job,
                              const struct efficiency *efficiency)
{
    struct waiting waiting = waiting_of(job, efficiency);
    struct job_file_rank lone;
    bool of_one = job_file_rank(job, &lone), files = files_cost_most(job, 1 - efficiency->communication);
    bool local = !of_one && !files && local_costs_most(job, 1 - efficiency->communication);
    if (of_one) {
        say_file_rank(text, job, &lone);
    } else if (files) {
        say_files(text, job);
    } else if (local) {
        say_local(text, job);
    } else if (alternates(job, &waiting, efficiency)) {
        append(text,
               "; late ranks alternate: waiting for the last one in collective calls %s, transfer in them %s",
               percent(waiting.awaited).text, percent(waiting.transfer).text);
    } else {
        say_calls(text, job);
        if (waiting.awaited + waiting.transfer > 0.5 * waiting.mpi)
            append(text, ", of it waiting for late ranks %s", percent(waiting.awaited).text);
    }
    append(text,
           of_one || files ? ": file access (communication efficiency %.2f)"
           : local         ? ": work in MPI's own functions (communication efficiency %.2f)"
                           : ": communication efficiency %.2f",
           efficiency->communication);
}

/* The rank whose work most of the critical path is; -1: there is none. */
static int64_t leader(const struct job *job)
{
    const struct path_share *most = &job->path.rank_share[0];
    for (int i = 1; i < PATH_SHARES; i++)
        if (job->path.rank_share[i].ns > most->ns)
            most = &job->path.rank_share[i];
    return (double)most->ns > 0.55 * (double)job->path.ns ? (int64_t)most->of : -1;
}

/* Says who waits for whom, by the critical path. */
static void say_waiting(char text[VERDICT_ROOM], const struct job *job)
{
    int call = longest_call(job);
    int64_t rank = leader(job);
    if (rank >= 0)
        append(text, "; ranks wait for rank %lld, whose work is most of the critical path", (long long)rank);
    else if (call >= 0 && call_class[call] == CALLS_COLLECTIVE)
        append(text, "; late ranks alternate");
    else
        append(text, "; ranks wait for each other in turn");
}

static bool has_path(const struct efficiency *efficiency)
{
    return !isnan(efficiency->serialisation) && !isnan(efficiency->transfer);
}

/* Parts of the time that are lost, where the path is known: their sum and what is useful are all of it. */
struct losses {
    double imbalance, waiting, transfer;
};

static struct losses losses_of(const struct efficiency *efficiency)
{
    return (struct losses){.imbalance = efficiency->communication - efficiency->parallel,
                           .waiting = efficiency->transfer - efficiency->communication,
                           .transfer = 1 - efficiency->transfer};
}

/* Says the two parts of the communication efficiency, where the path is known; the smaller one is to blame.
 */
static void say_path(char text[VERDICT_ROOM], const struct job *job, const struct efficiency *efficiency)
{
    struct losses losses = losses_of(efficiency);
    bool waits = losses.waiting > losses.transfer;
    struct job_file_rank lone = {.ns = 0};
    bool of_one = !waits && job_file_rank(job, &lone);
    bool files = of_one || (!waits && files_cost_most(job, losses.transfer));
    bool local = !waits && !files && local_costs_most(job, losses.transfer);
    if (waits)
        say_waiting(text, job);
    else if (of_one)
        say_file_rank(text, job, &lone);
    else if (files)
        say_files(text, job);
    else if (local)
        say_local(text, job);
    else
        say_calls(text, job);
    append(text, ": waiting for others (serialisation) %s", percent(losses.waiting).text);
    if (files) {
        double elapsed = (double)job->metric[METRIC_ELAPSED].largest[0].value;
        double part = of_one ? (double)lone.ns / elapsed : file_part(job);
        append(text, ", transfer of messages %s: file access (transfer efficiency %.2f)",
               percent(fmax(losses.transfer - part, 0)).text, efficiency->transfer);
        return;
    }
    append(text, ", transfer %s", percent(losses.transfer).text);
    append(text, waits ? ": serialisation %.2f" : ": transfer efficiency %.2f",
           waits ? efficiency->serialisation : efficiency->transfer);
}

static bool blames_balance(const struct efficiency *efficiency)
{
    struct losses losses = losses_of(efficiency);
    return has_path(efficiency) ? losses.imbalance > fmax(losses.waiting, losses.transfer)
                                : efficiency->load_balance < efficiency->communication;
}

/* Time of calls through which the path goes, and of which nobody knows whether it is waiting. */
static double unknown_time(const struct job *job)
{
    double time = 0;
    for (int i = 0; i < CALL_COUNT; i++)
        if (call_class[i] == CALLS_POINT_TO_POINT || call_class[i] == CALLS_COMPLETION ||
            call_class[i] == CALLS_COLLECTIVE || record_meets((enum call)i, job->spawned > 0))
            time += (double)job->call[i].main_ns;
    return time - (double)job->met_ns;
}

/* True if MPI_Pcontrol(0) left out so much more on one rank than on another that the rest is no common time.
 */
static bool pauses_differ(const struct job *job)
{
    const double much = 0.1;
    const struct metric *elapsed = &job->metric[METRIC_ELAPSED];
    double paused = (double)job->paused_ns;
    double differ = (double)elapsed->largest[0].value - (double)elapsed->smallest[0].value;
    double mean = (sum(job, METRIC_ELAPSED) + paused) / (double)elapsed->count;
    return paused > differ / 2 && differ > much * mean;
}

bool verdict_needs_path(const struct job *job)
{
    const double much = 0.25;
    struct efficiency efficiency = job_efficiency(job);
    bool alone = !job_meets_others(job);
    if ((alone && (job->ranks == 1 || job->path_ranks > 0)) || isnan(efficiency.parallel) ||
        pauses_differ(job) || efficiency.parallel >= JOB_IS_BUSY || blames_balance(&efficiency))
        return false;
    struct waiting waiting = waiting_of(job, &efficiency);
    struct job_file_rank lone;
    return !job_file_rank(job, &lone) && !local_costs_most(job, 1 - efficiency.communication) &&
           !alternates(job, &waiting, &efficiency) && unknown_time(job) > much * sum(job, METRIC_MPI_TIME);
}

bool verdict_absent(const struct job *job)
{
    double on = verdict_on_processor(job);
    return job->crowded == 0 && on > 0 && on < VERDICT_ON_PROCESSOR && !verdict_displaced(job) &&
           job_efficiency(job).parallel >= JOB_IS_BUSY;
}

/* Says what ranks do by themselves, where nothing is lost to other ranks. */
static void say_computation(char text[VERDICT_ROOM], const struct job *job)
{
    double mpi = sum(job, METRIC_MPI_TIME) / job_whole_time(job);
    struct rates rates = rates_of(job, rates_outside(job));
    if (job->ranks == 1)
        append(text, "; one rank alone");
    else if (sum(job, METRIC_MPI_CALLS) == 0)
        append(text, " and balanced, no MPI call was %s", job->paused_ns > 0 ? "counted" : "made");
    else
        append(text, ", MPI takes %s and the ranks are balanced", percent(mpi).text);
    if (job->crowded > 0)
        append(text, ": what can be gained is a processor for each rank");
    else if (verdict_absent(job))
        append(text,
               ", but on a processor %s of the time: outside MPI they sleep, or wait for files or other "
               "processes",
               percent(verdict_on_processor(job)).text);
    else if (verdict_displaced(job) && verdict_may_have_slept(job))
        append(text, ": what can be gained is in the computation, or where they sleep outside MPI");
    else
        append(text, ": what can be gained is in the computation%s",
               job->ranks == 1 || sum(job, METRIC_MPI_CALLS) == 0 ? " itself" : "");
    if (!isnan(rates.ipc) && job->crowded == 0 && !verdict_absent(job))
        append(text, " (IPC %.2f)", rates.ipc);
}

double verdict_on_processor(const struct job *job)
{
    double elapsed = job_time(job);
    return elapsed > 0 ? (sum(job, METRIC_CPU_USER) + sum(job, METRIC_CPU_SYSTEM)) / elapsed : 0;
}

bool verdict_displaced(const struct job *job)
{
    const double longest_turn_ns = 1e8; /* of others, until a rank is on again */
    double on = verdict_on_processor(job), off_ns = (1 - on) * job_time(job);
    double taken = sum(job, METRIC_INVOLUNTARY_SWITCHES);
    return job->crowded == 0 && on > 0 && on < VERDICT_ON_PROCESSOR &&
           taken > sum(job, METRIC_VOLUNTARY_SWITCHES) && off_ns < taken * longest_turn_ns;
}

bool verdict_may_have_slept(const struct job *job)
{
    return sum(job, METRIC_VOLUNTARY_SWITCHES) > 0;
}

/* Says that ranks share processors, and what part of the time each has one. */
static void say_crowd(char text[VERDICT_ROOM], const struct job *job)
{
    double on = verdict_on_processor(job);
    append(text, "%llu of %llu ranks take turns on fewer processors", (unsigned long long)job->crowded,
           (unsigned long long)job->ranks);
    if (on > 0 && on < VERDICT_ON_PROCESSOR)
        append(text, ", and have one %s of the time", percent(on).text);
    append(text, "; as it is, ");
}

/* Part of the time that MPI_Pcontrol(0) left out. */
static double paused_part(const struct job *job)
{
    double paused = (double)job->paused_ns;
    return paused / (sum(job, METRIC_ELAPSED) + paused);
}

/* The call site with most time of all threads; NULL: none is known. */
static const struct job_site *longest_site(const struct job *job)
{
    const struct job_site *longest = NULL;
    for (int i = 0; i < job->n_sites; i++)
        if (job->site[i].object >= 0 && (longest == NULL || job->site[i].ns > longest->ns))
            longest = &job->site[i];
    return longest;
}

/* Times are of main threads. */
static void say_threads(char text[VERDICT_ROOM], const struct job *job)
{
    char where[SITE_TEXT];
    const struct job_site *site = longest_site(job);
    append(text,
           "Up to %llu threads of a rank call MPI, and other threads than the main ones were in MPI for %s "
           "together",
           (unsigned long long)job->threads, figure(job_thread_ns(job), "ns").text);
    append(text, ", while the ranks ran for %s", figure(sum(job, METRIC_ELAPSED), "ns").text);
    if (site != NULL)
        append(text, "; %s at %.200s takes most of it", call_name[site->call], site_text(where, job, site));
    append(text, ". How much of their time is useful is not known: there are no efficiencies");
}

/* Says why the times of threads that test are not judged, and the call that tests most. */
static void say_polling_threads(char text[VERDICT_ROOM], const struct job *job)
{
    char where[SITE_TEXT];
    const struct job_site *site = longest_site(job);
    append(text, "Several threads of a rank call MPI, and wait by tests for %s of their time",
           percent((double)job->tested_ns / job_time(job)).text);
    if (site != NULL)
        append(text, "; %s at %.200s takes most of it", call_name[site->call], site_text(where, job, site));
    append(text, ". How much of the time between these tests is useful is not known: there are no "
                 "efficiencies; waiting calls (MPI_Wait, MPI_Recv) would tell");
}

void verdict_unseen(char text[VERDICT_ROOM], const struct job *job)
{
    enum { MOST = 4 };
    int n = 0;
    for (int i = 0; i < CALL_COUNT; i++)
        if (call_is_in(job->unseen, i) && n++ < MOST)
            append(text, "%sP%s", n > 1 ? ", " : "", call_name[i]);
    if (n == 0)
        append(text, "functions PMPI_...");
    else if (n > MOST)
        append(text, " and %d more", n - MOST);
}

/* Says what is known where the program makes calls that are not seen: limits, of both times. */
static void say_unseen(char text[VERDICT_ROOM], const struct job *job)
{
    double whole = job_whole_time(job);
    append(text, "The program or its libraries call ");
    verdict_unseen(text, job);
    if (job->unseen_ranks < job->present)
        append(text, " on %llu of %llu ranks", (unsigned long long)job->unseen_ranks,
               (unsigned long long)job->present);
    append(
        text,
        ", and these calls are not counted: MPI takes at least %s of the time, and at most %s is useful. How "
        "balanced the ranks are is not known: there are no efficiencies; calls of MPI_... would be counted",
        percent(sum(job, METRIC_MPI_TIME) / whole).text, percent(sum(job, METRIC_USEFUL) / whole).text);
}

/* Says what keeps the devices from running kernels all the time. */
static void say_idle_devices(char text[VERDICT_ROOM], const struct device_efficiency *efficiency)
{
    double least = fmin(efficiency->load_balance, fmin(efficiency->communication, efficiency->orchestration));
    if (efficiency->parallel >= JOB_IS_BUSY)
        return;
    if (least == efficiency->load_balance)
        append(text, ": some have less to do (load balance %.2f)", least);
    else if (least == efficiency->communication)
        append(text, ": they copy meanwhile (communication %.2f)", least);
    else
        append(text, ": they are given nothing to do (orchestration %.2f)", least);
}

/* Says what the devices do, and how long ranks are in calls of their runtime, which is useful time. */
static void say_devices(char text[VERDICT_ROOM], const struct job *job)
{
    const struct device_efficiency efficiency = job_device_efficiency(job);
    unsigned long long n = job_devices(job);
    if (isnan(efficiency.parallel))
        return;
    if (!isnan(efficiency.offload))
        append(text, "; of the useful time %s is in the devices' runtime",
               percent(1 - efficiency.offload).text);
    append(text, "; %llu %s kernels %s%s of the time", n, n == 1 ? "device runs" : "devices run",
           job_shares_devices(job) ? "at most " : "", percent(efficiency.parallel).text);
    say_idle_devices(text, &efficiency);
}

/* True if ranks spend more of their useful time in calls of the devices' runtime than outside. */
static bool is_of_devices(const struct job *job)
{
    return job_device_efficiency(job).offload < 0.5;
}

/* Says where time is lost, or that none is. */
static void say_loss(char text[VERDICT_ROOM], const struct job *job, const struct efficiency *efficiency)
{
    if (efficiency->parallel >= JOB_IS_BUSY && is_of_devices(job))
        return;
    if (efficiency->parallel >= JOB_IS_BUSY) {
        say_computation(text, job);
        return;
    }
    if (blames_balance(efficiency))
        say_balance(text, job, efficiency);
    else if (has_path(efficiency))
        say_path(text, job, efficiency);
    else
        say_communication(text, job, efficiency);
    append(text, efficiency->parallel < 0.8 ? " limits this job" : " costs most");
}

/* Says that the time is that of several threads. */
static void say_whose(char text[VERDICT_ROOM], const struct job *job)
{
    if (job->thread_ranks == 0)
        return;
    append(text, "of the threads that call MPI ");
    if (job->thread_ranks < job->present)
        append(text, "(%llu of %llu ranks %s several) ", (unsigned long long)job->thread_ranks,
               (unsigned long long)job->present, job->thread_ranks == 1 ? "has" : "have");
}

/* True if a program of OpenMP has more threads at work than the main ones, of which nothing is known. */
static bool needs_teams(const struct job *job)
{
    const double more = 1.1;
    double on = sum(job, METRIC_CPU_USER) + sum(job, METRIC_CPU_SYSTEM);
    return job->openmp_ranks > 0 && job->teams == TEAMS_OFF &&
           (job->thread_ranks > 0 || on > more * sum(job, METRIC_ELAPSED));
}

/* Says that the job may have waited for another one, which nothing here tells. */
static void say_others(char text[VERDICT_ROOM], const struct job *job)
{
    if (!job_meets_others(job) || !verdict_needs_path(job))
        return;
    bool starts = job->call[CALL_COMM_SPAWN].calls + job->call[CALL_COMM_SPAWN_MULTIPLE].calls > 0;
    append(text, "; how much of it is waiting for %s is not known",
           job->spawned > 0 ? "the job that started this one"
           : starts         ? "the jobs that it started"
                            : "the jobs that it met");
}

void verdict(char text[VERDICT_ROOM], const struct job *job)
{
    struct efficiency efficiency = job_efficiency(job);
    text[0] = '\0';
    if (job->metric[METRIC_ELAPSED].count > 0 && job_is_of_threads(job)) {
        say_threads(text, job);
        return;
    }
    if (job_polls_in_threads(job)) {
        say_polling_threads(text, job);
        return;
    }
    if (job->metric[METRIC_ELAPSED].count > 0 && job_has_unseen(job)) {
        say_unseen(text, job);
        return;
    }
    if (job->metric[METRIC_ELAPSED].count == 0 || isnan(efficiency.parallel)) {
        append(text, "No rank has a time between MPI_Init and MPI_Finalize: nothing can be said of this job");
        return;
    }
    if (pauses_differ(job)) {
        append(text,
               "MPI_Pcontrol(0) left %s of the time out, on some ranks more than on others: their times do "
               "not compare",
               percent(paused_part(job)).text);
        return;
    }
    if (job->crowded > 0) /* whatever else there is to say comes of that */
        say_crowd(text, job);
    else if (verdict_displaced(job))
        append(text,
               verdict_may_have_slept(job)
                   ? "Ranks had no processor %s of the time (other programs, a limit, or sleep); as it is, "
                   : "Ranks waited for a processor %s of the time (other programs, or a limit); as it is, ",
               percent(1 - verdict_on_processor(job)).text);
    if (paused_part(job) > 0.5)
        append(text, "MPI_Pcontrol(0) left %s of the time out; of the rest, ",
               percent(paused_part(job)).text);
    append(text, "%s of the time ", percent(efficiency.parallel).text);
    say_whose(text, job);
    append(text, "is useful");
    say_loss(text, job, &efficiency);
    say_others(text, job);
    say_devices(text, job);
    if (needs_teams(job))
        append(text, "; PAPI_MPI_THREADS=1 tells how long threads of OpenMP are idle");
}

/* ---- what is not there */

/* "2, 5-7": the ranks between the rows. */
static void append_missing(char text[VERDICT_ROOM], const struct job *job)
{
    uint64_t next = 0;
    int ranges = 0;
    for (uint64_t i = 0; i <= job->n_rows; i++) {
        uint64_t here = i < job->n_rows ? job->row[i].rank : job->ranks;
        if (here > next) {
            if (ranges == 6) {
                append(text, ", ...");
                return;
            }
            append(text, "%s%llu", ranges++ > 0 ? ", " : "", (unsigned long long)next);
            if (here > next + 1)
                append(text, "-%llu", (unsigned long long)here - 1);
        }
        next = here + 1;
    }
}

/* The activity of ranks that did not come to MPI_Finalize: a call, or one of these. */
enum { DOING_OUTSIDE = CALL_COUNT, DOING_ABORT, DOING_EXIT, DOING_COUNT };

struct doing {
    uint64_t ranks, first; /* one of them */
};

static int what(const struct job_row *row)
{
    if (row->state == RANK_ABORTS)
        return DOING_ABORT;
    if (row->state == RANK_EXITS)
        return DOING_EXIT;
    return row->inside >= 0 && row->inside < CALL_COUNT ? row->inside : DOING_OUTSIDE;
}

static void append_doing(char text[VERDICT_ROOM], int which, const struct doing *doing)
{
    if (doing->ranks == 1)
        append(text, "rank %llu", (unsigned long long)doing->first);
    else
        append(text, "%llu ranks", (unsigned long long)doing->ranks);
    if (which == DOING_ABORT)
        append(text, " called MPI_Abort");
    else if (which == DOING_EXIT)
        append(text, " exited");
    else if (which == DOING_OUTSIDE)
        append(text, doing->ranks == 1 ? " was outside MPI" : " were outside MPI");
    else
        append(text, " in %s", call_name[which]);
}

/* The activity that is named first: a cause (outside of MPI, abort, exit) if there is one, otherwise the call
 * that most ranks were in. */
static int first_of(const struct doing doing[DOING_COUNT])
{
    for (int i = DOING_COUNT - 1; i >= DOING_OUTSIDE; i--)
        if (doing[i].ranks > 0)
            return i;
    int most = -1;
    for (int i = 0; i < CALL_COUNT; i++)
        if (doing[i].ranks > 0 && (most < 0 || doing[i].ranks > doing[most].ranks))
            most = i;
    return most;
}

static void append_unfinished(char text[VERDICT_ROOM], const struct job *job)
{
    struct doing doing[DOING_COUNT] = {{0, 0}};
    for (uint64_t i = 0; i < job->n_rows; i++) {
        const struct job_row *row = &job->row[i];
        if (row->state == RANK_FINALIZED || row->state == RANK_IN_REPORT)
            continue;
        int which = what(row);
        if (doing[which].ranks++ == 0)
            doing[which].first = row->rank;
    }
    for (int n = 0, which; (which = first_of(doing)) >= 0; n++) {
        append(text, n == 0 ? ": " : ", ");
        if (n == 4) {
            append(text, "...");
            return;
        }
        append_doing(text, which, &doing[which]);
        doing[which].ranks = 0;
    }
}

void verdict_partial(char text[VERDICT_ROOM], const struct job *job)
{
    text[0] = '\0';
    if (!job->recovered && job->present >= job->ranks && job->unfinished == 0)
        return;
    bool hangs = hang_sentence(text, VERDICT_ROOM, job);
    append(text, "%s%s", hangs ? ". " : "", hang_runs(job) ? "SO FAR" : "PARTIAL");
    if (job->recovered)
        append(text, " (from the ranks' records)");
    append(text, ": ");
    if (job->present < job->ranks) {
        append(text, "%llu of %llu ranks missing", (unsigned long long)(job->ranks - job->present),
               (unsigned long long)job->ranks);
        if (job->row != NULL && job->n_rows == job->present && job->n_rows > 0) {
            append(text, " (");
            append_missing(text, job);
            append(text, ")");
        }
    } else {
        append(text, "all %llu ranks are here", (unsigned long long)job->ranks);
    }
    if (job->unfinished == 0) {
        append(text, "; those here came to MPI_Finalize");
        return;
    }
    if (hang_runs(job))
        return;
    append(text, "; %llu never came to MPI_Finalize", (unsigned long long)job->unfinished);
    if (!hangs)
        append_unfinished(text, job);
}

void verdict_whole(char text[VERDICT_WHOLE], const struct job *job)
{
    char partial[VERDICT_ROOM], sentence[VERDICT_ROOM], place[VERDICT_ROOM];
    verdict_partial(partial, job);
    verdict(sentence, job);
    verdict_place(place, job);
    snprintf(text, VERDICT_WHOLE, "%s%s%s%s%s", partial, partial[0] ? ". " : "", sentence,
             place[0] ? "\n" : "", place);
}

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds out what a loop waits for.
 *
 * Its cycles an iteration are measured: time by samples, turns by the emulator. What they could be made of is
 * known one by one: the chain of operations that each turn adds to, and the units that are busy (both from
 * the code), lines that its accesses lack in the simulated caches, bytes beside what memory delivers,
 * branches that go both ways. The first of these that explains at least half of the cycles is the reason.
 * Without counts, only what the code itself shows can be said, and then it is never certain.
 */
#include "reasons.h"
#include "tools/common/allocate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct judge {
    struct reasons *reasons;
    const struct facts *facts;
    const struct why_loop *loop;
    const char *command;
    double cycles; /* a turn; 0: not known */
    bool found;
};

static void free_text(char **text, char *now)
{
    free(*text);
    *text = now;
}

static struct why_reason *say(struct judge *judge, enum reason_kind kind, enum confidence confidence,
                              const struct where *at)
{
    const struct where *where = at->line > 0 ? at : &judge->loop->hottest;
    struct why_reason *reason = reasons_add(judge->reasons, kind, confidence, where);
    reason->share = judge->facts->sampled > 0 ? judge->loop->seconds / judge->facts->sampled : 0;
    reason->loop = judge->loop;
    judge->found = true;
    return reason;
}

static double a_turn(const struct why_loop *loop, double count)
{
    return loop->turns > 0 ? count / loop->turns : 0;
}

/* "8.1 cycles an iteration, " or nothing. */
static char *cycles_text(const struct judge *judge)
{
    return judge->cycles > 0 ? memory_print("%.1f cycles an iteration", judge->cycles)
                             : memory_text("the cycles of an iteration are not known");
}

/* ---- memory */

/* Bytes that are written count once, as they do in the roofs. */
static double bytes_a_second(const struct judge *judge)
{
    enum { LINE = 64 };
    const struct why_loop *loop = judge->loop;
    double lines = loop->last_reads + loop->last_writes;
    /* Some processors count no lines that were fetched ahead. */
    if (loop->measured.known && loop->measured.last_misses > lines)
        lines = loop->measured.last_misses;
    return loop->seconds > 0 ? lines * LINE / loop->seconds : 0;
}

/* True if each iteration goes to another line of the cache, of which it uses a part. */
static bool uses_parts(const struct why_loop *loop)
{
    return loop->stride >= 64 * fmax(1, loop->loads);
}

static void judge_bandwidth(struct judge *judge)
{
    const struct facts *facts = judge->facts;
    double rate = bytes_a_second(judge), of_it = facts->one_core > 0 ? rate / facts->one_core : 0;
    int threads = facts->threads < facts->processors ? facts->threads : facts->processors;
    if (threads > 1 && facts->all_cores > 0) {
        rate *= threads;
        of_it = rate / facts->all_cores;
    }
    bool measured = judge->loop->measured.known && judge->loop->measured.last_misses >= 0;
    if ((!judge->loop->counted && !measured) || of_it < 0.4 || judge->loop->chases ||
        judge->loop->indirect_loads > 0)
        return;
    struct why_reason *reason = say(
        judge, REASON_BANDWIDTH, of_it > 0.6 ? CONFIDENCE_CERTAIN : CONFIDENCE_LIKELY, &judge->loop->hottest);
    reason->sentence =
        memory_print("memory bandwidth: it moves %.1f GB/s from and to memory, %.0f %% of what %s",
                     rate * 1e-9, of_it * 100, threads > 1 ? "all cores together can" : "one core can");
    if (uses_parts(judge->loop))
        free_text(&reason->sentence,
                  memory_print("%s; each iteration moves on by %.0f bytes, to another line of the cache, and "
                               "uses a part of it",
                               reason->sentence, judge->loop->stride));
    reason->helps =
        memory_text(uses_parts(judge->loop)
                        ? "use all of each line: the inner loop along the first index in Fortran (the last "
                          "in C); of a derived type, an array for each component"
                        : "move fewer bytes: do more with what is in the cache (blocks, loops joined), or "
                          "smaller numbers (real(4)); better instructions gain nothing");
    reason->ask = memory_print("papi_roofline %s", judge->command);
}

/* Cycles that the lines cost which a turn lacks, if nothing hides them. */
static double miss_cycles(const struct judge *judge)
{
    const struct why_loop *loop = judge->loop;
    const double second = 10, third = 40, memory = 80e-9;
    double last = a_turn(loop, loop->last_reads), l2 = a_turn(loop, loop->l2_misses),
           l1 = a_turn(loop, loop->l1_misses);
    return fmax(l1 - l2, 0) * second + fmax(l2 - last, 0) * third + last * memory * judge->facts->cycles;
}

/* Seconds for a line, and for the places of pages on the way to it, in a virtual machine that others use,
 * too. */
static const double slowest_memory = 400e-9;

/* The part of the cycles that the instructions do not explain, where their lines are in the first cache. */
static double beyond(const struct judge *judge)
{
    double explained = fmax(judge->loop->chain_cycles, judge->loop->at_least);
    return judge->cycles > explained ? 1 - explained / judge->cycles : 0;
}

static void judge_chase(struct judge *judge)
{
    const struct why_loop *loop = judge->loop;
    double misses = a_turn(loop, loop->l1_misses);
    double most = loop->chain_cycles * 2.5 + misses * slowest_memory * judge->facts->cycles;
    if (!loop->chases || judge->cycles > most)
        return;
    bool in_cache = loop->counted && misses < 0.02;
    char *cycles = cycles_text(judge);
    struct why_reason *reason =
        say(judge, REASON_LATENCY, !loop->counted || loop->calls > 0 ? CONFIDENCE_LIKELY : CONFIDENCE_CERTAIN,
            &loop->chain);
    reason->sentence =
        memory_print("latency of memory: each iteration loads the address that the next one loads from "
                     "(a list, a tree), so that nothing is fetched ahead; %s%s",
                     cycles, in_cache ? ", all of it in the first cache" : "");
    if (loop->counted && !in_cache)
        free_text(&reason->sentence,
                  memory_print("%s, %.2f misses of the first cache", reason->sentence, misses));
    reason->helps =
        memory_text("arrays in the place of links; nodes that are used together allocated together; "
                    "several chains at once");
    free(cycles);
}

static void judge_distance(struct judge *judge)
{
    const struct why_loop *loop = judge->loop;
    double misses = a_turn(loop, loop->l1_misses);
    int indirect = loop->indirect_loads;
    bool far = loop->far_accesses > 0 || uses_parts(loop);
    if ((!far && indirect == 0) || loop->chases || (loop->stack > 0 && !loop->optimised))
        return;
    if (loop->counted && (misses < 0.1 || miss_cycles(judge) < 0.25 * judge->cycles || beyond(judge) < 0.3))
        return;
    if (!loop->counted && indirect > 0)
        return; /* an index may be in order */
    const struct where *at = indirect > 0             ? &loop->indirect
                             : loop->far_accesses > 0 ? &loop->far
                                                      : &loop->strided;
    /* Functions that the loop calls are not in its code: the address, or the time, can be theirs. */
    enum confidence confidence = !loop->counted                    ? CONFIDENCE_POSSIBLE
                                 : indirect > 0 && loop->calls > 0 ? CONFIDENCE_LIKELY
                                                                   : CONFIDENCE_CERTAIN;
    struct why_reason *reason = say(judge, indirect > 0 ? REASON_SCATTERED : REASON_STRIDE, confidence, at);
    char *counted = loop->counted
                        ? memory_print(": %.2f misses of the first cache and %.1f cycles an iteration",
                                       misses, judge->cycles)
                        : memory_text("");
    if (indirect > 0)
        reason->sentence = memory_print(
            "latency of memory: addresses come from an index or a pointer, and are scattered%s", counted);
    else
        reason->sentence =
            memory_print("latency of memory: each iteration goes to another line of the cache%s%s",
                         loop->stride >= 4096 ? ", and to another page (TLB)" : "", counted);
    if (indirect == 0 && loop->stride >= 64)
        free_text(&reason->sentence,
                  memory_print("%s; it moves on by %.0f bytes", reason->sentence, loop->stride));
    reason->helps = memory_text(
        indirect > 0
            ? "sort the index, or store together what is used together; arrays in the place of pointers"
            : "let the inner loop go along the index whose neighbours are "
              "neighbours in memory: the first in Fortran, the last in C; "
              "of a derived type, an array for each component that is "
              "used by itself");
    reason->ask = memory_print("papi_profile --exact -e emu::L1D_READ_MISSES %s", judge->command);
    free(counted);
}

/* ---- arithmetic */

static void judge_division(struct judge *judge)
{
    const struct why_loop *loop = judge->loop;
    double busy = loop->divider;
    bool chain = strcmp(loop->chain_work, "divide") == 0 || strcmp(loop->chain_work, "root") == 0 ||
                 strcmp(loop->chain_work, "integer_divide") == 0;
    double explains = chain ? fmax(busy, loop->chain_cycles) : busy;
    if (busy == 0 || loop->calls > 0 || (judge->cycles > 0 && explains < 0.45 * judge->cycles) ||
        (judge->cycles == 0 && explains < loop->at_least))
        return;
    const struct where *at = loop->divides > 0 ? &loop->divide
                             : loop->roots > 0 ? &loop->root
                                               : &loop->integer_divide;
    char *cycles = cycles_text(judge);
    struct why_reason *reason =
        say(judge, REASON_DIVISION, judge->cycles > 0 ? CONFIDENCE_CERTAIN : CONFIDENCE_LIKELY, at);
    reason->sentence = memory_print("%s: %d in an iteration, and no other can begin meanwhile%s; %s",
                                    loop->divides > 0 ? "divisions"
                                    : loop->roots > 0 ? "square roots"
                                                      : "divisions of integers",
                                    loop->divides > 0 ? loop->divides
                                    : loop->roots > 0 ? loop->roots
                                                      : loop->integer_divides,
                                    chain ? "; each waits for the one before" : "", cycles);
    reason->helps = memory_text(
        loop->divides > 0 ? "by the same number: multiply by its inverse (-freciprocal-math); else "
                            "divide less often, or in single precision"
        : loop->roots > 0 ? "compare squares, take the root less often, or in single precision"
                          : "a divisor that the compiler knows, a power of two, or floating point");
    reason->ask =
        memory_print("papi_profile --exact -e emu::FP_DIVIDE_INSTRUCTIONS -e emu::FP_SQRT_INSTRUCTIONS %s",
                     judge->command);
    free(cycles);
}

static bool is_floating(const char *work)
{
    static const char *const words[] = {"add", "multiply", "fma", "other", "compare"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(work, words[i]) == 0)
            return true;
    return false;
}

static void judge_chain(struct judge *judge)
{
    const struct why_loop *loop = judge->loop;
    double chain = loop->chain_cycles;
    bool memory = strcmp(loop->chain_work, "stored") == 0; /* newer processors need no time for that */
    if (!loop->innermost || loop->calls > 0 || chain < 1.5 * loop->at_least || chain < 2 ||
        (judge->cycles > 0 && (chain < 0.5 * judge->cycles || judge->cycles < 0.5 * chain)) ||
        loop->unknown > 0)
        return;
    /* A sum can have the line on which it begins, before the loop. */
    const struct where *at = loop->chain.line < loop->hottest.line ? &loop->hottest : &loop->chain;
    enum confidence confidence = judge->cycles == 0                        ? CONFIDENCE_POSSIBLE
                                 : chain >= 0.6 * judge->cycles && !memory ? CONFIDENCE_CERTAIN
                                                                           : CONFIDENCE_LIKELY;
    char *cycles = cycles_text(judge);
    struct why_reason *reason = say(judge, REASON_DEPENDENT, confidence, at);
    reason->sentence = memory_print(
        "dependent operations: each iteration waits at least %.0f cycles for the %s of the "
        "iteration before, where the units need %.1f; %s%s",
        chain,
        memory                          ? "number stored in memory"
        : is_floating(loop->chain_work) ? "result"
                                        : "value",
        loop->at_least, cycles,
        is_floating(loop->chain_work) && loop->vector <= loop->scalar ? "; so it is not vectorised, either"
                                                                      : "");
    reason->helps =
        memory_text(is_floating(loop->chain_work)
                        ? "a sum: another order of additions (!$omp simd reduction(+:s), -ffast-math), "
                          "several sums at once; else another loop as the inner one"
                        : "keep what is added to in a register (a local variable), or several at once");
    free(cycles);
}

/* ---- others */

/* Two threads on one core take up to twice the time, and threads that fetch from memory share what it
 * delivers: neither is false sharing. */
static void judge_sharing(struct judge *judge)
{
    const double least = 2.2, certain = 4, few = 0.05;
    const struct why_loop *loop = judge->loop;
    double factor = loop->seconds_alone > 0 ? loop->seconds / loop->seconds_alone : 0;
    if (judge->facts->threads < 2 || factor < least || loop->stores + loop->atomics == 0 ||
        a_turn(loop, loop->l1_misses) > few)
        return;
    bool atomic = loop->atomics > 0;
    struct why_reason *reason = say(judge, REASON_SHARING,
                                    !loop->counted     ? CONFIDENCE_POSSIBLE
                                    : factor > certain ? CONFIDENCE_CERTAIN
                                                       : CONFIDENCE_LIKELY,
                                    atomic ? &loop->locked : &loop->stored);
    reason->sentence =
        memory_print("threads disturb one another: it takes %.1f times the processor time that it takes "
                     "when all threads have one processor, as when several write to one line of the "
                     "cache%s",
                     factor, atomic ? " with atomic operations" : " (false sharing)");
    reason->helps =
        memory_text(atomic ? "a sum of each thread's own, added at the end"
                           : "numbers of different threads 64 bytes apart or more, or in variables that "
                             "are private until the end");
    reason->ask = memory_print("OMP_THREAD_LIMIT=1 papi_profile %s", judge->command);
}

/* Mispredictions that the processor counted: in cycles that each costs at the least, against all that the
 * loop takes. */
static double mispredicted_share(const struct why_loop *loop)
{
    const double penalty = 15;
    const struct measured *measured = &loop->measured;
    return measured->known && measured->mispredictions >= 0
               ? penalty * measured->mispredictions / measured->cycles
               : -1;
}

static void judge_measured_branch(struct judge *judge)
{
    const struct why_loop *loop = judge->loop;
    const struct measured *measured = &loop->measured;
    double share = mispredicted_share(loop);
    if (share < 0.4)
        return;
    struct why_reason *reason = say(judge, REASON_BRANCH, CONFIDENCE_CERTAIN,
                                    loop->undecided.line > 0 ? &loop->undecided : &loop->branch);
    reason->sentence =
        memory_print("branch mispredictions: one every %.0f cycles, by the processor's counters, and each "
                     "takes about 15 or more",
                     measured->cycles / measured->mispredictions);
    reason->helps =
        memory_text("sort the data, or let the loop compute both ways and select (merge, min, max)");
    reason->ask = memory_print("papi_profile -e PAPI_BR_MSP %s", judge->command);
}

static void judge_branch(struct judge *judge)
{
    const struct why_loop *loop = judge->loop;
    double undecided = a_turn(loop, loop->undecided_turns);
    double more = judge->cycles - fmax(loop->chain_cycles, loop->at_least) - miss_cycles(judge);
    if (mispredicted_share(loop) >= 0) /* they were counted, and are few */
        return;
    if (!loop->counted || undecided < 0.05 || more < 4 * undecided || more < 0.4 * judge->cycles)
        return;
    struct why_reason *reason = say(judge, REASON_BRANCH, CONFIDENCE_LIKELY, &loop->undecided);
    reason->sentence =
        memory_print("branch mispredictions: a branch that goes the other way in %.0f %% of the iterations, "
                     "and %.1f cycles an iteration of which the instructions explain %.1f",
                     undecided * 100, judge->cycles, fmax(loop->chain_cycles, loop->at_least));
    reason->helps =
        memory_text("sort the data, or let the loop compute both ways and select (merge, min, max)");
    reason->ask = memory_print("papi_profile --exact -e emu::TAKEN_BRANCHES -e emu::NOT_TAKEN_BRANCHES %s",
                               judge->command);
}

static void judge_optimisation(struct judge *judge)
{
    const struct why_loop *loop = judge->loop;
    if (loop->optimised || loop->stack < 2)
        return;
    struct why_reason *reason = say(judge, REASON_UNOPTIMISED, CONFIDENCE_CERTAIN, &loop->hottest);
    reason->sentence =
        memory_print("compiled without optimisation: %d of %d accesses to memory in an iteration are for "
                     "variables that would be in registers",
                     loop->stack, loop->loads + loop->stores);
    reason->helps = memory_text("-O2 or -O3; -g does not make it slower");
}

static void judge_conversion(struct judge *judge)
{
    const struct why_loop *loop = judge->loop;
    if (loop->converts < 1 || loop->calls > 0 || 2 * loop->converts < loop->scalar + loop->vector ||
        (judge->cycles > 0 && judge->cycles > 3 * fmax(loop->at_least, loop->chain_cycles)))
        return;
    struct why_reason *reason = say(judge, REASON_CONVERSION, CONFIDENCE_LIKELY, &loop->convert);
    char *cycles = cycles_text(judge);
    reason->sentence =
        memory_print("conversions between integers, single and double precision: %d in an iteration beside "
                     "%d operations; %s",
                     loop->converts, loop->scalar + loop->vector, cycles);
    reason->helps =
        memory_text("variables and constants of one kind (1.0_real64, not 1.0); -Wconversion-extra and "
                    "-Wdouble-promotion name them");
    reason->ask = memory_print("papi_profile --exact -e emu::FP_CONVERSIONS %s", judge->command);
    free(cycles);
}

static const char *why_not_vectorised(const struct why_loop *loop)
{
    return loop->calls > 0            ? "it calls a function"
           : loop->indirect_loads > 0 ? "its addresses come from an index"
           : loop->branches > 1       ? "it has branches inside"
           : loop->chain_cycles >= 3  ? "each iteration takes a result of the one before"
                                      : "perhaps arrays may overlap, or the compiler was not asked (-O3)";
}

static void judge_vectors(struct judge *judge)
{
    const struct why_loop *loop = judge->loop;
    if (loop->scalar == 0 || loop->vector > loop->scalar || loop->calls > 0 || !loop->innermost ||
        !loop->is_loop || loop->scalar < 0.2 * (loop->loads + loop->stores) ||
        (judge->cycles > 0 && judge->cycles > 2.5 * loop->at_least))
        return;
    struct why_reason *reason =
        say(judge, REASON_UNVECTORISED, judge->cycles > 0 ? CONFIDENCE_LIKELY : CONFIDENCE_POSSIBLE,
            &loop->hottest);
    char *cycles = cycles_text(judge);
    reason->sentence =
        memory_print("not vectorised: one number at a time, where the processor could do several; %s; %s",
                     cycles, why_not_vectorised(loop));
    reason->helps = memory_text("-O3 -march=native, and -fopt-info-vec-missed says what is in the way");
    free(cycles);
}

static void judge_units(struct judge *judge)
{
    const struct why_loop *loop = judge->loop;
    if (judge->cycles == 0 || judge->cycles > 1.8 * loop->at_least)
        return;
    struct why_reason *reason = say(judge, REASON_UNITS, CONFIDENCE_LIKELY, &loop->hottest);
    reason->sentence =
        memory_print("instructions: %.1f cycles an iteration, about what the processor needs for them (%.1f)",
                     judge->cycles, loop->at_least);
    reason->helps = memory_text("fewer instructions: another algorithm, wider vectors (-march=native)");
}

static void say_unknown(struct judge *judge)
{
    const struct why_loop *loop = judge->loop;
    struct why_reason *reason = say(judge, REASON_UNKNOWN, CONFIDENCE_NONE, &loop->hottest);
    if (judge->cycles > 0)
        reason->sentence =
            memory_print("not known: %.1f cycles an iteration, of which the units need %.1f and the longest "
                         "chain of operations %.1f; %.2f misses of the first cache an iteration",
                         judge->cycles, loop->at_least, loop->chain_cycles, a_turn(loop, loop->l1_misses));
    else
        reason->sentence = memory_text("not known");
    reason->ask = memory_print("papi_profile -x html %s", judge->command);
}

void loops_judge(struct reasons *reasons, const struct facts *facts, const struct why_loop *loop,
                 const char *command)
{
    static void (*const all[])(struct judge *) = {
        judge_chase,  judge_sharing, judge_bandwidth,  judge_distance, judge_division,
        judge_branch, judge_chain,   judge_conversion, judge_vectors,  judge_units,
    };
    struct judge judge = {.reasons = reasons, .facts = facts, .loop = loop, .command = command};
    if (loop->counted && loop->turns > 0)
        judge.cycles =
            (loop->measured.known ? loop->measured.cycles : loop->seconds * facts->cycles) / loop->turns;
    if (loop->known)
        judge_optimisation(&judge);
    if (!judge.found)
        judge_measured_branch(&judge); /* also where its code is not known */
    for (size_t i = 0; i < sizeof all / sizeof *all && !judge.found && loop->known; i++)
        all[i](&judge);
    if (!judge.found)
        say_unknown(&judge);
}

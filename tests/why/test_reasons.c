/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reasons from facts: each kind by a loop or run that has it, and none where the facts do not suffice.
 */
#include "tools/common/allocate.h"
#include "why/reasons.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
/* after those that it needs */
#include <cmocka.h>

_Noreturn void memory_is_out(void)
{
    abort();
}

#define AT(number)                                                                                           \
    {                                                                                                        \
        .routine = "r", .file = "f.f90", .line = (number)                                                    \
    }
#define EVERYWHERE(number)                                                                                   \
    .hottest = AT(number), .chain = AT(number), .divide = AT(number), .root = AT(number),                    \
    .convert = AT(number), .integer_divide = AT(number), .indirect = AT(number), .far = AT(number),          \
    .strided = AT(number), .branch = AT(number), .call = AT(number), .locked = AT(number),                   \
    .stored = AT(number), .undecided = AT(number)

/* A loop of 1e9 turns in one second at 4 GHz: four cycles a turn. */
static const struct why_loop usual = {.object = "a.out",
                                      EVERYWHERE(7),
                                      .is_loop = true,
                                      .innermost = true,
                                      .optimised = true,
                                      .known = true,
                                      .seconds = 1,
                                      .seconds_alone = -1,
                                      .counted = true,
                                      .turns = 1e9,
                                      .instructions = 1e10,
                                      .loads = 1,
                                      .branches = 1,
                                      .at_least = 1,
                                      .chain_cycles = 1,
                                      .chain_share = 1,
                                      .stride = 8,
                                      .chain_work = "integer"};

static const struct facts run = {.wall = 1,
                                 .user = 1,
                                 .threads = 1,
                                 .processors = 8,
                                 .cycles = 4e9,
                                 .of_a_fault = 0.5e-6,
                                 .sampled = 1,
                                 .counted = true,
                                 .decoded = true};

static void expect(const struct facts *facts, enum reason_kind kind, enum confidence confidence, int line)
{
    struct reasons reasons = {.n = 0};
    reasons_find(&reasons, facts, "./a.out");
    if (reasons.n == 0)
        fail_msg("no reason, not %s", reason_names[kind]);
    const struct why_reason *first = &reasons.reason[0];
    if (first->kind != kind || first->confidence != confidence || first->at.line != line)
        fail_msg("%s, %s, line %d: not %s, %s, %d", reason_names[first->kind],
                 confidence_names[first->confidence], first->at.line, reason_names[kind],
                 confidence_names[confidence], line);
    assert_non_null(first->sentence);
    reasons_free(&reasons);
}

/* The first reason is of the kind and line, and has these words in its sentence and in what helps. */
static void expect_words(const struct facts *facts, enum reason_kind kind, int line, const char *words,
                         const char *helps)
{
    struct reasons reasons = {.n = 0};
    reasons_find(&reasons, facts, "./a.out");
    assert_true(reasons.n > 0);
    const struct why_reason *first = &reasons.reason[0];
    if (first->kind != kind || first->at.line != line || strstr(first->sentence, words) == NULL ||
        strstr(first->helps, helps) == NULL)
        fail_msg("%s, line %d: %s: %s", reason_names[first->kind], first->at.line, first->sentence,
                 first->helps);
    reasons_free(&reasons);
}

static void expect_loop(struct why_loop loop, enum reason_kind kind, enum confidence confidence)
{
    struct facts facts = run;
    facts.loop = &loop;
    facts.n_loops = 1;
    facts.one_core = 20e9;
    facts.all_cores = 80e9;
    expect(&facts, kind, confidence, 7);
}

#define LOOP(...)                                                                                            \
    ({                                                                                                       \
        struct why_loop loop = usual;                                                                        \
        __VA_ARGS__;                                                                                         \
        loop;                                                                                                \
    })

static void test_memory(void **state)
{
    (void)state;
    expect_loop(LOOP(loop.last_reads = 0.25e9), REASON_BANDWIDTH, CONFIDENCE_CERTAIN);
    expect_loop(LOOP(loop.last_reads = 0.15e9), REASON_BANDWIDTH, CONFIDENCE_LIKELY);
    expect_loop(LOOP(loop.chases = true, loop.chain_cycles = 4, loop.l1_misses = 1e9), REASON_LATENCY,
                CONFIDENCE_CERTAIN);
    expect_loop(LOOP(loop.chases = true, loop.chain_cycles = 4, loop.counted = false, loop.turns = 0),
                REASON_LATENCY, CONFIDENCE_LIKELY);
    expect_loop(LOOP(loop.stride = 8000, loop.l1_misses = 1e9), REASON_STRIDE, CONFIDENCE_CERTAIN);
    expect_loop(LOOP(loop.far_accesses = 1, loop.l1_misses = 1e9), REASON_STRIDE, CONFIDENCE_CERTAIN);
    expect_loop(LOOP(loop.stride = 8000, loop.counted = false, loop.turns = 0), REASON_STRIDE,
                CONFIDENCE_POSSIBLE);
    expect_loop(LOOP(loop.indirect_loads = 1, loop.l1_misses = 1e9), REASON_SCATTERED, CONFIDENCE_CERTAIN);
    expect_loop(LOOP(loop.indirect_loads = 1, loop.l1_misses = 1e9, loop.calls = 1), REASON_SCATTERED,
                CONFIDENCE_LIKELY);
}

static void test_arithmetic(void **state)
{
    (void)state;
    expect_loop(LOOP(loop.divides = 1, loop.divider = 4.5, loop.vector = 1, loop.at_least = 4.5),
                REASON_DIVISION, CONFIDENCE_CERTAIN);
    expect_loop(LOOP(loop.roots = 1, loop.divider = 6, loop.scalar = 1, loop.at_least = 6), REASON_DIVISION,
                CONFIDENCE_CERTAIN);
    expect_loop(LOOP(loop.chain_cycles = 3, loop.chain_work = "add", loop.scalar = 1), REASON_DEPENDENT,
                CONFIDENCE_CERTAIN);
    expect_loop(LOOP(loop.chain_cycles = 4, loop.chain_work = "stored"), REASON_DEPENDENT, CONFIDENCE_LIKELY);
    expect_loop(LOOP(loop.converts = 2, loop.scalar = 2, loop.at_least = 2), REASON_CONVERSION,
                CONFIDENCE_LIKELY);
    expect_loop(LOOP(loop.scalar = 2, loop.at_least = 2), REASON_UNVECTORISED, CONFIDENCE_LIKELY);
    expect_loop(LOOP(loop.optimised = false, loop.stack = 5), REASON_UNOPTIMISED, CONFIDENCE_CERTAIN);
    expect_loop(LOOP(loop.vector = 4, loop.at_least = 3.5), REASON_UNITS, CONFIDENCE_LIKELY);
}

static void test_others(void **state)
{
    (void)state;
    expect_loop(LOOP(loop.undecided_turns = 0.4e9, loop.turns = 0.4e9, loop.undecided_turns = 0.2e9),
                REASON_BRANCH, CONFIDENCE_LIKELY);
    expect_loop(usual, REASON_UNKNOWN, CONFIDENCE_NONE);
    expect_loop(LOOP(loop.known = false), REASON_UNKNOWN, CONFIDENCE_NONE);
    expect_loop(LOOP(loop.chain_cycles = 3, loop.chain_work = "add", loop.chain.line = 5), REASON_DEPENDENT,
                CONFIDENCE_CERTAIN);
    /* Misses that cost nothing beside a chain: the chain is it. */
    expect_loop(
        LOOP(loop.stride = 8000, loop.l1_misses = 1e9, loop.chain_cycles = 3.5, loop.chain_work = "add"),
        REASON_DEPENDENT, CONFIDENCE_CERTAIN);
    expect_loop(LOOP(loop.chain_cycles = 3, loop.chain_work = "add", loop.counted = false, loop.turns = 0),
                REASON_DEPENDENT, CONFIDENCE_POSSIBLE);
    /* A long chain explains no loop that is faster than it, and an index in order costs nothing. */
    expect_loop(LOOP(loop.chain_cycles = 20, loop.chain_work = "add"), REASON_UNKNOWN, CONFIDENCE_NONE);
    expect_loop(LOOP(loop.indirect_loads = 1), REASON_UNKNOWN, CONFIDENCE_NONE);
    expect_loop(LOOP(loop.indirect_loads = 1, loop.counted = false, loop.turns = 0), REASON_UNKNOWN,
                CONFIDENCE_NONE);
    expect_loop(LOOP(loop.undecided_turns = 0.5e9, loop.chain_cycles = 4, loop.at_least = 3), REASON_UNITS,
                CONFIDENCE_LIKELY);
}

static void test_few_samples(void **state)
{
    struct why_loop loop = usual;
    struct facts facts = run;
    (void)state;
    facts.loop = &loop;
    facts.n_loops = 1;
    loop.chain_cycles = 3;
    loop.chain_work = "add";
    expect(&facts, REASON_DEPENDENT, CONFIDENCE_CERTAIN, 7);
    facts.sampled = loop.seconds = 0.04;
    loop.turns *= 0.04;
    expect(&facts, REASON_DEPENDENT, CONFIDENCE_POSSIBLE, 7);
}

static void test_threads(void **state)
{
    struct why_loop loop = usual;
    struct facts facts = run;
    (void)state;
    facts.loop = &loop;
    facts.n_loops = 1;
    facts.threads = 4;
    loop.stores = 1;
    loop.seconds_alone = 0.2;
    expect(&facts, REASON_SHARING, CONFIDENCE_CERTAIN, 7);
    loop.seconds_alone = 0.4;
    expect(&facts, REASON_SHARING, CONFIDENCE_LIKELY, 7);
    /* Two threads of one core, and threads that share what memory delivers. */
    loop.seconds_alone = 0.5;
    expect(&facts, REASON_UNKNOWN, CONFIDENCE_NONE, 7);
    loop.l1_misses = 0.1e9;
    loop.seconds_alone = 0.2;
    expect(&facts, REASON_UNKNOWN, CONFIDENCE_NONE, 7);
    facts.serial = 0.9;
    facts.busiest = 1;
    facts.mean = 0.3;
    loop.seconds = 0.05;
    expect(&facts, REASON_BALANCE, CONFIDENCE_CERTAIN, 7);
    /* Two hundredths of a second beside one are no difference: that is how they are counted. */
    loop = usual;
    loop.l1_misses = 0.1e9;
    facts.serial = 0;
    facts.threads = 2;
    facts.busiest = 0.02;
    facts.mean = 0.01;
    expect(&facts, REASON_UNKNOWN, CONFIDENCE_NONE, 7);
    facts.busiest = 2;
    facts.mean = 1;
    loop.seconds = 0.05;
    expect(&facts, REASON_BALANCE, CONFIDENCE_LIKELY, 7);
}

static void test_waiting(void **state)
{
    struct why_wait wait = {.kind = WAIT_SLEEP, .at = AT(9), .call = "nanosleep", .file = "", .share = 0.8};
    struct facts facts = run;
    (void)state;
    facts.idle = 0.8;
    facts.looks = 100;
    facts.wait = &wait;
    facts.n_waits = 1;
    expect(&facts, REASON_SLEEP, CONFIDENCE_CERTAIN, 9);
    facts.looks = 10;
    expect(&facts, REASON_SLEEP, CONFIDENCE_POSSIBLE, 9);
    facts.looks = 100;
    wait.kind = WAIT_LOCK;
    expect(&facts, REASON_LOCK, CONFIDENCE_CERTAIN, 9);
    wait.kind = WAIT_FILE;
    expect(&facts, REASON_FILE, CONFIDENCE_CERTAIN, 9);
    wait.at.line = 0;
    expect(&facts, REASON_FILE, CONFIDENCE_LIKELY, 0);
}

static void test_kernel(void **state)
{
    struct why_loop loop = usual;
    struct why_callee callee = {
        .routine = "write", .object = "/lib/libc.so.6", .at = AT(12), .seconds = 0.01};
    struct facts facts = run;
    (void)state;
    facts.loop = &loop;
    facts.n_loops = 1;
    facts.callee = &callee;
    facts.n_callees = 1;
    facts.user = 0.2;
    facts.system = 0.8;
    facts.writes = 1e6;
    facts.bytes_written = 32e6;
    expect(&facts, REASON_SYSTEM_CALLS, CONFIDENCE_LIKELY, 12);
    facts.faults = 1e6;
    loop.faults = 1000;
    expect(&facts, REASON_PAGE_FAULTS, CONFIDENCE_LIKELY, 7);
    /* The loop has another reason beside. */
    loop.last_reads = 0.25e9;
    facts.one_core = 20e9;
    facts.user = 0.45;
    facts.system = 0.55;
    struct reasons reasons = {.n = 0};
    reasons_find(&reasons, &facts, "./a.out");
    assert_int_equal(reasons.n, 2);
    assert_int_equal(reasons.reason[1].kind, REASON_BANDWIDTH);
    reasons_free(&reasons);
    facts.user = 1;
    facts.system = 0;
    callee.seconds = 0.9;
    loop.seconds = 0.05;
    expect(&facts, REASON_LIBRARY, CONFIDENCE_CERTAIN, 12);
}

/* Calls that open and close files, write, or allocate: the line is that of the task which most of them have.
 */
static void test_calls(void **state)
{
    struct why_callee callee[] = {
        {.routine = "_gfortran_st_open", .object = "/lib/libgfortran.so.5", .at = AT(12), .seconds = 0.02},
        {.routine = "_gfortran_st_write", .object = "/lib/libgfortran.so.5", .at = AT(13), .seconds = 0.04},
        {.routine = "malloc", .object = "/lib/libc.so.6", .at = AT(14), .seconds = 0.01},
    };
    struct facts facts = run;
    (void)state;
    callee[0].of_kind[CALL_OPEN] = 0.02;
    callee[1].of_kind[CALL_TRANSFER] = 0.04;
    callee[2].of_kind[CALL_ALLOCATE] = 0.01;
    facts.callee = callee;
    facts.n_callees = 3;
    facts.user = 0.2;
    facts.system = 0.8;
    facts.writes = 1e5;
    facts.bytes_written = 32e5;
    expect_words(&facts, REASON_SYSTEM_CALLS, 12, "files are opened and closed beside 100000 reads", "once");
    facts.calls[CALL_OPEN] = 3e5;
    facts.calls[CALL_TRANSFER] = 1e5;
    expect_words(&facts, REASON_SYSTEM_CALLS, 12, "asked for 300000 times, beside 100000 reads", "once");
    facts.calls[CALL_OPEN] = 6;
    expect_words(&facts, REASON_SYSTEM_CALLS, 13, "100000 reads and writes of 32 bytes each", "pieces");
    facts.calls[CALL_ALLOCATE] = 3e5;
    expect_words(&facts, REASON_SYSTEM_CALLS, 14, "given back 300000 times", "allocate once");
    memset(facts.calls, 0, sizeof facts.calls);
    callee[0].of_kind[CALL_OPEN] = 0.001;
    expect_words(&facts, REASON_SYSTEM_CALLS, 13, "100000 reads and writes of 32 bytes each", "pieces");
}

/* Advice for Fortran's library is by what its function does. A library without names has none said. */
static void test_fortran_library(void **state)
{
    struct why_callee callee = {.object = "/lib/libgfortran.so.5", .at = AT(9), .seconds = 0.6};
    struct facts facts = run;
    (void)state;
    facts.callee = &callee;
    facts.n_callees = 1;
    callee.routine = "_gfortran_st_write";
    expect_words(&facts, REASON_LIBRARY, 9, "mostly _gfortran_st_write of libgfortran.so.5", "records");
    callee.routine = "libgfortran.so.5+0x2623ae";
    expect_words(&facts, REASON_LIBRARY, 9, "mostly in libgfortran.so.5", "into text and back");
    callee.routine = "_gfortran_string_index";
    expect_words(&facts, REASON_LIBRARY, 9, "mostly _gfortran_string_index", "each text once");
    callee.routine = "_gfortran_compare_string";
    expect_words(&facts, REASON_LIBRARY, 9, "mostly _gfortran_compare_string", "each text once");
    callee.routine = "_gfortran_matmul_r8";
    expect_words(&facts, REASON_LIBRARY, 9, "mostly _gfortran_matmul_r8", "-fexternal-blas");
}

/* A line that copies is named, whatever else is known or not known of it. */
static void test_copies(void **state)
{
    struct why_callee callee = {.routine = "memcpy", .object = "/lib/libc.so.6", .at = AT(7), .seconds = 0.6};
    struct why_loop loop = usual;
    struct facts facts = run;
    struct reasons reasons = {.n = 0};
    (void)state;
    callee.of_kind[CALL_COPY] = 0.5;
    facts.callee = &callee;
    facts.n_callees = 1;
    expect_words(&facts, REASON_COPIES, 7, "(memcpy of libc.so.6)", "contiguous");
    callee.of_kind[CALL_ALLOCATE] = 0.1;
    expect_words(&facts, REASON_COPIES, 7, "grows by appending", "twice as much");
    /* A loop of the line, which counts nothing and is not known, is part of it. */
    loop.seconds = 0.4;
    loop.known = false;
    facts.loop = &loop;
    facts.n_loops = 1;
    reasons_find(&reasons, &facts, "./a.out");
    assert_int_equal(reasons.n, 1);
    assert_int_equal(reasons.reason[0].kind, REASON_COPIES);
    assert_true(fabs(reasons.reason[0].share - 1) < 1e-9);
    reasons_free(&reasons);
    /* So is one that is known and computes nothing; but not one that computes. */
    loop.known = true;
    loop.at_least = 1.6;
    loop.seconds = 0.4;
    reasons = (struct reasons){.n = 0};
    reasons_find(&reasons, &facts, "./a.out");
    assert_int_equal(reasons.n, 1);
    reasons_free(&reasons);
    loop.vector = 1;
    reasons = (struct reasons){.n = 0};
    reasons_find(&reasons, &facts, "./a.out");
    assert_int_equal(reasons.n, 2);
    reasons_free(&reasons);
    /* Its pages, too. */
    facts.user = 0.25;
    facts.system = 0.75;
    facts.faults = callee.faults = 1e6;
    expect_words(&facts, REASON_PAGE_FAULTS, 7, "copies what it allocates", "twice as much");
    callee.of_kind[CALL_COPY] = 0;
    expect_words(&facts, REASON_PAGE_FAULTS, 7, "1000000 pages", "allocate once");
}

/* Bandwidth that is spent on parts of lines. */
static void test_parts(void **state)
{
    struct why_loop loop = usual;
    struct facts facts = run;
    (void)state;
    loop.last_reads = 0.25e9;
    facts.one_core = 20e9;
    facts.loop = &loop;
    facts.n_loops = 1;
    expect_words(&facts, REASON_BANDWIDTH, 7, "80 % of what one core can", "fewer bytes");
    loop.stride = 128;
    expect_words(&facts, REASON_BANDWIDTH, 7, "moves on by 128 bytes", "each component");
}

static void test_power(void **state)
{
    struct why_callee callee = {
        .routine = "_ZGVbN2vv_pow_sse4", .object = "/lib/libmvec.so.1", .at = AT(7), .seconds = 1};
    struct facts facts = run;
    (void)state;
    facts.callee = &callee;
    facts.n_callees = 1;
    expect_words(&facts, REASON_LIBRARY, 7, "pow_sse4 of libmvec.so.1", "exponent");
}

static void test_call_kinds(void **state)
{
    static const struct {
        const char *routine;
        enum call_kind kind;
    } rows[] = {
        {"__memcpy_avx_unaligned_erms", CALL_COPY},
        {"_gfortran_concat_string", CALL_COPY},
        {"__libc_open64", CALL_OPEN},
        {"__open64_nocancel", CALL_OPEN},
        {"_gfortran_st_open", CALL_OPEN},
        {"__fstatat64", CALL_OPEN},
        {"__GI___close", CALL_OPEN},
        {"_gfortran_st_write_done", CALL_TRANSFER},
        {"_IO_fwrite", CALL_TRANSFER},
        {"write", CALL_TRANSFER},
        {"_gfortran_transfer_real_write", CALL_TRANSFER},
        {"_int_malloc", CALL_ALLOCATE},
        {"__libc_realloc", CALL_ALLOCATE},
        {"cfree@GLIBC_2.2.5", CALL_OTHER},
        {"freezing", CALL_OTHER},
        {"opendir", CALL_OTHER},
        {"sin", CALL_OTHER},
        {"", CALL_OTHER},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (call_kind_of(rows[i].routine) != rows[i].kind)
            fail_msg("%s is %d, not %d", rows[i].routine, call_kind_of(rows[i].routine), rows[i].kind);
}

/* Waiting in OpenMP's library is one reason, from wherever it was called. */
static void test_openmp(void **state)
{
    struct why_callee callee[2] = {
        {.routine = "r", .object = "/lib/libgomp.so.1", .at = AT(12), .seconds = 0.4},
        {.routine = "r", .object = "/lib/libgomp.so.1", .at = {.routine = "", .file = ""}, .seconds = 0.3},
    };
    struct facts facts = run;
    struct reasons reasons = {.n = 0};
    (void)state;
    facts.callee = callee;
    facts.n_callees = 2;
    reasons_find(&reasons, &facts, "./a.out");
    assert_int_equal(reasons.n, 1);
    assert_int_equal(reasons.reason[0].kind, REASON_WAIT);
    assert_int_equal(reasons.reason[0].at.line, 12);
    assert_true(reasons.reason[0].share > 0.69 && reasons.reason[0].share < 0.71);
    reasons_free(&reasons);
    /* A line of a parallel part waits by itself. */
    reasons = (struct reasons){.n = 0};
    callee[0].within = true;
    reasons_find(&reasons, &facts, "./a.out");
    assert_int_equal(reasons.n, 2);
    assert_int_equal(reasons.reason[0].kind, REASON_LOCK);
    assert_int_equal(reasons.reason[0].at.line, 12);
    assert_int_equal(reasons.reason[1].kind, REASON_WAIT);
    reasons_free(&reasons);
}

/* A wait that is known comes before a loop with a little more time that nothing explains; one with more than
 * twice its time stays first. */
static void test_order(void **state)
{
    struct why_callee callee = {
        .routine = "r", .object = "/lib/libgomp.so.1", .at = AT(12), .seconds = 0.4, .within = true};
    struct why_loop loop = usual;
    struct facts facts = run;
    struct reasons reasons = {.n = 0};
    (void)state;
    loop.seconds = 0.6;
    loop.turns = 1e7; /* 240 cycles each */
    facts.loop = &loop;
    facts.callee = &callee;
    facts.n_loops = facts.n_callees = 1;
    reasons_find(&reasons, &facts, "./a.out");
    assert_int_equal(reasons.n, 2);
    assert_int_equal(reasons.reason[0].kind, REASON_LOCK);
    assert_int_equal(reasons.reason[1].kind, REASON_UNKNOWN);
    reasons_free(&reasons);
    loop.seconds = 0.7;
    callee.seconds = 0.3;
    expect(&facts, REASON_UNKNOWN, CONFIDENCE_NONE, 7);
}

/* Time in the library of MPI is waiting, with the command that says for whom; a job's ranks are called so. */
static void test_job(void **state)
{
    struct why_callee callee = {
        .routine = "PMPI_Reduce", .object = "/usr/lib/libmpich.so.12", .at = AT(12), .seconds = 0.4};
    struct facts facts = run;
    struct reasons reasons = {.n = 0};
    (void)state;
    facts.callee = &callee;
    facts.n_callees = 1;
    facts.ranks = facts.threads = 2;
    facts.serial = 0.7;
    reasons_find(&reasons, &facts, "mpirun.mpich -n 2 ./a.out");
    assert_int_equal(reasons.n, 2);
    assert_int_equal(reasons.reason[0].kind, REASON_BALANCE);
    assert_non_null(strstr(reasons.reason[0].sentence, "one rank of 2 works"));
    assert_int_equal(reasons.reason[1].kind, REASON_WAIT);
    assert_int_equal(reasons.reason[1].at.line, 12);
    assert_string_equal(reasons.reason[1].ask, "papi_mpirun -n 2 ./a.out");
    reasons_free(&reasons);
}

/* Mispredictions that the processor counted are certain, and where it counted few they are none; without
 * counters the same loop's can only be likely. Misses that it counted are bytes, too. */
static void test_measured(void **state)
{
    struct why_loop loop = usual;
    (void)state;
    loop.measured = (struct measured){
        .known = true, .cycles = 4e9, .instructions = 1e10, .mispredictions = 2e8, .last_misses = 0};
    expect_loop(loop, REASON_BRANCH, CONFIDENCE_CERTAIN);
    loop.known = false;
    expect_loop(loop, REASON_BRANCH, CONFIDENCE_CERTAIN);
    loop.known = true;
    loop.measured.mispredictions = 1e6;
    loop.undecided_turns = 0.3e9;
    expect_loop(loop, REASON_UNKNOWN, CONFIDENCE_NONE);
    loop.measured.mispredictions = -1;
    expect_loop(loop, REASON_BRANCH, CONFIDENCE_LIKELY);
    loop.measured.known = false;
    expect_loop(loop, REASON_BRANCH, CONFIDENCE_LIKELY);
    loop.undecided_turns = 0;
    loop.counted = false;
    loop.measured = (struct measured){
        .known = true, .cycles = 4e9, .instructions = 1e10, .mispredictions = 0, .last_misses = 0.25e9};
    expect_loop(loop, REASON_BANDWIDTH, CONFIDENCE_CERTAIN); /* 16 GB/s of 20 */
    loop.measured.last_misses = 0.05e9;
    expect_loop(loop, REASON_UNKNOWN, CONFIDENCE_NONE);
}

/* Two loops of one line with one reason are one entry, and one of another line is its own. */
static void test_versions(void **state)
{
    struct why_loop loop[3] = {usual, usual, usual};
    struct facts facts = run;
    struct reasons reasons = {.n = 0}, joined = {.n = 0};
    (void)state;
    for (int i = 0; i < 3; i++)
        loop[i].divides = 1, loop[i].divider = 4.5;
    loop[0].seconds = 0.4;
    loop[1].seconds = 0.35;
    loop[2].seconds = 0.25;
    loop[0].turns = loop[1].turns = 0.2e9;
    loop[1].counted = false;
    loop[0].divide.line = loop[0].hottest.line = 9;
    loop[2].turns = 0.1e9;
    loop[2].divide.line = 9;
    loop[2].hottest.line = 9;
    facts.loop = loop;
    facts.n_loops = 3;
    reasons_find(&reasons, &facts, "./a.out");
    assert_int_equal(reasons.n, 2);
    assert_int_equal(reasons.reason[0].at.line, 9);
    assert_true(fabs(reasons.reason[0].share - 0.65) < 1e-9);
    assert_ptr_equal(reasons.reason[0].loop, &loop[0]);
    assert_int_equal(reasons.reason[0].confidence, CONFIDENCE_CERTAIN);
    assert_int_equal(reasons.reason[1].at.line, 7);
    assert_int_equal(reasons.reason[1].confidence, CONFIDENCE_LIKELY);
    reasons_free(&reasons);
    /* Joined, all three are as sure as the least sure one. */
    loop[0].divide.line = loop[2].divide.line = 7;
    reasons_find(&joined, &facts, "./a.out");
    assert_int_equal(joined.n, 1);
    assert_true(fabs(joined.reason[0].share - 1) < 1e-9);
    assert_int_equal(joined.reason[0].confidence, CONFIDENCE_LIKELY);
    reasons_free(&joined);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_memory),          cmocka_unit_test(test_arithmetic),
        cmocka_unit_test(test_others),          cmocka_unit_test(test_threads),
        cmocka_unit_test(test_few_samples),     cmocka_unit_test(test_openmp),
        cmocka_unit_test(test_waiting),         cmocka_unit_test(test_kernel),
        cmocka_unit_test(test_versions),        cmocka_unit_test(test_calls),
        cmocka_unit_test(test_copies),          cmocka_unit_test(test_power),
        cmocka_unit_test(test_parts),           cmocka_unit_test(test_call_kinds),
        cmocka_unit_test(test_measured),        cmocka_unit_test(test_job),
        cmocka_unit_test(test_fortran_library), cmocka_unit_test(test_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Branches and iterations of loops from records of the last branches. The records are made here, as the
 * kernel writes them: all that a processor could take of a program that runs the same way for ever, one
 * beginning with each of its branches. So each piece of the program is in as many of them as each other, and
 * what is found is exact, however few branches a record has.
 */
#include "made_records.h"
#include "tools/common/allocate.h"

void memory_is_out(void)
{
    abort();
}

/* Code that nobody runs: the branches' addresses are in it. */
void branched_code(void);
void branched_caller(void);
__asm__(
    ".text\n"
    ".type branched_code, %function\nbranched_code: .fill 64, 4, 0\n.size branched_code, . - branched_code\n"
    ".type branched_caller, %function\nbranched_caller: .fill 64, 4, 0\n"
    ".size branched_caller, . - branched_caller");

enum { UNKNOWN, CONDITIONAL, JUMP, INDIRECT, CALL, INDIRECT_CALL, RETURN };

struct made_branch {
    uint64_t from, to;
    unsigned type, mispredicted, predicted, cycles;
};

struct trace {
    struct made_branch branch[4096];
    int n;
};

static uint64_t code(unsigned offset)
{
    return (uint64_t)(uintptr_t)branched_code + offset;
}

static uint64_t caller(unsigned offset)
{
    return (uint64_t)(uintptr_t)branched_caller + offset;
}

static void take(struct trace *trace, unsigned type, uint64_t from, uint64_t to)
{
    assert_true(trace->n < (int)(sizeof trace->branch / sizeof trace->branch[0]));
    trace->branch[trace->n++] = (struct made_branch){from, to, type, 0, 1, 0};
}

/* Writes a record of the n branches of the trace that end with a number, the latest first. */
static void write_record(struct sampler *sampler, const struct trace *trace, int last, int n)
{
    struct {
        struct perf_event_header header;
        uint64_t id, ip;
        uint32_t pid, tid;
        uint64_t time, period, branches;
        struct perf_branch_entry entry[64];
    } record = {.header = {.type = PERF_RECORD_SAMPLE, .misc = PERF_RECORD_MISC_USER},
                .id = ID,
                .ip = trace->branch[last].to,
                .pid = PID,
                .tid = PID,
                .time = 10,
                .period = 1009,
                .branches = (uint64_t)n};
    size_t size = offsetof(__typeof__(record), entry) + (size_t)n * sizeof record.entry[0];
    for (int i = 0; i < n; i++) {
        const struct made_branch *branch = &trace->branch[(last - i + trace->n * n) % trace->n];
        uint64_t flags = branch->mispredicted | branch->predicted << 1 | (uint64_t)branch->cycles << 4 |
                         (uint64_t)branch->type << 20;
        record.entry[i].from = branch->from;
        record.entry[i].to = branch->to;
        memcpy((char *)&record.entry[i] + 16, &flags, sizeof flags);
    }
    record.header.size = (uint16_t)size;
    write_all(sampler, &record, size);
}

/* ---- what becomes of them */

struct result {
    struct sampler sampler;
    struct profile profile;
};

static void begin(struct result *result)
{
    *result = (struct result){
        .sampler = {.n_events = 1, .branch_type = PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_ANY},
        .profile = {.n_events = 1}};
    begin_records(&result->sampler);
}

static void make(struct result *result)
{
    struct reason why;
    assert_int_equal(replay(&result->profile, &result->sampler, STACKS_NONE, &why), PAPI_OK);
}

static void make_all(struct result *result, const struct trace *trace, int n)
{
    begin(result);
    for (int i = 0; i < trace->n; i++)
        write_record(&result->sampler, trace, i, n);
    make(result);
    assert_int_equal(result->profile.branch_sums.broken, 0);
    assert_int_equal(result->profile.branch_sums.stacks, trace->n);
    assert_int_equal(result->profile.branch_sums.taken, trace->n * (n - 1));
}

static void end(struct result *result)
{
    close(result->sampler.spool);
    index_free(&result->sampler.ids);
    profile_free(&result->profile);
}

static const char *routine_of(const struct profile *profile, int place)
{
    return profile_text(profile,
                        profile_routine_at(profile, profile_place_at(profile, place)->routine)->name);
}

/* Sums up the branches from an offset of a routine over a distance. */
static struct branch_counts branch_at(const struct profile *profile, const char *routine, uint64_t from,
                                      uint64_t distance)
{
    struct branch_counts sum = {.taken = 0};
    for (int i = 0; i < profile->branches.n; i++) {
        const struct branch *branch = index_key(&profile->branches, i);
        const struct branch_counts *counts = &profile->branch_counts[i];
        if (strcmp(routine_of(profile, branch->from_place), routine) != 0 ||
            branch->from % 256 != from % 256 || branch->from - branch->to != distance)
            continue;
        sum.taken += counts->taken;
        sum.stacks += counts->stacks;
        sum.told += counts->told;
        sum.mispredicted += counts->mispredicted;
        sum.timed += counts->timed;
        sum.cycles += counts->cycles;
    }
    return sum;
}

/* The loop whose head is at an address; NULL: none. */
static const struct branch_loop_counts *loop_at(const struct profile *profile, uint64_t address,
                                                uint64_t length)
{
    for (int i = 0; i < profile->branch_loops.n; i++) {
        const struct branch_loop *loop = index_key(&profile->branch_loops, i);
        const struct branch_loop_counts *counts = &profile->branch_loop_counts[i];
        if (loop->head % 4096 == address % 4096 && counts->end - loop->head == length)
            return counts;
    }
    return NULL;
}

/* ---- programs */

/* A call of a routine with two loops, one in the other, and a loop around the call that is never left. */
static void nest(struct trace *trace, int outer, int inner)
{
    trace->n = 0;
    take(trace, CALL, caller(16), code(0));
    for (int i = 0; i < outer; i++) {
        for (int j = 1; j < inner; j++)
            take(trace, CONDITIONAL, code(48), code(32));
        if (i + 1 < outer)
            take(trace, CONDITIONAL, code(64), code(16));
    }
    take(trace, RETURN, code(80), caller(20));
    take(trace, JUMP, caller(32), caller(8));
}

static void nested_loops(void **state)
{
    (void)state;
    static const int rows[][3] = {{5, 3, 2},     {5, 3, 8},  {5, 3, 32}, {2, 100, 16},
                                  {1, 1000, 32}, {7, 2, 64}, {40, 1, 32}};
    static struct trace trace;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct result result;
        int outer = rows[i][0], inner = rows[i][1], pieces = rows[i][2] - 1;
        nest(&trace, outer, inner);
        make_all(&result, &trace, rows[i][2]);
        const struct branch_loop_counts *of_inner = loop_at(&result.profile, code(32), 16),
                                        *of_outer = loop_at(&result.profile, code(16), 48),
                                        *around = loop_at(&result.profile, caller(8), 24);
        if (inner > 1) { /* a loop that never goes back is none */
            assert_int_equal(of_inner->entries, outer * pieces);
            assert_int_equal(of_inner->arrivals, outer * inner * pieces);
        }
        if (outer > 1) {
            assert_int_equal(of_outer->entries, pieces);
            assert_int_equal(of_outer->arrivals, outer * pieces);
        }
        assert_int_equal(around->entries, 0);
        assert_int_equal(around->arrivals, pieces);
        assert_int_equal(result.profile.branch_loops.n, 1 + (inner > 1) + (outer > 1));
        assert_int_equal(branch_at(&result.profile, "branched_code", code(48), 16).taken,
                         outer * (inner - 1) * pieces);
        end(&result);
    }
}

/* A loop that begins with the question at its end, and calls a routine. */
static void questions_at_the_end(void **state)
{
    (void)state;
    static struct trace trace;
    for (int known = 0; known < 2; known++) {
        struct result result;
        trace.n = 0;
        take(&trace, JUMP, code(16), code(40));
        for (int i = 0; i < 6; i++) {
            take(&trace, CONDITIONAL, code(48), code(32));
            take(&trace, CALL, code(36), caller(0));
            take(&trace, known ? RETURN : UNKNOWN, caller(8), code(40));
        }
        take(&trace, INDIRECT, code(80), code(0)); /* and once more */
        make_all(&result, &trace, 8);
        const struct branch_loop_counts *loop = loop_at(&result.profile, code(32), 16);
        assert_int_equal(loop->arrivals, 6 * 7);
        assert_int_equal(loop->entries, known ? 7 : 0); /* a return may be an entry, where it is not known */
        assert_int_equal(loop->stacks, known ? 7 : 0);
        assert_int_equal(result.profile.branch_loops.n, 1);
        end(&result);
    }
}

/* Two branches back to one head, and a way out in the middle, are one loop. */
static void ways_out_and_back(void **state)
{
    (void)state;
    static struct trace trace;
    struct result result;
    trace.n = 0;
    for (int i = 0; i < 3; i++) {
        take(&trace, CONDITIONAL, code(40), code(32));
        take(&trace, JUMP, code(64), code(32));
    }
    take(&trace, CONDITIONAL, code(36), code(96));
    take(&trace, RETURN, code(100), caller(0));
    take(&trace, CALL, caller(4), code(16));
    make_all(&result, &trace, 16);
    assert_int_equal(result.profile.branch_loops.n, 1);
    const struct branch_loop_counts *loop = loop_at(&result.profile, code(32), 32);
    assert_int_equal(loop->arrivals, 7 * 15);
    assert_int_equal(loop->entries, 15);
    end(&result);
}

/* A routine that calls itself, and returns, goes back, and is no loop; nor is what the kernel tells no kind
 * of. */
static void others_that_go_back(void **state)
{
    (void)state;
    static struct trace trace;
    struct result result;
    trace.n = 0;
    take(&trace, CALL, code(32), code(0));
    take(&trace, CALL, code(32), code(0));
    take(&trace, RETURN, code(64), code(36));
    take(&trace, RETURN, code(64), code(36));
    take(&trace, UNKNOWN, code(48), code(8));
    make_all(&result, &trace, 5);
    assert_int_equal(result.profile.branch_loops.n, 0);
    assert_int_equal(result.profile.branches.n, 3);
    end(&result);
}

static void predictions_and_cycles(void **state)
{
    (void)state;
    static struct trace trace;
    struct result result;
    nest(&trace, 3, 4);
    for (int i = 0; i < trace.n; i++) {
        struct made_branch *branch = &trace.branch[i];
        branch->mispredicted = branch->from == code(64);
        branch->predicted = branch->from == code(48);
        branch->cycles = branch->from == code(48) ? 7 : 0;
    }
    make_all(&result, &trace, 4);
    struct branch_counts outer = branch_at(&result.profile, "branched_code", code(64), 48),
                         inner = branch_at(&result.profile, "branched_code", code(48), 16),
                         call =
                             branch_at(&result.profile, "branched_caller", caller(16), caller(16) - code(0));
    assert_int_equal(outer.taken, 2 * 3);
    assert_int_equal(outer.told, 2 * 3);
    assert_int_equal(outer.mispredicted, 2 * 3);
    assert_int_equal(outer.timed, 0);
    assert_int_equal(inner.taken, 9 * 3);
    assert_int_equal(inner.told, 9 * 3);
    assert_int_equal(inner.mispredicted, 0);
    assert_int_equal(inner.timed, 9 * 3);
    assert_int_equal(inner.cycles, 7 * 9 * 3);
    assert_int_equal(inner.stacks, trace.n - 1); /* all but the record that ends with the call */
    assert_int_equal(call.taken, 3);
    assert_int_equal(call.told, 0);
    const struct branch_sums *sums = &result.profile.branch_sums;
    assert_int_equal(sums->told, outer.told + inner.told);
    assert_int_equal(sums->mispredicted, 6);
    assert_int_equal(sums->mispredicted_stacks, 6);
    assert_int_equal(result.profile.event[0].samples, trace.n);
    end(&result);
}

/* Records that are cut, of one branch alone, and whose branches do not follow one another. */
static void broken_records(void **state)
{
    (void)state;
    static struct trace trace;
    struct result result;
    trace.n = 0;
    take(&trace, JUMP, code(16), code(64));
    take(&trace, JUMP, code(32), code(0)); /* an interrupt was between them */
    take(&trace, JUMP, 8, code(0));        /* code of no file */
    take(&trace, JUMP, code(8), code(16));
    begin(&result);
    write_record(&result.sampler, &trace, 3, 4);
    write_record(&result.sampler, &trace, 3, 1);
    struct {
        struct perf_event_header header;
        uint64_t word[6];
    } cut = {{PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, sizeof cut},
             {ID, 0, PID | (uint64_t)PID << 32, 11, 1, 2}};
    write_all(&result.sampler, &cut, sizeof cut);
    make(&result);
    assert_int_equal(result.profile.branch_sums.stacks, 1);
    assert_int_equal(result.profile.branch_sums.broken, 2);
    assert_int_equal(result.profile.branch_sums.taken, 1);
    assert_int_equal(result.profile.lost, 1);
    assert_int_equal(result.profile.event[0].samples, 3);
    end(&result);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nested_loops),           cmocka_unit_test(questions_at_the_end),
        cmocka_unit_test(ways_out_and_back),      cmocka_unit_test(others_that_go_back),
        cmocka_unit_test(predictions_and_cycles), cmocka_unit_test(broken_records),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

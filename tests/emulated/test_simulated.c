/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The simulated caches as a program sees them, with
 *   papi_emulate --caches=L1d:32K:8:64,L1i:32K:8:64,L2:1M:16:64,L3:8M:16:64
 * that is 512 lines in 64 sets of 8 in each first level, 16384 lines in L2, 131072 in L3, each set
 * without the line that was used least recently. PAPI_start and PAPI_stop go through the caches too, and
 * how much of their memory is still there depends on what ran in between. So counts are compared that
 * begin alike, after a walk that filled the caches with something else, and differ in one thing.
 */
#include "measure.h"

#include <stdlib.h>
#include <string.h>

enum {
    LINE = 64,
    L1_LINES = 512,
    L1_SIZE = L1_LINES * LINE,
    L2_SIZE = 1 << 20,
    L3_SIZE = 8 << 20,
    WIDE = 32
};

enum { DCA, DCR, DCW, DCM, LDM, STM, DCH, ICA, ICM, L2_DCR, L2_DCM, L3_DCR, L3_DCM, INS, LDS, STS, N_EVENTS };

static const char *const names[] = {
    [DCA] = "PAPI_L1_DCA",    [DCR] = "PAPI_L1_DCR",    [DCW] = "PAPI_L1_DCW",    [DCM] = "PAPI_L1_DCM",
    [LDM] = "PAPI_L1_LDM",    [STM] = "PAPI_L1_STM",    [DCH] = "PAPI_L1_DCH",    [ICA] = "PAPI_L1_ICA",
    [ICM] = "PAPI_L1_ICM",    [L2_DCR] = "PAPI_L2_DCR", [L2_DCM] = "PAPI_L2_DCM", [L3_DCR] = "PAPI_L3_DCR",
    [L3_DCM] = "PAPI_L3_DCM", [INS] = "PAPI_TOT_INS",   [LDS] = "PAPI_LD_INS",    [STS] = "PAPI_SR_INS",
    [N_EVENTS] = NULL,
};

/* ---- walks */

/* Accesses each of n addresses once, and begins anew at the first one in each pass. */
typedef void walk(char *address, long stride, long n, long passes);
walk walk_loads, walk_stores, walk_updates, walk_wide_loads;
/* n loads from any of the lines, a power of two of them. */
void random_loads(char *address, long n, long shift);

#define FUNCTION(name, text)                                                                                 \
    __asm__(".text\n\t.balign 64\n\t.globl " name "\n\t.type " name ", %function\n" name ":\n\t" text        \
            "\n\tret\n\t.size " name ", .-" name "\n")

#if defined(__x86_64__)
#define WALK(name, access)                                                                                   \
    FUNCTION(name, "1:\tmov %rdi, %r8\n\tmov %rdx, %r9\n2:\t" access                                         \
                   "\n\tadd %rsi, %r8\n\tdec %r9\n\tjne 2b\n\tdec %rcx\n\tjne 1b")
WALK("walk_loads", "mov (%r8), %rax");
WALK("walk_stores", "mov %rax, (%r8)");
WALK("walk_updates", "add %rax, (%r8)");
WALK("walk_wide_loads", "vmovupd (%r8), %ymm0");
FUNCTION("random_loads", "mov %rdx, %rcx\n\tmov $1, %eax\n\tmovabs $6364136223846793005, %r9\n"
                         "1:\timul %r9, %rax\n\tinc %rax\n\tmov %rax, %r8\n\tshr %cl, %r8\n\tshl $6, %r8\n\t"
                         "mov (%rdi,%r8), %r10\n\tdec %rsi\n\tjne 1b");
/* Copies n numbers from the address to stride bytes further on, in each pass; upwards, and downwards. */
walk copy_bytes, copy_numbers, copy_down, copy_pieces, fill_bytes, search_bytes;
#define COPY(name, before, copy)                                                                             \
    FUNCTION(name, "mov %rdi, %r8\n\tmov %rsi, %r10\n\tmov %rcx, %r11\n1:\t" before                          \
                   "\n\tmov %r8, %rsi\n\tlea (%r8,%r10), %rdi\n\tmov %rdx, %rcx\n\t" copy                    \
                   "\n\tdec %r11\n\tjne 1b\n\tcld")
COPY("copy_bytes", "", "rep movsb");
COPY("copy_numbers", "", "rep movsq");
COPY("copy_down", "std", "rep movsb");
/* Copies four pieces of n bytes, each of which begins where the one before ended. */
COPY(
    "copy_pieces", "",
    "rep movsb\n\tmov %rdx, %rcx\n\trep movsb\n\tmov %rdx, %rcx\n\trep movsb\n\tmov %rdx, %rcx\n\trep movsb");
COPY("fill_bytes", "xor %eax, %eax", "rep stosb");
COPY("search_bytes", "mov $-1, %eax", "repne scasb");
#define BYTES_OF_NOP "1"
#elif defined(__aarch64__)
#define WALK(name, access)                                                                                   \
    FUNCTION(name, "1:\tmov x8, x0\n\tmov x9, x2\n2:\t" access                                               \
                   "\n\tadd x8, x8, x1\n\tsubs x9, x9, #1\n\tb.ne 2b\n\tsubs x3, x3, #1\n\tb.ne 1b")
WALK("walk_loads", "ldr x10, [x8]");
WALK("walk_stores", "str x10, [x8]");
WALK("walk_updates", "ldr x10, [x8]\n\tstr x10, [x8]");
WALK("walk_wide_loads", "ldp q0, q1, [x8]");
FUNCTION("random_loads",
         "mov x8, #1\n\tldr x9, =6364136223846793005\n1:\tmul x8, x8, x9\n\tadd x8, x8, #1\n\t"
         "lsr x10, x8, x2\n\tlsl x10, x10, #6\n\tldr x10, [x0, x10]\n\tsubs x1, x1, #1\n\tb.ne 1b\n\t"
         "ret\n\t.ltorg");
#define BYTES_OF_NOP "4"
#endif

BLOCK_AT(4096, 64k, ".rept 65536 / " BYTES_OF_NOP "\n\tnop\n\t.endr");
BLOCK_AT(4096, 128k, ".rept 131072 / " BYTES_OF_NOP "\n\tnop\n\t.endr");
BLOCK_AT(4096, 16k, ".rept 16384 / " BYTES_OF_NOP "\n\tnop\n\t.endr");

/* ---- counting */

static int set;
static char *data, *other; /* 16 MB each */

static int prepare(void **state)
{
    (void)state;
    data = aligned_alloc(L2_SIZE, 2 * L3_SIZE);
    other = aligned_alloc(L2_SIZE, 2 * L3_SIZE);
    return data == NULL || other == NULL;
}

static int end(void **state)
{
    (void)state;
    free(data);
    free(other);
    return 0;
}

/* The caches have nothing of data: all of L1 and, with much, of the other levels is in use for other. */
static void forget(int much)
{
    walk_loads(other, LINE, (much ? 2 * L3_SIZE : 2 * L1_SIZE) / LINE, 1);
}

/* Counts one walk. There is one such place, so that all walks are counted with the same instructions around
 * them. */
static __attribute__((noinline)) void count(walk *which, char *address, long stride, long n, long passes,
                                            long long *values)
{
    PAPI_start(set);
    which(address, stride, n, passes);
    PAPI_stop(set, values);
}

struct walked {
    walk *which;
    char *address;
    long stride, n, passes;
};

/* Puts into more the counts of walk b less those of walk a, each from the same state of the caches. */
static void compare(struct walked a, struct walked b, int much, long long *more)
{
    long long first[N_EVENTS];
    forget(much);
    count(a.which, a.address, a.stride, a.n, a.passes, first);
    forget(much);
    count(b.which, b.address, b.stride, b.n, b.passes, more);
    for (int i = 0; i < N_EVENTS; i++)
        more[i] -= first[i];
}

static void begin(void)
{
    static int checked;
    long long values[N_EVENTS];
    need_emulator();
    if (!checked++ && PAPI_query_named_event("PAPI_L1_DCM") != PAPI_OK)
        SKIP("no simulated caches: papi_emulate --caches");
    set = measure_set(names);
    forget(0);
    count(walk_loads, data, LINE, 1, 1, values);
}

/* ---- tests */

/* Twice the cache: each line is out again before its turn comes. One miss a line, in each pass. */
static void a_stream_misses_once_a_line(void **state)
{
    enum { N = 2 * L1_LINES };
    long long more[N_EVENTS];
    (void)state;
    begin();
    compare((struct walked){walk_loads, data, LINE, N, 1}, (struct walked){walk_loads, data, LINE, 2 * N, 1},
            0, more);
    EQUAL(more[DCR], N);
    EQUAL(more[LDM], N);
    EQUAL(more[DCW], 0);
    EQUAL(more[STM], 0);
    compare((struct walked){walk_loads, data, LINE, N, 1}, (struct walked){walk_loads, data, LINE, N, 5}, 0,
            more);
    EQUAL(more[LDM], 4 * N);
    EQUAL(more[DCM], 4 * N);
    EQUAL(more[DCH], 0); /* no access of the loop hit */
    /* Eight numbers a line: one miss and seven hits. */
    compare((struct walked){walk_loads, data, 8, 8 * N, 1}, (struct walked){walk_loads, data, 8, 8 * N, 2}, 0,
            more);
    EQUAL(more[DCR], 8 * N);
    EQUAL(more[LDM], N);
    EQUAL(more[DCH], 7 * N);
    test_drop(set);
}

static void writes_bring_lines_in(void **state)
{
    enum { N = 2 * L1_LINES };
    long long more[N_EVENTS];
    (void)state;
    begin();
    compare((struct walked){walk_stores, data, LINE, N, 1}, (struct walked){walk_stores, data, LINE, N, 3}, 0,
            more);
    EQUAL(more[DCW], 2 * N);
    EQUAL(more[STM], 2 * N);
    EQUAL(more[DCR], 0);
    EQUAL(more[LDM], 0);
    /* Read, which misses, and written, which does not. */
    compare((struct walked){walk_updates, data, LINE, N, 1}, (struct walked){walk_updates, data, LINE, N, 3},
            0, more);
    EQUAL(more[DCR], 2 * N);
    EQUAL(more[DCW], 2 * N);
    EQUAL(more[LDM], 2 * N);
    EQUAL(more[STM], 0);
    EQUAL(more[DCA], 4 * N);
    test_drop(set);
}

/* Half the cache: four lines of each set's eight, which leaves room for the library's. */
static void a_resident_array_misses_on_the_first_pass(void **state)
{
    enum { N = L1_LINES / 2 };
    long long more[N_EVENTS];
    (void)state;
    begin();
    compare((struct walked){walk_loads, data, LINE, 1, 1}, (struct walked){walk_loads, data, LINE, N, 1}, 0,
            more);
    EQUAL(more[LDM], N - 1);
    compare((struct walked){walk_loads, data, LINE, N, 1}, (struct walked){walk_loads, data, LINE, N, 50}, 0,
            more);
    EQUAL(more[DCR], 49 * N);
    EQUAL(more[DCM], 0);
    test_drop(set);
}

/* Lines 4096 bytes apart share a set of eight: nine of them push each other out, in the order in which
 * they come back, eight do not. */
static void strided_lines_conflict(void **state)
{
    enum { STRIDE = L1_SIZE / 8 };
    long long more[N_EVENTS];
    (void)state;
    begin();
    compare((struct walked){walk_loads, data, STRIDE, 8, 1},
            (struct walked){walk_loads, data, STRIDE, 8, 100}, 0, more);
    EQUAL(more[DCM], 0);
    compare((struct walked){walk_loads, data, STRIDE, 9, 1},
            (struct walked){walk_loads, data, STRIDE, 9, 100}, 0, more);
    EQUAL(more[DCM], 99 * 9);
    EQUAL(more[L2_DCR], 99 * 9);
    EQUAL(more[L2_DCM], 0);
    /* Every second line: half of the sets, 32 * 8 lines. One more than that: its set's nine alone miss. */
    compare((struct walked){walk_loads, data, 2 * LINE, 256, 1},
            (struct walked){walk_loads, data, 2 * LINE, 256, 100}, 0, more);
    EQUAL(more[DCM], 0);
    compare((struct walked){walk_loads, data, 2 * LINE, 257, 1},
            (struct walked){walk_loads, data, 2 * LINE, 257, 100}, 0, more);
    EQUAL(more[DCM], 99 * 9);
    test_drop(set);
}

/* Each set has 32 of the 2048 lines and room for 8. Whichever was used least recently is out: of lines
 * that are as likely as each other 8 of 32 are found, a quarter. */
static void random_lines_hit_by_chance(void **state)
{
    enum { BITS = 11, N = 200000 };
    long long values[N_EVENTS];
    (void)state;
    begin();
    PAPI_start(set);
    random_loads(data, N, 64 - BITS);
    PAPI_stop(set, values);
    printf("random: %lld of %d loads missed\n", values[LDM], N);
    CHECK(values[DCR] >= N && values[DCR] < N + 500);
    CHECK(values[LDM] > N * 0.75 * 0.99 && values[LDM] < N * 0.75 * 1.01);
    test_drop(set);
}

/* Wide loads are one access each. If they begin in the middle of 32 bytes, every second one takes two lines,
 * which is still one miss, since the line before is there. */
static void wide_loads_are_one_access(void **state)
{
    enum { N = 2 * L1_SIZE / WIDE };
    long long more[N_EVENTS];
    (void)state;
    begin();
    for (int offset = 0; offset <= WIDE / 2; offset += WIDE / 2) {
        compare((struct walked){walk_wide_loads, data + offset, WIDE, N, 1},
                (struct walked){walk_wide_loads, data + offset, WIDE, 2 * N, 1}, 0, more);
        EQUAL(more[DCR], N);
        EQUAL(more[LDM], N / 2);
        EQUAL(more[L2_DCR], N / 2);
    }
    test_drop(set);
}

/* The levels: what misses one is asked of the next. */
static void levels_follow_each_other(void **state)
{
    enum { IN_L2 = 4 * L1_LINES, IN_L3 = 2 * L2_SIZE / LINE, NOWHERE = 2 * L3_SIZE / LINE };
    long long more[N_EVENTS];
    (void)state;
    begin();
    compare((struct walked){walk_loads, data, LINE, IN_L2, 1},
            (struct walked){walk_loads, data, LINE, IN_L2, 2}, 1, more);
    EQUAL(more[DCM], IN_L2);
    EQUAL(more[L2_DCR], IN_L2);
    EQUAL(more[L2_DCM], 0);
    compare((struct walked){walk_loads, data, LINE, IN_L3, 1},
            (struct walked){walk_loads, data, LINE, IN_L3, 2}, 1, more);
    EQUAL(more[L2_DCM], IN_L3);
    EQUAL(more[L3_DCR], IN_L3);
    EQUAL(more[L3_DCM], 0);
    compare((struct walked){walk_loads, data, LINE, NOWHERE, 1},
            (struct walked){walk_loads, data, LINE, NOWHERE, 2}, 1, more);
    EQUAL(more[DCM], NOWHERE);
    EQUAL(more[L2_DCM], NOWHERE);
    EQUAL(more[L3_DCM], NOWHERE);
    test_drop(set);
}

#if defined(__x86_64__)
/* Counts of two passes: reads, writes, loads and stores that there should be. */
static void check_copies(walk *which, char *address, long stride, long n, const long long expected[4])
{
    long long more[N_EVENTS];
    compare((struct walked){which, address, stride, n, 1}, (struct walked){which, address, stride, n, 3}, 0,
            more);
    EQUAL(more[DCR], 2 * expected[0]);
    EQUAL(more[DCW], 2 * expected[1]);
    EQUAL(more[LDS], 2 * expected[2]);
    EQUAL(more[STS], 2 * expected[3]);
}

/* A string instruction that copies or fills upwards accesses each line once, however many turns it makes
 * there, and its next execution is another access. Where processors go element by element, each is one. */
static void copies_access_each_line_once(void **state)
{
    enum { N = 4 * L1_LINES, BYTES = N * LINE };
    long long more[N_EVENTS];
    (void)state;
    begin();
    check_copies(copy_bytes, data, BYTES, BYTES, (long long[]){N, N, 1, 1});
    check_copies(copy_numbers, data, BYTES, BYTES / 8, (long long[]){N, N, 1, 1});
    check_copies(copy_bytes, data + 5, BYTES, BYTES, (long long[]){N + 1, N + 1, 1, 1});
    check_copies(copy_bytes, data + 5, BYTES - 5, BYTES, (long long[]){N + 1, N, 1, 1});
    check_copies(copy_numbers, data + 5, BYTES, BYTES / 8, (long long[]){N + 1, N + 1, 1, 1});
    check_copies(copy_bytes, data, BYTES, 1, (long long[]){1, 1, 1, 1});
    check_copies(copy_pieces, data, BYTES, LINE / 4, (long long[]){4, 4, 4, 4});
    check_copies(fill_bytes, data, 0, BYTES, (long long[]){0, N, 0, 1});
    check_copies(copy_down, data + 999, BYTES, 1000, (long long[]){1000, 1000, 1, 1});
    memset(data, 1, 1000);
    check_copies(search_bytes, data, 0, 1000, (long long[]){1000, 0, 1, 0});
    /* Both streams are larger than the cache. */
    compare((struct walked){copy_bytes, data, BYTES, BYTES, 1},
            (struct walked){copy_bytes, data, BYTES, BYTES, 4}, 0, more);
    EQUAL(more[LDM], 3 * N);
    EQUAL(more[STM], 3 * N);
    test_drop(set);
}
#endif

/* Code that is longer than its cache is fetched again each time, a line at a time; each instruction is an
 * access. */
static void code_goes_through_its_own_cache(void **state)
{
    long long small[N_EVENTS], large[N_EVENTS], resident[N_EVENTS];
    (void)state;
    begin();
    for (int i = 0; i < 2; i++) {
        measure(set, block_64k, small);
        measure(set, block_128k, large);
    }
    EQUAL(large[ICM] - small[ICM], 65536 / LINE);
    EQUAL(large[ICA] - small[ICA], large[INS] - small[INS]);
    EQUAL(large[DCA], small[DCA]);
    for (int i = 0; i < 2; i++) /* fetched, and fetched already */
        measure(set, block_16k, resident);
    /* But for lines that the library's own code took between the two, by where it happens to lie: 0 to 12
     * were seen. */
    CHECK(resident[ICM] <= 16384 / LINE / 8);
    EQUAL(resident[ICA], resident[INS]);
    test_drop(set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stream_misses_once_a_line),
        cmocka_unit_test(writes_bring_lines_in),
        cmocka_unit_test(a_resident_array_misses_on_the_first_pass),
        cmocka_unit_test(strided_lines_conflict),
        cmocka_unit_test(random_lines_hit_by_chance),
        cmocka_unit_test(wide_loads_are_one_access),
        cmocka_unit_test(levels_follow_each_other),
#if defined(__x86_64__)
        cmocka_unit_test(copies_access_each_line_once),
#endif
        cmocka_unit_test(code_goes_through_its_own_cache),
    };
    return test_status(cmocka_run_group_tests(tests, prepare, end), (int)(sizeof tests / sizeof *tests));
}

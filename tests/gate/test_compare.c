/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Comparisons of counts that are made here.
 */
#include "gate/changed.h"
#include "gate/compare.h"
#include "gate/limits.h"
#include "gate/source_code.h"
#include "tools/common/allocate.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
/* after those that it needs */
#include <cmocka.h>

_Noreturn void memory_is_out(void)
{
    abort();
}

static void put(struct counts *counts, const char *routine, const char *file, int line, const char *text,
                const char *event, uint64_t value)
{
    struct gate_routine *at = counts_routine(counts, "a.out", routine);
    struct gate_line *of = counts_line(counts, at, file, line);
    of->text = counts_text(counts, text);
    counts_add(at, of, counts_event(counts, event), value);
}

static struct counts begun(void)
{
    return (struct counts){.mode = GATE_COUNTED};
}

static const struct limits one_percent = {.usual = {.share = 0.01}};

static const struct change *change_of(const struct comparison *comparison, enum gate_scope scope,
                                      const char *event)
{
    for (size_t i = 0; i < comparison->n_changes; i++)
        if (comparison->change[i].scope == scope && strcmp(comparison->change[i].event, event) == 0)
            return &comparison->change[i];
    return NULL;
}

static void expect(const struct change *change, enum gate_verdict verdict, double before, double after)
{
    assert_non_null(change);
    assert_int_equal(change->verdict, verdict);
    assert_true(change->before == before && change->after == after);
}

/* A rise of exactly the limit is within it, one more is not; a fall is not judged. */
static void test_limit(void **state)
{
    static const struct {
        uint64_t after;
        enum gate_verdict verdict;
    } row[] = {{1000, VERDICT_SAME},
               {1010, VERDICT_WITHIN},
               {1011, VERDICT_ABOVE},
               {990, VERDICT_WITHIN},
               {989, VERDICT_FELL}};
    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct counts before = begun(), after = begun();
        struct comparison comparison;
        put(&before, "f", "a.c", 1, "x", "LOADS", 1000);
        put(&after, "f", "a.c", 1, "x", "LOADS", row[i].after);
        counts_settle(&before);
        counts_settle(&after);
        compare(&comparison, &before, &after, &one_percent, NULL);
        expect(change_of(&comparison, SCOPE_TOTAL, "LOADS"), row[i].verdict, 1000, (double)row[i].after);
        assert_int_equal(comparison.n_failed, row[i].verdict == VERDICT_ABOVE);
        compare_free(&comparison);
        counts_free(&before);
        counts_free(&after);
    }
}

/* A comment above, another line changed: each line meets the one with its text, and the changed one its
 * successor. */
static void test_lines(void **state)
{
    static const char *const text[] = {"for (;;)", "a();", "}", "b();", "}"};
    struct counts before = begun(), after = begun();
    struct comparison comparison;
    size_t number[4];
    (void)state;
    for (int i = 0; i < 5; i++) {
        put(&before, "f", "one/a.c", 10 + i, text[i], "LOADS", 100);
        put(&after, "f", "two/a.c", 13 + i, i == 3 ? "c();" : text[i], "LOADS", i == 3 ? 500 : 100);
    }
    counts_settle(&before);
    counts_settle(&after);
    compare(&comparison, &before, &after, &one_percent, NULL);
    assert_int_equal(comparison.n_lines, 5);
    assert_int_equal(compare_top_lines(&comparison, 0, false, number, 4), 1);
    const struct line_change *line = &comparison.line[number[0]];
    assert_int_equal(line->line, 16);
    assert_int_equal(line->line_before, 13);
    assert_string_equal(line->text, "c();");
    assert_string_equal(line->text_before, "b();");
    assert_true(line->before[0] == 100 && line->after[0] == 500);
    compare_free(&comparison);
    counts_free(&before);
    counts_free(&after);
}

/* Counts that go to another line of a routine which does as much as before are not the first to be named. */
static void test_shifted(void **state)
{
    struct counts before = begun(), after = begun();
    struct comparison comparison;
    size_t number[4];
    (void)state;
    put(&before, "f", "a.c", 10, "a();", "LOADS", 1000);
    put(&before, "g", "a.c", 20, "c();", "LOADS", 100);
    put(&after, "f", "a.c", 10, "a();", "LOADS", 100);
    put(&after, "f", "a.c", 11, "b();", "LOADS", 902);
    put(&after, "g", "a.c", 20, "c();", "LOADS", 300);
    counts_settle(&before);
    counts_settle(&after);
    compare(&comparison, &before, &after, &one_percent, NULL);
    assert_int_equal(compare_top_lines(&comparison, 0, false, number, 4), 2);
    assert_string_equal(comparison.line[number[0]].text, "c();");
    assert_string_equal(comparison.line[number[1]].text, "b();");
    assert_int_equal(compare_top_lines(&comparison, 0, false, number, 1), 1);
    assert_string_equal(comparison.line[number[0]].text, "c();");
    assert_int_equal(compare_top_lines(&comparison, 0, true, number, 4), 1);
    assert_string_equal(comparison.line[number[0]].text, "a();");
    compare_free(&comparison);
    counts_free(&before);
    counts_free(&after);
}

/* A routine under another name, with the same counts, is the same; of two that could be it, none is. */
static void test_renamed(void **state)
{
    struct counts before = begun(), after = begun();
    struct comparison comparison;
    int renamed = 0;
    (void)state;
    put(&before, "old", "a.c", 1, "x", "LOADS", 70);
    put(&before, "left", "a.c", 2, "y", "LOADS", 30);
    put(&before, "right", "a.c", 3, "z", "LOADS", 30);
    put(&after, "new", "a.c", 1, "x", "LOADS", 70);
    put(&after, "other", "a.c", 2, "y", "LOADS", 30);
    put(&after, "right", "a.c", 3, "z", "LOADS", 30);
    counts_settle(&before);
    counts_settle(&after);
    compare(&comparison, &before, &after, &one_percent, NULL);
    for (size_t i = 0; i < comparison.n_routines; i++)
        if (comparison.routine[i].name_before != NULL) {
            renamed++;
            assert_true(comparison.routine[i].before[0] == comparison.routine[i].after[0]);
        }
    assert_int_equal(renamed, 2);
    expect(change_of(&comparison, SCOPE_TOTAL, "LOADS"), VERDICT_SAME, 130, 130);
    compare_free(&comparison);
    counts_free(&before);
    counts_free(&after);
}

/* Counts that differ between runs of one program are named, and are not in any total. */
static void test_varies(void **state)
{
    struct counts before = begun(), again = begun(), after = begun();
    struct comparison comparison;
    (void)state;
    put(&before, "spins", "a.c", 1, "x", "LOADS", 500);
    put(&before, "works", "a.c", 2, "y", "LOADS", 100);
    put(&again, "spins", "a.c", 1, "x", "LOADS", 700);
    put(&again, "works", "a.c", 2, "y", "LOADS", 100);
    put(&after, "spins", "a.c", 1, "x", "LOADS", 900);
    put(&after, "works", "a.c", 2, "y", "LOADS", 101);
    counts_settle(&before);
    counts_settle(&again);
    counts_settle(&after);
    counts_widen(&before, &again);
    assert_int_equal(before.runs, 2);
    compare(&comparison, &before, &after, &one_percent, NULL);
    expect(change_of(&comparison, SCOPE_TOTAL, "LOADS"), VERDICT_WITHIN, 100, 101);
    assert_int_equal(comparison.n_varying, 1);
    assert_string_equal(comparison.varying[0].name, "spins");
    assert_true(comparison.varying[0].least == 500 && comparison.varying[0].most == 700);
    compare_free(&comparison);
    counts_free(&before);
    counts_free(&again);
    counts_free(&after);
}

/* Result of a routine whose loads were from least to most in two runs, beside one with 10. */
static struct counts ranged(uint64_t least, uint64_t most)
{
    struct counts counts = begun(), again = begun();
    put(&counts, "tries", "a.c", 1, "x", "LOADS", least);
    put(&again, "tries", "a.c", 1, "x", "LOADS", most);
    put(&counts, "main", "a.c", 2, "y", "LOADS", 10);
    put(&again, "main", "a.c", 2, "y", "LOADS", 10);
    counts_settle(&counts);
    counts_settle(&again);
    counts_widen(&counts, &again);
    counts_free(&again);
    return counts;
}

/* A count that varies is above its limit where its least is twice the most before, and the limit's share of
 * it more. One that varied by more than a factor of two is never judged; what varies now alone is, by its
 * least.
 */
static void test_ranges(void **state)
{
    static const struct {
        uint64_t before[2], after[2];
        bool above;
    } row[] = {{{500, 700}, {1407, 1407}, false},
               {{500, 700}, {1408, 1408}, true},
               {{500, 700}, {1407, 5000}, false},
               {{500, 700}, {1408, 5000}, true},
               {{500, 500}, {505, 900}, false},
               {{500, 500}, {506, 900}, true},
               {{500, 1000}, {2011, 2011}, true},
               {{500, 1002}, {1 << 30, 1 << 30}, false},
               {{0, 0}, {1, 2}, true},
               {{500, 700}, {1, 2}, false}};
    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct counts before = ranged(row[i].before[0], row[i].before[1]),
                      after = ranged(row[i].after[0], row[i].after[1]);
        struct comparison comparison;
        compare(&comparison, &before, &after, &one_percent, NULL);
        const struct change *change = change_of(&comparison, SCOPE_ROUTINE, "LOADS");
        assert_int_equal(comparison.n_failed, row[i].above);
        assert_int_equal(change != NULL, row[i].above);
        if (row[i].above)
            expect(change, VERDICT_ABOVE, (double)row[i].before[1], (double)row[i].after[0]);
        const struct change *total = change_of(&comparison, SCOPE_TOTAL, "LOADS");
        expect(total, VERDICT_SAME, 10, 10);
        assert_true(total->left_out == fmax((double)row[i].before[0], (double)row[i].after[0]));
        assert_true(compare_has_judged(&comparison));
        compare_free(&comparison);
        counts_free(&before);
        counts_free(&after);
    }
}

/* A program of which all varies is not one in which nothing rose. */
static void test_all_varies(void **state)
{
    struct counts before = begun(), again = begun(), none = begun();
    struct comparison comparison;
    (void)state;
    put(&before, "f", "a.c", 1, "x", "LOADS", 500);
    put(&before, "f", "a.c", 1, "x", "FP_OPS", 0);
    put(&again, "f", "a.c", 1, "x", "LOADS", 2000);
    put(&again, "f", "a.c", 1, "x", "FP_OPS", 0);
    put(&none, "f", "a.c", 1, "x", "FP_OPS", 0);
    counts_settle(&before);
    counts_settle(&again);
    counts_settle(&none);
    counts_widen(&before, &again);
    compare(&comparison, &before, &again, &one_percent, NULL);
    assert_int_equal(change_of(&comparison, SCOPE_TOTAL, "LOADS")->verdict, VERDICT_UNKNOWN);
    assert_int_equal(change_of(&comparison, SCOPE_TOTAL, "FP_OPS")->verdict, VERDICT_SAME);
    assert_false(compare_has_judged(&comparison));
    compare_free(&comparison);
    compare(&comparison, &none, &none, &one_percent, NULL); /* 0 was counted, and is judged */
    assert_true(compare_has_judged(&comparison));
    compare_free(&comparison);
    counts_free(&before);
    counts_free(&again);
    counts_free(&none);
}

/* A routine that ran in one of two runs alone varies, too. */
static void test_sometimes(void **state)
{
    struct counts before = begun(), again = begun();
    (void)state;
    put(&before, "works", "a.c", 2, "y", "LOADS", 100);
    put(&again, "works", "a.c", 2, "y", "LOADS", 100);
    put(&again, "sometimes", "a.c", 1, "x", "LOADS", 7);
    counts_settle(&before);
    counts_settle(&again);
    counts_widen(&before, &again);
    const struct count *count = counts_routine(&before, "a.out", "sometimes")->count;
    assert_true(count->least == 0 && count->most == 7 && count->value == 0);
    counts_free(&before);
    counts_free(&again);
}

/* A change of less than a share of all instructions is none, whatever the share of the event; a limit that is
 * a number holds as it is. */
static void test_least(void **state)
{
    const struct limits limits = {.usual = {.share = 0.01}, .least = 1e-3},
                        few = {.usual = {.absolute = 101}, .least = 1e-3},
                        fewer = {.usual = {.absolute = 100}, .least = 1};
    struct counts before = begun(), after = begun();
    struct comparison comparison;
    (void)state;
    put(&before, "f", "a.c", 1, "x", "INSTRUCTIONS", 100000);
    put(&before, "f", "a.c", 1, "x", "STORES", 2);
    put(&after, "f", "a.c", 1, "x", "INSTRUCTIONS", 100000);
    put(&after, "f", "a.c", 1, "x", "STORES", 102);
    counts_settle(&before);
    counts_settle(&after);
    compare(&comparison, &before, &after, &limits, NULL);
    expect(change_of(&comparison, SCOPE_TOTAL, "STORES"), VERDICT_WITHIN, 2, 102);
    compare_free(&comparison);
    put(&after, "f", "a.c", 1, "x", "STORES", 1);
    counts_settle(&after);
    compare(&comparison, &before, &after, &limits, NULL);
    expect(change_of(&comparison, SCOPE_TOTAL, "STORES"), VERDICT_ABOVE, 2, 103);
    compare_free(&comparison);
    compare(&comparison, &before, &after, &few, NULL);
    expect(change_of(&comparison, SCOPE_TOTAL, "STORES"), VERDICT_WITHIN, 2, 103);
    compare_free(&comparison);
    compare(&comparison, &before, &after, &fewer, NULL);
    expect(change_of(&comparison, SCOPE_TOTAL, "STORES"), VERDICT_ABOVE, 2, 103);
    compare_free(&comparison);
    counts_free(&before);
    counts_free(&after);
}

/* Calls may do much that nobody counts: far fewer of them are above a limit, but not ten; nor more than of
 * other events. */
static void test_calls(void **state)
{
    static const struct {
        const char *event;
        uint64_t instructions, more;
        enum gate_verdict verdict;
    } rows[] = {
        {"CALLS", 100000000, 100, VERDICT_WITHIN},
        {"CALLS", 100000000, 101, VERDICT_ABOVE},
        {"SYSTEM_CALLS", 100000000, 101, VERDICT_ABOVE},
        {"STORES", 100000000, 10000, VERDICT_WITHIN},
        {"CALLS", 1000000, 10, VERDICT_WITHIN},
        {"CALLS", 1000000, 11, VERDICT_ABOVE},
        {"CALLS", 20000, 2, VERDICT_WITHIN},
        {"CALLS", 20000, 3, VERDICT_ABOVE},
    };
    const struct limits limits = {.usual = {.share = 0.01}, .least = 1e-4, .least_calls = 1e-6};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct counts before = begun(), after = begun();
        struct comparison comparison;
        put(&before, "f", "a.c", 1, "x", "INSTRUCTIONS", rows[i].instructions);
        put(&after, "f", "a.c", 1, "x", "INSTRUCTIONS", rows[i].instructions);
        put(&before, "f", "a.c", 1, "x", rows[i].event, 7);
        put(&after, "f", "a.c", 1, "x", rows[i].event, 7 + rows[i].more);
        counts_region(&before, "r")->count[0].value = counts_region(&after, "r")->count[0].value =
            rows[i].instructions;
        counts_region(&before, "r")->count[1].value = 7;
        counts_region(&after, "r")->count[1].value = 7 + rows[i].more;
        counts_settle(&before);
        counts_settle(&after);
        compare(&comparison, &before, &after, &limits, NULL);
        expect(change_of(&comparison, SCOPE_TOTAL, rows[i].event), rows[i].verdict, 7,
               7 + (double)rows[i].more);
        if (strcmp(rows[i].event, "SYSTEM_CALLS") != 0) /* of regions, which do not count them */
            expect(change_of(&comparison, SCOPE_REGION, rows[i].event), rows[i].verdict, 7,
                   7 + (double)rows[i].more);
        compare_free(&comparison);
        counts_free(&before);
        counts_free(&after);
    }
}

static void test_limits(void **state)
{
    struct limit limit = {.share = 0};
    (void)state;
    assert_true(limit_read(&limit, "1.5%") && limit.share == 0.015 && limit.absolute == 0);
    assert_true(limit_read(&limit, "5000") && limit.share == 0 && limit.absolute == 5000);
    assert_true(limit_read(&limit, "2%+10") && limit.share == 0.02 && limit.absolute == 10);
    assert_true(limit_read(&limit, "0") && limit.share == 0 && limit.absolute == 0);
    static const char *const wrong[] = {"", "%", "-1%", "1%%", "1 %", "1e999%", "+1", "1%+", "x", "nan"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_false(limit_read(&limit, wrong[i]));
    assert_true(limit_read(&limit, "ignore") && limit.ignored);
}

static char *read_text(struct limits *limits, const char *text)
{
    char path[] = "/tmp/gate_limits.XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text));
    close(file);
    char *why = limits_read(limits, path);
    unlink(path);
    return why;
}

static void test_rules(void **state)
{
    struct limits limits = {.usual = {.share = 0.01}};
    (void)state;
    char *why = read_text(&limits, "# comment\n* 2%\nLOADS 0 region solve one both\n"
                                   "STORES 5% routine solver::* # another\nLOADS ignore routine spin\n");
    assert_null(why);
    assert_true(limits_find(&limits, SCOPE_TOTAL, "", "CALLS")->share == 0.02);
    const struct limit *found = limits_find(&limits, SCOPE_REGION, "solve one", "loads");
    assert_true(found->both && found->share == 0 && found->absolute == 0);
    assert_ptr_equal(limits_find(&limits, SCOPE_REGION, "solve", "LOADS"), &limits.usual);
    assert_true(limits_find(&limits, SCOPE_ROUTINE, "solver::step", "STORES")->share == 0.05);
    assert_true(limits_find(&limits, SCOPE_ROUTINE, "spin", "LOADS")->ignored);
    assert_null(limits_find(&limits, SCOPE_ROUTINE, "other", "LOADS"));
    limits_free(&limits);
    assert_null(read_text(&limits, "* 3% routine vec::operator[](int)\n"));
    assert_non_null(limits_find(&limits, SCOPE_ROUTINE, "vec::operator[](int)", "LOADS"));
    limits_free(&limits);
    static const char *const wrong[] = {"LOADS\n", "LOADS x\n", "LOADS 1% region\n", "\nLOADS 1% loop x\n"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        why = read_text(&limits, wrong[i]);
        assert_non_null(why);
        assert_non_null(strstr(why, i == 3 ? ":2: " : ":1: "));
        free(why);
        limits_free(&limits);
    }
}

/* Differences around the counts are said. */
static void test_notes(void **state)
{
    static char one[] = "./one", two[] = "./two", argument[] = "5", other[] = "6";
    struct counts before = begun(), after = begun();
    struct comparison comparison;
    (void)state;
    put(&before, "f", "a.c", 1, "x", "LOADS", 1);
    put(&after, "f", "a.c", 1, "x", "STORES", 1);
    before.command = memory_more(NULL, 3, sizeof *before.command);
    after.command = memory_more(NULL, 3, sizeof *after.command);
    memcpy(before.command, (char *[]){one, argument, NULL}, 3 * sizeof *before.command);
    memcpy(after.command, (char *[]){two, other, NULL}, 3 * sizeof *after.command);
    counts_object(&before, "/a/x")->compiler = counts_text(&before, "GNU C17 12 -O3");
    counts_object(&after, "/b/x")->compiler = counts_text(&after, "GNU C17 12 -O2");
    counts_settle(&before);
    counts_settle(&after);
    compare(&comparison, &before, &after, &one_percent, NULL);
    assert_int_equal(comparison.n_notes, 4);
    assert_non_null(strstr(comparison.note[0], "arguments"));
    assert_non_null(strstr(comparison.note[1], "-O3"));
    assert_non_null(strstr(comparison.note[2], "STORES"));
    assert_non_null(strstr(comparison.note[3], "LOADS"));
    assert_int_equal(comparison.n_changes, 0);
    compare_free(&comparison);
    counts_free(&before);
    counts_free(&after);
}

/* A line more in the middle of a file that is too long for a table of pairs: no other line has changed. */
static void test_long_file(void **state)
{
    enum { LINES = 9000, NEW = 4000 };
    struct counts before = begun(), after = begun();
    struct comparison comparison;
    size_t number[4];
    char text[32];
    (void)state;
    for (int i = 0; i < LINES; i++) {
        snprintf(text, sizeof text, "f(%d);", i);
        put(&before, "f", "a.c", i + 1, text, "LOADS", (uint64_t)i + 1);
        put(&after, "f", "a.c", i + 1 + (i >= NEW), text, "LOADS", (uint64_t)i + 1);
    }
    put(&after, "f", "a.c", NEW + 1, "g();", "LOADS", 7);
    counts_settle(&before);
    counts_settle(&after);
    compare(&comparison, &before, &after, &one_percent, NULL);
    assert_int_equal(comparison.n_lines, LINES + 1);
    assert_int_equal(compare_top_lines(&comparison, 0, false, number, 4), 1);
    assert_string_equal(comparison.line[number[0]].text, "g();");
    compare_free(&comparison);
    counts_free(&before);
    counts_free(&after);
}

/* A region of another name than before is judged by nothing: that is said. */
static void test_regions(void **state)
{
    struct counts before = begun(), after = begun();
    struct comparison comparison;
    (void)state;
    put(&before, "f", "a.c", 1, "x", "LOADS", 1);
    put(&after, "f", "a.c", 1, "x", "LOADS", 1);
    counts_region(&before, "both");
    counts_region(&before, "solve");
    counts_region(&after, "both");
    counts_region(&after, "solver");
    counts_settle(&before);
    counts_settle(&after);
    compare(&comparison, &before, &after, &one_percent, NULL);
    assert_int_equal(comparison.n_notes, 2);
    assert_string_equal(comparison.note[0], "region solve was there before and is not now: it is not judged");
    assert_string_equal(comparison.note[1], "region solver was not there before: it is not judged");
    compare_free(&comparison);
    counts_free(&before);
    counts_free(&after);
}

/* Said is what has no counts any more although a limit or the baseline has it, and what regions do not count.
 */
static void test_gone(void **state)
{
    struct counts before = begun(), after = begun();
    struct limits limits = {.usual = {.share = 0.01}};
    struct comparison comparison;
    (void)state;
    assert_null(read_text(
        &limits,
        "LOADS 0 routine hot\n* ignore routine cold\nDP_OPS 0 region solve\nLOADS 0 region solve\n"));
    put(&before, "hot", "a.c", 1, "x", "LOADS", 9);
    put(&before, "cold", "a.c", 2, "y", "LOADS", 1);
    put(&before, "cold", "a.c", 2, "y", "DP_OPS", 1);
    counts_object(&before, "/lib/one.so");
    put(&after, "other", "a.c", 3, "z", "LOADS", 8);
    put(&after, "other", "a.c", 3, "z", "DP_OPS", 1);
    counts_region(&before, "solve")->count[0].value = 5;
    counts_region(&after, "solve")->count[0].value = 5;
    counts_settle(&before);
    counts_settle(&after);
    static const char *const events[] = {"LOADS", "DP_OPS", NULL};
    compare(&comparison, &before, &after, &limits, events);
    assert_int_equal(comparison.n_notes, 3);
    assert_non_null(strstr(comparison.note[0], "one.so counted before and does not now"));
    assert_non_null(strstr(comparison.note[1], "routine hot has another name, or is a part of those"));
    assert_non_null(strstr(comparison.note[2], "regions do not count DP_OPS"));
    expect(change_of(&comparison, SCOPE_REGION, "LOADS"), VERDICT_SAME, 5, 5);
    assert_null(change_of(&comparison, SCOPE_REGION, "DP_OPS"));
    compare_free(&comparison);
    limits_free(&limits);
    counts_free(&before);
    counts_free(&after);
}

/* Processor time that counts do not explain is a note: twice as much, by a tenth of a second, on one kind of
 * processor. */
static void test_processor_time(void **state)
{
    static const struct {
        double before, after;
        uint64_t counts;
        const char *processor;
        bool said;
    } row[] = {{1, 2, 100, "A", false},   {1, 2.2, 100, "A", true},      {1, 2.2, 100, "B", false},
               {1, 2.2, 120, "A", false}, {0.04, 0.12, 100, "A", false}, {0.04, 0.2, 100, "A", true},
               {0, 9, 100, "A", false},   {1, 1, 40, "A", true}};
    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct counts before = begun(), after = begun();
        struct comparison comparison;
        put(&before, "f", "a.c", 1, "x", "INSTRUCTIONS", 100);
        put(&after, "f", "a.c", 1, "x", "INSTRUCTIONS", row[i].counts);
        before.processor = "A";
        after.processor = row[i].processor;
        before.processor_seconds = row[i].before;
        after.processor_seconds = row[i].after;
        counts_settle(&before);
        counts_settle(&after);
        compare(&comparison, &before, &after, &one_percent, NULL);
        assert_int_equal(comparison.n_notes, row[i].said);
        assert_true(!row[i].said || strncmp(comparison.note[0], "processor time was", 18) == 0);
        compare_free(&comparison);
        counts_free(&before);
        counts_free(&after);
    }
}

/* A limit of an event that neither result has is said, with the name that was meant; others are not. */
static void test_stray(void **state)
{
    struct counts before = begun(), after = begun();
    struct limits limits = {.usual = {.share = 0.01}};
    struct comparison comparison;
    (void)state;
    assert_null(read_text(&limits, "* 2%\nloads 1%\nLOADZ 0\n"));
    put(&before, "f", "a.c", 1, "x", "LOADS", 1);
    put(&after, "f", "a.c", 1, "x", "LOADS", 1);
    counts_settle(&before);
    counts_settle(&after);
    compare(&comparison, &before, &after, &limits, NULL);
    assert_int_equal(comparison.n_notes, 1);
    assert_non_null(strstr(comparison.note[0], "LOADZ"));
    assert_non_null(strstr(comparison.note[0], "the nearest is LOADS"));
    compare_free(&comparison);
    limits_free(&limits);
    counts_free(&before);
    counts_free(&after);
}

/* ---- sources */

static uint64_t code(const char *file, const char *line)
{
    struct source_reader reader;
    source_begin(&reader, file);
    return source_line(&reader, line);
}

/* Comments and blanks are no part of a line; what is in quotes is. */
static void test_code(void **state)
{
    static const struct {
        const char *file, *one, *other; /* other NULL: there is nothing in the line */
    } same[] = {
        {"a.c", "  x =  y; // z", "x = y;\n"},
        {"a.cpp", "x /* y */ = 1'000; // 'z", "x = 1'000;"},
        {"a.H", "/* x */", NULL},
        {"a.c", " \t\n", NULL},
        {"a.f90", "  x = y ! z", "x = y"},
        {"a.f90", "! x", NULL},
        {"a.F", "c     x = y", NULL},
        {"a.f", "*     x", NULL},
        {"a.f", "      x = 'it''s' ! so", "      x = 'it''s'"},
    };
    static const struct {
        const char *file, *one, *other;
    } differs[] = {
        {"a.c", "x = y;", "x = z;"},
        {"a.c", "s = \"// x\";", "s = \"// y\";"},
        {"a.c", "s = '\"'; // x", "s = '\"'; y"},
        {"a.f90", "s = '! x'", "s = '! y'"},
        {"a.f90", "!$omp parallel", "!$omp do"},
        {"a.f", "c$omp parallel", "c$omp do"},
        {"a.f", "     !  + x", "     !  + y"},
        {"a.c", "x y", "xy"},
        {"a.py", "x // y", "x // z"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        assert_true(code(same[i].file, same[i].one) ==
                    (same[i].other != NULL ? code(same[i].file, same[i].other) : 0));
    for (size_t i = 0; i < sizeof differs / sizeof *differs; i++)
        assert_true(code(differs[i].file, differs[i].one) != code(differs[i].file, differs[i].other));
    assert_true(source_shape(code("a.c", "a[i] = f1(x2);")) == source_shape(code("a.c", "bb[k9] = g(y_);")));
    assert_true(source_shape(code("a.c", "x * 2")) != source_shape(code("a.c", "x + 2")));
    assert_true(source_shape(code("a.c", "x * 2")) != source_shape(code("a.c", "x * 3")));
    struct source_reader reader;
    source_begin(&reader, "a.c");
    assert_true(source_line(&reader, "x; /* y") == code("a.c", "x;"));
    assert_true(source_line(&reader, "z") == 0);
    assert_true(source_line(&reader, "z */ w;") == code("a.c", "w;"));
}

static void put_source(struct counts *counts, const char *file, const char *const *line)
{
    struct source_reader reader;
    struct gate_source *source = counts_source(counts, file);
    source_begin(&reader, file);
    for (; *line != NULL; line++) {
        MEMORY_ONE_MORE(source->line, source->n, source->room);
        source->line[source->n++] =
            (struct gate_code){source_line(&reader, *line), counts_text(counts, *line)};
    }
}

/* A constant changes in one routine and has another do more: the line is named, behind those of the routine
 * that rose, before those in which a name alone differs. */
static void test_changed(void **state)
{
    static const char *const old[] = {"int x = 1;", "set() {", "n = 5;", "}", "/* a */",
                                      "run() {",    "a += b;", "old();", "}", NULL},
                             *const new[] = {"",        "int y = 1;",        "set() {", "n = 50;", "}",
                                             "run() {", "  a += b; /* b */", "",        "a *= 2;", "}",
                                             NULL};
    static const struct {
        int line, line_before;
        const char *routine;
        bool inside, renamed;
    } expected[] = {{9, 8, "run", true, false}, {4, 3, "set", true, false}, {2, 1, "set", false, true}};
    struct counts before = begun(), after = begun();
    struct comparison comparison;
    size_t number[5];
    (void)state;
    put(&before, "set", "a.c", 3, "n = 5;", "LOADS", 1);
    put(&before, "run", "a.c", 7, "a += b;", "LOADS", 100);
    put(&before, "run", "a.c", 9, "}", "LOADS", 1);
    put(&after, "set", "a.c", 4, "n = 50;", "LOADS", 1);
    put(&after, "run", "a.c", 7, "a += b;", "LOADS", 1000);
    put(&after, "run", "a.c", 10, "}", "LOADS", 1);
    put_source(&before, "a.c", old);
    put_source(&after, "a.c", new);
    counts_settle(&before);
    counts_settle(&after);
    compare(&comparison, &before, &after, &one_percent, NULL);
    assert_int_equal(comparison.n_changed, 3);
    assert_int_equal(changed_top(&comparison, 0, false, number, 5), 3);
    for (int i = 0; i < 3; i++) {
        const struct changed_line *changed = &comparison.changed[number[i]];
        assert_int_equal(changed->line, expected[i].line);
        assert_int_equal(changed->line_before, expected[i].line_before);
        assert_string_equal(changed->routine, expected[i].routine);
        assert_true(changed->inside == expected[i].inside && changed->renamed == expected[i].renamed);
    }
    compare_free(&comparison);
    /* Without a line in its place one is gone: all from the call on. */
    after.source[0].n = 7;
    compare(&comparison, &before, &after, &one_percent, NULL);
    assert_int_equal(changed_top(&comparison, 0, false, number, 5), 4);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(comparison.changed[number[i]].line, 0);
        assert_int_equal(comparison.changed[number[i]].line_before, 8 + i);
        assert_string_equal(comparison.changed[number[i]].text, old[7 + i]);
    }
    compare_free(&comparison);
    counts_free(&before);
    counts_free(&after);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_limit),          cmocka_unit_test(test_lines),
        cmocka_unit_test(test_shifted),        cmocka_unit_test(test_renamed),
        cmocka_unit_test(test_varies),         cmocka_unit_test(test_sometimes),
        cmocka_unit_test(test_least),          cmocka_unit_test(test_limits),
        cmocka_unit_test(test_rules),          cmocka_unit_test(test_notes),
        cmocka_unit_test(test_stray),          cmocka_unit_test(test_long_file),
        cmocka_unit_test(test_regions),        cmocka_unit_test(test_ranges),
        cmocka_unit_test(test_all_varies),     cmocka_unit_test(test_gone),
        cmocka_unit_test(test_processor_time), cmocka_unit_test(test_code),
        cmocka_unit_test(test_changed),        cmocka_unit_test(test_calls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

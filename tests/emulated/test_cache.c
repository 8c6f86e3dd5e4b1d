/* SPDX-License-Identifier: BSD-3-Clause */
/* The simulated caches: counts that follow from the definitions in events.def, derived where they are
 * demanded, and a comparison with a model written to be simple. */
#include "../under_valgrind.h"
#include "emulator/cache.h"
#include "formats/emulator_memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* ---- tools */

static uint64_t count[EMULATED_ROOM];

/* A model whose caches are those of text, and no counts yet. */
static struct cache_model *model_of(const char *text)
{
    struct cache_geometry geometry[CACHES];
    char message[200];
    if (cache_geometry_parse(text, geometry, message, sizeof message) != 0)
        fail_msg("%s", message);
    struct cache_model *model = cache_create(geometry);
    assert_non_null(model);
    memset(count, 0, sizeof count);
    return model;
}

static void load(struct cache_model *model, uint64_t address, unsigned size)
{
    cache_data(model, address, size, false, false, count);
}

static void store(struct cache_model *model, uint64_t address, unsigned size)
{
    cache_data(model, address, size, true, false, count);
}

/* As an emulator does that moves at most 8 bytes at once. */
static void load_in_parts(struct cache_model *model, uint64_t address, unsigned size)
{
    for (unsigned i = 0; i < size; i += 8)
        cache_data(model, address + i, 8, false, i > 0, count);
}

struct expected {
    enum emulated_event event;
    uint64_t count;
};

/* These counts, and zero for all others. */
static void assert_counts(const struct expected *expected, size_t n)
{
    static const char *const names[] = {
#define EVENT(name, description) #name,
#define CACHE_EVENT(name, description) #name,
#include "formats/emulator_events.def"
#undef EVENT
#undef CACHE_EVENT
    };
    uint64_t wanted[EMULATED_ROOM] = {0};
    for (size_t i = 0; i < n; i++)
        wanted[expected[i].event] = expected[i].count;
    for (int i = 0; i < EMULATED_ROOM; i++)
        if (count[i] != wanted[i])
            fail_msg("%s: %llu, and not %llu", i < EMULATED_EVENTS ? names[i] : "no event",
                     (unsigned long long)count[i], (unsigned long long)wanted[i]);
}

#define ASSERT_COUNTS(...)                                                                                   \
    assert_counts((const struct expected[]){__VA_ARGS__}, COUNT(((const struct expected[]){__VA_ARGS__})))

/* ---- sweeps */

/* 64 lines of 64 bytes in 16 sets. */
#define SMALL "L1d:4K:4:64"

static void test_stream(void **state)
{
    (void)state;
    /* 8 KiB, twice the cache, are 128 lines. Whatever the accesses are that walk through them, each line
     * misses with the first access that touches it; the others to it follow at once and hit. */
    static const unsigned sizes[] = {1, 2, 4, 8, 16, 32, 64};
    for (size_t i = 0; i < COUNT(sizes); i++) {
        struct cache_model *model = model_of(SMALL);
        for (uint64_t at = 0; at < 8192; at += sizes[i])
            load(model, 0x10000 + at, sizes[i]);
        ASSERT_COUNTS({EMULATED_L1D_READS, 8192 / sizes[i]}, {EMULATED_L1D_READ_MISSES, 128});
        cache_destroy(model);
    }
}

static void test_stream_in_parts(void **state)
{
    (void)state;
    /* 256 loads of 32 bytes, two for each of the 128 lines: the parts are not accesses. */
    struct cache_model *model = model_of(SMALL);
    for (uint64_t at = 0; at < 8192; at += 32)
        load_in_parts(model, 0x10000 + at, 32);
    ASSERT_COUNTS({EMULATED_L1D_READS, 256}, {EMULATED_L1D_READ_MISSES, 128});
    cache_destroy(model);
}

static void test_stream_unaligned(void **state)
{
    (void)state;
    /* 8-byte loads from 4 on: 1024 of them end at 8196. The lines 0 to 128 are touched, 129 of them; a
     * load that crosses from one into the next misses with the second only, the first load of all with
     * line 0. One miss for each line. */
    struct cache_model *model = model_of(SMALL);
    for (uint64_t at = 4; at < 8196; at += 8)
        load(model, 0x10000 + at, 8);
    ASSERT_COUNTS({EMULATED_L1D_READS, 1024}, {EMULATED_L1D_READ_MISSES, 129});
    cache_destroy(model);
}

static void test_crossing(void **state)
{
    (void)state;
    /* Line by line of an L2 that holds nothing yet. The first load touches two new lines: one miss, two
     * questions. The second touches one new line, the third none, the fourth (256 bytes) six lines of
     * which the first three are there. */
    struct cache_model *model = model_of(SMALL ",L2:64K:4:64");
    load(model, 0x10000 + 60, 8);
    ASSERT_COUNTS({EMULATED_L1D_READS, 1}, {EMULATED_L1D_READ_MISSES, 1}, {EMULATED_L2_READS, 2},
                  {EMULATED_L2_READ_MISSES, 2});
    load(model, 0x10000 + 124, 8);
    ASSERT_COUNTS({EMULATED_L1D_READS, 2}, {EMULATED_L1D_READ_MISSES, 2}, {EMULATED_L2_READS, 3},
                  {EMULATED_L2_READ_MISSES, 3});
    load(model, 0x10000 + 60, 8);
    ASSERT_COUNTS({EMULATED_L1D_READS, 3}, {EMULATED_L1D_READ_MISSES, 2}, {EMULATED_L2_READS, 3},
                  {EMULATED_L2_READ_MISSES, 3});
    load(model, 0x10000 + 32, 321);
    ASSERT_COUNTS({EMULATED_L1D_READS, 4}, {EMULATED_L1D_READ_MISSES, 3}, {EMULATED_L2_READS, 6},
                  {EMULATED_L2_READ_MISSES, 6});
    cache_destroy(model);
}

static void test_parts(void **state)
{
    (void)state;
    /* 32 bytes from 48 on: the parts at 48 and 56 are in line 0, those at 64 and 72 in line 1. Both
     * lines miss, of one access. */
    struct cache_model *model = model_of(SMALL ",L2:64K:4:64");
    load_in_parts(model, 48, 32);
    ASSERT_COUNTS({EMULATED_L1D_READS, 1}, {EMULATED_L1D_READ_MISSES, 1}, {EMULATED_L2_READS, 2},
                  {EMULATED_L2_READ_MISSES, 2});
    /* Line 1 is there, line 2 is not: what follows the first part misses, once. */
    load_in_parts(model, 112, 32);
    ASSERT_COUNTS({EMULATED_L1D_READS, 2}, {EMULATED_L1D_READ_MISSES, 2}, {EMULATED_L2_READS, 3},
                  {EMULATED_L2_READ_MISSES, 3});
    /* The next access is another one: that the last missed is forgotten. */
    load(model, 112, 8);
    load(model, 192, 8);
    ASSERT_COUNTS({EMULATED_L1D_READS, 4}, {EMULATED_L1D_READ_MISSES, 3}, {EMULATED_L2_READS, 4},
                  {EMULATED_L2_READ_MISSES, 4});
    cache_destroy(model);
}

/* Sweeps through some lines that begin at a multiple of the cache's size. */
static void sweep(struct cache_model *model, unsigned lines, unsigned stride, unsigned times)
{
    for (unsigned i = 0; i < times; i++)
        for (unsigned j = 0; j < lines; j++)
            load(model, 0x100000 + (uint64_t)j * stride, 8);
}

static void test_resident(void **state)
{
    (void)state;
    /* Exactly the size of the cache: only the first of ten sweeps misses. */
    struct cache_model *model = model_of(SMALL);
    sweep(model, 64, 64, 10);
    ASSERT_COUNTS({EMULATED_L1D_READS, 640}, {EMULATED_L1D_READ_MISSES, 64});
    cache_destroy(model);
}

static void test_one_line_too_many(void **state)
{
    (void)state;
    /* 65 lines: set 0 has five of them for its four ways, and the least recently used is always the next
     * to come. Its five lines miss in each of ten sweeps, the other 60 in the first. */
    struct cache_model *model = model_of(SMALL);
    sweep(model, 65, 64, 10);
    ASSERT_COUNTS({EMULATED_L1D_READS, 650}, {EMULATED_L1D_READ_MISSES, 60 + 5 * 10});
    cache_destroy(model);

    /* Fully associative, all are in one set: everything misses. */
    model = model_of("L1d:4K:full:64");
    sweep(model, 65, 64, 10);
    ASSERT_COUNTS({EMULATED_L1D_READS, 650}, {EMULATED_L1D_READ_MISSES, 650});
    cache_destroy(model);
}

static void test_stride(void **state)
{
    (void)state;
    /* A stride of sets * line = 1024 bytes goes to one set: four lines fit, five throw each other out. */
    struct cache_model *model = model_of(SMALL);
    sweep(model, 4, 1024, 10);
    ASSERT_COUNTS({EMULATED_L1D_READS, 40}, {EMULATED_L1D_READ_MISSES, 4});
    cache_destroy(model);
    model = model_of(SMALL);
    sweep(model, 5, 1024, 10);
    ASSERT_COUNTS({EMULATED_L1D_READS, 50}, {EMULATED_L1D_READ_MISSES, 50});
    cache_destroy(model);

    /* With 15 sets the lines that are 16 apart go to sets 1 apart: 60 of them fit. */
    model = model_of("L1d:3840:4:64");
    sweep(model, 60, 1024, 10);
    ASSERT_COUNTS({EMULATED_L1D_READS, 600}, {EMULATED_L1D_READ_MISSES, 60});
    cache_destroy(model);
    /* And those that are 15 apart to one. */
    model = model_of("L1d:3840:4:64");
    sweep(model, 5, 960, 10);
    ASSERT_COUNTS({EMULATED_L1D_READS, 50}, {EMULATED_L1D_READ_MISSES, 50});
    cache_destroy(model);
}

static void test_least_recently_used(void **state)
{
    (void)state;
    /* A cache of one set with three ways: A, B and C are brought in and A is used again, so D throws B out,
     * not A. */
    struct cache_model *model = model_of("L1d:192:3:64");
    static const char order[] = "ABCADACDB";
    static const char misses[] = "111010001"; /* the last B throws A out */
    for (size_t i = 0; i < sizeof order - 1; i++) {
        uint64_t before = count[EMULATED_L1D_READ_MISSES];
        load(model, (uint64_t)(order[i] - 'A') * 64, 8);
        assert_int_equal(count[EMULATED_L1D_READ_MISSES] - before, misses[i] - '0');
    }
    cache_destroy(model);
}

static void test_direct_mapped(void **state)
{
    (void)state;
    /* A cache with one way: two lines of the same set throw each other out, a line of another set stays. */
    struct cache_model *model = model_of("L1d:1K:1:64");
    for (int i = 0; i < 10; i++) {
        load(model, 0, 8);
        load(model, 1024, 8);
        load(model, 64, 8);
    }
    ASSERT_COUNTS({EMULATED_L1D_READS, 30}, {EMULATED_L1D_READ_MISSES, 10 + 10 + 1});
    cache_destroy(model);
}

static void test_ends_of_memory(void **state)
{
    (void)state;
    /* Line 0 is not an empty place, and the last line of all is a line too. */
    struct cache_model *model = model_of(SMALL);
    for (int i = 0; i < 2; i++) {
        load(model, 0, 8);
        load(model, UINT64_MAX - 7, 8);
    }
    ASSERT_COUNTS({EMULATED_L1D_READS, 4}, {EMULATED_L1D_READ_MISSES, 2});
    cache_destroy(model);
}

/* ---- levels and kinds */

static void test_write_allocate(void **state)
{
    (void)state;
    /* A store brings the line in for what comes after it, and a load does for stores. */
    struct cache_model *model = model_of(SMALL);
    store(model, 0, 8);
    load(model, 8, 8);
    load(model, 64, 8);
    store(model, 72, 8);
    ASSERT_COUNTS({EMULATED_L1D_READS, 2}, {EMULATED_L1D_WRITES, 2}, {EMULATED_L1D_READ_MISSES, 1},
                  {EMULATED_L1D_WRITE_MISSES, 1});
    cache_destroy(model);
}

static const uint8_t one_long = 4;

static void test_kinds(void **state)
{
    (void)state;
    /* L1 of 64 lines, L2 of 128, L3 of 256. Lines 0 to 99 read, 100 to 299 written, then 40 others
     * fetched: all miss everywhere. */
    struct cache_model *model = model_of("L1d:4K:4:64,L1i:4K:4:64,L2:8K:full:64,L3:16K:full:64");
    for (uint64_t i = 0; i < 300; i++)
        cache_data(model, i * 64, 8, i >= 100, false, count);
    for (uint64_t i = 1000; i < 1040; i++)
        cache_fetch(model, i * 64, &one_long, 1, count);
    ASSERT_COUNTS({EMULATED_L1D_READS, 100}, {EMULATED_L1D_READ_MISSES, 100}, {EMULATED_L1D_WRITES, 200},
                  {EMULATED_L1D_WRITE_MISSES, 200}, {EMULATED_L1I_FETCHES, 40}, {EMULATED_L1I_MISSES, 40},
                  {EMULATED_L2_READS, 100}, {EMULATED_L2_READ_MISSES, 100}, {EMULATED_L2_WRITES, 200},
                  {EMULATED_L2_WRITE_MISSES, 200}, {EMULATED_L2_FETCHES, 40}, {EMULATED_L2_FETCH_MISSES, 40},
                  {EMULATED_L3_READS, 100}, {EMULATED_L3_READ_MISSES, 100}, {EMULATED_L3_WRITES, 200},
                  {EMULATED_L3_WRITE_MISSES, 200}, {EMULATED_L3_FETCHES, 40}, {EMULATED_L3_FETCH_MISSES, 40});
    /* Now L3 has data lines 84 to 299 and the 40, L2 data lines 212 to 299 and the 40, L1D 236 to 299.
     * Read 240 (L1), fetch 220 (L2), write 100 (L3), read 80 (nowhere). Fetch 1010 (L1I). */
    memset(count, 0, sizeof count);
    load(model, 240 * 64, 8);
    cache_fetch(model, 220 * 64, &one_long, 1, count);
    store(model, 100 * 64, 8);
    load(model, 80 * 64, 8);
    cache_fetch(model, 1010 * 64, &one_long, 1, count);
    ASSERT_COUNTS({EMULATED_L1D_READS, 2}, {EMULATED_L1D_READ_MISSES, 1}, {EMULATED_L1D_WRITES, 1},
                  {EMULATED_L1D_WRITE_MISSES, 1}, {EMULATED_L1I_FETCHES, 2}, {EMULATED_L1I_MISSES, 1},
                  {EMULATED_L2_READS, 1}, {EMULATED_L2_READ_MISSES, 1}, {EMULATED_L2_WRITES, 1},
                  {EMULATED_L2_WRITE_MISSES, 1}, {EMULATED_L2_FETCHES, 1}, {EMULATED_L3_READS, 1},
                  {EMULATED_L3_READ_MISSES, 1}, {EMULATED_L3_WRITES, 1});
    cache_destroy(model);
}

static void test_line_sizes(void **state)
{
    (void)state;
    /* Lines of 128 bytes before lines of 32 before lines of 256. A load of line 0: four lines of L2,
     * which each ask for the same line of L3, where only the first misses. */
    struct cache_model *model = model_of("L1d:4K:4:128,L2:8K:4:32,L3:16K:4:256");
    load(model, 40, 8);
    ASSERT_COUNTS({EMULATED_L1D_READS, 1}, {EMULATED_L1D_READ_MISSES, 1}, {EMULATED_L2_READS, 4},
                  {EMULATED_L2_READ_MISSES, 4}, {EMULATED_L3_READS, 4}, {EMULATED_L3_READ_MISSES, 1});
    /* Line 1 of L1 is in line 0 of L3. */
    store(model, 128, 8);
    ASSERT_COUNTS({EMULATED_L1D_READS, 1}, {EMULATED_L1D_READ_MISSES, 1}, {EMULATED_L2_READS, 4},
                  {EMULATED_L2_READ_MISSES, 4}, {EMULATED_L3_READS, 4}, {EMULATED_L3_READ_MISSES, 1},
                  {EMULATED_L1D_WRITES, 1}, {EMULATED_L1D_WRITE_MISSES, 1}, {EMULATED_L2_WRITES, 4},
                  {EMULATED_L2_WRITE_MISSES, 4}, {EMULATED_L3_WRITES, 4});
    cache_destroy(model);
}

static void test_no_first_level(void **state)
{
    (void)state;
    /* Each access asks L2 for each line that it touches: 3 for the first line, 2 for the one that
     * crosses; one load in parts asks for a line once, as one that comes whole does. */
    struct cache_model *model = model_of("L2:8K:4:64");
    load(model, 0, 8);
    load(model, 0, 8);
    load(model, 8, 8);
    load(model, 60, 8);
    load_in_parts(model, 128, 32);
    load_in_parts(model, 176, 32);
    store(model, 0, 128);
    cache_fetch(model, 256, (const uint8_t[]){4, 4, 60, 4}, 4, count);
    ASSERT_COUNTS({EMULATED_L2_READS, 3 + 2 + 1 + 2}, {EMULATED_L2_READ_MISSES, 4}, {EMULATED_L2_WRITES, 2},
                  {EMULATED_L2_FETCHES, 5}, {EMULATED_L2_FETCH_MISSES, 2});
    cache_destroy(model);

    /* Without L2, its requests go to the next level. */
    model = model_of(SMALL ",L3:8K:4:64");
    sweep(model, 64, 64, 2);
    ASSERT_COUNTS({EMULATED_L1D_READS, 128}, {EMULATED_L1D_READ_MISSES, 64}, {EMULATED_L3_READS, 64},
                  {EMULATED_L3_READ_MISSES, 64});
    cache_destroy(model);
}

static void test_nothing(void **state)
{
    (void)state;
    struct cache_geometry none[CACHES] = {{0}};
    struct cache_model *model = cache_create(none);
    assert_non_null(model);
    memset(count, 0, sizeof count);
    load(model, 60, 8);
    cache_fetch(model, 256, (const uint8_t[]){4, 62}, 2, count);
    ASSERT_COUNTS({EMULATED_L1D_READS, 0});
    cache_destroy(model);
    cache_destroy(NULL);
}

/* ---- fetches */

static void test_fetch(void **state)
{
    (void)state;
    /* 60 bytes in line 0, then an instruction that crosses into line 1, one there, one that fills it to
     * the end, one at the start of line 2: 7 fetches; the first, the crossing one and the last miss. */
    static const uint8_t block[] = {15, 15, 30, 8, 4, 56, 4};
    struct cache_model *model = model_of("L1i:1K:4:64,L2:8K:4:64");
    cache_fetch(model, 0x400000, block, 7, count);
    ASSERT_COUNTS({EMULATED_L1I_FETCHES, 7}, {EMULATED_L1I_MISSES, 3}, {EMULATED_L2_FETCHES, 3},
                  {EMULATED_L2_FETCH_MISSES, 3});
    for (int i = 0; i < 9; i++)
        cache_fetch(model, 0x400000, block, 7, count);
    ASSERT_COUNTS({EMULATED_L1I_FETCHES, 70}, {EMULATED_L1I_MISSES, 3}, {EMULATED_L2_FETCHES, 3},
                  {EMULATED_L2_FETCH_MISSES, 3});
    /* No instruction, no fetch. */
    cache_fetch(model, 0x800000, block, 0, count);
    assert_int_equal(count[EMULATED_L1I_FETCHES], 70);
    cache_destroy(model);
}

static void test_fetch_crossing(void **state)
{
    (void)state;
    /* An instruction in two new lines is one fetch and one miss, of two lines. One that begins in front
     * of the line fetched last, and ends in it, looks into the line that it begins in. */
    struct cache_model *model = model_of("L1i:1K:4:64,L2:8K:4:64");
    cache_fetch(model, 0x400000 + 62, (const uint8_t[]){4}, 1, count);
    ASSERT_COUNTS({EMULATED_L1I_FETCHES, 1}, {EMULATED_L1I_MISSES, 1}, {EMULATED_L2_FETCHES, 2},
                  {EMULATED_L2_FETCH_MISSES, 2});
    cache_fetch(model, 0x500000 + 64, (const uint8_t[]){4}, 1, count);
    cache_fetch(model, 0x500000 + 62, (const uint8_t[]){4}, 1, count);
    ASSERT_COUNTS({EMULATED_L1I_FETCHES, 3}, {EMULATED_L1I_MISSES, 3}, {EMULATED_L2_FETCHES, 4},
                  {EMULATED_L2_FETCH_MISSES, 4});
    cache_destroy(model);
}

static void test_fetch_thrash(void **state)
{
    (void)state;
    /* Code of 2 KiB, fetched in turn through an L1I of 1 KiB, with instructions of 4 bytes: each line
     * misses in every round. Data in between, at the same addresses, has nothing to do with it. */
    static uint8_t block[512];
    memset(block, 4, sizeof block);
    struct cache_model *model = model_of("L1i:1K:4:64,L1d:1K:4:64");
    for (int i = 0; i < 10; i++) {
        cache_fetch(model, 0x400000, block, 512, count);
        load(model, 0x400000, 8);
    }
    ASSERT_COUNTS({EMULATED_L1I_FETCHES, 5120}, {EMULATED_L1I_MISSES, 320}, {EMULATED_L1D_READS, 10},
                  {EMULATED_L1D_READ_MISSES, 1});
    cache_destroy(model);
}

/* ---- a simple model */

/* Goes byte by byte, and looks for the line of each in a list in which every place has the time at
 * which it was used last. */
struct place {
    uint64_t line, used; /* 0: never */
};

struct simple {
    struct cache_geometry geometry[CACHES];
    struct place *place[CACHES];
    uint64_t time;
    uint64_t previous; /* the line of L1D, or of the level after a missing one, of the last byte */
    bool missed;
    uint64_t count[EMULATED_ROOM];
};

static void simple_create(struct simple *simple, const struct cache_geometry geometry[CACHES])
{
    memset(simple, 0, sizeof *simple);
    for (int i = 0; i < CACHES; i++) {
        simple->geometry[i] = geometry[i];
        if (geometry[i].size != 0)
            simple->place[i] = calloc(geometry[i].size / geometry[i].line, sizeof(struct place));
    }
}

static void simple_destroy(struct simple *simple)
{
    for (int i = 0; i < CACHES; i++)
        free(simple->place[i]);
}

static bool simple_has(struct simple *simple, int cache, uint64_t line)
{
    const struct cache_geometry *geometry = &simple->geometry[cache];
    uint64_t sets = geometry->size / geometry->line / geometry->ways;
    struct place *set = simple->place[cache] + line % sets * geometry->ways, *oldest = set;
    for (uint32_t i = 0; i < geometry->ways; i++) {
        if (set[i].used != 0 && set[i].line == line) {
            set[i].used = ++simple->time;
            return true;
        }
        if (set[i].used < oldest->used)
            oldest = &set[i];
    }
    *oldest = (struct place){line, ++simple->time};
    return false;
}

static int simple_next(const struct simple *simple, int cache)
{
    int next = cache <= CACHE_L1I ? CACHE_L2 : cache + 1;
    while (next < CACHES && simple->geometry[next].size == 0)
        next++;
    return next;
}

/* kind: 0 reads, 1 writes, 2 fetches. */
static void simple_ask(struct simple *simple, int cache, uint64_t from, uint64_t size, int kind)
{
    if (cache == CACHES)
        return;
    uint64_t line_size = simple->geometry[cache].line;
    int counter = (cache == CACHE_L2 ? EMULATED_L2_READS : EMULATED_L3_READS) + kind;
    for (uint64_t at = from; at < from + size; at++) {
        if (at != from && at % line_size != 0)
            continue;
        simple->count[counter]++;
        if (simple_has(simple, cache, at / line_size))
            continue;
        simple->count[counter + 3]++;
        simple_ask(simple, simple_next(simple, cache), at / line_size * line_size, line_size, kind);
    }
}

/* True if the first level missed. previous: the line in which these bytes continue, UINT64_MAX: none. */
static bool simple_first(struct simple *simple, int first, uint64_t from, uint64_t size, int kind,
                         uint64_t *previous)
{
    bool missed = false, there = simple->geometry[first].size != 0;
    int asked = there ? first : simple_next(simple, first);
    if (asked == CACHES)
        return false;
    uint64_t line_size = simple->geometry[asked].line;
    for (uint64_t at = from; at < from + size; at++) {
        uint64_t line = at / line_size;
        if (line == *previous)
            continue;
        *previous = line;
        if (!there) {
            simple_ask(simple, asked, line * line_size, line_size, kind);
        } else if (!simple_has(simple, first, line)) {
            missed = true;
            simple_ask(simple, simple_next(simple, first), line * line_size, line_size, kind);
        }
    }
    return missed;
}

static void simple_data(struct simple *simple, uint64_t address, unsigned size, bool writes, bool part)
{
    if (!part) {
        simple->count[EMULATED_L1D_READS + writes] += simple->geometry[CACHE_L1D].size != 0;
        simple->missed = false;
        simple->previous = UINT64_MAX;
    }
    bool missed = simple_first(simple, CACHE_L1D, address, size, writes, &simple->previous);
    simple->count[EMULATED_L1D_READ_MISSES + writes] += missed && !simple->missed;
    simple->missed |= missed;
}

static void simple_fetch(struct simple *simple, uint64_t address, const uint8_t *length, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        uint64_t previous = UINT64_MAX;
        simple->count[EMULATED_L1I_FETCHES] += simple->geometry[CACHE_L1I].size != 0;
        simple->count[EMULATED_L1I_MISSES] +=
            simple_first(simple, CACHE_L1I, address, length[i], 2, &previous);
        address += length[i];
    }
}

/* ---- the comparison */

static uint64_t pseudo_random(uint64_t below)
{
    static uint64_t x = 88172645463325252ULL; /* xorshift */
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    return (x >> 11) % below;
}

/* Mostly near the place before, sometimes anywhere: every level has hits and misses. */
static uint64_t wander(uint64_t *at, uint64_t span)
{
    switch (pseudo_random(8)) {
    case 0:
        *at = pseudo_random(span);
        break;
    case 1:
        *at = pseudo_random(span) / 8;
        break;
    case 2:
        *at = pseudo_random(span) / 64;
        break;
    default:
        *at += pseudo_random(96);
    }
    return *at + UINT64_C(0x7fff00000000);
}

static void random_data(struct cache_model *model, struct simple *simple, uint64_t address)
{
    static const unsigned sizes[] = {1, 2, 4, 8, 8, 8, 8, 16, 3, 64, 200};
    unsigned size = sizes[pseudo_random(COUNT(sizes))];
    bool writes = pseudo_random(3) == 0;
    if (pseudo_random(2) == 0)
        address -= address % size;
    unsigned parts = pseudo_random(4) == 0 ? (unsigned)pseudo_random(8) + 1 : 1;
    for (unsigned i = 0; i < parts; i++) {
        cache_data(model, address + i * size, size, writes, i > 0, count);
        simple_data(simple, address + i * size, size, writes, i > 0);
    }
}

static void random_fetch(struct cache_model *model, struct simple *simple, uint64_t address)
{
    uint8_t length[20];
    unsigned n = (unsigned)pseudo_random(COUNT(length)) + 1;
    for (unsigned i = 0; i < n; i++)
        length[i] = (uint8_t)(1 + pseudo_random(15));
    cache_fetch(model, address, length, n, count);
    simple_fetch(simple, address, length, n);
}

static void compare(const char *text, unsigned accesses)
{
    struct cache_geometry geometry[CACHES];
    char message[200];
    struct simple simple;
    struct cache_model *model = model_of(text);
    cache_geometry_parse(text, geometry, message, sizeof message);
    simple_create(&simple, geometry);
    uint64_t data = 0, code = 0;
    for (unsigned i = 0; i < accesses; i++) {
        if (pseudo_random(4) == 0)
            random_fetch(model, &simple, wander(&code, 1 << 18));
        else
            random_data(model, &simple, wander(&data, 1 << 20));
        if (memcmp(count, simple.count, sizeof count) != 0) {
            print_error("%s: access %u\n", text, i);
            for (int j = 0; j < EMULATED_EVENTS; j++)
                assert_int_equal(count[j], simple.count[j]);
        }
    }
    simple_destroy(&simple);
    cache_destroy(model);
}

static void test_compare(void **state)
{
    (void)state;
    /* A million accesses and blocks of instructions over all. */
    static const char *const texts[] = {
        "L1d:32K:8:64,L1i:32K:8:64,L2:128K:16:64,L3:512K:16:64",
        "L1d:48K:12:64,L1i:24K:6:64,L2:80K:20:64,L3:352K:11:64",    /* 64, 64, 64 and 512 sets */
        "L1d:1344:3:64,L1i:960:5:64,L2:37440:9:64,L3:155584:11:64", /* 7, 3, 65 and 221 sets */
        "L1d:4K:4:128,L1i:4K:4:16,L2:24K:6:32,L3:192K:3:256",
        "L1d:4K:4:8,L1i:1K:1:256,L2:24K:6:4096,L3:192K:3:16",
        "L1d:1K:full:64,L1i:512:full:32,L2:4K:full:64,L3:32K:full:128",
        "L1d:64:1:64,L1i:8:1:8,L2:192:3:64,L3:64:8:8",
        "L1d:4K:4:64",
        "L1i:4K:4:64",
        "L1d:4K:4:64,L2:48K:12:128",
        "L1i:4K:4:64,L3:96K:12:32",
        "L2:48K:6:64,L3:96K:12:64",
        "L2:48K:6:32,L3:96K:12:128",
        "L3:96K:12:64",
    };
    for (size_t i = 0; i < COUNT(texts); i++)
        compare(texts[i], (test_under_valgrind() ? 100000 : 1000000) / COUNT(texts) + 1);
}

/* ---- geometries */

static void test_texts(void **state)
{
    (void)state;
    static const struct {
        const char *text, *canonical;
    } good[] = {
        {"L1d:32K:8:64,L1i:32K:8:64,L2:1M:16:64,L3:32M:16:64",
         "L1d:32K:8:64,L1i:32K:8:64,L2:1M:16:64,L3:32M:16:64"},
        {"l3:32m:16:64,L1D:32k:8:64", "L1d:32K:8:64,L3:32M:16:64"},
        {"L1I:32KB:8:64,L2:1MiB:16:64,L3:1gib:16:64", "L1i:32K:8:64,L2:1M:16:64,L3:1G:16:64"},
        {"L1d:32768:8:64", "L1d:32K:8:64"},
        {"L1d:1984:31:64", "L1d:1984:31:64"},
        {"L2:1M", "L2:1M:8:64"},
        {"L2:1M:16", "L2:1M:16:64"},
        {"L1d:32K:full:64", "L1d:32K:512:64"},
        {"L1d:32K:FULL", "L1d:32K:512:64"},
        {"L3:36M:11:64", NULL}, /* 36 MiB is not a multiple of 11 * 64 */
        {"L3:36M:12:64", "L3:36M:12:64"},
        {"L3:1408K:11:64", "L3:1408K:11:64"}, /* 2048 sets */
        {"L3:1537K:12:1024", NULL},
        {"L3:1536K:12:1024", "L3:1536K:12:1024"},
        {"L1d:8:1:8", "L1d:8:1:8"},
        {"L1d:4K:1:4096", "L1d:4K:1:4096"},
        {"L3:1024G:4096:64", "L3:1024G:4096:64"},
        {"", NULL},
        {",", NULL},
        {"L1d", NULL},
        {"L1d:", NULL},
        {"L1d:32K:8:64,", NULL},
        {",L1d:32K:8:64", NULL},
        {"L1d:32K:8:64,,L2:1M:16:64", NULL},
        {"L1d:32K:8:64;L2:1M:16:64", NULL},
        {"L1:32K:8:64", NULL},
        {"L4:32K:8:64", NULL},
        {"32K:8:64", NULL},
        {"L1d:32K:8:64,L1d:32K:8:64", NULL},
        {"L1d:32K:8:64,l1D:64K:8:64", NULL},
        {"L1d:0:8:64", NULL},
        {"L1d:32K:0:64", NULL},
        {"L1d:32K:8:0", NULL},
        {"L1d:32K:full:0", NULL},
        {"L1d:-32K:8:64", NULL},
        {"L1d: 32K:8:64", NULL},
        {"L1d:+32K:8:64", NULL},
        {"L1d:0x8000:8:64", NULL},
        {"L1d:K:8:64", NULL},
        {"L1d:32T:8:64", NULL},
        {"L1d:32Ki:8:64", NULL},
        {"L1d:32B:8:64", NULL},
        {"L1d:32KK:8:64", NULL},
        {"L1d:1.5K:8:64", NULL},
        {"L1d:32K:8:64:1", NULL},
        {"L1d:32K::64", NULL},
        {"L1d:32K:8:", NULL},
        {"L1d:32K:eight:64", NULL},
        {"L1d:32K:8ways:64", NULL},
        {"L1d:32K:8:64B", NULL},
        {"L1d:32K:8:48", NULL},
        {"L1d:32K:8:4", NULL},
        {"L1d:64K:8:8192", NULL},
        {"L1d:32K:7:64", NULL},
        {"L1d:100:8:64", NULL},
        {"L1d:64K:full:8", NULL}, /* 8192 ways are too many */
        {"L1d:1M:8192:64", NULL},
        {"L1d:32K:4294967304:64", NULL}, /* 2**32 + 8 */
        {"L1d:32K:8:4294967360", NULL},
        {"L3:1025G:8:64", NULL},
        {"L3:17179869184G:8:64", NULL}, /* 2**64 */
        {"L3:18446744073709551616:8:64", NULL},
        {"L3:99999999999999999999999999999G:8:64", NULL},
        {"L1d:32K:8:0000000000000000000000000000000000000000000000000000000000064", NULL},
        {"L1d:32K:8:64\n", NULL},
        {"%s%n:32K:8:64", NULL},
    };
    for (size_t i = 0; i < COUNT(good); i++) {
        struct cache_geometry geometry[CACHES], again[CACHES];
        char message[200] = "", text[CACHE_TEXT];
        int result = cache_geometry_parse(good[i].text, geometry, message, sizeof message);
        if (result != (good[i].canonical == NULL ? -1 : 0))
            fail_msg("\"%s\": %d, %s", good[i].text, result, message);
        assert_int_equal(message[0] != '\0', result != 0);
        if (result != 0)
            continue;
        cache_geometry_text(geometry, text, sizeof text);
        assert_string_equal(text, good[i].canonical);
        assert_int_equal(cache_geometry_parse(text, again, message, sizeof message), 0);
        assert_memory_equal(again, geometry, sizeof geometry);
    }
}

static void test_parsed(void **state)
{
    (void)state;
    struct cache_geometry geometry[CACHES];
    char message[200];
    memset(geometry, 0xff, sizeof geometry);
    assert_int_equal(cache_geometry_parse("L2:1M:16:128,L1d:48K:12:64", geometry, message, sizeof message),
                     0);
    assert_int_equal(geometry[CACHE_L1D].size, 48 * 1024);
    assert_int_equal(geometry[CACHE_L1D].ways, 12);
    assert_int_equal(geometry[CACHE_L1D].line, 64);
    assert_int_equal(geometry[CACHE_L1I].size, 0);
    assert_int_equal(geometry[CACHE_L2].size, 1024 * 1024);
    assert_int_equal(geometry[CACHE_L2].ways, 16);
    assert_int_equal(geometry[CACHE_L2].line, 128);
    assert_int_equal(geometry[CACHE_L3].size, 0);
}

static void test_messages(void **state)
{
    (void)state;
    struct cache_geometry geometry[CACHES];
    char message[200];
    assert_int_equal(cache_geometry_parse("L1d:32K,L9:1M", geometry, message, sizeof message), -1);
    assert_string_equal(message, "\"L9:1M\": the caches are L1d, L1i, L2 and L3");
    assert_int_equal(cache_geometry_parse("L1d:33K:9:64", geometry, message, sizeof message), -1);
    assert_string_equal(message,
                        "\"L1d:33K:9:64\": the size is not a multiple of the ways times the bytes of a line");
    /* No more than the room that there is; none is not a reason to fall. */
    memset(message, 'x', sizeof message);
    assert_int_equal(cache_geometry_parse("L9:1M", geometry, message, 6), -1);
    assert_string_equal(message, "\"L9:1");
    assert_int_equal(message[6], 'x');
    assert_int_equal(cache_geometry_parse("L9:1M", geometry, NULL, 0), -1);
}

static void test_canonical_room(void **state)
{
    (void)state;
    /* The longest text has room; a shorter one is cut off, at any place. */
    struct cache_geometry geometry[CACHES];
    char text[CACHE_TEXT], cut[CACHE_TEXT];
    for (int i = 0; i < CACHES; i++)
        geometry[i] = (struct cache_geometry){UINT64_MAX, UINT32_MAX, UINT32_MAX};
    cache_geometry_text(geometry, text, sizeof text);
    assert_non_null(strstr(text, ",L3:18446744073709551615:4294967295:4294967295"));
    for (unsigned size = 1; size < sizeof cut; size++) {
        memset(cut, 'x', sizeof cut);
        cache_geometry_text(geometry, cut, size);
        assert_int_equal(strlen(cut), size - 1 < strlen(text) ? size - 1 : strlen(text));
        assert_memory_equal(cut, text, strlen(cut));
        assert_int_equal(cut[size], 'x');
    }
    cut[0] = 'x';
    cache_geometry_text(geometry, cut, 0);
    assert_int_equal(cut[0], 'x');
    memset(geometry, 0, sizeof geometry);
    cache_geometry_text(geometry, text, sizeof text);
    assert_string_equal(text, "");
}

static void test_impossible(void **state)
{
    (void)state;
    static const struct cache_geometry impossible[] = {
        {32768, 0, 64},
        {32768, 8, 0},
        {32768, 8, 48},
        {32768, 7, 64},
        {32768, 8192, 4},
        {100, 1, 64},
        {UINT64_MAX, 1, 64},
        {UINT64_MAX - 63, 1, 64},
        {1ULL << 63, 1, 8},
        {1ULL << 50, 16, 64},
        {1ULL << 40, 1, 1u << 31},
        {32768, UINT32_MAX, UINT32_MAX},
    };
    for (size_t i = 0; i < COUNT(impossible); i++)
        for (int j = 0; j < CACHES; j++) {
            struct cache_geometry geometry[CACHES] = {{0}};
            geometry[j] = impossible[i];
            assert_non_null(cache_geometry_fault(&impossible[i]));
            assert_null(cache_create(geometry));
        }
}

static void test_large(void **state)
{
    (void)state;
    /* The largest that may be described: there is address space for it, or there is not. */
    struct cache_geometry geometry[CACHES] = {{0}};
    geometry[CACHE_L2] = geometry[CACHE_L3] = (struct cache_geometry){1ULL << 40, 1, 8};
    struct cache_model *model = cache_create(geometry);
    if (model != NULL)
        cache_data(model, UINT64_MAX, 1, true, false, count);
    cache_destroy(model);
}

/* Pages of this process that are in memory. */
static long resident_pages(void)
{
    long all, resident = 0;
    FILE *in = fopen("/proc/self/statm", "r");
    assert_non_null(in);
    assert_int_equal(fscanf(in, "%ld %ld", &all, &resident), 2);
    fclose(in);
    return resident;
}

static void test_many_threads(void **state)
{
    (void)state;
    /* 100 threads with an L3 of 256 MiB, of 4 Mi lines and thus 32 MiB of tags, which each walk through
     * 64 KiB: 1024 sets of 16 ways in L3 and as many in L2 are 256 KiB. All, made and used twice, stay
     * far below what one in a hundred of them would take for itself when cleared. */
    static struct cache_model *models[100];
    long before = resident_pages();
    for (int round = 0; round < 2; round++) {
        for (size_t i = 0; i < COUNT(models); i++) {
            models[i] = model_of("L1d:32K:8:64,L1i:32K:8:64,L2:1M:16:64,L3:256M:16:64");
            for (uint64_t at = 0; at < 65536; at += 64)
                load(models[i], at, 8);
        }
        long pages = resident_pages() - before;
        assert_true(pages < (long)COUNT(models) * 150); /* of 4 KiB, or fewer of larger ones */
        for (size_t i = 0; i < COUNT(models); i++)
            cache_destroy(models[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stream),
        cmocka_unit_test(test_stream_in_parts),
        cmocka_unit_test(test_stream_unaligned),
        cmocka_unit_test(test_crossing),
        cmocka_unit_test(test_parts),
        cmocka_unit_test(test_resident),
        cmocka_unit_test(test_one_line_too_many),
        cmocka_unit_test(test_stride),
        cmocka_unit_test(test_least_recently_used),
        cmocka_unit_test(test_direct_mapped),
        cmocka_unit_test(test_ends_of_memory),
        cmocka_unit_test(test_write_allocate),
        cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_line_sizes),
        cmocka_unit_test(test_no_first_level),
        cmocka_unit_test(test_nothing),
        cmocka_unit_test(test_fetch),
        cmocka_unit_test(test_fetch_crossing),
        cmocka_unit_test(test_fetch_thrash),
        cmocka_unit_test(test_compare),
        cmocka_unit_test(test_texts),
        cmocka_unit_test(test_parsed),
        cmocka_unit_test(test_messages),
        cmocka_unit_test(test_canonical_room),
        cmocka_unit_test(test_impossible),
        cmocka_unit_test(test_large),
        cmocka_unit_test(test_many_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Samples of accesses become data by name. The records are made here, as the kernel and the preloaded library
 * write them, for this program's own mappings: its variables are named by its own symbols.
 */
#include "formats/allocation_record.h"
#include "made_records.h"
#include "profile/memory_samples.h"
#include "profile/sampler.h"
#include "tools/common/allocate.h"

#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
/* after those that it needs */
#include <cmocka.h>

double sampled_in_data[512] = {1}, sampled_in_bss[512];
_Alignas(64) int sampled_line[32]; /* two lines */

/* A load of four bytes, whose length the samples do not say. */
void sampled_load(void);
#if defined(__x86_64__)
enum { LOAD_BYTES = 4 };
__asm__(".text\n.type sampled_load, @function\nsampled_load: movl (%rdi), %eax\nret\n.size sampled_load, . - "
        "sampled_load");
#elif defined(__aarch64__)
enum { LOAD_BYTES = 4 };
__asm__(".text\n.type sampled_load, %function\nsampled_load: ldr w0, [x0]\nret\n.size sampled_load, . - "
        "sampled_load");
#else
enum { LOAD_BYTES = 0 }; /* of other processors no instruction is decoded */
void sampled_load(void)
{
}
#endif

void memory_is_out(void)
{
    abort();
}

/* Its code is where all samples and allocations are. */
static __attribute__((noinline)) double sampled_work(const double *x)
{
    double s = 0;
    for (int i = 0; i < 512; i++)
        s += x[i];
    return s;
}

enum { CHILD = 101, TYPE = SAMPLER_TYPE | PERF_SAMPLE_ADDR | PERF_SAMPLE_WEIGHT | PERF_SAMPLE_DATA_SRC };
enum { HEAP = 0x10000000 };

/* ---- records */

struct sample_made {
    struct perf_event_header header;
    uint64_t id, ip;
    uint32_t pid, tid;
    uint64_t time, address, period, weight, source;
};

static void sample(struct sampler *sampler, uint32_t pid, uint64_t time, uint64_t address, uint16_t mode)
{
    const struct sample_made record = {.header = {PERF_RECORD_SAMPLE, mode, sizeof record},
                                       .id = ID,
                                       .ip = (uint64_t)(uintptr_t)sampled_work,
                                       .pid = pid,
                                       .tid = pid,
                                       .time = time,
                                       .address = address,
                                       .period = 1000,
                                       .weight = 100 + time,
                                       .source = PERF_MEM_S(OP, LOAD) | PERF_MEM_S(LVL, HIT) |
                                                 PERF_MEM_S(LVL, LOC_RAM)};
    write_all(sampler, &record, sizeof record);
}

#define FROM_L1 (PERF_MEM_S(OP, LOAD) | PERF_MEM_S(LVL, HIT) | PERF_MEM_S(LVL, L1))
#define FROM_OTHER_CORE                                                                                      \
    (PERF_MEM_S(OP, LOAD) | PERF_MEM_S(LVL, HIT) | PERF_MEM_S(LVL, L3) | PERF_MEM_S(SNOOP, HITM))
#define STORED (PERF_MEM_S(OP, STORE) | PERF_MEM_S(LVL, HIT) | PERF_MEM_S(LVL, L1))

/* An access of 100 cycles by a thread of a process. */
static void access_by(struct sampler *sampler, uint32_t pid, uint32_t tid, uint64_t time, const int *where,
                      uint64_t source)
{
    const struct sample_made record = {.header = {PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, sizeof record},
                                       .id = ID,
                                       .ip = (uint64_t)(uintptr_t)sampled_load,
                                       .pid = pid,
                                       .tid = tid,
                                       .time = time,
                                       .address = (uint64_t)(uintptr_t)where,
                                       .period = 1000,
                                       .weight = 100,
                                       .source = source};
    write_all(sampler, &record, sizeof record);
}

static void allocation(struct sampler *sampler, uint32_t type, uint32_t pid, uint64_t time, uint64_t address,
                       uint64_t bytes)
{
    const struct allocation_record record = {.type = type,
                                             .size = sizeof record,
                                             .pid = pid,
                                             .tid = pid,
                                             .address = address,
                                             .bytes = bytes,
                                             .caller = (uint64_t)(uintptr_t)sampled_work + 4,
                                             .same_pid = pid,
                                             .same_tid = pid,
                                             .time = time};
    write_all(sampler, &record, sizeof record);
}

static void fork_child(struct sampler *sampler, uint64_t time)
{
    struct {
        struct perf_event_header header;
        uint32_t pid, parent, tid, parent_tid;
        uint64_t time;
        struct trailer trailer;
    } record = {{PERF_RECORD_FORK, 0, sizeof record}, CHILD, PID, CHILD, PID, time, {PID, PID, time, ID}};
    write_all(sampler, &record, sizeof record);
}

/* ---- what becomes of them */

struct result {
    struct sampler sampler;
    struct profile profile;
};

static void begin(struct result *result)
{
    *result =
        (struct result){.sampler = {.n_events = 1, .data = true, .sample_type = {TYPE}, .line_bytes = 64},
                        .profile = {.n_events = 1}};
    begin_records(&result->sampler);
}

static void make(struct result *result)
{
    struct reason why;
    assert_int_equal(replay(&result->profile, &result->sampler, STACKS_NONE, &why), PAPI_OK);
}

static void end(struct result *result)
{
    close(result->sampler.spool);
    index_free(&result->sampler.ids);
    profile_free(&result->profile);
}

/* The number of samples of a kind of data, of a variable that of its name, at which latencies summed up. */
static int count(const struct profile *profile, int kind, const char *name, int *latencies)
{
    int n = 0;
    *latencies = 0;
    for (int i = 0; i < profile->data_samples.n; i++) {
        const struct datum_sample *found = index_key(&profile->data_samples, i);
        const struct datum *datum = index_key(&profile->data, found->datum);
        if (datum->kind != kind || (name != NULL && strcmp(profile_text(profile, datum->name), name) != 0))
            continue;
        n += (int)profile->n_data_samples[i];
        *latencies += found->latency * (int)profile->n_data_samples[i];
        assert_int_equal(found->level, MEMORY_LOCAL);
        const struct place *place = profile_place_at(profile, found->place);
        assert_string_equal(profile_text(profile, profile_routine_at(profile, place->routine)->name),
                            "sampled_work");
    }
    return n;
}

static uint64_t address_of(const double *x)
{
    return (uint64_t)(uintptr_t)x;
}

/* ---- tests */

static void variables_have_their_names(void **state)
{
    (void)state;
    struct result result;
    uint64_t local = 0;
    int latencies;
    begin(&result);
    sample(&result.sampler, PID, 10, address_of(&sampled_in_data[3]), PERF_RECORD_MISC_USER);
    sample(&result.sampler, PID, 11, address_of(&sampled_in_bss[511]) + 7, PERF_RECORD_MISC_USER);
    sample(&result.sampler, PID, 12, address_of(&sampled_in_bss[0]), PERF_RECORD_MISC_USER);
    sample(&result.sampler, PID, 13, (uint64_t)(uintptr_t)&local, PERF_RECORD_MISC_USER);
    sample(&result.sampler, PID, 14, HEAP, PERF_RECORD_MISC_USER);
    make(&result);
    assert_int_equal(count(&result.profile, DATUM_VARIABLE, "sampled_in_data", &latencies), 1);
    assert_int_equal(latencies, 110);
    assert_int_equal(count(&result.profile, DATUM_VARIABLE, "sampled_in_bss", &latencies), 2);
    assert_int_equal(latencies, 111 + 112);
    assert_int_equal(count(&result.profile, DATUM_STACK, NULL, &latencies), 1);
    assert_int_equal(count(&result.profile, DATUM_UNSEEN, NULL, &latencies), 1);
    assert_int_equal(result.profile.event[0].samples, 5);
    assert_int_equal(result.profile.event[0].sum, 5000);
    end(&result);
}

/* Allocations are written behind the samples, and belong between them: an address is of what is there at the
 * time. */
static void memory_is_used_again(void **state)
{
    (void)state;
    struct result result;
    int latencies;
    begin(&result);
    for (uint64_t time = 10; time < 50; time += 10)
        sample(&result.sampler, PID, time, HEAP + 8, PERF_RECORD_MISC_USER);
    allocation(&result.sampler, ALLOCATION_MADE, PID, 15, HEAP, 4096);
    allocation(&result.sampler, ALLOCATION_FREED, PID, 25, HEAP, 0);
    allocation(&result.sampler, ALLOCATION_MADE, PID, 35, HEAP - 16, 64);
    make(&result);
    assert_int_equal(count(&result.profile, DATUM_ALLOCATED, NULL, &latencies), 2);
    assert_int_equal(latencies, 120 + 140 /* rounded to seven bits */);
    assert_int_equal(count(&result.profile, DATUM_OTHER, NULL, &latencies), 2);
    assert_int_equal(latencies, 110 + 130);
    assert_int_equal(count(&result.profile, DATUM_UNSEEN, NULL, &latencies), 0);
    end(&result);
}

/* A child has its parent's allocations, and frees its own. */
static void children_have_their_own(void **state)
{
    (void)state;
    struct result result;
    int latencies;
    begin(&result);
    allocation(&result.sampler, ALLOCATION_MADE, PID, 10, HEAP, 4096);
    fork_child(&result.sampler, 11);
    sample(&result.sampler, CHILD, 12, HEAP, PERF_RECORD_MISC_USER);
    allocation(&result.sampler, ALLOCATION_FREED, CHILD, 13, HEAP, 0);
    sample(&result.sampler, CHILD, 14, HEAP, PERF_RECORD_MISC_USER);
    sample(&result.sampler, PID, 15, HEAP, PERF_RECORD_MISC_USER);
    make(&result);
    assert_int_equal(count(&result.profile, DATUM_ALLOCATED, NULL, &latencies), 2);
    assert_int_equal(latencies, 112 + 115);
    assert_int_equal(result.profile.n_processes, 2);
    end(&result);
}

/* The kernel's own accesses, samples of others, and what is no sample are not the program's. */
static void others_are_left_out(void **state)
{
    (void)state;
    struct result result;
    uint64_t words[5] = {0, ID, 1, 1, 10};
    const struct perf_event_header header = {PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, sizeof words};
    int latencies;
    begin(&result);
    sample(&result.sampler, PID, 10, address_of(sampled_in_data), PERF_RECORD_MISC_KERNEL);
    memcpy(words, &header, sizeof header);
    write_all(&result.sampler, words, sizeof words); /* its fields end with the time */
    words[1] = ID + 1;
    write_all(&result.sampler, words, sizeof words); /* of no event of these */
    make(&result);
    assert_int_equal(count(&result.profile, DATUM_VARIABLE, NULL, &latencies), 0);
    assert_int_equal(result.profile.data_samples.n, 0);
    assert_int_equal(result.profile.lost, 1);
    end(&result);
}

/* Long latencies keep seven bits, and are off by less than one in a hundred. */
static void latencies_are_rounded(void **state)
{
    (void)state;
    const int latency[] = {127, 128, 129, 1000, 65535};
    for (size_t i = 0; i < sizeof latency / sizeof latency[0]; i++) {
        struct result result;
        int found;
        begin(&result);
        sample(&result.sampler, PID, (uint64_t)latency[i] - 100, address_of(sampled_in_data),
               PERF_RECORD_MISC_USER);
        make(&result);
        assert_int_equal(count(&result.profile, DATUM_VARIABLE, "sampled_in_data", &found), 1);
        assert_true(abs(found - latency[i]) * 100 < latency[i]);
        assert_true(latency[i] > 128 || found == latency[i]);
        end(&result);
    }
}

/* ---- lines that threads share */

/* The samples that are alike in all of this; width 0: any. */
static int uses(const struct profile *profile, int line, int thread, int offset, int width, int store,
                int moved)
{
    uint64_t n = 0;
    for (int i = 0; i < profile->line_uses.n; i++) {
        const struct line_use *use = index_key(&profile->line_uses, i);
        const struct line_use_counts *counts = &profile->line_use_counts[i];
        if (use->line != line || use->thread != thread || use->offset != offset || use->width != width ||
            use->store != store || use->moved != moved)
            continue;
        const struct datum *datum = index_key(&profile->data, use->datum);
        assert_string_equal(profile_text(profile, datum->name), "sampled_line");
        assert_int_equal(use->within % 64, offset);
        assert_int_equal(counts->wait, store ? 0 : 100 * counts->samples);
        assert_true(counts->squares == 100.0 * (double)counts->wait);
        n += counts->samples;
    }
    return (int)n;
}

enum { FIRST = PID, SECOND = 200 };

/* Two threads that write different bytes of the first line, of which loads found it in the other's cache. */
static void write_both(struct sampler *sampler)
{
    for (uint64_t i = 0; i < 3; i++) {
        access_by(sampler, PID, FIRST, 10 + 4 * i, &sampled_line[0], FROM_OTHER_CORE);
        access_by(sampler, PID, FIRST, 11 + 4 * i, &sampled_line[0], STORED);
        access_by(sampler, PID, SECOND, 12 + 4 * i, &sampled_line[4], i == 0 ? FROM_L1 : FROM_OTHER_CORE);
        access_by(sampler, PID, SECOND, 13 + 4 * i, &sampled_line[4], STORED);
    }
}

static void shared_lines_are_found(void **state)
{
    (void)state;
    for (int exact = 0; exact < 2; exact++) {
        struct result result;
        int width = exact ? LOAD_BYTES : 0;
        begin(&result);
        result.sampler.exact[0] = exact;
        write_both(&result.sampler);
        make(&result);
        const struct profile *profile = &result.profile;
        assert_int_equal(profile->line_bytes, 64);
        assert_int_equal(profile->lines.n, 1);
        const struct shared_line *line = index_key(&profile->lines, 0);
        assert_int_equal(line->address, (uintptr_t)sampled_line);
        assert_int_equal(profile->process[line->process].pid, PID);
        assert_int_equal(profile->line_uses.n, 5);
        assert_int_equal(uses(profile, 0, FIRST, 0, width, 0, 1), 3);
        assert_int_equal(uses(profile, 0, FIRST, 0, width, 1, 0), 3);
        assert_int_equal(uses(profile, 0, SECOND, 16, width, 0, 1), 2);
        assert_int_equal(uses(profile, 0, SECOND, 16, width, 0, 0), 1);
        assert_int_equal(uses(profile, 0, SECOND, 16, width, 1, 0), 3);
        end(&result);
    }
}

/* A part of the next line is cut off: an access at the end of a line has no more bytes than that. */
static void lines_end(void **state)
{
    (void)state;
    struct result result;
    begin(&result);
    result.sampler.exact[0] = true;
    const int *last = (const int *)(const void *)((const char *)sampled_line + 62);
    access_by(&result.sampler, PID, FIRST, 10, last, FROM_OTHER_CORE);
    access_by(&result.sampler, PID, SECOND, 10, &sampled_line[0], STORED);
    make(&result);
    assert_int_equal(uses(&result.profile, 0, FIRST, 62, LOAD_BYTES > 0 ? 2 : 0, 0, 1), 1);
    end(&result);
}

/* Accesses that are no sharing: of one thread alone, without a store, in lines that stay where they are, one
 * thread after the other, and the same addresses in two processes. */
static void others_share_nothing(void **state)
{
    (void)state;
    struct result result;
    for (int way = 0; way < 5; way++) {
        begin(&result);
        struct sampler *sampler = &result.sampler;
        for (uint64_t i = 0; i < 3; i++) {
            access_by(sampler, PID, FIRST, 10 + i, &sampled_line[0], way == 2 ? FROM_L1 : FROM_OTHER_CORE);
            access_by(sampler, PID, FIRST, 10 + i, &sampled_line[1], way == 1 ? FROM_L1 : STORED);
            if (way == 1 || way == 2)
                access_by(sampler, PID, SECOND, 10 + i, &sampled_line[2], FROM_L1);
            if (way == 3)
                access_by(sampler, PID, SECOND, 20 + i, &sampled_line[2], FROM_OTHER_CORE);
            if (way == 4)
                access_by(sampler, SECOND, SECOND, 10 + i, &sampled_line[2], FROM_OTHER_CORE);
        }
        make(&result);
        assert_int_equal(result.profile.lines.n, 0);
        assert_int_equal(result.profile.line_uses.n, 0);
        assert_true(result.profile.data_samples.n > 0);
        end(&result);
    }
}

/* Two lines of one array are two. */
static void each_line_for_itself(void **state)
{
    (void)state;
    struct result result;
    begin(&result);
    write_both(&result.sampler);
    access_by(&result.sampler, PID, FIRST, 10, &sampled_line[16], STORED);
    access_by(&result.sampler, PID, SECOND, 10, &sampled_line[17], FROM_OTHER_CORE);
    access_by(&result.sampler, PID, SECOND, 10, &sampled_line[31], FROM_L1);
    make(&result);
    assert_int_equal(result.profile.lines.n, 2);
    assert_int_equal(uses(&result.profile, 1, FIRST, 0, 0, 1, 0), 1);
    assert_int_equal(uses(&result.profile, 1, SECOND, 4, 0, 0, 1), 1);
    assert_int_equal(uses(&result.profile, 1, SECOND, 60, 0, 0, 0), 1);
    end(&result);
}

/* The same by registers of IBS, whose loads say that another core's cache had the line. */
static void ibs_by(struct sampler *sampler, uint32_t tid, uint64_t time, const int *where, bool store)
{
    const uint64_t valid = UINT64_C(1) << 17, missed = UINT64_C(1) << 7 | UINT64_C(1) << 20;
    const uint32_t raw_size = 4 + 7 * 8;
    struct {
        struct perf_event_header header;
        uint64_t id, ip;
        uint32_t pid, tid;
        uint64_t time, address, period;
        uint32_t raw_size, capabilities;
        uint64_t control, rip, data, data2, data3, linear, physical, weight, source;
    } record = {.header = {PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, sizeof record},
                .id = ID,
                .ip = (uint64_t)(uintptr_t)sampled_load + 4,
                .pid = PID,
                .tid = tid,
                .time = time,
                .period = 1000,
                .raw_size = raw_size,
                .rip = (uint64_t)(uintptr_t)sampled_load,
                .data2 = store ? 0 : 2,
                .data3 = valid | (store ? 2 : 1 | missed | UINT64_C(100) << 32),
                .linear = (uint64_t)(uintptr_t)where};
    write_all(sampler, &record, sizeof record);
}

static void shared_lines_of_ibs(void **state)
{
    (void)state;
    struct result result;
    begin(&result);
    result.sampler.sample_type[0] = TYPE | PERF_SAMPLE_RAW;
    result.sampler.ibs[0] = result.sampler.exact[0] = true;
    for (uint64_t i = 0; i < 3; i++) {
        ibs_by(&result.sampler, FIRST, 10 + i, &sampled_line[0], false);
        ibs_by(&result.sampler, SECOND, 10 + i, &sampled_line[8], true);
    }
    make(&result);
    assert_int_equal(result.profile.lines.n, 1);
    assert_int_equal(uses(&result.profile, 0, FIRST, 0, LOAD_BYTES, 0, 1), 3);
    assert_int_equal(uses(&result.profile, 0, SECOND, 32, LOAD_BYTES, 1, 0), 3);
    assert_int_equal(result.profile.line_uses.n, 2);
    end(&result);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(variables_have_their_names),
        cmocka_unit_test(memory_is_used_again),
        cmocka_unit_test(children_have_their_own),
        cmocka_unit_test(others_are_left_out),
        cmocka_unit_test(latencies_are_rounded),
        cmocka_unit_test(shared_lines_are_found),
        cmocka_unit_test(lines_end),
        cmocka_unit_test(others_share_nothing),
        cmocka_unit_test(each_line_for_itself),
        cmocka_unit_test(shared_lines_of_ibs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Samples of the kernel, from records that are made here as linux/perf_event.h describes them: with every
 * field alone and with all of them, whole and cut at every byte.
 */
#include "formats/data_source.h"
#include "formats/perf_memory.h"
#include "formats/sample_record.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
/* after those that it needs */
#include <cmocka.h>

enum { ROOM = 1024 };

struct bytes {
    uint8_t byte[ROOM];
    size_t n;
};

static void put(struct bytes *to, uint64_t value)
{
    memcpy(to->byte + to->n, &value, sizeof value);
    to->n += sizeof value;
}

static void put_pair(struct bytes *to, uint32_t first, uint32_t second)
{
    memcpy(to->byte + to->n, &first, sizeof first);
    memcpy(to->byte + to->n + sizeof first, &second, sizeof second);
    to->n += sizeof first + sizeof second;
}

/* A record's fields by themselves, each with a value of its own. The middle of three registers is not asked
 * for. */
static const struct sample_layout layout = {
    .branches = BRANCH_HW_INDEX | BRANCH_COUNTERS,
    .counts = PERF_FORMAT_GROUP | PERF_FORMAT_ID | FORMAT_LOST | PERF_FORMAT_TOTAL_TIME_ENABLED |
              PERF_FORMAT_TOTAL_TIME_RUNNING,
    .user_registers = 5,
    .interrupt_registers = 1,
};

static void put_counts(struct bytes *to)
{
    put(to, 2);
    put(to, 1000); /* enabled */
    put(to, 900);
    for (uint64_t i = 0; i < 2; i++) {
        put(to, 50 + i);
        put(to, 60 + i);
        put(to, 70 + i);
    }
}

static void counts_are_read(const struct sample_record *record)
{
    assert_int_equal(record->counts.n, 9);
    assert_int_equal(sample_word(&record->counts, 0), 2);
    assert_int_equal(sample_word(&record->counts, 8), 71);
}

static void put_branches(struct bytes *to)
{
    put(to, 2);
    put(to, 31); /* hw_idx */
    for (uint64_t i = 0; i < 2; i++) {
        put(to, 0x1000 + i);
        put(to, 0x2000 + i);
        put(to, 0);
    }
    put(to, 1); /* counters, which nobody reads */
    put(to, 2);
}

static void branches_are_read(const struct sample_record *record)
{
    assert_int_equal(record->branches.n, 2);
    assert_int_equal(record->branches_place, 31);
    assert_int_equal(sample_branch(record, 0).from, 0x1000);
    assert_int_equal(sample_branch(record, 1).to, 0x2001);
}

static void put_raw(struct bytes *to)
{
    put_pair(to, 12, 0xaabbccdd);
    put(to, 0x1122334455667788);
}

static void raw_is_read(const struct sample_record *record)
{
    const uint32_t first = 0xaabbccdd;
    assert_int_equal(record->raw.n, 12);
    assert_memory_equal(record->raw.at, &first, sizeof first);
}

static void put_callers(struct bytes *to)
{
    put(to, 3);
    for (uint64_t i = 0; i < 3; i++)
        put(to, 0x400000 + i);
}

static void callers_are_read(const struct sample_record *record)
{
    assert_int_equal(record->callers.n, 3);
    assert_int_equal(sample_word(&record->callers, 2), 0x400002);
}

static void put_registers(struct bytes *to)
{
    put(to, 2);
    put(to, 111);
    put(to, 333);
}

static void registers_are_read(const struct sample_record *record)
{
    assert_int_equal(record->registers_abi, 2);
    assert_int_equal(record->registers.n, 2);
    assert_int_equal(sample_word(&record->registers, 1), 333);
}

static void put_stack(struct bytes *to)
{
    put(to, 16);
    put(to, 1);
    put(to, 2);
    put(to, 9);
}

static void stack_is_read(const struct sample_record *record)
{
    assert_int_equal(record->stack.n, 16);
    assert_int_equal(record->stack_used, 9);
}

static void put_interrupted(struct bytes *to)
{
    put(to, 1);
    put(to, 222);
}

static void interrupted_is_read(const struct sample_record *record)
{
    assert_int_equal(record->interrupted_abi, 1);
    assert_int_equal(sample_word(&record->interrupted, 0), 222);
}

static void put_thread(struct bytes *to)
{
    put_pair(to, 4711, 4712);
}

static void thread_is_read(const struct sample_record *record)
{
    assert_int_equal(record->pid, 4711);
    assert_int_equal(record->tid, 4712);
}

static void put_cpu(struct bytes *to)
{
    put_pair(to, 17, 0xffffffff);
}

static void cpu_is_read(const struct sample_record *record)
{
    assert_int_equal(record->cpu, 17);
}

static void put_aux(struct bytes *to)
{
    put(to, 8);
    put(to, 5);
}

static void aux_is_read(const struct sample_record *record)
{
    assert_int_equal(record->aux.n, 8);
}

/* Fields of one word: its value is the field's number in the table below. */
#define WORD_FIELD(name, member)                                                                             \
    static void put_##name(struct bytes *to)                                                                 \
    {                                                                                                        \
        put(to, __LINE__);                                                                                   \
    }                                                                                                        \
    static void name##_is_read(const struct sample_record *record)                                           \
    {                                                                                                        \
        assert_int_equal(record->member, __LINE__);                                                          \
    }
WORD_FIELD(identifier, id)
WORD_FIELD(ip, ip)
WORD_FIELD(time, time)
WORD_FIELD(address, address)
WORD_FIELD(stream, stream)
WORD_FIELD(period, period)
WORD_FIELD(weight, weight)
WORD_FIELD(source, source)
WORD_FIELD(transaction, transaction)
WORD_FIELD(physical, physical)
WORD_FIELD(cgroup, cgroup)
WORD_FIELD(data_page, data_page)
WORD_FIELD(code_page, code_page)

static const struct field {
    uint64_t type;
    void (*put)(struct bytes *);
    void (*is_read)(const struct sample_record *);
} fields[] = {
    {PERF_SAMPLE_IDENTIFIER, put_identifier, NULL},
    {PERF_SAMPLE_IP, put_ip, ip_is_read},
    {PERF_SAMPLE_TID, put_thread, thread_is_read},
    {PERF_SAMPLE_TIME, put_time, time_is_read},
    {PERF_SAMPLE_ADDR, put_address, address_is_read},
    {PERF_SAMPLE_ID, put_identifier, identifier_is_read},
    {PERF_SAMPLE_STREAM_ID, put_stream, stream_is_read},
    {PERF_SAMPLE_CPU, put_cpu, cpu_is_read},
    {PERF_SAMPLE_PERIOD, put_period, period_is_read},
    {PERF_SAMPLE_READ, put_counts, counts_are_read},
    {PERF_SAMPLE_CALLCHAIN, put_callers, callers_are_read},
    {PERF_SAMPLE_RAW, put_raw, raw_is_read},
    {PERF_SAMPLE_BRANCH_STACK, put_branches, branches_are_read},
    {PERF_SAMPLE_REGS_USER, put_registers, registers_are_read},
    {PERF_SAMPLE_STACK_USER, put_stack, stack_is_read},
    {PERF_SAMPLE_WEIGHT, put_weight, weight_is_read},
    {PERF_SAMPLE_DATA_SRC, put_source, source_is_read},
    {PERF_SAMPLE_TRANSACTION, put_transaction, transaction_is_read},
    {PERF_SAMPLE_REGS_INTR, put_interrupted, interrupted_is_read},
    {SAMPLE_PHYS_ADDR, put_physical, physical_is_read},
    {SAMPLE_CGROUP, put_cgroup, cgroup_is_read},
    {SAMPLE_DATA_PAGE_SIZE, put_data_page, data_page_is_read},
    {SAMPLE_CODE_PAGE_SIZE, put_code_page, code_page_is_read},
    {SAMPLE_AUX, put_aux, aux_is_read},
};
enum { FIELDS = sizeof fields / sizeof fields[0] };

/* Reads a copy of n bytes in memory of just that size, in which valgrind and the sanitizers see every byte
 * too many. */
static bool reads(const uint8_t *bytes, size_t n, const struct sample_layout *of,
                  struct sample_record *record)
{
    uint8_t *copy = test_malloc(n > 0 ? n : 1);
    memcpy(copy, bytes, n);
    bool whole = sample_record_read(copy, n, of, record);
    test_free(copy);
    return whole;
}

/* Checks a record with the fields of which the set has bits. */
static void check_fields(uint32_t set)
{
    struct sample_layout of = layout;
    struct sample_record record;
    struct bytes bytes = {.n = 0};
    for (unsigned i = 0; i < FIELDS; i++)
        if ((set >> i & 1) != 0) {
            of.type |= fields[i].type;
            fields[i].put(&bytes);
        }
    assert_true(sample_record_read(bytes.byte, bytes.n, &of, &record));
    for (unsigned i = 0; i < FIELDS; i++)
        if ((set >> i & 1) != 0 && fields[i].is_read != NULL)
            fields[i].is_read(&record);
    assert_int_equal(record.has_source, (of.type & PERF_SAMPLE_DATA_SRC) != 0);
    for (size_t n = 0; n < bytes.n; n++)
        assert_false(reads(bytes.byte, n, &of, &record));
}

static void each_field_alone_and_all(void **state)
{
    (void)state;
    const uint32_t all = (1U << FIELDS) - 1;
    for (unsigned i = 0; i < FIELDS; i++) {
        check_fields(1U << i);
        check_fields(all & ~(1U << i));
    }
    check_fields(all);
    check_fields(0);
}

static struct sample_record read_whole(const struct bytes *bytes, const struct sample_layout *of)
{
    struct sample_record record;
    assert_true(sample_record_read(bytes->byte, bytes->n, of, &record));
    return record;
}

static void what_is_missing_is_said(void **state)
{
    (void)state;
    const struct bytes nothing = {.n = 0};
    const struct sample_record record = read_whole(&nothing, &(struct sample_layout){.type = 0});
    assert_int_equal(record.cpu, SAMPLE_NO_CPU);
    assert_true(record.branches_place == UINT64_MAX);
    assert_false(record.has_source);
}

static void three_weights(void **state)
{
    (void)state;
    const struct sample_layout of = {.type = PERF_SAMPLE_WEIGHT_STRUCT};
    struct bytes bytes = {.n = 0};
    put(&bytes, UINT64_C(0x0007000500000120));
    struct sample_record record = read_whole(&bytes, &of);
    assert_int_equal(record.weight, 0x120);
    assert_int_equal(record.second_weight, 5);
    assert_int_equal(record.third_weight, 7);
}

/* Reads one event's count, in the words that the format has. */
static void counts_of_one(void **state)
{
    (void)state;
    struct sample_layout of = {.type = PERF_SAMPLE_READ | PERF_SAMPLE_WEIGHT,
                               .counts = PERF_FORMAT_ID | PERF_FORMAT_TOTAL_TIME_RUNNING};
    struct bytes bytes = {.n = 0};
    put(&bytes, 12345);
    put(&bytes, 900);
    put(&bytes, 60);
    put(&bytes, 8);
    struct sample_record record = read_whole(&bytes, &of);
    assert_int_equal(record.counts.n, 3);
    assert_int_equal(sample_word(&record.counts, 0), 12345);
    assert_int_equal(record.weight, 8);
    of.counts = UINT64_C(1) << 5;
    assert_false(sample_record_read(bytes.byte, bytes.n, &of, &record));
}

/* A thread of the kernel has no registers, and no stack. */
static void nothing_of_the_user(void **state)
{
    (void)state;
    const struct sample_layout of = {.type =
                                         PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER | PERF_SAMPLE_WEIGHT,
                                     .user_registers = UINT64_MAX};
    struct bytes bytes = {.n = 0};
    put(&bytes, PERF_SAMPLE_REGS_ABI_NONE);
    put(&bytes, 0);
    put(&bytes, 8);
    struct sample_record record = read_whole(&bytes, &of);
    assert_int_equal(record.registers.n, 0);
    assert_int_equal(record.stack.n, 0);
    assert_int_equal(record.weight, 8);
}

/* Bit fields, which the compiler places as the kernel's did. */
static void flags_of_branches(void **state)
{
    (void)state;
    const struct sample_layout of = {.type = PERF_SAMPLE_BRANCH_STACK};
    struct flags {
        uint64_t mispred : 1, predicted : 1, in_tx : 1, abort : 1, cycles : 16, type : 4, spec : 2,
            new_type : 4, priv : 3, reserved : 31;
    } flags[] = {{.mispred = 1, .cycles = 65535, .type = PERF_BR_COND, .spec = 3, .priv = 1},
                 {.predicted = 1, .in_tx = 1, .type = PERF_BR_RET, .reserved = 0x7fffffff},
                 {.abort = 1, .cycles = 1, .type = 15, .new_type = 2, .priv = 2}};
    struct bytes bytes = {.n = 0};
    put(&bytes, 3);
    for (unsigned i = 0; i < 3; i++) {
        uint64_t word;
        memcpy(&word, &flags[i], sizeof word);
        put(&bytes, 0x100 + i);
        put(&bytes, 0x200 + i);
        put(&bytes, word);
    }
    struct sample_record record = read_whole(&bytes, &of);
    assert_int_equal(record.branches.n, 3);
    for (unsigned i = 0; i < 3; i++) {
        struct sample_branch branch = sample_branch(&record, i);
        assert_int_equal(branch.from, 0x100 + i);
        assert_int_equal(branch.to, 0x200 + i);
        assert_int_equal(branch.mispredicted, flags[i].mispred);
        assert_int_equal(branch.predicted, flags[i].predicted);
        assert_int_equal(branch.in_transaction, flags[i].in_tx);
        assert_int_equal(branch.aborted, flags[i].abort);
        assert_int_equal(branch.cycles, flags[i].cycles);
        assert_int_equal(branch.speculated, flags[i].spec);
        assert_int_equal(branch.privilege, flags[i].priv);
    }
    assert_int_equal(sample_branch(&record, 0).type, PERF_BR_COND);
    assert_int_equal(sample_branch(&record, 2).type, 16 + 2);
}

/* Numbers that promise more than there is, some of which overflow when they are multiplied. */
static void lengths_are_checked(void **state)
{
    (void)state;
    const uint64_t lengths[] = {
        5,         UINT32_MAX, UINT64_C(1) << 32, UINT64_C(1) << 60, UINT64_C(1) << 61, UINT64_MAX / 24 + 1,
        UINT64_MAX};
    const uint64_t types[] = {PERF_SAMPLE_READ, PERF_SAMPLE_CALLCHAIN, PERF_SAMPLE_BRANCH_STACK,
                              PERF_SAMPLE_STACK_USER, SAMPLE_AUX};
    struct sample_record record;
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++)
        for (size_t k = 0; k < sizeof types / sizeof types[0]; k++) {
            const struct sample_layout of = {.type = types[k], .counts = PERF_FORMAT_GROUP};
            struct bytes bytes = {.n = 0};
            put(&bytes, lengths[i]);
            put(&bytes, 0);
            bytes.n -= 4; /* five bytes would be there otherwise */
            assert_false(reads(bytes.byte, bytes.n, &of, &record));
        }
}

/* Fields that newer kernels may add. */
static void unknown_fields_are_refused(void **state)
{
    (void)state;
    struct sample_record record;
    const struct bytes bytes = {.n = ROOM};
    for (unsigned bit = 25; bit < 64; bit++) {
        const struct sample_layout of = {.type = PERF_SAMPLE_IP | UINT64_C(1) << bit};
        assert_false(sample_record_read(bytes.byte, bytes.n, &of, &record));
    }
}

static void layout_is_the_attributes(void **state)
{
    (void)state;
    const struct perf_event_attr attr = {.sample_type = 1,
                                         .branch_sample_type = 2,
                                         .read_format = 3,
                                         .sample_regs_user = 4,
                                         .sample_regs_intr = 5};
    const struct sample_layout of = sample_layout_of(&attr);
    assert_int_equal(of.type, 1);
    assert_int_equal(of.branches, 2);
    assert_int_equal(of.counts, 3);
    assert_int_equal(of.user_registers, 4);
    assert_int_equal(of.interrupt_registers, 5);
}

/* ---- sources of data; levels and TLB are tested with the records of memory */

#define OF(what, name) PERF_MEM_S(what, name)

static void operations(void **state)
{
    (void)state;
    assert_true(data_source_read(OF(OP, LOAD)).load);
    assert_true(data_source_read(OF(OP, STORE)).store);
    assert_true(data_source_read(OF(OP, PFETCH)).prefetch);
    assert_true(data_source_read(OF(OP, EXEC)).execution);
    const struct data_source none = data_source_read(OF(OP, NA) | OF(LOCK, NA) | OF(BLK, NA));
    assert_false(none.load || none.store || none.prefetch || none.execution || none.locked ||
                 none.waited_data || none.waited_address);
}

static void other_caches(void **state)
{
    (void)state;
    assert_int_equal(data_source_read(OF(SNOOP, NA)).snoop, SNOOP_UNKNOWN);
    assert_int_equal(data_source_read(OF(SNOOP, NONE)).snoop, SNOOP_NONE);
    assert_int_equal(data_source_read(OF(SNOOP, MISS)).snoop, SNOOP_MISS);
    assert_int_equal(data_source_read(OF(SNOOP, HIT)).snoop, SNOOP_HIT);
    assert_int_equal(data_source_read(OF(SNOOP, HIT) | OF(SNOOP, HITM)).snoop, SNOOP_MODIFIED);
    assert_true(data_source_read(OF(SNOOPX, FWD)).forwarded);
    assert_true(data_source_read(OF(SNOOPX, PEER)).forwarded);
    assert_true(data_source_read(OF(LOCK, LOCKED)).locked);
    assert_true(data_source_read(OF(BLK, DATA)).waited_data);
    assert_true(data_source_read(OF(BLK, ADDR)).waited_address);
    assert_true(data_source_read(OF(REMOTE, REMOTE)).remote);
    for (uint64_t hops = 0; hops < 8; hops++)
        assert_int_equal(data_source_read(hops << PERF_MEM_HOPS_SHIFT).hops,
                         hops < HOPS_KINDS ? (enum memory_hops)hops : HOPS_NONE);
    assert_int_equal(data_source_read(UINT64_MAX).snoop, SNOOP_MODIFIED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_field_alone_and_all),
        cmocka_unit_test(what_is_missing_is_said),
        cmocka_unit_test(three_weights),
        cmocka_unit_test(counts_of_one),
        cmocka_unit_test(nothing_of_the_user),
        cmocka_unit_test(flags_of_branches),
        cmocka_unit_test(lengths_are_checked),
        cmocka_unit_test(unknown_fields_are_refused),
        cmocka_unit_test(layout_is_the_attributes),
        cmocka_unit_test(operations),
        cmocka_unit_test(other_caches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

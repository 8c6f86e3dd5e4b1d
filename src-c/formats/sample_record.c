/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads the fields of a sample one after the other. A field that is not there whole makes every later one
 * missing, which is looked at once, at the end.
 */
#include "formats/sample_record.h"
#include "formats/perf_memory.h"

#include <string.h>

enum { WORD = sizeof(uint64_t), BRANCH_WORDS = 3 };

struct fields {
    const uint8_t *next, *end;
    bool short_of;
};

struct sample_layout sample_layout_of(const struct perf_event_attr *attr)
{
    return (struct sample_layout){attr->sample_type, attr->branch_sample_type, attr->read_format,
                                  attr->sample_regs_user, attr->sample_regs_intr};
}

/* ---- words and parts */

static uint64_t left(const struct fields *fields)
{
    return (uint64_t)(fields->end - fields->next);
}

static uint64_t load(const uint8_t *at)
{
    uint64_t word;
    memcpy(&word, at, sizeof word);
    return word;
}

static uint64_t take_word(struct fields *fields)
{
    if (left(fields) < WORD) {
        fields->short_of = true;
        fields->next = fields->end;
        return 0;
    }
    fields->next += WORD;
    return load(fields->next - WORD);
}

/* Takes n elements of a size in bytes. */
static struct sample_part take(struct fields *fields, uint64_t n, unsigned size)
{
    struct sample_part part = {fields->next, n};
    if (n > left(fields) / size) {
        fields->short_of = true;
        fields->next = fields->end;
        return (struct sample_part){fields->end, 0};
    }
    fields->next += n * size;
    return part;
}

/* Takes two numbers of 32 bits. */
static void take_pair(struct fields *fields, uint32_t *first, uint32_t *second)
{
    uint64_t both = take_word(fields);
    memcpy(first, &both, sizeof *first);
    memcpy(second, (const char *)&both + sizeof *first, sizeof *second);
}

uint64_t sample_word(const struct sample_part *part, uint64_t number)
{
    return load(part->at + number * WORD);
}

/* ---- fields */

static void take_head(struct fields *fields, uint64_t type, struct sample_record *record)
{
    uint32_t cpu, reserved;
    if ((type & PERF_SAMPLE_IDENTIFIER) != 0)
        record->id = take_word(fields);
    if ((type & PERF_SAMPLE_IP) != 0)
        record->ip = take_word(fields);
    if ((type & PERF_SAMPLE_TID) != 0)
        take_pair(fields, &record->pid, &record->tid);
    if ((type & PERF_SAMPLE_TIME) != 0)
        record->time = take_word(fields);
    if ((type & PERF_SAMPLE_ADDR) != 0)
        record->address = take_word(fields);
    if ((type & PERF_SAMPLE_ID) != 0)
        record->id = take_word(fields);
    if ((type & PERF_SAMPLE_STREAM_ID) != 0)
        record->stream = take_word(fields);
    if ((type & PERF_SAMPLE_CPU) != 0) {
        take_pair(fields, &cpu, &reserved);
        record->cpu = cpu <= INT32_MAX ? (int32_t)cpu : SAMPLE_NO_CPU;
    }
    if ((type & PERF_SAMPLE_PERIOD) != 0)
        record->period = take_word(fields);
}

/* Takes the counts: of the event, or of its group, before which their number stands. */
static struct sample_part take_counts(struct fields *fields, uint64_t format)
{
    const uint8_t *at = fields->next;
    unsigned times =
        ((format & PERF_FORMAT_TOTAL_TIME_ENABLED) != 0) + ((format & PERF_FORMAT_TOTAL_TIME_RUNNING) != 0);
    unsigned words = 1 + ((format & PERF_FORMAT_ID) != 0) + ((format & FORMAT_LOST) != 0);
    uint64_t n = 1;
    if ((format & PERF_FORMAT_GROUP) != 0)
        n = take_word(fields);
    take(fields, times, WORD);
    take(fields, n, words * WORD);
    return (struct sample_part){at, (uint64_t)(fields->next - at) / WORD};
}

static void take_branches(struct fields *fields, uint64_t branches, struct sample_record *record)
{
    uint64_t n = take_word(fields);
    if ((branches & BRANCH_HW_INDEX) != 0)
        record->branches_place = take_word(fields);
    record->branches = take(fields, n, BRANCH_WORDS * WORD);
    if ((branches & BRANCH_COUNTERS) != 0)
        take(fields, n, WORD);
}

/* Takes registers: none are behind an ABI of 0, as of a kernel's thread. */
static struct sample_part take_registers(struct fields *fields, uint64_t mask, uint64_t *abi)
{
    *abi = take_word(fields);
    return take(fields, *abi != PERF_SAMPLE_REGS_ABI_NONE ? (uint64_t)__builtin_popcountll(mask) : 0, WORD);
}

/* Takes a stack: behind one without bytes there is not how many were used. */
static void take_stack(struct fields *fields, struct sample_record *record)
{
    uint64_t size = take_word(fields);
    record->stack = take(fields, size, 1);
    if (size != 0)
        record->stack_used = take_word(fields);
}

static struct sample_part take_raw(struct fields *fields)
{
    uint32_t size = 0;
    struct sample_part number = take(fields, 1, sizeof size);
    if (number.n == 1)
        memcpy(&size, number.at, sizeof size);
    return take(fields, size, 1);
}

/* Takes what can be of any length. */
static void take_middle(struct fields *fields, const struct sample_layout *layout,
                        struct sample_record *record)
{
    uint64_t type = layout->type;
    if ((type & PERF_SAMPLE_READ) != 0)
        record->counts = take_counts(fields, layout->counts);
    if ((type & PERF_SAMPLE_CALLCHAIN) != 0)
        record->callers = take(fields, take_word(fields), WORD);
    if ((type & PERF_SAMPLE_RAW) != 0)
        record->raw = take_raw(fields);
    if ((type & PERF_SAMPLE_BRANCH_STACK) != 0)
        take_branches(fields, layout->branches, record);
    if ((type & PERF_SAMPLE_REGS_USER) != 0)
        record->registers = take_registers(fields, layout->user_registers, &record->registers_abi);
    if ((type & PERF_SAMPLE_STACK_USER) != 0)
        take_stack(fields, record);
}

/* Takes the weight: three numbers in one word are the same three in both byte orders. */
static void take_weight(struct fields *fields, uint64_t type, struct sample_record *record)
{
    uint64_t word = take_word(fields);
    record->weight = word;
    if ((type & PERF_SAMPLE_WEIGHT_STRUCT) == 0)
        return;
    record->weight = word & UINT32_MAX;
    record->second_weight = (uint16_t)(word >> 32);
    record->third_weight = (uint16_t)(word >> 48);
}

static void take_tail(struct fields *fields, const struct sample_layout *layout, struct sample_record *record)
{
    uint64_t type = layout->type;
    if ((type & PERF_SAMPLE_WEIGHT_TYPE) != 0)
        take_weight(fields, type, record);
    record->has_source = (type & PERF_SAMPLE_DATA_SRC) != 0;
    if (record->has_source)
        record->source = take_word(fields);
    if ((type & PERF_SAMPLE_TRANSACTION) != 0)
        record->transaction = take_word(fields);
    if ((type & PERF_SAMPLE_REGS_INTR) != 0)
        record->interrupted = take_registers(fields, layout->interrupt_registers, &record->interrupted_abi);
    if ((type & SAMPLE_PHYS_ADDR) != 0)
        record->physical = take_word(fields);
    if ((type & SAMPLE_CGROUP) != 0)
        record->cgroup = take_word(fields);
    if ((type & SAMPLE_DATA_PAGE_SIZE) != 0)
        record->data_page = take_word(fields);
    if ((type & SAMPLE_CODE_PAGE_SIZE) != 0)
        record->code_page = take_word(fields);
    if ((type & SAMPLE_AUX) != 0)
        record->aux = take(fields, take_word(fields), 1);
}

bool sample_record_read(const void *bytes, size_t size, const struct sample_layout *layout,
                        struct sample_record *record)
{
    const uint64_t types = (PERF_SAMPLE_WEIGHT_STRUCT << 1) - 1, formats = (FORMAT_LOST << 1) - 1;
    struct fields fields = {bytes, (const uint8_t *)bytes + size, false};
    *record = (struct sample_record){.cpu = SAMPLE_NO_CPU, .branches_place = UINT64_MAX};
    if ((layout->type & ~types) != 0 ||
        ((layout->type & PERF_SAMPLE_READ) != 0 && (layout->counts & ~formats) != 0))
        return false;
    take_head(&fields, layout->type, record);
    take_middle(&fields, layout, record);
    take_tail(&fields, layout, record);
    return !fields.short_of;
}

/* ---- branches */

/* Takes the next bits of a word that the kernel declares as bit fields, which begin at the other end of the
 * word where the byte order is the other one. */
static unsigned take_bits(uint64_t word, unsigned *at, unsigned width)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    unsigned shift = *at;
#else
    unsigned shift = 64 - *at - width;
#endif
    *at += width;
    return (unsigned)(word >> shift & ((1U << width) - 1));
}

struct sample_branch sample_branch(const struct sample_record *record, uint64_t number)
{
    enum { EXTENDED = 15 /* the type is in a field of its own */ };
    struct sample_part words = {record->branches.at + number * BRANCH_WORDS * WORD, BRANCH_WORDS};
    uint64_t flags = sample_word(&words, 2);
    struct sample_branch branch = {.from = sample_word(&words, 0), .to = sample_word(&words, 1)};
    unsigned at = 0;
    branch.mispredicted = take_bits(flags, &at, 1) != 0;
    branch.predicted = take_bits(flags, &at, 1) != 0;
    branch.in_transaction = take_bits(flags, &at, 1) != 0;
    branch.aborted = take_bits(flags, &at, 1) != 0;
    branch.cycles = (uint16_t)take_bits(flags, &at, 16);
    unsigned type = take_bits(flags, &at, 4);
    branch.speculated = (uint8_t)take_bits(flags, &at, 2);
    unsigned extended = take_bits(flags, &at, 4);
    branch.privilege = (uint8_t)take_bits(flags, &at, 3);
    branch.type = (uint8_t)(type == EXTENDED ? EXTENDED + 1 + extended : type);
    return branch;
}

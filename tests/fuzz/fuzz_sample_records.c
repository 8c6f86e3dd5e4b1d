/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Fuzzes the reader of samples. The input has the five words of a layout, eight bytes each, and the bytes of
 * a record.
 */
#include "formats/data_source.h"
#include "formats/sample_record.h"
#include "fuzz.h"

/* A part lies in the bytes; the last of them is read. */
static void check_part(const struct fuzz_bytes *bytes, const struct sample_part *part, unsigned size)
{
    if (part->n == 0)
        return;
    REQUIRE(part->at >= bytes->next && part->at < bytes->end);
    REQUIRE(part->n <= (uint64_t)(bytes->end - part->at) / size);
    if (size == sizeof(uint64_t))
        (void)sample_word(part, part->n - 1);
}

static void check_source(const struct data_source *source)
{
    REQUIRE(source->level < MEMORY_LEVELS);
    REQUIRE(source->tlb < TLB_KINDS);
    REQUIRE(source->snoop < SNOOP_KINDS);
    REQUIRE(source->hops < HOPS_KINDS);
}

static void check(const struct fuzz_bytes *bytes, const struct sample_record *record)
{
    const unsigned word = sizeof(uint64_t);
    check_part(bytes, &record->callers, word);
    check_part(bytes, &record->counts, word);
    check_part(bytes, &record->registers, word);
    check_part(bytes, &record->interrupted, word);
    check_part(bytes, &record->raw, 1);
    check_part(bytes, &record->stack, 1);
    check_part(bytes, &record->aux, 1);
    check_part(bytes, &record->branches, 3 * word);
    for (uint64_t i = 0; i < record->branches.n; i++)
        REQUIRE(sample_branch(record, i).type < 32);
    const struct data_source source = data_source_read(record->source);
    check_source(&source);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_bytes bytes = {data, data + size};
    struct sample_layout layout;
    struct sample_record record;
    layout.type = fuzz_number(&bytes, 8);
    layout.branches = fuzz_number(&bytes, 8);
    layout.counts = fuzz_number(&bytes, 8);
    layout.user_registers = fuzz_number(&bytes, 8);
    layout.interrupt_registers = fuzz_number(&bytes, 8);
    if (sample_record_read(bytes.next, (size_t)(bytes.end - bytes.next), &layout, &record))
        check(&bytes, &record);
    return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Fuzzes what papi_profile makes of samples: whatever records are in the file, and whatever program they
 * name. The input has a byte for the stacks (3: samples have addresses of data; 64: of branches) and one for
 * the number of events, the records, "%%" and the program's file; of a record that maps it the path begins
 * with "@".
 */
#include "fuzz.h"
#include "profile/memory_samples.h"
#include "profile/sampler.h"
#include "profile/totals.h"
#include "tools/common/allocate.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

enum { MAPPING_PATH = 72 }; /* in a record of a mapping */

void memory_is_out(void)
{
    abort();
}

static void put_paths(char *records, size_t size, const char *path)
{
    struct perf_event_header header;
    size_t length = strlen(path) + 1;
    for (size_t at = 0; size - at >= sizeof header; at += header.size) {
        memcpy(&header, records + at, sizeof header);
        if (header.size < sizeof header || header.size > size - at)
            return;
        if (header.type == PERF_RECORD_MMAP2 && header.size >= MAPPING_PATH + length &&
            records[at + MAPPING_PATH] == '@')
            memcpy(records + at + MAPPING_PATH, path, length);
    }
}

static void check_lines(const struct profile *profile)
{
    for (int i = 0; i < profile->lines.n; i++) {
        const struct shared_line *line = index_key(&profile->lines, i);
        REQUIRE(line->address % 64 == 0 && line->process >= 0 && line->process < profile->n_processes);
    }
    for (int i = 0; i < profile->line_uses.n; i++) {
        const struct line_use *use = index_key(&profile->line_uses, i);
        REQUIRE(use->line >= 0 && use->line < profile->lines.n && use->datum >= 0 &&
                use->datum < profile->data.n);
        REQUIRE(use->place >= 0 && use->place < profile->places.n && use->within >= PROFILE_NONE);
        REQUIRE(use->offset >= 0 && use->width >= 0 && use->offset + use->width <= 64);
        REQUIRE(profile->line_use_counts[i].samples > 0 && !(use->store && use->moved));
    }
}

static void check_branches(const struct profile *profile)
{
    uint64_t taken = 0;
    for (int i = 0; i < profile->branches.n; i++) {
        const struct branch *branch = index_key(&profile->branches, i);
        const struct branch_counts *counts = &profile->branch_counts[i];
        REQUIRE(branch->from_place >= 0 && branch->from_place < profile->places.n);
        REQUIRE(branch->to_place >= 0 && branch->to_place < profile->places.n && branch->type >= 0 &&
                branch->type < 32);
        REQUIRE(counts->mispredicted <= counts->told && counts->told <= counts->taken && counts->stacks > 0);
        REQUIRE(counts->timed <= counts->taken && counts->stacks <= counts->taken);
        taken += counts->taken;
    }
    REQUIRE(taken == profile->branch_sums.taken);
    for (int i = 0; i < profile->branch_loops.n; i++) {
        const struct branch_loop_counts *counts = &profile->branch_loop_counts[i];
        REQUIRE(counts->arrivals > 0 && counts->stacks <= counts->entries);
    }
}

static void check(const struct profile *profile)
{
    struct totals totals;
    totals_make(&totals, profile);
    for (int i = 0; i < profile->nodes.n; i++) {
        const struct node *node = profile_node_at(profile, i);
        REQUIRE(node->parent >= PROFILE_NONE && node->parent < i);
        REQUIRE(node->place >= 0 && node->place < profile->places.n);
    }
    for (int i = 0; i < profile->n_processes; i++)
        REQUIRE(profile->process[i].command != NULL);
    for (int i = 0; i < profile->data_samples.n; i++) {
        const struct datum_sample *sample = index_key(&profile->data_samples, i);
        REQUIRE(sample->datum >= 0 && sample->datum < profile->data.n);
        REQUIRE(sample->place >= 0 && sample->place < profile->places.n);
        REQUIRE(sample->level >= 0 && sample->level < MEMORY_LEVELS && sample->latency >= LATENCY_UNKNOWN);
    }
    check_lines(profile);
    check_branches(profile);
    totals_free(&totals);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint64_t id[2] = {1, 2};
    struct fuzz_bytes bytes = {data, data + size};
    unsigned first = (unsigned)fuzz_number(&bytes, 1), way = first % 4;
    enum sampler_stacks stacks = (enum sampler_stacks)(way % 3);
    int n_events = 1 + (int)fuzz_number(&bytes, 1) % 2;
    const uint8_t *end =
        bytes.next < bytes.end ? memmem(bytes.next, (size_t)(bytes.end - bytes.next), "%%", 2) : NULL;
    size_t n = (size_t)((end != NULL ? end : bytes.end) - bytes.next);
    char *records = fuzz_text(bytes.next, n);
    put_paths(records, n,
              fuzz_file(1, end != NULL ? end + 2 : NULL, end != NULL ? (size_t)(bytes.end - end) - 2 : 0));
    fuzz_file(0, records, n);
    free(records);

    struct sampler sampler = {.n_events = n_events, .spool = fuzz_descriptor(0), .written = n};
    struct profile profile = {.n_events = n_events};
    const uint64_t type = SAMPLER_TYPE | PERF_SAMPLE_ADDR | PERF_SAMPLE_WEIGHT | PERF_SAMPLE_DATA_SRC;
    sampler.data = way == 3;
    if (first == 64)
        sampler.branch_type = PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_ANY;
    sampler.sample_type[0] = type;
    sampler.sample_type[1] = type | PERF_SAMPLE_RAW;
    sampler.ibs[1] = sampler.exact[1] = true;
    sampler.line_bytes = 64;
    struct reason why = {0};
    for (int i = 0; i < n_events; i++)
        index_of(&sampler.ids, &id[i], sizeof id[i]);
    REQUIRE(replay(&profile, &sampler, stacks, &why) == PAPI_OK);
    check(&profile);
    index_free(&sampler.ids);
    profile_free(&profile);
    return 0;
}

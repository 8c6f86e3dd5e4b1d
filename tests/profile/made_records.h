/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/* Records of samples as the kernel writes them, made by hand, of a process with this program's mappings. */

#include "profile/sampler.h"

#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
/* after those that it needs */
#include <cmocka.h>

enum { ID = 5, PID = 100 };

static void write_all(struct sampler *sampler, const void *bytes, size_t size)
{
    assert_int_equal(write(sampler->spool, bytes, size), size);
    sampler->written += size;
}

struct trailer {
    uint32_t pid, tid;
    uint64_t time, id;
};

/* Writes a mapping as PERF_RECORD_MMAP2. */
static void map(struct sampler *sampler, uint64_t start, uint64_t end, uint64_t offset, const char *path)
{
    struct {
        struct perf_event_header header;
        uint32_t pid, tid;
        uint64_t address, length, offset, device, inode, generation;
        uint32_t protection, flags;
    } record = {.header = {.type = PERF_RECORD_MMAP2},
                .pid = PID,
                .tid = PID,
                .address = start,
                .length = end - start,
                .offset = offset};
    const struct trailer trailer = {PID, PID, 1, ID};
    char name[1024] = "";
    size_t length = (strlen(path) + 8) & ~(size_t)7;
    snprintf(name, sizeof name, "%s", path);
    record.header.size = (uint16_t)(sizeof record + length + sizeof trailer);
    write_all(sampler, &record, sizeof record);
    write_all(sampler, name, length);
    write_all(sampler, &trailer, sizeof trailer);
}

static void map_this_program(struct sampler *sampler)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[4096];
    assert_non_null(maps);
    while (fgets(line, sizeof line, maps) != NULL) {
        unsigned long start, end, offset;
        int path = 0;
        line[strcspn(line, "\n")] = '\0';
        if (sscanf(line, "%lx-%lx %*s %lx %*s %*s %n", &start, &end, &offset, &path) == 3)
            map(sampler, start, end, offset, path > 0 && line[path] != '\0' ? line + path : "//anon");
    }
    fclose(maps);
}

/* Opens the file of samples, with the mappings. */
static void begin_records(struct sampler *sampler)
{
    const uint64_t id = ID;
    char path[] = "/tmp/made_records.XXXXXX";
    sampler->spool = mkstemp(path);
    assert_true(sampler->spool >= 0);
    unlink(path);
    index_of(&sampler->ids, &id, sizeof id);
    map_this_program(sampler);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "checker.h"
#include "papi.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

/* A made-up count of one bit of a mask, or of one kind of request with one kind of answer: a number that
 * depends on nothing but its place. */
static long long share(uint64_t event, int first, int second)
{
    uint64_t hash = (event << 16 | (uint64_t)first << 8 | (uint64_t)second) * UINT64_C(0x9e3779b97f4a7c15);
    hash = (hash ^ hash >> 31) * UINT64_C(0xbf58476d1ce4e5b9);
    return 1 + (long long)(hash >> 40);
}

/* From Haswell on, Intel's event of level 2 has masks whose lower bits name requests, and the upper three
 * what became of them; in those of Core and Atom the lower ones name a line's state and the upper ones whose
 * requests. */
static bool crosses(const struct cpu *cpu, const struct encoding *code)
{
    static const char *const before[] = {"nhm", "wsm", "snb", "ivb"};
    uint64_t mask = code->config >> 8;
    bool core = strcmp(cpu->name, "core") == 0 || strcmp(cpu->name, "atom") == 0;
    for (size_t i = 0; i < sizeof before / sizeof before[0]; i++)
        if (strncmp(cpu->name, before[i], strlen(before[i])) == 0)
            return false;
    return !is_amd(cpu) && (core || (code->config & 0xff) == 0x24) && (mask & 0x1f) != 0 &&
           (mask & 0xe0) != 0;
}

/* The bits of a mask name kinds, whose counts add up. */
static long long invented(const struct cpu *cpu, const struct encoding *code)
{
    uint64_t event = code->config & ~UINT64_C(0xff00), mask = code->config >> 8 & 0xff;
    bool both = crosses(cpu, code);
    long long sum = mask == 0 ? share(event, 255, 255) : 0;
    for (int low = 0; low < 8; low++)
        for (int high = 5; (mask >> low & 1) && high < 8; high++)
            if (both ? low < 5 && (mask >> high & 1) : high == 5)
                sum += share(event, low, both ? high : 254);
    return sum;
}

static long long value_of(const struct cpu *cpu, int preset)
{
    const struct preset_definition *parts = cpu->row[preset]->parts;
    long long count[MAX_OPERANDS];
    for (int i = 0; i < parts->n_natives; i++)
        count[i] = invented(cpu, &cpu->code[preset][i]);
    return derived_value(parts->derivation, &parts->formula, parts->n_natives, count);
}

/* The event that counts all of a preset by its masks; 0: there are several, or other conditions. */
static uint64_t only_event(const struct cpu *cpu, int preset)
{
    const struct encoding *code = cpu->code[preset];
    int n = code != NULL ? cpu->row[preset]->parts->n_natives : 0;
    uint64_t event = n > 0 ? code[0].config & ~UINT64_C(0xff00) : 0;
    for (int i = 0; i < n; i++)
        if (code[i].type != PERF_TYPE_RAW || code[i].config1 != 0 ||
            (code[i].config & ~UINT64_C(0xff00)) != event)
            return 0;
    return event;
}

static int preset_of(int level, const char *kind, char what)
{
    char symbol[PAPI_MIN_STR_LEN];
    snprintf(symbol, sizeof symbol, "PAPI_L%d_%s%c", level, kind, what);
    return presets_index(symbol);
}

static void check_kind(struct checker *c, const struct cpu *cpu, int level, const char *kind)
{
    int all = preset_of(level, kind, 'A'), hits = preset_of(level, kind, 'H'),
        misses = preset_of(level, kind, 'M');
    if (!cpu_defines(cpu, all) || !cpu_defines(cpu, hits) || !cpu_defines(cpu, misses))
        return;
    uint64_t event = only_event(cpu, all);
    if (event == 0 || event != only_event(cpu, hits) || event != only_event(cpu, misses) ||
        value_of(cpu, hits) + value_of(cpu, misses) == value_of(cpu, all))
        return;
    const struct row *row = cpu->row[hits];
    fault_at(c, row->file, row->line,
             "%s and %s do not make %s on %s: the masks of the event leave something out",
             preset_list[hits].symbol, preset_list[misses].symbol, preset_list[all].symbol, cpu->name);
}

void sums_check(struct checker *c, const struct cpu *cpu)
{
    static const char *const kinds[] = {"DC", "IC", "TC"};
    bool masks = is_intel(cpu) || is_amd(cpu) || (cpu->encodable && strcmp(own_architecture(), "amd64") == 0);
    for (int level = 1; masks && level <= 3; level++)
        for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
            check_kind(c, cpu, level, kinds[i]);
}

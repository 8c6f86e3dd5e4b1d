/* SPDX-License-Identifier: BSD-3-Clause */
#include "checker.h"
#include "papi.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

bool cpu_defines(const struct cpu *cpu, int preset)
{
    return cpu->row[preset] != NULL && !cpu->row[preset]->none;
}

/* ---- what counts the same */

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

/* A count that the event alone decides: by what libpfm4 makes of it, or by its name. */
static long long invented_count(const struct encoding *code, const char *name, int round)
{
    uint64_t hash = mix(1, (uint64_t)round);
    if (code != NULL)
        hash = mix(mix(mix(mix(hash, code->type), code->config), code->config1), code->config2);
    for (; code == NULL && *name != '\0'; name++)
        hash = mix(hash, (unsigned char)*name);
    return 1 + (long long)(hash >> 34);
}

static long long invented_value(const struct cpu *cpu, int preset, bool by_code, int round)
{
    const struct preset_definition *parts = cpu->row[preset]->parts;
    long long count[MAX_OPERANDS];
    for (int i = 0; i < parts->n_natives; i++)
        count[i] = invented_count(by_code ? &cpu->code[preset][i] : NULL, parts->native[i], round);
    return derived_value(parts->derivation, &parts->formula, parts->n_natives, count);
}

/* However they are written: the values are compared that they have on invented counts. */
bool same_definition(const struct cpu *a, const struct cpu *b, int preset_a, int preset_b)
{
    if (!cpu_defines(a, preset_a) || !cpu_defines(b, preset_b))
        return false;
    bool by_code = a->code[preset_a] != NULL && b->code[preset_b] != NULL, same = true;
    for (int round = 0; same && round < 3; round++)
        same = invented_value(a, preset_a, by_code, round) == invented_value(b, preset_b, by_code, round);
    return same;
}

/* True if two names have the same meaning: nothing but fetches reads an instruction cache, and nothing but
 * stores of data writes caches, so "L1_ICA" and "L1_ICR", "L2_DCW" and "L2_TCW" mean the same. */
static bool same_meaning(const char *a, const char *b)
{
    static const char *const pairs[][2] = {{"_ICA", "_ICR"}, {"_DCW", "_TCW"}};
    if (strlen(a) != strlen(b) || strlen(a) < 4 || strncmp(a, b, strlen(a) - 4) != 0)
        return false;
    a += strlen(a) - 4;
    b += strlen(b) - 4;
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++)
        if ((strcmp(a, pairs[i][0]) == 0 && strcmp(b, pairs[i][1]) == 0) ||
            (strcmp(b, pairs[i][0]) == 0 && strcmp(a, pairs[i][1]) == 0))
            return true;
    return false;
}

static bool has_note(const struct cpu *cpu, int preset)
{
    return cpu->row[preset]->note != NULL;
}

static void check_twins(struct checker *c, const struct cpu *cpu, int preset)
{
    for (int other = 0; other < preset; other++) {
        const char *name = preset_list[preset].symbol, *twin = preset_list[other].symbol;
        if (!same_definition(cpu, cpu, preset, other) || same_meaning(name, twin) || has_note(cpu, preset) ||
            has_note(cpu, other))
            continue;
        const struct row *row = cpu->row[preset];
        fault_at(c, row->file, row->line,
                 "%s and %s (line %d) count the same on %s and mean different things: a NOTE says how", name,
                 twin, cpu->row[other]->line, cpu->name);
    }
}

/* ---- room in the counters */

static void check_room(struct checker *c, const struct cpu *cpu, int preset)
{
    const char *limit;
    const struct row *row = cpu->row[preset];
    int n = cpu->encodable && cpu->processor ? events_too_many(cpu, preset, &limit) : 0;
    bool told = row->note != NULL && strcasestr(row->note, "multiplex") != NULL;
    if (n > 0 && !told)
        fault_at(c, row->file, row->line,
                 "%s needs %d more %s than %s has, and its NOTE does not say multiplex",
                 preset_list[preset].symbol, n, limit, cpu->name);
}

/* ---- what must be there */

static int index_of(const char *name)
{
    char symbol[PAPI_MIN_STR_LEN];
    snprintf(symbol, sizeof symbol, "PAPI_%s", name);
    return presets_index(symbol);
}

static bool has_level_3(const struct cpu *cpu)
{
    for (int p = 0; p < PRESET_COUNT; p++)
        if (cpu_defines(cpu, p) && strncmp(preset_list[p].symbol, "PAPI_L3_", 8) == 0)
            return true;
    return false;
}

static void check_required(struct checker *c, const struct cpu *cpu)
{
    static const char *const required[][2] = {
        {"TOT_CYC"},          {"TOT_INS"}, {"BR_INS"}, {"L1_DCM"}, {"L1_ICM"},
        {"L2_DCM", "L2_TCM"}, {"FP_OPS"},  {"SP_OPS"}, {"DP_OPS"}, {"L3_TCM"}};
    int n = (int)(sizeof required / sizeof required[0]) - !has_level_3(cpu);
    for (int i = 0; i < n; i++) {
        const char *name = required[i][0], * or = required[i][1];
        if (cpu->row[index_of(name)] == NULL && (or == NULL || cpu->row[index_of(or)] == NULL))
            fault_at(c, cpu->file, cpu->line, "%s has neither a definition of PAPI_%s%s%s nor a NONE",
                     cpu->name, name, or ? " or PAPI_" : "", or ? or : "");
    }
}

static void check_effect(struct checker *c, const struct row *row)
{
    if (row->n_holds == 0)
        fault_at(c, row->file, row->line, "%s: later rows override this one on each of its processors",
                 preset_list[row->preset].symbol);
}

void rules_check(struct checker *c, bool complete)
{
    for (const struct row *row = c->rows; row != NULL; row = row->next)
        check_effect(c, row);
    for (int i = 0; i < c->n_cpus; i++) {
        const struct cpu *cpu = &c->cpu[i];
        for (int p = 0; p < PRESET_COUNT; p++)
            if (cpu_defines(cpu, p)) {
                check_room(c, cpu, p);
                check_twins(c, cpu, p);
            }
        sums_check(c, cpu);
        weights_check(c, cpu);
        if (complete && cpu->processor)
            check_required(c, cpu);
    }
}

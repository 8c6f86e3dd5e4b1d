/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/* The blocks of blocks_x86.def and blocks_arm64.def with what they count, for one file of a program. */

#include "block.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#if defined(__aarch64__)
#include <sys/auxv.h>
#elif defined(__x86_64__)
#include <cpuid.h>
#endif

static const char *const block_events[] = {
#define EVENT(name, description) #name,
#define CACHE_EVENT(name, description)
#include "formats/emulator_events.def"
#undef EVENT
#undef CACHE_EVENT
};

enum {
#define EVENT(name, description) BLOCK_##name,
#define CACHE_EVENT(name, description)
#include "formats/emulator_events.def"
#undef EVENT
#undef CACHE_EVENT
    BLOCK_EVENTS
};

enum { TURNS = 1000 };

/* ---- the blocks */

_Alignas(64) unsigned char block_memory[16384] __attribute__((visibility("hidden")));

#if defined(__x86_64__)
#define BLOCKS "blocks_x86.def"
#define BEGIN ""
#define LOOP_BEGIN "mov $1000, %ecx\n1:\t"
#define LOOP_END "\n\tdec %ecx\n\tjne 1b"
#define SUPPORTED(feature) block_has(feature)

/* True if the processor has a feature, by CPUID: not every compiler knows the names of all. */
static inline bool block_has(const char *feature)
{
    static const struct {
        const char *name;
        unsigned leaf, word, bit;
    } features[] = {{"avx512f", 0, 1, 16},    {"avx512dq", 0, 1, 17}, {"gfni", 0, 2, 8},
                    {"avx512fp16", 0, 3, 23}, {"avxvnni", 1, 0, 4},   {"avx512bf16", 1, 0, 5}};
    unsigned word[4] = {0};
    for (size_t i = 0; i < sizeof features / sizeof *features; i++)
        if (strcmp(features[i].name, feature) == 0)
            return __get_cpuid_count(7, features[i].leaf, &word[0], &word[1], &word[2], &word[3]) &&
                   (word[features[i].word] >> features[i].bit & 1) != 0 &&
                   (strncmp(feature, "avx512", 6) != 0 || __builtin_cpu_supports("avx512f"));
    abort(); /* no such feature */
}
#elif defined(__aarch64__)
#define BLOCKS "blocks_arm64.def"
#define BEGIN "adrp x10, block_memory\n\tadd x10, x10, :lo12:block_memory\n\t"
#define LOOP_BEGIN "mov w9, #1000\n1:\t"
#define LOOP_END "\n\tsubs w9, w9, #1\n\tb.ne 1b"
#define SUPPORTED(feature) block_has_sve()
__asm__(".arch armv8.6-a+fp16+fp16fml\n");

static inline bool block_has_sve(void)
{
    return (getauxval(AT_HWCAP) & 1 << 22) != 0;
}
#endif
/* The number of BEGIN's instructions, which compute an address. */
enum { N_BEGIN = sizeof BEGIN > 1 ? 2 : 0 };

#define LOOP(name, n, text, counted) BLOCK(name, BEGIN LOOP_BEGIN text LOOP_END);
#define LOOP_WITH(feature, name, n, text, counted)                                                           \
    LOOP(name, n, text, counted)                                                                             \
    static bool with_##name(void)                                                                            \
    {                                                                                                        \
        return SUPPORTED(feature);                                                                           \
    }
#define ONCE(name, text, counted) BLOCK(name, BEGIN text);
#include BLOCKS
#undef LOOP
#undef LOOP_WITH
#undef ONCE

static const struct block {
    const char *name;
    void (*run)(void);
    bool (*with)(void); /* NULL: every processor has what it needs */
    int turns, instructions;
    const char *counted;
} blocks[] = {
#define LOOP(name, n, text, counted) {#name, block_##name, NULL, TURNS, n, counted},
#define LOOP_WITH(feature, name, n, text, counted) {#name, block_##name, with_##name, TURNS, n, counted},
#define ONCE(name, text, counted) {#name, block_##name, NULL, 1, 0, counted},
#include BLOCKS
#undef LOOP
#undef LOOP_WITH
#undef ONCE
};

enum { N_BLOCKS = sizeof blocks / sizeof *blocks };

static inline bool block_runs(const struct block *block)
{
    return block->with == NULL || block->with();
}

/* ---- what is wanted */

/* An event's name without what most names end with. */
static inline bool block_word_is(const char *word, size_t length, const char *name)
{
    return strncmp(word, name, length) == 0 &&
           (name[length] == '\0' || strcmp(name + length, "_INSTRUCTIONS") == 0 ||
            strcmp(name + length, "_BRANCHES") == 0);
}

static inline void block_add_word(const char *word, int turns, long long *wanted)
{
    size_t length = strcspn(word, " =");
    for (int i = 0; i < BLOCK_EVENTS; i++)
        if (block_word_is(word, length, block_events[i])) {
            wanted[i] += turns * (word[length] == '=' ? atoll(word + length + 1) : 1);
            return;
        }
    abort(); /* no such event */
}

/* Adds what a loop around so many instructions counts: one instruction sets the counter; in each iteration
 * one decrements it and one branches back, and the last branch is not taken. */
static inline void block_add_loop(int instructions, long long *wanted)
{
    wanted[BLOCK_INSTRUCTIONS] += 1 + TURNS * (instructions + 2LL);
    wanted[BLOCK_INTEGER_INSTRUCTIONS] += TURNS;
    wanted[BLOCK_CONDITIONAL_BRANCHES] += TURNS;
    wanted[BLOCK_TAKEN_BRANCHES] += TURNS - 1;
    wanted[BLOCK_NOT_TAKEN_BRANCHES] += 1;
}

static inline void block_wants(const struct block *block, long long wanted[BLOCK_EVENTS])
{
    memset(wanted, 0, BLOCK_EVENTS * sizeof *wanted);
    for (const char *word = block->counted; *word != '\0'; word += strcspn(word, " "), word += *word == ' ')
        block_add_word(word, block->turns, wanted);
    if (block->turns > 1)
        block_add_loop(block->instructions, wanted);
    wanted[BLOCK_INSTRUCTIONS] += N_BEGIN;
    wanted[BLOCK_INTEGER_INSTRUCTIONS] += N_BEGIN;
    wanted[BLOCK_FP_OPS] =
        wanted[BLOCK_HP_OPS] + wanted[BLOCK_SP_OPS] + wanted[BLOCK_DP_OPS] + wanted[BLOCK_XP_OPS];
    wanted[BLOCK_BRANCHES] = wanted[BLOCK_CONDITIONAL_BRANCHES] + wanted[BLOCK_UNCONDITIONAL_BRANCHES];
}

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows of the tables of kernels, for each architecture's file.
 */
#pragma once

#include "kernels.h"

#include <math.h>

/* The loop around each body. INSTRUCTIONS are with it: LOOP_LENGTH. */
#if defined(__x86_64__)
#define LOOP_LENGTH 2 /* sub, jne */
#elif defined(__aarch64__)
#define LOOP_LENGTH 2 /* subs, b.ne */
#elif defined(__riscv)
#define LOOP_LENGTH 2 /* addi, bnez */
#elif defined(__powerpc64__)
#define LOOP_LENGTH 1 /* bdnz */
#endif
#define LOOP_INTEGER (LOOP_LENGTH - 1)
#define LOOP [CONDITIONAL] = 1, [TAKEN] = 1

/* Three times the same floating-point instruction. lanes 1: scalar. */
#define THREE "\n\t.rept 3\n\t"
#define ENDED "\n\t.endr\n\t"
#define FLOAT(function, feature, precision, lanes, operations, kind)                                         \
    {                                                                                                        \
        .name = #function, .run = function, .needs = feature, .of = {                                        \
            LOOP,                                                                                            \
            [INSTRUCTIONS] = LOOP_LENGTH + 3,                                                                \
            [INTEGER] = LOOP_INTEGER,                                                                        \
            [FP_INSTRUCTIONS] = 3,                                                                           \
            [precision##_OPS] = 3 * (lanes) * (operations),                                                  \
            [precision##_VECTORS] = (lanes) > 1 ? 3 : 0,                                                     \
            [kind] = 3,                                                                                      \
        }                                                                                                    \
    }

/* Rows that every architecture has.
 *   compares  instructions that a conditional branch needs before it: once for all three */
#define SCALAR_ROWS(compares)                                                                                \
    {"integer", integer, ALWAYS, {LOOP, [INSTRUCTIONS] = LOOP_LENGTH + 4, [INTEGER] = LOOP_INTEGER + 4}},    \
        {"branches_not_taken",                                                                               \
         branches_not_taken,                                                                                 \
         ALWAYS,                                                                                             \
         {[INSTRUCTIONS] = LOOP_LENGTH + 3 + (compares),                                                     \
          [INTEGER] = LOOP_INTEGER + (compares),                                                             \
          [CONDITIONAL] = 4,                                                                                 \
          [TAKEN] = 1,                                                                                       \
          [NOT_TAKEN] = 3}},                                                                                 \
        {"branches_taken",                                                                                   \
         branches_taken,                                                                                     \
         ALWAYS,                                                                                             \
         {[INSTRUCTIONS] = LOOP_LENGTH + 3 + (compares),                                                     \
          [INTEGER] = LOOP_INTEGER + (compares),                                                             \
          [CONDITIONAL] = 4,                                                                                 \
          [TAKEN] = 4}},                                                                                     \
        {"jumps",                                                                                            \
         jumps,                                                                                              \
         ALWAYS,                                                                                             \
         {LOOP, [INSTRUCTIONS] = LOOP_LENGTH + 3, [INTEGER] = LOOP_INTEGER, [UNCONDITIONAL] = 3}},           \
        {"random_branch",                                                                                    \
         random_branch,                                                                                      \
         ALWAYS,                                                                                             \
         {[INSTRUCTIONS] = NAN, [INTEGER] = NAN, [CONDITIONAL] = 2, [TAKEN] = NAN, [NOT_TAKEN] = NAN}},      \
        {"loads",                                                                                            \
         loads,                                                                                              \
         ALWAYS,                                                                                             \
         {LOOP, [INSTRUCTIONS] = LOOP_LENGTH + 4, [INTEGER] = LOOP_INTEGER, [LOADS] = 4}},                   \
        {"stores",                                                                                           \
         stores,                                                                                             \
         ALWAYS,                                                                                             \
         {LOOP, [INSTRUCTIONS] = LOOP_LENGTH + 3, [INTEGER] = LOOP_INTEGER, [STORES] = 3}},                  \
        {"loads_and_stores",                                                                                 \
         loads_and_stores,                                                                                   \
         ALWAYS,                                                                                             \
         {LOOP, [INSTRUCTIONS] = LOOP_LENGTH + 3, [INTEGER] = LOOP_INTEGER, [LOADS] = 2, [STORES] = 1}},     \
        FLOAT(double_add, ALWAYS, DOUBLE, 1, 1, ADDITIONS),                                                  \
        FLOAT(double_multiply, ALWAYS, DOUBLE, 1, 1, MULTIPLICATIONS),                                       \
        FLOAT(double_divide, ALWAYS, DOUBLE, 1, 1, DIVISIONS),                                               \
        FLOAT(double_sqrt, ALWAYS, DOUBLE, 1, 1, SQUARE_ROOTS),                                              \
        FLOAT(single_add, ALWAYS, SINGLE, 1, 1, ADDITIONS),                                                  \
        FLOAT(single_multiply, ALWAYS, SINGLE, 1, 1, MULTIPLICATIONS),                                       \
        FLOAT(single_divide, ALWAYS, SINGLE, 1, 1, DIVISIONS),                                               \
        FLOAT(single_sqrt, ALWAYS, SINGLE, 1, 1, SQUARE_ROOTS),                                              \
        FLOAT(double_fma, FMA, DOUBLE, 1, 2, MULTIPLY_ADDS),                                                 \
        FLOAT(single_fma, FMA, SINGLE, 1, 2, MULTIPLY_ADDS)

/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/* Conditions that are true, or false, nearly always: the compiler puts the other case out of the way, so that
 * a path in a program's loop has no jump. */
#define likely(condition) __builtin_expect(!!(condition), 1)
#define unlikely(condition) __builtin_expect(!!(condition), 0)

/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/* A loop of three double-precision operations a turn, two additions and a multiplication, at known
 * addresses. One block of instructions for the emulator. */
enum { OPERATIONS = 3 };
#if defined(__x86_64__)
enum { SIZE_OF_NOP = 1, SIZE_OF_DECREMENT = 3 };
#else
enum { SIZE_OF_NOP = 4, SIZE_OF_DECREMENT = 4 };
#endif
void operations_loop(long turns);
/* A twin of the loop elsewhere, for a second region of code. */
void other_loop(long turns);

/* Labels: of each operation, of the branch back and after it. A no-operation is before operation 1, the
 * decrement before the branch. */
extern const char operation_0[], operation_1[], operation_2[], operation_branch[], operation_end[];
extern const char other_0[], other_1[], other_2[], other_branch[], other_end[];

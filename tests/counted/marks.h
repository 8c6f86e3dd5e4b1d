/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/* Counts events from one mark to the other: by counted code (marks_counted.c) or by the emulator
 * (marks_emulated.c). Programs print the same lines with both: NAME EVENT COUNT. What the marks themselves
 * count is left out. */
void mark_begin(void);
void mark_end(const char *name);

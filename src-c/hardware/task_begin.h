/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/* The time when a thread or process of a number began, in ticks since the machine's start, which tells it
 * from a later one of that number. 0: there is none, or it is not known. */
unsigned long long task_begin(int tid);

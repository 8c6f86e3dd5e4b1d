/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/* Places of what the component keeps as long as the process lives: what the processor's samples are, and who
 * follows other processes' threads. Each has a place of its own. */
enum kept { KEPT_PROCESSOR, KEPT_FOLLOWERS, KEPT_THINGS };

/* The place of one, NULL in it at first. NULL: no memory. */
void *_Atomic *perf_event_kept(enum kept which);

/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>

/* The events of papi_emulate that the metrics of a word, a group or a metric, are computed of, each once:
 * "emu::FP_OPS,emu::INSTRUCTIONS". Of a group, those of the metrics that it has all events of. To be freed;
 * NULL with a sentence, to be freed, where there are none.
 *   by_line  leaves out what is not known of a line: fetches of instructions */
char *emulated_metric(const char *word, bool by_line, char **why);

/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "job/job.h"

#include <stdio.h>

/* Each metric by name that the job was asked for: its value in the whole job, its unit, formula and
 * description, or why it has no value. */
void report_formulas(FILE *out, const struct job *job);

/* The values as one sentence of at most so many bytes; "": none was asked for. */
void formulas_sentence(char *text, size_t size, const struct job *job);

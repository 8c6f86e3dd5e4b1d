/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "totals.h"

#include <stdio.h>

/* A profile in the formats of other tools. */
struct export
{
    const char *name, *suffix; /* of its files */
    bool lists_stacks;         /* each of them whole */
    void (*write)(FILE * out, const struct profile *profile, const struct totals *totals);
};

/* NULL: there is none of this name. */
const struct export *export_find(const char *name, size_t length);

/* "callgrind, folded, ..." */
extern const char export_names[];

/* One for each format. */
void export_callgrind(FILE *out, const struct profile *profile, const struct totals *totals);
void export_folded(FILE *out, const struct profile *profile, const struct totals *totals);
void export_html(FILE *out, const struct profile *profile, const struct totals *totals);
void export_pprof(FILE *out, const struct profile *profile, const struct totals *totals);
void export_speedscope(FILE *out, const struct profile *profile, const struct totals *totals);
